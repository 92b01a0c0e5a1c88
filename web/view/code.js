// Instructions and source, with counters, and marks where the lanes of a warp stand.
"use strict";

function element(name, properties, ...children) {
	const e = Object.assign(document.createElement(name), properties);
	e.append(...children);
	return e;
}

// A line of cells and text, behind a dot of this colour.
function lineOf(cells, text, colour) {
	const line = element("div", { className: "line" }, ...cells.map(textContent => element("span", { textContent }))), dot = element("i");
	if (colour !== undefined)
		dot.style.background = cssColour(colour);
	line.append(dot, text);
	return line;
}

const MOST_LINES = 20000;          // of instructions: more are left out

class CodePanel {
	// $: finds the boxes code, source, sourcebox and file by these names.
	constructor($) {
		this.$ = $;
		this.marked = [];
	}

	build(ins, blocks, blockOf, colours, sources) {
		const lines = [lineOf(["here", "issues", "lanes"], "instruction (lanes: the mean of its issues)")];
		this.ins = ins;
		this.lines = ins.slice(0, MOST_LINES).map((i, pc) => {
			if (blocks[blockOf[pc]].pc === pc) {
				const head = lineOf(["", "", ""], `${i.block}:`, colours[blockOf[pc]]);
				head.classList.add("block");
				lines.push(head);
			}
			const line = lineOf(["", "", ""], `${pc}  ${i.text}`);
			line.classList.toggle("added", i.overhead || i.inserted);
			line.title = `${i.overhead ? "added by lowering; " : i.inserted ? "inserted by a pass; " : ""}${i.file}:${i.line}`;
			lines.push(line);
			return line;
		});
		if (ins.length > MOST_LINES)
			lines.push(lineOf(["", "", ""], `and ${ins.length - MOST_LINES} more`));
		this.marked = [];
		this.$("code").replaceChildren(...lines);
		this.buildSource(sources);
	}

	// Of the file from which most instructions come.
	buildSource(sources) {
		const times = new Map();
		for (const i of this.ins)
			if (Object.hasOwn(sources, i.file))
				times.set(i.file, (times.get(i.file) || 0) + 1);
		const file = this.file = [...times.keys()].sort((a, b) => times.get(b) - times.get(a))[0];
		this.$("sourcebox").hidden = !file;
		this.$("file").textContent = file ?? "";
		this.sourceLines = file ? sources[file].split("\n").map((text, k) => lineOf(["", k + 1], text)) : [];
		this.$("source").replaceChildren(...this.sourceLines);
	}

	count({ issuesOf, lanesOf }) {
		const issues = new Map();
		this.ins.forEach((i, pc) => {
			const n = issuesOf[pc], line = this.lines[pc];
			if (line) {
				line.children[1].textContent = n || "";
				line.children[2].textContent = n ? (lanesOf[pc] / n).toFixed(1) : "";
			}
			if (i.file === this.file)
				issues.set(i.line, (issues.get(i.line) || 0) + n);
		});
		this.sourceLines.forEach((line, k) => { line.firstElementChild.textContent = issues.get(k + 1) || ""; });
	}

	// pc: what is issued, -1: nothing; places: pairs of pc and lanes that stand there.
	mark(pc, places) {
		for (const line of this.marked) {
			line.classList.remove("here");
			line.removeAttribute("aria-current");
			if (line.parentElement === this.$("code"))
				line.firstElementChild.textContent = "";
		}
		this.marked = [];
		for (const [at, n] of places)
			if (this.lines[at]) {
				this.lines[at].firstElementChild.textContent = n;
				this.marked.push(this.lines[at]);
			}
		const i = this.ins[pc];
		for (const line of [this.lines[pc], i && i.file === this.file ? this.sourceLines[i.line - 1] : null])
			if (line)
				this.markLine(line);
	}

	markLine(line) {
		const box = line.parentElement, top = line.offsetTop - box.offsetTop;
		line.classList.add("here");
		line.setAttribute("aria-current", "true");
		this.marked.push(line);
		if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 30)
			box.scrollTop = top - box.clientHeight / 3;
	}
}
