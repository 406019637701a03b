#!/bin/sh
# Histograms of projections (HOP) of M-SVM and MU-SVM: Figure 3 of Dhar, Cherkassky and Shah (2019),
# for two data sets and two universums each.
#
#   usage: experiments/musvm/hop.sh DATA_FOLDER
#
# DATA_FOLDER holds NAME.train and NAME.test of isolet and gtsrb_hog.  Writes hop.txt and, with gnuplot,
# hop_SET_UNIVERSUM.svg.  From the environment, beside what lib.sh names: CASES, and SEED, which draws
# the samples.
#
# 100 training samples of each class are drawn from NAME.train.  The 500 universum samples are
# averages of the training samples (universum), or are drawn from both files, because the training
# file alone has only 420 priority road signs (no sample of the universum is of a class that is
# learnt).  C = 1, Delta = 0 and C* = n C / (m classes) are the paper's for its figure, on signs
# with a linear kernel; ISOLET has the paper's kernel, but its C is not chosen.  Everything else is
# left at the defaults.
#
# Output, tab separated:
#     set; universum; learner; class (all: together)
#     train mean, std        of the projections of the training samples on their own classes
#     at 1 or above          share of these that are 0.99 or more: at the margin border (1) or
#                            outside
#     universum mean, std    of the projections of all universum samples on the class (all: of each
#                            sample's largest)
#     predicted              number of universum samples predicted to be of the class
#     undecided              number of those that lead by less than 0.001, which the tolerance of the
#                            solver (-e) leaves to chance
#     test error             in %, on the examples of NAME.test that are of the class
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
SEED=${SEED:-1}
[ -z "$QUICK" ] || CASES='digits|0,1,2|0 1 2|-t linear|others|3-9'
# set | its classes | their names | kernel | universum | the classes it is drawn from; none:
# averages.  Signs 0 to 8 are about speed.
CASES=${CASES:-"isolet|1-5|a b c d e|-t rbf -g 0.0078125|averages|
isolet|1-5|a b c d e|-t rbf -g 0.0078125|others|6-26
gtsrb_hog|1,4,5|30 70 80|-t linear|priority|12
gtsrb_hog|1,4,5|30 70 80|-t linear|others|9-42"}
# draw file classes count together: count examples of each of these classes (together = 1: of all),
# in the order of the file.  Lehmer's generator: the same in every awk
draw() {
    cut -d ' ' -f 1 "$1" | awk -v classes="$2" -v count="$3" -v together="$4" -v seed="$SEED" '
        BEGIN {
            parts = split(classes, part, ",")
            for (i = 1; i <= parts; i++) {
                last = split(part[i], ends, "-")
                for (label = ends[1] + 0; label <= ends[last] + 0; label++) wanted[label]
            }
            for (i = 0; i < 100; i++) seed = seed * 16807 % 2147483647
        }
        $1 + 0 in wanted { line[++n] = NR; key[NR] = together ? "" : $1 }
        END {
            for (i = n; i > 1; i--) {
                seed = seed * 16807 % 2147483647
                j = 1 + seed % i
                t = line[i]; line[i] = line[j]; line[j] = t
            }
            for (i = 1; i <= n; i++) if (++drawn[key[line[i]]] <= count) print line[i]
        }' > "$tmp/lines"
    awk 'NR == FNR { drawn[$1]; next } FNR in drawn' "$tmp/lines" "$1"
}

{
printf '# set\tuniversum\tlearner\tclass\ttrain mean\tstd\tat 1 or above\tuniversum mean\tstd\t'
printf 'predicted\tundecided\ttest error\n'
echo "$CASES" | while IFS='|' read -r set classes names kernel universum others; do
    unpack "$set.train" > "$tmp/all.train"
    unpack "$set.test" > "$tmp/all.test"
    cat "$tmp/all.train" "$tmp/all.test" > "$tmp/all"
    draw "$tmp/all.train" "$classes" 100 0 > "$tmp/train"
    draw "$tmp/all.test" "$classes" 1000000 0 > "$tmp/test"
    if [ "$others" ]; then
        draw "$tmp/all" "$others" 500 1 > "$tmp/universum"
    else
        "$PROGRAMS/universum" -q -m 500 -S "$SEED" "$tmp/train" > "$tmp/universum"
    fi
    rm "$tmp/all" "$tmp/all.train" "$tmp/all.test"
    "$PROGRAMS/musvm-train" -q -s m-svm $kernel -c 1 "$tmp/train" "$tmp/M-SVM.model"
    "$PROGRAMS/musvm-train" -q -s mu-svm $kernel -c 1 -p 0 -u "$tmp/universum" \
        "$tmp/train" "$tmp/MU-SVM.model"
    for learner in M-SVM MU-SVM; do
        "$PROGRAMS/musvm-predict" -q --hop "$tmp/$learner.hop" --universum "$tmp/universum" \
            "$tmp/train" "$tmp/$learner.model" "$tmp/labels" > "$tmp/report"
        "$PROGRAMS/musvm-predict" -q "$tmp/test" "$tmp/$learner.model" "$tmp/labels" > "$tmp/report"
        cut -d ' ' -f 1 "$tmp/test" | paste - "$tmp/labels" |
            awk -F '\t' -v OFS='\t' -v head="$set$tab$universum$tab$learner" '
            function moments(n, s, ss) { # mean and standard deviation
                ss = (ss - s * s / n) / (n > 1 ? n - 1 : 1)
                return sprintf("%.4f\t%.4f", s / n, ss > 0 ? sqrt(ss) : 0)
            }
            function add(kind, class, x) {
                n[kind, class]++
                sum[kind, class] += x; square[kind, class] += x * x
            }
            function line(class) {
                print head, class,
                    moments(n["train", class], sum["train", class], square["train", class]),
                    sprintf("%.4f", outside[class] / n["train", class]),
                    moments(n["universum", class], sum["universum", class], square["universum", class]),
                    predicted[class] + 0, undecided[class] + 0,
                    sprintf("%.2f", 100 * sum["test", class] / n["test", class])
            }
            NF == 2 { add("test", $1, $1 != $2); add("test", "all", $1 != $2) }
            $1 == "train" {
                add("train", $2, $3); add("train", "all", $3)
                outside[$2] += $3 >= 0.99; outside["all"] += $3 >= 0.99
            }
            $1 == "universum" {
                if (!($2 in known)) { known[$2]; class[++classes] = $2 }
                add("universum", $2, $3)
                if ($2 == $4) {
                    predicted[$2]++; predicted["all"]++; add("universum", "all", $3)
                    undecided[$2] += $3 < 0.001; undecided["all"] += $3 < 0.001
                }
            }
            END { for (k = 1; k <= classes; k++) line(class[k]); line("all") }' - "$tmp/$learner.hop"
    done
    { echo "names = '$names'; heading = '$set, universum: $universum'"; cat "$folder/hop.gp"; } |
        picture "$OUT/hop_${set}_$universum.svg" $((60 + 225 * $(echo "$names" | wc -w) + 260)) 600
done
} > "$OUT/hop.txt"

value() { # UNIVERSUM LEARNER COLUMN
    awk -F '\t' -v a="$1" -v b="$2" -v c="$3" '$2 == a && $3 == b && $4 == "all" { print $c }' "$OUT/hop.txt"
}
expect 'spread of the universum, M-SVM' "$(value others M-SVM 9)" 0.2 2
expect 'spread of the universum, MU-SVM' "$(value others MU-SVM 9)" 0 0.25
expect 'test error of MU-SVM, %' "$(value others MU-SVM 12)" 0 5
