/* The forms that are tried for a name that is too wide, with 24 columns:

     beginning...end            its beginning and its end;
     beg...differs here...end   if names look alike in the first form: also the place from which on they
                                differ, or up to which they differ;
     beginning..#2..end         if the second form does not tell all of these names apart: a number.

   A name gets a form only when no other name is shown in the same way. */
#include "lib/names.h"
#include "lib/bitset.h"
#include "lib/diag.h"
#include "lib/hash.h"
#include <stdio.h>

static bool continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

int names_columns(const char *s)
{
	int n = 0;
	for (; *s; s++)
		n += !continues(*s);
	return n;
}

/* The byte at which column `col` of the text begins; the text's end when it has fewer columns. */
static size_t byte_at(const char *s, int col)
{
	size_t i = 0;
	for (; s[i] && (col > 0 || continues(s[i])); i++)
		col -= !continues(s[i + 1]);
	return i;
}

/* The byte at which the last n columns of the text begin. */
static size_t byte_from_end(const char *s, size_t bytes, int n)
{
	while (bytes && n > 0)
		n -= !continues(s[--bytes]);
	return bytes;
}

typedef struct ShortNames {
	Arena *arena;
	const char *const *name;
	const char **shown;
	int n, width;
	StrMap taken;                  /* for each form that is shown, the first name that is shown so */
	/* for a long name: the next different one with the same beginning and end; -1 = none */
	int *next;
	size_t *bytes;                 /* length of a long name; 0: the name fits */
} ShortNames;

/* The form of name i that has its beginning, `middle` between dots, and its end. */
static const char *form(const ShortNames *s, int i, const char *middle, int nmiddle)
{
	const char *name = s->name[i];
	int rest = s->width - 3 - (nmiddle ? nmiddle + 3 : 0), tail = rest / 2;
	return arena_printf(s->arena, "%.*s...%s%s%s", (int)byte_at(name, rest - tail), name, middle,
		nmiddle ? "..." : "", name + byte_from_end(name, s->bytes[i], tail));
}

/* The form of name i that has its beginning, a number with two dots on either side, and its end. */
static const char *numbered(const ShortNames *s, int i, int number)
{
	char text[24];
	const char *name = s->name[i];
	int rest = s->width - snprintf(text, sizeof text, "..#%d..", number), tail = rest / 2;
	return arena_printf(s->arena, "%.*s%s%s", (int)byte_at(name, rest - tail), name, text,
		name + byte_from_end(name, s->bytes[i], tail));
}

/* ---- names that look alike ---- */

/* How many bytes all names of the list have in common at their beginning or, with `end`, at their end; only
   whole characters count. */
static size_t common(const ShortNames *s, int first, bool end)
{
	const char *a = s->name[first];
	size_t n = s->bytes[first];
	for (int i = s->next[first]; i >= 0; i = s->next[i]) {
		const char *b = s->name[i];
		size_t k = 0;
		while (k < n && k < s->bytes[i] && (end ? a[s->bytes[first] - 1 - k] == b[s->bytes[i] - 1 - k]
			: a[k] == b[k]))
			k++;
		n = k;
	}
	while (n && continues(end ? a[s->bytes[first] - n] : a[n]))
		n--;
	return n;
}

/* Gives each name of the list the form that shows the place at which the common beginning ends or, with
   `end`, the common end begins. False: some names would still look like others; then none of these forms is
   taken. */
static bool show_place(ShortNames *s, int first, bool end)
{
	int room = s->width - 6, middle = room / 2, before = middle / 4;
	size_t same = common(s, first, end);
	StrMap mine = { 0 };
	bool good = true;
	for (int i = first; i >= 0 && good; i = s->next[i]) {
		const char *name = s->name[i];
		size_t from = byte_from_end(name, end ? s->bytes[i] - same : same,
			end ? middle - before : before);
		const char *text = arena_strndup(s->arena, name + from, byte_at(name + from, middle));
		text = form(s, i, text, names_columns(text));
		good = strmap_get(&s->taken, text) < 0 && strmap_get(&mine, text) < 0;
		strmap_put(&mine, text, i);
		s->shown[i] = text;
	}
	for (int i = first; i >= 0 && good; i = s->next[i])
		strmap_put(&s->taken, s->shown[i], i);
	strmap_free(&mine);
	return good;
}

static void tell_apart(ShortNames *s, int first)
{
	if (show_place(s, first, false) || show_place(s, first, true))
		return;
	int number = 1;
	for (int i = first; i >= 0; i = s->next[i]) {
		const char *text;
		while (strmap_get(&s->taken, text = numbered(s, i, number)) >= 0)
			number++;
		strmap_put(&s->taken, s->shown[i] = text, i);
	}
}

/* ---- all of them ---- */

/* Gives long names their first form. Names whose forms are equal are linked by ShortNames.next; the first one
   of each such list is added to `alike`. of[i]: the first name that is equal to name i. */
static void first_forms(ShortNames *s, const int *of, BitSet alike)
{
	StrMap forms = { 0 };
	int *last = arena_array(s->arena, int, s->n);
	for (int i = 0; i < s->n; i++) {
		s->next[i] = -1;
		if (of[i] != i || s->shown[i])
			continue;
		const char *text = form(s, i, "", 0);
		int k = strmap_get(&forms, text);
		if (k < 0) {
			strmap_put(&forms, text, k = i);
			if (strmap_get(&s->taken, text) >= 0)
				bs_add(alike, i);
		} else {
			s->next[last[k]] = i;
			bs_add(alike, k);
		}
		last[k] = i;
		s->shown[i] = text;
	}
	for (int i = 0; i < s->n; i++)
		if (of[i] == i && s->bytes[i] && !bs_has(alike, i) && strmap_get(&forms, s->shown[i]) == i)
			strmap_put(&s->taken, s->shown[i], i);
	strmap_free(&forms);
}

void names_shown(Arena *arena, const char *const *name, int n, int width, const char **shown)
{
	const char **copy = arena_array(arena, const char *, n);
	ShortNames s = { .arena = arena, .name = copy, .shown = shown, .n = n, .width = width };
	StrMap seen = { 0 };
	must(width >= NAMES_LEAST);
	for (int i = 0; i < n; i++)
		copy[i] = name[i];
	name = copy;
	int *of = arena_array(arena, int, n);
	s.next = arena_array(arena, int, n);
	s.bytes = arena_array(arena, size_t, n);
	BitSet alike = bs_new(arena, n);
	for (int i = 0; i < n; i++) {
		of[i] = strmap_get(&seen, name[i]);
		if (of[i] < 0)
			strmap_put(&seen, name[i], of[i] = i);
		shown[i] = NULL;
		if (names_columns(name[i]) <= width)
			strmap_put(&s.taken, shown[i] = name[i], of[i]);
		else
			s.bytes[i] = strlen(name[i]);
	}
	first_forms(&s, of, alike);
	for (int i = 0; i < n; i++)
		if (bs_has(alike, i))
			tell_apart(&s, i);
	for (int i = 0; i < n; i++)
		shown[i] = shown[of[i]];
	strmap_free(&s.taken);
	strmap_free(&seen);
}
