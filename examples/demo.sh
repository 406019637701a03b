#!/bin/sh
# What label noise does to two learners: a fifth of the labels of the handwritten digits in data/ are replaced by wrong ones, both
# learn from those, and both are tested on clean labels.
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-./} # where the programs are
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "Noise: every fifth label of data/digits.train (1200 handwritten digits), at random."
"${bin}label-noise" -r 0.2 data/digits.train > "$work/noisy"
for learner in perceptron arow; do
    "${bin}arow-train" -q -s "$learner" -r 100 -i 5 -B 1 "$work/noisy" "$work/$learner.model" 2> /dev/null
    printf '%-11s' "$learner"
    "${bin}arow-predict" data/digits.test "$work/$learner.model" "$work/$learner.out"
done
echo "Both saw the same wrong labels, five passes. The perceptron takes a full step for each of them; AROW's steps shrink as it grows"
echo "confident, so a wrong label moves it little. (Averaging, -A, steadies both.)"
