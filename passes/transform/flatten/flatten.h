/* Inside loop flattening: the nest of loops as lists of the blocks that matter (nest.c), what pays
   (decide.c), one outer loop rewritten (rewrite.c). */
#ifndef GSIM_FLATTEN_H
#define GSIM_FLATTEN_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"

typedef Vec(Block *) BlockList;

/* A loop; the lists hold blocks with edges that begin or end turns, as the function is now, inner loops
   rewritten first. */
typedef struct FlatLoop {
	int parent, end, depth;    /* loops inside have the numbers behind this one up to end; depth from 1 */
	bool reducible;
	const char *waits;            /* where in it a thread may wait for what others do, as text; or NULL */
	const Ins *convergent;         /* one that depends on which threads execute it together, or NULL */
	Block *source;                 /* its header in the source */
	Block *head;                   /* where turns begin: the header, or what was put before it */
	int last, back;         /* the last of its blocks in the function's order; edges back to its header */
	/* own: in no inner loop, with an edge to a header or out; enter: outside, with an edge to head */
	BlockList own, leave, enter;

	/* becomes part of the loop around it; a turn of that one that comes to it takes its first turn,
	   too */
	bool chosen, now;
	int again;                     /* register: the thread goes on with a turn of this loop */

	bool flattened, within;        /* has taken inner ones in; it or one around it has */
	/* by the profile: of all its blocks; executions of the header by warps, by threads */
	double cycles, fetches, threads;
	/* by the profile: turns of all threads, those of inner loops when these have been taken in */
	double turns;
	double issues;                 /* by the profile: instructions of all its blocks */
	/* by its trial: cycles and instructions of all its blocks; executions of the header by warps */
	double tried, tried_issues, tried_turns;
	/* cost of its own blocks, and of a turn, inner loops included; mean turns, each time it is entered */
	double body, turn, trips;
} FlatLoop;

typedef struct Placed { int key, seq; Block *block; } Placed;

typedef enum { EXITS_LATCH, EXITS_DIRECT } Exits;
typedef enum { RULE_ALWAYS, RULE_PAPER, RULE_CORRECTED } Rule;
typedef enum { ENTER_AUTO, ENTER_NOW, ENTER_NEXT } Enter;

typedef struct Nests {
	PassRun *r;
	Edit edit;
	Arena arena;
	const Cfg *cfg;                /* as the pass began: for blocks that were there then */
	int n;
	FlatLoop *loop;                /* outer ones first, each followed by those inside */
	/* by block: the innermost loop around it; the loop whose head it is; -1 = none */
	Vec(int) of, begins;
	/* of one rewriting: an exit's number, or -1; the last loop whose walk has been here */
	Vec(int) code, seen;
	BlockList via;                 /* of one indexed branch: where a target is reached by, or NULL */
	Vec(Placed) placed;            /* new blocks */
	Exits exits;
	Enter enter;
	Rule rule;
	double lanes;                  /* of a warp: the profile's, else the machine's */
	double idle, trips;  /* assumed: of these, how many are idle, 0 = not known; turns of an inner loop */
	const Dom *pdom;               /* as the pass began; NULL: every loop has one edge back */
	const Uniformity *uniformity;  /* likewise; NULL when the rule does not ask */
} Nests;

void nests_open(Nests *, PassRun *);
void nests_close(Nests *);             /* puts the new blocks into the function's order */
static inline bool nest_has(const Nests *w, int loop, const Block *b)
{
	int of = w->of.v[b->id];
	return of >= loop && of < w->loop[loop].end;
}
/* There is something to make one loop of: it has loops in it, or is two with one header. */
static inline bool nest_may(const Nests *w, int loop)
{
	return w->loop[loop].end > loop + 1 || w->loop[loop].back > 1;
}
/* b, which is new, lies in that loop (-1: in none), right before or behind block number anchor. */
Block *nest_place(Nests *, int loop, int anchor, bool behind, const char *base, const char *tail);
bool nest_fatal(const Nests *, const Block *);   /* all ways from it abort: where it stands does not matter */
/* b has an edge out of the loop, not counting aborts */
bool nest_leaves(const Nests *, int loop, const Block *b);
void nest_pass_on(Nests *, int loop); /* the loop stays as it is: which blocks leave it, for the one around */

/* Two loops share the header: threads go back to it from somewhere before a block that all have to come to,
   as those of an inner loop do that the outer one begins with. inner: gets the cost of what they execute in
   such a turn. */
bool nest_shares_header(Nests *, int loop, double *inner);

double decide_cost(const Nests *, const Block *);
void decide_prepare(Nests *);
bool decide_shared(Nests *, int a, double inner);
/* loop k is to become part of loop a, the one around it; remarks say why, or why not */
bool decide(Nests *, int a, int k);
void decide_turns(Nests *, int loop);  /* what is inside of the loop has been decided */

/* The inner loops that are chosen become part of this one; none is when it shares its header with the inner
   loop. */
void nest_rewrite(Nests *, int loop);
#endif
