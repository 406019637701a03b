# Every allocation failing in turn: an error that says so in one line, status 1, and no file.
. "$top/tests/checks.sh"
file=$top/data/letter.train
left() { # is there anything that should not be?
    for path in fresh fresh.hop .libdoubt-*; do [ ! -e "$path" ] || return 0; done
    return 1
}

# One line of standard error that speaks of memory.  Read by the shell itself, as this is asked some thousand
# times.
complains() {
    lines=0 said=''
    while IFS= read -r line; do
        case $line in
            *': warning: '*) ;;
            *) lines=$((lines + 1)) said=$line ;;
        esac
    done < err
    case $lines:$said in
        1:*'out of memory'*) ;;
        *) return 1 ;;
    esac
}

head -n 60 "$file" > small
arow-train -q -i 2 small model && cp model old
kpca-train -q -D 3 small components
cut -d' ' -f1 small > labels
sed 's/ /:1:.5 /' small > small.log
head -n 5 small | awk '{ $1 = "?"; print; print 1 }' > questions
rcnbf-train -q -s soba --labels 1-26 small bandit
musvm-train -q small machine
awk '$1 > 3' "$file" | head -n 20 | awk '{ $1 = NR % 3 + 1; print }' > three
musvm-train -q -s svm-ovo three pairs
# No feature twice, as of texts without a common word: an SVM is tried.
awk '{ for (j = 2; j <= NF; j++) { split($j, a, ":"); $j = NR * 16 + a[1] ":" a[2] } print }' three > words
synth noise -q -i 3 --labels 1-26 > matrix
seq 1 26 | sed 's,.*,& name&,' > names
arow-train -q --map nystrom --map-dims 9 small nystrom && cp nystrom twin
arow-train -q --map fourier --map-dims 9 small fourier
printf '.8 .1 .1\n.1 .8 .1\n.1 .1 .8\n' > matrix.3
(echo labels 1 2 3; awk '{ $2 = $3 = $4 = 0.1; $($1 + 1) = 0.8; print $1, $2, $3, $4 }' three) > probabilities
forward-train -q -c matrix.3 --lambda 0 -i 1 three forward
awk '{ print NR % 3 }' small > weights
awk '{ print 1 + NR % 3 }' three > weights.3
awk '{ print NR % 12 }' three > groups.3
cat > commands << 'end'
arow-train -q -A small fresh
arow-train -q -f full --labels 1-26 - fresh
arow-train -q -v 3 small
arow-train -q -v 3 --fold-predictions fresh --fold-scores --report fresh.hop small
arow-train -q --report fresh.hop small fresh
arow-train -q -m model small fresh
arow-train -q -s adagrad-rda -A small fresh
arow-train -q --stream small fresh
arow-train -q -W weights small fresh
arow-train -q --stream -W weights small fresh
arow-predict -q -m small model fresh
arow-predict -q -m -b 1 --names names --report fresh.hop small model fresh
arow-merge model old
arow-train -q -T 1 --map nystrom -B 1 small fresh
arow-train -q -T 1 --map fourier --map-dims 9 - fresh
arow-train -q -T 1 --map fourier --map-dims 9 --map-gamma 1 --stream small fresh
arow-train -q -T 1 -m nystrom small fresh
arow-predict -q -T 1 -m small nystrom fresh
arow-predict -q -T 1 -b 1 small fourier fresh
arow-merge nystrom twin
uma-train -q -T 1 -e 0 -i 3 -c identity --map nystrom small fresh
rcnbf-train -q -T 1 --map nystrom small fresh
rcnbf-train -q -T 1 --log --map fourier --map-gamma 1 --map-dims 9 small.log fresh
label-noise -q -
label-noise -q small
label-noise -q -c matrix small
confusion -q small labels
confusion -q --report fresh.hop small labels
confusion -q --labels 1-26 - labels
synth toy -q
synth noise -q --flip 0.2
uma-train -q -e 0 -i 3 -c matrix --trace /dev/null small fresh
uma-train -q -e 0 -i 3 -w average -c identity - fresh
uma-train -q -v 2 -c matrix small
uma-train -q -v 2 -c matrix --fold-predictions fresh small
forward-train -q -T 1 -i 1 --features 5 --confusion-out fresh.hop three fresh
forward-train -q -T 1 -c matrix.3 --lambda 0 --stream three fresh
forward-train -q -T 1 -m forward three fresh
forward-train -q -T 1 -c matrix.3 -W weights.3 three fresh
forward-train -q -T 1 -t rbf -D 5 -g 1 -c matrix.3 three fresh
forward-train -q -T 1 three fresh
forward-train -q -T 1 words fresh
suspects -q -T 1 -t auto -D 5 -c identity three
suspects -q -T 1 --features 0 --groups groups.3 three
suspects -q -T 1 --clean -c matrix.3 three
suspects -q -T 1 -c matrix.3 --names names --report fresh.hop three
confusion -q -T 1 --from-noisy --features 0 three
suspects -q -T 1 --weights -c matrix.3 three
forward-train -q -T 1 --disk . -c matrix.3 --lambda 0 -W weights.3 three fresh
forward-train -q -T 1 --disk . --features 0 --sample 15 - fresh
uma-train -q -T 1 --disk . -e 0 -i 3 -c matrix small fresh
suspects -q -T 1 --disk . --sample 15 -c matrix.3 three
suspects -q -T 1 -p probabilities three
suspects -q -T 1 --relabel -c matrix.3 -p probabilities three
confusion -q -T 1 --from-noisy -p probabilities three
fourier -q -T 1 -D 5 -g 0.1 small
fourier -q -T 1 -D 5 -g 0.1 -
kpca-train -q -D 3 -T 1 small fresh
kpca-train -q -D 3 -n 20 -T 1 small fresh
kpca-project -q -T 1 small components fresh
rcnbf-train -q small fresh
rcnbf-train -q -s rcine -n 20 -g 0.5 -i 200 --random-order --trace /dev/null small fresh
rcnbf-train -q -T 1 -s rcine --estimator mlp --hidden 3 --epochs 1 -n 20 -g 0.5 -i 20 three fresh
rcnbf-train -q -T 1 -s rcine --estimator mlp-authors --hidden 3 --epochs 1 -n 20 -g 0.5 -i 20 three fresh
rcnbf-train -q -s nsm --play average - fresh
rcnbf-train -q -s soba --soba-full -w last small fresh
rcnbf-train -q -m bandit --labels 1-26 small fresh
rcnbf-train -q --log --labels 1-26 small.log fresh
rcnbf-train -q --log -i 200 small.log fresh
rcnbf-predict -q -b 1 -m small bandit fresh
rcnbf-predict -q -T 1 --log small.log bandit fresh
musvm-train -q -T 1 -u three -w 1:2 -b three fresh
musvm-train -q -T 1 -M 0 small fresh
musvm-train -q -T 1 -s m-svm -t linear - fresh
musvm-train -q -T 1 -v 2 small
musvm-train -q -T 1 -w 1:2 -W weights small fresh
musvm-train -q -T 1 -v 2 -s svm-ovo --fold-predictions fresh three
musvm-predict -q -T 1 --hop fresh.hop --universum small small machine fresh
musvm-predict -q -T 1 -b 1 -m small machine fresh
musvm-predict -q -T 1 -b 1 small pairs fresh
musvm-train -q -T 1 -s svm-ova three fresh
musvm-train -q -T 1 -s svm-ovo three fresh
musvm-train -q -T 1 -s u-svm-ova -t linear -c 0.001 -u three -w 1:2 three fresh
musvm-train -q -T 1 -s u-svm-ovo -M 0 -u three three fresh
musvm-train -q -T 1 -s s3vm-ova -u three three fresh
musvm-train -q -T 1 -s svm-ovo -v 2 three
musvm-train -q -T 1 -C cv -v 2 --grid-c 1,10 --grid-g 0.1,1 --grid-p 0,1 -u three -j results three fresh
musvm-train -q -T 1 -C span --grid-c 1,10 --grid-p 0,1 -u three -j results three fresh
musvm-train -q -T 1 -C loo-local -t linear --grid-c 0.001,0.01 -j results three fresh
end
# Which one fails after the n-th: each of the first 20, then one after another sixth of n.  With TEST_ALL:
# each of the first 450, then every 19th, as an estimate does the same over and over.
if [ -n "${TEST_ALL:-}" ]; then
    go_on() { n=$((n + 1 + 18 * (n > 450))); }
else
    go_on() { n=$((n + 1 + (n > 20) * n / 6)); }
fi

# The n-th allocation alone fails: if all that follow failed too, one that nobody checks would pass for
# checked.
fail_each() {
    while read -r command; do
        MEMORY_CALLS=calls "$tests/faulty/"$command < small > printed 2> err \
            || echo "FAIL $command: $(cat err)"
        # shellcheck disable=SC2094 # a variable and a file
        read -r calls < calls
        rm -f fresh fresh.hop
        n=1
        while [ "$n" -le "$calls" ]; do
            MEMORY_FAIL_AT=$n MEMORY_FAIL_ONCE=1 "$tests/faulty/"$command < small > printed 2> err
            status=$?
            if [ $status -ne 1 ] || ! complains || left; then
                echo "FAIL $command: allocation $n of $calls failing: status $status"
                cat err
                break
            fi
            go_on
        done
        [ "$calls" -gt 2 ]
        verdict "$command: $calls allocations" $? 'that is too few'
    done
}
fail_each < commands

# Nothing is begun after a fit that has failed: of several ranks the others would wait there.  (Two blocks
# that are asked for together may both be asked for.)
begun=''
for n in $(seq 100 50 1300); do
    MEMORY_CALLS=calls MEMORY_FAIL_AT=$n MEMORY_FAIL_ONCE=1 \
        "$tests/faulty/forward-train" -q -T 1 -t linear words fresh 2> err
    # shellcheck disable=SC2094 # a variable and a file
    read -r calls < calls
    [ "$calls" -le $((n + 2)) ] || begun="$begun $n:$calls"
done
verdict 'nothing begun after a fit that has failed' ${#begun} "$begun"

# UMA's tables are not held where the memory does not allow it.  (Sanitizers need more.)
if (ulimit -d 60000; forward-train --version) > version 2>&1; then
    (head -n 30 small; echo '1 20000:1') > wide
    echo 'uma-train -q -T 1 -e 0 -i 1 -c matrix wide fresh' > commands
    (ulimit -d 60000; fail_each < commands)
fi

# The matrices of leave-one-out estimates are refused before the first of them is made.
if (ulimit -d 150000; musvm-train --version) > version 2>&1; then
    awk 'BEGIN { for (i = 1; i <= 2600; i++) print 1 + i % 2, i ":1" }' > apart
    (ulimit -d 150000; musvm-train -q -T 1 -b -s m-svm -t linear -c 100 apart fresh) 2> err
    [ $? -eq 1 ] && [ ! -e fresh ] && grep -q 'memory for the leave-one-out error: 162 MB' err
    verdict 'leave-one-out matrices' $? "$(cat err)"
fi

# So are the rounds between two estimates of noise rates, with what an estimate takes of each: most of it are
# the probabilities of ten labels.
if (ulimit -d 60000; rcnbf-train --version) > version 2>&1; then
    printf '1 1:1\n2 2:1\n' > two
    (ulimit -d 60000; rcnbf-train -q -T 1 -s rcine --labels 0-9 --estimator mlp --hidden 4 -n 250000 \
        -i 250000 --random-order two fresh) 2> err
    [ $? -eq 1 ] && [ ! -e fresh ] && grep -q 'memory for the rounds between two estimates: ' err
    verdict 'rounds between two estimates' $? "$(cat err)"
fi

# Features are made of few lines at a time: of all of these they would take 312 MB.
if (ulimit -d 150000; fourier --version) > version 2>&1; then
    awk 'BEGIN { for (i = 1; i <= 6000; i++) print i % 2, "1:" i % 10 }' > short
    (ulimit -d 150000; fourier -q -T 1 -D 2000 -g 1 short) > /dev/null 2> err
    verdict 'features of short lines' $? "$(cat err)"
fi

# A live loop refuses what it has no memory for, and goes on; it ends with 1 because there is none for the
# model either.
rm -f fresh
n=1
until MEMORY_FAIL_AT=$n "$tests/faulty/rcnbf-train" -q -T 1 --interactive --labels 1-26 questions fresh \
    > answers 2> err; do
    status=$?
    if [ $status -ne 1 ] || ! grep -q 'out of memory' err \
        || grep -v -e 'out of memory' -e 'no question is open' -e 'nothing was learnt' \
            -e 'nothing is learnt' err \
        || left; then
        echo "FAIL live: allocation $n failing: status $status: $(cat err)"
        break
    fi
    n=$((n + 1))
done
[ $n -gt 20 ]
verdict "live: $((n - 1)) allocations" $? 'that is too few'

# The round that completes a period and is refused for want of memory has not moved the weights.
awk '{ $1 = "?"; print; print NR % 2 }' three > period
live='rcnbf-train -q -T 1 -s rcine -n 20 -w last -g 0.5 --interactive --labels 1-3'
$live period learnt > answers
sed '$s/.*/-/' period | $live - unlearnt > answers 2> err
n=1 refused=0
while :; do
    MEMORY_FAIL_AT=$n MEMORY_FAIL_ONCE=1 "$tests/faulty/"$live period fresh > answers 2> err
    [ -s err ] || break
    if grep -q 'period:40: out of memory' err; then
        refused=$((refused + 1))
        cmp fresh unlearnt || break
    fi
    n=$((n + 1))
done > found
[ ! -s err ] && [ $refused -gt 5 ] && ! cmp -s learnt unlearnt && cmp fresh learnt
verdict "rcine: an estimate refused $refused times" $? "allocation $n: $(cat err found)"
