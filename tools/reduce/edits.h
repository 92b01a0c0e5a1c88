/* Ways of making a module smaller. Each has numbered places in a module, and changes any range of them. */
#ifndef GSIM_REDUCE_EDITS_H
#define GSIM_REDUCE_EDITS_H
#include "isa/ir.h"

typedef struct Reduction {
	const char *name;              /* what is being made fewer or simpler, for progress: "blocks" */
	int (*places)(const Module *); /* how many there are; they have numbers from 0 on */
	/* Changes places from..to-1 of a module that nobody else has. False: nothing has changed. The result
	   may break rules: the caller verifies it. */
	bool (*change)(Module *, int from, int to);
	/* ranges are no shorter than the number of places divided by this; 0: they go down to one place */
	int parts;
} Reduction;

/* In the order in which they are tried. The last one has no name. */
extern const Reduction reductions[];

/* Do the blocks of all functions have the marks that go without saying, and instructions no other ones? */
bool reduce_plain(const Module *);
/* To be called behind every change: drops blocks that cannot be reached. plain: gives the functions the marks
   that go without saying. */
void reduce_settle(Module *, bool plain);

/* Prints a module; where it has no places in the source, none are printed, and those in the text hold when it
   is read. */
void reduce_print(const Module *, struct StrBuf *);

/* ---- edits.c: what the ways share ---- */
/* An instruction, and where it stands. */
typedef struct InsAt { Module *m; Function *f; Block *b; Ins *i; } InsAt;
/* How many places has the instruction? */
typedef int InsPlaces(const Module *, const Function *, const Ins *);
/* Changes place k of the instruction. An instruction whose operation is made OP_NONE goes afterwards. */
typedef bool InsChange(InsAt *, int k);
int reduce_count(const Module *, InsPlaces *);
bool reduce_each(Module *, int from, int to, InsPlaces *, InsChange *);
void reduce_sweep(Module *);           /* takes out instructions whose operation is OP_NONE */
/* Is source k of the instruction the address of an access? */
bool reduce_is_address(const Ins *, int k);
/* Makes the instruction `destination = number`; destination: an operand. */
void reduce_to_number(InsAt *, Opd destination, Type, int64_t bits);
/* Takes destination k, or source k, out of the instruction. */
void reduce_drop_destination(Ins *, int k);
void reduce_drop_source(Ins *, int k);
int64_t reduce_one(Type);              /* the bits of the number 1 */
#endif
