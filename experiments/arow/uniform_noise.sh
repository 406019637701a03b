#!/bin/sh
# AROW and its baselines, averaged and not, beside LIBLINEAR (Crammer-Singer), under uniform label noise:
# what the AROW paper leaves out.
#
#   usage: experiments/arow/uniform_noise.sh DATA_FOLDER
#
# All learners of a set get the same preprocessing: the file as it is, without bias, unless unit length
# (-l 1) raises the cross-validation accuracy by more than one point.  That is decided at the last of
# RATES, with one pass, by the mean over the learners marked *.  Each seed draws other noise and another
# order of the examples; test labels are never changed.  Hyperparameters are those with the highest
# 5-fold cross-validation accuracy on the noisy training labels of the first seed; they are chosen once
# for each set, rate and learner, and used for all seeds.  Nothing is chosen on test data.  LIBLINEAR's
# lines are there if liblinear-train is.
#
# From the environment, beside what lib.sh names: SETS, RATES, SEEDS, LIBLINEAR_SECONDS and
# LIBLINEAR_ONE_SEED as below.
#
# Output, uniform_noise.txt, tab separated: set; noise; learner; mean test accuracy; its standard deviation
# over the seeds; hyperparameters; cross-validation accuracy (against noisy labels: about 100 (1 - noise) at
# best; 0 where training was given up).
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
SETS=${SETS:-usps mnist r52 amazon_domain optdigits}
RATES=${RATES:-0 0.1 0.2}
SEEDS=${SEEDS:-1 2 3}
# of processor time: a longer run of liblinear-train is given up
LIBLINEAR_SECONDS=${LIBLINEAR_SECONDS:-120}
# sets on which LIBLINEAR gets the first seed only
LIBLINEAR_ONE_SEED=${LIBLINEAR_ONE_SEED:-mnist}
first=${SEEDS%% *}
# name | options | hyperparameter | its grid | passes
learners="arow *|-s arow|-r|.1 1 10 100|1 3 10
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
adagrad-rda -A *|-s adagrad-rda -A|--eta|.01 .1 1|1 3 10"
if [ -n "$QUICK" ]; then
    SETS=digits RATES=0.2 SEEDS='1 2'
    learners=$(echo "$learners" | grep -E '^(arow|perceptron|cw)( -A)? \*' | sed 's/1 3 10$/1 10/')
fi
have_liblinear() { [ -z "$QUICK" ] && command -v liblinear-train > "$tmp/where"; }

noise() { "$PROGRAMS/label-noise" -q -T 1 -r "$1" -S "$2" "$tmp/train" > "$tmp/noisy.$2"; }
trained() { percent < "$1" || echo 0; } # the accuracy in a log; of a run that was given up 0
# the first of the lines with the largest number in the first field
best_line() { awk -F '\t' 'NR == 1 || $1 > top { top = $1; line = $0 } END { print line }'; }
summary() { awk "$AWK"'{ x[NR] = $1 } END { printf "%.2f\t%.2f", mean(x, NR), deviation(x, NR) }'; }
# say TEXT: a line of the job's results, with its number before it, since results are sorted
say() {
    echo >> "$tmp/said"
    printf '%02d\t%s\n' "$(lines_of "$tmp/said")" "$1"
}
line() { # line NAME HYPERPARAMETERS CROSS-VALIDATION
    say "$(printf '%s\t' "$set" "$rate" "$1" "$(summary < "$tmp/accuracy")" "$2")$3"
}
# choose OPTIONS HYPERPARAMETER GRID PASSES: the line "accuracy TAB hyperparameters" of the best
choose() {
    for value in $3; do for passes in $4; do
        hyper="${2:+$2 $value }-i $passes"
        "$PROGRAMS/arow-train" -q -T 1 -v 5 $1 $hyper "$tmp/noisy.$first" > "$tmp/log" 2>&1 || :
        printf '%s\t%s\n' "$(trained "$tmp/log")" "$hyper"
    done; done | best_line
}
# shellcheck disable=SC3045 # dash, bash, ksh and zsh have it
limited() { (ulimit -t "$LIBLINEAR_SECONDS" && exec "$@" > "$tmp/log" 2>&1); }
# liblinear NAME SUFFIX-OF-THE-FILES VALUES-OF-C: its line of the table
liblinear() {
    : > "$tmp/grid"
    for C in $3; do
        [ "$3" != "$C" ] || { printf '\t-c %s\n' "$C" > "$tmp/grid"; continue; }
        limited liblinear-train -q -s 4 -c "$C" -v 5 "$tmp/noisy.$first$2" || :
        acc=$(trained "$tmp/log")
        [ "$acc" != 0 ] || say "# $set $rate: liblinear-train -v 5 -c $C given up after $LIBLINEAR_SECONDS s"
        printf '%s\t-c %s\n' "$acc" "$C" >> "$tmp/grid"
    done
    hyper=$(best_line < "$tmp/grid" | cut -f 2) seeds=$SEEDS note=
    case " $LIBLINEAR_ONE_SEED " in *" $set "*) seeds=$first note=" (seed $first only)" ;; esac
    for seed in $seeds; do
        limited liblinear-train -q -s 4 $hyper "$tmp/noisy.$seed$2" "$tmp/model" ||
            { say "# $set $rate: $1 given up after $LIBLINEAR_SECONDS s" >&3; return; }
        liblinear-predict "$tmp/test$2" "$tmp/model" "$tmp/predicted" | percent
    done > "$tmp/accuracy"
    line "$1" "$hyper$note" "$(best_line < "$tmp/grid" | cut -f 1)"
}
fetch() { # fetch SET
    unpack "$1.train" > "$tmp/train"
    unpack "$1.test" > "$tmp/test"
    echo "$learners" > "$tmp/learners"
}
unit() { # unit SET: 0 or 1, and the sentence about it
    fetch "$2"
    noise "${RATES##* }" "$first"
    for unit in 0 1; do
        while IFS='|' read -r learner options flag grid passes; do
            case $learner in *\*) choose "$options -l $unit" "$flag" "$grid" 1 ;; esac
        done < "$tmp/learners" | summary | cut -f 1 > "$tmp/unit.$unit"
    done
    paste "$tmp/unit.0" "$tmp/unit.1" | awk -v OFS='\t' -v set="$2" '{
        unit = ($2 > $1 + 1)
        print unit, "# " set ": mean cross-validation " $1 " as it is, " $2 \
            " at unit length: all learners use -l " unit }'
}
cell() { # cell SET RATE UNIT: the lines of the table
    set=$2 rate=$3 unit=$4
    exec 3>&1 # for `say` within a redirection
    fetch "$set"
    for seed in $SEEDS; do noise "$rate" "$seed"; done
    while IFS='|' read -r learner options flag grid passes; do
        choice=$(choose "$options -l $unit" "$flag" "$grid" "$passes")
        hyper=$(echo "$choice" | cut -f 2)
        for seed in $SEEDS; do
            "$PROGRAMS/arow-train" -q -T 1 -S "$seed" $options -l "$unit" $hyper \
                "$tmp/noisy.$seed" "$tmp/model"
            accuracy "$PROGRAMS/arow-predict" -T 1
        done > "$tmp/accuracy"
        line "${learner% \*}" "$hyper" "$(echo "$choice" | cut -f 1)"
    done < "$tmp/learners" > "$tmp/table"
    cat "$tmp/table"
    say "$(cut -f 2- "$tmp/table" | awk -F '\t' -v OFS='\t' '
        $3 ~ /^arow/ && $7 > top { top = $7; $6 = $3 ": " $6; $3 = "best arow by CV"; line = $0 }
        END { print line }')"
    have_liblinear || return 0
    if [ "$unit" = 0 ]; then suffix=; else
        suffix=.unit
        for file in test $(printf 'noisy.%s ' $SEEDS); do
            unit_length 17 < "$tmp/$file" > "$tmp/$file.unit"
        done
        liblinear 'liblinear -s 4, file as it is' '' 1
    fi
    liblinear 'liblinear -s 4' "$suffix" 1
    liblinear 'liblinear -s 4, C by CV' "$suffix" '.01 .1 1'
}

for set in $SETS; do tabs unit "$set"; done > "$tmp/list"
work unit "$tmp/list"
for set in $SETS; do
    unit=$(results | awk -F '\t' -v set="$set" '$1 == "unit" && $2 == set { print $3 }')
    for rate in $RATES; do tabs cell "$set" "$rate" "$unit"; done
done > "$tmp/list"
work cell "$tmp/list"

{
    printf '# set\tnoise\tlearner\tmean\tstd\thyperparameters\tcross-validation\n'
    have_liblinear || echo '# liblinear-train is not installed: its lines are missing'
    for set in $SETS; do
        results | awk -F '\t' -v set="$set" '$1 == "unit" && $2 == set { print $4 }'
        for rate in $RATES; do
            results | awk -F '\t' -v set="$set" -v rate="$rate" '
                $1 == "cell" && $2 == set && $3 == rate {
                    for (i = 1; i <= 5; i++) sub(/^[^\t]*\t/, "") # the job, and the number of the line
                    print
                }'
        done
    done
} > "$OUT/$name.txt"
value() { awk -F '\t' -v l="$1" '$2 == "0.2" && $3 == l { print $4 }' "$OUT/$name.txt"; }
expect 'arow -A' "$(value 'arow -A')" 78 92
expect 'arow -A minus arow' "$(minus "$(value 'arow -A')" "$(value arow)")" -2 10
expect 'perceptron -A minus perceptron' "$(minus "$(value 'perceptron -A')" "$(value perceptron)")" 5 40
