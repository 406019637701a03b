#!/bin/sh
# What the pages in doc/ say in numbers that no other experiment makes.
#
#   usage: experiments/compare/pages.sh DATA_FOLDER
#
# Whole training sets (letter.scale for M-SVM: the first 5000 lines), seed 1; noise as compare.sh has it.
#   passes   arow-train -A on mnist, uniform 20 %: one pass, and ten
#   map      arow-train -A -i 3 -r 10, labels as they are: linear, and with --map nystrom --map-dims 500,
#            gamma 1/2, 1, 2 and 4 times the default
#   lengths  forward-train, class-dependent 30 %: by default, linear, and with the kernel at unit length
#   weights  musvm-train, class-dependent 30 %: noisy labels, with -W from suspects --weights, true labels
#   named    suspects on the first 2000 lines, class-dependent 30 %, three seeds: of the lines that it names,
#            how many are wrong, in %
#
# pages.txt, tab separated: what; set; options; labels, the factor of gamma (0: no map), or the seed; test
# accuracy in %, or the share that is wrong; processor seconds.
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
images=mnist letters=letter.scale usps=usps mapped='letter isolet r8'
[ -z "$QUICK" ] || { images=digits letters=digits usps=digits mapped=digits; }

prepare() { # SET KIND: $tmp/true, $tmp/noisy, $tmp/C, $tmp/test
    unpack "$1.train" > "$tmp/true"
    unpack "$1.test" > "$tmp/test"
    add_noise "$2" 1 "$tmp/true" "$tmp/C" > "$tmp/noisy"
}
learn() { # FILE PROGRAM OPTIONS: accuracy and seconds
    clock
    before=$cpu
    # shellcheck disable=SC2086 # options are words
    "$PROGRAMS/$2-train" -q -T 1 -S 1 $3 "$1" "$tmp/model" 2> "$tmp/error"
    clock
    seconds=$(minus "$cpu" "$before")
    tabs "$(accuracy "$PROGRAMS/$2-predict" -q -T 1)" "$seconds"
}
passes() { # - SET OPTIONS
    prepare "$2" uniform:0.2
    learn "$tmp/noisy" arow "$3"
}
map() { # - SET OPTIONS FACTOR; 0: no map
    prepare "$2" clean:0
    gamma=
    if [ "$4" != 0 ]; then
        # shellcheck disable=SC2086 # options are words
        "$PROGRAMS/arow-train" -q -T 1 -S 1 $3 "$tmp/true" "$tmp/model"
        gamma=$(awk -v f="$4" '$1 == "map_gamma" { printf "--map-gamma %.17g", f * $2 }' "$tmp/model")
    fi
    learn "$tmp/true" arow "$3 $gamma"
}
lengths() { # - SET OPTIONS
    prepare "$2" class:0.3
    learn "$tmp/noisy" forward "$3"
}
weights() { # - SET OPTIONS LABELS
    prepare "$2" class:0.3
    [ "$2" != letter.scale ] || for file in true noisy; do
        head -n 5000 "$tmp/$file" > "$tmp/part"
        mv "$tmp/part" "$tmp/$file"
    done
    case $4 in
    noisy) learn "$tmp/noisy" musvm "$3" ;;
    -W)
        "$PROGRAMS/suspects" -q -T 1 -S 1 --weights "$tmp/noisy" > "$tmp/w" 2> "$tmp/error"
        learn "$tmp/noisy" musvm "$3 -W $tmp/w" ;;
    true) learn "$tmp/true" musvm "$3" ;;
    esac
}
named() { # - SET - SEED
    unpack "$2.train" | head -n 2000 > "$tmp/true"
    add_noise class:0.3 "$4" "$tmp/true" "$tmp/C" > "$tmp/noisy"
    clock
    before=$cpu
    "$PROGRAMS/suspects" -q -T 1 -S 1 "$tmp/noisy" > "$tmp/list" 2> "$tmp/error"
    clock
    tabs "$(awk -v list="$tmp/list" '
        FILENAME != list { truth[FNR] = $1; next }
        { named++; wrong += $2 != truth[$1] }
        END { printf "%.1f", 100 * wrong / named }' "$tmp/true" "$tmp/list")" "$(minus "$cpu" "$before")"
}
measure() { "$1" "$@"; }

{
    for n in 1 10; do tabs passes $images "-A -i $n"; done
    for set in $mapped; do
        tabs map "$set" '-A -i 3 -r 10' 0
        for factor in 0.5 1 2 4; do tabs map "$set" '-A -i 3 -r 10 --map nystrom --map-dims 500' $factor; done
    done
    for set in $letters $images; do
        for options in '-t auto' '-t linear'; do tabs lengths "$set" "$options"; done
    done
    tabs lengths $letters '-t auto -l 1'
    for labels in noisy -W true; do
        tabs weights $usps '-t rbf -g 0.01953' $labels
        tabs weights $usps '-t rbf -g 0.01953 -c 10' $labels
        tabs weights $letters '-t rbf -g 4' $labels
    done
    for seed in 1 2 3; do tabs named $letters - $seed; done
} > "$tmp/list"
work measure "$tmp/list"
{
    tabs '# what' set options '' accuracy seconds
    results | awk -F '\t' -v OFS='\t' '
        $1 == "passes" || $1 == "lengths" { print $1, $2, $3, "", $4, $5; next }
        { print }'
} > "$OUT/$name.txt"

value() {
    awk -F '\t' -v what="$1" -v last="$2" '$1 == what && ($3 " " $4) ~ last "$" { print $5; exit }' \
        "$OUT/$name.txt"
}
expect 'one pass' "$(value passes '-i 1 ')" 70 92
expect 'a map' "$(value map ' 1')" 90 100
expect 'a kernel' "$(value lengths 'auto ')" 90 100
expect 'with -W' "$(value weights '-c 10 -W')" 20 100
