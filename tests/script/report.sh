# --report: its keys are those of the list, in the sources and in the documents; the same run writes the same
# lines, whatever is printed; it appears whole, or not at all.
. "$top/tests/checks.sh"
tab=$(printf '\t')

# ---- the list of keys ----

sed -n 's/^    KEY([A-Z0-9_]*, "\(.*\)").*/\1/p' "$top/common/base/report.h" | sort > keys
awk -F '|' '/^\| `/ { print $2 }' "$top/doc/report.md" | grep -o '`[^`]*`' | tr -d '`' | sort > documented
[ "$(wc -l < keys)" -gt 50 ] || echo 'FAIL the keys of the sources are not found'
same 'the keys of doc/report.md are those of the sources' documented keys

# Every key of a report is in the list: a number or name between dots may be a `*` there.
keys_known() {
    cut -f1 "$2" | sed 's/^\(class\|pass\|step\)\.[^.]*/\1.*/; s/^\(option\|rate\)\..*/\1.*/' > these
    cat these >> used
    sort -u these | comm -23 - keys > strange
    [ ! -s strange ] && [ "$(head -n 1 "$2")" = "libdoubt.report${tab}1" ] \
        && tail -n 1 "$2" | grep -q "^seconds${tab}[0-9.e-]*\$" \
        && [ "$(grep -c "^warning$tab" "$2")" -eq "$(sed -n "s/^warnings$tab//p" "$2")" ]
    verdict "$1: keys" $? "$(cat strange "$2")"
}

# ---- every program, twice: quiet, and on one thread ----

head -n 300 "$top/data/digits.train" > digits
awk '{ $1 = NR % 5 ? $1 : ($1 + 1) % 10; print }' digits > noisy
sed 's/ /:1:.1 /' digits > clicks.blog
awk '{ $1 = NR % 3 ? "? " : $1; print }' "$top/data/iris.train" > some
synth noise -q --flip 0.2 --labels 1-3 > matrix
forward-train -q -t linear --features 0 noisy forward
rcnbf-train -q digits bandit
cut -d' ' -f1 digits > predicted
# Two examples of class 3 only: of its noise little can be said, and a warning says so.
awk '$1 != 3 || n++ < 2' "$top/data/iris.train" > rare
# The class is a size: the linear model takes the examples at their lengths.
awk 'BEGIN { for (i = 0; i < 300; i++) {
    a = i * 7 % 301; b = i * 11 % 307; print (a + b > 300), "1:" a, "2:" b } }' > sizes
# Most features occur once, as words do: an SVM is tried.
awk '{ for (k = 1; k < 5; k++) $0 = $0 " " 1000 * k + NR ":1"; print }' noisy > words
cat > commands << 'end'
arow-train -i 2 noisy model
arow-train --stream noisy model
arow-train -v 3 noisy
forward-train -t linear --features 0 noisy model
forward-train sizes model
forward-train -t linear --features 0 rare model
forward-train -t rbf -D 9 --features 0 noisy model
forward-train words model
arow-train --map fourier --map-dims 9 noisy model
suspects -t rbf -D 9 -g 1 -c identity noisy
forward-train -t linear --features 0 -v 2 noisy
forward-train -c identity -i 2 noisy model
uma-train -c matrix data/iris.train model
uma-train -v 2 -c matrix data/iris.train
musvm-train -b -w 9:2 data/iris.train model
musvm-train -C cv --grid-c 1,10 --grid-p 0,1 -u some data/iris.train model
musvm-train -v 2 data/iris.train
rcnbf-train -s rcine -n 50 -i 200 data/iris.train model
rcnbf-train --log clicks.blog model
rcnbf-train --interactive --labels 1-3 some model
forward-predict -m digits forward labels
rcnbf-predict --log clicks.blog bandit labels
suspects -t linear --features 0 noisy
suspects -t linear --features 0 --clean noisy
confusion digits predicted
confusion --from-noisy -t linear --features 0 noisy
end
ln -s "$top/data" data
: > used
while read -r command; do
    name=${command%% *} options=${command#* }
    # shellcheck disable=SC2086 # words
    "$name" --report found $options > printed 2>&1 < /dev/null \
        || echo "FAIL $command: $(cat printed)"
    mv found first
    # shellcheck disable=SC2086 # words
    "$name" -q -T 1 --report found $options > printed 2>&1 < /dev/null \
        || echo "FAIL $command -q: $(cat printed)"
    keys_known "$command" first
    [ "$(grep -c . printed)" -eq 0 ] && [ "$name" = forward-predict ] && echo 'FAIL -q hides the accuracy'
    grep -v "^seconds$tab" first > a
    grep -v -e "^seconds$tab" -e "^option.quiet$tab" -e "^option.threads$tab" found > b
    same "$command: the same with -q and on one thread" a b
done < commands

# ---- stopped by a signal, when it has learnt from 20 lines of a pipe that stays open ----

mkfifo pipe
exec 3<> pipe
head -n 20 digits >&3
rm -f found
sh -c 'echo $$ > pid; exec arow-train --labels 0-9 --report found pipe model' 2> err &
tries=0
until grep -q ': 16 examples' err || [ $((tries += 1)) -gt 400 ]; do sleep 0.02; done
kill -s TERM "$(cat pid)"
wait $!
check 'stopped by a signal: status' $? 143
keys_known 'stopped by a signal' found
check 'stopped by a signal: what is reported' \
    "$(sed -n "s/^stopped.*$tab//p" found | tr '\n' ' ')" \
    "$(sed -n 's/.*: stopped by \(.*\) after \(.*\) examples: .*/\1 \2 /p' err)"
rm -f found pid
sh -c 'echo $$ > pid; exec arow-train --labels 0-9 --report found pipe none' 2> err &
until [ -s pid ]; do sleep 0.02; done
sleep 0.3
kill -s TERM "$(cat pid)"
wait $!
check 'stopped before the first example: no report' "$? $(ls found none 2> /dev/null)" '143 '
exec 3>&-

sort -u used | comm -13 - keys > unused
check 'every key occurs in these runs' "$(cat unused)" ''

# ---- whole or not at all ----

rm -f found
arow-train -q --report found nothing model 2> /dev/null
check 'a run that fails leaves no report' "$(ls found 2> /dev/null)" ''
echo old > found
arow-train -q --report found nothing model 2> /dev/null
check 'nor does it touch an old one' "$(cat found)" old
for options in '' '-v 2'; do
    # shellcheck disable=SC2086 # words
    arow-train -q $options --report - noisy > both 2> /dev/null
    check "arow-train $options --report -" \
        "$(grep -c '^libdoubt.report' both) $(grep -c Accuracy both)" '1 0'
done
for command in 'suspects noisy' 'confusion --from-noisy noisy' \
    'rcnbf-train --interactive --labels 1-3 some model'; do
    # shellcheck disable=SC2086 # words
    "${command%% *}" --report - ${command#* } > both 2> /dev/null
    check "$command: no report where it writes anyway" "$? $(cat both)" '2 '
done
forward-predict -q --report - digits forward labels > both 2> err
check 'a predictor with its report on standard output' \
    "$(grep -c Accuracy both) $(grep -c Accuracy err)" '0 1'
