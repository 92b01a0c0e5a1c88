/* Lane functions of setp, set and testp. */
#include "isa/lane_kernel.h"

/* Writes the results of setp: the first destination gets the comparison, the second its negation, each
   combined with the third source. i->mode is the instruction's BoolOp. The function is always inlined: before
   a tail call gcc 12 leaves the upper halves of vector registers in use, which makes the instructions that
   come next in code for the baseline slow, on some hosts by 100 ns. */
static inline __attribute__((always_inline)) void finish_setp(const LaneIns *i, Lanes *L, Mask m, Mask bits)
{
	Mask no = ~bits;
	if (i->mode != BOOL_NONE) {
		Mask c = lane_pred(L, i->c, i->neg & NEG_C);
		bits = i->mode == BOOL_AND ? bits & c : i->mode == BOOL_OR ? bits | c : bits ^ c;
		no = i->mode == BOOL_AND ? no & c : i->mode == BOOL_OR ? no | c : no ^ c;
	}
	lane_set_pred(L, i->d, m, bits);
	lane_set_pred(L, i->d2, m, no);
}

static inline float ftz(float x) { return __builtin_fabsf(x) < 0x1p-126f ? 0.0f : x; }
#define ID(X) (X)

/* setp_NAME gives predicates; set_NAME gives 1.0 (f32) or all ones where COND holds, else 0. F is applied to
   both operands before they are compared. */
#define COMPARE(NAME, T, F, COND) \
static void setp_##NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	typedef CT_##T V; \
	const RT_##T *a = lane_row(L, i->a), *b = lane_row(L, i->b); \
	Mask bits = 0; \
	COLLECT(T, ({ V x = F((V)a[l]), y = F((V)b[l]); (COND); })); \
	finish_setp(i, L, m, bits); \
} \
static void set_##NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	typedef CT_##T V; \
	RT_U32 *d = lane_row(L, i->d), yes = i->type == T_F32 ? 0x3f800000u : ~0u; \
	const RT_##T *a = lane_row(L, i->a), *b = lane_row(L, i->b); \
	EACH_SPARSE(({ V x = F((V)a[l]), y = F((V)b[l]); (COND) ? yes : 0; })); \
}
#define COMPARE_INT(T) \
	COMPARE(EQ_##T, T, ID, x == y) COMPARE(NE_##T, T, ID, x != y) COMPARE(LT_##T, T, ID, x < y) \
	COMPARE(LE_##T, T, ID, x <= y) COMPARE(GT_##T, T, ID, x > y) COMPARE(GE_##T, T, ID, x >= y)
#define ORDERED (x == x && y == y)
#define COMPARE_FLOAT(N, T, F) \
	COMPARE(EQ_##N, T, F, x == y) COMPARE(NE_##N, T, F, x < y || x > y) COMPARE(LT_##N, T, F, x < y) \
	COMPARE(LE_##N, T, F, x <= y) COMPARE(GT_##N, T, F, x > y) COMPARE(GE_##N, T, F, x >= y) \
	COMPARE(EQU_##N, T, F, !(x < y || x > y)) COMPARE(NEU_##N, T, F, x != y) COMPARE(LTU_##N, T, F, \
		!(x >= y)) \
	COMPARE(LEU_##N, T, F, !(x > y)) COMPARE(GTU_##N, T, F, !(x <= y)) COMPARE(GEU_##N, T, F, !(x < y)) \
	COMPARE(NUM_##N, T, F, ORDERED) COMPARE(NAN_##N, T, F, !ORDERED)
INT_TYPES(COMPARE_INT)
COMPARE_FLOAT(F32, F32, ID)
COMPARE_FLOAT(FTZ, F32, ftz)
COMPARE_FLOAT(F64, F64, ID)

typedef LaneFn *ByCompare[CMP_NAN + 1];
/* Comparisons with unsigned names (lo ls hi hs) compare unsigned, whatever the type is. */
#define INT_ROW(P, T, UT) { [CMP_EQ] = P##_EQ_##T, [CMP_NE] = P##_NE_##T, [CMP_LT] = P##_LT_##T, \
	[CMP_LE] = P##_LE_##T, \
	[CMP_GT] = P##_GT_##T, [CMP_GE] = P##_GE_##T, [CMP_LO] = P##_LT_##UT, [CMP_LS] = P##_LE_##UT, \
	[CMP_HI] = P##_GT_##UT, [CMP_HS] = P##_GE_##UT }
#define FLOAT_ROW(P, N) { [CMP_EQ] = P##_EQ_##N, [CMP_NE] = P##_NE_##N, [CMP_LT] = P##_LT_##N, \
	[CMP_LE] = P##_LE_##N, \
	[CMP_GT] = P##_GT_##N, [CMP_GE] = P##_GE_##N, [CMP_EQU] = P##_EQU_##N, [CMP_NEU] = P##_NEU_##N, \
	[CMP_LTU] = P##_LTU_##N, [CMP_LEU] = P##_LEU_##N, [CMP_GTU] = P##_GTU_##N, [CMP_GEU] = P##_GEU_##N, \
	[CMP_NUM] = P##_NUM_##N, [CMP_NAN] = P##_NAN_##N }
#define ROWS(P) { [T_U16] = INT_ROW(P, U16, U16), [T_S16] = INT_ROW(P, S16, U16), \
	[T_U32] = INT_ROW(P, U32, U32), \
	[T_S32] = INT_ROW(P, S32, U32), [T_U64] = INT_ROW(P, U64, U64), [T_S64] = INT_ROW(P, S64, U64), \
	[T_F32] = FLOAT_ROW(P, F32), [T_F64] = FLOAT_ROW(P, F64), \
	[T_NONE] = FLOAT_ROW(P, FTZ) /* stands for f32 with .ftz */ }
static const ByCompare setp[T_COUNT] = ROWS(setp), set[T_COUNT] = ROWS(set);

/* ---- testp; zeros count as normal (PTX ISA) ---- */
#define TEST(NAME, T, U, COND) \
static void testp_##NAME##_##T(const LaneIns *i, Lanes *L, Mask m) \
{ \
	const RT_##U *a = lane_row(L, i->a); \
	Mask bits = 0; \
	COLLECT(U, ({ U##V x = a[l] << 1; (COND); })); /* without the sign */ \
	lane_set_pred(L, i->d, m, bits); \
}
typedef uint32_t U32V;
typedef uint64_t U64V;
#define TESTS(T, U, INF, NORMAL) \
	TEST(finite, T, U, x < INF) TEST(infinite, T, U, x == INF) TEST(number, T, U, x <= INF) \
	TEST(notanumber, T, U, x > INF) TEST(normal, T, U, x < INF && (x >= NORMAL || x == 0)) \
	TEST(subnormal, T, U, x < NORMAL && x != 0)
TESTS(F32, U32, 0xff000000u, 0x01000000u)
TESTS(F64, U64, 0xffe0000000000000u, 0x0020000000000000u)
#define TEST_ROW(T) { testp_finite_##T, testp_infinite_##T, testp_number_##T, testp_notanumber_##T, \
	testp_normal_##T, \
	testp_subnormal_##T }
static LaneFn *const testp[2][6] = { TEST_ROW(F32), TEST_ROW(F64) };

LaneFn *LANE(lane_compare)(const Ins *i)
{
	Type t = lane_plain(i->op == OP_SET ? i->type2 : i->type);
	if (i->op == OP_TESTP)
		return (t == T_F32 || t == T_F64) && i->mode >= MODE_FINITE && i->mode <= MODE_SUBNORMAL
			? testp[t == T_F64][i->mode - MODE_FINITE] : NULL;
	if ((i->op != OP_SETP && i->op != OP_SET) || t == T_NONE)
		return NULL;
	if (i->ftz && t == T_F32)
		t = T_NONE;
	return (i->op == OP_SETP ? setp : set)[t][i->cmp];
}
