/* Memory instructions: addresses, faults, data. Their times are the load/store unit's affair
 * (sim/exec/lsu.c).
 *
 * Shared, local, constant and parameter data move at issue. In timed runs global data move at the end of the
 * window, in the order (cycle, SM, scheduler, lane), because other SMs access the same memory: no result is
 * used before that. */
#include "sim/exec/internal.h"

/* W: a constant where that is worth it. */
static inline __attribute__((always_inline)) void all_addresses(const Warp *w, const MIns *i, int W,
	uint64_t *restrict addr)
{
	uint64_t off = (uint64_t)i->offset;
	int l;
	if (i->x.a == NO_ROW) {
		for (l = 0; l < W; l++)
			addr[l] = off;
	} else if (i->flags & MI_ADDR64) {
		const uint64_t *restrict a = row64(&w->lanes, i->x.a);
		for (l = 0; l < W; l++)
			addr[l] = a[l] + off;
	} else {
		const uint32_t *restrict a = row32(&w->lanes, i->x.a);
		for (l = 0; l < W; l++)
			addr[l] = (uint32_t)(a[l] + (uint32_t)off);
	}
}

static void addresses(const Warp *w, const MIns *i, Mask m, uint64_t *addr)
{
	int l;
	if (w->lanes.width == 32)
		all_addresses(w, i, 32, addr);
	else
		all_addresses(w, i, w->lanes.width, addr);
	if (i->space == SP_LOCAL && i->x.a == NO_ROW)
		each_lane(m, l)
			addr[l] += w->sp[l];
}

static void home_addresses(const Split *s, const MIns *i, Mask m, uint64_t *addr)
{
	uint64_t of[64];
	int l;
	each_part(s, p) {
		addresses(p->home, i, m & p->mask, of);
		each_lane(m & p->mask, l)
			addr[l] = of[l];
	}
}

/* ---- where an address of a lane lies ---- */

static bool writes(const MIns *i) { return i->kind == K_ST || i->kind == K_ATOM; }

/* The host's copy of the bytes; NULL: there is none that may be accessed so, and why. Local memory lies
   otherwise. */
static uint8_t *find_bytes(Sm *sm, const Warp *w, const MIns *i, Space space, uint64_t a, unsigned size,
	const Alloc **hint, FaultKind *why)
{
	const Alloc *al;
	uint64_t offset = a - sm->gpu->param_address;
	uint32_t bytes = launch_of(w)->kernel->param_bytes;
	*why = FAULT_BOUNDS;
	switch (space) {
	case SP_SHARED:
		return a + size <= w->cta->shared_bytes && a + size >= size ? w->cta->shared + a : NULL;
	case SP_PARAM:
		if (offset >= bytes || offset + size > bytes)
			return NULL;
		*why = FAULT_READ_ONLY;
		return writes(i) ? NULL : (uint8_t *)(uintptr_t)launch_of(w)->params + offset;
	default:
		al = memory_find(sm->gpu->memory, a, size, hint);
		if (!al)
			return NULL;
		*why = FAULT_READ_ONLY;
		return writes(i) && al->read_only ? NULL : al->data + (a - al->addr);
	}
}

/* The same; NULL after a fault. */
static uint8_t *bytes_of_lane(Sm *sm, Warp *w, const MIns *i, int lane, Space space, uint64_t a,
	unsigned size, const Alloc **hint)
{
	FaultKind why;
	uint8_t *p = find_bytes(sm, w, i, space, a, size, hint, &why);
	if (!p)
		sm_fault_memory(sm, w, i, why, lane, space, a, size);
	return p;
}

/* The space of a generic address, which becomes an address in it. */
static Space space_of(const Warp *w, uint64_t *addr)
{
	Space s = address_space(*addr);
	if (*addr - w->sm->gpu->param_address < launch_of(w)->kernel->param_bytes)
		s = SP_PARAM;
	else if (s == SP_SHARED)
		*addr -= SHARED_WINDOW;
	else if (s == SP_LOCAL)
		*addr -= LOCAL_WINDOW;
	return s;
}

bool exec_byte(Sm *sm, Warp *w, const MIns *i, int lane, uint64_t addr, uint8_t *v)
{
	Space s = space_of(w, &addr);
	uint64_t by_lane[64];
	if (s == SP_LOCAL && addr < (uint64_t)sm->gpu->config.sm_local) {
		by_lane[lane] = addr;
		local_reserve(w, (Mask)1 << lane, by_lane, 1);
		local_read(w, lane, addr, 1, v);
		return true;
	}
	const uint8_t *p = bytes_of_lane(sm, w, i, lane, s, addr, 1, &sm->hint);
	if (p)
		*v = *p;
	return p != NULL;
}

/* ---- data ---- */

static void load_lane(Warp *w, const MIns *i, int l, const uint8_t *p)
{
	for (int k = 0; k < i->x.nrows; k++, p += i->bytes) {
		uint32_t row = i->x.rows[k];
		if (row == NO_ROW)
			continue;
		uint64_t v = 0;
		memcpy(&v, p, i->bytes);
		if (i->wide_rows >> k & 1)
			row64(&w->lanes, row)[l] = lane_extend(i->type, v);
		else
			row32(&w->lanes, row)[l] = (uint32_t)lane_extend(i->type, v);
	}
}

static uint64_t data_value(const Warp *w, const MIns *i, uint32_t row, bool wide, int l)
{
	return wide ? row64(&w->lanes, row)[l] : row32(&w->lanes, row)[l];
}

static bool store_lane(const uint64_t *v, const MIns *i, uint8_t *p)
{
	bool changed = false;
	for (int k = 0; k < i->x.nrows; k++, p += i->bytes) {
		changed |= memcmp(p, &v[k], i->bytes) != 0;
		memcpy(p, &v[k], i->bytes);
	}
	return changed;
}

static bool atomic_lane(Warp *w, const MIns *i, int l, Space space, uint8_t *p, uint64_t b, uint64_t c)
{
	uint64_t old = 0, new;
	memcpy(&old, p, i->bytes);
	new = lane_atomic(i->aop, i->type, space, old, b, c);
	memcpy(p, &new, i->bytes);
	if (i->x.d != NO_ROW) {
		if (i->bytes == 8)
			row64(&w->lanes, i->x.d)[l] = old;
		else
			row32(&w->lanes, i->x.d)[l] = (uint32_t)old;
	}
	return memcmp(&old, &new, i->bytes) != 0;
}

static int values(const Warp *w, const MIns *i, int l, uint64_t *v)
{
	if (i->kind == K_ST) {
		for (int k = 0; k < i->x.nrows; k++)
			v[k] = data_value(w, i, i->x.rows[k], i->wide_rows >> k & 1, l);
		return i->x.nrows;
	}
	v[0] = data_value(w, i, i->x.b, i->bytes == 8, l);
	v[1] = i->x.c == NO_ROW ? 0 : data_value(w, i, i->x.c, i->bytes == 8, l);
	return 2;
}

static bool move_lane(Warp *w, const MIns *i, int l, Space space, uint8_t *p, const uint64_t *v)
{
	switch (i->kind) {
	case K_LD:
		load_lane(w, i, l, p);
		return false;
	case K_ST:
		return store_lane(v, i, p);
	default:
		return atomic_lane(w, i, l, space, p, v[0], v[1]);
	}
}

/* A word that others may wait for: who changed it is remembered. */
static bool move_noted(Warp *w, const MIns *i, int l, Space space, uint64_t addr, uint8_t *p,
	const uint64_t *v)
{
	bool changed = move_lane(w, i, l, space, p, v);
	if (changed && i->sync) {
		Origin o = origin_of(w, i);
		writer_note(w->sm, &o, space, l, addr, w->sm->now);
	}
	return changed;
}

/* ---- the common case: all lanes inside one allocation, or shared, local or parameter memory, and aligned
   ---- */

/* of: global memory only */
typedef struct Area { uint8_t *data; uint64_t start, size; const Alloc *of; } Area;

/* The area that holds the address; false: none that may be accessed so. */
static bool area_of(Sm *sm, const Warp *w, const MIns *i, Space space, uint64_t a, unsigned size, Area *r)
{
	const Launch *L = launch_of(w);
	const Alloc *al;
	switch (space) {
	case SP_SHARED:
		*r = (Area){ w->cta->shared, 0, w->cta->shared_bytes };
		break;
	case SP_LOCAL: /* its data lie otherwise */
		*r = (Area){ NULL, 0, (uint64_t)sm->gpu->config.sm_local };
		break;
	case SP_PARAM:
		*r = (Area){ (uint8_t *)(uintptr_t)L->params, sm->gpu->param_address,
			L->kernel->param_bytes };
		if (i->kind != K_LD)
			return false;
		break;
	default:
		al = memory_find(sm->gpu->memory, a, size, &sm->hint);
		if (!al || (al->read_only && i->kind != K_LD))
			return false;
		*r = (Area){ al->data, al->addr, al->size, al };
		break;
	}
	return size <= r->size;
}

/* As sizes are below 2^63, an offset is beyond `last` when its highest bit is set, or that of last -
   offset. */
static bool all_inside(const Area *r, Mask m, const uint64_t *addr, unsigned size)
{
	uint64_t bad = 0, any = 0, start = r->start, last = r->size - size;
	int l;
	if (m == 0xffffffffu) {
		AddrPair bads = { 0 }, anys = { 0 };
		for (l = 0; l < 32; l += 2) {
			AddrPair a = *(const AddrPair *)(addr + l), offset = a - start;
			bads |= (last - offset) | offset;
			anys |= a;
		}
		bad = bads[0] | bads[1];
		any = anys[0] | anys[1];
	} else {
		each_lane(m, l) {
			bad |= (last - (addr[l] - start)) | (addr[l] - start);
			any |= addr[l];
		}
	}
	return !(bad >> 63) && !(any & (size - 1));
}

#define AT(ADDR) ((uint8_t *)(base + (ADDR)))

#define LOAD_ALL(TYPE, ROW) do { \
	TYPE *d = ROW(&w->lanes, i->x.rows[0]); \
	if (m == 0xffffffffu) \
		for (l = 0; l < 32; l++) \
			memcpy(&d[l], AT(addr[l]), sizeof(TYPE)); \
	else \
		each_lane(m, l) \
			memcpy(&d[l], AT(addr[l]), sizeof(TYPE)); \
} while (0)

#define STORE_ALL(TYPE, ROW) do { \
	const TYPE *d = ROW(&w->lanes, i->x.rows[0]); \
	TYPE diff = 0, old; \
	each_lane(m, l) { \
		memcpy(&old, AT(addr[l]), sizeof old); \
		diff |= old ^ d[l]; \
		memcpy(AT(addr[l]), &d[l], sizeof old); \
	} \
	changed = diff != 0; \
} while (0)

/* Any kind of access, lane by lane; apart, so that the common ones stay short. */
static __attribute__((noinline)) bool move_lanes(Warp *w, const MIns *i, Mask m, Space space, uintptr_t base,
	const uint64_t *addr)
{
	bool changed = false;
	int l;
	each_lane(m, l) {
		uint64_t v[8];
		if (i->kind != K_LD)
			values(w, i, l, v);
		changed |= move_noted(w, i, l, space, addr[l], AT(addr[l]), v);
	}
	return changed;
}

/* Moves the data of all lanes; what is stored comes from the registers. Returns whether memory changed. */
static bool move_all(Warp *w, const MIns *i, Mask m, Space space, const Area *r, const uint64_t *addr)
{
	uintptr_t base = (uintptr_t)r->data - r->start; /* modulo 2^64: base + addr lies in data */
	bool changed = false, single = i->x.nrows == 1 && !i->sync && i->x.rows[0] != NO_ROW;
	int l;
	if (single && i->bytes == 4 && !i->wide_rows) {
		if (i->kind == K_LD)
			LOAD_ALL(uint32_t, row32);
		else
			STORE_ALL(uint32_t, row32);
		return changed;
	}
	if (single && i->bytes == 8 && i->wide_rows) {
		if (i->kind == K_LD)
			LOAD_ALL(uint64_t, row64);
		else
			STORE_ALL(uint64_t, row64);
		return changed;
	}
	return move_lanes(w, i, m, space, base, addr);
}

static bool check_lane(Sm *sm, Warp *w, const MIns *i, int l, Space space, uint64_t a, unsigned size,
	const Alloc **hint)
{
	if (a & (size - 1)) {
		sm_fault_memory(sm, w, i, FAULT_MISALIGNED, l, space, a, size);
		return false;
	}
	if (space != SP_LOCAL)
		return bytes_of_lane(sm, w, i, l, space, a, size, hint) != NULL;
	if (size <= (uint64_t)sm->gpu->config.sm_local && a <= (uint64_t)sm->gpu->config.sm_local - size)
		return true;
	sm_fault_memory(sm, w, i, FAULT_BOUNDS, l, space, a, size);
	return false;
}

/* May all lanes access? r: the area in which all of them lie, aligned; size 0: they lie in several, or must
   be moved one by one. */
static bool check(Sm *sm, Warp *w, const MIns *i, Mask m, Space space, const uint64_t *addr, unsigned size,
	Area *r)
{
	int l;
	if (m && area_of(sm, w, i, space, addr[lowest_lane(m)], size, r) && all_inside(r, m, addr, size))
		return true;
	r->size = 0;
	each_lane(m, l)
		if (!check_lane(sm, w, i, l, space, addr[l], size, &sm->hint))
			return false;
	return true;
}

/* What move_all does, for local memory. */
static bool move_local(Warp *w, const MIns *i, Mask m, const uint64_t *addr, unsigned size)
{
	bool row = local_reserve(w, m, addr, size), changed = false,
		single = i->x.nrows == 1 && !i->sync && i->x.rows[0] != NO_ROW;
	int l;
	if (single && i->bytes == 4 && !i->wide_rows) {
		if (i->kind == K_ST)
			return local_store32(w, m, addr, row, row32(&w->lanes, i->x.rows[0]));
		local_load32(w, m, addr, row, row32(&w->lanes, i->x.rows[0]));
		return false;
	}
	if (single && i->bytes == 8 && i->wide_rows) {
		if (i->kind == K_ST)
			return local_store64(w, m, addr, row64(&w->lanes, i->x.rows[0]));
		local_load64(w, m, addr, row64(&w->lanes, i->x.rows[0]));
		return false;
	}
	each_lane(m, l) {
		uint64_t v[8];
		uint8_t bytes[MOST_BYTES];
		local_read(w, l, addr[l], size, bytes);
		if (i->kind != K_LD)
			values(w, i, l, v);
		changed |= move_noted(w, i, l, SP_LOCAL, addr[l], bytes, v);
		if (i->kind != K_LD)
			local_write(w, l, addr[l], size, bytes);
	}
	return changed;
}

static void note_now(Sm *sm, const Warp *w, const MIns *i, Mask m, const uint64_t *addr)
{
	uint64_t v[64 * 8];
	int l, n = 0;
	each_lane(m, l)
		if (i->kind == K_ST)
			n += values(w, i, l, v + n);
	races_note(sm, launch_of(w)->races, races_site(w->share->grid, i), w->cta->number, i, m, addr, v,
		i->kind == K_ST ? i->x.nrows : 0);
}

/* Moves the data at once. check() has filled r. */
static void move_now(Sm *sm, Warp *w, const MIns *i, Mask m, Space space, const uint64_t *addr, const Area *r)
{
	int l;
	unsigned size = (unsigned)i->bytes * i->vec;
	bool changed = false;
	if (launch_of(w)->races && space == SP_GLOBAL)
		note_now(sm, w, i, m, addr);
	if (r->size) {
		if (space == SP_LOCAL ? move_local(w, i, m, addr, size) : move_all(w, i, m, space, r, addr))
			sm->last_progress = sm->now;
		return;
	}
	each_lane(m, l) {
		uint64_t v[8];
		if (i->kind != K_LD)
			values(w, i, l, v);
		uint8_t *p = bytes_of_lane(sm, w, i, l, space, addr[l], size, &sm->hint);
		changed |= move_noted(w, i, l, space, addr[l], p, v);
	}
	if (changed)
		sm->last_progress = sm->now;
}

/* ---- deferred global accesses ---- */

/* Keeps what is needed to move the data at the end of the window. */
static void defer_data(Sm *sm, Warp *w, const MIns *i, Mask m, const uint64_t *addr, Deferred *d)
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
		int n = values(w, i, l, v);
		vec_reserve(&sm->data, sm->data.n + n);
		memcpy(sm->data.v + sm->data.n, v, sizeof *v * (size_t)n);
		sm->data.n += n;
	}
}

/* The warp may be another block's by now: the origin says whose it was. */
static void note_deferred(Sm *sm, const Deferred *d, const uint64_t *addr, const uint64_t *v, int n)
{
	const Origin *o = &sm->origins.v[d->origin];
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

/* ---- an instruction ---- */

static void count_access(Warp *w, const MIns *i, Space space)
{
	LaunchStats *st = &w->share->stats;
	if (space == SP_SHARED)
		st->shared_accesses++;
	else if (space == SP_LOCAL)
		st->local_accesses++;
	else if (space == SP_GLOBAL && i->kind == K_ATOM)
		st->atomics++;
	else if (space == SP_GLOBAL)
		*(i->kind == K_LD ? &st->global_loads : &st->global_stores) += 1;
}

/* ---- loads marked nonfaulting ---- */

/* Lanes of one home whose address is misaligned or not mapped. In local memory the variables of the function
   and of those that have called it are mapped: what lies behind them is the machine's. */
static Mask unmapped(Sm *sm, const Warp *w, const MIns *i, Mask m, Space space, const uint64_t *addr,
	unsigned size)
{
	Mask none = 0;
	Area r;
	FaultKind why;
	int l;
	if (!m || (space != SP_LOCAL && area_of(sm, w, i, space, addr[lowest_lane(m)], size, &r) &&
		all_inside(&r, m, addr, size)))
		return 0;
	each_lane(m, l) {
		uint64_t a = addr[l], top = (uint64_t)w->sp[l] + i->frame;
		bool there = space == SP_LOCAL ? size <= top && a <= top - size
			: find_bytes(sm, w, i, space, a, size, &sm->hint, &why) != NULL;
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
		load_lane(w, i, l, zero);
}

/* The memory system is asked for the data all the same, as if there was memory: at an address of 48 bits,
   aligned; in local memory within the thread's. */
static uint64_t asked(const Sm *sm, Space space, uint64_t a, unsigned size)
{
	if (space == SP_LOCAL && (size > (uint64_t)sm->gpu->config.sm_local ||
		a > (uint64_t)sm->gpu->config.sm_local - size))
		return 0;
	return a & (((uint64_t)1 << 48) - 1) & ~(uint64_t)(size - 1);
}

/* Lanes that get 0 have it when this returns; they are returned. to: the addresses that the memory system is
   asked for. */
static Mask take_zeros(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m, Space space,
	const uint64_t *addr, uint64_t *to)
{
	unsigned size = (unsigned)i->bytes * i->vec;
	Mask none = 0;
	int l;
	if (!s->parts)
		load_zeros(w, i, none = unmapped(sm, w, i, m, space, addr, size));
	else
		each_part(s, p) {
			Mask of = unmapped(sm, p->home, i, m & p->mask, space, addr, size);
			load_zeros(p->home, i, of);
			none |= of;
		}
	each_lane(m, l)
		to[l] = none >> l & 1 ? asked(sm, space, addr[l], size) : addr[l];
	return none;
}

/* ---- an instruction of one space ---- */

/* Moves the data of one home's lanes, now or at the end of the window; those of `zero` have theirs. t: the
   ticket that its scoreboard waits for, or NULL. An access that waits in the load/store unit's queue learns
   its times when it is made. */
static void access_home(Sm *sm, Warp *w, const MIns *i, Mask m, Mask zero, Space space, const uint64_t *addr,
	MemTicket *t, LsuSays says, Cycle now, const Area *r)
{
	Deferred d = { .cycle = now, .warp = w, .ins = i, .lanes = m, .ticket = t,
		.data_only = says == LSU_QUEUED, .all_in = r->size ? r->of : NULL };
	bool later = space == SP_GLOBAL && !sm->gpu->options.functional;
	if (later)
		defer_data(sm, w, i, m & ~zero, addr, &d);
	else
		move_now(sm, w, i, m & ~zero, space, addr, r);
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

/* check() for each home of the split, but for lanes of `zero`; r[k] is the area of its k-th part with lanes
   in m. */
static bool check_homes(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m, Mask zero, Space space,
	const uint64_t *addr, unsigned size, Area *r)
{
	if (!s->parts)
		return check(sm, w, i, m & ~zero, space, addr, size, r);
	each_part(s, p)
		if (m & p->mask && !check(sm, p->home, i, m & p->mask & ~zero, space, addr, size, r++))
			return false;
	return true;
}

/* It is known when lanes m have what they load. Where lanes have registers of their own, none waits for what
   others load, of which it may be known later. */
static void lanes_have(Sm *sm, Warp *w, const Split *s, const MIns *i, Mask m, Cycle ready)
{
	Part part[64];
	int n = reconv_parts(w, s, part);
	for (int k = 0; k < n; k++)
		if (part[k].mask & m)
			write_loaded(sm, part[k].home, i, part[k].mask & m, ready);
}

/* Lanes for which there was nothing to load: they have got 0. */
static Mask access_part(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Space space, const uint64_t *addr,
	Issue *is)
{
	unsigned size = (unsigned)i->bytes * i->vec;
	uint64_t to[64];
	Mask zero = i->nonfaulting ? take_zeros(sm, w, s, i, m, space, addr, to) : 0;
	if (sm->gpu->watching && i->kind != K_ST)
		watch_read(w, s, i, m & ~zero, space, addr);
	bool timed = !sm->gpu->options.functional;
	Area area[64], *r = area;
	if (!check_homes(sm, w, s, i, m, zero, space, addr, size, area))
		return zero; /* fault recorded */
	MemTicket *t = timed ? sm_ticket(sm) : NULL, *own = t;
	LsuSays says = timed ? lsu_access(sm, w, s, i, m, space, zero ? to : addr, t, is) : LSU_KNOWN;
	if (!s->parts)
		access_home(sm, w, i, m, zero, space, addr, t, says, is->now, r);
	else
		each_part(s, p)
			if (m & p->mask) {
				access_home(sm, p->home, i, m & p->mask, zero, space, addr, own, says,
					is->now, r++);
				own = NULL;
			}
	if (!timed)
		return zero;
	if (says != LSU_KNOWN) {
		is->pending |= m;
		return zero;
	}
	Cycle ready = t->ready;
	if (sm->lane_scoreboard) {
		lanes_have(sm, w, s, i, m, ready);
	} else if (!is->whole || whole_ready(sm, t, &ready)) {
		is->ready = ready;
		is->pending = 0;
	} else {
		is->pending |= m;
	}
	vec_push(&sm->tickets, t);
	return zero;
}

/* Lanes whose data lie in one line of L1 with those of the first of them. */
static Mask lanes_of_line(const Sm *sm, Mask m, Space space, const uint64_t *addr)
{
	/* a word of local memory of all lanes is a line */
	uint64_t line = space == SP_LOCAL ? 4 : (uint64_t)sm->gpu->config.l1_line;
	uint64_t first = addr[lowest_lane(m)] / line;
	Mask same = 0;
	int l;
	each_lane(m, l)
		same |= (Mask)(addr[l] / line == first) << l;
	return same;
}

/* The lanes' access to one space. Where every lane is a core of its own, no lane waits for the data of
   others: each line is an access. */
static Mask access_space(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Space space, const uint64_t *addr,
	Issue *is)
{
	bool apart = sm->gpu->model->own_slots && !sm->gpu->options.functional && comes_back(i) &&
		(space == SP_GLOBAL || space == SP_LOCAL);
	Mask zero = 0;
	for (Mask rest = m, some; rest && !sm->fault.kind; rest &= ~some) {
		some = apart ? lanes_of_line(sm, rest, space, addr) : rest;
		zero |= access_part(sm, w, s, i, some, space, addr, is);
	}
	if (!sm->fault.kind)
		count_access(w, i, space);
	return zero;
}

static Whole *whole_new(Sm *sm, int parts)
{
	Whole *all = sm->wholes.n ? sm->wholes.v[--sm->wholes.n] : arena_alloc(&sm->arena, sizeof *all);
	*all = (Whole){ .parts = parts };
	return all;
}

static void count_zeros(Warp *w, Mask m, Mask zero)
{
	LaunchStats *st = &w->share->stats;
	st->nonfaulting_loads++;
	st->nonfaulting_lanes += (uint64_t)__builtin_popcountll(m);
	st->nonfaulting_zero_loads += zero != 0;
	st->nonfaulting_zero_lanes += (uint64_t)__builtin_popcountll(zero);
}

void exec_memory(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Issue *is)
{
	uint64_t addr[64];
	int l;
	*is = (Issue){ .now = is->now, .executing = m, .ready = is->now + 1 };
	if (!m)
		return;
	if (s->parts)
		home_addresses(s, i, m, addr);
	else
		addresses(w, i, m, addr);
	if (i->space == SP_PARAM && i->x.a == NO_ROW)
		each_lane(m, l)
			addr[l] += sm->gpu->param_address;
	if (i->space != SP_GENERIC) {
		Mask zero = access_space(sm, w, s, i, m, i->space, addr, is);
		if (i->nonfaulting)
			count_zeros(w, m, zero);
		return;
	}
	Mask by[SP_COUNT] = { 0 }, zero = 0;
	int parts = 0;
	each_lane(m, l) {
		Space sp = space_of(w, &addr[l]);
		parts += !by[sp];
		by[sp] |= (Mask)1 << l;
	}
	if (parts > 1 && !sm->lane_scoreboard && !sm->gpu->options.functional)
		is->whole = whole_new(sm, parts);
	for (int sp = 0; sp < SP_COUNT; sp++)
		if (by[sp])
			zero |= access_space(sm, w, s, i, by[sp], (Space)sp, addr, is);
	if (i->nonfaulting)
		count_zeros(w, m, zero);
}
