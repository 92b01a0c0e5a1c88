/* Inside tail-merge: tail_merge_find.c finds which blocks end alike, tail_merge.c puts these ends in one
   place. */
#ifndef GSIM_TAIL_MERGE_H
#define GSIM_TAIL_MERGE_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"
#include "passes/transform/facts.h"

enum { OPTION_SIZE, OPTIONS };

typedef struct TailPlace {             /* by block, those included that are made in this sweep */
	BlockList from;                /* blocks that jump here, or did */
	Block *above;     /* the only block that leads here; NULL: there are several, or none */
	int loop;                      /* the innermost loop around it, or -1 */
	/* the block cannot be reached; a branch names it as reconvergence point; it is in Merge.todo */
	bool gone, named, queued;
} TailPlace;

/* length: how many instructions in front of the block's jump may be merged */
typedef struct Tail { Block *b; int length; } Tail;

typedef struct Node {              /* a run of instructions up to the blocks' ends */
	/* parent: the run without its first instruction; below 0: this run is empty */
	int parent, length;
	/* the n blocks that end in the run, and in no longer one: a list of tails through Merge.next */
	int first, last, n;
} Node;

typedef struct TailRun { int length, node; } TailRun;

typedef struct Merge {
	PassRun *r;
	Edit e;
	Arena arena;     /* of one sweep, as is all below but the counts and what find_waits sets */
	Vec(TailPlace) place;
	BlockList todo;
	/* numbers of instructions; of runs, by their parent and their first instruction */
	Keys ins, run;
	Vec(Node) node;                /* the runs, by number */
	Vec(Tail) tail;                /* of the blocks that jump to the one that is looked at */
	Vec(int) next;                 /* by tail: the next one in its node's list, -1: none */
	Vec(TailRun) order;                /* the runs of these tails, the longest first */
	Vec(int) regs;                 /* predicates of the marks behind the instruction looked at */
	int64_t visits;
	/* a loop or call of the function in which threads may wait for others, as text; or NULL */
	const char *waiting;
	bool meeting;        /* the function has barriers or other operations that threads execute together */
	/* the sweep only says what stays as it is; some blocks cannot be reached any more */
	bool remarks, dropped;
	int tails, instructions, branches;
} Merge;

static inline TailPlace *merge_place(const Merge *w, const Block *b) { return &w->place.v[b->id]; }
static inline bool jumps_to(const Block *b, const Block *s) { return block_jumps(b) && b->succ[0] == s; }
/* the block before it in the text that can be reached; NULL: there is none */
Block *tail_before(Merge *, const Block *);
/* Finds the runs at the ends of the blocks that jump to s; they are in Merge.node from the number returned
   on. Only blocks of one loop share runs, so that where s begins a loop the ways in and the ways back stay
   apart. */
int tail_runs(Merge *, Block *s);
/* are operation, operands, guard and modifiers the same? */
bool tail_same(Merge *, const Ins *, const Ins *);
/* Returns why the instruction, and with it all before it in its block, has to stay where it is; NULL: it may
   be merged. marked: behind it are marks that count threads. */
const char *tail_obstacle(const Merge *, const Ins *, bool marked);
/* appends n tails, a list from `first` to `last`, to the node's list */
void tail_append(Merge *, Node *, int first, int last, int n);
#endif
