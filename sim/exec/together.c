/* Threads together: block barriers and warp-level operations. */
#include "sim/exec/internal.h"
#include <stdarg.h>
#include <stdio.h>

/* Lanes of the split for which the instruction's guard holds. */
static Mask guarded(const Warp *w, const Split *s, const MIns *i)
{
	if (i->guard < 0)
		return s->mask;
	return s->mask & (i->flags & MI_GUARD_NEG ? ~w->lanes.pred[i->guard] : w->lanes.pred[i->guard]);
}

/* The mechanism is told that the split has come to wait, so that it may choose another one. */
static void tell_wait(Sm *sm, Warp *w, Split *s)
{
	if ((s->state == SPLIT_BARRIER || s->state == SPLIT_WARPSYNC) && sm->gpu->model->sync.wait)
		sm->gpu->model->sync.wait(w, s);
}

/* What the split waited for has happened. */
static void split_resumes(Sm *sm, Warp *w, Split *s)
{
	s->state = SPLIT_RUN;
	if (s->ready < sm->now + 1)
		s->ready = sm->now + 1;
	if (sm->gpu->model->sync.resume)
		sm->gpu->model->sync.resume(w, s);
}

/* ---- block barriers: they count threads, or where a mechanism cannot let part of a warp wait, warps ---- */

/* What bar.red gives to all lanes of a split that waited at the barrier. */
static void barrier_result(Warp *w, const Split *s, const MIns *i, const Barrier *bar)
{
	Mask m = guarded(w, s, i);
	bool v = i->aop == AOP_AND ? bar->count_true == bar->arrived - bar->missed : bar->count_true > 0;
	int l;
	if (i->aop == AOP_POPC)
		each_lane(m, l)
			row32(&w->lanes, i->x.d)[l] = bar->count_true;
	else if (v)
		w->lanes.pred[i->x.d] |= m;
	else
		w->lanes.pred[i->x.d] &= ~m;
}

/* Lets the splits of a warp go that wait at the barrier; false: none does. */
static bool release_warp(Sm *sm, Warp *w, int b, const Barrier *bar)
{
	bool any = false;
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (s->state != SPLIT_BARRIER || s->barrier != b)
			continue;
		const MIns *i = &w->ins[s->pc];
		if (i->op == OP_BARRED && i->x.d != NO_ROW)
			barrier_result(w, s, i, bar);
		s->released = true;
		split_resumes(sm, w, s);
		any = true;
	}
	return any;
}

static void release_barrier(Sm *sm, Cta *cta, int b)
{
	const Barrier bar = cta->barrier[b];
	cta->barrier[b] = (Barrier){ 0 };
	sm->last_progress = sm->now;
	for (int k = 0; k < sm->nwarps; k++) {
		Warp *w = &sm->warp[k];
		if (!w->used || w->cta != cta || !release_warp(sm, w, b, &bar))
			continue;
		warp_wake(w);
		if (tracing(sm))
			sm_trace(sm, w, w->split, TR_BARRIER_RELEASE, w->live, (uint64_t)b, bar.arrived);
	}
}

static void release_if_full(Sm *sm, Cta *cta, int b)
{
	Barrier *bar = &cta->barrier[b];
	uint32_t want = bar->expected ? bar->expected : cta->live;
	if (!bar->arrived || bar->arrived < want)
		return;
	if (b != GRID_BARRIER) {
		release_barrier(sm, cta, b);
	} else if (!cta->meets) {              /* streams.c hears of it at the end of the window */
		cta->meets = true;
		cta->share->meeting.waiting++;
		cta->share->meeting.last = sm->now;
	}
}

void barrier_thread_exit(Sm *sm, Cta *cta)
{
	for (int b = 0; b <= GRID_BARRIER; b++)
		if (cta->barrier[b].arrived && !cta->barrier[b].expected)
			release_if_full(sm, cta, b);
	if (!cta->live && !cta->meets) {
		cta->share->meeting.ended++;
		cta->share->meeting.last = sm->now;
	}
}

void barrier_grid_opens(Sm *sm, Share *x)
{
	if (sm->mem)
		smmem_forget(sm->mem, sm->now);
	for (int k = 0; k < sm->nctas; k++)
		if (sm->cta[k].used && sm->cta[k].share == x && sm->cta[k].meets) {
			sm->cta[k].meets = false;
			release_barrier(sm, &sm->cta[k], GRID_BARRIER);
		}
}

static uint32_t lane_value(const Warp *w, uint32_t row, int l, uint32_t absent)
{
	return row == NO_ROW ? absent : row32(&w->lanes, row)[l];
}

/* The operands as the lane gives them. */
static BarrierOperands barrier_operands(const Warp *w, const MIns *i, int l)
{
	return (BarrierOperands){ lane_value(w, i->x.a, l, 0), lane_value(w, i->x.b, l, 0) };
}

/* Why the barrier does not take the operands, in words; NULL: it does, and the count is at most the block's threads. */
static const char *refused_operands(const Warp *w, const MIns *i, BarrierOperands *o, char text[REFUSAL])
{
	return barrier_refuses(o->number, i->x.b != NO_ROW ? &o->count : NULL, w->cta->threads, ptx_warp(w->lanes.width), text);
}

/* Records where and when the barrier has failed, unless something has failed before. */
static void refuse_barrier(Sm *sm, const Warp *w, const MIns *i)
{
	if (sm->fault.kind != FAULT_NONE)
		return;
	sm->fault.loc = i->src ? ins_loc(code_of(w)->module, i->src) : (Loc){ 0 };
	sm->fault_cycle = sm->now;
	sm->fault_grid = w->share->grid;
}

/* fmt: which lanes come, and why they may not. */
static __attribute__((format(printf, 4, 5))) void refuse_part(Sm *sm, const Warp *w, const MIns *i, const char *fmt, ...)
{
	char why[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	refuse_barrier(sm, w, i);
	fault_text(&sm->fault, FAULT_BARRIER, "kernel %s, block %s, line %d: %s; mechanism %s cannot let part of a warp wait for the rest "
		"(divergence.bar_partial says how to go on)",
		launch_of(w)->kernel->name, i->from->label, i->src ? i->src->line : 0, why, sm->gpu->model->name);
}

/* Lanes m come to a barrier that counts warps: it takes all that have not ended for arrived. PTX asks that threads of a warp come together, and leaves
   undefined what a thread does that comes later than those it has been counted with. */
static uint32_t arriving_warp(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	if (m & w->missed) {
		refuse_part(sm, w, i, "lanes %#llx reach a block barrier after one that other lanes of their warp have reached without them",
			(unsigned long long)(m & w->missed));
		return 0;
	}
	w->missed |= w->live & ~m;
	return (uint32_t)lane_count(w->live);
}

/* The threads to count for lanes m that have come: those of part of a warp as divergence.bar_partial says. 0 after a fault. */
static uint32_t arriving(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	int64_t how = sm->gpu->config.bar_partial;
	if (sm->gpu->model->sync_waits || how == BAR_PER_LANE)
		return (uint32_t)lane_count(m);
	if (how == BAR_WHOLE_WARP)
		return arriving_warp(sm, w, i, m);
	if (m == w->live || how == BAR_COUNT_WARP)
		return (uint32_t)lane_count(w->live);
	refuse_part(sm, w, i, "part of a warp (lanes %#llx of %#llx) reaches a block barrier", (unsigned long long)m, (unsigned long long)w->live);
	return 0;
}

static void step_over(Sm *sm, Warp *w, Split *s)
{
	s->pc++;
	if (w->ins[s->pc].flags & MI_REACH)
		sm->gpu->model->reach(w, s);
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
}

/* The splits of the warp that the barrier has let go from the place of s, s among them, go on behind it together. */
static void released_together(Sm *sm, Warp *w, const Split *s)
{
	uint32_t pc = s->pc;
	Mask m = 0;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].released && w->split[k].pc == pc) {
			w->split[k].released = false;
			w->split[k].pc++;
			m |= w->split[k].mask;
		}
	sm->gpu->model->sync.met(w, pc + 1, m);
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
}

void split_released(Sm *sm, Warp *w, Split *s)
{
	if (sm->gpu->model->sync.met) {
		released_together(sm, w, s);
		return;
	}
	s->released = false;
	step_over(sm, w, s);
}

void exec_barrier(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, const BarrierOperands *o)
{
	Cta *cta = w->cta;
	if (!m) {
		step_over(sm, w, s);
		return;
	}
	Barrier *bar = &cta->barrier[o->number];
	if (bar->arrived && bar->expected != o->count) {
		sm_fault(sm, w, i, FAULT_OPERAND, lowest_lane(m), WORDS_COUNTS, o->number);
		return;
	}
	uint32_t n = arriving(sm, w, i, m);
	if (!n)
		return;
	bar->arrived += n;
	bar->missed += n - (uint32_t)lane_count(m);
	sm->last_progress = sm->now;
	bar->expected = o->count;
	if (i->op == OP_BARRED) {
		Mask p = i->x.c == NO_ROW ? ~(Mask)0 : w->lanes.pred[i->x.c];
		bar->count_true += (uint32_t)lane_count((i->x.neg & NEG_C ? ~p : p) & m);
	}
	if (tracing(sm))
		sm_trace(sm, w, s, TR_BARRIER_WAIT, m, o->number, bar->arrived);
	if (i->op == OP_BARARRIVE) {
		release_if_full(sm, cta, (int)o->number);
		step_over(sm, w, s);
		return;
	}
	s->state = SPLIT_BARRIER;
	s->barrier = (uint8_t)o->number;
	s->why = o->number == GRID_BARRIER ? STALL_GRID : STALL_BARRIER;
	release_if_full(sm, cta, (int)o->number);
	tell_wait(sm, w, s);
}

/* ---- warp-level operations: each among lanes of one of PTX's warps, whose masks have 32 bits ---- */

/* The first lane of the PTX warp that l, or the lowest lane of m, is in. */
static int base_of(int l) { return l & ~(PTX_WARP - 1); }
static int base(Mask m) { return base_of(lowest_lane(m)); }

static void exec_shfl(Warp *w, const MIns *i, Mask m)
{
	uint32_t out[64];
	Mask ok = 0;
	int l;
	const uint32_t *a = row32(&w->lanes, i->x.a);
	each_lane(m, l) {
		bool in;
		int from = lane_shfl_source(i->x.mode, l, lane_value(w, i->x.b, l, 0), lane_value(w, i->x.c, l, 31), &in);
		if (!(m >> from & 1)) /* a lane that does not take part: the reader keeps its own value */
			from = l;
		out[l] = a[from];
		ok |= (Mask)in << l;
	}
	if (i->x.d != NO_ROW)
		each_lane(m, l)
			row32(&w->lanes, i->x.d)[l] = out[l];
	if (i->x.d2 != NO_ROW)
		w->lanes.pred[i->x.d2] = (w->lanes.pred[i->x.d2] & ~m) | (ok & m);
}

static void exec_vote(Warp *w, const MIns *i, Mask m)
{
	Mask p = i->x.a == NO_ROW ? ~(Mask)0 : w->lanes.pred[i->x.a];
	if (i->x.neg & NEG_A)
		p = ~p;
	p &= m;
	int l;
	bool v = i->x.mode == MODE_ALL ? p == m : i->x.mode == MODE_ANY ? p != 0 : p == 0 || p == m;
	if (i->x.d == NO_ROW)
		return;
	if (i->x.mode == MODE_BALLOT)
		each_lane(m, l)
			row32(&w->lanes, i->x.d)[l] = (uint32_t)(p >> base(m));
	else
		w->lanes.pred[i->x.d] = (w->lanes.pred[i->x.d] & ~m) | (v ? m : 0);
}

static void exec_match(Warp *w, const MIns *i, Mask m)
{
	bool wide = type_bits[i->type] == 64;
	uint32_t out[64];
	int l, k;
	bool all = true;
	each_lane(m, l) {
		out[l] = 0;
		each_lane(m, k) {
			bool same = wide ? row64(&w->lanes, i->x.a)[l] == row64(&w->lanes, i->x.a)[k]
				: row32(&w->lanes, i->x.a)[l] == row32(&w->lanes, i->x.a)[k];
			out[l] |= (uint32_t)same << k % PTX_WARP;
			all &= same;
		}
	}
	each_lane(m, l)
		if (i->x.d != NO_ROW)
			row32(&w->lanes, i->x.d)[l] = i->x.mode == MODE_ANY ? out[l] : all ? (uint32_t)(m >> base(m)) : 0;
	if (i->x.d2 != NO_ROW)
		w->lanes.pred[i->x.d2] = (w->lanes.pred[i->x.d2] & ~m) | (all ? m : 0);
}

static void exec_redux(Warp *w, const MIns *i, Mask m)
{
	uint64_t v = 0;
	bool first = true;
	int l;
	each_lane(m, l) {
		uint32_t x = row32(&w->lanes, i->x.a)[l];
		v = first ? x : lane_atomic(i->aop, i->type, SP_GENERIC, v, x, 0);
		first = false;
	}
	if (i->x.d != NO_ROW)
		each_lane(m, l)
			row32(&w->lanes, i->x.d)[l] = (uint32_t)v;
}

static void exec_elect(Warp *w, const MIns *i, Mask m)
{
	int leader = lowest_lane(m), l;
	if (i->x.d != NO_ROW)
		each_lane(m, l)
			row32(&w->lanes, i->x.d)[l] = (uint32_t)(leader % PTX_WARP);
	if (i->x.d2 != NO_ROW)
		w->lanes.pred[i->x.d2] = (w->lanes.pred[i->x.d2] & ~m) | ((Mask)1 << leader);
}

/* m: not empty, all in one of PTX's warps. */
static void perform(Warp *w, const MIns *i, Mask m)
{
	int l;
	if (w->sm->gpu->watching && i->kind != K_WARPSYNC)
		livelock_exchange(w, (uint32_t)(i - w->ins), m);
	switch (i->kind) {
	case K_SHFL: exec_shfl(w, i, m); break;
	case K_VOTE: exec_vote(w, i, m); break;
	case K_MATCH: exec_match(w, i, m); break;
	case K_REDUX: exec_redux(w, i, m); break;
	case K_ELECT: exec_elect(w, i, m); break;
	case K_ACTIVE:
		if (i->x.d != NO_ROW)
			each_lane(m, l)
				row32(&w->lanes, i->x.d)[l] = (uint32_t)(m >> base(m));
		break;
	default: break; /* bar.warp.sync */
	}
}

/* The row that holds the mask of participating lanes; NO_ROW: those that execute it together. */
static uint32_t member_row(const MIns *i)
{
	switch (i->kind) {
	case K_WARPSYNC: case K_ELECT: return i->x.a;
	case K_VOTE: case K_MATCH: case K_REDUX: return i->x.b;
	case K_SHFL: return i->x.e;
	default: return NO_ROW;
	}
}

static bool is_constant(uint32_t row) { return row == NO_ROW || row & ROW_CONST; }

bool exec_barrier_fits(Sm *sm, Warp *w, const MIns *i, Mask m, BarrierOperands *o)
{
	char text[REFUSAL];
	*o = (BarrierOperands){ GRID_BARRIER, 0 };
	if (!m || i->op == OP_BARGRID)
		return true;
	int first = lowest_lane(m), l;
	const BarrierOperands given = *o = barrier_operands(w, i, first);
	const char *why = refused_operands(w, i, o, text);
	if (is_constant(i->x.a) && is_constant(i->x.b)) /* the first lane's are all lanes' */
		m = (Mask)1 << first;
	each_lane(m, l) {
		BarrierOperands own = barrier_operands(w, i, l);
		bool same = own.number == given.number && own.count == given.count;
		if (!same && !why)
			why = refused_operands(w, i, &own, text);
		if (!same && !why)
			why = "threads of a warp that come together name different barriers or thread counts";
		if (why) {
			sm_fault(sm, w, i, FAULT_OPERAND, l, "%s", why);
			return false;
		}
	}
	return true;
}

bool exec_together_fits(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	char text[REFUSAL];
	uint32_t row = member_row(i);
	int l;
	if (is_constant(row) && (row == NO_ROW || (uint32_t)lane_value(w, row, 0, 0) == 0xffffffffu))
		return true;
	each_lane(m, l) {
		const char *why = mask_refuses(lane_value(w, row, l, 0), l % PTX_WARP, text);
		if (why) {
			sm_fault(sm, w, i, FAULT_OPERAND, l, "%s", why);
			return false;
		}
	}
	return true;
}

/* The lanes that lane l names as participants; row: not NO_ROW. */
static Mask named_lanes(const Warp *w, uint32_t row, int l) { return (Mask)row32(&w->lanes, row)[l] << base_of(l); }

/* All lanes that those of m name; m: not empty. */
static Mask members(const Warp *w, uint32_t row, Mask m)
{
	Mask all = 0;
	int l;
	each_lane(m, l)
		all |= named_lanes(w, row, l);
	return all;
}

/* The lanes of m that are in one PTX warp with the lowest of them and name the same participants (row: where, or NO_ROW). */
static Mask together(const Warp *w, uint32_t row, Mask m)
{
	int l;
	m &= (Mask)UINT32_MAX << base(m);
	if (row == NO_ROW)
		return m;
	const uint32_t *mask = row32(&w->lanes, row);
	uint32_t want = mask[lowest_lane(m)];
	Mask same = 0;
	each_lane(m, l)
		same |= (Mask)(mask[l] == want) << l;
	return same;
}

/* Lanes of a split may name different participants: those that name the same ones perform the operation together. */
static void perform_each(Warp *w, const MIns *i, Mask m)
{
	uint32_t row = member_row(i);
	while (m) {
		Mask same = together(w, row, m), want = row == NO_ROW ? same : named_lanes(w, row, lowest_lane(m));
		perform(w, i, same & want);
		m &= ~same;
	}
}

bool exec_put_aside(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	const ReconvModel *model = sm->gpu->model;
	if (!model->sync.gather || !m)
		return false;
	uint32_t row = i->kind == K_BAR ? NO_ROW : member_row(i);
	Mask want = w->live & (i->kind == K_BAR ? w->live : row == NO_ROW ? 0 : members(w, row, m));
	if (!(want & ~s->mask) || !model->sync.gather(w, s, want))
		return false;
	w->stack_depth = (uint32_t)model->depth(w);
	return true;
}

/* The mechanism may merge, remove or add splits at each: so the list is looked through again. */
static void tell_arrivals(Sm *sm, Warp *w)
{
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (!s->arriving)
			continue;
		s->arriving = false;
		if (w->ins[s->pc].flags & MI_REACH) {
			sm->gpu->model->reach(w, s);
			k = -1;
		}
	}
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
}

static bool waits_at(const Split *s, uint32_t pc, Mask lanes)
{
	return s->state == SPLIT_WARPSYNC && s->pc == pc && s->mask & lanes;
}

/* Of the lanes that wait, those that name one which is not there or which names others. */
static Mask incomplete(const Warp *w, const MIns *i, Mask here)
{
	Mask off = i->guard < 0 ? 0 : i->flags & MI_GUARD_NEG ? w->lanes.pred[i->guard] : ~w->lanes.pred[i->guard], bad = 0;
	for (Mask m = here & ~off; m;) {
		Mask same = together(w, member_row(i), m), want = named_lanes(w, member_row(i), lowest_lane(m));
		if (want & w->live & ~(same | (off & here)))
			bad |= same;
		m &= ~same;
	}
	return bad;
}

/* Splits that wait at pc go on together once all lanes they wait for are there: one issue for all of them. */
static bool meet_at(Sm *sm, Warp *w, uint32_t pc)
{
	Mask here = 0, bad, act = 0;
	for (int k = 0; k < w->nsplit; k++)
		if (waits_at(&w->split[k], pc, ~(Mask)0))
			here |= w->split[k].mask;
	while ((bad = incomplete(w, &w->ins[pc], here))) /* a split goes on with all its lanes, or waits */
		for (int k = 0; k < w->nsplit; k++)
			if (waits_at(&w->split[k], pc, bad))
				here &= ~w->split[k].mask;
	if (!here)
		return false;
	for (int k = 0; k < w->nsplit; k++)
		if (waits_at(&w->split[k], pc, here))
			act |= guarded(w, &w->split[k], &w->ins[pc]);
	perform_each(w, &w->ins[pc], act);
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (!waits_at(s, pc, here))
			continue;
		split_resumes(sm, w, s);
		s->pc++;
		s->arriving = !sm->gpu->model->sync.met;
	}
	if (sm->gpu->model->sync.met)
		sm->gpu->model->sync.met(w, pc + 1, here);
	tell_arrivals(sm, w);
	warp_wake(w);
	return true;
}

void warpsync_recheck(Sm *sm, Warp *w)
{
	for (int k = 0; k < w->nsplit;) /* the list may be another one when some have met */
		k = w->split[k].state == SPLIT_WARPSYNC && meet_at(sm, w, w->split[k].pc) ? 0 : k + 1;
}

/* A stack cannot let some lanes wait here for others: going on without them would give other values. */
static void missing_lanes(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask want)
{
	refuse_part(sm, w, i, "part of the lanes of its mask (%#llx of %#llx) come to %s together", (unsigned long long)(s->mask & want),
		(unsigned long long)want, op_info[i->op].name);
}

void exec_warp_op(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	uint32_t row = member_row(i);
	if (!sm->gpu->model->sync_waits || row == NO_ROW || !m) {
		Mask want = row == NO_ROW || !m ? m : members(w, row, m);
		int64_t how = sm->gpu->config.bar_partial;
		if (want & w->live & ~s->mask && (how == BAR_ERROR || how == BAR_WHOLE_WARP)) {
			missing_lanes(sm, w, s, i, want & w->live);
			return;
		}
		perform_each(w, i, m);
		step_over(sm, w, s);
		return;
	}
	s->state = SPLIT_WARPSYNC;
	s->why = STALL_WARPSYNC;
	s->sync_mask = members(w, row, m);
	if (!meet_at(sm, w, s->pc))
		tell_wait(sm, w, s);
}
