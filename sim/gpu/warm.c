#include "sim/gpu/warm.h"
#include "isa/print.h"
#include "isa/races.h"
#include "sim/gpu/clock.h"
#include "sim/gpu/streams.h"
#include "sim/record/instructions.h"

/* A launch as it was before the warm-up. printed: length of the text that it had printed; lost: calls of
   printf that were lost. */
typedef struct Queued { Grid grid; LaunchStats stats; size_t printed; uint64_t lost; } Queued;

struct Warm {
	MemoryCopy *memory;
	Queued *launch;                /* in the order of Gpu.queue */
	MachineClock clock;
	TraceWriter *trace;
	InsTables *instructions, during; /* instructions: the run's tables; during: those of the warm-up */
	Intervals *intervals;
	const ReconvModel *model;
	Arena arena;
};

Warm *warm_begin(Gpu *g)
{
	Warm *w = xcalloc(1, sizeof *w);
	*w = (Warm){ .memory = memory_copy(g->memory), .clock = machine_clock(g),
		.trace = g->options.trace, .instructions = g->options.instructions,
		.intervals = g->options.intervals, .model = g->model };
	w->launch = arena_array(&w->arena, Queued, g->queue.n);
	for (int i = 0; i < g->queue.n; i++) {
		const Grid *x = g->queue.v[i];
		const PrintBuffer *p = x->launch->print;
		w->launch[i] = (Queued){ *x, *x->stats, p ? p->text.n : 0, p ? p->lost : 0 };
	}
	if (g->options.trace)
		g->model = g->untraced;
	g->options.trace = NULL;
	g->options.instructions = w->instructions ? &w->during : NULL;
	if (w->intervals)
		g->options.intervals = intervals_new(w->intervals->cycles);
	return w;
}

/* Puts a launch back to what it was before the warm-up. The host writes its parameters again, at a new
   address. */
static void queue_again(Gpu *g, Grid *x, const Queued *b)
{
	PrintBuffer *p = x->launch->print;
	g->warm_dirtied += x->stats->totals.l2_dirtied - x->stats->totals.l2_writebacks;
	*x = b->grid;
	*x->stats = b->stats;
	x->param_base = streams_parameters(g);
	if (x->launch->races)
		race_forget(x->launch->races);
	if (!p)
		return;
	p->lost = b->lost;
	p->text.n = b->printed;
	if (p->text.s)
		p->text.s[p->text.n] = 0;
}

static void put_back(Gpu *g, const Warm *w)
{
	memory_put_back(g->memory, w->memory);
	for (int i = 0; i < g->queue.n; i++)
		queue_again(g, g->queue.v[i], &w->launch[i]);
	machine_turn_back(g, &w->clock);
}

void warm_end(Gpu *g, Warm *w, bool drop)
{
	if (drop)
		put_back(g, w);
	g->options.trace = w->trace;
	g->options.instructions = w->instructions;
	if (w->instructions && !drop)
		ins_tables_merge(w->instructions, &w->during);
	ins_tables_free(&w->during);
	g->model = w->model;
	if (w->intervals) {
		if (!drop)
			intervals_merge(w->intervals, g->options.intervals);
		intervals_free(g->options.intervals);
		g->options.intervals = w->intervals;
	}
	memory_copy_free(w->memory);
	arena_free(&w->arena);
	free(w);
}
