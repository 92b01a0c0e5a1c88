/* Makes, adds and removes instructions. */
#include "isa/edit_own.h"

Ins edit_new(const Edit *e, const Ins *like, Op op, Type type, int ndst, int nsrc)
{
	Ins i = ins_make(e->m, op, type, ndst, nsrc);
	i.origin = e->origin;
	if (like)
		ins_place(&i, like);
	return i;
}

Ins edit_copy(const Edit *e, const Ins *i)
{
	Ins d = *i;
	int n = i->ndst + i->nsrc;
	d.opd = arena_array(&e->m->arena, Opd, n ? n : 1);
	if (n)
		memcpy(d.opd, i->opd, sizeof *d.opd * (size_t)n);
	return d;
}

void edit_insert(Edit *e, Block *b, int at, Ins i)
{
	if (at == b->ins.n)
		edit_take_marks(e->f, b, &i);
	vec_insert(&b->ins, at, i);
	edit_touch_code(e->f);
}

Ins *edit_append(Edit *e, Block *b, Ins i)
{
	edit_take_marks(e->f, b, &i);
	vec_push(&b->ins, i);
	edit_touch_code(e->f);
	return &vec_last(&b->ins);
}

Ins *edit_ins(Edit *e, Block *b, const Ins *like, Op op, Type type, int ndst, int nsrc)
{
	/* edit_new comes first: `like` may stand in the list, which moves when it grows */
	return edit_append(e, b, edit_new(e, like, op, type, ndst, nsrc));
}

void edit_jump(Edit *e, Block *b, const Ins *like, Block *to)
{
	edit_ins(e, b, like, OP_BRA, T_NONE, 0, 0);
	edit_targets(e, b, &to, 1);
}

void edit_branch(Edit *e, Block *b, const Ins *like, int pred, Block *yes, Block *no)
{
	Ins *i = edit_ins(e, b, like, OP_BRA, T_NONE, 0, 1);
	i->opd[0] = opd_reg(pred);
	edit_settle_marks(e->f, i);
	edit_move_decisions(e->f, b);
	edit_targets(e, b, (Block *[]){ yes, no }, 2);
}

void edit_mov(Edit *e, Block *b, const Ins *like, int reg, int64_t value)
{
	Ins *i = edit_ins(e, b, like, OP_MOV, T_U32, 1, 1);
	i->opd[0] = opd_reg(reg);
	i->opd[1] = opd_imm(value);
}

Ins edit_remove(Edit *e, Block *b, int at)
{
	Ins i = b->ins.v[at];
	vec_remove(&b->ins, at);
	int *next = at < b->ins.n ? &b->ins.v[at].mark : &b->pending;
	*next = at < b->ins.n ? function_marks(e->f, i.mark, *next) : function_marks(e->f, *next, i.mark);
	i.mark = 0;
	edit_touch_code(e->f);
	return i;
}

Ins edit_cut_term(Edit *e, Block *b)
{
	edit_targets(e, b, NULL, 0);
	b->reconverge = NULL;
	block_term(b)->mark = edit_cut_marks(e->f, block_term(b));
	return edit_remove(e, b, b->ins.n - 1);
}

typedef struct Known { Function *f; int reg; bool value; } Known;

static bool mark_know_value(void *self, Mark *x)
{
	const Known *k = self;
	int lanes = function_lanes_known(k->f, x->lanes, k->reg, k->value);
	x->lanes = lanes;
	if (x->value.kind == OPD_REG && x->value.id == k->reg)
		x->value = opd_imm(k->value ^ (x->value.neg != 0));
	return lanes >= 0;
}

void edit_fold(Edit *e, Block *b, Block *to)
{
	Ins *branch = block_term(b);
	/* Marks get the known value of the condition, so that nothing needs the condition's register for
	   them. */
	if (branch->op == OP_BRA && b->succ[0] != b->succ[1]) {
		Opd c = *ins_src(branch, 0);
		bool taken = b->succ[0] == to;
		*branch = edit_copy(e, branch);
		*ins_src(branch, 0) = opd_imm(taken);
		if (c.kind == OPD_REG)
			branch->mark = function_change_marks(e->f, branch->mark, mark_know_value,
				&(Known){ e->f, c.id, taken ^ (c.neg != 0) });
	}
	Ins term = edit_cut_term(e, b);
	edit_jump(e, b, &term, to);
	ins_instead(block_term(b), &term);
}
