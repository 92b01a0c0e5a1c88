/* What two modules must have in common to be run with one workload. */
#include "isa/print.h"
#include "lib/demangle.h"
#include "sim/host/kernel_name.h"
#include "tools/before_after.h"

enum { MOST_NAMES = 8 };

static bool is_kernel(const Function *f) { return f && f->kind == FN_KERNEL && !f->declared_only; }

static bool is_float(const Param *p) { return type_kind[p->type] == 'F'; }

/* Does a workload give both the same bytes? Signs of integers make no difference. */
static bool same_parameters(const Function *a, const Function *b)
{
	bool same = a->param.n == b->param.n;
	for (int i = 0; i < a->param.n && same; i++) {
		const Param *x = &a->param.v[i], *y = &b->param.v[i];
		same = x->size == y->size && x->array == y->array && (x->array || is_float(x) == is_float(y));
	}
	return same;
}

static void put_parameters(StrBuf *out, const Function *f)
{
	sb_putc(out, '(');
	for (int i = 0; i < f->param.n; i++) {
		const Param *p = &f->param.v[i];
		sb_printf(out, "%s%s", i ? ", " : "", type_name[p->type]);
		if (p->array)
			sb_printf(out, "[%u]", p->count);
	}
	sb_putc(out, ')');
}

/* The second module's kernel that a workload means by the name of the first one's: compilers spell names of
   C++ with the types of parameters. */
static const Function *counterpart(const Module *m, const char *name)
{
	Arena a = { 0 };
	StrBuf why = { 0 };
	const Function *f = module_find_function(m, name);
	const char *source = is_kernel(f) ? NULL : demangle(&a, name);
	if (source)
		f = kernel_by_name(m, arena_strndup(&a, source, strcspn(source, "(")), &why);
	else if (!is_kernel(f))
		f = kernel_by_name(m, name, &why);
	sb_free(&why);
	arena_free(&a);
	return is_kernel(f) ? f : NULL;
}

static Loc place_of(const Module *m, const Function *f)
{
	return (Loc){ f->loc.file ? f->loc.file : m->name, f->loc.line, f->loc.col };
}

/* The names of the module's kernels, for a message. */
static void put_kernels(StrBuf *out, const Module *m)
{
	int n = 0;
	for (int i = 0; i < m->func.n; i++) {
		if (!is_kernel(m->func.v[i]))
			continue;
		if (n < MOST_NAMES)
			sb_printf(out, "%s%s", n ? ", " : "", m->func.v[i]->name);
		n++;
	}
	if (n > MOST_NAMES)
		sb_printf(out, ", %d more", n - MOST_NAMES);
	if (!n)
		sb_puts(out, "no kernel");
}

static bool fits(const Module *a, const Module *b, const Function *f, Diag *d)
{
	const Function *other = counterpart(b, f->name);
	StrBuf text = { 0 };
	if (!other) {
		put_kernels(&text, b);
		diag_error(d, place_of(a, f), "the workload launches kernel '%s', which %s does not have: it "
			"has %s", f->name, b->name, text.s);
	} else if (!same_parameters(f, other)) {
		Loc at = place_of(a, f);
		put_parameters(&text, other);
		sb_puts(&text, ", expected ");
		put_parameters(&text, f);
		diag_error(d, place_of(b, other), "the parameters of kernel '%s' are %s, as at %s:%d: one "
			"workload cannot launch both", other->name, text.s, at.file, at.line);
		other = NULL;
	}
	sb_free(&text);
	return other != NULL;
}

/* A list of names that is begun where the first of them stands. */
typedef struct Alone { StrBuf text; Loc first; int n; } Alone;

static void add_alone(Alone *l, const char *name, Loc at)
{
	if (!l->n)
		l->first = at;
	if (l->n < MOST_NAMES)
		sb_printf(&l->text, "%s%s", l->n ? ", " : "", name);
	l->n++;
}

static void tell_list(Alone *l, const char *what, const char *rest, const Module *lacking, Diag *d)
{
	if (l->n > MOST_NAMES)
		sb_printf(&l->text, ", %d more", l->n - MOST_NAMES);
	if (l->n)
		diag_warning(d, l->first, "%s%s%s that %s does not have: %s; %s", l->n == 1 ? "a " : "", what,
			l->n == 1 ? "" : "s", lacking->name, l->text.s, rest);
	sb_free(&l->text);
}

/* Is it a variable that can hold results? */
static bool may_hold_results(const Symbol *s)
{
	return run_names_result(s->name) && s->space == SP_GLOBAL && s->owner < 0;
}

/* Names the kernels and variables that `a` alone has. */
static void tell_alone(const Module *a, const Module *b, Diag *d)
{
	Alone kernels = { 0 }, variables = { 0 };
	for (int i = 0; i < a->func.n; i++) {
		const Function *f = a->func.v[i];
		if (is_kernel(f) && !counterpart(b, f->name))
			add_alone(&kernels, f->name, place_of(a, f));
	}
	for (int i = 0; i < a->symbol.n; i++) {
		const Symbol *s = a->symbol.v[i];
		if (may_hold_results(s) && !module_find_symbol(b, s->name, -1))
			add_alone(&variables, s->name, s->loc);
	}
	tell_list(&kernels, "kernel", "not launched, so not compared", b, d);
	tell_list(&variables, "variable", "not compared", b, d);
}

bool two_modules_fit(const Session *s, const Job *first, Diag *d)
{
	bool ok = true;
	if (first->run->host)          /* each module has its own host function */
		return true;
	for (int i = 0; i < run_kernels(first->run); i++) {
		const Function *f = module_find_function(s->module, run_kernel(first->run, i)->kernel);
		/* passes may have made a kernel of several */
		if (is_kernel(f))
			ok &= fits(s->module, s->second, f, d);
	}
	if (ok && !s->opt.quiet) {
		tell_alone(s->module, s->second, d);
		tell_alone(s->second, s->module, d);
	}
	return ok;
}
