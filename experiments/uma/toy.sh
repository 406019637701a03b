#!/bin/sh
# UMA on the toy set of its papers: Figures 1a and 1b of Louche and Ralaivola (2015).
#
#   usage: experiments/uma/toy.sh
#
# Writes toy.txt and, with gnuplot, toy_a.svg and toy_b.svg.  From the environment, beside what lib.sh
# names: SEEDS.  Figure 1 of the 2013 paper is the same experiment.
#
# A run is a seed: it draws the classes, 1000 examples and 10000 others for the test (synth toy), the
# random matrix M from which the family C_i is made (synth noise -i), and which labels change
# (label-noise).  There are ten.
#
# Figure a: labels changed by C_i, i = 1 .. 20; UMA is given C_i.  x is ||C_i - diag(C_i)||_F, mean
#           over the runs.
# Figure b: labels changed by C_10 = M; UMA is given C_i, i = 0 .. 20.  x is rho = 1 - i / 10.
# Figure c, not in the paper: b with 50000 examples and some of the i, to tell the method from its
#           sampling noise.
#
# Learners: perceptron is UMA with C = I, as in the paper.
#     last, best           -w last, -w best after 300 iterations; training ends earlier only if no
#                          pair of classes is left to choose (-e 0)
#     last, 30; last, 3000 the same with as many iterations
#     defaults             uma-train with -c alone: 1000 iterations, -e 2, best
# Nothing else is set, so nothing is chosen.  The best iterate is that of the lowest estimated error,
# which uma-train computes from the noisy labels and the C that it is given.
#
# Output, tab separated: figure; learner; i; x; runs, fewer than the seeds where uma-train refused
# C_i as too near to singular.  Then, on the test set with its true labels, mean and standard
# deviation over these runs of each:
#     off-diagonal      the norm ||C^ - diag(C^)||_F of the confusion matrix C^ (columns sum to 1),
#                       which the paper's figures must show, as they exceed 1
#     confusion rate    as the paper defines it: the norm divided by sqrt(10)
#     error             test error in %
#     minus reference   the norm minus that of the reference, run by run
# Last, the number of runs in which the norm is below the reference.  The reference is
#     in figure a           the perceptron of the same options
#     in figures b and c    the same learner at rho = 0
# The lines "rho > 0" and "rho < 0" are of each run's mean over those rho, "rho > 0" without rho = 1;
# "rho < 0 to > 0" is "rho < 0" with "rho > 0" as its reference.
set -eu
needs_data=no
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
STEPS='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20' LARGE=50000
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
if [ -n "$QUICK" ]; then
    SEEDS=1 STEPS='3 6' LARGE=2000
fi

# run figure learner i x options: a line of results, or a note that C_i was refused.
run() {
    figure=$1 learner=$2 i=$3 x=$4
    shift 4
    if "$PROGRAMS/uma-train" -q -T 1 "$@" "$tmp/noisy" "$tmp/model" 2> "$tmp/error"; then
        "$PROGRAMS/uma-predict" -T 1 -m "$tmp/test" "$tmp/model" "$tmp/out" |
            awk -v head="$figure$tab$learner$tab$i$tab$x" '
                /^Accuracy = / { sub(/%.*/, "", $3); error = 100 - $3 }
                /^Confusion rate = / { rate = $4 }
                END { print head "\t" rate * sqrt(10) "\t" rate "\t" error }'
    else
        grep -q 'ill-conditioned\|singular' "$tmp/error" || { cat "$tmp/error" >&2; exit 1; }
        why=$(sed 's/.*: //' "$tmp/error")
        echo "# refused: figure $figure, $learner, i = $i, seed $seed: $why"
    fi
}

# both figure i x: UMA with C_i, last and best
both() {
    run "$1" 'UMA last' "$2" "$3" -c "$tmp/C.$2" -i 300 -e 0 -w last
    run "$1" 'UMA best' "$2" "$3" -c "$tmp/C.$2" -i 300 -e 0 -w best
}
noise() { "$PROGRAMS/label-noise" -q -T 1 -c "$tmp/C.$1" -S "$seed" "$tmp/train" > "$tmp/noisy"; }
rho() { awk "BEGIN { printf \"%.1f\", 1 - $1 / 10 }"; }

of_seed() { # SEED
    seed=$1
    "$PROGRAMS/synth" toy -q -n 1000 -S "$seed" > "$tmp/train"
    "$PROGRAMS/synth" toy -q -n 10000 -S "$seed" --part 1 > "$tmp/test"
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        "$PROGRAMS/synth" noise -q -i "$i" -S "$seed" --labels 1-10 > "$tmp/C.$i"
    done
    for i in $STEPS; do
        noise "$i"
        x=$(awk '/^rows/ { on = 1; next } on { row++; for (k = 1; k <= NF; k++) if (k != row) s += $k * $k }
                 END { printf "%.6f", sqrt(s) }' "$tmp/C.$i")
        both a "$i" "$x"
        run a 'perceptron last' "$i" "$x" -c identity -i 300 -e 0 -w last
        run a 'perceptron best' "$i" "$x" -c identity -i 300 -e 0 -w best
        for C in "$tmp/C.$i" identity; do
            if [ "$C" = identity ]; then who=perceptron; else who=UMA; fi
            run a "$who last, 30" "$i" "$x" -c "$C" -i 30 -e 0 -w last
            run a "$who last, 3000" "$i" "$x" -c "$C" -i 3000 -e 0 -w last
            run a "$who defaults" "$i" "$x" -c "$C"
        done
    done
    noise 10
    for i in 0 $STEPS; do
        [ -n "$QUICK" ] || both b "$i" "$(rho "$i")"
    done
    "$PROGRAMS/synth" toy -q -n "$LARGE" -S "$seed" > "$tmp/train"
    noise 10
    for i in 0 2 5 8 9 10 11 12 15 20; do
        [ -n "$QUICK" ] || both c "$i" "$(rho "$i")"
    done
}
for seed in $SEEDS; do echo "$seed"; done > "$tmp/list"
work of_seed "$tmp/list"

grep -v "refused:" "$RUNS" | awk -F '\t' -v OFS='\t' '{ print $2, $3, $4, $5, $1, $6, $7, $8 }' |
    sort -s -t "$tab" -k 5,5n > "$tmp/flat"
grep "refused:" "$RUNS" | cut -f 2 > "$tmp/refused" || :
awk -F '\t' -v OFS='\t' '
    function moments(n, s, ss) { # mean and standard deviation
        if (!n) return "-\t-"
        ss = (ss - s * s / n) / (n > 1 ? n - 1 : 1)
        return sprintf("%.4f\t%.4f", s / n, ss > 0 ? sqrt(ss) : 0)
    }
    function reference(key, part) { # of figure, learner, i, seed
        split(key, part, FS)
        if (part[1] != "a") return part[1] FS part[2] FS 10 FS part[4]
        sub(/^UMA/, "perceptron", part[2])
        return part[1] FS part[2] FS part[3] FS part[4]
    }
    function add(group, x, seed, norm, rate, error, against) {
        if (!(group in runs)) order[++groups] = group
        runs[group]++
        sum[group, "x"] += x
        sum[group, 1] += norm; square[group, 1] += norm * norm
        sum[group, 2] += rate; square[group, 2] += rate * rate
        sum[group, 3] += error; square[group, 3] += error * error
        if (against == "") return
        pairs[group]++
        sum[group, 4] += norm - against; square[group, 4] += (norm - against) ^ 2
        below[group] += norm < against
    }
    {
        key = $1 FS $2 FS $3 FS $5
        keys[++n] = key
        x[key] = $4; norm[key] = $6; rate[key] = $7; error[key] = $8
        seeds[$5]
    }
    END {
        for (k = 1; k <= n; k++) {
            key = keys[k]
            split(key, part, FS)
            add(part[1] FS part[2] FS part[3], x[key], part[4], norm[key], rate[key], error[key],
                norm[reference(key)])
            if (part[1] != "a" && part[3] > 0 && part[3] != 10) {
                side = part[1] FS part[2] FS (part[3] < 10 ? "rho > 0" : "rho < 0") FS part[4]
                if (!(side in many)) sides[++m] = side
                many[side]++; N[side] += norm[key]; R[side] += rate[key]; E[side] += error[key]
            }
        }
        for (k = 1; k <= m; k++) {
            side = sides[k]
            split(side, part, FS)
            c = many[side]
            head = part[1] FS part[2] FS
            add(head part[3], 0, part[4], N[side] / c, R[side] / c, E[side] / c,
                norm[head 10 FS part[4]])
            other = head "rho > 0" FS part[4]
            if (part[3] == "rho < 0" && other in many)
                add(head "rho < 0 to > 0", 0, part[4], N[side] / c, R[side] / c, E[side] / c,
                    N[other] / many[other])
        }
        for (g = 1; g <= groups; g++) {
            group = order[g]
            split(group, part, FS)
            x_mean = part[3] ~ /rho/ ? "-" : sprintf("%.4f", sum[group, "x"] / runs[group])
            line = group FS x_mean FS runs[group]
            for (j = 1; j <= 4; j++)
                line = line FS moments(j == 4 ? pairs[group] : runs[group], sum[group, j], square[group, j])
            print line, pairs[group] ? below[group] + 0 : "-"
        }
    }' "$tmp/flat" | sort -t "$tab" -k 1,1 -k 2,2 -s > "$tmp/lines"

{
    printf '# figure\tlearner\ti\tx\truns\toff-diagonal\tstd\tconfusion rate\tstd\terror\tstd\t'
    printf 'minus reference\tstd\tbelow\n'
    sort "$tmp/refused"
    cat "$tmp/lines"
} > "$OUT/toy.txt"

[ -n "$QUICK" ] || for figure in a b; do
    { echo "numbers = '$OUT/toy.txt'; figure = '$figure'"; cat "$folder/toy.gp"; } |
        picture "$OUT/toy_$figure.svg" 760 480
done

value() { awk -F '\t' -v learner="$1" -v i="$2" '$1 == "a" && $2 == learner && $3 == i { print $6 }' "$OUT/toy.txt"; }
expect 'norm, UMA, i = 6' "$(value 'UMA defaults' 6)" 0.3 2
expect 'norm, perceptron, i = 6' "$(value 'perceptron defaults' 6)" 1.2 2.6
