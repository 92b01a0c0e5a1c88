/* What the files of sim/code/ share for lowering. lower.c has the order of the steps. */
#ifndef GSIM_LOWER_H
#define GSIM_LOWER_H
#include "isa/decode.h"
#include "passes/analysis/analysis.h"
#include "sim/code/lower_fn.h"
#include <stdio.h>

/* A place that gets a pc once addresses are known. */
typedef enum { FIX_TARGET, FIX_FALL, FIX_RPC, FIX_TABLE, FIX_CALLEE } FixKind;
typedef struct LowerFix {
	FixKind kind;
	int ins;                   /* index of the instruction in Lower.out */
	int entry;                 /* FIX_TABLE: which entry of the table gets the pc */
	LowerFn *l;
	const Block *to;
	int func;                  /* FIX_CALLEE: id of the callee */
} LowerFix;

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
	LowerFn **of;              /* by function id; NULL = the kernel cannot call the function */
	Vec(LowerFn *) order;      /* the functions that are lowered, the kernel first */
	Vec(MIns) out;
	Vec(LowerFix) fix;
	ConstBank constants;
	int64_t *shared_offset, **local_offset;
	uint32_t *variable_bytes;  /* by function id: bytes of its local variables, as the module has them */
	Vec(LiveList) live;
	Vec(CodeMark) mark;
	bool indirect;             /* some function calls through a register */
	CallGraph calls;
	uint16_t *names;  /* scoreboard names of the instruction being made: those read, then those written */
	int nchk, nwr;
} Lower;

/* Scoreboard names until the numbers of registers and predicates are known: register r is r, predicate p is
   -1-p, the carry flag is NAME_CARRY; lower.c gives them their final numbers. In lists of places whose values
   live, row r is r, and predicate p is -1-p, until then. */
#define NAME_CARRY (-32000)

static inline bool raise_to(int *x, int least) /* true: *x has changed */
{
	if (*x >= least)
		return false;
	*x = least;
	return true;
}

/* callgraph.c */
/* fills Lower.of and Lower.order with copies of the functions that the kernel may call */
void lower_collect(Lower *, const Function *kernel);
int lower_component(Lower *, const Ins *call);  /* component of the call graph to which the callee belongs */
void lower_recursion(Lower *);  /* fills Lower.calls, and of each function scc, recursive and ends */
/* save.c */
/* makes guarded calls branches around calls; makes words of predicates that calls pass; saves values around
   recursive calls */
void lower_calls(Lower *, LowerFn *);
/* written: the registers that a call may write, by component of the callee */
void lower_saves(Lower *, LowerFn *, const BitSet *written);
/* regalloc.c */
bool regalloc(LowerFn *, int limit, Diag *);
/* assigns registers to virtual registers from number `first` on, other ones than those that are assigned
   already */
void regalloc_more(LowerFn *, int first);
/* exits.c */
/* branches and jumps to blocks that only end threads become ends (divergence.guarded_exits) */
void lower_exits(LowerFn *);
/* decides.c */
/* by block: the registers that live at its end and, where it is in a loop, decide what a thread does there */
IntList *lower_deciding(Arena *, const Function *, const Cfg *, const Liveness *);
/* uniform.c */
void lower_uniform(LowerFn *);             /* chooses the values of the uniform datapath */
/* gives values of the datapath to the threads, and what cannot be computed there without them */
void lower_keep_from_datapath(LowerFn *, const int *values, int n);
bool lower_is_uniform(const LowerFn *, int reg);
bool lower_in_datapath(const LowerFn *, const Ins *);
/* unread.c */
void lower_unread(LowerFn *);   /* atomic operations whose result nobody reads become reductions */
/* late.c */
bool lower_late(Lower *, LowerFn *);               /* before the mechanism's hook; sets LowerFn.late */
bool lower_late_registers(Lower *, LowerFn *);     /* after the mechanism's hook */
/* spill.c */
void lower_spill(LowerFn *, const int *values, int n);
/* bases.c */
/* chooses each function's first register, and for each call whether values pass through memory and which are
   saved */
void lower_bases(Lower *);
/* operand.c */
void lower_lines(Code *);                         /* fills line_of and line, once all instructions are made */
/* fills rows and sizes of the Code, once the registers of all functions are known */
void lower_rows(Lower *);
bool lower_is_pred(const LowerFn *, int reg);
bool lower_is_wide(const LowerFn *, int reg);
uint32_t lower_row(const LowerFn *, int reg);
int lower_name(const LowerFn *, int reg);
int lower_place(const LowerFn *, int reg);  /* its place (Code.name), as lists of living values have it */
uint32_t lower_operand(Lower *, LowerFn *, const Opd *, Type);
bool lower_negated(const Opd *, Type);
void lower_negations(MIns *, const Ins *);
void lower_parts(Lower *, LowerFn *, MIns *, const Opd *, int n, Type);
MIns *lower_new(Lower *, LowerFn *, const Ins *src, const Block *from);  /* src NULL: counts as overhead */
/* notes a register that is read; all reads come before all writes */
void lower_reads(Lower *, const LowerFn *, int reg);
void lower_writes(Lower *, const LowerFn *, int reg);
/* notes all registers that the instruction reads and writes */
void lower_scoreboard(Lower *, LowerFn *, const Ins *);
void lower_finish(Lower *, MIns *);                             /* gives the noted names to the instruction */
/* canonical.c */
/* notes the order of the text (LowerFn.text), and puts the blocks into their canonical order (code.layout) */
void lower_canonical(LowerFn *);
/* layout.c */
void lower_layout(LowerFn *);
/* lower.c */
bool lower_mechanism(Lower *, LowerFn *, Diag *);  /* the mechanism's operations */
/* instruction.c */
void lower_plain(Lower *, LowerFn *, const Ins *, const Block *);
/* call.c */
void lower_move(Lower *, LowerFn *dst_fn, int dst, LowerFn *src_fn, const Opd *src, const Block *);
LowerFn *lower_callee(Lower *, const Ins *);       /* the function called; NULL: the call is indirect */
void lower_call(Lower *, LowerFn *, const Ins *, const Block *);
void lower_stub(Lower *, LowerFn *);
uint32_t lower_call_area(LowerFn *);          /* bytes at the end of the frame for what calls save and pass */
/* straight.c */
void lower_straight(Code *);
/* function.c */
void lower_function(Lower *, LowerFn *);
#endif
