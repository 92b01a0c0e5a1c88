/* The meaning of operations on lanes: no cycles, no control flow.
 *
 * Registers live in rows. A row holds one value for each of `width` lanes; a 32-bit value (also of 8 and 16
 * bit types) takes one uint32_t a lane, a 64-bit value one uint64_t a lane. A row is named by its offset in
 * uint32_t words, already multiplied by the width, so a 64-bit row takes two row slots. The same functions
 * serve a warp (width = its lanes), the reference interpreter and constant folding (width 1).
 *
 * Values narrower than their register are kept extended: s8 and s16 sign-extended, the others zero-extended;
 * a reader of a narrow type looks at the low bits only. Predicates are one bit a lane in a uint64_t. */
#ifndef GSIM_LANE_H
#define GSIM_LANE_H
#include "isa/ins.h"

typedef uint64_t Mask;             /* bit i = lane i */

/* The lanes of a warp of PTX, of which warp-level operations, their masks of 32 bits and the special
   registers of lanes and warps speak. A machine's warp of more lanes holds several warps of PTX; one of fewer
   lanes is one. */
enum { PTX_WARP = 32 };
static inline int ptx_warp(int width) { return width < PTX_WARP ? width : PTX_WARP; }

typedef struct Lanes {
	uint32_t *base[2];             /* [0] the registers, [1] the constants */
	Mask *pred;
	Mask cc;                       /* carry flag (.cc) */
	int width;                     /* lanes: 1 to 64 */
} Lanes;

#define ROW_CONST 0x80000000u      /* bit 31 of a row's name: the row is in base[1] */

enum { NEG_A = 1, NEG_B = 2, NEG_C = 4 };  /* predicate sources to be inverted */

typedef struct LaneIns LaneIns;
typedef void LaneFn(const LaneIns *, Lanes *, Mask);

struct LaneIns {
	LaneFn *fn;
	uint32_t d, d2;                /* destination rows (predicates: index into pred); NO_ROW = sink */
	uint32_t a, b, c, e;        /* source rows (predicates: index); NO_ROW = absent (a predicate: true) */
	uint8_t neg;                   /* set of NEG_*: which predicate sources are inverted */
	/* set by lane_bind, for functions that look at them */
	uint8_t mode, mode2, type, type2, ftz, sat, rnd, op;
	/* set bits say whose register is wider than the operand: bit 0 of d, bits 2.. of a b c e */
	uint8_t wide;
	LaneFn *inner;                 /* if wide is set: the function that fn wraps */
	/* pack, unpack: the rows of the parts; filled by the code that fills the rows above */
	const uint32_t *rows;
	int nrows;
};
#define NO_ROW 0x7fffffffu

/* The function for an instruction of kind K_ALU, or NULL when the table has no such combination of operation,
   types and modifiers. mov from a special register, symbol or function is mov of a constant or of a row that
   the caller prepares. */
LaneFn *lane_fn(const Ins *);
/* Sets fn and every field but the rows. The code that decodes an instruction calls this and then fills d d2 a
   b c e (pack: a is not used, the sources are rows[]; unpack: the destinations are rows[]). f gives the
   registers' widths: mov and cvt may use registers wider than their types. false: lane_fn knows no such
   combination. */
bool lane_bind(const Function *f, const Ins *, LaneIns *);

/* True: the values of lanes m, which are not empty, are addresses of consecutive accesses of `size` bytes,
   that of the lowest lane first; lanes that are not in m leave a gap. wide: the row has 64 bits a lane. */
bool lane_consecutive(const Lanes *, uint32_t row, bool wide, Mask m, unsigned size);
/* Such accesses: moves values of lanes m of the row from or to memory. at: where the lowest lane's value
   lies. lane_store returns whether memory has changed. No other thread may write there meanwhile. */
void lane_load(const Lanes *, uint32_t row, bool wide, Mask m, const void *at);
bool lane_store(const Lanes *, uint32_t row, bool wide, Mask m, void *at);
/* Accesses to one area of memory, at any addresses: row `address` plus offset, in 32 bits or 64. The area has
   `size` bytes, at the address `start`; data: where the host has them. row: of the values. */
typedef struct LaneArea {
	uint32_t address, row;
	bool wide_address, wide;
	uint64_t offset, start, size;
	uint8_t *data;
} LaneArea;
/* Move the values of lanes m, the lowest lane first. False: nothing has been moved, since a lane's address is
   not in the area or not aligned, or the width is not 32. *changed: whether memory has. */
bool lane_gather(const Lanes *, const LaneArea *, Mask m);
bool lane_scatter(const Lanes *, const LaneArea *, Mask m, bool *changed);

/* Constant folding: computes an instruction of kind K_ALU from the bits of its sources (predicates: 0 or 1);
   dst gets the bits of its results. false: there is no such function, an operand too many, or a carry
   flag. */
bool lane_fold(const Ins *, const uint64_t *src, uint64_t *dst);

/* What atom, red and redux make of the value `old` and their operand b (.cas: c where old equals b). Returns
   the new value; old, b and c are bits of the type. Space: where the memory lies (for a generic address, the
   space that it points to; redux: SP_GENERIC). In SP_GLOBAL, add.f32 takes and gives subnormals as zeros of
   their sign (PTX ISA, atom, red). */
uint64_t lane_atomic(AtomOp, Type, Space, uint64_t old, uint64_t b, uint64_t c);
/* Extension of `bits` as loaded by a memory operation of the type to 64 bits: a 64-bit register takes them
   all, a 32-bit one the low half, which is its form (see above). */
uint64_t lane_extend(Type, uint64_t bits);
/* shfl: returns the lane whose value `lane` gets, if that is in range, else `lane`. b: the offset operand, c:
   clamp and segment mask. */
int lane_shfl_source(Mode, int lane, uint32_t b, uint32_t c, bool *in_range);

static inline uint32_t *row32(const Lanes *l, uint32_t r) { return l->base[r >> 31] + (r & ~ROW_CONST); }
static inline uint64_t *row64(const Lanes *l, uint32_t r) { return (uint64_t *)(void *)row32(l, r); }
#endif
