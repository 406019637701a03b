# On a terminal long commands tell their phase, what is done of how much, and the time left; not with -q.
. "$top/tests/checks.sh"
if [ "$(script -qfc 'echo terminal' /dev/null 2> /dev/null | tr -d '\r\n')" != terminal ]; then
    echo 'skip progress: no script -qfc that makes a terminal'
    echo 'ok skipped'
    exit
fi
data=$top/data/letter.train
# shows NAME PATTERN COMMAND: a line of the terminal is so.  The command is ended as soon as one was seen.
shows() {
    : > seen
    script -qfc "$3" /dev/null < /dev/null >> seen 2>&1 &
    shown=$! tries=0
    until grep -qaE "$2" seen || [ $tries -ge 1200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    grep -qaE "$2" seen
    verdict "$1" $? "after $tries looks: $(tail -c 300 seen | od -An -c)"
    ! tr '\r' '\n' < seen | sed -nE 's/.* ([0-9]+) of at most ([0-9]+) .*/\1 \2/p' \
        | awk '$1 > $2' | grep .
    verdict "$1: no more than at most" $? 'a line tells otherwise'
    kill -s KILL $shown 2> killed # its terminal is gone, and the command ends by SIGHUP
    wait $shown 2>> killed
}
# Long enough on a fast machine: a command is ended when its line was seen.
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$data"; done > large
share='\[#*\.*\] +[0-9]+%  ' left='  [0-9]+:[0-9][0-9] left'
bound='[0-9]+ of at most [0-9]+' most='  at most [0-9]+:[0-9][0-9] left'
shows 'forward-train: the estimate' "estimating the noise  $bound fits  .*/s$most" "forward-train $data m"
shows 'forward-train: the minimum' "learning  ${share}[0-9]+ passes, gradient [0-9.e-]+ > [0-9.e-]+$left" \
    "forward-train -c identity --lambda 1e-9 large m"
shows suspects "estimating the noise  $bound fits  .*/s$most" "suspects $data"
awk 'BEGIN { printf "labels"; for (k = 1; k <= 26; k++) printf " %d", k; print "" }
    { printf "%d", $1; for (k = 1; k <= 26; k++) printf k == ($1 + NR) % 26 + 1 ? " 0.5" : " 0.02"; print "" }
    ' "$data" > predictions
shows 'suspects -p' "estimating the noise  $bound rounds  .*/s$most" "suspects -p predictions $data"
shows 'musvm-train' "learning  ${share}[0-9]+ updates, violation [0-9.e-]+ > [0-9.e-]+$left" \
    "musvm-train -c 100 $data m"
head -n 4000 "$data" > trials # each trial within seconds, however slow the build
shows 'musvm-train -C cv' "choosing parameters  ${share}[0-9]+/[0-9]+ trials .*$left" \
    "musvm-train -C cv trials m"
shows 'kpca-train' "mapping the examples  ${share}[0-9]+/150000 rows .*$left" \
    "kpca-train -n 300 -D 10 large m"
shows 'kpca-train: the phase before' 'eigenvectors of the landmarks' "kpca-train -n 1500 -D 10 $data m"
shows 'arow-train' "${share}[0-9]+/15000000 examples .*$left" "arow-train -i 100 large m"
script -qfc "arow-train -q -i 10 $data m" /dev/null < /dev/null > seen 2>&1
check 'nothing with -q' "$(tr -d '\r\n' < seen)" ''
