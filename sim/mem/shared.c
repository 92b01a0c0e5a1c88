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
		uint64_t from = access_address(a, __builtin_ctzll(m)), to = (from + a->bytes - 1) >> shift;
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

/* As degree, where it is quicker: each lane wants one word, and most banks are asked for one word only. */
static unsigned degree_of_few(const Access *a, uint64_t lanes, unsigned banks, unsigned shift)
{
	uint64_t word[MAX_BANKS], seen[2] = { 0, 0 }, others = 0;
	const bool power = !(banks & (banks - 1));
	if (a->kind == ACC_ATOMIC)
		return degree(a, lanes, banks, shift);
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint64_t from = access_address(a, __builtin_ctzll(m)), w = from >> shift;
		unsigned bank = (unsigned)(power ? w & (banks - 1) : w % banks);
		uint64_t bit = (uint64_t)1 << bank % 64, *have = &seen[bank / 64];
		if ((from + a->bytes - 1) >> shift != w)
			return degree(a, lanes, banks, shift);
		if (!(*have & bit))
			word[bank] = w;
		*have |= bit;
		/* lanes that want another word of the bank than the first that came there */
		others |= word[bank] != w ? m & -m : 0;
	}
	return 1 + (others ? degree(a, others, banks, shift) : 0);
}

static unsigned common_divisor(unsigned a, unsigned b)
{
	while (b) {
		unsigned rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* As degree, for n lanes of a row, by arithmetic; 0: that needs a look at each lane. The lanes of a phase
   want as many bytes as the banks deliver in a cycle at most. */
static unsigned degree_of_row(const Access *a, uint64_t from, uint64_t step, unsigned n, unsigned banks,
	unsigned bank_bytes)
{
	unsigned within = (unsigned)(from & (bank_bytes - 1)), words = (unsigned)(step / bank_bytes) % banks;
	if (within + (a->bytes < bank_bytes ? a->bytes : bank_bytes) > bank_bytes ||
		a->bytes > banks * bank_bytes)
		return 0;
	if (!step)
		return a->kind == ACC_ATOMIC ? n : 1;
	if (step == a->bytes && !within && (a->kind != ACC_ATOMIC || !(a->bytes % bank_bytes)))
		return 1;
	if (step % bank_bytes || a->bytes > bank_bytes)
		return 0;
	/* lanes come to the same bank again after so many others */
	unsigned period = banks / common_divisor(banks, words);
	return (n + period - 1) / period;
}

/* Cycles for a row, phase after phase; 0: it needs a look at each lane. */
static unsigned cycles_of_row(const Access *a, unsigned lanes, unsigned banks, unsigned bank_bytes,
	unsigned *extra)
{
	Row r;
	unsigned cycles = 0, low = (unsigned)__builtin_ctzll(a->mask),
		end = 64 - (unsigned)__builtin_clzll(a->mask);
	bool whole = access_row(a, &r);
	if ((!whole && a->shape != SHAPE_ROW) || r.step > MOST_STEP ||
		(a->kind == ACC_ATOMIC && end > lanes && !lanes_in_a_row(a->mask)))
		return 0;
	if (!r.step && end <= lanes)
		end = low + r.n;
	for (unsigned next; low < end; low = next) {
		next = low - low % lanes + lanes;
		unsigned n = (next < end ? next : end) - low,
			d = degree_of_row(a, r.from, r.step, n, banks, bank_bytes);
		/* gaps between the lanes take nothing away where there are no conflicts */
		if (!d || (d > 1 && !whole))
			return 0;
		r.from += r.step * n;
		if (!(a->mask >> low & (n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0)))
			continue;
		cycles += d;
		*extra += d - 1;
	}
	return cycles;
}

unsigned shared_cycles(const Access *a, unsigned banks, unsigned bank_bytes, unsigned *extra)
{
	unsigned lanes = banks * bank_bytes / a->bytes, cycles = 0, shift = shift_of(bank_bytes);
	uint64_t all = a->mask;
	if (lanes < 1)
		lanes = 1;
	*extra = 0;
	cycles = cycles_of_row(a, lanes, banks, bank_bytes, extra);
	if (cycles)
		return cycles;
	*extra = 0;
	for (unsigned first = 0; first < 64 && all >> first; first += lanes) {
		uint64_t phase = all & (lanes < 64 ? (((uint64_t)1 << lanes) - 1) << first : ~(uint64_t)0);
		if (!phase)
			continue;
		unsigned d = degree_of_few(a, phase, banks, shift);
		cycles += d;
		*extra += d - 1;
	}
	return cycles;
}
