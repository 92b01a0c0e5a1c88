/* Machine code: a kernel and the functions it calls, lowered for one mechanism. Flat: a pc is an index.

   sim/code/ lowers the IR to machine code. It knows a mechanism by a hook alone, and sees sim/config/
   only. */
#ifndef GSIM_CODE_H
#define GSIM_CODE_H
#include "isa/lane.h"
#include "sim/config/config.h"

enum { KM_SREG = K_COUNT };   /* mov from a special register, or of a value that is known at run time only: */
enum { SREG_LOCAL_ADDRESS = SREG_COUNT, SREG_PARAM_ADDRESS, SREG_ZERO_PRED };

enum {                                 /* MIns.flags */
	MI_BLOCK_START = 1,            /* first instruction of a block of the module: counts a fetch */
	MI_REACH = 2,                  /* the mechanism's reach is called when lanes arrive here */
	MI_OVERHEAD = 4,               /* added by lowering */
	MI_INSERTED = 8,               /* inserted by a pass */
	MI_GUARD_NEG = 16,
	MI_COND = 32,                  /* branch that may diverge: conditional or indexed */
	MI_ADDR64 = 64,                /* the address register is 64 bits wide */
	MI_BYPASS = 128                /* memory access that bypasses L1 */
};

/* MIns.x.mode of exit.if: the threads that would have taken the branch end, or the others */
enum { EXIT_TAKEN, EXIT_OTHER };

#define NO_PC 0xffffffffu
#define OPD_BLOCK 99                 /* operand of a mechanism's operation: id = index into function->block */

typedef struct MIns {
	LaneIns x;                     /* operands as rows; memory: a = address base, b, c = data */
	uint8_t kind, op, unit, flags;
	uint8_t type, space, bytes;    /* memory: bytes of one element */
	uint8_t vec, aop, sreg;        /* vec: elements (1, 2, 4) */
	uint8_t own;                   /* a mechanism's operation: index into Code.own */
	uint8_t wide_rows;             /* memory: bit k = the row of element k is 64 bits wide */
	bool nonfaulting;             /* a load that gives 0 where its address is not mapped, or misaligned */
	bool sync;           /* memory: an atomic operation, or a store that other threads are meant to see */
	/* scoreboard names: sb[0..nchk) must be ready; the last nwr of them are written, those before are
	   read */
	uint8_t nchk, nwr;
	const uint16_t *sb;
	int32_t guard;                 /* predicate or -1 */
	int32_t block;                 /* index into Code.block */
	uint32_t line;                 /* instruction cache line */
	/* bra: true and false side; call: callee; a mechanism's operation: the block that it names */
	uint32_t target, fall;
	uint32_t rpc;                  /* terminator: LowerFn.rpc_block of its block, NO_PC = none */
	/* call: bytes of the caller's local frame; a nonfaulting load: those of the function's variables */
	uint32_t frame;
	int32_t branch;                /* number of a conditional branch, -1 */
	int32_t mark;                  /* first of its marks in Code.mark that are counted, -1 */
	int32_t live;                  /* branches: index into Code.live */
	const uint32_t *table;         /* brx: targets */
	int ntable;
	int64_t offset;                /* address displacement, symbol's address included */

	const Ins *src;                /* the instruction of the IR; NULL: lowering added this one */
	const Function *function;
	const Block *from;
} MIns;

/* An access that something comes back of: a load, or an atomic operation whose result is wanted. For its
   warp, another one is over when the load/store unit has made it. */
static inline bool comes_back(const MIns *i)
{
	return i->kind == K_LD || (i->kind == K_ATOM && i->x.d != NO_ROW);
}

/* found by opd, which stays when lowering copies and moves the instruction */
typedef struct SourceIns { const Opd *opd; const Ins *ins; } SourceIns;
typedef struct CodeBlock { const Function *function; const Block *block; uint32_t pc; } CodeBlock;

typedef struct CodeLanes { uint32_t predicate; bool neg; } CodeLanes; /* NO_ROW: the constant true */

/* A mark of the module (isa/ir.h) at a pc. counted: its number among those for some lanes or by some value,
   -1: what the instruction counts is all it needs. */
typedef struct CodeMark {
	int pc;
	Mark mark;
	const Function *function;
	int counted;
	int nlanes;                    /* for lanes for which all of these hold */
	const CodeLanes *lanes;
	CodeLanes value;               /* of decisions: the branch is taken for lanes for which it holds */
} CodeMark;

/* a place in the source; line 0: none */
typedef struct CodeLine { const Function *function; const char *file; int line; } CodeLine;

typedef struct Code {
	Arena arena;
	const Function *kernel;
	/* the first barrier.grid that it has or may call (kernel_grid_barrier), or NULL */
	const Ins *meeting;
	Module *module;   /* view of the module, with its own copies of the functions that lowering changed */
	const OwnOp *own;              /* operations of the mechanism */
	SourceIns *source;             /* for instructions of the copies: which ones of the module they are */
	int nsource;
	MIns *ins;
	int n;
	int regs;       /* 32-bit registers of a thread, as limits, occupancy and the scoreboard count them */
	int preds;
	/* Where values are kept. A register that holds values up to 32 bits in one place of the program and
	   half of a 64-bit value in another has two rows, since rows of the two widths order their lanes
	   differently, and lanes that have diverged may hold either kind at the same time. Within a lane no
	   two values that live at once share a register, and a lane writes only its own part of a row: so
	   neither its own living values nor those of other lanes are lost. */
	int rows;                      /* rows of 32 bits, two for a 64-bit value */
	int narrow;                 /* the first `narrow` rows are for values up to 32 bits; an even number */
	/* by register: [0] its row for values up to 32 bits, [1] its row as the first of a pair */
	const uint16_t *row[2];
	const uint16_t *name;          /* the scoreboard name, by place: rows, then predicates */
	uint32_t *constants;           /* rows, broadcast over the warp */
	uint32_t shared_static;        /* bytes */
	uint32_t frame;                /* bytes of the kernel's local frame */
	/* of them: for values without a register; neither variables nor what calls save and pass */
	uint32_t spilled;
	int nblock, nbranch;
	CodeBlock *block;
	int *line_of, nline;           /* by pc: index into line */
	CodeLine *line;
	int *branch_ins;               /* index of each counted branch */
	CodeMark *mark;                /* by pc */
	int nmark, ncounted;
	const Function **function;    /* those of the code, the kernel first: they have the source's blocks */
	int nfunction;
	const uint16_t **live;         /* places (see name) that live behind a branch */
	int *nlive, nlives;
	uint32_t *entry;               /* pc of each function by its id, NO_PC */
	uint32_t *stub;                /* where indirect calls enter each function, NO_PC */
	uint32_t *frame_of;            /* local frame of each function by its id */
	/* the first line of the instruction cache that this code takes; codes lie side by side */
	uint64_t first_line;
} Code;

typedef struct LowerFn LowerFn;
/* What a divergence mechanism does while a function is lowered (sim/reconv/seam.h): it fills rpc_block and
   reach, and inserts operations. False with an error in diag: it cannot run the kernel. */
typedef bool LowerHook(LowerFn *, Diag *);

/* NULL with errors in diag. The hook and the operations are the mechanism's; symbol_address: of global and
   const symbols. */
Code *code_lower(const Module *, const Function *kernel, const Config *, LowerHook *, const OwnOp *,
	const uint64_t *symbol_address, Diag *);
void code_print_ins(const Code *, uint32_t pc, struct StrBuf *); /* sim/code/print.c */
void code_print(const Code *, struct StrBuf *);
void code_free(Code *);
#endif
