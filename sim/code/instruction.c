/* Makes machine code of one instruction of the module that is no call. */
#include "sim/code/lower.h"

static void lower_alu(Lower *w, LowerFn *l, MIns *m, const Ins *i)
{
	if (!lane_bind(l->f, i, &m->x)) {
		diag_error(w->diag, ins_loc(w->m, i), "operation %s.%s has no meaning", op_info[i->op].name,
			type_name[i->type]);
		return;
	}
	if (i->op == OP_PACK) {
		m->x.d = lower_operand(w, l, ins_dst(i, 0), i->type);
		Type part = type_bits[i->type] / i->nsrc == 32 ? T_B32
			: type_bits[i->type] / i->nsrc == 16 ? T_B16 : T_B8;
		lower_parts(w, l, m, ins_src(i, 0), i->nsrc, part);
		return;
	}
	if (i->op == OP_UNPACK) {
		m->x.a = lower_operand(w, l, ins_src(i, 0), i->type);
		lower_parts(w, l, m, i->opd, i->ndst, T_B32);
		return;
	}
	uint32_t *src[] = { &m->x.a, &m->x.b, &m->x.c, &m->x.e };
	if (i->ndst > 0)
		m->x.d = lower_operand(w, l, ins_dst(i, 0), ins_dst_type(i, 0));
	if (i->ndst > 1)
		m->x.d2 = lower_operand(w, l, ins_dst(i, 1), ins_dst_type(i, 1));
	for (int k = 0; k < i->nsrc && k < 4; k++) {
		const Opd *o = ins_src(i, k);
		if (ins_src_type(i, k) != T_PRED || o->kind != OPD_IMM)
			*src[k] = lower_operand(w, l, o, ins_src_type(i, k));
		/* a constant predicate has no row, which reads as true: false is that negated */
		else if (!o->imm)
			m->x.neg ^= (uint8_t)(NEG_A << k);
	}
}

static bool is_special_mov(const Ins *i, const Module *m)
{
	const Opd *o = ins_src(i, 0);
	return i->op == OP_MOV && (o->kind == OPD_SREG || o->kind == OPD_PARAM ||
		(o->kind == OPD_SYM && m->symbol.v[o->id]->space == SP_LOCAL &&
		m->symbol.v[o->id]->owner >= 0));
}

static void lower_special_mov(Lower *w, LowerFn *l, MIns *m, const Ins *i)
{
	const Opd *o = ins_src(i, 0);
	m->kind = KM_SREG;
	m->type = i->type;
	m->x.d = lower_operand(w, l, ins_dst(i, 0), i->type);
	if (o->kind == OPD_SREG) {
		m->sreg = (uint8_t)o->id;
	} else if (o->kind == OPD_PARAM) {
		m->sreg = SREG_PARAM_ADDRESS;
		m->offset = l->f->param.v[o->id].offset + o->imm;
	} else {
		m->sreg = SREG_LOCAL_ADDRESS;
		m->offset = w->local_offset[l->f->id][o->id] + o->imm;
	}
}

/* An address in local memory without a base register counts from the start of the frame. So that an absolute
   address does not, it gets a base register of zeros. */
static void from_bottom(Lower *w, LowerFn *l, MIns *m)
{
	Opd zero = opd_imm(0);
	if (m->space != SP_LOCAL)
		return;
	m->x.a = lower_operand(w, l, &zero, T_U64);
	m->flags |= MI_ADDR64;
}

static void lower_address(Lower *w, LowerFn *l, MIns *m, const Opd *o)
{
	m->offset = o->imm;
	switch (o->kind) {
	case OPD_IMM:
		from_bottom(w, l, m);
		break;
	case OPD_REG:
		m->x.a = lower_row(l, o->id);
		if (lower_is_wide(l, o->id))
			m->flags |= MI_ADDR64;
		break;
	case OPD_SYM: {
		const Symbol *s = w->m->symbol.v[o->id];
		m->offset += s->space == SP_SHARED ? w->shared_offset[o->id]
			: s->space == SP_LOCAL ? w->local_offset[l->f->id][o->id]
			: (int64_t)w->symbol_address[o->id];
		if (m->space == SP_GENERIC)
			m->space = s->space;
		if (s->owner < 0)
			from_bottom(w, l, m);
		break;
	}
	case OPD_PARAM:
		m->offset += l->f->param.v[o->id].offset;
		m->space = SP_PARAM;
		break;
	default:
		break;
	}
}

static void lower_memory(Lower *w, LowerFn *l, MIns *m, const Ins *i)
{
	m->type = i->type;
	m->space = i->space;
	m->bytes = (uint8_t)type_bytes(i->type);
	m->vec = i->vec ? i->vec : 1;
	m->aop = i->aop;
	if (i->cop == COP_CG || i->cop == COP_CV || i->cop == COP_WT || i->sem >= SEM_VOLATILE)
		m->flags |= MI_BYPASS;
	m->sync = m->kind == K_ATOM || (m->kind == K_ST && i->sem >= SEM_VOLATILE);
	m->nonfaulting = m->kind == K_LD && i->flags & INSF_NONFAULTING;
	if (m->nonfaulting)
		m->frame = w->variable_bytes[l->f->id];
	lower_address(w, l, m, ins_src(i, 0));
	if (m->kind == K_LD) {
		lower_parts(w, l, m, i->opd, i->ndst, i->type);
	} else if (m->kind == K_ST) {
		lower_parts(w, l, m, ins_src(i, 1), i->nsrc - 1, i->type);
	} else {
		if (i->ndst)
			m->x.d = lower_operand(w, l, ins_dst(i, 0), i->type);
		m->x.b = lower_operand(w, l, ins_src(i, 1), i->type);
		if (i->nsrc > 2)
			m->x.c = lower_operand(w, l, ins_src(i, 2), i->type);
	}
}

static void lower_warp(Lower *w, LowerFn *l, MIns *m, const Ins *i)
{
	uint32_t *src[] = { &m->x.a, &m->x.b, &m->x.c, &m->x.e };
	m->type = i->type;
	m->aop = i->aop;
	m->x.mode = i->mode;
	m->x.type = i->type;
	if (i->ndst > 0)
		m->x.d = lower_operand(w, l, ins_dst(i, 0), ins_dst_type(i, 0));
	if (i->ndst > 1)
		m->x.d2 = lower_operand(w, l, ins_dst(i, 1), ins_dst_type(i, 1));
	for (int k = 0; k < i->nsrc && k < 4; k++) {
		Type t = ins_src_type(i, k);
		*src[k] = lower_operand(w, l, ins_src(i, k), t);
		/* a constant predicate has no row, which reads as true; lower_negations makes false of it */
		if (t == T_PRED && ins_src(i, k)->kind == OPD_IMM)
			*src[k] = NO_ROW;
	}
	lower_negations(m, i);
}

static void fix_block(Lower *w, LowerFn *l, FixKind kind, int k, const Block *to)
{
	vec_push(&w->fix, ((LowerFix){ .ins = w->out.n - 1, .l = l, .to = to, .kind = kind, .entry = k }));
}

static void lower_branch(Lower *w, LowerFn *l, MIns *m, const Ins *i, const Block *b)
{
	m->flags |= MI_COND;
	m->x.a = lower_operand(w, l, ins_src(i, 0), m->kind == K_BRA ? T_PRED : T_B32);
	m->x.neg = lower_negated(ins_src(i, 0), m->kind == K_BRA ? T_PRED : T_B32) ? NEG_A : 0;
	m->branch = w->code->nbranch++;
	if (m->kind == K_BRA) {
		fix_block(w, l, FIX_TARGET, 0, b->succ[0]);
		fix_block(w, l, FIX_FALL, 0, b->succ[1]);
	} else {
		uint32_t *table = arena_array(&w->code->arena, uint32_t, b->nsucc);
		m->table = table;
		m->ntable = b->nsucc;
		for (int k = 0; k < b->nsucc; k++)
			fix_block(w, l, FIX_TABLE, k, b->succ[k]);
	}
}

/* Puts operand k of a mechanism's operation into m: a block (target), a predicate (x.a), another register
   (x.b), or a number (offset). */
static void lower_reconv(Lower *w, LowerFn *l, MIns *m, const Ins *i, int k)
{
	const Opd *o = ins_src(i, k);
	if (o->kind == OPD_BLOCK) {
		fix_block(w, l, FIX_TARGET, 0, l->f->block.v[o->id]);
	} else if (w->code->own[i->mode].operands[k] == 'p') {
		m->x.a = lower_operand(w, l, o, T_PRED);
		m->x.neg = lower_negated(o, T_PRED) ? NEG_A : 0;
	} else if (o->kind == OPD_IMM) {
		m->offset = o->imm;
	} else {
		m->x.b = lower_row(l, o->id);
		m->flags |= lower_is_wide(l, o->id) ? MI_ADDR64 : 0;
	}
}

void lower_plain(Lower *w, LowerFn *l, const Ins *i, const Block *b)
{
	const OpInfo *info = &op_info[i->op];
	MIns *m = lower_new(w, l, i, b);
	m->op = i->op;
	m->kind = info->kind;
	m->unit = (uint8_t)ins_unit(i);
	if (i->guard >= 0) {
		m->guard = (int32_t)lower_row(l, i->guard);
		m->flags |= i->guard_neg ? MI_GUARD_NEG : 0;
	}
	m->x.type = i->type;
	m->x.type2 = i->type2;
	m->x.mode = i->mode;
	m->x.mode2 = i->mode2;
	m->x.ftz = i->ftz;
	m->x.sat = i->sat;
	switch (m->kind) {
	case K_ALU:
		if (is_special_mov(i, w->m))
			lower_special_mov(w, l, m, i);
		else
			lower_alu(w, l, m, i);
		break;
	case K_LD: case K_ST: case K_ATOM:
		lower_memory(w, l, m, i);
		break;
	case K_BRA: case K_BRX:
		if (i->nsrc) {
			lower_branch(w, l, m, i, b);
		} else {
			m->flags = (uint8_t)((m->flags & ~MI_INSERTED) | MI_OVERHEAD);
			fix_block(w, l, FIX_TARGET, 0, b->succ[0]);
		}
		break;
	case K_EXIT:
		if (i->op == OP_EXITIF) {
			m->x.a = lower_operand(w, l, ins_src(i, 0), T_PRED);
			m->x.neg = lower_negated(ins_src(i, 0), T_PRED) != (i->mode == EXIT_OTHER) ? NEG_A
				: 0;
			m->branch = w->code->nbranch++;
		}
		break;
	case K_RECONV:
		m->own = i->mode;
		m->unit = w->code->own[m->own].unit;
		if (i->ndst)
			m->x.d = lower_row(l, ins_dst(i, 0)->id);
		for (int k = 0; k < i->nsrc; k++)
			lower_reconv(w, l, &vec_last(&w->out), i, k);
		if (i->origin != ORIGIN_LOWER) { /* the operation replaces a branch of the program */
			m->flags |= MI_COND;
			m->branch = w->code->nbranch++;
		}
		break;
	default:
		lower_warp(w, l, m, i);
		break;
	}
	if (info->flags & OPF_TERM && l->rpc_block[b->id] >= 0)
		fix_block(w, l, FIX_RPC, 0, l->f->block.v[l->rpc_block[b->id]]);
	m = &vec_last(&w->out);
	m->uniform = lower_in_datapath(l, i);
	if (m->uniform && info->kind == K_ALU)
		m->unit = UNIT_UNIFORM;
	lower_scoreboard(w, l, i);
	lower_finish(w, m);
}
