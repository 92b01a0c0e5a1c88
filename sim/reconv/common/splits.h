/* What mechanisms do with splits and paths, whatever their rules.

   sim/reconv/common/ has what several mechanisms share, in run time and compile time. It may include core.h
   and seam.h, and no mechanism. */
#ifndef GSIM_SPLITS_H
#define GSIM_SPLITS_H
#include "sim/reconv/core.h"

/* Goes through the warp's splits; the list of splits may not change meanwhile. */
#define each_split(W, S) for (Split *S = reconv_splits(W), *end_##S = S + *reconv_nsplit(W); S < end_##S; S++)

void splits_launch(Warp *, Mask, uint32_t pc); /* a warp begins: one split of all lanes */
int splits_depth(const Warp *);                /* for mechanisms whose depth is the number of splits */
int splits_running(Warp *);                    /* place of the first split that may issue, -1: none may */

/* Does the split wait for other threads? If so, the core lets it go on, whatever the mechanism says. */
static inline bool split_waits(const Split *s)
{
	return s->state == SPLIT_BARRIER || s->state == SPLIT_WARPSYNC;
}
Mask splits_waiting(Warp *);                   /* the lanes of all splits that wait for other threads */
void split_park(Split *);
void split_not_before(Warp *, Split *, Cycle, uint8_t why);
void split_run(Warp *, Split *);         /* the split may issue from the next cycle on, if it is ready then */
/* True: a parked split may run again; false: a split that may run is parked. Changes nothing while the split
   waits for other threads. */
void split_permit(Warp *, Split *, bool);

/* Adds a split for the path behind all others. It may issue when `from`, the split whose issue made it, may,
   but does not wait for memory traffic of that one. */
Split *splits_add(Warp *, Path, const Split *from);
/* Delays a split, whose jump the core does not see, by a redirect of the front end. pc: the place to which
   its lanes would fall through; a split that stands there has not jumped. */
void split_redirect(Warp *, Split *, uint32_t pc);
Split *splits_part(Warp *, Split *, Mask);  /* the lanes leave the split for a copy of it behind all others */
/* The split takes in these lanes of s, all or some, and waits for what s waits for, too. */
void split_join(Warp *, Split *, const Split *s, Mask);
/* Takes the split out of the list, and its row out of a table of the mechanism's, of which row k belongs to
   split k. Splits and rows behind move up. row: bytes of a row. */
void splits_take_out(Warp *, Split *, void *table, size_t row);

/* ---- merging: groups that stand at one place become one ----
 * A mechanism decides which groups merge, and when it looks for them. */

/* Does the split go on from pc? Not if it waits for other threads, or has a barrier to step over first. */
static inline bool split_stands(const Split *s, uint32_t pc)
{
	return s->pc == pc && !split_waits(s) && !s->released;
}
/* As split_stands, and does the mechanism know that the split stands there? If so, lanes that come to pc may
   become part of the split. */
static inline bool split_meets(const Split *s, uint32_t pc) { return split_stands(s, pc) && !s->arriving; }
/* These lanes of s, all or some, become part of the split `into`, which stands where the lanes go. This
   counts as a merge. */
void split_merge(Warp *, Split *, const Split *s, Mask);

/* Sorts order[0..n), indices of paths, by rising keys of their lanes; equal ones keep their order. */
void paths_sort(const Path *, int n, int *order, int (*key)(Mask));
#endif
