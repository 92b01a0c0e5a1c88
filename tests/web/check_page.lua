-- The page that gsim-trace --html writes, in Chromium: its figures, its steps and its states are those of
-- gsim-trace, two traces go in step, and damaged traces give a message. Arguments: a folder for files, gsim,
-- gsim-trace.
local top = os.getenv("srcdir") or "."
local browser = dofile(top .. "/tests/web/browser.lua")
local json = dofile(top .. "/tools/json.lua")
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
	os.execute(("%s --html --source %s -o %s/page.html %s 2>/dev/null"):format(trace, top, folder, names))
	b:open("file://" .. folder .. "/page.html", READY)
end

local function quiet(what)
	for _, text in ipairs(b.trouble) do
		fail("%s: the browser says: %s", what, text)
	end
	b.trouble = {}
end

local function choose_longest() b:run("(w => views[0].setWarp(w.sm, w.slot))(views[0].figures.warps.reduce((a, b) => a.issues < b.issues ? b : a))") end -- the warp with most issues

local function squeeze(text) return (text:gsub("[ \n]+$", ""):gsub(" +\n", "\n")) end

-- ---- figures, steps and states of runs under several mechanisms ----

local function check_sums(name, file)
	local page = {}
	for row in b:run("[...document.querySelectorAll('.sums tr')].map(r => r.innerText).join('\\n')"):gmatch("[^\n]+") do
		local what, n = row:match("(%S+)%s+(%d+)")
		page[what] = n
	end
	local said = 0
	for what, n in output(("%s --summary --launch 0 %s"):format(trace, file)):gmatch("\n  (%l[%l_]+)  +(%d+)") do
		said = said + 1
		if page[what] ~= n then fail("%s: %s is %s on the page, %s in the summary", name, what, page[what] or "not", n) end
	end
	if said < 14 then fail("%s: the summary has only %d sums", name, said) end
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

-- The block of the last issue, and of the first one, is in sight.
local function check_graph(name)
	for _, way in ipairs { 1, -1 } do
		b:run(("views[0].goToEnd(%d)"):format(way))
		if not b:run([=[(() => { const [g, box] = [".graph g.here", ".graph"].map(name => document.querySelector(name).getBoundingClientRect());
				return g.top >= box.top && g.bottom <= box.bottom && g.left >= box.left && g.right <= box.right; })()]=]) then
			fail("%s: the control flow does not show the block of the %s issue", name, way > 0 and "last" or "first")
		end
	end
end

local kernels = top .. "/kernels/"
local small = "--functional -D warp_size=4 -D sm.max_threads_per_block=256"
local runs = {
	{ "b2_ipdom", small .. " -m ipdom " .. kernels .. "oracles/b2.ir" },
	{ "b2_its", small .. " -m its " .. kernels .. "oracles/b2.ir" },
	{ "loop_exits", "-c kepler.lua " .. kernels .. "loop_exits/loop_exits.ir" },
	{ "short_circuit_its", "-c turing.lua " .. kernels .. "short_circuit/short_circuit.ptx" },
	{ "regroup_dwf", "-c kepler.lua -m dwf " .. kernels .. "regroup/regroup.ir" },
	{ "exits_sandy", "-c kepler.lua -m tf_sandy " .. kernels .. "loop_exits/loop_exits.ir" }, -- fetches blocks for no lane
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
		check_graph(name)
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
local function note_height() return b:run("document.querySelector('.said').getBoundingClientRect().height") end
if note_height() > 1 then fail("the sentence for screen readers is seen") end
b:run("views[0].goToEnd(1)")
b:run("views[0].goToNext('divergence', 1)")
if note_height() < 10 then fail("it cannot be seen that there is no next divergence") end
b:run("views[0].goToEnd(-1)")
if note_height() > 1 then fail("that there was no next divergence is still said elsewhere") end
local before = b:run("document.querySelector('.state').textContent")
for _ = 1, 6 do b:run("views[0].stepIssue(1)") end
for _ = 1, 6 do b:run("views[0].stepIssue(-1)") end
if b:run("document.querySelector('.state').textContent") ~= before then fail("six steps forward and back lead to another state") end

-- ---- two traces in step: the same visit to the same block of the source ----

-- The issues of a warp, as gsim-trace writes them; visit: which one this is of the warp's visits to its
-- block, counted by the issues of the block's first instruction; it is the last one that has a lane of this
-- issue.
local function issues_of(file, launch, sm, slot)
	local list, first, by_line = {}, {}, {}
	for line in output(("%s --text --launch %d --events issue --sm %d --warp %d %s"):format(trace, launch, sm, slot, file)):gmatch("[^\n]+") do
		local lanes, pc, block = line:match("^ *%d+ +%d+ +%d+ +%S+ +%d+ issue +(%S+) +(%d+) ([^:]+):")
		if lanes then
			list[#list + 1] = { line = squeeze(line), lanes = lanes, pc = tonumber(pc), block = block }
			first[block] = math.min(first[block] or math.huge, tonumber(pc))
		end
	end
	local begun = {}
	for _, i in ipairs(list) do
		begun[i.block] = begun[i.block] or {}
		if i.pc == first[i.block] then table.insert(begun[i.block], i.lanes) end
		for k = #begun[i.block], 1, -1 do
			local shares = false
			for at = 1, #i.lanes do shares = shares or (i.lanes:sub(at, at) == "1" and begun[i.block][k]:sub(at, at) == "1") end
			if shares then i.visit = k break end
		end
		by_line[i.line] = i
	end
	return list, by_line, begun
end

-- Steps one view through issues of a warp, from a place on, and looks where the other one stands. Views: {
-- file, launch }. Returns how many visits were not first ones.
local function check_following(name, leader, views, steps, start)
	local sm, slot = b:run(("views[%d].sm"):format(leader)), b:run(("views[%d].slot"):format(leader))
	local own, other = views[leader + 1], views[2 - leader]
	local _, mine = issues_of(own[1], own[2], sm, slot)
	local _, there, times = issues_of(other[1], other[2], sm, slot)
	local later, steps_made = 0, 0
	b:run(("views[%d].%s"):format(leader, start))
	for k = 1, steps do
		local shown = { b:run("views[0].moment.event"), b:run("views[1].moment.event") }
		local i = mine[squeeze(shown[leader + 1])]
		if not i then fail("%s, step %d: gsim-trace has no issue %s", name, k, shown[leader + 1]) return later end
		local note = b:run(("views[%d].$('beside').textContent"):format(1 - leader))
		if not times[i.block] then
			if not note:find("no block here") and not note:find("never comes") then fail("%s, step %d: %s is not in the other trace, and the page says '%s'", name, k, i.block, note) end
		else
			local j, expected = there[squeeze(shown[2 - leader])], math.min(i.visit, #times[i.block])
			if not j or j.block ~= i.block or j.visit ~= expected then
				fail("%s, step %d: beside visit %d of %s stands visit %s of %s, expected visit %d", name, k, i.visit, i.block, j and j.visit, j and j.block, expected)
				return later
			end
			later = later + (j.visit > 1 and 1 or 0)
			if not note:find(("Visit %d to %s"):format(expected, i.block), 1, true) then fail("%s, step %d: the page says '%s'", name, k, note) end
		end
		steps_made = k
		if not b:run(("views[%d].stepIssue(1)"):format(leader)) then break end
	end
	if steps_made < 20 then fail("%s: only %d steps", name, steps_made) end
	return later
end

local function check_pair(name, views, steps, start)
	if b:run("views.length") ~= 2 then fail("%s: the page shows %d traces", name, b:run("views.length")) return end
	local later = check_following(name, 0, views, steps, start or "goToEnd(-1)") + check_following(name .. ", led by the second", 1, views, steps, start or "goToEnd(-1)")
	if later < 10 then fail("%s: only %d visits were not first ones", name, later) end
	quiet(name)
end

os.execute(("%s -q -c kepler.lua -m its -t %s/exits_its.trace %sloop_exits/loop_exits.ir"):format(gsim, folder, kernels))
open(folder .. "/loop_exits.trace", folder .. "/exits_its.trace")
check_pair("two mechanisms", { { folder .. "/loop_exits.trace", 0 }, { folder .. "/exits_its.trace", 0 } }, 90)

-- Of traces with several chunks of events, from the last one on, of a warp that is there in both.
os.execute(("%s -q -c kepler.lua -m ipdom -t %s/mandelbrot_ipdom.trace %smandelbrot/mandelbrot.ptx"):format(gsim, folder, kernels))
open(folder .. "/mandelbrot_tf.trace", folder .. "/mandelbrot_ipdom.trace")
choose_longest()
b:run("views[0].goToEnd(1)")
local late = "goToCycle(" .. b:run("views[0].cycle") * 7 // 10 .. ")"
b:run("views[0]." .. late)
if b:run("views[0].moment.at[0]") < 1 then fail("mandelbrot_tf.trace: cycle %d is in the first chunk of events", b:run("views[0].cycle")) end
check_pair("several chunks", { { folder .. "/mandelbrot_tf.trace", 0 }, { folder .. "/mandelbrot_ipdom.trace", 0 } }, 30, late)

os.execute(("%s -q -b -p linearize -c kepler.lua -t %s/pass.trace %sloop_exits/loop_exits.ir"):format(gsim, folder, kernels))
open(folder .. "/pass.trace")
check_pair("before and after a pass", { { folder .. "/pass.trace", 0 }, { folder .. "/pass.trace", 1 } }, 90)

-- ---- both runs of one command ----
os.execute(("%s -q -b -p linearize -c kepler.lua --html %s/page.html %sshort_circuit/short_circuit.ir"):format(gsim, folder, kernels))
b:open("file://" .. folder .. "/page.html", READY)
if b:run("views.map(v => v.launch.run + v.launch.passes).join()") ~= "0,1linearize" then fail("-b --html shows %s", b:run("views.map(v => v.launch.run + v.launch.passes).join()")) end
quiet("both runs")

-- ---- pictures: what is painted is what was issued ----

-- The lanes of each cycle of a picture with 8 pixels a cycle, as gsim-trace writes them, and whether the
-- coarse picture has all of them.
local function painted(from, cycles)
	return b:run(([[(async () => {
		const v = views[0], w = %d * 8, window = { number: 0, sm: v.sm, slot: v.slot, slots: v.slots(), from: %d, to: %d, w }, list = [];
		const exact = await v.ask("picture", window, "exact"), coarse = await v.ask("picture", window, "coarse"), row = v.slots().indexOf(v.slot);
		for (let c = 0; c < %d; c++) {
			let text = "";
			for (let r = 0; r < v.launch.warpSize; r++) {
				text += (r && r %% 8 === 0 ? "'" : "") + (exact.lanes[r * w + c * 8 + 3] ? "1" : ".");
				if (exact.lanes[r * w + c * 8 + 3] && !coarse.lanes[r * w + c * 8 + 3]) text = "not in the coarse picture";
			}
			if (!!exact.pixels[row * w + c * 8 + 3] !== /1|coarse/.test(text)) text = "otherwise in the picture of warps";
			list.push(text);
		}
		return list.join(";") + ";";
	})()]]):format(cycles, from, from + cycles, cycles))
end

-- Of so many cycles, from a share of the last one on.
local function check_picture(name, share, cycles)
	local file = ("%s/%s.trace"):format(folder, name)
	open(file)
	choose_longest()
	b:run("views[0].goToEnd(1)")
	local sm, slot, lanes, c, issues, from = b:run("views[0].sm"), b:run("views[0].slot"), {}, 0, 0, b:run("views[0].cycle") * share // 1 | 0
	for line in output(("%s --text --launch 0 --events issue --sm %d --warp %d --cycles %d:%d %s"):format(trace, sm, slot, from, from + cycles - 1, file)):gmatch("[^\n]+") do
		local cycle, mask = line:match("^ *(%d+) +%d+ +%d+ +%S+ +%d+ issue +(%S+)")
		if cycle then lanes[tonumber(cycle)], issues = mask, issues + 1 end
	end
	for text in painted(from, cycles):gmatch("([^;]*);") do
		local expected = lanes[from + c] or text:gsub("1", ".")
		if text ~= expected then fail("%s: the picture of cycle %d has lanes %s, expected %s", name, from + c, text, expected) return end
		c = c + 1
	end
	if c ~= cycles or issues < 5 then fail("%s: %d cycles of the picture and %d issues compared", name, c, issues) end
end
check_picture("b2_ipdom", 0, 24)
check_picture("short_circuit_its", 0, 3000)
os.execute(("%s -q -c kepler.lua -m ipdom -t %s/bitonic.trace %sbitonic_sort/bitonic_sort.ptx"):format(gsim, folder, kernels))
check_picture("bitonic", 0.4, 2500)

-- ---- moments all over a trace of several chunks, and its end ----
open(folder .. "/mandelbrot_tf.trace")
choose_longest()
local last_cycle, issues = b:run("views[0].figures.last"), issues_of(folder .. "/mandelbrot_tf.trace", 0, b:run("views[0].sm"), b:run("views[0].slot"))
local seen = {}
for k = 0, 9 do
	local cycle, expected = last_cycle * k // 9, issues[1]
	for _, i in ipairs(issues) do
		if tonumber(i.line:match("%d+")) > cycle then break end
		expected = i
	end
	b:run(("views[0].goToCycle(%d)"):format(cycle))
	local shown = b:run("views[0].moment.event")
	if squeeze(shown) ~= expected.line then fail("cycle %d leads to\n  %s\n expected\n  %s", cycle, shown, expected.line) end
	local at = shown:match("%d+")
	seen[b:run("views[0].moment.at[0]")] = true
	local stack = output(("%s --stack %s --launch 0 --sm %d --warp %d %s/mandelbrot_tf.trace"):format(trace, at, b:run("views[0].sm"), b:run("views[0].slot"), folder)):match("SM %d+, warp .*") or "no warp is there"
	if squeeze(b:run("views[0].moment.state")) ~= squeeze(stack) then fail("mandelbrot_tf, state in cycle %s:\n%s-- gsim-trace has:\n%s", at, b:run("views[0].moment.state"), stack) end
end
if not seen[b:run("views[0].figures.of") - 1] then fail("no moment is in the last chunk") end
b:run("views[0].goToEnd(1)")
if squeeze(b:run("views[0].moment.event")) ~= issues[#issues].line then fail("the end is %s, expected %s", b:run("views[0].moment.event"), issues[#issues].line) end
if b:run("views[0].stepIssue(1)") then fail("there is a step behind the end") end
quiet("moments")

-- ---- figures over time: their sums are the report's, and they can be saved ----
os.execute(("%s -q -c kepler.lua -t %s/figures.trace -s %s/figures.json %smandelbrot/mandelbrot.ptx"):format(gsim, folder, folder, kernels))
open(folder .. "/figures.trace")
local report = json.read(folder .. "/figures.json").launches[1]
for reason, n in pairs(report.issue.stalls) do
	local shown = b:run(("(t => t ? +t.nextSibling.textContent : -1)([...document.querySelectorAll('.sums th')].find(t => t.textContent === 'stalls: %s'))"):format(reason))
	if shown ~= n and reason ~= "no_warp" then fail("stalls: %s are %d on the page, %d in the report", reason, shown, n) end
end
local function total(what) return b:run(("views[0].figures.bins.%s.reduce((n, v) => n + v, 0)"):format(what)) end
if total("issues") ~= b:run("views[0].figures.sums.warp_instructions + views[0].figures.sums.overhead") then fail("the figures have %d issues", total("issues")) end
local saved = b:run([[(async () => {
	let link = null;
	const click = HTMLAnchorElement.prototype.click;
	HTMLAnchorElement.prototype.click = function () { link = this; };
	document.querySelector("button.save").click();
	HTMLAnchorElement.prototype.click = click;
	const text = await new Response(await new Promise(f => { const r = new FileReader(); r.onload = () => f(r.result); r.readAsText(new Blob([views[0].figuresText()])); })).text();
	const file = new DOMParser().parseFromString(text, "image/svg+xml");
	return [link.download, link.href.slice(0, 5), file.documentElement.nodeName, file.querySelectorAll("parsererror").length, file.querySelectorAll("path").length > 8, /mandelbrot/.test(file.querySelector("title").textContent)].join(" ");
})()]])
if saved ~= "mandelbrot.svg blob: svg 0 true true" then fail("save as SVG gives %s", saved) end

-- ---- choosing by kernel, launch, SM and warp, by keyboard alone ----
os.execute(("%s -q -c volta.lua -D sm.count=2 -t %s/streams.trace %stwo_streams/two_streams.ir >%s/said"):format(gsim, folder, kernels, folder))
open(folder .. "/streams.trace")
local function settle() b:run("new Promise(f => requestAnimationFrame(() => setTimeout(f))).then(() => views[0].whole).then(() => views[0].queue)") end
local function focus(name) b:run(("document.querySelector('.%s').focus()"):format(name)) end
focus("kernel")
b:key("m", "m")
settle()
if b:run("document.querySelector('.kernel').value + ' ' + views[0].launch.kernel") ~= "=mix mix" then fail("the key m chooses kernel %s", b:run("document.querySelector('.kernel').value")) end
local listed = b:run("[...document.querySelectorAll('.launch option')].every(o => / mix/.test(o.text)) && document.querySelectorAll('.launch option').length")
if listed ~= b:run("views[0].trace.launches.filter(l => l.kernel === 'mix').length") then fail("of kernel mix, %s launches are listed", tostring(listed)) end
focus("sm")
b:key("ArrowDown")
settle()
if b:run("views[0].sm") ~= 1 or not b:run("views[0].moment.event"):match("^ *%d+ +1 ") then fail("the arrow chooses SM %d, and the event is %s", b:run("views[0].sm"), b:run("views[0].moment.event")) end
local slots = b:run("views[0].slots().length")
b:run("document.activeElement.blur()")
b:key("ArrowDown")
settle()
if slots > 1 and b:run("views[0].slot") ~= b:run("views[0].slots()[1]") then fail("arrow down leads to warp %d", b:run("views[0].slot")) end

-- Keys step, also while a button has the focus; steps by all events of the SM are those of gsim-trace.
open(folder .. "/b2_ipdom.trace")
b:run("document.querySelector('button.forward').click()")
settle()
focus("forward")
b:key("ArrowRight")
settle()
if at() ~= 2 then fail("a click and an arrow lead to cycle %d, expected 2", at()) end
b:key("d", "d")
settle()
if at() ~= 5 then fail("the key d leads to cycle %d, expected 5", at()) end
if not b:run("document.querySelector('.said').textContent"):match("^cycle 5, SM 0, warp 0: issue, all lanes; 5 A: bra") then fail("to be heard: %s", b:run("document.querySelector('.said').textContent")) end
b:run("document.querySelector('.steps').value = 'sm-event'; views[0].goToEnd(-1)")
local events, from = {}, b:run("views[0].moment.event")
for line in output(("%s --text --events all %s/b2_ipdom.trace"):format(trace, folder)):gmatch("[^\n]+") do
	if line:match("^ *%d+ +%d+ +%d+ +%S+ +%d+ ") then events[#events + 1] = squeeze(line) end
end
local place = 1
while events[place] and events[place] ~= squeeze(from) do place = place + 1 end
for k = 1, 40 do
	b:run("views[0].step(1)")
	if squeeze(b:run("views[0].moment.event")) ~= events[place + k] then fail("event %d: the page has\n  %s\ngsim-trace\n  %s", k, b:run("views[0].moment.event"), events[place + k]) break end
end

-- ---- a drag moves the window and not the moment; a click sets the moment ----
open(folder .. "/mandelbrot_tf.trace")
local box = "document.querySelector('canvas.lanes').getBoundingClientRect()"
local x, y = b:run(box .. ".left"), b:run(box .. ".top + 20")
local moment, left = at(), b:run("views[0].from")
b:mouse("mousePressed", x + 600, y, true)
for k = 1, 10 do b:mouse("mouseMoved", x + 600 - 20 * k, y, true) end
b:mouse("mouseReleased", x + 400, y, false)
settle()
local moved = b:run("views[0].from") - left
if at() ~= moment then fail("a drag leads from cycle %d to %d", moment, at()) end
if math.abs(moved - 200 * b:run("(views[0].to - views[0].from) / document.querySelector('canvas.lanes').clientWidth")) > 0.5 then fail("a drag by 200 pixels moves the window by %g cycles", moved) end
b:mouse("mousePressed", x + 300, y, true)
b:mouse("mouseReleased", x + 300, y, false)
settle()
if at() == moment then fail("a click leaves the moment at cycle %d", moment) end
quiet("drag")

-- ---- every control has a name; text can be read in light, dark and print ----
local unnamed = 0
for _, node in ipairs(b:call("Accessibility.getFullAXTree").nodes) do
	for _, property in ipairs(node.ignored and {} or node.properties or {}) do
		if property.name == "focusable" and property.value.value and node.role.value ~= "RootWebArea" and (not node.name or not node.name.value:find("%S")) then
			unnamed = unnamed + 1
			fail("a %s that can have the focus has no name", node.role.value)
		end
	end
end
b:run("document.body.focus()")
local reached = {}
for _ = 1, 60 do
	b:key("Tab", "\t")
	reached[b:run("document.activeElement.className.split(' ')[0]")] = true
end
for _, name in ipairs { "kernel", "launch", "sm", "warp", "cycle", "first", "back", "forward", "end", "steps", "play", "divergence", "meeting", "closer", "farther", "save", "state", "graph", "code", "source" } do
	if not reached[name] then fail("the Tab key does not come to '%s'", name) end
end
for _, how in ipairs { { "screen", "light" }, { "screen", "dark" }, { "print", "light" }, { "print", "dark" } } do
	b:media(how[1], how[2])
	local least = b:run([[(() => {
		const number = text => { const c = document.createElement("canvas").getContext("2d"); c.fillStyle = text; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3); };
		const light = text => number(text).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((n, v, k) => n + v * [0.2126, 0.7152, 0.0722][k], 0);
		const style = getComputedStyle(document.documentElement), of = name => light(style.getPropertyValue("--" + name).trim());
		const contrast = (a, b) => (Math.max(of(a), of(b)) + 0.05) / (Math.min(of(a), of(b)) + 0.05);
		return Math.min(...["paper", "shade", "mark"].flatMap(ground => ["ink", "pale"].map(text => contrast(text, ground))), contrast("bad", "paper"));
	})()]])
	if least < 4.5 then fail("%s, %s: the least contrast of text is %.2f, expected 4.5 (WCAG 2.2, 1.4.3)", how[1], how[2], least) end
	if (b:run("getComputedStyle(document.querySelector('.controls')).display") == "none") ~= (how[1] == "print") then fail("%s: controls are shown or hidden wrongly", how[1]) end
end
-- A dark page prints in the colours of paper, pictures too.
b:media("", "dark")
settle()
b:run("addEventListener('beforeprint', () => { window.printed = palette().ink + palette().paper; })")
b:call("Page.printToPDF")
local dark = b:run("palette().ink + palette().paper")
b:media("screen", "light")
settle()
local light = b:run("palette().ink + palette().paper")
if b:run("window.printed") ~= light or dark == light then fail("a dark page prints in %s; light is %s, dark %s", b:run("window.printed"), light, dark) end
quiet("looks")

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
