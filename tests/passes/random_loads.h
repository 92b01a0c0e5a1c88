/* Random nests of loops over arrays with loads, stores that may meet them, and branches. Orderly: every
 * branch is uniform, or lanes part at it in each warp that comes to it: it decides by a bit of the lane that
 * no branch around it decides by. */
#ifndef TEST_RANDOM_LOADS_H
#define TEST_RANDOM_LOADS_H
#include "lib/strbuf.h"
#include <stdbool.h>
#include "tests/random.h"

/* each thread has so many words; what it counts is in word RL_LOADS */
enum { RL_THREADS = 32, RL_WORDS = 64, RL_LOADS = 60, RL_DEEPEST = 3, RL_BITS = 4 };

typedef struct RandomLoads {
	uint64_t rng;
	StrBuf s;
	int label, depth, bits, room;
	bool orderly;
} RandomLoads;

static inline int rl_pick(RandomLoads *t, int n) { return (int)(random_next(&t->rng) % (uint64_t)n); }

/* %c: a uniform condition in orderly code; else one that each thread has its own of, or one that is always
   the same. */
static inline void rl_chance(RandomLoads *t)
{
	if (!rl_pick(t, 10)) {
		sb_printf(&t->s, "\t%%r = mov.u32 %d\n\t%%c = setp.lt.u32 %%r, 100\n", 99 + rl_pick(t, 2));
	} else if (t->orderly) {
		sb_printf(&t->s, "\t%%r = mad.lo.u32 %%i%d, %d, %d\n\t%%r = mad.lo.u32 %%i%d, %d, %%r\n"
			"\t%%r = and.b32 %%r, 255\n\t%%c = setp.lt.u32 %%r, %d\n", t->depth, rl_pick(t, 1000),
			rl_pick(t, 256), rl_pick(t, t->depth + 1), rl_pick(t, 1000), 40 + rl_pick(t, 180));
	} else {
		sb_puts(&t->s, "\t%x = mad.lo.u32 %x, 1664525, 1013904223\n\t%r = shr.u32 %x, 24\n");
		sb_printf(&t->s, "\t%%c = setp.lt.u32 %%r, %d\n", 40 + rl_pick(t, 180));
	}
}

static inline void rl_part(RandomLoads *t)
{
	sb_printf(&t->s, "\t%%r = shr.u32 %%l, %d\n\t%%r = and.b32 %%r, 1\n\t%%c = setp.eq.u32 %%r, %d\n",
		t->bits, rl_pick(t, 2));
}

static inline void rl_load(RandomLoads *t)
{
	int k = rl_pick(t, t->depth + 1), at = 4 * rl_pick(t, 6);
	if (rl_pick(t, 4)) {
		sb_printf(&t->s, "\t%%v = ld.global.u32 [%%p%d+%d]\n", k, at);
	} else if (rl_pick(t, 3) == 0) { /* by an index of 8 bits, which as a signed number is below 0 */
		sb_printf(&t->s, "\t%%j = add.u32 %%i%d, %d\n\t%%w = cvt.u64.u8 %%j\n"
			"\t%%w = mad.lo.u64 %%w, 4, %%p0\n\t%%v = ld.global.u32 [%%w-960]\n", k,
			240 + at / 4);
	} else {               /* by an index of 32 bits */
		sb_printf(&t->s, "\t%%j = add.u32 %%i%d, %d\n\t%%w = mul.wide.u32 %%j, 4\n"
			"\t%%w = add.u64 %%p0, %%w\n\t%%v = ld.global.u32 [%%w]\n", k, at / 4);
	}
	sb_puts(&t->s, "\t%y = mad.lo.u32 %y, 31, %v\n");
}

static inline void rl_sequence(RandomLoads *);

static inline void rl_branch(RandomLoads *t)
{
	int yes = t->label++, no = t->label++, on = t->label++;
	bool parts = t->orderly && t->bits < RL_BITS && rl_pick(t, 4);
	if (parts)
		rl_part(t);
	else
		rl_chance(t);
	t->bits += parts;
	sb_printf(&t->s, "\tbra %%c, L%d, L%d\nL%d:\n", yes, rl_pick(t, 2) ? no : on, yes);
	rl_sequence(t);
	sb_printf(&t->s, "\tbra L%d\nL%d:\n", on, no);
	rl_sequence(t);
	sb_printf(&t->s, "\tbra L%d\nL%d:\n", on, on);
	t->bits -= parts;
}

static inline void rl_loop(RandomLoads *t)
{
	static const int strides[] = { 4, 4, 4, 4, 8, 0, -4 };
	int head = t->label++, out = t->label++, from = rl_pick(t, t->depth + 1), d = ++t->depth,
		stride = strides[rl_pick(t, 7)];
	sb_printf(&t->s, "\t%%p%d = add.u64 %%p%d, %d\n\t%%i%d = mov.u32 0\n\tbra L%d\nL%d:\n", d, from,
		stride < 0 ? 16 : 0, d, head, head);
	rl_sequence(t);
	if (!rl_pick(t, 3)) {  /* another way out */
		int on = t->label++;
		rl_chance(t);
		sb_printf(&t->s, "\tbra %%c, L%d, L%d\nL%d:\n", on, out, on);
	}
	sb_printf(&t->s, "\t%%p%d = add.u64 %%p%d, %d\n\t%%i%d = add.u32 %%i%d, 1\n", d, d, stride, d, d);
	if (rl_pick(t, 2))
		rl_sequence(t);
	rl_chance(t);
	sb_printf(&t->s, "\t%%c = setp.lt.and.u32 %%i%d, 4, %%c\n\tbra %%c, L%d, L%d\nL%d:\n", d, head, out,
		out);
	t->depth--;
}

static inline void rl_end(RandomLoads *t)
{
	sb_printf(&t->s, "\tst.global.u32 [%%a+%d], %%y\n\tst.global.u32 [%%a+%d], %%loads\n\texit\n",
		4 * RL_LOADS + 4, 4 * RL_LOADS);
}

/* The thread ends here, if it does. */
static inline void rl_leave(RandomLoads *t)
{
	int end = t->label++, on = t->label++;
	rl_chance(t);
	sb_printf(&t->s, "\t%%c = setp.gt.and.u32 %%r, 120, %%c\n\tbra %%c, L%d, L%d\nL%d:\n", end, on, end);
	rl_end(t);
	sb_printf(&t->s, "L%d:\n", on);
}

static inline void rl_sequence(RandomLoads *t)
{
	for (int n = 1 + rl_pick(t, 4); n-- && t->room-- > 0;)
		switch (rl_pick(t, 12)) {
		case 0: rl_branch(t); break;
		case 1: case 2:
			if (t->depth < RL_DEEPEST - 1)
				rl_loop(t);
			break;
		case 3:
			sb_printf(&t->s, "\tst.global.u32 [%%p%d+%d], %%y\n", rl_pick(t, t->depth + 1),
				rl_pick(t, 2) ? 4 * rl_pick(t, 6) : 120 + 4 * rl_pick(t, 6));
			break;
		case 4:
			if (t->orderly)
				rl_branch(t);
			else if (!rl_pick(t, 4))
				rl_leave(t);
			break;
		default: rl_load(t);
		}
}

/* A kernel with thread's words at %a; the caller frees the text. %loads is there for loads to be counted
   in. */
static inline char *random_loads(uint64_t seed, bool orderly)
{
	RandomLoads t = { .rng = seed * 7919 + 1, .room = 40, .orderly = orderly };
	sb_puts(&t.s, "kernel k(u64 in, u64 out, u64 acc, u32 n)\n{\n"
		"\treg u32 %l, %x, %r, %v, %y, %j, %loads, %i0, %i1, %i2, %i3\n"
		"\treg u64 %a, %w, %p0, %p1, %p2, %p3\n\treg pred %c\n");
	sb_printf(&t.s, "E:\n\t%%l = mov.u32 %%tid.x\n\t%%w = mul.wide.u32 %%l, %d\n"
		"\t%%a = ld.param.u64 [out]\n\t%%a = add.u64 %%a, %%w\n\t%%loads = ld.param.u32 [n]\n",
		RL_WORDS * 4);
	sb_printf(&t.s, "\t%%x = mad.lo.u32 %%l, 2654435, %d\n\t%%y = mov.u32 1\n\t%%p0 = mov.u64 %%a\n"
		"\t%%i0 = mov.u32 0\n", (int)(seed % 100000));
	for (int k = 0; k < 16; k++)
		sb_printf(&t.s, "\t%%x = mad.lo.u32 %%x, 1664525, 1013904223\n"
			"\tst.global.u32 [%%a+%d], %%x\n", 4 * k);
	for (int k = 0; k < 3; k++)
		rl_loop(&t), rl_sequence(&t);
	rl_end(&t);
	sb_puts(&t.s, "}\n");
	return t.s.s;
}
#endif
