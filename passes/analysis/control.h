/* Control dependence, and regions with one entry and one exit. Both are computed on the graph without the
 * edges that lead to fatal blocks: threads that abort the launch meet nobody again. */
#ifndef GSIM_CONTROL_H
#define GSIM_CONTROL_H
#include "passes/analysis/analysis.h"

/* Block m is control dependent on block b when an edge b -> s exists so that m post-dominates s, but not
 * strictly b (Ferrante, Ottenstein, Warren, TOPLAS 1987), and on the entry of the function when it
 * post-dominates the first block. A fatal block depends on the branches that lead to it. The pairs of blocks
 * may be as many as the square of the blocks; so they are not stored: an answer is computed when it is asked
 * for, in time proportional to its length. */
enum { CONTROL_ENTRY = -1 };
typedef struct Control {
	const Cfg *c;
	const Dom *pdom;
	int n, width;          /* n: edges on which some block depends; width: n rounded up to a power of 2 */
	/* in the order of first[to] in the tree of post-dominators; on the edge depend `to` and what lies
	   above it, up to below `stop` */
	struct ControlEdge { int from, to, stop; } *edge;
	/* a tree with the least depth of `stop`: least[1] of all edges, least[2k] and least[2k + 1] of the
	   two halves of the edges of least[k] */
	int *least;
} Control;
Control *control_build(Arena *, const Cfg *, const Dom *pdom);
/* Calls visit for each branch on which the block depends, once for each edge of the branch (to block `to`) on
   which it does; and for CONTROL_ENTRY, if it depends on the function's entry. */
void control_branches(const Control *, int block, void (*visit)(void *, int branch, int to), void *);
/* Calls visit for each block that depends on the branch, once for each edge of the branch on which it
   does. */
void control_dependents(const Control *, int branch, void (*visit)(void *, int block), void *);

/* A region (e, x) is a set of blocks: all edges that come in go to e, all that go out go to x, which is not
 * in the set. A region is canonical when it does not consist of two smaller ones, (e, y) and (y, x), one
 * behind the other. Canonical regions contain each other or have nothing in common. */
typedef struct SeseRegion {
	int entry, exit;           /* exit: c->n is the virtual exit */
	int parent;        /* the smallest region around this one; -1: this is the whole function, region 0 */
	int depth, blocks;         /* nesting depth from 0; number of blocks */
} SeseRegion;
typedef struct SeseRegions {
	int n;
	SeseRegion *region;            /* outer regions come before inner ones */
	int *of;                   /* by block: its innermost region; -1: unreachable or fatal */
	const Dom *dom;            /* dominators of the graph with the virtual exit */
} SeseRegions;
SeseRegions *regions_build(Arena *, const Cfg *);
bool region_has(const SeseRegions *, int region, int block);

void control_print(const Cfg *, const Control *, StrBuf *);
void regions_print(const Cfg *, const SeseRegions *, StrBuf *);
#endif
