/* Inside the making of melded code. */
#ifndef GSIM_MELD_EMIT_H
#define GSIM_MELD_EMIT_H
#include "passes/transform/meld/meld.h"

typedef struct Chosen { Opd x[2]; Type type; int reg; } Chosen;

typedef struct Emit {
	Meld *w;
	MeldRegion *r;
	Stretch *s;
	bool dry;                      /* nothing is made */
	int64_t cost, weight;          /* of what has been put; of what is put now */
	Load load;                     /* of what has been put */
	Vec(Span) ins;                 /* of what is put in a place now, with option check=time */
	Vec(Place) place;              /* of what has been put */
	int nreg;                      /* registers that there would be */
	Block *b, **block, *leave, *entry; /* open; by pair */
	const Block *like;             /* new blocks are called after it */
	Vec(Chosen) chosen;            /* choices whose result holds still */
} Emit;

/* ---- emit_put.c ---- */
int emit_reg(Emit *, const char *base, Type);
void emit_put(Emit *, Ins);                            /* at the end of the open block */
Ins emit_copy(Emit *, const Ins *);                    /* with operands of its own */
/* one that melding inserts: dst = op sources */
Ins emit_new(Emit *, const Ins *like, Op, Type, int dst, const Opd *src, int nsrc);
void emit_select(Emit *, const Ins *like, Type, int dst, Opd a, Opd b); /* dst = a for side 0, b for side 1 */
/* the same of addresses, `adds` of which are to be made first */
void emit_chosen(Emit *, const Ins *like, Type, int dst, const Opd *from, int adds);
Type emit_bits(const Emit *, int reg);                 /* what a move or a choice of the register is typed */
Opd emit_choice(Emit *, const Ins *like, Choice);      /* the operand for both sides */
/* with its marks in the side's names; all: lanes of both sides come here; by: NULL, or what those decide by
   that decided as the branch goes */
Ins emit_marked(Emit *, const Ins *, int side, bool all, const Opd *by);
void emit_mark_both(Emit *, Ins *, const Ins *, const Ins *); /* it gets the marks of both */
Block *emit_block(Emit *, const char *tail);
/* instructions go there from now on; new blocks come to stand in this order */
void emit_open(Emit *, Block *);
void emit_end(Emit *, Ins term, Block *yes, Block *no, int nsucc); /* of the open block */
void emit_jump(Emit *, const Ins *like, Block *);
void emit_part(Emit *, const Ins *like, Block *, Block *); /* each side goes to a block of its own */

/* ---- emit_pair.c ---- */
void emit_pair(Emit *, const BlockPair *, Block *);    /* all of it, from that block on */
#endif
