#!/bin/sh
# gsim-tune: what was measured on turing.lua, given another machine to begin with, comes to a machine that measures the same within a
# tenth or one unit; each figure sets the parameter that its chain waits for; the nearest machine to a shipped one's figures is that one; bad CSV is refused with its place.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
GSIM_BUILD=$(pwd)
export GSIM_BUILD
tune="$srcdir/tools/gsim-tune"
tmp=${TMPDIR:-/tmp}/gsim-tune.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$srcdir/tests/part.sh"
top=$srcdir
. "$srcdir/tools/programs"
failed=0

fail() {
	echo "FAILED: $1"
	failed=1
}

# refused LINE:COLUMN TEXT CSV: the message names the place, and nothing is written
refused() {
	printf '%b' "$3" >"$tmp/bad.csv"
	"$tune" --rounds 0 "$tmp/bad.csv" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status = 2 ] || fail "'$3': status $status, not 2"
	grep -q "^$tmp/bad.csv:$1: error: $2" "$tmp/err" || { fail "'$3': expected $1 $2"; cat "$tmp/err"; }
	[ ! -s "$tmp/out" ] || fail "'$3': something is written"
}
refused 1:1 "the header has no column 'figure'" 'a,b\n'
refused 1:1 "the header has no column 'value'" 'figure,unit\nlatency/add.u32,cycles\n'
refused 3:17 "'four' is no figure" 'figure,value\nlatency/and.b32,4\nlatency/add.u32,four\n'
refused 2:17 "latency/add.u32 is -4, expected a number above 0" 'figure,value\nlatency/add.u32,-4\n'
refused 2:17 "'nan' is no figure" 'figure,value\nlatency/add.u32,nan\n'
refused 2:17 "2 fields, expected 3" 'figure,value,unit\nlatency/add.u32,4\n'
refused 2:1 "a quoted field has no end" 'figure,value\n"latency/add.u32,4\n'
refused 2:18 "text behind a quoted field" 'figure,value\n"latency/add.u32"x,4\n'
refused 2:1 "there is no name" 'figure,value\n,4\n'
refused 2:19 "latency/add.u32 is in 'ns'" 'figure,value,unit\nlatency/add.u32,4,ns\n'
refused 2:17 "latency/add.u32 is 0" 'figure,value\nlatency/add.u32,0\n'
refused 1:1 "figures of 2 chips" 'chip,figure,value\nA,latency/add.u32,4\nB,latency/add.u32,5\n'
refused 1:1 "no figure that speaks of a parameter" 'figure,value\nsong/length,4\n'
refused 1:1 "no figures" 'figure,value\n'
refused 1:1 "the header has no column 'figure'" ''
refused 1:14 "the header has the column 'figure' twice" 'figure,value,figure\nlatency/add.u32,4,latency/add.u32\n'
refused 2:17 "'0x10' is no figure" 'figure,value\nlatency/add.u32,0x10\n'
refused 2:17 "'1e999' is no figure" 'figure,value\nlatency/add.u32,1e999\n'
refused 2:1 "the stand-in of the driver measures nothing" 'chip,figure,value\n"Stand-in, 1 GPU",latency/add.u32,1\n'

# out of a parameter's range, or of what a unit can give: refused, with the place and what was expected
outside() {
	printf 'figure,value\n%s,%s\n' "$1" "$2" >"$tmp/bad.csv"
	"$tune" --rounds 0 --base volta.lua "$tmp/bad.csv" >"$tmp/out" 2>"$tmp/err"
	[ $? = 2 ] && grep -q "^$tmp/bad.csv:2:$((${#1} + 2)): error: $1 is .*, expected [0-9.]* to [0-9]*" "$tmp/err" && [ ! -s "$tmp/out" ] || { fail "$1 = $2"; cat "$tmp/err"; }
}
outside latency/add.u32 1e308
outside latency/add.u32 0.3
outside latency/add.u32 1e6
outside latency/fma.f32 0.3
outside latency/and.b32 0.3
outside 'predicate/to guard' 0.3
outside rate/shl.b32 1e308
outside rate/shl.b32 1e-9
outside fence/membar.sys\ \(nothing\ outstanding\) -5

# what is legal but odd is told, in the file, too; what cannot follow from one figure alone is no figure of the source
printf 'chip,figure,value,seen\nX,latency/add.u32,4000,P\nX,latency/redux.min,20,P\nX,latency/redux.add,3,P\nX,rate/shl.b32,300,P\n' >"$tmp/odd.csv"
"$tune" --rounds 0 --base volta.lua -o "$tmp/odd.lua" "$tmp/odd.csv" 2>"$tmp/err" || { fail "odd figures"; cat "$tmp/err"; }
for warning in '2:19: warning: latency/add.u32 is 4000, 1000 times' '4:21: warning: latency/redux.add is 3, by which redux.add_cycles would be -17; it is 0' \
	'5:16: warning: rate/shl.b32 is 300 results a cycle; it is 128'; do
	grep -q -F "$tmp/odd.csv:$warning" "$tmp/err" || { fail "no warning $warning"; cat "$tmp/err"; }
done
gsim --list figures -c "$tmp/odd.lua" >"$tmp/out"
for want in '^units.alu.latency  *4000 P .*odd.lua:.*odd: 1000 times' '^redux.add_cycles  *0 assumption .*would follow' '^units.shift.interval  *1 assumption .*would follow'; do
	grep -q "$want" "$tmp/out" || { fail "no $want"; cat "$tmp/odd.lua"; }
done

# the mark is that of the row; where the row has none that there is, nobody knows; of several rows the weakest counts
printf 'chip,figure,value,seen\nX,latency/add.u32,4,P\nX,latency/fma.f32,5,S\nX,latency/shl.b32,6,Q\nX,latency/and.b32,7,\nX,latency/ex2.approx.f32,18,P\nX,latency/ex2.approx.f32,20,S\n' >"$tmp/seen.csv"
"$tune" --rounds 0 --base volta.lua -o "$tmp/seen.lua" "$tmp/seen.csv" 2>"$tmp/err" || { fail "marks"; cat "$tmp/err"; }
gsim --list figures -c "$tmp/seen.lua" | grep 'seen.lua' | sed 's/  */ /; s/ [^ ]*seen.lua:[0-9]*:/:/' >"$tmp/out"
while read -r want; do
	grep -q -F "$want" "$tmp/out" || { fail "no $want"; cat "$tmp/out"; }
done <<END
units.alu.latency 4 P: [T] (P) X, line 2: latency/add.u32, 4 measured
units.fp32.fma_latency 5 S: [T] (S) X, line 3: latency/fma.f32, 5 measured
units.shift.latency 6 assumption: assumption: X, [T] does not say how it was seen, line 4: latency/shl.b32, 6 measured
units.logic.latency 7 assumption: assumption: X, [T] does not say how it was seen, line 5: latency/and.b32, 7 measured
units.sfu.latency 19 S: [T] (S) X, line 6, 7: latency/ex2.approx.f32, 19 measured
END
grep -q "^-- \[T\] is seen.csv, whose lines are named\.$" "$tmp/seen.lua" || fail "[T] is not explained"

# random texts
"$lua" "$srcdir/tests/tools/fuzz_tune.lua" "$srcdir" || failed=1

# usage
for wrong in '' '--nothing x.csv' '--base' 'a.csv b.csv' '--rounds x a.csv' '--rounds 1 --rounds 2 a.csv'; do
	# shellcheck disable=SC2086
	"$tune" $wrong >"$tmp/out" 2>"$tmp/err"
	[ $? = 2 ] && grep -q "^error: .*; see gsim-tune --help" "$tmp/err" || fail "gsim-tune $wrong is not refused"
done
"$tune" "$tmp/none.csv" 2>"$tmp/err" && fail "a CSV that is not there is read"
grep -q "cannot read" "$tmp/err" || fail "the CSV that is not there is not named"
"$tune" --help | grep -q "usage: gsim-tune" || fail "--help"
"$tune" --help | grep "tools/" && fail "--help names tools that an installation does not have"
"$tune" --base none.lua "$srcdir/doc/measured/published.csv" --chip GK104 >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q "cannot find the machine file 'none.lua'" "$tmp/err" || { fail "--base that is not there"; cat "$tmp/err"; }
grep "tools/" "$tmp/err" && fail "a message names tools that an installation does not have"
[ ! -x ./gsim-tune ] || ( unset GSIM_BUILD; cd "$tmp" && "$OLDPWD/gsim-tune" --rounds 0 --base volta.lua "$tmp/odd.csv" >"$tmp/out" 2>"$tmp/err" ) || { fail "gsim-tune in the folder of the build"; cat "$tmp/err"; }

# a figure that sets no parameter may be anything, as a difference below 0
printf 'figure,value\nlatency/add.u32,4\nfence/membar.cta,-0.5\n' >"$tmp/below.csv"
"$tune" --rounds 0 --base volta.lua "$tmp/below.csv" >"$tmp/out" 2>"$tmp/err" || { fail "a difference below 0"; cat "$tmp/err"; }

# what one of two chips has measured; a file is not written over
printf 'chip,figure,value,unit,seen\nA,latency/add.u32,4,cycles,P\nB,latency/add.u32,7,cycles,S\n' >"$tmp/two.csv"
"$tune" --rounds 0 --base volta.lua --chip B -o "$tmp/b.lua" "$tmp/two.csv" 2>"$tmp/err" || fail "one of two chips"
grep -q 'latency = 7, *-- \[T\] (S) B, line 3: latency/add.u32, 7 cycles$' "$tmp/b.lua" || { fail "the figure is not set"; cat "$tmp/b.lua"; }
"$tune" --rounds 0 --base volta.lua --chip B -o "$tmp/b.lua" "$tmp/two.csv" 2>"$tmp/err" && fail "a file is written over"

# measure MACHINE: the figures on it, as CSV
measure() {
	echo "machine,figure,value,unit,seen"
	for kind in latency/ rate/ barrier/ loop/turn predicate/ fence/; do
		gsim -q -c "$1" "$tmp/microbench.ptx" -- $kind quick
	done | sed 's/^\(.*\),\([^,]*\),\([^,]*\)$/"'"${1##*/}"'","\1",\3,\2,P/'
}
cd "$tmp" && "$lua" - "$srcdir" <<'END' || exit 1
local bench = dofile(arg[1] .. "/tools/microbench.lua")
for name, text in pairs { ["microbench.ptx"] = bench.module, ["microbench.lua"] = bench.workload } do
	local f = assert(io.open(name, "w"))
	f:write(text)
	f:close()
end
END
measure turing.lua >turing.csv
[ "$(wc -l <turing.csv)" -gt 80 ] || fail "turing.lua measures $(wc -l <turing.csv) figures"

"$tune" --rounds 0 -o self.lua turing.csv 2>err || { fail "the figures of turing.lua are refused"; cat err; }
grep -q 'derive("turing.lua"' self.lua || { fail "nearest to turing.lua is another machine"; cat err; }
sed 's/^[^,]*,/,/; 1s/^,/machine,/' turing.csv >unnamed.csv
"$tune" --rounds 0 -o unnamed.lua unnamed.csv 2>err && grep -q 'derive("turing.lua"' unnamed.lua || { fail "nearest to turing.lua, unnamed, is another machine"; cat err; }
# the generation that the CSV names comes first, however near others are
sed 's/^"turing.lua"/"ampere"/' turing.csv >ampere.csv
"$tune" --rounds 0 -o generation.lua ampere.csv 2>err && grep -q 'derive("ampere.lua"' generation.lua || { fail "nearest is of another generation than the CSV names"; cat err; }
sed 's/^"turing.lua"/cc8.9/' turing.csv >cc.csv
"$tune" --rounds 0 -o cc.lua cc.csv 2>err && grep -q 'derive("ada.lua"' cc.lua || { fail "nearest is of another compute capability than the CSV names"; cat err; }

sed 's/^"turing.lua"/cc8.7/' turing.csv >cc.csv
"$tune" --rounds 0 -o cc87.lua cc.csv 2>err && grep -q 'derive("a[a-z]*.lua"' cc87.lua || { fail "nearest is of another first figure of the compute capability than the CSV names"; cat err; }

# tuned BASE CSV [OPTION]...: the machine in made.lua, its figures in figures.txt, what was said in err
tuned() {
	rm -f made.lua
	base=$1 csv=$2
	shift 2
	timeout 60 "$tune" --base "$base" -o made.lua "$@" "$csv" 2>err || { fail "gsim-tune from $base"; cat err; }
	gsim --list figures -c made.lua | grep 'made.lua:' >figures.txt
}

# a figure sets the latency that its chain waits for, which differs by who reads
printf 'figure,value,seen\nlatency/fma.f32,6,P\nlatency/mad.lo.u32,7,P\nlatency/add.u32,6,P\npredicate/to guard,20,P\n' >readers.csv
tuned ampere.lua readers.csv
for want in 'fp32.fma_latency  *6' 'imul.fma_latency  *7' 'alu.latency  *6' 'compare.guard_latency  *20'; do
	grep -q "^units.$want P " figures.txt || { fail "from ampere.lua, no $want"; cat figures.txt; }
done
grep -q '^units.\(fp32\|imul\).latency' figures.txt && { fail "a latency is set that the figure's chain does not wait for"; cat figures.txt; }
grep -q '^within a tenth or one unit: 4 of 4 figures' err || { fail "from ampere.lua, readers"; cat err; }
awk 'length > 100 && /^ / { exit 1 }' err || fail "lines of more than 100 columns on standard error"
grep -q '^  units: alu.count, ' err || { fail "standard error does not name what is not known"; cat err; }

# so on a base on which every unit has a latency of its own to every reader
"$lua" - "$srcdir" >unlike.lua <<'END'
local keys, units = dofile(arg[1] .. "/tools/machine-keys.lua"), {}
for _, entry in ipairs(keys.list) do
	local unit = entry.key:match("^units%.([%w_]+)%.latency$")
	if unit then units[#units + 1] = ("%s = { latency = 20, fma_latency = 30, guard_latency = 40, decoupled_latency = 50 }"):format(unit) end
end
print('return derive("ampere.lua", { units = { ' .. table.concat(units, ", ") .. " } })")
END
# those that are left out are a unit's latency and that of an operation of another unit
chains='add.u32 mad.lo.u32 fma.f32 fma.f64 ex2.approx.f32 and.b32 shl.b32 min.u32 bfe.u32 brev.b32 popc.b32 sad.u32 shfl.idx redux.min rcp.approx.f32
	sqrt.approx.f32 div.rn.f32 rcp.rn.f32 div.rn.f64 rcp.rn.f64 sqrt.rn.f64'
echo figure,value,seen >unlike.csv
for chain in $chains; do echo "latency/$chain,70,P" >>unlike.csv; done
tuned unlike.lua unlike.csv --rounds 0
gsim -q -c made.lua microbench.ptx -- latency/ quick >unlike.txt
for chain in $chains; do
	grep -q "^latency/$chain,[^,]*,70$" unlike.txt || { fail "latency/$chain sets another parameter than its chain waits for"; grep "^latency/$chain," unlike.txt; }
done

# a class that gets a latency of its own keeps what its unit has for readers that wait longer
printf 'figure,value\nlatency/min.u32,6\n' >class.csv
tuned ampere.lua class.csv --rounds 0
grep -q '^units.compare.guard_latency  *13 assumption ' figures.txt || { fail "a comparison's latency changes that to a guard"; cat figures.txt; }

# where loads of global data do not come from L1, its latency cannot be told by them: no correction stays, nor a mark
printf 'figure,value,seen\nlatency/ld.global L1,50,P\n' >l1.csv
tuned kepler.lua l1.csv
grep -q '^l1.latency  *50 assumption .*comes to' figures.txt || { fail "a correction without effect stays, or has a mark"; cat made.lua; }
grep -q 'l1.csv:2:22: warning: .*brings it no nearer' err || { fail "a figure that cannot be met is not told"; cat err; }

# The law: within a tenth or one unit, from a machine of another generation.
# fewer copies of a unit: no class that shares them keeps more
printf 'figure,value\nrate/fma.f32,128\n' >rate.csv
for base in ada hopper fermi; do
	"$tune" --base $base.lua --rounds 0 -o $base-rate.lua rate.csv 2>err && gsim --print-config -c $base-rate.lua >/dev/null 2>err || { fail "gsim-tune from $base.lua, one rate"; cat err; }
done
"$tune" --base maxwell.lua -o tuned.lua turing.csv 2>err || { fail "gsim-tune from maxwell.lua"; cat err; }
gsim --print-config -c tuned.lua >/dev/null || fail "the machine does not load"
gsim --list configs >configs.txt
gsim --list figures -c tuned.lua >figures.txt
grep -q ' P [^ ]*tuned.lua:' figures.txt || fail "the figures that were set have no source"
measure tuned.lua >tuned.csv
"$lua" - "$srcdir" turing.csv tuned.csv <<'END' || failed=1
local tool, keys = dofile(arg[1] .. "/tools/experiment.lua"), dofile(arg[1] .. "/tools/machine-keys.lua")
local theirs, count, bad = {}, 0, 0
for _, r in ipairs(tool.rows(arg[2])) do theirs[r.figure] = tonumber(r.value) end
for _, r in ipairs(tool.rows(arg[3])) do
	local want, got = theirs[r.figure], tonumber(r.value)
	if keys.of[r.figure] and want then
		count = count + 1
		if math.abs(got - want) > math.max(0.1 * want, 1) then
			bad = bad + 1
			print(("FAILED: %s: %g, not %g"):format(r.figure, got, want))
		end
	end
end
if count < 40 then print("FAILED: only " .. count .. " figures are compared") end
os.exit(bad == 0 and count >= 40 and 0 or 1)
END
exit $failed
