#include "lib/vec.h"

/* With the address sanitizer, vectors of fewer than TIGHT elements grow by just what is wanted. So they move
   at nearly every push, and the sanitizer finds the use of an old pointer into one at once. */
#ifdef __SANITIZE_ADDRESS__
enum { TIGHT = 512 };
#else
enum { TIGHT = 0 };
#endif

void vec_grow_(void **v, int *cap, int want, size_t size)
{
	int n = want < TIGHT ? want : *cap ? *cap * 2 : 8;
	while (n < want)
		n *= 2;
	*v = xrealloc(*v, size * (size_t)n);
	*cap = n;
}
