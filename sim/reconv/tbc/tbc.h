/* The stack of a thread block: what tbc.c and stack.c share.

   sim/reconv/tbc/ is one mechanism: no other mechanism includes files of this folder. */
#ifndef GSIM_TBC_H
#define GSIM_TBC_H
#include "sim/reconv/common/splits.h"

enum { P_LATENCY, P_PREDICT };

typedef struct Target { uint32_t pc; Mask *lanes; } Target; /* where a path goes, and its lanes by warp */

typedef struct Entry {
	uint32_t pc, rpc;
	/* call depths at pc and at rpc: recursion comes to the same address at another depth */
	unsigned pc_depth, rpc_depth;
	/* counted: its push and pop are counted; started: its lanes are in splits, or in `come` */
	bool counted, started;
	/* by warp: lanes of the entry that have not ended; lanes that have come to the entry's rpc, or to the
	   branch where it ends */
	Mask *lanes, *come;
	/* where paths of the branch or call to which lanes have come meet; NO_PC: at the entry's rpc */
	uint32_t meet;
	unsigned meet_depth, path_depth;  /* call depths at `meet`, and where the paths begin */
	uint32_t at;                   /* the pc of that branch or call */
	int splits;                    /* splits that have come to it, each counted once for each path */
	/* lanes that have come to the rpc or branch, here or in an entry that was above, go on no earlier: a
	   split may have come that still sleeps */
	Cycle ready;
	bool advancing;           /* splits do not wait at the branch: the two entries above are its paths */
	bool open;                     /* a path of an advancing entry, to which more lanes may come */
	int npath, mpath;
	/* the npath paths of the branch that are known so far; room for 64, of which mpath have arrays */
	Target *path;
} Entry;

typedef struct BlockStack {            /* entries keep their arrays when they are popped */
	struct BlockStack *next;       /* in TbcShared.free */
	int n, cap, made, warps;       /* entries; room; entries that have arrays; most warps of a block */
	Entry *e;
	Warp **warp;                   /* by reconv_index */
} BlockStack;

/* Of an SM. free: stacks of blocks that have ended, to be used again; vain: by pc of a branch, whether
   compaction saved nothing there the last time. */
typedef struct TbcShared { BlockStack *free; uint8_t *vain; } TbcShared;

/* the stack of the warp's block; NULL: there is none yet, or none any more */
static inline BlockStack *tbc_stack(Warp *w) { return *(BlockStack **)reconv_block_state(w); }
BlockStack *tbc_stack_new(Warp *);
/* The entry that a lane runs in: the uppermost that has it. */
int tbc_entry_of(const BlockStack *, const Part *);
/* Puts an entry for a path at place `at` of the stack; lanes: by warp, NULL = none yet. */
Entry *tbc_push(Warp *, BlockStack *, int at, uint32_t pc, unsigned pc_depth, uint32_t rpc,
	unsigned rpc_depth, const Mask *lanes);
/* Writes the reconvergence point of the paths at the entry's branch into *rpc and *rpc_depth. True: that
   point is the entry's own, so the paths replace the entry. */
bool tbc_meeting(const Entry *, uint32_t *rpc, unsigned *rpc_depth);
/* Lanes have come to a branch or an rpc, ended or begun to wait: complete entries end or part, and if nothing
   runs, the next entry's warps are formed. */
void tbc_settle(Warp *, BlockStack *);
#endif
