#!/bin/sh
# Windows are the host's affair: with windows of one cycle the report (host figures aside) and the trace are those of the longest windows.
# check_window.sh all: every kernel with a workload, every mechanism, every machine.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-window.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$srcdir/tests/part.sh"
failed=0 compared=0

# Windows, each with a number of host threads: the first is what the others are compared with.
ways="1:1 1000000:1"

# compare MODULE OPTION...: on two SMs, unless an option says otherwise
compare() {
	in_part || return 0
	module=$1 first=
	shift
	for way in $ways; do
		"$gsim" -q --alone --source "$srcdir/kernels" --window "${way%:*}" -j "${way#*:}" -D sm.count=2 -t "$tmp/run.trace" -s "$tmp/full.json" "$@" "$module" >"$tmp/run.out" 2>&1
		status=$?
		[ $status -le 1 ] || { echo "FAILED: $module $*: status $status"; head -n 3 "$tmp/run.out"; failed=1; return; }
		grep -v '"host"' "$tmp/full.json" >"$tmp/run.json"
		for what in json trace out; do
			if [ -z "$first" ]; then
				mv "$tmp/run.$what" "$tmp/first.$what"
			elif ! cmp -s "$tmp/first.$what" "$tmp/run.$what"; then
				echo "FAILED: $module $*: another $what with windows of ${way%:*} cycles and ${way#*:} host threads than with ${ways%%:*}"
				diff "$tmp/first.$what" "$tmp/run.$what" | cut -c 1-200 | head -n 4
				failed=1
			fi
		done
		first=$way
	done
	compared=$((compared + 1))
}

some="stencil/stencil.ptx bfs/bfs.ptx reduction/reduction.ptx scan/scan.ptx compaction/compaction.ptx loop_exits/loop_exits.ir k_way/k_way.ir"
if [ "$1" = all ]; then
	for module in "$srcdir"/kernels/*/*.ptx "$srcdir"/kernels/*/*.ir; do
		[ -f "${module%.*}.lua" ] || continue
		for model in $("$gsim" --list models | sed -n 's/^\([a-z_]*\) .*/\1/p'); do
			for machine in "$srcdir"/configs/*.lua; do
				compare "$module" -m "$model" -c "$machine"
			done
		done
	done
else
	turn="token its tf_stack multi_path tbc exec_mask"
	for name in $some; do # under two mechanisms of six in turn, and under the stack on both machines
		for model in ${turn%% *} $(echo "$turn" | cut -d ' ' -f 4); do
			case $model in exec_mask) machine=vega20.lua ;; *) machine=kepler.lua ;; esac
			compare "$srcdir/kernels/$name" -m $model -c $machine
		done
		turn="${turn#* } ${turn%% *}"
		compare "$srcdir/kernels/$name" -m ipdom -c kepler.lua
		compare "$srcdir/kernels/$name" -m ipdom -c volta.lua
	done
	for model in dws its dwf aware; do # on many SMs answers become known at other times than on two
		compare "$srcdir/kernels/two_streams/two_streams.ir" -m $model -c volta.lua -D sm.count=16
	done
	# A split that waits for loaded data is joined by lanes just before its first data come: with these
	# numbers of SMs they often come at a window's end.
	for run in "volta 5" "turing 8" "ampere 3 interconnect.latency=30" "ampere 5"; do
		# shellcheck disable=SC2086
		set -- $run
		compare "$srcdir/kernels/two_streams/two_streams.ir" -m dws -c "$1.lua" -D "sm.count=$2" ${3:+-D "$3"}
	done
	for model in dwf dws sbi dual_path multi_path aware; do
		compare "$srcdir/kernels/calculator/calculator.ir" -m $model -c kepler.lua
		compare "$srcdir/kernels/device_calls/device_calls.ptx" -m $model -c kepler.lua
	done
	for model in dws 'dws(splits=2)' 'its(switch_stall=20)'; do
		compare "$srcdir/kernels/quicksort/quicksort.ptx" -m "$model" -c kepler.lua
		compare "$srcdir/kernels/calculator/calculator.ir" -m "$model" -c kepler.lua
		compare "$srcdir/kernels/two_streams/two_streams.ir" -m "$model" -c volta.lua
	done
	for model in dwf 'its(switch_stall=100)' 'spec_reconv(switch_stall=50)'; do
		compare "$srcdir/kernels/spmv/spmv.ptx" -m "$model" -c volta.lua
	done
	for name in scan/scan.ptx spmv/spmv.ptx calculator/calculator.ir; do
		compare "$srcdir/kernels/$name" -m mimd -c volta.lua
	done
	compare "$srcdir/kernels/spmv/spmv.ptx" -m tbc -c kepler.lua -D scheduler.policy=two_level
	for policy in order=oldest,switch_stall=2 order=min_pc,switch_stall=20 policy=its_fair,switch_stall=20; do
		compare "$srcdir/kernels/calculator/calculator.ir" -m "its($policy)" -c volta.lua
	done
	compare "$srcdir/kernels/short_circuit/short_circuit.ir" -m aware -c kepler.lua
	compare "$srcdir/kernels/transpose/transpose.ptx" -c kepler.lua
	compare "$srcdir/kernels/spmv/spmv.ptx" -c volta.lua
	compare "$srcdir/kernels/stencil/stencil.ptx" -m aware -c fermi.lua
	compare "$srcdir/kernels/spmv/spmv.ptx" -c fermi.lua -D l1.mshrs=8
	compare "$srcdir/kernels/bfs/bfs.ptx" -c maxwell.lua -D limits.max_cycles=100
	for cycles in 1 5 6 50 110 600 1000; do
		before=$compared
		compare "$srcdir/kernels/stencil/stencil.ptx" -c kepler.lua -D limits.max_cycles=$cycles
		[ "$compared" = "$before" ] || [ "$(sed -n 's/^ *"cycles": //p' "$tmp/first.json" | head -n 1)" = "$cycles," ] || { echo "FAILED: limits.max_cycles=$cycles: the launch does not end then"; failed=1; }
	done
fi

# Loads that come to L1 after their grid's end, and before and after another grid beside it begins.
cp "$srcdir/tests/sim/gpu/loads.ir" "$tmp"
cat >"$tmp/loads.lua" <<'END'
local p = gpu.buffer("u32", 32)
gpu.compare(p, { how = "ignore" })
for turns = 1, 60, 6 do
	gpu.launch { kernel = "loads", grid = 1, block = 32, stream = 1, args = { p, turns } }
	gpu.launch { kernel = "ends", grid = 1, block = 32, stream = 2, args = { p } }
end
gpu.sync()
for i = 1, 4 do
	gpu.launch { kernel = i % 2 == 0 and "loads" or "ends", grid = 1, block = 32, args = { p, i % 2 == 0 and 2 or nil } }
end
END
for options in "" "-D fetch.cache_bytes=0" "-D launch.cold=true" "-D sm.count=1" "-D sm.count=1 -D launch.latency_cycles=0 -D l1.mshrs=1"; do
	compare "$tmp/loads.ir" -c volta.lua -D l1.global=true $options
done
# Groups that wait for an entry of a table become one: the group waits for all that they have waited for. One
# that another joins behind a branch is there already, and is not redirected, whether it is known when its own
# entry comes or not.
cp "$srcdir/tests/sim/gpu/join.ir" "$tmp"
cat >"$tmp/join.lua" <<'END'
local out = gpu.buffer("u32", 32)
gpu.launch { kernel = "join", grid = 1, block = 32, args = { out, 20 } }
END
ways="1:1 2:1 16:1 1000000:1"
compare "$tmp/join.ir" -c volta.lua -D sm.count=1 -m 'multi_path(merge=true,rt=1,splits=0)'
ways="1:1 1000000:1"
for options in rt=2,splits=3 rt=1,splits=2 splits=1,swap_cycles=50; do
	compare "$srcdir/kernels/calculator/calculator.ir" -c volta.lua -m "multi_path(merge=true,$options)"
done
# Random kernels, where groups come to wait for several things at once.
for seed in 47361 68607 47301 47302 47303 47304; do
	./differential --print --seed $seed >"$tmp/random.ir"
	for run in "kepler sbi" "kepler aware" "sandy aware(quantum=1)" "ampere dual_path" "volta multi_path" "volta its"; do
		compare "$tmp/random.ir" -c "${run% *}.lua" -m "${run#* }" -D sm.count=2 -D divergence.bar_partial=per_lane
	done
done
# A warp that ends while its load is on its way, to a line of which others have asked before: it keeps its
# slot for as long.
cat >"$tmp/unused.ir" <<'END'
const u32 table[64] = { 1, 2, 3 }
kernel unused()
{
	reg u32 %v, %x
	reg pred %p
enter:
	%x = mov.u32 %tid.x
	%p = setp.ge.u32 %x, 1000
	%v = ld.const.u32 [table]
	bra %p, never, done
never:
	st.global.u32 [0], %v
	bra done
done:
	exit
}
END
echo 'gpu.launch { kernel = "unused", grid = 20, block = 32 }' >"$tmp/unused.lua"
compare "$tmp/unused.ir" -c volta.lua -D sm.count=1 -D sm.max_blocks=2

# What a kernel does last, after a loop, in every lane or in some: a warp has ended when it has, or when the
# access is back, and another block takes its place.
accesses="red|red.global.add.u32 [%mine], 1
reds|red.global.add.u32 [%apart], 1
atom|%v = atom.global.add.u32 [%mine], 1
sink|_ = atom.global.add.u32 [%mine], 1
generic|red.add.u32 [%where], 1
shared|red.shared.add.u32 [word], 1
st|st.global.u32 [%apart], %i
ld|%v = ld.global.u32 [%apart]
two|red.global.add.u32 [%apart], 1; st.global.u32 [%apart + 4], %i; red.global.max.u32 [%mine], %i"
printf '%s\n' "$accesses" | while IFS='|' read -r name last; do
	for some in all lanes; do
		cat >"$tmp/$name-$some.ir" <<END
global u32 sum[65536]
shared u32 word[4]
kernel ends(u32 n)
{
	reg u32 %i, %n, %x, %v
	reg u64 %mine, %apart, %far, %where, %odd
	reg pred %p, %q, %all
enter:
	%n = ld.param.u32 [n]
	%x = mov.u32 %tid.x
	%i = and.b32 %x, 3
	%mine = mov.u64 sum
	%far = mul.wide.u32 %x, 128
	%apart = add.u64 %mine, %far
	%where = cvta.global.u64 %apart
	%odd = mov.u64 word
	%odd = cvta.shared.u64 %odd
	%q = setp.ge.u32 %x, 20
	%where = selp.b64 %odd, %where, %q
	%x = and.b32 %x, 5
	%all = setp.$([ $some = all ] && echo ge || echo eq).u32 %x, 0
again:
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, %n
	bra %p, again, done
done:
	bra %all, access, leave
access:
$(printf '%s\n' "$last" | tr ';' '\n')
	exit
leave:
	exit
}
END
		echo 'gpu.launch { kernel = "ends", grid = 14, block = { 70 }, args = { 9 } }' >"$tmp/$name-$some.lua"
	done
done
for name in $(printf '%s\n' "$accesses" | sed 's/|.*//'); do
	for run in "ipdom volta.lua" "its volta.lua" "tf_stack kepler.lua" "multi_path kepler.lua" "dwf kepler.lua" "tbc kepler.lua" "sbi fermi.lua" "exec_mask vega20.lua" "mimd volta.lua"; do
		for some in all lanes; do
			case $some in all) ways="1:1 3:2 1000000:1" ;; *) ways="1:1 1:2 1000000:2" ;; esac
			compare "$tmp/$name-$some.ir" -c "${run#* }" -m "${run% *}" -D sm.max_blocks=2 -D sm.block_launch_cycles=20 -D divergence.bar_partial=per_lane
		done
	done
	compare "$tmp/$name-lanes.ir" -c kepler.lua -D l1.queue=2 -D sm.max_blocks=3 # accesses wait for the load/store unit
done
ways="1:1 1000000:1"

# Thread blocks that touch no memory take as long whatever a hit in L1 takes.
cat >"$tmp/blocks.ir" <<'END'
kernel blocks(u32 n)
{
	reg u32 %i, %n
	reg pred %p
enter:
	%n = ld.param.u32 [n]
	%i = mov.u32 0
again:
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, %n
	bra %p, again, done
done:
	exit
}
END
echo 'gpu.launch { kernel = "blocks", grid = 400, block = 64, args = { 20 } }' >"$tmp/blocks.lua"
for latency in 1 35 82 200; do
	"$gsim" -D sm.count=1 -D fetch.cache_bytes=0 -D l1.latency=$latency -s - "$tmp/blocks.ir" | sed -n '/"total"/q; s/^ *"cycles": //p'
done >"$tmp/cycles"
[ "$(sort -u "$tmp/cycles" | wc -l)" = 1 ] && [ "$(wc -l <"$tmp/cycles")" = 4 ] || {
	echo "FAILED: 400 blocks with l1.latency of 1, 35, 82 and 200 take" $(cat "$tmp/cycles") "cycles"
	failed=1
}

# A thread that has changed a word and ended: its warp's slot is another block's in the same window, which
# waits for the word forever.
cat >"$tmp/late.ir" <<'END'
global u32 flag[2]
kernel late()
{
	reg u32 %c, %i, %v
	reg pred %p
enter:
	%c = mov.u32 %ctaid.x
	%i = mov.u32 0
	brx %c, [count, leave, wait]
count:
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, 4
	bra %p, count, change
change:
	st.volatile.global.u32 [flag], 1
	exit
wait:
	%v = ld.volatile.global.u32 [flag]
	%p = setp.eq.u32 %v, 2
	bra %p, leave, wait
leave:
	exit
}
END
echo 'gpu.launch { kernel = "late", grid = 3, block = 1 }' >"$tmp/late.lua"
reported=0
for cycles in 30 40 50 60 70 80 90 100; do
	for window in 1 1000; do
		"$gsim" -q --window $window -D sm.count=1 -D sm.max_blocks=2 -D fetch.cache_bytes=0 -D sm.block_launch_cycles=$cycles \
			"$tmp/late.ir" >"$tmp/late.$window" 2>&1
	done
	cmp "$tmp/late.1" "$tmp/late.1000" || { echo "FAILED: livelock with sm.block_launch_cycles=$cycles: the report depends on the window"; failed=1; }
	grep -q 'thread (0, 0, 0) changed it last.*block (0, 0, 0) has ended' "$tmp/late.1" && reported=$((reported + 1))
done
[ $reported -ge 4 ] || { echo "FAILED: the thread that changed the word is named in $reported of 8 reports"; failed=1; }
echo "$compared runs compared"
exit $failed
