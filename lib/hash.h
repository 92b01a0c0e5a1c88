/* A map from strings to ints. Keys are not copied: they must live as long as the map. */
#ifndef GSIM_HASH_H
#define GSIM_HASH_H
#include <stddef.h>
#include <stdint.h>

typedef struct StrMap { struct StrSlot *slot; int n, cap; } StrMap; /* zero-initialise */

int strmap_get(const StrMap *, const char *key);                    /* -1 when absent */
int strmap_getn(const StrMap *, const char *key, size_t n);         /* key need not be terminated */
void strmap_put(StrMap *, const char *key, int value);              /* adds or replaces; value >= 0 */
void strmap_free(StrMap *);

/* A hash for tables in memory. Its values differ between hosts, so they must not be stored. */
unsigned long long hash_bytes(const void *, size_t n, unsigned long long seed);
/* FNV-1a with 64 bits: for hashes that are stored in files, which must be the same on every host and in every
   version. */
uint64_t hash_fnv1a(const void *, size_t n);
/* A hash of a large content that may be stored, too: eight bytes at a time, least significant byte first. */
uint64_t hash_content(const void *, size_t n);

/* The name that is nearest to `word` in edit distance, or NULL when none is near; for "did you mean". */
const char *nearest_name(const char *word, const char *const *names, int n);
#endif
