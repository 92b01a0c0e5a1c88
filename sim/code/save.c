/* The calling convention. Functions that cannot be active twice in a thread have registers of their own, above those of
 * every caller: arguments and results are moved between the two windows and nothing is saved. Within a recursive cycle
 * windows are shared by all activations: arguments, results and the caller's live values go through its local frame. */
#include "passes/analysis/analysis.h"
#include "sim/code/code.h"

static Type slot_type(const Function *f, int reg) { return type_bits[f->reg.v[reg].type] == 64 ? T_B64 : T_B32; }

static int word(LowerFn *l) { return function_reg(l->module, l->f, NULL, T_B32); }

/* Predicates travel as 0 or 1 in a 32-bit register: to = predicate, and predicate = from. */
static void pack_predicate(LowerFn *l, Block *b, int *at, int to, Opd predicate)
{
	Ins sel = lower_ins(l, OP_SELP, T_B32, 1, 3);
	sel.opd[0] = opd_reg(to);
	sel.opd[1] = opd_imm(1);
	sel.opd[2] = opd_imm(0);
	sel.opd[3] = predicate;
	lower_put(b, at, sel);
}

static void unpack_predicate(LowerFn *l, Block *b, int *at, int predicate, int from)
{
	Ins set = lower_ins(l, OP_SETP, T_B32, 1, 2);
	set.cmp = CMP_NE;
	set.opd[0] = opd_reg(predicate);
	set.opd[1] = opd_reg(from);
	set.opd[2] = opd_imm(0);
	lower_put(b, at, set);
}

void lower_store(LowerFn *l, Block *b, int *at, Opd value, Type t, int slot)
{
	if (t == T_PRED) {
		int tmp = word(l);
		pack_predicate(l, b, at, tmp, value);
		value = opd_reg(tmp);
		t = T_B32;
	}
	Ins st = lower_ins(l, OP_ST, t, 0, 2);
	st.space = SP_LOCAL;
	st.opd[0] = (Opd){ OPD_SYM, 0, slot, 0 };
	st.opd[1] = value;
	lower_put(b, at, st);
}

void lower_load(LowerFn *l, Block *b, int *at, int reg, int slot)
{
	Function *f = l->f;
	bool pred = f->reg.v[reg].type == T_PRED;
	int to = pred ? word(l) : reg;
	Ins ld = lower_ins(l, OP_LD, slot_type(f, to), 1, 1);
	ld.space = SP_LOCAL;
	ld.opd[0] = opd_reg(to);
	ld.opd[1] = (Opd){ OPD_SYM, 0, slot, 0 };
	lower_put(b, at, ld);
	if (pred)
		unpack_predicate(l, b, at, reg, to);
}

/* ---- predicates as arguments and results ---- */

static bool is_predicate(const Function *f, const Opd *o) { return o->kind == OPD_REG && f->reg.v[o->id].type == T_PRED; }

static void carry_at_call(LowerFn *l, Block *b, int *k)
{
	int at = *k;
	for (int o = 1; o < b->ins.v[at].nsrc; o++) {
		Opd *arg = ins_src(&b->ins.v[at], o), predicate = *arg;
		if (!is_predicate(l->f, arg))
			continue;
		*arg = opd_reg(word(l));
		pack_predicate(l, b, &at, arg->id, predicate);
	}
	*k = at++;
	for (int o = 0; o < b->ins.v[*k].ndst; o++) {
		Opd *result = ins_dst(&b->ins.v[*k], o);
		int predicate = result->id;
		if (!is_predicate(l->f, result))
			continue;
		*result = opd_reg(word(l));
		unpack_predicate(l, b, &at, predicate, result->id);
	}
}

static void carry_arguments(LowerFn *l)
{
	Function *f = l->f;
	Block *entry = f->block.v[0], *first = NULL;
	int at = 0;
	for (int i = 0; i < f->arg.n; i++) {
		int predicate = f->arg.v[i];
		if (f->reg.v[predicate].type != T_PRED)
			continue;
		if (!first) /* the entry may be the head of a loop */
			first = lower_block(l, 0);
		f->arg.v[i] = word(l);
		unpack_predicate(l, first, &at, predicate, f->arg.v[i]);
	}
	if (first)
		lower_jump(l, first, entry);
}

static void carry_results(LowerFn *l)
{
	Function *f = l->f;
	for (int i = 0; i < f->ret.n; i++) {
		int predicate = f->ret.v[i];
		if (f->reg.v[predicate].type != T_PRED)
			continue;
		f->ret.v[i] = word(l);
		for (int b = 0; b < f->block.n; b++) {
			int at = f->block.v[b]->ins.n - 1;
			if (block_term(f->block.v[b])->op == OP_RET)
				pack_predicate(l, f->block.v[b], &at, f->ret.v[i], opd_reg(predicate));
		}
	}
}

static void carry_predicates(LowerFn *l)
{
	Function *f = l->f;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == OP_CALL)
				carry_at_call(l, f->block.v[b], &k);
	if (f->kind != FN_DEVICE)
		return;
	carry_arguments(l);
	carry_results(l);
	function_number(f);
}

typedef struct Live { BitSet set; } Live;
static void live_use(void *self, int v) { bs_add(((Live *)self)->set, v); }
static void live_def(void *self, int v) { bs_del(((Live *)self)->set, v); }

/* Registers live after instruction k of the block, without what it defines. */
static BitSet live_across(Arena *a, const Function *f, const Block *b, int k, const Liveness *live)
{
	Live now = { bs_new(a, f->reg.n) };
	bs_copy(now.set, live->out[b->id]);
	for (int i = b->ins.n - 1; i >= k; i--) {
		const Ins *ins = &b->ins.v[i];
		if (ins->guard < 0)
			ins_defs(ins, live_def, &now);
		if (i > k) {
			ins_uses(ins, live_use, &now);
			if (ins->op == OP_RET)
				for (int r = 0; r < f->ret.n; r++)
					bs_add(now.set, f->ret.v[r]);
		}
	}
	return now.set;
}

typedef struct Site { Block *b; int k; BitSet across; } Site;

/* Saves what lives across a call inside a recursive cycle. The arguments' and results' moves are emitted with the call. */
static void save_around(LowerFn *l, Block *b, int k, BitSet across)
{
	int at = k;
	Vec(int) slots = { 0 };
	bs_each(across, v) {
		int slot = lower_slot(l, slot_type(l->f, v));
		vec_push(&slots, slot);
		lower_store(l, b, &at, opd_reg(v), l->f->reg.v[v].type, slot);
	}
	at++; /* the call itself */
	int n = 0;
	bs_each(across, v)
		lower_load(l, b, &at, v, slots.v[n++]);
	vec_free(&slots);
}

/* A guarded call is a branch around a call: lanes whose guard is false must neither enter nor get arguments and results. */
static void split_guarded_call(LowerFn *l, int at, int k)
{
	Block *b = l->f->block.v[at], *call = lower_block(l, at + 1), *rest = lower_block(l, at + 2);
	Ins i = b->ins.v[k], around = lower_ins(l, OP_BRA, T_NONE, 0, 1), back = lower_ins(l, OP_BRA, T_NONE, 0, 0);
	call->loc = rest->loc = b->loc;
	for (int n = k + 1; n < b->ins.n; n++)
		vec_push(&rest->ins, b->ins.v[n]);
	rest->nsucc = b->nsucc;
	rest->succ = b->succ;
	rest->reconverge = b->reconverge;
	around.opd[0] = opd_reg(i.guard);
	around.opd[0].neg = i.guard_neg;
	around.file = back.file = i.file;
	around.line = back.line = i.line;
	b->ins.n = k;
	vec_push(&b->ins, around);
	b->nsucc = 2;
	b->succ = arena_array(&l->module->arena, Block *, 2);
	b->succ[0] = call;
	b->succ[1] = rest;
	b->reconverge = NULL;
	i.guard = -1;
	i.guard_neg = 0;
	vec_push(&call->ins, i);
	vec_push(&call->ins, back);
	call->nsucc = 1;
	call->succ = arena_array(&l->module->arena, Block *, 1);
	call->succ[0] = rest;
}

static void split_guarded(LowerFn *l)
{
	for (int b = 0; b < l->f->block.n; b++)
		for (int k = 0; k < l->f->block.v[b]->ins.n; k++)
			if (l->f->block.v[b]->ins.v[k].op == OP_CALL && l->f->block.v[b]->ins.v[k].guard >= 0)
				split_guarded_call(l, b, k);
	function_number(l->f);
}

void lower_calls(LowerFn *l, LowerFn *const *of)
{
	split_guarded(l);
	carry_predicates(l);
	Function *f = l->f;
	Vec(Site) sites = { 0 };
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, f);
	Liveness *live = liveness_build(&tmp, cfg);
	for (int b = 0; b < f->block.n; b++)
		for (int k = f->block.v[b]->ins.n - 1; k >= 0; k--) {
			Ins *i = &f->block.v[b]->ins.v[k];
			if (i->op != OP_CALL || !l->recursive)
				continue;
			LowerFn *to = ins_src(i, 0)->kind == OPD_FUNC ? of[ins_src(i, 0)->id] : NULL;
			if (!to || to->scc == l->scc)
				vec_push(&sites, ((Site){ f->block.v[b], k, live_across(&tmp, f, f->block.v[b], k, live) }));
		}
	for (int s = 0; s < sites.n; s++) /* last first within a block: earlier indices stay right */
		save_around(l, sites.v[s].b, sites.v[s].k, sites.v[s].across);
	vec_free(&sites);
	arena_free(&tmp);
}
