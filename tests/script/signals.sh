# SIGINT, SIGTERM and SIGHUP end a program and leave nothing unfinished behind.  It runs in the foreground,
# so that the shell does not make it ignore SIGINT, and waits for data that never come; who kills it knows
# it by the name of its temporary file.
. "$top/tests/checks.sh"
unfinished() { ls -A | grep '^\.libdoubt-'; }
kill_writer() {
    tries=0
    until name=$(unfinished); do
        tries=$((tries + 1))
        [ $tries -lt 400 ] || return
        sleep 0.05
    done
    pid=${name#.libdoubt-}
    kill -s "$1" "${pid%%-*}"
}

arow-train -q "$top/data/iris.train" model
mkfifo never
exec 3<> never
echo old > kept
for signal in INT:130 TERM:143 HUP:129; do
    name=${signal%:*}
    if [ "$(sh -c "kill -s $name \$\$; echo ignored" 2> /dev/null)" = ignored ]; then
        echo "skip SIG$name is ignored where the tests were started"
        continue
    fi
    for threads in 1 2; do
        kill_writer "$name" & killer=$!
        arow-predict -T $threads never model kept > out 2> err
        check "SIG$name, $threads threads: status" $? "${signal#*:}"
        wait $killer
        check "SIG$name, $threads threads: nothing is left" "$(unfinished)" ''
        check "SIG$name, $threads threads: the old file stays" "$(cat kept)" old
    done
    kill_writer "$name" & killer=$!
    uma-train -q -c identity -e 0 -i 1000000000 --trace trace "$top/data/letter.train" kept > out 2> err
    check "SIG$name, a trace: status" $? "${signal#*:}"
    wait $killer
    check "SIG$name, a trace: nothing is left" "$(ls -A | tr '\n' ' ')" 'err kept model never out '
done

# A signal while a line waits for its reader: the line is not lost, and the status is the signal's.
mkfifo slow
exec 4<> slow
arow-train -i 1000000 "$top/data/iris.train" saved >&4 2> err & pid=$!
i=0
while [ $i -lt 20 ] && kill -0 $pid; do # until the pipe is full: then it writes no more
    sleep 0.05
    i=$((i + 1))
done
kill -s TERM $pid
cat < slow > lines 4>&- & reader=$!
wait $pid; check 'a signal while a line waits: status' $? 143
exec 4>&-
wait $reader
whole='^pass [0-9]*: [0-9]* examples, .*%)$'
check 'a signal while a line waits: no line is lost' "$(grep -vc "$whole" lines)" 1
stopped='arow-train: stopped by SIGTERM '
check 'a signal while a line waits: what is said' "$(sed 's/after .*//' err)" "$stopped"
