/* What the files of the analysis of buffers share: to which buffers of a host function its registers may
   lead. */
#ifndef GSIM_BUFFERS_OWN_H
#define GSIM_BUFFERS_OWN_H
#include "passes/analysis/buffers.h"

/* What a register may hold is a set: bit k for an address in buffer k, the bit `moved` if the address may be
   another than the buffer's first, the bit `any` if it may lie in any buffer. */
typedef struct BufferPlaces {
	const Cfg *c;
	const Module *m;
	Buffers *b;
	int moved, any, bits;
	BitSet **in;              /* in[block][register]: what the register may hold where the block begins */
	BitSet *now;               /* by register, at the present place of a walk through a block */
	BitSet value;
	/* by function: what it touches; NULL until a launch of the function has been seen */
	Touched **touched;
	const EffectTable *effects;
	Arena *arena;
} BufferPlaces;

uint64_t buffers_constant(const Opd *);               /* the number that the operand is; 0: it is no number */
/* Finds the buffers, and what registers may hold where each block begins. */
void places_open(BufferPlaces *, Arena *tmp, const Loops *);
/* places_enter sets p->now to what registers may hold where the block begins; places_walk takes p->now from
   in front of an instruction to behind it. */
void places_enter(BufferPlaces *, int block);
void places_walk(BufferPlaces *, int block, int ins, const Ins *);
/* places_lead and places_begins go by what registers hold in p->now: */
/* adds to the set the buffers to which the operand may lead; all, if it may lead anywhere */
void places_lead(const BufferPlaces *, const Opd *, BitSet);
/* the buffer at whose first byte the operand certainly points; -1: there is none such */
int places_begins(const BufferPlaces *, const Opd *);
int places_buffer(const BufferPlaces *, int block, int ins, int symbol); /* number; symbol -1: an alloc's */
#endif
