-- Plots with lines, points or bars as SVG, in plain Lua.
--   local plot = dofile("tools/plot.lua")
--   plot.write("out.svg", { title = "...", x = "axis", y = "axis", series = {
--       { name = "kepler", points = { { 0, 1.5 }, ... }, style = "line" or "points" or "step" or "both" or "dashes" } } })
--   A series without a name is not in the legend; one with `colour = k` has the colour of the k-th.
--   log2 = true: the x axis is logarithmic, with a mark at each power of two.
--   categories = { "BIT", ... }: bars, side by side; the x of a point is the number of its category. at = 1: a line at this y, from which bars rise or hang.
local plot = {}

local WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 80, 16, 40, 52
local BAR, BETWEEN = 7, 12 -- the width of a bar and the room between two categories
local COLOUR = { "#1f5fa8", "#c8501e", "#2b8a3e", "#8a2b85", "#7a6a00", "#444444", "#d0436f", "#0b8f8f" }

local function escape(s)
	return (tostring(s):gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

-- A step of 1, 2 or 5 times a power of ten that divides the range into at most `most` parts.
local function nice_step(range, most)
	local power = 10 ^ math.floor(math.log(range / most, 10))
	for _, k in ipairs { 1, 2, 5, 10 } do
		if range / (k * power) <= most then return k * power end
	end
end

local function ticks(low, high, most, least)
	local step, list = math.max(nice_step(high - low, most), least), {}
	for k = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do list[#list + 1] = k * step end
	return list
end

local function bounds(series, i, from_zero)
	local low, high = math.huge, -math.huge
	for _, s in ipairs(series) do
		for _, p in ipairs(s.points) do low, high = math.min(low, p[i]), math.max(high, p[i]) end
	end
	if low > high then low, high = 0, 1 end
	if from_zero then low = math.min(low, 0) end
	if low == high then high = low + 1 end
	return low, high
end

local function whole(series)
	for _, s in ipairs(series) do
		for _, p in ipairs(s.points) do
			if p[1] ~= math.floor(p[1]) then return false end
		end
	end
	return true
end

local function label(v) return v == math.floor(v) and ("%d"):format(v) or ("%g"):format(v) end

local function draw(svg, s, colour, px, py)
	local style = s.style or "line"
	if style ~= "points" then
		local path, last = {}, nil
		for k, p in ipairs(s.points) do
			if style == "step" and last then path[#path + 1] = ("L%.1f %.1f"):format(px(p[1]), py(last)) end
			path[#path + 1] = ("%s%.1f %.1f"):format(k == 1 and "M" or "L", px(p[1]), py(p[2]))
			last = p[2]
		end
		svg('<path d="%s" fill="none" stroke="%s" stroke-width="1.5"%s/>', table.concat(path, " "), colour, style == "dashes" and ' stroke-dasharray="4 4"' or "")
	end
	if style == "points" or style == "both" then
		for _, p in ipairs(s.points) do svg('<circle cx="%.1f" cy="%.1f" r="2.8" fill="%s"/>', px(p[1]), py(p[2]), colour) end
	end
end

-- The x axis of a figure: its width in all, the room below it, where an x stands, and its marks as { x, text
-- }.
local function axis(figure)
	local series, n = figure.series, figure.categories and #figure.categories
	if n then
		local slot, longest = #series * BAR + BETWEEN, 0
		local width = math.max(WIDTH, LEFT + RIGHT + n * slot)
		local function px(x) return LEFT + (x - 0.5) / n * (width - LEFT - RIGHT) end
		local marks = {}
		for k, name in ipairs(figure.categories) do
			marks[k] = { k, name }
			longest = math.max(longest, #name)
		end
		return { width = width, bottom = BOTTOM + 5 * longest, px = px, marks = marks, slanted = true }
	end
	local x0, x1 = bounds(series, 1, false)
	local function at(x) return figure.log2 and math.log(x, 2) or x end
	local function px(x) return LEFT + (at(x) - at(x0)) / (at(x1) - at(x0)) * (WIDTH - LEFT - RIGHT) end
	local marks = {}
	if figure.log2 then
		for k = math.ceil(at(x0) - 1e-9), math.floor(at(x1) + 1e-9) do marks[#marks + 1] = { 2 ^ k, label(2 ^ k) } end
	else
		for i, x in ipairs(ticks(x0, x1, 10, whole(series) and 1 or 0)) do marks[i] = { x, label(x) } end
	end
	return { width = WIDTH, bottom = BOTTOM, px = px, marks = marks }
end

local function draw_bars(svg, s, k, n, colour, px, py, from)
	for _, p in ipairs(s.points) do
		local x, top, foot = px(p[1]) + (k - 1 - n / 2) * BAR, math.min(py(p[2]), py(from)), math.max(py(p[2]), py(from))
		svg('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s: %.4g</title></rect>', x, top, BAR - 1, math.max(foot - top, 0.5), colour,
			escape(s.name), p[2])
	end
end

-- The text of a figure.
function plot.svg(figure)
	local out, named = {}, 0
	local function svg(fmt, ...) out[#out + 1] = select("#", ...) > 0 and fmt:format(...) or fmt end
	local x, y0, y1 = axis(figure), bounds(figure.series, 2, true)
	y1 = y1 + (y1 - y0) * 0.05
	local wide, high, right = x.width, HEIGHT + x.bottom - BOTTOM, x.width - RIGHT
	local foot = HEIGHT - BOTTOM
	for _, s in ipairs(figure.series) do named = named + (s.name and 1 or 0) end
	local tall = high + 16 * named + 4 -- the legend stands below
	local function py(y) return foot - (y - y0) / (y1 - y0) * (foot - TOP) end

	svg('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">', wide, tall, wide, tall)
	svg('<rect width="%d" height="%d" fill="white"/>', wide, tall)
	for _, mark in ipairs(x.marks) do
		local at = x.px(mark[1])
		if x.slanted then
			svg('<text transform="translate(%.1f %d) rotate(-45)" text-anchor="end">%s</text>', at + 4, foot + 14, escape(mark[2]))
		else
			svg('<path d="M%.1f %d V%d" stroke="#ddd"/>', at, TOP, foot)
			svg('<text x="%.1f" y="%d" text-anchor="middle">%s</text>', at, foot + 16, mark[2])
		end
	end
	for _, y in ipairs(ticks(y0, y1, 8, 0)) do
		svg('<path d="M%d %.1f H%d" stroke="#ddd"/>', LEFT, py(y), right)
		svg('<text x="%d" y="%.1f" text-anchor="end">%s</text>', LEFT - 6, py(y) + 4, label(y))
	end
	svg('<path d="M%d %d V%d H%d" fill="none" stroke="black"/>', LEFT, TOP, foot, right)
	svg('<text x="%d" y="22" text-anchor="middle" font-size="14">%s</text>', wide // 2, escape(figure.title or ""))
	svg('<text x="%d" y="%d" text-anchor="middle">%s</text>', wide // 2, high - 12, escape(figure.x or ""))
	svg('<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>', HEIGHT // 2, escape(figure.y or ""))
	named = 0
	for k, s in ipairs(figure.series) do
		local colour = COLOUR[((s.colour or k) - 1) % #COLOUR + 1]
		if figure.categories then
			draw_bars(svg, s, k, #figure.series, colour, x.px, py, figure.at or y0)
		else
			draw(svg, s, colour, x.px, py)
		end
		if s.name then
			named = named + 1
			svg('<rect x="%d" y="%d" width="10" height="10" fill="%s"/>', LEFT, high + 16 * named - 17, colour)
			svg('<text x="%d" y="%d">%s</text>', LEFT + 16, high + 16 * named - 8, escape(s.name))
		end
	end
	if figure.at then svg('<path d="M%d %.1f H%d" stroke="black"/>', LEFT, py(figure.at), right) end
	svg("</svg>")
	return table.concat(out, "\n") .. "\n"
end

function plot.write(path, figure)
	local f = assert(io.open(path, "w"))
	f:write(plot.svg(figure))
	assert(f:close())
end

return plot
