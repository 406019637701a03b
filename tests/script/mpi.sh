# Several ranks (make mpi): they write the bytes that one program writes, and end together.
. "$top/tests/checks.sh"
wants_long || { echo 'ok left out'; exit; }
if ! command -v mpirun > /dev/null || ! command -v forward-train-mpi > /dev/null; then
    echo 'skip MPI is not installed (Debian: openmpi-bin, libopenmpi-dev)'
    echo 'ok skipped'
    exit
fi
# As root, with more ranks than processors, beside other tests; MPI's own leaks are not ours.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export ASAN_OPTIONS=detect_leaks=0
# Each run has a folder of its own: mpirun makes one for its user and removes it at the end, and another that
# starts at this moment fails.
ranks() {
    n=$1
    shift
    mpirun --mca orte_tmpdir_base "$(mktemp -d "$PWD/run.XXXXXX")" -n "$n" "$@"
}
# What the program itself says of a run that fails, without what mpirun adds: fails FILE COMMAND...  Where it
# says nothing, all that mpirun said.
fails() {
    to=$1
    shift
    "$@" > /dev/null 2> "$to.all"
    grep -E '^[a-z-]+: ' "$to.all" > "$to" || mv "$to.all" "$to"
}

ranks 3 "$tests/mpi/test_reduce" | tail -n 1 > counts
grep -q ' 0 failed' counts
verdict 'messages and parts of a file' $? "$(cat counts)"

# ---- the same bytes ----

# Dense data, whose sums are taken by parts, and sparse ones, whose sums are transposed.
synth noise --flip 0.2 --labels 0-9 > matrix 2> /dev/null
head -n 301 "$top/data/digits.train" | label-noise -r 0.2 - > dense 2> /dev/null
awk 'BEGIN {
    for (i = 1; i <= 400; i++) {
        printf "%d", i % 3 + 1
        for (j = 0; j < 12; j++) printf " %d:%d", j * 50 + 1 + (i * (j + 7)) % 47 + (j == i % 3), i % 5 + 1
        print ""
    }}' > sparse
forward-train -q -c matrix --lambda 1e-3 dense one
for n in 1 2 4; do
    ranks $n forward-train-mpi -q -c matrix --lambda 1e-3 dense model
    same "forward-train, a given matrix, $n ranks" model one
done
head -n 5 dense > few
forward-train -q -c matrix --lambda 1e-3 few one
ranks 4 forward-train-mpi -q -c matrix --lambda 1e-3 few model
same 'forward-train, ranks with an example or two' model one
head -n 12 dense > few
forward-train -q -t linear --features 0 few one 2> /dev/null
ranks 6 forward-train-mpi -q -t linear --features 0 few model 2> /dev/null
same 'forward-train, ranks without an example of a fold' model one
forward-train -q -c identity --lambda 1e-3 sparse one
ranks 3 forward-train-mpi -q -c identity --lambda 1e-3 sparse model
same 'forward-train, sparse data' model one
head -n 150 dense > small
forward-train -q -t linear --features 0 --confusion-out c small one 2> /dev/null
ranks 2 forward-train-mpi -q -t auto --features 0 --confusion-out c2 small model 2> /dev/null
same 'forward-train, all of it estimated; -t auto is linear' model one
same 'its matrix' c2 c

split -n l/2 -d -a 1 sparse shard.
suspects -t linear sparse > list 2> table
ranks 2 suspects-mpi shard.%r > list2 2> table2
same 'suspects, a file for each rank' list2 list
same 'the table of suspects' table2 table
printf '1 .1 .1\n0 .9 .9\n0 0 0\n' > rules_out
suspects -t linear -n 0 -c rules_out sparse 2>&1 | grep 'cannot be' > ruled
ranks 2 suspects-mpi -t linear -n 0 -c rules_out shard.%r 2>&1 | grep 'cannot be' > ruled2
same 'suspects, labels that the matrix rules out' ruled2 ruled
head -n 1001 "$top/data/digits.train" | label-noise -r 0.2 - > many 2> /dev/null # so many that ranks share EM
confusion -q -t linear --features 0 --from-noisy many > c 2> /dev/null
ranks 2 confusion-mpi -q --features 0 --from-noisy many > c2 2> /dev/null
same 'confusion --from-noisy' c2 c

# UMA: the model, and what the trace tells of each iteration.
for options in '' '-s confusion -a 0.1 -w average'; do
    # shellcheck disable=SC2086 # options are words
    uma-train -q -c matrix -i 30 --trace trace $options dense one 2> /dev/null
    # shellcheck disable=SC2086
    ranks 3 uma-train-mpi -q -c matrix -i 30 --trace trace3 $options dense model 2> /dev/null
    same "uma-train $options" model one
    same "the trace of uma-train $options" trace3 trace
done

# Online learners are merged after each pass, as arow-merge merges files.
arow-train -q "$top/data/digits.train" one
ranks 1 arow-train-mpi -q "$top/data/digits.train" model
same 'arow-train, 1 rank' model one
split -n l/2 -d -a 1 "$top/data/digits.train" part.
for p in 0 1; do arow-train -q --labels 0-9 part.$p merged.$p; done
arow-merge -q merged.0 merged.1 > one
ranks 2 arow-train-mpi -q part.%r model
for m in one model; do arow-predict "$top/data/digits.test" $m $m.labels > /dev/null; done
same 'arow-train, 2 ranks, as arow-merge' model.labels one.labels

# ---- failures ----

# Five at a time, as mpirun takes seconds to end where a rank has failed.
rm -f model
rm shard.1
awk 'BEGIN { for (i = 1; i <= 40; i++) print i % 2, "1:" (i % 2 ? 1e5 : -1e5) }' > steep
sed '350s/$/ 9:x/' sparse > bad
cp shard.0 part.0
tail -n 150 bad > part.1
fails missing ranks 2 forward-train-mpi -q shard.%r model &
fails line ranks 2 forward-train-mpi -q bad model &
fails line_of_shard ranks 2 forward-train-mpi -q part.%r model &
fails pipe ranks 2 forward-train-mpi -q - model < sparse &
fails map ranks 2 suspects-mpi -q -t rbf sparse &
wait
fails folds ranks 2 forward-train-mpi -q -v 3 sparse &
fails disk ranks 2 forward-train-mpi -q --disk . sparse model &
fails sample ranks 2 suspects-mpi -q --sample 100 sparse &
fails average ranks 2 arow-train-mpi -q -A sparse model &
fails variance ranks 2 arow-train-mpi -q -r 1e-300 steep model &
fails folder ranks 2 forward-train-mpi -q -c identity sparse no/model &
wait
check 'a missing shard' "$(cat missing)" 'forward-train: shard.1: No such file or directory'
check 'a bad line' "$(cut -d: -f1-3 line)" 'forward-train: bad:350'
check 'a bad line of a shard' "$(cut -d: -f1-3 line_of_shard)" 'forward-train: part.1:100'
check 'a pipe' "$(cut -d: -f1-2 pipe)" 'forward-train: <stdin> cannot be shared'
check 'features of a kernel' "$(cat map)" \
    'suspects: -t rbf works on one rank: several need -t linear; see suspects -h'
check 'cross-validation' "$(cat folds)" \
    'forward-train: --folds works on one rank: run it without mpirun, or with -n 1; see forward-train -h'
check 'data on disk' "$(cat disk)" \
    'forward-train: --disk works on one rank: run it without mpirun, or with -n 1; see forward-train -h'
check 'a sample' "$(cat sample)" \
    'suspects: --sample works on one rank: run it without mpirun, or with -n 1; see suspects -h'
check 'an online learner that cannot be merged' "$(cat average)" 'arow-train: several ranks need -f diag, '\
'no -A, and one of the rules arow, arow-hinge, cw; see arow-train -h'
check 'a variance of 0, which cannot be merged' "$(cat variance)" \
    'arow-train: steep: the variance of feature 1 (counted from 1) is 0: it cannot be merged'
check 'a folder that is not there' "$(cat folder)" 'forward-train: no/model: No such file or directory'

cp "$top/data/letter.train" letter
# A rank is killed once all have begun to learn, as the report says: mpirun ends the others, and the first
# says so.
# shellcheck disable=SC2016 # of the inner shell
ranks 2 sh -c 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec forward-train-mpi letter model' > out 2> err &
n=0
until grep -q ranks out || [ $n -gt 100 ]; do sleep 0.1; n=$((n + 1)); done
kill -9 "$(cat pid.1)"
wait $!
verdict 'a killed rank ends the run' $((!$?)) "$(cat err)"
check 'with one message' "$(grep -c '^forward-train: stopped by SIGTERM: no model is written' err)" 1
check 'without a model' "$(find . -name model -o -name '.libdoubt*')" ''
