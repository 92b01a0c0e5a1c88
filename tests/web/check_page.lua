-- The page that gsim-trace --html writes, in Chromium: its figures, its steps and its states are those of gsim-trace, two traces go in step, and damaged
-- traces give a message. Arguments: a folder for files, gsim, gsim-trace.
local top = os.getenv("srcdir") or "."
local browser = dofile(top .. "/tests/web/browser.lua")
local folder, gsim, trace = arg[1], arg[2], arg[3]
local failed = 0

local function fail(...)
	failed = failed + 1
	print("FAILED: " .. string.format(...))
end

local function output(command)
	local p = assert(io.popen(command))
	local text = p:read("a")
	p:close()
	return text
end

local function write(path, text)
	local f = assert(io.open(path, "wb"))
	f:write(text)
	f:close()
end

local function read(path)
	local f = assert(io.open(path, "rb"))
	local text = f:read("a")
	f:close()
	return text
end

local READY = "document.documentElement.dataset.ready === 'yes'"
local b = browser.start(folder)

local function open(...)
	local names = table.concat({ ... }, " ")
	os.execute(("%s --html -o %s/page.html %s 2>/dev/null"):format(trace, folder, names))
	b:open("file://" .. folder .. "/page.html", READY)
end

local function quiet(what)
	for _, text in ipairs(b.trouble) do
		fail("%s: the browser says: %s", what, text)
	end
	b.trouble = {}
end

local function squeeze(text) return (text:gsub("[ \n]+$", ""):gsub(" +\n", "\n")) end

-- ---- figures, steps and states of runs under several mechanisms ----

local function check_sums(name, file)
	local page = {}
	for row in b:run("[...document.querySelectorAll('.sums tr')].map(r => r.innerText).join('\\n')"):gmatch("[^\n]+") do
		local what, n = row:match("(%S+)%s+(%d+)")
		page[what] = n
	end
	local said = 0
	for what, n in output(("%s --summary --launch 0 %s"):format(trace, file)):gmatch("\n  (%l[%l_]+) +(%d+)") do
		if page[what] then
			said = said + 1
			if page[what] ~= n then fail("%s: %s is %s on the page, %s in the summary", name, what, page[what], n) end
		end
	end
	if said < 14 then fail("%s: the page has only %d of the summary's sums", name, said) end
end

-- Every issue of the warp that the page opens with, up to some, by the button.
local function check_steps(name, file, most)
	local sm, slot = b:run("views[0].sm"), b:run("views[0].slot")
	local k, states = 0, 0
	for line in output(("%s --text --launch 0 --events issue --sm %d --warp %d %s"):format(trace, sm, slot, file)):gmatch("[^\n]+") do
		if line:match("^ *%d+ +%d+ +%d+ +%S+ +%d+ issue") then
			k = k + 1
			if k > most then break end
			local shown = b:run("document.querySelector('.event').textContent")
			if squeeze(shown) ~= squeeze(line) then fail("%s, issue %d:\n  page       %s\n  gsim-trace %s", name, k, shown, line) return end
			if k % 7 == 1 then
				local cycle = line:match("^ *(%d+)")
				local stack = output(("%s --stack %s --launch 0 --sm %d --warp %d %s"):format(trace, cycle, sm, slot, file))
				stack = stack:match("(SM %d+, warp .*)") or ""
				states = states + 1
				if squeeze(b:run("document.querySelector('.state').textContent")) ~= squeeze(stack) then
					fail("%s, state in cycle %s:\n%s-- gsim-trace has:\n%s", name, cycle, b:run("document.querySelector('.state').textContent"), stack)
					return
				end
			end
			b:run("views[0].stepIssue(1)")
		end
	end
	if k < 5 or states < 1 then fail("%s: only %d steps", name, k) end
end

local kernels = top .. "/kernels/"
local small = "--functional -D warp_size=4 -D sm.max_threads_per_block=256"
local runs = {
	{ "b2_ipdom", small .. " -m ipdom " .. kernels .. "oracles/b2.ir" },
	{ "b2_its", small .. " -m its " .. kernels .. "oracles/b2.ir" },
	{ "loop_exits", "-c kepler.lua " .. kernels .. "loop_exits/loop_exits.ir" },
	{ "short_circuit_its", "-c turing.lua " .. kernels .. "short_circuit/short_circuit.ptx" },
	{ "regroup_dwf", "-c kepler.lua -m dwf " .. kernels .. "regroup/regroup.ir" },
	{ "mandelbrot_tf", "-c kepler.lua -m tf_stack " .. kernels .. "mandelbrot/mandelbrot.ptx" },
}
for _, run in ipairs(runs) do
	local name, file = run[1], folder .. "/" .. run[1] .. ".trace"
	if not os.execute(("%s -q -t %s %s"):format(gsim, file, run[2])) then
		fail("%s does not run", name)
	else
		open(file)
		check_sums(name, file)
		check_steps(name, file, 120)
		quiet(name)
	end
end

-- ---- divergence and meeting, back again ----
open(folder .. "/b2_ipdom.trace")
local function at() return tonumber(b:run("views[0].cycle")) end
local expected = { { "divergence", 1, 5 }, { "divergence", 1, 10 }, { "meeting", 1, 14 }, { "meeting", 1, 17 }, { "divergence", -1, 10 } }
for _, step in ipairs(expected) do
	b:run(("views[0].goToNext('%s', %d)"):format(step[1], step[2]))
	if at() ~= step[3] then fail("%s %d leads to cycle %d, expected %d", step[1], step[2], at(), step[3]) end
end
b:run("views[0].goToEnd(-1)")
local before = b:run("document.querySelector('.state').textContent")
for _ = 1, 6 do b:run("views[0].stepIssue(1)") end
for _ = 1, 6 do b:run("views[0].stepIssue(-1)") end
if b:run("document.querySelector('.state').textContent") ~= before then fail("six steps forward and back lead to another state") end

-- ---- two traces in step: by blocks of the source ----
open(folder .. "/b2_ipdom.trace", folder .. "/b2_its.trace")
if b:run("views.length") ~= 2 then fail("a page of two traces shows %d", b:run("views.length")) end
for _ = 1, 12 do
	b:run("(async () => { await views[0].stepIssue(1); await new Promise(f => setTimeout(f, 30)); })()")
	local one, two = b:run("views[0].launch.ins[views[0].now.alo[views[0].index]].block"), b:run("views[1].launch.ins[views[1].now.alo[views[1].index]].block")
	if one ~= two then fail("two traces in step stand in %s and %s", one, two) end
end
quiet("two traces")

-- ---- both runs of one command ----
os.execute(("%s -q -b -p linearize -c kepler.lua --html %s/page.html %sshort_circuit/short_circuit.ir"):format(gsim, folder, kernels))
b:open("file://" .. folder .. "/page.html", READY)
if b:run("views.map(v => v.launch.run + v.launch.passes).join()") ~= "0,1linearize" then fail("-b --html shows %s", b:run("views.map(v => v.launch.run + v.launch.passes).join()")) end
quiet("both runs")

-- ---- damaged traces ----
local whole = read(folder .. "/loop_exits.trace")
local state = 12345
local function random(n)
	state = (state * 1103515245 + 12345) % 2147483648
	return (state >> 8) % n
end
for k = 1, 24 do
	local text
	if k <= 8 then
		text = whole:sub(1, 1 + random(#whole - 1))
	else
		local at = 1 + random(#whole)
		text = whole:sub(1, at - 1) .. string.char((whole:byte(at) + 1 + random(255)) % 256) .. whole:sub(at + 1)
	end
	write(folder .. "/damaged.trace", text)
	os.execute(("%s --html -o %s/page.html %s/damaged.trace 2>%s/said"):format(trace, folder, folder, folder))
	if read(folder .. "/said") == "" then fail("damage %d is not told by gsim-trace", k) end
	local page = read(folder .. "/page.html")
	if page ~= "" then
		b:open("file://" .. folder .. "/page.html", READY)
		quiet("damage " .. k)
	end
end
b:stop()
if failed > 0 then
	print(failed .. " checks failed")
	os.exit(1)
end
