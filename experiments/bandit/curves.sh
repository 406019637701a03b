#!/bin/sh
# Figures 2, 4, 5 and 6 of the noisy-bandit paper (Agarwal and Manwani): learning curves, six noises.
#
#   usage: experiments/bandit/curves.sh DATA_FOLDER
#
# DATA_FOLDER holds optdigits (the authors' "MNIST": their program reads its 64 features), usps, mnist and
# iris; synsep is generated.  From the environment, beside what lib.sh names: SETS, ROUNDS (of the sets
# without :rounds in SETS, and of the noise .25,.25 everywhere), NOISE, LEARNERS, GRID, SEEDS, SELECT,
# OPTIONS.
#
# Every round draws an example at random, with replacement, as the authors' program does; x is
# scaled to unit length (their program takes raw x: OPTIONS='-l 0').  rcnbf and nsm get the true
# noise rates (nsm: raised to at least .02), rcine estimates them (margin); rcnbf-average is rcnbf
# --play average.  soba is the diagonal one.
#
# gamma is chosen for each set, noise and learner: the value in GRID with the least error on shown
# labels after all the rounds, in one run with the seed SELECT, which is none of SEEDS.  Not all
# values are tried: the search starts near (rho0 + rho1) / 5, or .01 if that is more (bpa and nsm,
# which need less: near .001), and moves to the better neighbour until both neighbours are worse.
# rcine takes the gamma of rcnbf if that is among LEARNERS: estimating its rates is most of the
# work.  A * marks a gamma at an end of the grid; exploring less than .0002 could not save more than
# .0002 of error.  The table is of SEEDS with that gamma.
#
# Output, curves.txt, tab separated: set; noise; learner; gamma; * or -; rounds; runs; error on shown
# labels after all rounds, mean and standard deviation over the runs; its mean after 10^4, 10^5, 10^6,
# 10^7 rounds; mean error of the argmax over all rounds.  And a picture of each set, with the
# noises of Figures 2, 4 and 5, and one of all sets at .25,.25 (Figure 6).
# All errors are cumulative: wrong rounds so far divided by rounds so far.
#
# With ROUNDS=100000 SETS='optdigits mnist usps synsep iris' OUT=elsewhere it takes a tenth of the time
# (curves_1e5.txt).
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
# shellcheck source=experiments/bandit/learners.sh
. "$folder/learners.sh"
if [ -n "$QUICK" ]; then
    SETS='iris digits' ROUNDS=20000 NOISE='0,0 .2,.4' SEEDS='1 2' GRID='.001 .02 .1'
    LEARNERS='rcnbf banditron bpa nsm'
fi
SETS=${SETS:-iris synsep usps mnist optdigits:10000000}
ROUNDS=${ROUNDS:-1000000}
NOISE=${NOISE:-0,0 .15,.15 .25,.25 .4,.4 .2,.4 .4,.2}
LEARNERS=${LEARNERS:-rcnbf rcnbf-average rcine banditron bpa soba nsm}
GRID=${GRID:-.0002 .0005 .001 .002 .005 .01 .02 .05 .1 .2 .3 .45}
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
SELECT=${SELECT:-100}
OPTIONS=${OPTIONS:-}

# one NOISE LEARNER GAMMA ROUNDS SEED: writes the trace to $tmp/trace.SEED
one() {
    # shellcheck disable=SC2046,SC2086 # options are words
    "$PROGRAMS/rcnbf-train" -q -T 1 --random-order -i "$4" -x "$1" -g "$3" -S "$5" \
        --trace "$tmp/trace.$5" $(rates "$2" "$1") $OPTIONS "$tmp/train" "$tmp/model"
}
# next NOISE LEARNER FILE: from the file's lines "gamma error", the next gamma to try, or when the
# search is over "take", the best gamma, and * if that is an end of the grid
next() {
    awk -v grid="$GRID" -v noise="$1" -v learner="$2" '
        { error[$1] = $2 }
        END {
            n = split(grid, g, " ")
            split(noise, rho, ",")
            start = (rho[1] + rho[2]) / 5 > .01 ? (rho[1] + rho[2]) / 5 : .01
            if (learner == "bpa" || learner == "nsm") start = .001
            for (i = 1; i <= n; i++) {
                away = g[i] < start ? start / g[i] : g[i] / start
                if (!near || away < nearest) { near = i; nearest = away }
                if ((g[i] in error) && (!best || error[g[i]] < error[g[best]])) best = i
            }
            if (!best) print g[near]
            else if (best > 1 && !(g[best - 1] in error)) print g[best - 1]
            else if (best < n && !(g[best + 1] in error)) print g[best + 1]
            else print "take", g[best], (best == 1 || best == n ? "*" : "-")
        }' "$3"
}
choose() { # choose SET NOISE LEARNER ROUNDS: gamma, and * or -
    fetch "$2"
    : > "$tmp/tried"
    while gamma=$(next "$3" "$4" "$tmp/tried") && [ "${gamma#take}" = "$gamma" ]; do
        one "$3" "$4" "$gamma" "$5" "$SELECT"
        tail -n 1 "$tmp/trace.$SELECT" | awk -v gamma="$gamma" '{ print gamma, $2 }' >> "$tmp/tried"
    done
    echo "${gamma#take }" | tr ' ' '\t'
}
# play SET NOISE LEARNER ROUNDS GAMMA: runs, the numbers of the table, and the curve, as rounds:error
play() {
    fetch "$2"
    for seed in $SEEDS; do one "$3" "$4" "$6" "$5" "$seed"; done
    awk -v OFS='\t' '
        FNR == 1 { runs++ }
        {
            if (!($1 in n)) at[++lines] = $1
            n[$1]++
            sum[$1] += $2; squares[$1] += $2 * $2
            greedy[$1] += $3
        }
        function mean(t) { return (t in n) ? sprintf("%.5f", sum[t] / n[t]) : "-" }
        function deviation(t, v) {
            v = n[t] > 1 ? (squares[t] - sum[t] * sum[t] / n[t]) / (n[t] - 1) : 0
            return sprintf("%.5f", v > 0 ? sqrt(v) : 0)
        }
        END {
            for (i = 1; i <= lines; i++)
                if (at[i] >= 100) curve = curve (curve == "" ? "" : " ") at[i] ":" mean(at[i])
            t = at[lines]
            print runs, mean(t), deviation(t), mean(10000), mean(100000), mean(1000000), mean(10000000),
                sprintf("%.5f", greedy[t] / n[t]), curve
        }' "$tmp"/trace.*
}

# cells COMMAND: a job for each set, noise and learner
cells() {
    for set in $SETS; do
        rounds=${set#*:}
        [ "$rounds" != "$set" ] || rounds=$ROUNDS
        for noise in $NOISE; do
            [ "$noise" != .25,.25 ] || rounds=$ROUNDS
            for learner in $LEARNERS; do tabs "$1" "${set%:*}" "$noise" "$learner" "$rounds"; done
            rounds=${set#*:}
            [ "$rounds" != "$set" ] || rounds=$ROUNDS
        done
    done
}
case " $LEARNERS " in *" rcnbf "*) lends=rcnbf ;; *) lends=none ;; esac
cells choose | awk -F '\t' -v lends="$lends" '$4 != "rcine" || lends == "none"' > "$tmp/list"
work choose "$tmp/list"
results > "$tmp/results"
cells play | awk -F '\t' -v OFS='\t' -v lends="$lends" '
    NR == FNR { if ($1 == "choose") gamma[$2, $3, $4, $5] = $6; next }
    {
        from = $4 == "rcine" && lends != "none" ? lends : $4
        print $0, gamma[$2, $3, from, $5]
    }' "$tmp/results" - > "$tmp/list"
work play "$tmp/list"

results | awk -F '\t' -v OFS='\t' -v lends="$lends" -v curves="$tmp/curves" '
    NR == FNR {
        if ($1 == "choose") mark[$2, $3, $4, $5] = $7
        else if ($1 == "play") {
            key = $2 OFS $3 OFS $4 OFS $5 OFS $6
            runs[key] = $7; table[key] = $8 OFS $9 OFS $10 OFS $11 OFS $12 OFS $13 OFS $14; curve[key] = $15
        }
        next
    }
    FNR == 1 {
        print "# set", "noise", "learner", "gamma", "end", "rounds", "runs", "error", "std", "1e4", "1e5",
            "1e6", "1e7", "argmax"
    }
    {
        key = $2 OFS $3 OFS $4 OFS $5 OFS $6
        if (!(key in runs)) next
        from = $4 == "rcine" && lends != "none" ? lends : $4
        print $2, $3, $4, $6, mark[$2, $3, from, $5], $5, runs[key], table[key]
        n = split(curve[key], point, " ")
        for (i = 1; i <= n; i++) { split(point[i], a, ":"); print $2, $3, $4, a[1], a[2] > curves }
    }' - "$tmp/list" > "$OUT/$name.txt"
# draw FIGURE HEADING BY SETS NOISES: a panel for each set and noise that there is
draw() {
    awk -F '\t' -v sets=" $4 " -v noises=" $5 " 'index(sets, " " $1 " ") && index(noises, " " $2 " ")' \
        "$tmp/curves" > "$tmp/shown"
    [ -s "$tmp/shown" ] || return 0
    there=$(for set in $4; do for noise in $5; do tabs "$set" "$noise"; done; done |
        awk -F '\t' 'NR == FNR { has[$1, $2]; next } ($1, $2) in has' "$tmp/shown" -)
    {
        echo "sets = '$(echo "$there" | cut -f 1 | paste -s -d ' ' -)'"
        echo "noises = '$(echo "$there" | cut -f 2 | paste -s -d ' ' -)'"
        echo "heading = '$2'; by = '$3'; curves = '$tmp/shown'"
        cat "$folder/curves.gp"
    } | picture "$OUT/$1.svg" 1200 640
}
names=$(for set in $SETS; do echo "${set%:*}"; done | paste -s -d ' ' -)
others=$(echo "$NOISE" | sed 's/\.25,\.25//')
for set in $names; do
    case $set in
    iris) figure=figure4_iris ;;
    synsep) figure=figure5_synsep ;;
    *) figure=figure2_$set ;;
    esac
    draw "$figure" "$set" noise "$set" "$others"
done
draw figure6 'noise .25, .25' set "$names" .25,.25
value() {
    awk -F '\t' -v s="$1" -v n="$2" -v l="$3" \
        '$1 == s && $2 == n && $3 == l { print 100 * $8 }' "$OUT/$name.txt"
}
of_iris() { minus "$(value iris "$1" "$2")" "$(value iris "$1" "$3")"; }
expect 'RCNBF minus Banditron without noise, iris' "$(of_iris 0,0 rcnbf banditron)" 0 0
expect 'Banditron minus RCNBF at .2,.4, iris' "$(of_iris .2,.4 banditron rcnbf)" 1 40
expect 'BPA without noise, digits' "$(value digits 0,0 bpa)" 5 30
expect 'NSM at .2,.4, digits' "$(value digits .2,.4 nsm)" 20 60
