#!/bin/sh
# How labels were confused, and what can be estimated of that from the labels alone: a picture, or a
# table where there is no gnuplot.
#
#   usage: examples/matrix.sh [picture.svg]      (doc/matrix.svg is what it writes)
#
# The labels of the digits in data/ are drawn from a random confusion matrix, which changes 30 % of
# them, each class in its own way.  `confusion --from-noisy` sees only the drawn labels.
set -eu
usage() { echo "usage: $0 [picture.svg]" >&2; exit 2; }
case ${1:-} in -*) usage ;; esac
[ $# -le 1 ] || usage
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${BIN:-$top}:$PATH # the programs of this tree, else those that are installed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

synth noise -q --flip 0.3 --labels 0-9 > "$work/true"
label-noise -q -c "$work/true" "$top/data/digits.train" > "$work/noisy"
confusion -q --from-noisy -t linear --features 0 "$work/noisy" > "$work/found"

# Rows of a confusion file without its head: `rows observed`, then a row for each label as observed.
rows() { sed '1,/^rows/d' "$1"; }

# The entries off the diagonal, true beside found, as one column each.
pairs() {
    rows "$work/true" > "$work/a"
    rows "$work/found" > "$work/b"
    paste -d ' ' "$work/a" "$work/b" |
        awk '{ n = NF / 2; for (q = 1; q <= n; q++) if (q != NR) print $q, $(n + q) }'
}
report() {
    pairs | awk '
        {
            d = $1 - $2
            if (d < 0) d = -d
            sum += d
            if (d > most) most = d
            total += $1
        }
        END {
            printf "90 entries off the diagonal: mean %.3f, mean error %.3f, largest error %.3f\n",
                total / NR, sum / NR, most
        }'
}

if [ $# -eq 0 ] || ! command -v gnuplot > /dev/null; then
    [ $# -eq 0 ] || echo "$0: gnuplot is not installed; the numbers instead:" >&2
    for which in true found; do
        echo "$which, in %: row: label observed; column: true class"
        rows "$work/$which" | awk '{
            printf "%d ", NR - 1
            for (q = 1; q <= NF; q++) printf "%5.0f", 100 * $q
            print ""
        }'
    done
    report
    exit 0
fi
pairs > "$work/pairs"
gnuplot << END
set terminal svg size 460,420 font 'sans-serif,12' background '#ffffff'
set output '$1'
set title "1200 digits, 30 % of the labels wrong:\nP(label observed | true class) off the diagonal"
set size square
set key top left reverse Left samplen 1
set border 3 lc rgb '#777777'
set xrange [0:0.18]
set yrange [0:0.18]
set xtics 0,0.05 nomirror
set ytics 0,0.05 nomirror
set xlabel 'as the labels were drawn'
set ylabel 'found from the drawn labels alone'
plot x with lines lc rgb '#bbbbbb' title 'equal', \
     '$work/pairs' with points pt 7 ps 0.5 lc rgb '#08519c' title 'found: a point for each entry'
END
report
