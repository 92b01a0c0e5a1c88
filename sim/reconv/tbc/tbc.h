/* The stack of a thread block: what tbc.c and stack.c share.

   sim/reconv/tbc/ is one mechanism: no other includes its files. */
#ifndef GSIM_TBC_H
#define GSIM_TBC_H
#include "sim/reconv/common/splits.h"

enum { P_LATENCY, P_PREDICT };

typedef struct Target { uint32_t pc; Mask *lanes; } Target; /* of one path */

typedef struct Entry {
	uint32_t pc, rpc;
	unsigned pc_depth, rpc_depth;  /* call depths there: recursion comes to the same address elsewhere */
	bool counted, started;         /* started: its lanes are in splits, or have come */
	Mask *lanes, *come;            /* by warp: lanes that have not ended; those that are at its end or at the branch */
	uint32_t meet;                 /* where paths of the branch or call that they have come to meet; NO_PC: where e does */
	unsigned meet_depth, path_depth;
	uint32_t at;                   /* that branch */
	int splits;                    /* that have come there, once for each path */
	Cycle ready;                   /* no lane that has come here, or to an entry that was above, goes on before: one may sleep */
	bool advancing;                /* they did not wait: the two entries above are its paths ... */
	bool open;                     /* ... and lanes may yet come to this one */
	int npath, mpath;
	Target *path;                  /* room for 64; the first mpath have arrays */
} Entry;

typedef struct BlockStack {            /* entries keep their arrays when they are popped */
	struct BlockStack *next;
	int n, cap, made, warps;
	Entry *e;
	Warp **warp;                   /* by index */
} BlockStack;

typedef struct Shared { BlockStack *free; uint8_t *vain; } Shared; /* vain: by pc of a branch, compaction saved nothing */

static inline BlockStack *tbc_stack(Warp *w) { return *(BlockStack **)reconv_block_state(w); } /* of the warp's block; NULL: none */
BlockStack *tbc_stack_new(Warp *);
/* The entry that a lane runs in: the uppermost that has it. */
int tbc_entry_of(const BlockStack *, const Part *);
/* An entry for a path, at place `at` of the stack; lanes: by warp, NULL = none yet. */
Entry *tbc_push(Warp *, BlockStack *, int at, uint32_t pc, unsigned pc_depth, uint32_t rpc, unsigned rpc_depth, const Mask *lanes);
/* What the paths of a branch have as reconvergence point; true: it is the entry's own, which they replace. */
bool tbc_meeting(const Entry *, uint32_t *rpc, unsigned *rpc_depth);
/* Lanes have come somewhere, ended or begun to wait: what is complete ends, and what may run is formed. */
void tbc_settle(Warp *, BlockStack *);
#endif
