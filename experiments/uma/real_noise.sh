#!/bin/sh
# Test accuracy of UMA, which knows the confusion matrix of the labels, and of learners that do not,
# on real data whose labels were changed by a matrix that differs from class to class.
#
#   usage: experiments/uma/real_noise.sh DATA_FOLDER
#
# Not in the papers.  DATA_FOLDER holds NAME.train and NAME.test of usps, r8 and optdigits.  Writes
# real_noise.txt.  From the environment, beside what lib.sh names: SETS, RATES, SEEDS and CLEAN as below.
#
# Each seed draws another matrix C (synth noise --flip RATE: each class keeps its label with
# probability 1 - RATE, and some wrong labels are much likelier than others) and other changes of
# labels (label-noise -c C).  At RATE 0.3 the right label is the likeliest for every class; at 0.6 a
# wrong one is for one class (usps, optdigits: seeds 3, 4, 5; r8: seed 3).  Training labels are
# changed, test labels never.  All learners scale examples to unit length and have no bias.
#
# UMA gets the true C, or C = I, or C^: counted (confusion) on CLEAN training examples whose true
# labels are known, every n-th of the file from the seed-th on.  Where uma-train refuses C^, it is
# mixed with the identity (--ridge 0.1; noted).  Lines named after options have these fixed.  The
# others:
#     by estimated error   of the settings of -s error | confusion, -e 2 | 0 and -w best | average,
#                          that with the lowest estimated true error in 5-fold cross-validation
#                          (uma-train -v 5 with C: it sees noisy labels only)
#     by noisy accuracy    of the same settings, that with the highest cross-validation accuracy
#     online learners      3 passes; r by 5-fold cross-validation accuracy on noisy labels
#     liblinear            C by 5-fold cross-validation accuracy on noisy labels
#     only 200             a perceptron of those CLEAN examples and no others
#     true labels          of the whole training set before its labels were changed: an upper limit
# Everything is chosen anew for each seed, and on noisy labels.
#
# real_noise.txt, tab separated: set; rate; learner; test accuracy in %, mean and standard deviation over
# the seeds; by how much "UMA C, by estimated error" is ahead of it in the same seed, mean and
# standard deviation; the number of seeds in which it is ahead; the accuracies, seed by seed; the
# hyperparameters, likewise where they were chosen.
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
if [ -n "$QUICK" ]; then
    SETS=digits RATES=0.6 SEEDS=1 CLEAN=200
fi
SETS=${SETS:-usps r8 optdigits}
RATES=${RATES:-0.3 0.6}
SEEDS=${SEEDS:-1 2 3 4 5}
CLEAN=${CLEAN:-200 1000}
result() { # name choice program that predicts and its options
    what=$1 choice=$2
    shift 2
    "$@" "$tmp/model" "$tmp/out" > "$tmp/log"
    tabs "$what" "$(percent < "$tmp/log")" "$choice"
}
# cv options-of-this-value program options: "accuracy TAB options-of-this-value"
cv() {
    value=$1
    shift
    "$@" > "$tmp/log"
    tabs "$(percent < "$tmp/log")" "$value"
}

# estimate: the files clean, $clean examples of the seed with their true labels, and estimate, their
# C^
estimate() {
    paste "$tmp/train" "$tmp/noisy" |
        awk -F '\t' -v clean="$clean" -v seed="$seed" -v n="$(wc -l < "$tmp/train")" \
            -v truth="$tmp/clean" -v seen="$tmp/seen" '
            NR % int(n / clean) == seed % int(n / clean) && k++ < clean {
                print $1 > truth
                sub(/ .*/, "", $2)
                print $2 > seen
            }'
    "$PROGRAMS/confusion" -q --labels "$labels" "$tmp/clean" "$tmp/seen" > "$tmp/estimate"
}
uma() { # name matrix options [choice]
    if ! "$PROGRAMS/uma-train" -q -T 1 -c "$2" $3 "$tmp/noisy" "$tmp/model" 2> "$tmp/error"; then
        grep -q singular "$tmp/error" || { cat "$tmp/error" >&2; exit 1; }
        tabs "# refused as singular, learnt with --ridge 0.1: $1"
        "$PROGRAMS/uma-train" -q -T 1 -c "$2" --ridge 0.1 $3 "$tmp/noisy" "$tmp/model" 2> "$tmp/error"
    fi
    result "$1" "${4-}" "$PROGRAMS/uma-predict" -T 1 "$tmp/test"
}
online() { # name options data [choice]
    "$PROGRAMS/arow-train" -q -T 1 -S "$seed" -l 1 -i 3 $2 "$3" "$tmp/model"
    result "$1" "${4-}" "$PROGRAMS/arow-predict" -T 1 "$tmp/test"
}
online_by_cv() { # name options
    for r in .1 1 10 100 1000; do
        cv "-r $r" "$PROGRAMS/arow-train" -q -T 1 -S "$seed" -l 1 -i 3 $2 -r $r -v 5 "$tmp/noisy"
    done > "$tmp/values"
    choice=$(best < "$tmp/values")
    online "$1" "$2 $choice" "$tmp/noisy" "$choice"
}
liblinear_by_cv() { # solver values-of-C
    for C in $2; do cv "-c $C" liblinear-train -q -s "$1" -c "$C" -v 5 "$tmp/noisy.unit"; done > "$tmp/values"
    choice=$(best < "$tmp/values")
    liblinear-train -q -s "$1" $choice "$tmp/noisy.unit" "$tmp/model" > "$tmp/log"
    result "liblinear -s $1, C by CV" "$choice" liblinear-predict "$tmp/test.unit"
}

of_seed() { # SET RATE SEED
    set=$1 rate=$2 seed=$3
    unpack "$set.train" > "$tmp/train"
    unpack "$set.test" > "$tmp/test"
    unit_length 17 < "$tmp/test" > "$tmp/test.unit"
    labels=$(labels_of "$tmp/train")
    "$PROGRAMS/synth" noise -q --flip "$rate" --labels "$labels" -S "$seed" > "$tmp/C"
    "$PROGRAMS/label-noise" -q -T 1 -c "$tmp/C" -S "$seed" "$tmp/train" > "$tmp/noisy"
    : > "$tmp/estimated"
    for options in \
        '-s error -e 2 -w best' '-s error -e 0 -w best' \
        '-s error -e 2 -w average' '-s error -e 0 -w average' \
        '-s confusion -e 2 -w best' '-s confusion -e 0 -w best' \
        '-s confusion -e 2 -w average' '-s confusion -e 0 -w average'; do
        cv "$options" "$PROGRAMS/uma-train" -T 1 -c "$tmp/C" $options -v 5 -S "$seed" \
            "$tmp/noisy" 2> "$tmp/error"
        cat "$tmp/log" "$tmp/error" | awk -v options="$options" '
            /estimated error against the true ones/ { print 100 - $NF "\t" options }
        ' >> "$tmp/estimated"
    done > "$tmp/settings"
    choice=$(best < "$tmp/estimated")
    uma 'UMA C, by estimated error' "$tmp/C" "$choice" "$choice"
    choice=$(best < "$tmp/settings")
    uma 'UMA C, by noisy accuracy' "$tmp/C" "$choice" "$choice"
    uma 'UMA C' "$tmp/C" ''
    uma 'UMA C -e 0' "$tmp/C" '-e 0'
    uma 'UMA C -s confusion' "$tmp/C" '-s confusion'
    uma 'UMA C -s confusion -e 0' "$tmp/C" '-s confusion -e 0'
    uma 'UMA C -w average' "$tmp/C" '-w average'
    uma 'UMA C -e 0 -w average' "$tmp/C" '-e 0 -w average'
    for clean in $CLEAN; do
        estimate
        uma "UMA C^ of $clean" "$tmp/estimate" ''
        uma "UMA C^ of $clean -s confusion -e 0" "$tmp/estimate" '-s confusion -e 0'
    done
    uma 'UMA I' identity ''
    uma 'UMA I -e 0 -w average' identity '-e 0 -w average'
    online 'perceptron' '-s perceptron' "$tmp/noisy"
    online 'perceptron -A' '-s perceptron -A' "$tmp/noisy"
    online_by_cv 'arow' '-s arow'
    online_by_cv 'arow -A' '-s arow -A'
    online_by_cv 'arow-hinge -A' '-s arow-hinge -A'
    if command -v liblinear-train > "$tmp/out"; then
        unit_length 17 < "$tmp/noisy" > "$tmp/noisy.unit"
        liblinear_by_cv 0 '.1 1 10'
        liblinear_by_cv 4 '.001 .01 .1 1'
    fi
    for clean in $CLEAN; do
        estimate
        online "perceptron -A, only $clean" '-s perceptron -A' "$tmp/clean"
    done
    online 'perceptron -A, true labels' '-s perceptron -A' "$tmp/train"
}
command -v liblinear-train > "$tmp/out" || echo "$name: liblinear-train is not installed: its lines are missing" >&2
for set in $SETS; do for rate in $RATES; do for seed in $SEEDS; do tabs "$set" "$rate" "$seed"; done; done; done > "$tmp/list"
work of_seed "$tmp/list"

{
printf '# set\trate\tlearner\tmean\tstd\tUMA ahead by\tstd\tseeds\taccuracies\thyperparameters\n'
for set in $SETS; do
    for rate in $RATES; do
        for seed in $SEEDS; do
            awk -F '\t' -v OFS='\t' -v set="$set" -v rate="$rate" -v seed="$seed" '
                $1 == set && $2 == rate && $3 == seed { print $4, $5, $6 }' "$RUNS"
        done > "$tmp/of_cell"
        grep '^#' "$tmp/of_cell" | sed "s/^#/# $set $rate:/" || :
        grep -v '^#' "$tmp/of_cell" > "$tmp/cell"
        awk -F '\t' -v head="$set	$rate" '
            function moments(x, n, i, s, ss) { # mean and standard deviation of x[1..n]
                for (i = 1; i <= n; i++) s += x[i]
                for (i = 1; i <= n; i++) ss += (x[i] - s / n) ^ 2
                return sprintf("%.2f\t%.2f", s / n, n > 1 ? sqrt(ss / (n - 1)) : 0)
            }
            !($1 in runs) { order[++learners] = $1 }
            {
                accuracy[$1, ++runs[$1]] = $2
                choice[$1] = choice[$1] (runs[$1] > 1 && $3 ? "; " : "") $3
            }
            END {
                for (l = 1; l <= learners; l++) {
                    name = order[l]; n = runs[name]; list = ""; ahead = 0
                    for (i = 1; i <= n; i++) {
                        x[i] = accuracy[name, i]
                        d[i] = accuracy["UMA C, by estimated error", i] - x[i]
                        ahead += d[i] > 0
                        list = list (i > 1 ? " " : "") sprintf("%.2f", x[i])
                    }
                    print head "\t" name "\t" moments(x, n) "\t" moments(d, n) "\t" ahead "\t" \
                        list "\t" choice[name]
                }
            }' "$tmp/cell"
    done
done
} > "$OUT/real_noise.txt"

value() { awk -F '\t' -v learner="$1" '$3 == learner { print $4 }' "$OUT/real_noise.txt"; }
expect 'UMA C -e 0' "$(value 'UMA C -e 0')" 60 90
expect 'perceptron -A' "$(value 'perceptron -A')" 40 80
expect 'perceptron -A, true labels' "$(value 'perceptron -A, true labels')" 88 96
