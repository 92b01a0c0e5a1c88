/* Random nests of loops as text: two to four deep, several inner loops, tests at the top, at the bottom, and
 * before; breaks and continues of any level, returns, indexed branches, guards, constant predicates, counters
 * that the loop's body overwrites. Each thread has so much fuel, and every turn takes some of it. %h gets a
 * hash of the blocks that the thread visits, in their order. */
#ifndef TEST_RANDOM_NEST_H
#define TEST_RANDOM_NEST_H
#include "lib/strbuf.h"
#include "tests/random.h"

enum { NEST_DEEPEST = 4, NEST_WORDS = 4 /* of out, for each thread */ };

typedef struct NestText {
	uint64_t rng;
	StrBuf s;
	int label, deepest, depth, statements;
	struct { int again, leave; } loop[NEST_DEEPEST];
} NestText;

static inline int nest_pick(NestText *t, int n) { return (int)(random_next(&t->rng) % (uint64_t)n); }

static inline void nest_open(NestText *t, int label)
{
	sb_printf(&t->s, "L%d:\n\t%%h = mad.lo.u32 %%h, 31, %d\n"
		"\t%%x = mad.lo.u32 %%x, 1664525, 1013904223\n", label, label + 1);
}

/* %p: holds for so many of 256 values. */
static inline void nest_chance(NestText *t, int most)
{
	sb_printf(&t->s, "\t%%r = shr.u32 %%x, 24\n\t%%p = setp.lt.u32 %%r, %d\n", most);
}

static inline void nest_end(NestText *t) /* the thread's results, and its end */
{
	sb_puts(&t->s, "\tst.global.u32 [%a], %h\n\tst.global.u32 [%a+4], %x\n\tst.global.u32 [%a+8], %y\n"
		"\texit\n");
}

static inline void nest_sequence(NestText *);

static inline void nest_work(NestText *t)
{
	switch (nest_pick(t, 4)) {
	case 0: sb_puts(&t->s, "\t%y = add.u32 %y, %x\n"); break;
	case 1:
		nest_chance(t, 100);
		sb_printf(&t->s, "\t@%s%%p %%y = xor.b32 %%y, %d\n", nest_pick(t, 2) ? "!" : "",
			nest_pick(t, 1000));
		break;
	case 2:
		sb_puts(&t->s, "\t%v = ld.global.u32 [%a+12]\n\t%v = add.u32 %v, %y\n"
			"\tst.global.u32 [%a+12], %v\n");
		break;
	default:
		if (t->depth) /* a counter is overwritten */
			sb_printf(&t->s, "\t%%r = and.b32 %%x, 12\n\t%%p = setp.eq.u32 %%r, 0\n"
				"\t@%%p %%i%d = mov.u32 %d\n", nest_pick(t, t->depth), nest_pick(t, 9));
	}
}

/* A jump to the end or the next turn of a loop around, when %p and there is fuel left; else on. */
static inline void nest_jump(NestText *t)
{
	int k = nest_pick(t, t->depth), on = t->label++;
	bool again = nest_pick(t, 2);
	nest_chance(t, 30 + nest_pick(t, 60));
	if (again)
		sb_puts(&t->s, "\t%p = setp.gt.and.s32 %fuel, 0, %p\n");
	sb_printf(&t->s, "\tbra %%p, L%d, L%d\n", again ? t->loop[k].again : t->loop[k].leave, on);
	nest_open(t, on);
}

static inline void nest_if(NestText *t)
{
	int yes = t->label++, no = t->label++, on = t->label++;
	static const char *const condition[] = { "%p", "!%p", "1", "0" };
	nest_chance(t, 128);
	sb_printf(&t->s, "\tbra %s, L%d, L%d\n", condition[nest_pick(t, 10) ? nest_pick(t, 2)
		: 2 + nest_pick(t, 2)], yes, no);
	nest_open(t, yes);
	nest_sequence(t);
	sb_printf(&t->s, "\tbra L%d\n", on);
	nest_open(t, no);
	nest_work(t);
	sb_printf(&t->s, "\tbra L%d\n", on);
	nest_open(t, on);
}

static inline void nest_return(NestText *t)
{
	int yes = t->label++, on = t->label++;
	nest_chance(t, 8);
	sb_printf(&t->s, "\tbra %%p, L%d, L%d\n", yes, on);
	nest_open(t, yes);
	nest_end(t);
	nest_open(t, on);
}

static inline void nest_switch(NestText *t)
{
	int a = t->label++, b = t->label++, on = t->label++, k = t->depth ? nest_pick(t, t->depth) : -1;
	sb_printf(&t->s, "\t%%r = shr.u32 %%x, 29\n\tbrx %%r, [L%d, L%d, L%d, L%d, L%d, L%d, L%d, L%d]\n", a,
		b, on, a, on, k >= 0 ? t->loop[k].leave : b, b, on);
	nest_open(t, a);
	nest_sequence(t);
	sb_printf(&t->s, "\tbra L%d\n", b);
	nest_open(t, b);
	nest_work(t);
	sb_printf(&t->s, "\tbra L%d\n", on);
	nest_open(t, on);
}

static inline void nest_test(NestText *t, int d, int stay, int leave)
{
	sb_printf(&t->s, "\t%%i%d = add.u32 %%i%d, 1\n\t%%p = setp.lt.u32 %%i%d, %%n%d\n"
		"\t%%p = setp.gt.and.s32 %%fuel, 0, %%p\n", d, d, d, d);
	if (nest_pick(t, 2))
		sb_printf(&t->s, "\tbra %%p, L%d, L%d\n", stay, leave);
	else
		sb_printf(&t->s, "\t%%p = not.pred %%p\n\tbra %%p, L%d, L%d\n", leave, stay);
}

static inline void nest_loop(NestText *t)
{
	int d = t->depth++, head = t->label++, body = t->label++, latch = t->label++, leave = t->label++,
		form = nest_pick(t, 4);
	t->loop[d].again = nest_pick(t, 2) ? latch : head;
	t->loop[d].leave = leave;
	sb_printf(&t->s, "\t%%i%d = mov.u32 0\n\t%%n%d = shr.u32 %%x, %d\n\t%%n%d = and.b32 %%n%d, %d\n", d,
		d, 7 + nest_pick(t, 18), d, d, nest_pick(t, 2) ? 3 : 7);
	if (form == 0) /* a test before the first turn */
		sb_printf(&t->s, "\t%%p = setp.gt.u32 %%n%d, 0\n\tbra %%p, L%d, L%d\n", d, head, leave);
	else
		sb_printf(&t->s, "\tbra L%d\n", head);
	nest_open(t, head);
	sb_puts(&t->s, "\t%fuel = sub.u32 %fuel, 1\n");
	if (form == 1) /* the test at the top */
		nest_test(t, d, body, leave);
	else
		sb_printf(&t->s, "\tbra L%d\n", body);
	nest_open(t, body);
	if (t->depth < 2)
		nest_loop(t);
	nest_sequence(t);
	sb_printf(&t->s, "\tbra L%d\n", latch);
	nest_open(t, latch);
	if (form == 1)
		sb_printf(&t->s, "\tbra L%d\n", head);
	else
		nest_test(t, d, head, leave);
	nest_open(t, leave);
	t->depth--;
}

static inline void nest_sequence(NestText *t)
{
	for (int n = nest_pick(t, 3); n >= 0 && t->statements > 0; n--) {
		t->statements--;
		switch (nest_pick(t, 9)) {
		case 0: case 1: case 2:
			if (t->depth < t->deepest)
				nest_loop(t);
			break;
		case 3: nest_if(t); break;
		case 4:
			if (t->depth)
				nest_jump(t);
			break;
		case 5: nest_return(t); break;
		case 6: nest_switch(t); break;
		default: nest_work(t);
		}
	}
}

/* The caller frees the text. */
static inline char *random_nest(uint64_t seed)
{
	NestText t = { .rng = seed * 0x9e3779b97f4a7c15u + 1 };
	t.deepest = 2 + nest_pick(&t, NEST_DEEPEST - 1);
	t.statements = 6 + nest_pick(&t, 14);
	sb_puts(&t.s, "kernel k(u64 in, u64 out, u64 acc, u32 n)\n{\n"
		"\treg u32 %h, %x, %y, %v, %r, %fuel, %i0, %n0, %i1, %n1, %i2, %n2, %i3, %n3\n"
		"\treg pred %p\n\treg u64 %a, %b\nstart:\n\t%h = mov.u32 7\n\t%y = mov.u32 0\n"
		"\t%x = mov.u32 %tid.x\n\t%b = mul.wide.u32 %x, 16\n"
		"\t%a = ld.param.u64 [out]\n\t%a = add.u64 %a, %b\n\t%fuel = and.b32 %x, 31\n"
		"\t%fuel = add.u32 %fuel, 40\n");
	for (int d = 0; d < NEST_DEEPEST; d++)
		sb_printf(&t.s, "\t%%i%d = mov.u32 0\n\t%%n%d = mov.u32 0\n", d, d);
	sb_printf(&t.s, "\t%%x = mad.lo.u32 %%x, 747796405, %u\n", (unsigned)random_next(&t.rng));
	nest_loop(&t);
	nest_end(&t);
	sb_puts(&t.s, "}\n");
	return t.s.s;
}
#endif
