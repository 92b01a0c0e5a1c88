/* Gathers what a launch measured: adds up the counters of its SMs. All totals of issues and lanes are sums of
   the counts of single instructions. */
#include "sim/gpu/gather.h"
#include "sim/gpu/sampled.h"
#include "sim/sm/sm.h"

static bool same_source_place(const MIns *a, const MIns *b)
{
	return b->src && a->function == b->function && a->src->file == b->src->file &&
		a->src->line == b->src->line && a->src->col == b->src->col &&
		a->src->inlined == b->src->inlined;
}

/* The instruction to which partings at pc are charged. If pc has an operation that the mechanism added and
   gave the source place of a branch or a call, this is the nearest branch or call with that place; else pc
   itself. */
static int charged_to(const Code *c, int pc)
{
	const MIns *m = &c->ins[pc];
	if (m->kind != K_RECONV || m->branch >= 0 || m->src->line <= 0)
		return pc;
	for (int d = 1; d < c->n; d++)
		for (int k = pc - d; k <= pc + d; k += 2 * d)
			if (k >= 0 && k < c->n && (c->ins[k].branch >= 0 || c->ins[k].kind == K_CALL) &&
				same_source_place(m, &c->ins[k]))
				return k;
	return pc;
}

static MeetStats meeting_at(const Code *c, const MeetCount *m)
{
	if (m->pc == NO_PC)
		return (MeetStats){ .times = m->times };
	const MIns *i = &c->ins[m->pc];
	Loc loc = i->src ? ins_loc(c->module, i->src) : (Loc){ 0 };
	bool placed = loc.file && loc.line > 0;
	return (MeetStats){ i->function->name, i->from->label, placed ? loc.file : NULL,
		placed ? loc.line : 0, m->times };
}

/* Adds to `all` the blocks in which lanes that parted at pc met again, as the SM has counted them. */
static void add_meetings(Counts *all, const Share *h, int pc, Arena *a)
{
	Meets *to = h->met_at[pc] ? &all->met[charged_to(all->code, pc)] : NULL;
	for (int k = h->met_at[pc]; k; k = h->met.v[k - 1].next) {
		MeetStats m = meeting_at(all->code, &h->met.v[k - 1]);
		meets_add(a, to, &(Meets){ &m, 1 });
	}
}

/* two counts, for adding both at once */
typedef uint64_t CountPair __attribute__((vector_size(16), aligned(8), may_alias));

static void add_counts(uint64_t *to, const uint64_t *from, int n)
{
	int k = 0;
	for (; k + 1 < n; k += 2)
		*(CountPair *)(void *)(to + k) += *(const CountPair *)(const void *)(from + k);
	if (k < n)
		to[k] += from[k];
}

/* Adds up the counters of all SMs. Texts that the tables keep are copied into arena a. */
static Counts add_up_sms(const Gpu *g, Grid *x, Arena *a)
{
	const Code *c = x->code;
	Counts all = { c, arena_array(&x->arena, InsCount, c->n + 1),
		arena_array(&x->arena, PartCount, c->n + 1),
		arena_array(&x->arena, Meets, c->n + 1), arena_array(&x->arena, BranchCount, c->nbranch + 1),
		arena_array(&x->arena, MarkCount, c->ncounted + 1),
		arena_array(&x->arena, uint64_t, (c->n + 1) * STALL_FIGURES) };
	for (int i = 0; i < g->config.sm_count; i++) {
		const Share *h = x->share[i];
		if (!h || !h->count)
			continue;
		if (h->straight)
			straight_settle(h, c->n);
		for (int pc = 0; pc < c->n; pc++) {
			if (!h->count[pc].issues) /* so no lanes have parted there either */
				continue;
			ins_count_add(&all.count[pc], &h->count[pc]);
			if (parted_any(&h->parted[pc]))
				part_count_add(&all.parted[charged_to(c, pc)], &h->parted[pc]);
			add_meetings(&all, h, pc, a);
		}
		add_counts(all.stalls, h->stalls, (c->n + 1) * STALL_FIGURES);
		for (int k = 0; k < c->nbranch; k++) {
			all.branch[k].divergent += h->branch[k].divergent;
			all.branch[k].taken += h->branch[k].taken;
		}
		for (int k = 0; k < c->ncounted; k++) {
			all.marked[k].issues += h->marked[k].issues;
			all.marked[k].lanes += h->marked[k].lanes;
			all.marked[k].divergent += h->marked[k].divergent;
			all.marked[k].taken += h->marked[k].taken;
		}
	}
	return all;
}

/* ---- totals ---- */

/* Adds up what all SMs have counted, by instruction and otherwise. */
static Totals sum_shares(const Gpu *g, Grid *x, const Counts *all)
{
	Share sum = { .grid = x, .totals = { .launches = 1 }, .count = all->count, .parted = all->parted,
		.branch = all->branch, .stalls = all->stalls };
	Totals totals;
	for (int i = 0; i < g->config.sm_count; i++) {
		const Share *h = x->share[i];
		if (!h)
			continue;
		totals_add(&sum.totals, &h->totals);
		for (int n = 0; n <= warp_width(g); n++)
			sum.active_lanes[0][n] += h->active_lanes[0][n];
		for (int k = 0; k < 2; k++) {
			sum.nobody[k].no_thread += h->nobody[k].no_thread;
			sum.nobody[k].ended += h->nobody[k].ended;
		}
	}
	share_totals(&sum, warp_width(g), &totals);
	return totals;
}

/* Computes the occupancy: resident warps / most warps that an SM can hold; and names what limits it. */
static void occupancy(const Config *c, const Grid *x, LaunchStats *st)
{
	int64_t blocks = sm_capacity(c, x, &st->occupancy_limit),
		most = (int64_t)((x->ctas + (uint64_t)c->sm_count - 1) / (uint64_t)c->sm_count);
	if (most < blocks) {
		blocks = most;
		st->occupancy_limit = "grid";
	}
	st->occupancy = (double)(blocks * x->warps_per_cta) / (double)c->sm_max_warps;
}

/* Measures how much of the machine the grid could use: the share of the machine's room for blocks that it
   fills, the share of schedulers that have a warp if its blocks are spread evenly, and on how many SMs it had
   a block. */
static void measure_room(const Gpu *g, const Grid *x, Totals *t)
{
	const char *limit;
	uint64_t sms = (uint64_t)g->config.sm_count, most = (uint64_t)sm_capacity(&g->config, x, &limit),
		each = (uint64_t)g->config.sched_count, reached = 0;
	for (uint64_t k = 0; k < sms; k++) {
		uint64_t blocks = x->ctas / sms + (k < x->ctas % sms);
		uint64_t warps = (blocks < most ? blocks : most) * (uint64_t)x->warps_per_cta;
		reached += warps < each ? warps : each;
		t->sms_used += x->share[k] && x->share[k]->count;
	}
	double filled = x->ctas < most * sms ? (double)x->ctas / (double)(most * sms) : 1;
	t->room_slots = (uint64_t)((double)t->slots * filled);
	t->reached_slots = (uint64_t)((double)t->slots * (double)reached / (double)(each * sms));
}

/* Scheduler-cycles, while the grid ran, in which none of its warps issued and none was nearest to an issue.
   If the grid ran alone these cycles have been counted. If others ran beside it, they are what is left of all
   scheduler-cycles; in some of them warps of the other grids issued or stalled. */
static uint64_t cycles_without_warp(const Grid *x, const Counts *all, const Totals *t)
{
	uint64_t own = t->issued;
	for (int pc = 0; pc <= x->code->n; pc++)
		for (int k = 0; k < STALL_COUNT; k++)
			own += all->stalls[pc * STALL_FIGURES + k];
	return x->completed && x->alone ? x->empty : t->slots - own;
}

/* Charges the issues that are not charged to a parting yet, for the warps of the grid that have not ended. */
static void close_partings(const Gpu *g, const Grid *x)
{
	each_made_sm(g, sm)
		for (int k = 0; k < sm->nwarps; k++)
			if (sm->warp[k].used && sm->warp[k].share->grid == x)
				partings_close(&sm->warp[k]);
}

/* Fills in the totals that are known when the grid has ended. */
static void end_totals(const Gpu *g, const Grid *x, const Counts *all, Totals *t)
{
	t->grid_barriers = x->meetings;
	if (g->options.functional)
		return;
	t->cycles = x->end - x->begin;
	t->slots = t->cycles * (Cycle)g->config.sched_count * (Cycle)g->config.sm_count;
	measure_room(g, x, t);
	t->program_cycles = x->gone;
	all->stalls[x->code->n * STALL_FIGURES + STALL_EMPTY] = t->stalls[STALL_EMPTY] =
		cycles_without_warp(x, all, t);
}

static void put_launch(const Gpu *g, const Grid *x, Arena *a, LaunchStats *st)
{
	const Launch *l = x->launch;
	st->kernel = arena_strdup(a, l->kernel->name);
	memcpy(st->grid, l->grid, sizeof st->grid);
	memcpy(st->block, l->block, sizeof st->block);
	if (st->timed) {
		st->called = x->called;
		st->started = x->begin;
	}
	st->diagnosis = x->diagnosis;
	st->static_instructions = (uint64_t)x->code->n;
	st->static_blocks = (uint64_t)x->code->nblock;
	st->registers = (uint64_t)x->code->regs;
	st->uniform_registers = (uint64_t)x->code->uniform_regs;
	st->spilled = x->code->spilled;
	occupancy(&g->config, x, st);
}

void gpu_gather(const Gpu *g, Grid *x, Arena *a)
{
	LaunchStats *st = x->stats;
	*st = (LaunchStats){ .timed = !g->options.functional, .completed = x->completed,
		.own_slots = g->model->own_slots, .warp_size = warp_width(g), .stream = x->stream };
	if (!x->completed)
		close_partings(g, x);
	Counts all = add_up_sms(g, x, a);
	if (x->log)
		sampled_add_counts(x->log->counts, &all);
	st->totals = sum_shares(g, x, &all);
	end_totals(g, x, &all, &st->totals);
	put_launch(g, x, a, st);
	gather_tables(&all, a, st);
	if (g->options.instructions)
		gather_instructions(&all, g->options.instructions);
}
