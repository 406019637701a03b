# Data on disk: the bytes of data in memory, in less memory than the data take; faults of the disk.
. "$top/tests/checks.sh"
elsewhere="--disk or \$TMPDIR: another folder"
export TMPDIR=. # where data go that do not fit

head -n 3000 "$top/data/letter.train" | label-noise -q -r 0.3 - > letters
synth noise -q --flip 0.3 --labels 1-26 > C.26 2> err
# Some 30 of 1000 features: sums by slices of these; in memory the entries are transposed.
wide() {
    awk -v classes="$1" 'BEGIN {
        srand(5)
        for (i = 0; i < 500; i++) {
            line = (rand() < 0.2 ? int(rand() * classes) : i % classes) + 1
            for (j = 1 + int(rand() * 9); j <= 1000; j += 1 + int(rand() * 66))
                line = line " " j ":" (j % classes == i % classes) + int(rand() * 1000) / 1000
            print line
        }
    }'
}
wide 4 > wide.4
wide 2 > wide.2
# Three of 20000 features in 12000 lines of 40 classes: more numbers of p - r than are held at once.
awk 'BEGIN {
    srand(7)
    for (i = 0; i < 12000; i++) {
        line = i % 40 + 1
        for (j = 1 + int(rand() * 6000); j <= 20000; j += 1 + int(rand() * 12000))
            line = line " " j ":" 1 + i % 7
        print line
    }
}' > many
synth noise -q --flip 0.2 --labels 1-40 > C.40 2> err
synth noise -q --flip 0.2 --labels 1-4 > C.4 2> err
synth noise -q --flip 0.2 --labels 1-2 > C.2 2> err
awk '{ print NR % 4 ? 1 + NR % 3 : 0 }' letters > weights.letters
awk '{ print NR % 4 ? 1 + NR % 3 : 0 }' wide.4 > weights.wide

# same_model NAME COMMAND DATA: the same model from memory, by 2 threads, and from disk, a file or a pipe,
# by 1 and 3 threads.
same_model() {
    # shellcheck disable=SC2086 # words
    $2 -q -T 2 "$3" want
    for threads in 3 1; do
        rm -f got
        # shellcheck disable=SC2086
        $2 -q -T $threads --disk . "$3" got
        cmp want got || echo "FAIL $1: $threads threads"
        wants_long || break
    done
    # shellcheck disable=SC2002,SC2086 # a pipe is meant
    cat "$3" | $2 -q -T 3 --disk . - got
    same "$1" want got
}
same_model 'dense' 'forward-train -c C.26 --lambda 1e-5 --steps 0' letters
same_model 'dense, bias, weights, steps' \
    'forward-train -c C.26 --lambda 0 --steps 5 -B 1 -W weights.letters' letters
same_model 'wide' 'forward-train -c C.4 --lambda 1e-4 --steps 0' wide.4
same_model 'wide, bias, weights, steps' \
    'forward-train -c C.4 --lambda 1e-4 --steps 4 -B 1 -W weights.wide' wide.4
same_model 'wide, two classes' 'forward-train -c C.2 --lambda 1e-4 --steps 0' wide.2
same_model 'many classes' 'forward-train -c C.40 --lambda 1e-5 --steps 2 --final' many
forward-train -T 2 -c C.40 --lambda 1e-5 --steps 2 many got | grep objective > held
forward-train -T 2 -c C.40 --lambda 1e-5 --steps 2 --disk . many got | grep objective > read
same 'many classes, objective' held read
same_model 'a sample' 'forward-train --features 0 --sample 300' wide.4
same_model 'uma' 'uma-train -c C.26 -e 0 -i 30' letters
same_model 'uma, margin, average' 'uma-train -c C.4 -e 0 -i 30 -a 0.1 -w average -u uniform' wide.4
same_model 'uma, a sample' 'uma-train --features 0 -e 0 -i 9 --sample 300' wide.4

for threads in 1 3; do
    suspects -q -T $threads --features 0 --sample 300 wide.4 > list.$threads
    suspects -q -T $threads --features 0 --sample 300 --disk . - < wide.4 > list.disk.$threads
done
same 'suspects, threads' list.1 list.3
same 'suspects, disk' list.1 list.disk.1
same 'suspects, disk, threads' list.1 list.disk.3
suspects -q --features 0 wide.4 > list.all
suspects -q --features 0 --sample 500 wide.4 > list.500
same 'suspects, a sample of all' list.all list.500
suspects -q --features 0 --disk . wide.4 | cut -f1 | sort > disk.lines
cut -f1 list.all | sort > all.lines
[ "$(comm -12 all.lines disk.lines | wc -l)" -gt $(($(wc -l < all.lines) * 4 / 5)) ]
verdict 'suspects of data on disk are nearly those in memory' $? "$(wc -l all.lines disk.lines)"

# What is on disk is said, and the memory.
forward-train --disk . -T 1 -c C.4 --lambda 1 wide.4 m > out
grep -q '^500 examples, 1000 features, 4 classes; memory: .* on disk in \., read again in every pass$' out
verdict 'what is on disk is said' $? "$(head -n 1 out)"

# In less memory than the data take.  (Sanitizers need more.)
if (ulimit -v 19000; forward-train --version) > out 2>&1; then
    for _ in $(seq 80); do cat "$top/data/digits.train"; done > large
    for _ in $(seq 28); do cat "$top/data/digits.train"; done > part
    synth noise -q --flip 0.2 --labels 0-9 > C.10 2> err
    for run in 'forward-train -T 2 -c C.10 --lambda 0.01 --steps 2' 'uma-train -T 2 -c C.10 -e 0 -i 3'; do
        $run -q large want
        rm -f got
        (ulimit -v 19000; $run large got > out 2> err)
        grep -q 'on disk in ' out
        verdict "${run%% *}: 40 MB go to disk by themselves" $? "$(cat out err)"
        same "${run%% *} with 19 MB of address space" want got
        (ulimit -v 19000; cat large | $run -q - got 2> err)
        same "${run%% *} with 19 MB of address space, a pipe" want got
    done
    if wants_long; then
        (ulimit -v 19000; suspects -q -T 2 --sample 1000 -c identity -n 5 part > out 2> err)
        check 'suspects with 19 MB of address space' "$? $(wc -l < out)" '0 5'
    fi
    (ulimit -v 19000; confusion --from-noisy -q -T 2 --sample 500 part > got 2> err)
    confusion --from-noisy -q -T 1 --sample 500 part > want
    same 'confusion with 19 MB of address space' want got
    while IFS='|' read -r command named; do
        # shellcheck disable=SC2086 # words
        (ulimit -v 19000; $command large 2> err)
        check "all data in memory for $command" "$? $(cat err)" \
            "2 ${command%% *}: $named needs all data in memory, and they do not fit: leave it out, or take a \
part of the lines; see ${command%% *} -h"
    done << 'end'
forward-train -q -T 2 -v 2 -c C.10|-v
forward-train -q -T 2 -t rbf|-t rbf
forward-train -q -T 2 --no-shuffle|-c estimate with online passes
forward-train -q -T 2 -t rbf -i 3|-c estimate with online passes
uma-train -q -T 2 --map fourier -c C.10|--map
suspects -q -T 2 -t rbf -c C.10|-t rbf
confusion -q -T 2 -t rbf --from-noisy|-t rbf
end
    # Files may not grow beyond 8 blocks: a full disk.
    rm -f got
    for command in 'forward-train -q -c C.10 large got' 'uma-train -q -c C.10 large got' \
        'suspects -q large' 'confusion -q --from-noisy large'; do
        (ulimit -v 19000; ulimit -f 8; $command > out 2> err)
        check "${command%% *}: a full disk" "$? $(cat err)" \
            "1 ${command%% *}: .: temporary file: File too large ($elsewhere)"
    done
    [ ! -e got ] && [ ! -s out ] || echo 'FAIL there is a model, or a list, in spite of a full disk'
fi

# Every read and write of the temporary file failing in turn: one line that says so, and no model.
head -n 60 wide.4 > small
head -n 60 weights.wide > weights.small
while read -r command; do
    rm -f fresh
    # shellcheck disable=SC2086 # words
    DISK_CALLS=counted "$tests/faulty/"$command > printed 2> err || echo "FAIL $command: $(cat err)"
    read -r calls < counted
    n=1
    while [ "$n" -le "$calls" ]; do
        rm -f fresh
        # shellcheck disable=SC2086
        DISK_FAIL_AT=$n "$tests/faulty/"$command > printed 2> err
        status=$?
        grep -v ': warning: ' err > said
        if [ $status -ne 1 ] || [ -s printed ] || [ -e fresh ] || [ "$(wc -l < said)" -ne 1 ] \
            || ! grep -qxF -e "${command%% *}: .: temporary file: Input/output error ($elsewhere)" \
                -e "${command%% *}: .: temporary file: No space left on device ($elsewhere)" said; then
            echo "FAIL $command: call $n of $calls failing: status $status: $(cat err printed)"
            break
        fi
        n=$((n + 1 + n / 10))
    done
    [ "$calls" -gt 20 ]
    verdict "$command: $calls reads and writes" $? 'that is too few'
done << 'end'
forward-train -q -T 1 --disk . -c C.4 --lambda 0 -W weights.small small fresh
forward-train -q -T 2 --disk . --features 0 --sample 40 small fresh
uma-train -q -T 2 --disk . -c C.4 -e 0 -i 3 -w average small fresh
suspects -q -T 1 --disk . -c C.4 small
end
check 'no temporary files are left' "$(find . -name '.libdoubt-*')" ''
