#!/bin/sh
# What goes wrong in a simulated program is one located message and exit status 1; what a machine cannot take, and bad
# input, is status 2.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
GSIM_PATH=$(cd "$srcdir" && pwd)/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-faults.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# expect STATUS TEXT COMMAND...: exit status, and a text of the messages; no report of a crash
expect() {
	want=$1 text=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	if [ $got != "$want" ] || ! { [ -z "$text" ] || grep -q -e "$text" "$tmp/err"; }; then
		echo "FAILED: $*: status $got, expected $want and '$text'"
		head -n 5 "$tmp/err"
		failed=1
	fi
}

# body TEXT: a kernel with a 1024-byte buffer %a and the thread's number %t, launched with one warp (or
# $threads threads)
body() {
	{
		printf 'kernel k(u64 out) {\nB:\t%%a = ld.param.u64 [out]\n\t%%t = mov.u32 %%tid.x\n'
		cat
		printf 'host main() {\nH:\t%%b = alloc.u64 1024\n\tfill.u32 %%b, 0, 256\n'
		printf '\tlaunch k, (1,1,1), (%d,1,1), 0, (%%b)\n\texit\n}\n' "${threads:-32}"
	} >"$tmp/k.ir"
}
each() { # STATUS TEXT MODELS...: timed and functional
	status=$1 message=$2
	shift 2
	for model; do
		expect "$status" "$message" $gsim -q -m "$model" "$tmp/k.ir"
		expect "$status" "$message" $gsim -q --functional -m "$model" "$tmp/k.ir"
	done
}
all="ipdom token tf_stack mimd"

# ---- accesses ----
printf '\tst.global.u32 [%%a+2000], 1\n\texit\n}\n' | body
each 1 "k.ir:4:.*outside every allocation.*thread (0,0,0).*976 bytes past the end of '%b'" $all
expect 1 "k.ir:4:.*outside every allocation" $gsim -q --reference "$tmp/k.ir"
printf '\tst.global.u32 [%%a+2], 1\n\texit\n}\n' | body
each 1 "k.ir:4:.*misaligned access.*offset 2 of '%b'" $all
printf '\tst.global.v2.u32 [%%a+4], {1, 2}\n\texit\n}\n' | body
each 1 "k.ir:4:.*misaligned access" ipdom
printf '\t%%x = ld.shared.u32 [49152]\n\texit\n}\n' | body
each 1 "k.ir:4:.*shared address 0xc000" ipdom
printf '\t%%x = ld.global.u32 [8]\n\texit\n}\n' | body
each 1 "k.ir:4:.*global address 0x8" ipdom
printf '\tcall f, (%%a)\n\texit\n}\nfunc f(u64 %%a) {\n\tlocal u32 s[64]\nF:\tst.local.u32 [s], 1\n\tcall f, (%%a)
\t%%x = ld.local.u32 [s]\n\tst.global.u32 [%%a], %%x\n\tret\n}\n' | body
each 1 "k.ir:10:.*local memory exhausted, in function f" $all
# alike TEXT: the reference interpreter and every kind of mechanism say the same, that text in it
alike() {
	expect 1 "$1" $gsim -q --reference "$tmp/k.ir"
	cp "$tmp/err" "$tmp/want"
	for model in ipdom token tf_sandy mimd its exec_mask tbc; do
		for how in --functional --quiet; do
			expect 1 "$1" $gsim -q $alone $how -m $model "$tmp/k.ir"
			cmp -s "$tmp/want" "$tmp/err" && continue
			echo "FAILED: $model $how does not say what --reference does:"
			cat "$tmp/want" "$tmp/err"
			failed=1
		done
	done
}
printf '\tbrx %%t, [C, D]\nC:\texit\nD:\texit\n}\n' | body
alike "k.ir:4:.*jump to nowhere, block B, instruction .brx %t, .C, D.. .*thread (2,0,0): index 2 of 2 targets"
printf '\t%%p = setp.eq.u32 %%t, 7\n\t@%%p trap\n\texit\n}\n' | body
alike "k.ir:5:.*: trap, block B, .*thread (7,0,0): the kernel stopped itself"
f='func f(u32 %%x) -> (u32 %%y) {\nC:\t%%y = mov.u32 1\n\tret\n}\n'
printf '\t%%f = mov.u64 77\n\t%%r = mov.u32 1\n\t(%%r) = call %%f, (1)\n\texit\n}\n'"$f" | body
alike "k.ir:6:.*jump to nowhere.*: 0x4d is no device function"
printf '\t%%f = mov.u64 f\n\tcall %%f, (1)\n\texit\n}\n'"$f" | body
alike "k.ir:5:.*jump to nowhere.*: function f takes 1 arguments and gives 1 results"
printf '\tst.global.u32 [%%a+2000], 1\n\texit\n}\n' | body
alike "976 bytes past the end of '%b'"
printf '\tst.global.u32 [%%a+2], 1\n\texit\n}\n' | body
alike "misaligned access"
printf '\t%%x = ld.shared.u32 [49152]\n\texit\n}\n' | body
alike "4 bytes at shared address 0xc000"

# ---- operands that operations of threads together cannot take ----
refused() { # TEXT INSTRUCTION
	printf '\t%%r = add.u32 %%t, 0x7ffffff0\n\t%%p = setp.eq.u32 %%t, 99\n\t%s\n\texit\n}\n' "$2" | body
	alike "k.ir:6:.*operand that cannot be taken, block B, .*$1"
}
refused "thread (0,0,0): barrier 16; there are 16, from 0 to 15" "bar.sync 16"
refused "barrier 2147483632; there are 16" "bar.sync %r"
refused "barrier 4294967295; there are 16" "%n = bar.red.popc.u32 -1, %p"
refused "barrier 2147483648; there are 16" "bar.arrive 0x80000000, 32"
refused "barrier 0 is to count 0 threads; a count is a multiple of the warp size, which is 32" "bar.sync 0, 0"
refused "barrier 1 is to count 7 threads; a count is a multiple" "bar.sync 1, 7"
refused "barrier 15 is to count 64 threads, the block has 32" "bar.arrive 15, 64"
refused "barrier 0 is to count 2147483648 threads, the block has 32" "bar.sync 0, 0x80000000"
refused "thread (4,0,0): lane 4 is not in the mask 0xf that it gives" "%x = shfl.sync.idx.b32 %t, 0, 31, 0xf"
refused "lane 0 is not in the mask 0x0 that it gives" "%x = vote.sync.ballot.b32 1, 0"
refused "lane 0 is not in the mask 0xfffffffe" "%x = match.any.sync.b32 %t, 0xfffffffe"
refused "lane 0 is not in the mask 0x0" "%x = redux.sync.add.u32 %t, %t"
refused "lane 1 is not in the mask 0x1" "%x | %q = elect.sync 1"
refused "lane 1 is not in the mask 0x1" "bar.warp.sync 1"
# lanes that do not exist or have ended are missed by nobody; a count is of whole warps
printf '\t%%x = shfl.sync.idx.b32 %%t, 40, 31, 0xffffffff\n\tbar.sync 0, 64\n\tbar.sync 1\n\t%%p = setp.lt.u32 %%t, 3\n\tbra %%p, E, C
C:\t%%y = redux.sync.add.u32 %%t, 0xffffffff\n\tbar.sync 2\n\texit\nE:\texit\n}\n' | threads=40 body
each 0 "" mimd its
expect 0 "" $gsim -q --verify -m its "$tmp/k.ir"
printf '\tbar.sync 3, 32\n\tbar.sync 3, %%t\n\texit\n}\n' | body # who comes first is named
each 1 "barrier 3 is to count [0-9]* threads" ipdom mimd
printf '\t%%p = setp.lt.u32 %%t, 32\n\tbra %%p, C, D\nC:\tbar.sync 1, 64\n\texit\nD:\tbar.sync 1\n\texit\n}\n' | threads=64 body
each 1 "barrier 1 is awaited with different thread counts" $all
expect 1 "barrier 1 is awaited with different thread counts" $gsim -q --reference "$tmp/k.ir"
# one bar.sync of a warp names one barrier
printf '\t%%p = and.b32 %%t, 1\n\tbar.sync %%p\n\texit\n}\n' | body
each 1 "threads of a warp that come together name different barriers" ipdom its tbc

# ---- barriers ----
printf '\t%%p = setp.lt.u32 %%t, 16\n\tbra %%p, C, D\nC:\tbar.sync 0\n\tbra E\nD:\tbar.sync 1\n\tbra E\nE:\texit\n}\n' | body
each 1 "k.ir:[68]:.*block [CD], line [68]: lanes 0x[0f]* reach a block barrier after one that other lanes of their warp have reached without them" ipdom token tf_stack
each 1 "k.ir:[68]:.*deadlock.*16 of 32 threads have arrived" mimd
expect 1 "k.ir:.*barrier that cannot complete" $gsim -q --reference "$tmp/k.ir"
printf '\t%%p = setp.lt.u32 %%t, 32\n\tbra %%p, C, E\nC:\tbar.sync 0, 64\n\texit\nE:\texit\n}\n' | threads=64 body
each 1 "k.ir:6:.*deadlock.*32 of 64 threads have arrived" $all
printf '\tbar.sync %%t\n\texit\n}\n' | body
threads=1 each 1 "" mimd

# ---- livelock: lanes, branch and memory word ----
printf '\tbra S\nS:\t%%v = ld.global.u32 [%%a+8]\n\t%%q = setp.eq.u32 %%v, 0\n\tbra %%q, S, E\nE:\texit\n}\n' | body
each 1 "k.ir:7:.*livelock.*lanes 0-31 .*branch of block S.*k.ir:7) with the same values in all registers that decide, " $all
each 1 "(byte 8 of %b), which is 0; no atomic operation or volatile store" $all
expect 1 "k.ir:[567]:.*livelock: the thread and 31 others of the block come back to the same state" $gsim -q --reference "$tmp/k.ir"
# a lock whose owner cannot run: the mechanisms with a stack wait forever, independent lanes pass
printf '\tbra S\nS:\t%%v = atom.global.cas.b32 [%%a], 0, 1\n\t%%q = setp.ne.u32 %%v, 0\n\tbra %%q, S, E
E:\t%%n = ld.global.u32 [%%a+4]\n\t%%n = add.u32 %%n, 1\n\tst.global.u32 [%%a+4], %%n
\t%%o = atom.global.exch.b32 [%%a], 0\n\texit\n}\n' | body
each 1 "livelock.*lanes 1-31 come back to the branch of block S" ipdom token tf_stack
each 1 "(byte 0 of %b), which is 1" ipdom token tf_stack
each 1 "thread (0, 0, 0) changed it last, in block S (.*k.ir:5): lane 0 of the same warp" ipdom token tf_stack
each 1 "lane 0 of the same warp waits in a stack entry until lanes 1-31 come to block E (.*k.ir:8)" ipdom
each 0 "" mimd
# the other mechanisms are tried: measured, in a few runs without timing; behind the first, trials that neither end nor repeat are short
short="-D limits.max_cycles=20000 -D limits.progress_cycles=1000"
for how in "-m ipdom" "--functional -m token $short" "-m tf_stack $short"; do
	# shellcheck disable=SC2086
	expect 1 "run again without timing under the other mechanisms, it completes under \(.*, \)*mimd" $gsim $how "$tmp/k.ir"
	case $how in *tf_stack*) other=token ;; *) other=tf_stack ;; esac
	if ! grep -q "^  livelock under \(.*, \)*$other" "$tmp/err"; then
		echo "FAILED: $how: no livelock under $other:"
		cat "$tmp/err"
		failed=1
	fi
done
for option in -q --alone; do
	expect 1 "^  mechanism ipdom runs the top entry of its stack only" $gsim $option "$tmp/k.ir"
	if grep -q "run again" "$tmp/err"; then
		echo "FAILED: $option tries other mechanisms"
		failed=1
	fi
done
# What has happened is told before they are tried. Each trial reads the workload again: from a pipe that
# nobody writes to until the words have come.
cat >"$tmp/text.lua" <<'END'
gpu.launch { kernel = "k", grid = 1, block = 32, args = { gpu.buffer("u32", 256) } }
END
mkfifo "$tmp/pipe" "$tmp/told"
ln "$tmp/pipe" "$tmp/workload.lua"
$gsim $short -w "$tmp/workload.lua" "$tmp/k.ir" >/dev/null 2>"$tmp/told" &
run=$!
exec 3<"$tmp/told"
{ sleep 100; kill $run; } >/dev/null 2>&1 3<&- & # where the words do not come
watch=$!
cat "$tmp/text.lua" >"$tmp/pipe"
read -r line <&3
mv "$tmp/text.lua" "$tmp/workload.lua"
cat "$tmp/workload.lua" >"$tmp/pipe" 3<&- & # one may be waiting by now
feed=$!
cat <&3 >"$tmp/err"
kill $watch $feed 2>/dev/null
exec 3<&-
case $line in
*"livelock in kernel k"*) ;;
*)
	echo "FAILED: a livelock is told after the other mechanisms were tried: $line"
	failed=1
	;;
esac
if ! grep -q "run again without timing under the other mechanisms" "$tmp/err"; then
	echo "FAILED: a livelock under a workload from a pipe does not try other mechanisms:"
	cat "$tmp/err"
	failed=1
fi
# a grid tells of each livelock in a line, and at length when it is asked to
expect 1 "" $gsim --grid -m ipdom -m token -m mimd -m tf_stack "$tmp/k.ir"
cp "$tmp/err" "$tmp/lines"
expect 1 "" $gsim --grid --verbose -m ipdom -m token -m mimd -m tf_stack "$tmp/k.ir"
if [ "$(grep -c "livelock in kernel k, block S" "$tmp/lines")" != 3 ] || [ "$(wc -l <"$tmp/lines")" != 4 ] ||
   [ "$(grep -c "livelock in kernel k.*lanes 1-31 come back" "$tmp/err")" != 3 ] || [ "$(grep -c "they wait on the memory word" "$tmp/err")" != 3 ]; then
	echo "FAILED: a grid's diagnoses:"
	cat "$tmp/lines" "$tmp/err"
	failed=1
fi
expect 1 "" $gsim $short -s - "$tmp/k.ir"
for key in '"kind": "livelock"' '"label": "S", .*"line": 7' '"word": .*"buffer": "%b", "offset": 0, "bytes": 4, "value": 1' \
	'"state": "held"' '"in": "a stack entry"' '"model": "mimd", "result": "completes"' '"model": "token", "result": "livelock"'; do
	if ! grep -q "$key" "$tmp/out"; then
		echo "FAILED: no $key in the report"
		failed=1
	fi
done

# the same lock in shared memory
printf '\tshared u32 pad[3]\n\tshared u32 lock\n\tbra S\nS:\t%%v = atom.shared.cas.b32 [lock], 0, 1\n\t%%n = mov.u32 pad\n\t%%q = setp.ne.u32 %%v, 0
\tbra %%q, S, E\nE:\t%%o = atom.shared.exch.b32 [lock], 0\n\texit\n}\n' | body
each 1 "at 0xc of shared memory (byte 0 of lock), which is 1" ipdom token tf_stack
each 1 "thread (0, 0, 0) changed it last, in block S .*: lane 0 of the same warp waits" ipdom token tf_stack
# the first warp waits for a flag that the second one sets behind its lock, in which it is stuck
printf '\t%%w = setp.lt.u32 %%t, 32\n\tbra %%w, F, S\nF:\t%%v = ld.volatile.global.u32 [%%a+8]\n\t%%q = setp.eq.u32 %%v, 0\n\tbra %%q, F, X\nX:\texit
S:\t%%v = atom.global.cas.b32 [%%a], 0, 1\n\t%%q = setp.ne.u32 %%v, 0\n\tbra %%q, S, E\nE:\t%%o = atom.global.exch.b32 [%%a], 0
\tst.volatile.global.u32 [%%a+8], 1\n\texit\n}\n' | threads=64 body
each 1 "warp 0: lanes 0-31 come back to the branch of block F .*; 31 other lanes of the machine spin too" ipdom token tf_stack
each 1 "^  lane 0 of warp 1 waits in " ipdom token tf_stack
each 0 "" mimd
# lanes that wait for each other at different places
printf '\t%%p = setp.lt.u32 %%t, 16\n\tbra %%p, C, D\nC:\tbar.sync 0\n\tbra E\nD:\t%%v = shfl.sync.idx.b32 %%t, 0, 31, 0xffffffff\n\tbra E\nE:\texit\n}\n' | body
each 1 "^  lanes 16-31 wait at a warp-level operation in block D (.*k.ir:8)" mimd

# long work that changes no memory is none: a clock that runs out, a counter of the caller's
printf '\t%%c = mov.u32 %%clock\n\tbra S\nS:\t%%v = ld.global.u32 [%%a]\n\t%%d = mov.u32 %%clock\n\t%%d = sub.u32 %%d, %%c
\t%%q = setp.lt.u32 %%d, 300000\n\tbra %%q, S, E\nE:\texit\n}\n' | body
each 0 "" ipdom
expect 0 "" $gsim -q --reference "$tmp/k.ir"
printf '\t%%i = mov.u32 0\n\tbra S\nS:\t%%v = and.b32 %%i, 1\n\tcall f, (%%v)\n\t%%i = add.u32 %%i, 1\n\t%%q = setp.lt.u32 %%i, 12000
\tbra %%q, S, E\nE:\texit\n}\nfunc f(u32 %%v) {\nF:\t%%n = mov.u32 0\n\tbra G\nG:\t%%n = add.u32 %%n, 1\n\t%%p = setp.lt.u32 %%n, 3
\tbra %%p, G, H\nH:\tret\n}\n' | body
each 0 "" ipdom

# only the carry flag tells the first time from the second in which the loop counts to 63, each of 300 times
printf '\t%%v = mov.u32 0\n\t%%l = mov.u32 0\n\t%%n = add.cc.u32 0, 0\n\tbra H\nH:\t%%v = add.u32 %%v, 1\n\t%%v = and.b32 %%v, 63
\t%%p = setp.ne.u32 %%v, 0\n\tbra %%p, H, C\nC:\t%%n = addc.u32 0, 0\n\t%%p = setp.eq.u32 %%n, 1\n\tbra %%p, D, E
E:\t%%n = add.cc.u32 -1, 1\n\tbra H\nD:\t%%l = add.u32 %%l, 1\n\t%%n = add.cc.u32 0, 0\n\t%%p = setp.lt.u32 %%l, 300
\tbra %%p, H, F\nF:\texit\n}\n' | threads=1 body
for model in $all; do
	for how in --functional --quiet; do
		expect 0 "" $gsim -q $how -m "$model" -D limits.progress_cycles=300 "$tmp/k.ir"
	done
done
expect 0 "" $gsim -q --reference "$tmp/k.ir"

# ---- what the host function asks for ----
printf '\texit\n}\nhost other() {\nO:\texit\n}\n' | body
sed 's/^	exit\(}\)\{0,1\}$/&/; s/launch k, .*/check 0, "no luck"/' "$tmp/k.ir" >"$tmp/check.ir"
expect 1 "check.ir:[0-9]*:.*error: check failed: no luck" $gsim -q "$tmp/check.ir"
for wrong in '(0,1,1), (32,1,1), 0, (%b)' '(1,1,1), (0,1,1), 0, (%b)' '(1,1,1), (2000,1,1), 0, (%b)' '(1,1,1), (32,1,1), 0, ()' \
	'(1,1,1), (32,1,1), 0, (%b, 1)' '(1,1,1), (32,1,1), 1000000, (%b)'; do
	sed "s/launch k, .*/launch k, $wrong/" "$tmp/k.ir" >"$tmp/wrong.ir"
	expect 2 "wrong.ir" $gsim -q "$tmp/wrong.ir"
	expect 2 "wrong.ir" $gsim -q --reference "$tmp/wrong.ir"
done
expect 2 "a block needs 1000000 bytes of shared memory; sm.max_shared_per_block = 49152" $gsim -q --reference "$tmp/wrong.ir"
sed 's/launch k, /launch kk, /' "$tmp/k.ir" >"$tmp/wrong.ir"
expect 2 "wrong.ir:[0-9]*:" $gsim -q "$tmp/wrong.ir"

# ---- what the machine cannot take ----
registers() { # a kernel whose values are all live at once
	i=0
	while [ $i -lt 40 ]; do
		printf '\t%%v%d = ld.volatile.global.u64 [%%a+%d]\n' $i $((8 * i))
		i=$((i + 1))
	done
	while [ $i -gt 0 ]; do
		i=$((i - 1))
		printf '\tst.volatile.global.u64 [%%a+%d], %%v%d\n' $((8 * i)) $i
	done
	printf '\texit\n}\n'
}
registers | body
each 0 "" ipdom token
expect 0 "" $gsim -q --laws -D sm.max_registers_per_thread=16 "$tmp/k.ir"
expect 2 "k.ir:[0-9]*:[0-9]*: error: kernel k: a block needs .* registers .*an SM has 1024" $gsim -q -D sm.registers=1024 "$tmp/k.ir"
expect 2 "k.ir:[0-9]*:[0-9]*: error: kernel k: a block needs" $gsim -q --functional -D sm.registers=1024 "$tmp/k.ir"
printf 'local b = gpu.buffer("u32", 256)\n\ngpu.launch { kernel = "k", grid = 1, block = 32, args = { b } }\n' >"$tmp/k.lua"
expect 2 "k.lua:3: error: kernel k: a block needs" $gsim -q -w "$tmp/k.lua" -D sm.registers=1024 "$tmp/k.ir"
rm "$tmp/k.lua"
# Nine parameters are there at once, whatever goes to memory.
cat >"$tmp/nine.ir" <<'E2'
func nine(u32 %a, u32 %b, u32 %c, u32 %d, u32 %e, u32 %f, u32 %g, u32 %h, u32 %i) -> (u32 %r) {
A: %r = add.u32 %a, %i
	ret
}
kernel k(u64 out) {
	(%r) = call nine, (1, 2, 3, 4, 5, 6, 7, 8, 9)
	%o = ld.param.u64 [out]
	st.global.u32 [%o], %r
	exit
}
E2
printf 'gpu.launch { kernel = "k", grid = 1, block = 32, args = { gpu.buffer("u32", 1) } }\n' >"$tmp/nine.lua"
expect 2 "nine.ir:1:6: error: kernel k: function nine needs more than 8 registers at once; raise sm.max_registers_per_thread" \
	$gsim -q -D sm.max_registers_per_thread=8 "$tmp/nine.ir"
expect 2 "nine.ir:1:6: error: .*raise sm.max_registers_per_thread" $gsim --disassemble -D sm.max_registers_per_thread=8 "$tmp/nine.ir"
expect 0 "" $gsim -q -D sm.max_registers_per_thread=10 "$tmp/nine.ir"
rm "$tmp/nine.lua"

# ---- bad input ----
cp "$srcdir/kernels/scan/scan.ptx" "$srcdir/kernels/scan/scan.lua" "$tmp"
for n in 600 1500 3000; do
	head -c $n "$srcdir/kernels/scan/scan.ptx" >"$tmp/cut.ptx"
	expect 2 "cut.ptx:[0-9]*:[0-9]*: error: " $gsim -q -w "$tmp/scan.lua" "$tmp/cut.ptx"
done
for n in 100 200 300; do
	head -c $n "$tmp/k.ir" >"$tmp/cut.ir"
	expect 2 "cut.ir:[0-9]*:[0-9]*: error: " $gsim -q "$tmp/cut.ir"
done
head -c 700 "$srcdir/kernels/scan/scan.lua" >"$tmp/cut.lua"
expect 2 "cut.lua:[0-9]*: error: " $gsim -q -w "$tmp/cut.lua" "$tmp/scan.ptx"
printf '\177ELF\002\001\001 and no more' >"$tmp/bad.gso"
expect 2 "bad.gso.* error: " $gsim -q "$tmp/bad.gso"
head -c 3000000 /dev/zero | tr '\0' 'x' >"$tmp/long.ir" # one line; a 100 MB one differs in time alone
expect 2 "long.ir:1:1: error: " $gsim -q "$tmp/long.ir"
expect 2 "error: cannot read .*long.ir: it is too large" $gsim -q -c "$tmp/long.ir" "$tmp/k.ir"
expect 2 "long.ir.*: " $gsim -q -w "$tmp/long.ir" "$tmp/k.ir"

# ---- machine files ----
config() { # TEXT LUA
	printf '%s\n' "$2" >"$tmp/c.lua"
	expect 2 "$1" $gsim -c "$tmp/c.lua" --print-config
}
echo 'return derive("c.lua", {})' >"$tmp/d.lua"
config "c.lua:1: error: .*reads itself" 'return derive("c.lua", {})'
config "d.lua:1: error: .*reads itself" 'return derive("d.lua", {})'
config "c.lua:1: error: unknown parameter 'warp_sizes'; did you mean 'warp_size'" 'return { warp_sizes = 4 }'
config "c.lua:1: error: unknown parameter 'sm.conut'; did you mean 'sm.count'" 'return { sm = { conut = 4 } }'
config "c.lua:1: error: warp_size: expected a whole number, found a string" 'return { warp_size = "x" }'
config "c.lua:1: error: warp_size = 0 is out of range" 'return { warp_size = 0 }'
config "c.lua:1: error: sm: expected a table, found a number" 'return { sm = 4 }'
config "c.lua:1: error: l1.global: expected true or false" 'return { l1 = { global = 1 } }'
config "c.lua: error: the file must return a table, not a number" 'return 4'
config "c.lua: error: the file must return a table, not nil" ''
config "c.lua:1: error: .*limit is reached" 'while true do end'
config "c.lua:1: error: cannot find the machine file 'none.lua'" 'return derive("none.lua", {})'

# ---- workloads ----
workload() { # STATUS TEXT LUA
	printf '%s\n' "$3" >"$tmp/w.lua"
	expect "$1" "w.lua\(:1\)*: error: $2" $gsim -q -w "$tmp/w.lua" "$tmp/k.ir"
}
workload 2 ".*limit is reached" 'while true do pcall(function() while true do end end) end'
workload 2 "the memory limit is reached" 'local t = {} while true do t[#t + 1] = {} end'
workload 1 "check failed: two is not one" 'gpu.check(2 == 1, "two is not one")'
workload 2 "gpu.launch: no kernel 'kk'; did you mean 'k'" 'gpu.launch { kernel = "kk", grid = 1, block = 1 }'
workload 2 "gpu.launch: kernel k takes 1 argument.* 2 given" 'gpu.launch { kernel = "k", grid = 1, block = 1, args = { 1, 2 } }'
workload 2 "gpu.launch: argument 1 (out) of k: " 'gpu.launch { kernel = "k", grid = 1, block = 1, args = { "x" } }'
workload 2 "kernel k: the block has size 0" 'gpu.launch { kernel = "k", grid = 1, block = 0, args = { 1 } }'
workload 2 "kernel k: a block of 1025 x 1 x 1 threads" 'gpu.launch { kernel = "k", grid = 1, block = 1025, args = { 1 } }'

exit $failed
