#!/bin/sh
# Which pair of classes UMA takes next: Figure 5 of the 2015 paper, and Figure 2 and Table 1 of the 2013 paper.
#
#   usage: experiments/uma/strategies.sh DATA_FOLDER
#
# Writes strategies.txt and, with gnuplot, strategies.svg.  From the environment, beside what lib.sh names:
# CASES, STEPS, SEEDS.  The papers' Reuters sets are RCV1's; r52 stands in.
#     r52-9    2015: the nine largest classes; g from 20 examples a class, the matrix from 5 % of the lines
#     r52-19   2013: the 19 largest; 225 labelled lines drawn at random train g, 225 others give the matrix:
#              as many as the 1.5 % of the paper's 15000 are
# In each case uma-train -e 0 -s error | confusion | random runs for STEPS iterations; the weights are those of
# the last one.  Where the matrix is singular it is mixed with the identity (--ridge 0.1) and counted.
# trace: the error that UMA estimates itself (--trace), which a user can see.
#
# strategies.txt, tab separated: case; strategy (perceptron: -c identity on g's labels; full: on the true
# labels); iteration; what (error: of the test set in %; confusion rate: the norm of its confusion matrix
# without the diagonal, divided by the root of the number of classes; trace); mean, standard deviation, runs,
# values.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
. "$folder/rough.sh"
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
STEPS=${STEPS:-1 2 4 7 10 15 20 30 40 60 80 100 150 200 300}
CASES=${CASES:-"r52-9|1|-|-|20|265
r52-19|1|-|-|0|225"}
if [ -n "$QUICK" ]; then
    SEEDS=1 STEPS='5 100' CASES='digits|16|0.6|kpca:100|10|120'
fi
measure() { # STRATEGY STEP
    "$PROGRAMS/uma-predict" -T 1 -m "$tmp/test" "$tmp/model" "$tmp/labels" > "$tmp/report"
    awk -v s="$1" -v i="$2" '/^Accuracy = / { sub(/%.*/, "", $3); print s "\t" i "\terror\t" 100 - $3 }
        /^Confusion rate = / { print s "\t" i "\tconfusion rate\t" $4 }' "$tmp/report"
}
prepare() { # CASE RUN: $tmp/noisy, $tmp/C and ridge
    rough_data "$1"
    if [ "$few" = 0 ]; then # g from lines drawn at random, not by class
        order "$(lines_of "$tmp/train")" "$2" > "$tmp/order"
        pick "$tmp/train" "$tmp/order" | head -n "$sample" > "$tmp/few"
        learn -c identity "$tmp/few" "$tmp/g"
        "$PROGRAMS/uma-predict" -q -T 1 "$tmp/train" "$tmp/g" "$tmp/guesses" > "$tmp/report"
        awk 'NR == FNR { label[NR] = $1; next } { $1 = label[FNR]; print }' "$tmp/guesses" "$tmp/train" > "$tmp/noisy"
    else
        rough_labels "$2"
    fi
    rough_sample "$sample"
    ridge=
    if ! learn -i 1 -c "$tmp/C" "$tmp/noisy" "$tmp/model" 2> "$tmp/why"; then
        grep -q singular "$tmp/why" || { cat "$tmp/why" >&2; exit 1; }
        ridge='--ridge 0.1'
    fi
}
run() { # CASE RUN
    prepare "$1" "$2"
    [ -z "$ridge" ] || tabs UMA 0 singular 1
    last=${STEPS##* }
    for strategy in error confusion random; do
        for step in $STEPS; do
            # shellcheck disable=SC2086 # options
            learn -S "$2" -s $strategy -w last -i "$step" $ridge -c "$tmp/C" "$tmp/noisy" "$tmp/model" 2> "$tmp/why"
            measure $strategy "$step"
        done
    done
    for step in $STEPS; do
        learn -w last -i "$step" -c identity "$tmp/noisy" "$tmp/model"
        measure perceptron "$step"
    done
    learn -w last -i "$last" -c identity "$tmp/train" "$tmp/model"
    measure full "$last"
}
trace() { # "trace" CASE RUN
    prepare "$2" "$3"
    for strategy in error confusion random; do
        # shellcheck disable=SC2086 # options
        learn -S "$3" -s $strategy -w last -i "${STEPS##* }" $ridge -c "$tmp/C" --trace "$tmp/trace" "$tmp/noisy" "$tmp/model" 2> "$tmp/why"
        awk -v s=$strategy -v steps=" $STEPS " '{ if (index(steps, " " NR " ")) print s "\t" NR "\ttrace\t" 100 * $4 }' "$tmp/trace"
    done
}
echo "$CASES" > "$tmp/cases"
while IFS= read -r line; do for seed in $SEEDS; do tabs "$line" "$seed"; done; done < "$tmp/cases" > "$tmp/list"
work run "$tmp/list"
sed "s/^/trace$tab/" "$tmp/list" > "$tmp/traces"
work trace "$tmp/traces"

results | sed "s/^trace$tab//; s/|[^$tab]*//" | sort -s -t "$tab" -k 1,1 -k 5,5 -k 3,3 -k 4,4n -k 2,2n | means 1,3,4,5 6 4 > "$tmp/table"
{ printf '# case\tstrategy\titeration\twhat\tmean\tstd\truns\tvalues\n'; cat "$tmp/table"; } > "$OUT/strategies.txt"
[ -n "$QUICK" ] || picture "$OUT/strategies.svg" 960 700 << 'END'
numbers = out . '/strategies.txt'
set multiplot layout 2,2
set xlabel 'iteration'; set xrange [0:310]; set key top right
x(c, s, w) = (strcol(1) eq c && strcol(2) eq s && strcol(4) eq w) ? column(3) : NaN
do for [c in "r52-9 r52-19"] { do for [w in "error rate"] {
    what = w eq 'rate' ? 'confusion rate' : w
    set title (c eq 'r52-9' ? 'nine classes (2015, Figure 5)' : '19 classes (2013, Figure 2)')
    set ylabel (w eq 'rate' ? 'confusion rate' : 'test error, %')
    plot numbers using (x(c, 'error', what)):5 with linespoints lw 1.5 pt p_uma ps .7 lc rgb c_uma title "UMA -s error", \
         numbers using (x(c, 'confusion', what)):5 with linespoints lw 1.5 pt p_uma_confusion ps .7 lc rgb c_uma_confusion title "UMA -s confusion", \
         numbers using (x(c, 'random', what)):5 with linespoints lw 1.5 pt p_uma_random ps .7 lc rgb c_uma_random title "UMA -s random", \
         numbers using (x(c, 'perceptron', what)):5 with linespoints lw 1.5 pt p_perceptron ps .7 lc rgb c_perceptron title "perceptron (C = I)"
} }
END
value() { awk -F '\t' -v s="$1" -v n="$2" '$2 == s && $3 == n && $4 == "error" { print $5 }' "$OUT/strategies.txt"; }
expect 'UMA -s error after 100, error in %' "$(value error 100)" 5 45
expect 'UMA -s random after 100, error in %' "$(value random 100)" 5 80
expect 'perceptron after 100, error in %' "$(value perceptron 100)" 5 60
