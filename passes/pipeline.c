/* The text of pipelines: "linearize(opt=4,order=[B1,B5,B2]),dce". */
#include "passes/pipeline.h"
#include "lib/strbuf.h"
#include <ctype.h>

typedef struct Parse { const char *text, *at; Diag *diag; Pipeline *to; } Parse;

static Loc loc_here(const Parse *p, const char *at)
{
	return (Loc){ p->to->option ? p->to->option : "--passes", 1, (int)(at - p->text) + 1 };
}

static void blanks(Parse *p)
{
	while (*p->at && isspace((unsigned char)*p->at))
		p->at++;
}

/* Reads a name at the cursor; *n is its length, 0 when there is no name. */
static const char *read_word(Parse *p, int *n)
{
	blanks(p);
	const char *start = p->at;
	while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '-')
		p->at++;
	*n = (int)(p->at - start);
	return start;
}

static bool accept(Parse *p, char c)
{
	blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static bool fail_wanted(Parse *p, const char *what)
{
	blanks(p);
	if (*p->at)
		diag_error(p->diag, loc_here(p, p->at), "expected %s, found `%c`", what, *p->at);
	else
		diag_error(p->diag, loc_here(p, p->at), "expected %s, found the end of the list", what);
	return false;
}

/* Returns the position of the name in the list, or -1 after an error that names the nearest one. */
static int choose_name(Parse *p, const char *at, int n, const char *const *names, int count, const char *what)
{
	char *name = arena_strndup(&p->diag->arena, at, (size_t)n);
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	const char *near = nearest_name(name, names, count);
	StrBuf all = { 0 };
	for (int i = 0; i < count; i++)
		sb_printf(&all, "%s%s", i ? ", " : "", names[i]);
	if (near)
		diag_error(p->diag, loc_here(p, at), "no %s `%s`; the nearest is `%s`", what, name, near);
	else if (count)
		diag_error(p->diag, loc_here(p, at), "no %s `%s`; there are %s", what, name, all.s);
	else
		diag_error(p->diag, loc_here(p, at), "no %s `%s`; there are none", what, name);
	sb_free(&all);
	return -1;
}

static bool read_integer(Parse *p, int64_t *v)
{
	blanks(p);
	const char *start = p->at;
	bool minus = *p->at == '-';
	p->at += minus;
	if (!isdigit((unsigned char)*p->at)) {
		p->at = start;
		return fail_wanted(p, "a number");
	}
	for (*v = 0; isdigit((unsigned char)*p->at); p->at++)
		if (*v < INT64_MAX / 100)
			*v = *v * 10 + (*p->at - '0');
	if (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.') {
		while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.')
			p->at++;
		diag_error(p->diag, loc_here(p, start), "`%.*s` is no number: expected decimal digits",
			(int)(p->at - start), start);
		return false;
	}
	if (minus)
		*v = -*v;
	return true;
}

/* Reads a text between double quotes; a backslash in front of a quote or of a backslash makes that one part
   of the text. Returns NULL after an error. */
static const char *read_quoted(Parse *p)
{
	const char *start = p->at++;
	char *text = arena_strdup(&p->to->arena, p->at), *end = text;
	while (*p->at && *p->at != '"') {
		p->at += p->at[0] == '\\' && (p->at[1] == '"' || p->at[1] == '\\');
		*end++ = *p->at++;
	}
	*end = 0;
	if (*p->at++)
		return text;
	p->at--;
	diag_error(p->diag, loc_here(p, start), "the text that begins here has no `\"` at its end");
	return NULL;
}

/* Reads the value of an option that is a string, or one element of a list: a label, a name of a register or a
   file, or any text in double quotes. Returns NULL after an error. */
static const char *text_word(Parse *p, const char *what)
{
	blanks(p);
	const char *start = p->at;
	if (*p->at == '"')
		return read_quoted(p);
	while (isalnum((unsigned char)*p->at) || (*p->at && strchr("_$.%-/", *p->at)))
		p->at++;
	if (p->at == start) {
		fail_wanted(p, what);
		return NULL;
	}
	return arena_strndup(&p->to->arena, start, (size_t)(p->at - start));
}

static bool number_value(Parse *p, const PassOption *o, PassValue *v)
{
	blanks(p);
	const char *start = p->at;
	if (!read_integer(p, &v->number))
		return false;
	if (v->number >= o->least && v->number <= o->most)
		return true;
	diag_error(p->diag, loc_here(p, start), "%s: %.*s is not within %lld..%lld", o->name,
		(int)(p->at - start), start, (long long)o->least, (long long)o->most);
	return false;
}

static bool name_value(Parse *p, const PassOption *o, PassValue *v)
{
	int n, count = 0;
	const char *at = read_word(p, &n);
	if (!n)
		return fail_wanted(p, "a name");
	while (o->names[count])
		count++;
	v->number = choose_name(p, at, n, o->names, count,
		arena_printf(&p->diag->arena, "value of %s", o->name));
	return v->number >= 0;
}

static bool list_value(Parse *p, PassValue *v)
{
	Vec(const char *) list = { 0 };
	bool ok = accept(p, '[') || fail_wanted(p, "`[`");
	while (ok) {
		const char *s = text_word(p, "a label, a name, or a text in double quotes");
		ok = s != NULL;
		if (ok)
			vec_push(&list, s);
		if (!ok || accept(p, ']'))
			break;
		ok = accept(p, ',') || fail_wanted(p, "`,` or `]`");
	}
	v->n = list.n;
	v->list = arena_array(&p->to->arena, const char *, list.n + 1);
	for (int k = 0; k < list.n; k++)
		v->list[k] = list.v[k];
	vec_free(&list);
	return ok;
}

static bool read_option_value(Parse *p, const PassOption *o, PassValue *v)
{
	blanks(p);
	v->given = true;
	v->col = (int)(p->at - p->text) + 1;
	switch (o->kind) {
	case PASS_NUMBER: return number_value(p, o, v);
	case PASS_NAME: return name_value(p, o, v);
	case PASS_STRING: return (v->string = text_word(p, "a name, or a text in double quotes")) != NULL;
	case PASS_LIST: return list_value(p, v);
	}
	return false;
}

static bool read_option(Parse *p, Step *s)
{
	static const char *const what[] = { "a number", "a name", "a text", "a list" };
	const Pass *pass = s->pass;
	const char *names[PASS_OPTIONS];
	int n;
	const char *at = read_word(p, &n);
	if (!n)
		return fail_wanted(p, "the name of an option");
	for (int i = 0; i < pass->noptions; i++)
		names[i] = pass->options[i].name;
	int k = choose_name(p, at, n, names, pass->noptions,
		arena_printf(&p->diag->arena, "option of %s", pass->name));
	if (k < 0)
		return false;
	const PassOption *o = &pass->options[k];
	if (s->option[k].given) {
		diag_error(p->diag, loc_here(p, at), "%s: given twice", o->name);
		return false;
	}
	if (!accept(p, '='))
		return fail_wanted(p, arena_printf(&p->diag->arena, "`=` and %s", what[o->kind]));
	return read_option_value(p, o, &s->option[k]);
}

static bool one_pass(Parse *p)
{
	const char *names[PASSES_MOST];
	int n, count = 0;
	const char *at = read_word(p, &n);
	if (!n)
		return fail_wanted(p, "the name of a pass");
	for (; pass_at(count); count++)
		names[count] = pass_at(count)->name;
	int k = choose_name(p, at, n, names, count, "pass");
	if (k < 0)
		return false;
	Step s = { .pass = pass_at(k) };
	pass_defaults(s.pass, s.option);
	if (accept(p, '(') && !accept(p, ')')) {
		do
			if (!read_option(p, &s))
				return false;
		while (accept(p, ','));
		if (!accept(p, ')'))
			return fail_wanted(p, "`,` or `)`");
	}
	s.end = (int)(p->at - p->text);
	vec_push(&p->to->step, s);
	return true;
}

bool pipeline_empty(const char *text)
{
	Parse p = { .text = text, .at = text };
	int n;
	const char *name = read_word(&p, &n);
	blanks(&p);
	return !*p.at && (!n || (n == 4 && !strncmp(name, "none", 4)));
}

static bool parse_pipeline(Parse *p)
{
	if (pipeline_empty(p->text))
		return true;
	do
		if (!one_pass(p))
			return false;
	while (accept(p, ','));
	blanks(p);
	return !*p->at || fail_wanted(p, "`,` and another pass");
}

bool pipeline_parse(Pipeline *to, const char *text, Diag *d)
{
	Parse p = { .text = text, .at = text, .diag = d, .to = to };
	return parse_pipeline(&p);
}

void pipeline_free(Pipeline *p)
{
	vec_free(&p->step);
	arena_free(&p->arena);
}

bool pipeline_check(const char *text, Diag *d)
{
	Pipeline p = { 0 };
	bool ok = pipeline_parse(&p, text, d);
	pipeline_free(&p);
	return ok;
}

/* Parses a text that pipeline_check has accepted before, so that there can be no error. */
static void parse_again(Pipeline *p, const char *text)
{
	Diag d = { 0 };
	must(pipeline_parse(p, text, &d));
	diag_free(&d);
}

const char *pipeline_asks_profile(const char *text)
{
	Pipeline p = { 0 };
	const char *trial = NULL;
	parse_again(&p, text);
	for (int k = 0; k < p.step.n && (!trial || !*trial); k++) {
		const char *asked = p.step.v[k].pass->asks_profile
			? p.step.v[k].pass->asks_profile(p.step.v[k].option) : NULL;
		trial = asked ? asked : trial;
	}
	pipeline_free(&p);
	return trial;
}

int pipeline_steps(const char *text)
{
	Pipeline p = { 0 };
	parse_again(&p, text);
	int n = p.step.n;
	pipeline_free(&p);
	return n;
}

char *pipeline_prefix(Arena *a, const char *text, int n)
{
	Pipeline p = { 0 };
	parse_again(&p, text);
	must(n <= p.step.n);
	char *prefix = arena_strndup(a, text, n ? (size_t)p.step.v[n - 1].end : 0);
	pipeline_free(&p);
	return prefix;
}
