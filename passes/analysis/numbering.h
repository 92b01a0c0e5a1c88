/* Value numbering: which instructions compute the same. Every pass asks here and nowhere else, so that which
   modifiers count, in which order sources count, and what a NaN changes of that, stands in one place. */
#ifndef GSIM_NUMBERING_H
#define GSIM_NUMBERING_H
#include "isa/ir.h"

/* ---- questions about instructions ---- */
static inline bool opd_same(const Opd *a, const Opd *b)
{
	return a->kind == b->kind && a->neg == b->neg && a->id == b->id && a->imm == b->imm;
}
/* Do its first two sources give the same, bit for bit, the other way around? In f64 the first of two NaNs is
   the result (doc/semantics.md), so there one of the two must be a number that is no NaN. */
bool ins_commutes(const Ins *);
/* What it computes, as numbers: equal keys, equal results, of instructions that write one register and whose
   sources are the same values, and memory is the same where they load. Sources that commute stand in one
   order. Registers stand as number[register], or, number NULL, as themselves. */
enum { KEY_MOST = 64 };
/* how many; 0: too many sources */
int ins_key(const Function *, const Ins *, const int *number, int64_t *key);

/* ---- numbers for keys ---- */
typedef struct Keys { Arena *a; struct Key **bucket, **key; int n, cap; } Keys; /* set a */
int keys_number(Keys *, const int64_t *key, int n);  /* from 0 on, in the order of first sight */
int keys_find(const Keys *, const int64_t *key, int n); /* -1: never seen */
const int64_t *keys_key(const Keys *, int number);
/* Equal numbers: instructions that do the same, under one guard, from the same registers to the same
   registers. */
int ins_number(Keys *, const Ins *);
#endif
