#!/bin/sh
# gsim-compare as a user has it: every pair of reports, Markdown, --fail-if as a gate; that results are identical; what a grid says of runs that cannot end.
srcdir=${srcdir:-$(dirname "$0")/../..}
gsim=${GSIM:-./gsim}
compare=${GSIM_COMPARE:-./gsim-compare}
GSIM_PATH=$srcdir
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-compare.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/tests/tools/front/loop.* "$srcdir"/kernels/oracles/e1.ir "$srcdir"/kernels/short_circuit/short_circuit.* "$tmp" && chmod u+w "$tmp"/*
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' "$tmp/out" "$tmp/err" | head -20
	failed=1
}

# expect STATUS TEXT COMMAND...: the exit status, and a text that standard output or standard error has ("" =
# none wanted)
expect() {
	want=$1 text=$2
	shift 2
	"$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" "$tmp/out" "$tmp/err" || fail "$*: no '$text'"
}
err() { grep -q -e "$1" "$tmp/err" || fail "standard error has no '$1'"; }
out() { grep -q -e "$1" "$tmp/out" || fail "standard output has no '$1'"; }

cd "$tmp" || exit 1
case $gsim in /*) ;; *) gsim=$OLDPWD/$gsim ;; esac
case $compare in /*) ;; *) compare=$OLDPWD/$compare ;; esac
case $GSIM_PATH in /*) ;; *) GSIM_PATH=$OLDPWD/$GSIM_PATH ;; esac

# ---- reports of every kind ----
k=short_circuit.ir
kepler="-q -c kepler.lua -D sm.count=1"
$gsim $kepler -s one.json $k
$gsim $kepler -D dram.latency=400 -s slow.json $k
$gsim $kepler -b -p linearize -s both.json $k
$gsim $kepler -b -p linearize -D dram.latency=400 -s both_slow.json $k
$gsim $kepler -b -p structurize -s other.json $k
$gsim $kepler --grid -m ipdom -m token -p none -p linearize -s grid.json $k
$gsim $kepler --grid -m token -m its -m mimd -p linearize -p none -D dram.latency=400 -s grid_slow.json $k

# reports tell whether results were equal: by hashes of the buffers
expect 0 "; results equal$" $compare --brief one.json slow.json
out "^results: identical in [1-9][0-9]* buffers\?, [1-9][0-9]* bytes$"
out "better\|worse"
# one of them wrong: that is said first, and nothing is called better
sed 's/\("compare": "exact", "hash": "\)./\1x/' slow.json >wrong.json
expect 0 "^no verdict: results differ$" $compare --brief one.json wrong.json
[ "$(head -1 out)" = "RESULTS DIFFER: one of the two is wrong, so no figure below speaks for either" ] || fail "that results differ does not stand first"
! grep -q 'better$\|worse$' out || fail "figures are called better though results differ"
expect 1 "^results differ$" $compare -f 'cycles > 100' one.json wrong.json
expect 0 "no verdict: results differ" $compare --markdown --brief one.json wrong.json
! grep -q '| better\|| worse' out || fail "figures are called better in Markdown though results differ"
# not known: another workload, or values within a tolerance
sed 's/"arguments": \[\]/"arguments": ["7"]/' wrong.json >args.json
expect 0 "; results not compared$" $compare --brief one.json args.json
sed 's/"compare": "exact", "hash": "x/"compare": "tolerance", "hash": "x/' wrong.json >near_b.json
sed 's/"compare": "exact"/"compare": "tolerance"/' one.json >near_a.json
expect 0 "; results not compared$" $compare --brief near_a.json near_b.json
# other work
sed 's/^\( *"thread_instructions": \)[0-9]*,/\1 7,/' slow.json >work.json
expect 0 "^remark: the threads did less than half the work, 7 instructions for [0-9]*: is it the same program?$" $compare --brief one.json work.json

expect 0 "one thing differs: dram.latency .* -> 400" $compare one.json slow.json
expect 0 "^linearize: .*; results equal$" $compare both.json
expect 0 "^mechanism *passes" $compare grid.json
# two grids, and two reports of both: run by run
expect 0 "^2 runs: fewer cycles in 0, more in 2, as many in 0$" $compare grid.json grid_slow.json
out "^token *linearize  *[0-9]* *[0-9]*  *[1-9]\.[0-9]* " && out "^ipdom *none  *[0-9]* *-  *- " && out "^its *none  *-  *[0-9]*  *- "
expect 0 "^2 runs: fewer cycles in 0, more in 2" $compare both.json both_slow.json
expect 0 "^1 run: fewer cycles in 0, more in 0, as many in 1" $compare both.json other.json
err "^the runs after have different passes or mechanisms; --rows after compares them$"
expect 0 "passes linearize -> structurize" $compare --rows after both.json other.json
expect 0 "passes none -> structurize" $compare --rows before,after both.json other.json
expect 0 "^2 runs: .* more in 2" $compare both.json grid_slow.json
# results that are equal, of which a part was not compared
{ cat short_circuit.lua; echo 'gpu.compare(gpu.buffer("u32", 1), { how = "ignore" })'; } >part.lua
for i in 1 2 3; do $gsim $kepler -D dram.latency=$((100 * i)) -w part.lua -s part$i.json $k; done
expect 0 "; results equal ([1-9][0-9]* of [1-9][0-9]* buffers compared)$" $compare --brief part1.json part2.json
expect 0 "^#3 part3  *equal ([1-9][0-9]* of [1-9][0-9]* buffers compared) " $compare part1.json part2.json part3.json
expect 0 "^results are equal where they were compared, which was not in all buffers, in 2 comparisons$" $compare -f 'cycles > 9' part1.json part2.json part3.json
expect 0 "^results are equal where they were compared, which was not in all buffers, in 1 comparison$" $compare -f 'cycles > 9' part1.json part2.json
expect 0 "holds for .*; results equal ([1-9][0-9]* of [1-9][0-9]* buffers compared)$" \
	$gsim -c kepler.lua -D sm.count=1 --sensitivity=dram.latency -m ipdom,its -w part.lua $k
# a run that was interrupted has no ratio, and is no base; a script at fault is bad input wherever it is told
sed '0,/"status": "ok"/s//"status": "interrupted"/' grid.json >cut.json
expect 0 "^ipdom *none  *[0-9]*  *-  *[0-9]* .* interrupted$" $compare cut.json
out "^ipdom *linearize  *[0-9]*  *1\.000 " && out "^token *none  *[0-9]*  *[0-9]\.[0-9]* "
{ cat short_circuit.lua; echo 'gpu.buffer("u32", 1):get(0)'; echo 'gpu.nothing()'; } >wrong.lua
$gsim $kepler -w wrong.lua -s input.json $k 2>err
$gsim $kepler --grid -m ipdom -m its -w wrong.lua -s inputs.json $k 2>err
expect 0 "^no verdict: the run after ended as: bad input$" $compare --brief one.json input.json
expect 0 "^#3 input  *bad input: attempt " $compare one.json slow.json input.json
expect 0 "^ipdom  *[0-9]*  *-  .* bad input$" $compare inputs.json
expect 2 "^its  *[0-9]*  *-  .* bad input$" $gsim -c kepler.lua --grid -m ipdom -m its -w wrong.lua $k
# one run and several
expect 2 "grid.json: error: this is a grid of 4 runs, the other a report of one: --rows picks one" $compare one.json grid.json
expect 2 "both.json: error: this is a report of --before-after, the other of one run: --rows before or --rows after" $compare both.json one.json
expect 0 "mechanism token -> ipdom" $compare --rows ipdom one.json grid.json
expect 0 "mechanism ipdom -> token" $compare --rows ipdom grid.json one.json
expect 0 "passes none -> linearize" $compare --rows after one.json both.json
expect 0 "3 things differ" $compare --rows 1,its grid.json grid_slow.json
expect 0 "2 things differ" $compare --rows token grid.json grid_slow.json
expect 2 "grid.json: error: --rows: expected two runs of the file" $compare --rows token grid.json
expect 2 "no run 'its': it has 4" $compare --rows its one.json grid.json
expect 2 "no run '3': this is a report of --before-after; expected before or after" $compare --rows 3 one.json both.json
expect 2 "for grids and reports of --before-after" $compare --rows 1,2 one.json slow.json

# a report without its launches
$gsim $kepler --sums -s sums.json $k
expect 0 "^nothing differs in what was run$" $compare sums.json one.json
expect 0 "^nothing differs in what was run$" $compare one.json sums.json
$gsim $kepler --sums -D dram.latency=400 -s sums_slow.json $k
expect 0 "^one thing differs: dram.latency" $compare one.json sums_slow.json

# ---- better and worse: what is time, or machine lost ----
expect 0 "^cycles .*  better$" $compare both.json
out "^simd_utilization .*  better$" && out "^lanes.parted .*  better$" && out "^issue.stalls.memory .*  better$"
out "^  short_circuit B1 (short_circuit.ir:[0-9]*)  *[0-9]*  *[0-9]*  *0\.[0-9]*  better$"
grep -v "cycles\|simd_utilization\|lanes.parted\|issue[.][a-z_]*stalls\|\.ir:" out | grep -q "better\|worse" && fail "a count is called better or worse"
sed -n '/^branches: divergent/,/^$/p;/^blocks: fetches/,/^$/p;/^issue.stalls.no_warp/p' out | grep -q "better\|worse" && fail "counts of a table are called better or worse"

# ---- Markdown ----
# every line of a table has as many cells as its head; what is no table has a blank line before it
tables() {
	awk '{ line = $0; gsub(/\\\|/, "", line); bars = gsub(/\|/, "|", line) }
		/^\|/ { if (!table) { if (last != "") bad = NR; want = bars; head++ } if (bars != want || !/\|$/) bad = NR; table = 1; last = $0; next }
		{ if (table && $0 != "") bad = NR; table = 0; last = $0 }
		bad { print bad ": " $0; exit } END { exit !(head > 0 && !bad) }' out > bad || fail "$1: the tables are none: $(cat bad)"
}
for how in both.json "one.json slow.json" "grid.json grid_slow.json" grid.json "--rows 1,its grid.json grid_slow.json"; do
	for form in --brief --all; do
		expect 0 '^| `' $compare --markdown $form $how
		tables "$form $how"
	done
done
expect 0 '^\*\*`linearize`: .*; results equal\*\*$' $compare --markdown both.json
head -n 1 out | grep -q '^\*\*' || fail "the verdict is not the head"
out '^one thing differs: passes `none` -> `linearize`$' && out '^| `cycles` | [0-9]* | [0-9]* | 0\.[0-9]* | better |$' && out '^### branches: lost$' && out '^### blocks: fetches$'
$gsim -q -c teaching.lua -m token -s teaching.json $k
expect 0 '^| warp_size | `32` | `4` |$' $compare --markdown one.json teaching.json
# names that mean something in Markdown, or break lines
sed 's/"short_circuit"/"a|b`c\\n*d*"/g; s/"B1"/"`|"/g' one.json > hostile.json
expect 0 '^| ``a\\|b`c\\x0a\*d\* registers`` | ' $compare --markdown hostile.json hostile.json
out '^| ``a\\|b`c\\x0a\*d\* `\\| (short_circuit.ir:[0-9]*)`` | '
tables "hostile names"
expect 0 '^  a|b`c\\x0a\*d\* registers ' $compare hostile.json hostile.json
# several launches
$gsim -q -c teaching.lua -s launches.json loop.ir > /dev/null
expect 0 '^### kernels$' $compare --brief --markdown launches.json launches.json
out '^| kernel | launches before | launches after | cycles before | cycles after | ratio | ' && out '^| `loop` | 2 | 2 | '
tables "several launches"

# ---- names that are long are shown so that they differ ----
long='ipdom(push_order=fall_top, push_cycles=1, pop_cycles=1, divergence.depth=16, divergence.chunk=2'
pass='linearize,simplify-cfg,copy-prop,dce'
$gsim -q -c teaching.lua --grid -m "$long)" -m "$long, divergence.spill=memory)" -p $pass -p $pass,dce -p dce,$pass -s long.json -s long.svg $k
expect 0 "" $compare long.json long.json
[ "$(sed -n 's/^\(ipdom(.*\)  *[0-9]*  *[0-9]*  *1\.000 .*/\1/p' out | sort -u | wc -l)" = 6 ] || fail "rows of two grids look alike"
expect 0 "" $compare long.json
[ "$(sed -n 's/^\(ipdom(.*\)  *[0-9]*  *[0-9]\.[0-9]* .*/\1/p' out | sort -u | wc -l)" = 6 ] || fail "rows of a grid look alike"
awk '/text-anchor="end"/ { sub(/.*x="/, ""); x = $0 + 0; sub(/.*">/, ""); sub(/<.*/, ""); n++; if (seen[$0]++ || x < 7.4 * length($0)) exit 1 }
	END { exit n != 2 }' long.svg || fail "labels of the picture are cut, or look alike"
# kernels, blocks and differences with 60 letters in common at both ends
same=$(printf '%060d' 0 | tr 0 x)
sed "s/\"short_circuit\"/\"$same""B$same\"/g; s/\"config\": \"kepler.lua\"/\"config\": \"$same""B$same\"/" one.json > b.json
sed "s/\"short_circuit\"/\"$same""C$same\"/g; s/\"config\": \"kepler.lua\"/\"config\": \"$same""C$same\"/" one.json > c.json
expect 0 "^  x*\.\.\.x*Bx*\.\.\..* B1 " $compare --brief b.json c.json
out "^  x*\.\.\.x*Cx*\.\.\..* B1 " && out "  kernel  *x*\.\.\.x*Bx*\.\.\.x* -> x*\.\.\.x*Cx*\.\.\.x*$" && out "  machine  *x*\.\.\.x*Bx*\.\.\.x* -> x*\.\.\.x*Cx*\.\.\.x*$"

# ---- --fail-if ----
expect 0 "^--fail-if: 0 of 1 comparison holds$" $compare --fail-if 'cycles > 1.02' one.json one.json
expect 1 "^--fail-if 'cycles > 1.02' holds: cycles is [0-9]* before, [0-9]* after, ratio [1-9]" $compare --fail-if 'cycles > 1.02' one.json slow.json
err "^--fail-if: 1 of 1 comparison holds$" && out "^cycles "
expect 0 "0 of 1 " $compare --fail-if 'cycles > 1.02' slow.json one.json
expect 1 "^--fail-if: 2 of 3 comparisons hold$" $compare -f 'after.cycles > 1' -f 'change.cycles > 0' -f 'divergence.spills > 1.02' one.json slow.json
expect 1 "holds: simd_utilization is 54.0 % before, 76.7 % after, change 0.22" $compare --fail-if 'change.simd_utilization > 22 %' both.json
expect 1 "holds for kernel short_circuit: static.registers is " $compare --fail-if 'kernel *: static.registers > 1' both.json
expect 2 "error: --fail-if 'cylces > 1' cannot be judged: no run has a figure cylces; did you mean cycles?" $compare -f 'cylces > 1' -f 'cycles > 9' both.json
err "^--fail-if: 0 of 1 comparison holds; 1 could not be made$"
expect 2 "error: --fail-if 'cycles >> 1.02', column 9: expected a number, as 1.02 or 102 %, not '> 1.02'; see" $compare --fail-if 'cycles >> 1.02' one.json slow.json
[ -s out ] && fail "a bad condition is found after the comparison was shown"
expect 2 "an argument is missing after --fail-if" $compare one.json slow.json --fail-if
expect 2 "expected a second report, or --rows" $compare --fail-if 'cycles > 1' grid.json
expect 2 "expected a second report" $compare --fail-if 'cycles > 1' one.json
# grids: each pair, by name; runs without a counterpart are told
expect 1 "^--fail-if 'cycles > 1.02' holds for token, passes none: " $compare --fail-if 'cycles > 1.02' grid.json grid_slow.json
err "^--fail-if 'cycles > 1.02' holds for token, passes linearize: " && err "^not judged: ipdom, passes none: only the report before has this run$" &&
	err "^not judged: its, passes none: only the report after has this run$" && err "^--fail-if: 2 of 2 comparisons hold$"
expect 0 "0 of 4 comparisons hold$" $compare --fail-if 'simd_utilization < 0.98' grid_slow.json grid_slow.json # not defined under mimd
expect 1 "holds: cycles" $compare --rows token --fail-if 'cycles > 1.02' grid.json grid_slow.json
$gsim -q --functional -s functional.json $k
expect 2 "cannot be judged: cycles is not measured after" $compare --fail-if 'cycles > 1.02' one.json functional.json
expect 2 "cannot be judged: cycles is not measured in any run" $compare --fail-if 'cycles > 1.02' functional.json functional.json
# a run that fails after, and not before
$gsim -q -c teaching.lua -m mimd --alone -s well.json e1.ir
$gsim -q -c teaching.lua -m ipdom --alone -s stuck.json e1.ir 2> err
expect 1 "^the run after failed: livelock in block L (.*e1.ir:15)$" $compare --fail-if 'cycles > 9' well.json stuck.json
err "^--fail-if: 0 of 0 comparisons hold; 1 run failed$"
expect 2 "there are no two runs that have ended well" $compare --fail-if 'cycles > 9' stuck.json well.json
$gsim -q -c teaching.lua --grid -m ipdom -m mimd -m its -s stuck_grid.json e1.ir 2> err
expect 0 "^not judged: ipdom, passes none: both runs failed: livelock in block L (e1.ir:15)$" $compare --fail-if 'cycles > 1' stuck_grid.json stuck_grid.json
out "^ipdom .* both failed: livelock in block L (.*e1.ir:15)"
# results that differ
sed 's/"results": "equal"/"results": "differ"/' both.json > differ.json
grep -q '"differ"' differ.json || fail "the report of -b has another form"
expect 1 "^results differ$" $compare --fail-if 'cycles > 9' differ.json
expect 1 "^results differ$" $compare --fail-if 'cycles > 9' both.json differ.json
expect 0 "results differ" $compare differ.json

# ---- results that are identical are said to be ----
expect 0 "^results: identical in [1-9][0-9]* buffers, [1-9][0-9]* bytes$" $gsim -c teaching.lua -b -p dce $k
expect 0 "^results: identical to the reference interpreter's in [1-9][0-9]* buffers, [1-9][0-9]* bytes$" $gsim -c teaching.lua --verify $k
expect 0 "^results: those of 2 of 2 runs are the reference interpreter's$" $gsim -c teaching.lua -b -p dce --verify $k
expect 0 "^results: those of 3 of 3 runs are the reference interpreter's$" $gsim -c teaching.lua --grid -m ipdom -m its -m mimd --verify $k

# ---- a grid says in a line of each run that cannot end ----
expect 1 "^ipdom *failed: livelock in block L (e1.ir:15)$" $gsim -c teaching.lua --grid e1.ir
[ "$(wc -l < err)" = $(($(grep -c ' failed: livelock' out) + 1)) ] || fail "a grid has more than a line for each run that cannot end"
err "^e1.ir:15: error: ipdom, passes none: livelock in kernel e1, block L$" && err "^[0-9]* of [0-9]* runs cannot end; --verbose and the JSON report say more of each$"
expect 1 "mechanism ipdom runs the top entry of its stack only" $gsim -c teaching.lua --grid --verbose -m ipdom -m mimd e1.ir
expect 1 "" $gsim -q -c teaching.lua --grid -m ipdom -m token -s stuck.json e1.ir
[ "$(grep -c '"error": "livelock .*changed it last' stuck.json)" = 2 ] && [ "$(grep -c '"diagnosis"' stuck.json)" = 2 ] || fail "the JSON report does not say all of each livelock"
exit $failed
