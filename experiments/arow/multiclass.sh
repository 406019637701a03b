#!/bin/sh
# Tables 3 to 8 and Figures 9 and 10 of the AROW paper (Crammer, Kulesza and Dredze 2013): several classes.
#
#   usage: experiments/arow/multiclass.sh DATA_FOLDER
#
# Accuracy on true labels of the paper's eight learners, with 0 to 50 % of the training labels replaced by
# others, all alike: AROW against the best wrong class, the best five, all of them; AROW-H (hinge loss);
# perceptron, PA, CW, AdaGrad.  Last weights, as in the paper: nothing is averaged.  The sets are those
# that stand in for the paper's nine (experiments/DATA.md); all examples at unit length, no bias.
#
# Hyperparameters and passes (1, 3 or 10) are chosen as in the paper in a single run, on noisy labels that
# are not among those of the results (seed 100), by 3-fold cross-validation on 4000 training examples at
# most (the paper: 2000).  Then three runs, each with its own noise and order: a test set where the set
# comes with one, else (amazon_domain) 10-fold cross-validation, as in the paper.
#
# Output, multiclass.txt: set; noise; learner; mean accuracy in %; its standard deviation; runs; values;
# options.  The set `mean` is the mean over the sets of which all noises are there, which stand in place of
# the options, with the deviation of that mean over the runs.
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
# shellcheck source=experiments/arow/learners.sh
. "$folder/learners.sh"
sets='optdigits usps letter r8 r52 amazon_domain mnist' rates='0 .1 .15 .2 .25 .5'
learners='arow arow_five arow_all arow_hinge perceptron pa cw adagrad' runs='1 2 3'
if [ -n "$QUICK" ]; then
    sets='iris digits' rates='0 .25' learners='arow arow_hinge perceptron pa cw' runs='1 2'
fi

cell() { # cell SET RATE: all learners
    unpack "$1.train" > "$tmp/clean"
    unpack "$1.test" > "$tmp/test"
    if [ "$1" = amazon_domain ]; then cat "$tmp/test" >> "$tmp/clean"; fi
    add_noise "uniform:$2" 100 "$tmp/clean" "$tmp/matrix" > "$tmp/noisy"
    shuffle "$tmp/noisy" 100 | head -n 4000 > "$tmp/some"
    for run in $runs; do
        add_noise "uniform:$2" "$run" "$tmp/clean" "$tmp/matrix" > "$tmp/noisy.$run"
    done
    for learner in $learners; do
        chosen=$(tune "$learner" "$tmp/some" 3 '1 3 10' '-l 1')
        for run in $runs; do
            # shellcheck disable=SC2086 # options are words
            set -- "$1" "$2" "$PROGRAMS/arow-train" -q -T 1 $chosen -S "$run"
            one=$1 two=$2
            shift 2
            if [ "$one" = amazon_domain ]; then
                "$@" -v 10 --fold-predictions "$tmp/predicted" "$tmp/noisy.$run" > "$tmp/log"
                right "$tmp/clean" "$tmp/predicted"
            else
                "$@" "$tmp/noisy.$run" "$tmp/model"
                accuracy "$PROGRAMS/arow-predict" -q -T 1
            fi > "$tmp/accuracy" # no pipe, which would hide that a program failed
            tabs "$learner" "$chosen" "$run" "$(cat "$tmp/accuracy")"
            set -- "$one" "$two"
        done
    done
}
# right TRUE PREDICTED: the accuracy in %, of two files whose lines begin with a label
right() {
    awk 'NR == FNR { y[FNR] = $1; next } { right += y[FNR] == $1 } END { print 100 * right / FNR }' "$1" "$2"
}

for set in $sets; do
    for rate in $rates; do tabs "$set" "$rate"; done
done > "$tmp/list"
work cell "$tmp/list"
# in the order of the lists: set, noise, learner
results | awk -F '\t' -v OFS='\t' -v sets="$sets" -v rates="$rates" -v learners="$learners" "$AWK"'
    { value[$1, $2, $3, $5] = $6; chosen[$1, $2, $3] = $4; if ($5 > R) R = $5 }
    END {
        S = split(sets, set, " "); N = split(rates, rate, " "); L = split(learners, learner, " ")
        print "# set", "noise", "learner", "mean", "std", "runs", "values", "options"
        for (k = 1; k <= S; k++) {
            missing = 0
            for (n = 1; n <= N; n++) if (!((set[k], rate[n], learner[1]) in chosen)) missing++
            if (!missing) { whole[++W] = set[k]; names = names (W > 1 ? " " : "") set[k] }
        }
        for (s = 1; s <= S + (W > 0); s++) for (n = 1; n <= N; n++) for (l = 1; l <= L; l++) {
            if (s <= S && !((set[s], rate[n], learner[l]) in chosen)) continue
            list = ""
            for (r = 1; r <= R; r++) {
                x[r] = s > S ? 0 : value[set[s], rate[n], learner[l], r]
                for (k = 1; s > S && k <= W; k++) x[r] += value[whole[k], rate[n], learner[l], r] / W
                list = list (r > 1 ? " " : "") sprintf("%.2f", x[r])
            }
            print (s > S ? "mean" : set[s]), rate[n], learner[l], sprintf("%.2f", mean(x, R)),
                sprintf("%.2f", deviation(x, R)), R, list,
                (s > S ? names : chosen[set[s], rate[n], learner[l]])
        }
    }' > "$OUT/$name.txt"
whole=$(awk -F '\t' '$1 == "mean" { print $8; exit }' "$OUT/$name.txt")
# Figure 9: means over the sets.  curve.LEARNER: noise in %; accuracy; increase in error in % of that
# without noise.
for learner in arow perceptron pa cw; do
    awk -F '\t' -v OFS='\t' -v l="$learner" -v whole=" $whole " '
        /^#/ || $3 != l { next }
        $1 == "mean" { noise[++n] = $2; accuracy[n] = $4; next }
        !index(whole, " " $1 " ") { next }
        $2 == 0 { clean[$1] = 100 - $4 }
        { more[$2] += ((100 - $4) / clean[$1] - 1) * 100; sets[$2]++ }
        END { for (i = 1; i <= n; i++) print 100 * noise[i], accuracy[i], more[noise[i]] / sets[noise[i]] }
    ' "$OUT/$name.txt" > "$tmp/curve.$learner"
done
curves() { # curves COLUMN
    for learner in arow perceptron pa cw; do
        printf "'%s' using 1:%s with linespoints lw 2.5 ps 0.7 pt p_%s lc rgb %s title '%s'\n" \
            "$tmp/curve.$learner" "$1" "$learner" "$(colour "$learner")" "$(title "$learner")"
    done | paste -s -d , -
}
picture "$OUT/figure9.svg" 900 400 << PLOT
set multiplot layout 1,2 title \
    'Mean of $(echo "$whole" | wc -w | tr -d ' ') sets of several classes' font ',13'
set xlabel 'wrong labels in %'; set xrange [-1:52]
set ylabel 'accuracy in %'; set key left bottom Left reverse samplen 2
plot $(curves 2)
set ylabel 'increase in error in %, mean of the sets'; set key left top; set yrange [0:*]
plot $(curves 3)
unset multiplot
PLOT

# Figure 10.  points.RATE: of each set, the mean accuracy of perceptron, PA and CW, and how much less error
# AROW has, in % of theirs; line.RATE: the line through them.
levels='0 .1 .25'
[ -z "$QUICK" ] || levels='0 .25'
for rate in $levels; do
    awk -F '\t' -v OFS='\t' -v rate="$rate" -v out="$tmp/points.$rate" -v whole=" $whole " '
        $2 != rate || /^#/ || !index(whole, " " $1 " ") { next }
        $3 == "perceptron" || $3 == "pa" || $3 == "cw" { others[$1] += $4 / 3 }
        $3 == "arow" { arow[$1] = $4 }
        END {
            for (s in arow) {
                x = others[s]; y = 100 * (arow[s] - x) / (100 - x)
                printf "%.2f\t%.2f\t%s\n", x, y, s > out
                n++; sx += x; sy += y; sxx += x * x; sxy += x * y
            }
            slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
            print rate, sprintf("%.3f", slope), sprintf("%.2f", (sy - slope * sx) / n)
        }' "$OUT/$name.txt"
done > "$tmp/fits"
{
    echo "# Figure 10: noise; slope and start of the line; its points: set, mean of the three, less" \
        "error in %"
    while IFS=$tab read -r rate slope start; do
        tabs fit "$rate" "$slope" "$start" \
            "$(sort "$tmp/points.$rate" | awk -F '\t' '{
                printf "%s%s %s %s", (NR > 1 ? "; " : ""), $3, $1, $2 }')"
    done < "$tmp/fits"
} >> "$OUT/$name.txt"
picture "$OUT/figure10.svg" 640 440 << PLOT
set title 'AROW against the mean of perceptron, PA and CW, a point a set'
set xlabel 'mean accuracy of the three in %'; set ylabel 'less error of AROW in % of theirs'
set key left top Left reverse; set xzeroaxis lc rgb '#888888'
plot $(while IFS=$tab read -r rate slope start; do
    case $rate in
    0) ink='#7fb3d5' point=7 noise=0 ;;
    .1) ink='#2471a3' point=5 noise=10 ;;
    *) ink='#0b2545' point=9 noise=25 ;;
    esac
    printf "'%s' using 1:2 with points pt %s ps 0.9 lc rgb '%s' title '%s %% noise', " \
        "$tmp/points.$rate" "$point" "$ink" "$noise"
    printf "%s * x + %s with lines lw 1.5 lc rgb '%s' notitle\n" "$slope" "$start" "$ink"
done < "$tmp/fits" | paste -s -d , -)
PLOT
value() {
    awk -F '\t' -v s="$1" -v r="$2" -v l="$3" '$1 == s && $2 == r && $3 == l { print $4 }' "$OUT/$name.txt"
}
expect 'AROW on digits' "$(value digits 0 arow)" 88 96
expect 'AROW on digits, .25' "$(value digits .25 arow)" 75 92
expect 'AROW minus CW on digits, .25' "$(minus "$(value digits .25 arow)" "$(value digits .25 cw)")" 3 40
expect 'PA on iris' "$(value iris 0 pa)" 70 100
