#!/bin/sh
# How much of the machine a run has used (sim/report/filled.h): reports say that it was mostly empty, and why, where that is so.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../../..}" && pwd)
bin=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-filled.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}

# Each thread counts down from n; those of block 0 from `first`.
cat >count.ir <<'END'
kernel count(u64 out, u32 n, u32 first)
{
	reg u64 %out, %o
	reg u32 %t, %b, %d, %n, %first
	reg pred %p
enter:
	%out = ld.param.u64 [out]
	%n = ld.param.u32 [n]
	%first = ld.param.u32 [first]
	%b = mov.u32 %ctaid.x
	%d = mov.u32 %ntid.x
	%t = mov.u32 %tid.x
	%t = mad.lo.u32 %b, %d, %t
	%p = setp.eq.u32 %b, 0
	%n = selp.u32 %first, %n, %p
again:
	%n = sub.u32 %n, 1
	%p = setp.ne.u32 %n, 0
	bra %p, again, last
last:
	%o = mul.wide.u32 %t, 4
	%out = add.u64 %out, %o
	st.global.u32 [%out], %t
	exit
}
END
# arguments: blocks, threads of a block, n, first, streams
cat >count.lua <<'END'
local blocks, threads, n, first, streams = table.unpack(gpu.args)
local out = gpu.buffer("u32", blocks * threads)
for k = 1, streams or 1 do
	gpu.launch { kernel = "count", grid = tonumber(blocks), block = tonumber(threads), stream = streams and k,
		args = { out, tonumber(n), tonumber(first) } }
end
END

# Runs it on volta.lua, and takes the report's key `filled`. run OPTIONS -- ARGUMENTS
run() {
	"$bin/gsim" -c volta.lua -s r.json -s r.txt count.ir "$@" >/dev/null 2>err || fail "$*: $(cat err)"
	sed -n 's/^  "filled": //p' r.json >filled
}
# The figure of that name in `filled`.
filled() { sed -n 's/.*"'"$1"'": \([^,]*\),.*/\1/p' filled; }
expect() {
	[ "$(filled "$1")" = "$2" ] || fail "$3: $1 is $(filled "$1"), not $2"
}
# empty WHY WHAT: the machine was mostly empty, and the text says so. full WHAT: it was not.
empty() {
	expect mostly_empty true "$2"
	expect why "\"$1\"" "$2"
	grep -q '^mostly empty: ' r.txt && grep -q '^  So cycles say little of caches' r.txt || fail "$2: the text says nothing"
	! grep -A 3 '^mostly empty: ' r.txt | grep -q '.\{101\}' || fail "$2: a line is too long"
	[ "$(wc -l <r.txt)" -le 40 ] || fail "$2: more than a screen"
}
full() {
	expect mostly_empty false "$1"
	expect why null "$1"
	! grep -q 'mostly empty' r.txt || fail "$1: the text has the remark"
}

run -- 1 32 500 500
empty grid "one warp"
expect sms_used 1 "one warp"
grep -q '^mostly empty: schedulers had no warp in 99.7 % of their cycles, and 79 of 80 SMs had no block;$' r.txt &&
	grep -q '^  the grid has threads for 0.0 % of the machine.$' r.txt || fail "one warp: $(grep mostly r.txt)"
# the share is that of the scheduler-cycles, as the total has them
awk -F '[:,}]' '/^  "filled"/ { share = $3 } /^    "issue"/ { total = 1 } /"slots"/ { slots = $2 }
	/"no_warp":/ && !/filled/ { sub(/.*"no_warp": /, ""); none = $0 + 0 } END { exit !(slots > 0 && (share - none / slots) ^ 2 < 1e-12) }' r.json ||
	fail "no_warp is not the share of stalls without a warp"
run -D sm.count=1 -- 1 32 500 500
full "one SM"
expect sms_used 1 "one SM"
run -- 1280 128 60 60
full "a grid that fills the machine"
expect sms_used 80 "a grid that fills the machine"
expect grid 1 "a grid that fills the machine"
run -- 640 128 60 60
full "half a machine of warps"
[ "$(filled grid | cut -c 1-4)" = 0.5 ] || fail "640 blocks of 16 places on 80 SMs are not half: $(filled grid)"
# registers, blocks of threads: whatever bounds occupancy bounds how much there is to fill
run -D sm.max_blocks=8 -- 640 128 60 60
expect grid 1 "no more than 8 blocks an SM"
# one block runs on when all others have ended
run -- 1280 128 5 5000
empty time "a tail"
expect sms_used 80 "a tail"
expect grid 1 "a tail"
# side by side: each grid on other SMs
run -D sm.max_blocks=1 -- 30 32 60 60 2
expect sms_used 60 "two grids of 30 blocks on SMs of one"
empty grid "two grids"
run -D sm.max_blocks=1 -- 30 32 60 60 1
expect sms_used 30 "one grid of 30 blocks"
cp filled one
run -j 3 -D sm.max_blocks=1 -- 30 32 60 60 1
cmp -s filled one || fail "host threads change what is filled"
run --functional -- 1 32 10 10
[ "$(cat filled)" = null, ] || fail "a functional run: $(cat filled)"
! grep -q 'mostly empty' r.txt || fail "a functional run has the remark"

# what helps: a larger size, where the workload grows
for declared in 'gpu.sizes(function(size) return 5 end)' 'gpu.sizes { reason = "by its algorithm" }'; do
	{ echo "$declared" && cat count.lua; } >sized.lua
	"$bin/gsim" -w sized.lua -c volta.lua count.ir -- 1 32 9 9 | sed -n 's/^  counts and SIMD utilisation hold. A fuller machine: //p'
done >hints
printf -- '--size L\n-D sm.count=1\n' | cmp -s - hints || fail "what helps: $(cat hints)"

# comparisons of cycles
run -- 1 32 500 500 && cp r.json a.json
run -m ipdom -- 1 32 500 500 && cp r.json b.json
run -- 1280 128 60 60 && cp r.json c.json
remark='^remark: mostly empty in'
"$bin/gsim-compare" a.json b.json | grep -q "$remark both runs (99.7 % without a warp)" || fail "gsim-compare of two empty machines"
"$bin/gsim-compare" a.json c.json | grep -q "$remark some runs" || fail "gsim-compare of an empty machine and a full one"
! "$bin/gsim-compare" c.json c.json | grep -q "$remark" || fail "gsim-compare of full machines"
"$bin/gsim-compare" a.json b.json c.json | grep -q "$remark some runs (99.7 % without" || fail "gsim-compare of three machines"
for n in 1 2; do
	"$bin/gsim" -q -c volta.lua --grid -m ipdom -m its -s g$n.json count.ir -- 1 32 $n 9
done
"$bin/gsim-compare" g1.json g2.json | grep -q "$remark all runs" || fail "gsim-compare of two grids"
"$bin/gsim" -c volta.lua -b -p dce count.ir -- 1 32 9 9 | grep -q "$remark both runs" || fail "--before-after"
"$bin/gsim" -c volta.lua --grid -m ipdom -m its -m serial count.ir -- 1 32 9 9 | grep -q "$remark all runs" || fail "--grid"
! "$bin/gsim" -c volta.lua -D sm.count=1 --grid -m ipdom -m its count.ir -- 1 32 9 9 | grep -q "$remark" || fail "--grid on one SM"

# many runs
"$bin/gsim-sweep" -o sweep -c volta.lua -m ipdom,its --vary n=1,1280 count.ir -- '{n}' 128 60 60 >out 2>err || fail "the sweep: $(cat err)"
[ "$(grep -c 'mostly empty' err)" = 1 ] || fail "the sweep warns $(grep -c 'mostly empty' err) times"
grep -q 'mostly empty in 2 of 4 points (count.ir -- 1 128 60 60 on volta.lua)' err || fail "the sweep names $(grep mostly err)"
"$bin/gsim" -c volta.lua --sensitivity=l1.latency count.ir -- 1 32 9 9 | grep -q '^The machine was mostly empty: ' || fail "--sensitivity"
! "$bin/gsim" -c volta.lua --sensitivity=l1.latency count.ir -- 1280 128 60 60 | grep -q '^The machine was mostly empty: ' || fail "--sensitivity of a full machine"
exit $failed
