#!/bin/sh
# Question propagation on small kernels: how many loads warps execute, and the same results under four mechanisms.
gsim=${GSIM:-./gsim} opt=${GSIM_OPT:-./gsim-opt}
src=${srcdir:-.}/tests/passes/queries
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

loads() { # file, pass: warp-level loads from global memory
	"$gsim" -q --functional -m ipdom -p "$2,copy-prop,dce" --stats "$tmp/run.json" "$src/$1" || bad=1
	sed -n '/"total"/,$ s/.*"global_loads": \([0-9]*\).*/\1/p' "$tmp/run.json" | head -n 1
}
same() { # file, pipelines
	file=$1
	shift
	for pass in "$@"; do
		"$gsim" -q --grid --functional --verify -m ipdom -m its -m tf_stack -m exec_mask -p "$pass,copy-prop,dce" "$src/$file" || bad=1
	done
}
expect() { # file, pass, loads
	n=$(loads "$1" "$2")
	[ "$n" = "$3" ] || { echo "$1: $2: $n loads, expected $3"; bad=1; }
}

# Figures 4.11 and 4.13 of the thesis, 64 turns: 2 loads in a turn, 1 with ssrqp and one before the loop. The thesis' SRQP puts A[i + 1] into nodes 3 and 6, and has 3: it
# takes the A[i] of node 8 for an anticipation of A[i + 1]. A thread that leaves the loop then loads what it never did, and warps load more often, so srqp leaves it.
expect figure.ir dce 128
expect figure.ir srqp 128
expect figure.ir esrqp 128
expect figure.ir ssrqp 128
expect figure.ir 'ssrqp(nonfaulting=1)' 65
"$opt" --remarks -p ssrqp "$src/figure.ir" 2>&1 | grep -q 'figure.ir:23:5: remark: ssrqp: figure: ld of N5 stays: at the divergent branch of N2 it may fault' ||
	{ echo "figure.ir: not said why the load of N5 stays"; bad=1; }
same figure.ir srqp esrqp 'ssrqp(nonfaulting=1)' 'ssrqp(nonfaulting=1,check=1)' 'ssrqp-s(nonfaulting=1,check=1)'
exit $bad
