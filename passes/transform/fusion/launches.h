/* Motion of launch statements in a host function (kf-trad, bkf, fkf, kfcm): what its files share.
 *
 * launches.c   the statements of a host function as lists that launches can leave and enter, and what a
 *              launch may pass
 * join.c       two launches that become one
 * reach.c      where one launch can go, and the equations of hoisting and sinking (Fukuhara, doctoral thesis
 *              2023, sections 5.2.1 and 5.2.2)
 * kfcm.c       hoisting, sinking and fusing, until nothing changes
 * kf_trad.c    fusing within a block
 * undo.c       launches go back that have moved for nothing
 * write.c      the host function that comes of it
 * passes.c     the passes */
#ifndef GSIM_LAUNCHES_H
#define GSIM_LAUNCHES_H
#include "passes/transform/fusion/fusion.h"

/* Who says which launches may become one, and makes them one: fusion.h for the passes, others for tests. */
typedef struct Joiner {
	void *self;
	bool (*judge)(void *self, Analyses *host, int block, int ins, const Ins *first, const Ins *second,
		FusionVerdict *);
	Ins (*make)(void *self, Analyses *host, Edit *, Block *, int ins, const Ins *first, const Ins *second,
		const FusionVerdict *);
	/* remarks made so far in the pass's rounds; NULL: none are remembered beyond this one */
	StrMap *said;
} Joiner;

/* What is launched. Copies of a statement share it. */
typedef struct Launch {
	Ins ins;                       /* without guard */
	BitSet reads, writes;          /* buffers that it may */
	int *reg, nreg;                /* registers that its operands read */
	/* its stream is 0 for certain: all that was launched before has ended when it begins, and it when the
	   host goes on */
	bool waits;
	bool visible;                  /* it prints, say */
} Launch;

typedef enum {
	STMT_BEGIN,                    /* of a part */
	STMT_CODE,                     /* an instruction that stays where it is */
	STMT_LAUNCH,
	STMT_HOME,                     /* where a launch stood that has moved, and may come back */
	STMT_GONE                      /* where one stood that does not */
} StmtKind;

typedef struct Stmt {
	StmtKind kind;
	int part, prev, next;          /* in the part's list; -1 */
	int at;    /* registers are here as before this instruction of the part's block; of code: behind it */
	/* code, and launches where the source has one: the instruction of the part's block; else -1 */
	int ins;
	BitSet touches, changes;       /* code: buffers; w NULL: none */
	int launch;
	int home;                  /* of a launch: where it stood before it was moved for no fusion; itself */
	bool lost;      /* the launch that was at home here has been fused somewhere, or moved for a fusion */
	bool fused;                    /* the launch was made of two */
	int local;                     /* in the Reach at hand; 0: it is not in it */
} Stmt;

/* Straight code of the host function: a block up to a guarded launch, such a launch, what is done when it is
   not launched, the code behind it, a critical edge, the way in. */
typedef enum { PART_BLOCK, PART_GUARDED, PART_ELSE, PART_EDGE, PART_START } PartKind;

typedef struct Part {
	PartKind kind;
	int block;                     /* by whose registers it goes; of an edge: where that begins */
	int to;                        /* of an edge: the block to which it leads */
	int first, last;               /* statements */
	IntList succ, pred;            /* parts */
	bool endless;                  /* the function's end cannot be reached from here */
	bool changed;
} Part;

typedef struct Host {
	PassRun *r;
	Analyses *an;
	Joiner joiner;
	Arena arena;
	Edit e;
	Vec(Stmt) stmt;
	Vec(Part) part;                /* in reverse post-order */
	Vec(Launch) launch;
	int nbuffer;
	StrMap refused, said;          /* pairs with their place; remarks */
	int fusions, inserted, removed;
} Host;

/* r->f: the host function */
void host_open(Host *, PassRun *, Analyses *, Joiner);
void host_close(Host *);
int host_new_stmt(Host *, int part, int behind, StmtKind, int at);  /* behind -1: at the part's begin */
int host_new_launch(Host *, const Ins *, BitSet reads, BitSet writes);
BitSet host_set(Host *, BitSet, BitSet);               /* what is in either, in a set of its own */
Loc host_loc(const Host *, int launch);
const char *host_kernel(const Host *, int launch);
const char *host_label(const Host *, int stmt);        /* of the block in which it stands, or at whose end */
bool host_passes(const Host *, int launch, int stmt);  /* may the launch move over the statement? (Transp) */
int host_nsucc(const Host *, int stmt);
int host_succ(const Host *, int stmt, int k);
int host_npred(const Host *, int stmt);
int host_pred(const Host *, int stmt, int k);
int host_put_behind(Host *, int stmt, int launch);     /* a new statement; a begin stays where it is */
int host_put_before(Host *, int stmt, int launch);
void host_leave(Host *, int stmt);                     /* the launch goes, and may come back */
void host_take(Host *, int stmt);                      /* the launch goes, and does not come back */
/* May the launches become one at the place of the statement? What is refused is said once. */
bool host_may_join(Host *, int stmt, int first, int second, FusionVerdict *);
/* They become one, which takes the place of the launch that stands there. */
void host_join(Host *, int stmt, int first, int second, const FusionVerdict *);
bool host_write(Host *);            /* the function becomes what the lists say; true: it was something else */

/* Where a launch can go. Node 0 stands for all statements that do not matter. */
typedef struct Reach {
	Arena arena;
	int n, *stmt;                  /* statements by node */
	Graph *g;
	int *order;
	bool *n_safe, *x_safe, *x_fusible, *n_delayed, *x_delayed, *n_latest, *x_latest;
	bool *n_sinkable, *x_sinkable, *n_fusible, *n_insert, *x_insert;
	FusionVerdict *verdict;
	int fusible;                   /* how many nodes are x_fusible, n_fusible */
} Reach;
void reach_hoist(Host *, int stmt, Reach *);
void reach_sink(Host *, int stmt, bool fuse, Reach *);
void reach_close(Host *, Reach *);

void host_kf_trad(Host *);
typedef enum { KF_HOIST = 1, KF_SINK = 2 } KfPhases;
void host_kfcm(Host *, KfPhases);
void host_undo(Host *);
/* What a pass does: each of these until it fuses nothing more, then the next one. */
typedef struct KfSteps { int n, phases[2]; } KfSteps;
extern const KfSteps kf_trad_steps, bkf_steps, fkf_steps, kfcm_steps;
/* Runs phases (0: kf-trad) on the host function until they fuse nothing more. */
bool host_fuse(PassRun *, const Joiner *, int phases);
#endif
