#!/bin/sh
# gsim -b A B: two modules that two compilers made of one source (tests/tools/pair), and one that is wrong.
srcdir=${srcdir:-$(dirname "$0")/../..}
gsim=${GSIM:-./gsim}
compare=${GSIM_COMPARE:-./gsim-compare}
tmp=${TMPDIR:-/tmp}/gsim-two.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/tests/tools/pair/* "$srcdir"/kernels/oracles/a1.ir "$tmp" && chmod u+w "$tmp"/*
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
first() { [ "$(head -1 out)" = "$1" ] || fail "the first line is not '$1'"; }

run="$gsim -c kepler.lua -D sm.count=1 -w walk.lua"
differ="RESULTS DIFFER: one of the two is wrong, so no figure below speaks for either"

# ---- right and wrong ----
expect 0 "^module nvcc.ptx: .*; results equal$" $run -b clang.ptx nvcc.ptx
out "better\|worse"
expect 1 "^error: buffer 2 (s32\[256\]): element [0-9]* is [0-9]* by clang.ptx, [0-9]* by wrong.ptx; " $run -b clang.ptx wrong.ptx
first "$differ"
out "^no verdict: results differ$"
! grep -q 'better$\|worse$' out || fail "figures are called better though results differ"
expect 1 "" $run --all -b clang.ptx wrong.ptx
first "$differ"
! grep -q 'better$\|worse$' out || fail "figures are called better though results differ (--all)"
# which of them: both are run by the reference interpreter, too
expect 1 "" $run --verify -q -b clang.ptx wrong.ptx
grep -q "reference interpreter" err && fail "the machine's results are not those of the interpreter"
# as much work: no remark; half of it: a remark
sed 's/setp.eq.s32 	%p9, %r15, 28/setp.eq.s32 	%p9, %r15, 0/' clang.ptx >short.ptx
expect 1 "^remark: the threads did less than half the work, " $run -b clang.ptx short.ptx
expect 1 "^remark: the threads did more than one and a half times the work, " $run -b short.ptx clang.ptx
first "$differ"

# two grids, and two reports of two modules, of which one is wrong: first, and with the status
for m in clang wrong; do $run -q --grid -m token -m its -s $m.grid.json $m.ptx; done
expect 1 "^results differ$" $compare --fail-if 'cycles > 100' clang.grid.json wrong.grid.json
first "RESULTS DIFFER for token, passes none: one of the two is wrong, so no figure of it speaks for either"
out "^results: equal in 0 of 2 runs; different in 2, not counted above$"
! grep -q "fewer cycles in [1-9]" out || fail "runs whose results differ are counted"
expect 0 "^results: equal in 2 of 2 runs$" $compare --fail-if 'cycles > 100' clang.grid.json clang.grid.json
$run -q -b clang.ptx nvcc.ptx -s right.json
$run -q -b clang.ptx wrong.ptx -s bad.json 2>err
expect 1 "^  *module  *nvcc.ptx -> wrong.ptx$\|differs: module nvcc.ptx -> wrong.ptx$" $compare --fail-if 'cycles > 100' right.json bad.json
first "RESULTS DIFFER in the report after: its run after has others than its run before"
out "^RESULTS DIFFER for the runs after: " && out "^token .*  the runs before$" && out "^token .*  the runs after: RESULTS DIFFER$"
# the same under several mechanisms
$run -q -m its,ipdom -b clang.ptx nvcc.ptx -s right.json
$run -q -m its,ipdom -b clang.ptx wrong.ptx -s bad.json 2>err
expect 0 "^results: equal in 4 of 4 runs$" $compare --fail-if 'cycles > 100' right.json right.json
expect 1 "^results differ$" $compare --fail-if 'cycles > 100' right.json bad.json
first "RESULTS DIFFER in the report after under its: its run after has others than its run before"
out "^RESULTS DIFFER for the runs after under ipdom: " && out "^its .*  the runs before under its$"
expect 0 "module clang.ptx -> nvcc.ptx" $compare --rows 1,2 right.json
# by place for programs, too: the same lists as gsim-compare --json has
expect 0 '"name": "walk.cu:24", "file": "walk.cu", "line": 24, .*"copies": \[1, 8\]' cat right.json
$run -q -b clang.ptx nvcc.ptx -s pair.json
sed -n '/^  "matched_by"/,$p' pair.json >places
for m in clang nvcc; do $run -q -s $m.one.json $m.ptx; done
$compare --json clang.one.json nvcc.one.json | sed -n '/^  "matched_by"/,$p' | cmp -s - places || fail "places of two modules are others than gsim-compare --json has"
# separate reports, each with the workload that its module has by name: one text, so one workload
for m in clang wrong; do cp walk.lua $m.lua; $gsim -q -c kepler.lua -D sm.count=1 -s $m.own.json $m.ptx; done
expect 1 "^results differ$" $compare --fail-if 'cycles > 100' clang.own.json wrong.own.json
first "$differ"
out "^  name of the workload  clang.lua -> wrong.lua$"
$run -q -s clang.asked.json clang.ptx
expect 0 "^  name of the workload  clang.lua -> walk.lua$" $compare --fail-if 'cycles > 1' clang.own.json clang.asked.json
out "; results equal$" && out "^nothing differs in what was run$"
# the same name, and another text
sed 's/state = 11/state = 12/' walk.lua >clang.lua
$gsim -q -c kepler.lua -D sm.count=1 -s clang.other.json clang.ptx
expect 2 "^one thing differs: content of the workload " $compare --fail-if 'cycles > 100' clang.own.json clang.other.json
out "; results not compared$"
! grep -q "DIFFER\|better$\|worse$" out || fail "results of two workloads are compared"
sed 's/^\( *"gsim": "\)[^"]*/\19.9.9/' clang.own.json >newer.json
expect 0 "^one thing differs: version of gsim .* -> 9\.9\.9$" $compare clang.own.json newer.json
rm -f clang.lua wrong.lua

# ---- results of which nothing was compared ----
ir='kernel k() {
	st.global.u32 [RES], 3
	exit
}
host main() {
	launch k, (1,1,1), (32,1,1), 0, ()
	exit
}'
printf 'global u32 res\n%s\n' "$ir" | sed 's/RES/res/' >u32.ir
printf 'global b8 res[4] align 4\n%s\n' "$ir" | sed 's/RES/res/' >b8.ir
printf 'global u32 other\n%s\n' "$ir" | sed 's/RES/other/' >other.ir
printf 'global b8 res[4] align 4\n%s\n' "$ir" | sed 's/RES/res/; s/, 3/, 4/' >four.ir
expect 0 "^results: identical in 1 buffer, 4 bytes$" $gsim -b u32.ir b8.ir
expect 1 "^error: res: the bytes differ: it is u32\[1\] by u32.ir, u8\[4\] by four.ir$" $gsim -b u32.ir four.ir
expect 0 "; results unknown: nothing was compared$" $gsim -b u32.ir other.ir -s unknown.json
out "^results: nothing was compared; 2 that one of the two alone has, not compared$"
! grep -q "equal\|better$\|worse$" out || fail "results that were not compared are called equal, or a figure better"
grep -q '"results": "unknown"' unknown.json || fail "the JSON report does not say that results are unknown"
expect 2 "^error: results are not known to be equal" $compare -f 'cycles > 9' unknown.json
sed 's/"results": "unknown"/"results": "equal"/' unknown.json >older.json # as earlier versions wrote it
expect 2 "; results unknown: nothing was compared$" $compare -f 'cycles > 9' older.json
{ grep 'gpu.compare\|gpu.buffer' walk.lua >/dev/null && sed 's/^gpu.launch/for _, b in ipairs(all) do gpu.compare(b, { how = "ignore" }) end\n&/; 1i local all, new = {}, gpu.buffer\nfunction gpu.buffer(...) local b = new(...) all[#all + 1] = b return b end' walk.lua; } >ignore.lua
expect 0 "; results unknown: nothing was compared$" $gsim -c kepler.lua -D sm.count=1 -w ignore.lua -b clang.ptx wrong.ptx
! grep -q "better$\|worse$" out || fail "a figure is called better though nothing was compared"
echo >nothing.lua
expect 0 "; results unknown: nothing was compared$" $gsim -w nothing.lua -b clang.ptx wrong.ptx
expect 0 "^ipdom .* unknown$" $gsim -w nothing.lua -m ipdom,its -b clang.ptx wrong.ptx
expect 0 "those of 0 of 2 runs are the reference interpreter's; of 2 nothing" $gsim -w nothing.lua --verify -b clang.ptx wrong.ptx
# an interrupt in the first run of several mechanisms: what was measured is shown, and written
cat >endless.ir <<'END'
global u32 res
kernel k() {
A:	%i = mov.u32 0
	bra B
B:	%i = add.u32 %i, 1
	%c = setp.ne.u32 %i, 0
	bra %c, B, C
C:	st.global.u32 [res], %i
	exit
}
host main() {
	launch k, (1,1,1), (32,1,1), 0, ()
	exit
}
END
$gsim -b -m its,ipdom -s cut.json endless.ir endless.ir >out 2>err &
pid=$!
sleep 2
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "SIGTERM is not how a comparison under several mechanisms ended"
grep -q '"status": "interrupted"' cut.json && out "^cycles " || fail "an interrupt in the first run leaves no report"
# both do what their module says
expect 1 "^both do what their module says: the two modules mean different things$" $run --verify -b clang.ptx wrong.ptx

# ---- by place ----
expect 0 "^  walk.cu:24 (1 -> 8 branches)  " $run -b clang.ptx nvcc.ptx
# eight copies of the branch are added up: the sums are those of the reports
$gsim -q -c kepler.lua -D sm.count=1 -w walk.lua -s nvcc.json nvcc.ptx
$gsim -q -c kepler.lua -D sm.count=1 -w walk.lua -s clang.json clang.ptx
sum() { sed -n '/"total"/,$p' "$1" | sed -n "s/.*\"kind\": \"branch\".*\"line\": $2,.*\"executed\": \([0-9]*\).*/\1/p" | awk '{ n += $1 } END { print n }'; }
expect 0 "" $run --all -b clang.ptx nvcc.ptx
out "^  walk.cu:24 (1 -> 8 branches)  *$(sum clang.json 24)  *$(sum nvcc.json 24)  *[0-9.]*$"
# the branch that goes back has no line: it counts for the nearest one
grep -q '"source": "walk.cu", "source_line": ' clang.json || fail "the report has no nearest places"
out "^  walk.cu:28  *[1-9][0-9]*  *-  *-$"
# separate reports are matched alike
sed '1,/^lines of the source/d' out >lines
expect 0 "^one thing differs: module" $compare clang.json nvcc.json
sed '1,/^lines of the source/d' out | cmp -s - lines || fail "gsim-compare shows other lines and branches than gsim -b"
# the source has each line once, though the files that the modules name lie in different folders
expect 0 "^walk.cu$" $run --annotate -b clang.ptx nvcc.ptx
grep -q "^/home/student/walk.cu\|^clang.ptx" out && fail "the source is shown twice"
out "^ *128  *136  .*24 .*if (v == 0)$"
# IR that was made of PTX has the same places
${gsim}-opt clang.ptx >made.ir || fail "gsim-opt"
expect 0 "^  walk.cu:28  *[1-9][0-9]*  *-  *-$" $run --all -b made.ir nvcc.ptx
grep -q "clang.ptx:" out && fail "PTX is taken for a source"
# no source: by label, or by order
grep -v '\.loc\|\.file' clang.ptx >plain.ptx
grep -v '\.loc\|\.file' wrong.ptx | sed 's/LBB0_/L_/' >other.ptx
grep -v '\.loc\|\.file' wrong.ptx >wrong_plain.ptx
expect 1 "branches are matched by function and label, lines not at all$" $run -b plain.ptx wrong_plain.ptx
expect 1 "branches are matched by function and their order in it, lines not at all$" $run -b plain.ptx other.ptx
out "^  walk, branch 2  "

# ---- with other options ----
expect 0 "^results: identical in 2 buffers, " $run --functional -b clang.ptx nvcc.ptx
expect 0 "^thread_instructions " $run --reference -b clang.ptx nvcc.ptx
grep -q "source that both have" out && fail "--reference speaks of sources"
expect 0 "^its  *[0-9]*  *[0-9]*  *[0-9.]* .* equal$" $run -m its,ipdom -b clang.ptx nvcc.ptx -s both.json -s both.txt
out "^ipdom  *[0-9]*  *[0-9]*  *[0-9.]* .* equal$" && out "^mechanism ipdom$"
cmp -s out both.txt || fail "the text of --stats is not that of standard output"
grep -q '^  "comparisons": \[$' both.json || fail "the JSON report of two mechanisms has no comparisons"
expect 1 "^ipdom .* DIFFER$" $run -m ipdom -m 'its(policy=volta_lifo)' -b clang.ptx wrong.ptx
first "RESULTS DIFFER under ipdom: one of the two is wrong, so no figure below speaks for either"
grep -q "by clang.ptx under its" err || fail "the mechanism under which results differ is not named"
expect 0 "passes none -> unroll" $run -p none -p unroll -b clang.ptx clang.ptx
expect 0 "passes dce " $run -p dce -b clang.ptx nvcc.ptx
expect 0 "takes more cycles than nvcc.ptx .*: this holds for 2 of 2 variations" $run --sensitivity=dram.latency -b clang.ptx nvcc.ptx
expect 0 "" $run -q -j 2 -b clang.ptx nvcc.ptx
# of two IR modules each may have its own host function
cp a1.ir again.ir
expect 0 "results equal" $gsim -c kepler.lua -D sm.count=1 -b a1.ir again.ir
# the workload that a module has by its name is for both
cp walk.lua clang.lua
expect 0 "results equal" $gsim -c kepler.lua -D sm.count=1 -b clang.ptx nvcc.ptx
expect 0 "results equal" $gsim -c kepler.lua -D sm.count=1 -b nvcc.ptx clang.ptx
sed 's/state = 11/state = 12/' walk.lua >nvcc.lua
expect 0 "^nvcc.lua:1:1: warning: is not the workload of this comparison: both modules run clang.lua; " $gsim -c kepler.lua -D sm.count=1 -b clang.ptx nvcc.ptx

# ---- what does not fit ----
sed 's/walk(/stroll(/; s/walk_param/stroll_param/' wrong.ptx >stroll.ptx
expect 2 "^clang.ptx:11:[0-9]*: error: the workload launches kernel 'walk', which stroll.ptx does not have: it has stroll$" $run -q -b clang.ptx stroll.ptx
sed 's/u32 walk_param_2/f32 walk_param_2/' wrong.ptx >float.ptx
expect 2 "^float.ptx:11:[0-9]*: error: the parameters of kernel 'walk' are (u64, u64, f32), expected (u64, u64, u32), as at clang.ptx:11: " $run -q -b clang.ptx float.ptx
sed 's/u32 walk_param_2/s32 walk_param_2/' wrong.ptx >signed.ptx
expect 1 "" $run -q -b clang.ptx signed.ptx
{ cat clang.ptx; sed -n '/visible .entry/,/^}/p' stroll.ptx; } >more.ptx
expect 0 "^more.ptx:[0-9]*:[0-9]*: warning: a kernel that clang.ptx does not have: stroll; not launched, so not compared$" $run -b clang.ptx more.ptx
{ sed -n '1,/^.address_size/p' clang.ptx; echo '.visible .global .align 4 .u32 count[2];'; echo '.global .align 1 .b8 $str[4] = {97, 98, 99, 0};'; sed '1,/^.address_size/d' clang.ptx; } >variable.ptx
expect 0 "^variable.ptx:[0-9]*:[0-9]*: warning: a variable that clang.ptx does not have: count; not compared$" $run -b variable.ptx clang.ptx
expect 0 "^variable.ptx:[0-9]*:[0-9]*: warning: a variable that clang.ptx does not have: count; not compared$" $run -b clang.ptx variable.ptx
rm -f clang.lua nvcc.lua
expect 2 "neither a workload clang.lua nor a host function main" $gsim -b clang.ptx nvcc.ptx
[ "$(grep -c "neither a workload" err)" = 1 ] || fail "the missing workload is told twice"
expect 2 "none.ptx: error: cannot be read" $run -b clang.ptx none.ptx
expect 2 "^walk.lua: error: this is Lua" $run -b clang.ptx walk.lua
sed 's/mad.lo.s32/mud.lo.s32/' clang.ptx >typo.ptx
expect 2 "^typo.ptx:[0-9]*:[0-9]*: error: " $run -b clang.ptx typo.ptx
expect 2 "^error: one MODULE is enough (-b compares two" $run clang.ptx nvcc.ptx
expect 2 "^error: two MODULEs are enough" $run -b clang.ptx nvcc.ptx wrong.ptx
expect 2 "^error: --before-after needs --passes, or a second MODULE" $run -b clang.ptx
expect 2 "^error: --before-after and --grid exclude each other" $run --grid -b clang.ptx nvcc.ptx
expect 2 "^error: --passes is given more than twice" $run -p dce -p dce -p dce -b clang.ptx nvcc.ptx
expect 2 "unknown value 'nothing'" $run -m its,nothing -b clang.ptx nvcc.ptx
[ ! -s out ] || fail "a mechanism runs though another does not exist"
for option in "--profile clang.json" --verify-each "--html page.html" "--on gpu" "--record-host main.ir" "-m its,ipdom --annotate" "-m its,ipdom -t trace"; do
	expect 2 "^error: --" $run $option -b clang.ptx nvcc.ptx
done
exit $failed
