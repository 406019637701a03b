#!/bin/sh
# A recommender that learns from clicks, over a pipe, while it serves: rcnbf-train --interactive.
#
# The visitors are the handwritten digits of data/digits.train, and what a visitor wants is its label, which
# the learner is never told.  Visitors come 200 at a time; each is shown one label and clicks, or does not.
# One wrong label in ten is clicked all the same (an accident), three right ones in ten are not (no time).
# Every fourth visitor decides late: its answer comes when the next 200 have been served.
#
# What goes over the pipe:   ?7.12 3:0.25 ...   visitor 12 of crowd 7, with its features
#                            7.12 4 0.91        the answer: show it label 4 (which had the probability 0.91)
#                            !7.12 1            later: it clicked
# In an application a web server stands where this script asks and answers.
set -eu
[ $# -eq 0 ] || { echo "usage: $0" >&2; exit 2; }
cd "$(dirname "$0")/.."
PATH=${BIN:-.}:$PATH # the programs of this tree, else those that are installed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
crowds=120 last=20 # 24000 visitors; those of the last 20 crowds are looked at closer
visitors() { echo "$work/visitors.$(($1 % 6))"; }
awk -v path="$work/visitors." '{ print > (path int((NR - 1) / 200)) }' data/digits.train
mkfifo "$work/ask" "$work/tell"

# Clicks for the labels shown to a crowd.  Its own generator of chance: those of awks differ.
clicks() {
    awk -v crowd="$1" -v late="$work/late" -v report="$work/shown" '
        function chance() { state = state * 16807 % 2147483647; return state / 2147483647 }
        BEGIN { state = crowd * 7919 + 1; chance(); chance(); printf "" > late }
        FNR == NR { wants[crowd "." FNR] = $1; next }
        {
            right = $2 == wants[$1]
            answer = "!" $1 " " (chance() < (right ? 0.7 : 0.1) ? 1 : 0)
            if (FNR % 4 == 0) print answer > late; else print answer
            served += right
        }
        END { print served + 0 >> report }' "$(visitors "$1")" "$2"
}

serve() {
    : > "$work/late"
    : > "$work/shown"
    rcnbf-train -q --interactive --labels 0-9 -g 0.2 "$@" - "$work/model" \
        < "$work/ask" > "$work/tell" &
    exec 3> "$work/ask" 4< "$work/tell"
    crowd=1
    while [ $crowd -le $crowds ]; do
        awk -v crowd=$crowd '{ $1 = "?" crowd "." NR; print }' "$(visitors $crowd)" >&3
        cat "$work/late" >&3
        head -n 200 <&4 > "$work/labels"
        clicks $crowd "$work/labels" >&3
        crowd=$((crowd + 1))
    done
    cat "$work/late" >&3
    exec 3>&- 4<&-
    wait $! # the end of input: the model is saved
    tail -n $last "$work/shown" \
        | awk -v n=$((last * 200)) '{ right += $1 } END { printf "%9.1f %%", 100 * right / n }'
    rcnbf-predict -q data/digits.test "$work/model" "$work/labels" \
        | awk '{ printf "%16.1f %%\n", $3 }'
}

echo "$((crowds * 200)) visitors, each shown one label in ten; 10 % click on a wrong one, 30 % do not"
echo "click on the right one."
echo "                                          shown right,        test set,"
echo "                                          last $((last * 200))           the model that is left"
printf 'banditron  trusts the clicks            '; serve -s banditron
printf 'rcnbf      is told how they lie         '; serve -s rcnbf -r 0.1,0.3
printf 'nsm        is told, thinks in odds      '; serve -s nsm -r 0.1,0.3
echo "One label in five is drawn at random: without them a learner never hears of what it does not know."
echo "So 82 % would be the most. (rcine is rcnbf that finds out by itself how clicks lie.)"
