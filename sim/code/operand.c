/* Operands: in which rows values lie, and by which names the scoreboard knows them. Also makes and finishes
   machine instructions. */
#include "sim/code/lower.h"
#include "isa/memory.h"

bool lower_is_pred(const LowerFn *l, int id) { return l->f->reg.v[id].type == T_PRED; }
bool lower_is_wide(const LowerFn *l, int id) { return type_bits[l->f->reg.v[id].type] == 64; }

/* ---- rows ---- */

static void mark_rows(const LowerFn *l, uint16_t *const used[2])
{
	for (int v = 0; v < l->f->reg.n; v++)
		if (l->reg[v] >= 0 && !lower_is_pred(l, v))
			used[lower_is_wide(l, v)][l->reg_base + l->reg[v]] = 1;
}

void lower_rows(Lower *w)
{
	Code *c = w->code;
	for (int i = 0; i < w->order.n; i++) {
		raise_to(&c->uniform_regs, w->order.v[i]->nureg);
		raise_to(&c->regs, w->order.v[i]->reg_base + w->order.v[i]->nreg);
		raise_to(&c->preds, w->order.v[i]->pred_base + w->order.v[i]->npred);
	}
	int regs = c->regs + c->uniform_regs;
	uint16_t *row[2], *name = arena_array(&c->arena, uint16_t, 2 * regs + c->preds + 4);
	c->row[0] = row[0] = arena_array(&c->arena, uint16_t, regs + 1);
	c->row[1] = row[1] = arena_array(&c->arena, uint16_t, regs + 1);
	for (int i = 0; i < w->order.n; i++)
		mark_rows(w->order.v[i], row);
	for (int wide = 0; wide < 2; wide++) {
		for (int r = 0; r < regs; r++)
			if (row[wide][r]) {
				row[wide][r] = (uint16_t)c->rows;
				for (int k = 0; k <= wide; k++)
					name[c->rows++] = (uint16_t)(r + k);
			}
		if (!wide)
			/* pairs begin at an even row; a row that is left over before them is not used */
			c->narrow = c->rows += c->rows & 1;
	}
	for (int p = 0; p < c->preds; p++)
		name[c->rows + p] = (uint16_t)(regs + p);
	c->name = name;
}

/* The number of a virtual register's first 32-bit register. */
static int unit(const LowerFn *l, int id) { return l->reg_base + l->reg[id]; }

uint32_t lower_row(const LowerFn *l, int id)
{
	if (lower_is_pred(l, id))
		return (uint32_t)(l->pred_base + l->reg[id]);
	return (uint32_t)l->code->row[lower_is_wide(l, id)][unit(l, id)] * (uint32_t)l->config->warp_size;
}

int lower_place(const LowerFn *l, int id)
{
	return lower_is_pred(l, id) ? -1 - (l->pred_base + l->reg[id])
		: l->code->row[lower_is_wide(l, id)][unit(l, id)];
}

/* ---- names ---- */

static bool is_predicate_name(int n) { return n < 0 && n != NAME_CARRY; }
static void put_reg_name(Lower *w, int k, int n) { w->names[w->nchk + k] = (uint16_t)n; }

/* Scoreboard name of a register; predicates follow the registers, then the carry. */
int lower_name(const LowerFn *l, int id)
{
	return lower_is_pred(l, id) ? -1 - (l->pred_base + l->reg[id]) : unit(l, id);
}

/* Notes the name of a register, or both names of a 64-bit pair; returns how many. */
static int put_reg_names(Lower *w, const LowerFn *l, int id)
{
	int n = 0;
	for (; n <= lower_is_wide(l, id); n++)
		put_reg_name(w, n, lower_name(l, id) + n);
	return n;
}

void lower_reads(Lower *w, const LowerFn *l, int id) { w->nchk += put_reg_names(w, l, id); }

/* Notes a register that is written, after all that are read. A register that is written must be ready, too,
   since writes come in order. */
void lower_writes(Lower *w, const LowerFn *l, int id)
{
	int n = put_reg_names(w, l, id);
	w->nchk += n;
	w->nwr += n;
}

uint32_t lower_operand(Lower *w, LowerFn *l, const Opd *o, Type t)
{
	bool wide = type_bits[t] == 64;
	switch (o->kind) {
	case OPD_REG:
		return lower_row(l, o->id);
	case OPD_IMM:
		if (t == T_PRED)
			return NO_ROW; /* no row reads as true; for false LaneIns.neg is set */
		return bank_const(&w->constants, (uint64_t)o->imm, wide);
	case OPD_FUNC:
		return bank_const(&w->constants, FUNCTION_ADDRESS(o->id), wide);
	case OPD_SYM: {
		const Symbol *s = w->m->symbol.v[o->id];
		uint64_t at = s->space == SP_SHARED ? (uint64_t)w->shared_offset[o->id]
			: s->space == SP_LOCAL ? (uint64_t)w->local_offset[l->f->id][o->id]
			: w->symbol_address[o->id];
		return bank_const(&w->constants, at + (uint64_t)o->imm, wide);
	}
	default:
		return NO_ROW;
	}
}

MIns *lower_new(Lower *w, LowerFn *l, const Ins *src, const Block *from)
{
	MIns i = { .guard = -1, .block = -1, .branch = -1, .mark = -1, .live = -1, .target = NO_PC,
		.fall = NO_PC, .rpc = NO_PC };
	i.x = (LaneIns){ .d = NO_ROW, .d2 = NO_ROW, .a = NO_ROW, .b = NO_ROW, .c = NO_ROW, .e = NO_ROW };
	i.src = src;
	i.function = l->f;
	i.from = from;
	i.flags = !src || src->origin == ORIGIN_LOWER ? MI_OVERHEAD : src->origin ? MI_INSERTED : 0;
	vec_push(&w->out, i);
	w->nchk = w->nwr = 0;
	return &vec_last(&w->out);
}

/* Does the instruction take its operands when it leaves a queue, and not a fixed time after its issue? So do
   accesses to memory, approximations of functions, conversions, branches and warp operations. */
static bool is_decoupled(const MIns *i)
{
	switch (i->unit) {
	case UNIT_SHFL: case UNIT_VOTE: case UNIT_MATCH: case UNIT_REDUX: case UNIT_COUNT_BITS:
	case UNIT_REVERSE:
		return true;
	default:
		return unit_parent[i->unit] == UNIT_MEM || unit_parent[i->unit] == UNIT_SFU ||
			unit_parent[i->unit] == UNIT_CVT || unit_parent[i->unit] == UNIT_CTL;
	}
}

/* In which way (READ_...) the instruction needs its k-th name. The guard comes first. */
static uint8_t needed_by(const MIns *i, int k, bool predicate)
{
	if (k >= i->nchk - i->nwr)
		return (uint8_t)(READ_OVERWRITTEN + i->unit);
	if (i->unit == UNIT_UNIFORM)
		return READ_UNIFORM;
	if (predicate && (is_decoupled(i) || (!k && i->guard >= 0)))
		return READ_GUARD;
	if (is_decoupled(i))
		return READ_DECOUPLED;
	return unit_parent[i->unit] == UNIT_FP32 || unit_parent[i->unit] == UNIT_IMUL ? READ_FMA : READ_ALU;
}

void lower_finish(Lower *w, MIns *i)
{
	Needed *sb = arena_array(&w->code->arena, Needed, w->nchk + 1);
	i->nchk = (uint8_t)w->nchk;
	i->nwr = (uint8_t)w->nwr;
	i->writer = i->unit;
	for (int k = 0; k < w->nchk; k++) {
		bool predicate = is_predicate_name((int16_t)w->names[k]);
		sb[k] = (Needed){ w->names[k], needed_by(i, k, predicate) };
		if (predicate && k >= w->nchk - w->nwr)
			i->writer = (uint8_t)(WRITER_OF_PREDICATES + i->unit);
	}
	i->sb = sb;
}

void lower_scoreboard(Lower *w, LowerFn *l, const Ins *i)
{
	w->nchk = w->nwr = 0;
	if (i->guard >= 0)
		lower_reads(w, l, i->guard);
	/* a return reads no results: they stay in their registers, and the move behind the call waits for
	   them */
	for (int o = i->ndst; o < i->ndst + i->nsrc && i->op != OP_RET; o++)
		if (i->opd[o].kind == OPD_REG)
			lower_reads(w, l, i->opd[o].id);
	if (op_info[i->op].flags & OPF_CARRY) {
		put_reg_name(w, 0, NAME_CARRY);
		w->nchk++;
	}
	for (int o = 0; o < i->ndst; o++)
		if (i->opd[o].kind == OPD_REG)
			lower_writes(w, l, i->opd[o].id);
	if (i->cc) {
		put_reg_name(w, 0, NAME_CARRY);
		w->nchk++;
		w->nwr++;
	}
}

bool lower_negated(const Opd *o, Type t) { return o->neg != (t == T_PRED && o->kind == OPD_IMM && !o->imm); }

void lower_negations(MIns *m, const Ins *i)
{
	static const uint8_t bit[3] = { NEG_A, NEG_B, NEG_C };
	for (int k = 0; k < i->nsrc && k < 3; k++)
		if (lower_negated(ins_src(i, k), ins_src_type(i, k)))
			m->x.neg |= bit[k];
}

void lower_parts(Lower *w, LowerFn *l, MIns *m, const Opd *o, int n, Type t)
{
	uint32_t *rows = arena_array(&w->code->arena, uint32_t, n);
	for (int k = 0; k < n; k++) {
		rows[k] = lower_operand(w, l, &o[k], t);
		if (o[k].kind == OPD_REG ? lower_is_wide(l, o[k].id) : type_bits[t] == 64)
			m->wide_rows |= (uint8_t)(1 << k);
	}
	m->x.rows = rows;
	m->x.nrows = n;
}
