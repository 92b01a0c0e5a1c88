#!/bin/sh
# Functional runs execute straight code as a whole. With a trace they execute one instruction after the other: the
# report must be the same, where lanes part, under guards, at accesses of every form, and where one of them fails.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
tmp=${TMPDIR:-/tmp}/gsim-straight.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# Lanes 3 to 20 of each warp, every second lane of these and those of a run-time predicate load and store in turn:
# consecutive words, words in reverse and apart, one word, of 32 and 64 bits.
cat >"$tmp/k.ir" <<'IR'
kernel k(u64 out, u32 most) {
B:	%p = ld.param.u64 [out]
	%n = ld.param.u32 [most]
	%t = mov.u32 %tid.x
	%o = mul.wide.u32 %t, 4
	%p = add.u64 %p, %o
	%s = mul.lo.u32 %t, 4
	%d = mul.lo.u32 %t, 8
	%l = and.b32 %t, 31
	%r = mad.lo.u32 %t, 2654435761, 12345
	%a = setp.ge.u32 %l, 3
	%b = setp.lt.and.u32 %l, 21, %a
	%c = and.b32 %t, 1
	%e = setp.eq.and.u32 %c, 0, %b
	%k = mov.u32 0
	%w = mov.u64 0
	%x = mov.u32 0
	%y = mov.u32 0
	bra L
L:	@%b st.shared.u32 [%s], %r
	@%b st.shared.u64 [%d+2048], %w
	@%b %x = ld.shared.u32 [%s]
	@%e %y = ld.shared.u32 [%s]
	@!%e %y = ld.shared.u32 [16]
	%z = ld.shared.u64 [%d+2048]
	%w = add.u64 %w, %z
	%r = mad.lo.u32 %r, 1664525, %x
	%q = xor.b32 %s, 124
	@%a st.shared.u32 [%q], %y
	@%e st.global.u32 [%p], %r
	@!%e st.global.u32 [%p], %y
	%v = ld.global.u32 [%p]
	%r = add.u32 %r, %v
	%h = shr.u32 %r, 30
	%f = setp.gt.u32 %h, 1
	bra %f, M, N
M:	%m = sub.u32 127, %l
	%m = mul.lo.u32 %m, 4
	%u = ld.shared.u32 [%m]
	%r = xor.b32 %r, %u
	bra N
N:	%k = add.u32 %k, 1
	%i = and.b32 %r, 7
	%i = add.u32 %i, %n
	%g = setp.lt.u32 %k, %i
	bra %g, L, O
O:	st.global.u32 [%p], %r
	exit
}
host main() {
H:	%b = alloc.u64 2048
	launch k, (2,1,1), (100,1,1), 4096, (%b, 3)
	launch k, (1,1,1), (128,1,1), 4096, (%b, 5)
	exit
}
IR
# one lane's third store lies outside, in the middle of straight code
sed 's/launch k, (1,1,1), (128,1,1)/launch k, (1,1,1), (513,1,1)/' "$tmp/k.ir" >"$tmp/outside.ir"

# same STATUS MODULE OPTION...
same() {
	want=$1 module=$2
	shift 2
	"$gsim" -q --functional "$@" -s "$tmp/whole.json" "$module" >"$tmp/whole.out" 2>&1
	status=$?
	"$gsim" -q --functional "$@" -s "$tmp/single.json" -t "$tmp/trace" "$module" >"$tmp/single.out" 2>&1
	[ $status -eq $want ] && [ $? -le 1 ] || { echo "FAILED: $module $*: exit status $status"; failed=1; }
	for f in whole single; do
		grep -v '"host"' "$tmp/$f.json" >"$tmp/$f.report"
	done
	cmp -s "$tmp/whole.report" "$tmp/single.report" && cmp -s "$tmp/whole.out" "$tmp/single.out" ||
		{ echo "FAILED: $module $*: not as instruction by instruction"; failed=1; }
	rm -f "$tmp"/*.json "$tmp"/*.report
}

for model in ipdom token tf_stack tf_sandy exec_mask dual_path multi_path its aware dws sbi swi tbc dwf serial mimd; do
	same 0 "$tmp/k.ir" -m $model
	same 1 "$tmp/outside.ir" -m $model
	same 0 "$srcdir/kernels/device_calls/device_calls.ptx" -m $model
done
same 0 "$tmp/k.ir" -m its -D warp_size=64
same 0 "$tmp/k.ir" -m ipdom -D warp_size=8 -D sm.max_threads_per_block=256
# lanes are watched for livelock
same 0 "$srcdir/kernels/collatz/collatz.ptx" -m ipdom -D limits.progress_cycles=100
for kernel in collatz bitonic_sort mandelbrot; do
	same 0 "$srcdir/kernels/$kernel/$kernel.ptx" -c "$srcdir/configs/volta.lua" -m its
done
exit $failed
