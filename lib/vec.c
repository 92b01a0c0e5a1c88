#include "lib/vec.h"

void vec_grow_(void **v, int *cap, int want, size_t size)
{
	int n = *cap ? *cap * 2 : 8;
	while (n < want)
		n *= 2;
	*v = xrealloc(*v, size * (size_t)n);
	*cap = n;
}
