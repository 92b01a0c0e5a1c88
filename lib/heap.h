/* A heap of small integers: heap_pop takes the one with the least key. The caller provides the array, with
   room for all that are pushed. */
#ifndef GSIM_HEAP_H
#define GSIM_HEAP_H

static inline void heap_push(int *heap, int *n, const int *key, int x)
{
	int i = (*n)++;
	for (; i > 0 && key[x] < key[heap[(i - 1) / 2]]; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = x;
}

static inline int heap_pop(int *heap, int *n, const int *key)
{
	int least = heap[0], x = heap[--*n], i = 0;
	for (;;) {
		int c = 2 * i + 1;
		if (c >= *n)
			break;
		if (c + 1 < *n && key[heap[c + 1]] < key[heap[c]])
			c++;
		if (key[x] <= key[heap[c]])
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = x;
	return least;
}
#endif
