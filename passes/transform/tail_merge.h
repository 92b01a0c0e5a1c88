/* Inside tail-merge: tail_merge_find.c says which blocks end alike, tail_merge.c puts that in one place. */
#ifndef GSIM_TAIL_MERGE_H
#define GSIM_TAIL_MERGE_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"
#include "passes/transform/facts.h"

enum { OPTION_SIZE, OPTIONS };

typedef Vec(Block *) BlockList;

typedef struct Place {             /* by block, those included that are made in this sweep */
	Block *prev, *next;            /* in the text */
	BlockList from;                /* blocks that jump here, or did */
	Block *above;                  /* the only one that leads here; NULL: there are several, or none */
	int loop;                      /* innermost one, or -1 */
	/* cannot be reached; a branch asks to reconverge here; in the list of what is to be looked at */
	bool gone, named, queued;
} Place;

/* length: instructions at its end that may be merged, its jump apart */
typedef struct Tail { Block *b; int length; } Tail;

typedef struct Node {              /* a run of instructions up to the blocks' ends */
	int parent, length;            /* the run without its first instruction; -1: it is empty */
	int first, last, n; /* blocks that end in it, and in none that is longer: a list through Merge.next */
} Node;

typedef struct Run { int length, node; } Run;

typedef struct Merge {
	PassRun *r;
	Edit e;
	Arena arena;                   /* of one sweep, as is all below but for the counts */
	Vec(Place) place;
	BlockList todo;
	Keys ins, run;                 /* numbers for instructions; for runs: parent and first instruction */
	Vec(Node) node;                /* by number of the run */
	Vec(Tail) tail;                /* of the block that is looked at */
	Vec(int) next;                 /* by tail: the next one in its node's list, -1: none */
	Vec(Run) order;                /* the block's runs */
	Vec(int) regs;                 /* predicates of marks */
	int64_t visits;
	/* a loop or call of the function in which threads may wait for others, as text; or NULL */
	const char *waiting;
	bool meeting;        /* the function has barriers or other operations that threads execute together */
	bool remarks, dropped;         /* the sweep says what stays; blocks cannot be reached any more */
	int tails, instructions, branches;
} Merge;

static inline Place *place(const Merge *w, const Block *b) { return &w->place.v[b->id]; }
static inline bool jumps_to(const Block *b, const Block *s) { return block_jumps(b) && b->succ[0] == s; }
/* the block that stands before it in the code; NULL: none */
Block *tail_before(const Merge *, const Block *);
/* The runs of the blocks that jump to s, in Merge.node from the number returned on. Only blocks of one loop
   share runs, so that where s begins a loop the ways in and the ways back stay apart. */
int tail_runs(Merge *, Block *s);
bool tail_same(Merge *, const Ins *, const Ins *);     /* the same operation on the same operands */
/* Why the instruction, and with it what stands before it, stays where it is; NULL: it need not. marked:
   behind it are marks that count threads. */
const char *tail_obstacle(const Merge *, const Ins *, bool marked);
void tail_append(Merge *, Node *, int first, int last, int n); /* to its list of tails */
#endif
