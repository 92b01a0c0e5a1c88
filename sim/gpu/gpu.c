/* The machine from the first launch that the host has queued to the end of the last: windows of cycles, the order of global accesses, statistics.

   sim/gpu/ advances all SMs (sim/sm/) and the memory system, on several host threads (pool.h). Its interface is sim/gsim.h. */
#include "sim/gpu/gather.h"
#include "sim/gpu/pool.h"
#include "sim/gpu/streams.h"
#include "sim/gpu/warm.h"
#include "sim/mem/mem.h"
#include "sim/sm/sm.h"
#include "sim/stuck/stuck.h"
#include "lib/strbuf.h"
#include <stdio.h>
#include <time.h>

enum { CHECK_CYCLES = 1024 };                /* faults and livelocks of a launch are looked for so often */
#define PARAM_WINDOW 0x0000040000000000u   /* generic address of kernel parameters */

Gpu *gpu_new(const Config *c, const Module *m, Memory *memory, const uint64_t *symbol_address, const GpuOptions *o,
	Diag *diag)
{
	Gpu *g = xcalloc(1, sizeof *g);
	g->config = *c;
	g->module = m;
	g->memory = memory;
	g->symbol_address = symbol_address;
	g->options = *o;
	g->options.turn = o->turn ? o->turn : 2000;
	g->model = reconv_models[c->model];
#ifdef GSIM_CHECKS
	gpu_check_model(g);
#endif
	if (o->trace) {
		tracer_wrap(g);
		g->trace_run = trace_run(o->trace);
	}
	g->code = xcalloc((size_t)m->func.n + 1, sizeof *g->code);
	g->param_address = PARAM_WINDOW;
	g->window = mem_window(c);
	if (o->window && o->window < g->window)
		g->window = o->window;
	if (o->functional)
		return g;
	g->mem = mem_new(c);
	g->smmem = xcalloc((size_t)c->sm_count, sizeof *g->smmem);
	for (int i = 0; i < c->sm_count; i++)
		g->smmem[i] = smmem_new(c, i);
	g->pool = pool_new(g, o->threads);
	return g;
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
	for (int i = 0; i < g->queue.n; i++)
		free(g->queue.v[i]);
	vec_free(&g->queue);
	vec_free(&g->coming);
	vec_free(&g->running);
	vec_free(&g->finished);
	vec_free(&g->tracing);
	if (g->mem)
		mem_free(g->mem);
	for (int i = 0; g->smmem && i < g->config.sm_count; i++)
		smmem_free(g->smmem[i]);
	free(g->smmem);
	free(g);
}

static bool by_priority(LowerFn *l, Diag *diag)
{
	l->priority_layout = true;
	return true;
}

/* Where jumps take no time the layout is free: that of the two is taken that needs fewer registers, so that no mechanism that lays blocks
   out by priority has more of them resident. */
static Code *lower_kernel(const Gpu *g, const Function *kernel, Diag *diag)
{
	Code *c = code_lower(g->module, kernel, &g->config, g->model->lower, g->model->own, g->symbol_address, diag);
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
		code->first_line = g->lines;
		g->lines += ((uint64_t)code->n * (uint64_t)c->fetch_ins_bytes + (uint64_t)c->fetch_line - 1) / (uint64_t)c->fetch_line;
	}
	return code;
}

/* ---- what a launch needs ---- */

static int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

const char *gpu_refuses(const Config *c, const Launch *l)
{
	static _Thread_local char text[256];
	uint64_t threads = threads_of(l);
	if (!threads || !l->grid[0] || !l->grid[1] || !l->grid[2]) {
		snprintf(text, sizeof text, "the grid or the block has a dimension of 0");
		return text;
	}
	if (threads > (uint64_t)c->sm_max_block) {
		snprintf(text, sizeof text, "a block of %llu threads is larger than sm.max_threads_per_block = %lld",
			(unsigned long long)threads, (long long)c->sm_max_block);
		return text;
	}
	if ((threads + (uint64_t)c->warp_size - 1) / (uint64_t)c->warp_size > (uint64_t)c->sm_max_warps) {
		snprintf(text, sizeof text, "a block of %llu threads needs more than sm.max_warps = %lld warps of %lld lanes",
			(unsigned long long)threads, (long long)c->sm_max_warps, (long long)c->warp_size);
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
		snprintf(text, sizeof text, "a block needs %lld bytes of shared memory; sm.max_shared_per_block = %lld",
			(long long)shared, (long long)c->sm_max_shared);
		return text;
	}
	return NULL;
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
		fault_text(fault, FAULT_UNSUPPORTED, "kernel %s: a block needs %lld registers (%d a thread), an SM has %lld",
			l->kernel->name, (long long)(x->regs_per_warp * x->warps_per_cta), code->regs, (long long)c->sm_registers);
		return false;
	}
	if (code->frame > c->sm_local) {
		fault_text(fault, FAULT_UNSUPPORTED, "kernel %s: a thread needs %u bytes of local memory; sm.local_bytes = %lld",
			l->kernel->name, code->frame, (long long)c->sm_local);
		return false;
	}
	return true;
}

/* ---- traces ---- */

static void trace_begin(const Gpu *, const Grid *);

/* A trace has one launch after the other, in the order in which they began. Events of those that run beside an earlier one are kept until it has ended. */
static void write_kept(Gpu *g)
{
	while (g->tracing.n) {
		Grid *x = g->tracing.v[0];
		if (!x->in_trace)
			trace_begin(g, x);
		for (int i = 0; i < x->kept.n; i++)
			trace_event(g->options.trace, &x->kept.v[i]);
		vec_free(&x->kept);
		x->in_trace = true;
		if (!x->traced)
			return;
		memmove(g->tracing.v, g->tracing.v + 1, sizeof *g->tracing.v * (size_t)--g->tracing.n);
	}
}

static void put_event(const Gpu *g, Grid *x, const TraceEvent *e)
{
	if (x->in_trace)
		trace_event(g->options.trace, e);
	else
		vec_push(&x->kept, *e);
}

/* The grid's events in the order (cycle, SM), those of before `end` that have been known in advance among them. */
static void flush_grid(const Gpu *g, Grid *x, Cycle end)
{
	int n = (int)g->config.sm_count;
	int at[n];
	memset(at, 0, sizeof at);
	for (int i = 0; i < n; i++)
		tracer_merge(&x->share[i], end);
	for (;;) {
		uint64_t cycle = NEVER;
		for (int i = 0; i < n; i++)
			if (at[i] < x->share[i].events.n && x->share[i].events.v[at[i]].cycle < cycle)
				cycle = x->share[i].events.v[at[i]].cycle;
		if (cycle == NEVER)
			break;
		for (int i = 0; i < n; i++)
			for (; at[i] < x->share[i].events.n && x->share[i].events.v[at[i]].cycle == cycle; at[i]++)
				put_event(g, x, &x->share[i].events.v[at[i]]);
	}
	for (int i = 0; i < n; i++)
		vec_clear(&x->share[i].events);
}

static void flush_trace(Gpu *g)
{
	for (int i = 0; i < g->running.n && g->options.trace; i++)
		flush_grid(g, g->running.v[i], g->now);
}

static void trace_begin(const Gpu *g, const Grid *grid)
{
	const Code *c = grid->code;
	Arena a = { 0 };
	TraceIns *ins = arena_array(&a, TraceIns, c->n + 1);
	for (int i = 0; i < c->n; i++) {
		const MIns *m = &c->ins[i];
		StrBuf b = { 0 };
		code_print_ins(c, (uint32_t)i, &b);
		ins[i] = (TraceIns){ .function = m->function->name, .block = m->from->label,
			.text = arena_strdup(&a, b.s ? b.s : ""), .block_start = m->flags & MI_BLOCK_START,
			.branch = m->flags & MI_COND, .overhead = m->flags & MI_OVERHEAD, .inserted = m->flags & MI_INSERTED };
		if (m->src) {
			Loc loc = ins_loc(c->module, m->src);
			ins[i].file = loc.file;
			ins[i].line = loc.line;
		}
		sb_free(&b);
	}
	const Launch *l = grid->launch;
	char hash[CONFIG_HASH];
	trace_launch(g->options.trace, &(TraceLaunch){ .kernel = l->kernel->name,
		.machine = g->options.machine ? g->options.machine : "(defaults)", .model = g->model->name,
		.configuration = config_hash_text(&g->config, hash), .changed = g->options.changed, .passes = g->options.passes,
		.grid = { l->grid[0], l->grid[1], l->grid[2] }, .block = { l->block[0], l->block[1], l->block[2] },
		.warp_size = warp_width(g), .sms = (int)g->config.sm_count, .nins = c->n, .ins = ins, .timed = !g->options.functional,
		.schedulers = (int)g->config.sched_count, .nreasons = STALL_COUNT, .reason = stall_name,
		.run = g->trace_run, .stream = grid->stream, .started = g->options.functional ? 0 : grid->begin });
	arena_free(&a);
}

void trace_grid(Gpu *g, Grid *x)
{
	vec_push(&g->tracing, x);
	write_kept(g);
}

void gpu_disassemble(const Gpu *g, const Function *kernel, StrBuf *b, Diag *diag)
{
	Diag own = { 0 }; /* of this kernel */
	Code *c = lower_kernel(g, kernel, &own);
	for (int i = 0; i < own.item.n; i++)
		diag_error(diag, own.item.v[i].loc, "%s", own.item.v[i].text);
	diag_free(&own);
	if (c)
		code_print(c, b);
	code_free(c);
}

/* ---- faults ---- */

typedef struct Failure { Fault fault; Grid *grid; } Failure;   /* what has ended the run, and in which grid */

static bool take_fault(Gpu *g, Failure *out)
{
	int first = -1;
	for (int i = 0; i < g->config.sm_count; i++)
		if (g->sm[i].fault.kind && (first < 0 || g->sm[i].fault_cycle < g->sm[first].fault_cycle))
			first = i;
	if (first >= 0)
		*out = (Failure){ g->sm[first].fault, g->sm[first].fault_grid };
	return first >= 0;
}

/* ---- the machine ---- */

/* Global data accesses of the window, in the order (cycle, SM, sequence). */
static void apply_in_order(Gpu *g)
{
	int n = (int)g->config.sm_count;
	int at[n];
	memset(at, 0, sizeof at);
	for (;;) {
		int first = -1;
		for (int i = 0; i < n; i++) {
			Sm *sm = &g->sm[i];
			while (at[i] < sm->deferred.n && !sm->deferred.v[at[i]].mask)
				at[i]++;
			if (at[i] < sm->deferred.n && (first < 0 ||
				sm->deferred.v[at[i]].cycle < g->sm[first].deferred.v[at[first]].cycle))
				first = i;
		}
		if (first < 0)
			return;
		deferred_apply(&g->sm[first], &g->sm[first].deferred.v[at[first]++]);
	}
}

static bool interrupted(const Gpu *g) { return g->options.interrupted && *g->options.interrupted; }

static uint64_t issues(const Gpu *g)
{
	uint64_t n = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		n += g->sm[i].issues;
	return n;
}

/* The cycle behind which a grid has run too long; NEVER: there is no limit. The one that began first reaches it first. */
static Cycle last_cycle(const Gpu *g)
{
	return g->config.max_cycles && g->running.n ? g->running.v[0]->begin + (Cycle)g->config.max_cycles : NEVER;
}

static void too_long(const Gpu *g, Failure *out)
{
	out->grid = g->running.v[0];
	fault_text(&out->fault, FAULT_LIMIT, "kernel %s has run for limits.max_cycles = %lld cycles", out->grid->launch->kernel->name,
		(long long)g->config.max_cycles);
}

/* What is asked of the machine as a whole, when every SM has come to `now` and the next event is at `start`. True: it ends here, out says why. */
static bool check_machine(Gpu *g, Cycle now, Cycle start, Failure *out)
{
	Cycle last = last_cycle(g);
	if (start > last) {
		streams_come_to(g, last);
		if (!take_fault(g, out))
			too_long(g, out);
		return true;
	}
	if (now <= g->looked)
		return false;
	streams_come_to(g, now);
	g->now = g->looked = now;
	return take_fault(g, out) || livelock_check(g, &out->fault, &out->grid);
}

/* The first cycle at which something can happen; PENDING or more: nothing can. */
static Cycle next_event(const Gpu *g)
{
	Cycle first = g->next_grid;
	for (int i = 0; i < g->config.sm_count; i++) {
		Cycle t = sm_next(&g->sm[i]);
		first = t < first ? t : first;
	}
	return first;
}

static Cycle last_check(const Gpu *g, Cycle now) { return now - (now - g->begin) % CHECK_CYCLES; }
static Cycle next_check(const Gpu *g, Cycle now) { return last_check(g, now) + CHECK_CYCLES; }

/* SMs run side by side from `start` on: no longer than what they do to each other takes, nor past a grid's begin, the next check or the last cycle. */
static Cycle window_end(const Gpu *g, Cycle start)
{
	Cycle stop = next_check(g, start), last = last_cycle(g), end = start + streams_window(g, g->window);
	stop = g->next_grid < stop ? g->next_grid : stop;
	if (stop > last)
		stop = start <= last ? last + 1 : stop;
	return end < stop ? end : stop;
}

/* What SMs have done in the window becomes known to all. */
static void exchange(Gpu *g)
{
	int n = (int)g->config.sm_count;
	apply_in_order(g);
	mem_drain(g->mem, g->smmem, n);
	for (int i = 0; i < n; i++)
		sm_settle(&g->sm[i]);
	flush_trace(g);
	streams_dispatch(g);
}

static void close_finished(Gpu *);

static bool timed_run(Gpu *g, Failure *out)
{
	bool ok = false;
	Cycle last = g->begin;         /* begin of the window before */
	streams_open(g);
	for (uint64_t round = 0; !interrupted(g); round++) {
		if (!streams_left(g)) {
			ok = !take_fault(g, out);
			break;
		}
		Cycle start = next_event(g);
		if (start >= PENDING) {
			streams_come_to(g, next_check(g, last));
			if (!take_fault(g, out))
				deadlock_report(g, &out->fault, &out->grid);
			break;
		}
		if (check_machine(g, last_check(g, start), start, out))
			break;
		if (start >= g->next_grid)
			streams_advance(g, start);
		last = start;
		g->now = window_end(g, start);
		pool_run(g->pool, g->now);
		exchange(g);
		close_finished(g);
		if (g->options.progress && (round & 1023) == 0)
			g->options.progress(g->options.self, g->now, issues(g));
	}
	pool_launch_ends(g->pool);
	return ok;
}

/* A turn of an SM's warps; false: more than the run may issue. */
static bool functional_turn(Gpu *g, Sm *sm, bool *moved)
{
	uint64_t before = sm->issues, *left = g->options.issues_left;
	*moved |= functional_round(sm);
	uint64_t n = sm->issues - before;
	if (!left)
		return true;
	*left -= n < *left ? n : *left;
	return *left > 0;
}

static bool functional_run(Gpu *g, Grid *x, Failure *out)
{
	const Function *kernel = x->launch->kernel;
	out->grid = x;
	streams_begin(g, x);
	for (uint64_t round = 0;; round++) {
		streams_dispatch(g);
		bool moved = false, resident = false, within = true;
		for (int i = 0; i < g->config.sm_count; i++)
			if (g->sm[i].resident) {
				resident = true;
				within = within && functional_turn(g, &g->sm[i], &moved);
			}
		if (g->options.trace)
			flush_grid(g, x, NEVER);
		if (!resident)
			return true;
		for (int i = 0; i < g->config.sm_count; i++)
			g->now = g->sm[i].now > g->now ? g->sm[i].now : g->now;
		if (take_fault(g, out) || livelock_check(g, &out->fault, &out->grid) || interrupted(g))
			return false;
		if (!within) {
			fault_text(&out->fault, FAULT_LIMIT, "kernel %s has issued as many instructions as it may", kernel->name);
			return false;
		}
		if (!moved) {
			deadlock_report(g, &out->fault, &out->grid);
			return false;
		}
		if (g->config.max_cycles && g->now - g->begin > (Cycle)g->config.max_cycles) {
			fault_text(&out->fault, FAULT_LIMIT, "kernel %s has issued limits.max_cycles = %lld instructions",
				kernel->name, (long long)g->config.max_cycles);
			return false;
		}
		if (g->options.progress && (round & 15) == 0)
			g->options.progress(g->options.self, g->now, g->now);
	}
}

static void measure_grid(Gpu *g, Grid *x)
{
	if (g->options.trace) {
		flush_grid(g, x, NEVER);
		x->traced = true;
		write_kept(g);
	}
	gather(g, x, g->out);
}

static void free_grid(const Gpu *g, Grid *x)
{
	for (int i = 0; i < g->config.sm_count; i++)
		share_free(&x->share[i]);
	arena_free(&x->arena);
	x->share = NULL;
}

/* Of a run that failed, warps of all of them are still there. */
static void close_finished(Gpu *g)
{
	for (int i = 0; i < g->finished.n; i++)
		measure_grid(g, g->finished.v[i]);
	for (int i = 0; i < g->finished.n; i++)
		free_grid(g, g->finished.v[i]);
	vec_clear(&g->finished);
}

static double now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void open_machine(Gpu *g, Cycle begin)
{
	const Config *c = &g->config;
	g->begin = g->now = g->looked = begin;
	g->next_grid = NEVER;
	g->sm = arena_array(&g->arena, Sm, c->sm_count);
	for (int i = 0; i < c->sm_count; i++)
		sm_create(g, &g->sm[i], i);
	g->writes = 0;
	livelock_start(g);
}

/* What ran until now has been measured until now. */
static void close_machine(Gpu *g)
{
	Cycle end = g->begin;
	for (int i = 0; i < g->config.sm_count; i++)
		end = g->sm[i].now > end ? g->sm[i].now : end;
	if (g->options.functional)
		g->ended = end;
	for (int i = 0; i < g->running.n; i++)
		vec_push(&g->finished, g->running.v[i]);
	streams_stop(g, end);
	close_finished(g);
	for (int i = 0; i < g->config.sm_count; i++)
		sm_destroy(&g->sm[i]);
	g->sm = NULL;
	arena_free(&g->arena);
}

/* Without time: one grid after the other, in the order of the calls. */
static bool functional_runs(Gpu *g, Failure *out)
{
	bool ok = true;
	for (int i = 0; ok && i < g->queue.n; i++) {
		g->queue.v[i]->begin = g->ended;
		open_machine(g, g->ended);
		ok = functional_run(g, g->queue.v[i], out);
		close_machine(g);
	}
	return ok;
}

static bool timed_runs(Gpu *g, Failure *out)
{
	open_machine(g, g->queue.v[0]->called + (Cycle)g->config.launch_latency);
	bool ok = timed_run(g, out);
	close_machine(g);
	g->ended = g->last_gone;
	g->host = g->host > g->ended ? g->host : g->ended;
	return ok;
}

/* False: it has failed, and stands as the run. */
static bool warm_up(Gpu *g, Failure *out)
{
	Warm *before = warm_begin(g);
	bool ok = timed_runs(g, out);
	warm_end(g, before, ok);
	return ok;
}

/* The latest grid called before of which it is known that this one waits for it: of the stream, or of the default stream. */
static Grid *latest(const Gpu *g, int stream)
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
	Grid x = { .launch = l, .stats = st, .stream = stream, .code = code_for(g, l->kernel, &diag), .begin = NEVER, .end = NEVER, .gone = NEVER };
	const char *refused = x.code ? gpu_refuses(&g->config, l) : diag.item.n ? diag.item.v[0].text : "cannot be lowered";
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
	if (!g->queue.n)
		g->room = (Room){ 0 };
	room_for(&g->room, &x);
	x.number = ++g->launches;
	x.param_base = streams_parameters(g);
	x.called = g->host;
	x.after[0] = latest(g, stream);
	x.after[1] = latest(g, 0);
	g->host += (Cycle)g->config.launch_overhead;
	Grid *own = xcalloc(1, sizeof *own);
	*own = x;
	vec_push(&g->queue, own);
	return true;
}

bool gpu_sync(Gpu *g, Arena *a, const LaunchStats **failed, Fault *fault)
{
	Failure out = { 0 };
	double start = now_seconds();
	*fault = (Fault){ 0 };
	*failed = NULL;
	if (!g->queue.n)
		return true;
	g->out = a;
	bool ok = g->options.functional ? functional_runs(g, &out) : (!g->config.launch_warm || warm_up(g, &out)) && timed_runs(g, &out);
	*fault = out.fault;
	*failed = out.grid ? out.grid->stats : NULL;
	double each = (now_seconds() - start) / g->queue.n;
	for (int i = 0; i < g->queue.n; i++) {
		g->queue.v[i]->stats->seconds = g->queue.v[i]->begun ? each : 0;
		free(g->queue.v[i]);
	}
	vec_clear(&g->queue);
	vec_clear(&g->coming);
	return ok;
}

bool gpu_launch(Gpu *g, const Launch *l, Arena *a, LaunchStats *st, Fault *fault)
{
	const LaunchStats *failed;
	return gpu_queue(g, l, 0, a, st, fault) && gpu_sync(g, a, &failed, fault);
}

void gpu_busy(const Gpu *g, LaunchStats *total)
{
	total->cycles = g->busy;
	total->slots = g->busy * (Cycle)g->config.sched_count * (Cycle)g->config.sm_count;
	total->stalls[STALL_EMPTY] = g->empty;
}

uint64_t gpu_warm_dirtied(const Gpu *g) { return g->warm_dirtied; }

void gpu_flush(Gpu *g)
{
	if (!g->mem)
		return;
	mem_empty(g->mem);
	for (int i = 0; i < g->config.sm_count; i++)
		smmem_empty(g->smmem[i]);
}

