/* The machine as the host sees it: the host makes it, gives it launches and runs it until all have ended.

   sim/gpu/ advances all SMs (sim/sm/) and the memory system, on several host threads (pool.h), and gives
   blocks of grids to SMs (streams.h). It may include all folders of sim/ but sandbox, host and report. Its
   interface is sim/launcher.h. */
#include "sim/code/lower_fn.h"
#include "sim/gpu/order.h"
#include "sim/gpu/pool.h"
#include "sim/gpu/run.h"
#include "sim/gpu/sampled.h"
#include "sim/gpu/streams.h"
#include "sim/gpu/waits.h"
#include "sim/gpu/warm.h"
#include "sim/sm/sm.h"
#include "lib/strbuf.h"
#include "lib/number.h"
#include <stdio.h>
#include <time.h>

#define PARAM_WINDOW 0x0000040000000000u   /* generic address of kernel parameters */

Gpu *gpu_new(const Config *c, const Module *m, Memory *memory, const uint64_t *symbol_address,
	const GpuOptions *o, Diag *diag)
{
	Gpu *g = xcalloc(1, sizeof *g);
	g->config = *c;
	config_complete_units(&g->config);
	g->module = m;
	g->memory = memory;
	g->symbol_address = symbol_address;
	g->options = *o;
	g->options.turn = o->turn ? o->turn : 2000;
	g->model = reconv_model((int)c->model);
#ifdef GSIM_CHECKS
	gpu_check_model(g);
#endif
	if (o->trace) {
		config_hash_text(c, g->hash);
		tracer_wrap(g);
		g->trace_run = trace_run(o->trace);
	}
	g->code = xcalloc((size_t)m->func.n + 1, sizeof *g->code);
	g->sm = xcalloc((size_t)c->sm_count, sizeof *g->sm);
	g->order = xcalloc(1, sizeof *g->order);
	g->had_block = xcalloc((size_t)c->sm_count, sizeof *g->had_block);
	g->param_address = PARAM_WINDOW;
	g->window = mem_window(c);
	if (o->window && o->window < g->window)
		g->window = o->window;
	if (o->functional)
		return g;
	g->mem = mem_new(c);
	g->smmem = xcalloc((size_t)c->sm_count, sizeof *g->smmem);
	g->draining = xcalloc((size_t)c->sm_count, sizeof *g->draining);
	g->pool = pool_new(g, o->threads);
	return g;
}

static void clear_queue(Gpu *g)
{
	for (int i = 0; i < g->queue.n; i++) {
		vec_free(&g->queue.v[i]->events);
		if (g->queue.v[i]->workspace)
			memory_release(g->memory, g->queue.v[i]->workspace);
		free(g->queue.v[i]);
	}
	vec_clear(&g->queue);
	waits_clear(g);
}

void gpu_free(Gpu *g)
{
	if (!g)
		return;
	if (g->pool)
		pool_free(g->pool);
	for (int i = 0; i < g->module->func.n; i++)
		code_free(g->code[i]);
	free(g->code);
	clear_queue(g);
	vec_free(&g->queue);
	waits_free(g);
	vec_free(&g->coming);
	vec_free(&g->running);
	vec_free(&g->finished);
	vec_free(&g->tracing);
	if (g->mem)
		mem_free(g->mem);
	for (int i = 0; g->smmem && i < g->config.sm_count; i++)
		smmem_free(g->smmem[i]);
	free(g->smmem);
	free(g->draining);
	for (int i = 0; i < g->config.sm_count; i++)
		sm_destroy(&g->sm[i]);
	free(g->sm);
	vec_free(&g->made);
	vec_free(&g->active);
	vec_free(&g->order->turn);
	free(g->order);
	free(g->had_block);
	free(g);
}

static bool by_priority(LowerFn *l, Diag *diag)
{
	l->priority_layout = true;
	return true;
}

/* Lowers the kernel. Under a mechanism with ReconvModel.own_slots jumps take no time, so any order of the
   blocks is as good: the kernel is lowered in the mechanism's order and in the order by priority, and the
   code that needs fewer registers is taken. So no mechanism that orders blocks by priority can have more
   thread blocks resident. */
static Code *lower_kernel(const Gpu *g, const Function *kernel, Diag *diag)
{
	Code *c = code_lower(g->module, kernel, &g->config, g->model->lower, g->model->own, g->symbol_address,
		diag);
	if (!c || !g->model->own_slots)
		return c;
	Code *other = code_lower(g->module, kernel, &g->config, by_priority, NULL, g->symbol_address, diag);
	bool fewer = other && other->regs < c->regs;
	code_free(fewer ? c : other);
	return fewer ? other : c;
}

static const Code *code_for(Gpu *g, const Function *kernel, Diag *diag)
{
	const Config *c = &g->config;
	Code *code = g->code[kernel->id];
	if (code)
		return code;
	code = g->code[kernel->id] = lower_kernel(g, kernel, diag);
	if (code) {
		code->meeting = kernel_grid_barrier(g->module, kernel);
		code->first_line = g->lines;
		g->lines += ((uint64_t)code->n * (uint64_t)c->fetch_ins_bytes + (uint64_t)c->fetch_line -
			1) / (uint64_t)c->fetch_line;
	}
	return code;
}

/* ---- what a launch needs ---- */

const char *gpu_refuses(const Config *c, const Launch *l)
{
	static _Thread_local char text[256];
	uint64_t threads = threads_of(l);
	if (!threads || !l->grid[0] || !l->grid[1] || !l->grid[2]) {
		snprintf(text, sizeof text, "the grid or the block has a dimension of 0");
		return text;
	}
	if (threads > (uint64_t)c->sm_max_block) {
		snprintf(text, sizeof text, "a block of %llu threads is larger than sm.max_threads_per_block "
			"= %lld", (unsigned long long)threads, (long long)c->sm_max_block);
		return text;
	}
	if ((threads + (uint64_t)c->warp_size - 1) / (uint64_t)c->warp_size > (uint64_t)c->sm_max_warps) {
		snprintf(text, sizeof text, "a block of %llu threads needs more than sm.max_warps = %lld "
			"warps of %lld lanes", (unsigned long long)threads, (long long)c->sm_max_warps,
			(long long)c->warp_size);
		return text;
	}
	if ((uint64_t)l->grid[0] * l->grid[1] > (1ull << 62) / l->grid[2]) {
		snprintf(text, sizeof text, "the grid has too many blocks");
		return text;
	}
	int64_t *offset = xcalloc((size_t)l->module->symbol.n + 1, sizeof *offset);
	int64_t shared = (int64_t)layout_shared(l->module, l->kernel, offset) + l->dynamic_shared;
	free(offset);
	if (shared > c->sm_max_shared || round_up(shared, c->sm_shared_unit) > c->sm_shared) {
		snprintf(text, sizeof text, "a block needs %lld bytes of shared memory; "
			"sm.max_shared_per_block = %lld", (long long)shared, (long long)c->sm_max_shared);
		return text;
	}
	return NULL;
}

/* False, with the fault filled in: all blocks of the grid must be resident at once, and the machine has no
   room for that. */
static bool all_fit(const Config *c, Grid *x, Fault *fault)
{
	uint64_t most = (uint64_t)(sm_capacity(c, x, &x->limit) * c->sm_count);
	if (x->ctas <= most || !x->together)
		return true;
	if (x->code->meeting)
		fault->loc = ins_loc(x->launch->module, x->code->meeting);
	fault_text(fault, FAULT_UNSUPPORTED, "kernel %s: %s: %llu blocks, %llu can be resident on this "
		"machine (limited by %s)", x->launch->kernel->name,
		x->code->meeting ? WORDS_MEETS : WORDS_COOPERATIVE, (unsigned long long)x->ctas,
		(unsigned long long)most, x->limit);
	return false;
}

static bool size_up(const Config *c, Grid *x, Fault *fault)
{
	const Launch *l = x->launch;
	const Code *code = x->code;
	x->warps_per_cta = (int)((threads_of(l) + (uint64_t)c->warp_size - 1) / (uint64_t)c->warp_size);
	x->regs_per_warp = round_up((int64_t)(code->regs ? code->regs : 1) * c->warp_size, c->sm_reg_unit);
	x->shared_per_cta = round_up((int64_t)code->shared_static + l->dynamic_shared, c->sm_shared_unit);
	x->ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	if (x->regs_per_warp * x->warps_per_cta > c->sm_registers) {
		fault_text(fault, FAULT_UNSUPPORTED, "kernel %s: a block needs %lld registers (%d a thread), "
			"an SM has %lld", l->kernel->name, (long long)(x->regs_per_warp * x->warps_per_cta),
			code->regs, (long long)c->sm_registers);
		return false;
	}
	if (code->frame > c->sm_local) {
		fault_text(fault, FAULT_UNSUPPORTED, "kernel %s: a thread needs %u bytes of local memory; "
			"sm.local_bytes = %lld", l->kernel->name, code->frame, (long long)c->sm_local);
		return false;
	}
	x->together = code->meeting || l->cooperative;
	return all_fit(c, x, fault);
}

static double now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void gpu_disassemble(const Gpu *g, const Function *kernel, StrBuf *b, Diag *diag)
{
	Diag own = { 0 }; /* messages about this kernel only */
	Code *c = lower_kernel(g, kernel, &own);
	for (int i = 0; i < own.item.n; i++)
		diag_error(diag, own.item.v[i].loc, "%s", own.item.v[i].text);
	diag_free(&own);
	if (c)
		code_print(c, b);
	code_free(c);
}

/* ---- launches ---- */

/* Runs all queued launches once to warm the caches, and undoes everything else. False: this run has failed;
   it is not undone, and its results and statistics are those of the launches. */
static bool warm_up(Gpu *g, Failure *out)
{
	Warm *before = warm_begin(g);
	bool ok = run_timed(g, out);
	warm_end(g, before, ok);
	return ok;
}

/* The grid of the stream that was queued last, or NULL. A grid that is queued now waits for the latest grid
   of its own stream and for the latest one of the default stream. */
static Grid *latest_grid(const Gpu *g, int stream)
{
	for (int i = g->queue.n - 1; i >= 0; i--)
		if (g->queue.v[i]->stream == stream)
			return g->queue.v[i];
	return NULL;
}

bool gpu_queue(Gpu *g, const Launch *l, int stream, Arena *a, LaunchStats *st, Fault *fault)
{
	Diag diag = { 0 };
	*fault = (Fault){ 0 };
	*st = (LaunchStats){ 0 };
	Grid x = { .launch = l, .stats = st, .stream = stream, .code = code_for(g, l->kernel, &diag),
		.begin = NEVER, .end = NEVER, .gone = NEVER };
	const char *refused = x.code ? gpu_refuses(&g->config, l) : diag.item.n ? diag.item.v[0].text
		: "cannot be lowered";
	if (refused) {
		fault_text(fault, FAULT_UNSUPPORTED, "kernel %s: %s", l->kernel->name, refused);
		if (!x.code && diag.item.n) {
			fault->loc = diag.item.v[0].loc;
			fault->loc.file = fault->loc.file ? arena_strdup(a, fault->loc.file) : NULL;
		}
	}
	diag_free(&diag);
	if (refused || !size_up(&g->config, &x, fault))
		return false;
	x.workspace = l->cooperative ? workspace_new(l) : 0;
	if (l->cooperative && !x.workspace) {
		fault_text(fault, FAULT_LIMIT, "kernel %s: no memory is left for the grid's workspace",
			l->kernel->name);
		return false;
	}
	if (!g->queue.n)
		g->room = (Room){ 0 };
	room_for(&g->room, &x, g->model);
	x.number = ++g->launches;
	x.param_base = streams_parameters(g);
	x.called = g->host;
	x.after[0] = latest_grid(g, stream);
	x.after[1] = latest_grid(g, 0);
	g->host += (Cycle)g->config.launch_overhead;
	Grid *own = xcalloc(1, sizeof *own);
	*own = x;
	waits_take(g, own);
	vec_push(&g->queue, own);
	return true;
}

void gpu_record(Gpu *g, int event, int stream) { waits_record(g, event, stream); }
void gpu_wait(Gpu *g, int stream, int event) { waits_wait(g, stream, event); }

bool gpu_sync(Gpu *g, Arena *a, const LaunchStats **failed, Fault *fault)
{
	Failure out = { 0 };
	double start = now_seconds();
	*fault = (Fault){ 0 };
	*failed = NULL;
	if (!g->queue.n)
		return true;
	g->out = a;
	bool ok = g->options.functional ? run_functional(g, &out)
		: g->options.sample > 0 ? sampled_run(g, &out)
		: (!g->config.launch_warm || warm_up(g, &out)) && run_timed(g, &out);
	*fault = out.fault;
	*failed = out.grid ? out.grid->stats : NULL;
	double each = (now_seconds() - start) / g->queue.n;
	for (int i = 0; i < g->queue.n; i++)
		g->queue.v[i]->stats->totals.seconds = g->queue.v[i]->begun ? each : 0;
	clear_queue(g);
	vec_clear(&g->coming);
	return ok;
}

bool gpu_launch(Gpu *g, const Launch *l, Arena *a, LaunchStats *st, Fault *fault)
{
	const LaunchStats *failed;
	return gpu_queue(g, l, 0, a, st, fault) && gpu_sync(g, a, &failed, fault);
}

void gpu_busy(const Gpu *g, Totals *total)
{
	total->cycles = g->busy;
	total->slots = g->busy * (Cycle)g->config.sched_count * (Cycle)g->config.sm_count;
	total->stalls[STALL_EMPTY] = g->empty;
	total->sms_used = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		total->sms_used += g->had_block[i];
}

uint64_t gpu_warm_dirtied(const Gpu *g) { return g->warm_dirtied; }

/* Empties the caches. L1s and constant caches need nothing: each is empty when a launch begins. */
void gpu_flush(Gpu *g)
{
	if (!g->mem)
		return;
	mem_empty(g->mem);
	for (int i = 0; i < g->config.sm_count; i++)
		if (g->smmem[i])
			smmem_flush(g->smmem[i]);
}

