/* The one builder: whoever makes or changes a function (readers, passes, lowering, mechanisms) does it
   through these. New code carries the origin that the Edit was opened with, and the place in the source of
   the code it was made for. Every change moves the function's stamps on, by which analyses know that they are
   stale.

   Blocks are numbered by edit_order and edit_drop_unreached only: in between, blocks that are new have the
   number they were made with. */
#ifndef GSIM_EDIT_H
#define GSIM_EDIT_H
#include "isa/ir.h"
#include "lib/bitset.h"

typedef struct Edit {
	Module *m;
	Function *f;
	uint8_t origin;
	/* Names, noted when the first one is looked for. */
	/* label: index in named; last: by a name without its number, the last number that was tried */
	StrMap label, reg, last;
	Vec(Block *) named;
	bool knows_labels;
	int nreg;                              /* registers noted */
} Edit;

Edit edit_open(Module *, Function *, uint8_t origin);
void edit_close(Edit *);

/* ---- stamps ---- */
void edit_touch_code(Function *);              /* instructions have changed, blocks and edges have not */
void edit_touch_graph(Function *);             /* blocks or edges have changed, and with them instructions */

/* ---- names ---- */
Block *edit_find_block(Edit *, const char *label);     /* NULL: none that the Edit has found or made has it */
int edit_find_reg(Edit *, const char *name, size_t n);    /* -1: there is none; name need not be terminated */
/* which no other block has now; it is kept, not copied */
void edit_label(Edit *, Block *, const char *label);
/* bb<k>, or the first one behind it that is not taken; *k: the number behind that */
const char *edit_auto_label(Edit *, int *k);

/* ---- blocks and edges ---- */
/* new block at the end of the function's list, without instructions; NULL: its label comes later */
Block *edit_add_block(Edit *, const char *label);
/* the same with the label base+tail (made unique) */
Block *edit_block(Edit *, const char *base, const char *tail);
void edit_move_last(Edit *, int at);            /* the list's last block comes to stand there; numbers stay */
/* the function's blocks become this list; numbers them */
void edit_order(Function *, Block *const *list, int n);
/* these are its successors; list NULL: edit_target sets each */
void edit_targets(Edit *, Block *, Block *const *list, int n);
void edit_target(Edit *, Block *, int k, Block *to);           /* edge k goes there */
void edit_retarget(Edit *, Block *, const Block *from, Block *to); /* every edge to `from` goes to `to` */
/* A new block on all edges b -> s; it takes its place behind b in the list that edit_order gets, which the
   caller makes. */
Block *edit_split_edge(Edit *, Block *b, Block *s, const char *tail);
/* the instructions from number `at` on, and the edges, move to the end of `to` */
void edit_move_rest(Edit *, Block *b, int at, Block *to);
/* The same to a new block, to which b jumps. */
Block *edit_split_block(Edit *, Block *b, int at, const char *tail);
/* s, to which b jumps and nobody else goes, becomes the end of b. s is left with `exit` alone, without an
   edge from or to it. */
void edit_merge(Edit *, Block *b, Block *s);
/* Removes blocks that no root (by number) leads to, and numbers the others; a branch that asks for one of
   them as its point does so no more. True: there were some. */
bool edit_drop_unreached(Function *, BitSet roots);

/* Copies of n blocks: block[id] (an entry for each block of the function) is set to each one's copy; edges
   between them go to copies, others where they went. Registers r become reg[r]; reg NULL: they stay. Copies
   keep the origin of what they copy, and no copy is a block of the source. */
void edit_clone(Edit *, Block *const *list, int n, Block **block, const int *reg, const char *tail);

/* A device function becomes a declaration: its header stays, with the registers of arguments and results. */
void edit_drop_body(Function *);

/* ---- marks (isa/ir.h) ---- An instruction that moves or is copied takes its marks along. Where one goes,
   its marks go on to the next instruction of the block (behind the last one: to the next one appended;
   edit_cut_term: what the branch decided is then decided by its condition). So predicates of marks must keep
   their values up to there. Passes that give registers other names rename those of marks
   (function_rename_marks). What a pass says itself: */

/* The instruction is reached by more lanes from now on: all that its marks say holds for lanes for which the
   predicate does (neg: does not) only, of those for which it held. */
void edit_mark_lanes(Edit *, Ins *, Opd predicate);
/* The instruction gets the other one's marks besides its own. */
void edit_mark_also(Edit *, Ins *, const Ins *other);
/* The instruction stands for the other one of another path, too: it gets its marks, and the places it stood
   at. First edit_mark_lanes on both with opposite senses. A branch out of two branches must go to its first
   target where each of them did. Where several become one and marks stay elsewhere: ins_meld. */
void edit_meld(Edit *, Ins *, const Ins *other);

/* ---- instructions ---- */
int edit_add_reg(Edit *, const char *name, size_t n, Type);    /* new register of that name */
int edit_reg(Edit *, const char *base, Type);                  /* new register %base1, %base2, ... */
int edit_temp(Edit *, Type);   /* new register %t<its number>, or the first one behind it that is not taken */
/* in no block yet; its place is that of like (may be NULL) */
Ins edit_new(const Edit *, const Ins *like, Op, Type, int ndst, int nsrc);
Ins edit_copy(const Edit *, const Ins *);                      /* with operands of its own */
Ins *edit_ins(Edit *, Block *, const Ins *like, Op, Type, int ndst, int nsrc);         /* appended */
void edit_insert(Edit *, Block *, int at, Ins);
Ins *edit_append(Edit *, Block *, Ins);
void edit_mov(Edit *, Block *, const Ins *like, int reg, int64_t value);   /* reg = mov.u32 value, appended */
void edit_jump(Edit *, Block *, const Ins *like, Block *to);                           /* appended: bra to */
void edit_branch(Edit *, Block *, const Ins *like, int pred, Block *yes, Block *no);
/* in no block yet: a return whose results are in the registers that the function's head names */
Ins edit_ret(const Edit *, const Ins *like);
/* The return at the block's end finds its results in these registers: moves come in front of it where it read
   others. So all returns are alike, and one may take the place of several. */
void edit_own_results(Edit *, Block *);
Ins edit_remove(Edit *, Block *, int at);                      /* edges stay */
Ins edit_cut_term(Edit *, Block *);     /* takes the last instruction off; the block has no successors then */
/* the branch at the block's end, which always goes to this successor, becomes a jump */
void edit_fold(Edit *, Block *, Block *to);

/* A block's instructions anew, in time proportional to their number: the old list is read, the new one
   written.
   	for (const Ins *i = edit_rewrite(&w, e, b); i; i = edit_next(&w)) edit_put(&w, *i);
   What is put differs from the old one in operands of its own (edit_copy), or not at all. */
/* marks of the last one read; of those that went */
typedef struct Rewrite { Edit *e; Block *b; Ins *old; int n, at, held, lost; bool changed; } Rewrite;
const Ins *edit_rewrite(Rewrite *, Edit *, Block *);                 /* the first old instruction */
const Ins *edit_next(Rewrite *);     /* the next one; NULL: it was the last, and the block has its new list */
void edit_put(Rewrite *, Ins);
void edit_put_instead(Rewrite *, Ins);                         /* stands for the old one, with its marks */
/* stands for the old one, with marks of its own instead of the old one's */
void edit_put_marked(Rewrite *, Ins);
#endif
