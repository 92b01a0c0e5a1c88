/* Inside the uniformity analysis: its state, and what its files ask each other. uniformity.c says what
 * instructions make of values and runs all of it; _cycles: what cycles make of them; _meet: where lanes that
 * part meet again; _joins: where values of different ways come together; _why: where what a branch decides by
 * begins to differ. */
#ifndef GSIM_UNIFORMITY_OWN_H
#define GSIM_UNIFORMITY_OWN_H
#include "passes/analysis/reaching.h"
#include "passes/analysis/uniformity.h"

enum { UNI_STEPS = 64, UNI_ENDS = 16 };

typedef Vec(int) Ints;

typedef struct Uni {
	Arena *arena;                  /* for as long as it runs */
	const Cfg *c;
	UniformityOptions options;
	const Ssa *ssa;
	const Reaching *reads;
	const Dom *dom, *pdom;
	Dom *rest;                     /* post-dominators for lanes that do not end at once */
	Dom *bound[UNI_ENDS];         /* by block that ends lanes: post-dominators for those that end there */
	int nbound;                    /* -1: not made yet; UNI_ENDS + 1: too many */
	Uniformity *r;
	bool *use;              /* by place in ssa->use: the value differs here though the version does not */
	bool stores[SP_COUNT];         /* spaces that the function may change */
	Ints todo;                     /* versions newly divergent */
	Ints branch;                   /* divergent branches, not yet looked at */
	Ints large;                    /* those whose joins the frontier gives */
	int done;                      /* of large */
	int64_t steps;
	int *name, *stamp, now; /* by block: the successor's name that came there, valid where stamp is now */
	/* by block: valid where it is area: lanes may come there on the way from the branch to its point */
	int *region, area;
	int *heap, nheap;
	bool *waits;                   /* by block: in heap */
	int *loop_first, *loop_last;   /* by loop: places in the tree of cycles */
	bool *left, *ended;        /* by loop: lanes leave it at different times; they do so to end at once */
	bool *mixed;                   /* by loop: lanes of different iterations meet in it */
	Ints *escapes;             /* by loop: versions defined in it and used outside; NULL: not found yet */
} Uni;

/* ---- uniformity.c ---- */
/* the version differs; what reads it is looked at later */
void uni_mark(Uni *, int version, UniCauseKind, int branch);
void uni_evaluate(Uni *, int block, int ins);
bool uni_sreg_differs(int sreg);                      /* among the lanes of a warp */
static inline bool uni_ends_at_once(const Block *b)
{
	return !b->nsucc && !(op_info[block_term(b)->op].flags & OPF_FATAL);
}

/* ---- uniformity_cycles.c ---- */
void uni_number_cycles(Uni *, Arena *);
bool uni_contains(const Uni *, int loop, int block);
void uni_leave(Uni *, int loop, bool ended, int branch);
void uni_mark_varying(Uni *, const Block *, int branch);
void uni_mix(Uni *, int loop, int branch);

/* ---- uniformity_meet.c ---- */
Dom *uni_rest_pdom(Arena *, const Cfg *);
bool uni_part(Uni *, int branch);
void uni_part_all(Uni *, int branch);

/* ---- uniformity_joins.c ---- */
void uni_carry_names(Uni *, int branch, int stop);
void uni_join_large(Uni *);
#endif
