/* Inside loop flattening: nest.c keeps the nest of loops as lists of the blocks that matter, decide.c says
   what pays, rewrite.c rewrites one outer loop. */
#ifndef GSIM_FLATTEN_H
#define GSIM_FLATTEN_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"

/* A loop. Its lists hold the blocks with edges that begin or end turns, as the function is now: inner loops
   are rewritten before the loop around them. */
typedef struct FlatLoop {
	/* the loop around it, -1 = none; loops inside have the numbers behind this one up to below end;
	   depth, from 1 */
	int parent, end, depth;
	bool reducible;
	const char *waits;  /* text: where in the loop a thread may wait for what others do; NULL: nowhere */
	/* an instruction that depends on which threads execute it together, or NULL */
	const Ins *convergent;
	Block *source;                 /* its header in the source */
	Block *head;    /* the block where turns begin: the header, or the block put before it */
	/* number of the last of its blocks in the function's order; how many edges lead back to its header */
	int last, back;
	/* own: blocks in no inner loop with an edge to a header or out of the loop; leave, filled when the
	   loop is done: blocks, also of inner loops, with an edge out of it; enter: blocks outside with an
	   edge to head */
	BlockList own, leave, enter;

	/* chosen: the loop becomes part of the loop around it; now: a thread that comes to the loop takes its
	   first turn there and then, in the same turn of the loop around */
	bool chosen, now;
	int again;      /* register: true while the thread goes on with turns of this loop; -1: none yet */

	/* the loop has taken inner ones in; it, or a loop around it, has */
	bool flattened, within;
	/* by the profile: cycles of all its blocks; how often warps, and threads, executed the header */
	double cycles, fetches, threads;
	/* by the profile: turns of all threads; of a loop that has taken inner ones in, the turns of these */
	double turns;
	double issues;                 /* by the profile: instructions that warps issued in all its blocks */
	/* by the profile's trial: cycles and instructions of all its blocks; how often warps executed the
	   header */
	double tried, tried_issues, tried_turns;
	/* cycles of its own blocks, executed once; of a turn, inner loops included; mean turns each time the
	   loop is entered */
	double body, turn, trips;
} FlatLoop;

typedef enum { EXITS_LATCH, EXITS_DIRECT } FlattenExits;
typedef enum { RULE_ALWAYS, RULE_PAPER, RULE_CORRECTED } FlattenRule;
typedef enum { ENTER_AUTO, ENTER_NOW, ENTER_NEXT } FlattenEnter;

typedef struct Nests {
	PassRun *r;
	Edit edit;
	Arena arena;
	const Cfg *cfg;                /* made when the pass began: for blocks that were there then */
	int n;
	FlatLoop *loop;                /* outer loops first, each followed by the loops inside it */
	/* by block: the innermost loop around it; the loop whose head it is; -1 = none */
	Vec(int) of, begins;
	/* by block: its number among the exits of the loop that is being rewritten, or -1; the last loop
	   whose walk has come here */
	Vec(int) code, seen;
	/* by block: by which block the indexed branch that is being rewritten leads there now, or NULL */
	BlockList via;
	FlattenExits exits;
	FlattenEnter enter;
	FlattenRule rule;
	double lanes;                  /* lanes of a warp: the profile's, else the machine's */
	/* assumed: how many of these lanes are idle, 0 = not known; turns of an inner loop */
	double idle, trips;
	const Dom *pdom;               /* made when the pass began; NULL: every loop has only one edge back */
	const Uniformity *uniformity;  /* made when the pass began; NULL: the rule does not need it */
} Nests;

void nests_open(Nests *, PassRun *);
void nests_close(Nests *);
static inline bool nest_has(const Nests *w, int loop, const Block *b)
{
	int of = w->of.v[b->id];
	return of >= loop && of < w->loop[loop].end;
}
/* May there be something to flatten: are there loops in the loop, or several edges back to its header, as two
   loops with one header have? */
static inline bool nest_may(const Nests *w, int loop)
{
	return w->loop[loop].end > loop + 1 || w->loop[loop].back > 1;
}
/* Makes a block that lies in that loop (-1: in none). */
Block *nest_place(Nests *, int loop, BlockSpot, const char *base, const char *tail);
bool nest_fatal(const Nests *, const Block *);   /* do all ways from the block abort? */
/* has b an edge out of the loop, not counting aborts? */
bool nest_leaves(const Nests *, int loop, const Block *b);
/* fills in `leave` of a loop that stays as it is, for the loop around it */
void nest_pass_on(Nests *, int loop);

/* Are there two loops that share the header? Then threads go back to the header from somewhere before a block
   to which all threads in the loop have to come: they make turns of an inner loop with which the outer loop
   begins. *inner: the cost of what they execute in such a turn. */
bool nest_shares_header(Nests *, int loop, double *inner);

double decide_cost(const Nests *, const Block *);
void decide_prepare(Nests *);
/* Does flattening loop a pay, which shares its header with an inner loop? inner: the cost of a turn of
   that. */
bool decide_shared(Nests *, int a, double inner);
/* Is loop k to become part of loop a, the one around it? Remarks say why, or why not. */
bool decide(Nests *, int a, int k);
/* computes what a turn of the loop costs, when it is decided which loops inside are taken in */
void decide_turns(Nests *, int loop);

/* Makes the chosen inner loops part of this loop. No loop is chosen when this one shares its header with an
   inner one. */
void nest_rewrite(Nests *, int loop);
#endif
