#include "passes/analysis/clock.h"
#include "isa/effects.h"

struct Clock {
	const Function *f;
	const CostTable *cost;
	int n, cap;                /* n: registers of the function; cap: length of the arrays */
	int64_t now, *ready;       /* cycles; ready: by name, when a known one can be read */
	/* by name: is `stamp` when the register has been touched (known), written (given), since the clock
	   was set back */
	int *known, *given, stamp;
	const int *alias;
	int64_t guard;   /* cycles by which a guard or a branch has a predicate later than other readers */
	Vec(RegTime) need, use, def;  /* need: of all code since then; use, def: of the latest instruction */
	Vec(int) give;
};

Clock *clock_new(const Function *f, const CostTable *cost)
{
	Clock *c = xcalloc(1, sizeof *c);
	*c = (Clock){ .f = f, .cost = cost, .n = f->reg.n, .stamp = 1 };
	const Ins test = { .op = OP_SETP, .type = T_U32 };
	c->guard = cost_guard_latency(cost, &test) - cost_latency(cost, &test);
	return c;
}

void clock_free(Clock *c)
{
	if (!c)
		return;
	free(c->ready);
	free(c->known);
	free(c->given);
	vec_free(&c->need);
	vec_free(&c->use);
	vec_free(&c->def);
	vec_free(&c->give);
	free(c);
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
		const RegTime *w = &s->need[k];
		if (c->known[w->reg] == c->stamp && c->ready[w->reg] - w->at > start)
			start = c->ready[w->reg] - w->at;
	}
	return start - c->now;
}

void clock_add(Clock *c, const Span *s)
{
	int64_t start = c->now + clock_wait(c, s);
	for (int k = 0; k < s->nneed; k++) {
		const RegTime *w = &s->need[k];
		if (c->known[w->reg] == c->stamp)
			continue;
		c->known[w->reg] = c->stamp;
		c->ready[w->reg] = 0;
		vec_push(&c->need, ((RegTime){ w->reg, start + w->at }));
	}
	for (int k = 0; k < s->ngive; k++) {
		const RegTime *w = &s->give[k];
		c->known[w->reg] = c->stamp;
		c->ready[w->reg] = start + w->at;
		if (c->given[w->reg] != c->stamp)
			vec_push(&c->give, w->reg);
		c->given[w->reg] = c->stamp;
	}
	c->now = start + s->time;
}

int64_t clock_done(const Clock *c)
{
	int64_t done = c->now;
	for (int k = 0; k < c->give.n; k++)
		done = c->ready[c->give.v[k]] > done ? c->ready[c->give.v[k]] : done;
	return done;
}

/* Lets so many cycles pass; all registers that have been written are ready as much later. */
static void skip_time(Clock *c, int64_t time)
{
	c->now += time;
	for (int k = 0; k < c->give.n; k++)
		c->ready[c->give.v[k]] += time;
}

Span clock_span(const Clock *c, Arena *a)
{
	RegTime *need = arena_array(a, RegTime, c->need.n + 1),
		*give = arena_array(a, RegTime, c->give.n + 1);
	for (int k = 0; k < c->need.n; k++)
		need[k] = c->need.v[k];
	for (int k = 0; k < c->give.n; k++)
		give[k] = (RegTime){ c->give.v[k], c->ready[c->give.v[k]] };
	return (Span){ need, give, c->need.n, c->give.n, c->now };
}

Span span_copy(Arena *a, const Span *s)
{
	RegTime *need = arena_array(a, RegTime, s->nneed + 1), *give = arena_array(a, RegTime, s->ngive + 1);
	for (int k = 0; k < s->nneed; k++)
		need[k] = s->need[k];
	for (int k = 0; k < s->ngive; k++)
		give[k] = s->give[k];
	return (Span){ need, give, s->nneed, s->ngive, s->time };
}

Span clock_turns(Clock *c, Arena *a, const Span *s, int n, int turns)
{
	int64_t first = 0;
	clock_reset(c);
	for (int turn = 0; turn < 2; turn++) {
		first = clock_now(c);
		for (int k = 0; k < n; k++)
			clock_add(c, &s[k]);
	}
	skip_time(c, (turns - 2) * (clock_now(c) - first));
	return clock_span(c, a);
}

/* ---- instructions ---- */

/* Makes the arrays long enough for the name, and returns the name. */
static int room_for_name(Clock *c, int name)
{
	if (name >= c->cap) {
		int cap = 2 * name + 16;
		c->ready = xrealloc(c->ready, sizeof *c->ready * (size_t)cap);
		c->known = xrealloc(c->known, sizeof *c->known * (size_t)cap);
		c->given = xrealloc(c->given, sizeof *c->given * (size_t)cap);
		for (int k = c->cap; k < cap; k++)
			c->ready[k] = c->known[k] = c->given[k] = 0;
		c->cap = cap;
	}
	return name;
}

static int name_of_reg(Clock *c, int reg)
{
	if (reg < 0)
		return room_for_name(c, c->n - reg);
	return room_for_name(c, c->alias && c->alias[reg] ? c->alias[reg] : reg);
}

static void add_use(void *self, int reg)
{
	Clock *c = self;
	if (reg < c->n)
		vec_push(&c->use, ((RegTime){ name_of_reg(c, reg), 0 }));
}

static void add_def(void *self, int reg)
{
	Clock *c = self;
	add_use(self, reg);
	if (reg < c->n)
		vec_push(&c->def, ((RegTime){ name_of_reg(c, reg), 0 }));
}

/* Does the instruction read the name as its guard, or as a branch reads its predicate? */
static bool is_guard(Clock *c, const Ins *i, const int *alias, int name)
{
	c->alias = alias;
	if (i->guard >= 0 && name_of_reg(c, i->guard) == name)
		return true;
	return i->op == OP_BRA && i->nsrc && ins_src(i, 0)->kind == OPD_REG &&
		name_of_reg(c, ins_src(i, 0)->id) == name;
}

Span clock_ins(Clock *c, const Ins *i, const int *alias)
{
	c->alias = alias;
	vec_clear(&c->use);
	vec_clear(&c->def);
	ins_reads(c->f, i, add_use, c);
	ins_defs(c->f, i, add_def, c);
	for (int k = 0; k < c->use.n; k++)
		if (is_guard(c, i, alias, c->use.v[k].reg))
			c->use.v[k].at = -c->guard;
	for (int k = 0; k < c->def.n; k++)
		c->def.v[k].at = cost_latency(c->cost, i);
	return (Span){ c->use.v, c->def.v, c->use.n, c->def.n, cost_interval(c->cost, i) };
}

/* ---- functions ---- */

int64_t clock_function(Function *f, const CostTable *cost, Load *load)
{
	Arena a = { 0 };
	const Cfg *cfg = cfg_build(&a, f);
	const Loops *loops = loops_build(&a, cfg);
	Clock *c = clock_new(f, cost);
	int64_t sum = 0;
	for (int b = 0; b < cfg->nreach; b++) {
		int64_t weight = cost_weight(loops, cfg->rpo[b]);
		clock_reset(c);
		for (int k = 0; k < cfg->rpo[b]->ins.n; k++) {
			Span s = clock_ins(c, &cfg->rpo[b]->ins.v[k], NULL);
			clock_add(c, &s);
			load_add(load, cost, &cfg->rpo[b]->ins.v[k], (double)weight);
		}
		sum += weight * (clock_done(c) + (cfg->rpo[b]->nsucc > 1 ? cost_redirect(cost) : 0));
	}
	clock_free(c);
	arena_free(&a);
	return sum;
}
