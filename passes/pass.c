/* Pipelines: "linearize(opt=4),dce" -> verified runs of passes over every kernel and device function. */
#include "passes/pass.h"
#include "passes/transform/transform.h"
#include "lib/strbuf.h"
#include <ctype.h>

const Pass *const passes[] = { &pass_dce, &pass_linearize, &pass_simplify_cfg, NULL };

typedef struct Step { const Pass *pass; PassArgs args; } Step;
typedef struct Parse { const char *text, *at; Diag *diag; Vec(Step) step; } Parse;

static Loc here(const Parse *p, const char *at) { return (Loc){ "--passes", 1, (int)(at - p->text) + 1 }; }

static void blanks(Parse *p)
{
	while (*p->at && isspace((unsigned char)*p->at))
		p->at++;
}

/* A name at the cursor; n = 0 when there is none. */
static const char *word(Parse *p, int *n)
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

static bool wanted(Parse *p, const char *what)
{
	blanks(p);
	if (*p->at)
		diag_error(p->diag, here(p, p->at), "expected %s, found `%c`", what, *p->at);
	else
		diag_error(p->diag, here(p, p->at), "expected %s, found the end of the list", what);
	return false;
}

/* Position of the name in the list, or -1 after an error that names the nearest one. */
static int choose(Parse *p, const char *at, int n, const char *const *names, int count, const char *what)
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
		diag_error(p->diag, here(p, at), "no %s `%s`; the nearest is `%s`", what, name, near);
	else if (count)
		diag_error(p->diag, here(p, at), "no %s `%s`; there are %s", what, name, all.s);
	else
		diag_error(p->diag, here(p, at), "no %s `%s`; there are none", what, name);
	sb_free(&all);
	return -1;
}

static bool number(Parse *p, int64_t *v)
{
	blanks(p);
	const char *start = p->at;
	bool minus = *p->at == '-';
	p->at += minus;
	if (!isdigit((unsigned char)*p->at)) {
		p->at = start;
		return wanted(p, "a number");
	}
	for (*v = 0; isdigit((unsigned char)*p->at); p->at++)
		if (*v < INT64_MAX / 100)
			*v = *v * 10 + (*p->at - '0');
	if (minus)
		*v = -*v;
	return true;
}

static bool option(Parse *p, Step *s, uint32_t *seen)
{
	const Pass *pass = s->pass;
	const char *names[32];
	int n;
	const char *at = word(p, &n);
	if (!n)
		return wanted(p, "the name of an option");
	for (int i = 0; i < pass->noptions; i++)
		names[i] = pass->options[i].name;
	int k = choose(p, at, n, names, pass->noptions, arena_printf(&p->diag->arena, "option of %s", pass->name));
	if (k < 0)
		return false;
	const PassOption *o = &pass->options[k];
	if (*seen >> k & 1) {
		diag_error(p->diag, here(p, at), "%s: given twice", o->name);
		return false;
	}
	*seen |= 1u << k;
	if (!accept(p, '='))
		return wanted(p, "`=` and a number");
	blanks(p);
	const char *value = p->at;
	if (!number(p, &s->args.value[k]))
		return false;
	if (s->args.value[k] < o->least || s->args.value[k] > o->most) {
		diag_error(p->diag, here(p, value), "%s: %.*s is not within %lld..%lld", o->name, (int)(p->at - value), value,
			(long long)o->least, (long long)o->most);
		return false;
	}
	return true;
}

static bool one_pass(Parse *p)
{
	const char *names[64];
	int n, count = 0;
	const char *at = word(p, &n);
	if (!n)
		return wanted(p, "the name of a pass");
	for (; passes[count]; count++)
		names[count] = passes[count]->name;
	int k = choose(p, at, n, names, count, "pass");
	if (k < 0)
		return false;
	Step s = { passes[k], { { 0 } } };
	for (int i = 0; i < s.pass->noptions; i++)
		s.args.value[i] = s.pass->options[i].value;
	uint32_t seen = 0;
	if (accept(p, '(') && !accept(p, ')')) {
		do
			if (!option(p, &s, &seen))
				return false;
		while (accept(p, ','));
		if (!accept(p, ')'))
			return wanted(p, "`,` or `)`");
	}
	vec_push(&p->step, s);
	return true;
}

bool pipeline_empty(const char *text)
{
	Parse p = { .text = text, .at = text };
	int n;
	const char *name = word(&p, &n);
	blanks(&p);
	return !*p.at && (!n || (n == 4 && !strncmp(name, "none", 4)));
}

static bool parse(Parse *p)
{
	if (pipeline_empty(p->text))
		return true;
	do
		if (!one_pass(p))
			return false;
	while (accept(p, ','));
	blanks(p);
	return !*p->at || wanted(p, "`,` and another pass");
}

bool pipeline_check(const char *text, Diag *d)
{
	Parse p = { .text = text, .at = text, .diag = d };
	bool ok = parse(&p);
	vec_free(&p.step);
	return ok;
}

static bool run_step(Module *m, const Step *s, Diag *d)
{
	int before = d->errors;
	for (int i = 0; i < m->func.n; i++) {
		Function *f = m->func.v[i];
		if (f->kind != FN_HOST && !f->declared_only && f->block.n)
			s->pass->run(m, f, &s->args, d);
	}
	if (d->errors > before)
		return false;
	if (ir_verify(m, d))
		return true;
	diag_error(d, (Loc){ 0 }, "the module breaks the rules above after the pass %s: a bug in gsim", s->pass->name);
	return false;
}

bool pipeline_run(Module *m, const char *text, PassDump *dump, void *self, Diag *d)
{
	Parse p = { .text = text, .at = text, .diag = d };
	bool ok = parse(&p);
	for (int i = 0; i < p.step.n && ok; i++) {
		ok = run_step(m, &p.step.v[i], d);
		if (dump)
			dump(self, m, p.step.v[i].pass->name);
	}
	vec_free(&p.step);
	return ok;
}
