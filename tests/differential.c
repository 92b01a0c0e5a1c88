/* differential: random kernels on every mechanism, with and without passes, against the reference interpreter. */
#include "config.h"
#include "lib/file.h"
#include "lib/strbuf.h"
#include "tests/differential.h"
#include <getopt.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

typedef Vec(const char *) Names;

typedef struct Options {
	uint64_t seed, count;
	int size;
	unsigned features;
	Vec(int) model;
	Names passes;                  /* [0] is NULL: none */
	bool timed, functional, minimize, print;
	const char *keep;
	Config config;

	const ModelInfo *models;
	int nmodels;
	uint64_t *refused;             /* by model */
	uint64_t runs, thread_instructions;
	int failures;
} Options;

static const char help[] =
	"usage: differential [options]\n"
	"Random kernels must leave the same memory on the reference interpreter and on the simulated machine, under every\n"
	"divergence mechanism, with and without passes, timed and functional.\n"
	"      --count N        kernels (100)\n"
	"      --seed S         seed of the first; the next ones follow (1)\n"
	"      --models LIST    divergence mechanisms (all)\n"
	"      --passes LIST    a pipeline to test besides the untransformed kernel; repeatable ('linearize'); 'none': no pipeline\n"
	"      --functional, --timed, --both    how to run (both)\n"
	"      --config FILE    machine description\n"
	"      --set KEY=VALUE  changes one value of it; repeatable\n"
	"      --size N         instructions of a thread besides the frame, roughly (60)\n"
	"      --without LIST   features that kernels may not have\n"
	"      --keep DIR       where kernels that show a difference are written (.)\n"
	"      --minimize       and made small first\n"
	"      --print          prints the kernel of --seed as a module with its workload, runs nothing\n"
	"Exit status: 0 when all agree, 1 when not, 2 after a wrong argument.\n";

enum { OPT_COUNT = 256, OPT_SEED, OPT_MODELS, OPT_PASSES, OPT_FUNCTIONAL, OPT_TIMED, OPT_BOTH, OPT_CONFIG, OPT_SET, OPT_SIZE,
	OPT_WITHOUT, OPT_KEEP, OPT_MINIMIZE, OPT_PRINT, OPT_HELP };

static const struct option options[] = {
	{ "count", required_argument, NULL, OPT_COUNT }, { "seed", required_argument, NULL, OPT_SEED },
	{ "models", required_argument, NULL, OPT_MODELS }, { "passes", required_argument, NULL, OPT_PASSES },
	{ "functional", no_argument, NULL, OPT_FUNCTIONAL }, { "timed", no_argument, NULL, OPT_TIMED },
	{ "both", no_argument, NULL, OPT_BOTH }, { "config", required_argument, NULL, OPT_CONFIG },
	{ "set", required_argument, NULL, OPT_SET }, { "size", required_argument, NULL, OPT_SIZE },
	{ "without", required_argument, NULL, OPT_WITHOUT }, { "keep", required_argument, NULL, OPT_KEEP },
	{ "minimize", no_argument, NULL, OPT_MINIMIZE }, { "print", no_argument, NULL, OPT_PRINT },
	{ "help", no_argument, NULL, OPT_HELP }, { NULL, 0, NULL, 0 }
};

/* ---- arguments ---- */

static bool number(const char *name, const char *s, uint64_t *out, Diag *d)
{
	char *end;
	unsigned long long v = strtoull(s, &end, 0);
	if (*s < '0' || *s > '9' || *end) {
		diag_error(d, (Loc){ 0 }, "--%s: expected a number, found '%s'", name, s);
		return false;
	}
	*out = v;
	return true;
}

static int find_model(const Options *o, const char *name, size_t n)
{
	for (int k = 0; k < o->nmodels; k++)
		if (!strncmp(o->models[k].name, name, n) && !o->models[k].name[n])
			return k;
	return -1;
}

static bool parse_models(Options *o, const char *s, Diag *d)
{
	for (;; s++) {
		size_t n = strcspn(s, ",");
		int k = find_model(o, s, n);
		if (k < 0) {
			diag_error(d, (Loc){ 0 }, "--models: there is no mechanism '%.*s'", (int)n, s);
			return false;
		}
		vec_push(&o->model, k);
		s += n;
		if (!*s)
			return true;
	}
}

static bool parse_without(Options *o, const char *s, Diag *d)
{
	static const char *const names[] = {
#define X(ID, HELP) #ID,
		RANDOM_FEATURES(X)
#undef X
	};
	for (;; s++) {
		size_t n = strcspn(s, ",");
		int k = 0;
		while (k < RF_COUNT && (strncasecmp(names[k], s, n) || names[k][n]))
			k++;
		if (k == RF_COUNT) {
			diag_error(d, (Loc){ 0 }, "--without: there is no feature '%.*s'", (int)n, s);
			return false;
		}
		o->features &= ~(1u << k);
		s += n;
		if (!*s)
			return true;
	}
}

static bool parse_set(Options *o, const char *s, Diag *d)
{
	char key[128];
	size_t n = strcspn(s, "=");
	if (!s[n] || n >= sizeof key) {
		diag_error(d, (Loc){ 0 }, "--set: expected KEY=VALUE, found '%s'", s);
		return false;
	}
	memcpy(key, s, n);
	key[n] = 0;
	return config_set(&o->config, key, s + n + 1, d);
}

static bool parse(Options *o, int argc, char **argv, Diag *d)
{
	bool ok = true, none = false;
	uint64_t size = 60;
	for (int c; ok && (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
		switch (c) {
		case OPT_COUNT: ok = number("count", optarg, &o->count, d); break;
		case OPT_SEED: ok = number("seed", optarg, &o->seed, d); break;
		case OPT_MODELS: ok = parse_models(o, optarg, d); break;
		case OPT_PASSES:
			none = !strcmp(optarg, "none");
			ok = none || pipeline_check(optarg, d);
			if (!none)
				vec_push(&o->passes, optarg);
			break;
		case OPT_FUNCTIONAL: o->timed = false; break;
		case OPT_TIMED: o->functional = false; break;
		case OPT_BOTH: o->timed = o->functional = true; break;
		case OPT_CONFIG: ok = config_load(&o->config, optarg, d); break;
		case OPT_SET: ok = parse_set(o, optarg, d); break;
		case OPT_SIZE: ok = number("size", optarg, &size, d); break;
		case OPT_WITHOUT: ok = parse_without(o, optarg, d); break;
		case OPT_KEEP: o->keep = optarg; break;
		case OPT_MINIMIZE: o->minimize = true; break;
		case OPT_PRINT: o->print = true; break;
		case OPT_HELP: fputs(help, stdout); exit(0);
		default: return false;
		}
	if (ok && optind < argc) {
		diag_error(d, (Loc){ 0 }, "unexpected argument '%s'; --help says more", argv[optind]);
		ok = false;
	}
	if (ok && (size < 1 || size > 100000)) {
		diag_error(d, (Loc){ 0 }, "--size: expected 1 to 100000");
		ok = false;
	}
	o->size = (int)size;
	if (o->passes.n == 1 && !none)
		vec_push(&o->passes, "linearize");
	for (int k = 0, all = !o->model.n; all && k < o->nmodels; k++)
		vec_push(&o->model, k);
	return ok && config_check(&o->config, d);
}

/* ---- testing one kernel ---- */

static void describe(const Options *o, const Way *w, char *text, size_t n)
{
	snprintf(text, n, "%s%s%s, %s", w->model < 0 ? "the interpreter" : o->models[w->model].name, w->passes ? " after " : "",
		w->passes ? w->passes : "", w->functional ? "functional" : "timed");
}

static void write_module(const Options *o, const Job *j, uint64_t seed, const char *suffix, const char *comment)
{
	char path[4096];
	const char *why;
	StrBuf text = { 0 };
	snprintf(path, sizeof path, "%s/random-%" PRIu64 "%s.ir", o->keep, seed, suffix);
	job_print(j, comment, &text);
	if (file_write(path, text.s, text.n, &why))
		printf("  written to %s\n", path);
	else
		fprintf(stderr, "%s: error: %s\n", path, why);
	sb_free(&text);
}

/* Says what differs, writes the kernel, and a small one that shows the same. */
static void report(Options *o, Job *j, uint64_t seed, const Way *w, const Way *good, const char *what)
{
	char name[160], comment[2400];
	describe(o, w, name, sizeof name);
	snprintf(comment, sizeof comment, "// random kernel, seed %" PRIu64 ": %s differs from the reference interpreter\n", seed, name);
	printf("seed %" PRIu64 ": %s: %s\n", seed, name, what);
	write_module(o, j, seed, "", comment);
	if (!o->minimize)
		return;
	Job small = *j;
	small.module = minimized(&small, &o->config, w, good);
	write_module(o, &small, seed, "-small", comment);
	module_free((Module *)small.module);
}

typedef struct Trial {             /* one kernel */
	Options *o;
	Job job;
	uint64_t seed;
	Outcome want;
	Way good;                      /* agrees, once any_good */
	uint64_t instructions;         /* of the threads, under the present pipeline; 0 = not known */
	bool any_good, failed;
} Trial;

static void try(Trial *t, const Module *module, const Way *w)
{
	char text[1700];
	bool refused;
	Job j = t->job;
	j.module = module;
	t->o->runs++;
	if (way_agrees(&j, &t->o->config, w, &t->want, &refused, &t->instructions, text, sizeof text)) {
		if (refused)
			t->o->refused[w->model]++;
		else if (!w->passes && w->model >= 0 && !t->any_good) {
			t->good = *w;
			t->any_good = true;
		}
		return;
	}
	t->failed = true;
	report(t->o, &t->job, t->seed, w, t->any_good ? &t->good : NULL, text);
}

static void try_all(Trial *t)
{
	Options *o = t->o;
	for (int p = 0; p < o->passes.n && !t->failed; p++) {
		char text[512];
		Way w = { -1, o->passes.v[p], true };
		Module *m = transformed(t->job.module, w.passes, text, sizeof text);
		if (!m) {
			t->failed = true;
			report(o, &t->job, t->seed, &w, NULL, text);
			return;
		}
		t->instructions = 0;
		if (w.passes)
			try(t, m, &w);
		for (int k = 0; k < 2 * o->model.n && !t->failed; k++) {
			w.model = o->model.v[k / 2];
			w.functional = k % 2 == 0;
			if (w.functional ? o->functional : o->timed)
				try(t, m, &w);
		}
		module_free(m);
	}
}

static RandomKernel *kernel_of(const Options *o, uint64_t seed)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	p.features = o->features;
	p.size = o->size;
	p.warp_size = (int)o->config.warp_size;
	return random_kernel_new(&p);
}

static bool test(Options *o, uint64_t seed)
{
	RandomKernel *k = kernel_of(o, seed);
	Trial t = { .o = o, .job = { k, k->module, { k->grid[0], k->grid[1], k->grid[2] } }, .seed = seed };
	Diag d = { 0 };
	if (!ir_verify(k->module, &d)) {
		printf("seed %" PRIu64 ": the kernel is not valid: %s\n", seed, d.item.v[0].text);
		t.failed = true;
	} else {
		outcome_reference(&t.job, (int)o->config.warp_size, &t.want);
		o->thread_instructions += t.want.thread_instructions;
		if (t.want.how == RAN_WELL) {
			try_all(&t);
		} else {
			printf("seed %" PRIu64 ": %s\n", seed, t.want.text);
			t.failed = true;
			write_module(o, &t.job, seed, "", "// the reference interpreter fails\n");
		}
		outcome_free(&t.want);
	}
	diag_free(&d);
	random_kernel_free(k);
	return !t.failed;
}

static void progress(uint64_t done, uint64_t count, uint64_t failed)
{
	static time_t last;
	time_t now = time(NULL);
	if (!isatty(2) || (now == last && done < count))
		return;
	last = now;
	fprintf(stderr, "\r%" PRIu64 "/%" PRIu64 ", %" PRIu64 " failed%s", done, count, failed, done == count ? "\n" : "");
}

static int run(Options *o)
{
	enum { ENOUGH = 20 };
	uint64_t passed = 0, failed = 0;
	for (uint64_t k = 0; k < o->count && failed < ENOUGH; k++) {
		if (test(o, o->seed + k))
			passed++;
		else
			failed++;
		fflush(stdout);
		progress(k + 1, o->count, failed);
	}
	for (int k = 0; k < o->model.n; k++)
		if (o->refused[o->model.v[k]])
			printf("%s refused %" PRIu64 " runs\n", o->models[o->model.v[k]].name, o->refused[o->model.v[k]]);
	printf("%" PRIu64 " runs, %" PRIu64 " thread instructions in the reference's\n", o->runs, o->thread_instructions);
	if (failed == ENOUGH)
		printf("stopped after %d failures\n", ENOUGH);
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
	return failed != 0;
}

static void print_kernel(const Options *o)
{
	RandomKernel *k = kernel_of(o, o->seed);
	Job j = { k, k->module, { k->grid[0], k->grid[1], k->grid[2] } };
	StrBuf text = { 0 };
	char comment[64];
	snprintf(comment, sizeof comment, "// random kernel, seed %" PRIu64 "\n", o->seed);
	job_print(&j, comment, &text);
	fputs(text.s, stdout);
	sb_free(&text);
	random_kernel_free(k);
}

int main(int argc, char **argv)
{
	Options o = { .seed = 1, .count = 100, .features = RF_ALL, .timed = true, .functional = true, .keep = "." };
	Diag d = { 0 };
	int status = 0;
	o.nmodels = gpu_models(&o.models);
	o.refused = xcalloc((size_t)o.nmodels, sizeof *o.refused);
	config_defaults(&o.config);
	vec_push(&o.passes, NULL);
	if (!parse(&o, argc, argv, &d))
		status = 2;
	else if (o.print)
		print_kernel(&o);
	else
		status = run(&o);
	diag_print(&d, stderr);
	diag_free(&d);
	vec_free(&o.model);
	vec_free(&o.passes);
	free(o.refused);
	return status;
}
