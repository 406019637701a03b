#!/bin/sh
# Many examples, few labels: Example 1 of the UMA papers, step by step.
#
#   usage: examples/few_labels.sh [digits|letter]      (of data/; digits unless said)
#
# Labels are expensive: somebody labels a few examples of each class, and a small random sample besides.  A
# rough classifier is learnt from the few, which labels everything else, badly; the sample shows how badly, as
# a confusion matrix; and UMA learns from the bad labels through that matrix.  Each step is a command line of
# the toolkit.  The true labels of the rest are used only for the comparison in the last step.
set -eu
cd "$(dirname "$0")/.."
PATH=${BIN:-.}:$PATH # the programs of this tree, else those that are installed
set=${1:-digits}
case $set in # labelled of each class, labelled sample, width of the kernel, dimensions
digits) few=10 sample=192 gamma=0.00195 dimensions=640 ;;
letter) few=50 sample=750 gamma=0.0139 dimensions=400 ;;
*) echo "usage: $0 [digits|letter]" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
train=$work/train test=$work/test

# A linear classifier is not enough for UMA to pay off on these sets (see experiments/README.md): kernel
# principal components first.  They need no labels.
kpca-train -q -D $dimensions -g $gamma "data/$set.train" "$work/kpca"
kpca-project -q "data/$set.train" "$work/kpca" "$train"
kpca-project -q "data/$set.test" "$work/kpca" "$test"
echo "data/$set: $(wc -l < "$train") examples to learn from, projected on kernel principal components"

# learn DATA MODEL: the rough classifier and those to compare with, UMA with the identity: a perceptron
learn() { uma-train -q -e 0 -c identity "$1" "$2"; }
accuracy() { printf '  %-62s' "$1"; uma-predict -q "$test" "$2" "$work/labels"; }

echo "1. somebody labels $few examples of each class: the rough classifier learns from them"
awk -v few=$few '++count[$1] <= few' "$train" > "$work/few"
learn "$work/few" "$work/rough"

echo "2. it labels everything: these are the noisy labels"
uma-predict -q "$train" "$work/rough" "$work/guesses" > "$work/report"
awk 'NR == FNR { label[NR] = $1; next } { $1 = label[FNR]; print }' "$work/guesses" "$train" > "$work/noisy"

echo "3. somebody labels $sample examples drawn at random: how the noisy labels lie"
draw() { awk -v step=$(($(wc -l < "$train") / sample)) -v most=$sample 'NR % step == 0 && n++ < most' "$1"; }
draw "$train" > "$work/sample"
draw "$work/guesses" > "$work/sample.guesses"
confusion "$work/sample" "$work/sample.guesses" > "$work/confusion"

echo "4. UMA learns from the noisy labels and that matrix"
uma-train -e 0 -c "$work/confusion" "$work/noisy" "$work/uma"

echo "5. accuracy on data/$set.test"
learn "$work/noisy" "$work/noise_ignored"
learn "$work/sample" "$work/sample_only"
learn "$train" "$work/all_true"
accuracy 'the rough classifier itself' "$work/rough"
accuracy 'learnt from the noisy labels, the noise ignored (f_y)' "$work/noise_ignored"
accuracy 'learnt from the labelled sample alone (f_conf)' "$work/sample_only"
accuracy 'learnt from the noisy labels through the matrix (UMA)' "$work/uma"
accuracy 'if all true labels were known (f_full)' "$work/all_true"
