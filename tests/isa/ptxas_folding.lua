-- What NVIDIA's assembler folds constants to is what gsim computes. Writes kernels that each apply one
-- operation to constants and store the result, assembles them with ptxas -O3, and reads from the machine code
-- which value a kernel stores, where that is a constant; the same file is run by gsim. Usage:
-- ptxas_folding.lua PTXAS GSIM FOLDER
local ptxas, gsim, dir = arg[1], arg[2], arg[3]
local SETS <const> = 3 -- of operands for a mnemonic

-- ---- operations: mnemonic with alternatives in braces; one letter an operand, the result's first ---- t the
-- first type of the mnemonic, s the second, w twice as wide as t, u 32 bits, p a predicate, i a number below
-- 256
local INT <const>, I32 <const>, FLT <const> = "{u16,s16,u32,s32,u64,s64}", "{u32,s32}", "{f32,f64}"
local CMP <const>, FCMP <const> = "{eq,ne,lt,le,gt,ge}", "{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}"
local CVT <const> = "{u8,s8,u16,s16,u32,s32,u64,s64}"
local operations <const> = {
	{ "{add,sub,min,max}." .. INT, "ttt" }, { "{add,sub}.sat.s32", "ttt" }, { "mul.{lo,hi}." .. INT, "ttt" }, { "mad.{lo,hi}." .. INT, "tttt" },
	{ "mul.wide.{u16,s16,u32,s32}", "wtt" }, { "mad.wide.{u16,s16,u32,s32}", "wttw" }, { "mad.hi.sat.s32", "tttt" },
	{ "mul24.{lo,hi}." .. I32, "ttt" }, { "mad24.{lo,hi}." .. I32, "tttt" }, { "sad." .. INT, "tttt" }, { "{div,rem}." .. INT, "tto" },
	{ "{abs,neg}.{s16,s32,s64}", "tt" }, { "{popc,clz}.{b32,b64}", "ut" }, { "bfind.{u32,s32,u64,s64}", "ut" },
	{ "bfind.shiftamt.{u32,s32,u64,s64}", "ut" }, { "brev.{b32,b64}", "tt" }, { "bfe.{u32,s32,u64,s64}", "ttuu" }, { "bfi.{b32,b64}", "tttuu" },
	{ "prmt.b32", "tttu" }, { "prmt.b32.{f4e,b4e,rc8,ecl,ecr,rc16}", "tttu" }, { "{and,or,xor}.{b16,b32,b64}", "ttt" },
	{ "{not,cnot}.{b16,b32,b64}", "tt" }, { "lop3.b32", "tttti" }, { "shl.{b16,b32,b64}", "ttu" }, { "shr." .. INT, "ttu" },
	{ "shf.{l,r}.{wrap,clamp}.b32", "tttu" }, { "dp4a." .. I32 .. "." .. I32, "uuuu" }, { "setp." .. CMP .. "." .. INT, "ptt" },
	{ "setp.{lo,ls,hi,hs}.{u16,u32,u64}", "ptt" }, { "set." .. CMP .. ".{u32,s32,f32}." .. I32, "tss" }, { "slct.{u32,s64}.s32", "ttts" },
	{ "cvt." .. CVT .. "." .. CVT, "ts" }, { "cvt.sat.{u8,s8,u16,s16}.{s32,s64}", "ts" }, { "cvt.sat.{u8,u16,u32,u64}.s64", "ts" },
	{ "{add,sub,mul}.{rn,rz,rm,rp}." .. FLT, "ttt" }, { "{add,sub,mul}.{rn,rz}.{ftz,sat,ftz.sat}.f32", "ttt" },
	{ "fma.{rn,rz,rm,rp}." .. FLT, "tttt" }, { "fma.rn.{ftz,sat,ftz.sat}.f32", "tttt" }, { "{min,max}." .. FLT, "ttt" }, { "{min,max}.ftz.f32", "ttt" },
	{ "{abs,neg}." .. FLT, "tt" }, { "{abs,neg}.ftz.f32", "tt" }, { "copysign." .. FLT, "ttt" },
	{ "testp.{finite,infinite,number,notanumber,normal,subnormal}." .. FLT, "pt" }, { "setp." .. FCMP .. "." .. FLT, "ptt" },
	{ "setp." .. FCMP .. ".ftz.f32", "ptt" }, { "set." .. FCMP .. ".{u32,f32}.f32", "tss" }, { "slct.{u32,s64}.f32", "ttts" },
	{ "slct.ftz.u32.f32", "ttts" }, { "{rcp,sqrt}.rn." .. FLT, "tt" }, { "div.rn.f32", "ttt" },
	{ "cvt.{rni,rzi,rmi,rpi}." .. CVT .. "." .. FLT, "ts" }, { "cvt.{rn,rz,rm,rp}." .. FLT .. "." .. CVT, "ts" },
	{ "cvt.{rn,rz,rm,rp}.f32.f64", "ts" }, { "cvt.f64.{f16,f32,f64}", "ts" }, { "cvt.{rni,rzi,rmi,rpi}.f32.f32", "ts" }, { "cvt.sat.f32.f32", "ts" },
	{ "cvt.{rn,rz,rm,rp}.f16.{f32,f64}", "ts" }, { "cvt.f32.f16", "ts" }, { "cvt.sat.f64.f64", "ts" }, { "cvt.rni.f64.f64", "ts" },
	{ "szext.{clamp,wrap}." .. I32, "ttu" }, { "bmsk.{clamp,wrap}.b32", "ttu" }, { "dp2a.{lo,hi}." .. I32 .. "." .. I32, "uuuu" },
}

local function expand(pattern, out) -- every alternative of the first braces, and so on
	local before, list, after = pattern:match("^(.-){(.-)}(.*)$")
	if not before then
		out[#out + 1] = pattern
		return out
	end
	for one in list:gmatch("[^,]+") do
		expand(before .. one .. after, out)
	end
	return out
end

-- ---- operands ----
local state = 88172645463325252
local function random()
	state = state ~ state << 13
	state = state ~ state >> 7
	state = state ~ state << 17
	return state
end
local function below(n) return (random() >> 1) % n end
local function low(v, bits) return bits >= 64 and v or v & (1 << bits) - 1 end

local special <const> = {
	f16 = { 0, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 1, 0x83ff, 0x7bff, 0x3800 },
	f32 = { 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc01234, 1, 0x807fffff, 0x00800000,
		0x7f7fffff, 0x3f000000, 0xbfc00000, 0x40200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x33800000, 0x4b000001 },
	f64 = { 0, 1 << 63, 0x3ff0000000000000, 0xbff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0x7ff0000000000001, 0xfff8000000001234, 1, 0x0010000000000000, 0x7fefffffffffffff, 0x3fe0000000000000, 0x41dfffffffe00000,
		0xc1e0000000100000, 0x41efffffffe00000, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x36a0000000000000 },
}
local function value(type, bits)
	local list = special[type]
	if list and below(3) > 0 then
		return list[1 + below(#list)]
	elseif list then -- near 1
		local bias = type == "f16" and 15 << 10 or type == "f32" and 127 << 23 or 1023 << 52
		return low(bias + below(1 << (bits - 4)) - (1 << (bits - 5)), bits)
	end
	local how, one = below(6), 1 << below(bits)
	local v = how == 0 and one + below(3) - 1 or how == 1 and -one or how == 2 and (1 << (bits - 1)) - below(3) or how == 3 and below(40) or random()
	return low(v, bits)
end

-- ---- kernels ----
local function bits_of(type) return tonumber(type:match("%d+")) end

-- The instructions of a case: its operands, the operation, and a store of the result.
local function case_of(number, mnemonic, letters)
	local types = {}
	for type in mnemonic:gmatch("%.([usfb]%d+)") do
		types[#types + 1] = type
	end
	local text, registers, width = {}, {}, nil
	for k = 1, #letters do
		local letter = letters:sub(k, k)
		local type = letter == "s" and types[2] or (letter == "u" or letter == "i") and "b32" or types[1]
		local bits = letter == "w" and 2 * bits_of(type) or bits_of(type)
		local v = letter == "i" and below(256) or letter == "o" and value(type, bits) | 1 or value(type, bits)
		if type:match("^[us]8$") then
			bits = 32 -- cvt alone takes narrower values, in wider registers
		end
		registers[k] = letter == "p" and "%q" or letter == "i" and tostring(v) or ("%%v%d_%d"):format(k, bits)
		if k == 1 then
			width = letter == "p" and 32 or bits
		elseif letter ~= "i" then
			text[#text + 1] = ("\tmov.b%d %s, 0x%x;"):format(bits, registers[k], v)
		end
	end
	text[#text + 1] = ("\t%s %s;"):format(mnemonic, table.concat(registers, ", "))
	local result = registers[1]
	if result == "%q" then
		text[#text + 1] = "\tselp.b32 %v1_32, 1, 0, %q;"
		result = "%v1_32"
	end
	text[#text + 1] = ("\tst.global.b%d [%%p+%d], %s;"):format(width, 8 * number, result)
	local shown = {}
	for k = 1, #text - 1 do
		shown[k] = text[k]:match("^%s*(.-);$")
	end
	local single = letters:match("^t") and types[1] == "f32" -- "single-precision instructions return an unspecified NaN"
	return table.concat(text, "\n"), { width = width, single = single, text = table.concat(shown, "; ") }
end

local HEAD <const> = ".version 7.6\n.target sm_75\n.address_size 64\n"
local function kernel(name, body)
	return (".visible .entry %s(.param .u64 out)\n{\n\t.reg .b64 %%p;\n\t.reg .pred %%q;\n\t.reg .b16 %%v1_16, %%v2_16, %%v3_16, %%v4_16;\n"
		.. "\t.reg .b32 %%v1_32, %%v2_32, %%v3_32, %%v4_32, %%v5_32;\n\t.reg .b64 %%v1_64, %%v2_64, %%v3_64, %%v4_64;\n"
		.. "\tld.param.u64 %%p, [out];\n%s\n\tret;\n}\n"):format(name, body)
end

-- ---- machine code of sm_75: which constant a kernel stores ----
local RZ <const> = 255
local function constant(code, at, register) -- of the register before instruction `at`, or nil
	if register == RZ then
		return 0
	end
	for k = at - 1, 1, -1 do
		local lo, hi = code[k][1], code[k][2]
		local op, to, ra, imm = lo & 0xfff, lo >> 16 & 255, lo >> 24 & 255, lo >> 32 & 0xffffffff
		local always = lo >> 12 & 15 == 7
		if op == 0x947 or op == 0x944 or op == 0x94d then -- a branch, a call or the end lies between
			return nil
		elseif to == register then
			if not always then
				return nil
			elseif op == 0x802 then -- MOV
				return imm
			elseif op == 0x424 and ra == RZ and hi & 255 == RZ then -- IMAD.MOV.U32: 0 * 0 + a constant
				return imm
			elseif op == 0x202 then -- MOV of a register
				return constant(code, k, imm & 255)
			elseif op == 0x224 and ra == RZ and imm & 255 == RZ then -- IMAD.MOV.U32
				return constant(code, k, hi & 255)
			end
			return nil
		elseif to == register - 1 and op ~= 0x802 and op ~= 0x424 and op ~= 0x202 and op ~= 0x224 then
			return nil -- it may write a pair
		end
	end
end

local function stored(code, width)
	for k = 1, #code do
		local lo = code[k][1]
		if lo & 0xfff == 0x986 then -- STG
			local data = lo >> 32 & 255
			local v, upper = constant(code, k, data), 0
			if width == 64 then
				upper = constant(code, k, data == RZ and RZ or data + 1)
			end
			return v and upper and low(v | upper << 32, width)
		end
	end
end

local function sections(elf) -- name and bytes of each section
	local offset, count, names = string.unpack("<I8", elf, 0x29), string.unpack("<I2", elf, 0x3d), string.unpack("<I2", elf, 0x3f)
	local function header(n)
		local name, _, _, _, at, size = string.unpack("<I4I4I8I8I8I8", elf, offset + 64 * n + 1)
		return name, at, size
	end
	local _, strings = header(names)
	local n = -1
	return function()
		n = n + 1
		if n < count then
			local name, at, size = header(n)
			return string.unpack("z", elf, strings + name + 1), at, size
		end
	end
end

local function folded(path, cases)
	local file = assert(io.open(path, "rb"))
	local elf = file:read("a")
	file:close()
	for name, at, size in sections(elf) do
		local number = name:match("^%.text%.k(%d+)$")
		if number then
			local code, case = {}, cases[tonumber(number)]
			for i = at, at + size - 16, 16 do
				local lo, hi = string.unpack("<I8I8", elf, i + 1)
				code[#code + 1] = { lo, hi }
			end
			case.ptxas = stored(code, case.width)
		end
	end
end

-- ---- the run ----
local function nan32(v) return v & 0x7fffffff > 0x7f800000 end
local function write(name, text)
	local file = assert(io.open(dir .. "/" .. name, "w"))
	file:write(text)
	file:close()
end
local function run(command) return (os.execute(command)) end

local bodies, kernels, cases, number = {}, { HEAD }, {}, 0
for _, operation in ipairs(operations) do
	for _, mnemonic in ipairs(expand(operation[1], {})) do
		for _ = 1, SETS do
			local body, case = case_of(number, mnemonic, operation[2])
			case.mnemonic = mnemonic
			cases[number] = case
			number = number + 1
			bodies[number] = body
			kernels[number + 1] = kernel("k" .. number - 1, body)
		end
	end
end
write("fold.ptx", table.concat(kernels, "\n")) -- a kernel for each case, so that ptxas sees it alone
write("all.ptx", HEAD .. kernel("all", table.concat(bodies, "\n")))
write("all.lua", ("local out = gpu.buffer('u64', %d)\ngpu.launch{ kernel = 'all', grid = 1, block = 1, args = { out } }\nout:save('all.out')\n"):format(number))
if not run(("%s -O3 -arch=sm_75 -o %s/fold.cubin %s/fold.ptx"):format(ptxas, dir, dir)) then
	print("skipped: ptxas does not assemble for sm_75")
	os.exit(77)
end
assert(run(("%s -q --functional %s/all.ptx"):format(gsim, dir)), "gsim does not run the kernel")
folded(dir .. "/fold.cubin", cases)
local file = assert(io.open(dir .. "/all.out", "rb"))
local results = file:read("a")
file:close()
local compared, wrong, mnemonics, count = 0, 0, {}, 0
for k = 0, number - 1 do
	local case = cases[k]
	local ours = low(string.unpack("<I8", results, 8 * k + 1), case.width)
	if case.ptxas then
		compared = compared + 1
		count = count + (mnemonics[case.mnemonic] and 0 or 1)
		mnemonics[case.mnemonic] = true
		if case.ptxas ~= ours and not (case.single and nan32(case.ptxas) and nan32(ours)) then
			wrong = wrong + 1
			print(("k%d: %s: ptxas gives 0x%x, gsim 0x%x"):format(k, case.text, case.ptxas, ours))
		end
	end
end
print(("%d cases, %d folded by ptxas and compared (%d mnemonics), %d differ"):format(number, compared, count, wrong))
os.exit(wrong == 0 and compared > 0 and 0 or 1)
