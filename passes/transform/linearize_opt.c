/* Fewer guards (the paper's section 4.2, O1 to O4), decided by the values that the guard variable can have on each edge:
 *
 *   1  an edge whose values a guard does not test for goes on to what follows the guard (O1)
 *   2  so do the edges on which earlier guards fail: guards nest (O2)
 *   3  a guard behind one block that has just chosen the variable by a condition becomes a branch on that condition (O3)
 *   4  an edge whose values all pass the guard goes to what it guards; a guard that always or never passes goes; assignments
 *      nobody reads go
 *
 * Each change stays only while the function is structured: O1 as printed can make unstructured graphs again. Edges into and out
 * of back blocks stay, so that the threads of a cycle go back together. Values found before a change hold after it: what an
 * edge brings to its new target reached it before through the guard. */
#include "passes/transform/linearize.h"
#include "lib/diag.h"

typedef struct Opt {
	Edit *e;
	Function *f;
	const Guard *guard;
	int nguard, level;
	const Guard **of;          /* by block id: the guard it is, or NULL */
	Arena *arena;
	Cfg *cfg;
	int g, bits;               /* the variable looked at; its values are below bits */
	BitSet *in, *out;          /* by block id */
	Arena now;                 /* what a change makes stale: */
	Graph *flow;
	BitSet reach;
	int64_t work;              /* blocks that may still be looked at in checks of structure: bounds the time on huge functions */
	int tried;                 /* guards up to this one have been looked at */
} Opt;

/* Outer regions may have rewritten a guard: it still is one when it ends with its own test. */
static bool intact(const Guard *q)
{
	const Block *b = q->block;
	if (b->nsucc != 2 || b->ins.n < 2)
		return false;
	const Ins *t = block_term(b), *s = t - 1;
	return t->op == OP_BRA && s->op == OP_SETP && ins_src(t, 0)->kind == OPD_REG && ins_src(t, 0)->id == ins_dst(s, 0)->id &&
		!ins_src(t, 0)->neg && ins_src(s, 0)->kind == OPD_REG && ins_src(s, 0)->id == q->g;
}

/* The choice `g = selp a, b, p` right before the terminator, or NULL. */
static const Ins *chooses(const Opt *o, const Block *b)
{
	const Ins *s = b->ins.n > 1 ? block_term(b) - 1 : NULL;
	bool is = s && s->op == OP_SELP && s->guard < 0 && ins_dst(s, 0)->kind == OPD_REG && ins_dst(s, 0)->id == o->g &&
		ins_src(s, 0)->kind == OPD_IMM && ins_src(s, 1)->kind == OPD_IMM && ins_src(s, 2)->kind == OPD_REG;
	return is ? s : NULL;
}

static void write_values(const Opt *o, const Ins *i, BitSet set)
{
	if (i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG || ins_dst(i, 0)->id != o->g)
		return;
	must(i->guard < 0 && (i->op == OP_MOV || i->op == OP_SELP));
	bs_clear(set);
	for (int k = 0; k < (i->op == OP_MOV ? 1 : 2); k++)
		bs_add(set, (int)ins_src(i, k)->imm);
}

/* Adds the values on edge number k of block b. */
static void edge_values(const Opt *o, const Block *b, int k, BitSet into)
{
	const Guard *q = o->of[b->id];
	const Ins *s = chooses(o, b), *t = block_term(b);
	if (q && q->g == o->g) {
		bs_each(o->out[b->id], v)
			if ((v >= q->lo && v <= q->hi) == (k == 0))
				bs_add(into, v);
	} else if (s && b->nsucc == 2 && ins_src(t, 0)->kind == OPD_REG && ins_src(t, 0)->id == ins_src(s, 2)->id) {
		bool yes = (k == 0) != (ins_src(t, 0)->neg != ins_src(s, 2)->neg);
		bs_add(into, (int)ins_src(s, yes ? 0 : 1)->imm);
	} else {
		bs_union(into, o->out[b->id]);
	}
}

static void find_values(Opt *o)
{
	int n = o->cfg->n;
	o->in = arena_array(o->arena, BitSet, n);
	o->out = arena_array(o->arena, BitSet, n);
	for (int b = 0; b < n; b++) {
		o->in[b] = bs_new(o->arena, o->bits);
		o->out[b] = bs_new(o->arena, o->bits);
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < o->cfg->nreach; i++) {
			const Block *b = o->cfg->rpo[i];
			bs_copy(o->out[b->id], o->in[b->id]);
			for (int k = 0; k < b->ins.n; k++)
				write_values(o, &b->ins.v[k], o->out[b->id]);
			for (int k = 0; k < b->nsucc; k++) {
				int before = bs_count(o->in[b->succ[k]->id]);
				edge_values(o, b, k, o->in[b->succ[k]->id]);
				changed |= bs_count(o->in[b->succ[k]->id]) != before;
			}
		}
	}
}

static bool still_structured(Opt *o)
{
	o->work -= o->f->block.n;
	return function_structured(o->f);
}

static void refresh(Opt *o)
{
	o->work -= o->f->block.n;
	arena_free(&o->now);
	o->flow = flow_graph(&o->now, o->f, &o->reach);
}

static Block *pred(const Opt *o, int id, int k) { return o->f->block.v[o->flow->pred[id].v[k]]; }

/* How many of the values the guard tests for: -1 none, 1 all, 0 some or no values at all. */
static int passes(const Guard *q, BitSet values)
{
	int in = 0, out = 0;
	bs_each(values, v)
		*(v >= q->lo && v <= q->hi ? &in : &out) += 1;
	return in && !out ? 1 : out && !in ? -1 : 0;
}

/* Sends every edge of b to the guard elsewhere, if the function stays structured. */
static bool redirect(Opt *o, Block *b, Block *guard, Block *to)
{
	Block **old = b->succ;
	edit_retarget(o->e, b, guard, to);
	if (still_structured(o))
		return true;
	b->succ = old;
	return false;
}

static bool drop_guard(Opt *o, const Guard *q)
{
	int way = passes(q, o->in[q->block->id]), id = q->block->id, n = o->flow->pred[id].n;
	Block *to = way > 0 ? q->block->succ[0] : q->block->succ[1];
	if (!way || to == q->block)
		return false;
	Block ***old = arena_array(&o->now, Block **, n);
	for (int k = 0; k < n; k++) {
		old[k] = pred(o, id, k)->succ;
		edit_retarget(o->e, pred(o, id, k), q->block, to);
	}
	if (still_structured(o))
		return true;
	for (int k = 0; k < n; k++)
		pred(o, id, k)->succ = old[k];
	return false;
}

static bool skip_guard(Opt *o, const Guard *q, Block *from)
{
	const Guard *other = o->of[from->id];
	BitSet v = bs_new(&o->now, o->bits);
	for (int k = 0; k < from->nsucc; k++) {
		if (from->succ[k] != q->block)
			continue;
		if (other && k == 0 && other->back)
			return false; /* the way back to a cycle's first guard */
		edge_values(o, from, k, v);
	}
	int way = passes(q, v);
	if (way < 0 && o->level >= (other ? 2 : 1))
		return redirect(o, from, q->block, q->block->succ[1]);
	return way > 0 && o->level >= 4 && !q->back && redirect(o, from, q->block, q->block->succ[0]);
}

/* from: g = selp a, b, p; bra guard   ->   the guard's own branch, on p. */
static bool branch_at_once(Opt *o, const Guard *q, Block *from)
{
	const Ins *s = chooses(o, from);
	if (!s || from->nsucc != 1)
		return false;
	int64_t a = ins_src(s, 0)->imm, b = ins_src(s, 1)->imm;
	bool yes = a >= q->lo && a <= q->hi, no = b >= q->lo && b <= q->hi;
	int p = ins_src(s, 2)->id;
	if (yes == no)
		return false;
	Block **old = from->succ, *point = from->reconverge;
	Ins term = edit_cut_term(o->e, from);
	edit_branch(o->e, from, &term, p, q->block->succ[!yes], q->block->succ[!no]);
	if (still_structured(o))
		return true;
	*block_term(from) = term; /* an endless cycle begins here: its pseudo exit would be a third way */
	from->nsucc = 1;
	from->succ = old;
	from->reconverge = point;
	return false;
}

/* One guard; true when edges changed, so that predecessors are stale. */
static bool improve(Opt *o, const Guard *q)
{
	int id = q->block->id;
	if (!bs_has(o->reach, id))
		return false;
	if (o->level >= 4 && drop_guard(o, q))
		return true;
	for (int k = 0; k < o->flow->pred[id].n; k++)
		if (skip_guard(o, q, pred(o, id, k)))
			return true;
	return o->level >= 3 && o->flow->pred[id].n == 1 && branch_at_once(o, q, pred(o, id, 0));
}

static void number_guards(Opt *o)
{
	o->of = arena_array(o->arena, const Guard *, o->cfg->n);
	for (int i = 0; i < o->nguard; i++)
		if (intact(&o->guard[i]))
			o->of[o->guard[i].block->id] = &o->guard[i];
}

/* All guards of variable g, once each; values are found anew for the next sweep. */
static bool sweep(Opt *o)
{
	Arena a = { 0 };
	bool changed = false;
	o->arena = &a;
	o->cfg = cfg_build(&a, o->f);
	number_guards(o);
	find_values(o);
	refresh(o);
	for (int i = 0; i < o->nguard && o->work > 0; i++) {
		const Guard *q = &o->guard[i];
		if (q->g != o->g || o->of[q->block->id] != q)
			continue;
		o->tried = i + 1 > o->tried ? i + 1 : o->tried;
		while (o->work > 0 && improve(o, q)) {
			changed = true;
			refresh(o);
		}
	}
	arena_free(&o->now);
	arena_free(&a);
	return changed;
}

/* Deletes guards that neither the entry nor an unreachable block of others leads to, and assignments to guard variables and tests that nobody reads. */
static void clean(Opt *o, BitSet vars)
{
	Arena a = { 0 };
	BitSet roots = bs_new(&a, o->f->block.n);
	function_number(o->f);
	for (int b = 0; b < o->f->block.n; b++)
		if (b == 0 || o->f->block.v[b]->origin != o->e->origin)
			bs_add(roots, b);
	edit_drop_unreached(o->f, roots);
	Cfg *c = cfg_build(&a, o->f);
	Liveness *l = liveness_build(&a, c);
	BitSet live = bs_new(&a, function_values(o->f));
	for (int i = 0; i < c->nreach && o->level >= 4; i++) {
		Block *b = c->rpo[i];
		liveness_enter(l, b->id, live);
		for (int k = b->ins.n; k-- > 0;) {
			const Ins *x = &b->ins.v[k];
			bool ours = x->origin == o->e->origin && x->ndst == 1 && ins_dst(x, 0)->kind == OPD_REG &&
				bs_has(vars, ins_dst(x, 0)->id);
			if (ours && !bs_has(live, ins_dst(x, 0)->id))
				vec_remove(&b->ins, k);
			else
				liveness_step(o->f, x, live);
		}
		liveness_leave(l, b->id, live);
	}
	arena_free(&a);
}

int linearize_optimise(Edit *e, const Guard *guard, int n, int level, int64_t work)
{
	Arena a = { 0 };
	Opt o = { .e = e, .f = e->f, .guard = guard, .nguard = n, .level = level, .work = work, .arena = &a };
	BitSet vars = bs_new(&a, e->f->reg.n);
	int tried = n;
	if (level > 0 && n && still_structured(&o)) {
		for (int i = 0; i < n; i++) {
			bs_add(vars, guard[i].g);
			bs_add(vars, guard[i].test);
			if (i && guard[i].g == guard[i - 1].g)
				continue;
			o.g = guard[i].g;
			o.bits = guard[i].values;
			while (o.work > 0 && sweep(&o))
				;
		}
		tried = o.work > 0 ? n : o.tried;
		clean(&o, vars);
		must(still_structured(&o));
	}
	arena_free(&a);
	return tried;
}
