/* Names in columns: the shown ones are no wider than the column, different for different names, equal for
   equal ones. */
#include "lib/names.h"
#include "tests/random.h"
#include "tests/check.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 60, LONGEST = 300 };

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name as mangled C++ names, labels and pipelines are: a few parts again and again, here and there another
   letter. */
static const char *random_name(Arena *a, uint64_t *state, int kind)
{
	static const char *const part[] = { "transform", "_Z6kernel", "IfLi16E", "(policy=volta_lifo)", ",",
		"...", "..#1..", "x", "\xc3\xa4", "bb", "dce" };
	char text[LONGEST + 64] = "";
	int n = kind == 0 ? 2 : (int)(random_next(state) % 20);
	for (int k = 0; k < n; k++)
		strcat(text, part[random_next(state) % (kind == 2 ? 3 : 11)]);
	if (kind == 3) /* one letter of many differs */
		for (int k = (int)strlen(text); k < LONGEST; k++)
			memcpy(text + k, k == 40 + (int)(random_next(state) % 200) ? "b" : "a", 2);
	return arena_strdup(a, text);
}

/* What shows of n names: no wider than it may be, and as many different texts as there are different
   names. */
static void holds(const char *const *name, int n, int width, const char *what)
{
	Arena a = { 0 };
	const char **shown = arena_array(&a, const char *, n);
	names_shown(&a, name, n, width, shown);
	for (int i = 0; i < n; i++) {
		ck_assert_msg(names_columns(shown[i]) <= width, "%s: %d columns, not %d: %s", what,
			names_columns(shown[i]), width, shown[i]);
		ck_assert_msg(names_columns(name[i]) > width || !strcmp(name[i], shown[i]),
			"%s: '%s' is shown as '%s'", what, name[i], shown[i]);
		for (int k = 0; k < i; k++)
			if (!strcmp(name[i], name[k]) != !strcmp(shown[i], shown[k]))
				ck_abort_msg("%s: '%s' and '%s' are shown as '%s' and '%s'", what, name[k],
					name[i], shown[k], shown[i]);
	}
	arena_free(&a);
}

START_TEST(random_sets)
{
	uint64_t state = (uint64_t)_i;
	for (int round = 0; round < 40; round++) {
		Arena a = { 0 };
		const char *name[NAMES];
		int kind = round % 4, width = NAMES_LEAST + (int)(random_next(&state) % 40);
		for (int i = 0; i < NAMES; i++)
			name[i] = random_name(&a, &state, kind);
		for (int i = 0; i < NAMES / 8; i++) { /* a form of another name as a name */
			const char *shown;
			names_shown(&a, &name[i + 20], 1, width, &shown);
			name[i] = shown;
		}
		char what[60];
		snprintf(what, sizeof what, "seed %d, round %d", _i, round);
		holds(name, NAMES, width, what);
		qsort(name, NAMES, sizeof *name, by_text);
		holds(name, NAMES, width, what);
		arena_free(&a);
	}
}
END_TEST

/* What differs is shown: at the end, in the middle, and behind a long beginning. */
START_TEST(differences_are_visible)
{
	static const struct { const char *name[2], *shown[2]; } want[] = {
		{ { "a_kernel_of_a_rather_long_name_for_floats",
			"a_kernel_of_a_rather_long_name_for_doubles" },
			{ "a_kernel_of..._for_floats", "a_kernel_of...for_doubles" } },
		{ { "linearize(opt=1),simplify-cfg,copy-prop,dce",
			"linearize(opt=1),if-convert,copy-prop,dce" },
			{ "linea...),simplif...,dce", "linea...),if-conv...,dce" } },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		Arena a = { 0 };
		const char *shown[2];
		names_shown(&a, want[k].name, 2, k ? 24 : 25, shown);
		for (int i = 0; i < 2; i++)
			ck_assert_str_eq(shown[i], want[k].shown[i]);
		arena_free(&a);
	}
}
END_TEST

/* Ten thousand names that have all but a number in the middle in common: in a moment. */
START_TEST(many_names)
{
	enum { MANY = 10000 };
	Arena a = { 0 };
	const char **name = arena_array(&a, const char *, MANY),
		**shown = arena_array(&a, const char *, MANY);
	for (int i = 0; i < MANY; i++)
		name[i] = arena_printf(&a, "a beginning that all of them have %d and an end that all of them "
			"have, with %d", i, i % 7 + i / 9000);
	names_shown(&a, name, MANY, 40, shown);
	qsort(shown, MANY, sizeof *shown, by_text);
	for (int i = 1; i < MANY; i++)
		if (!strcmp(shown[i - 1], shown[i]))
			ck_abort_msg("two names are shown as '%s'", shown[i]);
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("names");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, random_sets, 0, 20);
	tcase_add_test(t, differences_are_visible);
	tcase_add_test(t, many_names);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
