#!/bin/sh
# Test accuracy of softmax regression through the confusion matrix of the labels, known or estimated
# from the labels alone (forward-train), and of learners that do not know it; and which labels
# `suspects` finds wrong.
#
#   usage: experiments/forward/noise.sh DATA_FOLDER
#
# DATA_FOLDER holds NAME.train and NAME.test of optdigits, usps, mnist, letter, r8, r52 and amazon_domain.
# Writes noise.txt.  From the environment, beside what lib.sh names: SETS, KINDS, SEEDS, PARTS and SLOW as
# below; SAMPLE, so many lines of each training set, others for each seed (else all; then samples.txt is
# written).  noise.txt in the tree was made with SEEDS='1 2 3 4 5 6 7 8 9 10', samples.txt with these,
# SAMPLE=300, 600 and 1200, SETS='optdigits usps letter' and KINDS='class:0.3 uniform:0.2 uniform:0.4',
# boundary.txt as its first line says.
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
#   forward C       forward-train -t linear -c C, the true matrix
#   forward C^      forward-train -t linear: the matrix is estimated
#   forward I       forward-train -t linear -c identity: plain softmax regression
#                   All three choose lambda, and on text the number of steps, themselves.
#   forward -t auto, forward C -t auto
#                   the default, near the boundary, on TEXTS and of a SAMPLE: elsewhere compare has it
#   UMA C, UMA C^   uma-train -s error with the true matrix, and with the one that forward C^
#                   estimated (which is what -c estimate does); --ridge 0.1 where it is refused as
#                   singular
#   liblinear       C = 1; and the best of 0.01 0.1 1 10 by 3-fold cross-validation on the noisy
#                   labels, of the first seed where there is no SAMPLE (not on SLOW sets)
#   others          arow-train -A -i 10, defaults
# Of the estimated matrix:
#   column error    half the sum over k of |C^[k][q] - C[k][q]|, mean over classes q; weighted: by
#                   their share of the test set; largest -t auto: that of the class where the
#                   default's is largest
#   warned          the number of classes of which forward-train warns that their noise is not
#                   identifiable
#   warnings -t auto
#                   the number of warnings of any kind by the default
# Suspects: all examples ranked, against the labels that were really changed; precision among the
# first m, m = number of changed labels, and average precision (area under the precision-recall
# curve), both in %.
#   suspects        suspects -n ALL
#   joint           confident learning: examples counted off the diagonal of the confident joint
#                   first, by the probability of their label, then the others likewise;
#                   probabilities by cross-fitting of forward I in FOLDS folds, as many as
#                   `suspects` has (in noise.txt of the tree ten for TEXTS, else three)
#   self            by the probability of the label only, same probabilities
#   margin          by that less the largest probability of another label
#
# noise.txt, tab separated: set; kind of noise; what; mean and standard deviation over the seeds;
# number of seeds; the values, seed by seed; what was chosen, likewise.
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
. "$folder/boundary.sh"
if [ -n "$QUICK" ]; then
    SETS=digits KINDS=class:0.3 SEEDS=1 SAMPLE=600
fi
SETS=${SETS-optdigits usps mnist letter r8 r52 amazon_domain}
KINDS=${KINDS:-class:0.3 class:0.5 uniform:0.2 uniform:0.4 clean:0}
SEEDS=${SEEDS:-1 2 3}
TEXTS='r8 r52 amazon_domain'
# ours: forward and UMA C^; default: forward -t auto; others: learners that do not know the noise, and UMA C
PARTS=${PARTS:-ours default others suspects}
SLOW=${SLOW-mnist}
FOLDS=10
SAMPLE=${SAMPLE:-}
put() { # what value [choice]
    tabs "$1" "$2" "${3-}"
}
result() { # name choice program that predicts and its options
    what=$1 choice=$2
    shift 2
    "$@" "$tmp/test" "$tmp/model" "$tmp/out" > "$tmp/log"
    put "$what" "$(percent < "$tmp/log")" "$choice"
}
# column_errors true-matrix estimated-matrix: mean, weighted by the shares of the classes in the test
# set, and largest
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
                if (e > largest) largest = e
            }
            print plain, weighted, largest + 0
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
# choose SOLVER: the best C by cross-validation on the noisy labels.  Of the first seed, as all others use it;
# with SAMPLE each seed has its own.
choose() {
    grid "liblinear-train -q -s $1 -c @ -v 3 $tmp/noisy" 0.01 0.1 1 10
}
chosen() { # SOLVER
    if [ -n "$SAMPLE" ]; then choose "$1"; return; fi
    awk -F '\t' -v set="$set" -v kind="$kind" -v solver="$1" '
        $1 == "choice" && $2 == set && $3 == kind && $4 == solver { print $5 }' "$RUNS"
}
liblinear() { # solver: C = 1, and the best C
    solver=$1
    liblinear-train -q -s "$solver" -c 1 "$tmp/noisy" "$tmp/model" > "$tmp/log"
    result "liblinear -s $solver" '' liblinear-predict
    case " $SLOW " in *" $whole "*) return ;; esac
    C=$(chosen "$solver")
    [ "$C" = 1 ] || liblinear-train -q -s "$solver" -c "$C" "$tmp/noisy" "$tmp/model" > "$tmp/log"
    result "liblinear -s $solver, C by CV" "$C" liblinear-predict
}
ours() {
    [ ! -e "$tmp/C" ] || forward 'forward C' "-t linear -c $tmp/C"
    "$PROGRAMS/forward-train" -T 1 -S "$seed" -t linear --confusion-out "$tmp/found" \
        --report "$tmp/report" "$tmp/noisy" "$tmp/model" \
        > "$tmp/log" 2> "$tmp/error"
    result 'forward C^' '' "$PROGRAMS/forward-predict" -T 1
    put 'warned' "$(awk '/^class[.].*[.]identifiable\t0$/ { n++ } END { print n + 0 }' "$tmp/report")"
    if [ -e "$tmp/C" ]; then
        column_errors "$tmp/C" "$tmp/found" > "$tmp/errors"
        read -r mean weighted _ < "$tmp/errors"
        put 'column error' "$mean"
        put 'column error, weighted' "$weighted"
    fi
    forward 'forward I' '-t linear -c identity'
    uma 'UMA C^' "-s error -c $tmp/found"
}
default() {
    forward 'forward -t auto' "--confusion-out $tmp/found"
    put 'warnings -t auto' "$(grep -c 'warning:' "$tmp/error" || true)"
    if [ -e "$tmp/C" ]; then
        put 'column error, largest -t auto' "$(column_errors "$tmp/C" "$tmp/found" | cut -d ' ' -f 3)"
        forward 'forward C -t auto' "-c $tmp/C"
    fi
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
    "$PROGRAMS/suspects" -q -T 1 -S "$seed" -t linear -n "$(wc -l < "$tmp/noisy")" "$tmp/noisy" \
        > "$tmp/list" 2> "$tmp/error"
    sort -n "$tmp/list" | paste - "$tmp/wrong" | sort -s -t '	' -k 4,4g | cut -f 5 > "$tmp/ranked"
    ranked 'suspects' < "$tmp/ranked"
    for fold in $(seq 0 $((FOLDS - 1))); do # lines of given label, labels of the model and probabilities
        awk -v fold="$fold" -v folds="$FOLDS" -v out="$tmp/rest" -v in_fold="$tmp/fold" \
            '{ print > (NR % folds == fold ? in_fold : out) }' "$tmp/noisy"
        "$PROGRAMS/forward-train" -q -T 1 -S "$seed" -t linear -c identity --labels "$labels" \
            "$tmp/rest" "$tmp/model"
        "$PROGRAMS/forward-predict" -q -T 1 -b 1 "$tmp/fold" "$tmp/model" "$tmp/scores.$fold" \
            > "$tmp/log"
    done
    cut -d ' ' -f 1 "$tmp/noisy" | awk -v wrong="$tmp/wrong" -v scores="$tmp/scores." -v folds="$FOLDS" '
        NR == 1 {
            for (f = 0; f < folds; f++) { getline line < (scores f); classes = split(line, part, " ") - 1 }
            for (i = 1; i <= classes; i++) number[part[i + 1]] = i
        }
        {
            getline line < (scores NR % folds); split(line, part, " ")
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
# cell SET KIND SEED: $tmp/train, $tmp/names, $tmp/noisy, $tmp/test and, where there is one, $tmp/C
cell() {
    whole=$1 kind=$2 seed=$3
    set=$whole${SAMPLE:+, $SAMPLE lines}
    unpack "$whole.train" | unit_length > "$tmp/whole"
    unpack "$whole.test" | unit_length > "$tmp/test"
    if [ -n "$SAMPLE" ]; then draw > "$tmp/train"; else cp "$tmp/whole" "$tmp/train"; fi
    cut -d ' ' -f 1 "$tmp/train" > "$tmp/names"
    labels=$(labels_of "$tmp/train")
    rate=${kind#*:}
    case $kind in
    boundary:*) boundary "$rate" "$seed" ;;
    *) add_noise "$kind" "$seed" "$tmp/train" "$tmp/C" > "$tmp/noisy" ;;
    esac
}
run() { # SET KIND SEED PART
    cell "${1%%,*}" "$2" "$3"
    "$4"
}
choice() { # of SET KIND SOLVER, by the first seed
    cell "$2" "$3" "${SEEDS%% *}"
    choose "$4"
}

if [ -z "$SAMPLE" ] && command -v liblinear-train > "$tmp/out"; then
    case $PARTS in *others*)
        for whole in $SETS; do
            case " $SLOW " in *" $whole "*) continue ;; esac
            for kind in $KINDS; do for solver in 0 4; do tabs choice "$whole" "$kind" "$solver"; done; done
        done > "$tmp/list"
        work choice "$tmp/list" ;;
    esac
fi
for whole in $SETS; do for seed in $SEEDS; do for kind in $KINDS; do for part in $PARTS; do
    case $part.$kind in
    suspects.clean:0) continue ;;
    default.boundary:*) ;;
    default.*) [ -n "$SAMPLE" ] || case " $TEXTS " in *" $whole "*) ;; *) continue ;; esac ;;
    esac
    case $kind in clean:*) [ "$seed" -le 3 ] || continue ;; esac
    tabs "$whole${SAMPLE:+, $SAMPLE lines}" "$kind" "$seed" "$part"
done; done; done; done > "$tmp/list"
work run "$tmp/list"

[ -n "$SAMPLE" ] && [ -z "$QUICK" ] && table=samples || table=noise
{
command -v liblinear-train > "$tmp/out" ||
    echo '# liblinear-train is not installed: its lines are missing'
printf '# set\tnoise\twhat\tmean\tstd\tseeds\tvalues\tchosen\n'
grep -v '^choice' "$RUNS" | cut -f 1-3,5- | sort -s -t '	' -k 3,3n | awk -F '\t' '
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
} > "$OUT/$table.txt"

value() { awk -F '\t' -v what="$1" '$3 == what { print $4 }' "$OUT/$table.txt"; }
expect 'forward C^' "$(value 'forward C^')" 84 95
expect 'error of a column of the matrix' "$(value 'column error')" 0 0.12
expect 'liblinear -s 0' "$(value 'liblinear -s 0')" 78 93 liblinear-train
expect 'suspects: average precision' "$(value 'suspects: average precision')" 95 100
expect 'confident joint: average precision' "$(value 'joint: average precision')" 85 100
