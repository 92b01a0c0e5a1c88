/* Values: which instructions compute the same. Every pass asks here and nowhere else, so that which modifiers
 * count, in which order sources count, and what a NaN changes of that, stands in one place.
 *
 * A version of a register is what one write to it leaves there, or what is there when the function begins
 * (passes/analysis/ssa.h). At a place a register holds one version; versions.h says which.
 * A value number stands for a value: what has the same number has the same value, bit for bit. Different
 * numbers say nothing.
 * An identity is what is compared of an instruction, as a list of numbers; numbers for identities are value
 * numbers (identity.c). There are two kinds:
 *
 *                                              of its value            of what it does
 *   operation, types, modifiers,               compared                compared
 *   numbers of operands (FORM)
 *     of these: memory order                   weak and none are one   compared
 *   guard (GUARD)                              no                      compared
 *   destinations                               how wide the register   compared
 *   sources: kind, sign of a predicate,        compared; a register    compared
 *   number, bits                               by its value number
 *   the order of two that commute              no                      no
 *   place, pass, marks (PLACE, MARK)           no                      no
 *
 * So rounding, the carry flag, space, vector, cache operator, nonfaulting are all compared, and so are the
 * bits of an immediate: -0.0 is not 0.0, and a NaN is no NaN of another payload. The names in brackets are
 * the roles of fields (isa/ins.h), by which identity.c goes: there a new field cannot be forgotten. */
#ifndef GSIM_VALUES_H
#define GSIM_VALUES_H
#include "isa/ins.h"
#include "passes/analysis/keys.h"

/* ---- identity ---- */

/* Does the instruction give the same result, bit for bit, when its first two sources are exchanged? In f64
   the first of two NaNs is the result (doc/semantics.md), so of arithmetic there one of the two must be a
   number that is no NaN. */
bool ins_commutes(const Ins *);
/* Do the first two sources commute, and stand in identities the other way around? value: by source, what
   stands for the register that it names; NULL: the registers themselves. */
bool ins_turned(const Ins *, const int *value);
/* The number of the value that an instruction of one destination computes. Two with the same number give
   equal results if memory is the same where they load. A register counts as number[register], or, number
   NULL, as itself. */
int value_number(Keys *, const Function *, const Ins *, const int *number);
/* the same for an instruction whose value also depends on these n numbers, of the state of memory */
int value_number_in(Keys *, const Function *, const Ins *, const int *number, const int64_t *state, int n);
/* The number of what an instruction does, under its guard, from which registers to which. */
int deed_number(Keys *, const Ins *);

/* ---- computing again (repeats.c) ---- */

/* May the instruction be computed again, or another one's result be taken for its own, where the sources and
   the memory that it loads from are the same? It writes one register, with a value that depends on nothing
   else: not on the carry flag, a clock, other lanes, the order of accesses. *reads: the spaces that it loads
   from, without those that are never written. Its guard and its faults are the caller's affair. */
bool ins_repeats(const Ins *, uint8_t *reads);
/* Is it a move of a register or a number? To take its value from another register saves nothing. */
bool ins_moves(const Ins *);
/* Does the instruction, with a guard or without, move all bits of one register to another? */
bool ins_copies(const Function *, const Ins *);
#endif
