#!/bin/sh
# What label noise does to learners: a fifth of the labels of the handwritten digits in data/ are replaced by
# wrong ones, the learners see only those, and are tested on clean labels.  Then: which labels were wrong?
set -eu
[ $# -eq 0 ] || { echo "usage: $0" >&2; exit 2; }
cd "$(dirname "$0")/.."
PATH=${BIN:-.}:$PATH # the programs of this tree, else those that are installed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "Noise: every fifth label of data/digits.train (1200 handwritten digits), at random."
label-noise -r 0.2 data/digits.train > "$work/noisy"
for learner in perceptron arow; do
    arow-train -q -s "$learner" -r 100 -i 5 -B 1 "$work/noisy" "$work/$learner.model" 2> /dev/null
    printf '%-11s' "$learner"
    arow-predict data/digits.test "$work/$learner.model" "$work/$learner.out"
done
echo "Both made five passes over the same wrong labels. The perceptron takes a full step for each"
echo "of them; AROW's steps shrink as it grows confident, so a wrong label moves it little."
echo "(Averaging, -A, steadies both.)"

printf '%-11s' forward
forward-train -q "$work/noisy" "$work/forward.model"
forward-predict data/digits.test "$work/forward.model" "$work/forward.out"
echo "forward-train saw no clean label either: it estimates how the labels get confused, and learns"
echo "through that."

wrong=$(cut -d ' ' -f 1 data/digits.train | paste -d ' ' - "$work/noisy" | awk '$1 != $2' | wc -l | tr -d ' ')
suspects -q -n "$wrong" "$work/noisy" > "$work/list"
echo "$wrong labels are wrong. Of the $wrong lines that suspects names first, so many have a wrong one:"
awk 'NR == FNR { truth[FNR] = $1; next }
    $2 != truth[$1] { n++ }
    END { print n }' data/digits.train "$work/list"
