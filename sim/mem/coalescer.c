/* The coalescer: the addresses of a warp become the lines they touch, each with a mask of sectors. */
#include "sim/mem/internal.h"

static inline unsigned hash_of_line(uint64_t line) { return (unsigned)(line * 0x9e3779b97f4a7c15u >> 56); }

/* Returns the index of the line's piece; adds a piece if the line has none yet. */
static inline int piece_of(Coalesced *c, uint64_t line, bool store)
{
	unsigned h = hash_of_line(line);
	for (; c->slot[h]; h = (h + 1) % sizeof c->slot)
		if (c->piece[c->slot[h] - 1].line == line)
			return c->slot[h] - 1;
	int k = c->n++;
	c->piece[k] = (Piece){ .line = line };
	c->slot[h] = (uint8_t)c->n;
	if (store)
		memset(c->written[k], 0, sizeof c->written[k]);
	return k;
}

static inline uint32_t sectors_between(unsigned first, unsigned last)
{
	return first == last ? 1u << first : (2u << last) - (1u << first);
}

/* Marks bytes first..last of a line, at most 32 of them, as written. */
static inline void mark_written(uint64_t *written, unsigned first, unsigned last)
{
	uint64_t mask = ((uint64_t)2 << (last - first)) - 1;
	written[first / 64] |= mask << first % 64;
	if (first / 64 != last / 64)
		written[last / 64] |= mask >> (64 - first % 64);
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
		Piece *p = &c->piece[piece_of(c, (address[i] + base) >> line_shift, false)];
		if (lanes[i] > p->conflict)
			p->conflict = lanes[i];
	}
}

/* Adds an access to bytes first..last of the line of piece k. */
static inline void add_to_piece(Coalesced *c, int k, unsigned first, unsigned last, unsigned sector_shift,
	bool store)
{
	c->piece[k].sectors |= sectors_between(first >> sector_shift, last >> sector_shift);
	if (store)
		mark_written(c->written[k], first, last);
}

/* Looks whether the lanes are 0..n-1 and their addresses have one distance. */
static bool find_row(const Access *a, Row *r)
{
	if (a->mask & (a->mask + 1))
		return false;
	unsigned n = r->n;
	uint64_t wrong = 0, at = a->addr[0], d = n > 1 ? a->addr[1] - at : 0;
	for (unsigned i = 0; i < n; i++, at += d)
		wrong |= a->addr[i] ^ at;
	r->from = a->addr[0];
	r->step = d;
	return !wrong;
}

bool access_row(const Access *a, Row *r)
{
	if (a->shape == SHAPE_APART)
		return false;
	r->n = count_bits((uint32_t)a->mask) + count_bits((uint32_t)(a->mask >> 32));
	if (a->shape == SHAPE_ANY)
		return find_row(a, r);
	r->from = access_address(a, __builtin_ctzll(a->mask));
	r->step = a->step;
	return !r->step || lanes_in_a_row(a->mask);
}

/* Makes the pieces of an access that touches every sector of the addresses from..to; a store writes every
   byte of them. conflict: the lanes that access one address. */
static void coalesce_range(uint64_t from, uint64_t to, unsigned conflict, unsigned line_shift,
	unsigned sector_shift, Coalesced *c)
{
	const uint64_t offset = ((uint64_t)1 << line_shift) - 1, inner = ((uint64_t)1 << sector_shift) - 1;
	for (uint64_t next; from <= to; from = next) {
		next = (from | offset) + 1;
		uint64_t last = next - 1 < to ? next - 1 : to;
		uint32_t sectors = sectors_between((unsigned)(from & offset) >> sector_shift,
			(unsigned)(last & offset) >> sector_shift);
		uint32_t full = sectors;
		if (from & inner)
			full &= full - 1;
		if (~last & inner)
			full &= ~(1u << ((last & offset) >> sector_shift));
		c->piece[c->n++] = (Piece){ from >> line_shift, sectors, full, conflict };
	}
}

/* Makes the pieces of an access whose lines come in ascending order, as no lane's bytes cross a line; of a
   store, no lane's bytes touch those of another lane. */
static void coalesce_steps(const Access *a, uint64_t base, unsigned line_shift, unsigned sector_shift,
	Coalesced *c)
{
	const uint64_t offset = ((uint64_t)1 << line_shift) - 1;
	uint64_t line = NO_LINE;
	for (uint64_t m = a->mask; m; m &= m - 1) {
		uint64_t at = a->first + a->step * (uint64_t)__builtin_ctzll(m) + base;
		unsigned first = (unsigned)(at & offset);
		uint32_t sectors = sectors_between(first >> sector_shift,
			(first + a->bytes - 1) >> sector_shift);
		if (at >> line_shift != line)
			c->piece[c->n++] = (Piece){ line = at >> line_shift, 0, 0, 1 };
		c->piece[c->n - 1].sectors |= sectors;
		c->piece[c->n - 1].full |= a->bytes >> sector_shift ? sectors : 0;
	}
}

/* Makes the pieces of a row; false: its lanes have to be looked at one by one. */
static bool coalesce_row(const Access *a, uint64_t base, unsigned line_shift, unsigned sector_shift,
	Coalesced *c)
{
	Row r;
	bool store = a->kind == ACC_STORE, aligned = !(a->bytes & (a->bytes - 1)) &&
		!((a->first | a->step | base) & (a->bytes - 1));
	if (a->shape == SHAPE_APART || (a->kind == ACC_ATOMIC && (a->shape == SHAPE_ANY || !aligned)))
		return false;
	if (access_row(a, &r) && r.step <= (store ? a->bytes : (uint64_t)1 << sector_shift)) {
		r.from += base;
		coalesce_range(r.from, r.from + r.step * (r.n - 1) + a->bytes - 1, r.step ? 1 : r.n,
			line_shift, sector_shift, c);
		return true;
	}
	if (a->shape == SHAPE_ROW && aligned && a->step > (store ? a->bytes : 0)) {
		coalesce_steps(a, base, line_shift, sector_shift, c);
		return true;
	}
	return false;
}

/* Of an access that is no store, no lane's bytes cross a sector: each lane adds one sector to one piece. */
static void coalesce_sectors(const Access *a, uint64_t base, unsigned line_shift, unsigned sector_shift,
	Coalesced *c)
{
	const uint32_t inner = (1u << (line_shift - sector_shift)) - 1;
	uint64_t last = NO_LINE;
	Piece *p = c->piece;
	memset(c->slot, 0, sizeof c->slot);
	for (uint64_t m = a->mask; m; m &= m - 1) {
		uint64_t at = a->addr[__builtin_ctzll(m)] + base, line = at >> line_shift;
		if (line != last)
			p = &c->piece[piece_of(c, last = line, false)];
		p->sectors |= 1u << (at >> sector_shift & inner);
	}
}

static inline __attribute__((always_inline)) void coalesce_lanes(const Access *a, uint64_t base,
	unsigned line_shift, unsigned sector_shift, bool store, Coalesced *c)
{
	const unsigned offset = (1u << line_shift) - 1, bytes = a->bytes - 1;
	uint64_t last = NO_LINE;
	int k = 0;
	memset(c->slot, 0, sizeof c->slot);
	for (uint64_t m = a->mask; m; m &= m - 1) {
		uint64_t from = access_address(a, __builtin_ctzll(m)) + base, line = from >> line_shift;
		unsigned first = (unsigned)from & offset;
		if (line != last)
			k = piece_of(c, last = line, store);
		if (first + bytes <= offset) {
			add_to_piece(c, k, first, first + bytes, sector_shift, store);
			continue;
		}
		/* the rest of the bytes is in the next line */
		add_to_piece(c, k, first, offset, sector_shift, store);
		k = piece_of(c, last = (from + bytes) >> line_shift, store);
		add_to_piece(c, k, 0, (first + bytes) & offset, sector_shift, store);
	}
}

void coalesce(const Access *a, uint64_t base, unsigned line_shift, unsigned sector_shift, Coalesced *c)
{
	bool store = a->kind == ACC_STORE;
	c->n = 0;
	if (coalesce_row(a, base, line_shift, sector_shift, c))
		return;
	if (store)
		coalesce_lanes(a, base, line_shift, sector_shift, true, c);
	else if (a->aligned && a->shape != SHAPE_ROW && a->bytes <= 1u << sector_shift)
		coalesce_sectors(a, base, line_shift, sector_shift, c);
	else
		coalesce_lanes(a, base, line_shift, sector_shift, false, c);
	for (int i = 0; store && i < c->n; i++)
		c->piece[i].full = full_sectors(c->written[i], c->piece[i].sectors, sector_shift);
	if (a->kind == ACC_ATOMIC)
		set_conflicts(a, base, line_shift, c);
}

int distinct_addresses(const Access *a, uint64_t *address, uint32_t *lanes)
{
	uint8_t slot[256];
	uint64_t m = a->mask;
	int n = 1, k = 0;
	Row r;
	if (!m)
		return 0;
	if (access_row(a, &r) && !r.step) {
		address[0] = r.from;
		lanes[0] = r.n;
		return 1;
	}
	address[0] = access_address(a, __builtin_ctzll(m));
	lanes[0] = 0;
	memset(slot, 0, sizeof slot);
	slot[hash_of_line(address[0])] = 1;
	for (; m; m &= m - 1) {
		uint64_t at = access_address(a, __builtin_ctzll(m));
		if (address[k] != at) {
			unsigned h = hash_of_line(at);
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
