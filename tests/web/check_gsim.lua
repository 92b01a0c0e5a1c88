-- gsim.html, the page that `make page` makes: what it reports is what the command line reports, line for line; errors, Stop and links work.
-- Arguments: a folder for files, gsim, the page.
local top = os.getenv("srcdir") or "."
local browser = dofile(top .. "/tests/web/browser.lua")
local folder, gsim, page = arg[1], arg[2], arg[3]
local failed, compared = 0, 0

local function fail(...)
	failed = failed + 1
	print("FAILED: " .. string.format(...))
end

local function quote(text) return "\"" .. text:gsub('[\\"]', "\\%0"):gsub("\n", "\\n"):gsub("\t", "\\t"):gsub("\r", "\\r") .. "\"" end

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

local b = browser.start(folder, 1500, 1000)
b:open("file://" .. page, "document.documentElement.dataset.ready === 'yes'")
print(("ready after %.0f ms, %d bytes"):format(b:run("performance.now()"), #read(page)))

local function wait()
	for _ = 1, 2400 do
		if b:run("document.documentElement.dataset.status !== undefined") then return b:run("document.documentElement.dataset.status") end
		b:run("new Promise(f => setTimeout(f, 25))")
	end
	error("the run does not end")
end

local function run(input)
	for _, name in ipairs { "module", "workload", "passes", "options" } do
		b:run(("document.getElementById('%s').value = %s"):format(name, quote(input[name] or "")))
	end
	b:run(("document.getElementById('machine').value = '%s.lua'; document.getElementById('model').value = '%s'; document.getElementById('both').checked = %s"):format(
		input.machine, input.model or "of the machine", tostring(input.both or false)))
	b:run("delete document.documentElement.dataset.status; document.getElementById('run').click()")
	return wait(), b:run("document.getElementById('report').textContent")
end

-- The same on the command line, in a folder that holds the same files.
local function native(input, extension)
	os.execute(("rm -rf '%s/run'; mkdir '%s/run'"):format(folder, folder))
	write(("%s/run/kernel.%s"):format(folder, extension), input.module)
	if input.workload then write(folder .. "/run/kernel.lua", input.workload) end
	local p = assert(io.popen(("cd '%s/run' && '%s' -c %s.lua %s %s %s %s kernel.%s 2>&1; echo status $?"):format(folder, gsim, input.machine,
		input.model and "-m " .. input.model or "", input.passes and "-p '" .. input.passes .. "'" or "", input.both and "-b" or "", input.options or "", extension)))
	local text = p:read("a")
	p:close()
	return text:match("status (%d+)\n$"), (text:gsub("status %d+\n$", ""))
end

-- Standard error comes apart from the report in a pipe: lines are compared as a set in order of the alphabet.
local function lines_of(text)
	local list = {}
	for line in text:gmatch("[^\n]+") do
		list[#list + 1] = (line:gsub("%s+$", ""))
	end
	table.sort(list)
	return list
end

local function compare(what, input, extension)
	local status, text = run(input)
	local wanted, native_text = native(input, extension)
	compared = compared + 1
	if status ~= wanted then
		fail("%s: status %s, on the command line %s", what, status, wanted)
		return
	end
	local here, there = lines_of(text), lines_of(native_text)
	for k = 1, math.max(#here, #there) do
		if here[k] ~= there[k] then
			fail("%s: the page reports `%s` where the command line reports `%s`", what, here[k] or "nothing", there[k] or "nothing")
			return
		end
	end
end

local kernels = { "short_circuit/short_circuit.ir", "loop_exits/loop_exits.ir", "k_way/k_way.ir", "regroup/regroup.ir", "reduction/reduction.ptx", "scan/scan.ptx",
	"mandelbrot/mandelbrot.ptx", "bitonic_sort/bitonic_sort.ptx", "recursion/recursion.ptx", "queens/queens.ptx" }
for _, path in ipairs(kernels) do
	local module = assert(read(top .. "/kernels/" .. path), path)
	local workload = read(top .. "/kernels/" .. path:gsub("%.%w+$", ".lua"))
	for _, model in ipairs { "ipdom", "token", "tf_stack", "its", "dual_path", "exec_mask", "dwf" } do
		compare(path .. " " .. model, { module = module, workload = workload, machine = "kepler", model = model }, path:match("%w+$"))
	end
	for _, passes in ipairs { "linearize", "const-prop,gcse,dce", "meld" } do
		compare(path .. " -b " .. passes, { module = module, workload = workload, machine = "turing", passes = passes, both = true }, path:match("%w+$"))
	end
end
compare("an error", { module = "kernel k()\n{\n\t%a = bad.u32 1\n\texit\n}\n", machine = "teaching" }, "ir")

-- Stop, and a link that holds the input.
b:run("delete document.documentElement.dataset.status; openExample('mandelbrot'); document.getElementById('machine').value = 'kepler.lua'; document.getElementById('run').click(); setTimeout(stop, 20)")
if wait() ~= "stopped" then fail("Stop does not stop") end
b:run("document.getElementById('module').value = '// in the link'; share()")
local link = b:run("location.href")
b:open("about:blank")
b:open(link, "document.documentElement.dataset.ready === 'yes'")
if b:run("document.getElementById('module').value") ~= "// in the link" then fail("the link does not hold the input") end
for _, text in ipairs(b.trouble) do fail("the browser says: %s", text) end
b:stop()
print(("%d runs compared, %d checks failed"):format(compared, failed))
os.exit(failed == 0)
