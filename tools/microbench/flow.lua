-- Control flow: loops, branches whose lanes part, calls, barriers of lanes, locks. Conditions are computed anew in each step from
-- what no compiler knows.
local function mads(count) return ("mad.lo.u32 x, x, y, w; "):rep(count) end

-- p# is true in the first a lanes.
local FIRST_LANES = "and.b32 t, x, z; add.u32 t, t, a; setp.lt.u32 p#, lane, t; "

local function loops(bench)
	bench.kernel("loop", bench.loop("\tadd.u32 j, j, y;\n"), { start = "mov.u32 j, x;", stop = "xor.b32 x, x, j;" })
	bench.kernel("loop_bare", "\tmov.u32 i, 0;\nAGAIN:\n\t.pragma \"nounroll\";\n\tadd.u32 i, i, 1;\n\tsetp.lt.u32 p1, i, n;\n\t@p1 bra AGAIN;\n")
	bench.row { figure = "loop/turn", unit = "cycles", long = "loop_bare", short = "loop_bare", n = 72, less_n = 8, steps = 64 }
	bench.row { figure = "loop/turn with one add more", unit = "cycles", long = "loop", short = "loop", n = 72, less_n = 8, steps = 64 }
	-- Lanes have limits of their own; the longest runs as many turns in both runs.
	bench.kernel("loop_lane", "\tmov.u32 i, 0;\nAGAIN:\n\t.pragma \"nounroll\";\n\tmad.lo.u32 x, x, y, w;\n\tadd.u32 i, i, 1;\n"
		.. "\tsetp.lt.u32 p1, i, j;\n\t@p1 bra AGAIN;\n", { pre = "and.b32 j, lane, a; add.u32 j, j, n;" })
	for _, leave in ipairs { 1, 7, 15, 31 } do
		bench.row { figure = ("loop/each leaving (%d leavings)"):format(leave), unit = "cycles", long = "loop_lane", short = "loop_lane",
			n = 16, a = leave, less_n = 16 + leave, less_a = 0, steps = leave }
	end
	-- Lanes that leave by another exit than the last of them.
	bench.kernel("loop_exits", "\tmov.u32 i, 0;\nAGAIN:\n\t.pragma \"nounroll\";\n\tmad.lo.u32 x, x, y, w;\n\tsetp.ge.u32 p1, i, j;\n\t@p1 bra BREAK;\n"
		.. "\tadd.u32 i, i, 1;\n\tsetp.lt.u32 p2, i, n;\n\t@p2 bra AGAIN;\n\tmad.lo.u32 x, x, y, w;\n\tbra JOIN;\nBREAK:\n"
		.. "\tadd.u32 x, x, i;\nJOIN:\n", { pre = "and.b32 j, lane, a; sub.u32 j, n, j;" })
	for _, leave in ipairs { 1, 7, 15 } do
		bench.row { figure = ("loop/each leaving by an exit of its own (%d leavings)"):format(leave), unit = "cycles", long = "loop_exits",
			short = "loop_exits", n = 24, a = leave, less_n = 24, less_a = 0, steps = leave }
	end
end

local function branches(bench)
	for _, size in ipairs { 1, 4, 16 } do
		local step = FIRST_LANES .. "@p# bra T#; " .. mads(size) .. "NEVER; bra J#; T#: " .. mads(size) .. "NEVER; J#: mad.lo.u32 x, x, y, w;"
		for _, lanes in ipairs { 0, 1, 2, 8, 16, 24, 31, 32 } do
			bench.chain(("if/else of %d a side (%d lanes)"):format(size, lanes), step, { name = "ifelse" .. size, a = lanes, short = 2, long = 10 })
		end
	end
	local step = FIRST_LANES .. "@p# bra J#; " .. mads(4) .. "NEVER; J#: mad.lo.u32 x, x, y, w;"
	for _, lanes in ipairs { 0, 1, 16, 31, 32 } do
		bench.chain(("if/if of 4 (%d lanes skip)"):format(lanes), step, { name = "if4", a = lanes, short = 2, long = 10 })
	end
	-- Nests: of each level four lanes part.
	for depth = 1, 5 do
		local open, close = {}, {}
		for d = 1, depth do
			open[d] = ("add.u32 t, k, %d; setp.lt.u32 p1, lane, t; @p1 bra N#_%d; mad.lo.u32 x, x, y, w; NEVER; "):format(4 * d, d)
			close[depth - d + 1] = ("N#_%d: mad.lo.u32 x, x, y, w; "):format(d)
		end
		bench.chain(("if/nest of %d"):format(depth), "and.b32 k, x, z; " .. table.concat(open) .. table.concat(close), { short = 2, long = 6 })
	end
end

local function ways(bench)
	local targets, arms, tests, sides = {}, {}, {}, {}
	for k = 0, 31 do
		targets[k + 1] = "W#_" .. k
		arms[k + 1] = ("W#_%d: mad.lo.u32 x, x, y, %d; NEVER; bra J#; "):format(k, 77 + k)
		tests[k + 1] = ("setp.eq.u32 p1, t, %d; @p1 bra W#_%d; "):format(k, k)
	end
	local key = "and.b32 t, x, z; or.b32 t, t, k; "
	local options = { pre = "and.b32 k, lane, a;", short = 1, long = 3 }
	local function rows(name, step)
		for _, count in ipairs { 1, 2, 4, 8, 16, 32 } do
			bench.chain(("ways/%s (%d)"):format(name, count), step, { name = "ways " .. name, pre = options.pre, short = 1, long = 3, a = count - 1 })
		end
	end
	rows("brx.idx", key .. "TABLE#: .branchtargets " .. table.concat(targets, ", ") .. "; brx.idx t, TABLE#; " .. table.concat(arms) .. "J#: mad.lo.u32 x, x, y, w;")
	rows("chain of ifs", key .. table.concat(tests) .. "bra J#; " .. table.concat(arms) .. "J#: mad.lo.u32 x, x, y, w;")
end

local function calls(bench)
	local call = "call (x), leaf, (x, y); "
	bench.chain("call/all lanes", call, { short = 2, long = 10 })
	local one = FIRST_LANES .. "@p# bra T#; " .. call .. "bra J#; T#: mad.lo.u32 x, x, y, w; NEVER; J#: mad.lo.u32 x, x, y, w;"
	local both = FIRST_LANES .. "@p# bra T#; " .. call .. "bra J#; T#: mad.lo.u32 x, x, y, w; NEVER; " .. call .. "J#: mad.lo.u32 x, x, y, w;"
	for _, lanes in ipairs { 0, 16, 32 } do
		bench.chain(("call/from one side (%d lanes do not)"):format(lanes), one, { name = "call one", a = lanes, short = 2, long = 8 })
		bench.chain(("call/from both sides (%d and %d lanes)"):format(lanes, 32 - lanes), both, { name = "call both", a = lanes, short = 2, long = 8 })
	end
end

local function lane_barriers(bench)
	local side = "mad.lo.u32 x, x, y, w; NEVER; "
	local function sides(first, second)
		return FIRST_LANES .. "@p# bra T#; " .. side .. first .. side .. "bra J#; T#: " .. side .. second .. side .. "J#: mad.lo.u32 x, x, y, w;"
	end
	local o = { a = 16, short = 2, long = 8, independent = true }
	bench.chain("sync/two sides without barrier", sides("", ""), o)
	bench.chain("sync/bar.warp.sync of each side", sides("bar.warp.sync 0xffff0000; ", "bar.warp.sync 0x0000ffff; "), o)
	bench.chain("sync/bar.warp.sync of all in both sides", sides("bar.warp.sync -1; ", "bar.warp.sync -1; "), o)
end

-- Every lane wants one lock; each tries 2000 times at most. What a lane leaves is 1 if it got through.
local function locks(bench)
	local free = "setp.eq.u32 p9, tid, 0; @p9 st.volatile.global.u32 [buf], z; @p9 st.volatile.global.u32 [buf+256], z; membar.gl; mov.u32 j, 0;"
	local inside = "ld.volatile.global.u32 k, [buf+256]; add.u32 k, k, 1; st.volatile.global.u32 [buf+256], k; membar.gl; atom.global.exch.b32 k, [buf], 0; mov.u32 j, 1; "
	local exits = "mov.u32 i, 0; TRY: add.u32 i, i, 1; atom.global.cas.b32 k, [buf], 0, 1; setp.ne.u32 p1, k, 0; @p1 bra NO; " .. inside
		.. "bra DONE; NO: setp.lt.u32 p2, i, n; @p2 bra TRY; DONE:"
	local spins = "mov.u32 i, 0; TRY: add.u32 i, i, 1; setp.gt.u32 p2, i, n; @p2 bra DONE; atom.global.cas.b32 k, [buf], 0, 1; setp.ne.u32 p1, k, 0; "
		.. "@p1 bra TRY; " .. inside .. "DONE:"
	for _, lock in ipairs { { "inside the loop", exits }, { "behind the spin", spins } } do
		local name, body = table.unpack(lock)
		local kernel = "lock " .. name
		bench.kernel(bench.word(kernel), bench.indent(body) .. "\n", { turn = free, turns = 1, stamp = "j" })
		bench.row { figure = ("lock/lanes through %s"):format(name), unit = "lanes", long = bench.word(kernel), n = 2000, mode = "sum", slow = true }
	end
end

return function(bench)
	loops(bench)
	branches(bench)
	ways(bench)
	calls(bench)
	lane_barriers(bench)
	locks(bench)
end
