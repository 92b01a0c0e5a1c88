// The state of a launch at a moment, as the events up to it leave it (doc/trace.md, "The state of a mechanism"), and texts as gsim-trace writes them.
"use strict";

const { table: TABLE, row: ROW, flag: FLAG, no_split: NO_SPLIT, why_issues: WHY_ISSUES } = FORMAT;
const TABLES = FORMAT.tables.length;
const MOST_WARPS = 1 << 16;        // slots of a launch's SMs, together: several times what the largest GPU has

class WarpState {
	constructor(sm, slot) {
		Object.assign(this, { sm, slot, depth: 0, used: false, block: 0, index: 0, since: 0, laneslo: 0, laneshi: 0, endedlo: 0, endedhi: 0 });
		this.clearRows();
	}
	clearRows() { this.table = Array.from({ length: TABLES }, () => []); }
	copy() {
		const w = Object.assign(new WarpState(this.sm, this.slot), this);
		w.table = this.table.map(rows => rows.map(copyRow));
		return w;
	}
}

function copyRow({ kind, masklo, maskhi, pc, split, flags, rpc, n, m, otherlo, otherhi }) {
	return { kind, masklo, maskhi, pc, split, flags, rpc, n, m, otherlo, otherhi };
}

class State {
	constructor(schedulers) {
		this.schedulers = schedulers;
		this.warps = new Map();    // by sm * 65536 + slot
		this.why = new Map();      // by sm * 64 + scheduler: { sm, number, why, since }; why -1: it issued last then
		this.key = -1;             // of the warp asked for last
	}

	copy() {
		const s = new State(this.schedulers);
		for (const [key, w] of this.warps)
			s.warps.set(key, w.copy());
		for (const [key, w] of this.why)
			s.why.set(key, { ...w });
		return s;
	}

	warp(sm, slot) {
		const key = sm * 65536 + slot;
		if (key === this.key)
			return this.last;
		let w = this.warps.get(key);
		if (!w && this.warps.size >= MOST_WARPS)
			throw new TraceError(`more than ${MOST_WARPS} warps`);
		if (!w)
			this.warps.set(key, w = new WarpState(sm, slot));
		this.key = key;
		return this.last = w;
	}

	scheduler(sm, number) {
		let w = this.why.get(sm * 64 + number);
		if (!w)
			this.why.set(sm * 64 + number, w = { sm, number, why: -1, since: 0 });
		return w;
	}

	// Event k of e. Contradictions of a damaged trace are passed over.
	step(e, k) {
		const kind = e.kind[k], sm = e.sm[k];
		if (kind === KIND.STALL) {
			const s = this.scheduler(sm, e.a(k));
			s.why = e.b(k);
			s.since = e.cycle[k];
			return;
		}
		if (kind === KIND.BLOCK_START || kind === KIND.BLOCK_END || kind === KIND.RETURN)
			return;
		const w = this.warp(sm, e.warp[k]);
		w.depth = e.depth[k];
		if (kind === KIND.ISSUE)
			this.issue(w, e, k);
		else if (kind >= KIND.ENTER && kind <= KIND.LEAVE)
			setRow(w, e.rowOf(k), kind, e.a(k), e.b(k));
		else if (kind === KIND.EXIT)
			w.endedlo = (w.endedlo | e.masklo[k]) >>> 0, w.endedhi = (w.endedhi | e.maskhi[k]) >>> 0;
		else if (kind === KIND.WARP_START)
			Object.assign(w, { used: true, block: e.a(k), index: e.b(k), since: e.cycle[k], laneslo: e.masklo[k], laneshi: e.maskhi[k], endedlo: 0, endedhi: 0 }), w.clearRows();
		else if (kind === KIND.WARP_END)
			w.used = false, w.clearRows();
	}

	issue(w, e, k) {
		const split = e.split[k], pc = e.alo[k] + 1, own = w.table[TABLE.SPLITS][split];
		moveOn(w.table[TABLE.SPLITS], split, pc, own && own.split === split && own.flags & FLAG.RUNS ? own : null);
		moveOn(w.table[TABLE.STACK], split, pc, null);
		if (this.schedulers) {
			const s = this.scheduler(w.sm, e.warp[k] % this.schedulers);
			s.why = -1;
			s.since = e.cycle[k];
		}
	}
}

// The row that is split and runs, `row` or else the last one, is at pc now.
function moveOn(rows, split, pc, row) {
	for (let i = rows.length - 1; !row && i >= 0; i--)
		if (rows[i].split === split && rows[i].flags & FLAG.RUNS)
			row = rows[i];
	if (row)
		row.pc = pc;
}

function setRow(w, row, kind, a, b) {
	const rows = w.table[FORMAT.rows[row.kind].table];
	if (kind === KIND.LEAVE)
		rows.splice(b, a);
	else if (kind === KIND.REWRITE && b < rows.length)
		rows[b] = copyRow(row);
	else if (kind === KIND.ENTER && b === rows.length)
		rows.push(copyRow(row));
	else if (kind === KIND.ENTER && b < rows.length)
		rows.splice(b, 0, copyRow(row));
}

// ---- texts ----

function lane(lo, hi, k) { return k < 32 ? lo >>> k & 1 : hi >>> (k - 32) & 1; }
function hex64(lo, hi) { return hi ? hi.toString(16) + lo.toString(16).padStart(8, "0") : lo.toString(16); }

// As gsim-trace: lane 0 first, a mark between groups of 8.
function lanesText(lo, hi, warpSize) {
	let s = "";
	for (let k = 0; k < warpSize; k++)
		s += (k && k % FORMAT.lanes_group === 0 ? "'" : "") + (lane(lo, hi, k) ? "1" : ".");
	return s;
}

function placeText(l, pc) { return l.ins[pc] ? `${pc} ${l.ins[pc].block}` : `${pc}`; }

function rowText(l, r) {
	const x = FORMAT.rows[r.kind];
	let s = x.name;
	if (x.n === "")
		s += ` ${r.n}`;
	if (r.pc >= 0)
		s += ` ${placeText(l, r.pc)}`;
	if (x.rpc && r.rpc >= 0)
		s += `, ${x.rpc} ${placeText(l, r.rpc)}`;
	if (x.n && (r.kind !== ROW.SPLIT || r.flags & FLAG.AT_BARRIER))
		s += `, ${x.n} ${r.n}`;
	if (x.m)
		s += `, ${x.m} ${r.m}`;
	if (x.other !== null && (r.otherlo || r.otherhi))
		s += `, ${x.other} ` + (r.kind === ROW.SCALAR ? "0x" + hex64(r.otherlo, r.otherhi) : lanesText(r.otherlo, r.otherhi, l.warpSize));
	FORMAT.flags.forEach((flag, k) => { if (r.flags >> k & 1) s += `, ${flag}`; });
	if (r.split !== NO_SPLIT && r.kind !== ROW.SPLIT)
		s += `, split ${r.split}`;
	return s;
}

function reasonText(l, why) { return l.reasons[why] ?? (why === WHY_ISSUES ? "chooses" : "?"); }

// What the mechanism holds for a warp, as gsim-trace --stack writes it.
function stateText(l, w) {
	const text = (lo, hi) => lanesText(lo, hi, l.warpSize);
	let s = `SM ${w.sm}, warp ${w.slot}: thread block ${w.block}, warp ${w.index} of it, lanes ${text(w.laneslo, w.laneshi)}` +
		`${w.endedlo || w.endedhi ? `, ended ${text(w.endedlo, w.endedhi)}` : ""}, depth ${w.depth}\n`;
	w.table.forEach((rows, t) => {
		if (rows.length)
			s += `  ${FORMAT.tables[t]}\n`;
		rows.forEach((_, i) => {
			const at = t === TABLE.STACK ? rows.length - 1 - i : i, r = rows[at], ins = l.ins[r.pc];
			s += `    ${String(at).padStart(3)}  ${text(r.masklo, r.maskhi)}  ${rowText(l, r)}${ins && ins.file && ins.line ? `  // ${ins.file}:${ins.line}` : ""}\n`;
		});
	});
	return s;
}

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
	case KIND.BARRIER_WAIT: case KIND.BARRIER_RELEASE: return `${a === FORMAT.grid_barrier ? "the grid's barrier" : `barrier ${a}`}, ${b} threads`;
	case KIND.MEMORY: return `0x${hex64(e.alo[k], e.ahi[k])}, ${b} sectors`;
	case KIND.BLOCK_START: return `thread block ${a}, ${b} threads`;
	case KIND.BLOCK_END: return `thread block ${a}`;
	case KIND.EXIT: return `${place}, ${b} lanes left`;
	case KIND.ENTER: case KIND.REWRITE: return `${String(b).padStart(4)} ${rowText(l, e.rowOf(k))}`;
	case KIND.LEAVE: return `${String(b).padStart(4)} ${FORMAT.rows[e.rowOf(k).kind].name}, ${a} rows`;
	case KIND.STALL: return `scheduler ${a}, ${reasonText(l, b)}`;
	case KIND.RETURN: return `${place}, made in cycle ${b}`;
	default: return `thread block ${a}, warp ${b}`;
	}
}

const NO_LANES = new Set([KIND.BLOCK_START, KIND.BLOCK_END, KIND.STALL, KIND.LEAVE, KIND.WARP_END]);
function eventLine(l, e, k) {
	const left = (v, n) => String(v).padStart(n), group = FORMAT.lanes_group;
	const lanes = NO_LANES.has(e.kind[k]) ? "" : lanesText(e.masklo[k], e.maskhi[k], l.warpSize);
	return `${left(e.cycle[k], 8)} ${left(e.sm[k], 3)} ${left(e.warp[k], 4)} ${left(e.split[k] === NO_SPLIT ? "-" : e.split[k], 5)} ${left(e.depth[k], 5)} ` +
		`${FORMAT.kinds[e.kind[k]].padEnd(15)} ${lanes.padEnd(Math.max(group, l.warpSize + Math.floor((l.warpSize - 1) / group)))} ${eventText(l, e, k)}`;
}

// Lanes as ranges: "0 to 3, 8".
function lanesSaid(lo, hi, warpSize) {
	const part = [];
	for (let k = 0; k < warpSize; k++) {
		const from = k;
		while (k < warpSize && lane(lo, hi, k))
			k++;
		if (k > from)
			part.push(k - from > 1 ? `${from} to ${k - 1}` : `${from}`);
	}
	return part.join(", ");
}

// The event as a sentence, to be heard.
function eventSaid(l, e, k) {
	const kind = FORMAT.kinds[e.kind[k]].replace("_", " "), n = countBits(e.masklo[k]) + countBits(e.maskhi[k]);
	const lanes = NO_LANES.has(e.kind[k]) ? "" : n === l.warpSize ? ", all lanes" : `, ${n} of ${l.warpSize} lanes: ${lanesSaid(e.masklo[k], e.maskhi[k], l.warpSize)}`;
	return `cycle ${e.cycle[k]}, SM ${e.sm[k]}, warp ${e.warp[k]}: ${kind}${lanes}; ${eventText(l, e, k).trim()}`;
}
