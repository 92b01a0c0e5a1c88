/* webs: gives each web of definitions and uses a register of its own. Front ends reuse registers; after
 * this pass, what an analysis says of a register is as precise as if it said it of a value.
 *
 * requires  SSA overlay
 * keeps     the graph, the instructions but for their registers' names, the registers of a function's head
 * breaks    what is known by register
 *
 * The first web of a register keeps that register; but where webs of it hold an argument or a result, these
 * do. */
#include "passes/analyses.h"
#include "passes/analysis/reaching.h"
#include "passes/transform/transform.h"
#include "isa/edit.h"

typedef struct Rename {
	Edit *e;
	const Ssa *s;
	const Webs *w;
	int *reg;                  /* by web: its register; -1: it has none yet */
	bool *taken;               /* by register: a web has kept it */
	int renamed;
	PassRun *r;
} Rename;

static int register_of(Rename *x, int version)
{
	int web = x->w->of[version], old = x->w->reg[web];
	if (x->reg[web] >= 0)
		return x->reg[web];
	if (x->w->fixed[web] || !x->taken[old]) {
		x->taken[old] = true;
		return x->reg[web] = old;
	}
	if (!pass_may_change(x->r, x->e->f->loc, "a web of %s renamed", x->e->f->reg.v[old].name))
		return x->reg[web] = old;
	const char *base = arena_printf(&x->e->m->arena, "%s_", x->e->f->reg.v[old].name + 1);
	x->renamed++;
	return x->reg[web] = edit_reg(x->e, base, x->e->f->reg.v[old].type);
}

static bool rename_web_operands(Rename *x, Opd *o, int n, const int *version, int *at)
{
	bool changed = false;
	for (int k = 0; k < n; k++)
		if (o[k].kind == OPD_REG) {
			int reg = register_of(x, version[(*at)++]);
			changed |= reg != o[k].id;
			o[k].id = reg;
		}
	return changed;
}

typedef struct MarkRename { Rename *x; int *use; } MarkRename;

static int rename_web_mark(void *self, int reg)
{
	MarkRename *r = self;
	(void)reg;
	return register_of(r->x, r->x->s->use[(*r->use)++]);
}

static bool rename_ins(Rename *x, Ins *i, int number)
{
	int use = x->s->use_first[number], def = x->s->def_first[number], guard = i->guard;
	if (i->guard >= 0)
		i->guard = register_of(x, x->s->use[use++]);
	bool changed = guard != i->guard;
	changed |= rename_web_operands(x, i->opd + i->ndst, i->nsrc, x->s->use, &use);
	int mark = i->mark;
	use = ssa_mark_use(x->s, x->e->f, i, number);
	i->mark = function_rename_marks(x->e->f, mark, rename_web_mark, &(MarkRename){ x, &use });
	changed |= mark != i->mark;
	return rename_web_operands(x, i->opd, i->ndst, x->s->def, &def) || changed;
}

static void rename_web_block(Rename *x, Block *b)
{
	Rewrite w;
	int at = x->s->ins_first[b->id];
	for (const Ins *i = edit_rewrite(&w, x->e, b); i; i = edit_next(&w)) {
		Ins copy = edit_copy(x->e, i);
		if (rename_ins(x, &copy, at++))
			edit_put_marked(&w, copy);
		else
			edit_put(&w, *i);
	}
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	Edit e = edit_open(r->m, r->f, r->origin);
	const Cfg *c = analysis_cfg(r->an);
	const Ssa *s = analysis_ssa(r->an);
	const Webs *w = analysis_webs(r->an);
	Rename x = { &e, s, w, arena_array(&a, int, w->n + 1), arena_array(&a, bool, r->f->reg.n + 1), 0, r };
	for (int k = 0; k < w->n; k++) {
		x.reg[k] = -1;
		x.taken[w->reg[k]] |= w->fixed[k];
	}
	int n = c->nreach;
	Block **list = arena_array(&a, Block *, n + 1);
	memcpy(list, c->rpo, sizeof *list * (size_t)n);
	for (int i = 0; i < n; i++)
		rename_web_block(&x, list[i]);
	edit_close(&e);
	arena_free(&a);
	pass_count(r, "webs renamed", x.renamed);
	return x.renamed > 0;
}

const Pass pass_webs = {
	.name = "webs",
	.idle = "each register holds one value",
	.help = "give each web of definitions and uses a register of its own",
	.function = run,
	.keeps_graph = true,
};
