/* dce: deletes instructions whose results nobody reads.
 *
 * requires  liveness
 * keeps     the graph; stores, atomics, volatile and ordered loads, operations that threads execute together, calls, traps
 * breaks    liveness
 *
 * A dead load goes, and with it the fault it might have raised. An instruction that sets the carry flag stays. */
#include "passes/analysis/analysis.h"
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

static bool sweep(const Function *f, Block *b, BitSet live)
{
	bool changed = false;
	for (int k = b->ins.n; k-- > 0;) {
		if (wanted(&b->ins.v[k], live)) {
			liveness_step(f, &b->ins.v[k], live);
		} else {
			vec_remove(&b->ins, k);
			changed = true;
		}
	}
	return changed;
}

static bool run(Module *m, Function *f, const PassArgs *args, Diag *diag)
{
	bool any = false;
	for (bool changed = true; changed;) {
		Arena arena = { 0 };
		Cfg *c = cfg_build(&arena, f);
		Liveness *l = liveness_build(&arena, c);
		BitSet live = bs_new(&arena, flow_registers(f));
		changed = false;
		for (int i = 0; i < c->nreach; i++) {
			liveness_enter(l, c->rpo[i]->id, live);
			changed |= sweep(f, c->rpo[i], live);
			liveness_leave(l, c->rpo[i]->id, live);
		}
		any |= changed;
		arena_free(&arena);
	}
	return any;
}

const Pass pass_dce = {
	.name = "dce",
	.help = "delete instructions whose results nobody reads",
	.run = run,
};
