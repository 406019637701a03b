#!/bin/sh
# Tables 2 and 3 of the MU-SVM paper: seven multiclass SVMs with and without a universum, and three
# ways to choose their costs.
#
#   usage: experiments/musvm/tables.sh DATA_FOLDER
#
# DATA_FOLDER holds NAME.train and NAME.test of isolet, gtsrb_hog and optdigits.  Writes tables.txt.  From
# the environment, beside what lib.sh names: SETS, SEEDS, THREADS and CASES as below.
#
# A run, numbered by SEEDS, is a partition: the examples of the wanted classes in NAME.train and
# NAME.test, shuffled together by the number of the run; of each class the first are the training set,
# the next the test set.
#
# Universa:
#     ra        random averages of the run's training set (universum -S run)
#     others    examples of other classes, drawn likewise
#     priority  priority-road signs
# Signs 30, 70 and 80 of gtsrb have 500, 500 and 491 test examples (there are no more than 491 of
# sign 80); its "others" show no speed limit, and no end of one (all classes but 0 to 8).  The
# digits are those of optdigits, in place of ABCDETC, which is not public: classes 0-3, and also 3,
# 5, 8 and 9, which are harder, with 20 training examples a class; and with the paper's 150 training
# and 100 test examples a class ("digits150").
#
# Costs are chosen by musvm-train -C on the paper's grid, its default: C among 1e-4 .. 1e3 without
# the universum, then Delta among 0, .01, .05, .1, with C* = n C / (m L).  Of tied C the one in the
# middle is taken, of tied Delta the largest.
#     cv                           5-fold cross-validation
#     span                         Theorem 4
#     loo-local                    the element-wise estimate
#     cv, least C; cv, largest C   the least or the largest of the tied C, in place of the middle one
#     cv, own ra                   Delta by folds whose random averages are made from the fold's
#                                  training part, not from the whole training set (folds made here)
#
# tables.txt, tab separated, in two parts.
# First part: set; method; universum; choice; then
#     test error       in %, mean and standard deviation over the runs
#     error by choice  the error in % by which the costs were chosen, at the chosen costs; likewise
#     processor s      processor seconds of musvm-train, with the last training; likewise
#     wall s           its wall-clock seconds with THREADS threads, on a machine with other work;
#                      likewise
#     tied C           number of tied C, mean
#     test errors, C and Delta, run by run
# Second part, a line for each comparison of a and b:
#     a - b            mean and standard deviation of the difference of the test errors, run by run
#     a better/equal/worse   numbers of runs
#     sign p           p of the sign test (two-sided, without equal runs)
#     t p              p of the paired t test
#     corrected t p    p of the t test with the variance corrected for overlapping partitions
#                      (Nadeau and Bengio 2003: 1/runs + test/training examples in place of 1/runs)
# The first two tests assume independent runs, which these are not, as all partitions are of the same
# examples: their p are too small.
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
SETS=${SETS:-isolet gtsrb digits digits3589 digits150}
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
THREADS=${THREADS:-1}
if [ -n "$QUICK" ]; then
    SETS=quick SEEDS='1 2'
fi
# set | file | classes | training and test examples a class | kernel | universum samples |
#     kinds of universum, with the classes that they are drawn from
CASES=${CASES:-"isolet|isolet|1 2 3 4 5|100|100|-t rbf -g 0.0078125|500|ra others:6-26
gtsrb|gtsrb_hog|1 4 5|100|500|-t linear|500|ra others:9-42 priority:12-12
digits|optdigits|0 1 2 3|20|100|-t rbf -g 0.00048828125|200|ra others:4-9
digits3589|optdigits|3 5 8 9|20|100|-t rbf -g 0.00048828125|200|ra others:0-2,4-4,6-7
digits150|optdigits|0 1 2 3|150|100|-t rbf -g 0.00048828125|500|ra others:4-9
quick|digits|0 1 2 3|20|80|-t rbf -g 0.00048828125|60|ra others:4-9"}
# seconds so far: wall clock (whole seconds where date knows no better), and processor time of the
# finished children
watch() {
    times > "$tmp/times"
    wall=$(date +%s.%N)
    case $wall in *[!0-9.]*) wall=$(date +%s) ;; esac
    awk -v wall="$wall" 'NR == 2 { gsub(/[ms]/, " "); print wall, $1 * 60 + $2 + $3 * 60 + $4 }' "$tmp/times"
}
test_error() {
    "$PROGRAMS/musvm-predict" "$1" "$2" "$tmp/labels" |
        awk '/^Accuracy/ {
            gsub(/.*\(|\).*/, "")
            split($0, a, "/")
            printf "%.4f", 100 - 100 * a[1] / a[2]
        }'
}
# record method universum choice: a line of the model's test error, the table of the choice and the
# times
record() {
    error=$(test_error "$tmp/test" "$tmp/model")
    [ -n "$error" ] || exit 1
    awk -v OFS='\t' -v head="$1	$2	$3" -v error="$error" -v before="$before" -v after="$after" '
        BEGIN { split(before, b, " "); split(after, a, " ") }
        FNR > 1 {
            split($0, f, "\t")
            if (f[1] == 1) {
                if (least == "" || f[5] < least) { least = f[5]; tied = 0 }
                tied += f[5] == least
            }
            if (f[8] == "*") {
                C = f[2]
                if (f[4] != "-") delta = f[4]
                estimate = f[7]
            }
        }
        END {
            print head, error, estimate, a[2] - b[2], a[1] - b[1], (least == "" ? "-" : tied), C,
                (delta == "" ? "-" : delta)
        }' "$tmp/choice" >> "$tmp/lines"
}
learn() { # method universum choice options
    method=$1 universum=$2 choice=$3
    shift 3
    case $universum in -) ;; *) set -- "$@" -u "$tmp/$universum" ;; esac
    before=$(cat "$tmp/clock")
    "$PROGRAMS/musvm-train" -q -T "$THREADS" -s "$method" $kernel -C "${choice%%,*}" -j "$tmp/choice" \
        "$@" "$tmp/train" "$tmp/model" > "$tmp/chosen"
    watch > "$tmp/clock"
    after=$(cat "$tmp/clock")
    record "$method" "$universum" "$choice"
    watch > "$tmp/clock"
}
# other_choice: learn with another of the tied C; where that is the C chosen, it is the same model
other_choice() { # method universum choice C-chosen C
    if [ "$4" = "$5" ]; then
        awk -F '\t' -v OFS='\t' -v method="$1" -v universum="$2" -v choice="$3" '
            $1 == method && $2 == universum && $3 == "cv" { $3 = choice; $8 = 1; print }
        ' "$tmp/lines" > "$tmp/same"
        cat "$tmp/same" >> "$tmp/lines"
    else
        learn "$1" "$2" "$3" --grid-c "$5"
    fi
}
own_averages() { # C chosen
    before=$(cat "$tmp/clock")
    : > "$tmp/folds"
    for fold in 0 1 2 3 4; do
        awk -v fold="$fold" -v in_fold="$tmp/in" -v rest="$tmp/rest" \
            '{ print > ((count[$1]++ % 5 == fold) ? in_fold : rest) }' "$tmp/train"
        "$PROGRAMS/universum" -q -m "$m" -S "$run" "$tmp/rest" > "$tmp/rest.ra"
        for delta in 0 0.01 0.05 0.1; do
            "$PROGRAMS/musvm-train" -q -T "$THREADS" $kernel -c "$1" -p "$delta" -u "$tmp/rest.ra" \
                "$tmp/rest" "$tmp/model"
            "$PROGRAMS/musvm-predict" "$tmp/in" "$tmp/model" "$tmp/labels" |
                awk -v delta="$delta" '/^Accuracy/ {
                    gsub(/.*\(|\).*/, "")
                    split($0, a, "/")
                    print delta, a[2] - a[1], a[2]
                }' >> "$tmp/folds"
        done
    done
    awk -v C="$1" -v OFS='\t' '
        { wrong[$1] += $2; all[$1] += $3 }
        END {
            split("0 0.01 0.05 0.1", d, " ")
            for (i = 1; i <= 4; i++) if (i == 1 || wrong[d[i]] <= wrong[best]) best = d[i]
            print "step"
            print 2, C, "-", best, wrong[best], all[best], 100 * wrong[best] / all[best], "*"
        }' "$tmp/folds" > "$tmp/choice"
    delta=$(awk -F '\t' 'NR == 2 { print $4 }' "$tmp/choice")
    "$PROGRAMS/musvm-train" -q -T "$THREADS" $kernel -c "$1" -p "$delta" -u "$tmp/ra" \
        "$tmp/train" "$tmp/model"
    watch > "$tmp/clock"
    after=$(cat "$tmp/clock")
    record mu-svm ra 'cv, own ra'
    watch > "$tmp/clock"
}

# of_case SET: the fields of its case, and $tmp/all, $tmp/wanted
of_case() {
    IFS='|' read -r set file classes few test kernel m universa <<EOT
$(echo "$CASES" | grep "^$1|")
EOT
    { unpack "$file.train"; unpack "$file.test"; } > "$tmp/all"
    awk -v classes=" $classes " 'index(classes, " " $1 " ")' "$tmp/all" > "$tmp/wanted"
    names=
    for universum in $universa; do names="$names ${universum%%:*}"; done
}
partition() { # SET RUN
    of_case "$1"
    run=$2
    : > "$tmp/lines"
    shuffle "$tmp/wanted" "$run" > "$tmp/shuffled"
    awk -v few="$few" -v test="$test" -v train_file="$tmp/train" -v test_file="$tmp/test" '
        {
            c = ++count[$1]
            if (c <= few) print > train_file
            else if (c <= few + test) print > test_file
        }' "$tmp/shuffled"
    for universum in $universa; do
        kind=${universum%%:*}
        if [ "$kind" = ra ]; then
            "$PROGRAMS/universum" -q -m "$m" -S "$run" "$tmp/train" > "$tmp/ra"
        else
            awk -v ranges="${universum#*:}" '
                BEGIN { n = split(ranges, r, ",") }
                {
                    for (i = 1; i <= n; i++) {
                        split(r[i], e, "-")
                        if ($1 >= e[1] && $1 <= e[2]) print
                    }
                }' "$tmp/all" > "$tmp/others.all"
            shuffle "$tmp/others.all" "$run" > "$tmp/shuffled"
            head -n "$m" "$tmp/shuffled" > "$tmp/$kind"
        fi
    done
    watch > "$tmp/clock"
    learn svm-ova - cv
    learn svm-ovo - cv
    learn m-svm - cv
    # shellcheck disable=SC2046  # the least, the chosen and the largest of the tied C are three words
    set -- $(awk -F '\t' '
        NR == 1 { next }
        NR == 2 || $5 < least { least = $5; first = $2 }
        $5 == least { last = $2 }
        $8 == "*" { C = $2 }
        END { print first, C, last }' "$tmp/choice")
    other_choice m-svm - 'cv, least C' "$2" "$1"
    other_choice m-svm - 'cv, largest C' "$2" "$3"
    own_averages "$2"
    learn m-svm - span
    learn m-svm - loo-local
    for kind in $names; do
        learn u-svm-ova "$kind" cv
        learn u-svm-ovo "$kind" cv
        learn mu-svm "$kind" cv
        other_choice mu-svm "$kind" 'cv, least C' "$2" "$1"
        other_choice mu-svm "$kind" 'cv, largest C' "$2" "$3"
        learn mu-svm "$kind" span
        learn mu-svm "$kind" loo-local
    done
    cat "$tmp/lines"
}

for seed in $SEEDS; do for set in $SETS; do tabs "$set" "$seed"; done; done > "$tmp/list"
work partition "$tmp/list"

: > "$tmp/comparisons"
{
printf '# set\tmethod\tuniversum\tchoice\ttest error\tstd\terror by choice\tstd\tprocessor s\tstd\t'
printf 'wall s\tstd\ttied C\ttest errors\tC\tDelta\n'
for set in $SETS; do
    of_case "$set"
    for seed in $SEEDS; do
        awk -F '\t' -v set="$set" -v seed="$seed" '
            $1 == set && $2 == seed { sub(/^[^\t]*\t[^\t]*\t/, ""); print }' "$RUNS"
    done > "$tmp/runs"
    # test examples for each training example
    ratio=$(awk -v few="$few" -v test="$test" '
        { n[$1]++ }
        END {
            for (k in n) { train += few; tested += n[k] - few < test ? n[k] - few : test }
            print tested / train
        }' "$tmp/wanted")
    awk -F '\t' -v set="$set" -v names="$names" -v ratio="$ratio" -v comparisons="$tmp/comparisons" '
        function moments(x, n, i, s, ss) { # of x[1..n]
            s = ss = 0
            for (i = 1; i <= n; i++) s += x[i]
            for (i = 1; i <= n; i++) ss += (x[i] - s / n) ^ 2
            mean = s / n; deviation = n > 1 ? sqrt(ss / (n - 1)) : 0
        }
        function column(id, c, format, i) {
            for (i = 1; i <= runs[id]; i++) x[i] = value[id, c, i]
            moments(x, runs[id])
            return sprintf(format "\t" format, mean, deviation)
        }
        function list(id, c, format, i, text) {
            for (i = 1; i <= runs[id]; i++)
                text = text (i > 1 ? " " : "") \
                    (value[id, c, i] == "-" ? "-" : sprintf(format, value[id, c, i]))
            return text
        }
        function integral(angle, power, i, s) { # of cos^power from 0 (Simpson)
            s = 1 + cos(angle) ^ power
            for (i = 1; i < 2000; i++) s += (i % 2 ? 4 : 2) * cos(angle * i / 2000) ^ power
            return s * angle / 6000
        }
        function t_test(mean, deviation, factor, n, pi) { # two-sided p; factor: of the variance
            pi = atan2(0, -1)
            if (n < 2 || (mean == 0 && deviation == 0)) return "-"
            if (deviation == 0) return "0.0000"
            if (mean < 0) mean = -mean
            return sprintf("%.4f", 1 - \
                integral(atan2(mean / (deviation * sqrt(factor)), sqrt(n - 1)), n - 2) / \
                integral(pi / 2, n - 2))
        }
        function sign_test(a, b, i, n, k, term, sum) { # two-sided p of a successes and b failures
            n = a + b; k = a < b ? a : b
            if (n == 0) return "-"
            term = 0.5 ^ n
            for (i = 0; i <= k; i++) { sum += term; term *= (n - i) / (i + 1) }
            return sprintf("%.4f", 2 * sum < 1 ? 2 * sum : 1)
        }
        function compare(a, b, i, n, d, better, worse, text_a, text_b) {
            if (!(a in runs) || !(b in runs)) return
            n = runs[a]
            for (i = 1; i <= n; i++) {
                d[i] = value[a, 4, i] - value[b, 4, i]
                better += d[i] < -1e-9
                worse += d[i] > 1e-9
            }
            moments(d, n)
            text_a = a; text_b = b
            gsub(SUBSEP, "\t", text_a); gsub(SUBSEP, "\t", text_b)
            printf "%s\t%s\t%s\t%.2f\t%.2f\t%d/%d/%d\t%s\t%s\t%s\n", set, text_a, text_b, mean, deviation,
                better, n - better - worse, worse, sign_test(better, worse),
                t_test(mean, deviation, 1 / n, n), t_test(mean, deviation, 1 / n + ratio, n) >> comparisons
        }
        {
            id = $1 SUBSEP $2 SUBSEP $3
            if (!(id in runs)) order[++methods] = id
            runs[id]++
            for (c = 4; c <= 10; c++) value[id, c, runs[id]] = $c
        }
        END {
            for (l = 1; l <= methods; l++) {
                id = order[l]; text = id; gsub(SUBSEP, "\t", text)
                for (i = tied = 0; i < runs[id]; ) tied += value[id, 8, ++i]
                print set "\t" text "\t" column(id, 4, "%.2f") "\t" column(id, 5, "%.2f") "\t" \
                    column(id, 6, "%.2f") "\t" column(id, 7, "%.2f") "\t" \
                    (value[id, 8, 1] == "-" ? "-" : sprintf("%.1f", tied / runs[id])) "\t" \
                    list(id, 4, "%.2f") "\t" list(id, 9, "%g") "\t" list(id, 10, "%g")
            }
            M = "m-svm" SUBSEP "-" SUBSEP; none = SUBSEP "-" SUBSEP "cv"
            compare("svm-ova" none, M "cv"); compare("svm-ovo" none, M "cv")
            compare(M "span", M "cv"); compare(M "loo-local", M "cv")
            compare(M "cv, least C", M "cv"); compare(M "cv, largest C", M "cv")
            n = split(names, name, " ")
            for (i = 1; i <= n; i++) {
                u = SUBSEP name[i] SUBSEP; MU = "mu-svm" u
                compare("u-svm-ova" u "cv", "svm-ova" none); compare("u-svm-ova" u "cv", M "cv")
                compare("u-svm-ovo" u "cv", "svm-ovo" none); compare("u-svm-ovo" u "cv", M "cv")
                compare(MU "cv", M "cv")
                compare(MU "cv", "u-svm-ova" u "cv"); compare(MU "cv", "u-svm-ovo" u "cv")
                compare(MU "cv, own ra", M "cv"); compare(MU "cv, own ra", MU "cv")
                compare(MU "cv, least C", M "cv, least C")
                compare(MU "cv, largest C", M "cv, largest C")
                compare(MU "span", M "span"); compare(MU "span", M "cv"); compare(MU "span", MU "cv")
                compare(MU "loo-local", M "loo-local")
                compare(MU "loo-local", M "cv"); compare(MU "loo-local", MU "cv")
            }
        }' "$tmp/runs"
done
printf '# set\ta: method\tuniversum\tchoice\tb: method\tuniversum\tchoice\ta - b\tstd\t'
printf 'a better/equal/worse\tsign p\tt p\tcorrected t p\n'
cat "$tmp/comparisons"
} > "$OUT/tables.txt"

value() { # METHOD UNIVERSUM CHOICE: its mean test error
    awk -F '\t' -v a="$1" -v b="$2" -v c="$3" '
        $2 == a && $3 == b && $4 == c && NF == 16 { print $5 }' "$OUT/tables.txt"
}
expect 'test error of M-SVM, %' "$(value m-svm - cv)" 0 6
expect 'test error of MU-SVM, other digits, %' "$(value mu-svm others cv)" 0 6
expect 'test error of MU-SVM by Theorem 4, %' "$(value mu-svm others span)" 0 6
