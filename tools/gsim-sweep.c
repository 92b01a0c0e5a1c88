/* gsim-sweep: run a module, or several, at every point of a plan, and collect what was measured.
   doc/sweeps.md is its guide. */
#include "lib/output.h"
#include "tools/find_module.h"
#include "tools/plugins.h"
#include "tools/sweep/inputs_copy.h"
#include "tools/sweep/plot.h"
#include "tools/sweep/slurm.h"
#include "tools/sweep/table.h"
#include "tools/usage/sweep.h"
#include "tools/user.h"
#include "sim/sandbox/backstop.h"
#include "passes/pass.h"
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_SECONDS = 1000000, MOST_SHARDS = 1000000 };

typedef struct PlotWanted { const char *path; PlotChoice choice; } PlotWanted;

typedef struct SweepOptions {
	Plan plan;
	UserConfig user;
	const char *output, *csv, *lines;
	PlotChoice choice;             /* of the next --plot */
	Vec(PlotWanted) plot;
	StrBuf words;                  /* what a process that runs a shard is told, as a shell reads it */
	const char *sbatch;
	int processes, shard, shards, jobs, seconds, tasks;
	bool slurm, no_wait, dry_run, retry, quiet;
} SweepOptions;

static volatile sig_atomic_t interrupted;
static void on_interrupt(int sig) { interrupted = sig; }

/* ---- the command line ---- */

static void help(void)
{
	StrBuf out = { 0 };
	usage_help(&usage_sweep, &out);
	output_puts(stdout, out.s);
	sb_free(&out);
}

static bool wrong(const char *what, const char *which)
{
	usage_wrong("gsim-sweep", what, which);
	return false;
}

/* KEY=VALUES */
static bool take_assignment(Plan *p, AxisKind kind, const char *option, const char *arg, Diag *d)
{
	const char *eq = strchr(arg, '=');
	if (!eq || eq == arg) {
		diag_error(d, (Loc){ 0 }, "--%s %s: expected NAME=VALUES", option, arg);
		return false;
	}
	const char *name = arena_strndup(&p->arena, arg, (size_t)(eq - arg));
	return plan_values(p, plan_axis(p, kind, name), eq + 1, arena_printf(&p->arena, "--%s %s", option,
		name), d);
}

static bool take_models(Plan *p, const char *arg, Diag *d)
{
	const ModelKeys *m;
	if (strcmp(arg, "all"))
		return plan_values(p, plan_axis(p, AXIS_MECHANISM, NULL), arg, "--model", d);
	for (int i = 0; (m = model_keys(i)); i++)
		vec_push(&plan_axis(p, AXIS_MECHANISM, NULL)->value, m->name);
	return true;
}

static bool take_statistics(Plan *p, const char *arg, Diag *d)
{
	for (size_t n; *arg; arg += n + (arg[n] == ',')) {
		n = strcspn(arg, ",");
		const char *name = arena_strndup(&p->arena, arg, n);
		if (!sweep_has_statistic(name)) {
			diag_error(d, (Loc){ 0 }, "--statistics: there is no '%s'; expected a name of gsim "
				"--list statistics, launches, simd_utilization or all", name);
			return false;
		}
		vec_push(&p->statistic, name);
	}
	return true;
}

static bool take_kind(SweepOptions *o, const char *arg)
{
	for (int i = 0; i < PLOT_KINDS; i++)
		if (!strcmp(arg, plot_kind_name[i])) {
			o->choice.kind = (PlotKind)i;
			o->choice.given = true;
			return true;
		}
	return wrong("--plot-kind: expected lines, bars or heat, not ", arg);
}

static bool take_y(const char *arg, Diag *d)
{
	if (sweep_has_statistic(arg) && strcmp(arg, "all"))
		return true;
	diag_error(d, (Loc){ 0 }, "--plot-y: there is no '%s'; expected a name of gsim --list statistics",
		arg);
	return false;
}

static bool take_shard(SweepOptions *o, const char *arg)
{
	char first[16];
	const char *slash = strchr(arg, '/');
	if (!slash || (size_t)(slash - arg) >= sizeof first)
		return false;
	snprintf(first, sizeof first, "%.*s", (int)(slash - arg), arg);
	return usage_number(slash + 1, MOST_SHARDS, &o->shards) && usage_number(first, o->shards, &o->shard);
}

static bool take(SweepOptions *o, int letter, const char *arg, Diag *d)
{
	Plan *p = &o->plan;
	switch (letter) {
	case 'c': return plan_values(p, plan_axis(p, AXIS_MACHINE, NULL), arg, "--config", d);
	case 'D': return take_assignment(p, AXIS_PARAMETER, "set", arg, d);
	case 'm': return take_models(p, arg, d);
	case 'p': vec_push(&plan_axis(p, AXIS_PASSES, NULL)->value, pipeline_empty(arg) ? "" : arg); break;
	case O_VARY: return take_assignment(p, AXIS_VARIABLE, "vary", arg, d);
	case O_SIZE: return plan_values(p, plan_axis(p, AXIS_SIZE, NULL), arg, "--size", d);
	case O_WHEN: return plan_when(p, arg, d);
	case O_PLAN: return plan_read(p, arg, d);
	case 'w': p->workload = arg; break;
	case O_FILES: vec_push(&p->files, arg); return usage_folder("--files", arg);
	case O_SOURCE: p->source = arg; return usage_folder("--source", arg);
	case O_LOAD: vec_push(&p->load, arg); break;
	case O_FUNCTIONAL: p->functional = true; break;
	case 'o': o->output = arg; break;
	case O_STATISTICS: return take_statistics(p, arg, d);
	case O_CSV: o->csv = arg; break;
	case O_LINES: o->lines = arg; break;
	case O_PLOT: vec_push(&o->plot, ((PlotWanted){ arg, o->choice })); break;
	case O_KIND: return take_kind(o, arg);
	case O_X: o->choice.x = arg; break;
	case O_SERIES: o->choice.series = arg; break;
	case O_Y: o->choice.y = arg; return take_y(arg, d);
	case 'j': return usage_number(arg, 1024, &o->processes) ||
		wrong("--processes: expected a number from 1 to 1024, not ", arg);
	case O_SHARD: return take_shard(o, arg) || wrong("--shard: expected I/N, such as 1/4, not ", arg);
	case O_PRINT_JOBS: return usage_number(arg, MOST_SHARDS, &o->jobs) ||
		wrong("--print-jobs: expected a number from 1 to 1000000, not ", arg);
	case O_SLURM: o->slurm = true; break;
	case O_TASKS: return usage_number(arg, MOST_SHARDS, &o->tasks) ||
		wrong("--tasks: expected a number from 1 to 1000000, not ", arg);
	case O_SBATCH: o->sbatch = arg; break;
	case O_NO_WAIT: o->no_wait = true; break;
	case O_INPUTS: p->inputs = arg; return usage_folder("--inputs", arg);
	case O_DRY_RUN: o->dry_run = true; break;
	case O_RETRY: o->retry = true; break;
	case O_SECONDS: return usage_number(arg, LONGEST_SECONDS, &o->seconds) ||
		wrong("--seconds: expected a number from 1 to 1000000, not ", arg);
	case 'q': o->quiet = true; break;
	default: must(!"an option of the table");
	}
	return true;
}

static bool may_be_repeated(int letter)
{
	return letter == 'c' || letter == 'D' || letter == 'm' || letter == 'p' || letter == O_VARY ||
		letter == O_FILES || letter == O_LOAD || letter == O_SIZE || letter == O_STATISTICS ||
		(letter >= O_PLOT && letter <= O_Y);
}

/* What does not go together. */
static bool check(const SweepOptions *o)
{
	if (o->jobs && o->shards)
		return wrong("--print-jobs and --shard exclude each other", "");
	const char *output = o->csv ? "--csv" : o->lines ? "--json-lines" : o->plot.n ? "--plot" : NULL;
	if (o->slurm && (o->jobs || o->shards))
		return wrong("--slurm excludes --print-jobs and --shard", "");
	if (!o->slurm && (o->tasks || o->sbatch || o->no_wait))
		return wrong("--tasks, --sbatch and --no-wait are for --slurm", "");
	if (o->dry_run && output)
		return wrong("--dry-run runs nothing, so that there is nothing for ", output);
	if (o->csv && o->lines && !strcmp(o->csv, "-") && !strcmp(o->lines, "-"))
		return wrong("--csv and --json-lines cannot both be standard output", "");
	return true;
}

/* Options that say what the points are and how each runs; the others are of the sweep as a whole. */
static bool is_for_shards(int letter)
{
	return (letter < 128 && strchr("cDmpw", letter)) || (letter >= O_VARY && letter <= O_FUNCTIONAL) ||
		letter == O_RETRY || letter == O_SECONDS;
}

static void keep_option(SweepOptions *o, int letter, const char *arg)
{
	int i = 0;
	while (usage_sweep.row[i].letter != letter)
		i++;
	sb_printf(&o->words, " --%s", usage_sweep.row[i].name);
	if (!arg)
		return;
	sb_putc(&o->words, ' ');
	put_shell_word(&o->words, arg);
}

/* The machine of the user's configuration, where neither the command line nor a plan has one. Processes that
   run shards are told it: they may be elsewhere. */
static bool take_user(SweepOptions *o, Diag *d)
{
	if (!user_read(&o->user))
		return false;
	if (!o->user.machine || plan_axis(&o->plan, AXIS_MACHINE, NULL)->value.n)
		return true;
	keep_option(o, 'c', o->user.machine);
	return take(o, 'c', o->user.machine, d);
}

typedef enum { SWEEP_GO_ON, SWEEP_DONE, SWEEP_WRONG } SweepParsed;

static SweepParsed parse(SweepOptions *o, int argc, char **argv, Diag *d)
{
	char letters[3 * USAGE_ROWS_MOST + 2];
	struct option longs[USAGE_ROWS_MOST + 1];
	int end = 1, letter;
	uint64_t given = 0;
	while (end < argc && strcmp(argv[end], "--"))
		end++;
	usage_tables(&usage_sweep, letters, longs);
	opterr = 0;
	while ((letter = getopt_long(end, argv, letters, longs, NULL)) != -1) {
		if (letter == 'h' || letter == O_VERSION) {
			if (letter == 'h')
				help();
			else
				puts("gsim-sweep " GSIM_RELEASE);
			return SWEEP_DONE;
		}
		if (letter == '?' || letter == ':') {
			usage_option("gsim-sweep", argv, longs, letter);
			return SWEEP_WRONG;
		}
		if (!may_be_repeated(letter) && usage_twice("gsim-sweep", longs, letter, &given))
			return SWEEP_WRONG;
		if (user_option(&o->user, letter, optarg))
			continue;
		if (!take(o, letter, optarg, d))
			return SWEEP_WRONG;
		if (is_for_shards(letter))
			keep_option(o, letter, optarg);
	}
	if (!take_user(o, d))
		return SWEEP_WRONG;
	for (int i = optind; i < end; i++)
		vec_push(&plan_axis(&o->plan, AXIS_MODULE, NULL)->value, argv[i]);
	for (int i = optind; i < argc; i++) {
		sb_putc(&o->words, ' ');
		put_shell_word(&o->words, argv[i]);
	}
	if (end + 1 < argc)
		vec_push(&plan_axis(&o->plan, AXIS_ARGUMENTS, NULL)->value, plan_arguments(&o->plan.arena,
			argv + end + 1, argc - end - 1));
	return check(o) ? SWEEP_GO_ON : SWEEP_WRONG;
}

/* ---- what can be told before anything runs ---- */

/* Mechanisms of plug-ins are known by now, too. */
static void expand_all(Plan *p)
{
	Axis *axis = plan_axis(p, AXIS_MECHANISM, NULL);
	const ModelKeys *m;
	for (int i = 0; i < axis->value.n; i++) {
		if (strcmp(axis->value.v[i], "all"))
			continue;
		vec_remove(&axis->value, i);
		for (int k = 0; (m = model_keys(k)); k++)
			vec_insert(&axis->value, i + k, m->name);
	}
}

/* Module `which` of the axis: it, or a kernel of that name, can be read. */
static bool can_read(Plan *p, const Axis *axis, int which, Diag *d)
{
	const char *value = axis->value.v[which];
	bool planned = which >= axis->first_planned && which < axis->first_planned + axis->planned;
	const PlanModule *m = strchr(value, '{') ? NULL : plan_module(p, value, planned, d);
	if (!m)
		return !d->errors;
	if (!access(m->file, R_OK) && !file_is_folder(m->file))
		return true;
	const char *folder;
	if (planned || find_module_file(&d->arena, value, &folder, d))
		diag_error(d, (Loc){ value, 0, 0 }, "cannot be read: %s", strerror(file_is_folder(value)
			? EISDIR : errno ? errno : ENOENT));
	return false;
}

/* A value with a variable is looked at when there is a point of it. */
static bool check_value(const Axis *axis, const char *value, Diag *d)
{
	Config c;
	if (strchr(value, '{'))
		return true;
	config_defaults(&c);
	if (axis->kind == AXIS_MACHINE)
		return !*value || config_load(&c, value, d);
	if (axis->kind == AXIS_PARAMETER)
		return config_set(&c, axis->name, value, d);
	if (axis->kind == AXIS_MECHANISM && *value)
		return config_set_model(&c, value, d);
	if (axis->kind == AXIS_SIZE)
		return plan_size(value, d) != SIZE_NONE;
	return axis->kind != AXIS_PASSES || !*value || pipeline_check(value, d);
}

/* Modules and machine files of which there are copies need not be there. */
static bool check_values(Plan *p, Diag *d)
{
	for (int i = 0; i < p->axis.n; i++) {
		const Axis *axis = &p->axis.v[i];
		char near[CONFIG_NAME];
		ConfigKey key;
		if (axis->kind == AXIS_PARAMETER && !config_find(axis->name, &key)) {
			config_nearest(axis->name, near);
			diag_error(d, (Loc){ 0 }, "--set %s: unknown parameter%s%s%s", axis->name, *near
				? "; did you mean '" : "", near, *near ? "'?" : "");
			return false;
		}
		for (int k = 0; k < axis->value.n && !(p->inputs && axis->kind <= AXIS_MACHINE); k++)
			if (!(axis->kind == AXIS_MODULE ? can_read(p, axis, k, d) : check_value(axis,
				axis->value.v[k], d)))
				return false;
	}
	return true;
}

static bool has_column(const Plan *p, const char *option, const char *name, Diag *d)
{
	for (int i = 0; i < p->axis.n; i++)
		if (!name || !strcmp(p->axis.v[i].name, name))
			return true;
	diag_error(d, (Loc){ 0 }, "%s %s: there is no such column; expected module, machine, mechanism, "
		"passes, arguments or what varies", option, name);
	return false;
}

/* What pictures want, as far as it can be told. */
static bool check_plots(const SweepOptions *o, Diag *d)
{
	bool ok = true;
	for (int i = 0; i < o->plot.n && ok; i++)
		ok = has_column(&o->plan, "--plot-x", o->plot.v[i].choice.x, d) &&
			has_column(&o->plan, "--plot-series", o->plot.v[i].choice.series, d);
	if (ok && o->plot.n && o->plan.points < 2)
		diag_error(d, (Loc){ 0 }, "--plot: nothing varies; expected at least one column with two "
			"values");
	return ok && !d->errors;
}

/* A variable that no text names changes nothing. */
static void warn_unused(const Plan *p, Diag *d)
{
	for (int i = 0; i < p->axis.n; i++) {
		const char *braces = arena_printf(&d->arena, "{%s}", p->axis.v[i].name);
		bool used = p->axis.v[i].kind != AXIS_VARIABLE || p->lua.L;
		for (int k = 0; k < p->axis.n && !used; k++)
			for (int v = 0; v < p->axis.v[k].value.n && !used; v++)
				used = strstr(p->axis.v[k].value.v[v], braces) != NULL;
		if (!used)
			diag_warning(d, (Loc){ 0 }, "nothing names the variable %s: %s stands nowhere",
				p->axis.v[i].name, braces);
	}
}

/* ---- the points ---- */

/* All points that the plan wants, of the shard, with their keys. */
static bool list_points(const SweepOptions *o, Plan *p, Sweep *s, Diag *d)
{
	Runner r = { .plan = p, .interrupted = &interrupted };
	Vec(Task) task = { 0 };
	bool ok = true;
	int wanted_so_far = 0;
	for (uint64_t i = 0; i < p->points && ok && !interrupted; i++) {
		Arena a = { 0 };
		Point point;
		bool wanted;
		ok = plan_point(p, i, &a, &point, &wanted, d);
		wanted_so_far += ok && wanted;
		if (ok && wanted && (!o->shards || wanted_so_far % o->shards == o->shard % o->shards)) {
			vec_push(&task, ((Task){ .number = i }));
			runner_key(&r, &point, vec_last(&task).key);
		}
		arena_free(&a);
	}
	runner_free(&r);
	s->task = task.v;
	s->ntasks = task.n;
	if (ok && !wanted_so_far && !interrupted)
		diag_error(d, (Loc){ 0 }, "the condition refuses every point");
	return ok && (wanted_so_far || interrupted);
}

static int by_task_key(const void *a, const void *b)
{
	const Task *x = *(const Task *const *)a, *y = *(const Task *const *)b;
	int order = strcmp(x->key, y->key);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int by_task_number(const void *a, const void *b)
{
	const Task *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

/* The tasks that have no record yet, each key once, in the order of the plan. From malloc. */
static Task *choose_tasks(const SweepOptions *o, const Sweep *s, int *n)
{
	const Task **sorted = xcalloc((size_t)s->ntasks + 1, sizeof *sorted);
	Task *chosen = xcalloc((size_t)s->ntasks + 1, sizeof *chosen);
	*n = 0;
	for (int i = 0; i < s->ntasks; i++)
		sorted[i] = &s->task[i];
	qsort(sorted, (size_t)s->ntasks, sizeof *sorted, by_task_key);
	for (int i = 0; i < s->ntasks; i++) {
		const RecordPlace *known = results_find(&s->results, sorted[i]->key);
		bool again = i && !strcmp(sorted[i - 1]->key, sorted[i]->key);
		if (!again && (!known || (o->retry && !known->ok)))
			chosen[(*n)++] = *sorted[i];
	}
	qsort(chosen, (size_t)*n, sizeof *chosen, by_task_number);
	free(sorted);
	return chosen;
}

static bool run_points(const SweepOptions *o, Sweep *s, Diag *d)
{
	WorkDone done;
	Work w = { .plan = s->plan, .folder = s->folder, .processes = o->processes, .seconds = o->seconds,
		.progress = isatty(2) && !o->quiet, .interrupted = &interrupted };
	Task *task = choose_tasks(o, s, &w.ntasks);
	w.task = task;
	bool ok = !w.ntasks || work_run(&w, &done, d);
	free(task);
	return results_reload(&s->results, d) && ok;
}

/* ---- output ---- */

/* A table takes the place of an ordinary file, or of a link, and follows none. */
static bool is_replaceable(const char *path, Diag *d)
{
	struct stat seen;
	bool good = lstat(path, &seen) || S_ISREG(seen.st_mode) || S_ISLNK(seen.st_mode);
	if (!good)
		diag_error(d, (Loc){ arena_strdup(&d->arena, path), 0, 0 },
			"cannot be written: it is no ordinary file");
	return good;
}

static bool write_output(const Sweep *s, const char *path, bool csv, Diag *d)
{
	Arena a = { 0 };
	bool shown = !strcmp(path, "-");
	const char *part = arena_printf(&a, "%s.%ld.part", path, (long)getpid());
	FILE *f = shown ? stdout : is_replaceable(path, d) ? fopen(part, "wx") : NULL;
	bool ok = f != NULL;
	if (ok && csv)
		ok = sweep_csv(s, f, d);
	else if (ok)
		sweep_json_lines(s, f);
	bool written = f && !ferror(f) && (shown || !fclose(f)) && (shown || !rename(part, path));
	if (!written && !d->errors)
		diag_error(d, (Loc){ arena_strdup(&d->arena, path), 0, 0 }, "cannot be written: %s",
			strerror(errno));
	if (!written && !shown)
		unlink(part);
	arena_free(&a);
	return ok && written;
}

static bool write_plot(const Sweep *s, const PlotWanted *plot, Diag *d)
{
	StrBuf svg = { 0 };
	const char *why;
	bool ok = sweep_plot(s, &plot->choice, &svg, d);
	if (ok && !file_write(plot->path, svg.s, svg.n, &why)) {
		diag_error(d, (Loc){ plot->path, 0, 0 }, "cannot be written: %s", why);
		ok = false;
	}
	sb_free(&svg);
	return ok;
}

static bool write_outputs(const SweepOptions *o, const Sweep *s, Diag *d)
{
	Arena a = { 0 };
	const char *csv = o->csv ? o->csv : o->shards ? NULL : arena_printf(&a, "%s/results.csv", s->folder);
	StrBuf sums = { 0 };
	bool ok = (!csv || write_output(s, csv, true, d)) &&
		(!o->lines || write_output(s, o->lines, false, d));
	for (int i = 0; i < o->plot.n && ok; i++)
		ok = write_plot(s, &o->plot.v[i], d);
	if (s->results.disagree)
		diag_warning(d, (Loc){ arena_strdup(&d->arena, s->folder), 0, 0 },
			"%d points have records that say different things", s->results.disagree);
	if (!o->shards && !o->quiet) {
		sweep_warn_results(s, d);
		sweep_warn_idle(s, d);
		sweep_warn_empty(s, d);
	}
	bool shown = !o->quiet && !(o->csv && !strcmp(o->csv, "-")) && !(o->lines && !strcmp(o->lines, "-"));
	if (shown) {
		sweep_summary(s, &sums);
		if (csv && ok)
			sb_printf(&sums, "table: %s\n", csv);
		output_puts(stdout, sums.s);
	}
	sb_free(&sums);
	arena_free(&a);
	return ok;
}

static bool show_points(const Sweep *s, Diag *d)
{
	bool ok = true;
	for (int i = 0; i < s->ntasks && ok; i++) {
		Arena a = { 0 };
		StrBuf line = { 0 };
		Point point;
		bool wanted;
		ok = plan_point(s->plan, s->task[i].number, &a, &point, &wanted, d);
		if (ok) {
			plan_command(s->plan, &point, &line);
			sb_putc(&line, '\n');
			output_puts(stdout, line.s);
		}
		sb_free(&line);
		arena_free(&a);
	}
	return ok;
}

/* Commands that run the shards. */
static void print_jobs(const SweepOptions *o, const Sweep *s, const char *program)
{
	int njobs = o->jobs < s->ntasks ? o->jobs : s->ntasks;
	for (int k = 1; k <= njobs; k++) {
		StrBuf line = { 0 };
		put_shell_word(&line, program);
		sb_printf(&line, " --shard %d/%d -j 1 -q -o ", k, njobs);
		put_shell_word(&line, s->folder);
		sb_printf(&line, "%s\n", o->words.s ? o->words.s : "");
		output_puts(stdout, line.s);
		sb_free(&line);
	}
}

/* ---- the whole ---- */

static int run_sweep(const SweepOptions *o, Sweep *s, Diag *d)
{
	SlurmWork slurm = { .words = o->words.s ? o->words.s : "", .options = o->sbatch ? o->sbatch : "",
		.tasks = o->tasks, .wait = !o->no_wait, .progress = isatty(2) && !o->quiet, .quiet = o->quiet,
		.interrupted = &interrupted };
	bool ok = results_open(&s->results, s->folder, d) && (o->slurm ? slurm_run(&slurm, s, d)
		: run_points(o, s, d));
	if (ok && !(o->slurm && o->no_wait))
		ok = write_outputs(o, s, d);
	SweepCount n = sweep_count(s);
	return !ok ? 2 : n.failed ? 1 : 0;
}

static int sweep(SweepOptions *o, const char *program, Diag *d)
{
	Plan *p = &o->plan;
	Sweep s = { .plan = p, .folder = o->output ? o->output : "sweep.results" };
	int status = 2;
	for (int i = 0; i < p->load.n; i++)
		if (!plugin_load(inputs_copy_or_itself(&p->arena, p->inputs, p->load.v[i]), d))
			return 2;
	expand_all(p);
	if (!plan_complete(p, d) || !check_values(p, d) || !check_plots(o, d))
		return 2;
	if (!o->shards)
		warn_unused(p, d);
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGXFSZ, SIG_IGN);
	if (list_points(o, p, &s, d)) {
		if (o->jobs)
			print_jobs(o, &s, program);
		status = o->jobs ? 0 : o->dry_run ? show_points(&s, d) ? 0 : 2 : run_sweep(o, &s, d);
	}
	free(s.task);
	results_free(&s.results);
	return status;
}

static int program(int argc, char **argv)
{
	SweepOptions o = { .processes = (int)sysconf(_SC_NPROCESSORS_ONLN) };
	Diag d = { 0 };
	int status = 2;
	sandbox_backstop();
	SweepParsed parsed = parse(&o, argc, argv, &d);
	if (parsed != SWEEP_WRONG)
		status = parsed == SWEEP_DONE ? 0 : sweep(&o, argv[0], &d);
	diag_print(&d, stderr);
	if (d.errors)
		status = 2;
	sb_free(&o.words);
	vec_free(&o.plot);
	user_free(&o.user);
	plan_free(&o.plan);
	diag_free(&d);
	return status;
}

/* A signal ends the program in the end, so that shells and batch systems see it. */
int main(int argc, char **argv)
{
	int status = output_end(program(argc, argv));
	if (interrupted) {
		signal(interrupted, SIG_DFL);
		raise(interrupted);
	}
	return status;
}
