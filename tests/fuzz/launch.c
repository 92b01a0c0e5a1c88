/* Kernels that nobody checked: a module's first kernel runs on the reference interpreter, and on a machine
 * whose mechanism the input's bytes choose, functional and timed; its host function runs, too. They end well
 * or with a fault that says why. */
#include "tests/fuzz/fuzz.h"
#include "sim/launcher.h"

enum { STEPS = 3000, CYCLES = 30000, MEMORY = 16 << 20, BUFFER = 1024 };

typedef struct Bench {                 /* what a launch stands on */
	const Module *module;
	Memory *memory;
	uint64_t *address, buffer;
	uint32_t hash;
} Bench;

static bool bench_open(Bench *b)
{
	b->memory = memory_new(MEMORY);
	b->address = xcalloc((size_t)b->module->symbol.n + 1, sizeof *b->address);
	return memory_load_module(b->memory, b->module, b->address) &&
		(b->buffer = memory_alloc(b->memory, BUFFER, "buffer", false));
}

static void bench_close(Bench *b)
{
	free(b->address);
	memory_free(b->memory);
}

/* Parameters of eight bytes are the buffer's address, the others small numbers. */
static uint8_t *parameters(const Bench *b, const Function *f)
{
	uint8_t *p = xcalloc(f->param_bytes + 8, 1);
	for (int k = 0; k < f->param.n; k++) {
		const Param *a = &f->param.v[k];
		uint64_t v = a->size == 8 ? b->buffer : 1 + b->hash % 40;
		memcpy(p + a->offset, &v, a->size < 8 ? a->size : 8);
	}
	return p;
}

static Launch launch_of(const Bench *b, const Function *f, const uint8_t *params)
{
	Launch l = { .module = b->module, .kernel = f, .grid = { 1 + b->hash % 2, 1, 1 },
		.block = { 40, 1, 1 },
		.dynamic_shared = 256, .params = params, .memory = b->memory, .symbol_address = b->address };
	if (f->reqntid[0])
		memcpy(l.block, f->reqntid, sizeof l.block);
	else if (f->maxntid[0])
		l.block[0] = f->maxntid[0] < 40 ? f->maxntid[0] : 40;
	return l;
}

static bool small(const Launch *l) { return (uint64_t)l->block[0] * l->block[1] * l->block[2] <= 256; }

static const char *judge(bool ok, const Fault *f)
{
	return ok && f->kind ? "completed with a fault" : !ok && !f->text[0] ? "failed without a fault"
		: NULL;
}

static const char *on_reference(Bench *b, const Function *f)
{
	Fault fault = { 0 };
	uint8_t *params = parameters(b, f);
	Launch l = launch_of(b, f, params);
	InterpOptions options = { .warp_size = 32, .max_steps = STEPS };
	const char *bad = small(&l) ? judge(interp_launch(&l, &options, &fault), &fault) : NULL;
	free(params);
	return bad;
}

static void machine(Config *c, uint32_t hash)
{
	int models = 0;
	config_defaults(c);
	while (model_keys(models))
		models++;
	c->model = hash / 8 % (unsigned)models;
	for (int i = 0; i < model_keys((int)c->model)->nparams; i++) {
		const ConfigKey *own = &model_keys((int)c->model)->params[i];
		int64_t span = own->type == CT_INT ? own->most - own->least + 1 : own->type == CT_BOOL ? 2
			: 1;
		for (const char *s = own->choices; own->type == CT_ENUM && s && (s = strchr(s, '|')); s++)
			span++;
		if (hash >> (i + 10) % 32 & 1)
			c->model_param[c->model][i] = (own->type == CT_INT ? own->least : 0) +
				(int64_t)(hash >> 3) % (span < 8 ? span : 8);
	}
	c->l2_bytes = 32768;
	c->max_cycles = CYCLES;
	c->progress_cycles = 2000;
	c->bar_partial = hash / 256 % 4;
	c->sm_max_regs = hash & 4 ? 20 : 255;
}

static const char *on_machine(Bench *b, const Function *f)
{
	Config c;
	Fault fault = { 0 };
	Diag d = { 0 };
	Arena a = { 0 };
	LaunchStats stats = { 0 };
	GpuOptions options = { .functional = b->hash & 2 };
	uint8_t *params = parameters(b, f);
	Launch l = launch_of(b, f, params);
	const char *bad = NULL;
	machine(&c, b->hash);
	Gpu *g = gpu_new(&c, b->module, b->memory, b->address, &options, &d);
	if (!g)
		bad = d.errors ? NULL : "no machine, and no error";
	else if (!gpu_refuses(&c, &l))
		bad = judge(gpu_launch(g, &l, &a, &stats, &fault), &fault);
	if (!bad && g && stats.completed && stats_conservation(&stats, &c))
		bad = stats_conservation(&stats, &c);
	gpu_free(g);
	free(params);
	diag_free(&d);
	arena_free(&a);
	return bad;
}

static bool from_host(void *self, const Launch *l, int stream, Loc where, Fault *fault)
{
	(void)stream;
	(void)where;
	InterpOptions options = { .warp_size = 32, .max_steps = STEPS };
	if (small(l) && (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] <= 8)
		return interp_launch(l, &options, fault);
	fault_text(fault, FAULT_LIMIT, "more threads than a fuzzed launch may have");
	return false;
}

static const char *host(Bench *b, const Function *f)
{
	Fault fault = { 0 };
	HostHooks hooks = { .launch = from_host, .max_steps = 2000 };
	return judge(host_run(b->module, f, b->memory, b->address, &hooks, &fault), &fault);
}

static const char *with_bench(const Module *m, uint32_t hash, const Function *f,
	const char *(*run)(Bench *, const Function *))
{
	Bench b = { .module = m, .hash = hash };
	const char *bad = bench_open(&b) ? run(&b, f) : NULL;
	bench_close(&b);
	return bad;
}

const char *fuzz_launch(const char *s, size_t n)
{
	Diag d = { 0 };
	uint32_t h = fuzz_hash(s, n);
	Module *m = ir_read(s, n, "fuzz", &d);
	const char *bad = NULL;
	bool kernel = false;
	for (int k = 0; m && !bad && k < m->func.n; k++) {
		const Function *f = m->func.v[k];
		if (f->declared_only)
			continue;
		if (f->kind == FN_HOST)
			bad = with_bench(m, h, f, host);
		else if (f->kind == FN_KERNEL && !kernel) {
			kernel = true;
			bad = with_bench(m, h, f, on_reference);
			if (!bad)
				bad = with_bench(m, h, f, on_machine);
		}
	}
	module_free(m);
	diag_free(&d);
	return bad;
}
