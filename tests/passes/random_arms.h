/* Random kernels as text whose branches have arms that are alike: both come from one shape, the second one with other registers, numbers and places in memory,
 * and, so often as `unlike` says of a hundred times, with other instructions, conditions or blocks. Arms hold straight code, if-thens, if-elses, loops and
 * branches with alike arms of their own, loads and stores on global and shared memory, vectors, atomics, guards, predicates and the carry flag. Some branches are
 * chains of several ways, some have a block against a region. At the end a thread stores all registers that live there. */
#ifndef TEST_RANDOM_ARMS_H
#define TEST_RANDOM_ARMS_H
#include "lib/strbuf.h"
#include "tests/random.h"

enum { ARMS_WORDS = 40 /* of out, for each thread: 16 of memory, then results */, ARMS_THREADS = 72, ARMS_REGS = 8, ARMS_DEEPEST = 3 };

typedef struct ArmsText {
	uint64_t shape, own;           /* of random numbers: what the arms have in common; what not */
	StrBuf s;
	int label, depth, statements, unlike;
	int map[ARMS_REGS];            /* of this arm: the registers' numbers */
	bool other;                    /* this arm comes to the other half of memory */
} ArmsText;

static inline int arms_shape(ArmsText *t, int n) { return (int)(random_next(&t->shape) % (uint64_t)n); }
static inline int arms_own(ArmsText *t, int n) { return (int)(random_next(&t->own) % (uint64_t)n); }
static inline bool arms_differs(ArmsText *t) { return arms_own(t, 100) < t->unlike; }

static inline int arms_reg(ArmsText *t)
{
	int r = arms_shape(t, ARMS_REGS);
	return t->map[arms_differs(t) ? arms_own(t, ARMS_REGS) : r];
}

static inline int arms_number(ArmsText *t, int n)
{
	int x = arms_shape(t, n);
	return arms_differs(t) ? arms_own(t, n) : x;
}

/* %r or %t: a register that is stored at the end, or is not. */
static inline const char *arms_pool(ArmsText *t) { return arms_shape(t, 2) ? "r" : "t"; }

static inline void arms_value(ArmsText *t, char *text)
{
	const char *pool = arms_pool(t);
	int number = arms_number(t, 1000), r = arms_reg(t);
	if (arms_shape(t, 4) == 0)
		sprintf(text, "%d", number);
	else
		sprintf(text, "%%%s%d", pool, r);
}

static inline void arms_condition(ArmsText *t, int p)
{
	static const char *const how[] = { "eq", "ne", "lt", "gt", "le", "ge" };
	const char *pool = arms_pool(t);
	int r = arms_reg(t), mask = 1 + arms_number(t, 7), c = arms_number(t, 6), than = arms_number(t, 4);
	sb_printf(&t->s, "\t%%m = and.b32 %%%s%d, %d\n\t%%p%d = setp.%s.u32 %%m, %d\n", pool, r, mask, p, how[c], than);
}

static inline void arms_memory(ArmsText *t)
{
	const char *pool = arms_pool(t), *half = t->other != arms_differs(t) ? "b" : "a";
	int r = arms_reg(t), at = 4 * arms_number(t, 8), kind = arms_shape(t, 8);
	switch (arms_differs(t) ? arms_own(t, 8) : kind) {
	case 0: case 1: sb_printf(&t->s, "\t%%%s%d = ld.global.u32 [%%%s+%d]\n", pool, r, half, at); break;
	case 2: sb_printf(&t->s, "\t%%%s%d = ld.shared.u32 [%%s%s+%d]\n", pool, r, half, at); break;
	case 3: sb_printf(&t->s, "\tst.shared.u32 [%%s%s+%d], %%%s%d\n", half, at, pool, r); break;
	case 4: sb_printf(&t->s, "\t{%%r%d, %%t%d} = ld.global.v2.u32 [%%%s+%d]\n", r, r, half, at & ~7); break;
	case 5: sb_printf(&t->s, "\tred.global.add.u32 [%%%s+%d], %%%s%d\n", half, at, pool, r); break;
	default: sb_printf(&t->s, "\tst.global.u32 [%%%s+%d], %%%s%d\n", half, at, pool, r);
	}
}

static inline void arms_wide(ArmsText *t)
{
	int w = arms_reg(t) % 4, r = arms_reg(t);
	switch (arms_number(t, 3)) {
	case 0: sb_printf(&t->s, "\t%%w%d = mul.wide.u32 %%r%d, %d\n", w, r, arms_number(t, 99)); break;
	case 1: sb_printf(&t->s, "\t%%w%d = add.u64 %%w%d, %d\n", w, arms_reg(t) % 4, arms_number(t, 99)); break;
	default: sb_printf(&t->s, "\t%%r%d = add.cc.u32 %%r%d, %%t%d\n\t%%t%d = addc.u32 %%t%d, 0\n", r, r, arms_reg(t), r, r);
	}
}

static inline void arms_instruction(ArmsText *t)
{
	static const char *const two[] = { "add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "min.u32", "shr.u32", "and.b32", "or.b32", "div.u32" };
	char a[24], b[24], c[24];
	int kind = arms_shape(t, 12), o = arms_number(t, 9), p = arms_shape(t, 3);
	const char *pool = arms_pool(t);
	int d = arms_reg(t);
	if (arms_differs(t))
		kind = arms_own(t, 12);
	arms_value(t, a);
	arms_value(t, b);
	arms_value(t, c);
	switch (kind) {
	case 0: case 1: case 2: arms_memory(t); break;
	case 3: arms_wide(t); break;
	case 4: sb_printf(&t->s, "\t%%%s%d = mad.lo.u32 %s, %s, %s\n", pool, d, a, b, c); break;
	case 5:
		arms_condition(t, p);
		sb_printf(&t->s, "\t@%s%%p%d %%%s%d = %s %s, %s\n", arms_number(t, 2) ? "!" : "", p, pool, d, two[o], a, b);
		break;
	case 6:
		arms_condition(t, p);
		sb_printf(&t->s, "\t%%%s%d = selp.u32 %s, %s, %s%%p%d\n", pool, d, a, b, arms_number(t, 2) ? "!" : "", p);
		break;
	case 7: sb_printf(&t->s, "\t%%%s%d = mov.u32 %s\n", pool, d, a); break;
	default: sb_printf(&t->s, "\t%%%s%d = %s %s, %s\n", pool, d, two[o], a, b);
	}
}

static inline void arms_straight(ArmsText *t, int n)
{
	for (; n > 0; n--) {
		if (arms_differs(t) && arms_own(t, 2))
			sb_printf(&t->s, "\t%%r%d = add.u32 %%r%d, %d\n", arms_own(t, ARMS_REGS), arms_own(t, ARMS_REGS), arms_own(t, 50));
		uint64_t before = t->shape;
		arms_instruction(t);
		t->shape = before;     /* whatever has been made of it, what follows is the same */
		random_next(&t->shape);
	}
}

static inline void arms_block(ArmsText *t, int label) { sb_printf(&t->s, "L%d:\n", label); }

static inline void arms_sequence(ArmsText *t);
static inline void arms_region(ArmsText *t);

static inline void arms_if(ArmsText *t, bool both)
{
	int yes = t->label++, no = both ? t->label++ : -1, on = t->label++;
	bool invert = arms_differs(t);
	arms_condition(t, 0);
	sb_printf(&t->s, "\tbra %s%%p0, L%d, L%d\n", arms_shape(t, 4) ? "" : "!", invert ? both ? no : on : yes, invert ? yes : both ? no : on);
	arms_block(t, yes);
	arms_sequence(t);
	sb_printf(&t->s, "\tbra L%d\n", on);
	if (both) {
		arms_block(t, no);
		arms_straight(t, 1 + arms_shape(t, 3));
		sb_printf(&t->s, "\tbra L%d\n", on);
	}
	arms_block(t, on);
}

static inline void arms_loop(ArmsText *t)
{
	int head = t->label++, on = t->label++, d = t->depth;
	sb_printf(&t->s, "\t%%i%d = and.b32 %%r%d, %d\n\tbra L%d\n", d, arms_reg(t), arms_shape(t, 2) ? 3 : 1, head);
	arms_block(t, head);
	arms_sequence(t);
	sb_printf(&t->s, "\t%%p0 = setp.eq.u32 %%i%d, 0\n\t%%i%d = sub.u32 %%i%d, 1\n\tbra %%p0, L%d, L%d\n", d, d, d, on, head);
	arms_block(t, on);
}

static inline void arms_sequence(ArmsText *t)
{
	t->depth++;
	for (int n = arms_shape(t, 3); n >= 0; n--) {
		int kind = t->depth > ARMS_DEEPEST ? 9 : arms_shape(t, 12);
		switch (kind) {
		case 0: case 1: arms_if(t, false); break;
		case 2: arms_if(t, true); break;
		case 3: arms_loop(t); break;
		case 4: arms_region(t); break;
		default: arms_straight(t, 1 + arms_shape(t, 5));
		}
	}
	t->depth--;
}

static inline void arms_map(ArmsText *t)
{
	switch (arms_own(t, 3)) {
	case 0: break;
	case 1:
		for (int k = 0; k < ARMS_REGS; k++)
			t->map[k] = (t->map[k] + ARMS_REGS / 2) % ARMS_REGS;
		break;
	default:
		for (int k = ARMS_REGS - 1; k > 0; k--) {
			int j = arms_own(t, k + 1), x = t->map[k];
			t->map[k] = t->map[j];
			t->map[j] = x;
		}
	}
}

/* A divergent branch and its arms. */
static inline void arms_region(ArmsText *t)
{
	int yes = t->label++, no = t->label++, on = t->label++, saved[ARMS_REGS];
	bool other = t->other, plain = arms_shape(t, 8) == 0;
	uint64_t shape;
	sb_printf(&t->s, "\t%%m = xor.b32 %%r%d, %%lane\n\t%%m = mul.lo.u32 %%m, 2654435761\n\t%%q%d = setp.lt.s32 %%m, 0\n\tbra %s%%q%d, L%d, L%d\n", arms_reg(t),
		t->depth, arms_shape(t, 3) ? "" : "!", t->depth, yes, no);
	memcpy(saved, t->map, sizeof saved);
	shape = t->shape;
	arms_block(t, yes);
	arms_sequence(t);
	sb_printf(&t->s, "\tbra L%d\n", on);
	arms_block(t, no);
	if (arms_own(t, 3) == 0) {     /* the block has no more than a jump */
		sb_printf(&t->s, "\tbra L%d\n", t->label);
		arms_block(t, t->label++);
	}
	arms_map(t);
	t->other ^= arms_own(t, 2) == 0;
	t->shape = shape;
	if (plain)                     /* a block that has something of the other arm */
		arms_straight(t, 4);
	else
		arms_sequence(t);
	if (!plain && arms_own(t, 4) == 0 && t->depth < ARMS_DEEPEST) { /* a chain of ways */
		uint64_t behind = t->shape;
		t->depth++;
		arms_region(t);
		t->depth--;
		t->shape = behind;
	}
	sb_printf(&t->s, "\tbra L%d\n", on);
	arms_block(t, on);
	memcpy(t->map, saved, sizeof saved);
	t->other = other;
}

static inline void arms_end(ArmsText *t)
{
	for (int k = 0; k < ARMS_REGS; k++)
		sb_printf(&t->s, "\tst.global.u32 [%%a+%d], %%r%d\n", 64 + 4 * k, k);
	for (int k = 0; k < 4; k++)
		sb_printf(&t->s, "\tst.global.u64 [%%a+%d], %%w%d\n\t%%r%d = ld.shared.u32 [%%sa+%d]\n\tst.global.u32 [%%a+%d], %%r%d\n", 96 + 8 * k, k, k, 16 * k,
			128 + 4 * k, k);
	sb_puts(&t->s, "\t%m = selp.u32 1, 2, %p1\n\tst.global.u32 [%a+144], %m\n\tst.global.u32 [%a+148], %t3\n\texit\n}\n");
}

/* The caller frees the text. */
static inline char *random_arms(uint64_t seed, int unlike)
{
	ArmsText t = { .shape = seed * 0x9e3779b97f4a7c15u + 1, .own = seed * 0xbf58476d1ce4e5b9u + 7, .unlike = unlike };
	sb_printf(&t.s, "kernel k(u64 in, u64 out, u64 acc, u32 n)\n{\n\tshared b8 room[%d]\n\treg u32 %%lane, %%m, %%sa, %%sb, %%i0, %%i1, %%i2, %%i3, %%i4, %%i5\n"
		"\treg pred %%p0, %%p1, %%p2, %%q0, %%q1, %%q2, %%q3, %%q4, %%q5\n\treg u64 %%a, %%b, %%w0, %%w1, %%w2, %%w3\n"
		"\treg u32 %%r0, %%r1, %%r2, %%r3, %%r4, %%r5, %%r6, %%r7, %%t0, %%t1, %%t2, %%t3, %%t4, %%t5, %%t6, %%t7\nstart:\n\t%%lane = mov.u32 %%tid.x\n"
		"\t%%b = mul.wide.u32 %%lane, %d\n\t%%a = ld.param.u64 [out]\n\t%%a = add.u64 %%a, %%b\n\t%%b = add.u64 %%a, 32\n"
		"\t%%sa = mov.u32 room\n\t%%sa = mad.lo.u32 %%lane, 64, %%sa\n\t%%sb = add.u32 %%sa, 32\n\t%%p1 = setp.lt.u32 %%lane, 9\n\t%%p2 = setp.lt.u32 %%lane, 3\n"
		"\t%%p0 = mov.pred 0\n", 64 * ARMS_THREADS, 4 * ARMS_WORDS);
	for (int k = 0; k < ARMS_REGS; k++) {
		t.map[k] = k;
		sb_printf(&t.s, "\t%%r%d = mad.lo.u32 %%lane, %d, %d\n\t%%t%d = mov.u32 %d\n\tst.global.u32 [%%a+%d], %%r%d\n\tst.shared.u32 [%%sb+%d], %%r%d\n", k,
			arms_own(&t, 999), arms_own(&t, 99), k, arms_own(&t, 9), 8 * k, k, 4 * k, k);
	}
	for (int k = 0; k < 4; k++)
		sb_printf(&t.s, "\t%%w%d = mov.u64 %d\n", k, arms_own(&t, 9));
	for (int n = 1 + arms_own(&t, 3); n > 0; n--) {
		int turns = arms_own(&t, 3), head = t.label++;
		sb_printf(&t.s, "\t%%i5 = mov.u32 %d\n\tbra L%d\n", turns, head);
		arms_block(&t, head);
		arms_region(&t);
		if (turns) {
			sb_printf(&t.s, "\t%%p0 = setp.eq.u32 %%i5, 0\n\t%%i5 = sub.u32 %%i5, 1\n\tbra %%p0, L%d, L%d\n", t.label, head);
			arms_block(&t, t.label++);
		}
	}
	arms_end(&t);
	return t.s.s;
}
#endif
