/* From IR to machine code for one mechanism:
 *
 *   copy of the module -> the mechanism's operations (ReconvModel.lower) -> calls -> registers -> addresses -> MIns
 *
 * Unconditional branches belong to the layout: one to the next block vanishes, the others are issued and count as
 * overhead. A conditional branch carries both targets, so that no layout needs an extra jump. */
#include "passes/analysis/analysis.h"
#include "sim/code.h"
#include "sim/reconv.h"
#include "isa/memory.h"
#include <stdio.h>

typedef Vec(MIns) MInsVec;
typedef struct Fix { int ins; uint32_t *where; int table_index; LowerFn *l; const Block *to; int func; int kind; } Fix;

typedef struct LiveList { uint16_t *names; int n; } LiveList;

typedef struct Lower {
	Code *code;
	Module *m;
	const Config *config;
	const ReconvModel *model;
	const uint64_t *symbol_address;
	Diag *diag;
	Arena arena;
	LowerFn **of;              /* by function id, NULL = not used */
	Vec(LowerFn *) order;      /* the kernel first */
	MInsVec out;
	Vec(Fix) fix;
	Vec(uint64_t) constant;    /* value; wide ones take two rows */
	Vec(uint32_t) constant_row;
	Vec(uint8_t) constant_wide;
	uint32_t rows;
	int64_t *shared_offset, **local_offset;
	Vec(LiveList) live;
	bool indirect;             /* some function calls through a register */
	uint16_t *names;           /* scratch for the scoreboard lists */
	int nchk, nwr;
} Lower;

/* ---- call graph ---- */

static void collect(Lower *w, Function *f)
{
	if (w->of[f->id])
		return;
	LowerFn *l = arena_new(&w->arena, LowerFn);
	*l = (LowerFn){ .code = w->code, .module = w->m, .f = f, .config = w->config, .arena = &w->arena, .scc = -1 };
	w->of[f->id] = l;
	vec_push(&w->order, l);
	if (f->declared_only) {
		diag_error(w->diag, f->loc, "function %s is declared but has no body in this module", f->name);
		return;
	}
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			for (int o = 0; o < i->ndst + i->nsrc; o++)
				if (i->opd[o].kind == OPD_FUNC && w->m->func.v[i->opd[o].id]->kind == FN_DEVICE)
					collect(w, w->m->func.v[i->opd[o].id]);
		}
}

static bool calls_indirectly(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == OP_CALL && ins_src(&f->block.v[b]->ins.v[k], 0)->kind == OPD_REG)
				return true;
	return false;
}

/* Functions whose address is in the module's data may be called indirectly. */
static void collect_indirect(Lower *w)
{
	bool any = false;
	for (int i = 0; i < w->order.n; i++)
		any |= calls_indirectly(w->order.v[i]->f);
	w->indirect = any;
	if (!any)
		return;
	for (int s = 0; s < w->m->symbol.n; s++)
		for (int r = 0; r < w->m->symbol.v[s]->reloc.n; r++)
			if (w->m->symbol.v[s]->reloc.v[r].func)
				collect(w, w->m->func.v[w->m->symbol.v[s]->reloc.v[r].id]);
}

/* reach[a * n + b]: a may call b, directly or not. */
static bool *call_closure(Lower *w)
{
	int n = w->m->func.n;
	bool *r = arena_array(&w->arena, bool, (size_t)n * n);
	for (int x = 0; x < w->order.n; x++) {
		const Function *f = w->order.v[x]->f;
		bool indirect = calls_indirectly(f);
		for (int y = 0; indirect && y < w->order.n; y++)
			if (w->order.v[y]->f->kind == FN_DEVICE)
				r[f->id * n + w->order.v[y]->f->id] = true;
		for (int b = 0; b < f->block.n; b++)
			for (int k = 0; k < f->block.v[b]->ins.n; k++) {
				const Ins *i = &f->block.v[b]->ins.v[k];
				if (i->op == OP_CALL && ins_src(i, 0)->kind == OPD_FUNC)
					r[f->id * n + ins_src(i, 0)->id] = true;
			}
	}
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n && r[i * n + k]; j++)
				r[i * n + j] |= r[k * n + j];
	return r;
}

static bool above(int *base, int end)
{
	bool raise = *base < end;
	if (raise)
		*base = end;
	return raise;
}

static void find_recursion(Lower *w)
{
	bool *r = call_closure(w);
	int n = w->m->func.n;
	for (int x = 0; x < w->order.n; x++) {
		LowerFn *l = w->order.v[x];
		l->recursive = r[l->f->id * n + l->f->id];
		l->scc = l->f->id;
		for (int y = 0; y < w->order.n; y++) {
			int g = w->order.v[y]->f->id;
			if (g < l->scc && r[l->f->id * n + g] && r[g * n + l->f->id])
				l->scc = g;
		}
	}
	/* Windows: above every caller outside the cycle; cycle members one after the other. Fixpoint over the call graph. */
	for (bool changed = true; changed;) {
		changed = false;
		for (int x = 0; x < w->order.n; x++)
			for (int y = 0; y < w->order.n; y++) {
				LowerFn *a = w->order.v[x], *b = w->order.v[y];
				if (!r[a->f->id * n + b->f->id] || a == b)
					continue;
				bool same = a->scc == b->scc;
				if (same && a->f->id > b->f->id)
					continue;
				changed |= above(&b->reg_base, a->reg_base + a->nreg);
				changed |= above(&b->wide_base, a->wide_base + a->nwide);
				changed |= above(&b->pred_base, a->pred_base + a->npred);
			}
	}
}

/* ---- operands ---- */

static uint32_t constant_row(Lower *w, uint64_t v, bool wide)
{
	for (int i = 0; i < w->constant.n; i++)
		if (w->constant.v[i] == v && w->constant_wide.v[i] == wide)
			return ROW_CONST | w->constant_row.v[i] * (uint32_t)w->config->warp_size;
	if (wide)
		w->rows = (w->rows + 1) & ~1u;
	vec_push(&w->constant, v);
	vec_push(&w->constant_wide, wide);
	vec_push(&w->constant_row, w->rows);
	w->rows += 1 + wide;
	return ROW_CONST | vec_last(&w->constant_row) * (uint32_t)w->config->warp_size;
}

static bool reg_pred(const LowerFn *l, int id) { return l->f->reg.v[id].type == T_PRED; }
static bool reg_wide(const LowerFn *l, int id) { return type_bits[l->f->reg.v[id].type] == 64; }

/* Number of a register's first 32-bit unit. */
static int unit(const LowerFn *l, int id)
{
	return l->reg[id] + (reg_wide(l, id) ? l->code->narrow + l->wide_base : l->reg_base);
}

static uint32_t reg_row(const LowerFn *l, int id)
{
	if (reg_pred(l, id))
		return (uint32_t)(l->pred_base + l->reg[id]);
	return (uint32_t)unit(l, id) * (uint32_t)l->config->warp_size;
}

static void name(Lower *w, int n) { w->names[w->nchk + w->nwr] = (uint16_t)n; }

/* Scoreboard name of a register; predicates follow the registers, then the carry. */
static int reg_name(const LowerFn *l, int id)
{
	return reg_pred(l, id) ? -1 - (l->pred_base + l->reg[id]) : unit(l, id);
}

static void reads(Lower *w, const LowerFn *l, int id)
{
	name(w, reg_name(l, id));
	w->nchk++;
}

static uint32_t operand_row(Lower *w, LowerFn *l, const Opd *o, Type t)
{
	bool wide = type_bits[t] == 64;
	switch (o->kind) {
	case OPD_REG:
		return reg_row(l, o->id);
	case OPD_IMM:
		if (t == T_PRED)
			return NO_ROW; /* true; set_neg makes false of it */
		return constant_row(w, wide ? (uint64_t)o->imm : (uint32_t)o->imm, wide);
	case OPD_FUNC:
		return constant_row(w, FUNCTION_ADDRESS(o->id), wide);
	case OPD_SYM: {
		const Symbol *s = w->m->symbol.v[o->id];
		uint64_t at = s->space == SP_SHARED ? (uint64_t)w->shared_offset[o->id] : w->symbol_address[o->id];
		return constant_row(w, at + (uint64_t)o->imm, wide);
	}
	default:
		return NO_ROW;
	}
}

/* ---- instructions ---- */

static MIns *emit(Lower *w, LowerFn *l, const Ins *src, const Block *from)
{
	MIns i = { .guard = -1, .block = -1, .branch = -1, .live = -1, .target = NO_PC, .fall = NO_PC, .rpc = NO_PC };
	i.x = (LaneIns){ .d = NO_ROW, .d2 = NO_ROW, .a = NO_ROW, .b = NO_ROW, .c = NO_ROW, .e = NO_ROW };
	i.src = src;
	i.function = l->f;
	i.from = from;
	i.flags = !src || src->origin == ORIGIN_LOWER ? MI_OVERHEAD : src->origin ? MI_INSERTED : 0;
	vec_push(&w->out, i);
	w->nchk = w->nwr = 0;
	return &vec_last(&w->out);
}

static void finish(Lower *w, MIns *i)
{
	uint16_t *sb = arena_array(&w->code->arena, uint16_t, w->nchk + w->nwr + 1);
	memcpy(sb, w->names, sizeof *sb * (size_t)(w->nchk + w->nwr));
	i->sb = sb;
	i->nchk = (uint8_t)w->nchk;
	i->nwr = (uint8_t)w->nwr;
}

/* Sources and guard must be ready, and so must destinations (writes in order). */
static void scoreboard(Lower *w, LowerFn *l, const Ins *i)
{
	w->nchk = w->nwr = 0;
	if (i->guard >= 0)
		reads(w, l, i->guard);
	for (int o = 0; o < i->ndst + i->nsrc; o++)
		if (i->opd[o].kind == OPD_REG)
			reads(w, l, i->opd[o].id);
	if (i->cc || i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC) {
		name(w, -32000);
		w->nchk++;
	}
	for (int o = 0; o < i->ndst; o++)
		if (i->opd[o].kind == OPD_REG) {
			name(w, reg_name(l, i->opd[o].id));
			w->nwr++;
			if (reg_wide(l, i->opd[o].id)) {
				name(w, reg_name(l, i->opd[o].id) + 1);
				w->nwr++;
			}
		}
	if (i->cc) {
		name(w, -32000);
		w->nwr++;
	}
}

static bool is_negated(const Opd *o, Type t) { return o->neg != (t == T_PRED && o->kind == OPD_IMM && !o->imm); }

static void set_neg(MIns *m, const Ins *i)
{
	static const uint8_t bit[3] = { NEG_A, NEG_B, NEG_C };
	for (int k = 0; k < i->nsrc && k < 3; k++)
		if (is_negated(ins_src(i, k), ins_src_type(i, k)))
			m->x.neg |= bit[k];
}

static void part_rows(Lower *w, LowerFn *l, MIns *m, const Opd *o, int n, Type t)
{
	uint32_t *rows = arena_array(&w->code->arena, uint32_t, n);
	for (int k = 0; k < n; k++) {
		rows[k] = operand_row(w, l, &o[k], t);
		if (o[k].kind == OPD_REG ? reg_wide(l, o[k].id) : type_bits[t] == 64)
			m->wide_rows |= (uint8_t)(1 << k);
	}
	m->x.rows = rows;
	m->x.nrows = n;
}

static void lower_alu(Lower *w, LowerFn *l, MIns *m, const Ins *i)
{
	if (!lane_bind(l->f, i, &m->x)) {
		diag_error(w->diag, ins_loc(w->m, i), "operation %s.%s has no meaning", op_info[i->op].name, type_name[i->type]);
		return;
	}
	if (i->op == OP_PACK) {
		m->x.d = operand_row(w, l, ins_dst(i, 0), i->type);
		Type part = type_bits[i->type] / i->nsrc == 32 ? T_B32 : type_bits[i->type] / i->nsrc == 16 ? T_B16 : T_B8;
		part_rows(w, l, m, ins_src(i, 0), i->nsrc, part);
		return;
	}
	if (i->op == OP_UNPACK) {
		m->x.a = operand_row(w, l, ins_src(i, 0), i->type);
		part_rows(w, l, m, i->opd, i->ndst, T_B32);
		return;
	}
	uint32_t *src[] = { &m->x.a, &m->x.b, &m->x.c, &m->x.e };
	if (i->ndst > 0)
		m->x.d = operand_row(w, l, ins_dst(i, 0), ins_dst_type(i, 0));
	if (i->ndst > 1)
		m->x.d2 = operand_row(w, l, ins_dst(i, 1), ins_dst_type(i, 1));
	for (int k = 0; k < i->nsrc && k < 4; k++) {
		const Opd *o = ins_src(i, k);
		if (ins_src_type(i, k) != T_PRED || o->kind != OPD_IMM)
			*src[k] = operand_row(w, l, o, ins_src_type(i, k));
		else if (!o->imm) /* an absent predicate is true */
			m->x.neg ^= (uint8_t)(NEG_A << k);
	}
}

static bool is_special_mov(const Ins *i, const Module *m)
{
	const Opd *o = ins_src(i, 0);
	return i->op == OP_MOV && (o->kind == OPD_SREG || o->kind == OPD_PARAM ||
		(o->kind == OPD_SYM && m->symbol.v[o->id]->space == SP_LOCAL));
}

static void lower_special_mov(Lower *w, LowerFn *l, MIns *m, const Ins *i)
{
	const Opd *o = ins_src(i, 0);
	m->kind = KM_SREG;
	m->type = i->type;
	m->x.d = operand_row(w, l, ins_dst(i, 0), i->type);
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

static void lower_address(Lower *w, LowerFn *l, MIns *m, const Opd *o)
{
	m->offset = o->imm;
	switch (o->kind) {
	case OPD_REG:
		m->x.a = reg_row(l, o->id);
		if (reg_wide(l, o->id))
			m->flags |= MI_ADDR64;
		break;
	case OPD_SYM: {
		const Symbol *s = w->m->symbol.v[o->id];
		m->offset += s->space == SP_SHARED ? w->shared_offset[o->id]
			: s->space == SP_LOCAL ? w->local_offset[l->f->id][o->id] : (int64_t)w->symbol_address[o->id];
		if (m->space == SP_GENERIC)
			m->space = s->space;
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
	lower_address(w, l, m, ins_src(i, 0));
	if (m->kind == K_LD) {
		part_rows(w, l, m, i->opd, i->ndst, i->type);
	} else if (m->kind == K_ST) {
		part_rows(w, l, m, ins_src(i, 1), i->nsrc - 1, i->type);
	} else {
		if (i->ndst)
			m->x.d = operand_row(w, l, ins_dst(i, 0), i->type);
		m->x.b = operand_row(w, l, ins_src(i, 1), i->type);
		if (i->nsrc > 2)
			m->x.c = operand_row(w, l, ins_src(i, 2), i->type);
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
		m->x.d = operand_row(w, l, ins_dst(i, 0), ins_dst_type(i, 0));
	if (i->ndst > 1)
		m->x.d2 = operand_row(w, l, ins_dst(i, 1), ins_dst_type(i, 1));
	for (int k = 0; k < i->nsrc && k < 4; k++) {
		Type t = ins_src_type(i, k);
		*src[k] = operand_row(w, l, ins_src(i, k), t);
		if (t == T_PRED && ins_src(i, k)->kind == OPD_IMM) /* constant predicate */
			*src[k] = NO_ROW;
	}
	set_neg(m, i);
}

static void fix_block(Lower *w, LowerFn *l, int field, int k, const Block *to)
{
	vec_push(&w->fix, ((Fix){ .ins = w->out.n - 1, .l = l, .to = to, .kind = field, .table_index = k }));
}

static void lower_branch(Lower *w, LowerFn *l, MIns *m, const Ins *i, const Block *b)
{
	m->flags |= MI_COND;
	m->x.a = operand_row(w, l, ins_src(i, 0), m->kind == K_BRA ? T_PRED : T_B32);
	m->x.neg = is_negated(ins_src(i, 0), m->kind == K_BRA ? T_PRED : T_B32) ? NEG_A : 0;
	m->branch = w->code->nbranch++;
	if (m->kind == K_BRA) {
		fix_block(w, l, 0, 0, b->succ[0]);
		fix_block(w, l, 1, 0, b->succ[1]);
	} else {
		uint32_t *table = arena_array(&w->code->arena, uint32_t, b->nsucc);
		m->table = table;
		m->ntable = b->nsucc;
		for (int k = 0; k < b->nsucc; k++)
			fix_block(w, l, 3, k, b->succ[k]);
	}
	if (l->rpc_block[b->id] >= 0)
		fix_block(w, l, 2, 0, l->f->block.v[l->rpc_block[b->id]]);
}

static void emit_ins(Lower *w, LowerFn *l, const Ins *i, const Block *b);

/* A move between windows, as overhead. */
static void emit_move(Lower *w, LowerFn *dl, int d, LowerFn *sl, const Opd *s, const Block *b)
{
	Type rt = (Type)dl->f->reg.v[d].type;
	Type t = rt == T_PRED ? T_PRED : type_bits[rt] == 64 ? T_B64 : T_B32;
	Ins mov = lower_ins(sl, OP_MOV, t, 1, 1);
	mov.opd[0] = opd_reg(0);
	mov.opd[1] = *s;
	MIns *m = emit(w, sl, NULL, b);
	m->op = OP_MOV;
	m->kind = K_ALU;
	m->unit = UNIT_ALU;
	m->x.fn = lane_fn(&mov);
	m->x.d = reg_row(dl, d);
	m->x.a = s->kind == OPD_REG ? reg_row(sl, s->id) : operand_row(w, sl, s, t);
	if (s->neg)
		m->x.neg = NEG_A;
	if (s->kind == OPD_REG)
		reads(w, sl, s->id);
	reads(w, dl, d);
	name(w, reg_name(dl, d));
	w->nwr++;
	if (reg_wide(dl, d)) {
		name(w, reg_name(dl, d) + 1);
		w->nwr++;
	}
	finish(w, m);
}

/* Through the caller's frame: in a recursive cycle the two windows may be one. */
static void emit_slot(Lower *w, LowerFn *l, LowerFn *rl, const Opd *value, Type t, int64_t offset, bool store, const Block *b)
{
	Ins acc = lower_ins(l, store ? OP_ST : OP_LD, t, 0, 0);
	MIns *m = emit(w, l, NULL, b);
	m->op = acc.op;
	m->kind = store ? K_ST : K_LD;
	m->unit = UNIT_MEM;
	m->space = SP_LOCAL;
	m->type = t;
	m->bytes = (uint8_t)type_bytes(t);
	m->vec = 1;
	m->offset = offset;
	part_rows(w, rl, m, value, 1, t);
	if (value->kind == OPD_REG) {
		reads(w, rl, value->id);
		if (!store) {
			name(w, reg_name(rl, value->id));
			w->nwr++;
			if (reg_wide(rl, value->id)) {
				name(w, reg_name(rl, value->id) + 1);
				w->nwr++;
			}
		}
	}
	finish(w, m);
}

static Type move_type(const Function *f, int reg)
{
	return type_bits[f->reg.v[reg].type] == 64 ? T_B64 : T_B32;
}

static LowerFn *callee_of(Lower *w, const Ins *i)
{
	const Opd *o = ins_src(i, 0);
	return o->kind == OPD_FUNC ? w->of[o->id] : NULL;
}

/* Where the arguments and results of a call through memory lie, from the start of the caller's frame. */
static int64_t call_slots(Lower *w, LowerFn *l, int nargs, int nresults)
{
	return (int64_t)w->code->frame_of[l->f->id] - 8 * (int64_t)(nargs + nresults);
}

static uint32_t signature(int nargs, int nresults) { return (uint32_t)(nargs << 16 | nresults); }

/* The callee is not known here, nor where its arguments belong: they go through the caller's frame, and the callee is
   entered by a stub that takes them from there. */
static void emit_indirect(Lower *w, LowerFn *l, const Ins *i, const Block *b)
{
	int nargs = i->nsrc - 1;
	int64_t slot = call_slots(w, l, nargs, i->ndst);
	for (int k = 0; k < nargs; k++) {
		const Opd *o = ins_src(i, k + 1);
		Type t = o->kind == OPD_REG ? move_type(l->f, o->id) : T_B64;
		emit_slot(w, l, l, o, t, slot + 8 * k, true, b);
	}
	MIns *m = emit(w, l, i, b);
	m->op = OP_CALL;
	m->kind = K_CALL;
	m->unit = UNIT_CTL;
	m->frame = w->code->frame_of[l->f->id];
	m->x.a = reg_row(l, ins_src(i, 0)->id);
	m->flags |= reg_wide(l, ins_src(i, 0)->id) ? MI_ADDR64 : 0;
	m->ntable = (int)signature(nargs, i->ndst);
	reads(w, l, ins_src(i, 0)->id);
	finish(w, m);
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG)
			emit_slot(w, l, l, ins_dst(i, k), move_type(l->f, ins_dst(i, k)->id), slot + 8 * k, false, b);
}

/* How a function is entered by indirect calls. The caller's frame ends where this one begins. */
static void emit_stub(Lower *w, LowerFn *l)
{
	Function *f = l->f;
	const Block *b = f->block.v[0];
	int64_t slot = -8 * (int64_t)(f->arg.n + f->ret.n);
	w->code->stub[f->id] = (uint32_t)w->out.n;
	w->code->stub_signature[f->id] = signature(f->arg.n, f->ret.n);
	for (int k = 0; k < f->arg.n; k++) {
		Opd r = opd_reg(f->arg.v[k]);
		emit_slot(w, l, l, &r, move_type(f, r.id), slot + 8 * k, false, b);
	}
	MIns *m = emit(w, l, NULL, b);
	m->op = OP_CALL;
	m->kind = K_CALL;
	m->unit = UNIT_CTL;
	vec_push(&w->fix, ((Fix){ .ins = w->out.n - 1, .func = f->id, .kind = 4 }));
	finish(w, m);
	for (int k = 0; k < f->ret.n; k++) {
		Opd r = opd_reg(f->ret.v[k]);
		emit_slot(w, l, l, &r, move_type(f, r.id), slot + 8 * k, true, b);
	}
	m = emit(w, l, NULL, b);
	m->op = OP_RET;
	m->kind = K_RET;
	m->unit = UNIT_CTL;
	finish(w, m);
}

static void emit_call(Lower *w, LowerFn *l, const Ins *i, const Block *b)
{
	LowerFn *to = callee_of(w, i);
	if (!to) {
		emit_indirect(w, l, i, b);
		return;
	}
	bool through = to->scc == l->scc && l->recursive;
	int64_t slot = call_slots(w, l, i->nsrc - 1, i->ndst);
	for (int k = 1; k < i->nsrc; k++) {
		int arg = to->f->arg.v[k - 1];
		if (!through)
			emit_move(w, to, arg, l, ins_src(i, k), b);
		else
			emit_slot(w, l, l, ins_src(i, k), move_type(to->f, arg), slot + 8 * (k - 1), true, b);
	}
	for (int k = 1; through && k < i->nsrc; k++) {
		Opd r = opd_reg(to->f->arg.v[k - 1]);
		emit_slot(w, l, to, &r, move_type(to->f, r.id), slot + 8 * (k - 1), false, b);
	}
	MIns *m = emit(w, l, i, b);
	m->op = OP_CALL;
	m->kind = K_CALL;
	m->unit = UNIT_CTL;
	m->frame = w->code->frame_of[l->f->id];
	vec_push(&w->fix, ((Fix){ .ins = w->out.n - 1, .func = to->f->id, .kind = 4 }));
	if (i->guard >= 0) {
		m->guard = (int32_t)reg_row(l, i->guard);
		m->flags |= i->guard_neg ? MI_GUARD_NEG : 0;
		reads(w, l, i->guard);
	}
	int32_t m_guard = m->guard;
	uint8_t m_neg = m->flags & MI_GUARD_NEG;
	finish(w, m);
	for (int k = 0; through && k < i->ndst; k++) {
		Opd r = opd_reg(to->f->ret.v[k]);
		emit_slot(w, l, to, &r, move_type(to->f, r.id), slot + 8 * k, true, b);
	}
	for (int k = 0; k < i->ndst; k++) {
		const Opd *d = ins_dst(i, k);
		if (d->kind != OPD_REG)
			continue;
		Opd r = opd_reg(to->f->ret.v[k]);
		if (!through)
			emit_move(w, l, d->id, to, &r, b);
		else
			emit_slot(w, l, l, d, move_type(l->f, d->id), slot + 8 * k, false, b);
		MIns *last = &vec_last(&w->out);
		last->guard = m_guard;
		last->flags |= m_neg;
	}
}

static void emit_plain(Lower *w, LowerFn *l, const Ins *i, const Block *b)
{
	const OpInfo *info = &op_info[i->op];
	MIns *m = emit(w, l, i, b);
	m->op = i->op;
	m->kind = info->kind;
	m->unit = (uint8_t)ins_unit(i);
	if (i->guard >= 0) {
		m->guard = (int32_t)reg_row(l, i->guard);
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
			fix_block(w, l, 0, 0, b->succ[0]);
		}
		break;
	case K_RECONV:
		if (i->nsrc && ins_src(i, 0)->kind == OPD_BLOCK)
			fix_block(w, l, 0, 0, l->f->block.v[ins_src(i, 0)->id]);
		else if (i->nsrc)
			m->x.a = reg_row(l, ins_src(i, 0)->id), m->x.neg = ins_src(i, 0)->neg ? NEG_A : 0;
		break;
	default:
		lower_warp(w, l, m, i);
		break;
	}
	m = &vec_last(&w->out);
	scoreboard(w, l, i);
	finish(w, m);
}

static void emit_ins(Lower *w, LowerFn *l, const Ins *i, const Block *b)
{
	if (i->op == OP_CALL)
		emit_call(w, l, i, b);
	else
		emit_plain(w, l, i, b);
}

/* Behind an operation that takes all lanes to a token nothing is reached. */
static bool all_leave(const Block *b)
{
	const Ins *last = b->ins.n > 1 ? &b->ins.v[b->ins.n - 2] : NULL;
	return last && last->nsrc == 0 && (last->op == OP_SYNC || last->op == OP_BRK || last->op == OP_CONT);
}

/* A jump to the next block in the layout is not needed, unless the block would have no instruction at all. */
static bool jump_vanishes(const Block *b, const Block *next)
{
	const Ins *t = block_term(b);
	return all_leave(b) || (t->op == OP_BRA && !t->nsrc && b->succ[0] == next && b->ins.n > 1);
}

/* Registers read before they are written hold 0; the kernel's are cleared at launch. */
static void zero_undefined(Lower *w, LowerFn *l)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, l->f);
	Liveness *live = liveness_build(&tmp, cfg);
	Block *entry = l->f->block.v[0];
	BitSet set = live->in[entry->id];
	for (int i = 0; i < l->f->arg.n; i++)
		bs_del(set, l->f->arg.v[i]);
	bs_each(set, v) {
		if (l->reg[v] < 0)
			continue;
		Opd zero = opd_imm(0);
		if (reg_pred(l, v)) {
			MIns *m = emit(w, l, NULL, entry);
			m->op = OP_MOV;
			m->kind = KM_SREG;
			m->unit = UNIT_ALU;
			m->sreg = SREG_ZERO_PRED;
			m->x.d = reg_row(l, v);
			reads(w, l, v);
			name(w, reg_name(l, v));
			w->nwr++;
			finish(w, m);
		} else {
			emit_move(w, l, v, l, &zero, entry);
		}
	}
	arena_free(&tmp);
}

/* For livelock detection: what lives at the end of each block, by scoreboard name. */
static int live_behind(Lower *w, LowerFn *l, const Liveness *live, const Block *b)
{
	uint16_t *names = arena_array(&w->code->arena, uint16_t, bs_count(live->out[b->id]) * 2 + 1);
	int n = 0;
	bs_each(live->out[b->id], v) {
		if (l->reg[v] < 0)
			continue;
		names[n++] = (uint16_t)reg_name(l, v);
		if (!reg_pred(l, v) && reg_wide(l, v))
			names[n++] = (uint16_t)(reg_name(l, v) + 1);
	}
	vec_push(&w->live, ((LiveList){ names, n }));
	return w->live.n - 1;
}

static void emit_function(Lower *w, LowerFn *l)
{
	Cfg *cfg = cfg_build(&w->arena, l->f);
	Liveness *live = liveness_build(&w->arena, cfg);
	w->code->entry[l->f->id] = (uint32_t)w->out.n;
	l->block_pc = arena_array(&w->arena, uint32_t, l->f->block.n);
	if (l->f->kind == FN_DEVICE)
		zero_undefined(w, l);
	for (int k = 0; k < l->nlayout; k++) {
		const Block *b = l->layout[k];
		int start = w->out.n;
		l->block_pc[b->id] = (uint32_t)start;
		int n = b->ins.n - jump_vanishes(b, k + 1 < l->nlayout ? l->layout[k + 1] : NULL);
		for (int i = 0; i < n; i++)
			emit_ins(w, l, &b->ins.v[i], b);
		if (w->out.n > start && (vec_last(&w->out).kind == K_BRA || vec_last(&w->out).kind == K_BRX))
			vec_last(&w->out).live = live_behind(w, l, live, b);
		if (w->out.n == start)
			continue;
		if (l->reach[b->id])
			w->out.v[start].flags |= MI_REACH;
		if (b->origin != ORIGIN_LOWER) {
			w->out.v[start].flags |= MI_BLOCK_START;
			w->out.v[start].block = w->code->nblock++;
		}
	}
}

static void apply_fixes(Lower *w)
{
	for (int i = 0; i < w->fix.n; i++) {
		Fix *x = &w->fix.v[i];
		MIns *m = &w->out.v[x->ins];
		uint32_t pc = x->kind == 4 ? w->code->entry[x->func] : x->l->block_pc[x->to->id];
		switch (x->kind) {
		case 0: case 4: m->target = pc; break;
		case 1: m->fall = pc; break;
		case 2: m->rpc = pc; break;
		case 3: ((uint32_t *)(uintptr_t)m->table)[x->table_index] = pc; break;
		}
	}
}

/* Names: registers, predicates behind them, the carry last. */
static void rename_scoreboard(Code *c)
{
	for (int i = 0; i < c->n; i++) {
		uint16_t *sb = (uint16_t *)(uintptr_t)c->ins[i].sb;
		for (int k = 0; k < c->ins[i].nchk + c->ins[i].nwr; k++) {
			int n = (int16_t)sb[k];
			if (n == -32000)
				sb[k] = (uint16_t)(c->regs + c->preds);
			else if (n < 0)
				sb[k] = (uint16_t)(c->regs - 1 - n);
		}
	}
}

static void build_live(Lower *w)
{
	Code *c = w->code;
	c->live = arena_array(&c->arena, const uint16_t *, w->live.n + 1);
	c->nlive = arena_array(&c->arena, int, w->live.n + 1);
	for (int i = 0; i < w->live.n; i++) {
		LiveList *x = &w->live.v[i];
		for (int k = 0; k < x->n; k++)
			if ((int16_t)x->names[k] < 0)
				x->names[k] = (uint16_t)(c->regs - 1 - (int16_t)x->names[k]);
		c->live[i] = x->names;
		c->nlive[i] = x->n;
	}
}

static void build_constants(Lower *w)
{
	Code *c = w->code;
	int W = (int)w->config->warp_size;
	c->constants = arena_alloc(&c->arena, sizeof(uint32_t) * ((size_t)w->rows + 2) * (size_t)W + 64);
	for (int i = 0; i < w->constant.n; i++) {
		uint32_t *row = c->constants + (size_t)w->constant_row.v[i] * (size_t)W;
		for (int lane = 0; lane < W; lane++) {
			if (w->constant_wide.v[i])
				((uint64_t *)(void *)row)[lane] = w->constant.v[i];
			else
				row[lane] = (uint32_t)w->constant.v[i];
		}
	}
}

static void build_tables(Lower *w)
{
	Code *c = w->code;
	c->n = w->out.n;
	c->ins = arena_array(&c->arena, MIns, c->n + 1);
	if (c->n)
		memcpy(c->ins, w->out.v, sizeof *c->ins * (size_t)c->n);
	c->block = arena_array(&c->arena, CodeBlock, c->nblock + 1);
	c->branch_ins = arena_array(&c->arena, int, c->nbranch + 1);
	for (int i = 0; i < c->n; i++) {
		MIns *m = &c->ins[i];
		m->line = (uint32_t)((uint64_t)i * (uint64_t)w->config->fetch_ins_bytes / (uint64_t)w->config->fetch_line);
		if (m->flags & MI_BLOCK_START)
			c->block[m->block] = (CodeBlock){ m->function, m->from, (uint32_t)i };
		if (m->branch >= 0)
			c->branch_ins[m->branch] = i;
		c->user_instructions += !(m->flags & MI_OVERHEAD);
	}
	rename_scoreboard(c);
	build_live(w);
	build_constants(w);
}

/* Room for the arguments and results of calls through memory, at the end of the frame. */
static uint32_t call_area(Lower *w, LowerFn *l)
{
	uint32_t most = 0;
	for (int b = 0; b < l->f->block.n; b++)
		for (int k = 0; k < l->f->block.v[b]->ins.n; k++) {
			const Ins *i = &l->f->block.v[b]->ins.v[k];
			LowerFn *to = i->op == OP_CALL ? callee_of(w, i) : NULL;
			bool memory = i->op == OP_CALL && (!to || (to->scc == l->scc && l->recursive));
			if (memory && 8u * (uint32_t)(i->nsrc + i->ndst) > most)
				most = 8u * (uint32_t)(i->nsrc + i->ndst);
		}
	return (most + 15) / 16 * 16;
}

static bool prepare(Lower *w, LowerFn *l)
{
	Function *f = l->f;
	function_number(f);
	lower_calls(l, w->of);
	int room = f->block.n * 16 + 64; /* with what the mechanism adds */
	l->rpc_block = arena_array(&w->arena, int, room);
	l->reach = arena_array(&w->arena, bool, room);
	for (int i = 0; i < room; i++)
		l->rpc_block[i] = -1;
	if (!w->model->lower(l, w->diag))
		return false;
	must(f->block.n <= room);
	function_number(f);
	Cfg *cfg = cfg_build(&w->arena, f);
	l->layout = arena_array(&w->arena, Block *, f->block.n);
	for (int k = 0; k < (l->priority_layout ? cfg->nreach : f->block.n); k++) {
		Block *b = l->priority_layout ? cfg->rpo[k] : f->block.v[k];
		if (cfg->rpo_index[b->id] >= 0)
			l->layout[l->nlayout++] = b;
	}
	return regalloc(l, (int)w->config->sm_max_regs, w->diag);
}

static void run(Lower *w, const Function *kernel)
{
	collect(w, w->m->func.v[kernel->id]);
	collect_indirect(w);
	find_recursion(w);
	if (w->diag->errors)
		return;
	for (int i = 0; i < w->order.n; i++)
		if (!prepare(w, w->order.v[i]))
			return;
	Code *c = w->code;
	w->shared_offset = arena_array(&w->arena, int64_t, w->m->symbol.n + 1);
	w->local_offset = arena_array(&w->arena, int64_t *, w->m->func.n);
	c->shared_static = layout_shared(w->m, c->kernel, w->shared_offset);
	for (int i = 0; i < w->order.n; i++) {
		LowerFn *l = w->order.v[i];
		int id = l->f->id;
		w->local_offset[id] = arena_array(&w->arena, int64_t, w->m->symbol.n + 1);
		c->frame_of[id] = layout_local(w->m, l->f, w->local_offset[id]) + call_area(w, l);
	}
	find_recursion(w); /* again: now the sizes of the windows are known */
	int wide = 0;
	for (int i = 0; i < w->order.n; i++) {
		LowerFn *l = w->order.v[i];
		above(&c->narrow, l->reg_base + l->nreg);
		above(&wide, l->wide_base + l->nwide);
		above(&c->preds, l->pred_base + l->npred);
	}
	c->narrow = (c->narrow + 1) / 2 * 2;
	c->regs = c->narrow + wide;
	w->names = arena_array(&w->arena, uint16_t, 4096);
	for (int i = 0; i < w->order.n && !w->diag->errors; i++)
		emit_function(w, w->order.v[i]);
	for (int i = 0; i < w->order.n && w->indirect && !w->diag->errors; i++)
		if (w->order.v[i]->f->kind == FN_DEVICE)
			emit_stub(w, w->order.v[i]);
	if (w->diag->errors)
		return;
	apply_fixes(w);
	build_tables(w);
	c->frame = c->frame_of[c->kernel->id];
}

Code *code_lower(const Module *module, const Function *kernel, const Config *config, const ReconvModel *model,
	const uint64_t *symbol_address, Diag *diag)
{
	Code *c = xcalloc(1, sizeof *c);
	c->module = module_copy(module);
	c->kernel = c->module->func.v[kernel->id];
	int errors = diag->errors;
	Lower w = { .code = c, .m = c->module, .config = config, .model = model, .symbol_address = symbol_address,
		.diag = diag };
	w.of = arena_array(&w.arena, LowerFn *, w.m->func.n);
	c->entry = arena_array(&c->arena, uint32_t, w.m->func.n);
	c->frame_of = arena_array(&c->arena, uint32_t, w.m->func.n);
	c->stub = arena_array(&c->arena, uint32_t, w.m->func.n);
	c->stub_signature = arena_array(&c->arena, uint32_t, w.m->func.n);
	for (int i = 0; i < w.m->func.n; i++)
		c->entry[i] = c->stub[i] = NO_PC;
	run(&w, kernel);
	vec_free(&w.order);
	vec_free(&w.out);
	vec_free(&w.fix);
	vec_free(&w.live);
	vec_free(&w.constant);
	vec_free(&w.constant_row);
	vec_free(&w.constant_wide);
	arena_free(&w.arena);
	if (diag->errors > errors) {
		code_free(c);
		return NULL;
	}
	return c;
}

void code_free(Code *c)
{
	if (!c)
		return;
	module_free(c->module);
	arena_free(&c->arena);
	free(c);
}
