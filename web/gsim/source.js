// The source line by line, with what a run's report says of each line; of two runs side by side. The figures are those of the report's table `lines`.
"use strict";

const MOST_ROWS = 20000, WORST = 6;

const number = n => n.toLocaleString("en-US");
const percent = (n, all) => all ? `${(100 * n / all).toFixed(1)} %` : "";

function make(tag, attributes, ...children) {
	const e = Object.assign(document.createElement(tag), attributes);
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

// What one run says of a line, over the functions that have it.
class LineFigures {
	constructor() {
		Object.assign(this, { warp: 0, thread: 0, off: 0, added: 0, inserted: 0, lost: 0, addedLost: 0, partings: 0, cycles: 0, slots: true, stalls: {}, functions: new Set(), branches: [] });
	}

	add(l) {
		this.warp += l.warp_instructions;
		this.thread += l.thread_instructions;
		this.off += l.predicated_off;
		this.slots &&= l.inactive !== undefined;
		this.added += l.overhead?.warp_instructions ?? 0;
		this.inserted += l.inserted?.warp_instructions ?? 0;
		this.lost += l.lost ?? 0;
		this.addedLost += l.overhead_lost ?? 0;
		this.partings += l.partings ?? 0;
		this.cycles += l.cycles ?? 0;
		if (l.function)
			this.functions.add(l.function);
		for (const [reason, n] of Object.entries(l.stalls ?? {}))
			this.stalls[reason] = (this.stalls[reason] ?? 0) + n;
	}

	get issues() { return this.warp + this.added; }
	get lanes() { return this.warp && this.slots ? this.thread / this.warp : null; }
	get stalled() { return Object.values(this.stalls).reduce((a, b) => a + b, 0); }
	get divergent() { return this.branches.reduce((n, b) => n + b.divergent, 0); }
}

// A report's lines by file and line. What belongs to no line has the file "".
class LineTable {
	constructor(report) {
		const total = report.total;
		this.files = new Map();
		this.warpSize = report.configuration.values.warp_size;
		this.timed = report.mode === "timed";
		for (const l of total.lines)
			this.at(l.line ? l.file ?? "" : "", l.line ? l.line : l.function ? "added" : "none").add(l);
		for (const b of [...total.branches, ...total.partings])
			if (b.line && this.files.get(b.file ?? "")?.has(b.line))
				this.at(b.file ?? "", b.line).branches.push(b);
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
	sum(file, figure) { return [...this.files.get(file)?.values() ?? []].reduce((n, f) => n + (f[figure] ?? 0), 0); }
}

// The columns. heat: what colours a cell, the larger the hotter.
const FIGURES = [
	{ name: "issues", title: "issues", help: "instructions of this line that issued, once for each group of lanes, with those that lowering and the mechanism added", text: f => number(f.issues), heat: () => 0 },
	{ name: "lanes", title: "mean lanes", help: "lanes that executed an issue of this line, on average", text: f => f.lanes === null ? "" : f.lanes.toFixed(1), heat: (f, t) => f.lanes === null ? 0 : 1 - f.lanes / t.warpSize },
	{ name: "lost", title: "lanes lost", help: "lanes of issues, here and elsewhere, that executed nothing because their threads had parted at this line", text: f => f.lost ? number(f.lost) : "", heat: (f, t, most) => f.lost / most.lost },
	{ name: "stalled", title: "stalls", help: "cycles of schedulers in which an instruction of this line was what could not issue", text: f => f.stalled ? number(f.stalled) : "", heat: (f, t, most) => f.stalled / most.stalled },
];

function reasonsOf(stalls) { return Object.entries(stalls).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)); }

class SourceView {
	constructor(element) {
		this.element = element;
		this.rows = new Map();         // of lines, by "file:line"
		this.clear("Run the kernel: its source appears here with what each line cost.");
	}

	clear(text) { this.element.replaceChildren(make("p", { className: "hint", textContent: text })); }

	// runs: { name, report }, one or two; texts: by the names of files.
	show(runs, texts) {
		if (!runs.every(r => r.report.total?.lines)) {
			this.clear("This run has no figures by line.");
			return;
		}
		this.runs = runs;
		this.tables = runs.map(r => new LineTable(r.report));
		this.texts = texts;
		this.rows = new Map();
		const files = [...new Set(this.tables.flatMap(t => [...t.files.keys()]))].filter(Boolean), weight = f => this.tables[0].sum(f, "issues") + this.tables[0].sum(f, "stalled");
		files.sort((a, b) => weight(b) - weight(a));
		this.most = Object.fromEntries(["lost", "stalled"].map(name => [name, Math.max(1, ...this.tables.flatMap(t => files.flatMap(f => [...t.files.get(f)?.values() ?? []].map(l => l[name]))))]));
		this.element.replaceChildren(this.worst(files), ...files.map((f, k) => this.file(f, k === 0)), this.rest());
	}

	// ---- where to look first ----

	worst(files) {
		const lines = files.flatMap(f => [...new Set(this.tables.flatMap(t => [...t.files.get(f)?.keys() ?? []]))].map(l => [f, l]));
		return make("div", { className: "worst" }, ...[["lost", "most lanes lost"], ["stalled", "most stalls"]].map(([name, title]) => {
			const value = ([f, l]) => Math.max(...this.tables.map(t => t.find(f, l)?.[name] ?? 0));
			const list = lines.filter(at => value(at)).sort((a, b) => value(b) - value(a)).slice(0, WORST);
			if (!list.length)
				return make("div", {}, make("h3", { textContent: title }), make("p", { className: "hint", textContent: name === "lost" ? "no lane was lost to a parting" : this.tables[0].timed ? "none" : "a run without timing has no stalls" }));
			return make("div", {}, make("h3", { textContent: title }), make("ol", {}, ...list.map(([f, l]) => this.link(f, l, name))));
		}));
	}

	link(file, line, name) {
		const button = make("button", { type: "button" }, make("b", { textContent: `${file}:${line}` }), make("code", { textContent: (this.texts.get(file)?.[line - 1] ?? "").trim() }),
			make("span", { textContent: this.tables.map(t => number(t.find(file, line)?.[name] ?? 0)).join(" → ") }));
		button.addEventListener("click", () => this.goTo(file, line));
		return make("li", {}, button);
	}

	goTo(file, line) {
		const row = this.rows.get(`${file}:${line}`);
		if (!row)
			return;
		row.closest("details").open = true;
		this.open(row, true);
		row.scrollIntoView({ block: "center" });
		row.querySelector("button").focus({ preventScroll: true });
	}

	// ---- a file ----

	file(name, open) {
		const text = this.texts.get(name), numbers = [...new Set(this.tables.flatMap(t => [...t.files.get(name)?.keys() ?? []]))].sort((a, b) => a - b);
		const all = open && text && text.length <= MOST_ROWS, shown = all ? text.map((t, k) => k + 1) : numbers.slice(0, MOST_ROWS);
		const title = text ? all ? "" : "; lines with figures" : "; its text is not in the page, Open takes it";
		const table = make("table", { className: "lines" }, this.head(), make("tbody", {}, ...shown.map(l => this.row(name, l, text?.[l - 1] ?? ""))));
		return make("details", { className: "file", open }, make("summary", {}, make("b", { textContent: name }), `${title}: ${this.tables.map(t => `${number(t.sum(name, "issues"))} issues, ${number(t.sum(name, "lost"))} lanes lost, ${number(t.sum(name, "stalled"))} stalls`).join(" → ")}`), table);
	}

	head() {
		const columns = FIGURES.map(c => make("th", { scope: "col", textContent: c.title, title: c.help })), names = make("tr", {}, make("th", { colSpan: 2 }));
		if (this.runs.length === 1)
			return make("thead", {}, make("tr", {}, make("th", { scope: "col", textContent: "line" }), make("th", { scope: "col", textContent: "source", className: "text" }), ...columns));
		for (const run of this.runs)
			names.append(make("th", { scope: "colgroup", colSpan: FIGURES.length, textContent: run.name, className: "run" }));
		return make("thead", {}, names, make("tr", {}, make("th", { scope: "col", textContent: "line" }), make("th", { scope: "col", textContent: "source", className: "text" }),
			...columns, ...columns.map(c => c.cloneNode(true))));
	}

	cells(figures) {
		return this.tables.flatMap((t, k) => FIGURES.map((c, column) => {
			const f = figures[k], cell = make("td", { textContent: f ? c.text(f) : "", className: column ? "" : "first" });
			if (!f)
				return cell;
			const heat = c.heat(f, t, this.most);
			if (heat > 0.005)
				cell.style.setProperty("--heat", heat.toFixed(3));
			if (c.name === "stalled" && f.stalled)
				cell.title = reasonsOf(f.stalls).map(([reason, n]) => `${reason} ${number(n)}`).join("\n");
			return cell;
		}));
	}

	row(file, line, text) {
		const figures = this.tables.map(t => t.find(file, line)), any = figures.some(Boolean);
		const parts = figures.map(f => f?.divergent ?? 0), shown = make("td", { className: "text", textContent: text });
		if (parts.some(Boolean)) {
			const executed = figures.map(f => f?.branches.reduce((s, b) => s + (b.executed ?? 0), 0) ?? 0);
			shown.append(make("span", { className: "parts", title: "branches that diverged, of those that issued", textContent: `diverged ${parts.map((n, k) => `${number(n)} of ${number(executed[k])}`).join(" → ")}` }));
		}
		const at = make("th", { scope: "row" }, any ? make("button", { type: "button", textContent: line, ariaExpanded: "false", ariaLabel: `line ${line}, more` }) : String(line));
		const row = make("tr", { className: any ? "has" : "" }, at, shown, ...this.cells(figures));
		if (any) {
			this.rows.set(`${file}:${line}`, row);
			row.dataset.line = `${file}:${line}`;
			row.addEventListener("click", e => { if (!getSelection().toString() || e.target.tagName === "BUTTON") this.open(row, row.querySelector("button").ariaExpanded === "false"); });
			row.figures = figures;
		}
		return row;
	}

	// ---- a line at length ----

	open(row, on) {
		const button = row.querySelector("button");
		if ((button.ariaExpanded === "true") === on)
			return;
		button.ariaExpanded = String(on);
		if (!on) {
			row.nextElementSibling.remove();
			return;
		}
		const cell = make("td", { colSpan: 2 + FIGURES.length * this.runs.length });
		row.after(make("tr", { className: "more" }, cell));
		cell.append(make("div", { className: "mores" }, ...row.figures.map((f, k) => this.more(f, k))));
	}

	more(f, k) {
		const box = make("div", {}, this.runs.length > 1 ? make("h4", { textContent: this.runs[k].name }) : null);
		if (!f) {
			box.append("nothing issued or stalled here");
			return box;
		}
		const facts = [`warp instructions ${number(f.warp)}`, `thread instructions ${number(f.thread)}`];
		const fact = (text, n) => n && facts.push(`${text} ${number(n)}`);
		fact("lanes off by guard", f.off);
		fact("issues inserted by passes", f.inserted);
		fact("issues added by lowering and the mechanism", f.added);
		fact("partings here", f.partings);
		fact("cycles from these to the meetings", f.cycles);
		box.append(make("p", { textContent: `${[...f.functions].join(", ")}: ${facts.join("; ")}` }));
		for (const b of f.branches)
			box.append(make("p", { textContent: b.executed === undefined ? `${b.kind} in ${b.label ?? b.function}: partings ${number(b.partings)}, lanes lost ${number(b.lost)}`
				: `branch of ${b.label ?? b.function}${b.inserted ? " (inserted)" : ""}: executed ${number(b.executed)}, divergent ${number(b.divergent)}, taken by ${percent(b.lanes_taken, b.lanes) || "no"} of its lanes, lanes lost ${number(b.lost)}` }));
		if (f.stalled)
			box.append(this.bars(f));
		return box;
	}

	bars(f) {
		return make("table", { className: "bars" }, ...reasonsOf(f.stalls).map(([reason, n]) => {
			const bar = make("span", { className: "stall" });
			bar.style.width = `${Math.max(1, 100 * n / f.stalled)}%`;
			return make("tr", {}, make("th", { scope: "row", textContent: reason }), make("td", { textContent: number(n) }), make("td", {}, bar));
		}));
	}

	// ---- what belongs to no line ----

	rest() {
		const rows = [["added", "added by lowering and the mechanism"], ["none", "no instruction waited"]].filter(([line]) => this.tables.some(t => t.find("", line)));
		if (!rows.length)
			return "";
		return make("details", { className: "file", open: true }, make("summary", {}, make("b", { textContent: "without a line" })), make("table", { className: "lines" }, this.head(),
			make("tbody", {}, ...rows.map(([line, title]) => {
				const row = this.row("", line, title);
				row.querySelector("button").textContent = "–";
				return row;
			}))));
	}
}
