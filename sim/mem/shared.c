/* Shared memory: banks of words. One cycle serves one word of each bank, to any number of lanes that want
   it. */
#include "sim/mem/internal.h"

enum { MAX_BANKS = 128, MAX_WORDS = 64 * 9 };  /* 32 bytes at any address touch 9 words of 4 bytes */

/* Cycles for the lanes of one phase: the most different words that they want of one bank. Atomic operations
   on a word take turns, so each counts. */
static unsigned degree(const Access *a, uint64_t lanes, unsigned banks, unsigned shift)
{
	uint64_t word[MAX_WORDS];
	int16_t next[MAX_WORDS], head[MAX_BANKS];
	uint16_t count[MAX_BANKS];
	unsigned most = 0;
	int n = 0;
	memset(head, -1, sizeof *head * banks);
	memset(count, 0, sizeof *count * banks);
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint64_t from = a->addr[__builtin_ctzll(m)], to = (from + a->bytes - 1) >> shift;
		for (uint64_t w = from >> shift; w <= to; w++) {
			unsigned bank = (unsigned)(banks & (banks - 1) ? w % banks : w & (banks - 1));
			int i = head[bank];
			if (a->kind != ACC_ATOMIC)
				while (i >= 0 && word[i] != w)
					i = next[i];
			if (a->kind != ACC_ATOMIC && i >= 0)
				continue;
			word[n] = w;
			next[n] = head[bank];
			head[bank] = (int16_t)n++;
			if (++count[bank] > most)
				most = count[bank];
		}
	}
	return most;
}

/* True when no bank is asked for two different words, each lane wanting one. */
static bool conflict_free(const Access *a, uint64_t lanes, unsigned banks, unsigned shift)
{
	uint64_t word[MAX_BANKS], seen[2] = { 0, 0 };
	if (a->kind == ACC_ATOMIC)
		return false;
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint64_t from = a->addr[__builtin_ctzll(m)], w = from >> shift;
		unsigned bank = (unsigned)(banks & (banks - 1) ? w % banks : w & (banks - 1));
		uint64_t bit = (uint64_t)1 << bank % 64, *have = &seen[bank / 64];
		if ((from + a->bytes - 1) >> shift != w || (*have & bit && word[bank] != w))
			return false;
		*have |= bit;
		word[bank] = w;
	}
	return true;
}

static bool fits_lanes(uint64_t mask, unsigned lanes) { return lanes >= 64 || !(mask >> lanes); }

/* True for the commonest accesses: consecutive words, or one word, in one phase. */
static bool one_row(const Access *a, unsigned banks, unsigned bank_bytes, unsigned lanes)
{
	uint64_t step;
	return a->kind != ACC_ATOMIC && a->bytes <= bank_bytes &&
		!(a->addr[__builtin_ctzll(a->mask)] % bank_bytes)
		&& fits_lanes(a->mask, lanes) && is_strided(a, &step) &&
			(!step || (step == bank_bytes && fits_lanes(a->mask, banks)));
}

unsigned shared_cycles(const Access *a, unsigned banks, unsigned bank_bytes, unsigned *extra)
{
	unsigned lanes = banks * bank_bytes / a->bytes, cycles = 0, shift = shift_of(bank_bytes);
	uint64_t all = a->mask;
	if (lanes < 1)
		lanes = 1;
	*extra = 0;
	if (one_row(a, banks, bank_bytes, lanes))
		return 1;
	for (unsigned first = 0; first < 64 && all >> first; first += lanes) {
		uint64_t phase = all & (lanes < 64 ? (((uint64_t)1 << lanes) - 1) << first : ~(uint64_t)0);
		if (!phase)
			continue;
		unsigned d = conflict_free(a, phase, banks, shift) ? 1 : degree(a, phase, banks, shift);
		cycles += d;
		*extra += d - 1;
	}
	return cycles;
}
