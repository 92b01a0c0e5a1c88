/* Lane functions of logic, shifts and bit fields. */
#include "isa/lane_kernel.h"

#define X(T) \
	K2(and_##T, T, T, T, A & B) \
	K2(or_##T, T, T, T, A | B) \
	K2(xor_##T, T, T, T, A ^ B) \
	K1(not_##T, T, T, ~A) \
	K1(cnot_##T, T, T, A == 0) \
	K2(shl_##T, T, T, U32, B < BITS_##T ? (UT_##T)A << (B & (BITS_##T - 1)) : 0) \
	K2(shr_##T, T, T, U32, B < BITS_##T ? A >> (B & (BITS_##T - 1)) : 0)
UINT_TYPES(X)
#undef X
#define X(T) \
	K2(shr_##T, T, T, U32, A >> (B < BITS_##T ? B : BITS_##T - 1))
SINT_TYPES(X)
#undef X

/* ---- counting ---- */
static inline uint32_t ones32(uint32_t x)
{
	x -= x >> 1 & 0x55555555u;
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	return (x * 0x01010101u) >> 24;
}
static inline uint32_t reverse32(uint32_t x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(x);
}
static inline uint64_t reverse64(uint64_t x)
{
	return (uint64_t)reverse32((uint32_t)x) << 32 | reverse32((uint32_t)(x >> 32));
}
static inline uint32_t zeros32(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }
static inline uint32_t zeros64(uint64_t x) { return x ? (uint32_t)__builtin_clzll(x) : 64; }
/* FIND: the position of the highest one bit, FIND_SHIFT (.shiftamt): the same counted from the top bit; all
   ones when there is none. FOLD inverts a negative number: then the highest bit that differs from the sign is
   found. */
#define FIND(X, N) ((X) ? (N) - 1 - zeros##N(X) : ~0u)
#define FIND_SHIFT(X, N) ((X) ? zeros##N(X) : ~0u)
#define FOLD(X) ((X) < 0 ? ~(X) : (X))

K1(popc_U32, U32, U32, ones32(A))
K1(popc_U64, U32, U64, ones32((uint32_t)A) + ones32((uint32_t)(A >> 32)))
K1S(clz_U32, U32, U32, zeros32(A))
K1S(clz_U64, U32, U64, zeros64(A))
K1(brev_U32, U32, U32, reverse32(A))
K1(brev_U64, U64, U64, reverse64(A))
K1S(bfind_U32, U32, U32, FIND(A, 32))
K1S(bfind_S32, U32, S32, FIND((uint32_t)FOLD(A), 32))
K1S(bfind_U64, U32, U64, FIND(A, 64))
K1S(bfind_S64, U32, S64, FIND((uint64_t)FOLD(A), 64))
K1S(bfind_shift_U32, U32, U32, FIND_SHIFT(A, 32))
K1S(bfind_shift_S32, U32, S32, FIND_SHIFT((uint32_t)FOLD(A), 32))
K1S(bfind_shift_U64, U32, U64, FIND_SHIFT(A, 64))
K1S(bfind_shift_S64, U32, S64, FIND_SHIFT((uint64_t)FOLD(A), 64))

/* ---- bit fields; positions and lengths are the low bytes of the operands ---- */
#define FIELD(N) \
static inline uint##N##_t ones_below##N(unsigned len) { return len >= N ? ~(uint##N##_t)0 \
	: ((uint##N##_t)1 << len) - 1; } \
static inline uint##N##_t extract##N(uint##N##_t a, unsigned pos, unsigned len, bool sign) \
{ \
	uint##N##_t field = pos < N ? a >> pos : 0, keep = ones_below##N(len); \
	unsigned top = pos + len - 1; \
	bool fill = sign && len && a >> (top < N ? top : N - 1) & 1; \
	/* bits beyond the value's own top are copies of the sign bit too */ \
	if (pos + len > N) \
		keep = pos < N ? ones_below##N(N - pos) : 0; \
	return (field & keep) | (fill ? ~keep : 0); \
} \
static inline uint##N##_t insert##N(uint##N##_t a, uint##N##_t b, unsigned pos, unsigned len) \
{ \
	if (pos >= N) \
		return b; \
	uint##N##_t at = ones_below##N(len) << pos; \
	return (b & ~at) | (a << pos & at); \
}
FIELD(32)
FIELD(64)
K3S(bfe_U32, U32, U32, U32, U32, extract32(A, B & 255, C & 255, false))
K3S(bfe_S32, U32, U32, U32, U32, extract32(A, B & 255, C & 255, true))
K3S(bfe_U64, U64, U64, U32, U32, extract64(A, B & 255, C & 255, false))
K3S(bfe_S64, U64, U64, U32, U32, extract64(A, B & 255, C & 255, true))

#define BFI(T, N) \
static void bfi_##T(const LaneIns *i, Lanes *L, Mask m) \
{ \
	RT_##T *d = lane_row(L, i->d); \
	const RT_##T *a = lane_row(L, i->a), *b = lane_row(L, i->b); \
	const uint32_t *c = lane_row(L, i->c), *e = lane_row(L, i->e); \
	EACH_SPARSE(insert##N(a[l], b[l], c[l] & 255, e[l] & 255)); \
}
BFI(U32, 32)
BFI(U64, 64)

/* PTX ISA, szext: the low n bits of a, extended by their sign or by zeros. */
static inline uint32_t low_extended(uint32_t a, uint32_t n, bool sign)
{
	uint32_t above = n < 32 ? ~0u << n : 0;
	return (a & ~above) | (sign && n && a >> ((n - 1) & 31) & 1 ? above : 0);
}
K2(szext_wrap_U32, U32, U32, U32, low_extended(A, B & 31, false))
K2(szext_wrap_S32, U32, U32, U32, low_extended(A, B & 31, true))
K2(szext_clamp_U32, U32, U32, U32, low_extended(A, B < 32 ? B : 32, false))
K2(szext_clamp_S32, U32, U32, U32, low_extended(A, B < 32 ? B : 32, true))

/* PTX ISA, bmsk: n one bits upwards from bit `from`; those past bit 31 are lost. */
static inline uint32_t ones_from(uint32_t from, uint32_t n)
{
	uint32_t ones = n < 32 ? ((uint32_t)1 << (n & 31)) - 1 : ~0u;
	return from < 32 ? ones << (from & 31) : 0;
}
K2(bmsk_wrap_U32, U32, U32, U32, ones_from(A & 31, B & 31))
K2(bmsk_clamp_U32, U32, U32, U32, ones_from(A, B))

/* PTX ISA, fns: the position of the n-th one bit of a from bit `from` on, downwards if n is negative; n = 0:
   that bit itself if it is one. All ones when there is none, and where `from` is past 31, which PTX leaves
   open. */
static inline uint32_t nth_one(uint32_t a, uint32_t from, uint32_t n)
{
	bool down = n >> 31;
	uint32_t left = down ? -n : n;
	if (from > 31)
		return ~0u;
	if (!n)
		return a >> from & 1 ? from : ~0u;
	a &= down ? ~0u >> (31 - from) : ~0u << from;
	while (a && --left)
		a &= down ? ~(0x80000000u >> zeros32(a)) : a - 1;
	return !a ? ~0u : down ? 31 - zeros32(a) : (uint32_t)__builtin_ctz(a);
}
K3S(fns_U32, U32, U32, U32, U32, nth_one(A, B, C))

/* ---- bytes, funnel shifts, three-input logic ---- */
static inline uint32_t byte_of(uint32_t a, uint32_t b, unsigned nibble)
{
	uint64_t both = (uint64_t)b << 32 | a;
	uint32_t byte = (uint32_t)(both >> (8 * (nibble & 7))) & 255;
	return nibble & 8 ? (byte & 128 ? 255 : 0) : byte;
}
static inline uint32_t pick(uint32_t a, uint32_t b, uint32_t c)
{
	return byte_of(a, b, c & 15) | byte_of(a, b, c >> 4 & 15) << 8 | byte_of(a, b, c >> 8 & 15) << 16
		| byte_of(a, b, c >> 12 & 15) << 24;
}
/* The selector that each mode of prmt uses, by the low two bits of c (PTX ISA, prmt). */
static const uint16_t pick_mode[6][4] = {
	{ 0x3210, 0x4321, 0x5432, 0x6543 }, /* f4e */
	{ 0x5670, 0x6701, 0x7012, 0x0123 }, /* b4e */
	{ 0x0000, 0x1111, 0x2222, 0x3333 }, /* rc8 */
	{ 0x3210, 0x3211, 0x3222, 0x3333 }, /* ecl */
	{ 0x0000, 0x1110, 0x2210, 0x3210 }, /* ecr */
	{ 0x1010, 0x3232, 0x1010, 0x3232 }, /* rc16 */
};
K3S(prmt_U32, U32, U32, U32, U32, pick(A, B, C))
#define PRMT(MODE) K3S(prmt_mode##MODE, U32, U32, U32, U32, pick(A, B, pick_mode[MODE][C & 3]))
PRMT(0) PRMT(1) PRMT(2) PRMT(3) PRMT(4) PRMT(5)

#define LEFT(X, Y, N) ((N) >= 32 ? (X) : (N) ? (Y) << ((N) & 31) | (X) >> ((32 - (N)) & 31) : (Y))
#define RIGHT(X, Y, N) ((N) >= 32 ? (Y) : (N) ? (Y) << ((32 - (N)) & 31) | (X) >> ((N) & 31) : (X))
K3(shf_l_wrap, U32, U32, U32, U32, LEFT(A, B, C & 31))
K3(shf_r_wrap, U32, U32, U32, U32, RIGHT(A, B, C & 31))
K3(shf_l_clamp, U32, U32, U32, U32, LEFT(A, B, C))
K3(shf_r_clamp, U32, U32, U32, U32, RIGHT(A, B, C))

static void lop3(const LaneIns *i, Lanes *L, Mask m)
{
	RT_U32 *d = lane_row(L, i->d);
	const RT_U32 *a = lane_row(L, i->a), *b = lane_row(L, i->b), *c = lane_row(L, i->c);
	uint32_t t[8], table = *row32(L, i->e); /* the table is an immediate: the same in all lanes */
	for (int k = 0; k < 8; k++)
		t[k] = table >> k & 1 ? ~0u : 0;
#define MUX(S, P, Q) (((S) & (P)) | (~(S) & (Q)))
	EACH(MUX(a[l], MUX(b[l], MUX(c[l], t[7], t[6]), MUX(c[l], t[5], t[4])),
		MUX(b[l], MUX(c[l], t[3], t[2]), MUX(c[l], t[1], t[0]))));
}

/* ---- predicates ---- */
#define PRED2(NAME, EXPR) \
static void NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	Mask x = lane_pred(L, i->a, i->neg & NEG_A), y = lane_pred(L, i->b, i->neg & NEG_B); \
	lane_set_pred(L, i->d, m, EXPR); \
}
PRED2(and_PRED, x & y)
PRED2(or_PRED, x | y)
PRED2(xor_PRED, x ^ y)
static void not_PRED(const LaneIns *i, Lanes *L, Mask m)
{
	lane_set_pred(L, i->d, m, ~lane_pred(L, i->a, i->neg & NEG_A));
}

#define BIT3(NAME) { [T_U16] = NAME##_U16, [T_U32] = NAME##_U32, [T_U64] = NAME##_U64 }
#define BIT3P(NAME) { [T_U16] = NAME##_U16, [T_U32] = NAME##_U32, [T_U64] = NAME##_U64, \
	[T_PRED] = NAME##_PRED }
#define BIT2(NAME) { [T_U32] = NAME##_U32, [T_U64] = NAME##_U64 }
#define INT4(NAME) { [T_U32] = NAME##_U32, [T_U64] = NAME##_U64, [T_S32] = NAME##_S32, [T_S64] = NAME##_S64 }
#define INT6(NAME) { [T_U16] = NAME##_U16, [T_U32] = NAME##_U32, [T_U64] = NAME##_U64, [T_S16] = NAME##_S16, \
	[T_S32] = NAME##_S32, [T_S64] = NAME##_S64 }
static const struct { uint8_t op, mode, mode2; LaneFn *fn[T_COUNT]; } table[] = {
	{ OP_AND, 0, 0, BIT3P(and) }, { OP_OR, 0, 0, BIT3P(or) }, { OP_XOR, 0, 0, BIT3P(xor) },
	{ OP_NOT, 0, 0, BIT3P(not) },
	{ OP_CNOT, 0, 0, BIT3(cnot) }, { OP_SHL, 0, 0, BIT3(shl) }, { OP_SHR, 0, 0, INT6(shr) },
	{ OP_POPC, 0, 0, BIT2(popc) }, { OP_CLZ, 0, 0, BIT2(clz) }, { OP_BREV, 0, 0, BIT2(brev) },
	{ OP_BFIND, 0, 0, INT4(bfind) }, { OP_BFIND, 0, MODE2_SHIFTAMT, INT4(bfind_shift) },
	{ OP_BFE, 0, 0, INT4(bfe) }, { OP_BFI, 0, 0, BIT2(bfi) },
	{ OP_PRMT, 0, 0, { [T_U32] = prmt_U32 } },
	{ OP_PRMT, MODE_F4E, 0, { [T_U32] = prmt_mode0 } },
	{ OP_PRMT, MODE_B4E, 0, { [T_U32] = prmt_mode1 } },
	{ OP_PRMT, MODE_RC8, 0, { [T_U32] = prmt_mode2 } },
	{ OP_PRMT, MODE_ECL, 0, { [T_U32] = prmt_mode3 } },
	{ OP_PRMT, MODE_ECR, 0, { [T_U32] = prmt_mode4 } },
	{ OP_PRMT, MODE_RC16, 0, { [T_U32] = prmt_mode5 } },
	{ OP_SHF, MODE_L, MODE2_WRAP, { [T_U32] = shf_l_wrap } },
	{ OP_SHF, MODE_R, MODE2_WRAP, { [T_U32] = shf_r_wrap } },
	{ OP_SHF, MODE_L, MODE2_CLAMP, { [T_U32] = shf_l_clamp } },
	{ OP_SHF, MODE_R, MODE2_CLAMP, { [T_U32] = shf_r_clamp } },
	{ OP_LOP3, 0, 0, { [T_U32] = lop3 } },
	{ OP_SZEXT, 0, MODE2_WRAP, { [T_U32] = szext_wrap_U32, [T_S32] = szext_wrap_S32 } },
	{ OP_SZEXT, 0, MODE2_CLAMP, { [T_U32] = szext_clamp_U32, [T_S32] = szext_clamp_S32 } },
	{ OP_BMSK, 0, MODE2_WRAP, { [T_U32] = bmsk_wrap_U32 } },
	{ OP_BMSK, 0, MODE2_CLAMP, { [T_U32] = bmsk_clamp_U32 } },
	{ OP_FNS, 0, 0, { [T_U32] = fns_U32 } },
};

LaneFn *LANE(lane_bits)(const Ins *i)
{
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		if (table[k].op == i->op && table[k].mode == i->mode && table[k].mode2 == i->mode2)
			return table[k].fn[lane_plain(i->type)];
	return NULL;
}
