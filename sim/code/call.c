/* Calls: arguments and results move between the two functions' registers, or through the caller's frame where
 * the callee's registers begin below those in which the caller holds values, or the callee is not known
 * (indirect calls). save.c saves registers. */
#include "sim/code/lower.h"

/* Emits a move from a register or constant of function sl to a register of function dl. The move counts as
   overhead. */
void lower_move(Lower *w, LowerFn *dl, int d, LowerFn *sl, const Opd *s, const Block *b)
{
	/* no predicate comes here: save.c has put words in their place */
	Type t = lower_is_wide(dl, d) ? T_B64 : T_B32;
	Ins mov = edit_new(&sl->edit, NULL, OP_MOV, t, 1, 1);
	mov.opd[0] = opd_reg(0);
	mov.opd[1] = *s;
	MIns *m = lower_new(w, sl, NULL, b);
	m->op = OP_MOV;
	m->kind = K_ALU;
	m->unit = UNIT_ALU;
	m->x.fn = lane_fn(&mov);
	m->x.d = lower_row(dl, d);
	m->x.a = s->kind == OPD_REG ? lower_row(sl, s->id) : lower_operand(w, sl, s, t);
	if (s->kind == OPD_REG)
		lower_reads(w, sl, s->id);
	lower_writes(w, dl, d);
	lower_finish(w, m);
}

/* Emits a store of a value of function rl to a place in the frame, or a load of a register of rl from there.
   The instruction belongs to function l. offset: bytes from the start of the frame. */
static void emit_slot(Lower *w, LowerFn *l, LowerFn *rl, const Opd *value, Type t, int64_t offset, bool store,
	const Block *b)
{
	MIns *m = lower_new(w, l, NULL, b);
	m->op = store ? OP_ST : OP_LD;
	m->kind = store ? K_ST : K_LD;
	m->unit = UNIT_MEM;
	m->space = SP_LOCAL;
	m->type = t;
	m->bytes = (uint8_t)type_bytes(t);
	m->vec = 1;
	m->offset = offset;
	lower_parts(w, rl, m, value, 1, t);
	if (value->kind == OPD_REG)
		(store ? lower_reads : lower_writes)(w, rl, value->id);
	lower_finish(w, m);
}

static Type move_type(const Function *f, int reg)
{
	return type_bits[f->reg.v[reg].type] == 64 ? T_B64 : T_B32;
}

LowerFn *lower_callee(Lower *w, const Ins *i)
{
	const Opd *o = ins_src(i, 0);
	return o->kind == OPD_FUNC ? w->of[o->id] : NULL;
}

/* At the end of a caller's frame lie the values that it saves, then arguments, then results. */

static uint32_t passed_bytes(const CallSite *s, const Ins *i)
{
	return s->memory ? 8u * (uint32_t)(i->nsrc - 1 + i->ndst) : 0;
}

static uint32_t saved_bytes(const LowerFn *l, const CallSite *s)
{
	uint32_t n = 0;
	for (int k = 0; k < s->nsaved; k++)
		n += lower_is_wide(l, s->saved[k]) ? 8 : 4;
	return (n + 7) / 8 * 8;
}

uint32_t lower_call_area(LowerFn *l)
{
	uint32_t most = 0;
	const CallSite *s = l->call;
	for (int b = 0; b < l->nlayout; b++)
		for (int k = 0; k < l->layout[b]->ins.n; k++) {
			const Ins *i = &l->layout[b]->ins.v[k];
			if (i->op != OP_CALL)
				continue;
			uint32_t bytes = passed_bytes(s, i) + saved_bytes(l, s);
			most = bytes > most ? bytes : most;
			s++;
		}
	return (most + 15) / 16 * 16;
}

/* Offset in bytes, from the start of the caller's frame, of the arguments of a call through memory. The
   results follow them. */
static int64_t call_slots(Lower *w, const LowerFn *l, const CallSite *s, const Ins *i)
{
	return (int64_t)w->code->frame_of[l->f->id] - passed_bytes(s, i);
}

static void emit_saved(Lower *w, LowerFn *l, const CallSite *s, const Ins *i, bool store, const Block *b)
{
	int64_t at = call_slots(w, l, s, i) - saved_bytes(l, s);
	for (int k = 0; k < s->nsaved; k++) {
		Opd r = opd_reg(s->saved[k]);
		emit_slot(w, l, l, &r, move_type(l->f, r.id), at, store, b);
		at += lower_is_wide(l, r.id) ? 8 : 4;
	}
}

/* An indirect call: neither the callee nor the registers of its arguments are known. Arguments go through the
   caller's frame, and the callee is entered by a stub that takes them from there. */
static void emit_indirect(Lower *w, LowerFn *l, const CallSite *s, const Ins *i, const Block *b)
{
	int nargs = i->nsrc - 1;
	int64_t slot = call_slots(w, l, s, i);
	for (int k = 0; k < nargs; k++) {
		const Opd *o = ins_src(i, k + 1);
		Type t = o->kind == OPD_REG ? move_type(l->f, o->id) : T_B64;
		emit_slot(w, l, l, o, t, slot + 8 * k, true, b);
	}
	MIns *m = lower_new(w, l, i, b);
	m->op = OP_CALL;
	m->kind = K_CALL;
	m->unit = UNIT_CTL;
	m->frame = w->code->frame_of[l->f->id];
	m->x.a = lower_row(l, ins_src(i, 0)->id);
	m->flags |= lower_is_wide(l, ins_src(i, 0)->id) ? MI_ADDR64 : 0;
	lower_reads(w, l, ins_src(i, 0)->id);
	lower_finish(w, m);
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG)
			emit_slot(w, l, l, ins_dst(i, k), move_type(l->f, ins_dst(i, k)->id), slot + 8 * k,
				false, b);
}

/* Emits the stub by which indirect calls enter a function: it loads the arguments, calls the function, and
   stores the results. The caller's frame ends where the stub's begins, so that offsets in it are negative. */
void lower_stub(Lower *w, LowerFn *l)
{
	Function *f = l->f;
	const Block *b = f->block.v[0];
	int64_t slot = -8 * (int64_t)(f->arg.n + f->ret.n);
	w->code->stub[f->id] = (uint32_t)w->out.n;
	for (int k = 0; k < f->arg.n; k++) {
		Opd r = opd_reg(f->arg.v[k]);
		emit_slot(w, l, l, &r, move_type(f, r.id), slot + 8 * k, false, b);
	}
	MIns *m = lower_new(w, l, NULL, b);
	m->op = OP_CALL;
	m->kind = K_CALL;
	m->unit = UNIT_CTL;
	vec_push(&w->fix, ((LowerFix){ .ins = w->out.n - 1, .func = f->id, .kind = FIX_CALLEE }));
	lower_finish(w, m);
	for (int k = 0; k < f->ret.n; k++) {
		Opd r = opd_reg(f->ret.v[k]);
		emit_slot(w, l, l, &r, move_type(f, r.id), slot + 8 * k, true, b);
	}
	m = lower_new(w, l, NULL, b);
	m->op = OP_RET;
	m->kind = K_RET;
	m->unit = UNIT_CTL;
	lower_finish(w, m);
}

static void emit_direct(Lower *w, LowerFn *l, LowerFn *to, const CallSite *s, const Ins *i, const Block *b)
{
	bool through = s->memory;
	int64_t slot = call_slots(w, l, s, i);
	for (int k = 1; k < i->nsrc; k++) {
		int arg = to->f->arg.v[k - 1];
		if (!through)
			lower_move(w, to, arg, l, ins_src(i, k), b);
		else
			emit_slot(w, l, l, ins_src(i, k), move_type(to->f, arg), slot + 8 * (k - 1), true, b);
	}
	for (int k = 1; through && k < i->nsrc; k++) {
		Opd r = opd_reg(to->f->arg.v[k - 1]);
		emit_slot(w, l, to, &r, move_type(to->f, r.id), slot + 8 * (k - 1), false, b);
	}
	MIns *m = lower_new(w, l, i, b);
	m->op = OP_CALL;
	m->kind = K_CALL;
	m->unit = UNIT_CTL;
	m->frame = w->code->frame_of[l->f->id];
	vec_push(&w->fix, ((LowerFix){ .ins = w->out.n - 1, .func = to->f->id, .kind = FIX_CALLEE }));
	if (i->guard >= 0) {
		m->guard = (int32_t)lower_row(l, i->guard);
		m->flags |= i->guard_neg ? MI_GUARD_NEG : 0;
		lower_reads(w, l, i->guard);
	}
	int32_t m_guard = m->guard;
	uint8_t m_neg = m->flags & MI_GUARD_NEG;
	lower_finish(w, m);
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
			lower_move(w, l, d->id, to, &r, b);
		else
			emit_slot(w, l, l, d, move_type(l->f, d->id), slot + 8 * k, false, b);
		MIns *last = &vec_last(&w->out);
		last->guard = m_guard;
		last->flags |= m_neg;
	}
}

void lower_call(Lower *w, LowerFn *l, const Ins *i, const Block *b)
{
	LowerFn *to = lower_callee(w, i);
	const CallSite *s = &l->call[l->next_call++];
	emit_saved(w, l, s, i, true, b);
	if (to)
		emit_direct(w, l, to, s, i, b);
	else
		emit_indirect(w, l, s, i, b);
	emit_saved(w, l, s, i, false, b);
}
