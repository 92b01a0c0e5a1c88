/* Chooses which instructions become one: those that the alignment of their blocks puts side by side, except
 * for pairs that do not pay. A pair saves one execution; it costs the choices between sources that differ,
 * and its share of the moves of results between registers. */
#include "passes/transform/meld/meld.h"
#include "passes/constants.h"

/* ---- alignment of instructions ---- */

static int closeness(const Ins *a, const Ins *b)
{
	int n = 0;
	for (int k = 0; k < a->ndst + a->nsrc; k++)
		n += opd_same(&a->opd[k], &b->opd[k]);
	return n < MELD_CLOSENESS ? n : MELD_CLOSENESS - 1;
}

/* Aligns the instructions from[s] up to below to[s] of each side's block, without the last one of the block.
   Returns how many items were written. */
static int align_piece(Meld *w, const BlockPair *p, const int *from, const int *to, AlignedItem *out)
{
	int n = to[0] - from[0], m = to[1] - from[1];
	int64_t best;
	int *score = xmalloc(sizeof *score * ((size_t)n * (size_t)m + 1));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			const Ins *a = &p->b[0]->ins.v[from[0] + i], *b = &p->b[1]->ins.v[from[1] + j];
			score[i * m + j] = meld_alike(w, a, b) ? (int)meld_cost(w, a) * MELD_CLOSENESS +
				closeness(a, b) : NO_PAIR;
		}
	int count = meld_align(n, m, score, MELD_GAP * MELD_CLOSENESS, out, &best);
	for (int k = 0; k < count; k++)
		for (int s = 0; s < 2; s++)
			out[k].at[s] += out[k].at[s] >= 0 ? from[s] : 0;
	free(score);
	return count;
}

/* Aligns the instructions of a pair of blocks. Long blocks are cut into pieces, each with a table of about
   `cells` cells at most; returns how many. The last instructions of both blocks always go together, and get
   no item. */
static int align_blocks(Meld *w, BlockPair *p)
{
	int n[2], pieces = 1;
	for (int s = 0; s < 2; s++)
		n[s] = p->b[s] ? p->b[s]->ins.n - 1 : 0;
	while ((int64_t)n[0] * n[1] > (int64_t)pieces * pieces * w->cells)
		pieces++;
	p->item = arena_array(&w->a, AlignedItem, n[0] + n[1] + 1);
	p->n = 0;
	for (int k = 0; k < pieces; k++) {
		int from[2], to[2];
		for (int s = 0; s < 2; s++) {
			from[s] = (int)((int64_t)n[s] * k / pieces);
			to[s] = (int)((int64_t)n[s] * (k + 1) / pieces);
		}
		p->n += align_piece(w, p, from, to, p->item + p->n);
	}
	return pieces;
}

/* ---- what a pair saves ---- */

static int64_t choice_cost(const Meld *w, Stretch *s, const BlockPair *p, const Choice *c)
{
	const Hoisted *h = c->differ ? hoisted_find(s, c) : NULL;
	if (!c->differ)
		return 0;
	if (h)
		return s->weight * (meld_cost_of(w, OP_SELP, c->type) + c->adds *
			meld_cost_of(w, OP_ADD, T_U64)) / h->uses;
	return p->weight * (meld_cost_of(w, OP_SELP, c->type) + c->adds * meld_cost_of(w, OP_ADD, T_U64));
}

static int64_t choices_cost(const Meld *w, Stretch *s, const BlockPair *p, const Ins *a, const Ins *b)
{
	int64_t sum = 0;
	for (int k = 0; k < a->nsrc; k++) {
		Choice c = choice_of(w, a, b, k);
		sum += choice_cost(w, s, p, &c);
	}
	if (meld_guarded(a, b)) {
		Choice c = choice_of_guards(w, a, b);
		sum += choice_cost(w, s, p, &c);
	}
	return sum;
}

/* Returns how many cycles are saved because the results share names, or lost (below 0) because they do not.
   INT32_MIN: the two may not become one. */
static int64_t results_gain(const Meld *w, Stretch *s, const BlockPair *p, const Ins *a, const Ins *b)
{
	int64_t sum = 0, move = meld_cost_of(w, OP_MOV, T_B32);
	for (int k = 0; k < a->ndst; k++) {
		if (ins_dst(a, k)->kind != OPD_REG)
			continue;
		const SharedName *x = names_shared(w, s, ins_dst(a, k)->id, ins_dst(b, k)->id);
		if (!x && meld_guarded(a, b))   /* where the guard does not hold there is no result to move */
			return INT32_MIN;
		sum += x ? (x->uses - s->weight * move * names_moves(w, x, x->home)) / x->writers
			: -2 * p->weight * move;
	}
	return sum;
}

static bool apart_pays(const Meld *w, Stretch *s, const BlockPair *p, const AlignedItem *i)
{
	const Ins *a = &p->b[0]->ins.v[i->at[0]], *b = &p->b[1]->ins.v[i->at[1]];
	int64_t gain = (meld_weight(w, p->b[0]) + meld_weight(w, p->b[1]) - p->weight) * meld_cost(w, a);
	/* If the pairs before and behind this one are melded and this one is not, the code needs a branch
	   into its two sides, at which lanes part, and a jump out of each. */
	if (i > p->item && i + 1 < p->item + p->n && item_melds(i - 1) && item_melds(i + 1))
		gain += p->weight * (3 * meld_cost_of(w, OP_BRA, T_NONE) +
			(w->timed ? cost_parting(w->r->cost) : 0));
	return gain + results_gain(w, s, p, a, b) - choices_cost(w, s, p, a, b) < 0;
}

/* ---- choosing ---- */

static void count_use(const Meld *w, Stretch *s, const BlockPair *p, const Opd *a, const Opd *b)
{
	if (a->kind != OPD_REG || b->kind != OPD_REG || a->id == b->id)
		return;
	SharedName *x = names_shared(w, s, a->id, b->id);
	if (x)
		x->uses += p->weight * meld_cost_of(w, OP_SELP, T_B32);
}

/* Counts what sharing names saves where the registers are read: one choice each time. */
static void count_uses(const Meld *w, Stretch *s)
{
	pairs_each(s, p, i, a, b) {
		for (int k = 0; k < a->nsrc; k++)
			count_use(w, s, p, ins_src(a, k), ins_src(b, k));
		if (a->guard >= 0 && b->guard >= 0)
			count_use(w, s, p, &(Opd){ OPD_REG, 0, a->guard, 0 },
				&(Opd){ OPD_REG, 0, b->guard, 0 });
	}
	for (int k = 0; k < s->pair.n; k++) {
		const BlockPair *p = &s->pair.v[k];
		if (p->nsucc > 1 && p->takes[0] == OWN_BRANCH && p->takes[1] == OWN_BRANCH && p->b[0] &&
			p->b[1])
			count_use(w, s, p, ins_src(block_term(p->b[0]), 0), ins_src(block_term(p->b[1]), 0));
		for (int r = 0; p->nsucc == 0 && p->b[0] && p->b[1] && r < block_term(p->b[0])->nsrc; r++)
			count_use(w, s, p, ins_src(block_term(p->b[0]), r), ins_src(block_term(p->b[1]), r));
	}
}

/* Sets apart the pairs of instructions that do not pay, and returns whether there were any. It begins at the
   end, so that it is known of each result whether the instructions that read it become one. */
static bool take_apart(Meld *w, Stretch *s)
{
	bool changed = false;
	for (int k = s->pair.n; k-- > 0;) {
		BlockPair *p = &s->pair.v[k];
		for (int i = p->n; i-- > 0;)
			if (item_melds(&p->item[i]) && apart_pays(w, s, p, &p->item[i]))
				changed = p->item[i].apart = true;
	}
	return changed;
}

static void name(Meld *w, Stretch *s)
{
	names_share(w, s);
	names_hoist(w, s);
	count_uses(w, s);
}

void worth_choose(Meld *w, Stretch *s)
{
	for (int k = 0; k < s->pair.n; k++) {
		int pieces = align_blocks(w, &s->pair.v[k]);
		s->pieces = pieces > s->pieces ? pieces : s->pieces;
	}
	name(w, s);
	while (take_apart(w, s))
		name(w, s);
	s->pairs = s->alone = 0;
	for (int k = 0; k < s->pair.n; k++)
		for (const AlignedItem *i = s->pair.v[k].item; i < s->pair.v[k].item + s->pair.v[k].n; i++) {
			s->pairs += item_melds(i);
			s->alone += item_melds(i) ? 0 : (i->at[0] >= 0) + (i->at[1] >= 0);
		}
}
