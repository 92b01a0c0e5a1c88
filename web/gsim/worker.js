// Runs one command in a fresh instance of gsim: { wasm, files: { path: text }, args, results: paths } in, lines and the end out.
"use strict";
onmessage = async ({ data }) => {
	const tell = kind => text => postMessage({ kind, text });
	const module = await createGsim({ wasmBinary: data.wasm, print: tell("out"), printErr: tell("err") });
	const { FS } = module;
	for (const [path, text] of Object.entries(data.files)) {
		FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
		FS.writeFile(path, text);
	}
	FS.chdir("/input");
	let status;
	try {
		status = module.callMain(data.args);
	} catch (e) {
		tell("err")(`error: ${e.message || e}`);
		status = 4;
	}
	const results = {};
	for (const path of data.results)
		if (FS.analyzePath(path).exists)
			results[path] = FS.readFile(path, { encoding: "utf8" });
	postMessage({ kind: "end", status, results });
};
