/* Control flow: labels become blocks, branches get explicit targets on both sides, guarded ret and exit are split off. */
#include "isa/ptx/ptx.h"
#include "lib/strbuf.h"

static void place(Ptx *p, Ins *i)
{
	if (p->loc_line) {
		i->file = (uint16_t)p->loc_file;
		i->line = p->loc_line;
		i->col = p->loc_col;
	} else {
		i->line = p->b->line;
		i->col = p->b->col;
	}
}

/* An automatic label that no block has yet. */
static const char *auto_label(Ptx *p)
{
	Body *b = p->b;
	const char *s;
	do
		s = arena_printf(&p->m->arena, "bb%d", ++b->nauto);
	while (strmap_get(&b->label_names, s) >= 0);
	return s;
}

static bool is_label(const Ptx *p, const char *name) { return strmap_get(&p->b->label_names, name) >= 0; }

static Block *new_block(Ptx *p, const char *label, bool user)
{
	Body *b = p->b;
	Block *x = function_block(p->m, b->f, label);
	strmap_put(&b->label_names, x->label, b->label.n);
	vec_push(&b->label, x);
	x->user = user;
	x->loc = (Loc){ p->m->name, b->line, b->col };
	return x;
}

/* The new block comes next in the text: control falls into it. */
static void fall_into(Ptx *p, Block *x)
{
	Body *b = p->b;
	if (b->fall) {
		b->fall->succ[1] = x;
	} else if (b->cur) {
		block_jump(p->m, b->cur, x);
		place(p, &vec_last(&b->cur->ins));
	}
	b->fall = NULL;
	b->cur = x;
}

Block *flow_block(Ptx *p)
{
	Body *b = p->b;
	if (!b->cur) {
		bool first = b->f->block.n == 0;
		fall_into(p, new_block(p, first ? "entry" : auto_label(p), first));
	}
	return b->cur;
}

void flow_emit(Ptx *p, Ins *i)
{
	Block *x = flow_block(p);
	StrBuf why = { 0 };
	place(p, i);
	vec_push(&x->ins, *i);
	if (p->b->word && !ir_verify_ins(p->m, p->b->f, i, &why))
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
	int taken = strmap_get(&b->label_names, name);
	const char *own = name;
	if (taken >= 0 && (!b->label.v[taken]->user || (taken == 0 && !strcmp(name, "entry")))) {
		Block *x = b->label.v[taken]; /* a label of ours gives way */
		x->label = auto_label(p);
		strmap_put(&b->label_names, x->label, taken);
	} else {
		if (is_label(p, name))
			own = ptx_rename(p, &p->arena, name, b->label.n, is_label);
	}
	strmap_put(&s->label, name, b->label.n);
	fall_into(p, new_block(p, own, true));
}

static void end_block(Ptx *p, Ins *i, int nsucc)
{
	Block *x = flow_block(p);
	flow_emit(p, i);
	x->nsucc = nsucc;
	x->succ = nsucc ? arena_array(&p->m->arena, Block *, nsucc) : NULL;
	p->b->cur = NULL;
}

static void refer(Ptx *p, Block *from, int slot, const char *label, Loc loc)
{
	LabelRef r = { from, slot, p->b->here, label, loc };
	vec_push(&p->b->ref, r);
}

/* The block ends with a branch whose lanes may part: the point that a pragma asked for is its. */
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
	return ptx_error(p, p->b->point_loc, "no conditional or indexed branch follows .pragma \"reconverge %s\"", p->b->point);
}

/* .pragma "reconverge L": of the branch that follows. Others mean nothing here. */
bool flow_pragma(Ptx *p)
{
	static const char word[] = "reconverge";
	Body *b = p->b;
	const Token *t = tok_ahead(p, 1);
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
	Ins i = ins_make(p->m, OP_BRA, T_NONE, 0, g.reg >= 0);
	i.flags = (uint8_t)flags;
	if (g.reg >= 0) {
		i.opd[0] = opd_reg(g.reg);
		i.opd[0].neg = g.neg;
	}
	end_block(p, &i, g.reg >= 0 ? 2 : 1);
	refer(p, x, 0, label, loc);
	if (g.reg >= 0) {
		take_point(p, x);
		p->b->fall = x;
	}
}

/* A guarded terminator: branches to a block of its own, which receives the terminator. */
static void split(Ptx *p, Guard g)
{
	if (g.reg < 0)
		return;
	Block *x = flow_block(p);
	Ins i = ins_make(p->m, OP_BRA, T_NONE, 0, 1);
	i.opd[0] = opd_reg(g.reg);
	i.opd[0].neg = g.neg;
	end_block(p, &i, 2);
	p->b->cur = x->succ[0] = new_block(p, auto_label(p), false);
	p->b->fall = x;
}

void flow_end(Ptx *p, Op op, Guard g, int flags)
{
	split(p, g);
	Ins i = ins_make(p->m, op, T_NONE, 0, 0);
	i.flags = (uint8_t)flags;
	end_block(p, &i, 0);
}

void flow_brx(Ptx *p, Guard g, Opd index, const char *list, Loc loc, int flags)
{
	split(p, g);
	Block *x = flow_block(p);
	Ins i = ins_make(p->m, OP_BRX, T_NONE, 0, 1);
	i.flags = (uint8_t)flags;
	i.opd[0] = index;
	end_block(p, &i, 0);
	take_point(p, x);
	BrxRef r = { x, list, p->b->here, loc };
	vec_push(&p->b->brx, r);
}

/* Behind `name: .branchtargets` */
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
			return b->label.v[k];
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
	r->from->nsucc = t->label.n;
	r->from->succ = arena_array(&p->m->arena, Block *, t->label.n);
	for (int k = 0; k < t->label.n; k++)
		r->from->succ[k] = find_label(p, t->label.v[k], r->scope, t->loc.v[k]);
}

/* Blocks without a label behind unconditional terminators go: nothing reaches them. */
void flow_drop_unreachable(Function *f)
{
	Vec(Block *) todo = { 0 };
	for (int i = 0; i < f->block.n; i++) {
		Block *x = f->block.v[i];
		x->id = x->user || i == 0;
		if (x->id)
			vec_push(&todo, x);
	}
	while (todo.n) {
		Block *x = vec_pop(&todo);
		for (int k = 0; k < x->nsucc; k++)
			if (!x->succ[k]->id) {
				x->succ[k]->id = 1;
				vec_push(&todo, x->succ[k]);
			}
	}
	vec_free(&todo);
	int n = 0;
	for (int i = 0; i < f->block.n; i++)
		if (f->block.v[i]->id)
			f->block.v[n++] = f->block.v[i];
		else
			vec_free(&f->block.v[i]->ins);
	f->block.n = n;
}

/* The entry must have no predecessor: a branch to it makes an empty block before it necessary. */
static void guard_entry(Ptx *p)
{
	Function *f = p->b->f;
	bool target = false;
	for (int i = 0; i < f->block.n; i++)
		for (int k = 0; k < f->block.v[i]->nsucc; k++)
			target |= f->block.v[i]->succ[k] == f->block.v[0];
	if (!target)
		return;
	Block *x = new_block(p, strmap_get(&p->b->label_names, "entry") < 0 ? "entry" : auto_label(p), true);
	f->block.n--;
	vec_insert(&f->block, 0, x);
	block_jump(p->m, x, f->block.v[1]);
	place(p, &x->ins.v[0]);
}

void flow_finish(Ptx *p)
{
	Body *b = p->b;
	int errors = p->diag->errors;
	if (b->cur || b->fall || !b->f->block.n)
		flow_end(p, OP_RET, (Guard){ -1, false }, 0);
	for (int i = 0; i < b->ref.n; i++) {
		const LabelRef *r = &b->ref.v[i];
		*(r->slot < 0 ? &r->from->reconverge : &r->from->succ[r->slot]) = find_label(p, r->name, r->scope, r->loc);
	}
	if (b->point)
		lost_point(p);
	for (int i = 0; i < b->brx.n; i++)
		resolve_brx(p, &b->brx.v[i]);
	if (p->diag->errors > errors)
		return;
	flow_drop_unreachable(b->f);
	guard_entry(p);
	pvar_finish(p);
	function_number(b->f);
}
