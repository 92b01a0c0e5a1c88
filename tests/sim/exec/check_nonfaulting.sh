#!/bin/sh
# Loads marked nonfaulting, of every space, type and vector: a lane gets what a plain load gives where its address is mapped and aligned, and 0
# elsewhere. The kernel itself compares the two, by the sizes of the variables. Then the same as the reference interpreter, on machines that
# regroup lanes, have few registers or other warps; and how often it happened, in every report.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
tmp=${TMPDIR:-/tmp}/gsim-nonfaulting.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

bad() {
	echo "FAILED: $*"
	failed=1
}

awk 'function load(space, type, vec, bytes, n, size, r, k, list, want) {
	n = vec ? vec : 1
	size = n * bytes
	r = bytes == 8 ? "%d" : "%r"
	list = want = ""
	for (k = 0; k < n; k++) {
		list = list (k ? ", " : "") r k
		want = want (k ? ", " : "") r (k + 4)
		printf "\t%s%d = mov.b%d 0\n", r, k + 4, bytes == 8 ? 64 : 32
	}
	if (vec) {
		list = "{" list "}"
		want = "{" want "}"
	}
	mnemonic = "." type (vec ? ".v" vec : "")
	printf "\t%%in = setp.le.u64 %%off, %d\n\t%%low = and.b64 %%off, %d\n\t%%in = setp.eq.and.b64 %%low, 0, %%in\n", extent - size, size - 1
	printf "\t@%%in %s = ld%s%s [%%at]\n", want, space, mnemonic
	printf "\t%s = ld%s%s.nonfaulting [%%at]\n", list, space, mnemonic
	for (k = 0; k < n; k++)
		printf "\t%%differ = setp.ne.b%d %s%d, %s%d\n\t@%%differ %%wrong = add.u32 %%wrong, 1\n", bytes == 8 ? 64 : 32, r, k, r, k + 4
	printf "\t@!%%in %%zeros = add.u32 %%zeros, 1\n"
}
function loads(space, base, of, step, t, v) {
	extent = of
	for (step = 1; step <= 16; step *= 2) {
		wild = step == 1 ? "-1" : step == 2 ? "-4" : step == 4 ? "0x8000000000000000" : step == 8 ? "0x100000008" : "0xfffffffffffffff0"
		printf "\t%%off = mul.lo.s64 %%far, %d\n\t@%%wild %%off = mov.u64 %s\n\t%%at = add.u64 %s, %%off\n", step, wild, base
		for (t = 1; t <= ntypes; t++)
			for (v = 0; v <= 4; v += 2)
				if (bytes[t] * (v ? v : 1) <= 16 && bytes[t] * (v ? v : 1) >= step / 2)
					load(space, name[t], v, bytes[t])
	}
}
BEGIN {
	ntypes = split("u8 s8 b8 u16 s16 f16 u32 s32 f32 u64 s64 f64", name, " ")
	split("1 1 1 2 2 2 4 4 4 8 8 8", bytes, " ")
	for (k = 0; k < 2; k++) {
		printf "%s u8 %s[200] align 16 = {", k ? "const" : "global", k ? "c" : "g"
		for (b = 0; b < 200; b++)
			printf "%s %d", b ? "," : "", (b * 37 + 129 + k) % 255 + 1
		print " }"
	}
	print "shared u8 s[200] align 16\nkernel k(u64 out, u64 more, u32 last) {\n\tlocal u8 l[208] align 16"
	print "\treg u32 %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %wrong, %zeros, %i\n\treg u64 %d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7, %off, %low, %far, %at"
	print "\treg pred %in, %differ, %wild"
	print "B:\n\t%wrong = mov.u32 0\n\t%zeros = mov.u32 0\n\t%t = mov.u32 %tid.x\n\t%gs = mov.u64 g\n\t%cs = mov.u64 c\n\t%ss = mov.u64 s\n\t%ls = mov.u64 l"
	print "\t%ps = mov.u64 out\n\t%sg = cvta.shared.u64 %ss\n\t%lg = cvta.local.u64 %ls\n\t%pg = cvta.param.u64 %ps\n\t%i = mov.u32 0\n\tbra FILL"
	print "FILL:\n\t%v = mad.lo.u32 %i, 0x01030507, 0x81828384\n\t%at = cvt.u64.u32 %i\n\tst.shared.u32 [%at], %v\n\tst.local.u32 [%at], %v"
	print "\t%i = add.u32 %i, 4\n\t%in = setp.lt.u32 %i, 200\n\tbra %in, FILL, FILLED\nFILLED:\n\tst.local.u64 [l+200], 0x1122334455667788\n\tbar.sync 0"
	print "\t%far = cvt.s64.s32 %t\n\t%far = add.s64 %far, -9\n\t%wild = setp.eq.u32 %t, 37"
	loads(".global", "%gs", 200)
	loads("", "%gs", 200)
	loads(".const", "%cs", 200)
	loads(".shared", "%ss", 200)
	loads("", "%sg", 200)
	loads(".local", "%ls", 208)
	loads("", "%lg", 208)
	loads(".param", "%ps", 20)
	loads("", "%pg", 20)
	print "\t(%wrong) = call frames, (%wrong, %t)\n\t%o = ld.param.u64 [out]\n\t%o2 = mul.wide.u32 %t, 8\n\t%o = add.u64 %o, %o2\n\tst.global.v2.u32 [%o], {%wrong, %zeros}\n\texit\n}"
	print "func frames(u32 %w, u32 %t) -> (u32 %wrong) {\n\tlocal u32 v[3]\n\treg pred %in\nF:\n\t%wrong = mov.u32 %w\n\tst.local.u32 [v], 7\n\tst.local.u32 [v+4], 7\n\tst.local.u32 [v+8], 7"
	print "\t%a = mov.u64 v\n\t%b = mul.wide.u32 %t, 4\n\t%a = add.u64 %a, %b\n\t%r = ld.local.nonfaulting.u32 [%a]\n\t%in = setp.lt.u32 %t, 3\n\t%e = selp.u32 7, 0, %in"
	print "\t%in = setp.ne.u32 %r, %e\n\t@%in %wrong = add.u32 %wrong, 1\n\tret\n}"
	print "host main() {\n\treg u32 %i\nH:\n\t%b = alloc.u64 1024\n\tlaunch k, (1,1,1), (100,1,1), 0, (%b, 1, 2)\n\t%i = mov.u32 0\n\t%sum = mov.u32 0\nL:"
	print "\t%a = mad.wide.u32 %i, 8, %b\n\t{%w, %z} = ld.global.v2.u32 [%a]\n\t%ok = setp.eq.u32 %w, 0\n\tcheck %ok, \"a nonfaulting load differs\"\n\t%sum = add.u32 %sum, %z"
	print "\t%i = add.u32 %i, 1\n\t%more = setp.lt.u32 %i, 100\n\tbra %more, L, E\nE:\n\t%ok = setp.gt.u32 %sum, 1000\n\tcheck %ok, \"too few addresses are not mapped\"\n\texit\n}"
}' >"$tmp/k.ir"

for machine in "" "-D warp_size=64" "-D warp_size=8 -D sm.max_threads_per_block=256" "-D sm.max_registers_per_thread=16" "-m its" "-m dwf" "-m tbc" "-m dws" "-m mimd" "-m multi_path"; do
	for how in "" --functional; do
		# shellcheck disable=SC2086
		$gsim -q --verify --laws $machine $how "$tmp/k.ir" >"$tmp/out" 2>&1 || bad "$machine $how: status $?: $(head -n 5 "$tmp/out")"
	done
done
$gsim -q --reference "$tmp/k.ir" || bad "the reference interpreter"
[ "$failed" = 0 ] || exit 1

# The figures: 16 of 32 words of which 8 lanes are misaligned, in a launch that has nothing else.
load=ld.global.nonfaulting.u32
kernel() {
	printf 'kernel k(u64 in) {\nB:\t%%t = mov.u32 %%tid.x\n\t%%a = ld.param.u64 [in]\n\t%%i = shl.b32 %%t, 2\n\t%%p = setp.ge.u32 %%t, 24\n\t@%%p %%i = sub.u32 %%i, 95\n'
	printf '\t%%o = cvt.u64.u32 %%i\n\t%%a = add.u64 %%a, %%o\n\t%%x = %s [%%a]\n\texit\n}\n' "$1"
	printf 'host main() {\nH:\t%%b = alloc.u64 64\n\tlaunch k, (1,1,1), (32,1,1), 0, (%%b)\n\texit\n}\n'
}
kernel $load >"$tmp/f.ir"
kernel ld.global.u32 >"$tmp/plain.ir"
$gsim -q --laws -s "$tmp/f.json" -s "$tmp/f.txt" "$tmp/f.ir" || bad "the figures' kernel"
grep -q '"nonfaulting": {"loads": 1, "lanes": 32, "zero_loads": 1, "zero_lanes": 16}' "$tmp/f.json" || bad "JSON: $(grep nonfaulting "$tmp/f.json")"
grep -q 'nonfaulting loads 1  lanes 32  with nothing to load: 1  lanes 16$' "$tmp/f.txt" || bad "text: $(grep nonfaulting "$tmp/f.txt")"
$gsim -q --grid -m ipdom -m its -s "$tmp/f.csv" "$tmp/f.ir" || bad "the grid"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$column["nonfaulting_loads"] != 1 || $column["zero_loads"] != 1 { print; exit 1 }' "$tmp/f.csv" || bad "CSV"
$gsim -q "$tmp/plain.ir" >"$tmp/out" 2>&1
[ $? = 1 ] && grep -q 'access outside every allocation\|misaligned access' "$tmp/out" || bad "a plain load does not fault: $(cat "$tmp/out")"
sed 's/, 24$/, 64/; s/(32,1,1)/(16,1,1)/' "$tmp/plain.ir" >"$tmp/fits.ir"
$gsim -q -s "$tmp/fits.json" -s "$tmp/fits.txt" "$tmp/fits.ir" || bad "a plain load that fits"
$gsim -q --grid -m ipdom -s "$tmp/fits.csv" "$tmp/fits.ir" || bad "the grid of a plain load"
cat "$tmp/fits.json" "$tmp/fits.txt" "$tmp/fits.csv" | grep -q '"nonfaulting\|nonfaulting loads\|nonfaulting_loads\|zero_loads' && bad "reports speak of nonfaulting loads where there are none"
"${GSIM_COMPARE:-./gsim-compare}" "$tmp/fits.json" "$tmp/f.json" >"$tmp/out"
grep -q '^memory.nonfaulting.zero_loads  *-  *1' "$tmp/out" || bad "gsim-compare: $(cat "$tmp/out")"
exit $failed
