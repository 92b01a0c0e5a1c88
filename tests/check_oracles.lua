-- Fetches of every block, lanes in them, depth, pushes and merges of the examples, mechanism by mechanism. Run by
-- check_oracles.sh with the source tree as argument.
local top = arg[1]
local json = dofile(top .. "/tools/json.lua")

-- Mechanism of the table, ours, the columns compared besides the fetches, the cases left out, and columns left out of cases.
local MODELS = {
	{ row = "ipdom_taken_first", name = "ipdom", columns = { "maxdepth", "pushes", "merges" } },
	-- The table counts every jump as an insertion; gsim those at places where lanes may wait, which is the same without loops.
	{ row = "tf_stack/minpc", name = "tf_stack", columns = { "maxdepth", "pushes", "merges" },
		without = { pushes = { ["(b2)"] = true, ["(c1)"] = true, ["(c2)"] = true, ["(d1)"] = true, ["(d2)"] = true, ["(d3)"] = true, ["(e2)"] = true } } },
	-- The table's token rows are annotated by hand: c1 as SSY code, where block Y is the carrier itself and gsim's is one of
	-- its own; c2, d and e2 with break and continue tokens and predicated carriers.
	{ row = "token_taken_first", name = "token", columns = { "maxdepth", "pushes" }, carrier = { ["(c1)"] = "Y" },
		skip = { ["(c2)"] = true, ["(d1)"] = true, ["(d2)"] = true, ["(d3)"] = true, ["(e2)"] = true } },
	{ row = "token_taken_first", name = "token", columns = { "maxdepth", "pushes" }, options = "-D token.loop_codegen=pbk_brk",
		only = { ["(c2)"] = true, ["(d1)"] = true, ["(d2)"] = true, ["(d3)"] = true, ["(e2)"] = true } },
	-- With SSY code, the loops with continue fetch as the IPDOM stack does.
	{ row = "ipdom_taken_first", name = "token", columns = {}, only = { ["(d1)"] = true, ["(d2)"] = true, ["(d3)"] = true } },
}
-- In (h) gsim's lanes leave through a block of their own, which the table does not have.
local EXIT_BLOCK = { ["(h)"] = { maxdepth = true, pushes = true } }
-- (f) has a barrier that part of a warp reaches.
local OPTIONS = { ["(f)"] = "-D divergence.bar_partial=count_warp", ["(b2)"] = "-D tf_stack.priority=source" }
local FILE = { ["(e1')"] = "e1p" }
local OURS = { maxdepth = "max_depth", pushes = "pushes", merges = "reconvergences" }

local function fields(line)
	local t, at = {}, 1
	while at <= #line + 1 do
		local stop
		if line:sub(at, at) == '"' then
			stop = line:find('"', at + 1, true)
			t[#t + 1] = line:sub(at + 1, stop - 1)
			stop = stop + 1
		else
			stop = line:find(",", at, true) or #line + 1
			t[#t + 1] = line:sub(at, stop - 1)
		end
		at = stop + 1
	end
	return t
end

local function file_of(row)
	if row.case ~= "(e3)" then return FILE[row.case] or row.case:match("%((.*)%)") end
	local layout, side = row.title:match("layout (%u%u), spin side is (%a+)")
	return ("e3_%s_%s"):format(layout:lower(), side)
end

local failed, compared = 0, 0
local function fail(where, fmt, ...)
	failed = failed + 1
	print(("%s: " .. fmt):format(where, ...))
end

local function run(model, row, report)
	local command = ("gsim -q --functional --config kepler.lua -m %s -D limits.max_cycles=20000 %s -s '%s' '%s/kernels/oracles/%s.ir' 2>'%s.err'")
	os.remove(report)
	local options = (OPTIONS[row.case] or "") .. " " .. (model.options or "")
	local ok, _, status = os.execute(command:format(model.name, options, report, top, file_of(row), report))
	return ok and 0 or status
end

local function check(model, row, report)
	local file = file_of(row)
	local where = ("%s under %s"):format(file, model.name)
	local status = run(model, row, report)
	compared = compared + 1
	if row.status == "LIVELOCK" then
		if status ~= 1 then fail(where, "exit status %d, but it should live-lock (1)", status) end
		return
	end
	if status ~= 0 then return fail(where, "exit status %d: %s", status, (io.open(report .. ".err"):read("a"))) end
	local launch = json.read(report).launches[1]
	local lanes, got = 0, {}
	for _, b in ipairs(launch.blocks) do
		got[b.label] = b.fetches
		lanes = lanes + b.threads
	end
	for label, n in row.per_block:gmatch("(%w+):(%d+)") do
		if label == (model.carrier or {})[row.case] then -- here once, with all lanes; the carriers are counted apart
			n = 1
		end
		if got[label] ~= tonumber(n) then fail(where, "block %s is fetched %s times, not %s", label, got[label], n) end
	end
	if lanes ~= tonumber(row.lane_blocks) then fail(where, "%d lanes in all blocks, not %s", lanes, row.lane_blocks) end
	local without = model.without or {}
	for _, c in ipairs(model.columns) do
		local left_out = without[c] and without[c][row.case] or (EXIT_BLOCK[row.case] or {})[c]
		local v = launch.divergence[OURS[c]]
		if not left_out and v ~= tonumber(row[c]) then fail(where, "%s is %s, not %s", c, v, row[c]) end
	end
end

local names, rows = nil, {}
for line in io.lines(top .. "/tests/oracles/oracle.csv") do
	local f = fields(line)
	if not names then
		names = f
	else
		local row = {}
		for k, name in ipairs(names) do row[name] = f[k] end
		rows[#rows + 1] = row
	end
end

local report = os.tmpname()
for _, model in ipairs(MODELS) do
	for _, row in ipairs(rows) do
		if row.mechanism == model.row and not (model.skip and model.skip[row.case]) and (not model.only or model.only[row.case]) then check(model, row, report) end
	end
end
os.remove(report)
os.remove(report .. ".err")
print(("%d examples compared, %d differences"):format(compared, failed))
os.exit(failed == 0 and compared > 30)
