/* What ALU operations give, written from the operation table's meanings with wide integers, libm and the floating point
 * environment: independent of isa/lane*.c and isa/softmath*.c. */
#ifndef GSIM_LANE_REFERENCE_H
#define GSIM_LANE_REFERENCE_H
#include "isa/lane.h"

typedef struct Expected {
	uint64_t d[8];       /* bits of the destinations in the register's form */
	bool carry;
	int ulps;            /* approximate: f32 results may differ by so many units in the last place */
} Expected;

/* src: bits of the sources, predicates in bit 0; false when the reference does not know the instruction. */
bool lane_expect(const Ins *, const uint64_t src[8], bool carry_in, Expected *);
#endif
