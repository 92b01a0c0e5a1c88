#!/bin/sh
# A few seconds of differential testing, however many mechanisms there are; tools/differential is the long run. Kernels that
# fail are left in the build folder.
set -e
./differential --count 10000 --runs "${DIFFERENTIAL_RUNS:-3000}" --seed 1 --functional --minimize
./differential --count 10000 --runs "${DIFFERENTIAL_TIMED:-600}" --seed 100001 --timed --minimize
# two of PTX's warps in one of the machine's
for how in functional timed; do
	./differential --count 30 --seed 5001 --$how --passes none --set warp_size=64 --set sm.max_threads_per_block=256 --set sm.registers=65536
done
# warp-level operations at which lanes meet in several places
./differential --apart --count 60 --seed 3001 --functional --passes none --minimize
./differential --apart --count 12 --seed 3101 --timed --passes none --minimize
./differential --apart --count 12 --seed 3201 --functional --passes none --set warp_size=64 --set sm.max_threads_per_block=256 --set sm.registers=65536
# lanes at a point for which others wait at a warp-level operation, while the rest of the warp waits at a
# barrier
./differential --apart --count 1 --seed 312465 --registers 12 --timed --passes none --model dws
# random pipelines of passes under every mechanism; check_pipelines has many more of them on the interpreter
./differential --count 4 --seed 9001 --pipelines 4 --passes none --functional
# branches to ends as they are; then barriers behind early ends are not for every mechanism
./differential --count 30 --seed 7001 --functional --passes none -D divergence.guarded_exits=false --without exit
# a warp of tf_sandy that walks without lanes through a block, and falls from there to where lanes wait
./differential --count 1 --seed 321673 --functional --passes none --model 'tf_sandy(priority=source)'
# kernels whose threads wait for each other: passes at their defaults keep those ending that end, and some of
# the kernels do
./differential --spins --count 60 --seed 101 --functional --models ipdom,token >differential.out || { cat differential.out; exit 1; }
awk '/^(ipdom|token) / { few += $2 < 60 } END { exit few }' differential.out || { echo "few of the kernels that wait end"; cat differential.out; exit 1; }
# no computation is taken for a livelock, however soon one is looked for
./differential --count 15 --seed 6001 --functional --passes none -D limits.progress_cycles=100
# locks with one exit and two end under its without a timer: loops that wait yield, points stand behind locks
./differential --spins --count 24 --seed 150 --functional --passes none -m 'its(policy=volta_lifo)' -m 'its(policy=hanoi)' >differential.out
grep -q '^0 times a kernel does not end under a mechanism as it is, 0 times it is not known' differential.out || { cat differential.out; exit 1; }
# a ticket lock that ends under sbi by chance, as it does not with idle instructions strewn in either; one
# that ends behind the pass with some; and lanes that part under serial for good
./differential --spins --count 1 --seed 5217 --functional --model sbi --passes 'flatten(rule=always)' | grep -q ' 1 times it does by chance'
./differential --spins --count 1 --seed 302061 --functional --model sbi --passes if-convert | grep -q ' 1 times it does by chance'
./differential --spins --count 1 --seed 41223 --functional --model serial --passes structurize,if-convert | grep -q ' 1 times it does by chance'
# threads that end in arms in front of barriers: ipdom refuses some of them
./differential --ends --count 60 --seed 1 --functional --passes none >differential.out || { cat differential.out; exit 1; }
awk '/^[a-z_]* +[0-9]+ +[0-9]+ +0 / { told += $3 > 0; if ($1 == "ipdom") own = $3 } END { exit told != 1 || own < 3 }' differential.out ||
	{ echo "not ipdom alone refuses some kernels"; cat differential.out; exit 1; }
# linearization behind register allocation, under every mechanism
./differential --count 12 --seed 11001 --passes none --functional -D divergence.linearize=true --without call,recursion,indirect,predicate
# what is measured does not depend on windows, whatever the options of mechanisms
./differential --windows --count 15 --seed 1
# and generic accesses whose lanes lie in several spaces
./differential --windows --count 6 --seed 256
# why a warp waits that is not looked at in the cycle behind its issue, for others go first
./differential --windows --count 1 --seed 42153 --models min_sp_pc
# a group that a branch sends to where another one waits for an instruction, and which goes on with it
./differential --windows --count 1 --seed 321134 --models its
# lanes whose data are known to come before, and others of which it is told at the end of a window
./differential --windows --count 1 --seed 42495 --models mimd
# a chain of loads: lanes join a split of dws that has been tried in vain, just before its first data come
./differential --windows --count 1 --seed 1945 --models dws
# a warp of swi that issues as the partner of another one before it has been looked at
./differential --windows --count 1 --seed 50066 --models swi
# lanes at a predicted point and in a barrier that wait for each other
./differential --windows --count 1 --seed 4148 --models spec_reconv
# every failure of the command line is a message and exit status 2
for bad in "--count x" "--models ipdom,nothing" "--model tf_stack(nothing=1)" "--model tf_stack(" "--passes nosuchpass" "--pipelines x" \
	"--without magic" "--set a=1" "--size 0" "--shard 4/3" "--shard 1" "--runs 0" "--registers 7" "--registers x" "extra" "--nonsense"; do
	status=0
	# shellcheck disable=SC2086
	./differential $bad >differential.out 2>&1 || status=$?
	[ "$status" = 2 ] && [ -s differential.out ] || { echo "differential $bad: status $status"; cat differential.out; exit 1; }
done
for bad in "--count x" "--only nothing" "extra" "--nonsense" "--seed -1"; do
	status=0
	# shellcheck disable=SC2086
	./properties $bad >differential.out 2>&1 || status=$?
	[ "$status" = 2 ] && [ -s differential.out ] || { echo "properties $bad: status $status"; cat differential.out; exit 1; }
done
./properties --count 10 --seed 20001 | grep -q '^10 kernels, .* 0 failed$'
# a campaign deals its kernels to the classes, to the last one
GSIM_BUILD=$PWD "$(dirname "$0")/../../tools/campaign" 7 40001 >differential.out || { cat differential.out; exit 1; }
awk '/ kernels, 0 failed$/ { n += $(NF - 3) } END { exit n != 7 + 7 }' differential.out || { echo "a campaign of 7 kernels:"; cat differential.out; exit 1; }
# three shards are the whole
for shard in 1/3 2/3 3/3; do
	./differential --shard $shard --count 10 --functional --models ipdom --passes none
done | awk '/ passed,/ { n += $1 } END { exit n != 10 }'
# parameters reach the mechanism: bad priorities bring lanes apart that a kernel needs together, which is a
# failure
status=0
./differential --model 'tf_stack(priority=source)' --count 120 --functional --passes none >differential.out || status=$?
[ "$status" = 1 ] && grep -q '^seed [0-9]*: tf_stack(priority=source), functional: .*part of' differential.out
rm -f random-*-tf_stack_priority_source_.ir
# a kernel printed with --print is a module that reads back
./differential --print --seed 7 | grep -q '^host main()'
rm -f differential.out
