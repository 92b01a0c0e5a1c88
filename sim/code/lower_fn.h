/* One function on its way to machine code: what the steps of lowering and the hooks of divergence mechanisms
   work with. */
#ifndef GSIM_LOWER_FN_H
#define GSIM_LOWER_FN_H
#include "isa/edit.h"
#include "sim/code/code.h"

typedef struct Cfg Cfg;
/* LowerFn.may_wait. WAIT_BRANCH: threads may wait for others between the branch at the block's end and where
   its ways meet; WAIT_CALLS: in functions that the block calls. */
enum { WAIT_BRANCH = 1, WAIT_CALLS = 2 };
typedef struct CallSite {
	int pos;                       /* position of the call, as regalloc.c numbers instructions */
	int level;                     /* values that live at the call have registers below this one */
	bool memory;                   /* arguments and results go through the caller's frame */
	int nsaved;                    /* values that the caller saves in its frame, the wide ones first */
	const int *saved;
} CallSite;

struct LowerFn {                       /* one function on its way to machine code */
	Code *code;
	Module *module;
	Function *f;
	Edit edit;
	const Config *config;
	Arena *arena;                  /* memory that lives as long as lowering */
	int *reg;     /* register or predicate of each virtual register, counted from reg_base or pred_base */
	int nreg, npred, reg_base, pred_base;
	/* by virtual register, of those below nuniform: does it belong to the uniform datapath? Its number
	   in `reg` is counted from nreg then, predicates apart. nureg: 32-bit registers of the datapath */
	bool *uniform;
	int nuniform, nureg;
	CallSite *call;                /* its calls, in the order of the layout */
	int ncalls, next_call;
	Block **layout;                /* blocks in the order of their addresses */
	int nlayout;
	/* by block id: id of the block that its terminator's rpc names, -1 = none; set by the mechanism: for
	   most the branch's reconvergence point */
	int *rpc_block;
	bool *reach;  /* by block id: the mechanism's hook `reach` is called when lanes arrive there */
	/* by block id, where reach is set: id of a block whose pc the first instruction of this block gets as
	   MIns.rpc; -1 = none */
	int *reach_from;
	/* by block id, set by the mechanism as it likes, for MIns.may_wait: a sum of WAIT_BRANCH and
	   WAIT_CALLS */
	uint8_t *may_wait;
	/* set by the mechanism: its hook `reach` is called behind barriers and warp-level operations, too */
	bool reach_behind_sync;
	/* set by the mechanism: its hook `reach` is called in front of every instruction */
	bool reach_all;
	uint32_t *block_pc;            /* by block id: its pc, once addresses are known */
	/* set by the mechanism: blocks lie in reverse post-order with contiguous loops; in the order of the
	   function's list. Neither: as code.layout says */
	bool priority_layout, list_layout;
	Block **text;                  /* the function's blocks, as the text has them */
	int ntext;
	bool recursive;                /* may be active more than once in a thread */
	/* by function id: may lanes end in the function, or in one that it calls? The last entry: in any
	   function that is called through a register? */
	const bool *ends;
	/* registers below this number were assigned before the function was linearized at machine level; -1:
	   it was not */
	int late;
	int scc;  /* component of the call graph to which it belongs; -1: it is never called */
	int number;                    /* its number among the functions of the code */
};

/* parameter of the mechanism, by its index */
static inline int64_t reconv_lower_param(const LowerFn *l, int index)
{
	return l->config->model_param[l->config->model][index];
}
int lower_slot(LowerFn *, Type);       /* makes a place in the local frame; returns the id of its symbol */
/* Emit instructions that store a value to a place of the local frame, and that load a register from it. *at:
   index in the block at which they go; afterwards the index behind them. */
void lower_store(LowerFn *, Block *, int *at, Opd v, Type, int slot);
void lower_load(LowerFn *, Block *, int *at, int reg, int slot);

/* Lowering and mechanisms add instructions and blocks by the function's Edit, which gives them this origin:
   they count as overhead. */
enum { ORIGIN_LOWER = 255 };
/* makes one of the mechanism's operations: sim/code/build.c */
Ins lower_own(LowerFn *, int own, int ndst, int nsrc);
static inline bool is_own(const Ins *i, int own) { return i->op == OP_OWN && i->mode == own; }
Block *lower_new_block(LowerFn *);     /* makes a block, the last of the list */
/* makes a block at index `at` of the list of blocks; ids of other blocks stay */
Block *lower_block(LowerFn *, int at);
int lower_position(const LowerFn *, const Block *);
/* Puts the function's blocks into the order of the text, in which they lie then: for mechanisms that
   prescribe this order. Blocks that lowering has added stay behind those of the text that they stood
   behind. */
void lower_text_order(LowerFn *);
/* A block as operand of a mechanism's operation. The operand holds a pointer until lower_targets numbers the
   blocks and puts the id of the block in its place. */
Opd lower_target(Block *);
void lower_targets(Function *);
#endif
