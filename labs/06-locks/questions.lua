local lab = ...
local teaching, oracles = "--config teaching.lua ", "kernels/oracles/"
local function status(mechanism, module) return lab.run(teaching .. "-m '" .. mechanism .. "'", oracles .. module).report.status end
local function ends(mechanism, module) return status(mechanism, module) == "ok" and "yes" or "no" end
local yesno = { "yes", "no" }

local naive = lab.run(teaching .. "-m ipdom", oracles .. "e1.ir").report.launches[1].diagnosis
local function picture(lanes)
	local set = {}
	for _, lane in ipairs(lanes) do set[lane] = true end
	local text = ""
	for lane = 0, 3 do text = text .. (set[lane] and "1" or ".") end
	return text
end
lab.lanes("spin", "The naive lock (e1.ir) under ipdom: which lanes go round?", picture(naive.who.lanes))
lab.number("word", "What is the value of the word that they wait on?", naive.word.value)
lab.block("until_block", "The lane that has the lock waits until the others come to which block?", naive.writer.now["until"].label)

lab.word("moved", "e1p.ir under ipdom(push_order=taken_top): does it end?", ends("ipdom(push_order=taken_top)", "e1p.ir"), yesno)
local hang = 0
for model in lab.output("gsim --list models"):gmatch("%f[^\n%z]([%w_]+) ") do
	if status(model, "e2.ir") ~= "ok" then hang = hang + 1 end
end
lab.number("reshaped", "The reshaped lock (e2.ir): under how many of the mechanisms, with their defaults, does it not end?", hang)
local both = 0
for _, module in ipairs { "e3_pw_fallthrough", "e3_pw_taken", "e3_wp_fallthrough", "e3_wp_taken" } do
	if ends("ipdom(push_order=taken_top)", module .. ".ir") == "yes" and ends("ipdom(push_order=fall_top)", module .. ".ir") == "yes" then
		both = both + 1
	end
end
lab.number("both", "How many of the four modules with producer and consumers (e3_...) end under ipdom with either push_order?", both)

local its = lab.traced(teaching .. "-m its", oracles .. "e1.ir")
lab.number("its_l", "The naive lock under its: how often is L fetched?", its.fetches.L)
lab.word("no_yield", "Does it end under its(yield=none)?", ends("its(yield=none)", "e1.ir"), yesno)
lab.number("lifo", "How many cycles does it take under its(policy=volta_lifo)?",
	lab.run(teaching .. "-m 'its(policy=volta_lifo)'", oracles .. "e1.ir").total.cycles)
lab.number("x", "How often is X fetched in the reshaped lock (e2.ir) under its?", lab.run(teaching .. "-m its", oracles .. "e2.ir").fetches.X)
