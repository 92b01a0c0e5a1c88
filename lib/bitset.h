/* Fixed-size sets of small integers, in an arena. */
#ifndef GSIM_BITSET_H
#define GSIM_BITSET_H
#include "lib/arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct BitSet { uint64_t *w; int n; } BitSet; /* n: number of 64-bit words in w */

static inline BitSet bs_new(Arena *a, int bits)
{
	int n = (bits + 63) / 64;
	return (BitSet){ arena_array(a, uint64_t, n ? n : 1), n };
}
static inline bool bs_has(BitSet s, int i) { return s.w[i >> 6] >> (i & 63) & 1; }
static inline void bs_add(BitSet s, int i) { s.w[i >> 6] |= (uint64_t)1 << (i & 63); }
static inline void bs_del(BitSet s, int i) { s.w[i >> 6] &= ~((uint64_t)1 << (i & 63)); }
static inline void bs_copy(BitSet d, BitSet s) { memcpy(d.w, s.w, sizeof *d.w * (size_t)d.n); }
static inline void bs_clear(BitSet d) { memset(d.w, 0, sizeof *d.w * (size_t)d.n); }
static inline bool bs_equal(BitSet a, BitSet b) { return !memcmp(a.w, b.w, sizeof *a.w * (size_t)a.n); }
static inline bool bs_union(BitSet d, BitSet s) /* adds the members of s to d; true when d changed */
{
	uint64_t changed = 0;
	for (int i = 0; i < d.n; i++) {
		uint64_t w = d.w[i] | s.w[i];
		changed |= w ^ d.w[i];
		d.w[i] = w;
	}
	return changed != 0;
}
static inline int bs_count(BitSet s)
{
	int n = 0;
	for (int i = 0; i < s.n; i++)
		n += __builtin_popcountll(s.w[i]);
	return n;
}
/* The first member >= from, or -1. */
static inline int bs_next(BitSet s, int from)
{
	for (int i = from >> 6; i < s.n; i++) {
		uint64_t w = s.w[i];
		if (i == from >> 6)
			w &= ~(uint64_t)0 << (from & 63);
		if (w)
			return i * 64 + __builtin_ctzll(w);
	}
	return -1;
}
#define bs_each(S, I) for (int I = bs_next((S), 0); I >= 0; I = bs_next((S), I + 1))
#endif
