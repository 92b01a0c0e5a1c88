/* Lane functions against tests/lane_reference.c: every combination of operation, types and modifiers that lane_fn knows. */
#include "tests/lane_reference.h"
#include "isa/mnemonic.h"
#include "isa/softmath.h"
#include "lib/strbuf.h"
#include <check.h>
#include <math.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define SETS(X) X(lane_int) X(lane_bits) X(lane_move) X(lane_compare) X(lane_f32) X(lane_f64) X(lane_cvt)
#define X(SET) LaneFn *SET##_base(const Ins *);
SETS(X)
#undef X

/* ---- operands ---- */
static uint64_t state = 88172645463325252u;
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static const uint64_t corner[] = { 0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
	0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x100000000,
	0x10000000000, 0x10000000008, 0x20000000000, 0x100000000000 };
static const uint32_t corner32[] = { 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
	0xffc01234, 1, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3fc00000,
	0x40200000, 0xbf000000, 0x4b000000, 0x4b000001, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000,
	0x5f800000, 0x33800000, 0x34000000, 0x7f000000, 0x7e800000, 0x477fe000, 0x477ff000, 0x33000000, 0x38800000, 0x387fc000 };
static const uint64_t corner64[] = { 0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 1, 0x8000000000000001, 0x000fffffffffffff,
	0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000,
	0x4330000000000000, 0x4330000000000001, 0x43e0000000000000, 0xc3e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
	0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x47efffffe0000000,
	0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x380fffffe0000000, 0x380ffffff0000000, 0x7fdfffffffffffff };
#define PICK(T) T[next() % (sizeof T / sizeof *T)]

static uint64_t operand(int t, int k)
{
	uint64_t r = next(), v;
	bool rare = r % 3 == 0;
	r = next();
	switch (t) {
	case T_F32:
		if (rare)
			return (next() << 32) | PICK(corner32);
		/* exponents near each other, so that sums cancel; bits above the value mean nothing */
		return r % 4 ? (r & ~(uint64_t)0x7f800000) | (uint64_t)(127 + next() % 40 - 20) << 23 : r;
	case T_F64:
		if (rare)
			return PICK(corner64);
		return r % 4 ? (r & 0x800fffffffffffff) | (uint64_t)(1023 + next() % 80 - 40) << 52 : r;
	default:
		v = rare ? PICK(corner) : k > 0 && r % 2 ? next() % 70 : next() >> (next() & 63);
		return r % 5 == 0 ? 0 - v : v;
	}
}

/* ---- running one instruction on lanes ---- */
enum { LANES = 64, ROW = 2 * LANES, SOURCES = 8 };

typedef struct Setup {
	const Ins *ins;
	uint64_t src[SOURCES][LANES];
	Mask cc;
	LaneFn *fn;             /* instead of what lane_bind chose, or NULL */
	bool in_place;          /* destination = first source */
} Setup;

static const char *name_of(const Ins *i)
{
	static StrBuf sb;
	sb.n = 0;
	mnemonic_print(i, &sb);
	return sb.s;
}

static int src_type(const Ins *i, int k) { return i->op == OP_PACK ? (type_bits[i->type] / i->nsrc == 32 ? T_U32 : T_U16) : (int)ins_src_type(i, k); }
static int dst_type(const Ins *i, int k) { return i->op == OP_UNPACK ? (type_bits[i->type] / i->ndst == 32 ? T_U32 : T_U16) : (int)ins_dst_type(i, k); }

static void put(uint32_t *row, int t, int l, uint64_t v)
{
	if (type_bits[t] == 64)
		memcpy(row + 2 * l, &v, 8);
	else
		row[l] = (uint32_t)v;
}
static uint64_t get(const uint32_t *row, int t, int l)
{
	uint64_t v = row[l];
	if (type_bits[t] == 64)
		memcpy(&v, row + 2 * l, 8);
	return v;
}

static bool close_enough(uint64_t got, uint64_t want, int ulps)
{
	if (got == want)
		return true;
	int64_t x = (int32_t)got, y = (int32_t)want;
	return ulps && (x < 0) == (y < 0) && x - y <= ulps && y - x <= ulps && (got & 0x7f800000) != 0x7f800000;
}

/* ---- vectors' upper halves ---- */

/* Whether one is not 0 (XINUSE bit 2: Intel SDM vol. 1, 13.6); false also where the host does not tell. */
#ifdef __x86_64__
static bool in_use(void)
{
	uint32_t a, d;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
	return a >> 2 & 1;
}

static bool upper_halves_in_use(void)
{
	static int tells = -1;
	if (tells < 0) {
		unsigned a = 0, b, c, d;
		tells = __builtin_cpu_supports("avx") && __get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 4;
	}
	if (!tells || !in_use())
		return false;
	__asm__ volatile("vzeroupper" ::: "memory");
	tells = !in_use(); /* a host may say so for good */
	return tells;
}
#else
static bool upper_halves_in_use(void) { return false; }
#endif

/* Runs and compares: lanes of the mask as expected, the others as they were. */
static void run(const Setup *s, int width, Mask mask)
{
	static uint32_t bank[20 * ROW] __attribute__((aligned(64)));
	const Ins *i = s->ins;
	Mask pred[20] = { 0 };
	LaneIns li;
	uint32_t rows[8], *slot[4] = { &li.a, &li.b, &li.c, &li.e };
	ck_assert(lane_bind(NULL, i, &li));
	if (s->fn)
		li.fn = s->fn;
	size_t used = sizeof *bank * 20 * 2 * (size_t)width;
	memset(bank, 0xab, used);
	for (int k = 0; k < i->nsrc; k++) {
		bool p = src_type(i, k) == T_PRED;
		for (int l = 0; l < width; l++) {
			if (p)
				pred[k] |= (s->src[k][l] & 1) << l;
			else
				put(bank + k * 2 * width, src_type(i, k), l, s->src[k][l]);
		}
		if (k < 4)
			*slot[k] = (uint32_t)(p ? k : k * 2 * width);
		rows[k] = (uint32_t)(k * 2 * width);
	}
	bool to_pred = dst_type(i, 0) == T_PRED;
	uint32_t d = s->in_place ? 0 : 9;
	li.d = to_pred ? d : d * 2 * (uint32_t)width;
	if (i->op == OP_SETP)
		li.d2 = 10;
	if (i->op == OP_UNPACK)
		for (int k = 0; k < i->ndst; k++)
			rows[k] = (9 + (uint32_t)k) * 2 * (uint32_t)width;
	li.rows = rows;
	li.nrows = i->op == OP_PACK ? i->nsrc : i->ndst;
	static uint32_t before[20 * ROW];
	Mask pred_before[20];
	memcpy(before, bank, used);
	memcpy(pred_before, pred, sizeof pred);
	Lanes lanes = { { bank, bank }, pred, s->cc, width };
	upper_halves_in_use(); /* clears them */
	li.fn(&li, &lanes, mask);
	ck_assert_msg(!upper_halves_in_use(), "%s: width %d mask %#llx leaves the upper halves of vectors in use", name_of(i), width,
		(unsigned long long)mask);
	for (int l = 0; l < width; l++) {
		uint64_t src[SOURCES];
		Expected e;
		for (int k = 0; k < i->nsrc; k++)
			src[k] = s->src[k][l];
		for (int k = i->nsrc; k < SOURCES; k++)
			src[k] = 0;
		bool known = lane_expect(i, src, s->cc >> l & 1, &e), active = mask >> l & 1;
		ck_assert_msg(known, "%s: not in the reference", name_of(i));
		for (int k = 0; k < (i->op == OP_UNPACK ? i->ndst : 1 + (i->op == OP_SETP)); k++) {
			uint64_t at = (d + (uint32_t)k) * 2 * (uint32_t)width;
			uint64_t got = to_pred ? pred[d + k] >> l & 1 : get(bank + at, dst_type(i, k), l);
			uint64_t want = active ? e.d[k] : to_pred ? pred_before[d + k] >> l & 1 : get(before + at, dst_type(i, k), l);
			ck_assert_msg(close_enough(got, want, active ? e.ulps : 0),
				"%s: width %d mask %#llx lane %d%s of %#llx %#llx %#llx %#llx cc %d: %#llx, not %#llx", name_of(i), width,
				(unsigned long long)mask, l, s->fn ? " (plain)" : "", (unsigned long long)src[0], (unsigned long long)src[1],
				(unsigned long long)src[2], (unsigned long long)src[3], (int)(s->cc >> l & 1), (unsigned long long)got,
				(unsigned long long)want);
		}
		bool carry = active && i->cc ? e.carry : s->cc >> l & 1;
		ck_assert_msg((lanes.cc >> l & 1) == carry, "%s: carry of lane %d is %d", name_of(i), l, !carry);
	}
}

static void exercise(const Ins *i, int rounds)
{
	Setup s = { .ins = i };
	LaneFn *plain = NULL;
#define X(SET) plain = plain ? plain : SET##_base(i);
	SETS(X)
#undef X
	ck_assert_ptr_nonnull(plain);
	for (int r = 0; r < rounds; r++) {
		for (int k = 0; k < i->nsrc; k++)
			for (int l = 0; l < LANES; l++)
				s.src[k][l] = i->op == OP_LOP3 && k == 3 ? (l ? s.src[k][0] : next() & 255) : operand(src_type(i, k), k);
		s.cc = next();
		static const int widths[] = { 32, 64, 4, 1, 5 };
		int w = widths[r % 5];
		Mask all = ~(Mask)0 >> (64 - w), masks[] = { all, next() & all, (Mask)1 << (next() % (unsigned)w), next() & next() & all };
		for (int m = 0; m < 4; m++) {
			s.fn = NULL;
			run(&s, w, masks[m]);
			s.fn = plain;
			run(&s, w, masks[m]);
		}
		bool same = i->op != OP_UNPACK && i->op != OP_PACK && type_bits[dst_type(i, 0)] == type_bits[src_type(i, 0)]
			&& dst_type(i, 0) != T_PRED;
		if (same) {
			s.in_place = true;
			s.fn = NULL;
			run(&s, w, masks[r & 1]);
			s.in_place = false;
		}
	}
}

/* ---- every combination ---- */
typedef struct Count { int tested, refused; } Count;

/* A sanitised build is twenty times slower. */
#if defined(__SANITIZE_ADDRESS__)
enum { FEW = 1, MORE = 2 };
#else
enum { FEW = 5, MORE = 10 };
#endif

static void combination(Ins *i, Count *n)
{
	Opd opd[16] = { { 0 } };
	i->opd = opd;
	if (!lane_fn(i)) {
		n->refused++;
		return;
	}
	n->tested++;
	exercise(i, i->op == OP_SETP || i->op == OP_SET || i->op == OP_CVT ? FEW : MORE);
}

static bool has(Op op, char group) { return strchr(op_info[op].suffixes, group) != NULL; }
static int operands(const char *s) { int n = 0; for (; *s && *s != ':'; s++) n += *s != '?'; return n; }

static void modes(Ins *i, Count *n)
{
	Op op = (Op)i->op;
	for (int mode = 0; mode <= (has(op, 'M') ? MODE_SUBNORMAL : 0); mode++)
		for (int mode2 = 0; mode2 <= (has(op, 'W') ? MODE2_SHIFTAMT : 0); mode2++)
			for (int space = 0; space <= (has(op, 'S') ? SP_PARAM : 0); space++)
				for (int to = 0; to <= (has(op, 'T') ? 1 : 0); to++) {
					i->mode = (uint8_t)mode, i->mode2 = (uint8_t)mode2, i->space = (uint8_t)space;
					i->flags = to ? INSF_TO : 0;
					combination(i, n);
				}
}

static void modifiers(Ins *i, Count *n)
{
	Op op = (Op)i->op;
	for (int rnd = 0; rnd <= (has(op, 'r') ? RND_RPI : 0); rnd++)
		for (int ftz = 0; ftz <= has(op, 'f'); ftz++)
			for (int sat = 0; sat <= has(op, 's'); sat++)
				for (int approx = 0; approx <= (has(op, 'x') ? APPROX_FULL : 0); approx++)
					for (int hilo = 0; hilo <= (has(op, 'h') ? HILO_WIDE : 0); hilo++)
						for (int cc = 0; cc <= has(op, 'C'); cc++) {
							i->rnd = (uint8_t)rnd, i->ftz = (uint8_t)ftz, i->sat = (uint8_t)sat;
							i->approx = (uint8_t)approx, i->hilo = (uint8_t)hilo, i->cc = (uint8_t)cc;
							modes(i, n);
						}
}

static void comparisons(Ins *i, Count *n)
{
	Op op = (Op)i->op;
	for (int cmp = 0; cmp <= (has(op, 'c') ? CMP_NAN : 0); cmp++)
		for (int boolop = 0; boolop <= (has(op, 'b') ? BOOL_XOR : 0); boolop++) {
			i->cmp = (uint8_t)cmp, i->boolop = (uint8_t)boolop;
			if (op == OP_SETP)
				i->nsrc = boolop ? 3 : 2;
			modifiers(i, n);
		}
}

static Count all_of(Op op)
{
	Count n = { 0, 0 };
	for (int t = 0; t < T_COUNT; t++) {
		if (op_info[op].types ? !(op_info[op].types >> t & 1) : t != T_NONE)
			continue;
		for (int t2 = 0; t2 < (has(op, '2') ? T_COUNT : 1); t2++) {
			Ins i = { .op = (uint8_t)op, .type = (uint8_t)t, .type2 = (uint8_t)t2, .guard = -1 };
			if (has(op, '2') && (!type_bits[t2] || t2 == T_PRED))
				continue;
			i.ndst = (uint16_t)operands(op_info[op].operands);
			i.nsrc = (uint16_t)operands(strchr(op_info[op].operands, ':') + 1);
			if (op == OP_PACK || op == OP_UNPACK) {
				for (int parts = 2; parts <= 4; parts *= 2) {
					i.ndst = (uint16_t)(op == OP_PACK ? 1 : parts);
					i.nsrc = (uint16_t)(op == OP_PACK ? parts : 1);
					if (type_bits[t] / parts >= 16)
						comparisons(&i, &n);
				}
			} else {
				comparisons(&i, &n);
			}
		}
	}
	return n;
}

START_TEST(every_operation)
{
	Op op = (Op)_i;
	if (op == OP_NONE || op_info[op].kind != K_ALU)
		return;
	state = 88172645463325252u + (uint64_t)op;
	Count n = all_of(op);
	ck_assert_msg(n.tested > 0, "%s: no combination is known", op_info[op].name);
}
END_TEST

/* ---- one value at a time ---- */

START_TEST(atomics)
{
	ck_assert_uint_eq(lane_atomic(AOP_ADD, T_U32, 0xffffffff, 2, 0), 1);
	ck_assert_uint_eq(lane_atomic(AOP_ADD, T_U64, 0xffffffff, 2, 0), 0x100000001);
	ck_assert_uint_eq(lane_atomic(AOP_ADD, T_F32, 0x3f800000, 0x40000000, 0), 0x40400000);
	ck_assert_uint_eq(lane_atomic(AOP_ADD, T_F32, 0x7f800000, 0xff800000, 0), 0x7fffffff);
	ck_assert_uint_eq(lane_atomic(AOP_ADD, T_F32, 0x3f800000, 0x33800000, 0), 0x3f800000); /* 1 + 2^-24: to even */
	ck_assert_uint_eq(lane_atomic(AOP_ADD, T_F64, 0x3ff0000000000000, 0x3ff0000000000000, 0), 0x4000000000000000);
	ck_assert_uint_eq(lane_atomic(AOP_MIN, T_S32, 1, 0xffffffff, 0), 0xffffffff);
	ck_assert_uint_eq(lane_atomic(AOP_MIN, T_U32, 1, 0xffffffff, 0), 1);
	ck_assert_uint_eq(lane_atomic(AOP_MAX, T_S64, 1, ~(uint64_t)0, 0), 1);
	ck_assert_uint_eq(lane_atomic(AOP_MAX, T_U64, 1, ~(uint64_t)0, 0), ~(uint64_t)0);
	ck_assert_uint_eq(lane_atomic(AOP_AND, T_B32, 12, 10, 0), 8);
	ck_assert_uint_eq(lane_atomic(AOP_OR, T_B32, 12, 10, 0), 14);
	ck_assert_uint_eq(lane_atomic(AOP_XOR, T_B64, 12, 10, 0), 6);
	ck_assert_uint_eq(lane_atomic(AOP_EXCH, T_B32, 12, 10, 0), 10);
	ck_assert_uint_eq(lane_atomic(AOP_CAS, T_B32, 12, 12, 5), 5);
	ck_assert_uint_eq(lane_atomic(AOP_CAS, T_B32, 12, 11, 5), 12);
	ck_assert_uint_eq(lane_atomic(AOP_CAS, T_B32, 12, 0xf0000000cu, 5), 5); /* bits above the type mean nothing */
	ck_assert_uint_eq(lane_atomic(AOP_INC, T_U32, 4, 5, 0), 5);
	ck_assert_uint_eq(lane_atomic(AOP_INC, T_U32, 5, 5, 0), 0);
	ck_assert_uint_eq(lane_atomic(AOP_DEC, T_U32, 0, 5, 0), 5);
	ck_assert_uint_eq(lane_atomic(AOP_DEC, T_U32, 6, 5, 0), 5);
	ck_assert_uint_eq(lane_atomic(AOP_DEC, T_U32, 5, 5, 0), 4);
}
END_TEST

START_TEST(extensions)
{
	ck_assert_uint_eq(lane_extend(T_S8, 0x180), (uint64_t)-128);
	ck_assert_uint_eq(lane_extend(T_U8, 0x180), 0x80);
	ck_assert_uint_eq(lane_extend(T_B8, 0x180), 0x80);
	ck_assert_uint_eq(lane_extend(T_S16, 0x8000), (uint64_t)-32768);
	ck_assert_uint_eq(lane_extend(T_F16, 0xffff8000), 0x8000);
	ck_assert_uint_eq(lane_extend(T_S32, 0xf80000000), 0xffffffff80000000);
	ck_assert_uint_eq(lane_extend(T_U64, 0xf80000000), 0xf80000000);
}
END_TEST

START_TEST(shuffle_sources)
{
	static const struct { Mode mode; int lane; uint32_t b, c; int from; bool in; } cases[] = {
		{ MODE_UP, 0, 1, 0, 0, false }, { MODE_UP, 5, 1, 0, 4, true }, { MODE_UP, 8, 1, 0x1800, 8, false },
		{ MODE_UP, 9, 1, 0x1800, 8, true }, { MODE_DOWN, 31, 1, 31, 31, false }, { MODE_DOWN, 30, 1, 31, 31, true },
		{ MODE_DOWN, 7, 1, 0x181f, 7, false }, { MODE_DOWN, 5, 2, 6, 5, false }, { MODE_BFLY, 5, 3, 31, 6, true },
		{ MODE_BFLY, 5, 16, 15, 5, false }, { MODE_IDX, 5, 9, 31, 9, true }, { MODE_IDX, 5, 9, 0x181f, 1, true },
		{ MODE_IDX, 13, 9, 0x181f, 9, true }, { MODE_IDX, 5, 41, 31, 9, true }, { MODE_IDX, 3, 9, 7, 3, false },
		{ MODE_DOWN, 63, 1, 31, 63, false }, { MODE_DOWN, 40, 1, 31, 41, true }, { MODE_IDX, 40, 0, 31, 32, true },
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		bool in;
		int from = lane_shfl_source(cases[k].mode, cases[k].lane, cases[k].b, cases[k].c, &in);
		ck_assert_msg(from == cases[k].from && in == cases[k].in, "case %d: lane %d, %s range", (int)k, from, in ? "in" : "out of");
	}
}
END_TEST

static uint64_t fold(const char *text, int ndst, int nsrc, uint64_t a, uint64_t b, uint64_t c)
{
	Opd opd[16] = { { 0 } };
	Ins i = { .guard = -1, .ndst = (uint16_t)ndst, .nsrc = (uint16_t)nsrc, .opd = opd };
	MnemonicError e;
	uint64_t src[] = { a, b, c, 0 }, dst[8] = { 0 };
	ck_assert(mnemonic_parse(text, strlen(text), &i, &e));
	ck_assert_msg(lane_fold(&i, src, dst), "%s does not fold", text);
	return dst[ndst - 1];
}

START_TEST(folding)
{
	ck_assert_uint_eq(fold("add.s32", 1, 2, 0xffffffffffffffff, 3, 0), 2);
	ck_assert_uint_eq(fold("add.s16", 1, 2, 0x7fff, 1, 0), 0xffff8000);
	ck_assert_uint_eq(fold("mul.wide.s32", 1, 2, 0xffffffff, 3, 0), (uint64_t)-3);
	ck_assert_uint_eq(fold("setp.lt.s32", 1, 2, 0xffffffff, 3, 0), 1);
	ck_assert_uint_eq(fold("setp.lt.and.s32", 2, 3, 5, 3, 1), 1);
	ck_assert_uint_eq(fold("selp.b64", 1, 3, 5, 6, 0), 6);
	ck_assert_uint_eq(fold("pack.b32", 1, 2, 0x1234, 0x5678, 0), 0x56781234);
	ck_assert_uint_eq(fold("unpack.b64", 2, 1, 0x1234567800000000, 0, 0), 0x12345678);
	ck_assert_uint_eq(fold("and.pred", 1, 2, 1, 1, 0), 1);
	ck_assert_uint_eq(fold("fma.rn.f32", 1, 3, 0x40000000, 0x40400000, 0x3f800000), 0x40e00000);
	Opd opd[4] = { { 0 } };
	Ins carry = { .op = OP_ADDC, .type = T_U32, .ndst = 1, .nsrc = 2, .opd = opd, .guard = -1 };
	uint64_t src[2] = { 1, 2 }, dst;
	ck_assert(!lane_fold(&carry, src, &dst)); /* the carry is no operand */
}
END_TEST

/* PTX's own table of what may be written, in a few rows: combinations that mean nothing have no function. */
START_TEST(refusals)
{
	static const char *const texts[] = { "add.sat.u32", "mul.s32", "add.rni.f32", "div.sat.f32", "cvt.rni.f32.s32", "add.f16",
		"setp.lo.f32", "setp.num.s32", "shf.l.b32", "sin.f32", "bfe.b32", "slct.u32.u32", "mul.wide.s64", "add.cc.f32" };
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		Opd opd[8] = { { 0 } };
		Ins i = { .guard = -1, .ndst = 1, .nsrc = 2, .opd = opd };
		MnemonicError e;
		if (mnemonic_parse(texts[k], strlen(texts[k]), &i, &e))
			ck_assert_msg(!lane_fn(&i), "%s has a function", texts[k]);
	}
}
END_TEST

/* ---- arithmetic in integers against the host's ---- */

START_TEST(approximations)
{
	static const struct { const char *name; float (*f)(float); double (*g)(double); } cases[] = {
		{ "ex2", soft_ex2, exp2 }, { "lg2", soft_lg2, log2 }, { "sin", soft_sin, sin }, { "cos", soft_cos, cos }, { "tanh", soft_tanh, tanh },
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		int wrong = 0, n = 0;
		for (uint32_t u = 0; u < 0xffff0000u; u += 40009, n++) {
			float x = bits_f32(u), got = cases[k].f(x), want = (float)cases[k].g((double)x);
			if (got != want && !(got != got && want != want))
				wrong++;
			ck_assert_msg((got != got) == (want != want) && (want != want || got == want || close_enough(f32_bits(got), f32_bits(want), 1)),
				"%s(%a) = %a, not %a", cases[k].name, x, got, want);
		}
		ck_assert_msg(wrong * 1000 < n, "%s: %d of %d results are not the nearest", cases[k].name, wrong, n);
	}
}
END_TEST

/* The three ways to a fused multiply-add: rounding to odd in double, integers, and the host's. */
START_TEST(fused)
{
	for (int k = 0; k < 200000; k++) {
		float x = bits_f32((uint32_t)operand(T_F32, 0)), y = bits_f32((uint32_t)operand(T_F32, 1)), z = bits_f32((uint32_t)operand(T_F32, 2));
		float odd = (float)add_odd((double)x * y, z), host = fmaf(x, y, z);
		uint32_t soft = (uint32_t)soft_fma(T_F32, f32_bits(x), f32_bits(y), f32_bits(z), RND_RN);
		ck_assert_msg(host != host ? odd != odd && soft == NAN32 : f32_bits(odd) == f32_bits(host) && soft == f32_bits(host),
			"fma(%a, %a, %a) = %a; by odd %a, in integers %a", x, y, z, host, odd, bits_f32(soft));
		uint64_t a = operand(T_F64, 0), b = operand(T_F64, 1), c = operand(T_F64, 2);
		double d = fma(bits_f64(a), bits_f64(b), bits_f64(c));
		ck_assert_uint_eq(soft_fma(T_F64, a, b, c, RND_RN), d != d ? NAN64 : f64_bits(d));
	}
}
END_TEST

/* Every f16 to f32 and back, in every rounding mode. */
START_TEST(halves)
{
	for (uint32_t h = 0; h < 0x10000; h++)
		for (Rnd r = RND_RN; r <= RND_RP; r++) {
			uint64_t f = soft_convert(T_F32, T_F16, h, r), back = soft_convert(T_F16, T_F32, f, r);
			ck_assert_uint_eq(back, soft_is_nan(T_F16, h) ? NAN16 : h);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lane");
	TCase *t = tcase_create("operations");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_operation, 0, OP_COUNT);
	suite_add_tcase(s, t);
	TCase *v = tcase_create("values");
	tcase_set_timeout(v, 120);
	tcase_add_test(v, atomics);
	tcase_add_test(v, extensions);
	tcase_add_test(v, shuffle_sources);
	tcase_add_test(v, folding);
	tcase_add_test(v, refusals);
	tcase_add_test(v, approximations);
	tcase_add_test(v, fused);
	tcase_add_test(v, halves);
	suite_add_tcase(s, v);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
