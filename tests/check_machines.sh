#!/bin/sh
# Every machine file: it loads, prints a file that loads to the same, says of each of its numbers where it comes from, and runs
# kernels. volta.lua and later: a load takes as long as their sources measured.
srcdir=${srcdir:-$(dirname "$0")/..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-machines.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "FAILED: $1"
	failed=1
}

for file in "$srcdir"/configs/*.lua; do
	name=${file##*/}
	$gsim --print-config -c "$name" >"$tmp/a.lua" || fail "$name does not load"
	$gsim --print-config -c "$tmp/a.lua" >"$tmp/b.lua" || fail "what $name prints does not load"
	cmp -s "$tmp/a.lua" "$tmp/b.lua" || fail "what $name prints loads to another machine"
	for module in tests/front/loop.ir kernels/warp_reduce/warp_reduce.ptx kernels/device_calls/device_calls.ptx; do
		[ $module = tests/front/loop.ir ] || grep -q 'warp_size = 32,' "$tmp/a.lua" || continue # written for such warps
		$gsim -q --laws --verify -c "$name" "$srcdir/$module" >"$tmp/out" 2>&1 || { fail "$module on $name"; cat "$tmp/out"; }
	done
	# a source in brackets, or an assumption, stands behind each number, or above it; all of teaching.lua is one, as it says
	[ "$name" = teaching.lua ] || awk '/= *-?[0-9]/ && !/\[[A-Z]\]|assumption|see / && last !~ /^\t*--/ { print FILENAME ":" FNR ": " $0; bad = 1 }
		{ last = $0 } END { exit bad }' "$file" || fail "$name has numbers without a source"
done

# latencies MACHINE: of a load from L1, L2, DRAM and shared memory
latencies() {
	add=$($gsim --print-config -c "$1" | awk '/^\t\talu = /, /}/' | sed -n 's/.*latency = \([0-9]*\),.*/\1/p')
	$gsim -q -c "$1" "$srcdir/tests/machines/latency.ir" -- "$add"
}
while read -r machine want; do
	got=$(latencies "$machine")
	[ "$got" = "$want" ] || fail "$machine: L1, L2, DRAM and shared memory take $got cycles, not $want"
done <<END
volta.lua 28 193 375 19
ampere.lua 33 200 290 23
hopper.lua 41 263 479 29
END
exit $failed
