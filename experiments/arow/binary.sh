#!/bin/sh
# Table 1 and Figure 8 of the AROW paper (Crammer, Kulesza and Dredze 2013): two classes.
#
#   usage: experiments/arow/binary.sh DATA_FOLDER
#
# AROW, PA, SOP and CW with diagonal covariance and last weights on many two-class tasks, with 0 to 30 % of
# the training labels flipped; accuracy on true labels.
#     OCR    all 45 pairs of digits and the 10 digits against the rest, of mnist and of usps, on the sets'
#            own tests, one run: the paper's 100 tasks and usps' ten against the rest
#     text   the 6 pairs of amazon_domain, 2000 examples each, and the 15 pairs of r8's six largest
#            classes, at most 2000, by 10-fold cross-validation: in place of the paper's 30 tasks
# Hyperparameters and passes (1, 3 or 10) are chosen as in the paper in a single run on 2000 examples, by
# 3-fold cross-validation on noisy labels that are not those of the results (seed 100): once for each group
# of tasks, noise and learner, by the mean of every fifth task.
#
# Output, binary.txt: first the choices, `options`.  Then the mean ranks: `rank`; tasks; noise; number of
# tasks; mean rank of each learner, 1 the best, equals sharing theirs; then the standard errors of these
# over the tasks.  Then each task: `task`; tasks; set; noise; task; accuracy of each learner in %.
set -eu
# shellcheck source=experiments/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
# shellcheck source=experiments/arow/learners.sh
. "$folder/learners.sh"
wide=yes
learners='arow cw pa sop' rates='0 .1 .2 .3 .05 .15'
# the cheap ones first
parts='ocr:usps:pairs,ocr:usps:rest,text:r8:pairs,text:amazon_domain:pairs ocr:mnist:pairs,ocr:mnist:rest'
[ -z "$QUICK" ] || { parts='ocr:digits:pairs' rates='0 .3'; }

# classes SET: those whose tasks are made
classes() {
    case $1 in
    r8) echo 1 2 3 5 6 8 ;;
    amazon_domain) echo 1 2 3 4 ;;
    digits) echo 1 3 5 ;;
    *) echo 0 1 2 3 4 5 6 7 8 9 ;;
    esac
}
tasks() { # tasks SET pairs|rest: a line "class class" or "class -" each
    for a in $(classes "$1"); do
        if [ "$2" = rest ]; then echo "$a -"; else
            classes "$1" | tr ' ' '\n' | awk -v a="$a" '$1 > a { print a, $1 }'
        fi
    done
}
# by_class FILE NAME: its examples, to NAME.CLASS
by_class() { awk -v name="$2" '{ print > (name "." $1) }' "$1"; }
task() { # task "A B" NAME: the examples of class A as 1, of class B or of all others (-) as -1
    # shellcheck disable=SC2086 # two words
    set -- $1 "$2"
    sed 's/^[^ ]*/1/' "$3.$1"
    if [ "$2" != - ]; then sed 's/^[^ ]*/-1/' "$3.$2"; else
        for b in $(classes "$set"); do [ "$b" = "$1" ] || sed 's/^[^ ]*/-1/' "$3.$b"; done
    fi
}
fetch() { # fetch KIND SET
    set=$2
    unpack "$set.train" > "$tmp/all"
    [ "$1" = ocr ] || unpack "$set.test" >> "$tmp/all"
    by_class "$tmp/all" "$tmp/train"
    if [ "$1" = ocr ]; then
        unpack "$set.test" > "$tmp/file"
        by_class "$tmp/file" "$tmp/tests"
    fi
}
choose() { # choose KIND SET PAIRS RATE: the options of each learner
    shift
    fetch "$1" "$2"
    tasks "$2" "$3" | awk 'NR % 5 == 3' > "$tmp/sample"
    while read -r pair; do
        task "$pair" "$tmp/train" > "$tmp/task"
        shuffle "$tmp/task" 100 | head -n 2000 > "$tmp/some"
        add_noise "uniform:$4" 100 "$tmp/some" "$tmp/matrix" > "$tmp/noisy.$(echo "$pair" | tr ' ' _)"
    done < "$tmp/sample"
    for learner in $learners; do
        tabs "$learner" "$(tune "$learner" "$(echo "$tmp"/noisy.*)" 3 '1 3 10' '')"
    done
}
group() { # group KIND SET PAIRS RATE LEARNER=OPTIONS|...: of each task, the accuracies
    fetch "$1" "$2"
    kind=$1 rate=$4
    echo "$5" | tr '|' '\n' > "$tmp/chosen"
    tasks "$2" "$3" > "$tmp/tasks"
    while read -r pair; do one "$pair"; done < "$tmp/tasks"
}
one() { # one TASK
    task "$1" "$tmp/train" > "$tmp/clean"
    if [ "$kind" = text ]; then
        shuffle "$tmp/clean" 1 | head -n 2000 > "$tmp/two_thousand"
        mv "$tmp/two_thousand" "$tmp/clean"
    else
        task "$1" "$tmp/tests" > "$tmp/test"
    fi
    add_noise "uniform:$rate" 1 "$tmp/clean" "$tmp/matrix" > "$tmp/noisy"
    while IFS='=' read -r learner chosen; do
        # shellcheck disable=SC2086 # options are words
        if [ "$kind" = text ]; then
            "$PROGRAMS/arow-train" -q -T 1 $chosen -v 10 --fold-predictions "$tmp/predicted" "$tmp/noisy" \
                > "$tmp/log"
            awk 'NR == FNR { y[FNR] = $1; next } { right += y[FNR] == $1 } END { print 100 * right / FNR }' \
                "$tmp/clean" "$tmp/predicted"
        else
            "$PROGRAMS/arow-train" -q -T 1 $chosen "$tmp/noisy" "$tmp/model"
            accuracy "$PROGRAMS/arow-predict" -q -T 1
        fi
    done < "$tmp/chosen" > "$tmp/accuracies" # no pipe, which would hide that a program failed
    tabs "$1" "$(paste -s - < "$tmp/accuracies")"
}

# one noise after the other, so that a run that was stopped has whole ones
for part in $parts; do for rate in $rates; do
    groups=$(echo "$part" | tr , ' ')
    for group in $groups; do tabs choose "$(echo "$group" | tr : "$tab")" "$rate"; done > "$tmp/list"
    work choose "$tmp/list"
    for group in $groups; do
        fields=$(echo "$group" | tr : "$tab")$tab$rate
        tabs "$fields" "$(results | awk -F '\t' -v fields="choose$tab$fields" -v learners="$learners" '
            $1 FS $2 FS $3 FS $4 FS $5 == fields { chosen[$6] = $7 }
            END { n = split(learners, a, " ")
                  for (i = 1; i <= n; i++) printf "%s%s=%s", (i > 1 ? "|" : ""), a[i], chosen[a[i]] }')"
    done > "$tmp/list"
    work group "$tmp/list"
done; done

results | awk -F '\t' -v OFS='\t' -v learners="$learners" -v rates="$rates" '
    # Ranks of the values v[1..L], the highest first: r[1..L]
    function ranks(  i, j) {
        for (i = 1; i <= L; i++) {
            r[i] = .5
            for (j = 1; j <= L; j++) r[i] += v[j] > v[i] ? 1 : (v[j] == v[i] ? .5 : 0)
        }
    }
    function count(group, noise, i) {
        key = group OFS noise
        n[key]++
        for (i = 1; i <= L; i++) { sum[key, i] += r[i]; squares[key, i] += r[i] * r[i] }
    }
    BEGIN { L = split(learners, learner, " ") }
    $1 == "choose" { # before the others, as `c` is
        print "options", $2, $3, $4, $5, $6, $7
        chosen[$2, $3, $4, $5, $6] = $7
        next
    }
    {
        # not what was run with other choices, from other grids
        for (i = 1; i <= L; i++)
            if (!index("|" $5 "|", "|" learner[i] "=" chosen[$1, $2, $3, $4, learner[i]] "|")) next
        for (i = 1; i <= L; i++) v[i] = $(6 + i)
        ranks()
        count("all", $4); count($1, $4)
        task[++tasks] = $1 OFS $2 OFS $4 OFS $6
        for (i = 1; i <= L; i++) task[tasks] = task[tasks] OFS v[i]
    }
    END {
        printf "# rank\ttasks\tnoise\tnumber"
        for (i = 1; i <= L; i++) printf "\t%s", learner[i]
        print "", "their standard errors"
        R = split(rates, rate, " ")
        split("all ocr text", kind, " ")
        for (g = 0; g < 3 * R; g++) {
            key = kind[1 + int(g / R)] OFS rate[1 + g % R]; errors = ""
            if (!(key in n)) continue
            printf "rank\t%s\t%d", key, n[key]
            for (i = 1; i <= L; i++) {
                m = sum[key, i] / n[key]
                variance = n[key] > 1 ? (squares[key, i] - n[key] * m * m) / (n[key] - 1) : 0
                printf "\t%.2f", m
                errors = errors OFS sprintf("%.2f", sqrt((variance > 0 ? variance : 0) / n[key]))
            }
            print errors
        }
        printf "# task\ttasks\tset\tnoise\tclasses"
        for (i = 1; i <= L; i++) printf "\t%s", learner[i]
        print ""
        for (t = 1; t <= tasks; t++) print "task", task[t]
    }' > "$OUT/$name.txt"
# figure8 TASKS TITLE: columns PA, SOP, CW; rows three noises; a point a task
figure8() {
    picture "$OUT/figure8_$1.svg" 900 900 << PLOT
set multiplot layout 3,3 title \
    '$2: accuracy of AROW (up) and of another learner (across), a point a task' font ',14'
unset key; set size square; set tics font ',9'; set xtics nomirror
$(for rate in 0 .1 .3; do
    for learner in pa sop cw; do
        column=$(echo "$learners" | tr ' ' '\n' | awk -v l="$learner" '$0 == l { print NR }')
        points=$tmp/points.$rate.$learner
        awk -F '\t' -v OFS='\t' -v group="$1" -v rate="$rate" -v c="$column" '
            $1 == "task" && $2 == group && $4 == rate { print $(5 + c), $6 }' "$OUT/$name.txt" > "$points"
        awk -F '\t' -v noise="$rate" -v learner="$(title "$learner")" -v file="$points" \
            -v colour="$(colour "$learner")" '
            { for (i = 1; i <= 2; i++) if (NR + i == 2 || $i < low) low = $i }
            { above += $2 > $1; below += $2 < $1 }
            END {
                low = int(low) - 1
                printf "set title \"%d %% noise, %s: %d above, %d below\" font \",11\"\n", 100 * noise,
                       learner,
                    above, below
                printf "set xrange [%d:100.5]; set yrange [%d:100.5]\n", low, low
                printf "set xlabel \"%s\"; set ylabel \"AROW\"; plot x with lines lc rgb \"#888888\"", learner
                printf ", \"%s\" using 1:2 with points pt 7 ps 0.4 lc rgb %s\n", file, colour
            }' "$points"
    done
done)
unset multiplot
PLOT
}
if [ -z "$QUICK" ]; then
    figure8 text 'Texts'
    figure8 ocr 'Digits'
fi
value() {
    awk -F '\t' -v r="$1" -v f="$2" '$1 == "rank" && $2 == "all" && $3 == r { print $f }' "$OUT/$name.txt"
}
expect 'mean rank of AROW at .3' "$(value .3 5)" 1 2
expect 'mean rank of CW at .3' "$(value .3 6)" 2.5 4
expect 'tasks' "$(value 0 4)" 3 3
