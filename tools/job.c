#include "tools/job.h"
#include "tools/inputs.h"
#include "tools/plugins.h"
#include "lib/file.h"
#include "lib/output.h"
#include "passes/analysis/profile.h"
#include "sim/report/many.h"
#include "sim/host/record.h"
#include "sim/record/diagnosis.h"

/* ---- progress ---- */

static void progress(void *self, uint64_t cycles, uint64_t warp_instructions)
{
	const Session *s = self;
	fprintf(stderr, "\r\033[K");
	if (s->njobs > 1)
		output_printf(stderr, "run %d of %d: ", s->job, s->njobs);
	output_printf(stderr, "%llu cycles, %llu warp instructions", (unsigned long long)cycles,
		(unsigned long long)warp_instructions);
	fflush(stderr);
}

static void clear_progress(const Session *s)
{
	if (s->terminal)
		fprintf(stderr, "\r\033[K");
}

/* ---- one run ---- */

static Title title_of(const Session *s, const Job *j)
{
	Title t = { .module = job_file(s, j), .config = s->opt.config, .config_by = s->opt.config_by,
		.module_hash = j->second ? s->second_hash : s->module_hash,
		.passes = j->passes, .log = &j->log,
		.profile = s->opt.profile, .profiled = j->profiled,
		.model = j->model, .workload = s->opt.workload, .source = job_source(s, j),
		.nargs = j->run ? j->run->options.nargs : s->opt.nargs,
		.args = j->run ? j->run->options.args : s->opt.args,
		.effective = &j->config, .sums = s->opt.sums,
		.file = &s->file, .marks = &s->marks };
	t.plugin = plugins_loaded(&t.nplugins);
	return t;
}

const char *job_model(const Job *j) { return j->model ? j->model : model_keys((int)j->config.model)->name; }

bool job_stats_to_output(const Session *s)
{
	for (int i = 0; i < s->opt.stats.n; i++)
		if (!strcmp(s->opt.stats.v[i], "-"))
			return true;
	return false;
}

/* How the workload runs: what every run of the session has in common. */
static RunOptions run_options(Session *s)
{
	const Options *o = &s->opt;
	return (RunOptions){ .gpu = { .threads = o->threads, .interrupted = s->interrupted,
		.progress = s->terminal ? progress : NULL, .self = s },
		.workload = o->workload, .workload_text = s->workload, .workload_bytes = s->workload_bytes,
		.nargs = o->nargs, .args = o->args, .size = o->size,
		.nfolders = o->files.n, .folders = o->files.v, .written = &s->written };
}

/* The report of a functional run of the module behind these passes, read as a profile. NULL: it does not end
   well, as the job's own run will tell. */
static Profile *profile_of_run(Session *s, const Job *j, const char *passes)
{
	Module *source = job_source(s, j), *m = *passes ? module_copy(source) : source;
	RunOptions options = run_options(s);
	Diag d = { 0 };
	StrBuf json = { 0 };
	JsonText t;
	Profile *p = NULL;
	options.gpu.functional = options.trial = true;
	Run *run = !*passes || config_transform(&j->config, m, passes, NULL, NULL, &d)
		? run_new(&j->config, m, &options, &d) : NULL;
	if (run && run_module(run) == RUN_OK) {
		Title title = title_of(s, &(Job){ .config = j->config, .model = j->model, .passes = passes,
			.second = j->second });
		json_text(&t, &json);
		report_json(run, &title, &t.sink);
		p = profile_read(&s->diag.arena, json.s, json.n, job_file(s, j), &d);
	}
	if (run)
		run_free(run);
	if (m != source)
		module_free(m);
	clear_progress(s);
	sb_free(&json);
	diag_free(&d);
	return p;
}

/* The profile that the job's passes get: that of a file, else, where one of them asks, of a run made for it;
   jobs of one mechanism share it. */
static const Profile *profile_for(Session *s, const Job *j)
{
	const char *model = job_model(j), *trial = pipeline_asks_profile(j->passes);
	if (s->profile || s->opt.no_profile || s->opt.disassemble || !trial || !profile_tells_idle(model))
		return s->profile;
	if (!s->made_for || strcmp(s->made_for, model) || s->made_of != job_source(s, j)) {
		s->made = profile_of_run(s, j, "");
		if (s->made && *trial)
			s->made->trial = profile_of_run(s, j, trial);
		s->made_for = model;
		s->made_of = job_source(s, j);
	}
	return s->made;
}

bool job_transform(Session *s, Job *j)
{
	j->module = job_source(s, j);
	if (!*j->passes)
		return true;
	j->module = module_copy(j->module);
	j->log.remarks = s->opt.remarks && !j->reference;
	j->limit.most = s->opt.bisect;
	j->log.limit = s->opt.bisects ? &j->limit : NULL;
	j->profile = profile_for(s, j);
	j->profiled = j->profile && j->profile == s->made;
	return config_transform(&j->config, j->module, j->passes, j->profile, &j->log, &j->diag);
}

static void tell_changes(const Session *s, const Job *j)
{
	StrBuf text = { 0 };
	if (!j->log.limit || (s->opt.quiet && !s->opt.remarks) || s->opt.trial)
		return;
	pass_log_changes(&j->log, &text);
	output_puts(stderr, text.s);
	sb_free(&text);
}

static void print_pass_stats(const Session *s, const Job *j)
{
	StrBuf text = { 0 };
	if (!s->opt.pass_stats || j->reference)
		return;
	pass_log_print(&j->log, &text);
	output_puts(stderr, text.s);
	sb_free(&text);
}

/* What the command line changes of the machine file; lives as long as the job. */
static const char *changes(const Session *s, Job *j)
{
	StrBuf b = { 0 };
	config_changes(&s->file, &j->config, &b);
	const char *text = arena_strdup(&j->diag.arena, b.s ? b.s : "");
	sb_free(&b);
	return text;
}

static bool is_stuck(const Job *j)
{
	return j->run && (j->run->fault == FAULT_LIVELOCK || j->run->fault == FAULT_BARRIER);
}

static const char *passes_of(const Job *j) { return *j->passes ? j->passes : "none"; }

/* The launch that livelock or deadlock has ended, of a run of a grid that has nothing else to tell; else
   NULL. */
static const LaunchStats *stuck_launch(const Session *s, const Job *j)
{
	const LaunchStats *l = is_stuck(j) && j->run->launch.n ? vec_last(&j->run->launch) : NULL;
	return s->opt.grid && !s->opt.verbose && l && l->diagnosis && j->diag.item.n == 1 ? l : NULL;
}

/* Says of such a launch in a line what happened, under which mechanism, and where. */
static void tell_briefly(const Session *s, const Job *j, const LaunchStats *l)
{
	const Diagnosis *d = l->diagnosis;
	const CodePlace *at = d->who.lanes && d->who.at.block ? &d->who.at : NULL;
	if (at && at->line)
		output_printf(stderr, "%s:%d: ", at->file ? at->file : s->opt.module, at->line);
	output_printf(stderr, "error: %s, passes %s: %s in kernel %s", job_model(j), passes_of(j),
		d->kind == FAULT_LIVELOCK ? "livelock" : "deadlock", l->kernel);
	output_printf(stderr, at ? ", block %s\n" : "\n", at ? at->block : "");
}

/* The messages of a run. Of a grid's livelocks and deadlocks each is told in a line, with --verbose at
   length. After one that stands alone: how the program fares under the other mechanisms. */
static void tell(Session *s, Job *j)
{
	const Options *o = &s->opt;
	bool stuck = is_stuck(j);
	const LaunchStats *brief = stuck_launch(s, j);
	if (o->trial)
		return;
	if (brief)
		tell_briefly(s, j, brief);
	else
		diag_print(&j->diag, stderr);
	fflush(stderr);
	s->brief += brief != NULL;
	StrBuf text = { 0 };
	if (stuck && j->status == RUN_FAILED && !o->alone && !o->grid && !o->quiet &&
		run_elsewhere(j->run, &text))
		output_puts(stderr, text.s);
	sb_free(&text);
}

static const char *where_it_runs(const Job *j)
{
	return j->reference ? "reference interpreter" : j->real_gpu ? "GPU" : job_model(j);
}

/* Where the file cannot be read, the run says so. */
static void read_workload(Session *s)
{
	const char *why;
	if (s->opt.workload && !s->workload)
		s->workload = file_read(s->opt.workload, MOST_WORKLOAD, &s->workload_bytes, &why);
}

void job_run(Session *s, Job *j)
{
	const Options *o = &s->opt;
	read_workload(s);
	/* it runs for its results alone */
	bool second = (j->reference && o->verify) || (j->real_gpu && o->on == ON_GPU_TOO);
	RunOptions options = run_options(s);
	options.gpu.functional = o->functional;
	options.gpu.sample = o->sample;
	options.gpu.sample_seed = o->sample_seed ? (uint64_t)o->sample_seed : 1;
	options.gpu.window = (uint64_t)o->window;
	options.gpu.trace = j->reference || j->real_gpu ? NULL : s->trace;
	options.gpu.machine = o->config;
	options.gpu.changed = changes(s, j);
	options.gpu.passes = j->passes;
	options.interval = (uint64_t)o->interval;
	options.reference = j->reference;
	options.real_gpu = j->real_gpu;
	options.trial = o->trial || (j->real_gpu && second);
	options.record = j->record;
	options.sums = o->sums;
	options.instructions = o->annotate != ANNOTATE_NONE;
	options.laws = o->laws && !j->real_gpu;
	options.races = o->races && !second;
	options.race_launches = o->race_launches && !second;
	options.print = o->before_after || o->grid || job_stats_to_output(s) ||
		(o->record && !strcmp(o->record, "-")) ? stderr : stdout;
	s->job++;
	if (second || o->trial)
		options.print = NULL;
	if (job_transform(s, j))
		j->run = run_new(&j->config, j->module, &options, &j->diag);
	j->status = j->run ? run_module(j->run) : RUN_BAD_INPUT;
	clear_progress(s);
	fflush(stdout);
	if (((j->diag.item.n && !stuck_launch(s, j)) || (j->log.count.n && o->pass_stats && !j->reference)) &&
		s->njobs > 1)
		output_printf(stderr, "%s%s%s, passes %s:\n", s->second ? job_file(s, j) : "",
			s->second ? ": " : "", where_it_runs(j), passes_of(j));
	tell_changes(s, j);
	print_pass_stats(s, j);
	tell(s, j);
	uint64_t launches = j->run ? run_launches(j->run) : 0;
	if (o->verbose)
		output_printf(stderr, "%s, passes %s: %llu launch%s, status %d\n",
			where_it_runs(j), passes_of(j), (unsigned long long)launches,
			launches == 1 ? "" : "es", (int)j->status);
}

void job_free(const Session *s, Job *j)
{
	if (j->run)
		run_free(j->run);
	if (j->module != job_source(s, j))
		module_free(j->module);
	pass_log_free(&j->log);
	vec_free(&j->limit.change);
	diag_free(&j->diag);
}

int job_compare(const Job *a, const Job *b, const char *name_a, const char *name_b, RunCompared *compared)
{
	Diag d = { 0 };
	bool same = run_same(a->run, b->run, name_a, name_b, compared, &d);
	diag_print(&d, stderr);
	diag_free(&d);
	return same ? RUN_OK : RUN_FAILED;
}

int job_verify(Job *j, const Job *reference)
{
	if (j->status != RUN_OK || reference->status != RUN_OK)
		return worse(j->status, reference->status);
	Arena a = { 0 };
	j->verified = true;
	int status = job_compare(j, reference, j->second ? arena_printf(&a, "on the machine by %s",
		j->module->name) : "on the machine", "by the reference interpreter", &j->compared);
	arena_free(&a);
	j->same = !strcmp(run_results(&j->compared), "equal");
	return status;
}

void job_run_reference(Session *s, Job *j)
{
	*j = (Job){ .config = s->config, .passes = "", .reference = true };
	job_run(s, j);
}

int job_verify_each(Session *s, const char *passes, const Job *reference)
{
	Arena a = { 0 };
	int n = pipeline_steps(passes), status = (int)reference->status;
	s->njobs += n;
	for (int k = 1; k <= n && status == RUN_OK; k++) {
		Job j = { .config = s->config, .passes = pipeline_prefix(&a, passes, k), .reference = true };
		job_run(s, &j);
		status = worse((int)j.status, j.status == RUN_OK
			? job_compare(&j, reference, arena_printf(&a, "after %s", j.passes), "without passes",
			NULL) : RUN_OK);
		job_free(s, &j);
	}
	arena_free(&a);
	return status;
}

int job_list_sizes(Session *s, StrBuf *out)
{
	RunOptions options = run_options(s);
	options.list_sizes = out;
	options.trial = true;
	options.gpu.progress = NULL;
	Run *run = run_new(&s->config, s->module, &options, &s->diag);
	int status = run ? (int)run_module(run) : RUN_BAD_INPUT;
	if (run)
		run_free(run);
	return status;
}

/* ---- output ---- */

static int write_file(const char *path, const StrBuf *text)
{
	const char *why;
	if (!strcmp(path, "-")) {
		output_report(stdout, text->s);
		return RUN_OK;
	}
	if (file_write(path, text->s, text->n, &why))
		return RUN_OK;
	output_printf(stderr, "error: cannot write %s: %s\n", path, why);
	return RUN_BAD_INPUT;
}

int job_write_host(const Session *s, Job *j)
{
	StrBuf text = { 0 };
	Diag d = { 0 };
	int status = RUN_BAD_INPUT;
	if (!j->run || j->status != RUN_OK)
		return (int)j->status;
	if (j->run->host)
		diag_error(&d, (Loc){ j->module->name, 0, 0 },
			"its host function %s ran; --record-host expected a workload in Lua",
			j->run->host->name);
	else if (record_finish(j->run->recorder, &text, &d))
		status = write_file(s->opt.record, &text);
	diag_print(&d, stderr);
	diag_free(&d);
	sb_free(&text);
	return status;
}

/* An interval has become longer than was asked for. */
static void tell_length(const Session *s, const Timed *timed, int n)
{
	for (int i = 0; i < n; i++) {
		const Intervals *v = timed[i].run->intervals;
		if (v->cycles != v->asked && !s->opt.quiet)
			output_printf(stderr, "warning: --interval %llu: %s has more than %d intervals of "
				"that length; figures are for %llu cycles each\n",
				(unsigned long long)v->asked, n > 1 ? i ? "the run after passes"
				: "the run before passes" : "the run", INTERVALS_MOST,
				(unsigned long long)v->cycles);
	}
}

/* All files of --stats, and the text on standard output. Tables and pictures show the runs of a grid, or n
   runs over time. */
static int write_stats(const Session *s, const StrBuf *json, const StrBuf *text, const JsonValue *runs,
	const Timed *timed, int n)
{
	int status = RUN_OK;
	StrBuf shown = { 0 };
	output_clean(&shown, text->s, text->n);
	if (s->opt.interval)
		tell_length(s, timed, n);
	for (int i = 0; i < s->opt.stats.n; i++) {
		const char *path = s->opt.stats.v[i];
		StatsKind kind = stats_kind(path);
		StrBuf table = { 0 };
		if (kind == STATS_CSV && s->opt.interval)
			report_intervals_csv(timed, n, &table);
		else if (kind == STATS_SVG && s->opt.interval)
			report_intervals_svg(timed, n, &table);
		else if (kind == STATS_CSV)
			report_grid_csv(runs, &table);
		else if (kind == STATS_SVG)
			report_grid_svg(runs, &table);
		status = worse(status, write_file(path, table.s ? &table : kind == STATS_TEXT ? &shown
			: json));
		sb_free(&table);
	}
	if (!s->opt.quiet && !job_stats_to_output(s) && !(s->opt.record && !strcmp(s->opt.record, "-")))
		output_report(stdout, shown.s);
	sb_free(&shown);
	return status;
}

void job_put_report(const Session *s, Job *j, JsonSink *sink)
{
	Title t = title_of(s, j);
	if (j->run)
		report_json(j->run, &t, sink);
	else
		report_refused(&t, diag_first(&j->diag), sink);
}

/* Behind the report: what lines or instructions did. json: that of a run, or of two. */
static void annotate(const Session *s, const StrBuf *json, StrBuf *text)
{
	Arena a = { 0 };
	Diag d = { 0 };
	if (!s->opt.annotate)
		return;
	const JsonValue *v = json_read(&a, json->s, json->n, "report", &d);
	must(v);
	const JsonValue *before = json_get(v, "before");
	report_annotate(before ? before : v, json_get(v, "after"), s->opt.annotate, &s->sources, text);
	arena_free(&a);
}

int job_show(const Session *s, Job *j)
{
	StrBuf json = { 0 }, text = { 0 };
	JsonText t;
	Title title = title_of(s, j);
	if (!j->run || (j->status == RUN_BAD_INPUT && !j->run->launch.n))
		return RUN_OK;
	if (s->opt.quiet && !s->opt.stats.n)
		return RUN_OK;
	if (s->opt.stats.n || s->opt.annotate) {
		json_text(&t, &json);
		job_put_report(s, j, &t.sink);
	}
	report_text(j->run, &title, s->opt.all, &text);
	annotate(s, &json, &text);
	if (j->verified) {
		sb_putc(&text, '\n');
		report_results(&j->compared, " to the reference interpreter's", (ReportForm){ 0 }, &text);
	}
	int status = write_stats(s, &json, &text, NULL, &(Timed){ NULL, j->run, &title }, 1);
	sb_free(&json);
	sb_free(&text);
	return status;
}

/* Says how many of the runs had the results of the reference interpreter. results: of two modules, how theirs
   compare with each other's. */
static void put_verified(const Session *s, const Job *jobs, int n, const char *results, StrBuf *text)
{
	int verified = 0, same = 0, unknown = 0;
	for (int i = 0; i < n; i++) {
		verified += jobs[i].verified;
		same += jobs[i].same;
		unknown += jobs[i].verified && !strcmp(run_results(&jobs[i].compared), "unknown");
	}
	if (!verified)
		return;
	sb_printf(text, "\nresults: those of %d of %d runs are the reference interpreter's", same, n);
	if (unknown)
		sb_printf(text, "; of %d nothing, or only a part, was compared", unknown);
	sb_puts(text, s->second && same == n && !strcmp(results, "differ") ? "\n"
		"both do what their module says: the two modules mean different things\n" : "\n");
}

int job_show_many(const Session *s, const Job *jobs, int njobs, const StrBuf *json, bool grid)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf text = { 0 };
	ReportForm form = { .full = s->opt.all };
	const JsonValue *v = json_read(&a, json->s, json->n, "report", &d);
	must(v);
	const JsonValue *comparisons = json_get(v, "comparisons");
	if (grid)
		report_grid_text(json_get(v, "runs"), form, &text);
	else if (comparisons)
		report_comparisons(comparisons, form, &text);
	else
		report_compare(json_get(v, "before"), json_get(v, "after"), v, form, &text);
	put_verified(s, jobs, njobs, json_string(v, "results"), &text);
	if (grid && s->opt.by)
		report_grid_by(json_get(v, "runs"), s->opt.by, &text);
	annotate(s, json, &text);
	int status;
	if (!grid && !comparisons) {
		const Title title[2] = { title_of(s, &jobs[0]), title_of(s, &jobs[1]) };
		const Timed timed[2] = { { "before", jobs[0].run, &title[0] },
			{ "after", jobs[1].run, &title[1] } };
		status = write_stats(s, json, &text, NULL, timed, 2);
	} else {
		status = write_stats(s, json, &text, json_get(v, "runs"), NULL, 0);
	}
	sb_free(&text);
	arena_free(&a);
	return status;
}
