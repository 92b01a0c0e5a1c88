#include "tools/reduce/edits.h"
#include "tools/reduce/ways.h"

/* ---- instructions that go ---- */

static int may_go(const Module *m, const Function *f, const Ins *i) { return !ins_ends(i); }

static bool drop_instruction(InsAt *at, int k)
{
	at->i->op = OP_NONE;
	return true;
}

int instructions_places(const Module *m) { return reduce_count(m, may_go); }
bool instructions_drop(Module *m, int from, int to)
{
	return reduce_each(m, from, to, may_go, drop_instruction);
}

/* ---- instructions whose readers read something else ---- */

/* Ways: the numbers 0 and 1, the function's first result that is as wide, then each source. */
enum { FORWARD_ZERO, FORWARD_ONE, FORWARD_FIRST, FORWARD_SOURCES };

static int ways_to_forward(const Module *m, const Function *f, const Ins *i)
{
	return ins_ends(i) || i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG ? 0 : FORWARD_SOURCES + i->nsrc;
}

/* The first register that the function's entry writes, of the same width as `reg`; OPD_NONE: that is itself,
   or there is none. */
static Opd first_result(const Function *f, int reg)
{
	const Block *b = f->block.v[0];
	for (int k = 0; k < b->ins.n; k++)
		for (int d = 0; d < b->ins.v[k].ndst; d++) {
			const Opd *o = ins_dst(&b->ins.v[k], d);
			if (o->kind == OPD_REG &&
				type_bits[f->reg.v[o->id].type] == type_bits[f->reg.v[reg].type])
				return o->id == reg ? (Opd){ 0 } : opd_reg(o->id);
		}
	return (Opd){ 0 };
}

static Opd forwarded(const InsAt *at, int reg, int way)
{
	if (way == FORWARD_ZERO || way == FORWARD_ONE)
		return opd_imm(way == FORWARD_ZERO ? 0 : reduce_one((Type)at->f->reg.v[reg].type));
	if (way == FORWARD_FIRST)
		return first_result(at->f, reg);
	Opd with = *ins_src(at->i, way - FORWARD_SOURCES);
	if (with.kind == OPD_REG && reduce_is_address(at->i, way - FORWARD_SOURCES))
		with.imm = 0;
	return with;
}

/* Has an operand that reads register `reg` the value `with` from now on. False: it cannot. */
static bool read_instead(Opd *o, bool address, int reg, Opd with)
{
	if (o->kind != OPD_REG || o->id != reg)
		return true;
	if (address && with.kind != OPD_REG)
		return false;
	bool neg = o->neg;
	int64_t offset = o->imm;
	*o = with;
	if (with.kind == OPD_IMM)
		o->imm = neg ? !with.imm : with.imm;
	else
		o->neg = neg != (bool)with.neg;
	if (with.kind == OPD_REG)
		o->imm = offset;
	return true;
}

/* The same for the guard. */
static void guard_instead(Ins *i, int reg, Opd with)
{
	if (i->guard != reg)
		return;
	if (with.kind == OPD_REG) {
		i->guard = with.id;
		i->guard_neg ^= with.neg;
	} else if ((with.imm != 0) != (bool)i->guard_neg) {
		i->guard = -1;
		i->guard_neg = 0;
	} else if (!ins_ends(i)) {
		i->op = OP_NONE;
	}
}

static bool is_forwarded(const Function *f, int reg, Opd with)
{
	return with.kind == OPD_IMM || (with.kind == OPD_REG && with.id != reg &&
		type_bits[f->reg.v[with.id].type] == type_bits[f->reg.v[reg].type]);
}

static bool forward(InsAt *at, int k)
{
	int reg = ins_dst(at->i, 0)->id;
	Opd with = forwarded(at, reg, k);
	if (!is_forwarded(at->f, reg, with))
		return false;
	at->i->op = OP_NONE;
	for (int b = 0; b < at->f->block.n; b++)
		for (int n = 0; n < at->f->block.v[b]->ins.n; n++) {
			Ins *i = &at->f->block.v[b]->ins.v[n];
			for (int s = 0; s < i->nsrc; s++)
				read_instead(ins_src(i, s), reduce_is_address(i, s), reg, with);
			guard_instead(i, reg, with);
		}
	return true;
}

int forward_places(const Module *m) { return reduce_count(m, ways_to_forward); }
bool forward_change(Module *m, int from, int to)
{
	return reduce_each(m, from, to, ways_to_forward, forward);
}

/* ---- modifiers ---- */

enum { PART_GUARD, PART_SECOND, PART_VECTOR, PART_FTZ, PART_SAT, PART_CACHE, PART_ORDER, PART_SCOPE,
	PART_FLAGS, PART_CARRY, PART_BOOL, PART_MODE, MODIFIER_PARTS };

static int parts_of_ins(const Module *m, const Function *f, const Ins *i) { return MODIFIER_PARTS; }

/* Has the field 0 from now on? False: it had it before. */
static bool clear_field(uint8_t *field)
{
	bool any = *field != 0;
	*field = 0;
	return any;
}

static bool drop_guard(Ins *i)
{
	bool any = i->guard >= 0;
	i->guard = -1;
	i->guard_neg = 0;
	return any;
}

/* The second result of an operation with one that may be absent. */
static bool drop_second(Ins *i)
{
	const char *sides = op_info[i->op].operands, *optional = strchr(sides, '?');
	bool any = i->ndst == 2 && optional && optional < strchr(sides, ':');
	if (any)
		reduce_drop_destination(i, 1);
	return any;
}

/* A vector access: its first element alone. */
static bool drop_vector(Ins *i)
{
	int n = i->vec;
	if (!n)
		return false;
	i->vec = 0;
	while (--n > 0)
		if (i->ndst > 1)
			reduce_drop_destination(i, i->ndst - 1);
		else if (i->nsrc > 2)
			reduce_drop_source(i, i->nsrc - 1);
	return true;
}

/* A comparison that combines its result with a predicate: the comparison alone. */
static bool drop_combining(Ins *i)
{
	if (!i->boolop)
		return false;
	i->boolop = BOOL_NONE;
	if (i->nsrc == 3)
		reduce_drop_source(i, 2);
	return true;
}

static bool simplify_part(InsAt *at, int part)
{
	Ins *i = at->i;
	switch (part) {
	case PART_GUARD: return drop_guard(i);
	case PART_SECOND: return drop_second(i);
	case PART_VECTOR: return drop_vector(i);
	case PART_FTZ: return clear_field(&i->ftz);
	case PART_SAT: return clear_field(&i->sat);
	case PART_CACHE: return clear_field(&i->cop);
	case PART_ORDER: return clear_field(&i->sem);
	case PART_SCOPE: return clear_field(&i->scope);
	case PART_FLAGS: return clear_field(&i->flags);
	case PART_CARRY: return clear_field(&i->cc);
	case PART_BOOL: return drop_combining(i);
	default: return clear_field(&i->mode2);
	}
}

int modifier_places(const Module *m) { return reduce_count(m, parts_of_ins); }
bool modifier_change(Module *m, int from, int to)
{
	return reduce_each(m, from, to, parts_of_ins, simplify_part);
}
