/* What fused kernels are left with: accesses to global memory, counted by running, and memory that is what it
 * was, in all buffers that are not freed. Figure 5.1 of Fukuhara's thesis (2023): the load of what the thread
 * has stored itself goes, and the store, where the buffer is never used in the rest of main. */
#include "passes/transform/fusion/clean.h"
#include "tests/passes/fuse_pair.h"

static const char *const models[] = { NULL, "ipdom", "its", "tf_stack" };
enum { MODELS = sizeof models / sizeof *models };

#define INDEX "\t%t = mov.u32 %tid.x\n\t%c = mov.u32 %ctaid.x\n\t%n = mov.u32 %ntid.x\n" \
	"\t%i = mad.lo.u32 %c, %n, %t\n"
#define PLACES "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%a = mad.wide.u32 %i, 4, %a\n" \
	"\t%b = mad.wide.u32 %i, 4, %b\n"
/* a[i] = f(b[i]); for i below n; and in a second buffer, too */
#define MAP(NAME, OP) "kernel " NAME "(u64 a, u64 b) {\n" INDEX PLACES "\t%v = ld.global.u32 [%b]\n" \
	OP "\tst.global.u32 [%a], %v\n\texit\n}\n"
#define SOME(NAME, OP) "kernel " NAME "(u64 a, u64 b, u32 n) {\n" \
	INDEX "\t%m = ld.param.u32 [n]\n\t%p = setp.ge.u32 %i, %m\n\tbra %p, OUT, IN\nIN:\n" PLACES \
	"\t%v = ld.global.u32 [%b]\n" OP "\tst.global.u32 [%a], %v\n\tret\nOUT:\n\texit\n}\n"
#define BOTH(NAME, OP) "kernel " NAME "(u64 a, u64 b, u64 d) {\n" \
	INDEX PLACES "\t%d = ld.param.u64 [d]\n\t%d = mad.wide.u32 %i, 4, %d\n" \
	"\t%v = ld.global.u32 [%b]\n" OP \
	"\tst.global.u32 [%a], %v\n\t%v = add.u32 %v, 9\n\tst.global.u32 [%d], %v\n\texit\n}\n"
#define REDUCE "kernel reduce(u64 a, u64 b) {\n" INDEX PLACES \
	"\t%v = ld.global.u32 [%b]\n\tred.global.add.u32 [%a], %v\n\texit\n}\n"
#define DOUBLE MAP("double", "\t%v = mad.lo.u32 %v, 2, %i\n")
#define THRICE MAP("thrice", "\t%v = mad.lo.u32 %v, 3, 1\n")
#define NARROW "kernel narrow(u64 a, u64 b) {\n\treg u32 %v\n" \
	INDEX PLACES "\t%v = ld.global.u16 [%b]\n\tst.global.u32 [%a], %v\n\texit\n}\n"
#define HOST(BODY) "host main() {\n\t%x = alloc.u64 4096\n\t%y = alloc.u64 4096\n\t%z = alloc.u64 4096\n" \
	"\t%w = alloc.u64 4096\n\tfill.u32 %x, 7, 1024\n" BODY "\texit\n}\n"

/* loads, stores: of global memory by each warp; -1: not counted. Reductions are neither */
typedef struct Case { const char *name, *text; int loads, stores, forwarded, removed; } Case;
static const Case cases[] = {
	{ "figure 5.1", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n"
		"\tlaunch thrice, 8, 128, 0, (%z, %y)\n\tfree %y\n"), 1, 1, 1, 1 },
	{ "the first result is the program's, too", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, "
		"%x)\n\tlaunch thrice, 8, 128, 0, (%z, %y)\n"), 1, 2, 1, 0 },
	{ "another launch reads it before it is freed",
		DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n"
		"\tlaunch thrice, 8, 128, 0, (%z, %y)\n"
		"\t%q = ld.global.u32 [%y+8]\n\tst.global.u32 [%x], %q\n\tfree %y\n"), 1, 2, 1, 0 },
	{ "it is written as a whole before it is read",
		DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n"
		"\tlaunch thrice, 8, 128, 0, (%z, %y)\n"
		"\tfill.u32 %y, 1, 1024\n"), 1, 1, 1, 1 },
	{ "in place", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%x, %x)\n"
		"\tlaunch thrice, 8, 128, 0, (%x, %x)\n"), 1, 2, 1, 0 },
	{ "threads beyond n return in both", SOME("double", "\t%v = mad.lo.u32 %v, 2, %i\n") SOME("thrice",
		"\t%v = mad.lo.u32 %v, 3, 1\n") HOST(
		"\tlaunch double, 8, 128, 0, (%y, %x, 1000)\n\tlaunch thrice, 8, 128, 0, (%z, %y, 1000)\n"
		"\tfree %y\n"), 1, 1, 1, 1 },
	{ "another n", SOME("double", "\t%v = mad.lo.u32 %v, 2, %i\n") SOME("thrice",
		"\t%v = mad.lo.u32 %v, 3, 1\n") HOST(
		"\tlaunch double, 8, 128, 0, (%y, %x, 1024)\n\tlaunch thrice, 8, 128, 0, (%z, %y, 700)\n"
		"\tfree %y\n"), -1, -1, 0, 0 },
	{ "a store to another buffer is between", BOTH("double", "\t%v = mad.lo.u32 %v, 2, %i\n") THRICE HOST(
		"\tlaunch double, 8, 128, 0, (%y, %x, %w)\n\tlaunch thrice, 8, 128, 0, (%z, %y)\n"
		"\tfree %y\n"), 1, 2, 1, 1 },
	{ "two names for one buffer", BOTH("double", "\t%v = mad.lo.u32 %v, 2, %i\n") THRICE HOST(
		"\tlaunch double, 8, 128, 0, (%y, %x, %y)\n\tlaunch thrice, 8, 128, 0, (%z, %y)\n"
		"\tfree %y\n"), 1, 1, 1, 2 },
	{ "three in a row", DOUBLE THRICE MAP("last", "\t%v = xor.b32 %v, 5\n") HOST(
		"\tlaunch double, 8, 128, 0, (%y, %x)\n\tlaunch thrice, 8, 128, 0, (%z, %y)\n"
		"\tlaunch last, 8, 128, 0, (%w, %z)\n\tfree %y\n\tfree %z\n"), 1, 1, 2, 2 },
	{ "narrower than what was stored", DOUBLE NARROW HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n"
		"\tlaunch narrow, 8, 128, 0, (%z, %y)\n\tfree %y\n"), 2, 2, 0, 0 },
	{ "reductions into what nobody reads", THRICE REDUCE HOST("\tlaunch thrice, 8, 128, 0, (%z, %x)\n"
		"\tlaunch reduce, 8, 128, 0, (%y, %x)\n\tfree %y\n"), 1, 1, 0, 1 },
	{ "and read again", REDUCE THRICE HOST("\tlaunch reduce, 8, 128, 0, (%y, %x)\n"
		"\tlaunch thrice, 8, 128, 0, (%z, %y)\n\tfree %y\n"), 2, 1, 0, 0 },
};

typedef struct Cleaned { int64_t forwarded, removed; } Cleaned;

static Cleaned clean(Module *m, int first)
{
	static const Pass pass = { .name = "fusion-clean" };
	Diag d = { 0 };
	PassLog log = { 0 };
	Cleaned n = { 0, 0 };
	PassRun r = { .m = m, .origin = (uint8_t)module_origin(m, "fusion-clean"), .diag = &d, .pass = &pass,
		.log = &log };
	fusion_clean(&r, first, &(FusionOptions){ 0 });
	for (int k = 0; k < log.count.n; k++) {
		n.forwarded += strcmp(log.count.v[k].what, "loads forwarded") ? 0 : log.count.v[k].n;
		n.removed += strcmp(log.count.v[k].what, "stores removed") ? 0 : log.count.v[k].n;
	}
	ck_assert_msg(ir_verify(m, &d), "%s", d.item.n ? d.item.v[0].text : "");
	pass_log_free(&log);
	diag_free(&d);
	return n;
}

/* Accesses of threads to global memory in all launches. */
static void count_accesses(const Module *m, uint64_t *loads, uint64_t *stores)
{
	Diag d = { 0 };
	Config c;
	config_defaults(&c);
	Run *r = run_new(&c, m, &(RunOptions){ .gpu = { 0 } }, &d);
	ck_assert(r && run_module(r) == RUN_OK);
	const LaunchStats *s = run_total(r);
	*loads = s->totals.global_loads;
	*stores = s->totals.global_stores;
	run_free(r);
	diag_free(&d);
}

START_TEST(fused)
{
	const Case *c = &cases[_i];
	FusedPair p;
	Module *m = read_text(c->text), *f = module_copy(m);
	uint64_t loads, stores;
	int first = f->func.n;
	fuse_adjacent(f, (FusionOptions){ 0 }, &p);
	ck_assert_msg(p.fused > 0, "%s: %s", c->name, p.why);
	Cleaned n = clean(f, first);
	StrBuf s = { 0 };
	ir_print(f, &s);
	ck_assert_msg(n.forwarded == c->forwarded && n.removed == c->removed,
		"%s: %d loads forwarded, %d stores removed:\n%s", c->name, (int)n.forwarded, (int)n.removed,
		s.s);
	count_accesses(f, &loads, &stores);
	uint64_t warps = 8 * 128 / 32;
	ck_assert_msg(c->loads < 0 || (loads == warps * (uint64_t)c->loads &&
		stores == warps * (uint64_t)c->stores), "%s: %d loads, %d stores of %d warps:\n%s", c->name,
		(int)loads, (int)stores, (int)warps, s.s);
	for (int k = 0; k < MODELS; k++)
		ck_assert_msg(run_text(f, models[k], c->name) == run_text(m, models[k], c->name),
			"%s: other memory under %s\n%s", c->name, models[k] ? models[k] : "the reference",
			s.s);
	sb_free(&s);
	module_free(f);
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fusion clean");
	TCase *t = tcase_create("fused");
	tcase_add_loop_test(t, fused, 0, (int)(sizeof cases / sizeof *cases));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
