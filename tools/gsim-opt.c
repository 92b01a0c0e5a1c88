/* gsim-opt: a module in, passes, a module out as text or as an ELF object. */
#include "config.h"
#include "lib/diff.h"
#include "lib/file.h"
#include "lib/output.h"
#include "lib/strbuf.h"
#include "passes/analyses.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/limits.h"
#include "passes/analysis/measured.h"
#include "passes/analysis/dot.h"
#include "passes/pass.h"
#include "sim/config/config.h"
#include "tools/find_module.h"
#include "tools/inputs.h"
#include "tools/plugins.h"
#include "tools/usage/opt.h"
#include "tools/user.h"
#include <limits.h>
#include <stdio.h>

typedef struct Job {
	const char *passes, *output, *config, *cfg, *module, *print, *filter, *profile, *source;
	UserConfig user;
	Vec(const char *) load;
	bool dump, changed, stats, list;
	PassLog log;
	PassLimit limit;               /* of --bisect */
	StrBuf before;                 /* the module's text after the last pass, for --print-changed */
} Job;

static void list_passes(void)
{
	StrBuf s = { 0 };
	pass_list(&s);
	sb_puts(&s, "\nanalyses, for --print:\n");
	for (int k = 0; analysis_info[k].name; k++)
		sb_printf(&s, "%-20s %s\n", analysis_info[k].name, analysis_info[k].help);
	for (int k = 0; pass_at(k); k++)
		if (pass_at(k)->shows)
			sb_printf(&s, "%-20s what the pass does; it may have options, as in a pipeline\n",
				pass_at(k)->name);
	output_puts(stdout, s.s);
	sb_free(&s);
}

/* The module, or the function of --filter as a module of its own. */
static void print_module(const Job *job, const Module *m, StrBuf *s)
{
	if (!job->filter) {
		ir_print(m, s);
		return;
	}
	const Function *f = module_find_function(m, job->filter);
	if (f)
		ir_print_function(m, f, s);
}

static void after_pass(void *self, const Module *m, const char *pass, bool changed)
{
	Job *job = self;
	StrBuf s = { 0 };
	print_module(job, m, &s);
	const char *text = s.s ? s.s : "";
	if (job->dump)
		output_printf(stderr, "// after %s%s\n%s", pass, changed ? "" : ": nothing has changed",
			text);
	if (job->changed) {
		StrBuf diff = { 0 };
		line_diff(job->before.s ? job->before.s : "", text, 3, &diff);
		output_printf(stderr, "// %s%s\n%s", pass, diff.n ? "" : ": nothing has changed",
			diff.s ? diff.s : "");
		sb_free(&diff);
	}
	sb_free(&job->before);
	job->before = s;
}

static int analysis_named(const char *name)
{
	for (int k = 0; analysis_info[k].name; k++)
		if (!strcmp(name, analysis_info[k].name))
			return k;
	return -1;
}

/* Does the text begin with the name of a pass? */
static bool names_pass(const char *text)
{
	size_t n = strcspn(text, "(, ");
	bool found = false;
	for (int k = 0; pass_at(k); k++)
		found |= strlen(pass_at(k)->name) == n && !strncmp(pass_at(k)->name, text, n);
	return found;
}

static bool unknown_analysis(const char *name, Diag *d)
{
	const char *names[AN_SHOWN + PASSES_MOST];
	int n = 0;
	for (int k = 0; k < AN_SHOWN; k++)
		names[n++] = analysis_info[k].name;
	for (int k = 0; pass_at(k); k++)
		if (pass_at(k)->shows)
			names[n++] = pass_at(k)->name;
	const char *near = nearest_name(name, names, n);
	diag_error(d, (Loc){ "--print", 0, 0 }, "no analysis `%s`; %s%s", name,
		near ? "the nearest is " : "see gsim-opt --list", near ? near : "");
	return false;
}

static bool check_print(const char *what, Diag *d)
{
	if (!what || analysis_named(what) >= 0)
		return true;
	return names_pass(what) ? pass_show_check(what, "--print", d) : unknown_analysis(what, d);
}

static bool print_result(const Job *job, Module *m, const PassHost *host, StrBuf *s, Diag *d)
{
	int analysis = analysis_named(job->print), functions = 0;
	MeasuredTally tally = { { 0 } };
	if (analysis < 0)
		return pass_show(m, job->print, "--print", host, s, d);
	for (int k = 0; k < m->func.n; k++) {
		Function *f = m->func.v[k];
		if (!f->block.n || (job->filter && strcmp(f->name, job->filter)))
			continue;
		Analyses *an = analyses_open(m, f, NULL, host->cost, host->limits);
		an->profile = host->profile;
		an->tally = &tally;
		analysis_print(an, (AnalysisId)analysis, s);
		analyses_close(an);
		functions += f->kind != FN_HOST;
	}
	if (analysis == AN_uniformity && host->profile && host->profile->counts_branches && functions > 1) {
		sb_puts(s, "all functions: ");
		measured_sum(&tally, s);
	}
	return true;
}

static bool no_function(const Module *m, const char *name, const char *option, Diag *d);

static bool produce(const Job *job, Module *m, const PassHost *host, StrBuf *s, Diag *d)
{
	if (job->print)
		return print_result(job, m, host, s, d);
	if (!job->cfg) {
		ir_print(m, s);
		return true;
	}
	Function *f = module_find_function(m, job->cfg);
	if (f && f->block.n) {
		cfg_dot(m, f, host->profile, s);
		return true;
	}
	if (f && f->refused.what)
		diag_error(d, f->refused.loc, "%s is refused: it has no graph: %s", job->cfg,
			f->refused.what);
	else if (f)
		diag_error(d, f->loc, "%s is declared only: it has no graph", job->cfg);
	else
		no_function(m, job->cfg, "--cfg", d);
	return false;
}

static bool no_function(const Module *m, const char *name, const char *option, Diag *d)
{
	const char **names = xcalloc((size_t)m->func.n + 1, sizeof *names);
	for (int i = 0; i < m->func.n; i++)
		names[i] = m->func.v[i]->name;
	const char *near = nearest_name(name, names, m->func.n);
	diag_error(d, (Loc){ option, 0, 0 }, "no function `%s` in %s%s%s", name, m->name,
		near ? "; the nearest is " : "", near ? near : "");
	free(names);
	return false;
}

static bool deliver(const Job *job, const StrBuf *s, Diag *d)
{
	const char *why = NULL;
	if (!job->output || !strcmp(job->output, "-")) {
		output_puts(stdout, s->s);
		return true;
	}
	if (file_write(job->output, s->s ? s->s : "", s->n, &why))
		return true;
	diag_error(d, (Loc){ job->output, 0, 0 }, "cannot be written: %s", why);
	return false;
}

static bool names_object(const Job *job)
{
	size_t n = job->output ? strlen(job->output) : 0;
	return n > 4 && !strcmp(job->output + n - 4, ".gso");
}

typedef struct Machine { CostTable cost; MachineLimits limits; } Machine;

static bool load_machine(const Job *job, Machine *t, Diag *d)
{
	Config c;
	if (!config_load(&c, job->config, d) || !config_check(&c, d))
		return false;
	*t = (Machine){ config_costs(&c), config_limits(&c) };
	return true;
}

/* What passes are given: the function they are restricted to, the machine's latencies and limits, a
   profile. */
static bool prepare(Job *job, const Module *m, PassHost *host, Machine *machine, Arena *a, Diag *d)
{
	*host = (PassHost){ .only = job->filter, .log = &job->log,
		.after = job->dump || job->changed ? after_pass : NULL, .self = job };
	if (job->filter && !module_find_function(m, job->filter))
		return no_function(m, job->filter, "--filter", d);
	if (job->config) {
		if (!load_machine(job, machine, d))
			return false;
		host->cost = &machine->cost;
		host->limits = &machine->limits;
	}
	if (!job->profile)
		return true;
	Profile *p = profile_of_file(a, job->profile, job->module, hash_of_file(a, job->module), d);
	if (p)
		p->other_code |= strcmp(p->passes, job->passes) != 0;
	host->profile = p;
	return p != NULL;
}

/* MODULE may be a kernel's name, in place of its file. */
static bool find_module(Job *job, Diag *d)
{
	const char *folder = NULL;
	if (strcmp(job->module, "-"))
		job->module = find_module_file(&d->arena, job->module, &folder, d);
	job->source = job->source ? job->source : folder;
	return job->module;
}

/* MODULE may be -, standard input; it may import files of --source alone then. */
static Module *read_module(const Job *job, Diag *d)
{
	const char *why;
	size_t n;
	if (strcmp(job->module, "-"))
		return module_read_below(job->module, job->source, d);
	char *text = file_read("/dev/stdin", SIZE_MAX / 2, &n, &why);
	if (!text) {
		diag_error(d, (Loc){ "standard input", 0, 0 }, "cannot be read: %s", why);
		return NULL;
	}
	Module *m = module_read_text(text, n, "standard input", job->source, d);
	free(text);
	return m;
}

static bool work(Job *job, Diag *d)
{
	if (!pipeline_check(job->passes, d) || !check_print(job->print, d))
		return false;
	if (!find_module(job, d))
		return false;
	Module *m = read_module(job, d);
	if (!m)
		return false;
	StrBuf s = { 0 };
	Arena arena = { 0 };
	PassHost host;
	Machine machine;
	bool ok = prepare(job, m, &host, &machine, &arena, d);
	if (ok && job->changed)
		print_module(job, m, &job->before);
	ok = ok && pipeline_run(m, job->passes, &host, d);
	if (ok && names_object(job))
		ok = elf_write(m, job->output, d);
	else
		ok = ok && produce(job, m, &host, &s, d) && deliver(job, &s, d);
	sb_free(&s);
	sb_free(&job->before);
	arena_free(&arena);
	module_free(m);
	return ok;
}

static void show_help(void)
{
	StrBuf s = { 0 };
	usage_help(&usage_opt, &s);
	output_puts(stdout, s.s);
	sb_free(&s);
}

/* The options, with the MODULE; -1, or the exit status of a program that is done. */
static int take_options(Job *job, int argc, char **argv)
{
	char letters[3 * USAGE_ROWS_MOST + 2];
	struct option options[USAGE_ROWS_MOST + 1];
	uint64_t given = 0;
	int bisect;
	usage_tables(&usage_opt, letters, options);
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
		if (c != OPT_LOAD && usage_twice("gsim-opt", options, c, &given))
			return 2;
		if (user_option(&job->user, c, optarg))
			continue;
		switch (c) {
		case 'c': job->config = optarg; break;
		case 'p': job->passes = optarg; break;
		case 'o': job->output = optarg; break;
		case OPT_CFG: job->cfg = optarg; break;
		case OPT_PRINT: job->print = optarg; break;
		case OPT_FILTER: job->filter = optarg; break;
		case OPT_PROFILE: job->profile = optarg; break;
		case OPT_SOURCE: job->source = optarg; break;
		case OPT_LOAD: vec_push(&job->load, optarg); break;
		case OPT_CHANGED: job->changed = true; break;
		case OPT_REMARKS: job->log.remarks = true; break;
		case OPT_BISECT:
			if (!usage_count(optarg, INT_MAX - 1, &bisect))
				return usage_wrong("gsim-opt",
					"--bisect: expected a number from 0 to 2147483646, not ",
					optarg);
			job->limit.most = bisect;
			job->log.limit = &job->limit;
			break;
		case OPT_STATS: job->stats = true; break;
		case OPT_DUMP: job->dump = true; break;
		case OPT_LIST: job->list = true; break;
		case 'h': show_help(); return 0;
		case OPT_VERSION: printf("gsim-opt " PACKAGE_VERSION "\n"); return 0;
		default: return usage_option("gsim-opt", argv, options, c);
		}
	}
	if (!user_read(&job->user))
		return 2;
	if (!job->config)
		job->config = job->user.machine;
	if (job->list)
		return -1;
	if (optind + 1 != argc)
		return usage_wrong("gsim-opt", optind == argc ? "expected a MODULE"
			: "one MODULE at a time: ", optind == argc ? "" : argv[optind + 1]);
	job->module = argv[optind];
	return -1;
}

/* What does not go together: -1, or the exit status. */
static int check_options(const Job *job)
{
	if (!usage_folder("--source", job->source))
		return 2;
	const char *dot = job->output ? strrchr(job->output, '.') : NULL;
	if (dot && !strcmp(dot, ".ptx") && !job->cfg && !job->print)
		return usage_wrong("gsim-opt", "PTX cannot be written; expected a name with .ir or .gso, "
			"not ", job->output);
	if (job->cfg && job->print)
		return usage_wrong("gsim-opt", "--cfg excludes ", "--print");
	if ((job->cfg || job->print) && names_object(job))
		return usage_wrong("gsim-opt", job->cfg ? "--cfg writes a graph; an object is expected in "
			"--output " : "--print writes text; an object is expected in --output ", job->output);
	return -1;
}

static int run_job(Job *job)
{
	Diag d = { 0 };
	bool ok = plugins_load(job->load.v, job->load.n, &d);
	if (ok && job->list)
		list_passes();
	else if (ok)
		ok = work(job, &d);
	diag_print(&d, stderr);
	diag_free(&d);
	if (job->log.limit && ok) {
		StrBuf s = { 0 };
		pass_log_changes(&job->log, &s);
		output_puts(stderr, s.s);
		sb_free(&s);
	}
	vec_free(&job->limit.change);
	if (job->stats) {
		StrBuf s = { 0 };
		pass_log_print(&job->log, &s);
		output_puts(stderr, s.s);
		sb_free(&s);
	}
	pass_log_free(&job->log);
	return ok ? 0 : 2;
}

static int program(int argc, char **argv)
{
	Job job = { .passes = "" };
	int status = take_options(&job, argc, argv);
	if (status < 0)
		status = check_options(&job);
	if (status < 0)
		status = run_job(&job);
	user_free(&job.user);
	vec_free(&job.load);
	return status;
}

int main(int argc, char **argv) { return output_end(program(argc, argv)); }
