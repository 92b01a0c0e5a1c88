-- Bounds that hold on every shipped kernel: none takes fewer cycles under a mechanism than under mimd, and aware takes
-- at most 1.2 times as long as ipdom. All kernels, all mechanisms, on kepler.lua and volta.lua; quick: every eighth
-- kernel, on kepler.lua. Arguments: source tree, output directory. Run by tools/reproduce.
local top, out = arg[1], arg[2]
local tool, json = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/json.lua")
local quick = tonumber(os.getenv("QUICK") or 0) > 0

-- How often a thread of spin_lock tries for the lock depends on time, so the bound says nothing of it: under mimd all
-- try at once, and who has the lock waits behind them at L2: doc/reconvergence.md.
local EXCEPT = { ["spin_lock/spin_lock.ptx"] = true }

local kernels = {}
for path in tool.capture(("cd %s/kernels && ls */*.ir */*.ptx"):format(tool.quote(top))):gmatch("[^\n]+") do
	local folder = path:match("^[^/]+")
	if folder ~= "bench" and folder ~= "oracles" and folder ~= "host_programs" then kernels[#kernels + 1] = path end
end

local function exists(path)
	local f = io.open(path)
	return f and f:close()
end

local function workload(path)
	local own = ("%s/kernels/%s.lua"):format(top, path:gsub("%.%w+$", ""))
	if exists(own) then return own end
	return tool.capture(("ls %s/kernels/%s/*.lua"):format(tool.quote(top), path:match("^[^/]+"))):match("[^\n]+")
end

-- The cycles of all launches; nil where the mechanism does not end the kernel, or refuses it.
local function cycles(machine, model, path)
	local report = out .. "/report.json"
	os.remove(report)
	if not os.execute(("gsim -q --alone -c %s -m %s -w %s -s %s %s/kernels/%s >%s/messages 2>&1"):format(machine, model,
		tool.quote(workload(path)), tool.quote(report), tool.quote(top), path, tool.quote(out))) then
		return nil
	end
	local n = 0
	for _, launch in ipairs(json.read(report).launches) do n = n + launch.cycles end
	return n
end

local wrong, compared = 0, 0
local function below(n, bound, text, ...)
	compared = compared + 1
	if n > bound then
		print(text:format(...))
		wrong = wrong + 1
	end
end

local csv = { "machine,kernel,mechanism,cycles" }
for _, machine in ipairs(quick and { "kepler.lua" } or { "kepler.lua", "volta.lua" }) do
	for k = 1, #kernels, quick and 8 or 1 do
		local path, n = kernels[k], {}
		tool.progress(machine .. " " .. path)
		for _, model in ipairs(tool.mechanisms()) do
			n[model] = cycles(machine, model, path)
			csv[#csv + 1] = ("%s,%s,%s,%s"):format(machine, path, model, n[model] or "")
		end
		for model, c in pairs(n) do
			if not EXCEPT[path] then
				below(n.mimd or 0, c, "%s, %s: %s takes %d cycles, mimd %d", machine, path, model, c, n.mimd)
			end
		end
		if n.ipdom and n.aware then
			below(n.aware, 1.2 * n.ipdom, "%s, %s: aware takes %d cycles, ipdom %d", machine, path, n.aware, n.ipdom)
		end
	end
end
tool.progress("")
os.remove(out .. "/report.json")
os.remove(out .. "/messages")
tool.write(out .. "/bounds.csv", table.concat(csv, "\n") .. "\n")
print(("%d comparisons, %d wrong; cycles are in %s/bounds.csv"):format(compared, wrong, out))
os.exit(wrong == 0 and compared > 0 and 0 or 1)
