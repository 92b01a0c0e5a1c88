-- gpu.args: threads of a block, a power of 2 (default 32), words of four bytes (default 400).
gpu.sizes { arguments = function(size) return 64, size.threads end,
	reason = "sums over blocks and moving bits take a thread for each block of words" }
local block, words = gpu.argument(1, 32, { power_of_two = true, to = 1024 }), gpu.argument(2, 400)
local random = gpu.random(109)

local bytes = {}
for i = 1, 4 * words do bytes[i] = random(40) * random(40) * random(40) // 4096 * 16 + random(3) end
local data = gpu.buffer("u32", words, function(i)
	return bytes[4 * i + 1] | bytes[4 * i + 2] << 8 | bytes[4 * i + 3] << 16 | bytes[4 * i + 4] << 24
end)
local blocks = (words + block - 1) // block
local function zeros(n) return gpu.buffer("u32", n) end

local count = zeros(256)
gpu.launch { kernel = "count_bytes", grid = math.min(blocks, math.max(blocks // 4, 4)), block = block, args = { data, words, count } }
local expected = {}
for i = 0, 255 do expected[i] = 0 end
for _, b in ipairs(bytes) do expected[b] = expected[b] + 1 end
for i = 0, 255 do gpu.check(count:get(i) == expected[i], "byte %d: %d, not %d", i, count:get(i), expected[i]) end

-- The code: the two rarest trees become one until there is one tree. A byte that is very rare counts as less
-- so, since a code word has at most 16 bits.
local trees = {}
for i = 0, 255 do
	if expected[i] > 0 then trees[#trees + 1] = { n = math.max(expected[i], #bytes // 1024), byte = i } end
end
if #trees == 1 then trees[2] = { n = 0, byte = (trees[1].byte + 1) % 256 } end
while #trees > 1 do
	table.sort(trees, function(a, b) return a.n > b.n or a.n == b.n and (a.byte or a.first) < (b.byte or b.first) end)
	local a, b = table.remove(trees), table.remove(trees)
	trees[#trees + 1] = { n = a.n + b.n, first = a.byte or a.first, a, b }
end
local code, size = zeros(256), zeros(256)
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
walk(trees[1], 0, 0)

local bits, length, start = zeros(2 * block * blocks), zeros(blocks), zeros(blocks + 1)
local packed = zeros(2 * block * blocks + 1)
gpu.launch { kernel = "encode", grid = blocks, block = block, shared = 12 * block, args = { data, words, code, size, bits, length } }
gpu.launch { kernel = "starts", grid = blocks // block + 1, block = block, args = { length, start, blocks } }
gpu.launch { kernel = "pack_bits", grid = (blocks + block - 1) // block, block = block, args = { bits, length, start, packed, 2 * block, blocks } }

-- Decoded, the bits give the bytes again, and nothing is left.
local at, stream = 0, packed:table()
for i, want in ipairs(bytes) do
	local tree = trees[1]
	while tree[1] do
		tree = tree[1 + (stream[at // 32 + 1] >> 31 - at % 32 & 1)]
		at = at + 1
	end
	if tree.byte ~= want then
		gpu.check(false, "byte %d is %d, not %d", i - 1, tree.byte, want)
		break
	end
end
gpu.check(at == start:get(blocks), "%d bits, but the bytes end at %d", start:get(blocks), at)
