/* The stack of a thread block: what tbc.c and stack.c share.

   sim/reconv/tbc/ is one mechanism: no other includes its files. */
#ifndef GSIM_TBC_H
#define GSIM_TBC_H
#include "sim/reconv/common/splits.h"

enum { P_LATENCY, P_PREDICT };

typedef struct Target { uint32_t pc; Mask *lanes; } Target; /* where a path goes, and its lanes by warp */

typedef struct Entry {
	uint32_t pc, rpc;
	/* call depths there: recursion comes to the same address at another depth */
	unsigned pc_depth, rpc_depth;
	bool counted, started;         /* started: its lanes are in splits, or in `come` */
	/* by warp: lanes that have not ended; lanes that have come to its rpc or to its branch */
	Mask *lanes, *come;
	/* where paths of the branch or call to which lanes have come meet; NO_PC: at the entry's rpc */
	uint32_t meet;
	unsigned meet_depth, path_depth;
	uint32_t at;                   /* the pc of that branch or call */
	int splits;                    /* splits that have come there, once for each path */
	/* lanes that have come here, or to an entry that was above, go on no earlier: one may sleep */
	Cycle ready;
	bool advancing;           /* splits did not wait at the branch: the two entries above are its paths */
	bool open;                     /* the path of an advancing entry: more lanes may come to it */
	int npath, mpath;
	Target *path;                  /* room for 64; the first mpath have arrays */
} Entry;

typedef struct BlockStack {            /* entries keep their arrays when they are popped */
	struct BlockStack *next;
	int n, cap, made, warps;
	Entry *e;
	Warp **warp;                   /* by index */
} BlockStack;

/* vain: by pc of a branch, compaction saved nothing */
typedef struct Shared { BlockStack *free; uint8_t *vain; } Shared;

/* the stack of the warp's block; NULL: none */
static inline BlockStack *tbc_stack(Warp *w) { return *(BlockStack **)reconv_block_state(w); }
BlockStack *tbc_stack_new(Warp *);
/* The entry that a lane runs in: the uppermost that has it. */
int tbc_entry_of(const BlockStack *, const Part *);
/* Puts an entry for a path at place `at` of the stack; lanes: by warp, NULL = none yet. */
Entry *tbc_push(Warp *, BlockStack *, int at, uint32_t pc, unsigned pc_depth, uint32_t rpc,
	unsigned rpc_depth, const Mask *lanes);
/* The reconvergence point of the paths at the entry's branch. True: it is the entry's own, so the paths
   replace the entry. */
bool tbc_meeting(const Entry *, uint32_t *rpc, unsigned *rpc_depth);
/* Lanes have come to a branch or an rpc, ended or begun to wait: complete entries end or part, and if nothing
   runs, the next entry's warps are formed. */
void tbc_settle(Warp *, BlockStack *);
#endif
