-- Do the sides of a branch share time? Each side is a chain of eight loads; the figure is the time of a warp half of whose lanes
-- take either side, by that of one whose lanes all take one: 1 if the sides' loads overlap, 2 if one side waits for the other.


return function(bench)
	local function sides(load)
		local steps = {}
		for k = 1, 8 do steps[k] = load:gsub("OFFSET", 4096 * k) end
		local all = table.concat(steps)
		return bench.indent("@p1 bra TAKEN; " .. all .. "cvt.u32.u64 x, ad; NEVER; bra JOIN; TAKEN: " .. all .. "cvt.u32.u64 x, ad; NEVER; JOIN: mad.lo.u32 x, x, y, w;") .. "\n"
	end
	local condition = "setp.lt.u32 p1, lane, a; "
	bench.kernel("sides_L1", sides("ld.global.u64 ad, [ad]; "), { pre = condition, start = "mad.wide.u32 ad, gt, 8, buf;" })
	bench.kernel("sides_L2", sides("ld.global.cg.u64 ad, [ad]; "), { pre = condition, start = "mad.wide.u32 ad, gt, 8, buf;" })
	-- Every turn and every launch reads words that nobody has read; they hold 0.
	bench.kernel("sides_DRAM", sides("ld.global.cg.u64 l, [ad+OFFSET]; add.u64 ad, ad, l; "), { pre = condition,
		start = "mad.wide.u32 ad, n, 524288, buf; mad.wide.u32 ad, turn, 163840, ad; mad.wide.u32 ad, lane, 128, ad; mul.lo.u32 t, warp, 40960; cvt.u64.u32 le, t; add.u64 ad, ad, le;" })
	local launch = 2
	for _, level in ipairs { "L1", "L2", "DRAM" } do
		for _, warps in ipairs { 1, 2, 4 } do
			local r = { figure = ("sides/%s both by one (%d warps)"):format(level, warps), unit = "times", mode = "ratio", long = "sides_" .. level,
				short = "sides_" .. level, a = 16, less_a = 32, warps = warps }
			if level == "DRAM" then
				r.n, r.less_n, r.cold, r.big = launch, launch + 1, true, 65536 * 32
				launch = launch + 2
			else
				r.init = "init_self"
			end
			bench.row(r)
		end
	end
end
