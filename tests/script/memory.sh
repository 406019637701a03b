# A stream takes constant memory, whatever its length; a file that does not fit is streamed, and says so.
. "$top/tests/checks.sh"
if ! (ulimit -v 150000; arow-train -q -T 1 "$top/data/iris.train" model) 2> err; then
    echo "skip memory limits do not go with this build: $(head -n 1 err | cut -c 1-80)"
    echo 'ok skipped'
    exit
fi
for _ in $(seq 60); do cat "$top/data/letter.train"; done > large
arow-train -q -T 1 --stream large want
(ulimit -v 150000; cat large | arow-train -q -T 1 --labels 1-26 - got) 2> err
cmp -s want got
verdict 'a pipe of 66 MB in 150 MB of address space' $? "$(cat err)"
rm -f got
held='<stdin>: out of memory: a pipe is held in memory here; it is streamed when'
refused() { # NAME WHEN COMMAND...: what reads a pipe does not hold it, and says when it would be streamed
    name=$1 want="$3: $held $2"
    shift 2
    cat large | (ulimit -v 150000; timeout 60 "$@" -q -T 1 - got) > out 2> err
    check "$name" "$? $(cat err)" "1 $want"
    [ ! -e got ]
    verdict "$name: no model" $? 'there is one'
}
refused 'a pipe of unknown classes' '--labels names the classes' arow-train
refused 'several passes over a pipe' 'only one pass is made' arow-train -i 2 --labels 1-26
refused 'both' '--labels names the classes and only one pass is made' arow-train -i 2
refused 'a pipe of feedback' '--labels names the classes' rcnbf-train
refused 'as many rounds as are asked' \
    '--labels names the classes, without -i, --random-order and --hold-out' rcnbf-train -i 9 --labels 1-26
(ulimit -v 150000; arow-train -q -T 1 - got < large) 2> err
check 'the same from standard input that is a file' "$? $(cat err)" \
    "1 arow-train: $held --labels names the classes"
(ulimit -v 150000; rcnbf-train -q -T 1 --random-order large got) 2> err
check 'rounds in random order of a file that does not fit' "$? $(cat err)" \
    "1 rcnbf-train: large: it does not fit in memory, where --random-order needs it: shuffle the lines \
(shuf) instead"
(ulimit -v 150000; arow-train -T 1 large got) > out 2> err
cmp -s want got && grep -q 'note: large does not fit in memory; it is streamed in file order' err
verdict 'a file that does not fit' $? "$(cat err)"

# What neither streams nor goes to disk: refused where it would take all memory, with the name of the file.
musvm-train -q -T 1 -t linear "$top/data/iris.train" small
too_large() { # NAME PROGRAM ARGUMENTS...: a program that holds the file `large`, which it names
    name=$1 program=$2
    shift 2
    (ulimit -v 80000; timeout 60 "$program" -q -T 1 "$@") > out 2> err < large
    check "$name" "$? $(sed 's/[0-9.]* MB/N MB/' err)" \
        "1 $program: $held: out of memory: all examples are held, in N MB at most: take a part of the lines"
}
held='<stdin>'
too_large 'musvm-train' musvm-train - m
too_large 'the universum of musvm-train' musvm-train -u - "$top/data/iris.train" m
too_large 'the universum of musvm-predict' musvm-predict --hop h --universum - "$top/data/iris.train" small m
too_large 'universum' universum -
held=large
too_large 'kpca-train' kpca-train -D 2 large m
too_large 'the projections of musvm-predict' musvm-predict --hop h large small m

# A pipe that does not end is no model.
(ulimit -v 150000; yes | arow-predict -q "$top/data/iris.train" - out) > log 2> err
check 'an endless model' "$? $(sed 's/[0-9][^,]* needed, [0-9]* MB/N/' err)" \
    '1 arow-predict: <stdin>: not enough memory for the whole of it: N may be used'

# A model promises full covariances and does not hold them: no room is made for them (3.2 GB).
{
    printf 'solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 20000\nbias -1\nw\n'
    yes 0 | head -n 20000
    printf 'libdoubt 1\nlearner arow\nseed 1\nunit_length 0\nzero_based 0\n'
    printf 'form full\nr 1\nk 1\naverage 0\nend\n'
} > promises
(ulimit -v 150000; arow-train -T 1 -m promises "$top/data/iris.train" got) 2> err
if [ "$(cat err)" = 'arow-train: promises: the trailer has no `sigma`' ]; then
    echo 'ok a model that promises more than it holds'
else
    echo "FAIL a model that promises more than it holds: $(cat err)"
fi
