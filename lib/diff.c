/* E. Myers, An O(ND) Difference Algorithm and Its Variations (1986), in its greedy form. Equal lines at the
 * begin and at the end are left out before. If texts differ by more than MOST lines, all lines between the
 * first and the last one that differ count as replaced. */
#include "lib/diff.h"
#include "lib/arena.h"
#include "lib/vec.h"
#include <stdbool.h>

enum { MOST = 1500 };              /* most lines that go or come; the memory needed grows with its square */

typedef Vec(const char *) Lines;
/* The lines of both texts; for each line of a, whether it goes; for each line of b, whether it comes. */
typedef struct Diff { const char *const *a, *const *b; int na, nb; bool *gone, *come; } Diff;

static void split_lines(Lines *l, char *text)
{
	for (char *end; *text; text = end) {
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = 0;
		vec_push(l, text);
	}
}

/* How many lines from a[at] and b[bt] on are equal. */
static int equal_run(const Diff *d, int at, int bt, int a_end, int b_end)
{
	int n = 0;
	while (at + n < a_end && bt + n < b_end && !strcmp(d->a[at + n], d->b[bt + n]))
		n++;
	return n;
}

static void replace_all(Diff *d, int a0, int a1, int b0, int b1)
{
	for (int k = a0; k < a1; k++)
		d->gone[k] = true;
	for (int k = b0; k < b1; k++)
		d->come[k] = true;
}

/* Marks the changes on the path that has come to line x of a and line y of b, from its end to its begin.
   trace[s][k + s]: the line of a to which the path with s changes on diagonal k (line of a - line of b) has
   come. */
static void walk_back(Diff *d, int **trace, int steps, int a0, int b0, int x, int y)
{
	for (int s = steps; s > 0; s--) {
		const int *v = trace[s - 1] + s - 1;
		int k = x - y;
		bool down = k == -s || (k != s && (k - 1 < -(s - 1) ? -1 : v[k - 1]) < (k + 1 > s - 1 ? -1
			: v[k + 1]));
		int px = down ? v[k + 1] : v[k - 1], py = px - (down ? k + 1 : k - 1);
		if (down)
			d->come[b0 + py] = true;
		else
			d->gone[a0 + px] = true;
		x = px;
		y = py;
	}
}

static void compare_lines(Diff *d, int a0, int a1, int b0, int b1)
{
	Arena arena = { 0 };
	int **trace = arena_array(&arena, int *, MOST + 1);
	for (int s = 0; s <= MOST; s++) {
		int *v = trace[s] = arena_array(&arena, int, 2 * s + 1),
			*last = s ? trace[s - 1] + s - 1 : NULL;
		for (int k = -s; k <= s; k += 2) {
			int left = s && k - 1 >= -(s - 1) ? last[k - 1] : -1,
				right = s && k + 1 <= s - 1 ? last[k + 1] : -1;
			int x = !s ? 0 : k == -s || (k != s && left < right) ? right : left + 1;
			int y = x - k;
			if (x <= a1 - a0 && y <= b1 - b0 && x >= 0 && y >= 0)
				x += equal_run(d, a0 + x, b0 + y, a1, b1);
			v[k + s] = x;
			if (x == a1 - a0 && x - k == b1 - b0) {
				walk_back(d, trace, s, a0, b0, x, x - k);
				arena_free(&arena);
				return;
			}
		}
	}
	arena_free(&arena);
	replace_all(d, a0, a1, b0, b1);
}

typedef struct DiffLine { char sign; const char *text; } DiffLine;

/* Makes one list of both texts: lines that are in both, lines that go, lines that come. */
static DiffLine *merge_lines(const Diff *d, int *n)
{
	DiffLine *line = xmalloc(sizeof *line * (size_t)(d->na + d->nb + 1));
	*n = 0;
	for (int a = 0, b = 0; a < d->na || b < d->nb;) {
		if (a < d->na && d->gone[a])
			line[(*n)++] = (DiffLine){ '-', d->a[a++] };
		else if (b < d->nb && d->come[b])
			line[(*n)++] = (DiffLine){ '+', d->b[b++] };
		else {
			line[(*n)++] = (DiffLine){ ' ', d->a[a++] };
			b++;
		}
	}
	return line;
}

static bool near_change(const DiffLine *line, int n, int k, int context)
{
	for (int j = k < context ? 0 : k - context; j < n && j <= k + context; j++)
		if (line[j].sign != ' ')
			return true;
	return false;
}

static void print_hunks(const DiffLine *line, int n, int context, StrBuf *out)
{
	int a = 1, b = 1;          /* number of the next line in each text */
	for (int k = 0; k < n;) {
		int end = k, na = 0, nb = 0;
		while (end < n && near_change(line, n, end, context)) {
			na += line[end].sign != '+';
			nb += line[end].sign != '-';
			end++;
		}
		if (end > k)
			sb_printf(out, "@@ -%d,%d +%d,%d @@\n", a, na, b, nb);
		for (; k < end; k++)
			sb_printf(out, "%c%s\n", line[k].sign, line[k].text);
		a += na;
		b += nb;
		for (; k < n && !near_change(line, n, k, context); k++) {
			a++;
			b++;
		}
	}
}

static void compare_all(Diff *d)
{
	int first = equal_run(d, 0, 0, d->na, d->nb), a1 = d->na, b1 = d->nb;
	while (a1 > first && b1 > first && !strcmp(d->a[a1 - 1], d->b[b1 - 1])) {
		a1--;
		b1--;
	}
	compare_lines(d, first, a1, first, b1);
}

void diff_lines(const char *const *a, int na, const char *const *b, int nb, bool *gone, bool *come)
{
	Diff d = { a, b, na, nb, gone, come };
	memset(gone, 0, sizeof *gone * (size_t)na);
	memset(come, 0, sizeof *come * (size_t)nb);
	compare_all(&d);
}

void line_diff(const char *before, const char *after, int context, StrBuf *out)
{
	char *x = xstrdup(before), *y = xstrdup(after);
	Lines a = { 0 }, b = { 0 };
	split_lines(&a, x);
	split_lines(&b, y);
	Diff d = { a.v, b.v, a.n, b.n, xcalloc((size_t)a.n + 1, sizeof *d.gone),
		xcalloc((size_t)b.n + 1, sizeof *d.come) };
	compare_all(&d);
	int n;
	DiffLine *line = merge_lines(&d, &n);
	print_hunks(line, n, context, out);
	free(line);
	free(d.gone);
	free(d.come);
	vec_free(&a);
	vec_free(&b);
	free(x);
	free(y);
}
