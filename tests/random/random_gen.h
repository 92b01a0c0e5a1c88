/* Inside the random-kernel generator. */
#ifndef GSIM_RANDOM_GEN_H
#define GSIM_RANDOM_GEN_H
#include "isa/lane.h"
#include "tests/random/random_kernel.h"

enum { POOL_16, POOL_32, POOL_64, POOL_F32, POOL_F64, POOL_PRED, POOL_UNIFORM, POOL_COUNT };
enum { POOL_MOST = 10, NEST_MOST = 8, FUNCS_MOST = 3, PREDS_MOST = 3, LOCAL_WORDS = 8, TABLE_WORDS = 16,
	RECURSION_MOST = 3,
	SCRATCH_BYTES = RANDOM_SLOT_BYTES };

/* where break and continue go; again NULL: not a loop */
typedef struct Target { Block *leave, *again; } Target;

typedef struct Gen {
	const RandomParams *p;
	RandomKernel *k;
	/* of the random numbers; of those of idle_statement, nonfaulting_load, grid_statement,
	   early_statement, last_accesses, nan_statement, the ends of device functions, spaces_statement and
	   chase_statement */
	uint64_t state, idle, unfaulted, meeting, early, last, nans, returns, spaces, chases;
	size_t chosen;                 /* of the parameters' choices, taken so far */
	Features on;                   /* of this kernel */
	Module *m;
	int file, line;

	bool alike;             /* in the arms of a branch that are made of the same choices: random_arms.c */
	int unlike;                    /* of a thousand choices so many are made anew: in the second arm */
	uint64_t own, anew;   /* of random numbers: what a branch with such arms is like; where they differ */

	/* the function being made */
	Function *f;
	bool device;
	Block *b;                      /* open: instructions go here */
	int nblock;
	int pool[POOL_COUNT][POOL_MOST], npool[POOL_COUNT];
	int in, slot, acc, finals;     /* registers (u64): buffers, the thread's own part of them */
	int tid, depth;                /* the thread's number in its block, recursion left */
	int local, mine;         /* symbols: local array; the threads' own words of shared memory; -1: none */
	int shared_in, shared_out; /* symbols: arrays of a word for each thread, exchanged between barriers */
	Target nest[NEST_MOST];
	int nnest;
	int level;       /* who is here: 2 all threads of the block together, 1 whole warps, 0 nobody knows */
	/* where threads end that do early, and is to be the kernel's only end; NULL: there is none such */
	Block *end;
	bool may_exit;                 /* no barrier and no warp operation follows anywhere */
	int weight;                    /* expected executions of an instruction made now, times 16 */
	int cost, limit;               /* expected instructions so far, and to be made; times 16 */

	Function *func[FUNCS_MOST];    /* device functions made so far */
	int func_cost[FUNCS_MOST];     /* expected instructions of a call, times 16 */
	bool func_exits[FUNCS_MOST];   /* threads may end in them */
	int nfunc;
	int functions;                 /* symbol: their addresses, a table; -1: none */
	int pred_args, pred_results;   /* of every function: calls through registers reach any of them */
	int table, format;   /* symbols: constants; what vprintf prints: as many words as a local array has */
} Gen;

/* random_kernel.c. Two calls that draw a random number never stand in the arguments of one call or in one
   initializer: C leaves open which comes first, and compilers differ. */
uint32_t rnd(Gen *, uint32_t n);               /* 0 .. n-1: what to make */
bool chance(Gen *, int percent);
uint64_t rnd64(Gen *);
static inline bool has(const Gen *g, Features feature) { return (g->on & feature) != 0; }
void used(Gen *, Features feature);

/* random_ops.c: straight-line code */
Ins *emit(Gen *, Ins);                         /* appends to the open block; valid until the next */
Ins op(Gen *, const char *mnemonic, int ndst, int nsrc); /* with its modifiers set */
int fresh(Gen *, Type);                        /* a register outside the pools: nothing else writes it */
Loc here(Gen *);                               /* the next source line */
Block *block(Gen *);                           /* a new block; g->b stays */
int pick(Gen *, int pool);                     /* a register of the pool */
int pool_of(Gen *, Type);                      /* a pool whose registers can hold the type */
Opd value(Gen *, Type);                        /* a register or a constant */
Opd constant_predicate(Gen *);
Opd predicate(Gen *);                          /* a register of the pool, inverted or not, or a constant */
int emit1(Gen *, const char *mnemonic, Type, Opd a);            /* %fresh = mnemonic a */
int emit2(Gen *, const char *mnemonic, Type, Opd a, Opd b);     /* %fresh = mnemonic a, b */
int condition(Gen *);                          /* a predicate that differs between lanes */
int uniform_condition(Gen *);                  /* one that all threads of the block agree on */
int small(Gen *, uint32_t mask);               /* a fresh u32 register: data & mask */
void straight(Gen *, int n);                   /* n random operations */
void guard(Gen *, Ins *);                      /* sometimes */
void overwrite_guard(Gen *, Ins *);            /* sometimes: a destination that is a predicate is the guard */

/* random_memory.c */
void memory_statement(Gen *);
void atomic_statement(Gen *);
void accumulate(Gen *);                        /* on a word of all threads; the order changes nothing */
void exchange_statement(Gen *);                /* shared memory and barriers; level 2 */
void warp_statement(Gen *);                    /* level 1 and up */
Opd all_lanes(const Gen *);                     /* of a PTX warp, as a mask */
int ballot(Gen *, int pred, bool neg);         /* u32 register: lanes whose predicate is so; level 1 and up */
void group_operation(Gen *, int mask);         /* of the lanes in the register, all of which are here */
void guarded_group(Gen *);                     /* of the lanes that a guard lets; level 1 and up */
void own_words(Gen *);                         /* prologue: initialises local arrays and own shared words */
/* Lanes of a side of a conditional stand still for a long time just before they meet the others, who use what
   they have then: a register, or -1. */
int late_result(Gen *);                        /* before the branch */
void give_late(Gen *, int result);             /* last on a side */
void take_late(Gen *, int result);             /* first behind both */
Type memory_type(Gen *);                       /* of an access */
/* of n elements; space: ".global" */
void memory_access(Gen *, const char *space, Opd address, Type, int n, bool write);
/* its address in its space, or, sometimes, its generic one: a register; *space tells */
int symbol_address(Gen *, int symbol, const char **space);
void block_barrier(Gen *);
/* u64 register: address of the symbol's word number index */
int thread_address(Gen *, int symbol, int index);
int load_function(Gen *, int index);           /* u64 register: what the table of functions has there */

/* random_flow.c */
void sequence(Gen *, int depth);               /* statements until the block's share of the cost is used up */
void jump(Gen *, Block *to);                   /* ends the open block */
void branch(Gen *, int pred, Block *yes, Block *no);  /* either way around: pred is as good as its opposite */
void branch_if(Gen *, int pred, Block *yes, Block *no);
void open_block(Gen *, Block *);                     /* instructions go there now */
void indexed(Gen *, int n, Block **to);              /* ends the open block: brx with n targets */
void call_statement(Gen *);
void recursive_call(Gen *);
void deep_statement(Gen *);                    /* many regions in each other */

/* random_nonfaulting.c */
/* sometimes: marks it, and may change its address; changes no choice of the others */
void nonfaulting_load(Gen *, Ins *);

/* Code that a thread meets num/den times as often, its weight by that. */
void inside(Gen *, int depth, int num, int den);

/* random_arms.c */
/* of a row of instructions or statements; begins with 0 */
typedef struct Steps { uint64_t next, late; bool waits; } Steps;
/* in arms that are alike a step has random numbers of its own: what it draws changes nothing for the next */
void step_begin(Gen *, Steps *);
void step_end(Gen *, const Steps *);
void arms_statement(Gen *, int depth);

/* random_apart.c */
bool apart_statement(Gen *, int depth);         /* sometimes; level 1 and up; false: none was made */

/* random_idle.c */
void idle_statement(Gen *);                    /* sometimes; changes no choice of the others */

/* random_nans.c */
void nan_statement(Gen *);                     /* sometimes; changes no choice of the others */

/* random_spaces.c */
void spaces_statement(Gen *);                  /* sometimes; changes no choice of the others */
void chase_statement(Gen *);                   /* the same */

/* random_returns.c */
void return_here(Gen *);                       /* ends the open block of a device function */
void end_device(Gen *);                        /* the same at its end: sometimes in two arms */

/* random_stored.c */
void stored_again(Gen *);                      /* loads of what the thread has stored, or nearly */

/* random_grid.c */
/* sometimes; all threads of the grid are here, equally often; changes no choice of the others */
void grid_statement(Gen *);

/* random_early.c */
/* sometimes: threads end before barriers; all threads of the block come to it, and some are gone behind it */
void early_statement(Gen *);

/* random_last.c */
void last_accesses(Gen *);                     /* before the kernel's end; changes no choice of the others */

/* random_graph.c */
void graph_statement(Gen *);                   /* an unstructured region */

/* random_points.c */
void reconvergence_points(Gen *);               /* of branches in functions that are made */
#endif
