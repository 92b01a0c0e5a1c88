-- Fetches of every block, lanes in them, depth, pushes, merges and empty fetches of the examples, row by row
-- of the table. Run by check_oracles.sh with the source tree as argument. A second argument: --update writes
-- the page's tables of rows and deviations, a model's name compares its rows only.
local top, only = arg[1], arg[2]
local json = dofile(top .. "/tools/json.lua")

-- row: the table's name. model, set: ours and its parameters. columns: what is compared besides status,
-- fetches, lanes and empty fetches. cases: those the entry is for (all others if another entry of the row
-- names some). also: further parameters of a case. timed: "status" where the counts depend on the schedule,
-- so that timed runs compare status and memory only; "fetches" where only what is not fetched does, and lanes
-- that spin.
local ROWS = {
	{ row = "ipdom_taken_first", model = "ipdom", set = "ipdom.push_order=taken_top", columns = "maxdepth pushes merges" },
	{ row = "ipdom_fall_first", model = "ipdom", set = "ipdom.push_order=fall_top", columns = "maxdepth pushes merges" },
	{ row = "token_taken_first", model = "token", columns = "maxdepth pushes", cases = "a1 a2 a3 b c1 h f e3" },
	{ row = "token_taken_first", model = "token", set = "token.loop_codegen=pbk_brk", columns = "maxdepth pushes", cases = "c2 d1 d2 d3 e2" },
	{ row = "ipdom_taken_first", model = "token", set = "token.loop_codegen=ssy_div", columns = "", cases = "d1 d2 d3" },
	{ row = "tf_stack/minpc", model = "tf_stack", columns = "maxdepth pushes merges", also = { b2 = "tf_stack.priority=source" } },
	{ row = "tf_stack/minpc", model = "min_pc", columns = "maxdepth pushes merges", also = { b2 = "min_pc.priority=source" } },
	{ row = "tf_stack/minpc", model = "min_sp_pc", columns = "maxdepth pushes merges", also = { b2 = "min_sp_pc.priority=source" } },
	{ row = "tf_sandy(ocelot)", model = "tf_sandy", set = "tf_sandy.rule=static", columns = "maxdepth pushes merges", also = { b2 = "tf_sandy.priority=source" } },
	{ row = "tf_sandy(refined)", model = "tf_sandy", set = "tf_sandy.rule=refined", columns = "maxdepth pushes merges", also = { b2 = "tf_sandy.priority=source" } },
	{ row = "tf_stack/minpc", model = "exec_mask", set = "exec_mask.skip_threshold=0", columns = "" },
	{ row = "ipdom_taken_first", model = "exec_mask", set = "exec_mask.skip_threshold=0", columns = "", cases = "b c1 c2 e2" },
	{ row = "ipdom_taken_first", model = "dual_path", columns = "", cases = "a1 a2 a3 b b2 c1 c2 d1 d2 d3 e2 f h" },
	{ row = "multipath_rr", model = "dual_path", columns = "merges", cases = "e1 e1' e3", timed = "status" },
	{ row = "multipath_rr", model = "multi_path", set = "multi_path.merge=false", columns = "maxdepth merges", timed = "fetches" },
	{ row = "multipath_rr_opp", model = "multi_path", set = "multi_path.merge=true", columns = "maxdepth merges", timed = "status" },
	{ row = "cbar_stay_fall", model = "its", set = "its.policy=volta_lifo its.yield=none", columns = "maxdepth merges" },
	{ row = "cbar_stay_taken", model = "its", set = "its.policy=volta_lifo its.yield=none its.first=taken", columns = "maxdepth merges" },
	{ row = "cbar_rr", model = "its", set = "its.policy=volta_lifo its.yield=none its.order=fifo its.switch_branch=on", columns = "maxdepth merges", timed = "status" },
	{ row = "cbar_yieldback", model = "its", set = "its.policy=volta_lifo its.yield=loops its.yield_release=off", columns = "maxdepth merges" },
	{ row = "cbar_yield+release(patent)", model = "its", set = "its.policy=volta_lifo its.yield=loops", columns = "maxdepth merges" },
	{ row = "cbar_rr_timeout10", model = "its", set = "its.policy=volta_lifo its.yield=none its.order=fifo its.switch_branch=on its.barrier_timeout=30",
		columns = "maxdepth merges", timed = "status", also = { e2 = "its.barrier_timeout=40" } },
}

-- Where gsim's values are others than the table's, by case, and why. model: "*" = all. column: maxdepth,
-- pushes, merges; a block's label: its fetches; status: the table says LIVELOCK, the fetches are those given.
-- A value that is the table's is an error here.
local DEVIATIONS = {
	{ model = "tf_stack", column = "pushes", values = { b2 = 5, c1 = 4, c2 = 4, d1 = 10, d2 = 7, d3 = 7, e2 = 11 }, why = "the table counts every " ..
		"jump as an insertion, as min_pc does, tf_stack those to blocks where lanes may wait; without loops that is the same" },
	{ model = "token", column = "Y", values = { c1 = 1 }, why = "the table's block Y is the carrier of the pop itself; here the carrier " ..
		"has a block of its own in front of Y, and Y runs once with all lanes" },
	{ model = "its", rows = "cbar_stay_fall cbar_stay_taken cbar_yieldback cbar_rr cbar_rr_timeout10", column = "Y", values = { c1 = 1 },
		why = "the same: BSYNC stands in front of Y. Where YIELD opens the barrier (cbar_yield+release), Y runs four times as X does" },
	{ model = "its", rows = "cbar_rr cbar_rr_timeout10", column = "maxdepth", values = { c1 = 2 }, why = "the same: a group spends a turn in the table's Y " ..
		"before it waits, and is ready so long" },
	{ model = "ipdom", column = "pushes", values = { h = 4 }, why = "the lane that exits leaves through a block of its own, since an exit carries no guard: " ..
		"a branch more, which the table does not have" },
	{ model = "ipdom", rows = "ipdom_fall_first", column = "maxdepth", values = { h = 2 }, why = "the same" },
	{ model = "token", column = "pushes", values = { h = 3 }, why = "the same" },
	{ model = "tf_stack", column = "pushes", values = { h = 4 }, why = "the same" },
	{ model = "min_pc", column = "pushes", values = { h = 4 }, why = "the same" },
	{ model = "min_sp_pc", column = "pushes", values = { h = 4 }, why = "the same" },
	{ model = "token", column = "maxdepth", values = { h = 3 }, why = "the same" },
	{ model = "tf_stack", column = "maxdepth", values = { h = 3 }, why = "the same" },
	{ model = "min_pc", column = "maxdepth", values = { h = 3 }, why = "the same" },
	{ model = "min_sp_pc", column = "maxdepth", values = { h = 3 }, why = "the same" },
	{ model = "multi_path", column = "maxdepth", values = { h = 3 }, why = "the same" },
	{ model = "its", rows = "cbar_stay_taken cbar_rr cbar_rr_timeout10", column = "maxdepth", values = { h = 3 }, why = "the same" },
	{ model = "exec_mask", rows = "tf_stack/minpc", column = "F", values = { b2 = 1 }, why = "the table forces a bad order of blocks; exec_mask has its own" },
	{ model = "multi_path", rows = "multipath_rr_opp", column = "merges", values = { a1 = 2, a2 = 2, a3 = 2, d1 = 3, d3 = 5, h = 1 }, why = "the table counts " ..
		"lanes that meet at their point, multi_path also groups that join on the way" },
	{ model = "multi_path", column = "status", values = { ["e1'"] = "P:1 L:7 C:4 X:1" }, why = "the table has the point at C; " ..
		"here the source's `!reconverge` moves it to X, and the lock passes" },
	{ model = "dual_path", column = "status", values = { ["e1'"] = "P:1 L:7 C:4 X:1" }, why = "the same" },
	{ model = "ipdom", rows = "ipdom_fall_first", column = "status", values = { ["e1'"] = "P:1 L:4 C:4 X:1" }, why = "the table moves the point to X " ..
		"for convergence barriers only; here the source's `!reconverge` moves it for every mechanism, and with the exit side first the lock passes" },
}

local SPINS = "e1 e1' e3" -- how often depends on the schedule, where lanes run side by side
local CASE_OPTIONS = { f = "divergence.bar_partial=count_warp" } -- a barrier that part of a warp reaches
local FILE = { ["e1'"] = "e1p" }
local OURS = { maxdepth = "max_depth", pushes = "pushes", merges = "merges" }

local function has(list, word) return (" " .. list .. " "):find(" " .. word .. " ", 1, true) ~= nil end

local function deviation(entry, case, column)
	for _, d in ipairs(DEVIATIONS) do
		if d.model == entry.model and (not d.rows or has(d.rows, entry.row)) and d.column == column and d.values[case] then return d end
	end
end

-- ---- the page's tables ----

local function doc()
	local t = { "| row | cases | model and parameters | compared besides fetches and lanes | timed |", "|---|---|---|---|---|" }
	for _, e in ipairs(ROWS) do
		local how = "`" .. e.model .. (e.set and " " .. e.set or "") .. "`"
		local also = {}
		for case, set in pairs(e.also or {}) do also[#also + 1] = ("; %s: `%s`"):format(case, set) end
		table.sort(also)
		how = how .. table.concat(also)
		t[#t + 1] = ("| %s | %s | %s | %s | %s |"):format(e.row, e.cases or "all", how, e.columns == "" and "-" or e.columns, e.timed or "counts")
	end
	t[#t + 1] = ""
	t[#t + 1] = "| model | differs | here | why |"
	t[#t + 1] = "|---|---|---|---|"
	for _, d in ipairs(DEVIATIONS) do
		local values = {}
		for case, v in pairs(d.values) do values[#values + 1] = ("%s: %s"):format(case, v) end
		table.sort(values)
		local what = d.column:match("^%u") and "fetches of " .. d.column or d.column == "status" and "ok, fetches" or d.column
		t[#t + 1] = ("| %s | %s | %s | %s |"):format(d.model .. (d.rows and " as " .. d.rows:gsub(" ", ", ") or ""), what, table.concat(values, ", "), d.why)
	end
	return table.concat(t, "\n") .. "\n"
end

local PAGE = top .. "/doc/reconvergence.md"

local function read_page()
	local file = assert(io.open(PAGE))
	local text = file:read("a")
	file:close()
	return text
end

if only == "--update" then
	local text = read_page()
	local from = text:find("| row | cases |", 1, true)
	local _, to = text:find("\n| model | %a+ | %a+ | why |\n", from)
	while text:sub(to + 1, to + 1) == "|" do to = text:find("\n", to + 1, true) end
	local file = assert(io.open(PAGE, "w"))
	file:write(text:sub(1, from - 1), doc(), text:sub(to + 1))
	file:close()
	os.exit(0)
end

-- ---- the table ----

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

local function read_rows()
	local names, rows, ideal = nil, {}, {}
	for line in io.lines(top .. "/tests/sim/reconv/oracles/oracle.csv") do
		local f = fields(line)
		if not names then
			names = f
		else
			local row = {}
			for k, name in ipairs(names) do row[name] = f[k] end
			row.id = row.case:match("%((.*)%)")
			rows[#rows + 1] = row
			if row.mechanism == "ideal" then ideal[row.title] = row.per_block end
		end
	end
	for _, row in ipairs(rows) do row.ideal = ideal[row.title] end
	return rows
end

local function file_of(row)
	if row.id ~= "e3" then return FILE[row.id] or row.id end
	local layout, side = row.title:match("layout (%u%u), spin side is (%a+)")
	return ("e3_%s_%s"):format(layout:lower(), side)
end

-- ---- running and comparing ----

local failed, compared = 0, 0
local report = os.tmpname()

local function fail(where, fmt, ...)
	failed = failed + 1
	print(("%s: " .. fmt):format(where, ...))
end

local function run(entry, row, timed)
	local command = { "gsim -q --alone --config kepler.lua -m", entry.model, "-D limits.progress_cycles=2000 -D divergence.guarded_exits=false -D code.layout=source" }
	if not timed then command[#command + 1] = "--functional -D functional.schedule=block" end
	for _, set in ipairs { entry.set or "", CASE_OPTIONS[row.id] or "", (entry.also or {})[row.id] or "" } do
		for option in set:gmatch("%S+") do command[#command + 1] = "-D " .. option end
	end
	command[#command + 1] = ("-s '%s' '%s/kernels/oracles/%s.ir' 2>'%s.err'"):format(report, top, file_of(row), report)
	os.remove(report)
	local ok, _, status = os.execute(table.concat(command, " "))
	return ok and 0 or status
end

-- What is expected of a column or block: the table's value, or that of a deviation.
local function want_of(where, entry, row, column, table_value)
	local d = deviation(entry, row.id, column)
	if not d then return table_value end
	d.used = true
	if d.values[row.id] == table_value then fail(where, "the deviation of %s is none", column) end
	return d.values[row.id]
end

local function compare_counts(where, entry, row, fetches, columns)
	local launch = json.read(report).launches[1]
	local lanes, got = 0, {}
	for _, b in ipairs(launch.blocks) do
		got[b.label] = b.fetches
		lanes = lanes + b.threads
	end
	for label, n in fetches:gmatch("(%w+):(%d+)") do
		local want = want_of(where, entry, row, label, tonumber(n))
		if got[label] ~= want then fail(where, "block %s is fetched %s times, not %s", label, got[label], want) end
	end
	for label, n in row.ideal:gmatch("(%w+):(%d+)") do
		if (got[label] or 0) < tonumber(n) then fail(where, "block %s is fetched %s times, but a lane goes there %s times", label, got[label], n) end
	end
	if row.status == "LIVELOCK" then return end -- no counts besides
	if lanes ~= tonumber(row.lane_blocks) then fail(where, "%d lanes in all blocks, not %s", lanes, row.lane_blocks) end
	local noop = launch.divergence.noop_fetches
	if noop ~= tonumber(row.noop_fetches) then fail(where, "%d fetches for no lane, not %s", noop, row.noop_fetches) end
	for column in columns:gmatch("%S+") do
		local v, want = launch.divergence[OURS[column]], want_of(where, entry, row, column, tonumber(row[column]))
		if v ~= want then fail(where, "%s is %s, not %s", column, v, want) end
	end
end

local function errors() return (io.open(report .. ".err"):read("a")) end

-- The example checks its own memory: status 0 says that it is right.
local function check(entry, row, timed)
	local where = ("%s under %s %s%s (%s)"):format(file_of(row), entry.model, entry.set or "", timed and " timed" or "", row.mechanism)
	local status = run(entry, row, timed)
	compared = compared + 1
	local other = want_of(where, entry, row, "status")
	if row.status == "LIVELOCK" and not other then
		if status ~= 1 or not errors():find("error: livelock in kernel", 1, true) then fail(where, "exit status %d, but it should live-lock (1): %s", status, errors()) end
	elseif status ~= 0 then
		fail(where, "exit status %d: %s", status, errors())
	elseif not timed or not entry.timed then
		compare_counts(where, entry, row, other or row.per_block, entry.columns)
	elseif entry.timed == "fetches" and not has(SPINS, row.id) then
		compare_counts(where, entry, row, row.per_block, "")
	end
end

if not read_page():find(doc(), 1, true) then
	fail("doc/reconvergence.md", "its tables of rows and deviations are not those of this test (tests/sim/reconv/check_oracles.sh --update writes them)")
end
local rows = read_rows()
for _, entry in ipairs(ROWS) do
	for _, row in ipairs(rows) do
		local mine = row.mechanism == entry.row and (not entry.cases or has(entry.cases, row.id)) and (not only or only == entry.model)
		if mine then
			row.compared = true
			check(entry, row, false)
			check(entry, row, true)
		end
	end
end
-- Every row is compared.
for _, row in ipairs(rows) do
	if not only and not row.compared and row.mechanism ~= "ideal" then
		fail(row.mechanism, "case %s is not compared", row.id)
	end
end
for _, d in ipairs(DEVIATIONS) do
	if not only and not d.used then fail("deviations", "%s of %s is of no row", d.column, d.model) end
end
os.remove(report)
os.remove(report .. ".err")
print(("%d examples compared, %d differences"):format(compared, failed))
os.exit(failed == 0 and (only or compared > 650))
