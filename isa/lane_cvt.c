/* Conversions. Common ones have functions of their own; convert_any() does all of them through soft_*. */
#include "isa/lane_kernel.h"
#include "isa/softmath.h"

/* ---- integers to integers, without .sat ---- */
#define TO(D, S) K1(D##_from_##S, D, S, A)
#define TO_ALL(S) TO(U8, S) TO(S8, S) TO(U16, S) TO(S16, S) TO(U32, S) TO(U64, S)
TO_ALL(U8) TO_ALL(S8) TO_ALL(U16) TO_ALL(S16) TO_ALL(U32) TO_ALL(S32) TO_ALL(U64)
#define FROM(D, D2) { [T_U8] = D##_from_U8, [T_S8] = D##_from_S8, [T_U16] = D##_from_U16, \
	[T_S16] = D##_from_S16, \
	[T_U32] = D##_from_U32, [T_S32] = D2##_from_S32, [T_U64] = D##_from_U64, [T_S64] = D##_from_U64 }
static LaneFn *const int_int[T_COUNT][T_COUNT] = {
	[T_U8] = FROM(U8, U8), [T_S8] = FROM(S8, S8), [T_U16] = FROM(U16, U16), [T_S16] = FROM(S16, S16),
	[T_U32] = FROM(U32, U32), [T_S32] = FROM(U32, U32), [T_U64] = FROM(U64, U64),
	[T_S64] = FROM(U64, U64),
};

/* ---- integers to floats, to nearest ---- */
#define FLOATS(S) K1(F32_from_##S, U32, S, f32_bits((float)A)) K1(F64_from_##S, U64, S, f64_bits((double)A))
FLOATS(U8) FLOATS(S8) FLOATS(U16) FLOATS(S16) FLOATS(U32) FLOATS(S32) FLOATS(U64) FLOATS(S64)
#define FROM_INT(D) { [T_U8] = D##_from_U8, [T_S8] = D##_from_S8, [T_U16] = D##_from_U16, \
	[T_S16] = D##_from_S16, \
	[T_U32] = D##_from_U32, [T_S32] = D##_from_S32, [T_U64] = D##_from_U64, [T_S64] = D##_from_S64 }
static LaneFn *const int_f32[T_COUNT] = FROM_INT(F32), *const int_f64[T_COUNT] = FROM_INT(F64);

/* ---- floats to 32-bit integers; the bounds are integers, so clamping before rounding gives the same as
   clamping after it ---- */
static inline double clamped(double x, double lo, double hi)
{
	x = x == x ? x : 0.0;
	return x < lo ? lo : x > hi ? hi : x;
}
#define S32_RANGE(X) clamped(X, -2147483648.0, 2147483647.0)
#define U32_RANGE(X) clamped(X, 0.0, 4294967295.0)
/* Rounding to integral values: when 2^52 of the same sign is added, the fraction is rounded away. */
static inline double round_nearest(double x)
{
	double big = __builtin_copysign(0x1p52, x), n = (x + big) - big;
	return __builtin_fabs(x) < 0x1p52 ? n : x;
}
static inline double down(double x) { double n = round_nearest(x); return n > x ? n - 1 : n; }
static inline double round_upward(double x) { double n = round_nearest(x); return n < x ? n + 1 : n; }
static inline double chop(double x)
{
	double n = round_nearest(x);
	return __builtin_fabs(n) > __builtin_fabs(x) ? n - __builtin_copysign(1, x) : n;
}
/* The integers that a NaN becomes (PTX ISA, cvt: Integer Notes). */
#define NAN_FROM_F32 0u
#define NAN_FROM_F64 0x80000000u
#define NAN_TO_64 0x8000000000000000u
#define INT32(D, S, RND, F, INT) K1(D##_##RND##_##S, U32, S, \
	A != A ? NAN_FROM_##S : (uint32_t)(INT)F(D##_RANGE(A)))
#define TO_INT32(S) \
	INT32(S32, S, rz, , int32_t) INT32(S32, S, rn, round_nearest, int32_t) INT32(S32, S, rm, down, \
		int32_t) INT32(S32, S, rp, round_upward, int32_t) \
	INT32(U32, S, rz, , int64_t) INT32(U32, S, rn, round_nearest, int64_t) INT32(U32, S, rm, down, \
	int64_t) INT32(U32, S, rp, round_upward, int64_t)
TO_INT32(F32)
TO_INT32(F64)
/* floats to 64-bit integers, rounded towards zero */
#define TO_INT64(S) \
	K1S(S64_rz_##S, U64, S, A != A ? NAN_TO_64 : A >= 0x1p63 ? INT64_MAX \
		: A <= -0x1p63 ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)A) \
	K1S(U64_rz_##S, U64, S, A != A ? NAN_TO_64 : A >= 0x1p64 ? UINT64_MAX : A > 0 ? (uint64_t)A : 0)
TO_INT64(F32)
TO_INT64(F64)
/* [1: the integer is signed][1: the float is f64] */
static LaneFn *const float_int64[2][2] = { { U64_rz_F32, U64_rz_F64 }, { S64_rz_F32, S64_rz_F64 } };
#define BY_RND(D, S) { D##_rn_##S, D##_rz_##S, D##_rm_##S, D##_rp_##S }
static LaneFn *const float_int[2][2][4] = { /* [1: the integer is signed][1: the float is f64][rounding] */
	{ BY_RND(U32, F32), BY_RND(U32, F64) }, { BY_RND(S32, F32), BY_RND(S32, F64) }
};

/* ---- floats to floats ---- */
static inline uint32_t canon32(float x) { return x == x ? f32_bits(x) : NAN32; }
K1(F32_from_F64, U32, F64, canon32((float)A))
K1(F64_from_F32, U64, U32, ({ double x = bits_f32(A); x == x ? f64_bits(x) : soft_widen_nan(A); }))

#define SAME_SIGN(N, X) __builtin_copysign(N, (double)(X))
#define INTEGRAL(NAME, F) \
	K1(F32_##NAME, U32, F32, canon32((float)SAME_SIGN(F(A), A))) \
	K1(F64_##NAME, U64, F64, ({ double x = A; x == x ? f64_bits(SAME_SIGN(F(x), x)) \
	: f64_bits(x) | QUIET64; }))
INTEGRAL(rni, round_nearest)
INTEGRAL(rzi, chop)
INTEGRAL(rmi, down)
INTEGRAL(rpi, round_upward)
K1(F32_sat, U32, F32, ({ float x = A; f32_bits(x > 0 ? (x < 1 ? x : 1.0f) : 0.0f); }))
static LaneFn *const integral[2][4] = { /* [1: the type is f64][rounding] */
	{ F32_rni, F32_rzi, F32_rmi, F32_rpi }, { F64_rni, F64_rzi, F64_rmi, F64_rpi }
};

/* The function of its own for a conversion from a float; NULL: it has none, and convert_any() does it. */
static LaneFn *common_float(const Ins *i, Type d, Type s)
{
	int from64 = s == T_F64;
	bool plain = !i->sat && !i->ftz, towards_zero = i->rnd == RND_NONE || i->rnd == RND_RZ ||
		i->rnd == RND_RZI;
	if (s == T_F16 || i->ftz)
		return NULL;
	if (d == T_S32 || d == T_U32) /* these saturate without .sat, too */
		return float_int[d == T_S32][from64][i->rnd >= RND_RNI ? i->rnd - RND_RNI
			: i->rnd ? i->rnd - RND_RN : 1];
	if (d == T_S64 || d == T_U64)
		return towards_zero ? float_int64[d == T_S64][from64] : NULL;
	if (d == T_F32 && s == T_F32 && i->sat && i->rnd <= RND_RP)
		return F32_sat;
	if (d == s && plain && i->rnd >= RND_RNI)
		return integral[from64][i->rnd - RND_RNI];
	if (plain && i->rnd <= RND_RN && d != s && d != T_F16)
		return d == T_F32 ? F32_from_F64 : d == T_F64 ? F64_from_F32 : NULL;
	return NULL;
}

/* ---- everything ---- */
static uint64_t convert_source(const LaneIns *i, const Lanes *L, int l)
{
	return type_bits[i->type2] == 64 ? ((const Row64u *)lane_row(L, i->a))[l] : row32(L, i->a)[l];
}
static uint64_t low_bits(Type t, uint64_t v)
{
	return type_bits[t] == 64 ? v : v & (((uint64_t)1 << type_bits[t]) - 1);
}

/* Clamps v, a value of integer type `from` extended to 64 bits, to the range of integer type `to`. */
static uint64_t clamp_int(Type to, Type from, uint64_t v)
{
	int bits = type_bits[to];
	bool negative = type_kind[from] == 'S' && (int64_t)v < 0;
	uint64_t most = type_kind[to] == 'S' ? ((uint64_t)1 << (bits - 1)) - 1 : ~(uint64_t)0 >> (64 - bits);
	if (negative)
		return type_kind[to] != 'S' ? 0 : (int64_t)v < -(int64_t)most - 1 ? 0 - most - 1 : v;
	return v > most ? most : v;
}

static uint64_t from_float(const LaneIns *i, uint64_t v)
{
	Type to = (Type)i->type, from = (Type)i->type2;
	Rnd r = (Rnd)i->rnd;
	v = low_bits(from, v);
	if (i->ftz && from == T_F32)
		v = soft_flush(from, v);
	if (type_kind[to] != 'F')
		return soft_to_int(to, from, v, r);
	if (r >= RND_RNI)
		v = soft_integral(from, v, r);
	v = soft_convert(to, from, v, r >= RND_RNI ? RND_RN : r);
	if (i->ftz && to == T_F32)
		v = soft_flush(to, v);
	return i->sat ? soft_saturate(to, v) : v;
}

static uint64_t from_int(const LaneIns *i, uint64_t v)
{
	Type to = (Type)i->type, from = lane_plain((Type)i->type2);
	v = lane_extend(from, v);
	if (type_kind[to] != 'F')
		return i->sat ? clamp_int(to, from, v) : v;
	bool negative = type_kind[from] == 'S' && (int64_t)v < 0;
	v = soft_from_int(to, negative, negative ? 0 - v : v, (Rnd)i->rnd);
	return i->sat ? soft_saturate(to, v) : v;
}

static void convert_any(const LaneIns *i, Lanes *L, Mask m)
{
	for (Mask k = m; k; k &= k - 1) {
		int l = __builtin_ctzll(k);
		uint64_t v = convert_source(i, L, l);
		v = type_kind[i->type2] == 'F' ? from_float(i, v) : from_int(i, v);
		if (type_bits[i->type] == 64)
			((Row64u *)lane_row(L, i->d))[l] = v;
		else
			row32(L, i->d)[l] = (uint32_t)lane_extend((Type)i->type, low_bits((Type)i->type, v));
	}
}

LaneFn *LANE(lane_cvt)(const Ins *i)
{
	Type d = lane_plain(i->type), s = lane_plain(i->type2);
	if (i->op != OP_CVT || !type_bits[d] || !type_bits[s] || d == T_PRED || s == T_PRED)
		return NULL;
	bool to_float = type_kind[d] == 'F', from_float_ = type_kind[s] == 'F', plain = !i->sat && !i->ftz;
	if (!from_float_ && (to_float ? i->rnd > RND_RP : i->rnd != RND_NONE))
		return NULL;
	bool to_nearest = i->rnd <= RND_RN;
	if (!to_float && !from_float_)
		return i->sat ? convert_any : int_int[d][s];
	if (plain && to_nearest && !from_float_ && d == T_F32)
		return int_f32[s];
	if (plain && to_nearest && !from_float_ && d == T_F64)
		return int_f64[s];
	if (from_float_ && common_float(i, d, s))
		return common_float(i, d, s);
	return convert_any;
}
