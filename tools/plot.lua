-- Line plots as SVG, in plain Lua.
--   local plot = dofile("tools/plot.lua")
--   plot.write("out.svg", { title = "...", x = "axis", y = "axis", series = {
--       { name = "kepler", points = { { 0, 1.5 }, ... }, style = "line" or "points" or "step" or "both" } } })
local plot = {}

local WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 80, 16, 40, 52
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
		svg('<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>', table.concat(path, " "), colour)
	end
	if style == "points" or style == "both" then
		for _, p in ipairs(s.points) do svg('<circle cx="%.1f" cy="%.1f" r="2.8" fill="%s"/>', px(p[1]), py(p[2]), colour) end
	end
end

-- The text of a figure.
function plot.svg(figure)
	local out = {}
	local function svg(fmt, ...) out[#out + 1] = select("#", ...) > 0 and fmt:format(...) or fmt end
	local x0, x1 = bounds(figure.series, 1, false)
	local y0, y1 = bounds(figure.series, 2, true)
	y1 = y1 + (y1 - y0) * 0.05
	local tall = HEIGHT + 16 * #figure.series + 4 -- the legend stands below
	local function px(x) return LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT) end
	local function py(y) return HEIGHT - BOTTOM - (y - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM) end

	svg('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">',
		WIDTH, tall, WIDTH, tall)
	svg('<rect width="%d" height="%d" fill="white"/>', WIDTH, tall)
	for _, x in ipairs(ticks(x0, x1, 10, whole(figure.series) and 1 or 0)) do
		svg('<path d="M%.1f %d V%d" stroke="#ddd"/>', px(x), TOP, HEIGHT - BOTTOM)
		svg('<text x="%.1f" y="%d" text-anchor="middle">%s</text>', px(x), HEIGHT - BOTTOM + 16, label(x))
	end
	for _, y in ipairs(ticks(y0, y1, 8, 0)) do
		svg('<path d="M%d %.1f H%d" stroke="#ddd"/>', LEFT, py(y), WIDTH - RIGHT)
		svg('<text x="%d" y="%.1f" text-anchor="end">%s</text>', LEFT - 6, py(y) + 4, label(y))
	end
	svg('<path d="M%d %d V%d H%d" fill="none" stroke="black"/>', LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT)
	svg('<text x="%d" y="22" text-anchor="middle" font-size="14">%s</text>', WIDTH // 2, escape(figure.title or ""))
	svg('<text x="%d" y="%d" text-anchor="middle">%s</text>', WIDTH // 2, HEIGHT - 12, escape(figure.x or ""))
	svg('<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>', HEIGHT // 2, escape(figure.y or ""))
	for k, s in ipairs(figure.series) do
		local colour, y = COLOUR[(k - 1) % #COLOUR + 1], HEIGHT + 16 * k - 8
		draw(svg, s, colour, px, py)
		svg('<rect x="%d" y="%d" width="10" height="10" fill="%s"/>', LEFT, y - 9, colour)
		svg('<text x="%d" y="%d">%s</text>', LEFT + 16, y, escape(s.name or ""))
	end
	svg("</svg>")
	return table.concat(out, "\n") .. "\n"
end

function plot.write(path, figure)
	local f = assert(io.open(path, "w"))
	f:write(plot.svg(figure))
	assert(f:close())
end

return plot
