/* Rewrites one outer loop A with inner loops B1 .. Bm that become part of it (section III of the paper, and
 * beyond):
 *
 *   A_enter:  again1 = .. = againm = leave = false        once, before the first turn
 *   A_next:   again1 -> B1;  again2 -> B2;  ..;  else A   what the thread does in this turn
 *   A:        ..                                          the rest of A: source blocks as they were
 *   A_latch:  leave -> A_leave;  else A_next              the only back edge
 *   A_leave:  where way says                              when A has several exits
 *
 * A thread that comes to the end of a turn of Bk sets againk and goes to A_latch; one that leaves Bk clears
 * againk. So some threads of a warp may be in turns of one of the loops while others are in turns of another.
 * A thread that comes to Bk from A takes its first turn there and then (`now`), or sets againk and begins Bk
 * with the next turn of A. `now` is good where all threads that are in A itself come to Bk: threads that are
 * already in Bk wait for them there. Where some do not come to Bk, they would not wait.
 *
 * The paper lets threads leave A where they did before. Then the only way out post-dominates all of A, and
 * threads wait for each other there, as if nothing had been done. So exits go through A_latch, unless option
 * exits asks for those of the paper. */
#include "passes/transform/flatten/flatten.h"

typedef struct FlattenWork {
	Nests *w;
	Edit *e;
	int a;                         /* the outer loop */
	FlatLoop *x;
	Ins like;       /* an instruction whose place in the source new instructions get */
	Block *enter, *next, *latch;
	int leave, way;                /* registers, -1 = none; `way` is needed for several exits only */
	BlockList exit;                /* by value of way: the block outside A to which the exit leads */
} FlattenWork;

/* What an edge does: it leads to a block and assigns variables; -1: it leaves the variable alone. */
/* stay: value for `again` of the inner loop in which the edge begins: 1 when the thread goes on with turns of
   it, 0 when it leaves; enter: the inner loop whose `again` becomes true; code: the exit's value of `way` */
typedef struct FlattenWay { Block *to; int stay, enter, code; } FlattenWay;

static bool is_chosen_loop(const FlattenWork *x, int k) { return k >= 0 && x->w->loop[k].chosen; }

static FlattenWay exit_way(const FlattenWork *x, Block *s)
{
	if (x->w->exits == EXITS_DIRECT)
		return (FlattenWay){ s, -1, -1, -1 };
	return (FlattenWay){ x->latch, -1, -1, x->w->code.v[s->id] };
}

/* Returns what the edge to s does from a block that lies in inner loop k (-1: in none). */
static FlattenWay way_of(const FlattenWork *x, int k, Block *s)
{
	Nests *w = x->w;
	int stay = is_chosen_loop(x, k) ? 0 : -1, j = w->begins.v[s->id];
	if (nest_fatal(w, s))
		return (FlattenWay){ s, -1, -1, -1 };
	if (!nest_has(w, x->a, s))
		return exit_way(x, s);
	if (s == x->x->source)
		return (FlattenWay){ x->latch, stay, -1, -1 };
	if (k >= 0 && nest_has(w, k, s)) {
		if (is_chosen_loop(x, k) && s == w->loop[k].head)
			return (FlattenWay){ x->latch, 1, -1, -1 };
		return (FlattenWay){ s, -1, -1, -1 };
	}
	if (j >= 0 && is_chosen_loop(x, j) && w->loop[j].parent == x->a && !w->loop[j].now)
		return (FlattenWay){ x->latch, stay, j, -1 };
	return (FlattenWay){ s, stay, -1, -1 };
}

/* ---- assignments on edges ---- */

static Opd constant_or(const Ins *term, int yes, int no)
{
	if (yes < 0 || no < 0 || yes == no)
		return opd_imm(yes < 0 ? no : yes);
	Opd p = *ins_src(term, 0);
	if (p.kind == OPD_IMM)
		return opd_imm(((p.imm & 1) != p.neg) == (yes != 0));
	p.neg ^= yes == 0;
	return p;
}

/* Puts in front of b's last instruction: reg = yes if b's branch goes to its first target, else no; -1 stands
   for any value. */
static void assign_flag(FlattenWork *x, Block *b, int reg, int yes, int no)
{
	if (yes < 0 && no < 0)
		return;
	Ins i = edit_new(x->e, block_term(b), OP_MOV, T_PRED, 1, 1);
	i.opd[0] = opd_reg(reg);
	i.opd[1] = constant_or(block_term(b), yes, no);
	edit_insert(x->e, b, b->ins.n - 1, i);
}

static void assign_way(FlattenWork *x, Block *b, int yes, int no)
{
	if (x->way < 0 || (yes < 0 && no < 0))
		return;
	const Ins *term = block_term(b);
	bool same = yes < 0 || no < 0 || yes == no || ins_src(term, 0)->kind == OPD_IMM;
	if (same && yes >= 0 && no >= 0 && yes != no) /* a branch on a constant */
		yes = no = ((ins_src(term, 0)->imm & 1) != ins_src(term, 0)->neg) ? yes : no;
	Ins i = edit_new(x->e, term, same ? OP_MOV : OP_SELP, T_U32, 1, same ? 1 : 3);
	i.opd[0] = opd_reg(x->way);
	i.opd[1] = opd_imm(yes < 0 ? no : yes);
	if (!same) {
		i.opd[1] = opd_imm(ins_src(term, 0)->neg ? no : yes);
		i.opd[2] = opd_imm(ins_src(term, 0)->neg ? yes : no);
		i.opd[3] = opd_reg(ins_src(term, 0)->id);
	}
	edit_insert(x->e, b, b->ins.n - 1, i);
}

/* Puts into block b, which lies in inner loop k, what its two edges assign; a block with one edge gives that
   one twice. If only one of the two enters a loop or leaves A, the variable for that is set to false on the
   other one, as it is false there anyway. The variable of k may be set to anything on an edge that does not
   end a turn of k: it is read only behind edges that do. */
static void assign_both(FlattenWork *x, int k, Block *b, const FlattenWay *yes, const FlattenWay *no)
{
	const FlatLoop *loop = x->w->loop;
	if (is_chosen_loop(x, k))
		assign_flag(x, b, loop[k].again, yes->stay, no->stay);
	if (yes->enter >= 0)
		assign_flag(x, b, loop[yes->enter].again, 1, no->enter == yes->enter);
	if (no->enter >= 0 && no->enter != yes->enter)
		assign_flag(x, b, loop[no->enter].again, 0, 1);
	if (yes->code >= 0 || no->code >= 0) {
		assign_flag(x, b, x->leave, yes->code >= 0, no->code >= 0);
		assign_way(x, b, yes->code, no->code);
	}
}

static bool assigns(const FlattenWay *y) { return y->stay >= 0 || y->enter >= 0 || y->code >= 0; }

/* ---- blocks ---- */

/* Makes a new block on the edges from b to one target, in which stands what these edges assign. */
static Block *on_edge(FlattenWork *x, int k, Block *b, const FlattenWay *y)
{
	Block *mid = nest_place(x->w, x->a, spot_behind(b), b->label, "_to");
	edit_jump(x->e, mid, block_term(b), y->to);
	assign_both(x, k, mid, y, y);
	return mid;
}

/* Rewrites the edges of an indexed branch: a target to which edges with assignments lead gets a block of its
   own in front, for these. */
static void reroute_table(FlattenWork *x, int k, Block *b)
{
	Nests *w = x->w;
	Block **to = xmalloc(sizeof *to * (size_t)(b->nsucc + 1));
	bool changed = false;
	for (int i = 0; i < b->nsucc; i++) {
		Block *s = b->succ[i];
		if (!w->via.v[s->id]) {
			FlattenWay y = way_of(x, k, s);
			Block *mid = assigns(&y) ? on_edge(x, k, b, &y) : y.to;
			w->via.v[s->id] = mid;
			changed |= mid != s;
		}
		to[i] = w->via.v[s->id];
	}
	for (int i = 0; i < b->nsucc; i++)
		w->via.v[b->succ[i]->id] = NULL;
	if (changed) {
		edit_targets(x->e, b, to, b->nsucc);
		b->reconverge = NULL;
	}
	free(to);
}

/* Rewrites the edges of block b, which lies in inner loop k (-1: in none), for the flattened loop. */
static void reroute(FlattenWork *x, int k, Block *b)
{
	FlattenWay y[2];
	bool same = true;
	if (block_term(b)->op == OP_BRX) {
		reroute_table(x, k, b);
		return;
	}
	Block *s[2] = { b->succ[0], b->succ[b->nsucc - 1] };
	for (int i = 0; i < 2; i++) {
		y[i] = way_of(x, k, s[i]);
		same &= y[i].to == s[i] && !assigns(&y[i]);
	}
	if (same)
		return;
	b->reconverge = NULL;
	assign_both(x, k, b, &y[0], &y[1]);
	for (int i = 0; i < 2; i++)
		if (y[i].to != s[i])
			edit_retarget(x->e, b, s[i], y[i].to);
	if (b->nsucc == 2 && b->succ[0] == b->succ[1])
		edit_fold(x->e, b, y[0].to);
}

static void reroute_list(FlattenWork *x, int k, const BlockList *list)
{
	for (int i = 0; i < list->n; i++)
		reroute(x, k, list->v[i]);
}

/* Rewrites the edges that leave inner loop k; when k becomes part of A, also those that end turns of k. */
static void reroute_inner(FlattenWork *x, int k)
{
	const FlatLoop *loop = x->w->loop;
	if (!is_chosen_loop(x, k) || loop[k].flattened)
		reroute_list(x, k, &loop[k].leave);
	if (!is_chosen_loop(x, k))
		return;
	reroute_list(x, k, &loop[k].own);
	for (int c = k + 1; c < loop[k].end && !loop[k].flattened; c = loop[c].end)
		reroute_list(x, k, &loop[c].leave);
}

static void reroute_all(FlattenWork *x)
{
	reroute_list(x, -1, &x->x->own);
	for (int k = x->a + 1; k < x->x->end; k = x->w->loop[k].end)
		reroute_inner(x, k);
}

/* ---- exits ---- */

static void note_exits(FlattenWork *x, const Block *b)
{
	for (int i = 0; i < b->nsucc; i++) {
		Block *s = b->succ[i];
		if (nest_has(x->w, x->a, s) || nest_fatal(x->w, s) || x->w->code.v[s->id] >= 0)
			continue;
		x->w->code.v[s->id] = x->exit.n;
		vec_push(&x->exit, s);
	}
}

static void find_flat_exits(FlattenWork *x)
{
	const FlatLoop *loop = x->w->loop;
	if (x->w->exits == EXITS_DIRECT)
		return;
	for (int i = 0; i < x->x->own.n; i++)
		note_exits(x, x->x->own.v[i]);
	for (int k = x->a + 1; k < x->x->end; k = loop[k].end)
		for (int i = 0; i < loop[k].leave.n; i++)
			note_exits(x, loop[k].leave.v[i]);
}

/* Notes that b has an edge out of A to s now: if a loop begins with s, b enters that loop. */
static void enters(FlattenWork *x, Block *b, const Block *s)
{
	int l = x->w->begins.v[s->id];
	if (l >= 0)
		vec_push(&x->w->loop[l].enter, b);
}

/* Makes the blocks that tell the exits of A apart by `way`. Returns the first one, or the only exit itself.
   Exits that stay in the loop around A are tested last, so that all of these blocks lie in that loop. */
static Block *make_exits(FlattenWork *x)
{
	Nests *w = x->w;
	int p = x->x->parent, n = x->exit.n;
	Block *first = x->exit.v[0], *at = NULL;
	int *order = arena_array(&w->arena, int, n), k = 0,
		q = x->way < 0 ? -1 : edit_reg(x->e, "way_is", T_PRED);
	for (int in = 0; in < 2; in++)
		for (int i = 0; i < n; i++)
			if ((p >= 0 && nest_has(w, p, x->exit.v[i])) == in)
				order[k++] = i;
	for (int i = 0; i + 1 < n; i++) {
		Block *b = nest_place(w, p, spot_behind(w->r->f->block.v[x->x->last]), x->x->source->label,
			"_leave");
		Ins *set = edit_ins(x->e, b, &x->like, OP_SETP, T_U32, 1, 2);
		set->cmp = CMP_EQ;
		set->opd[0] = opd_reg(q);
		set->opd[1] = opd_reg(x->way);
		set->opd[2] = opd_imm(order[i]);
		edit_branch(x->e, b, &x->like, q, x->exit.v[order[i]], x->exit.v[order[n - 1]]);
		enters(x, b, x->exit.v[order[i]]);
		if (at)
			edit_retarget(x->e, at, x->exit.v[order[n - 1]], b);
		else
			first = b;
		at = b;
		if (p >= 0)
			vec_push(&w->loop[p].own, b);
	}
	enters(x, at ? at : x->latch, x->exit.v[order[n - 1]]);
	return first;
}

/* ---- the loop's ends ---- */

static void make_enter(FlattenWork *x)
{
	Nests *w = x->w;
	FlatLoop *a = x->x;
	Block *b = x->enter;
	for (int k = x->a; k < a->end; k = k == x->a ? k + 1 : w->loop[k].end) {
		int reg = k == x->a ? x->leave : w->loop[k].again;
		if (reg < 0 || (k != x->a && !is_chosen_loop(x, k)))
			continue;
		Ins *i = edit_ins(x->e, b, &x->like, OP_MOV, T_PRED, 1, 1);
		i->opd[0] = opd_reg(reg);
		i->opd[1] = opd_imm(0);
	}
	edit_jump(x->e, b, &x->like, x->next);
	for (int i = 0; i < a->enter.n; i++)
		edit_retarget(x->e, a->enter.v[i], a->source, b);
	vec_clear(&a->enter);
	vec_push(&a->enter, b);
	if (a->parent >= 0)
		vec_push(&w->loop[a->parent].own, b);
}

/* Fills A_next, which tests in a row which inner loop the thread is in. Loops that are entered at once come
   last: then threads in turns of such a loop and threads in A part behind all other tests, and meet in that
   loop. */
static void make_next(FlattenWork *x)
{
	FlatLoop *loop = x->w->loop;
	Block *b = x->next;
	int left = 0;
	for (int k = x->a + 1; k < x->x->end; k = loop[k].end)
		left += is_chosen_loop(x, k);
	if (!left)
		edit_jump(x->e, b, &x->like, x->x->source);
	for (int now = 0; now < 2; now++)
		for (int k = x->a + 1; k < x->x->end; k = loop[k].end) {
			if (!is_chosen_loop(x, k) || loop[k].now != now)
				continue;
			Block *other = --left ? nest_place(x->w, x->a, spot_before(x->x->source),
				x->x->source->label, "_next") : x->x->source;
			edit_branch(x->e, b, &x->like, loop[k].again, loop[k].head, other);
			b = other;
		}
}

static void make_latch(FlattenWork *x)
{
	if (x->leave < 0) {
		edit_jump(x->e, x->latch, &x->like, x->next);
		return;
	}
	Block *out = make_exits(x);
	edit_branch(x->e, x->latch, &x->like, x->leave, out, x->next);
}

static void make_flat_registers(FlattenWork *x)
{
	FlatLoop *loop = x->w->loop;
	x->leave = x->way = -1;
	if (x->exit.n && x->w->exits == EXITS_LATCH)
		x->leave = edit_reg(x->e, "leave", T_PRED);
	if (x->exit.n > 1 && x->leave >= 0)
		x->way = edit_reg(x->e, "way", T_U32);
	for (int k = x->a + 1; k < x->x->end; k = loop[k].end)
		if (is_chosen_loop(x, k))
			loop[k].again = edit_reg(x->e, "again", T_PRED);
}

/* ---- which inner loops are entered at once ---- */

typedef struct Front { FlattenWork *x; int first; bool other; BlockList todo; } Front;

static void reach_front(Front *t, Block *s)
{
	Nests *w = t->x->w;
	int j = w->begins.v[s->id];
	if (nest_fatal(w, s) || t->other)
		return;
	if (!nest_has(w, t->x->a, s) || s == t->x->x->source) {
		t->other = true;
	} else if (j >= 0 && is_chosen_loop(t->x, j) && w->loop[j].parent == t->x->a) {
		t->other |= t->first >= 0 && t->first != j;
		t->first = j;
	} else if (w->seen.v[s->id] != t->x->a) {
		w->seen.v[s->id] = t->x->a;
		vec_push(&t->todo, s);
	}
}

/* Sets `now` of the inner loops. With enter=auto, a loop is entered at once when all ways from A's header
   lead to that loop first. */
static void choose_now(FlattenWork *x)
{
	Nests *w = x->w;
	for (int k = x->a + 1; k < x->x->end; k = w->loop[k].end)
		w->loop[k].now = w->enter == ENTER_NOW;
	if (w->enter != ENTER_AUTO)
		return;
	Front t = { .x = x, .first = -1 };
	vec_push(&t.todo, x->x->source);
	while (t.todo.n && !t.other) {
		Block *b = vec_pop(&t.todo);
		for (int k = 0; k < b->nsucc; k++)
			reach_front(&t, b->succ[k]);
	}
	if (!t.other && t.first >= 0)
		w->loop[t.first].now = true;
	vec_free(&t.todo);
}

void nest_rewrite(Nests *w, int loop)
{
	FlatLoop *a = &w->loop[loop];
	FlattenWork x = { .w = w, .e = &w->edit, .a = loop, .x = a, .like = a->source->ins.v[0] };
	choose_now(&x);
	find_flat_exits(&x);
	make_flat_registers(&x);
	x.enter = nest_place(w, a->parent, spot_before(a->source), a->source->label, "_enter");
	x.next = nest_place(w, loop, spot_before(a->source), a->source->label, "_next");
	x.latch = nest_place(w, loop, spot_behind(w->r->f->block.v[a->last]), a->source->label, "_latch");
	if (w->exits == EXITS_DIRECT)
		nest_pass_on(w, loop);
	reroute_all(&x);
	make_next(&x);
	make_latch(&x);
	make_enter(&x);
	vec_clear(&a->own);
	vec_push(w->exits == EXITS_DIRECT ? &a->own : &a->leave, x.latch);
	for (int i = 0; i < x.exit.n; i++)
		w->code.v[x.exit.v[i]->id] = -1;
	w->begins.v[a->source->id] = -1;
	w->begins.v[x.next->id] = loop;
	a->head = x.next;
	a->flattened = true;
	vec_free(&x.exit);
}
