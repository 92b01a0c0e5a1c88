#include "tools/options.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "lib/output.h"
#include "passes/pass.h"
#include "sim/report/many.h"
#include "tools/find_module.h"
#include "tools/usage/gsim.h"
#include <ctype.h>
#include <limits.h>
#include <errno.h>
#include <stdio.h>

enum { LONGEST_INTERVAL = 1000000000 };

void options_list(StrBuf *out) { usage_list(usage_gsim.row, usage_gsim.nrows, out); }

static void help(void)
{
	StrBuf out = { 0 };
	usage_help(&usage_gsim, &out);
	output_puts(stdout, out.s);
	sb_free(&out);
}

static OptResult wrong(const char *what, const char *which)
{
	usage_wrong("gsim", what, which);
	return OPT_ERROR;
}

/* The option's list of names is there, and empty. */
static OptResult no_names(int letter)
{
	return wrong(letter == O_SENSITIVITY ? "--sensitivity=: expected parameters or groups such as "
		"dram,l1.latency; without =, it varies the assumptions of the machine file" :
		"--check-machine=: expected figures, groups or parameters such as rate,dram.latency; "
		"without =, it measures all", "");
}

/* Those of models and passes are --grid's: check. */
static bool may_be_repeated(int letter)
{
	return letter == 'D' || letter == 'm' || letter == 'p' || letter == 's' || letter == O_FILES ||
		letter == O_LOAD;
}

/* The option that shows something and runs nothing, or NULL. */
static const char *shows(int letter)
{
	switch (letter) {
	case O_LIST: return "--list";
	case O_NEW: return "--new-workload";
	case O_PRINT: return "--print-config";
	case O_DISASSEMBLE: return "--disassemble";
	default: return NULL;
	}
}

static bool on_named(const char *name, OnGpu *on)
{
	*on = !strcmp(name, "gpu") ? ON_GPU_TOO : !strcmp(name, "gpu-alone") ? ON_GPU_ALONE : ON_GPU_NOT;
	return *on != ON_GPU_NOT;
}

/* Reads a share in percent, 0.1 to 50: digits, with a point among them or not, and a % behind or not. */
static bool take_error(const char *text, double *share)
{
	double n = 0, place = 1;
	bool point = false, digit = false;
	const char *p = text = text ? text : "2";
	for (; *p && (isdigit((unsigned char)*p) || (*p == '.' && !point)) && p - text < 12; p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		digit = true;
		place *= point ? 10 : 1;
		n = n * 10 + (*p - '0');
	}
	p += *p == '%';
	*share = n / place / 100;
	return digit && !*p && n / place >= 0.1 && n / place <= 50;
}

/* One option; false when its argument is wrong. */
static bool take(Options *o, int letter, const char *arg)
{
	switch (letter) {
	case 'c': o->config = arg; break;
	case 'D': vec_push(&o->set, arg); break;
	case 'm': vec_push(&o->model, arg); break;
	case 'p': vec_push(&o->passes, pipeline_empty(arg) ? "" : arg); break;
	case 'w': o->workload = arg; break;
	case 's': vec_push(&o->stats, arg); break;
	case O_BY: {
		PlaceKind kind;
		int figure;
		o->by = arg;
		return many_by_named(arg, &kind, &figure);
	}
	case 't': o->trace = arg; break;
	case O_HTML: o->html = arg; break;
	case 'b': o->before_after = true; break;
	case O_SENSITIVITY: o->sensitivity = arg ? arg : ""; return !arg || *arg;
	case O_CHECK_MACHINE: o->check_machine = arg ? arg : ""; return !arg || *arg;
	case 'q': o->quiet = true; break;
	case 'v': o->verbose = true; break;
	case O_SIZE: return (o->size = run_size_named(arg)) != SIZE_NONE;
	case 'j': return usage_number(arg, 256, &o->threads);
	case O_WINDOW: return usage_number(arg, 1000000, &o->window);
	case O_INTERVAL: return usage_number(arg, LONGEST_INTERVAL, &o->interval);
	case O_FILES: vec_push(&o->files, arg); break;
	case O_LOAD: vec_push(&o->load, arg); break;
	case O_SOURCE: o->source = arg; break;
	case O_GRID: o->grid = true; break;
	case O_FUNCTIONAL: o->functional = true; break;
	case O_REFERENCE: o->reference = true; break;
	case O_ON: return on_named(arg, &o->on);
	case O_LAUNCH_SECONDS: return usage_number(arg, 3600, &o->launch_seconds);
	case O_VERIFY: o->verify = true; break;
	case O_EACH: o->verify = o->verify_each = true; break;
	case O_SAMPLE: return take_error(arg, &o->sample);
	case O_SAMPLE_SEED: return usage_number(arg, INT_MAX, &o->sample_seed);
	case O_BISECT: o->bisects = true; return usage_count(arg, INT_MAX - 1, &o->bisect);
	case O_PROFILE: o->profile = arg; break;
	case O_NO_PROFILE: o->no_profile = true; break;
	case O_RECORD: o->record = arg; break;
	case O_REMARKS: o->remarks = true; break;
	case O_STATS: o->pass_stats = true; break;
	case O_LAWS: o->laws = true; break;
	case O_RACES: o->races = true; break;
	case O_RACE_LAUNCHES: o->race_launches = true; break;
	case O_ALL: o->all = true; break;
	case O_SUMS: o->sums = true; break;
	case O_ANNOTATE:
		o->annotate = annotate_named(arg);
		return o->annotate != ANNOTATE_NONE;
	case O_ALONE: o->alone = true; break;
	case O_DISASSEMBLE: o->disassemble = true; break;
	case O_LIST: o->list = arg; break;
	case O_NEW: o->new_workload = true; break;
	case O_PRINT: o->print_config = true; break;
	default: bug("an option without a case");
	}
	return true;
}

StatsKind stats_kind(const char *path)
{
	static const char *const suffix[STATS_KINDS] = { ".json", ".txt", ".csv", ".svg" };
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	int k = 0;
	while (dot && k < STATS_KINDS && strcmp(dot, suffix[k]))
		k++;
	return (StatsKind)k;
}

/* Whether a file can be written, as far as can be told without touching it; a run may take minutes before it
   is. */
static bool writable(const char *path)
{
	const char *why = strcmp(path, "-") ? file_refuses(path) : NULL;
	if (why)
		output_printf(stderr, "error: cannot write %s: %s\n", path, why);
	return !why;
}

static bool check_stats(const Options *o)
{
	for (int i = 0; i < o->stats.n; i++) {
		const char *path = o->stats.v[i];
		StatsKind kind = stats_kind(path);
		if (kind == STATS_KINDS)
			wrong("--stats: expected a name with .json, .txt, .csv, .svg or no ending, not ",
				path);
		else if (!o->grid && !o->interval &&
			!((o->sensitivity || o->check_machine) && kind == STATS_CSV) &&
			(kind == STATS_CSV || kind == STATS_SVG))
			wrong("tables and pictures are --grid's and --interval's: ", path);
		else if (writable(path))
			continue;
		return false;
	}
	return true;
}

bool options_lists_kernels(const Options *o) { return o->list && !strcmp(o->list, "kernels") && o->module; }

bool options_lists_sizes(const Options *o) { return o->list && !strcmp(o->list, "sizes"); }

bool options_lists_figures(const Options *o) { return o->list && !strcmp(o->list, "figures"); }

/* An option that asks for something of a run, or NULL. */
static const char *of_a_run(const Options *o)
{
	return o->before_after ? "--before-after" : o->grid ? "--grid" : o->stats.n ? "--stats"
		: o->trace ? "--trace" : o->html ? "--html" : o->reference ? "--reference"
		: o->interval ? "--interval"
		: o->verify ? "--verify" : o->laws ? "--laws" : o->races ? "--race-check"
		: o->race_launches ? "--race-launches" : o->record ? "--record-host" : o->on ? "--on" : NULL;
}

/* Why the run on a GPU cannot be had, or NULL. */
static const char *no_gpu(const Options *o)
{
	const char *dot = strrchr(o->module, '.');
	return !o->on ? o->launch_seconds ? "--launch-seconds is for runs --on a GPU" : NULL
		: o->before_after || o->grid ? "--on is for one run, without --before-after and --grid"
		: o->reference ? "--on compares results already; --reference cannot stand beside it"
		: !dot || strcmp(dot, ".ptx") ? "--on: the GPU's driver takes PTX alone; expected a MODULE "
			"whose name ends in .ptx, such as the one from which an .ir was made"
		: o->on == ON_GPU_ALONE && (o->passes.n || o->model.n || o->stats.n || o->trace || o->html ||
			o->functional || o->verify || o->laws || o->races || o->race_launches || o->record ||
			o->annotate) ? "--on gpu-alone: nothing is simulated that other options could change "
			"or show; expected --on gpu" : NULL;
}

/* Why figures over time cannot be had, or NULL. */
static const char *no_intervals(const Options *o)
{
	bool shown = false;
	for (int i = 0; i < o->stats.n; i++)
		shown |= stats_kind(o->stats.v[i]) != STATS_TEXT;
	return o->grid ? "--interval and --grid exclude each other: of several runs, --before-after shows "
		"figures over time"
		: o->functional ? "--interval needs cycles, which --functional does not measure"
		: o->reference ? "--interval needs cycles, which --reference does not measure"
		: !shown ? "--interval writes to files of --stats, of which none is given: run.csv, run.svg "
		"or run.json" : NULL;
}

/* Why a part of the launches alone cannot be timed, or NULL. */
static const char *no_sample(const Options *o)
{
	return o->functional || o->reference ? "--sample estimates cycles, which --functional and "
		"--reference do not measure"
		: o->trace || o->html || o->interval ? "--sample leaves out what --trace, --html and "
		"--interval record"
		: o->annotate ? "--sample measures no single instruction that --annotate could show"
		: o->laws ? "--laws are of figures that are measured; --sample estimates some"
		: o->races || o->race_launches ? "--race-check and --race-launches watch every block; "
		"--sample times some"
		: o->on ? "--on compares a GPU's run, not an estimate" : NULL;
}

/* Why parameters cannot be varied, or NULL. */
static const char *no_sensitivity(const Options *o)
{
	return !*o->sensitivity && !o->config ? "--sensitivity varies the assumptions of a machine file; "
		"expected "
		"--config FILE, or --sensitivity=KEYS"
		: o->functional || o->reference ? "--sensitivity measures cycles, which --functional and "
		"--reference do not"
		: o->grid || o->trace || o->html || o->interval || o->annotate || o->verify || o->laws ||
		o->record
		|| o->on || o->races || o->race_launches ? "--sensitivity goes with --model, --passes, "
		"--before-after and --stats alone"
		: o->before_after && o->model.n > 1 ? "--sensitivity compares two mechanisms or, with "
		"--before-after, two programs" : NULL;
}

/* Why the machine cannot be measured as is asked for, or NULL. */
static const char *no_check_machine(const Options *o)
{
	bool shown = o->show || o->trace || o->html || o->interval || o->annotate || o->by;
	return o->module || o->nargs ? "--check-machine runs kernels of its own; expected no MODULE and no "
		"arguments of a workload"
		: o->functional || o->reference ? "--check-machine measures time, which --functional and "
		"--reference do not"
		: o->model.n > 1 ? "--check-machine measures one machine; --model is given more than once"
		: shown || o->grid || o->before_after || o->sensitivity || o->passes.n || o->workload ||
		o->size || o->verify || o->laws || o->record || o->on || o->launch_seconds || o->races ||
		o->race_launches || o->profile || o->no_profile || o->bisects || o->files.n || o->source ||
		o->sample > 0 || o->sums || o->alone || o->window || o->remarks || o->pass_stats
		? "--check-machine goes with --config, --set, --model, --stats, --threads, --load and "
		"--quiet alone" : NULL;
}

/* Why two modules cannot be compared as is asked for, or NULL. */
static const char *no_second(const Options *o)
{
	return o->passes.n > 2 ? "--passes is given more than twice: with two modules it is for both, or one "
		"for each"
		: o->profile ? "--profile is a report of one module; with two, a run of each makes its own"
		: o->verify_each ? "--verify-each follows the passes of one module; --verify compares each "
		"of two with the reference interpreter"
		: o->html ? "--html shows one module; gsim-trace --html shows two traces, of a run each"
		: o->model.n > 1 && (o->annotate || o->interval || o->trace) ? "--annotate, --interval and "
		"--trace compare two modules under one --model" : NULL;
}

/* Splits names of mechanisms that commas separate; parameters have commas of their own. */
static void split_models(Options *o)
{
	Vec(const char *) all = { 0 };
	for (int i = 0; i < o->model.n; i++) {
		char *text = xstrdup(o->model.v[i]);
		int depth = 0;
		vec_push(&o->split, text);
		vec_push(&all, text);
		for (char *p = text; *p; p++) {
			depth += (*p == '(') - (*p == ')');
			if (*p != ',' || depth > 0)
				continue;
			*p = 0;
			vec_push(&all, p + 1);
		}
	}
	o->model.n = 0;
	for (int i = 0; i < all.n; i++)
		vec_push(&o->model, all.v[i]);
	vec_free(&all);
}

/* What does not go together. */
static OptResult check(const Options *o)
{
	if (o->check_machine && no_check_machine(o))
		return wrong(no_check_machine(o), "");
	if (o->check_machine)
		return check_stats(o) ? OPT_RUN : OPT_ERROR;
	if (o->show && of_a_run(o)) {
		char text[80];
		snprintf(text, sizeof text, "%s runs nothing; %s cannot stand beside it", o->show,
			of_a_run(o));
		return wrong(text, "");
	}
	if (!usage_folder("--source", o->source))
		return OPT_ERROR;
	for (int i = 0; i < o->files.n; i++)
		if (!usage_folder("--files", o->files.v[i]))
			return OPT_ERROR;
	if (options_lists_sizes(o) && !o->module)
		return wrong("--list sizes needs a MODULE", "");
	if (o->size && o->show)
		return wrong("--size is for runs, and for none beside ", o->show);
	if (options_lists_figures(o) && !o->config)
		return wrong("--list figures needs a machine file, --config FILE", "");
	if (o->list || (o->print_config && !o->module))
		return OPT_RUN;
	if (!o->module)
		return wrong("expected a MODULE: gsim [options] MODULE", "");
	if (o->sensitivity && no_sensitivity(o))
		return wrong(no_sensitivity(o), "");
	if (o->second && no_second(o))
		return wrong(no_second(o), "");
	if (!o->grid && !o->second && o->model.n > (o->sensitivity ? 2 : 1))
		return wrong(o->sensitivity ? "--model is given more than twice: --sensitivity compares two "
			"mechanisms" : "--model is given more than once: --grid and --before-after with two "
			"modules allow that, and --sensitivity two", "");
	if (o->bisects && !o->passes.n)
		return wrong("--bisect needs --passes", "");
	if (!o->grid && !o->second && o->passes.n > 1)
		return wrong("--passes is given more than once, which only --grid allows", "");
	if (!check_stats(o) || (o->trace && !writable(o->trace)) || (o->html && !writable(o->html)))
		return OPT_ERROR;
	if (o->sample > 0 && no_sample(o))
		return wrong(no_sample(o), "");
	if (o->sample_seed && o->sample <= 0)
		return wrong("--sample-seed needs --sample", "");
	if (o->interval && no_intervals(o))
		return wrong(no_intervals(o), "");
	if (no_gpu(o))
		return wrong(no_gpu(o), "");
	if (o->by && !o->grid)
		return wrong("--by is for --grid; of reports of other runs, gsim-compare --by", "");
	if (o->before_after && o->grid)
		return wrong("--before-after and --grid exclude each other", "");
	if (o->annotate && o->grid)
		return wrong("--annotate and --grid exclude each other", "");
	if (o->annotate && o->reference)
		return wrong("--reference measures nothing that --annotate could show", "");
	if (o->sums && o->grid)
		return wrong("--sums and --grid exclude each other", "");
	if (o->before_after && !o->passes.n && !o->second)
		return wrong("--before-after needs --passes, or a second MODULE", "");
	if (o->record && (o->before_after || o->grid))
		return wrong("--record-host is for one run: ", o->grid ? "--grid" : "--before-after");
	if (o->record && !writable(o->record))
		return OPT_ERROR;
	if (o->reference && (o->functional || o->trace || o->html || o->verify || o->laws))
		return wrong("--reference excludes --functional, --trace, --html, --verify and --laws", "");
	return OPT_RUN;
}

/* A MODULE may be a kernel's name, in place of its file. */
static bool find_module(Options *o)
{
	Diag d = { 0 };
	const char *folder;
	o->module = find_module_file(&o->arena, o->module, &folder, &d);
	o->source = o->source ? o->source : folder;
	bool found = o->module && (!o->second ||
		(o->second = find_module_file(&o->arena, o->second, &folder, &d)));
	diag_print(&d, stderr);
	diag_free(&d);
	return found;
}

/* What the user's configuration says, where the command line says nothing. False: it is wrong. */
static bool take_user(Options *o)
{
	if (!user_read(&o->user))
		return false;
	if (!o->config && o->user.machine) {
		o->config = o->user.machine;
		o->config_by = o->user.file;
	}
	if (!o->threads)
		o->threads = o->user.threads ? o->user.threads : 1;
	return true;
}

OptResult options_parse(Options *o, int argc, char **argv)
{
	char letters[3 * USAGE_ROWS_MOST + 2];
	struct option longs[USAGE_ROWS_MOST + 1];
	int end = 1, letter;
	uint64_t given = 0;
	*o = (Options){ 0 };
	while (end < argc && strcmp(argv[end], "--"))
		end++;
	o->nargs = end < argc ? argc - end - 1 : 0;
	o->args = argv + end + 1;
	usage_tables(&usage_gsim, letters, longs);
	opterr = 0;
	while ((letter = getopt_long(end, argv, letters, longs, NULL)) != -1) {
		if (letter == 'h' || letter == O_VERSION) {
			if (letter == 'h')
				help();
			else
				puts("gsim " GSIM_RELEASE);
			return OPT_DONE;
		}
		if (letter == '?' || letter == ':') {
			usage_option("gsim", argv, longs, letter);
			return OPT_ERROR;
		}
		if ((!may_be_repeated(letter) && usage_twice("gsim", longs, letter, &given)) ||
			(shows(letter) && usage_two_forms("gsim", &o->show, shows(letter))))
			return OPT_ERROR;
		if (!user_option(&o->user, letter, optarg) && !take(o, letter, optarg))
			return letter == O_BY ? wrong("--by: expected " MANY_BY ", not ", optarg) :
				letter == O_ANNOTATE ? wrong("--annotate: expected source or code, not ",
				optarg) :
				letter == O_WINDOW ? wrong("--window: expected a number from 1 to 1000000, "
					"not ", optarg) :
				letter == O_INTERVAL ? wrong("--interval: expected a number of cycles from 1 "
					"to 1000000000, not ", optarg) :
				letter == O_SIZE ? wrong("--size: expected S, M, L or XL, not ", optarg) :
				letter == O_SENSITIVITY || letter == O_CHECK_MACHINE ? no_names(letter) :
				letter == O_ON ? wrong("--on: expected gpu or gpu-alone, not ", optarg) :
				letter == O_LAUNCH_SECONDS ? wrong("--launch-seconds: expected a number from "
					"1 to 3600, not ", optarg) :
				letter == O_SAMPLE ? wrong("--sample: expected a number of percent from "
				"0.1 to 50, as in --sample=2, not ", optarg) :
				letter == O_SAMPLE_SEED ? wrong("--sample-seed: expected a number from 1 to "
					"2147483647, not ", optarg) :
				letter == O_BISECT ? wrong("--bisect: expected a number from 0 to "
					"2147483646, not ", optarg) :
				wrong("--threads: expected a number from 1 to 256, not ", optarg);
	}
	if (optind < end)
		o->module = argv[optind++];
	if (optind < end && o->new_workload)
		o->kernel = argv[optind++];
	if (optind < end && o->before_after && !o->show)
		o->second = argv[optind++];
	if (optind < end)
		return wrong(o->second ? "two MODULEs are enough (workload arguments stand behind --): "
			: "one MODULE is enough (-b compares two; workload arguments stand behind --): ",
			argv[optind]);
	if (!take_user(o))
		return OPT_ERROR;
	split_models(o);
	bool reads = o->module && !o->check_machine && !o->print_config &&
		(!o->list || options_lists_kernels(o) ||
		options_lists_sizes(o));
	return reads && !find_module(o) ? OPT_ERROR : check(o);
}

void options_free(Options *o)
{
	user_free(&o->user);
	vec_free(&o->set);
	vec_free(&o->model);
	vec_free(&o->passes);
	vec_free(&o->stats);
	vec_free(&o->files);
	vec_free(&o->load);
	for (int i = 0; i < o->split.n; i++)
		free(o->split.v[i]);
	vec_free(&o->split);
	arena_free(&o->arena);
}
