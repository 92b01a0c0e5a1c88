/* Says what becomes of marks when instructions change. */
#include "isa/edit_own.h"
#include "isa/effects.h"

typedef struct Some { Function *f; Opd p; } Some;

static bool for_some(void *self, Mark *x)
{
	const Some *s = self;
	int lanes = function_lanes(s->f, x->lanes, s->p.id, s->p.neg);
	x->lanes = lanes;
	return lanes >= 0;
}

void edit_mark_lanes(Edit *e, Ins *i, Opd p)
{
	i->mark = function_change_marks(e->f, i->mark, for_some, &(Some){ e->f, p });
	edit_touch_code(e->f);
}

void edit_mark_also(Edit *e, Ins *i, const Ins *other)
{
	i->mark = function_marks(e->f, i->mark, other->mark);
	edit_touch_code(e->f);
}

void edit_meld(Edit *e, Ins *i, const Ins *other)
{
	edit_mark_also(e, i, other);
	ins_meld(e->m, i, &other, 1);
}

static bool mark_decide_by(void *self, Mark *x)
{
	const Opd *value = self;
	if (x->kind == MARK_DECIDES && x->value.kind == OPD_NONE)
		x->value = *value;
	return true;
}

int edit_cut_marks(Function *f, const Ins *branch)
{
	Opd by = opd_imm(1);
	if (branch->op == OP_BRA && branch->nsrc)
		by = *ins_src(branch, 0);
	if (by.kind == OPD_IMM)
		by = opd_imm((by.imm & 1) ^ (by.neg != 0));
	return ins_decides(branch) ? function_change_marks(f, branch->mark, mark_decide_by, &by)
		: branch->mark;
}

static bool decides_by(const Mark *x, const Opd *condition)
{
	return x->kind == MARK_DECIDES && x->value.kind == OPD_REG && x->value.id == condition->id &&
		x->value.neg == condition->neg;
}

/* Changes a mark that stands at a branch: if it decides by the branch's condition in the same sense, it
   decides as the branch goes from now on. */
static bool settle_mark(void *self, Mark *x)
{
	if (decides_by(x, self))
		x->value = (Opd){ 0 };
	return true;
}

/* Takes the marks that decide by the condition, in its sense and for all lanes, out of a list. taken: a list
   of these marks, which now decide as the branch goes. */
typedef struct Taker { Function *f; const Opd *condition; int taken; } Taker;

static bool take_decision(void *self, Mark *x)
{
	Taker *t = self;
	if (!decides_by(x, t->condition) || x->lanes)
		return true;
	t->taken = function_mark(t->f, (Mark){ .kind = MARK_DECIDES, .source = x->source, .next = t->taken });
	return false;
}

void edit_move_decisions(Function *f, Block *b)
{
	Ins *branch = block_term(b);
	const Opd *condition = ins_src(branch, 0);
	for (int k = b->ins.n - 2; k >= 0 && !ins_writes(f, &b->ins.v[k], condition->id); k--) {
		Taker t = { f, condition, 0 };
		b->ins.v[k].mark = function_change_marks(f, b->ins.v[k].mark, take_decision, &t);
		branch->mark = function_marks(f, t.taken, branch->mark);
	}
}

void edit_settle_marks(Function *f, Ins *i)
{
	if (i->mark && i->op == OP_BRA && i->nsrc && ins_src(i, 0)->kind == OPD_REG)
		i->mark = function_change_marks(f, i->mark, settle_mark, ins_src(i, 0));
}

void edit_take_marks(Function *f, Block *b, Ins *i)
{
	i->mark = function_marks(f, b->pending, i->mark);
	b->pending = 0;
}
