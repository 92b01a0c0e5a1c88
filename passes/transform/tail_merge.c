/* tail-merge: puts in one place what several blocks do alike before they go on to one block.
 *
 * requires  loops
 * keeps     what each thread executes, in its order, but for jumps; marks of the source's blocks; the nest of
 *           loops
 * breaks    the graph; structure: threads of different arms of a nest of branches may come to one tail
 *
 * Of the blocks that jump to a block S, the longest run of equal instructions at the ends of two or more of
 * them (operation, operands, guard, all modifiers) becomes a block in front of S, or stays in one of them
 * that consists of nothing else; then the next longest run does, until none is left. The blocks' ends form a
 * tree with the last instructions at its root, one node for each run; nodes are visited from the longest run
 * on, so time grows with the instructions, not with pairs of blocks. A block left empty is removed where only
 * a branch on a condition leads to it, and a branch both of whose sides lead to the same tail then becomes a
 * jump: this is what becomes of a branch with equal arms.
 *
 * No warp executes more: each block had a jump to S, but for one that stands right before S in the text. So
 * the new block takes that place, and the block that stood there must be among those for which it is made; if
 * it is not, only a block that is nothing but the tail can take in the ends of the others. Nothing is
 * executed more often either: a warp comes to the tail once for each of the ends that it came to before, or
 * less, where threads wait for each other in front of it.
 *
 * Left alone: operations that depend on which threads execute them together (barriers, shuffles, votes, calls
 * with such). Threads of several arms would execute them at once that did not before; and where a mask names
 * the threads, each arm names its own. The same goes for what lies before them in a block. All else may be
 * executed at once by threads that used to come one after the other: what a thread reads and writes is its
 * own affair, and races between threads were there before. But threads now wait in front of the tail for each
 * other: a store in it comes later than before for others of the warp, and may come too late for those that
 * wait for it in a loop of another arm. So in a function with such a loop (passes/analysis/waits.h) stores,
 * atomics and fences stay where they are, and in one with barriers what ends threads.
 *
 * Marks go to the jumps that take the place of what was merged, so that each block's are counted for its
 * threads; those of a block that goes to the branch above it, for the threads that came by it. A mark whose
 * predicates would not have their values there yet ends the run. */
#include "passes/transform/tail_merge.h"
#include "passes/constants.h"
#include "lib/strbuf.h"
#include "passes/transform/transform.h"

/* ---- where a tail may stand ---- */

/* Does the block consist of its last n instructions and a jump, without marks? Then these may be merged
   here. */
static bool pure(const Block *b, int n)
{
	if (b->ins.n - 1 != n || b->id == 0)
		return false;
	for (int k = 0; k <= n; k++)
		if (b->ins.v[k].mark)
			return false;
	return true;
}

static bool falls_through(const Block *b, const Block *s) { return b && jumps_to(b, s) && b->ins.n > 1; }

static void queue_merge(Merge *w, Block *s)
{
	if (!merge_place(w, s)->queued)
		vec_push(&w->todo, s);
	merge_place(w, s)->queued = true;
}

/* Could the block be removed if nothing but marks and a jump were left in it? It could when only a branch on
   a condition leads to it. */
static bool dispensable(const Merge *w, const Block *b)
{
	const Block *p = merge_place(w, b)->above;
	return p && !merge_place(w, b)->named && block_term(p)->op == OP_BRA && p->nsucc == 2 &&
		p->succ[0] != p->succ[1] &&
		ins_src(block_term(p), 0)->kind == OPD_REG;
}

/* If the run is all of both arms of a branch, returns the block with that branch, which is not needed then;
   else NULL. */
static Block *whole_branch(const Merge *w, const Node *v)
{
	const Tail *x = &w->tail.v[v->first], *y = &w->tail.v[v->last];
	if (v->n != 2 || x->b->ins.n - 1 != v->length || y->b->ins.n - 1 != v->length ||
		merge_place(w, x->b)->above != merge_place(w, y->b)->above)
		return NULL;
	return dispensable(w, x->b) && dispensable(w, y->b) ? merge_place(w, x->b)->above : NULL;
}

/* Finds where the run's instructions may stand: in one of its blocks, *whole, or, if that is NULL, in a new
   block at *at. Returns false when they may stand nowhere. */
static bool find_spot(Merge *w, const Node *v, Block *s, Block **whole, BlockSpot *at)
{
	Block *last = tail_before(w, s);
	bool in = false;
	*whole = NULL;
	*at = spot_before(s);
	if (!falls_through(last, s))
		last = NULL;
	for (int k = v->first; k >= 0; k = w->next.v[k]) {
		Block *b = w->tail.v[k].b;
		in |= b == last;
		if (pure(b, v->length) && (!*whole || b == last))
			*whole = b;
	}
	if (!in && (*whole || (!last && s->id != 0)))
		return true;
	if (in && *whole == last)
		return true;
	*whole = NULL;
	if (in && (last->ins.n - 1 > v->length || dispensable(w, last)))
		return true;
	*at = spot_behind(whole_branch(w, v));
	return at->at;
}

/* ---- merging ---- */

static Block *make_tail(Merge *w, const Block *like, Block *s, int n, BlockSpot at)
{
	Block *t = edit_block(&w->e, at, s->label, "_tail");
	t->loc = ins_loc(w->r->m, &like->ins.v[like->ins.n - 1 - n]);
	for (int k = like->ins.n - 1 - n; k < like->ins.n - 1; k++) {
		vec_push(&t->ins, like->ins.v[k]);
		vec_last(&t->ins).mark = 0;
	}
	edit_jump(&w->e, t, block_term(like), s);
	block_term(t)->origin = block_term(like)->origin;
	must(t->id == w->place.n);
	vec_push(&w->place, ((TailPlace){ .loop = merge_place(w, like)->loop }));
	vec_push(&merge_place(w, s)->from, t);
	return t;
}

/* Removes the last n instructions of the block in front of its jump, which leads to t from now on and gets
   their marks. */
static void cut(Merge *w, Block *b, int n, Block *t)
{
	int marks = 0;
	Ins term = edit_cut_term(&w->e, b);
	for (int k = b->ins.n - n; k < b->ins.n; k++)
		marks = function_marks(w->r->f, marks, b->ins.v[k].mark);
	b->ins.n -= n;
	edit_jump(&w->e, b, &term, t);
	ins_instead(block_term(b), &term);
	block_term(b)->mark = function_marks(w->r->f, marks, block_term(b)->mark);
	vec_push(&merge_place(w, t)->from, b);
	merge_place(w, t)->above = NULL;
}

/* Removes b if it is empty but for marks and its jump to t: the branch above leads to t itself then, and gets
   the marks, for the lanes that went to b. When both sides of that branch lead to t, it becomes a jump, and
   its block is looked at in the same way. */
static void skip_empty_tail(Merge *w, Block *b, Block *t)
{
	while (b->ins.n == 1 && dispensable(w, b)) {
		Block *p = merge_place(w, b)->above;
		Opd lanes = *ins_src(block_term(p), 0);
		lanes.neg ^= p->succ[1] == b;
		edit_mark_lanes(&w->e, block_term(b), lanes);
		edit_mark_also(&w->e, block_term(p), block_term(b));
		edit_retarget(&w->e, p, b, t);
		merge_place(w, b)->gone = w->dropped = true;
		if (p->succ[0] != p->succ[1])
			return;
		Ins term = edit_cut_term(&w->e, p);
		edit_jump(&w->e, p, &term, t);
		ins_instead(block_term(p), &term);
		vec_push(&merge_place(w, t)->from, p);
		w->branches++;
		b = p;
	}
}

static const char *labels(const Merge *w, const Node *v, StrBuf *s)
{
	for (int k = v->first; k >= 0; k = w->next.v[k])
		sb_printf(s, "%s%s", k == v->first ? "" : ", ", w->tail.v[k].b->label);
	return s->s;
}

/* Writes which blocks end alike and where their tail stands now, and for --print also its instructions. */
static void tell_merge(Merge *w, const Node *v, const Block *s, const Block *t)
{
	const Block *b = w->tail.v[v->first].b;
	StrBuf names = { 0 };
	if (!pass_explains(w->r))
		return;
	pass_remark(w->r, ins_loc(w->r->m, &b->ins.v[b->ins.n - 1 - v->length]),
		"%s end alike before %s: their last %sinstruction%s in %s once", labels(w, v, &names),
		s->label, v->length > 1 ? arena_printf(&w->arena, "%d ", v->length) : "",
		v->length == 1 ? " stands" : "s stand", t->label);
	sb_free(&names);
	for (int k = b->ins.n - 1 - v->length; k < b->ins.n - 1 && w->r->show; k++) {
		sb_puts(w->r->show, "    ");
		ir_print_ins(w->r->m, w->r->f, b, &b->ins.v[k], w->r->show);
		sb_putc(w->r->show, '\n');
	}
}

/* Marks the instructions of t, which are those of block `like`, as melded with those at the ends of the other
   blocks. */
static void meld_marks(Merge *w, const Node *v, Block *t, const Block *like)
{
	int n = v->length;
	const Ins **others = arena_array(&w->arena, const Ins *, v->n);
	for (int i = 0; i <= n; i++) {
		int m = 0;
		for (int k = v->first; k >= 0; k = w->next.v[k]) {
			const Block *b = w->tail.v[k].b;
			if (b != like)
				others[m++] = &b->ins.v[b->ins.n - 1 - n + i];
		}
		ins_meld(w->r->m, &t->ins.v[i], others, m);
	}
}

static void merge_tails(Merge *w, Node *v, Block *s, Block *t, BlockSpot spot)
{
	int n = v->length, at = v->first;
	Block *like = t ? t : w->tail.v[at].b;
	if (!t)
		t = make_tail(w, like, s, n, spot);
	meld_marks(w, v, t, like);
	tell_merge(w, v, s, t);
	for (int k = at; k >= 0; k = w->next.v[k]) {
		if (w->tail.v[k].b == t)
			continue;
		cut(w, w->tail.v[k].b, n, t);
	}
	for (int k = at; k >= 0; k = w->next.v[k])
		if (w->tail.v[k].b != t)
			skip_empty_tail(w, w->tail.v[k].b, t);
	queue_merge(w, t);
	w->instructions += n * (v->n - 1);
	w->tails++;
	w->tail.v[at].b = t;
	w->next.v[at] = -1;
	v->last = at;
	v->n = 1;
}

/* Writes, in the last sweep, why the run stays in each of its blocks. Returns true. */
static bool remark(Merge *w, const Node *v, const Block *s)
{
	const Block *b = w->tail.v[v->first].b;
	StrBuf names = { 0 };
	int64_t size = w->r->option[OPTION_SIZE].number;
	if (w->remarks)
		pass_remark(w->r, ins_loc(w->r->m, &b->ins.v[b->ins.n - 1 - v->length]),
			"%s end alike before %s, and stay: %s", labels(w, v, &names), s->label,
			v->length < size ? arena_printf(&w->arena,
			"%d of their instructions are the same, and size asks for %lld", v->length,
			(long long)size) : "a common tail would need a jump more");
	sb_free(&names);
	return true;
}

/* Writes a remark when the instruction in front of the run is the same in two of its blocks, too, but cannot
   be moved. */
static void remark_stop(Merge *w, const Node *v, const Block *s)
{
	const Tail *x = NULL;
	const char *why;
	for (int k = v->first; k >= 0; k = w->next.v[k]) {
		const Tail *y = &w->tail.v[k];
		int before = y->b->ins.n - 2 - v->length;
		if (y->length != v->length || before < 0)
			continue;
		x = x ? x : y;
		const Ins *i = &x->b->ins.v[x->b->ins.n - 2 - v->length];
		if (x == y || !tail_same(w, i, &y->b->ins.v[before]))
			continue;
		why = tail_obstacle(w, i, false);
		pass_remark(w->r, ins_loc(w->r->m, i), "%s and %s end alike before %s, and stay from %s on: "
			"%s%s", x->b->label, y->b->label, s->label, op_info[i->op].name,
			why == w->waiting && why ? "" : "it ", why ? why
			: "decides where threads of the source went on, or comes behind what may end them");
		return;
	}
}

/* ---- one block ---- */

static int longest_first(const void *a, const void *b)
{
	const TailRun *x = a, *y = b;
	return x->length != y->length ? y->length - x->length : x->node - y->node;
}

static void visit_merge(Merge *w, Block *s)
{
	int first = tail_runs(w, s);
	bool said = false;
	merge_place(w, s)->queued = false;
	w->order.n = 0;
	for (int k = first; k < w->node.n; k++)
		vec_push(&w->order, ((TailRun){ w->node.v[k].length, k }));
	if (w->order.n)
		qsort(w->order.v, (size_t)w->order.n, sizeof *w->order.v, longest_first);
	for (int k = 0; k < w->order.n; k++) {
		Node *v = &w->node.v[w->order.v[k].node];
		Block *whole;
		BlockSpot at;
		if (v->n > 1 && w->remarks)
			remark_stop(w, v, s);
		if (!v->length)
			continue;
		if (v->n > 1 && v->length >= w->r->option[OPTION_SIZE].number &&
			find_spot(w, v, s, &whole, &at) && pass_may_change(w->r, ins_loc(w->r->m,
			block_term(s)), "%d instructions of %d blocks in front of %s merged", v->length, v->n,
			s->label))
			merge_tails(w, v, s, whole, at);
		else if (v->n > 1 && !said)
			said = remark(w, v, s);
		if (v->n)
			tail_append(w, &w->node.v[v->parent], v->first, v->last, v->n);
	}
}

/* ---- sweeps ---- */

static void open_merge_sweep(Merge *w)
{
	Function *f = w->r->f;
	const Cfg *c = analysis_cfg(w->r->an);
	const Loops *loops = analysis_loops(w->r->an);
	w->ins.a = w->run.a = &w->arena;
	for (int k = 0; k < c->n; k++) {
		bool gone = !bs_has(c->reach, k);
		vec_push(&w->place, ((TailPlace){ .loop = loops->of[k], .gone = gone,
			.above = k && !gone && c->npred[k] == 1 ? c->pred[k][0] : NULL }));
	}
	for (int k = 0; k < c->n; k++) {
		Block *b = f->block.v[k];
		if (b->reconverge)
			merge_place(w, b->reconverge)->named = true;
		if (block_jumps(b) && !merge_place(w, b)->gone)
			vec_push(&merge_place(w, b->succ[0])->from, b);
	}
	for (int k = c->nreach; k-- > 0;)
		queue_merge(w, c->rpo[k]);
}

static void close_merge_sweep(Merge *w)
{
	for (int k = 0; k < w->place.n; k++)
		vec_free(&w->place.v[k].from);
	vec_free(&w->place);
	vec_free(&w->todo);
	vec_free(&w->node);
	vec_free(&w->tail);
	vec_free(&w->next);
	vec_free(&w->order);
	vec_free(&w->regs);
	w->ins = w->run = (Keys){ 0 };
	arena_free(&w->arena);
}

/* Looks at all blocks, and returns whether something was merged. */
static bool sweep_tails(Merge *w)
{
	int tails = w->tails;
	w->remarks = w->dropped = false;
	open_merge_sweep(w);
	for (int k = 0; k < w->todo.n; k++)
		visit_merge(w, w->todo.v[k]);
	if (w->tails > tails && w->dropped)
		edit_drop_dead(&w->e);
	else if (w->tails > tails)
		edit_settle(&w->e);
	else if (pass_explains(w->r)) { /* the last sweep says what stays */
		w->remarks = true;
		for (int k = 0; k < w->place.n; k++)
			visit_merge(w, w->r->f->block.v[k]);
	}
	close_merge_sweep(w);
	return w->tails > tails;
}

/* Finds for what threads may wait in the function. Merging does not change that, so once is enough. */
static void find_function_waits(Merge *w)
{
	const Waits *x = analysis_waits(w->r->an);
	WaitPlace first;
	if (waits_any(x, &first))
		w->waiting = waits_text(&w->r->m->arena, &first);
	for (int k = 0; k < x->c->nreach; k++)
		for (int i = 0; i < x->c->rpo[k]->ins.n; i++)
			w->meeting |= ins_effects(analysis_effects(w->r->an),
				&x->c->rpo[k]->ins.v[i]).convergent;
}

static bool run(PassRun *r)
{
	Merge w = { .r = r, .e = edit_open(r->m, r->f, r->origin) };
	find_function_waits(&w);
	while (sweep_tails(&w))
		;
	edit_close(&w.e);
	pass_count(r, "tails merged", w.tails);
	pass_count(r, "instructions merged", w.instructions);
	pass_count(r, "branches folded", w.branches);
	return w.tails > 0;
}

static const PassOption options[OPTIONS] = {
	[OPTION_SIZE] = { "size", TAIL_SIZE, 1, 1000, "least number of instructions that a tail must have" },
};

const Pass pass_tail_merge = {
	.name = "tail-merge",
	.idle = "no blocks that lead to one place end alike",
	.help = "do in one place what several blocks do alike before they go on to one block",
	.options = options, .noptions = OPTIONS,
	.function = run,
	.shows = true,
};
