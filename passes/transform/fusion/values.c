#include "passes/transform/fusion/values.h"
#include "passes/analysis/versions.h"
#include "passes/constants.h"
#include "passes/transform/facts.h"

HostPlace host_place(Analyses *host, int block, int ins)
{
	return (HostPlace){ host->m, analysis_cfg(host), analysis_ssa(host), block, ins };
}

static uint64_t low(uint64_t v, Type t)
{
	return type_bits[t] < 64 ? v & (((uint64_t)1 << type_bits[t]) - 1) : v;
}

/* ---- what a version holds ---- */

static HostValue of_version(const HostPlace *p, int version, int deep);

static HostValue of_source(const HostPlace *p, const Ins *i, int block, int ins, int k, int deep)
{
	const Opd *o = ins_src(i, k);
	switch (o->kind) {
	case OPD_IMM: return (HostValue){ VALUE_NUMBER, 0, (uint64_t)o->imm };
	case OPD_SYM: return (HostValue){ VALUE_SYMBOL, o->id, (uint64_t)o->imm };
	case OPD_REG: {
		HostValue v = of_version(p, ssa_src(p->ssa, i, block, ins, k), deep);
		if (v.kind == VALUE_NUMBER && o->neg)
			v.number ^= 1;
		return v;
	}
	default: return (HostValue){ VALUE_REGISTER, -1, 0 };
	}
}

/* The value of a phi: the number that all its arguments hold, not counting the phi itself; else `own`, the
   phi's version. */
static HostValue of_phi(const HostPlace *p, const SsaPhi *phi, HostValue own, int deep)
{
	HostValue v = own;
	for (int k = 0; k < phi->narg; k++) {
		HostValue a = phi->arg[k] == phi->version ? own : of_version(p, phi->arg[k], deep);
		if (host_same(a, own))
			continue;
		if (a.kind != VALUE_NUMBER || (!host_same(v, own) && !host_same(v, a)))
			return own;        /* a value that is no number may be of another turn of a cycle */
		v = a;
	}
	return v;
}

static HostValue of_version(const HostPlace *p, int version, int deep)
{
	const HostValue own = { VALUE_VERSION, version, 0 };
	const SsaVersion *v = &p->ssa->version[version];
	uint64_t src[FOLD_SOURCES], result;
	if (!deep || v->ins == SSA_ENTRY)
		return own;
	if (v->phi >= 0)
		return of_phi(p, &p->ssa->phi[v->phi], own, deep / 2);
	const Ins *i = ssa_writer(p->c, p->ssa, version);
	if (i->guard >= 0 || i->ndst != 1 || op_info[i->op].kind != K_ALU || i->nsrc > FOLD_SOURCES)
		return own;
	if (ins_copies(p->c->f, i) || (i->op == OP_MOV && ins_src(i, 0)->kind == OPD_SYM))
		return of_source(p, i, v->block, v->ins, 0, deep - 1);
	for (int k = 0; k < i->nsrc; k++) {
		HostValue x = of_source(p, i, v->block, v->ins, k, deep / 2);
		if (x.kind != VALUE_NUMBER)
			return own;
		src[k] = x.number;
	}
	return ins_fold(p->m, p->c->f, i, src, &result) ? (HostValue){ VALUE_NUMBER, 0, result } : own;
}

HostValue host_value(const HostPlace *p, const Opd *o, Type t)
{
	HostValue v = { VALUE_REGISTER, o->id, 0 };
	if (o->kind == OPD_IMM)
		return (HostValue){ VALUE_NUMBER, 0, low((uint64_t)o->imm, t) };
	if (o->kind == OPD_SYM)
		return (HostValue){ VALUE_SYMBOL, o->id, (uint64_t)o->imm };
	must(o->kind == OPD_REG);
	int version = version_on_ways(p->c, p->ssa, o->id, p->block, p->ins);
	if (version >= 0)
		v = of_version(p, version, FUSION_DEPTH);
	if (v.kind == VALUE_NUMBER)
		v.number = low(v.number, t);
	return v;
}
