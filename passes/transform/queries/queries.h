/* Question propagation: the graph of queries, its solution, and the code that follows from it.
 *
 * A query asks whether a value is in a register already: what stands at an address, or what an operation
 * gives. Its key is a class of instructions that differ in registers alone and a form
 * (passes/analysis/memform.h) for each register that they read; of loads, one for the whole address. Going
 * backward over an edge the form is rewritten: a register that is chosen there becomes what comes along the
 * edge, the number of a cycle's turn one more along an edge back, and 0 along one into it. So A[i + 1] of a
 * turn is A[i] of the next. */
#ifndef GSIM_QUERIES_H
#define GSIM_QUERIES_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/pass.h"
#include "passes/transform/facts.h"

typedef enum { LOCAL_PASS, LOCAL_FOUND, LOCAL_KILLED } LocalKind;

/* Is the key available where the block starts? Its ways come along the edges from the block's
   predecessors. */
typedef struct Start {
	int block, key, shifts;     /* shifts: how often the key was rewritten since a load asked, at least */
	int first, n;                  /* its ways */
	int end;                       /* the End that passes on to it, or -1 */
	int8_t safe;                   /* anticipated: -1 not asked yet */
	int found, nfound;             /* by these accesses, in Queries.found */
	bool marked;                   /* one of which does not fault: nor may what is inserted */
	int seen;                      /* hoist.c's stamp */
	bool expanded, avail, real, needed, hoped; /* hoped: some way has it */
} Start;
/* And where it ends? */
/* access: found; start: passed on to; user: first way that comes from here */
typedef struct End { int block, key, access, start, user; LocalKind kind; } End;
enum { SLICE_MOST = 12 };
/* instructions that make an address, each with what it writes; at: it as the load reads it */
typedef struct Slice { int n, version[SLICE_MOST]; Ins ins[SLICE_MOST]; Opd at; } Slice;
/* of a load: a register and a number, or, not NULL, what is to be made first; of others: registers, source[k]
   in place of the k-th */
typedef struct Address { Opd at, *source; Slice *slice; } Address;
typedef struct Held { int reg, version; } Held; /* the last one: reg is -1 */
/* end -1: not known; address: can the load stand there: -1 not asked yet */
typedef struct Way { int start, end, pred, next; int8_t address; Address at; } Way;

/* start: where it asks on; local: an access of its block that has it; barred: it stays, for registers */
typedef struct Origin { int access, key, start, local; bool gone, barred; } Origin;

typedef struct Branch { int block, key, stop; } Branch; /* the key at its end; stop: where its arms meet */
/* marked: it does not fault; the loads that go: in Queries.found */
typedef struct Hoist { int block, key, reg; Address at; bool marked; int first, n; } Hoist;

/* What all rounds of one run have done. */
/* check: registers that loads write that stay to be compared */
typedef struct QueriesDone {
	int64_t asked, inserted, removed, copied, raised, refused;
	Vec(int) check;
} QueriesDone;

typedef struct Queries {
	PassRun *r;
	QueriesDone done;
	Arena arena;
	const Cfg *c;
	MemDep mem;                 /* with forms of our own, and, for preqp, operations among its accesses */
	MemForms forms;
	MemAsk ask;
	const Dom *dom;
	const Ssa *ssa;
	const Liveness *live;
	Keys keys, classes, starts, ends, aheads;
	int *key_of;                   /* by access: its key, or -1 */
	Vec(Ins) pattern;              /* by class */
	int *version_first, *version_of; /* by register: the versions of it that instructions and phis make */
	const Held **held; /* by block: what registers that live at its end hold there; NULL: not asked yet */
	Vec(Start) start;
	Vec(End) end;
	Vec(Way) way;
	Vec(Origin) origin;
	Vec(int) found;
	Vec(int) first_of;             /* by key: a load that has it, or -1 */
	int *next_of;                  /* by load: another one */
	int *origin_of;                /* by access: its origin, or -1 */
	bool *outside;              /* by block: control dependent on a divergent branch; NULL: nobody asks */
	int most_shifts;
	int64_t patience;
	int limit;                     /* most registers that may live at once; 0: any number */
	int *rank, nrank;              /* origins, in the order in which they may go */
	bool slices;                   /* addresses may be made anew */
	bool check, nonfaulting;  /* nonfaulting: loads may be speculated, marked so that they do not fault */

	/* Speculation (hoist.c) */
	/* by block: speculation takes it that threads of a warp part at its end; NULL: there is none */
	const bool *parts;
	int8_t *arms;                  /* by block: is what one arm does enough? */
	int *point;                    /* by block: where what parts there meets */
	int *taken;                    /* by access: the Hoist that it goes for, or -1 */
	Vec(Hoist) hoist; int hoists;  /* hoists: so many of them are made */
	const SafeLoads *safe;
	int stamp;
} Queries;

enum { FORMS_MOST = 6 };
int query_key(Queries *, int class, const int *forms, int n);
/* of a load */
static inline int key_form(const Queries *q, int key) { return (int)keys_key(&q->keys, key)[1]; }
int key_forms(const Queries *, int key, int *forms);                      /* how many */
/* does one of the forms? */
bool key_mentions(const Queries *, int key, bool (*is)(void *, const MemAtom *), void *self);
static inline int key_class(const Queries *q, int key) { return (int)keys_key(&q->keys, key)[0]; }
static inline const Ins *query_ins(const Queries *q, const MemAccess *a)
{
	return &q->c->f->block.v[a->block]->ins.v[a->ins];
}
static inline const Ins *query_load(const Queries *q, int access)
{
	return query_ins(q, &q->mem.access[access]);
}
static inline bool key_loads(const Queries *q, int key)
{
	return q->pattern.v[key_class(q, key)].op == OP_LD;
}
int query_value(Queries *, int version, int bits);                        /* its form, through copies; -1 */
/* from above instruction `from` to the block's start */
LocalKind query_up(Queries *, int key, int block, int from, int *access);
LocalKind query_down(Queries *, int key, int block, int *access);      /* from the block's start to its end */
/* The key at the other side of the edge from pred to block: at the end of pred, where place is that of pred
   among the block's predecessors; where place is -1, at the start of block. -1: there is none. */
int query_over(Queries *, int key, int pred, int block, int place, int *shifts);
/* Anticipated where the block starts: loaded on every way from there? By which accesses goes to
   Queries.found. */
bool query_ahead(Queries *, int key, int block);
/* loaded in an arm of each divergent branch, before the arms meet? */
bool query_arms(Queries *, int key, const Branch *);
/* how to have the address, or the sources, at the block's end */
bool query_address(Queries *, int key, int block, Address *);
Opd query_make(Queries *, Edit *, Block *, const Address *);         /* before the block's last instruction */

int query_reg(Queries *, Edit *, int key);                                /* a new register for its value */
/* the load, before the block's last instruction */
void query_put(Queries *, Edit *, Block *, int key, int reg, const Address *, bool marked);
/* the register in place of the load; with check, the load stays */
void query_take(Queries *, Edit *, Rewrite *, const Ins *load, int from);

void queries_build(Queries *);                                            /* the graph */
void queries_solve(Queries *);
bool queries_emit(Queries *);
void queries_remark(Queries *);                      /* says what goes, what is new, and why the rest stays */
void queries_fit(Queries *);                               /* of those that go, as many as the limit allows */

bool hoist_either(Queries *, int block);                    /* at this branch, is what one arm does enough? */
/* would a load at the branch have this load's value? */
bool hoist_takes(Queries *, const Branch *, int access);
void hoists_emit(Queries *);
void queries_fit_hoists(Queries *);
bool queries_hoist(Queries *);                           /* moves loads to branches; true: the graph is old */
#endif
