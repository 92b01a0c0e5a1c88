-- What the experiments of tools/reproduce share.
--   local run = dofile(top .. "/tools/experiment.lua")
local run = {}

function run.quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

run.program = "tools/reproduce" -- whom messages name

-- What a command prints; a command that fails ends the program, unless its status is `allowed`.
function run.capture(command, allowed)
	local pipe = assert(io.popen(command))
	local text = pipe:read("a")
	local ok, _, status = pipe:close()
	if not ok and status ~= allowed then
		io.stderr:write(run.program, ": failed: ", command, "\n")
		os.exit(2)
	end
	return text
end

-- Runs commands, as many at a time as the host has processors; one that fails ends the program.
function run.all(commands)
	local list = os.tmpname()
	run.write(list, table.concat(commands, "\0") .. "\0")
	local ok = os.execute(("xargs -0 -n 1 -P \"$(getconf _NPROCESSORS_ONLN)\" sh -c <%s"):format(run.quote(list)))
	os.remove(list)
	if not ok then
		io.stderr:write(run.program, ": one of these failed:\n", table.concat(commands, "\n"), "\n")
		os.exit(2)
	end
end

-- One CSV line to a list of fields.
function run.fields(line)
	local t, at = {}, 1
	while at <= #line + 1 do
		if line:sub(at, at) == '"' then
			local stop = at
			repeat stop = line:find('"', stop + 1, true) + 1 until line:sub(stop, stop) ~= '"'
			t[#t + 1] = line:sub(at + 1, stop - 2):gsub('""', '"')
			at = stop + 1
		else
			local stop = line:find(",", at, true) or #line + 1
			t[#t + 1] = line:sub(at, stop - 1)
			at = stop + 1
		end
	end
	return t
end

-- The rows of a CSV file as tables by column name.
function run.rows(path)
	local rows, names = {}, nil
	for line in io.lines(path) do
		local f = run.fields(line)
		if not names then
			names = f
		else
			local row = {}
			for k, name in ipairs(names) do row[name] = f[k] end
			rows[#rows + 1] = row
		end
	end
	return rows
end

-- A share as gsim's reports write it.
function run.percent(share) return ("%.1f %%"):format(100 * share) end

function run.read(path)
	local f = assert(io.open(path))
	local text = f:read("a")
	f:close()
	return text
end

function run.write(path, text)
	local f = assert(io.open(path, "w"))
	f:write(text)
	assert(f:close())
end

-- On a terminal, one line that is written over.
function run.progress(text)
	if os.getenv("PROGRESS") then io.stderr:write("\r\27[K", text) end
end

-- The names of the mechanisms, in the order of reports.
function run.mechanisms()
	local list = {}
	for line in run.capture("gsim --list models"):gmatch("[^\n]+") do list[#list + 1] = line:match("^([%w_]+) ") end
	return list
end

return run
