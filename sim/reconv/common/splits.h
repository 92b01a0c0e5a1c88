/* What mechanisms do with splits and paths, whatever their rules.

   sim/reconv/common/ has what several mechanisms share, in run time and compile time. It may include core.h and seam.h, and no mechanism. */
#ifndef GSIM_SPLITS_H
#define GSIM_SPLITS_H
#include "sim/reconv/core.h"

/* The list may not change meanwhile. */
#define each_split(W, S) for (Split *S = reconv_splits(W), *end_##S = S + *reconv_nsplit(W); S < end_##S; S++)

void splits_launch(Warp *, Mask, uint32_t pc); /* a warp begins: one split of all lanes */
int splits_depth(const Warp *);                /* for mechanisms whose depth is the number of splits */
int splits_running(Warp *);                    /* the place of the first that may issue, -1: none may */

/* It waits for other threads: the core lets it go, whatever the mechanism says. */
static inline bool split_waits(const Split *s) { return s->state == SPLIT_BARRIER || s->state == SPLIT_WARPSYNC; }
Mask splits_waiting(Warp *);                   /* the lanes of those that do */
void split_park(Split *);
void split_run(Warp *, Split *);               /* from the next cycle on, if it is ready then */
void split_permit(Warp *, Split *, bool);      /* parks it or runs it; not while it waits */

/* A new split behind all others, as ready as the one from whose issue it comes. */
Split *splits_add(Warp *, Path, const Split *from);
/* ... not the next place of that one, as the core sees it: unless it falls through to pc, it is redirected by itself. */
void split_redirect(Warp *, Split *, uint32_t pc);
Split *splits_part(Warp *, Split *, Mask);     /* the lanes leave it for a new one behind all others, a copy of it */
void split_join(Split *, const Split *s, Mask); /* lanes of s, all or some, become its own */
/* The split is gone from the list, and row k of the table, which belongs to split k, with it: those behind move up. */
void splits_take_out(Warp *, Split *, void *table, size_t row);

/* ---- merging: groups that stand at one place become one ----
 * Which of them do, and when it looks for them, is a mechanism's own affair. */

/* It goes on from pc: it waits for no other threads, and has not yet to step over a barrier that let it go. */
static inline bool split_stands(const Split *s, uint32_t pc) { return s->pc == pc && !split_waits(s) && !s->released; }
/* ... and the mechanism knows that, so that lanes which come there may become part of it. */
static inline bool split_meets(const Split *s, uint32_t pc) { return split_stands(s, pc) && !s->arriving; }
/* Lanes of s, all or some, become part of the split that stands where they go. It is counted as a merge. */
void split_merge(Warp *, Split *, const Split *s, Mask);

/* Sorts order[0..n), indices of paths, by rising keys of their lanes; equal ones keep their order. */
void paths_sort(const Path *, int n, int *order, int (*key)(Mask));
#endif
