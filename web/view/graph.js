// The control flow of a launch as a picture: blocks in layers, edges that lanes have taken.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, ...children) {
	const e = document.createElementNS(SVG, name);
	for (const [k, v] of Object.entries(attributes))
		e.setAttribute(k, v);
	e.append(...children);
	return e;
}

// The layer of each block: the longest way from a block that nothing comes to, over edges that go forward in a depth-first walk. Without recursion.
function layersOf(n, next) {
	const order = [], state = new Uint8Array(n);
	for (let root = 0; root < n; root++) {
		if (state[root])
			continue;
		const stack = [[root, 0]];
		state[root] = 1;
		while (stack.length) {
			const top = stack[stack.length - 1], s = next[top[0]][top[1]++];
			if (s === undefined) {
				order.push(top[0]);
				state[top[0]] = 2;
				stack.pop();
			} else if (!state[s]) {
				state[s] = 1;
				stack.push([s, 0]);
			}
		}
	}
	order.reverse();
	const at = new Int32Array(n), layer = new Int32Array(n);
	order.forEach((b, k) => { at[b] = k; });
	for (const b of order)
		for (const s of next[b])
			if (at[s] > at[b])
				layer[s] = Math.max(layer[s], layer[b] + 1);
	return layer;
}

const MOST_BLOCKS = 1000;          // that are drawn
const BLOCK_WIDTH = 110, BLOCK_HEIGHT = 26;

class GraphPanel {
	constructor(box) { this.box = box; }

	// Of the blocks that were executed.
	build({ blocks, figures, colours }) {
		const { edges, issuesOf } = figures, n = blocks.length, next = Array.from({ length: n }, () => []), used = new Set();
		for (const [key] of edges) {
			const from = Math.floor(key / n), to = key % n;
			next[from].push(to);
			used.add(from).add(to);
		}
		blocks.forEach((b, k) => { if (issuesOf[b.pc]) used.add(k); });
		this.groups = new Map();
		if (used.size > MOST_BLOCKS || edges.length > 4 * MOST_BLOCKS) {
			this.box.replaceChildren(`${used.size} blocks and ${edges.length} edges are too many to draw.`);
			return;
		}
		const shown = [...used].sort((a, b) => a - b), layer = layersOf(n, next), widths = new Map(), place = new Map();
		const W = BLOCK_WIDTH, H = BLOCK_HEIGHT, GX = 28, GY = 30, LEFT = 60;
		for (const b of shown) {
			const x = widths.get(layer[b]) || 0;
			widths.set(layer[b], x + 1);
			place.set(b, { x: LEFT + x * (W + GX), y: 10 + layer[b] * (H + GY) });
		}
		// To the next layer straight, past layers on the left, back on the right: farther out the more layers, but not over the neighbour of an inner block.
		const edgePath = (a, b, layers) => {
			if (layers === 1)
				return `M${a.x + W / 2},${a.y + H} C${a.x + W / 2},${a.y + H + 18} ${b.x + W / 2},${b.y - 18} ${b.x + W / 2},${b.y}`;
			const left = layers > 1, x1 = left ? a.x : a.x + W, x2 = left ? b.x : b.x + W, out = Math.min(14 + 8 * Math.abs(layers), LEFT - 4, (left ? Math.min(a.x, b.x) === LEFT : a.x === b.x) ? LEFT : GX - 4);
			const side = left ? Math.min(x1, x2) - out : Math.max(x1, x2) + out;
			return `M${x1},${a.y + H * 0.6} C${side},${a.y + H} ${side},${b.y} ${x2},${b.y + H * 0.4}`;
		};
		const most = Math.max(1, ...widths.values()), deepest = Math.max(0, ...shown.map(b => layer[b]));
		const picture = svg("svg", { width: 2 * LEFT + most * (W + GX), height: 30 + (deepest + 1) * (H + GY), role: "img", "aria-label": "control flow graph" });
		picture.append(svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" },
			svg("path", { d: "M0,0 L8,4 L0,8 z", style: "fill:currentColor;stroke:none" }))));
		for (const [key, times] of edges) {
			const from = Math.floor(key / n), to = key % n;
			const path = svg("path", { d: edgePath(place.get(from), place.get(to), layer[to] - layer[from]), "marker-end": "url(#tip)" });
			path.append(svg("title", {}, `${times} times`));
			picture.append(path);
		}
		for (const b of shown) {
			const { x, y } = place.get(b), label = blocks[b].label, text = label.length > 15 ? `${label.slice(0, 6)}…${label.slice(-8)}` : label;
			const lanes = svg("text", { x: x + W - 4, y: y + 17, "text-anchor": "end" });
			const g = svg("g", {}, svg("rect", { x, y, width: W, height: H, rx: 4, fill: cssColour(colours[b]), "fill-opacity": 0.25 }),
				svg("text", { x: x + 5, y: y + 17 }, text), lanes, svg("title", {}, `${blocks[b].function} ${label}`));
			this.groups.set(b, { g, lanes, x, y });
			picture.append(g);
		}
		this.box.replaceChildren(picture);
	}

	// lanes: by block, how many lanes of the warp stand in it.
	mark(lanes, here) {
		for (const [b, { g, lanes: text, x, y }] of this.groups) {
			text.textContent = lanes.get(b) ? String(lanes.get(b)) : "";
			g.classList.toggle("here", b === here);
			if (b === here)
				this.bringIntoView(x, y);
		}
	}

	// A block that is out of sight moves to the middle of the box.
	bringIntoView(x, y) {
		const { box } = this, { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = box;
		if (y < top || y + BLOCK_HEIGHT > top + height)
			box.scrollTop = y - (height - BLOCK_HEIGHT) / 2;
		if (x < left || x + BLOCK_WIDTH > left + width)
			box.scrollLeft = x - (width - BLOCK_WIDTH) / 2;
	}
}
