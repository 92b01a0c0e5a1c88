#!/bin/sh
# gsim-reduce as a user has it: what it makes smaller, workloads, several processes, interrupts, and what is wrong.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
gsim=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)/gsim
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
expect 0 "4 blocks in place of 7, 2 functions in place of 2" "$reduce" -j 2 -o two.ir short_circuit.ptx -- sh -c "$diverges"
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
expect 2 "from 1 to 256" "$reduce" -j 0 short_circuit.ir -- true
expect 2 "cannot read the workload nosuch.lua" "$reduce" -w nosuch.lua short_circuit.ir -- true
echo 'kernel k() {' >broken.ir
expect 2 "^broken.ir:[0-9:]* error: " "$reduce" broken.ir -- true
cmp -s before.ir short_circuit.ir || fail "the input has changed"

# ---- candidates that hang, and interrupts ----
expect 0 "" "$reduce" --seconds 1 -j 2 -o hang.ir two.ir -- sh -c 'grep -q bra "$0" || sleep 100'
grep -q bra hang.ir || fail "a candidate that hangs is taken"
"$reduce" -j 2 -o part.ir short_circuit.ir -- sh -c 'sleep 0.1; grep -q "bra" "$0"' >out 2>err &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "SIGTERM does not end it by the signal"
grep -q bra part.ir && grep -q "candidates" out || fail "SIGTERM leaves nothing behind"
[ -z "$(ls tmp)" ] || fail "files are left in TMPDIR: $(ls tmp)"
exit $failed
