# shellcheck shell=sh
# What the bandit experiments share.  Behind lib.sh.

# fetch SET: its training set, to $tmp/train; synsep is generated (100000 texts)
fetch() {
    if [ "$1" = synsep ]; then "$PROGRAMS/synth" synsep -q > "$tmp/train"; else
        unpack "$1.train" > "$tmp/train"
    fi
}
# rates LEARNER R0,R1: the options of a learner that uses these noise rates; nsm wants at least .02
rates() {
    case $1 in
    rcnbf) echo "-s rcnbf -r $2" ;;
    rcnbf-average) echo "-s rcnbf --play average -r $2" ;;
    nsm)
        echo "$2" | awk -F , '{
            print "-s nsm -r " ($1 < .02 ? .02 : $1) "," ($2 < .02 ? .02 : $2) }' ;;
    *) echo "-s $1" ;;
    esac
}
