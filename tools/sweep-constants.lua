-- What another value of a number does: arguments are its name, the value, the folder in which
-- tools/sweep-constants has put texts and tables, and pipelines. Prints one row.
local name, value, work = arg[1], arg[2], arg[3]

local function read(path)
	local f = io.open(path)
	local text = f and f:read("a")
	if f then f:close() end
	return text
end

local function lines(text)
	return select(2, text:gsub("\n", ""))
end

-- Cycles by kernel in a table of gsim --grid.
local function cycles(path)
	local of, names = {}, nil
	for line in (read(path) or ""):gmatch("[^\n]+") do
		local f = {}
		for field in line:gsub('"[^"]*"', function(q) return (q:gsub(",", ";")) end):gmatch("([^,]*),?") do f[#f + 1] = field end
		if not names then
			names = {}
			for i, x in ipairs(f) do names[x] = i end
		elseif f[names.status] == "ok" then
			of[f[names.kernel]] = tonumber(f[names.cycles])
		end
	end
	return of
end

local looked, otherwise, n, sum, size, seconds, ok = 0, 0, 0, 0, { 0, 0 }, { 0, 0 }, true
local best, worst
for k = 4, #arg do
	local pass = arg[k]:match("^[^,(]+")
	local plain, other = work .. "/plain/" .. arg[k], work .. "/other/" .. arg[k]
	for i, of in ipairs { plain, other } do
		local from, to = read(of .. ".time"):match("(%S+)%s+(%S+)")
		seconds[i] = seconds[i] + tonumber(to) - tonumber(from)
	end
	for file in io.popen("cd '" .. plain .. "' && find . -type f"):lines() do
		if not file:find("%.csv$") then
			local a, b = read(plain .. "/" .. file), read(other .. "/" .. file)
			looked, size[1], size[2] = looked + 1, size[1] + lines(a), size[2] + lines(b)
			if a ~= b then otherwise = otherwise + 1 end
			local before, after = cycles(plain .. "/" .. file .. ".csv"), cycles(other .. "/" .. file .. ".csv")
			for kernel, count in pairs(before) do
				if not after[kernel] and next(after) then ok = false end
				if after[kernel] and after[kernel] ~= count then
					local ratio = after[kernel] / count
					n, sum = n + 1, sum + math.log(ratio)
					if not best or ratio < best[1] then best = { ratio, kernel, pass } end
					if not worst or ratio > worst[1] then worst = { ratio, kernel, pass } end
				end
			end
		end
	end
end
local function show(x) return x and ("%.3f %s, %s"):format(x[1], x[2], x[3]) or "-" end
print(("%-22s %-11s %4d of %-4d %6d %6s  %-30s %-30s %.3f %6.2f"):format(name, value, otherwise, looked, n,
	n > 0 and ("%.3f"):format(math.exp(sum / n)) or "-", show(best), show(worst), size[2] / size[1], seconds[2] / math.max(seconds[1], 0.01)))
os.exit(ok)
