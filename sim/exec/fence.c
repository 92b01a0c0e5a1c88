/* Fences. Accesses take effect in the order in which they are issued, so that a fence has nothing to do but
 * to take its time: it waits until the accesses that it orders are done, as far as its scope reaches, and
 * costs what the machine says.
 *
 * Threads of the same block see accesses in the order in which the SM's load/store unit makes them, so a
 * fence among them waits until those in the queue are made. Others see what L2 has: a fence for them waits
 * for the answers. It waits for all accesses of the warp, which may be more than those of its own lanes;
 * where lanes have several homes, for those of all homes. */
#include "sim/exec/internal.h"

Ordered fence_ordered(const Sm *sm, const Warp *w, const Split *s, Mask m)
{
	const ReconvModel *model = sm->gpu->model;
	Ordered o = { 0, 0 };
	if (model->own_slots)
		return (Ordered){ w->slot * w->lanes.width, m };
	if (!model->regroups)
		return (Ordered){ w->slot, 1 };
	if (!s->parts)
		o.members = (uint64_t)1 << w->slot % 64;
	else
		each_part(s, p)
			if (p->mask & m)
				o.members |= (uint64_t)1 << p->home->slot % 64;
	return o;
}

void fence_warp_begins(Sm *sm, const Warp *w)
{
	int n = sm->gpu->model->own_slots ? w->lanes.width : 1;
	if (sm->mem && !sm->gpu->model->regroups)
		smmem_forget_ordered(sm->mem, w->slot * n, n);
}

bool fence_is_held(const Warp *w, const Split *s)
{
	if (!s->parts)
		return w->queued != 0;
	each_part(s, p)
		if (p->home->queued)
			return true;
	return false;
}

/* Cycles that a fence of the scope takes: no fewer than one of a narrower scope. */
static Cycle fence_cycles(const Config *c, Scope scope)
{
	int64_t n = c->fence_cta;
	if (scope != SCOPE_CTA && c->fence_gpu > n)
		n = c->fence_gpu;
	if ((scope == SCOPE_SYS || scope == SCOPE_NONE) && c->fence_sys > n)
		n = c->fence_sys;
	return (Cycle)n;
}

void exec_fence(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	const Config *c = &sm->gpu->config;
	Scope scope = (Scope)i->src->scope;
	Cycle cycles = fence_cycles(c, scope);
	if (!m || sm->gpu->options.functional)
		return;
	if (scope == SCOPE_CTA) {
		wait_not_before(&s->wait, sm->now + cycles, STALL_FENCE, sm->now);
		return;
	}
	if (c->fence_empties_l1)
		smmem_forget(sm->mem, sm->now);
	MemTicket *t = sm_ticket(sm);
	smmem_fence(sm->mem, sm->now, fence_ordered(sm, w, s, m), cycles, &w->share->totals, t);
	sm_wait(sm, w, s, t, STALL_FENCE);
}
