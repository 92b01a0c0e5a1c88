#include "sim/host/kernel_name.h"
#include "lib/demangle.h"
#include "lib/hash.h"
#include "lib/strbuf.h"

enum { MAX_SHOWN = 8 };

static bool names_kernel(const Function *f) { return f && f->kind == FN_KERNEL && !f->declared_only; }

static void show_kernels(const Module *m, StrBuf *why)
{
	int n = 0;
	for (int i = 0; i < m->func.n; i++)
		if (names_kernel(m->func.v[i]) && n++ <= MAX_SHOWN)
			sb_printf(why, "%s%s", n == 1 ? "; the module has " : ", ",
				n > MAX_SHOWN ? "..." : m->func.v[i]->name);
	if (!n)
		sb_puts(why, "; the module has none");
}

/* Adds "; did you mean 'x'?" with the nearest name of the module or of the source, or else the kernels that
   there are. */
static void suggest(const Module *m, const char *name, Arena *a, StrBuf *why)
{
	Vec(const char *) names = { 0 };
	for (int i = 0; i < m->func.n; i++) {
		const Function *f = m->func.v[i];
		if (!names_kernel(f))
			continue;
		const char *source = demangle(a, f->name);
		if (source) {
			size_t n = strcspn(source, "(<");
			const char *plain = arena_strndup(a, source, n), *colon = strrchr(plain, ':');
			vec_push(&names, colon ? colon + 1 : plain);
			vec_push(&names, plain);
		}
		vec_push(&names, f->name);
	}
	const char *near = nearest_name(name, names.v, names.n);
	if (near)
		sb_printf(why, "; did you mean '%s'?", near);
	else
		show_kernels(m, why);
	vec_free(&names);
}

static void show_name(StrBuf *why, int n, const char *source, const char *name)
{
	if (n == MAX_SHOWN)
		sb_puts(why, ", ...");
	if (n < MAX_SHOWN)
		sb_printf(why, "%s%s (%s)", n ? ", " : "", source, name);
}

const Function *kernel_by_name(const Module *m, const char *name, StrBuf *why)
{
	Arena a = { 0 };
	StrBuf all = { 0 };
	const Function *exact = module_find_function(m, name), *found = NULL;
	int best = 0, n = 0;
	if (names_kernel(exact))
		return exact;
	for (int i = 0; i < m->func.n; i++) {
		const Function *f = m->func.v[i];
		const char *source = names_kernel(f) ? demangle(&a, f->name) : NULL;
		int fits = source ? demangled_matches(source, name) : 0;
		if (!fits || fits < best)
			continue;
		if (fits > best) {
			best = fits;
			n = 0;
			all.n = 0;
		}
		show_name(&all, n++, source, f->name);
		found = f;
	}
	if (n > 1) {
		sb_printf(why, "kernel '%s' may be each of these: %s", name, all.s);
		found = NULL;
	} else if (!found) {
		sb_printf(why, "no kernel '%s'", name);
		suggest(m, name, &a, why);
	}
	sb_free(&all);
	arena_free(&a);
	return found;
}
