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
expect 0 "" $gsim -c mine.lua --sensitivity=dram,l1.mshrs -s c.csv short_circuit.ir
[ "$(sed 1,2d c.csv | cut -d. -f1 | sort -u | tr '\n' ' ')" = "dram l1 " ] || fail "--sensitivity=dram,l1.mshrs varies something else"
grep -q '^dram.row_miss,20,40,' c.csv || fail "a group has not all its parameters"
# before and after passes; a verdict that turns: what costs cycles in one side alone
expect 0 "^before takes .* cycles .* after" $gsim -c kepler.lua -D sm.count=1 -b -p linearize --sensitivity=fetch.redirect_cycles short_circuit.ir
turned=$(sed -n 's/.*this holds for \([0-9]*\) of \([0-9]*\) variations.*/\1 \2/p' out)
rows=$(awk '$1 == "fetch.redirect_cycles" { n++; if (/the order turns/) turns++ } END { print n - turns, n }' out)
[ "$turned" = "$rows" ] || fail "the verdict says $turned, and the rows $rows"
# what is wrong
expect 2 "expected --config FILE" $gsim --sensitivity short_circuit.ir
expect 2 "there is no parameter or group 'dramm'" $gsim --sensitivity=dramm short_circuit.ir
expect 2 "goes with --model, --passes" $gsim --sensitivity=dram --grid short_circuit.ir
expect 2 "given more than once" $gsim --sensitivity=dram -m ipdom -m its -m token short_circuit.ir
expect 2 "nothing can be varied" $gsim -c mine.lua --sensitivity=barrier.latency short_circuit.ir
printf 'gpu.check(false, "never right")\n' >wrong.lua
expect 1 "never right" $gsim -c mine.lua --sensitivity -w wrong.lua short_circuit.ir
[ $failed = 0 ] && echo "gsim --sensitivity: all as expected"
exit $failed
