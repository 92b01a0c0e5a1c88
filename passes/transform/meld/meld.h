/* Inside control-flow melding: the two arms of a divergent branch, what of them goes together, and the code
   for both. Sides are numbered: lanes of side 0 are those for which the branch's predicate holds. */
#ifndef GSIM_MELD_H
#define GSIM_MELD_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/analysis/clock.h"
#include "passes/analysis/numbering.h"
#include "passes/pass.h"

enum { LEAVES = -1, NO_INS = -1, OWN_BRANCH = -1, NO_REG = -1 };

/* ---- alignment (align.c) ---- */

/* What stands in one place: an element of each sequence, or of one. */
typedef struct Item {
	int at[2];                     /* its number in each; NO_INS: none */
	bool apart;                    /* instructions: they go together, but it does not pay */
} Item;

/* The best global alignment of n elements with m: the sum of score[i * m + j] over pairs, less gap for each
   element left alone. A pair with a negative score is none. Writes at most n + m items in order and returns
   how many; *best: the sum. */
enum { NO_PAIR = -1 };
int meld_align(int n, int m, const int *score, int gap, Item *, int64_t *best);

/* ---- what is melded ---- */

/* A subgraph of an arm with one entry and one exit: all edges that come in go to block[0], all that leave go
   to `exit`, which is no part of it. */
typedef struct Subgraph {
	Block **block, *exit;          /* exit NULL: no thread leaves it, all end there */
	int n;
	const char *obstacle;          /* why it cannot be melded, or NULL */
	bool waits_before;             /* in front of it in its arm, lanes may wait for others */
	bool awaited_from;             /* in it or behind it in its arm is what others may wait for */
} Subgraph;
typedef struct Arm {                /* subgraphs in the order in which lanes come to them */
	Subgraph *sub;
	int n;
	const char *stop;              /* why there is no more of it, or NULL */
} Arm;

/* Two blocks that become one, or a block of one side where the other side has no code. */
typedef struct BlockPair {
	Block *b[2];                   /* NULL: none */
	bool comes[2];                 /* lanes of that side come here */
	int takes[2];     /* the successor that they go on to in any case; OWN_BRANCH: as their branch says */
	bool swapped;                  /* side 1's branch has its targets the other way around */
	int nsucc, succ[2];            /* numbers of pairs, or LEAVES */
	Item *item;
	int n;
	int64_t weight;                /* how often it is executed, as costs count */
	/* number of the first pair of its two subgraphs; a side of which all pairs of these have a block */
	int first, whole;
} BlockPair;
typedef Vec(BlockPair) PairList;

/* Side 0's register a and side 1's register b are one register in melded code, home. */
/* votes, uses: cycles that are saved where it is written, read */
typedef struct Shared { int reg[2], home, writers, next; int64_t votes, uses; } Shared;
/* An operand of side 0 and one of side 1 that nothing melded writes: it is chosen between them once, in
   front. */
/* adds: as in Choice; inner: in a loop that is melded */
typedef struct Hoisted { Opd x[2]; Type type; int adds, uses, reg; bool inner; } Hoisted;

/* What code takes: a warp that is alone, and each of so many that none is waited for (time.c). */
typedef struct Time { int64_t alone; double many; } Time;

/* Subgraphs of both arms, one or several in a row, that become one. */
typedef struct Stretch {
	PairList pair;                 /* [0] is the entry */
	/* where each side comes from the branch or what is before, and where it goes on */
	Block *entry[2], *exit[2];
	int64_t weight;                /* of the branch */
	int percent;                   /* the least melding profitability of its subgraphs */
	int regions, copies;           /* pairs of regions; of a block with a region, whose form it gets */
	/* instructions melded, and left to one side; pieces that an alignment was cut into, at most */
	int pairs, alone, pieces;
	int64_t before, after;         /* costs */
	Time time[2];                  /* of the stretch, before and after */
	const Block *around;           /* header of the loop around it, or NULL: none, or it is too large */
	int64_t turns[2];              /* what the loop takes a warp that is alone */
	Vec(Shared) shared;
	Vec(Hoisted) hoisted;
} Stretch;

typedef struct MeldRegion {         /* a divergent branch and what is to become of it */
	Block *e, *exit;               /* exit: where its sides meet, or NULL */
	int condition;                 /* predicate */
	bool copied;   /* the arms write it: a copy takes its place, which is made when something is melded */
	Arm arm[2];
	int percent;                   /* the best of two subgraphs; NO_PAIR: none are meldable */
	/* two that would be melded if lanes in front of one did not wait for the other's; NULL: none */
	const Subgraph *late[2];
	Vec(Stretch) stretch;
	int64_t gain;                  /* cycles */
	int place;                     /* of e, in reverse post-order */
} MeldRegion;

typedef struct MeldRemark { Loc loc; const char *text; } MeldRemark;
typedef enum { ORDER_BLOCKS, ORDER_PROFIT } MeldOrder;

typedef struct Meld {
	PassRun *r;
	Function *f;
	Edit e;
	bool timed;                    /* option check=time */
	/* options: costs as in the paper; branches inverted; only blocks; replication */
	bool paper, swap, diamonds, copies;
	int threshold, cells, most;   /* percent; most cells of an alignment's table; most blocks of an arm */
	int straight;                  /* instructions of one side that all lanes may execute in a row */
	MeldOrder order;
	int64_t work;                  /* blocks of all rounds together, at most */
	int rounds;                    /* that have changed something */
	bool headed;                   /* a line has been written above what the round does */

	Arena a;                       /* of a round, as is all that follows */
	const Cfg *c;
	const Dom *dom, *pdom;
	const Liveness *live;
	const Uniformity *uniformity;
	const Loops *loops;
	const Waits *waits;
	const EffectTable *effects;
	const char *unlike;            /* why two subgraphs of the branch have not the same form, or NULL */
	/* blocks that a branch asks for as its reconvergence point, or that unreachable ones lead to */
	BitSet named;
	BitSet touched;                /* blocks of regions in which something has been melded */
	BitSet gone;                   /* blocks that have been melded: others take their place */
	int *seen, seeing;             /* by block: when a search has come there */
	/* by block: of a search, the edge by which; of a way, one more than the edge to take */
	int *back, *take;
	int *pair[2];                  /* by side and block: one more than the number of the pair it is in */
	struct Names *names;
	Clock *clock;
	struct Place *place;      /* by block: its instructions as they were when they were first asked for */
	Vec(MeldRemark) said;          /* why branches stay; it counts when the round has changed nothing */
	/* new blocks in their order; for each, the old one in whose place it stands */
	Vec(Block *) made, anchor;
} Meld;

/* ---- costs (profit.c) ---- */
int64_t meld_cost(const Meld *, const Ins *);
int64_t meld_cost_of(const Meld *, Op, Type);          /* of an instruction that melding inserts */
int64_t meld_block_cost(const Meld *, const Block *);
int64_t meld_weight(const Meld *, const Block *);
bool meld_may(const Meld *, const Ins *);  /* with one like it, lanes of both sides may execute it together */
/* May the two become one instruction? */
bool meld_alike(const Meld *, const Ins *, const Ins *);
/* Cycles saved at best by melding the two blocks, and what both cost: MP_B = saved / cost. */
int64_t meld_saved(const Meld *, const Block *, const Block *);
bool meld_address(const Ins *, int source);            /* the source is an address */
/* of a variable */
static inline Type meld_address_type(const Ins *i) { return i->space == SP_SHARED ? T_B32 : T_B64; }
/* one of the two, or both */
static inline bool meld_guarded(const Ins *a, const Ins *b) { return a->guard >= 0 || b->guard >= 0; }

/* ---- arms and pairs (path.c, match.c) ---- */
void path_find(Meld *, MeldRegion *);
void match_stretches(Meld *, MeldRegion *);
bool match_swapped(Meld *, const MeldRegion *);        /* would some have the same form with swap=1? */

/* ---- what arms wait for (order.c) ---- */
/* of an arm's subgraphs; more: it does not end with the last one */
void order_note(const Meld *, Subgraph *, int n, const Block *branch, bool more);
bool order_allows(const Subgraph *, const Subgraph *); /* of two arms: that the lanes of both meet there */

/* ---- registers (names.c) ---- */
void names_open(Meld *);               /* for a round */
void names_close(Meld *);
void names_load(Meld *, const Stretch *);              /* what the next questions are about */
/* finds shared registers for the pairs of instructions that go together; new ones get numbers below NO_REG */
void names_share(Meld *, Stretch *);
void names_hoist(Meld *, Stretch *);   /* and what is chosen in front */
/* instructions that move values to that register and back */
int names_moves(const Meld *, const Shared *, int home);
/* NULL: the two registers have no name in common */
Shared *names_shared(const Meld *, Stretch *, int a, int b);
Opd names_of(const Meld *, int side, Opd);             /* an operand in melded code */
int names_reg(const Meld *, int side, int reg);
bool names_is_shared(const Meld *, int side, int reg);
enum { NAME_LIVES = 1, NAME_IN = 2, NAME_OUT = 4, NAME_WRITTEN = 8 };
/* where in the stretch it lives: somewhere, at the start, at the end; it is written */
int names_state(const Meld *, int side, int reg);

/* Two sources of instructions that become one, with their names: a register that is chosen between them takes
   their place. */
typedef struct Choice {
	Opd x[2];
	Type type;
	bool differ, kept;             /* kept: nothing in the stretch writes them */
	/* of addresses: how many have to be added to first, by the number in the operand, or read from a
	   variable's name */
	int adds;
	int64_t offset;                /* what the instruction still adds */
} Choice;
Choice choice_of(const Meld *, const Ins *, const Ins *, int source);
Choice choice_of_guards(const Meld *, const Ins *, const Ins *);
Choice choice_of_branches(const Meld *, const BlockPair *);
Hoisted *hoisted_find(Stretch *, const Choice *);      /* NULL: it is chosen where it is read */

/* ---- what pays (worth.c) ---- */
void worth_choose(Meld *, Stretch *);  /* aligns instructions, and chooses those that become one, and names */
static inline bool item_melds(const Item *i) { return i->at[0] >= 0 && i->at[1] >= 0 && !i->apart; }
/* P: pairs of blocks; I: items that meld; A and B: their instructions. */
#define pairs_each(S, P, I, A, B) \
	for (BlockPair *P = (S)->pair.v; P < (S)->pair.v + (S)->pair.n; P++) \
		for (Item *I = P->item; I < P->item + P->n; I++) \
			for (const Ins *A = item_melds(I) ? &P->b[0]->ins.v[I->at[0]] : NULL, \
			*B = A ? &P->b[1]->ins.v[I->at[1]] : NULL; A; A = NULL)

/* ---- time (time.c) ---- */
/* Instructions in a loop, -1: in none. Of melded code, `first` is BlockPair.first, and it is walked through
   by ascending first and at. */
typedef struct Place { const Span *ins; int n, loop, first, at; } Place;
void time_open(Meld *);                /* for a round */
void time_close(Meld *);
void time_stretch(Meld *, const MeldRegion *, Stretch *, Place *melded, int n, const Load *);
bool time_falls(const Stretch *);      /* but for turns of the loop around */

/* ---- code (emit.c) ---- */
int64_t emit_cost(Meld *, MeldRegion *, Stretch *);    /* of the melded code, which is not made */
void emit_region(Meld *, MeldRegion *);
void meld_tidy(Meld *, BitSet gone);        /* behind a round (tidy.c) */

/* ---- for people (say.c, show.c) ---- */
/* a branch, as remarks name it; lives as long as the module */
const char *say_branch(const Meld *, const Block *);
const char *say_end(Meld *, const Block *);
bool say_empty(const MeldRegion *);
void say_forms(Meld *, const Stretch *, Loc, const char *branch);
/* blocks and instructions side by side, if somebody asks */
void meld_show(const Meld *, const MeldRegion *, const Stretch *);
#endif
