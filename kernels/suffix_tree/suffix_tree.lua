-- gpu.args: queries (default 64), letters of the text (default 500), longest query (default 24), least length
-- that is recorded (default 4), threads of a block (default 64).
gpu.sizes(function(size) return size.threads // 2, 500, 12 end)
local queries, size = gpu.argument(1, 64), gpu.argument(2, 500)
local longest, least, block = gpu.argument(3, 24), gpu.argument(4, 4), gpu.argument(5, 64, { to = 1024 })
local random = gpu.random(29)

-- A text of four letters with repeats, and queries: pieces of it with other letters here and there.
local text, letters, offset = {}, {}, { 0 }
for i = 1, size do text[i] = i > 60 and random(8) > 0 and text[i - 53] or random(4) end
for q = 1, queries do
	local at, n = random(size), longest // 3 + random(longest - longest // 3 + 1)
	for i = 1, n do letters[#letters + 1] = random(12) == 0 and random(4) or text[(at + i) % size + 1] end
	offset[q + 1] = #letters
end

-- The suffix tree, suffix by suffix: a node has children, the edge into it as a place in the text, its depth,
-- its parent.
local node = { { start = 0, depth = 0 } }
node[1].parent = 1
local function descend(i) -- from the root with the suffix from i on: node, place in the text, letters into the edge of a child
	local at, k = 1, i
	while true do
		local child = node[node[at][text[k]]]
		if not child then return at, k end
		local length = child.depth - node[at].depth
		for j = 0, length - 1 do
			if k + j > size or text[child.start + j + 1] ~= text[k + j] then return at, k + j, j end
		end
		at, k = node[at][text[k]], k + length
	end
end
local function add(parent, letter, start, depth)
	node[#node + 1] = { start = start, depth = depth, parent = parent }
	node[parent][letter] = #node
	return #node
end
for i = 1, size do
	local at, k, inside = descend(i)
	if k <= size then
		if inside then -- split the edge
			local letter = text[k - inside]
			local below = node[at][letter]
			local middle = add(at, letter, node[below].start, node[at].depth + inside)
			node[below].parent, node[below].start = middle, node[below].start + inside
			node[middle][text[node[below].start + 1]] = below
			at = middle
		end
		add(at, text[k], k - 1, size - i + 1)
	end
end
for v = 2, #node do -- suffix links, where the node exists; a path of the text below its first letter
	local n = node[v]
	local first = n.start + (n.depth - node[n.parent].depth) - n.depth + 1
	local at, k = 1, first + 1
	while node[at].depth < n.depth - 1 do
		local next = node[at][text[k]]
		k = k + node[next].depth - node[at].depth
		at = next
	end
	n.link = node[at].depth == n.depth - 1 and at or 0
end

local words = {}
for v = 0, #node do
	local n = node[v] or { start = 0, depth = 0 }
	for c = 0, 3 do words[8 * v + c + 1] = n[c] or 0 end
	for k, value in ipairs { n.start, n.depth, n.parent or 0, n.link or 0 } do words[8 * v + 4 + k] = value end
end
local match, found = gpu.buffer("s32", #letters, -2), gpu.buffer("s32", #letters, -2)
gpu.launch { kernel = "suffix_tree", grid = (queries + block - 1) // block, block = block,
	args = { gpu.buffer("s32", #words, words), gpu.buffer("u8", size, text), gpu.buffer("u8", #letters, letters),
		gpu.buffer("s32", queries + 1, offset), queries, least, match, found } }

-- Reference: a search for ever longer pieces.
local function string_of(t)
	local s = {}
	for k, v in ipairs(t) do s[k] = ("acgt"):sub(v + 1, v + 1) end
	return table.concat(s)
end
local whole = string_of(text)
for q = 1, queries do
	local first, length = offset[q], 0
	local query = string_of(table.move(letters, first + 1, offset[q + 1], 1, {}))
	for i = offset[q] + 1, offset[q + 1] do
		while i + length <= offset[q + 1] and whole:find(query:sub(i - first, i - first + length), 1, true) do length = length + 1 end
		local m, f = match:get(i - 1), found:get(i - 1)
		gpu.check(m == (length < least and 0 or length), "letter %d: a match of %d letters, not %d", i - 1, m, length)
		gpu.check(f == -1 and m == 0 or whole:sub(f + 1, f + m) == query:sub(i - first, i - first + m - 1), "letter %d: no match at %d", i - 1, f)
		length = math.max(length - 1, 0)
	end
end
