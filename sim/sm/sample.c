/* What an SM has counted of a grid, in sums; and when its clock comes to the end of an interval, how much of
   this the interval gets. Issues and stalls take no longer because of intervals: an interval costs a pass
   over the counters of the instructions of each grid that the SM has had blocks of. */
#include "sim/machine/levels.h"
#include "sim/sm/sm.h"

static void add_ins_counts(const Share *h, int pc, const MIns *i, Totals *st)
{
	const InsCount *c = &h->count[pc];
	int flags = i->flags;
	if (flags & MI_OVERHEAD) {
		st->overhead_warp += c->issues;
		st->overhead_thread += c->useful;
		st->overhead_off += c->off;
	} else {
		st->warp_instructions += c->issues;
		st->uniform_warp += i->uniform ? c->issues : 0;
		st->lanes_useful += c->useful;
		st->lanes_predicated_off += c->off;
		st->inserted_warp += flags & MI_INSERTED ? c->issues : 0;
		st->inserted_thread += flags & MI_INSERTED ? c->useful : 0;
	}
	st->lanes_parted += h->parted[pc].lost[0];
	st->overhead_parted += h->parted[pc].lost[1];
}

void share_totals(const Share *h, int width, Totals *st)
{
	const Code *c = h->grid->code;
	*st = h->totals;
	for (int pc = 0; pc < c->n; pc++)
		add_ins_counts(h, pc, &c->ins[pc], st);
	for (int pc = 0; pc <= c->n; pc++)
		for (int k = 0; k < STALL_FIGURES; k++)
			st->stalls[k] += h->stalls[pc * STALL_FIGURES + k];
	for (int k = 0; k < c->nbranch; k++) {
		st->branches += h->count[c->branch_ins[k]].issues;
		st->divergent_branches += h->branch[k].divergent;
	}
	for (int n = 0; n <= width; n++)
		st->active_lanes[n] += h->active_lanes[0][n];
	st->lanes_no_thread += h->nobody[0].no_thread;
	st->lanes_ended += h->nobody[0].ended;
	st->overhead_no_thread += h->nobody[1].no_thread;
	st->overhead_ended += h->nobody[1].ended;
	st->thread_instructions = st->lanes_useful;
	st->lanes_inactive = st->warp_instructions * (uint64_t)width - st->lanes_useful -
		st->lanes_predicated_off;
}

/* ---- intervals ---- */

/* A cycle of the interval into which the SM's latest counts fall. */
static Cycle present(const Sm *sm) { return sm->sample_at - 1; }

/* Adds to sum what the SM has counted of the grid since the last call. Issues are charged first, for the
   lanes that they had (partings_settle). */
static void add_share(Sm *sm, Share *h, Interval *sum)
{
	Totals st;
	Interval now;
	if (!h || !h->sampled)         /* the SM has had no block of the grid */
		return;
	levels_count(sm);
	for (int k = 0; k < sm->nwarps; k++)
		if (sm->warp[k].used && sm->warp[k].share == h)
			partings_settle(&sm->warp[k]);
	share_totals(h, warp_width(sm->gpu), &st);
	interval_of_totals(&now, &st);
	interval_add(sum, &now);
	interval_take(sum, h->sampled);
	*h->sampled = now;
}

static void add_resident(Sm *sm, Interval *sum)
{
	uint64_t stay = sm->stay;
	for (int64_t k = 0; k < sm->gpu->config.sched_count; k++)
		stay += (uint64_t)sm->sched[k].n * sm->now;
	sum->resident += stay - sm->sampled_stay;
	sm->sampled_stay = stay;
}

/* Keeps the counts of the interval that ends. In a long wait intervals have equal counts: they are kept as
   one entry. */
static void keep_interval(Sm *sm, const Interval *sum)
{
	Sampled *last = sm->sampled.n ? &vec_last(&sm->sampled) : NULL;
	Cycle step = sm->gpu->options.intervals->cycles;
	if (!interval_any(sum))
		return;
	if (last && last->step == step && last->cycle + last->times * step == present(sm) &&
		!memcmp(&last->count, sum, sizeof *sum))
		last->times++;
	else
		vec_push(&sm->sampled, ((Sampled){ present(sm), step, 1, *sum }));
}

/* The cycle from which the SM counts again. As long as it has no block, nothing is counted. */
static Cycle counts_from(const Sm *sm)
{
	Cycle next = sm->arrived < sm->arrival.n ? sm->arrival.v[sm->arrived].cycle : NEVER;
	if (sm->resident || next < sm->now)
		return sm->now;
	return next < sm->until ? next : sm->until;
}

static void end_interval(Sm *sm)
{
	const Gpu *g = sm->gpu;
	Cycle length = g->options.intervals->cycles;
	Interval sum = { 0 };
	add_resident(sm, &sum);
	for (int i = 0; i < g->running.n && sum.resident; i++) /* without a warp nothing is counted */
		add_share(sm, g->running.v[i]->share[sm->id], &sum);
	keep_interval(sm, &sum);
	sm->sample_at = (counts_from(sm) / length + 1) * length;
}

void sm_run_sampled(Sm *sm, Cycle to)
{
	while (sm->sample_at < to) {
		sm_run(sm, sm->sample_at);
		if (sm->now < sm->sample_at) /* the SM stands still: it has no block, or a fault */
			return;
		end_interval(sm);
	}
	sm_run(sm, to);
}

void sm_sample_grid(Sm *sm, const Grid *x)
{
	Interval sum = { 0 };
	add_share(sm, x->share[sm->id], &sum);
	keep_interval(sm, &sum);
}

void sm_sample_end(Sm *sm)
{
	Interval sum = { 0 };
	add_resident(sm, &sum);
	keep_interval(sm, &sum);
}

void sm_give_samples(Sm *sm, Intervals *to)
{
	for (int i = 0; i < sm->sampled.n; i++) {
		const Sampled *x = &sm->sampled.v[i];
		for (uint64_t k = 0; k < x->times; k++)
			interval_add(intervals_at(to, x->cycle + k * x->step), &x->count);
	}
	vec_clear(&sm->sampled);
}
