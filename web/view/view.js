// One trace on the page: a launch of it, a warp, a moment, and pictures of them that stay in step.
"use strict";

const MOST_CHUNKS_SHOWN = 16;      // of a time line: a longer span is cut

// Has event i of e all lanes of event j of x?
function holds(e, i, x, j) { return !(x.masklo[j] & ~e.masklo[i]) && !(x.maskhi[j] & ~e.maskhi[i]); }

class View {
	constructor(trace, title, sources) {
		this.trace = trace;
		this.sources = sources;
		this.element = document.getElementById("view").content.firstElementChild.cloneNode(true);
		this.$ = name => this.element.querySelector("." + name);
		this.$("name").textContent = title;
		this.lanes = new Canvas(this.$("lanes"), "lanes of the warp over time, coloured by block");
		this.warps = new Canvas(this.$("warps"), "warps of the SM over time, coloured by block");
		this.figures = new Canvas(this.$("figures"), "mean lanes of an issue and what cycles go into, over the launch");
		this.graph = new GraphPanel(this.$("graph"));
		this.shown = [];           // chunks of events within the window
		this.moved = () => {};     // told of each new moment
		this.listen();
	}

	listen() {
		const press = (name, f) => this.$(name).addEventListener("click", () => void f());
		this.$("launch").addEventListener("change", () => void this.openLaunch(+this.$("launch").value));
		this.$("sm").addEventListener("change", () => void this.setWarp(+this.$("sm").value, -1));
		this.$("warp").addEventListener("change", () => void this.setWarp(this.sm, +this.$("warp").value));
		this.$("cycle").addEventListener("change", () => void this.goToCycle(+this.$("cycle").value || 0));
		press("first", () => this.goToEnd(-1));
		press("back", () => this.stepIssue(-1));
		press("forward", () => this.stepIssue(1));
		press("divergence", () => this.goToNext("divergence", 1));
		press("meeting", () => this.goToNext("meeting", 1));
		press("play", () => this.play());
		press("closer", () => this.zoom(0.5));
		press("farther", () => this.zoom(2));
		for (const c of [this.lanes, this.warps])
			this.dragging(c.element);
		this.figures.element.addEventListener("click", e => void this.goToCycle(Math.floor(e.offsetX / this.figures.element.clientWidth * (this.survey.last + 1))));
	}

	// A drag moves the window, a click sets the moment.
	dragging(element) {
		let x0 = -1, from0 = 0, far = false;
		element.addEventListener("pointerdown", e => { x0 = e.offsetX; from0 = this.from; far = false; element.setPointerCapture(e.pointerId); });
		element.addEventListener("pointermove", e => {
			if (x0 < 0 || (!far && Math.abs(e.offsetX - x0) < 4))
				return;
			far = true;
			void this.setWindow(from0 - (e.offsetX - x0) / element.clientWidth * (this.to - this.from), this.to - this.from);
		});
		element.addEventListener("pointerup", e => {
			if (!far && x0 >= 0)
				void this.goToCycle(Math.floor(this.from + e.offsetX / element.clientWidth * (this.to - this.from)), element === this.warps.element ? e.offsetY : -1);
			x0 = -1;
		});
		element.addEventListener("wheel", e => { e.preventDefault(); void this.zoom(e.deltaY > 0 ? 1.25 : 0.8); }, { passive: false });
	}

	fill(name, list, value) {
		this.$(name).replaceChildren(...list.map(([v, text]) => new Option(text, v)));
		this.$(name).value = value;
	}

	async openLaunch(number) {
		this.stop();
		this.launch = this.trace.launches[number];
		this.survey = new Survey(this.trace, this.launch);
		const survey = this.survey, l = this.launch;
		this.fill("launch", this.trace.launches.map((x, k) => [k, `${k}: ${x.kernel}${x.run > 0 ? ` (run ${x.run})` : ""}`]), number);
		this.$("settings").textContent = `kernel ${l.kernel}, grid (${l.grid.join(", ")}), block (${l.block.join(", ")}), machine ${l.machine}, model ${l.model}, ${l.sms} SMs, warps of ${l.warpSize}` +
			(l.passes ? `, passes ${l.passes}` : "") + (l.changed ? `, ${l.changed}` : "") + (l.timed ? "" : ", functional: cycles are issues of an SM");
		let then = performance.now();
		while (!survey.ended && this.survey === survey) {
			try {
				await survey.step();
			} catch (e) {
				if (!(e instanceof TraceError))
					throw e;
				say("message", `launch ${number}, byte ${l.chunks[survey.done].at}: ${e.message}; what came before is shown`);
				l.chunks.length = survey.done;
				break;
			}
			if (performance.now() - then > 100) {
				say("progress", `read ${survey.done} of ${l.chunks.length} parts, ${survey.issues} issues`);
				await new Promise(f => setTimeout(f));
				then = performance.now();
			}
		}
		if (this.survey !== survey)
			return;
		say("progress", "");
		this.colours = blockColours(survey.blocks);
		this.graph.build(this);
		this.buildCode();
		this.buildSums();
		this.state = null;
		const span = Math.max(8, Math.min(survey.last + 1, 400));
		this.from = Math.max(0, Math.min(survey.firstIssue - span / 20, survey.last + 1 - span));
		this.to = this.from + span;
		const first = survey.warps.values().next().value;
		await this.setWarp(first ? first.sm : 0, first ? first.slot : 0);
	}

	// The slots of the SM in which warps have issued.
	slots() { return [...this.survey.warps.values()].filter(w => w.sm === this.sm).map(w => w.slot).sort((a, b) => a - b); }

	async setWarp(sm, slot) {
		this.sm = sm;
		const slots = this.slots();
		this.slot = slots.includes(slot) ? slot : slots[0] ?? 0;
		this.fill("sm", [...new Set([...this.survey.warps.values()].map(w => w.sm))].sort((a, b) => a - b).map(k => [k, k]), sm);
		this.fill("warp", slots.map(k => [k, k]), this.slot);
		await this.goToEnd(-1);
	}

	// ---- the moment: an event; the state shown is that at the end of it ----

	async events(k) { return this.trace.events(this.launch, this.launch.chunks[k]); }

	isOurs(e, i) { return e.kind[i] === KIND.ISSUE && e.sm[i] === this.sm && e.warp[i] === this.slot; }

	// Looks from event `index` of chunk k on, forward or back, for one that is wanted: [k, index], or null.
	async find(k, index, direction, wanted) {
		for (; k >= 0 && k < this.launch.chunks.length; k += direction, index = direction > 0 ? 0 : Infinity) {
			const e = await this.events(k);
			for (let i = direction > 0 ? index : Math.min(index, e.n - 1); i >= 0 && i < e.n; i += direction)
				if (wanted(e, i))
					return [k, i];
		}
		return null;
	}

	async goToEnd(direction) {
		const last = this.launch.chunks.length - 1;
		const at = await this.find(direction < 0 ? 0 : last, direction < 0 ? 0 : Infinity, -direction, (e, i) => this.isOurs(e, i));
		if (at)
			await this.setMoment(...at);
		else
			this.draw();
	}

	async stepIssue(direction) { return this.step(direction, (e, i) => this.isOurs(e, i)); }
	async stepEvent(direction) { return this.step(direction, () => true); }

	async step(direction, wanted) {
		if (this.chunk === undefined)
			return false;
		const at = await this.find(this.chunk, this.index + direction, direction, wanted);
		if (at)
			await this.setMoment(...at);
		return !!at;
	}

	async goToCycle(cycle, y = -1) {
		const slots = this.slots();
		if (y >= 0 && slots.length)
			this.slot = slots[Math.min(slots.length - 1, Math.floor(y / this.warps.element.clientHeight * slots.length))];
		this.$("warp").value = this.slot;
		const k = this.survey.chunkAt(cycle), ours = (e, i) => this.isOurs(e, i);
		const e = await this.events(k);
		let index = 0;
		while (index < e.n && e.cycle[index] <= cycle)
			index++;
		const at = await this.find(k, index - 1, -1, ours) ?? await this.find(k, index, 1, ours);
		if (at)
			await this.setMoment(...at);
	}

	// A divergence: an issue of a branch behind which the lanes that made it no longer run together. A meeting: an issue that has all lanes of the
	// warp's issue before it, and more.
	async goToNext(what, direction) {
		let at = [this.chunk, this.index];
		for (;;) {
			at = await this.find(at[0], at[1] + direction, direction, (e, i) => this.isOurs(e, i));
			if (!at)
				return false;
			if (await (what === "divergence" ? this.parts(...at) : this.meets(...at)))
				break;
		}
		await this.setMoment(...at);
		return true;
	}

	async parts(k, i) {
		const e = await this.events(k), ins = this.launch.ins[e.alo[i]];
		if (!ins || !ins.branch)
			return false;
		const next = await this.find(k, i + 1, 1, (x, j) => this.isOurs(x, j));
		if (!next)
			return false;
		const x = await this.events(next[0]), j = next[1];
		return holds(e, i, x, j) && !holds(x, j, e, i);
	}

	async meets(k, i) {
		const last = await this.find(k, i - 1, -1, (x, j) => this.isOurs(x, j));
		if (!last)
			return false;
		const e = await this.events(k), x = await this.events(last[0]), j = last[1];
		return holds(e, i, x, j) && !holds(x, j, e, i);
	}

	// The state is shown as it is at the end of the moment's cycle, like gsim-trace --stack; of a functional run, at the end of that of the SM.
	async setMoment(k, index) {
		const turn = this.turn = (this.turn || 0) + 1, e = await this.events(k), cycle = e.cycle[index], timed = this.launch.timed;
		const next = await this.find(k, index + 1, 1, (x, j) => x.cycle[j] > cycle && (timed || x.sm[j] === e.sm[index]));
		const end = next ?? [this.launch.chunks.length - 1, this.survey.chunks[this.launch.chunks.length - 1].n];
		let state = this.state;
		if (state && this.end && this.end[0] === end[0] && this.end[1] <= end[1]) {
			const x = await this.events(end[0]);
			for (let i = this.end[1]; i < end[1]; i++)
				state.step(x, i);
		} else {
			state = await this.survey.stateAt(...end);
		}
		if (turn !== this.turn) {
			this.state = null;
			return;
		}
		Object.assign(this, { chunk: k, index, end, state, now: e, cycle });
		if (cycle < this.from || cycle >= this.to)
			await this.setWindow(cycle - (this.to - this.from) / 4, this.to - this.from);
		else
			await this.loadShown();
		this.show();
		this.moved(this);
	}

	// ---- the window of the time lines ----

	async zoom(by) {
		const middle = this.cycle >= this.from && this.cycle < this.to ? this.cycle : (this.from + this.to) / 2, span = Math.max(8, (this.to - this.from) * by);
		await this.setWindow(middle - (middle - this.from) * span / (this.to - this.from), span);
	}

	async setWindow(from, span) {
		span = Math.min(span, Math.max(8, this.survey.last + 1));
		this.from = Math.max(0, Math.min(from, this.survey.last + 1 - span));
		this.to = this.from + span;
		const first = this.survey.chunkAt(this.from), end = this.survey.chunks[first + MOST_CHUNKS_SHOWN];
		if (end && end.first < this.to)
			this.to = Math.max(this.from + 8, end.first);
		await this.loadShown();
		this.draw();
	}

	async loadShown() {
		const shown = [];
		for (let k = this.survey.chunkAt(this.from); k < this.survey.chunks.length && this.survey.chunks[k].first < this.to; k++)
			shown.push(await this.events(k));
		this.shown = shown;
	}

	// ---- pictures ----

	draw() {
		if (!this.launch || !this.colours)
			return;
		const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
		Object.assign(this, { ink: colour("--ink"), shade: colour("--shade"), good: colour("--good") });
		drawLanes(this.lanes, this, this.shown, Math.max(96, this.launch.warpSize * 4));
		drawWarps(this.warps, this, this.shown, Math.min(320, Math.max(24, this.slots().length * 8)));
		drawFigures(this.figures, this, 110);
		this.$("span").textContent = `cycles ${Math.round(this.from)} to ${Math.round(this.to)}`;
		this.$("slots").textContent = `(${this.slots().length} of SM ${this.sm})`;
	}

	show() {
		const { launch: l, now: e, index: k, state } = this, w = state.warp(this.sm, this.slot), lanes = new Map();
		this.$("event").textContent = eventLine(l, e, k);
		this.$("cycle").value = this.cycle;
		this.$("state").textContent = this.stateText(w);
		const pcs = new Map();
		for (const r of w.table[TABLE_SPLITS]) {
			const n = countBits(r.masklo) + countBits(r.maskhi), b = this.survey.blockOf[r.pc];
			pcs.set(r.pc, (pcs.get(r.pc) || 0) + n);
			if (b !== undefined)
				lanes.set(b, (lanes.get(b) || 0) + n);
		}
		const pc = e.kind[k] === KIND.ISSUE ? e.alo[k] : -1;
		this.graph.mark(lanes, this.survey.blockOf[pc]);
		this.markCode(pc, pcs);
		this.draw();
	}

	stateText(w) {
		const l = this.launch, text = (lo, hi) => lanesText(lo, hi, l.warpSize);
		if (this.trace.version < 3)
			return "A trace of this version does not tell the state of mechanisms.";
		let s = `SM ${w.sm}, warp ${w.slot}: thread block ${w.block}, warp ${w.index} of it, lanes ${text(w.laneslo, w.laneshi)}` +
			`${w.endedlo || w.endedhi ? `, ended ${text(w.endedlo, w.endedhi)}` : ""}, depth ${w.depth}\n`;
		w.table.forEach((rows, t) => {
			if (rows.length)
				s += `  ${names.tables[t]}\n`;
			rows.forEach((_, i) => {
				const at = t === TABLE_STACK ? rows.length - 1 - i : i, r = rows[at], ins = l.ins[r.pc];
				s += `    ${String(at).padStart(3)}  ${text(r.masklo, r.maskhi)}  ${rowText(l, r)}${ins && ins.file && ins.line ? `  // ${ins.file}:${ins.line}` : ""}\n`;
			});
		});
		return s;
	}

	// ---- instructions and source, with counters ----

	codeLine(cells, text, colour) {
		const line = document.createElement("div");
		line.className = "line";
		for (const c of cells)
			line.append(Object.assign(document.createElement("span"), { textContent: c }));
		const dot = document.createElement("i");
		if (colour !== undefined)
			dot.style.background = cssColour(colour);
		line.append(dot, text);
		return line;
	}

	buildCode() {
		const { survey, launch: l } = this, lines = [this.codeLine(["here", "issues", "lanes"], "mean lanes of an issue")];
		this.lineOf = [];
		l.ins.forEach((i, pc) => {
			const b = survey.blockOf[pc];
			if (survey.blocks[b].pc === pc) {
				const head = this.codeLine(["", "", ""], `${i.block}:`, this.colours[b]);
				head.classList.add("block");
				lines.push(head);
			}
			const n = survey.issuesOf[pc], line = this.codeLine(["", n || "", n ? (survey.lanesOf[pc] / n).toFixed(1) : ""], `${pc}  ${i.text}`);
			line.classList.toggle("added", i.overhead || i.inserted);
			line.title = `${i.overhead ? "added by lowering; " : i.inserted ? "inserted by a pass; " : ""}${i.file}:${i.line}`;
			line.dataset.pc = pc;
			this.lineOf.push(line);
			lines.push(line);
		});
		this.$("code").replaceChildren(...lines);
		this.marked = [];
		this.buildSource();
	}

	buildSource() {
		const { launch: l, survey } = this, times = new Map();
		for (const i of l.ins)
			if (Object.hasOwn(this.sources, i.file))
				times.set(i.file, (times.get(i.file) || 0) + 1);
		const file = [...times.keys()].sort((a, b) => times.get(b) - times.get(a))[0];
		this.$("sourcebox").hidden = !file;
		this.sourceOf = [];
		if (!file)
			return;
		const issues = new Map();
		l.ins.forEach((i, pc) => { if (i.file === file) issues.set(i.line, (issues.get(i.line) || 0) + survey.issuesOf[pc]); });
		this.$("file").textContent = file;
		this.sourceOf = this.sources[file].split("\n").map((text, k) => this.codeLine([issues.get(k + 1) || "", k + 1], text));
		this.sourceFile = file;
		this.$("source").replaceChildren(...this.sourceOf);
	}

	markCode(pc, pcs) {
		for (const line of this.marked) {
			line.classList.remove("here");
			if (line.dataset.pc)
				line.firstElementChild.textContent = "";
		}
		this.marked = [];
		for (const [at, n] of pcs)
			if (this.lineOf[at]) {
				this.lineOf[at].firstElementChild.textContent = n;
				this.marked.push(this.lineOf[at]);
			}
		const i = this.launch.ins[pc], source = i && i.file === this.sourceFile ? this.sourceOf[i.line - 1] : null;
		for (const line of [this.lineOf[pc], source])
			if (line) {
				line.classList.add("here");
				this.marked.push(line);
				const box = line.parentElement;
				if (line.offsetTop < box.scrollTop + box.offsetTop || line.offsetTop > box.scrollTop + box.offsetTop + box.clientHeight - 30)
					box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 3;
			}
	}

	buildSums() {
		const s = { events: this.survey.events, last_cycle: this.survey.last, ...this.survey.sums };
		this.$("sums").replaceChildren(...Object.entries(s).map(([name, n]) => {
			const row = document.createElement("tr");
			row.append(...[name, n].map(text => Object.assign(document.createElement("td"), { textContent: text })));
			return row;
		}));
		this.$("legend").replaceChildren("above: mean lanes of an issue", ...(this.launch.timed ? ["; below: ", ...["issues", ...this.launch.reasons].flatMap((r, k) => {
			if (k && !isShown(this.launch, k - 1))
				return [];
			const dot = Object.assign(document.createElement("span"), { textContent: "■ " });
			dot.style.color = k ? reasonColour(k - 1) : "var(--good)";
			return [dot, r + "  "];
		})] : []));
	}

	// ---- playing ----

	stop() { clearInterval(this.timer); this.timer = 0; }
	play() {
		if (this.timer)
			return this.stop();
		let busy = false;
		this.timer = setInterval(async () => {
			if (busy)
				return;
			busy = true;
			if (!await this.stepIssue(1))
				this.stop();
			busy = false;
		}, 150);
	}
}
