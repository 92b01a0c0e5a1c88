/* Functional runs: straight code of one split is executed as a whole and counted once. The counts of its
   instructions are known when the launch has ended (straight_settle). */
#include "sim/exec/internal.h"

/* The lanes of the split that execute the instruction; counts the others. */
static inline Mask guarded_lanes(Warp *w, const Split *s, const MIns *i)
{
	if (i->guard < 0)
		return s->mask;
	Mask m = s->mask & split_holds(w, s, (uint32_t)i->guard, i->flags & MI_GUARD_NEG);
	if (m != s->mask) {
		InsCount *c = &w->share->count[i - w->ins];
		uint64_t off = lane_count(s->mask & ~m);
		c->useful -= off;      /* straight_settle adds all lanes of the split */
		c->off += off;
	}
	return m;
}

/* Executes an instruction that computes something or accesses memory. */
static __attribute__((noinline)) void compute_one(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Mask m = guarded_lanes(w, s, i);
	const Part alone = { w, s->mask }, *p = s->parts ? s->parts->part : &alone;
	int n = s->parts ? s->parts->n : 1;
	if (i->kind == K_LD || i->kind == K_ST || i->kind == K_ATOM)
		exec_memory_now(sm, w, s, i, m);
	for (int k = 0; k < n; k++)
		if (i->kind == K_ALU && p[k].mask & m)
			i->x.fn(&i->x, &p[k].home->lanes, p[k].mask & m);
		else if (i->kind == KM_SREG)
			exec_sreg(sm, p[k].home, i, p[k].mask & m);
}

/* Executes instructions from i on for lanes m of one warp, n at most, up to the first that is not plain;
   returns how many. */
static __attribute__((noinline)) uint32_t compute_plain(Lanes *L, const MIns *i, LaneFn *const *plain,
	uint32_t n, Mask m)
{
	uint32_t k = 0;
	for (; k < n && plain[k]; k++, i++)
		plain[k](&i->x, L, m);
	return k;
}

/* Executes n instructions from the split's pc on, or those up to the first that fails; returns how many. */
static uint32_t compute(Sm *sm, Warp *w, Split *s, uint32_t n)
{
	const MIns *i = &w->ins[s->pc];
	LaneFn *const *plain = code_of(w)->plain + s->pc;
	Cycle begin = sm->now;
	for (uint32_t k = 0; k < n; k++) {
		if (!s->parts && (k += compute_plain(&w->lanes, i + k, plain + k, n - k, s->mask)) == n)
			break;
		sm->now = begin + k;
		compute_one(sm, w, s, i + k);
		if (sm->fault.kind)
			return k + 1;
	}
	return n;
}

/* Counts n issues of the split's `lanes` lanes, from its pc on. */
static void count_straight(Sm *sm, Warp *w, const Split *s, uint32_t n, unsigned lanes)
{
	Share *x = w->share;
	uint32_t pc = s->pc;
	const Straight *from = &x->grid->code->straight[pc];
	uint32_t added = from[n].added - from->added;
	const uint64_t issues[2] = { n - added, added };
	if (w->group->lanes == s->mask && !s->parts)
		group_issues(w->group, pc + n - 1, sm->now + n - 1, issues);
	else
		partings_run(w, s, pc, issues, pc + n - 1);
	StraightCount *count = &x->straight[pc];
	count[0].issues++;
	count[0].lanes += lanes;
	count[n].issues--;
	count[n].lanes -= lanes;
	x->totals.depth_sum += (uint64_t)n * w->stack_depth;
	sm->issues += n;
}

void straight_settle(const Share *x, int n)
{
	uint64_t issues = 0, lanes = 0;
	for (int pc = 0; pc < n; pc++) {
		issues += x->straight[pc].issues;
		lanes += x->straight[pc].lanes;
		x->count[pc].issues += issues;
		x->count[pc].useful += lanes;
	}
	memset(x->straight, 0, sizeof *x->straight * (size_t)(n + 1));
}

/* A branch that sends all lanes one way, where neither the mechanism nor the watch for livelocks asks for it:
   the split goes on there. False: it is another instruction, or the lanes part. */
static bool goes_one_way(const Sm *sm, Warp *w, Split *s, const MIns *i, unsigned lanes)
{
	if (i->kind != K_BRA || sm->gpu->watching || sm->gpu->model->all_branches)
		return false;
	if (!(i->flags & MI_COND)) {
		s->pc = i->target;
		return true;
	}
	Mask taken = s->mask & split_holds(w, s, i->x.a, i->x.neg);
	if (taken && taken != s->mask)
		return false;
	w->share->branch[i->branch].taken += taken ? lanes : 0;
	s->pc = taken ? i->target : i->fall;
	return true;
}

/* Executes straight code from the split's pc on, `most` instructions at most, and adds their number to *done.
   True: the split goes on, and nothing has happened that the mechanism hears of. */
static bool run_once(Sm *sm, Warp *w, Split *s, const Straight *x, uint32_t most, unsigned lanes, int *done)
{
	Cycle begin = sm->now;
	bool sends = x->sends && x->n < most;
	uint32_t k = compute(sm, w, s, x->n < most ? x->n : most);
	const MIns *last = &w->ins[s->pc + k];
	sends = sends && !sm->fault.kind;
	Mask m = sends ? guarded_lanes(w, s, last) : 0;
	uint32_t n = k + sends;
	sm->now = begin;
	count_straight(sm, w, s, n, lanes);
	*done += (int)n;
	sm->now = begin + n - 1;
	s->wait = wait_until(begin + n, STALL_DATA);
	s->pc += k;
	bool on = !sends || goes_one_way(sm, w, s, last, lanes);
	if (!on) {
		exec_control(sm, w, s, last, m);
	} else if (w->ins[s->pc].flags & MI_REACH) {
		sm->gpu->model->reach(w, s);
		note_depth(sm, w);
		on = false;
	}
	sm->now++;
	return on && !sm->fault.kind;
}

int exec_straight(Sm *sm, Warp *w, Split *s, int most)
{
	const Straight *x = code_of(w)->straight;
	unsigned lanes = w->group->lanes == s->mask ? w->group->n : lane_count(s->mask);
	int done = 0;
	while (run_once(sm, w, s, &x[s->pc], (uint32_t)(most - done), lanes, &done) && done < most &&
		straight_begins(&x[s->pc]))
		;
	return done;
}
