/* Inside the analysis of what threads wait for: waits.c looks for what lets threads leave a loop,
   waits_progress.c for exits that a thread comes to take by its own doing. */
#ifndef GSIM_WAITS_OWN_H
#define GSIM_WAITS_OWN_H
#include "passes/analysis/waits.h"

/* A block with an edge out of a loop. next: another way out of the same loop, -1: there is none */
typedef struct WayOut { int block, next; } WayOut;

typedef struct WaitSearch {
	Waits *w;
	const Cfg *c;
	const Dom *dom;
	const Control *control;
	const Ssa *ssa;
	const EffectTable *effects;
	/* Answers by function: above 0 yes, below 0 no, 0: nobody has asked. calls: does a call of it wait?
	   spins: may it wait itself? */
	int8_t *calls, *spins;
	uint8_t far;                   /* spaces in which threads read what those write that are waited for */
	uint8_t written;               /* spaces that other threads may write while the function runs */

	/* by place in rpo: the first place from there on whose block reads something anew */
	int *next;
	int *first;                /* by loop: the first of the ways out of it, in `out`; -1: there is none */
	Vec(WayOut) out;
	bool ends;                     /* some call of the function may end the thread */
	/* work: steps of all searches so far; when these come to `most`, the loops that are left are taken to
	   wait */
	int64_t work, most;

	const Loop *l;                 /* the loop looked at */
	/* number of the search for this loop, from 1 on; version[v] and block[b] are this number where the
	   search has come to v, to b */
	int now;
	int *version, *block;      /* whether threads leave the loop depends on this version, on this block */
	/* by version: the last search back from one version that has come to it; search: the number of that
	   search */
	int *been, search;
	Vec(int) back;                 /* versions that this search has yet to look at */
	Vec(int) todo, ways;           /* what is to be looked at: versions, blocks */
	uint8_t stored;                /* spaces whose stores in the loop have been looked at */
	/* the instructions found that read something anew: an ordered access, another one; or NULL */
	const Ins *ordered, *plain;
	bool goes_on;  /* whether threads leave depends on what the thread itself changes from turn to turn */
} WaitSearch;

/* Is the version written in the loop? */
static inline bool waits_inside(const WaitSearch *x, int version)
{
	const SsaVersion *v = &x->ssa->version[version];
	return v->ins != SSA_ENTRY && loop_has(x->c, x->l, v->block);
}
/* Does a turn of the loop begin with the version: is it a phi of the header? */
static inline bool waits_turns(const WaitSearch *x, int version)
{
	const SsaVersion *v = &x->ssa->version[version];
	return v->phi >= 0 && v->block == x->l->header;
}
/* the instruction that writes the version; NULL: none */
static inline const Ins *waits_writer(const WaitSearch *x, int version)
{
	return ssa_writer(x->c, x->ssa, version);
}
/* May a phi with which turns begin have another value in the next turn: one that is computed or loaded, not
   only moved or chosen? */
bool waits_goes_on(WaitSearch *, int phi);
/* Does every turn come to an exit that is taken in some turn, whatever other threads do? */
bool waits_bounded(WaitSearch *);
#endif
