#!/bin/sh
# Every kernel of kernels/ with its workload's checks: on the reference interpreter, under each mechanism, timed (every second kernel
# also not), and before and after the passes. A launch that a machine says it cannot run is reported, but is no failure.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
. "$top/tests/part.sh"
cd "$top" || exit 2
runs=0 failed=0 refused=0 number=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() { # options module
	in_part || return 0
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

but_serial=$(gsim --list models | sed -n 's/^\([a-z_][a-z_]*\) .*/-m \1/p' | grep -v serial | tr '\n' ' ')
for module in kernels/*/*.ptx kernels/short_circuit/*.ir kernels/calculator/*.ir kernels/k_way/*.ir kernels/loop_exits/*.ir \
	kernels/continue_loop/*.ir kernels/regroup/*.ir kernels/two_chases/*.ir kernels/two_streams/*.ir; do
	case $module in
	kernels/bench/*) # long: not under every mechanism
		run "--functional --laws -m tf_stack" "$module"
		run "--laws -m token" "$module"
		continue
		;;
	esac
	number=$((number + 1))
	for options in --reference "--grid --functional --laws -D limits.max_cycles=20000000" "--grid --laws" \
		"--functional -b -p linearize,simplify-cfg,dce"; do
		case $((number % 2))$options in "1--grid --functional"*) continue ;; esac
		case $module$options in # without reconvergence the lanes that spin run first, and for ever
		*/spin_lock.ptx--grid*) options="$options $but_serial" ;;
		esac
		run "$options" "$module"
	done
done
for module in kernels/linearization/*.ir kernels/melding/*.ir; do # a workload for the whole folder
	for options in --reference "--grid --functional --laws" "-b -m ipdom -p linearize,simplify-cfg,dce"; do
		run "$options -w ${module%/*}/*.lua" "$module"
	done
done
echo "$runs runs, $failed failed, $refused refused"
[ "$runs" -gt $((300 / ${part_count:-1})) ] && [ "$failed" = 0 ]
