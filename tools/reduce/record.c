#include "tools/reduce/record.h"
#include "lib/output.h"
#include "sim/host/record.h"
#include "sim/host/run.h"
#include <sys/stat.h>
#include <unistd.h>

/* Runs the workload in the reference interpreter, which the recording does not depend on. */
static Module *record_workload(Module *m, const char *path, const char *workload,
	volatile sig_atomic_t *interrupted, Diag *d)
{
	Config c;
	StrBuf text = { 0 };
	Module *recorded = NULL;
	RunOptions options = { .reference = true, .trial = true, .record = true, .workload = workload,
		.gpu = { .threads = 1, .interrupted = interrupted } };
	config_defaults(&c);
	Run *run = run_new(&c, m, &options, d);
	/* a program that fails may be what is looked for; bad input is not */
	RunStatus status = run ? run_module(run) : RUN_BAD_INPUT;
	if ((status == RUN_OK || status == RUN_FAILED) && record_finish(run->recorder, &text, d))
		recorded = ir_read(text.s, text.n, path, d);
	if (run)
		run_free(run);
	sb_free(&text);
	return recorded;
}

/* Errors of a program that fails are none of the reducer's. */
static void keep_warnings(Diag *d, int before, bool failed)
{
	if (failed)
		return;
	for (int k = before; k < d->item.n; k++)
		if (!d->item.v[k].remark)
			d->item.v[k].warning = true;
	d->errors = 0;
}

bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;
	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Files that a module imports are among the files of its places, as are sources that those name. */
static bool keeps_sources(const Module *m, const char *output, Diag *d)
{
	for (int k = 0; k < m->file.n; k++)
		if (is_same_file(m->file.v[k], output)) {
			diag_error(d, (Loc){ 0 }, "--output: expected another file than those that MODULE is "
				"made of, not %s", output);
			return false;
		}
	return true;
}

Module *record_module(const char *path, const RecordOptions *o, Diag *d)
{
	Arena a = { 0 };
	Module *m = module_read_below(path, o->source, d), *recorded = m;
	if (m && !keeps_sources(m, o->output, d)) {
		module_free(m);
		return NULL;
	}
	const char *lua = o->workload ? o->workload : run_default_workload(&a, path);
	const Function *main_function = m ? module_find_function(m, "main") : NULL;
	int before = d->item.n;
	if (m && !o->bare && (o->workload || (!main_function && !access(lua, R_OK)))) {
		recorded = record_workload(m, path, lua, o->interrupted, d);
		keep_warnings(d, before, !recorded);
		module_free(m);
	}
	arena_free(&a);
	return recorded;
}
