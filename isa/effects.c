#include "isa/effects.h"

/* ---- registers ---- */

void mark_uses(const Function *f, int mark, void (*use)(void *, int reg), void *self)
{
	for (int k = mark; k; k = f->mark.v[k].next) {
		const Mark *x = &f->mark.v[k];
		for (int l = x->lanes; l; l = f->lanes.v[l].next)
			use(self, f->lanes.v[l].reg);
		if (x->value.kind == OPD_REG)
			use(self, x->value.id);
	}
}

void ins_reads(const Function *f, const Ins *i, void (*use)(void *, int reg), void *self)
{
	if (i->guard >= 0)
		use(self, i->guard);
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG)
			use(self, ins_src(i, k)->id);
	if (op_info[i->op].flags & OPF_CARRY)
		use(self, function_carry(f));
}

void ins_uses(const Function *f, const Ins *i, void (*use)(void *, int reg), void *self)
{
	ins_reads(f, i, use, self);
	mark_uses(f, i->mark, use, self);
	if ((i->op == OP_RET && f->kind == FN_DEVICE) || op_info[i->op].kind == K_CALL)
		use(self, function_carry(f));
}

void ins_defs(const Function *f, const Ins *i, void (*def)(void *, int reg), void *self)
{
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG)
			def(self, ins_dst(i, k)->id);
	if (i->cc || op_info[i->op].kind == K_CALL)
		def(self, function_carry(f));
}

bool ins_writes(const Function *f, const Ins *i, int reg)
{
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG && ins_dst(i, k)->id == reg)
			return true;
	return reg == function_carry(f) && (i->cc || op_info[i->op].kind == K_CALL);
}

/* ---- effects ---- */

static const Effects anything = { SPACES_READ, SPACES_WRITTEN, true, true, true, true, true, true, true,
	true };

static uint8_t space_bits(const Ins *i, uint8_t all)
{
	return i->space == SP_GENERIC ? all : (uint8_t)SPACE_BIT(i->space);
}

static bool reads_clock(const Ins *i)
{
	for (int k = 0; k < i->nsrc; k++) {
		const Opd *o = ins_src(i, k);
		if (o->kind != OPD_SREG)
			continue;
		switch (o->id) {
		case SREG_CLOCK: case SREG_CLOCK_HI: case SREG_CLOCK64: case SREG_GLOBALTIMER:
		case SREG_GLOBALTIMER_LO: case SREG_GLOBALTIMER_HI:
			return true;
		default:
			break;
		}
	}
	return false;
}

static void add_effects(Effects *e, const Effects *x)
{
	e->reads |= x->reads;
	e->writes |= x->writes;
	e->ordered |= x->ordered;
	e->convergent |= x->convergent;
	e->carry_in |= x->carry_in;
	e->carry_out |= x->carry_out;
	e->faults |= x->faults;
	e->ends |= x->ends;
	e->varies |= x->varies;
	e->visible |= x->visible;
}

/* The effects of a call. `ends` of a function says that it may end the thread; otherwise a call returns to
   the next instruction. A call through a register may come to any device function. */
static Effects call_effects(const EffectTable *t, const Ins *i)
{
	Effects e = { .faults = true }; /* a call faults where local memory has no room for it */
	if (!t)
		return anything;
	if (ins_src(i, 0)->kind == OPD_FUNC) {
		add_effects(&e, &t->function[ins_src(i, 0)->id]);
		return e;
	}
	for (int k = 0; k < t->m->func.n; k++)
		if (t->m->func.v[k]->kind == FN_DEVICE)
			add_effects(&e, &t->function[k]);
	e.convergent = true;           /* lanes that call the same function execute it together */
	return e;
}

Effects ins_effects(const EffectTable *t, const Ins *i)
{
	const OpInfo *o = &op_info[i->op];
	Effects e = { .carry_in = o->flags & OPF_CARRY, .carry_out = i->cc, .convergent = o->flags & OPF_CONV,
		.ends = o->flags & (OPF_TERM | OPF_FATAL),
		.faults = o->flags & (OPF_LOAD | OPF_STORE | OPF_FATAL), .varies = reads_clock(i) };
	if (o->flags & OPF_LOAD)
		e.reads = space_bits(i, SPACES_READ);
	if (o->flags & OPF_STORE)
		e.writes = space_bits(i, SPACES_WRITTEN);
	switch (o->kind) {
	case K_CALL: return call_effects(t, i);
	case K_LD: case K_ST:
		e.ordered = i->sem > SEM_WEAK;
		e.faults &= !(i->flags & INSF_NONFAULTING);
		break;
	case K_ATOM: e.ordered = true; e.reads |= e.writes; break;
	case K_FENCE: e.ordered = true; break;
	case K_BAR: case K_WARPSYNC: e.ordered = e.visible = true; break;
	case K_ACTIVE: case K_ELECT: e.varies = true; break;
	case K_BRX: e.faults = true; break;
	case K_EXIT: e.ends = true; break;
	case K_PRINT: e.visible = e.ordered = e.faults = true; break;
	case K_SLEEP: e.visible = true; break;
	case K_HOST: case K_RECONV: return anything;
	default: break;
	}
	return e;
}

/* ---- summaries ---- */

static Effects body_effects(const EffectTable *t, const Function *f)
{
	Effects all = { 0 };
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			Effects e = ins_effects(t, i);
			if (op_info[i->op].flags & OPF_TERM)
				e.ends = i->op == OP_EXIT;
			add_effects(&all, &e);
		}
	return all;
}

static bool same_effects(const Effects *a, const Effects *b)
{
	return a->reads == b->reads && a->writes == b->writes && a->ordered == b->ordered &&
		a->convergent == b->convergent &&
		a->carry_in == b->carry_in && a->carry_out == b->carry_out && a->faults == b->faults &&
		a->ends == b->ends && a->varies == b->varies &&
		a->visible == b->visible;
}

/* Functions that call nothing are looked at once. The others are looked at until nothing changes: at most
   once for every kind of effect and every step of a chain of calls. Each round goes from the last function to
   the first, which is as often as not from callees to callers. */
EffectTable *effects_build(Arena *a, const Module *m)
{
	EffectTable *t = arena_new(a, EffectTable);
	bool *leaf = arena_array(a, bool, m->func.n + 1);
	t->m = m;
	t->function = arena_array(a, Effects, m->func.n + 1);
	for (int k = 0; k < m->func.n; k++) {
		const Function *f = m->func.v[k];
		leaf[k] = true;
		for (int b = 0; b < f->block.n && leaf[k]; b++)
			for (int i = 0; i < f->block.v[b]->ins.n && leaf[k]; i++)
				leaf[k] = op_info[f->block.v[b]->ins.v[i].op].kind != K_CALL;
		if (leaf[k])
			t->function[k] = f->block.n ? body_effects(t, f) : anything;
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (int k = m->func.n; k-- > 0;) {
			if (leaf[k])
				continue;
			Effects e = body_effects(t, m->func.v[k]);
			changed |= !same_effects(&e, &t->function[k]);
			t->function[k] = e;
		}
	}
	return t;
}

/* ---- questions ---- */

bool effects_deletable(const Effects *e)
{
	return !e->writes && !e->ordered && !e->convergent && !e->ends && !e->visible;
}

bool effects_pure(const Effects *e)
{
	return effects_deletable(e) && !(e->reads & SPACES_WRITTEN) && !e->faults && !e->varies &&
		!e->carry_in && !e->carry_out;
}
