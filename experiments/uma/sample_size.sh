#!/bin/sh
# Figures 3 and 4 of the 2015 UMA paper: test error against the size of the hand-labelled sample S_conf, for
# UMA, which only counts its confusion matrix on it, for a perceptron that learns from it alone (f_conf,
# Figure 3), and for a semi-supervised SVM (f_S3VM, Figure 4).
#
#   usage: experiments/uma/sample_size.sh DATA_FOLDER
#
# Writes sample_size.txt and, with gnuplot, sample_size.svg.  From the environment, beside what lib.sh names:
# CASES, SETS (of these, all), SIZES, SEEDS.  A run is that of few_labels.sh; a sample is part of the
# larger ones of its run.  In Figure 3 m is 70 on Reuters.  S3VMs only on the first SEMI runs.
#
# sample_size.txt, tab separated: set; sample; learner (UMA: last iterate; UMA best; f_y; f_conf; S3VM); test
# error in %, mean and standard deviation; runs; errors.  A run whose matrix is singular has no UMA.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
. "$folder/rough.sh"
SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
SEMI=${SEMI:-3} UNLABELLED=${UNLABELLED:-2000}
SIZES=${SIZES:-50 100 200 400 800 1600}
CASES=${CASES:-"optdigits|16|0.6|kpca:640|10|0
letter|15|0.25|kpca:400|50|0
r52-9|1|-|-|70|0"}
SETS=${SETS:-optdigits letter r52-9}
if [ -n "$QUICK" ]; then
    SETS=digits SEEDS=1 SIZES='60 240' CASES='digits|16|0.6|kpca:100|10|0'
fi
run() { # CASE RUN
    rough_data "$1"
    rough_labels "$2"
    learn -c identity "$tmp/noisy" "$tmp/model"
    ignored=$(test_error "$tmp/model")
    n=$(lines_of "$tmp/train")
    for size in $SIZES; do
        [ "$size" -lt "$n" ] || continue
        rough_sample "$size"
        tabs "$size" f_y "$ignored"
        learn -c identity "$tmp/sample" "$tmp/model"
        tabs "$size" f_conf "$(test_error "$tmp/model")"
        if learn -w last -c "$tmp/C" "$tmp/noisy" "$tmp/model" 2> "$tmp/why"; then
            tabs "$size" UMA "$(test_error "$tmp/model")"
            learn -c "$tmp/C" "$tmp/noisy" "$tmp/model"
            tabs "$size" 'UMA best' "$(test_error "$tmp/model")"
        else
            grep -q singular "$tmp/why" || { cat "$tmp/why" >&2; exit 1; }
        fi
        if [ "$2" -le "$SEMI" ]; then
            head -n $((n - size)) "$tmp/order" | head -n "$UNLABELLED" > "$tmp/others"
            pick "$tmp/train" "$tmp/others" > "$tmp/rest"
            "$PROGRAMS/musvm-train" -q -T 1 -t linear -l 1 -c 1 -s s3vm-ova -u "$tmp/rest" \
                "$tmp/sample" "$tmp/model"
            tabs "$size" S3VM "$(test_error "$tmp/model" musvm-predict)"
        fi
    done
}
echo "$CASES" | awk -F '|' -v sets=" $SETS " 'index(sets, " " $1 " ")' > "$tmp/cases"
while IFS= read -r line; do for seed in $SEEDS; do
    tabs "$line" "$seed"
done; done < "$tmp/cases" > "$tmp/list"
work run "$tmp/list"

results | sed "s/|[^$tab]*//" | sort -s -t "$tab" -k 1,1 -k 4,4 -k 3,3n -k 2,2n | means 1,3,4 5 > "$tmp/table"
{ printf '# set\tsample\tlearner\terror\tstd\truns\terrors\n'; cat "$tmp/table"; } > "$OUT/sample_size.txt"
picture "$OUT/sample_size.svg" $((480 * $(cut -f 1 "$tmp/table" | uniq | wc -l))) 420 << 'END'
numbers = out . '/sample_size.txt'
set xlabel 'hand-labelled sample'; set ylabel 'test error, %'
set logscale x 2; set yrange [0:*]; set key top right
x(s, l) = (strcol(1) eq s && strcol(3) eq l) ? column(2) : NaN
names = system("cut -f 1 '" . numbers . "' | grep -v '#' | uniq")
set multiplot layout 1,words(names)
do for [i = 1:words(names)] {
    s = word(names, i)
    set title (s eq 'r52-9' ? 'Reuters: the nine largest classes of r52' : s)
    plot numbers using (x(s, 'f_y')):4 with lines lw 2 lc rgb c_perceptron \
        title "f_y: the rough labels alone", \
         numbers using (x(s, 'f_conf')):4:5 with yerrorlines lw 1.5 pt p_conf ps .7 lc rgb c_conf \
             title "f_conf: the sample alone", \
         numbers using (x(s, 'S3VM')):4:5 with yerrorlines lw 1.5 pt p_s3vm ps .7 lc rgb c_s3vm \
             title "f_S3VM", \
         numbers using (x(s, 'UMA')):4:5 with yerrorlines lw 1.5 pt p_uma ps .7 lc rgb c_uma \
             title "UMA, last", \
         numbers using (x(s, 'UMA best')):4 with linespoints lw 1.5 dt 2 pt 6 ps .7 lc rgb c_uma \
             title "UMA, best"
}
END
value() { awk -F '\t' -v n="$1" -v l="$2" '$2 == n && $3 == l { print $4 }' "$OUT/sample_size.txt"; }
expect 'f_conf from 60 lines, error in %' "$(value 60 f_conf)" 10 60
expect 'f_conf from 240 lines, error in %' "$(value 240 f_conf)" 5 25
expect 'UMA, matrix from 240 lines, error in %' "$(value 240 UMA)" 5 45
