/* .param variables of device functions and of calls. Their bytes live in registers, word by word, so that
 * caller and callee agree from the declaration alone; ld.param and st.param become moves, or picks and
 * insertions of parts of words. */
#include "isa/ptx/ptx.h"

enum { MOST_BYTES = 1 << 14, MOST_WORDS = 1 << 23, MOST_IN_FUNCTION = 30000 };

bool ptx_count(Ptx *p, int n, Loc loc)
{
	p->words += (uint64_t)n;
	return p->words <= MOST_WORDS ||
		ptx_error(p, loc, "the file passes too many bytes of parameters and registers, or has too "
		"many branch targets");
}

int ptx_pvar(Ptx *p, PvarRole role, const Decl *d)
{
	Body *b = p->b;
	Pvar v = { .name = d->name, .role = (uint8_t)role, .type = (uint8_t)d->type,
		.array = d->array || d->vec,
		.size = (uint32_t)d->size, .align = d->align, .spill = -1, .loc = d->loc };
	bool fits = d->size <= MOST_BYTES && d->count && d->type != T_PRED;
	if (fits) {
		v.unit = v.size == 8 && !v.array ? 8 : 4;
		v.nword = (int)(v.size + v.unit - 1) / v.unit;
	}
	if (fits && !ptx_count(p, v.nword, d->loc))
		return -1;
	if (!fits || (role != PV_CALL && b->edit.f->arg.n + b->edit.f->ret.n + v.nword > MOST_IN_FUNCTION)) {
		ptx_error(p, d->loc, "'%s' is too large for a parameter, or has no size", d->name);
		return -1;
	}
	v.reg = arena_array(&p->arena, int, v.nword);
	v.state = arena_array(&p->arena, uint8_t, v.nword);
	for (int k = 0; k < v.nword; k++)
		v.reg[k] = -1;
	vec_push(&b->pvar, v);
	return ptx_declare(p, d->name, (Entity){ .kind = ENT_PVAR, .id = b->pvar.n - 1 }, d->loc)
		? b->pvar.n - 1 : -1;
}

int pvar_word(Ptx *p, Pvar *v, int k)
{
	if (v->reg[k] < 0) {
		bool scalar = v->nword == 1 && !v->array;
		Type t = v->unit == 8 ? T_B64 : T_B32;
		if (scalar && type_bytes(v->type) == v->unit)
			t = (Type)v->type;
		const char *name = scalar ? v->name : arena_printf(&p->arena, "%s_%d", v->name, k);
		v->reg[k] = ptx_new_reg(p, name, t);
	}
	return v->reg[k];
}

static Type int_type(int bytes, bool is_signed)
{
	switch (bytes) {
	case 1: return is_signed ? T_S8 : T_U8;
	case 2: return is_signed ? T_S16 : T_U16;
	case 4: return is_signed ? T_S32 : T_U32;
	default: return is_signed ? T_S64 : T_U64;
	}
}

static bool check_place(Ptx *p, const Pvar *v, int64_t off, int n, Loc loc)
{
	if (off < 0 || off > (int64_t)v->size - n)
		return ptx_error(p, loc, "%d bytes at offset %lld are not inside '%s', which has %u", n,
			(long long)off, v->name, v->size);
	if (off % n)
		return ptx_error(p, loc, "offset %lld of '%s' is not a multiple of %d", (long long)off,
			v->name, n);
	return true;
}

/* Emits a load of a register from the bytes of type t at an offset of the variable. */
static bool load(Ptx *p, Pvar *v, int64_t off, Type t, const Arg *dst, Guard g)
{
	int n = type_bytes(t), w = v->unit, k = (int)(off / w);
	if (dst->kind == A_SINK)
		return true;
	if (dst->kind != A_REG)
		return ptx_error(p, dst->loc, "a destination is a register");
	if (!check_place(p, v, off, n, dst->loc) || !bind_width(p, dst, t, true))
		return false;
	bool is_signed = type_kind[t] == 'S';
	int have = type_bytes(p->b->edit.f->reg.v[dst->id].type);
	Opd d = opd_reg(dst->id), src[2] = { opd_reg(pvar_word(p, v, k)) };
	if (n > w) {
		src[1] = opd_reg(pvar_word(p, v, k + 1));
		bind_emit(p, OP_PACK, T_B64, T_NONE, g, d, 2, src);
	} else if (n == w && have == n) {
		bind_emit(p, OP_MOV, t, T_NONE, g, d, 1, src);
	} else {
		if (off % w) {
			Opd tmp = opd_reg(ptx_new_reg(p, NULL, w == 8 ? T_B64 : T_B32));
			src[1] = opd_imm(off % w * 8);
			bind_emit(p, OP_SHR, int_type(w, false), T_NONE, g, tmp, 2, src);
			src[0] = tmp;
		}
		bind_emit(p, OP_CVT, int_type(have, is_signed), int_type(n, is_signed), g, d, 1, src);
	}
	return true;
}

static void store_two_words(Ptx *p, Pvar *v, int k, Opd src, Guard g)
{
	Opd lo = opd_reg(pvar_word(p, v, k)), hi = opd_reg(pvar_word(p, v, k + 1));
	if (src.kind == OPD_IMM) {
		Opd low = opd_imm(bind_imm(T_B32, src.imm)), high = opd_imm(bind_imm(T_B32, src.imm >> 32));
		bind_emit(p, OP_MOV, T_B32, T_NONE, g, lo, 1, &low);
		bind_emit(p, OP_MOV, T_B32, T_NONE, g, hi, 1, &high);
		return;
	}
	Ins i = edit_new(&p->b->edit, NULL, OP_UNPACK, T_B64, 2, 1);
	i.guard = g.reg;
	i.guard_neg = g.neg;
	i.opd[0] = lo;
	i.opd[1] = hi;
	i.opd[2] = src.kind == OPD_REG ? src : bind_register(p, src, T_B64, g);
	flow_emit(p, &i);
}

/* Emits a store of n bytes at byte `in` of word k. If the variable is an array, the other bytes of the word
   are kept. */
static void store_part(Ptx *p, Pvar *v, int k, int in, int n, Opd src, Guard g)
{
	Type word_type = int_type(v->unit, false), bits = v->unit == 8 ? T_B64 : T_B32;
	Opd d = opd_reg(pvar_word(p, v, k)), zero = opd_imm(0);
	bool alone = !v->array && !in;
	if (src.kind == OPD_IMM)
		src.imm &= ((int64_t)1 << 8 * n) - 1;
	if (alone) {
		if (src.kind == OPD_IMM)
			bind_emit(p, OP_MOV, bits, T_NONE, g, d, 1, &src);
		else
			bind_emit(p, OP_CVT, word_type, int_type(n, false), g, d, 1, &src);
		return;
	}
	if (v->role == PV_CALL && !v->state[k])
		bind_emit(p, OP_MOV, bits, T_NONE, (Guard){ -1, false }, d, 1, &zero);
	v->state[k] |= WORD_PARTIAL;
	if (src.kind == OPD_REG && type_bytes(p->b->edit.f->reg.v[src.id].type) != v->unit) {
		Opd tmp = opd_reg(ptx_new_reg(p, NULL, bits));
		bind_emit(p, OP_CVT, word_type, int_type(n, false), g, tmp, 1, &src);
		src = tmp;
	}
	Opd s[4] = { src, d, opd_imm(8 * in), opd_imm(8 * n) };
	bind_emit(p, OP_BFI, bits, T_NONE, g, d, 4, s);
}

static bool store(Ptx *p, Pvar *v, int64_t off, Type t, const Arg *a, Guard g)
{
	int n = type_bytes(t), w = v->unit, k = (int)(off / w);
	Opd src;
	if (a->kind == A_SINK)
		return true;
	if (!check_place(p, v, off, n, a->loc) || !bind_width(p, a, t, true) || !bind_opd(p, a, t, &src))
		return false;
	if (src.kind != OPD_REG && src.kind != OPD_IMM) {
		if (n < 4)
			return ptx_error(p, a->loc, "expected a register");
		src = bind_register(p, src, int_type(n, false), g);
	}
	if (n > w) {
		store_two_words(p, v, k, src, g);
		v->state[k + 1] |= WORD_WRITTEN;
	} else if (n < w) {
		store_part(p, v, k, (int)(off % w), n, src, g);
	} else {
		Opd d = opd_reg(pvar_word(p, v, k));
		bool same = src.kind == OPD_IMM || type_bytes(p->b->edit.f->reg.v[src.id].type) == n;
		bind_emit(p, same ? OP_MOV : OP_CVT, same ? t : int_type(n, false),
			same ? T_NONE : int_type(n, false), g, d, 1, &src);
	}
	v->state[k] |= WORD_WRITTEN;
	return true;
}

static Pvar *read_param_variable(Ptx *p, const Args *a, int group)
{
	return &p->b->pvar.v[a->arg.v[a->group.v[group].first].id];
}

static bool check_vector(Ptx *p, const Ins *i, const ArgGroup *g)
{
	if (g->n == (i->vec ? i->vec : 1) && !g->dual)
		return true;
	return ptx_error(p, g->loc, "%s.param needs %d register%s here", op_info[i->op].name,
		i->vec ? i->vec : 1, i->vec ? "s" : "");
}

/* Offset of element k of a vector access. The sum may wrap around; check_place refuses the offset then. */
static int64_t part_offset(const Arg *at, const Ins *i, int k)
{
	return (int64_t)((uint64_t)at->imm + (uint64_t)(k * type_bytes(i->type)));
}

bool pvar_load(Ptx *p, const Ins *i, const Args *a, Guard g)
{
	const ArgGroup *dst = &a->group.v[0];
	const Arg *at = &a->arg.v[a->group.v[1].first];
	Pvar *v = read_param_variable(p, a, 1);
	if (!check_vector(p, i, dst))
		return false;
	if (v->role == PV_OUT)
		return ptx_error(p, at->loc, "'%s' is a result: it can only be written", v->name);
	for (int k = 0; k < dst->n; k++)
		if (!load(p, v, part_offset(at, i, k), (Type)i->type, &a->arg.v[dst->first + k], g))
			return false;
	return true;
}

bool pvar_store(Ptx *p, const Ins *i, const Args *a, Guard g)
{
	const ArgGroup *src = &a->group.v[1];
	const Arg *at = &a->arg.v[a->group.v[0].first];
	Pvar *v = read_param_variable(p, a, 0);
	if (!check_vector(p, i, src))
		return false;
	if (v->role == PV_IN)
		return ptx_error(p, at->loc, "'%s' is a parameter: it can only be read", v->name);
	for (int k = 0; k < src->n; k++)
		if (!store(p, v, part_offset(at, i, k), (Type)i->type, &a->arg.v[src->first + k], g))
			return false;
	return true;
}

/* ---- parameters in memory ---- */

bool pvar_address(Ptx *p, int id, Loc loc, Opd *o)
{
	Pvar *v = &p->b->pvar.v[id];
	if (v->role != PV_IN)
		return ptx_error(p, loc, "the address of '%s' cannot be taken: it passes values of a call",
			v->name);
	if (v->spill < 0)
		v->spill = ptx_local_bytes(p, arena_printf(&p->arena, "%s_local", v->name),
			(uint32_t)(v->nword * v->unit),
		v->align < v->unit ? v->unit : v->align);
	*o = (Opd){ .kind = OPD_SYM, .id = v->spill };
	return true;
}

static Ins prologue_ins(Ptx *p, Op op, Type t, int ndst, int nsrc)
{
	Ins i = edit_new(&p->b->edit, NULL, op, t, ndst, nsrc);
	i.line = p->b->edit.f->loc.line;
	i.col = p->b->edit.f->loc.col;
	return i;
}

void pvar_finish(Ptx *p)
{
	Body *b = p->b;
	Block *entry = b->edit.f->block.v[0];
	int at = 0;
	for (int k = 0; k < b->pvar.n; k++) {
		Pvar *v = &b->pvar.v[k];
		Type t = v->unit == 8 ? T_B64 : T_B32;
		for (int w = 0; w < v->nword; w++) {
			if (v->role == PV_OUT && (v->state[w] & WORD_PARTIAL)) {
				Ins i = prologue_ins(p, OP_MOV, t, 1, 1);
				i.opd[0] = opd_reg(v->reg[w]);
				i.opd[1] = opd_imm(0);
				edit_insert(&b->edit, entry, at++, i);
			}
			if (v->spill >= 0) {
				Ins i = prologue_ins(p, OP_ST, t, 0, 2);
				i.space = SP_LOCAL;
				i.opd[0] = (Opd){ .kind = OPD_SYM, .id = v->spill, .imm = w * v->unit };
				i.opd[1] = opd_reg(v->reg[w]);
				edit_insert(&b->edit, entry, at++, i);
			}
		}
	}
}
