# Train on A, go on with B: byte for byte the model of A followed by B, for every learner, held and streamed,
# wherever the cut falls.
. "$top/tests/checks.sh"
awk '{ print ($1 % 2 ? 1 : -1) substr($0, length($1) + 1) }' "$top/data/digits.train" | head -n 400 > two
head -n 400 "$top/data/digits.train" > many
# Features that only the second part has: the model must grow on the way.
awk 'NR > 200 { print; next }
    {
        line = $1
        for (i = 2; i <= NF; i++) { split($i, f, ":"); if (f[1] <= 40) line = line " " $i }
        print line
    }' many > grown
for options in '' '-f drop' '-s arow-hinge -r 0.1' '-k 0' '-k 2 -s arow-hinge' '-s perceptron' '-s pa' \
    '-s pa1 -c 0.01' '-s pa2 -c 0.01' '-s cw -p 0.1' '-s adagrad-rda' '-s adagrad-rda --lambda 0.001' \
    '-f full -r 100' '-s cw -f full' '-s sop' '-s sop -f full -a 10' '-B 1 -l 1'; do
    for average in '' -A; do
        for data in two many grown; do
            case "$options $data" in *sop*many | *sop*grown) continue ;; esac
            labels=0-9
            [ $data = two ] && labels=-1,1
            name="$options $average $data"
            arow-train -q --no-shuffle --labels $labels $options $average $data whole \
                || echo "FAIL $name: training"
            # Not all cuts of all data in a quick run.
            case ${TEST_ALL:-}$data in
            two) cuts='1 399' ;;
            many | grown) cuts=200 ;;
            *) cuts='1 200 399' ;;
            esac
            for cut in $cuts; do
                head -n $cut $data > a
                tail -n +$((cut + 1)) $data > b
                rm -f part rest streamed
                arow-train -q --no-shuffle --labels $labels $options $average a part \
                    && arow-train -q --no-shuffle -m part b rest
                arow-train -q -m part - streamed < b
                cmp -s whole rest && cmp -s whole streamed
                verdict "$name $cut" $? "cut after $cut"
            done
        done
    done
done
# Shuffled: two passes are one and then another.
arow-train -q -i 2 many two_passes && arow-train -q many one && arow-train -q -m one many another
if cmp -s two_passes another; then echo "ok shuffled passes"; else echo "FAIL shuffled passes"; fi
# A model going on over nothing but its own options repeated.
arow-train -q -s cw -p 0.5 many m && arow-train -q -s cw -p 0.5 -m m many n
verdict 'same options' $? 'refused'
