/* Values that live in local memory: stored after each definition and loaded before each use, by instructions
 * counted as overhead. Each instruction that uses such a value gets a temporary register of its own for
 * it. */
#include "sim/code/lower.h"

/* slot: by virtual register, symbol of its place in memory, -1: it is not spilled; nreg: number of registers
   before spilling */
typedef struct Spill { LowerFn *l; Rewrite out; int nreg, *slot; } Spill;

int lower_slot(LowerFn *l, Type t)
{
	Module *m = l->module;
	int k = m->symbol.n - 1;
	while (k >= m->of->symbol.n && m->symbol.v[k]->owner != l->f->id)
		k--;
	Symbol *s = arena_new(&m->arena, Symbol);
	s->name = "spill";
	s->space = SP_LOCAL;
	s->type = (uint8_t)t;
	s->count = 1;
	s->align = (uint32_t)type_bytes(t);
	s->size = s->align;
	if (k < m->of->symbol.n)
		/* the first such place of the function: 16-byte alignment puts it behind the variables and
		   the padding at their end, which nonfaulting loads may read */
		s->align = 16;
	s->owner = l->f->id;
	vec_push(&m->symbol, s);
	return m->symbol.n - 1;
}

static Ins access(LowerFn *l, bool store, int temp, int slot)
{
	Ins i = edit_new(&l->edit, NULL, store ? OP_ST : OP_LD, lower_is_wide(l, temp) ? T_B64 : T_B32,
		store ? 0 : 1, store ? 2 : 1);
	i.space = SP_LOCAL;
	i.opd[store ? 0 : 1] = (Opd){ OPD_SYM, 0, slot, 0 };
	i.opd[store ? 1 : 0] = opd_reg(temp);
	return i;
}

/* Puts the temporary in the place of the value in the instruction. True: the instruction needs the value in
   the temporary, because it reads the value, or may leave it as it is (under a guard). */
static bool replace_value(Ins *i, int value, int temp)
{
	bool reads = i->guard >= 0;
	for (int o = 0; o < i->ndst + i->nsrc; o++)
		if (i->opd[o].kind == OPD_REG && i->opd[o].id == value) {
			reads |= o >= i->ndst;
			i->opd[o].id = temp;
		}
	return reads;
}

/* Makes a temporary, whose name has the number of the place in memory. */
static int temporary(LowerFn *l, Type type, int slot)
{
	char name[32];
	snprintf(name, sizeof name, "%%spill%d", slot);
	return edit_add_reg(&l->edit, name, strlen(name), type);
}

static void store_behind(Spill *s, const Ins *i, int temp, int slot)
{
	Ins store = access(s->l, true, temp, slot);
	/* The store gets the guard of the instruction, unless the instruction overwrites its guard. Then all
	   lanes store: where the guard did not hold, the temporary still has what was loaded. */
	if (i->guard >= 0 && !ins_writes(s->l->f, i, i->guard)) {
		store.guard = i->guard;
		store.guard_neg = i->guard_neg;
	}
	edit_put(&s->out, store);
}

static void spill_ins(Spill *s, Ins i)
{
	typedef struct Moved { int temp, slot; } Moved;
	Vec(Moved) moved = { 0 };
	for (int o = 0; o < i.ndst + i.nsrc; o++) {
		int v = i.opd[o].id;
		if (i.opd[o].kind != OPD_REG || v >= s->nreg || s->slot[v] < 0)
			continue;
		int slot = s->slot[v], temp = temporary(s->l, s->l->f->reg.v[v].type, slot);
		if (replace_value(&i, v, temp))
			edit_put(&s->out, access(s->l, false, temp, slot));
		vec_push(&moved, ((Moved){ temp, slot }));
	}
	edit_put(&s->out, i);
	for (int k = 0; k < moved.n; k++)
		if (ins_writes(s->l->f, &i, moved.v[k].temp))
			store_behind(s, &i, moved.v[k].temp, moved.v[k].slot);
	vec_free(&moved);
}

void lower_spill(LowerFn *l, const int *values, int n)
{
	Spill s = { .l = l, .nreg = l->f->reg.n }; /* registers from here on are temporaries */
	s.slot = xcalloc((size_t)s.nreg + 1, sizeof *s.slot);
	for (int v = 0; v < s.nreg; v++)
		s.slot[v] = -1;
	for (int k = 0; k < n; k++)
		s.slot[values[k]] = lower_slot(l, lower_is_wide(l, values[k]) ? T_B64 : T_B32);
	for (int b = 0; b < l->nlayout; b++)
		for (const Ins *i = edit_rewrite(&s.out, &l->edit, l->layout[b]); i; i = edit_next(&s.out))
			spill_ins(&s, *i);
	free(s.slot);
}
