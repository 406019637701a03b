# uma-train: same bytes whatever the threads and the way in; liblinear-predict gives our labels; what the
# estimated error is worth.
. "$top/tests/checks.sh"
for set in letter digits iris; do
    file=$top/data/$set.train
    case $set in letter) labels=1-26 most=20;; digits) labels=0-9 most=150;; *) labels=1-3 most=150;; esac
    synth noise -q --flip 0.3 --labels $labels > C
    label-noise -q -c C "$file" > noisy
    for options in '' '-s confusion -w average -B 1' '-s random -u uniform -w last -e 0' \
        '-a 0.01 --alpha-relative -u worst'; do
        # $options is a list of words
        uma-train -q -i $most $options -T 1 --trace trace1 -c C noisy one 2> err \
            || echo "FAIL $set $options: $(cat err)"
        for threads in 3 2 16; do
            uma-train -q -i $most $options -T $threads --trace trace -c C noisy more
            same "$set $options threads $threads" one more
            same "$set $options threads $threads, trace" trace1 trace
            wants_long || break
        done
        uma-train -i $most $options -c C - piped < noisy > out
        same "$set $options pipe, not quiet" one piped
        if command -v liblinear-predict > liblinear; then
            liblinear-predict "$top/data/$set.test" one theirs > their_report
            uma-predict -q "$top/data/$set.test" one ours > our_report
            same "$set $options liblinear-predict" theirs ours
            same "$set $options liblinear-predict, report" their_report our_report
        else
            echo 'skip liblinear-predict is not installed (Debian: liblinear-tools)'
        fi
    done
    sed 's/$/\r/' noisy > crlf
    sed 's/$/\r/' C > C.crlf
    uma-train -q -i $most -c C.crlf crlf carriage
    uma-train -q -i $most -c C noisy one
    same "$set CRLF" one carriage
    LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 uma-train -q -i $most -c C noisy german
    same "$set comma locale" one german
    uma-train -i $most -v 5 -T 1 -c C noisy > fold1
    uma-train -i $most -v 5 -T 4 -c C noisy > fold4
    same "$set cross-validation, threads" fold1 fold4
done

# The estimate of the true error, from noisy labels alone, is near the error on clean test data (digits: 597
# test examples).
file=$top/data/digits
synth noise -q --flip 0.3 --labels 0-9 > C
label-noise -q -c C "$file.train" > noisy
uma-train -v 5 -c C noisy > folds
uma-train -q -c C noisy model
uma-predict -q "$file.test" model labels > report
if cat folds report | awk '/against/ { noisy = $6; true_error = $NF } /^Accuracy/ { test = 100 - $3 }
        END { exit !(noisy + 0 > 30 && test - true_error < 8 && true_error - test < 8) }'; then
    echo 'ok the estimated error'
else
    echo "FAIL the estimated error: $(cat folds report)"
fi

# A matrix without an end: that file is to blame, not the data.
if (ulimit -v 400000; uma-train --version) > said 2>&1; then
    yes '# no matrix' 2> /dev/null \
        | (ulimit -v 400000; uma-train -c - "$top/data/iris.train" none) > said 2>&1
    check 'an endless matrix: status' $? 1
    check 'an endless matrix: the file' "$(sed 's/: [0-9].*//' said)" \
        'uma-train: <stdin>: not enough memory for the whole of it'
else
    echo 'skip an endless matrix: no ulimit -v'
fi
