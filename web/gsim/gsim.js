// The page: an example or what the user writes goes to gsim in a worker; its report, its trace's page and the kernel after the passes come back.
"use strict";
const $ = id => document.getElementById(id);
const scripts = [...document.querySelectorAll("script[data-file]")];
const machineOf = new Map(scripts.map(s => [s.dataset.file, s.dataset.machine]));
const files = new Map(scripts.map(s => [s.dataset.file, s.textContent.replace(/^\n/, "")]));
const machines = [...files.keys()].filter(f => f.startsWith("configs/")).map(f => f.slice(8));
const models = ["of the machine", "ipdom", "token", "tf_stack", "tf_sandy", "its", "dual_path", "multi_path", "exec_mask", "dwf", "tbc", "dws", "min_pc", "mimd", "serial"];
let wasm = null, worker = null, extension = "ir";

// ---- what is in the page ----

async function inflateText(id, format) {
	const s = atob($(id).textContent.replace(/\s+/g, "")), bytes = Uint8Array.from(s, c => c.charCodeAt(0));
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format))).arrayBuffer());
}

function fillSelect(id, list, value) {
	$(id).replaceChildren(...list.map(v => new Option(v.replace(/\.lua$/, ""), v)));
	$(id).value = value;
}

function openExample(name) {
	extension = files.has(`kernels/${name}.ir`) ? "ir" : "ptx";
	$("module").value = files.get(`kernels/${name}.${extension}`);
	$("workload").value = files.get(`kernels/${name}.lua`) ?? "";
	$("machine").value = machineOf.get(`kernels/${name}.${extension}`);
}

// ---- a link that holds the input ----

async function encode(text) {
	const bytes = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
	let s = "";
	for (const b of bytes)
		s += String.fromCharCode(b);
	return btoa(s).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function decode(text) {
	const s = atob(text.replaceAll("-", "+").replaceAll("_", "/")), bytes = Uint8Array.from(s, c => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

const fields = ["module", "workload", "machine", "model", "passes", "options"];

async function share() {
	const input = Object.fromEntries(fields.map(f => [f, $(f).value]));
	location.hash = await encode(JSON.stringify({ ...input, both: $("both").checked, extension }));
	await navigator.clipboard?.writeText(location.href).catch(() => {});
	$("state").textContent = "the page's address holds the input now";
}

async function openLink() {
	if (location.hash.length < 2)
		return false;
	try {
		const input = JSON.parse(await decode(location.hash.slice(1)));
		for (const f of fields)
			if (typeof input[f] === "string")
				$(f).value = input[f];
		$("both").checked = !!input.both;
		extension = input.extension === "ptx" ? "ptx" : "ir";
		return true;
	} catch (e) {
		$("state").textContent = "the address holds no input that can be read";
		return false;
	}
}

// ---- running ----

// Words, with quotes as in a shell.
function words(text) { return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(m => m[1] ?? m[2] ?? m[3]); }

function startWorker(args, results, print) {
	return new Promise(resolve => {
		const url = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
		const input = { [`/input/kernel.${extension}`]: $("module").value };
		if ($("workload").value.trim())
			input["/input/kernel.lua"] = $("workload").value;
		for (const [path, text] of files)
			if (path.startsWith("configs/"))
				input[`/gsim/${path}`] = text;
		worker = new Worker(url);
		worker.onmessage = ({ data }) => data.kind === "end" ? resolve(data) : print(data.kind, data.text);
		worker.onerror = e => { e.preventDefault(); print("err", `error: ${e.message}`); resolve({ status: 4, results: {} }); };
		worker.stopped = () => resolve(null);
		worker.postMessage({ wasm, files: input, args, results });
	}).finally(() => {
		worker.terminate();
		worker = null;
	});
}

// gsim tells how far it is by texts that replace each other, each behind a sign that clears the line: what stands behind the last one.
function lastText(text) { return text.slice(text.lastIndexOf("\x1b[K") + 1).replace(/^\[K/, "").replace(/^.*\r/, ""); }

async function run() {
	if (worker)
		return;
	extension = /^\s*(\/\/.*\n|\s)*\.version\b/.test($("module").value) ? "ptx" : "ir";
	const passes = $("passes").value.trim(), report = $("report"), name = `kernel.${extension}`;
	const chosen = ["-c", $("machine").value, ...($("model").value === models[0] ? [] : ["-m", $("model").value]), ...(passes ? ["-p", passes] : [])];
	const args = ["gsim", ...chosen, ...(passes && $("both").checked ? ["-b"] : []), "--html", "/input/run.html", ...words($("options").value), name];
	report.replaceChildren();
	setRunning(true);
	const begin = performance.now();
	const print = (kind, text) => {
		const line = document.createElement("span"), last = lastText(text), progress = /^(run \d+ of \d+: )?\d+ cycles, \d+ warp instructions/.exec(last);
		const shown = last === text ? text : last.slice(progress ? progress[0].length : 0);
		if (progress)
			$("state").textContent = progress[0];
		if (!shown && last !== text)
			return;
		line.textContent = shown + "\n";
		line.className = /(^|: )error: /.test(shown) ? "error" : "";
		report.append(line);
	};
	const end = await startWorker(args, ["/input/run.html"], print);
	if (end && passes) {
		const code = [];
		await startWorker(["gsim-opt", "-p", passes, name], [], (kind, text) => code.push(text));
		$("code").textContent = code.join("\n");
	} else {
		$("code").textContent = "No passes: the kernel is as it was written.";
	}
	setRunning(false);
	URL.revokeObjectURL($("trace").src);
	const page = end?.results["/input/run.html"];
	if (page)
		$("trace").src = URL.createObjectURL(new Blob([page], { type: "text/html" }));
	else
		$("trace").removeAttribute("src");
	$("state").textContent = end ? `exit status ${end.status}, ${((performance.now() - begin) / 1000).toFixed(2)} seconds` : "stopped";
	document.documentElement.dataset.status = end ? end.status : "stopped";
}

function setRunning(on) {
	$("run").disabled = on;
	$("stop").disabled = !on;
	if (on) {
		$("state").textContent = "runs";
		delete document.documentElement.dataset.status;
	}
}

function stop() {
	if (!worker)
		return;
	worker.terminate();
	worker.stopped();
}

function showTab(name) {
	for (const tab of ["report", "trace", "code"]) {
		$(tab).hidden = tab !== name;
		$("tab-" + tab).setAttribute("aria-selected", tab === name);
	}
}

async function start() {
	fillSelect("machine", machines, machines.includes("teaching.lua") ? "teaching.lua" : machines[0]);
	fillSelect("model", models, models[0]);
	const examples = [...files.keys()].filter(f => /^kernels\/.*\.(ir|ptx)$/.test(f)).map(f => f.replace(/^kernels\/|\.\w+$/g, ""));
	fillSelect("example", examples, examples[0]);
	$("example").addEventListener("change", () => openExample($("example").value));
	if (!await openLink())
		openExample(examples[0]);
	for (const tab of ["report", "trace", "code"])
		$("tab-" + tab).addEventListener("click", () => showTab(tab));
	$("run").addEventListener("click", () => void run());
	$("stop").addEventListener("click", stop);
	$("share").addEventListener("click", () => void share());
	addEventListener("keydown", e => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void run(); });
	$("module").addEventListener("keydown", e => {
		if (e.key !== "Tab" || e.shiftKey)
			return;
		e.preventDefault();
		$("module").setRangeText("\t", $("module").selectionStart, $("module").selectionEnd, "end");
	});
	$("module").addEventListener("selectionchange", () => { $("lines").textContent = `line ${$("module").value.slice(0, $("module").selectionStart).split("\n").length}`; });
	wasm = await inflateText("wasm", "gzip");
	document.documentElement.dataset.ready = "yes";
}
void start();
