/* Loops with break and continue tokens (loop_codegen = pbk_brk).
 *
 * A loop with one header, one latch and one block X that all its exits go to becomes a frame: PBK X on its
 * entries, BRK on its exits. If the latch L has several predecessors, an iteration is a frame too: PCNT L
 * before the header, CONT on the edges to L. BRK and CONT take their lanes out of whatever was pushed inside
 * the frame, so for what is inside, these edges are exits, and the frame as a whole is one step from its
 * entry to X (to L). Other loops stay as they are. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/place.h"
#include "passes/analysis/uniformity.h"

Block *place_block(PlaceLoops *t, Block *before)
{
	Block *entry = t->l->f->block.v[0], *b = lower_new_block(t->l);
	if (before != entry)
		edit_move(&t->l->edit, b, spot_before(before ? before : entry));
	return b;
}

Ins place_ins(PlaceLoops *t, int own, Block *to)
{
	Ins i = lower_own(t->l, own, 0, to ? 1 : 0);
	if (to)
		i.opd[0] = lower_target(to);
	return i;
}

/* Makes a block in which lanes do nothing but leave for the token of a frame. The block ends with an exit
   while tokens inside the frame are placed; place_finish turns the exit into a jump to where the lanes of the
   token go on, which is what liveness must see. */
static Block *make_leaf(PlaceLoops *t, int own, Block *frame, Block *before)
{
	Block *b = place_block(t, before);
	edit_append(&t->l->edit, b, place_ins(t, own, NULL));
	edit_ins(&t->l->edit, b, NULL, OP_EXIT, T_NONE, 0, 0);
	vec_push(&t->leaf, ((Leaf){ b, frame }));
	return b;
}

static Block *make_frame(PlaceLoops *t, int own, Block *resume, Block *body)
{
	Block *b = place_block(t, body);
	edit_append(&t->l->edit, b, place_ins(t, own, NULL));
	edit_ins(&t->l->edit, b, NULL, OP_BRA, T_NONE, 0, 0);
	edit_targets(&t->l->edit, b, (Block *[]){ resume, body }, 2);
	t->frame[b->id] = true;
	list_add(t->arena, &t->framed[resume->id], b->id);
	list_add(t->arena, &t->framed[body->id], b->id);
	return b;
}

/* Is the block in loop k? For frame blocks t->home says in which loop they are. */
static bool is_inside(const PlaceLoops *t, const Cfg *cfg, const Loops *loops, int k, const Block *b)
{
	if (b->id < cfg->n)
		return loop_has(cfg, &loops->loop[k], b->id);
	for (int h = t->home[b->id]; h >= 0; h = loops->loop[h].parent)
		if (h == k)
			return true;
	return false;
}

typedef struct LoopShape { Block *header, *latch, *exit; bool cont; } LoopShape;

static bool loop_shape(const PlaceLoops *t, const Cfg *cfg, const Loops *loops, const IntList *exits, int k,
	LoopShape *s)
{
	const Loop *l = &loops->loop[k];
	Function *f = t->l->f;
	/* elsewhere: a branch that leaves the loop names, by !reconverge, another point than the exit
	   block */
	bool divergent = false, elsewhere = false;
	if (!l->reducible || l->latch.n != 1 || exits[k].n != 1)
		return false;
	*s = (LoopShape){ f->block.v[l->header], f->block.v[l->latch.v[0]], f->block.v[exits[k].v[0]],
		false };
	if (loops->of[s->exit->id] != l->parent || s->exit == f->block.v[0] || s->header == f->block.v[0])
		return false;
	loop_each(cfg, l, b)
		for (int x = 0; x < b->nsucc; x++)
			if (b->succ[x] == s->exit) {
				divergent |= t->divergent[b->id];
				elsewhere |= b->reconverge && b->reconverge != s->exit;
			}
	s->cont = s->latch != s->header && cfg->npred[s->latch->id] > 1;
	return divergent && !elsewhere && loops->of[s->latch->id] == k;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

typedef Vec(int) Ids;

/* Adds to the list the blocks that may lead to `to`, a block of the source: its predecessors in the source,
   and frame blocks. */
static void add_leading(const PlaceLoops *t, const Cfg *cfg, const Block *to, Ids *list)
{
	for (int k = 0; k < cfg->npred[to->id]; k++)
		vec_push(list, cfg->pred[to->id][k]->id);
	for (int k = 0; k < t->framed[to->id].n; k++)
		vec_push(list, t->framed[to->id].v[k]);
}

/* Makes the loop a frame. Inner loops have been made frames before: each of them is one step, from its PBK to
   where the lanes of that token go on. */
static void cut_loop(PlaceLoops *t, const Cfg *cfg, const Loops *loops, int loop, const LoopShape *s)
{
	Function *f = t->l->f;
	Edit *e = &t->l->edit;
	Block *brk = NULL, *cont = NULL;
	Ids leading = { 0 };
	add_leading(t, cfg, s->header, &leading);
	add_leading(t, cfg, s->latch, &leading);
	add_leading(t, cfg, s->exit, &leading);
	qsort(leading.v, (size_t)leading.n, sizeof *leading.v, by_value);
	Block *start = s->cont ? make_frame(t, OWN_PCNT, s->latch, s->header) : s->header;
	Block *enter = make_frame(t, OWN_PBK, s->exit, start);
	t->home[start->id] = loop;
	t->home[enter->id] = loops->loop[loop].parent;
	for (int x = 0; x < leading.n; x++) {
		Block *b = f->block.v[leading.v[x]];
		if (x && leading.v[x] == leading.v[x - 1])
			continue;
		bool in = is_inside(t, cfg, loops, loop, b);
		for (int k = 0; k < b->nsucc; k++) {
			if (b->succ[k] == s->exit && in)
				edit_target(e, b, k, brk ? brk : (brk = make_leaf(t, OWN_BRK, enter,
					s->exit)));
			else if (b->succ[k] == s->latch && in && s->cont)
				edit_target(e, b, k, cont ? cont : (cont = make_leaf(t, OWN_CONT, start,
					s->latch)));
			else if (b->succ[k] == s->header)
				edit_target(e, b, k, in ? start : enter);
			else
				continue;
			/* the branch has only one way left inside the frame: it needs no point */
			if (b->nsucc == 2 && block_term(b)->op == OP_BRA && in && b->id < cfg->n)
				t->divergent[b->id] = false;
		}
	}
	vec_free(&leading);
}

void place_loops(PlaceLoops *t, bool frames)
{
	Cfg *cfg = cfg_build(t->arena, t->l->f);
	Uniformity *u = uniformity_build(t->arena, cfg, t->l->config->warp_size);
	t->room = cfg->n * 8 + 16;
	t->divergent = arena_array(t->arena, bool, t->room);
	t->frame = arena_array(t->arena, bool, t->room);
	t->home = arena_array(t->arena, int, t->room);
	t->framed = arena_array(t->arena, IntList, t->room);
	memcpy(t->divergent, u->divergent, sizeof *t->divergent * (size_t)cfg->n);
	if (!frames)
		return;
	Loops *loops = loops_build(t->arena, cfg);
	const IntList *exits = loop_exits(t->arena, cfg, loops);
	LoopShape *shape = arena_array(t->arena, LoopShape, loops->n + 1);
	bool *take = arena_array(t->arena, bool, loops->n + 1);
	for (int k = 0; k < loops->n; k++)
		take[k] = loop_shape(t, cfg, loops, exits, k, &shape[k]);
	for (int k = loops->n - 1; k >= 0; k--) /* inner loops first */
		if (take[k])
			cut_loop(t, cfg, loops, k, &shape[k]);
}

static bool is_leaf(const Block *b, int *own)
{
	if (b->origin != ORIGIN_LOWER || b->ins.n != 2 || b->ins.v[0].op != OP_OWN || b->ins.v[0].nsrc)
		return false;
	*own = b->ins.v[0].mode;
	return *own == OWN_BRK || *own == OWN_CONT || *own == OWN_SYNC;
}

/* Turns `bra p, leaf, other` into `@p leave; bra other`, where `leave` is the operation in the leaf. */
static void predicate_branch(PlaceLoops *t, Block *b)
{
	int own;
	if (block_term(b)->op != OP_BRA || block_term(b)->nsrc == 0 || b->nsucc != 2)
		return;
	int k = is_leaf(b->succ[0], &own) ? 0 : is_leaf(b->succ[1], &own) ? 1 : -1;
	if (k < 0 || !(is_leaf(b->succ[k], &own)))
		return;
	Edit *e = &t->l->edit;
	Block *other = b->succ[1 - k], *resume = b->succ[k]->succ[0];
	Ins branch = edit_remove(e, b, b->ins.n - 1), *leave = edit_ins(e, b, &branch, OP_OWN, T_NONE, 0, 1);
	leave->mode = (uint8_t)own;
	leave->opd[0] = branch.opd[0];
	leave->opd[0].neg ^= k == 1;
	ins_instead(leave, &branch);       /* this is the program's branch in another form */
	edit_jump(e, b, NULL, other);
	/* the jump goes to the first only; lanes that leave go on at the second */
	edit_targets(e, b, (Block *[]){ other, resume }, 2);
}

void place_finish(PlaceLoops *t, bool predicated)
{
	Function *f = t->l->f;
	Block **resume = arena_array(t->arena, Block *, f->block.n);
	for (int i = 0; i < f->block.n; i++) {
		Block *b = f->block.v[i];
		if (i < t->room && t->frame[b->id]) {
			b->ins.v[0] = place_ins(t, b->ins.v[0].mode, b->succ[0]);
			resume[b->id] = b->succ[0];
			edit_targets(&t->l->edit, b, (Block *[]){ b->succ[1] }, 1);
		}
	}
	for (int i = 0; i < t->leaf.n; i++) {
		Block *b = t->leaf.v[i].block;
		edit_cut_term(&t->l->edit, b);
		edit_jump(&t->l->edit, b, NULL, resume[t->leaf.v[i].frame->id]);
	}
	for (int i = 0; predicated && i < f->block.n; i++)
		predicate_branch(t, f->block.v[i]);
	edit_settle(&t->l->edit);
}
