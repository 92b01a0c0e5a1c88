#include "traces/deflate.h"
#include "traces/huffman.h"
#include "lib/arena.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	HASH_BITS = 14,
	LEAST_MATCH = 4, MOST_MATCH = 258, WINDOW = 32768,
	BLOCK_TOKENS = 32768,              /* most tokens of a block, which has codes of its own */
	LITERALS = 286, DISTANCES = 30, END_OF_BLOCK = 256, FIRST_LENGTH = 257,
	MOST_STORED = 65535                /* most bytes of a block that is not compressed */
};

/* A byte, or a match: its distance << 16 | its length - 3. */
typedef uint32_t Token;

struct Deflater {
	/* by hash of four bytes: the place where they stood last, counted over all that has been
	   compressed; `before` bytes have been compressed in earlier runs */
	uint32_t place[1 << HASH_BITS], before;
	Token token[BLOCK_TOKENS];
	int ntoken;
	uint32_t literal_count[LITERALS], distance_count[DISTANCES];
	HuffmanCode literal[LITERALS], distance[DISTANCES];
	HuffmanCode fixed_literal[LITERALS], fixed_distance[DISTANCES];
	/* by length - 3: the symbol; by distance, as distance_symbol has it */
	uint16_t length_symbol[256];
	uint8_t distance_symbol[512];
	BitWriter out;
};

/* ---- symbols: RFC 1951, 3.2.5 ---- */

static const uint16_t length_base[29] = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51,
	59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const uint16_t distance_base[DISTANCES] = { 1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193,
	257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };

static int length_extra(int k) { return k < 8 || k == 28 ? 0 : k / 4 - 1; }
static int distance_extra(int k) { return k < 4 ? 0 : k / 2 - 1; }

static int symbol_of_distance(const Deflater *d, uint32_t distance)
{
	uint32_t x = distance - 1;
	return d->distance_symbol[x < 256 ? x : 256 + (x >> 7)];
}

static void fill_symbols(Deflater *d)
{
	for (int k = 0; k < 29; k++)
		for (int x = length_base[k]; x <= MOST_MATCH; x++)
			d->length_symbol[x - 3] = (uint16_t)(FIRST_LENGTH + k);
	for (int k = 0; k < DISTANCES; k++)
		for (int x = distance_base[k] - 1; x < WINDOW; x += x < 256 ? 1 : 128)
			d->distance_symbol[x < 256 ? x : 256 + (x >> 7)] = (uint8_t)k;
}

static void fill_fixed_codes(Deflater *d)
{
	uint8_t length[288];
	HuffmanCode code[288];
	for (int k = 0; k < 288; k++)
		length[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
	huffman_codes(length, 288, code);
	memcpy(d->fixed_literal, code, sizeof d->fixed_literal);
	memset(length, 5, sizeof length);
	huffman_codes(length, 32, code);
	memcpy(d->fixed_distance, code, sizeof d->fixed_distance);
}

Deflater *deflater_new(void)
{
	Deflater *d = xcalloc(1, sizeof *d);
	d->before = WINDOW; /* so that 0 is no place */
	fill_symbols(d);
	fill_fixed_codes(d);
	return d;
}

void deflater_free(Deflater *d) { free(d); }

/* A block is stored if it would become longer otherwise; behind it may stand seven bits. */
size_t deflater_bound(size_t n) { return n + (n / MOST_STORED + n / BLOCK_TOKENS + 2) * 6 + 32; }

/* ---- a block ---- */

/* Bits that the tokens of the block take with these codes. */
static uint64_t coded_bits(const Deflater *d, const HuffmanCode *literal, const HuffmanCode *distance)
{
	uint64_t bits = 0;
	for (int k = 0; k < LITERALS; k++)
		bits += (uint64_t)d->literal_count[k] * (unsigned)(literal[k].length +
			(k >= FIRST_LENGTH ? length_extra(k - FIRST_LENGTH) : 0));
	for (int k = 0; k < DISTANCES; k++)
		bits += (uint64_t)d->distance_count[k] * (unsigned)(distance[k].length + distance_extra(k));
	return bits;
}

static inline void put_match(const Deflater *d, BitWriter *w, Token t, const HuffmanCode *literal,
	const HuffmanCode *distance)
{
	int length = (int)(t & 0xffff), k = d->length_symbol[length], x = symbol_of_distance(d, t >> 16);
	bits_put(w, literal[k].code, literal[k].length);
	bits_put(w, (uint32_t)(length + 3 - length_base[k - FIRST_LENGTH]), length_extra(k - FIRST_LENGTH));
	bits_put(w, distance[x].code, distance[x].length);
	bits_put(w, (t >> 16) - distance_base[x], distance_extra(x));
}

static void put_tokens(Deflater *d, const HuffmanCode *literal, const HuffmanCode *distance)
{
	BitWriter w = d->out;
	for (int k = 0; k < d->ntoken; k++) { /* a token takes 48 bits at most */
		Token t = d->token[k];
		if (t >> 16)
			put_match(d, &w, t, literal, distance);
		else
			bits_put(&w, literal[t].code, literal[t].length);
		bits_flush(&w);
	}
	bits_put(&w, literal[END_OF_BLOCK].code, literal[END_OF_BLOCK].length);
	bits_flush(&w);
	d->out = w;
}

static void put_stored(Deflater *d, const uint8_t *raw, size_t n, bool last)
{
	do {
		size_t now = n < MOST_STORED ? n : MOST_STORED;
		bits_put(&d->out, last && now == n, 1);
		bits_put(&d->out, 0, 2);
		bits_align(&d->out);
		bits_put(&d->out, (uint32_t)now, 16);
		bits_put(&d->out, (uint32_t)~now & 0xffff, 16);
		bits_flush(&d->out);
		memcpy(d->out.p, raw, now);
		d->out.p += now;
		raw += now;
		n -= now;
	} while (n);
}

/* Writes the tokens so far, which stand for n bytes, as a block: with codes made for them, with the fixed
   ones, or uncompressed, whatever is shortest. */
static void put_block(Deflater *d, const uint8_t *raw, size_t n, bool last)
{
	HuffmanLengths made;
	d->literal_count[END_OF_BLOCK] = 1;
	huffman_lengths(&made, d->literal_count, LITERALS, d->distance_count, DISTANCES);
	huffman_codes(made.literal, LITERALS, d->literal);
	huffman_codes(made.distance, DISTANCES, d->distance);
	uint64_t own = made.bits + coded_bits(d, d->literal, d->distance),
		fixed = coded_bits(d, d->fixed_literal, d->fixed_distance),
		stored = 8 * (n + 5 * (n / MOST_STORED + 1));
	if (stored <= own && stored <= fixed) {
		put_stored(d, raw, n, last);
	} else {
		bits_put(&d->out, last, 1);
		bits_put(&d->out, own < fixed ? 2 : 1, 2);
		if (own < fixed)
			huffman_put_lengths(&d->out, &made);
		put_tokens(d, own < fixed ? d->literal : d->fixed_literal,
			own < fixed ? d->distance : d->fixed_distance);
	}
	d->ntoken = 0;
	memset(d->literal_count, 0, sizeof d->literal_count);
	memset(d->distance_count, 0, sizeof d->distance_count);
}

/* ---- matches ---- */

static inline uint32_t four_bytes(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t eight_bytes(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t hash_of(uint32_t v) { return v * 2654435761u >> (32 - HASH_BITS); }

/* How many bytes at p are those at q; at least LEAST_MATCH are. Of equal hosts and others alike, since whole
   words are only compared for being equal. */
static inline uint32_t match_length(const uint8_t *p, const uint8_t *q, const uint8_t *end)
{
	uint32_t n = LEAST_MATCH, most = end - p < MOST_MATCH ? (uint32_t)(end - p) : MOST_MATCH;
	while (n + 8 <= most && eight_bytes(p + n) == eight_bytes(q + n))
		n += 8;
	while (n < most && p[n] == q[n])
		n++;
	return n;
}

/* Makes tokens of the bytes from p on, as many as a block takes; returns where they end. */
static const uint8_t *find_tokens(Deflater *d, const uint8_t *raw, const uint8_t *p, const uint8_t *end)
{
	Token *t = d->token, *full = t + BLOCK_TOKENS;
	while (end - p >= LEAST_MATCH && t < full) {
		uint32_t v = four_bytes(p), at = (uint32_t)(p - raw), now = d->before + at, h = hash_of(v),
			distance = now - d->place[h];
		d->place[h] = now;
		if (distance >= WINDOW || distance > at || four_bytes(p - distance) != v) {
			d->literal_count[*p]++;
			*t++ = *p++;
			continue;
		}
		uint32_t length = match_length(p, p - distance, end);
		*t++ = distance << 16 | (length - 3);
		d->literal_count[d->length_symbol[length - 3]]++;
		d->distance_count[symbol_of_distance(d, distance)]++;
		p += length;
	}
	for (; p < end && end - p < LEAST_MATCH && t < full; p++) {
		d->literal_count[*p]++;
		*t++ = *p;
	}
	d->ntoken = (int)(t - d->token);
	return p;
}

size_t deflater_run(Deflater *d, const uint8_t *raw, size_t n, uint8_t *out)
{
	const uint8_t *end = raw + n;
	/* places are told apart by their number in 32 bits */
	if (d->before > ((uint32_t)1 << 31)) {
		memset(d->place, 0, sizeof d->place);
		d->before = WINDOW;
	}
	d->out = (BitWriter){ .p = out };
	bits_put(&d->out, 0x0178, 16);     /* deflate, a window of 32 KiB, the fastest level, no dictionary */
	bits_flush(&d->out);
	const uint8_t *p = raw;
	do {
		const uint8_t *from = p;
		p = find_tokens(d, raw, p, end);
		put_block(d, from, (size_t)(p - from), p == end);
	} while (p < end);
	bits_align(&d->out);
	uint32_t sum = (uint32_t)adler32_z(1, raw, n);
	for (int k = 3; k >= 0; k--)
		bits_put(&d->out, sum >> 8 * k & 0xff, 8);
	bits_align(&d->out);
	d->before += (uint32_t)n;
	return (size_t)(d->out.p - out);
}
