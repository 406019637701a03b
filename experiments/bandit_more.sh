#!/bin/sh
# Four questions about learning from noisy bandit feedback that the paper (Agarwal and Manwani) leaves open.
#
#   usage: experiments/bandit_more.sh DATA_FOLDER > experiments/bandit_more.txt
#
# DATA_FOLDER holds optdigits.train and optdigits.test, or the same with .xz behind; the other data are made by `synth synsep`, their test
# sets by --part 1.  From the environment: PROGRAMS, SEEDS.  Output, tab separated, first word the table; errors and accuracies in %.
#
# weights  which iterate a model should hold: -w last and -w average of the same run, rounds at random.  Set; noise; rounds; gamma;
#          learner (with the true rates, where it takes any); test error of the last weights, of the average: mean and standard deviation.
# rates    wrong noise rates: synsep, truly .2,.4; 200000 rounds at random, gamma .1.  beta = 1 - rho0 - rho1 of the rates used (the true
#          one is .4); rates used; learner (nsm: each raised to at least .02); error on shown labels.
# log      off-policy: 100000 rounds of a log, noise .2,.4, learnt with the true rates by rcnbf and nsm; the others take none, and their IPS
#          and SNIPS assume none.  Log: labels drawn uniformly, or by an old classifier (rcnbf after 20000 rounds) that shows
#          a uniform label in a share eps of the rounds; learner; seed; test error of the model of all rounds; test accuracy of the model of
#          the first half; what the second half says of that: IPS, standard error, SNIPS, standard error.  `old`: the old classifier.
# classes  K classes, 45 K words (13 or 14 key words a class, as K = 9 has with 400), 100000 rounds in one pass, noise .15,.15, true rates.
#          K; gamma; learner; error on shown labels; error of the argmax; test error of the average: mean and standard deviation each.
set -eu
[ $# = 1 ] || { sed -n '4p' "$0" | sed 's/^# *//' >&2; exit 1; }
data=$1
PROGRAMS=${PROGRAMS:-$(dirname "$0")/..}
SEEDS=${SEEDS:-1 2 3 4 5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
tab=$(printf '\t')

synsep() { "$PROGRAMS/synth" synsep -q "$@" > "$tmp/train" && "$PROGRAMS/synth" synsep -q "$@" -n 10000 --part 1 > "$tmp/test"; }
learn() { "$PROGRAMS/rcnbf-train" -q -T 1 -S "$seed" "$@" "$tmp/model"; }
accuracy() { "$PROGRAMS/rcnbf-predict" "$tmp/test" "$tmp/model" "$tmp/labels" | awk '/^Accuracy/ { sub(/.*\(/, ""); split($0, a, /[\/)]/); print 100 * a[1] / a[2] }'; }
test_error() { accuracy | awk '{ print 100 - $1 }'; }
errors() { tail -n 1 "$tmp/trace" | awk '{ print 100 * $2, 100 * $3 }'; } # on shown labels, of the argmax
# The options of a learner, given the noise rates that it uses
rates() {
    case $1 in
        rcnbf) echo "-s rcnbf -r $2" ;;
        rcnbf-average) echo "-s rcnbf --play average -r $2" ;;
        nsm) echo "-s nsm -r $2" | awk '{ split($4, r, ","); print $1, $2, $3, (r[1] < .02 ? .02 : r[1]) "," (r[2] < .02 ? .02 : r[2]) }' ;;
        *) echo "-s $1" ;;
    esac
}
# From lines "name, tab, numbers": each name once, with mean and standard deviation of every column of numbers
means() {
    awk -F '\t' '
        {
            if (!($1 in n)) names[++m] = $1
            n[$1]++
            c = split($2, x, " ")
            for (k = 1; k <= c; k++) { sum[$1, k] += x[k]; squares[$1, k] += x[k] * x[k] }
        }
        END {
            for (i = 1; i <= m; i++) {
                line = names[i]
                gsub(/ /, "\t", line)
                for (k = 1; k <= c; k++) {
                    s = sum[names[i], k]; t = n[names[i]]
                    v = t > 1 ? (squares[names[i], k] - s * s / t) / (t - 1) : 0
                    line = line sprintf("\t%.2f\t%.2f", s / t, v > 0 ? sqrt(v) : 0)
                }
                print line
            }
        }'
}

printf '# weights\tset\tnoise\trounds\tgamma\tlearner\tlast\tstd\taverage\tstd\n'
synsep
weights() { # set noise rounds gamma
    for learner in rcnbf banditron; do
        for seed in $SEEDS; do
            printf 'weights %s %s\t' "$*" "$learner"
            for iterate in last average; do
                # shellcheck disable=SC2046
                learn $(rates "$learner" "$2") -x "$2" -i "$3" -g "$4" --random-order -w "$iterate" "$tmp/train"
                test_error
            done | paste -s -d ' ' -
        done
    done | means
}
weights synsep .2,.4 200000 .1
for part in train test; do
    if [ -f "$data/optdigits.$part" ]; then cat "$data/optdigits.$part"; else xz -dc "$data/optdigits.$part.xz"; fi > "$tmp/$part"
done
weights optdigits .15,.15 3000000 .03
weights optdigits .4,.4 3000000 .1

printf '# rates\tbeta\trates\tlearner\terror\tstd\n'
synsep
for used in .25,.45 .225,.425 .2,.4 .4,.2 .3,.3 .175,.375 .15,.35 .1,.3 .2,.2 .05,.25 0,.2 0,0; do
    for learner in rcnbf nsm; do
        for seed in $SEEDS; do
            # shellcheck disable=SC2046
            learn $(rates "$learner" "$used") -x .2,.4 -g .1 -i 200000 --random-order --trace "$tmp/trace" "$tmp/train"
            printf 'rates %s %s %s\t%s\n' "$(echo "$used" | awk -F , '{ print 1 - $1 - $2 }')" "$used" "$learner" "$(errors | cut -d ' ' -f 1)"
        done
    done
done | means

printf '# log\tlog\tlearner\tseed\ttest error\taccuracy of half\tIPS\tstd error\tSNIPS\tstd error\n'
# log eps seed: what the old classifier, whose labels are in a file, shows with a share eps of uniform labels, or uniform labels only
log() {
    awk -v eps="$1" -v seed="$2" '
        function uniform() { state = state * 16807 % 2147483647; return state / 2147483647 } # the same numbers in every awk
        BEGIN { state = seed; for (i = 0; i < 100; i++) uniform(); K = 9 }
        NR == FNR { old[NR] = $1; next }
        {
            shown = uniform() < eps ? 1 + int(K * uniform()) : old[FNR]
            flipped = uniform() < (shown == $1 ? .4 : .2)
            right = (shown == $1) != flipped
            $1 = shown ":" right ":" eps / K + (shown == old[FNR] ? 1 - eps : 0)
            print
        }' "$tmp/old" "$tmp/train" > "$tmp/log"
}
for seed in $SEEDS; do
    synsep -S "$seed"
    learn -r .2,.4 -x .2,.4 -i 20000 "$tmp/train"
    "$PROGRAMS/rcnbf-predict" -q "$tmp/train" "$tmp/model" "$tmp/old" > "$tmp/report"
    printf 'log\told\trcnbf\t%s\t%s\n' "$seed" "$(test_error)"
    for eps in 1 .3 .1; do
        log "$eps" "$seed"
        head -n 50000 "$tmp/log" > "$tmp/half"
        for learner in rcnbf nsm banditron bpa soba; do
            options=$(rates "$learner" .2,.4)
            # shellcheck disable=SC2086
            learn $options --log --hold-out 0 "$tmp/half"
            half=$(accuracy)
            # shellcheck disable=SC2086
            "$PROGRAMS/rcnbf-train" -T 1 $options --log --hold-out .5 "$tmp/log" "$tmp/model" > "$tmp/report" 2>&1
            printf 'log\t%s\t%s\t%s\t%s\t%s\t%s\n' "$([ "$eps" = 1 ] && echo uniform || echo "eps $eps")" "$learner" "$seed" "$(test_error)" "$half" \
                "$(awk -v OFS='\t' '/^IPS|^SNIPS/ { print 100 * $3, 100 * $5 }' "$tmp/report" | paste -s -)"
        done
    done
done | sort -t "$tab" -k 2,2r -k 3,3 -k 4,4n -s

printf '# classes\tK\tgamma\tlearner\tshown\tstd\targmax\tstd\ttest\tstd\n'
for classes in 3 9 30 90; do
    synsep -k "$classes" -d $((45 * classes))
    for gamma in .05 .3; do
        for learner in rcnbf rcnbf-average bpa nsm; do
            for seed in $SEEDS; do
                # shellcheck disable=SC2046
                learn $(rates "$learner" .15,.15) -x .15,.15 -g "$gamma" --trace "$tmp/trace" "$tmp/train"
                printf 'classes %s %s %s\t%s\n' "$classes" "$gamma" "$learner" "$(errors) $(test_error)"
            done
        done
    done | means
done
