/* Linearizes one region (the paper's Algorithm 1, completed):
 *
 *   d:  g = number of the first unit            G0: if g == 0  ->  unit 0: ... g = next unit
 *                                               G1: if g == 1  ->  unit 1: ...
 *                                               ...
 *                                               R2: if lo <= g <= 2  ->  back to G_lo
 *                                               p
 *
 * A unit is a structured part of the region with one entry (a node of its structural reduction), mostly one block. Units
 * stand in topological order with cycles contiguous; an edge to an earlier unit is caught by a back block behind its source
 * unit. Ranges of back blocks are nested or disjoint: crossing ones are widened to the outer start. */
#include "passes/transform/linearize.h"
#include "lib/diag.h"
#include <limits.h>

typedef struct Build {
	Lin *lin;
	Edit *e;
	const Region *r;
	Function *f;
	int n, exit_id, thread_exit_id; /* units; value of g for p; for `exit` in a device function that also returns */
	int g, q;                       /* registers: the guard variable, its test */
	int *into, *pos;                /* block -> its unit's first block; that -> position */
	int *first, *lo;                /* position -> first block; start of the range of its back block, -1 = none */
	Graph *units;
	Block **guard, **back, *after;  /* after: p */
} Build;

static Block *block(const Build *u, int id) { return u->lin->flow->cfg->f->block.v[id]; }
static bool inside(const Build *u, int b) { return b < u->lin->flow->x && bs_has(u->r->in, b); }
static int unit_of(const Build *u, int b) { return u->pos[graph_into(u->into, b)]; }

enum { FIRST = -1, LAST = INT_MAX };  /* anchors: before and behind all blocks */

/* A new block right before or behind block number anchor, from which it takes its place in the source. */
static Block *place(Build *u, int anchor, bool behind, const char *base, const char *tail)
{
	Block *b = edit_block(u->e, base, tail);
	bool at_end = anchor == FIRST || anchor == LAST;
	int key = at_end ? anchor : anchor * 3 + (behind ? 2 : 0);
	b->loc = block(u, anchor == FIRST ? 0 : at_end ? u->lin->flow->cfg->n - 1 : anchor)->loc;
	vec_push(&u->lin->placed, ((Placed){ key, u->lin->placed.n, b }));
	return b;
}

/* The value of g on an edge to block s: its unit, or p. */
static int value(const Build *u, const Block *s) { return inside(u, s->id) ? unit_of(u, s->id) : u->exit_id; }

static int exit_value(const Build *u, const Ins *term)
{
	return term->op == OP_EXIT && u->thread_exit_id ? u->thread_exit_id : u->exit_id;
}

static void find_units(Build *u)
{
	const Flow *w = u->lin->flow;
	Arena *a = w->arena;
	BitSet keep = bs_new(a, w->g->n), heads = bs_new(a, w->g->n);
	u->units = region_graph(a, w, u->r);
	u->into = arena_array(a, int, w->g->n);
	u->pos = arena_array(a, int, w->g->n);
	u->first = arena_array(a, int, w->g->n);
	u->lo = arena_array(a, int, w->g->n);
	bs_add(keep, w->e);
	bs_add(keep, w->x);
	graph_reduce(u->units, w->e, u->r->in, keep, u->into);
	bs_each(u->r->in, b)
		if (u->into[b] == b)
			bs_add(heads, b);
	u->n = graph_order(a, u->units, heads, u->first, NULL);
	for (int i = 0; i < u->n; i++)
		u->pos[u->first[i]] = i;
}

/* Where the back block of each unit starts. Ascending order: when unit i's range is widened, those before are final. Of ranges
   with the same start the longest stays: threads of one cycle go back together. */
static void find_back(Build *u)
{
	for (int i = 0; i < u->n; i++) {
		const IntList *s = &u->units->succ[u->first[i]];
		u->lo[i] = -1;
		for (int k = 0; k < s->n; k++) {
			if (s->v[k] == u->lin->flow->x || u->pos[s->v[k]] > i)
				continue;
			if (u->lo[i] < 0 || u->pos[s->v[k]] < u->lo[i])
				u->lo[i] = u->pos[s->v[k]];
		}
		for (int k = i - 1; u->lo[i] >= 0 && k >= u->lo[i]; k--)
			if (u->lo[k] >= 0 && u->lo[k] < u->lo[i])
				u->lo[i] = u->lo[k];
	}
	int *last = arena_array(u->lin->flow->arena, int, u->n); /* by start: one more than the last unit that has it */
	for (int i = 0; i < u->n; i++)
		if (u->lo[i] >= 0)
			last[u->lo[i]] = i + 1;
	for (int i = 0; i < u->n; i++)
		if (u->lo[i] >= 0 && last[u->lo[i]] != i + 1)
			u->lo[i] = -1;
}

/* p when it is the virtual exit: a block that ends the threads, after a choice when the function both returns and exits. */
static void make_exit(Build *u)
{
	bool ret = false, exit = false;
	Ins like = block(u, u->first[u->n - 1])->ins.v[0];
	bs_each(u->r->in, b) {
		if (!block(u, b)->nsucc)
			like = *block_term(block(u, b));
		ret |= block_term(block(u, b))->op == OP_RET;
		exit |= block_term(block(u, b))->op == OP_EXIT;
	}
	u->after = place(u, LAST, true, u->f->name, "_exit");
	if (ret && exit && u->f->kind != FN_KERNEL) {
		u->thread_exit_id = u->n + 1;
		Block *gone = place(u, LAST, true, u->f->name, "_gone"), *back = place(u, LAST, true, u->f->name, "_ret");
		Ins *i = edit_ins(u->e, u->after, &like, OP_SETP, T_U32, 1, 2);
		i->cmp = CMP_EQ;
		i->opd[0] = opd_reg(u->q);
		i->opd[1] = opd_reg(u->g);
		i->opd[2] = opd_imm(u->thread_exit_id);
		edit_branch(u->e, u->after, &like, u->q, gone, back);
		edit_ins(u->e, gone, &like, OP_EXIT, T_NONE, 0, 0);
		edit_ins(u->e, back, &like, OP_RET, T_NONE, 0, 0);
		return;
	}
	Op op = ret || (!exit && u->f->kind != FN_KERNEL) ? OP_RET : OP_EXIT;
	edit_ins(u->e, u->after, &like, op, T_NONE, 0, 0);
}

/* q = g cmp value [and q] */
static void test(Build *u, Block *b, const Ins *like, Cmp cmp, int value, bool and)
{
	Ins *i = edit_ins(u->e, b, like, OP_SETP, T_U32, 1, and ? 3 : 2);
	i->cmp = cmp;
	i->opd[0] = opd_reg(u->q);
	i->opd[1] = opd_reg(u->g);
	i->opd[2] = opd_imm(value);
	if (and) {
		i->boolop = BOOL_AND;
		i->opd[3] = opd_reg(u->q);
	}
}

static Block *behind(const Build *u, int i)
{
	return u->back[i] ? u->back[i] : i + 1 < u->n ? u->guard[i + 1] : u->after;
}

static void make_guards(Build *u)
{
	Arena *a = u->lin->flow->arena;
	u->guard = arena_array(a, Block *, u->n);
	u->back = arena_array(a, Block *, u->n);
	for (int i = 0; i < u->n; i++) {
		Block *head = block(u, u->first[i]);
		int last = head->id;
		bs_each(u->r->in, b)
			if (b > last && unit_of(u, b) == i)
				last = b;
		u->guard[i] = place(u, head->id, false, head->label, "_guard");
		if (u->lo[i] >= 0)
			u->back[i] = place(u, last, true, head->label, "_back");
	}
	for (int i = 0; i < u->n; i++) {
		Block *head = block(u, u->first[i]);
		Ins like = head->ins.v[0];
		test(u, u->guard[i], &like, CMP_EQ, i, false);
		edit_branch(u->e, u->guard[i], &like, u->q, head, behind(u, i));
		vec_push(u->lin->guards, ((Guard){ u->guard[i], false, u->g, u->q, i, i, u->n + 2 }));
		if (!u->back[i])
			continue;
		like = *block_term(head);
		if (u->lo[i] > 0)
			test(u, u->back[i], &like, CMP_GE, u->lo[i], false);
		test(u, u->back[i], &like, CMP_LE, i, u->lo[i] > 0);
		edit_branch(u->e, u->back[i], &like, u->q, u->guard[u->lo[i]], i + 1 < u->n ? u->guard[i + 1] : u->after);
		vec_push(u->lin->guards, ((Guard){ u->back[i], true, u->g, u->q, u->lo[i], i, u->n + 2 }));
	}
}

/* The block, which ends with bra, ret or exit, ends with: g = yes or no by the branch's condition; go to `to`. */
static void choose(Build *u, Block *b, int yes, int no, Block *to)
{
	Ins term = edit_cut_term(u->e, b);
	const Opd *condition = yes == no ? NULL : ins_src(&term, 0);
	if (!condition || condition->kind == OPD_IMM) {
		edit_mov(u->e, b, &term, u->g, !condition || condition->imm ? yes : no);
	} else {
		Ins *i = edit_ins(u->e, b, &term, OP_SELP, T_U32, 1, 3);
		i->opd[0] = opd_reg(u->g);
		i->opd[1] = opd_imm(condition->neg ? no : yes);
		i->opd[2] = opd_imm(condition->neg ? yes : no);
		i->opd[3] = opd_reg(condition->id);
	}
	edit_jump(u->e, b, &term, to);
}

/* The edges b -> s go through a new block that sets g. */
static void split(Build *u, Block *b, Block *s, int value, Block *to)
{
	char tail[32];
	snprintf(tail, sizeof tail, "_to%d", value);
	Block *mid = place(u, b->id, true, b->label, tail);
	edit_mov(u->e, mid, block_term(b), u->g, value);
	edit_jump(u->e, mid, block_term(b), to);
	edit_retarget(u->e, b, s, mid);
	b->reconverge = NULL;
}

static bool leaves(const Build *u, int i, const Block *s)
{
	if (s->id < u->lin->flow->cfg->n && bs_has(u->lin->flow->cfg->fatal, s->id))
		return false;
	if (!inside(u, s->id) || unit_of(u, s->id) != i)
		return true;
	return s->id == u->first[i] && list_has(&u->units->succ[u->first[i]], u->first[i]);
}

/* b's edges out of unit i get their assignments to g and lead to `to`. */
static void leave_block(Build *u, int i, Block *b, Block *to)
{
	int n = 0;
	for (int k = 0; k < b->nsucc; k++)
		n += leaves(u, i, b->succ[k]);
	if (b->nsucc == 0) {
		int v = exit_value(u, block_term(b));
		choose(u, b, v, v, to);
	} else if (n == b->nsucc && block_term(b)->op == OP_BRA) {
		choose(u, b, value(u, b->succ[0]), value(u, b->succ[n - 1]), to);
	} else {
		for (int k = 0; k < b->nsucc; k++)
			if (b->succ[k]->id < u->lin->flow->cfg->n && leaves(u, i, b->succ[k]))
				split(u, b, b->succ[k], value(u, b->succ[k]), to);
	}
}

/* A unit of several blocks that goes on to one place, its first block in no cycle of its own: g is set once, there. */
static bool leave_once(Build *u, int i, const int *member, int n, Block *to)
{
	Block *head = block(u, u->first[i]);
	int target = -1;
	for (int k = 0; k < n; k++) {
		Block *b = block(u, member[k]);
		if (!b->nsucc)
			return false;
		for (int s = 0; s < b->nsucc; s++) {
			if (!leaves(u, i, b->succ[s])) {
				if (b->succ[s] == head)
					return false;
				continue;
			}
			if (target >= 0 && target != value(u, b->succ[s]))
				return false;
			target = value(u, b->succ[s]);
		}
	}
	if (n < 2 || target < 0)
		return false;
	Ins mov = ins_make(u->e->m, OP_MOV, T_U32, 1, 1);
	const Ins *term = block_term(head);
	mov.origin = u->e->origin;
	mov.file = term->file;
	mov.line = term->line;
	mov.col = term->col;
	mov.opd[0] = opd_reg(u->g);
	mov.opd[1] = opd_imm(target);
	int last = head->ins.n - 1; /* vec_insert evaluates it more than once */
	vec_insert(&head->ins, last, mov);
	for (int k = 0; k < n; k++) {
		Block *b = block(u, member[k]);
		for (int s = 0; s < b->nsucc; s++)
			if (b->succ[s] != to && leaves(u, i, b->succ[s])) {
				edit_retarget(u->e, b, b->succ[s], to);
				b->reconverge = NULL;
			}
	}
	return true;
}

static void leave_units(Build *u)
{
	int *member = xmalloc(sizeof *member * (size_t)(u->r->n + 1));
	for (int i = 0; i < u->n; i++) {
		int n = 0;
		bs_each(u->r->in, b)
			if (unit_of(u, b) == i)
				member[n++] = b;
		if (leave_once(u, i, member, n, behind(u, i)))
			continue;
		for (int k = 0; k < n; k++)
			leave_block(u, i, block(u, member[k]), behind(u, i));
	}
	free(member);
}

/* d's edges into the region set g and lead to the first guard. */
static void enter(Build *u)
{
	if (u->r->d == u->lin->flow->e) {
		Block *entry = place(u, FIRST, false, u->f->name, "_entry");
		const Ins like = block(u, 0)->ins.v[0];
		edit_mov(u->e, entry, &like, u->g, unit_of(u, 0));
		edit_jump(u->e, entry, &like, u->guard[0]);
		return;
	}
	Block *d = block(u, u->r->d);
	int n = 0;
	for (int k = 0; k < d->nsucc; k++)
		n += inside(u, d->succ[k]->id);
	if (n == d->nsucc && block_term(d)->op == OP_BRA) {
		choose(u, d, value(u, d->succ[0]), value(u, d->succ[n - 1]), u->guard[0]);
		return;
	}
	for (int k = 0; k < d->nsucc; k++)
		if (inside(u, d->succ[k]->id))
			split(u, d, d->succ[k], value(u, d->succ[k]), u->guard[0]);
}

void linearize_region(Lin *l, const Region *r)
{
	Build u = { .lin = l, .e = l->edit, .r = r, .f = l->edit->f };
	find_units(&u);
	find_back(&u);
	must(u.n > 0);
	u.exit_id = u.n;
	u.g = edit_reg(u.e, "guard", T_U32);
	u.q = edit_reg(u.e, "guarded", T_PRED);
	if (r->p == l->flow->x)
		make_exit(&u);
	else
		u.after = block(&u, r->p);
	make_guards(&u);
	enter(&u);
	leave_units(&u);
}
