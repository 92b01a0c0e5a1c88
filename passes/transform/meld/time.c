/* Estimates how long a stretch takes, melded or not. Two bounds can be told without knowing how many warps
 * there are. A warp that is alone issues in order and waits where it reads a value that is not there yet
 * (passes/analysis/clock.h). When there are so many warps that another one can always issue, the functional
 * unit that is asked for most decides (Load in passes/analysis/cost.h). What the machine takes lies between
 * the two. The estimate is their geometric mean, whose ratio to neither bound can be worse than to the other.
 * In a loop, values that one turn hands on to the next count, too: turns of the loop may not take a warp that
 * is alone longer than before. A warp is assumed to have threads on both sides, and so to go through all
 * code. */
#include "passes/transform/meld/meld.h"
#include "passes/constants.h"

void time_open(Meld *w)
{
	w->clock = clock_new(w->f, w->r->cost);
	w->place = arena_array(&w->a, TimedPlace, w->c->n);
}

void time_close(Meld *w)
{
	clock_free(w->clock);
	w->clock = NULL;
}

/* ---- which loop ---- */

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

/* ---- a warp alone ---- */

static TimedPlace place_of_block(Meld *w, const Block *b)
{
	TimedPlace *p = &w->place[b->id];
	if (!p->ins) {
		Span *s = arena_array(&w->a, Span, b->ins.n);
		for (int k = 0; k < b->ins.n; k++) {
			s[k] = clock_ins(w->clock, &b->ins.v[k], NULL);
			s[k] = span_copy(&w->a, &s[k]);
		}
		*p = (TimedPlace){ .ins = s, .n = b->ins.n, .loop = w->loops->of[b->id] };
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

static void load_block(const Meld *w, Load *l, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++)
		load_add(l, w->r->cost, &b->ins.v[k], (double)meld_weight(w, b));
}

/* Lists the code of the stretch; with `around`, of the loop that contains it. list[0]: as it is; list[1]:
   with the melded code in place of the stretch. */
static void find_places(Meld *w, Arena *a, int from, int to, int first, bool around, const TimedPlace *melded,
	int n, TimedPlace **list, int *count)
{
	list[0] = arena_array(a, TimedPlace, to - from);
	list[1] = arena_array(a, TimedPlace, to - from + n);
	count[0] = count[1] = 0;
	for (int k = from; k < to; k++) {
		const Block *b = w->c->rpo[k];
		bool inside = w->seen[b->id] == w->seeing;
		for (int i = 0; i < n && k == first; i++)
			list[1][count[1]++] = melded[i];
		for (int i = 0; i < (inside ? 1 : around ? 2 : 0); i++)
			list[i][count[i]++] = place_of_block(w, b);
	}
}

/* Fills in the stretch's times before and after. melded: n places of the code that replaces the stretch's
   blocks; load: what that code asks of the machine. */
void time_stretch(Meld *w, const MeldRegion *r, Stretch *s, TimedPlace *melded, int n, const Load *load)
{
	Arena a = { 0 };
	Load l[2] = { { { 0 } }, *load };
	TimedPlace *list[2];
	int loop = loop_around(w, r, s), last, count[2], first = mark_stretch_blocks(w, s, &last);
	qsort(melded, (size_t)n, sizeof *melded, by_melded_place);
	for (int k = first; k <= last; k++)
		if (w->seen[w->c->rpo[k]->id] == w->seeing)
			load_block(w, &l[0], w->c->rpo[k]);
	find_places(w, &a, first, last + 1, first, false, melded, n, list, count);
	for (int i = 0; i < 2; i++)
		s->time[i] = (Time){ time_alone(w, &a, list[i], count[i], loop, false),
			load_bound(&l[i]) / (double)s->weight };
	if (loop >= 0 && w->loops->loop[loop].n <= MELD_LOOP) {
		const Loop *around = &w->loops->loop[loop];
		s->around = w->f->block.v[around->header];
		find_places(w, &a, around->first, around->first + around->n, first, true, melded, n, list,
			count);
		for (int i = 0; i < 2; i++)
			s->turns[i] = time_alone(w, &a, list[i], count[i], loop, true);
	}
	arena_free(&a);
}

bool time_falls(const Stretch *s)
{
	return (double)s->time[1].alone * s->time[1].many < (double)s->time[0].alone * s->time[0].many;
}
