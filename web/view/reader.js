// The reader, a worker of its own for each trace: it holds the trace and answers the page, so that the page never waits for it.
"use strict";

const MOST_DESKS = 3;              // launches whose surveys are kept
const MOST_EXACT = 24;             // chunks of events that a picture is painted from; longer windows are shown coarse
const TELL_EVERY = 300;            // ms, while a survey goes on

// Lets messages come in.
const pause = (() => {
	const channel = new MessageChannel(), waiting = [];
	channel.port1.onmessage = () => waiting.shift()();
	return () => new Promise(f => { waiting.push(f); channel.port2.postMessage(0); });
})();

function bytesOf(text) {
	const s = atob(text), u8 = new Uint8Array(s.length);
	for (let k = 0; k < s.length; k++)
		u8[k] = s.charCodeAt(k);
	return u8;
}

// Has event i of e all lanes of event j of x?
function holds(e, i, x, j) { return !(x.masklo[j] & ~e.masklo[i]) && !(x.maskhi[j] & ~e.maskhi[i]); }
function meet(e, i, x, j) { return !!(e.masklo[i] & x.masklo[j] || e.maskhi[i] & x.maskhi[j]); }

// A launch. Places are [chunk, number of an event in it]; who: { sm, slot }, the warp that the page looks at.
class Desk {
	constructor(trace, number) {
		this.trace = trace;
		this.number = number;
		this.launch = trace.launches[number];
		this.survey = new Survey(trace, this.launch);
		this.colours = [];
		this.wanted = true;
		this.turn = 0;             // of the exact picture asked for last
		this.queue = Promise.resolve();
	}

	// Goes on until the survey has ended; `started` settles behind the first chunk.
	run() {
		this.started = new Promise(f => { this.start = f; });
		void this.look();
		return this.started;
	}

	async look() {
		const { survey, launch: l } = this;
		let then = performance.now();
		while (!survey.ended && this.wanted) {
			try {
				await survey.step();
			} catch (e) {
				if (!(e instanceof TraceError))
					reportError(e);
				this.trouble = `launch ${this.number}, byte ${l.chunks[survey.done].at}: ${e.message}; what came before is shown`;
				l.chunks.length = survey.done;
				break;
			}
			this.start();
			if (performance.now() - then > TELL_EVERY && !survey.ended) {
				this.tell();
				then = performance.now();
			}
			await pause();
		}
		this.start();
		if (this.wanted)
			this.tell();
	}

	tell() { postMessage({ survey: this.number, figures: this.survey.figures(), trouble: this.trouble }); }

	events(k) { return this.trace.events(this.launch, this.launch.chunks[k]); }

	// Looks behind a place, or with direction -1 in front of it, for an event that is wanted.
	async scan(k, index, direction, wanted) {
		for (let i = index + direction; k >= 0 && k < this.launch.chunks.length; k += direction, i = direction > 0 ? 0 : Infinity) {
			const e = await this.events(k);
			for (i = direction > 0 ? i : Math.min(i, e.n - 1); i >= 0 && i < e.n; i += direction)
				if (wanted(e, i))
					return [k, i];
		}
		return null;
	}

	// The next issue of the warp, or with direction -1 the last one.
	async issue({ sm, slot }, k, index, direction) {
		for (; k >= 0 && k < this.launch.chunks.length; k += direction, index = direction > 0 ? -1 : Infinity) {
			if (!this.survey.mayIssue(sm, slot, k))
				continue;
			const e = await this.events(k), list = e.issuesOf(sm, slot);
			let a = 0, b = list.length;    // a: the first one behind index, or at it where the search goes back
			while (a < b) {
				const m = (a + b) >> 1;
				if (direction > 0 ? list[m] <= index : list[m] < index)
					a = m + 1;
				else
					b = m;
			}
			const found = list[direction > 0 ? a : a - 1];
			if (found !== undefined)
				return [k, found];
		}
		return null;
	}

	// The first or the last issue of the warp.
	end(who, direction) { return direction < 0 ? this.issue(who, 0, -1, 1) : this.issue(who, this.launch.chunks.length - 1, Infinity, -1); }

	// The warp's issue in that cycle, or the last one before it, or the first one.
	async atCycle(who, cycle) {
		const chunks = this.survey.chunksOf(who.sm, -Infinity, cycle + 1), k = chunks[chunks.length - 1] ?? 0;
		const e = await this.events(k), list = e.issuesOf(who.sm, who.slot), at = placeOf(e, list, cycle + 1) - 1;
		return (at >= 0 ? [k, list[at]] : await this.issue(who, k, list[0] ?? Infinity, -1)) ?? this.end(who, -1);
	}

	// what: issue; event of the warp, of its SM, or any; divergence: an issue of a branch behind which the lanes that made it no longer run together;
	// meeting: an issue that has all lanes of the warp's issue before it, and more.
	async step(who, [k, i], direction, what) {
		if (what === "issue")
			return this.issue(who, k, i, direction);
		if (what === "event")
			return this.scan(k, i, direction, () => true);
		if (what === "sm-event")
			return this.scan(k, i, direction, (e, j) => e.sm[j] === who.sm);
		if (what === "warp-event")
			return this.scan(k, i, direction, (e, j) => e.sm[j] === who.sm && e.warp[j] === who.slot && e.kind[j] !== KIND.STALL);
		for (let at = [k, i]; (at = await this.issue(who, ...at, direction));)
			if (await (what === "divergence" ? this.parts(who, at) : this.meets(who, at)))
				return at;
		return null;
	}

	async parts(who, [k, i]) {
		const e = await this.events(k), ins = this.launch.ins[e.alo[i]], next = ins && ins.branch && await this.issue(who, k, i, 1);
		if (!next)
			return false;
		const x = await this.events(next[0]), j = next[1];
		return holds(e, i, x, j) && !holds(x, j, e, i);
	}

	async meets(who, [k, i]) {
		const last = await this.issue(who, k, i, -1);
		if (!last)
			return false;
		const e = await this.events(k), x = await this.events(last[0]), j = last[1];
		return holds(e, i, x, j) && !holds(x, j, e, i);
	}

	// ---- the moment ----

	// The state is that at the end of the moment's cycle, like gsim-trace --stack; of a functional run, at the end of that of the SM.
	async stateBehind(k, index) {
		const e = await this.events(k), cycle = e.cycle[index], timed = this.launch.timed;
		const end = await this.scan(k, index, 1, (x, j) => x.cycle[j] > cycle && (timed || x.sm[j] === e.sm[index])) ?? [this.launch.chunks.length, 0];
		if (end[0] === this.launch.chunks.length)
			end.splice(0, 2, end[0] - 1, (await this.events(end[0] - 1)).n);
		if (this.state && this.state_at[0] === end[0] && this.state_at[1] <= end[1]) {
			const x = await this.events(end[0]);
			for (let i = this.state_at[1]; i < end[1]; i++)
				this.state.step(x, i);
		} else {
			this.state = await this.survey.stateAt(...end);
		}
		this.state_at = end;
		return this.state;
	}

	// What the page shows of a place. One at a time: the state is shared.
	moment(who, at) {
		const now = this.queue.then(() => this.describe(who, at));
		this.queue = now.catch(() => {});
		return now;
	}

	async describe({ sm, slot }, [k, index]) {
		const l = this.launch, e = await this.events(k), w = (await this.stateBehind(k, index)).warp(sm, slot), places = new Map();
		for (const r of w.table[TABLE.SPLITS])
			places.set(r.pc, (places.get(r.pc) || 0) + countBits(r.masklo) + countBits(r.maskhi));
		const pc = e.kind[index] === KIND.ISSUE ? e.a(index) : -1;
		return { at: [k, index], cycle: e.cycle[index], pc, places: [...places], event: eventLine(l, e, index), said: eventSaid(l, e, index),
			state: this.trace.version < 3 ? "A trace of this version does not tell the state of mechanisms." : w.used ? stateText(l, w) : "no warp is there\n" };
	}

	// ---- pictures ----

	// A picture of a window. how: coarse; soon, which is coarse if some of its events have not been read; exact, unless the window is too long for that, or
	// null if another exact one has been asked for since.
	async picture(window, how) {
		const { survey, launch: l } = this, list = survey.chunksOf(window.sm, window.from, window.to), turn = how === "exact" ? ++this.turn : 0;
		const painter = new Painter(survey, this.colours, window), long = list.length > MOST_EXACT, ready = list.every(k => this.trace.has(l.chunks[k]));
		const exact = !long && (how === "exact" || (how === "soon" && ready));
		if (!exact)
			painter.paintCoarse();
		for (const k of exact ? list : []) {
			if (turn && turn !== this.turn)
				return null;
			painter.paintEvents(await this.events(k));
			if (!ready)
				await pause();
		}
		return { ...window, lanes: painter.lanes, pixels: painter.warps, long, exact: exact || long };
	}

	// ---- two traces in step ----

	// Where a warp stands, in words that another trace understands: the block, which of the warp's visits to it this is, and the line of the source.
	async anchor(who, [k, index]) {
		const e = await this.events(k), { survey, launch: l } = this, b = survey.blockOf[e.alo[index]], warp = survey.warps.get(who.sm * 65536 + who.slot);
		if (e.kind[index] !== KIND.ISSUE || b === undefined || !warp)
			return null;
		const { pc, label, function: name } = survey.blocks[b], i = l.ins[e.alo[index]], first = l.ins[pc];
		const start = await this.visitStart(who, [k, index], pc);
		if (!start)
			return null;
		const x = await this.events(start[0]), key = warp.number * survey.blocks.length + b;
		let visit = x.issuesOf(who.sm, who.slot).reduce((n, j) => n + (j <= start[1] && x.alo[j] === pc), 0);
		for (let c = 0; c < start[0]; c++)
			visit += survey.chunks[c].visits.of(key);
		const begins = start[0] === k && start[1] === index;
		return { label, function: name, file: first.file, blockLine: first.line, visit, line: begins ? 0 : i.line, lineFile: i.file };
	}

	// The issue with which a lane of this one came to the block that begins at pc.
	async visitStart(who, [k, index], pc) {
		const e = await this.events(k);
		for (let at = [k, index + 1]; (at = await this.issue(who, ...at, -1));) {
			const x = await this.events(at[0]);
			if (x.alo[at[1]] === pc && meet(x, at[1], e, index))
				return at;
		}
		return null;
	}

	// The block of an anchor: by its label, else the one that begins at its line of the source.
	blockLike({ label, function: name, file, blockLine }) {
		const { blocks } = this.survey, line = b => this.launch.ins[b.pc], at = test => blocks.findIndex(test);
		const found = [at(b => b.label === label && b.function === name), at(b => b.label === label),
			blockLine ? at(b => line(b).file === file && line(b).line === blockLine) : -1].find(b => b >= 0);
		return found ?? -1;
	}

	// The same moment here: { at, times }: a place or null, and how often the warp comes to the block.
	async follow(who, anchor) {
		const { survey } = this, b = this.blockLike(anchor), warp = survey.warps.get(who.sm * 65536 + who.slot);
		if (b < 0 || !warp)
			return { at: null, block: b >= 0, warp: !!warp, times: 0 };
		const key = warp.number * survey.blocks.length + b, times = survey.chunks.reduce((n, c) => n + c.visits.of(key), 0);
		let left = Math.min(anchor.visit, times), k = 0;
		if (!left)
			return { at: null, block: true, warp: true, times };
		for (; left > survey.chunks[k].visits.of(key); k++)
			left -= survey.chunks[k].visits.of(key);
		const e = await this.events(k), start = e.issuesOf(who.sm, who.slot).filter(j => e.alo[j] === survey.blocks[b].pc)[left - 1];
		return { at: await this.lineBehind(who, [k, start], b, anchor), block: true, warp: true, times };
	}

	// Of a visit, the first issue of the anchor's line; its begin where it has none.
	async lineBehind(who, start, b, { line, lineFile }) {
		const { survey, launch: l } = this, e = await this.events(start[0]);
		for (let at = start, n = 0; line && at && n < 4 * survey.blocks[b].n; n++, at = await this.issue(who, ...at, 1)) {
			const x = await this.events(at[0]), i = at[1], ins = l.ins[x.alo[i]];
			if (!ins || survey.blockOf[x.alo[i]] !== b || !meet(x, i, e, start[1]))
				continue;
			if (ins.line === line && ins.file === lineFile)
				return at;
			if (n && x.alo[i] === survey.blocks[b].pc)
				break;
		}
		return start;
	}
}

const desks = new Map();
let trace = null;

function deskOf(number) {
	let d = desks.get(number);
	if (d)
		return d;
	desks.set(number, d = new Desk(trace, number));
	for (const old of desks.keys())
		if (desks.size > MOST_DESKS) {
			desks.get(old).wanted = false;
			desks.delete(old);
		}
	return d;
}

const answers = {
	async open(text) {
		trace = await Trace.open(bytesOf(text));
		return { version: trace.version, damage: trace.damage, launches: trace.launches.map(({ ins, chunks, ...l }) => l) };
	},
	async launch(number) {
		const d = deskOf(number), { survey } = d;
		await (d.started ?? d.run());
		return { ins: d.launch.ins, blocks: survey.blocks, blockOf: survey.blockOf, figures: survey.figures(), trouble: d.trouble };
	},
	colours(number, colours) { deskOf(number).colours = colours; },
	picture(number, window, how) { return deskOf(number).picture(window, how); },
	async end(number, who, direction) { return show(number, who, await deskOf(number).end(who, direction)); },
	async cycle(number, who, cycle) { return show(number, who, await deskOf(number).atCycle(who, cycle)); },
	async step(number, who, at, direction, what) { return show(number, who, await deskOf(number).step(who, at, direction, what)); },
	anchor(number, who, at) { return deskOf(number).anchor(who, at); },
	async follow(number, who, anchor) {
		const found = await deskOf(number).follow(who, anchor);
		return { ...found, moment: await show(number, who, found.at) };
	},
};

function show(number, who, at) { return at && deskOf(number).moment(who, at); }

onmessage = async ({ data: { id, what, args } }) => {
	try {
		const value = await answers[what](...args);
		postMessage({ id, value }, value && value.lanes ? [value.lanes.buffer, value.pixels.buffer] : []);
	} catch (e) {
		postMessage({ id, error: e.message, stack: e.stack, ofTrace: e instanceof TraceError });
	}
};
