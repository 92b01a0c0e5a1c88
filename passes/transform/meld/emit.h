/* Inside the part of melding that makes code. */
#ifndef GSIM_MELD_EMIT_H
#define GSIM_MELD_EMIT_H
#include "passes/transform/meld/meld.h"

typedef struct Chosen { Opd x[2]; Type type; int reg; } Chosen;

typedef struct Emit {
	Meld *w;
	MeldRegion *r;
	Stretch *s;
	bool dry;                      /* costs are counted, and no code is made */
	/* cost of all that has been put; how often what is put now is executed */
	int64_t cost, weight;
	Load load;                     /* of all that has been put */
	/* with option check=time, when dry: instructions put since the last place; places made so far */
	Vec(Span) ins;
	Vec(Place) place;
	int nreg;                      /* when dry: how many new registers there would be */
	/* the open block, to which instructions are added; by pair: its first block; the block behind all
	   pairs; the block in front of all pairs, or that of the first pair */
	Block *b, **block, *leave, *entry;
	const Block *like;             /* new blocks are named after it */
	Vec(Chosen) chosen;            /* choices made in this pair whose results are still valid */
} Emit;

/* ---- emit_put.c ---- */
int emit_reg(Emit *, const char *base, Type);
void emit_put(Emit *, Ins);                            /* adds it at the end of the open block */
Ins emit_copy(Emit *, const Ins *);                    /* a copy with operands of its own */
/* an instruction that melding inserts: dst = op sources */
Ins emit_new(Emit *, const Ins *like, Op, Type, int dst, const Opd *src, int nsrc);
/* puts dst = a for side 0, b for side 1 */
void emit_select(Emit *, const Ins *like, Type, int dst, Opd a, Opd b);
/* the same for addresses, of which `adds` have to be computed first */
void emit_chosen(Emit *, const Ins *like, Type, int dst, const Opd *from, int adds);
Type emit_bits(const Emit *, int reg);                 /* the type of a move or a choice of the register */
Opd emit_choice(Emit *, const Ins *like, Choice);      /* returns the operand for both sides */
/* an instruction with the marks of that one, in which registers have the side's names. all: lanes of both
   sides come here. by: NULL, or the value by which marks decide that decided as the branch goes */
Ins emit_marked(Emit *, const Ins *, int side, bool all, const Opd *by);
void emit_mark_both(Emit *, Ins *, const Ins *, const Ins *); /* the first gets the marks of the others */
Block *emit_block(Emit *, const char *tail);
/* Instructions are added to that block from now on. New blocks will stand in the order in which they are
   opened. */
void emit_open(Emit *, Block *);
void emit_end(Emit *, Ins term, Block *yes, Block *no, int nsucc); /* ends the open block */
void emit_jump(Emit *, const Ins *like, Block *);
void emit_part(Emit *, const Ins *like, Block *, Block *); /* ends the block: each side goes to its block */

/* ---- emit_pair.c ---- */
void emit_pair(Emit *, const BlockPair *, Block *);    /* puts all of a pair, from that block on */
#endif
