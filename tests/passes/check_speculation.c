/* What code motion computes for nothing, found by running (isa/unread.h), on small kernels. The speculation
 * rate is the share of such values of all that instructions made by a pass have computed. */
#include "isa/unread.h"
#include "passes/pass.h"
#include "tests/check.h"

typedef struct Run { const char *kernel; Unread unread; } Run;

static bool launch(void *self, const Launch *l, int stream, Loc where, Fault *fault)
{
	(void)stream;
	(void)where;
	Run *r = self;
	Unread u = { 0 };
	bool watched = unread_open(&u, l);
	InterpOptions o = { .warp_size = 32, .watch = watched ? unread_watch : NULL, .self = &u };
	bool ok = interp_launch(l, &o, fault);
	unread_close(&u);
	if (!strcmp(l->kernel->name, r->kernel))
		r->unread = u;
	return ok;
}

static Unread watch(const char *file, const char *pipeline, const char *kernel)
{
	const char *src = getenv("srcdir");
	char path[4096];
	Diag d = { 0 };
	snprintf(path, sizeof path, "%s/tests/passes/motion/%s", src ? src : ".", file);
	Module *m = module_read(path, &d);
	ck_assert_msg(m != NULL, "%s", d.item.n ? d.item.v[0].text : path);
	ck_assert(pipeline_run(m, pipeline, NULL, &d));
	Memory *memory = memory_new(1 << 20);
	uint64_t *address = xcalloc((size_t)m->symbol.n + 1, sizeof *address);
	Run r = { .kernel = kernel };
	Fault fault = { 0 };
	ck_assert(memory_load_module(memory, m, address));
	HostHooks hooks = { .self = &r, .launch = launch };
	ck_assert_msg(host_run(m, module_find_function(m, "main"), memory, address, &hooks, &fault), "%s",
		fault.text);
	free(address);
	memory_free(memory);
	module_free(m);
	diag_free(&d);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%s, %s: %llu values, %llu for nothing: %.1f %%\n", kernel, pipeline,
			(unsigned long long)r.unread.values, (unsigned long long)r.unread.unread,
			r.unread.values ? 100.0 * (double)r.unread.unread / (double)r.unread.values : 0.0);
	return r.unread;
}

/* 32 threads make 24 turns; those of one arm or the other need the value that sscm computes for all. What the
   uniform branches of spre need is seldom needed. */
START_TEST(values_for_nothing)
{
	Unread w = watch("loops.ir", "webs,lcm,copy-prop,dce", "differences");
	ck_assert_int_eq(w.values, 0);
	w = watch("loops.ir", "webs,sscm,copy-prop,dce", "differences");
	ck_assert_int_eq(w.values, 32 * 24);
	ck_assert_int_eq(w.unread, 0);
	w = watch("loops.ir", "webs,spre,copy-prop,dce", "differences");
	ck_assert_int_eq(w.unread, 32 * 18); /* new in 21 turns, and needed in 3 of these */
	w = watch("loops.ir", "webs,scm,copy-prop,dce", "histogram");
	ck_assert_int_eq(w.values, 32 * 24);
	ck_assert_int_eq(w.unread, 0);
	w = watch("loads.ir", "sscm,copy-prop,dce", "arms");
	ck_assert_int_eq(w.values, 0);
	w = watch("loads.ir", "sscm(nonfaulting=1),copy-prop,dce", "arms");
	ck_assert_int_eq(w.values, 32);
	ck_assert_int_eq(w.unread, 16);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("speculation");
	TCase *t = tcase_create("all");
	tcase_add_test(t, values_for_nothing);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
