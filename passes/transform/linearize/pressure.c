/* Counts how many registers live at once (option registers), as the register file counts them: per 32
 * bits, and predicates not at all. Behind a guard, liveness does not know by which way a thread has
 * come. So a register that a guarded unit reads lives in front of all units before that unit, in all of
 * a cycle around it, and, unless it is written in front of the region, on all ways from the function's
 * entry to the region. */
#include "passes/transform/linearize/linearize.h"

struct Pressure {
	Arena arena;
	/* registers of the function; by block of the source: how many live at its worst place */
	int n, *most;
	/* how many live at the function's worst place, with the regions rewritten so far; how many may
	   live */
	int now, limit;
	/* sets of registers, in which n + r is the new name of register r, which is about to be renamed:
	   those that live at the place looked at; those that live behind the unit looked at because of
	   guards. in: blocks of the region */
	BitSet live, later, in;
	int *next;                 /* by block: what `most` becomes if the plan looked at last is taken */
};

static int reg_words(const Lin *l, int reg)
{
	int type = l->run->f->reg.v[reg % l->pressure->n].type;
	return type == T_PRED ? 0 : type_bits[type] > 32 ? 2 : 1;
}

static int set_words(const Lin *l, BitSet set)
{
	int n = 0;
	bs_each(set, r)
		n += reg_words(l, r);
	return n;
}

/* ---- one block ---- */

typedef struct PlanWalk { const Lin *l; const Ins *i; const int *alias; int now, most; } PlanWalk;

static int reg_alias(const PlanWalk *w, int reg) { return w->alias && w->alias[reg] ? w->alias[reg] : reg; }

static void begin_live(void *self, int reg)
{
	PlanWalk *w = self;
	BitSet live = w->l->pressure->live;
	if (reg >= w->l->pressure->n || !ins_kills(w->l->run->f, w->i, reg) ||
		!bs_has(live, reg_alias(w, reg)))
		return;
	bs_del(live, reg_alias(w, reg));
	w->now -= reg_words(w->l, reg);
}

static void read_live(void *self, int reg)
{
	PlanWalk *w = self;
	BitSet live = w->l->pressure->live;
	if (reg >= w->l->pressure->n || bs_has(live, reg_alias(w, reg)))
		return;
	bs_add(live, reg_alias(w, reg));
	w->now += reg_words(w->l, reg);
}

static void add_live(const Lin *l, LiveSet set, const int *alias, BitSet to)
{
	live_each(l->live, set, r)
		if (r < l->pressure->n)
			bs_add(to, alias && alias[r] ? alias[r] : r);
}

/* Returns how many registers live at the block's worst place if those of pressure->later live at its end. */
static int worst(const Lin *l, int block)
{
	PlanWalk w = { .l = l, .alias = sides_alias(l->sides, block) };
	const Block *b = l->block[block];
	bs_copy(l->pressure->live, l->pressure->later);
	add_live(l, l->live->out[block], w.alias, l->pressure->live);
	w.now = w.most = set_words(l, l->pressure->live);
	for (int k = b->ins.n; k-- > 0;) {
		w.i = &b->ins.v[k];
		ins_defs(l->run->f, w.i, begin_live, &w);
		ins_uses(l->run->f, w.i, read_live, &w);
		w.most = w.now > w.most ? w.now : w.most;
	}
	return w.most;
}

/* ---- the function ---- */

static int greatest(const Lin *l, const int *of)
{
	int most = 0;
	for (int b = 0; b < l->x; b++)
		most = of[b] > most ? of[b] : most;
	return most;
}

void pressure_open(Lin *l, int more)
{
	Pressure *p = l->pressure = arena_new(&l->arena, Pressure);
	p->n = l->run->f->reg.n;
	p->live = bs_new(&l->arena, 2 * p->n + 1);
	p->later = bs_new(&l->arena, 2 * p->n + 1);
	p->in = bs_new(&l->arena, l->x);
	p->most = arena_array(&l->arena, int, l->x);
	p->next = arena_array(&l->arena, int, l->x);
	bs_each(l->cfg->reach, b)
		p->most[b] = worst(l, b);
	p->now = greatest(l, p->most);
	p->limit = p->now + more;
}

/* ---- a plan ---- */

/* Do threads come to the unit only from the unit in front of it? Then it has no guard. */
static bool follows(const Lin *l, const LinPlan *p, int unit)
{
	red_in(&l->red, p->unit[unit].node, e)
		if (!unit || l->red.edge.v[e].from != p->unit[unit - 1].node)
			return false;
	return unit > 0;
}

static void add_node(const Lin *l, int node, BitSet to)
{
	if (node < l->x)
		add_live(l, l->live->in[node], sides_alias(l->sides, node), to);
}

/* Returns how many registers of `before` live in front of the region because of its guards, and would not
   without them. They live on all ways to the region then. */
static int add_before(const Lin *l, const LinPlan *p, BitSet before)
{
	const LinRegion *r = p->region;
	int more = 0;
	bs_clear(l->pressure->live);
	if (r->d >= 0)
		red_out(&l->red, r->d, e)
			add_node(l, l->red.edge.v[e].to, l->pressure->live);
	else
		add_node(l, r->entry, l->pressure->live);
	bs_each(before, x)
		if (!bs_has(l->pressure->live, x) && !sides_copied(l->sides, x))
			more += reg_words(l, x);
	return more;
}

static void add_on_ways(const Lin *l, const LinRegion *r, int more)
{
	Arena a = { 0 };
	BitSet ways = bs_new(&a, l->flow->n), stop = bs_new(&a, l->flow->n);
	int from = r->d >= 0 ? r->d : r->entry;
	if (more && from >= 0 && from < l->x)
		graph_reach(l->flow, true, from, stop, ways);
	for (int b = 0; b < l->x; b++)
		if (bs_has(ways, b) && !bs_has(l->pressure->in, b))
			l->pressure->next[b] += more;
	arena_free(&a);
}

int pressure_plan(const Lin *l, const LinPlan *p)
{
	Pressure *v = l->pressure;
	Arena a = { 0 };
	BitSet in = bs_new(&a, l->x);
	for (int b = 0; b < l->x; b++)
		v->next[b] = v->most[b];
	bs_clear(v->later);
	bs_clear(v->in);
	add_node(l, p->region->p, v->later);
	for (int k = p->n; k-- > 0;) {
		for (int i = 0; i < p->nloop; i++)
			for (int x = p->loop[i].lo; p->loop[i].hi == k && x <= k; x++)
				if (x == p->loop[i].lo || !follows(l, p, x))
					add_node(l, p->unit[x].node, v->later);
		bs_clear(in);
		blocks_of(l, p->unit[k].node, in);
		bs_union(v->in, in);
		bs_each(in, b) {
			int most = worst(l, b) + 1; /* + 1: the guards' variable lives, too */
			v->next[b] = most > v->next[b] ? most : v->next[b];
		}
		if (!follows(l, p, k))
			add_node(l, p->unit[k].node, v->later);
	}
	add_on_ways(l, p->region, add_before(l, p, v->later));
	arena_free(&a);
	return greatest(l, v->next);
}

bool pressure_allows(const Lin *l, int registers) { return registers <= l->pressure->limit; }

void pressure_taken(Lin *l, const LinPlan *p)
{
	if (!l->pressure)
		return;
	l->pressure->now = pressure_plan(l, p);
	for (int b = 0; b < l->x; b++)
		l->pressure->most[b] = l->pressure->next[b];
}

void pressure_remark(Lin *l, const LinPlan *p, Loc at, int registers)
{
	pass_remark(l->run, at, "left alone: a region of %d units would take %lld cycles in place of %lld, "
		"but %d registers would live at once; %d do so far, and option registers allows %d", p->n,
		(long long)p->time, (long long)p->found, registers, l->pressure->now, l->pressure->limit);
}
