/* The services that the core offers to mechanisms: sim/reconv/core.h says what each does. */
#include "sim/machine/scoreboard.h"
#include "sim/machine/machine.h"

_Static_assert(offsetof(Warp, front) == 0, "mechanisms find a warp's first members there");

const Code *reconv_code(const Warp *w) { return code_of(w); }
void *reconv_alloc(Warp *w, size_t n) { return arena_alloc(&w->sm->slots, n); }

void *reconv_grow(Warp *w, void *p, int n, int *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 72;
	void *more = reconv_alloc(w, size * (size_t)*cap);
	if (n)
		memcpy(more, p, size * (size_t)n);
	return more;
}

void *reconv_sm_state(Warp *w) { return w->share->model_state; }
void *reconv_block_state(Warp *w) { return w->cta->model_state; }

int reconv_block_warps(Warp *w, Warp **list)
{
	int n = 0, k;
	each_slot(&w->cta->slots, k)
		list[n++] = &w->sm->warp[k];
	return n;
}

bool reconv_others_ready(const Warp *w)
{
	for (int k = 0; k < w->sched->n; k++)
		if (k != w->place && w->sched->wake[k] <= w->sm->now)
			return true;
	return false;
}

bool reconv_asleep(const Warp *w)
{
	unsigned why = w->sched->wake_why[w->place];
	return w->sched->wake[w->place] > w->sm->now && why != STALL_UNIT && why != STALL_MEMPIPE;
}

Mask reconv_first_ready(const Warp *w, const Split *s, Cycle *when)
{
	const MIns *i = reconv_ins(w, s->pc);
	int l;
	Mask first = 0;
	*when = NEVER;
	each_lane(s->mask, l) {
		int64_t most = 0;
		for (int k = 0; k < i->nchk && w->sm->lane_scoreboard; k++) {
			int64_t ready = needed_ready(w->sm, &i->sb[k], scoreboard_read(w, i->sb[k].name, l));
			most = ready > most ? ready : most;
		}
		if ((Cycle)most < *when) {
			*when = (Cycle)most;
			first = 0;
		}
		first |= (Cycle)most == *when ? (Mask)1 << l : 0;
	}
	return *when >= PENDING ? s->mask : first;
}

int reconv_scheduler_warps(Warp *w, Warp **list)
{
	for (int k = 0; k < w->sched->n; k++)
		list[k] = &w->sm->warp[w->sched->order[k]];
	return w->sched->n;
}

void reconv_count_own(Warp *w, const char *key)
{
	Totals *s = &w->share->totals;
	int k = 0;
	while (k < s->nmodel && strcmp(s->model[k].key, key))
		k++;
	if (k == s->nmodel) {
		must(k < MODEL_STATS);
		s->model[s->nmodel++] = (ModelStat){ .key = key };
	}
	s->model[k].value++;
}

uint32_t *reconv_row(Warp *w, uint32_t row) { return row32(&w->lanes, row); }

int reconv_close_gap(Warp *w, Split *s)
{
	int at = (int)(s - w->split);
	w->nsplit--;
	memmove(s, s + 1, sizeof *s * (size_t)(w->nsplit - at));
	return at;
}

Events *reconv_events(Warp *w) { return &w->sm->awaited; }
void reconv_turns(Warp *w, int turns) { w->take_turns = (uint8_t)turns; }
void reconv_alarm(Warp *w, Cycle at) { w->alarm = at; }
uint32_t reconv_return_pc(const Warp *w, Mask m)
{
	int l = lowest_lane(m);
	must(w->depth[l]);
	return w->ret[(size_t)((w->depth[l] - 1) * 2) * (size_t)w->lanes.width + (size_t)l];
}

uint64_t reconv_value(const Warp *w, const MIns *i, int lane)
{
	return i->flags & MI_ADDR64 ? row64(&w->lanes, i->x.b)[lane] : row32(&w->lanes, i->x.b)[lane];
}

static void trace_core_event(Warp *w, const Split *s, TraceKind kind, uint32_t pc, Mask m, uint64_t b)
{
	if (tracing(w->sm))
		sm_trace(w->sm, w, s, kind, m, pc, b);
}

static void put_event_with_depth(Warp *w, const Split *s, TraceKind kind, uint32_t pc, Mask m)
{
	note_depth(w->sm, w);
	trace_core_event(w, s, kind, pc, m, w->stack_depth);
}

void reconv_count_push(Warp *w, const Split *s, uint32_t pc, Mask m)
{
	w->share->totals.pushes++;
	put_event_with_depth(w, s, TR_PUSH, pc, m);
}

void reconv_count_pop(Warp *w, const Split *s, uint32_t pc, Mask m)
{
	w->share->totals.pops++;
	put_event_with_depth(w, s, TR_POP, pc, m);
}

void reconv_count_merge(Warp *w, const Split *s, uint32_t pc, Mask m)
{
	w->share->totals.merges++;
	trace_core_event(w, s, TR_RECONVERGE, pc, m, 2);
}

void reconv_delay(Warp *w, Split *s, Cycle n)
{
	if (!n)
		return;
	wait_delay(&w->sm->awaited, &s->wait, n, w->sm->now);
	s->wait.why = STALL_DIVERGENCE;
}

void reconv_distance(Warp *w, Split *s, Cycle n)
{
	s->wait = wait_until(w->sm->now + (n ? n : 1), STALL_DIVERGENCE);
	w->exact = true;
}

/* ---- what a split waits for ---- */

MemTicket *sm_ticket(Sm *sm)
{
	return sm->tickets.n ? vec_pop(&sm->tickets) : arena_new(&sm->arena, MemTicket);
}

uint32_t sm_new_event(Sm *sm, Split *s, Stall why)
{
	if (!++sm->event) /* event 0 stands for no event */
		sm->event++;
	wait_add(&sm->awaited, &s->wait, sm->event, (uint8_t)why);
	return sm->event;
}

void sm_wait(Sm *sm, Warp *w, Split *s, MemTicket *t, Stall why)
{
	if (t->npending) {
		vec_push(&sm->deferred, ((Deferred){ .cycle = sm->now, .warp = w,
			.event = sm_new_event(sm, s, why), .ticket = t }));
		return;
	}
	wait_add_told(&s->wait, t->ready, (uint8_t)why);
	vec_push(&sm->tickets, t);
}

/* ---- stacks that spill ---- */

/* Where a warp's spilled entries lie: a region of the memory system's address space that nothing else
   uses. */
static uint64_t spill_address(const Warp *w, int entry)
{
	uint64_t slot = (uint64_t)w->sm->id * (uint64_t)w->sm->nwarps + (uint64_t)w->slot;
	return 0x0000030000000000u + (slot << 20) + (uint64_t)entry *
		(uint64_t)w->sm->gpu->config.div_entry_bytes;
}

static void move_entries(Warp *w, Split *s, int entry, int n, bool store, Cycle constant)
{
	Sm *sm = w->sm;
	const Config *c = &sm->gpu->config;
	if (sm->gpu->options.functional)
		return;
	if (c->div_spill == SPILL_CONSTANT) {
		reconv_delay(w, s, constant);
		return;
	}
	MemTicket *t = sm_ticket(sm);
	smmem_mechanism(sm->mem, sm->now, spill_address(w, entry), (unsigned)(n * c->div_entry_bytes), store,
		&w->share->totals, t);
	sm_wait(sm, w, s, t, STALL_DIVERGENCE);
}

void reconv_spill_push(Warp *w, Split *s, StackSpill *k, Cycle constant)
{
	const Config *c = reconv_config(w);
	if (c->div_depth && k->resident >= c->div_depth) {
		int n = (int)(c->div_chunk < k->resident ? c->div_chunk : k->resident);
		move_entries(w, s, k->spilled, n, true, constant);
		reconv_changed(w, k->spilled);
		k->resident -= n;
		k->spilled += n;
		w->share->totals.spills++;
		trace_core_event(w, s, TR_SPILL, (uint32_t)n, s->mask, (uint64_t)(k->resident + k->spilled));
	}
	k->resident++;
}

void reconv_spill_top(Warp *w, Split *s, StackSpill *k, Cycle constant)
{
	const Config *c = reconv_config(w);
	if (k->resident == 0 && k->spilled > 0) {
		int n = (int)(c->div_chunk < k->spilled ? c->div_chunk : k->spilled);
		if (n > c->div_depth)
			n = (int)c->div_depth;
		k->spilled -= n;
		k->resident += n;
		reconv_changed(w, k->spilled);
		move_entries(w, s, k->spilled, n, false, constant);
		w->share->totals.fills++;
		trace_core_event(w, s, TR_FILL, (uint32_t)n, s->mask, (uint64_t)(k->resident + k->spilled));
	}
}

void reconv_spill_pop(Warp *w, Split *s, StackSpill *k, Cycle constant)
{
	reconv_spill_top(w, s, k, constant);
	if (k->resident > 0)
		k->resident--;
}

/* ---- tables that spill ---- */

void reconv_spill_entry(Warp *w, Split *s, int entry, Cycle constant)
{
	move_entries(w, s, entry, 1, true, constant);
	w->share->totals.spills++;
	put_event_with_depth(w, s, TR_SPILL, 1, s->mask);
}

void reconv_fill_entry(Warp *w, Split *s, int entry, Cycle constant)
{
	move_entries(w, s, entry, 1, false, constant);
	w->share->totals.fills++;
	put_event_with_depth(w, s, TR_FILL, 1, s->mask);
}
