/* Does what a kernel does depend on the order in which its blocks run? Blocks of which a part is timed do
 * not come in the order of the whole run. So nothing may be decided by what an atomic operation on global
 * memory gives back, or a load that is meant to see what other blocks store: a counter that hands out
 * work, a lock, a flag. Such values are followed through registers, shared and local memory, and calls;
 * not through global memory, of which too much would be suspected. What is missed here is found later: a
 * timed block that does something else than it did in the functional run. */
#include "sim/gpu/sampled.h"
#include "isa/effects.h"

typedef struct Suspects {
	const Function *f;
	BitSet regs;                   /* registers of the function that may have such a value */
	unsigned *spaces;              /* SPACE_BITs of memory that may */
	bool *passed;                  /* a call or return hands one on */
	bool seen, changed;
} Suspects;

static void look_at_read(void *self, int reg)
{
	Suspects *s = self;
	s->seen |= bs_has(s->regs, reg);
}

static void suspect_register(void *self, int reg)
{
	Suspects *s = self;
	s->changed |= !bs_has(s->regs, reg);
	bs_add(s->regs, reg);
}

static bool sees_other_blocks(const Ins *i, const Effects *e)
{
	OpKind kind = op_info[i->op].kind;
	bool global = i->space == SP_GLOBAL || i->space == SP_GENERIC;
	return global && (kind == K_ATOM ? ins_dst(i, 0)->kind == OPD_REG : kind == K_LD && e->ordered);
}

/* Follows values through the instruction. True: the instruction decides by one of them. */
static bool follow(Suspects *s, const Ins *i)
{
	enum { OWN = SPACE_BIT(SP_SHARED) | SPACE_BIT(SP_LOCAL) };
	Effects e = ins_effects(NULL, i);
	OpKind kind = op_info[i->op].kind;
	s->seen = false;
	ins_reads(s->f, i, look_at_read, s);
	bool reads = s->seen, call = kind == K_CALL, memory = kind == K_LD || kind == K_ST || kind == K_ATOM;
	unsigned own = i->space == SP_GENERIC ? OWN : SPACE_BIT(i->space) & OWN;
	if (memory && reads && e.writes && own & ~*s->spaces) {
		*s->spaces |= own;
		s->changed = true;
	}
	bool handed = (call || op_info[i->op].flags & OPF_TERM) && reads;
	s->changed |= handed && !*s->passed;
	*s->passed |= handed;
	if (sees_other_blocks(i, &e) || (kind == K_LD && own & *s->spaces) || (call && *s->passed) ||
		(reads && !memory))
		ins_defs(s->f, i, suspect_register, s);
	s->seen = false;
	if (i->guard >= 0)
		look_at_read(s, i->guard);
	return s->seen || (reads && op_info[i->op].flags & OPF_TERM && i->nsrc && kind != K_CALL);
}

const char *sampled_depends_on_order(const Code *c)
{
	static _Thread_local char text[256];
	Arena a = { 0 };
	unsigned spaces = 0;
	bool passed = false, changed = true;
	const Ins *decides = NULL;
	BitSet *regs = arena_array(&a, BitSet, c->nfunction);
	for (int k = 0; k < c->nfunction; k++)
		regs[k] = bs_new(&a, function_values(c->function[k]));
	while (changed && !decides) {
		changed = false;
		for (int k = 0; k < c->nfunction && !decides; k++) {
			Suspects s = { .f = c->function[k], .regs = regs[k], .spaces = &spaces,
				.passed = &passed };
			for (int b = 0; b < s.f->block.n && !decides; b++)
				for (int n = 0; n < s.f->block.v[b]->ins.n && !decides; n++)
					if (follow(&s, &s.f->block.v[b]->ins.v[n]))
						decides = &s.f->block.v[b]->ins.v[n];
			changed |= s.changed;
		}
	}
	arena_free(&a);
	if (!decides)
		return NULL;
	Loc at = ins_loc(c->module, decides);
	snprintf(text, sizeof text, "line %d decides by what an atomic operation, or a load of what other "
		"blocks store, has given: the order of blocks counts", at.line);
	return text;
}
