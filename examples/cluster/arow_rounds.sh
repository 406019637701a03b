#!/bin/sh
# AROW on shards of the data, side by side, merged after each round, from which the next goes on.
#
#   usage: arow_rounds.sh [-r rounds] [-j jobs] LABELS MODEL SHARD...
#          split -n l/16 -d data shard. && arow_rounds.sh 0-9 model shard.??
#
# -r rounds  (2)     -j jobs  side by side, by GNU parallel (default: one a processor)
#
# A task that fails is tried three times.  When the whole is stopped, start it again: shards that are done
# are not learnt from again.  MODEL.1, MODEL.2 ... are the models after each round; during a round there
# is one for each shard, MODEL.ROUND.SHARD.
# PARALLEL='-S a,b' in the environment lets GNU parallel use machines a and b, which see the same folder.
set -eu
rounds=2 jobs=100%
while getopts r:j: option; do
    case $option in
    r) rounds=$OPTARG ;;
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 3 ] || { sed -n 's/^#   usage/usage/p' "$0" >&2; exit 2; }
labels=$1 model=$2
shift 2
# The files of a round are named by the shards, without their folders.
twice=$(for shard; do echo "${shard##*/}"; done | sort | uniq -d)
[ -z "$twice" ] || {
    echo "$0: two shards are named $twice" >&2
    exit 2
}

base=''
round=1
while [ "$round" -le "$rounds" ]; do
    if [ ! -e "$model.$round" ]; then
        # A learner that is stopped saves what it has learnt: only one that has ended counts.
        # shellcheck disable=SC2016 # for the shells of parallel
        printf '%s\n' "$@" | parallel --will-cite -j "$jobs" --retries 3 --halt soon,fail=1 '
            done='"$model.$round"'.{/}
            [ -e "$done" ] || { arow-train -q -T 1 --labels '"$labels $base"' {} "$done.part" &&
                mv "$done.part" "$done"; }'
        (
            for shard; do
                shift
                set -- "$@" "$model.$round.${shard##*/}"
            done
            # shellcheck disable=SC2086 # none, or -m and a name
            arow-merge -q $base "$@" > "$model.merged"
            mv "$model.merged" "$model.$round"
            rm -f "$@"
        )
    fi
    base="-m $model.$round"
    round=$((round + 1))
done
cp "$model.$rounds" "$model.merged"
mv "$model.merged" "$model"
