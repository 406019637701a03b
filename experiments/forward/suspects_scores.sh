#!/bin/sh
# What the scores of `suspects` are worth: on data as they are, and where labels were made wrong.
#
#   usage: experiments/suspects_scores.sh DATA_FOLDER > experiments/suspects_scores.txt
#
# DATA_FOLDER holds NAME.train, or NAME.train.xz.  The programs are those in the folder above this
# one, or in PROGRAMS; SETS and SEEDS are taken from the environment.  With gnuplot the picture
# suspects_scores.svg is drawn in the folder OUT (default: that of the script).
#
# First table, data as they are:
#   noise      the noise rate of the estimated matrix, mean over the examples, in %
#   expected   the number of wrong labels by the scores: sum of 1 - score, in % of the examples
#   below 1/2  examples with a score below 1/2, in %
#   warned     does `suspects` warn that noise of the class does not explain the labels?
# Nobody knows which of these labels are wrong, but for the 15 of mnist.test that people judged
# (suspects_verdicts.sh): of the first lines of `suspects mnist.test`, how many are these, where
# VERDICTS names the file.
#
# Second table: of the labels whose score is in a tenth of 0 .. 1, how many there are, their mean
# score, and the share that is right, in %, over SEEDS; kinds of noise as in forward_noise.sh, where
# labels near the boundary are those of softmax regression.
set -eu
[ $# = 1 ] || { sed -n '4s/^# \{0,1\}//p' "$0" >&2; exit 1; }
data=$1
here=$(dirname "$0")
PROGRAMS=${PROGRAMS:-$here/..}
OUT=${OUT:-$here}
SETS=${SETS-optdigits usps letter r8 r52 amazon_domain mnist}
SCORED=${SCORED-usps r8 letter}
SEEDS=${SEEDS:-1 2 3}
VERDICTS=${VERDICTS:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

unpack() { if [ -f "$data/$1" ]; then cat "$data/$1"; else xz -dc "$data/$1.xz"; fi; }

# scores FILE > lines `line score`, in the order of the list
scores() {
    "$PROGRAMS/suspects" -n "$(wc -l < "$1")" -l 1 "$1" 2> "$tmp/report" | grep -v '^#' | cut -f 1,4
}

printf '# set\texamples\tnoise\texpected\tbelow 1/2\twarned\n'
for set in $SETS; do
    unpack "$set.train" > "$tmp/train"
    scores "$tmp/train" > "$tmp/scores"
    noise=$(awk '/^class/ { on = 1; next }
                 on && NF == 5 { sum += $2 * $3 }
                 END { printf "%.2f", 100 * sum }' "$tmp/report")
    warned=no
    grep -q 'than chance allows' "$tmp/report" && warned=yes
    awk -v set="$set" -v noise="$noise" -v warned="$warned" '
        { n++; expected += 1 - $2; below += $2 < 0.5 }
        END { printf "%s\t%d\t%s\t%.2f\t%.2f\t%s\n", set, n, noise, 100 * expected / n, 100 * below / n,
                     warned }' "$tmp/scores"
done
if [ -n "$VERDICTS" ]; then
    unpack mnist.test > "$tmp/train"
    scores "$tmp/train" | awk -v verdicts="$VERDICTS" '
        BEGIN {
            while ((getline line < verdicts) > 0)
                if (line !~ /^#/) { split(line, part, " "); if (part[4] < 3) wrong[part[1]] }
        }
        { found += ($1 in wrong) }
        NR == 50 || NR == 100 || NR == 1000 { printf "# mnist.test, first %d: %d verified\n", NR, found }'
fi

boundary() { # RATE SEED: $tmp/given, the noisy labels; $tmp/names, those of softmax regression
    "$PROGRAMS/forward-train" -q -c identity -l 1 "$tmp/train" "$tmp/model"
    "$PROGRAMS/forward-predict" -q -b 1 "$tmp/train" "$tmp/model" "$tmp/out" > "$tmp/log"
    awk 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
         {
             second = 0
             for (i = 2; i <= NF; i++)
                 if (name[i] == $1) first = i
                 else if (!second || $i > $second) second = i
             printf "%d %s %s %.17g\n", NR - 1, $1, name[second], $first - $second
         }' "$tmp/out" | sort -s -k 4,4g | awk -v seed="$2" -v r="$1" -v n="$(wc -l < "$tmp/train")" '
             BEGIN { srand(seed) }
             { print $1, $2, (rand() < 2 * r * (1 - (NR - 1) / n) ? $3 : $2) }' | sort -n > "$tmp/drawn"
    cut -d ' ' -f 2 "$tmp/drawn" > "$tmp/names"
    cut -d ' ' -f 3 "$tmp/drawn" > "$tmp/given"
}

printf '# set\tnoise\ttenth\tlabels\tmean score\tright\n'
for set in $SCORED; do
    unpack "$set.train" > "$tmp/train"
    for kind in class:0.3 uniform:0.2 boundary:0.2; do
        : > "$tmp/all"
        for seed in $SEEDS; do
            cut -d ' ' -f 1 "$tmp/train" > "$tmp/names"
            labels=$(sort -n "$tmp/names" | uniq | paste -s -d , -)
            case $kind in
            class:*)
                "$PROGRAMS/synth" noise -q --flip "${kind#*:}" --labels "$labels" -S "$seed" > "$tmp/C"
                "$PROGRAMS/label-noise" -q -c "$tmp/C" -S "$seed" "$tmp/train" > "$tmp/noisy" ;;
            uniform:*) "$PROGRAMS/label-noise" -q -r "${kind#*:}" -S "$seed" "$tmp/train" > "$tmp/noisy" ;;
            boundary:*)
                boundary "${kind#*:}" "$seed"
                paste -d ' ' "$tmp/given" "$tmp/train" | awk '{ $2 = ""; sub("  ", " "); print }' \
                    > "$tmp/noisy" ;;
            esac
            scores "$tmp/noisy" | sort -n > "$tmp/scores"
            cut -d ' ' -f 1 "$tmp/noisy" | paste "$tmp/scores" - "$tmp/names" >> "$tmp/all"
        done
        awk -v set="$set" -v kind="$kind" '
            { b = int($2 * 10); b = b < 10 ? b : 9; n[b]++; s[b] += $2; right[b] += $3 == $4 }
            END {
                for (b = 0; b < 10; b++)
                    if (n[b]) printf "%s\t%s\t%.1f\t%d\t%.3f\t%.1f\n", set, kind, b / 10, n[b], s[b] / n[b],
                                     100 * right[b] / n[b]
            }' "$tmp/all"
    done
done | tee "$tmp/table"

if command -v gnuplot > "$tmp/log" && [ -s "$tmp/table" ]; then
    {
        echo "set terminal svg size 960,340 font 'sans-serif,12'; set output '$OUT/suspects_scores.svg'"
        echo "set multiplot layout 1,3; set key left top; set grid"
        echo "set xrange [0:1]; set yrange [0:100]; set xlabel 'score'; set ylabel 'right, %'"
        for kind in class:0.3 uniform:0.2 boundary:0.2; do
            case $kind in
            class:*) echo "set title 'noise of the class, 30 %'" ;;
            uniform:*) echo "set title 'uniform noise, 20 %'" ;;
            boundary:*) echo "set title 'noise near the boundary, 20 %'" ;;
            esac
            plot="plot 100 * x with lines lc rgb 'gray' title ''"
            for set in $SCORED; do
                awk -v set="$set" -v kind="$kind" '$1 == set && $2 == kind && $4 >= 30' "$tmp/table" \
                    > "$tmp/$set.$kind"
                plot="$plot, '$tmp/$set.$kind' using 5:6 with linespoints pt 7 title '$set'"
            done
            echo "$plot"
        done
    } | gnuplot
fi
