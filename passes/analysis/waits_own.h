/* Inside the analysis of what threads wait for: waits.c looks for what lets threads leave a loop,
   waits_progress.c for what a thread brings on by itself. */
#ifndef GSIM_WAITS_OWN_H
#define GSIM_WAITS_OWN_H
#include "passes/analysis/waits.h"

typedef struct WayOut { int block, next; } WayOut; /* next: another one of the same loop, -1: there is none */

typedef struct Search {
	Waits *w;
	const Cfg *c;
	const Dom *dom;
	const Control *control;
	const Ssa *ssa;
	const EffectTable *effects;
	/* by function: a call of it waits; it may itself; below 0: not; 0: nobody has asked */
	int8_t *calls, *spins;
	uint8_t written;               /* spaces that others may write while the function runs */

	int *next;    /* by place in rpo: that of the next block, from there on, which reads something anew */
	int *first;                /* by loop: the first of the ways out of it, in `out`; -1: there is none */
	Vec(WayOut) out;
	bool ends;                     /* a call may end the thread */
	/* steps of all searches so far; loops that are left when it is too much are taken to wait */
	int64_t work, most;

	const Loop *l;                 /* the loop looked at */
	int now;                       /* its number, from 1 on: what follows has it where it has been seen */
	int *version, *block;          /* by version, by block: whether threads leave depends on it */
	int *been, search;            /* by version: the last search back from one version that has come by */
	Vec(int) back;                 /* what that search has yet to look at */
	Vec(int) todo, ways;           /* versions to look at; blocks */
	uint8_t stored;                /* spaces whose stores in the loop have been looked at */
	/* what is read anew, by an ordered access and by one that is not; or NULL */
	const Ins *ordered, *plain;
	bool goes_on;                 /* it depends on what the thread itself makes other from turn to turn */
} Search;

/* The version is written in the loop. */
static inline bool waits_inside(const Search *x, int version)
{
	const SsaVersion *v = &x->ssa->version[version];
	return v->ins != SSA_ENTRY && loop_has(x->c, x->l, v->block);
}
/* It is what the loop's turns begin with. */
static inline bool waits_turns(const Search *x, int version)
{
	const SsaVersion *v = &x->ssa->version[version];
	return v->phi >= 0 && v->block == x->l->header;
}
static inline const Ins *waits_writer(const Search *x, int version) /* NULL: a phi */
{
	const SsaVersion *v = &x->ssa->version[version];
	return v->ins < 0 ? NULL : &x->c->f->block.v[v->block]->ins.v[v->ins];
}
/* What turns begin with may be another one in the next turn, computed or loaded, not only moved or chosen. */
bool waits_goes_on(Search *, int phi);
/* Every turn comes to an exit that comes about in some turn, whatever others do. */
bool waits_bounded(Search *);
#endif
