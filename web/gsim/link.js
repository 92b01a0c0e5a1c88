// A link that holds the input: JSON, compressed, in the digits of base64 for addresses, behind "#input=". What stands in a link comes from a stranger.
"use strict";
const LINK_MOST = 4 << 20;             // bytes of input that a link may hold
const LINK_FIELDS = ["name", "module", "workload", "arguments", "mode", "machine", "model", "passes", "options"];

async function encodeLink(input) {
	const bytes = new Uint8Array(await new Response(new Blob([JSON.stringify(input)]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
	let s = "";
	for (const b of bytes)
		s += String.fromCharCode(b);
	return "#input=" + btoa(s).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function inflateLink(digits) {
	if (!/^[\w-]*$/.test(digits))
		throw new PageError("it has signs that no link has");
	try {
		return textOfBytes(await inflate(bytesOfBase64(digits.replaceAll("-", "+").replaceAll("_", "/")), "deflate", LINK_MOST));
	} catch (e) {
		throw e instanceof PageError ? e : new PageError("it is damaged, or a part of it is missing");
	}
}

function isTexts(v, most) {
	return v && typeof v === "object" && !Array.isArray(v) && Object.keys(v).length <= most && Object.values(v).every(t => typeof t === "string");
}

// The input that an address holds: texts by the names of LINK_FIELDS, `models`, a list of texts, and `sources`, texts by the names of files. NULL: none.
async function decodeLink(hash) {
	if (hash.length < 2)
		return null;
	if (!hash.startsWith("#input="))
		throw new PageError("it does not begin as a link of this page does");
	let input;
	try {
		input = JSON.parse(await inflateLink(hash.slice(7)));
	} catch (e) {
		throw e instanceof PageError ? e : new PageError("what it holds is no input of this page");
	}
	const lists = isTexts(input?.sources ?? {}, 16) && Array.isArray(input?.models ?? []) && (input.models ?? []).every(t => typeof t === "string");
	if (!isTexts(input && typeof input === "object" ? { ...input, models: "", sources: "" } : null, 32) || !lists || typeof input.module !== "string")
		throw new PageError("what it holds is no input of this page");
	return input;
}
