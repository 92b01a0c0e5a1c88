/* When the load/store unit of an SM makes accesses. It makes one access after the other, in the order in
 * which they are issued; each has the unit for as many cycles as it has lines, phases or conflicts. An access
 * that cannot be made yet, because the unit is busy or the memory system has no room for it, waits in a queue
 * in which every warp has one place (the parts of one generic instruction share it), and holds up all
 * accesses that come later.
 *
 * Data are not moved here: they move at issue, or at the end of the window, in the order of issues, which is
 * the queue's. */
#include "sim/machine/levels.h"
#include "sim/machine/scoreboard.h"
#include "sim/exec/access.h"

/* Local memory is interleaved: word k of all threads of a warp lies together. */
static uint64_t local_base(const Sm *sm, const Warp *w)
{
	return LOCAL_WINDOW + ((uint64_t)sm->id * (uint64_t)sm->nwarps + (uint64_t)w->slot) *
		(uint64_t)sm->gpu->config.sm_local * (uint64_t)w->lanes.width;
}

static void interleave_lanes(const Sm *sm, const Warp *w, const Addresses *a, Mask m, unsigned size,
	uint64_t *out)
{
	uint64_t W = (uint64_t)w->lanes.width, base = local_base(sm, w);
	int l;
	each_lane(m, l) {
		uint64_t at = lane_address(a, l);
		out[l] = base + at / 4 * 4 * W + (uint64_t)l * (size >= 4 ? size : 4) + (size >= 4 ? 0
			: at % 4);
	}
}

/* Writes the interleaved addresses. out: room for those of all lanes. */
static void interleave_local(const Sm *sm, const Warp *w, const Split *s, const Addresses *from,
	uint64_t *out, Access *a)
{
	uint64_t W = (uint64_t)w->lanes.width;
	if (!s->parts && from->row && !from->step) {
		a->shape = SHAPE_ROW;
		a->first = local_base(sm, w) + from->first / 4 * 4 * W +
			(a->bytes >= 4 ? 0 : from->first % 4);
		a->step = a->bytes >= 4 ? a->bytes : 4;
		return;
	}
	a->shape = SHAPE_ANY;
	a->addr = out;
	if (!s->parts)
		interleave_lanes(sm, w, from, a->mask, a->bytes, out);
	else
		each_part(s, p)
			interleave_lanes(sm, p->home, from, a->mask & p->mask, a->bytes, out);
}

/* Writes the addresses as they are. */
static void plain_access(const Addresses *from, int width, Access *a)
{
	if (from->row) {
		a->shape = SHAPE_ROW;
		a->first = from->first;
		a->step = from->step;
	} else {
		a->shape = a->mask != lanes_below(width) ? SHAPE_ANY : SHAPE_APART;
		a->addr = from->at;
	}
}

/* What the trace says of an access: its lowest address, and how many sectors it has asked for. */
static void note_access(const Access *a, uint64_t sectors, Issue *is)
{
	int l;
	each_lane(a->mask, l)
		if (!is->lanes || access_address(a, l) < is->lowest) {
			is->lowest = access_address(a, l);
			is->lanes |= a->mask;
		}
	is->sectors += sectors;
}

/* Makes the access now, if the memory system takes it, and returns whether it does. If not, the unit is held
   until it is worth trying again (lsu_free). */
static bool make_access(Sm *sm, Warp *w, const Access *a, MemTicket *t, Issue *is)
{
	Cycle retry = 0;
	Totals *st = &w->share->totals;
	uint64_t sectors = st->transactions;
	if (!smmem_access(sm->mem, sm->now, a, st, t, &retry)) {
		sm->lsu_free = retry >= sm->until ? PENDING : retry > sm->now ? retry : sm->now + 1;
		return false;
	}
	if (t->pipe_free > sm->lsu_free)
		sm->lsu_free = t->pipe_free;
	if (tracing(sm))
		note_access(a, st->transactions - sectors, is);
	return true;
}

/* Says whether only the end of the window tells when the data of the access are there. Global data always
   move then. */
static LsuSays says(const MemTicket *t, const Access *a)
{
	return a->space == SP_GLOBAL || t->npending || t->hit_lanes ? LSU_PENDING : LSU_KNOWN;
}

/* ---- the queue ---- */

static void take_place(Sm *sm, Warp *w, const Split *s, const MIns *i, const Access *a, MemTicket *t)
{
	LsuPlace *q = &w->lsu;
	if (!q->n)
		sm->lsu[(sm->lsu_first + sm->lsu_n++) % sm->nwarps] = w;
	LsuAccess *e = q->access[q->n];
	if (!e)
		e = q->access[q->n] = arena_new(&sm->arena, LsuAccess);
	q->n++;
	e->access = *a;
	e->ins = i;
	e->ticket = t;
	e->event = 0;
	if (a->shape != SHAPE_ROW) {
		if (!e->addr)
			e->addr = arena_array(&sm->arena, uint64_t, w->lanes.width);
		memcpy(e->addr, a->addr, sizeof *a->addr * (size_t)w->lanes.width);
	}
	e->access.addr = e->addr;
	if (!e->part)
		e->part = arena_array(&sm->arena, Part, sm->gpu->model->regroups ? w->lanes.width : 1);
	e->nparts = 0;
	if (!s->parts)
		e->part[e->nparts++] = (Part){ w, a->mask };
	else
		each_part(s, p)
			if (a->mask & p->mask)
				e->part[e->nparts++] = (Part){ p->home, a->mask & p->mask };
	w->queued++;                   /* so the warp keeps its slot, and with it the place in the queue */
	for (int k = 0; k < e->nparts; k++)
		e->part[k].home->queued++;
}

/* Does for the lanes of one home what follows when a queued access has been made now. own: this part has the
   access's ticket. */
static void home_made(Sm *sm, const LsuAccess *e, Part p, bool own)
{
	const MIns *i = e->ins;
	p.home->queued--;
	if (says(e->ticket, &e->access) == LSU_PENDING) {
		p.home->outstanding += comes_back(i);
		vec_push(&sm->deferred, ((Deferred){ .cycle = sm->now, .warp = p.home, .ins = i,
			.lanes = p.mask, .ticket = own ? e->ticket : NULL }));
	} else {
		Cycle ready = e->ticket->ready;
		uint8_t level = e->ticket->level;
		if (tracing(sm) && comes_back(i))
			tracer_return(sm, p.home, i, p.mask, sm->now, ready);
		if (whole_ready(sm, e->ticket, &ready, &level))
			scoreboard_loaded(sm, p.home, i, p.mask, ready, level);
		if (comes_back(i) && ready > p.home->drain)
			p.home->drain = ready;
	}
}

/* Wakes the warp whose access has been made. Where splits may have lanes of several warps, any warp may carry
   lanes that have waited for the access, so all are woken. */
static void wake_warps(Sm *sm, const Warp *w)
{
	warp_wake(w);
	for (int k = 0; k < sm->nwarps && sm->gpu->model->regroups; k++)
		if (sm->warp[k].used)
			warp_wake(&sm->warp[k]);
}

/* Tells the mechanism which lanes of a load have hit. Their split has waited until that is known. */
static void tell_loaded(Sm *sm, Warp *w, const LsuAccess *e)
{
	Mask hits = e->ticket->hit_lanes, misses = e->access.mask & ~hits;
	Split *all = NULL; /* the split that has issued the load, if it still has all lanes of the load */
	events_tell(&sm->awaited, e->event, sm->now + 1);
	for (int k = 0; k < w->nsplit; k++) {
		wait_hear(&sm->awaited, &sm->awaited, &w->split[k].wait);
		all = (hits | misses) & ~w->split[k].mask ? all : &w->split[k];
	}
	if (all && hits && misses) {
		sm->gpu->model->times.loaded(w, all, e->ins, hits, misses);
		note_depth(sm, w);
	}
}

static void lsu_access_made(Sm *sm, Warp *w, LsuAccess *e)
{
	LsuSays what = says(e->ticket, &e->access);
	for (int k = 0; k < e->nparts; k++)
		home_made(sm, e, e->part[k], k == 0);
	w->queued--;
	if (what != LSU_PENDING)
		levels_settle(sm);
	wake_warps(sm, w);
	if (e->event)
		tell_loaded(sm, w, e);
	if (what == LSU_KNOWN)
		vec_push(&sm->tickets, e->ticket);
}

void lsu_serve(Sm *sm)
{
	while (sm->lsu_n && sm->lsu_free <= sm->now) {
		Warp *w = sm->lsu[sm->lsu_first];
		LsuPlace *q = &w->lsu;
		LsuAccess *e = q->access[q->made];
		Issue is = { .now = sm->now };
		if (!make_access(sm, w, &e->access, e->ticket, &is))
			return;
		if (++q->made == q->n) {
			q->n = q->made = 0;
			sm->lsu_first = (sm->lsu_first + 1) % sm->nwarps;
			sm->lsu_n--;
		}
		if (is.lanes)
			sm_trace(sm, w, NULL, TR_MEMORY, is.lanes, is.lowest, is.sectors);
		lsu_access_made(sm, w, e);
	}
}

static void trace_returns(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m, Cycle ready)
{
	Part part[64];
	int n = reconv_parts(w, s, part);
	for (int k = 0; k < n; k++)
		tracer_return(sm, part[k].home, i, m & part[k].mask, sm->now, ready);
}

LsuSays lsu_access(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Space space, Addresses *addr,
	MemTicket *t, Issue *is)
{
	uint64_t local[64];
	/* every lane has a load/store unit of its own, so nothing waits for it */
	bool ideal = sm->gpu->model->own_slots;
	Access a = { .kind = i->kind == K_LD ? ACC_LOAD : i->kind == K_ST ? ACC_STORE : ACC_ATOMIC,
		.space = space,
		.bypass_l1 = i->flags & MI_BYPASS, .returns = i->x.d != NO_ROW, .forced = ideal,
		.own_ports = ideal, .bytes = (unsigned)i->bytes * i->vec,
		.aligned = space == SP_GLOBAL, .mask = m };
	if (space == SP_GLOBAL)
		a.ordered = fence_ordered(sm, w, s, m);
	if (space == SP_PARAM)
		a.base = w->share->grid->param_base;
	if (space == SP_LOCAL)
		interleave_local(sm, w, s, addr, local, &a);
	else
		plain_access(addr, w->lanes.width, &a);
	t->hit_lanes = 0;
	t->whole = is->whole;
	bool wants_hits = (sm->gpu->model->times.loaded || ideal) && i->kind == K_LD &&
		(space == SP_GLOBAL || space == SP_LOCAL);
	if (wants_hits)
		a.hits = &t->hit_lanes;
	if ((!ideal && (sm->lsu_n || sm->lsu_free > sm->now)) || !make_access(sm, w, &a, t, is)) {
		take_place(sm, w, s, i, &a, t);
		is->queued |= wants_hits;
		return LSU_QUEUED;
	}
	is->hits |= t->hit_lanes;
	is->misses |= wants_hits ? m & ~t->hit_lanes : 0;
	if (tracing(sm) && comes_back(i) && says(t, &a) == LSU_KNOWN)
		trace_returns(sm, w, s, i, m, t->ready);
	return says(t, &a);
}

void lsu_wait(Sm *sm, Warp *w, Split *s)
{
	w->lsu.access[w->lsu.n - 1]->event = sm_new_event(sm, s, STALL_MEMPIPE);
}
