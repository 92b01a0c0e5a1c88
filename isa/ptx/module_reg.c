/* Registers of module scope, which PTX had before it had a calling convention: each thread has one, for all
 * functions.
 *
 * A function that names one has a register of its own for it. Where several functions share one, and some of
 * them are called, its value passes through a local variable of the module: callees load it first and store
 * it before they return, callers store it before a call and load it after. */
#include "isa/ptx/ptx.h"

bool ptx_module_reg(Ptx *p, const char *name, Type type, Loc loc)
{
	if (strmap_get(&p->reg_name, name) >= 0)
		return ptx_error(p, loc, "'%s' is declared twice", name);
	strmap_put(&p->reg_name, name, p->module_reg.n);
	vec_push(&p->module_reg, ((ModuleReg){ .name = name, .type = (uint8_t)type, .slot = -1 }));
	return true;
}

void ptx_use_module_reg(Ptx *p, int id, int reg)
{
	ModuleReg *r = &p->module_reg.v[id];
	const Function *f = p->b->edit.f;
	r->users++;
	r->called |= f->kind == FN_DEVICE;
	vec_push(&p->reg_use, ((RegUse){ id, f->id, reg }));
}

/* ---- values through memory ---- */

static int new_slot(Ptx *p, const ModuleReg *r)
{
	Symbol *s = arena_new(&p->m->arena, Symbol);
	const char *name = r->name + (*r->name == '%');
	int bytes = type_bytes(r->type);
	s->name = arena_printf(&p->m->arena, "%s_reg", name);
	for (int k = p->m->symbol.n; strmap_get(&p->symbols, s->name) >= 0 ||
		strmap_get(&p->funcs, s->name) >= 0; k++)
		s->name = arena_printf(&p->m->arena, "%s_reg_%d", name, k);
	s->space = SP_LOCAL;
	s->type = (uint8_t)(bytes == 8 ? T_B64 : bytes == 4 ? T_B32 : bytes == 2 ? T_B16 : T_B8);
	s->count = 1;
	s->align = (uint32_t)bytes;
	s->size = (uint64_t)bytes;
	s->owner = -1;
	strmap_put(&p->symbols, s->name, p->m->symbol.n);
	vec_push(&p->m->symbol, s);
	return p->m->symbol.n - 1;
}

typedef struct Passing { Ptx *p; Edit e; const RegUse *use; int n; Rewrite out; const Ins *at; } Passing;

/* Emits an instruction. o: its n operands, the first ndst of which are destinations. */
static void put_passing_ins(Passing *x, Op op, Type t, int ndst, int n, const Opd *o)
{
	Ins i = edit_new(&x->e, x->at, op, t, ndst, n - ndst);
	memcpy(i.opd, o, sizeof *o * (size_t)n);
	i.space = op == OP_LD || op == OP_ST ? SP_LOCAL : 0;
	i.cmp = op == OP_SETP ? CMP_NE : 0;
	edit_put(&x->out, i);
}

/* Emits loads, or stores, of all registers of module scope that the function uses. Predicates pass as 0 or 1.
   False (reported): the file passes too much. */
static bool load_or_store(Passing *x, bool store)
{
	if (!ptx_count(x->p, x->n, ins_loc(x->p->m, x->at)))
		return false;
	for (int k = 0; k < x->n; k++) {
		int slot = x->p->module_reg.v[x->use[k].module_reg].slot;
		if (slot < 0)
			continue;
		Opd r = opd_reg(x->use[k].reg), at = { .kind = OPD_SYM, .id = slot }, v = r;
		Type t = (Type)x->p->m->symbol.v[slot]->type;
		bool pred = x->e.f->reg.v[r.id].type == T_PRED;
		if (pred)
			v = opd_reg(edit_temp(&x->e, T_B16));
		if (pred && store)
			put_passing_ins(x, OP_SELP, T_B16, 1, 4, (Opd[]){ v, opd_imm(1), opd_imm(0), r });
		if (store)
			put_passing_ins(x, OP_ST, t, 0, 2, (Opd[]){ at, v });
		else
			put_passing_ins(x, OP_LD, t, 1, 2, (Opd[]){ v, at });
		if (pred && !store)
			put_passing_ins(x, OP_SETP, T_B16, 1, 3, (Opd[]){ r, v, opd_imm(0) });
	}
	return true;
}

static bool pass_registers(Passing *x)
{
	const Function *f = x->e.f;
	bool ok = true, device = f->kind == FN_DEVICE;
	for (int b = 0; ok && b < f->block.n; b++) {
		bool enters = b == 0 && device;
		for (x->at = edit_rewrite(&x->out, &x->e, f->block.v[b]); x->at; x->at = edit_next(&x->out)) {
			bool calls = x->at->op == OP_CALL, leaves = calls || (x->at->op == OP_RET && device);
			ok = ok && (!enters || load_or_store(x, false)) &&
				(!leaves || load_or_store(x, true));
			edit_put(&x->out, *x->at);
			ok = ok && (!calls || load_or_store(x, false));
			enters = false;
		}
	}
	edit_close(&x->e);
	return ok;
}

void ptx_pass_module_regs(Ptx *p)
{
	bool any = false, ok = true;
	if (p->diag->errors) /* after errors functions may lack blocks and targets */
		return;
	for (int k = 0; k < p->module_reg.n; k++) {
		ModuleReg *r = &p->module_reg.v[k];
		if (r->users > 1 && r->called) {
			r->slot = new_slot(p, r);
			any = true;
		}
	}
	/* in reg_use all uses by one function stand together */
	for (int from = 0, to; any && ok && from < p->reg_use.n; from = to) {
		int f = p->reg_use.v[from].func;
		for (to = from; to < p->reg_use.n && p->reg_use.v[to].func == f; to++)
			;
		Passing x = { .p = p, .e = edit_open(p->m, p->m->func.v[f], 0), .use = &p->reg_use.v[from],
			.n = to - from };
		ok = pass_registers(&x);
	}
}
