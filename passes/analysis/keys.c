#include "passes/analysis/keys.h"
#include "lib/hash.h"
#include <string.h>

struct Key { struct Key *next; int number, n; int64_t v[]; };

static struct Key *look_up_key(const Keys *k, const int64_t *key, int n)
{
	if (!k->cap)
		return NULL;
	struct Key *x = k->bucket[hash_bytes(key, sizeof *key * (size_t)n, 1) % (unsigned)k->cap];
	while (x && (x->n != n || memcmp(x->v, key, sizeof *key * (size_t)n)))
		x = x->next;
	return x;
}

static void enter_key(Keys *k, struct Key *x)
{
	struct Key **b = &k->bucket[hash_bytes(x->v, sizeof *x->v * (size_t)x->n, 1) % (unsigned)k->cap];
	x->next = *b;
	*b = x;
}

int keys_find(const Keys *k, const int64_t *key, int n)
{
	const struct Key *x = look_up_key(k, key, n);
	return x ? x->number : -1;
}

const int64_t *keys_key(const Keys *k, int number) { return k->key[number]->v; }

static void grow_keys(Keys *k)
{
	struct Key **old = k->key;
	k->cap = k->cap ? 4 * k->cap : 64;
	k->bucket = arena_array(k->a, struct Key *, k->cap);
	k->key = arena_array(k->a, struct Key *, k->cap);
	for (int x = 0; x < k->n; x++) {
		k->key[x] = old[x];
		enter_key(k, old[x]);
	}
}

int keys_number(Keys *k, const int64_t *key, int n)
{
	int known = keys_find(k, key, n);
	if (known >= 0)
		return known;
	if (k->n >= k->cap)
		grow_keys(k);
	struct Key *x = arena_alloc(k->a, sizeof *x + sizeof *key * (size_t)n);
	x->number = k->n++;
	x->n = n;
	memcpy(x->v, key, sizeof *key * (size_t)n);
	k->key[x->number] = x;
	enter_key(k, x);
	return x->number;
}

int64_t *keys_room(Keys *k, int n)
{
	if (n > k->nroom) {
		k->nroom = 2 * n;
		k->room = arena_array(k->a, int64_t, k->nroom);
	}
	return k->room;
}
