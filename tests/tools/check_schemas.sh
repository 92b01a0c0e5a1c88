#!/bin/sh
# All JSON that the programs write keeps to the schemas in doc/schemas/, and a changed one does not.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=$(pwd)
gsim=$build/gsim
GSIM_PATH=$srcdir/configs
export GSIM_PATH
lua=$(command -v lua5.4 || command -v lua) || { echo "no lua5.4"; exit 77; }
tmp=${TMPDIR:-/tmp}/gsim-schemas.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/kernels/short_circuit/short_circuit.* "$srcdir"/tests/tools/front/loop.* "$tmp"
cd "$tmp" || exit 1
failed=0

# expect STATUS COMMAND...
expect() {
	want=$1
	shift
	"$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || { echo "FAILED: $*: status $got, not $want"; head -n 5 out err; failed=1; }
}
kernels=$srcdir/kernels
set --

# one run: with timing and without, in the reference interpreter, with all there may be in a report
expect 0 "$gsim" -q -c kepler.lua -p linearize --interval 1000 -s r1.json short_circuit.ir
expect 0 "$gsim" -q --functional --annotate=code -p meld --bisect 1 -s r2.json "$kernels/boxes/boxes.ptx"
expect 0 "$gsim" -q --reference -s r3.json short_circuit.ir
expect 0 "$gsim" -q -c teaching.lua -D warp_size=8 --race-launches --race-check -s r4.json short_circuit.ir
expect 0 "$gsim" -q -c turing.lua --sums --size S -s r5.json "$kernels/device_calls/device_calls.ptx"
expect 0 "$gsim" -q -c kepler.lua --functional --source "$kernels" -s r6.json "$kernels/host_programs/line_of_sight.ir"
cat >wait.ir <<'END' # lane 0 never gives the sign under ipdom, since the others wait for it in the loop, which goes first
kernel waits(u64 out)
{
	reg u32 %v, %t
	reg u64 %p
	reg pred %c, %d
A:
	%p = ld.param.u64 [out]
	%t = mov.u32 %tid.x
	%c = setp.eq.u32 %t, 0
	bra %c, G, L
G:
	st.volatile.global.u32 [%p], 1
	bra J
L:
	%v = ld.volatile.global.u32 [%p]
	%d = setp.eq.u32 %v, 0
	bra %d, L, J
J:
	exit
}
host main()
{
	reg u64 %o
s:
	%o = alloc.u64 4096
	launch waits, (1, 1, 1), (32, 1, 1), 0, (%o)
	exit
}
END
expect 1 "$gsim" -q -m 'ipdom(push_order=fall_top)' -s r7.json wait.ir
cat >race.ir <<'END'
global u32 last[1]
kernel work()
{
	%l = mov.u64 last
	%b = mov.u32 %ctaid.x
	st.global.u32 [%l], %b
	exit
}
host main()
{
	launch work, 8, 1, 0, ()
	launch work, 8, 1, 0, ()
	exit
}
END
echo 'return { machine = "kepler.lua" }' >own.lua
expect 0 env GSIM_USER_CONFIG=own.lua "$gsim" -q -m dwf -s r8.json short_circuit.ir
expect 1 "$gsim" -q --functional --race-check --race-launches -s r9.json race.ir
for k in 1 2 3 4 5 6 7 8 9; do set -- "$@" report=r$k.json; done

# several runs
expect 0 "$gsim" -q -c kepler.lua -b -p linearize -s both.json short_circuit.ir
expect 0 "$gsim" -q -c kepler.lua -b -m ipdom -m its -s pairs.json short_circuit.ir short_circuit.ir
expect 0 "$gsim" -q --functional --grid -m ipdom -m its -p none -p dce -s grid.json short_circuit.ir
echo 'wrong(' >wrong.lua
expect 2 "$gsim" -q --functional --grid -m ipdom -m its -w wrong.lua -s refused.json short_circuit.ir
expect 0 "$gsim" -q -c kepler.lua --sensitivity=dram.latency -m ipdom -m its -s sides.json short_circuit.ir
expect 0 "$gsim" -q -c turing.lua --check-machine=latency,l1 -D l1.bytes=0 -s checked.json
expect 0 "$gsim" -q --no-user-config --check-machine=rate/add.u32 -s defaults.json
set -- "$@" before-after=both.json comparisons=pairs.json grid=grid.json grid=refused.json sensitivity=sides.json
set -- "$@" check-machine=checked.json check-machine=defaults.json

# records of sweeps, good and bad; comparisons; time lines
expect 1 "$build/gsim-sweep" -q -c kepler.lua -m ipdom -D limits.max_cycles=1000,1000000 -o sweep --json-lines sweep.jsonl short_circuit.ir
expect 0 "$build/gsim-compare" --json r1.json r8.json r1.json
cp out many.json
expect 0 "$gsim" -q -c kepler.lua -t run.trace short_circuit.ir
expect 0 "$build/gsim-trace" --perfetto -o run.perfetto run.trace
set -- "$@" sweep-record=sweep.jsonl:lines many=many.json perfetto=run.perfetto
for records in sweep/results-*.jsonl; do set -- "$@" "sweep-record=$records:lines"; done

"$lua" "$srcdir/tests/tools/check_schemas.lua" "$srcdir" "$@" || failed=1

# a report of a newer gsim is refused
sed '0,/"schema_version": 1/s//"schema_version": 2/' r1.json >newer.json
expect 2 "$build/gsim-compare" r1.json newer.json
grep -q "^newer.json: error: the report is of a newer gsim" err || { echo "FAILED: a newer report"; cat err; failed=1; }

# every schema is installed, and what others say of the documents
for schema in "$srcdir"/doc/schemas/*.json; do
	grep -q "doc/schemas/${schema##*/}" "$srcdir/Makefile.am" || { echo "FAILED: $schema is not installed"; failed=1; }
done
if python3 -c 'import jsonschema' 2>/dev/null; then
	python3 -W ignore "$srcdir/tests/tools/check_schemas.py" "$srcdir/doc/schemas" "$@" || failed=1
fi
exit $failed
