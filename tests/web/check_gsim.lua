-- gsim.html, the page that `make page` makes, in Chromium: what it says is what the command line says, byte
-- for byte, and so are its reports and traces; its views show the figures of the reports; hostile input gives
-- messages. Arguments: a folder for files, gsim, gsim-trace, the page.
local top = os.getenv("srcdir") or "."
local browser = dofile(top .. "/tests/web/browser.lua")
local json = dofile(top .. "/tools/json.lua")
local folder, gsim, trace, page = arg[1], arg[2], arg[3], arg[4]
local failed = 0
local count = { runs = 0, bytes = 0, reports = 0, traces = 0, pages = 0, lines = 0, rows = 0 }

local function fail(...)
	failed = failed + 1
	print("FAILED: " .. string.format(...))
end

-- A text as JavaScript has it.
local function quote(text) return '"' .. text:gsub('[%c"\\<]', function(c) return ("\\x%02x"):format(c:byte()) end) .. '"' end

local function read(path)
	local f = io.open(path, "rb")
	local text = f and f:read("a")
	if f then f:close() end
	return text
end

local function write(path, text)
	local f = assert(io.open(path, "wb"))
	f:write(text)
	f:close()
end

local function output(command)
	local p = assert(io.popen(command))
	local text = p:read("a")
	p:close()
	return text
end

local b = browser.start(folder, 1500, 1000)
-- The frame of the trace is apart from the page, and for the browser a target of its own, which the last
-- message about one names.
local frame
local receive = getmetatable(b).receive
function b:receive()
	local m = receive(self)
	if m.method == "Target.attachedToTarget" and m.params.targetInfo.type == "iframe" then frame = m.params.sessionId end
	if m.method == "Target.detachedFromTarget" and m.params.sessionId == frame then frame = nil end
	return m
end
b:call("Target.setAutoAttach", { autoAttach = true, waitForDebuggerOnStart = false, flatten = true })
local READY = "document.documentElement.dataset.ready === 'yes'"

local function trouble(what)
	for _, text in ipairs(b.trouble) do fail("%s: the browser says: %s", what, text) end
	b.trouble = {}
end

-- Waits until an expression is true.
local function wait(what, expression)
	for _ = 1, 2400 do
		if b:run(expression) then return end
		b:run("new Promise(f => setTimeout(f, 25))")
	end
	error(what .. ": waited for a minute")
end

local ENDED = "document.documentElement.dataset.status !== undefined && !runner.busy"
local function status() return b:run("document.documentElement.dataset.status") end

local function fill(input)
	local part = {}
	for key, value in pairs(input) do
		if type(value) == "string" then
			part[#part + 1] = ("%s: %s"):format(key, quote(value))
		elseif key == "models" then
			local names = {}
			for k, name in ipairs(value) do names[k] = quote(name) end
			part[#part + 1] = ("models: [%s]"):format(table.concat(names, ", "))
		end
	end
	b:run(("$('mode').value = 'once'; $('model').value = OF_THE_MACHINE; writeForm({ %s })"):format(table.concat(part, ", ")))
end

-- open: fills the form in another way.
local function run(input, open)
	if open then b:run(open) else fill(input) end
	b:run("delete document.documentElement.dataset.status; document.getElementById('run').click()")
	wait("a run", ENDED)
	return status()
end

-- ---- the same on the command line ----

local function shell(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- Leaves out, err, report.json and NAME.trace in the folder `run`; returns the exit status.
local function native(input, extension)
	local at = folder .. "/run"
	os.execute(("rm -rf '%s'; mkdir '%s'"):format(at, at))
	write(("%s/%s.%s"):format(at, input.name, extension), input.module)
	if input.workload then write(("%s/%s.lua"):format(at, input.name), input.workload) end
	local word = { shell(gsim), "-c", input.machine }
	local function add(...) for _, w in ipairs { ... } do word[#word + 1] = shell(w) end end
	if input.mode == "grid" then
		add("--grid")
		for _, m in ipairs(input.models) do add("-m", m) end
		for p in input.passes:gmatch("%S+") do add("-p", p) end
		add("-s", "report.csv", "-s", "report.svg")
	else
		if input.model then add("-m", input.model) end
		if input.passes then add("-p", input.passes) end
		if input.mode == "both" then add("-b") end
		add("-t", input.name .. ".trace")
	end
	add("-s", "report.json")
	word[#word + 1] = input.options or ""
	add(input.name .. "." .. extension)
	if input.arguments then word[#word + 1] = "-- " .. input.arguments end
	return output(("cd '%s' && { %s >out 2>err; echo $?; }"):format(at, table.concat(word, " "))):match("%d+")
end

local function first_difference(a, c)
	local line = 1
	for k = 1, math.max(#a, #c) do
		if a:byte(k) ~= c:byte(k) then break end
		if a:byte(k) == 10 then line = line + 1 end
	end
	local function at(text)
		for l in (text .. "\n"):gmatch("([^\n]*)\n") do
			line = line - 1
			if line == 0 then return l end
		end
		return "nothing"
	end
	local n = line
	local here = at(a)
	line = n
	return ("line %d: `%s` in the page, `%s` on the command line"):format(n, here, at(c))
end

local function same_text(what, kind, wanted)
	local text = b:run(("[...document.querySelectorAll('#report .%s')].map(e => e.textContent).join('')"):format(kind))
	count.bytes = count.bytes + #text
	if text ~= wanted then fail("%s, standard %s: %s", what, kind == "out" and "output" or "error", first_difference(text, wanted)) end
end

-- Files are compared by their sums; what depends on the host is left out of reports: the objects "host".
local SUM = [[(async path => {
	if (!last?.files[path]) return "none";
	const bytes = path.endsWith(".json") ? new TextEncoder().encode(textOfBytes(last.files[path]).replace(/"host": \{[^}]*\}/g, "")) : last.files[path];
	return [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map(x => x.toString(16).padStart(2, "0")).join("");
})(%s)]]

local function same_file(what, name, field)
	local path = folder .. "/run/" .. name
	local text = read(path)
	local wanted = "none"
	if text and name:match("%.json$") then
		write(path .. ".part", (text:gsub('"host": %b{}', "")))
		path = path .. ".part"
	end
	if text then wanted = output(("sha256sum '%s'"):format(path)):match("%x+") end
	local sum = b:run(SUM:format(quote("/input/" .. name)))
	if sum ~= wanted then
		fail("%s: %s of the page and of the command line differ", what, name)
	elseif text then
		count[field] = count[field] + 1
	end
end

local function compare(what, input, extension, open)
	local wanted, found = native(input, extension), run(input, open)
	count.runs = count.runs + 1
	if found ~= wanted then fail("%s: status %s, on the command line %s", what, found, wanted) end
	same_text(what, "out", read(folder .. "/run/out"))
	same_text(what, "err", read(folder .. "/run/err"))
	same_file(what, "report.json", "reports")
	if input.mode == "grid" then
		same_file(what, "report.csv", "reports")
		same_file(what, "report.svg", "reports")
	else
		same_file(what, input.name .. ".trace", "traces")
	end
end

-- ---- the views ----

local function digits(text) return tonumber((text:gsub(",", ""))) or 0 end

-- Rows of the source as the report's table of lines has them, summed over functions.
local function lines_of(report)
	local sums = {}
	for _, l in ipairs(report.total.lines) do
		local at = l.line > 0 and ("%s:%d"):format(l.file, l.line) or l["function"] and ":added" or ":none"
		local s = sums[at] or { issues = 0, lost = 0, stalls = 0, thread = 0, warp = 0 }
		sums[at] = s
		s.warp, s.thread = s.warp + l.warp_instructions, s.thread + l.thread_instructions
		s.issues = s.issues + l.warp_instructions + (l.overhead and l.overhead.warp_instructions or 0)
		s.lost = s.lost + (l.lost or 0)
		for _, n in pairs(l.stalls or {}) do s.stalls = s.stalls + n end
	end
	return sums
end

local ROWS = "showTab('source'), [...document.querySelectorAll('#source tr.has')].map(r => r.dataset.line + '|' + [...r.children].slice(2).map(c => c.textContent).join('|')).join('\\n')"

local function check_source(what, reports)
	local wanted = {}
	for k, r in ipairs(reports) do wanted[k] = lines_of(r) end
	local seen = 0
	for row in b:run(ROWS):gmatch("[^\n]+") do
		local cell = {}
		for text in (row .. "|"):gmatch("([^|]*)|") do cell[#cell + 1] = text end
		for k = 1, #reports do
			local s = wanted[k][cell[1]]
			if s then
				seen = seen + 1
				local issues, lanes, lost, stalls = table.unpack(cell, 4 * k - 2, 4 * k + 1)
				local mean = s.warp > 0 and ("%.1f"):format(s.thread / s.warp) or ""
				if digits(issues) ~= s.issues or digits(lost) ~= s.lost or digits(stalls) ~= s.stalls or math.abs(digits(lanes) - digits(mean)) > 0.1001 then
					fail("%s: the source shows %s, the report has %d issues, %s lanes, %d lost, %d stalls", what, row, s.issues, mean, s.lost, s.stalls)
				end
			end
		end
	end
	local all = 0
	for _, sums in ipairs(wanted) do
		for _ in pairs(sums) do all = all + 1 end
	end
	if seen ~= all then fail("%s: the source shows %d rows with figures, the report has %d", what, seen, all) end
	count.lines = count.lines + seen
end

-- The page of the trace: the same bytes as gsim-trace writes, and it comes up in its frame, with the figures
-- of the trace.
local function check_trace(what, names)
	b:run("showTab('trace')")
	wait(what, "document.documentElement.dataset.trace === 'made' || !$('message').hidden")
	local files = {}
	for k, name in ipairs(names) do files[k] = shell(name) end
	output(("cd '%s/run' && '%s' --html --source . -o trace.html %s"):format(folder, trace, table.concat(files, " ")))
	local sum = b:run([[crypto.subtle.digest("SHA-256", last.page).then(d => [...new Uint8Array(d)].map(x => x.toString(16).padStart(2, "0")).join(""))]])
	if sum ~= output(("sha256sum '%s/run/trace.html'"):format(folder)):match("%x+") then
		fail("%s: the page of the trace is not what gsim-trace --html writes", what)
		return
	end
	local function inside(expression)
		local ours = b.session
		b.session = frame
		local ok, answer = pcall(b.call, b, "Runtime.evaluate", { expression = expression, returnByValue = true })
		b.session = ours
		return ok and answer.result.value
	end
	for _ = 1, 400 do
		if frame and inside("document.documentElement.dataset.ready === 'yes'") then break end
		b:run("new Promise(f => setTimeout(f, 25))")
	end
	local shown, said = {}, 0
	for row in (frame and inside("[...document.querySelectorAll('.sums')].slice(0, 1).flatMap(t => [...t.querySelectorAll('tr')]).map(r => r.innerText).join('\\n')") or ""):gmatch("[^\n]+") do
		local name, n = row:match("(%S+)%s+(%d+)")
		if name then shown[name] = n end
	end
	for name, n in output(("cd '%s/run' && '%s' --summary --launch 0 %s"):format(folder, trace, files[1])):gmatch("\n  (%l[%l_]+) +(%d+)") do
		said = said + (shown[name] and 1 or 0)
		if shown[name] and shown[name] ~= n then fail("%s: the trace's page shows %s %s, gsim-trace %s", what, name, shown[name], n) end
	end
	if said < 10 then fail("%s: the trace's page shows only %d of the trace's sums", what, said) end
	count.pages = count.pages + 1
end

local GRID = "[...document.querySelectorAll('#grid tbody tr')].map(r => [...r.children].slice(1).map(c => c.textContent).join('|')).join('\\n')"

local function check_grid(what, report)
	local k = 0
	for row in b:run(GRID):gmatch("[^\n]+") do
		k = k + 1
		local cell, r = {}, report.runs[k]
		for text in (row .. "|"):gmatch("([^|]*)|") do cell[#cell + 1] = text end
		if cell[1] ~= r.model or cell[2] ~= (r.passes ~= "" and r.passes or "none") then
			fail("%s, row %d: %s, %s; the report has %s, %s", what, k, cell[1], cell[2], r.model, r.passes)
		elseif r.status == "ok" and (digits(cell[3]) ~= r.total.cycles or digits(cell[5]) ~= r.total.warp_instructions) then
			fail("%s, row %d: %s cycles, %s issues; the report has %d, %d", what, k, cell[3], cell[5], r.total.cycles, r.total.warp_instructions)
		elseif r.status ~= "ok" and not row:find(r.error:match("^[^\n]+"), 1, true) then
			fail("%s, row %d: %s; the report says: %s", what, k, row, r.error)
		end
	end
	if k ~= #report.runs then fail("%s: %d rows, the report has %d runs", what, k, #report.runs) end
	count.rows = count.rows + k
end

-- ---- over a hundred runs ----

local function kernel(path)
	return { name = path:match("([%w_]+)%.%w+$"), module = assert(read(top .. "/" .. path), path), workload = read(top .. "/" .. path:gsub("%.%w+$", ".lua")) }, path:match("%w+$")
end

local function with(input, more)
	local all = {}
	for key, value in pairs(input) do all[key] = value end
	for key, value in pairs(more) do all[key] = value end
	return all
end

local KERNELS = { { "kernels/short_circuit/short_circuit.ir", "teaching" }, { "kernels/loop_exits/loop_exits.ir", "kepler" }, { "kernels/k_way/k_way.ir", "volta" },
	{ "kernels/regroup/regroup.ir", "fermi" }, { "kernels/reduction/reduction.ptx", "turing" }, { "kernels/scan/scan.ptx", "ampere" },
	{ "kernels/mandelbrot/mandelbrot.ptx", "kepler" }, { "kernels/bitonic_sort/bitonic_sort.ptx", "vega20" }, { "kernels/recursion/recursion.ptx", "maxwell" },
	{ "kernels/queens/queens.ptx", "hopper" } }
local MODELS = { "ipdom", "token", "tf_stack", "its", "dual_path", "exec_mask", "dwf" }
local PASSES = { "linearize", "const-prop,gcse,dce", "meld" }

local function check_runs()
	for _, k in ipairs(KERNELS) do
		local input, extension = kernel(k[1])
		input.machine = k[2] .. ".lua"
		for _, model in ipairs(MODELS) do
			compare(("%s, %s, %s"):format(k[1], k[2], model), with(input, { model = model }), extension)
		end
		check_source(k[1], { json.read(folder .. "/run/report.json") })
		check_trace(k[1], { input.name .. ".trace" })
		for _, passes in ipairs(PASSES) do
			compare(("%s, %s, before and after %s"):format(k[1], k[2], passes), with(input, { passes = passes, mode = "both" }), extension)
		end
		local report = json.read(folder .. "/run/report.json")
		check_source(k[1] .. ", before and after", { report.before, report.after })
	end
	trouble("runs")
end

local function check_other_runs()
	local input, extension = kernel("kernels/loop_exits/loop_exits.ir")
	input.machine = "turing.lua"
	for _, options in ipairs { "--functional", "--all --laws", "--verify -D sm.count=2", "--race-check", "-q", "--pass-stats --remarks" } do
		compare("loop_exits " .. options, with(input, { options = options, passes = "linearize" }), extension)
	end
	compare("loop_exits, passes that do not exist", with(input, { passes = "linearise" }), extension)
	local lab, lab_extension = kernel("labs/01-if-and-loop/if.ir")
	compare("if with an argument", with(lab, { machine = "teaching.lua", arguments = "3" }), lab_extension)
	for _, k in ipairs { "kernels/short_circuit/short_circuit.ir", "kernels/spin_lock/spin_lock.ptx" } do
		local other, ending = kernel(k)
		local grid = with(other, { machine = "kepler.lua", mode = "grid", models = { "ipdom", "tf_stack", "its", "tbc", "serial" }, passes = "none linearize" })
		compare(k .. ", a grid", grid, ending)
		check_grid(k, json.read(folder .. "/run/report.json"))
	end
	compare("an error in the kernel", { name = "bad", module = "kernel k()\n{\n\t%a = bad.u32 1\n\texit\n}\n", machine = "teaching.lua" }, "ir")
	compare("an error in the workload", { name = "bad", module = "kernel k()\n{\n\texit\n}\n", workload = "print 'begins'\ngpu.launch { kernel = 'x' }\n", machine = "teaching.lua" }, "ir")
	compare("a deadlock", with((kernel("kernels/spin_lock/spin_lock.ptx")), { machine = "kepler.lua", model = "serial" }), "ptx")
	trouble("other runs")
end

-- Two rows of a grid, side by side.
local function check_look()
	local input = kernel("kernels/short_circuit/short_circuit.ir")
	run(with(input, { machine = "kepler.lua", mode = "grid", models = { "ipdom", "tf_stack" }, passes = "none linearize" }))
	b:run("gridView.boxes[0].click(), gridView.boxes[3].click(), delete document.documentElement.dataset.status, gridView.button.click()")
	wait("two rows", ENDED)
	local reports = {}
	native(with(input, { machine = "kepler.lua", model = "tf_stack", passes = "linearize" }), "ir")
	reports[2] = json.read(folder .. "/run/report.json")
	os.rename(folder .. "/run/short_circuit.trace", folder .. "/second")
	native(with(input, { machine = "kepler.lua", model = "ipdom" }), "ir")
	reports[1] = json.read(folder .. "/run/report.json")
	check_source("two rows of a grid", reports)
	os.rename(folder .. "/run/short_circuit.trace", folder .. "/run/1-ipdom.trace")
	os.rename(folder .. "/second", folder .. "/run/2-tf_stack.trace")
	check_trace("two rows of a grid", { "1-ipdom.trace", "2-tf_stack.trace" })
	trouble("two rows of a grid")
end

-- ---- what is in the page ----

local function check_lists()
	for what, expression in pairs { models = "store.models.map(m => m.text).join('\\n')", passes = "store.passes.map(m => m.text).join('\\n')" } do
		local wanted = output(("'%s' --list %s"):format(gsim, what)):gsub("\n\n+", "\n"):gsub("\n$", "")
		if b:run(expression) ~= wanted then fail("the page's %s are not those of gsim --list %s", what, what) end
	end
	local machines = output(("ls '%s/configs' | grep '[.]lua$' | sed 's/[.]lua$//' | tr '\\n' ' '"):format(top))
	if b:run("[...$('machine').options].map(o => o.text + ' ').join('')") ~= machines then fail("the page's machines are not those of configs/") end
	-- Examples are the tree's, and run as they are offered.
	local k = 0
	for path, machine in read(top .. "/web/gsim/examples"):gmatch("\n(%l[^\n ]*) (%w+)") do
		local input, extension = kernel(path)
		compare("example " .. path, with(input, { machine = machine .. ".lua" }), extension, ("$('mode').value = 'once', $('passes').value = $('options').value = '', setMode(), openExample(%d)"):format(k))
		k = k + 1
	end
	if k ~= b:run("store.examples.length") then fail("the page has %d examples, web/gsim/examples %d", b:run("store.examples.length"), k) end
	trouble("examples")
end

-- ---- the fields ----

local function key(name, code, more)
	local k = with({ type = "keyDown", key = name, code = name, windowsVirtualKeyCode = code }, more or {})
	b:call("Input.dispatchKeyEvent", k)
	b:call("Input.dispatchKeyEvent", with(k, { type = "keyUp", text = "" }))
end

local function check_fields()
	run { name = "bad", module = "kernel k()\n{\n\t%a = bad.u32 1\n\texit\n}\n", machine = "teaching.lua" }
	local mark = b:run("(e => e && e.style.top + ' ' + e.textContent)(document.querySelector('.marks .error'))")
	if not mark or not mark:match("^36px unknown operation 'bad'") then fail("the message is not at its line: %s", tostring(mark)) end
	b:run("document.querySelector('#report button').click()")
	local at = b:run("document.activeElement.id + ' ' + editors.module.text.slice(editors.module.area.selectionStart, editors.module.area.selectionStart + 3)")
	if at ~= "module bad" then fail("the message leads to `%s`, not to the word", at) end
	b:run("editors.module.text = 'ab', editors.module.area.focus(), editors.module.area.setSelectionRange(1, 1)")
	key("Tab", 9)
	if b:run("editors.module.text") ~= "a\tb" then fail("the tab key writes `%s`", b:run("editors.module.text")) end
	key("Enter", 13)
	key("Escape", 27)
	key("Tab", 9)
	if b:run("document.activeElement.id") == "module" then fail("after Escape the tab key does not leave the field") end
	if b:run("editors.module.numbers.textContent") ~= "1\n2" then fail("the lines are not numbered") end
	local input = kernel("kernels/short_circuit/short_circuit.ir")
	fill(with(input, { machine = "teaching.lua" }))
	b:run("delete document.documentElement.dataset.status, editors.workload.area.focus()")
	key("Enter", 13, { modifiers = 2 })
	wait("Ctrl and Enter", ENDED)
	if status() ~= "0" or b:run("editors.workload.text") ~= input.workload then fail("Ctrl and Enter do not run the kernel, or change the field") end
	local unnamed = b:run([[[...document.querySelectorAll("button, select, input:not([type=file]), textarea, iframe")].filter(e => !(e.labels?.length || e.textContent.trim() || e.ariaLabel || e.title)).map(e => e.id || e.outerHTML).join(", ")]])
	if unnamed ~= "" then fail("without a name for a screen reader: %s", unnamed) end
	b:run("openExample(0), editors.module.area.focus(), editors.module.area.select(), document.execCommand('insertText', false, '// mine')")
	b:run("$('example').value = '3', $('example').dispatchEvent(new Event('change')), $('example').value = '', $('example').dispatchEvent(new Event('change'))")
	if b:run("editors.module.text") ~= "// mine" then fail("what the user wrote is gone after a look at an example: %s", b:run("editors.module.text.slice(0, 80)")) end
	b:open("about:blank")
	b:open("file://" .. page, READY)
	if b:run("editors.module.text") ~= "// mine" then fail("what the user wrote is gone when the tab is loaded again") end
	fill { name = "x", module = "", passes = "none linearize" }
	b:run("$('run').click()")
	if not b:run("$('message').textContent"):find("Expected one list of passes", 1, true) then fail("two lists of passes outside a grid: %s", b:run("$('message').textContent")) end
	trouble("fields")
end

-- ---- links ----

local function open_link(hash)
	b:open("about:blank")
	b:open("file://" .. page .. hash, READY)
	return b:run("$('message').hidden ? '' : $('message').textContent")
end

local function check_links()
	fill { name = "in_the_link", module = "// in the link: ∀ π \\ \"quotes\"\n", workload = "print(1)", machine = "volta.lua", model = "its", passes = "dce", options = "--all", arguments = "1 2", mode = "both" }
	local form = b:run("JSON.stringify(readForm())")
	b:run("share()")
	local hash = b:run("location.hash")
	local said = open_link(hash)
	if said ~= "" or b:run("JSON.stringify(readForm())") ~= form then fail("the link does not hold the input: %s", b:run("JSON.stringify(readForm())") .. said) end
	local bomb = b:run("encodeLink({ module: ' '.repeat(64 << 20) })")
	local list = b:run("encodeLink({ module: 'x', workload: ['y'] })")
	local wrong = b:run("encodeLink({ module: 'x', machine: 'abacus.lua', mode: 'often' })")
	for what, text in pairs { ["a part is missing"] = hash:sub(1, #hash // 2), ["a sign is changed"] = hash:sub(1, 30) .. (hash:sub(31, 31) == "A" and "B" or "A") .. hash:sub(32), ["no link"] = "#whatever",
		["signs"] = "#input=%3Cscript%3E", ["too large"] = bomb, ["other things"] = list, ["choices"] = wrong, ["nothing"] = "#input=" } do
		local message = open_link(text)
		if not message:find("link", 1, true) then fail("a link with %s: the page says `%s`", what, message) end
	end
	trouble("links")
end

-- ---- hostile kernels ----

local ENDLESS = [[
kernel k(u64 p)
{
	reg u64 %p
	reg u32 %v
START:
	%p = ld.param.u64 [p]
LOOP:
	%v = atom.add.global.u32 [%p], 1
	bra LOOP
}
]]

local function check_hostile()
	local launch = "local b = gpu.buffer('u32', 1)\ngpu.launch { kernel = 'k', grid = 1, block = 32, args = { b } }\n"
	fill { name = "endless", module = ENDLESS, workload = launch, machine = "teaching.lua" }
	b:run("$('run').click(), delete document.documentElement.dataset.status")
	wait("how far an endless kernel is", "/\\d cycles, \\d+ warp instructions$/.test($('state').textContent)")
	b:run("$('stop').click()")
	wait("Stop", "document.documentElement.dataset.status !== undefined")
	if status() ~= "stopped" then fail("Stop does not stop an endless kernel: %s", b:run("$('report').textContent")) end
	local short = "kernel k()\n{\n\texit\n}\n"
	for what, workload in pairs {
		["3 GiB of buffers"] = "local t = {}\nfor k = 1, 48 do t[k] = gpu.buffer('u8', 64 << 20) t[k]:fill(1) end\nprint 'all'",
		["a buffer of 3 GiB"] = "local b = gpu.buffer('u8', 3 << 30)\nb:fill(1)",
		["memory of Lua"] = "local t = {}\nfor k = 1, 1e9 do t[k] = ('x'):rep(1 << 20) .. k end",
		["recursion"] = "local function f(n) return 1 + f(n + 1) end\nf(1)",
		["nested brackets"] = "local x = " .. ("("):rep(100000) .. "1" .. (")"):rep(100000),
		["a pattern"] = "return (('a'):rep(400000)):match(('a?'):rep(200) .. 'b')",
	} do
		local found = run { name = "hostile", module = short, workload = workload, machine = "teaching.lua" }
		if found == "0" and what ~= "3 GiB of buffers" or found ~= "0" and not b:run("$('report').textContent"):find("error") then
			fail("%s: status %s, and the report says `%s`", what, found, b:run("$('report').textContent.slice(0, 300)"))
		end
	end
	run { name = "hostile", module = "kernel k()\n{\n\t%x = " .. ("("):rep(50000) .. "\n}\n", machine = "teaching.lua" }
	if status() ~= "2" then fail("a kernel of brackets: status %s", status()) end
	run { name = "flood", module = short, workload = "local line = ('x'):rep(99)\nfor k = 1, 200000 do print(line) end", machine = "teaching.lua" }
	local shown = b:run("$('report').textContent.length")
	if shown > 9 << 20 or not b:run("$('report').textContent.includes('(what follows is left out)')") then fail("a flood of lines: the report has %d characters", shown) end
	local input, extension = kernel("kernels/short_circuit/short_circuit.ir")
	compare("a run after hostile ones", with(input, { machine = "teaching.lua" }), extension)
	trouble("hostile kernels")
end

local function check_old_browser()
	local id = b:call("Page.addScriptToEvaluateOnNewDocument", { source = "delete self.DecompressionStream" }).identifier
	b:open("about:blank")
	b:open("file://" .. page, "!document.getElementById('message').hidden")
	local message = b:run("document.getElementById('message').textContent")
	if not message:find("no DecompressionStream", 1, true) then fail("a browser without DecompressionStream: `%s`", message) end
	b:call("Page.removeScriptToEvaluateOnNewDocument", { identifier = id })
	trouble("an old browser")
end

b:open("file://" .. page, READY)
print(("%d bytes, ready after %.0f ms"):format(#read(page), b:run("performance.now()")))
check_runs()
check_other_runs()
check_look()
check_fields()
check_lists()
check_hostile()
check_links()
check_old_browser()
b:stop()
print(("%d runs compared with the command line: status, standard output and error byte for byte (%d bytes), %d reports, %d traces; in the views %d lines of source, %d rows of grids, %d pages of traces"):format(
	count.runs, count.bytes, count.reports, count.traces, count.lines, count.rows, count.pages))
print(("%d checks failed"):format(failed))
os.exit(failed == 0)
