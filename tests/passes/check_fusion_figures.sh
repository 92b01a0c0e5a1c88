#!/bin/sh
# Figures 5.1, 5.2, 5.3 and 5.14 of Fukuhara's thesis: launches on every way through the host function, with the same memory as without the pass, and, of figure 5.1, accesses to
# global memory.
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
srcdir=${srcdir:-.}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-fusion-figures.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

# launches PASSES FILE: how many there are; results are compared with the reference interpreter's on the
# program as it is
launches() {
	"$gsim" --functional --verify -q -p "$1" --stats "$tmp/stats.json" "$2" >"$tmp/out" 2>&1 || fail "$1 $2: $(cat "$tmp/out")"
	grep -c "\"grid\":" "$tmp/stats.json"
}

# path FIGURE WAY LAUNCHES-BEFORE PASS LAUNCHES-AFTER ...: branches go by WAY
path() {
	figure=$1 way=$2 before=$3
	shift 3
	sed "s/^\(global u32 way\[.*\] = \).*/\1{ $way }/" "$srcdir/tests/passes/fusion/figure_$figure.ir" >"$tmp/figure.ir"
	n=$(launches none "$tmp/figure.ir")
	[ "$n" -eq "$before" ] || fail "figure $figure, way $way: $n launches, expected $before"
	while [ $# -gt 0 ]; do
		n=$(launches "$1" "$tmp/figure.ir")
		[ "$n" -eq "$2" ] || fail "figure $figure, way $way, $1: $n launches, expected $2"
		shift 2
	done
}

path 5_2 1 2 kf-trad 2 bkf 1 kfcm 1
path 5_2 0 1 kf-trad 1 bkf 1 kfcm 1
# 4..9..11, 4..9..10, 5..9..11, 5..9..10, 4..8, 5..8
path 5_3 "0, 0, 0" 4 kf-trad 4 kfcm 2
path 5_3 "0, 0, 1" 3 kf-trad 3 kfcm 2
path 5_3 "1, 0, 0" 3 kf-trad 3 kfcm 2
path 5_3 "1, 0, 1" 2 kf-trad 2 kfcm 2
path 5_3 "0, 1, 0" 2 kf-trad 2 kfcm 1
path 5_3 "1, 1, 0" 1 kf-trad 1 kfcm 1
# 1, 4, 6: only the two phases together; 1, 3; 5, 6
path 5_14 "0, 0" 2 kf-trad 2 bkf 2 fkf 2 kfcm 1
path 5_14 "0, 1" 1 kf-trad 1 bkf 1 fkf 1 kfcm 1
path 5_14 "1, 0" 1 kf-trad 1 bkf 1 fkf 1 kfcm 1

# where FIGURE PASS: the blocks in which launches stand, with their kernels
where() {
	"$opt" -p "$2" "$srcdir/tests/passes/fusion/figure_$1.ir" -o "$tmp/out.ir" || fail "$1 $2"
	awk '/^host/ { on = 1 } on && /^[a-z0-9_]+:/ { block = $1 } on && $1 == "launch" { sub(/,$/, "", $2); printf "%s%s ", block, $2 }' "$tmp/out.ir"
}

stands() {
	out=$(where "$1" "$2")
	[ "$out" = "$3 " ] || fail "figure $1, $2: $out, expected $3"
}

stands 5_2 kfcm "then:fused_K1_K2 else:K2"
stands 5_3 kf-trad "n4:K1 n6:K2 n9:K3 n11:K4"
stands 5_3 kfcm "n4:fused_K1_K2 n5:K2 n10:K3 n11:fused_K3_K4"
stands 5_14 kfcm "n3:K1 n4:fused_K1_K2 n5:K2"

# accesses PASSES LOADS STORES FILE: by the one warp, all launches together
accesses() {
	"$gsim" --verify -q -p "$1" --stats "$tmp/stats.json" "$4" >"$tmp/out" 2>&1 || fail "$1 $4: $(cat "$tmp/out")"
	for what in "global_loads $2" "global_stores $3"; do
		n=$(tr -d ' \n' <"$tmp/stats.json" | sed 's/.*"total"://' | grep -o "\"${what% *}\":[0-9]*" | head -n 1)
		[ "${n#*:}" = "${what#* }" ] || fail "figure 5.1, $1: $n, expected ${what#* }"
	done
}

accesses none 3 2 "$srcdir/tests/passes/fusion/figure_5_1.ir"
accesses kf-trad 2 1 "$srcdir/tests/passes/fusion/figure_5_1.ir"
# without free d_out1 is a result: the load goes alone
grep -v 'free' "$srcdir/tests/passes/fusion/figure_5_1.ir" >"$tmp/kept.ir"
accesses kf-trad 2 2 "$tmp/kept.ir"

# what is not fused stays as it was, byte for byte
for p in kf-trad bkf fkf; do
	"$opt" "$srcdir/tests/passes/fusion/figure_5_14.ir" -o "$tmp/as_is.ir"
	"$opt" -p $p "$srcdir/tests/passes/fusion/figure_5_14.ir" -o "$tmp/out.ir"
	cmp -s "$tmp/as_is.ir" "$tmp/out.ir" || fail "$p has changed figure 5.14, and fused nothing"
done

# what was made on the way to a larger kernel goes, with its shared variable; kernels of the source stay, and
# so does the address of a function
{
	for k in one two three; do
		printf 'kernel %s(u64 a) {\n\tshared u32 s[8]\n\t%%a = ld.param.u64 [a]\n\t%%t = mov.u32 %%tid.x\n\tst.shared.u32 [s], 1\n\t%%a = mad.wide.u32 %%t, 4, %%a\n' $k
		printf '\t%%v = ld.global.u32 [%%a]\n\t%%v = mad.lo.u32 %%v, 3, 1\n\tst.global.u32 [%%a], %%v\n\texit\n}\n'
	done
	printf 'func f(u32 %%x) -> (u32 %%y) {\n\t%%y = add.u32 %%x, 1\n\tret\n}\nglobal u64 table[1] = { f }\n'
	printf 'host main() {\n\t%%x = alloc.u64 128\n\tlaunch one, 1, 32, 0, (%%x)\n\tlaunch two, 1, 32, 0, (%%x)\n\tlaunch three, 1, 32, 0, (%%x)\n'
	printf '\tsynchronize\n\tlaunch one, 1, 32, 0, (%%x)\n\tlaunch two, 1, 32, 0, (%%x)\n\texit\n}\n'
} >"$tmp/chain.ir"
kernels() {
	"$opt" -p "$1" "$2" -o "$tmp/out.ir" || fail "$1 $2"
	"$gsim" --verify -q "$tmp/out.ir" >"$tmp/out" 2>&1 || fail "$1 $2: $(cat "$tmp/out")"
	out=$(awk '$1 == "kernel" { sub(/\(.*/, "", $2); printf "%s ", $2 }' "$tmp/out.ir")
	[ "$out" = "$3 " ] || fail "$2, $1: kernels $out, expected $3"
}
for p in kf-trad bkf fkf kfcm; do
	kernels $p "$tmp/chain.ir" "one two three fused_one_two fused_one_two_three"
	sed '/synchronize/,/two, 1/d' "$tmp/chain.ir" >"$tmp/short.ir"
	kernels $p "$tmp/short.ir" "one two three fused_one_two_three"
done

# two kernels that are too large together stay two
large() {
	awk -v n="$1" '{ print } /mad.lo/ { for (k = 1; k < n; k++) print }' "$tmp/short.ir" | grep -v "launch three" >"$tmp/large.ir"
	kernels kf-trad "$tmp/large.ir" "$2"
}
large 1000 "one two three fused_one_two"
large 1100 "one two three"
exit $failed
