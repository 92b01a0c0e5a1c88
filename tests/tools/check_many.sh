#!/bin/sh
# gsim-compare with many reports: columns and ratios, results first, places of the source, --by, --csv, --json, --fail-if.
srcdir=${srcdir:-$(dirname "$0")/../..}
gsim=${GSIM:-./gsim}
compare=${GSIM_COMPARE:-./gsim-compare}
tmp=${TMPDIR:-/tmp}/gsim-many.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/tests/tools/pair/* "$tmp" && chmod u+w "$tmp"/*
case $srcdir in /*) GSIM_PATH=$srcdir ;; *) GSIM_PATH=$PWD/$srcdir ;; esac
case $gsim in /*) ;; *) gsim=$PWD/$gsim ;; esac
case $compare in /*) ;; *) compare=$PWD/$compare ;; esac
export GSIM_PATH
cd "$tmp" || exit 1
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}

# expect STATUS TEXT COMMAND...: the exit status, and a text that standard output or standard error has ("" =
# none wanted)
expect() {
	want=$1 text=$2
	shift 2
	"$@" > out 2> err < /dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" out err || fail "$*: no '$text'"
}
out() { grep -q -e "$1" out || fail "standard output has no '$1'"; }
err() { grep -q -e "$1" err || fail "standard error has no '$1'"; }
first() { case $(head -1 out) in "$1"*) ;; *) fail "the first line does not begin with '$1'" ;; esac; }

run="$gsim -q -c kepler.lua -D sm.count=1 -w walk.lua"
for m in clang nvcc wrong; do $run -s $m.json $m.ptx; done
$run -D dram.latency=400 -s slow.json clang.ptx
$run --grid -m token -m its -p none -p unroll -p dce -s grid.json clang.ptx
$run -b -p unroll -s both.json clang.ptx
$run -b clang.ptx nvcc.ptx -m token,its -s pairs.json
total() { sed -n '/^  "total"/,$p' "$1" | sed -n "s/^    \"$2\": \([0-9.]*\),*$/\1/p" | head -1; }

# ---- columns and ratios ----
expect 0 "^#1 clang  *baseline  clang.ptx" $compare clang.json nvcc.json slow.json
out "^#2 nvcc  *equal  *nvcc.ptx" && out "^#3 slow  *equal  *clang.ptx  *dram.latency=400$"
out "^machine kepler.lua   mechanism token   passes none   workload walk.lua   mode timed$"
a=$(total clang.json cycles) b=$(total nvcc.json cycles) c=$(total slow.json cycles)
out "^cycles  *$a  *$b  *$(echo "$a $b" | awk '{ printf "%.3f", $2 / $1 }')  *$c  *$(echo "$a $c" | awk '{ printf "%.3f", $2 / $1 }')$"
out "^walk.cu:24 x 1 8 1  *[0-9]"
grep -q 'better$\|worse$' out && fail "many reports are judged"
# more than fit a screen: as many tables as they need, with the baseline in each
expect 0 "" $compare --brief clang.json nvcc.json slow.json clang.json nvcc.json
[ "$(grep -c "^cycles  *$a " out)" = 2 ] || fail "five reports are not two tables"
awk 'length($0) > 105 { exit 1 }' out || fail "a line is too long for the screen"
out "^#4 clang (2)  *equal"
expect 0 "^| \`cycles\` | $a | $b | " $compare --markdown --brief clang.json nvcc.json slow.json

# ---- results ----
expect 0 "" $compare clang.json wrong.json nvcc.json
first "RESULTS DIFFER from the baseline's: wrong: one of the two is wrong"
out "^#2 wrong  *DIFFER"
sed 's/"arguments": \[\]/"arguments": ["7"]/' nvcc.json >args.json
expect 0 "^#3 args  *not compared" $compare clang.json nvcc.json args.json
sed 's/^\( *"thread_instructions": \)[0-9]*,/\1 7,/' slow.json >work.json
expect 0 "^remark: work: the threads did less than half the work, 7 instructions for " $compare clang.json slow.json work.json
# another content of the workload, another version of gsim, a report that does not say what ran
sed 's/state = 11/state = 12/' walk.lua >walk12.lua
cp walk.lua keep.lua && cp walk12.lua walk.lua
$run -s edited.json clang.ptx
cp keep.lua walk.lua
expect 0 "^#3 edited  *not compared .*  [0-9a-f]\{16\}$" $compare clang.json nvcc.json edited.json
sed 's/^\( *"gsim": "\)[^"]*/\19.9.9/' nvcc.json >newer.json
expect 0 "^#3 newer  *equal .*  9\.9\.9$" $compare clang.json nvcc.json newer.json
grep -v '"workload_hash"' nvcc.json >silent.json
expect 0 "^silent,.*,unknown,total,,,,cycles," $compare --csv clang.json silent.json
# nothing was compared: every buffer is to be ignored
{ sed '/^gpu.launch/q' walk.lua | sed '$d'; grep -o '^local [a-z]* = gpu.buffer' walk.lua | sed 's/local \([a-z]*\).*/gpu.compare(\1, { how = "ignore" })/'; sed -n '/^gpu.launch/,$p' walk.lua; } >ignore.lua
for m in clang wrong; do $gsim -q -c kepler.lua -D sm.count=1 -w ignore.lua -s ignore_$m.json $m.ptx; done
expect 0 "^#2 ignore_wrong  *unknown" $compare ignore_clang.json ignore_wrong.json nvcc.json
expect 0 "^ignore_wrong,.*,unknown,total,,,,cycles," $compare --csv ignore_clang.json ignore_wrong.json
! grep -q ",equal," out || fail "results that were not compared are called equal"
expect 2 "^error: results are not known to be equal in 1 comparison, " $compare --fail-if 'cycles > 100' ignore_clang.json ignore_wrong.json
expect 2 "^error: results are not known to be equal in 2 comparisons, " $compare --csv --fail-if 'cycles > 100' ignore_clang.json ignore_wrong.json clang.json
expect 0 "^results are not known to be equal in 1 comparison$" $compare --fail-if 'cycles > 100' --allow-unknown ignore_clang.json ignore_wrong.json
expect 1 "" $compare --fail-if 'cycles > 0.01' ignore_clang.json ignore_wrong.json
expect 2 "^error: --allow-unknown goes with --fail-if" $compare --allow-unknown clang.json nvcc.json
# a run that failed has no figures
sed 's/^  "status": "ok",$/  "status": "failed", "error": "it broke",/' slow.json >failed.json
expect 0 "^#3 failed  *failed: it broke" $compare clang.json nvcc.json failed.json
out "^cycles  *$a  *$b  *[0-9.]*  *-  *-$"

# ---- several runs in a file ----
expect 0 "^#3 token, dce  *equal  *token  *dce$" $compare --by branches grid.json
out "^#6 its, dce "
expect 1 "^--fail-if 'cycles < 2' holds for token: cycles is " $compare -f 'cycles < 2' pairs.json
out "^mechanism its$"
expect 0 "^#2 after  *equal" $compare --by lines.stalls both.json
out "^walk.cu:24  *[0-9]"
expect 0 "^#4 after, its  *equal  *nvcc.ptx  *its$" $compare --by branches.executed pairs.json
expect 0 "^#2 grid: token, none " $compare clang.json grid.json both.json
out "^#9 both: after "
# gsim's own table is that of the report
$gsim -c kepler.lua -D sm.count=1 -w walk.lua --grid -m token,its -p none -p unroll -p dce --by branches clang.ptx >grid.txt
expect 0 "" $compare --by branches grid.json
sed -n '/^   report/,$p' grid.txt | cmp -s - out || fail "gsim --grid --by and gsim-compare --by show different tables"

# ---- for other programs ----
expect 0 "^nvcc,nvcc.ptx,kepler.lua,token,none,equal,total,,,,cycles,$b,0\.[0-9]*$" $compare --csv clang.json nvcc.json wrong.json
first "report,module,config,model,passes,results,scope,name,file,line,figure,value,ratio"
out "^wrong,wrong.ptx,kepler.lua,token,none,differ,branch,walk.cu:24,walk.cu,24,copies,1,1$"
out "^nvcc,nvcc.ptx,kepler.lua,token,none,equal,branch,walk.cu:24,walk.cu,24,copies,8,8$"
out "^clang,clang.ptx,kepler.lua,token,none,baseline,kernel,walk,,,cycles,$a,1$"
out "^clang,clang.ptx,kepler.lua,token,none,baseline,line,walk.cu:24,walk.cu,24,warp_instructions,"
awk -F, 'NF != 13 { exit 1 }' out || fail "a row of the CSV does not have 13 fields"
sed 's/"module": "clang.ptx"/"module": "=a,\\"b\\""/' clang.json >quoted.json
expect 0 "^quoted,\"'=a,\"\"b\"\"\"," $compare --csv quoted.json
expect 0 '^  "schema_version": 1,$' $compare --json clang.json nvcc.json wrong.json
out "{\"figure\": \"cycles\", \"values\": \[$a, $b, [0-9]*\], \"ratios\": \[1, 0\.[0-9]*, [0-9.]*\]}"
out '"name": "walk.cu:24", "file": "walk.cu", "line": 24, .*"copies": \[1, 8, 1\]'
out '"results": "differ",$' && out '^  "matched_by": "place",$'
expect 0 '"outcome": "failed: it broke",$' $compare --json clang.json failed.json
# what is written is JSON: the reader of reports takes it, and finds no report
cp out json.json
expect 2 '^json.json: error: this is no report of gsim: there is no "total"$' $compare --csv json.json

# ---- a gate ----
expect 0 "^--fail-if: 0 of 2 comparisons hold$" $compare --brief -f 'cycles > 1.5' clang.json nvcc.json slow.json
expect 1 "^--fail-if 'cycles > 1.1' holds for slow: cycles is $a before, $c after" $compare --brief -f 'cycles > 1.1' clang.json nvcc.json slow.json
expect 1 "^wrong: results differ from the baseline's$" $compare --csv -f 'cycles > 100' clang.json nvcc.json wrong.json
expect 1 "^failed: the run after failed: it broke$" $compare -f 'cycles > 100' clang.json nvcc.json failed.json
expect 2 "cannot be judged" $compare -f 'cicles > 100' clang.json nvcc.json slow.json

# ---- what does not go together ----
expect 2 "^error: --by: expected branches or lines, or a figure" $compare --by nothing clang.json
expect 2 "^error: --by: expected branches or lines, or a figure" $compare --by branches.nothing clang.json
expect 2 "^error: --by: expected branches or lines, or a figure" $gsim --grid --by lines. clang.ptx
expect 2 "^error: --by is for --grid" $gsim --by lines clang.ptx
expect 2 "^error: --rows is for one or two reports" $compare --rows 1,2 clang.json nvcc.json grid.json
expect 2 "^error: --annotate is for one or two reports" $compare --annotate --csv clang.json nvcc.json
expect 2 "^error: --csv and --json exclude each other" $compare --csv --json clang.json
expect 2 "^error: --markdown is text" $compare --csv --markdown clang.json
expect 2 "^none.json: error: cannot read it" $compare clang.json nvcc.json none.json
expect 2 "^walk.lua:1:[0-9]*: error: " $compare clang.json nvcc.json walk.lua
echo '{ "runs": [] }' >empty.json
expect 2 "^empty.json: error: this is no report of gsim" $compare --csv empty.json
echo '{ "runs": [ 7 ] }' >seven.json
expect 2 "^seven.json: error: this is no report of gsim" $compare --csv seven.json
exit $failed
