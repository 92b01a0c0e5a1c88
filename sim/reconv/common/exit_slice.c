#include "sim/reconv/common/exit_slice.h"

typedef struct ExitSlice {
	const Cfg *cfg;
	BitSet in;                     /* blocks of the loop */
	BitSet regs;                   /* registers that the slice reads */
	bool changed;
} ExitSlice;

static void use_register(void *self, int reg)
{
	ExitSlice *s = self;
	s->changed |= !bs_has(s->regs, reg);
	bs_add(s->regs, reg);
}

static const Block *block(const ExitSlice *s, int id) { return s->cfg->f->block.v[id]; }

static bool block_leaves(const ExitSlice *s, int b)
{
	for (int k = 0; k < block(s, b)->nsucc; k++)
		if (!bs_has(s->in, block(s, b)->succ[k]->id))
			return true;
	return false;
}

typedef struct Question { const ExitSlice *s; bool yes; } Question;

static void ask_register(void *self, int reg)
{
	Question *q = self;
	q->yes |= bs_has(q->s->regs, reg);
}

static bool slice_defines(const ExitSlice *s, const Ins *i)
{
	Question q = { s, false };
	ins_defs(s->cfg->f, i, ask_register, &q);
	return q.yes;
}

void exit_slice(Arena *a, const Cfg *cfg, const Loop *l, void (*visit)(void *, const Ins *), void *self)
{
	ExitSlice s = { .cfg = cfg, .in = loop_blocks(a, cfg, l),
		.regs = bs_new(a, function_values(cfg->f)) };
	bs_each(s.in, b)
		if (block_leaves(&s, b))
			ins_uses(s.cfg->f, block_term(block(&s, b)), use_register, &s);
	for (s.changed = true; s.changed;) {
		s.changed = false;
		bs_each(s.in, b)
			for (int k = 0; k < block(&s, b)->ins.n; k++)
				if (slice_defines(&s, &block(&s, b)->ins.v[k]))
					ins_uses(cfg->f, &block(&s, b)->ins.v[k], use_register, &s);
	}
	bs_each(s.in, b)
		for (int k = 0; k < block(&s, b)->ins.n; k++)
			if (slice_defines(&s, &block(&s, b)->ins.v[k]))
				visit(self, &block(&s, b)->ins.v[k]);
}
