#include "tools/reduce/edits.h"
#include "tools/reduce/ways.h"
#include "isa/edit.h"

int functions_places(const Module *m) { return m->func.n; }

/* ---- functions that go ---- */

/* A call's results become 0, or nothing is left of it. */
static void drop_call(InsAt *at)
{
	Ins call = *at->i;
	if (!call.ndst) {
		at->i->op = OP_NONE;
		return;
	}
	int k = (int)(at->i - at->b->ins.v);
	for (int r = 0; r < call.ndst; r++) {
		const Opd *to = ins_dst(&call, r);
		Ins old = call;
		InsAt one = { at->m, at->f, at->b, &old };
		if (r)
			old.mark = 0;
		if (to->kind == OPD_REG)
			reduce_to_number(&one, *to, (Type)at->f->reg.v[to->id].type, 0);
		else
			old.op = OP_NONE;
		if (r)
			vec_insert(&at->b->ins, k + r, old);
		else
			at->b->ins.v[k] = old;
	}
}

/* Removes what an instruction does with one of the functions that go. */
static void forget_functions(InsAt *at, BitSet gone)
{
	Op op = (Op)at->i->op;
	for (int k = 0; k < at->i->nsrc; k++) {
		const Opd *o = ins_src(at->i, k);
		if (o->kind != OPD_FUNC || !bs_has(gone, o->id))
			continue;
		if (op == OP_CALL && !k)
			drop_call(at);
		else if (op == OP_LAUNCH && !k)
			at->i->op = OP_NONE;
		else
			*ins_src(at->i, k) = opd_imm(0);
		return;
	}
}

static void forget_addresses(Symbol *s, BitSet gone)
{
	int kept = 0;
	for (int k = 0; k < s->reloc.n; k++)
		if (!s->reloc.v[k].func || !bs_has(gone, s->reloc.v[k].id))
			s->reloc.v[kept++] = s->reloc.v[k];
	s->reloc.n = kept;
}

bool functions_drop(Module *m, int from, int to)
{
	Arena a = { 0 };
	BitSet gone = bs_new(&a, m->func.n);
	for (int k = from; k < to && k < m->func.n; k++)
		bs_add(gone, k);
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++) {
			Block *x = m->func.v[f]->block.v[b];
			for (int k = 0; k < x->ins.n; k++)
				forget_functions(&(InsAt){ m, m->func.v[f], x, &x->ins.v[k] }, gone);
		}
	for (int k = 0; k < m->symbol.n; k++)
		forget_addresses(m->symbol.v[k], gone);
	reduce_sweep(m);
	module_drop_functions(m, gone);
	arena_free(&a);
	return true;
}

/* ---- bodies ---- */

static bool empty_body(Module *m, Function *f)
{
	if (!f->block.n || (f->block.n == 1 && f->block.v[0]->ins.n == 1))
		return false;
	Block *b = f->block.v[0];
	Edit e = edit_open(m, f, 0);
	b->ins.n = 0;
	b->nsucc = 0;
	b->reconverge = NULL;
	vec_push(&b->ins, f->kind == FN_HOST ? ins_make(m, OP_EXIT, T_NONE, 0, 0) : edit_ret(&e, NULL));
	edit_close(&e);
	return true;
}

bool bodies_empty(Module *m, int from, int to)
{
	bool any = false;
	for (int k = from; k < to && k < m->func.n; k++)
		any |= empty_body(m, m->func.v[k]);
	return any;
}

/* ---- launches and calls ---- */

static int count_launches(const Module *m, const Function *f, const Ins *i)
{
	return i->op == OP_LAUNCH || i->op == OP_CALL;
}

static bool drop_launch(InsAt *at, int k)
{
	drop_call(at);
	return true;
}

int launches_places(const Module *m) { return reduce_count(m, count_launches); }
bool launches_drop(Module *m, int from, int to)
{
	return reduce_each(m, from, to, count_launches, drop_launch);
}
