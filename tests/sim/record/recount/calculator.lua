-- Programs of different length and order; words are pushed in pairs and one operation takes one away.
local n, length = 48, 16
local words = {}
for t = 0, n - 1 do
	local k = t * length
	for turn = 0, t % 5 do
		words[#words + 1] = (t * 7 + turn) << 3 | 1
		words[#words + 1] = turn == 0 and 6 or 2 + (t + turn) % 4
	end
	while #words < k + length do words[#words + 1] = 0 end
end
gpu.launch { kernel = "calculator", grid = 1, block = n, args = { gpu.buffer("u32", n * length, words), gpu.buffer("u32", n), length } }
