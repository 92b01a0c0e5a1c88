/* gsim-reduce: make a module smaller while a command finds it interesting, or find the change of a pass that
   makes results wrong. doc/reducing.md is its guide. */
#include "lib/file.h"
#include "lib/output.h"
#include "tools/find_module.h"
#include "tools/plugins.h"
#include "passes/pass.h"
#include "sim/host/run.h"
#include "tools/reduce/edits.h"
#include "tools/reduce/guilty.h"
#include "tools/reduce/record.h"
#include "tools/reduce/shrink.h"
#include "tools/usage/reduce.h"
#include "tools/user.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_SECONDS = 1000000 };
static const double LEAST_SECONDS = 5, TIMES_LONGER = 10;

typedef struct ReduceOptions {
	UserConfig user;
	const char *module, *output, *workload, *source, *passes, *config;
	Vec(const char *) load;
	char **command; int ncommand;
	int processes, seconds;
	bool pass, no_workload, undefined, verbose, quiet;
} ReduceOptions;

static volatile sig_atomic_t interrupted;
static void on_interrupt(int sig) { interrupted = sig; }

/* ---- the command line ---- */

static void help(void)
{
	StrBuf out = { 0 };
	usage_help(&usage_reduce, &out);
	printf("%s", out.s);
	sb_free(&out);
}

static bool wrong(const char *what, const char *which)
{
	usage_wrong("gsim-reduce", what, which);
	return false;
}

static bool take(ReduceOptions *o, int letter, const char *arg)
{
	switch (letter) {
	case O_PASS: o->pass = true; break;
	case 'p': o->passes = arg; break;
	case 'c': o->config = arg; break;
	case 'o': o->output = arg; break;
	case 'w': o->workload = arg; break;
	case O_NO_WORKLOAD: o->no_workload = true; break;
	case O_SOURCE: o->source = arg; return usage_folder("--source", arg);
	case O_LOAD: vec_push(&o->load, arg); break;
	case O_SECONDS: return usage_number(arg, LONGEST_SECONDS, &o->seconds) ||
		wrong("--seconds: expected a number from 1 to 1000000, not ", arg);
	case 'j': return usage_number(arg, TRIALS_MOST, &o->processes) ||
		wrong("--processes: expected a number from 1 to 256, not ", arg);
	case O_UNDEFINED: o->undefined = true; break;
	case O_VERBOSE: o->verbose = true; break;
	case 'q': o->quiet = true; break;
	default: must(!"an option of the table");
	}
	return true;
}

/* MODULE's name with another ending. */
static const char *default_output(Arena *a, const char *module)
{
	const char *dot = strrchr(module, '.'), *slash = strrchr(module, '/');
	size_t n = dot && (!slash || dot > slash + 1) ? (size_t)(dot - module) : strlen(module);
	return arena_printf(a, "%.*s.reduced.ir", (int)n, module);
}

/* MODULE may be a kernel's name; what becomes of that one is written here. */
static bool find_module(ReduceOptions *o, Arena *a, const char *name)
{
	Diag d = { 0 };
	const char *folder, *slash;
	o->module = find_module_file(a, name, &folder, &d);
	if (o->module) {
		slash = folder ? strrchr(o->module, '/') : NULL;
		o->source = o->source ? o->source : folder;
		o->output = o->output ? o->output : default_output(a, slash ? slash + 1 : o->module);
	}
	diag_print(&d, stderr);
	diag_free(&d);
	return o->module;
}

/* Is the output none of the files that are read? Those that MODULE imports are looked at when it is read. */
static bool check_output(const ReduceOptions *o, Arena *a)
{
	const char *workload = o->workload ? o->workload : run_default_workload(a, o->module);
	if (is_same_file(o->module, o->output))
		return wrong("--output: expected another file than MODULE, not ", o->output);
	if (is_same_file(workload, o->output))
		return wrong("--output: expected another file than the workload, not ", o->output);
	if (o->config && is_same_file(o->config, o->output))
		return wrong("--output: expected another file than that of --config, not ", o->output);
	for (int k = 0; k < o->load.n; k++)
		if (is_same_file(o->load.v[k], o->output))
			return wrong("--output: expected another file than that of --load, not ", o->output);
	const char *why = file_refuses(o->output);
	if (why)
		output_printf(stderr, "error: cannot write %s: %s\n", o->output, why);
	return !why;
}

static bool check_options(ReduceOptions *o, Arena *a)
{
	if (o->no_workload && o->workload)
		return wrong("--no-workload excludes ", "--workload");
	if (o->pass && (!o->passes || pipeline_empty(o->passes)))
		return wrong("--pass needs --passes", "");
	if (!o->pass && (o->passes || o->config))
		return wrong(o->passes ? "--passes is for --pass" : "--config is for --pass", "");
	if (!o->ncommand && !o->pass)
		return wrong("expected a COMMAND behind --", "");
	return check_output(o, a);
}

typedef enum { REDUCE_GO_ON, REDUCE_DONE, REDUCE_WRONG } ReduceParsed;

static ReduceParsed parse(ReduceOptions *o, Arena *a, int argc, char **argv)
{
	char letters[3 * USAGE_ROWS_MOST + 2];
	struct option longs[USAGE_ROWS_MOST + 1];
	int end = 1, letter;
	uint64_t given = 0;
	while (end < argc && strcmp(argv[end], "--"))
		end++;
	usage_tables(&usage_reduce, letters, longs);
	opterr = 0;
	while ((letter = getopt_long(end, argv, letters, longs, NULL)) != -1) {
		if (letter == 'h' || letter == O_VERSION) {
			if (letter == 'h')
				help();
			else
				puts("gsim-reduce " GSIM_RELEASE);
			return REDUCE_DONE;
		}
		if (letter == '?' || letter == ':') {
			usage_option("gsim-reduce", argv, longs, letter);
			return REDUCE_WRONG;
		}
		if ((letter != O_LOAD && usage_twice("gsim-reduce", longs, letter, &given)) ||
			(!user_option(&o->user, letter, optarg) && !take(o, letter, optarg)))
			return REDUCE_WRONG;
	}
	if (!user_read(&o->user))
		return REDUCE_WRONG;
	if (optind + 1 != end) {
		wrong(optind == end ? "expected a MODULE" : "one MODULE at a time: ", optind == end ? ""
			: argv[optind + 1]);
		return REDUCE_WRONG;
	}
	if (!find_module(o, a, argv[optind]))
		return REDUCE_WRONG;
	o->command = argv + (end < argc ? end + 1 : end);
	o->ncommand = end < argc ? argc - end - 1 : 0;
	return check_options(o, a) ? REDUCE_GO_ON : REDUCE_WRONG;
}

/* ---- reducing ---- */

static void tell_status(const ReduceOptions *o, const TrialRun *r, const TrialTest *t)
{
	bool absent = WIFEXITED(r->status) && WEXITSTATUS(r->status) == 127;
	const char *hint = absent ? " (there is no such command)" : o->verbose ? ""
		: " (--verbose shows what it writes)";
	if (r->end == TRIAL_LATE)
		output_printf(stderr, "error: COMMAND takes more than %.0f s on %s\n", t->seconds, o->module);
	else if (r->end == TRIAL_LOST)
		output_printf(stderr, "error: candidates cannot be written to %s\n", t->folder);
	else if (WIFSIGNALED(r->status))
		output_printf(stderr, "error: signal %d ended COMMAND on %s; expected status 0\n",
			WTERMSIG(r->status), o->module);
	else
		output_printf(stderr, "error: COMMAND ends with status %d on %s; expected 0, for what is "
			"interesting%s\n", WEXITSTATUS(r->status), o->module, hint);
}

/* One trial of the input, which sets how long candidates may take. -1, or an exit status. */
static int time_input(const ReduceOptions *o, TrialTest *t, Module *m, TrialRun *run)
{
	const char *why;
	t->seconds = o->seconds ? o->seconds : LONGEST_SECONDS;
	if (!trial_begin(run, t, m, 0, &why)) {
		output_printf(stderr, "error: cannot begin a process: %s\n", why);
		return 2;
	}
	if (!trial_wait(&run, 1, run, t, NULL, NULL)) {
		trial_kill(run);
		return 2;
	}
	double took = trial_now() - run->began;
	if (!o->seconds)
		t->seconds = TIMES_LONGER * took > LEAST_SECONDS ? TIMES_LONGER * took : LEAST_SECONDS;
	return -1;
}

/* Is the input itself interesting? -1: yes; else an exit status. */
static int try_input(const ReduceOptions *o, TrialTest *t, Module *m)
{
	TrialRun run;
	int status = time_input(o, t, m, &run);
	if (status >= 0 || run.end == TRIAL_YES)
		return status;
	tell_status(o, &run, t);
	return run.end == TRIAL_LOST ? 2 : 1;
}

static void tell_sums(const Shrink *s, ShrinkSize before, const char *output)
{
	ShrinkSize after = shrink_size(s->best);
	output_printf(stdout,
		"%s: instructions: %d in place of %d; blocks: %d in place of %d; functions: %d in "
		"place of %d\n%d candidate%s, %.1f s\n",
		output, after.instructions, before.instructions, after.blocks, before.blocks, after.functions,
		before.functions, s->tried, s->tried == 1 ? "" : "s", trial_now() - s->began);
}

static bool write_best(const ReduceOptions *o, const Module *m)
{
	const char *why;
	StrBuf text = { 0 };
	reduce_print(m, &text);
	bool ok = file_write(o->output, text.s ? text.s : "", text.n, &why);
	if (!ok)
		output_printf(stderr, "error: cannot write %s: %s\n", o->output, why);
	sb_free(&text);
	return ok;
}

/* Makes the module smaller; it is freed. */
static int reduce(const ReduceOptions *o, TrialTest *t, Module **m, Diag *d)
{
	ShrinkSize before = shrink_size(*m);
	Shrink s = { .test = t, .processes = o->processes, .progress = !o->quiet && isatty(2), .best = *m,
		.began = trial_now(), .diag = d, .undefined = o->undefined || !shrink_valid(*m, false) };
	int status = shrink(&s) || interrupted ? 0 : 2;
	*m = s.best;
	if (!write_best(o, s.best))
		return 2;
	if (!o->quiet)
		tell_sums(&s, before, o->output);
	return status;
}

/* ---- the guilty pass ---- */

/* what: "the first change that makes results wrong is" */
static void tell_change(const Guilty *g, const char *what)
{
	output_printf(stdout, "%s number %lld%s%s\n", what, (long long)g->change, *g->what ? ": " : "",
		g->what);
	if (*g->why)
		output_printf(stdout, "%s\n", g->why);
}

static void tell_guilty(const Guilty *g)
{
	if (g->all < VERDICTS)
		output_printf(stdout, "with all passes: %s\n", verdict_text[g->all]);
	output_printf(stdout, "the first pass that makes it so: %s, number %d of %d\n", g->pass, g->step,
		g->steps);
	tell_change(g, "the first change of the passes up to it that does:");
	if (!g->alone)
		output_printf(stdout,
			"the pass alone does not: the module keeps the passes in front of it\n");
}

/* How to see it in the module that is left. */
static void tell_left(const ReduceOptions *o, const TrialTest *t, Module *m, Arena *a)
{
	const char *text, *passes = ((Judge *)t->self)->passes;
	Guilty g;
	if (guilty_find(t, m, passes, a, &g, &text) != GUILTY_FOUND)
		return;
	tell_change(&g, "in what is left it is");
	if (t->judge)
		output_printf(stdout,
			"to see it: gsim -b --reference --no-profile -p '%s' --bisect %lld %s\n", passes,
			(long long)g.change, o->output);
}

/* False: nothing is to be reduced, and *status is the program's. */
static bool find_pass(const ReduceOptions *o, TrialTest *t, Module *m, Arena *a, int *status)
{
	const char *text = "";
	Guilty g;
	TrialRun first;
	*status = time_input(o, t, m, &first);
	if (*status >= 0)
		return false;
	GuiltyEnd end = guilty_find(t, m, o->passes, a, &g, &text);
	*status = end == GUILTY_NONE ? 1 : 2;
	if (end == GUILTY_NONE || end == GUILTY_ERROR)
		output_printf(stderr, "error: %s, passes %s: %s\n", o->module, o->passes, text);
	else if (end == GUILTY_FOUND && !o->quiet)
		tell_guilty(&g);
	fflush(stdout);
	return end == GUILTY_FOUND;
}

static int hunt(const ReduceOptions *o, TrialTest *t, Module **m, Arena *a, Diag *d)
{
	Judge j = { .passes = o->passes, .most = INT64_MAX, .wanted = VERDICT_WRONG, .races = true,
		.note = arena_printf(a, "%s/note", t->folder) };
	int status;
	config_defaults(&j.config);
	if (!pipeline_check(o->passes, d) || (o->config && !config_load(&j.config, o->config, d)) ||
		!config_check(&j.config, d))
		return 2;
	t->self = &j;
	t->judge = o->ncommand ? NULL : judge_module;
	t->make = o->ncommand ? judge_make : NULL;
	/* how a module that fails by itself does so is told by its run */
	int sound = o->ncommand ? 0 : judge_measure(&j, *m, &interrupted, d);
	if (sound)
		return sound;
	const char *note = j.note;
	if (find_pass(o, t, *m, a, &status)) {
		j.note = NULL;
		status = reduce(o, t, m, d);
		j.note = note;
		if (!status && !interrupted && !o->quiet)
			tell_left(o, t, *m, a);
	}
	unlink(note);
	return status;
}

static int run(ReduceOptions *o, Arena *a, Diag *d)
{
	const char *why;
	if (!plugins_load(o->load.v, o->load.n, d))
		return 2;
	Module *m = record_module(o->module, &(RecordOptions){ .source = o->source, .workload = o->workload,
		.bare = o->no_workload, .output = o->output, .interrupted = &interrupted }, d);
	if (!m)
		return 2;
	TrialTest t = { .command = o->command, .ncommand = o->ncommand, .verbose = o->verbose,
		.folder = trial_folder(a, &why), .interrupted = &interrupted };
	int status = 2;
	if (!t.folder)
		diag_error(d, (Loc){ 0 }, "cannot make a folder for candidates: %s", why);
	else if (o->pass)
		status = hunt(o, &t, &m, a, d);
	else if ((status = try_input(o, &t, m)) < 0)
		status = reduce(o, &t, &m, d);
	if (t.folder)
		trial_folder_remove(t.folder, o->processes);
	module_free(m);
	return status;
}

static int program(int argc, char **argv)
{
	ReduceOptions o = { 0 };
	Arena a = { 0 };
	Diag d = { 0 };
	struct sigaction action = { .sa_handler = on_interrupt };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	o.processes = cores < 1 ? 1 : cores > TRIALS_MOST ? TRIALS_MOST : (int)cores;
	ReduceParsed parsed = parse(&o, &a, argc, argv);
	int status = parsed == REDUCE_DONE ? 0 : 2;
	if (parsed == REDUCE_GO_ON) {
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
		if (signal(SIGHUP, SIG_IGN) != SIG_IGN)                /* under nohup it stays ignored */
			sigaction(SIGHUP, &action, NULL);
		status = run(&o, &a, &d);
	}
	diag_print(&d, stderr);
	diag_free(&d);
	user_free(&o.user);
	vec_free(&o.load);
	arena_free(&a);
	return status;
}

int main(int argc, char **argv)
{
	int status = output_end(program(argc, argv));
	if (interrupted) {
		signal(interrupted, SIG_DFL);
		raise(interrupted);
	}
	return status;
}
