/* Reads traces. The file may be hostile: every length is bounded before memory of that length is allocated,
   and every number is checked. */
#include "traces/reader.h"
#include "lib/output.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int trace_fail(TraceReader *r, const char *what)
{
	if (!r->failed)
		diag_error(r->diag, (Loc){ r->path, 0, 0 }, "byte %llu: %s", (unsigned long long)r->offset,
			what);
	r->failed = true;
	return -1;
}

bool trace_take(TraceReader *r, void *p, size_t n)
{
	size_t got = fread(p, 1, n, r->f);
	if (got != n) {
		trace_fail(r, ferror(r->f) ? strerror(errno)
			: "the trace ends too early: it was truncated, or its writer did not finish");
		return false;
	}
	r->offset += n;
	return true;
}

static void count_crc(TraceReader *r, const void *p, size_t n)
{
	r->crc = (uint32_t)crc32(r->crc, p, (uInt)n);
}

TraceReader *trace_open_stream(FILE *f, const char *path, Diag *diag)
{
	TraceReader *r = xcalloc(1, sizeof *r);
	r->f = f;
	r->path = xstrdup(path);
	r->diag = diag;
	must(inflateInit(&r->z) == Z_OK);
	uint8_t head[HEADER_BYTES];
	if (fread(head, 1, sizeof head, f) != sizeof head || memcmp(head, TRACE_MAGIC, 8))
		trace_fail(r, "this is not a trace");
	else if ((r->version = get_u32(head + 8)) < OLDEST_VERSION || r->version > TRACE_VERSION)
		diag_error(diag, (Loc){ path, 0, 0 }, "trace format version %u; this program reads versions "
			"%d to %d", (unsigned)r->version, OLDEST_VERSION, TRACE_VERSION), r->failed = true;
	else if (get_u32(head + 12))
		trace_fail(r, "flags that are none");
	if (r->failed) {
		trace_reader_free(r);
		return NULL;
	}
	r->offset = HEADER_BYTES;
	count_crc(r, head, sizeof head);
	return r;
}

TraceReader *trace_open(const char *path, Diag *diag)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		diag_error(diag, (Loc){ path, 0, 0 }, "cannot read the trace: %s", strerror(errno));
		return NULL;
	}
	return trace_open_stream(f, path, diag);
}

void trace_reader_free(TraceReader *r)
{
	if (!r)
		return;
	inflateEnd(&r->z);
	fclose(r->f);
	arena_free(&r->arena[0]);
	arena_free(&r->arena[1]);
	vec_free(&r->index);
	free(r->stored);
	free(r->raw);
	free(r->path);
	free(r);
}

/* ---- chunks ---- */

static void reserve_bytes(uint8_t **p, size_t *cap, size_t n)
{
	if (n <= *cap)
		return;
	free(*p);
	*p = xmalloc(*cap = n);
}

bool trace_inflate(TraceReader *r, size_t raw, size_t stored, size_t most)
{
	if (raw == 0 || raw > most || stored > compressBound((uLong)raw) + 64 ||
		raw > stored * DEFLATE_RATIO) {
		trace_fail(r, "a chunk with an impossible length");
		return false;
	}
	reserve_bytes(&r->stored, &r->stored_cap, stored);
	if (!trace_take(r, r->stored, stored))
		return false;
	count_crc(r, r->stored, stored);
	reserve_bytes(&r->raw, &r->raw_cap, raw);
	inflateReset(&r->z);
	r->z.next_in = r->stored;
	r->z.avail_in = (uInt)stored;
	r->z.next_out = r->raw;
	r->z.avail_out = (uInt)raw;
	if (inflate(&r->z, Z_FINISH) != Z_STREAM_END || r->z.avail_in || r->z.avail_out) {
		trace_fail(r, "a chunk that does not decompress to what it says");
		return false;
	}
	r->b = (Bytes){ r->raw, r->raw + raw, false };
	return true;
}

static int read_end(TraceReader *r, size_t raw, size_t stored)
{
	uint8_t end[END_BYTES];
	size_t n = r->version > 2 ? END_BYTES : OLD_END_BYTES;
	if (raw != n || stored != n)
		return trace_fail(r, "an end of the wrong length");
	if (!trace_take(r, end, n))
		return -1;
	if (!r->sought && (get_u64(end) != r->launches || get_u64(end + 8) != r->events))
		return trace_fail(r, "launches or events are missing");
	if (!r->sought && r->version > 2 && get_u64(end + 16) != r->index_at)
		return trace_fail(r, "the end names another place of the index");
	if (!r->sought && get_u32(end + n - 4) != r->crc)
		return trace_fail(r, "the checksum is wrong: the trace was damaged");
	if (getc(r->f) != EOF)
		return trace_fail(r, "something follows the end of the trace");
	r->ended = true;
	return 0;
}

/* ---- varints and strings ---- */

uint64_t trace_varint(Bytes *b)
{
	uint64_t v = 0;
	for (int shift = 0; shift < 64 && b->p < b->end; shift += 7) {
		uint8_t byte = *b->p++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			if (shift == 63 && byte > 1)
				break;
			return v;
		}
	}
	b->bad = true;
	return 0;
}

uint64_t trace_varint_upto(Bytes *b, uint64_t most)
{
	uint64_t v = trace_varint(b);
	if (v > most)
		b->bad = true;
	return b->bad ? 0 : v;
}

/* Reads a name or the text of an instruction. Characters that would end a line or steer a terminal become
   '?', since programs show these texts inside lines. */
static const char *read_clean_string(TraceReader *r, Bytes *b)
{
	size_t n = trace_varint_upto(b, (uint64_t)(b->end - b->p));
	if (b->bad || n > (size_t)(b->end - b->p) || memchr(b->p, 0, n)) {
		b->bad = true;
		return "";
	}
	b->p += n;
	StrBuf clean = { 0 };
	output_clean(&clean, (const char *)b->p - n, n);
	for (char *p = clean.s; p && (p = strpbrk(p, "\n\t"));)
		*p = '?';
	const char *text = arena_strndup(&r->arena[r->now], clean.s ? clean.s : "", clean.n);
	sb_free(&clean);
	return text;
}

typedef Vec(const char *) Strings;

static const char *shared_string(TraceReader *r, Bytes *b, Strings *s)
{
	uint64_t k = trace_varint_upto(b, (uint64_t)s->n);
	if (k == (uint64_t)s->n && !b->bad) {
		const char *fresh = read_clean_string(r, b);
		vec_push(s, fresh);
	}
	return b->bad ? "" : s->v[k];
}

/* ---- the launch table ---- */

static void read_ins(TraceReader *r, Bytes *b, Strings *s, TraceIns *i, int line_before)
{
	i->function = shared_string(r, b, s);
	i->block = shared_string(r, b, s);
	i->text = shared_string(r, b, s);
	i->file = shared_string(r, b, s);
	uint64_t line = (uint64_t)line_before + unzigzag(trace_varint(b));
	if ((int64_t)line != (int32_t)line)
		b->bad = true;
	i->line = (int32_t)line;
	unsigned flags = (unsigned)trace_varint_upto(b,
		INS_BLOCK_START | INS_BRANCH | INS_OVERHEAD | INS_INSERTED);
	i->block_start = flags & INS_BLOCK_START;
	i->branch = flags & INS_BRANCH;
	i->overhead = flags & INS_OVERHEAD;
	i->inserted = flags & INS_INSERTED;
}

static void read_schedulers(TraceReader *r, Bytes *b, TraceLaunch *l)
{
	l->timed = trace_varint_upto(b, 1);
	l->schedulers = (int)trace_varint_upto(b, MOST_SCHEDULERS);
	l->nreasons = (int)trace_varint_upto(b, MOST_REASONS);
	const char **reason = arena_array(&r->arena[r->now], const char *, l->nreasons + 1);
	for (int k = 0; k < l->nreasons; k++)
		reason[k] = read_clean_string(r, b);
	l->reason = reason;
}

int trace_read_launch(TraceReader *r)
{
	r->now ^= 1;
	arena_free(&r->arena[r->now]);
	TraceLaunch *l = &r->launch[r->now];
	*l = (TraceLaunch){ .run = -1 };
	Bytes *b = &r->b;
	Strings s = { 0 };
	vec_push(&s, "");
	l->kernel = read_clean_string(r, b);
	l->machine = read_clean_string(r, b);
	l->model = read_clean_string(r, b);
	l->configuration = r->version > 1 ? read_clean_string(r, b) : "";
	l->changed = r->version > 1 ? read_clean_string(r, b) : "";
	l->passes = r->version > 1 ? read_clean_string(r, b) : "";
	for (int k = 0; k < 3; k++)
		l->grid[k] = (uint32_t)trace_varint_upto(b, UINT32_MAX);
	for (int k = 0; k < 3; k++)
		l->block[k] = (uint32_t)trace_varint_upto(b, UINT32_MAX);
	l->warp_size = (int)trace_varint_upto(b, MOST_LANES);
	l->sms = (int)trace_varint_upto(b, MOST_SMS);
	l->nins = (int)trace_varint_upto(b, MOST_INS);
	if (l->nins > (b->end - b->p) / INS_BYTES) {
		b->bad = true;
		l->nins = 0;
	}
	if (!l->warp_size || !l->sms)
		b->bad = true;
	if (r->version > 2)
		read_schedulers(r, b, l);
	if (r->version > 3) {
		l->run = (int)trace_varint_upto(b, INT32_MAX);
		l->stream = (int)trace_varint_upto(b, INT32_MAX);
		l->started = trace_varint(b);
	}
	TraceIns *ins = arena_array(&r->arena[r->now], TraceIns, l->nins ? l->nins : 1);
	l->ins = ins;
	for (int k = 0; k < l->nins && !b->bad; k++)
		read_ins(r, b, &s, &ins[k], k ? ins[k - 1].line : 0);
	vec_free(&s);
	if (b->bad || b->p != b->end)
		return trace_fail(r, "a launch that makes no sense");
	r->launches++;
	return 2;
}

/* ---- events ---- */

static void read_row(Bytes *b, TraceEvent *e)
{
	TraceRow *row = &e->row;
	*row = (TraceRow){ .kind = (uint8_t)trace_varint_upto(b, ROW_COUNT - 1), .mask = e->mask,
		.split = e->split, .pc = (uint32_t)e->a,
		.rpc = ROW_NO_PC };
	if (e->kind == TR_LEAVE)
		return;
	b->bad |= e->a > UINT32_MAX;
	row->flags = (uint16_t)trace_varint_upto(b, UINT16_MAX);
	row->rpc = (uint32_t)trace_varint_upto(b, UINT32_MAX) - 1;
	row->n = (uint32_t)trace_varint_upto(b, UINT32_MAX);
	row->m = (uint32_t)trace_varint_upto(b, UINT32_MAX);
	row->other = trace_varint(b);
}

static int read_event(TraceReader *r, TraceEvent *e)
{
	Bytes *b = &r->b;
	Coder *c = &r->coder;
	unsigned tag = *b->p++;
	e->kind = tag & TAG_KIND;
	if (e->kind == KIND_FOLLOWS && r->version > 2)
		e->kind = (uint8_t)trace_varint_upto(b, UINT8_MAX);
	if (e->kind >= (r->version > 2 ? TR_COUNT : TR_ENTER) ||
		(e->kind < KIND_FOLLOWS && (tag & TAG_KIND) == KIND_FOLLOWS))
		return trace_fail(r, "an event of unknown kind");
	if (!(tag & TAG_SAME_CYCLE))
		c->cycle += unzigzag(trace_varint(b));
	if (!(tag & TAG_SAME_WARP)) {
		c->sm = (uint16_t)trace_varint_upto(b, (uint64_t)r->launch[r->now].sms - 1);
		c->warp = (uint16_t)trace_varint_upto(b, UINT16_MAX);
	}
	Context *x = coder_context(c, c->sm, c->warp);
	e->cycle = c->cycle;
	e->sm = c->sm;
	e->warp = c->warp;
	e->mask = tag & TAG_SAME_MASK ? x->mask : trace_varint(b);
	if (tag & TAG_SAME_SPLIT) {
		e->split = x->split;
		e->depth = x->depth;
	} else {
		e->split = (uint16_t)trace_varint_upto(b, UINT16_MAX);
		e->depth = (uint16_t)trace_varint_upto(b, UINT16_MAX);
	}
	e->a = coder_predict(x, e->kind) + unzigzag(trace_varint(b));
	e->b = trace_varint(b);
	e->row = (TraceRow){ 0 };
	if (has_row(e->kind))
		read_row(b, e);
	if (b->bad)
		return trace_fail(r, "an event that makes no sense");
	coder_learn(x, e);
	r->events++;
	return 1;
}

/* Passes over a chunk that is used only when the reader seeks by the index. A reader that goes through the
   file in order adds the chunk to the checksum; one that has sought skips it. */
static bool pass_chunk(TraceReader *r, size_t raw, size_t stored)
{
	uint8_t part[4096];
	if (raw == 0 || raw > LAUNCH_RAW || stored > compressBound((uLong)raw) + 64) {
		trace_fail(r, "a chunk with an impossible length");
		return false;
	}
	if (r->sought)
		return trace_go(r, r->offset + stored);
	for (size_t n; stored; stored -= n) {
		n = stored < sizeof part ? stored : sizeof part;
		if (!trace_take(r, part, n))
			return false;
		count_crc(r, part, n);
	}
	return true;
}

static int read_chunk(TraceReader *r, int kind, size_t raw, size_t stored, TraceEvent *e,
	const TraceLaunch **launch)
{
	if (kind == CHUNK_LAUNCH) {
		if (!trace_inflate(r, raw, stored, LAUNCH_RAW))
			return -1;
		int k = trace_read_launch(r);
		*launch = &r->launch[r->now];
		return k;
	}
	if (kind != CHUNK_EVENTS)
		return trace_fail(r, "a chunk of unknown kind");
	if (!r->launches)
		return trace_fail(r, "events before the first launch");
	if (!trace_inflate(r, raw, stored, EVENTS_RAW))
		return -1;
	memset(&r->coder, 0, sizeof r->coder);
	return read_event(r, e);
}

int trace_next(TraceReader *r, TraceEvent *e, const TraceLaunch **launch)
{
	for (;;) {
		if (r->failed)
			return -1;
		if (r->ended)
			return 0;
		if (r->b.p < r->b.end)
			return read_event(r, e);
		uint8_t head[CHUNK_BYTES];
		if (!trace_take(r, head, sizeof head))
			return -1;
		size_t raw = get_u32(head + 1), stored = get_u32(head + 5);
		if (head[0] == CHUNK_END)
			return read_end(r, raw, stored);
		count_crc(r, head, sizeof head);
		if (r->version < 3 || (head[0] != CHUNK_STATE && head[0] != CHUNK_INDEX))
			return read_chunk(r, head[0], raw, stored, e, launch);
		if (head[0] == CHUNK_INDEX)
			r->index_at = r->offset - sizeof head;
		if (!pass_chunk(r, raw, stored))
			return -1;
	}
}
