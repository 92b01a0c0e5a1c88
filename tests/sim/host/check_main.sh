#!/bin/sh
# The host function main: loops and branches on what kernels have computed, functions of Lua, streams and events, the profile of its blocks.
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
tmp=${TMPDIR:-/tmp}/gsim-main.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

# --- loops and branches on values read back, against a workload that does the same --- Collatz's function on
# each word until all are 1: the number of rounds depends on what kernels compute. Odd rounds go through
# another kernel.
cat >"$tmp/kernels.ir" <<'END2'
kernel even(u64 x, u64 left)
{
	%b = mov.u32 %ctaid.x
	%s = mov.u32 %ntid.x
	%t = mov.u32 %tid.x
	%i = mad.lo.u32 %b, %s, %t
	%x = ld.param.u64 [x]
	%x = mad.wide.u32 %i, 4, %x
	%v = ld.global.u32 [%x]
	%low = and.b32 %v, 1
	%odd = setp.ne.u32 %low, 0
	@!%odd %v = shr.u32 %v, 1
	st.global.u32 [%x], %v
	%one = setp.eq.u32 %v, 1
	bra %one, DONE, MORE
MORE:
	%l = ld.param.u64 [left]
	st.global.u32 [%l], 1
	bra DONE
DONE:
	exit
}
kernel odd(u64 x)
{
	%t = mov.u32 %tid.x
	%x = ld.param.u64 [x]
	%x = mad.wide.u32 %t, 4, %x
	%v = ld.global.u32 [%x]
	%low = and.b32 %v, 1
	%odd = setp.ne.u32 %low, 0
	%big = setp.gt.and.u32 %v, 1, %odd
	@%big %v = mad.lo.u32 %v, 3, 1
	st.global.u32 [%x], %v
	exit
}
END2
{
	cat "$tmp/kernels.ir"
	cat <<'END2'
extern host fill_in(u64 %x, u32 %n) writes(u32 %x)
extern host blocks(u32 %n, pred %wide) -> (u32 %blocks, u32 %threads)
extern host rounds_were(u64 %x, u32 %n, s32 %rounds, f64 %half, f32 %quarter) -> (pred %ok, f64 %twice) reads(u32 %x)
host main() {
	reg u32 %r
	%x = alloc.u64 256
	%left = alloc.u64 4
	call fill_in, (%x, 64)
	%r = mov.u32 0
round:
	fill.u32 %left, 0, 1
	%low = and.b32 %r, 1
	%is_odd = setp.ne.u32 %low, 0
	bra %is_odd, odd_round, even_round
odd_round:
	launch odd, 1, 64, 0, (%x)
	bra next
even_round:
	(%g, %b) = call blocks, (64, 1)
	launch even, %g, (%b), 0, (%x, %left)
	%more = ld.global.u32 [%left]
	%again = setp.ne.u32 %more, 0
	bra %again, next, last
next:
	%r = add.u32 %r, 1
	bra round
last:
	(%ok, %twice) = call rounds_were, (%x, 64, -5, 0.5, 0.25)
	check %ok, "the function's arguments"
	%right = setp.eq.f64 %twice, 1.0
	check %right, "the function's result"
	exit
}
END2
} >"$tmp/main.ir"
cat >"$tmp/main.lua" <<'END2'
function fill_in(x, n) for i = 0, n - 1 do x:set(i, i + 1) end end
function blocks(n, wide) return wide and 1 or n, wide and n or 1 end
function rounds_were(x, n, rounds, half, quarter)
	for i = 0, #x - 1 do if x:get(i) ~= 1 then return false, 0 end end
	return #x == n and rounds == -5 and half == 0.5 and quarter == 0.25, 2 * half
end
END2
cp "$tmp/kernels.ir" "$tmp/direct.ir"
cat >"$tmp/direct.lua" <<'END2'
local x, left = gpu.buffer("u32", 64, function(i) return i + 1 end), gpu.buffer("u32", 1)
local r = 0
while true do
	left:set(0, 0)
	if r % 2 == 1 then
		gpu.launch { kernel = "odd", grid = 1, block = 64, args = { x } }
	else
		gpu.launch { kernel = "even", grid = 1, block = 64, args = { x, left } }
		if left:get(0) == 0 then break end
	end
	r = r + 1
end
END2
launches() {
	{ tr -d ' \n' <"$1"; echo; } | sed 's/{"kernel":/\n&/g; s/"host_blocks"/\n&/' | sed -n 's/^{"kernel":\("[a-z_]*","grid":[^]]*\],"block":[^]]*\]\).*/\1/p'
}
for how in "" --functional --reference; do
	for name in main direct; do
		"$gsim" -q $how -s "$tmp/$name.json" "$tmp/$name.ir" || fail "$name $how: status $?"
		launches "$tmp/$name.json" >"$tmp/$name.launches"
	done
	[ -s "$tmp/main.launches" ] || fail "no launches $how"
	cmp -s "$tmp/main.launches" "$tmp/direct.launches" || fail "other launches than the workload's $how"
done
# the same cycles: what the host does in between takes none
"$gsim" -q -s "$tmp/main.json" "$tmp/main.ir"; "$gsim" -q -s "$tmp/direct.json" "$tmp/direct.ir"
for f in main direct; do tr -d ' \n' <"$tmp/$f.json" | sed 's/.*"total"://' | grep -o '"program_cycles":[0-9]*' >"$tmp/$f.cycles"; done
[ -s "$tmp/main.cycles" ] && cmp -s "$tmp/main.cycles" "$tmp/direct.cycles" || fail "other cycles than the workload's: $(cat "$tmp/main.cycles" "$tmp/direct.cycles")"

# --- the profile: launches are what their blocks ran ---
n_odd=$(grep -c '^"odd"' "$tmp/main.launches")
n_even=$(grep -c '^"even"' "$tmp/main.launches")
ran() { tr -d ' \n' <"$tmp/main.json" | sed 's/.*"host_blocks"://' | sed -n "s/.*\"label\":\"$1\",\"executed\":\([0-9]*\).*/\1/p"; }
[ "$(ran odd_round)" = "$n_odd" ] && [ "$(ran even_round)" = "$n_even" ] && [ "$(ran round)" = $((n_odd + n_even)) ] && [ "$(ran last)" = 1 ] ||
	fail "the profile: $(ran odd_round) $(ran even_round) $(ran round) $(ran last), launches $n_odd $n_even"
"$opt" --profile "$tmp/main.json" --print costs "$tmp/main.ir" >"$tmp/costs" || fail "gsim-opt takes no profile of a host function"
grep -q "odd_round.*$n_odd" "$tmp/costs" || fail "costs: $(grep odd_round "$tmp/costs")"

# --- the text comes back ---
"$opt" "$tmp/main.ir" >"$tmp/printed.ir" && "$gsim" -q -w "$tmp/main.lua" "$tmp/printed.ir" || fail "the printed program"
"$opt" -o "$tmp/main.gso" "$tmp/main.ir" && "$gsim" -q -w "$tmp/main.lua" "$tmp/main.gso" || fail "the program as an object"

# --- functions of Lua that do not keep to their declaration, or are not there ---
refused() { # name, status, message, Lua
	printf '%s\n' "$4" >"$tmp/bad.lua"
	"$gsim" -q -w "$tmp/bad.lua" "$tmp/bad.ir" >"$tmp/out" 2>&1
	status=$?
	[ "$status" = "$2" ] || fail "$1: status $status"
	[ "$(cat "$tmp/out")" = "$tmp/$3" ] || fail "$1: $(cat "$tmp/out")"
}
cat >"$tmp/bad.ir" <<'END2'
extern host f(u64 %x, u64 %y, u64 %z) -> (u8 %r) reads(u32 %x, f32 %y) writes(f32 %y)
global u32 word = 3
kernel k() { exit }
host main() {
	%x = alloc.u64 16
	%y = alloc.u64 16
	%z = alloc.u64 16
	%x = add.u64 %x, 4
	reg u8 %r
	(%r) = call f, (%x, %y, %z)
	exit
}
END2
refused "absent" 2 "bad.ir:10:2: error: call of f: $tmp/bad.lua has no function of that name" "x = 1"
refused "writes what it reads" 2 "bad.lua:1: error: f writes buffer 1 from byte 4; expected an argument in the writes(...) of its declaration" "function f(x, y) x:set(0, 1) end"
refused "reads what it has from elsewhere" 2 "bad.lua:1: error: f reads word; expected an argument in the reads(...) of its declaration" "function f(x, y) return gpu.symbol('word'):get(0) end"
refused "launches" 2 "bad.lua:1: error: gpu.launch: f is called by a host function of the module; expected such a function to compute with its arguments alone" \
	"function f() gpu.launch { kernel = 'k', grid = 1, block = 1 } end"
refused "allocates" 2 "bad.lua:1: error: gpu.buffer: f is called by a host function of the module; expected such a function to compute with its arguments alone" \
	"function f() gpu.buffer('u32', 1) end"
for what in save load; do
	refused "${what}s" 2 "bad.lua:1: error: b:$what: f is called by a host function of the module; expected such a function to compute with its arguments alone" \
		"function f(x, y) x:$what('x.bin') end"
done
refused "too large a result" 2 "bad.lua: error: result %r of f: 256 does not fit into u8" "function f() return 256 end"
refused "no result" 2 "bad.lua: error: result %r of f: expected a number, found nil" "function f() end"
refused "a check" 1 "bad.lua:1: error: check failed: no" "function f() gpu.check(false, 'no') return 1 end"
printf '%s\n' 'function f(x, y, z) gpu.check(#x == 3 and #y == 4 and math.type(z) == "integer") y:set(3, y:get(3) + 1) return #x end' >"$tmp/bad.lua"
"$gsim" -q -w "$tmp/bad.lua" "$tmp/bad.ir" || fail "what is declared is allowed"
sed 's/add.u64 %x, 4/add.u64 %x, 2/' "$tmp/bad.ir" >"$tmp/bad2.ir"
"$gsim" -q -w "$tmp/bad.lua" "$tmp/bad2.ir" 2>&1 | grep -q "bad2.ir:10:2: error: call of f: %x is 0x[0-9a-f]*; expected a multiple of 4, for elements of u32" || fail "a misaligned buffer"
sed 's/add.u64 %x, 4/add.u64 %x, 64/' "$tmp/bad.ir" >"$tmp/bad2.ir"
"$gsim" -q -w "$tmp/bad.lua" "$tmp/bad2.ir" 2>&1 | grep -q "bad2.ir:10:2: error: call of f: %x is 0x[0-9a-f]*; expected an address in a buffer" || fail "no buffer"

# --- streams and events: order, and time --- Each kernel appends its number to a log, long after it began;
# without an order the shorter ones would come first.
cat >"$tmp/streams.ir" <<'END2'
global u32 log[16]
global u32 n
kernel put(u32 number, u32 turns)
{
	reg u32 %i
	%k = ld.param.u32 [number]
	%turns = ld.param.u32 [turns]
	%i = mov.u32 0
again:
	%i = add.u32 %i, 1
	%more = setp.lt.u32 %i, %turns
	bra %more, again, done
done:
	%n = mov.u64 n
	%at = atom.global.add.u32 [%n], 1
	%log = mov.u64 log
	%log = mad.wide.u32 %at, 4, %log
	st.global.u32 [%log], %k
	exit
}
host main() {
ORDER
	synchronize
	%n = mov.u64 n
	%count = ld.global.u32 [%n]
	%all = setp.eq.u32 %count, 3
	check %all, "three launches"
	%log = mov.u64 log
	%a = ld.global.u32 [%log]
	%b = ld.global.u32 [%log+4]
	%c = ld.global.u32 [%log+8]
	%a = mad.lo.u32 %a, 10, %b
	%a = mad.lo.u32 %a, 10, %c
	%right = setp.eq.u32 %a, EXPECTED
	check %right, "the order of launches"
	exit
}
END2
cycles() { tr -d ' \n' <"$tmp/s.json" | sed 's/.*"total"://' | sed -n 's/.*"program_cycles":\([0-9]*\).*/\1/p'; }
streams() { # the order expected, statements, options
	awk -v order="$2" -v want="$1" '$0 == "ORDER" { print order; next } { sub(/EXPECTED/, want); print }' "$tmp/streams.ir" >"$tmp/s.ir"
	"$gsim" -q $3 -D launch.overhead_cycles=10 -s "$tmp/s.json" "$tmp/s.ir" || fail "streams, expected $1 $3: $2"
}
one='(1, 3000)'; two='(2, 2000)'; three='(3, 1000)'
L1='launch put, 1, 1, 0'
streams 321 "$L1, 1, $one
$L1, 2, $two
$L1, 3, $three"
beside=$(cycles)
streams 123 "$L1, 1, $one
$L1, 1, $two
$L1, 1, $three"
behind=$(cycles)
streams 123 "$L1, $one
$L1, $two
$L1, $three"
default=$(cycles)
streams 123 "$L1, 1, $one
record 7, 1
wait 2, 7
$L1, 2, $two
record 7, 2
wait 3, 7
$L1, 3, $three"
events=$(cycles)
streams 312 "$L1, 1, $one
record 7, 1
wait 2, 7
$L1, 2, $two
$L1, 3, $three"
streams 321 "wait 2, 7
$L1, 1, $one
$L1, 2, $two
record 7, 1
$L1, 3, $three"
streams 213 "$L1, 1, $one
$L1, 2, $two
record 7, 0
wait 3, 7
$L1, 3, $three"
streams 132 "$L1, 1, $one
synchronize
$L1, 2, $two
$L1, 3, $three"
streams 123 "$L1, 1, $one
$L1, $two
$L1, 3, $three"
# the wait is for the event as it was then: what it records later does not count
streams 312 "$L1, 1, $one
record 7, 1
wait 2, 7
record 7, 3
$L1, 2, $two
$L1, 3, $three"
# a machine on which grids do not run side by side
streams 123 "$L1, 1, $one
$L1, 2, $two
$L1, 3, $three" "-D launch.resident_grids=1"
alone=$(cycles)
streams 123 "$L1, 1, $one
$L1, 2, $two
$L1, 3, $three" --functional
streams 123 "$L1, 1, $one
record 7, 1
wait 2, 7
$L1, 2, $two
$L1, 3, $three" --reference
[ "$beside" -lt "$behind" ] && [ "$behind" -le "$default" ] && [ "$events" -ge "$behind" ] && [ "$beside" -lt "$alone" ] ||
	fail "cycles: side by side $beside, in one stream $behind, with events $events, in the default stream $default, one grid at a time $alone"
# the same in Lua
cat >"$tmp/s.lua" <<'END2'
local function put(k, n, s) gpu.launch { kernel = "put", grid = 1, block = 1, args = { k, n }, stream = s } end
put(1, 3000, 1) gpu.record(7, 1) gpu.wait(2, 7) put(2, 2000, 2) put(3, 1000, 3)
local log = gpu.symbol("log")
gpu.check(log:get(0) == 3 and log:get(1) == 1 and log:get(2) == 2)
END2
"$gsim" -q "$tmp/s.ir" -w "$tmp/s.lua" || fail "events of a workload"
for bad in 'gpu.record(1024, 0)' 'gpu.wait(1025, 0)' 'gpu.record(-1, 0)'; do
	echo "$bad" >"$tmp/s.lua"
	"$gsim" -q "$tmp/s.ir" -w "$tmp/s.lua" 2>/dev/null
	[ $? = 2 ] || fail "$bad"
done
rm "$tmp/s.lua"
sed 's/^ORDER/record 1024, 0/' "$tmp/streams.ir" | sed 's/EXPECTED/0/' >"$tmp/s.ir"
"$gsim" -q "$tmp/s.ir" 2>"$tmp/out"
grep -q 's.ir:22:1: error: main: not supported, block bb0, instruction `record 1024, 0` at .*: event 1024, stream 0; expected events 0 to 1023, streams 0 to 1024' "$tmp/out" ||
	fail "an event that there is not: $(cat "$tmp/out")"
# --- free: what is wrong of it, and that runs do not compare what has been freed ---
cat >"$tmp/free.ir" <<'END2'
extern host look(u64 %x) reads(u32 %x)
global u32 word
kernel put(u64 x) {
	%x = ld.param.u64 [x]
	%t = mov.u32 %tid.x
	%x = mad.wide.u32 %t, 4, %x
	st.global.u32 [%x], %t
	exit
}
host main() {
	reg u64 %x, %y
	%x = alloc.u64 256
	launch put, 1, 64, 0, 1, (%x)
STATEMENTS
	exit
}
END2
free() { # status, text of the message, statements
	awk -v statements="$3" '$0 == "STATEMENTS" { print statements; next } { print }' "$tmp/free.ir" >"$tmp/f.ir"
	for how in "" --functional --reference; do
		"$gsim" -q $how "$tmp/f.ir" 2>"$tmp/out"
		got=$?
		[ $got = "$1" ] && { [ -z "$2" ] || grep -q "$2" "$tmp/out"; } || fail "free, $how, expected $1 $2: $3: $got $(cat "$tmp/out")"
	done
}
gone='f.ir:15:1: error: main: access outside every allocation, block bb0, instruction `free %.*expected the begin of a buffer that has not been freed'
free 0 '' 'free %x'
free 1 "$gone" 'free %x
free %x'
free 1 "$gone" '%y = add.u64 %x, 4
free %y'
free 1 "$gone" '%y = mov.u64 word
free %y'
free 1 "$gone" '%y = mov.u64 0
free %y'
free 1 'f.ir:7:2: error: put: access outside every allocation' 'free %x
launch put, 1, 64, 0, (%x)'
free 1 'f.ir:15:1: error: main: access outside every allocation.*fill' 'free %x
fill.u32 %x, 1, 1'
echo 'function look(x) end' >"$tmp/f.lua"
free 2 'f.ir:15:1: error: call of look: %x is 0x.*expected an address in a buffer' 'free %x
call look, (%x)'
rm "$tmp/f.lua"
# memory is given back
awk '$0 == "STATEMENTS" { print "\treg u32 %i\n\treg pred %p\n\t%i = mov.u32 0\n\tfree %x\nL:\n\t%y = alloc.u64 65536\n\t%i = add.u32 %i, 1\n\tfree %y\n" \
	"\t%p = setp.lt.u32 %i, 1000\n\tbra %p, L, E\nE:"; next } { print }' "$tmp/free.ir" >"$tmp/f.ir"
"$gsim" -q -D limits.memory_bytes=100000 "$tmp/f.ir" || fail "freed memory is not given back"
# the clock's values differ where a pass puts work before them
cat >"$tmp/f.ir" <<'END2'
kernel put(u64 x) {
	%x = ld.param.u64 [x]
	%a = mov.u32 %clock
	%b = add.u32 1, 2
	%c = add.u32 1, 2
	%d = mov.u32 %clock
	%v = sub.u32 %d, %a
	st.global.u32 [%x], %v
	exit
}
host main() {
	%x = alloc.u64 4
	launch put, 1, 1, 0, (%x)
FREE
	exit
}
END2
grep -v FREE "$tmp/f.ir" >"$tmp/kept.ir"
sed 's/^FREE/free %x/' "$tmp/f.ir" >"$tmp/freed.ir"
"$gsim" -q -b -p dce "$tmp/kept.ir" 2>/dev/null
[ $? = 1 ] || fail "a kept buffer is not compared"
"$gsim" -q -b -p dce "$tmp/freed.ir" || fail "a freed buffer is compared"
# --- a workload recorded as a host function ---
"$gsim" -q --record-host "$tmp/recorded.ir" -s "$tmp/direct.json" "$tmp/direct.ir" && "$gsim" -q -s "$tmp/main.json" "$tmp/recorded.ir" || fail "a recording"
for f in main direct; do
	launches "$tmp/$f.json" >"$tmp/$f.launches"
	tr -d ' \n' <"$tmp/$f.json" | sed 's/.*"total"://' | grep -o '"program_cycles":[0-9]*' >"$tmp/$f.cycles"
done
cmp -s "$tmp/main.launches" "$tmp/direct.launches" && cmp -s "$tmp/main.cycles" "$tmp/direct.cycles" || fail "a recording's launches"
# rounds without a branch: they differ in nothing, so all of them but the first and last ones are one loop
[ "$(grep -c '^	launch' "$tmp/recorded.ir")" -le 6 ] && grep -q '^loop0:' "$tmp/recorded.ir" || fail "nothing is rolled: $(grep -c '^	launch' "$tmp/recorded.ir") launches"
"$gsim" -q --record-host - "$tmp/direct.ir" | cmp -s - "$tmp/recorded.ir" || fail "a recording on standard output"
record_fails() { # module, message
	"$gsim" -q --record-host "$tmp/no.ir" "$tmp/$1" 2>"$tmp/out"
	[ $? = 2 ] && [ ! -e "$tmp/no.ir" ] && [ "$(cat "$tmp/out")" = "$2" ] || fail "recording $1: $(cat "$tmp/out")"
}
record_fails recorded.ir "$tmp/recorded.ir: error: its host function main ran; --record-host expected a workload in Lua"
printf 'kernel main() { exit }\nkernel k(b8 s[4]) { exit }\n' >"$tmp/odd.ir"
echo 'gpu.launch { kernel = "main", grid = 1, block = 1 }' >"$tmp/odd.lua"
record_fails odd.ir "$tmp/odd.ir: error: the module has a main already; expected one to which the recording can give a host function main"
sed 's/kernel main/kernel m/' "$tmp/odd.ir" >"$tmp/structure.ir"
echo 'gpu.launch { kernel = "k", grid = 1, block = 1, args = { "abcd" } }' >"$tmp/structure.lua"
record_fails structure.ir "$tmp/structure.lua:1: error: parameter s of kernel k is a structure; a recorded host function passes scalars"
"$gsim" -b -p dce --record-host "$tmp/no.ir" "$tmp/direct.ir" 2>"$tmp/out"
[ $? = 2 ] || fail "--record-host with --before-after"
exit $failed
