// One pass over a launch: sums as the report counts them, where each chunk lies in time, figures over time, a coarse picture, and states to go on from.
"use strict";

const MOST_BINS = 1024, MOST_KEPT_STATES = 48;
const MOST_CELLS = 1 << 21;        // of the coarse picture: of all warps together, of 20 bytes each

// Sums over spans of equal length, which doubles when there are too many.
class Bins {
	constructor(reasons) {
		this.width = 1;
		this.reasons = reasons;
		this.bins = [];
	}
	at(cycle) {
		let k = Math.floor(cycle / this.width);
		if (k === this.k)
			return this.bins[k];
		while (k >= MOST_BINS) {
			const pairs = [];
			for (let i = 0; i < this.bins.length; i += 2)
				pairs.push(sumBins(this.bins[i], this.bins[i + 1]));
			this.bins = pairs;
			this.width *= 2;
			k = Math.floor(cycle / this.width);
		}
		for (let i = this.bins.length; i <= k; i++)
			this.bins.push({ issues: 0, lanes: 0, depth: 0, sectors: 0, stall: new Float64Array(this.reasons) });
		return this.bins[this.k = k];
	}
	columns() {
		const { bins, reasons } = this, column = f => Float64Array.from(bins, f);
		return { n: bins.length, issues: column(b => b.issues), lanes: column(b => b.lanes), depth: column(b => b.depth), sectors: column(b => b.sectors),
			stall: Array.from({ length: reasons }, (_, k) => column(b => b.stall[k])) };
	}
	// A scheduler issues nothing from one cycle up to another, for a reason.
	addStall(why, from, to) {
		for (let c = from; c < to;) {
			const bin = this.at(c), end = Math.min(to, (Math.floor(c / this.width) + 1) * this.width);
			if (why < this.reasons)
				bin.stall[why] += end - c;
			c = end;
		}
	}
}

function sumBins(a, b) {
	if (!b)
		return a;
	a.stall.forEach((v, k) => { a.stall[k] = v + b.stall[k]; });
	return { issues: a.issues + b.issues, lanes: a.lanes + b.lanes, depth: a.depth + b.depth, sectors: a.sectors + b.sectors, stall: a.stall };
}

// What each warp issued, in spans of equal length: for pictures of long windows, and until the events of a window have been read.
class Coarse {
	constructor() {
		this.width = 1;            // cycles
		this.cells = MOST_BINS;    // of a warp
		this.warps = [];           // by a warp's number
	}

	add(number, cycle, lo, hi, lanes, block) {
		let at = Math.floor(cycle / this.width);
		for (; at >= this.cells; at = Math.floor(cycle / this.width))
			this.halve(this.cells);
		const w = this.warps[number] ?? this.addWarp(number);
		w.lo[at] |= lo;
		w.hi[at] |= hi;
		w.issues[at]++;
		w.lanes[at] += lanes;
		w.block[at] = block;
	}

	addWarp(number) {
		while ((this.warps.length + 1) * this.cells > MOST_CELLS && this.cells > 16) {
			this.halve(this.cells / 2);
			this.cells /= 2;
		}
		return this.warps[number] = new Cells(this.cells);
	}

	// Two spans become one; a warp has room for so many then.
	halve(room) {
		this.warps = this.warps.map(old => {
			const w = new Cells(room);
			for (let k = 0, a = 0; a < old.block.length; k++, a += 2) {
				w.lo[k] = old.lo[a] | old.lo[a + 1];
				w.hi[k] = old.hi[a] | old.hi[a + 1];
				w.issues[k] = old.issues[a] + old.issues[a + 1];
				w.lanes[k] = old.lanes[a] + old.lanes[a + 1];
				w.block[k] = old.block[old.issues[a + 1] ? a + 1 : a];
			}
			return w;
		});
		this.width *= 2;
	}
}

// Of each span: lanes that took part in an issue; issues, their lanes, the block of the last one.
class Cells {
	constructor(n) {
		for (const name of ["lo", "hi", "issues", "lanes"])
			this[name] = new Uint32Array(n);
		this.block = new Int32Array(n);
	}
}

// How often warps have come to blocks in a chunk: pairs of warp's number * blocks + block, and times, in the order of the former.
class Visits {
	constructor(times) {
		const sorted = [...times].sort((a, b) => a[0] - b[0]);
		this.key = Float64Array.from(sorted, x => x[0]);
		this.times = Uint32Array.from(sorted, x => x[1]);
	}
	of(key) {
		let a = 0, b = this.key.length;
		while (a < b) {
			const m = (a + b) >> 1;
			if (this.key[m] < key)
				a = m + 1;
			else
				b = m;
		}
		return this.key[a] === key ? this.times[a] : 0;
	}
}

class Survey {
	constructor(trace, launch) {
		this.trace = trace;
		this.launch = launch;
		this.done = 0;             // chunks read
		this.chunks = [];          // { n: events; spans: by SM, its first and last cycle; warps: numbers of those that issue; visits }
		this.issues = this.events = 0;
		this.last = 0;             // cycle of the last event
		this.firstIssue = 0;       // cycle of it
		this.bins = new Bins(launch.reasons.length);
		this.coarse = new Coarse();
		this.issuesOf = new Float64Array(launch.ins.length);
		this.lanesOf = new Float64Array(launch.ins.length);
		this.edges = new Map();    // between blocks, by from * blocks + to: times that a group of lanes went from one to the other
		this.warps = new Map();    // by sm * 65536 + slot: { number, sm, slot, issues, block: by lane }
		this.key = -1;             // of the warp that issued last
		this.sums = { warp_instructions: 0, lanes: 0, inserted: 0, overhead: 0, noop_fetches: 0, pushes: 0, pops: 0, max_depth: 0, depth_sum: 0, spills: 0, fills: 0, merges: 0, thread_blocks: 0 };
		this.states = new Map([[0, new State(launch.schedulers)]]); // by chunk: the state before it
		this.every = 1;
		this.state = new State(launch.schedulers);
		this.spanFrom = new Float64Array(launch.sms).fill(Infinity);
		this.spanTo = new Float64Array(launch.sms);
		this.findBlocks();
	}

	findBlocks() {
		const number = new Map();
		this.blocks = [];          // { function, label, pc: of its first instruction, n: instructions }
		this.blockOf = new Int32Array(this.launch.ins.length);
		this.launch.ins.forEach((i, pc) => {
			const key = i.function + "\n" + i.block;
			if (!number.has(key)) {
				number.set(key, this.blocks.length);
				this.blocks.push({ function: i.function, label: i.block, pc, n: 0 });
			}
			this.blockOf[pc] = number.get(key);
			this.blocks[this.blockOf[pc]].n++;
		});
	}

	get ended() { return this.done === this.launch.chunks.length; }

	// Reads the next chunk.
	async step() {
		const k = this.done, e = await this.trace.events(this.launch, this.launch.chunks[k]), sms = [];
		if (k && k % this.every === 0)
			this.keepState(k);
		this.visits = new Map();
		this.issuing = new Set();
		for (let i = 0; i < e.n; i++) {
			const sm = e.sm[i], cycle = e.cycle[i];
			if (this.spanFrom[sm] === Infinity)
				sms.push(sm);
			if (cycle < this.spanFrom[sm])
				this.spanFrom[sm] = cycle;
			if (cycle > this.spanTo[sm])
				this.spanTo[sm] = cycle;
			this.add(e, i);
		}
		const spans = new Map();
		for (const sm of sms) {
			spans.set(sm, [this.spanFrom[sm], this.spanTo[sm]]);
			this.spanFrom[sm] = Infinity;
			this.spanTo[sm] = 0;
		}
		this.chunks.push({ n: e.n, spans, warps: this.issuing, visits: new Visits(this.visits) });
		this.done++;
		if (this.ended)
			for (const w of this.state.why.values())
				if (w.why >= 0)
					this.bins.addStall(w.why, w.since, this.last + 1);
	}

	keepState(k) {
		this.states.set(k, this.state.copy());
		if (this.states.size <= MOST_KEPT_STATES)
			return;
		this.every *= 2;
		for (const at of this.states.keys())
			if (at % this.every)
				this.states.delete(at);
	}

	add(e, i) {
		const kind = e.kind[i], s = this.sums, cycle = e.cycle[i];
		this.events++;
		if (kind !== KIND.STALL && cycle > this.last)
			this.last = cycle;
		if (e.depth[i] > s.max_depth)
			s.max_depth = e.depth[i];
		if (kind === KIND.ISSUE || kind === KIND.STALL)
			this.endStall(e, i);
		switch (kind) {
		case KIND.ISSUE: this.addIssue(e, i); break;
		case KIND.PUSH: s.pushes++; break;
		case KIND.POP: s.pops++; break;
		case KIND.SPILL: s.spills++; break;
		case KIND.FILL: s.fills++; break;
		case KIND.RECONVERGE: s.merges++; break;
		case KIND.BLOCK_START: s.thread_blocks++; break;
		case KIND.MEMORY: this.bins.at(cycle).sectors += e.b(i); break;
		}
		this.state.step(e, i);
	}

	// A scheduler that stood still issues, or has another reason.
	endStall(e, i) {
		const number = e.kind[i] === KIND.STALL ? e.a(i) : this.launch.schedulers ? e.warp[i] % this.launch.schedulers : -1;
		const w = this.state.why.get(e.sm[i] * 64 + number);
		if (w && w.why >= 0)
			this.bins.addStall(w.why, w.since, e.cycle[i]);
	}

	// The warp that issues event i.
	warpOf(e, i) {
		const key = e.sm[i] * 65536 + e.warp[i];
		if (key === this.key)
			return this.warp;
		let w = this.warps.get(key);
		if (!w)
			this.warps.set(key, w = { number: this.warps.size, chunk: -1, sm: e.sm[i], slot: e.warp[i], issues: 0, block: new Int32Array(64).fill(-1) });
		this.key = key;
		return this.warp = w;
	}

	addIssue(e, i) {
		const pc = e.a(i), x = this.launch.ins[pc], s = this.sums, lanes = countBits(e.masklo[i]) + countBits(e.maskhi[i]);
		const bin = this.bins.at(e.cycle[i]), w = this.warpOf(e, i);
		w.issues++;
		if (w.chunk !== this.done) {
			w.chunk = this.done;
			this.issuing.add(w.number);
		}
		if (!this.issues++)
			this.firstIssue = e.cycle[i];
		bin.issues++;
		bin.lanes += lanes;
		bin.depth += e.depth[i];
		s.depth_sum += e.depth[i];
		if (x && x.overhead) {
			s.overhead++;
		} else {
			s.warp_instructions++;
			s.lanes += lanes;
			s.inserted += x && x.inserted ? 1 : 0;
		}
		const block = x ? this.blockOf[pc] : -1;
		this.coarse.add(w.number, e.cycle[i], e.masklo[i], e.maskhi[i], lanes, block);
		if (!x)
			return;
		this.issuesOf[pc]++;
		this.lanesOf[pc] += lanes;
		if (this.blocks[block].pc === pc)
			this.enterBlock(w, e, i, block);
	}

	// The edge that lanes took: from the block in which the lane that is first in the group was before.
	enterBlock(w, e, i, to) {
		const lo = e.masklo[i], hi = e.maskhi[i], visit = w.number * this.blocks.length + to;
		this.visits.set(visit, (this.visits.get(visit) || 0) + 1);
		const first = lo ? 31 - Math.clz32(lo & -lo) : hi ? 63 - Math.clz32(hi & -hi) : -1;
		if (first < 0) {
			this.sums.noop_fetches++;
			return;
		}
		const key = w.block[first] * this.blocks.length + to;
		if (w.block[first] >= 0)
			this.edges.set(key, (this.edges.get(key) || 0) + 1);
		for (let k = 0; k < this.launch.warpSize; k++)
			if (lane(lo, hi, k))
				w.block[k] = to;
	}

	// The chunks, of those read, that have events of the SM in cycles [from, to).
	chunksOf(sm, from, to) {
		const list = [];
		this.chunks.forEach(({ spans }, k) => {
			const span = spans.get(sm);
			if (span && span[0] < to && span[1] >= from)
				list.push(k);
		});
		return list;
	}

	// May the warp issue in chunk k? Of chunks that have not been read, nothing is known.
	mayIssue(sm, slot, k) {
		const w = this.warps.get(sm * 65536 + slot);
		return k >= this.done || (!!w && this.chunks[k].warps.has(w.number));
	}

	// The state before event `index` of chunk k.
	async stateAt(k, index) {
		let from = k;
		while (!this.states.has(from))
			from--;
		const state = this.states.get(from).copy();
		for (; from <= k; from++) {
			const e = await this.trace.events(this.launch, this.launch.chunks[from]), end = from < k ? e.n : index;
			for (let i = 0; i < end; i++)
				state.step(e, i);
		}
		return state;
	}

	// What the page shows of it.
	figures() {
		const { issues, events, last, firstIssue, sums, issuesOf, lanesOf } = this;
		return { done: this.done, of: this.launch.chunks.length, ended: this.ended, issues, events, last, firstIssue, sums, issuesOf, lanesOf, edges: [...this.edges],
			warps: [...this.warps.values()].map(w => ({ sm: w.sm, slot: w.slot, issues: w.issues })), width: this.bins.width, bins: this.bins.columns() };
	}
}
