local lab = ...
local teaching = "--config teaching.lua "
local function fig1(mechanism)
	return lab.traced(teaching .. "-w labs/03-unstructured/one_warp.lua -m " .. mechanism, "kernels/short_circuit/short_circuit.ir").warp
end
local ipdom, tf = fig1("ipdom"), fig1("tf_stack")
lab.number("fetches", "Figure 1 under tf_stack: how many blocks does the warp fetch, each fetch counted?", tf.fetched)
local saved, best = 0, nil
for block, n in pairs(ipdom.fetches) do
	if n - tf.fetches[block] > saved then saved, best = n - tf.fetches[block], block end
end
lab.block("block", "Which block saves most fetches against ipdom?", best)
lab.lanes("b3_lanes", "Under tf_stack: which lanes run B3?", tf.lanes.B3)
local stack = lab.output(("gsim-trace --stack %d %s"):format(tf.cycle.B4, lab.trace))
lab.lanes("wait", "Under tf_stack: which lanes wait at B5 while B4 begins?", stack:match("\n%s+%d+%s+([1.]+)%s+group %d+ B5"))

local sorted = lab.traced(teaching .. "-m tf_stack", "kernels/oracles/b2.ir").warp
local bad = lab.traced(teaching .. "-m 'tf_stack(priority=source)'", "kernels/oracles/b2.ir").warp
lab.number("bad_fetches", "b2.ir with priority=source: how many blocks does the warp fetch, each fetch counted?", bad.fetched)
local twice
for block, n in pairs(bad.fetches) do if n > sorted.fetches[block] then twice = block end end
lab.block("twice", "Which block is fetched twice there?", twice)
lab.lanes("ahead", "Which lanes run that block first, too early?", bad.visits[twice][1])

local a2 = lab.traced(teaching .. "-m tf_sandy", "kernels/oracles/a2.ir")
local idle
for block, lanes in pairs(a2.warp.lanes) do if not lanes:find("1") then idle = block end end
lab.block("idle", "a2.ir under tf_sandy: which block is fetched for no lane?", idle)
lab.number("noop", "c1.ir under tf_sandy(rule=static): how many fetches are for no lane?",
	lab.run(teaching .. "-m 'tf_sandy(rule=static)'", "kernels/oracles/c1.ir").total.divergence.noop_fetches)
lab.number("utilisation", "a2.ir under tf_sandy: what is the SIMD utilisation, in percent?", a2.utilization, 1)
