-- What mechanisms gain over a stack with immediate post-dominators: for each that a paper proposes, what the paper
-- publishes, and what gsim finds on a kernel of the kind for which it is made. The papers measured sets of
-- applications that are not here, on simulators of their own, so the sign is compared, and the size stands beside it.
-- UPDATE: writes the table into doc/reconvergence.md. Arguments: source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local tool, branches = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/random-branches.lua")
local json = dofile(top .. "/tools/json.lua")

-- One scheduler, as the cores of these papers have, and 24 warps of random two-way branches.
local function random_branches()
	tool.write(out .. "/branches.ir", branches.make(1, 4, 10, 20))
	tool.write(out .. "/branches.lua", branches.workload(768, 10))
	return { name = "random two-way branches", base = out .. "/branches", set = "scheduler.count=1" }
end

local function shipped(name) return { name = "kernels/" .. name, base = ("%s/kernels/%s/%s"):format(top, name, name) } end

local random, chases, ways, loops = random_branches(), shipped("two_chases"), shipped("k_way"), shipped("collatz")

-- published: from the paper's abstract; "recalled" where it was not read again for this table.
local ROWS = {
	{ "dwf", "Fung et al., MICRO 2007, TACO 2009", "13 % with 256 threads a core, 24 % with 512 (TACO)", random },
	{ "tbc", "Fung and Aamodt, HPCA 2011", "22 %", random },
	{ "tbc(predict=true)", "Rhu and Erez, ISCA 2012 (CAPRI)", "none recalled", random },
	{ "dws", "Meng et al., ISCA 2010", "70 %", chases },
	{ "dual_path", "Rhu and Erez, HPCA 2013", "15 %, recalled", chases },
	{ "multi_path", "ElTantawy et al., HPCA 2014", "32 %, recalled", ways },
	{ "sbi", "Brunie et al., ISCA 2012", "with swi 41 % on irregular programs, recalled", random },
	{ "swi", "Brunie et al., ISCA 2012", "see sbi", loops },
	{ "swi(same_warp=true)", "Brunie et al., ISCA 2012", "see sbi", random },
}

local function cycles(kernel, model)
	tool.progress(kernel.name .. ", " .. model)
	local file = kernel.base .. ".ir"
	if not io.open(file) then file = kernel.base .. ".ptx" end
	local report = out .. "/report.json"
	tool.capture(("gsim -q -c volta.lua -D %s -m %s -w %s -s %s %s"):format(kernel.set or "launch.warm=true", tool.quote(model),
		tool.quote(kernel.base .. ".lua"), tool.quote(report), tool.quote(file)))
	local n = 0
	for _, launch in ipairs(json.read(report).launches) do n = n + launch.cycles end
	return n
end

local lines, csv, wrong = { "| mechanism | paper | published | kernel, on `volta.lua` | gsim |", "|---|---|---|---|---|" },
	{ "mechanism,paper,published,kernel,stack_cycles,cycles,gain" }, 0
for _, row in ipairs(ROWS) do
	local model, paper, published, kernel = table.unpack(row)
	kernel.stack = kernel.stack or cycles(kernel, "ipdom")
	local n = cycles(kernel, model)
	local gain = 100 * (kernel.stack / n - 1)
	local where = kernel.name .. (kernel.set and ", " .. kernel.set or "")
	lines[#lines + 1] = ("| `%s` | %s | %s | %s | %.0f %% |"):format(model, paper, published, where, gain)
	csv[#csv + 1] = ("%s,\"%s\",\"%s\",\"%s\",%d,%d,%.3f"):format(model, paper, published, where, kernel.stack, n, gain / 100)
	if gain <= 0 then
		print(("%s gains nothing on %s"):format(model, where))
		wrong = wrong + 1
	end
end
tool.progress("")
os.remove(out .. "/report.json")
tool.write(out .. "/gains.md", table.concat(lines, "\n") .. "\n")
tool.write(out .. "/gains.csv", table.concat(csv, "\n") .. "\n")
print(table.concat(lines, "\n"))
if os.getenv("UPDATE") then
	local page = top .. "/doc/reconvergence.md"
	local before, after = tool.read(page):match("^(.-<!%-%- gains %-%->\n).-(<!%-%- end %-%->.*)$")
	tool.write(page, before .. table.concat(lines, "\n") .. "\n" .. after)
end
os.exit(wrong == 0 and 0 or 1)
