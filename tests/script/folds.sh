# --fold-predictions: what -v predicts for each example.
. "$top/tests/checks.sh"

# Left out one by one, each example gets the label and the scores that the model of all others gives it: with
# three classes and with two, where a linear model has one score.
awk 'NR % 13 == 1' "$top/data/iris.train" > three
awk '$1 > 1 && NR % 9 == 1' "$top/data/iris.train" > two
printf '2 1:5 2:3\n3 1:6 2:3 3:5 4:2\n' >> two
cat > commands << 'end'
arow-train -q --no-shuffle -i 3
forward-train -q -c identity --lambda 0.01
uma-train -q -c identity -i 40
musvm-train -q -e 1e-9
musvm-train -q -t linear -c 0.1 -e 1e-9
musvm-train -q -s svm-ovo -e 1e-9
end
while read -r command; do
    for data in three two; do
        n=$(wc -l < $data) i=1
        # shellcheck disable=SC2086 # words
        {
            $command -v "$n" --fold-predictions labels $data
            $command -v "$n" --fold-predictions scores --fold-scores -T 1 $data
        } > printed || echo "FAIL $command -v $n $data"
        while [ "$i" -le "$n" ]; do
            sed "${i}d" $data > others
            sed -n "${i}p" $data | sed 's/ 4:[^ ]*$/& # &/' > one
            $command others model > /dev/null
            "${command%%-*}-predict" -q -b 1 one model out > /dev/null
            [ "$i" -gt 1 ] || head -n 1 out
            tail -n 1 out
            i=$((i + 1))
        done > wanted
        # Sums in another order, and a solver that ends elsewhere within its tolerance: nearly the same.
        paste -d ' ' scores wanted | awk '
            function differs(a, b) { return NR == 1 ? a != b : (a - b) ^ 2 > 1e-5 * (1 + a ^ 2) }
            { for (k = 1; k <= NF / 2; k++) if (differs($k, $(k + NF / 2))) bad = 1 }
            END { exit NR < 2 || bad }'
        verdict "$command on $data: scores" $? "$(diff scores wanted)"
        sed '1d; s/ .*//' wanted > wanted.labels
        same "$command on $data: labels" labels wanted.labels
        right=$(cut -d' ' -f1 $data | paste -d ' ' - labels \
            | awk '$1 == $2 { n++ } END { print 100 * n / NR }')
        check "$command on $data: accuracy" \
            "$(sed -n 's/.*Accuracy = \(.*\)%/\1/p' printed | sort -u)" "$right"
    done
done < commands

# Probabilities of forward-train are what other programs ask for.
head -n 500 "$top/data/digits.train" > clean
label-noise -q -r 0.3 clean > noisy
forward-train -q -t linear --features 0 -v 3 --fold-predictions out --fold-scores noisy > printed
suspects -q -p out noisy > list
right=$(awk 'NR == FNR { truth[NR] = $1; next } $2 != truth[$1] { n++ }
    END { print (FNR > 50 && n / FNR > 0.9) }' clean list)
check 'suspects -p reads them' "$right" 1
confusion -q --from-noisy -p out noisy > C
verdict 'confusion -p reads them' $? 'it does not'
