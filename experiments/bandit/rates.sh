#!/bin/sh
# Tables 1 and 2 of the noisy-bandit paper (Agarwal and Manwani): the noise rates that rcine
# estimates, and what not knowing them costs.
#
#   usage: experiments/bandit_rates.sh DATA_FOLDER > experiments/bandit_rates.txt
#
# DATA_FOLDER holds NAME.train or NAME.train.xz of optdigits (the authors' "MNIST": their program
# reads its 64 features), usps, mnist and iris; synsep is generated here (synth synsep, 100000
# texts).  From the environment: PROGRAMS, SETS, NOISE, ESTIMATORS, GAMMA; SEEDS and ROUNDS of the
# estimator margin; MLP_SEEDS and MLP_ROUNDS of mlp and mlp-authors, which are slow.
#
# A run is rcnbf-train -s rcine.  Its rates are 0 in the first period of 20000 rounds; at the end of
# each period they are estimated from the rounds of that period.  gamma is .1 everywhere (a smaller
# one would need a longer period).  The networks are those of the paper:
#     hidden units   128,128 for optdigits and mnist; 32,256,32 for usps; 32,32 for iris;
#                    48,48 for synsep
#     dropout        .2; .3 for synsep
#     epochs         70 (the authors' program has 20 for usps)
#
# Output, tab separated; the first word names the table:
#     rates   set; noise; estimator; rounds; runs; rho0, mean and standard deviation over the runs;
#             rho1, likewise; rho0 and rho1 in the paper, "at an intermediate instance", - where it
#             has none (it has no real mnist)
#     error   set; noise; learner, rcine with its estimator or rcnbf with the true rates; rounds;
#             runs; error in % on the labels shown in these rounds, mean and standard deviation
set -eu
[ $# = 1 ] || { sed -n '5p' "$0" | sed 's/^# *//' >&2; exit 1; }
data=$1
PROGRAMS=${PROGRAMS:-$(dirname "$0")/..}
SETS=${SETS:-optdigits usps mnist iris synsep}
NOISE=${NOISE:-0,0 .15,.15 .25,.25 .2,.4 .4,.2 .4,.4}
ESTIMATORS=${ESTIMATORS:-margin mlp mlp-authors}
GAMMA=${GAMMA:-.1}
SEEDS=${SEEDS:-1 2 3}
ROUNDS=${ROUNDS:-1000000}
MLP_SEEDS=${MLP_SEEDS:-1}
MLP_ROUNDS=${MLP_ROUNDS:-100000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# set noise rho0 rho1: Table 1, Table 2
cat > "$tmp/paper" <<'TABLES'
optdigits 0,0 .063 .029
optdigits .15,.15 .172 .147
optdigits .25,.25 .248 .264
optdigits .2,.4 .211 .439
optdigits .4,.2 .400 .260
optdigits .4,.4 .403 .508
usps 0,0 .017 .000
usps .15,.15 .181 .153
usps .25,.25 .258 .257
usps .2,.4 .194 .419
usps .4,.2 .393 .229
usps .4,.4 .402 .515
iris 0,0 .000 .000
iris .15,.15 .164 .172
iris .25,.25 .261 .288
iris .2,.4 .209 .423
iris .4,.2 .407 .244
iris .4,.4 .412 .412
synsep 0,0 .000 .003
synsep .15,.15 .177 .143
synsep .25,.25 .286 .282
synsep .2,.4 .230 .459
synsep .4,.2 .453 .268
synsep .4,.4 .416 .499
TABLES

# play LEARNER ROUNDS SEED OPTIONS: appends the run's trace, and a blank line, to the file of traces
play() {
    learner=$1 rounds=$2 seed=$3
    shift 3
    "$PROGRAMS/rcnbf-train" -q --random-order -x "$noise" -g "$GAMMA" -s "$learner" -i "$rounds" \
        -S "$seed" --trace "$tmp/trace" "$@" "$train" "$tmp/model"
    { cat "$tmp/trace"; echo; } >> "$tmp/traces"
}

# report NAME: the lines of the table, from the runs in the file of traces
report() {
    awk -v OFS='\t' -v set="$set" -v noise="$noise" -v name="$1" '
        function mean(s, n) { return sprintf("%.4f", s / n) }
        function deviation(s, squares, n, v) {
            v = n > 1 ? (squares - s * s / n) / (n - 1) : 0
            return n > 1 ? sprintf("%.4f", v > 0 ? sqrt(v) : 0) : "-"
        }
        NR == FNR { if ($1 == set && $2 == noise) paper = $3 OFS $4; next }
        !NF { runs++; next }
        {
            t = $1 + 0
            n[t]++
            e[t] += 100 * $2; ee[t] += 10000 * $2 * $2
            a[t] += $4; aa[t] += $4 * $4
            b[t] += $5; bb[t] += $5 * $5
        }
        END {
            m = split("20000 100000 1000000", at, " ")
            for (i = 1; i <= m && name != "rcnbf"; i++) {
                t = at[i] + 0
                if (t in n)
                    print "rates", set, noise, name, t, runs,
                        mean(a[t], runs), deviation(a[t], aa[t], runs),
                        mean(b[t], runs), deviation(b[t], bb[t], runs),
                        paper == "" ? "-" OFS "-" : paper
            }
            for (i = 2; i <= m; i++) {
                t = at[i] + 0
                if (t in n)
                    print "error", set, noise, name == "rcnbf" ? name : "rcine " name, t, runs,
                        mean(e[t], runs), deviation(e[t], ee[t], runs)
            }
        }' "$tmp/paper" "$tmp/traces"
    rm "$tmp/traces"
}

printf '# rates\tset\tnoise\testimator\trounds\truns\trho0\tstd\trho1\tstd\tpaper rho0\tpaper rho1\n'
printf '# error\tset\tnoise\tlearner\trounds\truns\terror\tstd\n'
for set in $SETS; do
    train=$data/$set.train
    if [ "$set" = synsep ]; then
        train=$tmp/train
        "$PROGRAMS/synth" synsep -q > "$train"
    elif [ ! -f "$train" ]; then
        train=$tmp/train
        xz -dc "$data/$set.train.xz" > "$train"
    fi
    case $set in
        usps) hidden=32,256,32 dropout=.2 ;;
        iris) hidden=32,32 dropout=.2 ;;
        synsep) hidden=48,48 dropout=.3 ;;
        *) hidden=128,128 dropout=.2 ;;
    esac
    for noise in $NOISE; do
        for estimator in $ESTIMATORS; do
            if [ "$estimator" = margin ]; then
                for seed in $SEEDS; do play rcine "$ROUNDS" "$seed"; done
            else
                for seed in $MLP_SEEDS; do
                    play rcine "$MLP_ROUNDS" "$seed" --estimator "$estimator" --hidden "$hidden" \
                        --dropout "$dropout" --epochs 70
                done
            fi
            report "$estimator"
        done
        for seed in $SEEDS; do play rcnbf "$ROUNDS" "$seed" -r "$noise"; done
        report rcnbf
    done
done
