/* Laws of values.h: instructions of one value number give the same bits, sources commute by definition, and
   each field counts, or does not, as its role says. */
#include "isa/lane.h"
#include "isa/effects.h"
#include "passes/analysis/values.h"
#include "tests/random.h"
#include "tests/check.h"

enum { VALUES = 16, REGS = 4 };

/* Numbers, zeros, infinities, NaNs that differ in sign, payload and being quiet. */
static const uint64_t doubles[VALUES] = { 0, 0x8000000000000000, 0x3ff0000000000000, 0xc008000000000000, 1,
	0x800fffffffffffff, 0x7ff0000000000000,
	0xfff0000000000000, 0x7fefffffffffffff, 0x7ff8000000000111, 0x7ff8000000000222, 0xfff8000000000111,
	0x7ff0000000000333, 0xfff0000000000444,
	0x7fffffffffffffff, 0x7ff8000000000000 };
static const uint64_t floats[VALUES] = { 0, 0x80000000, 0x3f800000, 0xc0400000, 1, 0x807fffff, 0x7f800000,
	0xff800000, 0x7f7fffff, 0x7fc00111, 0x7fc00222,
	0xffc00111, 0x7f800333, 0xff800444, 0x7fffffff, 0x7fc00000 };
static const uint64_t integers[VALUES] = { 0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
	0x80000000, 0xffffffff, 0x7fffffffffffffff,
	0x8000000000000000, 0xffffffffffffffff };

static const uint64_t *values(Type t) { return t == T_F64 ? doubles : t == T_F32 ? floats : integers; }
static int pick(uint64_t *rng, int n) { return (int)(random_next(rng) % (uint64_t)n); }

static uint64_t computed(Ins *i, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t d[2] = { 0 };
	ck_assert(lane_fold(i, (uint64_t[]){ a, b, c, 0 }, d));
	return d[0];
}

/* ---- all forms ---- */

static int sources(Op op)
{
	int n = 0;
	for (const char *s = strchr(op_info[op].operands, ':') + 1; *s; s++)
		n += *s != '?';
	return n;
}

/* Sets the modifier of the suffix group to value number n of those that it may have, 0 included. Returns
   their number. */
static int set_modifier(Ins *i, char group, int n)
{
	switch (group) {
	case 'r': return i->rnd = (uint8_t)n, RND_RPI + 1;
	case 'f': return i->ftz = (uint8_t)n, 2;
	case 's': return i->sat = (uint8_t)n, 2;
	case 'x': return i->approx = (uint8_t)n, APPROX_FULL + 1;
	case 'c': return i->cmp = (uint8_t)n, CMP_NAN + 1;
	case 'b': return i->boolop = (uint8_t)n, BOOL_XOR + 1;
	case 'h': return i->hilo = (uint8_t)n, HILO_WIDE + 1;
	case 'M': return i->mode = (uint8_t)n, MODE_SUBNORMAL + 1;
	case 'W': return i->mode2 = (uint8_t)n, MODE2_SHIFTAMT + 1;
	case 'S': return i->space = (uint8_t)n, SP_LOCAL + 1;
	case 'T': return i->flags = n ? INSF_TO : 0, 2;
	case '1': return i->type = (uint8_t)n, T_COUNT;
	case '2': return i->type2 = (uint8_t)n, T_COUNT;
	default: return 1;
	}
}

/* Calls `look` for every form of the operation with one destination that lanes compute. */
static void each_form(Op op, Ins *i, const char *suffix, void (*look)(void *, Ins *), void *self)
{
	uint64_t d[8];
	if (*suffix) {
		for (int n = 0; n < set_modifier(i, *suffix, n); n++)
			each_form(op, i, suffix + 1, look, self);
		set_modifier(i, *suffix, 0);
	} else if (op_info[op].kind == K_ALU && lane_fn(i) && lane_fold(i, (uint64_t[8]){ 0 }, d)) {
		look(self, i);
	}
}

static void all_forms(void (*look)(void *, Ins *), void *self)
{
	for (int op = 1; op < OP_COUNT; op++) {
		Opd opd[8] = { { 0 } };
		Ins i = { .op = (uint8_t)op, .guard = -1, .ndst = 1, .nsrc = (uint16_t)sources((Op)op),
			.opd = opd };
		if (op_info[op].kind == K_ALU && op != OP_UNPACK && op != OP_PACK)
			each_form((Op)op, &i, op_info[op].suffixes, look, self);
	}
}

static void say(char *to, size_t n, const Ins *i)
{
	snprintf(to, n, "%s.%s.%s rnd %d ftz %d sat %d half %d cmp %d mode %d %d", op_info[i->op].name,
		type_name[i->type], i->type2 ? type_name[i->type2] : "", i->rnd, i->ftz, i->sat, i->hilo,
		i->cmp, i->mode, i->mode2);
}

/* ---- what commutes ---- */

/* With that first source, every second and third one. */
static bool same_both_ways(Ins *i, uint64_t a)
{
	const uint64_t *v = values(ins_src_type(i, 0));
	for (int b = 0; b < VALUES; b++)
		for (int c = 0; c < (i->nsrc > 2 ? VALUES : 1); c++)
			if (computed(i, a, v[b], v[c]) != computed(i, v[b], a, v[c]))
				return false;
	return true;
}

/* Of registers, and with a number as the first or the second source. That a number makes commute what does
   not of registers matters in f64 arithmetic alone. */
static void check_commutes(void *self, Ins *i)
{
	bool any = true, arithmetic = i->type == T_F64 && op_info[i->op].flags & OPF_COMM && !i->cmp;
	char what[128];
	if (i->nsrc < 2 || i->op == OP_LOP3)
		return;
	say(what, sizeof what, i);
	if (ins_src_type(i, 0) != ins_src_type(i, 1)) {
		ck_assert_msg(!ins_commutes(i), "%s commutes, and has sources of two types", what);
		return;
	}
	for (int k = 0; k < VALUES; k++) {
		uint64_t a = values(ins_src_type(i, 0))[k];
		bool same = same_both_ways(i, a);
		any &= same;
		for (int at = 0; at < 2; at++) {
			i->opd[i->ndst] = i->opd[i->ndst + 1] = opd_reg(0);
			i->opd[i->ndst + at] = opd_imm((int64_t)a);
			ck_assert_msg(same || !ins_commutes(i), "%s commutes with %llx, and should not", what,
				(unsigned long long)a);
			ck_assert_msg(!same || ins_commutes(i) || !arithmetic, "%s does not commute with "
				"%llx, and should", what, (unsigned long long)a);
		}
	}
	i->opd[i->ndst] = i->opd[i->ndst + 1] = opd_reg(0);
	ck_assert_msg(any == ins_commutes(i), "%s of registers: commutes by %d, and by definition %d", what,
		ins_commutes(i), any);
	++*(int *)self;
}

/* lop3 by its table. */
static void check_tables(void)
{
	Opd opd[5] = { { 0 } };
	Ins i = { .op = OP_LOP3, .type = T_B32, .guard = -1, .ndst = 1, .nsrc = 4, .opd = opd };
	for (uint64_t table = 0; table < 256; table++) {
		uint64_t a[2] = { 0 }, b[2] = { 0 }, x = 0xf0f0f0f0, y = 0xcccccccc, z = 0xaaaaaaaa;
		ck_assert(lane_fold(&i, (uint64_t[]){ x, y, z, table }, a));
		ck_assert(lane_fold(&i, (uint64_t[]){ y, x, z, table }, b));
		opd[4] = opd_imm((int64_t)table);
		ck_assert_int_eq(ins_commutes(&i), a[0] == b[0]);
		opd[4] = opd_reg(0);
		ck_assert(!ins_commutes(&i));
	}
}

START_TEST(commuting_by_definition)
{
	int forms = 0;
	all_forms(check_commutes, &forms);
	ck_assert_int_gt(forms, 1000);
	check_tables();
}
END_TEST

/* ---- one number, one result ---- */

/* Instructions of random sources. reg: what registers hold, by the type of a source; regs: registers of each
   type, REGS of them. */
typedef struct Pairs { Module *m; Function *f; uint64_t rng; int regs[T_COUNT], forms, same, turned; } Pairs;

static uint64_t held(const Pairs *x, Type t, int reg, uint64_t seed)
{
	uint64_t rng = seed * 131 + (uint64_t)(reg - x->regs[t]);
	return values(t)[pick(&rng, VALUES)];
}

static void random_source(Pairs *x, const Ins *i, int k, Opd *o)
{
	Type t = ins_src_type(i, k);
	if (t == T_PRED || pick(&x->rng, 2))
		*o = opd_reg(x->regs[t] + pick(&x->rng, REGS));
	else
		*o = opd_imm((int64_t)values(t)[pick(&x->rng, VALUES)]);
	o->neg = t == T_PRED && pick(&x->rng, 2);
}

static uint64_t result(const Pairs *x, const Ins *i, uint64_t seed)
{
	uint64_t from[8], to[8] = { 0 };
	for (int k = 0; k < i->nsrc; k++) {
		const Opd *o = ins_src(i, k);
		from[k] = o->kind == OPD_IMM ? (uint64_t)o->imm : held(x, ins_src_type(i, k), o->id, seed);
		from[k] = ins_src_type(i, k) == T_PRED ? (from[k] & 1) ^ o->neg : from[k];
	}
	ck_assert(lane_fold(i, from, to));
	return to[0];
}

/* Changes one thing about the copy: nothing, the order of two sources, one source, one modifier. */
static void change(Pairs *x, Ins *i)
{
	Opd first = *ins_src(i, 0);
	int k = pick(&x->rng, i->nsrc);
	switch (pick(&x->rng, 4)) {
	case 0: break;
	case 1:
		if (i->nsrc > 1 && ins_src_type(i, 0) == ins_src_type(i, 1)) {
			*ins_src(i, 0) = *ins_src(i, 1);
			*ins_src(i, 1) = first;
		}
		break;
	case 2: random_source(x, i, k, ins_src(i, k)); break;
	default: {
		Ins was = *i;
		const char *s = op_info[i->op].suffixes;
		uint64_t d[8];
		set_modifier(i, s[pick(&x->rng, (int)strlen(s))], pick(&x->rng, 3));
		if (!lane_fn(i) || !lane_fold(i, (uint64_t[8]){ 0 }, d))
			*i = was;
		for (int n = 0; n < i->nsrc; n++)
			if (ins_src_type(i, n) != ins_src_type(&was, n))
				*i = was;
	}
	}
}

static void check_pairs(void *self, Ins *i)
{
	Pairs *x = self;
	char what[128];
	Arena a = { 0 };
	Keys keys = { .a = &a };
	if (!i->nsrc)
		return;
	say(what, sizeof what, i);
	x->forms++;
	i->opd[0] = opd_reg(x->regs[ins_dst_type(i, 0)]);
	for (int n = 0; n < 12; n++) {
		Opd opd[8];
		Ins b;
		for (int k = 0; k < i->nsrc; k++)
			random_source(x, i, k, ins_src(i, k));
		memcpy(opd, i->opd, sizeof opd);
		b = *i;
		b.opd = opd;
		change(x, &b);
		int v = value_number(&keys, x->f, i, NULL), w = value_number(&keys, x->f, &b, NULL);
		ck_assert_int_eq(v, value_number(&keys, x->f, i, NULL));
		ck_assert_msg((v == w) == (deed_number(&keys, i) == deed_number(&keys, &b)), "%s: number of "
			"value and of what it does", what);
		x->same += v == w;
		x->turned += v == w && !opd_same(ins_src(i, 0), ins_src(&b, 0));
		for (uint64_t seed = 0; v == w && seed < 24; seed++)
			ck_assert_msg(result(x, i, seed) == result(x, &b, seed), "%s: one number, and "
				"%llx is not %llx", what, (unsigned long long)result(x, i, seed),
				(unsigned long long)result(x, &b, seed));
	}
	memset(i->opd, 0, 8 * sizeof *i->opd);
	arena_free(&a);
}

static Function *with_registers(Module *m, int *first)
{
	Function *f = function_new(m, FN_KERNEL, "k");
	for (int t = 1; t < T_COUNT; t++)
		for (int k = 0; k < REGS; k++) {
			int r = function_reg(m, f, NULL, (Type)t);
			first[t] = k ? first[t] : r;
		}
	return f;
}

START_TEST(one_number_one_result)
{
	Module *m = module_new("test");
	Pairs x = { .m = m, .rng = 1 };
	x.f = with_registers(m, x.regs);
	all_forms(check_pairs, &x);
	ck_assert_int_gt(x.forms, 1000);
	ck_assert_int_gt(x.same, 2 * x.forms);
	ck_assert_int_gt(x.turned, 200);
	module_free(m);
}
END_TEST

/* A register counts as its number, and two numbers may come in either order where sources commute. */
START_TEST(registers_by_number)
{
	Module *m = module_new("test");
	int regs[T_COUNT];
	Function *f = with_registers(m, regs);
	int number[T_COUNT * REGS] = { 0 };
	for (int t = 0; t < 3; t++) {
		Type type = (Type[]){ T_U32, T_F32, T_F64 }[t];
		int d = regs[type], x = d + 1, y = d + 2, z = d + 3;
		Arena arena = { 0 };
		Keys keys = { .a = &arena };
		Ins a = ins_make(m, OP_ADD, type, 1, 2), b = ins_make(m, OP_ADD, type, 1, 2);
		a.opd[0] = b.opd[0] = opd_reg(d);
		a.opd[1] = b.opd[2] = opd_reg(x);
		a.opd[2] = opd_reg(y);
		b.opd[1] = opd_reg(z);
		number[x] = 7;
		number[y] = number[z] = 3;
		bool same = value_number(&keys, f, &a, number) == value_number(&keys, f, &b, number);
		ck_assert_int_eq(same, type != T_F64);
		ck_assert_int_ne(value_number(&keys, f, &a, NULL), value_number(&keys, f, &b, NULL));
		ck_assert_int_eq(ins_turned(&a, (int[]){ 7, 3 }), type != T_F64);
		ck_assert_int_eq(ins_turned(&a, (int[]){ 3, 7 }), 0);
		ck_assert_int_eq(ins_turned(&b, NULL), type != T_F64);
		b.opd[1] = opd_reg(y);
		number[y] = 8;
		a.op = b.op = OP_SUB;
		ck_assert_int_ne(value_number(&keys, f, &a, number), value_number(&keys, f, &b, number));
		int64_t state[2] = { 1, 2 }, other[2] = { 1, 3 };
		ck_assert_int_eq(value_number_in(&keys, f, &a, number, state, 2),
			value_number_in(&keys, f, &a, number, state, 2));
		ck_assert_int_ne(value_number_in(&keys, f, &a, number, state, 2),
			value_number_in(&keys, f, &a, number, other, 2));
		arena_free(&arena);
	}
	module_free(m);
}
END_TEST

/* ---- what counts ---- */

/* value, deed: is the number of either kind another one than that of the instruction as it was? */
typedef struct Counts { const Function *f; Ins ins; Keys keys; int value, deed; } Counts;

static void differs(const Counts *c, const Ins *i, bool value, bool deed, const char *name)
{
	Keys keys = c->keys;
	ck_assert_msg((value_number(&keys, c->f, i, NULL) != c->value) == value, "%s: its value", name);
	ck_assert_msg((deed_number(&keys, i) != c->deed) == deed, "%s: what it does", name);
}

static Counts counts_of(Arena *a, const Function *f, Ins i)
{
	Counts c = { .f = f, .ins = i, .keys = { .a = a } };
	c.value = value_number(&c.keys, f, &i, NULL);
	c.deed = deed_number(&c.keys, &i);
	return c;
}

START_TEST(each_field_counts_as_its_role_says)
{
	Module *m = module_new("test");
	Arena a = { 0 };
	int regs[T_COUNT], fields = 0;
	Function *f = with_registers(m, regs);
	Opd opd[8] = { opd_reg(regs[T_U32]), opd_reg(regs[T_U32] + 1), opd_reg(regs[T_U32] + 2) };
	Ins i = { .op = OP_SUB, .type = T_U32, .sem = SEM_RELAXED, .guard = regs[T_PRED], .ndst = 1,
		.nsrc = 2, .opd = opd };
	Counts c = counts_of(&a, f, i);
	differs(&c, &i, false, false, "nothing");
#define CHANGE(NAME, VALUE, DEED) { \
		Ins x = i; \
		x.NAME++; \
		differs(&c, &x, VALUE, DEED, #NAME); \
		fields++; \
	}
#define FORM(TYPE, NAME) CHANGE(NAME, true, true)
#define GUARD(TYPE, NAME) CHANGE(NAME, false, true)
#define NO_MATTER(TYPE, NAME) CHANGE(NAME, false, false)
	INS_FIELDS(FORM, GUARD, NO_MATTER, NO_MATTER)
	ck_assert_int_gt(fields, 30);
	/* that the memory order is weak goes without saying */
	i.sem = SEM_NONE;
	c = counts_of(&a, f, i);
	i.sem = SEM_WEAK;
	differs(&c, &i, false, true, "weak");
	arena_free(&a);
	module_free(m);
}
END_TEST

START_TEST(each_field_of_an_operand_counts)
{
	Module *m = module_new("test");
	Arena a = { 0 };
	int regs[T_COUNT];
	Function *f = with_registers(m, regs);
	Opd opd[3] = { opd_reg(regs[T_U32]), opd_reg(regs[T_U32] + 1), opd_imm(0) };
	Ins i = { .op = OP_ADD, .type = T_U32, .guard = -1, .ndst = 1, .nsrc = 2, .opd = opd };
	for (int k = 1; k < 3; k++) {
		Counts c = counts_of(&a, f, i);
#define X(TYPE, NAME) { \
			Opd was = opd[k]; \
			opd[k].NAME++; \
			differs(&c, &i, true, true, #NAME); \
			opd[k] = was; \
		}
		OPD_FIELDS(X)
#undef X
	}
	/* bits of numbers: zeros of both signs, NaNs of other payloads */
	opd[2].imm = 0;
	Counts c = counts_of(&a, f, i);
	opd[2].imm = (int64_t)doubles[1];
	differs(&c, &i, true, true, "-0.0");
	opd[2].imm = (int64_t)doubles[9];
	c = counts_of(&a, f, i);
	opd[2].imm = (int64_t)doubles[10];
	differs(&c, &i, true, true, "NaN");
	/* the destination: its width counts for the value */
	c = counts_of(&a, f, i);
	opd[0] = opd_reg(regs[T_F32]);
	differs(&c, &i, false, true, "another register");
	opd[0] = opd_reg(regs[T_U64]);
	differs(&c, &i, true, true, "a wider register");
	arena_free(&a);
	module_free(m);
}
END_TEST

/* ---- what may be computed again ---- */

static void check_repeats(void *self, Ins *i)
{
	int *n = self;
	uint8_t reads;
	Effects e = ins_effects(NULL, i);
	bool plain_load = i->op == OP_LD && i->sem <= SEM_WEAK && i->cop != COP_CV && !e.varies && !i->cc;
	bool may = i->ndst == 1 && i->opd[0].kind == OPD_REG && !e.convergent &&
		(effects_pure(&e) || plain_load);
	ck_assert_msg(ins_repeats(i, &reads) == may, "%s sem %d cop %d cc %d", op_info[i->op].name, i->sem,
		i->cop, i->cc);
	ck_assert_int_eq(reads, e.reads & SPACES_WRITTEN);
	n[may]++;
}

START_TEST(what_repeats)
{
	int n[2] = { 0 };
	for (int op = 1; op < OP_COUNT; op++)
		for (int k = 0; op_info[op].operands[0] != ':' && k < 2 * 2 * 3 * 8 * 9; k++) {
			Opd opd[8] = { { 0 } };
			opd[0].kind = k % 2 ? OPD_REG : OPD_NONE;
			opd[1] = (Opd){ .kind = OPD_SREG, .id = k % 5 ? SREG_TID_X : SREG_CLOCK };
			Ins i = { .op = (uint8_t)op, .cc = k / 2 % 2, .ndst = (uint16_t)(k / 4 % 3),
				.sem = (uint8_t)(k / 12 % 8), .cop = (uint8_t)(k / 96 % 9), .guard = -1,
				.nsrc = (uint16_t)sources((Op)op), .opd = opd };
			check_repeats(n, &i);
		}
	ck_assert_int_gt(n[false], 1000);
	ck_assert_int_gt(n[true], 1000);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("values");
	TCase *t = tcase_create("all");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, commuting_by_definition);
	tcase_add_test(t, one_number_one_result);
	tcase_add_test(t, registers_by_number);
	tcase_add_test(t, each_field_counts_as_its_role_says);
	tcase_add_test(t, each_field_of_an_operand_counts);
	tcase_add_test(t, what_repeats);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
