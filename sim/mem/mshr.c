/* Miss status holding registers of L1: one entry for each line on its way, found through a chained hash. */
#include "sim/mem/internal.h"

enum { FIRST_ENTRIES = 16 };          /* most SMs never have many lines on their way */

static inline uint32_t bucket_of_line(const MshrTable *t, uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 40) & t->mask;
}

void mshr_init(MshrTable *t, int64_t limit)
{
	uint32_t buckets = 64;
	*t = (MshrTable){ .limit = (int)limit, .n = (int)limit + MAX_PIECES, .free = -1 };
	while (buckets < (uint32_t)t->n * 2)
		buckets *= 2;
	t->mask = buckets - 1;
}

void mshr_reset(MshrTable *t)
{
	t->used = t->made = 0;
	t->free = -1;
	if (t->head)
		memset(t->head, -1, (t->mask + 1) * sizeof *t->head);
}

/* Makes room for more entries, and for the heads of chains when there has been none. */
static __attribute__((noinline)) void make_room(MshrTable *t)
{
	int room = t->room ? 2 * t->room : FIRST_ENTRIES;
	t->room = room < t->n ? room : t->n;
	t->entry = xrealloc(t->entry, (size_t)t->room * sizeof *t->entry);
	if (t->head)
		return;
	t->head = xmalloc((t->mask + 1) * sizeof *t->head);
	memset(t->head, -1, (t->mask + 1) * sizeof *t->head);
}

/* An entry that has not been used yet. */
static int new_entry(MshrTable *t)
{
	must(t->made < t->n);
	if (t->made == t->room)
		make_room(t);
	t->entry[t->made] = (Mshr){ .next = -1 };
	return t->made++;
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
	int i = t->free >= 0 ? t->free : new_entry(t);
	Mshr *e = &t->entry[i];
	int32_t *head = &t->head[bucket_of_line(t, line)];
	t->free = t->free >= 0 ? e->next : -1;
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
