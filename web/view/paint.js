// Pictures of a window of time, as pixels: lanes of a warp, and warps of an SM. Colours stand for blocks.
"use strict";

const GREY = 0xff808080;

function faded(c, share) {
	const mix = v => Math.round(v * share + 128 * (1 - share));
	return (255 << 24 | mix(c >>> 16 & 255) << 16 | mix(c >>> 8 & 255) << 8 | mix(c & 255)) >>> 0;
}
// Pale: few lanes.
function shadeOf(colour, lanes, warpSize) { return faded(colour, 0.25 + 0.75 * lanes / warpSize); }

// The pixels of cycles [a, b) in a window [from, to) w pixels wide; a cycle of more than 6 pixels leaves one free.
function pixelsOf(a, b, { from, to, w }) {
	const x = Math.floor((a - from) * w / (to - from)), end = Math.floor((b - from) * w / (to - from));
	return [Math.max(0, x), Math.min(w, Math.max(x + 1, end - x > 6 ? end - 1 : end))];
}

// The first place in a list of numbers of events whose cycle is at least this.
function placeOf(e, list, cycle) {
	let a = 0, b = list.length;
	while (a < b) {
		const m = (a + b) >> 1;
		if (e.cycle[list[m]] < cycle)
			a = m + 1;
		else
			b = m;
	}
	return a;
}

class Painter {
	// window: { from, to: cycles; w: pixels; sm, slot; slots: of the rows of warps }.
	constructor(survey, colours, window) {
		Object.assign(this, { survey, colours, window });
		this.warpSize = survey.launch.warpSize;
		this.lanes = new Uint32Array(window.w * this.warpSize);
		this.warps = new Uint32Array(window.w * Math.max(1, window.slots.length));
	}

	colour(block) { return this.colours[block] ?? GREY; }

	fillLanes(lo, hi, colour, x, end) {
		for (let r = 0; r < this.warpSize; r++)
			if (lane(lo, hi, r))
				this.lanes.fill(colour, r * this.window.w + x, r * this.window.w + end);
	}

	// Each issue of the chunk.
	paintEvents(e) {
		const { from, to, w, sm, slot, slots } = this.window;
		slots.forEach((s, r) => {
			const list = e.issuesOf(sm, s);
			for (let at = placeOf(e, list, from); at < list.length; at++) {
				const k = list[at], cycle = e.cycle[k];
				if (cycle >= to)
					break;
				const [x, end] = pixelsOf(cycle, cycle + 1, this.window), colour = this.colour(this.survey.blockOf[e.alo[k]]);
				this.warps.fill(shadeOf(colour, countBits(e.masklo[k]) + countBits(e.maskhi[k]), this.warpSize), r * w + x, r * w + end);
				if (s === slot)
					this.fillLanes(e.masklo[k], e.maskhi[k], colour, x, end);
			}
		});
	}

	// From the survey's coarse picture.
	paintCoarse() {
		const { from, to, w, sm, slot, slots } = this.window, { coarse, warps } = this.survey;
		slots.forEach((s, r) => {
			const warp = warps.get(sm * 65536 + s), c = warp && coarse.warps[warp.number];
			for (let k = Math.floor(from / coarse.width); c && k < c.block.length && k * coarse.width < to; k++) {
				if (!c.issues[k])
					continue;
				const [x, end] = pixelsOf(k * coarse.width, (k + 1) * coarse.width, this.window), colour = this.colour(c.block[k]);
				this.warps.fill(shadeOf(colour, c.lanes[k] / c.issues[k], this.warpSize), r * w + x, r * w + end);
				if (s === slot)
					this.fillLanes(c.lo[k], c.hi[k], colour, x, end);
			}
		});
	}
}
