/* What the files of sim/code/ share for lowering. lower.c has the order of the steps. */
#ifndef GSIM_LOWER_H
#define GSIM_LOWER_H
#include "isa/decode.h"
#include "passes/analysis/analysis.h"
#include "sim/code/lower_fn.h"
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

/* Nodes are the functions by number, and one more behind them, through which every indirect call goes to
   every device function. Components are numbered callees first; a function that is never called has component
   -1. */
typedef struct CallGraph {
	int n, *first, *to;        /* callees of x: to[first[x] .. first[x + 1]) */
	int *scc, sccs;
	int *node, *start;         /* nodes of component c: node[start[c] .. start[c + 1]) */
} CallGraph;

typedef struct Lower {             /* one kernel on its way to machine code */
	Code *code;
	Module *m;                 /* the Code's copy of the module */
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
	uint32_t *variable_bytes;  /* by function id: of its local variables, as the module has them */
	Vec(LiveList) live;
	Vec(CodeMark) mark;
	bool indirect;             /* some function calls through a register */
	CallGraph calls;
	uint16_t *names;  /* scoreboard names of the instruction being made: those read, then those written */
	int nchk, nwr;
} Lower;

/* Scoreboard names as long as sizes are not known: registers from 0, predicate p as -1-p, the carry; lower.c
   renames them. Places in lists of what lives are numbered likewise, with rows from 0. */
#define NAME_CARRY (-32000)

static inline bool raise_to(int *x, int least) /* true: *x has changed */
{
	if (*x >= least)
		return false;
	*x = least;
	return true;
}

/* callgraph.c */
void lower_collect(Lower *, const Function *kernel); /* fills of and order; the functions are copies */
int lower_component(Lower *, const Ins *call);     /* the callee's component */
void lower_recursion(Lower *);                 /* fills calls, and scc, recursive and ends of the functions */
/* save.c */
/* turns predicates that are passed into words; saves values around recursive calls */
void lower_calls(Lower *, LowerFn *);
/* written: the registers that a call may write, by component of the callee */
void lower_saves(Lower *, LowerFn *, const BitSet *written);
/* regalloc.c */
bool regalloc(LowerFn *, int limit, Diag *);
/* registers from that number on, beside those that the others have */
void regalloc_more(LowerFn *, int first);
/* exits.c */
/* branches and jumps to blocks that only end threads become ends (divergence.guarded_exits) */
void lower_exits(LowerFn *);
/* late.c */
bool lower_late(Lower *, LowerFn *);               /* before the mechanism; sets late */
bool lower_late_registers(Lower *, LowerFn *);     /* behind it */
/* spill.c */
void spill(LowerFn *, const int *values, int n);
/* bases.c */
/* chooses each function's first register, and how each call passes and saves values */
void lower_bases(Lower *);
/* operand.c */
void lower_lines(Code *);                         /* fills line_of and line, once all instructions are made */
void lower_rows(Lower *);       /* fills the code's sizes and rows, once all functions' registers are known */
bool lower_is_pred(const LowerFn *, int reg);
bool lower_is_wide(const LowerFn *, int reg);
uint32_t lower_row(const LowerFn *, int reg);
int lower_name(const LowerFn *, int reg);
int lower_place(const LowerFn *, int reg);         /* for lists of what lives */
uint32_t lower_operand(Lower *, LowerFn *, const Opd *, Type);
bool lower_negated(const Opd *, Type);
void lower_negations(MIns *, const Ins *);
void lower_parts(Lower *, LowerFn *, MIns *, const Opd *, int n, Type);
MIns *lower_new(Lower *, LowerFn *, const Ins *src, const Block *from);  /* src NULL: overhead */
/* notes a register that is read; all reads come before all writes */
void lower_reads(Lower *, const LowerFn *, int reg);
void lower_writes(Lower *, const LowerFn *, int reg);
/* notes all registers that the instruction reads and writes */
void lower_scoreboard(Lower *, LowerFn *, const Ins *);
void lower_finish(Lower *, MIns *);                             /* gives the noted names to the instruction */
/* lower.c */
bool lower_mechanism(Lower *, LowerFn *, Diag *);  /* the mechanism's operations */
void lower_layout(LowerFn *);
/* instruction.c */
void lower_plain(Lower *, LowerFn *, const Ins *, const Block *);
/* call.c */
void lower_move(Lower *, LowerFn *dst_fn, int dst, LowerFn *src_fn, const Opd *src, const Block *);
LowerFn *lower_callee(Lower *, const Ins *);       /* NULL: indirect */
void lower_call(Lower *, LowerFn *, const Ins *, const Block *);
void lower_stub(Lower *, LowerFn *);
uint32_t lower_call_area(LowerFn *);          /* bytes at the end of the frame for what calls save and pass */
/* function.c */
void lower_function(Lower *, LowerFn *);
#endif
