#include "tools/usage.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "lib/output.h"
#include "lib/hash.h"
#include "lib/vec.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int usage_wrong(const char *program, const char *what, const char *which)
{
	output_printf(stderr, "error: %s%s; see %s --help\n", what, which, program);
	return 2;
}

/* As getopt_long wants it. What stands in brackets may be left out. */
static int has_argument(const UsageRow *r)
{
	return !r->argument ? no_argument : *r->argument == '[' ? optional_argument : required_argument;
}

void usage_tables(const UsageProgram *p, char *letters, struct option *longs)
{
	char *next = letters;
	must(p->nrows <= USAGE_ROWS_MOST);
	*next++ = ':';
	for (int i = 0; i < p->nrows; i++) {
		const UsageRow *r = &p->row[i];
		if (r->letter < 128) {
			*next++ = (char)r->letter;
			if (r->argument)
				*next++ = ':';
		}
		longs[i] = (struct option){ r->name, has_argument(r), NULL, r->letter };
	}
	*next = 0;
	longs[p->nrows] = (struct option){ 0 };
}

bool usage_folder(const char *option, const char *path)
{
	bool good = !path || file_is_folder(path);
	if (!good)
		output_printf(stderr, "error: %s %s: expected a folder\n", option, path);
	return good;
}

bool usage_number(const char *text, long most, int *out)
{
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);
	*out = (int)n;
	return !errno && end != text && !*end && n >= 1 && n <= most;
}

bool usage_count(const char *text, long most, int *out)
{
	*out = 0;
	return !strcmp(text, "0") || usage_number(text, most, out);
}

bool usage_twice(const char *program, const struct option *longs, int letter, uint64_t *given)
{
	int k = 0;
	while (longs[k].name && longs[k].val != letter)
		k++;
	must(k < 64);
	if (!longs[k].name || longs[k].has_arg != required_argument)
		return false;
	char name[40];
	bool twice = *given >> k & 1;
	*given |= (uint64_t)1 << k;
	snprintf(name, sizeof name, "--%s", longs[k].name);
	if (twice)
		usage_wrong(program, name, " is given more than once");
	return twice;
}

bool usage_two_forms(const char *program, const char **form, const char *name)
{
	char text[80];
	bool two = *form && strcmp(*form, name);
	snprintf(text, sizeof text, "%s and %s exclude each other", two ? *form : "", name);
	if (two)
		usage_wrong(program, text, "");
	*form = name;
	return two;
}

/* A long option that is none: it is the beginning of several, or like another. */
static void explain(const char *word, const struct option *longs, char *text, size_t room)
{
	Vec(const char *) names = { 0 };
	size_t n = strcspn(word, "="), used;
	int several = 0;
	for (const struct option *o = longs; o->name; o++) {
		vec_push(&names, o->name);
		several += !strncmp(o->name, word, n);
	}
	used = (size_t)snprintf(text, room, "%s option --%.60s", several ? "ambiguous" : "unknown", word);
	for (int i = 0, k = 0; several && i < names.n && used < room; i++)
		if (!strncmp(names.v[i], word, n))
			used += (size_t)snprintf(text + used, room - used, "%s--%s", k++ ? ", " : ": ",
				names.v[i]);
	const char *near = several ? NULL : nearest_name(word, names.v, names.n);
	if (near)
		snprintf(text + used, room - used, "; did you mean --%s?", near);
	vec_free(&names);
}

int usage_option(const char *program, char *const *argv, const struct option *longs, int letter)
{
	const char *word = argv[optind - 1];
	char text[400];
	if (letter == ':')
		return usage_wrong(program, "an argument is missing after ", word);
	if (optopt && !strncmp(word, "--", 2))
		return usage_wrong(program, "no argument belongs to ", word);
	if (optopt)
		snprintf(text, sizeof text, "unknown option -%c", optopt);
	else
		explain(word + 2, longs, text, sizeof text);
	return usage_wrong(program, text, "");
}
