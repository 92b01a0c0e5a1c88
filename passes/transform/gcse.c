/* gcse: where a register has a value on every way to a block, copies that register instead of computing the
 * value again there.
 *
 * requires  nothing
 * keeps     the graph
 * breaks    liveness
 *
 * Computes available expressions, each with the register that has its value: "%d = a + b" holds until %d, %a
 * or %b is written, and a load until an access may have written where it loads, as far as memory dependence
 * can tell, at any time of one call of the function (assume-restrict: pointer parameters are taken not to
 * overlap). How often memory dependence is asked is bounded by the number of instructions; after that, every
 * write to the same space counts. The same register has to have the value on all ways: nothing is inserted,
 * so no way gets longer. (Values in different registers on different ways are left to code motion.)
 * Expressions that occur in one block only are cse's. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/constants.h"
#include "passes/options.h"
#include "passes/transform/facts.h"
#include "passes/transform/transform.h"

/* block: a block that computes the expression; several: another one does, too; first: the first of its facts,
   or -1; load: the first of its loads, or -1 */
typedef struct Expr { int block; bool several; int first, load; } Expr;
/* by fact: the register that has the value; the next fact of the expression, -1 = none; the expression */
typedef struct Holder { int reg, next, expr; } Holder;
typedef struct GcseLoad { int access, next; } GcseLoad;
typedef struct Write { int time, access; } Write;

typedef struct Gcse {
	PassRun *r;
	Edit e;
	Arena arena;
	Keys keys;                     /* numbers of expressions */
	Vec(Expr) expr;
	Vec(Holder) holder;
	Vec(GcseLoad) load;
	Facts facts;
	const MemDep *mem;             /* NULL: there are no loads */
	MemAsk ask;
	Vec(Write) write;              /* writes to memory in this block so far; access -1: to anything */
	/* by register or space (facts_memory): when it was written last; when the block began; the present
	   time. Times count instructions */
	int *defined, start, now;
	int replaced;
} Gcse;

static void define_reg(void *self, int reg) { ((Gcse *)self)->defined[reg] = ((Gcse *)self)->now; }

static void step_gcse(Gcse *w, const Ins *i, int block, int ins)
{
	uint8_t spaces = ins_clobbers(w->facts.effects, i);
	w->now++;
	if (spaces && w->mem)
		vec_push(&w->write, ((Write){ w->now, memdep_find(w->mem, block, ins) }));
	ins_defs(w->r->f, i, define_reg, w);
	for (int s = 0; s < SP_COUNT; s++)
		if (spaces & SPACE_BIT(s))
			define_reg(w, facts_memory(&w->facts, s));
}

/* Returns the number of the expression that the instruction computes; -1: none that is worth copying. */
static int number_expression(Gcse *w, const Ins *i)
{
	uint8_t reads;
	return ins_repeats(i, &reads) && !ins_moves(i) ? value_number(&w->keys, w->r->f, i, NULL) : -1;
}

static void survey(Gcse *w, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++) {
		int x = number_expression(w, &b->ins.v[k]);
		if (x == w->expr.n)
			vec_push(&w->expr, ((Expr){ b->id, false, -1, -1 }));
		else if (x >= 0)
			w->expr.v[x].several |= w->expr.v[x].block != b->id;
	}
}

/* Notes the loads of each expression in the block, for questions about memory. */
static void note_loads(Gcse *w, const Block *b)
{
	uint8_t reads;
	for (int k = 0; k < b->ins.n; k++) {
		int x = ins_repeats(&b->ins.v[k], &reads) && reads ? number_expression(w, &b->ins.v[k]) : -1,
			access = x >= 0 ? memdep_find(w->mem, b->id, k) : -1;
		if (access < 0)
			continue;
		vec_push(&w->load, ((GcseLoad){ access, w->expr.v[x].load }));
		w->expr.v[x].load = w->load.n - 1;
	}
}

/* Does a write by access `write` leave alone what expression x loads, at every place where x is computed? */
static bool load_stays(Gcse *w, int x, int write)
{
	if (!w->mem || write < 0 || w->expr.v[x].load < 0)
		return false;
	for (int l = w->expr.v[x].load; l >= 0; l = w->load.v[l].next)
		if (w->facts.patience-- <= 0 || memdep_orders(w->mem, &w->ask, w->load.v[l].access, write))
			return false;
	return true;
}

static bool outlasts(void *self, int fact, int block, int ins)
{
	Gcse *w = self;
	return load_stays(w, w->holder.v[fact].expr, memdep_find(w->mem, block, ins));
}

static bool memory_same_since(Gcse *w, int x, int time)
{
	for (int k = w->write.n; k-- > 0 && w->write.v[k].time > time;)
		if (!load_stays(w, x, w->write.v[k].access))
			return false;
	return w->mem != NULL;
}

/* Are the instruction's sources, and the memory that it reads, still as they were at that time? */
static bool since(Gcse *w, const Ins *i, int x, int time)
{
	uint8_t reads;
	ins_repeats(i, &reads);
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG && w->defined[ins_src(i, k)->id] > time)
			return false;
	for (int s = 0; s < SP_COUNT; s++)
		if (reads & SPACE_BIT(s) && w->defined[facts_memory(&w->facts, s)] > time)
			return memory_same_since(w, x, time);
	return true;
}

static void state(Gcse *w, const Ins *i, int block, int x)
{
	int d = ins_dst(i, 0)->id;
	int fact = facts_hold(&w->facts, block, (int64_t[]){ x, d }, 2);
	if (fact < w->holder.n)
		return;
	uint8_t reads;
	ins_repeats(i, &reads);
	vec_push(&w->holder, ((Holder){ d, w->expr.v[x].first, x }));
	w->expr.v[x].first = fact;
	facts_about(&w->facts, fact, d);
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG)
			facts_about(&w->facts, fact, ins_src(i, k)->id);
	for (int s = 0; s < SP_COUNT; s++)
		if (reads & SPACE_BIT(s))
			facts_about(&w->facts, fact, facts_memory(&w->facts, s));
}

static void facts_of(Gcse *w, const Block *b)
{
	int start = w->now;
	vec_clear(&w->write);
	for (int k = 0; k < b->ins.n; k++)
		step_gcse(w, &b->ins.v[k], b->id, k);
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		int x = i->guard < 0 ? number_expression(w, i) : -1, at = start + k + 1;
		/* at - 1: a source that the instruction itself writes has time `at` */
		if (x >= 0 && w->expr.v[x].several && w->defined[ins_dst(i, 0)->id] == at &&
			since(w, i, x, at - 1))
			state(w, i, b->id, x);
	}
}

static int holder(Gcse *w, const Block *b, const Ins *i, int x)
{
	if (x < 0 || !since(w, i, x, w->start))
		return -1;
	for (int fact = w->expr.v[x].first; fact >= 0; fact = w->holder.v[fact].next)
		if (bs_has(w->facts.before[b->id], fact) && w->defined[w->holder.v[fact].reg] <= w->start)
			return w->holder.v[fact].reg;
	return -1;
}

static void rewrite_gcse(Gcse *w, Block *b)
{
	Rewrite rw;
	int k = 0;
	w->start = w->now;
	vec_clear(&w->write);
	for (const Ins *i = edit_rewrite(&rw, &w->e, b); i; i = edit_next(&rw), k++) {
		int from = holder(w, b, i, number_expression(w, i));
		if (from >= 0 && !pass_may_change(w->r, ins_loc(w->r->m, i), "%s replaced by what %s has",
			op_info[i->op].name, w->r->f->reg.v[from].name))
			from = -1;
		w->replaced += from >= 0;
		if (from >= 0 && from == ins_dst(i, 0)->id)
			continue;
		edit_put_instead(&rw, from >= 0 ? ins_move(w->r->m, w->r->f, i, ins_dst(i, 0)->id, from)
			: *i);
		step_gcse(w, i, b->id, k);
	}
}

static bool block_has_loads(const Block *b)
{
	uint8_t reads;
	for (int k = 0; k < b->ins.n; k++)
		if (ins_repeats(&b->ins.v[k], &reads) && reads)
			return true;
	return false;
}

static void ask_memory(PassRun *r, Gcse *w, const Cfg *c)
{
	bool any = false;
	int64_t n = 0;
	for (int i = 0; i < c->nreach; i++) {
		any |= block_has_loads(c->rpo[i]);
		n += c->rpo[i]->ins.n;
	}
	if (!any)
		return;
	w->mem = analysis_memdep(r->an);
	w->facts.outlasts = outlasts;
	w->facts.self = w;
	w->facts.patience = MEMORY_QUESTIONS * n;
	for (int i = 0; i < c->nreach; i++)
		note_loads(w, c->rpo[i]);
}

/* Replaces what can be replaced, and returns whether there was anything. A further round may find more: an
   instruction that has been removed no longer writes its register, and so no longer ends other facts. */
static bool gcse_round(PassRun *r, Gcse *w)
{
	const Cfg *c = analysis_cfg(r->an);
	int before = w->replaced;
	w->keys = (Keys){ .a = &w->arena };
	w->facts = facts_open(&w->arena, c, analysis_effects(r->an));
	w->defined = arena_array(&w->arena, int, facts_memory(&w->facts, SP_COUNT));
	w->now = 0;
	vec_clear(&w->expr);
	vec_clear(&w->holder);
	vec_clear(&w->load);
	w->mem = NULL;
	for (int i = 0; i < c->nreach; i++)
		survey(w, c->rpo[i]);
	ask_memory(r, w, c);
	for (int i = 0; i < c->nreach; i++)
		facts_of(w, c->rpo[i]);
	facts_solve(&w->facts);
	for (int i = 0; i < c->nreach && w->facts.before; i++)
		rewrite_gcse(w, c->rpo[i]);
	arena_free(&w->arena);
	return w->replaced > before;
}

static bool run(PassRun *r)
{
	Gcse w = { .r = r, .e = edit_open(r->m, r->f, r->origin),
		.ask = { .allow = option_restrict(r->option[0].number), .within = MEM_EVER } };
	while (gcse_round(r, &w))
		;
	edit_close(&w.e);
	vec_free(&w.expr);
	vec_free(&w.holder);
	vec_free(&w.load);
	vec_free(&w.write);
	pass_count(r, "computations replaced", w.replaced);
	if (w.replaced)
		pass_assumptions(r, w.ask.count);
	return w.replaced > 0;
}

static const PassOption options[] = { OPTION_ROW_RESTRICT };

const Pass pass_gcse = {
	.name = "gcse",
	.idle = "nothing is computed again that every way to it has computed",
	.help = "copy what a register has on every way to a block instead of computing it again",
	.options = options, .noptions = 1,
	.function = run,
	.keeps_registers = true,
	.keeps_graph = true,
};
