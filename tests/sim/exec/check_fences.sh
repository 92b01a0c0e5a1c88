#!/bin/sh
# A fence is never cheaper than what it orders, nor one of a wider scope than one of a narrower scope, on any
# machine; nothing that it waits for depends on where windows end, and no mechanism's results on fences.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-fences.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}
cp "$srcdir/tests/sim/exec/fences.ir" "$tmp"

# what a machine file says of a key
value() { "$gsim" -c "$machine" --print-config | sed -n "/^	${1%%.*} = {/,/^	}/s/^		${1#*.} = \([0-9]*\),.*/\1/p"; }

cat >"$tmp/laws.lua" <<'END'
local trip, gpu_cycles, sys_cycles, cta_cycles = tonumber(gpu.args[1]), tonumber(gpu.args[2]), tonumber(gpu.args[3]), tonumber(gpu.args[4])
local out, g = gpu.buffer("u64", 1), gpu.buffer("u32", 65536)
gpu.compare(out, { how = "ignore" })
-- the third of three equal turns: its code and data have come
local function cycles(what, n, scope, lanes)
	gpu.launch { kernel = "ordered", grid = 1, block = lanes or 1, args = { out, g, what, n, scope } }
	return out:get(0)
end
local NAME = { [0] = "nothing", "stores", "a red", "a load past L1", "a load" }
for what = 0, 4 do
	for _, n in ipairs(what == 1 and { 1, 2, 4, 8, 16 } or { 1 }) do
		local c = {}
		for scope = 0, 3 do c[scope] = cycles(what, n, scope) end
		local of = ("%s (%d lines): none %d, cta %d, gpu %d, sys %d"):format(NAME[what], n, c[0], c[1], c[2], c[3])
		-- the three fences stand in a row, under guards: behind one of them two others or fewer are still to issue
		gpu.check(c[0] <= c[1] and c[1] <= c[2] + 2 and c[2] <= c[3] + 2, "a fence of a wider scope is cheaper: " .. of)
		gpu.check(what == 0 or what == 4 or c[2] >= trip + gpu_cycles, "a fence is over before L2 has answered: " .. of)
		gpu.check(what == 0 or what == 4 or c[3] >= trip + sys_cycles, "a fence is over before L2 has answered: " .. of)
		gpu.check(what ~= 0 or (c[2] <= c[0] + math.max(gpu_cycles, cta_cycles) and c[3] <= c[0] + math.max(sys_cycles, gpu_cycles, cta_cycles)),
			"a fence with nothing to wait for takes longer than its cycles: " .. of)
		gpu.check(c[1] <= c[0] + cta_cycles + 2 * n, "a fence of the block waits for L2: " .. of)
	end
end
local last = 0
for _, n in ipairs { 1, 2, 4, 8, 16, 32, 64, 128 } do
	local now = cycles(1, n, 2)
	gpu.check(now >= last, ("a fence behind %d stores takes %d cycles, behind fewer %d"):format(n, now, last))
	last = now
end
gpu.check(cycles(2, 1, 2, 32) >= cycles(2, 1, 2, 1), "a fence behind a red of 32 lanes is cheaper than behind one of one")
END
mv "$tmp/laws.lua" "$tmp/fences.lua"
for machine in "$srcdir"/configs/*.lua; do
	case $machine in */vega20.lua | */sandy.lua) continue ;; esac
	trip=$(($(value interconnect.latency) * 2 + $(value l2.latency)))
	"$gsim" -q --laws -c "$machine" -D sm.count=1 "$tmp/fences.ir" -- $trip "$(value fence.gpu_cycles)" "$(value fence.sys_cycles)" "$(value fence.cta_cycles)" >"$tmp/out" 2>&1 ||
		fail "$(basename "$machine"): $(head -n 1 "$tmp/out")"
done

cat >"$tmp/fences.lua" <<'END'
local out, g = gpu.buffer("u32", 256), gpu.buffer("u32", 4096)
gpu.launch { kernel = "mixed", grid = 2, block = 96, args = { out, g } }
END
keys="-D fence.cta_cycles=3 -D fence.gpu_cycles=50 -D fence.sys_cycles=400 -D fence.empties_l1=true -D sm.count=1"
for model in $("$gsim" --list models | sed -n 's/^\([a-z_]*\) .*/\1/p'); do
	for window in 1 1000000; do
		"$gsim" -q --alone --laws --verify -c volta.lua -m "$model" $keys --window $window -s "$tmp/full.json" "$tmp/fences.ir" >"$tmp/out" 2>&1 ||
			fail "$model, windows of $window: $(head -n 1 "$tmp/out")"
		grep -v '"host"' "$tmp/full.json" >"$tmp/$window.json"
	done
	cmp -s "$tmp/1.json" "$tmp/1000000.json" || fail "$model: another report with windows of one cycle"
	grep -q '"fence": [1-9]' "$tmp/1.json" || fail "$model: no scheduler-cycle waits for a fence"
done
exit $failed
