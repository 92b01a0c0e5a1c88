#include "lib/arena.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the first chunk, most bytes of a chunk; chunks between are as large as the arena is. A larger
   piece gets a chunk of its own size. */
enum { FIRST = 2 * 1024, CHUNK = 64 * 1024 };

struct ArenaChunk { ArenaChunk *next; size_t used, size; char *base; };

static void *or_die(void *p)
{
	if (!p) {
		fputs("gsim: out of host memory\n", stderr);
		abort();
	}
	return p;
}

void *xmalloc(size_t n) { return or_die(malloc(n ? n : 1)); }
void *xcalloc(size_t n, size_t size) { return or_die(calloc(n ? n : 1, size ? size : 1)); }
void *xrealloc(void *p, size_t n) { return or_die(realloc(p, n ? n : 1)); }
char *xstrdup(const char *s) { return or_die(strdup(s)); }

static ArenaChunk *add_chunk(Arena *a, size_t bytes)
{
	size_t size = a->total < FIRST ? FIRST : a->total < CHUNK ? a->total : CHUNK;
	size = bytes + 64 > size ? bytes + 64 : size;
	ArenaChunk *c = xmalloc(sizeof *c);
	c->base = xcalloc(1, size);
	c->used = 0;
	c->size = size;
	c->next = a->chunk;
	return a->chunk = c;
}

void *arena_alloc(Arena *a, size_t bytes)
{
	size_t align = bytes >= 64 ? 64 : 16;
	ArenaChunk *c = a->chunk;
	for (;;) {
		if (c) {
			size_t start = (size_t)(-(uintptr_t)(c->base + c->used) & (align - 1)) + c->used;
			if (start <= c->size && bytes <= c->size - start) {
				c->used = start + bytes;
				a->total += bytes;
				return c->base + start;
			}
		}
		c = add_chunk(a, bytes);
	}
}

char *arena_strndup(Arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);
	memcpy(p, s, n);
	return p;
}

char *arena_strdup(Arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_printf(Arena *a, const char *fmt, ...)
{
	va_list ap, aq;
	va_start(ap, fmt);
	va_copy(aq, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, aq);
	va_end(aq);
	return p;
}

void arena_join(Arena *to, Arena *from)
{
	ArenaChunk *last = from->chunk;
	while (last && last->next)
		last = last->next;
	if (last && to->chunk) { /* the first chunk of `to` stays the first, since it may still have room */
		last->next = to->chunk->next;
		to->chunk->next = from->chunk;
	} else if (last) {
		to->chunk = from->chunk;
	}
	to->total += from->total;
	*from = (Arena){ 0 };
}

void arena_free(Arena *a)
{
	for (ArenaChunk *c = a->chunk, *next; c; c = next) {
		next = c->next;
		free(c->base);
		free(c);
	}
	a->chunk = NULL;
	a->total = 0;
}
