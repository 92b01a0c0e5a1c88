/* The search from a loop's exits back to what a turn of the loop reads anew. */
#include "passes/analysis/waits_own.h"
#include "passes/analysis/print.h"
#include "passes/analysis/tree.h"
#include "passes/constants.h"

bool waits_for(const Effects *e) { return e->writes & WAITS_FOR_THREADS || e->ordered; }

/* Does the instruction read what a thread may wait for: in order, or fetched again each time (.cv)? */
static bool is_watching(const Ins *i, const Effects *e) { return e->ordered || i->cop == COP_CV; }

/* May other threads decide what the instruction reads in the next turn? */
static bool reads_anew(const WaitSearch *x, const Ins *i, const Effects *e)
{
	return i->cop != COP_NC && e->reads & x->far && (is_watching(i, e) || e->reads & x->written & x->far);
}

/* ---- what decides ---- */

static void want_version(WaitSearch *x, int version)
{
	if (version < 0 || x->version[version] == x->now || !waits_inside(x, version))
		return;
	x->version[version] = x->now;
	vec_push(&x->todo, version);
}

static void want_uses(WaitSearch *x, int block, int ins)
{
	const Ins *i = &x->c->f->block.v[block]->ins.v[ins];
	int number = x->ssa->ins_first[block] + ins, end = ssa_mark_use(x->ssa, x->c->f, i, number);
	for (int k = x->ssa->use_first[number]; k < end; k++)
		want_version(x, x->ssa->use[k]);
}

/* Puts a block on the list: whether threads leave the loop depends on whether they come to this block in a
   turn. */
static void want_block(WaitSearch *x, int block)
{
	if (x->block[block] == x->now || !loop_has(x->c, x->l, block))
		return;
	x->block[block] = x->now;
	vec_push(&x->ways, block);
}

static void want_branch(void *self, int branch, int to)
{
	WaitSearch *x = self;
	(void)to;
	x->work++;
	if (branch == CONTROL_ENTRY || !loop_has(x->c, x->l, branch))
		return;
	want_uses(x, branch, x->c->f->block.v[branch]->ins.n - 1);
	want_block(x, branch);
}

/* A plain load perhaps gives what the loop has stored before: puts all stores of the loop to these spaces on
   the list, without a look at addresses. */
static void want_stores(WaitSearch *x, uint8_t spaces)
{
	if (!(spaces & ~x->stored))
		return;
	x->stored |= spaces;
	loop_each(x->c, x->l, b)
		for (int k = 0; k < b->ins.n; k++, x->work++)
			if (ins_effects(x->effects, &b->ins.v[k]).writes & spaces) {
				want_uses(x, b->id, k);
				want_block(x, b->id);
			}
}

static void look_at_version(WaitSearch *x, int version)
{
	const SsaVersion *v = &x->ssa->version[version];
	if (v->old >= 0)
		want_version(x, v->old);
	if (v->phi >= 0) {
		const IntList *pred = &x->c->graph->pred[v->block];
		for (int k = 0; k < x->ssa->phi[v->phi].narg; k++)
			want_version(x, x->ssa->phi[v->phi].arg[k]);
		for (int k = 0; k < pred->n; k++)
			want_block(x, pred->v[k]);
		x->goes_on |= waits_turns(x, version) && waits_goes_on(x, v->phi);
		return;
	}
	const Ins *i = waits_writer(x, version);
	Effects e = ins_effects(x->effects, i);
	if (reads_anew(x, i, &e))
		*(is_watching(i, &e) ? &x->ordered : &x->plain) = i;
	want_stores(x, e.reads & SPACES_WRITTEN);
	want_uses(x, v->block, v->ins);
}

/* ---- a loop ---- */

static const Ins *first_anew(const WaitSearch *x, const Loop *l)
{
	int at = x->next[l->first];
	if (at >= l->first + l->n)
		return NULL;
	for (const Ins *i = x->c->rpo[at]->ins.v;; i++) {
		Effects e = ins_effects(x->effects, i);
		if (reads_anew(x, i, &e))
			return i;
	}
}

/* Puts on the list what decides about an exit: instruction `ins` of the block, which is a branch out of the
   loop or a call that may end the thread, and whether threads come to the block. */
static void want_exit(WaitSearch *x, const Block *b, int ins)
{
	want_uses(x, b->id, ins);
	want_block(x, b->id);
}

static void want_exits(WaitSearch *x)
{
	for (int k = x->first[x->l - x->w->loops->loop]; k >= 0; k = x->out.v[k].next) {
		const Block *b = x->c->f->block.v[x->out.v[k].block];
		want_exit(x, b, b->ins.n - 1);
		x->work++;
	}
	if (!x->ends)
		return;
	loop_each(x->c, x->l, b)
		for (int k = 0; k < b->ins.n; k++, x->work++)
			if (op_info[b->ins.v[k].op].kind == K_CALL &&
				ins_effects(x->effects, &b->ins.v[k]).ends)
				want_exit(x, b, k);
}

/* The instruction that reads anew what alone decides whether threads leave the loop; NULL: there is none, the
   loop does not wait. When the steps for all searches are spent: anything that the loop reads anew. */
static const Ins *watched(WaitSearch *x, const Loop *l)
{
	if (x->work >= x->most)
		return first_anew(x, l);
	x->l = l;
	x->now++;
	x->ordered = x->plain = NULL;
	x->goes_on = false;
	x->stored = 0;
	want_exits(x);
	for (; (x->todo.n || x->ways.n) && !x->ordered && x->work < x->most; x->work++)
		if (x->ways.n)
			control_branches(x->control, vec_pop(&x->ways), want_branch, x);
		else
			look_at_version(x, vec_pop(&x->todo));
	vec_clear(&x->todo);
	vec_clear(&x->ways);
	if (x->work >= x->most)
		return first_anew(x, l);
	const Ins *by = x->ordered ? x->ordered : x->goes_on ? NULL : x->plain;
	return by && !waits_bounded(x) ? by : NULL;
}

/* ---- a function ---- */

/* Puts the loops into a tree, below a root whose number is that of the loops. */
static Tree nest_loops(Arena *tmp, const Loops *loops)
{
	Tree t = tree_new(tmp, loops->n + 1);
	tree_root(&t, loops->n);
	for (int k = 0; k < loops->n; k++)
		tree_add(&t, k, loops->loop[k].parent < 0 ? loops->n : loops->loop[k].parent, 0);
	return t;
}

/* By loop: the innermost loop, itself or around it, that reads something anew; -1: there is none. All loops
   around that one do, too. */
static int *loops_anew(Arena *tmp, const WaitSearch *x)
{
	const Loops *loops = x->w->loops;
	int *anew = arena_array(tmp, int, loops->n + 1);
	for (int k = 0; k < loops->n; k++)
		anew[k] = first_anew(x, &loops->loop[k]) ? k
			: loops->loop[k].parent < 0 ? -1 : anew[loops->loop[k].parent];
	return anew;
}

/* Lists the edge from block b with those loops that it leaves and that read something anew: no other loop is
   looked at. Each loop that it leaves counts as a step. */
static void put_way_out(WaitSearch *x, const Tree *t, const int *anew, int b, int to)
{
	const Loops *loops = x->w->loops;
	int from = loops->of[b], into = loops->of[to];
	if (from < 0 || from == into || x->work >= x->most)
		return;
	x->work += t->node[from].depth - t->node[tree_common(t, from, into < 0 ? loops->n : into)].depth;
	for (int l = anew[from]; l >= 0 && x->work < x->most && !loop_has(x->c, &loops->loop[l], to);
		l = loops->loop[l].parent) {
		vec_push(&x->out, ((WayOut){ b, x->first[l] }));
		x->first[l] = x->out.n - 1;
	}
}

/* Finds by place in reverse post-order which block from there on is the first to read something anew. */
static void find_anew(WaitSearch *x, Arena *a)
{
	x->next = arena_array(a, int, x->c->nreach + 1);
	x->next[x->c->nreach] = x->c->nreach;
	for (int at = x->c->nreach; at-- > 0;) {
		const Block *b = x->c->rpo[at];
		x->next[at] = x->next[at + 1];
		for (int k = 0; k < b->ins.n; k++) {
			Effects e = ins_effects(x->effects, &b->ins.v[k]);
			x->next[at] = reads_anew(x, &b->ins.v[k], &e) ? at : x->next[at];
		}
	}
}

/* Finds which blocks read something anew, and which have ways out of which loops. */
static void find_ways(WaitSearch *x, Arena *a)
{
	const Loops *loops = x->w->loops;
	find_anew(x, a);
	x->first = arena_array(a, int, loops->n + 1);
	for (int k = 0; k < loops->n; k++)
		x->first[k] = -1;
	Tree t = nest_loops(a, loops);
	const int *anew = loops_anew(a, x);
	for (int at = x->c->nreach; at-- > 0;) {
		const Block *b = x->c->rpo[at];
		for (int k = 0; k < b->nsucc; k++)
			if (!bs_has(x->c->fatal, b->succ[k]->id))
				put_way_out(x, &t, anew, b->id, b->succ[k]->id);
	}
}

/* May the function call itself, directly or by way of others? True where it calls through a register, as
   nobody knows what. */
static bool calls_itself(const Module *m, Arena *tmp, const Function *f)
{
	BitSet called = bs_new(tmp, m->func.n), symbol = bs_new(tmp, m->symbol.n);
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (op_info[i->op].kind != K_CALL)
				continue;
			if (ins_src(i, 0)->kind != OPD_FUNC)
				return true;
			/* functions that are in the sets already are not looked at again */
			module_uses(m, ins_src(i, 0)->id, called, symbol);
		}
	return bs_has(called, f->id);
}

/* Has the function itself a cycle (or calls it itself), and an ordered access that reads? */
static bool may_spin(const WaitSearch *x, Function *f)
{
	int8_t *answer = &x->spins[f->id];
	if (*answer)
		return *answer > 0;
	Arena tmp = { 0 };
	bool reads = false;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			Effects e = ins_effects(x->effects, &f->block.v[b]->ins.v[k]);
			reads |= is_watching(&f->block.v[b]->ins.v[k], &e) && e.reads & x->far &&
				op_info[f->block.v[b]->ins.v[k].op].kind != K_CALL;
		}
	bool is = reads && (calls_itself(x->effects->m, &tmp, f) || cfg_build(&tmp, f)->nest->nloop);
	arena_free(&tmp);
	*answer = is ? 1 : -1;
	return is;
}

/* May the call wait: does the called function, or one that it calls, wait? Where it is not known which is
   called, any device function may be. */
static bool call_waits(WaitSearch *x, const Ins *i, const Effects *e)
{
	const Module *m = x->effects->m;
	bool known = ins_src(i, 0)->kind == OPD_FUNC, is = false;
	if (!e->ordered || !(e->reads & x->far))
		return false;
	int8_t *answer = known ? &x->calls[ins_src(i, 0)->id] : NULL;
	if (known && *answer)
		return *answer > 0;
	Arena tmp = { 0 };
	BitSet called = bs_new(&tmp, m->func.n);
	if (known)
		module_uses(m, ins_src(i, 0)->id, called, bs_new(&tmp, m->symbol.n));
	for (int k = 0; k < m->func.n && !is; k++)
		is = (known ? bs_has(called, k) : m->func.v[k]->kind == FN_DEVICE) &&
			may_spin(x, m->func.v[k]);
	arena_free(&tmp);
	if (known)
		*answer = is ? 1 : -1;
	return is;
}

static void look_for_waits(WaitSearch *x, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++) {
		Effects e = ins_effects(x->effects, &b->ins.v[k]);
		x->written |= e.writes;
		x->most += WAIT_STEPS;
		x->ends |= op_info[b->ins.v[k].op].kind == K_CALL && e.ends;
		if (op_info[b->ins.v[k].op].kind == K_CALL && !x->w->call[b->id] &&
			call_waits(x, &b->ins.v[k], &e)) {
			x->w->call[b->id] = &b->ins.v[k];
			x->w->n++;
		}
	}
}

/* Fills in w->within, from calls and loops to the loops around them, and w->around, from loops to those
   inside. */
static void spread_waits(Waits *w)
{
	for (int k = 0; k < w->c->nreach; k++) {
		int b = w->c->rpo[k]->id, l = w->loops->of[b];
		if (l >= 0 && w->call[b] && !w->within[l].by)
			w->within[l] = (WaitPlace){ NULL, w->call[b] };
	}
	for (int k = w->loops->n; k-- > 0;) {
		int up = w->loops->loop[k].parent;
		if (w->loop[k])
			w->within[k] = (WaitPlace){ w->c->f->block.v[w->loops->loop[k].header], w->loop[k] };
		if (up >= 0 && w->within[k].by)
			w->within[up] = w->within[k];
	}
	for (int k = 0; k < w->loops->n; k++) {
		int up = w->loops->loop[k].parent;
		w->around[k] = w->loop[k] ? k : up < 0 ? -1 : w->around[up];
	}
}

static Waits *new_waits(Arena *a, const Cfg *c, const Loops *loops, const EffectTable *effects)
{
	Waits *w = arena_new(a, Waits);
	*w = (Waits){ .m = effects->m, .c = c, .loops = loops };
	w->loop = arena_array(a, const Ins *, loops->n + 1);
	w->call = arena_array(a, const Ins *, c->n + 1);
	w->within = arena_array(a, WaitPlace, loops->n + 1);
	w->around = arena_array(a, int, loops->n + 1);
	return w;
}

Waits *waits_build(Arena *a, const Cfg *c, const Dom *dom, const Loops *loops, const Control *control,
	const Ssa *ssa, const EffectTable *effects, uint8_t far)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	Waits *w = new_waits(a, c, loops, effects);
	WaitSearch x = { .w = w, .c = c, .dom = dom, .control = control, .ssa = ssa, .effects = effects,
		.far = far };
	int **by_version[] = { &x.version, &x.been };
	for (size_t k = 0; k < sizeof by_version / sizeof *by_version; k++)
		*by_version[k] = arena_array(&tmp, int, ssa->n + 1);
	x.block = arena_array(&tmp, int, c->n + 1);
	x.calls = arena_array(&tmp, int8_t, effects->m->func.n + 1);
	x.spins = arena_array(&tmp, int8_t, effects->m->func.n + 1);
	x.written = c->f->kind == FN_KERNEL ? 0 : far;
	x.most = WAIT_STEPS;
	for (int k = 0; k < c->nreach; k++)
		look_for_waits(&x, c->rpo[k]);
	find_ways(&x, &tmp);
	for (int k = 0; k < loops->n; k++)
		if (first_anew(&x, &loops->loop[k])) {
			w->loop[k] = watched(&x, &loops->loop[k]);
			w->n += w->loop[k] != NULL;
		}
	spread_waits(w);
	vec_free(&x.out);
	vec_free(&x.todo);
	vec_free(&x.ways);
	vec_free(&x.back);
	arena_free(&tmp);
	return w;
}

/* ---- questions ---- */

bool waits_in(const Waits *w, int block, int outside, WaitPlace *found)
{
	int l = w->loops->of[block], at = l < 0 ? -1 : w->around[l];
	*found = (WaitPlace){ NULL, w->call[block] };
	if (found->by)
		return true;
	if (at < 0 || (outside >= 0 && loop_has(w->c, &w->loops->loop[at], outside)))
		return false;
	*found = (WaitPlace){ w->c->f->block.v[w->loops->loop[at].header], w->loop[at] };
	return true;
}

bool waits_within(const Waits *w, int loop, WaitPlace *found)
{
	*found = w->within[loop];
	return found->by;
}

bool waits_any(const Waits *w, WaitPlace *found)
{
	for (int k = 0; k < w->c->nreach && w->n; k++)
		if (waits_in(w, w->c->rpo[k]->id, -1, found))
			return true;
	return false;
}

Loc waits_loc(const Waits *w, const WaitPlace *x) { return ins_loc(w->m, x->by); }

const char *waits_text(Arena *a, const WaitPlace *w)
{
	const char *name = op_info[w->by->op].name, *what = "may wait for what other threads do";
	if (!w->header)
		return arena_printf(a, "%s in line %d %s", name, w->by->line, what);
	return arena_printf(a, "the loop at %s, by its %s in line %d, %s", w->header->label, name,
		w->by->line, what);
}

void waits_print(const Cfg *c, const Waits *w, StrBuf *s)
{
	Arena tmp = { 0 };
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id, l = w->loops->of[b];
		if (l >= 0 && w->loops->loop[l].header == b && w->loop[l])
			sb_printf(s, "  %s\n", waits_text(&tmp, &(WaitPlace){ c->rpo[k], w->loop[l] }));
		if (w->call[b])
			sb_printf(s, "  %s\n", waits_text(&tmp, &(WaitPlace){ NULL, w->call[b] }));
	}
	if (!w->n)
		sb_puts(s, "  nothing\n");
	arena_free(&tmp);
}
