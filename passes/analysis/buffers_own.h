/* Buffers of a host function, between their files: which of them the registers may lead to. */
#ifndef GSIM_BUFFERS_OWN_H
#define GSIM_BUFFERS_OWN_H
#include "passes/analysis/buffers.h"

/* What a register may hold: addresses in the buffers of a set, with the bit MOVED if they may be other than
   the buffer's begin, and ANY if they may be in any. */
typedef struct Places {
	const Cfg *c;
	const Module *m;
	Buffers *b;
	int moved, any, bits;
	BitSet **in;               /* [block][register], where the block begins */
	BitSet *now;               /* by register, while a block is walked through */
	BitSet value;
	Touched **touched;         /* by function */
	const EffectTable *effects;
	Arena *arena;
} Places;

uint64_t buffers_constant(const Opd *);                    /* 0: it is no number */
/* Finds the buffers, and what registers hold where each block begins. */
void places_open(Places *, Arena *tmp, const Loops *);
/* p->now becomes what registers hold where the block begins; then from instruction to instruction. */
void places_enter(Places *, int block);
void places_walk(Places *, int block, int ins, const Ins *);
/* With p->now: */
/* the buffers that the operand may lead to join the set; all where it may lead anywhere */
void places_lead(const Places *, const Opd *, BitSet);
/* the one buffer at whose begin the operand certainly points; -1 */
int places_begins(const Places *, const Opd *);
int places_buffer(const Places *, int block, int ins, int symbol); /* an alloc's, or a variable's */
#endif
