# A stream that never ends is stopped by a signal: the model is that of the examples so far, byte for byte;
# --save-every saves on the way.  A trainer runs in the foreground of a shell of its own that has written its
# process id, so that no other process can be meant, and SIGINT is not ignored.
. "$top/tests/checks.sh"
data=$top/data/digits.train
n=$(wc -l < "$data")
examples() {
    awk -v N="$1" -v n="$n" '{ l[NR] = $0 } END { for (i = 0; i < N; i++) print l[i % n + 1] }' "$data"
}
forever() { (while cat "$data"; do :; done) 2> forever.err; }
until_true() {
    tries=0
    until eval "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 400 ] || { echo "FAIL waited in vain for: $1"; return; }
        sleep 0.02
    done
}
# Run a trainer on an endless pipe, and stop it by $1 when it has told of $2 examples.
stopped() {
    send=$1 after=$2
    shift 2
    rm -f pid err
    : > err
    (until_true 'grep -q ": $after " err'; kill -s "$send" "$(cat pid)") & killer=$!
    forever | sh -c 'echo $$ > pid; exec "$@"' - "$@" > out 2> err
    status=$?
    wait $killer
    count=$(sed -n 's/.*: stopped by .* after \([0-9]*\) .*: the model .* is saved in .*/\1/p' err)
}

for signal in INT:130 TERM:143 HUP:129; do
    name=${signal%:*}
    if [ "$(sh -c "kill -s $name \$\$; echo ignored" 2> forever.err)" = ignored ]; then
        echo "skip SIG$name is ignored where the tests were started"
        continue
    fi
    stopped "$name" 4096 arow-train --labels 0-9 - m
    check "SIG$name: status" $status "${signal#*:}"
    check "SIG$name: its name" "$(grep -c "stopped by SIG$name after" err)" 1
    examples "${count:-0}" > file
    arow-train -q --stream --labels 0-9 file whole
    check "SIG$name: the model of $count examples" "$(cksum < m)" "$(cksum < whole)"
done
map='--map fourier --map-dims 30 --map-gamma 0.01'
for learner in 'forward-train -c identity --stream --labels 0-9' 'rcnbf-train --labels 0-9' \
    "arow-train --stream --labels 0-9 $map" "rcnbf-train --labels 0-9 $map"; do
    stopped TERM 4096 $learner - m
    check "$learner: status" $status 143
    examples "${count:-0}" > file
    $learner -q $(case $learner in forward*) echo -i 1 ;; esac) file whole
    check "$learner: the model of $count examples" "$(cksum < m)" "$(cksum < whole)"
done

# Weights come from a second pipe without an end; what they leave out is not counted.
mkfifo weights
weight() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print i * 7 % 5 / 2 }'; }
(while weight "$n"; do :; done) > weights 2> forever.err & endless=$!
stopped TERM 1024 arow-train --labels 0-9 -W weights - m
wait $endless
check "weights: status" $status 143
all=$((count + (count + 3) / 4)) # each fifth weight is 0, from the first on
examples $all > file
weight $all > file.weights
arow-train -q --stream --labels 0-9 -W file.weights file whole
check "weights: the model of $count examples" "$(cksum < m)" "$(cksum < whole)"
check "weights: so many" "$(awk '$1 > 0' file.weights | wc -l)" "$count"
# They do not come.
exec 4<> weights
echo 1 >&4
rm -f pid m
(until_true '[ -s pid ]'; sleep 0.3; kill -s TERM "$(cat pid)") & killer=$!
sh -c 'echo $$ > pid; exec arow-train -q --stream --labels 0-9 -W weights "$1" m' - "$data" 2> err
check "weights that do not come: status" $? 143
wait $killer
exec 4>&-
check "weights that do not come: what is said" "$(cat err)" \
    'arow-train: stopped by SIGTERM before the first example: no model is written'

# Two parts are one run.
stopped TERM 1024 arow-train -A --labels 0-9 - m
first=$count
stopped TERM 1024 arow-train -m m - both
examples "$first" > file
examples "$count" >> file
arow-train -q -A --stream --labels 0-9 file whole
check "stopped twice, -m" "$(cksum < both)" "$(cksum < whole)"

# Nothing learnt: no model.  The pipe is open and empty.
mkfifo never
exec 3<> never
rm -f m
(until_true '[ -s pid.never ]'; sleep 0.3; kill -s TERM "$(cat pid.never)") & killer=$!
sh -c 'echo $$ > pid.never; exec arow-train -q --labels 1,2 never m' 2> err
check "nothing learnt: status" $? 143
wait $killer
check "nothing learnt: what is said" "$(cat err)" \
    'arow-train: stopped by SIGTERM before the first example: no model is written'
check "nothing learnt: no model" "$(ls m 2> forever.err)" ''

# A signal that is ignored stays ignored.
mkfifo pipe
rm -f pid
(exec 4> pipe; cat "$data" >&4; until_true '[ -s pid ]'
 kill -s HUP "$(cat pid)"; cat "$data" >&4) &
sh -c 'trap "" HUP; echo $$ > pid; exec arow-train -q --labels 0-9 pipe m'
check "an ignored signal: status" $? 0
wait
examples $((2 * n)) > file
arow-train -q --stream --labels 0-9 file whole
check "an ignored signal: all is learnt" "$(cksum < m)" "$(cksum < whole)"

# In memory, and iterative.
rm -f pid m
(until_true "[ -s pid ] && grep -q 'pass 2' out"; kill -s TERM "$(cat pid)") & killer=$!
sh -c 'echo $$ > pid; exec arow-train -i 1000000 "$1" m' - "$data" > out 2> err
check "in memory: status" $? 143
wait $killer
check "in memory: a model" "$(arow-predict -q "$top/data/digits.test" m labels | grep -c Accuracy)" 1
label-noise -q -r 0.4 "$data" > noisy # with these uma-train never comes to an end
for learner in 'uma-train -c identity -e 0 -i 1000000000' 'musvm-train -e 1e-300' 'forward-train -v 1000'; do
    rm -f pid m
    (until_true '[ -s pid ]'; sleep 0.5; kill -s TERM "$(cat pid)") & killer=$!
    model=m
    case $learner in *-v*) model= ;; esac
    sh -c 'echo $$ > pid; exec "$@"' - $learner noisy $model > out 2> err
    check "$learner: status" $? 143
    wait $killer
    grep -q 'stopped by SIGTERM: \(.* not finished\|no model is written, as .*\)$' err
    verdict "$learner: what is said" $? "$(cat err)"
    check "$learner: no model" "$(ls m 2> forever.err)" ''
done
for command in 'suspects --features 2000' 'confusion -q --from-noisy --features 2000'; do
    rm -f pid
    (until_true '[ -s pid ]'; sleep 0.5; kill -s TERM "$(cat pid)") & killer=$!
    # shellcheck disable=SC2086 # words
    sh -c 'echo $$ > pid; exec "$@"' - $command -t linear noisy > out 2> err
    check "$command: status" $? 143
    wait $killer
    grep -q "^${command%% *}: stopped by SIGTERM: the output is not finished\$" err
    verdict "$command: what is said" $? "$(cat err)"
done

# --save-every: when it is killed, the last of these stays.
(until_true '[ -f saved ]'; kill -s KILL "$(cat pid)") 2> forever.err & killer=$!
rm -f pid
forever | sh -c 'echo $$ > pid; exec arow-train -q --labels 0-9 --save-every 1500 - saved' 2> forever.err
check "--save-every: killed" $? 137
wait $killer
rounds=$(awk '/^rounds/ { print $2 }' saved)
check "--save-every: every 1500" $((rounds % 1500)) 0
examples "$rounds" > file
arow-train -q --stream --labels 0-9 file whole
check "--save-every: the model of $rounds examples" "$(cksum < saved)" "$(cksum < whole)"
arow-train -q --labels 0-9 --save-every 7 "$data" often
arow-train -q --labels 0-9 "$data" once
check "--save-every: the same model at the end" "$(cksum < often)" "$(cksum < once)"
for how in '' '--log'; do
    file=$data
    [ -z "$how" ] || { sed 's/^\([0-9]*\)/\1:1:0.5/' "$data" > log; file=log; }
    rcnbf-train -q $how --save-every 100 "$file" often
    rcnbf-train -q $how "$file" once
    check "--save-every: rcnbf-train $how" "$(cksum < often)" "$(cksum < once)"
done
ulimit -f 20
arow-train -q --labels 0-9 --save-every 1000 --stream "$data" small.model 2> err
check "--save-every: a full disk, at the end" $? 1
check "--save-every: a full disk, on the way" \
    "$(grep -c 'warning: after 1000 examples the model could not be saved' err)" 1
