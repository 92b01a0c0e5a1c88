-- Drives Chromium without a window over its debugging pipe: the Chrome DevTools Protocol, messages of JSON that end with a 0 byte.
--
--	local browser = dofile("tests/web/browser.lua").start(folder)   -- folder: for its pipes and its profile
--	browser:open("file:///.../page.html")
--	browser:run("document.title")                       -- the value of an expression, promises awaited
--	browser:screenshot("page.png")
--	browser.trouble                                     -- errors of the console and of scripts, as texts
--	browser:stop()
local json = dofile((os.getenv("srcdir") or ".") .. "/tools/json.lua")
local M = {}
M.__index = M

local programs = { os.getenv("CHROMIUM") or "", "chromium", "chromium-headless-shell", "chromium-browser", "google-chrome" }

local escape = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t" }
local function encode(v)
	if type(v) == "string" then
		return '"' .. v:gsub('["\\\n\t]', escape) .. '"'
	elseif type(v) ~= "table" then
		return tostring(v)
	end
	local part = {}
	for name, x in pairs(v) do
		part[#part + 1] = encode(name) .. ":" .. encode(x)
	end
	return "{" .. table.concat(part, ",") .. "}"
end

function M.find()
	for _, name in ipairs(programs) do
		if name ~= "" and os.execute("command -v " .. name .. " >/dev/null 2>&1") then
			return name
		end
	end
end

function M.start(folder, width, height)
	local program = assert(M.find(), "no Chromium is installed")
	local flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-extensions --remote-debugging-pipe"
	os.execute(("mkfifo '%s/to' '%s/from'"):format(folder, folder))
	os.execute(("%s %s --user-data-dir='%s/profile' --window-size=%d,%d 3<'%s/to' 4>'%s/from' 2>'%s/browser.log' >/dev/null &"):format(
		program, flags, folder, width or 1400, height or 1600, folder, folder, folder))
	local b = setmetatable({ last = 0, trouble = {} }, M)
	b.to = assert(io.open(folder .. "/to", "wb"))
	b.from = assert(io.open(folder .. "/from", "rb"))
	local target = b:call("Target.createTarget", { url = "about:blank" })
	b.session = b:call("Target.attachToTarget", { targetId = target.targetId, flatten = true }).sessionId
	for _, domain in ipairs { "Page", "Runtime", "Log" } do
		b:call(domain .. ".enable")
	end
	b:call("Emulation.setDeviceMetricsOverride", { width = width or 1400, height = height or 1600, deviceScaleFactor = 1, mobile = false })
	return b
end

-- One message from the browser.
function M:receive()
	local part = {}
	while true do
		local c = assert(self.from:read(1), "the browser has ended")
		if c == "\0" then
			break
		end
		part[#part + 1] = c
	end
	local m = json.parse(table.concat(part))
	if m.method == "Runtime.exceptionThrown" then
		local e = m.params.exceptionDetails
		self.trouble[#self.trouble + 1] = e.exception and e.exception.description or e.text
	elseif m.method == "Log.entryAdded" and m.params.entry.level == "error" then
		self.trouble[#self.trouble + 1] = m.params.entry.text
	elseif m.method == "Runtime.consoleAPICalled" and m.params.type == "error" then
		self.trouble[#self.trouble + 1] = "console.error"
	end
	return m
end

function M:call(method, params)
	self.last = self.last + 1
	self.to:write(encode { id = self.last, method = method, params = params or {}, sessionId = self.session }, "\0")
	self.to:flush()
	while true do
		local m = self:receive()
		if m.id == self.last then
			return m.result or error(method .. ": " .. (m.error and m.error.message or "no answer"))
		end
	end
end

function M:run(expression)
	local r = self:call("Runtime.evaluate", { expression = expression, awaitPromise = true, returnByValue = true })
	if r.exceptionDetails then
		error((r.exceptionDetails.exception or {}).description or r.exceptionDetails.text)
	end
	return r.result.value
end

-- Opens an address and waits until `ready`, an expression, is true.
function M:open(address, ready)
	self:call("Page.navigate", { url = address })
	for _ = 1, 600 do
		if self:run("document.readyState === 'complete' && (" .. (ready or "true") .. ")") then
			return true
		end
		self:run("new Promise(f => setTimeout(f, 50))")
	end
	error(address .. " is not ready after 30 seconds")
end

local function bytes(base64)
	local digits, out, value, bits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", {}, 0, 0
	for c in base64:gmatch("[%w+/]") do
		value, bits = (value << 6 | digits:find(c, 1, true) - 1) & 0xffffff, bits + 6
		if bits >= 8 then
			bits = bits - 8
			out[#out + 1] = string.char(value >> bits & 255)
		end
	end
	return table.concat(out)
end

function M:screenshot(path)
	local f = assert(io.open(path, "wb"))
	f:write(bytes(self:call("Page.captureScreenshot", { format = "png" }).data))
	f:close()
end

function M:stop()
	pcall(function() self.session = nil; self:call("Browser.close") end)
	self.to:close()
	self.from:close()
end

return M
