#!/bin/sh
# An assertion on one side of a divergent branch costs no more than a jump to where the sides meet: nobody goes on behind a
# trap, so the sides meet there. A thread that comes to it ends the launch, under every mechanism.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

kernel() { # the last thread that does not fail, what the failing side ends in
	cat <<-END >"$tmp/k.ir"
	kernel k(u64 out, u32 n)
	{
	S:	%i = mov.u32 %tid.x
		%n = ld.param.u32 [n]
		%o = ld.param.u64 [out]
		%odd = and.b32 %i, 1
		%side = setp.eq.u32 %odd, 1
		%x = mov.u32 0
		%k = mov.u32 0
		bra %side, ODD, EVEN
	ODD:
		%x = add.u32 %x, 3
		%bad = setp.gt.u32 %i, $1
		bra %bad, FAIL, JOIN
	EVEN:
		%x = add.u32 %x, 5
		%bad = setp.gt.u32 %i, $1
		bra %bad, FAIL, JOIN
	JOIN:
		%x = mad.lo.u32 %x, 3, 1
		%k = add.u32 %k, 1
		%more = setp.lt.u32 %k, %n
		bra %more, JOIN, END
	END:
		%off = mul.wide.u32 %i, 4
		%a = add.u64 %o, %off
		st.global.u32 [%a], %x
		exit
	FAIL:
		$2
	}
	host main() {
		%b = alloc.u64 4096
		launch k, 1, 64, 0, (%b, 50)
		exit
	}
	END
}

figures() { # options; of the launch: cycles, warp instructions
	gsim -q --laws --verify "$@" -s "$tmp/report" "$tmp/k.ir" >&2 || exit 1
	"$lua" -e "local l = dofile('$top/tools/json.lua').read('$tmp/report').launches[1] print(l.cycles, l.warp_instructions)"
}

models=$(gsim --list models | sed -n 's/^\([a-z][a-z_]*\) .*/\1/p')
[ "$(echo "$models" | wc -l)" -gt 10 ] || { echo "FAILED: no list of mechanisms"; exit 1; }
for model in $models; do
	kernel 100 'bra JOIN'
	want=$(figures -m "$model" -D code.layout=source) || exit 1
	kernel 100 trap
	got=$(figures -m "$model" -D code.layout=source) || exit 1
	echo "$model: cycles, instructions $want; with a trap $got"
	[ "${got#*	}" -le "${want#*	}" ] || { echo "FAILED: more instructions than with a jump"; exit 1; }
	case $model in
	ipdom) [ "$got" = "$want" ] || { echo "FAILED: not as with a jump"; exit 1; } ;;
	esac
	kernel 40 trap
	gsim -q -m "$model" "$tmp/k.ir" >"$tmp/out" 2>&1
	[ $? = 1 ] && grep -q 'trap, block FAIL' "$tmp/out" || { echo "FAILED: $model does not trap"; cat "$tmp/out"; exit 1; }
done
