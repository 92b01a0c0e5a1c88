/* Turns operands of the text into operands of an instruction, as the operation table asks for them. */
#include "isa/ptx/ptx.h"

int64_t bind_imm(Type t, int64_t v)
{
	switch (type_bits[t]) {
	case 1: return v != 0;
	case 8: return (int8_t)v;
	case 16: return (int16_t)v;
	case 32: return type_kind[t] == 'F' ? (int64_t)(uint32_t)v : (int32_t)v;
	default: return v;
	}
}

/* Gives the bits of a floating-point literal for the type: converted if it is an f type, else as they stand
   in the literal. */
static bool float_imm(Ptx *p, const Arg *a, Type t, int64_t *v)
{
	uint32_t w = (uint32_t)a->imm;
	float f;
	double d;
	memcpy(&f, &w, sizeof f);
	memcpy(&d, &a->imm, sizeof d);
	if (type_kind[t] == 'U' || type_kind[t] == 'S' || type_kind[t] == 'P')
		return ptx_error(p, a->loc, "expected an integer or a register of type .%s", type_name[t]);
	if (type_bits[t] == 64 && a->kind == A_F32) {
		d = f;
		memcpy(v, &d, sizeof d);
	} else if (type_bits[t] == 32 && a->kind == A_F64) {
		f = (float)d;
		memcpy(&w, &f, sizeof f);
		*v = bind_imm(t, w);
	} else if (type_bits[t] == 64 || type_bits[t] == 32 || t == T_NONE) {
		*v = bind_imm(t, a->imm);
	} else {
		return ptx_error(p, a->loc, "a floating-point number cannot be an operand of type .%s",
			type_name[t]);
	}
	return true;
}

bool bind_opd(Ptx *p, const Arg *a, Type t, Opd *o)
{
	static const uint8_t kind_of[] = { [A_REG] = OPD_REG, [A_INT] = OPD_IMM, [A_SYM] = OPD_SYM,
		[A_KPARAM] = OPD_PARAM,
		[A_SREG] = OPD_SREG, [A_FUNC] = OPD_FUNC, [A_SINK] = OPD_NONE };
	*o = (Opd){ OPD_IMM, a->neg, a->id, a->imm };
	switch (a->kind) {
	case A_INT:
		if (type_kind[t] == 'F')
			return ptx_error(p, a->loc, "expected a floating-point number such as 0f3F800000");
		o->imm = bind_imm(t, a->imm);
		return true;
	case A_F32: case A_F64:
		return float_imm(p, a, t, &o->imm);
	case A_PVAR:
		if (!pvar_address(p, a->id, a->loc, o))
			return false;
		o->imm += a->imm;
		return true;
	case A_ADDR:
		if (a->base == A_PVAR)
			return ptx_error(p, a->loc, "a parameter of a function is read by ld.param and "
				"written by st.param");
		o->kind = kind_of[a->base];
		if (a->base == A_REG && type_bits[p->b->edit.f->reg.v[a->id].type] < 32)
			return ptx_error(p, a->loc, "an address register has 32 or 64 bits");
		return true;
	default:
		o->kind = kind_of[a->kind];
		return true;
	}
}

bool bind_width(Ptx *p, const Arg *a, Type t, bool wider)
{
	if (a->kind != A_REG || t == T_NONE)
		return true;
	Type r = (Type)p->b->edit.f->reg.v[a->id].type;
	if ((r == T_PRED) == (t == T_PRED) && (type_bits[r] == type_bits[t] ||
		(wider && type_bits[r] > type_bits[t])))
		return true;
	return ptx_error(p, a->loc, "register %s of type .%s cannot be an operand of type .%s",
		p->b->edit.f->reg.v[a->id].name, type_name[r], type_name[t]);
}

void bind_emit(Ptx *p, Op op, Type t, Type t2, Guard g, Opd d, int nsrc, const Opd *src)
{
	Ins i = edit_new(&p->b->edit, NULL, op, t, 1, nsrc);
	i.type2 = (uint8_t)t2;
	i.guard = g.reg;
	i.guard_neg = g.neg;
	i.opd[0] = d;
	for (int k = 0; k < nsrc; k++)
		i.opd[1 + k] = src[k];
	flow_emit(p, &i);
}

static Type bits_type(int bits)
{
	return bits == 64 ? T_B64 : bits == 32 ? T_B32 : bits == 16 ? T_B16 : bits == 8 ? T_B8 : T_PRED;
}

static Type unsigned_type(int bits)
{
	return bits == 64 ? T_U64 : bits == 32 ? T_U32 : bits == 16 ? T_U16 : T_U8;
}

Opd bind_register(Ptx *p, Opd o, Type t, Guard g)
{
	Type own = o.kind == OPD_SREG ? (Type)sreg_type[o.id] : o.kind == OPD_IMM ? t : T_U64;
	if (t == T_NONE)
		t = own;
	if (type_bits[own] == type_bits[t]) {
		Opd d = opd_reg(ptx_new_reg(p, NULL, bits_type(type_bits[t])));
		bind_emit(p, OP_MOV, type_kind[own] == 'F' ? bits_type(type_bits[t]) : own, T_NONE, g, d, 1,
			&o);
		return d;
	}
	Opd r = bind_register(p, o, own, g);
	Opd d = opd_reg(ptx_new_reg(p, NULL, bits_type(type_bits[t])));
	bind_emit(p, OP_CVT, unsigned_type(type_bits[t]), unsigned_type(type_bits[own]), g, d, 1, &r);
	return d;
}

/* ---- shapes ---- */

/* How many operands, at least and at most, one side of the column `operands` of the operation table takes. s:
   that side. */
static void side(const Ins *i, const char *s, int *least, int *most)
{
	*least = *most = 0;
	for (; *s && *s != ':'; s++) {
		if (*s == '*') {
			*most = 64;
			continue;
		}
		int n = *s == 'v' && i->vec ? i->vec : 1;
		*most += n;
		if (s[1] == '?')
			s++;
		else
			*least += n;
	}
}

/* Checks the numbers of operands. A wrong number refuses the function only, since newer versions of PTX give
   operations more operands than they had. */
static bool check_counts(Ptx *p, const Ins *i, int ndst, int nsrc)
{
	const char *name = op_info[i->op].name, *s = op_info[i->op].operands;
	int least, most;
	side(i, s, &least, &most);
	if (ndst < least || ndst > most)
		return ptx_refuse_ins(p, "%s takes %d destination%s here, not %d", name, least,
			least == 1 ? "" : "s", ndst);
	side(i, strchr(s, ':') + 1, &least, &most);
	if (nsrc >= least && nsrc <= most)
		return true;
	if (least == most)
		return ptx_refuse_ins(p, "%s takes %d source operand%s, not %d", name, least,
			least == 1 ? "" : "s", nsrc);
	return ptx_refuse_ins(p, "%s takes %d to %d source operands, not %d", name, least, most, nsrc);
}

static bool check_vectors(Ptx *p, const Ins *i, const Args *a)
{
	bool takes = i->op == OP_PACK || i->op == OP_UNPACK || i->vec;
	for (int k = 0; k < a->group.n; k++)
		if (a->group.v[k].vector && !takes)
			return ptx_refuse_ins(p, "%s takes no vector here", op_info[i->op].name);
	return true;
}

/* May the registers of this operation be wider than its type? The PTX manual allows it for ld, st and cvt. */
static bool allows_wider(const Ins *i) { return i->op == OP_LD || i->op == OP_ST || i->op == OP_CVT; }

/* Is the operand an .f32 in a .b64 register? ptxas allows it in ld, st and cvt: the value is the low half of
   the register, whose high half becomes 0. */
static bool holds_float(const Ptx *p, const Arg *a, Type t)
{
	return t == T_F32 && a->kind == A_REG && p->b->edit.f->reg.v[a->id].type == T_B64;
}

/* The type of an instruction. An access to memory of which an operand is an .f32 in a .b64 register has type
   .b32. */
static Type access_type(const Ptx *p, const Ins *i, const Args *a)
{
	for (int k = 0; k < a->arg.n && (i->op == OP_LD || i->op == OP_ST); k++)
		if (holds_float(p, &a->arg.v[k], (Type)i->type))
			return T_B32;
	return (Type)i->type;
}

/* If the destination of a cvt is an .f32 in a .b64 register (holds_float), puts a new 32-bit register in its
   place. *wide: the old destination, which is written by an extension behind the cvt. */
static void narrow_destination(Ptx *p, Ins *i, const Arg *a, Opd *wide)
{
	*wide = (Opd){ 0 };
	if (i->op != OP_CVT || !holds_float(p, a, (Type)i->type))
		return;
	*wide = *ins_dst(i, 0);
	*ins_dst(i, 0) = opd_reg(ptx_new_reg(p, NULL, T_B32));
}

/* Index of the k-th source given among the sources of the instruction. In bar.red d, barrier [, threads], p
   the place of `threads` stays empty if it is left out. */
static int source_index(const Ins *i, int given, int k)
{
	return i->op == OP_BARRED && given == 2 && k == 1 ? 2 : k;
}

static bool bind_dst(Ptx *p, Ins *i, const Arg *a, int k)
{
	if (a->kind != A_REG && a->kind != A_SINK)
		return ptx_error(p, a->loc, "a destination is a register");
	if (a->neg)
		return ptx_error(p, a->loc, "'!' cannot stand before a destination");
	return bind_width(p, a, ins_dst_type(i, k), allows_wider(i)) && bind_opd(p, a, T_NONE, ins_dst(i, k));
}

/* Can a mov of the type read operand o directly? Addresses in the windows of shared and local memory, and of
   parameters, also have a form of 32 bits. */
static bool mov_reads(const Ptx *p, Type t, const Opd *o)
{
	if (o->kind == OPD_SREG)
		return type_bits[t] == type_bits[sreg_type[o->id]];
	int space = o->kind == OPD_SYM ? p->m->symbol.v[o->id]->space : o->kind == OPD_PARAM ? SP_PARAM
		: SP_GENERIC;
	bool windowed = space == SP_SHARED || space == SP_LOCAL || space == SP_PARAM;
	return type_bits[t] == 64 || (type_bits[t] == 32 && windowed);
}

static bool bind_src(Ptx *p, Ins *i, const Arg *a, int k, Guard g)
{
	Type t = ins_src_type(i, k);
	const char *s = strchr(op_info[i->op].operands, ':');
	bool is_address = a->kind == A_ADDR;
	if (is_address != (k == 0 && s[1] == 'a'))
		return ptx_error(p, a->loc, is_address ? "an address cannot stand here"
			: "expected an address in brackets");
	if (a->kind == A_SINK && !(i->op == OP_ST && i->vec))
		return ptx_error(p, a->loc, "'_' cannot be read");
	if (i->op == OP_ISSPACEP && a->kind == A_REG && type_bits[p->b->edit.f->reg.v[a->id].type] == 32)
		return ptx_refuse_ins(p, "addresses have 64 bits");
	Opd *o = ins_src(i, k);
	if (!bind_width(p, a, t, allows_wider(i)) || !bind_opd(p, a, t, o))
		return false;
	if (i->op == OP_CVT && holds_float(p, a, t)) {
		Opd low = opd_reg(ptx_new_reg(p, NULL, T_B32));
		bind_emit(p, OP_CVT, T_U32, T_U64, g, low, 1, o);
		*o = low;
	}
	bool special = o->kind == OPD_SREG || o->kind == OPD_SYM || o->kind == OPD_FUNC ||
		o->kind == OPD_PARAM;
	if (!special || is_address)
		return true;
	if (i->op == OP_MOV && mov_reads(p, (Type)i->type, o))
		return true;
	if (type_bits[t] < 16 || t == T_NONE)
		return ptx_refuse_ins(p, "%s takes a register or a number here", op_info[i->op].name);
	*o = bind_register(p, *o, t, g);
	return true;
}

bool bind_ins(Ptx *p, Ins *i, const Args *a, Guard g)
{
	Ins x = *i;
	Opd wide = { 0 };
	bool has_dst = op_info[i->op].operands[0] != ':' && a->group.n;
	int ndst = has_dst ? a->group.v[0].n : 0, nsrc = a->arg.n - ndst;
	for (int k = has_dst; k < a->group.n; k++)
		if (a->group.v[k].dual)
			return ptx_error(p, a->group.v[k].loc, "a pair can only be a destination");
	if (!check_vectors(p, i, a) || !check_counts(p, i, ndst, nsrc))
		return false;
	x.type = (uint8_t)access_type(p, i, a);
	Ins fresh = edit_new(&p->b->edit, NULL, (Op)i->op, (Type)x.type, ndst, i->op == OP_BARRED ? 3 : nsrc);
	x.opd = fresh.opd;
	x.ndst = fresh.ndst;
	x.nsrc = fresh.nsrc;
	x.guard = g.reg;
	x.guard_neg = g.neg;
	for (int k = 0; k < ndst; k++)
		if (!bind_dst(p, &x, &a->arg.v[k], k))
			return false;
	for (int k = 0; k < nsrc; k++)
		if (!bind_src(p, &x, &a->arg.v[ndst + k], source_index(i, nsrc, k), g))
			return false;
	if (ndst == 1)
		narrow_destination(p, &x, &a->arg.v[0], &wide);
	Opd low = ndst ? *ins_dst(&x, 0) : wide;
	flow_emit(p, &x);
	if (wide.kind == OPD_REG)
		bind_emit(p, OP_CVT, T_U64, T_U32, g, wide, 1, &low);
	return true;
}
