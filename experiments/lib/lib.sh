# shellcheck shell=sh
# What the experiments share: data, noise, jobs that resume, means, pictures.
#
# A script experiments/FOLDER/NAME.sh reads
#
#     set -eu
#     . "$(dirname "$0")/../lib/lib.sh"
#     begin "$@"                              # the data folder is the argument, or in DATA
#     job() { ... }                           # one job; it prints lines of results
#     for ...; do tabs "$set" "$seed" ...; done > "$tmp/list"
#     work job "$tmp/list"                    # runs those whose results are not there yet
#     results | means 1,3 4 > "$OUT/$name.txt"
#     picture "$OUT/$name.svg" 680 420 << 'END'
#     plot ...
#     END
#     expect 'accuracy of ...' VALUE LOW HIGH # checked where QUICK=1
#
# A job is a line of fields separated by tabs.  `job` gets them as arguments, in a process of its own
# with a folder $tmp of its own; each line that it prints is appended to the file $RUNS, behind the
# fields of the job, once all of the job is done.  A job of which $RUNS has a line is not run again:
# so a script that was stopped goes on where it was.  Jobs use fixed seeds and -T 1, and depend on
# nothing but their fields and the data, hence not on what else runs, nor on their order.
#
# From the environment:
#   DATA       the folder of data, NAME.train and NAME.test or with .xz, if it is no argument
#   PROGRAMS   the folder of the programs                    (default: the top of the tree)
#   OUT        where NAME.txt and pictures are written       (default: the script's folder)
#   RUNS       finished results                              (default: build/experiments/NAME.runs)
#   FORGET     an extended regular expression: results whose line matches it are dropped from RUNS
#              first, so that they are made again
#   JOBS       so many jobs at a time, with GNU parallel     (default: the processors)
#   QUICK=1    a few small runs on data/ of the tree, in a temporary folder, compared with the ranges
#              that `expect` states; nothing in the tree changes

tab=$(printf '\t')

# ---- the frame ----

# begin "$@": sets name, folder, top, data, tmp, OUT, RUNS, QUICK.  A script that needs no data sets
# needs_data=no before.
begin() {
    name=$(basename "$0" .sh)
    folder=$(cd "$(dirname "$0")" && pwd)
    top=$(cd "$folder/../.." && pwd)
    lib=$top/experiments/lib
    PROGRAMS=$(cd "${PROGRAMS:-$top}" && pwd)
    QUICK=${QUICK:-}
    data=${1:-${DATA:-}}
    [ -z "$QUICK" ] || data=$top/data
    if [ "${needs_data:-yes}" = yes ] && [ -z "$data" ]; then
        echo "usage: experiments/$(basename "$folder")/$name.sh DATA_FOLDER" >&2
        exit 2
    fi
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    trap 'exit 1' HUP INT TERM
    if [ -n "$QUICK" ] && [ -z "${EXPERIMENT_JOB:-}" ]; then
        OUT=$tmp RUNS=$tmp/finished
    fi
    OUT=${OUT:-$folder}
    RUNS=${RUNS:-$top/build/experiments/$name.runs}
    mkdir -p "$OUT" "$(dirname "$RUNS")"
    : >> "$RUNS"
    export PROGRAMS QUICK OUT RUNS DATA="$data" LC_ALL=C
    if [ -n "${FORGET:-}" ] && [ -z "${EXPERIMENT_JOB:-}" ]; then
        grep -Ev -- "$FORGET" "$RUNS" > "$tmp/kept" || :
        cat "$tmp/kept" > "$RUNS"
    fi
}

tabs() { # its arguments, as a line of fields
    lib_line=$1
    shift
    for lib_field; do lib_line=$lib_line$tab$lib_field; done
    printf '%s\n' "$lib_line"
}

# work FUNCTION LIST: FUNCTION for each line of the file LIST of which RUNS has no result.
work() {
    if [ -n "${EXPERIMENT_JOB:-}" ]; then
        [ "$EXPERIMENT_FUNCTION" = "$1" ] || return 0
        work_one
        exit 0
    fi
    awk -F '\t' -v list="$2" 'FILENAME == list { wanted[++n] = $0; next }
        { for (i = 1; i <= NF; i++) { head = i > 1 ? head FS $i : $i; there[head] } head = "" }
        END { for (i = 1; i <= n; i++) if (!(wanted[i] in there)) print wanted[i] }' "$2" "$RUNS" \
            > "$tmp/todo"
    EXPERIMENT_FUNCTION=$1 EXPERIMENT_BEGUN=$(date +%s) EXPERIMENT_PROGRESS=$tmp/progress
    EXPERIMENT_TOTAL=$(wc -l < "$tmp/todo")
    export EXPERIMENT_FUNCTION EXPERIMENT_BEGUN EXPERIMENT_PROGRESS EXPERIMENT_TOTAL
    : > "$EXPERIMENT_PROGRESS"
    if [ "${JOBS:-}" != 1 ] && parallel --version 2> "$tmp/where" < /dev/null | grep -q '^GNU parallel'; then
        parallel -q --will-cite --halt soon,fail=1 ${JOBS:+-j "$JOBS"} --line-buffer -a "$tmp/todo" \
            env EXPERIMENT_JOB={} sh "$0" "$data"
    else
        while IFS= read -r lib_line; do
            EXPERIMENT_JOB=$lib_line sh "$0" "$data" < /dev/null
        done < "$tmp/todo"
    fi
}
work_one() {
    IFS=$tab
    set -f
    # shellcheck disable=SC2086 # split at tabs
    set -- $EXPERIMENT_JOB
    set +f
    unset IFS
    "$EXPERIMENT_FUNCTION" "$@" > "$tmp/results"
    awk -v head="$EXPERIMENT_JOB$tab" '{ print head $0 }' "$tmp/results" > "$tmp/lines"
    [ -s "$tmp/lines" ] || { echo "$name: no result of: $EXPERIMENT_JOB" >&2; exit 1; }
    cat "$tmp/lines" >> "$RUNS"
    echo >> "$EXPERIMENT_PROGRESS"
    [ -n "$QUICK" ] || awk -v n="$(wc -l < "$EXPERIMENT_PROGRESS")" -v total="$EXPERIMENT_TOTAL" \
        -v begun="$EXPERIMENT_BEGUN" -v now="$(date +%s)" -v name="$name" 'BEGIN {
            printf "%s: %d of %d jobs, about %.0f min left\n", name, n, total,
                   (now - begun) / n * (total - n) / 60 }' >&2
}
# The results of all jobs, sorted, as jobs end in any order.
results() { sort "$RUNS"; }

# expect WHAT VALUE LOW HIGH [PROGRAM]: with QUICK=1, `ok` or `FAIL`; nothing where PROGRAM, which makes the
# value, is not installed.
expect() {
    [ -n "$QUICK" ] || return 0
    [ $# -lt 5 ] || command -v "$5" > "$tmp/where" || return 0
    awk -v script="$name" -v what="$1" -v x="$2" -v low="$3" -v high="$4" 'BEGIN {
        good = x != "" && x + 0 >= low + 0 && x + 0 <= high + 0
        printf "%s %s: %s: %s, in %s .. %s\n", good ? "ok" : "FAIL", script, what, x, low, high }'
}

# ---- data ----

# unpack NAME: a file of the data folder, to standard output.  Says on standard error when it is not
# the file that the numbers were made with (experiments/DATA.md).
unpack() {
    if [ -f "$data/$1" ]; then cat "$data/$1"; else xz -dc "$data/$1.xz"; fi > "$tmp/unpacked"
    lib_sum=$(sha256 "$tmp/unpacked")
    lib_known=$(awk -v name="$1" 'length($1) == 64 && $2 == name { print $1 }' "$top/experiments/DATA.md")
    case " $lib_known " in
    *"$lib_sum"*) ;;
    *) echo "$name: $data/$1 is not the file that the numbers were made with (experiments/DATA.md)" >&2 ;;
    esac
    cat "$tmp/unpacked"
}
sha256() {
    if command -v sha256sum > "$tmp/where"; then sha256sum "$1"
    elif command -v shasum > "$tmp/where"; then shasum -a 256 "$1"
    elif command -v sha256 > "$tmp/where"; then sha256 -q "$1"
    else echo unknown
    fi | cut -d ' ' -f 1
}
unit_length() { # [DIGITS]: lines scaled to Euclidean length 1
    awk -v digits="${1:-9}" '
        { s = 0; for (i = 2; i <= NF; i++) { split($i, a, ":"); s += a[2] * a[2] }
           printf "%s", $1; s = s > 0 ? sqrt(s) : 1
           for (i = 2; i <= NF; i++) { split($i, a, ":"); printf " %s:%.*g", a[1], digits, a[2] / s }
           print "" }'
}
labels_of() { cut -d ' ' -f 1 "$1" | sort -n | uniq | paste -s -d , -; } # of a file, as 0,1,2
lines_of() { wc -l < "$1" | tr -d ' '; }

# order N SEED: the numbers 1 .. N, shuffled (Lehmer's generator: the same in every awk)
order() {
    awk -v n="$1" -v seed="$2" 'BEGIN {
        for (i = 0; i < 100; i++) seed = seed * 16807 % 2147483647
        for (i = 1; i <= n; i++) a[i] = i
        for (i = n; i > 1; i--) {
            seed = seed * 16807 % 2147483647
            j = 1 + seed % i
            t = a[i]; a[i] = a[j]; a[j] = t
        }
        for (i = 1; i <= n; i++) print a[i]
    }'
}
pick() { # FILE NUMBERS: the lines of FILE that the file NUMBERS names, in its order
    awk 'NR == FNR { line[FNR] = $0; next } { print line[$1] }' "$1" "$2"
}
shuffle() { # FILE SEED
    order "$(lines_of "$1")" "$2" > "$tmp/order"
    pick "$1" "$tmp/order"
}

# ---- noise ----

# add_noise KIND SEED FILE MATRIX > noisy: changes the labels, and writes their true confusion matrix.
#   class:R    another matrix for each seed: each class keeps its label with probability 1 - R, and
#              some wrong labels are much likelier than others
#   uniform:R  all wrong labels alike
#   pair:R     the label of the next class, with probability R
#   clean:0    nothing changes
add_noise() {
    lib_rate=${1#*:}
    case $1 in
    class:*)
        "$PROGRAMS/synth" noise -q --flip "$lib_rate" --labels "$(labels_of "$3")" -S "$2" > "$4"
        "$PROGRAMS/label-noise" -q -T 1 -c "$4" -S "$2" "$3" ;;
    uniform:*)
        uniform_matrix "$lib_rate" "$(labels_of "$3")" > "$4"
        "$PROGRAMS/label-noise" -q -T 1 -r "$lib_rate" -S "$2" "$3" ;;
    pair:*)
        pair_matrix "$lib_rate" "$(labels_of "$3")" > "$4"
        "$PROGRAMS/label-noise" -q -T 1 -c "$4" -S "$2" "$3" ;;
    clean:*)
        uniform_matrix 0 "$(labels_of "$3")" > "$4"
        cat "$3" ;;
    esac
}
uniform_matrix() { # RATE LABELS
    lib_matrix "$1" "$2" 'r / (NF - 1)'
}
pair_matrix() { # RATE LABELS
    lib_matrix "$1" "$2" '(k == q % NF + 1 ? r : 0)'
}
# lib_matrix RATE LABELS WRONG: in awk, how often class number q has the label number k instead of its own
lib_matrix() {
    echo "$2" | tr , ' ' | awk -v r="$1" '{
        print "confusion 1\nnr_class " NF "\nlabel " $0 "\nrows observed"
        for (k = 1; k <= NF; k++)
            for (q = 1; q <= NF; q++)
                printf "%.17g%s", (k == q ? 1 - r : '"$3"'), (q < NF ? " " : "\n") }'
}
kind_title() { # KIND, in words
    awk -v kind="$1" 'BEGIN { split(kind, a, ":"); p = 100 * a[2]
        print a[1] == "clean" ? "clean" : (a[1] == "class" ? "class-dependent " : a[1] " ") p " %" }'
}

# ---- measuring ----

percent() { # the accuracy in %, of what a predictor or a cross-validation printed
    awk '/Accuracy = / { sub(/.*Accuracy = /, ""); sub(/%.*/, ""); p = $0 }
         END { if (p == "") exit 1; print p }'
}
accuracy() { # PROGRAM that predicts, its options...: on $tmp/test with $tmp/model, in %
    "$@" "$tmp/test" "$tmp/model" "$tmp/predicted" > "$tmp/log"
    percent < "$tmp/log"
}
# best < "accuracy TAB value" lines: the value with the highest accuracy; of ties, the first.
best() { awk -F '\t' 'NR == 1 || $1 > top { top = $1; line = $2 } END { print line }'; }
# grid COMMAND VALUES...: runs COMMAND, in which @ stands for the value, by cross-validation, and prints
# the best of the values, which may hold blanks.
grid() {
    lib_command=$1
    shift
    for lib_value; do
        lib_run=$(printf '%s' "$lib_command" | sed "s|@|$lib_value|g")
        $lib_run > "$tmp/log" # words, split at blanks
        tabs "$(percent < "$tmp/log")" "$lib_value"
    done > "$tmp/grid"
    best < "$tmp/grid"
}
# clock: sets cpu, the processor seconds of the commands that have ended so far.
clock() {
    times > "$tmp/times"
    # shellcheck disable=SC2034 # scripts read it
    cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$tmp/times")
}
minus() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a - b }'; }

# Functions for awk programs: awk "$AWK"'...'.  x is an array [1..n].
# shellcheck disable=SC2034
AWK='function mean(x, n, i, s) { for (i = 1; i <= n; i++) s += x[i]; return n ? s / n : 0 }
function deviation(x, n, i, m, ss) { m = mean(x, n)
    for (i = 1; i <= n; i++) ss += (x[i] - m) ^ 2; return n > 1 ? sqrt(ss / (n - 1)) : 0 }
function plus_minus(x, n, digits) {
    return sprintf("%.*f ± %.*f", digits, mean(x, n), digits, deviation(x, n)) }
'
# means KEYS VALUE [DIGITS]: of lines of fields, for each combination of the fields KEYS (as 1,2,4):
# these, mean and standard deviation of the field VALUE, their number, and the values.
means() {
    awk -F '\t' -v keys="$1" -v value="$2" -v digits="${3:-2}" "$AWK"'
        BEGIN { K = split(keys, field, ",") }
        {
            key = $field[1]
            for (k = 2; k <= K; k++) key = key FS $field[k]
            if (!(key in n)) order[++groups] = key
            v[key, ++n[key]] = $value
        }
        END {
            for (g = 1; g <= groups; g++) {
                key = order[g]; list = ""
                for (i = 1; i <= n[key]; i++) { x[i] = v[key, i]; list = list (i > 1 ? " " : "") x[i] }
                printf "%s\t%.*f\t%.*f\t%d\t%s\n", key, digits, mean(x, n[key]), digits,
                    deviation(x, n[key]), n[key], list
            }
        }'
}

# ---- pictures ----

# picture FILE.svg WIDTH HEIGHT < gnuplot commands: with the terminal set, and a variable c_METHOD and a
# point type p_METHOD for each method of colours.txt.  Without gnuplot there is no picture.
picture() {
    command -v gnuplot > "$tmp/where" || { cat > "$tmp/where"; return 0; }
    {
        awk -F '\t' '!/^#/ && NF >= 3 { printf "c_%s = \"%s\"\np_%s = %s\n", $1, $2, $1, $3 }' \
            "$lib/colours.txt"
        echo "set terminal svg noenhanced size $2,$3 font 'sans-serif,12' background '#ffffff'"
        echo "set output '$tmp/picture.svg'; tmp = '$tmp'; out = '$OUT'"
        echo "set datafile separator tab; set grid lc rgb '#dddddd' lw 0.5; set border 3; set tics nomirror"
        cat
    } > "$tmp/picture.gp"
    gnuplot "$tmp/picture.gp" 2> "$tmp/gnuplot" || { cat "$tmp/gnuplot" >&2; return 1; }
    smaller "$tmp/picture.svg" > "$1"
}
# What gnuplot says of every line is said once, by a class; groups of nothing are left out; points of paths
# have one decimal, and those of horizontal strokes one coordinate.
smaller() {
    awk '
        function path(text, out, point, part) {
            while (match(text, / *[ML]-?[0-9.]+,-?[0-9.]+/)) {
                point = substr(text, RSTART, RLENGTH)
                out = out substr(text, 1, RSTART - 1)
                text = substr(text, RSTART + RLENGTH)
                sub(/^ */, "", point)
                split(substr(point, 2), part, ",")
                point = substr(point, 1, 1)
                part[1] = sprintf("%.1f", part[1]) + 0; part[2] = sprintf("%.1f", part[2]) + 0
                out = out (point == "L" && part[2] == y ? "H" part[1] : point part[1] "," part[2])
                y = part[2]
            }
            return out text
        }
        /[ML]-?[0-9.]+,-?[0-9.]+/ { $0 = path($0) }
        { gsub(/^\t+|[ \t]+$/, "") }
        /^<desc>|^$/ { next }
        /^<svg/ { svg = 1 }
        {
            if (sub(/fill="none" color="black" stroke="currentColor" stroke-width="1.00" /, "class=\"g\""))
                sub(/stroke-linecap="butt" stroke-linejoin="miter"/, "")
            sub(/stroke="none" fill="black" font-family="sans-serif" font-size="12.00"/, "class=\"t\"")
            sub(/<path stroke=.rgb\(221, 221, 221\). class="gridline" */, "<path class=\"l\" ")
        }
        waits { if ($0 == "</g>") { waits = 0; next } print held; waits = 0 }
        /^<g[^>]*>$/ { held = $0; waits = 1; next }
        /^<defs>/ {
            print "<style>.g{fill:none;color:black;stroke:currentColor}.t{stroke:none;fill:black;" \
                "font-family:sans-serif;font-size:12px}.l{stroke:#ddd}</style>"
        }
        { print }' "$1"
}
