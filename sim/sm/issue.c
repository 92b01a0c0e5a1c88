/* One SM through a window of cycles. Each cycle, every scheduler issues from the first warp in its policy's order that
 * can; when none can anywhere, time jumps to the first cycle at which one may. Every scheduler-cycle is counted as an
 * issue or as the one reason that kept back the warp that will be ready first. */
#include "sim/sm/sm.h"

typedef struct When { Cycle cycle; uint8_t why; } When;

/* The latest of the lanes' operands. */
static Cycle latest(const Warp *w, Mask m, const MIns *i)
{
	Cycle most = 0;
	int W = w->lanes.width, l;
	for (int k = 0; k < i->nchk; k++)
		each_lane(m, l)
			if (w->ready[i->sb[k] * W + l] > most)
				most = w->ready[i->sb[k] * W + l];
	return most;
}

static When later(const Sm *sm, const Warp *w, const Split *s, const MIns *i)
{
	const Cycle *ready = w->ready;
	Cycle most = 0;
	if (!sm->lane_scoreboard) {
		for (int k = 0; k < i->nchk; k++)
			if (ready[i->sb[k]] > most)
				most = ready[i->sb[k]];
	} else if (!s->parts) {
		most = latest(w, s->mask, i);
	} else {
		each_part(s, p) {
			Cycle c = latest(p->home, p->mask, i);
			most = c > most ? c : most;
		}
	}
	return (When){ most >> 1, most & 1 ? STALL_MEMORY : STALL_DATA };
}

/* A copy of the functional unit that takes an instruction now, or -1 with the cycle at which one will. */
static int free_unit(const Sm *sm, Unit u, Cycle *when)
{
	int n = (int)sm->gpu->config.unit[u].count;
	Cycle least = NEVER;
	for (int k = 0; k < n; k++) {
		if (sm->unit_free[u][k] <= sm->now)
			return k;
		if (sm->unit_free[u][k] < least)
			least = sm->unit_free[u][k];
	}
	*when = least;
	return -1;
}

static bool fetched(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	const Config *c = &sm->gpu->config;
	if (s->line == i->line || !c->fetch_bytes)
		return true;
	MemTicket *t = sm_ticket(sm);
	*t = (MemTicket){ 0 };
	s->line = i->line;
	if (smmem_fetch(sm->mem, sm->now, (uint64_t)i->line * (uint64_t)c->fetch_line, &sm->stats, t)) {
		sm_wait(sm, w, s, t, STALL_FETCH);
		return false;
	}
	vec_push(&sm->tickets, t);
	return true;
}

/* ---- issue ---- */

static void write_scoreboard(Sm *sm, Warp *w, const MIns *i, Mask m, Cycle ready, bool load)
{
	Cycle v = ready << 1 | load;
	const uint16_t *wr = i->sb + i->nchk;
	if (!sm->lane_scoreboard) {
		for (int k = 0; k < i->nwr; k++)
			w->ready[wr[k]] = v;
		return;
	}
	int l, W = w->lanes.width;
	for (int k = 0; k < i->nwr; k++)
		each_lane(m, l)
			w->ready[wr[k] * W + l] = v;
}

/* n: parts of the split; 0: the lanes are the warp's own. */
static inline void write_results(Sm *sm, Warp *w, const Part *part, int n, const MIns *i, Mask m, Cycle ready, bool load)
{
	if (!n)
		write_scoreboard(sm, w, i, m, ready, load);
	for (int k = 0; k < n; k++)
		write_scoreboard(sm, part[k].home, i, part[k].mask & m, ready, load);
}

static bool is_memory(const MIns *i) { return i->kind == K_LD || i->kind == K_ST || i->kind == K_ATOM; }

/* Executes the split's instruction. False: the memory system refused it. */
static bool issue(Sm *sm, Warp *w, Split *s, const MIns *i, int unit)
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
	s->ready = now + 1;
	w->exact = false;
	exec_issue(sm, w, s, &is);
	if (memory && is.blocked) {
		s->ready = is.ready > now ? is.ready : now + 1;
		s->why = STALL_MEMPIPE;
		if (sm->mem_free < s->ready) /* accesses go in order: this one holds the load/store unit */
			sm->mem_free = s->ready;
		return false;
	}
	if (unit >= 0)
		sm->unit_free[i->unit][unit] = now + (Cycle)c->unit[i->unit].interval;
	if (!memory)
		write_results(sm, w, part, nparts, i, is.executing, now + (Cycle)c->unit[i->unit].latency, false);
	else if (!is.pending || (sm->lane_scoreboard && is.executing & ~is.pending))
		write_results(sm, w, part, nparts, i, is.executing & ~is.pending, is.ready, true);
	if (memory && is.pending)
		write_results(sm, w, part, nparts, i, is.pending, PENDING, true);
	if (w->nsplit < nsplit || !w->nsplit)
		return true;
	if (w->nsplit > 1 && !(s->mask & lanes)) /* another has its place now; the mechanism has seen to those that are new */
		return true;
	if (s->pc != pc + 1 && s->pc != pc && !w->exact && s->ready < PENDING) {
		s->ready += (Cycle)c->fetch_redirect;
		s->why = s->why == STALL_DIVERGENCE && s->ready > now + 1 + (Cycle)c->fetch_redirect ? s->why : STALL_BRANCH;
	} else if (s->pc == pc && s->state == SPLIT_RUN && !s->released && !w->exact && s->ready < PENDING) {
		s->ready += (Cycle)c->fetch_redirect; /* a jump to itself */
		s->why = STALL_BRANCH;
	}
	return true;
}

/* Can the split issue now? Else when it may, as far as known. shared: the unit of an issue of this cycle on other lanes, or -1. */
static inline When examine(Sm *sm, Warp *w, Split *s, const MIns **ins, int *unit, int shared)
{
	if (s->state != SPLIT_RUN)
		return (When){ NEVER, s->why };
	if (s->ready > sm->now)
		return (When){ s->ready, s->why };
	const MIns *i = &sm->gpu->cur->ins[s->pc];
	if (!fetched(sm, w, s, i))
		return (When){ s->ready, STALL_FETCH };
	When t = later(sm, w, s, i);
	if (t.cycle > sm->now)
		return t;
	*unit = -1;
	if (!sm->gpu->model->own_slots && i->unit != shared) {
		Cycle when = 0;
		*unit = free_unit(sm, i->unit, &when);
		if (*unit < 0)
			return (When){ when, is_memory(i) ? STALL_MEMPIPE : STALL_UNIT };
	}
	if (is_memory(i) && sm->mem_free > sm->now && !sm->gpu->model->own_slots)
		return (When){ sm->mem_free, STALL_MEMPIPE };
	*ins = i;
	return (When){ sm->now, 0 };
}

/* After instruction `first` of split k of n, for these lanes: the next one in the same cycle, if the split is still there. */
static bool second_issue(Sm *sm, Warp *w, int k, int n, Mask lanes, const MIns *first)
{
	Split *s = &w->split[k];
	const MIns *i;
	int unit;
	if (first->kind >= K_BAR && first->kind != KM_SREG)
		return false;
	if (w->nsplit < n || (n > 1 && !(s->mask & lanes)) || s->state != SPLIT_RUN || s->ready != sm->now + 1 || s->parts)
		return false;
	s->ready = sm->now;
	When t = examine(sm, w, s, &i, &unit, -1);
	if (t.cycle > sm->now || !issue(sm, w, s, i, unit)) {
		if (s->ready <= sm->now)
			s->ready = sm->now + 1;
		return false;
	}
	return true;
}

static void sleep_until(Warp *w, When t)
{
	w->sched->wake[w->place] = t.cycle;
	w->sched->wake_why[w->place] = t.why;
}

static void end_warp(Sm *sm, Warp *w)
{
	if (w->outstanding) {
		sleep_until(w, (When){ PENDING, STALL_DRAIN });
	} else if (w->drain > sm->now) {
		sleep_until(w, (When){ w->drain, STALL_DRAIN });
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
	sm->gpu->model->alarm(w);
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
}

/* Another split on lanes that the issue of instruction `first` has left idle: part of the same scheduler-cycle. */
static void issue_partner(Sm *sm, Warp *w, const MIns *first, Mask lanes)
{
	Warp *of;
	Split *s;
	for (int n = 0; (s = sm->gpu->model->partner(w, lanes, n, &of)); n++) {
		const MIns *i;
		int unit;
		When t = examine(sm, of, s, &i, &unit, is_memory(first) ? -1 : first->unit);
		if (t.cycle > sm->now || !issue(sm, of, s, i, unit))
			continue;
		reconv_count_own(w, of == w ? "pairs_of_a_warp" : "pairs_of_warps");
		if (of == w)
			return;
		warp_wake(of);
		if (of->ending)
			end_warp(sm, of);
		return;
	}
}

/* As try_warp, for mechanisms that let two splits issue at once. */
static bool try_pair(Sm *sm, Warp *w)
{
	const ReconvModel *model = sm->gpu->model;
	When best = { NEVER, STALL_BARRIER };
	bool issued = false;
	Split *s;
	for (int n = 0; !issued && (s = model->candidate(w, n)); n++) {
		const MIns *i;
		int unit;
		if (s->released) { /* another list: from its beginning */
			split_released(sm, w, s);
			n = -1;
			continue;
		}
		Mask lanes = s->mask;
		When t = examine(sm, w, s, &i, &unit, -1);
		if (t.cycle <= sm->now) {
			issued = issue(sm, w, s, i, unit);
			t = (When){ s->ready, STALL_MEMPIPE };
		}
		if (issued && !sm->fault.kind)
			issue_partner(sm, w, i, lanes);
		if (t.cycle < best.cycle)
			best = t;
	}
	sleep_until(w, (When){ issued ? sm->now + 1 : best.cycle, best.why });
	if (w->ending)
		end_warp(sm, w);
	return issued;
}

/* After an issue: a split that is alone says when the next may be. */
static inline void sleep_after_issue(Sm *sm, Warp *w, uint8_t why)
{
	const Split *s = &w->split[0];
	if (w->ending)
		end_warp(sm, w);
	else if (w->nsplit == 1 && s->state == SPLIT_RUN && !s->released)
		sleep_until(w, (When){ s->ready, s->why });
	else
		sleep_until(w, (When){ sm->now + 1, why });
}

/* As try_warp, where one split is all there is and the mechanism has nothing to choose. */
static inline bool try_single(Sm *sm, Warp *w)
{
	Split *s = &w->split[0];
	const MIns *i;
	int unit;
	Mask lanes = s->mask;
	When t = examine(sm, w, s, &i, &unit, -1);
	if (t.cycle <= sm->now) {
		if (issue(sm, w, s, i, unit)) {
			if (sm->fault.kind)
				return true;
			w->last = 0;
			if (sm->gpu->config.sched_width > 1)
				second_issue(sm, w, 0, 1, lanes, i);
			sleep_after_issue(sm, w, STALL_BARRIER);
			return true;
		}
		t = (When){ s->ready, STALL_MEMPIPE };
	}
	sleep_until(w, t.cycle == NEVER ? (When){ NEVER, STALL_BARRIER } : t);
	return false;
}

/* The split's barrier has opened, or its lanes have several homes that are to go apart. True: the list is another one. */
static bool changes(Sm *sm, Warp *w, Split *s, When *best)
{
	const ReconvModel *model = sm->gpu->model;
	int n = w->nsplit;
	if (s->released) {
		split_released(sm, w, s);
		if (model->wait || model->regroups) /* the turn may be another's, who has been looked at already */
			*best = (When){ sm->now + 1, STALL_DIVERGENCE };
	}
	if (w->nsplit == n && s->parts && homes_scatter(sm, w, s)) {
		*best = (When){ sm->now + 1, STALL_DIVERGENCE }; /* so may its homes */
		return true;
	}
	return w->nsplit != n;
}

/* Issues the split's instruction if it can. Else *best becomes when it may, unless it is earlier already. */
static inline bool try_split(Sm *sm, Warp *w, Split *s, const MIns **i, When *best)
{
	const ReconvModel *model = sm->gpu->model;
	int unit = -1;
	When t = examine(sm, w, s, i, &unit, -1);
	if (t.cycle <= sm->now) {
		if (issue(sm, w, s, *i, unit))
			return true;
		t = (When){ s->ready, STALL_MEMPIPE };
	} else if (s->state == SPLIT_RUN && model->stall) {
		model->stall(w, s, t.why, t.cycle);
		if (s->state != SPLIT_RUN) /* another one has its turn */
			t.cycle = sm->now + 1;
	}
	if (t.cycle < best->cycle)
		*best = t;
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
		Mask lanes = s->mask;
		if (!try_split(sm, w, s, &i, best)) {
			x++;
			continue;
		}
		issued = true;
		if (sm->fault.kind)
			break;
		if (!sm->gpu->model->own_slots) {
			w->last = k;
			if (sm->gpu->config.sched_width > 1)
				second_issue(sm, w, k, n, lanes, i);
			break;
		}
		x += w->nsplit == n;
	}
	return issued;
}

static bool try_warp(Sm *sm, Warp *w)
{
	When best = { NEVER, STALL_BARRIER };
	if (w->ending) {
		end_warp(sm, w);
		return false;
	}
	if (sm->single && w->nsplit == 1 && !w->split[0].released)
		return try_single(sm, w);
	if (w->alarm <= sm->now)
		ring(sm, w);
	if (sm->gpu->model->partner)
		return try_pair(sm, w);
	bool issued = try_splits(sm, w, &best);
	if (issued && sm->fault.kind)
		return true;
	if (issued)
		sleep_after_issue(sm, w, best.why);
	else
		sleep_until(w, best);
	if (w->ending && !issued)
		end_warp(sm, w);
	if (w->alarm < w->sched->wake[w->place] && !w->ending)
		sleep_until(w, (When){ w->alarm, STALL_DIVERGENCE });
	return issued;
}

/* ---- schedulers ---- */

/* Tries the warps at places from..to-1 that may be ready. False: none issued, and *least, unless it is earlier already, has
   become the first cycle at which one of them may. */
static inline bool scan(Sm *sm, Sched *d, int from, int to, When *least)
{
	Cycle first = NEVER;
	int k;
	for (k = from; k < to; k++) {
		if (d->wake[k] <= sm->now) {
			if (d->wake_why[k] == STALL_MEMPIPE && sm->mem_free > sm->now && d->wake[k]) {
				d->wake[k] = sm->mem_free; /* it waited for the load/store unit, which another warp got */
			} else if (try_warp(sm, &sm->warp[d->order[k]])) {
				d->last = d->order[k];
				return true;
			}
		}
		first = d->wake[k] < first ? d->wake[k] : first;
	}
	if (first > least->cycle || (first == least->cycle && first != NEVER))
		return false;
	for (k = from; k < to - 1 && d->wake[k] != first; k++)
		;
	if (from < to)
		*least = (When){ first, d->wake_why[first == NEVER ? to - 1 : k] };
	return false;
}

static bool scan_one(Sm *sm, Sched *d, int slot, When *least)
{
	int k = sm->warp[slot].place;
	return scan(sm, d, k, k + 1, least);
}

static bool two_level(Sm *sm, Sched *d, When *least)
{
	int most = (int)sm->gpu->config.sched_active;
	for (int k = 0; k < d->nactive;) { /* warps with long waits leave the active set */
		int place = sm->warp[d->active[k]].place, why = d->wake_why[place];
		bool out = d->wake[place] > sm->now && (why == STALL_MEMORY || why == STALL_BARRIER || why == STALL_FETCH);
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
		if (scan_one(sm, d, d->active[(start + k) % d->nactive], least))
			return true;
	for (int k = 0; k < d->n; k++) {
		if (d->wake[k] <= sm->now) /* ready but not active: the active ones say why nothing issued */
			least->cycle = sm->now + 1;
		else if (d->wake[k] < least->cycle)
			*least = (When){ d->wake[k], d->wake_why[k] };
	}
	return false;
}

/* The mechanism chooses among the warps that are awake. */
static bool ordered(Sm *sm, Sched *d, When *least)
{
	Warp *list[MOST_WARPS];
	int n = 0;
	for (int k = 0; k < d->n; k++)
		if (d->wake[k] <= sm->now)
			list[n++] = &sm->warp[d->order[k]];
	if (n)
		sm->gpu->model->order(list, n);
	for (int k = 0; k < n; k++)
		if (scan_one(sm, d, list[k]->slot, least))
			return true;
	for (int k = 0; k < d->n; k++)
		if (d->wake[k] < least->cycle || (d->wake[k] == NEVER && least->cycle == NEVER))
			*least = (When){ d->wake[k], d->wake_why[k] };
	return false;
}

static bool schedule(Sm *sm, Sched *d, When *least)
{
	int64_t policy = sm->gpu->config.sched_policy;
	int first = 0;
	*least = (When){ NEVER, d->n ? STALL_BARRIER : STALL_EMPTY };
	if (sm->gpu->model->order)
		return ordered(sm, d, least);
	if (policy == SCHED_TWO_LEVEL)
		return two_level(sm, d, least);
	if (policy == SCHED_GTO && d->last >= 0 && scan_one(sm, d, d->last, least))
		return true;
	if (policy == SCHED_LRR && d->last >= 0) /* begin behind the one that issued last */
		first = sm->warp[d->last].place + 1;
	return scan(sm, d, first, d->n, least) || scan(sm, d, 0, first, least);
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

/* One cycle. Returns when the next issue may be: now + 1 after an issue. Who wakes a warp without an issue, by letting splits go
   or scattering them, asks for the next cycle, too (try_warp): so a scheduler that this cycle has passed is not forgotten. */
static Cycle cycle(Sm *sm, int64_t n)
{
	Cycle next = NEVER;
	for (int64_t k = 0; k < n; k++) {
		Sched *d = &sm->sched[k];
		When least;
		if (d->sleep > sm->now) {
			if (d->sleep < next)
				next = d->sleep;
			sm->stats.stalls[d->why]++;
			continue;
		}
		if (schedule(sm, d, &least)) {
			sm->stats.issued++;
			next = sm->now + 1;
			d->sleep = 0;
			continue;
		}
		d->why = least.why;
		d->sleep = least.cycle;
		sm->stats.stalls[least.why]++;
		if (least.cycle < next)
			next = least.cycle;
	}
	if (sm->nended) {
		retire_ended(sm);
		for (int64_t k = 0; k < n; k++)
			sm->sched[k].sleep = 0;
		return sm->now + 1;
	}
	return next > sm->now ? next : sm->now + 1;
}

void sm_run(Sm *sm, Cycle until)
{
	int64_t n = sm->gpu->config.sched_count;
	while (sm->now < until && sm->resident && !sm->fault.kind) {
		Cycle next = cycle(sm, n);
		if (next > until)
			next = until;
		for (int64_t k = 0; k < n && next > sm->now + 1; k++)
			sm->stats.stalls[sm->sched[k].n ? sm->sched[k].why : STALL_EMPTY] += next - sm->now - 1;
		sm->now = next;
	}
}

Cycle sm_next(const Sm *sm)
{
	Cycle least = NEVER;
	if (!sm->resident)
		return NEVER;
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

void sm_settle(Sm *sm)
{
	Cycle known = 0, ready = 0;
	for (int k = 0; k < sm->deferred.n; k++) {
		Deferred *d = &sm->deferred.v[k];
		Warp *w = d->warp;
		if (d->ins && d->ins->kind == K_PRINT) /* no request: its lanes know when they go on */
			continue;
		if (d->ticket) {
			known = d->ticket->ready;
			ready = smmem_resolve(sm->mem, d->ticket);
			vec_push(&sm->tickets, d->ticket);
		}
		if (d->ins) {
			w->outstanding--;
			if (d->ins->nwr)
				write_scoreboard(sm, w, d->ins, d->lanes, ready, true);
			if (d->hits)
				write_scoreboard(sm, w, d->ins, d->hits, known, true);
			if (d->ins->kind != K_ST && ready > w->drain)
				w->drain = ready;
		} else {
			for (int s = 0; s < w->nsplit; s++)
				if (w->split[s].wait == d->wait) {
					w->split[s].wait = 0;
					w->split[s].ready = ready > d->cycle ? ready : d->cycle + 1;
				}
		}
		warp_wake(w);
	}
	for (int k = 0; k < sm->nwarps && sm->gpu->model->regroups && sm->deferred.n; k++)
		if (sm->warp[k].used) /* any may carry lanes whose home has its data now */
			warp_wake(&sm->warp[k]);
	vec_clear(&sm->deferred);
	vec_clear(&sm->data);
}
