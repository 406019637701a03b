#!/bin/sh
# Choose options by cross-validation over a grid, in the manner of LIBSVM's grid.py: for any trainer that
# prints `Cross Validation Accuracy = ...` with -v, LIBSVM's and LIBLINEAR's too.
#
#   usage: examples/grid.sh [-v folds] [-j jobs] [-o table] [-s k/n] COMMAND OPTION LIST ... -- DATA
#          examples/grid.sh 'musvm-train -t rbf' -c 1,10,100 -g .1,1 -- data
#
# -v folds  of the cross-validation (5)
# -j jobs   run side by side, by GNU parallel (default: one a processor, if it is installed; else 1)
# -o table  a line `accuracy TAB options` for each cell that is done (default: the data's name + .grid)
# -s k/n    only every n-th cell, from the k-th, with the table TABLE.k: for jobs on several machines.
#           Without it the cells of such tables that are there are added to TABLE first
#
# Prints the cells of the grid in this form, the best first.  A grid that was stopped goes on where it was:
# cells in the table are not tried again.  The table is for one command, data and number of folds, and for
# any lists.
set -eu
LC_ALL=C
export LC_ALL
tab=$(printf '\t')

stop() { echo "$0: $1" >&2; exit "${2:-1}"; }
usage() { stop "usage: $0 [-v folds] [-j jobs] [-o table] [-s k/n] COMMAND OPTION LIST ... -- DATA" 2; }

# Try one cell, and add it to the table.  A command and options are words.
# shellcheck disable=SC2086
try() {
    printed=$($GRID_COMMAND -q $1 -v "$GRID_FOLDS" "$GRID_DATA" < /dev/null) || stop "$GRID_COMMAND $1 failed"
    accuracy=$(printf '%s\n' "$printed" | sed -n 's/^Cross Validation Accuracy = \(.*\)%$/\1/p')
    [ -n "$accuracy" ] || stop "$GRID_COMMAND $1 prints no cross-validation accuracy"
    printf '%s\t%s\n' "$accuracy" "$1" >> "$GRID_TABLE"
}
if [ $# -eq 2 ] && [ "$1" = --cell ]; then # what GNU parallel runs
    try "$2"
    exit
fi

GRID_FOLDS=5 GRID_TABLE='' jobs=1 share=''
if parallel --version 2> /dev/null | grep -q '^GNU parallel'; then
    jobs=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1)
fi
while getopts v:j:o:s: option; do
    case $option in
    v) GRID_FOLDS=$OPTARG ;;
    j) jobs=$OPTARG ;;
    o) GRID_TABLE=$OPTARG ;;
    s) share=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 5 ] || usage
expr "$jobs" : '[1-9][0-9]*$' > /dev/null || usage
GRID_COMMAND=$1
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP

# The cells: all those so far, with each value of the next option.
echo > "$work/cells"
while [ "$1" != -- ]; do
    [ $# -ge 4 ] || usage
    case ,$2, in *,,*) stop "$1 has an empty value: \"$2\"" 2 ;; esac
    awk -v option="$1" -v list="$2" 'BEGIN { n = split(list, value, ",") }
        { for (i = 1; i <= n; i++) print $0 ($0 == "" ? "" : " ") option " " value[i] }' "$work/cells" \
        > "$work/more"
    mv "$work/more" "$work/cells"
    shift 2
done
[ $# -eq 2 ] || usage
GRID_DATA=$2
[ -r "$GRID_DATA" ] || stop "$GRID_DATA cannot be read"
[ -n "$GRID_TABLE" ] || GRID_TABLE=$(basename "$GRID_DATA").grid
if [ -n "$share" ]; then
    expr "$share" : '[1-9][0-9]*/[1-9][0-9]*$' > /dev/null || usage
    [ "${share%/*}" -le "${share#*/}" ] || usage
    GRID_TABLE=$GRID_TABLE.${share%/*}
    awk -v k="${share%/*}" -v n="${share#*/}" 'NR % n == k % n' "$work/cells" > "$work/more"
    mv "$work/more" "$work/cells"
fi
(: >> "$GRID_TABLE") 2> /dev/null || stop "$GRID_TABLE cannot be written"

# The table's first line says what it is of; one without a cell, as a command that fails leaves it, is of
# nothing.  A last line that is not whole does not count.
head="# $GRID_COMMAND, $GRID_FOLDS folds, data $(cksum < "$GRID_DATA")"
if [ -s "$GRID_TABLE" ] && grep -q -v '^# .* folds, data [0-9]* [0-9]*$' "$GRID_TABLE"; then
    [ "$(head -n 1 "$GRID_TABLE")" = "$head" ] \
        || stop "$GRID_TABLE is of another command, data or number of folds (remove it, or use -o)"
    if [ "$(tail -c 1 "$GRID_TABLE" | wc -l)" -eq 0 ]; then
        sed '$d' "$GRID_TABLE" > "$work/whole"
        cat "$work/whole" > "$GRID_TABLE"
    fi
else
    echo "$head" > "$GRID_TABLE"
fi
for part in "$GRID_TABLE".*; do
    [ -z "$share" ] || break
    [ "$(head -n 1 "$part" 2> /dev/null)" = "$head" ] || continue
    # `read` fails at a line that is not whole, as a job that was killed may leave it.
    while IFS= read -r line; do printf '%s\n' "$line"; done < "$part" > "$work/whole"
    awk -F "$tab" 'NR == FNR { done[$2]; next } !/^#/ && !($2 in done)' "$GRID_TABLE" "$work/whole" \
        > "$work/more"
    cat "$work/more" >> "$GRID_TABLE"
done
awk -F "$tab" 'NR == FNR { done[$2]; next } !($0 in done)' "$GRID_TABLE" "$work/cells" > "$work/left"

# Beside each other the programs of this toolkit get one thread each, which changes no number.
if [ "$jobs" -gt 1 ]; then
    case " $GRID_COMMAND " in
    *' -T'* | *' --threads'*) ;;
    *) ! ${GRID_COMMAND%% *} -h 2> /dev/null | grep -q -e --threads || GRID_COMMAND="$GRID_COMMAND -T 1" ;;
    esac
    export GRID_COMMAND GRID_FOLDS GRID_DATA GRID_TABLE
    parallel --will-cite -j "$jobs" --halt now,fail=1 sh "$0" --cell < "$work/left"
else
    while read -r cell; do try "$cell"; done < "$work/left"
fi
awk -F "$tab" 'NR == FNR { wanted[$0]; next } $2 in wanted' "$work/cells" "$GRID_TABLE" |
    sort -t "$tab" -k 1,1nr -k 2,2
