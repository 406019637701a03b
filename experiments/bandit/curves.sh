#!/bin/sh
# Figures 2, 4 and 5 of the noisy-bandit paper (Agarwal and Manwani): learning curves, five noises.
#
#   usage: experiments/bandit_curves.sh DATA_FOLDER OUT_FOLDER > experiments/bandit_curves.txt
#
# DATA_FOLDER holds NAME.train or NAME.train.xz of optdigits (the authors' "MNIST"), mnist, usps and
# iris; synsep is generated here (synth synsep, 100000 texts).  OUT_FOLDER gets the mean curves,
# bandit_curves.dat, and a picture of each set, bandit_NAME.png; without gnuplot there are no
# pictures, and the numbers are the same.  From the environment: PROGRAMS, SETS, ROUNDS (of the sets
# without :rounds in SETS), NOISE, LEARNERS, GRID, RUNS, SELECT, OPTIONS, JOBS (number of
# processes).
#
# Every round draws an example at random, with replacement, as the authors' program does; x is
# scaled to unit length (their program takes raw x: OPTIONS='-l 0').  rcnbf and nsm get the true
# noise rates (nsm: raised to at least .02), rcine estimates them (margin); rcnbf-average is rcnbf
# --play average.  soba is the diagonal one.
#
# gamma is chosen for each set, noise and learner: the value in GRID with the least error on shown
# labels after all the rounds, in one run with the seed SELECT, which is none of RUNS.  Not all
# values are tried: the search starts near (rho0 + rho1) / 5, or .01 if that is more (bpa and nsm,
# which need less: near .001), and moves to the better neighbour until both neighbours are worse.
# rcine takes the gamma of rcnbf if that is among LEARNERS: estimating its rates is most of the
# work.  A * marks a gamma at an end of the grid; exploring less than .0002 could not save more than
# .0002 of error.  The table is of RUNS runs with that gamma.
#
# Output, tab separated: set; noise; learner; gamma; * or -; rounds; runs; error on shown labels
# after all rounds, mean and standard deviation over the runs; its mean after 10^4, 10^5, 10^6, 10^7
# rounds; mean error of the argmax over all rounds.
# bandit_curves.dat: set; noise; learner; rounds; error on shown labels, mean and standard deviation;
# error of the argmax.
# All errors are cumulative: wrong rounds so far divided by rounds so far.
#
# Everything took about 70 minutes of processor time, half of it optdigits (10^7 rounds), more than
# half rcine; with ROUNDS=100000 SETS='optdigits mnist usps synsep iris' 8 minutes, half of them
# mnist.
set -eu
[ $# = 2 ] || { sed -n '4p' "$0" | sed 's/^# *//' >&2; exit 1; }
data=$1 out=$2
here=$(dirname "$0")
PROGRAMS=${PROGRAMS:-$here/..}
SETS=${SETS:-optdigits:10000000 mnist usps synsep iris}
ROUNDS=${ROUNDS:-1000000}
NOISE=${NOISE:-0,0 .15,.15 .4,.4 .2,.4 .4,.2}
LEARNERS=${LEARNERS:-rcnbf rcnbf-average rcine banditron bpa soba nsm}
GRID=${GRID:-.0002 .0005 .001 .002 .005 .01 .02 .05 .1 .2 .3 .45}
RUNS=${RUNS:-1 2 3 4 5 6 7 8 9 10}
SELECT=${SELECT:-100}
OPTIONS=${OPTIONS:-}
JOBS=${JOBS:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
curves=$out/bandit_curves.dat

# play noise learner gamma seed: writes the trace to $tmp/trace.NOISE.LEARNER.SEED
play() {
    case $2 in
        rcnbf) set -- "$@" -s rcnbf -r "$1" ;;
        rcnbf-average) set -- "$@" -s rcnbf -r "$1" --play average ;;
        nsm)
            raised=$(echo "$1" | awk -F , '{ print ($1 < .02 ? .02 : $1) "," ($2 < .02 ? .02 : $2) }')
            set -- "$@" -s nsm -r "$raised" ;;
        *) set -- "$@" -s "$2" ;;
    esac
    noise=$1 gamma=$3 seed=$4 trace=$tmp/trace.$1.$2.$4
    shift 4
    # shellcheck disable=SC2086
    "$PROGRAMS/rcnbf-train" -q -T 1 --random-order -i "$rounds" -x "$noise" -g "$gamma" -S "$seed" \
        --trace "$trace" "$@" $OPTIONS "$train" "$trace.model"
    rm "$trace.model"
}

# next noise learner file: from the file's lines "gamma error", the next gamma to try, or when the
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

select_gamma() { # noise learner
    tried=$tmp/tried.$1.$2
    : > "$tried"
    while gamma=$(next "$1" "$2" "$tried") && [ "${gamma#take}" = "$gamma" ]; do
        play "$1" "$2" "$gamma" "$SELECT"
        tail -n 1 "$trace" | awk -v gamma="$gamma" '{ print gamma, $2 }' >> "$tried"
        rm "$trace"
    done
    echo "$gamma" > "$tmp/gamma.$1.$2"
}

run_all() { # noise learner
    cell=$1.$2
    chosen=$2
    [ -f "$tmp/gamma.$cell" ] || chosen=rcnbf
    read -r _ gamma mark < "$tmp/gamma.$1.$chosen"
    for seed in $RUNS; do play "$1" "$2" "$gamma" "$seed"; done
    awk -v OFS='\t' -v set="$name" -v noise="$1" -v learner="$2" -v gamma="$gamma" -v mark="$mark" \
        -v curve="$tmp/curve.$cell" '
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
                if (at[i] >= 100)
                    print set, noise, learner, at[i], mean(at[i]), deviation(at[i]),
                        sprintf("%.5f", greedy[at[i]] / n[at[i]]) > curve
            t = at[lines]
            print set, noise, learner, gamma, mark, t, runs, mean(t), deviation(t),
                mean(10000), mean(100000), mean(1000000), mean(10000000), sprintf("%.5f", greedy[t] / n[t])
        }' "$tmp/trace.$cell".* > "$tmp/line.$cell"
    rm "$tmp/trace.$cell".*
}

# each command learners: the command with every noise and learner, in JOBS processes; a process that
# could make the directory of a pair takes that pair
each() {
    mkdir "$tmp/$1"
    workers=
    job=0
    while [ "$job" -lt "$JOBS" ]; do
        (
            for noise in $NOISE; do
                for learner in $2; do
                    if mkdir "$tmp/$1/$noise.$learner" 2> "$tmp/taken"; then "$1" "$noise" "$learner"; fi
                done
            done
        ) &
        workers="$workers $!"
        job=$((job + 1))
    done
    for worker in $workers; do wait "$worker"; done
    rm -r "${tmp:?}/$1"
}

case " $LEARNERS " in
    *" rcnbf "*) selected=$(echo " $LEARNERS " | sed 's/ rcine / /') ;;
    *) selected=$LEARNERS ;;
esac
mkdir -p "$out"
printf '# set\tnoise\tlearner\trounds\terror\tstd\targmax\n' > "$curves"
printf '# set\tnoise\tlearner\tgamma\tend\trounds\truns\terror\tstd\t1e4\t1e5\t1e6\t1e7\targmax\n'
for set in $SETS; do
    name=${set%:*}
    rounds=${set#"$name"}
    rounds=${rounds#:}
    rounds=${rounds:-$ROUNDS}
    train=$data/$name.train
    if [ "$name" = synsep ]; then
        train=$tmp/train
        "$PROGRAMS/synth" synsep -q > "$train"
    elif [ ! -f "$train" ]; then
        train=$tmp/train
        xz -dc "$data/$name.train.xz" > "$train"
    fi
    each select_gamma "$selected"
    each run_all "$LEARNERS"
    for noise in $NOISE; do
        for learner in $LEARNERS; do
            cat "$tmp/line.$noise.$learner"
            cat "$tmp/curve.$noise.$learner" >> "$curves"
        done
    done
    rm "$tmp"/gamma.*
    if command -v gnuplot > "$tmp/out"; then
        gnuplot -e "curves = '$curves'; folder = '$out'; set_name = '$name'; noises = '$NOISE'" \
            "$here/bandit_curves.gp"
    fi
done
