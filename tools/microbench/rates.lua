-- Rates: independent chains of each of 32 warps on one SM, results by cycle.
local RATES = {
	{ "add.u32", "add.u32 r#, r#, y;" }, { "mad.lo.u32", "mad.lo.u32 r#, r#, y, w;" }, { "shl.b32", "shl.b32 r#, r#, z;" },
	{ "and.b32", "xor.b32 r#, r#, w;" },
	{ "min.u32", "min.u32 r#, r#, w;" }, { "bfe.u32", "bfe.u32 r#, r#, z, w;" }, { "brev.b32", "brev.b32 r#, r#;" },
	{ "popc.b32", "popc.b32 r#, r#;" }, { "clz.b32", "clz.b32 r#, r#;" }, { "sad.u32", "sad.u32 r#, r#, y, w;" },
	{ "shfl.idx", "shfl.sync.idx.b32 r#, r#, j, 31, -1;" }, { "vote.any", "vote.sync.any.pred p#, p#, -1;" },
	{ "fma.f32", "fma.rn.f32 v#, v#, g, e;" }, { "fma.f64", "fma.rn.f64 u#, u#, dg, de;" },
	{ "ex2.approx.f32", "ex2.approx.ftz.f32 v#, v#;" }, { "div.u32", "div.u32 r#, w, r#;" }, { "div.rn.f64", "div.rn.f64 u#, de, u#;" },
	{ "cvt.rn.f32.u32", "cvt.rn.f32.u32 v#, r#;" }, { "cvt.f64.f32", "cvt.f64.f32 u#, v#;" }, { "cvt.u32.u8", "cvt.u32.u8 r#, r#;" },
}
-- How a chain's register of each kind gets its first value, and how its last value becomes part of what the kernel stores.
local KINDS = {
	{ register = "r", start = "", stop = "xor.b32 x, x, r#;" },
	{ register = "v", start = "cvt.rn.f32.u32 v#, r#;", stop = "add.f32 f, f, v#;" },
	{ register = "u", start = "cvt.rn.f64.u32 u#, r#;", stop = "add.f64 d, d, u#;" },
	{ register = "p", start = "setp.lt.u32 p#, r#, w;", stop = "selp.u32 t, 1, 0, p#; xor.b32 x, x, t;" },
}

return function(bench)
	for _, c in ipairs(RATES) do
		local figure = "rate/" .. c[1]
		local start, step, stop = {}, {}, {}
		local width = c[2]:find("u#", 1, true) and 4 or 8 -- registers of 64 bits are short on old machines
		for k = 1, width do
			start[k], stop[k] = ("add.u32 r%d, x, %d; "):format(k, k), ""
			for _, how in ipairs(KINDS) do
				if c[2]:find(how.register .. "#", 1, true) then
					start[k] = start[k] .. how.start:gsub("#", k)
					stop[k] = stop[k] .. how.stop:gsub("#", k)
				end
			end
			step[k] = bench.indent((c[2]:gsub("#", k)))
		end
		local o = { pre = "and.b32 j, lane, 31;", start = table.concat(start, " "), stop = table.concat(stop, " ") }
		local name = bench.word(figure)
		bench.kernel(name .. "_long", table.concat(step):rep(96), o)
		bench.kernel(name .. "_short", table.concat(step):rep(32), o)
		bench.row { figure = figure, unit = "results/cycle/SM", long = name .. "_long", short = name .. "_short", steps = 64 * width, mode = "rate", warps = 32 }
	end
end
