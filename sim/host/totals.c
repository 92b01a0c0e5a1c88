/* The statistics of many launches together. Each launch is added to the sum of its kernel when it has ended;
   a run's total is what these sums add up to, and nothing else adds launches up. If reports need sums only
   (RunOptions.sums), launches that no report names are forgotten when others follow them. */
#include "sim/host/run.h"

struct KernelSum { LaunchStats stats; TableSums tables; };

/* ---- kernels ---- */

/* Makes the sum of a kernel's launches, without any. What is not added up is that of the first launch. */
static KernelSum *new_sum(Run *run, const LaunchStats *first)
{
	KernelSum *sum = arena_new(&run->arena, KernelSum);
	sum->tables.arena = &run->arena;
	sum->stats = *first;
	sum->stats.kernel = arena_strdup(&run->arena, first->kernel);
	sum->stats.totals = (Totals){ 0 };
	sum->stats.behind = sum->stats.nbetween = 0;
	sum->stats.between_stats = NULL;
	sum->stats.diagnosis = NULL;
	strmap_put(&run->kernel_at, sum->stats.kernel, run->kernel.n);
	vec_push(&run->kernel, sum);
	return sum;
}

void run_add_launch(Run *run, const LaunchStats *s)
{
	int at = strmap_get(&run->kernel_at, s->kernel);
	KernelSum *sum = at < 0 ? new_sum(run, s) : run->kernel.v[at];
	totals_add(&sum->stats.totals, &s->totals);
	tables_add(&sum->tables, &s->tables, run->ended++);
	sum->stats.tables = tables_of(&sum->tables);
	sum->stats.completed &= s->completed;
	sum->stats.started = s->started < sum->stats.started ? s->started : sum->stats.started;
	run->total = NULL;
}

void run_sums_free(Run *run)
{
	for (int i = 0; i < run->kernel.n; i++)
		tables_free(&run->kernel.v[i]->tables);
	tables_free(&run->all_tables);
	vec_free(&run->kernel);
	strmap_free(&run->kernel_at);
	arena_free(&run->passing);
}

int run_kernels(const Run *run) { return run->kernel.n; }
const LaunchStats *run_kernel(const Run *run, int i) { return &run->kernel.v[i]->stats; }

/* ---- launches that are forgotten ---- */

static bool forgets(const Run *run)
{
	const RunOptions *o = &run->options;
	return o->sums && !o->races && !o->race_launches && !run->intervals;
}

Arena *run_launch_arena(Run *run)
{
	return forgets(run) && run->launch.n >= LISTED_LAUNCHES ? &run->passing : &run->arena;
}

void run_forget(Run *run)
{
	if (!forgets(run) || run->status != RUN_OK || run->launch.n <= LISTED_LAUNCHES)
		return;
	run->launch.n = LISTED_LAUNCHES;
	arena_free(&run->passing);
}

/* ---- all launches ---- */

Totals run_counted(const Run *run)
{
	Totals all = { 0 };
	for (int i = 0; i < run->kernel.n; i++)
		totals_add(&all, &run->kernel.v[i]->stats.totals);
	return all;
}

uint64_t run_launches(const Run *run) { return run->ended; }

/* Joins the tables of all kernels, in the run's arena. */
static Tables all_tables(Run *run)
{
	TableSums *all = &run->all_tables, **each = xcalloc((size_t)run->kernel.n + 1, sizeof *each);
	for (int i = 0; i < run->kernel.n; i++)
		each[i] = &run->kernel.v[i]->tables;
	tables_free(all);
	*all = (TableSums){ .arena = &run->arena };
	tables_join(all, each, run->kernel.n);
	free(each);
	return tables_of(all);
}

/* Sets no_warp in the total's row of no instruction. A launch that ran beside others counts as no_warp also
   the cycles that went to the others; the total counts only the cycles for which no launch had a warp. */
static void set_without_warp(LaunchStats *total)
{
	for (int i = 0; i < total->tables.lines.n; i++)
		if (!total->tables.lines.v[i].function)
			total->tables.lines.v[i].stalls[STALL_EMPTY] = total->totals.stalls[STALL_EMPTY];
}

static LaunchStats *add_up_launches(Run *run)
{
	LaunchStats *total = arena_new(&run->arena, LaunchStats);
	total->reference = run->options.reference || run->options.real_gpu;
	total->timed = !run->options.gpu.functional && !total->reference;
	total->warp_size = (int)run->config->warp_size;
	total->totals = run_counted(run);
	total->tables = all_tables(run);
	for (int i = 0; i < run->kernel.n; i++) {
		total->own_slots |= run->kernel.v[i]->stats.own_slots;
		total->races_checked |= run->kernel.v[i]->stats.races_checked;
	}
	if (total->timed && run->gpu)
		gpu_busy(run->gpu, &total->totals);
	set_without_warp(total);
	return total;
}

const LaunchStats *run_total(Run *run)
{
	if (!run->total)
		run->total = add_up_launches(run);
	run->total->completed = run->status == RUN_OK;
	return run->total;
}
