/* What caches and rows of DRAM hold, kept and put back: runs that shall leave no trace. */
#include "sim/mem/internal.h"

struct MemCopy { Vec(Cache) of; uint64_t *row; size_t rows; };

static void *copy_array(const void *from, size_t bytes)
{
	return from ? memcpy(xmalloc(bytes + 1), from, bytes) : NULL;
}

static void keep_cache(MemCopy *m, const Cache *c)
{
	size_t n = c->sets * c->ways;
	Cache k = *c;
	k.set_generation = copy_array(c->set_generation, c->sets * sizeof *c->set_generation);
	k.tag = copy_array(c->tag, n * sizeof *c->tag);
	k.brief = copy_array(c->brief, n);
	k.used = copy_array(c->used, n * sizeof *c->used);
	k.valid = copy_array(c->valid, n * sizeof *c->valid);
	k.dirty = copy_array(c->dirty, n * sizeof *c->dirty);
	k.ready = NULL;
	vec_push(&m->of, k);
}

/* The cache holds again what it held; all of it counts as arrived. */
static void put_back_cache(Cache *c, const Cache *k)
{
	size_t n = c->sets * c->ways;
	if (!c->sets)
		return;
	memcpy(c->set_generation, k->set_generation, c->sets * sizeof *c->set_generation);
	memcpy(c->tag, k->tag, n * sizeof *c->tag);
	memcpy(c->brief, k->brief, n);
	memcpy(c->used, k->used, n * sizeof *c->used);
	memcpy(c->valid, k->valid, n * sizeof *c->valid);
	memcpy(c->dirty, k->dirty, n * sizeof *c->dirty);
	c->generation = k->generation;
	c->clock = k->clock;
	cache_rewind(c);
}

MemCopy *mem_copy(const MemSystem *m, SmMem *const *sm, int n)
{
	MemCopy *k = xcalloc(1, sizeof *k);
	const L2 *l2 = mem_l2(m);
	const Dram *d = mem_dram(m);
	for (uint64_t i = 0; i < l2->slices; i++)
		keep_cache(k, &l2->slice[i].cache);
	Cache none = { 0 };
	for (int i = 0; i < n; i++)
		keep_cache(k, sm[i] ? &sm[i]->fetch : &none);
	k->rows = d->channels * d->banks;
	k->row = xcalloc(k->rows, sizeof *k->row);
	for (size_t i = 0; i < k->rows; i++)
		k->row[i] = d->bank[i].row;
	return k;
}

void mem_put_back(MemSystem *m, SmMem *const *sm, int n, const MemCopy *k)
{
	const L2 *l2 = mem_l2(m);
	const Cache *c = k->of.v;
	for (uint64_t i = 0; i < l2->slices; i++)
		put_back_cache(&l2->slice[i].cache, c++);
	for (int i = 0; i < n; i++, c++) {
		if (sm[i] && c->sets)
			put_back_cache(&sm[i]->fetch, c);
		else if (sm[i])
			cache_reset(&sm[i]->fetch);
	}
	for (size_t i = 0; i < k->rows; i++)
		mem_dram(m)->bank[i].row = k->row[i];
}

void mem_copy_free(MemCopy *k)
{
	for (int i = 0; i < k->of.n; i++)
		cache_free(&k->of.v[i]);
	vec_free(&k->of);
	free(k->row);
	free(k);
}
