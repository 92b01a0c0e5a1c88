/* differential: random kernels on every mechanism, with and without passes, against the reference
   interpreter. */
#include "config.h"
#include "lib/strbuf.h"
#include "tests/random/differential.h"
#include "tools/plugins.h"
#include <getopt.h>
#include <inttypes.h>

typedef struct Options {
	Campaign c;
	Vec(char *) spec;              /* the settings */
	bool choices, print;
} Options;

static const char help[] =
	"usage: differential [options]\n"
	"Random kernels must leave the same memory on the reference interpreter and on the simulated "
	"machine, under every\n"
	"divergence mechanism, with and without passes, timed and functional.\n"
	"      --count N        kernels (100)\n"
	"      --seed S         seed of the first; the next ones follow (1)\n"
	"      --shard I/N      of these kernels every N-th only, from the I-th on: N processes share a "
	"campaign\n"
	"      --runs N         no kernel is begun after so many runs\n"
	"  -m, --model SPEC     a mechanism, with parameters as gsim takes them: "
	"'tf_stack(priority=source)'; repeatable\n"
	"      --models LIST    mechanisms, separated by commas (all)\n"
	"      --choices        besides the mechanisms named, each of them with each named value of each of "
	"its parameters\n"
	"      --load FILE      a plug-in, whose passes and mechanisms are tested as those of gsim; "
	"repeatable\n"
	"      --passes LIST    a pipeline to test besides the untransformed kernel; repeatable "
	"('linearize'); 'none': no pipeline\n"
	"      --pipelines N    and N random pipelines for each kernel\n"
	"      --functional, --timed, --both    how to run (both)\n"
	"      --windows        timed, with random options of each mechanism: a launch is measured alike "
	"with windows of\n"
	"                       1 cycle, of 3, and the longest ones\n"
	"      --config FILE    machine description (a small one, whose memory is far away for one kernel in "
	"four)\n"
	"  -D, --set KEY=VALUE  changes one value of it; repeatable\n"
	"      --registers N    a thread has at most N; 'config': as the machine says (a number for each "
	"kernel, by its seed)\n"
	"      --size N         instructions of a thread besides the frame, roughly (60)\n"
	"      --spins          kernels whose threads wait for each other, with pipelines of passes at their "
	"defaults: one that ends as it is has to end\n"
	"      --arms           kernels most of whose branches have arms that are alike\n"
	"      --apart          lanes of a warp meet at warp-level operations that stand in several places; "
	"stacks refuse that\n"
	"      --ends           threads end in front of barriers, in arms of branches too; stacks may refuse "
	"that\n"
	"      --without LIST   features that kernels may not have\n"
	"      --keep DIR       where kernels that show a difference are written (.)\n"
	"      --minimize       and made small first\n"
	"      --print          prints the kernel of --seed as a module with its workload, runs nothing\n"
	"A mechanism that refuses a kernel has failed.\n"
	"Exit status: 0 when all agree, 1 when not, 2 after a wrong argument.\n";

enum { OPT_COUNT = 256, OPT_SEED, OPT_SHARD, OPT_RUNS, OPT_MODELS, OPT_CHOICES, OPT_PASSES, OPT_PIPELINES,
	OPT_FUNCTIONAL, OPT_TIMED, OPT_BOTH, OPT_WINDOWS,
	OPT_CONFIG, OPT_LOAD, OPT_REGISTERS, OPT_SIZE, OPT_ARMS, OPT_APART, OPT_ENDS, OPT_SPINS,
	OPT_WITHOUT, OPT_KEEP, OPT_MINIMIZE, OPT_PRINT, OPT_HELP };

static const struct option options[] = {
	{ "count", required_argument, NULL, OPT_COUNT }, { "seed", required_argument, NULL, OPT_SEED },
	{ "shard", required_argument, NULL, OPT_SHARD }, { "runs", required_argument, NULL, OPT_RUNS },
	{ "model", required_argument, NULL, 'm' }, { "models", required_argument, NULL, OPT_MODELS },
	{ "choices", no_argument, NULL, OPT_CHOICES }, { "passes", required_argument, NULL, OPT_PASSES },
	{ "pipelines", required_argument, NULL, OPT_PIPELINES },
	{ "functional", no_argument, NULL, OPT_FUNCTIONAL }, { "timed", no_argument, NULL, OPT_TIMED },
	{ "both", no_argument, NULL, OPT_BOTH }, { "windows", no_argument, NULL, OPT_WINDOWS },
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "load", required_argument, NULL, OPT_LOAD },
	{ "set", required_argument, NULL, 'D' }, { "registers", required_argument, NULL, OPT_REGISTERS },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "arms", no_argument, NULL, OPT_ARMS }, { "apart", no_argument, NULL, OPT_APART },
	{ "ends", no_argument, NULL, OPT_ENDS },
	{ "spins", no_argument, NULL, OPT_SPINS },
	{ "without", required_argument, NULL, OPT_WITHOUT }, { "keep", required_argument, NULL, OPT_KEEP },
	{ "minimize", no_argument, NULL, OPT_MINIMIZE }, { "print", no_argument, NULL, OPT_PRINT },
	{ "help", no_argument, NULL, OPT_HELP }, { NULL, 0, NULL, 0 }
};

/* ---- values of arguments ---- */

static bool number(const char *name, const char *s, uint64_t least, uint64_t *out, Diag *d)
{
	char *end;
	unsigned long long v = strtoull(s, &end, 0);
	if (*s < '0' || *s > '9' || *end || v < least) {
		char from[32] = "";
		if (least)
			snprintf(from, sizeof from, " from %llu on", (unsigned long long)least);
		diag_error(d, (Loc){ 0 }, "--%s: expected a number%s, found '%s'", name, from, s);
		return false;
	}
	*out = v;
	return true;
}

static bool parse_shard(Campaign *c, const char *s, Diag *d)
{
	char *end;
	unsigned long long i = strtoull(s, &end, 10), n = *end == '/' ? strtoull(end + 1, &end, 10) : 0;
	if (*end || i < 1 || i > n) {
		diag_error(d, (Loc){ 0 }, "--shard: expected I/N with 1 <= I <= N, found '%s'", s);
		return false;
	}
	c->shard = i - 1;
	c->shards = n;
	return true;
}

static bool parse_registers(Campaign *c, const char *s, Diag *d)
{
	uint64_t n = 0;
	if (strcmp(s, "config") && !number("registers", s, REGISTERS_LEAST, &n, d))
		return false;
	c->registers = (int64_t)(n < 1024 ? n : 1024);
	return true;
}

static void add_spec(Options *o, const char *s, size_t n)
{
	char *spec = xcalloc(n + 1, 1);
	memcpy(spec, s, n);
	vec_push(&o->spec, spec);
}

static void parse_models(Options *o, const char *s)
{
	for (size_t n;; s += n + 1) {
		n = strcspn(s, ",");
		add_spec(o, s, n);
		if (!s[n])
			return;
	}
}

static bool parse_without(Campaign *c, const char *s, Diag *d)
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
		c->features &= ~((Features)1 << k);
		s += n;
		if (!*s)
			return true;
	}
}

static bool parse_set(Config *c, const char *s, Diag *d)
{
	char key[128];
	size_t n = strcspn(s, "=");
	if (!s[n] || n >= sizeof key) {
		diag_error(d, (Loc){ 0 }, "--set: expected KEY=VALUE, found '%s'", s);
		return false;
	}
	memcpy(key, s, n);
	key[n] = 0;
	return config_set(c, key, s + n + 1, d);
}

/* ---- settings ---- */

static void add_choices(Options *o, const char *model)
{
	ConfigKey key;
	char value[64], spec[256];
	for (int i = 0; config_key(i, &key); i++) {
		const char *names = key.type == CT_BOOL ? "false|true" : key.choices;
		if (!key.model || strcmp(key.model, model) || key.type == CT_INT)
			continue;
		for (int64_t v = 0; v <= key.most; v++, names += strcspn(names, "|") + 1) {
			snprintf(value, sizeof value, "%.*s", (int)strcspn(names, "|"), names);
			snprintf(spec, sizeof spec, "%s(%s=%s)", model, key.key, value);
			if (v != key.value)
				add_spec(o, spec, strlen(spec));
		}
	}
}

static bool make_settings(Options *o, Diag *d)
{
	for (int k = 0, all = !o->spec.n; all && model_keys(k); k++)
		add_spec(o, model_keys(k)->name, strlen(model_keys(k)->name));
	for (int k = 0, n = o->spec.n; o->choices && k < n; k++)
		add_choices(o, o->spec.v[k]);
	for (int k = 0; k < o->spec.n; k++) {
		Setting s = { .name = o->spec.v[k], .config = o->c.config };
		if (!config_set_model(&s.config, s.name, d) || !config_check(&s.config, d))
			return false;
		vec_push(&o->c.setting, s);
	}
	return true;
}

/* ---- the command line ---- */

/* Kernels of some hundred instructions: what has changed nothing for so long will not. Eight warps that take
   turns at a lock, each for as long as a functional run lets it, issue a million and more. */
static void wait_little(Campaign *c)
{
	c->config.progress_cycles = 5000;
	c->config.max_cycles = 3000000;
	c->pipelines = c->pipelines || c->passes.n > 1 ? c->pipelines : 4;
}

/* Loads the plug-ins before anything else is looked at: other options may name what they have, in front of
   --load, too. */
static bool load_plugins(int argc, char **argv, Diag *d)
{
	bool ok = true;
	opterr = 0;
	for (int opt; ok && (opt = getopt_long(argc, argv, "m:D:", options, NULL)) != -1;)
		ok = opt != OPT_LOAD || plugin_load(optarg, d);
	opterr = optind = 1;
	return ok;
}

static bool parse(Options *o, int argc, char **argv, Diag *d)
{
	Campaign *c = &o->c;
	bool ok = true, none = false;
	uint64_t size = 60;
	for (int opt; ok && (opt = getopt_long(argc, argv, "m:D:", options, NULL)) != -1;)
		switch (opt) {
		case OPT_COUNT: ok = number("count", optarg, 0, &c->count, d); break;
		case OPT_SEED: ok = number("seed", optarg, 0, &c->seed, d); break;
		case OPT_SHARD: ok = parse_shard(c, optarg, d); break;
		case OPT_RUNS: ok = number("runs", optarg, 1, &c->most_runs, d); break;
		case 'm': add_spec(o, optarg, strlen(optarg)); break;
		case OPT_MODELS: parse_models(o, optarg); break;
		case OPT_CHOICES: o->choices = true; break;
		case OPT_PASSES:
			none = !strcmp(optarg, "none");
			ok = none || pipeline_check(optarg, d);
			if (!none)
				vec_push(&c->passes, optarg);
			break;
		case OPT_PIPELINES: ok = number("pipelines", optarg, 0, &c->pipelines, d); break;
		case OPT_FUNCTIONAL: c->timed = false; break;
		case OPT_TIMED: c->functional = false; break;
		case OPT_BOTH: c->timed = c->functional = true; break;
		case OPT_WINDOWS: c->windows = true; break;
		case OPT_CONFIG: ok = config_load(&c->config, optarg, d); c->own_machine = true; break;
		case 'D': ok = parse_set(&c->config, optarg, d); c->own_machine = true; break;
		case OPT_REGISTERS: ok = parse_registers(c, optarg, d); break;
		case OPT_SIZE: ok = number("size", optarg, 1, &size, d); break;
		case OPT_ARMS: c->arms = true; break;
		case OPT_APART: c->apart = true; break;
		case OPT_ENDS: c->ends = true; break;
		case OPT_SPINS: c->spins = true; break;
		case OPT_WITHOUT: ok = parse_without(c, optarg, d); break;
		case OPT_KEEP: c->keep = optarg; break;
		case OPT_MINIMIZE: c->minimize = true; break;
		case OPT_PRINT: o->print = true; break;
		case OPT_LOAD: break;
		case OPT_HELP: fputs(help, stdout); exit(0);
		default: fputs("usage: differential [options]; --help says more\n", stderr); return false;
		}
	if (ok && optind < argc) {
		diag_error(d, (Loc){ 0 }, "unexpected argument '%s'; --help says more", argv[optind]);
		ok = false;
	}
	if (ok && size > 100000) {
		diag_error(d, (Loc){ 0 }, "--size: expected 1 to 100000");
		ok = false;
	}
	c->size = (int)size;
	if (c->spins)
		wait_little(c);
	if (c->passes.n == 1 && !none && !c->pipelines)
		vec_push(&c->passes, "linearize");
	return ok && make_settings(o, d);
}

static void print_kernel(const Campaign *c)
{
	RandomKernel *k = campaign_kernel(c, c->seed);
	Job j = { k, k->module, { k->grid[0], k->grid[1], k->grid[2] } };
	StrBuf text = { 0 };
	char comment[64];
	snprintf(comment, sizeof comment, "// random kernel, seed %" PRIu64 "\n", c->seed);
	job_print(&j, comment, &text);
	fputs(text.s, stdout);
	sb_free(&text);
	random_kernel_free(k);
}

int main(int argc, char **argv)
{
	Options o = { .c = { .seed = 1, .count = 100, .shards = 1, .features = RF_ALL, .timed = true,
		.functional = true,
		.keep = ".", .registers = -1 } };
	Diag d = { 0 };
	int status = 0;
	bool loaded = load_plugins(argc, argv, &d);
	differential_machine(&o.c.config);
	vec_push(&o.c.passes, NULL);
	if (!loaded || !parse(&o, argc, argv, &d))
		status = 2;
	else if (o.print)
		print_kernel(&o.c);
	else
		status = !campaign_run(&o.c);
	diag_print(&d, stderr);
	diag_free(&d);
	for (int k = 0; k < o.spec.n; k++)
		free(o.spec.v[k]);
	vec_free(&o.spec);
	vec_free(&o.c.setting);
	vec_free(&o.c.passes);
	return status;
}
