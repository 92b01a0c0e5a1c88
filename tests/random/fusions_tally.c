/* What passes of fusion did with the random programs, in numbers. */
#include "tests/random/fusions.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static void count(FusionTally *y, StrMap *map, const char *text, uint64_t n)
{
	int k = strmap_get(map, text);
	if (k < 0) {
		char *own = xcalloc(strlen(text) + 1, 1);
		memcpy(own, text, strlen(text));
		k = y->count.n;
		vec_push(&y->count, ((FusionCount){ own, 0 }));
		strmap_put(map, own, k);
	}
	y->count.v[k].n += n;
}

void fusion_count(FusionTally *y, const char *text, uint64_t n) { count(y, &y->what, text, n); }

/* A remark without names of kernels and numbers. */
void fusion_count_remark(FusionTally *y, const char *pass, const char *text)
{
	char plain[160];
	size_t n = (size_t)snprintf(plain, sizeof plain, "%s: ", pass);
	for (const char *s = text; *s && n < sizeof plain - 2; s++) {
		size_t name = strcspn(s, " ,;:)`");
		if (!strncmp(s, "fused_", 6) || (s[0] == 'k' && isdigit((unsigned char)s[1]))) {
			plain[n++] = 'K';
			s += name - 1;
		} else if (isdigit((unsigned char)*s)) {
			plain[n - 1] == '#' ? 0 : (plain[n++] = '#');
		} else {
			plain[n++] = *s;
		}
	}
	plain[n] = 0;
	count(y, &y->why, plain, 1);
}

void fusion_tally_print(const FusionTally *y, bool why)
{
	static const char *const name[FUSION_VARIANTS] =
		{ "kf-trad", "bkf", "fkf", "kfcm", "with options", "no-grid-sync", "among others" };
	for (int v = 0; v < FUSION_VARIANTS; v++) {
		const struct FusionWayTally *x = &y->by[v];
		printf("%s: %llu of %llu programs changed; %llu launches executed, %llu before; %llu of "
			"fused kernels, %llu with all accesses, %llu with a barrier of the grid, %llu with a "
			"conflict between blocks, races found in %llu, none for %llu\n", name[v],
			(unsigned long long)x->changed, (unsigned long long)x->programs,
			(unsigned long long)x->executed, (unsigned long long)x->before,
			(unsigned long long)x->fused, (unsigned long long)x->whole,
			(unsigned long long)x->barriers, (unsigned long long)x->conflicts,
			(unsigned long long)x->races, (unsigned long long)x->missed);
	}
	for (int k = 0; k < y->count.n; k++)
		if (why || strmap_get(&y->what, y->count.v[k].text) == k)
			printf("%10llu %s\n", (unsigned long long)y->count.v[k].n, y->count.v[k].text);
}

void fusion_tally_free(FusionTally *y)
{
	strmap_free(&y->what);
	strmap_free(&y->why);
	for (int k = 0; k < y->count.n; k++)
		free((char *)y->count.v[k].text);
	vec_free(&y->count);
}
