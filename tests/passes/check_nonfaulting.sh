#!/bin/sh
# What passes make of loads that are marked nonfaulting: never one of a marked and a plain load, for the plain one must fault where it did, and the marked one must not;
# copies keep the mark; where such loads gain a guard they keep it, too; results stay.
srcdir=${srcdir:-$(dirname "$0")/../..}
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
tmp=${TMPDIR:-/tmp}/gsim-marks.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# arms THEN ELSE: a divergent branch whose sides load in their way from the thread's word (%p), or far from it
# (%q), and store what they got
arms() {
	printf 'kernel k(u64 out) {\nA:\n\t%%t = mov.u32 %%tid.x\n\t%%a = ld.param.u64 [out]\n\t%%p = mad.wide.u32 %%t, 16, %%a\n\t%%odd = and.b32 %%t, 1\n'
	printf '\t%%far = mul.wide.u32 %%odd, 0x40000000\n\t%%q = add.u64 %%p, %%far\n\t%%c = setp.eq.u32 %%odd, 0\n\tbra %%c, T, F\n'
	printf 'T:\n\t%%x = %s\n\t%%x = mad.lo.u32 %%x, 3, %%t\n\t%%x = mad.lo.u32 %%x, %%x, 5\n\tst.global.u32 [%%p+4], %%x\n\tbra J\n' "$1"
	printf 'F:\n\t%%y = %s\n\t%%y = mad.lo.u32 %%y, 3, %%t\n\t%%y = mad.lo.u32 %%y, %%y, 5\n\tst.global.u32 [%%p+8], %%y\n\tbra J\nJ:\n\texit\n}\n' "$2"
	printf 'host main() {\nH:\n\t%%b = alloc.u64 1024\n\tfill.u32 %%b, 7, 256\n\tlaunch k, (1,1,1), (64,1,1), 0, (%%b)\n\texit\n}\n'
}

# loads PASSES PLAIN MARKED: how many of each there are then, and the results with them
loads() {
	$opt -p "$1" "$tmp/k.ir" >"$tmp/out" 2>"$tmp/err"
	sed '/^host/,$d' "$tmp/out" >"$tmp/kernel"
	n=$(grep -c 'ld\.global\.u32' "$tmp/kernel") m=$(grep -c 'ld\.global\.nonfaulting\.u32' "$tmp/kernel")
	if [ "$n $m" != "$2 $3" ]; then
		echo "FAILED: $1: $n plain loads and $m marked ones, expected $2 and $3"
		sed -n 1,40p "$tmp/out" "$tmp/err"
		failed=1
	fi
	for model in ipdom its mimd; do
		$gsim -q --verify -m $model -p "$1" "$tmp/k.ir" >"$tmp/err" 2>&1 || { echo "FAILED: $1: results under $model: $(head -n 3 "$tmp/err")"; failed=1; }
	done
}
plain='ld.global.u32 [%p]' marked='ld.global.nonfaulting.u32 [%q]'

# alike arms become one: what is one kind of load does
arms "$plain" "$plain" >"$tmp/k.ir"
loads 'meld(threshold=1),dce' 1 0
arms "$marked" "$marked" >"$tmp/k.ir"
loads 'meld(threshold=1),dce' 0 1
loads 'branch-fusion(threshold=1),dce' 0 1
# ... and what is two kinds does not
arms "$plain" "$marked" >"$tmp/k.ir"
loads 'meld(threshold=1),dce' 1 1
loads 'branch-fusion(threshold=1),dce' 1 1
loads tail-merge 1 1
loads 'if-convert(size=10),dce' 1 1
grep -q '@!*%c %y = ld.global.nonfaulting.u32 \[%q\]' "$tmp/kernel" || { echo "FAILED: if-convert: no guard on the marked load"; failed=1; }
loads 'linearize,dce' 1 1

# The same address again: one of each kind stays, a second of a kind goes, as it does without marks. Nobody
# reads %w.
cat >"$tmp/k.ir" <<'END'
kernel k(u64 out) {
A:
	%t = mov.u32 %tid.x
	%a = ld.param.u64 [out]
	%p = mad.wide.u32 %t, 16, %a
	%x = ld.global.nonfaulting.u32 [%p]
	%y = ld.global.u32 [%p]
	%u = ld.global.nonfaulting.u32 [%p]
	%v = ld.global.u32 [%p]
	%w = ld.global.nonfaulting.u32 [%p+8]
	%c = setp.lt.u32 %t, 5
	bra %c, B, J
B:
	%r = ld.global.nonfaulting.u32 [%p]
	%s = ld.global.u32 [%p]
	%r = add.u32 %r, %s
	st.global.u32 [%p+8], %r
	bra J
J:
	%x = mad.lo.u32 %x, %y, 3
	%u = mad.lo.u32 %u, %v, %x
	st.global.u32 [%p+4], %u
	exit
}
host main() {
H:
	%b = alloc.u64 1024
	fill.u32 %b, 7, 256
	launch k, (1,1,1), (64,1,1), 0, (%b)
	exit
}
END
loads none 3 4
loads dce 3 3
loads cse,dce 2 2
loads gcse,cse,dce 1 1

# Turns of a loop that are copied have loads as it had.
cat >"$tmp/k.ir" <<'END'
kernel k(u64 out) {
A:
	%t = mov.u32 %tid.x
	%a = ld.param.u64 [out]
	%p = mad.wide.u32 %t, 16, %a
	%i = mov.u32 0
	%s = mov.u32 0
	bra L
L:
	%x = ld.global.nonfaulting.u32 [%p+1000]
	%s = add.u32 %s, %x
	%p = add.u64 %p, 4
	%i = add.u32 %i, 1
	%c = setp.lt.u32 %i, 4
	bra %c, L, E
E:
	%o = mad.wide.u32 %t, 16, %a
	st.global.u32 [%o], %s
	exit
}
host main() {
H:
	%b = alloc.u64 1024
	launch k, (1,1,1), (64,1,1), 0, (%b)
	exit
}
END
loads 'unroll,simplify-cfg,dce' 0 4
exit $failed
