/* dce: deletes instructions whose results nobody reads.
 *
 * requires  SSA
 * keeps     the graph; stores, atomics, volatile and ordered loads, operations that threads execute together,
 *           calls, traps
 * breaks    SSA, liveness
 *
 * Goes from instructions with an effect back to the definitions that they read, and on from these (R. Cytron
 * et al., Efficiently Computing Static Single Assignment Form and the Control Dependence Graph, TOPLAS 1991,
 * section 7.1, with every branch live). A load that nobody reads is deleted, and with it the fault that it
 * might have raised. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/transform.h"

typedef struct Sweep {
	Edit *e;
	const EffectTable *effects;
	const Cfg *c;
	const Ssa *s;
	BitSet keep;                   /* instructions that are not deleted, by their numbers in SSA */
	BitSet read;                   /* versions that a kept instruction reads */
	int *todo, ntodo;              /* versions in `read` whose definitions have not been kept yet */
} Sweep;

static void want_value(Sweep *s, int version)
{
	if (bs_has(s->read, version))
		return;
	bs_add(s->read, version);
	s->todo[s->ntodo++] = version;
}

static bool has_effect(const Sweep *s, const Ins *i)
{
	Effects e = ins_effects(s->effects, i);
	/* a function that is called might never return */
	if (!effects_deletable(&e) || op_info[i->op].kind == K_CALL)
		return true;
	/* nop and prefetch are there for the time that they take */
	return op_info[i->op].flags & OPF_SIDE;
}

static void keep_ins(Sweep *s, int at)
{
	if (bs_has(s->keep, at))
		return;
	bs_add(s->keep, at);
	for (int k = s->s->use_first[at]; k < s->s->use_first[at + 1]; k++)
		want_value(s, s->s->use[k]);
}

typedef struct MarkWant { Sweep *s; int use; } MarkWant;

static void want_next(void *self, int reg)
{
	MarkWant *w = self;
	(void)reg;
	want_value(w->s, w->s->s->use[w->use++]);
}

/* Keeps the definitions that the marks of an instruction read: the marks stay also when the instruction is
   deleted, for then they go on to the next one. */
static void keep_marks(Sweep *s, const Ins *i, int b, int k)
{
	if (i->mark)
		mark_uses(s->e->f, i->mark, want_next, &(MarkWant){ s,
			ssa_mark_use(s->s, s->e->f, i, s->s->ins_first[b] + k) });
}

static void mark_needed(Sweep *s)
{
	for (int i = 0; i < s->c->nreach; i++)
		for (int b = s->c->rpo[i]->id, k = 0; k < s->c->rpo[i]->ins.n; k++) {
			keep_marks(s, &s->c->rpo[i]->ins.v[k], b, k);
			if (has_effect(s, &s->c->rpo[i]->ins.v[k]))
				keep_ins(s, s->s->ins_first[b] + k);
		}
	while (s->ntodo) {
		const SsaVersion *v = &s->s->version[s->todo[--s->ntodo]];
		if (v->ins >= 0)
			keep_ins(s, s->s->ins_first[v->block] + v->ins);
		if (v->old >= 0)
			want_value(s, v->old);
		for (int k = 0; v->phi >= 0 && k < s->s->phi[v->phi].narg; k++)
			want_value(s, s->s->phi[v->phi].arg[k]);
	}
}

/* What reads a result goes before what computes it, so that each instruction that stays has its sources. */
static void ask_block(PassRun *r, Sweep *s, const Block *b)
{
	for (int k = b->ins.n; k-- > 0;) {
		int at = s->s->ins_first[b->id] + k;
		if (!bs_has(s->keep, at) &&
			!pass_may_change(r, ins_loc(r->m, &b->ins.v[k]), "%s of %s deleted",
				op_info[b->ins.v[k].op].name, b->label))
			bs_add(s->keep, at);
	}
}

static int sweep_block(Sweep *s, Block *b)
{
	int first = s->s->ins_first[b->id], at = first, n = 0;
	for (int k = 0; k < b->ins.n; k++)
		n += !bs_has(s->keep, first + k);
	if (n) {
		Rewrite w;
		for (const Ins *i = edit_rewrite(&w, s->e, b); i; i = edit_next(&w))
			if (bs_has(s->keep, at++))
				edit_put(&w, *i);
	}
	return n;
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	Edit e = edit_open(r->m, r->f, r->origin);
	Sweep s = { .e = &e, .effects = analysis_effects(r->an), .c = analysis_cfg(r->an),
		.s = analysis_ssa(r->an) };
	int n = 0;
	s.keep = bs_new(&a, s.s->nins);
	s.read = bs_new(&a, s.s->n);
	s.todo = arena_array(&a, int, s.s->n + 1);
	mark_needed(&s);
	for (int i = s.c->nreach; i-- > 0;)
		ask_block(r, &s, s.c->rpo[i]);
	for (int i = 0; i < s.c->nreach; i++)
		n += sweep_block(&s, s.c->rpo[i]);
	edit_close(&e);
	arena_free(&a);
	pass_count(r, "instructions deleted", n);
	return n > 0;
}

const Pass pass_dce = {
	.name = "dce",
	.idle = "every result is read",
	.help = "delete instructions whose results nobody reads",
	.function = run,
	.keeps_graph = true,
};
