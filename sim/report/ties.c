#include "sim/report/ties.h"
#include "passes/pass.h"
#include "sim/report/sheet.h"

/* Widths that keep the table within the screen: of names in a column, and beside one of passes. */
enum { MOST_JOINED = 15, MOST_BESIDE_PASSES = 12, INDENT = 2 };

/* ---- which rows tie ---- */

static bool is_same_value(const JsonValue *a, const JsonValue *b)
{
	bool same = a && b && a->kind == b->kind && a->n == b->n;
	if (!same || (a->kind != JSON_ARRAY && a->kind != JSON_OBJECT))
		return same && !strcmp(json_shown(a), json_shown(b));
	for (int i = 0; i < a->n && same; i++)
		same = is_same_value(&a->item[i], a->kind == JSON_ARRAY || !strcmp(a->key[i], b->key[i])
			? &b->item[i] : json_get(b, a->key[i]));
	return same;
}

/* Does the figure of a launch's divergence say what the mechanism's structure did, and not what became of
   lanes? */
static bool is_of_structure(const char *key)
{
	return !strcmp(key, "pushes") || !strcmp(key, "pops") || !strcmp(key, "merges");
}

/* Are the figures of divergence equal, but those of the structure, or only these? */
static bool is_same_divergence(const JsonValue *a, const JsonValue *b, bool of_structure)
{
	bool same = a && b && a->kind == JSON_OBJECT && b->kind == JSON_OBJECT && a->n == b->n;
	for (int i = 0; same && i < a->n; i++)
		if (is_of_structure(a->key[i]) == of_structure)
			same = is_same_value(&a->item[i], json_get(b, a->key[i]));
	return same;
}

static bool is_same_launch(const JsonValue *a, const JsonValue *b)
{
	bool same = a->kind == JSON_OBJECT && b->kind == JSON_OBJECT && a->n == b->n;
	for (int i = 0; same && i < a->n; i++) {
		const JsonValue *other = !strcmp(a->key[i], b->key[i]) ? &b->item[i] : json_get(b, a->key[i]);
		same = strcmp(a->key[i], "divergence") ? is_same_value(&a->item[i], other)
			: is_same_divergence(&a->item[i], other, false);
	}
	return same;
}

/* The launch of the table's kernel in the run, from number *i of its launches on; *i moves behind it. NULL:
   there is none. */
static const JsonValue *next_launch(const GridTable *t, const JsonValue *run, int *i)
{
	const JsonValue *all = json_get(run, "launches");
	while (t->kernel && all && all->kind == JSON_ARRAY && *i < all->n) {
		const JsonValue *l = &all->item[(*i)++];
		if (!strcmp(json_string(l, "kernel"), t->kernel))
			return l;
	}
	return NULL;
}

static bool has_ended_well(const Cell *c)
{
	Arena a = { 0 };
	bool well = c->completed && c->launches && !*grid_outcome(&a, c);
	arena_free(&a);
	return well;
}

static bool has_tie(const GridTable *t, const Cell *x, const Cell *y)
{
	int i = 0, k = 0;
	const JsonValue *a = NULL, *b = NULL;
	bool same = x->launches == y->launches && x->v[CYCLES] == y->v[CYCLES] &&
		x->v[WARP_INSTRUCTIONS] == y->v[WARP_INSTRUCTIONS];
	while (same && (a = next_launch(t, x->run, &i)) && (b = next_launch(t, y->run, &k)))
		same = is_same_launch(a, b);
	return same;
}

int *ties_find(const GridTable *t)
{
	int *first = xcalloc((size_t)t->n + 1, sizeof *first);
	bool *well = xcalloc((size_t)t->n + 1, sizeof *well);
	for (int i = 0; i < t->n; i++) {
		first[i] = i;
		well[i] = has_ended_well(&t->cell[i]);
		for (int k = 0; k < i && well[i] && first[i] == i; k++)
			if (well[k] && first[k] == k && has_tie(t, &t->cell[k], &t->cell[i]))
				first[i] = k;
	}
	free(well);
	return first;
}

/* ---- why ---- */

typedef enum { TIES_IN_MODEL, TIES_IN_PASSES } Choice;
static const char *choice_of(const Cell *c, Choice choice)
{
	return choice == TIES_IN_MODEL ? grid_model(c) : grid_passes(c);
}

/* Have rows that tie with this one another mechanism, or other passes? */
static bool ties_differ(const GridTable *t, const int *first, int row, Choice choice)
{
	for (int i = row + 1; i < t->n; i++)
		if (first[i] == row &&
			strcmp(choice_of(&t->cell[i], choice), choice_of(&t->cell[row], choice)))
			return true;
	return false;
}

static bool ties_but_structure(const GridTable *t, const int *first, int row)
{
	const JsonValue *a, *b;
	for (int i = row + 1; i < t->n; i++)
		for (int x = 0, y = 0; first[i] == row && (a = next_launch(t, t->cell[row].run, &x)) &&
			(b = next_launch(t, t->cell[i].run, &y));)
			if (!is_same_divergence(json_get(a, "divergence"), json_get(b, "divergence"), true))
				return true;
	return false;
}

/* Counts the branches, copies in the source, at which lanes have parted, and the places where these have met.
   False: the report does not have these. */
static bool count_partings(const GridTable *t, int row, int *parted, int *met)
{
	const JsonValue *l;
	for (int i = 0; (l = next_launch(t, t->cell[row].run, &i));) {
		const JsonValue *branches = json_get(l, "branches"), *places;
		if (!branches || branches->kind != JSON_ARRAY)
			return false;
		for (int k = 0; k < branches->n; k++) {
			places = json_get(&branches->item[k], "met");
			*parted += json_number(&branches->item[k], "partings") > 0;
			*met += places && places->kind == JSON_ARRAY ? places->n : 0;
		}
	}
	return true;
}

/* Why mechanisms tie: these differ in nothing but what becomes of lanes that part. "": it is not known. */
static const char *why_models_tie(const GridTable *t, int row)
{
	const Cell *c = &t->cell[row];
	int parted = 0, met = 0;
	const JsonValue *l;
	double lost = 0;
	bool known = c->known[DIVERGENT];
	for (int i = 0; (l = next_launch(t, c->run, &i)); lost += json_number(l, "lanes.parted"))
		known &= json_is_number(json_path(l, "lanes.parted"));
	if (known && c->v[DIVERGENT] == 0 && lost == 0)
		return "no branch diverged";
	if (!count_partings(t, row, &parted, &met))
		return "";
	return met ? "lanes that part meet again at the same places"
		: known && lost == 0 ? "no lane was lost to a branch" : "";
}

/* Have all passes of the run said that they changed nothing? A report of another version may have passes that
   this one does not know. */
static bool has_idle_passes(const Cell *c)
{
	const JsonValue *idle = json_get(c->run, "idle_passes");
	const char *passes = json_string(c->run, "passes");
	Diag d = { 0 };
	bool all = !*passes || (idle && idle->kind == JSON_ARRAY && pipeline_check(passes, &d) &&
		idle->n == pipeline_steps(passes));
	diag_free(&d);
	return all;
}

static const char *why_passes_tie(const GridTable *t, const int *first, int row)
{
	for (int i = row; i < t->n; i++)
		if (first[i] == row && !has_idle_passes(&t->cell[i]))
			return "";
	return "the passes changed nothing";
}

/* ---- text ---- */

static int count_ties(const GridTable *t, const int *first, int row)
{
	int n = 0;
	for (int i = row; i < t->n; i++)
		n += first[i] == row;
	return n;
}

/* The different choices of the rows that tie, in their order; how many these are in *n. */
static const char *join_ties(Arena *a, const GridTable *t, const int *first, int row, Choice choice, int *n)
{
	StrBuf b = { 0 };
	*n = 0;
	for (int i = row; i < t->n; i++) {
		bool seen = first[i] != row;
		for (int k = row; k < i && !seen; k++)
			seen = first[k] == row &&
				!strcmp(choice_of(&t->cell[k], choice), choice_of(&t->cell[i], choice));
		if (!seen)
			sb_printf(&b, "%s%s", (*n)++ ? ", " : "", choice_of(&t->cell[i], choice));
	}
	const char *text = arena_strdup(a, b.s);
	sb_free(&b);
	return text;
}

static const char *name_ties(Arena *a, const GridTable *t, const int *first, int row, Choice choice,
	int most)
{
	int n;
	const char *all = join_ties(a, t, first, row, choice, &n);
	return n == 1 || (int)strlen(all) <= most ? all
		: arena_printf(a, "%s +%d", choice_of(&t->cell[row], choice), n - 1);
}

const char *ties_model(Arena *a, const GridTable *t, const int *first, int row, bool passes)
{
	return name_ties(a, t, first, row, TIES_IN_MODEL, passes ? MOST_BESIDE_PASSES : MOST_JOINED);
}

const char *ties_passes(Arena *a, const GridTable *t, const int *first, int row)
{
	return name_ties(a, t, first, row, TIES_IN_PASSES, MOST_JOINED);
}

/* Puts the text in lines that the screen has room for. */
static void put_wrapped(StrBuf *out, ReportForm form, char *text)
{
	size_t at = 0, n, from = 0;
	for (; !form.markdown && text[at]; at += n + (text[at + n] == ' ')) {
		n = strcspn(text + at, " ");
		size_t indent = from ? INDENT : 0;
		if (at > from && at - from + n + indent > SHEET_SCREEN) {
			text[at - 1] = '\n';
			from = at;
		}
	}
	for (char *line = text, *end; line; line = end) {
		if ((end = strchr(line, '\n')))
			*end++ = 0;
		sb_puts(out, line == text ? "" : "  ");
		sheet_line(out, form, line);
	}
}

static void put_tie(const GridTable *t, const int *first, int row, bool passes, ReportForm form,
	StrBuf *out)
{
	bool models = ties_differ(t, first, row, TIES_IN_MODEL),
		pipelines = ties_differ(t, first, row, TIES_IN_PASSES);
	const char *why = models ? why_models_tie(t, row) : "",
		*passed = pipelines ? why_passes_tie(t, first, row) : "";
	StrBuf b = { 0 };
	for (int i = row; i < t->n; i++)
		if (first[i] == row)
			sb_printf(&b, passes ? "%s%s with %s" : "%s%s", i > row ? ", " : "tie: ",
				grid_model(&t->cell[i]), grid_passes(&t->cell[i]));
	sb_printf(&b, ": all statistics%s are equal%s%s%s%s",
		ties_but_structure(t, first, row) ? " but pushes, pops and merges" : "",
		*why ? "; " : "", why, *passed ? "; " : "", passed);
	put_wrapped(out, form, b.s);
	sb_free(&b);
}

void ties_put(const GridTable *t, const int *first, bool passes, ReportForm form, StrBuf *out)
{
	for (int i = 0; i < t->n; i++)
		if (count_ties(t, first, i) > 1)
			put_tie(t, first, i, passes, form, out);
}
