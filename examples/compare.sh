#!/bin/sh
# A table like that of the README: classifiers that learn from noisy labels of the digits, tested on
# true ones, with one draw of the noise.  Needs the programs of LIBSVM and LIBLINEAR.  Takes some
# minutes; every choice is made by 5-fold cross-validation on the noisy labels.
#
#   usage: examples/compare.sh
set -eu
[ $# -eq 0 ] || { echo "usage: $0 (on the digits; grid.sh compares options on your data)" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${BIN:-$top}:$PATH # the programs of this tree, else those that are installed
for program in svm-train svm-predict liblinear-train liblinear-predict; do
    command -v $program > /dev/null || { echo "$0: $program is not installed" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
test=$top/data/digits.test

# validated COMMAND...: COMMAND -v 5, its accuracy.  accuracy: what a predict program prints, the
# number.
validated() { "$@" | sed -n 's/^Cross Validation Accuracy = \(.*\)%/\1/p'; }
accuracy() { sed -n 's/^Accuracy = \([0-9.]*\)%.*/\1/p'; }
larger() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

svm() { # DATA
    most=0
    for c in 1 3 10; do
        for g in 0.0002 0.0005 0.001 0.002; do
            found=$(validated svm-train -q -v 5 -c $c -g $g "$1")
            if larger "$found" "$most"; then most=$found best="-c $c -g $g"; fi
        done
    done
    # shellcheck disable=SC2086 # options
    svm-train -q $best "$1" "$work/model"
    svm-predict "$test" "$work/model" "$work/labels" | accuracy
}

liblinear() { # DATA SOLVER
    most=0
    for c in 0.0001 0.001 0.01 0.1 1; do
        found=$(validated liblinear-train -q -v 5 -s "$2" -c $c "$1")
        if larger "$found" "$most"; then most=$found best=$c; fi
    done
    liblinear-train -q -s "$2" -c "$best" "$1" "$work/model"
    liblinear-predict "$test" "$work/model" "$work/labels" | accuracy
}

forward() { # DATA
    forward-train -q "$1" "$work/model"
    forward-predict "$test" "$work/model" "$work/labels" | accuracy
}

for flip in 0 0.3 0.5; do
    synth noise -q --flip $flip --labels 0-9 > "$work/C"
    label-noise -q -c "$work/C" "$top/data/digits.train" > "$work/noisy"
    suspects -q --clean "$work/noisy" > "$work/kept"
    echo "labels wrong with probability $flip"
    echo "  liblinear-train -s 0                $(liblinear "$work/noisy" 0)"
    echo "  liblinear-train -s 4                $(liblinear "$work/noisy" 4)"
    echo "  forward-train                       $(forward "$work/noisy")"
    echo "  svm-train                           $(svm "$work/noisy")"
    echo "  suspects --clean, then svm-train    $(svm "$work/kept")"
done
