#include "traces/huffman.h"
#include <stdlib.h>

enum { MOST_SYMBOLS = HUFFMAN_LITERALS, MOST_LENGTH = 15, MOST_ORDER_LENGTH = 7 };

/* ---- lengths ---- */

/* key: a symbol's count, and the symbol, so that no two are equal. */
static int by_count(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

/* Writes how many of n symbols have a code of each length, for counts in ascending order: Huffman's tree,
   made with two queues, of the symbols and of the trees joined so far. Lengths beyond `most` become
   `most`. */
static void count_lengths(const uint64_t *key, int n, int most, int *of_length)
{
	uint64_t weight[MOST_SYMBOLS];
	int up[2 * MOST_SYMBOLS], depth[2 * MOST_SYMBOLS], leaf = 0, tree = 0, made = 0;
	while (made < n - 1) {
		uint64_t sum = 0;
		for (int k = 0; k < 2; k++) {
			bool takes_leaf = leaf < n && (tree >= made || key[leaf] >> 16 <= weight[tree]);
			sum += takes_leaf ? key[leaf] >> 16 : weight[tree];
			up[takes_leaf ? leaf++ : n + tree++] = n + made;
		}
		weight[made++] = sum;
	}
	depth[n + made - 1] = 0;
	for (int k = n + made - 2; k >= 0; k--) {
		depth[k] = depth[up[k]] + 1;
		if (k < n)
			of_length[depth[k] < most ? depth[k] : most]++;
	}
}

/* Lets the lengths be those of a code again where some have been shortened to `most`: as long as there are
   too many, one of the next shorter length becomes a length longer, which makes room for one of `most`. */
static void repair_lengths(int most, int *of_length)
{
	uint32_t used = 0;
	for (int k = 1; k <= most; k++)
		used += (uint32_t)of_length[k] << (most - k);
	while (used > (uint32_t)1 << most) {
		int k = most - 1;
		while (!of_length[k])
			k--;
		of_length[k]--;
		of_length[k + 1] += 2;
		of_length[most]--;
		used--;
	}
}

/* Writes the length of each of n symbols. A single symbol gets a code of one bit, too. */
static void find_lengths(const uint32_t *count, int n, int most, uint8_t *length)
{
	uint64_t key[MOST_SYMBOLS];
	int used = 0, of_length[MOST_LENGTH + 1] = { 0 };
	memset(length, 0, (size_t)n);
	for (int k = 0; k < n; k++)
		if (count[k])
			key[used++] = (uint64_t)count[k] << 16 | (unsigned)k;
	if (used)
		qsort(key, (size_t)used, sizeof *key, by_count);
	if (used < 2) {
		of_length[1] = used;
	} else {
		count_lengths(key, used, most, of_length);
		repair_lengths(most, of_length);
	}
	for (int k = most, at = 0; k > 0; k--)
		for (int i = 0; i < of_length[k]; i++)
			length[key[at++] & 0xffff] = (uint8_t)k;
}

/* ---- how a block tells them ---- */

static const uint8_t order[HUFFMAN_ORDER] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1,
	15 };

static int order_extra(int symbol) { return symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0; }

/* Tells a row of n equal lengths. */
static void tell_row(HuffmanLengths *h, uint8_t length, int n)
{
	if (length) {
		h->list[h->n++] = length;
		n--;
	}
	while (n >= 3) {
		int most = length ? 6 : n > 10 ? 138 : 10, now = n < most ? n : most,
			symbol = length ? 16 : now > 10 ? 18 : 17;
		h->list[h->n++] = (uint16_t)(symbol | (now - (symbol == 18 ? 11 : 3)) << 8);
		n -= now;
	}
	while (n-- > 0)
		h->list[h->n++] = length;
}

void huffman_lengths(HuffmanLengths *h, const uint32_t *literal, int nliteral, const uint32_t *distance,
	int ndistance)
{
	uint8_t all[HUFFMAN_LITERALS + HUFFMAN_DISTANCES];
	uint32_t count[HUFFMAN_ORDER] = { 0 };
	h->n = 0;
	find_lengths(literal, nliteral, MOST_LENGTH, h->literal);
	find_lengths(distance, ndistance, MOST_LENGTH, h->distance);
	while (nliteral > 257 && !h->literal[nliteral - 1])
		nliteral--;
	while (ndistance > 1 && !h->distance[ndistance - 1])
		ndistance--;
	h->nliteral = nliteral;
	h->ndistance = ndistance;
	memcpy(all, h->literal, (size_t)nliteral);
	memcpy(all + nliteral, h->distance, (size_t)ndistance);
	for (int from = 0, to, n = nliteral + ndistance; from < n; from = to) {
		for (to = from + 1; to < n && all[to] == all[from];)
			to++;
		tell_row(h, all[from], to - from);
	}
	for (int k = 0; k < h->n; k++)
		count[h->list[k] & 0xff]++;
	find_lengths(count, HUFFMAN_ORDER, MOST_ORDER_LENGTH, h->order);
	for (h->norder = HUFFMAN_ORDER; h->norder > 4 && !h->order[order[h->norder - 1]];)
		h->norder--;
	h->bits = 14 + 3 * (unsigned)h->norder;
	for (int k = 0; k < HUFFMAN_ORDER; k++)
		h->bits += count[k] * (unsigned)(h->order[k] + order_extra(k));
}

void huffman_put_lengths(BitWriter *w, const HuffmanLengths *h)
{
	HuffmanCode code[HUFFMAN_ORDER];
	huffman_codes(h->order, HUFFMAN_ORDER, code);
	bits_put(w, (uint32_t)h->nliteral - 257, 5);
	bits_put(w, (uint32_t)h->ndistance - 1, 5);
	bits_put(w, (uint32_t)h->norder - 4, 4);
	for (int k = 0; k < h->norder; k++) {
		bits_put(w, h->order[order[k]], 3);
		bits_flush(w);
	}
	for (int k = 0; k < h->n; k++) {
		int symbol = h->list[k] & 0xff;
		bits_put(w, code[symbol].code, code[symbol].length);
		bits_put(w, (uint32_t)h->list[k] >> 8, order_extra(symbol));
		bits_flush(w);
	}
}

/* ---- codes ---- */

void huffman_codes(const uint8_t *length, int n, HuffmanCode *to)
{
	int of_length[MOST_LENGTH + 1] = { 0 };
	uint32_t next[MOST_LENGTH + 1] = { 0 };
	for (int k = 0; k < n; k++)
		of_length[length[k]]++;
	of_length[0] = 0;
	for (int k = 1; k <= MOST_LENGTH; k++)
		next[k] = (next[k - 1] + (uint32_t)of_length[k - 1]) << 1;
	for (int k = 0; k < n; k++) {
		uint32_t code = length[k] ? next[length[k]]++ : 0, turned = 0;
		for (int i = 0; i < length[k]; i++)
			turned |= (code >> i & 1) << (length[k] - 1 - i);
		to[k] = (HuffmanCode){ (uint16_t)turned, length[k] };
	}
}
