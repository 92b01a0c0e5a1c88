// One pass over a launch: sums as the report counts them, where each chunk lies in time, figures over time, and states to go on from.
"use strict";

const MOST_BINS = 1024, MOST_KEPT_STATES = 48;

// Sums over spans of equal length, which doubles when there are too many.
class Bins {
	constructor(reasons) {
		this.width = 1;
		this.reasons = reasons;
		this.bins = [];
	}
	at(cycle) {
		let k = Math.floor(cycle / this.width);
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
		return this.bins[k];
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

class Survey {
	constructor(trace, launch) {
		this.trace = trace;
		this.launch = launch;
		this.done = 0;             // chunks read
		this.chunks = [];          // { first, last: cycles; issues: before it; n: events }
		this.issues = this.events = 0;
		this.last = 0;
		this.firstIssue = 0;       // cycle of it
		this.bins = new Bins(launch.reasons.length);
		this.issuesOf = new Float64Array(launch.ins.length);
		this.lanesOf = new Float64Array(launch.ins.length);
		this.edges = new Map();    // between blocks, by from * blocks + to: times that a group of lanes went from one to the other
		this.warps = new Map();    // by sm * 65536 + slot: events
		this.sums = { warp_instructions: 0, lanes: 0, inserted: 0, overhead: 0, pushes: 0, pops: 0, max_depth: 0, depth_sum: 0, spills: 0, fills: 0, merges: 0, thread_blocks: 0 };
		this.states = new Map([[0, new State(launch.schedulers)]]); // by chunk: the state before it
		this.every = 1;
		this.state = new State(launch.schedulers);
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
		const k = this.done, e = await this.trace.events(this.launch, this.launch.chunks[k]);
		if (k && k % this.every === 0)
			this.keepState(k);
		this.chunks.push({ first: e.n ? e.cycle[0] : this.last, last: this.last, issues: this.issues, n: e.n });
		for (let i = 0; i < e.n; i++)
			this.add(e, i);
		this.chunks[k].last = this.last;
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
		if (kind !== KIND.STALL)
			this.last = Math.max(this.last, cycle);
		s.max_depth = Math.max(s.max_depth, e.depth[i]);
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

	addIssue(e, i) {
		const pc = e.a(i), x = this.launch.ins[pc], s = this.sums, lanes = countBits(e.masklo[i]) + countBits(e.maskhi[i]);
		const bin = this.bins.at(e.cycle[i]), key = e.sm[i] * 65536 + e.warp[i];
		let w = this.warps.get(key);
		if (!w)
			this.warps.set(key, w = { sm: e.sm[i], slot: e.warp[i], issues: 0, block: new Int32Array(64).fill(-1) });
		w.issues++;
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
		if (!x)
			return;
		this.issuesOf[pc]++;
		this.lanesOf[pc] += lanes;
		if (this.blocks[this.blockOf[pc]].pc === pc)
			this.enterBlock(w, e, i, this.blockOf[pc]);
	}

	// The edge that lanes took: from the block in which the lane that is first in the group was before.
	enterBlock(w, e, i, to) {
		const lo = e.masklo[i], hi = e.maskhi[i];
		const first = lo ? 31 - Math.clz32(lo & -lo) : hi ? 63 - Math.clz32(hi & -hi) : -1;
		if (first < 0)
			return;
		const key = w.block[first] * this.blocks.length + to;
		if (w.block[first] >= 0)
			this.edges.set(key, (this.edges.get(key) || 0) + 1);
		for (let k = 0; k < this.launch.warpSize; k++)
			if (lane(lo, hi, k))
				w.block[k] = to;
	}

	// The chunk that holds the cycle, of those read: the last one that begins at it or before.
	chunkAt(cycle) {
		let a = 0, b = this.chunks.length - 1;
		while (a < b) {
			const m = (a + b + 1) >> 1;
			if (this.chunks[m].first <= cycle)
				a = m;
			else
				b = m - 1;
		}
		return Math.max(a, 0);
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
}
