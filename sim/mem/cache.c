/* Tags of a sectored, set-associative cache with true LRU. Data live in the memory image.
 *
 * Sets that the current generation has not touched are empty: a reset costs nothing. */
#include "sim/mem/internal.h"

/* EIGHT: ways that a search looks at together where a set has more than FEW_WAYS */
enum { EIGHT = 8, FEW_WAYS = 16 };

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
	c->brief = xcalloc(n + EIGHT, 1);      /* a look at the last ways goes beyond them */
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
	free(c->brief);
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

static inline uint8_t brief_of_line(uint64_t line) { return (uint8_t)(line * 0x9e3779b97f4a7c15u >> 56); }

/* Looks at eight ways at a time: of the bytes of `differ`, those that are 0 belong to ways that may have the
   line. Arithmetic tells where they are, and of some others, too, that may be none. */
static int64_t find_in_many(const Cache *c, size_t i, uint64_t line)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	size_t end = i + c->ways;
	for (uint64_t want = brief_of_line(line) * ones, some; i < end; i += EIGHT) {
		memcpy(&some, c->brief + i, sizeof some);
		uint64_t differ = some ^ want;
		for (uint64_t m = (differ - ones) & ~differ & tops; m; m &= m - 1) {
			size_t k = i + (unsigned)__builtin_ctzll(m) / 8;
			if (k < end && c->tag[k] == line)
				return (int64_t)k;
		}
	}
	return -1;
}

int64_t cache_find(Cache *c, uint64_t line)
{
	size_t i = set_of_line(c, line);
	if (c->ways > FEW_WAYS)
		return find_in_many(c, i, line);
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
	c->brief[i] = brief_of_line(line);
	c->valid[i] = c->dirty[i] = 0;
	cache_touch(c, (int64_t)i);
	return (int64_t)i;
}
