// Opens the traces that the page holds, each with a reader of its own, and puts two of them in step.
"use strict";

const sources = JSON.parse(document.getElementById("sources").textContent);
const views = [];
let used = null;                   // the view that keys go to

function say(text) {
	const message = document.getElementById("message");
	if (!message.textContent.includes(text))
		message.append(element("span", { textContent: text }));
}

const readerScript = URL.createObjectURL(new Blob([document.getElementById("common").textContent, document.getElementById("reader").textContent], { type: "text/javascript" }));

// A reader: questions and their answers. tell is called with news of surveys.
class Remote {
	constructor(tell) {
		this.waiting = new Map();
		this.last = 0;
		this.worker = new Worker(readerScript);
		this.worker.onmessage = ({ data }) => data.id ? this.answered(data) : tell(data);
		this.worker.onerror = e => say(`the reader: ${e.message}`);
	}

	ask(what, ...args) {
		return new Promise((resolve, reject) => {
			this.waiting.set(++this.last, { resolve, reject });
			this.worker.postMessage({ id: this.last, what, args });
		});
	}

	answered({ id, value, error, stack, ofTrace }) {
		const { resolve, reject } = this.waiting.get(id);
		this.waiting.delete(id);
		if (error === undefined)
			resolve(value);
		else
			reject(ofTrace ? new TraceError(error) : new Error(`${error}\n${stack}`));
	}
}

// Puts `to` where `from` stands: at the same visit of its warp to the same block of the source.
async function followBlock(from, to) {
	const anchor = await from.ask("anchor", from.who, from.moment.at), note = to.$("beside");
	if (!anchor)
		return;
	const { moment, block, warp, times } = await to.ask("follow", from.who, anchor), { label, visit } = anchor;
	if (moment) {
		Object.assign(to, from.who);
		to.fillWarps();
		to.setMoment(moment);
	}
	note.textContent = !warp ? `Here SM ${from.sm} has no warp ${from.slot}.` : !block ? `${label} is no block here.` : !times ? `Here the warp never comes to ${label}.`
		: times < visit ? `Visit ${times} to ${label}, the last one here; in the other trace it is visit ${visit}.` : `Visit ${visit} to ${label} in both.`;
	from.$("beside").textContent = warp && block && times ? note.textContent.replace("the last one here", "the last one there").replace("in the other trace it", "here it") : "";
}

function link(a, b) {
	const moved = (from, to) => async () => {
		if (from.figures && to.figures && from.figures.ended && to.figures.ended)
			await followBlock(from, to);
	};
	a.moved = moved(a, b);
	b.moved = moved(b, a);
	return a.moved();
}

function keysOf(v) {
	return {
		ArrowRight: event => event.shiftKey ? v.stepEvent(1) : v.step(1), ArrowLeft: event => event.shiftKey ? v.stepEvent(-1) : v.step(-1),
		ArrowDown: () => v.nextWarp(1), ArrowUp: () => v.nextWarp(-1), PageDown: () => v.pan(0.5), PageUp: () => v.pan(-0.5),
		d: () => v.goToNext("divergence", 1), D: () => v.goToNext("divergence", -1), m: () => v.goToNext("meeting", 1), M: () => v.goToNext("meeting", -1),
		" ": () => v.play(), Home: () => v.goToEnd(-1), End: () => v.goToEnd(1), "+": () => v.zoom(0.5), "-": () => v.zoom(2),
	};
}

// Keys go to the view that was used last. What a field, a button or a box that scrolls does with a key, it keeps.
function onKey(event) {
	const { target, key } = event, v = used ?? views[0], f = v && v.figures && keysOf(v)[key];
	if (!f || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || (target.tagName === "BUTTON" && key === " ") ||
		(target.matches(".scrolls") && /^(Arrow(Up|Down)|Page|Home|End| )/.test(key) && !event.shiftKey))
		return;
	event.preventDefault();
	void f(event);
}

async function openView(remote, trace, title, launch) {
	const view = new View(remote, trace, title, sources);
	document.getElementById("views").append(view.element);
	views.push(view);
	for (const name of ["focusin", "pointerdown"])
		view.element.addEventListener(name, () => { used = view; });
	await view.openLaunch(launch);
}

async function openTrace(script, alone) {
	const own = [], name = script.dataset.name, remote = new Remote(({ survey, figures, trouble }) => views.filter(v => v.remote === remote && v.number === survey).forEach(v => v.take(figures, trouble)));
	const text = script.textContent;
	script.remove();
	const trace = await remote.ask("open", text);
	if (trace.damage)
		say(`${name}: ${trace.damage}`);
	if (!trace.launches.length)
		throw new TraceError("no launch");
	const second = trace.launches.findIndex(l => l.run === 1), two = second > 0 && alone;
	const beforeAfter = two && trace.launches[0].passes !== trace.launches[second].passes;
	await openView(remote, trace, beforeAfter ? `${name}, before` : name, 0);
	if (two)
		await openView(remote, trace, `${name}, ${beforeAfter ? "after" : "run 1"}`, second);
}

// Two traces stand side by side, and of one alone its first two runs. dataset.ready: all has been read.
async function start() {
	const scripts = [...document.querySelectorAll("script[type='application/x-gsim-trace']")];
	document.addEventListener("keydown", onKey);
	listen();
	for (const script of scripts) {
		try {
			await openTrace(script, scripts.length === 1);
		} catch (e) {
			say(`${script.dataset.name}: ${e.message}`);
			if (!(e instanceof TraceError))
				throw e;
		}
	}
	document.documentElement.dataset.shown = "yes";
	await Promise.all(views.map(v => v.whole));
	if (views.length === 2)
		await link(...views);
	document.documentElement.dataset.ready = "yes";
}

// Colours and paper.
function listen() {
	const repaint = () => { pageColours = null; views.forEach(v => v.repaint()); };
	const paper = on => { document.documentElement.toggleAttribute("data-print", on); repaint(); };
	for (const media of ["(prefers-color-scheme: dark)", "print"])
		matchMedia(media).addEventListener("change", repaint);
	addEventListener("beforeprint", () => paper(true));
	addEventListener("afterprint", () => paper(false));
}
void start();
