/* Huffman codes as RFC 1951 has them, and the bits in which they are written. */
#ifndef GSIM_TRACE_HUFFMAN_H
#define GSIM_TRACE_HUFFMAN_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- bits ---- */

/* Writes bits, the lowest first. p: where the next whole byte goes; behind it must be room for 8 bytes. At
   most 56 bits may be put between two calls of bits_flush. */
typedef struct BitWriter { uint8_t *p; uint64_t bits; int n; } BitWriter;

static inline void bits_put(BitWriter *w, uint32_t value, int n)
{
	w->bits |= (uint64_t)value << w->n;
	w->n += n;
}

static inline void bits_flush(BitWriter *w)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(w->p, &w->bits, 8);
#else
	for (int k = 0; k < 8; k++)
		w->p[k] = (uint8_t)(w->bits >> 8 * k);
#endif
	w->p += w->n >> 3;
	w->bits >>= w->n & ~7;
	w->n &= 7;
}

/* Fills up the last byte with zeros. */
static inline void bits_align(BitWriter *w)
{
	w->n = (w->n + 7) & ~7;
	bits_flush(w);
}

/* ---- codes ---- */

/* length: 0: the symbol has none */
typedef struct HuffmanCode { uint16_t code; uint8_t length; } HuffmanCode;

enum { HUFFMAN_LITERALS = 286, HUFFMAN_DISTANCES = 30, HUFFMAN_ORDER = 19 };

/* The lengths of a block's codes, and how the block tells them (RFC 1951, 3.2.7): `list` has the symbols that
   tell them, each with its extra bits << 8. */
typedef struct HuffmanLengths {
	uint8_t literal[HUFFMAN_LITERALS], distance[HUFFMAN_DISTANCES], order[HUFFMAN_ORDER];
	int nliteral, ndistance, norder;
	uint16_t list[HUFFMAN_LITERALS + HUFFMAN_DISTANCES];
	int n;
	uint64_t bits;                 /* how many bits all this takes */
} HuffmanLengths;

/* Finds the lengths for symbols that occur so often, at most 286 literals and 30 distances. */
void huffman_lengths(HuffmanLengths *, const uint32_t *literal, int nliteral, const uint32_t *distance,
	int ndistance);
void huffman_put_lengths(BitWriter *, const HuffmanLengths *);
/* The codes that follow from n lengths, their first bit lowest. */
void huffman_codes(const uint8_t *length, int n, HuffmanCode *);
#endif
