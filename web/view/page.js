// Opens the traces that the page holds, and puts two of them in step.
"use strict";

const names = JSON.parse(document.getElementById("names").textContent);
const sources = JSON.parse(document.getElementById("sources").textContent);
const views = [];

function say(where, text) { document.getElementById(where).textContent = text; }

function bytesOf(text) {
	const s = atob(text.replace(/\s+/g, "")), u8 = new Uint8Array(s.length);
	for (let k = 0; k < s.length; k++)
		u8[k] = s.charCodeAt(k);
	return u8;
}

// The block of the source at which a view stands, and how often its warp has come to it: the same moment in the other trace.
async function followBlock(from, to) {
	const { survey, launch: l } = from, b = survey.blockOf[from.now.alo[from.index]];
	if (from.now.kind[from.index] !== KIND.ISSUE || b === undefined)
		return;
	const { label, pc } = survey.blocks[b];
	let times = 0;
	for (let k = 0; k <= from.chunk; k++) {
		const e = await from.events(k);
		for (const i of issuesBySlot(e, from.sm).get(from.slot) || [])
			if (e.alo[i] === pc && (k < from.chunk || i <= from.index))
				times++;
	}
	const there = to.survey.blocks.find(x => x.label === label);
	if (!there || !to.survey.warps.has(from.sm * 65536 + from.slot))
		return;
	to.sm = from.sm;
	to.slot = from.slot;
	let left = Math.max(1, times);
	const at = await to.find(0, 0, 1, (e, i) => to.isOurs(e, i) && e.alo[i] === there.pc && --left === 0);
	if (at)
		await to.setMoment(...at);
}

function link(a, b) {
	let busy = false;
	const moved = (from, to) => async () => {
		if (busy || !to.survey || !to.survey.ended)
			return;
		busy = true;
		await followBlock(from, to);
		busy = false;
	};
	a.moved = moved(a, b);
	b.moved = moved(b, a);
}

function onKey(event) {
	if (/^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(event.target.tagName) && event.key !== "Escape")
		return;
	const v = views[0], keys = {
		ArrowRight: () => event.shiftKey ? v.stepEvent(1) : v.stepIssue(1), ArrowLeft: () => event.shiftKey ? v.stepEvent(-1) : v.stepIssue(-1),
		d: () => v.goToNext("divergence", 1), D: () => v.goToNext("divergence", -1), m: () => v.goToNext("meeting", 1), M: () => v.goToNext("meeting", -1),
		" ": () => v.play(), Home: () => v.goToEnd(-1), End: () => v.goToEnd(1), "+": () => v.zoom(0.5), "-": () => v.zoom(2),
	};
	if (!v || !v.launch || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	void keys[event.key]();
}

async function openView(trace, title, launch) {
	const view = new View(trace, title, sources);
	document.getElementById("views").append(view.element);
	views.push(view);
	await view.openLaunch(launch);
}

// Two traces stand side by side, and of one alone its first two runs.
async function start() {
	const scripts = document.querySelectorAll("script[type='application/x-gsim-trace']"), alone = scripts.length === 1;
	for (const script of scripts) {
		try {
			const trace = await Trace.open(bytesOf(script.textContent));
			if (trace.damage)
				say("message", `${script.dataset.name}: ${trace.damage}`);
			if (!trace.launches.length)
				throw new TraceError("no launch");
			await openView(trace, script.dataset.name, 0);
			const second = trace.launches.findIndex(l => l.run === 1);
			if (second > 0 && alone)
				await openView(trace, `${script.dataset.name}, run 1`, second);
		} catch (e) {
			say("message", `${script.dataset.name}: ${e.message}`);
			if (!(e instanceof TraceError))
				throw e;
		}
	}
	if (views.length === 2)
		link(...views);
	document.addEventListener("keydown", onKey);
	let waits = 0;
	addEventListener("resize", () => { cancelAnimationFrame(waits); waits = requestAnimationFrame(() => views.forEach(v => v.draw())); });
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => views.forEach(v => v.draw()));
	document.documentElement.dataset.ready = "yes";
}
void start();
