// Pictures of time lines on canvases, from the pixels that the reader has painted; colours of the page and of blocks.
"use strict";

const TICKS = 15;                  // pixels below a time line for its cycles

// Blocks of one label have one colour, in all traces of the page.
const labelNumber = new Map();
function blockColours(blocks) {
	return blocks.map(({ label }) => {
		if (!labelNumber.has(label))
			labelNumber.set(label, labelNumber.size);
		const k = labelNumber.get(label);
		return hslBytes(k * 137.508 % 360, 0.58, k % 2 ? 0.5 : 0.58);
	});
}

// A colour as a pixel of ImageData seen as 32 bits.
function hslBytes(h, s, l) {
	const f = k => {
		const t = (k + h / 30) % 12;
		return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(t - 3, 9 - t, 1))));
	};
	return (255 << 24 | f(4) << 16 | f(8) << 8 | f(0)) >>> 0;
}
function cssColour(c) { return `rgb(${c & 255},${c >>> 8 & 255},${c >>> 16 & 255})`; }
function reasonColour(k) { return cssColour(hslBytes((k * 137.508 + 20) % 360, 0.4, 0.45 + k % 3 * 0.12)); }

// The colours of page.css as they are now: light, dark, or of paper.
let pageColours = null;
function palette() {
	if (!pageColours) {
		const style = getComputedStyle(document.documentElement);
		pageColours = Object.fromEntries(["paper", "ink", "pale", "edge", "shade", "good", "depth", "traffic"].map(name => [name, style.getPropertyValue(`--${name}`).trim()]));
	}
	return pageColours;
}

// Pixels that were painted, w wide, of cycles [from, to).
class Picture {
	constructor(pixels, rows, { w, from, to }) {
		Object.assign(this, { rows, w, from, to, canvas: document.createElement("canvas") });
		this.canvas.width = w;
		this.canvas.height = rows;
		this.canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), w, rows), 0, 0);
	}
}

class TimeLine {
	constructor(element) {
		this.element = element;
		this.context = element.getContext("2d");
		this.picture = null;
	}

	get ratio() { return window.devicePixelRatio || 1; }

	// Sets the canvas to the pixels that it has on the screen, on which `rows` pixels are for the picture.
	fit(rows, ticks) {
		const width = Math.max(50, Math.floor(this.element.clientWidth * this.ratio)), height = Math.floor((rows + ticks) * this.ratio);
		if (this.element.width !== width || this.element.height !== height) {
			this.element.width = width;
			this.element.height = height;
			this.element.style.height = `${rows + ticks}px`;
		}
		Object.assign(this, { width, height: Math.floor(rows * this.ratio) });
	}

	// Where in the window the picture's cycles are.
	draw({ from, to, cycle }) {
		const c = this.context, p = this.picture, x = t => (t - from) * this.width / (to - from);
		c.clearRect(0, 0, this.element.width, this.element.height);
		if (p) {
			c.imageSmoothingEnabled = false;
			c.drawImage(p.canvas, 0, 0, p.w, p.rows, x(p.from), 0, x(p.to) - x(p.from), this.height);
		}
		if (cycle >= from && cycle < to) {
			c.fillStyle = palette().ink;
			c.fillRect(Math.round(x(cycle + 0.5)), 0, Math.max(1, this.ratio), this.height);
		}
	}

	// A frame around row r of n.
	mark(r, n) {
		const c = this.context;
		c.strokeStyle = palette().ink;
		c.lineWidth = this.ratio;
		if (r >= 0)
			c.strokeRect(0.5, r * this.height / n + 0.5, this.width - 1, this.height / n - 1);
	}

	ticks({ from, to }) {
		const c = this.context, step = roundStep((to - from) / 8);
		c.fillStyle = palette().pale;
		c.font = `${11 * this.ratio}px system-ui, sans-serif`;
		c.textBaseline = "bottom";
		for (let t = Math.ceil(from / step) * step; t < to; t += step) {
			const x = Math.round((t - from) * this.width / (to - from)), text = t.toLocaleString("en"), wide = c.measureText(text).width;
			c.fillRect(x, this.height, Math.max(1, this.ratio), 4 * this.ratio);
			if (x + wide + 4 < this.width)
				c.fillText(text, x + 3 * this.ratio, this.element.height);
		}
	}
}

// 1, 2 or 5 times a power of ten, at least this; 1 at least.
function roundStep(least) {
	const ten = 10 ** Math.floor(Math.log10(Math.max(1, least)));
	return [1, 2, 5, 10].map(k => k * ten).find(step => step >= least) ?? 10 * ten;
}
