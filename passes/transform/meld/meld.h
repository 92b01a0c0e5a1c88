/* Inside control-flow melding: the two arms of a divergent branch, what of them goes together, and the code
   for both. Sides are numbered: lanes of side 0 are those for which the branch's predicate holds. */
#ifndef GSIM_MELD_H
#define GSIM_MELD_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/analysis/clock.h"
#include "passes/analysis/values.h"
#include "passes/constants.h"
#include "passes/pass.h"

enum { LEAVES = -1, NO_INS = -1, OWN_BRANCH = -1, NO_REG = -1 };

/* ---- alignment (align.c) ---- */

/* One place of an alignment: two elements that go together, one of each sequence, or one element alone. */
typedef struct AlignedItem {
	int at[2];                     /* by sequence: the element's number; NO_INS: none */
	bool apart;  /* of instructions: the two could become one, but stay two because that does not pay */
} AlignedItem;

/* Finds the global alignment of n elements with m elements that has the greatest sum: score[i * m + j] for
   each pair, less `gap` for each element left alone. Elements with a negative score are never a pair. Writes
   at most n + m items in order and returns how many; *best: the sum. */
enum { NO_PAIR = -1 };
int meld_align(int n, int m, const int *score, int gap, AlignedItem *, int64_t *best);

/* ---- what is melded ---- */

/* A subgraph of an arm with one entry and one exit: all edges that come in go to block[0], all that leave go
   to `exit`, which is no part of it. */
typedef struct Subgraph {
	Block **block, *exit;          /* exit NULL: no thread leaves it, all end there */
	int n;
	const char *obstacle;          /* why it cannot be melded, or NULL */
	bool waits_before;             /* in front of it in its arm, lanes may wait for others */
	bool awaited_from;  /* in it, or behind it in its arm, is something for which other lanes may wait */
} Subgraph;
typedef struct Arm {                /* subgraphs in the order in which lanes come to them */
	Subgraph *sub;
	int n;
	const char *stop;              /* why the arm ends before its exit, or NULL */
} Arm;

/* By side: two blocks that become one, or a block of one side where the other side has no code. */
typedef struct BlockPair {
	Block *b[2];                   /* NULL: the side has no block here */
	bool comes[2];                 /* do lanes of that side come here? */
	/* number of the successor to which the side's lanes always go on; OWN_BRANCH: their branch decides */
	int takes[2];
	bool swapped;                  /* side 1's branch has its targets the other way around */
	int nsucc, succ[2];            /* numbers of pairs; LEAVES: out of the stretch */
	AlignedItem *item;                    /* the instructions of both blocks, aligned */
	int n;
	int64_t weight;                /* how often the pair is executed, as costs count */
	/* number of the first pair of the two subgraphs that the pair is of; a side that has a block in all
	   pairs of these */
	int first, whole;
} BlockPair;
typedef Vec(BlockPair) PairList;

/* Side 0's register reg[0] and side 1's register reg[1] are one register in melded code: home, a number below
   NO_REG until it is made. writers: how many melded instructions write it; next: one more than the number of
   the next one with the same reg[0], 0 = none. */
/* votes, uses: cycles that are saved where it is written, and where it is read */
typedef struct SharedName { int reg[2], home, writers, next; int64_t votes, uses; } SharedName;
/* An operand of side 0 and one of side 1, x, that nothing in the stretch writes: in front of the stretch,
   register reg gets for each lane the one of its side. */
/* adds: as in Choice; uses: how often it is read; inner: it is read in a loop within the stretch */
typedef struct Hoisted { Opd x[2]; Type type; int adds, uses, reg; bool inner; } Hoisted;

/* Cycles that code takes: a warp that is alone; one of so many warps that always another one can issue
   (time.c). */
typedef struct Time { int64_t alone; double many; } Time;

/* Subgraphs of both arms, one or several in a row, that become one. */
typedef struct Stretch {
	PairList pair;                 /* pairs of blocks; number 0 is the entry */
	/* by side: the first block; the block at which its lanes go on behind the stretch, NULL: they end */
	Block *entry[2], *exit[2];
	int64_t weight;                /* how often the branch is executed, as costs count */
	int percent;                   /* the least melding profitability of its subgraphs */
	/* how often two regions are melded; how often a block with a region, whose form the block gets */
	int regions, copies;
	/* instructions that become one with another, counted as pairs; instructions left to one side; into
	   how many pieces the alignment of two blocks was cut, at most */
	int pairs, alone, pieces;
	int64_t before, after;         /* what the stretch costs, as meld_cost counts, times weights */
	/* instructions of the branch and the stretch before and after, those of the mechanism included, jumps
	   left out: half of them lead to what comes next, and are no instructions of the machine's */
	int code[2];
	Time time[2];                  /* what the stretch takes before and after melding */
	/* header of the loop around the stretch; NULL: there is none, or it is too large */
	const Block *around;
	int64_t turns[2];  /* cycles that LOOP_TURNS turns of that loop take a warp alone, before and after */
	Vec(SharedName) shared;
	Vec(Hoisted) hoisted;
} Stretch;

typedef struct MeldRegion {         /* a divergent branch and what is to become of it */
	Block *e, *exit;               /* exit: where its sides meet, or NULL */
	int condition;                 /* register: the branch's predicate */
	/* the arms write the condition: a copy is used in its place, which is made when something is
	   melded */
	bool copied;
	Arm arm[2];
	int percent;     /* the best profitability of two subgraphs; NO_PAIR: no two of them can be melded */
	/* two subgraphs that would be melded if lanes in front of one might not wait for lanes of the other
	   arm; NULL: none */
	const Subgraph *late[2];
	Vec(Stretch) stretch;
	int64_t gain;                  /* cycles that all stretches save */
	int place;                     /* number of e in reverse post-order */
} MeldRegion;

typedef struct MeldRemark { Loc loc; const char *text; } MeldRemark;
typedef enum { ORDER_BLOCKS, ORDER_PROFIT } MeldOrder;

typedef struct Meld {
	PassRun *r;
	Function *f;
	Edit e;
	bool timed;                    /* option check=time */
	/* options: costs are the paper's; branches may differ in which way around they are; only arms of one
	   block each; replication */
	bool paper, swap, diamonds, copies;
	int threshold, cells, most;   /* percent; most cells of an alignment's table; most blocks of an arm */
	/* how many instructions of one side in a row all lanes may execute at most */
	int straight;
	MeldOrder order;
	int64_t work;                  /* most blocks of all rounds together */
	int rounds;                    /* how many rounds have changed something */
	bool headed;                   /* the line above what the round does has been written */

	Arena a;                       /* of one round, as is all that follows */
	const Cfg *c;
	const Dom *dom, *pdom;
	const Liveness *live;
	const Uniformity *uniformity;
	const Loops *loops;
	const Waits *waits;
	const EffectTable *effects;
	const char *unlike;            /* why two subgraphs of the branch differ in form, or NULL */
	/* blocks that a branch names as its reconvergence point, or to which unreachable blocks lead */
	BitSet named;
	BitSet touched;       /* blocks of regions in which something has been melded in this round */
	BitSet gone;                   /* blocks that have been melded: others take their place */
	int *seen, seeing;             /* by block: the last search that has come there; the current search */
	/* by block: in a search, the edge by which the block was reached; on a way that has been found, one
	   more than the number of the edge to take, 0 = the block is not on it */
	int *back, *take;
	int *pair[2];            /* by side and block: one more than the number of its pair, 0 = none */
	struct MeldNames *names;
	Clock *clock;
	struct CalledTime *called;     /* by function: what calls of it take */
	struct TimedPlace *place; /* by block: its instructions as they were when they were first asked for */
	/* why branches stay; these remarks are written only when the round has changed nothing */
	Vec(MeldRemark) said;
	Vec(Block *) made;             /* new blocks */
} Meld;

/* ---- costs (profit.c) ---- */
int64_t meld_cost(const Meld *, const Ins *);
int64_t meld_cost_of(const Meld *, Op, Type);          /* the cost of an instruction that melding inserts */
int64_t meld_block_cost(const Meld *, const Block *);
int64_t meld_weight(const Meld *, const Block *);
/* May lanes of both sides execute it together, with another one like it? */
bool meld_may(const Meld *, const Ins *);
/* May the two become one instruction? */
bool meld_alike(const Meld *, const Ins *, const Ins *);
/* Returns the cycles that melding the two blocks saves at best. As a share of what both cost that is the
   paper's MP_B. */
int64_t meld_saved(const Meld *, const Block *, const Block *);
bool meld_address(const Ins *, int source);            /* is the source an address? */
/* the type of a variable's address in the instruction's space */
static inline Type meld_address_type(const Ins *i) { return i->space == SP_SHARED ? T_B32 : T_B64; }
/* does one of the two have a guard, or both? */
static inline bool meld_guarded(const Ins *a, const Ins *b) { return a->guard >= 0 || b->guard >= 0; }

/* ---- arms and pairs (path.c, match.c) ---- */
void path_find(Meld *, MeldRegion *);
void match_stretches(Meld *, MeldRegion *);
bool match_swapped(Meld *, const MeldRegion *);        /* would some have the same form with swap=1? */

/* ---- what arms wait for (order.c) ---- */
/* Fills in waits_before and awaited_from of an arm's n subgraphs; more: the arm goes on behind the last
   one. */
void order_note(const Meld *, Subgraph *, int n, const Block *branch, bool more);
/* May the lanes of both arms meet in these two subgraphs, one of each arm? */
bool order_allows(const Subgraph *, const Subgraph *);

/* ---- registers (names.c) ---- */
void names_open(Meld *);               /* at the beginning of a round */
void names_close(Meld *);
void names_load(Meld *, const Stretch *);              /* the answers below are about this stretch then */
/* finds shared registers for the pairs of instructions that go together; new ones get numbers below NO_REG */
void names_share(Meld *, Stretch *);
void names_hoist(Meld *, Stretch *);   /* finds what is chosen in front of the stretch */
/* how many instructions move values to that register and back, if it is `home` */
int names_moves(const Meld *, const SharedName *, int home);
/* the name that side 0's register a and side 1's register b share; NULL: they share none */
SharedName *names_shared(const Meld *, Stretch *, int a, int b);
Opd names_of(const Meld *, int side, Opd);             /* the side's operand as it is in melded code */
int names_reg(const Meld *, int side, int reg);
bool names_is_shared(const Meld *, int side, int reg);
enum { NAME_LIVES = 1, NAME_IN = 2, NAME_OUT = 4, NAME_WRITTEN = 8 };
/* of a register in the stretch: it lives somewhere, at the start, at the end; it is written (NAME_*) */
int names_state(const Meld *, int side, int reg);

/* A source of each of two instructions that become one, with the registers' new names. Where the two differ,
   a register takes their place, which gets for each lane the source of its side. */
typedef struct Choice {
	Opd x[2];
	Type type;
	bool differ, kept;             /* kept: nothing in the stretch writes the two */
	/* of addresses: how many of the two an instruction has to compute first: it adds the number that is
	   in the operand, or reads the address of a variable */
	int adds;
	int64_t offset;                /* the offset that the melded instruction itself adds */
} Choice;
Choice choice_of(const Meld *, const Ins *, const Ins *, int source);
Choice choice_of_guards(const Meld *, const Ins *, const Ins *);
Choice choice_of_branches(const Meld *, const BlockPair *);
Hoisted *hoisted_find(Stretch *, const Choice *);      /* NULL: it is chosen where it is read */

/* ---- what pays (worth.c) ---- */
/* aligns instructions, chooses those that become one, and names registers */
void worth_choose(Meld *, Stretch *);
static inline bool item_melds(const AlignedItem *i) { return i->at[0] >= 0 && i->at[1] >= 0 && !i->apart; }
/* Goes over all items of stretch S that meld. P: the pair of blocks; I: the item; A, B: its two
   instructions. */
#define pairs_each(S, P, I, A, B) \
	for (BlockPair *P = (S)->pair.v; P < (S)->pair.v + (S)->pair.n; P++) \
		for (AlignedItem *I = P->item; I < P->item + P->n; I++) \
			for (const Ins *A = item_melds(I) ? &P->b[0]->ins.v[I->at[0]] : NULL, \
			*B = A ? &P->b[1]->ins.v[I->at[1]] : NULL; A; A = NULL)

/* ---- time (time.c) ---- */
/* n instructions in a row that lie in one loop, -1: in none. Places of melded code stand by ascending
   `first`, which is BlockPair.first, and then by ascending `at`. */
typedef struct TimedPlace { const Span *ins; int n, loop, first, at; } TimedPlace;
/* known: the rest is filled in; cycles: of the function, the jumps there and back included */
typedef struct CalledTime { bool known; int64_t cycles; Load load; } CalledTime;
/* the instruction's span, in the round's arena, with what the function takes that it calls */
Span time_ins(Meld *, const Ins *);
void time_load(Meld *, Load *, const Ins *, double times); /* adds what the same asks of the machine */
void time_open(Meld *);                /* at the beginning of a round */
void time_close(Meld *);
void time_stretch(Meld *, const MeldRegion *, Stretch *, TimedPlace *melded, int n, const Load *);
/* Is the end of the block, or of a melded one like it, counted as one at which the warp's lanes part? both:
   lanes of both sides come there. Where lanes leave a loop it is not: they part there in few turns. */
bool time_parts(const Meld *, const Block *, bool both);
/* cycles behind the block's last instruction until the warp goes on, by the same rule */
int64_t time_block_end(const Meld *, const Block *, bool both);
bool time_falls(const Stretch *);      /* does melding save time? turns of the loop around do not count */

/* ---- code (emit.c) ---- */
int64_t emit_cost(Meld *, MeldRegion *, Stretch *);    /* what the melded code would cost; none is made */
void emit_region(Meld *, MeldRegion *);
void meld_tidy(Meld *, BitSet gone);        /* cleans up after a round (tidy.c) */

/* ---- for people (say.c, show.c) ---- */
/* a branch, as remarks name it; the text lives as long as the module */
const char *say_branch(const Meld *, const Block *);
const char *say_end(Meld *, const Block *);
bool say_empty(const MeldRegion *);
void say_forms(Meld *, const Stretch *, Loc, const char *branch);
/* writes blocks and instructions side by side, if the run's `show` asks for that */
void meld_show(const Meld *, const MeldRegion *, const Stretch *);
#endif
