-- Frames of the trace's page while its time line is dragged, on a trace of 10^5 and one of 10^7 issues, in
-- Chromium: `make bench-page`. Not part of the tests: times are the machine's. A frame is the time between
-- two animation frames, and a long task one of more than 50 ms by the browser's count; both grow when others
-- use the machine. What the page's main thread needs itself is the processor's time for a move of the mouse,
-- by the browser's metrics; own functions are those that draw, by the clock. Arguments: a folder for files,
-- gsim, gsim-trace; page files to look at instead of the two.
local top = os.getenv("srcdir") or "."
local browser = dofile(top .. "/tests/web/browser.lua")
local folder, gsim, trace = arg[1], arg[2], arg[3]

local function load_average()
	local f = io.open("/proc/loadavg")
	local text = f and f:read("n") or -1
	if f then f:close() end
	return text
end

-- mandelbrot of w x h points; its loop has from 1 to 96 turns.
local function record(name, w, h)
	local file = assert(io.open(("%s/%s.lua"):format(folder, name), "w"))
	file:write(([[
local w, h = %d, %d
gpu.launch { kernel = "mandelbrot", grid = { w // 16, h // 16 }, block = { 16, 16 }, args = { gpu.buffer("u32", w * h), w, h, -2.0, -1.125, 3 / w, 96 } }
]]):format(w, h))
	file:close()
	local base = folder .. "/" .. name
	assert(os.execute(("%s -q -c kepler.lua -w %s.lua -t %s.trace %s/kernels/mandelbrot/mandelbrot.ptx"):format(gsim, base, base, top)))
	assert(os.execute(("%s --html -o %s.html %s.trace"):format(trace, base, base)))
	return base .. ".html"
end

local WATCH = [[
	window.seen = { frames: [], draws: [], tasks: [] };
	new PerformanceObserver(list => { for (const e of list.getEntries()) seen.tasks.push(e.duration); }).observe({ entryTypes: ["longtask"] });
	let then = 0;
	const frame = now => { if (then) seen.frames.push(now - then); then = now; requestAnimationFrame(frame); };
	requestAnimationFrame(frame);
	for (const name of ["draw", "takePicture", "take"]) {
		const f = View.prototype[name];
		if (f) View.prototype[name] = function (...args) { const a = performance.now(), r = f.apply(this, args); seen.draws.push(performance.now() - a); return r; };
	}
]]

-- Median, the 99th percentile and the worst of numbers.
local function spread(list)
	table.sort(list)
	local function at(share) return list[math.max(1, math.ceil(share * #list))] or 0 end
	return ("median %.1f ms, 99 %% within %.1f, worst %.1f, n = %d"):format(at(0.5), at(0.99), at(1), #list)
end

local function numbers(b, expression)
	local list = {}
	for n in b:run(("(async () => (%s).map(v => v.toFixed(2)).join(' '))()"):format(expression)):gmatch("%S+") do list[#list + 1] = tonumber(n) end
	return list
end

local function report(b, what, moves)
	local tasks = numbers(b, "seen.tasks")
	print(("  %s, load %.1f:%s\n    own functions        %s\n    frames               %s\n    %d long tasks%s"):format(what, load_average(), moves and "\n    processor for a move " .. spread(moves) or "",
		spread(numbers(b, "seen.draws")), spread(numbers(b, "seen.frames")), #tasks, #tasks > 0 and (", worst %.0f ms"):format(math.max(table.unpack(tasks))) or ""))
	b:run("seen.frames.length = seen.draws.length = seen.tasks.length = 0")
end

-- Milliseconds of processor time that tasks of the main thread have taken.
local function spent(b)
	for _, m in ipairs(b:call("Performance.getMetrics").metrics) do
		if m.name == "TaskDuration" then return m.value * 1000 end
	end
end

-- Drags from right to left, again and again, as fast as the page takes the moves. Returns the processor's
-- time for each move.
local function drag(b, times, step)
	local y, moves = b:run("document.querySelector('canvas.lanes').getBoundingClientRect().top + 40"), {}
	for _ = 1, times do
		b:mouse("mousePressed", 1200, y, true)
		local then_ = spent(b)
		for x = 1200, 200, -step do
			b:mouse("mouseMoved", x, y, true)
			local now = spent(b)
			moves[#moves + 1], then_ = now - then_, now
		end
		b:mouse("mouseReleased", 200, y, false)
	end
	return moves
end

local function look_at(b, page, name)
	b:open("about:blank")
	b:open("file://" .. page, "typeof views !== 'undefined' && views.length > 0 && document.querySelector('.event').textContent !== ''")
	local shown = b:run("performance.now()")
	b:run(WATCH)
	local y = "document.documentElement.dataset.ready === 'yes'"
	if not b:run(y) then report(b, "drags while it is read", drag(b, 2, 8)) end
	while not b:run(y) do b:run("new Promise(f => setTimeout(f, 50))") end
	print(("%s: %d issues, %d chunks; first moment shown after %.0f ms, all read after %.0f ms; load %.1f"):format(name,
		b:run("(views[0].survey || views[0].figures).issues"), b:run("views[0].survey ? views[0].launch.chunks.length : views[0].figures.of"), shown, b:run("performance.now()"), load_average()))
	b:run("seen.frames.length = seen.draws.length = seen.tasks.length = 0")
	report(b, "drags, 400 cycles shown", drag(b, 4, 8))
	for _ = 1, 5 do b:run("void views[0].zoom(2)") end
	b:run("new Promise(f => setTimeout(f, 300))")
	b:run("seen.frames.length = seen.draws.length = seen.tasks.length = 0")
	report(b, "drags, 12,800 cycles shown", drag(b, 4, 8))
	local jumps = numbers(b, [[await (async () => {
		const list = [], last = (views[0].survey || views[0].figures).last;
		for (let k = 0; k < 20; k++) {
			const a = performance.now();
			await views[0].goToCycle(Math.floor((k * 0.381966 % 1) * last));
			list.push(performance.now() - a);
		}
		return list;
	})()]])
	report(b, "20 jumps")
	print("  until the moment of a jump is shown: " .. spread(jumps))
	for _, text in ipairs(b.trouble) do print("  the browser says: " .. text) end
end

local b = browser.start(folder)
b:call("Performance.enable", { timeDomain = "threadTicks" })
local pages = { table.unpack(arg, 4) }
if #pages == 0 then pages = { record("issues_1e5", 80, 60), record("issues_1e7", 1024, 768) } end
for _, page in ipairs(pages) do look_at(b, page, page:match("[^/]*$")) end
b:stop()
