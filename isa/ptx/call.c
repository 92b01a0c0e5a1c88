/* Calls: the .param variables that pass arguments and results become the registers of one call
   instruction. */
#include "isa/ptx/ptx.h"


typedef struct CallWords { Vec(Opd) opd; Vec(uint8_t) type; } CallWords;

static void words_free(CallWords *w)
{
	vec_free(&w->opd);
	vec_free(&w->type);
}

static void append_word(CallWords *w, Opd o, Type t)
{
	vec_push(&w->opd, o);
	vec_push(&w->type, (uint8_t)t);
}

/* Adds all words of a .param variable to the arguments or results of a call. Words of an argument that were
   never stored pass 0. */
static bool add_param_words(Ptx *p, CallWords *w, int id, bool argument)
{
	Pvar *v = &p->b->pvar.v[id];
	Type t = v->unit == 8 ? T_B64 : T_B32;
	if (!ptx_count(p, v->nword, v->loc))
		return false;
	for (int k = 0; k < v->nword; k++) {
		Opd o = opd_reg(pvar_word(p, v, k)), zero = opd_imm(0);
		if (argument && v->role == PV_CALL && !v->state[k])
			bind_emit(p, OP_MOV, t, T_NONE, (Guard){ -1, false }, o, 1, &zero);
		if (!argument)
			v->state[k] |= WORD_WRITTEN;
		append_word(w, o, t);
	}
	return true;
}

/* Reads the list of arguments or results of a call: (name, ...) */
static bool read_call_list(Ptx *p, CallWords *w, bool argument, Guard g)
{
	if (!tok_expect(p, '(', "in a call"))
		return false;
	while (!tok_is(p, ')')) {
		Arg a;
		Opd o;
		if (w->opd.n >= OPERAND_LIMIT)
			return ptx_error(p, tok_here(p), "a call passes too many bytes");
		if (!ptx_arg(p, &a))
			return false;
		if (a.kind == A_PVAR) {
			if (!argument && p->b->pvar.v[a.id].role == PV_IN)
				return ptx_error(p, a.loc, "'%s' cannot receive a result",
					p->b->pvar.v[a.id].name);
			if (!add_param_words(p, w, a.id, argument))
				return false;
		} else if (a.kind == A_REG || (argument && a.kind != A_KPARAM)) {
			if (!bind_opd(p, &a, T_NONE, &o))
				return false;
			if (o.kind != OPD_REG && o.kind != OPD_IMM)
				o = bind_register(p, o, T_NONE, g);
			append_word(w, o, o.kind == OPD_REG ? (Type)p->b->edit.f->reg.v[o.id].type : T_NONE);
		} else {
			return ptx_error(p, a.loc, "a %s of a call is a .param variable or a register",
				argument ? "parameter" : "result");
		}
		if (!tok_accept(p, ','))
			break;
	}
	return tok_expect(p, ')', "in a call");
}

static bool fits_prototype(Ptx *p, const Function *f, const CallWords *w, bool args, Loc loc)
{
	int n = args ? f->arg.n : f->ret.n;
	bool same = n == w->opd.n;
	for (int k = 0; same && k < n; k++) {
		Type t = (Type)f->reg.v[args ? f->arg.v[k] : f->ret.v[k]].type;
		if (w->type.v[k])
			same = type_bits[t] == type_bits[w->type.v[k]];
		else
			w->opd.v[k].imm = bind_imm(t, w->opd.v[k].imm);
	}
	return same || ptx_error(p, loc, "the %s of this call do not fit the declaration of '%s'",
		args ? "parameters" : "results", f->name);
}

static bool callee(Ptx *p, const Arg *a, const CallWords *ret, const CallWords *arg, Opd *target)
{
	if (a->kind == A_REG) {
		*target = opd_reg(a->id);
		return bind_width(p, a, T_B64, false);
	}
	if (a->kind != A_FUNC)
		return ptx_error(p, a->loc, "a call names a function, or a register that holds its address");
	const Function *f = p->m->func.v[a->id];
	if (f->kind != FN_DEVICE)
		return ptx_error(p, a->loc, "'%s' is a kernel: it cannot be called", f->name);
	*target = (Opd){ .kind = OPD_FUNC, .id = a->id };
	return fits_prototype(p, f, ret, false, a->loc) && fits_prototype(p, f, arg, true, a->loc);
}

static bool read_call_parts(Ptx *p, Guard g, CallWords *ret, CallWords *arg, Opd *target)
{
	Arg a;
	if (tok_is(p, '(') && (!read_call_list(p, ret, false, g) ||
		!tok_expect(p, ',', "behind the results of a call")))
		return false;
	if (!ptx_arg(p, &a))
		return false;
	bool more = tok_accept(p, ',');
	if (more && tok_is(p, '(')) {
		if (!read_call_list(p, arg, true, g))
			return false;
		more = tok_accept(p, ',');
	}
	/* an indirect call names its prototype, or the list of its possible targets: nothing is done with
	   either */
	if (more) {
		Loc loc = tok_here(p);
		const char *name = tok_name(p);
		if (!name || (!ptx_find(p, name) && !ptx_error(p, loc, "'%s' is not declared", name)))
			return false;
	}
	if (ret->opd.n + 1 + arg->opd.n > OPERAND_LIMIT)
		return ptx_error(p, a.loc, "a call passes too many bytes");
	return callee(p, &a, ret, arg, target);
}

bool ptx_call(Ptx *p, Guard g, int flags)
{
	CallWords ret = { 0 }, arg = { 0 };
	Opd target;
	bool ok = read_call_parts(p, g, &ret, &arg, &target);
	if (ok) {
		Ins i = edit_new(&p->b->edit, NULL, OP_CALL, T_NONE, ret.opd.n, 1 + arg.opd.n);
		i.flags = (uint8_t)flags;
		i.guard = g.reg;
		i.guard_neg = g.neg;
		for (int k = 0; k < ret.opd.n; k++)
			*ins_dst(&i, k) = ret.opd.v[k];
		*ins_src(&i, 0) = target;
		for (int k = 0; k < arg.opd.n; k++)
			*ins_src(&i, 1 + k) = arg.opd.v[k];
		flow_emit(p, &i);
	}
	words_free(&ret);
	words_free(&arg);
	return ok;
}

