/* vprintf and assertfail: what lanes print, and assertions that fail.
 *
 * In timed runs the lanes of a vprintf stand still for a trip to L2 and back, which no window exceeds. What
 * they print is put together at the end of the window, from global memory as it is at their turn in the order
 * of global accesses, and from shared memory as it was when the instruction was executed: other warps change
 * it within the window. Local memory stands still with its lane. */
#include "sim/exec/internal.h"
#include "isa/print.h"

/* shared: the copy from which shared memory is read; NULL: it is read as it is now */
typedef struct LaneReading { Sm *sm; Warp *w; const MIns *i; int lane; const uint8_t *shared; } LaneReading;

static bool read_lane_byte(void *self, uint64_t addr, uint8_t *v)
{
	const LaneReading *r = self;
	if (r->shared && addr - SHARED_WINDOW < r->w->cta->shared_bytes) {
		*v = r->shared[addr - SHARED_WINDOW];
		return true;
	}
	return exec_byte(r->sm, r->w, r->i, r->lane, addr, v);
}

static void print_lanes(Sm *sm, Warp *w, const MIns *i, Mask m, const uint8_t *shared)
{
	int l;
	each_lane(m, l) {
		LaneReading r = { sm, w, i, l, shared };
		int32_t n;
		if (!print_format(launch_of(w)->print, &(PrintReader){ &r, read_lane_byte },
			row64(&w->lanes, i->x.a)[l], row64(&w->lanes, i->x.b)[l], &n))
			return;
		if (i->x.d != NO_ROW)
			row32(&w->lanes, i->x.d)[l] = (uint32_t)n;
	}
}

/* Is there a fault of an SM that comes before this cycle of this SM, in the order of cycles and SMs? The
   machine has stopped there. */
static bool stopped_before(const Sm *sm, Cycle cycle)
{
	const Gpu *g = sm->gpu;
	for (int k = 0; k < g->config.sm_count; k++)
		if (g->sm[k].fault.kind && (g->sm[k].fault_cycle < cycle ||
			(g->sm[k].fault_cycle == cycle && k <= sm->id)))
			return true;
	return false;
}

void print_apply(Sm *sm, const Deferred *d)
{
	if (stopped_before(sm, d->cycle))
		return;
	Fault later = sm->fault;
	Cycle at = sm->fault_cycle;
	Grid *grid = sm->fault_grid;
	sm->fault.kind = FAULT_NONE;
	print_lanes(sm, d->warp, d->ins, d->mask, d->lanes ? (const uint8_t *)(sm->data.v + d->data) : NULL);
	if (sm->fault.kind) {
		sm->fault_cycle = d->cycle;
	} else {
		sm->fault = later;
		sm->fault_cycle = at;
		sm->fault_grid = grid;
	}
}

static bool is_shared(uint64_t addr) { return address_space(addr) == SP_SHARED; }

/* Says whether the lane may read shared memory: if the format, the arguments, or what one of the arguments
   points to may be there. Arguments in global memory may say anything, because they are read later. */
static bool may_read_shared(const Warp *w, const MIns *i, int lane)
{
	uint64_t args = row64(&w->lanes, i->x.b)[lane];
	if (is_shared(row64(&w->lanes, i->x.a)[lane]) || address_space(args) != SP_LOCAL)
		return true;
	uint64_t at = args - LOCAL_WINDOW;
	/* memory behind local_cap has never been written */
	for (int k = 0; k < PRINT_ARGS && at + 8 <= w->local_cap; k++) {
		uint64_t v = 0;
		for (int n = 0; n < 8; n++, at++) {
			uint8_t c;
			local_read(w, lane, at, 1, &c);
			v |= (uint64_t)c << 8 * n;
		}
		if (is_shared(v))
			return true;
	}
	return false;
}

/* Puts the print off until the end of the window, with a copy of the block's shared memory if a lane may read
   it. */
static void put_off(Sm *sm, Deferred *d)
{
	const Cta *c = d->warp->cta;
	int l, words = (int)((c->shared_bytes + 7) / 8);
	each_lane(d->mask, l)
		if (words && !d->lanes && may_read_shared(d->warp, d->ins, l))
			d->lanes = d->mask;
	if (d->lanes) {
		vec_reserve(&sm->data, sm->data.n + words);
		d->data = (uint32_t)sm->data.n;
		memcpy(sm->data.v + sm->data.n, c->shared, c->shared_bytes);
		sm->data.n += words;
	}
	vec_push(&sm->deferred, *d);
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
			print_lanes(sm, d.warp, i, d.mask, NULL);
		else
			put_off(sm, &d);
	}
	Cycle back = sm->now + mem_round_trip(&sm->gpu->config);
	if (n && !sm->gpu->options.functional)
		wait_not_before(&s->wait, back, STALL_MEMORY, sm->now);
}

void exec_assertion(Sm *sm, Warp *w, const MIns *i, int lane)
{
	const uint32_t tid[3] = { thread_id(w, 0, lane), thread_id(w, 1, lane), thread_id(w, 2, lane) };
	const Assertion a = { row64(&w->lanes, i->x.a)[lane], row64(&w->lanes, i->x.b)[lane],
		row64(&w->lanes, i->x.e)[lane],
		row32(&w->lanes, i->x.c)[lane] };
	LaneReading r = { sm, w, i, lane, NULL };
	StrBuf text = { 0 };
	if (print_assertion(&a, &(PrintReader){ &r, read_lane_byte }, w->cta->id, tid, &text))
		sm_fault(sm, w, i, FAULT_ASSERT, lane, "%s", text.s);
	sb_free(&text);
}
