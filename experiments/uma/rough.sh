# shellcheck shell=sh
# A rough classifier's labels, as in the UMA papers: few_labels.sh, sample_size.sh and strategies.sh read
# this.
#
# A case: set | largest value | width s | map | examples of each class that train g | sample | ...
#   set      optdigits, letter, r8, r52-9 (its nine largest classes), ...; letter is cut after 15000 lines,
#            as in the paper, the first of them the training set
#   width    of the RBF kernel in units of the largest value of a feature, - for none:
#            gamma = 1 / (2 s^2 largest^2)
#   map      kpca:D (principal components, found without labels) or landmarks:D (uma-train --map nystrom
#            of the examples as they are, at whose lengths the width is meant)
#   sample   the hand-labelled lines that give the confusion matrix

# rough_data CASE: $tmp/train and $tmp/test, the features that linear learners see; $tmp/raw.train and
# $tmp/raw.test; gamma; and map, the options of uma-train.  Projections are kept beside RUNS.
rough_data() {
    IFS='|' read -r set largest width mapping few sample rest <<EOT
$1
EOT
    part=$set
    source=${set%-*}
    unpack "$source.train" > "$tmp/raw.train"
    unpack "$source.test" > "$tmp/raw.test"
    if [ "$source" = letter ]; then
        cat "$tmp/raw.train" "$tmp/raw.test" > "$tmp/both"
        head -n 15000 "$tmp/both" > "$tmp/raw.train"
        tail -n +15001 "$tmp/both" > "$tmp/raw.test"
    fi
    if [ "$source" != "$set" ]; then # the largest classes
        cut -d ' ' -f 1 "$tmp/raw.train" | sort | uniq -c | sort -k 1,1nr -k 2,2n | head -n "${set#*-}" |
            awk '{ print $2 }' > "$tmp/classes"
        for f in train test; do
            awk 'NR == FNR { wanted[$1]; next } $1 in wanted' "$tmp/classes" "$tmp/raw.$f" > "$tmp/both"
            mv "$tmp/both" "$tmp/raw.$f"
        done
    fi
    map='' gamma=''
    if [ "$width" != - ]; then
        gamma=$(awk -v s="$width" -v v="$largest" 'BEGIN { printf "%.17g", 1 / (2 * s * s * v * v) }')
    fi
    case $mapping in
    kpca:*)
        kept=$(dirname "$RUNS")/rough.cache/$part.$width.${mapping#*:}
        mkdir -p "$kept"
        if ! [ -f "$kept/test" ]; then
            "$PROGRAMS/kpca-train" -q -T 1 -D "${mapping#*:}" -g "$gamma" "$tmp/raw.train" "$tmp/kpca"
            for f in train test; do
                "$PROGRAMS/kpca-project" -q -T 1 "$tmp/raw.$f" "$tmp/kpca" "$tmp/$f"
                mv "$tmp/$f" "$kept/$f"
            done
        fi
        cp "$kept/train" "$kept/test" "$tmp/" ;;
    *)
        cp "$tmp/raw.train" "$tmp/train"
        cp "$tmp/raw.test" "$tmp/test"
        case $mapping in
        landmarks:*) map="-l 0 --map nystrom --map-dims ${mapping#*:} --map-gamma $gamma" ;;
        esac ;;
    esac
}
# learn OPTIONS... DATA MODEL: uma-train as the paper runs it, 1000 iterations; -c identity is its perceptron
# shellcheck disable=SC2086 # options
learn() { "$PROGRAMS/uma-train" -q -T 1 -e 0 $map "$@"; }
test_error() { # MODEL [PREDICTOR [TEST]], in %
    "$PROGRAMS/${2:-uma-predict}" -T 1 "${3:-$tmp/test}" "$1" "$tmp/labels" |
        awk '/^Accuracy/ { printf "%.4f\n", 100 - $3 }'
}
# rough_labels RUN: $few examples of each class train g; $tmp/noisy has g's labels; $tmp/order is a random
# order, whose last lines are a sample
rough_labels() {
    order "$(lines_of "$tmp/train")" "$1" > "$tmp/order"
    pick "$tmp/train" "$tmp/order" | awk -v few="$few" '++count[$1] <= few' > "$tmp/few"
    learn -c identity "$tmp/few" "$tmp/g"
    "$PROGRAMS/uma-predict" -q -T 1 "$tmp/train" "$tmp/g" "$tmp/guesses" > "$tmp/report"
    awk '
            NR == FNR { label[NR] = $1; next }
            { $1 = label[FNR]; print }' "$tmp/guesses" "$tmp/train" > "$tmp/noisy"
}
# rough_sample N: $tmp/sample, hand-labelled, $tmp/rest, the others, and $tmp/C, g's confusion matrix on it
rough_sample() {
    tail -n "$1" "$tmp/order" > "$tmp/drawn"
    pick "$tmp/train" "$tmp/drawn" > "$tmp/sample"
    pick "$tmp/guesses" "$tmp/drawn" > "$tmp/sample.guesses"
    "$PROGRAMS/confusion" -q --labels "$(labels_of "$tmp/train")" "$tmp/sample" "$tmp/sample.guesses" \
        > "$tmp/C"
}
