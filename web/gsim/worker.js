// Runs one command in a fresh instance of gsim. In: { module, files: texts or bytes by path, args, results: paths }.
// Out: { said: [[kind, text], ...] }, as often as there is something to say, and in the end { end: { status, results: bytes by path } }.
"use strict";
const MOST_SAID = 4 << 20;             // bytes of each kind; what comes behind them is left out
const SAY_AFTER = 50;                  // milliseconds

class Teller {
	constructor() {
		this.said = [];
		this.last = performance.now();
		this.amount = { out: 0, err: 0, progress: 0 };
	}

	say(kind, text) {
		this.amount[kind] += text.length;
		if (this.amount[kind] - text.length > MOST_SAID)
			return;
		this.said.push([kind, this.amount[kind] > MOST_SAID ? `${text.slice(0, MOST_SAID)}\n(what follows is left out)\n` : text]);
		if (performance.now() - this.last > SAY_AFTER)
			this.flush();
	}

	flush() {
		if (this.said.length)
			postMessage({ said: this.said });
		this.said = [];
		this.last = performance.now();
	}
}

// A stream of bytes, handed on in lines. On a terminal gsim tells how far it is by texts that replace each other, each behind a return and a sign that clears the line.
class Stream {
	constructor(teller, kind) {
		this.teller = teller;
		this.kind = kind;
		this.bytes = new Uint8Array(256);
		this.n = 0;
		this.decoder = new TextDecoder();
		this.cleared = false;          // nothing but how far the run is can stand at the begin of the line
	}

	put(byte) {
		if (this.n === this.bytes.length) {
			const larger = new Uint8Array(2 * this.n);
			larger.set(this.bytes);
			this.bytes = larger;
		}
		this.bytes[this.n++] = byte;
		if (byte === 10 || this.n >= 1 << 16)
			this.flush();
		else if (byte === 75 && this.n > 3 && this.bytes[this.n - 2] === 91 && this.bytes[this.n - 3] === 27 && this.bytes[this.n - 4] === 13)
			this.clear();
	}

	take(n) {
		const text = this.decoder.decode(this.bytes.subarray(0, n), { stream: true });
		this.n = 0;
		return text;
	}

	// Hands on n bytes of a line, what tells how far the run is apart from the rest.
	tell(n) {
		const text = this.take(n), progress = this.cleared ? /^(run \d+ of \d+: )?\d+ cycles, \d+ warp instructions/.exec(text)?.[0] ?? "" : "";
		if (progress)
			this.teller.say("progress", progress);
		if (text.length > progress.length)
			this.teller.say(this.kind, text.slice(progress.length));
	}

	clear() {
		this.tell(this.n - 4);
		this.cleared = true;
	}

	flush() {
		if (this.n)
			this.tell(this.n);
		this.cleared = false;
	}
}

function putFiles(FS, files) {
	for (const [path, text] of Object.entries(files)) {
		FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
		FS.writeFile(path, text);
	}
	FS.chdir("/input");
}

function takeResults(FS, paths) {
	return Object.fromEntries(paths.filter(path => FS.analyzePath(path).exists).map(path => [path, FS.readFile(path)]));
}

onmessage = async ({ data }) => {
	const teller = new Teller(), out = new Stream(teller, "out"), err = new Stream(teller, "err");
	let status = 4, results = {};
	try {
		const instantiateWasm = (imports, done) => {
			const instance = new WebAssembly.Instance(data.module, imports);
			done(instance, data.module);
			return instance.exports;
		};
		const { FS, callMain } = await createGsim({ instantiateWasm, printErr: text => teller.say("err", `${text}\n`) });
		FS.getStream(1).tty.ops = { put_char: (tty, byte) => out.put(byte), fsync() {}, flush() {} };
		FS.getStream(2).tty.ops = { put_char: (tty, byte) => err.put(byte), fsync() {}, flush() {} };
		putFiles(FS, data.files);
		status = callMain(data.args);
		results = takeResults(FS, data.results);
	} catch (e) {
		out.flush();
		err.flush();
		teller.say("err", `error: the run has ended here: ${e.message || e}\n`);
	}
	out.flush();
	err.flush();
	teller.flush();
	postMessage({ end: { status, results } }, Object.values(results).map(bytes => bytes.buffer));
};
