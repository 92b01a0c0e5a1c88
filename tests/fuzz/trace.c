/* Hostile traces. The seeds are unpacked, so that mutations reach what lies inside the compressed chunks: a
 * seed is a version of the format (1 byte), then kinds (1 byte) with length (4 bytes) and content. To be read
 * it is packed again, with lengths and checksum that are right; then it is damaged once more from outside. */
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
		if (stored > (size_t)(end - p) - CHUNK_BYTES ||
			uncompress(content, &raw, p + CHUNK_BYTES, stored) != Z_OK) {
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

static void put_varint(StrBuf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		sb_putc(b, (char)(v | 0x80));
	sb_putc(b, (char)v);
}

static void put_chunk(StrBuf *out, int kind, const uint8_t *p, size_t raw)
{
	uLongf stored = compressBound(raw);
	uint8_t *z = xmalloc(stored), chunk[CHUNK_BYTES] = { (uint8_t)kind };
	compress2(z, &stored, p, raw, 1);
	put_u32(chunk + 1, (uint32_t)raw);
	put_u32(chunk + 5, (uint32_t)stored);
	sb_write(out, chunk, sizeof chunk);
	sb_write(out, z, stored);
	free(z);
}

/* An index whose offsets are right, of all launches and states so far; those of the seeds are of other
   files. */
typedef struct Entries { StrBuf b; uint64_t n, last; } Entries;

static void note_chunk(Entries *x, int kind, uint64_t at)
{
	if (kind != CHUNK_LAUNCH && (kind != CHUNK_STATE || !x->n))
		return;
	put_varint(&x->b, kind == CHUNK_LAUNCH ? INDEX_LAUNCH : INDEX_STATE);
	put_varint(&x->b, kind == CHUNK_LAUNCH);
	put_varint(&x->b, at - x->last);
	put_varint(&x->b, 0);
	x->last = at;
	x->n++;
}

static void put_index(StrBuf *out, const Entries *x)
{
	StrBuf b = { 0 };
	put_varint(&b, x->n);
	if (x->n)
		sb_write(&b, x->b.s, x->b.n);
	put_chunk(out, CHUNK_INDEX, (uint8_t *)b.s, b.n);
	sb_free(&b);
}

static void pack(const uint8_t *p, size_t n, StrBuf *out)
{
	uint8_t head[HEADER_BYTES] = { 0 }, end[CHUNK_BYTES + END_BYTES] = { CHUNK_END };
	uint64_t launches = 0, index = 0;
	Entries entries = { 0 };
	uint32_t version = n && *p >= OLDEST_VERSION && *p <= TRACE_VERSION ? *p : TRACE_VERSION;
	size_t last = version > 2 ? END_BYTES : OLD_END_BYTES;
	memcpy(head, TRACE_MAGIC, 8);
	put_u32(head + 8, version);
	p += n > 0;
	n -= n > 0;
	sb_write(out, head, sizeof head);
	while (n > 5) {
		size_t raw = get_u32(p + 1) < n - 5 ? get_u32(p + 1) : n - 5;
		note_chunk(&entries, *p, out->n);
		index = *p == CHUNK_INDEX ? out->n : index;
		if (*p == CHUNK_INDEX && raw & 1)
			put_index(out, &entries);
		else
			put_chunk(out, *p, p + 5, raw);
		launches += *p == CHUNK_LAUNCH;
		p += 5 + raw;
		n -= 5 + raw;
	}
	put_u32(end + 1, (uint32_t)last);
	put_u32(end + 5, (uint32_t)last);
	put_u64(end + CHUNK_BYTES, launches);
	put_u64(end + CHUNK_BYTES + 16, index);
	put_u32(end + CHUNK_BYTES + last - 4, (uint32_t)crc32(0, (const uint8_t *)out->s, (uInt)out->n));
	sb_write(out, end, CHUNK_BYTES + last);
	sb_free(&entries.b);
}

/* x: NULL for the state at some cycle. */
static const char *read_with(const TraceExporter *x, const TraceFilter *f, uint64_t cycle, const StrBuf *file)
{
	Diag d = { 0 };
	bool full = fuzz_hash(file->s, file->n) & 1; /* the disk */
	FILE *in = fmemopen(file->s, file->n, "rb"), *out = fopen(full ? "/dev/full" : "/dev/null", "w");
	if (!in || !out)
		return "no stream";
	TraceReader *r = trace_open_stream(in, "fuzz", &d);
	bool ok = r && (x ? trace_export(r, x, f, out, &d) : trace_stack(r, f, cycle, out, &d));
	const char *bad = ok && d.errors ? "accepted with errors"
		: !ok && d.errors != 1 ? "refused without one error" : NULL;
	trace_reader_free(r);
	fclose(out);
	diag_free(&d);
	return bad;
}

/* A page, which shows the sources that the trace names. */
static const char *page_with(const StrBuf *file)
{
	Diag d = { 0 };
	char *text = NULL;
	size_t n = 0;
	const char *path = fuzz_file(file->s, file->n), *bad = NULL;
	const SourceRoot sources = { NULL, around_folder(), "" };
	FILE *out = open_memstream(&text, &n);
	if (!path || !out || !sources.folder)
		return "no file";
	bool ok = trace_html(&path, &path, 1, &sources, out, &d);
	fclose(out);
	if (ok != !d.errors)
		bad = ok ? "a page is made with errors" : "a page is refused without an error";
	if (around_holds_secret(text, n))
		bad = "the page shows what it may not read";
	free(text);
	diag_free(&d);
	return bad;
}

const char *fuzz_trace(const char *s, size_t n)
{
	static const TraceExporter *const all[] = { &trace_text, &trace_csv, &trace_perfetto,
		&trace_summary };
	const TraceFilter everything = TRACE_EVERYTHING;
	StrBuf file = { 0 };
	pack((const uint8_t *)s, n, &file);
	const char *bad = NULL;
	for (int k = 0; k < 4 && !bad; k++)
		bad = read_with(all[k], &everything, 0, &file);
	uint32_t at = fuzz_hash(s, n);
	if (!bad && at % 8 == 0)
		bad = page_with(&file);
	TraceFilter some = everything; /* by the index */
	some.from = at % 900;
	some.to = some.from + (at >> 20 & 0xff);
	if (!bad)
		bad = read_with(all[at >> 26 & 3], &some, 0, &file);
	if (!bad)
		bad = read_with(NULL, &everything, at % 1200, &file);
	file.s[at % file.n] ^= (char)(1 << (at >> 29));
	if (!bad)
		bad = read_with(at >> 28 & 1 ? &trace_summary : NULL, at >> 27 & 1 ? &some : &everything,
			at % 700, &file);
	sb_free(&file);
	return bad;
}
