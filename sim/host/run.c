#include "sim/host/run.h"
#include "sim/host/races.h"
#include "sim/host/record.h"
#include "isa/print.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/output.h"
#include <unistd.h>

void run_fail(Run *run, RunStatus status, Loc where, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(run->failure, sizeof run->failure, fmt, ap);
	va_end(ap);
	if (status > run->status)
		run->status = status;
	diag_error(run->diag, where, "%s", run->failure);
}

/* ---- life ---- */

int run_add_buffer(Run *run, uint64_t addr, Type type, uint64_t n, const char *name)
{
	RunBuffer b = { .addr = addr, .n = n, .type = type };
	b.name = name ? arena_strdup(&run->arena, name)
		: arena_printf(&run->arena, "buffer %d", ++run->nanonymous);
	vec_push(&run->buffer, b);
	return run->buffer.n - 1;
}

int run_new_buffer(Run *run, Type t, uint64_t n)
{
	uint64_t size = (uint64_t)type_bytes(t), addr = n > (uint64_t)run->config->memory_limit / size ? 0
		: memory_alloc(run->memory, n * size,
		arena_printf(&run->arena, "buffer %d", run->nanonymous + 1), false);
	return addr ? run_add_buffer(run, addr, t, n, NULL) : -1;
}

int run_find_symbol(const Run *run, const char *name, const char **near)
{
	Vec(const char *) names = { 0 };
	int found = -1;
	for (int i = 0; i < run->buffer.n && found < 0; i++) {
		if (!run->buffer.v[i].symbol)
			continue;
		if (!strcmp(run->buffer.v[i].name, name))
			found = i;
		vec_push(&names, run->buffer.v[i].name);
	}
	*near = found < 0 ? nearest_name(name, names.v, names.n) : NULL;
	vec_free(&names);
	return found;
}

static Type element_type(const Symbol *s)
{
	switch (s->type) {
	case T_B8: case T_PRED: return T_U8;
	case T_B16: case T_F16: return T_U16;
	case T_B32: return T_U32;
	case T_B64: return T_U64;
	default: return (Type)s->type;
	}
}

static void add_symbol_buffers(Run *run)
{
	for (int i = 0; i < run->module->symbol.n; i++) {
		const Symbol *s = run->module->symbol.v[i];
		if (s->space != SP_GLOBAL && s->space != SP_CONST)
			continue;
		Type t = element_type(s);
		int b = run_add_buffer(run, run->symbol_address[i], t, s->size / (uint64_t)type_bytes(t),
			s->name);
		run->buffer.v[b].symbol = true;
		/* addresses may differ from run to run; constants cannot change */
		if (s->reloc.n || s->space == SP_CONST)
			run->buffer.v[b].how = COMPARE_IGNORE;
	}
}

Run *run_new(const Config *config, const Module *m, const RunOptions *options, Diag *diag)
{
	Run *run = xcalloc(1, sizeof *run);
	run->config = config;
	run->module = m;
	run->options = *options;
	run->written = options->written ? options->written : xcalloc(1, sizeof *run->written);
	run->options.gpu.instructions = options->instructions ? &run->instructions : NULL;
	run->diag = diag;
	run->memory = memory_new((uint64_t)config->memory_limit);
	run->symbol_address = arena_array(&run->arena, uint64_t, m->symbol.n);
	if (!memory_load_module(run->memory, m, run->symbol_address)) {
		diag_error(diag, (Loc){ m->name, 0, 0 }, "the module's variables do not fit into "
			"limits.memory_bytes = %lld", (long long)config->memory_limit);
		run_free(run);
		return NULL;
	}
	add_symbol_buffers(run);
	run->recorder = options->record ? record_open(run) : NULL;
	if (options->interval && !options->reference && !options->real_gpu && !options->gpu.functional)
		run->intervals = run->options.gpu.intervals = intervals_new(options->interval);
	if (!options->reference && !options->real_gpu) {
		run->gpu = gpu_new(config, m, run->memory, run->symbol_address, &run->options.gpu, diag);
		if (!run->gpu) {
			run_free(run);
			return NULL;
		}
	}
	return run;
}

static void pending_free(Pending *p)
{
	race_close(p->launch.races);
	free(p);
}

void run_free(Run *run)
{
	record_close(run->recorder);
	if (run->gpu)
		gpu_free(run->gpu);
	memory_free(run->memory);
	for (int i = 0; i < run->pending.n; i++)
		pending_free(run->pending.v[i]);
	run_races_free(run);
	run_sums_free(run);
	intervals_free(run->intervals);
	vec_free(&run->pending);
	vec_free(&run->buffer);
	vec_free(&run->launch);
	vec_free(&run->elsewhere);
	ins_tables_free(&run->instructions);
	for (int i = 0; i < run->saved.n; i++)
		free(run->saved.v[i].data);
	vec_free(&run->saved);
	vec_free(&run->loaded);
	if (run->written != run->options.written) {
		vec_free(run->written);
		free(run->written);
	}
	arena_free(&run->arena);
	free(run);
}

uint8_t *run_data(const Run *run, const RunBuffer *b)
{
	const Alloc *hint = NULL, *a;
	a = memory_find(run->memory, b->addr, b->n * (uint64_t)type_bytes(b->type), &hint);
	return a ? a->data + (b->addr - a->addr) : NULL;
}

/* ---- launches ---- */

static uint64_t volume_of(const uint32_t d[3]) { return (uint64_t)d[0] * d[1] * d[2]; }

/* Why the dimensions are wrong, or NULL. */
static const char *check_launch_dimensions(const Run *run, const Launch *l)
{
	static _Thread_local char text[256];
	const Function *k = l->kernel;
	uint64_t most = (uint64_t)run->config->sm_max_block;
	for (int i = 0; i < 3; i++) {
		if (!l->grid[i] || !l->block[i]) {
			snprintf(text, sizeof text, "%s has size 0 in dimension %c",
				l->grid[i] ? "the block" : "the grid", "xyz"[i]);
			return text;
		}
		if (k->reqntid[0] && l->block[i] != (k->reqntid[i] ? k->reqntid[i] : 1))
			return "the block is not of the size that the kernel requires (reqntid)";
	}
	if (l->block[0] > most || l->block[1] > most || l->block[2] > most || volume_of(l->block) > most) {
		snprintf(text, sizeof text, "a block of %u x %u x %u threads is larger than "
			"sm.max_threads_per_block = %llu", l->block[0], l->block[1], l->block[2],
			(unsigned long long)most);
		return text;
	}
	uint64_t bound = k->maxntid[0] ? (uint64_t)k->maxntid[0] * (k->maxntid[1] ? k->maxntid[1] : 1)
		* (k->maxntid[2] ? k->maxntid[2] : 1) : 0;
	if (bound && volume_of(l->block) > bound)
		return "the block has more threads than the kernel allows (maxntid)";
	if (l->grid[0] > INT32_MAX || l->grid[1] > 65535 || l->grid[2] > 65535)
		return "the grid is larger than 2147483647 x 65535 x 65535 blocks";
	return NULL;
}

void run_fault(Run *run, const Fault *fault, Loc where)
{
	bool refused = fault->kind == FAULT_UNSUPPORTED || fault->kind == FAULT_REFUSED;
	if (!run->fault)
		run->fault = fault->kind;
	if (fault->loc.line)
		where = fault->loc;
	else if (!refused)
		where = (Loc){ 0 };
	run_fail(run, refused ? RUN_BAD_INPUT : RUN_FAILED, where, "%s", fault->text);
}

/* Writes what the kernel printed to where the workload prints. */
static void show_printed(Run *run, Pending *p)
{
	const Launch *l = &p->launch;
	PrintBuffer *b = &p->printed;
	if (b->text.n && run->options.print)
		output_write(run->options.print, b->text.s, b->text.n);
	if (b->lost)
		diag_warning(run->diag, p->where, "kernel %s: the output of %llu calls of printf is lost: a "
			"launch prints at most limits.print_bytes = %lld bytes", l->kernel->name,
			(unsigned long long)b->lost, (long long)run->config->print_limit);
	sb_free(&b->text);
}

/* Checks the laws that hold for all launches together. Returns the one that is broken; NULL: none is. */
static const char *broken_program_law(const Run *run)
{
	Totals all, busy;
	if (!run->gpu || run->options.gpu.functional)
		return NULL;
	all = run_counted(run);
	uint64_t dirtied = all.l2_dirtied + gpu_warm_dirtied(run->gpu), cycles = all.issued;
	for (int k = 0; k < STALL_COUNT; k++)
		cycles += k == STALL_EMPTY ? 0 : all.stalls[k];
	gpu_busy(run->gpu, &busy);
	return all.l2_writebacks > dirtied ? "L2 write-backs <= sectors that became dirty"
		: cycles + busy.stalls[STALL_EMPTY] != busy.slots
		? "scheduler-cycles are issues and stalls of some launch, or without a warp" : NULL;
}

static void check_laws(Run *run, int first)
{
	const char *why = NULL;
	for (int i = first; i < run->launch.n && !why; i++)
		if ((why = stats_conservation(run->launch.v[i], run->config)))
			run_fail(run, RUN_FAILED, (Loc){ 0 }, "kernel %s: a conservation law does not hold: "
				"%s", run->launch.v[i]->kernel, why);
	if (!why && (why = broken_program_law(run)))
		run_fail(run, RUN_FAILED, (Loc){ 0 }, "a conservation law does not hold of all launches "
			"together: %s", why);
}

LaunchStats *run_queue(Run *run, const Launch *given, int stream, Loc where)
{
	Fault fault = { 0 };
	Pending *p = xcalloc(1, sizeof *p);
	Launch *l = &p->launch;
	if (!run->pending.n)
		run_forget(run);
	Arena *arena = run_launch_arena(run);
	*p = (Pending){ .launch = *given, .stats = arena_new(arena, LaunchStats), .where = where,
		.printed = { .limit = (uint64_t)run->config->print_limit } };
	l->params = memcpy(arena_alloc(arena, given->kernel->param_bytes + 1), given->params,
		given->kernel->param_bytes);
	l->print = &p->printed;
	l->module = run->module;
	l->memory = run->memory;
	l->symbol_address = run->symbol_address;
	run_races_open(run, p);
	const char *why = check_launch_dimensions(run, l);
	if (!why && !run->options.real_gpu)
		why = gpu_refuses(run->config, l);
	if (why)
		run_fail(run, RUN_BAD_INPUT, where, "kernel %s: %s", l->kernel->name, why);
	else if (run->gpu && !gpu_queue(run->gpu, l, stream, arena, p->stats, &fault))
		run_fault(run, &fault, where);
	if (why || fault.kind) {
		pending_free(p);
		return NULL;
	}
	p->stats->stream = stream;
	vec_push(&run->pending, p);
	return p->stats;
}

/* Fails the run because a launch failed, or was interrupted (a fault of kind FAULT_NONE). failed: statistics
   of that launch; NULL: the last pending one is named. */
static void fail_launch(Run *run, const LaunchStats *failed, const Fault *fault)
{
	const Pending *p = run->pending.v[run->pending.n - 1];
	for (int i = 0; i < run->pending.n; i++)
		if (run->pending.v[i]->stats == failed)
			p = run->pending.v[i];
	if (fault->kind == FAULT_NONE)
		run_fail(run, RUN_INTERRUPTED, p->where, "interrupted in kernel %s", p->launch.kernel->name);
	else
		run_fault(run, fault, p->where);
}

bool run_sync(Run *run)
{
	Fault fault = { 0 };
	const LaunchStats *failed = NULL;
	int first = run->launch.n;
	if (!run->pending.n)
		return true;
	bool ok = run->gpu ? gpu_sync(run->gpu, run_launch_arena(run), &failed, &fault)
		: run_one_by_one(run, &failed, &fault);
	for (int i = 0; i < run->pending.n; i++) {
		show_printed(run, run->pending.v[i]);
		if (!run->pending.v[i]->stats->kernel)
			continue;      /* the launch had not begun when another one failed */
		vec_push(&run->launch, run->pending.v[i]->stats);
		run_races_found(run, run->pending.v[i]);
		run_add_launch(run, run->pending.v[i]->stats);
	}
	if (!ok)
		fail_launch(run, failed, &fault);
	else if (run->options.laws)
		check_laws(run, first);
	for (int i = 0; i < run->pending.n; i++)
		pending_free(run->pending.v[i]);
	vec_clear(&run->pending);
	return ok;
}

LaunchStats *run_launch(Run *run, const Launch *l, Loc where)
{
	LaunchStats *s = run_queue(run, l, 0, where);
	return s && run_sync(run) ? s : NULL;
}

/* ---- the host side ---- */

const char *run_default_workload(Arena *a, const char *name)
{
	const char *slash = strrchr(name, '/'),
		*dot = strrchr(slash ? slash : name, '.');
	return arena_printf(a, "%.*s.lua", dot ? (int)(dot - name) : (int)strlen(name), name);
}

RunStatus run_module(Run *run)
{
	const char *path = run->options.workload ? run->options.workload : run_default_workload(&run->arena,
		run->module->name);
	if (run_needs_lua(run) || run->options.workload_text || run->options.workload || !access(path, R_OK))
		run_workload(run, path);
	else if (run_host_function(run) && (run->options.size || run->options.list_sizes))
		run_check_sizes(run, run->module->name);
	else if (run_host_function(run))
		run_main(run, NULL);
	else
		run_fail(run, RUN_BAD_INPUT, (Loc){ run->module->name, 0, 0 },
			"nothing launches its kernels: there is neither a workload %s nor a host function "
			"main; --workload names one", path);
	if (run->status == RUN_OK)
		run_fetch(run, NULL, false);
	run_races_judge(run);
	if (run->status != RUN_INTERRUPTED && run_interrupted(run))
		run->status = RUN_INTERRUPTED;
	return run->status;
}
