/* What operations on values give, written from the text of NVIDIA's PTX ISA manual (9.0; chapter 9.7) and not
 * from the operation table: wide integers, libm and the floating point environment, nothing of isa/lane*.c or
 * isa/softmath*.c. Where the manual leaves a result open ("unspecified"), gsim's own choice of
 * doc/semantics.md is expected, and the comment there says so. */
#ifndef GSIM_TEST_REFERENCE_H
#define GSIM_TEST_REFERENCE_H
#include "isa/lane.h"
#include <math.h>
#include <string.h>

__extension__ typedef __int128 Int;
__extension__ typedef unsigned __int128 UInt;

typedef struct Expected {
	uint64_t d[8];       /* bits of the destinations in the register's form */
	bool carry;
	/* An approximation: the result may differ from `exact` by `error`; d is not looked at. zeros: so many
	   low bits of the result are 0. A result may also be the zero of its sign where .ftz may have flushed
	   it. */
	bool approximate, may_flush;
	double exact, error;
	int zeros;
} Expected;

/* One instruction on one set of operands. src: bits of the sources, predicates in bit 0. */
typedef struct Ref {
	const Ins *i;
	const uint64_t *s;
	bool carry_in;
	Expected *e;
} Ref;
typedef void RefFn(const Ref *);

/* The manual's section on an operation, NULL when the reference does not know it. */
const char *reference_section(const Ins *);
void reference_alu(const Ins *, const uint64_t src[8], bool carry_in, Expected *);
/* Whether the bits of result number k are as expected. */
bool reference_accepts(const Ins *, const Expected *, int k, uint64_t got);

/* What atom and red leave in memory that held `old`. */
uint64_t reference_atomic(const char *op, Type, Space, uint64_t old, uint64_t b, uint64_t c);
/* What a register of the type `reg` holds after a value of the type was loaded into it. */
uint64_t reference_load(Type, Type reg, uint64_t bits);

/* ---- between the files of the reference ---- */
static inline bool signed_type(int t) { return type_kind[t] == 'S'; }
static inline bool float_type(int t) { return type_kind[t] == 'F'; }
static inline uint64_t low_of(uint64_t v, int bits)
{
	return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}
/* The number that the low bits of v are in an integer type. */
static inline Int number_of(int t, uint64_t v)
{
	int n = type_bits[t];
	v = low_of(v, n);
	return signed_type(t) && v >> (n - 1) ? (Int)v - ((Int)1 << n) : (Int)v;
}
static inline Int most_of(int t) { return ((Int)1 << (type_bits[t] - signed_type(t))) - 1; }
static inline Int least_of(int t) { return signed_type(t) ? -most_of(t) - 1 : 0; }
static inline Int limited(int t, Int v)
{
	return v < least_of(t) ? least_of(t) : v > most_of(t) ? most_of(t) : v;
}
/* An integer, taken modulo 2^bits, as a register of the type holds it: narrow values are kept extended to 32
   bits. */
static inline uint64_t held(int t, Int v)
{
	uint64_t r = (uint64_t)number_of(t, (uint64_t)v);
	return type_bits[t] == 64 ? r : low_of(r, 32);
}
double reference_number(int t, uint64_t bits);            /* the number that a float's bits are */
uint64_t reference_flush(int t, uint64_t bits);           /* a subnormal becomes the zero of its sign */
static inline bool is_nan(int t, uint64_t bits) { double x = reference_number(t, bits); return x != x; }

RefFn ref_int_arith, ref_mad24, ref_sad, ref_div_int, ref_sign_int, ref_minmax_int, ref_chain, ref_popc,
	ref_clz, ref_bfind,
	ref_brev, ref_bfe, ref_bfi, ref_szext, ref_bmsk, ref_fns, ref_dp, ref_logic, ref_cnot, ref_lop3,
	ref_shift, ref_shf, ref_prmt;
RefFn ref_float_arith, ref_float_div, ref_rcp, ref_sqrt, ref_rsqrt, ref_sign_float, ref_minmax_float,
	ref_function, ref_testp,
	ref_copysign;
RefFn ref_setp, ref_set, ref_selp, ref_slct, ref_mov, ref_pack, ref_unpack, ref_cvta, ref_isspacep, ref_cvt;
#endif
