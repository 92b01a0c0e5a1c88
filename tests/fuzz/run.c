/* Whole runs out of bytes. The first bytes choose a mechanism and how the machine differs from a small one,
 * the others are the choices of the random-kernel generator (tests/random/random_kernel.h): each input is a
 * race-free kernel, whose memory must be that of the reference interpreter, timed and functional, with the
 * same count of instructions. */
#include "tests/fuzz/fuzz.h"
#include "tests/random/differential.h"
#include "traces/export.h"

enum { CHANGES = 16, KERNEL_SIZE = 24 };

typedef struct Reader { const uint8_t *p, *end; } Reader;
static unsigned byte(Reader *r) { return r->p < r->end ? *r->p++ : 0; }

typedef struct Plan {
	Config config;
	bool fitting;     /* nothing was changed under which a machine may refuse what a mechanism must run */
	bool comparable;               /* and nothing that changes results */
	bool trace;
	const char *passes;
} Plan;

/* ---- the machine ---- */

/* The most that a value may be here, where the range of the key would take long or much memory. */
static int64_t most(const ConfigKey *key, const char *name)
{
	static const struct { const char *name; int64_t most; } few[] = {
		{ "sm.count", 4 }, { "l2.bytes", 1 << 18 }, { "l1.bytes", 1 << 16 },
		{ "fetch.cache_bytes", 1 << 16 },
		{ "constant.bytes", 1 << 16 }, { "l2.slices", 16 }, { "fetch.miss_cycles", 300 },
		{ "interconnect.latency", 300 },
		{ "dram.latency", 300 }, { "launch.grid_barrier_cycles", 100000 },
	};
	for (size_t k = 0; k < sizeof few / sizeof *few; k++)
		if (!strcmp(few[k].name, name))
			return few[k].most;
	return key->most < 1 << 20 ? key->most : 1 << 20;
}

static int64_t value(const ConfigKey *key, const char *name, unsigned b)
{
	int64_t top = most(key, name), v;
	if (key->type != CT_INT)
		return b % (key->most + 1);
	if (b < 128)
		v = key->least + b;
	else if (b < 192)
		v = (int64_t)1 << (b & 31);
	else if (b < 224)
		v = ((int64_t)1 << (b & 31)) - 1;
	else
		v = top - (b & 31);
	return v < key->least ? key->least : v > top ? top : v;
}

static bool is(const char *name, const char *prefix) { return !strncmp(name, prefix, strlen(prefix)); }

/* A mechanism's own keys for selectors below 128, any machine's key above. */
static void change(Plan *p, unsigned selector, unsigned b)
{
	ConfigKey key, all[256];
	char name[CONFIG_NAME];
	const char *model = model_keys((int)p->config.model)->name;
	int n = 0;
	Diag d = { 0 };
	for (int i = 0; config_key(i, &key) && n < 256; i++)
		if (selector < 128 ? key.model && !strcmp(key.model, model) : !key.model)
			all[n++] = key;
	if (!n)
		return;
	key = all[(selector & 127) % (unsigned)n];
	config_key_name(&key, name);
	if (is(name, "limits.") || !strcmp(name, "divergence.model"))
		return;
	must(config_put(&p->config, &key, value(&key, name, b), (Loc){ 0 }, &d));
	if (key.model || is(name, "sm.") || is(name, "divergence."))
		p->fitting = false;
	if (!strcmp(name, "divergence.bar_partial"))
		p->comparable = false;
	diag_free(&d);
}

static bool plan(Plan *p, Reader *r)
{
	static const char *const passes[] = { NULL, NULL, NULL, "linearize", "dce", "simplify-cfg",
		"linearize(opt=4),dce", NULL };
	Diag d = { 0 };
	int models = 0;
	while (model_keys(models))
		models++;
	*p = (Plan){ .fitting = true, .comparable = true };
	differential_machine(&p->config);
	p->config.model = byte(r) % (unsigned)models;
	unsigned flags = byte(r), changes = byte(r) % (CHANGES + 1);
	p->passes = passes[flags & 7];
	p->trace = flags & 8;
	for (unsigned k = 0; k < changes; k++) {
		unsigned selector = byte(r);
		change(p, selector, byte(r));
	}
	bool ok = config_check(&p->config, &d);
	diag_free(&d);
	return ok;
}

/* ---- traces ---- */

static const char *read_trace(const char *path)
{
	Diag d = { 0 };
	TraceReader *r = trace_open(path, &d);
	FILE *out = fopen("/dev/null", "w");
	bool ok = r && out && trace_export(r, &trace_text, &TRACE_EVERYTHING, out, &d);
	if (!ok)
		diag_print(&d, stderr);
	trace_reader_free(r);
	if (out)
		fclose(out);
	diag_free(&d);
	return ok ? NULL : "the trace is refused";
}

/* ---- the run ---- */

/* Which ends of a launch are none of the simulator's faults. */
static bool excused(const Plan *p, const Outcome *o)
{
	return o->how == RAN_REFUSED || (!p->fitting &&
		(o->fault == FAULT_BARRIER || o->fault == FAULT_LOCAL)) ||
		(!p->comparable && o->fault);
}

static const char *one_way(const Job *j, const Plan *p, bool functional, const Outcome *want, Outcome *got)
{
	static char text[1800];
	Way way = { .model = (int)p->config.model, .functional = functional };
	Probe probe = { 0 };
	Diag d = { 0 };
	const char *path = p->trace ? fuzz_file("", 0) : NULL, *bad = NULL;
	if (path)
		probe.trace = trace_create(path, &d);
	outcome_machine(j, &p->config, &way, &probe, got);
	if (path && (!probe.trace || !trace_close(probe.trace, &d)))
		bad = "the trace cannot be written";
	if (!bad && !excused(p, got) && (p->comparable || got->how != RAN_WELL) &&
		!outcome_agrees(j->shape, want, got, text, sizeof text))
		bad = text;
	if (!bad && path && got->how == RAN_WELL)
		bad = read_trace(path);
	diag_free(&d);
	arena_free(&probe.arena);
	return bad;
}

static const char *compare(const Job *j, const Plan *p)
{
	static char text[1900];
	Outcome want, functional = { 0 }, timed = { 0 };
	outcome_reference(j, (int)p->config.warp_size, &want);
	const char *bad = want.how == RAN_WELL ? NULL : want.text, *way = "reference";
	if (!bad && (bad = one_way(j, p, true, &want, &functional)))
		way = "functional";
	if (!bad && (bad = one_way(j, p, false, &want, &timed)))
		way = "timed";
	if (!bad && p->comparable && functional.how == RAN_WELL && timed.how == RAN_WELL &&
		functional.thread_instructions != timed.thread_instructions)
		bad = "timed and functional count different instructions";
	if (bad) {
		snprintf(text, sizeof text, "%s: %s", way, bad);
		bad = text;
	}
	outcome_free(&want);
	outcome_free(&functional);
	outcome_free(&timed);
	return bad;
}

/* What an input came to, for who reads a finding: the machine and the kernel with its workload. */
static void explain(const Plan *p, const Job *j)
{
	StrBuf comment = { 0 }, out = { 0 };
	ConfigKey key;
	char name[CONFIG_NAME];
	Config small;
	differential_machine(&small);
	sb_printf(&comment, "// mechanism %s, passes %s, warp size %d\n",
		model_keys((int)p->config.model)->name, p->passes ? p->passes : "none",
		(int)p->config.warp_size);
	for (int i = 0; config_key(i, &key); i++)
		if (config_get(&p->config, &key) != config_get(&small, &key))
			sb_printf(&comment, "// -D %s=%lld\n", config_key_name(&key, name),
				(long long)config_get(&p->config, &key));
	job_print(j, comment.s, &out);
	fputs(out.s, stderr);
	sb_free(&comment);
	sb_free(&out);
}

const char *fuzz_run(const char *s, size_t n)
{
	Reader r = { (const uint8_t *)s, (const uint8_t *)s + n };
	Plan p;
	char text[1700];
	if (!plan(&p, &r))
		return NULL;
	RandomParams params = RANDOM_DEFAULTS(1);
	params.size = KERNEL_SIZE;
	params.warp_size = (int)p.config.warp_size;
	params.choices = r.p;
	params.nchoices = (size_t)(r.end - r.p);
	RandomKernel *k = random_kernel_new(&params);
	Module *m = transformed(k->module, p.passes, text, sizeof text);
	Job j = { k, m, { k->grid[0], k->grid[1], k->grid[2] } };
	static char failed[1800];
	const char *bad = NULL;
	if (m)
		bad = compare(&j, &p);
	else
		snprintf(failed, sizeof failed, "%s", text), bad = failed;
	if (bad)
		explain(&p, &j);
	module_free(m);
	random_kernel_free(k);
	return bad;
}

static void add_run(Corpus *c, uint64_t *state, int model, unsigned flags, unsigned selector, unsigned b)
{
	enum { CHOICES = 200 };
	uint8_t *p = xmalloc(5 + CHOICES);
	for (int k = 0; k < 5 + CHOICES; k++)
		p[k] = (uint8_t)random_next(state);
	p[0] = (uint8_t)model;
	p[1] = (uint8_t)flags;
	p[2] = 1;
	p[3] = (uint8_t)selector;
	p[4] = (uint8_t)b;
	vec_push(c, ((Bytes){ (char *)p, 5 + CHOICES }));
}

/* A kernel for each value of each named choice, and for the ends of each range, of every mechanism's keys,
   and of every key of the machine under some mechanism. */
bool fuzz_make_runs(Corpus *c)
{
	uint64_t state = 1;
	ConfigKey key;
	int of_machine = 0, models = 0;
	while (model_keys(models))
		models++;
	for (; config_key(of_machine, &key) && !key.model; of_machine++)
		for (unsigned b = 0; b < 3; b++)
			add_run(c, &state, (of_machine + (int)b) % models, b << 3, 128 + (unsigned)of_machine,
				b == 2 && key.type == CT_INT ? 224 : b);
	for (int m = 0; m < models; m++)
		for (int i = 0; i < model_keys(m)->nparams; i++) {
			const ConfigKey *own = &model_keys(m)->params[i];
			int values = own->type == CT_INT ? 3 : own->type == CT_BOOL ? 2 : 8;
			for (int b = 0; b < values; b++)
				add_run(c, &state, m, (unsigned)b << 3, (unsigned)i,
					own->type == CT_INT && b == 2 ? 224 : (unsigned)b);
		}
	return true;
}
