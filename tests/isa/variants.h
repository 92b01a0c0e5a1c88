/* Every variant of an operation that the verifier accepts, and operands to try them on. */
#ifndef GSIM_TEST_VARIANTS_H
#define GSIM_TEST_VARIANTS_H
#include "isa/lane.h"
#include "tests/random.h"

/* Calls f for each combination of types and modifiers, as an instruction without operands yet (all are _).
   without: groups of suffixes (ops.def) that are left absent. Returns how many. */
int each_variant(Op, const char *without, void f(const Ins *, void *), void *);
const char *variant_name(const Ins *);        /* the mnemonic; valid until the next call */
/* Types of sources and destinations; parts of pack and unpack have those of their width. */
Type variant_src(const Ins *, int k);
Type variant_dst(const Ins *, int k);

/* Source k of the instruction: special values of its type, values where the conversion that this is rounds or
   saturates, and random bits. Bits above the type's are random too, as in a register that holds something
   wider. */
uint64_t random_operand(uint64_t *state, const Ins *, int k);
uint64_t random_value(uint64_t *state, Type); /* special values of the type, and random bits */
#endif
