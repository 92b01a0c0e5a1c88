/* Fusion of two kernels: pairs that may be one and pairs that may not, and that memory is what it was, under the reference interpreter and three mechanisms. */
#include "tests/passes/fuse_pair.h"

static const char *const models[] = { NULL, "ipdom", "its", "tf_stack" };
enum { MODELS = sizeof models / sizeof *models };

#define INDEX "\t%t = mov.u32 %tid.x\n\t%c = mov.u32 %ctaid.x\n\t%n = mov.u32 %ntid.x\n\t%i = mad.lo.u32 %c, %n, %t\n"
/* a[i] = f(b[i]) */
#define MAP(NAME, OP) "kernel " NAME "(u64 a, u64 b) {\n" INDEX "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%a = mad.wide.u32 %i, 4, %a\n" \
	"\t%b = mad.wide.u32 %i, 4, %b\n\t%v = ld.global.u32 [%b]\n" OP "\tst.global.u32 [%a], %v\n\texit\n}\n"
#define DOUBLE MAP("double", "\t%v = mad.lo.u32 %v, 2, %i\n")
#define THRICE MAP("thrice", "\t%v = mad.lo.u32 %v, 3, 1\n")

#define HOST(BODY) "host main() {\n\t%x = alloc.u64 4096\n\t%y = alloc.u64 4096\n\t%z = alloc.u64 4096\n\tfill.u32 %x, 7, 1024\n" BODY "\texit\n}\n"

/* a[i] of b's elements, reversed within the block, through shared memory; threads beyond n return early */
#define REVERSE(NAME, EXTENT, DECL) "kernel " NAME "(u64 a, u64 b) {\n" DECL INDEX "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%a = mad.wide.u32 %i, 4, %a\n" \
	"\t%b = mad.wide.u32 %i, 4, %b\n\t%v = ld.global.u32 [%b]\n\t%v = add.u32 %v, %t\n\t%s = mov.u64 buf\n\t%o = mul.wide.u32 %t, 4\n\t%p = add.u64 %s, %o\n\tst.shared.u32 [%p], %v\n" \
	"\tbar.sync 0\n\t%r = sub.u32 " EXTENT ", %t\n\t%o = mul.wide.u32 %r, 4\n\t%p = add.u64 %s, %o\n\t%v = ld.shared.u32 [%p]\n\tst.global.u32 [%a], %v\n\texit\n}\n"
#define STATIC "\tshared u32 buf[128]\n"
#define DYNAMIC "\textern shared u32 buf[]\n"

/* a[i] = the sum of b[i] by turns, for i below n; the others return at once */
#define EARLY(NAME) "kernel " NAME "(u64 a, u64 b, u32 n) {\n" INDEX "\t%m = ld.param.u32 [n]\n\t%p = setp.ge.u32 %i, %m\n\tbra %p, OUT, IN\nIN:\n\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n" \
	"\t%a = mad.wide.u32 %i, 4, %a\n\t%b = mad.wide.u32 %i, 4, %b\n\t%k = mov.u32 0\n\t%s = mov.u32 0\n\tbra LOOP\nLOOP:\n\t%v = ld.global.u32 [%b]\n\t%s = add.u32 %s, %v\n" \
	"\t%k = add.u32 %k, 1\n\t%l = and.b32 %t, 7\n\t%p = setp.le.u32 %k, %l\n\tbra %p, LOOP, DONE\nDONE:\n\tst.global.u32 [%a], %s\n\tret\nOUT:\n\texit\n}\n"

typedef struct Case { const char *name, *text; int fused; const char *why; FusionBetween between; } Case; /* why: a part of the reason */
static const Case cases[] = {
	{ "one reads what the other has written, thread by thread", DOUBLE THRICE HOST(
		"\tlaunch double, 8, 128, 0, (%y, %x)\n\tlaunch thrice, 8, 128, 0, (%z, %y)\n"), 1, NULL, FUSION_NOTHING },
	{ "in place", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%x, %x)\n\tlaunch thrice, 8, 128, 0, (%x, %x)\n"), 1, NULL, FUSION_NOTHING },
	{ "other grids", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n\tlaunch thrice, 4, 128, 0, (%z, %y)\n"), 0, "grids", 0 },
	{ "other streams", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n\tlaunch thrice, 8, 128, 0, 1, (%z, %y)\n"), 0, "streams", 0 },
	{ "a parameter moved by the host", DOUBLE THRICE HOST("\t%w = add.u64 %y, 4\n\tlaunch double, 8, 127, 0, (%y, %x)\n\tlaunch thrice, 8, 127, 0, (%z, %w)\n"), 0,
		"another block of thrice may read through `b`", 0 },
	{ "early returns, and the same labels", EARLY("sum") EARLY("sums") HOST(
		"\tlaunch sum, 8, 128, 0, (%y, %x, 1000)\n\tlaunch sums, 8, 128, 0, (%z, %y, 777)\n"), 1, NULL, FUSION_NOTHING },
	{ "three in a row", EARLY("sum") DOUBLE HOST(
		"\tlaunch sum, 8, 128, 0, (%y, %x, 1000)\n\tlaunch double, 8, 128, 0, (%z, %y)\n\tlaunch sum, 8, 128, 0, (%x, %z, 600)\n"), 2, NULL, FUSION_NOTHING },
	{ "static shared memory", REVERSE("rev", "127", STATIC) REVERSE("rev2", "127", STATIC) HOST(
		"\tlaunch rev, 8, 128, 0, (%y, %x)\n\tlaunch rev2, 8, 128, 0, (%z, %y)\n"), 1, NULL, FUSION_NOTHING },
	{ "dynamic shared memory", REVERSE("rev", "127", DYNAMIC) REVERSE("rev2", "127", DYNAMIC) HOST(
		"\tlaunch rev, 8, 128, 512, (%y, %x)\n\tlaunch rev2, 8, 128, 512, (%z, %y)\n"), 1, NULL, FUSION_BLOCK },
	{ "both kinds of shared memory", REVERSE("rev", "127", STATIC) REVERSE("rev2", "127", DYNAMIC) HOST(
		"\t%bytes = mov.u32 512\n\tlaunch rev, 8, 128, 0, (%y, %x)\n\tlaunch rev2, 8, 128, %bytes, (%z, %y)\n"), 1, NULL, FUSION_BLOCK },
};

START_TEST(pairs)
{
	const Case *c = &cases[_i];
	FusedPair p;
	Module *m = read_text(c->text), *f = module_copy(m);
	fuse_adjacent(f, (FusionOptions){ 0 }, &p);
	ck_assert_msg(p.fused == c->fused, "%s: %d fused; %s", c->name, p.fused, p.why);
	ck_assert_msg(!c->why || strstr(p.why, c->why), "%s: %s", c->name, p.why);
	ck_assert_msg(!c->fused || p.verdict.between == c->between, "%s: %s between", c->name, fusion_between[p.verdict.between]);
	StrBuf s = { 0 };
	ir_print(f, &s);
	Module *again = read_text(s.s);
	for (int k = 0; k < MODELS; k++) {
		unsigned long long old = run_text(m, models[k], c->name);
		ck_assert_msg(run_text(f, models[k], c->name) == old, "%s: other memory under %s\n%s", c->name, models[k] ? models[k] : "the reference", s.s);
		ck_assert(run_text(again, models[k], c->name) == old);
	}
	sb_free(&s);
	module_free(again);
	module_free(f);
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fusion");
	TCase *t = tcase_create("pairs");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, pairs, 0, (int)(sizeof cases / sizeof *cases));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
