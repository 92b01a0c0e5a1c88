/* Lane functions of moves, selections, packing and address spaces. */
#include "isa/lane_kernel.h"
#include "isa/memory.h"

#define MOVE_TYPES(X) X(U8) X(S8) X(U16) X(S16) X(U32) X(U64)
#define X(T) K1(mov_##T, T, T, A)
MOVE_TYPES(X)
#undef X
static void mov_PRED(const LaneIns *i, Lanes *L, Mask m)
{
	lane_set_pred(L, i->d, m, lane_pred(L, i->a, i->neg & NEG_A));
}

/* selp: d = predicate ? a : b */
#define SELECT(T) \
static void selp_##T(const LaneIns *i, Lanes *L, Mask m) \
{ \
	RT_##T *d = lane_row(L, i->d); \
	const RT_##T *a = lane_row(L, i->a), *b = lane_row(L, i->b); \
	Mask p = lane_pred(L, i->c, i->neg & NEG_C); \
	uint32_t pa = (uint32_t)(p & m), pb = (uint32_t)(~p & m); \
	if (L->width == 32 && m == 0xffffffffu) { \
		IVDEP for (int l = 0; l < 32; l++) { \
			RT_##T x = a[l], y = b[l]; \
			d[l] = (CT_##T)((pa & lane_bit32[l]) ? x : y); \
		} \
	} else if (L->width == 32 && (m & (m - 1))) { \
		IVDEP for (int l = 0; l < 32; l++) { \
			RT_##T x = (CT_##T)a[l], y = (CT_##T)b[l], z = d[l]; \
			d[l] = (pa & lane_bit32[l]) ? x : (pb & lane_bit32[l]) ? y : z; \
		} \
	} else { \
		EACH_SPARSE((CT_##T)(p >> l & 1 ? a[l] : b[l])); \
	} \
}
MOVE_TYPES(SELECT)
static void selp_PRED(const LaneIns *i, Lanes *L, Mask m)
{
	Mask p = lane_pred(L, i->c, i->neg & NEG_C);
	Mask x = lane_pred(L, i->a, i->neg & NEG_A), y = lane_pred(L, i->b, i->neg & NEG_B);
	lane_set_pred(L, i->d, m, (p & x) | (~p & y));
}

#define BY_WIDTH(NAME) { [T_U8] = NAME##_U8, [T_S8] = NAME##_S8, [T_U16] = NAME##_U16, [T_S16] = NAME##_S16, \
	[T_F16] = NAME##_U16, [T_U32] = NAME##_U32, [T_S32] = NAME##_U32, [T_F32] = NAME##_U32, \
	[T_U64] = NAME##_U64, \
	[T_S64] = NAME##_U64, [T_F64] = NAME##_U64, [T_PRED] = NAME##_PRED }
static LaneFn *const mov[T_COUNT] = BY_WIDTH(mov), *const selp[T_COUNT] = BY_WIDTH(selp);

/* ---- slct: d = c >= 0 ? a : b; where c is a NaN, d = b ---- */
#define SLCT(T) \
	K3(slct_##T##_S32, T, T, T, S32, C >= 0 ? A : B) \
	K3(slct_##T##_F32, T, T, T, F32, C >= 0 ? A : B) \
	K3(slct_##T##_FTZ, T, T, T, F32, C > -0x1p-126f ? A : B)
SLCT(U16) SLCT(S16) SLCT(U32) SLCT(U64)
#define SLCT_ROW(HOW) { [T_U16] = slct_U16_##HOW, [T_S16] = slct_S16_##HOW, [T_U32] = slct_U32_##HOW, \
	[T_S32] = slct_U32_##HOW, [T_F32] = slct_U32_##HOW, [T_U64] = slct_U64_##HOW, \
	[T_S64] = slct_U64_##HOW, \
	[T_F64] = slct_U64_##HOW }
static LaneFn *const slct[3][T_COUNT] = { SLCT_ROW(S32), SLCT_ROW(F32), SLCT_ROW(FTZ) };

/* ---- pack and unpack; the parts are equally wide ---- */
static inline uint64_t any_get(const Lanes *L, uint32_t r, int bits, int l)
{
	return bits == 64 ? ((const Row64u *)lane_row(L, r))[l]
		: row32(L, r)[l] & (uint32_t)(((uint64_t)1 << bits) - 1);
}
static inline void any_set(Lanes *L, uint32_t r, int bits, int l, uint64_t v)
{
	if (bits == 64)
		((Row64u *)lane_row(L, r))[l] = v;
	else
		row32(L, r)[l] = (uint32_t)(v & (((uint64_t)1 << bits) - 1));
}
static void pack(const LaneIns *i, Lanes *L, Mask m)
{
	int bits = type_bits[i->type], part = bits / i->nrows;
	for (Mask k = m; k; k &= k - 1) {
		int l = __builtin_ctzll(k);
		uint64_t v = 0;
		for (int n = 0; n < i->nrows; n++)
			v |= any_get(L, i->rows[n], part, l) << (n * part);
		any_set(L, i->d, bits, l, v);
	}
}
static void unpack_lanes(const LaneIns *i, Lanes *L, Mask m)
{
	int bits = type_bits[i->type], part = bits / i->nrows;
	for (Mask k = m; k; k &= k - 1) {
		int l = __builtin_ctzll(k);
		uint64_t v = any_get(L, i->a, bits, l);
		for (int n = 0; n < i->nrows; n++)
			if (i->rows[n] != NO_ROW)
				any_set(L, i->rows[n], part, l, v >> (n * part));
	}
}

/* ---- generic addresses (isa/memory.h) ---- */
K1(from_shared, U64, U64, A + SHARED_WINDOW)
K1(from_local, U64, U64, A + LOCAL_WINDOW)
K1(to_shared, U64, U64, A - SHARED_WINDOW)
K1(to_local, U64, U64, A - LOCAL_WINDOW)

static LaneFn *cvta(const Ins *i)
{
	bool to = i->flags & INSF_TO, wide = type_bits[i->type] == 64;
	if (type_bits[i->type] < 32 || i->space == SP_GENERIC)
		return NULL;
	/* the low half of a window's address is 0, so a 32-bit address stays as it is */
	if (!wide || (i->space != SP_SHARED && i->space != SP_LOCAL))
		return wide ? mov_U64 : mov_U32;
	return i->space == SP_SHARED ? (to ? to_shared : from_shared) : (to ? to_local : from_local);
}

#define LIES_IN(NAME, COND) \
static void in_##NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	const RT_U64 *a = lane_row(L, i->a); \
	Mask bits = 0; \
	COLLECT(U64, COND); \
	lane_set_pred(L, i->d, m, bits); \
}
LIES_IN(shared, a[l] - SHARED_WINDOW < WINDOW_SIZE)
LIES_IN(local, a[l] - LOCAL_WINDOW < WINDOW_SIZE)
LIES_IN(global, a[l] - SHARED_WINDOW >= WINDOW_SIZE && a[l] - LOCAL_WINDOW >= WINDOW_SIZE)
static LaneFn *isspacep(const Ins *i)
{
	return i->space == SP_SHARED ? in_shared : i->space == SP_LOCAL ? in_local
		: i->space == SP_GENERIC ? NULL : in_global;
}

LaneFn *LANE(lane_move)(const Ins *i)
{
	Type t = lane_plain(i->type), t2 = lane_plain(i->type2);
	switch (i->op) {
	case OP_MOV: return mov[t];
	case OP_SELP: return selp[t];
	case OP_SLCT: return t2 == T_S32 ? slct[0][t] : t2 == T_F32 ? slct[i->ftz ? 2 : 1][t] : NULL;
	case OP_PACK: return i->nsrc && type_bits[t] % i->nsrc == 0 ? pack : NULL;
	case OP_UNPACK: return i->ndst && type_bits[t] % i->ndst == 0 ? unpack_lanes : NULL;
	case OP_CVTA: return cvta(i);
	case OP_ISSPACEP: return isspacep(i);
	default: return NULL;
	}
}
