/* The state of a trace reader, which reader.c and seek.c share. */
#ifndef GSIM_TRACE_READER_H
#define GSIM_TRACE_READER_H
#include "traces/format.h"
#include <zlib.h>

/* bad: bytes were missing or made no sense */
typedef struct Bytes { const uint8_t *p, *end; bool bad; } Bytes;

typedef struct IndexEntry { uint8_t kind; uint64_t launch, offset, cycle; } IndexEntry; /* launch: from 0 */

struct TraceReader {
	FILE *f;
	char *path;
	Diag *diag;
	bool failed, ended;
	uint32_t version;
	uint64_t offset;           /* of the next byte of the file */
	uint64_t launches, events;
	uint32_t crc;              /* of every byte read so far */
	z_stream z;
	uint8_t *stored, *raw;     /* the current chunk */
	size_t stored_cap, raw_cap;

	Arena arena[2];            /* of the current launch and the one before it */
	TraceLaunch launch[2];
	int now;                   /* index of the current launch's arena */
	Bytes b;                   /* events not yet delivered */
	Coder coder;

	uint64_t index_at;         /* offset of the index that has been passed; 0: none */
	/* looked: for the index; sought: it has left the order of the file, so counts and checksum cannot be
	   checked */
	bool looked, sought;
	Vec(IndexEntry) index;     /* the index (from version 3 on), once looked for; empty: none */
};

int trace_fail(TraceReader *, const char *what);              /* reports an error; returns -1 */
bool trace_take(TraceReader *, void *, size_t);
bool trace_inflate(TraceReader *, size_t raw, size_t stored, size_t most); /* the chunk's content, into b */
uint64_t trace_varint(Bytes *);
uint64_t trace_varint_upto(Bytes *, uint64_t most);
bool trace_go(TraceReader *, uint64_t offset); /* goes to that offset of the file; false: an error */
/* Reads the chunk of this kind at the offset into b. False: it is not there (an error). */
bool trace_chunk_at(TraceReader *, uint64_t offset, int kind);
int trace_read_launch(TraceReader *);  /* reads a launch from b; returns 2, or -1 for an error */
#endif
