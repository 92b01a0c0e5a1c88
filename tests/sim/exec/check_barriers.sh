#!/bin/sh
# What block barriers take: of W warps one behind the other barrier.latency and the time in which W warps are counted, which two
# blocks of an SM share; and the latency, too, where a thread's end opens the barrier.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-barriers.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
cp "$srcdir/tests/sim/exec/barriers.ir" "$tmp"
cat >"$tmp/barriers.lua" <<'END'
local latency, rate, W = tonumber(gpu.args[1]), tonumber(gpu.args[2]), tonumber(gpu.args[3])
local out = gpu.buffer("u64", 2)
gpu.compare(out, { how = "ignore" })
local function cycles(warps, blocks)
	gpu.launch { kernel = "bars", grid = blocks, block = warps * W, args = { out } }
	return math.max(out:get(0), blocks > 1 and out:get(1) or 0) / 8
end
for warps = 1, 1024 // W do
	local want, has = latency + math.ceil(warps * W / rate), cycles(warps, 1)
	-- four schedulers issue: the last warp comes by so many cycles later than the first, and the clock is read when some have come
	gpu.check(has >= want - 0.5 and has <= want + math.ceil(warps / 4), ("%d warps: a barrier takes %g cycles, not %d"):format(warps, has, want))
end
for warps = 1, 512 // W do -- two blocks: never faster than one alone, nor than all their warps can be counted
	local one, two, all = cycles(warps, 1), cycles(warps, 2), 2 * warps * W / rate
	local most = latency > 0 and math.max(one, all) or one -- without a latency the first block runs ahead
	gpu.check(two >= 0.95 * most - 1 and two <= math.max(one, all) + warps * W / rate + 1,
		("two blocks of %d warps: a barrier takes %g cycles, of one block %g, the counting %g"):format(warps, two, one, all))
end
-- the first launch brings the code: under tbc a side begins when the other one has ended, and would wait for its instructions only then
for _ = 1, 2 do
	gpu.launch { kernel = "ends", grid = 1, block = 2 * W, args = { out } }
end
local behind = out:get(1) - out:get(0)
gpu.check(behind >= latency and behind <= latency + 40, ("a barrier opens %d cycles after the last thread that could come has ended, the latency is %d"):format(behind, latency))
END
# run MACHINE LATENCY RATE [OPTION...]
run() {
	machine=$1 latency=$2 rate=$3
	shift 3
	"$gsim" -q -j 1 -c "$machine" -D sm.count=1 -D barrier.latency=$latency -D barrier.threads_per_cycle=$rate "$@" "$tmp/barriers.ir" -- $latency $rate 32 >"$tmp/out" 2>&1 ||
		{ echo "FAILED: $machine, latency $latency, rate $rate $*: $(head -n 1 "$tmp/out")"; failed=1; }
}
for rate in 16 32 64 128; do
	for latency in 0 20; do
		run volta.lua $latency $rate
	done
done
for model in ipdom its dwf dws mimd serial tbc 'tbc(predict=true)'; do
	run volta.lua 20 16 -m "$model"
	run volta.lua 20 16 -m "$model" -D code.layout=source
done
# without the uniform datapath, for whose copy warps wait in front of the barriers: others have been counted before thread 0's clock
run ampere.lua 21 16 -D uniform.datapath=false
# as measured: two blocks of 512 threads on an A100 64 cycles, of 1024 123 (Burtchell and Burtscher, IISWC 2024)
cat >"$tmp/barriers.lua" <<'END'
local out = gpu.buffer("u64", 2)
gpu.compare(out, { how = "ignore" })
for _, p in ipairs { { 512, 64 }, { 1024, 123 } } do
	gpu.launch { kernel = "bars", grid = 2, block = p[1], args = { out } }
	local has = math.max(out:get(0), out:get(1)) / 8
	gpu.check(math.abs(has / p[2] - 1) <= 0.1, ("two blocks of %d threads: a barrier takes %g cycles, measured were %d"):format(p[1], has, p[2]))
end
END
run ampere.lua 21 16
exit $failed
