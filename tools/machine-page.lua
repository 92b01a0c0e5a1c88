-- Writes doc/machines.md. Arguments: source tree, "print" or "". Run by tools/machine-page.
local top, print_only = arg[1], arg[2] == "print"
local tool, keys = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/machine-keys.lua")

-- The machine files of the tree as { name, card, counts }, in the order of gsim --list configs.
local function read_machines()
	local list, dir = {}, top .. "/configs/"
	for line in tool.capture("gsim --list configs"):gmatch("[^\n]+") do
		if line:sub(1, #dir) == dir then
			local name, card, counts = line:sub(#dir + 1):match("^([%w_]+)%.lua: (.*): (%d+ P.*)$")
			if name then list[#list + 1] = { name = name, card = card, counts = counts } end
		end
	end
	return list
end

local page = {}
local function put(text, ...) page[#page + 1] = select("#", ...) > 0 and text:format(...) or text end
local function cell(text) return (text:gsub("|", "\\|")) end

local function put_basis(machines)
	put("## What they stand on")
	put("P: read in the source. S: somebody was read who quotes the source. `gsim --list configs` counts; figures that a")
	put("file takes over from the one from which it derives are counted with it.")
	put("")
	put("| machine | card | P | S | assumption |")
	put("|---|---|---|---|---|")
	for _, m in ipairs(machines) do
		local p, s, assumed = m.counts:match("^(%d+) P, (%d+) S, (%d+) assumption")
		put("| [`%s.lua`](#%s) | %s | %s | %s | %s |", m.name, m.name, cell(m.card), p, s, assumed)
	end
	put("")
end

-- Is our figure within a tenth of theirs, or one unit?
local function near(ours, theirs) return math.abs(ours - theirs) <= math.max(0.1 * theirs, 1) end

local function config_of(name) return load(tool.capture(("gsim -c %s.lua --print-config"):format(name)))() end

local function put_published(machines, published)
	put("## Beside what has been published")
	put("Figures of `doc/measured/published.csv` that a machine file says itself: what gsim's parameter amounts to, and what was")
	put("published. `*`: more than a tenth and more than one unit apart. What gsim measures, of all figures:")
	put("[validity.md](validity.md#single-operations), and of one machine, also your own or with changed parameters,")
	put("`gsim --check-machine` ([gsim.md](gsim.md)).")
	for _, m in ipairs(machines) do
		local rows, good, all, config = {}, { P = 0, S = 0 }, { P = 0, S = 0 }, nil
		for _, p in ipairs(published) do
			local entry = keys.of[p.figure]
			if p.machine == m.name and entry then
				config = config or config_of(m.name)
				local ours, theirs = entry.figure_of(config), tonumber(p.value)
				local ok = ours and near(ours, theirs)
				all[p.seen], good[p.seen] = all[p.seen] + 1, good[p.seen] + (ok and 1 or 0)
				rows[#rows + 1] = ("| %s | `%s` | %s | %.4g%s | %.4g | %s | %s | %s |"):format(p.figure, entry.key_of(config), p.unit, ours or 0,
					ok and "" or " \\*", theirs, cell(p.chip), p.seen, cell(p.source))
			end
		end
		if #rows > 0 then
			put("")
			put("### %s.lua", m.name)
			put("Near are %d of %d with a P, %d of %d with an S.", good.P, all.P, good.S, all.S)
			put("")
			put("| figure | parameter | unit | gsim | published | chip | | source |")
			put("|---|---|---|---|---|---|---|---|")
			for _, r in ipairs(rows) do put(r) end
		end
	end
	put("")
end

local function put_figures(machines)
	put("## Figures of the machine files")
	put("What each file says itself; the rest is that of the file from which it derives. Letters in brackets are sources,")
	put("which the file names at its head.")
	for _, m in ipairs(machines) do
		local path = top .. "/configs/" .. m.name .. ".lua"
		put("")
		put("### %s", m.name)
		put("%s. Derives from %s.", m.card, tool.read(path):match('derive%("([%w_.]+)"') or "no other")
		put("")
		put("| figure | value | | comment |")
		put("|---|---|---|---|")
		for line in tool.capture("gsim --list figures -c " .. tool.quote(path)):gmatch("[^\n]+") do
			local figure, value, seen, file, comment = line:match("^(%S+)%s+(%S+) (.-) (%S+):%d+: (.*)$")
			if file == path then put("| %s | %s | %s | %s |", figure, value, seen, cell(comment)) end
		end
	end
end

local published = tool.rows(top .. "/doc/measured/published.csv")
local machines = read_machines()
put("# The machines")
put("Written by `tools/machine-page` from `configs/` and `doc/measured/published.csv`.")
put("")
put_basis(machines)
put_published(machines, published)
put_figures(machines)
local text = table.concat(page, "\n") .. "\n"
if print_only then io.write(text) else tool.write(top .. "/doc/machines.md", text) end
