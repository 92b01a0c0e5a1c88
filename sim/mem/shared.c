/* Shared memory: banks of words. One cycle serves one word of each bank, to any number of lanes that want it. */
#include "sim/mem/internal.h"

enum { MAX_BANKS = 128, MAX_WORDS = 64 * 9 };  /* 32 bytes at any address touch 9 words of 4 bytes */

/* Cycles for the lanes of one phase: the most different words that they want of one bank. Atomic operations on a word
   take turns, so each counts. */
static unsigned degree(const Access *a, uint64_t lanes, unsigned banks, unsigned shift)
{
	uint64_t word[MAX_WORDS];
	int16_t next[MAX_WORDS], head[MAX_BANKS];
	uint16_t count[MAX_BANKS] = { 0 };
	unsigned most = 0;
	int n = 0;
	memset(head, -1, sizeof *head * banks);
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

unsigned shared_cycles(const Access *a, unsigned banks, unsigned bank_bytes, unsigned *extra)
{
	unsigned lanes = banks * bank_bytes / a->bytes, cycles = 0;
	uint64_t all = a->mask;
	if (lanes < 1)
		lanes = 1;
	*extra = 0;
	for (unsigned first = 0; first < 64 && all >> first; first += lanes) {
		uint64_t phase = all & (lanes < 64 ? (((uint64_t)1 << lanes) - 1) << first : ~(uint64_t)0);
		if (!phase)
			continue;
		unsigned d = degree(a, phase, banks, shift_of(bank_bytes));
		cycles += d;
		*extra += d - 1;
	}
	return cycles;
}
