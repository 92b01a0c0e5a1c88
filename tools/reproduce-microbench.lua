-- What single operations, branches, barriers and accesses take on every machine file, beside what has been published
-- (doc/measured/published.csv). Arguments: source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local tool = dofile(top .. "/tools/experiment.lua")
local bench = dofile(top .. "/tools/microbench.lua")
local MACHINES = { "kepler", "maxwell", "volta", "turing", "ampere", "hopper" }

tool.write(out .. "/microbench.ptx", bench.module)
tool.write(out .. "/microbench.lua", bench.workload)
local published = {}
for _, p in ipairs(tool.rows(top .. "/doc/measured/published.csv")) do
	local key = p.machine .. " " .. p.figure
	published[key] = published[key] or {}
	table.insert(published[key], p)
end

local csv = { "machine,figure,unit,gsim,chip,published,seen,source" }
local near, all = { P = 0, S = 0 }, { P = 0, S = 0 }
print(("%-9s %-34s %9s %9s  %s"):format("machine", "figure", "published", "gsim", "chip, source"))
for _, machine in ipairs(MACHINES) do
	tool.progress(machine)
	local text = tool.capture(("gsim -q -c %s.lua -D sm.count=1 %s"):format(machine, tool.quote(out .. "/microbench.ptx")))
	tool.progress("")
	for figure, unit, value in text:gmatch("([^\n]-),([^\n,]+),([^\n,]+)\n") do
		local list = published[machine .. " " .. figure]
		csv[#csv + 1] = ("%s,%s,%s,%s,,,,"):format(machine, figure, unit, value)
		for _, p in ipairs(list or {}) do
			local theirs, ours = tonumber(p.value), tonumber(value)
			local good = math.abs(ours - theirs) <= math.max(0.1 * theirs, 1)
			all[p.seen], near[p.seen] = all[p.seen] + 1, near[p.seen] + (good and 1 or 0)
			csv[#csv] = ("%s,%s,%s,%s,%s,%s,%s,\"%s\""):format(machine, figure, unit, value, p.chip, p.value, p.seen, p.source)
			print(("%-9s %-34s %9s %9s%s %s, %s (%s)"):format(machine, figure, p.value, value, good and " " or "*", p.chip, p.source, p.seen))
		end
	end
end
tool.write(out .. "/microbench.csv", table.concat(csv, "\n") .. "\n")
print(("within 10 %% or one cycle: %d of %d read in the primary source, %d of %d second-hand"):format(near.P, all.P, near.S, all.S))
