#!/bin/sh
# An atomic operation whose result nobody reads is a reduction: it takes what `red` takes, under every mechanism and on every way. One whose
# result is read on some way keeps it, and so do exchanges, which no reduction does.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# kernel FIRST SECOND LAST: lanes add to eight words, in turns that part; LAST stands behind the loop
kernel() {
	cat <<END
kernel k(u64 out)
{
	reg u64 %o, %p
	reg u32 %t, %i, %v, %w
	reg pred %c
enter:
	%o = ld.param.u64 [out]
	%t = mov.u32 %tid.x
	%i = and.b32 %t, 7
	%p = mad.wide.u32 %i, 4, %o
	%v = mov.u32 0
	%w = mov.u32 0
	bra turn
turn:
	$1
	%c = setp.gt.u32 %i, 3
	$2
	%i = add.u32 %i, 1
	%c = setp.lt.u32 %i, 12
	bra %c, turn, leave
leave:
	$3
	exit
}
host main()
{
	reg u64 %o
start:
	%o = alloc.u64 256
	launch k, (4, 1, 1), (64, 1, 1), 0, (%o)
	exit
}
END
}
cycles() { # FILE MODEL
	"$gsim" -q --alone -c volta.lua -m "$2" -s - "$1" | sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' | head -n 1
}
disassembled() { # TEXT COUNT FILE: so many instructions of the machine code begin so
	[ "$("$gsim" -c volta.lua --disassemble "$3" | grep -cF "  $1")" = "$2" ] || { echo "FAILED: not $2 times '$1' in:"; cat "$3"; failed=1; }
}
kernel '%v = atom.global.add.u32 [%p], 1' '@%c %v = atom.global.max.u32 [%p+32], %i' '' >"$tmp/unread.ir"
kernel 'red.global.add.u32 [%p], 1' '@%c red.global.max.u32 [%p+32], %i' '' >"$tmp/red.ir"
kernel '%v = atom.global.add.u32 [%p], 1' '@%c %v = atom.global.max.u32 [%p+32], %i' 'st.global.u32 [%o+128], %v' >"$tmp/read.ir"
kernel '%v = atom.global.exch.b32 [%p], 1' '%w = atom.global.cas.b32 [%p+32], 0, %i' '' >"$tmp/exch.ir"
for model in ipdom its dws dwf mimd serial; do
	unread=$(cycles "$tmp/unread.ir" $model) red=$(cycles "$tmp/red.ir" $model) read=$(cycles "$tmp/read.ir" $model)
	[ "$unread" = "$red" ] || { echo "FAILED: $model: an atomic that nobody reads takes $unread cycles, a reduction $red"; failed=1; }
	[ "$read" -gt "$unread" ] || { echo "FAILED: $model: an atomic whose result is read takes $read cycles, one that nobody reads $unread"; failed=1; }
done
disassembled '_ = atom.global.add' 1 "$tmp/unread.ir"
disassembled '@%c _ = atom.global.max' 1 "$tmp/unread.ir"
disassembled '%v = atom.global.add' 1 "$tmp/read.ir" # the one under the guard does not write %v in every lane
disassembled '@%c %v = atom.global.max' 1 "$tmp/read.ir"
disassembled '%v = atom.global.exch' 1 "$tmp/exch.ir"
disassembled '%w = atom.global.cas' 1 "$tmp/exch.ir"
exit $failed
