#!/bin/sh
# Table 1 of the 2015 UMA paper: a rough classifier's labels, its confusion matrix estimated from a
# small labelled sample, and UMA with that matrix.
#
#   usage: experiments/uma/few_labels.sh DATA_FOLDER
#
# DATA_FOLDER holds NAME.train and NAME.test of optdigits, letter and r52.  Writes few_labels.txt.  From the
# environment, beside what lib.sh names: CASES, SETS (of these, all), SEEDS (the runs; as many of
# them as the case says).
#
# A run: a few examples of each class, drawn at random, train the rough classifier g; g labels the
# whole training set; a random sample of it, labelled by hand, gives g's confusion matrix.  Then,
# all on the same features, with 1000 iterations (-e 0) and at unit length,
#     f_y     from g's labels, with the identity for the matrix (a perceptron)
#     f_conf  from the hand-labelled sample alone
#     UMA     from g's labels and the matrix: the last iterate, and the best by its own estimate of
#             the error
#     f_full  from all true labels
# And SVMs at unit length, one against the rest (musvm-train), with C by 5-fold cross-validation on the
# hand-labelled sample (-C cv):
#     SVM       from the sample alone (svm-ova, linear on the same features)
#     S3VM      from the sample and the rest of the training set without its labels (s3vm-ova, default C*)
#     S3VM, no K-PCA   the same with the RBF kernel itself on the raw features (Reuters: linear, the same)
# With landmarks (letter) each model has landmarks of its own data, at most half of it, so g and f_conf
# have fewer.
# At most UNLABELLED lines of the rest are given to the S3VMs, which take minutes otherwise.
# few_labels.txt: test error in %, mean and standard deviation over the runs; the number of runs in
# brackets where not all have it; 1 / rcond of the matrix.  A run whose matrix is singular is counted and
# left out.  Other widths of the kernel, few_labels_widths.txt, 24 minutes more:
#     CASES=widths UNLABELLED=100000 experiments/uma/few_labels.sh DATA_FOLDER
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
. "$folder/rough.sh"
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
UNLABELLED=${UNLABELLED:-2000}
# as in rough.sh; then: runs, and runs of the S3VMs
CASES=${CASES:-"optdigits|16|0.6|kpca:640|10|192|10|5
letter|15|0.25|landmarks:1600|50|750|3|1
r52-9|1|-|-|20|268|10|5"}
output=few_labels
if [ "$CASES" = widths ]; then
    output=few_labels_widths
    CASES="optdigits|16|-|-|10|192|5|5
optdigits|16|2|kpca:640|10|192|5|5
optdigits|16|1|kpca:640|10|192|5|5
optdigits|16|0.7|kpca:640|10|192|5|5
optdigits|16|0.6|kpca:640|10|192|5|5
optdigits|16|0.5|kpca:640|10|192|5|5
letter|15|-|-|50|750|5|0
letter|15|0.8|kpca:400|50|750|5|0
letter|15|0.4|kpca:400|50|750|5|0
letter|15|0.25|kpca:400|50|750|5|1
letter|15|0.15|kpca:400|50|750|5|0
r8|1|-|-|10|274|5|5"
fi
[ -z "$QUICK" ] || CASES='digits|16|0.6|kpca:100|10|120|2|1'

svm() { "$PROGRAMS/musvm-train" -q -T 1 -l 1 -C cv "$@" > "$tmp/chosen"; }
run() { # CASE RUN
    rough_data "$1"
    semi=${rest#*|}
    rough_labels "$2"
    rough_sample "$sample"
    if ! "$PROGRAMS/uma-train" -T 1 -e 0 $map -w last -c "$tmp/C" "$tmp/noisy" "$tmp/last" \
        > "$tmp/report" 2> "$tmp/why"; then
        grep -q singular "$tmp/why" || { cat "$tmp/why" >&2; exit 1; }
        echo singular
        return
    fi
    learn -c "$tmp/C" "$tmp/noisy" "$tmp/best" 2> "$tmp/why"
    learn -c identity "$tmp/noisy" "$tmp/ignored"
    learn -c identity "$tmp/sample" "$tmp/alone"
    learn -c identity "$tmp/train" "$tmp/full"
    for model in g ignored alone last best full; do tabs $model "$(test_error "$tmp/$model")"; done
    # The SVMs have no --map of their own; by landmarks only the kernel machine is run.
    [ -n "$map" ] || { svm -t linear -s svm-ova "$tmp/sample" "$tmp/model"
                       tabs svm "$(test_error "$tmp/model" musvm-predict)"; }
    tabs rcond "$(awk '/rcond/ { print $4 }' "$tmp/report")"
    [ "$2" -le "$semi" ] || return 0
    n=$(lines_of "$tmp/train")
    head -n $((n - sample)) "$tmp/order" | head -n "$UNLABELLED" > "$tmp/others"
    if [ -z "$map" ]; then
        pick "$tmp/train" "$tmp/others" > "$tmp/rest"
        svm -t linear -s s3vm-ova -u "$tmp/rest" "$tmp/sample" "$tmp/model"
        tabs s3vm "$(test_error "$tmp/model" musvm-predict)"
    fi
    if [ "$width" != - ]; then
        pick "$tmp/raw.train" "$tmp/others" > "$tmp/rest"
        pick "$tmp/raw.train" "$tmp/drawn" > "$tmp/raw.sample"
        "$PROGRAMS/musvm-train" -q -T 1 -C cv -t rbf -g "$gamma" -s s3vm-ova -u "$tmp/rest" \
            "$tmp/raw.sample" "$tmp/model" > "$tmp/chosen"
        tabs s3vm_kernel "$(test_error "$tmp/model" musvm-predict "$tmp/raw.test")"
    fi
}
echo "$CASES" | awk -F '|' -v sets=" ${SETS:-} " 'sets == "  " || index(sets, " " $1 " ")' > "$tmp/cases"
while IFS='|' read -r a b c d e f runs rest; do
    for seed in $SEEDS; do
        [ "$seed" -gt "$runs" ] || tabs "$a|$b|$c|$d|$e|$f|$runs|$rest" "$seed"
    done
done < "$tmp/cases" > "$tmp/list"
work run "$tmp/list"

awk -F '\t' -v cases="$tmp/cases" "$AWK"'
    BEGIN {
        columns = split("g ignored alone svm s3vm s3vm_kernel last best full rcond", column, " ")
        printf "# set\twidth\tmap\tg\tf_y\tf_conf\tSVM\tS3VM\tS3VM, no K-PCA\t"
        printf "UMA last\tUMA best\tf_full\t1/rcond\truns (singular)\n"
    }
    $3 == "singular" { singular[$1]++; next }
    { v[$1, $3, ++n[$1, $3]] = $4 }
    END {
        while ((getline case_ < cases) > 0) {
            split(case_, part, "|")
            line = part[1] "\t" part[3] "\t" part[4]
            runs = n[case_, "g"]
            for (c = 1; c <= columns; c++) {
                m = n[case_, column[c]]
                for (i = 1; i <= m; i++) x[i] = v[case_, column[c], i]
                if (!m) line = line "\t-"
                else line = line "\t" \
                    (column[c] == "rcond" ? sprintf("%.1f", mean(x, m)) : plus_minus(x, m, 1)) \
                    (m < runs ? sprintf(" (%d)", m) : "")
            }
            printf "%s\t%d (%d)\n", line, runs, singular[case_]
        }
    }' "$RUNS" > "$OUT/$output.txt"

value() { awk -F '\t' -v c="$1" 'NR == 2 { print $c + 0 }' "$OUT/$output.txt"; }
expect 'error of f_y, %' "$(value 5)" 5 60
expect 'error of UMA, best, %' "$(value 11)" 5 40
expect 'error of f_full, %' "$(value 12)" 1 15
