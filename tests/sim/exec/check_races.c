/* Races between blocks, against a search by force: random kernels whose accesses the test knows. It lists for
 * every byte which blocks access it by which instruction, and asks of every two. What a run finds is that, in
 * the reference interpreter and on the machine, whatever mechanism, window and number of host threads. */
#include "lib/strbuf.h"
#include "sim/host/run.h"
#include "tests/random.h"
#include "tests/check.h"

static uint64_t rng;
static uint32_t pick(uint32_t n) { return (uint32_t)(random_next(&rng) % n); }

/* the variable that is accessed crosses pages of 4096 bytes */
enum { ACCESSES = 6, UNITS = 64, BYTES = 16 * UNITS, MOST_BLOCKS = 12,
	BEFORE = 1 /* what each byte is before a launch */, BASE = 4096 - 256 };

/* ---- accesses ---- */

typedef enum { LOAD, STORE, UPDATE } Kind;
typedef struct Random {
	Kind kind;
	int size, vec;                 /* bytes of an element, elements: 0, 2 or 4 */
	bool generic, is_volatile, own;  /* own: an atomic operation of scope .cta */
	/* unit (block * by_block + thread * by_thread + plus) & mask; threads below `threads` */
	uint32_t by_block, by_thread, plus, mask, threads;
	uint32_t value, various;       /* what it stores: value, and plus the block (1) or the thread (2) */
} Random;
/* barrier: the access of each kernel in front of which there is a barrier of the grid; 0: none */
typedef struct Program {
	uint32_t grid[2], threads;
	Random a[2][ACCESSES];
	int n[2], barrier[2];
	StrBuf text;
} Program;

static uint32_t blocks_of(const Program *p) { return p->grid[0] * p->grid[1]; }
static int width(const Random *a) { return a->size * (a->vec ? a->vec : 1); }

static Random any_access(const Program *p)
{
	static const int vecs[] = { 0, 0, 2, 4 };
	Random a = { .kind = (Kind)pick(3), .generic = pick(3) == 0, .is_volatile = pick(4) == 0,
		.own = pick(4) == 0, .size = 1 << pick(4), .by_block = pick(5),
		.by_thread = pick(3), .plus = pick(UNITS), .mask = UNITS / (1 + 7 * pick(2)) - 1,
		.threads = 1 + pick(p->threads), .various = pick(3), .value = pick(3) };
	a.size = a.kind == UPDATE && a.size < 4 ? 4 : a.size;
	a.vec = a.kind == UPDATE ? 0 : vecs[pick(4)];
	a.vec = width(&a) > 16 ? 2 : a.vec;
	return a;
}

static void write_access(Program *p, int kernel, int k)
{
	const Random *a = &p->a[kernel][k];
	StrBuf *t = &p->text, v = { 0 };
	static const char *const atom[] = { "atom.%sglobal.add.u%d [%%a], 1",
		"red.%sglobal.or.b%d [%%a], 4" };
	const char *space = a->generic ? "" : ".global", *order = a->is_volatile ? ".volatile" : "",
		*vec = a->vec == 2 ? ".v2" : a->vec == 4 ? ".v4" : "";
	sb_printf(t, "N%d:\n%s\t%%i = mad.lo.u32 %%b, %u, %u\n\t%%i = mad.lo.u32 %%t, %u, %%i\n"
		"\t%%i = and.b32 %%i, %u\n\t%%a = mov.u64 mem\n"
		"\t%%a = mad.wide.u32 %%i, %d, %%a\n\t%%p = setp.lt.u32 %%t, %u\n", k,
		k && k == p->barrier[kernel] ? "\tbarrier.grid\n" : "", a->by_block, a->plus, a->by_thread,
		a->mask, width(a), a->threads);
	sb_printf(t, "\t%%v%d = mov.u%d %u\n", a->size, a->size > 1 ? 8 * a->size : 16, a->value);
	if (a->various)
		sb_printf(t, "\t%%w = add.u32 %%%c, %u\n\t%%v%d = cvt.u%d.u32 %%w\n", " bt"[a->various],
			a->value, a->size, a->size > 1 ? 8 * a->size : 16);
	for (int e = 0; e < (a->vec ? a->vec : 1); e++)
		sb_printf(&v, "%s%%%c%d%.*s", e ? ", " : "", a->kind == LOAD ? 'r' : 'v', a->size,
			a->kind == LOAD, &"abcd"[e]);
	const char *open = a->vec ? "{" : "", *close = a->vec ? "}" : "";
	if (a->kind == LOAD)
		sb_printf(t, "\t@%%p %s%s%s = ld%s%s%s.u%d [%%a]\n", open, v.s, close, order, space, vec,
			8 * a->size);
	else if (a->kind == STORE)
		sb_printf(t, "\t@%%p st%s%s%s.u%d [%%a], %s%s%s\n", order, space, vec, 8 * a->size, open, v.s,
			close);
	else {
		sb_printf(t, "\t@%%p %s", k % 2 ? "" : "_ = ");
		sb_printf(t, k % 2 ? atom[1] : atom[0], a->own ? "cta." : "", 8 * a->size);
		sb_putc(t, '\n');
	}
	sb_free(&v);
}

static void invent(Program *p, bool barriers)
{
	*p = (Program){ .grid = { 1 + pick(4), 1 + pick(3) }, .threads = 1 + pick(70) };
	sb_printf(&p->text, "global u8 before[%d]\nglobal u8 mem[%d]\n", BASE, BYTES);
	for (int kernel = 0; kernel < 2; kernel++) {
		p->n[kernel] = 1 + (int)pick(ACCESSES);
		p->barrier[kernel] = barriers ? (int)pick((uint32_t)p->n[kernel]) : 0;
		sb_printf(&p->text, "kernel %c()\n{\n\treg u64 %%a\n\treg u16 %%v1, %%v2\n"
			"\treg u32 %%v4, %%i, %%w\n\treg u64 %%v8\n\treg pred %%p\n", "AB"[kernel]);
		for (int e = 0; e < 4; e++)
			sb_printf(&p->text, "\treg u16 %%r1%c, %%r2%c\n\treg u32 %%r4%c\n\treg u64 %%r8%c\n",
				"abcd"[e], "abcd"[e], "abcd"[e], "abcd"[e]);
		sb_puts(&p->text, "\t%t = mov.u32 %tid.x\n\t%b = mov.u32 %ctaid.y\n\t%x = mov.u32 %ctaid.x\n"
			"\t%n = mov.u32 %nctaid.x\n\t%b = mad.lo.u32 %b, %n, %x\n"
			"\tbra N0\n");
		for (int k = 0; k < p->n[kernel]; k++) {
			p->a[kernel][k] = any_access(p);
			write_access(p, kernel, k);
			sb_printf(&p->text, k + 1 < p->n[kernel] ? "\tbra N%d\n" : "\texit\n}\n", k + 1);
		}
	}
	sb_puts(&p->text, "host main()\n{\n\t%mem = mov.u64 mem\n");
	for (int kernel = 0; kernel < 2; kernel++)
		sb_printf(&p->text, "\tfill.u8 %%mem, %d, %d\n\tlaunch %c, (%u, %u, 1), (%u, 1, 1), 0, ()\n",
			BEFORE, BYTES, "AB"[kernel], p->grid[0], p->grid[1], p->threads);
	sb_puts(&p->text, "\texit\n}\n");
}

/* ---- the search by force ---- */

/* of a byte: who; values: different ones written, at most 2 */
typedef struct Touch { bool does[ACCESSES][MOST_BLOCKS]; int values; bool unchanged; uint8_t value; } Touch;
typedef struct Truth { Touch byte[BYTES]; } Truth;

static void write_value(Touch *b, uint8_t now)
{
	if (!b->values)
		b->unchanged = now == BEFORE;
	b->values = b->values && b->value == now ? b->values : b->values + 1;
	b->value = now;
}

static void touch(const Program *p, int kernel, Truth *truth)
{
	memset(truth, 0, sizeof *truth);
	for (int k = 0; k < p->n[kernel]; k++)
		for (uint32_t block = 0; block < blocks_of(p); block++)
			for (uint32_t thread = 0; thread < p->a[kernel][k].threads; thread++) {
				const Random *a = &p->a[kernel][k];
				uint32_t unit = (block * a->by_block + thread * a->by_thread + a->plus) &
					a->mask;
				uint64_t value = a->value + (a->various == 1 ? block
					: a->various == 2 ? thread : 0);
				for (int n = 0; n < width(a); n++) {
					Touch *b = &truth->byte[(int)unit * width(a) + n];
					b->does[k][block] = true;
					if (a->kind == STORE)
						write_value(b, (uint8_t)(value >> 8 * (n % a->size)));
					else if (a->kind == UPDATE)
						b->values = 2;
				}
			}
}

static bool may_race(const Random *a, const Random *b)
{
	bool atomic = a->kind == UPDATE && b->kind == UPDATE && !a->own && !b->own;
	return (a->kind != LOAD || b->kind != LOAD) && !atomic;
}

typedef struct Expected { uint64_t bytes, same, offset, block[2]; } Expected;

/* The first two blocks, of all there are, that access the byte by the two instructions and are different. */
static bool race_at(const bool *a, const bool *b, uint32_t n, uint64_t block[2])
{
	for (uint32_t x = 0; x < n; x++)
		for (uint32_t y = 0; y < n; y++)
			if (a[x] && b[y] && x != y) {
				block[0] = x;
				block[1] = y;
				return true;
			}
	return false;
}

static Expected expect(const Program *p, const Random *a, const Random *b, const Truth *first,
	const Truth *second, int i, int k)
{
	Expected e = { 0 };
	for (int n = 0; n < BYTES && may_race(a, b); n++) {
		const Touch *t = &first->byte[n];
		uint64_t block[2];
		if (!race_at(t->does[i], second->byte[n].does[k], blocks_of(p), block))
			continue;
		if (!e.bytes++) {
			e.offset = (uint64_t)n;
			memcpy(e.block, block, sizeof block);
		}
		e.same += t->values == 1 && ((a->kind == STORE && b->kind == STORE) || t->unchanged);
	}
	return e;
}

/* ---- runs ---- */

static const char *const verb[] = { "reads", "writes", "updates" };

static void check_pair(const Program *p, const RaceStats *s, const Expected *e, const char *kernel[2],
	const Random *side[2], int i, int k, bool same)
{
	int at[2] = { i, k };
	for (int n = 0; n < 2; n++) {
		char label[16];
		snprintf(label, sizeof label, "N%d", at[n]);
		ck_assert_msg(!strcmp(s->end[n].label, label) && !strcmp(s->end[n].function, kernel[n]),
			"%s\nfound %s, expected %s", p->text.s, s->end[n].label, label);
		ck_assert_str_eq(s->end[n].access, verb[side[n]->kind]);
		ck_assert_msg(s->end[n].block == e->block[n], "%s\n%s, %d %d: block %d, expected %d",
			p->text.s, kernel[0], i, k, (int)s->end[n].block, (int)e->block[n]);
	}
	ck_assert_str_eq(s->buffer, "mem");
	ck_assert_msg(s->bytes == e->bytes && s->offset == e->offset && (!same || s->same == e->same),
		"%s\n%s N%d, %s N%d: %d bytes at %d, same %d; expected %d, %d, %d", p->text.s, kernel[0], i,
		kernel[1], k, (int)s->bytes, (int)s->offset, (int)s->same, (int)e->bytes, (int)e->offset,
		(int)e->same);
}

static int check_launch(const Program *p, const LaunchStats *s, int kernel, const Truth *t)
{
	const char *name = kernel ? "B" : "A", *names[2] = { name, name };
	int n = 0;
	for (int i = 0; i < p->n[kernel]; i++)
		for (int k = i; k < p->n[kernel]; k++) {
			const Random *side[2] = { &p->a[kernel][i], &p->a[kernel][k] };
			Expected e = expect(p, side[0], side[1], t, t, i, k);
			if (!e.bytes || (i < p->barrier[kernel] && k >= p->barrier[kernel]))
				continue;
			ck_assert_msg(n < s->tables.races.n, "%s\n%s: N%d and N%d are not found", p->text.s,
				name, i, k);
			/* what lies there at a barrier depends on races before it */
			check_pair(p, &s->tables.races.v[n++], &e, names, side, i, k, !p->barrier[kernel]);
		}
	ck_assert_int_eq(n, s->tables.races.n);
	return n;
}

static int check_between(const Program *p, const LaunchStats *s, const Truth *first, const Truth *second)
{
	const char *names[2] = { "A", "B" };
	int n = 0;
	ck_assert_int_eq(s->behind, 1);
	for (int i = 0; i < p->n[0]; i++)
		for (int k = 0; k < p->n[1]; k++) {
			const Random *side[2] = { &p->a[0][i], &p->a[1][k] };
			Expected e = expect(p, side[0], side[1], first, second, i, k);
			if (!e.bytes)
				continue;
			ck_assert_msg(n < s->nbetween, "%s\nbetween: N%d and N%d are not found", p->text.s, i,
				k);
			check_pair(p, &s->between_stats[n++], &e, names, side, i, k, false);
		}
	ck_assert_int_eq(n, s->nbetween);
	return n;
}

typedef struct Way { const char *model; bool reference, functional; int threads; uint64_t window; } Way;
static const Way ways[] = { { "ipdom", true, false, 1, 0 }, { "ipdom", false, true, 1, 0 },
	{ "ipdom", false, false, 1, 0 }, { "its", false, false, 2, 1 },
	{ "tf_stack", false, false, 2, 0 }, { "exec_mask", false, true, 1, 0 },
	{ "mimd", false, false, 1, 7 } };
enum { WAYS = sizeof ways / sizeof *ways };

static Run *run(const Module *m, const Config *c, const Way *w, Diag *d)
{
	RunOptions o = { .gpu = { .functional = w->functional, .threads = w->threads, .window = w->window },
		.reference = w->reference, .races = true, .race_launches = true };
	Run *r = run_new(c, m, &o, d);
	ck_assert(r != NULL);
	run_module(r);
	ck_assert_int_eq(r->launch.n, 2);
	return r;
}

START_TEST(against_force)
{
	static Truth truth[2];
	int found = 0, clean = 0;
	for (int round = 0; round < 40; round++) {
		Program p;
		Diag d = { 0 };
		rng = (uint64_t)_i * 1000 + (uint64_t)round;
		invent(&p, round % 3 == 0);
		Module *m = ir_read(p.text.s, strlen(p.text.s), "random.ir", &d);
		diag_print(&d, stderr);
		ck_assert_msg(m != NULL, "%s", p.text.s);
		bool meets = p.barrier[0] || p.barrier[1];
		for (int k = 0; k < WAYS; k++) {
			Config c;
			config_defaults(&c);
			ck_assert(config_set_model(&c, ways[k].model, &d) &&
				config_set(&c, "sm.count", "3", &d) &&
				config_set(&c, "sm.max_blocks", round % 2 && !meets ? "1" : "8",
				&d) /* all blocks that meet are resident */ && config_check(&c, &d));
			Run *r = run(m, &c, &ways[k], &d);
			int n = 0;
			for (int kernel = 0; kernel < 2; kernel++) {
				touch(&p, kernel, &truth[kernel]);
				n += check_launch(&p, r->launch.v[kernel], kernel, &truth[kernel]);
			}
			ck_assert_int_eq(r->status, n ? RUN_FAILED : RUN_OK);
			found += n > 0;
			clean += n == 0;
			found += check_between(&p, r->launch.v[1], &truth[0], &truth[1]) > 0;
			run_free(r);
		}
		module_free(m);
		diag_free(&d);
		sb_free(&p.text);
	}
	ck_assert_int_gt(found, 40);
	ck_assert_int_gt(clean, 10);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("races");
	TCase *t = tcase_create("races");
	tcase_add_loop_test(t, against_force, 0, 8);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
