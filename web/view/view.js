// One trace on the page: a launch of it, a warp, a moment, and pictures of them that stay in step. What there is to know it asks the reader.
"use strict";

const MOST_WAITING = 2;            // steps that are asked for and not yet shown: more are passed over

class View {
	constructor(remote, trace, title, sources) {
		Object.assign(this, { remote, trace, title, sources, opening: 0, waiting: 0, frame: 0, queue: Promise.resolve() });
		this.element = document.getElementById("view").content.firstElementChild.cloneNode(true);
		this.$ = name => this.element.querySelector("." + name);
		this.$("name").textContent = title;
		this.element.setAttribute("aria-label", title);
		this.lanes = new TimeLine(this.$("lanes"));
		this.warps = new TimeLine(this.$("warps"));
		this.panel = new FigurePanel(this.$("figures"));
		this.graph = new GraphPanel(this.$("graph"));
		this.code = new CodePanel(this.$);
		this.moved = async () => {};   // told of each moment that the user has chosen
		new ResizeObserver(() => { if (this.panel.isOtherwise()) this.repaint(); }).observe(this.$("figures"));
		this.listen();
	}

	ask(what, ...args) { return this.remote.ask(what, this.number, ...args); }

	// What the user asks for is done one after the other.
	act(f) {
		if (this.waiting > MOST_WAITING)
			return this.queue;
		this.waiting++;
		const done = this.queue.then(f).catch(e => {
			if (!(e instanceof TraceError))
				throw e;
			say(`${this.title}: ${e.message}`);
		}).finally(() => { this.waiting--; });
		this.queue = done.catch(() => {});
		return done;
	}

	listen() {
		const press = (name, f) => this.$(name).addEventListener("click", () => void f()), choose = (name, f) => this.$(name).addEventListener("change", () => void f(this.$(name).value));
		choose("kernel", () => this.openFirst());
		choose("launch", number => this.openLaunch(+number));
		choose("sm", sm => this.setWarp(+sm, -1));
		choose("warp", slot => this.setWarp(this.sm, +slot));
		choose("cycle", cycle => this.goToCycle(+cycle || 0));
		press("first", () => this.goToEnd(-1));
		press("end", () => this.goToEnd(1));
		press("back", () => this.step(-1));
		press("forward", () => this.step(1));
		press("divergence", () => this.goToNext("divergence", 1));
		press("divergence-back", () => this.goToNext("divergence", -1));
		press("meeting", () => this.goToNext("meeting", 1));
		press("meeting-back", () => this.goToNext("meeting", -1));
		press("play", () => this.play());
		press("closer", () => this.zoom(0.5));
		press("farther", () => this.zoom(2));
		press("save", () => this.saveFigures());
		for (const t of [this.lanes, this.warps])
			this.dragging(t.element);
		this.$("figures").addEventListener("click", e => void this.goToCycle(this.panel.cycleAt(e.clientX - this.$("figures").getBoundingClientRect().left)));
	}

	// A drag moves the window, a click sets the moment.
	dragging(canvas) {
		let x0 = -1, from0 = 0, far = false;
		canvas.addEventListener("pointerdown", e => { x0 = e.offsetX; from0 = this.from; far = false; canvas.setPointerCapture(e.pointerId); });
		canvas.addEventListener("pointermove", e => {
			if (x0 < 0 || !this.figures || (!far && Math.abs(e.offsetX - x0) < 4))
				return;
			far = this.dragged = true;
			this.setWindow(from0 - (e.offsetX - x0) / canvas.clientWidth * (this.to - this.from), this.to - this.from);
		});
		canvas.addEventListener("pointerup", e => {
			if (!far && x0 >= 0)
				void this.goToCycle(Math.floor(this.from + e.offsetX / canvas.clientWidth * (this.to - this.from)), canvas === this.warps.element ? e.offsetY : -1);
		});
		canvas.addEventListener("lostpointercapture", () => { x0 = -1; this.dragEnds(); });
		canvas.addEventListener("wheel", e => { e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.25 : 0.8); }, { passive: false });
	}

	// News of the survey waits for the end of a drag.
	dragEnds() {
		const { news } = this;
		this.dragged = this.news = null;
		if (news)
			this.take(...news);
	}

	// ---- what is shown: kernel, launch, SM, warp ----

	fill(name, list, value) {
		this.$(name).replaceChildren(...list.map(([v, text]) => new Option(text, v)));
		this.$(name).value = value;
	}

	fillLaunches(kernel) {
		const launches = this.trace.launches, kernels = [...new Set(launches.map(l => l.kernel))];
		this.fill("kernel", [["", `all (${kernels.length})`], ...kernels.map(k => [`=${k}`, k])], kernel);
		this.fill("launch", launches.map((l, k) => [k, `${k}: ${l.kernel}${l.run > 0 ? ` (run ${l.run})` : ""}`]).filter(([k]) => !kernel || kernel === `=${launches[k].kernel}`), this.number);
	}

	// The first launch of the kernel that is chosen, if that shown is of another.
	openFirst() {
		const kernel = this.$("kernel").value, of = l => !kernel || kernel === `=${l.kernel}`;
		if (of(this.launch))
			this.fillLaunches(kernel);
		else
			return this.openLaunch(this.trace.launches.findIndex(of));
	}

	async openLaunch(number) {
		this.stop();
		const turn = ++this.opening, l = this.launch = this.trace.launches[number];
		this.number = number;
		this.figures = this.moment = this.shown = this.news = null;
		this.fillLaunches(this.$("kernel").value);
		this.$("settings").textContent = `kernel ${l.kernel}, grid (${l.grid.join(", ")}), block (${l.block.join(", ")}), machine ${l.machine}, model ${l.model}, ${l.sms} SM${l.sms === 1 ? "" : "s"}, warps of ${l.warpSize}` +
			(l.passes ? `, passes ${l.passes}` : "") + (l.changed ? `, ${l.changed}` : "") + (l.timed ? "" : ", functional: cycles are issues of an SM");
		this.whole = new Promise(f => { this.ended = f; });
		const got = await this.ask("launch");
		if (turn !== this.opening)
			return;
		Object.assign(this, { ins: got.ins, blocks: got.blocks, blockOf: got.blockOf, colours: blockColours(got.blocks) });
		void this.ask("colours", Uint32Array.from(this.colours));
		this.code.build(got.ins, got.blocks, got.blockOf, this.colours, this.sources);
		this.buildLegend();
		const span = Math.max(8, Math.min(got.figures.last + 1, 400));
		this.from = Math.max(0, Math.min(got.figures.firstIssue - span / 20, got.figures.last + 1 - span));
		this.to = this.from + span;
		const first = got.figures.warps[0];
		this.sm = first ? first.sm : 0;
		this.slot = first ? first.slot : 0;
		this.take(got.figures, got.trouble);
		await this.setWarp(this.sm, this.slot);
	}

	// News of the survey of the launch.
	take(figures, trouble) {
		if (!this.blocks || (this.figures && figures.done < this.figures.done))
			return;
		if (this.dragged) {
			this.news = [figures, trouble];
			return;
		}
		const first = !this.figures, whole = figures.ended || !!trouble;
		this.figures = figures;
		this.$("progress").textContent = whole ? "" : `read so far: ${figures.done} of ${figures.of} parts, ${figures.issues.toLocaleString("en")} issues`;
		if (trouble)
			say(trouble);
		this.panel.build(this.launch, figures);
		this.buildSums();
		this.fillWarps();
		if (first || whole) {
			this.graph.build(this);
			this.code.count(figures);
			this.mark();
		}
		this.redraw();
		if (whole)
			this.ended();
	}

	// The slots of the SM in which warps have issued.
	slots() { return this.figures.warps.filter(w => w.sm === this.sm).map(w => w.slot).sort((a, b) => a - b); }

	fillWarps() {
		const sms = [...new Set(this.figures.warps.map(w => w.sm))].sort((a, b) => a - b), slots = this.slots(), key = `${this.number} ${sms} ${this.sm} ${slots}`;
		if (key !== this.filled) {
			this.fill("sm", sms.map(k => [k, k]), this.sm);
			this.fill("warp", slots.map(k => [k, k]), this.slot);
			this.axis("warps-axis", slots, 9);
			this.filled = key;
		}
		this.$("warp").value = this.slot;
	}

	// Numbers beside the rows of a picture, as many as there is room for.
	axis(name, numbers, room) {
		const box = this.$(name), n = Math.max(1, numbers.length), height = name === "warps-axis" ? this.heightOfWarps() : this.heightOfLanes(), every = 2 ** Math.max(0, Math.ceil(Math.log2(room * n / height)));
		box.style.height = `${height}px`;
		box.replaceChildren(...numbers.filter((_, k) => k % every === 0).map((text, k) => {
			const mark = element("span", { textContent: text });
			mark.style.top = `${(k * every + 0.5) / n * height}px`;
			return mark;
		}));
	}

	heightOfLanes() { return Math.max(96, this.launch.warpSize * 4); }
	heightOfWarps() { return Math.min(320, Math.max(24, this.slots().length * 8)); }

	async setWarp(sm, slot) {
		this.sm = sm;
		const slots = this.slots();
		this.slot = slots.includes(slot) ? slot : slots[0] ?? 0;
		this.fillWarps();
		this.axis("lanes-axis", Array.from({ length: this.launch.warpSize }, (_, k) => k), 12);
		await this.goToEnd(-1);
		this.redraw();
	}

	// The warp one row up or down.
	nextWarp(direction) {
		const slots = this.slots(), at = slots.indexOf(this.slot) + direction;
		return slots[at] === undefined ? undefined : this.goToCycle(this.cycle ?? 0, -1, slots[at]);
	}

	// ---- the moment ----

	get who() { return { sm: this.sm, slot: this.slot }; }
	get cycle() { return this.moment ? this.moment.cycle : undefined; }

	// Asks for a moment and shows it; false: there is none.
	go(what, ...args) {
		let found = false;
		return this.act(async () => {
			const moment = this.figures && await this.ask(what, this.who, ...args);
			if (!moment)
				return;
			found = true;
			this.setMoment(moment);
			await this.moved(this);
		}).then(() => found);
	}

	goToEnd(direction) { return this.go("end", direction); }
	stepIssue(direction) { return this.goFrom(direction, "issue"); }
	stepEvent(direction) { return this.goFrom(direction, "event"); }
	step(direction) { return this.goFrom(direction, this.$("steps").value); }
	goToNext(what, direction) { return this.goFrom(direction, what); }

	// From the moment that is shown when its turn comes.
	goFrom(direction, what) {
		let found = false;
		return this.act(async () => {
			const moment = this.moment && await this.ask("step", this.who, this.moment.at, direction, what);
			if (!moment)
				return this.tell(this.moment ? `no ${direction > 0 ? "next" : "earlier"} ${what.replace("-", " ")}` : "", true);
			found = true;
			this.setMoment(moment);
			await this.moved(this);
		}).then(() => found);
	}

	// y: the pixel of the picture of warps that was clicked on.
	goToCycle(cycle, y = -1, slot = this.slot) {
		if (!this.figures)
			return undefined;
		const slots = this.slots();
		if (y >= 0 && slots.length)
			slot = slots[Math.min(slots.length - 1, Math.floor(y / this.heightOfWarps() * slots.length))];
		this.slot = slot;
		this.fillWarps();
		return this.go("cycle", cycle);
	}

	setMoment(moment) {
		this.moment = moment;
		if (moment.cycle < this.from || moment.cycle >= this.to)
			this.setWindow(moment.cycle - (this.to - this.from) / 4, this.to - this.from);
		this.$("event").textContent = moment.event;
		this.$("state").textContent = moment.state;
		this.$("cycle").value = moment.cycle;
		this.tell(moment.said);
		this.mark();
		this.redraw();
	}

	// To screen readers; seen: to all.
	tell(text, seen = false) {
		this.$("said").textContent = text;
		this.$("said").classList.toggle("seen", seen);
	}

	// ---- the window of the time lines ----

	zoom(by) {
		if (!this.figures)
			return;
		const middle = this.cycle >= this.from && this.cycle < this.to ? this.cycle : (this.from + this.to) / 2, span = Math.max(8, (this.to - this.from) * by);
		this.setWindow(middle - (middle - this.from) * span / (this.to - this.from), span);
	}

	pan(share) { this.setWindow(this.from + share * (this.to - this.from), this.to - this.from); }

	setWindow(from, span) {
		span = Math.min(span, Math.max(8, this.figures.last + 1));
		this.from = Math.max(0, Math.min(from, this.figures.last + 1 - span));
		this.to = this.from + span;
		this.redraw();
	}

	// ---- pictures ----

	redraw() { this.frame ||= requestAnimationFrame(() => this.draw()); }

	draw() {
		cancelAnimationFrame(this.frame);
		this.frame = 0;
		if (!this.figures)
			return;
		const slots = this.slots(), window = { from: this.from, to: this.to, cycle: this.cycle }, { shown } = this;
		this.lanes.fit(this.heightOfLanes(), TICKS);
		this.warps.fit(this.heightOfWarps(), 0);
		this.lanes.draw(window);
		this.lanes.ticks(window);
		this.warps.draw(window);
		this.warps.mark(slots.indexOf(this.slot), Math.max(1, slots.length));
		this.panel.mark(window);
		this.$("span").textContent = `, cycles ${Math.round(this.from)} to ${Math.round(this.to)}${shown && shown.long ? ", coarse: zoom in for single issues" : shown && !shown.exact ? ", coarse, being read" : ""}`;
		this.$("slots").textContent = `(${slots.length} of SM ${this.sm})`;
		void this.fetchPicture();
	}

	// The picture to ask for: of the window and a quarter on each side.
	wantedPicture() {
		const more = Math.round(this.lanes.width / 4), cycles = (this.to - this.from) / this.lanes.width;
		return { number: this.number, ...this.who, slots: this.slots(), from: this.from - more * cycles, to: this.to + more * cycles, w: this.lanes.width + 2 * more };
	}

	// Is p a picture of what is shown, as large, with all of the window?
	isShown(p, edge = 0) {
		const cycles = (this.to - this.from) / this.lanes.width;
		return this.figures && p.number === this.number && p.sm === this.sm && p.slot === this.slot && p.slots.join() === this.slots().join() &&
			Math.abs((p.to - p.from) / p.w / cycles - 1) < 1e-6 && p.from <= Math.max(0, this.from - edge) && p.to >= Math.min(this.figures.last + 1, this.to + edge);
	}

	// ... and an eighth at each side for what comes next, and all that the survey has come to?
	isEnough(p) { return p && (p.whole || p.done === this.figures.done) && this.isShown(p, (this.to - this.from) / 8); }

	async fetchPicture() {
		if (this.fetching || this.isEnough(this.shown))
			return;
		this.fetching = true;
		try {
			while (this.figures && !this.isEnough(this.shown)) {
				const wanted = this.wantedPicture(), p = await this.ask("picture", wanted, "soon");
				if (!this.takePicture(p))
					break;
				if (!p.exact)
					void this.ask("picture", wanted, "exact").then(better => better && this.isShown(better) && this.takePicture(better));
			}
		} finally {
			this.fetching = false;
		}
	}

	// whole: the survey had come to all of it; what it comes to later is asked for again.
	takePicture(p) {
		if (!this.figures || p.number !== this.number || p.sm !== this.sm)
			return false;
		p.done = this.figures.done;
		p.whole = this.figures.ended || (this.launch.timed && p.to <= this.figures.last);
		this.lanes.picture = new Picture(p.lanes, this.launch.warpSize, p);
		this.warps.picture = new Picture(p.pixels, Math.max(1, p.slots.length), p);
		this.shown = p;
		this.redraw();
		return true;
	}

	// Marks where the lanes of the warp stand, and what is issued.
	mark() {
		const lanes = new Map(), { pc, places } = this.moment ?? { pc: -1, places: [] };
		for (const [at, n] of places) {
			const b = this.blockOf[at];
			if (b !== undefined)
				lanes.set(b, (lanes.get(b) || 0) + n);
		}
		this.graph.mark(lanes, this.blockOf[pc]);
		this.code.mark(pc, places);
	}

	// ---- sums and figures ----

	buildSums() {
		const { figures, launch: l } = this, stalls = l.reasons.map((name, k) => [`stalls: ${name}`, figures.bins.stall[k].reduce((n, v) => n + v, 0)]);
		const rows = [...Object.entries({ events: figures.events, last_cycle: figures.last, ...figures.sums }), ...(l.timed ? stalls : [])];
		this.$("sums").replaceChildren(...rows.map(([name, n]) => element("tr", {}, element("th", { textContent: name, scope: "row" }), element("td", { textContent: n }))));
	}

	buildLegend() {
		this.$("legend").replaceChildren(...(this.launch.timed ? ["issues", ...this.launch.reasons].flatMap((name, k) => {
			if (k && !isShown(this.launch, k - 1))
				return [];
			const dot = element("span", { textContent: "■ " });
			dot.style.color = k ? reasonColour(k - 1) : "var(--ink)";
			return [element("span", { className: "key" }, dot, name)];
		}) : []));
	}

	figuresText() { return figuresFile(this.launch, this.figures, `${this.title}: ${this.$("settings").textContent}`); }

	saveFigures() {
		if (!this.figures)
			return;
		const link = element("a", { href: URL.createObjectURL(new Blob([this.figuresText()], { type: "image/svg+xml" })), download: `${this.launch.kernel}.svg` });
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
	}

	// New colours, or another width.
	repaint() {
		if (!this.figures)
			return;
		this.panel.build(this.launch, this.figures);
		this.draw();
	}

	// ---- playing ----

	stop() {
		clearTimeout(this.timer);
		this.timer = 0;
		this.$("play").textContent = "play";
	}

	play() {
		if (this.timer)
			return this.stop();
		this.$("play").textContent = "stop";
		const next = async () => {
			if (!await this.step(1))
				return this.stop();
			if (this.timer)
				this.timer = setTimeout(next, 150);
		};
		this.timer = setTimeout(next, 0);
	}
}
