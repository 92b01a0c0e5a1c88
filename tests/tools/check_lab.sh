#!/bin/sh
# labs/01-divergence/check must accept the right answers, refuse wrong ones and miss none.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
export GSIM_BUILD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# Figure 1 by the paper: nine fetches, six without repetition; wrong on purpose: linear_b5 and after.
cat >"$dir/answers" <<'END'
fetches = 9
b5 = 3
b5_lanes = .1..
depth = 4
tf_fetches = 6
tf_block = B5
linear_b5 = 3
after = 12.5 %
END
"$top/labs/01-divergence/check" "$dir/answers" >"$dir/out"
status=$?
expect() { # question verdict
	grep -q "^ *[0-9]*\. $1 .*$2" "$dir/out" || { failed=1; echo "$1: expected '$2':"; grep " $1 " "$dir/out"; }
}
for q in fetches b5 b5_lanes depth tf_fetches tf_block; do expect $q 'right$'; done
for q in linear_b5 after; do expect $q 'not right'; done
for q in together inserted before; do expect $q 'no answer yet'; done
[ "$status" = 1 ] || { failed=1; echo "exit status $status, not 1"; }

# With its own numbers for the rest it must be satisfied.
{
	sed -e 's/^linear_b5.*/linear_b5 = 1/' -e '/^after/d' "$dir/answers"
	export GSIM_PATH="$top/configs"
	fig1=$top/kernels/short_circuit/short_circuit.ir
	"$GSIM_BUILD/gsim" -q --config teaching.lua -m ipdom -t "$dir/trace" "$fig1"
	"$GSIM_BUILD/gsim-trace" --text --warp 0 --events issue "$dir/trace" | sed -n 's/^ *\([0-9]*\) .* B6: .*/together = \1/p' | head -n 1
	"$GSIM_BUILD/gsim" --config teaching.lua -m ipdom -p linearize "$fig1" |
		sed -n -e 's/^inserted by passes \([0-9]*\) .*/inserted = \1/p' -e 's/^SIMD utilisation *\([0-9.]* %\).*/after = \1/p'
	"$GSIM_BUILD/gsim" --config teaching.lua -m ipdom "$fig1" | sed -n 's/^SIMD utilisation *\([0-9.]* %\).*/before = \1/p'
} >"$dir/all"
"$top/labs/01-divergence/check" "$dir/all" >"$dir/out" || { failed=1; echo "right answers are not accepted:"; cat "$dir/all" "$dir/out"; }
exit $failed
