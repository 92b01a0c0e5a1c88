/* vprintf and assertfail: what lanes print, and assertions that fail.
 *
 * In timed runs the lanes of a vprintf stand still for a trip to L2 and back, which no window exceeds; what they print is
 * put together at the end of the window, from memory as it is at their turn in the order of global accesses. */
#include "sim/exec/internal.h"
#include "isa/print.h"

typedef struct Reading { Sm *sm; Warp *w; const MIns *i; int lane; } Reading;

static bool read_byte(void *self, uint64_t addr, uint8_t *v)
{
	const Reading *r = self;
	return exec_byte(r->sm, r->w, r->i, r->lane, addr, v);
}

static void print_lanes(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	int l;
	each_lane(m, l) {
		Reading r = { sm, w, i, l };
		int32_t n;
		if (!print_format(sm->gpu->launch->print, &(PrintReader){ &r, read_byte }, row64(&w->lanes, i->x.a)[l],
			row64(&w->lanes, i->x.b)[l], &n))
			return;
		if (i->x.d != NO_ROW)
			row32(&w->lanes, i->x.d)[l] = (uint32_t)n;
	}
}

/* Has some SM faulted before, in the order of cycles and SMs? The machine has stopped there. */
static bool stopped_before(const Sm *sm, Cycle cycle)
{
	const Gpu *g = sm->gpu;
	for (int k = 0; k < g->config.sm_count; k++)
		if (g->sm[k].fault.kind && (g->sm[k].fault_cycle < cycle || (g->sm[k].fault_cycle == cycle && k <= sm->id)))
			return true;
	return false;
}

void print_apply(Sm *sm, const Deferred *d)
{
	if (stopped_before(sm, d->cycle))
		return;
	Fault later = sm->fault;
	Cycle at = sm->fault_cycle;
	sm->fault.kind = FAULT_NONE;
	print_lanes(sm, d->warp, d->ins, d->mask);
	if (sm->fault.kind) {
		sm->fault_cycle = d->cycle;
	} else {
		sm->fault = later;
		sm->fault_cycle = at;
	}
}

void exec_print(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	Part part[64];
	int n = m ? reconv_parts(w, s, part) : 0;
	for (int k = 0; k < n; k++) {
		Deferred d = { .cycle = sm->now, .warp = part[k].home, .ins = i, .mask = part[k].mask & m };
		if (!d.mask)
			continue;
		if (sm->gpu->options.functional)
			print_lanes(sm, d.warp, i, d.mask);
		else
			vec_push(&sm->deferred, d);
	}
	Cycle back = sm->now + mem_round_trip(&sm->gpu->config);
	if (n && !sm->gpu->options.functional && s->ready < back) {
		s->ready = back;
		s->why = STALL_MEMORY;
	}
}

void exec_assertion(Sm *sm, Warp *w, const MIns *i, int lane)
{
	const uint32_t tid[3] = { w->tid[0][lane], w->tid[1][lane], w->tid[2][lane] };
	const Assertion a = { row64(&w->lanes, i->x.a)[lane], row64(&w->lanes, i->x.b)[lane], row64(&w->lanes, i->x.e)[lane],
		row32(&w->lanes, i->x.c)[lane] };
	Reading r = { sm, w, i, lane };
	StrBuf text = { 0 };
	if (print_assertion(&a, &(PrintReader){ &r, read_byte }, w->cta->id, tid, &text))
		sm_fault(sm, w, i, FAULT_ASSERT, lane, "%s", text.s);
	sb_free(&text);
}
