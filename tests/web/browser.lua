-- Drives Chromium without a window over its debugging pipe: the Chrome DevTools Protocol, messages of JSON
-- that end with a 0 byte.
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
	for _, x in ipairs(v) do
		part[#part + 1] = encode(x)
	end
	if #part > 0 then return "[" .. table.concat(part, ",") .. "]" end
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

local LIFE = tonumber(os.getenv("GSIM_BROWSER_SECONDS") or "") or 540  -- after which the browser is stopped: no test waits for it for ever
local READY = 120                                                      -- seconds that a page may take
local STARTS = 3

local FLAGS = "--headless --no-sandbox --disable-gpu --no-first-run --disable-extensions --disable-dev-shm-usage --disable-breakpad " ..
	"--disable-background-networking --disable-component-update --disable-sync --remote-debugging-pipe"

-- What the browser wrote to its standard error, the end of it.
local function log_of(folder)
	local file = io.open(folder .. "/browser.log", "rb")
	local text = file and file:read("a") or ""
	if file then file:close() end
	return #text > 2000 and "..." .. text:sub(-2000) or text
end

-- A browser that has answered, or nil and what is wrong. When the program ends, or is stopped, the pipe from
-- it ends.
local function launch(program, folder, width, height)
	os.execute(("rm -rf '%s/to' '%s/from' '%s/profile'; mkfifo '%s/to' '%s/from'"):format(folder, folder, folder, folder, folder))
	os.execute(("timeout -k 5 %d %s %s --user-data-dir='%s/profile' --window-size=%d,%d 3<'%s/to' 4>'%s/from' 2>'%s/browser.log' >/dev/null &"):format(
		LIFE, program, FLAGS, folder, width, height, folder, folder, folder))
	local b = setmetatable({ last = 0, trouble = {}, folder = folder }, M)
	b.to = assert(io.open(folder .. "/to", "wb"))
	b.from = assert(io.open(folder .. "/from", "rb"))
	local ok, result = pcall(b.call, b, "Browser.getVersion")
	if ok then return b end
	b.to:close()
	b.from:close()
	return nil, result
end

-- A browser sometimes dies while it starts, on a machine with much to do; that is not the page's fault.
function M.start(folder, width, height)
	local program = assert(M.find(), "no Chromium is installed")
	local b, why
	width, height = width or 1400, height or 1600
	for k = 1, STARTS do
		b, why = launch(program, folder, width, height)
		if b then break end
		print(("%s did not start (%d of %d): %s"):format(program, k, STARTS, why))
	end
	if not b then error("no browser could be started", 0) end
	local target = b:call("Target.createTarget", { url = "about:blank" })
	b.session = b:call("Target.attachToTarget", { targetId = target.targetId, flatten = true }).sessionId
	for _, domain in ipairs { "Page", "Runtime", "Log" } do
		b:call(domain .. ".enable")
	end
	b:call("Emulation.setDeviceMetricsOverride", { width = width, height = height, deviceScaleFactor = 1, mobile = false })
	return b
end

function M:ended()
	error(("the browser has ended, or was stopped after %d seconds; it said: %s"):format(LIFE, log_of(self.folder)), 0)
end

-- One message from the browser.
function M:receive()
	local part = {}
	while true do
		local c = self.from:read(1) or self:ended()
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
	local written = self.to:write(encode { id = self.last, method = method, params = params or {}, sessionId = self.session }, "\0")
	if not written or not self.to:flush() then self:ended() end
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

-- Opens an address and waits until `ready`, an expression, is true. The page that was there before may answer
-- for a while: it is marked. While one page makes way for the other, an expression may fail.
function M:open(address, ready)
	self:run("window.isOld = true")
	local result = self:call("Page.navigate", { url = address })
	if result.errorText then error(("%s cannot be opened: %s"):format(address, result.errorText), 0) end
	local last, answered, is_ready = os.time() + READY, nil, nil
	while os.time() <= last do
		answered, is_ready = pcall(self.run, self, "!window.isOld && document.readyState === 'complete' && (" .. (ready or "true") .. ")")
		if answered and is_ready then
			return true
		end
		pcall(self.run, self, "new Promise(f => setTimeout(f, 50))")
	end
	error(("%s is not ready after %d seconds; the browser says: %s"):format(address, READY, answered and table.concat(self.trouble, "; ") or is_ready), 0)
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

-- media: "screen" or "print"; scheme: "light" or "dark".
function M:media(media, scheme)
	self:call("Emulation.setEmulatedMedia", { media = media, features = { { name = "prefers-color-scheme", value = scheme } } })
end

-- The mouse as a user has it: kind is mousePressed, mouseMoved or mouseReleased.
function M:mouse(kind, x, y, down)
	self:call("Input.dispatchMouseEvent", { type = kind, x = x, y = y, button = "left", buttons = down and 1 or 0, clickCount = kind == "mouseMoved" and 0 or 1 })
end

-- A key, with its text where it writes one.
function M:key(key, text, modifiers)
	for _, kind in ipairs { "keyDown", "keyUp" } do
		self:call("Input.dispatchKeyEvent", { type = kind, key = key, code = key, text = kind == "keyDown" and text or "", modifiers = modifiers or 0 })
	end
end

function M:screenshot(path)
	local f = assert(io.open(path, "wb"))
	f:write(bytes(self:call("Page.captureScreenshot", { format = "png" }).data))
	f:close()
end

function M:stop()
	pcall(function() self.session = nil; self:call("Browser.close") end)
	self.to:close()
	self.from:read("a")            -- until it has ended, so that its folder can be removed
	self.from:close()
end

return M
