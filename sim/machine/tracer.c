/* What a trace tells besides the events that the core reports as they happen: how the rows that show each
 * warp's state change, why schedulers stand still, when loads come back. For each SM and grid there is a copy
 * of the state that a reader of its events has (traces/state.h); after each cycle, warps to which something
 * has happened are compared with the copy, and the differences become events. Where several grids share an
 * SM, a scheduler that issues or waits for one grid has no warp in the traces of the others. */
#include "sim/machine/machine.h"
#include <limits.h>

struct Rows {
	TraceRowVec table[TABLE_COUNT];
	/* how many leading rows of one table the mechanism need not show, because they have not changed */
	int unchanged;
	int left_out[TABLE_COUNT];     /* leading rows that are not shown */
};

typedef struct Tracer {
	TraceState state;
	Rows now;                      /* the rows of one warp, as they are now */
	/* warps (a bit for each slot) of which a hook has been called, or which the core has changed, in this
	   cycle */
	uint64_t changed[MOST_WARPS / 64];
	/* warps that have issued in this cycle; mostly a reader can derive their rows from the event of the
	   issue */
	uint64_t issued[MOST_WARPS / 64];
	uint16_t split[MOST_WARPS];    /* by warp: the index of the split that has issued in this cycle */
	Vec(TraceEvent) later;         /* events known in advance, in no order */
	/* by warp: how many leading rows of the mechanism's table are as the trace told them last */
	int unchanged[MOST_WARPS];
	bool there;                    /* the grid has had blocks on the SM in the cycle before */
} Tracer;

void reconv_show(Rows *rows, const TraceRow *r) { vec_push(&rows->table[trace_row_info[r->kind].table], *r); }

void reconv_changed(Warp *w, int row)
{
	Tracer *t = w->share->tracer;
	if (t && row < t->unchanged[w->slot])
		t->unchanged[w->slot] = row;
}

int reconv_show_from(Rows *rows, TraceTableKind table, int most)
{
	int from = rows->unchanged < most ? rows->unchanged : most;
	return rows->left_out[table] = from > 0 ? from : 0;
}

void (*tracer_watch)(Sm *);

/* Cycles of a trace count from the launch's begin. */
static uint64_t launch_cycle(const Share *x, Cycle c) { return c - x->grid->begin; }

static void put_trace_event(void *self, const TraceEvent *e)
{
	Share *x = self;
	vec_push(&x->events, *e);
	must(trace_state_event(&x->tracer->state, e));
}

/* ---- which warps have changed ---- */

static bool is_in(const uint64_t *set, const Warp *w) { return set[w->slot / 64] >> w->slot % 64 & 1; }
static void add_to_set(uint64_t *set, const Warp *w) { set[w->slot / 64] |= (uint64_t)1 << w->slot % 64; }

static void mark(const Warp *w)
{
	Tracer *t = w->share->tracer;
	if (w->sm->gpu->model->regroups) /* an event of one warp may have changed any warp of its block */
		memset(t->changed, 0xff, sizeof t->changed);
	else
		add_to_set(t->changed, w);
}

/* The functions that the core calls in place of the mechanism's hooks (RECONV_EVENTS): they mark the warp as
   changed and call the hook. */
static const ReconvModel *plain_model(const Warp *w) { return w->sm->gpu->untraced; }
static void traced_launch(Warp *w, Mask lanes, uint32_t pc) { mark(w); plain_model(w)->launch(w, lanes, pc); }
static void traced_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	mark(w);
	plain_model(w)->branch(w, s, i, p, n);
}
static void traced_reach(Warp *w, Split *s) { mark(w); plain_model(w)->reach(w, s); }
static void traced_call(Warp *w, Split *s, const Path *p, int n, uint32_t back)
{
	mark(w);
	plain_model(w)->call(w, s, p, n, back);
}
static void traced_ret(Warp *w, Split *s, const Path *p, int n) { mark(w); plain_model(w)->ret(w, s, p, n); }
static void traced_exit(Warp *w, Split *s, Mask lanes) { mark(w); plain_model(w)->exit(w, s, lanes); }

static void traced_some_exit(Warp *w, Split *s, Mask lanes)
{
	mark(w);
	plain_model(w)->some_exit(w, s, lanes);
}

static void traced_special(Warp *w, Split *s, const MIns *i, Mask lanes)
{
	mark(w);
	plain_model(w)->special(w, s, i, lanes);
}
static int traced_depth(const Warp *w) { mark(w); return plain_model(w)->depth(w); }
static void traced_wait(Warp *w, Split *s) { mark(w); plain_model(w)->sync.wait(w, s); }
static void traced_resume(Warp *w, Split *s) { mark(w); plain_model(w)->sync.resume(w, s); }
static void traced_met(Warp *w, uint32_t pc, Mask lanes) { mark(w); plain_model(w)->sync.met(w, pc, lanes); }

static bool traced_gather(Warp *w, Split *s, Mask want)
{
	mark(w);
	return plain_model(w)->sync.gather(w, s, want);
}

static bool traced_stall(Warp *w, Split *s, Stall why, Cycle until)
{
	bool changed = plain_model(w)->times.stall(w, s, why, until);
	if (changed)
		mark(w);
	return changed;
}
/* the hook changes nothing that is shown, so it does not mark the warp */
static void traced_known(Warp *w, Split *s) { plain_model(w)->times.known(w, s); }
static void traced_loaded(Warp *w, Split *s, const MIns *i, Mask hits, Mask misses)
{
	mark(w);
	plain_model(w)->times.loaded(w, s, i, hits, misses);
}
static void traced_alarm(Warp *w) { mark(w); plain_model(w)->times.alarm(w); }
static Split *traced_candidate(Warp *w, int n) { mark(w); return plain_model(w)->pairs.candidate(w, n); }

static Split *traced_partner(Warp *w, Mask lanes, int n, Warp **of)
{
	Split *s = plain_model(w)->pairs.partner(w, lanes, n, of);
	if (s)
		mark(*of);
	return s;
}

static void traced_order(Warp **list, int n)
{
	for (int k = 0; k < n; k++)
		mark(list[k]);
	plain_model(list[0])->blocks.order(list, n);
}

void tracer_wrap(Gpu *g)
{
	const ReconvModel *m = g->untraced = g->model;
	g->traced = *m;
#define TRACED(MEMBER, NAME) g->traced.MEMBER = m->MEMBER ? traced_##NAME : NULL;
	RECONV_EVENTS(TRACED)
#undef TRACED
	g->model = &g->traced;
}

static void mark_issue(const Warp *w, int split)
{
	Tracer *t = w->share->tracer;
	if (is_in(t->issued, w) && t->split[w->slot] != split)
		mark(w);
	add_to_set(t->issued, w);
	t->split[w->slot] = (uint16_t)split;
}

/* ---- rows ---- */

static inline uint16_t split_flags(const Split *s)
{
	static const uint16_t of_state[] = { [SPLIT_RUN] = FLAG_RUNS, [SPLIT_BARRIER] = FLAG_AT_BARRIER,
		[SPLIT_WARPSYNC] = FLAG_AT_SYNC,
		[SPLIT_PARKED] = FLAG_PARKED };
	uint16_t f = of_state[s->state];
	if (s->released)
		f = (uint16_t)((f & ~FLAG_RUNS) | FLAG_RELEASED);
	if (s->arriving)
		f = (uint16_t)((f & ~FLAG_RUNS) | FLAG_ARRIVING);
	return f;
}

static inline TraceRow split_row(const Warp *w, const Split *s)
{
	TraceRow r = trace_row(ROW_SPLIT, s->pc, s->mask);
	r.split = (uint16_t)(s - w->split);
	r.flags = split_flags(s);
	r.n = s->state == SPLIT_BARRIER ? s->barrier : 0;
	r.other = s->state == SPLIT_WARPSYNC ? s->sync_mask : 0;
	return r;
}

static void show_split(Rows *rows, const Warp *w, const Split *s)
{
	TraceRow r = split_row(w, s);
	vec_push(&rows->table[TABLE_SPLITS], r);
	if (!s->parts)
		return;
	each_part(s, p) {
		TraceRow h = trace_row(ROW_HOME, NO_PC, p->mask);
		h.split = r.split;
		h.n = (uint32_t)p->home->slot;
		reconv_show(rows, &h);
	}
}

void reconv_show_split(const Warp *w, const Split *s, TraceRow *r)
{
	r->pc = s->pc;
	r->split = (uint16_t)(s - w->split);
	r->flags |= split_flags(s) & FLAG_RUNS;
}

/* splits: those of the splits need not be shown */
static const Rows *show_rows(Sm *sm, const Warp *w, int unchanged, bool splits)
{
	Rows *rows = &w->share->tracer->now;
	rows->unchanged = unchanged;
	for (int k = 0; k < TABLE_COUNT; k++) {
		vec_clear(&rows->table[k]);
		rows->left_out[k] = 0;
	}
	rows->left_out[TABLE_SPLITS] = splits ? w->nsplit : 0;
	for (int k = 0; k < w->nsplit && !splits; k++)
		show_split(rows, w, &w->split[k]);
	if (sm->gpu->model->show && w->live)
		sm->gpu->model->show(w, rows);
	return rows;
}

const TraceRowVec *tracer_rows(Sm *sm, const Warp *w) { return show_rows(sm, w, 0, false)->table; }

/* ---- events ---- */

/* Writes events for how the rows of the warp's splits have changed, if it has as many of these as the trace
   told last, and all lanes are at home: mostly nothing but the place of one has. False: more may have
   changed, and nothing is written. */
static bool rewrite_splits(Share *x, const Warp *w, const TraceEvent *like)
{
	const TraceRowVec *told = &trace_state_warp(&x->tracer->state, like->sm,
		like->warp)->table[TABLE_SPLITS];
	if (told->n != w->nsplit)
		return false;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].parts)
			return false;
	for (int k = 0; k < w->nsplit; k++) {
		TraceEvent e = *like;
		e.row = split_row(w, &w->split[k]);
		if (trace_row_equal(&told->v[k], &e.row))
			continue;
		e.kind = TR_REWRITE;
		e.mask = e.row.mask;
		e.split = e.row.split;
		e.a = e.row.pc;
		e.b = (uint64_t)k;
		put_trace_event(x, &e);
	}
	return true;
}

/* Writes events for how the warp's rows have changed since the trace told them last. */
static void differences(Share *x, const Warp *w)
{
	Sm *sm = w->sm;
	TraceState *told = &x->tracer->state;
	TraceEvent like = { .cycle = launch_cycle(x, sm->now), .sm = (uint16_t)sm->id,
		.warp = (uint16_t)w->slot,
		.depth = (uint16_t)w->stack_depth };
	/* the trace has told no row of this warp yet */
	bool begins = !trace_state_warp(told, (unsigned)sm->id, (unsigned)w->slot)->table[TABLE_SPLITS].n;
	bool splits = rewrite_splits(x, w, &like);
	const Rows *rows = show_rows(sm, w, begins ? 0 : x->tracer->unchanged[w->slot], splits);
	trace_state_differences(told, &like, rows->table, rows->left_out, put_trace_event, x);
	x->tracer->unchanged[w->slot] = INT_MAX;
}

void tracer_event(Share *x, const Warp *w, const TraceEvent *e)
{
	/* readers need to know whose lanes these are: splits may have moved or got lanes in this cycle */
	if (e->kind == TR_ISSUE && w->sm->gpu->model->regroups)
		differences(x, w);
	put_trace_event(x, e);
	if (w && e->kind == TR_ISSUE)
		mark_issue(w, e->split);
	else if (w && e->kind != TR_MEMORY)
		mark(w);
}

/* Does the split that has issued stand where a reader of the issue's event takes it to be? If nothing but the
   issue has happened, all other rows are right, too, then. */
static bool as_told(Tracer *t, const Warp *w)
{
	const TraceRowVec *told = &trace_state_warp(&t->state, (unsigned)w->sm->id,
		(unsigned)w->slot)->table[TABLE_SPLITS];
	int k = t->split[w->slot];
	if (k >= told->n || k >= w->nsplit || told->v[k].pc != w->split[k].pc)
		return false;
	TraceRow r = split_row(w, &w->split[k]);
	return trace_row_equal(&told->v[k], &r);
}

/* Writes an event for each scheduler whose reason is not what the trace has told last. The event of an issue
   has told already that its scheduler issues. */
static void stalls(const Sm *sm, Share *x)
{
	int n = (int)sm->gpu->config.sched_count;
	uint64_t now = launch_cycle(x, sm->now);
	const TraceScheduler *told = &x->tracer->state.scheduler.v[sm->id * n];
	for (int k = 0; k < n; k++) {
		const Sched *d = &sm->sched[k];
		uint16_t why = d->of != x ? STALL_EMPTY : d->why == STALL_COUNT ? WHY_ISSUES : d->why;
		if (told[k].why != why || (why == WHY_ISSUES && told[k].since != now))
			put_trace_event(x, &(TraceEvent){ .cycle = now, .sm = (uint16_t)sm->id,
				.a = (uint64_t)k,
				.b = why, .kind = TR_STALL });
	}
}

/* The grid has no block on the SM: writes events that from cycle `from` on the SM's schedulers have nothing
   to do for the grid. */
static void trace_empty(const Sm *sm, Share *x, Cycle from)
{
	for (int64_t k = 0; k < sm->gpu->config.sched_count; k++) {
		TraceEvent e = { .cycle = launch_cycle(x, from), .sm = (uint16_t)sm->id, .a = (uint64_t)k,
			.b = STALL_EMPTY, .kind = TR_STALL };
		vec_push(&x->tracer->later, e);
		trace_state_event(&x->tracer->state, &e);
	}
}

static void cycle_of(Sm *sm, Share *x)
{
	Tracer *t = x->tracer;
	for (int first = 0; first < sm->nwarps; first += 64) {
		uint64_t changed = t->changed[first / 64], issued = t->issued[first / 64];
		int k;
		t->changed[first / 64] = t->issued[first / 64] = 0;
		each_lane(changed | issued, k) {
			const Warp *w = &sm->warp[first + k];
			if (first + k < sm->nwarps && w->used && w->share == x &&
				(changed >> k & 1 || !as_told(t, w)))
				differences(x, w);
		}
	}
	t->there |= x->resident > 0;
	if (!sm->gpu->options.functional && t->there) {
		stalls(sm, x);
		if (!x->resident)
			trace_empty(sm, x, sm->now + 1);
	}
	t->there = x->resident > 0;
}

void tracer_cycle(Sm *sm)
{
	for (int i = 0; i < sm->gpu->running.n; i++)
		cycle_of(sm, sm->gpu->running.v[i]->share[sm->id]);
	if (tracer_watch)
		tracer_watch(sm);
}

/* ---- events that are known in advance ---- */

void tracer_return(Sm *sm, const Warp *w, const MIns *i, Mask m, Cycle issued, Cycle then)
{
	if (m && i->nwr)
		vec_push(&w->share->tracer->later, ((TraceEvent){ .cycle = launch_cycle(w->share, then),
			.mask = m, .a = (uint64_t)(i - w->ins), .b = launch_cycle(w->share, issued),
			.sm = (uint16_t)sm->id, .warp = (uint16_t)w->slot, .kind = TR_RETURN }));
}

/* Orders events that were known in advance, independently of when they became known. */
static int by_known_order(const void *p, const void *q)
{
	const TraceEvent *a = p, *b = q;
#define BY(FIELD) if (a->FIELD != b->FIELD) return a->FIELD < b->FIELD ? -1 : 1
	BY(cycle);
	BY(kind);
	BY(b);
	BY(warp);
	BY(a);
	BY(mask);
#undef BY
	return 0;
}

void tracer_merge(Share *x, Cycle end)
{
	Tracer *t = x->tracer;
	if (!t->later.n)
		return;
	qsort(t->later.v, (size_t)t->later.n, sizeof *t->later.v, by_known_order);
	int n = 0;
	while (n < t->later.n && t->later.v[n].cycle < launch_cycle(x, end))
		n++;
	vec_reserve(&x->events, x->events.n + n);
	TraceEvent *v = x->events.v;
	int from = x->events.n - 1, to = from + n;
	x->events.n += n;
	/* events known in advance come before the SM's other events of the same cycle */
	for (int k = n - 1; k >= 0; to--)
		if (from >= 0 && v[from].cycle >= t->later.v[k].cycle)
			v[to] = v[from--];
		else
			v[to] = t->later.v[k--];
	memmove(t->later.v, t->later.v + n, sizeof *t->later.v * (size_t)(t->later.n - n));
	t->later.n -= n;
}

/* ---- the launch ---- */

void tracer_open(const Sm *sm, Share *x)
{
	Tracer *t = x->tracer = xcalloc(1, sizeof *t);
	if (sm->gpu->options.functional)
		return;
	t->state.schedulers = (int)sm->gpu->config.sched_count;
	for (int k = 0; k < t->state.schedulers; k++)
		put_trace_event(x, &(TraceEvent){ .sm = (uint16_t)sm->id, .a = (uint64_t)k, .b = STALL_EMPTY,
			.kind = TR_STALL });
}

void tracer_close(Share *x)
{
	Tracer *t = x->tracer;
	if (!t)
		return;
	trace_state_free(&t->state);
	for (int k = 0; k < TABLE_COUNT; k++)
		vec_free(&t->now.table[k]);
	vec_free(&t->later);
	free(t);
	x->tracer = NULL;
}
