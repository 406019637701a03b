# The example of CONTRIBUTING.md: a file and a row make an online learner that trains, goes on from a
# model, and stands in the help.
learner=$tests/new_rule/arow-train
check() {
    if [ "$2" = "$3" ]; then echo "ok $1"; else echo "FAIL $1: expected $3, got $2"; fi
}
check 'in the help' "$("$learner" -h | grep -c 'perceptron | nperceptron | pa')" 1
"$learner" -v 5 -q -s nperceptron "$top/data/digits.train" > accuracy
check 'it learns' "$(awk '{ print ($5 + 0 > 80) }' accuracy)" 1
head -n 600 "$top/data/digits.train" > a
tail -n 600 "$top/data/digits.train" > b
for average in '' -A; do
    "$learner" -q $average -s nperceptron --no-shuffle "$top/data/digits.train" whole
    "$learner" -q $average -s nperceptron --no-shuffle a part && "$learner" -q -m part --no-shuffle b rest
    check "it goes on $average" "$(cksum < whole)" "$(cksum < rest)"
done
check 'its options' "$("$learner" -s nperceptron -r 2 a model 2>&1 > report)" \
    'arow-train: note: --regularizer has no meaning for nperceptron'
