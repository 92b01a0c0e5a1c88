/* The intermediate representation: modules of functions of basic blocks over typed, mutable virtual registers.
 * doc/ir.md is the reference of its text form. Everything of a module lives in the module's arena.
 *
 * isa/ is what a kernel is: the IR, its text, PTX and objects, the verifier, what each operation does to a lane, and the reference
 * interpreter. It knows no cycles and may include lib/ only. */
#ifndef GSIM_IR_H
#define GSIM_IR_H
#include "lib/arena.h"
#include "lib/bitset.h"
#include "lib/diag.h"
#include "lib/hash.h"
#include "lib/vec.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- types ---- */
#define TYPES(X) /* id, name, bits, kind: P predicate, B bits, U unsigned, S signed, F float */ \
	X(PRED, "pred", 1, 'P') \
	X(B8, "b8", 8, 'B') X(B16, "b16", 16, 'B') X(B32, "b32", 32, 'B') X(B64, "b64", 64, 'B') \
	X(U8, "u8", 8, 'U') X(U16, "u16", 16, 'U') X(U32, "u32", 32, 'U') X(U64, "u64", 64, 'U') \
	X(S8, "s8", 8, 'S') X(S16, "s16", 16, 'S') X(S32, "s32", 32, 'S') X(S64, "s64", 64, 'S') \
	X(F16, "f16", 16, 'F') X(F32, "f32", 32, 'F') X(F64, "f64", 64, 'F')

typedef enum {
	T_NONE,
#define X(ID, NAME, BITS, KIND) T_##ID,
	TYPES(X)
#undef X
	T_COUNT
} Type;

extern const char *const type_name[T_COUNT];
extern const uint8_t type_bits[T_COUNT];  /* pred 1 */
extern const char type_kind[T_COUNT];     /* 'P' 'B' 'U' 'S' 'F'; 0 for T_NONE */
static inline int type_bytes(int t) { return (type_bits[t] + 7) / 8; }
Type type_widened(Type);                  /* u16 -> u32, s32 -> s64, ...; T_NONE when there is none */

/* Sets of types, for the operation table. */
#define TSET(T) (1u << T_##T)
enum {
	TS_NONE = 0,
	TS_PRED = TSET(PRED),
	TS_BIT = TSET(B16) | TSET(B32) | TSET(B64),
	TS_INT = TSET(U16) | TSET(U32) | TSET(U64) | TSET(S16) | TSET(S32) | TSET(S64),
	TS_SINT = TSET(S16) | TSET(S32) | TSET(S64),
	TS_8 = TSET(U8) | TSET(S8),
	TS_32 = TSET(U32) | TSET(S32) | TSET(B32),
	TS_U32 = TSET(U32),
	TS_I32 = TSET(U32) | TSET(S32),
	TS_U64 = TSET(U64) | TSET(B64),
	TS_B32 = TSET(B32),
	TS_F16 = TSET(F16),
	TS_F32 = TSET(F32),
	TS_FLT = TSET(F32) | TSET(F64),
	TS_B3264 = TSET(B32) | TSET(B64),
	TS_U3264 = TSET(U32) | TSET(U64),
	TS_I3264 = TSET(U32) | TSET(U64) | TSET(S32) | TSET(S64),
	TS_3264 = TS_I3264 | TS_B3264,
	TS_MEM = TS_INT | TS_8 | TSET(B8) | TS_BIT | TS_F16 | TS_FLT,
	TS_ALL = TS_INT | TS_8 | TSET(B8) | TS_BIT | TS_F16 | TS_FLT | TS_PRED
};

/* ---- operations ---- */
typedef enum {
	OP_NONE,
#define OP(ID, ...) OP_##ID,
#include "isa/ops.def"
#undef OP
	OP_COUNT
} Op;

typedef enum { /* who executes an operation */
	K_NONE, K_ALU, K_LD, K_ST, K_ATOM, K_FENCE, K_BAR, K_WARPSYNC, K_SHFL, K_VOTE, K_MATCH, K_ACTIVE, K_REDUX, K_ELECT,
	K_BRA, K_BRX, K_CALL, K_RET, K_EXIT, K_TRAP, K_SLEEP, K_NOP, K_RECONV, K_HOST, K_PRINT, K_ASSERT, K_COUNT
} OpKind;

#define UNITS(X) X(ALU, "alu") X(IMUL, "imul") X(FP32, "fp32") X(FP64, "fp64") X(SFU, "sfu") X(CVT, "cvt") \
	X(MEM, "mem") X(CTL, "ctl")
typedef enum {
#define X(ID, NAME) UNIT_##ID,
	UNITS(X)
#undef X
	UNIT_COUNT
} Unit;
extern const char *const unit_name[UNIT_COUNT];

enum { /* flags of an operation */
	OPF_PURE = 1, OPF_COMM = 2, OPF_TERM = 4, OPF_LOAD = 8, OPF_STORE = 16, OPF_CONV = 32, OPF_SIDE = 64,
	OPF_MACH = 128, OPF_HOST = 256, OPF_FATAL = 512, OPF_CARRY = 1024
};

typedef struct OpInfo {
	const char *name, *suffixes, *operands;
	uint32_t types;
	uint8_t kind, unit;
	uint16_t flags;
	const char *meaning;
} OpInfo;
extern const OpInfo op_info[OP_COUNT];
Op op_lookup(const char *name, size_t n);     /* OP_NONE when there is none */

/* ---- modifiers: each is one field of Ins; 0 = absent ---- */
typedef enum { SP_GENERIC, SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_CONST, SP_PARAM, SP_COUNT } Space;
extern const char *const space_name[SP_COUNT];
typedef enum { RND_NONE, RND_RN, RND_RZ, RND_RM, RND_RP, RND_RNI, RND_RZI, RND_RMI, RND_RPI } Rnd;
typedef enum { CMP_NONE, CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LO, CMP_LS, CMP_HI, CMP_HS,
	CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN } Cmp;
typedef enum { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR } BoolOp;
typedef enum { HILO_NONE, HILO_LO, HILO_HI, HILO_WIDE } HiLo;
typedef enum { APPROX_NONE, APPROX_APPROX, APPROX_FULL } Approx;
typedef enum { MODE_NONE, MODE_UP, MODE_DOWN, MODE_BFLY, MODE_IDX, MODE_ALL, MODE_ANY, MODE_UNI, MODE_BALLOT,
	MODE_L, MODE_R, MODE_F4E, MODE_B4E, MODE_RC8, MODE_ECL, MODE_ECR, MODE_RC16, MODE_FINITE, MODE_INFINITE,
	MODE_NUMBER, MODE_NOTANUMBER, MODE_NORMAL, MODE_SUBNORMAL, 
	MODE_L1, MODE_L2 } Mode;
typedef enum { MODE2_NONE, MODE2_WRAP, MODE2_CLAMP, MODE2_SHIFTAMT } Mode2;
typedef enum { AOP_NONE, AOP_ADD, AOP_MIN, AOP_MAX, AOP_AND, AOP_OR, AOP_XOR, AOP_EXCH, AOP_CAS, AOP_INC, AOP_DEC,
	AOP_POPC } AtomOp;
typedef enum { COP_NONE, COP_CA, COP_CG, COP_CS, COP_LU, COP_CV, COP_WB, COP_WT, COP_NC } CacheOp;
typedef enum { SEM_NONE, SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC } Sem;
typedef enum { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS, SCOPE_GL } Scope;

/* One suffix: its text, the group letter of ops.def, the value of the field. */
typedef struct Suffix { const char *name; char group; uint8_t value; } Suffix;
extern const Suffix suffix_table[];  /* ends with name NULL */

/* ---- special registers ---- */
#define SREGS(X) /* id, name, type */ \
	X(TID_X, "%tid.x", U32) X(TID_Y, "%tid.y", U32) X(TID_Z, "%tid.z", U32) \
	X(NTID_X, "%ntid.x", U32) X(NTID_Y, "%ntid.y", U32) X(NTID_Z, "%ntid.z", U32) \
	X(CTAID_X, "%ctaid.x", U32) X(CTAID_Y, "%ctaid.y", U32) X(CTAID_Z, "%ctaid.z", U32) \
	X(NCTAID_X, "%nctaid.x", U32) X(NCTAID_Y, "%nctaid.y", U32) X(NCTAID_Z, "%nctaid.z", U32) \
	X(LANEID, "%laneid", U32) X(WARPID, "%warpid", U32) X(NWARPID, "%nwarpid", U32) \
	X(SMID, "%smid", U32) X(NSMID, "%nsmid", U32) X(GRIDID, "%gridid", U64) \
	X(LANEMASK_EQ, "%lanemask_eq", U32) X(LANEMASK_LT, "%lanemask_lt", U32) X(LANEMASK_LE, "%lanemask_le", U32) \
	X(LANEMASK_GT, "%lanemask_gt", U32) X(LANEMASK_GE, "%lanemask_ge", U32) \
	X(CLOCK, "%clock", U32) X(CLOCK_HI, "%clock_hi", U32) X(CLOCK64, "%clock64", U64) \
	X(GLOBALTIMER, "%globaltimer", U64) X(GLOBALTIMER_LO, "%globaltimer_lo", U32) \
	X(GLOBALTIMER_HI, "%globaltimer_hi", U32) \
	X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size", U32) X(TOTAL_SMEM_SIZE, "%total_smem_size", U32) \
	X(RESERVED_BEGIN, "%reserved_smem_offset_begin", U32) X(RESERVED_END, "%reserved_smem_offset_end", U32) \
	X(RESERVED_CAP, "%reserved_smem_offset_cap", U32) \
	X(RESERVED_0, "%reserved_smem_offset_0", U32) X(RESERVED_1, "%reserved_smem_offset_1", U32) \
	X(ENVREG0, "%envreg0", U32) X(ENVREG1, "%envreg1", U32) X(ENVREG2, "%envreg2", U32) X(ENVREG3, "%envreg3", U32) \
	X(ENVREG4, "%envreg4", U32) X(ENVREG5, "%envreg5", U32) X(ENVREG6, "%envreg6", U32) X(ENVREG7, "%envreg7", U32) \
	X(ENVREG8, "%envreg8", U32) X(ENVREG9, "%envreg9", U32) X(ENVREG10, "%envreg10", U32) X(ENVREG11, "%envreg11", U32) \
	X(ENVREG12, "%envreg12", U32) X(ENVREG13, "%envreg13", U32) X(ENVREG14, "%envreg14", U32) X(ENVREG15, "%envreg15", U32) \
	X(ENVREG16, "%envreg16", U32) X(ENVREG17, "%envreg17", U32) X(ENVREG18, "%envreg18", U32) X(ENVREG19, "%envreg19", U32) \
	X(ENVREG20, "%envreg20", U32) X(ENVREG21, "%envreg21", U32) X(ENVREG22, "%envreg22", U32) X(ENVREG23, "%envreg23", U32) \
	X(ENVREG24, "%envreg24", U32) X(ENVREG25, "%envreg25", U32) X(ENVREG26, "%envreg26", U32) X(ENVREG27, "%envreg27", U32) \
	X(ENVREG28, "%envreg28", U32) X(ENVREG29, "%envreg29", U32) X(ENVREG30, "%envreg30", U32) X(ENVREG31, "%envreg31", U32) \
	X(WARP_SZ, "WARP_SZ", U32)
typedef enum {
#define X(ID, NAME, TYPE) SREG_##ID,
	SREGS(X)
#undef X
	SREG_COUNT
} Sreg;
extern const char *const sreg_name[SREG_COUNT];
extern const uint8_t sreg_type[SREG_COUNT];
int sreg_lookup(const char *name, size_t n);  /* -1 when there is none */

/* ---- operands and instructions ---- */
typedef enum {
	OPD_NONE,   /* the sink `_` */
	OPD_REG,    /* id = register of the function; in addresses imm = signed byte offset */
	OPD_IMM,    /* imm = the bits, in the operand's type (floats: IEEE bits; integers sign-extended to 64) */
	OPD_SREG,   /* id = Sreg */
	OPD_SYM,    /* id = index into module->symbol, imm = signed byte offset */
	OPD_PARAM,  /* id = index into function->param (kernels), imm = signed byte offset */
	OPD_FUNC,   /* id = index into module->func */
	OPD_STR     /* id = index into module->string */
} OpdKind;

typedef struct Opd {
	uint8_t kind;
	uint8_t neg;      /* predicate operand written !%p */
	int32_t id;
	int64_t imm;
} Opd;

enum { INSF_SYNC = 1, INSF_ALIGNED = 2, INSF_UNI = 4, INSF_TO = 8, INSF_NONFAULTING = 16 };

#define MODIFIERS(X) X(rnd) X(ftz) X(sat) X(approx) X(cmp) X(boolop) X(hilo) X(cc) X(space) X(vec) /* 0, 2 or 4 */ \
	X(mode) X(mode2) X(aop) X(cop) X(sem) X(scope) X(flags) /* INSF_* */

typedef struct Ins {
	uint8_t op;                    /* Op */
	uint8_t type, type2;           /* Type */
#define X(NAME) uint8_t NAME;
	MODIFIERS(X)
#undef X
	uint8_t guard_neg;             /* @!%p */
	uint8_t origin;                /* 0 = the user's; else index into module->origin: the pass that inserted it */

	uint16_t ndst, nsrc;
	uint16_t file;                 /* index into module->file */
	int32_t guard;                 /* predicate register that guards it, or -1 */
	int32_t line, col;             /* source place, 0 = unknown */
	int32_t melded;                /* 0, or the first of module->melded: where the others stood that passes have made one of with it */
	int32_t mark;                  /* 0, or the first of its marks in function->mark */
	Opd *opd;                      /* destinations, then sources */
} Ins;

static inline Opd *ins_dst(const Ins *i, int k) { return i->opd + k; }
static inline Opd *ins_src(const Ins *i, int k) { return i->opd + i->ndst + k; }

/* Where an instruction stood of which passes have made one with another: they were on different paths, and threads of both execute what is left. Its own place
   stays that of one of them. Places are never changed: copies share them. A list is in order of the files' names, lines and columns and has each place once. */
typedef struct MeldedPlace { uint16_t file; int32_t line, col, next; } MeldedPlace; /* line 0: unknown; next: index into module->melded, less than its own; 0 = the last */
static inline bool ins_melded(const Ins *i) { return i->melded != 0; }

/* ---- where the source's blocks have gone ---- */

/* A mark says at an instruction "the source's block S begins here" or "the branch at the end of the source's block S decides here": for all lanes that
   come to the instruction, or, where passes have joined blocks, for those for which predicates hold, by the values that these have before the instruction
   is executed. Statistics count marks, so they speak of the source's blocks whatever passes have made of them. Marks are never changed: copies of an
   instruction share them. */
typedef enum { MARK_BEGINS, MARK_DECIDES } MarkKind;
typedef struct Mark {
	uint8_t kind;                  /* MarkKind */
	int32_t source;                /* index into function->source */
	int32_t lanes;                 /* index into function->lanes: for which lanes; 0: for all that come to the instruction */
	Opd value;                     /* MARK_DECIDES: what a lane decides by, a predicate or the number 0 or 1: true, and it takes the branch.
	                                  OPD_NONE: as the instruction, a conditional or indexed branch, itself goes on; always so of MARK_BEGINS */
	int32_t next;                  /* of the same instruction; 0 = the last */
} Mark;

/* Lanes for which the predicate holds (neg: does not), of those of `next`; 0: of all. Never changed, and shared. */
typedef struct SomeLanes { int32_t reg; bool neg; int32_t next; } SomeLanes;

/* ---- blocks, functions, modules ---- */
typedef struct Block Block;
struct Block {
	const char *label;             /* unique in its function */
	bool user;                     /* a block of the source; its label stands there, or is one that its reader gave it */
	bool marked;                   /* while text is read: its marks are written at its instructions */
	int32_t pending;               /* while it is edited: marks of instructions that have gone, for the next one appended */
	int32_t begins;                /* while it is lowered: marks of what begins with it, whatever instruction comes to stand first */
	uint8_t origin;                /* 0, or the pass that made it */
	int id;                        /* index in function->block; kept by function_number */
	Vec(Ins) ins;                  /* the last one is the terminator (ins_ends) and the only one */

	int nsucc;                     /* bra: 1 (no condition) or 2 (true, false); brx: n; others: 0 */
	Block **succ;
	Block *reconverge;             /* reconvergence point asked for by the source, or NULL */
	Opd by;                        /* while it is lowered, where a mechanism's own operations take the branch's place: a predicate, */
	Block *side[2];                /* and the successors to which lanes go for which it holds, and does not; NULL: the terminator says it */
	Loc loc;
};

typedef struct Reg { const char *name; uint8_t type; } Reg; /* name with its %, unique in the function */

typedef struct Param {             /* of a kernel: a place in the param space */
	const char *name;
	uint8_t type;                  /* element type */
	uint32_t count;                /* elements; 1 for a scalar, more for a structure passed as bytes */
	uint32_t align, offset, size;  /* bytes */
	bool array;
	bool pointer;                  /* it points to memory of the space (PTX: .ptr), or, SP_GENERIC, to any, aligned to so many bytes */
	uint8_t space;
	uint32_t points_align;         /* at least 1 */
} Param;

typedef enum { FN_KERNEL, FN_DEVICE, FN_HOST } FuncKind; /* FN_HOST without body (declared_only): a function of Lua that host functions call */

/* A function of Lua takes the address in argument arg as a buffer of elements of the type, which it may read or write. */
typedef struct LuaTouch { int arg; uint8_t type; bool reads, writes; } LuaTouch;
enum { LAUNCH_STREAM = 8, LAUNCH_ARGS = 9 }; /* sources of launch: the kernel, grid and block of three each, shared bytes, the stream, then the kernel's arguments */
enum { STREAM_LIMIT = 1024, EVENT_LIMIT = 1024 }; /* streams are 0, the default stream, to STREAM_LIMIT; events 0 to EVENT_LIMIT - 1 */

/* Something of PTX that gsim has not: what, as a clause for messages, and where it stands. what NULL: nothing is. */
typedef struct Refusal { const char *what; Loc loc; } Refusal;

typedef struct Function {
	const char *name;
	FuncKind kind;
	int id;                        /* index in module->func */
	bool declared_only;            /* no body in this module */
	Refusal refused;               /* its body cannot be had: only the header is kept, and it cannot run */
	Vec(Reg) reg;
	Vec(Param) param;              /* kernels */
	uint32_t param_bytes;
	Vec(int) arg, ret;             /* device functions, and functions of Lua: the registers that hold arguments and results */
	Vec(LuaTouch) touch;              /* functions of Lua: the buffers that they read and write, by argument, ascending */
	Vec(Block *) block;            /* [0] is the entry; the order is the source's */
	Vec(const char *) source;      /* labels of the source's blocks, whether they are still there or not: statistics name these */
	Vec(Mark) mark;                /* [0] is no mark */
	Vec(SomeLanes) lanes;          /* [0]: all */
	uint64_t code_stamp, graph_stamp;  /* move on with every change of instructions, of blocks and edges (isa/edit.h) */
	uint32_t maxntid[3], reqntid[3];  /* 0 = not given */
	uint32_t minnctapersm;
	Loc loc;
} Function;

typedef struct Reloc { uint32_t offset; bool func, generic; int32_t id; int64_t addend; } Reloc; /* 64-bit address of a symbol or function inside initial data */

typedef struct Symbol {            /* a variable */
	const char *name;              /* as in the source */
	uint8_t space;                 /* SP_GLOBAL SP_CONST SP_SHARED SP_LOCAL */
	uint8_t type;                  /* element type */
	uint64_t count;                /* elements; 0 = size given at launch (.extern .shared) */
	uint32_t align;
	uint64_t size;                 /* bytes */
	bool array, external;
	const char *refused;           /* why nothing that uses it can run (a texture, ...), as in a Refusal; NULL: it can */
	int owner;                     /* function it is declared in, or -1: the module's */
	uint8_t *init;                 /* size bytes, or NULL: zero */
	Vec(Reloc) reloc;
	Loc loc;
} Symbol;

typedef struct Module {
	Arena arena;
	const struct Module *of;       /* a view of that module (module_view), or NULL */
	const char *name;              /* path it was read from */
	Vec(const char *) file;        /* source files; [0] is the module's own text */
	StrMap file_index;             /* of the first nindexed of them, by name; module_file's */
	int nindexed;
	Vec(Function *) func;
	Vec(Symbol *) symbol;
	Vec(const char *) string;
	Vec(const char *) origin;      /* [0] = "user" */
	Vec(MeldedPlace) melded;       /* [0] is none */
} Module;

/* What every form of a module keeps to: a module that one reader takes can be written and read in the others. */
enum { FILE_LIMIT = 65535, OPERAND_LIMIT = 32768 /* of one instruction or header */, DATA_LIMIT = 64 << 20 /* bytes of initial data */ };

Module *module_new(const char *name);
void module_free(Module *);
Function *module_find_function(const Module *, const char *name);     /* NULL when there is none */
Symbol *module_find_symbol(const Module *, const char *name, int owner); /* owner's, else the module's; NULL */
int module_symbol_id(const Module *, const Symbol *);
/* Adds the function with all functions and variables that it, what it calls and the data of these variables name, to both sets, by number. */
void module_uses(const Module *, int function, BitSet func, BitSet symbol);
void module_drop_symbols(Module *, BitSet which);                     /* the others are numbered anew; nothing may name those that go */
/* Functions go with the variables that are declared in them; nothing that stays may name them. The others are numbered anew: those behind one that goes have other addresses. Not of views. */
void module_drop_functions(Module *, BitSet which);
/* Symbols by owner, each owner's in order: id[first[f + 1]] up to id[first[f + 2]] are those of function f, f = -1: the
   module's. This is the order of the text, and of layout. */
typedef struct SymbolOrder { int *id, *first; } SymbolOrder;
SymbolOrder symbol_order(const Module *);
void symbol_order_free(SymbolOrder *);
int module_origin(Module *, const char *pass);                        /* index of the pass in module->origin */
int module_file(Module *, const char *path);                          /* index in module->file; -1: FILE_LIMIT of them already */
Module *module_copy(const Module *);                                  /* deep: nothing is shared */
/* A module to which functions' copies, variables, files and strings can be added, and which shares the rest with another one: that must stay as it is
   and outlive the view. */
Module *module_view(const Module *);
Function *view_function(Module *view, int id);                        /* from now on the view has a copy of its own */
bool module_equal(const Module *, const Module *);                    /* everything that text carries */

Function *function_new(Module *, FuncKind, const char *name);
void function_free(Function *);                                        /* what is not in an arena; the module must no longer have it */
int function_reg(Module *, Function *, const char *name, Type);       /* new register; name NULL: a fresh one */
int function_find_reg(const Function *, const char *name);            /* slow: readers keep their own map */
Block *function_block(Module *, Function *, const char *label);       /* new block at the end; label NULL: fresh */
bool label_is_fresh(const char *);                                    /* of the form that blocks without label get: bb and a number */
void function_number(Function *);                                     /* sets Block.id from the order */
int function_source(Module *, Function *, const char *label);         /* index of the source's block, a new one at the end if there is none; slow */

/* ---- isa/marks.c ---- */
int function_mark(Function *, Mark);                                  /* index of a new mark; mark.next: the marks that it stands before */
int function_lanes(Function *, int lanes, int reg, bool neg);         /* of these lanes those for which the predicate holds (neg: does not), too; -1: none */
int function_lanes_known(Function *, int lanes, int reg, bool value); /* these where the predicate is known to have that value; -1: none */
/* The list after each mark was given to change, which may write its lanes and value, or says false: it goes. The same list where nothing has changed. */
int function_change_marks(Function *, int mark, bool (*change)(void *self, Mark *), void *self);
/* The list with other registers: each mark's lanes in turn, then its value. */
int function_rename_marks(Function *, int mark, int (*rename)(void *self, int reg), void *self);
int function_marks(Function *, int a, int b);                         /* both lists in one: a before b, but for long ones, where the shorter one comes first */
/* Marks of a function as a reader has it, where none are written: each block of the source begins at its first instruction and decides at its branch. */
void function_mark_blocks(Module *, Function *);
void block_mark(Function *, Block *, int source);                     /* this for one block */
/* The source's block that begins at the block's first instruction for all lanes, whose label the block has, and whose branch, if it has one, decides as the
   source's: these marks need not be written. -1: there is none. *first, *last: the other marks of the first instruction and of the terminator. */
int block_plain_marks(const Function *, const Block *, int *first, int *last);
static inline Ins *block_term(const Block *b) { return &b->ins.v[b->ins.n - 1]; }
/* The block goes on to one block without asking anything: an indexed branch with one target may still fault. */
static inline bool block_jumps(const Block *b) { return b->nsucc == 1 && block_term(b)->op == OP_BRA; }
/* It is a conditional or indexed branch. */
static inline bool ins_decides(const Ins *i) { return (i->op == OP_BRA && i->nsrc > 0) || i->op == OP_BRX; }
/* No thread goes on behind it to the next instruction. */
static inline bool ins_ends(const Ins *i)
{
	return op_info[i->op].flags & OPF_TERM || (op_info[i->op].flags & OPF_FATAL && i->guard < 0);
}

Ins ins_make(Module *, Op, Type, int ndst, int nsrc);                 /* zeroed operands, no guard */
static inline Opd opd_reg(int id) { return (Opd){ OPD_REG, 0, id, 0 }; }
static inline Opd opd_imm(int64_t v) { return (Opd){ OPD_IMM, 0, 0, v }; }
void block_jump(Module *, Block *, Block *to);                        /* appends bra to */
void block_branch(Module *, Block *, int pred, bool neg, Block *yes, Block *no); /* appends bra %p, yes, no */
Unit ins_unit(const Ins *);                                           /* the functional unit, by operation and type */
Type ins_dst_type(const Ins *, int k);                                /* type of destination k as the operation defines it; T_NONE: any (call, unpack) */
Type ins_src_type(const Ins *, int k);                                /* likewise; addresses: T_U64 */
Type ins_value_type(const Module *, const Ins *, int k);              /* of source k; of call and launch: what the callee declares */
Loc ins_loc(const Module *, const Ins *);
/* ---- isa/melded.c ---- */
/* Places of the instructions that have become one with it, which may be its own again: of two at one place.
	for (int at = i->melded; melded_next(m, &at, &loc);) ... */
bool melded_next(const Module *, int *at, Loc *);
int module_melded(Module *, const MeldedPlace *, int n);              /* a list of these places, in any order; 0: n is 0 */
void ins_meld(Module *, Ins *, const Ins *const *others, int n);      /* it stands for the others, too, and for what these stand for; its own place and origin: those of the first that no pass has inserted, if there is one */
void ins_instead(Ins *, const Ins *old);                              /* it takes the old one's place in the program: it is as much the source's, at its place, or melded */
bool ins_same_form(const Ins *, const Ins *);                         /* operation, types, modifiers and numbers of operands */
bool ins_equal(const Ins *, const Ins *);                             /* within one function: everything */

/* Bytes at offset 0 of a kernel's shared memory, in this order: the symbols that the kernel and what it calls use.
   offset[symbol id] gets each one's offset (extern symbols: the end), -1 for the others. Returns the static size. */
uint32_t layout_shared(const Module *, const Function *, int64_t *offset);
/* The local memory of one call of the function: offset[symbol id] for its local symbols; returns bytes (multiple of 16).
   The module's local symbols lie at the bottom of the thread's local memory, in the part of the kernel, whose call is the
   outermost: their offsets count from there, in every function. */
uint32_t layout_local(const Module *, const Function *, int64_t *offset);

/* ---- text form ---- */
Module *ir_read(const char *text, size_t n, const char *path, Diag *);  /* NULL after errors; a read module is verified */
struct StrBuf;
void ir_print(const Module *, struct StrBuf *);
void ir_print_function(const Module *, const Function *, struct StrBuf *); /* alone: what it uses of the module must be declared before it to read it again */
void ir_print_ins(const Module *, const Function *, const Block *, const Ins *, struct StrBuf *); /* one line, no newline; the block gives bra its targets */
void ir_print_signature(const Function *, struct StrBuf *);             /* name, parameters, results, attributes: in one line */
bool ir_verify(const Module *, Diag *);                                 /* true when the module keeps every rule of doc/ir.md */
/* The rules for one instruction alone, wherever it stands. false: *why gets the rest of a sentence about it. */
bool ir_verify_ins(const Module *, const Function *, const Ins *, struct StrBuf *why);
/* ---- other forms ---- */
Module *ptx_read(const char *text, size_t n, const char *path, Diag *);
Module *elf_read(const void *, size_t n, const char *path, Diag *);     /* .gso */
bool elf_write(const Module *, const char *path, Diag *);
void ir_warn_undefined(Module *, Diag *);      /* of registers that are read where no definition reaches; module_read does it */
Module *module_read(const char *path, Diag *);                          /* by content: ELF magic, .ptx directives, else IR */
#endif
