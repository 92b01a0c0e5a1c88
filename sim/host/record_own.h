/* A recording, between its files. */
#ifndef GSIM_RECORD_OWN_H
#define GSIM_RECORD_OWN_H
#include "lib/hash.h"
#include "sim/host/record.h"
#include "sim/host/run.h"

/* Statements go by number: equal texts have one. A loop is a statement, too. */
/* text NULL: the body, so many times */
typedef struct Item { const char *text; int *body, n; uint64_t times; } Item;
typedef struct Datum { const char *name; Type type; const uint8_t *bytes; uint64_t n; } Datum;

struct Recorder {
	const Run *run;
	Arena arena;
	Vec(int) list;                 /* statements in their order */
	Vec(Item) item;
	StrMap known;                  /* items by text */
	Vec(Datum) datum;
	StrMap data;                   /* by contents: a text of them */
	uint64_t bytes;                /* of all data */
	Vec(bool) mentioned;           /* by buffer of the run: a variable that statements name */
	/* of the host, as far as it goes on without a gap */
	struct { int buffer; Type type; uint64_t offset; Vec(uint8_t) data; } write;
	Diag diag;                     /* what cannot be recorded */
};

const char *record_name(Recorder *, const char *name);   /* as text has it, in back quotes where it must be */
void record_value(StrBuf *, Type, uint64_t bits);           /* a number of the type */
int record_item(Recorder *, const char *key, Item);         /* its number; an equal key has the same */
void record_end_write(Recorder *);                         /* the host's writes up to now become statements */
#endif
