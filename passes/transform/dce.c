/* dce: deletes instructions whose results nobody reads.
 *
 * requires  liveness
 * keeps     the graph; stores, atomics, volatile and ordered loads, operations that threads execute together, calls, traps
 * breaks    liveness
 *
 * A dead load goes, and with it the fault it might have raised. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/transform.h"

typedef struct Sweep { Edit *e; const EffectTable *effects; BitSet live; bool read; } Sweep;

static void ask_live(void *self, int reg)
{
	Sweep *s = self;
	s->read |= bs_has(s->live, reg);
}

static bool wanted(Sweep *s, const Ins *i)
{
	Effects e = ins_effects(s->effects, i);
	if (!effects_deletable(&e) || op_info[i->op].kind == K_CALL) /* who is called might go on for ever */
		return true;
	if (op_info[i->op].flags & OPF_SIDE)                         /* nop, prefetch: there for the time they take */
		return true;
	s->read = false;
	ins_defs(s->e->f, i, ask_live, s);
	return s->read;
}

/* Last to first: what is not wanted lets what it reads die, too. */
static int sweep(Sweep *s, Block *b)
{
	Edit *e = s->e;
	Arena a = { 0 };
	BitSet dead = bs_new(&a, b->ins.n);
	int n = 0, at = 0;
	for (int k = b->ins.n; k-- > 0;) {
		if (wanted(s, &b->ins.v[k])) {
			liveness_step(e->f, &b->ins.v[k], s->live);
		} else {
			bs_add(dead, k);
			n++;
		}
	}
	if (n) {
		Rewrite w;
		for (const Ins *i = edit_rewrite(&w, e, b); i; i = edit_next(&w))
			if (!bs_has(dead, at++))
				edit_put(&w, *i);
	}
	arena_free(&a);
	return n;
}

static bool run(PassRun *r)
{
	Edit e = edit_open(r->m, r->f, r->origin);
	Arena arena = { 0 };
	int all = 0;
	for (int n = -1; n; all += n) {
		const Cfg *c = analysis_cfg(r->an);
		const Liveness *l = analysis_liveness(r->an);
		n = 0;
		BitSet live = bs_new(&arena, function_values(r->f));
		for (int i = 0; i < c->nreach; i++) {
			liveness_enter(l, c->rpo[i]->id, live);
			n += sweep(&(Sweep){ &e, analysis_effects(r->an), live, false }, c->rpo[i]);
			liveness_leave(l, c->rpo[i]->id, live);
		}
		arena_free(&arena);
	}
	edit_close(&e);
	pass_count(r, "instructions deleted", all);
	return all > 0;
}

const Pass pass_dce = {
	.name = "dce",
	.help = "delete instructions whose results nobody reads",
	.function = run,
	.keeps_graph = true,
};
