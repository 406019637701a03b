# musvm-train: same bytes whatever the threads, the room for kernel rows and the way in; LIBLINEAR's programs
# agree where they do the same.
. "$top/tests/checks.sh"
head -n 150 "$top/data/digits.train" > few
sed -n '151,200p' "$top/data/digits.train" | sed 's/^[^ ]*/?/' > others # a universum has no labels
head -n 60 few > some
for options in '-s m-svm -t linear -c 0.01 -B 1' '-t linear -u others -p 0.1 -c 0.01 -l 1' \
    '-u others -g 0.01 -l 1' '-t polynomial -d 2 -g 0.01 -r 1 -l 1 -u others -y 0.1 -w 1:2 -w 0:0.5' \
    '-s m-svm -t sigmoid -g 0.1 -l 1' '-s svm-ovo -g 0.002' '-s u-svm-ovo -u others -p 0.1 -g 0.002'; do
    # $options is a list of words
    musvm-train -q $options -T 1 some one 2> err || echo "FAIL $options: $(cat err)"
    for more in '-T 2 -M 0.01' '-T 2' '-T 3 -M 0' '-T 16 -M 0.05'; do
        musvm-train -q $options $more some other
        same "$options $more" one other
        wants_long || break
    done
    musvm-train $options - piped < some > out
    same "$options pipe, not quiet" one piped
    musvm-train -q -v 3 $options -T 1 some > folds
    musvm-train -q -v 3 $options -T 4 -M 0 some > folds4
    same "$options folds" folds folds4
    musvm-predict -q some one labels > report
    awk '{ exit !($3 + 0 > 60) }' report
    verdict "$options learns" $? "$(cat report)"
done
sed 's/$/\r/' few > crlf
musvm-train -q -u others few one
musvm-train -q -u others crlf other
same 'CRLF' one other
musvm-train -q -u others --shrinking 0 -e 1e-8 few one 2> err
musvm-train -q -u others -e 1e-8 few other
musvm-predict -q few one labels > report
musvm-predict -q few other labels2 > report
same 'shrinking' labels labels2

# Leave-one-out: the element-wise estimate is near the truth, which n folds give.
musvm-train -q -b -c 2 -g 0.002 -e 1e-6 few model > bound
musvm-train -v 150 -c 2 -g 0.002 -e 1e-6 few > folds
awk '/element-wise/ { estimate = $8 + 0 }
    /Cross/ { truth = 100 - $5 }
    END { exit !((estimate - truth) ^ 2 < 9) }' bound folds
verdict 'element-wise leave-one-out' $? "$(cat bound folds)"

if ! command -v liblinear-train > liblinear; then
    echo 'skip liblinear-train is not installed (Debian: liblinear-tools)'
    exit
fi
# Two classes stand in one column here, in two there.
for set in iris digits; do
    musvm-train -q -s m-svm -t linear -c 0.001 -e 1e-8 "$top/data/$set.train" ours
    liblinear-train -q -s 4 -c 0.001 -e 1e-8 "$top/data/$set.train" theirs > out
    for model in ours theirs; do
        awk '$1 == "libdoubt" { exit } w { print } $1 == "w" { w = 1 }' $model > $model.w
    done
    paste -d ' ' ours.w theirs.w | awk '
        { for (k = 1; k <= NF / 2; k++) { if (($k - $(k + NF / 2)) ^ 2 > 1e-12) bad = 1; n++ } }
        END { exit bad || n < 12 }'
    verdict "$set the weights of liblinear-train -s 4" $? 'they differ'
    liblinear-predict "$top/data/$set.test" ours labels > report
    musvm-predict "$top/data/$set.test" ours labels2 > report2
    same "$set liblinear-predict" labels labels2
    same "$set liblinear-predict, report" report report2
    musvm-predict -q "$top/data/$set.test" theirs labels > out
    same "$set a model of LIBLINEAR's" labels labels2
done

# Where nobody knows how long it takes: on a terminal, how far the violation is from where it stops.
for i in 1 2 3 4 5 6; do echo $((2 - i % 2)) 1:$i; done > six
if [ "$(script -qc 'echo terminal' /dev/null 2> /dev/null | tr -d '\r\n')" = terminal ]; then
    script -qc 'musvm-train -c 1e5 -t 0 six model' /dev/null > seen
    grep -qa 'learning  \[.*%  [0-9]* updates, violation [0-9.e+]* > 0.0007  [0-9:]* left' seen
    verdict 'progress' $? "$(cat seen)"
    script -qc 'musvm-train -q -c 1e5 -t 0 six model' /dev/null > seen
    ! grep -qa violation seen
    verdict 'no progress with -q' $? 'it is shown'
else
    echo 'skip progress: no script -qc that makes a terminal'
fi
