/* How long a warp takes through code whose threads all come along: instructions are issued in order, each waits until every register it reads or
   writes is there (stall on use), and memory is as far away as the table of costs says. Lanes of both sides of a branch share registers. */
#include "passes/transform/linearize/linearize.h"
#include "passes/analysis/cost.h"

struct Clock {
	const Function *f;
	const CostTable *cost;
	int n;                     /* registers; those that guards get, and the carry flag, are there soon */
	int64_t now, *ready;       /* ready: by register, of those known */
	int *known, *given, stamp; /* by register: stamp: touched or written since the clock was set back */
	const int *alias;          /* by register: the number of the one it is about to become, or 0 */
	Vec(When) need, use, def;  /* of all since then; of one instruction */
	Vec(int) give;
};

Clock *clock_new(Lin *l)
{
	Clock *c = arena_new(&l->arena, Clock);
	int n = 2 * l->run->f->reg.n + 1;
	*c = (Clock){ .f = l->run->f, .cost = l->run->cost, .n = l->run->f->reg.n, .ready = arena_array(&l->arena, int64_t, n), .known = arena_array(&l->arena, int, n),
		.given = arena_array(&l->arena, int, n) };
	return c;
}

void clock_free(Clock *c)
{
	if (!c)
		return;
	vec_free(&c->need);
	vec_free(&c->use);
	vec_free(&c->def);
	vec_free(&c->give);
}

void clock_reset(Clock *c)
{
	c->now = 0;
	c->stamp++;
	vec_clear(&c->need);
	vec_clear(&c->give);
}

int64_t clock_now(const Clock *c) { return c->now; }

int64_t clock_wait(const Clock *c, const Span *s)
{
	int64_t start = c->now;
	for (int k = 0; k < s->nneed; k++) {
		const When *w = &s->need[k];
		if (c->known[w->reg] == c->stamp && c->ready[w->reg] - w->at > start)
			start = c->ready[w->reg] - w->at;
	}
	return start - c->now;
}

void clock_add(Clock *c, const Span *s)
{
	int64_t start = c->now + clock_wait(c, s);
	for (int k = 0; k < s->nneed; k++) {
		const When *w = &s->need[k];
		if (c->known[w->reg] == c->stamp)
			continue;
		c->known[w->reg] = c->stamp;
		c->ready[w->reg] = 0;
		vec_push(&c->need, ((When){ w->reg, start + w->at }));
	}
	for (int k = 0; k < s->ngive; k++) {
		const When *w = &s->give[k];
		c->known[w->reg] = c->stamp;
		c->ready[w->reg] = start + w->at;
		if (c->given[w->reg] != c->stamp)
			vec_push(&c->give, w->reg);
		c->given[w->reg] = c->stamp;
	}
	c->now = start + s->time;
}

void clock_skip(Clock *c, int64_t time)
{
	c->now += time;
	for (int k = 0; k < c->give.n; k++)
		c->ready[c->give.v[k]] += time;
}

Span clock_span(const Clock *c, Arena *a)
{
	When *need = arena_array(a, When, c->need.n + 1), *give = arena_array(a, When, c->give.n + 1);
	for (int k = 0; k < c->need.n; k++)
		need[k] = c->need.v[k];
	for (int k = 0; k < c->give.n; k++)
		give[k] = (When){ c->give.v[k], c->ready[c->give.v[k]] };
	return (Span){ need, give, c->need.n, c->give.n, c->now };
}

/* ---- instructions ---- */

static int named(const Clock *c, int reg) { return c->alias && c->alias[reg] ? c->alias[reg] : reg; }

static void add_use(void *self, int reg)
{
	Clock *c = self;
	if (reg < c->n)
		vec_push(&c->use, ((When){ named(c, reg), 0 }));
}

static void add_def(void *self, int reg)
{
	Clock *c = self;
	add_use(self, reg);
	if (reg < c->n)
		vec_push(&c->def, ((When){ named(c, reg), 0 }));
}

Span clock_ins(Clock *c, const Ins *i, const int *alias)
{
	c->alias = alias;
	vec_clear(&c->use);
	vec_clear(&c->def);
	ins_uses(c->f, i, add_use, c);
	ins_defs(c->f, i, add_def, c);
	for (int k = 0; k < c->def.n; k++)
		c->def.v[k].at = cost_latency(c->cost, i);
	return (Span){ c->use.v, c->def.v, c->use.n, c->def.n, cost_interval(c->cost, i) };
}

int64_t clock_guard(const Clock *c, Module *m)
{
	const Ins choose = ins_make(m, OP_SELP, T_U32, 1, 3), test = ins_make(m, OP_SETP, T_U32, 1, 2), branch = ins_make(m, OP_BRA, T_NONE, 0, 1);
	return cost_interval(c->cost, &choose) + cost_latency(c->cost, &test) + cost_latency(c->cost, &branch);
}

bool clock_far(const Clock *c, const Ins *i, int64_t guard)
{
	return i->ndst && op_info[i->op].flags & OPF_LOAD && op_info[i->op].unit == UNIT_MEM && cost_latency(c->cost, i) > guard;
}
