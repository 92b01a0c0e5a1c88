/* Finds what goes with what: isomorphic subgraphs, blocks that are given the form of a region, and the
 * alignment of the two arms (definitions 6 and 7 of the paper). */
#include "passes/transform/meld/meld.h"
#include "passes/constants.h"
#include "lib/strbuf.h"

/* ---- isomorphism ---- */

typedef struct MeldMatch {
	Meld *w;
	const Subgraph *s[2];
	PairList *list;
	int first, steps;              /* number of the first pair of this match; how many steps are left */
} MeldMatch;

/* Notes why two subgraphs differ, and returns false. Only the first reason is kept: a remark tells it if
   nothing in the arms is alike. */
static bool __attribute__((format(printf, 2, 3))) note_unlike(Meld *w, const char *fmt, ...)
{
	if (w->unlike)
		return false;
	StrBuf text = { 0 };
	va_list ap;
	va_start(ap, fmt);
	sb_vprintf(&text, fmt, ap);
	va_end(ap);
	w->unlike = arena_strdup(&w->a, text.s);
	sb_free(&text);
	return false;
}

static int pair_of(const MeldMatch *x, int side, const Block *b) { return x->w->pair[side][b->id] - 1; }

static void add_pair(MeldMatch *x, Block *a, Block *b)
{
	BlockPair p = { .b = { a, b }, .comes = { true, true }, .takes = { OWN_BRANCH, OWN_BRANCH },
		.nsucc = a->nsucc };
	x->w->pair[0][a->id] = x->w->pair[1][b->id] = x->list->n + 1;
	vec_push(x->list, p);
}

/* Removes the pairs from number n on. */
static void drop_pairs(MeldMatch *x, int n)
{
	while (x->list->n > n) {
		BlockPair p = vec_pop(x->list);
		for (int s = 0; s < 2; s++)
			if (p.b[s])
				x->w->pair[s][p.b[s]->id] = 0;
	}
}

static bool walk_in_step(MeldMatch *x, Block *a, Block *b);

static bool walk_on(MeldMatch *x, int pair, bool swapped)
{
	BlockPair p = x->list->v[pair];
	x->list->v[pair].swapped = swapped;
	for (int k = 0; k < p.nsucc; k++)
		if (!walk_in_step(x, p.b[0]->succ[k], p.b[1]->succ[swapped ? 1 - k : k]))
			return false;
	return true;
}

/* Walks both subgraphs in step from blocks a and b on, and adds their pairs. Are they alike? */
static bool walk_in_step(MeldMatch *x, Block *a, Block *b)
{
	bool leaves[2] = { a == x->s[0]->exit, b == x->s[1]->exit };
	if (leaves[0] != leaves[1])
		return note_unlike(x->w, "one side goes out to %s where the other goes on to %s",
			leaves[0] ? a->label : b->label, leaves[0] ? b->label : a->label);
	if (leaves[0])
		return true;
	int p = pair_of(x, 0, a), q = pair_of(x, 1, b);
	if (p >= x->first || q >= x->first)
		return p == q || note_unlike(x->w, "%s and %s are led to in different ways", a->label,
			b->label);
	if (a->nsucc != b->nsucc || block_term(a)->op != block_term(b)->op ||
		block_term(a)->nsrc != block_term(b)->nsrc)
		return note_unlike(x->w, "%s ends with %s, %s with %s", a->label, say_end(x->w, a), b->label,
			say_end(x->w, b));
	if (x->steps-- <= 0) {
		x->w->unlike = NULL;
		return note_unlike(x->w, "it took more than %d steps to compare them",
			MELD_STEPS * x->s[0]->n);
	}
	int at = x->list->n;
	add_pair(x, a, b);
	if (walk_on(x, at, false))
		return true;
	if (!x->w->swap || a->nsucc != 2)
		return false;
	drop_pairs(x, at + 1);
	return walk_on(x, at, true);
}

static void forget_pairs(MeldMatch *x)
{
	for (int k = x->first; k < x->list->n; k++)
		for (int s = 0; s < 2; s++)
			if (x->list->v[k].b[s])
				x->w->pair[s][x->list->v[k].b[s]->id] = 0;
}

/* Fills in to which pairs each pair leads, by the edges of that side's blocks. */
static void number_pair_edges(MeldMatch *x, int side)
{
	for (int k = x->first; k < x->list->n; k++) {
		BlockPair *p = &x->list->v[k];
		for (int e = 0; e < p->nsucc; e++) {
			const Block *to = p->b[side]->succ[e];
			p->succ[e] = to == x->s[side]->exit ? LEAVES : pair_of(x, side, to);
		}
	}
}

static bool isomorphic(MeldMatch *x)
{
	x->steps = MELD_STEPS * x->s[0]->n;
	bool ok = walk_in_step(x, x->s[0]->block[0], x->s[1]->block[0]);
	if (ok)
		number_pair_edges(x, 0);
	else
		drop_pairs(x, x->first);
	return ok;
}

/* ---- a block against a region ---- */

/* Looks for a way from block `from` of the subgraph to block `to`, or to its exit, over blocks whose `take`
   is 0. If there is one, the `take` of each block on it becomes one more than the number of the edge to
   follow. */
static bool find_way(Meld *w, const Subgraph *s, Block *from, const Block *to)
{
	Vec(Block *) list = { 0 };
	Block *last = NULL;
	w->seeing++;
	vec_push(&list, from);
	for (int at = 0; at < list.n && !last; at++)
		for (int k = 0; k < list.v[at]->nsucc && !last; k++) {
			Block *next = list.v[at]->succ[k];
			if (next == to) {
				last = list.v[at];
				w->take[last->id] = k + 1;
			} else if (next != s->exit && next != from && w->seen[next->id] != w->seeing &&
				!w->take[next->id]) {
				w->seen[next->id] = w->seeing;
				w->back[next->id] = 2 * at + k;
				vec_push(&list, next);
			}
		}
	bool found = last != NULL;
	while (found && last != from) {
		int edge = w->back[last->id];
		last = list.v[edge / 2];
		w->take[last->id] = edge % 2 + 1;
	}
	vec_free(&list);
	return found;
}

/* Adds a pair for each block of the region. The block of `side` is paired with the region's block `at`;
   through the others its lanes pass, on the way that has been found. */
static void add_region(MeldMatch *x, int side, const Block *at)
{
	const Subgraph *region = x->s[1 - side];
	for (int k = 0; k < region->n; k++) {
		Block *b = region->block[k];
		BlockPair p = { .nsucc = b->nsucc, .takes = { OWN_BRANCH, OWN_BRANCH } };
		p.b[1 - side] = b;
		p.b[side] = b == at ? x->s[side]->block[0] : NULL;
		p.comes[1 - side] = true;
		p.comes[side] = x->w->take[b->id] > 0;
		p.takes[side] = x->w->take[b->id] - 1;
		x->w->pair[1 - side][b->id] = x->list->n + 1;
		vec_push(x->list, p);
	}
	number_pair_edges(x, 1 - side);
}

/* Pairs the block of `side` with that block of the region with which most is saved. Returns false when no way
   that comes to no block twice leads there from the region's entry and on to its exit. */
static bool replicate(MeldMatch *x, int side)
{
	Meld *w = x->w;
	const Subgraph *region = x->s[1 - side];
	const Block *own = x->s[side]->block[0];
	int64_t most = 0;
	Block *best = NULL;
	for (int k = 0; k < region->n; k++) {
		int64_t saved = meld_saved(w, own, region->block[k]);
		w->take[region->block[k]->id] = 0;
		if (saved > most) {
			most = saved;
			best = region->block[k];
		}
	}
	if (!best || (best != region->block[0] && !find_way(w, region, region->block[0], best)) ||
		!find_way(w, region, best, region->exit))
		return false;
	add_region(x, side, best);
	return true;
}

/* ---- profitability ---- */

/* Returns the profitability (MP_S) of the pairs from number `first` on, in percent. */
static int percent(const Meld *w, const PairList *list, int first)
{
	int64_t saved = 0, all = 0;
	for (int k = first; k < list->n; k++) {
		const BlockPair *p = &list->v[k];
		for (int s = 0; s < 2; s++)
			all += p->b[s] ? meld_block_cost(w, p->b[s]) : 0;
		saved += p->b[0] && p->b[1] ? meld_saved(w, p->b[0], p->b[1]) : 0;
	}
	return all ? (int)(100 * saved / all) : 0;
}

static bool is_plain_subgraph(const Subgraph *s) { return s->n == 1 && s->block[0]->nsucc <= 1; }

/* May the two subgraphs be melded, as far as can be told before they are walked? */
static bool may_compare(Meld *w, const Subgraph *a, const Subgraph *b)
{
	const Block *x = a->block[0], *y = b->block[0];
	if (a->obstacle || b->obstacle)
		return false;
	if (!a->exit != !b->exit)
		return note_unlike(w, "threads end in what begins with %s, and go on from what begins with "
			"%s", a->exit ? y->label : x->label, a->exit ? x->label : y->label);
	if (is_plain_subgraph(a) && is_plain_subgraph(b) && (x->ins.n < 2 || y->ins.n < 2))
		return note_unlike(w, "%s has no instruction but its last one",
			x->ins.n < 2 ? x->label : y->label);
	if (is_plain_subgraph(a) == is_plain_subgraph(b))
		return true;
	if (!w->copies)
		return note_unlike(w, "%s is a block alone and %s is not, and replicate=0 does not let it "
			"have that form", is_plain_subgraph(a) ? x->label : y->label,
			is_plain_subgraph(a) ? y->label : x->label);
	return a->exit || note_unlike(w, "%s and %s, in which threads end, are not both a block", x->label,
		y->label);
}

/* Adds the pairs of two subgraphs to the list. Returns their profitability in percent; NO_PAIR: they cannot
   be melded. */
static int pair_up(Meld *w, const Subgraph *a, const Subgraph *b, PairList *list)
{
	MeldMatch x = { .w = w, .s = { a, b }, .list = list, .first = list->n };
	bool plain[2] = { is_plain_subgraph(a), is_plain_subgraph(b) }, ok;
	if (!may_compare(w, a, b))
		return NO_PAIR;
	if (plain[0] == plain[1])
		ok = isomorphic(&x);
	else
		ok = replicate(&x, plain[0] ? 0 : 1) ||
			note_unlike(w, "a way through what begins with %s that comes by a block like %s "
			"would come to some block twice", (plain[0] ? b : a)->block[0]->label,
			(plain[0] ? a : b)->block[0]->label);
	forget_pairs(&x);
	return ok ? percent(w, list, x.first) : NO_PAIR;
}

/* ---- the arms ---- */

/* Adds to a stretch the pairs of its next two subgraphs, to which all lanes come that leave the ones
   before. */
static void add_to_stretch(Meld *w, MeldRegion *r, Stretch *s, int a, int b)
{
	const Subgraph *x = &r->arm[0].sub[a], *y = &r->arm[1].sub[b];
	int before = s->pair.n, percent = pair_up(w, x, y, &s->pair), whole = 0;
	for (int k = before; k < s->pair.n; k++)
		whole |= !s->pair.v[k].b[0];
	for (int k = before; k < s->pair.n; k++) {
		s->pair.v[k].first = before;
		s->pair.v[k].whole = whole;
	}
	for (int k = 0; k < before; k++)
		for (int e = 0; e < s->pair.v[k].nsucc; e++)
			if (s->pair.v[k].succ[e] == LEAVES)
				s->pair.v[k].succ[e] = before;
	s->regions += !is_plain_subgraph(x) && !is_plain_subgraph(y);
	s->copies += is_plain_subgraph(x) != is_plain_subgraph(y);
	if (!before) {
		s->weight = meld_weight(w, r->e);
		s->entry[0] = x->block[0];
		s->entry[1] = y->block[0];
	}
	s->percent = before && s->percent < percent ? s->percent : percent;
	s->exit[0] = x->exit;
	s->exit[1] = y->exit;
}

static void make_stretches(Meld *w, MeldRegion *r, const AlignedItem *item, int n)
{
	for (int k = 0; k < n; k++) {
		bool both = item[k].at[0] >= 0 && item[k].at[1] >= 0;
		bool goes_on = k > 0 && item[k - 1].at[0] >= 0 && item[k - 1].at[1] >= 0;
		if (!both)
			continue;
		if (!goes_on)
			vec_push(&r->stretch, (Stretch){ 0 });
		add_to_stretch(w, r, &vec_last(&r->stretch), item[k].at[0], item[k].at[1]);
	}
	for (int k = 0; k < r->stretch.n; k++)
		for (int p = 0; p < r->stretch.v[k].pair.n; p++) {
			BlockPair *x = &r->stretch.v[k].pair.v[p];
			int64_t weight[2] = { x->b[0] ? meld_weight(w, x->b[0]) : 0,
				x->b[1] ? meld_weight(w, x->b[1]) : 0 };
			x->weight = weight[0] > weight[1] ? weight[0] : weight[1];
		}
}

bool match_swapped(Meld *w, const MeldRegion *r)
{
	PairList list = { 0 };
	bool found = false;
	if (w->swap || r->arm[0].n * r->arm[1].n > MELD_SWAPPED)
		return false;
	w->swap = true;
	for (int i = 0; i < r->arm[0].n; i++)
		for (int j = 0; j < r->arm[1].n; j++) {
			found |= pair_up(w, &r->arm[0].sub[i], &r->arm[1].sub[j], &list) >= w->threshold;
			vec_clear(&list);
		}
	w->swap = false;
	vec_free(&list);
	return found;
}

void match_stretches(Meld *w, MeldRegion *r)
{
	int n = r->arm[0].n, m = r->arm[1].n, *score = arena_array(&w->a, int, n * m + 1);
	AlignedItem *item = arena_array(&w->a, AlignedItem, n + m + 1);
	PairList list = { 0 };
	int64_t best;
	r->percent = NO_PAIR;
	w->unlike = NULL;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			int p = pair_up(w, &r->arm[0].sub[i], &r->arm[1].sub[j], &list);
			const Subgraph *a = &r->arm[0].sub[i], *b = &r->arm[1].sub[j];
			vec_clear(&list);
			r->percent = p > r->percent ? p : r->percent;
			score[i * m + j] = p >= w->threshold && order_allows(a, b) ? p : NO_PAIR;
			if (p >= w->threshold && !order_allows(a, b) && !r->late[0]) {
				r->late[0] = a;
				r->late[1] = b;
			}
		}
	vec_free(&list);
	make_stretches(w, r, item, meld_align(n, m, score, 0, item, &best));
}
