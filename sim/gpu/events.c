/* Writes the events of grids into the trace: one launch after the other, and the events of each launch in the
   order (cycle, SM). */
#include "sim/gpu/events.h"
#include "lib/strbuf.h"
#include "sim/gpu/order.h"

static void write_launch(const Gpu *g, const Grid *grid)
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
			.branch = m->flags & MI_COND, .overhead = m->flags & MI_OVERHEAD,
			.inserted = m->flags & MI_INSERTED };
		if (m->src) {
			Loc loc = ins_loc(c->module, m->src);
			ins[i].file = loc.file;
			ins[i].line = loc.line;
		}
		sb_free(&b);
	}
	const Launch *l = grid->launch;
	trace_launch(g->options.trace, &(TraceLaunch){ .kernel = l->kernel->name,
		.machine = g->options.machine ? g->options.machine : "(defaults)", .model = g->model->name,
		.configuration = g->hash, .changed = g->options.changed,
		.passes = g->options.passes,
		.grid = { l->grid[0], l->grid[1], l->grid[2] },
		.block = { l->block[0], l->block[1], l->block[2] },
		.warp_size = warp_width(g), .sms = (int)g->config.sm_count, .nins = c->n, .ins = ins,
		.timed = !g->options.functional,
		.schedulers = (int)g->config.sched_count, .nreasons = STALL_COUNT, .reason = stall_name,
		.run = g->trace_run, .stream = grid->stream,
		.started = g->options.functional ? 0 : grid->begin });
	arena_free(&a);
}

/* Launches stand in the trace in the order in which they began: while an earlier launch runs, the events of a
   later one are kept (Grid.kept) and are written when the earlier one has ended. */
static void write_kept(Gpu *g)
{
	while (g->tracing.n) {
		Grid *x = g->tracing.v[0];
		if (!x->in_trace)
			write_launch(g, x);
		trace_events(g->options.trace, x->kept.v, x->kept.v + x->kept.n);
		vec_free(&x->kept);
		x->in_trace = true;
		if (!x->traced)
			return;
		memmove(g->tracing.v, g->tracing.v + 1, sizeof *g->tracing.v * (size_t)--g->tracing.n);
	}
}

static void write_events(const Gpu *g, Grid *x, const TraceEvent *from, const TraceEvent *to)
{
	if (x->in_trace)
		trace_events(g->options.trace, from, to);
	else
		for (; from < to; from++)
			vec_push(&x->kept, *from);
}

/* The cycle of the share's next event that is to be written; NEVER: it has no more events. */
static Cycle next_event_of(const Share *h)
{
	return h->written < h->events.n ? h->events.v[h->written].cycle : NEVER;
}

void events_flush(const Gpu *g, Grid *x, Cycle end)
{
	Order *o = g->order;
	if (!g->options.trace)
		return;
	for (int i = 0; i < g->config.sm_count; i++) {
		Share *h = x->share[i];
		h->written = 0;
		tracer_merge(h, end);
		order_add(o, i, next_event_of(h));
	}
	for (int i; (i = order_first(o)) >= 0;) {
		Share *h = x->share[i];
		const TraceEvent *from = &h->events.v[h->written], *to = from;
		while (h->written < h->events.n && to->cycle == from->cycle) {
			to++;
			h->written++;
		}
		write_events(g, x, from, to);
		order_next(o, next_event_of(h));
	}
	for (int i = 0; i < g->config.sm_count; i++)
		vec_clear(&x->share[i]->events);
}

void events_begin(Gpu *g, Grid *x)
{
	if (!g->options.trace)
		return;
	vec_push(&g->tracing, x);
	write_kept(g);
}

void events_end(Gpu *g, Grid *x)
{
	if (!g->options.trace)
		return;
	events_flush(g, x, NEVER);
	x->traced = true;
	write_kept(g);
}
