#!/bin/sh
# Cooperative launches: all blocks are there at once, or the launch is refused; the grid's workspace lets code wait for all blocks as CUDA's grid.sync()
# does; without a cooperative launch there is no workspace. And a grid whose blocks wait for others that find no room is reported with their number.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-cooperative.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
models=$("$gsim" --list models | sed -n 's/^\([a-z_]*\) .*/\1/p')

# What a thread has written in a step another one, of another block, reads in the next; two meetings a step.
# The first block adds what the others lack to 2^31, so that the top bit of the counter changes when the last
# block comes.
cat >"$tmp/steps.ptx" <<'PTX'
.version 8.0
.target sm_70
.address_size 64
.func meet(.reg .b64 %counter)
{
	.reg .pred %p;
	.reg .b32 %t, %n, %add, %old, %now;
	barrier.sync 0;
	mov.u32 %t, %tid.x;
	setp.ne.u32 %p, %t, 0;
	@%p bra OUT;
	mov.u32 %n, %nctaid.x;
	mov.u32 %t, %ctaid.x;
	setp.eq.u32 %p, %t, 0;
	sub.u32 %n, 0x80000001, %n;
	selp.b32 %add, %n, 1, %p;
	atom.add.release.gpu.u32 %old, [%counter], %add;
AGAIN:
	ld.acquire.gpu.u32 %now, [%counter];
	xor.b32 %now, %now, %old;
	setp.ge.s32 %p, %now, 0;
	@%p bra AGAIN;
OUT:
	barrier.sync 0;
	ret;
}
.visible .entry steps(.param .u64 a, .param .u64 b, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %t, %k, %x, %y, %all, %next;
	.reg .b64 %a, %b, %c, %hi, %own, %other;
	mov.u32 %x, %envreg1;
	mov.u32 %y, %envreg2;
	cvt.u64.u32 %hi, %x;
	cvt.u64.u32 %c, %y;
	shl.b64 %hi, %hi, 32;
	or.b64 %c, %c, %hi;
	setp.eq.u64 %p, %c, 0;
	@%p trap;
	add.u64 %c, %c, 4;
	ld.param.u64 %a, [a];
	ld.param.u64 %b, [b];
	ld.param.u32 %k, [n];
	mov.u32 %x, %ctaid.x;
	mov.u32 %y, %ntid.x;
	mov.u32 %t, %tid.x;
	mad.lo.u32 %t, %x, %y, %t;
	mov.u32 %all, %nctaid.x;
	mul.lo.u32 %all, %all, %y;
	add.u32 %next, %t, 33;
	rem.u32 %next, %next, %all;
	mul.wide.u32 %own, %t, 4;
	mul.wide.u32 %other, %next, 4;
STEP:
	add.u64 %hi, %a, %other;
	ld.global.u32 %x, [%hi];
	add.u64 %hi, %b, %own;
	mad.lo.u32 %x, %x, 3, 1;
	st.global.u32 [%hi], %x;
	call.uni meet, (%c);
	add.u64 %hi, %b, %other;
	ld.global.u32 %x, [%hi];
	add.u64 %hi, %a, %own;
	st.global.u32 [%hi], %x;
	call.uni meet, (%c);
	sub.u32 %k, %k, 1;
	setp.ne.u32 %p, %k, 0;
	@%p bra STEP;
	ret;
}
.visible .entry all_arrive(.param .u64 a)
{
	.reg .pred %p;
	.reg .b32 %n, %x;
	.reg .b64 %a;
	ld.param.u64 %a, [a];
	mov.u32 %n, %nctaid.x;
	mov.u32 %x, %tid.x;
	setp.eq.u32 %p, %x, 0;
	@%p red.global.add.u32 [%a], 1;
AGAIN:
	ld.volatile.global.u32 %x, [%a];
	setp.lt.u32 %p, %x, %n;
	@%p bra AGAIN;
	ret;
}
PTX
cat >"$tmp/steps.lua" <<'LUA'
local blocks, together = gpu.argument(1, 7), gpu.args[2] ~= "apart"
local n, steps = blocks * 64, 3
local a, b = gpu.buffer("u32", n), gpu.buffer("u32", n)
local want = {}
for i = 0, n - 1 do a:set(i, i * 5); want[i] = i * 5 end
for turn = 1, 2 do
	for k = 1, steps do
		local now = {}
		for i = 0, n - 1 do now[i] = (want[(i + 66) % n] * 3 + 1) & 0xffffffff end
		want = now
	end
	gpu.launch { kernel = "steps", grid = blocks, block = 64, args = { a, b, steps }, cooperative = together }
	for i = 0, n - 1 do gpu.check(a:get(i) == want[i], ("thread %d, launch %d"):format(i, turn)) end
end
LUA
runs() {
	# shellcheck disable=SC2086
	"${srcdir:-.}/tests/within" 100 "$gsim" -q --alone "$@" >"$tmp/out" 2>&1 || fail "$*: $(head -n 2 "$tmp/out")"
}
runs --reference "$tmp/steps.ptx"
runs -c volta.lua "$tmp/steps.ptx" -- 40
for model in $models; do
	for how in --functional --quiet; do
		runs -m "$model" $how -D sm.count=2 -D divergence.bar_partial=per_lane "$tmp/steps.ptx"
	done
done
# a machine that is warmed up runs the launch twice: with a workspace that is zeroed each time
runs -D launch.warm=true "$tmp/steps.ptx"
# blocks that meet so do not race
for how in --reference --functional --quiet; do
	runs --race-check $how -D sm.count=2 "$tmp/steps.ptx"
done
# without the word there is no workspace
for how in --reference --functional --quiet; do
	"$gsim" -q --alone $how "$tmp/steps.ptx" -- 2 apart >"$tmp/out" 2>&1
	[ $? -eq 1 ] && grep -q "trap.*the kernel stopped itself" "$tmp/out" || fail "apart $how: $(head -n 1 "$tmp/out")"
done
# blocks that do not all fit
for how in --functional --quiet; do
	"$gsim" -q --alone $how -D sm.count=2 -D sm.max_blocks=4 "$tmp/steps.ptx" -- 9 >"$tmp/out" 2>&1
	[ $? -eq 2 ] && grep -q "steps.lua:12:.*kernel steps: the launch is cooperative, so all blocks of its grid are there at once: 9 blocks, 8 can be resident on this machine (limited by blocks)" "$tmp/out" ||
		fail "too many $how: $(head -n 1 "$tmp/out")"
done
printf 'gpu.launch { kernel = "steps", grid = 1, block = 64, args = { 0, 0, 1 }, cooperative = 1 }\n' >"$tmp/bad.lua"
"$gsim" -q -w "$tmp/bad.lua" "$tmp/steps.ptx" >"$tmp/out" 2>&1
[ $? -eq 2 ] && grep -q "bad.lua:1:.*cooperative: expected true or false, found a number" "$tmp/out" || fail "bad value: $(head -n 1 "$tmp/out")"

# ---- host functions ----
cat >"$tmp/host.ir" <<'IR'
kernel k(u64 out) {
	reg u64 %a, %h
	reg u32 %x, %y, %n
	reg pred %p
E:	%x = mov.u32 %envreg1
	%y = mov.u32 %envreg2
	%a = cvt.u64.u32 %x
	%h = cvt.u64.u32 %y
	%a = shl.b64 %a, 32
	%a = or.b64 %a, %h
	%p = setp.eq.u64 %a, 0
	@%p trap
	%n = mov.u32 %nctaid.x
	red.add.u32 [%a+8], 1
L:	%x = ld.volatile.u32 [%a+8]
	%p = setp.lt.u32 %x, %n
	bra %p, L, M
M:	%h = ld.param.u64 [out]
	st.global.u32 [%h], %x
	exit
}
host main() {
	reg u64 %b
	reg u32 %x
	reg pred %p
	%b = alloc.u64 256
	launch.cooperative k, 5, 1, 0, (%b)
	launch.cooperative k, 3, 1, 0, (%b)
	%x = ld.u32 [%b]
	%p = setp.eq.u32 %x, 3
	check %p, "three blocks have met"
	exit
}
IR
runs "$tmp/host.ir"
runs --reference "$tmp/host.ir"
runs --functional "$tmp/host.ir"

# ---- blocks that wait for others which find no room ----
printf 'local a = gpu.buffer("u32", 1)\ngpu.launch { kernel = "all_arrive", grid = gpu.argument(1), block = 32, args = { a } }\n' >"$tmp/arrive.lua"
for how in --functional --quiet; do
	runs $how -D sm.max_blocks=8 -D sm.count=2 -w "$tmp/arrive.lua" "$tmp/steps.ptx" -- 16
	"${srcdir:-.}/tests/within" 100 "$gsim" -q --alone $how -D sm.max_blocks=8 -D sm.count=2 -w "$tmp/arrive.lua" -s "$tmp/report.json" "$tmp/steps.ptx" -- 40 >"$tmp/out" 2>&1
	[ $? -eq 1 ] && grep -q "24 of the 40 blocks have not begun and cannot: the 16 that have leave no room (limited by blocks), and none of them ends" "$tmp/out" ||
		fail "no room $how: $(head -n 3 "$tmp/out")"
	grep -q '"blocks_not_begun": 24' "$tmp/report.json" || fail "no room $how: the report"
done
exit $failed
