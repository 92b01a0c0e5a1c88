/* Control flow: labels become blocks, branches get explicit targets on both sides, guarded ret and exit are
   split off. */
#include "isa/ptx/ptx.h"
#include "lib/strbuf.h"

static void set_ins_place(Ptx *p, Ins *i)
{
	if (p->loc_inlined) {
		ins_place_inlined(p->m, i, p->loc_inlined);
	} else if (p->loc_line) {
		i->file = (uint16_t)p->loc_file;
		i->line = p->loc_line;
		i->col = p->loc_col;
	} else {
		i->line = p->b->line;
		i->col = p->b->col;
	}
}

static const char *auto_label(Ptx *p) { return edit_auto_label(&p->b->edit, &p->b->nauto); }

static bool is_label(const Ptx *p, const char *name) { return edit_find_block(&p->b->edit, name) != NULL; }

static Block *new_flow_block(Ptx *p, const char *label, bool user)
{
	Block *x = edit_add_block(&p->b->edit, label);
	x->user = user;
	x->loc = (Loc){ p->m->name, p->b->line, p->b->col };
	return x;
}

/* Makes x the current block, which comes next in the text. Control falls into x from the block before it. */
static void fall_into(Ptx *p, Block *x)
{
	Body *b = p->b;
	if (b->fall) {
		edit_target(&b->edit, b->fall, 1, x);
	} else if (b->cur) {
		edit_jump(&b->edit, b->cur, NULL, x);
		set_ins_place(p, block_term(b->cur));
	}
	b->fall = NULL;
	b->cur = x;
}

Block *flow_block(Ptx *p)
{
	Body *b = p->b;
	if (!b->cur) {
		bool first = b->edit.f->block.n == 0;
		fall_into(p, new_flow_block(p, first ? "entry" : auto_label(p), first));
	}
	return b->cur;
}

void flow_emit(Ptx *p, Ins *i)
{
	Block *x = flow_block(p);
	StrBuf why = { 0 };
	set_ins_place(p, i);
	edit_append(&p->b->edit, x, *i);
	if (p->b->word && !ir_verify_ins(p->m, p->b->edit.f, i, &why))
		ptx_refuse_ins(p, "%s", why.s);
	sb_free(&why);
}

void flow_label(Ptx *p, const char *name, Loc loc)
{
	Body *b = p->b;
	NameScope *s = &b->scope.v[b->here];
	if (strmap_get(&s->label, name) >= 0) {
		ptx_error(p, loc, "label '%s' is defined twice", name);
		return;
	}
	Block *taken = edit_find_block(&b->edit, name);
	const char *own = name;
	if (taken && (!taken->user || (taken == b->edit.f->block.v[0] && !strcmp(name, "entry"))))
		/* the reader itself chose that label: the block gets another one */
		edit_label(&b->edit, taken, auto_label(p));
	else if (taken)
		own = ptx_rename(p, &p->arena, name, b->edit.f->block.n, is_label);
	strmap_put(&s->label, name, b->edit.f->block.n);
	fall_into(p, new_flow_block(p, own, true));
}

static void end_flow_block(Ptx *p, Ins *i, int nsucc)
{
	Block *x = flow_block(p);
	flow_emit(p, i);
	edit_targets(&p->b->edit, x, NULL, nsucc);
	p->b->cur = NULL;
}

static void refer(Ptx *p, Block *from, int slot, const char *label, Loc loc)
{
	LabelRef r = { from, slot, p->b->here, label, loc };
	vec_push(&p->b->ref, r);
}

/* Block x ends with a branch at which lanes may part. If a pragma has asked for a reconvergence point, x gets
   it. */
static void take_point(Ptx *p, Block *x)
{
	Body *b = p->b;
	if (!b->point)
		return;
	vec_push(&b->ref, ((LabelRef){ x, -1, b->point_scope, b->point, b->point_loc }));
	b->point = NULL;
}

static bool lost_point(Ptx *p)
{
	return ptx_error(p, p->b->point_loc, "no conditional or indexed branch follows .pragma \"reconverge "
		"%s\"", p->b->point);
}

/* Reads a pragma. "reconverge L" sets the reconvergence point of the branch that follows; others are
   skipped. */
bool flow_pragma(Ptx *p)
{
	static const char word[] = "reconverge";
	Body *b = p->b;
	const PtxToken *t = tok_ahead(p, 1);
	Loc loc = tok_loc(p, t);
	size_t n = sizeof word - 1;
	if (t->kind != TK_STRING || t->n < n || memcmp(t->s, word, n) || (t->n > n && t->s[n] != ' ')) {
		tok_skip_statement(p);
		return true;
	}
	while (n < t->n && t->s[n] == ' ')
		n++;
	if (n == t->n)
		return ptx_error(p, loc, "expected .pragma \"reconverge LABEL\"");
	if (b->point)
		return lost_point(p);
	b->point = arena_strndup(&p->arena, t->s + n, t->n - n);
	b->point_loc = loc;
	b->point_scope = b->here;
	tok_skip_statement(p);
	return true;
}

void flow_branch(Ptx *p, Guard g, const char *label, Loc loc, int flags)
{
	Block *x = flow_block(p);
	Ins i = edit_new(&p->b->edit, NULL, OP_BRA, T_NONE, 0, g.reg >= 0);
	i.flags = (uint8_t)flags;
	if (g.reg >= 0) {
		i.opd[0] = opd_reg(g.reg);
		i.opd[0].neg = g.neg;
	}
	end_flow_block(p, &i, g.reg >= 0 ? 2 : 1);
	refer(p, x, 0, label, loc);
	if (g.reg >= 0) {
		take_point(p, x);
		p->b->fall = x;
	}
}

/* If a terminator has a guard, ends the block with a branch to a new block, and makes that the current one,
   to receive the terminator. */
static void split_off_guard(Ptx *p, Guard g)
{
	if (g.reg < 0)
		return;
	Block *x = flow_block(p);
	Ins i = edit_new(&p->b->edit, NULL, OP_BRA, T_NONE, 0, 1);
	i.opd[0] = opd_reg(g.reg);
	i.opd[0].neg = g.neg;
	end_flow_block(p, &i, 2);
	p->b->cur = new_flow_block(p, auto_label(p), false);
	edit_target(&p->b->edit, x, 0, p->b->cur);
	p->b->fall = x;
}

void flow_end(Ptx *p, Op op, Guard g, int flags)
{
	split_off_guard(p, g);
	Ins i = op == OP_RET ? edit_ret(&p->b->edit, NULL) : edit_new(&p->b->edit, NULL, op, T_NONE, 0, 0);
	i.flags = (uint8_t)flags;
	end_flow_block(p, &i, 0);
}

void flow_brx(Ptx *p, Guard g, Opd index, const char *list, Loc loc, int flags)
{
	split_off_guard(p, g);
	Block *x = flow_block(p);
	Ins i = edit_new(&p->b->edit, NULL, OP_BRX, T_NONE, 0, 1);
	i.flags = (uint8_t)flags;
	i.opd[0] = index;
	end_flow_block(p, &i, 0);
	take_point(p, x);
	BrxRef r = { x, list, p->b->here, loc };
	vec_push(&p->b->brx, r);
}

/* Reads a list of labels, behind `name: .branchtargets`. */
bool flow_targets(Ptx *p, const char *name, Loc loc)
{
	Body *b = p->b;
	TargetList t = { 0 };
	bool ok = true;
	do {
		Loc at = tok_here(p);
		const char *label = tok_name(p);
		if (!(ok = label != NULL))
			break;
		vec_push(&t.label, label);
		vec_push(&t.loc, at);
	} while (tok_accept(p, ','));
	vec_push(&b->targets, t);
	Entity e = { .kind = ENT_TARGETS, .id = b->targets.n - 1 };
	return ok && ptx_declare(p, name, e, loc) && tok_expect(p, ';', "behind branch targets");
}

/* ---- the end of a function ---- */

static Block *find_label(Ptx *p, const char *name, int scope, Loc loc)
{
	Body *b = p->b;
	for (int s = scope; s >= 0; s = b->scope.v[s].parent) {
		int k = strmap_get(&b->scope.v[s].label, name);
		if (k >= 0)
			return b->edit.f->block.v[k];
	}
	ptx_error(p, loc, "label '%s' is not defined", name);
	return NULL;
}

static void resolve_brx(Ptx *p, const BrxRef *r)
{
	Body *b = p->b;
	b->here = r->scope;
	Entity *e = ptx_find(p, r->list);
	if (!e || e->kind != ENT_TARGETS) {
		ptx_error(p, r->loc, "'%s' is not a list of .branchtargets", r->list);
		return;
	}
	TargetList *t = &b->targets.v[e->id];
	if (!ptx_count(p, t->label.n, r->loc))
		return;
	edit_targets(&b->edit, r->from, NULL, t->label.n);
	for (int k = 0; k < t->label.n; k++)
		edit_target(&b->edit, r->from, k, find_label(p, t->label.v[k], r->scope, t->loc.v[k]));
}

/* Blocks without a label of the source come from text behind an unconditional terminator: nothing leads to
   them, and they are removed. */
void flow_drop_unreachable(Function *f)
{
	Arena a = { 0 };
	BitSet roots = bs_new(&a, f->block.n);
	for (int k = 0; k < f->block.n; k++)
		if (k == 0 || f->block.v[k]->user)
			bs_add(roots, k);
	edit_drop_unreached(f, roots);
	arena_free(&a);
}

/* The entry must have no predecessor: if a branch leads to it, a block with a jump is put in front of it. */
static void guard_entry(Ptx *p)
{
	Function *f = p->b->edit.f;
	bool target = false;
	for (int i = 0; i < f->block.n; i++)
		for (int k = 0; k < f->block.v[i]->nsucc; k++)
			target |= f->block.v[i]->succ[k] == f->block.v[0];
	if (!target)
		return;
	Block *x = new_flow_block(p, !is_label(p, "entry") ? "entry" : auto_label(p), true);
	edit_move_last(&p->b->edit, 0);
	edit_jump(&p->b->edit, x, NULL, f->block.v[1]);
	set_ins_place(p, block_term(x));
}

void flow_finish(Ptx *p)
{
	Body *b = p->b;
	int errors = p->diag->errors;
	if (b->cur || b->fall || !b->edit.f->block.n)
		flow_end(p, OP_RET, (Guard){ -1, false }, 0);
	for (int i = 0; i < b->ref.n; i++) {
		const LabelRef *r = &b->ref.v[i];
		Block *to = find_label(p, r->name, r->scope, r->loc);
		if (r->slot < 0)
			r->from->reconverge = to;
		else
			edit_target(&b->edit, r->from, r->slot, to);
	}
	if (b->point)
		lost_point(p);
	for (int i = 0; i < b->brx.n; i++)
		resolve_brx(p, &b->brx.v[i]);
	if (p->diag->errors > errors)
		return;
	flow_drop_unreachable(b->edit.f);
	guard_entry(p);
	pvar_finish(p);
	function_number(b->edit.f);
}
