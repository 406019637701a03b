#!/bin/sh
# Table 1 of the 2015 UMA paper: a rough classifier's labels, its confusion matrix estimated from a
# small labelled sample, and UMA with that matrix.
#
#   usage: experiments/uma_few_labels.sh DATA_FOLDER > experiments/uma_few_labels.txt
#
# DATA_FOLDER holds NAME.train and NAME.test, or NAME.train.xz and NAME.test.xz, of optdigits, letter
# and r8.  From the environment: PROGRAMS, CASES, RUNS.
#
# A run: a few examples of each class, drawn at random, train the rough classifier g; g labels the
# whole training set; a random sample of it, labelled by hand, gives g's confusion matrix.  Then,
# all on the same projections, with 1000 iterations (-e 0) and at unit length,
#     f_y     from g's labels, with the identity for the matrix (a perceptron)
#     f_conf  from the hand-labelled sample alone
#     UMA     from g's labels and the matrix: the last iterate, and the best by its own estimate of
#             the error
#     f_full  from all true labels
# And linear SVMs on the same projections at unit length, one against the rest (musvm-train), with C
# by 5-fold cross-validation on the hand-labelled sample (-C cv):
#     SVM     from the sample alone (svm-ova)
#     f_S3VM  from the sample and the rest of the training set without its labels (s3vm-ova, default
#             C*)
# A fit of f_S3VM takes minutes on letter, so only as many first runs have it as the last field of a
# case says.  Test error in %, mean and standard deviation over the runs.  Kernel principal
# components (rbf) are found once for each case, without labels; the width s is in units of the
# largest value of a feature: gamma = 1 / (2 s^2 largest^2).  A run whose matrix is singular is
# counted and left out.
set -eu
[ $# = 1 ] || { sed -n '5,8s/^# \{0,1\}//p' "$0" >&2; exit 1; }
data=$1
PROGRAMS=${PROGRAMS:-$(dirname "$0")/..}
RUNS=${RUNS:-1 2 3 4 5}
# set | largest value | width s, - for none | dimensions | examples of each class that train g |
#     hand-labelled sample | runs of f_S3VM, at most
CASES=${CASES:-"optdigits|16|-|0|10|192|5
optdigits|16|2|640|10|192|5
optdigits|16|1|640|10|192|5
optdigits|16|0.7|640|10|192|5
optdigits|16|0.6|640|10|192|5
optdigits|16|0.5|640|10|192|5
letter|15|-|0|50|750|0
letter|15|0.8|400|50|750|0
letter|15|0.4|400|50|750|0
letter|15|0.25|400|50|750|1
letter|15|0.15|400|50|750|0
r8|1|-|0|10|274|5"}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

unpack() { if [ -f "$data/$1" ]; then cat "$data/$1"; else xz -dc "$data/$1.xz"; fi; }
learn() { "$PROGRAMS/uma-train" -q -e 0 "$@"; }
svm() { "$PROGRAMS/musvm-train" -q -t linear -l 1 -C cv "$@"; }
test_error() {
    "$PROGRAMS/${2:-uma-predict}" "$tmp/test" "$1" "$tmp/labels" |
        awk '/^Accuracy/ { printf "%.4f ", 100 - $3 }'
}
# shuffled order of the lines 1 .. n by a seed (Lehmer's generator: the same numbers in every awk)
order() {
    awk -v n="$1" -v seed="$2" 'BEGIN {
        for (i = 0; i < 100; i++) seed = seed * 16807 % 2147483647
        for (i = 1; i <= n; i++) a[i] = i
        for (i = n; i > 1; i--) {
            seed = seed * 16807 % 2147483647
            j = 1 + seed % i
            t = a[i]; a[i] = a[j]; a[j] = t
        }
        for (i = 1; i <= n; i++) print a[i]
    }'
}

printf '# set\twidth\tg\tf_y\tf_conf\tSVM\tf_S3VM\tUMA last\tUMA best\tf_full\t1/rcond\truns (singular)\n'
echo "$CASES" | while IFS='|' read -r set largest width dimensions few sample semi; do
    unpack "$set.train" > "$tmp/raw.train"
    unpack "$set.test" > "$tmp/raw.test"
    if [ "$width" = - ]; then
        cp "$tmp/raw.train" "$tmp/train"
        cp "$tmp/raw.test" "$tmp/test"
    else
        gamma=$(awk -v s="$width" -v v="$largest" 'BEGIN { printf "%.17g", 1 / (2 * s * s * v * v) }')
        "$PROGRAMS/kpca-train" -q -D "$dimensions" -g "$gamma" "$tmp/raw.train" "$tmp/kpca"
        for part in train test; do
            "$PROGRAMS/kpca-project" -q "$tmp/raw.$part" "$tmp/kpca" "$tmp/$part"
        done
    fi
    learn -c identity "$tmp/train" "$tmp/full"
    full=$(test_error "$tmp/full")
    singular=0
    : > "$tmp/lines"
    for run in $RUNS; do
        order "$(wc -l < "$tmp/train")" "$run" > "$tmp/order"
        awk -v few="$few" '
            NR == FNR { line[FNR] = $0; next }
            { split(line[$1], f, " "); if (++count[f[1]] <= few) print line[$1] }
        ' "$tmp/train" "$tmp/order" > "$tmp/few"
        learn -c identity "$tmp/few" "$tmp/g"
        "$PROGRAMS/uma-predict" -q "$tmp/train" "$tmp/g" "$tmp/guesses" > "$tmp/report"
        awk 'NR == FNR { label[NR] = $1; next } { $1 = label[FNR]; print }' "$tmp/guesses" "$tmp/train" \
            > "$tmp/noisy"
        tail -n "$sample" "$tmp/order" > "$tmp/drawn"
        awk 'NR == FNR { line[FNR] = $0; next } { print line[$1] }' "$tmp/train" "$tmp/drawn" > "$tmp/sample"
        awk 'NR == FNR { line[FNR] = $0; next } { print line[$1] }' "$tmp/guesses" "$tmp/drawn" \
            > "$tmp/sample.guesses"
        labels=$(cut -d ' ' -f 1 "$tmp/train" | sort -n | uniq | paste -s -d , -)
        "$PROGRAMS/confusion" -q --labels "$labels" "$tmp/sample" "$tmp/sample.guesses" > "$tmp/C"
        if ! "$PROGRAMS/uma-train" -e 0 -w last -c "$tmp/C" "$tmp/noisy" "$tmp/last" \
            > "$tmp/report" 2> "$tmp/why"; then
            singular=$((singular + 1))
            continue
        fi
        learn -c "$tmp/C" "$tmp/noisy" "$tmp/best" 2> "$tmp/why"
        learn -c identity "$tmp/noisy" "$tmp/ignored"
        learn -c identity "$tmp/sample" "$tmp/alone"
        svm -s svm-ova "$tmp/sample" "$tmp/svm"
        { for model in g ignored alone; do test_error "$tmp/$model"; done
          test_error "$tmp/svm" musvm-predict
          if [ "$semi" -gt 0 ]; then
              awk -v sample="$sample" '
                  NR == FNR { line[FNR] = $0; n = FNR; next }
                  FNR <= n - sample { print line[$1] }' "$tmp/train" "$tmp/order" > "$tmp/rest"
              svm -s s3vm-ova -u "$tmp/rest" "$tmp/sample" "$tmp/s3vm"
              test_error "$tmp/s3vm" musvm-predict
              semi=$((semi - 1))
          else
              printf -- '- '
          fi
          for model in last best; do test_error "$tmp/$model"; done
          echo "$full" "$(awk '/rcond/ { print $4 }' "$tmp/report")"; } >> "$tmp/lines"
    done
    awk -v OFS='\t' -v set="$set" -v width="$width" -v singular="$singular" '
        { for (c = 1; c <= NF; c++) if ($c != "-") { n[c]++; sum[c] += $c; squares[c] += $c * $c } }
        END {
            printf "%s\t%s", set, width
            for (c = 1; c <= 9; c++) {
                if (n[c] == 0) { printf "\t-"; continue }
                mean = sum[c] / n[c]
                variance = n[c] > 1 ? (squares[c] - n[c] * mean * mean) / (n[c] - 1) : 0
                if (c < 8 && n[c] < NR) printf "\t%.1f (%d)", mean, n[c]
                else if (c < 8) printf "\t%.1f +- %.1f", mean, (variance > 0 ? sqrt(variance) : 0)
                else printf "\t%.1f", mean
            }
            printf "\t%d (%d)\n", NR, singular
        }' "$tmp/lines"
done
