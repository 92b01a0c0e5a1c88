#!/bin/sh
# How long a match takes grows with the values that its lanes have, up to match.most_values; a redux.add takes redux.add_cycles more
# than the others; and results are as late for lanes that come at other times.
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
local each, most, all, add = 7, 8, 5, 9
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
	local first = { [0] = 34, 34 + all, 18, 18 + add }
	for what = ANY, ADD do
		local has = cycles(what, 1, apart)
		gpu.check(has > first[what] and has <= first[what] + 160, ("operation %d, apart %d: %d cycles, the result takes %d"):format(what, apart, has, first[what]))
	end
end
END
for model in ipdom its dws mimd spec_reconv; do
	case $model in ipdom) apart=0 ;; *) apart=1 ;; esac
	for machine in volta kepler; do
		"$gsim" -q --laws -c $machine.lua -m $model -D sm.count=1 -D match.value_cycles=7 -D match.most_values=8 -D match.all_cycles=5 -D redux.add_cycles=9 \
			-D units.match.latency=34 -D units.redux.latency=18 "$tmp/matches.ir" -- $apart >"$tmp/out" 2>&1 ||
			{ echo "FAILED: $machine, $model: $(head -n 1 "$tmp/out")"; failed=1; }
	done
done
exit $failed
