/* What an instruction reads, writes and does besides its results. Every question of a pass about these is
   answered here, from the table of operations (isa/ops.def) and, for calls, from summaries of the functions
   called. */
#ifndef GSIM_EFFECTS_H
#define GSIM_EFFECTS_H
#include "isa/ir.h"

/* ---- registers ---- */

/* The carry flag counts as one more register, which add.cc writes and addc reads: registers are numbered
   below function_values. */
static inline int function_carry(const Function *f) { return f->reg.n; }
static inline int function_values(const Function *f) { return f->reg.n + 1; }
static inline const char *function_value_name(const Function *f, int v)
{
	return v < f->reg.n ? f->reg.v[v].name : "carry";
}

/* Registers that the instruction itself reads: guard, sources, bases of addresses, the carry flag. */
void ins_reads(const Function *, const Ins *, void (*use)(void *, int reg), void *);
/* The registers of ins_reads, and besides them those that must have their value at the instruction:
   predicates of its marks, and the carry flag, which a call may read and a return hands to the caller. */
void ins_uses(const Function *, const Ins *, void (*use)(void *, int reg), void *);
/* Calls `use` for the predicates of a list of marks: for each mark first those of its lanes, then the one by
   which it decides. */
void mark_uses(const Function *, int mark, void (*use)(void *, int reg), void *);
/* Registers that the instruction writes. Behind a guard they may keep their value: see ins_kills. */
void ins_defs(const Function *, const Ins *, void (*def)(void *, int reg), void *);
bool ins_writes(const Function *, const Ins *, int reg);  /* is reg one of those of ins_defs? */
/* Does reg, one of ins_defs, certainly have a new value behind the instruction? Behind a guard it may keep
   its value, and a call may leave the carry flag as it is. */
static inline bool ins_kills(const Function *f, const Ins *i, int reg)
{
	return i->guard < 0 && (op_info[i->op].kind != K_CALL || reg != function_carry(f));
}

/* ---- effects ---- */

#define SPACE_BIT(S) (1u << (S))
enum { /* the spaces that a generic address may lie in when it is written, and when it is read */
	SPACES_WRITTEN = SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_SHARED) | SPACE_BIT(SP_LOCAL),
	SPACES_READ = SPACES_WRITTEN | SPACE_BIT(SP_CONST) | SPACE_BIT(SP_PARAM)
};

typedef struct Effects {
	/* a set of SPACE_BITs; an access through a generic address has those of all spaces that the address
	   may lie in */
	uint8_t reads, writes;
	/* a volatile, ordered or atomic access, a fence or a barrier: it must keep its place among accesses
	   to memory */
	bool ordered;
	/* what it does depends on which threads execute it together: what it is control dependent on must
	   stay so */
	bool convergent;
	bool carry_in, carry_out;
	/* may abort the launch: an access to memory that is not marked nonfaulting, trap, or an indexed
	   branch; a division never does */
	bool faults;
	/* the thread may not come to the next instruction: so for terminators, aborts, and calls that exit */
	bool ends;
	/* may give another result the next time, though memory is the same: clocks, activemask, alloc */
	bool varies;
	bool visible;                  /* has another effect that counts: it prints, sleeps or launches */
} Effects;

/* function: by Function.id, all that a call of the function may do */
typedef struct EffectTable { const Module *m; Effects *function; } EffectTable;
EffectTable *effects_build(Arena *, const Module *);
/* table NULL: a call may do anything. */
Effects ins_effects(const EffectTable *table, const Ins *);

/* May the instruction be left out where nobody reads its results? A dead load goes, and with it a fault it
   might have raised. */
bool effects_deletable(const Effects *);
/* Does it compute the same whenever its sources are the same, and nothing else? Then it may be moved,
   repeated, and taken for another one. */
bool effects_pure(const Effects *);
#endif
