# Models larger than the window they are read through: the same from a file and from a pipe, exact when gone
# on from, refused when cut.
. "$top/tests/checks.sh"
awk 'BEGIN {
    for (i = 0; i < 2100; i++) {
        line = i % 10
        j = 0
        for (k = 0; k < 60; k++) {
            j += 1 + (i * 7919 + k * 104729 + i * k) % 9000
            line = line " " j ":" 1 + (i * k) % 7 / 10
        }
        print line
    } }' > data
head -n 1500 data > first
tail -n +1501 data > second
arow-train -q --no-shuffle data whole
arow-train -q --no-shuffle --labels 0-9 first part
[ "$(wc -c < part)" -gt 12000000 ] || echo "FAIL the model is too small for this test: $(wc -c < part) bytes"
arow-train -q --no-shuffle -m part second rest
same 'going on' whole rest
cat part | arow-train -q --no-shuffle -m - second piped
same 'going on, through a pipe' whole piped
arow-predict -q data whole from_file > /dev/null
cat whole | arow-predict -q data - from_pipe > /dev/null
arow-predict -q -T 1 data whole one_thread > /dev/null
same 'predictions, a pipe' from_file from_pipe
same 'predictions, one thread' from_file one_thread
arow-merge -q -s average whole > merged
sed -n '/^w$/,/^libdoubt/p' whole > weights
sed -n '/^w$/,/^libdoubt/p' merged > merged_weights
same 'merging one model' weights merged_weights
start=$(grep -b '^libdoubt' whole | cut -d: -f1)
for cut in 4194303 4194304 4194305 8388608 $((start - 1)) $((start + 5)) $(($(wc -c < whole) - 40)); do
    head -c $cut whole > short
    for way in 'arow-predict -q second short out' 'arow-predict -q second - out' \
        'arow-train -q -m short second out'; do
        $way < short > report 2> err
        [ $? -eq 1 ] && [ ! -e out ] && grep -q ':[0-9]*: ' err
        verdict "cut at $cut: $way" $? "$(cat err)"
        rm -f out
    done
done
