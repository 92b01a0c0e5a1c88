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

# run OPTION...: leaves the launches' figures, one a line: called started cycles ended hits-in-L2 misses clock nanoseconds
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

# with empty caches all launches are alike
for how in "-D launch.cold=true" "-- flush"; do
	run "$tmp/sum.ir" -D launch.latency_cycles=0 -D launch.overhead_cycles=64000 $how
	[ "$(cut -d ' ' -f 3,5,6 "$tmp/launches" | sort -u | wc -l)" = 1 ] || fail "$how: caches are not empty: $(cat "$tmp/launches")"
done

# the report for people has the launches and the program's time
"$gsim" "$tmp/sum.ir" >"$tmp/text" || fail "text report"
grep -q "^program's cycles  *[0-9,]*  " "$tmp/text" || fail "no program time in the text report"
[ "$(grep -c '^  [123] sum <4,1,1> <256,1,1>' "$tmp/text")" = 3 ] || fail "no launches in the text report"

# neither host threads nor windows change anything
for option in "-j 1" "-j 2" "-j 7" "--window 1"; do
	"$gsim" -q -D sm.count=4 -t "$tmp/trace" -s "$tmp/full.json" $option "$tmp/sum.ir" >"$tmp/out" || fail "$option"
	grep -v '"host"' "$tmp/full.json" | cat - "$tmp/out" "$tmp/trace" | cksum
done | sort -u | wc -l | grep -q '^ *1$' || fail "results depend on -j or --window"
exit $failed
