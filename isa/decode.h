/* Decodes instructions to rows of registers and constants (isa/lane.h). The reference interpreter, host
   functions and the machine's lowering share this. */
#ifndef GSIM_DECODE_H
#define GSIM_DECODE_H
#include "isa/lane.h"

/* The constants of some code, each stored once. bank_rows makes of each a row that holds its value in every
   lane; base[1] of Lanes points to these rows. */
typedef struct ConstBank {
	/* lanes of a row; the caller sets it before it adds the first constant */
	int width;
	/* one 32-bit word per slot; a 64-bit constant takes two slots, the first with an even number */
	Vec(uint32_t) word;
	Vec(uint8_t) wide;             /* by slot: 1 where a 64-bit constant begins */
	int *index, nindex;            /* hash table of the slots where constants begin, -1 = free */
} ConstBank;

/* adds the constant if it is new; returns the name of its row, with ROW_CONST */
uint32_t bank_const(ConstBank *, uint64_t bits, bool wide);
/* the rows; called when all constants have been added */
uint32_t *bank_rows(const ConstBank *, Arena *);
void bank_free(ConstBank *);

/* decode_alu fills the LaneIns of an instruction of kind K_ALU: first it calls lane_bind, then it sets the
   rows of the operands. The callback `row` gives the row of an operand that is no immediate: of a register
   its own row (of a predicate its index); of a special register, symbol, function or parameter a row that
   holds its value. f: has the types of the registers. decode_alu returns false if lane_fn has no such
   function. */
typedef struct Decoder {
	void *self;
	uint32_t (*row)(void *self, const Opd *, Type);
	ConstBank *bank;
	Arena *arena;
	const Function *f;
} Decoder;
bool decode_alu(const Decoder *, const Ins *, LaneIns *);
#endif
