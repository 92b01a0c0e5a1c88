/* From instructions to rows: what the reference interpreter, host functions and the machine's lowering
   share. */
#ifndef GSIM_DECODE_H
#define GSIM_DECODE_H
#include "isa/lane.h"

/* The constants of some code, each once: rows of equal values for base[1] of Lanes. */
typedef struct ConstBank {
	int width;                     /* lanes; set before the first constant */
	Vec(uint32_t) word;            /* one per slot; a 64-bit constant takes two, the first even */
	Vec(uint8_t) wide;             /* by slot: 1 where a 64-bit constant begins */
	int *index, nindex;            /* hash table of slots, -1 = free */
} ConstBank;

uint32_t bank_const(ConstBank *, uint64_t bits, bool wide);  /* its row, with ROW_CONST */
uint32_t *bank_rows(const ConstBank *, Arena *);             /* the rows, when all constants are in */
void bank_free(ConstBank *);

/* Fills an ALU instruction: lane_bind, then rows. row gives the row of an operand that is no immediate
   (registers; for predicates the index; special registers, symbols, functions, parameters: a row that holds
   the value). f: the registers' types. false: lane_fn has no such function. */
typedef struct Decoder {
	void *self;
	uint32_t (*row)(void *self, const Opd *, Type);
	ConstBank *bank;
	Arena *arena;
	const Function *f;
} Decoder;
bool decode_alu(const Decoder *, const Ins *, LaneIns *);
#endif
