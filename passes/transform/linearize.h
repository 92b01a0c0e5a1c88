/* Inside linearization: finding regions (linearize_region.c) and rewriting one (linearize_build.c). */
#ifndef GSIM_LINEARIZE_H
#define GSIM_LINEARIZE_H
#include "isa/edit.h"
#include "passes/analysis/analysis.h"

/* A function's graph with a virtual exit x = n and a virtual entry e = n + 1. */
typedef struct Flow { Arena *arena; Cfg *cfg; Graph *g; int e, x; Dom *dom, *pdom; } Flow;
void flow_build(Flow *, Arena *, Function *);

/* Blocks with one way in, from block d (or e), and one way out, to p (or x); d and p are not among them. */
typedef struct Region { int d, p, n; BitSet in; } Region;
Region region_around(const Flow *, BitSet seeds);
/* The region alone: e stands for d and has the edges from d, x stands for p. */
Graph *region_graph(Arena *, const Flow *, const Region *);
/* Unstructured regions with nothing unstructured inside, smallest first, disjoint from each other. admit says whether one
   may be rewritten. Returns their number; *found points to them. */
int regions_find(const Flow *, bool (*admit)(void *self, const Region *), void *self, Region **found);

/* New blocks and where they go: right before or after a block of the old list. */
typedef struct Placed { int key, seq; Block *block; } Placed;
/* A guard or back block: goes to its first successor when g is within lo..hi. A region's guards stand together. */
typedef struct Guard { Block *block; bool back; int g, test, lo, hi, values; } Guard; /* test: its predicate; g is below values */
typedef Vec(Guard) Guards;
typedef struct Lin { Edit *edit; const Flow *flow; Vec(Placed) placed; Guards *guards; } Lin;
void linearize_region(Lin *, const Region *);
/* level 0..4; work: blocks that may be looked at. Returns how many of the guards have been looked at, n when the work sufficed. */
int linearize_optimise(Edit *, const Guard *, int n, int level, int64_t work);
#endif
