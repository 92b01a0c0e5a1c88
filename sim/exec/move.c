/* The data of memory instructions: between lanes' registers and the host's copy of memory. */
#include "sim/exec/access.h"

void move_load(Warp *w, const MIns *i, int l, const uint8_t *p)
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

int move_values(const Warp *w, const MIns *i, int l, uint64_t *v)
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

bool move_lane(Warp *w, const MIns *i, int l, Space space, uint8_t *p, const uint64_t *v)
{
	switch (i->kind) {
	case K_LD:
		move_load(w, i, l, p);
		return false;
	case K_ST:
		return store_lane(v, i, p);
	default:
		return atomic_lane(w, i, l, space, p, v[0], v[1]);
	}
}

/* Moves one lane's data. If that changes a word for which other threads may wait (MIns.sync), remembers who
   has changed it. */
static bool move_noted(Warp *w, const MIns *i, int l, Space space, uint64_t addr, uint8_t *p,
	const uint64_t *v)
{
	bool changed = move_lane(w, i, l, space, p, v);
	if (changed && i->sync) {
		WarpOrigin o = origin_of(w, i);
		writer_note(w->sm, &o, space, l, addr, w->sm->now);
	}
	return changed;
}

/* ---- all lanes inside one area, and aligned ---- */

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

/* Moves data of any kind of access, lane by lane; apart from move_all, so that the code for the common kinds
   stays short. */
static __attribute__((noinline)) bool move_lanes(Warp *w, const MIns *i, Mask m, Space space, uintptr_t base,
	const uint64_t *addr)
{
	bool changed = false;
	int l;
	each_lane(m, l) {
		uint64_t v[8];
		if (i->kind != K_LD)
			move_values(w, i, l, v);
		changed |= move_noted(w, i, l, space, addr[l], AT(addr[l]), v);
	}
	return changed;
}

bool move_all(Warp *w, const MIns *i, Mask m, Space space, const Area *r, const uint64_t *addr)
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

/* As move_all, for local memory. */
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
			move_values(w, i, l, v);
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
			n += move_values(w, i, l, v + n);
	races_note(sm, launch_of(w)->races, races_site(w->share->grid, i), w->cta->number, i, m, addr, v,
		i->kind == K_ST ? i->x.nrows : 0);
}

/* Moves the data at once. check_all() has filled r, the area of the data. */
void move_now(Sm *sm, Warp *w, const MIns *i, Mask m, Space space, const uint64_t *addr, const Area *r)
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
			move_values(w, i, l, v);
		uint8_t *p = access_bytes_of(sm, w, i, l, space, addr[l], size, &sm->hint);
		changed |= move_noted(w, i, l, space, addr[l], p, v);
	}
	if (changed)
		sm->last_progress = sm->now;
}
