/* The statistics of a sampled launch. What the functional run has counted is exact and stays. What has to do
   with time is that of the timed parts, times the share of the launch's issues that were in them. */
#include "sim/gpu/sampled.h"

static void *copy_of(Arena *a, const void *from, size_t bytes)
{
	return memcpy(arena_alloc(a, bytes), from, bytes);
}

static void keep_counts(SampledCounts *to, const Counts *c)
{
	size_t n = (size_t)c->code->n + 1;
	Arena *a = &to->arena;
	to->counts = (Counts){ c->code, copy_of(a, c->count, n * sizeof *c->count),
		copy_of(a, c->parted, n * sizeof *c->parted), copy_of(a, c->met, n * sizeof *c->met),
		copy_of(a, c->branch, ((size_t)c->code->nbranch + 1) * sizeof *c->branch),
		copy_of(a, c->marked, ((size_t)c->code->ncounted + 1) * sizeof *c->marked),
		arena_array(a, uint64_t, n * STALL_FIGURES) };
	for (size_t pc = 0; pc < n; pc++)
		to->counts.parted[pc].cycles = 0;
	to->kept = true;
}

void sampled_add_counts(SampledCounts *to, const Counts *c)
{
	if (!to->kept) {
		keep_counts(to, c);
		return;
	}
	for (int pc = 0; pc < c->code->n; pc++)
		to->counts.parted[pc].cycles += c->parted[pc].cycles;
	for (int k = 0; k < (c->code->n + 1) * STALL_FIGURES; k++)
		to->counts.stalls[k] += c->stalls[k];
}

static uint64_t scaled(uint64_t v, double by) { return (uint64_t)((double)v * by + 0.5); }

/* The figures that timed runs alone have, but for cycles. */
static void scale_figures(Totals *t, const Totals *timed, double by)
{
#define S(FIELD, PATH, HOW, KNOWN, ...) \
	if (STAT_##KNOWN == STAT_TIMED || STAT_##KNOWN == STAT_L2 || STAT_##KNOWN == STAT_DRAM) \
		t->FIELD = scaled(timed->FIELD, by);
	STATS(S)
#undef S
}

/* Scales the stalls of all instructions. The scheduler-cycles that are left had no warp. */
static void scale_stalls(Counts *c, Totals *t, double by)
{
	uint64_t sum = 0, room = t->slots > t->issued ? t->slots - t->issued : 0;
	int rows = c->code->n + 1;
	uint64_t *none = &c->stalls[c->code->n * STALL_FIGURES + STALL_EMPTY];
	*none = 0;
	for (int k = 0; k < rows * STALL_FIGURES; k++)
		sum += k % STALL_FIGURES < STALL_COUNT ? c->stalls[k] : 0;
	if ((double)sum * by > (double)room)
		by = sum ? (double)room / (double)sum : 0;
	memset(t->stalls, 0, sizeof t->stalls);
	uint64_t charged = 0;
	for (int k = 0; k < rows * STALL_FIGURES; k++) {
		c->stalls[k] = (uint64_t)((double)c->stalls[k] * by);
		t->stalls[k % STALL_FIGURES] += c->stalls[k];
		charged += k % STALL_FIGURES < STALL_COUNT ? c->stalls[k] : 0;
	}
	*none = t->stalls[STALL_EMPTY] = room > charged ? room - charged : 0;
}

void sampled_compose(Sampling *s, Cycle cycles)
{
	const Gpu *g = s->gpu;
	Grid *x = s->grid;
	LaunchStats *st = x->stats;
	Totals *t = &st->totals, timed = s->timed;
	double by = s->timed_issues ? (double)sampled_issues(s, 0, s->blocks) / (double)s->timed_issues : 0,
		filled = timed.slots ? (double)timed.room_slots / (double)timed.slots : 0,
		reached = timed.slots ? (double)timed.reached_slots / (double)timed.slots : 0;
	scale_figures(t, &timed, by);
	st->timed = true;
	st->called = x->called;
	st->started = s->start;
	t->cycles = cycles;
	t->program_cycles = s->start + cycles;
	t->slots = cycles * (Cycle)g->config.sched_count * (Cycle)g->config.sm_count;
	t->sms_used = timed.sms_used;
	t->room_slots = scaled(t->slots, filled);
	t->reached_slots = scaled(t->slots, reached);
	t->sampled = 1;
	t->sampled_blocks = s->blocks;
	t->timed_blocks = s->timed_blocks;
	for (int pc = 0; pc < x->code->n; pc++)
		s->counts.counts.parted[pc].cycles = scaled(s->counts.counts.parted[pc].cycles, by);
	scale_stalls(&s->counts.counts, t, by);
	gather_tables(&s->counts.counts, g->out, st);
}
