/* Numbers for keys: lists of numbers that are the same list have the same number. */
#ifndef GSIM_KEYS_H
#define GSIM_KEYS_H
#include "lib/arena.h"
#include <stdint.h>

/* The numbers of keys seen so far. The caller sets a, all else is 0 at first. */
typedef struct Keys {
	Arena *a;
	struct Key **bucket, **key;
	int n, cap;
	int64_t *room; int nroom;      /* for a key that is being made (keys_room) */
} Keys;
int keys_number(Keys *, const int64_t *key, int n);  /* of the key: from 0 on, in the order of first sight */
int keys_find(const Keys *, const int64_t *key, int n); /* -1: the key is new */
const int64_t *keys_key(const Keys *, int number);
/* Room for a key of n numbers, which the next call of this may take away. */
int64_t *keys_room(Keys *, int n);
#endif
