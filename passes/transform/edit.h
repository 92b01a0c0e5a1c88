/* What passes share when they insert code: instructions and blocks that carry the pass's origin and a source place. */
#ifndef GSIM_EDIT_H
#define GSIM_EDIT_H
#include "isa/ir.h"
#include "lib/bitset.h"

typedef struct Edit { Module *m; Function *f; uint8_t origin; } Edit;

Block *edit_block(Edit *, const char *base, const char *tail); /* new block base+tail (made unique), not yet in the function's list */
void edit_place(Block **list, int n, Function *);              /* the function's blocks become this list; renumbers */
int edit_reg(Edit *, const char *base, Type);                  /* new register %base1, %base2, ... */
Ins *edit_ins(Edit *, Block *, const Ins *like, Op, Type, int ndst, int nsrc); /* appended; place taken from like (may be NULL) */
void edit_jump(Edit *, Block *, const Ins *like, Block *to);
void edit_branch(Edit *, Block *, const Ins *like, int pred, Block *yes, Block *no);
void edit_mov(Edit *, Block *, const Ins *like, int reg, int64_t value);       /* reg = mov.u32 value, before nothing: appended */
Ins edit_cut_term(Block *);                                    /* takes the terminator off; the block has no successors then */
void edit_retarget(Edit *, Block *, const Block *from, Block *to); /* every edge to `from` goes to `to`; the array is copied first */
bool edit_drop_unreached(Function *, BitSet roots);             /* removes blocks that no root leads to, and renumbers; true: there were some */
#endif
