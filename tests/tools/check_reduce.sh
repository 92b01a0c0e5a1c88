#!/bin/sh
# gsim-reduce as a user has it: what it makes smaller, workloads, several processes, interrupts, and what is wrong.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
gsim=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)/gsim
build=$(pwd)
reduce=$(cd "$(dirname "${GSIM_REDUCE:-./gsim-reduce}")" && pwd)/gsim-reduce
GSIM_PATH=$srcdir/configs
export GSIM_PATH gsim
tmp=${TMPDIR:-/tmp}/gsim-reduce-test.$$
mkdir "$tmp" "$tmp/tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/kernels/short_circuit/short_circuit.* "$tmp" && chmod u+w "$tmp"/*.* && cd "$tmp" || exit 1
TMPDIR=$tmp/tmp
export TMPDIR
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}
# expect STATUS TEXT COMMAND...: the exit status, and a text of standard output or standard error
expect() {
	want=$1 text=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" out err || fail "$*: no '$text'"
}

# ---- a kernel with its workload: two threads of a warp go different ways ----
# shellcheck disable=SC2016
diverges='"$gsim" --reference -q "$0" && "$gsim" -q -m ipdom -s - "$0" | grep "divergent_branches\": [1-9]"'
expect 0 "blocks: 4 in place of 7; functions: 2 in place of 2" "$reduce" -j 2 -o two.ir short_circuit.ptx -- sh -c "$diverges"
expect 0 "" sh -c "$diverges" two.ir
[ "$(sed -n '/^kernel/,/^}/p' two.ir | grep -c '=\|bra\|ret')" -le 5 ] || { cp two.ir out; fail "more than five instructions are left"; }
expect 0 "" "$reduce" -j 1 -q -o one.ir short_circuit.ptx -- sh -c "$diverges" # {} or not, processes or not
cmp -s one.ir two.ir || fail "-j 1 and -j 2 end at different modules"
[ ! -s out ] && [ ! -s err ] || fail "-q says something"
expect 0 "" "$reduce" -j 3 -o three.ir two.ir -- sh -c "$diverges"
cmp -s two.ir three.ir || fail "what is reduced is reduced further"
expect 0 "" "$reduce" short_circuit.ir -- grep -q setp {}
[ -f short_circuit.reduced.ir ] || fail "the default output is not there"
[ "$(wc -l <short_circuit.reduced.ir)" -le 9 ] || { cp short_circuit.reduced.ir out; fail "a word in a text is not a few lines"; }

# ---- a pass that is wrong ----
cat >bad.ir <<'END'
kernel k(u64 out)
{
	reg u64 %o, %at, %i
	reg u32 %a, %b, %c, %t
	reg pred %p
start:
	%o = ld.param.u64 [out]
	%t = mov.u32 %tid.x
	%i = cvt.u64.u32 %t
	%i = mul.lo.u64 %i, 4
	%at = add.u64 %o, %i
	%a = add.u32 %t, 7
	%b = sub.u32 %a, 7
	%c = sub.u32 %b, %t
	%p = setp.lt.u32 %t, 16
	bra %p, low, high
low:
	%c = add.u32 %c, %a
	bra end
high:
	%c = mul.lo.u32 %a, 3
	bra end
end:
	st.global.u32 [%at], %c
	ret
}

host main()
{
	reg u64 %o
start:
	%o = alloc.u64 128
	launch k, 1, 32, 0, (%o)
	exit
}
END
# a command that takes code without branches for wrong; no plug-in is needed
expect 0 "the first pass that makes it so: if-convert, number 2 of 3" "$reduce" --pass -p dce,if-convert,gcse -o left.ir bad.ir -- \
	sh -c '! grep -q "bra %p" "$0" && grep -q "bra %p" "$1"' {} {before}
grep -q "number 1: if-convert: k: bad.ir:1[0-9]: the branch of start converted" out || fail "the change is not named"
grep -q "bra %" left.ir || fail "the module without the pass has no branch"
expect 1 "bad.ir, passes dce: results are the same" "$reduce" --pass -p dce bad.ir
expect 1 "COMMAND does not find what all passes leave interesting" "$reduce" --pass -p dce bad.ir -- false
expect 1 "COMMAND finds it interesting without passes" "$reduce" --pass -p dce bad.ir -- true
expect 2 "no pass .nosuch" "$reduce" --pass -p nosuch bad.ir
expect 2 "needs --passes" "$reduce" --pass bad.ir
expect 2 "is for --pass" "$reduce" -p dce bad.ir -- true
sed 's/%o = alloc.u64 128/%o = alloc.u64 64/' bad.ir >fault.ir
expect 1 "fault.ir:[0-9:]* error: k: access outside every allocation" "$reduce" --pass -p dce fault.ir
sed '/^host/,$d' bad.ir >alone.ir
expect 2 "nothing launches its kernels" "$reduce" --pass -p dce alone.ir
expect 0 "functions: 1 in place of 1" "$reduce" alone.ir -- grep -q sub
expect 0 "bisect: 1 change of passes, and no more; the last: if-convert: k: " "$gsim" -q --remarks --bisect 1 -p if-convert,simplify-cfg bad.ir
grep -q "^change 1: if-convert: k: " err || fail "--remarks names no change"
expect 0 "bisect: 0 changes of passes" "$gsim" --bisect 0 -p simplify-cfg bad.ir
expect 2 "needs --passes" "$gsim" --bisect 1 bad.ir
for n in -1 x 99999999999; do
	expect 2 "error: --bisect: expected a number from 0 to 2147483646, not $n" "$gsim" --bisect $n -p dce bad.ir
	expect 2 "error: --bisect: expected a number from 0 to 2147483646, not $n" "${reduce%reduce}opt" --bisect $n -p dce bad.ir
done
cc=${CC:-cc}
# shellcheck disable=SC2046
if command -v ${cc%% *} >/dev/null && (cd "$build" && $cc -O1 $(sed -n 's/^Cflags: //p' gsim-internal-uninstalled.pc) \
	-shared -o "$tmp/wrong.so" "$srcdir/tests/tools/plugins/wrong.c") 2>err; then
	for fault in sub compare; do
		expect 0 "the first pass that makes it so: wrong-$fault, number 3 of 4" "$reduce" --load ./wrong.so --pass \
			-p "gcse,copy-prop,wrong-$fault,dce" -o "wrong-$fault.ir" bad.ir
		n=$(sed -n '/^kernel/,/^}/p' "wrong-$fault.ir" | grep '^	' | grep -vc '^	reg ')
		[ "$n" -le 8 ] || { cp "wrong-$fault.ir" out; fail "$n instructions are left"; }
		expect 1 "results differ\|element" "$gsim" -b --reference --load ./wrong.so -p "wrong-$fault" --bisect 1 "wrong-$fault.ir"
	done
fi

# ---- what is wrong ----
cp short_circuit.ir before.ir
expect 1 "COMMAND ends with status 1 on short_circuit.ir" "$reduce" short_circuit.ir -- grep -q nosuchword
expect 1 "there is no such command" "$reduce" short_circuit.ir -- ./nosuchcommand
expect 1 "signal 11 ended COMMAND" "$reduce" short_circuit.ir -- sh -c 'kill -SEGV $$'
expect 1 "COMMAND takes more than 1 s" "$reduce" --seconds 1 short_circuit.ir -- sh -c 'sleep 100'
expect 2 "expected a COMMAND" "$reduce" short_circuit.ir
expect 2 "expected a MODULE" "$reduce" -- true
expect 2 "one MODULE at a time: b.ir" "$reduce" a.ir b.ir -- true
expect 2 "nosuch.ir: error: cannot be read" "$reduce" nosuch.ir -- true
expect 2 "expected another file than MODULE" "$reduce" -o short_circuit.ir short_circuit.ir -- true
expect 2 "cannot write nosuch/x.ir" "$reduce" -o nosuch/x.ir short_circuit.ir -- true
# what MODULE is made of stays: its workload, whether or not it is recorded, and what it imports
printf 'import "part.ir"\nkernel k()\n{\n\tret\n}\n' >whole.ir
echo 'global u32 data' >part.ir
cp part.ir part.before
cp short_circuit.lua before.lua
expect 2 "expected another file than the workload, not short_circuit.lua" "$reduce" -o short_circuit.lua short_circuit.ptx -- true
expect 2 "expected another file than the workload, not ./short_circuit.lua" "$reduce" --no-workload -o ./short_circuit.lua short_circuit.ir -- true
expect 2 "expected another file than the workload, not before.lua" "$reduce" -w before.lua -o before.lua short_circuit.ir -- true
expect 2 "expected another file than those that MODULE is made of, not part.ir" "$reduce" -o part.ir whole.ir -- true
ln -s part.ir link.ir
expect 2 "expected another file than those that MODULE is made of, not link.ir" "$reduce" -o link.ir whole.ir -- true
cp "$srcdir/configs/volta.lua" mine.lua && chmod u+w mine.lua
expect 2 "expected another file than that of --config, not mine.lua" "$reduce" --pass -p dce -c mine.lua -o mine.lua bad.ir
cmp -s part.ir part.before && cmp -s short_circuit.lua before.lua || fail "a file of MODULE has changed"
expect 2 "from 1 to 256" "$reduce" -j 0 short_circuit.ir -- true
expect 2 "cannot read the workload nosuch.lua" "$reduce" -w nosuch.lua short_circuit.ir -- true
echo 'kernel k() {' >broken.ir
expect 2 "^broken.ir:[0-9:]* error: " "$reduce" broken.ir -- true
cmp -s before.ir short_circuit.ir || fail "the input has changed"

# ---- candidates that hang, and interrupts ----
expect 0 "" "$reduce" --seconds 1 -j 2 -o hang.ir two.ir -- sh -c 'grep -q bra "$0" || sleep 100'
grep -q bra hang.ir || fail "a candidate that hangs is taken"
for ending in TERM:143 HUP:129; do
	"$reduce" -j 2 -o left.ir short_circuit.ir -- sh -c 'sleep 0.1; grep -q "bra" "$0"' >out 2>err &
	pid=$!
	sleep 1
	kill -${ending%:*} $pid
	wait $pid
	[ $? = ${ending#*:} ] || fail "SIG${ending%:*} does not end it by the signal"
	grep -q bra left.ir && grep -q "candidate" out || fail "SIG${ending%:*} leaves nothing behind"
	rm -f left.ir
done
nohup "$reduce" -j 2 -o left.ir short_circuit.ir -- sh -c 'sleep 0.02; grep -q "bra" "$0"' >out 2>err &
pid=$!
sleep 0.3
kill -HUP $pid
wait $pid || fail "under nohup SIGHUP ends it"
# a status of COMMAND's own, whatever it is, is no word on candidates' files
expect 0 "instructions: [0-9]* in place" "$reduce" -j 2 -o left.ir two.ir -- sh -c 'grep -q bra "$0" || exit 125'
grep -q bra left.ir || fail "a candidate with status 125 is taken"
expect 1 "COMMAND ends with status 125 on two.ir" "$reduce" -o left.ir two.ir -- sh -c 'exit 125'
expect 0 "^1 candidate, " "$reduce" --no-workload -o left.ir two.ir -- true
[ -z "$(ls tmp)" ] || fail "files are left in TMPDIR: $(ls tmp)"
exit $failed
