/* The one builder: readers, passes, lowering and mechanisms make and change functions by these calls only.
   New code carries the origin with which the Edit was opened, and the place in the source of the code it was
   made for. Every change increments the function's stamps, by which analyses know that they are stale.

   Whoever makes a block says where in the function's list it belongs. It gets there with edit_settle, or when
   the Edit is closed; until then it stands at the end, so that every block keeps its number, and the list can
   be indexed by these numbers. */
#ifndef GSIM_EDIT_H
#define GSIM_EDIT_H
#include "isa/ir.h"
#include "lib/bitset.h"

/* A block's neighbours in the order in which blocks will stand; the last block that was put behind it; and
   the block behind which it was put itself. NULL: there is none. */
typedef struct EditStand { Block *before, *behind, *put, *at; } EditStand;
/* The order in which blocks will stand. block: by number; empty: the order is that of the function's list.
   n: how many blocks there will be. changed: the order is another than that of the list. */
typedef struct EditOrder { Vec(EditStand) block; Block *first, *last; int n; bool changed; } EditOrder;

typedef struct Edit {
	Module *m;
	Function *f;
	uint8_t origin;
	/* Names of the function, noted when a name is looked for first. */
	/* label: from a block's label to its index in `named`; reg: from a register's name to its number;
	   last: from a name without its number to the last number that was tried behind it */
	StrMap label, reg, last;
	Vec(Block *) named;
	bool knows_labels;
	int nreg;                              /* how many registers `reg` has */
	EditOrder order;
} Edit;

Edit edit_open(Module *, Function *, uint8_t origin);
void edit_close(Edit *);                       /* calls edit_settle */

/* ---- stamps ---- */
void edit_touch_code(Function *);              /* instructions have changed, blocks and edges have not */
void edit_touch_graph(Function *);             /* blocks or edges have changed, and with them instructions */

/* ---- names ---- */
Block *edit_find_block(Edit *, const char *label);     /* NULL: no block has this label */
/* -1: no register has this name of n bytes, which need not be terminated */
int edit_find_reg(Edit *, const char *name, size_t n);
/* Gives the block a label that no other block has now; the string is kept, not copied. */
void edit_label(Edit *, Block *, const char *label);
/* Returns the label bb<*k>, or if that is taken, the next bb<number> that is free; sets *k to the number
   after it. */
const char *edit_auto_label(Edit *, int *k);

/* ---- where blocks stand ---- */
/* A place in the list, beside the block `at`. Without a block: in front of all (SPOT_BEFORE), or behind
   all. */
typedef enum { SPOT_BEFORE, SPOT_NEXT, SPOT_BEHIND } SpotSide;
typedef struct BlockSpot { Block *at; SpotSide side; } BlockSpot;
/* right before the block; right behind it; behind it and behind all that was put behind it in this way
   since the last edit_settle */
static inline BlockSpot spot_before(Block *b) { return (BlockSpot){ b, SPOT_BEFORE }; }
static inline BlockSpot spot_next(Block *b) { return (BlockSpot){ b, SPOT_NEXT }; }
static inline BlockSpot spot_behind(Block *b) { return (BlockSpot){ b, SPOT_BEHIND }; }
static inline BlockSpot spot_first(void) { return (BlockSpot){ NULL, SPOT_BEFORE }; }
static inline BlockSpot spot_last(void) { return (BlockSpot){ NULL, SPOT_BEHIND }; }

void edit_move(Edit *, Block *, BlockSpot);            /* the block belongs there from now on */
/* Takes a block to which nothing leads any more out of the function, with the next edit_settle; its
   instructions are gone at once. */
void edit_drop(Edit *, Block *);
/* the first block, the last one, and the one in front of b (NULL: b is the first), as they will stand if
   nothing else is moved */
Block *edit_first(Edit *);
Block *edit_last(Edit *);
Block *edit_before(Edit *, const Block *b);
/* Puts the blocks in the order that was asked for and numbers them anew, if one was asked for or a block
   was dropped. Analyses that go by the order of blocks need this first, and so does edit_drop_unreached. */
void edit_settle(Edit *);
/* For a pass that lays out a whole function: this list is the function's blocks from now on. */
void edit_order(Edit *, Block *const *list, int n);

/* ---- blocks and edges ---- */
/* Adds a block without instructions, the last of the list. label NULL: the caller labels the block later. */
Block *edit_add_block(Edit *, const char *label);
/* Adds such a block at that spot, with the label base+tail, and a number behind it if that label is taken. */
Block *edit_block(Edit *, BlockSpot, const char *base, const char *tail);
/* Moves the last block of the list to position `at` at once; the blocks keep their numbers. No block may
   be on its way to a spot. */
void edit_move_last(Edit *, int at);
/* Sets the n successors of the block; list NULL: the caller sets each of them by edit_target. */
void edit_targets(Edit *, Block *, Block *const *list, int n);
void edit_target(Edit *, Block *, int k, Block *to);           /* edge k goes to `to` from now on */
/* every edge of the block that went to `from` goes to `to` */
void edit_retarget(Edit *, Block *, const Block *from, Block *to);
/* Puts a new block on all edges from b to s and returns it; it stands at spot_behind(b). */
Block *edit_split_edge(Edit *, Block *b, Block *s, const char *tail);
/* Moves b's instructions from number `at` on to the end of `to`, and gives b's edges to `to`. */
void edit_move_rest(Edit *, Block *b, int at, Block *to);
/* Does the same with a new block right behind b, to which b then jumps, and returns the new block. */
Block *edit_split_block(Edit *, Block *b, int at, const char *tail);
/* Moves the code of s to the end of b, in the place of b's jump to s; no other block may go to s. What is
   left of s is `exit` alone, without an edge from or to it. */
void edit_merge(Edit *, Block *b, Block *s);
/* Removes the blocks to which no way from a root leads (roots: numbers of blocks), and numbers the others
   anew. A branch that asks for a removed block as its reconvergence point asks for none any more. Returns
   true if blocks were removed. */
bool edit_drop_unreached(Function *, BitSet roots);
/* the numbers of the blocks that branches ask for as their reconvergence points */
BitSet edit_named(Arena *, const Function *);
/* Calls edit_settle, and removes the blocks to which neither the entry nor such a block leads. Returns true
   if there were any. */
bool edit_drop_dead(Edit *);

/* Copies n blocks; the copies stand at the spot, in the order of the list. block[] has an entry for each
   block of the function; edit_clone sets the entries of the copied blocks to their copies. Edges between
   copied blocks go to the copies, others go where they went. A copy has register reg[r] where the block
   has r; reg NULL: the registers stay. Copies keep the origin of what they copy, get labels with the tail,
   and are no blocks of the source. */
void edit_clone(Edit *, BlockSpot, Block *const *list, int n, Block **block, const int *reg,
	const char *tail);

/* A device function becomes a declaration: its header stays, with the registers of arguments and results. */
void edit_drop_body(Function *);

/* ---- marks (isa/ins.h) ---- An instruction that is moved or copied takes its marks along. When an
   instruction is removed, its marks go to the next instruction of the block; when it was the last, to the
   next one that is appended. When edit_cut_term removes a branch, its marks say from then on that its
   condition decides. So the predicates that marks name must keep their values up to the instruction that gets
   the marks. A pass that renames registers also renames those of marks (function_rename_marks). What a pass
   has to say itself: */

/* More lanes reach the instruction from now on. What its marks say then holds only for those lanes for which
   it held before and for which the predicate holds (neg: does not hold). */
void edit_mark_lanes(Edit *, Ins *, Opd predicate);
/* The instruction gets the marks of `other` besides its own. */
void edit_mark_also(Edit *, Ins *, const Ins *other);
/* The instruction also stands for `other`, an instruction of another path: it gets the marks of `other`, and
   the places at which `other` stood. Before this the caller calls edit_mark_lanes on both with opposite
   senses. If two branches become one, it must go to its first target where each of them went to its own first
   target. Where several instructions become one, but their marks stay elsewhere, the caller calls ins_meld
   instead. */
void edit_meld(Edit *, Ins *, const Ins *other);

/* ---- instructions ---- */
int edit_add_reg(Edit *, const char *name, size_t n, Type);    /* new register of that name */
/* new register %base1, or %base2 if that is taken, ... */
int edit_reg(Edit *, const char *base, Type);
int edit_temp(Edit *, Type);   /* new register %t<its number>, or %t with the next number that is free */
/* Makes an instruction that is in no block yet; its place in the source is that of `like` (NULL: unknown). */
Ins edit_new(const Edit *, const Ins *like, Op, Type, int ndst, int nsrc);
Ins edit_copy(const Edit *, const Ins *);                      /* the copy has operands of its own */
Ins *edit_ins(Edit *, Block *, const Ins *like, Op, Type, int ndst, int nsrc);         /* appended */
void edit_insert(Edit *, Block *, int at, Ins);
Ins *edit_append(Edit *, Block *, Ins);
void edit_mov(Edit *, Block *, const Ins *like, int reg, int64_t value);   /* appends reg = mov.u32 value */
/* appends a jump to `to` */
void edit_jump(Edit *, Block *, const Ins *like, Block *to);
void edit_branch(Edit *, Block *, const Ins *like, int pred, Block *yes, Block *no);
/* Makes a return that is in no block yet; its results are in the registers that the function's head names. */
Ins edit_ret(const Edit *, const Ins *like);
/* Makes the return at the block's end read its results from the registers that the function's head names:
   moves are inserted in front of it where it read others. So all returns become alike, and one may take the
   place of several. A block that does not end with a return is left as it is. */
void edit_own_results(Edit *, Block *);
Ins edit_remove(Edit *, Block *, int at);                      /* the block's edges stay */
Ins edit_cut_term(Edit *, Block *);     /* takes off the last instruction; then the block has no successors */
/* Makes the branch at the block's end, which always goes to the successor `to`, a jump to it. */
void edit_fold(Edit *, Block *, Block *to);

/* Writes a block's instructions anew, in time proportional to their number: the caller reads the old list and
   puts the new one.
   	for (const Ins *i = edit_rewrite(&w, e, b); i; i = edit_next(&w)) edit_put(&w, *i);
   An instruction that is put either equals the old one or has operands of its own (edit_copy). */
/* n: number of old instructions; at: how many of them have been read; held: marks of the one read last; lost:
   marks of old instructions that were not put again, for the next one that is put */
typedef struct Rewrite { Edit *e; Block *b; Ins *old; int n, at, held, lost; bool changed; } Rewrite;
/* begins, and returns the first old instruction */
const Ins *edit_rewrite(Rewrite *, Edit *, Block *);
/* Returns the next old instruction; NULL: there is none, and the block has its new list. */
const Ins *edit_next(Rewrite *);
void edit_put(Rewrite *, Ins);
/* Puts an instruction that stands for the old one read last, and gets its marks. */
void edit_put_instead(Rewrite *, Ins);
/* Puts an instruction that stands for the old one read last, with marks of its own in the place of those of
   the old one. */
void edit_put_marked(Rewrite *, Ins);
#endif
