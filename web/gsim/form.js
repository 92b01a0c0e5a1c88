// The form: machine, mechanism, passes and the rest; the kernel and its workload; links and files that fill it.
"use strict";

const OF_THE_MACHINE = "of the machine";
const FORM = ["workload", "arguments", "mode", "machine", "model", "passes", "options"];
let store, editors;
let input = { name: "kernel", sources: {} };       // what the form does not hold
let example = "", own = null;                       // the example chosen, "" for the user's own input; and that, as it was before an example was chosen
let last = null;                                   // the last run: see run.js

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
	const boxes = models.map(name => make("label", { title: text(name) }, make("input", { type: "checkbox", value: name, checked: true }), ` ${name}`));
	$("models").replaceChildren(make("div", {}, ...buttons), ...boxes);
}

// An item of gsim --list: a line about it, and lines about its source and parameters, in columns.
function helpItem(item) {
	const [first, ...rest] = item.text.split("\n").map(l => l.trim().replace(/ {2,}/g, ": "));
	const about = make("p", {}, make("b", { textContent: item.name }), first.slice(item.name.length).replace(/^:? ?/, ": "));
	return make("section", { className: "item" }, about, make("ul", {}, ...rest.map(textContent => make("li", { textContent }))));
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
	document.title = `${input.name} - gsim`;
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
	$("example").value = example = String(k);
}

// What the user has written stays while examples are looked at.
function pickExample() {
	if (!example)
		own = readForm();
	if ($("example").value)
		openExample(+$("example").value);
	else if (own)
		writeForm(own);
}

function becomeOwn() {
	$("example").value = example = "";
	$("example").options[0].hidden = false;
}

// A tab that is loaded again has what the user wrote in it; a browser may refuse to keep it.
function keep() {
	try {
		sessionStorage.setItem("gsim", example ? "" : JSON.stringify(readForm()));
	} catch (e) {
		own = readForm();
	}
}

function recall() {
	try {
		const kept = JSON.parse(sessionStorage.getItem("gsim") || "null");
		if (kept)
			writeForm(kept);
	} catch (e) {
		own = null;
	}
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
	becomeOwn();
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
		becomeOwn();
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
	warn([...large.map(([name]) => `${name} is larger than ${LINK_MOST} bytes.`),
		...others.map(name => `${name}: expected a kernel (.ir, .ptx), a workload (.lua) or a source (.cu, .h).`)].join(" "));
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

