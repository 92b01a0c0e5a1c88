/* gsim: run a kernel module on a simulated GPU and report what was measured. doc/gsim.md is the manual. */
#include "lib/file.h"
#include "sim/report.h"
#include "tools/list.h"
#include "tools/options.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

typedef struct Session {
	Options opt;
	Config config;
	Module *module;                /* as read; passes work on copies */
	TraceWriter *trace;
	Diag diag;
	bool terminal;                 /* progress is shown */
	int njobs, job;                /* for progress */
} Session;

/* One run of the module: a mechanism and a pipeline. */
typedef struct Job {
	Config config;
	const char *passes;            /* "" = none */
	bool reference;
	Module *module;
	Run *run;                      /* NULL: bad input */
	Diag diag;
	RunStatus status;
} Job;

static volatile sig_atomic_t interrupted;
static volatile time_t interrupted_at;  /* seconds; read and written by the handler only */

/* The first interrupt ends the run with a report, a later one the program. What comes within a second is the same
 * interrupt delivered twice, as to a process and to its group. */
static void on_interrupt(int sig)
{
	time_t now = time(NULL);
	if (interrupted && now - interrupted_at > 1) {
		signal(sig, SIG_DFL);
		raise(sig);
	} else if (!interrupted) {
		interrupted_at = now;
		interrupted = 1;
	}
}

static void catch_interrupts(void)
{
	struct sigaction a = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	sigaction(SIGINT, &a, NULL);
}

static int worse(int a, int b) { return a > b ? a : b; }

/* ---- progress ---- */

static void progress(void *self, uint64_t cycles, uint64_t warp_instructions)
{
	const Session *s = self;
	fprintf(stderr, "\r\033[K");
	if (s->njobs > 1)
		fprintf(stderr, "run %d of %d: ", s->job, s->njobs);
	fprintf(stderr, "%llu cycles, %llu warp instructions", (unsigned long long)cycles, (unsigned long long)warp_instructions);
	fflush(stderr);
}

static void clear_progress(const Session *s)
{
	if (s->terminal)
		fprintf(stderr, "\r\033[K");
}

/* ---- one run ---- */

static const char *model_name(const Config *c) { return model_keys((int)c->model)->name; }

static Title title_of(const Session *s, const Job *j)
{
	return (Title){ s->opt.module, s->opt.config, j->passes };
}

/* The module with the job's passes applied. */
static bool transform(const Session *s, Job *j)
{
	j->module = s->module;
	if (!*j->passes)
		return true;
	j->module = module_copy(s->module);
	return pipeline_run(j->module, j->passes, NULL, NULL, &j->diag);
}

static void run_job(Session *s, Job *j)
{
	const Options *o = &s->opt;
	RunOptions options = {
		.gpu = { .functional = o->functional, .threads = o->threads, .trace = j->reference ? NULL : s->trace, .machine = o->config,
			.interrupted = &interrupted, .progress = s->terminal ? progress : NULL, .self = s },
		.reference = j->reference, .laws = o->laws, .workload = o->workload, .nargs = o->nargs, .args = o->args,
		.print = o->before_after || o->grid || (o->stats && !strcmp(o->stats, "-")) ? stderr : stdout,
	};
	s->job++;
	if (s->opt.verify && j->reference)
		options.print = NULL;
	if (transform(s, j))
		j->run = run_new(&j->config, j->module, &options, &j->diag);
	j->status = j->run ? run_module(j->run) : RUN_BAD_INPUT;
	clear_progress(s);
	fflush(stdout);
	if (j->diag.item.n && s->njobs > 1)
		fprintf(stderr, "%s, passes %s:\n", j->reference ? "reference interpreter" : model_name(&j->config),
			*j->passes ? j->passes : "none");
	diag_print(&j->diag, stderr);
	if (o->verbose)
		fprintf(stderr, "%s, passes %s: %d launches, status %d\n", j->reference ? "reference interpreter"
			: model_name(&j->config), *j->passes ? j->passes : "none", j->run ? j->run->launch.n : 0, (int)j->status);
}

static void free_job(const Session *s, Job *j)
{
	if (j->run)
		run_free(j->run);
	if (j->module != s->module)
		module_free(j->module);
	diag_free(&j->diag);
}

/* Compares the results of two finished runs; prints what differs. */
static int compare_jobs(const Job *a, const Job *b, const char *name_a, const char *name_b)
{
	Diag d = { 0 };
	bool same = run_same(a->run, b->run, name_a, name_b, &d);
	diag_print(&d, stderr);
	diag_free(&d);
	return same ? RUN_OK : RUN_FAILED;
}

/* --verify: the job against the untransformed module in the reference interpreter. */
static int verify(const Job *j, const Job *reference)
{
	if (j->status != RUN_OK || reference->status != RUN_OK)
		return worse(j->status, reference->status);
	return compare_jobs(j, reference, "on the machine", "by the reference interpreter");
}

static void run_reference(Session *s, Job *j)
{
	*j = (Job){ .config = s->config, .passes = "", .reference = true };
	run_job(s, j);
}

/* ---- output ---- */

static int write_stats(const Session *s, const StrBuf *json)
{
	const char *why, *path = s->opt.stats;
	if (!path)
		return RUN_OK;
	if (!strcmp(path, "-")) {
		fputs(json->s, stdout);
		return fflush(stdout) ? RUN_BAD_INPUT : RUN_OK;
	}
	if (file_write(path, json->s, json->n, &why))
		return RUN_OK;
	fprintf(stderr, "error: cannot write %s: %s\n", path, why);
	return RUN_BAD_INPUT;
}

static bool shows_text(const Session *s) { return !s->opt.quiet && !(s->opt.stats && !strcmp(s->opt.stats, "-")); }

static void put_report(const Session *s, Job *j, JsonSink *sink)
{
	Title t = title_of(s, j);
	if (j->run) {
		report_json(j->run, &t, sink);
		return;
	}
	sink->begin(sink, '{', false);
	sink->key(sink, "model");
	sink->text(sink, model_name(&j->config));
	sink->key(sink, "passes");
	sink->text(sink, j->passes);
	sink->key(sink, "status");
	sink->text(sink, "bad_input");
	sink->end(sink);
}

static int output_single(const Session *s, Job *j)
{
	StrBuf json = { 0 }, text = { 0 };
	JsonText t;
	Title title = title_of(s, j);
	if (!j->run || (j->status == RUN_BAD_INPUT && !j->run->launch.n))
		return RUN_OK;
	json_text(&t, &json);
	put_report(s, j, &t.sink);
	int status = write_stats(s, &json);
	if (shows_text(s)) {
		report_text(j->run, &title, &text);
		fputs(text.s, stdout);
	}
	sb_free(&json);
	sb_free(&text);
	return status;
}

/* Writes a document of several reports and shows it. */
static int output_many(const Session *s, const StrBuf *json, bool grid)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf text = { 0 };
	const JsonValue *v = json_read(&a, json->s, json->n, "report", &d);
	must(v);
	int status = write_stats(s, json);
	if (shows_text(s)) {
		if (grid)
			report_grid(json_get(v, "runs"), &text);
		else
			report_compare(json_get(v, "before"), json_get(v, "after"), false, &text);
		fputs(text.s, stdout);
	}
	sb_free(&text);
	arena_free(&a);
	return status;
}

/* ---- the three ways to run ---- */

static int run_single(Session *s)
{
	Job job = { .config = s->config, .passes = s->opt.passes.n ? s->opt.passes.v[0] : "", .reference = s->opt.reference };
	Job reference = { 0 };
	s->njobs = 1 + s->opt.verify;
	run_job(s, &job);
	int status = job.status;
	if (s->opt.verify && status == RUN_OK) {
		run_reference(s, &reference);
		status = worse(status, verify(&job, &reference));
	}
	status = worse(status, output_single(s, &job));
	free_job(s, &job);
	if (reference.module)
		free_job(s, &reference);
	return status;
}

static int run_before_after(Session *s)
{
	Job job[2] = { { .config = s->config, .passes = "" }, { .config = s->config, .passes = s->opt.passes.v[0] } };
	Job reference = { 0 };
	StrBuf json = { 0 };
	JsonText t;
	int status = RUN_OK;
	s->njobs = 2 + s->opt.verify;
	for (int i = 0; i < 2 && !interrupted; i++) {
		job[i].reference = s->opt.reference;
		run_job(s, &job[i]);
		status = worse(status, job[i].status);
	}
	if (status == RUN_OK)
		status = compare_jobs(&job[0], &job[1], "before", "after");
	if (s->opt.verify && status == RUN_OK) {
		run_reference(s, &reference);
		status = worse(verify(&job[0], &reference), verify(&job[1], &reference));
	}
	if (job[0].run && !job[1].run && interrupted) {
		status = worse(status, output_single(s, &job[0]));
	} else if (job[0].run && job[1].run && status != RUN_BAD_INPUT) {
		json_text(&t, &json);
		t.sink.begin(&t.sink, '{', false);
		for (int i = 0; i < 2; i++) {
			t.sink.key(&t.sink, i ? "after" : "before");
			put_report(s, &job[i], &t.sink);
		}
		t.sink.end(&t.sink);
		status = worse(status, output_many(s, &json, false));
	}
	sb_free(&json);
	for (int i = 0; i < 2; i++)
		if (job[i].module)
			free_job(s, &job[i]);
	if (reference.module)
		free_job(s, &reference);
	return status;
}

static bool set_model(Config *c, const char *name, Diag *d)
{
	return config_set(c, "divergence.model", name, d) && config_check(c, d);
}

/* Results of every run are compared with the first one's that completed. */
static int run_grid_job(Session *s, Job *j, Job **first)
{
	run_job(s, j);
	if (j->status != RUN_OK)
		return j->status;
	if (!*first) {
		*first = j;
		return RUN_OK;
	}
	char name[200], base[200];
	snprintf(name, sizeof name, "with %s, passes %.120s", model_name(&j->config), *j->passes ? j->passes : "none");
	snprintf(base, sizeof base, "with %s, passes %.120s", model_name(&(*first)->config), *(*first)->passes ? (*first)->passes
		: "none");
	return compare_jobs(*first, j, base, name);
}

static int run_grid(Session *s)
{
	const ModelKeys *m;
	if (!s->opt.model.n)
		for (int i = 0; (m = model_keys(i)); i++)
			vec_push(&s->opt.model, m->name);
	if (!s->opt.passes.n)
		vec_push(&s->opt.passes, "");
	int n = s->opt.model.n * s->opt.passes.n, status = RUN_OK;
	Job *jobs = xcalloc((size_t)n, sizeof *jobs), *first = NULL, reference = { 0 };
	StrBuf json = { 0 };
	JsonText t;
	s->njobs = n + s->opt.verify;
	if (s->opt.verify)
		run_reference(s, &reference);
	json_text(&t, &json);
	t.sink.begin(&t.sink, '{', false);
	t.sink.key(&t.sink, "runs");
	t.sink.begin(&t.sink, '[', false);
	for (int i = 0; i < n && !interrupted; i++) {
		Job *j = &jobs[i];
		*j = (Job){ .config = s->config, .passes = s->opt.passes.v[i % s->opt.passes.n], .reference = s->opt.reference };
		if (!set_model(&j->config, s->opt.model.v[i / s->opt.passes.n], &s->diag))
			break;
		status = worse(status, run_grid_job(s, j, &first));
		if (s->opt.verify)
			status = worse(status, verify(j, &reference));
		put_report(s, j, &t.sink);
		if (j != first) {
			free_job(s, j);
			j->module = NULL;
		}
	}
	t.sink.end(&t.sink);
	t.sink.end(&t.sink);
	if (first)
		free_job(s, first);
	if (reference.module)
		free_job(s, &reference);
	free(jobs);
	if (!s->diag.errors)
		status = worse(status, output_many(s, &json, true));
	sb_free(&json);
	return status;
}

/* ---- preparation ---- */

static bool load_config(Session *s)
{
	const Options *o = &s->opt;
	if (!o->config)
		config_defaults(&s->config);
	else if (!config_load(&s->config, o->config, &s->diag))
		return false;
	for (int i = 0; i < o->set.n; i++) {
		const char *eq = strchr(o->set.v[i], '=');
		if (!eq) {
			diag_error(&s->diag, (Loc){ 0 }, "--set %s: expected KEY=VALUE", o->set.v[i]);
			return false;
		}
		char *key = arena_strndup(&s->diag.arena, o->set.v[i], (size_t)(eq - o->set.v[i]));
		if (!config_set(&s->config, key, eq + 1, &s->diag))
			return false;
	}
	for (int i = 0; i < o->model.n; i++)
		if (!config_set(&s->config, "divergence.model", o->model.v[i], &s->diag))
			return false;
	return config_check(&s->config, &s->diag);
}

static bool prepare(Session *s)
{
	const Options *o = &s->opt;
	if (!load_config(s))
		return false;
	for (int i = 0; i < o->passes.n; i++)
		if (*o->passes.v[i] && !pipeline_check(o->passes.v[i], &s->diag))
			return false;
	s->module = module_read(o->module, &s->diag);
	if (!s->module)
		return false;
	s->trace = o->trace ? trace_create(o->trace, &s->diag) : NULL;
	s->terminal = isatty(2) && !o->quiet;
	return !s->diag.errors;
}

static int show_list(const char *what)
{
	StrBuf out = { 0 };
	if (!list_table(what, &out)) {
		fprintf(stderr, "error: --list: expected models, passes, configs, parameters, statistics, operations or options, "
			"not '%s'\n", what);
		return RUN_BAD_INPUT;
	}
	fputs(out.s ? out.s : "", stdout);
	sb_free(&out);
	return RUN_OK;
}

static int show_config(Session *s)
{
	StrBuf out = { 0 };
	if (!load_config(s))
		return RUN_BAD_INPUT;
	config_print(&s->config, &out);
	fputs(out.s, stdout);
	sb_free(&out);
	return RUN_OK;
}

static int disassemble(Session *s)
{
	Job j = { .config = s->config, .passes = s->opt.passes.n ? s->opt.passes.v[0] : "" };
	StrBuf out = { 0 };
	RunOptions options = { 0 };
	if (transform(s, &j))
		j.run = run_new(&j.config, j.module, &options, &j.diag);
	for (int i = 0; j.run && i < j.module->func.n; i++) {
		const Function *f = j.module->func.v[i];
		if (f->kind == FN_KERNEL && !f->declared_only)
			gpu_disassemble(j.run->gpu, f, &out);
	}
	diag_print(&j.diag, stderr);
	fputs(out.s ? out.s : "", stdout);
	sb_free(&out);
	int status = j.run ? RUN_OK : RUN_BAD_INPUT;
	free_job(s, &j);
	return status;
}

static int run(Session *s)
{
	const Options *o = &s->opt;
	if (o->list)
		return show_list(o->list);
	if (o->print_config)
		return show_config(s);
	if (!prepare(s))
		return RUN_BAD_INPUT;
	if (o->disassemble)
		return disassemble(s);
	catch_interrupts();
	int status = o->grid ? run_grid(s) : o->before_after ? run_before_after(s) : run_single(s);
	if (s->trace && !trace_close(s->trace, &s->diag))
		status = worse(status, RUN_BAD_INPUT);
	return interrupted ? RUN_INTERRUPTED : status;
}

int main(int argc, char **argv)
{
	Session s = { 0 };
	int status = RUN_BAD_INPUT;
	switch (options_parse(&s.opt, argc, argv)) {
	case OPT_DONE: status = RUN_OK; break;
	case OPT_ERROR: break;
	case OPT_RUN: status = run(&s); break;
	}
	diag_print(&s.diag, stderr);
	if (s.diag.errors)
		status = worse(status, RUN_BAD_INPUT);
	if (s.module)
		module_free(s.module);
	options_free(&s.opt);
	diag_free(&s.diag);
	return status;
}
