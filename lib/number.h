/* Small questions about whole numbers and texts. */
#ifndef GSIM_NUMBER_H
#define GSIM_NUMBER_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* the first address from n on that is a multiple of `align`; 0 counts as 1 */
static inline uint64_t align_up(uint64_t n, uint64_t align)
{
	return align > 1 ? (n + align - 1) / align * align : n;
}
/* the smallest multiple of `unit`, 1 or more, that is at least n; n >= 0 */
static inline int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
static inline bool is_power_of_two(uint64_t n) { return n && !(n & (n - 1)); }
/* NULL is a text, too, and the same as itself alone. */
static inline bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }
#endif
