// The source line by line, with what a run's report says of each line; of two runs side by side.
"use strict";

const MOST_ROWS = 20000, WORST = 6;

const number = n => n.toLocaleString("en-US");
const percent = (n, all) => `${(100 * n / all).toFixed(1)} %`;

function make(tag, attributes, ...children) {
	const e = Object.assign(document.createElement(tag), attributes);
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

// The columns. heat: what colours a cell, from 0 to 1; most: the largest figures of all lines.
const FIGURES = [
	{
		name: "issues", title: "issues", help: "instructions of this line that issued, once for each group of lanes, with those that lowering and the mechanism added",
		text: f => number(f.issues), heat: () => 0,
	}, {
		name: "lanes", title: "mean lanes", help: "lanes that executed an issue of this line, on average",
		text: f => f.lanes === null ? "" : f.lanes.toFixed(1), heat: (f, table) => f.lanes === null ? 0 : 1 - f.lanes / table.warpSize,
	}, {
		name: "lost", title: "lanes lost", help: "lanes of issues, here and elsewhere, that executed nothing because their threads had parted at this line",
		text: f => f.lost ? number(f.lost) : "", heat: (f, table, most) => f.lost / most.lost,
	}, {
		name: "stalled", title: "stalls", help: "cycles of schedulers in which an instruction of this line was what could not issue",
		text: f => f.stalled ? number(f.stalled) : "", heat: (f, table, most) => f.stalled / most.stalled,
	},
];

class SourceView {
	constructor(element) {
		this.element = element;
		this.clear("Run the kernel: its source appears here with what each line cost.");
	}

	clear(textContent) {
		this.rows = new Map();         // of lines, by "file:line"
		this.element.replaceChildren(make("p", { className: "hint", textContent }));
	}

	// runs: { name, report }, one or two; texts: lists of lines by the names of files.
	show(runs, texts) {
		if (!runs.every(r => r.report.total?.lines))
			return this.clear("This run has no figures by line.");
		this.runs = runs;
		this.texts = texts;
		this.rows = new Map();
		this.tables = runs.map(r => new LineTable(r.report));
		this.most = { lost: this.largest(t => t.most("lost")), stalled: this.largest(t => t.most("stalled")) };
		const files = [...new Set(this.tables.flatMap(t => [...t.files.keys()]))].filter(Boolean);
		const weight = file => this.tables[0].sum(file, "issues") + this.tables[0].sum(file, "stalled");
		files.sort((a, b) => weight(b) - weight(a));
		this.element.replaceChildren(this.worst(files), ...files.map((f, k) => this.file(f, k === 0)), this.rest());
	}

	largest(figure) { return Math.max(...this.tables.map(figure)); }
	linesOf(file) { return [...new Set(this.tables.flatMap(t => t.linesOf(file)))]; }
	both(text) { return this.tables.map(text).join(" → "); }

	// ---- where to look first ----

	worst(files) {
		const places = files.flatMap(file => this.linesOf(file).map(line => ({ file, line })));
		return make("div", { className: "worst" }, this.ranking(places, "lost", "most lanes lost", "no lane was lost to a parting"),
			this.ranking(places, "stalled", "most stalls", this.tables[0].timed ? "no stalls" : "a run without timing has no stalls"));
	}

	ranking(places, figure, title, none) {
		const list = places.map(p => ({ ...p, value: this.largest(t => t.find(p.file, p.line)?.[figure] ?? 0) })).filter(p => p.value);
		list.sort((a, b) => b.value - a.value);
		return make("div", {}, make("h3", { textContent: title }), list.length ? make("ol", {}, ...list.slice(0, WORST).map(p => make("li", {}, this.link(p, figure))))
			: make("p", { className: "hint", textContent: none }));
	}

	link({ file, line }, figure) {
		const text = (this.texts.get(file)?.[line - 1] ?? "").trim(), values = this.both(t => number(t.find(file, line)?.[figure] ?? 0));
		const button = make("button", { type: "button" }, make("b", { textContent: `${file}:${line}` }), make("code", { textContent: text }), make("span", { textContent: values }));
		button.addEventListener("click", () => this.goTo(file, line));
		return button;
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

	// The file in which most issued stands there as a whole, of others the lines with figures.
	file(name, first) {
		const text = this.texts.get(name), whole = first && text && text.length <= MOST_ROWS;
		const lines = whole ? text.map((t, k) => k + 1) : this.linesOf(name).sort((a, b) => a - b).slice(0, MOST_ROWS);
		const what = text ? whole ? "" : "; lines with figures" : "; its text is not in the page, Open takes it";
		const sums = this.both(t => `${number(t.sum(name, "issues"))} issues, ${number(t.sum(name, "lost"))} lanes lost, ${number(t.sum(name, "stalled"))} stalls`);
		return this.table(name, `${what}: ${sums}`, first, lines.map(l => this.row(name, l, text?.[l - 1] ?? "", String(l))));
	}

	table(title, more, open, rows) {
		const table = make("table", { className: "lines" }, this.head(), make("tbody", {}, ...rows));
		return make("details", { className: "file", open }, make("summary", {}, make("b", { textContent: title }), more), table);
	}

	head() {
		const heading = (textContent, more) => make("th", { scope: "col", textContent, ...more });
		const columns = this.runs.flatMap(() => FIGURES.map(c => heading(c.title, { title: c.help })));
		const titles = make("tr", {}, heading("line"), heading("source", { className: "text" }), ...columns);
		if (this.runs.length === 1)
			return make("thead", {}, titles);
		const names = this.runs.map(r => make("th", { scope: "colgroup", colSpan: FIGURES.length, textContent: r.name, className: "run" }));
		return make("thead", {}, make("tr", {}, make("td", { colSpan: 2 }), ...names), titles);
	}

	cell(column, figures, table) {
		const cell = make("td", { textContent: figures ? column.text(figures) : "", className: column === FIGURES[0] ? "first" : "" });
		const heat = figures ? column.heat(figures, table, this.most) : 0;
		if (heat > 0.005)
			cell.style.setProperty("--heat", heat.toFixed(3));
		if (figures && column.name === "stalled")
			cell.title = figures.reasons.map(([reason, n]) => `${reason} ${number(n)}`).join("\n");
		return cell;
	}

	row(file, line, text, label) {
		const figures = this.tables.map(t => t.find(file, line)), shown = make("td", { className: "text", textContent: text });
		const cells = this.tables.flatMap((t, k) => FIGURES.map(c => this.cell(c, figures[k], t)));
		if (!figures.some(Boolean))
			return make("tr", {}, make("th", { scope: "row", textContent: label }), shown, ...cells);
		if (figures.some(f => f?.divergent)) {
			const parts = figures.map(f => `${number(f?.divergent ?? 0)} of ${number(f?.executed ?? 0)}`).join(" → ");
			shown.append(make("span", { className: "parts", title: `branches that diverged: ${parts}`, textContent: this.runs.length > 1 ? "◆" : `diverged ${parts}` }));
		}
		const button = make("button", { type: "button", textContent: label, ariaExpanded: "false", ariaLabel: `line ${line}, more` });
		const row = make("tr", { className: "has", figures }, make("th", { scope: "row" }, button), shown, ...cells);
		row.dataset.line = `${file}:${line}`;
		row.addEventListener("click", e => {
			if (e.target === button || !getSelection().toString())
				this.open(row, button.ariaExpanded === "false");
		});
		this.rows.set(row.dataset.line, row);
		return row;
	}

	// ---- a line at length ----

	open(row, on) {
		const button = row.querySelector("button");
		if ((button.ariaExpanded === "true") === on)
			return;
		button.ariaExpanded = String(on);
		if (!on)
			return row.nextElementSibling.remove();
		const more = make("div", { className: "mores" }, ...row.figures.map((f, k) => this.more(f, k)));
		row.after(make("tr", { className: "more" }, make("td", { colSpan: 2 + FIGURES.length * this.runs.length }, more)));
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
		box.append(make("p", { textContent: [[...f.functions].join(", "), facts.join("; ")].filter(Boolean).join(": ") }));
		box.append(...f.branches.map(b => make("p", { textContent: this.branch(b) })));
		if (f.stalled)
			box.append(this.bars(f));
		return box;
	}

	branch(b) {
		const where = b.label ?? b.function;
		if (b.executed === undefined)
			return `${b.kind} in ${where}: partings ${number(b.partings)}, lanes lost ${number(b.lost)}`;
		return `branch of ${where}${b.inserted ? " (inserted)" : ""}: executed ${number(b.executed)}, divergent ${number(b.divergent)}, ` +
			`taken by ${b.lanes ? percent(b.lanes_taken, b.lanes) : "none"} of its lanes, lanes lost ${number(b.lost)}`;
	}

	bars(f) {
		return make("table", { className: "bars" }, ...f.reasons.map(([reason, n]) => {
			const bar = make("span", { className: "stall" });
			bar.style.width = `${Math.max(1, 100 * n / f.stalled)}%`;
			return make("tr", {}, make("th", { scope: "row", textContent: reason }), make("td", { textContent: number(n) }), make("td", {}, bar));
		}));
	}

	// ---- what belongs to no line ----

	rest() {
		const titles = { added: "added by lowering and the mechanism", none: "no instruction waited" };
		const lines = Object.keys(titles).filter(line => this.tables.some(t => t.find("", line)));
		return lines.length ? this.table("without a line", "", true, lines.map(line => this.row("", line, titles[line], "–"))) : "";
	}
}
