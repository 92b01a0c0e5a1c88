/* Accesses to global memory in timed runs, whose data move at the end of the window. */
#include "sim/exec/access.h"

static void keep_values(Sm *sm, const Warp *w, const MIns *i, Mask m)
{
	int l;
	vec_reserve(&sm->data, sm->data.n + 4 * w->lanes.width);
	each_lane(m, l) {
		uint64_t v[8] = { 0 };
		int n = move_values(w, i, l, v);
		vec_reserve(&sm->data, sm->data.n + n);
		memcpy(sm->data.v + sm->data.n, v, sizeof *v * (size_t)n);
		sm->data.n += n;
	}
}

/* Keeps n bytes. */
static void keep_bytes(Sm *sm, const void *from, size_t n)
{
	int words = (int)((n + 7) / 8);
	vec_reserve(&sm->data, sm->data.n + words);
	memcpy(sm->data.v + sm->data.n, from, n);
	sm->data.n += words;
}

void deferred_add(Sm *sm, Warp *w, const MIns *i, Mask m, const Addresses *a, Deferred *d)
{
	size_t W = (size_t)w->lanes.width;
	d->mask = m;
	d->row = a->row;
	d->first = a->first;
	d->step = a->step;
	d->addr = (uint32_t)sm->data.n;
	if (!a->row)
		keep_bytes(sm, a->at, sizeof *a->at * W);
	d->data = (uint32_t)sm->data.n;
	d->races = launch_of(w)->races;
	if ((i->sync && i->kind != K_LD) || d->races) {
		d->origin = (uint32_t)sm->origins.n;
		vec_push(&sm->origins, origin_of(w, i));
	}
	if (i->kind == K_LD)
		return;
	d->stored_row = d->all_in && !d->races && moves_rows(i);
	if (d->stored_row)
		keep_bytes(sm, row32(&w->lanes, i->x.rows[0]), W * i->bytes);
	else
		keep_values(sm, w, i, m);
}

/* Notes an access for the detection of races. The warp may belong to another block by now: the origin says to
   which one it belonged. */
static void note_deferred(Sm *sm, const Deferred *d, const Addresses *a, const uint64_t *v, int n)
{
	const WarpOrigin *o = &sm->origins.v[d->origin];
	uint64_t at[64];
	int l;
	each_lane(d->mask, l)
		at[l] = lane_address(a, l);
	races_note(sm, d->races, races_site(o->grid, d->ins), o->block, d->ins, d->mask, at, v, n);
}

/* Moves what is stored, or what atomic operations change, lane by lane; v: n values of each lane. */
static bool apply_lanes(Sm *sm, const Deferred *d, const Addresses *a, const uint64_t *v, int n)
{
	unsigned size = (unsigned)d->ins->bytes * d->ins->vec;
	bool changed = false;
	int l;
	each_lane(d->mask, l) {
		uint64_t at = lane_address(a, l);
		const Alloc *al = d->all_in ? d->all_in : memory_find(sm->gpu->memory, at, size, &sm->hint);
		bool one = move_lane(d->warp, d->ins, l, SP_GLOBAL, al->data + (at - al->addr), v);
		if (one && d->ins->sync)
			writer_note(sm, &sm->origins.v[d->origin], SP_GLOBAL, l, at, d->cycle);
		changed |= one;
		v += n;
	}
	return changed;
}

void deferred_apply(Sm *sm, Deferred *d)
{
	const MIns *i = d->ins;
	if (i->kind == K_PRINT) {
		print_apply(sm, d);
		return;
	}
	const Addresses a = { .row = d->row, .listed = !d->row, .first = d->first, .step = d->step,
		.at = sm->data.v + d->addr };
	const uint64_t *v = sm->data.v + d->data;
	int n = i->kind == K_ST ? i->x.nrows : i->kind == K_LD ? 0 : 2;
	if (d->races)
		note_deferred(sm, d, &a, v, n);
	if (d->all_in && (i->kind == K_LD || d->stored_row)) {
		Area r = { .data = d->all_in->data, .start = d->all_in->addr };
		if (i->kind == K_LD)
			move_all(d->warp, i, d->mask, SP_GLOBAL, &r, &a);
		else if (move_stored(i, d->mask, &r, &a, v))
			sm->last_progress = d->cycle;
		return;
	}
	if (apply_lanes(sm, d, &a, v, n))
		sm->last_progress = d->cycle;
}
