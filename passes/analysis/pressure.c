#include "passes/analysis/pressure.h"
#include "passes/analysis/print.h"

/* dead: results that nobody reads */
typedef struct PressureWalk {
	const Function *f;
	const Ins *i;
	BitSet live;
	LiveRegs now;
	Vec(int) dead;
} PressureWalk;

static void change_pressure(PressureWalk *w, int reg, int by)
{
	if (reg == function_carry(w->f))
		return;
	LiveRegs one = pressure_of((Type)w->f->reg.v[reg].type);
	w->now.words += by * one.words;
	w->now.preds += by * one.preds;
}

static void take_live(void *self, int reg)
{
	PressureWalk *w = self;
	if (bs_has(w->live, reg))
		return;
	bs_add(w->live, reg);
	change_pressure(w, reg, 1);
}

static void remove_live(PressureWalk *w, int reg)
{
	bs_del(w->live, reg);
	change_pressure(w, reg, -1);
}

static void drop_killed(void *self, int reg)
{
	PressureWalk *w = self;
	if (ins_kills(w->f, w->i, reg) && bs_has(w->live, reg))
		remove_live(w, reg);
}

static void take_dead(void *self, int reg)
{
	PressureWalk *w = self;
	if (bs_has(w->live, reg))
		return;
	take_live(w, reg);
	vec_push(&w->dead, reg);
}

static bool raise_pressure(LiveRegs *to, LiveRegs now)
{
	bool more = now.words > to->words;
	to->words = more ? now.words : to->words;
	to->preds = now.preds > to->preds ? now.preds : to->preds;
	return more;
}

/* Must the results of the instruction be in other registers than its sources? Yes where the operation may
   write before it has read all (as in the allocator). Behind the instruction each result has a register,
   whether somebody reads it or not. */
static bool apart(const Ins *i) { return i->ndst > 1 || op_info[i->op].kind != K_ALU || i->op == OP_PACK; }

/* Counts what lives in the block, from its end to its start. Returns the place at which most words live. */
static int count_block_pressure(RegPressure *p, PressureWalk *w, const Liveness *l, const Block *b)
{
	int at = b->ins.n - 1;
	live_each(l, l->out[b->id], r)
		take_live(w, r);
	p->out[b->id] = p->worst[b->id] = w->now;
	for (int k = b->ins.n; k-- > 0;) {
		const Ins *i = w->i = &b->ins.v[k];
		ins_defs(w->f, i, take_dead, w);
		LiveRegs behind = w->now;
		if (apart(i))
			ins_uses(w->f, i, take_live, w);
		LiveRegs both = w->now;
		/* a result that only the instruction itself reads lives in front of it, not behind it */
		while (w->dead.n > 0)
			remove_live(w, vec_pop(&w->dead));
		ins_defs(w->f, i, drop_killed, w);
		ins_uses(w->f, i, take_live, w);
		bool more = raise_pressure(&p->worst[b->id], behind) |
			raise_pressure(&p->worst[b->id], both) |
			raise_pressure(&p->worst[b->id], w->now);
		at = more ? k : at;
	}
	p->in[b->id] = w->now;
	live_each(l, l->in[b->id], r)
		remove_live(w, r);
	return at;
}

RegPressure *pressure_build(Arena *a, const Cfg *c, const Liveness *l)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	RegPressure *p = arena_new(a, RegPressure);
	LiveRegs **by_block[] = { &p->in, &p->out, &p->worst };
	for (int k = 0; k < 3; k++)
		*by_block[k] = arena_array(a, LiveRegs, c->n + 1);
	PressureWalk w = { .f = c->f, .live = bs_new(&tmp, function_values(c->f)) };
	for (int k = 0; k < c->nreach; k++) {
		const Block *b = c->rpo[k];
		int at = count_block_pressure(p, &w, l, b);
		if (raise_pressure(&p->most, p->worst[b->id]) || !k) {
			p->block = b->id;
			p->ins = at;
		}
	}
	vec_free(&w.dead);
	arena_free(&tmp);
	return p;
}

int pressure_max(Function *f)
{
	Arena tmp = { 0 };
	const Cfg *c = cfg_build(&tmp, f);
	int words = pressure_build(&tmp, c, liveness_build(&tmp, c))->most.words;
	arena_free(&tmp);
	return words;
}

static void print_count(const char *what, LiveRegs n, StrBuf *s)
{
	sb_printf(s, "%s %d and %d", what, n.words, n.preds);
}

void pressure_print(const Cfg *c, const RegPressure *p, StrBuf *s)
{
	sb_printf(s, "  at most %d register%s and %d predicate%s live at once; most registers at %s:%d\n",
		p->most.words, p->most.words == 1 ? "" : "s", p->most.preds, p->most.preds == 1 ? "" : "s",
		print_label(c, p->block), p->ins);
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id;
		sb_printf(s, "  %s:", print_label(c, b));
		print_count(" at its start", p->in[b], s);
		print_count(", at its worst place", p->worst[b], s);
		print_count(", at its end", p->out[b], s);
		sb_putc(s, '\n');
	}
}
