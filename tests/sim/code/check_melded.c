/* Places of melded instructions in machine code: whatever a mechanism makes of the program's instructions,
 * they keep them; the text of an instruction does not show them. */
#include "lib/strbuf.h"
#include "sim/code/code.h"
#include "sim/reconv/seam.h"
#include "tests/random/random_kernel.h"
#include "tests/sim/sm/sim_rig.h"

enum { AWAY = 1000000 };               /* lines from an instruction's place to that of the other one */

/* Each instruction stands for one more, and every other one for one at no known place, too. */
static void meld_all(Module *m)
{
	int n = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			for (int k = 0; k < m->func.v[f]->block.v[b]->ins.n; k++) {
				Ins *i = &m->func.v[f]->block.v[b]->ins.v[k];
				SourcePlace p[2] = { { .file = i->file, .line = i->line + AWAY,
					.col = i->col } };
				i->melded = module_melded(m, p, 1 + (n++ & 1));
			}
}

/* Machine code of the program: as many as there are. */
static int check_code(const Code *c, const char *model)
{
	int n = 0;
	for (int pc = 0; pc < c->n; pc++) {
		const Ins *i = c->ins[pc].src;
		Loc at, last = { 0 };
		if (!i || c->ins[pc].flags & MI_OVERHEAD)
			continue;
		for (int k = i->melded; place_next(c->module, &k, &at);)
			last = at;
		ck_assert_msg(ins_melded(i) && last.line == i->line + AWAY,
			"%s: %s of line %d was melded with line %d, and is with line %d", model,
			op_info[i->op].name, i->line, i->line + AWAY, last.line);
		n++;
	}
	return n;
}

/* Machine code of random kernels under the mechanism with what is set. */
static int check_kernels(int m, const char *key, const char *value)
{
	enum { KERNELS = 40 };
	int n = 0;
	for (uint64_t seed = 1; seed <= KERNELS; seed++) {
		RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
		uint64_t *address = xcalloc((size_t)k->module->symbol.n + 1, sizeof *address);
		Config c;
		Diag d = { 0 };
		StrBuf text = { 0 };
		meld_all(k->module);
		config_defaults(&c);
		c.model = m;
		ck_assert(!key || config_set(&c, key, value, &d));
		Code *code = code_lower(k->module, k->kernel, &c, reconv_model(m)->lower,
			reconv_model(m)->own, address, &d);
		if (code) { /* a mechanism may refuse the kernel */
			n += check_code(code, reconv_model(m)->name);
			code_print(code, &text);
			ck_assert_ptr_null(strstr(text.s, "!melded"));
		}
		code_free(code);
		sb_free(&text);
		free(address);
		random_kernel_free(k);
		diag_free(&d);
	}
	return n;
}

START_TEST(machine_code_keeps_places)
{
	for (int m = 0; reconv_model(m); m++) {
		ck_assert_int_gt(check_kernels(m, NULL, NULL), 1000);
		if (!strcmp(reconv_model(m)->name, "token"))
			ck_assert_int_gt(check_kernels(m, "token.loop_codegen", "pbk_brk"), 1000);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { machine_code_keeps_places };
	return rig_suite("melded", tests, sizeof tests / sizeof *tests);
}
