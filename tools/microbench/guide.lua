-- What the CUDA guide says of figures of the micro-benchmarks: the rate of the class of operations that each measures.
--   local guide = dofile(top .. "/tools/microbench/guide.lua")
--   for figure, row in pairs(guide.row_of) do ... rates.of(capability, row) ... end -- rates: configs/tables/rates.lua
local guide = { source = "CUDA C++ Programming Guide, in configs/tables/rates.lua", row_of = { ["barrier/threads of bar.sync a cycle"] = "barrier" } }
for operation, row in pairs { ["add.u32"] = "alu", ["mad.lo.u32"] = "imul", ["and.b32"] = "logic", ["shl.b32"] = "shift", ["min.u32"] = "compare",
	["bfe.u32"] = "bits", ["brev.b32"] = "reverse", ["popc.b32"] = "count_bits", ["clz.b32"] = "count_bits", ["sad.u32"] = "sad", ["shfl.idx"] = "shfl",
	["vote.any"] = "vote", ["fma.f32"] = "fp32", ["fma.f64"] = "fp64", ["ex2.approx.f32"] = "sfu", ["cvt.rn.f32.u32"] = "cvt",
	["cvt.f64.f32"] = "cvt64", ["cvt.u32.u8"] = "cvt8" } do
	guide.row_of["rate/" .. operation] = row
end

-- The compute capability whose rates a machine file takes, by its text without its comments; nil: of none.
function guide.capability(text)
	local code = text:gsub("%-%-%[(=*)%[.-%]%1%]", ""):gsub("%-%-[^\n]*", "")
	return code:match("%.machine%s*%(%s*[\"']([%d.]+)[\"']")
end
return guide
