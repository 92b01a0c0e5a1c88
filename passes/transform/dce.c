/* dce: deletes instructions whose results nobody reads.
 *
 * requires  liveness
 * keeps     the graph; stores, atomics, volatile and ordered loads, operations that threads execute together, calls, traps
 * breaks    liveness
 *
 * A dead load goes, and with it the fault it might have raised. An instruction that sets the carry flag stays. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/transform.h"

static bool wanted(const Ins *i, BitSet live)
{
	if (op_info[i->op].flags & (OPF_SIDE | OPF_STORE | OPF_CONV | OPF_TERM | OPF_MACH | OPF_HOST))
		return true;
	if (i->cc || i->sem > SEM_WEAK)
		return true;
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG && bs_has(live, ins_dst(i, k)->id))
			return true;
	return false;
}

/* Last to first: what is not wanted lets what it reads die, too. */
static int sweep(Edit *e, Block *b, BitSet live)
{
	Arena a = { 0 };
	BitSet dead = bs_new(&a, b->ins.n);
	int n = 0, at = 0;
	for (int k = b->ins.n; k-- > 0;) {
		if (wanted(&b->ins.v[k], live)) {
			liveness_step(e->f, &b->ins.v[k], live);
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
		BitSet live = bs_new(&arena, flow_registers(r->f));
		for (int i = 0; i < c->nreach; i++) {
			liveness_enter(l, c->rpo[i]->id, live);
			n += sweep(&e, c->rpo[i], live);
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
