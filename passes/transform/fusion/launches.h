/* Motion of launch statements in a host function (kf-trad, bkf, fkf, kfcm): what its files share.
 *
 * launches.c   keeps the statements of a host function in lists, which launches can leave and enter; tells
 *              which statements a launch may pass
 * join.c       makes one launch of two
 * reach.c      finds where one launch can go, by the equations of hoisting and sinking (Fukuhara, doctoral
 *              thesis 2023, sections 5.2.1 and 5.2.2)
 * kfcm.c       hoists, sinks and fuses launches until nothing changes
 * kf_trad.c    fuses launches within a block
 * undo.c       puts launches back that were moved and then not fused
 * write.c      writes the changed lists back into the host function
 * passes.c     the passes */
#ifndef GSIM_LAUNCHES_H
#define GSIM_LAUNCHES_H
#include "passes/transform/fusion/fusion.h"

/* The functions that say which launches may become one, and that make one of two. The passes use those of
   fusion.h, tests use others. */
typedef struct Joiner {
	void *self;
	bool (*judge)(void *self, Analyses *host, int block, int ins, const Ins *first, const Ins *second,
		FusionVerdict *);
	Ins (*make)(void *self, Analyses *host, Edit *, Block *, int ins, const Ins *first, const Ins *second,
		const FusionVerdict *);
	/* remarks that all rounds of the pass have made so far, none of which is made again; NULL: each Host
	   remembers its own alone */
	StrMap *said;
} Joiner;

/* What a statement launches. Statements that are copies of each other share one. */
typedef struct StmtLaunch {
	Ins ins;                       /* the launch instruction, without its guard */
	BitSet reads, writes;          /* buffers that the kernel may read, that it may write */
	int *reg, nreg;                /* registers that the operands of ins read; their number */
	/* the launch's stream is the number 0: when the launch begins, all earlier launches have ended, and
	   when the host goes on, the launch has ended */
	bool waits;
	bool visible;                  /* the kernel does what users see besides memory: it prints, say */
} StmtLaunch;

typedef enum {
	STMT_BEGIN,                    /* the begin of a part; it stands for no instruction */
	STMT_CODE,                     /* an instruction that is no launch; it stays where it is */
	STMT_LAUNCH,
	STMT_HOME,                     /* a launch stood here that has moved, and may come back */
	STMT_GONE                      /* a launch stood here that does not come back */
} StmtKind;

typedef struct Stmt {
	StmtKind kind;
	int part, prev, next;          /* its part; its neighbours in the part's list, -1: none */
	/* an instruction of the part's block: at this statement registers have the values that they have
	   before instruction `at`; code has the number of the instruction behind it */
	int at;
	/* of code, and of launches that the source has: number of the instruction in the part's block; else
	   -1 */
	int ins;
	/* code: buffers that it may access; those that it may write, make or free; .w NULL: it accesses
	   none */
	BitSet touches, changes;
	int launch;                    /* number in Host.launch; -1: none */
	/* of a launch: the statement where it stood before it was sunk without being fused; its own number if
	   it was not */
	int home;
	/* the launch whose home is here was fused, or moved in order to be fused: it does not come back */
	bool lost;
	bool fused;                    /* the launch was made of two */
	int local;                     /* its node in the LaunchReach at hand; 0: it has none */
} Stmt;

/* A part is straight code of the host function. PART_BLOCK: a block, or the piece of it before or behind a
   guarded launch. PART_GUARDED: a guarded launch, or several in a row with the same guard. PART_ELSE: the way
   past these, which is taken when the guard does not hold. PART_EDGE: an edge out of a block with several
   successors; only if the edge is critical do other parts lead to it. PART_START: the way into the function,
   if a jump leads back to its first block. */
typedef enum { PART_BLOCK, PART_GUARDED, PART_ELSE, PART_EDGE, PART_START } HostPartKind;

typedef struct HostPart {
	HostPartKind kind;
	int block;                     /* the block in which it lies; of an edge: the block that it leaves */
	int to;                        /* of an edge: the block to which it leads; else -1 */
	int first, last;               /* its first and its last statement */
	IntList succ, pred;            /* parts that follow, that come before */
	bool endless;                  /* the function's end cannot be reached from here */
	bool changed;                  /* a launch was put here, replaced, or taken away */
} HostPart;

typedef struct Host {
	PassRun *r;
	Analyses *an;
	Joiner joiner;
	Arena arena;
	Edit e;
	Vec(Stmt) stmt;
	Vec(HostPart) part;                /* in reverse post-order */
	Vec(StmtLaunch) launch;
	int nbuffer;
	StrMap refused, said;          /* pairs of launches that were refused, with the place; remarks made */
	int fusions, inserted, removed;
} Host;

/* Makes the lists of statements of the host function r->f. */
void host_open(Host *, PassRun *, Analyses *, Joiner);
void host_close(Host *);
/* Adds a statement to the part, behind the statement `behind`; -1: as the part's first one. Returns its
   number. */
int host_new_stmt(Host *, int part, int behind, StmtKind, int at);
int host_new_launch(Host *, const Ins *, BitSet reads, BitSet writes);
BitSet host_set(Host *, BitSet, BitSet);               /* a new set with what is in either of the two */
Loc host_loc(const Host *, int launch);
const char *host_kernel(const Host *, int launch);
/* The label of the block in which the statement stands; for a statement on an edge, of the block that the
   edge leaves. */
const char *host_label(const Host *, int stmt);
/* May the launch move over the statement? (Transp in the thesis' equations.) */
bool host_passes(const Host *, int launch, int stmt);
int host_nsucc(const Host *, int stmt);
int host_succ(const Host *, int stmt, int k);
int host_npred(const Host *, int stmt);
int host_pred(const Host *, int stmt, int k);
/* Puts the launch in a new statement behind the given one; returns the number of the new one. */
int host_put_behind(Host *, int stmt, int launch);
/* The same, before the given statement, or behind it if it is the begin of a part. */
int host_put_before(Host *, int stmt, int launch);
void host_leave(Host *, int stmt);                     /* the launch goes, and may come back (host_undo) */
void host_take(Host *, int stmt);                      /* the launch goes, and does not come back */
/* May the two launches become one at the place of the statement? A remark says once why not. */
bool host_may_join(Host *, int stmt, int first, int second, FusionVerdict *);
/* Makes one launch of the two; it replaces the launch of the statement. */
void host_join(Host *, int stmt, int first, int second, const FusionVerdict *);
bool host_write(Host *);            /* writes the lists back into the function; true: some part has changed */

/* Where one launch can go: a graph of the statements that it comes to. Node 1 is the launch itself; node 0
   stands for all statements that do not matter. The flags are by node and have the names of the equations in
   reach.c: n_ is before the statement, x_ is behind it. */
typedef struct LaunchReach {
	Arena arena;
	int n, *stmt;                  /* number of nodes; by node: its statement */
	Graph *g;
	int *order;
	bool *n_safe, *x_safe, *x_fusible, *n_delayed, *x_delayed, *n_latest, *x_latest;
	bool *n_sinkable, *x_sinkable, *n_fusible, *n_insert, *x_insert;
	FusionVerdict *verdict;
	int fusible;                   /* how many nodes are x_fusible (hoisting) or n_fusible (sinking) */
} LaunchReach;
void reach_hoist(Host *, int stmt, LaunchReach *);
void reach_sink(Host *, int stmt, bool fuse, LaunchReach *);
void reach_close(Host *, LaunchReach *);

void host_kf_trad(Host *);
typedef enum { KF_HOIST = 1, KF_SINK = 2 } KfPhases;
void host_kfcm(Host *, KfPhases);
void host_undo(Host *);
/* The steps of a pass, n of them: phases[0] is run until it fuses nothing more, then phases[1]. A step is the
   sum of its KfPhases; 0 means kf-trad. */
typedef struct KfSteps { int n, phases[2]; } KfSteps;
extern const KfSteps kf_trad_steps, bkf_steps, fkf_steps, kfcm_steps;
/* Runs one step (KfPhases; 0: kf-trad) on the host function r->f until it fuses nothing more. True: launches
   were fused. */
bool host_fuse(PassRun *, const Joiner *, int phases);
#endif
