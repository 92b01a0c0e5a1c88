/* The calling convention. A callee's registers begin above those in which its callers hold values: arguments
 * and results are moved, and nothing is saved. Where that would exceed the limit they begin lower (bases.c):
 * arguments and results go through the caller's frame, where a caller also saves, around a call, values that
 * live in registers which the callee or a function that it calls writes. Functions of a recursive cycle begin
 * at one register, and save all values that live at calls within the cycle before registers are assigned,
 * predicates included. Predicates of other callees always begin above their callers'. */
#include "sim/code/lower.h"

static Type slot_type(const Function *f, int reg)
{
	return type_bits[f->reg.v[reg].type] == 64 ? T_B64 : T_B32;
}

static int new_word(LowerFn *l) { return edit_temp(&l->edit, T_B32); }

/* Predicates travel as 0 or 1 in a 32-bit register. pack_predicate emits to = predicate, unpack_predicate
   emits predicate = from. */
static void pack_predicate(LowerFn *l, Block *b, int *at, int to, Opd predicate)
{
	Ins sel = edit_new(&l->edit, NULL, OP_SELP, T_B32, 1, 3);
	sel.opd[0] = opd_reg(to);
	sel.opd[1] = opd_imm(1);
	sel.opd[2] = opd_imm(0);
	sel.opd[3] = predicate;
	edit_insert(&l->edit, b, (*at)++, sel);
}

static void unpack_predicate(LowerFn *l, Block *b, int *at, int predicate, int from)
{
	Ins set = edit_new(&l->edit, NULL, OP_SETP, T_B32, 1, 2);
	set.cmp = CMP_NE;
	set.opd[0] = opd_reg(predicate);
	set.opd[1] = opd_reg(from);
	set.opd[2] = opd_imm(0);
	edit_insert(&l->edit, b, (*at)++, set);
}

void lower_store(LowerFn *l, Block *b, int *at, Opd value, Type t, int slot)
{
	if (t == T_PRED) {
		int tmp = new_word(l);
		pack_predicate(l, b, at, tmp, value);
		value = opd_reg(tmp);
		t = T_B32;
	}
	Ins st = edit_new(&l->edit, NULL, OP_ST, t, 0, 2);
	st.space = SP_LOCAL;
	st.opd[0] = (Opd){ OPD_SYM, 0, slot, 0 };
	st.opd[1] = value;
	edit_insert(&l->edit, b, (*at)++, st);
}

void lower_load(LowerFn *l, Block *b, int *at, int reg, int slot)
{
	Function *f = l->f;
	bool pred = f->reg.v[reg].type == T_PRED;
	int to = pred ? new_word(l) : reg;
	Ins ld = edit_new(&l->edit, NULL, OP_LD, slot_type(f, to), 1, 1);
	ld.space = SP_LOCAL;
	ld.opd[0] = opd_reg(to);
	ld.opd[1] = (Opd){ OPD_SYM, 0, slot, 0 };
	edit_insert(&l->edit, b, (*at)++, ld);
	if (pred)
		unpack_predicate(l, b, at, reg, to);
}

/* ---- predicates as arguments and results ---- */

static bool is_predicate_operand(const Function *f, const Opd *o)
{
	return o->kind == OPD_REG && f->reg.v[o->id].type == T_PRED;
}

static void carry_at_call(LowerFn *l, Block *b, int *k)
{
	int at = *k;
	for (int o = 1; o < b->ins.v[at].nsrc; o++) {
		Opd *arg = ins_src(&b->ins.v[at], o), predicate = *arg;
		if (!is_predicate_operand(l->f, arg))
			continue;
		*arg = opd_reg(new_word(l));
		pack_predicate(l, b, &at, arg->id, predicate);
	}
	*k = at++;
	for (int o = 0; o < b->ins.v[*k].ndst; o++) {
		Opd *result = ins_dst(&b->ins.v[*k], o);
		int predicate = result->id;
		if (!is_predicate_operand(l->f, result))
			continue;
		*result = opd_reg(new_word(l));
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
		if (!first) /* a block before the entry, since the entry may be the head of a loop */
			first = lower_block(l, 0);
		f->arg.v[i] = new_word(l);
		unpack_predicate(l, first, &at, predicate, f->arg.v[i]);
	}
	if (first)
		edit_jump(&l->edit, first, NULL, entry);
}

static void carry_results(LowerFn *l)
{
	Function *f = l->f;
	for (int i = 0; i < f->ret.n; i++) {
		Opd predicate = opd_reg(f->ret.v[i]);
		if (!is_predicate_operand(f, &predicate))
			continue;
		f->ret.v[i] = new_word(l);
		for (int b = 0; b < f->block.n; b++) {
			int at = f->block.v[b]->ins.n - 1;
			if (block_term(f->block.v[b])->op != OP_RET)
				continue;
			pack_predicate(l, f->block.v[b], &at, f->ret.v[i], predicate);
			*ins_src(block_term(f->block.v[b]), i) = opd_reg(f->ret.v[i]);
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

/* carry: the number of the carry flag in the set. It is fixed at the start of a visit: function_carry is
   always one more than the number of the last register, and a visit may add registers. */
typedef struct Live { const Function *f; const Ins *i; BitSet set; int carry; } Live;
static int live_number(const Live *l, int v) { return v == function_carry(l->f) ? l->carry : v; }
static void live_use(void *self, int v) { bs_add(((Live *)self)->set, live_number(self, v)); }
static void live_def(void *self, int v)
{
	Live *l = self;
	if (ins_kills(l->f, l->i, v))
		bs_del(l->set, live_number(l, v));
}


/* Calls `visit` for each call of the block, the last one first. across: registers that live behind the call
   and that the call does not define. `visit` may add instructions before and behind the call. */
typedef void CallVisit(void *self, Block *, int k, BitSet across);

static void each_call(Arena *a, const Function *f, Block *b, const Liveness *live, CallVisit *visit,
	void *self)
{
	Live now = { f, NULL, bs_new(a, function_values(f)), function_carry(f) };
	liveness_enter(live, b->id, now.set);
	for (int k = b->ins.n - 1; k >= 0; k--) {
		Ins i = b->ins.v[k];
		now.i = &i;
		ins_defs(f, &i, live_def, &now);
		if (i.op == OP_CALL) {
			/* the carry flag is never saved: it goes through the call as it is */
			bs_del(now.set, now.carry);
			visit(self, b, k, now.set);
		}
		ins_uses(f, &i, live_use, &now);
	}
}

/* ---- recursion ---- */

typedef struct Recursion { Lower *w; LowerFn *l; } Recursion;

/* If the call leads to a function of the same recursive cycle, saves the values that live across it, and
   loads them behind it. Moves of arguments and results are emitted later, with the call. */
static void save_around(void *self, Block *b, int k, BitSet across)
{
	Recursion *x = self;
	LowerFn *l = x->l;
	if (lower_component(x->w, &b->ins.v[k]) != l->scc)
		return;
	int at = k, n = 0;
	Vec(int) slots = { 0 };
	bs_each(across, v) {
		int slot = lower_slot(l, slot_type(l->f, v));
		vec_push(&slots, slot);
		lower_store(l, b, &at, opd_reg(v), l->f->reg.v[v].type, slot);
	}
	at++; /* goes behind the call */
	bs_each(across, v)
		lower_load(l, b, &at, v, slots.v[n++]);
	vec_free(&slots);
}

/* A guarded call is a branch around a call: lanes whose guard is false must neither enter nor get arguments
   and results. */
static void split_guarded_call(LowerFn *l, int at, int k)
{
	Block *b = l->f->block.v[at], *call = lower_block(l, at + 1), *rest = lower_block(l, at + 2);
	call->loc = rest->loc = b->loc;
	edit_move_rest(&l->edit, b, k + 1, rest);
	Ins i = edit_remove(&l->edit, b, k), *around = edit_ins(&l->edit, b, &i, OP_BRA, T_NONE, 0, 1);
	around->opd[0] = (Opd){ OPD_REG, i.guard_neg, i.guard, 0 };
	edit_targets(&l->edit, b, (Block *[]){ call, rest }, 2);
	i.guard = -1;
	i.guard_neg = 0;
	edit_append(&l->edit, call, i);
	edit_jump(&l->edit, call, &i, rest);
}

static void split_guarded_calls(LowerFn *l)
{
	for (int b = 0; b < l->f->block.n; b++)
		for (int k = 0; k < l->f->block.v[b]->ins.n; k++)
			if (l->f->block.v[b]->ins.v[k].op == OP_CALL && l->f->block.v[b]->ins.v[k].guard >= 0)
				split_guarded_call(l, b, k);
	function_number(l->f);
}

void lower_calls(Lower *w, LowerFn *l)
{
	Function *f = l->f;
	/* each return then has its results in the same registers, where callers find them */
	for (int b = 0; b < f->block.n; b++)
		edit_own_results(&l->edit, f->block.v[b]);
	split_guarded_calls(l);
	carry_predicates(l);
	Arena tmp = { 0 };
	if (l->recursive) {
		Recursion x = { w, l };
		Liveness *live = liveness_build(&tmp, cfg_build(&tmp, f));
		for (int b = 0; b < f->block.n; b++)
			each_call(&tmp, f, f->block.v[b], live, save_around, &x);
	}
	arena_free(&tmp);
}

/* ---- registers that a callee writes ---- */

typedef struct Saving { Lower *w; LowerFn *l; const BitSet *written; CallSite *site; } Saving;

static bool overlaps(const LowerFn *l, int v, BitSet written)
{
	int r = l->reg_base + l->reg[v];
	return bs_has(written, r) || (lower_is_wide(l, v) && bs_has(written, r + 1));
}

static void note_saved(void *self, Block *b, int k, BitSet across)
{
	Saving *x = self;
	LowerFn *l = x->l;
	BitSet written = x->written[lower_component(x->w, &b->ins.v[k])];
	Vec(int) saved = { 0 };
	for (int wide = 1; wide >= 0; wide--)
		bs_each(across, v)
			if (!lower_is_pred(l, v) && lower_is_wide(l, v) == wide && overlaps(l, v, written))
				vec_push(&saved, v);
	CallSite *site = --x->site;
	int *list = arena_array(&x->w->arena, int, saved.n + 1);
	if (saved.n)
		memcpy(list, saved.v, sizeof *list * (size_t)saved.n);
	site->saved = list;
	site->nsaved = saved.n;
	vec_free(&saved);
}

static int count_block_calls(const Block *b)
{
	int n = 0;
	for (int k = 0; k < b->ins.n; k++)
		n += b->ins.v[k].op == OP_CALL;
	return n;
}

void lower_saves(Lower *w, LowerFn *l, const BitSet *written)
{
	Arena tmp = { 0 };
	Saving x = { w, l, written, l->call };
	Liveness *live = liveness_build(&tmp, cfg_build(&tmp, l->f));
	for (int b = 0; b < l->nlayout; b++) {
		int n = count_block_calls(l->layout[b]);
		if (!n)
			continue;
		x.site += n;
		each_call(&tmp, l->f, l->layout[b], live, note_saved, &x);
		x.site += n;
	}
	arena_free(&tmp);
}
