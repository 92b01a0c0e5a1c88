local lab = ...
local dir, teaching = "labs/08-transformations/", "--config teaching.lua "
local circuit, rows, sides = dir .. "circuit.ptx -- ", dir .. "rows.ptx -- ", dir .. "sides.ptx -- "
local yesno = { "yes", "no" }
local function total(passes, module, more) return lab.run(teaching .. (more or "") .. " -p " .. passes, module).total end
local function saved(pass, module, more) return total("none", module, more).cycles - total(pass, module, more).cycles end

lab.number("fetches", "circuit, longer apart: how often is $L__BB0_4 fetched before linearize?",
	lab.run(teaching, circuit .. "longer apart").fetches["$L__BB0_4"])
lab.number("inserted", "The same after linearize: how many warp instructions are inserted ones?",
	total("linearize", circuit .. "longer apart").inserted.warp_instructions)
lab.number("short", "circuit, shorter apart: how many cycles does linearize save?", saved("linearize", circuit .. "shorter apart"))
lab.word("frontiers", "circuit, longer apart, under tf_stack: does linearize save cycles?",
	saved("linearize", circuit .. "longer apart", "-m tf_stack") > 0 and "yes" or "no", yesno)

local function turns(passes, kind) return lab.run(teaching .. "-p " .. passes, rows .. kind).fetches["$L__BB0_3"] end
lab.number("turning", "rows, turning, as it is: how many turns of the inner loop does the warp make in all?", turns("none", "turning"))
lab.number("flat", "And flattened?", turns("'flatten(rule=always)'", "turning"))
lab.number("eight", "rows, turning, flattened, with eight rows (arguments: turning 8): how many turns?", turns("'flatten(rule=always)'", "turning 8"))
lab.number("one", "rows, one, flattened: how many turns does the warp make?", turns("'flatten(rule=always)'", "one"))

lab.number("melded", "sides, alike apart, melded: what is the SIMD utilisation, in percent?", 100 * total("meld", sides .. "alike apart").simd_utilization, 1)
lab.number("together", "sides, alike together: how many cycles more does it take melded?", -saved("meld", sides .. "alike together"))
local kepler = "--config kepler.lua -D launch.warm=true"
local before, after = lab.run(kepler, sides .. "unlike apart").total, lab.run(kepler .. " -p meld", sides .. "unlike apart").total
lab.word("unlike", "sides, unlike apart, on kepler.lua with launch.warm=true: does meld save warp instructions, cycles, both or neither?",
	({ [true] = { [true] = "both", [false] = "instructions" }, [false] = { [true] = "cycles", [false] = "neither" } })
	[after.warp_instructions < before.warp_instructions][after.cycles < before.cycles], { "instructions", "cycles", "both", "neither" })

local passes = { "linearize", "flatten", "meld" }
local function best(name)
	local least, which = lab.run("--config kepler.lua -m ipdom", ("kernels/%s/%s.ptx"):format(name, name)).launches[1].cycles, "none"
	for _, pass in ipairs(passes) do
		local cycles = lab.run("--config kepler.lua -m ipdom -p " .. pass, ("kernels/%s/%s.ptx"):format(name, name)).launches[1].cycles
		if cycles < least then least, which = cycles, pass end
	end
	return which
end
lab.word("rows_stride", "sparse_rows (kernel rows_stride), kepler.lua, ipdom: which of the three passes saves most cycles?", best("sparse_rows"), passes)
lab.word("exits", "loop_exits there: which one?", best("loop_exits"), passes)
