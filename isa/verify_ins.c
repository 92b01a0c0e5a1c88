/* Checks operands: how many there are, and of which kind, type and width. */
#include "isa/verify.h"

static bool is_op(const Verifier *v, int op) { return v->i->op == op; }

/* May the operation's registers be wider than its type? (As in PTX.) */
static bool takes_wider(const Ins *i)
{
	return (i->op == OP_LD || i->op == OP_ST || i->op == OP_MOV || i->op == OP_CVT || i->op == OP_FILL) &&
		(type_kind[i->type] != 'F' || i->type == T_F16 || i->op == OP_CVT);
}

static bool fits_register(const Ins *i, Type reg, Type type)
{
	if (reg == T_PRED || type == T_PRED)
		return reg == type;
	if (type_bits[reg] == type_bits[type])
		return true;
	bool wider = type_kind[type] != 'F' || type == T_F16;
	return takes_wider(i) && wider && type_bits[reg] > type_bits[type];
}

static bool valid_register(Verifier *v, const Opd *o, const char *what)
{
	return (o->id >= 0 && o->id < v->f->reg.n) || vf_fail(v,
		"%s names register number %d, which there is not", what, o->id);
}

static bool check_register(Verifier *v, const Opd *o, Type t, const char *what)
{
	if (!valid_register(v, o, what))
		return false;
	const Reg *r = &v->f->reg.v[o->id];
	if (t != T_NONE && !fits_register(v->i, (Type)r->type, t))
		return vf_fail(v, "%s: %s is %s, but the operation takes %s", what, r->name,
			type_name[r->type], t == T_PRED ? "a predicate" : type_bits[t] == 64 ? "64 bits"
			: type_bits[t] == 32 ? "32 bits" : type_bits[t] == 16 ? "16 bits" : "8 bits");
	if (o->neg && r->type != T_PRED)
		return vf_fail(v, "%s: '!' inverts predicates only", what);
	return true;
}

/* ---- destinations ---- */

static bool check_destination(Verifier *v, const Opd *o, Type t, const char *what)
{
	if (o->kind == OPD_NONE)
		return true;
	if (o->kind != OPD_REG)
		return vf_fail(v, "%s is not a register", what);
	if (o->neg || o->imm)
		return vf_fail(v, "%s carries a '!' or an offset", what);
	return check_register(v, o, t, what);
}

/* ---- sources ---- */

static bool immediate_fits(Type t, int64_t v)
{
	int width = t == T_NONE ? 64 : type_bits[t];
	if (width == 64)
		return true;
	int64_t least = -((int64_t)1 << (width - 1)), most = ((int64_t)1 << width) - 1;
	return v >= (type_kind[t] == 'F' ? 0 : least) && v <= most;
}

static bool hidden(Verifier *v, const char *name, int owner)
{
	if (owner >= 0 || strmap_get(&v->local, name) < 0)
		return false;
	vf_fail(v, "uses the module's '%.100s', but the function has a parameter or variable of that name",
		name);
	return true;
}

static bool check_symbol_operand(Verifier *v, const Opd *o)
{
	if (o->id < 0 || o->id >= v->m->symbol.n)
		return vf_fail(v, "names variable number %d, which there is not", o->id);
	const Symbol *s = v->m->symbol.v[o->id];
	if (s->owner >= 0 && s->owner != v->f->id)
		return vf_fail(v, "uses '%.100s', which belongs to another function", s->name);
	return !hidden(v, s->name, s->owner);
}

static bool check_param_operand(Verifier *v, const Opd *o)
{
	return (o->id >= 0 && o->id < v->f->param.n) ||
		vf_fail(v, "names parameter number %d, which there is not", o->id);
}

static bool check_function_operand(Verifier *v, const Opd *o)
{
	if (o->id < 0 || o->id >= v->m->func.n)
		return vf_fail(v, "names function number %d, which there is not", o->id);
	return !hidden(v, v->m->func.v[o->id]->name, -1);
}

/* Checks a source that is a special register, variable, parameter or function: only mov reads these. */
static bool check_mov(Verifier *v, const Opd *o, const char *what)
{
	int bits = type_bits[v->i->type];
	if (!is_op(v, OP_MOV))
		return vf_fail(v, "%s must be a register or a number; mov reads special registers and takes "
			"addresses", what);
	if (o->neg)
		return vf_fail(v, "%s: '!' inverts predicates only", what);
	if (o->kind == OPD_SREG) {
		if (o->id < 0 || o->id >= SREG_COUNT)
			return vf_fail(v, "names a special register that there is not");
		if (v->f->kind == FN_HOST)
			return vf_fail(v, "reads %s: host functions have no threads", sreg_name[o->id]);
		return bits == type_bits[sreg_type[o->id]] ||
			vf_fail(v, "%s has %d bits", sreg_name[o->id], type_bits[sreg_type[o->id]]);
	}
	if (o->kind == OPD_FUNC)
		return check_function_operand(v, o) && (bits == 64 ||
			vf_fail(v, "takes a function's address, which has 64 bits"));
	if (o->kind == OPD_PARAM)
		return check_param_operand(v, o) && (bits >= 32 ||
			vf_fail(v, "takes an address of 32 or 64 bits"));
	if (!check_symbol_operand(v, o))
		return false;
	int space = v->m->symbol.v[o->id]->space;
	bool windowed = space == SP_SHARED || space == SP_LOCAL;
	return bits == 64 || (bits == 32 && windowed) ||
		vf_fail(v, "takes the address of '%.100s', which has 64 bits", v->m->symbol.v[o->id]->name);
}

static bool check_operand_value(Verifier *v, const Opd *o, Type t, bool optional, const char *what)
{
	switch ((OpdKind)o->kind) {
	case OPD_NONE:
		return optional || vf_fail(v, "%s is missing", what);
	case OPD_REG:
		return (!o->imm || vf_fail(v, "%s: only addresses have offsets", what)) &&
			check_register(v, o, t, what);
	case OPD_IMM:
		if (o->neg)
			return vf_fail(v, "%s: '!' inverts predicate registers only", what);
		return immediate_fits(t, o->imm) ||
			vf_fail(v, "%s: %lld does not fit %d bits", what, (long long)o->imm, type_bits[t]);
	case OPD_SREG: case OPD_SYM: case OPD_PARAM: case OPD_FUNC:
		return check_mov(v, o, what);
	case OPD_STR:
		return vf_fail(v, "%s cannot be a string", what);
	}
	return vf_fail(v, "%s is of no known kind", what);
}

static bool check_address_symbol(Verifier *v, const Opd *o)
{
	const Symbol *s = v->m->symbol.v[o->id];
	int space = v->i->space;
	if (space == s->space || (space == SP_GENERIC && (s->space == SP_GLOBAL || s->space == SP_CONST)))
		return true;
	return vf_fail(v, "accesses '%.100s', which is in .%s", s->name, space_name[s->space]);
}

static bool check_address(Verifier *v, const Opd *o)
{
	int space = v->i->space;
	switch ((OpdKind)o->kind) {
	case OPD_REG: {
		if (!valid_register(v, o, "the address"))
			return false;
		const Reg *r = &v->f->reg.v[o->id];
		bool windowed = space == SP_SHARED || space == SP_LOCAL || space == SP_PARAM;
		if (r->type == T_PRED || o->neg || (type_bits[r->type] != 64 &&
			!(windowed && type_bits[r->type] == 32)))
			return vf_fail(v, "address register %s is %s; addresses have 64 bits, in shared, "
				"local and param space 32 will do", r->name, type_name[r->type]);
		return true;
	}
	case OPD_IMM:
		return true;
	case OPD_SYM:
		return check_symbol_operand(v, o) && check_address_symbol(v, o);
	case OPD_PARAM: {
		if (!check_param_operand(v, o))
			return false;
		const Param *p = &v->f->param.v[o->id];
		int bytes = type_bytes(v->i->type) * (v->i->vec ? v->i->vec : 1);
		if (space != SP_PARAM)
			return vf_fail(v, "accesses parameter '%.100s': parameters are read by ld.param",
				p->name);
		return (o->imm >= 0 && o->imm <= (int64_t)p->size - bytes) ||
			vf_fail(v, "reads outside of parameter '%.100s' (%u bytes)", p->name, p->size);
	}
	default:
		return vf_fail(v, "the address is neither register, variable, parameter nor number");
	}
}

/* ---- calls and launches ---- */

static bool check_callee(Verifier *v, const Opd *o)
{
	FuncKind kind = is_op(v, OP_LAUNCH) ? FN_KERNEL : v->f->kind == FN_HOST ? FN_HOST : FN_DEVICE;
	if (o->kind == OPD_REG && kind == FN_DEVICE)
		return check_register(v, o, T_U64, "the function");
	if (o->kind != OPD_FUNC)
		return vf_fail(v, kind == FN_KERNEL ? "launches no kernel" : "calls no function");
	if (!check_function_operand(v, o))
		return false;
	const Function *f = v->m->func.v[o->id];
	if (kind == FN_HOST)
		return (f->kind == FN_HOST && f->declared_only) ||
			vf_fail(v, "calls '%.100s'; expected a function of Lua, which the module declares: "
			"extern host", f->name);
	return f->kind == kind || vf_fail(v, kind == FN_KERNEL ? "launches '%.100s', which is no kernel"
		: "calls '%.100s', which is no func", f->name);
}

static bool check_call(Verifier *v)
{
	const Ins *i = v->i;
	const Opd *o = ins_src(i, 0);
	const Function *f = o->kind == OPD_FUNC ? v->m->func.v[o->id] : NULL;
	if (f && (i->nsrc - 1 != f->arg.n || i->ndst != f->ret.n))
		return vf_fail(v, "gives %d arguments and takes %d results; '%.100s' has %d and %d",
			i->nsrc - 1, i->ndst, f->name, f->arg.n, f->ret.n);
	char what[32];
	for (int k = 1; k < i->nsrc; k++) {
		snprintf(what, sizeof what, "argument %d", k);
		if (!check_operand_value(v, ins_src(i, k), ins_value_type(v->m, i, k), false, what))
			return false;
	}
	for (int k = 0; k < i->ndst; k++) {
		snprintf(what, sizeof what, "result %d", k + 1);
		if (!check_destination(v, ins_dst(i, k), f ? (Type)f->reg.v[f->ret.v[k]].type : T_NONE, what))
			return false;
	}
	return true;
}

/* Checks a return. Its results must be registers, so that all that execute returns move them alike. */
static bool check_return(Verifier *v)
{
	const Ins *i = v->i;
	const Function *f = v->f;
	if (i->nsrc != f->ret.n)
		return vf_fail(v, "gives %d results; '%.100s' has %d", i->nsrc, f->name, f->ret.n);
	char what[32];
	for (int k = 0; k < i->nsrc; k++) {
		const Opd *o = ins_src(i, k);
		snprintf(what, sizeof what, "result %d", k + 1);
		if (o->kind != OPD_REG || o->neg || o->imm)
			return vf_fail(v, "%s is not a register", what);
		if (!check_register(v, o, (Type)f->reg.v[f->ret.v[k]].type, what))
			return false;
	}
	return true;
}

static bool check_launch(Verifier *v)
{
	const Ins *i = v->i;
	static const char *const numbers[] = { "grid x", "grid y", "grid z", "block x", "block y", "block z",
		"shared bytes", "stream" };
	const Function *f = v->m->func.v[ins_src(i, 0)->id];
	char what[40];
	if (i->nsrc < LAUNCH_ARGS)
		return vf_fail(v, "needs grid, block, shared bytes and stream");
	if (i->nsrc - LAUNCH_ARGS != f->param.n)
		return vf_fail(v, "gives %d arguments; '%.100s' has %d parameters", i->nsrc - LAUNCH_ARGS,
			f->name, f->param.n);
	for (int k = 1; k < i->nsrc; k++) {
		if (k < LAUNCH_ARGS)
			snprintf(what, sizeof what, "%s", numbers[k - 1]);
		else
			snprintf(what, sizeof what, "argument %d", k - LAUNCH_ARGS + 1);
		if (k >= LAUNCH_ARGS && f->param.v[k - LAUNCH_ARGS].count != 1)
			return vf_fail(v, "%s: a structure cannot be given to parameter '%.100s'", what,
				f->param.v[k - LAUNCH_ARGS].name);
		if (!check_operand_value(v, ins_src(i, k), ins_value_type(v->m, i, k), false, what))
			return false;
	}
	return true;
}

/* Checks the parts of pack and unpack: 2, 4 or 8 that make up the whole. */
static bool check_pack_parts(Verifier *v, const Opd *o, int n, bool reads)
{
	int bits = type_bits[v->i->type];
	char what[32];
	if (n < 2 || bits % n || bits / n < 8)
		return vf_fail(v, "has %d parts; expected 2, or 4 of 16 bits, or 4 or 8 of 8 bits", n);
	Type part = bits / n == 32 ? T_B32 : bits / n == 16 ? T_B16 : T_B8;
	for (int k = 0; k < n; k++) {
		snprintf(what, sizeof what, "part %d", k + 1);
		if (reads ? !check_operand_value(v, &o[k], part, false, what)
			: !check_destination(v, &o[k], part, what))
			return false;
	}
	return true;
}

/* ---- all operands by the table ---- */

static bool check_operand(Verifier *v, bool dst, int k, char letter, bool optional)
{
	const Ins *i = v->i;
	const Opd *o = dst ? ins_dst(i, k) : ins_src(i, k);
	char what[32];
	snprintf(what, sizeof what, "%s %d", dst ? "destination" : "source", k + 1);
	if (dst)
		return check_destination(v, o, ins_dst_type(i, k), what);
	switch (letter) {
	case 'a': return check_address(v, o);
	case 'f': return check_callee(v, o);
	case 's':
		if (optional && o->kind == OPD_NONE)
			return true;
		return (o->kind == OPD_STR && !o->neg && o->id >= 0 && o->id < v->m->string.n) ||
			vf_fail(v, "%s must be a string", what);
	default: return check_operand_value(v, o, ins_src_type(i, k), optional, what);
	}
}

/* Goes through one side of the operands column of isa/ops.def; checks the number of operands, and each
   operand up to a '*'. */
static bool check_side(Verifier *v, const char *s, bool dst)
{
	const Ins *i = v->i;
	int n = dst ? i->ndst : i->nsrc, k = 0, least = 0;
	bool rest = false;
	for (; *s && *s != ':'; s++) {
		char letter = *s;
		bool optional = s[1] == '?';
		int count = letter == 'v' && i->vec ? i->vec : 1;
		s += optional;
		if (letter == '*') {
			rest = true;
			break;
		}
		for (int e = 0; e < count; e++, k++) {
			if (!optional) /* the places of optional operands before this one count, too */
				least = k + 1;
			if (k < n && !check_operand(v, dst, k, letter, optional))
				return false;
		}
	}
	if (n < least || (!rest && n > k))
		return vf_fail(v, "has %d %ss; expected %d%s", n, dst ? "destination" : "source", least,
			rest ? " or more" : k > least ? " or one more" : "");
	return true;
}

/* Checks operands that depend on modifiers: a combining operation and its predicate, compare-and-swap and its
   third operand. */
static bool check_together(Verifier *v)
{
	const Ins *i = v->i;
	bool third = i->nsrc > 2 && ins_src(i, 2)->kind != OPD_NONE;
	if (i->op == OP_SETP && third != (i->boolop != BOOL_NONE))
		return vf_fail(v, third ? "has a third source but no .and .or .xor"
			: "needs the predicate to combine with as third source");
	if (i->op == OP_ATOM && third != (i->aop == AOP_CAS))
		return vf_fail(v, third ? "takes two sources: only .cas takes three"
			: "needs the value to store as third source");
	if (i->op == OP_BRA && i->nsrc && ins_src(i, 0)->kind == OPD_NONE)
		return vf_fail(v, "has no condition, but a place for it");
	if (i->op == OP_LOP3 && ins_src(i, 3)->kind != OPD_IMM)
		return vf_fail(v, "needs a number as last source");
	return true;
}

bool vf_operands(Verifier *v)
{
	const Ins *i = v->i;
	const char *s = op_info[i->op].operands;
	if (!check_side(v, s, true) || !check_side(v, strchr(s, ':') + 1, false))
		return false;
	switch (i->op) {
	case OP_CALL: return check_call(v);
	case OP_RET: return check_return(v);
	case OP_LAUNCH: return check_launch(v);
	case OP_PACK: return check_pack_parts(v, ins_src(i, 0), i->nsrc, true);
	case OP_UNPACK: return check_pack_parts(v, ins_dst(i, 0), i->ndst, false);
	default: return check_together(v);
	}
}
