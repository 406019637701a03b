#!/bin/sh
# Several labels for each example, as a crowd gives them: vote, or learn from all?
#
#   usage: experiments/forward/crowd.sh DATA_FOLDER
#
# Writes crowd.txt.  From the environment, beside what lib.sh names: SETS, KINDS, SEEDS and LINES_DRAWN.
#
# LINES_DRAWN examples, drawn at random, each with the labels of three people, whose noise is drawn separately
# (kinds as in noise.sh).  Test accuracy in % of `forward-train`, by default and with -t linear:
#   all     each example three times, with a label of each person
#   vote    each example once, with the label that most people gave; of three labels the first
#   one     each example once, with the label of the first person
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
if [ -n "$QUICK" ]; then
    SETS=digits SEEDS=1 KINDS=class:0.4 LINES_DRAWN=300
fi
SETS=${SETS:-optdigits usps letter}
KINDS=${KINDS:-class:0.2 class:0.4 uniform:0.4}
SEEDS=${SEEDS:-1 2 3}
LINES_DRAWN=${LINES_DRAWN:-700}

job() { # SET KIND SEED LINES
    unpack "$1.train" > "$tmp/whole"
    unpack "$1.test" > "$tmp/test"
    shuffle "$tmp/whole" "$3" | head -n "$4" > "$tmp/train"
    for person in 1 2 3; do
        add_noise "$2" "$((10 * $3 + person))" "$tmp/train" "$tmp/C" > "$tmp/one$person"
    done
    paste -d '\n' "$tmp/one1" "$tmp/one2" "$tmp/one3" > "$tmp/all"
    cut -d ' ' -f 1 "$tmp/all" | paste -d ' ' - - - | paste -d ' ' - "$tmp/one1" |
        awk '{ vote = $2 == $3 ? $2 : $1; $1 = $2 = $3 = ""; $4 = vote; sub(/^ +/, ""); print }' > "$tmp/vote"
    mv "$tmp/one1" "$tmp/one"
    for labels in all vote one; do
        for options in '' '-t linear'; do
            # shellcheck disable=SC2086 # words
            "$PROGRAMS/forward-train" -q -T 1 $options "$tmp/$labels" "$tmp/model" 2> "$tmp/warnings"
            tabs "$labels${options:+ $options}" "$(accuracy "$PROGRAMS/forward-predict" -T 1)"
        done
    done
}
for set in $SETS; do for kind in $KINDS; do for seed in $SEEDS; do
    tabs "$set" "$kind" "$seed" "$LINES_DRAWN"
done; done; done > "$tmp/list"
work job "$tmp/list"

{
    printf '# set\tnoise\tlines\tlabels\tmean\tstd\tseeds\tvalues\n'
    results | means 1,2,4,5 6
} > "$OUT/$name.txt"
from() { awk -F '\t' -v what="$1" '$4 == what { print $5 }' "$OUT/$name.txt"; }
expect 'all labels, digits' "$(from all)" 88 100
expect 'all labels against one' "$(minus "$(from all)" "$(from one)")" 0 30
