/* usage: uniform_kernel [--anywhere] MODULE: the module as IR, with checks of all that the uniformity
 * analysis says of it (uniform_checks.h). Says on standard error how many. For check_uniform_kernels.sh. */
#include "tests/passes/uniform_checks.h"
#include <stdio.h>

static long check_function(Module *m, Function *f, bool anywhere)
{
	Arena a = { 0 };
	Cfg *c = cfg_build(&a, f);
	long n = add_uniform_checks(m, c, uniformity_build_for(&a, c,
		(UniformityOptions){ .anywhere = anywhere }));
	arena_free(&a);
	return n;
}

int main(int argc, char **argv)
{
	Diag d = { 0 };
	bool anywhere = argc > 3 && !strcmp(argv[1], "--anywhere");
	Module *m = argc > 2 ? module_read_below(argv[argc - 1], argv[argc - 2], &d) : NULL;
	StrBuf text = { 0 };
	long n = 0;
	if (!m) {
		diag_print(&d, stderr);
		return 2;
	}
	for (int k = 0; k < m->func.n; k++)
		if (m->func.v[k]->kind != FN_HOST && m->func.v[k]->block.n)
			n += check_function(m, m->func.v[k], anywhere);
	ir_print(m, &text);
	fputs(text.s, stdout);
	fprintf(stderr, "%ld\n", n);
	sb_free(&text);
	diag_free(&d);
	module_free(m);
	return 0;
}
