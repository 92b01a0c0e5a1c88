/* Inside the part of melding that makes code. */
#ifndef GSIM_MELD_EMIT_H
#define GSIM_MELD_EMIT_H
#include "passes/transform/meld/meld.h"

typedef struct ChosenOperand { Opd x[2]; Type type; int reg; } ChosenOperand;

typedef struct MeldEmit {
	Meld *w;
	MeldRegion *r;
	Stretch *s;
	bool dry;                      /* costs are counted, and no code is made */
	/* cost of all that has been put; how often what is put now is executed */
	int64_t cost, weight;
	Load load;                     /* of all that has been put */
	/* with option check=time, when dry: instructions put since the last place; places made so far */
	Vec(Span) ins;
	Vec(TimedPlace) place;
	int nreg;                      /* when dry: how many new registers there would be */
	/* the open block, to which instructions are added; by pair: its first block; the block behind all
	   pairs; the block in front of all pairs, or that of the first pair */
	Block *b, **block, *leave, *entry;
	const Block *like;             /* new blocks are named after it */
	Vec(ChosenOperand) chosen;            /* choices made in this pair whose results are still valid */
} MeldEmit;

/* ---- emit_put.c ---- */
int emit_reg(MeldEmit *, const char *base, Type);
void emit_put(MeldEmit *, Ins);                            /* adds it at the end of the open block */
Ins emit_copy(MeldEmit *, const Ins *);                    /* a copy with operands of its own */
/* an instruction that melding inserts: dst = op sources */
Ins emit_new(MeldEmit *, const Ins *like, Op, Type, int dst, const Opd *src, int nsrc);
/* puts dst = a for side 0, b for side 1 */
void emit_select(MeldEmit *, const Ins *like, Type, int dst, Opd a, Opd b);
/* the same for addresses, of which `adds` have to be computed first */
void emit_chosen(MeldEmit *, const Ins *like, Type, int dst, const Opd *from, int adds);
Type emit_bits(const MeldEmit *, int reg); /* the type of a move or a choice of the register */
Opd emit_choice(MeldEmit *, const Ins *like, Choice);      /* returns the operand for both sides */
/* an instruction with the marks of that one, in which registers have the side's names. all: lanes of both
   sides come here. by: NULL, or the value by which marks decide that decided as the branch goes */
Ins emit_marked(MeldEmit *, const Ins *, int side, bool all, const Opd *by);
void emit_mark_both(MeldEmit *, Ins *, const Ins *, const Ins *); /* the first gets the marks of the others */
Block *emit_block(MeldEmit *, const char *tail);
/* Instructions are added to that block from now on. New blocks will stand in the order in which they are
   opened. */
void emit_open(MeldEmit *, Block *);
void emit_end(MeldEmit *, Ins term, Block *yes, Block *no, int nsucc); /* ends the open block */
/* behind the last instruction of a block: the cycles until the warp goes on; parts: because its lanes part */
void emit_pause(MeldEmit *, int64_t cycles, bool parts);
void emit_jump(MeldEmit *, const Ins *like, Block *);
/* ends the block: each side goes to its block */
void emit_part(MeldEmit *, const Ins *like, Block *, Block *);

/* ---- emit_pair.c ---- */
void emit_pair(MeldEmit *, const BlockPair *, Block *);    /* puts all of a pair, from that block on */
#endif
