# liblinear-predict gives our labels for our models, and arow-predict LIBLINEAR's labels for its models.
. "$top/tests/checks.sh"
if ! command -v liblinear-predict > /dev/null; then
    echo 'skip liblinear-predict is not installed (Debian: liblinear-tools)'
    echo 'ok skipped'
    exit
fi
# LIBLINEAR needs its time: small sets, and a tolerance that stops it early.
two_classes() { awk '{ print ($1 % 2 ? 5 : -2) substr($0, length($1) + 1) }'; }
head -n 300 "$top/data/digits.train" | two_classes > two.train
two_classes < "$top/data/digits.test" > two.test
for set in digits letter iris; do cp "$top/data/$set.train" "$top/data/$set.test" .; done
head -n 400 "$top/data/letter.train" > letter.train
# Test examples with features that training never saw, and without any.
printf '5 1:1 100:3\n-2\n5 70:1\n' >> two.test
printf '1 1:1 100:3\n2\n3 70:1\n' >> digits.test
compare() {
    liblinear-predict "$2" model theirs > their_report
    arow-predict -q "$2" model ours > our_report
    cmp -s theirs ours && cmp -s our_report their_report
    verdict "$1" $? "labels or report differ: $(diff their_report our_report)"
}
for set in two digits letter iris; do
    for options in '' -A '-B 1' '-l 1 -B 2' '-s perceptron' '-s pa1 -c 0.01' '-s cw' \
        '-s adagrad-rda --lambda 0.01' '-k 0' '-s sop' '-f full'; do
        [ "$options" = '-s sop' ] && [ $set != two ] && continue
        arow-train -q $options $set.train model || echo "FAIL $set $options: training"
        compare "$set $options" $set.test
    done
    for options in '-s 4' '-s 4 -B 1' '-s 1' '-s 0 -B 1' '-s 5' '-s 7'; do
        liblinear-train -q -e 1 $options $set.train model > /dev/null 2>&1
        compare "$set liblinear-train $options" $set.test
    done
done
# A model whose features are made by a map is refused, and not read as one of its first features.
for map in nystrom fourier; do
    arow-train -q --map $map iris.train model
    ! liblinear-predict iris.test model theirs > report 2>&1
    verdict "a model with --map $map" $? "it predicts: $(cat report)"
done
