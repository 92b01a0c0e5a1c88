-- What a CSV measured, by figure, and what a machine file says of a parameter that is set by it.
--   local figures = dofile(top .. "/tools/tune/figures.lua")
--   local used, unused = figures.of(list, keys, chip) -- list: rows of tools/tune/rows.lua; used: { { figure, value, unit, mark, lines, row, entry }, ... }
--   figures.comment(w, note)                          -- "[T] (P) RTX 3060, line 12: latency/add.u32, 4 cycles"
local figures = {}

-- The mark of the weakest row: who has read that a figure was measured says P or S; of any other nobody knows how it was seen.
local WEIGHT = { P = 1, S = 2 }
local function weaker(a, b) return (WEIGHT[a] or 3) >= (WEIGHT[b] or 3) and a or b end

-- A name as it may stand in a comment of a machine file: in one line, within one of its parts.
function figures.plain(name) return (name:gsub("%c", " "):gsub(";", ",")) end

-- By figure, what was measured; of several rows the mean. Figures that speak of no parameter are in the second table, names alone.
function figures.of(list, keys, chip)
	local wanted, used, unused = {}, {}, {}
	for _, row in ipairs(list) do
		local w = wanted[row.figure]
		if not w then
			w = { figure = row.figure, sum = 0, unit = row.unit, seen = row.seen, entry = keys.of[row.figure], row = row, lines = {}, chip = figures.plain(chip) }
			wanted[row.figure] = w
			if w.entry then used[#used + 1] = w else unused[#unused + 1] = row.figure end
		end
		w.seen = weaker(w.seen, row.seen)
		w.lines[#w.lines + 1] = row.line
		w.sum = w.sum + row.value
		w.value = w.sum / #w.lines
	end
	return used, unused
end

local function what_was_measured(w)
	return ("line %s: %s, %.4g %s"):format(table.concat(w.lines, ", "), w.figure, w.value, w.unit ~= "" and figures.plain(w.unit) or "measured")
end

function figures.comment(w, note)
	local text = what_was_measured(w) .. (w.odd or "") .. (note or "")
	if WEIGHT[w.seen] then return ("[T] (%s) %s, %s"):format(w.seen, w.chip, text) end
	return ("assumption: %s, [T] does not say how it was seen, %s"):format(w.chip, text)
end

-- Of a parameter that cannot be what the figure asks for.
function figures.limited(w, which, wanted) return ("assumption: the %s; %.4g would follow from %s, %s"):format(which, wanted, w.chip, what_was_measured(w)) end

-- Of a parameter by which the figure does not come to what was measured.
function figures.unmet(w, ours) return ("assumption: by it gsim comes to %.4g, not to that of %s, %s"):format(ours, w.chip, what_was_measured(w)) end

return figures
