/* The coalescer: the addresses of a warp become the lines they touch, each with a mask of sectors. */
#include "sim/mem/internal.h"

static inline unsigned hash(uint64_t line) { return (unsigned)(line * 0x9e3779b97f4a7c15u >> 56); }

/* Index of the line's piece, added when it is new. */
static int piece_of(Coalesced *c, uint64_t line)
{
	unsigned h = hash(line);
	for (; c->slot[h]; h = (h + 1) % sizeof c->slot)
		if (c->piece[c->slot[h] - 1].line == line)
			return c->slot[h] - 1;
	c->piece[c->n] = (Piece){ .line = line };
	c->slot[h] = (uint8_t)++c->n;
	return c->n - 1;
}

static inline uint32_t sectors_between(unsigned first, unsigned last) { return (2u << last) - (1u << first); }

/* Bytes first..last of the line are written. */
static void mark_written(uint64_t *written, unsigned first, unsigned last)
{
	for (unsigned b = first; b <= last; b++)
		written[b / 64] |= (uint64_t)1 << b % 64;
}

static uint32_t full_sectors(const uint64_t *written, uint32_t sectors, unsigned sector_shift)
{
	uint32_t full = 0;
	for (uint32_t m = sectors; m; m &= m - 1) {
		unsigned s = (unsigned)__builtin_ctz(m), bytes = 1u << sector_shift, b = s * bytes, k = 0;
		if (bytes < 64) {
			uint64_t want = (((uint64_t)1 << bytes) - 1) << b % 64;
			k = (written[b / 64] & want) == want;
		} else {
			for (k = 1; bytes; bytes -= 64, b += 64)
				k &= written[b / 64] == ~(uint64_t)0;
		}
		full |= k << s;
	}
	return full;
}

static void set_conflicts(const Access *a, uint64_t base, unsigned line_shift, Coalesced *c)
{
	uint64_t address[64];
	uint32_t lanes[64];
	int n = distinct_addresses(a, address, lanes);
	for (int i = 0; i < n; i++) {
		Piece *p = &c->piece[piece_of(c, (address[i] + base) >> line_shift)];
		if (lanes[i] > p->conflict)
			p->conflict = lanes[i];
	}
}

void coalesce(const Access *a, uint64_t base, unsigned line_shift, unsigned sector_shift, Coalesced *c)
{
	const uint64_t offset = ((uint64_t)1 << line_shift) - 1;
	uint64_t last = NO_LINE;
	int k = 0;
	c->n = 0;
	memset(c->slot, 0, sizeof c->slot);
	for (uint64_t m = a->mask; m; m &= m - 1) {
		uint64_t from = a->addr[__builtin_ctzll(m)] + base, to = from + a->bytes - 1;
		for (uint64_t line = from >> line_shift; line <= to >> line_shift; line++) {
			if (line != last) {
				int n = c->n;
				k = piece_of(c, line);
				last = line;
				if (c->n != n && a->kind == ACC_STORE)
					memset(c->written[k], 0, sizeof c->written[k]);
			}
			unsigned first = line == from >> line_shift ? (unsigned)(from & offset) : 0;
			unsigned end = (unsigned)(line == to >> line_shift ? to & offset : offset);
			c->piece[k].sectors |= sectors_between(first >> sector_shift, end >> sector_shift);
			if (a->kind == ACC_STORE)
				mark_written(c->written[k], first, end);
		}
	}
	if (a->kind == ACC_STORE)
		for (int i = 0; i < c->n; i++)
			c->piece[i].full = full_sectors(c->written[i], c->piece[i].sectors, sector_shift);
	if (a->kind == ACC_ATOMIC)
		set_conflicts(a, base, line_shift, c);
}

int distinct_addresses(const Access *a, uint64_t *address, uint32_t *lanes)
{
	uint8_t slot[256] = { 0 };
	int n = 0, k = -1;
	for (uint64_t m = a->mask; m; m &= m - 1) {
		uint64_t at = a->addr[__builtin_ctzll(m)];
		if (k < 0 || address[k] != at) {
			unsigned h = hash(at);
			while (slot[h] && address[slot[h] - 1] != at)
				h = (h + 1) % sizeof slot;
			if (!slot[h]) {
				address[n] = at;
				lanes[n] = 0;
				slot[h] = (uint8_t)++n;
			}
			k = slot[h] - 1;
		}
		lanes[k]++;
	}
	return n;
}
