#include "lib/hash.h"
#include "lib/arena.h"
#include <stdlib.h>
#include <string.h>

#define FNV_BASIS 0xcbf29ce484222325u

struct StrSlot { const char *key; int value; };

static uint64_t fnv1a(const unsigned char *s, size_t n, uint64_t h)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ s[i]) * 0x100000001b3u;
	return h;
}

uint64_t hash_fnv1a(const void *p, size_t n) { return fnv1a(p, n, FNV_BASIS); }

static uint64_t mix_word(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

uint64_t hash_content(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = mix_word(FNV_BASIS, n);
	for (size_t i = 0; i < n; i += 8) {
		uint64_t word = 0;
		for (size_t k = n - i < 8 ? n - i : 8; k--;)
			word = word << 8 | s[i + k];
		h = mix_word(h, word);
	}
	return h;
}

/* Hashes eight bytes at a time. */
unsigned long long hash_bytes(const void *p, size_t n, unsigned long long seed)
{
	const unsigned char *s = p;
	uint64_t h = mix_word(seed ^ FNV_BASIS, n), word;
	for (; n >= sizeof word; s += sizeof word, n -= sizeof word) {
		memcpy(&word, s, sizeof word);
		h = mix_word(h, word);
	}
	if (n) {
		word = 0;
		memcpy(&word, s, n);
		h = mix_word(h, word);
	}
	return mix_word(h, 0);
}

static struct StrSlot *find_str_slot(const StrMap *m, const char *key, size_t n)
{
	if (!m->cap)
		return NULL;
	unsigned mask = (unsigned)m->cap - 1;
	for (unsigned i = (unsigned)(hash_bytes(key, n, 0) >> 32) & mask;; i = (i + 1) & mask) {
		struct StrSlot *s = &m->slot[i];
		if (!s->key)
			return NULL;
		if (!strncmp(s->key, key, n) && !s->key[n])
			return s;
	}
}

int strmap_getn(const StrMap *m, const char *key, size_t n)
{
	struct StrSlot *s = find_str_slot(m, key, n);
	return s ? s->value : -1;
}

int strmap_get(const StrMap *m, const char *key) { return strmap_getn(m, key, strlen(key)); }

static void insert(StrMap *m, const char *key, int value)
{
	unsigned mask = (unsigned)m->cap - 1;
	unsigned i = (unsigned)(hash_bytes(key, strlen(key), 0) >> 32) & mask;
	while (m->slot[i].key)
		i = (i + 1) & mask;
	m->slot[i] = (struct StrSlot){ key, value };
	m->n++;
}

void strmap_put(StrMap *m, const char *key, int value)
{
	struct StrSlot *s = find_str_slot(m, key, strlen(key));
	if (s) {
		s->value = value;
		return;
	}
	if (m->n * 2 >= m->cap) {
		StrMap old = *m;
		m->cap = old.cap ? old.cap * 2 : 32;
		m->n = 0;
		m->slot = xcalloc((size_t)m->cap, sizeof *m->slot);
		for (int i = 0; i < old.cap; i++)
			if (old.slot[i].key)
				insert(m, old.slot[i].key, old.slot[i].value);
		free(old.slot);
	}
	insert(m, key, value);
}

void strmap_free(StrMap *m)
{
	free(m->slot);
	*m = (StrMap){ 0 };
}

enum { LONGEST = 63 };

static int edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	int row[LONGEST + 1];
	for (size_t j = 0; j <= m; j++)
		row[j] = (int)j;
	for (size_t i = 1; i <= n; i++) {
		int diagonal = row[0];
		row[0] = (int)i;
		for (size_t j = 1; j <= m; j++) {
			int best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

const char *nearest_name(const char *word, const char *const *names, int n)
{
	const char *best = NULL;
	int least = (int)strlen(word) / 2 + 1;
	for (int i = 0; i < n; i++) {
		int d = edit_distance(word, names[i]);
		if (d < least) {
			least = d;
			best = names[i];
		}
	}
	return best;
}
