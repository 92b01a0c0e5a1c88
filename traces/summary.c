/* Computes the sums of a trace, counted as the report of a run counts them. */
#include "traces/export.h"
#include "lib/strbuf.h"
#include "lib/hash.h"
#include <inttypes.h>
#include <string.h>

TraceSum *trace_sum_new(Arena *a, const TraceLaunch *l)
{
	TraceSum *s = arena_new(a, TraceSum);
	s->block = arena_array(a, TraceBlockSum, l->nins + 1);
	s->block_of = arena_array(a, int, l->nins + 1);
	StrMap map = { 0 };
	for (int i = 0; i < l->nins; i++) {
		const char *key = arena_printf(a, "%s\n%s", l->ins[i].function, l->ins[i].block);
		int k = strmap_get(&map, key);
		if (k < 0) {
			strmap_put(&map, key, k = s->nblocks++);
			s->block[k].function = l->ins[i].function;
			s->block[k].label = l->ins[i].block;
		}
		s->block_of[i] = k;
		s->block[k].starts |= l->ins[i].block_start;
	}
	strmap_free(&map);
	return s;
}

static void add_issue(TraceSum *s, const TraceLaunch *l, const TraceEvent *e)
{
	const TraceIns *i = trace_ins(l, e->a);
	uint64_t lanes = (uint64_t)__builtin_popcountll(e->mask);
	s->depth_sum += e->depth;
	if (i && i->overhead) {
		s->overhead++;
	} else {
		s->issues++;
		s->lanes += lanes;
		s->inserted += i && i->inserted;
	}
	if (i && i->block_start) {
		s->block[s->block_of[e->a]].fetches++;
		s->block[s->block_of[e->a]].lanes += lanes;
		s->empty += !e->mask;
	}
}

void trace_sum_event(TraceSum *s, const TraceLaunch *l, const TraceEvent *e)
{
	s->events++;
	s->of_kind[e->kind]++;
	if (e->cycle > s->last_cycle && e->kind != TR_STALL)
		s->last_cycle = e->cycle;
	if (e->depth > s->max_depth)
		s->max_depth = e->depth;
	if (e->kind == TR_ISSUE)
		add_issue(s, l, e);
	else if (e->kind == TR_SPILL)
		s->spilled += e->a;
	else if (e->kind == TR_FILL)
		s->filled += e->a;
}

/* ---- as an exporter ---- */

typedef struct SummaryState { Arena arena; TraceSum *sum; } SummaryState;

static void summary_begin(TraceExport *t) { t->state = xcalloc(1, sizeof(SummaryState)); }

static void summary_launch(TraceExport *t)
{
	SummaryState *s = t->state;
	s->sum = trace_sum_new(&s->arena, t->launch);
}

static void summary_event(TraceExport *t, const TraceEvent *e)
{
	trace_sum_event(((SummaryState *)t->state)->sum, t->launch, e);
}

static void print_sum(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "  %-20s %12" PRIu64 "\n", name, value);
}

static void summary_finish(TraceExport *t)
{
	SummaryState *st = t->state;
	const TraceSum *s = st->sum;
	fprintf(t->out, "launch %d: kernel %s, machine %s, model %s\n", t->launch_number, t->launch->kernel,
		t->launch->machine, t->launch->model);
	trace_when(t->launch, t->out);
	trace_settings(t->launch, t->out);
	print_sum(t->out, "events", s->events);
	print_sum(t->out, "last_cycle", s->last_cycle);
	print_sum(t->out, "warp_instructions", s->issues);
	print_sum(t->out, "lanes", s->lanes);
	print_sum(t->out, "inserted", s->inserted);
	print_sum(t->out, "overhead", s->overhead);
	print_sum(t->out, "noop_fetches", s->empty);
	print_sum(t->out, "pushes", s->of_kind[TR_PUSH]);
	print_sum(t->out, "pops", s->of_kind[TR_POP]);
	print_sum(t->out, "max_depth", s->max_depth);
	print_sum(t->out, "depth_sum", s->depth_sum);
	print_sum(t->out, "spills", s->of_kind[TR_SPILL]);
	print_sum(t->out, "fills", s->of_kind[TR_FILL]);
	print_sum(t->out, "merges", s->of_kind[TR_RECONVERGE]);
	print_sum(t->out, "thread_blocks", s->of_kind[TR_BLOCK_START]);
	for (int k = 0; k < s->nblocks; k++)
		if (s->block[k].starts)
			fprintf(t->out, "  block %s %s: fetches %" PRIu64 ", lanes %" PRIu64 "\n",
				s->block[k].function, s->block[k].label, s->block[k].fetches,
				s->block[k].lanes);
	arena_free(&st->arena);
}

static void summary_end(TraceExport *t) { free(t->state); }

const TraceExporter trace_summary = { "summary", "sums of each launch, as the report counts them",
	summary_begin, summary_launch, summary_event, summary_finish, summary_end };
