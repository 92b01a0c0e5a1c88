#!/bin/sh
# Stalls for memory by level: a chain of loads waits for the level that its footprint fits in, of atomic operations for these; levels
# add up to `memory` (in the workload, and by --laws), under each mechanism and with each length of windows.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
status=0
fail() { echo "FAILED: $1"; status=1; }

# waits LEVELS OPTIONS...: the second launch of the chain waits for exactly these levels, beside constants for its parameters
waits() {
	want=$1; shift
	out=$("$gsim" -q --laws -c volta.lua "$@") || fail "$*"
	got=$(echo "$out" | awk '$1 != "constant" && $2 > 0 { printf "%s ", $1 }')
	[ "$got" = "$want " ] || fail "$*: waits for $got, not for $want"
}
chase=$srcdir/tests/sim/sm/levels/chase.ptx
for model in ipdom its dwf dws mimd; do
	waits "l1 l2" -m $model "$chase" -- chase 8192
	waits "l2" -m $model --window 1 "$chase" -- chase 131072
done
# an L2 of less than the footprint, and one of more
waits "dram" -D l2.bytes=196608 "$chase" -- chase 393216
waits "l2" -D l2.bytes=786432 "$chase" -- chase 393216
waits "l2" -D l1.global=false "$chase" -- chase 8192
waits "atomic" "$chase" -- add_chain 8192

# the part that fits in L1 is waited for once a launch: more turns wait for L1 alone
once=$("$gsim" -q -c volta.lua "$chase" -- chase 8192 | awk '$1 == "l2" { print $2 }')
many=$("$gsim" -q -c volta.lua "$chase" -- chase 8192 9 | awk '$1 == "l2" { print $2 }')
[ "$once" = "$many" ] || fail "more turns wait longer for L2: $once, $many"
exit $status
