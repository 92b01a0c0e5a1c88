/* Estimates how long a stretch takes, melded or not. Two bounds can be told without knowing how many warps
 * there are. A warp that is alone issues in order and waits where it reads a value that is not there yet
 * (passes/analysis/clock.h). When there are so many warps that another one can always issue, the functional
 * unit that is asked for most decides (Load in passes/analysis/cost.h). What the machine takes lies between
 * the two. The estimate is their geometric mean, whose ratio to neither bound can be worse than to the other.
 * In a loop, values that one turn hands on to the next count, too: turns of the loop may not take a warp that
 * is alone longer than before. A warp is assumed to have threads on both sides, and so to go through all
 * code, and to part at every branch at which it may; what that takes, the mechanism says (cost_parting). A
 * warp that is alone also waits for its instructions, which nobody has fetched before, unless a loop executes
 * them again and again. */
#include "passes/transform/meld/meld.h"
#include "passes/constants.h"

void time_open(Meld *w)
{
	w->clock = clock_new(w->f, w->r->cost);
	w->place = arena_array(&w->a, TimedPlace, w->c->n);
	w->called = arena_array(&w->a, CalledTime, w->r->m->func.n);
}

void time_close(Meld *w)
{
	clock_free(w->clock);
	w->clock = NULL;
}

/* ---- where control goes on ---- */

static bool is_loop_within(const Meld *w, int loop, int inner)
{
	while (inner >= 0 && inner != loop)
		inner = w->loops->loop[inner].parent;
	return inner == loop;
}

/* Returns the innermost loop that contains the branch and all of the stretch; -1: there is none. */
static int loop_around(const Meld *w, const MeldRegion *r, const Stretch *s)
{
	int loop = w->loops->of[r->e->id];
	for (int k = 0; k < s->pair.n; k++)
		for (int side = 0; side < 2; side++)
			while (s->pair.v[k].b[side] && !is_loop_within(w, loop,
				w->loops->of[s->pair.v[k].b[side]->id]))
				loop = w->loops->loop[loop].parent;
	return loop;
}

/* ---- where control goes on ---- */

static bool may_leave_loop(const Meld *w, const Block *b)
{
	for (int k = 0; k < b->nsucc; k++)
		if (!is_loop_within(w, w->loops->of[b->id], w->loops->of[b->succ[k]->id]))
			return true;
	return false;
}

bool time_parts(const Meld *w, const Block *b, bool both)
{
	return b->nsucc > 1 && (both || w->uniformity->divergent[b->id]) && !may_leave_loop(w, b);
}

/* A branch at which lanes do not part jumps one way or the other. A jump forward leads to where lanes meet,
   or to what comes next. */
int64_t time_block_end(const Meld *w, const Block *b, bool both)
{
	if (time_parts(w, b, both))
		return cost_parting(w->r->cost);
	return b->nsucc > 1 || (b->nsucc && w->c->rpo_index[b->succ[0]->id] <= w->c->rpo_index[b->id])
		? cost_redirect(w->r->cost) : 0;
}

/* Does nothing stand between the region's branch and the stretch, so that the branch goes when the stretch is
   melded? Blocks of the stretch are marked in `seen`. */
static bool begins_region(const Meld *w, const MeldRegion *r, const Stretch *s)
{
	for (int side = 0; side < 2; side++) {
		const Block *b = s->entry[side], *from = NULL;
		for (; from != r->e; b = from) {
			from = NULL;
			for (int k = 0; k < w->c->npred[b->id]; k++) {
				const Block *p = w->c->pred[b->id][k];
				if (w->seen[p->id] == w->seeing)
					continue;
				if (from || (p != r->e && (p->ins.n != 1 || !block_jumps(p))))
					return false;
				from = p;
			}
			if (!from)
				return false;
		}
	}
	return true;
}

/* ---- instructions ---- */

/* What the function that the instruction calls takes; NULL: it calls none, or an unknown one. */
static const CalledTime *find_called(Meld *w, const Ins *i)
{
	if (op_info[i->op].kind != K_CALL || !i->nsrc || ins_src(i, 0)->kind != OPD_FUNC)
		return NULL;
	CalledTime *c = &w->called[ins_src(i, 0)->id];
	Function *f = w->r->m->func.v[ins_src(i, 0)->id];
	if (!c->known && f->block.n)
		c->cycles = clock_function(f, w->r->cost, &c->load) + 2 * cost_redirect(w->r->cost);
	c->known = true;
	return c;
}

Span time_ins(Meld *w, const Ins *i)
{
	const CalledTime *called = find_called(w, i);
	Span now = clock_ins(w->clock, i, NULL), s = span_copy(&w->a, &now);
	if (!called)
		return s;
	RegTime *give = arena_array(&w->a, RegTime, s.ngive + 1);
	for (int k = 0; k < s.ngive; k++)
		give[k] = (RegTime){ s.give[k].reg, s.give[k].at + called->cycles };
	s.give = give;
	s.time += called->cycles;
	return s;
}

void time_load(Meld *w, Load *l, const Ins *i, double times)
{
	const CalledTime *called = find_called(w, i);
	load_add(l, w->r->cost, i, times);
	if (called)
		load_scale_add(l, &called->load, times);
}

/* ---- a warp alone ---- */

/* The block's instructions, and what it takes until the warp goes on behind the last one. */
static TimedPlace place_of_block(Meld *w, const Block *b)
{
	TimedPlace *p = &w->place[b->id];
	if (!p->ins) {
		Span *s = arena_array(&w->a, Span, b->ins.n + 1);
		for (int k = 0; k < b->ins.n; k++)
			s[k] = time_ins(w, &b->ins.v[k]);
		s[b->ins.n] = (Span){ .time = time_block_end(w, b, false) };
		*p = (TimedPlace){ .ins = s, .n = b->ins.n + 1, .loop = w->loops->of[b->id] };
	}
	return *p;
}

/* Returns the loop directly inside `loop` that contains `inner`; -1: `inner` is `loop` itself. */
static int child_of(const Meld *w, int loop, int inner)
{
	while (inner != loop && w->loops->loop[inner].parent != loop)
		inner = w->loops->loop[inner].parent;
	return inner == loop ? -1 : inner;
}

/* Returns the time of n places of code in `loop`, of which those of an inner loop are contiguous. all: the
   code is executed LOOP_TURNS times, else once; inner loops always make LOOP_TURNS turns. */
static Span time_places(Meld *w, Arena *a, const TimedPlace *p, int n, int loop, bool all)
{
	int count = 0;
	for (int k = 0; k < n; k++)
		count += p[k].n + 1;
	Span *list = arena_array(a, Span, count + 1);
	count = 0;
	for (int k = 0, to; k < n; k = to) {
		int inner = child_of(w, loop, p[k].loop);
		for (to = k + 1; inner >= 0 && to < n && is_loop_within(w, inner, p[to].loop); to++)
			;
		for (int i = 0; i < p[k].n && inner < 0; i++)
			list[count++] = p[k].ins[i];
		if (inner >= 0)
			list[count++] = time_places(w, a, p + k, to - k, inner, true);
	}
	if (all)
		return clock_turns(w->clock, a, list, count, LOOP_TURNS);
	clock_reset(w->clock);
	for (int k = 0; k < count; k++)
		clock_add(w->clock, &list[k]);
	return clock_span(w->clock, a);
}

/* Returns how many cycles it takes a warp alone until all that the code writes can be read. */
static int64_t time_alone(Meld *w, Arena *a, const TimedPlace *p, int n, int loop, bool turns)
{
	Span all = time_places(w, a, p, n, loop, turns);
	clock_reset(w->clock);
	clock_add(w->clock, &all);
	return clock_done(w->clock);
}

/* ---- before and after ---- */

static int by_melded_place(const void *x, const void *y)
{
	const TimedPlace *a = x, *b = y;
	return a->first != b->first ? a->first - b->first : a->at - b->at;
}

/* Marks the stretch's blocks in `seen`. Returns the first of them in reverse post-order, *last: the last. */
static int mark_stretch_blocks(Meld *w, const Stretch *s, int *last)
{
	int first = w->c->nreach;
	*last = -1;
	w->seeing++;
	for (int k = 0; k < s->pair.n; k++)
		for (int side = 0; side < 2; side++)
			if (s->pair.v[k].b[side]) {
				int at = w->c->rpo_index[s->pair.v[k].b[side]->id];
				w->seen[s->pair.v[k].b[side]->id] = w->seeing;
				first = at < first ? at : first;
				*last = at > *last ? at : *last;
			}
	return first;
}

static void load_block(Meld *w, Load *l, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++)
		time_load(w, l, &b->ins.v[k], (double)meld_weight(w, b));
	if (time_parts(w, b, false))
		load_part(l, w->r->cost, (double)meld_weight(w, b));
}

/* Code before and after melding. */
typedef struct Places { TimedPlace *list[2]; int n[2]; } Places;

static void add_place(Places *p, int i, TimedPlace place) { p->list[i][p->n[i]++] = place; }

/* at the end of what place_of_block returns: the branch, and what comes behind it */
enum { BRANCH_SPANS = 2 };

/* Adds the region's branch and what it takes to part there: to both lists, or, if the branch goes, to the
   first one. `loop`: the loop in which it counts. */
static void add_branch(Meld *w, const MeldRegion *r, Places *p, int loop, bool goes)
{
	TimedPlace branch = place_of_block(w, r->e);
	branch.ins += branch.n - BRANCH_SPANS;
	branch.n = BRANCH_SPANS;
	branch.loop = loop;
	for (int i = 0; i < (goes ? 1 : 2); i++)
		add_place(p, i, branch);
}

/* Adds the block in front of the region's branch, without the branch. */
static void add_front(Meld *w, const MeldRegion *r, Places *p)
{
	TimedPlace front = place_of_block(w, r->e);
	front.n -= BRANCH_SPANS;
	for (int i = 0; i < 2; i++)
		add_place(p, i, front);
}

/* Lists the code of the branch and the stretch, as it is and with the n places of melded code in place of the
   stretch. */
static Places list_stretch(Meld *w, Arena *a, const MeldRegion *r, const Stretch *s, int loop, int first,
	int last, const TimedPlace *melded, int n)
{
	Places p = { .list = { arena_array(a, TimedPlace, last - first + 2),
		arena_array(a, TimedPlace, n + 1) } };
	add_branch(w, r, &p, loop, begins_region(w, r, s));
	for (int k = first; k <= last; k++)
		if (w->seen[w->c->rpo[k]->id] == w->seeing)
			add_place(&p, 0, place_of_block(w, w->c->rpo[k]));
	for (int i = 0; i < n; i++)
		add_place(&p, 1, melded[i]);
	return p;
}

/* The same for the whole loop. */
static Places list_loop(Meld *w, Arena *a, const MeldRegion *r, const Stretch *s, const Loop *loop, int first,
	const TimedPlace *melded, int n)
{
	Places p = { .list = { arena_array(a, TimedPlace, loop->n + 1),
		arena_array(a, TimedPlace, loop->n + n + 1) } };
	for (int k = loop->first; k < loop->first + loop->n; k++) {
		const Block *b = w->c->rpo[k];
		bool inside = w->seen[b->id] == w->seeing;
		for (int i = 0; i < n && k == first; i++)
			add_place(&p, 1, melded[i]);
		if (b == r->e) {
			add_front(w, r, &p);
			add_branch(w, r, &p, w->loops->of[b->id], begins_region(w, r, s));
			continue;
		}
		for (int i = 0; i < (inside ? 1 : 2); i++)
			add_place(&p, i, place_of_block(w, b));
	}
	return p;
}

static int code_of_block(const Meld *w, const Block *b)
{
	return b->ins.n - block_jumps(b) + (time_parts(w, b, false) ? cost_operations(w->r->cost) : 0);
}

/* Counts what the stretch and the region's branch ask of the machine, and their instructions: before melding
   and, of the branch unless it goes, after. The stretch's blocks are marked in `seen`. */
static void load_stretch(Meld *w, const MeldRegion *r, Stretch *s, int first, int last, Load *load)
{
	const CostTable *cost = w->r->cost;
	bool parts = time_parts(w, r->e, false);
	for (int k = first; k <= last; k++) {
		const Block *b = w->c->rpo[k];
		if (w->seen[b->id] != w->seeing)
			continue;
		load_block(w, &load[0], b);
		s->code[0] += code_of_block(w, b);
	}
	for (int i = 0; i < (begins_region(w, r, s) ? 1 : 2); i++) {
		load_add(&load[i], cost, block_term(r->e), (double)s->weight);
		load_part(&load[i], cost, parts ? (double)s->weight : 0);
		s->code[i] += 1 + (parts ? cost_operations(cost) : 0);
	}
}

/* Fills in the stretch's times before and after. melded: n places of the code that replaces the stretch's
   blocks; load: what that code asks of the machine. */
void time_stretch(Meld *w, const MeldRegion *r, Stretch *s, TimedPlace *melded, int n, const Load *load)
{
	Arena a = { 0 };
	Load l[2] = { { { 0 } }, *load };
	int loop = loop_around(w, r, s), last, first = mark_stretch_blocks(w, s, &last);
	qsort(melded, (size_t)n, sizeof *melded, by_melded_place);
	load_stretch(w, r, s, first, last, l);
	Places p = list_stretch(w, &a, r, s, loop, first, last, melded, n);
	for (int i = 0; i < 2; i++) {
		s->time[i] = (Time){ time_alone(w, &a, p.list[i], p.n[i], loop, false),
			load_bound(&l[i]) / (double)s->weight };
		if (s->weight == 1)
			s->time[i].alone += cost_fetch(w->r->cost, s->code[i]);
	}
	if (loop >= 0 && w->loops->loop[loop].n <= MELD_LOOP) {
		const Loop *around = &w->loops->loop[loop];
		s->around = w->f->block.v[around->header];
		p = list_loop(w, &a, r, s, around, first, melded, n);
		for (int i = 0; i < 2; i++)
			s->turns[i] = time_alone(w, &a, p.list[i], p.n[i], loop, true);
	}
	arena_free(&a);
}

bool time_falls(const Stretch *s)
{
	return (double)s->time[1].alone * s->time[1].many < (double)s->time[0].alone * s->time[0].many;
}
