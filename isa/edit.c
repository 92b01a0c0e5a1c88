#include "isa/edit.h"
#include "isa/effects.h"
#include <stdio.h>

Edit edit_open(Module *m, Function *f, uint8_t origin) { return (Edit){ .m = m, .f = f, .origin = origin }; }

void edit_close(Edit *e)
{
	strmap_free(&e->label);
	strmap_free(&e->reg);
	strmap_free(&e->last);
	vec_free(&e->named);
}

/* ---- stamps ---- */

void edit_touch_code(Function *f) { f->code_stamp++; }

void edit_touch_graph(Function *f)
{
	f->graph_stamp++;
	f->code_stamp++;
}

/* ---- names ---- */

static void note_label(Edit *e, Block *b)
{
	strmap_put(&e->label, b->label, e->named.n);
	vec_push(&e->named, b);
}

static bool label_taken(Edit *e, const char *label) { return edit_find_block(e, label) != NULL; }

Block *edit_find_block(Edit *e, const char *label)
{
	for (int k = 0; k < e->f->block.n && !e->knows_labels; k++)
		if (e->f->block.v[k]->label)
			note_label(e, e->f->block.v[k]);
	e->knows_labels = true;
	int k = strmap_get(&e->label, label);
	return k < 0 ? NULL : e->named.v[k];
}

void edit_label(Edit *e, Block *b, const char *label)
{
	b->label = label;
	if (e->knows_labels)
		note_label(e, b);
	edit_touch_graph(e->f);
}

const char *edit_auto_label(Edit *e, int *k)
{
	const char *label;
	do
		label = arena_printf(&e->m->arena, "bb%d", (*k)++);
	while (label_taken(e, label));
	return label;
}

static const char *fresh_label(Edit *e, const char *base, const char *tail)
{
	const char *first = arena_printf(&e->m->arena, "%s%s", base, tail), *label = first;
	if (!label_taken(e, first))
		return first;
	int k = strmap_get(&e->last, first);
	if (k < 0)
		k = 1;
	do
		label = arena_printf(&e->m->arena, "%s%d", first, ++k);
	while (label_taken(e, label));
	strmap_put(&e->last, first, k);
	return label;
}

int edit_find_reg(Edit *e, const char *name, size_t n)
{
	for (; e->nreg < e->f->reg.n; e->nreg++)
		strmap_put(&e->reg, e->f->reg.v[e->nreg].name, e->nreg);
	return strmap_getn(&e->reg, name, n);
}

static int add_reg(Edit *e, const char *name, Type type)
{
	vec_push(&e->f->reg, ((Reg){ name, (uint8_t)type }));
	return e->f->reg.n - 1;
}

int edit_add_reg(Edit *e, const char *name, size_t n, Type type)
{
	return add_reg(e, arena_strndup(&e->m->arena, name, n), type);
}

int edit_reg(Edit *e, const char *base, Type type)
{
	const char *stem = arena_printf(&e->m->arena, "%%%s", base), *name;
	int k = strmap_get(&e->last, stem);
	k = k < 0 ? 0 : k;
	do
		name = arena_printf(&e->m->arena, "%s%d", stem, ++k);
	while (edit_find_reg(e, name, strlen(name)) >= 0);
	strmap_put(&e->last, stem, k);
	return add_reg(e, name, type);
}

int edit_temp(Edit *e, Type type)
{
	const char *name;
	int k = e->f->reg.n;
	do
		name = arena_printf(&e->m->arena, "%%t%d", k++);
	while (edit_find_reg(e, name, strlen(name)) >= 0);
	return add_reg(e, name, type);
}

/* ---- blocks and edges ---- */

static Block *add_block(Edit *e, const char *label)
{
	Block *b = arena_new(&e->m->arena, Block);
	b->id = e->f->block.n;
	b->origin = e->origin;
	vec_push(&e->f->block, b);
	if (label)
		edit_label(e, b, label);
	return b;
}

Block *edit_add_block(Edit *e, const char *label)
{
	edit_touch_graph(e->f);
	return add_block(e, label ? arena_strdup(&e->m->arena, label) : NULL);
}

Block *edit_block(Edit *e, const char *base, const char *tail)
{
	return add_block(e, fresh_label(e, base, tail));
}

void edit_move_last(Edit *e, int at)
{
	Block *b = vec_pop(&e->f->block);
	vec_insert(&e->f->block, at, b);
	edit_touch_graph(e->f);
}

void edit_order(Function *f, Block *const *list, int n)
{
	f->block.n = 0;
	for (int i = 0; i < n; i++)
		vec_push(&f->block, list[i]);
	function_number(f);
	edit_touch_graph(f);
}

void edit_targets(Edit *e, Block *b, Block *const *list, int n)
{
	b->nsucc = n;
	b->succ = arena_array(&e->m->arena, Block *, n ? n : 1);
	if (list && n)
		memcpy(b->succ, list, sizeof *list * (size_t)n);
	edit_touch_graph(e->f);
}

void edit_target(Edit *e, Block *b, int k, Block *to)
{
	b->succ[k] = to;
	edit_touch_graph(e->f);
}

void edit_retarget(Edit *e, Block *b, const Block *from, Block *to)
{
	for (int k = 0; k < b->nsucc; k++)
		if (b->succ[k] == from)
			edit_target(e, b, k, to);
}

Block *edit_split_edge(Edit *e, Block *b, Block *s, const char *tail)
{
	Block *mid = edit_block(e, b->label, tail);
	mid->loc = b->loc;
	edit_jump(e, mid, block_term(b), s);
	edit_retarget(e, b, s, mid);
	return mid;
}

void edit_move_rest(Edit *e, Block *b, int at, Block *to)
{
	for (int k = at; k < b->ins.n; k++)
		vec_push(&to->ins, b->ins.v[k]);
	b->ins.n = at;
	to->nsucc = b->nsucc;
	to->succ = b->succ;
	to->reconverge = b->reconverge;
	b->nsucc = 0;
	b->succ = NULL;
	b->reconverge = NULL;
	edit_touch_graph(e->f);
}

Block *edit_split_block(Edit *e, Block *b, int at, const char *tail)
{
	Block *rest = edit_block(e, b->label, tail);
	rest->loc = b->loc;
	rest->origin = b->origin;
	edit_move_rest(e, b, at, rest);
	edit_jump(e, b, &rest->ins.v[0], rest);
	return rest;
}

void edit_merge(Edit *e, Block *b, Block *s)
{
	must(block_jumps(b) && b->succ[0] == s && b != s);
	s->ins.v[0].mark = function_marks(e->f, vec_pop(&b->ins).mark, s->ins.v[0].mark);
	edit_move_rest(e, s, 0, b);
	edit_append(e, s, ins_make(e->m, OP_EXIT, T_NONE, 0, 0));
}

/* Adds to `keep`, which has the roots, every block to which they lead; does not recurse. */
static void reach(const Function *f, BitSet keep)
{
	Vec(int) todo = { 0 };
	bs_each(keep, b)
		vec_push(&todo, b);
	while (todo.n) {
		const Block *b = f->block.v[vec_pop(&todo)];
		for (int k = 0; k < b->nsucc; k++)
			if (!bs_has(keep, b->succ[k]->id)) {
				bs_add(keep, b->succ[k]->id);
				vec_push(&todo, b->succ[k]->id);
			}
	}
	vec_free(&todo);
}

bool edit_drop_unreached(Function *f, BitSet roots)
{
	Arena a = { 0 };
	int n = 0, all = f->block.n;
	function_number(f);
	BitSet keep = bs_new(&a, all);
	bs_copy(keep, roots);
	reach(f, keep);
	for (int b = 0; b < all; b++) {
		Block *x = f->block.v[b];
		if (x->reconverge && !bs_has(keep, x->reconverge->id))
			x->reconverge = NULL;
		if (bs_has(keep, b))
			f->block.v[n++] = x;
		else
			vec_free(&x->ins);
	}
	f->block.n = n;
	arena_free(&a);
	if (n == all)
		return false;
	function_number(f);
	edit_touch_graph(f);
	return true;
}

static Opd renamed(Opd o, const int *reg)
{
	if (reg && o.kind == OPD_REG)
		o.id = reg[o.id];
	return o;
}

static int mapped(void *self, int reg) { return ((const int *)self)[reg]; }

static void clone_block(Edit *e, Block *d, const Block *s, Block *const *block, const int *reg)
{
	d->origin = s->origin;
	d->loc = s->loc;
	for (int k = 0; k < s->ins.n; k++) {
		Ins i = edit_copy(e, &s->ins.v[k]);
		if (reg && i.guard >= 0)
			i.guard = reg[i.guard];
		for (int o = 0; o < i.ndst + i.nsrc; o++)
			i.opd[o] = renamed(i.opd[o], reg);
		if (reg)
			i.mark = function_rename_marks(e->f, i.mark, mapped, (void *)(uintptr_t)reg);
		vec_push(&d->ins, i);
	}
	d->nsucc = s->nsucc;
	d->succ = arena_array(&e->m->arena, Block *, s->nsucc ? s->nsucc : 1);
	for (int k = 0; k < s->nsucc; k++)
		d->succ[k] = block[s->succ[k]->id] ? block[s->succ[k]->id] : s->succ[k];
	if (s->reconverge)
		d->reconverge = block[s->reconverge->id] ? block[s->reconverge->id] : s->reconverge;
}

/* The label without the tail and number that it may end with. So a copy of a copy is named like another copy
   of the first block, and names do not grow. */
static const char *without(Edit *e, const char *label, const char *tail)
{
	size_t n = strlen(label), end = strlen(tail);
	while (n && label[n - 1] >= '0' && label[n - 1] <= '9')
		n--;
	return n > end && !memcmp(label + n - end, tail, end) ? arena_strndup(&e->m->arena, label, n - end)
		: label;
}

void edit_clone(Edit *e, Block *const *list, int n, Block **block, const int *reg, const char *tail)
{
	for (int k = 0; k < n; k++)
		block[list[k]->id] = edit_block(e, without(e, list[k]->label, tail), tail);
	for (int k = 0; k < n; k++)
		clone_block(e, block[list[k]->id], list[k], block, reg);
	edit_touch_graph(e->f);
}

/* Gives the registers that `list` names new numbers from n on, each register once, and writes these to
   `list`. moved[r] is one more than the new number of register r, or 0 if it has none yet. Returns the next
   free number. */
static int keep_registers(const Function *f, Reg *kept, int *moved, int n, int *list, int count)
{
	for (int k = 0; k < count; k++) {
		int r = list[k];
		if (!moved[r]) {
			kept[n] = f->reg.v[r];
			moved[r] = ++n;
		}
		list[k] = moved[r] - 1;
	}
	return n;
}

void edit_drop_body(Function *f)
{
	size_t all = (size_t)f->reg.n + 1;
	Reg *kept = xcalloc(all, sizeof *kept);
	int *moved = xcalloc(all, sizeof *moved);
	must(f->kind == FN_DEVICE);
	for (int k = 0; k < f->block.n; k++)
		vec_free(&f->block.v[k]->ins);
	int n = keep_registers(f, kept, moved, 0, f->arg.v, f->arg.n);
	n = keep_registers(f, kept, moved, n, f->ret.v, f->ret.n);
	if (n)
		memcpy(f->reg.v, kept, (size_t)n * sizeof *kept);
	f->reg.n = n;
	f->block.n = f->source.n = f->mark.n = f->lanes.n = 0;
	f->declared_only = true;
	free(kept);
	free(moved);
	edit_touch_graph(f);
}

/* ---- marks ---- */

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

static bool decide_by(void *self, Mark *x)
{
	const Opd *value = self;
	if (x->kind == MARK_DECIDES && x->value.kind == OPD_NONE)
		x->value = *value;
	return true;
}

/* Changes the marks of a branch that is to be removed: those that decide as the branch goes decide by its
   condition from now on. An indexed branch counts as one that all lanes take. Returns the new list. */
static int cut_marks(Function *f, const Ins *branch)
{
	Opd by = opd_imm(1);
	if (branch->op == OP_BRA && branch->nsrc)
		by = *ins_src(branch, 0);
	if (by.kind == OPD_IMM)
		by = opd_imm((by.imm & 1) ^ (by.neg != 0));
	return ins_decides(branch) ? function_change_marks(f, branch->mark, decide_by, &by) : branch->mark;
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

/* Moves decisions to the branch at the block's end: the marks of earlier instructions of the block that
   decide by the same value as the branch. Looks back as far as the instruction that writes the condition. */
static void move_decisions(Function *f, Block *b)
{
	Ins *branch = block_term(b);
	const Opd *condition = ins_src(branch, 0);
	for (int k = b->ins.n - 2; k >= 0 && !ins_writes(f, &b->ins.v[k], condition->id); k--) {
		Taker t = { f, condition, 0 };
		b->ins.v[k].mark = function_change_marks(f, b->ins.v[k].mark, take_decision, &t);
		branch->mark = function_marks(f, t.taken, branch->mark);
	}
}

static void settle_marks(Function *f, Ins *i)
{
	if (i->mark && i->op == OP_BRA && i->nsrc && ins_src(i, 0)->kind == OPD_REG)
		i->mark = function_change_marks(f, i->mark, settle_mark, ins_src(i, 0));
}

/* Gives the instruction that is appended to the block the marks of those that were removed before it. */
static void take_marks(Function *f, Block *b, Ins *i)
{
	i->mark = function_marks(f, b->pending, i->mark);
	b->pending = 0;
}

/* ---- instructions ---- */

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
		take_marks(e->f, b, &i);
	vec_insert(&b->ins, at, i);
	edit_touch_code(e->f);
}

Ins *edit_append(Edit *e, Block *b, Ins i)
{
	take_marks(e->f, b, &i);
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
	settle_marks(e->f, i);
	move_decisions(e->f, b);
	edit_targets(e, b, (Block *[]){ yes, no }, 2);
}

void edit_mov(Edit *e, Block *b, const Ins *like, int reg, int64_t value)
{
	Ins *i = edit_ins(e, b, like, OP_MOV, T_U32, 1, 1);
	i->opd[0] = opd_reg(reg);
	i->opd[1] = opd_imm(value);
}

/* ---- returns ---- */

Ins edit_ret(const Edit *e, const Ins *like)
{
	Ins i = edit_new(e, like, OP_RET, T_NONE, 0, e->f->ret.n);
	for (int k = 0; k < i.nsrc; k++)
		i.opd[k] = opd_reg(e->f->ret.v[k]);
	return i;
}

/* Inserts a move from register `from` to `to` in front of the block's last instruction. */
static void copy_result(Edit *e, Block *b, int to, int from)
{
	static const Type of_width[] = { [1] = T_PRED, [8] = T_B8, [16] = T_B16, [32] = T_B32, [64] = T_B64 };
	Ins i = edit_new(e, block_term(b), OP_MOV, of_width[type_bits[e->f->reg.v[to].type]], 1, 1);
	i.opd[0] = opd_reg(to);
	i.opd[1] = opd_reg(from);
	edit_insert(e, b, b->ins.n - 1, i);
}

/* Moves the value of register reg to a new register if a result behind the k-th still reads reg, and lets
   these results read the new one. */
static void save_from(Edit *e, Block *b, int k, int reg)
{
	int other = -1;
	for (int j = k + 1; j < block_term(b)->nsrc; j++) {
		if (ins_src(block_term(b), j)->id != reg)
			continue;
		if (other < 0) {
			other = edit_temp(e, (Type)e->f->reg.v[reg].type);
			copy_result(e, b, other, reg);
		}
		*ins_src(block_term(b), j) = opd_reg(other);
	}
}

void edit_own_results(Edit *e, Block *b)
{
	if (block_term(b)->op != OP_RET)
		return;
	for (int k = 0; k < block_term(b)->nsrc; k++) {
		int own = e->f->ret.v[k], from = ins_src(block_term(b), k)->id;
		if (from == own)
			continue;
		save_from(e, b, k, own);
		copy_result(e, b, own, from);
		*ins_src(block_term(b), k) = opd_reg(own);
	}
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
	block_term(b)->mark = cut_marks(e->f, block_term(b));
	return edit_remove(e, b, b->ins.n - 1);
}

typedef struct Known { Function *f; int reg; bool value; } Known;

static bool know(void *self, Mark *x)
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
			branch->mark = function_change_marks(e->f, branch->mark, know,
				&(Known){ e->f, c.id, taken ^ (c.neg != 0) });
	}
	Ins term = edit_cut_term(e, b);
	edit_jump(e, b, &term, to);
	ins_instead(block_term(b), &term);
}

/* ---- rewriting ---- */

const Ins *edit_rewrite(Rewrite *w, Edit *e, Block *b)
{
	*w = (Rewrite){ .e = e, .b = b, .n = b->ins.n };
	w->old = xmalloc(sizeof *w->old * (size_t)(w->n + 1));
	if (w->n)
		memcpy(w->old, b->ins.v, sizeof *w->old * (size_t)w->n);
	b->ins.n = 0;
	return edit_next(w);
}

const Ins *edit_next(Rewrite *w)
{
	Function *f = w->e->f;
	w->lost = function_marks(f, w->lost, w->held);
	w->held = 0;
	if (w->at < w->n) {
		w->held = w->old[w->at].mark;
		return &w->old[w->at++];
	}
	if (w->lost && w->b->ins.n)
		vec_last(&w->b->ins).mark = function_marks(f, vec_last(&w->b->ins).mark, w->lost);
	free(w->old);
	if (w->changed || w->b->ins.n != w->n)
		edit_touch_code(w->e->f);
	return NULL;
}

void edit_put(Rewrite *w, Ins i)
{
	if (w->held && i.mark == w->held)
		w->held = 0;
	if (w->lost) {
		i.mark = function_marks(w->e->f, w->lost, i.mark);
		w->lost = 0;
	}
	w->changed = w->changed || w->b->ins.n >= w->n || !ins_equal(&i, &w->old[w->b->ins.n]);
	vec_push(&w->b->ins, i);
}

/* The marks stay at the new instruction: at the next one they would read the registers that the new one has
   written. */
void edit_put_instead(Rewrite *w, Ins i)
{
	i.mark = w->held;
	edit_put(w, i);
}

void edit_put_marked(Rewrite *w, Ins i)
{
	w->held = 0;
	edit_put(w, i);
}
