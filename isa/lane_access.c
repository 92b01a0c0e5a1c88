/* Addresses of memory accesses, as rows have them. */
#include "isa/lane_kernel.h"

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
