/* Makes single instructions and blocks of melded code, or only counts what they cost. */
#include "passes/transform/meld/emit.h"

/* ---- putting instructions ---- */

int emit_reg(MeldEmit *x, const char *base, Type type)
{
	return x->dry ? NO_REG - 1 - x->s->shared.n - x->nreg++ : edit_reg(&x->w->e, base, type);
}

static void forget_choices(MeldEmit *x, int reg)
{
	for (int k = x->chosen.n; k-- > 0;)
		if (x->chosen.v[k].x[0].id == reg || x->chosen.v[k].x[1].id == reg)
			vec_remove(&x->chosen, k);
}

void emit_put(MeldEmit *x, Ins i)
{
	x->cost += x->weight * meld_cost(x->w, &i);
	for (int k = 0; k < i.ndst; k++)
		if (ins_dst(&i, k)->kind == OPD_REG)
			forget_choices(x, ins_dst(&i, k)->id);
	if (!x->dry) {
		edit_insert(&x->w->e, x->b, x->b->ins.n, i);
	} else if (x->w->timed) {
		x->s->code[1] += i.op != OP_BRA || i.nsrc;
		vec_push(&x->ins, time_ins(x->w, &i));
		time_load(x->w, &x->load, &i, (double)x->weight);
	}
}

Ins emit_copy(MeldEmit *x, const Ins *i)
{
	Ins d = *i;
	int n = i->ndst + i->nsrc;
	if (!x->dry)
		return edit_copy(&x->w->e, i);
	d.opd = arena_array(&x->w->a, Opd, n + 1);
	memcpy(d.opd, i->opd, sizeof *d.opd * (size_t)n);
	return d;
}

/* An instruction that melding inserts: dst = op sources. */
Ins emit_new(MeldEmit *x, const Ins *like, Op op, Type type, int dst, const Opd *src, int nsrc)
{
	Ins i = { .op = (uint8_t)op, .type = (uint8_t)type, .guard = -1, .ndst = 1, .nsrc = (uint16_t)nsrc };
	if (x->dry)
		i.opd = arena_array(&x->w->a, Opd, nsrc + 1);
	else
		i = edit_new(&x->w->e, like, op, type, 1, nsrc);
	i.opd[0] = opd_reg(dst);
	for (int k = 0; k < nsrc; k++)
		i.opd[1 + k] = src[k];
	return i;
}

void emit_select(MeldEmit *x, const Ins *like, Type type, int dst, Opd a, Opd b)
{
	emit_put(x, emit_new(x, like, OP_SELP, type, dst, (Opd[]){ a, b, opd_reg(x->r->condition) }, 3));
}

Type emit_bits(const MeldEmit *x, int reg)
{
	static const Type bits[] = { [1] = T_PRED, [8] = T_B8, [16] = T_B16, [32] = T_B32, [64] = T_B64 };
	return bits[type_bits[x->w->f->reg.v[reg].type]];
}

/* ---- choices ---- */

/* Returns a register with the address that the operand stands for, and puts what computes it, if needed. */
static Opd address_of(MeldEmit *x, const Ins *like, Type type, Opd o)
{
	Type t = type == T_B64 ? T_U64 : T_U32;
	if (o.kind == OPD_REG && !o.imm)
		return o;
	int r = emit_reg(x, "at", t);
	if (o.kind == OPD_SYM)
		emit_put(x, emit_new(x, like, OP_MOV, t, r, &o, 1));
	else
		emit_put(x, emit_new(x, like, OP_ADD, t, r, (Opd[]){ opd_reg(o.id), opd_imm(o.imm) }, 2));
	return opd_reg(r);
}

void emit_chosen(MeldEmit *x, const Ins *like, Type type, int dst, const Opd *from, int adds)
{
	Opd a[2] = { from[0], from[1] };
	for (int s = 0; s < 2 && adds; s++)
		a[s] = address_of(x, like, type, a[s]);
	emit_select(x, like, type, dst, a[0], a[1]);
}

static const ChosenOperand *find_chosen(const MeldEmit *x, const Choice *c)
{
	for (int k = 0; k < x->chosen.n; k++) {
		const ChosenOperand *d = &x->chosen.v[k];
		if (d->type == c->type && opd_same(&d->x[0], &c->x[0]) && opd_same(&d->x[1], &c->x[1]))
			return d;
	}
	return NULL;
}

/* Returns the operand that both sides use. If theirs differ, that is a register with the choice between them,
   which is made here unless it has been made before. */
Opd emit_choice(MeldEmit *x, const Ins *like, Choice c)
{
	if (!c.differ)
		return c.x[0];
	const Hoisted *h = hoisted_find(x->s, &c);
	const ChosenOperand *d = h ? NULL : find_chosen(x, &c);
	int reg = h ? h->reg : d ? d->reg : NO_REG;
	if (reg == NO_REG) {
		reg = emit_reg(x, "either", c.type);
		emit_chosen(x, like, c.type, reg, c.x, c.adds);
		vec_push(&x->chosen, ((ChosenOperand){ .x = { c.x[0], c.x[1] }, .type = c.type,
			.reg = reg }));
	}
	return (Opd){ OPD_REG, 0, reg, c.offset };
}

/* ---- marks ---- */

typedef struct MeldSide { const MeldEmit *x; int side; const Opd *by; } MeldSide;

static int rename_side_mark(void *self, int reg)
{
	const MeldSide *s = self;
	return names_reg(s->x->w, s->side, reg);
}

/* A mark that decided as the branch goes decides by s->by from now on, because the branch's targets are the
   other way around now. */
static bool decide_by_side(void *self, Mark *m)
{
	const MeldSide *s = self;
	if (m->kind == MARK_DECIDES && m->value.kind == OPD_NONE)
		m->value = *s->by;
	return true;
}

/* Returns an instruction that has only the marks of i, in which registers have the side's names. all: lanes
   of both sides come here. */
Ins emit_marked(MeldEmit *x, const Ins *i, int side, bool all, const Opd *by)
{
	Ins d = *i;
	Function *f = x->w->f;
	MeldSide s = { x, side, by };
	d.mark = function_rename_marks(f, d.mark, rename_side_mark, &s);
	if (by)
		d.mark = function_change_marks(f, d.mark, decide_by_side, &s);
	if (all)
		edit_mark_lanes(&x->w->e, &d, (Opd){ OPD_REG, side == 1, x->r->condition, 0 });
	return d;
}

void emit_mark_both(MeldEmit *x, Ins *i, const Ins *a, const Ins *b)
{
	if (x->dry)
		return;
	Ins other = emit_marked(x, b, 1, true, NULL);
	i->mark = emit_marked(x, a, 0, true, NULL).mark;
	edit_meld(&x->w->e, i, &other);
}

/* ---- blocks ---- */

Block *emit_block(MeldEmit *x, const char *tail)
{
	if (x->dry)
		return NULL;
	Block *b = edit_block(&x->w->e, spot_last(), x->like->label, tail);
	b->loc = x->like->loc;
	return b;
}

void emit_open(MeldEmit *x, Block *b)
{
	x->b = b;
	if (x->dry)
		return;
	vec_push(&x->w->made, b);
	edit_move(&x->w->e, b, spot_before(x->s->entry[0]));
}

/* Ends the open block with `term` and nsucc successors, of which `yes` is the first. */
void emit_end(MeldEmit *x, Ins term, Block *yes, Block *no, int nsucc)
{
	emit_put(x, term);
	if (x->dry)
		return;
	edit_targets(&x->w->e, x->b, (Block *[]){ yes, no }, nsucc);
}

/* When time is counted: the warp goes on so many cycles behind the last instruction; parts: because its lanes
   part there. */
void emit_pause(MeldEmit *x, int64_t cycles, bool parts)
{
	if (!x->dry || !x->w->timed)
		return;
	vec_push(&x->ins, ((Span){ .time = cycles }));
	x->s->code[1] += parts ? cost_operations(x->w->r->cost) : 0;
	if (parts)
		load_part(&x->load, x->w->r->cost, (double)x->weight);
}

void emit_jump(MeldEmit *x, const Ins *like, Block *to)
{
	emit_end(x, x->dry ? (Ins){ .op = OP_BRA, .guard = -1 }
		: edit_new(&x->w->e, like, OP_BRA, T_NONE, 0, 0), to, NULL, 1);
}

/* Ends the open block with a branch at which the sides part as they do at the region's branch, in the same
   order: a mechanism takes the same side first, and that matters where one side waits for what the other
   does. */
void emit_part(MeldEmit *x, const Ins *like, Block *yes, Block *no)
{
	bool neg = ins_src(block_term(x->r->e), 0)->neg;
	Ins i = x->dry ? (Ins){ .op = OP_BRA, .guard = -1, .nsrc = 1, .opd = arena_new(&x->w->a, Opd) }
		: edit_new(&x->w->e, like, OP_BRA, T_NONE, 0, 1);
	i.opd[0] = (Opd){ OPD_REG, neg, x->r->condition, 0 };
	emit_end(x, i, neg ? no : yes, neg ? yes : no, 2);
	emit_pause(x, cost_parting(x->w->r->cost), true);
}
