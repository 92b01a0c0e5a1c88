-- The last block has threads behind the end of the text.
local n, text = 90, "abcdbeacdcdeabbebacda"
gpu.launch { kernel = "string_search", grid = 2, block = 64,
	args = { gpu.buffer("u8", n, function(i) return text:byte(i % #text + 1) end), n, gpu.buffer("u32", n), gpu.buffer("u32", 1) } }
