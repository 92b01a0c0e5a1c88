/* Threads of a block together: block barriers, which count threads, and the block's part of the barrier of
   its grid. */
#include "sim/exec/internal.h"
#include <stdarg.h>
#include <stdio.h>

Mask split_guarded(const Warp *w, const Split *s, const MIns *i)
{
	if (i->guard < 0)
		return s->mask;
	return s->mask & (i->flags & MI_GUARD_NEG ? ~w->lanes.pred[i->guard] : w->lanes.pred[i->guard]);
}

void split_tell_wait(Sm *sm, Warp *w, Split *s)
{
	if ((s->state == SPLIT_BARRIER || s->state == SPLIT_WARPSYNC) && sm->gpu->model->sync.wait)
		sm->gpu->model->sync.wait(w, s);
}

void split_resumes(Sm *sm, Warp *w, Split *s, Cycle at)
{
	s->state = SPLIT_RUN;
	wait_not_before(&s->wait, at, s->wait.why, sm->now);
	if (sm->gpu->model->sync.resume)
		sm->gpu->model->sync.resume(w, s);
}

/* ---- block barriers: they count threads, or where a mechanism cannot let part of a warp wait, warps ---- */

/* Writes what bar.red gives to all lanes of a split that waited at the barrier. */
static void barrier_result(Warp *w, const Split *s, const MIns *i, const Barrier *bar)
{
	Mask m = split_guarded(w, s, i);
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
	Cycle opens = sm->now + 1;
	if (b != GRID_BARRIER)
		opens = (bar->counted > opens ? bar->counted : opens) +
			(Cycle)sm->gpu->config.barrier_latency;
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (s->state != SPLIT_BARRIER || s->barrier != b)
			continue;
		const MIns *i = &w->ins[s->pc];
		if (i->op == OP_BARRED && i->x.d != NO_ROW)
			barrier_result(w, s, i, bar);
		s->released = true;
		split_resumes(sm, w, s, opens);
		any = true;
	}
	return any;
}

static void release_barrier(Sm *sm, Cta *cta, int b)
{
	const Barrier bar = cta->barrier[b];
	cta->barrier[b] = (Barrier){ 0 };
	sm->last_progress = sm->now;
	int k;
	each_slot(&cta->slots, k) {
		Warp *w = &sm->warp[k];
		if (!release_warp(sm, w, b, &bar))
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
	} else if (!cta->meets) { /* sim/gpu/streams.c reads these counts at the end of the window */
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

/* The barrier's operands as lane l gives them. */
static BarrierOperands barrier_operands(const Warp *w, const MIns *i, int l)
{
	return (BarrierOperands){ lane_value(w, i->x.a, l, 0), lane_value(w, i->x.b, l, 0) };
}

/* Why the barrier does not take the operands, in words; NULL: it does, and the count is at most the block's
   threads. */
static const char *refused_operands(const Warp *w, const MIns *i, BarrierOperands *o, char text[REFUSAL])
{
	return barrier_refuses(o->number, i->x.b != NO_ROW ? &o->count : NULL, w->cta->threads,
		ptx_warp(w->lanes.width), text);
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

void exec_refuses(Sm *sm, const Warp *w, const MIns *i, const char *fmt, ...)
{
	char why[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	refuse_barrier(sm, w, i);
	fault_text(&sm->fault, FAULT_BARRIER, "kernel %s, block %s, line %d: %s; mechanism %s cannot let "
		"part of a warp wait for the rest (divergence.bar_partial says how to go on)",
		launch_of(w)->kernel->name, i->from->label, i->src ? i->src->line : 0, why,
		sm->gpu->model->name);
}

/* Lanes m come to a barrier that counts warps: all lanes of the warp that have not ended count as arrived,
   and where the instruction names a number of threads those that have ended, too, since each warp adds its
   size to the count (PTX ISA, bar). PTX asks that threads of a warp come together, and leaves undefined what
   a thread does that comes later than those it has been counted with. */
static uint32_t arriving_warp(Sm *sm, Warp *w, const MIns *i, Mask m, bool named)
{
	if (m & w->missed) {
		exec_refuses(sm, w, i, "lanes %#llx reach a block barrier after one that other lanes of "
			"their warp have reached without them", (unsigned long long)(m & w->missed));
		return 0;
	}
	w->missed |= w->live & ~m;
	return named ? (uint32_t)w->lanes.width : (uint32_t)lane_count(w->live);
}

/* The threads to count for lanes m that have come: those of part of a warp as divergence.bar_partial says. 0
   after a fault. named: the instruction says how many threads the barrier waits for. */
static uint32_t arriving(Sm *sm, Warp *w, const MIns *i, Mask m, bool named)
{
	int64_t how = sm->gpu->config.bar_partial;
	if (sm->gpu->model->sync_waits || how == BAR_PER_LANE)
		return (uint32_t)lane_count(m);
	if (how == BAR_WHOLE_WARP)
		return arriving_warp(sm, w, i, m, named);
	if (m == w->live || how == BAR_COUNT_WARP)
		return (uint32_t)lane_count(w->live);
	exec_refuses(sm, w, i, "part of a warp (lanes %#llx of %#llx) reaches a block barrier",
		(unsigned long long)m, (unsigned long long)w->live);
	return 0;
}

void split_step_over(Sm *sm, Warp *w, Split *s)
{
	s->pc++;
	if (w->ins[s->pc].flags & MI_REACH)
		sm->gpu->model->reach(w, s);
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
}

/* Lets the splits of the warp that the barrier has let go at the place of s, s among them, go on behind the
   barrier together. */
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
	split_step_over(sm, w, s);
}

/* Do other lanes of the warp wait at another barrier instruction, and both are .aligned? A fault, then. */
static bool apart_from_aligned(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m)
{
	char text[REFUSAL];
	for (int k = 0; is_aligned_barrier(i->src) && k < w->nsplit; k++) {
		const Split *t = &w->split[k];
		bool fellows = ((uint32_t)m && (uint32_t)t->mask) || (m >> PTX_WARP && t->mask >> PTX_WARP);
		if (t == s || t->state != SPLIT_BARRIER || t->pc == s->pc || !fellows ||
			!is_aligned_barrier(w->ins[t->pc].src))
			continue;
		words_aligned(w->ins[t->pc].src, text);
		sm_fault(sm, w, i, FAULT_UNDEFINED, lowest_lane(m), "%s", text);
		return true;
	}
	return false;
}

/* Lets the barrier count a warp, of which lanes m have come, behind those that the barriers of the SM count
   already, and returns when that is done. A warp takes the time of all its lanes, however many of them come;
   where lanes are cores of their own, each takes its own. */
static Cycle count_arrival(Sm *sm, const Warp *w, Mask m)
{
	uint64_t rate = (uint64_t)sm->gpu->config.barrier_rate;
	if (!rate)
		return sm->now + 1;
	uint64_t now = sm->now * rate;
	sm->counting = (sm->counting > now ? sm->counting : now) +
		(sm->gpu->model->own_slots ? (uint64_t)lane_count(m) : (uint64_t)w->lanes.width);
	return (sm->counting + rate - 1) / rate;
}

void exec_barrier(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, const BarrierOperands *o)
{
	Cta *cta = w->cta;
	if (!m) {
		split_step_over(sm, w, s);
		return;
	}
	Barrier *bar = &cta->barrier[o->number];
	if (bar->arrived && bar->expected != o->count) {
		sm_fault(sm, w, i, FAULT_OPERAND, lowest_lane(m), WORDS_COUNTS, o->number);
		return;
	}
	if (apart_from_aligned(sm, w, s, i, m))
		return;
	uint32_t n = arriving(sm, w, i, m, o->count > 0);
	if (!n)
		return;
	bar->arrived += n;
	bar->counted = o->number == GRID_BARRIER ? sm->now + 1 : count_arrival(sm, w, m);
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
		split_step_over(sm, w, s);
		return;
	}
	s->state = SPLIT_BARRIER;
	s->barrier = (uint8_t)o->number;
	s->wait.why = o->number == GRID_BARRIER ? STALL_GRID : STALL_BARRIER;
	release_if_full(sm, cta, (int)o->number);
	split_tell_wait(sm, w, s);
}

bool exec_barrier_fits(Sm *sm, Warp *w, const MIns *i, Mask m, BarrierOperands *o)
{
	char text[REFUSAL];
	*o = (BarrierOperands){ GRID_BARRIER, 0 };
	if (!m || i->op == OP_BARGRID)
		return true;
	int first = lowest_lane(m), l;
	const BarrierOperands given = *o = barrier_operands(w, i, first);
	const char *why = refused_operands(w, i, o, text);
	if (is_constant(i->x.a) && is_constant(i->x.b)) /* the first lane's operands are those of all lanes */
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
