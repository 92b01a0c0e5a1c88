/* Makes the blocks and instructions for the guards of one region, and makes the region one node of the
   reduction. */
#include "passes/transform/linearize/linearize.h"
#include <limits.h>
#include <stdio.h>

typedef struct LinEmit {
	Lin *l;
	Edit *e;
	const LinPlan *p;
	const Guards *g;
	Arena arena;
	/* registers: the variable, and the predicate of a test; -1 until one is needed */
	int var, test;
	Block **block;             /* by point: the block of a guard; NULL for other points */
	/* where threads go on behind the region: block p, or a new block at the end of the function. With
	   LinPlan.thread_ends: the block in which threads end, and the one in which they return */
	Block *after, *gone, *back;
	Vec(Strand) out;           /* edges out of the region, in the new code */
} LinEmit;

/* ---- blocks ---- */

static Block *new_block(LinEmit *m, BlockSpot s, const char *base, const char *tail)
{
	Block *b = edit_block(m->e, s, base, tail);
	b->loc = s.at->loc;
	return b;
}

/* ---- points ---- */

static int var(LinEmit *m)
{
	if (m->var < 0)
		m->var = edit_reg(m->e, "guard", T_U32);
	return m->var;
}

static int test_reg(LinEmit *m)
{
	if (m->test < 0)
		m->test = edit_reg(m->e, "guarded", T_PRED);
	return m->test;
}

static const Point *guard_point(const LinEmit *m, int point) { return &m->g->point.v[point]; }
static bool tests(const Point *p) { return (p->kind == GUARD || p->kind == BACK) && p->chosen < 0; }
static Block *head(const LinEmit *m, int unit) { return m->l->node[m->p->unit[unit].node].head; }

/* May the variable be read, from that point on, before it is set again? With opt below 4 the answer is always
   yes. */
static bool read_at(const LinEmit *m, int point)
{
	const Point *p = guard_point(m, point);
	if (m->l->level < 4)
		return true;
	if (p->kind == AFTER)
		return m->p->thread_ends;
	return tests(p) || (p->kind != UNIT && (read_at(m, p->yes) || read_at(m, p->no)));
}

static Block *block_at(const LinEmit *m, int point)
{
	const Point *p = guard_point(m, point);
	return p->kind == AFTER ? m->after : p->kind == UNIT ? head(m, p->unit) : m->block[point];
}

/* Notes that edge k of block b leads to the point now: that may be an edge out of the region. */
static void leads(LinEmit *m, Block *b, int k, int point)
{
	if (guard_point(m, point)->kind == AFTER && m->p->region->p != m->l->x)
		vec_push(&m->out, ((Strand){ b, k }));
}

static void redirect(LinEmit *m, const Strand *s, Block *to)
{
	edit_target(m->e, s->block, s->k, to);
	s->block->reconverge = NULL;
}

static void jump(LinEmit *m, Block *b, const Ins *like, int point)
{
	edit_jump(m->e, b, like, block_at(m, point));
	leads(m, b, 0, point);
}

/* ---- guards ---- */

/* Puts test = (var cmp value), and with `and`, test = (var cmp value and test), at the end of block b. */
static void put_compare(LinEmit *m, Block *b, const Ins *like, Cmp cmp, int value, bool and)
{
	Ins *i = edit_ins(m->e, b, like, OP_SETP, T_U32, 1, and ? 3 : 2);
	i->cmp = (uint8_t)cmp;
	i->opd[1] = opd_reg(var(m));
	i->opd[0] = opd_reg(test_reg(m));
	i->opd[2] = opd_imm(value);
	if (and) {
		i->boolop = BOOL_AND;
		i->opd[3] = opd_reg(test_reg(m));
	}
}

static void make_guards(LinEmit *m)
{
	m->block = arena_array(&m->arena, Block *, m->g->point.n);
	for (int i = 0; i < m->g->point.n; i++) {
		const Point *p = guard_point(m, i);
		if (!tests(p))
			continue;
		LinNode *n = &m->l->node[m->p->unit[p->unit].node];
		if (p->kind == GUARD) {
			m->block[i] = new_block(m, spot_before(n->head), n->head->label, "_guard");
		} else {
			m->block[i] = new_block(m, spot_next(n->last), n->head->label, "_back");
			n->last = m->block[i];
		}
		m->l->guards++;
	}
}

static void fill_guards(LinEmit *m)
{
	for (int i = 0; i < m->g->point.n; i++) {
		const Point *p = guard_point(m, i);
		Block *b = m->block[i];
		if (!tests(p))
			continue;
		const Block *h = head(m, p->unit);
		const Ins like = p->kind == GUARD ? h->ins.v[0] : *block_term(h);
		if (p->kind == GUARD) {
			put_compare(m, b, &like, CMP_EQ, p->lo, false);
		} else {
			bool from = p->lo > 0 && !p->below;
			if (from)
				put_compare(m, b, &like, CMP_GE, p->lo, false);
			put_compare(m, b, &like, CMP_LE, p->hi, from);
		}
		edit_branch(m->e, b, &like, test_reg(m), block_at(m, p->yes), block_at(m, p->no));
		leads(m, b, 0, p->yes);
		leads(m, b, 1, p->no);
	}
}

/* ---- the end of the function ---- */

static void make_end(LinEmit *m)
{
	bool ret = false, exit = false;
	const Function *f = m->e->f;
	Ins like = head(m, m->p->n - 1)->ins.v[0];
	for (int i = 0; i < m->p->n; i++)
		for (int k = 0; k < m->p->unit[i].n; k++) {
			const Strand *s = &m->l->strand.v[m->p->edge[m->p->unit[i].first + k].strand];
			if (s->k >= 0)
				continue;
			like = *block_term(s->block);
			ret |= like.op == OP_RET;
			exit |= like.op == OP_EXIT;
		}
	m->after = new_block(m, spot_next(edit_last(m->e)), f->name, "_exit");
	if (m->p->thread_ends) {
		m->gone = new_block(m, spot_next(m->after), f->name, "_gone");
		m->back = new_block(m, spot_next(m->gone), f->name, "_ret");
		put_compare(m, m->after, &like, CMP_EQ, m->p->n + 1, false);
		edit_branch(m->e, m->after, &like, test_reg(m), m->gone, m->back);
		edit_ins(m->e, m->gone, &like, OP_EXIT, T_NONE, 0, 0);
		edit_append(m->e, m->back, edit_ret(m->e, &like));
		vec_push(&m->out, ((Strand){ m->gone, -1 }));
		vec_push(&m->out, ((Strand){ m->back, -1 }));
		return;
	}
	ret |= !exit && f->kind != FN_KERNEL;
	edit_append(m->e, m->after, ret ? edit_ret(m->e, &like)
		: edit_new(m->e, &like, OP_EXIT, T_NONE, 0, 0));
	vec_push(&m->out, ((Strand){ m->after, -1 }));
}

/* ---- edges of units ---- */

static void assign_guard(LinEmit *m, Block *b, const Ins *like, int value)
{
	edit_mov(m->e, b, like, var(m), value);
}

/* Puts var = condition ? yes : no at the end of block b. When `term` has no condition, when that is a
   constant, or when both values are the same, var gets the one value that applies. */
static void choose_guard(LinEmit *m, Block *b, const Ins *term, int yes, int no)
{
	const Opd *c = yes == no ? NULL : ins_src(term, 0);
	if (!c || c->kind == OPD_IMM) {
		assign_guard(m, b, term, !c || c->imm ? yes : no);
		return;
	}
	Ins *i = edit_ins(m->e, b, term, OP_SELP, T_U32, 1, 3);
	i->opd[0] = opd_reg(var(m));
	i->opd[1] = opd_imm(c->neg ? no : yes);
	i->opd[2] = opd_imm(c->neg ? yes : no);
	i->opd[3] = opd_reg(c->id);
}

/* Removes the last instruction of a block and returns it. If that is a return, its results are moved first to
   the registers where the one return that takes the place of all returns finds them. */
static Ins cut_end(LinEmit *m, Block *b)
{
	edit_own_results(m->e, b);
	return edit_cut_term(m->e, b);
}

/* Block u->chooses sets the variable to one of two values and goes on to point `to`. When nothing else leads
   to the guard at that point, the block branches to the guard's ways itself. */
static void leave_by_choice(LinEmit *m, const PlanUnit *u, int unit, int to)
{
	Block *b = u->chooses;
	const Point *t = guard_point(m, to);
	Ins term = cut_end(m, b);
	bool decides = (t->kind == GUARD || t->kind == BACK) && t->chosen == unit;
	int way[2] = { to, to };
	for (int k = 0; k < 2 && decides; k++)
		way[k] = point_covers(t, u->value[k]) ? t->yes : t->no;
	bool first = read_at(m, way[0]), second = read_at(m, way[1]);
	if (first && second)
		choose_guard(m, b, &term, u->value[0], u->value[1]);
	else if (first || second)
		assign_guard(m, b, &term, u->value[!first]);
	if (!decides) {
		jump(m, b, &term, to);
		return;
	}
	const Opd *c = ins_src(&term, 0);
	edit_branch(m->e, b, &term, c->id, block_at(m, way[c->neg]), block_at(m, way[!c->neg]));
	for (int k = 0; k < 2; k++)
		leads(m, b, k, way[k != c->neg]);
}

/* One edge of a unit leads to point `to`, and the variable gets the edge's value if `set`. A block with one
   edge sets the variable itself; else the edge goes through a new block, one for each value (`mids`).
   through: edges go through a new block in any case. */

static Block *mid_block(LinEmit *m, Block *b, int value, int to, Block **mids)
{
	char tail[32];
	if (mids[value])
		return mids[value];
	snprintf(tail, sizeof tail, "_to%d", value);
	Block *mid = mids[value] = new_block(m, spot_next(b), b->label, tail);
	assign_guard(m, mid, block_term(b), value);
	jump(m, mid, block_term(b), to);
	return mid;
}

static void leave_by_edge(LinEmit *m, const Strand *s, int value, int to, bool set, bool through,
	Block **mids)
{
	Block *b = s->block;
	if (s->k >= 0 && set && (b->nsucc > 1 || through)) {
		redirect(m, s, mid_block(m, b, value, to, mids));
		return;
	}
	if (s->k >= 0 && !set) {
		redirect(m, s, block_at(m, to));
		leads(m, b, s->k, to);
		return;
	}
	Block *mid = set && through ? mid_block(m, b, value, to, mids) : NULL;
	Ins term = cut_end(m, b);
	if (mid) {
		edit_jump(m->e, b, &term, mid);
		return;
	}
	if (set)
		assign_guard(m, b, &term, value);
	jump(m, b, &term, to);
}

/* Do all edges out of the unit have the same value, and do some come from blocks with several edges? */
static bool one_value(const LinEmit *m, const PlanUnit *u)
{
	bool any = false;
	for (int k = 0; k < u->n; k++)
		any |= m->l->strand.v[m->p->edge[u->first + k].strand].block->nsucc > 1;
	return any && u->value[0] == u->value[1];
}

/* Sets the variable to the unit's one value at the end of the unit's first block. Returns false, and sets
   nothing, when that block may be executed more than once. */
static bool set_at_head(LinEmit *m, const PlanUnit *u)
{
	Block *h = m->l->node[u->node].head;
	if (m->l->red.node[u->node].cycle || m->l->red.node[u->node].self >= 0)
		return false;
	Ins i = edit_new(m->e, block_term(h), OP_MOV, T_U32, 1, 1);
	i.opd[0] = opd_reg(var(m));
	i.opd[1] = opd_imm(u->value[0]);
	edit_insert(m->e, h, h->ins.n - 1, i);
	return true;
}

static void leave_unit(LinEmit *m, int unit, int to, Block **mids)
{
	const PlanUnit *u = &m->p->unit[unit];
	if (u->chooses) {
		leave_by_choice(m, u, unit, to);
		return;
	}
	/* edges with one value meet in one block, before lanes meet that come from guards */
	bool set = read_at(m, to), through = set && unit < m->p->n && one_value(m, u);
	if (through && set_at_head(m, u))
		set = false;
	for (int k = 0; k < u->n; k++) {
		const PlanEdge *x = &m->p->edge[u->first + k];
		leave_by_edge(m, &m->l->strand.v[x->strand], x->value, to, set, through, mids);
	}
	for (int k = 0; k < u->n; k++)
		mids[m->p->edge[u->first + k].value] = NULL;
}

/* ---- the way in ---- */

/* Makes the way into the region, and returns the block to which edges into the region lead from now on. */
static Block *make_entry(LinEmit *m, Block **mids)
{
	const LinRegion *r = m->p->region;
	const PlanUnit *u = &m->p->unit[m->p->n];
	int to = guard_point(m, m->g->start)->yes;
	Block *first = block_at(m, to), *h = head(m, 0);
	if (r->d == m->l->e) {
		if (first == m->l->cfg->f->block.v[0] && !read_at(m, to))
			return first;
		Block *entry = new_block(m, spot_before(edit_first(m->e)), m->e->f->name, "_entry");
		const Ins like = h->ins.v[0];
		if (read_at(m, to))
			assign_guard(m, entry, &like, u->value[0]);
		jump(m, entry, &like, to);
		return entry;
	}
	if (r->d >= 0) {
		leave_unit(m, m->p->n, to, mids);
		return first;
	}
	if (u->chooses || !read_at(m, to)) {
		leave_unit(m, m->p->n, to, mids);
		return first;
	}
	Block *pre = new_block(m, spot_before(first), h->label, "_in");
	const Ins like = h->ins.v[0];
	assign_guard(m, pre, &like, u->value[0]);
	jump(m, pre, &like, to);
	for (int k = 0; k < u->n; k++)
		redirect(m, &m->l->strand.v[m->p->edge[u->first + k].strand], pre);
	return pre;
}

/* ---- the region becomes a node ---- */

static int new_strand(Lin *l, Strand s)
{
	vec_push(&l->strand, s);
	return reduction_strand(&l->red);
}

/* Makes the region one node of the reduction: part of node d in front of the region, when that leads nowhere
   else, or a node by itself, whose first block is `first`. */
static void collapse(LinEmit *m, Block *first)
{
	Lin *l = m->l;
	const LinRegion *r = m->p->region;
	bool again = false, past = false; /* past: d's edges to p go through the region now */
	for (int i = 0; i < m->g->point.n; i++)
		again |= guard_point(m, i)->kind == BACK && block_at(m, guard_point(m, i)->yes) == first;
	for (int k = 0; k < m->p->unit[m->p->n].n; k++)
		past |= m->p->edge[m->p->unit[m->p->n].first + k].value >= m->p->n;
	if (past)
		red_out(&l->red, r->d, e)
			if (l->red.edge.v[e].to == r->p)
				reduction_cut(&l->red, e);
	int c = region_becomes_node(l, r, true);
	if (c != r->d) {
		l->node[c].head = first;
		l->red.node[c].cycle = again;
	}
	for (int k = 0; k < m->out.n; k++)
		reduction_edge(&l->red, c, r->p, new_strand(l, m->out.v[k]));
	if (!m->out.n)
		reduction_edge(&l->red, c, r->p, -1);
}

void region_emit(Lin *l, const LinPlan *p, const Guards *g)
{
	LinEmit m = { .l = l, .e = &l->edit, .p = p, .g = g, .var = -1, .test = -1 };
	Block **mids = arena_array(&m.arena, Block *, p->n + 2);
	if (p->region->p == l->x)
		make_end(&m);
	else
		m.after = l->node[p->region->p].head;
	make_guards(&m);
	fill_guards(&m);
	for (int i = 0; i < g->point.n; i++)
		if (guard_point(&m, i)->kind == UNIT && guard_point(&m, i)->unit < p->n)
			leave_unit(&m, guard_point(&m, i)->unit, guard_point(&m, i)->yes, mids);
	collapse(&m, make_entry(&m, mids));
	l->regions++;
	vec_free(&m.out);
	arena_free(&m.arena);
}
