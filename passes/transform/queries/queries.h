/* Question propagation: the graph of queries, its solution, and the code that follows from it.
 *
 * A query asks whether a value is in a register already: what stands at an address, or what an operation
 * gives. Its key consists of a class of instructions that differ in registers alone, and of a form
 * (passes/analysis/memform.h) for each register that they read; the key of a load has one form, of the whole
 * address. When a query goes backward over an edge, the forms are rewritten: a register that a phi sets
 * behind the edge becomes the value that comes along the edge; the number of a cycle's turn becomes one more
 * along an edge back to the cycle's header, and 0 along an edge into the cycle. So A[i + 1] of a turn is A[i]
 * of the next one. */
#ifndef GSIM_QUERIES_H
#define GSIM_QUERIES_H
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/analysis/versions.h"
#include "passes/constants.h"
#include "passes/pass.h"
#include "passes/transform/facts.h"

/* What a block, or a piece of it, says to a query. FOUND: an instruction of it gives the value. KILLED: the
   value may be another one on the other side of it. PASS: neither, the query goes on. */
typedef enum { LOCAL_PASS, LOCAL_FOUND, LOCAL_KILLED } LocalKind;

/* Is the value of the key available where the block starts? The answer follows from its ways: one for each
   edge from a predecessor of the block. */
typedef struct QueryStart {
	/* shifts: how often, at least, the key was rewritten on the way from an instruction that asks */
	int block, key, shifts;
	int first, n;                  /* its ways: the first one in Queries.way, and how many */
	int end;                       /* the End of the block that passes the question on to here, or -1 */
	int8_t safe;                   /* is the key anticipated here (query_ahead)? -1: not asked yet */
	/* the accesses by which it is anticipated: index of the first one in Queries.found, and how many */
	int found, nfound;
	/* one of these accesses is a nonfaulting load; so an inserted load has to be one, too */
	bool marked;
	int seen;                      /* Queries.stamp of the last walk that has come here */
	/* expanded: its ways are made; avail: the answer is yes; real: some way leads from an access that has
	   the value; needed: the code needs the value here; hoped: it was real before anything was dropped */
	bool expanded, avail, real, needed, hoped;
} QueryStart;
/* Is the value of the key available where the block ends? access: if kind is FOUND, the one that has the
   value; start: if kind is PASS, the QueryStart to which the question is passed on, else -1; user: the first
   way that comes from here, or -1. */
typedef struct End { int block, key, access, start, user; LocalKind kind; } End;
/* The instructions that make an address, each with the version that it writes. at: the address as the load
   reads it. */
typedef struct AddressSlice {
	int n, version[ADDRESS_INSTRUCTIONS];
	Ins ins[ADDRESS_INSTRUCTIONS];
	Opd at;
} AddressSlice;
/* How to have what an instruction reads at a place. A load's address: `at`, a register and a number; or, if
   slice is not NULL, what its instructions make, which are to be put there first. Of other operations:
   source[k] is the register to read in place of the k-th register. */
typedef struct Address { Opd at, *source; AddressSlice *slice; } Address;
typedef struct HeldReg { int reg, version; } HeldReg; /* a list's last one has reg -1 */
/* An edge from block pred by which a QueryStart gets its answer. end: the End there, -1: not known; next:
   another way from the same End, -1; address: 1: a new load can have its address there, as `at` says; 0: it
   cannot;
   -1: not asked yet. */
typedef struct QueryWay { int start, end, pred, next; int8_t address; Address at; } QueryWay;

/* An instruction that asks for its own value. start: the QueryStart to which its block passes the question
   on, -1; local: an access in its block that has the value, -1; gone: it is removed; barred: it stays,
   because of the limit of registers. */
typedef struct QueryOrigin { int access, key, start, local; bool gone, barred; } QueryOrigin;

/* The branch at the end of a block, and a key there. stop: the block where the branch's arms meet. */
typedef struct Branch { int block, key, stop; } Branch;
/* A load to be put at the end of the block, for n loads that go, from Queries.found[first] on. reg: the
   register that it writes; marked: it is a nonfaulting load. */
typedef struct Hoist { int block, key, reg; Address at; bool marked; int first, n; } Hoist;

/* What all rounds of one run have done. check: the registers that loads write which stay only to be compared
   (option check). */
typedef struct QueriesDone {
	int64_t asked, inserted, removed, copied, raised, refused;
	Vec(int) check;
} QueriesDone;

typedef struct Queries {
	PassRun *r;
	QueriesDone done;
	Arena arena;
	const Cfg *c;
	/* memory dependence, with forms of this graph (forms) and, for preqp, operations among the
	   accesses */
	MemDep mem;
	MemForms forms;
	MemAsk ask;
	const Dom *dom;
	const Ssa *ssa;
	/* live, versions: NULL until an address is asked for (address.c); an: who has them made, the analyses
	   of the function that is asked about */
	Analyses *an;
	const Liveness *live;
	const Versions *versions;
	Keys keys, classes, starts, ends, aheads;
	int *key_of;                   /* by access: its key, or -1 */
	/* by class of a key: an instruction of the class, its sources in the order of identities */
	Vec(Ins) pattern;
	int *none;                     /* by register: 0, a value number that is the same for all */
	/* by block: the registers that live at its end, and what they hold there; NULL: not asked yet */
	const HeldReg **held;
	Vec(QueryStart) start;
	Vec(End) end;
	Vec(QueryWay) way;
	Vec(QueryOrigin) origin;
	Vec(int) found;
	Vec(int) first_of;             /* by key: an access that has it, or -1 */
	int *next_of;                  /* by access: another one with the same key, or -1 */
	/* the accesses of each key, in the order of the code: keyed[keyed_first[key]] up to, not including,
	   keyed[keyed_first[key + 1]] */
	int *keyed_first, *keyed;
	int *origin_of;                /* by access: its origin, or -1 */
	/* by block: it is control dependent on a divergent branch, so nothing is inserted there; NULL: that
	   does not matter */
	bool *outside;
	int most_shifts;               /* how often a key may be rewritten on a way (option shifts) */
	int64_t patience;              /* steps of the search that are left */
	int limit;                     /* most registers that may live at once; 0: any number */
	int *rank, nrank;              /* origins in the order in which they may go, and their number */
	bool slices;                   /* addresses may be made anew (AddressSlice) */
	/* check: loads that go stay, to be compared; nonfaulting: loads may be speculated, marked so that
	   they do not fault */
	bool check, nonfaulting;

	/* the members from here on, except stamp, are for speculation (hoist.c) */
	/* by block: threads of a warp are taken to part at its end; NULL: the pass does not speculate */
	const bool *parts;
	/* by block: is it enough that one arm loads? (the values are in hoist.c); 0: not asked yet */
	int8_t *arms;
	int *point;                    /* by block: where threads that part at its end meet again */
	int *taken;                    /* by access: the Hoist for which it is removed, or -1 */
	Vec(Hoist) hoist; int hoists;  /* hoists: the first so many of them are made */
	const SafeLoads *safe;
	int stamp;                     /* number of the last walk over Starts */
} Queries;

enum { FORMS_MOST = 6 };
/* the number of the key; forms: those of the registers that the class' pattern reads, in its order */
int query_key(Queries *, int class, const int *forms, int n);
/* of a load: the form of its address */
static inline int key_form(const Queries *q, int key) { return (int)keys_key(&q->keys, key)[1]; }
int key_forms(const Queries *, int key, int *forms);           /* fills forms; returns how many there are */
/* does one of the key's forms contain an atom for which is() says yes? */
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
/* the form of what the version holds, found through copies; -1: none */
int query_value(Queries *, int version, int bits);
/* Asks the block backward, from in front of instruction `from` to the block's start. *access: if FOUND, the
   one that has the value. */
LocalKind query_up(Queries *, int key, int block, int from, int *access);
/* The same forward, from the block's start to its end. */
LocalKind query_down(Queries *, int key, int block, int *access);
/* Rewrites the key over the edge from pred to block. If place is -1, from the end of pred to the start of
   block; else from the start of block to the end of pred, which is number `place` of the block's
   predecessors. Returns the key on the other side; -1: there is none. Adds 1 to *shifts if the key becomes
   another one, unless the edge leads into a cycle. */
int query_over(Queries *, int key, int pred, int block, int place, int *shifts);
/* Is the key anticipated where the block starts, that is, loaded on every way from there? Adds the accesses
   that do so to Queries.found. */
bool query_ahead(Queries *, int key, int block);
/* Is the key loaded on every way from the branch before its arms meet? At divergent branches one of two arms
   is enough (hoist_either). Adds the accesses that do so to Queries.found. */
bool query_arms(Queries *, int key, const Branch *);
/* Can the key's address, or its sources, be had at the block's end? Fills Address with how. */
bool query_address(Queries *, int key, int block, Address *);
/* Returns a load's address; inserts the instructions that make it before the block's last instruction. */
Opd query_make(Queries *, Edit *, Block *, const Address *);

int query_reg(Queries *, Edit *, int key);                 /* makes a new register for the key's value */
/* inserts the key's load or operation, which writes reg, before the block's last instruction */
void query_put(Queries *, Edit *, Block *, int key, int reg, const Address *, bool marked);
/* puts a move from register `from` in place of the load; with option check the load stays as well */
void query_take(Queries *, Edit *, Rewrite *, const Ins *load, int from);

void queries_build(Queries *);                                            /* builds the graph */
void queries_solve(Queries *);
bool queries_emit(Queries *);                        /* writes the code; true: something has changed */
void queries_remark(Queries *);                      /* says what goes, what is new, and why the rest stays */
void queries_fit(Queries *);               /* bars origins from going until the limit of registers holds */

/* at the branch that ends the block, is it enough that one of its two arms loads? */
bool hoist_either(Queries *, int block);
/* would a load at the branch have this load's value, for which no Hoist is made yet? */
bool hoist_takes(Queries *, const Branch *, int access);
void hoists_emit(Queries *);
/* bars those that the pass may not take (pass_may_change) */
void queries_ask(Queries *);
void queries_fit_hoists(Queries *);
bool queries_hoist(Queries *);           /* moves loads to branches; true: the graph has to be built anew */
#endif
