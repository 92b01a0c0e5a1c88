-- Kernels of random two-way branches: every thread goes `turns` times through a row of ifs, whose conditions are
-- bits of a number of its own. make(seed, ifs, least, most): the text of a kernel k(out, turns), whose sides have
-- from `least` to `most` instructions. workload(threads, turns): a workload that launches it with one block.
local branches = {}

-- A generator of its own, so that the kernels are the same with every Lua.
local function generator(seed)
	local state = seed * 2654435761 % 4294967296
	return function(n)
		state = (state * 1664525 + 1013904223) % 4294967296
		return state // 65536 % n
	end
end

local SIDE = { "%h = mad.lo.u32 %h, 5, N", "%h = add.u32 %h, N", "%h = xor.b32 %h, N" }

function branches.make(seed, ifs, least, most)
	local random, t = generator(seed), {}
	local function line(text, ...) t[#t + 1] = select("#", ...) > 0 and text:format(...) or text end
	line("kernel k(u64 out, u32 turns)\n{")
	line("\treg u32 %t, %x, %h, %i, %n, %c\n\treg u64 %o\n\treg pred %p")
	line("A:\n\t%t = mov.u32 %tid.x\n\t%n = ld.param.u32 [turns]")
	line("\t%%x = mad.lo.u32 %%t, 2654435761, %d", random(65536))
	line("\t%h = mov.u32 0\n\t%i = mov.u32 0\n\tbra L\nL:")
	for k = 1, ifs do
		line("\t%x = mad.lo.u32 %x, 1664525, 1013904223")
		line("\t%%c = shr.u32 %%x, %d\n\t%%c = and.b32 %%c, 1\n\t%%p = setp.ne.u32 %%c, 0", 16 + random(12))
		line("\tbra %%p, T%d, F%d", k, k)
		for _, side in ipairs { "T", "F" } do
			line("%s%d:", side, k)
			for _ = 1, least + random(most - least + 1) do line("\t" .. SIDE[1 + random(#SIDE)]:gsub("N", tostring(random(1000)))) end
			line("\tbra J%d", k)
		end
		line("J%d:", k)
	end
	line("\t%i = add.u32 %i, 1\n\t%p = setp.lt.u32 %i, %n\n\tbra %p, L, E")
	line("E:\n\t%o = ld.param.u64 [out]\n\t%o = mad.wide.u32 %t, 4, %o\n\tst.global.u32 [%o], %h\n\texit\n}")
	return table.concat(t, "\n") .. "\n"
end

function branches.workload(threads, turns)
	return ('local out = gpu.buffer("u32", %d)\ngpu.launch { kernel = "k", grid = 1, block = %d, args = { out, %d } }\n'):format(threads,
		threads, turns)
end

return branches
