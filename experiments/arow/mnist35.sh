#!/bin/sh
# Figure 7 of the AROW paper (Crammer, Kulesza and Dredze 2013): online mistakes on mnist, 3 against 5.
#
#   usage: experiments/arow/mnist35.sh DATA_FOLDER
#
# The 11552 training examples of the two digits, once, in five orders; none or a tenth of the labels flipped;
# AROW, PA, SOP and CW, diagonal.  Mistakes are by the true labels.  Hyperparameters are those with fewest
# online mistakes, by the noisy labels, in an order and with a noise of their own (seed 100).
#
# Output, mnist35.txt: noise; learner; options; examples seen; mistakes so far, mean and standard deviation;
# runs.
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
# shellcheck source=experiments/arow/learners.sh
. "$folder/learners.sh"
wide=yes
learners='arow cw pa sop' rates='0 .1' set=mnist runs='1 2 3 4 5'
[ -z "$QUICK" ] || { set=digits runs='1 2'; }

examples() { # examples RATE SEED: writes $tmp/clean and $tmp/noisy
    unpack "$set.train" | awk '$1 == 3 || $1 == 5 { $1 = $1 == 3 ? 1 : -1; print }' > "$tmp/two"
    shuffle "$tmp/two" "$2" > "$tmp/clean"
    add_noise "uniform:$1" "$2" "$tmp/clean" "$tmp/matrix" > "$tmp/noisy"
}
choose() { # choose RATE: the options of each learner
    examples "$2" 100
    for learner in $learners; do
        values "$learner" | while IFS= read -r choice; do
            # shellcheck disable=SC2046,SC2086 # options are words
            "$PROGRAMS/arow-train" -T 1 --no-shuffle $(options "$learner") $choice "$tmp/noisy" "$tmp/model" \
                > "$tmp/log" 2>&1
            awk -v choice="$(options "$learner") $choice" '/pass 1/ {
                for (i = 2; i <= NF; i++) if ($i ~ /^mistake/) print -$(i - 1) "\t" choice }' "$tmp/log"
        done > "$tmp/tried"
        tabs "$learner" "$(best < "$tmp/tried")"
    done
}
play() { # play RATE SEED LEARNER=OPTIONS|...: of each learner its mistakes
    examples "$2" "$3"
    steps "$tmp/clean" "$tmp/clean" 500 | paste -s -d ' ' - > "$tmp/ends"
    steps "$tmp/noisy" "$tmp/noisy" 500 > "$tmp/log"
    echo "$4" | tr '|' '\n' | while IFS='=' read -r learner chosen; do
        online "$chosen" > "$tmp/mistakes"
        tabs "$learner" "$(cat "$tmp/ends")" "$(cat "$tmp/mistakes")"
    done
}

for rate in $rates; do tabs choose "$rate"; done > "$tmp/list"
work choose "$tmp/list"
for rate in $rates; do
    all=$(results | awk -F '\t' -v rate="$rate" -v learners="$learners" '
        $1 == "choose" && $2 == rate { chosen[$3] = $4 }
        END { n = split(learners, a, " ")
              for (i = 1; i <= n; i++) printf "%s%s=%s", (i > 1 ? "|" : ""), a[i], chosen[a[i]] }')
    for seed in $runs; do tabs play "$rate" "$seed" "$all"; done
done > "$tmp/list"
work play "$tmp/list"

results | awk -F '\t' -v OFS='\t' -v learners="$learners" -v rates="$rates" "$AWK"'
    $1 == "choose" { chosen[$2, $3] = $4 }
    $1 == "play" {
        cell = $2 SUBSEP $5
        r = ++runs[cell]
        points = split($6, ends, " ")
        split($7, m, " ")
        for (i = 1; i <= points; i++) mistakes[cell, r, i] = m[i]
    }
    END {
        print "# noise", "learner", "options", "examples", "mistakes", "std", "runs"
        N = split(rates, rate, " "); L = split(learners, learner, " ")
        for (a = 1; a <= N; a++) for (l = 1; l <= L; l++) {
            cell = rate[a] SUBSEP learner[l]
            for (i = 1; i <= points; i++) {
                for (r = 1; r <= runs[cell]; r++) x[r] = mistakes[cell, r, i]
                print rate[a], learner[l], chosen[cell], ends[i], sprintf("%.1f", mean(x, runs[cell])),
                    sprintf("%.1f", deviation(x, runs[cell])), runs[cell]
            }
        }
    }' > "$OUT/$name.txt"
for rate in $rates; do
    for learner in $learners; do
        awk -F '\t' -v OFS='\t' -v r="$rate" -v l="$learner" '$1 == r && $2 == l { print $4, $5 }' \
            "$OUT/$name.txt" > "$tmp/curve.$rate.$learner"
    done
done
curves() { # curves RATE
    for learner in $learners; do
        printf "'%s' using 1:2 with lines lw 2.5 lc rgb %s title '%s'\n" \
            "$tmp/curve.$1.$learner" "$(colour "$learner")" "$(title "$learner")"
    done | paste -s -d , -
}
orders=$(echo "$runs" | wc -w | tr -d ' ')
picture "$OUT/figure7.svg" 900 400 << PLOT
set multiplot layout 1,2 title \
    '$set, 3 against 5: mistakes while learning (means of $orders orders)' font ',13'
set xlabel 'examples seen'; set ylabel 'mistakes so far'; set key left top Left reverse samplen 2
set xrange [0:*]; set yrange [0:*]; set xtics 3000; set rmargin 3
set title 'no wrong labels'
plot $(curves 0)
set title '10 % wrong labels'
plot $(curves .1)
unset multiplot
PLOT
value() {
    awk -F '\t' -v r="$1" -v l="$2" '$1 == r && $2 == l { last = $5 } END { print last }' "$OUT/$name.txt"
}
expect 'mistakes of AROW, clean' "$(value 0 arow)" 1 40
expect 'mistakes of CW minus AROW at .1' "$(minus "$(value .1 cw)" "$(value .1 arow)")" 5 100
