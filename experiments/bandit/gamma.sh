#!/bin/sh
# Figure 3 of the noisy-bandit paper (Agarwal and Manwani): the error of rcine against gamma.
#
#   usage: experiments/bandit/gamma.sh DATA_FOLDER
#
# optdigits (the authors' "MNIST": their program reads its 64 features), 10^6 rounds at random, noise rates
# estimated by margin.  From the environment, beside what lib.sh names: ROUNDS, NOISE, GRID, SEEDS.
#
# Output, gamma.txt, tab separated: noise; gamma; error on shown labels after all rounds in %: mean, standard
# deviation, runs, values.
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
# shellcheck source=experiments/bandit/learners.sh
. "$folder/learners.sh"
SET=optdigits
[ -z "$QUICK" ] || SET=digits ROUNDS=50000 NOISE=.2,.4 GRID='.01 .1 .45' SEEDS='1 2'
ROUNDS=${ROUNDS:-1000000}
NOISE=${NOISE:-0,0 .15,.15 .4,.4 .2,.4 .4,.2}
GRID=${GRID:-.01 .02 .05 .1 .2 .3 .45}
SEEDS=${SEEDS:-1 2 3}

sweep() { # sweep SEED NOISE: a line for each gamma
    fetch "$SET"
    for gamma in $GRID; do
        "$PROGRAMS/rcnbf-train" -q -T 1 --random-order -i "$ROUNDS" -x "$2" -g "$gamma" -S "$1" -s rcine \
            --trace "$tmp/trace" "$tmp/train" "$tmp/model"
        tail -n 1 "$tmp/trace" | awk -v OFS='\t' -v gamma="$gamma" '{ print gamma, 100 * $2 }'
    done
}
for seed in $SEEDS; do
    for noise in $NOISE; do tabs "$seed" "$noise"; done
done > "$tmp/list"
work sweep "$tmp/list"
{
    tabs '# noise' gamma error std runs values
    for noise in $NOISE; do
        results | awk -F '\t' -v noise="$noise" '$2 == noise' | sort -t "$tab" -k 3,3n -k 1,1n | means 2,3 4
    done
} > "$OUT/$name.txt"

for noise in $NOISE; do
    awk -F '\t' -v OFS='\t' -v noise="$noise" '$1 == noise { print $2, $3, $4 }' "$OUT/$name.txt" \
        > "$tmp/curve.$noise"
done
inks='#9ecae1 #4292c6 #08306b #e6550d #fdae6b'
picture "$OUT/figure3.svg" 720 440 << PLOT
set title '$SET, RCINE, $ROUNDS rounds: error against gamma'
set xlabel 'gamma'; set ylabel 'wrong labels shown in %, mean and deviation'
set logscale xy; set key outside right center Left reverse samplen 3; set xrange [0.008:0.6]
set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.45)
set ytics (2, 5, 10, 15, 20, 30, 50, 70, 100); set yrange [*:100]
plot $(for noise in $NOISE; do
    ink=${inks%% *} inks=${inks#* }
    printf "'%s' using 1:2:3 with yerrorlines lw 2.5 pt 7 ps 0.6 lc rgb '%s' title 'noise %s'\n" \
        "$tmp/curve.$noise" "$ink" "$noise"
done | paste -s -d , -)
PLOT
value() { awk -F '\t' -v g="$1" '$2 == g { print $3 }' "$OUT/$name.txt"; }
expect 'error at gamma .1, digits .2,.4' "$(value .1)" 50 85
expect 'error at .45 minus error at .1' "$(minus "$(value .45)" "$(value .1)")" -20 20
