local lab = ...
local module = "kernels/short_circuit/short_circuit.ir"
local function options(more) return "--config teaching.lua -w labs/03-unstructured/one_warp.lua " .. (more or "") end

local ipdom = lab.traced(options(), module)
lab.number("fetches", "How many blocks does the warp fetch, each fetch counted?", ipdom.warp.fetched)
lab.number("b5", "How many of them are fetches of B5?", ipdom.warp.fetches.B5)
lab.lanes("b5_lanes", "Which lanes run B5 when it is fetched for the first time?", ipdom.warp.visits.B5[1])
lab.number("depth", "How many entries does the stack have at its deepest?", ipdom.warp.depth)
lab.number("together", "In which cycle does the warp, whole again, issue the first instruction of B6?", ipdom.warp.cycle.B6)

local linear = lab.traced(options("-p linearize"), module)
lab.number("linear_b5", "After linearize: how often does the warp fetch B5?", linear.warp.fetches.B5)
lab.number("inserted", "How many of the warp instructions of that run did linearize insert?", linear.total.inserted.warp_instructions)
lab.number("after", "What is the SIMD utilisation after linearize, in percent?", linear.utilization, 1)

local copies = 0
for line in lab.output("gsim-opt -p structurize " .. module):gmatch("[^\n]+") do
	if line:find("^B5[%w_]*:") then copies = copies + 1 end
end
lab.number("copies", "How many blocks of the code after structurize are B5 or copies of it?", copies)
lab.number("structured_b5", "After structurize: how often are B5 and its copies fetched, together?", lab.run(options("-p structurize"), module).fetches.B5)

local function redirected(more) return lab.run(options("-D fetch.redirect_cycles=8 " .. more), module).total.cycles end
lab.number("saved", "With fetch.redirect_cycles=8: how many cycles does linearize save?", redirected("") - redirected("-p linearize"))
