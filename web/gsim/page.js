// The page: an example or what the user writes goes to gsim in a worker; its report, the source with figures, the trace and the kernel after the passes come back.
"use strict";

const OF_THE_MACHINE = "of the machine", MOST_JSON = 1 << 28;
const TABS = ["report", "source", "trace", "grid", "code", "help"];
const FORM = ["workload", "arguments", "mode", "machine", "model", "passes", "options"];
let store, runner, editors, sourceView, gridView;
let input = { name: "kernel", sources: {} };       // what the form does not hold
let last = null;                                   // the last run: { input, runs: [{ name, report }], traces: [path], files: bytes by path }
let stale = new Set();                             // panels that have to be made when they are shown

// ---- what the user is told ----

function say(text) { $("state").textContent = text; }

function warn(text) {
	$("message").textContent = text;
	$("message").hidden = !text;
}

// ---- the form ----

function fillSelect(id, list, title = () => "") { $(id).replaceChildren(...list.map(v => Object.assign(new Option(v.replace(/\.lua$/, ""), v), { title: title(v) }))); }

function fillExamples() {
	const groups = new Map();
	for (const [k, x] of store.examples.entries()) {
		if (!groups.has(x.group))
			groups.set(x.group, make("optgroup", { label: x.group }));
		groups.get(x.group).append(new Option(x.name, k));
	}
	$("example").replaceChildren(make("option", { value: "", textContent: "your own", hidden: true }), ...groups.values());
}

function fillModels() {
	const models = store.models.map(m => m.name), text = name => store.models.find(m => m.name === name)?.text ?? "";
	fillSelect("model", [OF_THE_MACHINE, ...models], text);
	const buttons = [["all", true], ["none", false]].map(([textContent, on]) => {
		const button = make("button", { type: "button", textContent });
		button.addEventListener("click", () => { modelBoxes().forEach(b => { b.checked = on; }); countModels(); });
		return button;
	});
	$("models").replaceChildren(make("div", {}, ...buttons), ...models.map(name => make("label", { title: text(name) }, make("input", { type: "checkbox", value: name, checked: true }), ` ${name}`)));
}

// An item of gsim --list: a line about it, and lines about its source and parameters, in columns.
function helpItem(item) {
	const [first, ...rest] = item.text.split("\n").map(l => l.trim().replace(/ {2,}/g, ": "));
	return make("section", { className: "item" }, make("p", {}, make("b", { textContent: item.name }), first.slice(item.name.length).replace(/^:? ?/, ": ")), make("ul", {}, ...rest.map(textContent => make("li", { textContent }))));
}

function modelBoxes() { return [...$("models").querySelectorAll("input")]; }

function countModels() { $("models-count").textContent = `${modelBoxes().filter(b => b.checked).length} of ${modelBoxes().length}`; }

function setMode() {
	const grid = $("mode").value === "grid";
	$("model-label").hidden = grid;
	$("models-menu").hidden = !grid;
	$("record").parentElement.hidden = grid;
	countModels();
}

function setName(name) {
	input.name = name.replace(/[^\w.-]/g, "_").replace(/^[.-]+/, "").slice(0, 80) || "kernel";
	$("name").textContent = fileName();
}

function extensionOf(text) { return text.slice(0, 1 << 14).replace(/\/\*[^]*?\*\/|\/\/.*/g, "").trimStart().startsWith(".version") ? "ptx" : "ir"; }
function moduleFile(from) { return `${from.name}.${extensionOf(from.module)}`; }
function fileName() { return moduleFile({ name: input.name, module: editors.module.text }); }

function openExample(k) {
	const x = store.examples[k];
	input.sources = { ...x.sources };
	editors.module.text = x.module;
	editors.workload.text = x.workload;
	setName(x.name);
	$("machine").value = x.machine;
	$("model").value = OF_THE_MACHINE;
	$("arguments").value = "";
	$("example").value = String(k);
}

// All that a run needs, and a link holds.
function readForm() {
	const form = Object.fromEntries(FORM.map(f => [f, $(f).value]));
	return { ...form, name: input.name, module: editors.module.text, workload: editors.workload.text, sources: { ...input.sources },
		models: form.mode === "grid" ? modelBoxes().filter(b => b.checked).map(b => b.value) : [] };
}

// Puts one choice into a list that may not have it.
function choose(id, value, absent) {
	if ([...$(id).options].some(o => o.value === value))
		$(id).value = value;
	else
		absent.push(value);
}

function writeForm(from) {
	const absent = [];
	input.sources = {};
	for (const [file, text] of Object.entries(from.sources ?? {}))
		input.sources[file.replace(/[^\w.-]/g, "_")] = text;
	editors.module.text = from.module;
	editors.workload.text = from.workload ?? "";
	setName(from.name ?? "kernel");
	for (const id of ["arguments", "passes", "options"])
		$(id).value = from[id] ?? "";
	for (const id of ["mode", "machine", "model"])
		if (from[id] !== undefined)
			choose(id, from[id], absent);
	if (from.mode === "grid")
		for (const box of modelBoxes())
			box.checked = !from.models?.length || from.models.includes(box.value);
	$("example").value = "";
	setMode();
	if (absent.length)
		warn(`This page has no ${absent.map(a => `“${a.slice(0, 40)}”`).join(" and no ")}, which the link asks for.`);
}

async function openLink() {
	try {
		const from = await decodeLink(location.hash);
		if (from)
			writeForm(from);
		return !!from;
	} catch (e) {
		warn(`The link in the page's address cannot be read: ${e.message}.`);
		if (!(e instanceof PageError))
			throw e;
		return false;
	}
}

async function share() {
	const hash = await encodeLink(readForm());
	history.replaceState(null, "", hash);
	const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
	say(`the page's address holds the input now (${number(location.href.length)} characters)${copied ? ", and is copied" : ""}`);
}

// ---- files ----

async function openFiles(list) {
	const files = await Promise.all([...list].slice(0, 32).map(async f => [f.name, f.size <= LINK_MOST ? await f.text() : null]));
	const large = files.filter(([, text]) => text === null), others = [];
	if (files.some(([name]) => /\.(ir|ptx)$/.test(name)))
		input.sources = {};
	for (const [name, text] of files.filter(([, t]) => t !== null)) {
		$("example").value = "";
		if (/\.(ir|ptx)$/.test(name)) {
			editors.module.text = text;
			setName(name.replace(/\.\w+$/, ""));
		} else if (/\.lua$/.test(name)) {
			editors.workload.text = text;
		} else if (/\.(cu|cuh|cl|h|hpp)$/.test(name)) {
			input.sources[name.replace(/[^\w.-]/g, "_")] = text;
		} else {
			others.push(name);
		}
	}
	warn([...large.map(([name]) => `${name} is larger than ${LINK_MOST} bytes.`), ...others.map(name => `${name}: expected a kernel (.ir, .ptx), a workload (.lua) or a source (.cu, .h).`)].join(" "));
	if (last && Object.keys(input.sources).length)
		showSource();
}

function save(name, content) {
	const a = make("a", { href: URL.createObjectURL(new Blob([content])), download: name });
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}

// What can be saved now: names with what makes the content.
function savable() {
	const name = input.name, list = [[fileName(), () => editors.module.text], [`${name}.lua`, () => editors.workload.text]];
	if (!last)
		return list;
	const of = last.input.name;
	list.push([`${of}.report.txt`, () => $("report").textContent]);
	for (const [path, bytes] of Object.entries(last.files))
		list.push([path.replace(/^.*\//, "").replace(/^report\./, `${of}.report.`), () => bytes]);
	if (last.traces.length)
		list.push([`${of}.trace.html`, () => last.page ?? makeTracePage()]);
	if (last.pipelines.length)
		list.push([`${of}.passes.ir`, async () => { await makeCode(); return $("code").textContent; }]);
	return list;
}

function fillSaves() {
	$("saves").replaceChildren(...savable().map(([name, content]) => {
		const button = make("button", { type: "button", textContent: name });
		button.addEventListener("click", async () => {
			$("saving").open = false;
			const made = await content();
			if (made !== null)
				save(name, made);
		});
		return button;
	}));
}

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
	for (const [name, text] of Object.entries(store.machines))
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
		const found = /^(?:.*, passes .*: ?)?([\w.-]+):(\d+):(?:(\d+):)? (error|warning|note): ([^\n]*)/.exec(text), span = make("span", { className: /(^|: )error: /.test(text) ? "err error" : "err" });
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
	say(stopped ? "stopped" : `exit status ${status}, ${((performance.now() - begin) / 1000).toFixed(2)} seconds`);
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
	const texts = new Map(Object.entries({ ...last.input.sources, ...input.sources, [moduleFile(last.input)]: last.input.module }).map(([name, text]) => [name, text.split(/\r?\n/)]));
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
	const made = await derive(["gsim-trace", "--html", "-o", "/input/trace.html", ...last.traces.map(t => t.replace("/input/", ""))], traces, "/input/trace.html", "");
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

// ---- the beginning ----

function listen() {
	$("example").addEventListener("change", () => openExample(+$("example").value));
	$("mode").addEventListener("change", setMode);
	$("models").addEventListener("change", countModels);
	$("module").addEventListener("input", () => setName(input.name));
	$("open").addEventListener("click", () => $("file").click());
	$("file").addEventListener("change", async () => { await openFiles($("file").files); $("file").value = ""; });
	$("saving").addEventListener("toggle", fillSaves);
	$("share").addEventListener("click", () => void share());
	$("run").addEventListener("click", () => void run());
	$("stop").addEventListener("click", () => runner.stop());
	for (const tab of TABS)
		$("tab-" + tab).addEventListener("click", () => showTab(tab));
	$("wide").addEventListener("click", () => {
		$("input").hidden = !$("input").hidden;
		$("wide").setAttribute("aria-pressed", $("input").hidden);
	});
	$("tab-report").parentElement.addEventListener("keydown", onTabKey);
	addEventListener("keydown", e => {
		if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
			e.preventDefault();
			void run();
		}
	});
	addEventListener("click", e => document.querySelectorAll(".menu[open]").forEach(m => { m.open = m.contains(e.target); }));
	addEventListener("hashchange", () => void openLink());
	addEventListener("dragover", e => e.preventDefault());
	addEventListener("drop", e => {
		if (e.dataTransfer?.files.length) {
			e.preventDefault();
			void openFiles(e.dataTransfer.files);
		}
	});
}

async function start() {
	const lacking = missing();
	if (lacking.length) {
		warn(`This browser has no ${lacking.join(", no ")}: gsim needs a newer one (Chromium 103, Firefox 113, Safari 16.4, or later).`);
		return say("");
	}
	const [text, module] = await Promise.all([unpack("store"), unpack("wasm").then(bytes => WebAssembly.compile(bytes))]);
	store = JSON.parse(textOfBytes(text));
	runner = new Runner(store.worker, module);
	editors = { module: new Editor("module"), workload: new Editor("workload") };
	sourceView = new SourceView($("source"));
	gridView = new GridView($("grid"), rows => void lookAt(rows));
	fillExamples();
	fillModels();
	fillSelect("machine", Object.keys(store.machines));
	$("pass-names").replaceChildren(...store.passes.map(p => make("option", { value: p.name })));
	$("model-list").replaceChildren(...store.models.map(helpItem));
	$("pass-list").replaceChildren(...store.passes.map(helpItem));
	openExample(Math.max(0, store.examples.findIndex(x => x.name === "short_circuit")));
	setMode();
	await openLink();
	listen();
	say("");
	performance.mark("ready");
	document.documentElement.dataset.ready = "yes";
}

start().catch(e => {
	warn(`The page cannot start: ${e.message}.`);
	say("");
	throw e;
});
