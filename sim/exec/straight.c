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

static void compute_by_home(Sm *sm, const Split *s, const MIns *i, Mask m)
{
	each_part(s, p) {
		if (!(p->mask & m))
			continue;
		if (i->kind == K_ALU)
			i->x.fn(&i->x, &p->home->lanes, p->mask & m);
		else
			exec_sreg(sm, p->home, i, p->mask & m);
	}
}

static void access_memory(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	Issue is = { .now = sm->now };
	exec_memory(sm, w, s, i, m, &is);
}

/* Executes instructions from i on, but none from `end` on, up to the first that sends lanes elsewhere or
   fails; returns the instruction behind the last one that it has executed. */
static const MIns *compute(Sm *sm, Warp *w, Split *s, const MIns *i, const MIns *end)
{
	Cycle first = sm->now - (Cycle)(i - w->ins);
	for (; i < end; i++) {
		Mask m = guarded_lanes(w, s, i);
		switch (i->kind) {
		case K_ALU:
			if (s->parts)
				compute_by_home(sm, s, i, m);
			else if (m)
				i->x.fn(&i->x, &w->lanes, m);
			break;
		case KM_SREG:
			if (s->parts)
				compute_by_home(sm, s, i, m);
			else
				exec_sreg(sm, w, i, m);
			break;
		case K_LD: case K_ST: case K_ATOM:
			sm->now = first + (Cycle)(i - w->ins);
			access_memory(sm, w, s, i, m);
			if (sm->fault.kind)
				return i + 1;
			break;
		case K_NOP: break;
		default: return i;
		}
	}
	return i;
}

/* Counts n issues of the split, from pc on. */
static void count_straight(Sm *sm, Warp *w, Split *s, uint32_t pc, uint32_t n)
{
	Share *x = w->share;
	const uint32_t *added = x->grid->code->added + pc;
	const uint64_t own = added[n] - added[0], issues[2] = { n - own, own };
	unsigned lanes;
	Group *g = w->group;
	if (g->lanes == s->mask && !s->parts) {
		lanes = g->n;
		group_issues(g, pc + n - 1, sm->now + n - 1, issues);
	} else {
		lanes = lane_count(s->mask);
		partings_run(w, s, pc, issues, pc + n - 1);
	}
	x->straight[pc].issues++;
	x->straight[pc].lanes += lanes;
	x->straight[pc + n].issues--;
	x->straight[pc + n].lanes -= lanes;
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

int exec_straight(Sm *sm, Warp *w, Split *s, int most)
{
	uint32_t pc = s->pc, n = code_of(w)->straight[pc];
	const MIns *first = &w->ins[pc], *end = first + (n < (uint32_t)most ? n : (uint32_t)most), *i;
	Cycle begin = sm->now;
	i = compute(sm, w, s, first, end);
	bool sends = i < end && !sm->fault.kind;
	Mask m = sends ? guarded_lanes(w, s, i) : 0;
	n = (uint32_t)(i - first) + sends;
	sm->now = begin;
	count_straight(sm, w, s, pc, n);
	sm->now = begin + n - 1;
	s->wait = wait_until(sm->now + 1, STALL_DATA);
	s->pc = (uint32_t)(i - w->ins);
	if (sends)
		exec_control(sm, w, s, i, m);
	else if (i->flags & MI_REACH) {
		sm->gpu->model->reach(w, s);
		note_depth(sm, w);
	}
	sm->now++;
	return (int)n;
}
