-- Whom lost lane-slots are charged to, counted again from a trace. What is known is what doc/reconvergence.md
-- says of partings and what `gsim-trace --csv` prints; nothing is taken from the simulator. It goes by pairs
-- of lanes: for each two of a warp, the issue at which they last parted.
--
-- An Issue is { place, cycle, pairs, open, to, several; partings, cycles, lost, met }: how many pairs of
-- lanes it keeps apart, and whether it has since there were any; the place where its lanes go on, and whether
-- there are several; what is charged to it. A Group is { lanes, last }: the mask of lanes that have not
-- parted since they were last together, and their last issue.
local recount = {}

local function next_lane(mask, lane)
	repeat
		lane = lane + 1
		if lane > 63 or mask >> lane == 0 then return nil end
	until mask >> lane & 1 == 1
	return lane
end

local function each_lane(mask) return next_lane, mask, -1 end

local function lowest(mask) return next_lane(mask, -1) end

local function count(mask)
	local n = 0
	while mask ~= 0 do mask, n = mask & mask - 1, n + 1 end
	return n
end

-- ---- what is printed ----

local NUMBERS = { "launch", "cycle", "sm", "warp", "split", "mask", "a", "b" }

local ROWS = { enter = true, rewrite = true, leave = true }

-- What takes a line apart into a table by the names of the columns. Only texts have commas. Rows of the state
-- are passed over (nil) that name no homes.
local function reader(header)
	local names, form, event = {}, {}, nil
	for name in header:gmatch("[^,]+") do
		if name == "event" then event = "^" .. ("[^,]*,"):rep(#names) .. "([^,]*)" end
		names[#names + 1] = name
		form[#form + 1] = name == "text" and "(.*)" or "([^,]*)"
	end
	local pattern = "^" .. table.concat(form, ",") .. "$"
	return function(line)
		if ROWS[line:match(event)] and not line:find("of warp", 1, true) then return nil end
		local e, field = {}, { line:match(pattern) }
		assert(#field == #names, "not a line of a trace: " .. line)
		for k, name in ipairs(names) do e[name] = field[k] end
		for _, name in ipairs(NUMBERS) do e[name] = math.tointeger(tonumber(e[name])) end
		e.line = tonumber(e.line) or 0
		return e
	end
end

-- ---- pairs of lanes ----

local Warp = {}
Warp.__index = Warp

local function warp_new(sums, width, lanes, index)
	local w = setmetatable({ sums = sums, slots = ~(-1 << width), threads = lanes, live = lanes, index = index, group = {}, parted = {}, touched = {} }, Warp)
	local all = { lanes = lanes }
	for l in each_lane(lanes) do w.group[l], w.parted[l] = all, {} end
	return w
end

-- From here on lanes a and b have parted at that issue; nil: they are together, or one has ended.
function Warp:apart(a, b, issue)
	local old = self.parted[a][b]
	if old == issue then return end
	if old then
		old.pairs = old.pairs - 1
		self.touched[old] = true
	end
	if issue then
		if issue.pairs == 0 and not issue.open then
			issue.open = true
			issue.partings = issue.partings + 1
			self.sums.partings[issue] = true
		end
		issue.pairs = issue.pairs + 1
	end
	self.parted[a][b], self.parted[b][a] = issue, issue
end

-- A parting that keeps no pair apart any longer is over, at the cycle, by an issue in that block ("": as
-- lanes end).
function Warp:settle(cycle, block)
	for issue in pairs(self.touched) do
		if issue.pairs == 0 and issue.open then
			issue.open = nil
			issue.cycles = issue.cycles + cycle - issue.cycle
			issue.met[block] = (issue.met[block] or 0) + 1
		end
	end
	self.touched = {}
end

-- Lanes of the group issue without its others: they part at what they executed together last.
function Warp:part(group, mask)
	local stay = { lanes = group.lanes & ~mask, last = group.last }
	local go = { lanes = group.lanes & mask, last = group.last }
	for a in each_lane(go.lanes) do
		for b in each_lane(stay.lanes) do self:apart(a, b, group.last) end
	end
	for l in each_lane(go.lanes) do self.group[l] = go end
	for l in each_lane(stay.lanes) do self.group[l] = stay end
end

-- When the lane's group parted last from any other.
function Warp:latest(lane)
	local latest = -1
	for _, issue in pairs(self.parted[lane]) do latest = math.max(latest, issue.cycle) end
	return latest
end

-- Groups meet: as seen by third lanes, all of them are where the one is that parted last.
function Warp:meet(mask)
	local first
	for l in each_lane(mask) do
		if not first or self:latest(l) > self:latest(first) then first = l end
	end
	local place, group = {}, { lanes = mask }
	for l, issue in pairs(self.parted[first]) do place[l] = issue end
	for l in each_lane(mask) do
		for third in each_lane(self.live & ~mask) do self:apart(l, third, place[third]) end
		for other in each_lane(mask & ~(1 << l)) do self:apart(l, other, nil) end
		self.group[l] = group
	end
	self.sums.meetings = self.sums.meetings + 1
end

-- Lanes that have issued last there go on at the place.
local function goes_on(issue, place)
	if not issue then return end
	issue.to = issue.to or place
	issue.several = issue.several or issue.to ~= place
end

-- Lanes of the warp issue together.
function Warp:issue(mask, issue)
	local group = self.group[lowest(mask)]
	if group.lanes == mask then
		goes_on(group.last, issue.place)
	else
		local groups = {}
		for l in each_lane(mask) do groups[self.group[l]] = true end
		for g in pairs(groups) do
			goes_on(g.last, issue.place)
			if g.lanes & ~mask ~= 0 then self:part(g, mask) end
		end
		if mask & ~self.group[lowest(mask)].lanes ~= 0 then self:meet(mask) end
		self:settle(issue.cycle, issue.place.block)
		group = self.group[lowest(mask)]
	end
	group.last = issue
end

-- Slots that no lane of the issue has (`taken`), charged to the causes of this warp, of which `mask` issues.
function Warp:charge(taken, mask, which)
	local lane = mask ~= 0 and lowest(mask)
	for l in each_lane(self.slots & ~taken) do
		if self.threads >> l & 1 == 0 then
			self.sums.no_thread[which] = self.sums.no_thread[which] + 1
		elseif self.live >> l & 1 == 0 then
			self.sums.ended[which] = self.sums.ended[which] + 1
		else
			local to = lane and self.parted[lane][l] or self.group[l].last.place
			to.lost[which] = to.lost[which] + 1
		end
	end
end

function Warp:exit(mask, cycle)
	for l in each_lane(mask) do
		for other in each_lane(self.live & ~(1 << l)) do self:apart(l, other, nil) end
		self.live = self.live & ~(1 << l)
		self.group[l].lanes = self.group[l].lanes & ~(1 << l)
		self.group[l] = nil
	end
	self:settle(cycle, "")
end

-- ---- a launch ----

local function launch_new(width)
	return { width = width, warps = {}, homes = {}, place = {}, partings = {}, no_thread = { 0, 0 }, ended = { 0, 0 }, meetings = 0, issues = { 0, 0 }, active = { 0, 0 } }
end

-- An instruction of the code: what is counted of it.
local function place_of(launch, e)
	local p = launch.place[e.a]
	if not p then
		p = { pc = e.a, fn = e["function"], block = e.block, file = e.file, line = e.line, text = e.text, which = e.added == "lowering" and 2 or 1,
			partings = 0, cycles = 0, lost = { 0, 0 }, issues = 0, active = 0, met = {} }
		launch.place[e.a] = p
	end
	return p
end

-- Homes of the split's lanes: { warp, mask } for each; rows of the trace's second table say it of splits with
-- lanes of several warps.
local function homes_of(launch, e)
	local list, all = {}, 0
	for _, row in ipairs(launch.homes[e.sm << 16 | e.warp] or {}) do
		if row.split == e.split then
			list[#list + 1] = { warp = launch.warps[e.sm << 16 | row.warp], mask = row.mask }
			all = all | row.mask
		end
	end
	if #list == 0 then return { { warp = launch.warps[e.sm << 16 | e.warp], mask = e.mask } } end
	assert(all == e.mask, ("cycle %d: the lanes of a split and of its homes differ"):format(e.cycle))
	return list
end

-- The warp that slots without a lane belong to: that of most lanes, of equal ones the first of the block.
local function owner(homes)
	local best
	for _, h in ipairs(homes) do
		h.n = count(h.mask)
		if not best or h.n > best.n or (h.n == best.n and h.warp.index < best.warp.index) then best = h end
	end
	return best
end

local on = {}

function on.warp_start(launch, e) launch.warps[e.sm << 16 | e.warp] = warp_new(launch, launch.width, e.mask, e.b) end

function on.warp_end(launch, e) launch.homes[e.sm << 16 | e.warp] = nil end

function on.issue(launch, e)
	local place, homes = place_of(launch, e), homes_of(launch, e)
	local which = place.which
	place.issues, place.active = place.issues + 1, place.active + count(e.mask)
	if e.mask == 0 then
		homes[1].warp:charge(0, 0, which)
		return
	end
	for _, h in ipairs(homes) do h.warp:issue(h.mask, { place = place, cycle = e.cycle, pairs = 0, partings = 0, cycles = 0, lost = { 0, 0 }, met = {} }) end
	local o = owner(homes)
	o.warp:charge(e.mask, o.mask, which)
end

function on.exit(launch, e)
	for _, h in ipairs(homes_of(launch, e)) do h.warp:exit(h.mask, e.cycle) end
end

local function rows(launch, e)
	local key = e.sm << 16 | e.warp
	local list = launch.homes[key] or {}
	launch.homes[key] = list
	return list
end

local function row(e) return { warp = tonumber(e.text:match("of warp (%d+)")), split = e.split, mask = e.mask } end

function on.enter(launch, e) table.insert(rows(launch, e), e.b + 1, row(e)) end

function on.rewrite(launch, e) rows(launch, e)[e.b + 1] = row(e) end

function on.leave(launch, e)
	for _ = 1, e.a do table.remove(rows(launch, e), e.b + 1) end
end

-- What is charged to issues goes to their places; if one is a branch, call or return from which all lanes
-- went on at the same place, to that.
local function settle(launch)
	for issue in pairs(launch.partings) do
		local op, rest = issue.place.text:match('^"?(%a+)(.*)')
		local sends = op == "bra" and rest:find(",") or op == "brx" or op == "call" or op == "ret"
		local place = sends and not issue.several and issue.to or issue.place
		place.partings, place.cycles = place.partings + issue.partings, place.cycles + issue.cycles
		for k = 1, 2 do place.lost[k] = place.lost[k] + issue.lost[k] end
		for block, times in pairs(issue.met) do place.met[block] = (place.met[block] or 0) + times end
	end
end

-- The launches of a trace, from 0: for each, what was counted.
function recount.read(path, width)
	local launches = {}
	local pipe = assert(io.popen(("gsim-trace --csv --events issue,exit,enter,rewrite,leave,warp_start,warp_end '%s'"):format(path)))
	local read = reader(pipe:read("l"))
	for line in pipe:lines() do
		local e = read(line)
		if e then
			launches[e.launch] = launches[e.launch] or launch_new(width)
			on[e.event](launches[e.launch], e)
		end
	end
	assert(pipe:close(), "gsim-trace has failed")
	for _, launch in pairs(launches) do settle(launch) end
	return launches
end

return recount
