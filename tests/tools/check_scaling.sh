#!/bin/sh
# What once took the square of the number of blocks: 31,623 of them take a fraction of a second each, so ten say that it is back.
set -eu

# SHAPES THINGS
fast() {
	tools/bench-passes --shapes "$1" --things "$2" --most 31623 --limit 10 >scaling.out
	if [ "$(wc -l <scaling.out)" -lt 2 ] || grep over scaling.out; then
		echo "$1: $2: too slow, or not measured" >&2
		exit 1
	fi
}

fast carried-far ssa,dce,const-prop,copy-prop
fast ladder,nested,brx-wide,nest-left,nest-entered structurize
rm -f scaling.out

# --annotate looked at all instructions for each line: 12,000 lines take half a second, and then took minutes.
{
	printf 'kernel k()\n{\n\treg u32 %%t\n\treg pred %%p\nB: %%t = mov.u32 %%tid.x\n\tbra L0\n'
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "L%d:\n\t%%p = setp.lt.u32 %%t, %d\n\tbra %%p, M%d, L%d\nM%d:\n\tbra L%d\n", i, i % 31 + 1, i, i + 1, i, i + 1 }'
	printf 'L4000: exit\n}\n'
} >scaling.ir
echo 'gpu.launch { kernel = "k", grid = 1, block = 32, args = {} }' >scaling.lua
timeout 20 ./gsim --functional --annotate scaling.ir >scaling.out || { echo "gsim --annotate: too slow, or it failed" >&2; exit 1; }
grep -q '^ .* sum of the lines$' scaling.out || { echo "gsim --annotate: no sum" >&2; exit 1; }
rm -f scaling.out scaling.ir scaling.lua

# ---- how time grows ----
# Hundredths of a second of processor time that the command takes.
cost() {
	("$@" >/dev/null 2>scaling.err || { cat scaling.err >&2; exit 1; }
	times) | awk 'NR == 2 { gsub(/[ms]/, " "); print int(($1 * 60 + $2 + $3 * 60 + $4) * 100 + 0.5) }'
}

# grows WHAT MAKE SMALL LARGE COMMAND...: MAKE N writes the input of size N. The power of the size with which time grows is 2 where a step
# goes over all others, and 1 where it doesn't; between them lies room for caches and for sorting.
grows() {
	what=$1 make=$2 small=$3 large=$4
	shift 4
	$make "$small"
	a=$(cost "$@")
	$make "$large"
	b=$(cost "$@")
	echo "$what: $small take $a, $large take $b hundredths of a second"
	awk -v a="$a" -v b="$b" -v n="$small" -v m="$large" 'BEGIN { exit !(b != "" && log(b / (a < 2 ? 2 : a)) / log(m / n) < 1.6) }' || {
		echo "$what: time grows too fast" >&2
		exit 1
	}
}

many_buffers() {
	cat >scaling.ir <<-END
	kernel k(u64 a) { exit }
	host main() {
	%i = mov.u32 0
	bra L
	L: %a = alloc.u64 1
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, $1
	bra %p, L, E
	E: exit
	}
	END
}
grows 'buffers that --verify compares' many_buffers 20000 160000 ./gsim -q --verify scaling.ir
rm -f scaling.ir scaling.err
