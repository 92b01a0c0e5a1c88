/* Livelock in the reference interpreter: after a round in which no memory has changed, no thread has ended and nobody has
 * met anybody, the state of every thread that runs is looked at: Brent's cycle detection on its frames, once a slice. When
 * all have come back to an earlier state, nothing can ever change. A kernel that reads a clock is not looked at. */
#include "isa/interp.h"

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v ^ h >> 29) * 0x9e3779b97f4a7c15u; }

static uint64_t state_hash(const Thread *t)
{
	uint64_t h = mix((uint64_t)t->frame.n, t->cc);
	for (int k = 0; k < t->frame.n; k++) {
		const Frame *f = &t->frame.v[k];
		h = mix(mix(h, (uint64_t)f->pc), (uint64_t)(uintptr_t)f->code);
		for (uint32_t i = 0; i < f->code->words; i++)
			h = mix(h, f->words[i]);
		for (uint32_t i = 0; i < f->code->npred; i++)
			h = mix(h, f->pred[i] & 1);
	}
	return h;
}

static void look(Thread *t)
{
	uint64_t h = state_hash(t);
	if (t->watch.power && h == t->watch.saved) {
		t->watch.cycling = true;
	} else if (++t->watch.steps >= t->watch.power) {
		t->watch.saved = h;
		t->watch.power = t->watch.power ? t->watch.power * 2 : 1;
		t->watch.steps = 0;
		t->watch.cycling = false;
	}
}

bool interp_livelock(Interp *in, uint64_t before)
{
	const Thread *first = NULL;
	int n = 0;
	bool all = true, still = in->changes == before && !in->clock;
	for (int k = 0; k < in->nthread; k++) {
		Thread *t = &in->thread[k];
		if (!still)
			memset(&t->watch, 0, sizeof t->watch);
		if (!still || t->state != RUNNABLE)
			continue;
		look(t);
		all &= t->watch.cycling;
		first = first ? first : t;
		n++;
	}
	if (!still || !n || !all)
		return false;
	const uint32_t *grid = in->launch->grid;
	char others[60] = "comes";
	if (n > 1)
		snprintf(others, sizeof others, "and %d other%s of the block come", n - 1, n > 2 ? "s" : "");
	interp_fault(in, first, FAULT_LIVELOCK, "livelock: the thread %s back to the same state, and no memory has changed%s", others,
		grid[0] > 1 || grid[1] > 1 || grid[2] > 1 ? " (blocks run one after the other here: none waits for a later one)" : "");
	return true;
}
