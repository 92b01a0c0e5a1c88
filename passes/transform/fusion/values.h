/* What registers of a host function hold at a place: numbers, or which of them are equal. Followed along SSA
   through copies and operations on numbers. */
#ifndef GSIM_FUSION_VALUES_H
#define GSIM_FUSION_VALUES_H
#include "passes/analyses.h"

typedef enum { VALUE_NUMBER, VALUE_VERSION, VALUE_REGISTER, VALUE_SYMBOL } ValueKind;
/* VERSION: what that version of a register holds; REGISTER: what the register holds at the place; SYMBOL: the
   address of a variable, number bytes into it. */
typedef struct HostValue { ValueKind kind; int id; uint64_t number; } HostValue;

/* before instruction `ins` of the block */
typedef struct HostPlace { const Module *m; const Cfg *c; const Ssa *ssa; int block, ins; } HostPlace;
HostPlace host_place(Analyses *host, int block, int ins);
/* Of an operand that is read there with so many bits (a type's; predicates: 1). */
HostValue host_value(const HostPlace *, const Opd *, Type);
static inline bool host_same(HostValue a, HostValue b)
{
	return a.kind == b.kind && a.id == b.id && a.number == b.number;
}
#endif
