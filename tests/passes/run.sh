#!/bin/sh
# Each tests/passes/*.ir holds a module, the pipeline in its first line (`// passes: ...`) and what must come out, in lines
# that begin with `//=`: the printed module without places (!loc) and without the line of file 0, or the messages when
# gsim-opt fails.
opt=${GSIM_OPT:-./gsim-opt}
src=${srcdir:-.}/tests/passes
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
for file in "$src"/*.ir; do
	n=$((n + 1))
	passes=$(sed -n '1s|^// passes: *||p' "$file")
	sed -n 's|^//= \{0,1\}||p' "$file" >"$tmp/want"
	"$opt" -p "$passes" "$file" >"$tmp/out" 2>"$tmp/err"
	{
		sed 's/ !loc [0-9:]*//; /^file 0 /d' "$tmp/out"
		sed "s|^$file|FILE|" "$tmp/err"
	} >"$tmp/got"
	if ! diff -u "$tmp/want" "$tmp/got" >"$tmp/diff"; then
		echo "$file: passes $passes: something else came out:"
		cat "$tmp/diff"
		bad=1
	fi
	# what came out is a module that the same pipeline does not change, and that prints as itself
	if [ -s "$tmp/out" ]; then
		"$opt" -o "$tmp/again.ir" "$tmp/out" && cmp "$tmp/out" "$tmp/again.ir" || { echo "$file: does not print as itself"; bad=1; }
		"$opt" -p "$passes" -o "$tmp/twice.ir" "$tmp/out" 2>/dev/null
		cmp "$tmp/out" "$tmp/twice.ir" || { echo "$file: $passes twice is not $passes once"; bad=1; }
	fi
done
[ "$n" -ge 4 ] || { echo "only $n files in $src"; bad=1; }

expect() { # exit status, words on standard error, arguments
	want=$1 words=$2
	shift 2
	"$opt" "$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	if [ $got -ne "$want" ] || { [ -n "$words" ] && ! grep -qF -e "$words" "$tmp/err"; }; then
		echo "gsim-opt $*: exit status $got, not $want, or no \`$words' in:"
		cat "$tmp/err"
		bad=1
	fi
}
some=$src/short_circuit.ir
echo 'no report' >"$tmp/some.json"
expect 2 'no pass `linearise`; the nearest is `linearize`' -p 'dce,linearise' "$some"
expect 2 '--passes:1:5: error:' -p 'dce,linearise' "$some"
expect 2 'no function `short` in' --cfg short "$some"
expect 2 'expected a MODULE'
expect 2 'one MODULE at a time' a.ir b.ir
expect 2 '--passes is given more than once' -p dce -p linearize "$some"
expect 2 '--output is given more than once' -o "$tmp/a" --output "$tmp/b" "$some"
expect 2 '--cfg is given more than once' --cfg a --cfg b "$some"
expect 2 '--cfg writes a graph; an object is expected in --output' --cfg short_circuit -o "$tmp/x.gso" "$some"
expect 2 'nothing.ir: error:' "$tmp/nothing.ir"
expect 2 'cannot be written' -o "$tmp/no/such/folder" "$some"
expect 0 '// after linearize' --dump -p linearize "$some"
expect 0 '// after linearize' --print-changed --dump -p linearize "$some"
expect 0 '// dce: nothing has changed' --print-changed -p dce,dce "$some"
expect 0 '+B3_guard:' --print-changed -p 'linearize(opt=0)' "$some"
printf 'kernel k() { reg u32 %%a\nE: %%a = mov.u32 1\n%%a = mov.u32 2\nexit }\n' >"$tmp/dead.ir"
expect 0 'instructions deleted                      2' --pass-stats -p dce "$tmp/dead.ir"
expect 0 '' --remarks -p linearize "$some"
expect 2 '--print: error: no analysis `domm`; the nearest is dom' --print domm "$some"
expect 2 'no function `x` in' --filter x "$some"
expect 2 '--print writes text; an object is expected in --output' --print dom -o "$tmp/x.gso" "$some"
expect 2 '--cfg excludes --print' --print dom --cfg short_circuit "$some"
for name in $("$opt" --list | sed '1,/^analyses/d; s/ .*//'); do
	"$opt" --print "$name" "$some" >"$tmp/out" || bad=1
	grep -q "^$name of short_circuit:" "$tmp/out" && [ "$(wc -l <"$tmp/out")" -gt 1 ] || { echo "--print $name prints nothing"; bad=1; }
done
expect 2 '--print: error: no analysis `mold`; the nearest is meld' --print mold "$some"
expect 2 '--print:1:6: error: no option of meld `swop`; the nearest is `swap`' --print 'meld(swop=1)' "$some"
expect 2 '--print:1:1: error: dce does not show what it does' --print 'dce' "$some"
expect 2 '--print:1:1: error: expected one pass; those that go before it are for --passes' --print 'meld,dce' "$some"
shows() { # pattern, arguments: a line of what comes out
	pattern=$1
	shift
	"$opt" "$@" >"$tmp/out" 2>&1 && grep -q -e "$pattern" "$tmp/out" || { echo "gsim-opt $*: no line \`$pattern\` in:"; cat "$tmp/out"; bad=1; }
}
# Melding side by side: what goes together and what stays, the rounds one by one, and why the rest stays, in
# the words of --remarks; a form that is replicated; sides that are swapped; options; passes in front.
bitonic=$src/meld_bitonic.ir region=$src/meld_region.ir
shows '%p = setp.lt.u32 %a, %b *<$' --print meld "$bitonic"
shows '%a = ld.shared.u32 \[%of\] *= %c = ld.shared.u32 \[%of\]$' --print meld "$bitonic"
shows ' st.shared.u32 \[%at\], %a  = st.shared.u32 \[%at\], %c$' --print meld "$bitonic"
shows '%b = ld.shared.u32 \[%at\] *= %d = ld.shared.u32 \[%at\]$' --print meld "$bitonic"
shows '^  round 1$' --print meld "$bitonic"
shows '^    threads with %up *| threads with !%up$' --print meld "$bitonic"
"$opt" --print meld "$bitonic" | sed '1,/^  what stays$/d' >"$tmp/said" # behind all rounds, and nothing else
[ "$(grep -c '^  the branch' "$tmp/said")" -gt 1 ] && ! grep -v '^  the branch' "$tmp/said" || { echo "--print meld: what stays is not last"; bad=1; }
shows '^  nothing changes$' -p meld --print meld "$bitonic"
shows '^  nothing changes$' --print 'meld(blocks=1)' "$bitonic"
shows '^  the branch of B stays: its arms are not a block each$' --print branch-fusion "$bitonic"
"$opt" -p meld --remarks "$bitonic" 2>&1 >"$tmp/out" | sed -n 's/.*remark: meld: bitonic_step: /  /p' >"$tmp/said"
"$opt" --print meld "$bitonic" | grep '^  the branch' | cmp - "$tmp/said" || { echo "--print meld and --remarks say different things"; bad=1; }
shows '^    (no code: threads pass) *F$' --print 'meld(check=latency)' "$region"
shows '^      (always goes on to where the other side has F1) *= bra %a, F1, F2$' --print 'meld(check=latency)' "$region"
cat >"$tmp/swap.ir" <<'END'
kernel k(u64 data) { reg pred %p, %q
	reg u64 %d
	reg u32 %t, %x
A: %t = mov.u32 %tid.x
%d = ld.param.u64 [data]
%q = setp.lt.u32 %t, 5
%p = setp.lt.u32 %t, 9
bra %p, B, C
B: %x = ld.global.u32 [%d]
bra %q, D, J
C: %x = ld.global.u32 [%d+4]
bra %q, J, E
D: st.global.u32 [%d], %x
bra J
E: st.global.u32 [%d], %x
bra J
J: exit }
END
shows '^  nothing changes$' --print meld "$tmp/swap.ir"
shows '^      bra %q, D, J *= bra %q, J, E (the other way around)$' --print 'meld(swap=1)' "$tmp/swap.ir"
shows 'diamond' --print tail-merge "$src/tail_merge.ir"
shows '^  A, B end alike before X: their last 2 instructions stand in X_tail once$' --print tail-merge "$src/tail_merge.ir"
shows '^    %x = shl.b32 %x, 1$' --print tail-merge "$src/tail_merge.ir"
shows '^  A, B end alike before X, and stay: a common tail would need a jump more$' --print tail-merge "$src/tail_merge.ir"
expect 0 'bitonic_step: the branch of A stays: one of its arms is empty' --remarks -p meld "$src/meld_bitonic.ir"
"$opt" --filter short_circuit --print dom "$some" | grep -q 'B3: B1' || { echo "--print dom: B3 is not behind B1"; bad=1; }
expect 2 'nothing.json: error:' --profile "$tmp/nothing.json" "$some"
expect 2 'some.json' --profile "$tmp/some.json" "$some"
expect 2 'order: block `B1` is given twice' -p 'linearize(order=[B1,B1])' "$some"
expect 2 '--passes:1:17: error: linearize: order: no kernel or device function has a block `B99`' -p 'linearize(order=[B1,B99])' "$some"
expect 2 '--passes:1:15: error: flatten: loops: no kernel or device function has a block `B99`' -p 'flatten(loops=[B99])' "$some"
cat >"$tmp/nest.ir" <<'END'
kernel k(u32 n) { reg pred %p
	reg u32 %i, %j, %n
	%n = ld.param.u32 [n]
	%i = mov.u32 0
OUT: %j = mov.u32 0
IN: %j = add.u32 %j, 1
	%p = setp.lt.u32 %j, %i
	bra %p, IN, LATCH
LATCH: %i = add.u32 %i, 1
	%p = setp.lt.u32 %i, %n
	bra %p, OUT, END
END: exit }
func unused() { ret }
END
expect 0 'nest.ir:9:8: remark: flatten: k: loops: no nest of loops begins with LATCH' --remarks -p 'flatten(loops=[LATCH])' "$tmp/nest.ir"
expect 0 'global-dce looks at the whole module: it does not run, since passes are to take k alone' --filter k --print-changed -p global-dce "$tmp/nest.ir"
grep -q '^func unused' "$tmp/out" || { echo "--filter: global-dce took a body"; bad=1; }
expect 0 '!loc 0:1:8' --filter k --dump -p dce "$tmp/nest.ir"
expect 2 'order: no block `B2_use` that can be reached in short_circuit' -p 'linearize(order=[B3,B2,B2_use])' "$some"
# A block of the list that nobody comes to in one function is no mistake if another has all of them.
cat >"$tmp/other.ir" <<'END'
func f() {
B0: bra B1
B1: ret
B2: bra B1 }
kernel k() { reg pred %p
	reg u32 %t
B0: %t = mov.u32 %tid.x
	%p = setp.eq.u32 %t, 1
	bra %p, B1, B2
B1: bra END
B2: bra END
END: exit }
END
expect 0 '' -p 'linearize(order=[B2,B1])' "$tmp/other.ir"
grep -q 'origin linearize' "$tmp/out" || { echo 'order: k stays as it is'; bad=1; }
# A list may name blocks of several functions; a quote or a backslash in a label stands behind a backslash.
cat >"$tmp/two.ir" <<'END'
kernel a() { reg pred %p
	reg u32 %t
A: %t = mov.u32 %tid.x
%p = setp.eq.u32 %t, 1
bra %p, `q"1`, `b\\2`
`q"1`: bra J
`b\\2`: bra J
J: exit }
kernel b() { reg pred %p
	reg u32 %t
B: %t = mov.u32 %tid.x
%p = setp.eq.u32 %t, 1
bra %p, C, D
C: bra E
D: bra E
E: exit }
END
expect 0 '1 linearize            a                                regions                                   1' --pass-stats -p 'linearize(order=["b\\2","q\"1",D,C])' "$tmp/two.ir"
expect 0 '1 linearize            b                                regions                                   1' --pass-stats -p 'linearize(order=["b\\2","q\"1",D,C])' "$tmp/two.ir"
expect 2 'has no `"` at its end' -p 'linearize(order=["q\"])' "$some"
printf 'kernel k() { reg pred %%c\nL: bra %%c, L, M\nM: bra L }\n' >"$tmp/endless.ir"
expect 0 'stays unstructured: it would grow beyond its cap' --remarks -p 'structurize(blocks=1)' "$some"
# What threads execute together is named with its block and place: copied where ways meet, in a loop that is
# cut, in one that is entered in two places.
printf 'kernel k() { reg pred %%c\nreg pred %%d\nA: bra %%c, B, C\nB: bra %%d, S, X\nC: bra %%d, X, S\nS: bar.sync 0\nbra Z\nX: bra Z\nZ: exit }\n' >"$tmp/meet.ir"
expect 0 'meet.ir:6:4: remark: structurize: k: stays unstructured: bar.sync in block S needs the threads that come to it together, and would be copied for each way to block S' \
	--remarks -p structurize "$tmp/meet.ir"
printf 'kernel k() { reg pred %%c\nreg pred %%d\nL: bra %%c, B, X\nB: bar.sync 0\nbra %%d, L, Y\nX: bra Z\nY: bra Z\nZ: exit }\n' >"$tmp/cut.ir"
expect 0 'cut.ir:4:4: remark: structurize: k: stays unstructured: bar.sync in block B needs the threads that come to it together, and they would meet elsewhere in the loop at block L' \
	--remarks -p structurize "$tmp/cut.ir"
printf 'kernel k() { reg pred %%c\nreg pred %%d\nA: bra %%c, L, B\nL: bra B\nB: bar.sync 0\nbra %%d, L, Z\nZ: exit }\n' >"$tmp/peel.ir"
expect 0 'peel.ir:5:4: remark: structurize: k: stays unstructured: bar.sync in block B needs the threads that come to it together, and would be copied in front of the loop at block L' \
	--remarks -p structurize "$tmp/peel.ir"
"$opt" -p structurize --print structure "$tmp/endless.ir" 2>"$tmp/err" | grep -q '^  structured' || { echo "structurize: a loop without end that begins with a branch"; bad=1; }
# The melding paper's table I: tail merging does something for equal diamonds alone, and nothing for its
# programs with more blocks in an arm.
kernels=${srcdir:-.}/kernels
expect 0 '1 tail-merge           sb1                              instructions merged                       6' --pass-stats -p tail-merge "$kernels/melding/diamond.ir"
for program in melding/diamond.ir melding/if_then.ir melding/chain.ir melding/loops.ir melding/nested.ir bitonic_sort/bitonic_sort.ptx pcm/pcm.ptx; do
	"$opt" -p tail-merge --pass-stats "$kernels/$program" 2>&1 >"$tmp/out" | grep -v ' sb1 ' && { echo "$program: tails were merged"; bad=1; }
done
tail=$src/tail_merge.ir turns=$src/unroll.ir
expect 0 '1 tail-merge           diamond                          branches folded                           1' --pass-stats -p tail-merge "$tail"
expect 0 'no_room: A, B end alike before X, and stay: a common tail would need a jump more' --remarks -p tail-merge "$tail"
expect 0 'diamond: A, B end alike before X, and stay: 2 of their instructions are the same, and size asks for 3' --remarks -p 'tail-merge(size=3)' "$tail"
expect 0 '1 unroll               leaves                           loops unrolled in part                    1' --pass-stats -p 'unroll(full=0,factor=2)' "$turns"
expect 0 '1 unroll               leaves                           branches decided                          1' --pass-stats -p 'unroll(full=0,factor=2)' "$turns"
printf 'kernel k(u64 out, u32 n) { reg u32 %%n\nreg pred %%c\nA: %%n = ld.param.u32 [n]\nbra L\nL: %%n = sub.u32 %%n, 1\n%%c = setp.ne.u32 %%n, 0\nbra %%c, L, X\nX: exit }\n' >"$tmp/unknown.ir"
expect 0 'the loop at L stays: how often it turns is not known' --remarks -p unroll "$tmp/unknown.ir"
expect 0 'the loop at L does 3 turns in one' --remarks -p 'unroll(factor=3)' "$tmp/unknown.ir"
expect 0 'nest: the loop at K stays: it has loops in it, and loops does not name it' --remarks -p 'unroll(full=0)' "$turns"
expect 0 'leaves: the loop at H stays: it has 8 instructions, and most allows 5' --remarks -p 'unroll(most=5)' "$turns"
expect 0 'leaves: the loop at H stays: it is not among those wanted' --remarks -p 'unroll(loops=[J])' "$turns"
expect 2 'unroll: loops: no kernel or device function has a block `Q`' -p 'unroll(loops=[Q])' "$turns"
expect 2 '--passes:1:14: error: unroll: loops: no loop begins at the block `X`' -p 'unroll(loops=[X])' "$turns"
expect 0 'the loop at K stays: its 2 turns would have 18 instructions; most allows 400, and growth 1 in all loops, of which 0 are used; and several turns do not become one: ' --remarks -p 'unroll(growth=1)' "$turns"
expect 2 '--passes:1:13: error: `0x10` is no number: expected decimal digits' -p 'unroll(most=0x10)' "$turns"
# Registers: what would live in front of the branch, or in all turns, does not fit into a thread's 16
# registers, and makes warps of a small register file fewer; elsewhere there is room.
{
	printf 'kernel k(u64 out)\n{\n	reg u32 %%t, %%s, %%i\n	reg u64 %%o\n	reg pred %%p\n'
	for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do printf '	reg u32 %%x%s, %%y%s\n' $k $k; done
	printf 'A:	%%t = mov.u32 %%tid.x\n	%%o = ld.param.u64 [out]\n	%%s = mov.u32 0\n	%%i = mov.u32 0\n	bra L\nL:\n'
	for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do printf '	%%y%s = mad.lo.u32 %%t, %s, 77\n	%%s = add.u32 %%s, %%y%s\n' $k $k $k; done
	printf '	%%i = add.u32 %%i, 1\n	%%p = setp.lt.u32 %%i, 9\n	bra %%p, L, E\nE:	st.global.u32 [%%o], %%s\n	exit\n}\n'
} >"$tmp/many.ir"
printf 'return { sm = { max_registers_per_thread = 12 } }\n' >"$tmp/few.lua"
expect 0 'expressions left for registers' --pass-stats -c "$tmp/few.lua" -p lcm "$tmp/many.ir"
expect 0 'expressions moved' --pass-stats -c "$tmp/few.lua" -p 'lcm(max-pressure=0)' "$tmp/many.ir"
grep -q 'left for registers' "$tmp/err" && { echo "max-pressure=0 leaves something for registers"; bad=1; }
expect 0 'expressions moved' --pass-stats -p lcm "$tmp/many.ir"
grep -q 'left for registers' "$tmp/err" && { echo "lcm leaves something for registers where there is room"; bad=1; }
printf 'kernel k() { reg u32 %%i\nreg pred %%c\nreg pred %%d\nH: bra %%c, A, B\nA: bra H\nB: bra %%d, H, X\nX: exit }\n' >"$tmp/shared.ir"
expect 0 'threads go back before a block that all of them come to' --remarks -p unroll "$tmp/shared.ir"
expect 0 '' --help
expect 0 '' --list
"$opt" --cfg short_circuit "$some" >"$tmp/dot" 2>/dev/null || bad=1
grep -q 'b1 -> b2 \[label=F, color=red' "$tmp/dot" || { echo "--cfg: no unstructured edge is marked"; bad=1; }
printf '{"total":{"blocks":[{"function":"short_circuit","label":"B5","fetches":3,"threads":24}]}}' >"$tmp/run.json"
"$opt" -p linearize --profile "$tmp/run.json" --cfg short_circuit "$some" | grep -q 'B5: 3 fetches of 8.0 lanes' || { echo "--cfg --profile: no counts"; bad=1; }
"$opt" -p linearize --cfg short_circuit "$some" | grep -q '// structured;' || { echo "--cfg after linearize: not structured"; bad=1; }
exit $bad
