/* Memory instructions: addresses (address.c), faults, data (move.c, deferred.c). Their times come from the
 * load/store unit (sim/exec/lsu.c).
 *
 * Shared, local, constant and parameter data move at issue. In timed runs global data move at the end of the
 * window, in the order (cycle, SM, scheduler, lane), because other SMs access the same memory: no result is
 * used before that. */
#include "sim/machine/scoreboard.h"
#include "sim/exec/access.h"

void access_count(Warp *w, const MIns *i, Space space)
{
	Totals *st = &w->share->totals;
	if (space == SP_SHARED)
		st->shared_accesses++;
	else if (space == SP_LOCAL)
		st->local_accesses++;
	else if (space == SP_GLOBAL && i->kind == K_ATOM)
		st->atomics++;
	else if (space == SP_GLOBAL)
		*(i->kind == K_LD ? &st->global_loads : &st->global_stores) += 1;
}

static bool check_lane(Sm *sm, Warp *w, const MIns *i, int l, Space space, uint64_t a, unsigned size,
	const Alloc **hint)
{
	if (a & (size - 1)) {
		sm_fault_memory(sm, w, i, FAULT_MISALIGNED, l, space, a, size);
		return false;
	}
	if (space != SP_LOCAL)
		return access_bytes_of(sm, w, i, l, space, a, size, hint) != NULL;
	if (size <= (uint64_t)sm->gpu->config.sm_local && a <= (uint64_t)sm->gpu->config.sm_local - size)
		return true;
	sm_fault_memory(sm, w, i, FAULT_BOUNDS, l, space, a, size);
	return false;
}

/* May all lanes of m make their access? False: a fault. *r: the area in which all of them lie, at aligned
   addresses; its size is 0 if they lie in several, or must be moved one by one. */
static bool check_all(Sm *sm, Warp *w, const MIns *i, Mask m, Space space, const Addresses *a,
	unsigned size, Area *r)
{
	int l;
	if (m && access_area(sm, w, i, space, lane_address(a, lowest_lane(m)), size, r) &&
		access_inside(r, m, a, size))
		return true;
	r->size = 0;
	each_lane(m, l)
		if (!check_lane(sm, w, i, l, space, lane_address(a, l), size, &sm->hint))
			return false;
	return true;
}

/* Moves the data of one home's lanes, now or at the end of the window; lanes of `zero` have theirs, which are
   0. t: the ticket that its scoreboard waits for, or NULL. An access that waits in the load/store unit's
   queue learns its times when it is made. */
static void access_home(Sm *sm, Warp *w, const MIns *i, Mask m, Mask zero, Space space, Addresses *a,
	MemTicket *t, LsuSays says, Cycle now, const Area *r)
{
	Deferred d = { .cycle = now, .warp = w, .ins = i, .lanes = m, .ticket = t,
		.data_only = says == LSU_QUEUED, .all_in = r->size ? r->of : NULL };
	bool later = space == SP_GLOBAL && !sm->gpu->options.functional;
	if (later)
		deferred_add(sm, w, i, m & ~zero, a, &d);
	else
		move_now(sm, w, i, m & ~zero, space, a, r);
	if (says == LSU_PENDING)
		w->outstanding += comes_back(i);
	if (says == LSU_PENDING || later)
		vec_push(&sm->deferred, d);
}

static void watch_read(Warp *w, const Split *s, const MIns *i, Mask m, Space space, const uint64_t *addr)
{
	Part part[64];
	int n = reconv_parts(w, s, part);
	for (int k = 0; k < n; k++)
		livelock_read(part[k].home, i, m & part[k].mask, space, addr);
}

/* check_all() for each home of the split, but for lanes of `zero`; r[k] is the area of its k-th part with
   lanes in m. */
static bool check_homes(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m, Mask zero, Space space,
	const Addresses *a, unsigned size, Area *r)
{
	if (!s->parts)
		return check_all(sm, w, i, m & ~zero, space, a, size, r);
	each_part(s, p)
		if (m & p->mask && !check_all(sm, p->home, i, m & p->mask & ~zero, space, a, size, r++))
			return false;
	return true;
}

/* Writes into the scoreboards when lanes m have what they load, which is known. Where lanes have scoreboard
   entries of their own, no lane waits for what others load, of which it may become known later. */
static void lanes_have(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m, Cycle ready, MemoryLevel level)
{
	Part part[64];
	int n = reconv_parts(w, s, part);
	for (int k = 0; k < n; k++)
		if (part[k].mask & m)
			write_loaded(sm, part[k].home, i, part[k].mask & m, ready, level);
}

/* The lanes leave in L2 what their access would leave there. */
static void touch_lanes(const Sm *sm, const MIns *i, Mask m, const uint64_t *addr, unsigned size)
{
	uint64_t sector = (uint64_t)sm->gpu->config.l2_sector, last = UINT64_MAX;
	int l;
	each_lane(m, l) {
		if (addr[l] / sector == last && (addr[l] + size - 1) / sector == last)
			continue;
		mem_touch(sm->gpu->mem, addr[l], size, i->kind != K_LD);
		last = (addr[l] + size - 1) / sector;
	}
}

/* Makes the access of lanes m to one space. Returns the lanes whose address is not mapped (nonfaulting
   loads): they have got 0. */
static Mask access_part(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Space space, Addresses *a,
	Issue *is)
{
	unsigned size = (unsigned)i->bytes * i->vec;
	uint64_t at[64];
	Addresses to = { .at = at };
	Mask zero = i->nonfaulting ? nonfaulting_take_zeros(sm, w, s, i, m, space, a, &to) : 0;
	if (sm->gpu->watching && i->kind != K_ST)
		watch_read(w, s, i, m & ~zero, space, addresses_list(a, w->lanes.width));
	bool timed = !sm->gpu->options.functional;
	Area area[64], *r = area;
	if (!check_homes(sm, w, s, i, m, zero, space, a, size, area))
		return zero; /* a fault has been recorded */
	MemTicket *t = timed ? sm_ticket(sm) : NULL, *own = t;
	LsuSays says = timed ? lsu_access(sm, w, s, i, m, space, zero ? &to : a, t, is) : LSU_KNOWN;
	if (!s->parts)
		access_home(sm, w, i, m, zero, space, a, t, says, is->now, r);
	else
		each_part(s, p)
			if (m & p->mask) {
				access_home(sm, p->home, i, m & p->mask, zero, space, a, own, says,
					is->now, r++);
				own = NULL;
			}
	if (!timed && sm->gpu->touches && space == SP_GLOBAL)
		touch_lanes(sm, i, m & ~zero, addresses_list(a, w->lanes.width), size);
	if (!timed)
		return zero;
	if (says != LSU_KNOWN) {
		is->pending |= m;
		return zero;
	}
	Cycle ready = t->ready;
	uint8_t level = t->level;
	if (sm->lane_scoreboard) {
		lanes_have(sm, w, s, i, m, ready, level);
	} else if (!is->whole || whole_ready(sm, t, &ready, &level)) {
		is->ready = ready;
		is->level = level;
		is->pending = 0;
	} else {
		is->pending |= m;
	}
	vec_push(&sm->tickets, t);
	return zero;
}

/* The lanes of m whose data lie in the same line of L1 as those of the first of them. */
static Mask lanes_of_line(const Sm *sm, Mask m, Space space, const uint64_t *addr)
{
	/* local memory: the words of all lanes at one address count as one line */
	uint64_t line = space == SP_LOCAL ? 4 : (uint64_t)sm->gpu->config.l1_line;
	uint64_t first = addr[lowest_lane(m)] / line;
	Mask same = 0;
	int l;
	each_lane(m, l)
		same |= (Mask)(addr[l] / line == first) << l;
	return same;
}

/* Makes the lanes' access to one space and counts it. Where every lane is a core of its own, no lane waits
   for the data of others: each line is an access. Returns lanes as access_part does. */
static Mask access_space(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Space space, Addresses *a,
	Issue *is)
{
	bool apart = sm->gpu->model->own_slots && !sm->gpu->options.functional && comes_back(i) &&
		(space == SP_GLOBAL || space == SP_LOCAL);
	Mask zero = 0;
	for (Mask rest = m, some; rest && !sm->fault.kind; rest &= ~some) {
		some = apart ? lanes_of_line(sm, rest, space, addresses_list(a, w->lanes.width)) : rest;
		zero |= access_part(sm, w, s, i, some, space, a, is);
	}
	if (!sm->fault.kind)
		access_count(w, i, space);
	return zero;
}

static Whole *whole_new(Sm *sm, int parts)
{
	Whole *all = sm->wholes.n ? sm->wholes.v[--sm->wholes.n] : arena_alloc(&sm->arena, sizeof *all);
	*all = (Whole){ .parts = parts };
	return all;
}

/* The access of lanes that may go to several spaces. */
static Mask access_generic(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Addresses *a, Issue *is)
{
	Mask by[SP_COUNT] = { 0 }, zero = 0;
	int l, parts = 0;
	if (access_all_global(w, m, a))
		return access_space(sm, w, s, i, m, SP_GLOBAL, a, is);
	addresses_list(a, w->lanes.width);
	a->row = false;
	each_lane(m, l) {
		Space sp = access_space_of(w, &a->at[l]);
		parts += !by[sp];
		by[sp] |= (Mask)1 << l;
	}
	if (parts > 1 && !sm->lane_scoreboard && !sm->gpu->options.functional)
		is->whole = whole_new(sm, parts);
	for (int sp = 0; sp < SP_COUNT; sp++)
		if (by[sp])
			zero |= access_space(sm, w, s, i, by[sp], (Space)sp, a, is);
	return zero;
}

void exec_memory(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Issue *is)
{
	uint64_t at[64];
	Addresses a;
	*is = (Issue){ .now = is->now, .executing = m, .ready = is->now + 1 };
	if (!m)
		return;
	a.at = at;
	access_addresses(w, s, i, m, &a);
	Mask zero = i->space == SP_GENERIC ? access_generic(sm, w, s, i, m, &a, is)
		: access_space(sm, w, s, i, m, i->space, &a, is);
	if (i->nonfaulting)
		nonfaulting_count(w, m, zero);
}
