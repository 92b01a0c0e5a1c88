/* Miss status holding registers of L1: one entry for each line on its way, found through a chained hash. */
#include "sim/mem/internal.h"

static inline uint32_t bucket_of_line(const MshrTable *t, uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 40) & t->mask;
}

void mshr_init(MshrTable *t, int64_t limit)
{
	uint32_t buckets = 64;
	*t = (MshrTable){ .limit = (int)limit, .n = (int)limit + MAX_PIECES };
	while (buckets < (uint32_t)t->n * 2)
		buckets *= 2;
	t->mask = buckets - 1;
	t->entry = xcalloc((size_t)t->n, sizeof *t->entry);
	t->head = xcalloc(buckets, sizeof *t->head);
	mshr_reset(t);
}

void mshr_reset(MshrTable *t)
{
	t->used = 0;
	t->free = 0;
	for (int i = 0; i < t->n; i++)
		t->entry[i].next = i + 1 < t->n ? i + 1 : -1;
	memset(t->head, -1, (t->mask + 1) * sizeof *t->head);
}

void mshr_free(MshrTable *t)
{
	free(t->entry);
	free(t->head);
}

int mshr_find(const MshrTable *t, uint64_t line)
{
	if (!t->used)
		return -1;
	int i = t->head[bucket_of_line(t, line)];
	while (i >= 0 && t->entry[i].line != line)
		i = t->entry[i].next;
	return i;
}

int mshr_take(MshrTable *t, uint64_t line)
{
	int i = t->free;
	must(i >= 0);
	Mshr *e = &t->entry[i];
	int32_t *head = &t->head[bucket_of_line(t, line)];
	t->free = e->next;
	t->used++;
	e->line = line;
	e->pending = e->collected = 0;
	e->next = *head;
	*head = i;
	return i;
}

void mshr_drop(MshrTable *t, int i)
{
	Mshr *e = &t->entry[i];
	int32_t *link = &t->head[bucket_of_line(t, e->line)];
	while (*link != i)
		link = &t->entry[*link].next;
	*link = e->next;
	e->next = t->free;
	t->free = i;
	t->used--;
}
