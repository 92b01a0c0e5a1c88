/* Resources in time: cycles taken of a resource, a heap of time stamps, and times counted. */
#include "sim/mem/internal.h"

enum { RING = 64 * TIMELINE_WORDS };

/* Returns a mask of the cycles of word w that come before cycle `end`. */
static uint64_t cycles_before(Cycle w, Cycle end)
{
	return end <= w * 64 ? 0 : end - w * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (end - w * 64)) - 1;
}

/* Moves the ring's start to the word of floor. In words that enter at the ring's end, cycles before `over`
   are taken. */
static __attribute__((noinline)) void advance(Timeline *t, Cycle floor)
{
	Cycle word = floor / 64;
	if (word <= t->word)
		return;
	for (Cycle w = later(t->word + TIMELINE_WORDS, word); w < word + TIMELINE_WORDS; w++) {
		t->closed[w % TIMELINE_WORDS] = t->full[w % TIMELINE_WORDS] = cycles_before(w, t->over);
		memset(t->used + w % TIMELINE_WORDS * 64, 0, 64 * sizeof *t->used);
		if (t->over / 64 == w)
			t->used[t->over % RING] = t->over_used;
	}
	t->word = word;
}

/* As timeline_book, for bytes that are taken behind the ring, where requests follow each other in the order
   of the calls. */
static __attribute__((noinline)) Cycle queue_up(Timeline *t, Cycle from, uint64_t rate, uint64_t bytes)
{
	from = later(from, later(t->over, (t->word + TIMELINE_WORDS) * 64));
	uint64_t all = bytes + (from == t->over ? t->over_used : 0), cycles = (all - 1) / rate,
		last = all - cycles * rate;
	bool closed = last == rate || !cycles;
	t->over = from + cycles + closed;
	t->over_used = closed ? 0 : (uint16_t)last;
	return from + cycles + 1;
}

/* Marks cycles of word w, a bit each, as full. Nobody looks at their `used` any more. */
static inline void mark_full(Timeline *t, Cycle w, uint64_t cycles)
{
	t->closed[w % TIMELINE_WORDS] |= cycles;
	t->full[w % TIMELINE_WORDS] |= cycles;
}

Cycle timeline_search(Timeline *t, Cycle floor, Cycle from, uint64_t rate, uint64_t bytes)
{
	if (floor / 64 > t->word)
		advance(t, floor);
	Cycle first = later(from, t->word * 64), w = first / 64, end = t->word + TIMELINE_WORDS;
	uint64_t open = ~t->closed[w % TIMELINE_WORDS] & ~(uint64_t)0 << first % 64;
	if (w >= end)
		return queue_up(t, from, rate, bytes);
	while (!open && ++w < end)
		open = ~t->closed[w % TIMELINE_WORDS];
	t->closed[w % TIMELINE_WORDS] |= open & -open; /* sets no bit if all words are closed */
	/* takes bytes from the cycle on in which the request begins */
	for (uint64_t mask = -(open & -open); w < end; w++, mask = ~(uint64_t)0) {
		uint64_t taken = 0;
		for (uint64_t free = ~t->full[w % TIMELINE_WORDS] & mask; free; free &= free - 1) {
			Cycle at = w * 64 + (Cycle)__builtin_ctzll(free);
			uint64_t left = rate - t->used[at % RING];
			if (bytes < left) {
				t->used[at % RING] += (uint16_t)bytes;
				mark_full(t, w, taken);
				return at + 1;
			}
			taken |= free & -free;
			bytes -= left;
			if (!bytes) {
				mark_full(t, w, taken);
				return at + 1;
			}
		}
		mark_full(t, w, taken);
	}
	return queue_up(t, from, rate, bytes);
}

void stamp_push(StampHeap *h, Cycle at, uint32_t id)
{
	Stamp s = { at, id };
	vec_reserve(h, h->n + 1);
	int i = h->n++;
	for (int up; i > 0 && heap_before(s, h->v[up = (i - 1) / 2]); i = up)
		h->v[i] = h->v[up];
	h->v[i] = s;
}

/* Puts s into a heap whose top entry is vacant. */
static void sift(StampHeap *h, Stamp s)
{
	int i = 0;
	for (int k; (k = 2 * i + 1) < h->n; i = k) {
		if (k + 1 < h->n && heap_before(h->v[k + 1], h->v[k]))
			k++;
		if (!heap_before(h->v[k], s))
			break;
		h->v[i] = h->v[k];
	}
	h->v[i] = s;
}

Stamp stamp_pop(StampHeap *h)
{
	Stamp top = h->v[0], last = h->v[--h->n];
	sift(h, last);
	return top;
}

void heap_replace(StampHeap *h, Cycle at, uint32_t id) { sift(h, (Stamp){ at, id }); }

/* ---- tally ---- */

static bool is_in_tally(const Tally *t, Cycle at) { return at < t->from + TALLY_CYCLES; }

static void enter_tally(Tally *t, Cycle at)
{
	Cycle k = at % TALLY_CYCLES;
	must(t->count[k] < UINT16_MAX);
	t->count[k]++;
	t->any[k / 64] |= (uint64_t)1 << k % 64;
}

void tally_add(Tally *t, Cycle at)
{
	at = later(at, t->from);
	t->n++;
	if (is_in_tally(t, at))
		enter_tally(t, at);
	else
		stamp_push(&t->far, at, 0);
}

/* The cycles of the word of `from` at which there are times, from `from` on; bit k is cycle k of the word. */
static inline uint64_t marks(const Tally *t, Cycle from)
{
	return t->any[from % TALLY_CYCLES / 64] & ~(uint64_t)0 << from % 64;
}

int tally_expire(Tally *t, Cycle now)
{
	int n = t->n;
	if (now < t->from)
		return 0;
	Cycle end = is_in_tally(t, now) ? now : t->from + TALLY_CYCLES - 1;
	for (Cycle at = t->from; t->n > t->far.n && at <= end; at = at / 64 * 64 + 64)
		for (uint64_t m = marks(t, at); m; m &= m - 1) {
			Cycle k = at / 64 * 64 + (Cycle)__builtin_ctzll(m);
			if (k > end)
				break;
			t->n -= t->count[k % TALLY_CYCLES];
			t->count[k % TALLY_CYCLES] = 0;
			t->any[k % TALLY_CYCLES / 64] &= ~((uint64_t)1 << k % 64);
		}
	t->from = now + 1;
	while (t->far.n && is_in_tally(t, t->far.v[0].at)) {
		Cycle at = stamp_pop(&t->far).at;
		if (at <= now)
			t->n--;
		else
			enter_tally(t, at);
	}
	return n - t->n;
}

Cycle tally_kth(const Tally *t, int k)
{
	if (k > t->n - t->far.n)
		return ~(Cycle)0;
	for (Cycle at = t->from;; at = at / 64 * 64 + 64)
		for (uint64_t m = marks(t, at); m; m &= m - 1) {
			Cycle c = at / 64 * 64 + (Cycle)__builtin_ctzll(m);
			if ((k -= t->count[c % TALLY_CYCLES]) <= 0)
				return c;
		}
}

int tally_least(const Tally *t, int least, Cycle *out)
{
	int n = 0, in_ring = t->n - t->far.n, most = least < in_ring ? least : in_ring;
	for (Cycle at = t->from; n < most; at = at / 64 * 64 + 64)
		for (uint64_t m = marks(t, at); m && n < most; m &= m - 1) {
			Cycle k = at / 64 * 64 + (Cycle)__builtin_ctzll(m);
			for (int i = t->count[k % TALLY_CYCLES]; i; i--)
				out[n++] = k;
		}
	for (int i = 0, all = n < least ? t->far.n : 0; i < all; i++)
		out[n++] = t->far.v[i].at;
	return n;
}

