/* Writes traces: events are delta-encoded into a buffer, a full buffer is deflated and written. No allocation per event. */
#include "traces/format.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

_Static_assert(TR_COUNT <= sizeof((Context *)0)->a / sizeof(uint64_t), "a context has a value for each kind of event");

const char *const trace_kind_name[TR_COUNT] = {
#define X(ID, NAME, HELP) [TR_##ID] = NAME,
	TRACE_EVENTS(X)
#undef X
};

struct TraceWriter {
	FILE *f;
	char *path;
	int error;                 /* errno of the first failed write; 0 = none */
	uint64_t launches, events;
	uint32_t crc;              /* of every byte written so far */
	z_stream z;
	uint8_t *out;              /* room for deflate */
	size_t out_cap;

	uint8_t *raw;              /* EVENTS_RAW */
	size_t n;
	Coder coder;
};

static void emit(TraceWriter *w, const void *p, size_t n)
{
	w->crc = (uint32_t)crc32(w->crc, p, (uInt)n);
	if (!w->error && fwrite(p, 1, n, w->f) != n)
		w->error = errno ? errno : EIO;
}

static void emit_chunk(TraceWriter *w, int kind, uint8_t *raw, size_t n)
{
	size_t bound = deflateBound(&w->z, n);
	if (bound > w->out_cap) {
		free(w->out);
		w->out = xmalloc(w->out_cap = bound);
	}
	deflateReset(&w->z);
	w->z.next_in = raw;
	w->z.avail_in = (uInt)n;
	w->z.next_out = w->out;
	w->z.avail_out = (uInt)w->out_cap;
	must(deflate(&w->z, Z_FINISH) == Z_STREAM_END);
	size_t stored = w->out_cap - w->z.avail_out;
	uint8_t head[CHUNK_BYTES] = { (uint8_t)kind };
	put_u32(head + 1, (uint32_t)n);
	put_u32(head + 5, (uint32_t)stored);
	emit(w, head, sizeof head);
	emit(w, w->out, stored);
}

static void flush_events(TraceWriter *w)
{
	if (w->n)
		emit_chunk(w, CHUNK_EVENTS, w->raw, w->n);
	w->n = 0;
	memset(&w->coder, 0, sizeof w->coder);
}

TraceWriter *trace_create(const char *path, Diag *diag)
{
	FILE *f = fopen(path, "wb");
	if (!f) {
		diag_error(diag, (Loc){ path, 0, 0 }, "cannot write the trace: %s", strerror(errno));
		return NULL;
	}
	TraceWriter *w = xcalloc(1, sizeof *w);
	w->f = f;
	w->path = xstrdup(path);
	w->raw = xmalloc(EVENTS_RAW);
	must(deflateInit(&w->z, Z_BEST_SPEED) == Z_OK);
	uint8_t head[HEADER_BYTES] = { 0 };
	memcpy(head, TRACE_MAGIC, 8);
	put_u32(head + 8, TRACE_VERSION);
	emit(w, head, sizeof head);
	return w;
}

/* ---- the launch table ---- */

static void sb_varint(StrBuf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		sb_putc(b, (char)(v | 0x80));
	sb_putc(b, (char)v);
}

static void sb_string(StrBuf *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	sb_varint(b, n);
	sb_write(b, s ? s : "", n);
}

/* A string by its number in the order of first appearance; a new number is followed by the string. 0 is the empty one. */
static void sb_shared_string(StrBuf *b, StrMap *map, const char *s)
{
	if (!s || !*s) {
		sb_varint(b, 0);
		return;
	}
	int k = strmap_get(map, s);
	if (k >= 0) {
		sb_varint(b, (uint64_t)k);
		return;
	}
	sb_varint(b, (uint64_t)map->n + 1);
	strmap_put(map, s, map->n + 1);
	sb_string(b, s);
}

static void sb_ins(StrBuf *b, StrMap *map, const TraceIns *i, int line_before)
{
	sb_shared_string(b, map, i->function);
	sb_shared_string(b, map, i->block);
	sb_shared_string(b, map, i->text);
	sb_shared_string(b, map, i->file);
	sb_varint(b, zigzag((uint64_t)((int64_t)i->line - line_before)));
	sb_putc(b, (char)(i->block_start | i->branch << 1 | i->overhead << 2 | i->inserted << 3));
}

void trace_launch(TraceWriter *w, const TraceLaunch *l)
{
	must(l->warp_size >= 1 && l->warp_size <= MOST_LANES && l->sms >= 1 && l->sms <= MOST_SMS && l->nins >= 0 && l->schedulers <= MOST_SCHEDULERS);
	flush_events(w);
	StrBuf b = { 0 };
	StrMap map = { 0 };
	sb_string(&b, l->kernel);
	sb_string(&b, l->machine);
	sb_string(&b, l->model);
	sb_string(&b, l->configuration);
	sb_string(&b, l->changed);
	sb_string(&b, l->passes);
	for (int k = 0; k < 3; k++)
		sb_varint(&b, l->grid[k]);
	for (int k = 0; k < 3; k++)
		sb_varint(&b, l->block[k]);
	sb_varint(&b, (uint64_t)l->warp_size);
	sb_varint(&b, (uint64_t)l->sms);
	sb_varint(&b, (uint64_t)l->nins);
	sb_varint(&b, l->timed);
	sb_varint(&b, (uint64_t)l->schedulers);
	sb_varint(&b, (uint64_t)l->nreasons);
	for (int k = 0; k < l->nreasons; k++)
		sb_string(&b, l->reason[k]);
	for (int k = 0; k < l->nins; k++)
		sb_ins(&b, &map, &l->ins[k], k ? l->ins[k - 1].line : 0);
	if ((b.n > LAUNCH_RAW || l->nins > MOST_INS) && !w->error)
		w->error = EFBIG;
	emit_chunk(w, CHUNK_LAUNCH, (uint8_t *)b.s, b.n);
	strmap_free(&map);
	sb_free(&b);
	w->launches++;
}

/* ---- events ---- */

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint8_t *put_row(uint8_t *p, const TraceEvent *e)
{
	const TraceRow *r = &e->row;
	*p++ = r->kind;
	if (e->kind == TR_LEAVE)
		return p;
	p = put_varint(p, r->flags);
	p = put_varint(p, (uint32_t)(r->rpc + 1));
	p = put_varint(p, r->n);
	p = put_varint(p, r->m);
	return put_varint(p, r->other);
}

void trace_event(TraceWriter *w, const TraceEvent *e)
{
	must(w->launches && e->kind < TR_COUNT);
	if (w->n > EVENTS_RAW - EVENT_BYTES)
		flush_events(w);
	Coder *c = &w->coder;
	Context *x = coder_context(c, e->sm, e->warp);
	uint8_t *tag = w->raw + w->n, *p = tag + 1;
	*tag = e->kind < KIND_FOLLOWS ? e->kind : KIND_FOLLOWS;
	if (e->kind >= KIND_FOLLOWS)
		*p++ = e->kind;
	if (e->cycle == c->cycle)
		*tag |= TAG_SAME_CYCLE;
	else
		p = put_varint(p, zigzag(e->cycle - c->cycle));
	if (e->sm == c->sm && e->warp == c->warp) {
		*tag |= TAG_SAME_WARP;
	} else {
		p = put_varint(p, e->sm);
		p = put_varint(p, e->warp);
	}
	if (e->mask == x->mask)
		*tag |= TAG_SAME_MASK;
	else
		p = put_varint(p, e->mask);
	if (e->split == x->split && e->depth == x->depth) {
		*tag |= TAG_SAME_SPLIT;
	} else {
		p = put_varint(p, e->split);
		p = put_varint(p, e->depth);
	}
	p = put_varint(p, zigzag(e->a - coder_predict(x, e->kind)));
	p = put_varint(p, e->b);
	if (has_row(e->kind))
		p = put_row(p, e);
	c->cycle = e->cycle;
	c->sm = e->sm;
	c->warp = e->warp;
	coder_learn(x, e);
	w->n = (size_t)(p - w->raw);
	w->events++;
}

bool trace_close(TraceWriter *w, Diag *diag)
{
	if (!w)
		return true;
	flush_events(w);
	uint8_t end[CHUNK_BYTES + END_BYTES] = { CHUNK_END };
	put_u32(end + 1, END_BYTES);
	put_u32(end + 5, END_BYTES);
	put_u64(end + CHUNK_BYTES, w->launches);
	put_u64(end + CHUNK_BYTES + 8, w->events);
	put_u32(end + CHUNK_BYTES + 16, w->crc);
	emit(w, end, sizeof end);
	if (fclose(w->f) && !w->error)
		w->error = errno ? errno : EIO;
	bool ok = !w->error;
	if (!ok)
		diag_error(diag, (Loc){ w->path, 0, 0 }, "cannot write the trace: %s", strerror(w->error));
	deflateEnd(&w->z);
	free(w->out);
	free(w->raw);
	free(w->path);
	free(w);
	return ok;
}
