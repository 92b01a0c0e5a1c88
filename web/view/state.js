// The state of a launch at a moment, as the events up to it leave it (doc/trace.md, "The state of a mechanism"), and texts as gsim-trace writes them.
"use strict";

const FLAG_RUNS = 1, FLAG_AT_BARRIER = 4, NO_SPLIT = 65535, SPENDS_CYCLE = 65535;
const TABLE_SPLITS = 0, TABLE_STACK = 2, TABLES = 8, ROW_SPLIT = 0, ROW_SCALAR = 17;

class WarpState {
	constructor(sm, slot) {
		Object.assign(this, { sm, slot, depth: 0, used: false, block: 0, index: 0, since: 0, laneslo: 0, laneshi: 0, endedlo: 0, endedhi: 0 });
		this.clearRows();
	}
	clearRows() { this.table = Array.from({ length: TABLES }, () => []); }
	copy() {
		const w = Object.assign(new WarpState(this.sm, this.slot), this);
		w.table = this.table.map(rows => rows.map(r => ({ ...r })));
		return w;
	}
}

class State {
	constructor(schedulers) {
		this.schedulers = schedulers;
		this.warps = new Map();    // by sm * 65536 + slot
		this.why = new Map();      // by sm * 64 + scheduler: { sm, number, why, since }; why -1: it issued last then
		this.cycle = 0;
	}

	copy() {
		const s = new State(this.schedulers);
		for (const [key, w] of this.warps)
			s.warps.set(key, w.copy());
		for (const [key, w] of this.why)
			s.why.set(key, { ...w });
		s.cycle = this.cycle;
		return s;
	}

	warp(sm, slot) {
		const key = sm * 65536 + slot;
		let w = this.warps.get(key);
		if (!w)
			this.warps.set(key, w = new WarpState(sm, slot));
		return w;
	}

	// Event k of e. Contradictions of a damaged trace are passed over.
	step(e, k) {
		const kind = e.kind[k], sm = e.sm[k];
		this.cycle = Math.max(this.cycle, e.cycle[k]);
		if (kind === KIND.STALL) {
			this.why.set(sm * 64 + e.a(k), { sm, number: e.a(k), why: e.b(k), since: e.cycle[k] });
			return;
		}
		if (kind === KIND.BLOCK_START || kind === KIND.BLOCK_END || kind === KIND.RETURN)
			return;
		const w = this.warp(sm, e.warp[k]);
		w.depth = e.depth[k];
		if (kind === KIND.ISSUE)
			this.issue(w, e, k);
		else if (kind >= KIND.ENTER && kind <= KIND.LEAVE)
			setRow(w, e.row.get(k), kind, e.a(k), e.b(k));
		else if (kind === KIND.EXIT)
			w.endedlo = (w.endedlo | e.masklo[k]) >>> 0, w.endedhi = (w.endedhi | e.maskhi[k]) >>> 0;
		else if (kind === KIND.WARP_START)
			Object.assign(w, { used: true, block: e.a(k), index: e.b(k), since: e.cycle[k], laneslo: e.masklo[k], laneshi: e.maskhi[k], endedlo: 0, endedhi: 0 }), w.clearRows();
		else if (kind === KIND.WARP_END)
			w.used = false, w.clearRows();
	}

	issue(w, e, k) {
		for (const t of [TABLE_SPLITS, TABLE_STACK]) {
			const rows = w.table[t], own = rows[e.split[k]];
			let row = t === TABLE_SPLITS && own && own.split === e.split[k] && own.flags & FLAG_RUNS ? own : null;
			for (let i = rows.length - 1; !row && i >= 0; i--)
				if (rows[i].split === e.split[k] && rows[i].flags & FLAG_RUNS)
					row = rows[i];
			if (row)
				row.pc = e.alo[k] + 1;
		}
		if (this.schedulers) {
			const number = e.warp[k] % this.schedulers;
			this.why.set(w.sm * 64 + number, { sm: w.sm, number, why: -1, since: e.cycle[k] });
		}
	}
}

function setRow(w, row, kind, a, b) {
	const rows = w.table[names.rows[row.kind].table];
	if (kind === KIND.LEAVE)
		rows.splice(b, a);
	else if (kind === KIND.REWRITE && b < rows.length)
		rows[b] = { ...row };
	else if (kind === KIND.ENTER && b <= rows.length)
		rows.splice(b, 0, { ...row });
}

// ---- texts ----

function lane(lo, hi, k) { return k < 32 ? lo >>> k & 1 : hi >>> (k - 32) & 1; }
function countBits(v) {
	v -= v >>> 1 & 0x55555555;
	v = (v & 0x33333333) + (v >>> 2 & 0x33333333);
	return ((v + (v >>> 4) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
function hex64(lo, hi) { return hi ? hi.toString(16) + lo.toString(16).padStart(8, "0") : lo.toString(16); }

// As gsim-trace: lane 0 first, a mark between groups of 8.
function lanesText(lo, hi, warpSize) {
	let s = "";
	for (let k = 0; k < warpSize; k++)
		s += (k && k % 8 === 0 ? "'" : "") + (lane(lo, hi, k) ? "1" : ".");
	return s;
}

function placeText(l, pc) { return l.ins[pc] ? `${pc} ${l.ins[pc].block}` : `${pc}`; }

function rowText(l, r) {
	const x = names.rows[r.kind];
	let s = x.name;
	if (x.n === "")
		s += ` ${r.n}`;
	if (r.pc >= 0)
		s += ` ${placeText(l, r.pc)}`;
	if (x.rpc && r.rpc >= 0)
		s += `, ${x.rpc} ${placeText(l, r.rpc)}`;
	if (x.n && (r.kind !== ROW_SPLIT || r.flags & FLAG_AT_BARRIER))
		s += `, ${x.n} ${r.n}`;
	if (x.m)
		s += `, ${x.m} ${r.m}`;
	if (x.other !== null && (r.otherlo || r.otherhi))
		s += `, ${x.other} ` + (r.kind === ROW_SCALAR ? "0x" + hex64(r.otherlo, r.otherhi) : lanesText(r.otherlo, r.otherhi, l.warpSize));
	names.flags.forEach((flag, k) => { if (r.flags >> k & 1) s += `, ${flag}`; });
	if (r.split !== NO_SPLIT && r.kind !== ROW_SPLIT)
		s += `, split ${r.split}`;
	return s;
}

function reasonText(l, why) { return l.reasons[why] ?? (why === SPENDS_CYCLE ? "chooses" : "?"); }

// The event as gsim-trace --text writes it, behind its columns.
function eventText(l, e, k) {
	const a = e.a(k), b = e.b(k), i = l.ins[a], place = `${String(a).padStart(4)}${i ? " " + i.block : ""}`;
	switch (e.kind[k]) {
	case KIND.ISSUE:
		return place + (i ? `: ${i.text}${i.file && i.line ? `  // ${i.file}:${i.line}` : ""}` +
			(i.overhead ? "  (added by lowering)" : i.inserted ? "  (inserted by a pass)" : "") : "");
	case KIND.PUSH: case KIND.POP: return place;
	case KIND.SPILL: case KIND.FILL: return `${String(a).padStart(4)} entries`;
	case KIND.RECONVERGE: return `${place}, ${b} groups`;
	case KIND.BARRIER_WAIT: case KIND.BARRIER_RELEASE: return `${a === 16 ? "the grid's barrier" : `barrier ${a}`}, ${b} threads`;
	case KIND.MEMORY: return `0x${hex64(e.alo[k], e.ahi[k])}, ${b} sectors`;
	case KIND.BLOCK_START: return `thread block ${a}, ${b} threads`;
	case KIND.BLOCK_END: return `thread block ${a}`;
	case KIND.EXIT: return `${place}, ${b} lanes left`;
	case KIND.ENTER: case KIND.REWRITE: return `${String(b).padStart(4)} ${rowText(l, e.row.get(k))}`;
	case KIND.LEAVE: return `${String(b).padStart(4)} ${names.rows[e.row.get(k).kind].name}, ${a} rows`;
	case KIND.STALL: return `scheduler ${a}, ${reasonText(l, b)}`;
	case KIND.RETURN: return `${place}, made in cycle ${b}`;
	default: return `thread block ${a}, warp ${b}`;
	}
}

const NO_LANES = new Set([KIND.BLOCK_START, KIND.BLOCK_END, KIND.STALL, KIND.LEAVE, KIND.WARP_END]);
function eventLine(l, e, k) {
	const left = (v, n) => String(v).padStart(n);
	return `${left(e.cycle[k], 8)} ${left(e.sm[k], 3)} ${left(e.warp[k], 4)} ${left(e.split[k] === NO_SPLIT ? "-" : e.split[k], 5)} ${left(e.depth[k], 5)} ` +
		`${names.kinds[e.kind[k]].padEnd(15)} ${(NO_LANES.has(e.kind[k]) ? "" : lanesText(e.masklo[k], e.maskhi[k], l.warpSize)).padEnd(Math.max(8, l.warpSize + Math.floor((l.warpSize - 1) / 8)))} ${eventText(l, e, k)}`;
}
