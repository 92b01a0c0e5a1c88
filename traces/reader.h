/* The state of a trace reader, which reader.c and seek.c share. */
#ifndef GSIM_TRACE_READER_H
#define GSIM_TRACE_READER_H
#include "traces/format.h"
#include <zlib.h>

/* Bytes that have not been read yet. bad: bytes were missing or made no sense. */
typedef struct Bytes { const uint8_t *p, *end; bool bad; } Bytes;

/* An entry of the index. kind: INDEX_LAUNCH or INDEX_STATE; launch: its number, from 0; offset: that of the
   chunk in the file; cycle: that of the last event in front of a state chunk. */
typedef struct IndexEntry { uint8_t kind; uint64_t launch, offset, cycle; } IndexEntry;

struct TraceReader {
	FILE *f;
	char *path;
	Diag *diag;
	bool failed, ended;
	uint32_t version;
	uint64_t offset;           /* offset of the next byte of the file */
	uint64_t launches, events; /* how many have been read */
	uint32_t crc;              /* CRC-32 of all bytes read so far */
	z_stream z;
	uint8_t *stored, *raw;     /* the current chunk, as the file has it and decompressed */
	size_t stored_cap, raw_cap;

	Arena arena[2];            /* for the current launch and the one before it */
	TraceLaunch launch[2];
	int now;                   /* index of the current launch's arena */
	Bytes b;                   /* events that trace_next has not given yet */
	Coder coder;

	uint64_t index_at;         /* offset of the index chunk if the reader has passed it; else 0 */
	/* looked: the reader has looked for the index; sought: it has left the order of the file, so counts
	   and checksum cannot be checked */
	bool looked, sought;
	/* the index (from version 3 on), once `looked`; empty: the trace has none */
	Vec(IndexEntry) index;
};

int trace_fail(TraceReader *, const char *what);              /* reports an error; returns -1 */
bool trace_take(TraceReader *, void *, size_t);
/* Reads and decompresses the content of a chunk into b. raw, stored: its lengths as its header gives them;
   most: the most raw bytes allowed. False: an error. */
bool trace_inflate(TraceReader *, size_t raw, size_t stored, size_t most);
uint64_t trace_varint(Bytes *);
uint64_t trace_varint_upto(Bytes *, uint64_t most);
bool trace_go(TraceReader *, uint64_t offset); /* goes to that offset of the file; false: an error */
/* Reads the chunk of this kind at the offset into b. False, with an error: no such chunk is there. */
bool trace_chunk_at(TraceReader *, uint64_t offset, int kind);
int trace_read_launch(TraceReader *);  /* reads a launch from b; returns 2, or -1 for an error */
#endif
