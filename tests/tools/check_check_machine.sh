#!/bin/sh
# gsim --check-machine: what is raised in the machine is measured, published figures are those of the machine or of the one from which it
# derives, and what cannot be measured says why.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
gsim=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)/gsim
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-check-machine.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}
expect() {
	want=$1 text=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" out err || fail "$*: no '$text'"
}
measured() { # FIGURE [OPTION...]: what it comes to on mine.lua
	figure=$1
	shift
	"$gsim" -q -c mine.lua "$@" "--check-machine=$figure" -s one.csv 2>err || fail "$figure $* is not measured"
	cut -d, -f1,6 one.csv | sed -n "s|^$figure,||p" | head -n 1
}
cat >mine.lua <<'END'
return derive("volta.lua", { sm = { count = 2 }, l2 = { slices = 4 }, dram = { channels = 2 } })
END

# KEY BY FIGURE TIMES: a parameter that is raised makes its figure as much larger, so many times
while read -r key by times figure; do
	a=$(measured "$figure")
	was=$(sed -n "s|^$figure,[^ ]*[, ]\([a-z0-9_.]*=[0-9]* \)*$key=\([0-9]*\).*|\2|p" one.csv | head -n 1)
	[ -n "$was" ] || { fail "$figure does not hang on $key"; continue; }
	b=$(measured "$figure" -D "$key=$((was + by))")
	awk -v "a=$a" -v "b=$b" -v "d=$((by * times))" 'BEGIN { exit !(a > 0 && b - a >= d - 0.5 && b - a <= d + 0.5) }' ||
		fail "$key raised by $by: $figure from $a to $b"
done <<END
units.alu.latency 10 1 latency/add.u32
units.shift.latency 7 1 latency/shl.b32
units.imul.fma_latency 3 1 latency/mad.lo.u32
units.sfu.latency 10 1 latency/ex2.approx.f32
units.cvt.latency 5 2 latency/cvt.f32.u32+cvt.u32.f32
units.compare.guard_latency 4 1 predicate/to guard
shared.latency 10 1 latency/ld.shared (1 ways)
shared.conflict_cycles 1 31 latency/ld.shared (32 ways)
l1.latency 11 1 latency/ld.global L1
interconnect.latency 10 2 latency/ld.global L2
l2.latency 10 1 latency/ld.global L2
dram.latency 50 1 latency/ld.global DRAM
dram.row_miss 20 1 latency/ld.global DRAM
barrier.latency 9 1 barrier/bar.sync (8 warps)
fence.gpu_cycles 100 1 fence/membar.gl (nothing outstanding)
END
# KEY VALUE VALUE FIGURE: half the value gives half of the figure, or a tenth beside it
while read -r key from to figure; do
	a=$(measured "$figure" -D "$key=$from") b=$(measured "$figure" -D "$key=$to")
	awk -v "a=$a" -v "b=$b" 'BEGIN { exit !(a > 0 && b / a > 0.45 && b / a < 0.55) }' || fail "$key=$from, $to: $figure is $a, $b"
done <<END
units.fp32.interval 2 4 rate/fma.f32
dram.bytes_per_cycle 16 8 bandwidth/DRAM
END

# Latencies are those of one warp, however many lanes it has; rates are those of warps of the machine.
alone() { # LANES: figures of a machine that differs in these alone
	"$gsim" -q --check-machine=latency/add,latency/shfl,latency/vote,latency/ld.shared,predicate,loop,barrier/bar.sync,rate/add.u32 \
		-c mine.lua -D "warp_size=$1" -D "sm.max_threads_per_block=$(($1 < 16 ? 64 * $1 : 1024))" -s "lanes$1.csv" 2>err || fail "warps of $1 lanes"
	grep -e '^latency/[^(]*,' -e '^loop' -e '^predicate' -e '(1 ways' "lanes$1.csv" | cut -d, -f1,6 >"lanes$1"
}
alone 32
[ "$(wc -l <lanes32)" -ge 7 ] || fail "few latencies: $(cat lanes32)"
for lanes in 4 16 64; do
	alone $lanes
	cmp -s lanes32 lanes$lanes || fail "other latencies with warps of $lanes lanes: $(diff lanes32 lanes$lanes)"
done
for lanes in 16 32; do
	awk -F, '/^barrier.bar.sync|^rate/ { n++; if ($6 - $5 > 1 || $5 - $6 > 1) exit 1 } END { exit n < 6 }' lanes$lanes.csv ||
		fail "barriers and rates of warps of $lanes lanes: $(cat lanes$lanes.csv)"
done

# What is asked of a bandwidth is a bound of what is measured.
for sms in 1 4 80; do
	"$gsim" -q --check-machine=bandwidth/DRAM -c volta.lua -D "sm.count=$sms" -s bound.csv 2>err || fail "bandwidths of $sms SMs"
	awk -F, 'NR > 1 && $5 != "" && $6 > 0 && $6 <= $5 { n++ } END { exit n != 1 }' bound.csv || fail "$sms SMs: $(cat bound.csv)"
done

# all figures; processes change nothing; all forms say the same
all="latency,predicate,barrier,rate/add.u32,bandwidth/shared"
expect 0 "figures measured" "$gsim" --check-machine=$all -c volta.lua -D sm.count=1 -s a.csv -s a.json -s a.txt
cmp out a.txt || fail "the text is not that of the file"
cp a.csv one.csv
cp a.json one.json
grep -c '"status": "measured"' one.json >n
read -r n <n
[ "$n" -ge 40 ] && grep -q "^$n of $n figures measured" out || fail "not all figures are measured"
expect 0 "" "$gsim" -q --check-machine=$all -c volta.lua -D sm.count=1 -j 3 -s a.csv -s a.json
cmp a.csv one.csv && cmp a.json one.json || fail "with 3 processes, the report is another"
# a published figure stands as it is in doc/measured/published.csv, with the ratio
grep -q '^latency/ld.shared (1 ways),cycles,measured,shared.latency=27,27,27,19,S,1.4211,V100,' a.csv || fail "Jia's figure is not there"
grep -q '^rate/add.u32,.*,64,64,64,S,1,compute capability 7.0,"CUDA C++ Programming Guide, ' a.csv || fail "the guide's rate is not there"
awk -F, '$1 == "volta" && $3 ~ /^(latency|predicate|barrier)/ { print $3 }' "$srcdir/doc/measured/published.csv" | sort -u >want
sed 1d a.csv | awk -F, '$7 != "" { print $1 }' | sort -u >have
[ -s want ] && [ -z "$(comm -23 want have)" ] || fail "published figures are missing: $(comm -23 want have)"

# what stands beside a user's own machine
expect 0 "^published rates: the CUDA guide's for compute capability 7.0, that of volta$" "$gsim" --check-machine=latency/add.u32 -c mine.lua
grep -q '^published figures: those of volta$' out || fail "no published figures of volta"
echo 'return { units = { alu = { latency = 3 } } }' >alone.lua
expect 0 "^published figures: none$" "$gsim" --check-machine=latency/add.u32 -c alone.lua
grep -q '^latency/add.u32  *units.alu.latency  *3  *3  *3$' out || fail "a machine without published figures"
expect 0 "^machine: gsim's defaults$" "$gsim" --no-user-config --check-machine=latency/add.u32

# the guide is NVIDIA's, also where a machine file has its table alone, or only speaks of it
cat >apart.lua <<'END'
-- unlike rates.machine("8.0", ...)
--[==[ nor rates.machine("7.5") ]==]
local rates = include("tables/rates.lua")
assert(rates.of("8.0", "alu") == 64)
return { units = { alu = { latency = 3 } } }
END
for machine in apart vega20 sandy rdna2 teaching; do
	expect 0 "" "$gsim" --check-machine=rate/shl.b32 -c $machine.lua -s own.csv
	grep -q -e CUDA -e capability out own.csv && fail "$machine.lua has rates of the CUDA guide"
done
for machine in volta kepler teaching; do
	"$gsim" -q --check-machine=latency/vote.ballot,latency/redux.min -c $machine.lua -s own.csv 2>err || fail "votes of $machine.lua"
	awk -F, 'NR > 1 && $5 == $6 { n++ } END { exit n != 2 }' own.csv || fail "$machine.lua: $(cat own.csv)"
done

# what cannot be measured says why, and the rest is measured
expect 0 "not measured: the machine has no L1 (l1.bytes = 0)" "$gsim" --check-machine=l1,latency/add.u32 -c mine.lua -D l1.bytes=0 -s a.csv
grep -q '^latency/ld.global L1,cycles,not measured,' a.csv && grep -q '^latency/add.u32,cycles,measured,' a.csv || fail "no L1: $(cat a.csv)"
expect 0 "not measured: a block of 128 x 1 x 1 threads is larger than sm.max_threads_per_block = 64" "$gsim" --check-machine -c teaching.lua -s t.csv
grep -q '^latency/ld.global L2,cycles,measured,' t.csv || fail "teaching.lua: the latency of L2 is not measured"
expect 0 "not measured: it counts warps of at most 32 threads (warp_size = 64)" "$gsim" --check-machine=barrier,latency/add.u32 -c vega20.lua
expect 0 "not measured: barriers count any number of threads" "$gsim" --check-machine=barrier/threads -c mine.lua -D barrier.threads_per_cycle=0
# a kernel that does not end well is no lack of the machine, whatever else is measured
expect 1 "^failed: .*limits.max_cycles" "$gsim" --check-machine=latency/add.u32 -c mine.lua -D limits.max_cycles=10 -s f.csv
grep -q '^latency/add.u32,cycles,failed,' f.csv || fail "a failed run: $(cat f.csv)"
expect 1 "^failed: .*limits.max_cycles" "$gsim" --check-machine=latency/add.u32,latency/div.rn.f64 -c mine.lua -D limits.max_cycles=9000
grep -q '^1 of 2 figures measured$' out || fail "the shorter of two kernels is not measured"

# nothing is asked of what does not exist
awk -F, '/^latency.ld.global L1,|^bandwidth.L1,|^latency.ld.shared .32 ways/ { n++; if ($4 $5 != "") exit 1 } END { exit n != 3 }' t.csv ||
	fail "teaching.lua has parameters of what it does not have: $(cat t.csv)"

# an interrupt leaves what was measured, and ends the program by its signal
for j in 1 2; do
	"$gsim" --check-machine -c volta.lua -j $j >out 2>err &
	pid=$!
	sleep 0.3
	kill -TERM $pid 2>/dev/null
	wait $pid
	got=$?
	[ $got = 143 ] && grep -q "^[0-9]* of [0-9]* figures measured; interrupted before [0-9]*" out ||
		{ [ $got = 0 ] && grep -q "figures measured$" out; } || fail "-j $j: SIGTERM ends with $got"
done

# what is wrong
expect 2 "error: --check-machine=: expected figures" "$gsim" --check-machine= -c volta.lua
expect 2 "error: --sensitivity=: expected parameters" "$gsim" --sensitivity= -c volta.lua "$srcdir/kernels/short_circuit/short_circuit.ir"
expect 2 "there is no figure, parameter or group 'dram.latenci'; did you mean 'dram.latency'" "$gsim" --check-machine=dram.latenci -c volta.lua
expect 2 "nothing measures 'sm.registers'" "$gsim" --check-machine=latency,sm.registers -c volta.lua
expect 2 "there is no figure, parameter or group ''" "$gsim" --check-machine=latency,,rate -c volta.lua
expect 2 "expected no MODULE" "$gsim" --check-machine -c volta.lua kernel.ptx
expect 2 "goes with --config" "$gsim" --check-machine -c volta.lua -p dce
expect 2 "measures time" "$gsim" --check-machine -c volta.lua --functional
expect 2 "one machine" "$gsim" --check-machine -c volta.lua -m ipdom -m its
expect 2 "nowhere.lua" "$gsim" --check-machine -c nowhere.lua
expect 2 "tables and pictures" "$gsim" --check-machine -c volta.lua -s a.svg
expect 2 "nodir" "$gsim" --check-machine -c volta.lua -s nodir/a.json
[ $failed = 0 ] && echo "gsim --check-machine: all as expected"
exit $failed
