/* Liveness: what a block reads before it writes it, backward along the edges. Only registers that some block reads so have a place in
 * the sets: the others live within their blocks. */
#include "passes/analysis/flow.h"

typedef struct Stepper { const Function *f; const Ins *i; BitSet set; } Stepper;
static void make_live(void *self, int reg) { bs_add(((Stepper *)self)->set, reg); }

static void make_dead(void *self, int reg)
{
	Stepper *s = self;
	if (ins_kills(s->f, s->i, reg))
		bs_del(s->set, reg);
}

void liveness_step(const Function *f, const Ins *i, BitSet set)
{
	Stepper s = { f, i, set };
	ins_defs(f, i, make_dead, &s);
	ins_uses(f, i, make_live, &s);
}

/* ---- what blocks read and write ---- */

typedef struct Scan {
	Liveness *l;
	const Function *f;
	const Ins *ins;
	int block;
	int *written;              /* by register: one more than the last block that writes it without a guard, as far as it has been read */
	Flow *x;                   /* NULL: registers are only looked for */
} Scan;

static void reads(void *self, int reg)
{
	Scan *s = self;
	if (s->written[reg] == s->block + 1)
		return;
	if (s->x)
		bs_add(s->x->gen[s->block], s->l->bit[reg]);
	else
		s->l->bit[reg] = 0;
}

static void writes(void *self, int reg)
{
	Scan *s = self;
	if (!ins_kills(s->f, s->ins, reg))
		return;
	s->written[reg] = s->block + 1;
	if (s->x && s->l->bit[reg] >= 0)
		bs_add(s->x->kill[s->block], s->l->bit[reg]);
}

static void scan(Scan *s, const Cfg *c)
{
	const Function *f = c->f;
	memset(s->written, 0, sizeof *s->written * (size_t)function_values(f));
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		s->block = b->id;
		for (int k = 0; k < b->ins.n; k++) {
			const Ins *ins = &b->ins.v[k];
			s->ins = ins;
			ins_uses(f, ins, reads, s);
			ins_defs(f, ins, writes, s);
		}
	}
}

Liveness *liveness_build(Arena *a, const Cfg *c)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	int nreg = function_values(c->f), *order = arena_array(&tmp, int, c->n + 1);
	Liveness *l = arena_new(a, Liveness);
	l->reg = arena_array(a, int, nreg + 1);
	l->bit = arena_array(a, int, nreg + 1);
	for (int r = 0; r < nreg; r++)
		l->bit[r] = -1;
	Scan s = { .l = l, .f = c->f, .written = arena_array(&tmp, int, nreg + 1) };
	scan(&s, c);
	for (int r = 0; r < nreg; r++)
		if (l->bit[r] >= 0) {
			l->bit[r] = l->n;
			l->reg[l->n++] = r;
		}
	for (int i = 0; i < c->nreach; i++)
		order[i] = c->rpo[i]->id;
	Flow x = { .g = c->graph, .order = order, .norder = c->nreach, .bits = l->n, .backward = true,
		.gen = flow_sets(&tmp, c->n, l->n), .kill = flow_sets(&tmp, c->n, l->n) };
	s.x = &x;
	scan(&s, c);
	flow_solve(a, &x);
	l->in = x.after;
	l->out = x.before;
	arena_free(&tmp);
	return l;
}

void liveness_enter(const Liveness *l, int block, BitSet set)
{
	live_each(l, l->out[block], r)
		bs_add(set, r);
}

void liveness_leave(const Liveness *l, int block, BitSet set)
{
	live_each(l, l->in[block], r)
		bs_del(set, r);
}

void liveness_print(const Cfg *c, const Liveness *l, StrBuf *s)
{
	for (int i = 0; i < c->nreach; i++) {
		sb_printf(s, "  %s: in", c->rpo[i]->label);
		live_each(l, l->in[c->rpo[i]->id], r)
			sb_printf(s, " %s", function_value_name(c->f, r));
		sb_puts(s, "; out");
		live_each(l, l->out[c->rpo[i]->id], r)
			sb_printf(s, " %s", function_value_name(c->f, r));
		sb_putc(s, '\n');
	}
}
