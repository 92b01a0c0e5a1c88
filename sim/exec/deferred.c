/* Accesses to global memory in timed runs, whose data move at the end of the window. */
#include "sim/exec/access.h"

void deferred_add(Sm *sm, Warp *w, const MIns *i, Mask m, const uint64_t *addr, Deferred *d)
{
	d->mask = m;
	d->addr = (uint32_t)sm->data.n;
	int l, W = w->lanes.width;
	vec_reserve(&sm->data, sm->data.n + W * (i->kind == K_LD ? 1 : 1 + 4));
	memcpy(sm->data.v + sm->data.n, addr, sizeof *addr * (size_t)W);
	sm->data.n += W;
	d->data = (uint32_t)sm->data.n;
	d->races = launch_of(w)->races;
	if ((i->sync && i->kind != K_LD) || d->races) {
		d->origin = (uint32_t)sm->origins.n;
		vec_push(&sm->origins, origin_of(w, i));
	}
	if (i->kind == K_LD)
		return;
	each_lane(m, l) {
		uint64_t v[8] = { 0 };
		int n = move_values(w, i, l, v);
		vec_reserve(&sm->data, sm->data.n + n);
		memcpy(sm->data.v + sm->data.n, v, sizeof *v * (size_t)n);
		sm->data.n += n;
	}
}

/* Notes an access for the detection of races. The warp may belong to another block by now: the origin says to
   which one it belonged. */
static void note_deferred(Sm *sm, const Deferred *d, const uint64_t *addr, const uint64_t *v, int n)
{
	const WarpOrigin *o = &sm->origins.v[d->origin];
	races_note(sm, d->races, races_site(o->grid, d->ins), o->block, d->ins, d->mask, addr, v, n);
}

void deferred_apply(Sm *sm, Deferred *d)
{
	const MIns *i = d->ins;
	if (i->kind == K_PRINT) {
		print_apply(sm, d);
		return;
	}
	Warp *w = d->warp;
	const uint64_t *addr = sm->data.v + d->addr;
	bool changed = false;
	int l;
	unsigned size = (unsigned)i->bytes * i->vec;
	const uint64_t *v = sm->data.v + d->data;
	int n = i->kind == K_ST ? i->x.nrows : i->kind == K_LD ? 0 : 2;
	if (d->races)
		note_deferred(sm, d, addr, v, n);
	if (i->kind == K_LD && d->all_in) {
		Area r = { .data = d->all_in->data, .start = d->all_in->addr };
		move_all(w, i, d->mask, SP_GLOBAL, &r, addr);
		return;
	}
	each_lane(d->mask, l) {
		const Alloc *al = d->all_in ? d->all_in : memory_find(sm->gpu->memory, addr[l], size,
			&sm->hint);
		bool one = move_lane(w, i, l, SP_GLOBAL, al->data + (addr[l] - al->addr), v);
		if (one && i->sync)
			writer_note(sm, &sm->origins.v[d->origin], SP_GLOBAL, l, addr[l], d->cycle);
		changed |= one;
		v += n;
	}
	if (changed)
		sm->last_progress = d->cycle;
}
