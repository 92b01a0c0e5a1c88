#!/bin/sh
# Local memory: accesses of every size, by all lanes at one address, by lanes at different addresses, by some of the lanes, through
# generic addresses too, on warps of several widths. The results are the reference interpreter's, which knows no warps.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
tmp=${TMPDIR:-/tmp}/gsim-local.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# access STATE SPACE: each type written and read where STATE says, what was read goes into %sum
access() {
	for type in u8 s8 u16 s16 u32 s32 f32 u64 s64 f64; do
		case $type in *8) bytes=1 ;; *16) bytes=2 ;; *32) bytes=4 ;; *64) bytes=8 ;; esac
		case $type in *64) value=%w read=%y ;; *) value=%v read=%x ;; esac
		case $type in f32) value=%f read=%g ;; f64) value=%e read=%h ;; esac
		printf '\tst.%s.%s [%s+%d], %s\n\t%s = ld.%s.%s [%s+%d]\n' "$2" $type "$1" $((bytes * 3)) $value $read "$2" $type "$1" $((bytes * 3))
		case $read in
		%x) printf '\t%%z = cvt.u64.u32 %%x\n' ;;
		%y) printf '\t%%z = mov.u64 %%y\n' ;;
		%g) printf '\t%%x = mov.b32 %%g\n\t%%z = cvt.u64.u32 %%x\n' ;;
		%h) printf '\t%%z = mov.b64 %%h\n' ;;
		esac
		printf '\t%%sum = mad.lo.u64 %%sum, 31, %%z\n'
	done
	printf '\tst.%s.v2.u32 [%s+40], {%%v, %%t}\n\tst.%s.v4.u32 [%s+64], {%%t, %%v, 7, %%v}\n\tst.%s.v2.u64 [%s+80], {%%w, %%sum}\n' "$2" "$1" "$2" "$1" "$2" "$1"
	printf '\t{%%a0, %%a1, %%a2, %%a3} = ld.%s.v4.u32 [%s+32]\n\t{%%b0, %%b1} = ld.%s.v2.u64 [%s+64]\n\t{%%c0, %%c1} = ld.%s.v2.u16 [%s+84]\n' "$2" "$1" "$2" "$1" "$2" "$1"
	printf '\t%%a0 = xor.b32 %%a0, %%a2\n\t%%a1 = add.u32 %%a1, %%a3\n\t%%a0 = add.u32 %%a0, %%c0\n\t%%a1 = add.u32 %%a1, %%c1\n'
	printf '\t%%z = cvt.u64.u32 %%a0\n\t%%sum = add.u64 %%sum, %%z\n\t%%z = cvt.u64.u32 %%a1\n\t%%sum = mad.lo.u64 %%sum, 7, %%z\n'
	printf '\t%%sum = xor.b64 %%sum, %%b0\n\t%%sum = add.u64 %%sum, %%b1\n'
}

{
	printf 'kernel k(u64 out) {\n\tlocal u8 array[512] align 16\n\treg u32 %%x\n\treg u32 %%c0\n\treg u32 %%c1\nB:\t%%p = ld.param.u64 [out]\n\t%%t = mov.u32 %%tid.x\n\t%%v = mul.lo.u32 %%t, 2654435761\n'
	printf '\t%%w = mul.wide.u32 %%v, 97531\n\t%%f = cvt.rn.f32.u32 %%v\n\t%%e = cvt.rn.f64.u32 %%v\n\t%%sum = mov.u64 0\n'
	printf '\t%%k = and.b32 %%t, 7\n\t%%k = mul.lo.u32 %%k, 48\n\t%%at = mov.u64 array\n\t%%far = cvt.u64.u32 %%k\n\t%%far = add.u64 %%at, %%far\n'
	printf '\t%%any = cvta.local.u64 %%far\n\t%%odd = and.b32 %%t, 3\n\t%%q = setp.eq.u32 %%odd, 1\n'
	access array local
	access %at local
	access %far local
	access %any generic
	printf '\tbra %%q, C, D\nC:\n'
	access %at local
	access %far local
	printf '\t%%old = atom.generic.add.u32 [%%any+4], %%v\n\t%%z = cvt.u64.u32 %%old\n\t%%sum = add.u64 %%sum, %%z\n'
	printf '\t%%y = atom.generic.max.u64 [%%any+8], %%w\n\t%%sum = xor.b64 %%sum, %%y\n\tbra D\nD:\n'
	access array local
	printf '\t%%o = mul.wide.u32 %%t, 8\n\t%%p = add.u64 %%p, %%o\n\tst.global.u64 [%%p], %%sum\n\texit\n}\n'
	printf 'host main() {\nH:\t%%b = alloc.u64 1024\n\tlaunch k, (1,1,1), (100,1,1), 0, (%%b)\n\texit\n}\n'
} | sed 's/\.generic\././' >"$tmp/k.ir"

for machine in "-D warp_size=32" "-D warp_size=64" "-D warp_size=8 -D sm.max_threads_per_block=256" "-m its" "-m dwf" "-m tbc" "-m mimd"; do
	for how in "" --functional; do
		# shellcheck disable=SC2086
		$gsim -q --verify $machine $how "$tmp/k.ir" >"$tmp/out" 2>&1 || {
			echo "FAILED: $machine $how: status $?"
			head -n 5 "$tmp/out"
			failed=1
		}
	done
done
exit $failed
