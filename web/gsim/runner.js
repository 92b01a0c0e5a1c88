// Runs commands, each in a worker and an instance of the program of its own.
"use strict";

class Runner {
	constructor(code, module) {
		this.url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
		this.module = module;
		this.end = null;               // of the command that runs
	}

	get busy() { return this.end !== null; }

	// files: texts or bytes by path; results: paths; say(kind, text): kind is out, err or progress. Gives { status, results: bytes by path }, or null when it was stopped.
	run(args, files, results, say) {
		return new Promise(resolve => {
			const worker = new Worker(this.url);
			this.end = value => {
				worker.terminate();
				this.end = null;
				resolve(value);
			};
			const end = this.end, broken = text => { say("err", `error: ${text}\n`); end({ status: 4, results: {} }); };
			worker.onmessage = ({ data }) => data.end ? end(data.end) : data.said.forEach(([kind, text]) => say(kind, text));
			worker.onerror = e => { e.preventDefault(); broken(e.message || "the browser does not start a worker"); };
			worker.onmessageerror = () => broken("the browser cannot hand the results over");
			worker.postMessage({ module: this.module, files, args, results });
		});
	}

	stop() { this.end?.(null); }
}
