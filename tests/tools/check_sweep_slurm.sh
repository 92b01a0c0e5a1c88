#!/bin/sh
# gsim-sweep --slurm against a real Slurm on this computer: the table is that of a local run, though tasks are killed.
# Skipped where Slurm is not installed.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
sweep=$(cd "$(dirname "${GSIM_SWEEP:-./gsim-sweep}")" && pwd)/gsim-sweep
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gsim-slurm.XXXXXX") || exit 1
cluster=$srcdir/tests/tools/slurm_cluster
trap '"$cluster" stop "$tmp/cluster"; sleep 0.5; rm -rf "$tmp"' EXIT
SLURM_TEST_ARRAY=4 "$cluster" start "$tmp/cluster"
case $? in 0) ;; 77) exit 77 ;; *) tail -n 20 "$tmp"/cluster/*log; exit 1 ;; esac
SLURM_CONF=$tmp/cluster/slurm.conf
export SLURM_CONF
mkdir "$tmp/work" && cd "$tmp/work" || exit 1
cp "$srcdir"/kernels/short_circuit/short_circuit.* . && cp "$srcdir"/tests/tools/front/loop.* .. && chmod u+w ./* ../loop.*
failed=0
fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}
points="-c teaching.lua -m ipdom,its,token -D dram.latency=100:290:10 short_circuit.ir ../loop.ir"
$sweep -q -o here $points >out 2>err || fail "the local run"

# tasks are killed as soon as some have records; ten shards are three arrays, since MaxArraySize is 4
(
	until [ "$(cat there/*.jsonl 2>/dev/null | wc -l)" -ge 5 ]; do sleep 0.05; done
	pkill -KILL -f "gsim-sweep --shard [27]/10"
	job=$(squeue -h -r -o %i | tail -1)
	[ -z "$job" ] || scancel "$job"
) &
$sweep -o there --slurm --tasks 10 $points >out 2>err || fail "--slurm: status $?"
wait
grep -q "^120 points: 120 ok" out || fail "--slurm: not all points are ok"
[ "$(grep -c '^job [0-9]*, tasks in ' err)" -ge 3 ] || fail "10 shards are not 3 arrays of 4 at most"
cmp -s here/results.csv there/results.csv || fail "the tables differ"
[ -x there/slurm-*/gsim-sweep ] && [ -f there/slurm-*/inputs/here/up/loop.ir ] || fail "the program or a module was not copied"

# what changes while the job waits does no harm: a copy is read
$sweep -o later --slurm --no-wait --tasks 2 $points >out 2>err || fail "--no-wait"
rm short_circuit.lua
until [ -z "$(squeue -h)" ]; do sleep 0.1; done
cp "$srcdir"/kernels/short_circuit/short_circuit.lua .
$sweep -o later $points >out 2>err || fail "after --no-wait"
cmp -s here/results.csv later/results.csv || fail "the tables differ after --no-wait"
[ "$(ls later/*.jsonl | wc -l)" = 2 ] || fail "points ran here that tasks should have run"

# so for a plan; what a workload loads is read where it is
mkdir data
printf '12345678' >data/eight.bin
cat >loads.ir <<'END'
kernel nothing() {
A:
  exit
}
END
cat >loads.lua <<'END'
gpu.buffer("u8", 8):load("data/eight.bin")
gpu.buffer("u8", 8):load("eight.bin")
gpu.launch { kernel = "nothing", grid = 1, block = 1 }
END
echo 'return { modules = { "loads.ir" }, mechanisms = { "ipdom", "its" } }' >plan.lua
cp plan.lua same.lua
planned="-c teaching.lua --files data"
$sweep -q -o planned-here $planned --plan same.lua >out 2>err || fail "a plan: the local run"
$sweep -o planned --slurm --no-wait --tasks 2 $planned --plan plan.lua >out 2>err || fail "a plan: --no-wait"
echo 'return {}' >plan.lua
until [ -z "$(squeue -h)" ]; do sleep 0.1; done
$sweep -q -o planned $planned --plan same.lua >out 2>err || fail "a plan: after --no-wait"
cmp -s planned-here/results.csv planned/results.csv || fail "the tables of a plan differ"
[ "$(ls planned/*.jsonl | wc -l)" = 2 ] || fail "points of a plan ran here that tasks should have run"

# kernels by their names, with what they import: the copies are found by these names
named="-c kepler.lua -m ipdom,its spmv host_programs/line_of_sight"
$sweep -q -o named.here --functional $named >out 2>err || fail "kernels by their names, here"
$sweep -q -o named.there --slurm --functional $named >out 2>err || fail "kernels by their names"
cmp -s named.here/results.csv named.there/results.csv || fail "the tables of kernels by their names differ"

# options that sbatch refuses
$sweep -o refused --slurm --sbatch --partition=nowhere $points >out 2>err
[ $? = 2 ] && grep -q "error: sbatch: .*partition" err || fail "a partition that is not there"
[ $failed = 0 ] && echo "gsim-sweep --slurm: all as expected"
exit $failed
