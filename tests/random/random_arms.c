/* Branches whose arms are alike. Both arms are made of the same random numbers: statement by statement,
 * instruction by instruction they come out the same, with other registers of the pools and some choices made
 * anew. An arm may come a second time behind a branch of its own (chains), a block may stand against a region
 * that has the same block in it, an arm may be empty, have blocks that only jump, or be led to from a block
 * that nobody reaches. */
#include "tests/random/random_gen.h"
#include "tests/random.h"

static uint32_t own(Gen *g, uint32_t n) { return (uint32_t)(random_next(&g->own) % n); }

/* ---- steps ---- */

/* Where arms differ, a step is another one, is put off behind the next, or has a new one in front. */
void step_begin(Gen *g, Steps *s)
{
	s->next = g->state;
	if (!g->alike)
		return;
	if (s->waits) {
		g->state = s->late;
		s->waits = false;
		return;
	}
	g->state = random_next(&s->next);
	if (!g->unlike || random_next(&g->anew) % 300 >= (uint64_t)g->unlike)
		return;
	uint64_t how = random_next(&g->anew) % 3;
	s->late = g->state;
	s->waits = how > 0;
	g->state = how == 1 ? random_next(&s->next) : random_next(&g->anew);
}

void step_end(Gen *g, const Steps *s)
{
	if (g->alike)
		g->state = s->next;
}

/* ---- the arms of a branch ---- */

typedef struct Twin { uint64_t state, idle, unfaulted, nans, spaces, chases; size_t chosen; int cost; } Twin;

static Twin twin_of(const Gen *g)
{
	return (Twin){ g->state, g->idle, g->unfaulted, g->nans, g->spaces, g->chases, g->chosen,
		g->cost };
}

static void start_again(Gen *g, const Twin *t)
{
	g->state = t->state;
	g->idle = t->idle;
	g->unfaulted = t->unfaulted;
	g->nans = t->nans;
	g->spaces = t->spaces;
	g->chases = t->chases;
	g->chosen = t->chosen;
	g->cost = t->cost;
}

static void permute_pools(Gen *g)
{
	for (int p = 0; p < POOL_COUNT; p++)
		for (int k = own(g, 2) ? g->npool[p] - 1 : 0; k > 0; k--) {
			int j = (int)own(g, (uint32_t)k + 1), x = g->pool[p][k];
			g->pool[p][k] = g->pool[p][j];
			g->pool[p][j] = x;
		}
}

static void pass_through(Gen *g)
{
	Block *next = block(g);
	jump(g, next);
	open_block(g, next);
}

/* The same instructions as in the other arm, in a condition or a loop of their own. */
static void wrapped(Gen *g, const Twin *t, int n)
{
	uint32_t form = own(g, 4);
	Block *in = block(g), *no = form == 1 ? block(g) : NULL, *on = block(g);
	int left = form >= 2 && has(g, RF_LOOP) ? small(g, 3) : -1, p = left < 0 ? condition(g) : -1,
		cost = g->cost;
	if (left < 0)
		branch(g, p, in, no ? no : on);
	else
		jump(g, in);
	open_block(g, in);
	start_again(g, t);
	g->cost = cost;
	straight(g, n);
	if (left >= 0) {
		int last = emit2(g, "setp.eq.u32", T_PRED, opd_reg(left), opd_imm(0));
		Ins i = op(g, "sub.u32", 1, 2);
		i.opd[0] = i.opd[1] = opd_reg(left);
		i.opd[2] = opd_imm(1);
		emit(g, i);
		branch_if(g, last, on, in);
	} else {
		jump(g, on);
	}
	if (no) {
		open_block(g, no);
		straight(g, 1 + (int)own(g, 2));
		jump(g, on);
	}
	open_block(g, on);
	straight(g, (int)own(g, 3));
}

/* A block that nobody reaches. */
static void lost_block(Gen *g, Block *to)
{
	Block *b = g->b;
	open_block(g, block(g));
	straight(g, (int)own(g, 2));
	jump(g, to);
	open_block(g, b);
}

enum { TWINS, CHAIN, BLOCK_REGION, EMPTY };

static int form_of(Gen *g, int depth)
{
	uint32_t r = rnd(g, 20);
	if (r < 3 && depth < 3)
		return CHAIN;
	return r < 7 ? BLOCK_REGION : r == 7 ? EMPTY : TWINS;
}

static void arms(Gen *g, int depth, int form, Twin *t);

static void second_arm(Gen *g, int depth, int form, Twin *t)
{
	int saved[POOL_COUNT][POOL_MOST], unlike = g->unlike;
	static const uint8_t differences[] = { 0, 0, 1, 3, 10, 30, 100 };
	int more = differences[own(g, sizeof differences)];
	memcpy(saved, g->pool, sizeof saved);
	g->unlike = more > unlike ? more : unlike;
	if (own(g, 4))
		permute_pools(g);
	if (form == CHAIN) {
		straight(g, (int)own(g, 2));
		arms(g, depth + 1, own(g, 3) ? TWINS : CHAIN, t);
	} else if (form == BLOCK_REGION) {
		wrapped(g, t, 1 + (int)own(g, 6));
	} else {
		start_again(g, t);
		inside(g, depth, 1, 2);
	}
	memcpy(g->pool, saved, sizeof saved);
	g->unlike = unlike;
}

/* Lanes of the branch's two sides, as masks, for what they do together; -1: nothing. */
static void masks_of(Gen *g, int p, int *mask)
{
	bool together = g->level > 0 && !g->may_exit && has(g, RF_GROUP) && has(g, RF_WARP) &&
		rnd(g, 12) == 0;
	for (int k = 0; k < 2; k++)
		mask[k] = together ? ballot(g, p, k) : -1;
}

/* Both arms begin with the random numbers of t. */
static void arms(Gen *g, int depth, int form, Twin *t)
{
	int first = (int)own(g, 2), level = g->level, before = g->cost, mask[2], p = condition(g);
	Block *side[2], *end = block(g);
	for (int s = 0; s < 2; s++)
		side[s] = form == EMPTY && s != first ? end : block(g);
	masks_of(g, p, mask);
	branch_if(g, p, side[0], side[1]);
	if (mask[0] < 0)
		vec_last(&g->b->ins).opd[0].neg = own(g, 4) == 0;
	if (mask[0] < 0 && has(g, RF_CONSTANT) && own(g, 16) == 0)
		vec_last(&g->b->ins).opd[0] = constant_predicate(g);
	g->level = 0;
	t->cost = g->cost;
	for (int k = 0; k < 2 - (form == EMPTY); k++) {
		int s = k ? 1 - first : first, cost = g->cost;
		open_block(g, side[s]);
		if (own(g, 8) == 0)
			pass_through(g);
		if (k == 0) {
			start_again(g, t);
			if (form == BLOCK_REGION)
				straight(g, 1 + (int)own(g, 6));
			else
				inside(g, depth, 1, 2);
		} else {
			second_arm(g, depth, form, t);
			g->cost += cost - before;
		}
		if (mask[s] >= 0)
			group_operation(g, mask[s]);
		if (own(g, 8) == 0)
			pass_through(g);
		jump(g, end);
	}
	if (own(g, 24) == 0)
		lost_block(g, own(g, 2) ? end : side[own(g, 2)]);
	open_block(g, end);
	g->level = level;
}

void arms_statement(Gen *g, int depth)
{
	bool alike = g->alike;
	uint64_t outer = g->own;
	int form = form_of(g, depth);
	Twin t = twin_of(g);
	g->own = rnd64(g);
	t.state = rnd64(g);
	if (!alike)
		g->anew = rnd64(g);
	g->alike = true;
	arms(g, depth, form, &t);
	g->alike = alike;
	g->own = outer;
	g->state = random_next(&t.state);
	used(g, RF_ARMS);
}
