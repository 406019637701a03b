# rcnbf-train --interactive: peers that wait, dawdle, die or talk nonsense; ids; signals; full disks.  The
# model is whole whatever happens, and standard output has the labels only. Wait for a condition, 20 seconds
# at most: nothing here depends on how long something takes.
. "$top/tests/checks.sh"
until_true() {
    tries=0
    until eval "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 400 ] || { echo "FAIL waited in vain for: $1"; return 1; }
        sleep 0.05
    done
}
live() { rcnbf-train -q -T 1 -g 0 --interactive --labels 1-3 "$@"; }
# What a whole model says of its rounds.
rounds() { tail -n 1 "$1" | grep -qx end && sed -n 's/^rounds //p' "$1"; }
reason() { sed '/warning: lines refused/d; s/^rcnbf-train: //' "$1"; }
reported() { grep '^questions: ' "$1"; }

# A peer that waits for each answer before it says more, and that writes half a line at a time.
mkfifo ask tell
rcnbf-train -T 1 -g 0 --interactive --labels 1-3 -L log ask m > tell 2> err &
exec 4< tell 3> ask
i=0
while [ $i -lt 50 ]; do
    echo "? $((i % 3 + 1)):1" >&3
    read -r label p <&4
    [ "$label $p" = "$label 1" ] || echo "FAIL answer $i: $label $p"
    [ "$label" = $((i % 3 + 1)) ] && echo 1 >&3 || echo 0 >&3
    i=$((i + 1))
done
printf '?slow 1:' >&3
sleep 0.1
printf '1\n' >&3
read -r id label p <&4
check 'half a line at a time' "$id $label $p" 'slow 1 1'
# The same id for a question with its answer in one piece, a hundred questions at once, an answer long after
# its question.
printf '!slow 1\n?slow 2:1\n!slow 0\n' >&3
i=0
while [ $i -lt 100 ]; do
    echo "?q$i 3:1" >&3
    i=$((i + 1))
done
read -r id label p <&4
check 'an id used again' "$id $label $p" 'slow 2 1'
while [ $i -gt 0 ]; do
    read -r last label p <&4
    i=$((i - 1))
done
check 'a hundred at once' "$last $label $p" 'q99 3 1'
echo '!q0 1' >&3
exec 3>&-
read -r label <&4 && echo "FAIL more answers than questions: $label"
exec 4<&-
wait $!
check 'a patient peer: status' $? 0
check 'a patient peer: model' "$(rounds m)" 53
check 'a patient peer: log' "$(wc -l < log | tr -d ' ')" 53
check 'a patient peer: report' "$(tail -n 1 err)" \
    'questions: 152, feedback: 53, right: 49, lines refused: 0, questions forgotten: 0'

# A mark of the order of bytes is skipped once, and what follows it is a line, if the mark comes alone.
{ printf '\357\273\277'; sleep 0.2; printf '\037\213\n? 1:1\n1\n'; } | live - marked > labels 2> err
check 'a mark that comes alone: status' $? 0
check 'a mark that comes alone: model' "$(rounds marked)" 1
rcnbf-train -q -T 1 --log --labels 1-3 --hold-out 0 log logged
check 'the log is one' "$(rounds logged)" 53

# A peer that dies: without reading a word; after one answer, while it still asks.
printf '? 1:1\n1\n' | live - m 2> err | :
[ -e m ] && check 'nobody reads: a model' "$(rounds m | grep -c .)" 1
rm -f gone
{ echo '? 1:1'; until_true '[ -e gone ]'; printf '0\n? 1:1\n1\n? 2:1\n'; } \
    | { live - m 2> err; echo $? > status; } | { read -r _; exec <&-; : > gone; }
check 'the peer dies: status' "$(cat status)" 1
check 'the peer dies: reason' "$(reason err)" '<stdout>: Broken pipe'
check 'the peer dies: model' "$(rounds m)" 2
# In the middle of a question: what is whole was learnt from.
printf '? 1:1\n1\n? 2:1\n0\n? 3:' | live - m > out 2> err; check 'cut in a question: status' $? 0
check 'cut in a question: reason' "$(reason err)" \
    '<stdin>:5:3: the value is not a finite decimal number: "3:"'
check 'cut in a question: model' "$(rounds m)" 2
check 'cut in a question: answers' "$(cat out)" "$(printf '1 1\n1 1')"

# Garbage changes nothing: neither the weights nor the choices that follow, whether between questions or
# before an answer.
sed 's/[^ ]*/?/' "$top/data/iris.train" | awk '{ print; print NR % 2 }' > talk
awk '{ print "what\n!x 1\n? \t" ; print }' talk | sed '/^? *	$/d' > nonsense
rcnbf-train -q --interactive --labels 1-3 - clean < talk > clean.out
rcnbf-train -q --interactive --labels 1-3 - dirty < nonsense > dirty.out 2> err; check 'garbage: status' $? 0
same 'garbage: model' clean dirty
same 'garbage: answers' clean.out dirty.out
# Without a newline at the end, with CRLF, with comments and empty lines: the same.
sed 's/$/\r/' talk | rcnbf-train -q --interactive --labels 1-3 -L crlf.log - crlf > crlf.out
same 'CRLF: model' clean crlf
same 'CRLF: answers' clean.out crlf.out
rcnbf-train -q --log --labels 1-3 crlf.log out; check 'CRLF: its log' $? 0
awk '{ print "# " NR "\n\n \t"; print }' talk | rcnbf-train -q --interactive --labels 1-3 - dirty > dirty.out
same 'comments: model' clean dirty
printf %s "$(cat talk)" | rcnbf-train -q --interactive --labels 1-3 - dirty > dirty.out
same 'no newline at the end: model' clean dirty
# A round that cannot be learnt from is not counted: 1 over the value's square is not finite.
printf '? 1:1e-160\n0\n? 1:1\n1\n' | live -s bpa -l 0 - m > out 2> err
check 'a round that is refused' "$(rounds m) $(reason err | wc -l | tr -d ' ')" '1 1'
# In two sessions, the second going on from the first; one answer after the other, or all input at once from
# a file.
head -n 100 talk | rcnbf-train -q --interactive --labels 1-3 -L both - part > out
tail -n +101 talk | rcnbf-train -q --interactive -m part -L both - rest >> out
same 'two sessions: model' clean rest
same 'two sessions: answers' clean.out out
rcnbf-train -q --interactive --labels 1-3 -L one talk dirty > out
same 'from a file' clean dirty
same 'the record is appended to' one both
# `.` ends it; what stands behind is not served, and stays for the next reader.
printf '? 1:1\n1\n.\n? 1:1\nhello\n' | live - m > out 2> err
check 'nothing behind the end' "$(rounds m) $(wc -l < out | tr -d ' ') $(wc -l < err | tr -d ' ')" '1 1 0'

# Ids: of 255 and of 256 bytes, any bytes, asked twice, answered twice, closed by `-`.
long=$(printf %0255d 7)
printf "?$long 1:1\n!$long 1\n?${long}8 1:1\n!${long}8 1\n" | live - m > out 2> err
check 'long ids: answers' "$(cat out)" "$long 1 1"
check 'long ids: refused' "$(reason err | cut -d' ' -f1-8 | cut -c1-40)" \
    "$(printf '<stdin>:3:1: an id has at most 255 bytes\n<stdin>:4:1: no open question has this i')"
printf '?\303\251!?. 1:1\n!\303\251!?. 1\n' | live - m > out 2> err
check 'an id of any bytes' "$(cat out err) $(rounds m)" "$(printf '\303\251!?. 1 1 1')"
printf '?a 1:1\n?a 2:1\n!a 0\n!a 1\n?b 1:1\n!b -\n!b 1\n!c 1\n' \
    | rcnbf-train -T 1 -g 0 --interactive --labels 1-3 - m > out 2> err
check 'asked and answered twice' "$(grep -c 'no open question has this id' err) $(reported err)" \
    '3 questions: 3, feedback: 1, right: 0, lines refused: 3, questions forgotten: 1'

# A NUL byte; lines of a million features, and of 16 MB of nonsense.
printf '? 1:1\n1\n? 1:\0001\n!a\000 1\n? 1:1\n1\n' | live - m > out 2> err
check 'NUL: refused' "$(grep -c 'a NUL byte' err) $(reason err | wc -l | tr -d ' ')" '2 2'
check 'NUL: model' "$(rounds m)" 2
{
    awk 'BEGIN { printf "?"; for (j = 1; j <= 1000000; j++) printf " %d:1", j; print "\n0" }'
    head -c 16000000 < /dev/zero | tr '\0' x
    printf '\n? 1:1\n1\n'
} | live -L long.log - m > out 2> err
check 'long lines: status' $? 0
check 'long lines: answers' "$(cat out)" "$(printf '1 1\n2 1')"
check 'long lines: refused' "$(reason err | wc -c | awk '{ print ($1 < 200) }')" 1
check 'long lines: learnt' "$(rounds m) $(wc -l < long.log | tr -d ' ')" '2 2'

# A million open questions: the table is bounded, the oldest go.  (Without the limit under a sanitizer,
# which takes terabytes of addresses.)
awk 'BEGIN { for (i = 1; i <= 1000000; i++) print "?question" i " 1:1 2:1" }' > million
printf '!question%s 1\n' 1 999001 1000000 900001 900000 >> million
for open in 1000 100000; do
    limit=$((30000 + open * 7 / 10)) # KB, of which questions may take an eighth
    if (ulimit -v $limit; rcnbf-train --version) > version 2>&1; then
        (ulimit -v $limit; rcnbf-train -T 1 -g 0 -Q $open --interactive --labels 1-3 million m > out 2> err)
        check "$open open questions in $limit KB: status" $? 0
    else
        rcnbf-train -T 1 -g 0 -Q $open --interactive --labels 1-3 million m > out 2> err
        check "$open open questions: status" $? 0
    fi
    answers=2
    [ $open = 100000 ] && answers=3
    check "$open open questions: report" "$(reported err)" \
        "questions: 1000000, feedback: $answers, right: $answers, lines refused: $((5 - answers)), \
questions forgotten: $((1000000 - open))"
    check "$open open questions: answers" "$(wc -l < out | tr -d ' ') $(tail -n 1 out)" \
        '1000000 question1000000 1 1'
done
if (ulimit -v 60000; rcnbf-train --version) > version 2>&1; then
    (ulimit -v 60000; rcnbf-train -T 1 -g 0 -Q 1000000000 --interactive --labels 1-3 million m > out 2> err)
    check 'any number of open questions' "$? $(reported err | cut -d, -f1-4)" \
        '0 questions: 1000000, feedback: 2, right: 2, lines refused: 3'
    forgotten=$(reported err | sed 's/.*: //')
    [ "$forgotten" -gt 900000 ] && [ "$forgotten" -lt 990000 ]
    verdict 'any number of open questions: the oldest go' $? "$forgotten"
fi
# A line that does not fit.
if (ulimit -v 100000; rcnbf-train --version) > version 2>&1; then
    { printf '? 1:1\n1\n? '; head -c 60000000 /dev/zero | tr '\0' x; } 2> /dev/null \
        | (ulimit -v 100000; live - m > out 2> err)
    check 'a line that does not fit: status' $? 1
    check 'a line that does not fit: model' "$(rounds m)" 1
    check 'a line that does not fit: one message' "$(wc -l < err | tr -d ' ')" 1
fi

# Signals.  The program runs in the foreground, so that the shell does not make it ignore SIGINT; who kills
# it waits in the background.
mkfifo stop
for signal in TERM INT HUP; do
    if [ "$(sh -c "kill -s $signal \$\$; echo ignored" 2> /dev/null)" = ignored ]; then
        echo "skip SIG$signal is ignored where the tests were started"
        continue
    fi
    # Waiting for input: the last question has been answered, nothing more comes.
    rm -f pid out
    (
        exec 3> stop
        printf '? 1:1\n0\n? 1:1\n1\n? 3:1\n' >&3
        until_true '[ "$(wc -l < out)" -eq 3 ]'
        kill -$signal "$(cat pid)"
        until_true '[ -e finished ]'
    ) &
    rm -f finished m
    sh -c 'echo $$ > pid; exec rcnbf-train -q -T 1 -g 0 --interactive --labels 1-3 stop m' > out 2> err
    check "SIG$signal while it waits: status" $? 0
    : > finished
    wait $!
    check "SIG$signal while it waits: model" "$(rounds m) $(cat err)" '2 '
    # Blocked: it answers a peer that holds the pipe open and does not read.
    rm -f pid finished m
    (
        exec 3<> tell
        : > ready
        until_true '[ -s pid ]'
        until_true '! [ -e /proc/self/status ] || grep -q "^State:.S" "/proc/$(cat pid)/status" 2> /dev/null'
        kill -$signal "$(cat pid)"
        until_true '[ -e finished ]'
    ) &
    until_true '[ -e ready ]'
    sh -c 'echo $$ > pid; exec rcnbf-train -q -T 1 -g 0 --interactive --labels 1-3 million m > tell' 2> err
    check "SIG$signal while it is blocked: status" $? 0
    : > finished
    wait $!
    rm -f ready
    check "SIG$signal while it is blocked: model" "$(rounds m) $(cat err)" '0 '
done

# Standard streams that are closed.
live - m < /dev/null >&- 2> err; check 'no standard output, nothing to say: status' $? 0
printf '? 1:1\n' | live - m >&- 2> err; check 'no standard output: status' $? 1
live - m <&- > out 2> err; check 'no standard input: status' $? 1

# What was learnt before a signal is in the record, and the record is whole.
awk 'BEGIN {
    for (i = 0; i < 6000; i++) {
        printf "?"
        for (j = 1; j <= 400; j++) printf " %d:%.9f", j, j * .123456789
        print "\n1"
    } }' > wordy
for i in 1 2 3; do
    rm -f pid finished log
    (until_true '[ -s log ]'; kill "$(cat pid)"; until_true '[ -e finished ]') &
    sh -c 'echo $$ > pid; exec rcnbf-train -q -T 1 --interactive --labels 1-3 -L log wordy m' > out 2> err
    check "the record and a signal, $i: status" $? 0
    : > finished
    wait $!
    check "the record and a signal, $i: rounds" "$(wc -l < log | tr -d ' ')" "$(rounds m)"
    rcnbf-train -q --log --labels 1-3 log logged 2> err || echo "FAIL the record and a signal, $i: $(cat err)"
done

# A session that never begins leaves the model that was there; so does one whose weights are beyond what a
# double holds.
printf '? 1:1\n1\n' | live - m > out && cp m old
live nowhere m > out 2> err; check 'no such input: status' $? 1
same 'no such input: the old model' old m
live -L none/log - m < talk > out 2> err; check 'no record: status' $? 1
same 'no record: the old model' old m
printf '? 2:1\n1\n? 1:1e308\n0\n? 1:1e308\n0\n? 2:1\n1\n' | live -l 0 -r 0.4,0.4 - m > out 2> err
check 'numbers too large: status' $? 0
check 'numbers too large: model' "$(rounds m)" 2

# Nothing could be read: the model stays as it was.
mkdir folder
printf '1\n' > kept
for model in kept none; do
    live folder $model > out 2> err; check "a folder for a peer, $model: status" $? 1
    check "a folder for a peer, $model: reason" "$(reason err)" 'folder: Is a directory'
done
check 'a folder for a peer: the old model' "$(cat kept)" 1
[ -e none ] && echo 'FAIL a model of nothing that was read'

# A record whose writer was killed in the middle of a line: the next one does not glue to it.
for text in '1:1:1 1:1\n2:0:0.' '1:1:1 1:1\n' ''; do
    printf "$text" > log
    printf '? 1:1\n1\n' | rcnbf-train -T 1 -g 0 --interactive --labels 1-3 -L log - m > out 2> err
    check 'a record is appended to: last line' "$(tail -n 1 log)" '1:1:1 1:1'
    check 'a record is appended to: the rest' "$(sed '$d' log)" "$(printf "$text")"
    check 'a record is appended to: warning' "$(grep -c 'warning: log ended in the middle of a line' err)" \
        "$(printf "$text" | grep -c '0\.$')"
done

# Where there is nothing before it, it is dropped.
printf '1:1:0.9 1:' > log
for session in 1 2; do
    printf '? 1:1\n1\n' | rcnbf-train -q -g 0 --interactive --labels 1-3 -L log - m > out 2> err
    check "a record of a line that was cut, session $session" \
        "$? $(grep -c dropped err) $(tr '\n' '|' < log)" \
        "0 $((2 - session)) $(for _ in $(seq $session); do printf '1:1:1 1:1|'; done)"
done

# Features are numbered as the questions number them.
rm log
for session in 1 2; do
    printf '? 0:1\n1\n' | rcnbf-train -q -g 0 --interactive -Z --labels 1-3 -L log - m > out 2> err
    check "a record from index 0 on, session $session" "$? $(cat err)" '0 '
done
check 'a record from index 0 on' "$(tr '\n' '|' < log)" '1:1:1 0:1|1:1:1 0:1|'

# A stop while the record waits for its reader, as for the writer of questions, ends without an error.
mkfifo late
rm -f pid m
(
    until_true '[ -s pid ]'
    for is in Name:.rcnbf State:.S; do
        until_true '! [ -e /proc/self/status ] || grep -q "^$is" "/proc/$(cat pid)/status" 2> /dev/null'
    done
    kill "$(cat pid)"
) &
sh -c 'echo $$ > pid; exec rcnbf-train -q --interactive --labels 1-3 -L late - m' < /dev/null > out 2> err
check 'SIGTERM while the record waits' "$? $(cat err)" '0 '
wait $!

# Of many lines that are refused twenty are shown, and a note says so, but not with -q.
for lines in 20 21; do
    for q in -T1 -q; do
        for _ in $(seq $lines); do echo bad; done | rcnbf-train $q --interactive --labels 1-3 - m > out 2> err
        check "$lines lines are refused, $q" "$(grep -c '<stdin>' err) $(grep -c note: err)" \
            "20 $((lines == 21 && ${#q} == 3))"
    done
done

# What is no log of these labels is not appended to.
printf 'linear\nend\n' > other.1
printf '7:1:0.5 1:1\n' > other.2
printf '2 1:1\n1 1:2' > other.3
awk 'BEGIN { while (i++ < 30000) print "# many clicks"; print "no click" }' > other.4 # > 256 KB
for other in 1 2 4 3; do
    cp other.$other file
    printf '? 1:1\n1\n' | rcnbf-train -q --interactive --labels 1-3 -L file - none > out 2> err
    check "a record in another file, $other: status" "$? $(ls none 2> /dev/null)" '1 '
    same "a record in another file, $other" file other.$other
done
check 'a record in a log of other labels' "$(cat err | head -n 1; printf '7:1:0.5 1:1\n' > file
    printf '? 1:1\n' | rcnbf-train -q --interactive --labels 1-3 -L file - none 2>&1)" \
    'rcnbf-train: file:1:1: expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong): "2"
rcnbf-train: file:1:1: label 7 is not among the 3 classes'
printf '# clicks\n' > file
printf '? 1:1\n1\n' | rcnbf-train -q -g 0 --interactive --labels 1-3 -L file - none > out 2> err
check 'a record after a comment' "$? $(tail -n 1 file)" '0 1:1:1 1:1'
rm none

# One line cannot make the model take all memory.
printf '? 6:1\n1\n? 5:1\n1\n? 6:1\n1\n' | live --most-features 5 - m > out 2> err
check 'many features: status' $? 0
check 'many features: reason' "$(reason err | head -n 1)" \
    '<stdin>:1: index 6: the model may have 5 features (--most-features)'
check 'many features: the rest is learnt' "$(rounds m) $(grep nr_feature m)" '1 nr_feature 5'
printf '? 2147483647:1\n1\n' | live - m > out 2> err
check 'many features, by the memory' "$(reason err | sed 's/have [0-9]* f/have N f/;1q')" \
    '<stdin>:1: index 2147483647: the model may have N features (--most-features)'
printf '1 900:1\n2 1:1\n3 2:1\n' > data
rcnbf-train -q -T 1 data large
printf '? 900:1\n1\n? 901:1\n' \
    | rcnbf-train -q -T 1 --interactive --most-features 800 -m large - m > out 2> err
check 'fewer features than the model has' "$(reason err | head -n 1)" \
    '<stdin>:1: index 900: the model may have 800 features (--most-features)'
