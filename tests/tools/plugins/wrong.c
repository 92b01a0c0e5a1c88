/* A plug-in whose passes are wrong, each in one place: what gsim-reduce --pass is to find, and to make small.
 * wrong-sub swaps the operands of subtractions; wrong-store loses stores in the else side of branches;
 * wrong-compare takes "less" for "less or equal". */
#include "gsim-plugin.h"

/* What becomes of an instruction. False: nothing. *to with operation OP_NONE: it goes. */
typedef bool Spoil(const PassRun *, const Edit *, const Ins *, Ins *to);

static bool spoil_block(PassRun *r, Edit *e, Block *b, Spoil *spoil)
{
	bool any = false;
	Rewrite w;
	for (const Ins *i = edit_rewrite(&w, e, b); i; i = edit_next(&w)) {
		Ins to = *i;
		bool change = spoil(r, e, i, &to) &&
			pass_may_change(r, ins_loc(r->m, i), "a %s of %s", op_info[i->op].name, b->label);
		any |= change;
		if (!change)
			edit_put(&w, *i);
		else if (to.op != OP_NONE)
			edit_put_instead(&w, to);
	}
	return any;
}

static bool spoil_function(PassRun *r, Spoil *spoil)
{
	bool any = false;
	Edit e = edit_open(r->m, r->f, r->origin);
	for (int b = 0; b < r->f->block.n; b++)
		any |= spoil_block(r, &e, r->f->block.v[b], spoil);
	edit_close(&e);
	return any;
}

static bool swap_sub(const PassRun *r, const Edit *e, const Ins *i, Ins *to)
{
	if (i->op != OP_SUB || opd_same(ins_src(i, 0), ins_src(i, 1)))
		return false;
	*to = edit_copy(e, i);
	*ins_src(to, 0) = *ins_src(i, 1);
	*ins_src(to, 1) = *ins_src(i, 0);
	return true;
}

static bool lose_store(const PassRun *r, const Edit *e, const Ins *i, Ins *to)
{
	to->op = OP_NONE;
	return i->op == OP_ST;
}

static bool loosen(const PassRun *r, const Edit *e, const Ins *i, Ins *to)
{
	*to = *i;
	to->cmp = CMP_LE;
	return i->op == OP_SETP && i->cmp == CMP_LT;
}

static bool run_sub(PassRun *r) { return spoil_function(r, swap_sub); }
static bool run_compare(PassRun *r) { return spoil_function(r, loosen); }

/* Only in blocks to which a branch goes when its condition does not hold, and nothing else does. */
static bool run_store(PassRun *r)
{
	bool any = false;
	Edit e = edit_open(r->m, r->f, r->origin);
	for (int b = 0; b < r->f->block.n; b++) {
		Block *x = r->f->block.v[b];
		int other = 0;
		for (int k = 0; k < r->f->block.n; k++)
			for (int s = 0; s < r->f->block.v[k]->nsucc; s++)
				other += r->f->block.v[k]->succ[s] == x &&
					(s != 1 || r->f->block.v[k]->nsucc != 2);
		bool is_else = false;
		for (int k = 0; k < r->f->block.n; k++)
			is_else |= r->f->block.v[k]->nsucc == 2 && r->f->block.v[k]->succ[1] == x;
		if (is_else && !other)
			any |= spoil_block(r, &e, x, lose_store);
	}
	edit_close(&e);
	return any;
}

static const Pass pass_wrong_sub = { .name = "wrong-sub", .help = "swaps the operands of subtractions",
	.idle = "nothing is subtracted", .function = run_sub, .keeps_graph = true };
static const Pass pass_wrong_store = { .name = "wrong-store", .help = "loses stores in else sides",
	.idle = "no else side stores", .function = run_store, .keeps_graph = true };
static const Pass pass_wrong_compare = { .name = "wrong-compare", .help = "takes < for <=",
	.idle = "nothing is compared", .function = run_compare, .keeps_graph = true };

GSIM_PLUGIN("wrong", .passes = { &pass_wrong_sub, &pass_wrong_store, &pass_wrong_compare });
