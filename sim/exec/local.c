/* Data of local memory. Words of 32 bits: word k of all lanes of a warp lies together, as in the modelled
 * machine, because lanes mostly access the same variable at once. */
#include "sim/exec/access.h"

enum { LEAST_BYTES = 64 };

static inline uint32_t *local_word(const Warp *w, int lane, uint64_t addr)
{
	return w->local + (size_t)(addr / 4) * (size_t)w->lanes.width + (size_t)lane;
}

/* Makes room for `end` bytes of each lane, by doubling what there is; new bytes are 0. */
static void grow_local(Warp *w, uint64_t end)
{
	uint64_t cap = w->local_cap ? w->local_cap : LEAST_BYTES;
	while (cap < end)
		cap *= 2;
	size_t W = (size_t)w->lanes.width;
	uint32_t *p = xcalloc(W, cap);
	if (w->local)
		memcpy(p, w->local, W * w->local_cap);
	free(w->local);
	w->local = p;
	w->local_cap = cap;
}

bool local_reserve(Warp *w, Mask m, const Addresses *a, unsigned size)
{
	uint64_t most = lane_address(a, last_lane(m));
	int l;
	if (!a->row)
		each_lane(m, l)
			most = a->at[l] > most ? a->at[l] : most;
	if (most + size > w->local_cap)
		grow_local(w, most + size);
	return a->row && !a->step && m == 0xffffffffu && w->lanes.width == 32;
}

void local_load32(const Warp *w, Mask m, const Addresses *a, bool row, uint32_t *d)
{
	int l;
	if (row)
		memcpy(d, local_word(w, 0, a->first), 32 * sizeof *d);
	else
		each_lane(m, l)
			d[l] = *local_word(w, l, lane_address(a, l));
}

bool local_store32(Warp *w, Mask m, const Addresses *a, bool row, const uint32_t *s)
{
	uint32_t diff = 0, *p;
	int l;
	if (row) {
		p = local_word(w, 0, a->first);
		bool changed = memcmp(p, s, 32 * sizeof *p) != 0;
		memcpy(p, s, 32 * sizeof *p);
		return changed;
	}
	each_lane(m, l) {
		p = local_word(w, l, lane_address(a, l));
		diff |= *p ^ s[l];
		*p = s[l];
	}
	return diff;
}

void local_load64(const Warp *w, Mask m, const Addresses *a, uint64_t *d)
{
	int l;
	each_lane(m, l) {
		const uint32_t *p = local_word(w, l, lane_address(a, l));
		d[l] = p[0] | (uint64_t)p[w->lanes.width] << 32;
	}
}

bool local_store64(Warp *w, Mask m, const Addresses *a, const uint64_t *s)
{
	uint64_t diff = 0;
	int l;
	each_lane(m, l) {
		uint32_t *p = local_word(w, l, lane_address(a, l));
		diff |= (p[0] | (uint64_t)p[w->lanes.width] << 32) ^ s[l];
		p[0] = (uint32_t)s[l];
		p[w->lanes.width] = (uint32_t)(s[l] >> 32);
	}
	return diff;
}

void local_read(const Warp *w, int lane, uint64_t addr, unsigned size, uint8_t *to)
{
	if (size < 4)
		memcpy(to, (const uint8_t *)local_word(w, lane, addr) + addr % 4, size);
	for (unsigned k = 0; k + 4 <= size; k += 4)
		memcpy(to + k, local_word(w, lane, addr + k), 4);
}

void local_write(Warp *w, int lane, uint64_t addr, unsigned size, const uint8_t *from)
{
	if (size < 4)
		memcpy((uint8_t *)local_word(w, lane, addr) + addr % 4, from, size);
	for (unsigned k = 0; k + 4 <= size; k += 4)
		memcpy(local_word(w, lane, addr + k), from + k, 4);
}
