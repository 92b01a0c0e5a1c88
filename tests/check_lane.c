/* Lane functions against tests/lane_reference.c: every combination of operation, types and modifiers that lane_fn knows. */
#include "tests/lane_reference.h"
#include "isa/mnemonic.h"
#include "isa/softmath.h"
#include "lib/strbuf.h"
#include <check.h>

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
	li.fn(&li, &lanes, mask);
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

static void combination(Ins *i, Count *n)
{
	Opd opd[16] = { { 0 } };
	i->opd = opd;
	if (!lane_fn(i)) {
		n->refused++;
		return;
	}
	n->tested++;
	exercise(i, i->op == OP_SETP || i->op == OP_SET || i->op == OP_CVT ? 5 : 10);
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

int main(void)
{
	Suite *s = suite_create("lane");
	TCase *t = tcase_create("operations");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_operation, 0, OP_COUNT);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
