/* Diffs of random texts: applied to the first they give the second, and no diff has more changes than the
   fewest possible. */
#include "lib/diff.h"
#include "lib/arena.h"
#include "tests/random.h"
#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 12 };

static int random_text(uint64_t *r, char *text, int n)
{
	text[0] = 0;
	for (int k = 0; k < n; k++) {
		char line[3] = { (char)('a' + random_next(r) % 4), '\n', 0 };
		strcat(text, line);
	}
	return n;
}

static int common(const char *a, const char *b) /* longest common subsequence, lines of one letter */
{
	int na = (int)strlen(a) / 2, nb = (int)strlen(b) / 2, t[LINES + 1][LINES + 1] = { { 0 } };
	for (int i = 1; i <= na; i++)
		for (int k = 1; k <= nb; k++)
			t[i][k] = a[2 * i - 2] == b[2 * k - 2] ? t[i - 1][k - 1] + 1
				: t[i - 1][k] > t[i][k - 1] ? t[i - 1][k] : t[i][k - 1];
	return t[na][nb];
}

/* Applies the diff; returns the number of changed lines. */
static int apply(const char *a, const char *diff, char *out)
{
	int at = 0, changes = 0;   /* lines of a that have been copied */
	*out = 0;
	while (*diff) {
		if (*diff == '@') {
			int from, n;
			ck_assert_int_eq(sscanf(diff, "@@ -%d,%d", &from, &n), 2);
			for (; at < from - 1; at++)
				strncat(out, a + 2 * at, 2);
		} else {
			if (*diff != '+') {
				ck_assert_msg(a[2 * at] == diff[1], "line %d", at);
				at++;
			}
			if (*diff != '-')
				strncat(out, diff + 1, 2);
			changes += *diff != ' ';
		}
		diff = strchr(diff, '\n') + 1;
	}
	strcat(out, a + 2 * at);
	return changes;
}

START_TEST(random_texts)
{
	uint64_t r = (uint64_t)_i;
	for (int k = 0; k < 200; k++) {
		char a[64], b[64], c[128];
		int na = random_text(&r, a, (int)(random_next(&r) % (LINES + 1))),
			nb = random_text(&r, b, (int)(random_next(&r) % (LINES + 1)));
		StrBuf s = { 0 };
		line_diff(a, b, (int)(random_next(&r) % 4), &s);
		int changes = apply(a, s.s ? s.s : "", c);
		ck_assert_msg(!strcmp(b, c), "%s---\n%s---\n%s---\n%s", a, b, s.s, c);
		ck_assert_int_eq(changes, na + nb - 2 * common(a, b));
		sb_free(&s);
	}
}
END_TEST

START_TEST(little_in_common)
{
	StrBuf a = { 0 }, b = { 0 }, s = { 0 };
	for (int k = 0; k < 5000; k++) {
		sb_printf(&a, "a%d\n", k);
		sb_printf(&b, "b%d\n", k);
	}
	line_diff(a.s, b.s, 3, &s);
	ck_assert(!strncmp(s.s, "@@ -1,5000 +1,5000 @@\n-a0\n", 26));
	sb_free(&a);
	sb_free(&b);
	sb_free(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("diff");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, random_texts, 0, 20);
	tcase_add_test(t, little_in_common);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
