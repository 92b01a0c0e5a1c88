/* Between the files of sim/code/: lowering. The stages stand in lower.c. */
#ifndef GSIM_LOWER_H
#define GSIM_LOWER_H
#include "isa/decode.h"
#include "passes/analysis/analysis.h"
#include "sim/code/code.h"
#include <stdio.h>

/* A place that gets a pc once addresses are known. */
typedef enum { FIX_TARGET, FIX_FALL, FIX_RPC, FIX_TABLE, FIX_CALLEE } FixKind;
typedef struct Fix {
	FixKind kind;
	int ins;                   /* the instruction */
	int entry;                 /* FIX_TABLE: entry of the table */
	LowerFn *l;
	const Block *to;
	int func;                  /* FIX_CALLEE */
} Fix;

typedef struct LiveList { uint16_t *names; int n; } LiveList;

typedef struct Lower {             /* one kernel on its way to machine code */
	Code *code;
	Module *m;                 /* the code's view */
	const Config *config;
	LowerHook *mechanism;
	const uint64_t *symbol_address;
	Diag *diag;
	Arena arena;
	LowerFn **of;              /* by function id, NULL = not used */
	Vec(LowerFn *) order;      /* the kernel first */
	Vec(MIns) out;
	Vec(Fix) fix;
	ConstBank constants;
	int64_t *shared_offset, **local_offset;
	Vec(LiveList) live;
	bool indirect;             /* some function calls through a register */
	uint16_t *names;           /* scoreboard names of the instruction being made: read, then written */
	int nchk, nwr;
} Lower;

/* Scoreboard names while sizes are not known: registers from 0, predicate p as -1-p, the carry; lower.c renames them. */
#define NAME_CARRY (-32000)

static inline bool raise_to(int *x, int least) /* true when that changes it */
{
	if (*x >= least)
		return false;
	*x = least;
	return true;
}

/* callgraph.c */
void lower_collect(Lower *, const Function *kernel); /* fills of and order; the functions are copies */
void lower_windows(Lower *);                       /* recursion and the bases of windows; again when sizes are known */
/* operand.c */
bool lower_is_pred(const LowerFn *, int reg);
bool lower_is_wide(const LowerFn *, int reg);
uint32_t lower_row(const LowerFn *, int reg);
int lower_name(const LowerFn *, int reg);
uint32_t lower_operand(Lower *, LowerFn *, const Opd *, Type);
bool lower_negated(const Opd *, Type);
void lower_negations(MIns *, const Ins *);
void lower_parts(Lower *, LowerFn *, MIns *, const Opd *, int n, Type);
MIns *lower_new(Lower *, LowerFn *, const Ins *src, const Block *from);  /* src NULL: overhead */
void lower_reads(Lower *, const LowerFn *, int reg);                     /* all reads before all writes */
void lower_writes(Lower *, const LowerFn *, int reg);
void lower_scoreboard(Lower *, LowerFn *, const Ins *);                  /* both, for all operands */
void lower_finish(Lower *, MIns *);                                      /* the names belong to it now */
/* instruction.c */
void lower_plain(Lower *, LowerFn *, const Ins *, const Block *);
/* call.c */
void lower_move(Lower *, LowerFn *dst_fn, int dst, LowerFn *src_fn, const Opd *src, const Block *);
LowerFn *lower_callee(Lower *, const Ins *);       /* NULL: indirect */
void lower_call(Lower *, LowerFn *, const Ins *, const Block *);
void lower_stub(Lower *, LowerFn *);
/* function.c */
void lower_function(Lower *, LowerFn *);
#endif
