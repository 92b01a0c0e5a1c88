/* Writes the code of a plan: each expression gets a temporary, which is computed where the plan says, and
   read where the expression was computed before. */
#include "passes/transform/facts.h"
#include "passes/transform/motion/motion.h"

typedef struct Apply {
	PassRun *r;
	Edit e;
	Arena arena;
	const Points *p;
	const Expressions *x;
	int *temp;                     /* by expression: its temporary, a register; -1: it has none yet */
	int *begin;                    /* by block: number of its first occurrence in Expressions */
	/* by expression: what happens to it at the start, and at the end, of the block at hand */
	ActionKind *at[2];
	Block **on_edge;               /* by block of Points: the new block on its edge; NULL: none so far */
	Applied done;
} Apply;

/* The expression's temporary, which is made at the first question. It has the type of the register that the
   first occurrence writes; the registers of all occurrences have the same width. */
static int temp_of(Apply *w, int expr)
{
	if (w->temp[expr] < 0)
		w->temp[expr] = edit_temp(&w->e, (Type)w->r->f->reg.v[ins_dst(w->x->pattern[expr],
			0)->id].type);
	return w->temp[expr];
}

static Ins computation(Apply *w, const Action *a)
{
	int expr = a->expr;
	Ins i = edit_copy(&w->e, w->x->pattern[expr]);
	*ins_dst(&i, 0) = opd_reg(temp_of(w, expr));
	i.origin = w->r->origin;
	i.melded = i.mark = 0;
	if (a->marked)
		i.flags |= INSF_NONFAULTING;
	w->done.inserted++;
	return i;
}

/* "d = e" becomes "t = e; d = t": the first one has the marks of the old instruction, the move is new. */
static void save_value(Apply *w, Rewrite *rw, const Ins *i, int expr)
{
	Ins copy = edit_copy(&w->e, i);
	*ins_dst(&copy, 0) = opd_reg(temp_of(w, expr));
	edit_put(rw, copy);
	Ins move = ins_move(w->r->m, w->r->f, i, ins_dst(i, 0)->id, w->temp[expr]);
	move.origin = w->r->origin;
	move.melded = 0;
	edit_put(rw, move);
	w->done.saved++;
}

static void read_temporary(Apply *w, Rewrite *rw, const Ins *i, int expr)
{
	edit_put_instead(rw, ins_move(w->r->m, w->r->f, i, ins_dst(i, 0)->id, temp_of(w, expr)));
	w->done.replaced++;
}

static void put_occurrence(Apply *w, Rewrite *rw, const Ins *i, const Occurrence *o)
{
	int half = o && !o->first;
	ActionKind *kind = o && (o->first || o->last) ? &w->at[half][o->expression] : NULL;
	if (kind && *kind == SAVED) {
		save_value(w, rw, i, o->expression);
		*kind = REPLACED;          /* later computations in this block read the temporary */
	} else if (kind && (*kind == REPLACED || *kind == INSERTED)) {
		read_temporary(w, rw, i, o->expression);
	} else {
		edit_put(rw, *i);
	}
}

static void rewrite_motion(Apply *w, Block *b, const Action *action, int n)
{
	Rewrite rw;
	const Occurrence *o = w->x->occurrence + w->begin[b->id], *end = w->x->occurrence + w->x->noccurrence;
	int k = 0, last = b->ins.n - 1;
	for (int a = 0; a < n; a++)
		w->at[action[a].exit][action[a].expr] = action[a].kind;
	for (const Ins *i = edit_rewrite(&rw, &w->e, b); i; i = edit_next(&rw), k++) {
		bool here = o < end && o->block == b->id && o->ins == k;
		for (int a = 0; a < n && (!k || k == last); a++)
			if (action[a].kind == INSERTED && (action[a].exit ? k == last : !k))
				edit_put(&rw, computation(w, &action[a]));
		put_occurrence(w, &rw, i, here ? o : NULL);
		o += here;
	}
	for (int a = 0; a < n; a++)
		w->at[action[a].exit][action[a].expr] = STAYS;
}

static void put_on_edge(Apply *w, const Action *a)
{
	const Points *p = w->p;
	Block *from = w->r->f->block.v[p->from[a->block]], *to = w->r->f->block.v[p->to[a->block]];
	if (!w->on_edge[a->block]) {
		w->on_edge[a->block] = edit_split_edge(&w->e, from, to, "_edge");
		w->done.split++;
	}
	edit_insert(&w->e, w->on_edge[a->block], w->on_edge[a->block]->ins.n - 1, computation(w, a));
}

static int by_block(const void *x, const void *y)
{
	const Action *a = x, *b = y;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	return a->expr < b->expr ? -1 : a->expr > b->expr;
}

static void open_apply(Apply *w)
{
	const Expressions *x = w->x;
	w->temp = arena_array(&w->arena, int, x->n + 1);
	w->begin = arena_array(&w->arena, int, w->p->c->n + 1);
	w->on_edge = arena_array(&w->arena, Block *, w->p->n + 1);
	for (int k = 0; k < 2; k++)
		w->at[k] = arena_array(&w->arena, ActionKind, x->n + 1);
	for (int e = 0; e < x->n; e++)
		w->temp[e] = -1;
	for (int o = x->noccurrence; o-- > 0;)
		w->begin[x->occurrence[o].block] = o;
}

Applied motion_apply(PassRun *r, const Points *p, const Expressions *x, const MotionPlan *plan)
{
	Apply w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .p = p, .x = x };
	int n = plan->action.n;
	Action *list = arena_array(&w.arena, Action, n + 1);
	/* a copy of the patterns: those of Expressions are instructions of blocks, which move when these are
	   rewritten */
	Ins *pattern = arena_array(&w.arena, Ins, x->n + 1);
	const Ins **of = arena_array(&w.arena, const Ins *, x->n + 1);
	Expressions view = *x;
	for (int e = 0; e < x->n; e++) {
		pattern[e] = *x->pattern[e];
		of[e] = &pattern[e];
	}
	view.pattern = of;
	w.x = &view;
	open_apply(&w);
	if (n)
		memcpy(list, plan->action.v, sizeof *list * (size_t)n);
	qsort(list, (size_t)n, sizeof *list, by_block);
	for (int from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && list[to].block == list[from].block;)
			to++;
		if (list[from].block < p->c->n)
			rewrite_motion(&w, r->f->block.v[list[from].block], list + from, to - from);
		for (int k = from; list[from].block >= p->c->n && k < to; k++)
			put_on_edge(&w, &list[k]);
	}
	edit_close(&w.e);
	arena_free(&w.arena);
	return w.done;
}
