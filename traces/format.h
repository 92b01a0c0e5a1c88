/* The bytes of a trace file, shared by writer and reader; doc/trace.md is their description. */
#ifndef GSIM_TRACE_FORMAT_H
#define GSIM_TRACE_FORMAT_H
#include "traces/trace.h"
#include <stdio.h>

enum { INDEX_LAUNCH, INDEX_STATE };        /* kinds of entries of the index */
#define TRACE_MAGIC "\211GTR\r\n\032\n"    /* a file damaged by a text transfer no longer begins with it */
enum {
	TRACE_VERSION = 4, OLDEST_VERSION = 1,
	HEADER_BYTES = 16,                 /* header of the file: magic, version, flags */
	CHUNK_BYTES = 9,                   /* header of a chunk: kind, raw length, stored length */
	END_BYTES = 28,                    /* end chunk: launches, events, offset of the index, CRC-32 */
	OLD_END_BYTES = 20,                /* end chunk before version 3: without the offset of the index */
	CHUNK_LAUNCH = 'L', CHUNK_EVENTS = 'E', CHUNK_STATE = 'S', CHUNK_INDEX = 'I', CHUNK_END = 'Z',

	EVENTS_RAW = 256 * 1024,           /* most raw bytes of an event chunk */
	LAUNCH_RAW = 64 * 1024 * 1024,     /* most raw bytes of a launch or state chunk */
	INDEX_RAW = 16 * 1024 * 1024,      /* most raw bytes of an index chunk */
	/* Between two state chunks are at least STATE_EVERY bytes of events, and at least STATE_SHARE times
	   the bytes of the first of the two. */
	STATE_EVERY = 1 << 20,
	STATE_SHARE = 8,
	EVENT_BYTES = 128,                 /* more bytes than the longest event takes */
	INS_BYTES = 6,                     /* least bytes that an instruction takes */
	MOST_INS = 1 << 22,
	DEFLATE_RATIO = 1032,              /* most bytes that one byte of deflated data can become */
	MOST_SMS = 65536, MOST_LANES = 64, MOST_SCHEDULERS = 64, MOST_REASONS = 1024,

	TAG_KIND = 0x0f, KIND_FOLLOWS = 15, TAG_SAME_CYCLE = 0x10, TAG_SAME_WARP = 0x20, TAG_SAME_MASK = 0x40,
		TAG_SAME_SPLIT = 0x80,

	INS_BLOCK_START = 1, INS_BRANCH = 2, INS_OVERHEAD = 4, INS_INSERTED = 8, /* flags of an instruction */

	/* number of contexts of a Coder; how many contexts lie between that of a warp slot and that of the
	   same slot of the next SM */
	CONTEXTS = 1024, CONTEXTS_OF_SM = 67,
	CONTEXT_KINDS = 32                 /* kinds of events of which a context keeps the last `a` */
};

/* What the members of a warp's next event are predicted from: those of its last events. Several warps may
   share a context; that makes predictions worse, but nothing else. */
typedef struct Context {
	uint64_t mask, pc, a[CONTEXT_KINDS];
	uint16_t split, depth;
} Context;

/* All on which the meaning of an event's bytes depends. Everything is 0 at the start of an event chunk. */
typedef struct Coder {
	uint64_t cycle;
	uint16_t sm, warp;
	Context context[CONTEXTS];
} Coder;

static inline Context *coder_context(Coder *c, unsigned sm, unsigned warp)
{
	return &c->context[(sm * CONTEXTS_OF_SM + warp) % CONTEXTS];
}

/* The predicted `a` of an event: for an issue, the pc after that of the last issue; for another kind, the
   last `a` of that kind. The file has the difference from it. */
static inline uint64_t coder_predict(const Context *x, unsigned kind)
{
	return kind == TR_ISSUE ? x->pc + 1 : x->a[kind];
}

static inline void coder_learn(Context *x, const TraceEvent *e)
{
	x->mask = e->mask;
	x->split = e->split;
	x->depth = e->depth;
	x->a[e->kind] = e->a;
	if (e->kind == TR_ISSUE)
		x->pc = e->a;
}

static inline bool has_row(unsigned kind)
{
	return kind == TR_ENTER || kind == TR_REWRITE || kind == TR_LEAVE;
}

static inline uint64_t zigzag(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }
static inline uint64_t unzigzag(uint64_t v) { return v >> 1 ^ (0 - (v & 1)); }

static inline void put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}
static inline void put_u64(uint8_t *p, uint64_t v)
{
	put_u32(p, (uint32_t)v);
	put_u32(p + 4, (uint32_t)(v >> 32));
}
static inline uint32_t get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t get_u64(const uint8_t *p) { return get_u32(p) | (uint64_t)get_u32(p + 4) << 32; }

/* For tests: sets the most raw bytes of an event chunk (instead of EVENTS_RAW), and the least bytes of events
   between two state chunks (instead of STATE_EVERY). */
void trace_states(TraceWriter *, size_t most, uint64_t every);
/* Reads a trace from an open stream, which it closes; path is for messages. NULL with an error in diag. */
TraceReader *trace_open_stream(FILE *, const char *path, Diag *);
#endif
