// Runs, and the panels that show what came of them.
"use strict";

const MOST_JSON = 1 << 28;
const TABS = ["report", "source", "trace", "grid", "code", "help"];
let runner, sourceView, gridView;
let stale = new Set();                             // panels that have to be made when they are shown

// ---- running ----

// Words, with quotes as in a shell.
function words(text) { return [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([w]) => w.replace(/"([^"]*)"|'([^']*)'/g, (q, a, b) => a ?? b)); }

// Lists of passes: blanks stand between them, except in the brackets of a pass's options.
function pipelines(text) { return [...text.replace(/\s*,\s*/g, ",").matchAll(/(?:\([^)]*(?:\)|$)|[^\s(])+/g)].map(([w]) => w); }

function filesOf(from) {
	const files = { [`/input/${moduleFile(from)}`]: from.module };
	if (from.workload.trim())
		files[`/input/${from.name}.lua`] = from.workload;
	for (const [name, text] of Object.entries(from.sources))
		files[`/input/${name}`] = text;
	for (const [name, text] of Object.entries({ ...store.machines, ...store.tables }))
		files[`/gsim/configs/${name}`] = text;
	return files;
}

function commandLine(from, how, results) {
	return ["gsim", "-c", from.machine, ...how, ...results, ...words(from.options), moduleFile(from), ...(from.arguments.trim() ? ["--", ...words(from.arguments)] : [])];
}

// The commands of what the form asks for: { args, results: paths }.
function commandOf(from, record) {
	const trace = record && from.mode !== "grid" ? [`/input/${from.name}.trace`] : [];
	const passes = pipelines(from.passes).join(" "), model = from.model === OF_THE_MACHINE ? [] : ["-m", from.model];
	const how = from.mode === "grid" ? ["--grid", ...from.models.flatMap(m => ["-m", m]), ...pipelines(passes).flatMap(p => ["-p", p])]
		: [...model, ...(passes ? ["-p", passes] : []), ...(from.mode === "both" ? ["-b"] : [])];
	const stats = ["/input/report.json", ...(from.mode === "grid" ? ["/input/report.csv", "/input/report.svg"] : [])];
	return { args: commandLine(from, how, [...trace.flatMap(t => ["-t", t]), ...stats.flatMap(s => ["-s", s])]), results: [...stats, ...trace], traces: trace };
}

// Puts what a program says into the report; messages with a place in the input lead there.
class Printer {
	constructor() {
		this.messages = { module: [], workload: [] };
		this.places = new Map([[fileName(), "module"], [`${input.name}.lua`, "workload"]]);
		$("report").replaceChildren();
	}

	print(kind, text) {
		if (kind === "progress")
			return say(text);
		if (kind === "out")
			return $("report").append(make("span", { className: "out", textContent: text }));
		for (const line of text.match(/[^\n]*\n|[^\n]+/g))
			$("report").append(this.line(line));
	}

	line(text) {
		const found = /^([\w.-]+):(\d+):(?:(\d+):)? (error|warning|note): ([^\n]*)/.exec(text);
		const span = make("span", { className: /(^|: )error: /.test(text) ? "err error" : "err" });
		const which = found && this.places.get(found[1]);
		if (!which) {
			span.textContent = text;
			return span;
		}
		const [, , line, column, kind, message] = found, button = make("button", { type: "button", textContent: text.replace(/\n$/, "") });
		this.messages[which].push({ line: +line, text: message, kind });
		button.addEventListener("click", () => editors[which].goTo(+line, +column));
		span.append(button, text.endsWith("\n") ? "\n" : "");
		return span;
	}
}

function readReport(bytes) { return bytes && bytes.length <= MOST_JSON ? JSON.parse(textOfBytes(bytes)) : null; }

function runsOf(report) {
	if (!report || report.runs)
		return [];
	return (report.before ? ["before", "after"] : [""]).map(name => ({ name, report: name ? report[name] : report }));
}

function setRunning(on) {
	$("run").disabled = on;
	$("stop").disabled = !on;
	if (on) {
		warn("");
		say("runs");
		delete document.documentElement.dataset.status;
	}
}

// What was shown of the run before goes.
function clearRun() {
	for (const e of Object.values(editors))
		e.mark([]);
	URL.revokeObjectURL($("trace-page").src);
	$("trace-page").hidden = true;
	$("trace-page").removeAttribute("src");
	$("trace-hint").hidden = false;
	$("trace-hint").textContent = "A run that is traced can be stepped through here.";
	$("code").textContent = "No passes: the kernel is as it was written.";
	sourceView.clear("This run has no figures by line.");
	last = null;
	stale = new Set();
	delete document.documentElement.dataset.trace;
}

async function runCommands(commands, finish) {
	if (runner.busy || !store)
		return;
	if ($("mode").value !== "grid" && pipelines($("passes").value).length > 1)
		return warn("Expected one list of passes, with commas between them; several lists are for a grid.");
	clearRun();
	setRunning(true);
	const from = readForm(), begin = performance.now(), printer = new Printer(), ends = [];
	for (const c of commands(from)) {
		const end = await runner.run(c.args, filesOf(from), c.results, (kind, text) => printer.print(kind, text));
		ends.push({ ...c, end });
		if (!end)
			break;
	}
	for (const [which, editor] of Object.entries(editors))
		editor.mark(printer.messages[which]);
	setRunning(false);
	const stopped = ends.some(e => !e.end), status = stopped ? "stopped" : Math.max(...ends.map(e => e.end.status));
	say(stopped ? "stopped" : `status ${status}, ${((performance.now() - begin) / 1000).toFixed(2)} s`);
	last = { input: from, runs: [], traces: [], pipelines: [], files: Object.assign({}, ...ends.map(e => e.end?.results ?? {})) };
	try {
		if (!stopped)
			finish(ends);
	} catch (e) {
		warn(`The run's results cannot be shown: ${e.message}.`);
	}
	document.documentElement.dataset.status = status;
}

function isGrid() { return last?.input.mode === "grid"; }

// Panels that a run has filled are made when they are looked at.
function refresh(panels) {
	panels.forEach(p => stale.add(p));
	makeShown();
}

function run() {
	return runCommands(from => [commandOf(from, $("record").checked)], ([{ end, traces }]) => {
		const report = readReport(end.results["/input/report.json"]), passes = pipelines(last.input.passes);
		last.pipelines = passes.filter(p => p && p !== "none");
		last.traces = traces.filter(t => end.results[t]?.length);
		last.runs = runsOf(report);
		if (report?.runs)
			gridView.show(report);
		if (report?.runs && end.status !== 2)
			showTab("grid");
		else if (end.status === 2 || document.querySelector("[aria-selected='true']").id === "tab-grid")
			showTab("report");
		refresh(["source", "trace", "code"]);
	});
}

// One row of the grid, or two side by side.
function lookAt(rows) {
	const names = rows.map(r => `${r.model}, ${r.passes || "no passes"}`), path = (k, end) => `/input/${k + 1}-${rows[k].model.replace(/[^\w]+/g, "_")}.${end}`;
	return runCommands(from => rows.map((r, k) => ({ traces: [path(k, "trace")], results: [path(k, "trace"), path(k, "json")],
		args: commandLine(from, ["-m", r.model, ...(r.passes ? ["-p", r.passes] : [])], ["-t", path(k, "trace"), "-s", path(k, "json")]) })), ends => {
		last.runs = ends.map(({ end }, k) => ({ name: names[k], report: readReport(end.results[path(k, "json")]) })).filter(r => r.report);
		last.traces = ends.flatMap(({ end, traces }) => traces.filter(t => end.results[t]?.length));
		last.pipelines = [...new Set(rows.map(r => r.passes).filter(Boolean))];
		showTab(ends.some(e => e.end.status === 2) ? "report" : "source");
		refresh(["source", "trace", "code"]);
	});
}

// ---- panels ----

function showSource() {
	const files = { ...last.input.sources, ...input.sources, [moduleFile(last.input)]: last.input.module };
	const texts = new Map(Object.entries(files).map(([name, text]) => [name, text.split(/\r?\n/)]));
	if (last.runs.length)
		sourceView.show(last.runs, texts);
}

// Another command on what the last run left; null when it fails or is stopped.
async function derive(args, files, result, wrong) {
	if (runner.busy)
		return null;
	let text = "";
	setRunning(true);
	const end = await runner.run(args, { ...filesOf(last.input), ...files }, result ? [result] : [], (kind, said) => { text += kind === wrong ? "" : said; });
	setRunning(false);
	say(end ? "" : "stopped");
	document.documentElement.dataset.status = end ? end.status : "stopped";
	return end && { status: end.status, text, bytes: end.results[result] };
}

async function makeTracePage() {
	const traces = Object.fromEntries(last.traces.map(t => [t, last.files[t]]));
	const made = await derive(["gsim-trace", "--html", "--source", ".", "-o", "/input/trace.html", ...last.traces.map(t => t.replace("/input/", ""))], traces, "/input/trace.html", "");
	last.page = made?.bytes ?? null;
	if (made && !made.bytes)
		warn(made.text || "The trace cannot be shown.");
	return last.page;
}

async function showTrace() {
	if (!last.traces.length)
		return;
	$("trace-hint").textContent = "The page of the trace is made.";
	const bytes = last.page ?? await makeTracePage();
	$("trace-hint").hidden = !!bytes;
	$("trace-hint").textContent = bytes ? "" : "The page of the trace was not made.";
	if (!bytes)
		return;
	$("trace-page").hidden = false;
	$("trace-page").src = URL.createObjectURL(new Blob([bytes], { type: "text/html" }));
	document.documentElement.dataset.trace = "made";
}

async function makeCode() {
	const texts = [];
	stale.delete("code");
	for (const p of last.pipelines) {
		const made = await derive(["gsim-opt", "-c", last.input.machine, "-p", p, moduleFile(last.input)], {}, null, "progress");
		texts.push((last.pipelines.length > 1 ? `// ${p}\n` : "") + (made?.text ?? ""));
	}
	$("code").textContent = texts.join("\n") || "No passes: the kernel is as it was written.";
}

async function makeShown() {
	const shown = TABS.find(t => !$(t).hidden), makers = { source: showSource, trace: showTrace, code: makeCode };
	if (!last || runner.busy || !stale.delete(shown))
		return;
	await makers[shown]();
	void makeShown();                  // the user may have gone to another panel meanwhile
}

function showTab(name) {
	for (const tab of TABS) {
		$(tab).hidden = tab !== name;
		$("tab-" + tab).setAttribute("aria-selected", tab === name);
		$("tab-" + tab).tabIndex = tab === name ? 0 : -1;
	}
	void makeShown();
}

function onTabKey(e) {
	const k = TABS.findIndex(t => !$(t).hidden), next = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: TABS.length - 1 }[e.key];
	if (next === undefined)
		return;
	e.preventDefault();
	showTab(TABS[(next + TABS.length) % TABS.length]);
	$("tab-" + TABS[(next + TABS.length) % TABS.length]).focus();
}

