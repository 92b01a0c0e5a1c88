/* Goes to places in a trace that its index names. */
#include "traces/reader.h"
#include "traces/export.h"
#include <string.h>

bool trace_go(TraceReader *r, uint64_t offset)
{
	if (offset > INT64_MAX || fseeko(r->f, (off_t)offset, SEEK_SET)) {
		trace_fail(r, "the trace leads to a place outside the file");
		return false;
	}
	r->offset = offset;
	return true;
}

bool trace_chunk_at(TraceReader *r, uint64_t offset, int kind)
{
	uint8_t head[CHUNK_BYTES];
	if (!trace_go(r, offset) || !trace_take(r, head, sizeof head))
		return false;
	if (head[0] != kind) {
		trace_fail(r, "the index names a place where something else stands");
		return false;
	}
	return trace_inflate(r, get_u32(head + 1), get_u32(head + 5),
		kind == CHUNK_INDEX ? INDEX_RAW : LAUNCH_RAW);
}

static void read_entries(TraceReader *r)
{
	Bytes *b = &r->b;
	IndexEntry e = { 0 };
	uint64_t launches = 0;
	for (uint64_t n = trace_varint(b); n > 0 && !b->bad; n--) {
		e.kind = (uint8_t)trace_varint_upto(b, INDEX_STATE);
		uint64_t next = trace_varint_upto(b, 1);
		b->bad |= (e.kind == INDEX_LAUNCH) != next; /* every launch begins with its own entry */
		launches += next;
		uint64_t offset = e.offset + trace_varint(b);
		b->bad |= offset <= e.offset;
		e.offset = offset;
		e.cycle = trace_varint(b);
		b->bad |= launches == 0;
		e.launch = launches - 1;
		if (!b->bad)
			vec_push(&r->index, e);
	}
	if (b->bad || b->p != b->end)
		trace_fail(r, "an index that makes no sense");
}

/* The offset of the index chunk, which stands at the end of the file; 0: there is no index, or the file
   cannot seek. */
static uint64_t index_offset(TraceReader *r)
{
	uint8_t end[CHUNK_BYTES + END_BYTES];
	if (r->version < 3 || fseeko(r->f, -(off_t)sizeof end, SEEK_END) ||
		fread(end, 1, sizeof end, r->f) != sizeof end || end[0] != CHUNK_END ||
		get_u32(end + 1) != END_BYTES)
		return 0;
	return get_u64(end + CHUNK_BYTES + 16);
}

/* Reads the index if that has not been done yet, and goes back to the place in the file where the reader was.
   False: there is no index, or an error. */
static bool read_index_once(TraceReader *r)
{
	if (!r->looked) {
		r->looked = true;
		uint64_t before = r->offset, at = index_offset(r);
		if (at && trace_chunk_at(r, at, CHUNK_INDEX))
			read_entries(r);
		r->b = (Bytes){ 0 };
		clearerr(r->f);
		fseeko(r->f, (off_t)before, SEEK_SET);
		r->offset = before;
	}
	return !r->failed && r->index.n;
}

int trace_version(const TraceReader *r) { return (int)r->version; }

int64_t trace_launches(TraceReader *r)
{
	return read_index_once(r) ? (int64_t)vec_last(&r->index).launch + 1 : -1;
}

/* The launch's first entry in the index, which is for the begin of the launch. */
static const IndexEntry *entry_of(const TraceReader *r, uint64_t launch)
{
	int low = 0, high = r->index.n;
	while (low < high) {
		int k = low + (high - low) / 2;
		if (r->index.v[k].launch < launch)
			low = k + 1;
		else
			high = k;
	}
	must(low < r->index.n && r->index.v[low].launch == launch);
	return &r->index.v[low];
}

/* Goes to the launch and reads it. *state: the entry of the launch's last state chunk that has only events
   before the cycle in front of it; NULL: there is none. False: an error. */
static bool go_to_launch(TraceReader *r, uint64_t launch, uint64_t cycle, const IndexEntry **state)
{
	const IndexEntry *begin = entry_of(r, launch), *end = r->index.v + r->index.n;
	*state = NULL;
	for (const IndexEntry *e = begin + 1; e < end && e->launch == launch; e++)
		*state = e->cycle < cycle ? e : *state;
	r->sought = true;
	r->ended = false;
	memset(&r->coder, 0, sizeof r->coder);
	return trace_chunk_at(r, begin->offset, CHUNK_LAUNCH) && trace_read_launch(r) >= 0;
}

const TraceLaunch *trace_seek(TraceReader *r, uint64_t launch, uint64_t cycle, uint64_t *reached)
{
	const IndexEntry *state;
	if (!go_to_launch(r, launch, cycle < UINT64_MAX ? cycle + 1 : cycle, &state) ||
		(state && !trace_chunk_at(r, state->offset, CHUNK_STATE)))
		return NULL;
	*reached = state ? state->cycle : 0;
	return &r->launch[r->now];
}

const TraceLaunch *trace_seek_events(TraceReader *r, uint64_t launch, uint64_t from)
{
	const IndexEntry *state;
	if (!go_to_launch(r, launch, from, &state))
		return NULL;
	if (state && !trace_go(r, state->offset))
		return NULL;
	return &r->launch[r->now];
}
