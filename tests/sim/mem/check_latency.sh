#!/bin/sh
# A kernel does not end sooner because a latency is longer: each latency of the memory system in growing steps, on whole runs. A
# step may take 3 % off: what arrives in another order finds other rows open and other lines in the caches.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# cycles KEY VALUE MODULE OPTION...
cycles() {
	set_key=$1=$2 module=$3
	shift 3
	$gsim -q -s - "$@" -D "$set_key" "$srcdir/kernels/$module" | tr ',{' '\n\n' | sed -n 's/.*"cycles": *\([0-9]*\).*/\1/p' | head -n 1
}

# sweep MODULE OPTION...
sweep() {
	module=$1
	shift
	for key in l1.latency interconnect.latency l2.latency dram.latency; do
		before=0
		for latency in 20 40 60 100; do
			now=$(cycles $key $latency "$module" "$@")
			[ -n "$now" ] || { echo "FAILED: $module $* does not run with $key = $latency"; failed=1; break; }
			[ $((now * 100)) -ge $((before * 97)) ] || {
				echo "FAILED: $module $*: $before cycles, $now with $key = $latency"
				failed=1
			}
			before=$now
		done
	done
}

sweep spmv/spmv.ptx -c volta.lua
sweep transpose/transpose.ptx -c kepler.lua
# The load/store unit is the bottleneck of this one: fewer blocks and turns than the benchmark has, on as many SMs as blocks.
sed 's/^local n, steps = .*/local n, steps = 4096, 16/' "$srcdir/kernels/bench/scattered.lua" >"$tmp/scattered.lua"
sweep bench/scattered.ptx -c volta.lua -D sm.count=16 -w "$tmp/scattered.lua"
sweep bench/scattered.ptx -c kepler.lua -D scheduler.policy=lrr -w "$tmp/scattered.lua"
exit $failed
