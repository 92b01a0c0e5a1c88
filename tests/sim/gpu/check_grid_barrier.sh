#!/bin/sh
# barrier.grid: what a thread has written before it, every thread of the grid reads behind it, under every mechanism, with time and without; it takes
# launch.grid_barrier_cycles at least; no figure depends on windows or host threads; blocks that cannot all be resident are refused; a grid that meets
# waits until all its blocks have room; and where threads can never come to it, the machine and the reference interpreter say so.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-grid-barrier.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
models=$("$gsim" --list models | sed -n 's/^\([a-z_]*\) .*/\1/p')

# Each thread writes the sum of its neighbours and itself, n times: one launch of n steps is n launches of
# one. In the middle of each step threads part, and the barrier of every second step is a function's.
cat >"$tmp/steps.ir" <<'IR'
func meet(u32 %k) -> (u32 %r) {
e:	%r = add.u32 %k, 1
	barrier.grid
	ret
}
kernel steps(u64 a, u64 b, u32 n, u64 clocks) {
	reg u64 %from, %to, %x, %l, %r, %m, %g, %c, %d
	reg u32 %i, %k, %s, %u, %v, %w
	reg pred %p
E:	%k = mov.u32 %ctaid.x
	%s = mov.u32 %ntid.x
	%i = mov.u32 %tid.x
	%i = mad.lo.u32 %k, %s, %i
	%u = mov.u32 %nctaid.x
	%u = mul.lo.u32 %u, %s
	%from = ld.param.u64 [a]
	%to = ld.param.u64 [b]
	%c = ld.param.u64 [clocks]
	%k = ld.param.u32 [n]
	%s = sub.u32 %u, 1
	%v = add.u32 %i, 1
	%v = and.b32 %v, %s
	%r = mul.wide.u32 %v, 4
	%v = sub.u32 %i, 1
	%v = and.b32 %v, %s
	%l = mul.wide.u32 %v, 4
	%m = mul.wide.u32 %i, 4
	%d = mul.wide.u32 %i, 8
	%c = add.u64 %c, %d
	%d = mul.wide.u32 %u, 8
L:	%g = add.u64 %from, %l
	%u = ld.global.u32 [%g]
	%g = add.u64 %from, %r
	%v = ld.global.u32 [%g]
	%u = add.u32 %u, %v
	%w = and.b32 %u, 7
O:	%p = setp.eq.u32 %w, 0
	bra %p, P, Q
Q:	%u = mul.lo.u32 %u, 5
	%w = sub.u32 %w, 1
	bra O
P:	%g = add.u64 %from, %m
	%v = ld.global.u32 [%g]
	%u = mad.lo.u32 %v, 3, %u
	%g = add.u64 %to, %m
	st.global.u32 [%g], %u
	%k = sub.u32 %k, 1
	%p = setp.eq.u32 %k, 0
	bra %p, X, C
C:	%g = mov.u64 %clock64
	st.global.u64 [%c], %g
	%c = add.u64 %c, %d
	%w = and.b32 %k, 1
	%p = setp.eq.u32 %w, 0
	bra %p, F, G
F:	(%w) = call meet, (%w)
	bra H
G:	barrier.grid
H:	%g = mov.u64 %clock64
	st.global.u64 [%c], %g
	%c = add.u64 %c, %d
	%x = mov.u64 %from
	%from = mov.u64 %to
	%to = mov.u64 %x
	bra L
X:	exit
}
IR
cat >"$tmp/steps.lua" <<'LUA'
local n, steps, how, grid, least = 256, 6, gpu.args[1], tonumber(gpu.args[2]), tonumber(gpu.args[3] or 0)
local a, b = gpu.buffer("u32", n, function(i) return i * i % 97 end), gpu.buffer("u32", n)
local clocks = gpu.buffer("u64", 2 * n * steps)
gpu.compare(clocks, { how = "ignore" })
if how == "one" then
	local l = gpu.launch { kernel = "steps", grid = grid, block = n // grid, args = { a, b, steps, clocks } }
	gpu.check(not l.grid_barriers or l.grid_barriers == steps - 1, "grid_barriers is not the number of steps between")
	for step = 0, l.cycles and steps - 2 or -1 do
		local come, go = 0, math.maxinteger
		for i = 0, n - 1 do
			come = math.max(come, clocks:get(2 * step * n + i))
			go = math.min(go, clocks:get((2 * step + 1) * n + i))
		end
		gpu.check(go > come + least, "barrier " .. step .. ": the last came at " .. come .. ", the first goes on at " .. go)
	end
else
	for k = 1, steps do
		gpu.launch { kernel = "steps", grid = grid, block = n // grid, args = { a, b, 1, clocks } }
		a, b = b, a
	end
end
local sum = 0
for i = 0, n - 1 do sum = (sum * 31 + a:get(i) + 7 * b:get(i)) % 2147483647 end
print(sum)
LUA
want=$("$gsim" -q --reference "$tmp/steps.ir" -- many 8)
[ -n "$want" ] || fail "the reference interpreter runs no launches of one step"
[ "$("$gsim" -q --reference "$tmp/steps.ir" -- one 8)" = "$want" ] || fail "the reference interpreter: one launch is not $want"
same() {
	got=$("$gsim" -q --alone --laws --verify -D sm.count=4 "$@" 2>&1)
	[ "$got" = "$want" ] || fail "$*: $got, expected $want"
}
for model in $models; do
	same -m "$model" "$tmp/steps.ir" -- one 8 2000
	same -m "$model" --functional "$tmp/steps.ir" -- one 8
	same -m "$model" -c volta.lua -D launch.grid_barrier_cycles=1 "$tmp/steps.ir" -- one 16 1
done
same -D launch.grid_barrier_cycles=100000 -D limits.progress_cycles=1000 "$tmp/steps.ir" -- one 4 100000
for passes in branch-fusion const-prop,copy-prop,cse,dce 'flatten(rule=always)' forward-stores gcse,dce if-convert lcm linearize loop-rotate meld pre scm simplify-cfg spre \
	'srqp' structurize tail-merge unroll webs; do
	"$opt" -p "$passes" "$tmp/steps.ir" >"$tmp/opt.ir" 2>"$tmp/opt.err" || fail "$passes: $(head -n 1 "$tmp/opt.err")"
	same -w "$tmp/steps.lua" "$tmp/opt.ir" -- one 8
done

# Windows and host threads.
figures() { grep -v '"host"' "$1"; }
for options in "-m ipdom -c kepler.lua" "-m its -c volta.lua" "-m tbc -c kepler.lua" "-m mimd -c volta.lua" "-m dwf -c kepler.lua -D launch.grid_barrier_cycles=7"; do
	for how in "--window 1" "--window 3" "-j 3" ""; do
		# shellcheck disable=SC2086
		"$gsim" -q --alone $options $how -D sm.count=3 -t "$tmp/trace" -s "$tmp/json" "$tmp/steps.ir" -- one 8 >"$tmp/out" 2>&1 || fail "$options $how: $(head -n 1 "$tmp/out")"
		figures "$tmp/json" >"$tmp/now.json"
		if [ -f "$tmp/first.json" ]; then
			cmp -s "$tmp/first.json" "$tmp/now.json" || fail "$options $how: another report"
			cmp -s "$tmp/first.trace" "$tmp/trace" || fail "$options $how: another trace"
		else
			cp "$tmp/now.json" "$tmp/first.json"
			cp "$tmp/trace" "$tmp/first.trace"
		fi
	done
	rm -f "$tmp/first.json"
done

# What cannot be resident at once is refused before it runs, with its place.
refused() {
	"$gsim" -q "$@" "$tmp/steps.ir" -- one 64 >"$tmp/out" 2>&1
	status=$?
	[ $status -eq 2 ] && grep -q "steps.ir:58:4: error: kernel steps: the kernel has a barrier of the whole grid: 64 blocks, 16 can be resident on this machine (limited by blocks)" "$tmp/out" ||
		fail "$*: status $status, $(head -n 1 "$tmp/out")"
}
refused -D sm.count=1
refused -D sm.count=1 --functional
refused -D sm.count=1 -m its -j 2

# In another stream blocks that take all places but some, for different times, then a grid that meets, then
# more: it begins when all of it has room, the others go on.
cat >"$tmp/streams.ir" <<'IR'
kernel busy(u64 out) {
	reg u64 %a
	reg u32 %i, %n, %c
	reg pred %p
E:	%c = mov.u32 %ctaid.x
	%n = mad.lo.u32 %c, 300, 100
	%a = ld.param.u64 [out]
	%i = mov.u32 0
L:	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, %n
	bra %p, L, X
X:	red.global.add.u32 [%a], %i
	%n = ld.volatile.global.u32 [%a]
	%p = setp.eq.u32 %n, 0
	@%p trap
	exit
}
kernel meets(u64 out) {
	reg u64 %a
	reg u32 %v
	reg pred %p
	%a = ld.param.u64 [out]
	red.global.add.u32 [%a+4], 1
	barrier.grid
	%v = ld.global.u32 [%a+4]
	barrier.grid
	red.global.max.u32 [%a+8], %v
	red.global.add.u32 [%a+4], 1
	%v = ld.volatile.global.u32 [%a+4]
	%p = setp.eq.u32 %v, 0
	@%p trap
	exit
}
IR
cat >"$tmp/streams.lua" <<'LUA'
local out = gpu.buffer("u32", 64)
gpu.launch { kernel = "busy", grid = 7, block = 32, args = { out }, stream = 1 }
gpu.launch { kernel = "meets", grid = 6, block = 64, args = { out }, stream = 2 }
gpu.launch { kernel = "busy", grid = 9, block = 32, args = { out }, stream = 3 }
local other = gpu.buffer("u32", 64)
gpu.launch { kernel = "meets", grid = 8, block = 32, args = { other }, stream = 4 }
gpu.sync()
gpu.check(out:get(2) == 384 and out:get(1) == 768, "the grid has not met: " .. out:get(2) .. " of 384 threads")
gpu.check(other:get(2) == 256, "the second grid has not met")
gpu.check(out:get(0) == 32 * (700 + 300 * 21 + 900 + 300 * 36), "the others have not run: " .. out:get(0))
LUA
for options in "" "-m its" "--functional" "-j 3" "--window 1" "--window 2 -j 2" "-D launch.grid_barrier_cycles=1"; do
	# shellcheck disable=SC2086
	"$gsim" -q --alone --laws --verify $options -D sm.count=2 -D sm.max_blocks=4 -D launch.overhead_cycles=10 -s "$tmp/json" "$tmp/streams.ir" >"$tmp/out" 2>&1 ||
		fail "streams $options: $(head -n 1 "$tmp/out")"
	figures "$tmp/json" | sed '/"threads"/d' >"$tmp/now.json"
	case $options in
	"") cp "$tmp/now.json" "$tmp/first.json" ;;
	-j*|--window*) cmp -s "$tmp/first.json" "$tmp/now.json" || fail "streams $options: another report" ;;
	esac
done

# Threads that wait there while others of their block wait at a block barrier: deadlock, located, in the
# machine as in the reference interpreter.
cat >"$tmp/apart.ir" <<'IR'
kernel k(u64 out) {
	reg u32 %t, %c
	reg pred %p
E:	%t = mov.u32 %tid.x
	%c = mov.u32 %ctaid.x
	%c = mul.lo.u32 %c, 64
	%t = add.u32 %c, %t
	%p = setp.ge.u32 %t, 96
	bra %p, A, B
A:	bar.sync 0
	exit
B:	barrier.grid
	exit
}
host main() {
	reg u64 %b
	%b = alloc.u64 256
	launch k, (3, 1, 1), (64, 1, 1), 0, (%b)
	exit
}
IR
sed 's/%t, 96/%t, 128/; s/(3, 1, 1)/(2, 1, 1)/' "$tmp/apart.ir" >"$tmp/together.ir"
sed 's/%t, 96/%t, 70/; s/^A:.*/A:	nop/' "$tmp/apart.ir" >"$tmp/ended.ir"
"$gsim" -q --reference "$tmp/apart.ir" >"$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q "block B, instruction .barrier.grid. .*thread block (1,0,0), thread (0,0,0): 64 of 64 threads have not ended and none can go on: .*waits at barrier.grid in line 12" "$tmp/out" || fail "the reference interpreter, apart: $(head -n 1 "$tmp/out")"
for model in $models; do
	for how in "" --functional; do
		"$gsim" -q --alone -m "$model" $how "$tmp/apart.ir" >"$tmp/out" 2>&1
		[ $? -eq 1 ] && grep -q "deadlock in kernel k, block (1, 0, 0), warp 0: .* wait[s]* at the grid's barrier in block B .*apart.ir:12), which can never complete: 96 of 128 threads have arrived" "$tmp/out" ||
			fail "$model $how, apart: $(head -n 2 "$tmp/out")"
		for file in together ended; do
			"$gsim" -q --alone -m "$model" $how -D divergence.bar_partial=per_lane -D code.layout=source "$tmp/$file.ir" >"$tmp/out" 2>&1 || fail "$model $how, $file: $(head -n 1 "$tmp/out")"
		done
	done
done

# Threads that spin for something that comes behind the barrier: livelock.
cat >"$tmp/spin.ir" <<'IR'
kernel k(u64 out) {
	reg u64 %a
	reg u32 %c, %v
	reg pred %p
E:	%a = ld.param.u64 [out]
	%c = mov.u32 %ctaid.x
	%p = setp.eq.u32 %c, 1
	bra %p, S, M
S:	%v = ld.volatile.global.u32 [%a]
	%p = setp.eq.u32 %v, 0
	bra %p, S, M
M:	barrier.grid
	st.volatile.global.u32 [%a], 1
	exit
}
host main() {
	reg u64 %b
	%b = alloc.u64 256
	launch k, (3, 1, 1), (64, 1, 1), 0, (%b)
	exit
}
IR
for how in "" "-m its" "--functional" "--reference"; do
	# shellcheck disable=SC2086
	"${srcdir:-.}/tests/within" 60 "$gsim" -q --alone $how -D limits.progress_cycles=1000 "$tmp/spin.ir" >"$tmp/out" 2>&1
	[ $? -eq 1 ] && grep -q "livelock" "$tmp/out" || fail "spin $how: $(head -n 1 "$tmp/out")"
done

# Each further block of an SM adds launch.grid_barrier_block_cycles, where most blocks wait.
cat >"$tmp/blocks.ir" <<'IR'
kernel k(u64 out) {
	reg u64 %a, %b, %o
E:	%o = ld.param.u64 [out]
	%a = mov.u64 %clock64
	barrier.grid
	%b = mov.u64 %clock64
	%b = sub.u64 %b, %a
	st.global.u64 [%o], %b
	exit
}
IR
cat >"$tmp/blocks.lua" <<'LUA'
local out, each = gpu.buffer("u64", 1), tonumber(gpu.args[1])
gpu.compare(out, { how = "ignore" })
local function cycles(blocks)
	gpu.launch { kernel = "k", grid = blocks, block = 1, args = { out } }
	return out:get(0)
end
local two = cycles(2)
for blocks = 3, 16 do
	local has, want = cycles(blocks), two + ((blocks + 1) // 2 - 1) * each
	gpu.check(math.abs(has - want) <= 20, ("%d blocks on two SMs: the barrier takes %d cycles, not about %d"):format(blocks, has, want))
end
LUA
for each in 0 300; do
	"$gsim" -q -c volta.lua -D sm.count=2 -D launch.grid_barrier_block_cycles=$each "$tmp/blocks.ir" -- $each >"$tmp/out" 2>&1 || fail "blocks on an SM: $(head -n 1 "$tmp/out")"
done
exit $failed
