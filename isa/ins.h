/* One instruction: types, operations, modifiers, special registers, operands. Blocks, functions and modules,
 * which are made of instructions, stand in isa/ir.h; a file that deals with instructions alone includes this
 * one. */
#ifndef GSIM_INS_H
#define GSIM_INS_H
#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Block Block;
typedef struct Function Function;
typedef struct Module Module;

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
extern const uint8_t type_bits[T_COUNT];  /* bits of a value; a predicate has 1 */
extern const char type_kind[T_COUNT];     /* 'P' 'B' 'U' 'S' 'F'; 0 for T_NONE */
static inline int type_bytes(int t) { return (type_bits[t] + 7) / 8; }
Type type_widened(Type);                  /* u16 -> u32, s32 -> s64, ...; T_NONE when there is none */

/* Sets of types, for the table of operations. */
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

typedef enum { /* which code executes an operation */
	K_NONE, K_ALU, K_LD, K_ST, K_ATOM, K_FENCE, K_BAR, K_WARPSYNC, K_SHFL, K_VOTE, K_MATCH, K_ACTIVE,
		K_REDUX, K_ELECT,
	K_BRA, K_BRX, K_CALL, K_RET, K_EXIT, K_TRAP, K_SLEEP, K_NOP, K_RECONV, K_HOST, K_PRINT, K_ASSERT,
		K_COUNT
} OpKind;

/* Functional units, and classes of operations that take copies of one of them for a time of their own:
   X(ID, "name", PARENT, copies, latency, interval, operations). The next to last three, latency and interval
   in cycles, hold where a machine file says nothing (sim/config/config.def). For a class they are 0: it takes
   copies of its parent, and as many, with the same latency and interval. A unit is its own parent. */
#define UNITS(X) \
	X(ALU, "alu", ALU, 4, 6, 1, "integers, bits, moves") \
	X(IMUL, "imul", IMUL, 4, 6, 1, "products of integers") \
	X(FP32, "fp32", FP32, 4, 6, 1, "f32") \
	X(FP64, "fp64", FP64, 1, 16, 8, "f64, conversions of f64") \
	X(SFU, "sfu", SFU, 1, 20, 4, "approximations of functions") \
	X(CVT, "cvt", CVT, 1, 8, 2, "conversions") \
	X(MEM, "mem", MEM, 1, 1, 1, "accesses to memory") \
	X(CTL, "ctl", CTL, 4, 1, 1, "branches, barriers") \
	X(UNIFORM, "uniform", ALU, 0, 0, 0, "operations of the uniform datapath, where there is one") \
	X(LOGIC, "logic", ALU, 0, 0, 0, "and, or, xor, not, lop3") \
	X(SHIFT, "shift", ALU, 0, 0, 0, "shifts") \
	X(COMPARE, "compare", ALU, 0, 0, 0, "comparisons, minima and maxima of integers and of f32") \
	X(BITS, "bits", ALU, 0, 0, 0, "bit fields") \
	X(REVERSE, "reverse", ALU, 0, 0, 0, "brev") \
	X(COUNT_BITS, "count_bits", ALU, 0, 0, 0, "popc, clz, bfind, fns") \
	X(SAD, "sad", ALU, 0, 0, 0, "sad") \
	X(SHFL, "shfl", ALU, 0, 0, 0, "shfl") \
	X(VOTE, "vote", ALU, 0, 0, 0, "vote, activemask, elect") \
	X(MATCH, "match", ALU, 0, 0, 0, "match") \
	X(REDUX, "redux", ALU, 0, 0, 0, "redux") \
	X(CVT8, "cvt8", CVT, 0, 0, 0, "conversions of 8 and 16-bit integers to 32 bits") \
	X(CVT64, "cvt64", CVT, 0, 0, 0, "conversions between f32 and 64-bit integers") \
	X(WIDEN, "widen", CVT, 0, 0, 0, "conversions between integers of 32 and of 64 bits") \
	X(CVTF64, "cvtf64", FP64, 0, 0, 0, "conversions of f64") \
	X(RCP, "rcp", SFU, 0, 0, 0, "approximations of div and rcp") \
	X(ROOT, "root", SFU, 0, 0, 0, "approximations of sqrt and rsqrt") \
	X(DIV32, "div32", IMUL, 0, 0, 0, "div and rem of integers of up to 32 bits") \
	X(DIV64, "div64", IMUL, 0, 0, 0, "div and rem of 64-bit integers") \
	X(DIVF32, "divf32", FP32, 0, 0, 0, "div of f32, rounded") \
	X(ROOTF32, "rootf32", FP32, 0, 0, 0, "rcp, sqrt of f32, rounded") \
	X(DIVF64, "divf64", FP64, 0, 0, 0, "div of f64") \
	X(RCPF64, "rcpf64", FP64, 0, 0, 0, "rcp of f64") \
	X(ROOTF64, "rootf64", FP64, 0, 0, 0, "sqrt, rsqrt of f64")
typedef enum {
#define X(ID, NAME, PARENT, COPIES, LATENCY, INTERVAL, OPERATIONS) UNIT_##ID,
	UNITS(X)
#undef X
	UNIT_COUNT
} Unit;
extern const char *const unit_name[UNIT_COUNT];
extern const uint8_t unit_parent[UNIT_COUNT];

enum { /* flags of an operation; isa/ops.def explains them */
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
	MODE_L, MODE_R, MODE_F4E, MODE_B4E, MODE_RC8, MODE_ECL, MODE_ECR, MODE_RC16, MODE_FINITE,
	MODE_INFINITE,
	MODE_NUMBER, MODE_NOTANUMBER, MODE_NORMAL, MODE_SUBNORMAL,
	MODE_L1, MODE_L2 } Mode;
typedef enum { MODE2_NONE, MODE2_WRAP, MODE2_CLAMP, MODE2_SHIFTAMT } Mode2;
typedef enum { AOP_NONE, AOP_ADD, AOP_MIN, AOP_MAX, AOP_AND, AOP_OR, AOP_XOR, AOP_EXCH, AOP_CAS, AOP_INC,
	AOP_DEC,
	AOP_POPC } AtomOp;
typedef enum { COP_NONE, COP_CA, COP_CG, COP_CS, COP_LU, COP_CV, COP_WB, COP_WT, COP_NC } CacheOp;
typedef enum { SEM_NONE, SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL,
	SEM_SC } Sem;
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
	X(LANEMASK_EQ, "%lanemask_eq", U32) X(LANEMASK_LT, "%lanemask_lt", U32) X(LANEMASK_LE, \
		"%lanemask_le", U32) \
	X(LANEMASK_GT, "%lanemask_gt", U32) X(LANEMASK_GE, "%lanemask_ge", U32) \
	X(CLOCK, "%clock", U32) X(CLOCK_HI, "%clock_hi", U32) X(CLOCK64, "%clock64", U64) \
	X(GLOBALTIMER, "%globaltimer", U64) X(GLOBALTIMER_LO, "%globaltimer_lo", U32) \
	X(GLOBALTIMER_HI, "%globaltimer_hi", U32) \
	X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size", U32) X(TOTAL_SMEM_SIZE, "%total_smem_size", U32) \
	X(RESERVED_BEGIN, "%reserved_smem_offset_begin", U32) X(RESERVED_END, "%reserved_smem_offset_end", \
		U32) \
	X(RESERVED_CAP, "%reserved_smem_offset_cap", U32) \
	X(RESERVED_0, "%reserved_smem_offset_0", U32) X(RESERVED_1, "%reserved_smem_offset_1", U32) \
	X(ENVREG0, "%envreg0", U32) X(ENVREG1, "%envreg1", U32) X(ENVREG2, "%envreg2", U32) X(ENVREG3, \
		"%envreg3", U32) \
	X(ENVREG4, "%envreg4", U32) X(ENVREG5, "%envreg5", U32) X(ENVREG6, "%envreg6", U32) X(ENVREG7, \
		"%envreg7", U32) \
	X(ENVREG8, "%envreg8", U32) X(ENVREG9, "%envreg9", U32) X(ENVREG10, "%envreg10", U32) X(ENVREG11, \
		"%envreg11", U32) \
	X(ENVREG12, "%envreg12", U32) X(ENVREG13, "%envreg13", U32) X(ENVREG14, "%envreg14", \
		U32) X(ENVREG15, "%envreg15", U32) \
	X(ENVREG16, "%envreg16", U32) X(ENVREG17, "%envreg17", U32) X(ENVREG18, "%envreg18", \
		U32) X(ENVREG19, "%envreg19", U32) \
	X(ENVREG20, "%envreg20", U32) X(ENVREG21, "%envreg21", U32) X(ENVREG22, "%envreg22", \
		U32) X(ENVREG23, "%envreg23", U32) \
	X(ENVREG24, "%envreg24", U32) X(ENVREG25, "%envreg25", U32) X(ENVREG26, "%envreg26", \
		U32) X(ENVREG27, "%envreg27", U32) \
	X(ENVREG28, "%envreg28", U32) X(ENVREG29, "%envreg29", U32) X(ENVREG30, "%envreg30", \
		U32) X(ENVREG31, "%envreg31", U32) \
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
	/* no operand: an optional source left out, or the destination `_`, which drops the result */
	OPD_NONE,
	OPD_REG,    /* id = register of the function; in addresses imm = signed byte offset */
	OPD_IMM, /* imm = the bits, in the operand's type (floats: IEEE bits; integers sign-extended to 64) */
	OPD_SREG,   /* id = Sreg */
	OPD_SYM,    /* id = index into module->symbol, imm = signed byte offset */
	OPD_PARAM,  /* id = index into function->param (kernels), imm = signed byte offset */
	OPD_FUNC,   /* id = index into module->func */
	OPD_STR     /* id = index into module->string */
} OpdKind;

/* The fields of an operand: X(type, name). Two operands of one function are the same if all of these are. */
#define OPD_FIELDS(X) \
	X(uint8_t, kind)               /* an OpdKind, which says what id and imm are */ \
	X(uint8_t, neg)                /* 1: the predicate is negated, as in !%p */ \
	X(int32_t, id) \
	X(int64_t, imm)

typedef struct Opd {
#define X(TYPE, NAME) TYPE NAME;
	OPD_FIELDS(X)
#undef X
} Opd;

enum { INSF_SYNC = 1, INSF_ALIGNED = 2, INSF_UNI = 4, INSF_TO = 8, INSF_NONFAULTING = 16,
	INSF_COOPERATIVE = 32 };

/* The fields of an instruction but its operands, each by its role as ROLE(type, name). Two instructions that
 * differ in a field of role
 * FORM   do different things; so for every modifier
 * GUARD  do it in different threads
 * PLACE  do the same: they stand, or come from, elsewhere
 * MARK   do the same: they count for other blocks and branches of the source
 * Whoever compares or hashes instructions field by field goes by this list, and so takes a new field the way
 * that its role says. */
#define INS_FIELDS(FORM, GUARD, PLACE, MARK) \
	FORM(uint8_t, op)              /* the operation, an Op */ \
	FORM(uint8_t, type)            /* the first Type; T_NONE: the instruction has none */ \
	FORM(uint8_t, type2)           /* the second one */ \
	FORM(uint8_t, rnd) \
	FORM(uint8_t, ftz) \
	FORM(uint8_t, sat) \
	FORM(uint8_t, approx) \
	FORM(uint8_t, cmp) \
	FORM(uint8_t, boolop) \
	FORM(uint8_t, hilo) \
	FORM(uint8_t, cc) \
	FORM(uint8_t, space) \
	FORM(uint8_t, vec)             /* 0, 2 or 4 */ \
	FORM(uint8_t, mode) \
	FORM(uint8_t, mode2) \
	FORM(uint8_t, aop) \
	FORM(uint8_t, cop) \
	FORM(uint8_t, sem) \
	FORM(uint8_t, scope) \
	FORM(uint8_t, flags)           /* INSF_* */ \
	GUARD(uint8_t, guard_neg)      /* 1: the guard is negated, as in @!%p */ \
	PLACE(uint8_t, origin)         /* 0 = the user's; else index into module->origin: who inserted it */ \
	FORM(uint16_t, ndst) \
	FORM(uint16_t, nsrc) \
	PLACE(uint16_t, file)          /* index into module->file */ \
	GUARD(int32_t, guard)          /* predicate register that guards the instruction, or -1 */ \
	PLACE(int32_t, line)           /* source place, 0 = unknown */ \
	PLACE(int32_t, col) \
	/* 0, or a list in module->place: where the other instructions stood that passes have melded with \
	   this one */ \
	PLACE(int32_t, melded) \
	/* 0, or a list in module->place, for an instruction of an inlined function: places from its own \
	   line in that function to the outermost call */ \
	PLACE(int32_t, inlined) \
	MARK(int32_t, mark)            /* 0, or the first of the instruction's marks in function->mark */

typedef struct Ins {
#define FIELD(TYPE, NAME) TYPE NAME;
	INS_FIELDS(FIELD, FIELD, FIELD, FIELD)
#undef FIELD
	Opd *opd;                      /* destinations, then sources */
} Ins;

static inline Opd *ins_dst(const Ins *i, int k) { return i->opd + k; }
static inline Opd *ins_src(const Ins *i, int k) { return i->opd + i->ndst + k; }

/* Is it a conditional or indexed branch? */
static inline bool ins_decides(const Ins *i) { return (i->op == OP_BRA && i->nsrc > 0) || i->op == OP_BRX; }
/* Does no thread go on from the instruction to the next one? */
static inline bool ins_ends(const Ins *i)
{
	return op_info[i->op].flags & OPF_TERM || (op_info[i->op].flags & OPF_FATAL && i->guard < 0);
}
static inline Opd opd_reg(int id) { return (Opd){ OPD_REG, 0, id, 0 }; }
static inline Opd opd_imm(int64_t v) { return (Opd){ OPD_IMM, 0, 0, v }; }
static inline bool opd_same(const Opd *a, const Opd *b)
{
#define X(TYPE, NAME) && a->NAME == b->NAME
	return true OPD_FIELDS(X);
#undef X
}
Unit ins_unit(const Ins *);                                   /* the functional unit, by operation and type */
/* type of destination k as the operation defines it; T_NONE: any (call, unpack) */
Type ins_dst_type(const Ins *, int k);
/* the same for source k; addresses: T_U64 */
Type ins_src_type(const Ins *, int k);
/* are operation, types, modifiers and numbers of operands (the fields of role FORM) the same? */
bool ins_same_form(const Ins *, const Ins *);
/* is everything about two instructions of one function the same? */
bool ins_equal(const Ins *, const Ins *);

/* ---- where the source's blocks have gone ---- */

/* A mark says at an instruction "the source's block S begins here" or "the branch at the end of the source's
   block S decides here". This holds for all lanes that come to the instruction, or, where passes have joined
   blocks, for those for which predicates hold, by the values that the predicates have before the instruction
   is executed. Statistics count marks, so they speak of the source's blocks whatever passes have made of
   these. Marks are never changed: copies of an instruction share them. */
typedef enum { MARK_BEGINS, MARK_DECIDES } MarkKind;
typedef struct Mark {
	uint8_t kind;                  /* MarkKind */
	int32_t source;                /* index into function->source */
	/* index into function->lanes: for which lanes; 0: for all that come to the instruction */
	int32_t lanes;
	/* MARK_DECIDES: what a lane decides by, a predicate or the number 0 or 1; true means that the lane
	   takes the branch. OPD_NONE: a lane decides as the instruction itself, a conditional or indexed
	   branch, sends it. MARK_BEGINS always has OPD_NONE */
	Opd value;
	int32_t next;                  /* the next mark of the same instruction; 0 = this is the last */
} Mark;

/* A set of lanes: those of the set `next` for which the predicate `reg` holds (neg: does not hold). Set 0 has
   all lanes. Sets are never changed, and marks share them. */
typedef struct SomeLanes { int32_t reg; bool neg; int32_t next; } SomeLanes;
#endif
