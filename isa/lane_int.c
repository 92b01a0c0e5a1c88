/* Integer arithmetic: for each operation and type a function that executes it for all lanes of a mask. */
#include "isa/lane_kernel.h"

/* Arithmetic is unsigned, on the bits of the operands; where the result is stored it is truncated and
   extended again. */
#define T2(NAME, T, EXPR) K2(NAME##_##T, T, T, T, EXPR)
#define T3(NAME, T, EXPR) K3(NAME##_##T, T, T, T, T, EXPR)

#define MIN(X, Y) ((X) < (Y) ? (X) : (Y))
#define MAX(X, Y) ((X) > (Y) ? (X) : (Y))
#define DISTANCE(UT, X, Y) ((X) > (Y) ? (UT)(X) - (UT)(Y) : (UT)(Y) - (UT)(X))
#define HIGH(T, X, Y) ((UT_##T)((UW_##T)((WT_##T)(X) * (WT_##T)(Y)) >> BITS_##T))

#define X(T) \
	T2(add, T, (UT_##T)A + (UT_##T)B) \
	T2(sub, T, (UT_##T)A - (UT_##T)B) \
	T2(mul_lo, T, (UT_##T)A * (UT_##T)B) \
	T2(mul_hi, T, HIGH(T, A, B)) \
	T2(min, T, MIN(A, B)) \
	T2(max, T, MAX(A, B)) \
	T3(mad_lo, T, (UT_##T)A * (UT_##T)B + (UT_##T)C) \
	T3(mad_hi, T, HIGH(T, A, B) + (UT_##T)C) \
	T3(sad, T, (UT_##T)C + DISTANCE(UT_##T, A, B))
INT_TYPES(X)
#undef X

#define X(T) \
	K1(abs_##T, T, T, A < 0 ? 0 - (UT_##T)A : (UT_##T)A) \
	K1(neg_##T, T, T, 0 - (UT_##T)A)
SINT_TYPES(X)
#undef X

K2(mul_wide_U16, U32, U16, U16, (uint32_t)A * B)
K2(mul_wide_S16, S32, S16, S16, (int32_t)A * B)
K2(mul_wide_U32, U64, U32, U32, (uint64_t)A * B)
K2(mul_wide_S32, S64, S32, S32, (int64_t)A * B)
K3(mad_wide_U16, U32, U16, U16, U32, (uint32_t)A * B + C)
K3(mad_wide_S16, S32, S16, S16, S32, (uint32_t)((int32_t)A * B) + (uint32_t)C)
K3(mad_wide_U32, U64, U32, U32, U64, (uint64_t)A * B + C)
K3(mad_wide_S32, S64, S32, S32, S64, (uint64_t)((int64_t)A * B) + (uint64_t)C)

/* Operations with .sat clamp the result to s32. */
static inline int32_t sat32(int64_t x)
{
	return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}
#define HIGH_S32(X, Y) ((int64_t)(X) * (Y) >> 32)
K2(add_sat_S32, S32, S32, S32, sat32((int64_t)A + B))
K2(sub_sat_S32, S32, S32, S32, sat32((int64_t)A - B))
K3(mad_hi_sat_S32, S32, S32, S32, S32, sat32(HIGH_S32(A, B) + C))

/* Products of the low 24 bits, which are 48 bits wide: .lo bits 31..0, .hi bits 47..16. */
#define U24(X) ((uint64_t)((X) & 0xffffff))
#define S24(X) ((int64_t)((int32_t)((uint32_t)(X) << 8) >> 8))
K2(mul24_lo_U32, U32, U32, U32, U24(A) * U24(B))
K2(mul24_hi_U32, U32, U32, U32, (U24(A) * U24(B)) >> 16)
K2(mul24_lo_S32, S32, S32, S32, S24(A) * S24(B))
K2(mul24_hi_S32, S32, S32, S32, (S24(A) * S24(B)) >> 16)
K3(mad24_lo_U32, U32, U32, U32, U32, U24(A) * U24(B) + C)
K3(mad24_hi_U32, U32, U32, U32, U32, ((U24(A) * U24(B)) >> 16) + C)
K3(mad24_lo_S32, S32, S32, S32, S32, S24(A) * S24(B) + C)
K3(mad24_hi_S32, S32, S32, S32, S32, ((S24(A) * S24(B)) >> 16) + C)
K3(mad24_hi_sat_S32, S32, S32, S32, S32, sat32(((S24(A) * S24(B)) >> 16) + C))

/* Division: x / 0 is all ones, x rem 0 is x, and the quotient of the least number by -1 wraps. */
#define X(T) \
	K2S(div_##T, T, T, T, B ? A / B : (CT_##T)-1) \
	K2S(rem_##T, T, T, T, B ? A % B : A)
UINT_TYPES(X)
#undef X
#define X(T) \
	K2S(div_##T, T, T, T, B == 0 ? (UT_##T)-1 : B == -1 ? 0 - (UT_##T)A : (UT_##T)(A / B)) \
	K2S(rem_##T, T, T, T, B == 0 ? A : B == -1 ? 0 : A % B)
SINT_TYPES(X)
#undef X

/* dp4a: c plus four products of bytes. Each is signed or unsigned as the type of a, or of b, is. */
#define BYTE(T, X, K) ((int32_t)(CT_##T)((uint32_t)(X) >> (8 * (K))))
#define DOT(TA, TB, X, Y) (BYTE(TA, X, 0) * BYTE(TB, Y, 0) + BYTE(TA, X, 1) * BYTE(TB, Y, 1) \
	+ BYTE(TA, X, 2) * BYTE(TB, Y, 2) + BYTE(TA, X, 3) * BYTE(TB, Y, 3))
K3(dp4a_UU, U32, U32, U32, U32, C + (uint32_t)DOT(U8, U8, A, B))
K3(dp4a_US, U32, U32, U32, U32, C + (uint32_t)DOT(U8, S8, A, B))
K3(dp4a_SU, U32, U32, U32, U32, C + (uint32_t)DOT(S8, U8, A, B))
K3(dp4a_SS, U32, U32, U32, U32, C + (uint32_t)DOT(S8, S8, A, B))

/* dp2a: c plus the products of the two halves of a and two bytes of b, from byte K on. */
#define HALF(T, X, K) ((int32_t)(CT_##T)((uint32_t)(X) >> (16 * (K))))
#define DOT2(TA, TB, X, Y, K) (HALF(TA, X, 0) * BYTE(TB, Y, K) + HALF(TA, X, 1) * BYTE(TB, Y, (K) + 1))
#define X(NAME, K) \
	K3(NAME##_UU, U32, U32, U32, U32, C + (uint32_t)DOT2(U16, U8, A, B, K)) \
	K3(NAME##_US, U32, U32, U32, U32, C + (uint32_t)DOT2(U16, S8, A, B, K)) \
	K3(NAME##_SU, U32, U32, U32, U32, C + (uint32_t)DOT2(S16, U8, A, B, K)) \
	K3(NAME##_SS, U32, U32, U32, U32, C + (uint32_t)DOT2(S16, S8, A, B, K))
X(dp2a_lo, 0)
X(dp2a_hi, 2)
#undef X

/* Chains through the carry flag. SUM is computed in twice the width; `in` is the carry flag before, 0 or 1.
   Bit BITS of SUM is the carry or the borrow, which .cc keeps in the flag. */
#define CHAIN(NAME, T, SUM) \
static void NAME##_##T(const LaneIns *i, Lanes *L, Mask m) \
{ \
	typedef UW_##T W; \
	RT_##T *d = lane_row(L, i->d); \
	const RT_##T *a = lane_row(L, i->a), *b = lane_row(L, i->b), \
		*c = i->c == NO_ROW ? a : lane_row(L, i->c); \
	Mask carry = 0; \
	for (Mask k = m; k; k &= k - 1) { \
		int l = __builtin_ctzll(k); \
		W x = (UC)a[l], y = (UC)b[l], z = (UC)c[l], in = L->cc >> l & 1; \
		(void)x, (void)y, (void)z, (void)in; \
		W sum = (SUM); \
		carry |= (Mask)(sum >> BITS_##T & 1) << l; \
		if (i->d != NO_ROW) \
			d[l] = (CT_##T)sum; \
	} \
	if (i->mode2) \
		L->cc = (L->cc & ~m) | carry; \
}
#define X(T) \
	CHAIN(add_cc, T, x + y) \
	CHAIN(addc, T, x + y + in) \
	CHAIN(sub_cc, T, x - y) \
	CHAIN(subc, T, x - y - in) \
	CHAIN(mad_lo_cc, T, (W)(UC)(x * y) + z) \
	CHAIN(mad_hi_cc, T, (W)HIGHC(a[l], b[l]) + z) \
	CHAIN(madc_lo, T, (W)(UC)(x * y) + z + in) \
	CHAIN(madc_hi, T, (W)HIGHC(a[l], b[l]) + z + in)
#define UC uint16_t
#define HIGHC(P, Q) (UC)HIGH(U16, (UC)(P), (UC)(Q))
X(U16)
#undef HIGHC
#define HIGHC(P, Q) (UC)HIGH(S16, (int16_t)(P), (int16_t)(Q))
X(S16)
#undef UC
#undef HIGHC
#define UC uint32_t
#define HIGHC(P, Q) HIGH(U32, P, Q)
X(U32)
#undef HIGHC
#define HIGHC(P, Q) HIGH(S32, P, Q)
X(S32)
#undef UC
#undef HIGHC
#define UC uint64_t
#define HIGHC(P, Q) HIGH(U64, P, Q)
X(U64)
#undef HIGHC
#define HIGHC(P, Q) HIGH(S64, P, Q)
X(S64)
#undef X

typedef LaneFn *ByType[T_COUNT];
#define ALL(NAME) { [T_U16] = NAME##_U16, [T_S16] = NAME##_S16, [T_U32] = NAME##_U32, [T_S32] = NAME##_S32, \
	[T_U64] = NAME##_U64, [T_S64] = NAME##_S64 }
#define SIGNED(NAME) { [T_S16] = NAME##_S16, [T_S32] = NAME##_S32, [T_S64] = NAME##_S64 }
#define WIDE(NAME) { [T_U16] = NAME##_U16, [T_S16] = NAME##_S16, [T_U32] = NAME##_U32, [T_S32] = NAME##_S32 }
#define ONLY32(NAME) { [T_U32] = NAME##_U32, [T_S32] = NAME##_S32 }
#define SAT(NAME) { [T_S32] = NAME##_S32 }

enum { PLAIN, CARRY, SATURATE };
static const struct { uint8_t op, hilo, how; ByType fn; } table[] = {
	{ OP_ADD, 0, PLAIN, ALL(add) }, { OP_ADD, 0, CARRY, ALL(add_cc) },
	{ OP_ADD, 0, SATURATE, SAT(add_sat) },
	{ OP_SUB, 0, PLAIN, ALL(sub) }, { OP_SUB, 0, CARRY, ALL(sub_cc) },
	{ OP_SUB, 0, SATURATE, SAT(sub_sat) },
	{ OP_MUL, HILO_LO, PLAIN, ALL(mul_lo) }, { OP_MUL, HILO_HI, PLAIN, ALL(mul_hi) },
	{ OP_MUL, HILO_WIDE, PLAIN, WIDE(mul_wide) },
	{ OP_MAD, HILO_LO, PLAIN, ALL(mad_lo) }, { OP_MAD, HILO_HI, PLAIN, ALL(mad_hi) },
	{ OP_MAD, HILO_WIDE, PLAIN, WIDE(mad_wide) }, { OP_MAD, HILO_HI, SATURATE, SAT(mad_hi_sat) },
	{ OP_MAD, HILO_LO, CARRY, ALL(mad_lo_cc) }, { OP_MAD, HILO_HI, CARRY, ALL(mad_hi_cc) },
	{ OP_MUL24, HILO_LO, PLAIN, ONLY32(mul24_lo) }, { OP_MUL24, HILO_HI, PLAIN, ONLY32(mul24_hi) },
	{ OP_MAD24, HILO_LO, PLAIN, ONLY32(mad24_lo) }, { OP_MAD24, HILO_HI, PLAIN, ONLY32(mad24_hi) },
	{ OP_MAD24, HILO_HI, SATURATE, SAT(mad24_hi_sat) },
	{ OP_SAD, 0, PLAIN, ALL(sad) }, { OP_DIV, 0, PLAIN, ALL(div) }, { OP_REM, 0, PLAIN, ALL(rem) },
	{ OP_ABS, 0, PLAIN, SIGNED(abs) }, { OP_NEG, 0, PLAIN, SIGNED(neg) },
	{ OP_MIN, 0, PLAIN, ALL(min) }, { OP_MAX, 0, PLAIN, ALL(max) },
	{ OP_ADDC, 0, PLAIN, ALL(addc) }, { OP_ADDC, 0, CARRY, ALL(addc) },
	{ OP_SUBC, 0, PLAIN, ALL(subc) }, { OP_SUBC, 0, CARRY, ALL(subc) },
	{ OP_MADC, HILO_LO, PLAIN, ALL(madc_lo) }, { OP_MADC, HILO_LO, CARRY, ALL(madc_lo) },
	{ OP_MADC, HILO_HI, PLAIN, ALL(madc_hi) }, { OP_MADC, HILO_HI, CARRY, ALL(madc_hi) },
};

/* The function of dp4a, dp2a.lo or dp2a.hi, by the signedness of a and of b. */
static LaneFn *dot(const Ins *i)
{
#define SIGNS(NAME) { { NAME##_UU, NAME##_US }, { NAME##_SU, NAME##_SS } }
	static LaneFn *const fn[3][2][2] = { SIGNS(dp4a), SIGNS(dp2a_lo), SIGNS(dp2a_hi) };
	int which = i->op == OP_DP4A ? 0 : i->hilo == HILO_LO ? 1 : i->hilo == HILO_HI ? 2 : -1;
	if (which < 0 || !(TS_I32 >> i->type & 1) || !(TS_I32 >> i->type2 & 1))
		return NULL;
	return fn[which][i->type == T_S32][i->type2 == T_S32];
}

LaneFn *LANE(lane_int)(const Ins *i)
{
	if (i->op == OP_DP4A || i->op == OP_DP2A)
		return dot(i);
	if (i->rnd || i->ftz || i->approx || (i->sat && i->cc))
		return NULL;
	int how = i->sat ? SATURATE : i->cc ? CARRY : PLAIN;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		if (table[k].op == i->op && table[k].hilo == i->hilo && table[k].how == how)
			return table[k].fn[lane_plain(i->type)];
	return NULL;
}
