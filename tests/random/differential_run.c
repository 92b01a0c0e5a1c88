/* Running one kernel one way. */
#include "passes/analysis/cost.h"
#include "passes/analysis/limits.h"
#include "tests/random/differential.h"
#include "tests/random/random_text.h"
#include "isa/print.h"
#include <stdio.h>

enum { MOST_PRINTED = 1 << 26 };

typedef struct Image {             /* a fresh memory with the job's buffers */
	Memory *memory;
	uint64_t *symbol, in, out, acc;
	uint8_t params[32];
} Image;

static uint8_t *bytes(const Image *m, uint64_t addr, uint64_t n)
{
	const Alloc *a = memory_find(m->memory, addr, n, &(const Alloc *){ NULL });
	must(a);
	return a->data + (addr - a->addr);
}

static Image image_new(const Job *j)
{
	Image m = { .memory = memory_new((uint64_t)1 << 30) };
	m.symbol = xcalloc((size_t)j->module->symbol.n + 1, sizeof *m.symbol);
	must(memory_load_module(m.memory, j->module, m.symbol));
	m.in = memory_alloc(m.memory, RANDOM_IN_BYTES, "in", false);
	m.out = memory_alloc(m.memory, j->shape->out_bytes, "out", false);
	m.acc = memory_alloc(m.memory, RANDOM_ACC_BYTES, "acc", false);
	memcpy(bytes(&m, m.in, RANDOM_IN_BYTES), j->shape->in, RANDOM_IN_BYTES);
	memcpy(bytes(&m, m.acc, RANDOM_ACC_BYTES), j->shape->acc, RANDOM_ACC_BYTES);
	memcpy(m.params, &m.in, 8);
	memcpy(m.params + 8, &m.out, 8);
	memcpy(m.params + 16, &m.acc, 8);
	memcpy(m.params + 24, &j->shape->n, 4);
	return m;
}

static void image_free(Image *m)
{
	memory_free(m->memory);
	free(m->symbol);
}

static Launch launch_of(const Job *j, const Image *m)
{
	Launch l = { .module = j->module, .kernel = module_find_function(j->module, j->shape->kernel->name),
		.dynamic_shared = j->shape->dynamic_shared, .params = m->params, .memory = m->memory,
		.symbol_address = m->symbol };
	must(l.kernel);
	memcpy(l.grid, j->grid, sizeof l.grid);
	memcpy(l.block, j->shape->block, sizeof l.block);
	return l;
}

static uint64_t hash_of_lines(const PrintBuffer *b)
{
	uint64_t sum = b->lost;
	for (size_t k = 0, n; k < b->text.n; k += n) {
		/* each print ends its line */
		n = (size_t)((const char *)memchr(b->text.s + k, '\n', b->text.n - k) - (b->text.s + k)) + 1;
		sum += hash_bytes(b->text.s + k, n, 1);
	}
	return sum;
}

static void collect(const Job *j, const Image *m, Outcome *o)
{
	o->out = xmalloc(j->shape->out_bytes);
	memcpy(o->out, bytes(m, m->out, j->shape->out_bytes), j->shape->out_bytes);
	memcpy(o->acc, bytes(m, m->acc, RANDOM_ACC_BYTES), RANDOM_ACC_BYTES);
}

void outcome_free(Outcome *o)
{
	free(o->out);
	o->out = NULL;
}

void differential_machine(Config *c)
{
	Diag d = { 0 };
	config_defaults(c);
	must(config_set(c, "sm.count", "2", &d) && config_set(c, "sm.max_warps", "16", &d) &&
		config_set(c, "sm.max_threads_per_block", "512", &d) &&
		config_set(c, "l2.bytes", "32768", &d) && config_set(c, "limits.max_cycles", "100000000",
		&d));
	diag_free(&d);
}

static void say(Outcome *o, Ran how, const char *before, const char *text)
{
	o->how = how;
	snprintf(o->text, sizeof o->text, "%s%.1500s", before, text);
}

void outcome_reference(const Job *j, int warp_size, Outcome *o)
{
	outcome_watched(j, warp_size, NULL, NULL, o);
}

void outcome_watched(const Job *j, int warp_size, void (*watch)(void *, uint32_t, const Function *,
	const Ins *), void *self, Outcome *o)
{
	Image m = image_new(j);
	Launch l = launch_of(j, &m);
	Fault fault = { 0 };
	PrintBuffer printed = { .limit = MOST_PRINTED };
	l.print = &printed;
	*o = (Outcome){ 0 };
	InterpOptions options = { .warp_size = warp_size, .max_steps = REFERENCE_STEPS,
		.thread_instructions = &o->thread_instructions, .watch = watch, .self = self };
	if (interp_launch(&l, &options, &fault))
		collect(j, &m, o);
	else
		say(o, RAN_BADLY, "the reference interpreter: ", fault.text);
	o->printed = hash_of_lines(&printed);
	sb_free(&printed.text);
	image_free(&m);
}

void outcome_machine(const Job *j, const Config *base, const Way *way, Probe *probe, Outcome *o)
{
	Config c = way->config ? *way->config : *base;
	Image m = image_new(j);
	Launch l = launch_of(j, &m);
	Fault fault = { 0 };
	Diag d = { 0 };
	Probe own = { 0 }, *p = probe ? probe : &own;
	PrintBuffer printed = { .limit = MOST_PRINTED };
	l.print = &printed;
	c.model = way->model;
	GpuOptions options = { .functional = way->functional, .window = way->window,
		.try_all = way->try_all, .trace = p->trace };
	*o = (Outcome){ 0 };
	Gpu *g = gpu_new(&c, j->module, m.memory, m.symbol, &options, &d);
	const char *refusal = g ? gpu_refuses(&c, &l) : NULL, *law;
	if (!g)
		say(o, RAN_REFUSED, "", d.item.n ? d.item.v[0].text : "gpu_new failed");
	else if (refusal)
		say(o, RAN_REFUSED, "", refusal);
	else if (!gpu_launch(g, &l, &p->arena, &p->stats, &fault))
		say(o, fault.kind == FAULT_UNSUPPORTED ? RAN_REFUSED : RAN_BADLY, "", fault.text);
	else if ((law = stats_conservation(&p->stats, &c)))
		say(o, RAN_BADLY, "conservation law broken: ", law);
	else
		collect(j, &m, o);
	o->fault = fault.kind;
	o->thread_instructions = p->stats.totals.thread_instructions;
	o->printed = hash_of_lines(&printed);
	sb_free(&printed.text);
	gpu_free(g);
	diag_free(&d);
	arena_free(&own.arena);
	image_free(&m);
}

RandomKernel *random_graph_kernel(uint64_t seed, unsigned kind)
{
	RandomKernel *k = xcalloc(1, sizeof *k);
	char *text = random_graph_text(seed, kind, "u64 in, u64 out, u64 acc, u32 n");
	Diag d = { 0 };
	k->module = ir_read(text, strlen(text), "graph.ir", &d);
	must(k->module && ir_verify(k->module, &d));
	k->kernel = module_find_function(k->module, "k");
	k->grid[0] = k->grid[1] = k->grid[2] = k->block[1] = k->block[2] = 1;
	k->block[0] = k->threads = 32;
	k->features = RF_GRAPH;
	k->out_bytes = 32 * (RANDOM_SLOT_BYTES + 8);
	free(text);
	return k;
}

Module *transformed_for(const Config *c, const Module *m, const char *passes, char *text, size_t n)
{
	Module *t = module_copy(m);
	Diag d = { 0 };
	CostTable cost = c ? config_costs(c) : cost_default;
	MachineLimits limits = c ? config_limits(c) : limits_default;
	if (passes && !pipeline_run(t, passes, &(PassHost){ .cost = &cost, .limits = &limits }, &d)) {
		int k = 0;
		while (k < d.item.n && (d.item.v[k].warning || d.item.v[k].remark))
			k++;
		snprintf(text, n, "passes %s: %s", passes, k < d.item.n ? d.item.v[k].text
			: "failed without a message");
		module_free(t);
		t = NULL;
	}
	diag_free(&d);
	return t;
}

static bool same_bytes(const char *name, const uint8_t *want, const uint8_t *got, size_t n, char *text,
	size_t room, size_t *at)
{
	if (!memcmp(want, got, n))
		return true;
	size_t k = 0, differing = 0;
	while (want[k] == got[k])
		k++;
	for (size_t i = k; i < n; i++)
		differing += want[i] != got[i];
	size_t word = k & ~(size_t)3;
	uint32_t w, h;
	memcpy(&w, want + word, 4);
	memcpy(&h, got + word, 4);
	snprintf(text, room, "%s differs first at byte 0x%zx (word 0x%08x, expected 0x%08x), in %zu bytes",
		name, k, h, w, differing);
	*at = k;
	return false;
}

/* Whose byte of `out` it is. */
static void name_owner(const RandomKernel *k, size_t at, char *text, size_t n)
{
	size_t slots = (size_t)k->threads * RANDOM_SLOT_BYTES, row = at < slots ? 0 : (at - slots) / 8;
	size_t used = strlen(text);
	if (at < slots)
		snprintf(text + used, n - used, "; thread %zu, byte %zu of its slot", at / RANDOM_SLOT_BYTES,
			at % RANDOM_SLOT_BYTES);
	else
		snprintf(text + used, n - used, "; thread %zu, register %zu in the end", row % k->threads,
			row / k->threads);
}

bool outcome_agrees(const RandomKernel *k, const Outcome *want, const Outcome *got, char *text, size_t n)
{
	if (got->how != RAN_WELL) {
		snprintf(text, n, "%s", got->text);
		return false;
	}
	size_t at;
	if (!same_bytes("out", want->out, got->out, k->out_bytes, text, n, &at)) {
		name_owner(k, at, text, n);
		return false;
	}
	if (!same_bytes("acc", want->acc, got->acc, RANDOM_ACC_BYTES, text, n, &at))
		return false;
	if (want->printed != got->printed)
		snprintf(text, n, "other lines are printed");
	return want->printed == got->printed;
}

WayEnd way_end(const Job *j, const Config *c, const Way *way)
{
	Outcome o;
	outcome_machine(j, c, way, NULL, &o);
	WayEnd end = ENDS;
	if (o.how != RAN_WELL && (o.fault == FAULT_LIVELOCK || o.fault == FAULT_BARRIER))
		end = STUCK;
	else if (o.how != RAN_WELL && o.fault == FAULT_LIMIT)
		end = STILL_RUNS;
	outcome_free(&o);
	return end;
}

bool way_agrees(const Job *j, const Config *c, const Way *way, const Outcome *want, bool *refused,
	uint64_t *instructions, char *text, size_t n)
{
	Outcome got;
	if (way->model < 0)
		outcome_reference(j, (int)c->warp_size, &got);
	else
		outcome_machine(j, c, way, NULL, &got);
	if (refused)
		*refused = got.how == RAN_REFUSED;
	if (got.how == RAN_REFUSED)
		snprintf(text, n, "refused: %s", got.text);
	bool ok = got.how == RAN_REFUSED ? true : outcome_agrees(j->shape, want, &got, text, n);
	if (ok && got.how == RAN_WELL && instructions && way->model >= 0) {
		if (*instructions && *instructions != got.thread_instructions) {
			snprintf(text, n, "%llu thread instructions, %llu under the first mechanism",
				(unsigned long long)got.thread_instructions,
				(unsigned long long)*instructions);
			ok = false;
		}
		*instructions = got.thread_instructions;
	}
	outcome_free(&got);
	return ok;
}
