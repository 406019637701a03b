#!/bin/sh
# Test accuracy of AROW, its baselines and LIBLINEAR (Crammer-Singer) under uniform label noise.
#
#   usage: experiments/arow_noise.sh DATA_FOLDER > experiments/arow_noise.txt
#
# DATA_FOLDER holds NAME.train and NAME.test, or NAME.train.xz and NAME.test.xz.  The programs are
# those in the folder above this one.  From the environment: PROGRAMS, SETS, RATES, SEEDS,
# LIBLINEAR_SECONDS and LIBLINEAR_ONE_SEED as below.
#
# label-noise replaces training labels, never test labels; each seed draws other noise and another
# order of the examples.  Hyperparameters are those with the highest 5-fold cross-validation accuracy
# on the noisy training labels of the first seed; they are chosen once for each set, rate and
# learner, and used for all seeds.  Nothing is chosen on test data.
#
# All learners of a set, LIBLINEAR too, get the same preprocessing: the file as it is, without bias,
# unless unit length (-l 1) raises the cross-validation accuracy by more than one point.  That is
# decided at the last of RATES, with one pass, by the mean over the learners marked *.
#
# Output, tab separated: set; noise; learner; mean test accuracy; its standard deviation over the
# seeds; hyperparameters; cross-validation accuracy (against noisy labels: about 100 (1 - noise) at
# best; 0 where training was given up).
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
[ $# = 1 ] || { sed -n '4,8s/^# \{0,1\}//p' "$0" >&2; exit 1; }
data=$1
PROGRAMS=${PROGRAMS:-$(dirname "$0")/..}
SETS=${SETS:-usps mnist r52 amazon_domain optdigits}
RATES=${RATES:-0 0.1 0.2}
SEEDS=${SEEDS:-1 2 3}
LIBLINEAR_SECONDS=${LIBLINEAR_SECONDS:-120}     # a longer run of liblinear-train is given up
LIBLINEAR_ONE_SEED=${LIBLINEAR_ONE_SEED:-mnist} # sets on which LIBLINEAR gets the first seed only
first=${SEEDS%% *}
exec 3>&1 # for notes from within a redirection
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# name | options | hyperparameter | its grid | passes
cat > "$tmp/learners" <<END
arow *|-s arow|-r|.1 1 10 100|1 3 10
arow -A *|-s arow -A|-r|.1 1 10 100|1 3 10
arow, r to 1000|-s arow|-r|.1 1 10 100 1000|1 3 10
arow -A, r to 1000|-s arow -A|-r|.1 1 10 100 1000|1 3 10
arow -A -k 0|-s arow -A -k 0|-r|.1 1 10 100|1 3 10
arow-hinge|-s arow-hinge|-r|.1 1 10 100|1 3 10
arow-hinge -A|-s arow-hinge -A|-r|.1 1 10 100|1 3 10
arow, one pass|-s arow|-r|.1 1 10 100|1
arow -A, one pass|-s arow -A|-r|.1 1 10 100|1
perceptron *|-s perceptron||none|1 3 10
perceptron -A *|-s perceptron -A||none|1 3 10
pa1 *|-s pa1|-c|.001 .01 .1 1|1 3 10
pa1 -A *|-s pa1 -A|-c|.001 .01 .1 1|1 3 10
cw *|-s cw|-p|.003 .03 .3 3|1 3 10
cw -A *|-s cw -A|-p|.003 .03 .3 3|1 3 10
adagrad-rda *|-s adagrad-rda|--eta|.01 .1 1|1 3 10
adagrad-rda -A *|-s adagrad-rda -A|--eta|.01 .1 1|1 3 10
END

unpack() { if [ -f "$data/$1" ]; then cat "$data/$1"; else xz -dc "$data/$1.xz"; fi; }
noise() { "$PROGRAMS/label-noise" -q -T 1 -r "$1" -S "$2" "$tmp/train" > "$tmp/noisy.$2"; }
unit_length() {
    awk '{ s = 0; for (i = 2; i <= NF; i++) { split($i, a, ":"); s += a[2] * a[2] }
           printf "%s", $1; s = s > 0 ? sqrt(s) : 1
           for (i = 2; i <= NF; i++) { split($i, a, ":"); printf " %s:%.17g", a[1], a[2] / s }
           print "" }' "$1" > "$1.unit"
}
percent() {
    awk '/Accuracy = / { sub(/.*Accuracy = /, ""); sub(/%.*/, ""); p = $0 } END { print p + 0 }'
}
# the first of the lines with the largest number in the first field
best() { awk -F '\t' 'NR == 1 || $1 > top { top = $1; line = $0 } END { print line }'; }
summary() { awk '{ x[NR] = $1; m += $1 } END { m /= NR; for (i in x) v += (x[i] - m) ^ 2
                   printf "%.2f\t%.2f", m, (NR > 1 ? sqrt(v / (NR - 1)) : 0) }'; }
line() { # name hyperparameters cross-validation
    printf '%s\t' "$set" "$rate" "$1" "$(summary < "$tmp/accuracy")" "$2"
    echo "$3"
}

# choose options hyperparameter grid passes: the line "accuracy TAB hyperparameters" of the best
choose() {
    for value in $3; do for passes in $4; do
        hyper="${2:+$2 $value }-i $passes"
        printf '%s\t%s\n' \
            "$("$PROGRAMS/arow-train" -q -T 1 -v 5 $1 $hyper "$tmp/noisy.$first" | percent)" "$hyper"
    done; done | best
}

# liblinear name suffix-of-the-files values-of-C: its line of the table
liblinear() {
    for C in $3; do
        [ "$3" != "$C" ] || { printf '\t-c %s\n' "$C"; continue; }
        acc=$(timeout "$LIBLINEAR_SECONDS" \
            liblinear-train -q -s 4 -c "$C" -v 5 "$tmp/noisy.$first$2" | percent)
        [ "$acc" != 0 ] ||
            echo "# $set $rate: liblinear-train -v 5 -c $C given up after $LIBLINEAR_SECONDS s" >&3
        printf '%s\t-c %s\n' "$acc" "$C"
    done > "$tmp/grid"
    hyper=$(best < "$tmp/grid" | cut -f 2) seeds=$SEEDS note=
    case " $LIBLINEAR_ONE_SEED " in *" $set "*) seeds=$first note=" (seed $first only)";; esac
    for seed in $seeds; do
        timeout "$LIBLINEAR_SECONDS" \
            liblinear-train -q -s 4 $hyper "$tmp/noisy.$seed$2" "$tmp/model" > "$tmp/log" ||
            { echo "# $set $rate: $1 given up after $LIBLINEAR_SECONDS s" >&3; return; }
        liblinear-predict "$tmp/test$2" "$tmp/model" "$tmp/log" | percent
    done > "$tmp/accuracy"
    line "$1" "$hyper$note" "$(best < "$tmp/grid" | cut -f 1)"
}

printf '# set\tnoise\tlearner\tmean\tstd\thyperparameters\tcross-validation\n'
command -v liblinear-train > "$tmp/log" ||
    echo '# liblinear-train is not installed: its lines are missing'
for set in $SETS; do
    unpack "$set.train" > "$tmp/train"
    unpack "$set.test" > "$tmp/test"
    noise "${RATES##* }" "$first"
    for unit in 0 1; do
        while IFS='|' read -r name options flag grid passes; do
            case $name in *\*) choose "$options -l $unit" "$flag" "$grid" 1;; esac
        done < "$tmp/learners" | summary | cut -f 1 > "$tmp/unit.$unit"
    done
    unit=$(paste "$tmp/unit.0" "$tmp/unit.1" | awk '{ print ($2 > $1 + 1) }')
    echo "# $set: mean cross-validation $(cat "$tmp/unit.0") as it is," \
        "$(cat "$tmp/unit.1") at unit length: all learners use -l $unit"
    for rate in $RATES; do
        for seed in $SEEDS; do noise "$rate" "$seed"; done
        while IFS='|' read -r name options flag grid passes; do
            choice=$(choose "$options -l $unit" "$flag" "$grid" "$passes")
            hyper=$(echo "$choice" | cut -f 2)
            for seed in $SEEDS; do
                "$PROGRAMS/arow-train" -q -T 1 -S "$seed" $options -l $unit $hyper \
                    "$tmp/noisy.$seed" "$tmp/model"
                "$PROGRAMS/arow-predict" -T 1 "$tmp/test" "$tmp/model" "$tmp/log" | percent
            done > "$tmp/accuracy"
            line "${name% \*}" "$hyper" "$(echo "$choice" | cut -f 1)"
        done < "$tmp/learners" > "$tmp/lines"
        cat "$tmp/lines"
        awk -F '\t' -v OFS='\t' '
            $3 ~ /^arow/ && $7 > top { top = $7; $6 = $3 ": " $6; $3 = "best arow by CV"; line = $0 }
            END { print line }' "$tmp/lines"
        command -v liblinear-train > "$tmp/log" || continue
        if [ "$unit" = 0 ]; then suffix=; else
            suffix=.unit
            for file in test $(printf 'noisy.%s ' $SEEDS); do unit_length "$tmp/$file"; done
            liblinear 'liblinear -s 4, file as it is' '' 1
        fi
        liblinear 'liblinear -s 4' "$suffix" 1
        liblinear 'liblinear -s 4, C by CV' "$suffix" '.01 .1 1'
    done
done
