# The examples of CONTRIBUTING.md: a file and a row make a learner that trains, goes on from a model, and
# stands in the help.
. "$top/tests/checks.sh"
learner=$tests/new_rule/arow-train
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

# The same of a learner from right-or-wrong feedback.
learner=$tests/new_rule/rcnbf-train
check 'bandit: in the help' "$("$learner" -h | grep -c 'bpa | bpa1 | soba')" 1
"$learner" -s bpa1 -i 20000 --random-order "$top/data/digits.train" model > report
awk '/argmax/ { error = $NF + 0 } END { exit !(error > 0 && error < 30) }' report
verdict 'bandit: it learns' $? "$(cat report)"
"$learner" -q -s bpa1 --labels 0-9 "$top/data/digits.train" whole
"$learner" -q -s bpa1 --labels 0-9 a part && "$learner" -q -m part b rest
same 'bandit: it goes on' whole rest
