# rcnbf-train: same bytes whatever the way in; going on is exact; a live session is a simulation is a log;
# what averaging and the estimates are worth. The weights that a model predicts with.
. "$top/tests/checks.sh"
w() { sed -n '/^w$/,/^libdoubt/p' "$1"; }
noise='-x 0.2,0.3 -r 0.2,0.3 -g 0.2'
head -n 400 "$top/data/digits.train" > many
awk '{ print ($1 % 2 ? 5 : -2) substr($0, length($1) + 1) }' many > two
for data in many two; do
    wants_long || [ $data = two ] || continue
    labels=0-9
    [ $data = two ] && labels=-2,5
    sed 's/$/\r/' $data > crlf
    # A log of what a live session showed at random: right for the label that is the line's, else wrong.
    sed 's/[^ ]*/?/' $data | rcnbf-train -q -g 1 --interactive --labels=$labels - nothing \
        | paste -d' ' - $data \
        | awk '{
            line = $1 ":" ($1 == $3) ":" $2
            for (i = 4; i <= NF; i++) line = line " " $i
            print line }' > $data.log
    sed 's/$/\r/' $data.log > crlf.log
    # The rules, each with other options; $options is a list of words.
    for options in "-s rcnbf $noise" "-s rcine -n 200 -g 0.3 -x 0.1,0.1 -w last" '-s banditron -B 1' \
        '-s bpa --play average' "-s soba -l 0 -w last $noise" "-s nsm $noise --play average"; do
        rates=$(echo "$options" | sed -n 's/.*\(-x [^ ]*\).*/\1/p') # no model says them
        name="$data $options"
        rcnbf-train -q $options -T 1 $data one || echo "FAIL $name: training"
        for threads in 3 2 16; do
            rcnbf-train -q $options -T $threads $data more
            same "$name threads $threads" one more
            wants_long || break
        done
        rcnbf-train $options $data loud > out 2> notes
        same "$name not quiet" one loud
        rcnbf-train -q $options - held < $data
        same "$name pipe, held" one held
        rcnbf-train -q $options --labels=$labels - streamed < $data
        same "$name pipe, streamed" one streamed
        rcnbf-train -q $options crlf carriage
        same "$name CRLF" one carriage
        LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 rcnbf-train -q $options $data german
        same "$name comma locale" one german
        # More rounds than the data has: held, or the file again and again; the same as a longer file.
        cat $data $data $data | head -n 1000 > long
        rcnbf-train -q $options -i 1000 $data again
        rcnbf-train -q $options long longer
        same "$name more rounds" again longer

        learner=$(echo "$options" | sed 's/-x [^ ]*//; s/-g [^ ]*//; s/--play average//')
        rcnbf-train -q --log $learner -T 1 $data.log one
        rcnbf-train --log $learner -T 3 $data.log loud > out 2> notes
        same "$name log, threads, not quiet" one loud
        rcnbf-train -q --log $learner - held < $data.log
        same "$name log, pipe, held" one held
        rcnbf-train -q --log --hold-out 0 $learner --labels=$labels - streamed < $data.log
        same "$name log, pipe, streamed, nothing held out" one streamed
        rcnbf-train -q --log $learner crlf.log carriage
        same "$name log, CRLF" one carriage

        # Train on A, go on with B, for every way to weigh and to play.
        for weights in '-w last' '-w average'; do
            for play in '--play current' '--play average'; do
                these="$(echo "$options" | sed 's/-w last//; s/--play average//') $weights $play"
                rcnbf-train -q $these --labels=$labels $data whole
                for cut in 1 200; do
                    # It goes on from the end of a period only.
                    case "$these $cut" in *rcine*' 1') continue ;; esac
                    head -n $cut $data > a
                    tail -n +$((cut + 1)) $data > b
                    rcnbf-train -q $these --labels=$labels a part && rcnbf-train -q -m part $rates b rest
                    same "$these $data goes on after $cut" whole rest
                done
            done
        done
        rcnbf-train -q $options -i 1200 $data whole
        rcnbf-train -q $options -i 400 $data part && rcnbf-train -q -m part $rates -i 800 $data rest
        same "$name rounds in two parts" whole rest
        rcnbf-train -q $options --random-order -i 1000 $data whole
        rcnbf-train -q $options --random-order -i 600 $data part
        rcnbf-train -q -m part --random-order $rates -i 400 $data rest
        same "$name random order in two parts" whole rest

        if command -v liblinear-predict > liblinear; then
            liblinear-predict $data whole theirs > their_report
            rcnbf-predict -q $data whole ours > our_report
            same "$name liblinear-predict" theirs ours
            same "$name liblinear-predict, report" their_report our_report
        else
            echo 'skip liblinear-predict is not installed (Debian: liblinear-tools)'
        fi
    done

    # A peer that tells the truth is the simulation without noise, when each answer comes before the next
    # question; and the log of that session is the session.
    for options in '-s rcnbf -w last -g 0.3' '-s rcnbf -g 0.3 -r 0.1,0.1' \
        '-s bpa -w last -g 0.3 --play average' '-s nsm -g 0.3 -S 7' '-s soba -g 0.3 -w last'; do
        rcnbf-train -q $options $data simulated
        rm -f ask tell log
        mkfifo ask tell
        rcnbf-train -q $options -L log --interactive --labels=$labels - live < ask > tell &
        while read -r right features; do
            echo "? $features"
            read -r shown p <&3 || break
            [ "$shown" = "$right" ] && echo 1 || echo 0
        done < $data > ask 3< tell
        wait $!
        w simulated > w1
        w live > w2
        same "$data $options live and simulated" w1 w2
        rcnbf-train -q $(echo "$options" | sed 's/-g [^ ]*//; s/--play average//') --log log logged
        w logged > w3
        same "$data $options live and logged" w2 w3
    done
done

# In which the averaged weights and the estimates of the noise are as good as they are said to be.
synth synsep -q -n 200000 > train
synth synsep -q -n 10000 --part 1 > test
rcnbf-train -q -x 0.2,0.4 -r 0.2,0.4 -g 0.3 train average
rcnbf-train -q -w last -x 0.2,0.4 -r 0.2,0.4 -g 0.3 train last
for model in average last; do
    rcnbf-predict -q test $model out
done | sed 's/.*(\(.*\)\/.*/\1/' | paste -s -d' ' - > right
awk '{ exit !(10000 - $2 > 0 && 10000 - $1 <= (10000 - $2) / 5) }' right
verdict 'the average' $? "right of 10000, average and last: $(cat right)"
for rates in 0.15,0.15 0.2,0.4 0.4,0.2; do
    rcnbf-train -s rcine -x $rates -i 100000 --random-order "$top/data/digits.train" model > report
    echo $rates | tr , ' ' | cat - report | awk '
        NR == 1 { r0 = $1; r1 = $2 }
        /estimated/ { gsub(",", ""); e0 = $6 - r0; e1 = $9 - r1; near = e0 ^ 2 < .03 ^ 2 && e1 ^ 2 < .03 ^ 2 }
        END { exit !near }'
    verdict "rcine finds $rates" $? "$(cat report)"
done
