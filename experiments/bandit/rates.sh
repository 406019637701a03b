#!/bin/sh
# Tables 1 and 2 of the noisy-bandit paper (Agarwal and Manwani): the noise rates that rcine
# estimates, and what not knowing them costs.
#
#   usage: experiments/bandit/rates.sh DATA_FOLDER
#
# DATA_FOLDER holds optdigits (the authors' "MNIST": their program reads its 64 features), usps, mnist and
# iris; synsep is generated.  From the environment, beside what lib.sh names: SETS, NOISE, ESTIMATORS,
# GAMMA; SEEDS and ROUNDS of the estimator margin; MLP_SEEDS and MLP_ROUNDS of mlp and mlp-authors, which
# are slow.
#
# A run is rcnbf-train -s rcine.  Its rates are 0 in the first period of 20000 rounds; at the end of
# each period they are estimated from the rounds of that period.  gamma is .1 everywhere (a smaller
# one would need a longer period).  The networks are those of the paper:
#     hidden units   128,128 for optdigits and mnist; 32,256,32 for usps; 32,32 for iris;
#                    48,48 for synsep
#     dropout        .2; .3 for synsep
#     epochs         70 (the authors' program has 20 for usps)
#
# Output, rates.txt, tab separated; the first word names the table:
#     rates   set; noise; estimator; rounds; runs; rho0, mean and standard deviation over the runs;
#             rho1, likewise; rho0 and rho1 in the paper, "at an intermediate instance", - where it
#             has none (it has no real mnist)
#     error   set; noise; learner, rcine with its estimator or rcnbf with the true rates; rounds;
#             runs; error in % on the labels shown in these rounds, mean and standard deviation
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
# shellcheck source=experiments/bandit/learners.sh
. "$folder/learners.sh"
if [ -n "$QUICK" ]; then
    SETS=iris NOISE='.2,.4' SEEDS='1 2' ROUNDS=100000
    ESTIMATORS='margin mlp'
fi
SETS=${SETS:-optdigits usps mnist iris synsep}
NOISE=${NOISE:-0,0 .15,.15 .25,.25 .2,.4 .4,.2 .4,.4}
ESTIMATORS=${ESTIMATORS:-margin mlp mlp-authors}
GAMMA=${GAMMA:-.1}
SEEDS=${SEEDS:-1 2 3}
ROUNDS=${ROUNDS:-1000000}
MLP_SEEDS=${MLP_SEEDS:-1}
MLP_ROUNDS=${MLP_ROUNDS:-20000}

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

# run LEARNER ROUNDS SEED OPTIONS: appends the run's trace, and a blank line, to the file of traces
run() {
    learner=$1 rounds=$2 seed=$3
    shift 3
    "$PROGRAMS/rcnbf-train" -q -T 1 --random-order -x "$noise" -g "$GAMMA" -s "$learner" -i "$rounds" \
        -S "$seed" --trace "$tmp/trace" "$@" "$train" "$tmp/model"
    { cat "$tmp/trace"; echo; } >> "$tmp/traces"
}

# report NAME: the lines of the table, from the runs in the file of traces, numbered, since results are sorted
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
                    print ++lines, "rates", set, noise, name, t, runs,
                        mean(a[t], runs), deviation(a[t], aa[t], runs),
                        mean(b[t], runs), deviation(b[t], bb[t], runs),
                        paper == "" ? "-" OFS "-" : paper
            }
            for (i = 2; i <= m; i++) {
                t = at[i] + 0
                if (t in n)
                    print ++lines, "error", set, noise, name == "rcnbf" ? name : "rcine " name, t, runs,
                        mean(e[t], runs), deviation(e[t], ee[t], runs)
            }
        }' "$tmp/paper" "$tmp/traces"
    rm "$tmp/traces"
}

cell() { # cell SET NOISE ESTIMATOR|rcnbf: its lines
    set=$1 noise=$2
    fetch "$set"
    train=$tmp/train
    case $set in
    usps) hidden=32,256,32 dropout=.2 ;;
    iris) hidden=32,32 dropout=.2 ;;
    synsep) hidden=48,48 dropout=.3 ;;
    *) hidden=128,128 dropout=.2 ;;
    esac
    case $3 in
    margin) for seed in $SEEDS; do run rcine "$ROUNDS" "$seed"; done ;;
    rcnbf) for seed in $SEEDS; do run rcnbf "$ROUNDS" "$seed" -r "$noise"; done ;;
    *)
        for seed in $MLP_SEEDS; do
            run rcine "$MLP_ROUNDS" "$seed" --estimator "$3" --hidden "$hidden" --dropout "$dropout" \
                --epochs 70
        done ;;
    esac
    report "$3"
}

for set in $SETS; do for noise in $NOISE; do for what in $ESTIMATORS rcnbf; do
    tabs "$set" "$noise" "$what"
done; done; done > "$tmp/list"
work cell "$tmp/list"
results | awk -F '\t' '
    NR == FNR {
        key = $1 FS $2 FS $3
        line[key, ++n[key]] = substr($0, length(key FS $4 FS) + 1)
        next
    }
    FNR == 1 {
        print "# rates\tset\tnoise\testimator\trounds\truns\trho0\tstd\trho1\tstd\tpaper rho0\tpaper rho1"
        print "# error\tset\tnoise\tlearner\trounds\truns\terror\tstd"
    }
    { for (i = 1; i <= n[$0]; i++) print line[$0, i] }' - "$tmp/list" > "$OUT/$name.txt"
value() { awk -F '\t' -v e="$1" -v f="$2" '$1 == "rates" && $4 == e { print $f; exit }' "$OUT/$name.txt"; }
expect 'rho0 by margin, truly .2' "$(value margin 7)" .17 .23
expect 'rho1 by margin, truly .4' "$(value margin 9)" .36 .44
expect 'rho1 by mlp, truly .4' "$(value mlp 9)" .35 .6
