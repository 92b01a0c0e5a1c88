/* gsim: run a kernel module on a simulated GPU and report what was measured. doc/gsim.md is the manual. */
#include "lib/output.h"
#include "tools/before_after.h"
#include "tools/check_machine.h"
#include "tools/find_module.h"
#include "tools/inputs.h"
#include "tools/job.h"
#include "tools/list.h"
#include "tools/on_gpu.h"
#include "tools/plugins.h"
#include "tools/sensitivity.h"
#include "tools/settings.h"
#include "tools/skeleton.h"
#include "traces/export.h"
#include <errno.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile time_t interrupted_at;  /* seconds; read and written by the handler only */

/* The first interrupt ends the run with a report, a later one the program. What comes within a second is the
 * same interrupt delivered twice, as to a process and to its group. */
static void on_interrupt(int sig)
{
	time_t now = time(NULL);
	if (interrupted && now - interrupted_at > 1) {
		signal(sig, SIG_DFL);
		raise(sig);
	} else if (!interrupted) {
		interrupted_at = now;
		interrupted = sig;
	}
}

static void catch_interrupts(void)
{
	struct sigaction a = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

/* ---- the three ways to run ---- */

static int run_gpu_alone(Session *s)
{
	Job gpu;
	s->njobs = 1;
	on_gpu_run(s, &gpu);
	on_gpu_show(s, &gpu, NULL);
	int status = (int)gpu.status;
	job_free(s, &gpu);
	return status;
}

static int run_single(Session *s)
{
	Job job = { .config = s->config, .model = s->opt.model.n ? s->opt.model.v[0] : NULL,
		.passes = s->opt.passes.n ? s->opt.passes.v[0] : "", .reference = s->opt.reference,
		.record = s->opt.record != NULL };
	Job reference = { 0 }, gpu = { 0 };
	s->njobs = 1 + s->opt.verify + (s->opt.on == ON_GPU_TOO);
	job_run(s, &job);
	int status = job.status;
	if (s->opt.verify && status == RUN_OK) {
		job_run_reference(s, &reference);
		status = worse(status, job_verify(&job, &reference));
		if (s->opt.verify_each)
			status = worse(status, job_verify_each(s, job.passes, &reference));
	}
	if (s->opt.on == ON_GPU_TOO && job.status == RUN_OK) {
		on_gpu_run(s, &gpu);
		status = worse(status, on_gpu_compare(&job, &gpu));
	}
	if (s->opt.record)
		status = worse(status, job_write_host(s, &job));
	status = worse(status, job_show(s, &job));
	if (gpu.module) {
		on_gpu_show(s, &gpu, &job);
		job_free(s, &gpu);
	}
	job_free(s, &job);
	if (reference.module)
		job_free(s, &reference);
	return status;
}

/* Its results against those of the first run of the grid that completed, and of the reference interpreter.
 * What differs makes the run fail. */
static int judge(const Session *s, Job *j, Job *first, const Job *reference)
{
	char name[200], base[200];
	int before = j->diag.item.n;
	if (j->status != RUN_OK)
		return j->status;
	snprintf(name, sizeof name, "with %.60s, passes %.120s", job_model(j),
		*j->passes ? j->passes : "none");
	snprintf(base, sizeof base, "with %.60s, passes %.120s", job_model(first),
		*first->passes ? first->passes : "none");
	if (j != first && !run_same(first->run, j->run, base, name, NULL, &j->diag))
		j->run->status = RUN_FAILED;
	j->verified = s->opt.verify && reference->status == RUN_OK;
	if (j->verified && !run_same(j->run, reference->run, name, "by the reference interpreter",
		&j->compared, &j->diag))
		j->run->status = RUN_FAILED;
	j->same = j->verified && !strcmp(run_results(&j->compared), "equal");
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
		*j = (Job){ .config = s->config, .model = o->model.v[i / o->passes.n],
			.passes = o->passes.v[i % o->passes.n],
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
		job_run_reference(s, &reference);
	for (int i = 0; i < s->opt.passes.n && s->opt.verify_each; i++)
		status = worse(status, job_verify_each(s, s->opt.passes.v[i], &reference));
	json_text(&t, &json);
	t.sink.begin(&t.sink, '{', false);
	json_put_count(&t.sink, "schema_version", REPORT_SCHEMA);
	t.sink.key(&t.sink, "runs");
	t.sink.begin(&t.sink, '[', false);
	for (int i = 0; i < n && !interrupted; i++) {
		Job *j = &jobs[i];
		job_run(s, j);
		if (!first && j->status == RUN_OK)
			first = j;
		status = worse(status, judge(s, j, first, &reference));
		job_put_report(s, j, &t.sink);
		if (j != first)
			job_free(s, j);
	}
	t.sink.end(&t.sink);
	t.sink.end(&t.sink);
	status = worse(status, job_show_many(s, jobs, n, &json, true));
	fflush(stdout);
	if (s->brief)
		output_printf(stderr, "%d of %d runs cannot end; --verbose and the JSON report say more of "
			"each\n", s->brief, n);
	if (first)
		job_free(s, first);
	if (reference.module)
		job_free(s, &reference);
	free(jobs);
	sb_free(&json);
	return status;
}

/* ---- preparation ---- */

static void mark_given(Session *s)
{
	const Options *o = &s->opt;
	Arena a = { 0 };
	for (int i = 0; i < o->set.n; i++)
		marks_give(&s->marks, arena_strndup(&a, o->set.v[i], strcspn(o->set.v[i], "=")));
	if (o->model.n && !o->grid)
		marks_give_model(&s->marks, o->model.v[0]);
	arena_free(&a);
}

/* The machine file; what its figures stand on is read where a report or a printed configuration keeps it. */
static bool load_file(Session *s)
{
	const Options *o = &s->opt;
	MachineTexts texts = { 0 };
	bool marked = o->print_config || o->stats.n, ok = true;
	if (!o->config)
		config_defaults(&s->config);
	else
		ok = config_load_texts(&s->config, o->config, marked ? &texts : NULL, &s->diag);
	if (ok && o->config && marked)
		marks_read(&s->marks, &texts);
	config_free_texts(&texts);
	return ok;
}

static bool load_config(Session *s)
{
	const Options *o = &s->opt;
	if (!load_file(s)) {
		if (o->config_by)
			diag_error(&s->diag, (Loc){ o->config_by, 0, 0 }, "this file chooses the machine %s",
				o->config);
		return false;
	}
	s->file = s->config;
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
	bool several = o->grid || (o->second && o->model.n > 1);
	if (o->model.n && !several && !config_set_model(&s->config, o->model.v[0], &s->diag))
		return false;
	if (o->print_config || o->stats.n)
		mark_given(s);
	return config_check(&s->config, &s->diag);
}

/* A page holds a trace, which has a file of its own while the run goes on. */
static bool open_trace(Session *s)
{
	const Options *o = &s->opt;
	if (o->html && !o->trace) {
		const char *folder = getenv("TMPDIR");
		snprintf(s->scratch, sizeof s->scratch, "%s/gsim-trace-XXXXXX",
			folder && *folder && strlen(folder) < 200 ? folder : "/tmp");
		int fd = mkstemp(s->scratch);
		if (fd < 0) {
			diag_error(&s->diag, (Loc){ s->scratch, 0, 0 },
				"cannot write the trace for the page: %s", strerror(errno));
			s->scratch[0] = 0;
			return false;
		}
		close(fd);
	}
	s->trace = o->trace || o->html ? trace_create(o->trace ? o->trace : s->scratch, &s->diag) : NULL;
	return s->trace || !(o->trace || o->html);
}

static bool close_trace(Session *s)
{
	const Options *o = &s->opt;
	const char *path = o->trace ? o->trace : s->scratch;
	bool ok = !s->trace || trace_close(s->trace, &s->diag);
	if (ok && o->html)
		ok = trace_html_file(&path, &o->module, 1, &s->sources, strcmp(o->html, "-") ? o->html : NULL,
			&s->diag);
	if (s->scratch[0])
		unlink(s->scratch);
	return ok;
}

static bool prepare(Session *s)
{
	const Options *o = &s->opt;
	if (!load_config(s))
		return false;
	for (int i = 0; i < o->passes.n; i++)
		if (*o->passes.v[i] && !pipeline_check(o->passes.v[i], &s->diag))
			return false;
	s->module = module_read_below(o->module, o->source, &s->diag);
	if (!s->module)
		return false;
	s->sources = source_root(&s->diag.arena, o->module, o->source);
	s->module_hash = hash_of_file(&s->diag.arena, o->module);
	if (o->second && !before_after_read_second(s))
		return false;
	s->profile = o->profile ? profile_of_file(&s->diag.arena, o->profile, o->module, s->module_hash,
		&s->diag) : NULL;
	if ((o->on && !o->show && !on_gpu_open(s)) || !open_trace(s))
		return false;
	s->terminal = isatty(2) && !o->quiet;
	return !s->diag.errors;
}

static int show_sizes(Session *s)
{
	StrBuf out = { 0 };
	if (!load_config(s) || !(s->module = module_read_below(s->opt.module, s->opt.source, &s->diag)))
		return RUN_BAD_INPUT;
	int status = job_list_sizes(s, &out);
	output_puts(stdout, status == RUN_OK ? out.s : NULL);
	sb_free(&out);
	return status;
}

/* Does the command line set the parameter, by -D, or by --model? */
static bool is_set(const void *session, const char *name)
{
	const Options *o = &((const Session *)session)->opt;
	size_t n = strlen(name);
	for (int i = 0; i < o->set.n; i++)
		if (!strncmp(o->set.v[i], name, n) && o->set.v[i][n] == '=')
			return true;
	return o->model.n && !strcmp(name, "divergence.model");
}

static int show_list(Session *s)
{
	StrBuf out = { 0 };
	bool kernels = options_lists_kernels(&s->opt);
	if (options_lists_sizes(&s->opt))
		return show_sizes(s);
	if (kernels && !(s->module = module_read_below(s->opt.module, s->opt.source, &s->diag)))
		return RUN_BAD_INPUT;
	if (kernels) {
		list_kernels(s->module, &out);
	} else if (options_lists_figures(&s->opt)) {
		if (!load_config(s) ||
			!list_figures(s->opt.config, &s->config, is_set, s, &out, &s->diag)) {
			sb_free(&out);
			return RUN_BAD_INPUT;
		}
	} else if (!strcmp(s->opt.list, "kernels")) {
		list_kernel_files(&out);
	} else if (!list_table(s->opt.list, &out)) {
		output_printf(stderr, "error: --list: expected models, passes, configs, machines, "
			"parameters, statistics, operations, options, figures, kernels or sizes, not '%s'\n",
			s->opt.list);
		return RUN_BAD_INPUT;
	}
	output_puts(stdout, out.s);
	bool kernels_by_name = !strcmp(s->opt.list, "kernels"), none = !out.n && (kernels_by_name ||
		!strcmp(s->opt.list, "configs") || !strcmp(s->opt.list, "machines"));
	if (none)
		output_printf(stderr, "error: there are no %s %s: expected some, as with "
			"GSIM_PATH=SOURCE-TREE\n", kernels_by_name ? "kernels" : "machine files",
			kernels_by_name ? list_kernel_folders : list_machine_folders);
	sb_free(&out);
	return none ? RUN_BAD_INPUT : RUN_OK;
}

static int show_skeleton(Session *s)
{
	StrBuf out = { 0 };
	s->module = module_read_below(s->opt.module, s->opt.source, &s->diag);
	bool ok = s->module && skeleton_print(s->module, s->opt.kernel, &s->diag, &out);
	output_puts(stdout, ok ? out.s : NULL);
	sb_free(&out);
	return ok ? RUN_OK : RUN_BAD_INPUT;
}

static int show_config(Session *s)
{
	StrBuf out = { 0 };
	if (!load_config(s))
		return RUN_BAD_INPUT;
	if (s->opt.config_by)
		sb_printf(&out, "-- the machine %s, which %s chooses\n", s->opt.config, s->opt.config_by);
	config_print_marked(&s->config, &s->marks, &out);
	output_puts(stdout, out.s);
	sb_free(&out);
	return RUN_OK;
}

static int disassemble(Session *s)
{
	Job j = { .config = s->config, .passes = s->opt.passes.n ? s->opt.passes.v[0] : "" };
	RunOptions options = { 0 };
	if (job_transform(s, &j))
		j.run = run_new(&j.config, j.module, &options, &j.diag);
	for (int i = 0; j.run && i < j.module->func.n; i++) {
		const Function *f = j.module->func.v[i];
		StrBuf out = { 0 };
		if (f->kind == FN_KERNEL && !list_refused(j.module, f, &out))
			gpu_disassemble(j.run->gpu, f, &out, &j.diag);
		output_puts(stdout, out.s);
		sb_free(&out);
	}
	diag_print(&j.diag, stderr);
	int status = j.run && !j.diag.errors ? RUN_OK : RUN_BAD_INPUT;
	job_free(s, &j);
	return status;
}

static int check_machine(Session *s)
{
	if (!load_config(s))
		return RUN_BAD_INPUT;
	settings_warn(s);
	catch_interrupts();
	s->interrupted = &interrupted;
	int status = check_machine_run(s);
	return interrupted ? RUN_INTERRUPTED : status;
}

static int run(Session *s)
{
	const Options *o = &s->opt;
	if (o->list)
		return show_list(s);
	if (o->new_workload)
		return show_skeleton(s);
	if (o->print_config)
		return show_config(s);
	if (o->check_machine)
		return check_machine(s);
	if (!prepare(s))
		return RUN_BAD_INPUT;
	if (o->disassemble)
		return disassemble(s);
	settings_warn(s);
	catch_interrupts();
	s->interrupted = &interrupted;
	int status = o->sensitivity ? sensitivity_run(s) : o->grid ? run_grid(s)
		: o->before_after ? before_after_run(s)
		: o->on == ON_GPU_ALONE ? run_gpu_alone(s) : run_single(s);
	if (!close_trace(s))
		status = worse(status, RUN_BAD_INPUT);
	return interrupted ? RUN_INTERRUPTED : status;
}

static int program(int argc, char **argv)
{
	Session s = { 0 };
	int status = RUN_BAD_INPUT;
	sandbox_backstop();
	switch (options_parse(&s.opt, argc, argv)) {
	case OPT_DONE: status = RUN_OK; break;
	case OPT_ERROR: break;
	case OPT_RUN:
		if (plugins_load(s.opt.load.v, s.opt.load.n, &s.diag))
			status = run(&s);
		break;
	}
	diag_print(&s.diag, stderr);
	if (s.diag.errors)
		status = worse(status, RUN_BAD_INPUT);
	on_gpu_close(&s, status);
	if (s.module)
		module_free(s.module);
	if (s.second)
		module_free(s.second);
	free(s.workload);
	vec_free(&s.written);
	marks_free(&s.marks);
	options_free(&s.opt);
	diag_free(&s.diag);
	return status;
}

/* The signal ends the program in the end: a shell goes on with its loop, and a batch system takes the job for
   done, unless they see that a signal ended the command. */
int main(int argc, char **argv)
{
	int status = output_end(program(argc, argv));
	if (interrupted) {
		int sig = interrupted;
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return status;
}
