/* Functional runs: accesses to memory. Most of them are made by consecutive lanes at consecutive addresses,
 * or by all lanes at one address, and are made as a whole; all others as in timed runs (memory.c). */
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

/* Makes the access if its lanes lie as a whole in one area, and returns whether it did. */
static bool access_whole(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	bool same = i->x.a == NO_ROW;
	unsigned size = i->bytes;
	uint64_t first = address_of(w, i, lowest_lane(m));
	uint64_t last = same ? first : address_of(w, i, last_lane(m));
	Area r;
	if (first & (size - 1) || (same && i->kind == K_ST) ||
		!(same || lane_consecutive(&w->lanes, i->x.a, i->flags & MI_ADDR64, m, size)) ||
		!access_area(sm, w, i, i->space, first, size, &r) || first - r.start > r.size - size ||
		last < first || last - r.start > r.size - size)
		return false;
	uint8_t *p = r.data + (first - r.start);
	if (same)
		load_same(w, i, m, p);
	else if (i->kind == K_LD)
		lane_load(&w->lanes, i->x.rows[0], size == 8, m, p);
	else if (lane_store(&w->lanes, i->x.rows[0], size == 8, m, p))
		sm->last_progress = sm->now;
	if (sm->gpu->touches && i->space == SP_GLOBAL)
		mem_touch(sm->gpu->mem, first, last + size - first, i->kind == K_ST);
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
