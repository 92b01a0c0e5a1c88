-- The pass same-sides and the mechanism crowd are compiled from LAB_SOURCES, else from this lab's folder; where
-- solutions or a sheet are asked for, from the solutions. Their laws come first. What they must do stands
-- here or follows from other passes and mechanisms; only numbers that are asked for come from them.
local lab = ...
local dir = "labs/10-write-your-own/"
local cases = dir .. "cases.ir"
local folder = lab.solving and dir .. "solutions" or (os.getenv("LAB_SOURCES") or ""):match(".+") or dir
local pass, mechanism = lab.plugin(folder .. "/same_sides.c", "-I" .. dir), lab.plugin(folder .. "/crowd.c", "-I" .. dir)
local built = pass and mechanism
lab.law("same_sides.c and crowd.c compile", built, "see above")
local loads = built and pass .. mechanism or ""
local teaching, kepler = loads .. "--config teaching.lua ", loads .. "--config kepler.lua --functional "
-- A command as a student types it.
local function typed(command)
	return (command:gsub("%-%-load %S+ %-%-load %S+ ", "--load ./same_sides.so --load ./crowd.so "))
end
local yesno = { "yes", "no" }

-- A law: f returns what is wrong, or nil. Nothing is tried behind one that does not hold.
local function law(text, f)
	if not lab.holds() then return end
	local wrong = f()
	lab.law(text, not wrong, wrong)
end
local function ask(kind, key, text, f, ...)
	lab[kind](key, text, lab.holds() and f(), ...)
end

-- ---- the pass ----
local removed = { plain = 1, empty = 1, stored = 1, two = 2, turns = 1 } -- branches with equal sides
local kernels = { "plain", "empty", "stored", "two", "turns", "constants", "guards", "ways", "together" }

-- The text of each kernel behind these passes, without places in it; and its conditional branches.
local function text_of(passes)
	local text, branches = {}, {}
	local all = lab.output("gsim-opt " .. loads .. "-p '" .. passes .. "' " .. cases)
	for name, body in all:gmatch("kernel (%w+)(%b().-\n}\n)") do
		text[name] = body:gsub(" !loc [%d:]+", "")
		branches[name] = select(2, body:gsub("\tbra %%", ""))
	end
	return text, branches
end
-- What a student writes may not come back.
local function run(options, module)
	local _, failed = lab.attempt(("timeout 60 gsim -q --alone %s %s >/dev/null 2>&1"):format(options, module))
	return failed == 0
end

law("same-sides leaves what gsim accepts", function()
	local said, failed = lab.attempt("gsim-opt " .. loads .. "-p same-sides " .. cases .. " 2>&1 >/dev/null")
	return failed ~= 0 and said:match("^[^\n]*") or nil
end)
law("branches with equal sides go", function()
	local _, before = text_of("none")
	local _, after = text_of("same-sides")
	for _, name in ipairs(kernels) do
		if removed[name] and after[name] ~= before[name] - removed[name] then
			return ("kernel %s has %d branches, expected %d"):format(name, after[name] or -1, before[name] - removed[name])
		end
	end
end)
law("others stay", function()
	local before, after = text_of("none"), text_of("same-sides")
	for _, name in ipairs(kernels) do
		if not removed[name] and after[name] ~= before[name] then return "kernel " .. name .. " has changed" end
	end
end)
law("results are the same", function()
	for _, name in ipairs(kernels) do
		local verify = name ~= "together" and "--verify-each " or ""
		if not run(teaching .. verify .. "-b -p same-sides", cases .. " -- " .. name) then
			return typed(("gsim %s%s-b -p same-sides %s -- %s"):format(teaching, verify, cases, name))
		end
	end
	for _, module in ipairs { "kernels/calculator/calculator.ir", "kernels/bitonic_sort/bitonic_sort.ptx", "kernels/queens/queens.ptx" } do
		if not run(kepler .. "-b -p same-sides", module) then return module .. " has others" end
	end
end)
law("reports still speak of every block of the source", function()
	for _, name in ipairs(kernels) do
		local before = lab.run(teaching, cases .. " -- " .. name).fetches
		local after = lab.run(teaching .. "-p same-sides", cases .. " -- " .. name).fetches
		for label, n in pairs(before) do
			if after[label] ~= n then return ("kernel %s, block %s: %s fetches, expected %d"):format(name, label, after[label] or 0, n) end
			if not after[label] then return ("kernel %s: no block %s"):format(name, label) end
		end
	end
end)

local function total(passes, name, more) return lab.run(teaching .. (more or "") .. "-p " .. passes, cases .. " -- " .. name).total end
ask("number", "left", "How many conditional branches have the nine kernels together after same-sides?", function()
	local _, branches = text_of("same-sides")
	local n = 0
	for _, name in ipairs(kernels) do n = n + branches[name] end
	return n
end)
ask("number", "saved", "Kernel two: how many warp instructions does same-sides save? (Overhead is counted apart.)", function()
	return total("none", "two").warp_instructions - total("same-sides", "two").warp_instructions
end)
ask("number", "utilisation", "Kernel stored: what is the SIMD utilisation after same-sides, in percent?", function()
	return 100 * total("same-sides", "stored").simd_utilization
end, 1)
ask("word", "frontiers", "Kernel plain under tf_stack: does same-sides save cycles there, too?", function()
	return total("same-sides", "plain", "-m tf_stack ").cycles < total("none", "plain", "-m tf_stack ").cycles and "yes" or "no"
end, yesno)
ask("number", "more", "How many of the nine kernels does tail-merge change that same-sides leaves alone?", function()
	local before, same, tail, n = text_of("none"), text_of("same-sides"), text_of("tail-merge"), 0
	for _, name in ipairs(kernels) do
		if same[name] == before[name] and tail[name] ~= before[name] then n = n + 1 end
	end
	return n
end)

-- ---- the mechanism ----
lab.part()
if not built then lab.law("crowd can be tried", false, "first the code has to compile") end
local one_warp = "-w labs/03-unstructured/one_warp.lua "
local fig1, nest = "kernels/short_circuit/short_circuit.ir", "labs/02-nested-branches/nest.ir"
local loop, calculator = "labs/01-if-and-loop/loop.ir", "kernels/calculator/calculator.ir"
local function crowd(policy) return "-m 'crowd(policy=" .. policy .. ")' " end

-- Each block that a warp fetches and with which lanes, in order.
local function walk(options, module)
	local list, entered = {}, {}
	for _, issue in ipairs(lab.traced(options, module).warp.issues) do
		entered[issue.block] = entered[issue.block] or issue.pc
		if entered[issue.block] == issue.pc then list[#list + 1] = issue.block .. " " .. issue.lanes end
	end
	return list
end
local function same_walk(got, want)
	for k = 1, math.max(#got, #want) do
		if got[k] ~= want[k] then return ("fetch %d is %s, expected %s"):format(k, got[k] or "missing", want[k] or "no more") end
	end
end

law("programs end well under crowd, whatever runs first", function()
	for _, policy in ipairs { "most", "lowest" } do
		for _, module in ipairs { loop, nest, calculator, "kernels/loop_exits/loop_exits.ptx", "kernels/recursion/recursion.ptx", "kernels/scan/scan.ptx" } do
			local options = (module:find("^labs") and teaching .. "-D warp_size=8 " or kepler) .. crowd(policy)
			if not run(options .. "--laws --verify", module) then return typed(("gsim --laws --verify %s%s"):format(options, module)) end
		end
	end
end)
-- Lanes 0 and 1 go from B1 to B3, lanes 2 and 3 to B2; with equal numbers the lower pc runs. Lane 2 joins the
-- two in B3, so that three are there and run; lanes 1 and 2 join lane 3 in B5, and so on.
-- doc/reconvergence.md has no such mechanism: this is by hand.
law("most: the walk through figure 1 (lab 3)", function()
	return same_walk(walk(teaching .. crowd("most") .. one_warp, fig1),
		{ "B1 1111", "B2 ..11", "B3 111.", "B5 .111", "B6 .111", "B4 1...", "B6 1..." })
end)
-- The three lanes that leave the loop are more than the one that stays, and end before it goes on.
law("most: the walk through the loop of lab 1, with turns 1 1 1 3", function()
	return same_walk(walk(teaching .. crowd("most"), loop .. " -- 1 1 1 3"), { "START 1111", "HEAD 1111", "BODY 1111", "HEAD 1111", "END 111.",
		"BODY ...1", "HEAD ...1", "BODY ...1", "HEAD ...1", "END ...1" })
end)
law("lowest: fetches as min_pc does", function()
	for _, case in ipairs { { teaching .. one_warp, fig1 }, { teaching .. "-D warp_size=8 ", nest }, { teaching, loop },
		{ kepler, calculator }, { kepler, "kernels/loop_exits/loop_exits.ptx" } } do
		local got, want = lab.run(case[1] .. crowd("lowest"), case[2]), lab.run(case[1] .. "-m min_pc", case[2])
		for label, n in pairs(want.fetches) do
			if got.fetches[label] ~= n then return ("%s: block %s is fetched %d times, expected %d"):format(case[2], label, got.fetches[label] or 0, n) end
		end
		if got.total.warp_instructions ~= want.total.warp_instructions then
			return ("%s: %d warp instructions, expected %d"):format(case[2], got.total.warp_instructions, want.total.warp_instructions)
		end
	end
end)

ask("number", "fetches", "Figure 1 under crowd: how many blocks does the warp fetch, each fetch counted?", function()
	return #walk(teaching .. crowd("most") .. one_warp, fig1)
end)
ask("lanes", "alone", "And which lanes issue the last instruction?", function()
	local issues = lab.traced(teaching .. crowd("most") .. one_warp, fig1).warp.issues
	return issues[#issues].lanes
end)
ask("number", "nest", "nest.ir (lab 2, -D warp_size=8): how many fetches does crowd make with policy=most?", function()
	return #walk(teaching .. "-D warp_size=8 " .. crowd("most"), nest)
end)
ask("number", "nest_lowest", "And with policy=lowest?", function()
	return #walk(teaching .. "-D warp_size=8 " .. crowd("lowest"), nest)
end)
ask("word", "calculator", "calculator.ir on kepler.lua: which policy takes fewer warp instructions?", function()
	local function instructions(policy) return lab.run(kepler .. crowd(policy), calculator).total.warp_instructions end
	return instructions("most") < instructions("lowest") and "most" or "lowest"
end, { "most", "lowest" })
local function ends(policy, module) return run(teaching .. crowd(policy), "kernels/oracles/" .. module) and "yes" or "no" end
ask("word", "lock", "The reshaped lock of lab 6 (e2.ir): does it end with policy=most?", function() return ends("most", "e2.ir") end, yesno)
ask("word", "lock_lowest", "And with policy=lowest?", function() return ends("lowest", "e2.ir") end, yesno)
