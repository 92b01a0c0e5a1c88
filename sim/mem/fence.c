/* What fences wait for: the accesses that a warp, or a lane, has made so far.
 *
 * A fence is a request that goes nowhere. Requests of an SM are served in the order in which they were made,
 * so that, when it is the fence's turn, it is known when all that it waits for is done, and nothing that was
 * made later counts. */
#include "sim/mem/internal.h"

static inline Outstanding *outstanding_of(const SmMem *s, Ordered o, uint64_t rest)
{
	return &s->outstanding.v[o.first + __builtin_ctzll(rest)];
}

/* Makes room for those entries. */
static void reserve_entries(SmMem *s, int n)
{
	int have = s->outstanding.n;
	if (have >= n)
		return;
	vec_reserve(&s->outstanding, n);
	memset(s->outstanding.v + have, 0, sizeof *s->outstanding.v * (size_t)(n - have));
	s->outstanding.n = n;
}

void fence_note_access(SmMem *s, const Access *a, const MemTicket *t)
{
	if (!a->ordered.members)
		return;
	reserve_entries(s, a->ordered.first + 64);
	for (uint64_t rest = a->ordered.members; rest; rest &= rest - 1) {
		Outstanding *x = outstanding_of(s, a->ordered, rest);
		if (a->kind == ACC_LOAD)
			x->read = later(x->read, t->ready);
		if (a->kind != ACC_LOAD || t->npending)
			x->asked = s->drain;
	}
}

void fence_note_served(SmMem *s, Ordered o, Cycle done)
{
	for (uint64_t rest = o.members; rest; rest &= rest - 1) {
		Outstanding *x = outstanding_of(s, o, rest);
		x->served = later(x->served, done);
	}
}

Cycle fence_done(const SmMem *s, const Request *r)
{
	Cycle done = r->at;
	for (uint64_t rest = r->ordered.members; rest; rest &= rest - 1)
		done = later(done, outstanding_of(s, r->ordered, rest)->served);
	return done + r->target;
}

void smmem_fence(SmMem *s, Cycle now, Ordered o, Cycle cycles, Totals *st, MemTicket *t)
{
	Request r = { .at = now, .owner = OWNER_FENCE, .kind = ACC_LOAD, .after = -1, .target = cycles,
		.ordered = o, .stats = st };
	bool unknown = false;
	reserve_entries(s, o.first + 64);
	for (uint64_t rest = o.members; rest; rest &= rest - 1) {
		const Outstanding *x = outstanding_of(s, o, rest);
		r.at = later(r.at, x->read);
		unknown |= x->asked == s->drain;
	}
	t->npending = 0;
	t->pipe_free = now + 1;
	t->ready = now;
	if (unknown)
		smmem_wait(s, t, smmem_push(s, now, r, &(Piece){ 0 }));
	else
		t->ready = fence_done(s, &r);
}

void smmem_forget_ordered(SmMem *s, int first, int n)
{
	for (int k = first; k < first + n && k < s->outstanding.n; k++)
		s->outstanding.v[k] = (Outstanding){ 0 };
}
