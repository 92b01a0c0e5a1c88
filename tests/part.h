/* A suite that can run in parts (tests/limited): is thing i one of this part's? All are where no part is
   asked for. */
#ifndef GSIM_TESTS_PART_H
#define GSIM_TESTS_PART_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline bool in_part(int i)
{
	const char *part = getenv("PART");
	int number, count;
	return !part || sscanf(part, "%d/%d", &number, &count) != 2 || i % count == number - 1;
}
#endif
