/* Tags of a sectored, set-associative cache with true LRU. Data live in the memory image.
 *
 * Sets that the current generation has not touched are empty: a reset costs nothing. */
#include "sim/mem/internal.h"

void cache_init(Cache *c, int64_t bytes, int64_t line, int64_t sector, int64_t ways, bool with_ready)
{
	*c = (Cache){ 0 };
	if (!bytes)
		return;
	int64_t lines = bytes < line ? 1 : bytes / line;
	c->ways = (unsigned)(ways < lines ? ways : lines);
	c->sets = (uint64_t)lines / c->ways;
	c->mask = c->sets & (c->sets - 1) ? 0 : c->sets - 1;
	c->sectors = (unsigned)(line / sector);
	size_t n = c->sets * c->ways;
	c->set_generation = xcalloc(c->sets, sizeof *c->set_generation);
	c->tag = xmalloc(n * sizeof *c->tag);
	c->used = xmalloc(n * sizeof *c->used);
	c->valid = xmalloc(n * sizeof *c->valid);
	c->dirty = xmalloc(n * sizeof *c->dirty);
	if (with_ready)
		c->ready = xmalloc(n * c->sectors * sizeof *c->ready);
	c->generation = 1;
}

void cache_reset(Cache *c)
{
	if (c->sets && !++c->generation) {
		memset(c->set_generation, 0, c->sets * sizeof *c->set_generation);
		c->generation = 1;
	}
}

void cache_drop_below(Cache *c, uint64_t line)
{
	for (uint64_t set = 0; set < c->sets; set++)
		for (size_t i = set * c->ways; c->set_generation[set] == c->generation &&
			i < (set + 1) * c->ways; i++)
			if (c->tag[i] < line) {
				c->tag[i] = NO_LINE;
				c->used[i] = 0;
				c->valid[i] = 0;
			}
}

void cache_rewind(Cache *c)
{
	if (c->ready)
		memset(c->ready, 0, c->sets * c->ways * c->sectors * sizeof *c->ready);
}

void cache_free(Cache *c)
{
	free(c->set_generation);
	free(c->tag);
	free(c->used);
	free(c->valid);
	free(c->dirty);
	free(c->ready);
}

/* Returns the index of the first way of the line's set. A set of an older generation is emptied first. */
static inline size_t set_of_line(Cache *c, uint64_t line)
{
	uint64_t set = c->mask || c->sets == 1 ? line & c->mask : line % c->sets;
	size_t i = set * c->ways;
	if (c->set_generation[set] != c->generation) {
		c->set_generation[set] = c->generation;
		memset(c->tag + i, 0xff, c->ways * sizeof *c->tag);
		memset(c->used + i, 0, c->ways * sizeof *c->used);
		memset(c->dirty + i, 0, c->ways * sizeof *c->dirty);
	}
	return i;
}

int64_t cache_find(Cache *c, uint64_t line)
{
	size_t i = set_of_line(c, line);
	for (unsigned w = 0; w < c->ways; w++)
		if (c->tag[i + w] == line)
			return (int64_t)(i + w);
	return -1;
}

int64_t cache_place(Cache *c, uint64_t line, Victim *victim)
{
	size_t first = set_of_line(c, line), i = first;
	for (unsigned w = 1; w < c->ways; w++)
		if (c->used[first + w] < c->used[i])
			i = first + w;
	*victim = (Victim){ c->tag[i], c->dirty[i] };
	c->tag[i] = line;
	c->valid[i] = c->dirty[i] = 0;
	cache_touch(c, (int64_t)i);
	return (int64_t)i;
}
