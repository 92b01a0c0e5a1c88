#include "passes/transform/edit.h"
#include "passes/analysis/analysis.h"

static bool taken(const Function *f, const char *label)
{
	for (int i = 0; i < f->block.n; i++)
		if (!strcmp(f->block.v[i]->label, label))
			return true;
	return false;
}

/* The block stands at the end of the function's list until edit_place, so that its label counts as taken. */
Block *edit_block(Edit *e, const char *base, const char *tail)
{
	const char *label = arena_printf(&e->m->arena, "%s%s", base, tail);
	for (int k = 2; taken(e->f, label); k++)
		label = arena_printf(&e->m->arena, "%s%s%d", base, tail, k);
	Block *b = function_block(e->m, e->f, label);
	b->origin = e->origin;
	return b;
}

void edit_place(Block **list, int n, Function *f)
{
	f->block.n = 0;
	for (int i = 0; i < n; i++)
		vec_push(&f->block, list[i]);
	function_number(f);
}

int edit_reg(Edit *e, const char *base, Type type)
{
	char name[48];
	int k = 1;
	do
		snprintf(name, sizeof name, "%%%s%d", base, k++);
	while (function_find_reg(e->f, name) >= 0);
	return function_reg(e->m, e->f, name, type);
}

Ins *edit_ins(Edit *e, Block *b, const Ins *like, Op op, Type type, int ndst, int nsrc)
{
	Ins i = ins_make(e->m, op, type, ndst, nsrc);
	i.origin = e->origin;
	if (like) {
		i.file = like->file;
		i.line = like->line;
		i.col = like->col;
	}
	vec_push(&b->ins, i);
	return &vec_last(&b->ins);
}

static Ins keep_place(const Ins *like) { return like ? *like : (Ins){ 0 }; }

void edit_jump(Edit *e, Block *b, const Ins *like, Block *to)
{
	Ins place = keep_place(like);
	edit_ins(e, b, like ? &place : NULL, OP_BRA, T_NONE, 0, 0);
	b->nsucc = 1;
	b->succ = arena_array(&e->m->arena, Block *, 2);
	b->succ[0] = to;
}

void edit_branch(Edit *e, Block *b, const Ins *like, int pred, Block *yes, Block *no)
{
	Ins place = keep_place(like);
	edit_ins(e, b, like ? &place : NULL, OP_BRA, T_NONE, 0, 1)->opd[0] = opd_reg(pred);
	b->nsucc = 2;
	b->succ = arena_array(&e->m->arena, Block *, 2);
	b->succ[0] = yes;
	b->succ[1] = no;
}

void edit_mov(Edit *e, Block *b, const Ins *like, int reg, int64_t value)
{
	Ins place = keep_place(like);
	Ins *i = edit_ins(e, b, like ? &place : NULL, OP_MOV, T_U32, 1, 1);
	i->opd[0] = opd_reg(reg);
	i->opd[1] = opd_imm(value);
}

Ins edit_cut_term(Block *b)
{
	b->nsucc = 0;
	b->succ = NULL;
	b->reconverge = NULL;
	return vec_pop(&b->ins);
}

void edit_retarget(Edit *e, Block *b, const Block *from, Block *to)
{
	Block **succ = arena_array(&e->m->arena, Block *, b->nsucc ? b->nsucc : 1);
	for (int k = 0; k < b->nsucc; k++)
		succ[k] = b->succ[k] == from ? to : b->succ[k];
	b->succ = succ;
}

bool edit_drop_unreached(Function *f, BitSet roots)
{
	Arena a = { 0 };
	int n = 0, all = f->block.n;
	function_number(f);
	Graph *g = graph_new(&a, all);
	BitSet keep = bs_new(&a, all), none = bs_new(&a, all);
	for (int b = 0; b < all; b++)
		for (int k = 0; k < f->block.v[b]->nsucc; k++)
			graph_edge(g, b, f->block.v[b]->succ[k]->id);
	bs_each(roots, b)
		graph_reach(g, false, b, none, keep);
	for (int b = 0; b < all; b++) {
		if (bs_has(keep, b))
			f->block.v[n++] = f->block.v[b];
		else
			vec_free(&f->block.v[b]->ins);
	}
	f->block.n = n;
	function_number(f);
	arena_free(&a);
	return n != all;
}
