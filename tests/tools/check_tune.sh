#!/bin/sh
# gsim-tune: what was measured on turing.lua, given another machine to begin with, comes to a machine that measures the same within a
# tenth or one unit; the nearest machine to a shipped one's figures is that one; bad CSV is refused with its place.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
GSIM_BUILD=$(pwd)
export GSIM_BUILD
tune="$srcdir/tools/gsim-tune"
tmp=${TMPDIR:-/tmp}/gsim-tune.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$srcdir/tests/part.sh"
failed=0

fail() {
	echo "FAILED: $1"
	failed=1
}

# refused LINE:COLUMN TEXT CSV: the message names the place, and nothing is written
refused() {
	printf '%b' "$3" >"$tmp/bad.csv"
	"$tune" -r 0 "$tmp/bad.csv" >"$tmp/out" 2>"$tmp/err"
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

# usage
for wrong in '' '--nothing x.csv' '-b' 'a.csv b.csv' '-r x a.csv' '-r 1 -r 2 a.csv'; do
	# shellcheck disable=SC2086
	"$tune" $wrong >"$tmp/out" 2>"$tmp/err"
	[ $? = 2 ] && grep -q "^error: .*; see gsim-tune --help" "$tmp/err" || fail "gsim-tune $wrong is not refused"
done
"$tune" "$tmp/none.csv" 2>"$tmp/err" && fail "a CSV that is not there is read"
grep -q "cannot read" "$tmp/err" || fail "the CSV that is not there is not named"
"$tune" --help | grep -q "usage: gsim-tune" || fail "--help"

# a figure that sets no parameter may be anything, as a difference below 0
printf 'figure,value\nlatency/add.u32,4\nfence/membar.cta,-0.5\n' >"$tmp/below.csv"
"$tune" -r 0 -b volta.lua "$tmp/below.csv" >"$tmp/out" 2>"$tmp/err" || { fail "a difference below 0"; cat "$tmp/err"; }

# what one of two chips has measured; a file is not written over
printf 'chip,figure,value,unit,seen\nA,latency/add.u32,4,cycles,P\nB,latency/add.u32,7,cycles,S\n' >"$tmp/two.csv"
"$tune" -r 0 -b volta.lua -c B -o "$tmp/b.lua" "$tmp/two.csv" 2>"$tmp/err" || fail "one of two chips"
grep -q 'latency = 7, *-- (S) latency/add.u32: 7 cycles$' "$tmp/b.lua" || { fail "the figure is not set"; cat "$tmp/b.lua"; }
"$tune" -r 0 -b volta.lua -c B -o "$tmp/b.lua" "$tmp/two.csv" 2>"$tmp/err" && fail "a file is written over"

# measure MACHINE: the figures on it, as CSV
measure() {
	echo "machine,figure,value,unit"
	for kind in latency/ rate/ barrier/ loop/turn predicate/ fence/; do
		gsim -q -c "$1" "$tmp/microbench.ptx" -- $kind quick
	done | sed 's/^\(.*\),\([^,]*\),\([^,]*\)$/"'"${1##*/}"'","\1",\3,\2/'
}
top=$srcdir
. "$srcdir/tools/programs"
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

"$tune" -r 0 -o self.lua turing.csv 2>err || { fail "the figures of turing.lua are refused"; cat err; }
grep -q 'derive("t[a-z]*_*[a-z]*.lua"' self.lua || { fail "nearest to turing.lua is another generation"; cat err; }

# The law: within a tenth or one unit, from a machine of another generation.
# fewer copies of a unit: no class that shares them keeps more
printf 'figure,value\nrate/fma.f32,128\n' >rate.csv
for base in ada hopper fermi; do
	"$tune" -b $base.lua -r 0 -o $base-rate.lua rate.csv 2>err && gsim --print-config -c $base-rate.lua >/dev/null 2>err || { fail "gsim-tune from $base.lua, one rate"; cat err; }
done
"$tune" -b maxwell.lua -o tuned.lua turing.csv 2>err || { fail "gsim-tune from maxwell.lua"; cat err; }
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
