/* Livelock in the reference interpreter. When in a round no memory has changed, no thread has ended and no
 * threads have met, the interpreter looks at the state of every thread that can run: Brent's cycle detection
 * on the thread's frames, once a slice. When all these threads have come back to an earlier state, nothing
 * can ever change. For what a thread does follows from its registers, predicates and carry flag, from its
 * place in the code and the places to which it returns, and from memory (local memory too), which has not
 * changed; other threads act on it through memory and meetings only. A kernel that reads a clock is not
 * looked at. */
#include "isa/interp.h"

static void put_state(const Thread *t, StateWords *s)
{
	vec_push(s, (uint64_t)t->frame.n << 1 | (t->cc & 1));
	for (int k = 0; k < t->frame.n; k++) {
		const InterpFrame *f = &t->frame.v[k];
		vec_push(s, (uint64_t)f->code->f->id << 32 | (uint32_t)f->pc);
		for (uint32_t i = 0; i < f->code->words; i++)
			vec_push(s, f->words[i]);
		for (uint32_t i = 0; i < f->code->npred; i++)
			vec_push(s, f->pred[i] & 1);
	}
}

static void look_at_thread(Thread *t)
{
	StateWords now = { 0 }, *saved = &t->watch.saved;
	put_state(t, &now);
	if (t->watch.power && now.n == saved->n && !memcmp(now.v, saved->v, sizeof *now.v * (size_t)now.n)) {
		t->watch.cycling = true;
	} else if (++t->watch.steps >= t->watch.power) {
		StateWords old = *saved;
		*saved = now;
		now = old;
		t->watch.power = t->watch.power ? t->watch.power * 2 : 1;
		t->watch.steps = 0;
		t->watch.cycling = false;
	}
	vec_free(&now);
}

static void forget_cycle(Thread *t)
{
	t->watch.steps = t->watch.power = 0;
	t->watch.cycling = false;
}

void interp_look(Interp *in, uint64_t before, Cycling *c)
{
	bool still = in->changes == before && !in->clock;
	c->changing |= !still;
	for (int k = 0; k < in->nthread; k++) {
		Thread *t = &in->thread[k];
		if (!still)
			forget_cycle(t);
		if (!still || t->state != RUNNABLE)
			continue;
		look_at_thread(t);
		c->changing |= !t->watch.cycling;
		if (!c->n++) {
			c->first = t;
			memcpy(c->ctaid, in->ctaid, sizeof c->ctaid);
		}
	}
}

bool interp_livelock(Interp *in, const Cycling *c)
{
	if (c->changing || !c->n)
		return false;
	const uint32_t *grid = in->launch->grid;
	char others[60] = "comes";
	bool blocks = grid[0] > 1 || grid[1] > 1 || grid[2] > 1;
	if (c->n > 1)
		snprintf(others, sizeof others, "and %d other%s of the %s come", c->n - 1,
			c->n > 2 ? "s" : "", in->gang ? "grid" : "block");
	memcpy(in->ctaid, c->ctaid, sizeof in->ctaid);
	interp_fault(in, c->first, FAULT_LIVELOCK, "livelock: the thread %s back to the same state, and no "
		"memory has changed%s", others, blocks && !in->gang
		? " (blocks run one after the other here: none waits for a later one)" : "");
	return true;
}
