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
	const char *model;             /* as asked for; NULL: the mechanism's name */
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

static const char *model_name(const Job *j) { return j->model ? j->model : model_keys((int)j->config.model)->name; }

static bool stats_to_output(const Session *s)
{
	for (int i = 0; i < s->opt.stats.n; i++)
		if (!strcmp(s->opt.stats.v[i], "-"))
			return true;
	return false;
}

static Title title_of(const Session *s, const Job *j)
{
	return (Title){ s->opt.module, s->opt.config, j->passes, j->model };
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
		.print = o->before_after || o->grid || stats_to_output(s) ? stderr : stdout,
	};
	s->job++;
	if (s->opt.verify && j->reference)
		options.print = NULL;
	if (transform(s, j))
		j->run = run_new(&j->config, j->module, &options, &j->diag);
	j->status = j->run ? run_module(j->run) : RUN_BAD_INPUT;
	if (j->status == RUN_FAILED && !o->alone && !o->grid)
		run_elsewhere(j->run);
	clear_progress(s);
	fflush(stdout);
	if (j->diag.item.n && s->njobs > 1)
		fprintf(stderr, "%s, passes %s:\n", j->reference ? "reference interpreter" : model_name(j),
			*j->passes ? j->passes : "none");
	diag_print(&j->diag, stderr);
	if (o->verbose)
		fprintf(stderr, "%s, passes %s: %d launches, status %d\n", j->reference ? "reference interpreter"
			: model_name(j), *j->passes ? j->passes : "none", j->run ? j->run->launch.n : 0, (int)j->status);
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

static int write_file(const char *path, const StrBuf *text)
{
	const char *why;
	if (!strcmp(path, "-")) {
		fputs(text->s, stdout);
		return fflush(stdout) ? RUN_BAD_INPUT : RUN_OK;
	}
	if (file_write(path, text->s, text->n, &why))
		return RUN_OK;
	fprintf(stderr, "error: cannot write %s: %s\n", path, why);
	return RUN_BAD_INPUT;
}

/* All files of --stats. runs: what tables and pictures show. */
static int write_stats(const Session *s, const StrBuf *json, const JsonValue *runs)
{
	int status = RUN_OK;
	for (int i = 0; i < s->opt.stats.n; i++) {
		const char *path = s->opt.stats.v[i];
		StrBuf table = { 0 };
		if (stats_kind(path) == STATS_CSV)
			report_grid_csv(runs, &table);
		else if (stats_kind(path) == STATS_SVG)
			report_grid_svg(runs, &table);
		status = worse(status, write_file(path, table.s ? &table : json));
		sb_free(&table);
	}
	return status;
}

static bool shows_text(const Session *s) { return !s->opt.quiet && !stats_to_output(s); }

static void put_report(const Session *s, Job *j, JsonSink *sink)
{
	Title t = title_of(s, j);
	if (j->run) {
		report_json(j->run, &t, sink);
		return;
	}
	sink->begin(sink, '{', false);
	sink->key(sink, "module");
	sink->text(sink, t.module);
	sink->key(sink, "config");
	sink->text(sink, t.config);
	sink->key(sink, "model");
	sink->text(sink, model_name(j));
	sink->key(sink, "passes");
	sink->text(sink, j->passes);
	sink->key(sink, "status");
	sink->text(sink, "bad_input");
	sink->key(sink, "error");
	sink->text(sink, diag_first(&j->diag));
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
	int status = write_stats(s, &json, NULL);
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
	int status = write_stats(s, json, json_get(v, "runs"));
	if (shows_text(s)) {
		if (grid)
			report_grid_text(json_get(v, "runs"), &text);
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
	Job job = { .config = s->config, .model = s->opt.model.n ? s->opt.model.v[0] : NULL,
		.passes = s->opt.passes.n ? s->opt.passes.v[0] : "", .reference = s->opt.reference };
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
		job[i].model = s->opt.model.n ? s->opt.model.v[0] : NULL;
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

/* Its results against those of the first run of the grid that completed, and of the reference interpreter. What differs
 * makes the run fail. */
static int judge(const Session *s, Job *j, Job *first, const Job *reference)
{
	char name[200], base[200];
	int before = j->diag.item.n;
	if (j->status != RUN_OK)
		return j->status;
	snprintf(name, sizeof name, "with %.60s, passes %.120s", model_name(j), *j->passes ? j->passes : "none");
	snprintf(base, sizeof base, "with %.60s, passes %.120s", model_name(first), *first->passes ? first->passes : "none");
	if (j != first && !run_same(first->run, j->run, base, name, &j->diag))
		j->run->status = RUN_FAILED;
	if (s->opt.verify && reference->status == RUN_OK
		&& !run_same(j->run, reference->run, name, "by the reference interpreter", &j->diag))
		j->run->status = RUN_FAILED;
	if (j->diag.item.n > before)
		diag_print(&j->diag, stderr);
	return worse((int)j->run->status, s->opt.verify ? (int)reference->status : RUN_OK);
}

/* Mechanisms x pipelines; NULL when a mechanism or parameter is wrong. */
static Job *grid_jobs(Session *s, int *n)
{
	Options *o = &s->opt;
	const ModelKeys *m;
	if (!o->model.n)
		for (int i = 0; (m = model_keys(i)); i++)
			vec_push(&o->model, m->name);
	if (!o->passes.n)
		vec_push(&o->passes, "");
	*n = o->model.n * o->passes.n;
	Job *jobs = xcalloc((size_t)*n, sizeof *jobs);
	for (int i = 0; i < *n; i++) {
		Job *j = &jobs[i];
		*j = (Job){ .config = s->config, .model = o->model.v[i / o->passes.n], .passes = o->passes.v[i % o->passes.n],
			.reference = o->reference };
		if (config_set_model(&j->config, j->model, &s->diag) && config_check(&j->config, &s->diag))
			continue;
		free(jobs);
		return NULL;
	}
	return jobs;
}

static int run_grid(Session *s)
{
	int n, status = RUN_OK;
	Job *jobs = grid_jobs(s, &n), *first = NULL, reference = { 0 };
	StrBuf json = { 0 };
	JsonText t;
	if (!jobs)
		return RUN_BAD_INPUT;
	s->njobs = n + s->opt.verify;
	if (s->opt.verify)
		run_reference(s, &reference);
	json_text(&t, &json);
	t.sink.begin(&t.sink, '{', false);
	t.sink.key(&t.sink, "runs");
	t.sink.begin(&t.sink, '[', false);
	for (int i = 0; i < n && !interrupted; i++) {
		Job *j = &jobs[i];
		run_job(s, j);
		if (!first && j->status == RUN_OK)
			first = j;
		status = worse(status, judge(s, j, first, &reference));
		put_report(s, j, &t.sink);
		if (j != first)
			free_job(s, j);
	}
	t.sink.end(&t.sink);
	t.sink.end(&t.sink);
	status = worse(status, output_many(s, &json, true));
	if (first)
		free_job(s, first);
	if (reference.module)
		free_job(s, &reference);
	free(jobs);
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
	if (o->model.n && !o->grid && !config_set_model(&s->config, o->model.v[0], &s->diag))
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
