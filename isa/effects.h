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
/* And with them those that must have their value there: predicates of marks; a call may read the carry flag,
   and a return hands it to the caller. */
void ins_uses(const Function *, const Ins *, void (*use)(void *, int reg), void *);
/* the predicates of a list of marks: each one's lanes, then its value */
void mark_uses(const Function *, int mark, void (*use)(void *, int reg), void *);
/* Registers written. Behind a guard they may keep their value: ins_kills. */
void ins_defs(const Function *, const Ins *, void (*def)(void *, int reg), void *);
bool ins_writes(const Function *, const Ins *, int reg);  /* is it one of these? */
/* The registers of ins_defs have a new value behind the instruction for certain. A call may leave the carry
   flag as it is. */
static inline bool ins_kills(const Function *f, const Ins *i, int reg)
{
	return i->guard < 0 && (op_info[i->op].kind != K_CALL || reg != function_carry(f));
}

/* ---- effects ---- */

#define SPACE_BIT(S) (1u << (S))
enum { /* generic addresses may lie in any of these */
	SPACES_WRITTEN = SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_SHARED) | SPACE_BIT(SP_LOCAL),
	SPACES_READ = SPACES_WRITTEN | SPACE_BIT(SP_CONST) | SPACE_BIT(SP_PARAM)
};

typedef struct Effects {
	uint8_t reads, writes;     /* SPACE_BIT of each space: what a generic address may point to is in it */
	/* a volatile, ordered or atomic access, a fence, a barrier: keeps its place among accesses to
	   memory */
	bool ordered;
	/* depends on which threads execute it together: keeps what it is control dependent on */
	bool convergent;
	bool carry_in, carry_out;
	/* may abort the launch: an access to memory that is not marked nonfaulting, trap, an indexed branch,
	   division never */
	bool faults;
	bool ends; /* the thread may not come to the next instruction: terminators, aborts, calls that exit */
	/* gives another result the next time, though memory is the same: clocks, activemask, alloc */
	bool varies;
	bool visible;                  /* does something else that counts: prints, sleeps, launches */
} Effects;

/* by Function.id: all that a call of it may do */
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
