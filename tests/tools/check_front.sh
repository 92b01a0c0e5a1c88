#!/bin/sh
# The command line of gsim and gsim-compare: exit statuses, reports, files.
srcdir=${srcdir:-$(dirname "$0")/../..}
gsim=${GSIM:-./gsim}
compare=${GSIM_COMPARE:-./gsim-compare}
opt=${GSIM_OPT:-./gsim-opt}
GSIM_PATH=$srcdir
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-front.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/tests/tools/front/*.ir "$srcdir"/tests/tools/front/*.lua "$tmp" && chmod u+w "$tmp"/*
loop=$tmp/loop.ir
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' "$tmp/out" "$tmp/err" | head -20
	failed=1
}

# expect STATUS TEXT COMMAND...: the exit status, and a text that the output has ("" = none wanted)
expect() {
	want=$1 text=$2
	shift 2
	"$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" "$tmp/out" "$tmp/err" || fail "$*: no '$text'"
}

# ---- usage ----
expect 0 "gsim 0" $gsim --version
expect 0 "before-after" $gsim --help
for what in models passes configs parameters statistics operations options; do expect 0 "" $gsim --list $what; done
expect 0 "reconvergences" $gsim --list statistics
expect 0 "kepler.lua: GeForce GTX 770 (GK104, compute capability 3.0): [0-9]* P, [0-9]* S, [0-9]* assumption" $gsim --list configs
# where there are no machine files, it says where it has looked
listed=$(unset GSIM_PATH; gsim=$(realpath "$gsim"); cd "$tmp" && "$gsim" --list configs 2>&1) || case $listed in
"error: there are no machine files in the folders of "*) ;;
*) fail "--list configs without machine files: $listed" ;;
esac
[ -n "$listed" ] || fail "--list configs without machine files says nothing"
[ "$($gsim --list configs | sed -e 's/: .*//' -e 's,.*/,,')" = "$($gsim --list machines)" ] || fail "--list machines has other files than --list configs"
[ -z "$(GSIM_PATH=configs:$PWD $gsim --list configs | sort | uniq -d)" ] || fail "a machine file is listed twice"
expect 0 "^l1.latency  *82 .* $srcdir/configs/maxwell.lua:[0-9]*: " $gsim --list figures -c maxwell.lua
expect 0 "^sm.count  *3 given command-line:1: " $gsim --list figures -c maxwell.lua -D sm.count=3
expect 0 "^sm.count  *5 given command-line:1: " $gsim --list figures -c maxwell.lua -D sm.count=5
expect 0 "^l2.mshrs  *9 given command-line:1: " $gsim --list figures -c maxwell.lua -D l2.mshrs=9
expect 0 "^divergence.model  *its given command-line:1: " $gsim --list figures -c maxwell.lua -m its
expect 0 "^its.switch_stall  *7 given command-line:1: " $gsim --list figures -c maxwell.lua -m "its(switch_stall=7)"
expect 2 "unknown parameter" $gsim --list figures -c maxwell.lua -D sm.counts=3
expect 2 "needs a machine file" $gsim --list figures
expect 2 "cannot find the machine file" $gsim --list figures -c nowhere.lua
expect 2 "expected models" $gsim --list modells
expect 2 "expected a MODULE" $gsim
expect 2 "did you mean --config" $gsim --confg x "$loop"
expect 2 "unknown option -z" $gsim -z "$loop"
expect 2 "an argument is missing" $gsim "$loop" -c
expect 2 "no argument belongs" $gsim --quiet=yes "$loop"
expect 2 "one MODULE is enough" $gsim "$loop" x
expect 2 "loop.lua: error: this is Lua; a module is expected" $gsim "$tmp/loop.lua"
expect 2 "ambiguous option --l: --load, --launch-seconds, --laws, --list" $gsim --l "$loop"
for once in -c -w -t --list; do expect 2 "is given more than once" $gsim $once a $once b "$loop"; done
for once in -j --window; do expect 2 "is given more than once" $gsim $once 1 $once 2 "$loop"; done
# what shows something stands alone
shows="--list=models --new-workload --print-config --disassemble"
for one in $shows; do
	for two in $shows; do
		[ $one = $two ] || expect 2 "error: ${one%=*} and ${two%=*} exclude each other" $gsim $one $two "$loop"
	done
	for run in "-b -p dce" --grid "-s $tmp/x.json" "-t $tmp/x.trace" --reference --verify --laws; do
		expect 2 "error: ${one%=*} runs nothing; --[a-z-]* cannot stand beside it" $gsim $one $run "$loop"
	done
done
[ ! -e "$tmp/x.json" ] && [ ! -e "$tmp/x.trace" ] || fail "a wrong command line leaves files"
# what is no module says what it is
expect 2 "both.cu: error: this is source code; compile it to PTX, with nvcc -ptx" $gsim "$srcdir/tests/isa/ptx/both.cu"
[ "$(wc -l < "$tmp/err")" = 1 ] || fail "a .cu file gives more than one error"
echo '{}' > "$tmp/x.json" && expect 2 "this is JSON" $gsim "$tmp/x.json"
printf 'BC\300\336' > "$tmp/x.bc" && expect 2 "compile it to PTX, with llc" $opt "$tmp/x.bc"
echo 'A page.' > "$tmp/x.md" && expect 2 "this is no module: IR text (.ir), PTX (.ptx) or an ELF object (.gso)" $gsim "$tmp/x.md"
echo 'A page.' > "$tmp/x.ir" && expect 2 "x.ir:1:1: error: expected kernel" $gsim "$tmp/x.ir"
cp "$loop" "$tmp/x.txt" && cp "$tmp/loop.lua" "$tmp/x.lua" && expect 0 "SIMD" $gsim --functional -w "$tmp/x.lua" "$tmp/x.txt"
# what cannot be written is said before the run
mkdir "$tmp/folder"
for bad in -s -t; do
	expect 2 "cannot write $tmp/none/x.json: No such file" $gsim $bad "$tmp/none/x.json" "$loop"
	[ ! -s "$tmp/out" ] || fail "$bad to a folder that is not there: the run began"
	expect 2 "folder: it is a directory" $gsim $bad "$tmp/folder" "$loop"
done
expect 2 "cannot write $loop/x: Not a directory" $gsim -s "$loop/x" "$loop"
expect 2 "1 to 256" $gsim -j 0 "$loop"
expect 2 "1 to 256" $gsim -j many "$loop"
mkfifo "$tmp/fifo"
cat "$tmp/loop.lua" >"$tmp/fifo" & # what comes through a pipe is read once, for all runs
expect 0 "ratio" $gsim --functional -b -p dce -w "$tmp/fifo" "$loop"
expect 2 "needs --passes" $gsim -b "$loop"
expect 2 "more than once: --grid and" $gsim -m ipdom -m token "$loop"
expect 2 "exclude each other" $gsim -b --grid -p dce "$loop"
expect 2 "nowhere.ir" $gsim "$tmp/nowhere.ir"
expect 2 "cannot find the machine file .nowhere.lua. (looked for .*configs/; gsim --list configs" $gsim -c nowhere.lua "$loop"
expect 2 "did you mean 'divergence.depth'" $gsim -D divergence.dept=3 "$loop"
expect 2 "expected KEY=VALUE" $gsim -D divergence.depth "$loop"
expect 2 "out of range" $gsim -D divergence.depth=-3 "$loop"
expect 2 "ipdom" $gsim -m nothing "$loop"
expect 2 "did you mean 'token'" $gsim -m tokn "$loop"
expect 2 "token has no parameter 'warp_size'; it is the machine's: -D warp_size=16" $gsim -m 'token(warp_size=16)' "$loop"
expect 2 "it is the machine's: -D divergence.depth=9" $gsim -m 'token(depth=9)' "$loop"
expect 2 "warp_size is no mechanism's, but the machine's: -D warp_size=16" $gsim -D token.warp_size=16 "$loop"
expect 2 "token has no parameter 'spil_push'; did you mean 'spill_push'" $gsim -m 'token(spil_push=1)' "$loop"
expect 2 "mimd has no parameter 'x'; it has none" $gsim -m 'mimd(x=1)' "$loop"
expect 2 "warps of 2 lanes set sm.max_threads_per_block to that" $gsim -D warp_size=2 "$loop"
expect 0 "" $gsim -q -D warp_size=2 -D sm.max_threads_per_block=128 "$loop"
for tool in $opt $compare; do
	expect 2 "unknown option --nonsense; see gsim-" $tool --nonsense
	expect 2 "unknown option -z; see gsim-" $tool -z
	expect 2 "did you mean --version" $tool --verson
done
expect 2 "nopass" $gsim -p nopass "$loop"
expect 2 "nowhere.lua" $gsim -w "$tmp/nowhere.lua" "$loop"
expect 2 "files $tmp/nowhere: expected a folder" $gsim --files "$tmp/nowhere" "$loop"
mkdir "$tmp/in" "$tmp/out.d"
printf 'abcd' > "$tmp/in/data"
echo "local b = gpu.buffer('u8', 4):load('data') b:save('copy')" > "$tmp/files.lua"
expect 2 "cannot load data: there is no such file" $gsim -w "$tmp/files.lua" "$loop"
expect 0 "" $gsim --files "$tmp/out.d" --files "$tmp/in" -w "$tmp/files.lua" "$loop"
cmp -s "$tmp/in/data" "$tmp/out.d/copy" || fail "--files: a file is saved in the first folder"
# a first workload runs as it is printed
for module in tests/isa/ptx/saxpy.sm_75.ptx:saxpy kernels/matmul/matmul.ptx:matmul kernels/two_chases/two_chases.ir: kernels/recursion/recursion.ptx:tree_sum \
	kernels/histogram/histogram.ptx:histogram_shared kernels/black_scholes/black_scholes.ptx: tests/isa/ptx/memory.sm_75.ptx:dynamic tests/isa/ptx/clang.O0.ptx:mixed; do
	file=$srcdir/${module%:*} kernel=${module#*:}
	expect 0 "gpu.launch" $gsim --new-workload "$file" $kernel
	if grep -q "does not end well" "$tmp/out"; then fail "--new-workload $module finds no arguments that run"; fi
	cp "$tmp/out" "$tmp/new.lua"
	expect 0 "" $gsim -q --functional -w "$tmp/new.lua" "$file"
done
expect 2 "name one of its kernels: saxpy, vecadd2" $gsim --new-workload "$srcdir/tests/isa/ptx/saxpy.sm_75.ptx"
expect 2 "did you mean 'saxpy'" $gsim --new-workload "$srcdir/tests/isa/ptx/saxpy.sm_75.ptx" saxpi
expect 2 "one MODULE is enough" $gsim --new-workload "$loop" loop x
expect 2 "expected a MODULE" $gsim --new-workload
printf 'kernel lost(u64 a)\n{\n\treg u64 %%a\nb:\n\t%%a = ld.param.u64 [a]\n\t%%a = ld.global.u64 [%%a+1000000000]\n\texit\n}\n' > "$tmp/lost.ir"
expect 0 "does not end well: .*lost" $gsim --new-workload "$tmp/lost.ir"
# a file is refused by its size, unread
dd if=/dev/null of="$tmp/sparse" bs=1048576 seek=2048 2>/dev/null
expect 2 "sparse: .*too large" $gsim "$tmp/sparse"
expect 2 "sparse: .*too large" $gsim -w "$tmp/sparse" "$loop"
expect 2 "sparse: .*too large" $gsim -c "$tmp/sparse" "$loop"
expect 2 "sparse" $compare "$tmp/sparse" "$tmp/sparse"
rm -f "$tmp/sparse"
printf 'kernel k( {' > "$tmp/bad.ir"
expect 2 "bad.ir:1:" $gsim "$tmp/bad.ir"
printf 'kernel k() {\nB:\n\texit\n}\n' > "$tmp/lone.ir"
expect 2 "nothing launches" $gsim "$tmp/lone.ir"
: > "$tmp/empty.ir"
expect 2 "" $gsim "$tmp/empty.ir"
expect 2 "" $gsim "$tmp"

# ---- configuration ----
$gsim --print-config -c kepler.lua -D divergence.depth=7 -m ipdom > "$tmp/a.lua" || fail "print-config"
$gsim --print-config -c "$tmp/a.lua" > "$tmp/b.lua" || fail "print-config of a printed file"
cmp -s "$tmp/a.lua" "$tmp/b.lua" || fail "a printed configuration does not load to itself"
grep -q 'depth = 7,' "$tmp/a.lua" && grep -q 'model = "ipdom"' "$tmp/a.lua" || fail "-D or -m is not in --print-config"

# what -D and -m give has that mark, and keeps it; also where the file has the same value
$gsim --print-config -c volta.lua -D l1.latency=33 -m 'its(policy=its_fair)' >"$tmp/a.lua"
for given in 'latency = 33' 'model = "its"' 'policy = "its_fair"'; do
	grep -q "^		$given, -- given -- " "$tmp/a.lua" || fail "$given is not marked as given"
done
[ "$(grep -c ' -- given -- ' "$tmp/a.lua")" = 3 ] || fail "more is marked as given"
$gsim --print-config -c "$tmp/a.lua" | cmp -s - "$tmp/a.lua" || fail "a printed configuration loses marks"
$gsim -q -c "$tmp/a.lua" -D l1.mshrs=64 -s "$tmp/a.json" "$loop" -- 5
for figure in '"l1.latency", "mark": "given", "source": null' '"l1.mshrs", "mark": "given", "source": null' \
	'"l1.queue", "mark": "assumption", "source": "volta.lua:[0-9]*: assumption"' '"clock_mhz", "mark": "S", "source": "volta.lua:'; do
	grep -q "{\"key\": $figure" "$tmp/a.json" || fail "the report has not $figure"
done
$gsim --print-config -c kepler.lua -D divergence.depth=7 -m ipdom > "$tmp/a.lua"

grep -q "^-- configuration [0-9a-f]\{16\}$" "$tmp/a.lua" || fail "--print-config shows no hash"
# every form of a report names what the command line changed, and the same hash; the mechanism's parameters
# too
hash=$($gsim --print-config -c teaching.lua -D l1.latency=9 -m 'its(policy=volta_lifo)' | sed -n 's/^-- configuration //p')
expect 0 "^configuration $hash   l1.latency=9   its.policy=volta_lifo$" $gsim -c teaching.lua -D l1.latency=9 \
	-m 'its(policy=volta_lifo)' -s "$tmp/a.json" "$loop" -- 5
grep -q "\"hash\": \"$hash\"" "$tmp/a.json" || fail "the report has not the hash of --print-config"
grep -q '"changed": {"l1.latency": 9, "divergence.model": "its", "its.policy": "volta_lifo"}' "$tmp/a.json" ||
	fail "the report does not say what changed"
grep -q '"values": {"warp_size": 4,.* "its.policy": "volta_lifo"' "$tmp/a.json" || fail "the report has not the whole configuration"
grep -q '"values": {.* "its.timer": -1,' "$tmp/a.json" || fail "the report loses the sign of a value"
$gsim -q -c teaching.lua -m 'its(timer=5)' -D its.timer=-1 -D its.yield_after=-1 -s "$tmp/b.json" "$loop" -- 5
grep -q '"its.yield_after": -1' "$tmp/b.json" || fail "the report loses the sign of a value that was set"
grep -q '"arguments": \["5"\]' "$tmp/a.json" || fail "the report has not the arguments of the workload"
expect 0 "   l1.latency=9$" $gsim --grid -c teaching.lua -D l1.latency=9 -m mimd -m 'its(policy=volta_lifo)' -s "$tmp/g.csv" \
	-s "$tmp/g.json" "$loop" -- 5
grep -q "teaching.lua,$hash,l1.latency=9 divergence.model=its its.policy=volta_lifo,its(policy=volta_lifo)," "$tmp/g.csv" ||
	fail "a row of the CSV does not name its configuration"
grep -q "\"hash\": \"$hash\"" "$tmp/g.json" || fail "a run of a grid has not the hash"
expect 2 "" $gsim --grid -q -c teaching.lua -m 'its(policy=volta_lifo)' -D l1.latency=9 -s "$tmp/g.json" "$loop" -w "$tmp/nowhere.lua"
grep -q "\"hash\": \"$hash\"" "$tmp/g.json" || fail "a refused run has not the hash"

# ---- runs ----
expect 0 "thread instructions" $gsim --reference "$loop"
expect 0 "SIMD utilisation" $gsim -c teaching.lua "$loop"
awk 'length > 100 { exit 1 } END { exit NR < 15 || NR > 41 }' "$tmp/out" || fail "the report is no screen of 100 x 40"
grep -q '^cycles	' "$tmp/out" || fail "print of the workload is not on standard output"
expect 0 "" $gsim --functional "$loop"
grep -q "cycles *not measured" "$tmp/out" || fail "a functional run shows cycles"
expect 1 "check failed: asked to fail" $gsim --reference "$loop" -- 1 fail
expect 0 "" $gsim --reference "$loop" -- 9
expect 0 "" $gsim -qv --reference "$loop"
[ "$(wc -l < "$tmp/out")" = 1 ] || fail "-q shows a report"
expect 0 "" $gsim --verify --laws -c kepler.lua "$loop"
printf 'local b = gpu.buffer("u32", 2, { 1, %%clock })' > "$tmp/syntax.lua"
expect 2 "syntax.lua:1:" $gsim -w "$tmp/syntax.lua" "$loop"

# where the cycles went adds up to 100.0, of all and of those with a warp
$gsim -c kepler.lua "$loop" > "$tmp/out" 2> "$tmp/err"
awk '/^where/ { on = 1; next } /^$/ { on = 0 } on { all += $2; warp += $4 }
	END { exit !(all > 99.95 && all < 100.05 && warp > 99.95 && warp < 100.05) }' "$tmp/out" ||
	fail "the shares of the cycles do not add up to 100.0"

# ---- JSON ----
expect 0 "" $gsim -c kepler.lua -s "$tmp/a.json" "$loop"
expect 0 "" $gsim -c kepler.lua -q -j 4 -s "$tmp/b.json" "$loop"
grep -v '"host"' "$tmp/a.json" > "$tmp/a" && grep -v '"host"' "$tmp/b.json" > "$tmp/b"
cmp -s "$tmp/a" "$tmp/b" || fail "the report depends on -j"
expect 0 '"kernel": "loop"' $gsim -c kepler.lua -s - "$loop"
head -c 1 "$tmp/out" | grep -q '{' || fail "-s - writes something before the JSON"
tail -n 1 "$tmp/out" | grep -q '^}' || fail "-s - writes something after the JSON"
expect 2 "cannot write" $gsim -c teaching.lua -s "$tmp/none/x.json" "$loop"
expect 0 '"cycles": null' $gsim --functional -s - "$loop"
expect 0 '"simd_utilization": null' $gsim --functional -m mimd -s - "$loop"
$gsim --functional -m mimd "$loop" > "$tmp/out" 2> "$tmp/err"
grep -q "SIMD utilisation *n/a" "$tmp/out" || fail "mimd has a utilisation"

# ---- comparisons ----
expect 0 "ratio" $gsim -c teaching.lua -b -p dce -s "$tmp/ba.json" "$loop"
expect 0 "^  loop registers  *[1-9][0-9]*  *[1-9]" $gsim -c teaching.lua -b -p dce "$loop"
expect 0 "^  loop bytes of registers spilled  *0  *0" $gsim -c teaching.lua -b -p dce "$loop"
expect 0 "dce" $compare "$tmp/ba.json"
expect 0 "^cycles .* 1.000" $compare "$tmp/a.json" "$tmp/b.json"
expect 0 "before" $compare --brief "$tmp/a.json" "$tmp/b.json"
expect 2 "error: --brief and --all exclude each other" $compare --brief --all "$tmp/a.json" "$tmp/b.json"
expect 2 "error: --rows is given more than once" $compare --rows 1,2 --rows 2,1 "$tmp/a.json"
expect 2 "second report" $compare "$tmp/a.json"
expect 0 "^dce: .*; results equal$" $compare "$tmp/ba.json"
expect 0 "nothing differs" $compare "$tmp/a.json" "$tmp/b.json"
expect 0 "results equal" $compare "$tmp/a.json" "$tmp/b.json"
# what differs stands in the head: parameters, mechanisms with theirs, machines, modules, arguments
differ() { # the head's lines, options of the second run
	text=$1
	shift
	$gsim -q -s "$tmp/d.json" "$@" > "$tmp/out" 2> "$tmp/err" || fail "$*: no report to compare"
	expect 0 "$text" $compare "$tmp/base.json" "$tmp/d.json"
}
$gsim -q -c teaching.lua -m its -s "$tmp/base.json" "$loop"
differ "one thing differs: l1.latency [0-9]* -> 77$" -c teaching.lua -m its -D l1.latency=77 "$loop"
differ "one thing differs: its.policy [a-z_]* -> volta_lifo$" -c teaching.lua -m 'its(policy=volta_lifo)' "$loop"
differ "one thing differs: its.policy [a-z_]* -> volta_lifo$" -c teaching.lua -m its -D its.policy=volta_lifo "$loop"
differ "one thing differs: mechanism its -> ipdom(push_order=fall_top)$" -c teaching.lua -m 'ipdom(push_order=fall_top)' "$loop"
differ "nothing differs" -c teaching.lua -m its -D ipdom.push_order=fall_top "$loop"
differ "2 things differ, so no figure below" -c teaching.lua -m its -D l1.latency=77 -p dce "$loop"
grep -q "^  l1.latency .* -> 77$" "$tmp/out" && grep -q "^  passes .*none -> dce$" "$tmp/out" || fail "not all that differs is named"
differ "one thing differs, with what comes with it" -c kepler.lua -m its "$loop"
grep -q "^  machine .*teaching.lua -> kepler.lua$" "$tmp/out" && grep -q "^  warp_size .* 4 -> 32$" "$tmp/out" ||
	fail "parameters of another machine file are not shown"
differ "arguments  *none -> 9" -c teaching.lua -m its "$loop" -- 9
differ "one thing differs: mode timed -> functional" -c teaching.lua -m its --functional "$loop"
cp "$loop" "$tmp/copy.ir" && cp "$tmp/loop.lua" "$tmp/copy.lua"
differ "^nothing differs" -c teaching.lua -m its "$tmp/copy.ir"
echo "// another" >> "$loop"
differ "one thing differs: content of the module" -c teaching.lua -m its "$loop"
sed '$d' "$loop" > "$tmp/copy.ir" && cp "$tmp/copy.ir" "$loop"
# old reports name no configuration
sed '/"configuration": {/,/^  },/d' "$tmp/base.json" > "$tmp/old.json"
expect 0 "^the report before records no configuration: parameters may differ$" $compare "$tmp/old.json" "$tmp/base.json"
expect 2 "cannot read" $compare "$tmp/a.json" "$tmp/nowhere.json"
expect 0 "" $gsim --grid -q --functional -m ipdom -m mimd -p none -p dce -s "$tmp/grid.json" "$loop"
[ "$(grep -c '"gsim"' "$tmp/grid.json")" = 4 ] || fail "the grid has not four runs"
grep -q '"passes": "none"' "$tmp/grid.json" && fail "a run without passes has one"
expect 0 "passes none" $gsim -c teaching.lua -p none "$loop"
expect 0 "^kernel" $opt -p none "$loop"
expect 2 "no pass .none." $gsim -p none,dce "$loop"
expect 2 "a grid of 4 runs, the other a report of one: --rows picks" $compare "$tmp/a.json" "$tmp/grid.json"
expect 0 "^mimd " $compare "$tmp/grid.json"
expect 0 "mechanism ipdom -> mimd" $compare --rows 1,mimd "$tmp/grid.json"
expect 0 "passes none -> dce" $compare --rows mimd,4 "$tmp/grid.json"
expect 2 "has no run '5'" $compare --rows 5,1 "$tmp/grid.json"
expect 2 "as in 1,2" $compare --rows 5 "$tmp/grid.json"
$gsim --grid -q --functional -m mimd -m token -p dce -D functional.schedule=block -s "$tmp/grid2.json" "$loop"
expect 0 "one thing differs: functional.schedule turns -> block" $compare "$tmp/grid.json" "$tmp/grid2.json"
grep -q "^1 run: fewer" "$tmp/out" && grep -q "^mimd *dce .* 1.000 " "$tmp/out" && grep -q "^token *dce  *-  *[0-9]" "$tmp/out" ||
	fail "two grids are not compared run by run"
# what is left out of a screen can be had
many=$srcdir/kernels/bfs/bfs.ptx
expect 0 " more (--all shows them)" $gsim --functional "$many"
expect 0 "" $gsim --functional --all "$many"
grep -q " more (" "$tmp/out" && fail "--all leaves something out"
expect 0 " more (--all shows them)" $gsim --functional -b -p linearize -s "$tmp/m.json" "$srcdir/kernels/queens/queens.ptx"
expect 0 "" $gsim --functional -b -p linearize --all "$srcdir/kernels/queens/queens.ptx"
grep -q " more (" "$tmp/out" && fail "--all leaves something out of a comparison"
expect 0 " more (--all shows them)" $compare --brief "$tmp/m.json"
expect 0 "" $compare --all "$tmp/m.json"
grep -q " more (" "$tmp/out" && fail "gsim-compare --all leaves something out"
expect 0 "mimd" $gsim --grid --functional -m ipdom -m mimd "$loop"

# ---- the grid ----
models=$($gsim --list models | grep -c '^[a-z]')
expect 0 "" $gsim --grid -q -c teaching.lua -p '' -p dce -s "$tmp/g.csv" -s "$tmp/g.svg" -s "$tmp/g.json" "$loop"
awk -F, 'NR == 1 { n = NF; for (i = 1; i <= NF; i++) at[$i] = i } NF != n || (NR > 1 && !($at["cycles"] > 0)) { bad = 1 }
	END { exit bad || NR != 1 + 2 * '"$models"' }' "$tmp/g.csv" || fail "the CSV has not a row of figures for each run"
[ "$(grep -c '"gsim"' "$tmp/g.json")" = $((2 * models)) ] || fail "the JSON of a grid has not a report for each run"
head -n 1 "$tmp/g.svg" | grep -q '^<svg ' && tail -n 1 "$tmp/g.svg" | grep -q '^</svg>$' || fail "the SVG is none"
[ "$(grep -c '<text[^>]*text-anchor="end"' "$tmp/g.svg")" = "$models" ] || fail "the SVG has not a label for each mechanism"
# one that fails is a row, in whose place nothing is measured; the others run
expect 1 "^ipdom .*failed: livelock" $gsim --grid -c teaching.lua -m ipdom -m mimd -s "$tmp/g.csv" -s "$tmp/g.svg" \
	"$srcdir/kernels/oracles/e1.ir"
grep -q '^mimd  *[0-9]' "$tmp/out" || fail "where one mechanism fails the other does not run"
awk 'length > 100 { exit 1 }' "$tmp/out" || fail "the grid is wider than 100"
grep -q '^e1,.*,ipdom,.*,failed,"livelock.*,0,' "$tmp/g.csv" || fail "the CSV does not say that a run failed"
grep -q '>failed: livelock in block L (.*e1.ir:15)<' "$tmp/g.svg" || fail "the SVG does not say that a run failed"
expect 1 "^ipdom(push_order=fall_top) .* 1.000 " $gsim --grid --functional -m ipdom -m 'ipdom(push_order=fall_top)' \
	"$srcdir/kernels/oracles/e3_pw_taken.ir"
expect 0 "" $gsim -q -m 'ipdom(push_order=fall_top, divergence.depth=4)' -s "$tmp/g.json" "$loop"
grep -q '"model": "ipdom(push_order=fall_top, divergence.depth=4)"' "$tmp/g.json" || fail "parameters of --model are not in the report"
expect 2 "expected NAME(key=value" $gsim -m 'ipdom(push_order=fall_top' "$loop"
expect 2 "expected key=value, not 'push_order'" $gsim --grid -m 'ipdom(push_order)' "$loop"
for wrong in ',' 'push_cycles=1,' ', push_cycles=1' 'push_cycles=1,,pop_cycles=2'; do
	expect 2 "expected key=value, not ''" $gsim -m "ipdom($wrong)" "$loop"
done
expect 0 "" $gsim -q -m 'ipdom( push_cycles=1 ,pop_cycles=2 )' "$loop"
expect 0 "" $gsim -q -m 'ipdom( )' "$loop"
expect 2 "unknown value 'up'" $gsim --grid -m mimd -m 'ipdom(push_order=up)' "$loop"
expect 2 "are --grid's" $gsim -s "$tmp/g.csv" "$loop"
expect 2 "ending, not x.tsv" $gsim --grid -s x.tsv "$loop"
# as text: what is shown
for how in "" "-b -p dce" "--grid -m ipdom -m mimd"; do
	rm -f "$tmp/g.txt"
	expect 0 "" $gsim -c teaching.lua $how -s "$tmp/g.txt" "$loop"
	grep -v '^cycles	' "$tmp/out" | cmp -s - "$tmp/g.txt" || fail "the text in the file is another one"
	expect 0 "" $gsim -q -c teaching.lua $how -s "$tmp/h.txt" "$loop"
	cmp -s "$tmp/g.txt" "$tmp/h.txt" || fail "the text in the file depends on -q"
done
expect 0 "^ipdom     linearize,s\.\.\.fy-cfg,dce  " $gsim --all --grid --functional -m ipdom -p none -p linearize,simplify-cfg,dce "$loop"
# long names are whole in the text's title, differ in its rows, and lie inside the picture
long='ipdom(push_order=fall_top, push_cycles=1, pop_cycles=1, divergence.depth=16, divergence.chunk=2'
expect 0 "mechanism $long)   passes linearize,simplify-cfg,dce$" $gsim -c teaching.lua -m "$long)" -p linearize,simplify-cfg,dce "$loop"
expect 0 "" $gsim --all --grid -c teaching.lua -m "$long)" -m "$long, divergence.spill=memory)" -s "$tmp/long.svg" "$loop"
[ "$(grep -c '^ipdom(' "$tmp/out")" = 2 ] && [ "$(sed -n 's/^\(ipdom(.*)\) .*/\1/p' "$tmp/out" | sort -u | wc -l)" = 2 ] ||
	fail "rows of a grid look alike"
awk '/text-anchor="end"/ { sub(/.*x="/, ""); x = $0 + 0; sub(/.*">/, ""); sub(/<.*/, ""); if (x < 7 * length($0)) exit 1 }' "$tmp/long.svg" ||
	fail "labels of the picture are cut"
# results that differ from the first run's
cat > "$tmp/depth.lua" <<'EOF'
local b = gpu.buffer("u32", 64)
local s = gpu.launch { kernel = "loop", grid = 1, block = 32, args = { b, 1 } }
b:set(0, s.divergence.max_depth)
EOF
expect 1 "element 0 is [0-9]* with ipdom, .* with mimd" $gsim --grid -c teaching.lua -m ipdom -m mimd -w "$tmp/depth.lua" "$loop"
grep -q '^mimd .* failed$' "$tmp/out" || fail "the grid does not say that results differ"
for text in '' '{' '[]' '{"total":3}' '{"total":{"cycles":1}' 'x' '{"total":{"a":1e999}}'; do
	printf '%s' "$text" > "$tmp/bad.json"
	expect 2 "bad.json" $compare "$tmp/a.json" "$tmp/bad.json"
done
cat > "$tmp/differ.lua" <<'EOF'
local b = gpu.buffer("u32", 1)
local s = gpu.launch { kernel = "loop", grid = 1, block = 1, args = { b, 1 } }
b:set(0, s.cycles and 1 or 2)
EOF
expect 1 "buffer 1 (u32\[1\]): element 0" $gsim --verify -w "$tmp/differ.lua" -c teaching.lua "$loop"

# ---- objects ----
expect 0 "" $opt -o "$tmp/loop.gso" "$loop"
head -c 4 "$tmp/loop.gso" | grep -q ELF || fail "gsim-opt -o loop.gso writes no ELF file"
expect 0 "" $opt -o "$tmp/again.gso" "$tmp/loop.gso"
# a module from standard input; PTX cannot be written
$opt -p dce "$loop" | grep -v '^file 0' >"$tmp/one.txt" && $opt -p dce - <"$loop" | grep -v '^file 0' | cmp -s - "$tmp/one.txt" || fail "gsim-opt - gives another module"
expect 2 "standard input: error" $opt - </dev/null
expect 2 "PTX cannot be written; expected a name with .ir or .gso" $opt -o "$tmp/x.ptx" "$loop"
[ ! -e "$tmp/x.ptx" ] || fail "gsim-opt -o x.ptx writes something"
cmp -s "$tmp/loop.gso" "$tmp/again.gso" || fail "an object read and written is another one"
expect 0 "" $gsim -c kepler.lua -q -s "$tmp/c.json" "$tmp/loop.gso"
grep -v '"host"\|"module' "$tmp/a.json" > "$tmp/a" && grep -v '"host"\|"module' "$tmp/c.json" > "$tmp/c"
cmp -s "$tmp/a" "$tmp/c" || fail "an object runs unlike its text"
head -c 300 "$tmp/loop.gso" > "$tmp/cut.gso"
expect 2 "cut.gso: error" $gsim "$tmp/cut.gso"
expect 2 "x.gso: error" $opt -o "$tmp/none/x.gso" "$loop"

# ---- interrupt ---- interrupt [OPTION...]: a run that never ends, interrupted twice at once half a second
# after it began to listen
signal=INT status=130
interrupt() {
	$gsim "$@" > "$tmp/out" 2> "$tmp/err" &
	pid=$!
	waited=0
	until grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status 2> "$tmp/kill" || [ $waited = 200 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
	sleep 0.5
	kill -$signal $pid 2> "$tmp/kill"
	kill -$signal $pid 2> "$tmp/kill"
	(waited=0; while kill -0 $pid && [ $waited -lt 120 ]; do sleep 0.5; waited=$((waited + 1)); done; kill -KILL $pid) > "$tmp/kill" 2>&1 &
	guard=$!
	wait $pid
	got=$?
	wait $guard
	[ $got = $status ] || fail "$*: interrupted, has status $got, not that of SIG$signal"
	grep -q INTERRUPTED "$tmp/out" || fail "$*: interrupted, shows no report"
}

interrupt -c teaching.lua -w "$tmp/spin.lua" -s "$tmp/int.json" "$loop"
grep -q '"status": "interrupted"' "$tmp/int.json" || fail "an interrupted run writes no JSON"
signal=TERM status=143
interrupt -c teaching.lua -w "$tmp/spin.lua" -s "$tmp/int.json" "$loop"
signal=INT status=130

# interrupted in the reference interpreter and in the first of two runs
printf 'kernel k() {\nB:\t%%i = mov.u64 0\n\tbra L\nL:\t%%i = add.u64 %%i, 1\n\t%%p = setp.ne.u64 %%i, 0\n\tbra %%p, L, E\nE:\texit\n}
host main() {\nH:\tlaunch k, (1,1,1), (1,1,1), 0, ()\n\texit\n}\n' > "$tmp/long.ir"
interrupt --reference "$tmp/long.ir"
interrupt -b -p dce "$tmp/long.ir"

# ---- passes ----
clock=$tmp/clock.ir
expect 0 "" $gsim -q --functional --verify-each -p copy-prop,simplify-cfg,dce "$loop"
[ -s "$tmp/err" ] && fail "--verify-each has something to say about passes that keep results"
expect 1 "is 1 after copy-prop,dce, 3 without passes" $gsim -q --verify-each -p copy-prop,dce,simplify-cfg "$clock"
grep -q "dce,simplify-cfg, 3" "$tmp/err" && fail "--verify-each goes on behind the first pass that changes results"
expect 1 "after copy-prop,dce, 3 without" $gsim -q -b --functional --verify-each -p copy-prop,dce,simplify-cfg "$clock"
expect 1 "after dce, 3 without" $gsim -q --grid -m ipdom --verify-each -p copy-prop -p dce "$clock"
alias=$tmp/alias.ir
expect 0 "" $gsim -q --functional --verify-each -p copy-prop,gcse "$alias"
expect 1 "after copy-prop,gcse(assume-restrict=1), 5 without passes" $gsim --functional --verify-each -s "$tmp/alias.json" -p 'copy-prop,gcse(assume-restrict=1)' "$alias"
grep -q '^assumed: restrict by gcse in k ([0-9]* times)$' "$tmp/out" || fail "the report does not say what gcse assumed"
grep -q '"pass": "gcse", "function": "k", "assumed": "restrict", "count": ' "$tmp/alias.json" || fail "the JSON report does not say what gcse assumed"
expect 0 "2 dce  *k  *instructions deleted  *2" $gsim -q --pass-stats -p if-convert,dce -s "$tmp/clock.json" "$clock"
grep -q '{"step": 2, "pass": "dce", "function": "k", "what": "instructions deleted", "count": 2}' "$tmp/clock.json" || fail "no pass_stats in the report"
expect 0 "remark: if-convert: short_circuit: the branch of B3_guard stays" $gsim -q --no-profile --remarks -p linearize,if-convert "$srcdir/kernels/short_circuit/short_circuit.ir"
expect 0 "" $gsim -q -s "$tmp/loop.json" "$loop"
expect 0 "" $gsim -q --profile "$tmp/loop.json" -p flatten "$loop"
[ -s "$tmp/err" ] && fail "a profile of the same module is complained about"
expect 0 "clock.json: warning: the module of this report had the hash" $gsim -q --profile "$tmp/clock.json" -p flatten "$loop"
expect 0 "clock.json: warning: the module of this report had the hash" $opt -o /dev/null --profile "$tmp/clock.json" -p flatten "$loop"
expect 0 "" $gsim -q -m mimd -p dce -s "$tmp/mimd.json" "$loop"
expect 0 "mimd.json: warning: this report is of a run with the passes dce" $gsim -q --profile "$tmp/mimd.json" -p flatten "$loop"
grep -q "under mimd, where each fetch is for one lane" "$tmp/err" || fail "a profile of mimd is taken without a word"
expect 2 "nothing.json: error" $gsim -q --profile "$tmp/nothing.json" -p dce "$loop"
expect 2 "error: expected" $gsim -q --profile "$loop" -p dce "$loop"
# Where no profile is given, a functional run makes one: of rows of which each lane has a long one in turn,
# and of rows that are alike.
rows=$srcdir/labs/08-transformations/rows.ptx
machine="-c $srcdir/configs/teaching.lua"
told='made first (--no-profile leaves it out)'
expect 0 "$told" $gsim $machine -p flatten -s "$tmp/flat.json" "$rows" -- turning
grep -q '"profiled": true' "$tmp/flat.json" && grep -q '"what": "nests flattened", "count": 1' "$tmp/flat.json" || fail "rows of all lanes in turn are not flattened by a profile"
for kind in even one; do
	expect 0 "$told" $gsim $machine --remarks -p flatten -s "$tmp/flat.json" "$rows" -- $kind
	grep -q '"pass": "flatten"' "$tmp/flat.json" && ! grep -q 'nests flattened' "$tmp/flat.json" && grep -q 'is left alone within .*: tried, the nest makes' "$tmp/err" ||
		fail "rows that are $kind are flattened"
	grep -q '^flatten changed nothing: rows: loop .* is left alone' "$tmp/out" || fail "the report does not say why nothing changed"
done
expect 0 "how many lanes wait for others there is not known" $gsim $machine --no-profile --remarks -p flatten -s "$tmp/flat.json" "$rows" -- turning
grep -q '"profiled": false' "$tmp/flat.json" || fail "--no-profile makes a profile"
expect 0 "nests flattened" $gsim -q $machine -b --pass-stats -p flatten "$rows" -- turning
expect 0 "nests flattened" $gsim -q $machine --grid -m ipdom -m its --pass-stats -p none -p flatten "$rows" -- turning
# Of bitonic sort's branches whose arms are short, one parts few warps: under guards all of them would issue
# both arms.
sort=$srcdir/kernels/bitonic_sort/bitonic_sort.ptx
expect 0 "the branch of bb3 stays: by the profile warps would issue" $gsim -q --functional -m ipdom --remarks --pass-stats -p if-convert "$sort"
grep -q 'branches converted  *2$' "$tmp/err" || fail "if-convert leaves more than one branch for the profile"
expect 0 'branches converted  *3$' $gsim -q --functional --no-profile -m ipdom --pass-stats -p if-convert "$sort"
for how in "" -b "--grid -m ipdom -p none"; do
	# shellcheck disable=SC2086
	expect 0 "^linearize changed nothing: the graph is structured" $gsim $how -p linearize,dce "$loop"
done
# What takes more than a tenth longer says why: the reason that has grown most in the report itself; what does
# not says nothing.
slower=$tmp/slower.ir
{
	printf 'kernel k() {\nA:\t%%t = mov.u32 %%tid.x\n\t%%p = setp.gt.u32 %%t, 1000\n\tbra %%p, B, E\nB:'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf '\t%%t = mul.lo.u32 %%t, %%t\n'; done
	printf '\tbra E\nE:\texit\n}\nhost main() {\nH:\tlaunch k, (1,1,1), (32,1,1), 0, ()\n\texit\n}\n'
} >"$slower"
expect 0 "" $gsim -q --no-profile -c kepler.lua -m ipdom -b -p "if-convert(size=100,branches=all)" -s "$tmp/two.json" -s "$tmp/two.txt" "$slower"
why=$(sed -n 's/^slower above all by scheduler-cycles that went for \([a-z_]*\): .*/\1/p' "$tmp/two.txt")
more=$(sed -n 's/^slower above all by scheduler-cycles that went for [a-z_]*: \([0-9]*\) more$/\1/p' "$tmp/two.txt")
# what each reason has grown by, of one launch: the first is before, the last after
for reason in instruction_fetch data memory branch; do
	sed -n 's/^ *"stalls": {"no_warp".*"'$reason'": \([0-9]*\),.*/\1/p' "$tmp/two.json" >"$tmp/stalls"
	echo "$(($(tail -n 1 "$tmp/stalls") - $(head -n 1 "$tmp/stalls"))) $reason"
done | sort -n | tail -1 >"$tmp/grown"
[ "$more $why" = "$(cat "$tmp/grown")" ] || fail "'$why' has not grown most, by '$more'"
expect 0 "" $gsim -c kepler.lua -b -p dce "$slower"
! grep -q '^slower' "$tmp/out" || fail "what is not slower says why it is"
$gsim -q -p linearize -s "$tmp/idle.json" "$loop"
grep -q '{"step": 1, "pass": "linearize", "why": "the graph is structured"}' "$tmp/idle.json" || fail "no idle_passes in the report"
expect 2 "nothing.lua" $opt -c nothing.lua "$loop"
expect 0 "kernel loop" $opt -c configs/fermi.lua -p flatten "$loop"

exit $failed
