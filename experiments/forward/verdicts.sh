#!/bin/sh
# Labels that people found wrong: where do `suspects` and others list them?
#
#   usage: experiments/forward/verdicts.sh DATA_FOLDER
#
# DATA_FOLDER holds mnist.test and a folder verdicts with, for mnist and 20news,
#   NAME.labels         a label a line; those of mnist are of mnist.test
#   NAME.probabilities  out-of-sample probabilities of a network, in the form of svm-predict -b 1
#   NAME.verdicts       lines `line given other votes_given votes_other votes_neither`; a label is
#                       wrong if fewer than 3 of 5 people vote for it
# (Northcutt, Athalye and Mueller 2021).  Writes verdicts.txt and, with gnuplot, verdicts.svg, the first 60
# suspects of mnist.test -t rbf as digits.
#
# Orders, of all lines of a set:
#   suspects -t linear, -t rbf   from mnist.test alone, no network
#   suspects -p         from the network's probabilities, as are
#   margin              p of the given label, less the largest other p
#   self                p of the given label (self-confidence)
#   joint               confident learning: examples counted off the diagonal of the confident joint
#                       first, by self, then the others likewise; joint margin: the same by margin
# verdicts.txt, tab separated: set; order; lines judged; found wrong; average precision in % over the judged
# lines (lines that are level share the precision at the last of them); how many of the wrong ones are among
# the first 50, 100 and 1000 of all lines; their median rank; their ranks.  Only labels that confident
# learning doubted, on these probabilities, were judged: a list by other scores may find errors that nobody
# looked at.  So the order of the judged ones is compared, and the ranks say how soon a reader of the list
# comes to known errors.
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
ORDERS=${ORDERS:-"mnist|suspects -t linear
mnist|suspects -t rbf
mnist|suspects -p
mnist|margin
mnist|self
mnist|joint
mnist|joint margin
20news|suspects -p
20news|margin
20news|self
20news|joint
20news|joint margin"}

# Scores from probabilities: lines `line margin self joint joint-margin`
scores() {
    awk -v labels="$tmp/labels" '
        NR == 1 { K = NF - 1; for (k = 1; k <= K; k++) column[$(k + 1)] = k; next }
        {
            n++; getline label < labels; given[n] = y = column[label]
            for (k = 1; k <= K; k++) p[n, k] = $(k + 1)
            sum[y] += p[n, y]; count[y]++
        }
        END {
            for (i = 1; i <= n; i++) {
                y = given[i]; rival = best = 0
                for (k = 1; k <= K; k++) {
                    if (k != y && p[i, k] > rival) rival = p[i, k]
                    if (count[k] && p[i, k] >= sum[k] / count[k] && (!best || p[i, k] > p[i, best])) best = k
                }
                on = 4 * !(best && best != y)
                printf "%d %.17g %.17g %.17g %.17g\n", i, p[i, y] - rival, p[i, y], on + p[i, y],
                    on + p[i, y] - rival
            }
        }' "$tmp/probabilities"
}
# run SET ORDER: a line for each judged line, `judged LINE RANK SCORE WRONG`; of the lists by suspects also the
# first 60 lines, `listed RANK LINE GIVEN SUGGESTED VERDICT`
run() {
    case $2 in
    suspects\ -t*)
        unpack "$1.test" > "$tmp/data"
        n=$(lines_of "$tmp/data")
        "$PROGRAMS/suspects" -q -T 1 -n "$n" ${2#suspects} "$tmp/data" > "$tmp/list" 2> "$tmp/err" ;;
    *)
        for part in labels probabilities; do unpack "verdicts/$1.$part" > "$tmp/$part"; done
        n=$(lines_of "$tmp/labels")
        case $2 in
        suspects*) "$PROGRAMS/suspects" -q -T 1 -n "$n" -p "$tmp/probabilities" "$tmp/labels" > "$tmp/list" ;;
        *)
            case $2 in margin) column=2 ;; self) column=3 ;; joint) column=4 ;; *) column=5 ;; esac
            scores | sort -s -k "$column,${column}g" |
                awk -v c="$column" '{ print $1 "\t-\t-\t" $c }' > "$tmp/list" ;;
        esac ;;
    esac
    if [ -n "$QUICK" ]; then : > "$tmp/verdicts"; else unpack "verdicts/$1.verdicts" > "$tmp/verdicts"; fi
    awk -F '\t' -v OFS='\t' -v verdicts="$tmp/verdicts" -v order="$2" '
        BEGIN {
            while ((getline line < verdicts) > 0)
                if (line !~ /^#/) { split(line, part, " "); wrong[part[1]] = part[4] < 3 }
        }
        $1 in wrong { print "judged", $1, NR, $4, wrong[$1] }
        order ~ /^suspects -t/ && NR <= 60 {
            print "listed", NR, $1, $2, $3, $1 in wrong ? (wrong[$1] ? "wrong" : "right") : "-"
        }' "$tmp/list"
}
[ -z "$QUICK" ] || ORDERS='digits|suspects -t linear'
echo "$ORDERS" | tr '|' "$tab" > "$tmp/list"
work run "$tmp/list"

printf '# set\torder\tjudged\twrong\taverage precision\tfirst 50\tfirst 100\tfirst 1000\tmedian rank\tranks\n' > "$OUT/verdicts.txt"
while IFS=$tab read -r set order; do
    awk -F '\t' -v set="$set" -v order="$order" '$1 == set && $2 == order && $3 == "judged"' "$RUNS" | sort -s -t "$tab" -k 6,6g |
        awk -F '\t' -v OFS='\t' -v set="$set" -v order="$order" '
        function settle() { found += level; sum += level * found / seen; level = 0 }
        seen && $6 != last { settle() }
        { seen++; level += $7; last = $6 }
        $7 { rank[++m] = $5; for (i = 50; i <= 1000; i *= (i == 50 ? 2 : 10)) first[i] += $5 <= i }
        END {
            if (!m) exit
            settle()
            for (i = 2; i <= m; i++) for (j = i; j > 1 && rank[j] < rank[j - 1]; j--) { t = rank[j]; rank[j] = rank[j - 1]; rank[j - 1] = t }
            for (i = 1; i <= m; i++) list = list (i > 1 ? " " : "") rank[i]
            print set, order, seen, m, sprintf("%.1f", 100 * sum / found), first[50] + 0, first[100] + 0, first[1000] + 0,
                m % 2 ? rank[(m + 1) / 2] : (rank[m / 2] + rank[m / 2 + 1]) / 2, list
        }'
done < "$tmp/list" >> "$OUT/verdicts.txt"

# The first 60 suspects as digits, ten a row, 28 x 28 pixels in cells of 34 x 44: for each of four levels of
# grey the runs of pixels that are at least so dark, as strokes.
page() { # SET ORDER
    unpack "$1.test" > "$tmp/data"
    awk -F '\t' -v set="$1" -v order="$2" '$1 == set && $2 == order && $3 == "listed" { print $4, $5, $6, $7, $8 }' "$RUNS" > "$tmp/listed"
    awk -v strokes="$tmp/strokes" -v titles="$tmp/titles" '
        NR == FNR { at[$2] = $1; head[$2] = $3 " > " $4; verdict[$2] = $5; next }
        !(FNR in at) { next }
        {
            n = at[FNR] - 1; left = n % 10 * 34; down = int(n / 10) * 44
            for (i = 0; i < 784; i++) v[i] = 0
            for (i = 2; i <= NF; i++) { split($i, f, ":"); v[f[1] - 1] = f[2] }
            print left + 14, -down, head[FNR] "\t" verdict[FNR] > titles
            for (level = 1; level <= 4; level++)
                for (r = 0; r < 28; r++)
                    for (c = 0; c < 28; c++) {
                        if (v[r * 28 + c] < level * 0.22 - 0.1) continue
                        for (e = c; e < 27 && v[r * 28 + e + 1] >= level * 0.22 - 0.1; ) e++
                        print level, left + c, -(down + 4 + r), e - c + 1 > strokes
                        c = e
                    }
        }' "$tmp/listed" "$tmp/data"
    tr ' ' '\t' < "$tmp/strokes" > "$tmp/strokes.tsv"
    awk -F '\t' '{ split($1, f, " "); print f[1] "\t" f[2] "\t" f[3] " " f[4] " " f[5] "\t" $2 }' "$tmp/titles" > "$tmp/titles.tsv"
    picture "$OUT/verdicts.svg" 900 740 << 'END'
unset border; unset tics; unset grid; unset key
set lmargin 0; set rmargin 0; set bmargin 0; set tmargin 4
set title "The first 60 of suspects -t rbf mnist.test: given > suggested label; in colour where people judged the given one:\nwrong (red), right (blue)"
set xrange [-3:340]; set yrange [-262:4]
s(l) = column(1) == l ? column(2) : NaN
t(v) = strcol(4) eq v ? column(1) : NaN
plot for [l = 1:4] tmp . '/strokes.tsv' using (s(l)):3:4:(0) with vectors nohead lw 2.75 lc rgb word("#c8c8c8 #909090 #505050 #000000", l), \
    tmp . '/titles.tsv' using (t('-')):2:3 with labels font 'sans-serif,12', \
    tmp . '/titles.tsv' using (t('wrong')):2:3 with labels font 'sans-serif Bold,12' tc rgb c_suspects, \
    tmp . '/titles.tsv' using (t('right')):2:3 with labels font 'sans-serif Bold,12' tc rgb c_uma
END
}
[ -n "$QUICK" ] || page mnist 'suspects -t rbf'
expect 'suspects listed of digits.test' "$(grep -c listed "$RUNS")" 60 60
