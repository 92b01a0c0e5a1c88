/* One SM through a window of cycles. Each cycle, every scheduler issues from the first warp in its policy's
 * order that can; when none can anywhere, time jumps to the first cycle at which one may. Every
 * scheduler-cycle is counted as an issue or as one reason: of those that keep back its warps, the one nearest
 * to an issue.
 *
 * Nothing here shall depend on where a window ends. What comes from beyond the SM is PENDING until the end of
 * the window tells when it comes, never before it; so no reason, and no decision, may ask how far off that
 * is. */
#include "sim/sm/internal.h"

/* When the last operand that is computed is there, and the last one that is loaded. */
typedef struct Operands { Cycle computed, loaded; } Operands;

static inline void add_operand(Operands *o, Cycle ready)
{
	Cycle *last = ready & 1 ? &o->loaded : &o->computed;
	*last = ready >> 1 > *last ? ready >> 1 : *last;
}

static inline Cycle all_there(Operands o) { return o.loaded > o.computed ? o.loaded : o.computed; }

/* What is past adds nothing. */
static inline void add_lanes(Operands *o, Cycle now, const Warp *w, Mask m, const MIns *i)
{
	int l;
	for (int k = 0; k < i->nchk; k++) {
		int name = i->sb[k];
		if (!w->mixed[name])
			add_operand(o, w->ready[name]);
		else if (w->ready[name] >> 1 >= now)
			each_lane(m, l)
				add_operand(o, w->lane_ready[name * w->lanes.width + l]);
	}
}

/* All operands are there at that cycle: the short answer, for most. */
static inline bool are_ready(const Warp *w, const Split *s, const MIns *i, Cycle at)
{
	Cycle latest = 0;
	for (int k = 0; k < i->nchk; k++)
		latest = w->ready[i->sb[k]] > latest ? w->ready[i->sb[k]] : latest;
	return latest >> 1 <= at && !s->parts;
}

/* Of a scoreboard of whole warps. */
static inline Operands warp_operands(const Warp *w, const MIns *i)
{
	Operands o = { 0, 0 };
	for (int k = 0; k < i->nchk; k++)
		add_operand(&o, w->ready[i->sb[k]]);
	return o;
}

/* When operands are there, as seen at a cycle. One that is still being loaded is the reason, whatever else is
   missing. */
static inline When when_there(Operands o, const Split *s, Cycle at)
{
	return (When){ all_there(o), s->pc, o.loaded > at ? STALL_MEMORY : STALL_DATA };
}

/* When the split has waited for all but its data. */
static inline When when_waited(const Split *s) { return (When){ wait_end(&s->wait), s->pc, s->wait.why }; }

static __attribute__((noinline)) When later(const Sm *sm, const Warp *w, const Split *s, const MIns *i,
	Cycle at)
{
	Operands o = { 0, 0 };
	if (!sm->lane_scoreboard) {
		o = warp_operands(w, i);
	} else if (!s->parts) {
		add_lanes(&o, sm->now, w, s->mask, i);
	} else {
		each_part(s, p)
			add_lanes(&o, sm->now, p->home, p->mask, i);
	}
	return when_there(o, s, at);
}

/* How much a scheduler that has had less of a unit may catch up on: as much as 8 instructions of each of its
   warps. Loops and latencies make demand come in such bursts. With 2, warps of the machines in configs/ still
   end up to 16 % apart, with 8 and 32 they do not; more would only let one that has not wanted the unit for
   long keep it longer from others. */
enum { CREDIT = 8 * ONE_EACH };

/* What the scheduler and the taker have had differs by CREDIT at most: beyond it, who has had less is taken
   to have had more. */
static __attribute__((noinline)) void forgive(uint64_t *own, uint64_t *its)
{
	*own = *own + CREDIT < *its ? *its - CREDIT : *own;
	*its = *its + CREDIT < *own ? *own - CREDIT : *its;
}

/* A scheduler wants a copy of a unit that the taker has: does it go before it, from now on? Only if it has
   had no more of the unit. */
static inline bool goes_before(uint64_t *own, uint64_t *its)
{
	int64_t more = (int64_t)(*own - *its);
	if ((uint64_t)(more + CREDIT) > 2 * CREDIT)
		forgive(own, its);
	return more <= 0;
}

/* A copy of the functional unit that takes an instruction of the scheduler's now; NULL: none before *when. Of
   several the last one, which the fewest kinds of instructions can take: others may share the first ones. */
static Copy *free_copy(Sm *sm, Sched *d, Unit u, Cycle *when)
{
	const Copies *c = &d->unit[u];
	Cycle least = NEVER;
	for (int k = c->n; k-- > 0;) {
		if (c->copy[k].free <= sm->now)
			return &c->copy[k];
		if (c->copy[k].free < least)
			least = c->copy[k].free;
	}
	for (int k = 0; k < c->n; k++) {
		int taker = c->copy[k].taker;
		if (!((d->behind | 1 << d->index) >> taker & 1))
			d->behind |= (uint8_t)(goes_before(c->had, c->had + taker - d->index) << taker);
	}
	sm->unfair |= d->behind != 0;
	*when = least;
	return NULL;
}

static bool fetched(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	const Config *c = &sm->gpu->config;
	if (s->line == i->line || !c->fetch_bytes)
		return true;
	MemTicket *t = sm_ticket(sm);
	*t = (MemTicket){ 0 };
	s->line = i->line;
	if (smmem_fetch(sm->mem, sm->now, (code_of(w)->first_line + i->line) * (uint64_t)c->fetch_line,
		&w->share->stats, t)) {
		sm_wait(sm, w, s, t, STALL_FETCH);
		return false;
	}
	vec_push(&sm->tickets, t);
	return true;
}

/* ---- issue ---- */

/* n: parts of the split; 0: the lanes are the warp's own. */
static inline void write_results(Sm *sm, Warp *w, const Part *part, int n, const MIns *i, Mask m, Cycle ready,
	bool load)
{
	if (!n)
		scoreboard_write(sm, w, i, m, ready, load);
	for (int k = 0; k < n; k++)
		scoreboard_write(sm, part[k].home, i, part[k].mask & m, ready, load);
}

/* The split has issued the instruction at pc. If it goes on elsewhere, the front end has to follow. What
   makes it wait longer is the reason. */
static void redirect(const Sm *sm, Split *s, uint32_t pc)
{
	Wait *x = &s->wait;
	Cycle n = (Cycle)sm->gpu->config.fetch_redirect;
	bool to_itself = s->pc == pc && s->state == SPLIT_RUN && !s->released;
	if (s->pc == pc + 1 || (s->pc == pc && !to_itself))
		return;
	x->known += n;
	if (x->known <= sm->now + 1 + n)
		x->why = STALL_BRANCH;
}

/* Executes the split's instruction, which takes this copy of its unit, or none. */
static void issue(Sm *sm, Warp *w, Split *s, const MIns *i, Copy *unit)
{
	const Config *c = &sm->gpu->config;
	Cycle now = sm->now;
	Issue is;                      /* beyond `executing`, memory instructions fill it */
	bool memory = is_memory(i);
	uint32_t pc = s->pc;
	Mask lanes = s->mask;
	int nsplit = w->nsplit;
	Part part[64];
	int nparts = s->parts ? reconv_parts(w, s, part) : 0; /* the mechanism may take the split apart */
	is.now = now;
	s->wait = wait_until(now + 1, STALL_DATA); /* what the next instruction waits for is not known yet */
	s->issued = now;
	w->exact = false;
	exec_issue(sm, w, s, &is);
	if (unit) {
		unit->free = now + (Cycle)c->unit[i->unit].interval;
		unit->taker = w->sched->index;
		*w->sched->unit[i->unit].had += w->sched->share;
	}
	if (!memory)
		write_results(sm, w, part, nparts, i, is.executing, now + (Cycle)c->unit[i->unit].latency,
			false);
	else if (is.pending)
		write_results(sm, w, part, nparts, i, is.pending, PENDING, true);
	else if (!sm->lane_scoreboard)
		write_loaded(sm, w, i, is.executing, is.ready);
	/* Another may have its place now: one that is new, to which the mechanism has seen, or one that its
	   lanes have joined and that is there already. */
	if (w->nsplit >= nsplit && w->nsplit && s->issued == now && (w->nsplit == 1 || s->mask & lanes) &&
		!w->exact && !wait_awaits(&s->wait, now))
		redirect(sm, s, pc);
}

/* Can the split issue now? Else when it may, as far as known. shared: the unit of an issue of this cycle on
   other lanes, or -1. */
static inline When examine(Sm *sm, Warp *w, Split *s, const MIns **ins, Copy **unit, int shared)
{
	if (s->state != SPLIT_RUN)
		return not_running(s);
	if (!wait_over(&s->wait, sm->now))
		return when_waited(s);
	const MIns *i = &w->ins[s->pc];
	if (!fetched(sm, w, s, i))
		return when_waited(s);
	if (!are_ready(w, s, i, sm->now)) {
		When t = later(sm, w, s, i, sm->now);
		if (t.cycle > sm->now)
			return t;
	}
	if (is_memory(i) && w->lsu.n) /* told when it has been made */
		return (When){ PENDING, s->pc, STALL_MEMPIPE };
	*unit = NULL;
	if (i->unit != shared) {
		Cycle when = 0;
		*unit = free_copy(sm, w->sched, i->unit, &when);
		if (!*unit)
			return (When){ when, s->pc, is_memory(i) ? STALL_MEMPIPE : STALL_UNIT };
	}
	*ins = i;
	return (When){ sm->now, s->pc, 0 };
}

/* After instruction `first` of split k of n, for these lanes: the next one in the same cycle, if the split is
   still there. */
static bool second_issue(Sm *sm, Warp *w, int k, int n, Mask lanes, const MIns *first)
{
	Split *s = &w->split[k];
	const MIns *i;
	Copy *unit;
	if (!may_be_followed(first))
		return false;
	if (w->nsplit < n || (n > 1 && !(s->mask & lanes)) || s->state != SPLIT_RUN ||
		wait_end(&s->wait) != sm->now + 1 || s->parts)
		return false;
	i = &w->ins[s->pc];
	/* the answer of examine, for most */
	if (s->line == i->line && !sm->lane_scoreboard && !are_ready(w, s, i, sm->now))
		return false;
	s->wait.known = sm->now;
	When t = examine(sm, w, s, &i, &unit, -1);
	if (t.cycle <= sm->now) {
		issue(sm, w, s, i, unit);
		return true;
	}
	if (s->wait.known <= sm->now)
		s->wait.known = sm->now + 1;
	return false;
}

void sm_sleep_until(Warp *w, When t)
{
	w->sched->wake[w->place] = t.cycle;
	w->sched->wake_why[w->place] = t.why;
	w->waits_at = t.pc;
}

/* It has not issued: the instruction that it waits to issue stays the same for as long as the reason does,
   however often it is looked at. */
static void sleep_on(Warp *w, When t)
{
	uint32_t pc = w->waits_at == NO_PC || w->sched->wake_why[w->place] != t.why ? t.pc : w->waits_at;
	sm_sleep_until(w, t);
	w->waits_at = pc;
}

void sm_end_warp(Sm *sm, Warp *w)
{
	if (w->outstanding || w->queued) {
		sm_sleep_until(w, (When){ PENDING, NO_PC, STALL_DRAIN });
	} else if (w->drain > sm->now) {
		sm_sleep_until(w, (When){ w->drain, NO_PC, STALL_DRAIN });
	} else {
		w->ended = true;
		sm->nended++;
	}
}

static int first_split(const Warp *w)
{
	if (w->nsplit < 2 || w->take_turns == TURNS_LIST)
		return 0;
	return (w->last + (w->take_turns == TURNS_ROTATE)) % w->nsplit;
}

static void ring(Sm *sm, Warp *w)
{
	w->alarm = NO_ALARM;
	sm->gpu->model->times.alarm(w);
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
}

/* Another split on lanes that the issue of instruction `first` has left idle: part of the same
   scheduler-cycle. */
static void issue_partner(Sm *sm, Warp *w, const MIns *first, Mask lanes)
{
	Warp *of;
	Split *s;
	for (int n = 0; (s = sm->gpu->model->pairs.partner(w, lanes, n, &of)); n++) {
		const MIns *i;
		Copy *unit;
		When t = examine(sm, of, s, &i, &unit, is_memory(first) ? -1 : first->unit);
		if (t.cycle > sm->now)
			continue;
		issue(sm, of, s, i, unit);
		reconv_count_own(w, of == w ? "pairs_of_a_warp" : "pairs_of_warps");
		if (of == w)
			return;
		warp_wake(of);
		if (of->ending)
			sm_end_warp(sm, of);
		return;
	}
}

/* As try_warp, for mechanisms that let two splits issue at once. */
static bool try_pair(Sm *sm, Warp *w)
{
	const ReconvModel *model = sm->gpu->model;
	When best = { NEVER, NO_PC, STALL_BARRIER };
	bool issued = false;
	Split *s;
	for (int n = 0; !issued && (s = model->pairs.candidate(w, n)); n++) {
		const MIns *i;
		Copy *unit;
		if (s->released) { /* another list: from its beginning */
			split_released(sm, w, s);
			n = -1;
			continue;
		}
		Mask lanes = s->mask;
		When t = examine(sm, w, s, &i, &unit, -1);
		if (t.cycle <= sm->now) {
			issue(sm, w, s, i, unit);
			issued = true;
			if (!sm->fault.kind)
				issue_partner(sm, w, i, lanes);
		}
		best = earlier(best, t);
	}
	if (issued)
		sm_sleep_until(w, (When){ sm->now + 1, NO_PC, STALL_DATA });
	else
		sleep_on(w, best);
	if (w->ending)
		sm_end_warp(sm, w);
	return issued;
}

/* Is the reason for which the split waits from then on the same whenever it is looked at? A load that is
   pending comes behind the window's end. */
static inline bool same_reason(Operands o, Cycle from, Cycle until)
{
	return o.loaded <= from || o.computed <= (o.loaded < until ? o.loaded : until);
}

/* After an issue: a split that is alone says when the next may be. Where nobody asks in the next cycle why
   the warp waits (the mechanism, two levels), that is when its operands are there; it has been fetched if its
   line has. What the end of the window tells may be there right behind it. In the next cycle others may
   issue, and the warp be looked at later: the reason must be the same then. */
static inline void sleep_after_issue(Sm *sm, Warp *w)
{
	const Split *s = &w->split[0];
	if (w->ending) {
		sm_end_warp(sm, w);
		return;
	}
	if (w->nsplit != 1 || s->state != SPLIT_RUN || s->released) {
		sm_sleep_until(w, (When){ sm->now + 1, NO_PC, STALL_DATA });
		return;
	}
	When t = when_waited(s);
	const MIns *i = &w->ins[s->pc];
	if (sm->unasked && t.cycle == sm->now + 1 && t.cycle < sm->until && s->line == i->line) {
		Operands o = warp_operands(w, i);
		if (all_there(o) > t.cycle && same_reason(o, t.cycle, sm->until))
			t = when_there(o, s, t.cycle);
	}
	sm_sleep_until(w, t);
}

/* As try_warp, where one split is all there is and the mechanism has nothing to choose. */
static inline bool try_single(Sm *sm, Warp *w)
{
	Split *s = &w->split[0];
	const MIns *i;
	Copy *unit;
	Mask lanes = s->mask;
	When t = examine(sm, w, s, &i, &unit, -1);
	if (t.cycle <= sm->now) {
		issue(sm, w, s, i, unit);
		if (sm->fault.kind)
			return true;
		w->last = 0;
		if (sm->gpu->config.sched_width > 1)
			second_issue(sm, w, 0, 1, lanes, i);
		sleep_after_issue(sm, w);
		return true;
	}
	sm_sleep_until(w, t.cycle == NEVER && t.why != STALL_GRID ? (When){ NEVER, s->pc, STALL_BARRIER }
		: t);
	return false;
}

/* The split's barrier has opened, or its lanes have several homes that are to go apart. True: the list is
   another one. */
static bool changes(Sm *sm, Warp *w, Split *s, When *best)
{
	const ReconvModel *model = sm->gpu->model;
	int n = w->nsplit;
	if (s->released) {
		split_released(sm, w, s);
		/* the turn may be another's, who has been looked at already */
		if (model->sync.wait || model->regroups)
			*best = (When){ sm->now + 1, NO_PC, STALL_DIVERGENCE };
	}
	if (w->nsplit == n && s->parts && homes_scatter(sm, w, s)) {
		*best = (When){ sm->now + 1, NO_PC, STALL_DIVERGENCE }; /* so may its homes */
		return true;
	}
	return w->nsplit != n;
}

/* Issues the split's instruction if it can. Else *best becomes when it may, unless it is earlier already. */
static inline bool try_split(Sm *sm, Warp *w, Split *s, const MIns **i, When *best)
{
	const ReconvModel *model = sm->gpu->model;
	Copy *unit = NULL;
	When t = examine(sm, w, s, i, &unit, -1);
	if (t.cycle <= sm->now) {
		issue(sm, w, s, *i, unit);
		return true;
	}
	if (s->state == SPLIT_RUN && model->times.stall) {
		model->times.stall(w, s, t.why, t.why == STALL_MEMORY || wait_awaits(&s->wait, sm->now)
			? PENDING : t.cycle);
		if (s->state != SPLIT_RUN) /* another one has its turn */
			t.cycle = sm->now + 1;
		else if (!wait_over(&s->wait, sm->now)) /* it was given the turn anew */
			t = when_waited(s);
	}
	*best = earlier(*best, t);
	return false;
}

/* Tries the splits in the mechanism's order. */
static inline bool try_splits(Sm *sm, Warp *w, When *best)
{
	bool issued = false;
	for (int x = 0, first = first_split(w); x < w->nsplit;) {
		int k = first + x < w->nsplit ? first + x : first + x - w->nsplit, n = w->nsplit;
		Split *s = &w->split[k];
		const MIns *i = NULL;
		if ((s->released || s->parts) && changes(sm, w, s, best)) { /* from its beginning */
			x = first = 0;
			continue;
		}
		if (s->state == SPLIT_PARKED) {
			x++;
			continue;
		}
		Mask lanes = s->mask;
		if (!try_split(sm, w, s, &i, best)) {
			x++;
			continue;
		}
		issued = true;
		if (sm->fault.kind)
			break;
		w->last = k;
		if (sm->gpu->config.sched_width > 1)
			second_issue(sm, w, k, n, lanes, i);
		break;
	}
	return issued;
}

static bool try_warp(Sm *sm, Warp *w)
{
	When best = { NEVER, NO_PC, STALL_BARRIER };
	if (w->ending) {
		sm_end_warp(sm, w);
		return false;
	}
	if (sm->single && w->nsplit == 1 && !w->split[0].released)
		return try_single(sm, w);
	if (w->alarm <= sm->now)
		ring(sm, w);
	if (sm->gpu->model->pairs.partner)
		return try_pair(sm, w);
	bool issued = try_splits(sm, w, &best);
	if (issued && sm->fault.kind)
		return true;
	if (issued)
		sleep_after_issue(sm, w);
	else
		sleep_on(w, best);
	if (w->ending && !issued)
		sm_end_warp(sm, w);
	if (w->alarm < w->sched->wake[w->place] && !w->ending)
		w->sched->wake[w->place] = w->alarm;
	return issued;
}

/* ---- schedulers ---- */

/* Tries the warp at a place, if it may be ready. */
static inline bool try_place(Sm *sm, Sched *d, int k)
{
	if (d->wake[k] > sm->now || !try_warp(sm, &sm->warp[d->order[k]]))
		return false;
	d->last = d->order[k];
	return true;
}

static inline bool try_slot(Sm *sm, Sched *d, int slot) { return try_place(sm, d, sm->warp[slot].place); }

/* Tries the warps at places from..to-1. */
static inline bool try_places(Sm *sm, Sched *d, int from, int to)
{
	for (int k = from; k < to; k++)
		if (try_place(sm, d, k))
			return true;
	return false;
}

static bool two_level(Sm *sm, Sched *d)
{
	int most = (int)sm->gpu->config.sched_active;
	for (int k = 0; k < d->nactive;) { /* warps with long waits leave the active set */
		int place = sm->warp[d->active[k]].place, why = d->wake_why[place];
		bool out = d->wake[place] > sm->now && (why == STALL_MEMORY || why == STALL_BARRIER ||
			why == STALL_GRID || why == STALL_FETCH);
		if (!out) {
			k++;
			continue;
		}
		memmove(d->active + k, d->active + k + 1, sizeof *d->active * (size_t)(d->nactive - k - 1));
		d->nactive--;
	}
	for (int k = 0; k < d->n && d->nactive < most; k++) { /* the oldest ready ones come in */
		bool in = d->wake[k] > sm->now;
		for (int a = 0; a < d->nactive; a++)
			in |= d->active[a] == d->order[k];
		if (!in)
			d->active[d->nactive++] = d->order[k];
	}
	int start = 0;
	for (int k = 0; k < d->nactive; k++)
		if (d->active[k] == d->last)
			start = k + 1;
	for (int k = 0; k < d->nactive; k++)
		if (try_slot(sm, d, d->active[(start + k) % d->nactive]))
			return true;
	return false;
}

/* The mechanism chooses among the warps that are awake. */
static bool ordered(Sm *sm, Sched *d)
{
	Warp *all[MOST_WARPS], *list[MOST_WARPS];
	int n = 0;
	for (int k = 0; k < d->n; k++)
		if (d->wake[k] <= sm->now)
			all[n++] = &sm->warp[d->order[k]];
	while (n) {
		/* of several grids, the one whose warp comes first in the policy's order */
		Share *share = all[0]->share;
		int own = 0, rest = 0;
		for (int k = 0; k < n; k++)
			if (all[k]->share == share)
				list[own++] = all[k];
			else
				all[rest++] = all[k];
		n = rest;
		sm->gpu->model->blocks.order(list, own);
		for (int k = 0; k < own; k++)
			if (try_slot(sm, d, list[k]->slot))
				return true;
	}
	return false;
}

static bool schedule(Sm *sm, Sched *d)
{
	int64_t policy = sm->gpu->config.sched_policy;
	int first = 0;
	if (sm->gpu->model->own_slots)
		return lanes_issue(sm, d);
	if (sm->gpu->model->blocks.order)
		return ordered(sm, d);
	if (policy == SCHED_TWO_LEVEL)
		return two_level(sm, d);
	if (policy == SCHED_GTO && d->last >= 0 && try_slot(sm, d, d->last))
		return true;
	if (policy == SCHED_LRR && d->last >= 0) /* begin behind the one that issued last */
		first = sm->warp[d->last].place + 1;
	return try_places(sm, d, first, d->n) || try_places(sm, d, 0, first);
}

/* ---- why a scheduler is idle ---- */

/* Where cycles are counted that a warp lets pass for that reason: at the instruction that it cannot issue, of
   its launch. */
static uint64_t *idle_at(const Warp *w, unsigned why)
{
	uint32_t pc = w->waits_at == NO_PC && w->nsplit ? w->split[0].pc : w->waits_at;
	return &w->share->stalls[(pc == NO_PC ? (size_t)code_of(w)->n : pc) * STALL_COUNT + why];
}

/* Nothing could issue in this cycle: until something can, the cycles are charged to the warp that is nearest
   to an issue, the first of several. A warp that may be ready, but was not tried, or ends, has a say only
   where there is no other. */
static void fall_asleep(Sm *sm, Sched *d)
{
	Cycle now = sm->now, first = NEVER;
	unsigned near = distance[STALL_EMPTY], untried = near, place = 0;
	for (int k = 0; k < d->n; k++, place += 256) {
		bool asleep = d->wake[k] > now;
		unsigned why = distance[d->wake_why[k]] + place;
		Cycle wake = asleep ? d->wake[k] : now + 1;
		first = wake < first ? wake : first;
		unsigned one = asleep ? why : near, other = asleep ? untried : why;
		near = one < near ? one : near;
		untried = other < untried ? other : untried;
	}
	near = (near & 255) == STALL_EMPTY ? untried : near;
	d->sleep = first;
	d->why = (uint8_t)near;
	d->of = (near & 255) == STALL_EMPTY ? NULL : sm->warp[d->order[near >> 8 & 0xffff]].share;
	d->idle = (near & 255) == STALL_EMPTY ? &sm->empty
		: idle_at(&sm->warp[d->order[near >> 8 & 0xffff]], near & 255);
}

static void retire_ended(Sm *sm)
{
	for (int k = 0; k < sm->nwarps; k++)
		if (sm->warp[k].used && sm->warp[k].ended) {
			sm->warp[k].ended = false;
			warp_retire(sm, &sm->warp[k]);
		}
	sm->nended = 0;
}

/* Who has wanted a copy of a unit in vain goes before those who have it and have had as much of it, or more,
   from now on: so each warp of those who want one gets as much of it as another. */
static __attribute__((noinline)) void give_way(Sm *sm, int n)
{
	uint8_t old[8], later[8], *turn = sm->turn;
	memcpy(old, turn, sizeof old);
	for (int k = 0; k < n; k++) {
		Sched *d = &sm->sched[old[k]];
		int at = 0, to = 0, nlater = 0;
		if (!d->behind)
			continue;
		for (; turn[at] != old[k]; at++)
			if (d->behind >> turn[at] & 1)
				later[nlater++] = turn[at];
			else
				turn[to++] = turn[at];
		turn[to++] = old[k];
		for (at = 0; at < nlater; at++)
			turn[to++] = later[at];
		d->behind = 0;
	}
	sm->unfair = false;
}

/* One cycle. Returns when the next issue may be: now + 1 after an issue. Who wakes a warp without an issue,
   by letting splits go or scattering them, asks for the next cycle, too (try_warp): so a scheduler that this
   cycle has passed is not forgotten. */
static Cycle cycle(Sm *sm, int64_t n)
{
	Cycle next = NEVER;
	for (int64_t k = 0; k < n; k++) {
		Sched *d = &sm->sched[sm->turn[k]];
		if (d->sleep <= sm->now) {
			if (schedule(sm, d)) {
				sm->issued++;
				d->of = sm->warp[d->last].share;
				d->of->stats.issued++;
				next = sm->now + 1;
				d->sleep = 0;
				d->why = STALL_COUNT;
				continue;
			}
			fall_asleep(sm, d);
		}
		++*d->idle;
		next = d->sleep < next ? d->sleep : next;
	}
	if (sm->unfair)
		give_way(sm, (int)n);
	if (sm->nended) {
		retire_ended(sm);
		for (int64_t k = 0; k < n; k++)
			sm->sched[k].sleep = 0;
		return sm->now + 1;
	}
	return next > sm->now ? next : sm->now + 1;
}

/* Nobody is there: time goes on to the next block's arrival. */
static void pass_empty(Sm *sm, Cycle until)
{
	sm->empty += (until - sm->now) * (Cycle)sm->gpu->config.sched_count;
	sm->now = until;
}

static Cycle next_arrival(const Sm *sm)
{
	return sm->arrived < sm->arrival.n ? sm->arrival.v[sm->arrived].cycle : NEVER;
}

static void arrive(Sm *sm, const Arrival *a)
{
	if (a->block == GRID_OPENS)
		barrier_grid_opens(sm, &a->grid->share[sm->id]);
	else
		sm_place(sm, a);
}

void sm_run(Sm *sm, Cycle to)
{
	int64_t n = sm->gpu->config.sched_count;
	bool traced = tracing(sm);
	while (sm->now < to && !sm->fault.kind && (sm->resident || next_arrival(sm) != NEVER)) {
		if (!sm->resident && next_arrival(sm) > sm->now) {
			Cycle next = next_arrival(sm);
			pass_empty(sm, next < to ? next : to);
			continue;
		}
		while (next_arrival(sm) <= sm->now)
			arrive(sm, &sm->arrival.v[sm->arrived++]);
		if (lsu_next(sm) <= sm->now)
			lsu_serve(sm);
		Cycle next = cycle(sm, n);
		if (traced)
			tracer_cycle(sm);
		if (next > lsu_next(sm))
			next = lsu_next(sm);
		if (next > next_arrival(sm))
			next = next_arrival(sm);
		if (next > to)
			next = to;
		if (next > sm->now + 1)
			for (int64_t k = 0; k < n; k++)
				*sm->sched[k].idle += next - sm->now - 1;
		sm->now = next;
	}
	if (sm->arrived == sm->arrival.n)
		sm->arrived = sm->arrival.n = 0;
}

Cycle sm_next(const Sm *sm)
{
	Cycle least = next_arrival(sm) < lsu_next(sm) ? next_arrival(sm) : lsu_next(sm);
	if (!sm->resident || sm->fault.kind)
		return sm->fault.kind ? NEVER : least;
	for (int64_t i = 0; i < sm->gpu->config.sched_count; i++) {
		const Sched *d = &sm->sched[i];
		if (d->sleep > sm->now && d->sleep < least)
			least = d->sleep;
		for (int k = 0; k < d->n && d->sleep <= sm->now; k++)
			if (d->wake[k] < least)
				least = d->wake[k];
	}
	return least < sm->now ? sm->now : least;
}

/* When the split will be ready, as far as its data go, as seen in the window's last cycle. What else keeps it
   back then may have gone before they come. A split that waits for an event is to be looked at when that
   comes. No other one is: a look too many may change whose turn it is. */
static When when_ready(const Sm *sm, const Warp *w, const Split *s)
{
	const MIns *i = &w->ins[s->pc];
	When t = when_waited(s);
	if (wait_awaits(&s->wait, sm->now - 1))
		return t;
	When data = sm->gpu->model->own_slots ? lanes_operands(sm, w, s, i) : later(sm, w, s, i, sm->now - 1);
	return data.cycle > t.cycle || t.cycle < sm->now ? data : t;
}

/* Something has come for the warp, or it is known when: it sleeps no longer than that. Why it sleeps stays as
   it was seen. */
static void tell(Sm *sm, Warp *w)
{
	const ReconvModel *model = sm->gpu->model;
	Cycle first = w->ending && !w->outstanding && !w->queued ? w->drain : NEVER;
	if (!w->used || (w->nsplit == 1 && w->sched->wake[w->place] < PENDING && w->alarm == NO_ALARM &&
		!model->times.known))
		return;
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (s->state != SPLIT_RUN)
			continue;
		When t = when_ready(sm, w, s);
		if (t.cycle < sm->now) /* nothing that came has kept it back */
			continue;
		if (model->times.known && t.why == STALL_MEMORY && wait_over(&s->wait, sm->now - 1))
			model->times.known(w, s);
		first = t.cycle < first ? t.cycle : first;
	}
	if (w->alarm < first && !w->ending)
		first = w->alarm;
	Sched *d = w->sched;
	if (first < d->wake[w->place])
		d->wake[w->place] = first;
	if (first < d->sleep)
		d->sleep = first;
}

/* Splits hear of the events that have been told. The sets that are left begin a new list. */
static void hear_all(Sm *sm)
{
	for (int k = 0; k < sm->nwarps; k++)
		for (int x = 0; sm->warp[k].used && x < sm->warp[k].nsplit; x++)
			wait_hear(&sm->awaited, &sm->renewed, &sm->warp[k].split[x].wait);
	Events old = sm->awaited;
	sm->awaited = sm->renewed;
	vec_clear(&old.member);
	sm->renewed = old;
}

void sm_settle(Sm *sm)
{
	/* came: of a part of a generic instruction, whose registers may have to wait for the others */
	Cycle known = 0, came = 0, ready = 0;
	Mask hits = 0;
	bool whole = true;
	for (int k = 0; k < sm->deferred.n; k++) {
		Deferred *d = &sm->deferred.v[k];
		Warp *w = d->warp;
		/* a print's lanes know when they go on */
		if (d->data_only || (d->ins && d->ins->kind == K_PRINT))
			continue;
		if (d->ticket) {
			hits = d->ticket->hit_lanes;
			known = d->ticket->hits;
			came = ready = smmem_resolve(sm->mem, d->ticket);
			whole = whole_ready(sm, d->ticket, &ready);
			vec_push(&sm->tickets, d->ticket);
		}
		if (d->ins) {
			w->outstanding -= comes_back(d->ins);
			if (tracing(sm) && comes_back(d->ins)) {
				tracer_return(sm, w, d->ins, d->lanes & ~hits, d->cycle, came);
				tracer_return(sm, w, d->ins, d->lanes & hits, d->cycle, known);
			}
			if (d->ins->nwr && whole)
				scoreboard_write(sm, w, d->ins, d->lanes, ready, true);
			if (hits & d->lanes)
				scoreboard_write(sm, w, d->ins, hits & d->lanes, known, true);
			if (comes_back(d->ins) && ready > w->drain)
				w->drain = ready;
		} else {
			events_tell(&sm->awaited, d->event, ready > d->cycle ? ready : d->cycle + 1);
		}
	}
	if (sm->awaited.member.n)
		hear_all(sm);
	if (sm->lsu_free >= PENDING)
		sm->lsu_free = smmem_retry(sm->mem, sm->until);
	for (int k = 0; k < sm->deferred.n; k++)
		if (!sm->deferred.v[k].data_only && (!sm->deferred.v[k].ins ||
			sm->deferred.v[k].ins->kind != K_PRINT))
			tell(sm, sm->deferred.v[k].warp);
	for (int k = 0; k < sm->nwarps && sm->gpu->model->regroups && sm->deferred.n; k++)
		tell(sm, &sm->warp[k]); /* any may carry lanes whose home has its data now */
	vec_clear(&sm->deferred);
	vec_clear(&sm->data);
	vec_clear(&sm->origins);
}
