/* Finds what a register of a host function holds at a place: a number, or something that can be compared with
   what other registers hold. Values are followed along SSA through copies and operations on numbers. */
#ifndef GSIM_FUSION_VALUES_H
#define GSIM_FUSION_VALUES_H
#include "passes/analyses.h"

typedef enum { VALUE_NUMBER, VALUE_VERSION, VALUE_REGISTER, VALUE_SYMBOL } HostValueKind;
/* NUMBER: the number `number`. VERSION: what version `id` of a register holds. REGISTER: what register `id`
   holds at the place. SYMBOL: the address `number` bytes into variable `id`. */
typedef struct HostValue { HostValueKind kind; int id; uint64_t number; } HostValue;

/* A place in a host function: before instruction `ins` of the block. */
typedef struct HostPlace { const Module *m; const Cfg *c; const Ssa *ssa; int block, ins; } HostPlace;
HostPlace host_place(Analyses *host, int block, int ins);
/* The value of an operand that is read at the place, with as many bits as the type has (a predicate: 1). */
HostValue host_value(const HostPlace *, const Opd *, Type);
static inline bool host_same(HostValue a, HostValue b)
{
	return a.kind == b.kind && a.id == b.id && a.number == b.number;
}
#endif
