/* What the files of the builder share (isa/edit_*.c). */
#ifndef GSIM_EDIT_OWN_H
#define GSIM_EDIT_OWN_H
#include "isa/edit.h"

/* Notes a block that has been added at the end of the function's list. */
void edit_order_add(Edit *, Block *);
/* Puts `rest`, the last block of the list, right behind b: it has been cut off b. What was put behind b
   stands behind it from then on. */
void edit_order_split(Edit *, Block *b, Block *rest);

/* base+tail, or if that label is taken, base+tail with a number behind it */
const char *edit_fresh_label(Edit *, const char *base, const char *tail);

/* Changes the marks of a branch that is to be removed: those that decide as the branch goes decide by its
   condition from now on. An indexed branch counts as one that all lanes take. Returns the new list. */
int edit_cut_marks(Function *, const Ins *branch);
/* Moves decisions to the branch at the block's end: the marks of earlier instructions of the block that
   decide by the same value as the branch. Looks back as far as the instruction that writes the condition. */
void edit_move_decisions(Function *, Block *);
/* Makes marks at a conditional branch that decide by its condition decide as the branch goes. */
void edit_settle_marks(Function *, Ins *);
/* Gives the instruction that is appended to the block the marks of those that were removed before it. */
void edit_take_marks(Function *, Block *, Ins *);
#endif
