-- What the labs say of the page in the browser is so. Arguments: the folder of the pages that the labs' own
-- commands have written, a folder for the browser.
local browser = dofile((os.getenv("srcdir") or ".") .. "/tests/web/browser.lua")
local pages, folder = arg[1], arg[2]
local failed, page = false, nil
local b = browser.start(folder)

local function expect(what, holds, got)
	if holds then return end
	failed = true
	print(("%s: %s; the page shows\n%s"):format(page, what, got))
end
local function open(name)
	page = name
	b:open("file://" .. pages .. "/" .. name, "document.documentElement.dataset.ready === 'yes'")
end

-- Does something on the page, and waits until it shows what that leads to: no view waits for its reader or
-- for its next frame, and none has begun to when the others had their turns. (Where two views go in step, one
-- asks when the other has its answer.)
local function act(script)
	b:run(([[(async () => {
		%s;
		for (let idle = 0; idle < 3;) {
			await new Promise(f => requestAnimationFrame(() => setTimeout(f)));
			idle = views.some(v => v.remote.waiting.size || v.frame) ? 0 : idle + 1;
		}
	})()]]):format(script))
end
local function press(key) act(('document.body.dispatchEvent(new KeyboardEvent("keydown", { key: %q, bubbles: true }))'):format(key)) end
local function shown(class, view)
	return (b:run(("document.querySelectorAll('.%s')[%d].innerText"):format(class, view or 0)))
end
-- The block and the lanes of the issue that a view shows.
local function place(view)
	local lanes, block = shown("event", view):match("issue%s+(%S+)%s+%d+ ([%w_.$]+):")
	return block, lanes
end
local function step_to(block, view)
	for _ = 1, 200 do
		if place(view) == block then return true end
		press("ArrowRight")
	end
	expect("no issue of " .. block, false, shown("event", view))
end
local function meets(...)
	for _, want in ipairs { ... } do
		press("m")
		expect("m leads to " .. want, place() == want, shown("event"))
	end
end

open("if.html")
for _ = 1, 3 do press("ArrowRight") end
expect("three steps lead to the branch", shown("event"):find("START: bra %below, THEN, ELSE", 1, true), shown("event"))
expect("the top entry has lane 0 and runs until END", shown("state"):find("stack, top first\n%s+2  1%.%.%.  path 4 THEN, until 10 END, runs"), shown("state"))
expect("one lane runs in THEN", shown("graph"):find("THEN%s*1"), shown("graph"))
meets("END")
expect("all lanes are together", select(2, place()) == "1111", shown("event"))
press("ArrowLeft")
expect("left is the issue before", place() == "ELSE", shown("event"))

open("nest.html")
step_to("T4")
local _, entries = (shown("state"):match("stack, top first(.*)") or ""):gsub("\n%s+%d+  [1.]+  %l+ %d+ [TEJ]", "")
expect("nine entries while T4 runs", entries == 9, shown("state"))
meets("J4", "J3", "J2", "J1")

open("fig1.html")
step_to("B5")
expect("lane 1 is at B5 alone, lanes 2 and 3 wait in an entry at B2", select(2, place()) == ".1.." and shown("state"):find("  ..11  path 10 B2", 1, true),
	shown("event") .. "\n" .. shown("state"))

open("both.html")
expect("two views", b:run("views.length") == 2, "")
step_to("B5")
local left, right = { place(0) }, { place(1) }
expect("both are at B5, for one lane and for three", left[2] == ".1.." and right[1] == "B5" and right[2] == ".111", shown("event", 0) .. shown("event", 1))

open("branches.html")
expect("a warp can be chosen", b:run("document.querySelectorAll('select.warp option').length") == 4, "")
press("d")
expect("d leads to HEAD's branch", shown("event"):find("HEAD: bra", 1, true), shown("event"))
press("ArrowRight")
expect("lane 3 has left", select(2, place()) == "111.", shown("event"))

open("its.html")
for _ = 1, 100 do
	if shown("event"):find("bsync", 1, true) then break end
	press("ArrowRight")
end
for _, want in ipairs { "convergence barriers\n%s+%d+  1111  barrier %d+ %d+ %w+, waiting 1%.%.%.", "first to run first\n%s+%d+  %.111  group" } do
	expect("the tables have " .. want, shown("state"):find(want), shown("state"))
end

open("tbc.html")
local letter = {}
for warp = 0, 3 do
	act(("const s = document.querySelector('select.warp'); s.value = s.options[%d].value; s.dispatchEvent(new Event('change'))"):format(warp))
	press("Home")
	local list, last = "", nil
	for _ = 1, 60 do
		local block, event = place(), shown("event")
		if event == last then break end
		if block and list:sub(-1) ~= block then list = list .. block end
		last = event
		b:run("views[0].stepIssue(1)")
	end
	letter[#letter + 1] = list
end
expect("two of the four warps issue in B and C", table.concat(letter, " ") == "ABCD ABCD AD AD", table.concat(letter, " "))

open("circuit.html")
local fetches = { [0] = {}, [1] = {} }
for _ = 1, 500 do
	for view = 0, 1 do
		local pc = shown("event", view):match("issue%s+%S+%s+(%d+) %$L__BB0_4:")
		local first = fetches[view][1]
		if pc and (not first or first.pc == pc) and shown("event", view) ~= fetches[view].last then
			table.insert(fetches[view], { pc = pc, lanes = select(2, place(view)) })
			fetches[view].last = shown("event", view)
		end
	end
	if shown("event", 0):find(": ret", 1, true) then break end
	press("ArrowRight")
end
expect("as it is, $L__BB0_4 is fetched three times for a lane each, and once for three of them behind the pass",
	#fetches[0] == 3 and #fetches[1] == 1 and fetches[1][1].lanes == ".111", #fetches[0] .. ", " .. #fetches[1])

open("one.html")
expect("reasons for stalls stand below", shown("legend"):find("memory"), shown("legend"))

expect("no trouble", #b.trouble == 0, b.trouble[1])
b:stop()
os.exit(not failed)
