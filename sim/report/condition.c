#include "sim/report/condition.h"
#include "lib/hash.h"
#include "sim/report/compare.h"
#include <math.h>

static const char *const operators[] = { ">=", "<=", "==", "!=", ">", "<" };
enum { GREATER_EQUAL, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, LESS, OPERATORS };

static bool compares(double v, int op, double bound)
{
	switch (op) {
	case GREATER_EQUAL: return v >= bound;
	case LESS_EQUAL: return v <= bound;
	case EQUAL: return v == bound;
	case NOT_EQUAL: return v != bound;
	case GREATER: return v > bound;
	default: return v < bound;
	}
}

/* ---- reading ---- */

static const char *skip_space(const char *p) { return p + strspn(p, " \t"); }

/* Reads "kernel NAME:" if it stands at p. Returns the place behind; NULL: an error, with what was expected in
   *error, and its place in *wrong. */
static const char *take_kernel(Arena *a, const char *p, Condition *c, const char **error, const char **wrong)
{
	if (strncmp(p, "kernel", 6) || !p[6] || !strchr(" \t:", p[6]))
		return p;
	const char *name = skip_space(p + 6), *colon = strrchr(name, ':'), *end = colon;
	*wrong = colon ? name : name + strlen(name);
	*error = colon ? "a kernel's name, or *" : "':' behind the kernel's name";
	while (end && end > name && strchr(" \t", end[-1]))
		end--;
	if (!end || end == name)
		return NULL;
	c->kernel = arena_strndup(a, name, (size_t)(end - name));
	*error = NULL;
	return skip_space(colon + 1);
}

static const char *take_figure(Arena *a, const char *p, Condition *c)
{
	static const char *const prefix[] = { [VALUE_RATIO] = "ratio.", [VALUE_AFTER] = "after.",
		[VALUE_CHANGE] = "change." };
	size_t n = strcspn(p, " \t<>=!");
	c->value = VALUE_RATIO;
	for (int k = 0; k < 3; k++)
		if (n > strlen(prefix[k]) && !strncmp(p, prefix[k], strlen(prefix[k]))) {
			c->value = (ConditionKind)k;
			p += strlen(prefix[k]);
			n -= strlen(prefix[k]);
			break;
		}
	c->path = arena_strndup(a, p, n);
	return n && p[n - 1] != '.' ? p + n : NULL;
}

static const char *take_number(const char *p, double *v)
{
	char *end = NULL;
	const char *digit = p + (*p == '-' || *p == '+');
	if (!(*digit >= '0' && *digit <= '9') && !(*digit == '.' && digit[1] >= '0' && digit[1] <= '9'))
		return NULL;
	if (*digit == '0' && (digit[1] == 'x' || digit[1] == 'X'))
		return NULL;
	*v = strtod(p, &end);
	p = skip_space(end);
	if (*p == '%')
		*v /= 100;
	return isfinite(*v) ? skip_space(p + (*p == '%')) : NULL;
}

bool condition_parse(Arena *a, const char *text, Condition *c, const char **error, int *column)
{
	const char *p, *next, *wrong = NULL;
	*c = (Condition){ .text = text };
	*error = NULL;
	p = take_kernel(a, skip_space(text), c, error, &wrong);
	if (p) {
		wrong = p;
		*error = "a figure, as in cycles > 1.02";
		p = take_figure(a, p, c);
	}
	if (p) {
		wrong = p = skip_space(p);
		*error = "an operator, > >= < <= == or !=";
		c->op = 0;
		while (c->op < OPERATORS && strncmp(p, operators[c->op], strlen(operators[c->op])))
			c->op++;
		p = c->op < OPERATORS ? skip_space(p + strlen(operators[c->op])) : NULL;
	}
	if (p) {
		wrong = p;
		*error = "a number, as 1.02 or 102 %";
		next = take_number(p, &c->bound);
		wrong = next && *next ? next : p;
		*error = next && *next ? "the end" : next ? NULL : *error;
	}
	*column = *error ? (int)(wrong - text) + 1 : 0;
	return !*error;
}

/* ---- figures ---- */

static const JsonValue *kernel_row(const JsonValue *report, const char *name)
{
	const JsonValue *rows = json_get(report, "kernels");
	for (int i = 0; rows && rows->kind == JSON_ARRAY && i < rows->n; i++)
		if (!strcmp(json_string(&rows->item[i], "kernel"), name))
			return &rows->item[i];
	return NULL;
}

/* The part of a report that has the figure: the row of the kernel, the total, or for code.* the whole
   report. */
static const JsonValue *owner_of(const JsonValue *report, const Condition *c, const char *kernel)
{
	return kernel ? kernel_row(report, kernel) : !strncmp(c->path, "code.", 5) ? report
		: json_get(report, "total");
}

static const JsonValue *figure_of(const JsonValue *owner, const char *path)
{
	static const JsonValue zero = { .kind = JSON_NUMBER, .text = "0" };
	char name[128], *bracket;
	snprintf(name, sizeof name, "%s", path);
	bracket = strchr(name, '[');
	if (bracket) {
		size_t digits = strspn(bracket + 1, "0123456789");
		/* expected: a number, and nothing behind the bracket */
		if (!digits || strcmp(bracket + 1 + digits, "]"))
			return NULL;
		long i = strtol(bracket + 1, NULL, 10);
		*bracket = 0;
		const JsonValue *list = json_path(owner, name);
		return list && list->kind == JSON_ARRAY && i < list->n ? &list->item[i] : NULL;
	}
	const JsonValue *v = json_path(owner, path);
	/* a report without this group has counted none of these loads: the figure is 0 */
	return v || strncmp(path, "memory.nonfaulting.", 19) || !json_get(owner, "memory") ? v : &zero;
}

/* ---- judging ---- */

typedef struct Judge {
	const Condition *c;
	const char *run;  /* name of the run, as "token, passes dce"; NULL: there is only one pair */
	Judgement *sum;
	int told;  /* number of comparisons of this condition, with those that could not be made */
	StrBuf *out;
} Judge;

static void begin_line(const Judge *j, const char *head, const char *verb, const char *kernel)
{
	sb_printf(j->out, "%s--fail-if '%s' %s", head, j->c->text, verb);
	if (j->run || kernel)
		sb_printf(j->out, " for %s%s%s%s", j->run ? j->run : "", j->run && kernel ? ", " : "",
			kernel ? "kernel " : "", kernel ? kernel : "");
	sb_puts(j->out, ": ");
}

/* Says that the condition holds, and why. */
static void put_holds(const Judge *j, const char *kernel, const JsonValue *a, const JsonValue *b,
	double value)
{
	char before[COMPARE_VALUE], after[COMPARE_VALUE];
	begin_line(j, "", "holds", kernel);
	compare_value(before, a, j->c->path);
	compare_value(after, b, j->c->path);
	if (j->c->value == VALUE_AFTER)
		sb_printf(j->out, "%s is %s\n", j->c->path, after);
	else if (isinf(value))
		sb_printf(j->out, "%s is %s before, %s after, ratio infinite\n", j->c->path, before, after);
	else
		sb_printf(j->out, "%s is %s before, %s after, %s %.5g\n", j->c->path, before, after,
			j->c->value == VALUE_RATIO ? "ratio" : "change", value);
}

/* Says why the condition cannot be judged though one of the two runs has the figure. */
static void put_open(Judge *j, const char *kernel, const JsonValue *owner, const JsonValue *v, bool after)
{
	const char *where = after ? "after" : "before";
	begin_line(j, "error: ", "cannot be judged", kernel);
	if (kernel && !owner)
		sb_printf(j->out, "the run %s does not launch it\n", where);
	else if (v)
		sb_printf(j->out, "%s is not measured %s\n", j->c->path, where);
	else
		sb_printf(j->out, "the report %s has no %s\n", where, j->c->path);
	j->sum->open++;
	j->told++;
}

/* Judges the condition on the figure of two runs, or of a kernel in both, unless neither has it. */
static void judge_figure(Judge *j, const JsonValue *const owner[2], const char *kernel)
{
	const Condition *c = j->c;
	const JsonValue *v[2];
	bool known[2];
	for (int k = 0; k < 2; k++) {
		v[k] = owner[k] ? figure_of(owner[k], c->path) : NULL;
		known[k] = json_is_number(v[k]) || (c->value == VALUE_AFTER && !k);
	}
	if (!known[1] && (c->value == VALUE_AFTER || !known[0]))
		return;
	for (int k = 0; k < 2; k++)
		if (!known[k]) {
			put_open(j, kernel, owner[k], v[k], k);
			return;
		}
	double b = v[1]->number, a = c->value == VALUE_AFTER ? 0 : v[0]->number;
	double value = c->value == VALUE_AFTER ? b : c->value == VALUE_CHANGE ? b - a : a != 0 ? b / a
		: b != 0 ? INFINITY : 1;
	j->told++;
	j->sum->judged++;
	if (!compares(value, c->op, c->bound))
		return;
	j->sum->holds++;
	put_holds(j, kernel, v[0], v[1], value);
}

static void judge_run(Judge *j, const JsonValue *const report[2])
{
	const JsonValue *owner[2] = { owner_of(report[0], j->c, j->c->kernel),
		owner_of(report[1], j->c, j->c->kernel) };
	judge_figure(j, owner, j->c->kernel);
}

/* Judges each kernel that both runs launch. If the condition is on the value after, judges each kernel that
   the run after launches. */
static void judge_kernels(Judge *j, const JsonValue *const report[2])
{
	const JsonValue *rows[2] = { json_get(report[0], "kernels"), json_get(report[1], "kernels") };
	StrMap at[2] = { { 0 }, { 0 } };
	for (int k = 0; k < 2; k++) {
		rows[k] = rows[k] && rows[k]->kind == JSON_ARRAY ? rows[k] : NULL;
		for (int i = 0; rows[k] && i < rows[k]->n; i++)
			strmap_put(&at[k], json_string(&rows[k]->item[i], "kernel"), i);
	}
	for (int k = 0; k < 2; k++)
		for (int i = 0; rows[k] && i < rows[k]->n; i++) {
			const char *name = json_string(&rows[k]->item[i], "kernel");
			int other = strmap_get(&at[!k], name);
			const JsonValue *owner[2];
			owner[k] = &rows[k]->item[i];
			owner[!k] = other >= 0 ? &rows[!k]->item[other] : NULL;
			if ((!k && other >= 0) || (k && other < 0 && j->c->value == VALUE_AFTER)) {
				judge_figure(j, owner, name);
			} else if (other < 0 && j->c->value != VALUE_AFTER) {
				begin_line(j, "", "is not judged", name);
				sb_printf(j->out, "the run %s does not launch it\n", k ? "before" : "after");
			}
		}
	strmap_free(&at[0]);
	strmap_free(&at[1]);
}

/* ---- runs ---- */

/* Can the pair be judged? If not, says why. If the run after has failed, and the run before has not, counts
   that in sum->failed. */
static bool usable(const GridPair *p, const char *run, Judgement *sum, StrBuf *out)
{
	Arena a = { 0 };
	const char *outcome[2] = { run_outcome(&a, p->of[0]), run_outcome(&a, p->of[1]) };
	const char *who = run ? arena_printf(&a, "%s: ", run) : "";
	bool one = !p->of[0] || !p->of[1];
	if (one)
		sb_printf(out, "not judged: %sonly the report %s has this run\n", who,
			p->of[0] ? "before" : "after");
	else if (*outcome[1] && !*outcome[0])
		sb_printf(out, "%sthe run after %s\n", who, outcome[1]);
	else if (*outcome[1] && !strcmp(outcome[0], outcome[1]))
		sb_printf(out, "not judged: %sboth runs %s\n", who, outcome[0]);
	else if (*outcome[1])
		sb_printf(out, "not judged: %sthe run before %s; the run after %s\n", who, outcome[0],
			outcome[1]);
	else if (*outcome[0])
		sb_printf(out, "not judged: %sthe run before %s\n", who, outcome[0]);
	sum->failed += !one && *outcome[1] && !*outcome[0];
	bool good = !one && !*outcome[0] && !*outcome[1];
	arena_free(&a);
	return good;
}

typedef Vec(const char *) PathTexts;

/* The paths of all numbers below a value. */
static void collect_paths(Arena *a, const JsonValue *v, const char *path, PathTexts *paths)
{
	for (int i = 0; v && v->kind == JSON_OBJECT && i < v->n; i++) {
		const char *name = arena_printf(a, "%s%s%s", path, *path ? "." : "", v->key[i]);
		if (v->item[i].kind == JSON_OBJECT)
			collect_paths(a, &v->item[i], name, paths);
		else if (v->item[i].kind == JSON_NUMBER)
			vec_push(paths, name);
	}
}

/* Says why a condition was judged nowhere. p: the first pair that can be judged. */
static void put_nowhere(const Condition *c, const GridPair *p, StrBuf *out)
{
	Arena a = { 0 };
	PathTexts names = { 0 };
	const JsonValue *rows = json_get(p->of[1], "kernels"), *owner = NULL, *v = NULL;
	bool each = c->kernel && !strcmp(c->kernel, "*");
	for (int k = 1; k >= 0 && !v; k--) {
		if (each)
			owner = rows && rows->kind == JSON_ARRAY && rows->n ? &rows->item[0] : NULL;
		else
			owner = owner_of(p->of[k], c, c->kernel);
		v = owner ? figure_of(owner, c->path) : NULL;
	}
	sb_printf(out, "error: --fail-if '%s' cannot be judged: ", c->text);
	const char *near = NULL;
	if (c->kernel && !owner) {
		for (int i = 0; rows && rows->kind == JSON_ARRAY && i < rows->n; i++)
			vec_push(&names, json_string(&rows->item[i], "kernel"));
		near = nearest_name(c->kernel, names.v, names.n);
		sb_printf(out, "no run launches kernel %s", c->kernel);
	} else if (v && v->kind == JSON_NULL) {
		sb_printf(out, "%s is not measured in any run", c->path);
	} else if (v) {
		sb_printf(out, "%s is no number", c->path);
		for (int i = 0; v->kind == JSON_OBJECT && i < v->n && i < 6; i++)
			sb_printf(out, "%s%s.%s", i ? ", " : "; expected one of its members: ", c->path,
				v->key[i]);
		sb_puts(out, v->kind == JSON_OBJECT && v->n > 6 ? ", ..."
			: v->kind == JSON_ARRAY ? "; expected one of its members, as in [0]" : "");
	} else {
		collect_paths(&a, owner, "", &names);
		near = nearest_name(c->path, names.v, names.n);
		sb_printf(out, "no run has a figure %s", c->path);
	}
	if (near)
		sb_printf(out, "; did you mean %s?", near);
	sb_putc(out, '\n');
	vec_free(&names);
	arena_free(&a);
}

Judgement conditions_judge(const Condition *c, int n, const GridPair *pair, int npairs, bool named,
	StrBuf *out)
{
	Judgement sum = { 0 };
	Arena a = { 0 };
	int *told = arena_array(&a, int, n), first = -1;
	for (int i = 0; i < npairs; i++) {
		const char *run = pair[i].name ? pair[i].name
			: named ? run_name(&a, pair[i].of[!pair[i].of[0]]) : NULL;
		if (!usable(&pair[i], run, &sum, out))
			continue;
		first = first < 0 ? i : first;
		for (int k = 0; k < n; k++) {
			Judge j = { .c = &c[k], .run = run, .sum = &sum, .out = out };
			if (c[k].kernel && !strcmp(c[k].kernel, "*"))
				judge_kernels(&j, pair[i].of);
			else
				judge_run(&j, pair[i].of);
			told[k] += j.told;
		}
	}
	for (int k = 0; k < n; k++)
		if (!told[k] && first >= 0) {
			put_nowhere(&c[k], &pair[first], out);
			sum.open++;
		}
	if (first < 0 && !sum.failed) {
		sb_puts(out, "error: --fail-if cannot be judged: there are no two runs that have ended "
			"well\n");
		sum.open++;
	}
	arena_free(&a);
	return sum;
}
