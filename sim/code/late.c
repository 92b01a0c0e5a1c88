/* Linearization at machine level, as section 6 of the paper proposes (Anantpur and Govindarajan, CC 2014):
 * control flow is linearized when registers have been assigned already. Along the chain of guards that
 * results every value seems to live; yet the chain costs no registers but those of the guard variable and its
 * test. These are set apart: values share the rest of the thread's registers, and those that do not fit are
 * spilled.
 *
 * A lane executes the same instructions of the source, in the same order, as before; inserted ones write
 * registers of their own only. So an assignment made for the graph before linearization stays right for every
 * lane, though by liveness on the new graph values that share a register would seem to live at once. */
#include "passes/transform/transform.h"
#include "sim/code/lower.h"

static bool has_call(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == OP_CALL)
				return true;
	return false;
}

/* Number of registers that the guards and the mechanism need, found by a trial on a copy of the function. -1:
   there is nothing to linearize, or the mechanism reports an error, which it will report again for the
   function itself. */
static int more_registers(Lower *w, const LowerFn *l)
{
	Module *m = module_view(w->m->of);
	LowerFn trial = *l;
	Diag quiet = { 0 };
	int need = -1;
	trial.module = m;
	trial.f = view_function(m, l->f->id);
	trial.edit = edit_open(m, trial.f, ORIGIN_LOWER);
	lower_canonical(&trial);
	int first = trial.f->reg.n;
	bool linear = pass_apply(&pass_linearize, m, trial.f, NULL, &quiet);
	lower_exits(&trial);
	if (linear && lower_mechanism(w, &trial, &quiet)) {
		lower_layout(&trial);
		regalloc_more(&trial, first);
		need = trial.nreg;
	}
	edit_close(&trial.edit);
	diag_free(&quiet);
	module_free(m);
	return need;
}

static bool too_many_registers(const Lower *w, const LowerFn *l, int need)
{
	diag_error(w->diag, l->f->loc, "function %s needs %d registers and more when it is linearized at "
		"machine level; raise sm.max_registers_per_thread", l->f->name, need);
	return false;
}

bool lower_late(Lower *w, LowerFn *l)
{
	if (has_call(l->f)) {
		diag_error(w->diag, l->f->loc, "divergence.linearize is for kernels without calls: linearize "
			"it with --passes");
		return false;
	}
	int need = more_registers(w, l);
	if (need < 0)
		return true;
	lower_layout(l);
	if (need >= w->config->sm_max_regs)
		return too_many_registers(w, l, need);
	if (!regalloc(l, (int)w->config->sm_max_regs - need, w->diag))
		return false;
	l->late = l->f->reg.n;
	must(pass_apply(&pass_linearize, w->m, l->f, NULL, w->diag));
	return true;
}

bool lower_late_registers(Lower *w, LowerFn *l)
{
	regalloc_more(l, l->late);
	return l->nreg <= w->config->sm_max_regs || too_many_registers(w, l, l->nreg);
}
