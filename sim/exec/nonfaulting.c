/* Loads marked nonfaulting: a lane gets 0 where there is no memory. */
#include "sim/exec/access.h"

/* Lanes of one home whose address is misaligned or not mapped. In local memory the variables of the function
   and of those that have called it are mapped: memory behind these variables belongs to the machine. */
static Mask unmapped_lanes(Sm *sm, const Warp *w, const MIns *i, Mask m, Space space, const Addresses *at,
	unsigned size)
{
	Mask none = 0;
	Area r;
	FaultKind why;
	int l;
	if (!m || (space != SP_LOCAL && access_area(sm, w, i, space, lane_address(at, lowest_lane(m)),
		size, &r) && access_inside(&r, m, at, size)))
		return 0;
	each_lane(m, l) {
		uint64_t a = lane_address(at, l), top = (uint64_t)w->sp[l] + i->frame;
		bool there = space == SP_LOCAL ? size <= top && a <= top - size
			: access_bytes(sm, w, i, space, a, size, &sm->hint, &why) != NULL;
		if (!there || a & (size - 1))
			none |= (Mask)1 << l;
	}
	return none;
}

static void load_zeros(Warp *w, const MIns *i, Mask m)
{
	static const uint8_t zero[MOST_BYTES];
	int l;
	each_lane(m, l)
		move_load(w, i, l, zero);
}

/* Returns the address for which the memory system is asked in place of one that is not mapped, because time
   passes as if there was memory: cut to 48 bits and aligned. For local memory it lies within the thread's. */
static uint64_t asked_address(const Sm *sm, Space space, uint64_t a, unsigned size)
{
	if (space == SP_LOCAL && (size > (uint64_t)sm->gpu->config.sm_local ||
		a > (uint64_t)sm->gpu->config.sm_local - size))
		return 0;
	return a & (((uint64_t)1 << 48) - 1) & ~(uint64_t)(size - 1);
}

Mask nonfaulting_take_zeros(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m, Space space,
	Addresses *at, Addresses *to)
{
	unsigned size = (unsigned)i->bytes * i->vec;
	Mask none = 0;
	int l;
	if (!s->parts)
		load_zeros(w, i, none = unmapped_lanes(sm, w, i, m, space, at, size));
	else
		each_part(s, p) {
			Mask of = unmapped_lanes(sm, p->home, i, m & p->mask, space, at, size);
			load_zeros(p->home, i, of);
			none |= of;
		}
	if (!none)
		return 0;
	to->row = false;
	to->listed = true;
	each_lane(m, l) {
		uint64_t a = lane_address(at, l);
		to->at[l] = none >> l & 1 ? asked_address(sm, space, a, size) : a;
	}
	return none;
}

void nonfaulting_count(Warp *w, Mask m, Mask zero)
{
	Totals *st = &w->share->totals;
	st->nonfaulting_loads++;
	st->nonfaulting_lanes += (uint64_t)__builtin_popcountll(m);
	st->nonfaulting_zero_loads += zero != 0;
	st->nonfaulting_zero_lanes += (uint64_t)__builtin_popcountll(zero);
}
