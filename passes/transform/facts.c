#include "passes/transform/facts.h"
#include "isa/lane.h"
#include "passes/analysis/flow.h"

/* ---- questions about an instruction ---- */

uint8_t ins_clobbers(const EffectTable *t, const Ins *i)
{
	Effects e = ins_effects(t, i);
	return e.ordered ? SPACES_WRITTEN : e.writes;
}

bool ins_allowed(const Module *m, const Function *f, const Ins *i)
{
	StrBuf why = { 0 };
	bool ok = ir_verify_ins(m, f, i, &why);
	sb_free(&why);
	return ok;
}

Ins ins_move(Module *m, const Function *f, const Ins *instead, int dst, int src)
{
	static const Type of_width[] = { [8] = T_B8, [16] = T_B16, [32] = T_B32, [64] = T_B64 };
	Type d = (Type)f->reg.v[dst].type;
	Ins i = ins_make(m, OP_MOV, f->reg.v[src].type == d ? d : of_width[type_bits[d]], 1, 1);
	i.opd[0] = opd_reg(dst);
	i.opd[1] = opd_reg(src);
	i.guard = instead->guard;
	i.guard_neg = instead->guard_neg;
	ins_instead(&i, instead);
	return i;
}

/* ---- constants ---- */

int64_t fold_immediate(Type t, uint64_t bits)
{
	int n = type_bits[t];
	if (n == 64)
		return (int64_t)bits;
	bits &= ((uint64_t)1 << n) - 1;
	return type_kind[t] == 'F' || t == T_PRED ? (int64_t)bits : (int64_t)(bits << (64 - n)) >> (64 - n);
}

Type fold_source_type(const Module *m, const Ins *i, int k)
{
	static const Type parts[65] = { [8] = T_B8, [16] = T_B16, [32] = T_B32 };
	return i->op == OP_PACK ? parts[type_bits[i->type] / i->nsrc] : ins_value_type(m, i, k);
}

/* Returns the bits of an instruction's result as its destination register holds them. */
static uint64_t held_bits(const Function *f, const Ins *i, uint64_t bits)
{
	Type reg = (Type)f->reg.v[ins_dst(i, 0)->id].type, t = ins_dst_type(i, 0);
	if (reg == T_PRED)
		return bits & 1;
	if (type_bits[reg] == 64)
		return type_bits[t] == 64 ? bits : lane_extend(t, bits);
	return (uint32_t)bits;
}

bool ins_fold(const Module *m, const Function *f, const Ins *i, const uint64_t *src, uint64_t *result)
{
	uint64_t from[FOLD_SOURCES], to[FOLD_SOURCES];
	if (op_info[i->op].kind != K_ALU || i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG ||
		i->nsrc > FOLD_SOURCES || i->op == OP_UNPACK)
		return false;
	for (int k = 0; k < i->nsrc; k++) {
		Type t = fold_source_type(m, i, k);
		from[k] = t ? (uint64_t)fold_immediate(t, src[k]) : src[k];
	}
	if (!lane_fold(i, from, to))
		return false;
	*result = held_bits(f, i, to[0]);
	return true;
}

/* ---- facts ---- */

typedef struct FactLink { struct FactLink *next; int fact; } FactLink;

Facts facts_open(Arena *a, const Cfg *c, const EffectTable *t)
{
	return (Facts){ .c = c, .effects = t, .keys = { .a = a },
		.of_reg = arena_array(a, FactLink *, function_values(c->f) + SP_COUNT),
		.of_block = arena_array(a, FactLink *, c->n + 1) };
}

static void link_fact(Facts *x, FactLink **list, int fact)
{
	FactLink *l = arena_new(x->keys.a, FactLink);
	l->fact = fact;
	l->next = *list;
	*list = l;
}

int facts_hold(Facts *x, int block, const int64_t *key, int n)
{
	int fact = keys_number(&x->keys, key, n);
	link_fact(x, &x->of_block[block], fact);
	return fact;
}

void facts_about(Facts *x, int fact, int reg) { link_fact(x, &x->of_reg[reg], fact); }

/* kill: facts that end in the block; seen: by register, one more than the last block looked at that defines
   it; many: by register, the set of facts about it, if they are more than a set has words; else empty */
typedef struct Ends { Facts *x; BitSet kill, *many; int *seen, block; } Ends;

static void gather_many(Ends *e, Arena *a, int nreg)
{
	e->many = arena_array(a, BitSet, nreg);
	for (int r = 0; r < nreg; r++) {
		int n = 0;
		for (const FactLink *l = e->x->of_reg[r]; l; l = l->next)
			n++;
		if (n <= (e->x->keys.n + 63) / 64)
			continue;
		e->many[r] = bs_new(a, e->x->keys.n);
		for (const FactLink *l = e->x->of_reg[r]; l; l = l->next)
			bs_add(e->many[r], l->fact);
	}
}

static void ends(void *self, int reg)
{
	Ends *e = self;
	if (e->seen[reg] == e->block + 1)
		return;
	e->seen[reg] = e->block + 1;
	if (e->many[reg].n)
		bs_union(e->kill, e->many[reg]);
	for (const FactLink *l = e->many[reg].n ? NULL : e->x->of_reg[reg]; l; l = l->next)
		bs_add(e->kill, l->fact);
}

static void memory_ends(Ends *e, int memory, int ins)
{
	Facts *x = e->x;
	if (!x->outlasts || x->patience <= 0) {
		ends(e, memory);
		return;
	}
	for (const FactLink *l = x->of_reg[memory]; l; l = l->next, x->patience--)
		if (!bs_has(e->kill, l->fact) && !(x->patience > 0 &&
			x->outlasts(x->self, l->fact, e->block, ins)))
			bs_add(e->kill, l->fact);
}

void facts_solve(Facts *x)
{
	const Cfg *c = x->c;
	if (!x->keys.n)
		return;
	Arena tmp = { 0 };
	int *order = arena_array(&tmp, int, c->n + 1);
	Flow w = { .g = c->graph, .order = order, .norder = c->nreach, .bits = x->keys.n, .all = true,
		.greatest = true,
		.gen = flow_sets(&tmp, c->n, x->keys.n), .kill = flow_sets(&tmp, c->n, x->keys.n) };
	Ends e = { .x = x, .seen = arena_array(&tmp, int, function_values(c->f) + SP_COUNT) };
	gather_many(&e, &tmp, function_values(c->f) + SP_COUNT);
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		order[i] = e.block = b->id;
		e.kill = w.kill[b->id];
		for (int k = 0; k < b->ins.n; k++) {
			uint8_t spaces = ins_clobbers(x->effects, &b->ins.v[k]);
			ins_defs(c->f, &b->ins.v[k], ends, &e);
			for (int s = 0; s < SP_COUNT; s++)
				if (spaces & SPACE_BIT(s))
					memory_ends(&e, facts_memory(x, s), k);
		}
		for (const FactLink *l = x->of_block[b->id]; l; l = l->next)
			bs_add(w.gen[b->id], l->fact);
	}
	flow_solve(x->keys.a, &w);
	x->before = w.before;
	arena_free(&tmp);
}
