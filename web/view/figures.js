// Figures over the whole launch as a picture that can be saved: mean lanes of an issue; depth of the mechanism's structure; what the cycles of schedulers that
// have a warp go into; sectors that memory instructions ask for.
"use strict";

const FIGURE = { left: 46, right: 6, title: 15, height: 56, gap: 5, bottom: 18 };
const ON_PAPER = { paper: "#ffffff", ink: "#1c1c1a", pale: "#5e5e59", edge: "#cfcfc8", good: "#3b7dbb", depth: "#a8641e", traffic: "#5b8a3c" };

function isShown(launch, reason) { return launch.reasons[reason] !== "no_warp"; }

// What is drawn: a title, the greatest value, and layers of values by bin, each on top of the one before; a value is NaN where there is none.
function figuresOf(launch, { bins: { n, issues, lanes, depth, sectors, stall }, width }, colours) {
	const bins = Array.from({ length: n }, (_, k) => k), most = f => bins.reduce((m, k) => Math.max(m, f(k)), 0), layer = (name, colour, f) => ({ name, colour, values: bins.map(f) });
	const meanDepth = k => issues[k] ? depth[k] / issues[k] : 0, perCycle = k => sectors[k] / width;
	const list = [{ title: "mean lanes of an issue", most: launch.warpSize, layers: [layer("lanes", colours.good, k => issues[k] ? lanes[k] / issues[k] : NaN)] }];
	if (most(meanDepth) > 0)
		list.push({ title: "mean depth of the mechanism's structure at an issue", most: most(meanDepth), layers: [layer("depth", colours.depth, k => issues[k] ? meanDepth(k) : NaN)] });
	if (!launch.timed)
		return list;
	const shown = launch.reasons.map((_, r) => r).filter(r => isShown(launch, r)), all = bins.map(k => shown.reduce((sum, r) => sum + stall[r][k], issues[k]));
	list.push({ title: "what the cycles of schedulers with a warp go into, %", most: 100, layers: [layer("issues", colours.ink, k => 100 * issues[k] / all[k]),
		...shown.map(r => layer(launch.reasons[r], reasonColour(r), k => 100 * stall[r][k] / all[k]))] });
	if (most(perCycle) > 0)
		list.push({ title: "sectors that memory instructions ask for, a cycle", most: most(perCycle), layers: [layer("sectors", colours.traffic, perCycle)] });
	return list;
}

// The outline of values between the sums below them and these plus the values, as steps. x, y: of a bin and of a value.
function stepPath(values, below, x, y) {
	let d = "";
	for (let k = 0; k < values.length;) {
		if (!(values[k] > 0)) {
			k++;
			continue;
		}
		const from = k;
		let top = "", under = "";
		for (; k < values.length && values[k] > 0; k++) {
			top += `V${y(below[k] + values[k])}H${x(k + 1)}`;
			under = `V${y(below[k])}H${x(k)}` + under;
		}
		d += `M${x(from)},${y(below[from])}${top}${under}Z`;
	}
	return d;
}

function drawFigures(launch, figures, width, colours) {
	const list = figuresOf(launch, figures, colours), F = FIGURE, each = F.title + F.height + F.gap, height = list.length * each + F.bottom;
	const cycles = Math.max(1, figures.last + 1), inner = width - F.left - F.right, round = v => Math.round(v * 10) / 10;
	const x = k => round(F.left + Math.min(cycles, k * figures.width) / cycles * inner);
	const text = (at, down, words, more = {}) => svg("text", { x: at, y: down, fill: colours.pale, ...more }, words);
	const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "font-family": "system-ui, sans-serif", "font-size": 11,
		"aria-label": figuresSaid(launch, figures) });
	list.forEach(({ title, most, layers }, r) => {
		const top = r * each + F.title, floor = top + F.height, below = new Float64Array(figures.bins.n);
		const y = v => round(floor - Math.min(1, v / most) * F.height);
		picture.append(text(F.left, top - 4, title), svg("rect", { x: F.left, y: top, width: inner, height: F.height, fill: "none", stroke: colours.edge }),
			text(F.left - 4, top + 9, most >= 10 ? Math.round(most) : most.toPrecision(2), { "text-anchor": "end" }), text(F.left - 4, floor, "0", { "text-anchor": "end" }));
		for (const { name, colour, values } of layers) {
			picture.append(svg("path", { d: stepPath(values, below, x, y), fill: colour, "data-name": name }, svg("title", {}, name)));
			values.forEach((v, k) => { below[k] += v > 0 ? v : 0; });
		}
	});
	for (let step = roundStep(cycles / 8), t = 0; t < cycles; t += step) {
		const at = round(F.left + t / cycles * inner), words = t.toLocaleString("en");
		picture.append(svg("rect", { x: at, y: height - F.bottom - F.gap, width: 1, height: 4, fill: colours.pale }));
		if (at + words.length * 7 < width)
			picture.append(text(at + 3, height - F.bottom + 7, words));
	}
	return picture;
}

// As a sentence, for those who do not see it.
function figuresSaid(launch, { bins, sums, last }) {
	const sum = list => list.reduce((n, v) => n + v, 0), issues = sum(bins.issues), lanes = sum(bins.lanes);
	const parts = launch.reasons.map((name, k) => [name, sum(bins.stall[k])]).filter((_, k) => isShown(launch, k));
	const all = issues + parts.reduce((n, p) => n + p[1], 0), share = n => `${Math.round(100 * n / all)} %`;
	return `figures over ${last + 1} cycles: ${issues ? (lanes / issues).toFixed(1) : 0} of ${launch.warpSize} lanes in an issue on the mean; greatest depth ${sums.max_depth}` +
		(launch.timed && all ? `; of the cycles of schedulers with a warp ${share(issues)} issues, ` +
			parts.filter(p => p[1] * 100 >= all).sort((a, b) => b[1] - a[1]).map(([name, n]) => `${share(n)} ${name}`).join(", ") : "");
}

// The picture with its settings and a key of its colours, on white, as a file of its own.
function figuresFile(launch, figures, title) {
	const width = 1000, picture = drawFigures(launch, figures, width, ON_PAPER), height = +picture.getAttribute("height"), list = figuresOf(launch, figures, ON_PAPER);
	const keys = list.flatMap(f => f.layers.length > 1 ? f.layers.filter(l => l.values.some(v => v > 0)) : []), perLine = 7, lines = Math.ceil(keys.length / perLine), head = 22;
	const whole = svg("svg", { viewBox: `0 0 ${width} ${head + height + lines * 16}`, width, height: head + height + lines * 16, "font-family": "system-ui, sans-serif", "font-size": 11 });
	whole.append(svg("title", {}, title), svg("desc", {}, picture.getAttribute("aria-label")), svg("rect", { width: "100%", height: "100%", fill: ON_PAPER.paper }),
		svg("text", { x: FIGURE.left, y: 15, fill: ON_PAPER.ink }, title));
	picture.setAttribute("y", head);
	whole.append(picture);
	keys.forEach(({ name, colour }, k) => {
		const x = FIGURE.left + k % perLine * (width - FIGURE.left) / perLine, y = head + height + Math.floor(k / perLine) * 16;
		whole.append(svg("rect", { x, y, width: 10, height: 10, fill: colour }), svg("text", { x: x + 14, y: y + 9, fill: ON_PAPER.ink }, name));
	});
	return new XMLSerializer().serializeToString(whole);
}

// The figures on the page: marks over them say where the window and the moment are.
class FigurePanel {
	constructor(box) {
		this.box = box;
		this.window = document.createElement("div");
		this.cursor = document.createElement("div");
		this.window.className = "mark window";
		this.cursor.className = "mark cursor";
	}

	build(launch, figures) {
		this.cycles = Math.max(1, figures.last + 1);
		this.width = Math.max(200, this.box.clientWidth);
		this.box.replaceChildren(drawFigures(launch, figures, this.width, palette()), this.window, this.cursor);
	}

	isOtherwise() { return this.width !== Math.max(200, this.box.clientWidth); }

	at(cycle) { return FIGURE.left + cycle / this.cycles * (this.width - FIGURE.left - FIGURE.right); }
	cycleAt(x) { return Math.max(0, Math.min(this.cycles - 1, Math.floor((x - FIGURE.left) / (this.width - FIGURE.left - FIGURE.right) * this.cycles))); }

	mark({ from, to, cycle }) {
		const a = this.at(from), b = this.at(Math.min(to, this.cycles));
		this.window.style.transform = `translateX(${a}px) scaleX(${Math.max(2, b - a)})`;
		this.cursor.style.transform = `translateX(${this.at((cycle ?? 0) + 0.5)}px)`;
	}
}
