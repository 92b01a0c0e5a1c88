// The page: listens to the user, and begins.
"use strict";

function listen() {
	$("example").addEventListener("change", pickExample);
	$("mode").addEventListener("change", setMode);
	$("models").addEventListener("change", countModels);
	for (const id of ["module", "workload"])
		$(id).addEventListener("input", () => { setName(input.name); becomeOwn(); });
	addEventListener("pagehide", keep);
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
	if (!await openLink())
		recall();
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
