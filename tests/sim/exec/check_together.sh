#!/bin/sh
# Warp-level operations of one mask meet wherever they stand: in two arms, in two loops, a turn apart. What PTX leaves undefined is a message, of every
# mechanism that lets lanes wait and of the reference interpreter; stacks refuse.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-together.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
stacks="ipdom token tf_stack exec_mask min_pc"
waits="mimd its spec_reconv aware multi_path dual_path dws dwf tbc serial sbi"

# body: a kernel with the result %r of the thread %t, lane %l, to which %v belongs; a block of 64 threads
body() {
	{
		printf 'kernel k(u64 out) {\n\treg u32 %%t, %%l, %%v, %%r, %%n, %%m, %%x\n\treg u64 %%a, %%w\n\treg pred %%p, %%q\nE:\t%%a = ld.param.u64 [out]\n'
		printf '\t%%t = mov.u32 %%tid.x\n\t%%w = mul.wide.u32 %%t, 4\n\t%%a = add.u64 %%a, %%w\n\t%%l = mov.u32 %%laneid\n\t%%v = mad.lo.u32 %%t, 3, 1\n\t%%r = mov.u32 0\n'
		cat
		printf 'X:\tst.global.u32 [%%a], %%r\n\texit\n}\n'
	} >"$tmp/k.ir"
}
# runs WORKLOAD-CHECK: the value of thread t must be the Lua expression
runs() {
	cat >"$tmp/k.lua" <<LUA
local out = gpu.buffer("u32", 64)
gpu.launch { kernel = "k", grid = 1, block = 64, args = { out } }
for t = 0, 63 do
	local l = t % 32
	local function v(x) return (t - l + x) * 3 + 1 end
	local want = $1
	gpu.check(out:get(t) == want, ("thread %d has %d, not %d"):format(t, out:get(t), want))
end
LUA
	"$gsim" -q --reference "$tmp/k.ir" >"$tmp/out" 2>&1 || fail "$2, reference: $(head -n 1 "$tmp/out")"
	for model in $waits; do
		for how in --functional --quiet; do
			"$gsim" -q --alone $how -m "$model" "$tmp/k.ir" >"$tmp/out" 2>&1 && continue
			# the block's stack keeps lanes that have left a loop
			[ "$model $3" = "tbc loops" ] && grep -q "deadlock in kernel k.*wait at a warp-level operation" "$tmp/out" && grep -q "wait in an entry of the block's stack until" "$tmp/out" && continue
			fail "$2, $model $how: $(head -n 1 "$tmp/out")"
		done
	done
	for model in $stacks; do
		"$gsim" -q --alone -c kepler.lua -m "$model" "$tmp/k.ir" >"$tmp/out" 2>&1
		[ $? -eq 1 ] && grep -q "part of the lanes of its mask .* mechanism $model cannot let part of a warp wait" "$tmp/out" || fail "$2, $model: $(head -n 1 "$tmp/out")"
	done
}
# told TEXT WHAT: every mechanism that waits, and the reference interpreter, end with the text
told() {
	"$gsim" -q --reference "$tmp/k.ir" >"$tmp/out" 2>&1
	[ $? -eq 1 ] && grep -q "$1" "$tmp/out" || fail "$2, reference: $(head -n 1 "$tmp/out")"
	for model in $waits; do
		for how in --functional --quiet; do
			"$gsim" -q --alone $how -m "$model" "$tmp/k.ir" >"$tmp/out" 2>&1
			[ $? -eq 1 ] && grep -q "$1" "$tmp/out" || fail "$2, $model $how: $(head -n 1 "$tmp/out")"
		done
	done
}

# ---- meeting apart ----
body <<'IR'
	%p = setp.lt.u32 %l, 16
	bra %p, A, B
A:	%x = add.u32 %v, 100
	%r|%q = shfl.sync.bfly.b32 %x, 16, 31, 0xffffffff
	%r = add.u32 %r, 7
	bra X
B:	%v = add.u32 %v, 200
	%m = mov.u32 -1
	%n = shfl.sync.bfly.b32 %v, 16, 31, %m
	%r = add.u32 %n, 9
	bra X
IR
runs 'v(l ~ 16) + (l < 16 and 207 or 109)' "two arms"
body <<'IR'
	%p = setp.lt.u32 %l, 8
	bra %p, A, B
A:	%x = and.b32 %l, 1
	%q = setp.ne.u32 %x, 0
	%r = vote.sync.ballot.b32 %q, 0xffffffff
	%n = redux.sync.add.u32 %l, 0xffffffff
	%r = add.u32 %r, %n
	bra X
B:	%q = setp.eq.u32 %l, 31
	%x = vote.sync.ballot.b32 %q, 0xffffffff
	%l = redux.sync.add.u32 %x, 0xffffffff
	%r = add.u32 %x, %l
	bra X
IR
runs '(0x800000aa + 28 + 24 * 0x800000aa) & 0xffffffff' "two arms, two kinds"
# lane l takes l % 4 turns in the first loop and the rest in the second
body <<'IR'
	%n = and.b32 %l, 3
	%m = sub.u32 3, %n
L:	%p = setp.eq.u32 %n, 0
	bra %p, M, A
A:	%x = redux.sync.add.u32 %l, 0xffffffff
	%r = add.u32 %r, %x
	%n = sub.u32 %n, 1
	bra L
M:	%p = setp.eq.u32 %m, 0
	bra %p, X, B
B:	%v = redux.sync.add.u32 %l, 0xffffffff
	%r = add.u32 %r, %v
	%m = sub.u32 %m, 1
	bra M
IR
runs '3 * 496' "two loops" loops
# the odd lanes are a turn ahead; every turn gives the sum of the lanes' own turns
body <<'IR'
	%n = mov.u32 3
	%x = and.b32 %l, 1
	%p = setp.ne.u32 %x, 0
	bra %p, A, L
A:	%x = redux.sync.add.u32 %n, 0xffffffff
	%r = add.u32 %r, %x
	%n = sub.u32 %n, 1
	bra L
L:	%x = redux.sync.add.u32 %n, 0xffffffff
	%r = add.u32 %r, %x
	%n = sub.u32 %n, 1
	%p = setp.ne.u32 %n, 0
	bra %p, L, X
IR
runs '32 * 6' "a turn apart" loops
# copies of a loop's turns: lanes that are a turn apart meet in two of them
"$opt" -p 'unroll(full=0,factor=3)' "$tmp/k.ir" 2>/dev/null | grep -q '^L_2:' || fail "unroll has not copied the loop"
for model in mimd its aware; do
	"$gsim" -q --alone -m $model -p 'unroll(full=0,factor=3)' "$tmp/k.ir" >"$tmp/out" 2>&1 || fail "unroll, $model: $(head -n 1 "$tmp/out")"
done
# the other lanes end: nobody waits for them
body <<'IR'
	%p = setp.lt.u32 %l, 16
	bra %p, A, X
A:	%r = redux.sync.add.u32 %l, 0xffffffff
	bra X
IR
cat >"$tmp/k.lua" <<'LUA'
local out = gpu.buffer("u32", 64)
gpu.launch { kernel = "k", grid = 1, block = 64, args = { out } }
for t = 0, 63 do gpu.check(out:get(t) == (t % 32 < 16 and 120 or 0), "thread " .. t) end
LUA
for model in --reference mimd its aware; do
	[ $model = --reference ] || model="-m $model"
	# shellcheck disable=SC2086
	"$gsim" -q --alone $model "$tmp/k.ir" >"$tmp/out" 2>&1 || fail "ended lanes, $model: $(head -n 1 "$tmp/out")"
done

# ---- undefined, and told ----
body <<'IR'
	%p = setp.lt.u32 %l, 16
	bra %p, A, B
A:	%r = shfl.sync.bfly.b32 %v, 16, 31, 0xffffffff
	bra X
B:	%r = redux.sync.add.u32 %v, 0xffffffff
	bra X
IR
told "not defined by PTX, block [AB], .*: the thread and lane [0-9]* wait for each other, the thread with mask 0xffffffff, the lane at \(redux.sync.add.u32\|shfl.sync.bfly.b32\) in line [0-9]* with mask 0xffffffff" "other operations"
sed -i 's/redux.sync.add.u32 %v, 0xffffffff/shfl.sync.down.b32 %v, 16, 31, 0xffffffff/' "$tmp/k.ir"
told "not defined by PTX, .*the lane at shfl.sync.\(bfly\|down\).b32" "other modes"
body <<'IR'
	%p = setp.lt.u32 %l, 16
	bra %p, A, B
A:	%r = shfl.sync.bfly.b32 %v, 16, 31, 0xffffffff
	bra X
B:	%r = shfl.sync.bfly.b32 %v, 16, 31, 0xffff00ff
	bra X
IR
told "not defined by PTX, .*with mask 0xffff\(ffff\|00ff\), the lane at .* with mask 0xffff\(00ff\|ffff\)" "other masks"
body <<'IR'
	%p = setp.lt.u32 %l, 16
	%m = selp.u32 0xffffffff, 0xffff00ff, %p
	%r = shfl.sync.bfly.b32 %v, 16, 31, %m
	bra X
IR
waited=$waits
waits="$waits $stacks"
told "not defined by PTX, .*with mask 0xffff\(ffff\|00ff\), the lane at .* with mask 0xffff\(00ff\|ffff\)" "other masks, one instruction"
waits=$waited
body <<'IR'
	%p = setp.lt.u32 %l, 16
	bra %p, A, B
A:	%r = shfl.sync.bfly.b32 %v, 16, 31, 0xffffffff
	bra X
B:	bar.sync 0
	bra X
IR
told "\(PTX leaves undefined what a warp-level operation does where threads of its mask never come\|none can go on\)" "lanes that never come"
for kind in bar.sync.aligned bar.red.popc.aligned.u32; do
	case $kind in bar.red*) d='%r = ' p=', %p' ;; *) d='' p='' ;; esac
	body <<IR
	%p = setp.lt.u32 %l, 16
	bra %p, A, B
A:	$d$kind 0$p
	bra X
B:	$d$kind 0$p
	bra X
IR
	told "not defined by PTX, block [AB], .*other threads of the warp wait at $kind in line [0-9]*: all threads of a warp have to execute the same" "$kind in two arms"
done
# not .aligned: each thread arrives by itself; .aligned, and one instruction that lanes come to apart
body <<'IR'
	%p = setp.lt.u32 %l, 16
	bra %p, A, B
A:	bar.sync 0
	bra C
B:	bar.sync 0
C:	%p = setp.lt.u32 %l, 8
	bra %p, D, F
D:	%r = add.u32 %r, 1
F:	bar.sync.aligned 0
	bra X
IR
cat >"$tmp/k.lua" <<'LUA'
local out = gpu.buffer("u32", 64)
gpu.launch { kernel = "k", grid = 1, block = 64, args = { out } }
for t = 0, 63 do gpu.check(out:get(t) == (t % 32 < 8 and 1 or 0), "thread " .. t) end
LUA
for model in --reference $waits; do
	[ "$model" = --reference ] || model="-m $model"
	# shellcheck disable=SC2086
	"$gsim" -q --alone $model "$tmp/k.ir" >"$tmp/out" 2>&1 || fail "barriers, $model: $(head -n 1 "$tmp/out")"
done
# PTX: bar.sync is .aligned, barrier.sync is not
for kind in bar barrier; do
	printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %%p;\n.reg .b32 %%t;\nmov.u32 %%t, %%tid.x;\nand.b32 %%t, %%t, 16;\nsetp.eq.u32 %%p, %%t, 0;\n@%%p bra A;\n%s.sync 0;\nbra B;\nA:\n%s.sync 0;\nB:\nret;\n}\n' $kind $kind >"$tmp/k.ptx"
	printf 'gpu.launch { kernel = "k", grid = 1, block = 32, args = { 0 } }\n' >"$tmp/k.lua"
	for model in --reference "-m mimd" "-m its"; do
		# shellcheck disable=SC2086
		"$gsim" -q --alone $model "$tmp/k.ptx" >"$tmp/out" 2>&1
		status=$?
		if [ $kind = bar ]; then
			[ $status -eq 1 ] && grep -q "not defined by PTX" "$tmp/out" || fail "bar.sync, $model: $(head -n 1 "$tmp/out")"
		else
			[ $status -eq 0 ] || fail "barrier.sync, $model: $(head -n 1 "$tmp/out")"
		fi
	done
done
# a lane whose guard does not hold, and which the mask names, ends behind the operation: alone it can,
# together it cannot
body <<'IR'
	%p = setp.lt.u32 %l, 16
	@%p %r = redux.sync.add.u32 %l, 0xffffffff
	bra X
IR
cat >"$tmp/k.lua" <<'LUA'
local out = gpu.buffer("u32", 64)
gpu.launch { kernel = "k", grid = 1, block = 64, args = { out } }
for t = 0, 63 do gpu.check(out:get(t) == (t % 32 < 16 and 120 or 0), "thread " .. t) end
LUA
for model in --reference "-m mimd"; do
	# shellcheck disable=SC2086
	"$gsim" -q --alone $model "$tmp/k.ir" >"$tmp/out" 2>&1 || fail "guard, $model: $(head -n 1 "$tmp/out")"
done
for model in its ipdom dwf; do
	case $model in ipdom) says="part of the lanes of its mask (0xffff of 0xffffffff)" ;; *) says="lanes 0xffff0000, which have come with it and whose guard does not hold" ;; esac
	"$gsim" -q --alone -c kepler.lua -m $model "$tmp/k.ir" >"$tmp/out" 2>&1
	[ $? -eq 1 ] && grep -q "$says" "$tmp/out" || fail "guard, $model: $(head -n 1 "$tmp/out")"
done
exit $failed
