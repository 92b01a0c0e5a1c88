// Reads traces as doc/trace.md describes them. The file is hostile: every length and number is checked before it is used.
"use strict";

const CHUNK = { LAUNCH: FORMAT.launch_chunk, EVENTS: FORMAT.events_chunk, STATE: FORMAT.state_chunk, INDEX: FORMAT.index_chunk, END: FORMAT.end_chunk };
const MOST_RAW = { [CHUNK.LAUNCH]: FORMAT.launch_raw, [CHUNK.STATE]: FORMAT.launch_raw, [CHUNK.INDEX]: FORMAT.index_raw, [CHUNK.EVENTS]: FORMAT.events_raw };
const MOST_CACHED = 128 << 20;     // bytes of decoded events that are kept
const CONTEXTS = FORMAT.contexts, OF_SM = FORMAT.contexts_of_sm, OF_CONTEXT = FORMAT.context_kinds, KIND_FOLLOWS = FORMAT.kind_follows;
const SAME_CYCLE = FORMAT.same_cycle, SAME_WARP = FORMAT.same_warp, SAME_MASK = FORMAT.same_mask, SAME_SPLIT = FORMAT.same_split;
const KINDS = FORMAT.kinds.length, ISSUE = KIND.ISSUE, ENTER = KIND.ENTER, LEAVE = KIND.LEAVE, NO_PC = FORMAT.no_pc;

// Numbers one after the other. A varint's 64 bits are left in lo and hi.
class Bytes {
	constructor(u8) { this.u8 = u8; this.p = 0; this.lo = 0; this.hi = 0; }

	bad() { throw new TraceError("a number or text that makes no sense"); }

	varint() {
		const u8 = this.u8;
		let b = u8[this.p++];
		if (b < 128) {
			this.hi = 0;
			return this.lo = b;
		}
		let lo = b & 127, hi = 0;
		for (let shift = 7; ; shift += 7) {
			b = u8[this.p++];
			if (b === undefined || shift > 63 || (shift === 63 && b > 1))
				this.bad();
			const v = b & 127;
			if (shift < 28)
				lo |= v << shift;
			else if (shift === 28)
				lo |= v << 28, hi = v >>> 4;
			else
				hi |= v << (shift - 32);
			if (b < 128)
				break;
		}
		this.lo = lo >>> 0;
		this.hi = hi >>> 0;
		return this.hi * 4294967296 + this.lo;
	}

	upto(most) {
		const v = this.varint();
		return v <= most ? v : this.bad();
	}

	// The number of a zigzag varint as 64 bits of two's complement in lo and hi.
	zigzag() {
		this.varint();
		const sign = -(this.lo & 1);
		const lo = this.lo >>> 1 | this.hi << 31;
		this.lo = (lo ^ sign) >>> 0;
		this.hi = (this.hi >>> 1 ^ sign) >>> 0;
	}

	string() {
		const n = this.upto(this.u8.length - this.p);
		const part = this.u8.subarray(this.p, this.p += n);
		if (part.includes(0))
			this.bad();
		return new TextDecoder().decode(part);
	}

	get ended() { return this.p === this.u8.length; }
}

function get32(u8, p) { return (u8[p] | u8[p + 1] << 8 | u8[p + 2] << 16 | u8[p + 3] << 24) >>> 0; }

async function inflate(u8, raw) {
	let got;
	try {
		const stream = new Blob([u8]).stream().pipeThrough(new DecompressionStream("deflate"));
		const reader = stream.getReader(), out = new Uint8Array(raw);
		for (got = 0; ;) {
			const { done, value } = await reader.read();
			if (done)
				break;
			if (got + value.length > raw)
				throw new TraceError("");
			out.set(value, got);
			got += value.length;
		}
		if (got === raw)
			return out;
	} catch (e) { /* said below */ }
	throw new TraceError("a chunk that does not decompress to what it says");
}

// The events of a chunk, in columns. Masks, a and b have 64 bits: *lo and *hi. row: the number in rows of an event's row, for kinds that have one.
class Events {
	constructor(most) {
		this.n = 0;
		this.cycle = new Float64Array(most);
		this.kind = new Uint8Array(most);
		for (const name of ["sm", "warp", "split", "depth"])
			this[name] = new Uint16Array(most);
		for (const name of ["masklo", "maskhi", "alo", "ahi", "blo", "bhi", "row"])
			this[name] = new Uint32Array(most);
		this.rows = [];
		this.issues = null;        // by sm * 65536 + slot: numbers of the warp's issues
	}
	a(k) { return this.ahi[k] * 4294967296 + this.alo[k]; }
	b(k) { return this.bhi[k] * 4294967296 + this.blo[k]; }
	rowOf(k) { return this.rows[this.row[k]]; }
	get bytes() { return this.n * 49 + this.rows.length * 80; }

	// The first n events, apart from this.
	copy(n) {
		const e = new Events(0);
		for (const name of Object.keys(this))
			e[name] = ArrayBuffer.isView(this[name]) ? this[name].slice(0, n) : this[name];
		e.n = n;
		return e;
	}

	issuesOf(sm, slot) {
		if (!this.issues)
			this.issues = this.findIssues();
		return this.issues.get(sm * 65536 + slot) ?? NO_ISSUES;
	}

	findIssues() {
		const lists = new Map();
		for (let k = 0; k < this.n; k++)
			if (this.kind[k] === ISSUE) {
				const key = this.sm[k] * 65536 + this.warp[k], list = lists.get(key);
				if (list)
					list.push(k);
				else
					lists.set(key, [k]);
			}
		for (const [key, list] of lists)
			lists.set(key, Int32Array.from(list));
		return lists;
	}
}
const NO_ISSUES = new Int32Array(0);

// What events are decoded by; empty at the begin of each chunk.
class Coder {
	constructor() {
		for (const name of ["masklo", "maskhi", "split", "depth", "pclo", "pchi"])
			this[name] = new Uint32Array(CONTEXTS);
		this.alo = new Uint32Array(CONTEXTS * OF_CONTEXT);
		this.ahi = new Uint32Array(CONTEXTS * OF_CONTEXT);
	}
	clear() {
		for (const name of Object.keys(this))
			this[name].fill(0);
	}
}
const coder = new Coder();
let scratch = new Events(0);

function readRow(b, e, k, kind) {
	const row = { kind: b.upto(FORMAT.rows.length - 1), masklo: e.masklo[k], maskhi: e.maskhi[k], pc: e.alo[k], split: e.split[k],
		flags: 0, rpc: -1, n: 0, m: 0, otherlo: 0, otherhi: 0 };
	if (kind === LEAVE)
		return row;
	if (e.ahi[k])
		b.bad();
	row.pc = row.pc === NO_PC ? -1 : row.pc;
	row.flags = b.upto(65535);
	row.rpc = b.upto(4294967295) - 1;
	row.n = b.upto(4294967295);
	row.m = b.upto(4294967295);
	b.varint();
	row.otherlo = b.lo;
	row.otherhi = b.hi;
	return row;
}

function decodeEvents(raw, sms) {
	if (scratch.cycle.length < raw.length / 3)
		scratch = new Events(Math.ceil(raw.length / 3));
	const b = new Bytes(raw), e = scratch, c = coder;
	let cycle = 0, sm = 0, warp = 0, k = 0;
	c.clear();
	e.rows = [];
	for (; !b.ended; k++) {
		const tag = raw[b.p++];
		let kind = tag & FORMAT.tag_kind;
		if (kind === KIND_FOLLOWS && (kind = b.varint()) < KIND_FOLLOWS || kind >= KINDS)
			throw new TraceError("an event of unknown kind");
		if (!(tag & SAME_CYCLE)) {
			b.zigzag();
			cycle += (b.hi | 0) * 4294967296 + b.lo;
			if (cycle < 0 || cycle > Number.MAX_SAFE_INTEGER)
				b.bad();
		}
		if (!(tag & SAME_WARP)) {
			sm = b.upto(sms - 1);
			warp = b.upto(65535);
		}
		const x = (sm * OF_SM + warp) % CONTEXTS;
		if (!(tag & SAME_MASK)) {
			b.varint();
			c.masklo[x] = b.lo;
			c.maskhi[x] = b.hi;
		}
		if (!(tag & SAME_SPLIT)) {
			c.split[x] = b.upto(65535);
			c.depth[x] = b.upto(65535);
		}
		const at = x * OF_CONTEXT + kind;
		let lo = kind === ISSUE ? c.pclo[x] + 1 : c.alo[at], hi = kind === ISSUE ? c.pchi[x] : c.ahi[at];
		b.zigzag();
		lo += b.lo;
		hi = (hi + b.hi + Math.floor(lo / 4294967296)) >>> 0;
		c.alo[at] = lo >>> 0;
		c.ahi[at] = hi;
		if (kind === ISSUE) {
			c.pclo[x] = lo >>> 0;
			c.pchi[x] = hi;
		}
		b.varint();
		e.cycle[k] = cycle;
		e.kind[k] = kind;
		e.sm[k] = sm;
		e.warp[k] = warp;
		e.masklo[k] = c.masklo[x];
		e.maskhi[k] = c.maskhi[x];
		e.split[k] = c.split[x];
		e.depth[k] = c.depth[x];
		e.alo[k] = lo >>> 0;
		e.ahi[k] = hi;
		e.blo[k] = b.lo;
		e.bhi[k] = b.hi;
		if (kind >= ENTER && kind <= LEAVE) {
			e.row[k] = e.rows.length;
			e.rows.push(readRow(b, e, k, kind));
		}
		if (b.p > raw.length)
			b.bad();
	}
	return e.copy(k);
}

function readLaunch(raw, version) {
	const b = new Bytes(raw), strings = [""], l = {};
	const shared = () => {
		const k = b.upto(strings.length);
		if (k === strings.length)
			strings.push(b.string());
		return strings[k];
	};
	for (const name of ["kernel", "machine", "model"])
		l[name] = b.string();
	for (const name of ["configuration", "changed", "passes"])
		l[name] = version > 1 ? b.string() : "";
	l.grid = [0, 0, 0].map(() => b.upto(4294967295));
	l.block = [0, 0, 0].map(() => b.upto(4294967295));
	l.warpSize = b.upto(FORMAT.most_lanes) || b.bad();
	l.sms = b.upto(FORMAT.most_sms) || b.bad();
	const n = b.upto(Math.min(FORMAT.most_ins, Math.floor((raw.length - b.p) / FORMAT.ins_bytes)));
	l.timed = version > 2 && b.upto(1) === 1;
	l.schedulers = version > 2 ? b.upto(FORMAT.most_schedulers) : 0;
	l.reasons = version > 2 ? Array.from({ length: b.upto(FORMAT.most_reasons) }, () => b.string()) : [];
	l.run = version > 3 ? b.upto(2147483647) : -1;
	l.stream = version > 3 ? b.upto(2147483647) : 0;
	l.started = version > 3 ? b.varint() : 0;
	l.ins = [];
	for (let k = 0, line = 0; k < n; k++) {
		const i = { function: shared(), block: shared(), text: shared(), file: shared() };
		b.zigzag();
		i.line = line += (b.hi | 0) * 4294967296 + b.lo;
		const flags = b.upto(FORMAT.block_start | FORMAT.branch | FORMAT.overhead | FORMAT.inserted);
		i.branch = !!(flags & FORMAT.branch);
		i.overhead = !!(flags & FORMAT.overhead);
		i.inserted = !!(flags & FORMAT.inserted);
		l.ins.push(i);
	}
	if (!b.ended)
		b.bad();
	l.chunks = [];             // of events: { at, raw, stored }
	return l;
}

// A trace: its launches, with the places of their chunks. What came before any damage can be looked at; `damage` says what is wrong.
class Trace {
	static async open(u8) {
		const t = new Trace();
		t.u8 = u8;
		t.launches = [];
		t.damage = null;
		t.cache = new Map();       // by chunk: a promise of its events; those asked for last come last
		t.cached = 0;              // bytes in the cache
		if (u8.length < FORMAT.header_bytes || FORMAT.magic.some((byte, k) => u8[k] !== byte))
			throw new TraceError("this is not a trace");
		t.version = get32(u8, FORMAT.magic.length);
		if (t.version < FORMAT.oldest_version || t.version > FORMAT.version)
			throw new TraceError(`trace format version ${t.version}; this page reads versions ${FORMAT.oldest_version} to ${FORMAT.version}`);
		try {
			await t.findChunks();
		} catch (e) {
			if (!(e instanceof TraceError))
				throw e;
			t.damage = `byte ${t.at}: ${e.message}`;
		}
		return t;
	}

	async findChunks() {
		const u8 = this.u8, early = "the trace ends too early: it was truncated, or its writer did not finish";
		this.at = FORMAT.header_bytes;
		for (;;) {
			if (this.at + FORMAT.chunk_bytes > u8.length)
				throw new TraceError(early);
			const kind = u8[this.at], raw = get32(u8, this.at + 1), stored = get32(u8, this.at + 5);
			const c = { at: this.at + FORMAT.chunk_bytes, raw, stored };
			if (kind === CHUNK.END)
				return;
			if (!(kind in MOST_RAW) || (this.version < 3 && (kind === CHUNK.STATE || kind === CHUNK.INDEX)))
				throw new TraceError("a chunk of unknown kind");
			if (!raw || raw > MOST_RAW[kind] || stored > raw + (raw >> 3) + 128 || raw > stored * FORMAT.deflate_ratio)
				throw new TraceError("a chunk with an impossible length");
			if (c.at + stored > u8.length)
				throw new TraceError(early);
			await this.addChunk(kind, c);
			this.at = c.at + stored;
		}
	}

	async addChunk(kind, c) {
		const l = this.launches[this.launches.length - 1];
		if (kind === CHUNK.LAUNCH)
			this.launches.push(readLaunch(await this.raw(c), this.version));
		else if (kind === CHUNK.EVENTS && !l)
			throw new TraceError("events before the first launch");
		else if (kind === CHUNK.EVENTS)
			l.chunks.push(c);
	}

	raw(c) { return inflate(this.u8.subarray(c.at, c.at + c.stored), c.raw); }

	has(c) { return this.cache.has(c); }

	// The events of a chunk; the last ones asked for are kept.
	events(l, c) {
		let e = this.cache.get(c);
		if (e)
			this.cache.delete(c);
		else
			e = this.decode(l, c);
		this.cache.set(c, e);
		return e;
	}

	async decode(l, c) {
		const e = decodeEvents(await this.raw(c), l.sms);
		this.cached += c.bytes = e.bytes;
		for (const old of this.cache.keys()) {
			if (this.cached <= MOST_CACHED)
				break;
			if (old !== c && old.bytes) {
				this.cached -= old.bytes;
				old.bytes = 0;
				this.cache.delete(old);
			}
		}
		return e;
	}
}
