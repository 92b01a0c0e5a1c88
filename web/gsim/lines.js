// What a run's report says of the lines of its sources: its table `lines`, and the branches and partings that stand in them.
"use strict";

function add(counts, name, n) { counts[name] = (counts[name] ?? 0) + n; }
function sum(list) { return list.reduce((a, b) => a + b, 0); }

// What one run says of a line, over the functions that have it.
class LineFigures {
	constructor() {
		Object.assign(this, { warp: 0, thread: 0, off: 0, added: 0, inserted: 0, lost: 0, partings: 0, cycles: 0 });
		this.stalls = {};
		this.functions = new Set();
		this.branches = [];            // of the report, and its other partings
		this.haveLanes = true;         // an issue has as many lanes as a warp; not so where mechanisms give each lane its own
	}

	add(l) {
		this.warp += l.warp_instructions;
		this.thread += l.thread_instructions;
		this.off += l.predicated_off;
		this.haveLanes &&= l.inactive !== undefined;
		this.added += l.overhead?.warp_instructions ?? 0;
		this.inserted += l.inserted?.warp_instructions ?? 0;
		this.lost += l.lost ?? 0;
		this.partings += l.partings ?? 0;
		this.cycles += l.cycles ?? 0;
		if (l.function)
			this.functions.add(l.function);
		const levels = Object.entries(l.memory_stalls ?? {}), of_known_level = sum(levels.map(([, n]) => n));
		for (const [reason, n] of Object.entries(l.stalls ?? {}))
			if (reason !== "memory" || n > of_known_level)
				add(this.stalls, reason, reason === "memory" ? n - of_known_level : n);
		for (const [level, n] of levels)
			add(this.stalls, `memory:${level}`, n);
	}

	get issues() { return this.warp + this.added; }
	get lanes() { return this.warp && this.haveLanes ? this.thread / this.warp : null; }
	get stalled() { return sum(Object.values(this.stalls)); }
	get executed() { return sum(this.branches.map(b => b.executed ?? 0)); }
	get divergent() { return sum(this.branches.map(b => b.divergent ?? 0)); }
	get reasons() { return Object.entries(this.stalls).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)); }
}

// A report's lines by file and line. The file "" has what belongs to no line: "added" by lowering and the mechanism; "none", cycles in which no instruction waited.
class LineTable {
	constructor(report) {
		const { lines, branches, partings } = report.total;
		this.files = new Map();
		this.warpSize = report.configuration.values.warp_size;
		this.timed = report.mode === "timed";
		for (const l of lines)
			this.at(l.line ? l.file ?? "" : "", l.line ? l.line : l.function ? "added" : "none").add(l);
		for (const b of [...branches, ...partings])
			this.find(b.file ?? "", b.line)?.branches.push(b);
	}

	at(file, line) {
		if (!this.files.has(file))
			this.files.set(file, new Map());
		const lines = this.files.get(file);
		if (!lines.has(line))
			lines.set(line, new LineFigures());
		return lines.get(line);
	}

	find(file, line) { return this.files.get(file)?.get(line); }
	linesOf(file) { return [...this.files.get(file)?.keys() ?? []]; }
	sum(file, figure) { return sum([...this.files.get(file)?.values() ?? []].map(f => f[figure])); }
	most(figure) { return [...this.files].reduce((m, [file, lines]) => [...file ? lines.values() : []].reduce((n, f) => Math.max(n, f[figure]), m), 1); }
}
