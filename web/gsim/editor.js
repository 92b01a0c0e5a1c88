// A field for program text: line numbers beside it, messages at their lines, the tab key. It goes over a <div class="editor"> that holds a textarea.
"use strict";
const LINE_HEIGHT = 18, TAB = 4;       // pixels and columns, as gsim.css has them

class Editor {
	constructor(id) {
		const element = (tag, name) => Object.assign(document.createElement(tag), { className: name, ariaHidden: "true" });
		this.area = $(id);
		this.gutter = element("div", "gutter");
		this.numbers = element("pre", "");
		this.marks = element("div", "marks");
		this.lines = 0;
		this.free = false;             // the next tab key leaves the field
		this.gutter.append(this.numbers);
		this.area.before(this.gutter, this.marks);
		this.area.addEventListener("input", () => { this.mark([]); this.count(); });
		this.area.addEventListener("scroll", () => this.follow());
		this.area.addEventListener("keydown", e => this.onKey(e));
		this.area.addEventListener("blur", () => { this.free = false; });
	}

	get text() { return this.area.value; }
	set text(text) {
		this.area.value = text;
		this.area.scrollTo(0, 0);
		this.mark([]);
		this.count();
	}

	count() {
		const n = this.text.split("\n").length;
		if (n !== this.lines)
			this.numbers.textContent = Array.from({ length: n }, (x, k) => k + 1).join("\n");
		this.lines = n;
		this.follow();
	}

	follow() {
		this.numbers.style.transform = `translateY(${-this.area.scrollTop}px)`;
		this.marks.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
	}

	// Messages { line, text, kind } behind the text of their lines.
	mark(messages) {
		const lines = this.text.split("\n");
		this.area.setAttribute("aria-invalid", messages.some(m => m.kind === "error"));
		this.marks.replaceChildren(...messages.filter(m => m.line <= lines.length).map(m => {
			const band = Object.assign(document.createElement("div"), { className: m.kind, textContent: m.text, title: m.text });
			let columns = 0;
			for (const c of lines[m.line - 1])
				columns = c === "\t" ? columns + TAB - columns % TAB : columns + 1;
			band.style.top = `${(m.line - 1) * LINE_HEIGHT}px`;
			band.style.paddingLeft = `${columns + 2}ch`;
			return band;
		}));
		this.follow();
	}

	goTo(line, column) {
		const lines = this.text.split("\n"), at = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.max(0, (column || 1) - 1);
		this.area.focus();
		this.area.setSelectionRange(at, at);
		this.area.scrollTop = (line - 1) * LINE_HEIGHT - this.area.clientHeight / 2;
	}

	// As if it were typed, so that the browser can undo it.
	type(text) {
		if (!document.execCommand("insertText", false, text))
			this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
	}

	// Lines that are touched by the selection are moved in or out by a tab.
	shift(outwards) {
		const { selectionStart: from, selectionEnd: to } = this.area, text = this.text;
		const first = text.lastIndexOf("\n", from - 1) + 1, next = text.indexOf("\n", Math.max(from, to - 1)), end = next < 0 ? text.length : next;
		this.area.setSelectionRange(first, end);
		const old = text.slice(first, end), shifted = outwards ? old.replace(/^(\t| {1,4})/gm, "") : old.replace(/^(?=.)/gm, "\t");
		this.type(shifted);
		this.area.setSelectionRange(first, first + shifted.length);
	}

	onKey(e) {
		const { selectionStart: from, selectionEnd: to } = this.area;
		if (e.key === "Escape")
			this.free = true;
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key === "Tab" && !this.free) {
			e.preventDefault();
			if (e.shiftKey || this.text.slice(from, to).includes("\n"))
				this.shift(e.shiftKey);
			else
				this.type("\t");
		} else if (e.key === "Enter" && !e.shiftKey) {
			e.preventDefault();
			this.type("\n" + /^[ \t]*/.exec(this.text.slice(this.text.lastIndexOf("\n", from - 1) + 1, from))[0]);
		}
		if (e.key !== "Escape" && e.key !== "Shift")
			this.free = false;
	}
}
