#include "passes/transform/facts.h"
#include "isa/lane.h"
#include "passes/analysis/flow.h"

/* ---- questions about an instruction ---- */

bool ins_copies(const Function *f, const Ins *i)
{
	if (i->op != OP_MOV || ins_src(i, 0)->kind != OPD_REG || ins_src(i, 0)->neg || ins_dst(i, 0)->kind != OPD_REG)
		return false;
	int d = f->reg.v[ins_dst(i, 0)->id].type, s = f->reg.v[ins_src(i, 0)->id].type;
	return type_bits[d] == type_bits[s] && type_bits[d] == type_bits[i->type];
}

bool ins_repeats(const Ins *i, uint8_t *reads)
{
	Effects e = ins_effects(NULL, i);
	*reads = e.reads & SPACES_WRITTEN;
	if (i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG || (op_info[i->op].kind != K_ALU && (i->op != OP_LD || i->cop == COP_CV)))
		return false;
	return !e.ordered && !e.carry_in && !e.carry_out && !e.varies;
}

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

static int source_key(const Opd *o, const int *number, int64_t *key)
{
	key[0] = o->kind;
	key[1] = o->neg;
	key[2] = o->kind == OPD_REG && number ? number[o->id] : o->id;
	key[3] = o->imm;
	return 4;
}

int ins_key(const Function *f, const Ins *i, const int *number, int64_t *key)
{
	int64_t v[] = { i->op, i->type, i->type2, i->rnd, i->ftz, i->sat, i->approx, i->cmp, i->boolop, i->hilo, i->space, i->mode, i->mode2, i->cop, i->flags,
		i->nsrc, type_bits[f->reg.v[ins_dst(i, 0)->id].type] };
	int n = sizeof v / sizeof *v;
	if (n + 4 * i->nsrc > KEY_MOST)
		return 0;
	memcpy(key, v, sizeof v);
	for (int k = 0; k < i->nsrc; k++)
		n += source_key(ins_src(i, k), number, key + n);
	int64_t *a = key + n - 4 * i->nsrc, swap[4];
	if (op_info[i->op].flags & OPF_COMM && memcmp(a, a + 4, sizeof swap) > 0) {
		memcpy(swap, a, sizeof swap);
		memcpy(a, a + 4, sizeof swap);
		memcpy(a + 4, swap, sizeof swap);
	}
	return n;
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

/* As a register of the function holds what an instruction gives. */
static uint64_t held(const Function *f, const Ins *i, uint64_t bits)
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
	if (op_info[i->op].kind != K_ALU || i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG || i->nsrc > FOLD_SOURCES || i->op == OP_UNPACK)
		return false;
	for (int k = 0; k < i->nsrc; k++) {
		Type t = fold_source_type(m, i, k);
		from[k] = t ? (uint64_t)fold_immediate(t, src[k]) : src[k];
	}
	if (!lane_fold(i, from, to))
		return false;
	*result = held(f, i, to[0]);
	return true;
}

/* ---- numbers for keys ---- */

struct Key { struct Key *next; int number, n; int64_t v[]; };

static struct Key *look(const Keys *k, const int64_t *key, int n)
{
	if (!k->cap)
		return NULL;
	struct Key *x = k->bucket[hash_bytes(key, sizeof *key * (size_t)n, 1) % (unsigned)k->cap];
	while (x && (x->n != n || memcmp(x->v, key, sizeof *key * (size_t)n)))
		x = x->next;
	return x;
}

static void enter(Keys *k, struct Key *x)
{
	struct Key **b = &k->bucket[hash_bytes(x->v, sizeof *x->v * (size_t)x->n, 1) % (unsigned)k->cap];
	x->next = *b;
	*b = x;
}

int keys_find(const Keys *k, const int64_t *key, int n)
{
	const struct Key *x = look(k, key, n);
	return x ? x->number : -1;
}

const int64_t *keys_key(const Keys *k, int number) { return k->key[number]->v; }

static void grow(Keys *k)
{
	struct Key **old = k->key;
	k->cap = k->cap ? 4 * k->cap : 64;
	k->bucket = arena_array(k->a, struct Key *, k->cap);
	k->key = arena_array(k->a, struct Key *, k->cap);
	for (int x = 0; x < k->n; x++) {
		k->key[x] = old[x];
		enter(k, old[x]);
	}
}

int keys_number(Keys *k, const int64_t *key, int n)
{
	int known = keys_find(k, key, n);
	if (known >= 0)
		return known;
	if (k->n >= k->cap)
		grow(k);
	struct Key *x = arena_alloc(k->a, sizeof *x + sizeof *key * (size_t)n);
	x->number = k->n++;
	x->n = n;
	memcpy(x->v, key, sizeof *key * (size_t)n);
	k->key[x->number] = x;
	enter(k, x);
	return x->number;
}

/* ---- facts ---- */

typedef struct FactLink { struct FactLink *next; int fact; } FactLink;

Facts facts_open(Arena *a, const Cfg *c, const EffectTable *t)
{
	return (Facts){ .c = c, .effects = t, .keys = { .a = a }, .of_reg = arena_array(a, FactLink *, function_values(c->f) + SP_COUNT),
		.of_block = arena_array(a, FactLink *, c->n + 1) };
}

static void link_to(Facts *x, FactLink **list, int fact)
{
	FactLink *l = arena_new(x->keys.a, FactLink);
	l->fact = fact;
	l->next = *list;
	*list = l;
}

int facts_hold(Facts *x, int block, const int64_t *key, int n)
{
	int fact = keys_number(&x->keys, key, n);
	link_to(x, &x->of_block[block], fact);
	return fact;
}

void facts_about(Facts *x, int fact, int reg) { link_to(x, &x->of_reg[reg], fact); }

/* seen: by register, one more than the last block that defines it; many: by register, the facts about it, where they are more than a set has words */
typedef struct Ends { Facts *x; BitSet kill, *many; int *seen, block; } Ends;

static void gather(Ends *e, Arena *a, int nreg)
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
		if (!bs_has(e->kill, l->fact) && !(x->patience > 0 && x->outlasts(x->self, l->fact, e->block, ins)))
			bs_add(e->kill, l->fact);
}

void facts_solve(Facts *x)
{
	const Cfg *c = x->c;
	if (!x->keys.n)
		return;
	Arena tmp = { 0 };
	int *order = arena_array(&tmp, int, c->n + 1);
	Flow w = { .g = c->graph, .order = order, .norder = c->nreach, .bits = x->keys.n, .all = true, .greatest = true,
		.gen = flow_sets(&tmp, c->n, x->keys.n), .kill = flow_sets(&tmp, c->n, x->keys.n) };
	Ends e = { .x = x, .seen = arena_array(&tmp, int, function_values(c->f) + SP_COUNT) };
	gather(&e, &tmp, function_values(c->f) + SP_COUNT);
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
