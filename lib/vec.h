/* Growable arrays: Vec(int) v = {0}; vec_push(&v, 3); v.v[i]; v.n; vec_free(&v). */
#ifndef GSIM_VEC_H
#define GSIM_VEC_H
#include "lib/arena.h"
#include <stdlib.h>
#include <string.h>

#define Vec(T) struct { T *v; int n, cap; }

void vec_grow_(void **v, int *cap, int want, size_t size);

#define vec_reserve(V, N) \
	((N) > (V)->cap ? vec_grow_((void **)&(V)->v, &(V)->cap, (N), sizeof *(V)->v) : (void)0)
#define vec_push(V, X) (vec_reserve((V), (V)->n + 1), (V)->v[(V)->n++] = (X))
#define vec_pop(V) ((V)->v[--(V)->n])
#define vec_last(V) ((V)->v[(V)->n - 1])
#define vec_clear(V) ((V)->n = 0)
#define vec_free(V) (free((V)->v), (V)->v = NULL, (V)->n = (V)->cap = 0)
#define vec_insert(V, I, X) \
	(vec_reserve((V), (V)->n + 1), \
	 memmove((V)->v + (I) + 1, (V)->v + (I), sizeof *(V)->v * (size_t)((V)->n - (I))), \
	 (V)->n++, (V)->v[I] = (X))
#define vec_remove(V, I) \
	(memmove((V)->v + (I), (V)->v + (I) + 1, sizeof *(V)->v * (size_t)((V)->n - (I) - 1)), (V)->n--)
#endif
