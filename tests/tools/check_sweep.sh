#!/bin/sh
# gsim-sweep as a user has it: what varies, tables, going on after a kill, shards, jobs, plots, and what is wrong.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
gsim=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)/gsim
sweep=$(cd "$(dirname "${GSIM_SWEEP:-./gsim-sweep}")" && pwd)/gsim-sweep
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-sweep.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/kernels/short_circuit/short_circuit.* "$srcdir"/tests/tools/front/loop.* "$tmp" && chmod u+w "$tmp"/*
cd "$tmp" || exit 1
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}
# expect STATUS TEXT COMMAND...: the exit status, and a text of standard output or standard error
expect() {
	want=$1 text=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" out err || fail "$*: no '$text'"
}
same() { cmp -s "$1" "$2" || { diff "$1" "$2" >out 2>&1; fail "$3: $1 and $2 differ"; }; }

# ---- what varies ----
s="$sweep -q -c teaching.lua"
expect 0 "" $s -o a -m ipdom,its -p none -p linearize -D dram.latency=100,200:400:100 short_circuit.ir
[ "$(wc -l <a/results.csv)" = 17 ] || fail "2 mechanisms x 2 pipelines x 4 values are not 16 rows"
grep -q '^short_circuit.ir,teaching.lua,its,linearize,,300,ok,[0-9a-f]*,[0-9]*,' a/results.csv || fail "no row of a point"
# each row is what gsim itself measures
row=0
$sweep --dry-run -c teaching.lua -m ipdom,its -p none -p linearize -D dram.latency=100,200:400:100 short_circuit.ir >commands
while read -r program rest; do
	row=$((row + 1))
	[ $((row % 5)) = 1 ] || continue
	eval "\"$gsim\" -q -s one.json $rest" 2>err
	want=$(sed -n "$((row + 1))p" a/results.csv | cut -d, -f9)
	grep -q "^    \"cycles\": $want,\$" one.json || fail "row $row has $want cycles, and gsim $rest others"
done <commands
[ $row = 16 ] || fail "--dry-run shows $row points, not 16"

expect 0 "" $sweep --dry-run -m its,ipdom,its -D l1.latency=28,20:30:2,20 short_circuit.ir
[ "$(wc -l <out)" = 12 ] || fail "values that are given twice make $(wc -l <out) points, not 12"
expect 0 "" $sweep --dry-run -D units.fp32.latency=1:64:*4 short_circuit.ir
[ "$(sed 's/.*latency=//; s/ .*//' out | tr '\n' ' ')" = "1 4 16 64 " ] || fail "1:64:*4 is not 1 4 16 64"
expect 0 "" $sweep --dry-run --vary x=0.1:0.5:0.1 --vary y=5:1:-2 short_circuit.ir -- '{x}' a{y}b 'a b'
[ "$(head -3 out | sed 's/.*-- //' | tr '\n' ';')" = "0.1 a5b 'a b';0.1 a3b 'a b';0.1 a1b 'a b';" ] ||
	fail "ranges of decimals, or arguments with variables"
# names that do not fit on a line: each command has one all the same, and a shell takes it back to that name
odd=$(printf "a\nb\\033\\377 %%s\\\\'c\\t.ir")
cp short_circuit.ir "$odd"
expect 0 "" $sweep --dry-run -m ipdom,its "$odd" -- "-$odd"
[ "$(wc -l <out)" = 2 ] && ! grep -q '?' out || fail "--dry-run of a name with newlines"
(gsim() { printf '%s|' "$@"; }; head -1 out >line && . ./line) >words
printf '%s|' -m ipdom "$odd" -- "-$odd" | cmp -s - words || fail "a shell reads $(cat words)"
expect 0 "" $sweep --print-jobs 2 -o "o$odd" -c teaching.lua -m ipdom,its "$odd"
[ "$(wc -l <out)" = 2 ] || fail "--print-jobs of a name with newlines"
(eval "$(head -1 out)") 2>err
[ -d "o$odd" ] || fail "the folder of a job has another name"
rm -rf "$odd" "o$odd"
expect 0 "^1 point: 1 ok" $sweep -o single -c teaching.lua short_circuit.ir
# values of functions are checked before anything runs
for value in '"abc"' -1 '{}'; do
	echo "return { modules = { 'short_circuit.ir' }, set = { ['dram.latency'] = function() return $value end } }" >function.lua
	expect 2 "dram.latency" $sweep -q -o none --plan function.lua
	[ ! -e none/results.csv ] || fail "a sweep with a function that gives $value runs"
done
expect 0 "" $sweep --dry-run -m 'its(order=min_pc,timer=500),ipdom' short_circuit.ir
[ "$(wc -l <out)" = 2 ] || fail "a comma in brackets divides"
expect 0 "" $sweep --dry-run -m ipdom,its --vary n=1:4 -D l1.latency=20,30 \
	--when 'n > 2 and (mechanism ~= "its" or l1.latency == 30)' short_circuit.ir -- '{n}'
[ "$(wc -l <out)" = 6 ] || fail "a condition leaves $(wc -l <out) points, not 6"
cat >plan.lua <<'END'
return {
	modules = { "short_circuit.ir" },
	machines = "teaching.lua",
	mechanisms = { "ipdom", "token" },
	vary = { n = range(10, 30, 10) },
	set = { ["dram.latency"] = function(point) return point.n * 10 end },
	when = function(point) return point.mechanism == "ipdom" or point.n > 10 end,
	statistics = { "cycles", "divergence.pushes" },
}
END
expect 0 "5 points: 5 ok" $sweep -o b --plan plan.lua
[ "$(head -1 b/results.csv)" = "module,machine,mechanism,passes,arguments,dram.latency,n,status,results,cycles,divergence.pushes,message" ] ||
	fail "the columns of a plan"
[ "$(cut -d, -f3,6,7 b/results.csv | tail -n +2 | tr '\n' ' ')" = "ipdom,100,10 ipdom,200,20 ipdom,300,30 token,200,20 token,300,30 " ] ||
	fail "the points of a plan"

# ---- going on ----
points="-c teaching.lua -m ipdom,its,token -D dram.latency=100:290:10 short_circuit.ir loop.ir"
expect 0 "120 points: 120 ok" $sweep -j 2 -o whole $points
# a second time: nothing runs
before=$(cat whole/*.jsonl | wc -l)
expect 0 "120 points: 120 ok" $sweep -o whole $points
[ "$(cat whole/*.jsonl | wc -l)" = "$before" ] || fail "a sweep that is done runs points again"
# killed at any moment: each time some more points have records, and the table is the same in the end
tries=0
until [ $tries = 3 ]; do
	tries=$((tries + 1))
	$sweep -q -j 2 -o killed $points >out 2>&1 &
	pid=$!
	until [ "$(cat killed/*.jsonl 2>/dev/null | wc -l)" -ge $((tries * 20)) ]; do kill -0 $pid 2>/dev/null || break; done
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
done
[ "$(cat killed/*.jsonl | wc -l)" -lt 120 ] || fail "the sweep was not killed in the midst"
# a record of files that the workload loaded counts while they are as they were
mkdir data
cat >loads.ir <<'END'
kernel nothing() {
A:
  exit
}
END
cat >loads.lua <<'END'
local a, b = gpu.buffer("u8", 4), gpu.buffer("u8", 4)
a:load("near.bin")
b:load("far.bin")
gpu.launch { kernel = "nothing", grid = 1, block = 1 + a:get(0) }
END
printf '\0\0\0\0' >near.bin
printf '1234' >data/far.bin
loads="-c teaching.lua -m ipdom,its --files data -o loads loads.ir"
expect 0 "2 points: 2 ok" $sweep $loads
cp loads/results.csv loads.csv
expect 0 "2 points: 2 ok" $sweep $loads
[ "$(cat loads/*.jsonl | wc -l)" = 2 ] || fail "points of files that did not change ran again"
printf '\37\0\0\0' >near.bin
expect 0 "2 points: 2 ok" $sweep $loads
[ "$(cat loads/*.jsonl | wc -l)" = 4 ] && ! cmp -s loads.csv loads/results.csv || fail "a file in the workload's folder changed"
printf '4321' >data/far.bin
expect 0 "2 points: 2 ok" $sweep $loads
[ "$(cat loads/*.jsonl | wc -l)" = 6 ] || fail "a file in a folder of --files changed"
printf '\0\0\0\0' >near.bin
printf '1234' >data/far.bin
expect 0 "2 points: 2 ok" $sweep $loads
[ "$(cat loads/*.jsonl | wc -l)" = 6 ] || fail "files that are again as they were"
same loads.csv loads/results.csv "files that are again as they were"
rm data/far.bin
expect 1 "2 points: 0 ok, 2 failed" $sweep $loads
printf '1234' >data/far.bin

# a line that was cut short, as by a kill in the midst of writing, is no record
torn=$(ls killed/*.jsonl | head -1)
printf '{"key": "%s", "point": {"mod' "$(tail -1 whole/"$(ls whole | grep jsonl | head -1)" | cut -c10-41)" >>"$torn"
expect 0 "120 points: 120 ok" $sweep -o killed $points
same whole/results.csv killed/results.csv "a sweep that was killed three times"
$sweep -q -o whole --json-lines whole.jsonl $points && $sweep -q -o killed --json-lines killed.jsonl $points
[ "$(wc -l <whole.jsonl)" = 120 ] && same whole.jsonl killed.jsonl "records"
# SIGTERM: a table of what there is, then the signal
$sweep -q -j 1 -o term $points >out 2>err &
pid=$!
until [ -s "$(ls term/*.jsonl 2>/dev/null | head -1)" ]; do kill -0 $pid 2>/dev/null || break; done
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "SIGTERM does not end the sweep by the signal"
grep -q ',not run,' term/results.csv && grep -q ',ok,' term/results.csv || fail "SIGTERM leaves no table of what there is"

# ---- shards and jobs ----
for i in 1 2 3; do
	expect 0 "" $sweep -q --shard $i/3 -o shards $points
done
[ ! -e shards/results.csv ] || fail "a shard makes a table"
expect 0 "120 points: 120 ok" $sweep -o shards $points
same whole/results.csv shards/results.csv "three shards"
$sweep --print-jobs 4 -o jobs $points >jobs.sh && [ "$(wc -l <jobs.sh)" = 4 ] && sh jobs.sh >out 2>err || fail "--print-jobs"
before=$(cat jobs/*.jsonl | wc -l)
expect 0 "120 points: 120 ok" $sweep -o jobs $points
[ "$before" = 120 ] && same whole/results.csv jobs/results.csv "four jobs"

# ---- what fails ----
cat >fails.lua <<'END'
local n = tonumber(gpu.args[1])
gpu.check(n ~= 2, "n is 2")
gpu.launch { kernel = "nothing", grid = 1, block = 32 }
if n == 3 then gpu.launch { kernel = "missing" } end
END
printf 'kernel nothing() {\nE:\texit\n}\n' >fails.ir
expect 1 "4 points: 2 ok, 2 failed" $sweep -o fails --vary n=1:4 fails.ir -- '{n}'
grep -q '^fails.ir,,,,2,2,failed,.*n is 2' fails/results.csv || fail "a failed point has no message"
grep -q '^fails.ir,,,,3,3,bad input,.*fails.lua:4: ' fails/results.csv || fail "bad input has no message with its place"
sed -i 's/n ~= 2/true/' fails.lua
expect 1 "4 points: 3 ok, 1 failed" $sweep -o fails --vary n=1:4 fails.ir -- '{n}'
# the same text again: failed points are kept, unless they are asked for
before=$(cat fails/*.jsonl | wc -l)
expect 1 "3 ok, 1 failed" $sweep -o fails --vary n=1:4 fails.ir -- '{n}'
[ "$(cat fails/*.jsonl | wc -l)" = "$before" ] || fail "a failed point ran again"
expect 1 "3 ok, 1 failed" $sweep --retry -o fails --vary n=1:4 fails.ir -- '{n}'
[ "$(cat fails/*.jsonl | wc -l)" = $((before + 1)) ] || fail "--retry does not run the failed point, or others"
# a point that takes too long, and one whose process is killed
printf 'while true do end\n' >slow.lua
cp fails.ir slow.ir
expect 1 "it took more than 1 s" $sweep -o slow --seconds 1 slow.ir
grep -q ',timed out,' slow/results.csv || fail "a point that took too long has another status"
(until pid=$(pgrep -f "$sweep -q -o crash" | tail -n +2 | head -1) && [ -n "$pid" ]; do sleep 0.05; done; sleep 0.2; kill -SEGV "$pid") &
expect 1 "" $sweep -q -o crash slow.ir
wait
grep -q ',crashed,.*the process ended by signal 11' crash/results.csv || fail "a process that crashes takes more than its point with it"

# a parameter that changes nothing
expect 0 "warning: its.timer has no effect" $sweep -o idle -c teaching.lua -m ipdom -D its.timer=100,200 short_circuit.ir
expect 0 "^warning: its.policy has no effect under ipdom (only its reads it): none of its 2 values changes cycles anywhere$" $sweep -o reason \
	-c teaching.lua -m ipdom -D its.policy=hanoi,volta_lifo short_circuit.ir
expect 0 "^warning: its.policy has no effect under ipdom (only its reads it), nor elsewhere in this sweep: none of " $sweep -o reasons \
	-c teaching.lua -m ipdom,token -D its.policy=hanoi,volta_lifo short_circuit.ir
# no reason where there is none: under its the timer might matter
expect 0 "^warning: its.timer has no effect: none of its 2 values changes cycles anywhere$" $sweep -o might \
	-c teaching.lua -m ipdom,its -D its.timer=100000,200000 short_circuit.ir

# results: the same in every point of a program, or a warning
[ "$(cut -d, -f1,8 whole/results.csv | sort -u | wc -l)" = 3 ] || fail "not one hash of results for each program"
printf 'gpu.launch { kernel = "nothing", grid = 1, block = 32 }\nlocal b = gpu.buffer("u32", 1)\nb:set(0, #gpu.kernels())\n' >two.lua
printf 'kernel nothing() {\nE:\texit\n}\n' >two.ir
printf 'kernel nothing() {\nE:\texit\n}\nkernel other() {\nE:\texit\n}\n' >three.ir
cp two.lua three.lua
mkdir -p one other && cp two.ir two.lua one && cp three.ir other/two.ir && cp two.lua other
expect 0 "" $sweep -o both --vary d=one,other '{d}/two.ir'
[ "$(cut -d, -f8 both/results.csv | sort -u | wc -l)" = 3 ] || fail "other results have the same hash"
cat >clock.lua <<'END'
local launch = gpu.launch { kernel = "nothing", grid = 1, block = 32 }
gpu.buffer("u32", 1):set(0, launch.cycles)
END
cp two.ir clock.ir
expect 0 "warning: results differ: points of clock.ir" $sweep -o clock -D fetch.miss_cycles=10,300 clock.ir

# ---- pictures ----
expect 0 "" $sweep -q -o whole --plot lines.svg --plot-kind bars --plot bars.svg --plot-kind heat --plot heat.svg $points
for kind in lines bars heat; do
	# two modules have two panels, and each has at least one star
	[ "$(grep -c '<title>best</title>' $kind.svg)" -ge 2 ] || fail "$kind.svg has no two panels with a star"
	grep -q '>dram.latency<' $kind.svg || fail "$kind.svg does not name what goes along x"
done
[ "$(grep -c '<circle' lines.svg)" = 120 ] || fail "lines.svg does not show 120 values"
# titles are wrapped so that they end within the picture, and names of rows stand whole beside them
expect 0 "" $sweep -q -o named --plot-kind heat --plot named.svg -c teaching.lua -m spec_reconv,ipdom -D dram.latency=100,200 \
	short_circuit.ir
grep -q ' text-anchor="end" fill="#555">spec_reconv<' named.svg || fail "named.svg has not the whole name of a row"
inside() {
	awk '{ at = $0; sub(/.* x="/, "", at); at += 0; text = $0; sub(/^<text[^>]*>/, "", text); sub(/<.*/, "", text); n = length(text) }
		/^<svg/ { width = $0; sub(/.* width="/, "", width); width += 0 }
		/<text.*font-size="15"/ { if (at + 7 * n > width) exit 1; titles++ }
		/<text.*text-anchor="end"/ { if (at - 6.5 * n < 0) exit 1 }
		END { if (titles < '"$2"') exit 1 }' "$1" || fail "$1: a title or name stands outside the picture, or there are fewer than $2 lines"
}
for kind in lines bars heat; do inside $kind.svg 1; done
inside named.svg 2
[ "$(grep -c '<rect' heat.svg)" = 123 ] || fail "heat.svg does not show 120 fields"

# equal best values have a star each, folders that all modules are in are left out, and long names take several lines
expect 0 "" $sweep -q -o tied --plot-kind heat --plot tied.svg -m ipdom,min_pc,token -D l1.bytes=16384,32768 \
	-D scheduler.policy=gto,lrr -D dram.latency=200,400 "$PWD/one/two.ir" "$PWD/other/two.ir"
[ "$(grep -c '<title>best</title>' tied.svg)" -gt 8 ] || fail "tied.svg has fewer than one star for each tied value"
for name in one/two.ir, other/two.ir,; do
	grep -q ">$name l1.bytes=16384<" tied.svg || fail "tied.svg has no panel whose first line is '$name l1.bytes=16384'"
done

# ---- what is wrong ----
expect 2 "no module is given" $sweep
expect 2 "nosuch.ir: error: cannot be read: No such file" $sweep nosuch.ir
expect 2 "unknown parameter; did you mean 'l1.latency'?" $sweep -D l1.latenzy=1 short_circuit.ir
expect 2 "expected a step that leads from the first number to the second" $sweep -D l1.latency=3:1:2 short_circuit.ir
expect 2 "expected a factor of 2 or more" $sweep -D 'l1.latency=1:8:*1' short_circuit.ir
expect 2 "expected a value on each side of a comma" $sweep -D l1.latency=1,,2 short_circuit.ir
expect 2 "there is no variable k" $sweep --vary n=1 short_circuit.ir -- '{k}'
expect 2 "there is no 'foo' in a point" $sweep --when 'foo > 1' short_circuit.ir
expect 2 "^--when:1: error: " $sweep --when 'n >' --vary n=1 short_circuit.ir
expect 2 "the condition refuses every point" $sweep --when 'n > 1' --vary n=1 short_circuit.ir
expect 2 "expected a name of letters, digits and _" $sweep --vary module=1 short_circuit.ir
expect 2 "there are too many points" $sweep --vary a=1:1000 --vary b=1:1000 --vary c=1:1000 short_circuit.ir
expect 2 "unknown value 'itz'; did you mean 'its'" $sweep -m itz short_circuit.ir
expect 2 "linearise" $sweep -p linearise short_circuit.ir
expect 2 "expected a name of gsim --list statistics" $sweep --statistics cyclez short_circuit.ir
expect 2 "expected I/N" $sweep --shard 3/2 short_circuit.ir
expect 2 "cannot make the folder of results" $sweep -o short_circuit.ir/x short_circuit.ir
expect 2 "nothing varies" $sweep -q -o b --plot x.svg -c teaching.lua short_circuit.ir
printf 'return { modules = { "../short_circuit.ir" } }' >evil.lua
expect 2 "modules: '../short_circuit.ir': " $sweep --plan evil.lua
printf 'return { modulez = { "short_circuit.ir" } }' >evil.lua
expect 2 "unknown field 'modulez'; did you mean 'modules'?" $sweep --plan evil.lua
printf 'return { modules = { "short_circuit.ir" }, vary = { n = range(1, 1e9) } }' >evil.lua
expect 2 "evil.lua:1:" $sweep --plan evil.lua
# a plan's modules and machines lie below it, with variables put in, too, and behind no link
mkdir -p inside outside && cp short_circuit.* outside && ln -s ../outside inside/way && ln -s ../short_circuit.ir inside/link.ir
for modules in '{ "{d}/short_circuit.ir" }, vary = { d = { "../outside" } }' '{ "{d}" }, vary = { d = { "'"$tmp"'/short_circuit.ir" } }' \
	'{ "way/short_circuit.ir" }' '{ "link.ir" }'; do
	printf 'return { modules = %s }' "$modules" >inside/evil.lua
	expect 2 "modules: '" $sweep -o evil --plan inside/evil.lua
done
printf 'return { modules = { "short_circuit.ir" }, machines = { "%s/configs/kepler.lua" } }' "$srcdir" >evil.lua
expect 2 "machines: '" $sweep -o evil --plan evil.lua
printf 'return { modules = { "short_circuit.ir" }, when = function() while true do end end }' >evil.lua
expect 2 "the instruction limit is reached" $sweep -o evil --plan evil.lua
# results that were damaged, or say different things; tables over links and pipes
cp -r whole damaged && one=$(ls damaged/*.jsonl | head -1)
sed -i '1s/"cycles": [0-9]*/"cycles": 1/; 2s/"status": "ok"/"status": "wonderful"/' "$one"
expect 0 "120 points: 120 ok" $sweep -o damaged $points
same whole/results.csv damaged/results.csv "damaged records"
rm damaged/results.csv && echo mine >mine.txt && ln -s ../mine.txt damaged/results.csv
expect 0 "120 points: 120 ok" $sweep -o damaged $points
[ "$(cat mine.txt)" = mine ] && same whole/results.csv damaged/results.csv "a table over a link"
rm damaged/results.csv && mkfifo damaged/results.csv
expect 2 "results.csv: error: cannot be written: it is no ordinary file" $sweep -o damaged $points
# no room for records: an error, and no point that failed
(ulimit -f 1 && $sweep -q -j 1 -o small $points) >out 2>err
[ $? = 2 ] && ! grep -q crashed small/*.jsonl || fail "a disk that is full makes points fail"
expect 0 "120 points: 120 ok" $sweep -o small $points
same whole/results.csv small/results.csv "a disk that was full"
expect 2 "there is no such column" $sweep -o never --plot-x nosuch --plot x.svg $points
[ ! -e never ] || fail "a wrong column is told after the runs"
expect 0 "warning: nothing names the variable n" $sweep --dry-run --vary n=1,2 short_circuit.ir
printf 'while true do end' >evil.lua
expect 2 "evil.lua:1: error: the instruction limit is reached" $sweep --plan evil.lua
# sizes are an axis: the workload's arguments, and the key, follow from them
printf 'kernel nothing() {\nentry:\n\texit\n}\n' >sized.ir
printf 'gpu.sizes(function(size) return size.sms end)\ngpu.launch { kernel = "nothing", grid = gpu.argument(1, 2), block = 32 }' >sized.lua
expect 0 "6 points: 6 ok" $sweep -o sized --size S,M --size L -D sm.count=1,4 --functional --statistics thread_instructions sized.ir
[ "$(cut -d, -f6,7,10 sized/results.csv | tr '\n' ' ')" = "size,sm.count,thread_instructions S,1,64 S,4,64 M,1,32 M,4,32 L,1,32 L,4,128 " ] ||
	fail "sizes make other launches: $(cat sized/results.csv)"
expect 2 "--size: expected S, M, L or XL, not Q" $sweep -o sized --size S,Q sized.ir
printf 'return { modules = { "sized.ir" }, sizes = { "S", "XL" }, when = function(p) return p.size == "XL" end }' >sized.plan
expect 0 "gsim --size XL sized.ir" $sweep --dry-run --plan sized.plan
[ $failed = 0 ] && echo "gsim-sweep: all as expected"
exit $failed
