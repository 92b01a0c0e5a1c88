/* What the stand-in of the CUDA driver is to do wrong, from the environment's STAND_IN: words with blanks
 * between.
 *   fail=CALL:N     call number N, from 1, of CALL returns an error (CUDA_ERROR_UNKNOWN)
 *   without=CALL    stand_in_find does not have it
 *   wrong=KERNEL    after each launch of it a bit of what its arguments point to is another
 *   hang=KERNEL     a launch of it does not end
 *   die=KERNEL      a launch of it kills the process
 *   slow=KERNEL     a launch of it ends after 0.1 s
 *   elsewhere       reserved addresses are not those that were wished for
 *   capability=75   the GPU's compute capability is 7.5, not 9.0
 *   none            there is no GPU */
#ifndef STAND_IN_TOLD_H
#define STAND_IN_TOLD_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 64 };

/* The value of the word, or NULL. */
static const char *told_word(const char *word)
{
	static char value[200];
	const char *all = getenv("STAND_IN");
	size_t n = strlen(word);
	for (const char *p = all ? all : ""; *p; p += strcspn(p, " "), p += *p == ' ')
		if (!strncmp(p, word, n) && (p[n] == '=' || p[n] == ' ' || !p[n])) {
			size_t length = p[n] == '=' ? strcspn(p + n + 1, " ") : 0;
			snprintf(value, sizeof value, "%.*s", (int)length, p + n + (p[n] == '='));
			return value;
		}
	return NULL;
}

static bool told_of(const char *word, const char *name)
{
	const char *value = told_word(word);
	return value && !strcmp(value, name);
}

/* Counts a call. True: it is to fail. */
static bool count_call(const char *name)
{
	static struct { const char *name; int n; } count[MOST_CALLS];
	const char *value = told_word("fail"), *colon = value ? strchr(value, ':') : NULL;
	int i = 0;
	if (!strcmp(name, "cuInit"))
		memset(count, 0, sizeof count);
	while (count[i].name && strcmp(count[i].name, name))
		i++;
	count[i].name = name;
	count[i].n++;
	return colon && !strncmp(value, name, (size_t)(colon - value)) && !name[colon - value] &&
		count[i].n == atoi(colon + 1);
}
#endif
