/* The data of memory instructions: between lanes' registers and the host's copy of memory. */
#include "sim/exec/access.h"

/* The value of `bytes` bytes, of which there are 1, 2, 4 or 8. */
static inline uint64_t read_value(const uint8_t *p, unsigned bytes)
{
	uint16_t two;
	uint32_t four;
	uint64_t v = 0;
	switch (bytes) {
	case 1: return *p;
	case 2: memcpy(&two, p, 2); return two;
	case 4: memcpy(&four, p, 4); return four;
	default: memcpy(&v, p, 8); return v;
	}
}

/* Writes the value; returns whether that changes memory. */
static inline bool write_value(uint8_t *p, unsigned bytes, uint64_t v)
{
	uint64_t differ = read_value(p, bytes) ^ v;
	switch (bytes) {
	case 1: *p = (uint8_t)v; return (uint8_t)differ;
	case 2: memcpy(p, &v, 2); return (uint16_t)differ;
	case 4: memcpy(p, &v, 4); return (uint32_t)differ;
	default: memcpy(p, &v, 8); return differ;
	}
}

void move_load(Warp *w, const MIns *i, int l, const uint8_t *p)
{
	for (int k = 0; k < i->x.nrows; k++, p += i->bytes) {
		uint32_t row = i->x.rows[k];
		if (row == NO_ROW)
			continue;
		uint64_t v = lane_extend(i->type, read_value(p, i->bytes));
		if (i->wide_rows >> k & 1)
			row64(&w->lanes, row)[l] = v;
		else
			row32(&w->lanes, row)[l] = (uint32_t)v;
	}
}

static uint64_t data_value(const Warp *w, const MIns *i, uint32_t row, bool wide, int l)
{
	return wide ? row64(&w->lanes, row)[l] : row32(&w->lanes, row)[l];
}

static bool store_lane(const uint64_t *v, const MIns *i, uint8_t *p)
{
	bool changed = false;
	for (int k = 0; k < i->x.nrows; k++, p += i->bytes)
		changed |= write_value(p, i->bytes, v[k]);
	return changed;
}

static bool atomic_lane(Warp *w, const MIns *i, int l, Space space, uint8_t *p, uint64_t b, uint64_t c)
{
	uint64_t old = read_value(p, i->bytes);
	bool changed = write_value(p, i->bytes, lane_atomic(i->aop, i->type, space, old, b, c));
	if (i->x.d != NO_ROW) {
		if (i->bytes == 8)
			row64(&w->lanes, i->x.d)[l] = old;
		else
			row32(&w->lanes, i->x.d)[l] = (uint32_t)old;
	}
	return changed;
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

#define AT(L) ((uint8_t *)(base + lane_address(a, L)))

/* Loads a value of TYPE for each lane of m into row D. */
#define LOAD_ALL(TYPE, D) do { \
	TYPE *d = D; \
	if (a->row && a->step == sizeof(TYPE) && m == 0xffffffffu) { \
		memcpy(d, AT(0), 32 * sizeof(TYPE)); \
	} else if (a->row && !a->step && m == 0xffffffffu) { \
		TYPE one; \
		memcpy(&one, AT(0), sizeof one); \
		for (l = 0; l < 32; l++) \
			d[l] = one; \
	} else if (!a->row && m == 0xffffffffu) { \
		const uint64_t *at = a->at; \
		for (l = 0; l < 32; l++) \
			memcpy(&d[l], (uint8_t *)(base + at[l]), sizeof(TYPE)); \
	} else { \
		each_lane(m, l) \
			memcpy(&d[l], AT(l), sizeof(TYPE)); \
	} \
} while (0)

/* Stores row S; `changed` tells whether that changes memory. */
#define STORE_ALL(TYPE, S) do { \
	const TYPE *s = S; \
	TYPE diff = 0, old; \
	if (a->row && a->step == sizeof(TYPE) && m == 0xffffffffu) { \
		changed = memcmp(AT(0), s, 32 * sizeof(TYPE)) != 0; \
		memcpy(AT(0), s, 32 * sizeof(TYPE)); \
	} else { \
		each_lane(m, l) { \
			memcpy(&old, AT(l), sizeof old); \
			diff |= old ^ s[l]; \
			memcpy(AT(l), &s[l], sizeof old); \
		} \
		changed = diff != 0; \
	} \
} while (0)

/* Moves data of any kind of access, lane by lane; apart from move_all, so that the code for the common kinds
   stays short. */
static __attribute__((noinline)) bool move_lanes(Warp *w, const MIns *i, Mask m, Space space, uintptr_t base,
	const Addresses *a)
{
	bool changed = false;
	int l;
	each_lane(m, l) {
		uint64_t v[8];
		if (i->kind != K_LD)
			move_values(w, i, l, v);
		changed |= move_noted(w, i, l, space, lane_address(a, l), AT(l), v);
	}
	return changed;
}

/* Loads what has several values a lane, or others than whole registers. */
static __attribute__((noinline)) void load_rows(Warp *w, const MIns *i, Mask m, uintptr_t base,
	const Addresses *a)
{
	int l;
	for (int k = 0; k < i->x.nrows; k++, base += i->bytes) {
		uint32_t row = i->x.rows[k];
		bool wide = i->wide_rows >> k & 1;
		if (row == NO_ROW)
			continue;
		if (i->bytes == 4 && !wide)
			LOAD_ALL(uint32_t, row32(&w->lanes, row));
		else if (i->bytes == 8 && wide)
			LOAD_ALL(uint64_t, row64(&w->lanes, row));
		else if (wide)
			each_lane(m, l)
				row64(&w->lanes, row)[l] = lane_extend(i->type, read_value(AT(l), i->bytes));
		else
			each_lane(m, l)
				row32(&w->lanes, row)[l] = (uint32_t)lane_extend(i->type,
					read_value(AT(l), i->bytes));
	}
}

bool move_all(Warp *w, const MIns *i, Mask m, Space space, const Area *r, const Addresses *a)
{
	uintptr_t base = (uintptr_t)r->data - r->start; /* modulo 2^64: base + an address lies in data */
	bool changed = false;
	int l;
	if (!moves_rows(i)) {
		if (i->kind != K_LD)
			return move_lanes(w, i, m, space, base, a);
		load_rows(w, i, m, base, a);
	} else if (i->bytes == 4) {
		if (i->kind == K_LD)
			LOAD_ALL(uint32_t, row32(&w->lanes, i->x.rows[0]));
		else
			STORE_ALL(uint32_t, row32(&w->lanes, i->x.rows[0]));
	} else {
		if (i->kind == K_LD)
			LOAD_ALL(uint64_t, row64(&w->lanes, i->x.rows[0]));
		else
			STORE_ALL(uint64_t, row64(&w->lanes, i->x.rows[0]));
	}
	return changed;
}

bool move_stored(const MIns *i, Mask m, const Area *r, const Addresses *a, const void *row)
{
	uintptr_t base = (uintptr_t)r->data - r->start;
	bool changed = false;
	int l;
	if (i->bytes == 4)
		STORE_ALL(uint32_t, row);
	else
		STORE_ALL(uint64_t, row);
	return changed;
}

/* As move_all, for local memory. */
static bool move_local(Warp *w, const MIns *i, Mask m, const Addresses *a, unsigned size)
{
	bool row = local_reserve(w, m, a, size), changed = false;
	int l;
	if (moves_rows(i) && i->bytes == 4) {
		if (i->kind == K_ST)
			return local_store32(w, m, a, row, row32(&w->lanes, i->x.rows[0]));
		local_load32(w, m, a, row, row32(&w->lanes, i->x.rows[0]));
		return false;
	}
	if (moves_rows(i)) {
		if (i->kind == K_ST)
			return local_store64(w, m, a, row64(&w->lanes, i->x.rows[0]));
		local_load64(w, m, a, row64(&w->lanes, i->x.rows[0]));
		return false;
	}
	each_lane(m, l) {
		uint64_t v[8];
		uint8_t bytes[MOST_BYTES];
		local_read(w, l, lane_address(a, l), size, bytes);
		if (i->kind != K_LD)
			move_values(w, i, l, v);
		changed |= move_noted(w, i, l, SP_LOCAL, lane_address(a, l), bytes, v);
		if (i->kind != K_LD)
			local_write(w, l, lane_address(a, l), size, bytes);
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
void move_now(Sm *sm, Warp *w, const MIns *i, Mask m, Space space, Addresses *a, const Area *r)
{
	int l;
	unsigned size = (unsigned)i->bytes * i->vec;
	bool changed = false;
	if (launch_of(w)->races && space == SP_GLOBAL)
		note_now(sm, w, i, m, addresses_list(a, w->lanes.width));
	if (r->size) {
		if (space == SP_LOCAL ? move_local(w, i, m, a, size) : move_all(w, i, m, space, r, a))
			sm->last_progress = sm->now;
		return;
	}
	each_lane(m, l) {
		uint64_t v[8];
		if (i->kind != K_LD)
			move_values(w, i, l, v);
		uint8_t *p = access_bytes_of(sm, w, i, l, space, lane_address(a, l), size, &sm->hint);
		changed |= move_noted(w, i, l, space, lane_address(a, l), p, v);
	}
	if (changed)
		sm->last_progress = sm->now;
}
