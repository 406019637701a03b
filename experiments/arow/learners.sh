# shellcheck shell=sh
# The learners of the AROW experiments, the hyperparameters that are tried, and online learning in
# steps.  Behind lib.sh.

# options LEARNER: of arow-train.  The paper's PA is pa1 here: C among the hyperparameters, the largest
# of which never limits a step.
options() {
    case $1 in
    arow) echo "-s arow" ;;
    arow_drop) echo "-s arow -f drop" ;;
    arow_full) echo "-s arow -f full" ;;
    arow_five) echo "-s arow -k 5" ;;
    arow_all) echo "-s arow -k 0" ;;
    arow_hinge) echo "-s arow-hinge" ;;
    cw_full) echo "-s cw -f full" ;;
    sop_full) echo "-s sop -f full" ;;
    pa) echo "-s pa1" ;;
    adagrad) echo "-s adagrad-rda" ;;
    *) echo "-s $1" ;;
    esac
}
# values LEARNER: the hyperparameter's options, one choice a line.  With wide=yes, for data that are not of
# unit length, AROW and PA get larger r and smaller C as well.
values() {
    case ${wide:-}$1 in
    yesarow*) printf -- '-r %s\n' 1000 10000 ;;
    yespa) echo "-c .0001" ;;
    esac
    case $1 in
    arow_hinge) printf -- '-r %s\n' .1 1 10 100 ;;
    arow*) printf -- '-r %s\n' .01 .1 1 10 100 ;;
    perceptron) echo "-i 1" ;;
    pa) printf -- '-c %s\n' .001 .01 .1 1 ;;
    cw*) printf -- '-p %s\n' .01 .1 1 10 ;;
    sop*) printf -- '-a %s\n' .1 1 10 100 ;;
    adagrad)
        for eta in .01 .1 1; do printf -- "--eta $eta --lambda %s\n" 0 .0001; done ;;
    esac
}
title() {
    case $1 in
    arow_five) echo "AROW (5)" ;;
    arow_all) echo "AROW (all)" ;;
    arow_hinge) echo "AROW-H" ;;
    perceptron) echo "Perceptron" ;;
    adagrad) echo "AdaGrad" ;;
    *_*) echo "$(echo "${1%_*}" | tr '[:lower:]' '[:upper:]'), ${1#*_}" ;;
    *) echo "$1" | tr '[:lower:]' '[:upper:]' ;;
    esac
}
# colour LEARNER: gnuplot's name of it; forms of a covariance share their learner's, but for full AROW
colour() {
    case $1 in
    arow_full | arow_hinge) echo "c_$1" ;;
    *) echo "c_${1%%_*}" ;;
    esac
}

# tune LEARNER FILES FOLDS PASSES OPTIONS: all options of the choice with the highest cross-validation
# accuracy on the labels of the files, the mean of them.  Where training is given up, as CW's may be, whose
# weights can grow beyond all bounds on wrong labels, the accuracy is 0.
tune() {
    for passes in $4; do values "$1" | sed "s/ *-i 1$//; s/\$/ -i $passes/"; done > "$tmp/choices"
    options=$(options "$1")
    while IFS= read -r choice; do
        for file in $2; do
            # shellcheck disable=SC2086 # options are words
            "$PROGRAMS/arow-train" -q -T 1 -v "$3" $options $5 $choice "$file" > "$tmp/log" 2>&1 || :
            percent < "$tmp/log" || echo 0
        done | awk -v choice="$options $5 $choice" '{ s += $1 } END { print s / NR "\t" choice }'
    done < "$tmp/choices" > "$tmp/tried"
    best < "$tmp/tried" | tr -s ' '
}

# steps FILE NAME CAP: cuts FILE into NAME.1 (one line), NAME.2 ...: each is a fifth of what is before
# it, but at most CAP lines, the last one what is left.  Prints where they end.
steps() {
    awk -v name="$2" -v cap="$3" '
        FNR > end { if (part) close(name "." part); part++; size = int(end / 5)
                    end += size < 1 ? 1 : (size > cap ? cap : size) }
        { print > (name "." part); last[part] = FNR }
        END { for (i = 1; i <= part; i++) print last[i] }' "$1"
}
# online OPTIONS: learns $tmp/noisy.1, .2 ... in order, and predicts each before it is learnt: prints the
# mistakes up to the end of each, by the labels of $tmp/clean.1, .2 ...  Within a step weights do not
# change for the predictions (they do for learning).  Without weights the first is a mistake.
online() {
    # shellcheck disable=SC2086 # options are words
    "$PROGRAMS/arow-train" -q -T 1 --no-shuffle --labels -1,1 $1 "$tmp/noisy.1" "$tmp/model.1"
    {
        step=2
        while [ -f "$tmp/noisy.$step" ]; do
            model=$tmp/model.$((step % 2))
            before=$tmp/model.$(((step + 1) % 2))
            "$PROGRAMS/arow-predict" -q -T 1 "$tmp/clean.$step" "$before" "$tmp/predicted"
            "$PROGRAMS/arow-train" -q -T 1 --no-shuffle -m "$before" "$tmp/noisy.$step" "$model"
            step=$((step + 1))
        done
        cp "$model" "$tmp/model"
    } | awk 'BEGIN { wrong = 1; printf "1" }
        /Accuracy/ { split($0, a, /[(\/)]/); wrong += a[3] - a[2]; printf " %d", wrong }
        END { print "" }'
}
