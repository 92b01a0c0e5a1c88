#!/bin/sh
# gsim --sensitivity: each row is what gsim measures with that parameter; processes change nothing; the verdict counts.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
gsim=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)/gsim
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-sensitivity.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/kernels/short_circuit/short_circuit.* "$tmp" && chmod u+w "$tmp"/*
cd "$tmp" || exit 1
failed=0
fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}
expect() {
	want=$1 text=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" out err || fail "$*: no '$text'"
}
cat >mine.lua <<'END'
return derive("teaching.lua", {
	dram = { latency = 100, -- assumption
		row_miss = 20, -- (P) a paper
	},
	barrier = { latency = 0, -- assumption
	},
	scheduler = { policy = "gto", -- assumption
	},
})
END
run="$gsim -c mine.lua -m ipdom -m its"
expect 0 "^ipdom takes .* cycles .* its ([0-9]* and [0-9]*): this holds for [0-9]* of [0-9]* variations" $run --sensitivity -s a.csv -s a.json short_circuit.ir
cp out one.txt
grep -q '[1-9][0-9]* parameters are 0, of which there is no half' out || fail "a parameter that is 0 is not named"
cut -d, -f1 a.csv | sort -u | tr '\n' ' ' >names
grep -q 'dram.latency ' names && grep -q 'scheduler.policy' names || fail "assumptions are missing: $(cat names)"
! grep -q 'dram.row_miss' names || fail "a figure with a source is varied"
[ "$(grep -c '^dram.latency,100,\(50\|200\),ok,' a.csv)" = 2 ] || fail "dram.latency is not halved and doubled"
# each row is a run of gsim, for both sides
while IFS=, read -r name from to status one two; do
	[ "$status" = ok ] || continue
	for side in ipdom its; do
		want=$one
		[ $side = ipdom ] || want=$two
		$gsim -q -c mine.lua -m $side ${to:+-D $name=$to} -s run.json short_circuit.ir 2>err
		grep -q "^    \"cycles\": $want,\$" run.json || fail "$name=$to: $side does not take $want cycles"
	done
done <<END
$(sed 1d a.csv | awk 'NR % 4 == 1')
END
expect 0 "" $run --sensitivity -j 3 -s b.csv short_circuit.ir
cmp -s out one.txt && cmp -s a.csv b.csv || fail "with 3 processes, the report is another"
# parameters and groups by name
expect 0 "" $gsim -c mine.lua --sensitivity=dram,l1.latency -s c.csv short_circuit.ir
[ "$(sed 1,2d c.csv | cut -d. -f1 | sort -u | tr '\n' ' ')" = "dram l1 " ] || fail "--sensitivity=dram,l1.latency varies something else"
grep -q '^dram.row_miss,20,40,' c.csv || fail "a group has not all its parameters"
# what has no effect on this machine, which has no L1, is left out
expect 2 "nothing can be varied: the parameters are 0 or have no effect here" $gsim -c mine.lua --sensitivity=l1.mshrs short_circuit.ir
# before and after passes; a verdict that turns: what costs cycles in one side alone
expect 0 "^before takes .* cycles .* after" $gsim -c kepler.lua -D sm.count=1 -b -p linearize --sensitivity=fetch.redirect_cycles short_circuit.ir
turned=$(sed -n 's/.*this holds for \([0-9]*\) of \([0-9]*\) variations.*/\1 \2/p' out)
rows=$(awk '$1 == "fetch.redirect_cycles" { n++; if (/the order turns/) turns++ } END { print n - turns, n }' out)
[ "$turned" = "$rows" ] || fail "the verdict says $turned, and the rows $rows"
# two modules that differ, or of which nothing can be compared, or that do not fit: nothing holds
small() {
	printf 'global u32 %s\nkernel %s() {\n\tst.global.u32 [%s], %s\n\texit\n}\n' "$1" "$2" "$1" "$3"
	printf 'host main() {\n\tlaunch %s, (1,1,1), (32,1,1), 0, ()\n\texit\n}\n' "$2"
}
small res k 3 >three.ir
small res k 4 >four.ir
small other k 3 >other.ir
small res k 3 | sed '/^host/,$d' >bare.ir
small res kk 3 | sed '/^host/,$d' >bare_kk.ir
echo 'gpu.launch { kernel = "k", grid = 1, block = 32, args = {} }' >bare.lua
vary="$gsim -c mine.lua --sensitivity=dram.latency -s d.csv -s d.json"
expect 1 "^RESULTS DIFFER: three.ir or four.ir is wrong, " $vary -b three.ir four.ir
grep -q "^error: res .* is 3 by three.ir, 4 by four.ir" err || fail "what differs is not named"
! grep -q "holds for" out || fail "an answer holds though results differ"
grep -q '^  "results": "differ",$' d.json && grep -q '^dram.latency,100,50,not run,,$' d.csv || fail "the files do not say that results differ"
expect 0 "; results are unknown, .*; the order is the same in 2 of 2 variations$" $vary -b three.ir other.ir
! grep -q "holds for" out || fail "an answer holds though nothing was compared"
expect 0 "takes as many cycles as .*: this holds for 2 of 2 variations$" $vary -b three.ir three.ir
expect 2 "error: the workload launches kernel 'k', which bare_kk.ir does not have: it has kk$" $vary -w bare.lua -b bare.ir bare_kk.ir
# an interrupt ends all processes, and what was not run is not called failed
cat >long.ir <<'END'
global u32 res
kernel k() {
A:	%i = mov.u32 0
	bra B
B:	%i = add.u32 %i, 1
	%c = setp.lt.u32 %i, 200000
	bra %c, B, C
C:	st.global.u32 [res], %i
	exit
}
host main() {
	launch k, (1,1,1), (32,1,1), 0, ()
	exit
}
END
for j in 1 2; do
	rm -f i.csv
	$gsim --verbose -c mine.lua --sensitivity=dram,l1,l2,fetch -s i.csv -j $j long.ir >out 2>err &
	pid=$!
	for wait in $(seq 600); do # two have been measured, beside the machine as it is
		[ "$(grep -c 'status 0$' err)" -lt 3 ] || break
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid
	[ $? = 143 ] || fail "-j $j: SIGTERM is not how it ended"
	measured=$(sed -n '1s/^INTERRUPTED: \([0-9]*\) of [0-9]* variations measured$/\1/p' out)
	[ -n "$measured" ] && [ "$(sed 1,2d i.csv | grep -c ',ok,')" = "$measured" ] || fail "-j $j: the interrupt is not said, or counts are others than rows"
	grep -q ',not run,$' i.csv && ! grep -q ',failed,' i.csv || fail "-j $j: what was not run has another status"
done
# what is wrong
expect 2 "expected --config FILE" $gsim --sensitivity short_circuit.ir
expect 2 "there is no parameter or group 'dramm'" $gsim --sensitivity=dramm short_circuit.ir
expect 2 "goes with --model, --passes" $gsim --sensitivity=dram --grid short_circuit.ir
expect 2 "given more than twice" $gsim --sensitivity=dram -m ipdom -m its -m token short_circuit.ir
expect 2 "nothing can be varied" $gsim -c mine.lua --sensitivity=barrier.latency short_circuit.ir
printf 'gpu.check(false, "never right")\n' >wrong.lua
expect 1 "never right" $gsim -c mine.lua --sensitivity -w wrong.lua short_circuit.ir
[ $failed = 0 ] && echo "gsim --sensitivity: all as expected"
exit $failed
