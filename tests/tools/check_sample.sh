#!/bin/sh
# gsim --sample: cycles within the interval that it gives, counts and results exactly those of the whole run, the same figures each
# time, launches that it refuses and why, options that are wrong.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
gsim=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)/gsim
GSIM_PATH=$srcdir/configs GSIM_USER_CONFIG=
export GSIM_PATH GSIM_USER_CONFIG
tmp=${TMPDIR:-/tmp}/gsim-sample.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/kernels/bench/blocks.* "$tmp"
cd "$tmp" || exit 1
failed=0

fail() {
	echo "FAILED: $1"
	failed=1
}
# run NAME OPTION...: a report NAME.json of 10000 blocks on one SM
run() {
	name=$1
	shift
	"$gsim" -q -c kepler.lua -D sm.count=1 -s "$name.json" "$@" blocks.ptx -- 10000 >"$name.out" 2>&1 || {
		fail "$*: status $?"
		cat "$name.out"
	}
}
# figure NAME KEY: the first one of that name in the report
figure() { sed -n 's/.*"'"$2"'": *\([0-9.]*\).*/\1/p' "$1.json" | head -n 1; }
# counts NAME: what does not depend on time
counts() { grep -E '"(warp|thread)_instructions"|"lanes"|"(branches|pushes|max_depth)"|"hash"' "$1.json" | sed 's/, "stalls".*//; s/"cycles": [0-9]*//; s/"ended": [0-9]*//'; }

run whole
run sampled --sample
run again --sample=2% -j 2
run other --sample --sample-seed 7
cycles=$(figure whole cycles) low=$(figure sampled cycles_low) high=$(figure sampled cycles_high)
[ "$low" -le "$cycles" ] && [ "$cycles" -le "$high" ] || fail "$cycles cycles, said to be from $low to $high"
[ "$((100 * (high - low)))" -le "$((4 * cycles + 200))" ] || fail "from $low to $high is more than 2 % to either side"
[ "$(figure sampled timed_blocks)" -le 5000 ] || fail "$(figure sampled timed_blocks) of 10000 blocks were timed"
counts whole >a && counts sampled >b
cmp -s a b || fail "counts differ: $(diff a b | head -n 4)"
grep -v '"host"\|per_second' sampled.json >a && grep -v '"host"\|per_second' again.json >b
cmp -s a b || fail "the same seed with -j 2: $(diff a b | head -n 4)"
counts other >a && counts sampled >b
cmp -s a b || fail "counts depend on the seed"
"$gsim" -c kepler.lua -D sm.count=1 --sample blocks.ptx -- 10000 >out 2>&1 && grep -q '^  sampled: +-.* (95 %): .* of 10,000 blocks timed' out ||
	fail "the text report: $(cat out)"

"$(dirname "$gsim")/gsim-compare" whole.json sampled.json >out 2>&1
grep -q '^sampled cycles: .* before, .* after (95 %): which are fewer is not known' out || fail "gsim-compare: $(head -n 12 out)"

# grids: a note in the table, two columns more in the CSV
"$gsim" -c kepler.lua -D sm.count=1 --sample --grid -m ipdom -m its -s grid.csv blocks.ptx -- 4000 >out 2>&1
grep -q 'cycles sampled, +-[0-9.]* %' out || fail "the grid: $(head -n 12 out)"
low=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) n[$i] = i } NR == 2 { print ($n["cycles_low"] < $n["cycles"] && $n["cycles"] < $n["cycles_high"]) }' grid.csv)
[ "$low" = 1 ] || fail "the grid's CSV: $(head -n 2 grid.csv)"

# mechanisms that keep a scoreboard for lanes, which the functional run has no need of
for model in its dwf; do
	run "$model" --sample -m "$model"
	[ "$(figure "$model" timed_blocks)" -gt 0 ] || fail "$model: nothing was sampled"
done

# refused: the run is the same as without --sample, but for the reason
# refused TEXT MODULE-FILES...: the last is the module
refused() {
	"$gsim" -q -c kepler.lua -D sm.count=1 -s a.json "$2" >/dev/null 2>&1 && "$gsim" -q -c kepler.lua -D sm.count=1 --sample -s b.json "$2" >out 2>&1 ||
		fail "$2: $(cat out)"
	grep -q "\"whole\": \"[^\"]*$1" b.json || fail "$2: no reason '$1': $(grep '"whole"' b.json)"
	grep -v '"host"\|per_second\|"sampled"' a.json >a && grep -v '"host"\|per_second\|"sampled"' b.json >b
	cmp -s a b || fail "$2: refused, and the run differs: $(diff a b | head -n 6)"
}
refused "32 blocks are fewer than 96 times" "$srcdir/kernels/bench/divergent.ptx" 2>/dev/null
refused "decides by what an atomic operation" "$srcdir/kernels/sparse_rows/sparse_rows.ptx"
wrong() {
	text=$1
	shift
	"$gsim" -c kepler.lua "$@" blocks.ptx >out 2>&1
	[ $? = 2 ] && grep -q -e "$text" out || fail "$*: expected status 2 and '$text': $(head -n 2 out)"
}
for bad in 0 -1 x 51 2%% 1e3 .; do
	wrong "--sample: expected a number of percent from 0.1 to 50" "--sample=$bad"
done
wrong "needs --sample" --sample-seed 2
wrong "--sample-seed: expected a number" --sample --sample-seed 0
wrong "functional and --reference do not measure" --sample --functional
wrong "trace, --html and" --sample -t x.trace
wrong "annotate" --sample --annotate
wrong "laws" --sample --laws
wrong "watch every block" --sample --race-check
exit $failed
