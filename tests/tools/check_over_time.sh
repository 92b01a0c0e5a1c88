#!/bin/sh
# gsim --interval by the command line: the table and the JSON report have the same figures; -b has both runs; the picture is whole, with one interval and with
# very many; where there would be too many intervals, N doubles and gsim says so; what cannot be is refused with status 2.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
tmp=${TMPDIR:-/tmp}/gsim-over-time.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# refused TEXT OPTION...: status 2, with this in the message, and nothing is written
refused() {
	text=$1
	shift
	gsim "$@" >"$tmp/out" 2>&1
	status=$?
	[ $status -eq 2 ] || fail "gsim $*: status $status"
	grep -qF -e "$text" "$tmp/out" || fail "gsim $*: no '$text' but: $(head -n 1 "$tmp/out")"
	[ ! -e "$tmp/no.csv" ] || fail "gsim $*: has written a table"
}

stencil=$top/kernels/stencil/stencil.ptx
for n in 0 -1 1x '' 1000000001 99999999999999999999; do
	refused "--interval: expected a number of cycles from 1 to 1000000000, not $n" --interval "$n" -s "$tmp/no.csv" "$stencil"
done
refused "--interval and --grid exclude each other" --interval 10 --grid -s "$tmp/no.csv" "$stencil"
refused "--functional" --interval 10 --functional -s "$tmp/no.csv" "$stencil"
refused "--reference" --interval 10 --reference -s "$tmp/no.csv" "$stencil"
refused "--stats" --interval 10 "$stencil"
refused "--stats" --interval 10 -s "$tmp/no.txt" "$stencil"
refused "are --grid's and --interval's" -s "$tmp/no.csv" "$stencil"
refused "--interval is given more than once" --interval 10 --interval 10 -s "$tmp/no.csv" "$stencil"
refused "runs nothing" --interval 10 --print-config

run="gsim -q -c kepler.lua -D sm.count=2"
$run --interval 100 -s "$tmp/one.csv" -s "$tmp/one.json" -s "$tmp/one.svg" "$stencil" || fail "one run: status $?"
$run --interval 1000000 -s "$tmp/whole.csv" -s "$tmp/whole.svg" "$stencil" || fail "one interval: status $?"
$run --interval 1 -s "$tmp/many.csv" -s "$tmp/many.svg" "$stencil" || fail "many intervals: status $?"
$run --interval 50 -s - "$stencil" >"$tmp/shown.json" || fail "to standard output: status $?"
$run --interval 100 --sums -s "$tmp/sums.json" "$stencil" || fail "--sums: status $?"
$run --interval 20 -b -p linearize -s "$tmp/both.csv" -s "$tmp/both.json" -s "$tmp/both.svg" "$top/kernels/loop_exits/loop_exits.ir" || fail "-b: status $?"
gsim-compare "$tmp/both.json" >"$tmp/out" 2>&1 || fail "gsim-compare: $(head -n 1 "$tmp/out")"
gsim -q -c volta.lua -D sm.count=2 --interval 100 -s "$tmp/streams.csv" -s "$tmp/streams.svg" "$top/kernels/two_streams/two_streams.ir" >"$tmp/out" || fail "streams: status $?"

# A hundred million cycles, nearly all of them asleep: no more memory than any other run needs.
cat >"$tmp/sleeps.ir" <<'IR'
kernel sleeps()
{
	reg u32 %n
	reg pred %p
E:	%n = mov.u32 0
	bra L
L:	nanosleep.u32 1000000
	%n = add.u32 %n, 1
	%p = setp.lt.u32 %n, 100
	bra %p, L, X
X:	exit
}
IR
echo 'gpu.launch { kernel = "sleeps", grid = 1, block = 32 }' >"$tmp/sleeps.lua"
limit=300000
(ulimit -v $limit && exec gsim --version) >"$tmp/out" 2>&1 || limit=unlimited # a sanitizer's shadow memory is larger
(ulimit -v $limit && exec gsim -c teaching.lua -D limits.max_cycles=1000000000 --interval 1 -s "$tmp/sleeps.csv" -s "$tmp/sleeps.svg" "$tmp/sleeps.ir") >"$tmp/out" 2>&1 || fail "sleeps: status $?, $(head -n 1 "$tmp/out")"
grep -q "warning: --interval 1: the run has more than 32768 intervals of that length; figures are for 4096 cycles each" "$tmp/out" || fail "sleeps: no warning, but $(head -n 1 "$tmp/out")"
gsim -q -c teaching.lua -D limits.max_cycles=1000000000 --interval 4096 -s "$tmp/sleeps4096.csv" "$tmp/sleeps.ir" || fail "sleeps, 4096: status $?"
cmp "$tmp/sleeps.csv" "$tmp/sleeps4096.csv" || fail "intervals that have doubled to 4096 cycles are others than those of 4096"

"$lua" "$top/tests/tools/check_over_time.lua" "$top" "$tmp" || failed=1
exit $failed
