/* Lane functions against the reference (tests/isa/reference.h): every variant of every ALU operation. */
#include "isa/ir.h"
#include "tests/isa/reference.h"
#include "tests/isa/variants.h"
#include "isa/mnemonic.h"
#include "isa/softmath.h"
#include "tests/check.h"
#include <stdio.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define SETS(X) X(lane_int) X(lane_bits) X(lane_move) X(lane_compare) X(lane_f32) X(lane_f64) X(lane_cvt)
#define X(SET) LaneFn *SET##_base(const Ins *);
SETS(X)
#undef X

static uint64_t state = 88172645463325252u;
static uint64_t next(void) { return random_next(&state); }

/* ---- running one instruction on lanes ---- */
/* slots: places of 64-bit rows; TO: of the first result */
enum { LANES = 64, SOURCES = 8, SLOTS = 20, TO = 9, TO_PRED = 9 };

typedef struct Setup {
	const Ins *ins;
	uint64_t src[SOURCES][LANES];
	Expected want[LANES];
	Mask cc;
	LaneFn *fn;             /* instead of what lane_bind chose, or NULL */
	bool in_place;          /* destination = first source */
	bool wide;              /* both registers have 64 bits, whatever the types */
} Setup;

typedef struct Bank { uint32_t row[SLOTS * 2 * LANES] __attribute__((aligned(64))); Mask pred[SLOTS]; } Bank;

static bool pred_src(const Ins *i, int k) { return variant_src(i, k) == T_PRED; }
static bool pred_dst(const Ins *i) { return variant_dst(i, 0) == T_PRED; }
static int results(const Ins *i) { return i->op == OP_UNPACK ? i->ndst : 1 + (i->op == OP_SETP); }
static bool wide_row(const Setup *s, int t) { return s->wide || type_bits[t] == 64; }

static uint32_t at(uint32_t slot, int width) { return slot * 2 * (uint32_t)width; }
static uint64_t get(const Setup *s, const Bank *b, int k, int width, int l)
{
	uint32_t slot = (s->in_place ? 0 : TO) + (uint32_t)k;
	uint64_t v;
	if (pred_dst(s->ins))
		return b->pred[slot] >> l & 1;
	if (!wide_row(s, variant_dst(s->ins, k)))
		return b->row[at(slot, width) + (uint32_t)l];
	memcpy(&v, &b->row[at(slot, width) + 2 * (uint32_t)l], 8);
	return v;
}

static void fill(const Setup *s, Bank *b, int width)
{
	memset(b->row, 0xab, sizeof b->row);
	memset(b->pred, 0, sizeof b->pred);
	for (int k = 0; k < s->ins->nsrc; k++)
		for (int l = 0; l < width; l++) {
			uint32_t *row = b->row + at((uint32_t)k, width);
			if (pred_src(s->ins, k))
				b->pred[k] |= (s->src[k][l] & 1) << l;
			else if (wide_row(s, variant_src(s->ins, k)))
				memcpy(row + 2 * l, &s->src[k][l], 8);
			else
				row[l] = (uint32_t)s->src[k][l];
		}
}

/* Binds the instruction to the slots. rows is the caller's, for the parts of pack and unpack. */
static LaneIns bound(const Setup *s, int width, uint32_t rows[SOURCES])
{
	static Reg reg[2] = { { "%d", T_B64 }, { "%a", T_B64 } };
	static const Function f = { .reg = { .v = reg, .n = 2 } };
	const Ins *i = s->ins;
	LaneIns li;
	if (!lane_bind(s->wide ? &f : NULL, i, &li))
		ck_abort_msg("%s: not bound", variant_name(i));
	if (s->fn)
		*(s->wide ? &li.inner : &li.fn) = s->fn;
	uint32_t *slot[4] = { &li.a, &li.b, &li.c, &li.e }, to = s->in_place ? 0 : TO;
	for (int k = 0; k < i->nsrc && k < 4; k++)
		*slot[k] = pred_src(i, k) ? (uint32_t)k : at((uint32_t)k, width);
	li.d = pred_dst(i) ? to : at(to, width);
	if (i->op == OP_SETP)
		li.d2 = to + 1;
	li.nrows = i->op == OP_PACK ? i->nsrc : i->ndst;
	for (int k = 0; k < li.nrows; k++)
		rows[k] = at((uint32_t)k + (i->op == OP_UNPACK ? TO : 0), width);
	li.rows = rows;
	return li;
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

static void wrong(const Setup *s, int width, Mask mask, int l, uint64_t got, uint64_t want)
{
	const Ins *i = s->ins;
	ck_abort_msg("%s: width %d mask %#llx lane %d%s%s of %#llx %#llx %#llx %#llx cc %d: %#llx, not %#llx "
		"(%a), says %s", variant_name(i), width, (unsigned long long)mask, l, s->fn ? " (plain)" : "",
		s->wide ? " (wide)" : "", (unsigned long long)s->src[0][l], (unsigned long long)s->src[1][l],
		(unsigned long long)s->src[2][l], (unsigned long long)s->src[3][l], (int)(s->cc >> l & 1),
		(unsigned long long)got, (unsigned long long)want, s->want[l].exact, reference_section(i));
}

/* Runs and compares: lanes of the mask as expected, the others as they were. No ck_assert here: each would
   write to a pipe. */
static void run(const Setup *s, int width, Mask mask)
{
	static Bank bank, before;
	uint32_t rows[SOURCES];
	const Ins *i = s->ins;
	LaneIns li = bound(s, width, rows);
	fill(s, &bank, width);
	before = bank;
	Lanes lanes = { { bank.row, bank.row }, bank.pred, s->cc, width };
	upper_halves_in_use(); /* clears them */
	li.fn(&li, &lanes, mask);
	if (upper_halves_in_use())
		ck_abort_msg("%s: width %d mask %#llx leaves the upper halves of vectors in use",
			variant_name(i), width, (unsigned long long)mask);
	for (int l = 0; l < width; l++) {
		bool active = mask >> l & 1, carry = s->cc >> l & 1;
		for (int k = 0; k < results(i); k++) {
			uint64_t got = get(s, &bank, k, width, l),
				want = active ? s->want[l].d[k] : get(s, &before, k, width, l);
			if (active ? !reference_accepts(i, &s->want[l], k, got) : got != want)
				wrong(s, width, mask, l, got, want);
		}
		if ((lanes.cc >> l & 1) != (active ? s->want[l].carry : carry))
			ck_abort_msg("%s: carry of lane %d", variant_name(i), l);
	}
}

/* New operands and what they give. */
static void draw(Setup *s)
{
	const Ins *i = s->ins;
	s->cc = next();
	for (int l = 0; l < LANES; l++) {
		uint64_t src[SOURCES] = { 0 };
		for (int k = 0; k < i->nsrc; k++)
			src[k] = s->src[k][l] = i->op == OP_LOP3 && k == 3 && l ? s->src[k][0]
				: random_operand(&state, i, k);
		reference_alu(i, src, s->cc >> l & 1, &s->want[l]);
	}
}

/* A variant with registers that are wider than its types (PTX ISA, 9.4.1). */
static void exercise_wide(Setup *s)
{
	s->wide = true;
	for (int l = 0; l < LANES; l++)
		s->want[l].d[0] = reference_load(s->ins->type, T_B64, s->want[l].d[0]);
	run(s, LANES, ~(Mask)0);
	run(s, LANES, next());
	s->wide = false;
}

/* Constant folding gives the same. */
static void exercise_fold(const Setup *s)
{
	const Ins *i = s->ins;
	uint64_t src[SOURCES], dst[SOURCES];
	for (int k = 0; k < i->nsrc; k++)
		src[k] = s->src[k][0];
	if (lane_fold(i, src, dst))
		for (int k = 0; k < results(i); k++)
			if (!reference_accepts(i, &s->want[0], k, dst[k]))
				ck_abort_msg("%s folds to %#llx", variant_name(i),
					(unsigned long long)dst[k]);
}

static void exercise(Setup *s, LaneFn *plain, int round)
{
	static const int widths[] = { 32, 64, 4, 1, 5 };
	const Ins *i = s->ins;
	bool same = i->op != OP_UNPACK && i->op != OP_PACK && !pred_dst(i) && !pred_src(i, 0)
		&& type_bits[variant_dst(i, 0)] == type_bits[variant_src(i, 0)];
	int w = widths[round % 5];
	Mask all = ~(Mask)0 >> (64 - w), masks[] = { all, next() & all, (Mask)1 << (next() % (unsigned)w),
		next() & next() & all };
	for (int m = 0; m < 4; m++) {
		s->fn = NULL;
		run(s, w, masks[m]);
		s->fn = plain;
		run(s, w, masks[m]);
	}
	s->fn = NULL;
	if (same) {
		s->in_place = true;
		run(s, w, masks[round & 1]);
		s->in_place = false;
	}
	exercise_fold(s);
}

/* ---- every variant ---- */

/* Operand sets of a variant are ROUNDS * LANES; with MASKED of the rounds, other widths, masks and registers
   are tried. A sanitised build is twenty times slower. */
#if defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 2, MASKED = 1 };
#else
enum { ROUNDS = 16, MASKED = 5 };
#endif

typedef struct Count { int operations, variants; uint64_t sets; } Count;

static void check_variant(const Ins *variant, void *arg)
{
	Count *n = arg;
	Opd opd[SOURCES * 2] = { { 0 } };
	Ins i = *variant;
	Setup s = { .ins = &i };
	LaneFn *plain = NULL;
	i.opd = opd;
	ck_assert_msg(reference_section(&i), "no reference for %s", variant_name(&i));
#define X(SET) plain = plain ? plain : SET##_base(&i);
	SETS(X)
#undef X
	ck_assert_ptr_nonnull(plain);
	for (int r = 0; r < ROUNDS; r++) {
		draw(&s);
		s.fn = plain;
		run(&s, LANES, ~(Mask)0);
		s.fn = NULL;
		run(&s, LANES, ~(Mask)0);
		if (r < MASKED)
			exercise(&s, plain, r);
		if (r < MASKED && (i.op == OP_MOV || i.op == OP_CVT) && i.type != T_PRED) {
			opd[0] = opd_reg(0);
			opd[1] = opd_reg(1);
			exercise_wide(&s);
		}
	}
	n->variants++;
	n->sets += ROUNDS * LANES;
}

START_TEST(every_variant)
{
	Count n = { 0, 0, 0 };
	for (int op = 1; op < OP_COUNT; op++)
		if (op_info[op].kind == K_ALU) {
			int before = n.variants;
			state = 88172645463325252u + (uint64_t)op;
			each_variant((Op)op, "", check_variant, &n);
			ck_assert_msg(n.variants > before, "%s: the verifier accepts no variant",
				op_info[op].name);
			n.operations++;
		}
	printf("%d variants of %d operations agree with the manual on %llu operand sets\n", n.variants,
		n.operations, (unsigned long long)n.sets);
}
END_TEST

/* ---- one value at a time ---- */

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
		{ MODE_UP, 0, 1, 0, 0, false }, { MODE_UP, 5, 1, 0, 4, true },
		{ MODE_UP, 8, 1, 0x1800, 8, false },
		{ MODE_UP, 9, 1, 0x1800, 8, true }, { MODE_DOWN, 31, 1, 31, 31, false },
		{ MODE_DOWN, 30, 1, 31, 31, true },
		{ MODE_DOWN, 7, 1, 0x181f, 7, false }, { MODE_DOWN, 5, 2, 6, 5, false },
		{ MODE_BFLY, 5, 3, 31, 6, true },
		{ MODE_BFLY, 5, 16, 15, 5, false }, { MODE_IDX, 5, 9, 31, 9, true },
		{ MODE_IDX, 5, 9, 0x181f, 1, true },
		{ MODE_IDX, 13, 9, 0x181f, 9, true }, { MODE_IDX, 5, 41, 31, 9, true },
		{ MODE_IDX, 3, 9, 7, 3, false },
		{ MODE_DOWN, 63, 1, 31, 63, false }, { MODE_DOWN, 40, 1, 31, 41, true },
		{ MODE_IDX, 40, 0, 31, 32, true },
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		bool in;
		int from = lane_shfl_source(cases[k].mode, cases[k].lane, cases[k].b, cases[k].c, &in);
		ck_assert_msg(from == cases[k].from && in == cases[k].in, "case %d: lane %d, %s range",
			(int)k, from, in ? "in" : "out of");
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
	ck_assert_uint_eq(fold("dp2a.lo.s32.s32", 1, 3, 0xffff0003, 0x040302fe, 100), 100 - 6 - 2);
	ck_assert_uint_eq(fold("dp2a.hi.s32.s32", 1, 3, 0xffff0003, 0xff0302fe, 100), 100 + 9 + 1);
	ck_assert_uint_eq(fold("dp2a.hi.u32.u32", 1, 3, 0xffff0003, 0xff0302fe, 100), 100 + 9 + 65535 * 255);
	ck_assert_uint_eq(fold("dp2a.hi.u32.s32", 1, 3, 0xffff0003, 0xff0302fe, 100),
		(uint32_t)(100 + 9 - 65535));
	ck_assert_uint_eq(fold("szext.clamp.s32", 1, 2, 0x80, 8, 0), 0xffffff80);
	ck_assert_uint_eq(fold("szext.clamp.u32", 1, 2, 0xffff80, 8, 0), 0x80);
	ck_assert_uint_eq(fold("szext.clamp.s32", 1, 2, 0x80, 40, 0), 0x80);
	ck_assert_uint_eq(fold("szext.wrap.s32", 1, 2, 0x80, 40, 0), 0xffffff80);
	ck_assert_uint_eq(fold("szext.wrap.s32", 1, 2, 0x80, 32, 0), 0);
	ck_assert_uint_eq(fold("bmsk.clamp.b32", 1, 2, 4, 8, 0), 0xff0);
	ck_assert_uint_eq(fold("bmsk.clamp.b32", 1, 2, 4, 40, 0), 0xfffffff0);
	ck_assert_uint_eq(fold("bmsk.clamp.b32", 1, 2, 36, 8, 0), 0);
	ck_assert_uint_eq(fold("bmsk.wrap.b32", 1, 2, 36, 40, 0), 0xff0);
	ck_assert_uint_eq(fold("bmsk.wrap.b32", 1, 2, 4, 32, 0), 0);
	ck_assert_uint_eq(fold("fns.b32", 1, 3, 0xf0f0, 0, 2), 5);
	ck_assert_uint_eq(fold("fns.b32", 1, 3, 0xf0f0, 7, 1), 7);
	ck_assert_uint_eq(fold("fns.b32", 1, 3, 0xf0f0, 11, (uint32_t)-1), 7);
	ck_assert_uint_eq(fold("fns.b32", 1, 3, 0xf0f0, 31, (uint32_t)-8), 4);
	ck_assert_uint_eq(fold("fns.b32", 1, 3, 0xf0f0, 31, (uint32_t)-9), 0xffffffff);
	ck_assert_uint_eq(fold("fns.b32", 1, 3, 0xf0f0, 4, 0), 4);
	ck_assert_uint_eq(fold("fns.b32", 1, 3, 0xf0f0, 3, 0), 0xffffffff);
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
	static const char *const texts[] = { "add.sat.u32", "mul.s32", "add.rni.f32", "div.sat.f32",
		"cvt.rni.f32.s32", "add.f16",
		"setp.lo.f32", "setp.num.s32", "shf.l.b32", "sin.f32", "bfe.b32", "slct.u32.u32",
		"mul.wide.s64", "add.cc.f32" };
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

static bool neighbours(uint32_t x, uint32_t y) { return (x ^ y) >> 31 == 0 && x - y + 1 <= 2; }

START_TEST(approximations)
{
	static const struct { const char *name; float (*f)(float); double (*g)(double); } cases[] = {
		{ "ex2", soft_ex2, exp2 }, { "lg2", soft_lg2, log2 }, { "sin", soft_sin, sin },
		{ "cos", soft_cos, cos }, { "tanh", soft_tanh, tanh },
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		int wrong = 0, n = 0;
		for (uint32_t u = 0; u < 0xffff0000u; u += 40009, n++) {
			float x = bits_f32(u), got = cases[k].f(x), want = (float)cases[k].g((double)x);
			if (got != want && !(got != got && want != want))
				wrong++;
			ck_assert_msg((got != got) == (want != want) &&
				(want != want || got == want || neighbours(f32_bits(got), f32_bits(want))),
				"%s(%a) = %a, not %a", cases[k].name, x, got, want);
		}
		ck_assert_msg(wrong * 1000 < n, "%s: %d of %d results are not the nearest", cases[k].name,
			wrong, n);
	}
}
END_TEST

/* The three ways to a fused multiply-add: rounding to odd in double, integers, and the host's. */
START_TEST(fused)
{
	for (int k = 0; k < 200000; k++) {
		float x = bits_f32((uint32_t)random_value(&state, T_F32)),
			y = bits_f32((uint32_t)random_value(&state, T_F32)),
			z = bits_f32((uint32_t)random_value(&state, T_F32));
		float odd = (float)add_odd((double)x * y, z), host = fmaf(x, y, z);
		uint32_t soft = (uint32_t)soft_fma(T_F32, f32_bits(x), f32_bits(y), f32_bits(z), RND_RN);
		ck_assert_msg(host != host ? odd != odd && soft == NAN32
			: f32_bits(odd) == f32_bits(host) && soft == f32_bits(host),
			"fma(%a, %a, %a) = %a; by odd %a, in integers %a", x, y, z, host, odd,
			bits_f32(soft));
		uint64_t a = random_value(&state, T_F64), b = random_value(&state, T_F64),
			c = random_value(&state, T_F64);
		double d = fma(bits_f64(a), bits_f64(b), bits_f64(c));
		uint64_t got = soft_fma(T_F64, a, b, c, RND_RN);
		/* which NaN: every_variant */
		ck_assert(d != d ? soft_is_nan(T_F64, got) : got == f64_bits(d));
	}
}
END_TEST

/* Every f16 to f32 and back, in every rounding mode. */
START_TEST(halves)
{
	for (uint32_t h = 0; h < 0x10000; h++)
		for (Rnd r = RND_RN; r <= RND_RP; r++) {
			uint64_t f = soft_convert(T_F32, T_F16, h, r),
				back = soft_convert(T_F16, T_F32, f, r);
			ck_assert_uint_eq(back, soft_is_nan(T_F16, h) ? NAN16 : h);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lane");
	TCase *t = tcase_create("operations");
	tcase_add_test(t, every_variant);
	suite_add_tcase(s, t);
	TCase *v = tcase_create("values");
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
