// The table of a grid: a row for each run, to be looked at alone or two side by side.
"use strict";

// Cycles, or without timing what stands for them.
function timeOf(r) { return r.total?.cycles ?? r.total?.warp_instructions ?? 0; }

const GRID_COLUMNS = [
	{ title: "cycles", of: r => r.total.cycles },
	{ title: "ratio", help: "to the first row with figures", of: (r, first) => timeOf(r) / timeOf(first), text: v => v.toFixed(3) },
	{ title: "issues", help: "warp instructions", of: r => r.total.warp_instructions },
	{ title: "SIMD", help: "SIMD utilisation", of: r => r.total.simd_utilization, text: v => `${(100 * v).toFixed(1)} %` },
	{ title: "lanes lost", help: "lanes of issues that executed nothing because their threads had parted", of: r => r.total.lanes?.parted },
	{ title: "depth", help: "the largest depth of the mechanism's structure", of: r => r.total.divergence?.max_depth },
	{ title: "spills", of: r => r.total.divergence?.spills },
	{ title: "inserted", help: "warp instructions that passes inserted", of: r => r.total.inserted?.warp_instructions },
];

class GridView {
	// choose(runs): one or two { model, passes } that the user wants to look at.
	constructor(element, choose) {
		this.element = element;
		this.choose = choose;
		this.element.addEventListener("change", () => this.limit());
		this.clear();
	}

	clear() {
		const textContent = "Choose “grid” as the way to run, and mechanisms: each is run with each list of passes, and the table appears here.";
		this.element.replaceChildren(make("p", { className: "hint", textContent }));
	}

	show(report) {
		const runs = report.runs, first = runs.find(r => r.total && r.status === "ok" && r.launches?.length) ?? runs[0], most = Math.max(1, ...runs.filter(r => r.status === "ok").map(timeOf));
		const names = ["", "mechanism", "passes"].map(textContent => make("th", { scope: "col", textContent }));
		const head = make("thead", {}, make("tr", {}, ...names, ...GRID_COLUMNS.map(c => make("th", { scope: "col", textContent: c.title, title: c.help ?? "" }))));
		this.button = make("button", { type: "button", textContent: "Look at the ticked", disabled: true });
		this.button.addEventListener("click", () => this.choose(this.ticked()));
		this.boxes = runs.map(r => make("input", { type: "checkbox", disabled: r.status === "bad_input", ariaLabel: `${r.model}, passes ${r.passes || "none"}` }));
		const rows = runs.map((r, k) => this.row(r, first, most, this.boxes[k]));
		this.runs = runs;
		const say = make("p", {}, this.button, " one run, or two side by side: their sources and traces");
		this.element.replaceChildren(say, make("table", { className: "grid" }, head, make("tbody", {}, ...rows)));
	}

	row(r, first, most, box) {
		const figures = r.total && r.launches?.length !== 0, bar = timeOf(r) / most;
		const cells = figures ? GRID_COLUMNS.map((c, k) => {
			const v = c.of(r, first), cell = make("td", { textContent: !Number.isFinite(v) ? "n/a" : (c.text ?? number)(v) });
			if (!k)
				cell.style.setProperty("--bar-length", `${(70 * Math.min(1, bar)).toFixed(1)}%`);
			return cell;
		}) : [make("td", { colSpan: GRID_COLUMNS.length, className: "why", textContent: (r.error ?? r.status).split("\n")[0], title: r.error ?? "" })];
		if (figures && r.status !== "ok")
			cells.push(make("td", { className: "why", textContent: (r.error ?? r.status).split("\n")[0], title: r.error ?? "" }));
		const model = make("th", { scope: "row", textContent: r.model }), passes = make("td", { className: "text", textContent: r.passes || "none" });
		return make("tr", {}, make("td", {}, box), model, passes, ...cells);
	}

	ticked() { return this.runs.filter((r, k) => this.boxes[k].checked).map(r => ({ model: r.model, passes: r.passes || "" })); }

	limit() {
		const n = this.ticked().length;
		this.button.disabled = !n;
		for (const box of this.boxes)
			if (!box.checked && this.runs[this.boxes.indexOf(box)].status !== "bad_input")
				box.disabled = n >= 2;
	}
}
