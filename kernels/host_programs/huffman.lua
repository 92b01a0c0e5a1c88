-- gpu.args: words of four bytes (default 200), files (default 2), times that each is encoded (default 20: 46
-- launches).
gpu.sizes { arguments = function(size) return size.threads, 1, 2 end,
	reason = "sums over blocks and moving bits take a thread for each block of words" }
local words, files, times = gpu.argument(1, 200, { from = 64 }), gpu.argument(2, 2), gpu.argument(3, 20)
local random = gpu.random(109)
local bytes, root = {}, nil

function sizes() return words, files, times end

function next_file(data, number)
	for i = 1, 4 * words do bytes[i] = (random(40) * random(40) * random(40) // 4096 * 16 + random(3) + number) % 256 end
	for i = 0, words - 1 do data:set(i, bytes[4 * i + 1] | bytes[4 * i + 2] << 8 | bytes[4 * i + 3] << 16 | bytes[4 * i + 4] << 24) end
end

-- The two rarest trees become one until there is one tree.
function make_code(count, code, size)
	local trees, sum = {}, 0
	for i = 0, 255 do
		-- what is very rare counts as less so, since a code word has at most 16 bits
		if count:get(i) > 0 then trees[#trees + 1] = { n = math.max(count:get(i), 4 * words // 1024), byte = i } end
		sum = sum + count:get(i)
		code:set(i, 0)
		size:set(i, 0)
	end
	gpu.check(sum == 4 * words, "%d bytes are counted", sum)
	while #trees > 1 do
		table.sort(trees, function(a, b) return a.n > b.n or a.n == b.n and (a.byte or a.first) < (b.byte or b.first) end)
		local a, b = table.remove(trees), table.remove(trees)
		trees[#trees + 1] = { n = a.n + b.n, first = a.byte or a.first, a, b }
	end
	local function walk(tree, bits, length)
		if not tree[1] then
			assert(length <= 16, "a code word is longer than 16 bits: fewer words")
			code:set(tree.byte, bits)
			size:set(tree.byte, length)
		else
			walk(tree[1], bits << 1, length + 1)
			walk(tree[2], bits << 1 | 1, length + 1)
		end
	end
	root = trees[1]
	walk(root, 0, 0)
end

-- Decoded, the bits give the bytes again, and nothing is left.
function decoded(packed, start)
	local at, stream = 0, packed:table()
	for i, want in ipairs(bytes) do
		local tree = root
		while tree[1] do
			tree = tree[1 + (stream[at // 32 + 1] >> 31 - at % 32 & 1)]
			at = at + 1
		end
		if tree.byte ~= want then
			gpu.check(false, "byte %d is %d, not %d", i - 1, tree.byte, want)
			break
		end
	end
	local last = start:get((words + 31) // 32)
	gpu.check(at == last, "%d bits, but the bytes end at %d", last, at)
end
