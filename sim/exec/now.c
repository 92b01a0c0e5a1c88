/* Functional runs: accesses to memory. Most of them are made by consecutive lanes at consecutive addresses,
 * or by all lanes at one address; these, and others in one area, are made as a whole, and the rest as in
 * timed runs (memory.c). */
#include "sim/exec/access.h"

/* Can lanes of one home make the access as a whole? */
static bool is_plain(const Sm *sm, const Warp *w, const MIns *i)
{
	return moves_rows(i) && !i->nonfaulting && i->space != SP_GENERIC && i->space != SP_LOCAL &&
		!sm->gpu->watching && !launch_of(w)->races;
}

/* The address that the lane accesses. */
static uint64_t address_of(const Warp *w, const MIns *i, int l)
{
	uint64_t base = i->space == SP_PARAM && i->x.a == NO_ROW ? w->sm->gpu->param_address : 0;
	if (i->x.a == NO_ROW)
		return base + (uint64_t)i->offset;
	if (i->flags & MI_ADDR64)
		return row64(&w->lanes, i->x.a)[l] + (uint64_t)i->offset;
	return (uint32_t)(row32(&w->lanes, i->x.a)[l] + (uint32_t)i->offset);
}


/* Writes v to lanes m of a row. */
#define FILL(D, V) do { \
	if (m == 0xffffffffu) \
		for (l = 0; l < 32; l++) \
			(D)[l] = (V); \
	else \
		each_lane(m, l) \
			(D)[l] = (V); \
} while (0)

/* Loads one value into lanes m. */
static void load_same(Warp *w, const MIns *i, Mask m, const uint8_t *p)
{
	int l;
	if (i->bytes == 4) {
		uint32_t v, *d = row32(&w->lanes, i->x.rows[0]);
		memcpy(&v, p, sizeof v);
		FILL(d, v);
	} else {
		uint64_t v, *d = row64(&w->lanes, i->x.rows[0]);
		memcpy(&v, p, sizeof v);
		FILL(d, v);
	}
}

/* Makes the access at addresses that lie side by side, or are one, from `first` to `last`; false: they do not
   lie in the area. */
static bool access_side_by_side(Sm *sm, Warp *w, const MIns *i, Mask m, const Area *r, uint64_t first,
	uint64_t last)
{
	unsigned size = i->bytes;
	if (first & (size - 1) || first - r->start > r->size - size || last < first ||
		last - r->start > r->size - size)
		return false;
	uint8_t *p = r->data + (first - r->start);
	if (i->x.a == NO_ROW)
		load_same(w, i, m, p);
	else if (i->kind == K_LD)
		lane_load(&w->lanes, i->x.rows[0], size == 8, m, p);
	else if (lane_store(&w->lanes, i->x.rows[0], size == 8, m, p))
		sm->last_progress = sm->now;
	if (sm->gpu->touches && i->space == SP_GLOBAL)
		mem_touch(sm->gpu->mem, first, last + size - first, i->kind == K_ST);
	return true;
}

/* Makes the access at any addresses; false: they do not lie in the area. */
static bool access_apart(Sm *sm, Warp *w, const MIns *i, Mask m, const Area *r)
{
	const LaneArea x = { .address = i->x.a, .row = i->x.rows[0], .wide_address = i->flags & MI_ADDR64,
		.wide = i->bytes == 8, .offset = (uint64_t)i->offset, .start = r->start, .size = r->size,
		.data = r->data };
	bool changed = false;
	if (sm->gpu->touches && i->space == SP_GLOBAL)
		return false;          /* L2 is told line by line (memory.c) */
	if (i->kind == K_LD ? !lane_gather(&w->lanes, &x, m) : !lane_scatter(&w->lanes, &x, m, &changed))
		return false;
	if (changed)
		sm->last_progress = sm->now;
	return true;
}

/* Makes the access if its lanes lie in one area, and returns whether it did. */
static bool access_whole(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	bool same = i->x.a == NO_ROW;
	uint64_t first = address_of(w, i, lowest_lane(m));
	Area r;
	if ((same && i->kind == K_ST) || !access_area(sm, w, i, i->space, first, i->bytes, &r))
		return false;
	if (!(same || lane_consecutive(&w->lanes, i->x.a, i->flags & MI_ADDR64, m, i->bytes) ?
		access_side_by_side(sm, w, i, m, &r, first, same ? first : address_of(w, i, last_lane(m)))
		: access_apart(sm, w, i, m, &r)))
		return false;
	access_count(w, i, i->space);
	return true;
}

void exec_memory_now(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	if (!m || (!s->parts && is_plain(sm, w, i) && access_whole(sm, w, i, m)))
		return;
	Issue is = { .now = sm->now };
	exec_memory(sm, w, s, i, m, &is);
}
