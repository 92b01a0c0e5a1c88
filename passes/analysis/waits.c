/* The search from a loop's exits back to what a turn reads anew. */
#include "passes/analysis/waits_own.h"
#include "passes/analysis/print.h"

enum { FAR = SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_SHARED) }; /* where others write what a thread reads */

bool waits_for(const Effects *e) { return e->writes & FAR || e->ordered; }

/* Others may decide what the instruction gives in the next turn. */
static bool reads_anew(const Search *x, const Ins *i, const Effects *e)
{
	return i->cop != COP_NC && e->reads & FAR && (e->ordered || e->reads & x->written & FAR);
}

/* ---- what decides ---- */

static void want(Search *x, int version)
{
	if (version < 0 || x->version[version] == x->now || !waits_inside(x, version))
		return;
	x->version[version] = x->now;
	vec_push(&x->todo, version);
}

static void want_uses(Search *x, int block, int ins)
{
	const Ins *i = &x->c->f->block.v[block]->ins.v[ins];
	int number = x->ssa->ins_first[block] + ins, end = ssa_mark_use(x->ssa, x->c->f, i, number);
	for (int k = x->ssa->use_first[number]; k < end; k++)
		want(x, x->ssa->use[k]);
}

/* Whether threads come to the block in a turn. */
static void want_block(Search *x, int block)
{
	if (x->block[block] == x->now || !loop_has(x->c, x->l, block))
		return;
	x->block[block] = x->now;
	vec_push(&x->ways, block);
}

static void want_branch(void *self, int branch, int to)
{
	Search *x = self;
	(void)to;
	if (branch == CONTROL_ENTRY || !loop_has(x->c, x->l, branch))
		return;
	want_uses(x, branch, x->c->f->block.v[branch]->ins.n - 1);
	want_block(x, branch);
}

/* A plain load gives what the loop has stored before, perhaps: not told apart by addresses. */
static void want_stores(Search *x, uint8_t spaces)
{
	if (!(spaces & ~x->stored))
		return;
	x->stored |= spaces;
	loop_each(x->c, x->l, b)
		for (int k = 0; k < b->ins.n; k++)
			if (ins_effects(x->effects, &b->ins.v[k]).writes & spaces) {
				want_uses(x, b->id, k);
				want_block(x, b->id);
			}
}

static void look_at(Search *x, int version)
{
	const SsaVersion *v = &x->ssa->version[version];
	if (v->old >= 0)
		want(x, v->old);
	if (v->phi >= 0) {
		const IntList *pred = &x->c->graph->pred[v->block];
		for (int k = 0; k < x->ssa->phi[v->phi].narg; k++)
			want(x, x->ssa->phi[v->phi].arg[k]);
		for (int k = 0; k < pred->n; k++)
			want_block(x, pred->v[k]);
		x->goes_on |= waits_turns(x, version) && waits_goes_on(x, v->phi);
		return;
	}
	const Ins *i = waits_writer(x, version);
	Effects e = ins_effects(x->effects, i);
	if (reads_anew(x, i, &e))
		*(e.ordered ? &x->ordered : &x->plain) = i;
	want_stores(x, e.reads & SPACES_WRITTEN);
	want_uses(x, v->block, v->ins);
}

/* ---- a loop ---- */

static bool leaves(const Search *x, const Block *b)
{
	for (int k = 0; k < b->nsucc; k++)
		if (!loop_has(x->c, x->l, b->succ[k]->id) && !bs_has(x->c->fatal, b->succ[k]->id))
			return true;
	return false;
}

static void want_exits(Search *x, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		bool ends = op_info[i->op].kind == K_CALL && ins_effects(x->effects, i).ends;
		if (ends || (k == b->ins.n - 1 && leaves(x, b))) {
			want_uses(x, b->id, k);
			want_block(x, b->id);
		}
	}
}

/* What the loop reads anew, when threads leave it by that alone; or NULL. */
static const Ins *watched(Search *x, const Loop *l)
{
	x->l = l;
	x->now++;
	x->ordered = x->plain = NULL;
	x->goes_on = false;
	x->stored = 0;
	loop_each(x->c, l, b)
		want_exits(x, b);
	while ((x->todo.n || x->ways.n) && !x->ordered)
		if (x->ways.n)
			control_branches(x->control, vec_pop(&x->ways), want_branch, x);
		else
			look_at(x, vec_pop(&x->todo));
	vec_clear(&x->todo);
	vec_clear(&x->ways);
	const Ins *by = x->ordered ? x->ordered : x->goes_on ? NULL : x->plain;
	return by && !waits_bounded(x) ? by : NULL;
}

/* ---- a function ---- */

/* There is something in the loop for which its threads could wait. */
static bool may(const Search *x, const Loop *l)
{
	loop_each(x->c, l, b)
		for (int k = 0; k < b->ins.n; k++) {
			Effects e = ins_effects(x->effects, &b->ins.v[k]);
			if (reads_anew(x, &b->ins.v[k], &e))
				return true;
		}
	return false;
}

/* The function itself has a cycle, and an ordered access that reads. One that calls itself in place of a
   cycle does not wait: its stack would be full. */
static bool may_spin(const Search *x, Function *f)
{
	Arena tmp = { 0 };
	bool reads = false;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			Effects e = ins_effects(x->effects, &f->block.v[b]->ins.v[k]);
			reads |= e.ordered && e.reads & FAR && op_info[f->block.v[b]->ins.v[k].op].kind != K_CALL;
		}
	bool is = reads && cfg_build(&tmp, f)->nest->nloop;
	arena_free(&tmp);
	return is;
}

/* A call of the function, or of any where it is not known which: does it, or one that it calls, wait? */
static bool call_waits(Search *x, const Ins *i, const Effects *e)
{
	const Module *m = x->effects->m;
	bool known = ins_src(i, 0)->kind == OPD_FUNC, is = false;
	if (!e->ordered || !(e->reads & FAR))
		return false;
	int8_t *answer = known ? &x->calls[ins_src(i, 0)->id] : NULL;
	if (known && *answer)
		return *answer > 0;
	Arena tmp = { 0 };
	BitSet called = bs_new(&tmp, m->func.n);
	if (known)
		module_uses(m, ins_src(i, 0)->id, called, bs_new(&tmp, m->symbol.n));
	for (int k = 0; k < m->func.n && !is; k++)
		is = (known ? bs_has(called, k) : m->func.v[k]->kind == FN_DEVICE) && may_spin(x, m->func.v[k]);
	arena_free(&tmp);
	if (known)
		*answer = is ? 1 : -1;
	return is;
}

static void look_at_block(Search *x, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++) {
		Effects e = ins_effects(x->effects, &b->ins.v[k]);
		x->written |= e.writes;
		if (op_info[b->ins.v[k].op].kind == K_CALL && !x->w->call[b->id] && call_waits(x, &b->ins.v[k], &e)) {
			x->w->call[b->id] = &b->ins.v[k];
			x->w->n++;
		}
	}
}

Waits *waits_build(Arena *a, const Cfg *c, const Dom *dom, const Loops *loops, const Control *control,
	const Ssa *ssa, const EffectTable *effects)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	Waits *w = arena_new(a, Waits);
	*w = (Waits){ .m = effects->m, .c = c, .loops = loops };
	w->loop = arena_array(a, const Ins *, loops->n + 1);
	w->call = arena_array(a, const Ins *, c->n + 1);
	Search x = { .w = w, .c = c, .dom = dom, .control = control, .ssa = ssa, .effects = effects };
	int **by_version[] = { &x.version, &x.been };
	for (size_t k = 0; k < sizeof by_version / sizeof *by_version; k++)
		*by_version[k] = arena_array(&tmp, int, ssa->n + 1);
	x.block = arena_array(&tmp, int, c->n + 1);
	x.calls = arena_array(&tmp, int8_t, effects->m->func.n + 1);
	x.written = c->f->kind == FN_KERNEL ? 0 : FAR;
	for (int k = 0; k < c->nreach; k++)
		look_at_block(&x, c->rpo[k]);
	for (int k = 0; k < loops->n; k++)
		if (may(&x, &loops->loop[k])) {
			w->loop[k] = watched(&x, &loops->loop[k]);
			w->n += w->loop[k] != NULL;
		}
	vec_free(&x.todo);
	vec_free(&x.ways);
	vec_free(&x.back);
	arena_free(&tmp);
	return w;
}

/* ---- questions ---- */

bool waits_in(const Waits *w, int block, int outside, Wait *found)
{
	*found = (Wait){ NULL, w->call[block] };
	if (found->by)
		return true;
	for (int k = w->loops->of[block]; k >= 0; k = w->loops->loop[k].parent) {
		if (outside >= 0 && loop_has(w->c, &w->loops->loop[k], outside))
			return false;
		if (!w->loop[k])
			continue;
		*found = (Wait){ w->c->f->block.v[w->loops->loop[k].header], w->loop[k] };
		return true;
	}
	return false;
}

bool waits_within(const Waits *w, int loop, Wait *found)
{
	const Loop *l = &w->loops->loop[loop];
	for (int k = loop; k < w->loops->n && loop_has(w->c, l, w->loops->loop[k].header); k++)
		if (w->loop[k]) {
			*found = (Wait){ w->c->f->block.v[w->loops->loop[k].header], w->loop[k] };
			return true;
		}
	loop_each(w->c, l, b)
		if (w->call[b->id]) {
			*found = (Wait){ NULL, w->call[b->id] };
			return true;
		}
	return false;
}

bool waits_any(const Waits *w, Wait *found)
{
	for (int k = 0; k < w->c->nreach && w->n; k++)
		if (waits_in(w, w->c->rpo[k]->id, -1, found))
			return true;
	return false;
}

Loc waits_loc(const Waits *w, const Wait *x) { return ins_loc(w->m, x->by); }

const char *waits_text(Arena *a, const Wait *w)
{
	const char *name = op_info[w->by->op].name, *what = "may wait for what other threads do";
	if (!w->header)
		return arena_printf(a, "%s in line %d %s", name, w->by->line, what);
	return arena_printf(a, "the loop at %s, by its %s in line %d, %s", w->header->label, name, w->by->line, what);
}

void waits_print(const Cfg *c, const Waits *w, StrBuf *s)
{
	Arena tmp = { 0 };
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id, l = w->loops->of[b];
		if (l >= 0 && w->loops->loop[l].header == b && w->loop[l])
			sb_printf(s, "  %s\n", waits_text(&tmp, &(Wait){ c->rpo[k], w->loop[l] }));
		if (w->call[b])
			sb_printf(s, "  %s\n", waits_text(&tmp, &(Wait){ NULL, w->call[b] }));
	}
	if (!w->n)
		sb_puts(s, "  nothing\n");
	arena_free(&tmp);
}
