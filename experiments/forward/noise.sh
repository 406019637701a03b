#!/bin/sh
# Test accuracy of softmax regression through the confusion matrix of the labels, known or estimated
# from the labels alone (forward-train), and of learners that do not know it; and which labels
# `suspects` finds wrong.
#
#   usage: experiments/forward_noise.sh DATA_FOLDER > experiments/forward_noise.txt
#
# DATA_FOLDER holds NAME.train and NAME.test, or NAME.train.xz and NAME.test.xz.  The programs are
# those in the folder above this one.  From the environment: PROGRAMS, SETS, KINDS, SEEDS, PARTS and
# SLOW as below; SAMPLE, so many lines of each training set, others for each seed (else all); RUNS,
# a file to which every single result is appended at once (the tables are made of all that it holds:
# SETS='' only makes them).
#
# Kinds of noise:
#   class R     another matrix for each seed (synth noise --flip R: each class keeps its label with
#               probability 1 - R, and some wrong labels are much likelier than others)
#   uniform R   label-noise -r R: all wrong labels alike
#   boundary R  an example gets the second best label instead of its own with probability
#               2 R (1 - rank / n), ranks by margin, smallest first; labels and margins are those of
#               softmax regression on the clean labels.  No matrix describes this noise, so what
#               needs the true one is left out
#   clean       seeds 1 to 3, which only change the learners
# Training labels are changed, test labels never.  All examples are scaled to unit length once, and
# no learner has a bias.
#
# Learners:
#   forward C       forward-train -c C, the true matrix
#   forward C^      forward-train without options: the matrix is estimated
#   forward I       forward-train -c identity: plain softmax regression
#                   All three choose lambda, and on text the number of steps, themselves.
#   UMA C, UMA C^   uma-train -s error with the true matrix, and with the one that forward C^
#                   estimated (which is what -c estimate does); --ridge 0.1 where it is refused as
#                   singular
#   liblinear       C = 1; and the best of 0.01 0.1 1 10 by 3-fold cross-validation on the noisy
#                   labels, of the first seed where there is no SAMPLE (not on SLOW sets)
#   others          arow-train -A -i 10, defaults
# Of the estimated matrix:
#   column error    half the sum over k of |C^[k][q] - C[k][q]|, mean over classes q; weighted: by
#                   their share of the test set
#   warned          the number of classes of which forward-train warns that their noise is not
#                   identifiable
# Suspects: all examples ranked, against the labels that were really changed; precision among the
# first m, m = number of changed labels, and average precision (area under the precision-recall
# curve), both in %.
#   suspects        suspects -n ALL
#   joint           confident learning: examples counted off the diagonal of the confident joint
#                   first, by the probability of their label, then the others likewise;
#                   probabilities by 3-fold cross-fitting of forward I
#   self            by the probability of the label only, same probabilities
#   margin          by that less the largest probability of another label
#
# Output, tab separated: set; kind of noise; what; mean and standard deviation over the seeds;
# number of seeds; the values, seed by seed; what was chosen, likewise.
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
[ $# = 1 ] || { sed -n '6s/^# \{0,1\}//p' "$0" >&2; exit 1; }
data=$1
PROGRAMS=${PROGRAMS:-$(dirname "$0")/..}
SETS=${SETS-optdigits usps mnist letter r8 r52 amazon_domain}
KINDS=${KINDS:-class:0.3 class:0.5 uniform:0.2 uniform:0.4 clean:0}
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
# ours: forward and UMA C^; others: learners that do not know the noise, and UMA C
PARTS=${PARTS:-ours others suspects}
SLOW=${SLOW-mnist}
SAMPLE=${SAMPLE:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
RUNS=${RUNS:-$tmp/runs}
: >> "$RUNS"

unpack() { if [ -f "$data/$1" ]; then cat "$data/$1"; else xz -dc "$data/$1.xz"; fi; }
unit_length() {
    awk '{ s = 0; for (i = 2; i <= NF; i++) { split($i, a, ":"); s += a[2] * a[2] }
           printf "%s", $1; s = s > 0 ? sqrt(s) : 1
           for (i = 2; i <= NF; i++) { split($i, a, ":"); printf " %s:%.9g", a[1], a[2] / s }
           print "" }'
}
percent() {
    awk '/Accuracy = / { sub(/.*Accuracy = /, ""); sub(/%.*/, ""); p = $0 }
         END { if (p == "") exit 1; print p }'
}
put() { # what value [choice]
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$set" "$kind" "$seed" "$1" "$2" "${3-}" >> "$RUNS"
}
result() { # name choice program that predicts and its options
    name=$1 choice=$2
    shift 2
    "$@" "$tmp/test" "$tmp/model" "$tmp/out" > "$tmp/log"
    put "$name" "$(percent < "$tmp/log")" "$choice"
}
matrix() { # of uniform noise, or of none
    echo "$labels" | tr , ' ' | awk -v r="$rate" '{
        print "confusion 1\nnr_class " NF "\nlabel " $0 "\nrows observed"
        for (k = 1; k <= NF; k++)
            for (q = 1; q <= NF; q++)
                printf "%.17g%s", (k == q ? 1 - r : r / (NF - 1)), (q < NF ? " " : "\n") }'
}
# column_errors true-matrix estimated-matrix: mean, and weighted by the shares of the classes in the
# test set
column_errors() {
    cut -d ' ' -f 1 "$tmp/test" | awk -v truth="$1" -v found="$2" '
        function read_matrix(file, c, line, n, name, row, i) {
            while ((getline line < file) > 0) {
                n = split(line, part, " ")
                if (part[1] == "label") {
                    for (i = 2; i <= n; i++) {
                        name[i - 1] = part[i]
                        classes = classes > i - 1 ? classes : i - 1
                    }
                } else if (part[1] !~ /^[a-z]/) {
                    row++
                    for (i = 1; i <= n; i++) c[name[row], name[i]] = part[i]
                }
            }
            if (file == truth) for (i in name) of[i] = name[i]
        }
        BEGIN { read_matrix(truth, C); read_matrix(found, E) }
        { share[$1]++ }
        END {
            for (q = 1; q <= classes; q++) {
                e = 0
                for (k = 1; k <= classes; k++) {
                    d = C[of[k], of[q]] - E[of[k], of[q]]
                    e += (d < 0 ? -d : d) / 2
                }
                plain += e / classes; weighted += e * share[of[q]] / NR
            }
            print plain, weighted
        }'
}
forward() { # name options
    "$PROGRAMS/forward-train" -q -T 1 -S "$seed" $2 "$tmp/noisy" "$tmp/model" 2> "$tmp/error"
    result "$1" '' "$PROGRAMS/forward-predict" -T 1
}
uma() { # name options
    choice=
    if ! "$PROGRAMS/uma-train" -q -T 1 -S "$seed" $2 "$tmp/noisy" "$tmp/model" 2> "$tmp/error"; then
        grep -q singular "$tmp/error" || { cat "$tmp/error" >&2; exit 1; }
        choice='--ridge 0.1'
        "$PROGRAMS/uma-train" -q -T 1 -S "$seed" $2 $choice "$tmp/noisy" "$tmp/model" 2> "$tmp/error"
    fi
    result "$1" "$choice" "$PROGRAMS/uma-predict" -T 1
}
liblinear() { # solver: C = 1, and the best C
    solver=$1
    liblinear-train -q -s "$solver" -c 1 "$tmp/noisy" "$tmp/model" > "$tmp/log"
    result "liblinear -s $solver" '' liblinear-predict
    case " $SLOW " in *" $whole "*) return ;; esac
    C=$(awk -F '\t' -v key="$set $kind liblinear -s $solver, C by CV" '
        $1 " " $2 " " $4 == key { print $6; exit }' "$RUNS")
    if [ -z "$C" ] || [ -n "$SAMPLE" ]; then
        for C in 0.01 0.1 1 10; do
            liblinear-train -q -s "$solver" -c "$C" -v 3 "$tmp/noisy" > "$tmp/log"
            printf '%s\t%s\n' "$(percent < "$tmp/log")" "$C"
        done > "$tmp/grid"
        # of ties, the first
        C=$(awk -F '\t' 'NR == 1 || $1 > top { top = $1; line = $2 } END { print line }' "$tmp/grid")
    fi
    [ "$C" = 1 ] || liblinear-train -q -s "$solver" -c "$C" "$tmp/noisy" "$tmp/model" > "$tmp/log"
    result "liblinear -s $solver, C by CV" "$C" liblinear-predict
}
ours() {
    [ ! -e "$tmp/C" ] || forward 'forward C' "-c $tmp/C"
    "$PROGRAMS/forward-train" -T 1 -S "$seed" --confusion-out "$tmp/found" "$tmp/noisy" "$tmp/model" \
        > "$tmp/log" 2> "$tmp/error"
    result 'forward C^' '' "$PROGRAMS/forward-predict" -T 1
    put 'warned' "$(grep -c 'warning: noise of class' "$tmp/error" || true)"
    if [ -e "$tmp/C" ]; then
        errors=$(column_errors "$tmp/C" "$tmp/found")
        put 'column error' "${errors% *}"
        put 'column error, weighted' "${errors#* }"
    fi
    forward 'forward I' '-c identity'
    uma 'UMA C^' "-s error -c $tmp/found"
}
others() {
    [ ! -e "$tmp/C" ] || uma 'UMA C' "-s error -c $tmp/C"
    for learner in arow arow-hinge perceptron pa1 cw adagrad-rda; do
        "$PROGRAMS/arow-train" -q -T 1 -S "$seed" -l 1 -i 10 -A -s "$learner" "$tmp/noisy" "$tmp/model"
        result "$learner -A" '' "$PROGRAMS/arow-predict" -T 1
    done
    if command -v liblinear-train > "$tmp/out"; then liblinear 0; liblinear 4; fi
}
# ranked what: precision among the first m, and average precision, of a list of 1 (changed) or 0
ranked() {
    scores=$(awk -v m="$changed" '
        $1 { n++; sum += n / NR }
        NR == m { first = n }
        END { print 100 * first / m, 100 * sum / m }')
    put "$1: first m" "${scores% *}"
    put "$1: average precision" "${scores#* }"
}
suspects() {
    paste -d ' ' "$tmp/names" "$tmp/noisy" | awk -v out="$tmp/wrong" '{ print ($1 != $2) > out }'
    changed=$(grep -c 1 "$tmp/wrong")
    "$PROGRAMS/suspects" -q -T 1 -S "$seed" -n "$(wc -l < "$tmp/noisy")" "$tmp/noisy" \
        > "$tmp/list" 2> "$tmp/error"
    sort -n "$tmp/list" | paste - "$tmp/wrong" | sort -s -t '	' -k 4,4g | cut -f 5 > "$tmp/ranked"
    ranked 'suspects' < "$tmp/ranked"
    for fold in 0 1 2; do # lines of given label, labels of the model and probabilities
        awk -v fold=$fold -v out="$tmp/rest" -v in_fold="$tmp/fold" \
            '{ print > (NR % 3 == fold ? in_fold : out) }' "$tmp/noisy"
        "$PROGRAMS/forward-train" -q -T 1 -S "$seed" -c identity --labels "$labels" \
            "$tmp/rest" "$tmp/model"
        "$PROGRAMS/forward-predict" -q -T 1 -b 1 "$tmp/fold" "$tmp/model" "$tmp/scores.$fold" \
            > "$tmp/log"
    done
    cut -d ' ' -f 1 "$tmp/noisy" | awk -v wrong="$tmp/wrong" -v scores="$tmp/scores." '
        NR == 1 {
            for (f = 0; f < 3; f++) { getline line < (scores f); classes = split(line, part, " ") - 1 }
            for (i = 1; i <= classes; i++) number[part[i + 1]] = i
        }
        {
            getline line < (scores NR % 3); split(line, part, " ")
            given[NR] = number[$1]
            for (i = 1; i <= classes; i++) p[NR, i] = part[i + 1]
            sum[given[NR]] += p[NR, given[NR]]; count[given[NR]]++
            getline w[NR] < wrong
        }
        END {
            for (n = 1; n <= NR; n++) {
                best = other = 0
                for (i = 1; i <= classes; i++) {
                    if (i != given[n] && p[n, i] > other) other = p[n, i]
                    if (count[i] && p[n, i] >= sum[i] / count[i] && (!best || p[n, i] > p[n, best])) best = i
                }
                printf "%d %.17g %d %.17g\n", !(best && best != given[n]), p[n, given[n]], w[n],
                    p[n, given[n]] - other
            }
        }' > "$tmp/joint"
    sort -s -k 1,1n -k 2,2g "$tmp/joint" | cut -d ' ' -f 3 > "$tmp/ranked"
    ranked 'joint' < "$tmp/ranked"
    sort -s -k 2,2g "$tmp/joint" | cut -d ' ' -f 3 > "$tmp/ranked"
    ranked 'self' < "$tmp/ranked"
    sort -s -k 4,4g "$tmp/joint" | cut -d ' ' -f 3 > "$tmp/ranked"
    ranked 'margin' < "$tmp/ranked"
}

# SAMPLE of the lines of $tmp/whole, in random order.
draw() {
    awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' "$tmp/whole" |
        sort | head -n "$SAMPLE" | cut -f 2-
}
boundary() { # $tmp/names, and $tmp/noisy
    "$PROGRAMS/forward-train" -q -T 1 -c identity "$tmp/train" "$tmp/model"
    "$PROGRAMS/forward-predict" -q -T 1 -b 1 "$tmp/train" "$tmp/model" "$tmp/out" > "$tmp/log"
    # line, best label, second best, margin
    awk 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
         {
             second = 0
             for (i = 2; i <= NF; i++)
                 if (name[i] != $1 && (!second || $i > $second)) second = i
             for (i = 2; i <= NF; i++) if (name[i] == $1) first = i
             printf "%d %s %s %.17g\n", NR - 1, $1, name[second], $first - $second
         }' "$tmp/out" | sort -s -k 4,4g | awk -v seed="$seed" -v r="$rate" -v n="$(wc -l < "$tmp/train")" '
             BEGIN { srand(seed) }
             { print $1, $2, (rand() < 2 * r * (1 - (NR - 1) / n) ? $3 : $2) }' | sort -n > "$tmp/drawn"
    cut -d ' ' -f 2 "$tmp/drawn" > "$tmp/names"
    paste -d ' ' "$tmp/drawn" "$tmp/train" | awk '{ $1 = $2 = $4 = ""; sub(/^ */, ""); print }' |
        tr -s ' ' > "$tmp/noisy"
}

for whole in $SETS; do
    set=$whole${SAMPLE:+, $SAMPLE lines}
    unpack "$whole.train" | unit_length > "$tmp/whole"
    unpack "$whole.test" | unit_length > "$tmp/test"
    for seed in $SEEDS; do
        if [ -n "$SAMPLE" ]; then draw > "$tmp/train"; else cp "$tmp/whole" "$tmp/train"; fi
        for kind in $KINDS; do
            cut -d ' ' -f 1 "$tmp/train" > "$tmp/names"
            labels=$(sort -n "$tmp/names" | uniq | paste -s -d , -)
            rm -f "$tmp/C"
            rate=${kind#*:}
            case $kind in
            clean:*)
                [ "$seed" -le 3 ] || continue
                cp "$tmp/train" "$tmp/noisy" && matrix > "$tmp/C" ;;
            class:*)
                "$PROGRAMS/synth" noise -q --flip "$rate" --labels "$labels" -S "$seed" > "$tmp/C"
                "$PROGRAMS/label-noise" -q -T 1 -c "$tmp/C" -S "$seed" "$tmp/train" > "$tmp/noisy" ;;
            uniform:*)
                matrix > "$tmp/C"
                "$PROGRAMS/label-noise" -q -T 1 -r "$rate" -S "$seed" "$tmp/train" > "$tmp/noisy" ;;
            boundary:*) boundary ;;
            esac
            case $PARTS in *ours*) ours ;; esac
            case $PARTS in *others*) others ;; esac
            case $PARTS in *suspects*) [ "$kind" = clean:0 ] || suspects ;; esac
        done
    done
done

command -v liblinear-train > "$tmp/out" ||
    echo '# liblinear-train is not installed: its lines are missing'
printf '# set\tnoise\twhat\tmean\tstd\tseeds\tvalues\tchosen\n'
sort -s -t '	' -k 3,3n "$RUNS" | awk -F '\t' '
    !(($1, $2, $4) in runs) {
        order[++lines] = $1 "\t" $2 "\t" $4
        if (!($1 in sets)) sets[$1] = ++set
    }
    {
        key = $1 SUBSEP $2 SUBSEP $4
        value[key, ++runs[key]] = $5
        chosen[key] = chosen[key] (runs[key] > 1 && $6 ? " " : "") $6
    }
    END {
        for (l = 1; l <= lines; l++) {
            split(order[l], part, "\t"); key = part[1] SUBSEP part[2] SUBSEP part[3]
            n = runs[key]; s = ss = 0; list = ""
            for (i = 1; i <= n; i++) {
                s += value[key, i]
                list = list (i > 1 ? " " : "") sprintf("%.4g", value[key, i])
            }
            for (i = 1; i <= n; i++) ss += (value[key, i] - s / n) ^ 2
            printf "%s\t%.3f\t%.3f\t%d\t%s\t%s\n", order[l], s / n, (n > 1 ? sqrt(ss / (n - 1)) : 0), n,
                list, chosen[key]
        }
    }' | sort -s -t '	' -k 1,2
