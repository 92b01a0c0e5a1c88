// What the page and its reader, a worker, both need. FORMAT, which gsim writes in front of this, has the numbers and names of the trace format.
"use strict";

const KIND = FORMAT.kind;

class TraceError extends Error {}      // of the trace, not of the page

function countBits(v) {
	v -= v >>> 1 & 0x55555555;
	v = (v & 0x33333333) + (v >>> 2 & 0x33333333);
	return ((v + (v >>> 4) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
