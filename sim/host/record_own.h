/* The structure of a recording, which record.c and record_text.c share. */
#ifndef GSIM_RECORD_OWN_H
#define GSIM_RECORD_OWN_H
#include "lib/hash.h"
#include "sim/host/record.h"
#include "sim/host/run.h"

/* A statement, or a loop. Each has a number, its place in Recorder.item; statements with equal texts have the
   same number. text NULL: a loop, which executes the n statements of `body` so many times. */
typedef struct RecordItem { const char *text; int *body, n; uint64_t times; } RecordItem;
typedef struct Datum { const char *name; Type type; const uint8_t *bytes; uint64_t n; } Datum;

struct Recorder {
	const Run *run;
	Arena arena;
	Vec(int) list;                 /* numbers of the statements, in their order */
	Vec(RecordItem) item;
	StrMap known;                  /* numbers of items, by their text or, for loops, a key */
	Vec(Datum) datum;              /* constant variables with data that the host writes */
	StrMap data;                   /* places in datum, by type and contents written as a text */
	uint64_t bytes;                /* bytes of all datum together */
	Vec(bool) mentioned;           /* for each buffer of the run: statements use its address */
	/* the host's latest writes, which are not statements yet: they follow on each other without a gap */
	struct { int buffer; Type type; uint64_t offset; Vec(uint8_t) data; } write;
	Diag diag;                     /* errors: what cannot be recorded; warnings: what is left out */
};

/* The name as IR text has it: in back quotes where it must be. */
const char *record_name(Recorder *, const char *name);
void record_value(StrBuf *, Type, uint64_t bits);           /* writes the bits as a number of the type */
/* the item's number; items of equal keys are one */
int record_item(Recorder *, const char *key, RecordItem);
void record_end_write(Recorder *);                          /* makes statements of the host's latest writes */
#endif
