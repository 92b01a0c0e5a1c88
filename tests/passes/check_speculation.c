/* What code motion computes for nothing, found by running: a value that an instruction made by a pass has written, and that its thread overwrites or ends with without
 * having read it. The reference interpreter tells of each instruction; each thread's registers remember whether what they hold comes from the pass and has been
 * read. The speculation rate is the share of such values of all that those instructions have written. */
#include "isa/launch.h"
#include "passes/pass.h"
#include "isa/effects.h"
#include <check.h>

enum { THREADS = 32, REGISTERS = 256 };

typedef struct Watch {
	const Function *kernel;
	bool waits[THREADS][REGISTERS];
	uint32_t thread;
	int inserted, wasted;
} Watch;

static void is_read(void *self, int reg)
{
	Watch *w = self;
	if (reg < REGISTERS)
		w->waits[w->thread][reg] = false;
}

static void goes(Watch *w, int reg)
{
	w->wasted += w->waits[w->thread][reg];
	w->waits[w->thread][reg] = false;
}

static void is_written(void *self, int reg)
{
	if (reg < REGISTERS)
		goes(self, reg);
}

static void executed(void *self, uint32_t thread, const Function *f, const Ins *i)
{
	Watch *w = self;
	if (f != w->kernel)
		return;
	w->thread = thread;
	ins_reads(f, i, is_read, w);
	ins_defs(f, i, is_written, w);
	if (i->origin && i->ndst == 1 && i->op != OP_MOV) {
		w->waits[thread][ins_dst(i, 0)->id] = true;
		w->inserted++;
	}
	for (int r = 0; r < REGISTERS && (i->op == OP_EXIT || i->op == OP_RET); r++)
		goes(w, r);
}

typedef struct Run { const Module *m; const char *kernel; Watch watch; } Run;

static bool launch(void *self, const Launch *l, int stream, Loc where, Fault *fault)
{
	(void)stream;
	(void)where;
	Run *r = self;
	Watch *w = &r->watch;
	InterpOptions o = { .warp_size = 32, .self = w };
	if (!strcmp(l->kernel->name, r->kernel)) {
		w->kernel = l->kernel;
		o.watch = executed;
	}
	return interp_launch(l, &o, fault);
}

static Watch watch(const char *file, const char *pipeline, const char *kernel)
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
	Run r = { .m = m, .kernel = kernel };
	Fault fault = { 0 };
	ck_assert(memory_load_module(memory, m, address));
	HostHooks hooks = { .self = &r, .launch = launch };
	ck_assert_msg(host_run(m, module_find_function(m, "main"), memory, address, &hooks, &fault), "%s", fault.text);
	free(address);
	memory_free(memory);
	module_free(m);
	diag_free(&d);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%s, %s: %d values, %d for nothing: %.1f %%\n", kernel, pipeline, r.watch.inserted, r.watch.wasted,
			r.watch.inserted ? 100.0 * r.watch.wasted / r.watch.inserted : 0.0);
	return r.watch;
}

/* 32 threads make 24 turns; those of one arm or the other need the value that sscm computes for all. What the uniform branches of spre need is seldom needed. */
START_TEST(values_for_nothing)
{
	Watch w = watch("loops.ir", "webs,lcm,copy-prop,dce", "differences");
	ck_assert_int_eq(w.inserted, 0);
	w = watch("loops.ir", "webs,sscm,copy-prop,dce", "differences");
	ck_assert_int_eq(w.inserted, 32 * 24);
	ck_assert_int_eq(w.wasted, 0);
	w = watch("loops.ir", "webs,spre,copy-prop,dce", "differences");
	ck_assert_int_eq(w.wasted, 32 * 18); /* new in 21 turns, and needed in 3 of these */
	w = watch("loops.ir", "webs,scm,copy-prop,dce", "histogram");
	ck_assert_int_eq(w.inserted, 32 * 24);
	ck_assert_int_eq(w.wasted, 0);
	w = watch("loads.ir", "sscm,copy-prop,dce", "arms");
	ck_assert_int_eq(w.inserted, 0);
	w = watch("loads.ir", "sscm(nonfaulting=1),copy-prop,dce", "arms");
	ck_assert_int_eq(w.inserted, 32);
	ck_assert_int_eq(w.wasted, 16);
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
