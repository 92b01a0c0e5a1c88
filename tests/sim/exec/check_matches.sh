#!/bin/sh
# How long a match takes grows with the values that its lanes have, up to match.most_values; results are later by what the
# machine says (units.*.latency, match.all_cycles, redux.add_cycles), and as late for lanes that come at other times.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-matches.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
cp "$srcdir/tests/sim/exec/matches.ir" "$tmp"
cat >"$tmp/matches.lua" <<'END'
local each, most = 7, 8
local out = gpu.buffer("u64", 32)
gpu.compare(out, { how = "ignore" })
local ANY, ALL, MIN, ADD = 0, 1, 2, 3
-- of lane 31, which comes last; the second of two launches, whose code has come
local function cycles(what, values, apart)
	for k = 1, 2 do gpu.launch { kernel = "together", grid = 1, block = 32, args = { out, what, values, apart } } end
	return out:get(31)
end
for apart = 0, tonumber(gpu.args[1]) do
	for _, what in ipairs { ANY, ALL } do
		local one = cycles(what, 1, apart)
		for values = 2, 32 do
			local has, want = cycles(what, values, apart), one + (math.min(values, most) - 1) * each
			gpu.check(has == want, ("match %d of %d values, apart %d: %d cycles, not %d"):format(what, values, apart, has, want))
		end
	end
	for what = ANY, ADD do print(what, apart, cycles(what, 1, apart)) end
end
END
# cycles_with MATCH REDUX ALL ADD: cycles of each operation with these latencies
cycles_with() {
	"$gsim" -q --laws -c $machine.lua -m $model -D sm.count=1 -D match.value_cycles=7 -D match.most_values=8 -D match.all_cycles=$3 \
		-D redux.add_cycles=$4 -D units.match.latency=$1 -D units.redux.latency=$2 "$tmp/matches.ir" -- $apart ||
		{ echo "FAILED: $machine, $model, match $1, redux $2"; failed=1; }
}
for model in ipdom its dws mimd spec_reconv; do
	case $model in ipdom) apart=0 ;; *) apart=1 ;; esac
	for machine in volta kepler; do
		cycles_with 34 18 5 9 >"$tmp/base" 2>&1
		cycles_with 134 218 35 59 >"$tmp/slow" 2>&1
		paste "$tmp/base" "$tmp/slow" | awk -v name="$machine, $model" '
			BEGIN { more[0] = 100; more[1] = 130; more[2] = 200; more[3] = 250 }
			$1 != $4 || $6 - $3 != more[$1] { print "FAILED: " name ": " $0 ": not " more[$1] " more"; bad = 1 }
			END { exit bad || NR < 4 }' || { cat "$tmp/base"; failed=1; }
	done
done
exit $failed
