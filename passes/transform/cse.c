/* cse: local value numbering: a value that a register already has in the same block is copied instead of
 * computed again.
 *
 * requires  nothing
 * keeps     the graph
 * breaks    liveness
 *
 * Registers and expressions have numbers; equal numbers are equal values. A definition under a guard gives
 * its register a value of its own. Loads count with the state of memory before them, operations on the carry
 * flag have no number. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/facts.h"
#include "passes/transform/transform.h"

typedef struct Values {
	PassRun *r;
	Edit e;
	Keys keys;                     /* numbers of expressions, whose sources are values */
	Vec(int) holder;               /* by expression: the register that had its value last */
	Vec(int) value;                /* by expression: the number of its value */
	/* by register: the number of its value, and one more than the number of the block in which that value
	   is known */
	int *of, *block;
	int now, id;                   /* how many values there are so far; the block's number */
	int memory[SP_COUNT];          /* by space: the number of its state, a new one after each write */
	int replaced;
} Values;

static void give_fresh_number(void *self, int reg)
{
	Values *w = self;
	w->of[reg] = ++w->now;
	w->block[reg] = w->id + 1;
}

static void make_known(void *self, int reg)
{
	if (((Values *)self)->block[reg] != ((Values *)self)->id + 1)
		give_fresh_number(self, reg);
}

/* Returns the number of the expression that the instruction computes; -1: it has none. */
static int expression(Values *w, const Ins *i)
{
	int64_t state[SP_COUNT + 1];
	uint8_t reads;
	if (!ins_repeats(i, &reads))
		return -1;
	for (int s = 0; s < SP_COUNT; s++)
		state[s] = reads & SPACE_BIT(s) ? w->memory[s] : 0;
	state[SP_COUNT] = w->id;
	int x = value_number_in(&w->keys, w->r->f, i, w->of, state, SP_COUNT + 1);
	if (x == w->value.n) {
		vec_push(&w->value, 0);
		vec_push(&w->holder, -1);
	}
	return x;
}

/* Register `holder` already has what the instruction computes. Returns true when the instruction is not
   needed at all; else *out is the move that takes its place, unless it is a plain move itself. */
static bool replace_by_holder(Values *w, const Ins *i, int holder, Ins *out)
{
	int d = ins_dst(i, 0)->id;
	if ((ins_moves(i) && holder != d) ||
		!pass_may_change(w->r, ins_loc(w->r->m, i), "%s replaced by what %s has", op_info[i->op].name,
			w->r->f->reg.v[holder].name))
		return false;
	w->replaced++;
	if (holder == d)
		return true;
	*out = ins_move(w->r->m, w->r->f, i, d, holder);
	return false;
}

static void number_result(Values *w, Rewrite *rw, const Ins *i)
{
	Ins out = *i;
	ins_uses(w->r->f, i, make_known, w);
	int x = expression(w, i), holder = x >= 0 ? w->holder.v[x] : -1;
	bool copy = ins_copies(w->r->f, i), has = holder >= 0 && w->of[holder] == w->value.v[x];
	int value = copy ? w->of[ins_src(i, 0)->id] : has ? w->value.v[x] : -1;
	if (has && !copy && replace_by_holder(w, i, holder, &out))
		return;
	edit_put_instead(rw, out);
	ins_defs(w->r->f, i, give_fresh_number, w);
	uint8_t spaces = ins_clobbers(analysis_effects(w->r->an), i);
	for (int s = 0; s < SP_COUNT; s++)
		if (spaces & SPACE_BIT(s))
			w->memory[s] = ++w->now;
	if (x < 0 || i->guard >= 0)
		return;
	int d = ins_dst(i, 0)->id;
	if (value >= 0)
		w->of[d] = value;
	w->value.v[x] = w->of[d];
	if (!has)
		w->holder.v[x] = d;
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	const Cfg *c = analysis_cfg(r->an);
	int n = function_values(r->f);
	Values w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .keys = { .a = &a },
		.of = arena_array(&a, int, n), .block = arena_array(&a, int, n) };
	for (int i = 0; i < c->nreach; i++) {
		Rewrite rw;
		w.id = c->rpo[i]->id;
		for (const Ins *x = edit_rewrite(&rw, &w.e, c->rpo[i]); x; x = edit_next(&rw))
			number_result(&w, &rw, x);
	}
	edit_close(&w.e);
	vec_free(&w.holder);
	vec_free(&w.value);
	arena_free(&a);
	pass_count(r, "computations replaced", w.replaced);
	return w.replaced > 0;
}

const Pass pass_cse = {
	.name = "cse",
	.idle = "no block computes anything twice",
	.help = "copy what a register of the same block has already instead of computing it again",
	.function = run,
	.keeps_graph = true,
};
