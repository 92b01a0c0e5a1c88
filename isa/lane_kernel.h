/* How lane functions are made. Only isa/lane_*.c include this. These files are compiled once for every host
 * and, on x86-64, once more for hosts with AVX2 and FMA (LANE_V3). Both copies give the same bits. */
#ifndef GSIM_LANE_KERNEL_H
#define GSIM_LANE_KERNEL_H
#if defined(__GNUC__) && !defined(__clang__)
/* if there is a copy for AVX2, the other one is for hosts from before 2013 only: it is built in half the
   time, and not vectorised */
#if defined(HAVE_LANE_V3) && !defined(LANE_V3)
#pragma GCC optimize ("O1", "fp-contract=off")
#else
#pragma GCC optimize ("O3", "fp-contract=off")
#endif
#define IVDEP _Pragma("GCC ivdep")
#else
#pragma clang diagnostic ignored "-Wpass-failed" /* clang would warn of loops that it cannot vectorise */
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#endif
#include "isa/lane.h"

#ifdef LANE_V3
#define LANE(NAME) NAME##_v3
#else
#define LANE(NAME) NAME##_base
#endif

/* The sets of functions, one per file. Each has a function that returns the lane function for an instruction;
   NULL: the set has none for it. */
#define LANE_SETS(X) X(lane_int) X(lane_bits) X(lane_move) X(lane_compare) X(lane_f32) X(lane_f64) X(lane_cvt)
#define X(SET) LaneFn *SET##_base(const Ins *), *SET##_v3(const Ins *);
LANE_SETS(X)
#undef X
/* isa/lane_access.c, for the functions of isa/lane.h */
#define LANE_ACCESSES(V) \
	bool lane_consecutive_##V(const Lanes *, uint32_t row, bool wide, Mask, unsigned size); \
	void lane_load_##V(const Lanes *, uint32_t row, bool wide, Mask, const void *at); \
	bool lane_store_##V(const Lanes *, uint32_t row, bool wide, Mask, void *at); \
	bool lane_gather_##V(const Lanes *, const LaneArea *, Mask); \
	bool lane_scatter_##V(const Lanes *, const LaneArea *, Mask, bool *changed);
LANE_ACCESSES(base)
LANE_ACCESSES(v3)
#undef LANE_ACCESSES

/* For each type: CT the value, RT an element of its row (rows of 64-bit values may be aligned to 4 bytes
 * only), UT an unsigned type in which integer arithmetic does not overflow into undefined behaviour, WT twice
 * as wide. */
typedef uint64_t Row64u __attribute__((aligned(4), may_alias));
typedef int64_t Row64s __attribute__((aligned(4), may_alias));
typedef double Row64f __attribute__((aligned(4), may_alias));
typedef uint32_t Row32u __attribute__((may_alias));
typedef int32_t Row32s __attribute__((may_alias));
typedef float Row32f __attribute__((may_alias));
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;
typedef uint8_t CT_U8;   typedef Row32u RT_U8;   typedef uint32_t UT_U8;   typedef int64_t WT_U8;
typedef int8_t CT_S8;    typedef Row32s RT_S8;   typedef uint32_t UT_S8;   typedef int64_t WT_S8;
typedef uint16_t CT_U16; typedef Row32u RT_U16;  typedef uint32_t UT_U16;  typedef uint32_t WT_U16;
typedef int16_t CT_S16;  typedef Row32s RT_S16;  typedef uint32_t UT_S16;  typedef int32_t WT_S16;
typedef uint32_t CT_U32; typedef Row32u RT_U32;  typedef uint32_t UT_U32;  typedef uint64_t WT_U32;
typedef int32_t CT_S32;  typedef Row32s RT_S32;  typedef uint32_t UT_S32;  typedef int64_t WT_S32;
typedef uint64_t CT_U64; typedef Row64u RT_U64;  typedef uint64_t UT_U64;  typedef u128 WT_U64;
typedef int64_t CT_S64;  typedef Row64s RT_S64;  typedef uint64_t UT_S64;  typedef s128 WT_S64;
typedef float CT_F32;    typedef Row32f RT_F32;
typedef double CT_F64;   typedef Row64f RT_F64;
typedef uint16_t CT_F16; typedef Row32u RT_F16;
typedef uint32_t HT_U16, HT_S16, UW_U16, UW_S16; /* UW: unsigned, of WT's width */
typedef uint64_t UW_U32, UW_S32;
typedef u128 UW_U64, UW_S64;
#define BITS_U8 8
#define BITS_S8 8
#define BITS_U16 16
#define BITS_S16 16
#define BITS_U32 32
#define BITS_S32 32
#define BITS_U64 64
#define BITS_S64 64

#define INT_TYPES(X) X(U16) X(S16) X(U32) X(S32) X(U64) X(S64)
#define UINT_TYPES(X) X(U16) X(U32) X(U64)
#define SINT_TYPES(X) X(S16) X(S32) X(S64)

static inline void *lane_row(const Lanes *L, uint32_t r) { return row32(L, r); }
static inline Mask lane_pred(const Lanes *L, uint32_t r, bool neg)
{
	Mask p = r == NO_ROW ? ~(Mask)0 : L->pred[r];
	return neg ? ~p : p;
}
static inline void lane_set_pred(Lanes *L, uint32_t r, Mask m, Mask bits)
{
	if (r != NO_ROW)
		L->pred[r] = (L->pred[r] & ~m) | (bits & m);
}

/* The bit of each lane in a mask, as data, so that the compiler turns a test of a mask into vector
   compares. */
static const uint32_t lane_bit32[32] = {
	1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
		1u << 11,
	1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
		1u << 22,
	1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31
};
static const uint64_t lane_bit64[32] __attribute__((unused)) = {
	1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
		1u << 11,
	1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
		1u << 22,
	1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31
};

/* d[l] = EXPR for the lanes of m. A destination row is one of the source rows or disjoint from them, so lanes
 * may be computed in any order. Where the width is a multiple of 32, inactive lanes are computed too and
 * dropped: EXPR must be harmless on any bits. EACH_SPARSE visits active lanes only: for costly or vectorless
 * expressions. */
#define EACH(EXPR) do { \
	if (L->width == 32 && m == 0xffffffffu) { \
		IVDEP for (int l = 0; l < 32; l++) \
			d[l] = (EXPR); \
	} else if (!(L->width & 31) && (m & (m - 1))) { \
		for (int o_ = 0; o_ < L->width; o_ += 32) { \
			uint32_t k_ = (uint32_t)(m >> o_); \
			IVDEP for (int t_ = 0; t_ < 32; t_++) { \
				int l = o_ + t_; \
				__typeof__(d[0] + 0) v_ = (EXPR), w_ = d[l]; \
				d[l] = (k_ & lane_bit32[t_]) ? v_ : w_; \
			} \
		} \
	} else { \
		EACH_SPARSE(EXPR); \
	} \
} while (0)
#define EACH_SPARSE(EXPR) do { \
	for (Mask k_ = m; k_; k_ &= k_ - 1) { \
		int l = __builtin_ctzll(k_); \
		d[l] = (EXPR); \
	} \
} while (0)

/* Puts the lanes for which COND holds into the mask `bits`; the bits of lanes outside m mean nothing. T: the
 * type compared, which decides how wide the vectors are. */
#define COLLECT(T, COND) do { \
	if (!(L->width & 31) && (m & (m - 1))) { \
		for (int o_ = 0; o_ < L->width; o_ += 32) \
			COLLECT_##T(COND); \
	} else { \
		for (Mask k_ = m; k_; k_ &= k_ - 1) { \
			int l = __builtin_ctzll(k_); \
			bits |= (Mask)(COND) << l; \
		} \
	} \
} while (0)
#define COLLECT_BLOCK(UT, BIT, COND) { \
	UT acc_ = 0; \
	IVDEP for (int t_ = 0; t_ < 32; t_++) { \
		int l = o_ + t_; \
		acc_ |= (COND) ? BIT[t_] : 0; \
	} \
	bits |= (Mask)acc_ << o_; \
}
#define COLLECT_U16(COND) COLLECT_BLOCK(uint32_t, lane_bit32, COND)
#define COLLECT_S16 COLLECT_U16
#define COLLECT_U32 COLLECT_U16
#define COLLECT_S32 COLLECT_U16
#define COLLECT_F32 COLLECT_U16
#define COLLECT_U64(COND) COLLECT_BLOCK(uint64_t, lane_bit64, COND)
#define COLLECT_S64 COLLECT_U64
#define COLLECT_F64 COLLECT_U64

/* Functions of one, two and three value sources; in EXPR A, B and C are the sources' values in lane l. */
#define A ((CTA)a[l])
#define B ((CTB)b[l])
#define C ((CTC)c[l])
#define K1X(HOW, NAME, D, TA, EXPR) \
static void NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	typedef CT_##TA CTA; \
	RT_##D *d = lane_row(L, i->d); \
	const RT_##TA *a = lane_row(L, i->a); \
	HOW((CT_##D)(EXPR)); \
}
#define K2X(HOW, NAME, D, TA, TB, EXPR) \
static void NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	typedef CT_##TA CTA; \
	typedef CT_##TB CTB; \
	RT_##D *d = lane_row(L, i->d); \
	const RT_##TA *a = lane_row(L, i->a); \
	const RT_##TB *b = lane_row(L, i->b); \
	HOW((CT_##D)(EXPR)); \
}
#define K3X(HOW, NAME, D, TA, TB, TC, EXPR) \
static void NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	typedef CT_##TA CTA; \
	typedef CT_##TB CTB; \
	typedef CT_##TC CTC; \
	RT_##D *d = lane_row(L, i->d); \
	const RT_##TA *a = lane_row(L, i->a); \
	const RT_##TB *b = lane_row(L, i->b); \
	const RT_##TC *c = lane_row(L, i->c); \
	HOW((CT_##D)(EXPR)); \
}
#define K1(...) K1X(EACH, __VA_ARGS__)
#define K2(...) K2X(EACH, __VA_ARGS__)
#define K3(...) K3X(EACH, __VA_ARGS__)
#define K1S(...) K1X(EACH_SPARSE, __VA_ARGS__)
#define K2S(...) K2X(EACH_SPARSE, __VA_ARGS__)
#define K3S(...) K3X(EACH_SPARSE, __VA_ARGS__)

/* The type by which tables of functions are indexed: b types count as u types. */
static inline Type lane_plain(Type t)
{
	return t == T_B8 ? T_U8 : t == T_B16 ? T_U16 : t == T_B32 ? T_U32 : t == T_B64 ? T_U64 : t;
}
#endif
