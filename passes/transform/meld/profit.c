/* Computes what melding may save: what instructions cost, which two of them may become one, and the melding
   profitability of two blocks (section IV-C of the paper). */
#include "passes/transform/meld/meld.h"
#include "passes/analysis/cost.h"

/* ---- costs ---- */

/* What an instruction costs in the code that the paper's authors have released. */
static int paper_cost(const Ins *i)
{
	switch (op_info[i->op].kind) {
	case K_LD: case K_ST: case K_ATOM: return 100;
	case K_ALU: break;
	default: return 3;
	}
	switch (i->op) {
	case OP_ADD: case OP_SUB: return 5;
	case OP_MUL: case OP_MAD: case OP_FMA: return 10;
	case OP_DIV: case OP_REM: return 20;
	default: return 3;
	}
}

int64_t meld_cost(const Meld *w, const Ins *i)
{
	return w->paper ? paper_cost(i) : cost_whole(w->r->cost, i);
}

int64_t meld_cost_of(const Meld *w, Op op, Type type)
{
	return meld_cost(w, &(Ins){ .op = (uint8_t)op, .type = (uint8_t)type });
}

int64_t meld_block_cost(const Meld *w, const Block *b)
{
	int64_t sum = 0;
	for (int k = 0; k < b->ins.n; k++)
		sum += meld_cost(w, &b->ins.v[k]);
	return sum;
}

int64_t meld_weight(const Meld *w, const Block *b) { return cost_weight(w->loops, b); }

/* ---- which instructions ---- */

bool meld_address(const Ins *i, int source)
{
	return source == 0 && strchr(op_info[i->op].operands, ':')[1] == 'a';
}

static bool same_width(const Meld *w, int a, int b)
{
	Type x = (Type)w->f->reg.v[a].type, y = (Type)w->f->reg.v[b].type;
	return type_bits[x] == type_bits[y];
}

/* May a register hold the address that the operand stands for? Not that of a variable in the generic space:
   there, a mov from the variable's name gives another number. */
static bool is_address_operand(const Ins *i, const Opd *o)
{
	return o->kind == OPD_REG || (o->kind == OPD_SYM && i->space != SP_GENERIC);
}

/* Is the operand no register, or a register as wide as the address of a variable in that space? */
static bool operand_holds_address(const Meld *w, const Ins *i, const Opd *o)
{
	return o->kind != OPD_REG || type_bits[w->f->reg.v[o->id].type] == type_bits[meld_address_type(i)];
}

static bool is_choosable(const Opd *o) { return o->kind == OPD_REG || o->kind == OPD_IMM; }

/* May one register take the place of the two operands, with a choice between them in front, or are they the
   same? */
static bool selectable(const Meld *w, const Ins *i, int k, const Opd *a, const Opd *b)
{
	if (opd_same(a, b))
		return true;
	if (a->kind == OPD_REG && b->kind == OPD_REG)
		return same_width(w, a->id, b->id);
	if (meld_address(i, k) && is_address_operand(i, a) && is_address_operand(i, b))
		return operand_holds_address(w, i, a) && operand_holds_address(w, i, b);
	if (!is_choosable(a) || !is_choosable(b) || meld_address(i, k) || (i->op == OP_LOP3 && k == 3))
		return false;
	return a->kind != b->kind || ins_value_type(w->r->m, i, k) != T_NONE;
}

bool meld_may(const Meld *w, const Ins *i)
{
	Effects e = ins_effects(w->effects, i);
	bool relaxed = op_info[i->op].kind == K_ATOM && i->sem <= SEM_RELAXED && i->sem != SEM_VOLATILE;
	return !(e.ordered && !relaxed) && !e.convergent && !e.ends && !e.visible &&
		!(op_info[i->op].flags & OPF_TERM);
}

bool meld_alike(const Meld *w, const Ins *a, const Ins *b)
{
	if (!ins_same_form(a, b) || !meld_may(w, a))
		return false;
	for (int k = 0; k < a->ndst; k++) {
		const Opd *x = ins_dst(a, k), *y = ins_dst(b, k);
		if (x->kind != y->kind || (x->kind == OPD_REG && !same_width(w, x->id, y->id)))
			return false;
	}
	for (int k = 0; k < a->nsrc; k++)
		if (!selectable(w, a, k, ins_src(a, k), ins_src(b, k)))
			return false;
	return true;
}

/* ---- profitability ---- */

int64_t meld_saved(const Meld *w, const Block *a, const Block *b)
{
	int64_t sum[2][OP_COUNT] = { { 0 } }, saved = 0;
	const Block *side[2] = { a, b };
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < side[s]->ins.n; k++) {
			const Ins *i = &side[s]->ins.v[k];
			if (i->op == OP_BRA || meld_may(w, i))
				sum[s][i->op] += meld_cost(w, i);
		}
	for (int op = 0; op < OP_COUNT; op++)
		saved += sum[0][op] < sum[1][op] ? sum[0][op] : sum[1][op];
	return saved;
}
