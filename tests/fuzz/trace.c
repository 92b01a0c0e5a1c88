/* Hostile traces. The seeds are unpacked, so that mutations reach what lies inside the compressed chunks: a seed is a
 * version of the format (1 byte), then kinds (1 byte) with length (4 bytes) and content. To be read it is packed again,
 * with lengths and checksum that are right; then it is damaged once more from outside. */
#include "tests/fuzz/fuzz.h"
#include "lib/strbuf.h"
#include "traces/export.h"
#include "traces/format.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

bool fuzz_unpack_trace(Bytes *b, const char *path)
{
	const uint8_t *p = (const uint8_t *)b->p, *end = p + b->n;
	StrBuf out = { 0 };
	sb_putc(&out, b->n > 8 ? (char)p[8] : 0);
	for (p += HEADER_BYTES; p + CHUNK_BYTES <= end && *p != CHUNK_END;) {
		uLongf raw = get_u32(p + 1), stored = get_u32(p + 5);
		uint8_t *content = xmalloc(raw), head[5] = { *p };
		if (stored > (size_t)(end - p) - CHUNK_BYTES || uncompress(content, &raw, p + CHUNK_BYTES, stored) != Z_OK) {
			free(content);
			break;
		}
		put_u32(head + 1, (uint32_t)raw);
		sb_write(&out, head, sizeof head);
		sb_write(&out, content, raw);
		free(content);
		p += CHUNK_BYTES + stored;
	}
	free(b->p);
	*b = (Bytes){ out.s, out.n };
	return out.n > 1;
}

static void pack(const uint8_t *p, size_t n, StrBuf *out)
{
	uint8_t head[HEADER_BYTES] = { 0 }, end[CHUNK_BYTES + END_BYTES] = { CHUNK_END };
	uint64_t launches = 0;
	memcpy(head, TRACE_MAGIC, 8);
	put_u32(head + 8, n && *p >= OLDEST_VERSION && *p <= TRACE_VERSION ? *p : TRACE_VERSION);
	p += n > 0;
	n -= n > 0;
	sb_write(out, head, sizeof head);
	while (n > 5) {
		size_t raw = get_u32(p + 1) < n - 5 ? get_u32(p + 1) : n - 5;
		uLongf stored = compressBound(raw);
		uint8_t *z = xmalloc(stored), chunk[CHUNK_BYTES] = { *p };
		compress2(z, &stored, p + 5, raw, 1);
		put_u32(chunk + 1, (uint32_t)raw);
		put_u32(chunk + 5, (uint32_t)stored);
		sb_write(out, chunk, sizeof chunk);
		sb_write(out, z, stored);
		free(z);
		launches += *p == CHUNK_LAUNCH;
		p += 5 + raw;
		n -= 5 + raw;
	}
	put_u32(end + 1, END_BYTES);
	put_u32(end + 5, END_BYTES);
	put_u64(end + CHUNK_BYTES, launches);
	put_u32(end + CHUNK_BYTES + 16, (uint32_t)crc32(0, (const uint8_t *)out->s, (uInt)out->n));
	sb_write(out, end, sizeof end);
}

static const char *read_with(const TraceExporter *x, const StrBuf *file)
{
	Diag d = { 0 };
	FILE *in = fmemopen(file->s, file->n, "rb"), *out = fopen("/dev/null", "w");
	if (!in || !out)
		return "no stream";
	TraceReader *r = trace_open_stream(in, "fuzz", &d);
	bool ok = r && trace_export(r, x, &TRACE_EVERYTHING, out, &d);
	const char *bad = ok && d.errors ? "accepted with errors" : !ok && d.errors != 1 ? "refused without one error" : NULL;
	trace_reader_free(r);
	fclose(out);
	diag_free(&d);
	return bad;
}

const char *fuzz_trace(const char *s, size_t n)
{
	static const TraceExporter *const all[] = { &trace_text, &trace_csv, &trace_perfetto, &trace_summary };
	StrBuf file = { 0 };
	pack((const uint8_t *)s, n, &file);
	const char *bad = NULL;
	for (int k = 0; k < 4 && !bad; k++)
		bad = read_with(all[k], &file);
	uint32_t at = fuzz_hash(s, n);
	file.s[at % file.n] ^= (char)(1 << (at >> 29));
	if (!bad)
		bad = read_with(&trace_summary, &file);
	sb_free(&file);
	return bad;
}
