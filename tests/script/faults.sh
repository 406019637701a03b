# Killed, out of memory, out of space, cut off: the old model or none, a clean message, status 1.
. "$top/tests/checks.sh"
file=$top/data/letter.train

arow-train -q "$top/data/iris.train" iris.model

# Closed standard streams: what is needed fails, what is not does not, and no file takes their number.
arow-train -q "$top/data/iris.train" closed <&- >&- 2>&-; check 'nothing open: status' $? 0
cmp -s closed iris.model; check 'nothing open: model' $? 0
arow-predict -q "$top/data/iris.test" iris.model labels >&- 2> err; check 'closed report: status' $? 1
arow-predict -q "$top/data/iris.test" iris.model - >&- 2> err; check 'closed output: status' $? 1
arow-train -q --labels 1-3 - none <&- 2> err; check 'closed input: status' $? 1
rm -f closed labels

# No data, and an output that is closed.
for command in 'suspects -n 100' 'suspects --clean' 'confusion --from-noisy' 'fourier -D 3 -g 1'; do
    $command -q - < /dev/null > none 2> err
    check "$command without data" $? $([ "$command" = 'suspects --clean' ] && echo 2 || echo 1)
    $command -q "$top/data/iris.train" >&- 2> err; check "$command, closed output" $? 1
done
rm -f none

# A closed pipe.
{ arow-predict -q -b 1 "$file" iris.model - 2> err; echo $? > status; } | head -n 1 > /dev/null
check 'closed pipe' "$(cat status)" 1
{ synth synsep -q -n 200 | { rcnbf-train -q - - 2> err; echo $? > status; }; } | head -n 1 > /dev/null
check 'closed pipe, bandit model' "$(cat status)" 1
{ label-noise -q "$file" 2> err; echo $? > status; } | head -n 1 > /dev/null
check 'closed pipe, label-noise' "$(cat status)" 1
{ fourier -q -D 30 -g 1 "$file" 2> err; echo $? > status; } | head -n 1 > /dev/null
check 'closed pipe, fourier' "$(cat status)" 1
{ synth toy -q -n 1000000000000 2> err; echo $? > status; } | head -n 1 > /dev/null
check 'closed pipe, synth' "$(cat status)" 1

# Files may not grow beyond 8 blocks: a disk that fills up in the middle of a model.  The old one stays,
# nothing else is left.
arow-train -q "$top/data/digits.train" model && cp model old
(ulimit -f 8; arow-train -q -A "$top/data/digits.train" model 2> err); check 'disk full in the middle' $? 1
cmp -s model old; check 'the old model stays' $? 0
(ulimit -f 8; arow-train -q -A "$top/data/digits.train" none 2> err); check 'disk full, no old model' $? 1
check 'nothing is left behind' "$(ls -A)" "$(printf 'err\niris.model\nmodel\nold\nstatus')"

# Killed while it saves, at many moments: the old model or the new one, whole.
arow-train -q -i 2 "$file" model && cp model old
arow-train -q -i 3 "$file" new
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    arow-train -q -i 3 "$file" model &
    pid=$!
    sleep 0.0$((i * 2 / 10))$((i * 2 % 10))
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
    cmp -s model old || cmp -s model new || echo "FAIL killed after ${i}0 ms: half a model"
done
echo 'ok killed at 20 moments'
rm -f .libdoubt-*.tmp

# A model and its matrix: killed at many moments, each is the old one or the new one.
head -n 100 "$top/data/digits.train" > some
forward-train -q -c identity --lambda 0 -i 2 --confusion-out C some model && cp model old && cp C old.C
forward-train -q -i 1 --features 0 --lambda 1e-5 --confusion-out new.C some new
for i in 1 2 3 4 5 6 7 8 9 10; do
    forward-train -q -i 1 --features 0 --lambda 1e-5 --confusion-out C some model &
    pid=$!
    sleep 0.0$((i / 2))$((i * 5 % 10))
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
    cmp -s model old || cmp -s model new || echo "FAIL forward, killed after $((5 * i)) ms: half a model"
    cmp -s C old.C || cmp -s C new.C || echo "FAIL forward, killed after $((5 * i)) ms: half a matrix"
done
echo 'ok forward, killed at 10 moments'
rm -f .libdoubt-*.tmp C old.C new.C some
arow-train -q -i 2 "$file" model && cp model old

# A peer that dies in the middle of a line, or never says anything more: what came is an error or counts, and
# nothing hangs.
printf '1 1:1\n2 2:1\n1 1:' | arow-train -q --labels 1,2 - none 2> err; check 'cut in a value' $? 1
mkfifo fifo
(printf '1 1:1\n2 1:x\n'; sleep 5) > fifo &
start=$(date +%s)
arow-train -q --labels 1,2 fifo none 2> err; check 'an error before the end of a slow pipe' $? 1
check 'and at once' $(($(date +%s) - start > 3)) 0
kill $! 2> /dev/null

# Predictions come out of a live pipe line by line.
mkfifo in out.fifo
arow-predict -q in iris.model out.fifo 2> /dev/null &
exec 3<> in
exec 4< out.fifo
for line in '1 1:5 2:3.5 3:1.4 4:.2' '2 1:6 2:3 3:4 4:1' '? 1:7 2:3 3:6 4:2'; do
    echo "$line" >&3
    read -r answer <&4
    [ -n "$answer" ] || echo 'FAIL live prediction'
done
exec 3>&-
read -r answer <&4 && echo 'FAIL more answers than questions'
exec 4<&-
echo 'ok live prediction'

# A file that gets shorter between its two reads: its reader is held up by a full pipe meanwhile.
{
    head -n 60 "$top/data/iris.train"
    yes '# a comment is kept' | head -n 200000
    tail -n 20 "$top/data/iris.train"
} > shrinks
head -c 2000000 shrinks > part
mkfifo held
suspects -q --clean --features 0 shrinks > held 2> err &
exec 3< held
read -r first <&3
cat part > shrinks
cat <&3 > rest
exec 3<&-
wait $!; check 'a file that shrinks: status' $? 1
check 'a file that shrinks: message' "$(cat err)" 'suspects: shrinks: the file has changed while it was read'
rm -f shrinks part held rest
