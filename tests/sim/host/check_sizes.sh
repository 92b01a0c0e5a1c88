#!/bin/sh
# gpu.sizes and --size: which arguments a workload gets, what reports keep of it, and what wrong declarations say. gpu.random: its values.
srcdir=${srcdir:-$(dirname "$0")/../../..}
GSIM=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() { echo "$*"; bad=1; }

cat >"$tmp/k.ir" <<'IR'
kernel nothing() {
entry:
	exit
}
IR
# run NAME OPTIONS...: standard output and errors of the workload in $tmp/w.lua
run() { "$GSIM" -q --functional -c volta.lua -w "$tmp/w.lua" "$@" >"$tmp/out" 2>&1; }
says() { # what the last run must have said, and its status
	[ "$status" = "$1" ] && grep -qF -- "$2" "$tmp/out" && return
	fail "expected status $1 and '$2', found status $status and:"
	cat "$tmp/out"
}
launch='gpu.launch { kernel = "nothing", grid = 1, block = 32 }'

# Arguments by size; volta.lua has 80 SMs of 64 warps and 32 blocks.
cat >"$tmp/w.lua" <<LUA
gpu.sizes(function(size) return size.threads / 64, size.name .. gpu.argument(1, 5), size.warps, size.blocks, size.sms, nil end)
print(table.concat(gpu.args, " "), gpu.argument(1, 5))
$launch
LUA
for case in "S:	5" "M:32 M5 64 32 1	32" "L:2560 L5 5120 2560 80	2560" "XL:25600 XL5 51200 25600 800	25600"; do
	run "$tmp/k.ir" --size "${case%%:*}"
	status=$?
	says 0 "${case#*:}"
done
# Those that are given win, and the function sees them.
run "$tmp/k.ir" --size L -- 7
status=$?
says 0 "7 L7 5120 2560 80	7"
run "$tmp/k.ir" -- 9
status=$?
says 0 "9	9"
"$GSIM" -c volta.lua -w "$tmp/w.lua" "$tmp/k.ir" --list sizes >"$tmp/out" 2>&1
status=$?
says 0 "L   2560 L5 5120 2560 80"
says 0 "S   its defaults"

# The reports.
"$GSIM" -c volta.lua -w "$tmp/w.lua" "$tmp/k.ir" --size L -s "$tmp/r.json" >"$tmp/out" 2>&1
status=$?
says 0 "size L   arguments 2560 L5 5120 2560 80   for 163,840 threads"
grep -qF '"size": { "name": "L", "threads": 163840, "reason": null }' "$tmp/r.json" || grep -A4 '"size"' "$tmp/r.json" | tr -d ' \n' |
	grep -qF '"size":{"name":"L","threads":163840,"reason":null}' || fail "the report does not keep the size: $(grep -A3 '"size"' "$tmp/r.json")"
grep -qF '"arguments": ["2560", "L5", "5120", "2560", "80"]' "$tmp/r.json" || fail "the report does not keep the arguments that the size chose"
"$GSIM" -c volta.lua -w "$tmp/w.lua" "$tmp/k.ir" --size L -s "$tmp/r.json" -- 32 L5 >"$tmp/out" 2>&1
status=$?
says 0 "of these 2 from the command line, in place of the size's: threads need not be the 163,840 of size L"
! grep -q 'for 163,840 threads' "$tmp/out" || fail "arguments of the command line have threads of the size"
grep -q '"overridden": 2,' "$tmp/r.json" || fail "the report does not say that arguments stand in place of the size's"
"$GSIM" -q -c volta.lua -w "$tmp/w.lua" "$tmp/k.ir" -s "$tmp/r.json" >/dev/null && grep -q '"size"' "$tmp/r.json" && fail "a report without --size has a size"

# What does not grow.
cat >"$tmp/w.lua" <<LUA
gpu.sizes { reason = "one block by its algorithm" }
$launch
LUA
"$GSIM" --functional -c volta.lua -w "$tmp/w.lua" "$tmp/k.ir" --size L >"$tmp/out" 2>&1
status=$?
says 0 "does not fill every machine: one block by its algorithm"
says 0 "size L   arguments the workload's own"
"$GSIM" -c volta.lua -w "$tmp/w.lua" "$tmp/k.ir" --list sizes >"$tmp/out" 2>&1
status=$?
says 0 "does not fill every machine: one block by its algorithm"

# Wrong declarations, and none.
wrong() { # STATUS MESSAGE: of the workload on standard input with --size L
	cat >"$tmp/w.lua"
	run "$tmp/k.ir" --size L
	status=$?
	says 2 "$1"
}
wrong "w.lua:1: error: the workload declares no sizes" <<LUA
$launch
LUA
wrong "w.lua:1: error: the workload declares no sizes" <<LUA
local n = gpu.argument(1, 5)
gpu.sizes(function(size) return size.threads end)
LUA
wrong "w.lua: error: the workload declares no sizes" <<LUA
local nothing
LUA
wrong "w.lua:2: error: gpu.sizes: the sizes are declared already" <<LUA
gpu.sizes(function(size) return size.threads end)
gpu.sizes(function(size) return size.threads end)
LUA
wrong "gpu.sizes: the function gave no argument for size L" <<LUA
gpu.sizes(function(size) end)
LUA
wrong "gpu.sizes: argument 1 is nil; expected" <<LUA
gpu.sizes(function(size) return nil, 5 end)
LUA
wrong "gpu.sizes: argument 2 is a table" <<LUA
gpu.sizes(function(size) return 5, {} end)
LUA
for number in 0/0 1/0 -1e300; do
	wrong "$(case $number in 0/0) echo nan ;; 1/0) echo inf ;; *) echo "error: gpu.sizes: argument 2 is -1e+300" ;; esac); expected a number" <<LUA
gpu.sizes(function(size) return 5, $number end)
$launch
LUA
	run "$tmp/k.ir" --list sizes
	status=$?
	says 2 "expected a number between -2^53 and 2^53"
done
# The function computes, and does nothing else.
for what in "launch:$launch" 'buffer:gpu.buffer("u32", 5)' 'symbol:gpu.symbol("x")' "sizes:gpu.sizes { reason = 'x' }"; do
	wrong "w.lua:1: error: gpu.${what%%:*}: gpu.sizes asks for arguments; expected its function to compute them from the size" <<LUA
gpu.sizes(function(size) ${what#*:} return 5 end)
LUA
done
wrong "w.lua:1: error: the instruction limit is reached (an endless loop?)" <<LUA
gpu.sizes(function(size) while true do end end)
LUA
# An error of gpu.sizes that is caught is one of the run, whether or not anything comes behind it.
wrong "w.lua:2: error: gpu.sizes has failed, and its error was caught" <<LUA
pcall(gpu.sizes, function(size) error("x") end)
$launch
LUA
wrong "w.lua: error: gpu.sizes has failed, and its error was caught" <<LUA
pcall(gpu.sizes, function(size) error("x") end)
LUA
run "$tmp/k.ir" # the function is not called
status=$?
[ $status = 0 ] || says 0 ""
wrong "reason: expected a sentence on one line" <<LUA
gpu.sizes { reason = "one\nblock" }
LUA
wrong "gpu.sizes: the function gave 200 arguments; expected at most 64" <<LUA
local t = {}
for i = 1, 200 do t[i] = i end
gpu.sizes(function(size) return table.unpack(t) end)
LUA
wrong "w.lua:2:" <<LUA
local g = gpu
gpu = 5 g.sizes(function(size) return size.threads end)
LUA
wrong "argument 1 is '163840'; expected a whole number from 1 to 100" <<LUA
gpu.sizes(function(size) return size.threads end)
local n = gpu.argument(1, 5, { to = 100 })
LUA
wrong "gpu.sizes: unknown field 'reasons'; did you mean 'reason'?" <<LUA
gpu.sizes { reasons = "none" }
LUA
wrong "gpu.sizes: reason: expected a sentence" <<LUA
gpu.sizes { reason = "" }
LUA
wrong "gpu.sizes: expected arguments, a function of the size, or a reason" <<LUA
gpu.sizes {}
LUA
wrong "gpu.sizes: arguments: expected a function" <<LUA
gpu.sizes { arguments = 5 }
LUA
wrong "gpu.sizes: expected a function, or" <<LUA
gpu.sizes(5)
LUA
cat >"$tmp/w.lua" <<LUA
local b = gpu.buffer("u32", 1)
gpu.sizes(function(size) return size.threads end)
LUA
run "$tmp/k.ir" # an error without --size, too, so that authors see it
status=$?
says 2 "gpu.sizes: expected before the first gpu.argument, buffer and launch"
for given in x l 5 ""; do
	run "$tmp/k.ir" --size "$given"
	status=$?
	says 2 "--size: expected S, M, L or XL, not $given"
done

# Random numbers: up to 32768 those of a generator that is written out here, and beyond that all of them.
cat >"$tmp/w.lua" <<LUA
gpu.sizes { reason = "none" }
local random, seed = gpu.random(17), 17
local function old(k)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed // 65536 % k
end
for i = 1, 2000 do
	local k = i % 5 == 0 and 32768 or i
	local a, b = random(k), old(k)
	gpu.check(a == b, "number %d is %d, not %d", i, a, b)
	if i % 7 == 0 then gpu.check(random(1 << 40) < 1 << 40) end -- goes on by itself
	if i % 11 == 0 then gpu.check(random() // 65536 == old(32768)) end
end
local wide, most, halves = gpu.random(3), 0, 0
local seen, n, missing = {}, 40000, 0
for i = 1, 12 * n do seen[wide(n)] = true end
for k = 0, n - 1 do missing = missing + (seen[k] and 0 or 1) end
gpu.check(missing < 5, "%d of %d numbers never came", missing, n) -- one in e^12 is expected to be missing
for i = 1, 4000 do
	local v = wide(3 << 61) -- a bias to lower numbers would show: 2^63 is four thirds of this
	gpu.check(v >= 0 and v < 3 << 61)
	most, halves = math.max(most, v), halves + (v < 3 << 60 and 1 or 0)
end
gpu.check(most > 0.99 * (3 << 61) and math.abs(halves - 2000) < 150, "%d of 4000 numbers are in the lower half", halves)
gpu.check(wide(math.maxinteger) >= 0 and wide(1) == 0)
for _, k in ipairs { 0, -1, 2.5, "x" } do gpu.check(not pcall(wide, k), "random(%s) is no error", k) end
$launch
LUA
run "$tmp/k.ir"
status=$?
[ "$status" = 0 ] || { fail "gpu.random:"; cat "$tmp/out"; }
exit $bad
