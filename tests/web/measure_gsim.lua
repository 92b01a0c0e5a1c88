-- What the page costs: its size, the time from opening to ready, runs beside those of the command line, and
-- what a run and the source's panel do to frames. Arguments: a folder for files, gsim, the page. Nothing is
-- tested.
local top = os.getenv("srcdir") or "."
local browser = dofile(top .. "/tests/web/browser.lua")
local json = dofile(top .. "/tools/json.lua")
local folder, gsim, page = arg[1], arg[2], arg[3]
local TIMES = 5
local KERNELS = { "arithmetic", "divergent", "scattered" }
local b = browser.start(folder, 1400, 900)

local function median(list)
	table.sort(list)
	return list[(#list + 1) // 2]
end

local function size(path)
	local f = assert(io.open(path, "rb"))
	local n = f:seek("end")
	f:close()
	return n
end

local function first_line(command)
	local p = assert(io.popen(command))
	local text = p:read("l")
	p:close()
	return text
end

local function open() b:open("file://" .. page, "document.documentElement.dataset.ready === 'yes'") end

local function load() return first_line("cut -d' ' -f1 /proc/loadavg") end

local function start_up()
	local ready, rest = {}, {}
	for k = 1, 2 * TIMES do
		b:open("about:blank")
		open()
		ready[k] = b:run("performance.getEntriesByName('ready')[0].startTime")
		rest[k] = b:run("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
	end
	print(("%d bytes, gzip -9 of it %s; ready after %.0f ms (median of %d), the document read after %.0f"):format(size(page), first_line(("gzip -9 -c '%s' | wc -c"):format(page)),
		median(ready), #ready, median(rest)))
end

-- host.seconds of both, in turn, without traces; on one thread.
local function speed(name)
	local path = ("%s/kernels/bench/%s"):format(top, name)
	local function text(file)
		local f = assert(io.open(file, "rb"))
		local t = f:read("a"):gsub('[%c"\\<]', function(c) return ("\\x%02x"):format(c:byte()) end)
		f:close()
		return t
	end
	b:run(('$("record").checked = false; writeForm({ name: "%s", module: "%s", workload: "%s", machine: "kepler.lua" })'):format(name, text(path .. ".ptx"), text(path .. ".lua")))
	local here, there, ratio = {}, {}, {}
	for k = 1, TIMES do
		os.execute(("'%s' -c kepler.lua -j 1 -q -s '%s/report.json' '%s.ptx'"):format(gsim, folder, path))
		there[k] = json.read(folder .. "/report.json").host.seconds
		b:run("run().then(() => 0)")
		here[k] = b:run("last.runs[0].report.host.seconds")
		ratio[k] = here[k] / there[k]
	end
	local first = here[1]
	print(("%-12s %.3f s on the command line, %.3f s in the page (the first time %.3f): %.2f times as long, median of %d pairs"):format(name, median(there), median(here), first, median(ratio), TIMES))
end

-- The intervals of animation frames while something happens.
local FRAMES = [[(async () => {
	const list = [];
	let then = performance.now(), on = true;
	const tick = now => { list.push(now - then); then = now; if (on) requestAnimationFrame(tick); };
	requestAnimationFrame(tick);
	await (%s);
	on = false;
	list.sort((a, b) => a - b);
	return `${list.length} frames, median ${list[list.length >> 1].toFixed(1)} ms, 95 %% below ${list[Math.floor(list.length * 0.95)].toFixed(1)} ms, longest ${list.at(-1).toFixed(1)} ms`;
})()]]

local function frames(what, expression) print(("%-40s %s"):format(what, b:run(FRAMES:format(expression)))) end

print(("load %s"):format(load()))
start_up()
for _, name in ipairs(KERNELS) do speed(name) end
frames("frames during a run", "run()")
b:run("openExample(store.examples.findIndex(x => x.name === 'ray_tracer')); $('mode').value = 'both'; $('passes').value = 'linearize'; run().then(() => 0)")
print(("source of ray_tracer, before and after: %s ms to make, %s rows"):format(b:run("(t => (showTab('source'), document.body.offsetHeight, (performance.now() - t).toFixed(0)))(performance.now())"), b:run("document.querySelectorAll('#source tr').length")))
frames("frames while the source scrolls", "(async () => { for (let k = 0; k < 120; k++) { $('source').scrollTop += 40; await new Promise(requestAnimationFrame); } })()")
frames("frames while it is typed", "(async () => { editors.module.area.focus(); for (let k = 0; k < 120; k++) { document.execCommand('insertText', false, 'x'); await new Promise(requestAnimationFrame); } })()")
b:stop()
print(("load %s"):format(load()))
