/* Chooses which expressions move, apart from the equations: which may be speculated, and how many the limit
   of registers allows. Makes the remarks about them. */
#include "lib/strbuf.h"
#include "passes/fit.h"
#include "passes/transform/facts.h"
#include "passes/transform/motion/motion.h"
#include "passes/transform/transform.h"

/* ---- loads ---- */

static Ins marked(const Ins *i)
{
	Ins m = *i;
	m.flags |= INSF_NONFAULTING;
	return m;
}

/* A thread may compute the expression where the program does not, if it cannot fault. */
bool motion_may_speculate(const Motion *w, int e)
{
	const Ins *i = w->x->pattern[e];
	Ins m = marked(i);
	if (i->op != OP_LD || i->flags & INSF_NONFAULTING)
		return true;
	return (i->space == SP_PARAM && ins_src(i, 0)->kind != OPD_REG) ||
		(w->nonfaulting && ins_allowed(w->r->m, w->r->f, &m));
}

/* The load cannot fault at the place of the action. A place on an edge is as safe as the start of the block
   to which the edge leads. */
static bool safe_there(const Motion *w, const SafeLoads *s, const Action *a)
{
	const Points *p = w->p;
	const Ins *i = w->x->pattern[a->expr];
	if (a->block >= p->c->n)
		return safe_load(s, i, p->to[a->block], 0) != SAFE_NOT;
	return safe_load(s, i, a->block, a->exit ? w->r->f->block.v[a->block]->ins.n - 1 : 0) != SAFE_NOT;
}

void motion_mark_loads(Motion *w)
{
	const SafeLoads *s = NULL;
	for (int k = 0; k < w->plan.action.n && w->nonfaulting; k++) {
		Action *a = &w->plan.action.v[k];
		const Ins *i = w->x->pattern[a->expr];
		Ins m = marked(i);
		if (a->kind != INSERTED || i->op != OP_LD || i->flags & INSF_NONFAULTING ||
			!ins_allowed(w->r->m, w->r->f, &m))
			continue;
		if (!s)
			s = analysis_safe(w->r->an);
		a->marked = !safe_there(w, s, a);
	}
}

/* ---- registers ---- */

/* An expression of the plan, and at how many nodes its temporary lives. Sorted, those come first whose
   temporaries live shortest. */
typedef struct MotionRank { int64_t live; int expr; } MotionRank;

static int by_live(const void *x, const void *y)
{
	const MotionRank *a = x, *b = y;
	if (a->live != b->live)
		return a->live < b->live ? -1 : 1;
	return a->expr < b->expr ? -1 : a->expr > b->expr;
}

static int rank(Motion *w, MotionRank *list)
{
	BitSet seen = bs_new(&w->arena, w->x->n);
	int n = 0;
	for (int k = 0; k < w->plan.action.n; k++) {
		int e = w->plan.action.v[k].expr;
		if (!bs_has(seen, e))
			list[n++] = (MotionRank){ w->lives[e], e };
		bs_add(seen, e);
	}
	if (n)
		qsort(list, (size_t)n, sizeof *list, by_live);
	return n;
}

static void plan_of(const Motion *w, BitSet with, MotionPlan *to)
{
	to->action.n = 0;
	for (int k = 0; k < w->plan.action.n; k++)
		if (bs_has(with, w->plan.action.v[k].expr))
			vec_push(&to->action, w->plan.action.v[k]);
}

typedef struct MotionFitting { const Motion *w; const MotionRank *list; } MotionFitting;

/* Moves the first n expressions of the list. */
static void move_first(void *self, PassRun *trial, int n)
{
	const MotionFitting *x = self;
	Arena tmp = { 0 };
	BitSet with = bs_new(&tmp, x->w->x->n);
	MotionPlan plan = { 0 };
	for (int k = 0; k < n; k++)
		bs_add(with, x->list[k].expr);
	plan_of(x->w, with, &plan);
	motion_apply(trial, x->w->p, x->w->x, &plan);
	vec_free(&plan.action);
	arena_free(&tmp);
}

/* Keeps as many expressions in the plan as the limit allows, those first whose temporaries live shortest. The
   limit is at least the number of registers that live at once already. */
void motion_fit(Motion *w)
{
	if (!w->limit || !w->plan.action.n)
		return;
	MotionRank *list = arena_array(&w->arena, MotionRank, w->plan.action.n + 1);
	int n = rank(w, list), now = pressure_max(w->r->f), limit = w->limit > now ? w->limit : now,
		moved = fit_changes(w->r, n, limit, move_first, &(MotionFitting){ w, list });
	BitSet with = bs_new(&w->arena, w->x->n);
	MotionPlan left = { 0 };
	for (int k = 0; k < moved; k++)
		bs_add(with, list[k].expr);
	for (int k = moved; k < n; k++) {
		const Ins *i = w->x->pattern[list[k].expr];
		pass_remark(w->r, ins_loc(w->r->m, i), "%s stays: more than %d registers would live at once",
			op_info[i->op].name, limit);
	}
	w->refused = n - moved;
	plan_of(w, with, &left);
	vec_free(&w->plan.action);
	w->plan = left;
}

/* ---- what is said ---- */

static const char *point_label(const Motion *w, int block)
{
	const Points *p = w->p;
	int from = block < p->c->n ? block : p->from[block];
	return w->r->f->block.v[from]->label;
}

static void name_places(const Motion *w, const Action *a, int n, ActionKind kind, const char *words,
	StrBuf *s)
{
	bool any = false;
	for (int k = 0; k < n; k++) {
		if (a[k].kind != kind)
			continue;
		if (!any)
			sb_printf(s, "%s %s ", s->n ? ";" : ":", words);
		sb_printf(s, "%s%s%s", any ? ", " : "", point_label(w, a[k].block),
			a[k].block < w->p->c->n ? "" : " (on the edge behind it)");
		any = true;
	}
}

static int by_expression(const void *x, const void *y)
{
	const Action *a = x, *b = y;
	if (a->expr != b->expr)
		return a->expr < b->expr ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

/* Has an earlier round moved the expression? */
static bool moved_before(const Motion *w, int expr)
{
	for (int o = w->x->occurrence_first[expr]; o >= 0; o = w->x->occurrence_next[o]) {
		const Occurrence *at = &w->x->occurrence[o];
		if (w->c->f->block.v[at->block]->ins.v[at->ins].origin == w->r->origin)
			return true;
	}
	return false;
}

static const char *why_left(const Motion *w, int expr)
{
	if (w->how->speculation && !motion_may_speculate(w, expr))
		return "no way would compute it less often, and it may fault where the program has none";
	return w->how->sparse ? "no way would compute it less often, and no fewer places would do"
		: "no way would compute it less often";
}

static void remark_left(const Motion *w, const bool *moves)
{
	for (int e = 0; e < w->x->n; e++) {
		int o = w->x->occurrence_first[e];
		const Ins *i = w->x->pattern[e];
		if (moves[e] || w->x->occurrence_next[o] < 0 || i->op == OP_MOV || moved_before(w, e))
			continue;
		pass_remark(w->r, ins_loc(w->r->m, i), "%s of %s stays: %s", op_info[i->op].name,
			point_label(w, w->x->occurrence[o].block), why_left(w, e));
	}
}

void motion_remark(Motion *w)
{
	PassLog *log = w->r->log;
	int n = w->plan.action.n;
	if (!log || !log->remarks)
		return;
	Action *list = arena_array(&w->arena, Action, n + 1);
	bool *moves = arena_array(&w->arena, bool, w->x->n + 1);
	if (n) {
		memcpy(list, w->plan.action.v, sizeof *list * (size_t)n);
		qsort(list, (size_t)n, sizeof *list, by_expression);
	}
	for (int from = 0, to; from < n; from = to) {
		StrBuf s = { 0 };
		const Ins *i = w->x->pattern[list[from].expr];
		for (to = from; to < n && list[to].expr == list[from].expr;)
			to++;
		moves[list[from].expr] = true;
		name_places(w, list + from, to - from, INSERTED, "new in", &s);
		name_places(w, list + from, to - from, SAVED, "kept in", &s);
		name_places(w, list + from, to - from, REPLACED, "read in", &s);
		pass_remark(w->r, ins_loc(w->r->m, i), "%s%s", op_info[i->op].name, s.s);
		sb_free(&s);
	}
	remark_left(w, moves);
}
