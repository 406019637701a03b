# kpca-train and kpca-project: the same bytes for any number of threads, a file or a pipe, any locale; nothing
# half written.
. "$top/tests/checks.sh"
test=$top/data/digits.test
train=digits
# More than a strip of 256 rows of dense_eigen_reflectors.c; its time grows with the cube.
head -n 300 "$top/data/digits.train" > $train
for options in '-D 30 -g 0.002' '-D 30 -g 0.002 -n 200' '-D 30 -t polynomial -d 2 -g 0.001 -r 1' \
    '-D 10 -t sigmoid -g 0.0001' '-D 70 -t linear -l 1'; do
    kpca-train -q -T 1 $options "$train" one
    kpca-project -T 1 "$test" one projected
    for threads in 3 2 4; do
        kpca-train -q -T $threads $options "$train" more
        same "$options, $threads threads" one more
        kpca-project -T $threads "$test" one again
        same "$options, projected, $threads threads" projected again
        wants_long || break
    done
    kpca-train $options - piped < "$train" > report
    same "$options, pipe" one piped
    check "$options, report" "$(wc -l < report)" 2
    cat "$test" | kpca-project - one - > again
    same "$options, projected, pipe" projected again
    (while read -r line; do echo "$line"; done < "$test") | kpca-project -T 2 - one - > again
    same "$options, projected, line by line" projected again
done
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 kpca-train -q -D 70 -t linear -l 1 "$train" german
same 'comma locale' one german
kpca-train -q -D 70 -t linear -l 1 "$train" - > standard_output
same 'model on standard output' one standard_output

# What it is for: a linear learner learns more from it.
head -n 500 "$top/data/digits.train" > more_digits
kpca-train -q -D 200 -g 0.002 more_digits m
kpca-project more_digits m p.train
kpca-project "$test" m p.test
arow-train -q -i 5 -l 1 -B 1 -A more_digits plain
arow-train -q -i 5 -l 1 -B 1 -A p.train kernel
arow-predict "$test" plain out > accuracy
arow-predict p.test kernel out >> accuracy
awk '{ a[NR] = substr($3, 1) + 0 } END { exit !(a[2] > a[1] + 2) }' accuracy
verdict 'accuracy' $? "$(cat accuracy)"

# A closed pipe, standard streams that are closed.
iris=$top/data/iris.train
kpca-train -q -D 3 "$iris" m
{ kpca-project "$top/data/letter.train" m - 2> err; echo $? > status; } | head -n 1 > /dev/null
check 'closed pipe' "$(cat status)" 1
kpca-project "$iris" m - >&- 2> err; check 'closed output' $? 1
kpca-train -q -D 3 - closed <&- 2> err; check 'closed input' $? 1
kpca-train -q -D 3 "$iris" closed <&- >&- 2>&-; check 'nothing open' $? 0
same 'nothing open: model' m closed
cp m old
(ulimit -f 8; kpca-train -q -D 30 "$train" m 2> err); check 'disk full in the middle' $? 1
same 'the old model stays' m old
check 'nothing is left behind' "$(ls -A | grep -c tmp)" 0

# A model cut anywhere is refused, and nothing comes out.
size=$(wc -c < m)
for cut in 0 1 20 60 100 150 200 1000 $((size - 20)) $((size - 1)); do
    head -c "$cut" m > short
    kpca-project "$iris" short cut_out 2> err
    [ $? -eq 1 ] && [ ! -e cut_out ] && grep -q 'short:[0-9]*:[0-9]*: ' err
    verdict "cut at $cut" $? "$(cat err)"
    rm -f cut_out
done
