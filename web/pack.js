// Puts gsim.html together: node web/pack.js SOURCE-TREE FOLDER-WITH-gsim.js-AND-gsim.wasm PAGE. What the page offers comes from the tree: machines from configs/,
// examples by web/gsim/examples, mechanisms and passes from the program itself.
"use strict";
const fs = require("fs"), path = require("path"), zlib = require("zlib");
const [top, wasm, page] = process.argv.slice(2);
const createGsim = require(path.resolve(wasm, "gsim.js"));
const scripts = ["store.js", "link.js", "runner.js", "editor.js", "lines.js", "source.js", "grid.js", "form.js", "run.js", "page.js"];

function read(file) { return fs.readFileSync(path.join(top, file), "utf8"); }

// The items of gsim --list: a line that begins an item at its first column, and lines below that belong to it.
async function list(what) {
	const lines = [], quit = (status, e) => { throw e; };
	const module = await createGsim({ wasmBinary: fs.readFileSync(path.join(wasm, "gsim.wasm")), print: line => lines.push(line), quit });
	const status = module.callMain(["gsim", "--list", what]), items = [];
	for (const line of lines.filter(Boolean))
		if (/^\s/.test(line))
			items[items.length - 1].text += `\n${line}`;
		else
			items.push({ name: line.match(/^\S+/)[0], text: line });
	if (status || !items.length)
		throw new Error(`gsim --list ${what}: status ${status}, ${items.length} items`);
	return items;
}

function example(group, kernel, machine) {
	const base = kernel.replace(/\.\w+$/, ""), beside = end => fs.existsSync(path.join(top, base + end));
	if (!fs.existsSync(path.join(top, "configs", machine + ".lua")))
		throw new Error(`web/gsim/examples: ${kernel}: there is no configs/${machine}.lua`);
	return {
		group, machine: machine + ".lua", name: path.basename(base), module: read(kernel), workload: beside(".lua") ? read(base + ".lua") : "",
		sources: beside(".cu") ? { [path.basename(base) + ".cu"]: read(base + ".cu") } : {},
	};
}

function examples() {
	const found = [];
	let group = "";
	for (const line of read("web/gsim/examples").split("\n"))
		if (line.startsWith("= "))
			group = line.slice(2);
		else if (line && !line.startsWith("#"))
			found.push(example(group, ...line.split(" ")));
	return found;
}

// The Lua files of a folder below configs/ ("": of configs/ itself): { name: text }.
function configs(folder) {
	const names = fs.readdirSync(path.join(top, "configs", folder)).filter(f => f.endsWith(".lua")).sort();
	return Object.fromEntries(names.map(f => [folder + f, read(`configs/${folder}${f}`)]));
}

// As text for a script element: base64 in lines.
function packed(bytes) { return zlib.gzipSync(bytes, { level: 9 }).toString("base64").replace(/.{120}/g, "$&\n"); }

async function pack() {
	const worker = fs.readFileSync(path.join(wasm, "gsim.js"), "utf8") + read("web/gsim/worker.js");
	const store = { models: await list("models"), passes: await list("passes"), machines: configs(""), tables: configs("tables/"), examples: examples(), worker };
	const parts = {
		STYLE: read("web/gsim/gsim.css"),
		STORE: packed(JSON.stringify(store)),
		WASM: packed(fs.readFileSync(path.join(wasm, "gsim.wasm"))),
		SCRIPT: scripts.map(f => read(`web/gsim/${f}`)).join("\n"),
	};
	fs.writeFileSync(page + ".new", read("web/gsim/gsim.html").replace(/@(STYLE|STORE|WASM|SCRIPT)@/g, (s, name) => parts[name]));
	fs.renameSync(page + ".new", page);
}
pack().catch(e => {
	console.error(`web/pack.js: ${e.message}`);
	process.exit(1);
});
