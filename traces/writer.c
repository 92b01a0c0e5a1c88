/* Writes traces: events are delta-encoded into a buffer, a full buffer is deflated and written. No allocation
   per event. */
#include "traces/format.h"
#include "traces/state.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

_Static_assert(TR_COUNT <= sizeof((Context *)0)->a / sizeof(uint64_t),
	"a context has a value for each kind of event");

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
	int runs;
	uint32_t crc;              /* CRC-32 of all bytes written so far */
	z_stream z;
	uint8_t *out;              /* room for deflate */
	size_t out_cap;

	uint8_t *raw;              /* EVENTS_RAW bytes for events that wait to be written */
	size_t n, most;            /* bytes in raw; the most bytes of a chunk */
	Coder coder;

	uint64_t offset;           /* bytes written */
	TraceState state;          /* the state after all events so far, written or not */
	/* bytes of events since the last state chunk; how many there must be before the next one; the least
	   that `every` may be */
	uint64_t since, every, state_every;
	Coder *state_coder;
	Vec(uint8_t) state_raw;
	StrBuf index;
	/* number of the index's entries; the last entry's launch and offset */
	uint64_t entries, entry_launch, entry_offset;
};

static void put_bytes(TraceWriter *w, const void *p, size_t n)
{
	w->crc = (uint32_t)crc32(w->crc, p, (uInt)n);
	w->offset += n;
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
	put_bytes(w, head, sizeof head);
	put_bytes(w, w->out, stored);
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
	trace_states(w, EVENTS_RAW, STATE_EVERY);
	must(deflateInit(&w->z, Z_BEST_SPEED) == Z_OK);
	uint8_t head[HEADER_BYTES] = { 0 };
	memcpy(head, TRACE_MAGIC, 8);
	put_u32(head + 8, TRACE_VERSION);
	put_bytes(w, head, sizeof head);
	return w;
}

static void sb_varint(StrBuf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		sb_putc(b, (char)(v | 0x80));
	sb_putc(b, (char)v);
}

/* ---- events ---- */

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint8_t *put_row_bytes(uint8_t *p, const TraceEvent *e)
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

/* Writes the event's bytes to p; returns the address behind the last one. */
static inline __attribute__((always_inline)) uint8_t *put_event_bytes(Coder *c, uint8_t *p,
	const TraceEvent *e)
{
	unsigned kind = e->kind;
	Context *x = coder_context(c, e->sm, e->warp);
	uint8_t *tag = p++;
	unsigned same = 0;
	if (kind >= KIND_FOLLOWS)
		*p++ = (uint8_t)kind;
	if (e->cycle == c->cycle)
		same = TAG_SAME_CYCLE;
	else
		p = put_varint(p, zigzag(e->cycle - c->cycle));
	if (e->sm == c->sm && e->warp == c->warp) {
		same |= TAG_SAME_WARP;
	} else if ((e->sm | e->warp) < 0x80) {
		p[0] = (uint8_t)e->sm;
		p[1] = (uint8_t)e->warp;
		p += 2;
	} else {
		p = put_varint(p, e->sm);
		p = put_varint(p, e->warp);
	}
	if (e->mask == x->mask)
		same |= TAG_SAME_MASK;
	else
		p = put_varint(p, e->mask);
	if (e->split == x->split && e->depth == x->depth) {
		same |= TAG_SAME_SPLIT;
	} else {
		p = put_varint(p, e->split);
		p = put_varint(p, e->depth);
	}
	*tag = (uint8_t)((kind < KIND_FOLLOWS ? kind : KIND_FOLLOWS) | same);
	p = put_varint(p, zigzag(e->a - coder_predict(x, kind)));
	p = put_varint(p, e->b);
	if (has_row(kind))
		p = put_row_bytes(p, e);
	c->cycle = e->cycle;
	c->sm = e->sm;
	c->warp = e->warp;
	coder_learn(x, e);
	return p;
}

/* ---- the index: places from which the trace can be read on ---- */

static void index_entry(TraceWriter *w, uint64_t kind, uint64_t cycle)
{
	sb_varint(&w->index, kind);
	sb_varint(&w->index, w->launches - w->entry_launch);
	sb_varint(&w->index, w->offset - w->entry_offset);
	sb_varint(&w->index, cycle);
	w->entry_launch = w->launches;
	w->entry_offset = w->offset;
	w->entries++;
}

static void put_state_event(void *self, const TraceEvent *e)
{
	TraceWriter *w = self;
	vec_reserve(&w->state_raw, w->state_raw.n + EVENT_BYTES);
	w->state_raw.n = (int)(put_event_bytes(w->state_coder, w->state_raw.v + w->state_raw.n, e) -
		w->state_raw.v);
}

/* Writes a state chunk: the state after the events so far, as events that lead from the empty state to it. */
static void emit_state(TraceWriter *w)
{
	if (!w->state_coder)
		w->state_coder = xmalloc(sizeof *w->state_coder);
	memset(w->state_coder, 0, sizeof *w->state_coder);
	vec_clear(&w->state_raw);
	trace_state_replay(&w->state, put_state_event, w);
	w->since = 0;
	if (!w->state_raw.n || w->state_raw.n > LAUNCH_RAW)
		return;
	uint64_t before = w->offset;
	index_entry(w, INDEX_STATE, w->state.cycle);
	emit_chunk(w, CHUNK_STATE, w->state_raw.v, (size_t)w->state_raw.n);
	uint64_t due = (w->offset - before) * STATE_SHARE;
	w->every = due > w->state_every ? due : w->state_every;
}

static void flush_events(TraceWriter *w)
{
	uint64_t before = w->offset;
	if (w->n)
		emit_chunk(w, CHUNK_EVENTS, w->raw, w->n);
	w->n = 0;
	memset(&w->coder, 0, sizeof w->coder);
	w->since += w->offset - before;
}

void trace_states(TraceWriter *w, size_t most, uint64_t every)
{
	must(most >= EVENT_BYTES && most <= EVENTS_RAW);
	w->most = most;
	w->every = w->state_every = every;
}

void trace_events(TraceWriter *w, const TraceEvent *from, const TraceEvent *to)
{
	must(w->launches);
	w->events += (uint64_t)(to - from);
	for (const TraceEvent *e = from; e < to; e++) {
		must(e->kind < TR_COUNT);
		if (w->n > w->most - EVENT_BYTES)
			flush_events(w);
		if (!w->n && w->since >= w->every)
			emit_state(w);
		w->n = (size_t)(put_event_bytes(&w->coder, w->raw + w->n, e) - w->raw);
		trace_state_event(&w->state, e);
	}
}

void trace_event(TraceWriter *w, const TraceEvent *e) { trace_events(w, e, e + 1); }

/* Writes the index. Returns its offset; 0: the index would be too long and has not been written. */
static uint64_t emit_index(TraceWriter *w)
{
	StrBuf b = { 0 };
	uint64_t at = w->offset;
	if (w->index.n > INDEX_RAW - EVENT_BYTES)
		return 0;
	sb_varint(&b, w->entries);
	if (w->index.n)
		sb_write(&b, w->index.s, w->index.n);
	emit_chunk(w, CHUNK_INDEX, (uint8_t *)b.s, b.n);
	sb_free(&b);
	return at;
}

/* ---- the launch table ---- */

static void sb_string(StrBuf *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	sb_varint(b, n);
	sb_write(b, s ? s : "", n);
}

/* Writes a string as its number, in the order in which strings appear first; behind a new number follows the
   string itself. Number 0 is the empty string. */
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
	sb_putc(b, (char)(i->block_start * INS_BLOCK_START | i->branch * INS_BRANCH | i->overhead *
		INS_OVERHEAD | i->inserted * INS_INSERTED));
}

int trace_run(TraceWriter *w) { return w->runs++; }

void trace_launch(TraceWriter *w, const TraceLaunch *l)
{
	must(l->warp_size >= 1 && l->warp_size <= MOST_LANES && l->sms >= 1 && l->sms <= MOST_SMS &&
		l->nins >= 0 && l->schedulers <= MOST_SCHEDULERS);
	must(l->run >= 0 && l->stream >= 0);
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
	sb_varint(&b, (uint64_t)l->run);
	sb_varint(&b, (uint64_t)l->stream);
	sb_varint(&b, l->started);
	for (int k = 0; k < l->nins; k++)
		sb_ins(&b, &map, &l->ins[k], k ? l->ins[k - 1].line : 0);
	if ((b.n > LAUNCH_RAW || l->nins > MOST_INS) && !w->error)
		w->error = EFBIG;
	w->launches++;
	index_entry(w, INDEX_LAUNCH, 0);
	emit_chunk(w, CHUNK_LAUNCH, (uint8_t *)b.s, b.n);
	trace_state_clear(&w->state);
	w->state.schedulers = l->schedulers;
	w->since = 0;
	strmap_free(&map);
	sb_free(&b);
}

bool trace_close(TraceWriter *w, Diag *diag)
{
	if (!w)
		return true;
	flush_events(w);
	uint64_t index = emit_index(w);
	uint8_t end[CHUNK_BYTES + END_BYTES] = { CHUNK_END };
	put_u32(end + 1, END_BYTES);
	put_u32(end + 5, END_BYTES);
	put_u64(end + CHUNK_BYTES, w->launches);
	put_u64(end + CHUNK_BYTES + 8, w->events);
	put_u64(end + CHUNK_BYTES + 16, index);
	put_u32(end + CHUNK_BYTES + 24, w->crc);
	put_bytes(w, end, sizeof end);
	if (fclose(w->f) && !w->error)
		w->error = errno ? errno : EIO;
	bool ok = !w->error;
	if (!ok)
		diag_error(diag, (Loc){ w->path, 0, 0 }, "cannot write the trace: %s", strerror(w->error));
	deflateEnd(&w->z);
	free(w->out);
	free(w->raw);
	free(w->state_coder);
	vec_free(&w->state_raw);
	sb_free(&w->index);
	trace_state_free(&w->state);
	free(w->path);
	free(w);
	return ok;
}
