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
		const shown = [...used].sort((a, b) => a - b), layer = layersOf(n, next), widths = new Map(), place = new Map();
		const W = 110, H = 26, GX = 24, GY = 30;
		for (const b of shown) {
			const x = widths.get(layer[b]) || 0;
			widths.set(layer[b], x + 1);
			place.set(b, { x: 20 + x * (W + GX), y: 10 + layer[b] * (H + GY) });
		}
		const most = Math.max(1, ...widths.values()), deepest = Math.max(0, ...shown.map(b => layer[b]));
		const picture = svg("svg", { width: 60 + most * (W + GX), height: 30 + (deepest + 1) * (H + GY), role: "img", "aria-label": "control flow graph" });
		picture.append(svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" },
			svg("path", { d: "M0,0 L8,4 L0,8 z", style: "fill:currentColor;stroke:none" }))));
		for (const [key, times] of edges) {
			const a = place.get(Math.floor(key / n)), b = place.get(key % n), back = b.y <= a.y;
			const x1 = a.x + W / 2, y1 = a.y + H, x2 = b.x + W / 2, y2 = b.y, side = Math.max(a.x, b.x) + W + 14;
			const d = back ? `M${x1 + 20},${y1} C${side},${y1 + 24} ${side},${y2 - 24} ${x2 + 20},${y2}` : `M${x1},${y1} C${x1},${y1 + 18} ${x2},${y2 - 18} ${x2},${y2}`;
			const path = svg("path", { d, "marker-end": "url(#tip)" });
			path.append(svg("title", {}, `${times} times`));
			picture.append(path);
		}
		this.groups = new Map();
		for (const b of shown) {
			const { x, y } = place.get(b), label = blocks[b].label, text = label.length > 15 ? `${label.slice(0, 6)}…${label.slice(-8)}` : label;
			const lanes = svg("text", { x: x + W - 4, y: y + 17, "text-anchor": "end" });
			const g = svg("g", {}, svg("rect", { x, y, width: W, height: H, rx: 4, fill: cssColour(colours[b]), "fill-opacity": 0.25 }),
				svg("text", { x: x + 5, y: y + 17 }, text), lanes, svg("title", {}, `${blocks[b].function} ${label}`));
			this.groups.set(b, { g, lanes });
			picture.append(g);
		}
		this.box.replaceChildren(picture);
	}

	// lanes: by block, how many lanes of the warp stand in it.
	mark(lanes, here) {
		for (const [b, { g, lanes: text }] of this.groups) {
			text.textContent = lanes.get(b) ? String(lanes.get(b)) : "";
			g.classList.toggle("here", b === here);
		}
	}
}
