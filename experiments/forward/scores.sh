#!/bin/sh
# What the scores of `suspects` are worth: on data as they are, and where labels were made wrong.
#
#   usage: experiments/forward/scores.sh DATA_FOLDER
#
# Writes scores.txt and, with gnuplot, scores.svg.  From the environment, beside what lib.sh names: SETS,
# SCORED and SEEDS.
#
# First table, data as they are:
#   noise      the noise rate of the estimated matrix, mean over the examples, in %
#   expected   the number of wrong labels by the scores: sum of 1 - score, in % of the examples
#   below 1/2  examples with a score below 1/2, in %
#   warned     does `suspects` warn that noise of the class does not explain the labels?
# Nobody knows which of these labels are wrong, but for those that people judged (verdicts.sh).
#
# Second table: of the labels whose score is in a tenth of 0 .. 1, how many there are, their mean
# score, and the share that is right, in %, over SEEDS; kinds of noise as in noise.sh.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
. "$folder/boundary.sh"
if [ -n "$QUICK" ]; then
    SETS=digits SCORED=digits SEEDS=1
fi
SETS=${SETS-optdigits usps letter r8 r52 amazon_domain mnist}
SCORED=${SCORED-usps r8 letter}
SEEDS=${SEEDS:-1 2 3}

# scores FILE > lines `line score`, in the order of the list
scores() {
    "$PROGRAMS/suspects" -T 1 -t linear -n "$(wc -l < "$1")" -l 1 "$1" 2> "$tmp/report" | grep -v '^#' | cut -f 1,4
}

as_is() { # "as is" SET
    unpack "$2.train" > "$tmp/train"
    scores "$tmp/train" > "$tmp/scores"
    noise=$(awk '/^class/ { on = 1; next }
                 on && NF == 5 { sum += $2 * $3 }
                 END { printf "%.2f", 100 * sum }' "$tmp/report")
    warned=no
    grep -q 'than chance allows' "$tmp/report" && warned=yes
    awk -v noise="$noise" -v warned="$warned" '
        { n++; expected += 1 - $2; below += $2 < 0.5 }
        END { printf "%d\t%s\t%.2f\t%.2f\t%s\n", n, noise, 100 * expected / n, 100 * below / n, warned }' "$tmp/scores"
}
of_noise() { # SET KIND SEED: for each tenth, labels, sum of the scores, right ones
    unpack "$1.train" > "$tmp/train"
    cut -d ' ' -f 1 "$tmp/train" > "$tmp/names"
    case $2 in
    boundary:*) boundary "${2#*:}" "$3" ;;
    *) add_noise "$2" "$3" "$tmp/train" "$tmp/C" > "$tmp/noisy" ;;
    esac
    scores "$tmp/noisy" | sort -n > "$tmp/scores"
    cut -d ' ' -f 1 "$tmp/noisy" | paste "$tmp/scores" - "$tmp/names" | awk '
        { b = int($2 * 10); b = b < 10 ? b : 9; n[b]++; s[b] += $2; right[b] += $3 == $4 }
        END { for (b = 0; b < 10; b++) if (n[b]) printf "%d\t%d\t%.6f\t%d\n", b, n[b], s[b], right[b] }'
}
for set in $SETS; do tabs 'as is' "$set"; done > "$tmp/list"
work as_is "$tmp/list"
for set in $SCORED; do for kind in class:0.3 uniform:0.2 boundary:0.2; do for seed in $SEEDS; do
    tabs "$set" "$kind" "$seed"
done; done; done > "$tmp/list"
work of_noise "$tmp/list"

{
    printf '# set\texamples\tnoise\texpected\tbelow 1/2\twarned\n'
    for set in $SETS; do
        awk -F '\t' -v set="$set" '$1 == "as is" && $2 == set { sub(/^[^\t]*\t/, ""); print }' "$RUNS"
    done
    printf '# set\tnoise\ttenth\tlabels\tmean score\tright\n'
    for set in $SCORED; do for kind in class:0.3 uniform:0.2 boundary:0.2; do
        awk -F '\t' -v set="$set" -v kind="$kind" '
            $1 == set && $2 == kind { n[$4] += $5; s[$4] += $6; right[$4] += $7 }
            END {
                for (b = 0; b < 10; b++)
                    if (n[b]) printf "%s\t%s\t%.1f\t%d\t%.3f\t%.1f\n", set, kind, b / 10, n[b], s[b] / n[b],
                                     100 * right[b] / n[b]
            }' "$RUNS"
    done; done
} > "$OUT/scores.txt"

[ -n "$QUICK" ] || picture "$OUT/scores.svg" 960 340 << 'END'
set multiplot layout 1,3
set key left top; set xrange [0:1]; set yrange [0:100]; set xlabel 'score'; set ylabel 'right, %'
numbers = out . '/scores.txt'
sets = system("awk -F '\t' 'NF == 6 && $2 ~ /:/ { print $1 }' '" . numbers . "' | uniq | sort -u")
x(s, k) = (strcol(1) eq s && strcol(2) eq k && column(4) >= 30) ? column(5) : NaN
kinds = "class:0.3 uniform:0.2 boundary:0.2"
array heading[3] = ['noise of the class, 30 %', 'uniform noise, 20 %', 'noise near the boundary, 20 %']
do for [i = 1:3] {
    set title heading[i]
    plot 100 * x with lines lc rgb 'gray' title '', \
        for [j = 1:words(sets)] numbers using (x(word(sets, j), word(kinds, i))):6 with linespoints pt 4 + j * 2 ps .7 lw 1.5 \
            lc rgb word("#1b6ca8 #d95f02 #2e8b57 #984ea3", j) title word(sets, j)
}
END
value() { awk -F '\t' -v kind="$1" '$2 == kind { n += $4; right += $4 * $6; s += $4 * $5 } END { print right / n - 100 * s / n }' "$OUT/scores.txt"; }
expect 'class noise: share right less mean score, points' "$(value class:0.3)" -6 6
expect 'uniform noise: share right less mean score, points' "$(value uniform:0.2)" -6 6
