/* What mechanisms do with splits and paths, whatever their rules.

   sim/reconv/common/ has what several mechanisms share, in run time and compile time. It may include core.h
   and seam.h, and no mechanism. */
#ifndef GSIM_SPLITS_H
#define GSIM_SPLITS_H
#include "sim/reconv/core.h"

/* The list may not change in the loop. */
#define each_split(W, S) for (Split *S = reconv_splits(W), *end_##S = S + *reconv_nsplit(W); S < end_##S; S++)

void splits_launch(Warp *, Mask, uint32_t pc); /* a warp begins: one split of all lanes */
int splits_depth(const Warp *);                /* for mechanisms whose depth is the number of splits */
int splits_running(Warp *);                    /* the place of the first that may issue, -1: none may */

/* A split that waits for other threads: the core lets it go, whatever the mechanism says. */
static inline bool split_waits(const Split *s)
{
	return s->state == SPLIT_BARRIER || s->state == SPLIT_WARPSYNC;
}
Mask splits_waiting(Warp *);                   /* the lanes of all splits that wait for other threads */
void split_park(Split *);
void split_not_before(Warp *, Split *, Cycle, uint8_t why);
void split_run(Warp *, Split *);         /* the split may issue from the next cycle on, if it is ready then */
/* true: runs the split, false: parks it; nothing while it waits for other threads */
void split_permit(Warp *, Split *, bool);

/* Adds a split behind all others; it is ready when the split whose issue made it is. */
Split *splits_add(Warp *, Path, const Split *from);
/* Charges a redirect to a split that the core does not see jump; none if its lanes fall through to pc. */
void split_redirect(Warp *, Split *, uint32_t pc);
Split *splits_part(Warp *, Split *, Mask);  /* the lanes leave the split for a copy of it behind all others */
void split_join(Warp *, Split *, const Split *s, Mask); /* takes in these lanes of s, all or some */
/* Takes the split out of the list and its row out of the table, whose row k belongs to split k: those behind
   move up. */
void splits_take_out(Warp *, Split *, void *table, size_t row);

/* ---- merging: groups that stand at one place become one ----
 * A mechanism decides which groups merge, and when it looks for them. */

/* The split goes on from pc: it waits for no other threads, and has no barrier to step over first. */
static inline bool split_stands(const Split *s, uint32_t pc)
{
	return s->pc == pc && !split_waits(s) && !s->released;
}
/* ... and the mechanism has been told so: lanes that come to pc may become part of the split. */
static inline bool split_meets(const Split *s, uint32_t pc) { return split_stands(s, pc) && !s->arriving; }
/* Lanes of s, all or some, become part of the split `into`, which stands where they go. This counts as a
   merge. */
void split_merge(Warp *, Split *, const Split *s, Mask);

/* Sorts order[0..n), indices of paths, by rising keys of their lanes; equal ones keep their order. */
void paths_sort(const Path *, int n, int *order, int (*key)(Mask));
#endif
