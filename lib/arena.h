/* Arena: pieces of memory that are all freed at once. Allocation never fails: if the host's memory runs out,
   the program ends.

   lib/ has what any program may need: memory, texts, tables, messages, JSON. It knows nothing of GPUs and
   includes no other folder. */
#ifndef GSIM_ARENA_H
#define GSIM_ARENA_H
#include <stdarg.h>
#include <stddef.h>

typedef struct ArenaChunk ArenaChunk;
/* zero-initialise; total = bytes handed out */
typedef struct Arena { ArenaChunk *chunk; size_t total; } Arena;

void *arena_alloc(Arena *, size_t bytes);              /* zeroed, 64-byte aligned when bytes >= 64, else 16 */
char *arena_strdup(Arena *, const char *);
char *arena_strndup(Arena *, const char *, size_t n);
char *arena_printf(Arena *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* moves all memory of `from` to `to`; empties `from` */
void arena_join(Arena *to, Arena *from);
void arena_free(Arena *);                                      /* leaves an empty, usable arena */

#define arena_new(A, T) ((T *)arena_alloc((A), sizeof(T)))
#define arena_array(A, T, N) ((T *)arena_alloc((A), sizeof(T) * (size_t)(N)))

void *xmalloc(size_t);                 /* malloc and friends that end the program when memory runs out */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *, size_t);
char *xstrdup(const char *);
#endif
