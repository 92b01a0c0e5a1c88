#!/bin/sh
# Every kernel of kernels/ with its workload's checks: on the reference interpreter, under each mechanism, timed under one half of them
# and not under the other, the next kernel the other way round (all: both under each), and before and after the passes. A launch that a
# machine says it cannot run is reported, but is no failure. usage: check_kernels.sh [all]
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
. "$top/tests/part.sh"
cd "$top" || exit 2
all=$1
runs=0 failed=0 refused=0 number=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() { # options module
	runs=$((runs + 1))
	gsim -q --config kepler.lua $1 "$2" >"$log" 2>&1 && return
	if grep -q 'not supported' "$log"; then
		refused=$((refused + 1))
		echo "refused: $1 $2: $(head -n 1 "$log")"
		return
	fi
	failed=$((failed + 1))
	echo "FAILED: gsim --config kepler.lua $1 $2"
	head -n 5 "$log"
}

# every second mechanism, from the first ($1 = 1) or the second one on; with `all`, every one
half() {
	gsim --list models | sed -n 's/^\([a-z_][a-z_]*\) .*/\1/p' | awk -v first="$1" -v all="$all" 'all || NR % 2 == first % 2 { printf "-m %s ", $0 }'
}
odd=$(half 1) even=$(half 2)

for module in kernels/*/*.ptx kernels/short_circuit/*.ir kernels/calculator/*.ir kernels/k_way/*.ir kernels/loop_exits/*.ir \
	kernels/continue_loop/*.ir kernels/regroup/*.ir kernels/two_chases/*.ir kernels/two_streams/*.ir; do
	number=$((number + 1))
	in_part || continue
	case $module in
	kernels/bench/*) # long: not under every mechanism
		run "--functional --laws -m tf_stack" "$module"
		run "--laws -m token" "$module"
		continue
		;;
	esac
	if [ $((number % 2)) = 1 ]; then timed=$odd untimed=$even; else timed=$even untimed=$odd; fi
	case $module in # without reconvergence the lanes that spin run first, and for ever
	*/spin_lock.ptx) timed=$(echo "$timed" | sed 's/-m serial //') untimed=$(echo "$untimed" | sed 's/-m serial //') ;;
	esac
	for options in --reference "--grid --functional --laws -D limits.max_cycles=20000000 $untimed" "--grid --laws $timed" \
		"--functional -b -p linearize,simplify-cfg,dce"; do
		run "$options" "$module"
	done
done
for module in kernels/linearization/*.ir kernels/melding/*.ir; do # a workload for the whole folder
	in_part || continue
	for options in --reference "--grid --functional --laws" "-b -m ipdom -p linearize,simplify-cfg,dce"; do
		run "$options -w ${module%/*}/*.lua" "$module"
	done
done
echo "$runs runs, $failed failed, $refused refused"
[ "$runs" -gt $((300 / ${part_count:-1})) ] && [ "$failed" = 0 ]
