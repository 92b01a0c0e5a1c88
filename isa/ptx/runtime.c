/* Functions of the device's run-time library, which compilers leave to the linker: printf and assertions are
 * operations of the IR; the others are refused by name. */
#include "isa/ptx/ptx.h"

/* ret, arg: the results and arguments of the function, a letter for each: w is 32 bits, d is 64. The
   operation takes the first nsrc arguments. */
static const struct { const char *name, *ret, *arg; uint8_t op; int nsrc; } calls[] = {
	{ "vprintf", "w", "dd", OP_VPRINTF, 2 },
	{ "__assertfail", "", "ddwdd", OP_ASSERTFAIL, 4 }
};

/* name: a name, or with a '*' the beginning of names */
static const struct { const char *name, *what; } absent[] = {
	{ "malloc", "memory allocation by kernels is" }, { "free", "memory allocation by kernels is" },
	{ "cuda*", "calls of the CUDA run-time system by kernels are" },
	{ "__cudaCDP2*", "calls of the CUDA run-time system by kernels are" },
	{ "__nv_*", "functions of libdevice that the compiler has not linked are" }
};

static bool fits_signature(const Function *f, const char *bits, bool args)
{
	int n = args ? f->arg.n : f->ret.n;
	if ((int)strlen(bits) != n)
		return false;
	for (int k = 0; k < n; k++)
		if (type_bits[f->reg.v[args ? f->arg.v[k] : f->ret.v[k]].type] != (bits[k] == 'w' ? 32 : 64))
			return false;
	return true;
}

/* Row in `calls` of the operation that calls of a function without a body stand for; -1: none. */
static int runtime_row(const Function *f)
{
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if (f->declared_only && f->kind == FN_DEVICE && !strcmp(f->name, calls[k].name) &&
			fits_signature(f, calls[k].ret, false) &&
		fits_signature(f, calls[k].arg, true))
			return (int)k;
	return -1;
}

static bool is_named(const char *name, const char *pattern)
{
	size_t n = strlen(pattern) - 1;
	return pattern[n] == '*' ? !strncmp(name, pattern, n) : !strcmp(name, pattern);
}

static void refuse_absent(Ptx *p, Function *f)
{
	for (size_t k = 0; k < sizeof absent / sizeof *absent; k++)
		if (f->declared_only && f->kind == FN_DEVICE && is_named(f->name, absent[k].name)) {
			f->declared_only = false;
			f->refused = (Refusal){ arena_printf(&p->m->arena, "%s not supported by gsim",
				absent[k].what), f->loc };
		}
}

/* If the instruction is a call that stands for an operation, the row of that in `calls`; else -1. */
static int row_at(const Ins *i, const int *row)
{
	const Opd *to = i->op == OP_CALL ? ins_src(i, 0) : NULL;
	return to && to->kind == OPD_FUNC ? row[to->id] : -1;
}

/* Makes the operation that takes the place of call i, with the operands of the call. */
static Ins operation(const Edit *e, const Ins *i, int row)
{
	Ins x = edit_new(e, i, (Op)calls[row].op, T_NONE, calls[row].ret[0] != 0, calls[row].nsrc);
	x.guard = i->guard;
	x.guard_neg = i->guard_neg;
	for (int k = 0; k < x.ndst && k < i->ndst; k++)
		*ins_dst(&x, k) = *ins_dst(i, k);
	for (int k = 0; k < x.nsrc; k++)
		*ins_src(&x, k) = *ins_src(i, 1 + k);
	return x;
}

/* Puts operations in the place of the calls of block b. Nothing that stands behind an operation which ends
   its block is kept. */
static void replace_in(Edit *e, Block *b, const int *row)
{
	Rewrite w;
	bool ends = false;
	for (const Ins *i = edit_rewrite(&w, e, b); i; i = edit_next(&w)) {
		if (ends)
			continue;
		Ins x = row_at(i, row) < 0 ? *i : operation(e, i, row_at(i, row));
		edit_put(&w, x);
		ends = row_at(i, row) >= 0 && ins_ends(&x);
	}
	if (ends) {
		edit_targets(e, b, NULL, 0);
		b->reconverge = NULL;
	}
}

static void replace_calls(Ptx *p, Function *f, const int *row)
{
	Edit e = edit_open(p->m, f, 0);
	for (int b = 0; b < f->block.n; b++) {
		bool any = false;
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			any |= row_at(&f->block.v[b]->ins.v[k], row) >= 0;
		if (any)
			replace_in(&e, f->block.v[b], row);
	}
	edit_close(&e);
	flow_drop_unreachable(f);
}

void ptx_runtime_calls(Ptx *p)
{
	const Module *m = p->m;
	int *row = xcalloc((size_t)m->func.n + 1, sizeof *row);
	for (int k = 0; k < m->func.n; k++) {
		row[k] = runtime_row(m->func.v[k]);
		refuse_absent(p, m->func.v[k]);
	}
	for (int k = 0; k < m->func.n; k++)
		replace_calls(p, m->func.v[k], row);
	for (int k = 0; k < m->func.n; k++) {
		Function *f = m->func.v[k];
		for (int b = 0; b < f->block.n; b++)
			/* from now on blocks without a label in the text count as blocks of the source,
			   too */
			f->block.v[b]->user = true;
		function_mark_blocks(p->m, f);
	}
	free(row);
}
