#include "isa/interp.h"

typedef struct Decoding {
	Interp *in;
	InterpCode *code;
	const Function *f;
	int64_t *local_offset;
	Vec(Dynamic) dynamic;      /* what the instruction that is being decoded needs put into rows */
} Decoding;

static uint32_t new_row(InterpCode *c, bool wide)
{
	if (wide)
		c->words = (c->words + 1) & ~1u;
	uint32_t row = c->words;
	c->words += wide ? 2 : 1;
	return row;
}

/* The address that a symbol stands for: an offset in its space, or a generic address. */
static OperandPlace symbol(const Decoding *d, const Opd *o, bool generic)
{
	const Symbol *s = d->in->launch->module->symbol.v[o->id];
	OperandPlace p = { PL_CONST, false, 0, o->imm };
	if (s->space == SP_SHARED)
		p.value += d->in->shared_offset[o->id] + (generic ? (int64_t)SHARED_WINDOW : 0);
	else if (s->space == SP_LOCAL && s->owner < 0)
		p.value += d->local_offset[o->id] + (generic ? (int64_t)LOCAL_WINDOW : 0);
	else if (s->space == SP_LOCAL)
		p = (OperandPlace){ PL_LOCAL, false, 0, d->local_offset[o->id] + o->imm +
			(generic ? (int64_t)LOCAL_WINDOW : 0) };
	else
		p.value += (int64_t)d->in->launch->symbol_address[o->id];
	return p;
}

static OperandPlace decode_place(const Decoding *d, const Opd *o, bool generic)
{
	OperandPlace p;
	switch (o->kind) {
	case OPD_REG:
		p = d->code->reg[o->id];
		p.neg = o->neg;
		p.value = o->imm;
		return p;
	case OPD_IMM: return (OperandPlace){ PL_CONST, false, 0, o->imm };
	case OPD_SREG:
		d->in->clock |= o->id >= SREG_CLOCK && o->id <= SREG_GLOBALTIMER_HI;
		return (OperandPlace){ PL_SREG, false, (uint32_t)o->id, 0 };
	case OPD_SYM: return symbol(d, o, generic);
	case OPD_PARAM:
		return (OperandPlace){ PL_CONST, false, 0, (int64_t)d->in->params +
			d->f->param.v[o->id].offset +
			o->imm };
	case OPD_FUNC: return (OperandPlace){ PL_CONST, false, 0, FUNCTION_ADDRESS(o->id) };
	case OPD_STR: return (OperandPlace){ PL_CONST, false, 0, o->id };
	default: return (OperandPlace){ PL_NONE, false, 0, 0 };
	}
}

/* The callback of decode_alu: the row of a register or of a constant. A value that is known only when the
   instruction is executed gets a row of the frame, which is filled before each execution. */
static uint32_t alu_row(void *self, const Opd *o, Type t)
{
	Decoding *d = self;
	OperandPlace p = decode_place(d, o, false);
	if (o->kind == OPD_REG)
		return p.row;
	bool wide = type_bits[t] == 64;
	if (p.kind == PL_CONST)
		return bank_const(&d->in->bank, (uint64_t)p.value, wide);
	Dynamic dyn = { p, new_row(d->code, wide), wide };
	vec_push(&d->dynamic, dyn);
	return dyn.row;
}

static void decode_operands(const Decoding *d, const Ins *i, InterpStep *s)
{
	Arena *a = &d->in->arena;
	bool generic = i->space == SP_GENERIC && (op_info[i->op].flags & (OPF_LOAD | OPF_STORE));
	s->dst = arena_array(a, OperandPlace, i->ndst);
	s->src = arena_array(a, OperandPlace, i->nsrc);
	for (int k = 0; k < i->ndst; k++)
		s->dst[k] = decode_place(d, ins_dst(i, k), false);
	for (int k = 0; k < i->nsrc; k++)
		s->src[k] = decode_place(d, ins_src(i, k), generic && k == 0);
}

static bool decode_one(Decoding *d, const Block *b, const Ins *i, const int *start, InterpStep *s)
{
	Arena *a = &d->in->arena;
	s->ins = i;
	if (i->guard >= 0) {
		s->guard = d->code->reg[i->guard];
		s->guard.neg = i->guard_neg;
	}
	if (op_info[i->op].kind == K_ALU) {
		Decoder dec = { d, alu_row, &d->in->bank, a, d->f };
		vec_clear(&d->dynamic);
		if (!decode_alu(&dec, i, &s->lane))
			return false;
		Dynamic *dyn = arena_array(a, Dynamic, d->dynamic.n);
		if (d->dynamic.n)
			memcpy(dyn, d->dynamic.v, sizeof *dyn * (size_t)d->dynamic.n);
		s->dynamic = dyn;
		s->ndynamic = d->dynamic.n;
	} else {
		decode_operands(d, i, s);
	}
	if (op_info[i->op].flags & OPF_TERM) {
		int *target = arena_array(a, int, b->nsucc);
		for (int k = 0; k < b->nsucc; k++)
			target[k] = start[b->succ[k]->id];
		s->target = target;
		s->ntarget = b->nsucc;
	}
	return true;
}

static void decode_registers(Decoding *d)
{
	InterpCode *c = d->code;
	c->reg = arena_array(&d->in->arena, OperandPlace, d->f->reg.n);
	for (int r = 0; r < d->f->reg.n; r++) {
		Type t = (Type)d->f->reg.v[r].type;
		if (t == T_PRED)
			c->reg[r] = (OperandPlace){ PL_PRED, false, c->npred++, 0 };
		else
			c->reg[r] = (OperandPlace){ type_bits[t] == 64 ? PL_64 : PL_32, false,
				new_row(c, type_bits[t] == 64), 0 };
	}
}

static bool decode_blocks(Decoding *d)
{
	int n = 0, *start = arena_array(&d->in->arena, int, d->f->block.n);
	static const uint32_t nobody[3];
	for (int b = 0; b < d->f->block.n; b++) {
		start[b] = n;
		n += d->f->block.v[b]->ins.n;
	}
	d->code->step = arena_array(&d->in->arena, InterpStep, n);
	for (int b = 0; b < d->f->block.n; b++) {
		const Block *block = d->f->block.v[b];
		must(block->id == b);
		for (int k = 0; k < block->ins.n; k++)
			if (!decode_one(d, block, &block->ins.v[k], start, &d->code->step[start[b] + k])) {
				fault_at(d->in->fault, d->in->launch, FAULT_UNSUPPORTED, d->f,
					&block->ins.v[k], nobody, nobody,
					"no such combination of operation, types and modifiers");
				return false;
			}
	}
	return true;
}

const InterpCode *interp_code(Interp *in, const Function *f)
{
	if (in->code[f->id])
		return in->code[f->id];
	Arena tmp = { 0 };
	InterpCode *c = arena_new(&in->arena, InterpCode);
	Decoding d = { in, c, f, arena_array(&tmp, int64_t, in->launch->module->symbol.n + 1), { 0 } };
	c->f = f;
	c->local_bytes = layout_local(in->launch->module, f, d.local_offset);
	decode_registers(&d);
	bool ok = decode_blocks(&d);
	c->constants = bank_rows(&in->bank, &in->arena);
	vec_free(&d.dynamic);
	arena_free(&tmp);
	return ok ? in->code[f->id] = c : NULL;
}
