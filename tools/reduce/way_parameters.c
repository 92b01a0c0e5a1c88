#include "tools/reduce/edits.h"
#include "tools/reduce/ways.h"

/* ---- parameters of kernels ---- */

int parameters_places(const Module *m)
{
	int n = 0;
	for (int k = 0; k < m->func.n; k++)
		n += m->func.v[k]->param.n;
	return n;
}

/* Loads of the parameter become 0; what else names it is left, and the verifier refuses it. */
static void forget_parameter(InsAt *at, int param)
{
	Ins *i = at->i;
	for (int k = 0; k < i->nsrc; k++) {
		Opd *o = ins_src(i, k);
		if (o->kind != OPD_PARAM)
			continue;
		if (o->id > param)
			o->id--;
		else if (o->id == param && i->ndst == 1 && reduce_is_address(i, k))
			reduce_to_number(at, *ins_dst(i, 0), (Type)i->type, 0);
		else if (o->id == param)
			*o = opd_imm(0);
	}
}

static void lay_out(Function *f)
{
	uint64_t at = 0;
	for (int k = 0; k < f->param.n; k++) {
		Param *p = &f->param.v[k];
		uint32_t align = p->align ? p->align : 1;
		at = (at + align - 1) / align * align;
		p->offset = (uint32_t)at;
		at += p->size;
	}
	f->param_bytes = (uint32_t)at;
}

static void drop_parameter(Module *m, Function *f, int param)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			forget_parameter(&(InsAt){ m, f, f->block.v[b], &f->block.v[b]->ins.v[k] }, param);
	for (int h = 0; h < m->func.n; h++)
		for (int b = 0; b < m->func.v[h]->block.n; b++)
			for (int k = 0; k < m->func.v[h]->block.v[b]->ins.n; k++) {
				Ins *i = &m->func.v[h]->block.v[b]->ins.v[k];
				if (i->op == OP_LAUNCH && ins_src(i, 0)->kind == OPD_FUNC &&
					ins_src(i, 0)->id == f->id && LAUNCH_ARGS + param < i->nsrc)
					reduce_drop_source(i, LAUNCH_ARGS + param);
			}
	vec_remove(&f->param, param);
	lay_out(f);
}

bool parameters_drop(Module *m, int from, int to)
{
	int n = parameters_places(m);
	bool any = false;
	for (int k = m->func.n; k-- > 0;)
		for (int p = m->func.v[k]->param.n; p-- > 0;)
			if (--n >= from && n < to) {
				drop_parameter(m, m->func.v[k], p);
				any = true;
			}
	return any;
}

/* ---- arguments and results of device functions ---- */

int arguments_places(const Module *m)
{
	int n = 0;
	for (int k = 0; k < m->func.n; k++)
		n += m->func.v[k]->kind == FN_DEVICE ? m->func.v[k]->arg.n + m->func.v[k]->ret.n : 0;
	return n;
}

static void drop_argument(Module *m, Function *f, int arg)
{
	for (int h = 0; h < m->func.n; h++)
		for (int b = 0; b < m->func.v[h]->block.n; b++)
			for (int k = 0; k < m->func.v[h]->block.v[b]->ins.n; k++) {
				Ins *i = &m->func.v[h]->block.v[b]->ins.v[k];
				bool call = i->op == OP_CALL && ins_src(i, 0)->kind == OPD_FUNC &&
					ins_src(i, 0)->id == f->id;
				if (call && arg < f->arg.n)
					reduce_drop_source(i, 1 + arg);
				else if (call)
					reduce_drop_destination(i, arg - f->arg.n);
				else if (m->func.v[h] == f && i->op == OP_RET && arg >= f->arg.n)
					reduce_drop_source(i, arg - f->arg.n);
			}
	if (arg < f->arg.n)
		vec_remove(&f->arg, arg);
	else
		vec_remove(&f->ret, arg - f->arg.n);
}

bool arguments_drop(Module *m, int from, int to)
{
	int n = arguments_places(m);
	bool any = false;
	for (int k = m->func.n; k-- > 0;) {
		Function *f = m->func.v[k];
		for (int a = f->kind == FN_DEVICE ? f->arg.n + f->ret.n : 0; a-- > 0;)
			if (--n >= from && n < to) {
				drop_argument(m, f, a);
				any = true;
			}
	}
	return any;
}
