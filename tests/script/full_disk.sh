# A full disk: every program that writes says so, with status 1, and no part of what it was asked for appears
# without the rest.
. "$top/tests/checks.sh"
if ! [ -c /dev/full ]; then
    echo 'skip there is no /dev/full here'
    echo 'ok skipped'
    exit
fi
file=$top/data/letter.train
arow-train -q "$top/data/iris.train" iris.model
arow-train -q "$top/data/iris.train" /dev/full 2> err; check 'model on a full disk' $? 1
check 'message' "$(cat err)" 'arow-train: /dev/full: No space left on device'
arow-predict -q "$top/data/iris.test" iris.model /dev/full 2> err > /dev/null
check 'predictions on a full disk' $? 1
arow-predict "$top/data/iris.test" iris.model out > /dev/full 2> err; check 'report on a full disk' $? 1
label-noise "$file" > /dev/full 2> err; check 'label-noise on a full disk' $? 1
synth toy > /dev/full 2> err; check 'synth on a full disk' $? 1
cut -d' ' -f1 "$file" | confusion -q "$file" - > /dev/full 2> err; check 'confusion on a full disk' $? 1
uma-train -q -c identity "$top/data/iris.train" /dev/full 2> err; check 'UMA model on a full disk' $? 1
uma-train -q -c identity --trace /dev/full "$top/data/iris.train" none 2> err
check 'trace on a full disk' $? 1
[ -e none ] && echo 'FAIL a model without its trace'
for command in 'uma-train -c identity' 'forward-train -t linear' arow-train musvm-train; do
    $command "$top/data/iris.train" none > /dev/full 2> err; check "report of $command on a full disk" $? 1
    check 'message' "$(tail -n 1 err)" "${command%% *}: <stdout>: No space left on device"
done
forward-train -q -i 1 "$top/data/iris.train" /dev/full 2> err; check 'forward model on a full disk' $? 1
check 'message' "$(cat err)" 'forward-train: /dev/full: No space left on device'
rm -f none
forward-train -q -c identity --lambda 0 --confusion-out /dev/full "$top/data/iris.train" none 2> err
check 'matrix on a full disk' $? 1
[ -e none ] && echo 'FAIL a model without its matrix'
uma-train -q -c identity --confusion-out /dev/full "$top/data/iris.train" none 2> err
check 'matrix of UMA on a full disk' $? 1
[ -e none ] && echo 'FAIL a model of UMA without its matrix'
forward-train -q -c identity --lambda 0 --confusion-out matrix "$top/data/iris.train" /dev/full 2> err
check 'model on a full disk, with its matrix' $? 1
[ -e matrix ] && echo 'FAIL a matrix without its model'
for command in 'suspects -n 100' 'suspects --clean' 'confusion --from-noisy' 'fourier -D 3 -g 1'; do
    $command -q "$top/data/iris.train" > /dev/full 2> err; check "$command on a full disk" $? 1
    check 'message' "$(cat err)" "${command%% *}: <stdout>: No space left on device"
done
for option in -h --man --version '--completion bash'; do
    # shellcheck disable=SC2086 # two words
    arow-train $option > /dev/full 2> err; check "$option on a full disk" $? 1
    check 'message' "$(cat err)" 'arow-train: <stdout>: No space left on device'
done
rm -f none
rcnbf-train -q "$top/data/iris.train" /dev/full 2> err; check 'bandit model on a full disk' $? 1
check 'message' "$(cat err)" 'rcnbf-train: /dev/full: No space left on device'
rcnbf-train -q --trace /dev/full "$top/data/iris.train" none 2> err; check 'bandit trace on a full disk' $? 1
[ -e none ] && echo 'FAIL a bandit model without its trace'
rcnbf-train -q --trace trace "$top/data/iris.train" /dev/full 2> err
check 'bandit model on a full disk, with its trace' $? 1
rcnbf-train -q --trace trace --report /dev/full "$top/data/iris.train" none 2> err
check 'bandit report file on a full disk, with a trace' $? 1
ls trace none 2> err && echo 'FAIL a trace or a bandit model without the other files'
rcnbf-train "$top/data/iris.train" none > /dev/full 2> err; check 'bandit report on a full disk' $? 1
musvm-train -q "$top/data/iris.train" /dev/full 2> err; check 'MU-SVM model on a full disk' $? 1
musvm-train "$top/data/iris.train" none > /dev/full 2> err; check 'MU-SVM report on a full disk' $? 1
musvm-predict -q --hop /dev/full "$top/data/iris.test" none labels 2> err
check 'projections on a full disk' $? 1
check 'message' "$(cat err)" 'musvm-predict: /dev/full: No space left on device'
musvm-predict -q --hop - "$top/data/iris.test" none labels > /dev/full 2> err
check 'projections on a full standard output' $? 1
musvm-predict -q --hop hop "$top/data/iris.test" none /dev/full 2> err
check 'labels on a full disk, with projections' $? 1
ls labels hop 2> err && echo 'FAIL labels without their projections, or projections without labels'
musvm-train -q -s svm-ovo "$top/data/iris.train" /dev/full 2> err
check 'a model of votes on a full disk' $? 1
check 'message' "$(cat err)" 'musvm-train: /dev/full: No space left on device'
rm -f none
musvm-train -q -C cv --grid-c 1 -j /dev/full "$top/data/iris.train" none 2> err
check 'table of -C on a full disk' $? 1
check 'message' "$(cat err)" 'musvm-train: /dev/full: No space left on device'
[ -e none ] && echo 'FAIL a model without its table'
musvm-train -q -C cv --grid-c 1 -j table "$top/data/iris.train" /dev/full 2> err
check 'model of -C on a full disk' $? 1
[ -e table ] && echo 'FAIL a table without its model'
rm -f none
arow-merge iris.model > /dev/full 2> err; check 'arow-merge on a full disk' $? 1
for program in $(cd "$tests/faulty" && ls | grep -v '\.') 'synth toy'; do
    $program -h > /dev/full 2> err; check "$program -h on a full disk" $? 1
    $program --version > /dev/full 2> err; check "$program --version on a full disk" $? 1
done
arow-train -v 2 -q "$top/data/iris.train" > /dev/full 2> err; check 'cross-validation on a full disk' $? 1
universum -q "$top/data/iris.train" > /dev/full 2> err; check 'universum on a full disk' $? 1
check 'message' "$(cat err)" 'universum: <stdout>: No space left on device'
kpca-train -q -D 3 "$top/data/iris.train" m
kpca-train -q -D 3 "$top/data/iris.train" /dev/full 2> err; check 'kernel model on a full disk' $? 1
check 'message' "$(cat err)" 'kpca-train: /dev/full: No space left on device'
kpca-train -D 3 "$top/data/iris.train" none > /dev/full 2> err; check 'report on a full disk' $? 1
kpca-project "$top/data/iris.train" m /dev/full 2> err; check 'projections on a full disk' $? 1
kpca-project "$top/data/iris.train" m - > /dev/full 2> err
check 'projections on standard output, on a full disk' $? 1

# The report, and predictions of -v.
for command in 'arow-train -q data none' 'forward-train -q -c identity --lambda 0 data none' \
    'uma-train -q -c identity data none' 'musvm-train -q data none' 'rcnbf-train -q data none' \
    'arow-predict -q data iris.model none' 'arow-train -q -v 2 --fold-predictions none data' \
    'suspects -q -c identity data' 'confusion -q data labelled'; do
    cp "$top/data/iris.train" data
    cut -d' ' -f1 data > labelled
    rm -f none
    # shellcheck disable=SC2086 # words
    ${command%% *} --report /dev/full ${command#* } > out 2> err
    check "$command: report on a full disk" "$? $(cat err)" \
        "1 ${command%% *}: /dev/full: No space left on device"
    check "$command: nothing without its report" "$(ls none 2> /dev/null; grep -v Accuracy out)" ''
done
arow-train -q -v 2 --fold-predictions /dev/full --report none.report data > out 2> err
check 'predictions of -v on a full disk' "$? $(cat err)" '1 arow-train: /dev/full: No space left on device'
arow-train -q --report none.report data /dev/full 2> err; check 'a model on a full disk, with a report' $? 1
arow-predict -q --report none.report data iris.model /dev/full 2> err > out
check 'labels on a full disk, with a report' $? 1
suspects -q -c identity -n 5 --report none.report data > /dev/full 2> err
check 'suspects on a full disk, with a report' $? 1
confusion -q --report none.report data labelled > /dev/full 2> err
check 'a matrix on a full disk, with a report' $? 1
ls none.report 2> /dev/null && echo 'FAIL a report without the rest'

# A write that fails ends the work on an input that goes on.
kpca-train -q -D 3 "$top/data/iris.train" m
for command in 'fourier -D 2 -g 1 -' 'kpca-project - m -' 'arow-predict - iris.model /dev/full' \
    'label-noise --labels 1-3 -'; do
    rm -f all
    { { yes '1 1:1 2:2' | head -n 1000000; } && : > all; } 2> /dev/null | $command > /dev/full 2> err
    check "${command%% *} on a full disk" $? 1
    [ -e all ] && echo "FAIL ${command%% *} went on reading"
done

# The live loop: its record, its model, its answers.
live() { rcnbf-train -q -T 1 -g 0 --interactive --labels 1-3 "$@"; }
rounds() { tail -n 1 "$1" | grep -qx end && sed -n 's/^rounds //p' "$1"; }
reason() { sed 's/^rcnbf-train: //' "$1"; }
printf '? 1:1\n1\n? 1:1\n1\n' | live -L /dev/full - m > out 2> err; check 'record on a full disk: status' $? 1
check 'record on a full disk: reason' "$(reason err)" '/dev/full: No space left on device'
check 'record on a full disk: model' "$(rounds m)" 1
printf '? 1:1\n1\n' | live - /dev/full > out 2> err; check 'model on a full disk: status' $? 1
check 'model on a full disk: reason' "$(reason err)" '/dev/full: No space left on device'
check 'model on a full disk: answers' "$(cat out)" '1 1'
printf '? 1:1\n1\n' | live - m > /dev/full 2> err; check 'answers on a full disk: status' $? 1
check 'answers on a full disk: reason' "$(reason err)" '<stdout>: No space left on device'
check 'answers on a full disk: model' "$(rounds m)" 1

# A line that could not be written whole is taken back: the next session goes on from whole lines.  (Units of
# ulimit -f differ: 512 bytes or 1024.)
rm -f log
yes '? 1:1 2:1
1' | head -n 400 > talk
(trap '' XFSZ; ulimit -f 1; live -L log - m < talk) > out 2> err
check 'record at a limit: reason' "$(reason err)" 'log: File too large'
lines=$(wc -l < log)
check 'record at a limit: whole lines' "$(wc -c < log)" "$((14 * lines))"
check 'record at a limit: replies' "$(($(wc -l < out) - lines))" 1
live -L log - m < talk > out 2> err
rcnbf-train -q --labels 1-3 --log log m > out 2> err
check 'record at a limit: the next session' "$? $(wc -l < log) $(grep -v warning err)" "0 $((lines + 200)) "
