#!/bin/sh
# What tools/microbench/reasons.lua calls the cause of a difference: with the parameter changed the row comes to what it says, and without
# it does not.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
top=$srcdir GSIM_BUILD=$(pwd)
tmp=${TMPDIR:-/tmp}/gsim-reasons.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$srcdir/tools/programs"
cd "$tmp" && "$lua" - "$srcdir" <<'END'
local top, failed, count = arg[1], false, 0
local tool, bench, reasons = dofile(top .. "/tools/experiment.lua"), dofile(top .. "/tools/microbench.lua"), dofile(top .. "/tools/microbench/reasons.lua")
tool.write("microbench.ptx", bench.module)
tool.write("microbench.lua", bench.workload)

local function measure(machine, figure, set)
	local out = tool.capture(("gsim -q -j 1 -c %s.lua %s microbench.ptx -- %s stacks"):format(machine, set and "-D " .. set or "", tool.quote(figure)))
	for name, value in out:gmatch("([^\n]-),[^\n,]+,([^\n,]+)\n") do
		if name == figure then return tonumber(value) end
	end
	error(machine .. " does not measure " .. figure)
end

local list = table.move(reasons.list, 1, #reasons.list, 2, { reasons.rates })
for _, reason in ipairs(list) do
	for _, c in ipairs(reason.causes or {}) do
		local machine, figure, set, want = table.unpack(c)
		local with, without = measure(machine, figure, set), measure(machine, figure)
		count = count + 1
		if math.abs(with / want - 1) > 0.001 or math.abs(without / want - 1) <= 0.002 then
			print(("FAILED: %s %s: %g, with %s %g, not %g"):format(machine, figure, without, set, with, want))
			failed = true
		end
	end
end
if count < 10 then print("FAILED: only " .. count .. " causes") end
os.exit(not failed and count >= 10)
END
