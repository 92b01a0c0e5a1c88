#!/bin/sh
# gsim-trace on a recorded sample of format version 1 (example b2 of the reconvergence oracles, token stack, warps of four): each form against the
# expected text beside it; filters; errors. Then a fresh recording against the report of its run.
top=${srcdir:-.}
sample=$top/tests/traces/b2.trace
failed=0
fail() { echo "gsim-trace: $*"; failed=1; }

for form in text csv perfetto summary; do
	./gsim-trace --$form "$sample" | cmp - "$top/tests/traces/b2.$form" || fail "--$form differs from tests/traces/b2.$form"
done
./gsim-trace "$sample" | cmp - "$top/tests/traces/b2.text" || fail "the default is not --text"

lines() { # number of event lines, arguments
	want=$1
	shift
	got=$(./gsim-trace --csv "$@" "$sample" | sed 1d | wc -l)
	[ "$got" -eq "$want" ] || fail "$*: $got events, expected $want"
}
./gsim-trace --summary "$top/tests/traces/settings.trace" | sed -n 2,3p >gsim-trace.out
cmp gsim-trace.out - <<'END' || fail "a trace of version 2 does not name its settings"
  configuration d5969434a7697023, changed: divergence.model=token divergence.depth=2
  passes linearize
END

# which run and stream a launch belongs to, and when it started, is told since version 4
for old in b2 settings its; do
	./gsim-trace --summary "$top/tests/traces/$old.trace" | grep -q '^  run ' && fail "$old.trace is older than version 4 and tells of a run"
done
./gsim-trace --text "$top/tests/traces/streams.trace" | grep '^launch\|^  run ' | sed 's/, grid.*//' >gsim-trace.out
cmp gsim-trace.out - <<'END' || fail "a trace of version 4 does not tell when its launches ran"
launch 0: kernel chase
  run 0, stream 1, started in cycle 5000 of the run
launch 1: kernel mix
  run 0, stream 2, started in cycle 5002 of the run
END

all=$(($(wc -l <"$top/tests/traces/b2.csv") - 1))
lines "$all"
lines "$all" --kernel b2 --sm 0 --warp 0 --cycles 0:1000
lines 4 --events push
lines 6 --events pop,reconverge
lines 0 --sm 1
lines 0 --warp 3
lines 3 --events issue,spill,fill --cycles 5:7
lines 7 --cycles :5 --events issue,push
lines 1 --cycles 20 --events issue
lines 2 --events block_start,block_end
./gsim-trace --output gsim-trace.out --summary "$sample"
cmp gsim-trace.out "$top/tests/traces/b2.summary" || fail "--output differs"

bad() { # text expected in the message, arguments
	text=$1 status=0
	shift
	./gsim-trace "$@" >gsim-trace.out 2>&1 || status=$?
	[ $status = 2 ] || fail "$*: exit status $status, expected 2"
	grep -q -e "$text" gsim-trace.out || { fail "$*: no '$text' in"; cat gsim-trace.out; }
}
bad 'expected one trace'
bad 'expected one trace' "$sample" "$sample"
bad 'cannot read the trace' no-such-file
bad 'not a trace' "$top/tests/traces/gsim-trace.sh"
bad "no launch of kernel 'other'; it has launches of b2" --kernel other "$sample"
bad 'no launch 7; it has 1 launch, counted from 0' --launch 7 "$sample"
bad 'no launch 1; it has 1 launch,' --launch 1 --kernel b2 --summary "$sample"
bad "launch 0 of the trace is of kernel 'b2', not of 'other'" --launch 0 --kernel other "$sample"
forms="--text --csv --perfetto --summary --stack=3"
for one in $forms; do
	for two in $forms; do
		[ "$one" = "$two" ] || bad "${one%=*} and ${two%=*} exclude each other" $one $two "$sample"
	done
done
bad '--summary and --perfetto exclude each other' --summary --summary --perfetto --text "$sample"
for once in --output=x --stack=1 --launch=0 --kernel=b2 --sm=0 --warp=0 --cycles=:5 --events=issue; do bad "${once%=*} is given more than once" $once $once "$sample"; done
./gsim-trace --summary --summary "$sample" | cmp - "$top/tests/traces/b2.summary" || fail "a form that is given twice is another one"
for option in --cycles=1:2 --events=issue; do
	bad "--stack shows the state at one cycle and no events; ${option%=*} cannot stand beside it" $option --stack 1 "$sample"
	bad "${option%=*} cannot stand beside it" --stack 1 $option "$sample"
done
bad 'no kind of event' --events issue,push,nothing "$sample"
bad 'expected a number' --sm x "$sample"
bad 'expected a number' --warp 65536 "$sample"
bad 'expected A:B' --cycles 7:3 "$sample"
bad 'expected A:B' --cycles 3:x "$sample"
bad 'cannot write' --output /nonexistent/x "$sample"
bad 'unknown option --nonsense; see gsim-trace' --nonsense "$sample"
bad 'argument is missing after --kernel' "$sample" --kernel
head -c 200 "$sample" >gsim-trace.cut
bad 'ends too early' gsim-trace.cut

for option in --help --version; do
	./gsim-trace $option >gsim-trace.out || fail "$option: exit status $?"
	[ -s gsim-trace.out ] || fail "$option says nothing"
done

# a fresh recording
field() { sed -n -e '/^ *{"/d' -e '/"l1"/d' -e "s/.*\"$1\": \\([0-9][0-9]*\\).*/\\1/p" gsim-trace.json | head -n 1; }
row() { ./gsim-trace --summary gsim-trace.tmp | sed -n "s/^  $1  *\\([0-9][0-9]*\\)\$/\\1/p"; }
for model in ipdom token mimd; do
	./gsim -q -m $model -t gsim-trace.tmp -s gsim-trace.json "$top/kernels/oracles/b2.ir" || fail "gsim -t: exit status $?"
	for name in warp_instructions pushes pops max_depth depth_sum merges spills fills; do
		[ "$(row $name)" = "$(field $name)" ] || fail "$model: $name is $(row $name) in the trace, $(field $name) in the report"
	done
done

# the worked examples of the manual: the state at three cycles of a stack, at one of convergence barriers
awk '/^\$ gsim-trace --stack / { show = 1 } /^```$/ { show = 0 } show' "$top/doc/trace.md" >gsim-trace.want
for model in ipdom its; do
	./gsim -q --functional -D warp_size=4 -D sm.max_threads_per_block=256 -D code.layout=source -m $model -t gsim-trace.tmp "$top/kernels/oracles/b2.ir" || fail "gsim -t: exit status $?"
	for cycle in $([ $model = ipdom ] && echo 5 11 14 || echo 13); do
		echo "\$ gsim-trace --stack $cycle b2.trace"
		./gsim-trace --stack $cycle gsim-trace.tmp | sed 's,// .*/,// ,'
	done
done >gsim-trace.out
diff gsim-trace.want gsim-trace.out || fail "the examples of doc/trace.md are not what --stack prints"

# the manual has every kind of row, with its number and its name, and every kind of event
awk -F'"' '/^#define TRACE_ROWS/ { rows = 1; next } rows && /^\tX\(/ { print n++ "|" $2 } /^typedef/ { rows = 0 }' "$top/traces/rows.h" |
	while IFS='|' read -r number name; do
		grep -q "^| $number | [a-z ]* | $name |" "$top/doc/trace.md" || echo "doc/trace.md has no row $number, $name"
	done >gsim-trace.out
awk -F'"' '/^#define TRACE_EVENTS/ { events = 1; next } events && /^\tX\(/ { print n++ "|" $2 } /^typedef/ { events = 0 }' "$top/traces/trace.h" |
	while IFS='|' read -r number name; do
		grep -q "^| $number | \`$name\` |" "$top/doc/trace.md" || echo "doc/trace.md has no event $number, $name"
	done >>gsim-trace.out
[ ! -s gsim-trace.out ] || { cat gsim-trace.out; fail "doc/trace.md is behind"; }

# every mechanism has a state to show; by the index and, through a pipe, without; of one warp
for model in $(./gsim --list models | sed -n 's/^\([a-z_]*\) .*/\1/p'); do
	./gsim -q -m "$model" -t gsim-trace.tmp "$top/kernels/oracles/b2.ir" || fail "gsim -m $model -t: exit status $?"
	last=$(./gsim-trace --summary gsim-trace.tmp | sed -n 's/^  last_cycle  *//p')
	./gsim-trace --stack $((last / 2)) --warp 0 --sm 0 --launch 0 gsim-trace.tmp >gsim-trace.out || fail "--stack: exit status $?"
	grep -q "^SM 0, warp 0: thread block 0, warp 0 of it, lanes 1111\.\.\.\.'\.\.\.\.\.\.\.\.'\.\.\.\.\.\.\.\.'\.\.\.\.\.\.\.\.," gsim-trace.out || fail "$model: --stack shows no warp"
	grep -q "^ *0  [1.]\{8\}'\.\{8\}'\.\{8\}'\.\{8\}  split " gsim-trace.out || fail "$model: --stack shows no split"
	cat gsim-trace.tmp | ./gsim-trace --stack $((last / 2)) --warp 0 --sm 0 /dev/stdin | cmp - gsim-trace.out || fail "$model: --stack differs through a pipe"
done
bad 'no launch that was asked for has an event in or behind cycle 10000000' --stack 10000000 gsim-trace.tmp
bad 'no launch 7; it has 1 launch,' --stack 1 --launch 7 gsim-trace.tmp
bad "no launch of kernel 'nope'; it has launches of b2" --stack 1 --kernel nope gsim-trace.tmp
bad "launch 0 of the trace is of kernel 'b2', not of 'nope'" --stack 1 --kernel nope --launch 0 gsim-trace.tmp
cat gsim-trace.tmp | ./gsim-trace --stack 1 --kernel nope /dev/stdin 2>&1 | grep -q "no launch of kernel 'nope'; it has launches of b2" ||
	fail "--stack does not miss a kernel through a pipe"
bad 'format version 1 does not tell the state' --stack 1 "$sample"
bad 'expected a number' --stack x "$sample"
bad 'expected a number' --launch -1 "$sample"
[ "$(./gsim-trace gsim-trace.tmp | grep -c -e ' enter ' -e ' rewrite ' -e ' stall ')" = 0 ] || fail "the text shows kinds that nobody asked for"
./gsim-trace --events all gsim-trace.tmp | grep -q ' stall .* scheduler 0, instruction_fetch' || fail "--events all shows no stalls"
[ "$(./gsim-trace --events warp_start,warp_end gsim-trace.tmp | grep -c 'thread block 0, warp 0')" = 2 ] || fail "no begin and end of the warp"

# Lanes stand lane 0 first in warps of every size: read backwards, the picture is the mask that --csv has.
for size in 1 4 8 16 32 64; do
	./gsim -q -D warp_size=$size -D sm.max_threads_per_block=64 -m its -t gsim-trace.tmp "$top/kernels/loop_exits/loop_exits.ir" || fail "warps of $size: exit status $?"
	./gsim-trace --csv --events issue gsim-trace.tmp | awk -F, -v size=$size 'NR > 1 {
		text = ""
		for (k = 0; k < size; k++) {
			digit = index("0123456789abcdef", substr($9, length($9) - int(k / 4), 1)) - 1
			if (substr($9, length($9) - int(k / 4) - 1, 1) == "" || digit < 0) digit = 0
			text = text (k && k % 8 == 0 ? "'\''" : "") (int(digit / 2 ^ (k % 4)) % 2 ? "1" : ".")
		}
		print text
	}' >gsim-trace.want
	./gsim-trace --events issue gsim-trace.tmp | awk '$6 == "issue" { print $7 }' | cmp - gsim-trace.want || fail "warps of $size: --text shows other lanes than --csv"
	[ "$(sort -u gsim-trace.want | wc -l)" -gt $((size > 1)) ] || fail "warps of $size never diverge"
done

# two runs in one trace: which machine and which passes each launch had
./gsim -q -b -p linearize -D divergence.depth=4 -m 'token(unwind_cycles=9)' -t gsim-trace.tmp -s gsim-trace.json "$top/kernels/oracles/b2.ir" ||
	fail "gsim -b -t: exit status $?"
hash=$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' gsim-trace.json | sort -u)
for form in summary text; do
	./gsim-trace --$form gsim-trace.tmp >gsim-trace.out
	[ "$(grep -c "^  configuration $hash, changed: divergence.model=token divergence.depth=4 token.unwind_cycles=9\$" gsim-trace.out)" = 2 ] ||
		fail "--$form does not name the configuration of both runs"
	[ "$(grep -c '^  passes linearize$' gsim-trace.out)" = 1 ] || fail "--$form does not name the passes"
done
./gsim-trace --perfetto gsim-trace.tmp | grep -q "\"configuration\":\"$hash\"" || fail "--perfetto does not name the configuration"
[ "$(./gsim-trace --summary gsim-trace.tmp | sed -n 's/^  run \([0-9]*\), stream 0, started in cycle .*/\1/p' | tr '\n' ' ')" = '0 1 ' ] || fail "the runs have no numbers"
bad 'no launch 2; it has 2 launches, counted from 0' --launch 2 gsim-trace.tmp
bad 'no launch 2; it has 2 launches, counted from 0' --stack 1 --launch 2 gsim-trace.tmp
# Streams that ran side by side stand on one time line: kernel, stream, start and end of each launch are those
# of the report, and launches 2 and 3 overlap. (A block ends before the last of what it has sent is done, so
# that the report's end may be later.)
./gsim -q -c "$top/configs/volta.lua" -D sm.count=2 -t gsim-trace.tmp -s gsim-trace.json "$top/kernels/two_streams/two_streams.ir" >gsim-trace.out || fail "two_streams -t: exit status $?"
sed -n -e '/"total"/q' -e 's/^ *"\(kernel\|stream\|started\|cycles\)": "*\([a-z0-9]*\)"*,*$/\1 \2/p' gsim-trace.json |
	awk '$1 == "kernel" { k = $2 } $1 == "stream" { s = $2 } $1 == "started" { t = $2 } $1 == "cycles" { print k, s, t, t + $2 }' | sort -n -k 3 >gsim-trace.want
./gsim-trace --csv --events block_start,block_end gsim-trace.tmp | awk -F, '
	$8 == "block_start" && !($1 in first) { first[$1] = $14; what[$1] = $2 " " $13; n++ }
	$8 == "block_end" { last[$1] = $14 }
	END { for (k = 0; k < n; k++) print what[k], first[k], last[k] }' >gsim-trace.out
paste -d ' ' gsim-trace.want gsim-trace.out | awk '
	{ n++; if ($1 != $5 || $2 != $6 || $3 != $7 || $8 >= $4 || $8 < $4 - 1000) wrong = 1; from[n] = $7; to[n] = $8 }
	END { exit wrong || n != 4 || to[1] >= from[2] || to[2] >= from[3] || from[4] >= to[3] }' ||
	{ paste -d ' ' gsim-trace.want gsim-trace.out; fail "two streams are not on one time line"; }
./gsim-trace --perfetto gsim-trace.tmp | sed -n 's/.*"ph":"X".*"pid":\([0-9]*\),"tid":\([0-9]*\),"ts":\([0-9]*\),"dur":\([0-9]*\).*/\1 \2 \3 \4/p' | sort -n -k 1,1 -k 2,2 -k 3,3 |
	awk '$1 " " $2 == track && $3 < end { exit 1 } { track = $1 " " $2; end = $3 + $4 }' || fail "--perfetto: slices of one track overlap"

# Some cycles only: by the index as, through a pipe, without.
for form in text csv perfetto summary; do
	for some in '--cycles 17000:17010' '--cycles :9 --kernel chase' '--cycles 16000: --launch 3' '--launch 2 --cycles 900000:'; do
		./gsim-trace --$form $some gsim-trace.tmp >gsim-trace.out || fail "--$form $some: exit status $?"
		cat gsim-trace.tmp | ./gsim-trace --$form $some /dev/stdin | cmp - gsim-trace.out || fail "--$form $some differs by the index"
	done
done
rm -f gsim-trace.out gsim-trace.want gsim-trace.cut gsim-trace.tmp gsim-trace.json
exit $failed
