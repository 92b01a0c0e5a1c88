#!/bin/sh
# Several launches on one machine: its clock and its caches go on from launch to launch, and launching takes time.
gsim=${GSIM:-./gsim}
tmp=${TMPDIR:-/tmp}/gsim-launches.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

# Each thread adds up its words of a buffer; the first one says when.
cat >"$tmp/sum.ir" <<'END'
kernel sum(u64 in, u64 out, u32 turns)
{
	reg u64 %in, %out, %o, %cycle, %time
	reg u32 %t, %b, %n, %i, %turns, %sum, %v
	reg pred %p
enter:
	%in = ld.param.u64 [in]
	%out = ld.param.u64 [out]
	%turns = ld.param.u32 [turns]
	%cycle = mov.u64 %clock64
	%time = mov.u64 %globaltimer
	%t = mov.u32 %tid.x
	%b = mov.u32 %ctaid.x
	%n = mov.u32 %ntid.x
	%t = mad.lo.u32 %b, %n, %t
	%o = mul.wide.u32 %t, 4
	%in = add.u64 %in, %o
	%i = mov.u32 0
	%sum = mov.u32 0
again:
	%v = ld.global.u32 [%in]
	%sum = add.u32 %sum, %v
	%in = add.u64 %in, 4096
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, %turns
	bra %p, again, last
last:
	%p = setp.ne.u32 %t, 0
	bra %p, done, first
first:
	st.global.u64 [%out], %cycle
	st.global.u64 [%out+8], %time
	bra done
done:
	exit
}
END
cat >"$tmp/sum.lua" <<'END'
local input, out = gpu.buffer("u32", 16384, 1), gpu.buffer("u64", 2)
gpu.compare(out, { how = "ignore" })
for k = 1, 3 do
	if gpu.args[1] == "flush" and k > 1 then gpu.flush() end
	gpu.launch { kernel = "sum", grid = 4, block = 256, args = { input, out, 16 } }
	print(out:get(0), out:get(1))
end
END

# run OPTION...: leaves the launches' figures, one a line: called started cycles ended hits-in-L2 misses clock
# nanoseconds
run() {
	"$gsim" -q --laws -D clock_mhz=500 -D sm.count=2 -s "$tmp/json" "$@" >"$tmp/out" 2>"$tmp/err" || fail "$*: $(head -n 2 "$tmp/err")"
	sed -n '/^  "total"/q; s/^ *"\([a-z_]*\)": \([0-9]*\),*$/\1 \2/p; s/.*"l2": {.*"hits": \([0-9]*\), "misses": \([0-9]*\).*/l2 \1 \2/p' "$tmp/json" |
		awk '$1 == "called" { c = $2 } $1 == "started" { s = $2 } $1 == "cycles" { n = $2 } $1 == "program_cycles" { e = $2 }
			$1 == "l2" { print c, s, n, e, $2, $3 }' >"$tmp/figures"
	grep '^[0-9]' "$tmp/out" | paste -d ' ' "$tmp/figures" - >"$tmp/launches"
	[ "$(wc -l <"$tmp/launches")" = 3 ] || fail "$*: $(cat "$tmp/launches")"
}

# the times add up, the first launch misses in L2, the others find all that they read
run "$tmp/sum.ir" -D launch.overhead_cycles=3000 -D launch.latency_cycles=700
awk 'function bad(what) { print "launch " NR ": " what ": " $0; status = 1 }
	{ call = NR == 1 ? 0 : ended > called + 3000 ? ended : called + 3000 }
	$1 != call { bad("called") }
	$2 != $1 + 700 { bad("started") }
	$4 != $2 + $3 { bad("ended") }
	$7 < $2 || $7 >= $4 { bad("clock") }
	$8 < $7 * 2 || $8 >= $4 * 2 { bad("%globaltimer") }
	NR == 1 && $6 < 2048 { bad("misses in an empty L2") }
	NR > 1 && ($6 >= 16 || $3 >= first / 2) { bad("L2 is not warm") }
	NR == 1 { first = $3 }
	{ called = $1; ended = $4 }
	END { print ended >"'"$tmp/end"'"; exit status }' "$tmp/launches" || fail "times of launches"
[ "$(sed -n '/^  "total"/,$ s/^ *"program_cycles": \([0-9]*\).*/\1/p' "$tmp/json")" = "$(cat "$tmp/end")" ] || fail "the program does not end with its last launch"

# a call waits until the host has made the one before
run "$tmp/sum.ir" -D launch.overhead_cycles=100000 -D launch.latency_cycles=700
[ "$(cut -d ' ' -f 1,2 "$tmp/launches" | tr '\n' ' ')" = "0 700 100000 100700 200000 200700 " ] || fail "calls come too early: $(cat "$tmp/launches")"

# launches of one stream that are called early: each begins so long behind its call and behind the end before, whichever is later; of the
# gap no more counts than of the call
cat >"$tmp/stream.lua" <<'END'
local input, out = gpu.buffer("u32", 16384, 1), gpu.buffer("u64", 2)
for k = 1, 5 do gpu.launch { kernel = "sum", grid = 4, block = 256, stream = 1, args = { input, out, 4 } } end
END
for gap in 0 300 900 5000; do
	"$gsim" -q --laws -D sm.count=2 -D launch.overhead_cycles=50 -D launch.latency_cycles=900 -D launch.dependent_cycles=$gap -w "$tmp/stream.lua" \
		-s "$tmp/json" "$tmp/sum.ir" 2>"$tmp/err" || fail "launches of a stream: $(head -n 2 "$tmp/err")"
	sed -n '/^  "total"/q; s/^ *"\([a-z_]*\)": \([0-9]*\),*$/\1 \2/p' "$tmp/json" |
		awk -v gap=$gap '$1 == "called" { c = $2 } $1 == "started" { s = $2 } $1 == "cycles" { n = $2 }
			$1 == "program_cycles" { want = c + 900; least = gap < 900 ? gap : 900; if (ended + least > want && count) want = ended + least
				if (s != want) { print "launch " count " starts in " s ", not " want; bad = 1 }; ended = $2; count++ }
			END { exit bad || count != 5 }' || fail "launches of a stream, gap $gap"
done

# with empty caches all launches are alike
for how in "-D launch.cold=true" "-- flush"; do
	run "$tmp/sum.ir" -D launch.latency_cycles=0 -D launch.overhead_cycles=64000 $how
	[ "$(cut -d ' ' -f 3,5,6 "$tmp/launches" | sort -u | wc -l)" = 1 ] || fail "$how: caches are not empty: $(cat "$tmp/launches")"
done

# ---- launch.warm ----

# A kernel's first launch is measured as its second is, at the time of the first; memory, text and the
# program's clock know nothing of the warm-up.
cat >"$tmp/same.ir" <<'END'
global u32 runs
kernel same(u64 in, u64 out, u32 turns)
{
	reg u64 %in, %out, %o, %runs
	reg u32 %t, %n, %b, %i, %turns, %sum, %v
	reg pred %p
enter:
	%in = ld.param.u64 [in]
	%out = ld.param.u64 [out]
	%turns = ld.param.u32 [turns]
	%t = mov.u32 %tid.x
	%b = mov.u32 %ctaid.x
	%n = mov.u32 %ntid.x
	%t = mad.lo.u32 %b, %n, %t
	%o = mul.wide.u32 %t, 4
	%in = add.u64 %in, %o
	%out = add.u64 %out, %o
	%i = mov.u32 0
	%sum = mov.u32 0
	%runs = mov.u64 runs
	%v = atom.global.add.u32 [%runs], 1
again:
	%v = ld.global.u32 [%in]
	%sum = add.u32 %sum, %v
	%in = add.u64 %in, 4096
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, %turns
	bra %p, again, last
last:
	%v = ld.global.u32 [%out]
	%v = add.u32 %v, %sum
	st.global.u32 [%out], %v
	exit
}
END
cat >"$tmp/same.lua" <<'END'
local input, out = gpu.buffer("u32", 16384, 1), gpu.buffer("u32", 1024)
local stream = gpu.args[2] and { 1, 2 } or { 0, 0 }
for k = 1, tonumber(gpu.args[1]) do
	gpu.launch { kernel = "same", grid = 4, block = 256, args = { input, out, 16 }, stream = stream[k] }
end
gpu.check(gpu.symbol("runs"):get(0) == 1024 * tonumber(gpu.args[1]), "the warm-up shows in memory")
for i = 0, 1023 do gpu.check(out:get(i) == 16 * tonumber(gpu.args[1]), "wrong sum") end
print("once")
END
# same OPTION...: the report without what names the run
same() {
	"$gsim" -q --laws -D clock_mhz=500 -D sm.count=2 -D launch.latency_cycles=0 -D launch.overhead_cycles=64000 -w "$tmp/same.lua" -s "$tmp/json" "$@" >"$tmp/out" 2>"$tmp/err" ||
		fail "$*: $(head -n 2 "$tmp/err" "$tmp/out")"
}
# launch N: its figures, without times of the clock
launch() {
	awk -v want="$1" '/^  "total"/ { exit } /^ *"kernel"/ { n++ } n == want' "$tmp/json" | grep -v '"filled"\|"called"\|"started"\|program_cycles\|"seconds"\|^    []{}]'
}
for model in ipdom its dwf mimd; do
	same -m $model "$tmp/same.ir" -- 2
	launch 2 >"$tmp/second"
	same -m $model -D launch.warm=true "$tmp/same.ir" -- 1
	[ "$(cat "$tmp/out")" = once ] || fail "printed $(cat "$tmp/out")"
	launch 1 >"$tmp/warm"
	[ -s "$tmp/second" ] && grep -q '"misses": [1-9]' "$tmp/second" && cmp -s "$tmp/second" "$tmp/warm" || fail "-m $model: launch.warm is not as a second launch: $(diff "$tmp/second" "$tmp/warm" | head -n 6)"
	awk 'BEGIN { total = 0 } /^  "total"/ { total = 1 } { gsub(/,/, "") } $1 == "\"started\":" { s = $2 } $1 == "\"cycles\":" { c[total] = $2 } $1 == "\"program_cycles\":" { e[total] = $2 }
		END { exit !(s == 0 && c[1] == c[0] && (e[0] == s + c[0] || "'$model'" == "mimd") && e[1] == e[0]) }' "$tmp/json" || fail "-m $model: the warm-up is in the program's time"
done

# What a warm-up leaves dirty in L2 may leave it while later launches are measured: conservation laws know of
# it.
cat >"$tmp/dirty.ir" <<'END'
kernel fill(u64 out)
{
	reg u64 %out, %o
	reg u32 %t, %b, %n
enter:
	%out = ld.param.u64 [out]
	%t = mov.u32 %tid.x
	%b = mov.u32 %ctaid.x
	%n = mov.u32 %ntid.x
	%t = mad.lo.u32 %b, %n, %t
	%o = mul.wide.u32 %t, 4
	%out = add.u64 %out, %o
	st.global.u32 [%out], %t
	exit
}
kernel look(u64 out)
{
	reg u64 %out
enter:
	%out = ld.param.u64 [out]
	%out = add.u64 %out, 4
	exit
}
END
cat >"$tmp/dirty.lua" <<'END'
local out, written = gpu.buffer("u32", 16384), 0
for k = 0, 300 do
	local s = gpu.launch { kernel = k == 0 and "fill" or "look", grid = k == 0 and 64 or 1, block = 256, args = { out } }
	written = written + s.memory.l2.writebacks - s.memory.l2.dirtied
end
gpu.check(written > 0, "nothing of the warm-ups was written back")
END
"$gsim" -q --laws -D launch.warm=true -D l2.bytes=65536 -w "$tmp/dirty.lua" "$tmp/dirty.ir" >"$tmp/out" 2>&1 || fail "launch.warm, dirty lines: $(head -n 1 "$tmp/out")"

# Neither host threads nor windows change anything, also where several launches are warmed up together.
for option in "-j 1" "-j 2" "--window 1"; do
	same -D launch.warm=true -t "$tmp/trace" $option "$tmp/same.ir" -- 2 streams
	grep -v '"host"\|"seconds"' "$tmp/json" | cat - "$tmp/out" "$tmp/trace" | cksum
done | sort -u | wc -l | grep -q '^ *1$' || fail "launch.warm: results depend on -j or --window"
sed -n '/^  "total"/q; s/^ *"warp_instructions": \([0-9]*\).*/\1/p' "$tmp/json" >"$tmp/reported"
"${GSIM_TRACE:-./gsim-trace}" --summary "$tmp/trace" | sed -n 's/^  warp_instructions  *//p' >"$tmp/traced"
[ "$(wc -l <"$tmp/traced")" = 2 ] && cmp -s "$tmp/reported" "$tmp/traced" || fail "launch.warm: the trace has $(tr '\n' ' ' <"$tmp/traced")"

# What has no caches has no warm-up; and a launch cannot have both.
for how in --functional --reference; do
	"$gsim" -q -D launch.warm=true $how -w "$tmp/same.lua" "$tmp/same.ir" -- 2 >"$tmp/out" 2>"$tmp/err" && [ "$(cat "$tmp/out")" = once ] || fail "launch.warm $how: $(head -n 1 "$tmp/err") $(head -n 1 "$tmp/out")"
done
"$gsim" -D launch.warm=true -D launch.cold=true "$tmp/sum.ir" >"$tmp/out" 2>&1
[ $? = 2 ] && grep -q 'error: launch.cold and launch.warm are both true' "$tmp/out" || fail "cold and warm: $(head -n 1 "$tmp/out")"

# the report for people has the launches and the program's time
"$gsim" "$tmp/sum.ir" >"$tmp/text" || fail "text report"
grep -q "^program's cycles  *[0-9,]*  " "$tmp/text" || fail "no program time in the text report"
[ "$(grep -c '^  [123] sum <4,1,1> <256,1,1>' "$tmp/text")" = 3 ] || fail "no launches in the text report"

"$gsim" --all "$tmp/sum.ir" >"$tmp/text" || fail "text report --all"
[ "$(grep -c "^program's cycles .* to the end of this launch$" "$tmp/text")" = 3 ] || fail "--all: the program's cycles of a launch do not go to its end"

# neither host threads nor windows change anything
for option in "-j 1" "-j 2" "-j 7" "--window 1"; do
	"$gsim" -q -D sm.count=4 -t "$tmp/trace" -s "$tmp/full.json" $option "$tmp/sum.ir" >"$tmp/out" || fail "$option"
	grep -v '"host"' "$tmp/full.json" | cat - "$tmp/out" "$tmp/trace" | cksum
done | sort -u | wc -l | grep -q '^ *1$' || fail "results depend on -j or --window"

# ---- streams ----

cat >"$tmp/two.ir" <<'END'
kernel work(u64 out, u32 turns)
{
	reg u64 %out, %first, %end
	reg u32 %t, %i, %turns, %x
	reg pred %p
enter:
	%first = mov.u64 %clock64
	%out = ld.param.u64 [out]
	%turns = ld.param.u32 [turns]
	%t = mov.u32 %tid.x
	%x = mov.u32 %ctaid.x
	%i = mov.u32 0
again:
	%x = mad.lo.u32 %x, 5, %i
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, %turns
	bra %p, again, last
last:
	%end = mov.u64 %clock64
	%p = setp.ne.u32 %t, 0
	bra %p, done, write
write:
	%x = mov.u32 %ctaid.x
	%first = atom.global.min.u64 [%out], %first
	%end = atom.global.max.u64 [%out+8], %end
	%x = atom.global.add.u32 [%out+16], 1
	bra done
done:
	exit
}
kernel wait(u64 flag)
{
	reg u64 %flag
	reg u32 %v
	reg pred %p
enter:
	%flag = ld.param.u64 [flag]
	bra again
again:
	%v = ld.volatile.global.u32 [%flag]
	%p = setp.eq.u32 %v, 0
	bra %p, again, done
done:
	exit
}
kernel set(u64 flag)
{
	reg u64 %flag
enter:
	%flag = ld.param.u64 [flag]
	st.volatile.global.u32 [%flag], 1
	exit
}
kernel bad(u64 flag)
{
	reg u64 %flag
enter:
	st.global.u32 [64], 1
	exit
}
END
# two STREAMS BLOCKS SHARED: two launches; prints of each when it started and ended, and when its first block
# began and its last one ended
cat >"$tmp/two.lua" <<'END'
local stream = { gpu.args[1]:match("(%d),(%d)") }
local s, out = {}, {}
for k = 1, 2 do
	out[k] = gpu.buffer("u64", 3)
	out[k]:set(0, 0x7fffffffffffffff)
	gpu.compare(out[k], { how = "ignore" })
end
for k = 1, 2 do
	s[k] = gpu.launch { kernel = "work", grid = tonumber(gpu.args[2]), block = 64, shared = tonumber(gpu.args[3]), args = { out[k], 2000 },
		stream = tonumber(stream[k]) }
end
for k = 1, 2 do
	gpu.check(out[k]:get(2) == tonumber(gpu.args[2]), "blocks are missing")
	gpu.check(s[k].stream == tonumber(stream[k]), "no statistics")
	if s[k].started then gpu.check(#s[k].blocks == 5, "no blocks") print(s[k].started, s[k].program_cycles, out[k]:get(0), out[k]:get(1)) end
end
END
# two OPTION... -- STREAMS BLOCKS SHARED: leaves one line: both launches' four figures
two() {
	"$gsim" -q --laws --verify -D sm.count=4 -D launch.overhead_cycles=100 -D launch.latency_cycles=500 -w "$tmp/two.lua" "$@" >"$tmp/out" 2>"$tmp/err" ||
		fail "$*: $(head -n 2 "$tmp/err")"
	tr '\t\n' '  ' <"$tmp/out" >"$tmp/line"
	[ "$(wc -w <"$tmp/line")" = 8 ] || fail "$*: $(cat "$tmp/line")"
}
# holds CONDITION OPTION...: of the figures $1 to $4 and $5 to $8
holds() {
	condition=$1
	shift
	two "$tmp/two.ir" "$@"
	awk "{ exit !($condition) }" "$tmp/line" || fail "$*: not $condition: $(cat "$tmp/line")"
}

# Blocks of both fit: the launches run side by side, in the time of one.
holds '$1 == 500 && $5 == 600 && $7 < $4 && $6 < $2 + 1000' -- 1,2 4 0
# One stream: in order.
holds '$5 == $2 + 500 && $7 >= $5 && $6 > 2 * ($2 - 500)' -- 1,1 4 0
# Blocks of the first fill all SMs: those of the second come when they end.
holds '$5 == 600 && $7 >= $4 && $6 >= 2 * ($2 - 500)' -- 1,2 4 49152
# Of two waves of the first, the last leaves room: there the second goes, before the first has ended.
holds '$5 == 600 && $7 > $1 + ($4 - $1) / 2 - 1000 && $7 < $4' -- 1,2 6 49152
# The default stream waits for the others.
holds '$5 == $2 + 500' -- 1,0 4 0
holds '$5 == $2 + 500' -- 0,1 4 0
# As many grids as may be resident.
holds '$5 == $2 + 500' -D launch.resident_grids=1 -- 1,2 4 0

# Without time launches run in the order of their calls.
"${srcdir:-.}/tests/within" 60 "$gsim" -q --functional --verify -w "$tmp/two.lua" "$tmp/two.ir" -- 1,2 4 0 >"$tmp/out" 2>&1 || fail "functional: $(head -n 1 "$tmp/out")"

# Neither host threads nor windows change anything, whatever the mechanism; the trace has the report's
# figures, launch by launch.
for model in ipdom token its tbc dwf swi aware mimd; do
	for option in "-j 1" "-j 2" "--window 1"; do
		"$gsim" -q --laws -m $model -D sm.count=4 -D launch.overhead_cycles=100 -D launch.latency_cycles=20 -t "$tmp/trace" -s "$tmp/full.json" $option -w "$tmp/two.lua" \
			"$tmp/two.ir" -- 1,2 6 20000 >"$tmp/out" 2>&1 || fail "-m $model $option: $(head -n 2 "$tmp/out")"
		grep -v '"host"' "$tmp/full.json" | cat - "$tmp/out" "$tmp/trace" | cksum
	done | sort -u | wc -l | grep -q '^ *1$' || fail "-m $model: results depend on -j or --window"
	sed -n '/^  "total"/q; s/^ *"warp_instructions": \([0-9]*\).*/\1/p' "$tmp/full.json" >"$tmp/reported"
	"${GSIM_TRACE:-./gsim-trace}" --summary "$tmp/trace" | sed -n 's/^  warp_instructions  *//p' >"$tmp/traced"
	[ -s "$tmp/traced" ] && cmp -s "$tmp/reported" "$tmp/traced" || fail "-m $model: the trace has $(tr '\n' ' ' <"$tmp/traced"), the report $(tr '\n' ' ' <"$tmp/reported")"
done

# Whoever looks waits: a field, pairs, a buffer, gpu.sync, the end.
cat >"$tmp/look.lua" <<'END'
local flag = gpu.buffer("u32", 1, 0)
local function set() return gpu.launch { kernel = "set", grid = 1, block = 32, args = { flag }, stream = 3 } end
set()
gpu.check(flag:get(0) == 1, "a buffer was read too early")
flag:set(0, 0)
gpu.check(set().kernel == "set" and flag:get(0) == 1, "a field was read too early")
local n, s = 0, set()
for k in pairs(s) do n = n + 1 end
gpu.check(n > 10, "no fields")
s = set()
gpu.sync()
gpu.check(rawlen(s) == 0 and rawequal(s.stream, 3), "no statistics behind gpu.sync")
set()
END
"$gsim" -w "$tmp/look.lua" "$tmp/two.ir" >"$tmp/out" 2>&1 || fail "looking: $(head -n 2 "$tmp/out")"
grep -q '^5 launches' "$tmp/out" || fail "the last launch has not run: $(sed -n 2p "$tmp/out")"

# One kernel waits for another one, which is called later: they run side by side. Where they cannot, that is
# livelock.
cat >"$tmp/wait.lua" <<'END'
local flag = gpu.buffer("u32", 1, 0)
gpu.launch { kernel = "wait", grid = 1, block = 32, args = { flag }, stream = 1 }
gpu.launch { kernel = "set", grid = 1, block = 32, args = { flag }, stream = 2 }
gpu.sync()
END
for overhead in 100 300000; do # also when it comes long after livelock is looked for
	"${srcdir:-.}/tests/within" 60 "$gsim" -q --alone -D launch.overhead_cycles=$overhead -D limits.progress_cycles=1000 -w "$tmp/wait.lua" "$tmp/two.ir" >"$tmp/out" 2>&1 || fail "waiting for a later launch: $(head -n 1 "$tmp/out")"
done
for how in "-D launch.resident_grids=1" --functional; do
	"${srcdir:-.}/tests/within" 60 "$gsim" -q --alone -D limits.progress_cycles=1000 $how -w "$tmp/wait.lua" "$tmp/two.ir" >"$tmp/out" 2>&1
	[ $? = 1 ] && grep -q 'livelock' "$tmp/out" || fail "$how: $(head -n 1 "$tmp/out")"
done

# L1 is empty when a grid begins: what an earlier one has loaded into it is gone, though nobody has looked
# since, and what has come to one that runs beside it, too.
[ "${srcdir:-}" ] || srcdir=$(dirname "$0")/../../..
GSIM_PATH=$srcdir/configs
export GSIM_PATH
cp "$srcdir/tests/sim/gpu/loads.ir" "$tmp"
cat >"$tmp/loads.lua" <<'END'
local p, other, how = gpu.buffer("u32", 32), gpu.buffer("u32", 32), gpu.args[1]
gpu.compare(p, { how = "ignore" })
local function look(s, misses, cycles)
	if s.memory.l1.misses ~= misses then print("launch", s.memory.l1.hits .. " hits in L1", s.memory.l1.misses .. " misses") end
	if cycles and s.cycles ~= cycles then print("launch", s.cycles .. " cycles", "those before " .. cycles) end
end
if how == "beside" then
	local long = gpu.launch { kernel = "loads", grid = 1, block = 32, stream = 1, args = { p, 400 } }
	local short = gpu.launch { kernel = "ends", grid = 1, block = 1, stream = 2, args = { other } }
	gpu.sync()
	look(long, 8)
	if short.started <= long.started + 1000 or short.program_cycles >= long.program_cycles - 1000 then print "one after the other" end
else
	local cycles
	for k = 1, 8 do
		if how == "flush" then gpu.flush() end
		look(gpu.launch { kernel = "ends", grid = 1, block = 32, args = { p } }, 4)
		local s = gpu.launch { kernel = "loads", grid = 1, block = 32, args = { p, 2 } }
		look(s, 4, cycles)
		cycles = (k > 1 or how == "flush") and s.cycles
	end
end
END
for how in "-- again" "-- flush" "-D launch.cold=true -- again" "-- beside" "-D fetch.cache_bytes=0 -- beside"; do
	"${srcdir:-.}/tests/within" 60 "$gsim" -q --alone -c volta.lua -D sm.count=1 -D l1.global=true "$tmp/loads.ir" $how >"$tmp/out" 2>&1
	[ $? = 0 ] && [ ! -s "$tmp/out" ] || fail "lines in L1 when a grid begins: $how: $(head -n 1 "$tmp/out")"
done

# kernels/two_streams: side by side in little more than the time of the longer one, but not with all shared
# memory taken
for shared in 0 49152; do
	"$gsim" -q --laws -c kepler.lua "$srcdir/kernels/two_streams/two_streams.ir" -- 8 $shared | sed 's/[a-z,]//g'
done >"$tmp/out" 2>&1
awk 'NF != 2 { exit 2 } NR == 1 && $2 > $1 * 3 / 4 { exit 1 } NR == 2 && $2 < $1 * 9 / 10 { exit 1 } END { exit NR != 2 }' "$tmp/out" ||
	fail "kernels/two_streams: $(tr '\n' ' ' <"$tmp/out")"

# The stalls of the total's lines are the total's: what one launch has as no_warp is not so when another one
# issued meanwhile.
"$gsim" -q -c kepler.lua -s "$tmp/streams.json" "$srcdir/kernels/two_streams/two_streams.ir" >"$tmp/out" 2>&1 || fail "kernels/two_streams: $(head -n 1 "$tmp/out")"
for reason in no_warp memory data divergence drain; do
	sed -n "/^  \"total\"/,\$p" "$tmp/streams.json" | grep -o "\"$reason\": [0-9][0-9]*" | awk '{ print $2 }' >"$tmp/$reason"
	awk 'NR == 1 { total = $1 } NR > 1 { sum += $1 } END { exit sum != total }' "$tmp/$reason" || fail "$reason of the total's lines: $(tr '\n' ' ' <"$tmp/$reason")"
done

# What ends a launch ends its warm-up, with the same words, figures and status.
cat >"$tmp/end.lua" <<'END'
local out = gpu.buffer("u64", 3)
gpu.launch { kernel = "work", grid = 1, block = 64, args = { out, 1000 } }
gpu.launch { kernel = gpu.args[1], grid = 1, block = 32, args = gpu.args[2] and { out, 1000000 } or { out } }
END
for end in "bad" "wait" "work x"; do
	for warm in false true; do
		"${srcdir:-.}/tests/within" 60 "$gsim" -q --alone -D launch.latency_cycles=700 -D limits.max_cycles=100000 -D limits.progress_cycles=1000 -D launch.warm=$warm -s "$tmp/end-$warm.json" -w "$tmp/end.lua" \
			"$tmp/two.ir" -- $end >"$tmp/end-$warm" 2>&1
		echo "status $?" >>"$tmp/end-$warm"
	done
	grep -q 'status 1' "$tmp/end-true" && grep -q 'error:' "$tmp/end-true" && [ "$(grep -c '^      "kernel"' "$tmp/end-true.json")" = 2 ] || fail "launch.warm, $end: $(cat "$tmp/end-true")"
	cmp -s "$tmp/end-false" "$tmp/end-true" || fail "launch.warm, $end: $(diff "$tmp/end-false" "$tmp/end-true")"
done

# A launch that fails ends the others; what they have done is in the report, what had not begun is not.
cat >"$tmp/bad.lua" <<'END'
local out = gpu.buffer("u64", 3)
gpu.launch { kernel = "work", grid = 1, block = 64, args = { out, 100000 }, stream = 1 }
gpu.launch { kernel = "bad", grid = 1, block = 32, args = { out }, stream = 2 }
gpu.launch { kernel = "set", grid = 1, block = 32, args = { out }, stream = 2 }
print(pcall(gpu.sync))
END
"$gsim" -w "$tmp/bad.lua" "$tmp/two.ir" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && grep -q 'two.ir:[0-9]*:.*bad: access outside every allocation' "$tmp/err" && grep -q '^2 launches' "$tmp/out" && grep -q '^false' "$tmp/out" ||
	fail "a failing launch in a stream: $(head -n 2 "$tmp/err" "$tmp/out")"
echo 'gpu.launch { kernel = "set", grid = 1, block = 32, args = { 0 }, stream = -1 }' >"$tmp/refused.lua"
"$gsim" -w "$tmp/refused.lua" "$tmp/two.ir" >"$tmp/out" 2>&1
[ $? = 2 ] && grep -q 'refused.lua:1:.*stream' "$tmp/out" || fail "stream = -1: $(head -n 1 "$tmp/out")"
exit $failed
