/* Resources in time: cycles taken of a resource, and a heap of time stamps. */
#include "sim/mem/internal.h"

/* The ring starts at floor; words that enter it at its end are taken up to `over`. */
static void advance(Timeline *t, Cycle floor)
{
	Cycle word = floor / 64;
	if (word <= t->word)
		return;
	for (Cycle w = later(t->word + TIMELINE_WORDS, word); w < word + TIMELINE_WORDS; w++)
		t->busy[w % TIMELINE_WORDS] = t->over <= w * 64 ? 0
			: t->over - w * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (t->over - w * 64)) - 1;
	t->word = word;
}

Cycle timeline_book(Timeline *t, Cycle floor, Cycle from, uint64_t n)
{
	advance(t, floor);
	from = later(from, t->word * 64);
	Cycle end = t->word + TIMELINE_WORDS;
	uint64_t mask = ~(uint64_t)0 << from % 64;
	for (Cycle w = from / 64; w < end; w++, mask = ~(uint64_t)0) {
		uint64_t *busy = &t->busy[w % TIMELINE_WORDS], free = ~*busy & mask;
		uint64_t nfree = n == 1 ? free != 0 : bits((uint32_t)free) + bits((uint32_t)(free >> 32));
		if (nfree < n) {
			*busy |= free;
			n -= nfree;
			continue;
		}
		while (--n) {
			*busy |= free & -free;
			free &= free - 1;
		}
		*busy |= free & -free;
		return w * 64 + (Cycle)__builtin_ctzll(free) + 1;
	}
	t->over = later(later(t->over, end * 64), from) + n;
	return t->over;
}

void heap_push(StampHeap *h, Cycle at, uint32_t id)
{
	Stamp s = { at, id };
	vec_reserve(h, h->n + 1);
	int i = h->n++;
	for (int up; i > 0 && heap_before(s, h->v[up = (i - 1) / 2]); i = up)
		h->v[i] = h->v[up];
	h->v[i] = s;
}

Stamp heap_pop(StampHeap *h)
{
	Stamp top = h->v[0], last = h->v[--h->n];
	int i = 0;
	for (int k; (k = 2 * i + 1) < h->n; i = k) {
		if (k + 1 < h->n && heap_before(h->v[k + 1], h->v[k]))
			k++;
		if (!heap_before(h->v[k], last))
			break;
		h->v[i] = h->v[k];
	}
	h->v[i] = last;
	return top;
}
