/* Accesses to memory by all lanes at once: addresses, as rows have them, and data that lie side by side. */
#include "isa/lane_kernel.h"
#include <string.h>

/* Are the values of lanes m, of which `first` is the lowest, addresses of consecutive accesses of `size`
   bytes? */
#define CONSECUTIVE(T) \
static bool consecutive_##T(const RT_##T *a, Mask m, int first, unsigned size, int width) \
{ \
	CT_##T begin = a[first] - (CT_##T)first * size, bad = 0; \
	if (m == 0xffffffffu) { \
		IVDEP for (int l = 0; l < 32; l++) \
			bad |= a[l] ^ (begin + (CT_##T)l * size); \
		return !bad; \
	} \
	if (width == 32) { \
		IVDEP for (int l = 0; l < 32; l++) { \
			CT_##T x = a[l] ^ (begin + (CT_##T)l * size); \
			bad |= (uint32_t)m & lane_bit32[l] ? x : 0; \
		} \
		return !bad; \
	} \
	for (Mask k = m; k; k &= k - 1) { \
		int l = __builtin_ctzll(k); \
		bad |= a[l] ^ (begin + (CT_##T)l * size); \
	} \
	return !bad; \
}
CONSECUTIVE(U32)
CONSECUTIVE(U64)

bool LANE(lane_consecutive)(const Lanes *L, uint32_t row, bool wide, Mask m, unsigned size)
{
	int first = __builtin_ctzll(m);
	return wide ? consecutive_U64(lane_row(L, row), m, first, size, L->width)
		: consecutive_U32(lane_row(L, row), m, first, size, L->width);
}

/* In EXPR q[l] is the value in memory of lane l, of the lanes from the lowest of m to its highest. */
#define IN_MEMORY(T, EXPR) do { \
	int first_ = __builtin_ctzll(m), n_ = 64 - __builtin_clzll(m) - first_; \
	RT_##T q[64] = { 0 }; \
	memcpy(q + first_, at, sizeof *q * (size_t)n_); \
	EXPR; \
} while (0)

#define LOAD(T) \
static void load_##T(const Lanes *L, RT_##T *d, Mask m, const void *at) \
{ \
	if (L->width == 32 && m == 0xffffffffu) \
		memcpy(d, at, 32 * sizeof *d); \
	else \
		IN_MEMORY(T, EACH(q[l])); \
}
LOAD(U32)
LOAD(U64)

#define STORE(T) \
static bool store_##T(const Lanes *L, const RT_##T *s, Mask m, void *at) \
{ \
	CT_##T diff = 0; \
	if (L->width == 32) { \
		IN_MEMORY(T, ({ \
			IVDEP for (int l = 0; l < 32; l++) { \
				CT_##T old = q[l], new = (uint32_t)m & lane_bit32[l] ? s[l] : old; \
				diff |= old ^ new; \
				q[l] = new; \
			} \
			memcpy(at, q + first_, sizeof *q * (size_t)n_); \
		})); \
		return diff != 0; \
	} \
	IN_MEMORY(T, ({ \
		for (Mask k = m; k; k &= k - 1) { \
			int l = __builtin_ctzll(k); \
			diff |= q[l] ^ s[l]; \
			q[l] = s[l]; \
		} \
		memcpy(at, q + first_, sizeof *q * (size_t)n_); \
	})); \
	return diff != 0; \
}
STORE(U32)
STORE(U64)

void LANE(lane_load)(const Lanes *L, uint32_t row, bool wide, Mask m, const void *at)
{
	if (wide)
		load_U64(L, lane_row(L, row), m, at);
	else
		load_U32(L, lane_row(L, row), m, at);
}

bool LANE(lane_store)(const Lanes *L, uint32_t row, bool wide, Mask m, void *at)
{
	return wide ? store_U64(L, lane_row(L, row), m, at) : store_U32(L, lane_row(L, row), m, at);
}

/* Writes to `at` where the lanes' data lie in the area. True: those of lanes m lie in it, aligned. */
#define PLACES(AT) \
static inline bool places_##AT(const RT_##AT *a, const LaneArea *x, Mask m, unsigned size, \
	uint64_t *restrict at) \
{ \
	uint64_t bad = 0, last = x->size - size, start = x->start; \
	CT_##AT off = (CT_##AT)x->offset; \
	IVDEP for (int l = 0; l < 32; l++) { \
		uint64_t address = (CT_##AT)(a[l] + off), place = address - start; \
		uint64_t wrong = (((last - place) | place) & (uint64_t)1 << 63) | (address & (size - 1)); \
		at[l] = place; \
		bad |= m & lane_bit64[l] ? wrong : 0; \
	} \
	return !bad; \
}
PLACES(U32)
PLACES(U64)

static inline bool places(const Lanes *L, const LaneArea *x, Mask m, uint64_t *at)
{
	unsigned size = x->wide ? 8 : 4;
	if (L->width != 32 || x->size < size)
		return false;
	return x->wide_address ? places_U64(lane_row(L, x->address), x, m, size, at)
		: places_U32(lane_row(L, x->address), x, m, size, at);
}

#define GATHER(T) do { \
	RT_##T *d = lane_row(L, x->row); \
	if (m == 0xffffffffu) \
		for (int l = 0; l < 32; l++) \
			memcpy(&d[l], x->data + at[l], sizeof *d); \
	else \
		for (Mask k = m; k; k &= k - 1) { \
			int l = __builtin_ctzll(k); \
			memcpy(&d[l], x->data + at[l], sizeof *d); \
		} \
} while (0)

bool LANE(lane_gather)(const Lanes *L, const LaneArea *x, Mask m)
{
	uint64_t at[32];
	if (!places(L, x, m, at))
		return false;
	if (x->wide)
		GATHER(U64);
	else
		GATHER(U32);
	return true;
}

#define SCATTER(T) do { \
	const RT_##T *s = lane_row(L, x->row); \
	CT_##T diff = 0, old; \
	for (Mask k = m; k; k &= k - 1) { \
		int l = __builtin_ctzll(k); \
		memcpy(&old, x->data + at[l], sizeof old); \
		diff |= old ^ s[l]; \
		memcpy(x->data + at[l], &s[l], sizeof old); \
	} \
	*changed = diff != 0; \
} while (0)

bool LANE(lane_scatter)(const Lanes *L, const LaneArea *x, Mask m, bool *changed)
{
	uint64_t at[32];
	if (!places(L, x, m, at))
		return false;
	if (x->wide)
		SCATTER(U64);
	else
		SCATTER(U32);
	return true;
}
