/* forward-stores on small random kernels that store and load the same few bytes in every way: of other
 * widths, through an address that is computed anew or walks in a loop, behind guards whose predicate changes,
 * on sides of branches, and in shared memory behind barriers, the thread's own word and the neighbour's.
 * Memory is what it was, and no warp loads more often. */
#include "lib/strbuf.h"
#include "passes/pass.h"
#include "tests/passes/fuse_pair.h"
#include "tests/random.h"

enum { ROUNDS = 400 };

static uint64_t rng;
static int pick(int n) { return (int)(random_next(&rng) % (unsigned)n); }

typedef struct Text { StrBuf s; int labels, level; } Text; /* level: of branches and loops around */

static const char *guard(void)
{
	static const char *const guards[] = { "", "", "", "@%p0 ", "@%p1 ", "@!%p0 " };
	return guards[pick(6)];
}

static void access(Text *t)
{
	static const struct { const char *type; int bytes; } types[] =
		{ { "u32", 4 }, { "s32", 4 }, { "b32", 4 }, { "u16", 2 }, { "s16", 2 }, { "u8", 1 },
		{ "s8", 1 }, { "u32", 4 } };
	int k = pick(8), offset = pick(3) ? 0 : pick(8 / types[k].bytes) * types[k].bytes;
	const char *base = pick(2) ? "%own" : "%q";
	if (pick(12) == 0)
		sb_printf(&t->s, "\t%sst.global.v2.u32 [%s], {%%v%d, %%v%d}\n", guard(),
			pick(2) ? "%own" : "%own+8", pick(4), pick(4));
	else if (pick(12) == 0)
		sb_printf(&t->s, "\t%s{%%v%d, %%v%d} = ld.global.v2.u32 [%%own]\n", guard(), pick(2),
			2 + pick(2));
	else if (pick(2))
		sb_printf(&t->s, "\t%sst.global.%s [%s+%d], %%v%d\n", guard(), types[k].type, base, offset,
			pick(4));
	else
		sb_printf(&t->s, "\t%s%%v%d = ld.global.%s [%s+%d]\n", guard(), pick(4), types[k].type, base,
			offset);
}

static void compute(Text *t)
{
	switch (pick(5)) {
	case 0: sb_printf(&t->s, "\t%%p%d = setp.lt.s32 %%v%d, %%v%d\n", pick(2), pick(4), pick(4)); break;
	case 1:
		sb_printf(&t->s, "\t%%m = and.b32 %%v%d, 1\n\t%%q = mad.wide.u32 %%m, 8, %%own\n", pick(4));
		break;
	case 2: sb_printf(&t->s, "\t%%v%d = mov.u32 %d\n", pick(4), pick(1000)); break;
	default:
		sb_printf(&t->s, "\t%s%%v%d = mad.lo.u32 %%v%d, 13, %%v%d\n", guard(), pick(4), pick(4),
			pick(4));
		break;
	}
}

static void statements(Text *t, int n);

static void branch(Text *t)
{
	int l = t->labels++, p = pick(2);
	sb_printf(&t->s, "\tbra %s%%p%d, T%d, F%d\nT%d:\n", pick(2) ? "!" : "", p, l, l, l);
	statements(t, pick(4));
	sb_printf(&t->s, "\tbra J%d\nF%d:\n", l, l);
	statements(t, pick(4));
	sb_printf(&t->s, "\tbra J%d\nJ%d:\n", l, l);
}

/* The address walks through the thread's bytes. */
static void loop(Text *t)
{
	int l = t->labels++, walks = pick(2);
	sb_printf(&t->s, "\t%%k%d = mov.u32 0\n%sL%d:\n", l, walks ? "\t%q = mov.u64 %own\n" : "", l);
	statements(t, 1 + pick(3));
	access(t);
	if (walks)
		sb_puts(&t->s, "\t%q = add.u64 %q, 4\n");
	access(t);
	sb_printf(&t->s, "\t%%k%d = add.u32 %%k%d, 1\n\t%%again = setp.lt.u32 %%k%d, 3\n"
		"\tbra %%again, L%d, E%d\nE%d:\n", l, l, l, l, l, l);
	if (walks && pick(2))
		access(t);
	sb_puts(&t->s, "\t%q = mov.u64 %own\n");
}

/* Words of shared memory: between barriers each is touched by one thread. */
static void neighbours(Text *t)
{
	sb_printf(&t->s, "\tst.shared.u32 [%%s], %%v%d\n\tbar.sync 0\n", pick(4));
	if (pick(2))
		sb_printf(&t->s, "\t%%v%d = ld.shared.u32 [%%s]\n", pick(4));
	if (pick(2))
		sb_printf(&t->s, "\tbar.sync 0\n\tst.shared.u32 [%%s+%d], %%v%d\n\tbar.sync 0\n", 4 * pick(2),
			pick(4));
	sb_printf(&t->s, "\t%%v%d = ld.shared.u32 [%%s]\n\tbar.sync 0\n", pick(4));
}

static void statements(Text *t, int n)
{
	t->level++;
	for (int k = 0; k < n; k++)
		switch (pick(t->level < 3 ? 12 : 9)) {
		case 0: case 1: case 2: case 3: case 4: case 5: access(t); break;
		case 6: case 7: case 8: compute(t); break;
		case 9: branch(t); break;
		case 10: loop(t); break;
		default:
			if (t->level == 1)
				neighbours(t);
			break;
		}
	t->level--;
}

static void invent(Text *t)
{
	*t = (Text){ 0 };
	sb_puts(&t->s, "kernel k(u64 x) reqntid(32, 1, 1)\n{\n\treg u32 %v0, %v1, %v2, %v3\n\treg u64 %q\n"
		"\treg pred %p0, %p1\n\tshared u32 words[40]\n");
	sb_puts(&t->s, "\t%t = mov.u32 %tid.x\n\t%x = ld.param.u64 [x]\n\t%own = mad.wide.u32 %t, 32, %x\n"
		"\t%q = mov.u64 %own\n\t%s = mov.u64 words\n\t%s = mad.wide.u32 %t, 4, %s\n");
	sb_puts(&t->s, "\t%v0 = mov.u32 %t\n\t%v1 = mul.lo.u32 %t, 77777\n\t%v2 = mov.u32 200\n"
		"\t%v3 = not.b32 %v1\n\t%p0 = setp.lt.u32 %t, 9\n\t%p1 = setp.lt.s32 %v1, %v3\n");
	statements(t, 6 + pick(10));
	sb_puts(&t->s, "\t%x = add.u64 %x, 4096\n\t%x = mad.wide.u32 %t, 16, %x\n"
		"\tst.global.v4.u32 [%x], {%v0, %v1, %v2, %v3}\n\texit\n}\n");
	sb_puts(&t->s, "host main() {\n\t%x = alloc.u64 8192\n\tlaunch k, 1, 32, 0, (%x)\n\texit\n}\n");
}

static uint64_t loads_of(const Module *m)
{
	Diag d = { 0 };
	Config c;
	config_defaults(&c);
	ck_assert(config_set_model(&c, "ipdom", &d));
	Run *r = run_new(&c, m, &(RunOptions){ .gpu = { 0 } }, &d);
	ck_assert(r && run_module(r) == RUN_OK);
	uint64_t n = run_total(r)->totals.global_loads;
	run_free(r);
	diag_free(&d);
	return n;
}

static int64_t forward(Module *m, const char *pipeline)
{
	PassLog log = { 0 };
	Diag d = { 0 };
	int64_t n = 0;
	bool ok = pipeline_run(m, pipeline, &(PassHost){ .log = &log }, &d);
	ck_assert_msg(ok, "%s", d.item.n ? d.item.v[0].text : "");
	for (int k = 0; k < log.count.n; k++)
		n += strcmp(log.count.v[k].what, "loads forwarded") ? 0 : log.count.v[k].n;
	pass_log_free(&log);
	diag_free(&d);
	return n;
}

START_TEST(kernels)
{
	static const char *const pipelines[] = { "forward-stores", "forward-stores,copy-prop,dce",
		"gcse,copy-prop,forward-stores,forward-stores" };
	int64_t forwarded = 0;
	uint64_t before = 0, after = 0;
	for (int round = 0; round < ROUNDS; round++) {
		Text t;
		rng = (uint64_t)_i * 10000 + (uint64_t)round;
		invent(&t);
		Module *m = read_text(t.s.s), *f = module_copy(m);
		forwarded += forward(f, pipelines[round % 3]);
		ck_assert_msg(run_text(f, NULL, "forwarded") == run_text(m, NULL, "plain"),
			"other memory behind %s, seed %d.%d:\n%s", pipelines[round % 3], _i, round, t.s.s);
		if (round % 8 == 0) {
			uint64_t x = loads_of(m), y = loads_of(f);
			ck_assert_msg(y <= x, "%d loads, %d before:\n%s", (int)y, (int)x, t.s.s);
			before += x;
			after += y;
		}
		module_free(f);
		module_free(m);
		sb_free(&t.s);
	}
	ck_assert_msg(forwarded > ROUNDS / 2 && after < before, "%d loads forwarded", (int)forwarded);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("forward-stores");
	TCase *t = tcase_create("kernels");
	tcase_add_loop_test(t, kernels, 0, 6);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
