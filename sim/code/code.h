/* Machine code: a kernel and the functions it calls, lowered for one mechanism. The instructions of all
   functions are in one array; a pc is an index in it.

   sim/code/ lowers the IR to machine code. It knows a mechanism only by the hook that code_lower gets. Of
   sim/ it includes sim/config/ alone. */
#ifndef GSIM_CODE_H
#define GSIM_CODE_H
#include "isa/lane.h"
#include "sim/config/config.h"

/* kind of a mov from a special register, or of one of the following values, known only at run time */
enum { KM_SREG = K_COUNT };
enum { SREG_LOCAL_ADDRESS = SREG_COUNT, SREG_PARAM_ADDRESS, SREG_ZERO_PRED };

enum {                                 /* flags of a machine instruction (MIns.flags) */
	MI_BLOCK_START = 1,  /* first instruction of a block of the module: its issue counts as a fetch */
	MI_REACH = 2,                  /* when lanes arrive here, the mechanism's hook `reach` is called */
	MI_OVERHEAD = 4,               /* lowering or the mechanism added the instruction */
	MI_INSERTED = 8,               /* a pass inserted the instruction */
	MI_GUARD_NEG = 16,
	MI_COND = 32,                  /* branch that may diverge: conditional or indexed */
	MI_ADDR64 = 64,                /* the address register is 64 bits wide */
	MI_BYPASS = 128                /* memory access that bypasses L1 */
};

/* MIns.x.mode of exit.if: the threads end that would have taken the branch; or those that would not have */
enum { EXIT_TAKEN, EXIT_OTHER };

#define NO_PC 0xffffffffu
#define OPD_BLOCK 99                 /* operand of a mechanism's operation: id = index into function->block */

/* In which way an instruction needs a register or predicate: a result is there later for some readers than
   for others (units.*.latency and its kin, sim/config/config.def). READ_OVERWRITTEN + u: an instruction of
   unit u writes it anew. */
enum { READ_ALU, READ_FMA, READ_GUARD, READ_DECOUPLED, READ_UNIFORM, READ_OVERWRITTEN };

/* MIns.writer of an instruction that writes a predicate is its unit plus this; of others it is their unit. */
enum { WRITER_OF_PREDICATES = UNIT_COUNT };

/* name: of a register or predicate in the scoreboard; reader: READ_... */
typedef struct Needed { uint16_t name; uint8_t reader; } Needed;

/* Instructions without marks that change nothing but lanes: those that compute, and branches as long as all
   lanes go one way. */
typedef enum { QUICK_NOT, QUICK_COMPUTES, QUICK_BRANCHES } Quick;

typedef struct MIns {
	/* operands as rows; of an access to memory a is the base of the address, b and c are data */
	LaneIns x;
	uint8_t kind, op, unit, flags;
	uint8_t type, space, bytes;    /* accesses to memory: bytes of one element */
	uint8_t vec, aop, sreg;        /* vec: number of elements (1, 2, 4) */
	uint8_t own;                   /* a mechanism's operation: index into Code.own */
	uint8_t wide_rows;             /* accesses to memory: bit k = the row of element k is 64 bits wide */
	bool nonfaulting;             /* a load that gives 0 where its address is not mapped, or misaligned */
	/* accesses to memory: an atomic operation, or a store that other threads are meant to see */
	bool sync;
	/* what the scoreboard must have before the issue: sb[0..nchk); the last nwr of them are written,
	   those before are read */
	uint8_t nchk, nwr;
	const Needed *sb;
	int32_t guard;                 /* number of the predicate that guards the instruction; -1: none */
	int32_t block;                 /* first instruction of a block: index into Code.block; else -1 */
	uint32_t line;                 /* its line of the instruction cache, from Code.first_line */
	/* pcs. bra: where lanes go for which the condition holds; where the others go. call: the callee. A
	   mechanism's operation: the block that it names. */
	uint32_t target, fall;
	/* terminator: pc of the block that LowerFn.rpc_block names for its block; first instruction of a
	   block: LowerFn.reach_from likewise; NO_PC = none */
	uint32_t rpc;
	/* call: bytes of the caller's local frame; a nonfaulting load: bytes of the function's local
	   variables */
	uint32_t frame;
	int32_t branch;  /* number of the branch that it counts as, an index into Code.branch_ins; -1: none */
	/* index into Code.mark of the first of its marks that has a counter (CodeMark.counted); -1: none */
	int32_t mark;
	int32_t live;  /* branches, operations of mechanisms: index into Code.live; -1: none */
	const uint32_t *table;         /* brx: pcs of the targets */
	int ntable;
	uint8_t writer;                /* by what the scoreboard knows whose results these are */
	bool uniform;                  /* an instruction of the uniform datapath */
	bool may_wait;                 /* a branch or a call: see LowerFn.may_wait */
	uint8_t quick;                 /* a Quick */
	int64_t offset;  /* what is added to the base of the address, the address of a symbol included */

	const Ins *src;                /* the instruction of the IR; NULL: lowering added this one */
	const Function *function;
	const Block *from;
} MIns;

/* Does the access give its warp a value: is it a load, or an atomic operation whose result is used? For the
   warp any other access is over as soon as the load/store unit has made it. */
static inline bool comes_back(const MIns *i)
{
	return i->kind == K_LD || (i->kind == K_ATOM && i->x.d != NO_ROW);
}

/* What is executed from a pc on without a look at anything but operands (sim/exec/straight.c): n instructions
   that compute, and behind them, if `sends` is set, one that sends lanes elsewhere or ends them. Both 0: the
   instruction at pc is neither. added: how many instructions before pc lowering or the mechanism added. */
typedef struct Straight { uint32_t n, added; bool sends; } Straight;
static inline bool straight_begins(const Straight *x) { return x->n || x->sends; }

/* One instruction of the module (ins). opd: the operands of its copy, by which it is found: their address
   stays the same when lowering copies and moves the instruction. */
typedef struct SourceIns { const Opd *opd; const Ins *ins; } SourceIns;
typedef struct CodeBlock { const Function *function; const Block *block; uint32_t pc; } CodeBlock;

/* lanes for which a predicate holds, or does not (neg). predicate: its number; NO_ROW: the constant true */
typedef struct CodeLanes { uint32_t predicate; bool neg; } CodeLanes;

/* A mark of the module (isa/ir.h) at a pc. counted: index of its own counter, which a mark has that is for
   some lanes only, or whose value is a predicate; -1: the counts of the instruction suffice. */
typedef struct CodeMark {
	int pc;
	Mark mark;
	const Function *function;
	int counted;
	int nlanes;                    /* the mark is for lanes for which all of these hold */
	const CodeLanes *lanes;
	CodeLanes value;  /* marks of decisions: the branch is taken for lanes for which this holds */
} CodeMark;

/* a place in the source; line 0: the instruction has none */
typedef struct CodeLine { const Function *function; const char *file; int line; } CodeLine;

typedef struct Code {
	Arena arena;
	const Function *kernel;
	/* the first barrier.grid in the kernel or in a function that it may call (kernel_grid_barrier); NULL:
	   none */
	const Ins *meeting;
	Module *module;   /* view of the module, with its own copies of the functions that lowering changed */
	const OwnOp *own;              /* operations of the mechanism */
	SourceIns *source;  /* for each instruction that was copied, the instruction of the module */
	int nsource;
	MIns *ins;
	int n;
	/* By pc. plain: MIns.x.fn of an instruction that computes without a guard, NULL: of any other */
	Straight *straight;
	LaneFn **plain;
	int regs;       /* 32-bit registers of a thread, as limits, occupancy and the scoreboard count them */
	int uniform_regs;              /* 32-bit registers of a warp for its uniform values, behind `regs` */
	int preds;
	/* Where values are kept. A register that holds values up to 32 bits in one place of the program and
	   half of a 64-bit value in another has two rows, since rows of the two widths order their lanes
	   differently, and lanes that have diverged may hold either kind at the same time. Within a lane no
	   two values that live at once share a register, and a lane writes only its own part of a row: so
	   neither its own living values nor those of other lanes are lost. */
	int rows;                      /* rows of 32 bits, two for a 64-bit value */
	int narrow;                 /* the first `narrow` rows are for values up to 32 bits; an even number */
	/* by register: [0] its row for values up to 32 bits, [1] the first of its two rows for 64-bit
	   values */
	const uint16_t *row[2];
	const uint16_t *name;  /* scoreboard name of each place; places are the rows, then the predicates */
	uint32_t *constants;           /* rows of constants, each with one value for all lanes of a warp */
	uint32_t shared_static;        /* bytes of shared variables */
	uint32_t frame;                /* bytes of the kernel's local frame */
	/* of these, bytes for values that have no register; not for variables, nor what calls save and
	   pass */
	uint32_t spilled;
	int nblock, nbranch;
	CodeBlock *block;
	int *line_of, nline;           /* by pc: index into line; number of lines */
	CodeLine *line;
	int *branch_ins;               /* by MIns.branch: pc of the branch */
	CodeMark *mark;                /* in the order of their pcs; nmark of them, ncounted with a counter */
	int nmark, ncounted;
	/* the functions of this code, the kernel first; Function.source has the names of their blocks in the
	   source */
	const Function **function;
	int nfunction;
	/* by MIns.live: a list of the places (see name) whose values live behind that branch */
	const uint16_t **live;
	int *nlive, nlives;            /* length of each of these lists; number of lists */
	uint32_t *entry;  /* by function id: pc of its first instruction; NO_PC: it is not in this code */
	uint32_t *stub;  /* by function id: pc at which indirect calls enter it; NO_PC: none do */
	uint32_t *frame_of;            /* by function id: bytes of its local frame */
	/* the first line of the instruction cache that this code takes: codes of several kernels lie one
	   behind the other */
	uint64_t first_line;
} Code;

typedef struct LowerFn LowerFn;
/* The hook of a divergence mechanism, called for each function that is lowered (sim/reconv/seam.h): it fills
   rpc_block and reach, and inserts operations. False: the mechanism cannot run the kernel; diag gets an
   error. */
typedef bool LowerHook(LowerFn *, Diag *);

/* Lowers a kernel for the mechanism to which the hook and the operations belong. symbol_address: by symbol
   id, addresses of the symbols in global and const memory. NULL: errors, which diag gets. */
Code *code_lower(const Module *, const Function *kernel, const Config *, LowerHook *, const OwnOp *,
	const uint64_t *symbol_address, Diag *);
void code_print_ins(const Code *, uint32_t pc, struct StrBuf *); /* sim/code/print.c */
void code_print(const Code *, struct StrBuf *);
void code_free(Code *);
#endif
