// Pictures on canvases: lanes of a warp and warps of an SM over time, figures over time. Colours stand for blocks.
"use strict";

// By block. Blocks of one label have one colour, in all traces of the page.
const labelNumber = new Map();
function blockColours(blocks) {
	return blocks.map(({ label }) => {
		if (!labelNumber.has(label))
			labelNumber.set(label, labelNumber.size);
		const k = labelNumber.get(label);
		return hslBytes(k * 137.508 % 360, 0.58, k % 2 ? 0.5 : 0.58);
	});
}

// As a pixel of ImageData seen as 32 bits.
function hslBytes(h, s, l) {
	const f = k => {
		const t = (k + h / 30) % 12;
		return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(t - 3, 9 - t, 1))));
	};
	return (255 << 24 | f(4) << 16 | f(8) << 8 | f(0)) >>> 0;
}
function cssColour(c) { return `rgb(${c & 255},${c >>> 8 & 255},${c >>> 16 & 255})`; }
function faded(c, share) {
	const mix = v => Math.round(v * share + 128 * (1 - share));
	return (255 << 24 | mix(c >>> 16 & 255) << 16 | mix(c >>> 8 & 255) << 8 | mix(c & 255)) >>> 0;
}

// The issues of a chunk by warp of an SM: Map of slot to numbers of events.
function issuesBySlot(e, sm) {
	e.bySm = e.bySm || new Map();
	if (!e.bySm.has(sm)) {
		const lists = new Map();
		for (let k = 0; k < e.n; k++)
			if (e.kind[k] === KIND.ISSUE && e.sm[k] === sm) {
				if (!lists.has(e.warp[k]))
					lists.set(e.warp[k], []);
				lists.get(e.warp[k]).push(k);
			}
		e.bySm.set(sm, new Map([...lists].map(([slot, list]) => [slot, Int32Array.from(list)])));
	}
	return e.bySm.get(sm);
}

class Canvas {
	constructor(element, label) {
		this.element = element;
		this.context = element.getContext("2d");
		element.setAttribute("role", "img");
		element.setAttribute("aria-label", label);
	}
	// Sets the canvas to the pixels that it has on the screen; returns its width.
	fit(height) {
		const ratio = window.devicePixelRatio || 1, w = Math.max(50, Math.floor(this.element.clientWidth * ratio)), h = Math.floor(height * ratio);
		if (this.element.width !== w || this.element.height !== h) {
			this.element.width = w;
			this.element.height = h;
			this.element.style.height = `${height}px`;
		}
		this.context.clearRect(0, 0, w, h);
		return w;
	}
	// Draws rows of pixels, each stretched to its share of the height.
	rows(pixels, w, rows) {
		const image = new ImageData(new Uint8ClampedArray(pixels.buffer), w, rows), scratch = Canvas.scratch;
		if (scratch.width !== w || scratch.height !== rows) {
			scratch.width = w;
			scratch.height = rows;
		}
		scratch.getContext("2d").putImageData(image, 0, 0);
		this.context.imageSmoothingEnabled = false;
		this.context.drawImage(scratch, 0, 0, w, rows, 0, 0, w, this.element.height);
	}
	line(x, colour) {
		this.context.fillStyle = colour;
		this.context.fillRect(Math.round(x), 0, Math.max(1, window.devicePixelRatio || 1), this.element.height);
	}
}
Canvas.scratch = document.createElement("canvas");

// The pixels from cycle to cycle + 1 of a window [from, to) w pixels wide.
function span(cycle, from, to, w) {
	const x = Math.floor((cycle - from) * w / (to - from)), end = Math.floor((cycle + 1 - from) * w / (to - from));
	return [Math.max(0, x), Math.min(w, Math.max(x + 1, end - x > 6 ? end - 1 : end))];
}

// chunks: of events, those read; each lane is a row.
function drawLanes(canvas, view, chunks, height) {
	const { launch, survey, from, to, colours } = view, w = canvas.fit(height), rows = launch.warpSize;
	const pixels = new Uint32Array(w * rows);
	for (const e of chunks)
		for (const k of issuesBySlot(e, view.sm).get(view.slot) || []) {
			const cycle = e.cycle[k];
			if (cycle < from || cycle >= to)
				continue;
			const [x, end] = span(cycle, from, to, w), colour = colours[survey.blockOf[e.alo[k]]] ?? 0xff808080;
			for (let r = 0; r < rows; r++)
				if (lane(e.masklo[k], e.maskhi[k], r))
					pixels.fill(colour, r * w + x, r * w + end);
		}
	canvas.rows(pixels, w, rows);
	drawCursor(canvas, view, w);
}

// Each warp that issued is a row; pale: few lanes.
function drawWarps(canvas, view, chunks, height) {
	const { launch, survey, from, to, colours } = view, slots = view.slots(), w = canvas.fit(height), rows = Math.max(1, slots.length);
	const pixels = new Uint32Array(w * rows);
	for (const e of chunks) {
		const lists = issuesBySlot(e, view.sm);
		slots.forEach((slot, r) => {
			for (const k of lists.get(slot) || []) {
				const cycle = e.cycle[k];
				if (cycle < from || cycle >= to)
					continue;
				const [x, end] = span(cycle, from, to, w), share = (countBits(e.masklo[k]) + countBits(e.maskhi[k])) / launch.warpSize;
				pixels.fill(faded(colours[survey.blockOf[e.alo[k]]] ?? 0xff808080, 0.25 + 0.75 * share), r * w + x, r * w + end);
			}
		});
	}
	canvas.rows(pixels, w, rows);
	const at = slots.indexOf(view.slot);
	canvas.context.strokeStyle = view.ink;
	canvas.context.strokeRect(0.5, at * canvas.element.height / rows + 0.5, w - 1, canvas.element.height / rows - 1);
	drawCursor(canvas, view, w);
}

function drawCursor(canvas, view, w) {
	if (view.cycle >= view.from && view.cycle < view.to)
		canvas.line((view.cycle + 0.5 - view.from) * w / (view.to - view.from), view.ink);
}

// Over the whole launch: mean lanes of an issue, and below it shares of the cycles of schedulers that have a warp: issues, and each reason to stand still. The
// window is marked.
function drawFigures(canvas, view, height) {
	const { launch, survey } = view, w = canvas.fit(height), { bins, width } = survey.bins, c = canvas.context, h = canvas.element.height;
	const cycles = Math.max(1, survey.last + 1), half = Math.floor(h / 2);
	const first = Math.floor(view.from * w / cycles), last = Math.ceil(view.to * w / cycles);
	c.fillStyle = view.shade;
	c.fillRect(first, 0, Math.max(2, last - first), h);
	for (let x = 0; x < w; x++) {
		const bin = bins[Math.floor(x * cycles / w / width)];
		if (!bin)
			continue;
		if (bin.issues) {
			const part = bin.lanes / bin.issues / launch.warpSize * (half - 4);
			c.fillStyle = view.good;
			c.fillRect(x, half - part, 1, part);
		}
		let all = bin.issues, y = h;
		bin.stall.forEach((v, k) => { all += isShown(launch, k) ? v : 0; });
		const put = (n, colour) => {
			const part = n / all * (half - 4);
			c.fillStyle = colour;
			c.fillRect(x, y -= part, 1, part);
		};
		if (all && launch.timed) {
			put(bin.issues, view.good);
			bin.stall.forEach((v, k) => isShown(launch, k) && put(v, reasonColour(k)));
		}
	}
	canvas.line(view.cycle * w / cycles, view.ink);
}
function isShown(launch, reason) { return launch.reasons[reason] !== "no_warp"; }
function reasonColour(k) { return cssColour(hslBytes((k * 137.508 + 20) % 360, 0.4, 0.45 + k % 3 * 0.12)); }
