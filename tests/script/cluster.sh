# examples/cluster: shards under GNU parallel; arrays and MPI under Slurm, started here for this test.  Tasks
# that are killed run again, and nothing is lost.
. "$top/tests/checks.sh"
cluster=$top/examples/cluster
mkdir bin examples
ln -s "$top/examples/grid.sh" examples

# Each notes its call; the first call whose words match those of `victim` kills itself.
for program in arow-train musvm-train; do
    cat > bin/$program << end
#!/bin/sh
echo "\$*" >> calls
case "\$*" in
*"\$(cat victim 2> /dev/null || echo nothing)"*) rm victim && kill -9 \$\$ ;;
esac
exec "${BIN}$program" "\$@"
end
    chmod +x bin/$program
done
PATH=$PWD/bin:$PATH

# ---- shards ----

if parallel --version 2> /dev/null | grep -q '^GNU parallel'; then
    split -n l/3 -d -a 1 "$top/data/digits.train" shard.
    for s in 0 1 2; do "${BIN}arow-train" -q --labels 0-9 shard.$s first.$s; done
    arow-merge -q first.0 first.1 first.2 > first
    for s in 0 1 2; do "${BIN}arow-train" -q -m first shard.$s second.$s; done
    arow-merge -q -m first second.0 second.1 second.2 > wanted
    # In the second round a task is killed, and tried again by parallel.
    echo '-m model.1 shard.1' > victim
    "$cluster/arow_rounds.sh" -j 2 0-9 model shard.0 shard.1 shard.2 > out 2>&1
    same 'two rounds on shards' model wanted
    check 'a task that is killed is tried again' "$(grep -c . calls)" 7
    # The whole is stopped in the first round, when one shard is done; what an arow-train that is stopped
    # has saved does not count.
    rm model* calls
    cp first.0 model.1.shard.0
    : > model.1.shard.1.part
    "$cluster/arow_rounds.sh" -j 2 0-9 model shard.0 shard.1 shard.2 > out 2>&1
    same 'stopped and started again' model wanted
    check 'what was done is not done again' "$(grep -c . calls)" 5
    rm calls
    mkdir other
    "$cluster/arow_rounds.sh" 0-9 twice shard.0 other/shard.0 > out 2>&1
    check 'two shards of one name' "$? $(sed 's/.*: //' out)" '2 two shards are named shard.0'
else
    echo 'skip GNU parallel is not installed'
fi

# ---- Slurm ----

for tool in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v $tool > /dev/null && continue
    echo "skip Slurm is not installed (Debian: slurm-wlm, munge): no $tool"
    echo 'ok skipped'
    exit
done
PATH=$PATH:/usr/sbin
host=$(hostname -s) port=$((20000 + $$ % 10000 * 2))
mkdir state spool
head -c 1024 /dev/urandom > key
chmod 400 key
cat > slurm.conf << end
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$PWD/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=4
PartitionName=all Nodes=ALL Default=YES
end
export SLURM_CONF=$PWD/slurm.conf
stop_daemons() {
    for daemon in slurmd slurmctld munged; do
        [ -s $daemon.pid ] || continue
        pid=$(cat $daemon.pid) n=0
        kill "$pid"
        while kill -0 "$pid" && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done 2> /dev/null
    done
}
trap stop_daemons EXIT
{
    munged --force --socket="$PWD/munge.socket" --key-file="$PWD/key" --pid-file="$PWD/munged.pid" \
        --log-file="$PWD/munged.log" --seed-file="$PWD/seed" && slurmctld -c && slurmd
} > daemons 2>&1
n=0
until [ "$(sinfo -h -o %T 2> /dev/null)" = idle ] || [ $n -gt 50 ]; do sleep 0.1; n=$((n + 1)); done
if [ $n -gt 50 ]; then
    echo "skip Slurm's daemons do not run here: $(cat daemons slurmctld.log slurmd.log | tail -n 1)"
    echo 'ok skipped'
    exit
fi
# submit OPTION... SCRIPT WORD...: and wait for all of it, as sbatch --wait, which asks less often.
submit() {
    id=$(sbatch --parsable "$@" 2> submitted) || return
    until scontrol -o show job "$id" > submitted &&
        ! grep -q -E "JobState=(PENDING|RUNNING|COMPLETING)" submitted; do
        sleep 0.1
    done
    ! grep -v -q ' ExitCode=0:0 ' submitted
}

# A grid as an array: the first time one of its cells is killed, and its task with it.
head -n 200 "$top/data/letter.train" > data
"$top/examples/grid.sh" -j 1 -v 2 -o serial arow-train -r .1,1,10 -s arow,pa1 -- data > wanted
rm calls
echo '-r 10 -s arow' > victim
submit --array=1-3 "$cluster/grid.sbatch" -v 2 -o table arow-train -r .1,1,10 -s arow,pa1 -- data
check 'a task of an array is killed' "$? $(cat table.? | grep -c '^[0-9]')" '1 5'
submit --array=1-3 "$cluster/grid.sbatch" -v 2 -o table arow-train -r .1,1,10 -s arow,pa1 -- data
verdict 'the array again' $? "$(cat submitted slurm-*)"
rm table.2 # as if one of the machines were lost
"$top/examples/grid.sh" -j 1 -v 2 -o table arow-train -r .1,1,10 -s arow,pa1 -- data > merged
same 'merged, and what was lost tried again' merged wanted
check 'nothing else is tried twice' "$(grep -c . calls)" 9

# musvm-train -C, a job for each gamma.
"${BIN}musvm-train" -q -C cv -v 2 --grid-c 1,10 --grid-g .1,1 -j all data m
submit --array=1-2 "$cluster/select.sbatch" .1,1 results -q -C cv -v 2 --grid-c 1,10 data
awk 'FNR > 1 || NR == 1' results.? | cut -f 1-7 | sort > merged
cut -f 1-7 all | sort > wanted
same 'tables of musvm-train -C' merged wanted
: > calls
SLURM_ARRAY_TASK_ID=1 "$cluster/select.sbatch" .1,1 results -q -C cv -v 2 --grid-c 1,10 data
check 'what is there is not made again' "$? $(grep -c . calls)" '0 0'

if command -v mpirun > /dev/null && command -v forward-train-mpi > /dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    export ASAN_OPTIONS=detect_leaks=0
    forward-train -q -c identity --lambda 1e-3 data one
    submit -n 3 "$cluster/mpi.sbatch" forward-train-mpi -q -c identity --lambda 1e-3 data model
    same 'MPI under Slurm' model one
fi
