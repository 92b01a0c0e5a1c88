#!/bin/sh
# Kernels on machines of queues with one place and tables with one entry (tests/random/hostile/), and on one with everything at
# its most: the results are those of the reference interpreter, and the conservation laws hold.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
cd "$top" || exit 2
runs=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() { # machine options module
	runs=$((runs + 1))
	gsim -q --verify --laws --config "tests/random/hostile/$1.lua" $2 "$3" >"$log" 2>&1 && return
	failed=$((failed + 1))
	echo "FAILED: gsim --verify --laws --config tests/random/hostile/$1.lua $2 $3"
	head -n 5 "$log"
}

# every mechanism on short kernels of each kind: divergence, calls, indexed branches, atomics, barriers, warp
# operations
for name in short_circuit calculator device_calls dispatch float_max list_insert spin_lock match_count warp_reduce scan; do
	for module in kernels/$name/$name.ir kernels/$name/$name.ptx; do
		[ -f "$module" ] || continue
		for model in ipdom token tf_stack mimd tf_sandy min_pc; do
			run least "-m $model" "$module"
		done
		run most "-m ipdom -D ipdom.push_order=smaller_top" "$module"
	done
done

# what one setting changes
short="kernels/device_calls/device_calls.ptx"
for set in \
	l1.bytes=0 l1.global=false constant.bytes=0 fetch.cache_bytes=0 divergence.depth=0 divergence.spill=constant \
	divergence.chunk=64 scheduler.policy=lrr scheduler.policy=gto scheduler.policy=oldest scheduler.issue_width=2 \
	scheduler.count=8 sm.count=3 l1.queue=2 l1.mshr_merge=2 l2.mshrs=2 shared.banks=32 dram.row_bytes=65536 l1.sector_bytes=32; do
	run least "-D $set" "$short"
	run least "-D $set -j 3" kernels/list_insert/list_insert.ptx
done

# longer kernels, each under one mechanism in turn
set -- ipdom token tf_stack
for name in bfs bitonic_sort compaction convolution histogram quicksort recursion reduction spmv stencil string_search; do
	run least "-m $1" kernels/$name/$name.ptx
	set -- "$2" "$3" "$1"
done

# random kernels; at so many registers none is refused for want of them
dir=$(mktemp -d)
trap 'rm -rf "$log" "$dir"' EXIT
random() { # machine count options
	machine=$1 count=$2
	shift 2
	"$GSIM_BUILD/differential" --config "tests/random/hostile/$machine.lua" --timed --keep "$dir" --count "$count" "$@" >"$log" 2>&1 &&
		grep -q "^$count passed, 0 failed" "$log" && return
	failed=$((failed + 1))
	echo "FAILED: differential --config tests/random/hostile/$machine.lua --timed --count $count $*"
	cat "$log"
}
random least 6 --seed 20001 --set sm.max_registers_per_thread=18
random least 20 --seed 20151 --set sm.max_registers_per_thread=24 --set warp_size=4 --set sm.max_threads_per_block=128
random most 5 --seed 20201
echo "$runs runs, $failed failed"
[ "$runs" -gt 90 ] && [ "$failed" = 0 ]
