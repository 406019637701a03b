#!/bin/sh
# Which labels are really wrong?  People's verdicts on labels that a classifier doubted, and the order
# in which `suspects -p` and others list them, from the same probabilities.
#
#   usage: experiments/suspects_verdicts.sh VERDICTS_FOLDER > experiments/suspects_verdicts.txt
#
# VERDICTS_FOLDER holds for each of SETS (from the environment; default: all that are there)
#   NAME.labels         a label a line
#   NAME.probabilities  out-of-sample probabilities, in the form of svm-predict -b 1
#   NAME.verdicts       lines `line given other votes_given votes_other votes_neither`; a label is
#                       wrong if fewer than 3 of 5 people vote for it
# or the same with .xz.  The programs are those in the folder above this one, or in PROGRAMS.
#
# Orders:
#   margin      p of the given label, less the largest other p
#   self        p of the given label
#   joint       confident learning: examples counted off the diagonal of the confident joint first,
#               by self, then the others; joint margin: the same by margin
#   suspects    suspects -p
# Output: average precision in % over the lines that were judged, wrong ones being sought.  Lines
# that are level share the precision at the last of them.  Only doubted lines were judged, so a list
# may find errors that nobody looked at: it is the order of the judged ones that is compared.
set -eu
[ $# = 1 ] || { sed -n '5s/^# \{0,1\}//p' "$0" >&2; exit 1; }
folder=$1
PROGRAMS=${PROGRAMS:-$(dirname "$0")/..}
SETS=${SETS:-$(cd "$folder" && for f in *.verdicts; do echo "${f%.verdicts}"; done)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
unpack() { if [ -f "$folder/$1" ]; then cat "$folder/$1"; else xz -dc "$folder/$1.xz"; fi; }

# average_precision < lines `line score`, the most suspicious with the lowest score
average_precision() {
    sort -s -k 2,2g | awk -v verdicts="$tmp/verdicts" '
        BEGIN {
            while ((getline line < verdicts) > 0)
                if (line !~ /^#/) { split(line, part, " "); wrong[part[1]] = part[4] < 3; judged[part[1]] }
        }
        function settle() { found += level; sum += level * found / seen; level = 0 }
        !($1 in judged) { next }
        seen && $2 != last { settle() }
        { seen++; level += wrong[$1]; last = $2 }
        END { settle(); printf "%.1f\n", 100 * sum / found }'
}

printf '# set\tclasses\tlines\tjudged\twrong\tmargin\tself\tjoint\tjoint margin\tsuspects\n'
for set in $SETS; do
    for part in labels probabilities verdicts; do unpack "$set.$part" > "$tmp/$part"; done
    "$PROGRAMS/suspects" -q -n "$(wc -l < "$tmp/labels")" -p "$tmp/probabilities" "$tmp/labels" |
        cut -f 1,4 > "$tmp/suspects"
    # a line: number, margin, self, joint, joint margin
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
        }' "$tmp/probabilities" > "$tmp/orders"
    head -n 1 "$tmp/probabilities" | wc -w | awk '{ printf "%d", $1 - 1 }' > "$tmp/classes"
    printf '%s\t%s\t%d\t' "$set" "$(cat "$tmp/classes")" "$(wc -l < "$tmp/labels")"
    awk '!/^#/ { n++; wrong += $4 < 3 } END { printf "%d\t%d", n, wrong }' "$tmp/verdicts"
    for column in 2 3 4 5; do
        printf '\t%s' "$(cut -d ' ' -f 1,$column "$tmp/orders" | average_precision)"
    done
    printf '\t%s\n' "$(average_precision < "$tmp/suspects")"
done
