// What the page holds, compressed: the program, machines, examples, and the lists of mechanisms and passes.
"use strict";
const $ = id => document.getElementById(id);

class PageError extends Error {}       // something that the user is to be told

function bytesOfBase64(text) {
	const s = atob(text), bytes = new Uint8Array(s.length);
	for (let k = 0; k < s.length; k++)
		bytes[k] = s.charCodeAt(k);
	return bytes;
}

// Texts come from strangers, in links: no more than `most` bytes are made of them.
async function inflate(bytes, format, most) {
	const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader(), parts = [];
	let n = 0;
	for (let r = await reader.read(); !r.done; r = await reader.read()) {
		n += r.value.length;
		if (n > most) {
			await reader.cancel();
			throw new PageError(`it would be larger than ${most} bytes`);
		}
		parts.push(r.value);
	}
	return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function textOfBytes(bytes) { return new TextDecoder().decode(bytes); }

function unpack(id) { return inflate(bytesOfBase64($(id).textContent.replace(/\s+/g, "")), "gzip", 1 << 28); }

// What an older browser has not.
function missing() {
	const wanted = { WebAssembly: "WebAssembly", DecompressionStream: "DecompressionStream", CompressionStream: "CompressionStream", Worker: "workers" };
	return Object.keys(wanted).filter(name => typeof globalThis[name] === "undefined").map(name => wanted[name]);
}
