#!/bin/sh
# Each reason that melding and branch fusion give in --remarks for what they leave alone, on the smallest kernel that has it; and that nothing else is said.
opt=${GSIM_OPT:-./gsim-opt}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0 machine=
configs=${srcdir:-.}/configs

# A kernel whose block A branches on %c to T and F; the text says what stands from T on. Threads differ in %t,
# %d, %e.
kernel() {
	printf 'kernel k(u64 out) {\n\treg u64 %%p\n\treg u32 %%t, %%x, %%y, %%i\n\treg pred %%c, %%d, %%e\nA:\n%%t = mov.u32 %%tid.x\n%%p = ld.param.u64 [out]\n'
	printf '%%p = mad.wide.u32 %%t, 16, %%p\n%%c = setp.lt.u32 %%t, 9\n%%d = setp.gt.u32 %%t, 3\n%%e = setp.eq.u32 %%t, 5\n%%x = mov.u32 %%t\n%%y = mov.u32 %%t\n'
	printf 'bra %%c, T, F\n%s\n}\n' "$1"
}
says() { # pass, what a remark says, the code from T on
	n=$((n + 1))
	kernel "$3" >"$tmp/k.ir"
	"$opt" ${machine:+-c "$machine"} --remarks -p "$1" -o "$tmp/out.ir" "$tmp/k.ir" 2>"$tmp/said" || { echo "$1 fails on:"; cat "$tmp/k.ir"; bad=1; }
	grep -qF -e "remark: ${1%%(*}: k: $2" "$tmp/said" || { echo "$1: no remark '$2' but:"; cat "$tmp/said"; bad=1; }
}
T='%x = ld.global.u32 [%p]
st.global.u32 [%p+4], %x'
F='%y = ld.global.u32 [%p+8]
st.global.u32 [%p+12], %y'
end='bra J
J: exit'

says meld 'the branch of A: T and F become one: 2 pairs of instructions become one each, 0 stay on one side; ' "T: $T
bra J
F: $F
$end"
says meld 'the branch of A stays: one of its arms is empty' "T: $T
bra F
F: exit"
says meld 'the branch of A stays: other threads come to what begins with T, too' "T: $T
bra J
F: $F
bra %e, T, G
G: $F
$end"
says meld 'the branch of A stays: from T on, some threads end before they meet those of the other arm' "T: $T
bra %d, G, J
F: $F
bra %e, G, J
G: exit
J: $F
exit"
says meld 'the branch of A stays: other threads come to what begins with T, too' "T: $T
bra %d, G, H
F: $F
bra %e, G, J
G: $F
bra H
H: exit
J: exit"
# A loop that begins with the function.
says meld 'the branch of F stays: one of its arms is empty' "T: bra F
F: %e = setp.lt.u32 %y, 99
bra %e, G, J
G: $T
bra A
J: exit"
says branch-fusion 'the branch of A stays: its arms are not a block each' "T: $T
bra %d, G, J
G: $T
bra J
F: $F
$end"
says 'meld(cells=1)' 'the branch of A stays: blocks of its arms are so long that they were aligned in 2 pieces; cells=1 allows no larger table' "T: %x = shr.u32 %x, 3
st.global.u32 [%p+4], %x
bra J
F: st.global.u32 [%p+8], %y
%y = shr.u32 %y, 5
$end"
says 'meld(cells=16)' 'the branch of A stays: its arms have 2 and 2 subgraphs, and two of them that are compared count as 16 cells; to align all, cells has to be 48' "T: $T
bra %d, T1, T2
T1: $T
bra T2
T2: $T
bra J
F: $F
bra %e, F1, F2
F1: $F
bra F2
F2: $F
$end"
says 'meld(threshold=1)' 'the branch of A stays: T and F would cost ' "T: %x = add.u32 %x, %t
%y = xor.b32 %y, 7
bra J
F: %y = add.u32 5, %t
%x = xor.b32 9, %t
$end"
# Both chases wait for their loads at a time; as one, a turn is a choice, the load and a choice, all of which
# the next turn waits for, and nothing parts any more: turns of 37 cycles become turns of 57.
chases='T: bra L
F: bra L
L: bra %c, T1, F1
T1: %x = ld.shared.u32 [%x]
bra J
F1: %y = ld.shared.u32 [%y]
bra J
J: %t = add.u32 %t, 1
%e = setp.lt.u32 %t, 99
bra %e, L, E
E: st.global.u32 [%p], %x
st.global.u32 [%p+4], %y
exit'
says meld 'the branch of L stays: T1 and F1 would cost 410 cycles as one, not 560, but 10 turns of the loop of L take a warp alone 374 cycles, and would take 570' "$chases"
says 'meld(check=latency)' 'the branch of L: T1 and F1 become one: 1 pair of instructions becomes one, 0 stay on one side; 560 cycles become 410 ' "$chases"
# Without a loop, where shared memory takes 19 cycles. The addition keeps the branch: the warp parts for 12
# cycles before and after. Behind it, addition and loads are there after 25 cycles, as one with the choices after 37.
# 7 instructions, three of them the mechanism's, become 9, each of which is fetched in 26.6 cycles; with jumps
# 9 are issued, and 12.
machine=$tmp/fast.lua
GSIM_PATH=$configs
export GSIM_PATH
echo "return derive('volta.lua', { shared = { latency = 19 } })" >"$machine"
says meld 'the branch of A stays: T and F would cost 39 cycles as one, not 44, but take longer: a warp alone takes 223 cycles, and would take 288; each of many takes 9 cycles of the unit that is asked for most, and would take 12' "T: %x = add.u32 %x, 4
%x = ld.shared.u32 [%x]
bra J
F: %y = ld.shared.u32 [%y]
bra J
J: st.global.u32 [%p], %x
st.global.u32 [%p+4], %y
exit"
machine=
# Chases in loops of their own, within the other: one begins behind the end of the other one, and two times
# ten turns become ten that are a little longer.
says meld 'the branch of L: T1 and F1 become one: 3 pairs of instructions become one each' "T: bra L
F: bra L
L: %i = mov.u32 0
bra %c, T1, F1
T1: %x = ld.shared.u32 [%x]
%i = add.u32 %i, 1
%d = setp.lt.u32 %i, 9
bra %d, T1, J
F1: %y = ld.shared.u32 [%y]
%i = add.u32 %i, 1
%d = setp.lt.u32 %i, 9
bra %d, F1, J
J: %t = add.u32 %t, 1
%e = setp.lt.u32 %t, 99
bra %e, L, E
E: st.global.u32 [%p], %x
st.global.u32 [%p+4], %y
exit"
says meld 'the branch of A stays: at best 0 % of the cycles of two subgraphs would be saved, and threshold asks for 20 %' "T: %x = ld.global.u32 [%p]
%x = div.u32 %x, 7
bra J
F: %y = add.u32 %y, 3
$end"
says meld 'the branch of A stays: bar.sync in T depends on which threads execute it together' "T: bar.sync 0
bra J
F: bar.sync 0
$end"
says meld 'the branch of A stays: brx in T is an indexed branch' "T: brx %t, [G, J]
G: $T
bra J
F: $F
$end"
says meld 'the branch of A stays: the loop at T, by its atom in line ' "T: %x = atom.global.add.u32 [%p], 0
%d = setp.eq.u32 %x, 0
bra %d, T, J
F: %y = atom.global.add.u32 [%p], 0
%e = setp.eq.u32 %y, 0
bra %e, F, J
J: exit"
says 'meld(blocks=1)' 'the branch of A stays: what begins with T has more blocks than blocks=1 allows' "T: $T
bra %d, G, J
G: $T
bra J
F: $F
$end"
says meld 'the branch of A stays: nothing in its arms has the same form, but would have with swap=1: one side goes out to J where the other goes on to G' "T: $T
bra %d, G, J
G: $T
bra J
F: $F
bra %d, J, H
H: $F
$end"
says meld 'the branch of A stays: nothing in its arms has the same form: threads end in what begins with T, and go on from what begins with F' "T: $T
exit
F: $F
bra %d, G, H
G: $F
bra H
H: exit"
says meld 'the branch of A stays: nothing in its arms has the same form: T has no instruction but its last one' "T: exit
F: $F
exit"
says 'meld(replicate=0)' 'the branch of A stays: nothing in its arms has the same form: F is a block alone and T is not, and replicate=0 does not let it have that form' "T: $T
bra %d, G, J
G: $T
bra J
F: $F
$end"
says meld 'the branch of A stays: nothing in its arms has the same form: T and F, in which threads end, are not both a block' "T: $T
bra %d, G, H
G: exit
H: exit
F: $F
exit"
says meld 'the branch of A stays: nothing in its arms has the same form: a way through what begins with T that comes by a block like F would come to some block twice' \
	"T: %x = sub.u32 %x, 1
%d = setp.eq.u32 %x, 0
bra %d, G, J
G: $T
bra T
F: $F
$end"
says meld 'the branch of A stays: nothing in its arms has the same form: T ends with a branch of 2 ways, F with a jump' "T: $T
bra %d, T1, J
T1: $T
bra J
F: $F
bra F1
F1: %t = sub.u32 %t, 1
%e = setp.eq.u32 %t, 3
bra %e, F, J
J: exit"
says meld 'the branch of A stays: nothing in its arms has the same form: T1 and F are led to in different ways' "T: $T
bra %d, T1, J
T1: $T
bra %d, T1, J
F: $F
bra %e, F1, J
F1: $F
bra %e, F, J
J: exit"
says meld 'the branch of A stays: G is a reconvergence point that the source asks for' "T: $T
bra %d, G, J !reconverge G
G: $T
bra J
F: $F
bra %e, H, J
H: $F
$end"
long='%x = add.u32 %x, 1
%x = xor.b32 %x, 3
%x = mul.lo.u32 %x, 5
%x = sub.u32 %x, 7'
says 'meld(cells=4)' 'the branch of A: blocks of its arms are so long that they were aligned in 2 pieces; cells=4 allows no larger table' "T: $long
bra J
F: $long
$end"
says 'meld(work=1)' 'no further round after 1: work=1 blocks are used up; a second run may meld more' "T: $T
bra J
F: $F
$end"
diamonds() { # label, last block: seven diamonds one behind the other, in one if-then
	echo "$1: bra %e, ${1}1, J"
	for k in 1 2 3 4 5 6 7; do
		printf '%s: bra %%d, %sy, %sn\n%sy: bra %s\n%sn: bra %s\n' "$1$k" "$1$k" "$1$k" "$1$k" "$1$((k + 1))" "$1$k" "$1$((k + 1))"
	done
	echo "${1}8: $2"
}
says 'meld(swap=1)' 'the branch of A stays: nothing in its arms has the same form: it took more than 184 steps to compare them' "$(diamonds T 'bra J')
$(diamonds F 'bra %d, G, J')
G: $T
$end"
says meld 'the branch of A, which melding made, stays: ' "T: %x = ld.global.u32 [%p]
%x = mul.lo.u32 %x, %x
%x = add.u32 %x, 4
st.global.u32 [%p], %x
bra J
F: %x = ld.global.u32 [%p]
%x = min.u32 %x, 99
%x = add.u32 4, %y
%x = xor.b32 %x, 3
st.global.u32 [%p], %x
$end"
says meld 'the branch of A stays: nothing in its arms has the same form: T1 ends with exit, F1 with ret' "T: $T
bra %d, T1, T2
T1: $T
exit
T2: exit
F: $F
bra %d, F1, F2
F1: $F
ret
F2: exit"
says meld 'the branch of A stays: its arms are empty' "T: bra J
F: $end"
# A branch that has become one of two has the names of both; no two branches have one name.
nested="T: $T
bra %d, G, J
G: $T
bra J
F: $F
bra %d, H, J
H: $F
$end"
says meld 'the branch of A: T and F become one: ' "$nested"
says meld 'the branch of T and F, at the end of A, stays: one of its arms is empty' "$nested"
one="T: $T
bra J
F: $F
bra %d, G, J
G: $F
$end"
says meld 'the branch of A: T is given the form of the region around ' "$one"
# How many regions go together, and how many blocks get the form of one.
counts() { # how many of both, the code from T on
	kernel "$3" >"$tmp/k.ir"
	"$opt" --pass-stats -p meld -o "$tmp/out.ir" "$tmp/k.ir" 2>"$tmp/stats"
	regions=$(sed -n 's/.* regions melded with regions *//p' "$tmp/stats")
	forms=$(sed -n "s/.* blocks given a region's form *//p" "$tmp/stats")
	[ "${regions:-0} ${forms:-0}" = "$1 $2" ] || {
		echo "not $1 regions and $2 forms:"; cat "$tmp/stats"; bad=1
	}
}
other="T: $T
bra %d, G, J
G: $T
bra J
F: $F
$end"
counts 1 0 "$nested"
counts 0 1 "$one"
counts 0 1 "$other"
counts 0 0 "T: $T
bra J
F: $F
$end"
# Where the lanes of a block go in a region's form: out, or on to where the block's place is.
shows() { # text on the side where threads have the block, the code from T on
	kernel "$2" >"$tmp/k.ir"
	"$opt" --print meld "$tmp/k.ir" >"$tmp/said" || { echo "--print fails on:"; cat "$tmp/k.ir"; bad=1; }
	grep -qF -e "$1" "$tmp/said" || { echo "not shown: $1"; cat "$tmp/said"; bad=1; }
}
behind="T: $T
bra J
F: %i = add.u32 %t, 1
bra %d, G, J
G: $F
$end"
shows '(always goes out)' "$one"
shows '(always goes out)' "$other"
shows '(no thread comes here)' "$one"
shows '(always goes on to where the other side has G)' "$behind"
shows '(no code: threads pass)' "$behind"
# Instructions that could become one, but for the choices that it would take.
kernel "T: %x = ld.global.u32 [%p]
%x = mul.lo.u32 %x, %x
%y = add.u32 %t, 5
bra J
F: %x = ld.global.u32 [%p]
%x = mul.lo.u32 %x, %x
%x = add.u32 %x, 9
$end" >"$tmp/k.ir"
"$opt" --print meld "$tmp/k.ir" >"$tmp/said"
grep -q '%y = add.u32 %t, 5 *# *%x = add.u32 %x, 9' "$tmp/said" || { echo "no pair is shown that stays apart:"; cat "$tmp/said"; bad=1; }
says tail-merge 'T and F end alike before J_tail, and stay from bar.sync on: it depends on which threads execute it together' "T: bar.sync 0
%x = add.u32 %x, 1
bra J
F: bar.sync 0
%x = add.u32 %x, 1
$end"
# In whatever is melded, a name is that of one branch: of one place in the source.
for file in "${srcdir:-.}"/kernels/melding/*.ir "${srcdir:-.}"/kernels/srad/srad.ptx "${srcdir:-.}"/kernels/pcm/pcm.ptx "${srcdir:-.}"/kernels/lu/lu.ptx; do
	for pass in meld 'meld(check=latency,threshold=1)' unroll,meld; do
		"$opt" --remarks -p "$pass" -o "$tmp/out.ir" "$file" 2>&1 | grep ': remark: meld: .*: the branch of ' | awk '
			{ at = $1; sub(/.*: remark: meld: /, ""); sub(/ stays: .*/, ""); sub(/: [^ ]* and [^ ]* become one: .*/, ""); sub(/: [^ ]* is given the form .*/, "")
			sub(/: blocks of its arms .*/, "") }
			$0 in place && place[$0] != at { print "two branches are " $0 ": " place[$0] " " at; bad = 1 }
			{ place[$0] = at } END { exit bad || !NR }' || { echo "$pass of $file"; bad=1; }
	done
done
[ $n -gt 20 ] || bad=1
exit $bad
