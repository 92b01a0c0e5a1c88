#include "traces/state.h"

const char *const trace_table_title[TABLE_COUNT] = {
#define X(ID, TITLE) [TABLE_##ID] = TITLE,
	TRACE_TABLES(X)
#undef X
};

const TraceRowInfo trace_row_info[ROW_COUNT] = {
#define X(ID, TABLE, NAME, RPC, N, M, OTHER) [ROW_##ID] = { NAME, RPC, N, M, OTHER, TABLE_##TABLE },
	TRACE_ROWS(X)
#undef X
};

/* Limits that keep a hostile trace from taking too much memory and time: most rows of all tables, most rows
   that are moved to insert one, most warps. */
enum { MOST_ROWS = 1 << 22, MOST_MOVED = 1 << 16, MOST_WARPS = 1 << 19 };

/* ---- warps and schedulers ---- */

static uint32_t warp_key(unsigned sm, unsigned slot) { return (uint32_t)sm << 16 | (slot & 0xffff); }

static bool is_near(const TraceState *t, unsigned sm, unsigned slot)
{
	return slot < NEAR_SLOTS && sm - t->near_sm < NEAR_SMS;
}

static uint32_t first_place(const TraceState *t, uint32_t key)
{
	return key * 2654435761u >> 7 & ((uint32_t)t->place.n - 1);
}

static void enter_place(TraceState *t, int warp)
{
	uint32_t i = first_place(t, warp_key(t->warp.v[warp].sm, t->warp.v[warp].slot));
	while (t->place.v[i])
		i = (i + 1) & ((uint32_t)t->place.n - 1);
	t->place.v[i] = warp + 1;
}

static void grow_places(TraceState *t)
{
	int n = t->place.n ? t->place.n * 2 : 64;
	vec_reserve(&t->place, n);
	t->place.n = n;
	memset(t->place.v, 0, sizeof *t->place.v * (size_t)n);
	for (int k = 0; k < t->warp.n; k++)
		if (!is_near(t, t->warp.v[k].sm, t->warp.v[k].slot))
			enter_place(t, k);
}

static int *hashed_place(TraceState *t, unsigned sm, unsigned slot)
{
	if (t->warp.n * 2 >= t->place.n)
		grow_places(t);
	uint32_t i = first_place(t, warp_key(sm, slot));
	for (; t->place.v[i]; i = (i + 1) & ((uint32_t)t->place.n - 1)) {
		const TraceWarp *w = &t->warp.v[t->place.v[i] - 1];
		if (w->sm == sm && w->slot == slot)
			break;
	}
	return &t->place.v[i];
}

static int *near_place(TraceState *t, unsigned sm, unsigned slot)
{
	int n = t->near.n, want = (int)(sm - t->near_sm + 1) * NEAR_SLOTS;
	if (want > n) {
		vec_reserve(&t->near, want);
		memset(t->near.v + n, 0, sizeof *t->near.v * (size_t)(want - n));
		t->near.n = want;
	}
	return &t->near.v[(sm - t->near_sm) * NEAR_SLOTS + slot];
}

static TraceWarp *enter_warp(TraceState *t, unsigned sm, unsigned slot)
{
	if (!t->warp.n)
		t->near_sm = sm;
	int *place = is_near(t, sm, slot) ? near_place(t, sm, slot) : hashed_place(t, sm, slot);
	if (!*place) {
		vec_push(&t->warp, ((TraceWarp){ .sm = (uint16_t)sm, .slot = (uint16_t)slot }));
		*place = t->warp.n;
	}
	return &t->warp.v[*place - 1];
}

static inline TraceWarp *find_warp(TraceState *t, unsigned sm, unsigned slot)
{
	unsigned at = (sm - t->near_sm) * NEAR_SLOTS + slot;
	if (is_near(t, sm, slot) && at < (unsigned)t->near.n && t->near.v[at])
		return &t->warp.v[t->near.v[at] - 1];
	return enter_warp(t, sm, slot);
}

TraceWarp *trace_state_warp(TraceState *t, unsigned sm, unsigned slot) { return find_warp(t, sm, slot); }

/* at: the number of a scheduler, counted over all SMs: that of the SM times t->schedulers, and its own */
static TraceScheduler *grow_schedulers(TraceState *t, unsigned at)
{
	for (int k = t->scheduler.n; k <= (int)at; k++)
		vec_push(&t->scheduler, ((TraceScheduler){ (uint16_t)(k / t->schedulers),
			(uint16_t)(k % t->schedulers), WHY_ISSUES, 0 }));
	return &t->scheduler.v[at];
}

static inline bool keep_stall(TraceState *t, const TraceEvent *e)
{
	if (e->a >= (uint64_t)t->schedulers || e->b > WHY_ISSUES)
		return false;
	unsigned at = e->sm * (unsigned)t->schedulers + (unsigned)e->a;
	TraceScheduler *s = at < (unsigned)t->scheduler.n ? &t->scheduler.v[at]
		: grow_schedulers(t, at);
	s->why = (uint16_t)e->b;
	s->since = e->cycle;
	return true;
}

static void clear_rows(TraceState *t, TraceWarp *w)
{
	for (int k = 0; k < TABLE_COUNT; k++) {
		t->rows -= (uint64_t)w->table[k].n;
		vec_clear(&w->table[k]);
	}
	w->running = 0;
}

void trace_state_clear(TraceState *t)
{
	for (int k = 0; k < t->warp.n; k++)
		for (int i = 0; i < TABLE_COUNT; i++)
			vec_free(&t->warp.v[k].table[i]);
	vec_clear(&t->warp);
	vec_clear(&t->scheduler);
	t->schedulers = 0;
	vec_clear(&t->near);
	if (t->place.n)
		memset(t->place.v, 0, sizeof *t->place.v * (size_t)t->place.n);
	t->rows = t->cycle = 0;
}

void trace_state_free(TraceState *t)
{
	trace_state_clear(t);
	vec_free(&t->warp);
	vec_free(&t->scheduler);
	vec_free(&t->near);
	vec_free(&t->place);
}

/* ---- what events do ---- */

/* How many of n rows are rows of the stack that have FLAG_RUNS. */
static int running(const TraceRow *r, int n)
{
	int sum = 0;
	for (int k = 0; k < n; k++)
		sum += trace_row_info[r[k].kind].table == TABLE_STACK && r[k].flags & FLAG_RUNS;
	return sum;
}

static bool set_row(TraceState *t, TraceWarp *w, const TraceEvent *e)
{
	TraceRowVec *v = &w->table[trace_row_info[e->row.kind].table];
	if (e->kind == TR_LEAVE) {
		if (e->b > (uint64_t)v->n || e->a > (uint64_t)v->n - e->b)
			return false;
		if (!e->a)
			return true;
		int at = (int)e->b, n = (int)e->a;
		w->running -= running(v->v + at, n);
		memmove(v->v + at, v->v + at + n, sizeof *v->v * (size_t)(v->n - at - n));
		v->n -= n;
		t->rows -= (uint64_t)n;
		return true;
	}
	if (e->kind == TR_REWRITE) {
		if (e->b >= (uint64_t)v->n)
			return false;
		w->running += running(&e->row, 1) - running(&v->v[e->b], 1);
		v->v[e->b] = e->row;
		return true;
	}
	if (e->b > (uint64_t)v->n || (uint64_t)v->n - e->b > MOST_MOVED || t->rows >= MOST_ROWS)
		return false;
	w->running += running(&e->row, 1);
	vec_insert(v, (int)e->b, e->row);
	t->rows++;
	return true;
}

static inline bool runs(const TraceRow *r, unsigned split)
{
	return r->split == split && r->flags & FLAG_RUNS;
}

/* Moves the split that has issued to the next instruction; if it goes elsewhere, an event for its row
   follows. */
static void step_split(TraceWarp *w, const TraceEvent *e)
{
	static const int tables[] = { TABLE_SPLITS, TABLE_STACK };
	for (int x = 0; x < 1 + (w->running > 0); x++) {
		const TraceRowVec *v = &w->table[tables[x]];
		int k = v->n - 1;
		/* as a rule the row of a split is at the split's own index */
		if (tables[x] == TABLE_SPLITS && e->split < v->n && runs(&v->v[e->split], e->split))
			k = e->split;
		while (k >= 0 && !runs(&v->v[k], e->split))
			k--;
		if (k >= 0)
			v->v[k].pc = (uint32_t)e->a + 1;
	}
}

/* The scheduler of a warp slot: the slot modulo their number. */
static inline unsigned scheduler_of(const TraceState *t, unsigned slot)
{
	unsigned n = (unsigned)t->schedulers;
	return n & (n - 1) ? slot % n : slot & (n - 1);
}

static inline void issue_from_scheduler(TraceState *t, const TraceEvent *e)
{
	unsigned at = e->sm * (unsigned)t->schedulers + scheduler_of(t, e->warp);
	TraceScheduler *s = at < (unsigned)t->scheduler.n ? &t->scheduler.v[at] : grow_schedulers(t, at);
	s->why = WHY_ISSUES;
	s->since = e->cycle;
}

static void start_traced_warp(TraceState *t, TraceWarp *w, const TraceEvent *e)
{
	clear_rows(t, w);
	w->used = true;
	w->block = e->a;
	w->index = e->b;
	w->since = e->cycle;
	w->lanes = e->mask;
	w->ended = 0;
}

static bool __attribute__((noinline)) state_event(TraceState *t, const TraceEvent *e)
{
	if (e->kind == TR_BLOCK_START || e->kind == TR_BLOCK_END || e->kind == TR_RETURN)
		return true;
	if (t->warp.n >= MOST_WARPS)
		return false;
	TraceWarp *w = find_warp(t, e->sm, e->warp);
	w->depth = e->depth;
	switch (e->kind) {
	case TR_ENTER: case TR_REWRITE: case TR_LEAVE:
		return set_row(t, w, e);
	case TR_ISSUE:
		step_split(w, e);
		if (t->schedulers)
			issue_from_scheduler(t, e);
		return true;
	case TR_EXIT:
		w->ended |= e->mask;
		return true;
	case TR_WARP_START:
		start_traced_warp(t, w, e);
		return true;
	case TR_WARP_END:
		w->used = false;
		clear_rows(t, w);
		return true;
	default:
		return true;
	}
}

/* What most events are goes a way of its own: an issue of a split whose row is where it mostly is. */
static inline bool is_plain_issue(const TraceState *t, const TraceEvent *e, TraceWarp **warp)
{
	unsigned at = (e->sm - t->near_sm) * NEAR_SLOTS + e->warp;
	if (e->kind != TR_ISSUE || !is_near(t, e->sm, e->warp) || at >= (unsigned)t->near.n || !t->near.v[at])
		return false;
	TraceWarp *w = *warp = &t->warp.v[t->near.v[at] - 1];
	const TraceRowVec *splits = &w->table[TABLE_SPLITS];
	return e->split < splits->n && runs(&splits->v[e->split], e->split) && (!w->running ||
		runs(&vec_last(&w->table[TABLE_STACK]), e->split));
}

bool trace_state_event(TraceState *t, const TraceEvent *e)
{
	TraceWarp *w;
	if (e->cycle > t->cycle)
		t->cycle = e->cycle;
	if (e->kind == TR_STALL)
		return keep_stall(t, e);
	if (!is_plain_issue(t, e, &w) || t->warp.n >= MOST_WARPS)
		return state_event(t, e);
	w->depth = e->depth;
	w->table[TABLE_SPLITS].v[e->split].pc = (uint32_t)e->a + 1;
	if (w->running)
		vec_last(&w->table[TABLE_STACK]).pc = (uint32_t)e->a + 1;
	if (t->schedulers)
		issue_from_scheduler(t, e);
	return true;
}

/* ---- differences ---- */

typedef struct Change { TraceState *state; TraceEvent e; TraceEmit *emit; void *self; } Change;

static void emit_change(Change *c, int kind, const TraceRow *row, uint64_t a, int at)
{
	c->e.kind = (uint8_t)kind;
	c->e.row = *row;
	c->e.mask = row->mask;
	c->e.split = row->split;
	c->e.a = a;
	c->e.b = (uint64_t)at;
	c->emit(c->self, &c->e);
}

static void emit_row(Change *c, int kind, const TraceRow *row, int at)
{
	emit_change(c, kind, row, row->pc, at);
}

/* Emits the events that turn the rows `old` of a table into the rows `now`; in the table they stand behind
   `first` other rows. Equal rows at the begin and at the end stay; of the rows between, as many as both have
   are rewritten, and the rest enter or leave. */
static void put_differences(Change *c, int first, const TraceRow *old, int nold, const TraceRow *now, int n)
{
	int front = 0, most = nold < n ? nold : n, same = 0;
	if (nold != n) {
		while (front < most && trace_row_equal(&old[front], &now[front]))
			front++;
		while (same < most - front && trace_row_equal(&old[nold - 1 - same], &now[n - 1 - same]))
			same++;
	}
	int both = most - same;
	for (int k = front; k < both; k++)
		if (!trace_row_equal(&old[k], &now[k]))
			emit_row(c, TR_REWRITE, &now[k], first + k);
	for (int k = both; k < n - same; k++)
		emit_row(c, TR_ENTER, &now[k], first + k);
	if (nold > n) {
		TraceRow gone = { .kind = old[both].kind, .split = ROW_NO_SPLIT, .pc = ROW_NO_PC,
			.rpc = ROW_NO_PC };
		emit_change(c, TR_LEAVE, &gone, (uint64_t)(nold - n), first + both);
	}
}

void trace_state_differences(TraceState *t, const TraceEvent *like, const TraceRowVec now[TABLE_COUNT],
	const int left_out[TABLE_COUNT], TraceEmit *emit, void *self)
{
	Change c = { t, *like, emit, self };
	TraceRowVec before = { 0 };
	/* w stays valid, since the events that are emitted ask for no other warp */
	const TraceWarp *w = trace_state_warp(t, like->sm, like->warp);
	for (int k = 0; k < TABLE_COUNT; k++) {
		int first = left_out[k], n = w->table[k].n - first;
		const TraceRow *old = w->table[k].v + first;
		must(n >= 0);
		bool same = n == now[k].n;
		for (int i = 0; same && i < n; i++)
			same = trace_row_equal(&old[i], &now[k].v[i]);
		if (same)
			continue;
		vec_reserve(&before, n);
		if (n)
			memcpy(before.v, old, sizeof *old * (size_t)n);
		put_differences(&c, first, before.v, n, now[k].v, now[k].n);
	}
	vec_free(&before);
}

void trace_state_replay(const TraceState *t, TraceEmit *emit, void *self)
{
	for (int k = 0; k < t->scheduler.n; k++) {
		const TraceScheduler *s = &t->scheduler.v[k];
		if (s->why != WHY_ISSUES)
			emit(self, &(TraceEvent){ .cycle = s->since, .sm = s->sm, .a = s->number, .b = s->why,
				.kind = TR_STALL });
	}
	for (int k = 0; k < t->warp.n; k++) {
		const TraceWarp *w = &t->warp.v[k];
		TraceEvent e = { .cycle = w->since, .sm = w->sm, .warp = w->slot, .depth = w->depth };
		if (!w->used)
			continue;
		e.kind = TR_WARP_START;
		e.mask = w->lanes;
		e.a = w->block;
		e.b = w->index;
		emit(self, &e);
		if (w->ended) {
			e.kind = TR_EXIT;
			e.mask = w->ended;
			e.a = ROW_NO_PC;
			emit(self, &e);
		}
		Change c = { NULL, e, emit, self };
		for (int i = 0; i < TABLE_COUNT; i++)
			put_differences(&c, 0, NULL, 0, w->table[i].v, w->table[i].n);
	}
}
