/* Value numbering: which instructions compute the same. Every pass asks here and nowhere else, so that which
   modifiers count, in which order sources count, and what a NaN changes of that, stands in one place. */
#ifndef GSIM_NUMBERING_H
#define GSIM_NUMBERING_H
#include "isa/ir.h"

/* ---- questions about instructions ---- */
/* Does the instruction give the same result, bit for bit, when its first two sources are exchanged? In f64
   the first of two NaNs is the result (doc/semantics.md), so there one of the two must be a number that is no
   NaN. */
bool ins_commutes(const Ins *);
/* Writes the key of what an instruction computes. Two instructions with equal keys have equal results, if
   each writes one register, their sources have the same values, and memory is the same where they load.
   Sources that commute stand in one order. A register stands in the key as number[register], or, number NULL,
   as itself. */
enum { KEY_MOST = 64 };
/* returns the length of the key; 0: the instruction has too many sources */
int ins_key(const Function *, const Ins *, const int *number, int64_t *key);

/* ---- numbers for keys ---- */
/* The numbers of keys seen so far. The caller sets a, all else is 0 at first. */
typedef struct Keys { Arena *a; struct Key **bucket, **key; int n, cap; } Keys;
int keys_number(Keys *, const int64_t *key, int n);  /* of the key: from 0 on, in the order of first sight */
int keys_find(const Keys *, const int64_t *key, int n); /* -1: the key is new */
const int64_t *keys_key(const Keys *, int number);
/* The number of an instruction. Instructions have equal numbers that do the same, under the same guard, from
   the same registers to the same registers. */
int ins_number(Keys *, const Ins *);
#endif
