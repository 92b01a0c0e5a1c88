/* forward-stores: what a thread has stored is taken from a register where the thread loads it again.
 *
 * requires  SSA, memory dependence
 * keeps     the graph; stores
 * breaks    liveness
 *
 * A load goes if on every way to it plain stores, of elements as wide as those of the load, have stored the
 * same bytes, and nobody may have written to these since (places.c). If on every way the stored register, or
 * number, is the same and has not changed, the load becomes a copy of it; else each store of these bytes is
 * followed by a copy of its value to a new register, and the load becomes a copy of that register. A load
 * with a guard can also be replaced because of stores with the same guard. Volatile and ordered accesses and
 * atomics are left alone. A load that goes can no longer fault; the store before it would have. Only with
 * assume-restrict are pointer parameters taken to lead to arrays of their own. */
#include "passes/options.h"
#include "passes/transform/forward/places.h"
#include "passes/transform/transform.h"

/* What an element of a load becomes a copy of: if spot is -1, of the operand; else of the spot's register. */
typedef struct LoadSource { Opd from; int spot; } LoadSource;

typedef struct Forward {
	ForwardPlaces p;
	Edit e;
	LoadSource *of; /* by element (as in ForwardPlaces.of), of loads that go: what it copies */
	bool *goes;                    /* by access: it is a load that goes */
	ForwardCounts *counts;
	int found;
} Forward;

/* ---- copies ---- */

static int width_of_register(const Function *f, int reg) { return type_bits[f->reg.v[reg].type]; }

static Type number_type(bool is_signed, int width)
{
	static const Type types[2][4] = { { T_U8, T_U16, T_U32, T_U64 }, { T_S8, T_S16, T_S32, T_S64 } };
	return types[is_signed][width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3];
}

/* An instruction that gives register dst the low bits of the operand, `width` of them, extended as a load of
   so many bits would. */
static Ins copy_low_bits(Forward *w, const Ins *like, int dst, const Opd *from, int width, bool is_signed)
{
	const Function *f = w->e.f;
	Ins i = ins_move(w->e.m, f, like, dst, from->kind == OPD_REG ? from->id : dst);
	int to = width_of_register(f, dst);
	if (from->kind == OPD_IMM) {
		uint64_t low = width == 64 ? (uint64_t)from->imm
			: (uint64_t)from->imm & (((uint64_t)1 << width) - 1);
		if (is_signed && width < 64 && low >> (width - 1))
			low |= ~(((uint64_t)1 << width) - 1);
		*ins_src(&i, 0) = opd_imm(fold_immediate((Type)f->reg.v[dst].type, low));
	} else if (to != width || width_of_register(f, from->id) != width) {
		i.op = OP_CVT;
		i.type = number_type(is_signed, to);
		i.type2 = number_type(is_signed, to > width ? width : width_of_register(f, from->id));
	}
	return i;
}

/* ---- which loads ---- */

static bool may_copy(Forward *w, const Ins *load, int element, const Opd *from)
{
	Ins i = copy_low_bits(w, load, ins_dst(load, element)->id, from, type_bits[load->type],
		type_kind[load->type] == 'S');
	return ins_allowed(w->e.m, w->e.f, &i);
}

/* An element of the load before this one writes the register from which this one would be copied. */
static bool overwritten(const Ins *load, int element, const Opd *from)
{
	for (int k = 0; k < element; k++)
		if (from->kind == OPD_REG && ins_dst(load, k)->kind == OPD_REG &&
			ins_dst(load, k)->id == from->id)
			return true;
	return false;
}

static void choose_source(Forward *w, const Ins *load, int element, int held, BitSet known, LoadSource *s)
{
	ForwardPlaces *p = &w->p;
	for (int v = p->held.v[held].value; v >= 0; v = p->stored.v[v].next) {
		*s = (LoadSource){ p->stored.v[v].value, -1 };
		if (bs_has(known, p->held.n + v) && !overwritten(load, element, &s->from) &&
			may_copy(w, load, element, &s->from))
			return;
	}
	*s = (LoadSource){ { 0 }, p->held.v[held].spot };
}

static bool serves(const ForwardPlaces *p, int held, int guard, bool neg)
{
	const HeldFact *h = &p->held.v[held];
	return h->guard < 0 || (h->guard == guard && h->guard_neg == neg);
}

static bool find_source(Forward *w, const Ins *load, int block, int ins, int element, int spot, BitSet known)
{
	ForwardPlaces *p = &w->p;
	int guard = ssa_guard(p->ssa, load, block, ins),
		at = p->element[memdep_find(p->mem, block, ins)] + element;
	for (int h = p->spot.v[spot].first; h >= 0; h = p->held.v[h].next)
		if (bs_has(known, h) && serves(p, h, guard, load->guard_neg)) {
			choose_source(w, load, element, h, known, &w->of[at]);
			return true;
		}
	return false;
}

static void look_at_load(Forward *w, int block, int ins, BitSet known)
{
	const ForwardPlaces *p = &w->p;
	const Ins *i = &p->f->block.v[block]->ins.v[ins];
	int x = i->op == OP_LD ? memdep_find(p->mem, block, ins) : -1, n = 0;
	if (x < 0 || p->element[x] < 0)
		return;
	for (int k = 0; k < ins_elements(i); k++, n++)
		if (ins_dst(i, k)->kind == OPD_REG && !find_source(w, i, block, ins, k,
			p->of.v[p->element[x] + k], known))
			return;
	w->goes[x] = n > 0;
	w->found += n > 0;
}

static void find_loads(Forward *w)
{
	ForwardPlaces *p = &w->p;
	BitSet known = bs_new(&p->arena, places_bits(p)), none = { 0 };
	w->of = arena_array(&p->arena, LoadSource, p->of.n + 1);
	w->goes = arena_array(&p->arena, bool, p->mem->naccess + 1);
	for (int k = 0; k < p->c->nreach; k++) {
		int b = p->c->rpo[k]->id;
		bs_copy(known, p->before[b]);
		places_begin(p, b, known, none);
		for (int i = 0; i < p->c->rpo[k]->ins.n; i++) {
			look_at_load(w, b, i, known);
			places_step(p, b, i, known, none);
		}
	}
}

/* Leaves loads alone that may not go. */
static void ask_loads(Forward *w)
{
	const MemDep *d = w->p.mem;
	for (int x = 0; x < d->naccess && w->found; x++) {
		const Block *b = w->p.f->block.v[d->access[x].block];
		if (w->goes[x] && !pass_may_change(w->p.o->asks, ins_loc(w->e.m, &b->ins.v[d->access[x].ins]),
			"a load of %s forwarded", b->label)) {
			w->goes[x] = false;
			w->found--;
		}
	}
}

/* ---- what becomes of it ---- */

/* Makes a register for each spot that is the source of some element. */
static void make_spot_registers(Forward *w)
{
	ForwardPlaces *p = &w->p;
	BitSet needed = bs_new(&p->arena, p->spot.n);
	for (int x = 0; x < p->mem->naccess; x++) {
		const MemAccess *m = &p->mem->access[x];
		const Ins *i = &p->f->block.v[m->block]->ins.v[m->ins];
		for (int k = 0; w->goes[x] && k < ins_elements(i); k++)
			if (ins_dst(i, k)->kind == OPD_REG && w->of[p->element[x] + k].spot >= 0)
				bs_add(needed, w->of[p->element[x] + k].spot);
	}
	bs_each(needed, k)
		p->spot.v[k].reg = edit_temp(&w->e, p->spot.v[k].width == 64 ? T_B64
			: p->spot.v[k].width == 32 ? T_B32 : T_B16);
}

static void put_element_copies(Forward *w, Rewrite *r, const Ins *load, int access)
{
	bool first = true;
	for (int k = 0; k < ins_elements(load); k++) {
		const LoadSource *s = &w->of[w->p.element[access] + k];
		if (ins_dst(load, k)->kind != OPD_REG)
			continue;
		Opd from = s->spot < 0 ? s->from : opd_reg(w->p.spot.v[s->spot].reg);
		Ins i = copy_low_bits(w, load, ins_dst(load, k)->id, &from, type_bits[load->type],
			type_kind[load->type] == 'S');
		if (first)
			edit_put_instead(r, i);
		else
			edit_put(r, i);
		first = false;
	}
}

/* Copies the store's values, behind it, to the registers of its elements' spots that have one. */
static void keep_values(Forward *w, Rewrite *r, const Ins *store, int access)
{
	const ForwardPlaces *p = &w->p;
	for (int k = 0; k < ins_elements(store); k++) {
		const Opd *o = ins_element(store, k);
		const Spot *s = &p->spot.v[p->of.v[p->element[access] + k]];
		if (s->reg < 0 || (o->kind != OPD_REG && o->kind != OPD_IMM))
			continue;
		Ins i = copy_low_bits(w, store, s->reg, o, s->width, false);
		i.origin = w->e.origin;
		i.melded = 0;
		edit_put(r, i);
		w->counts->copies++;
	}
}

static void rewrite_loads(Forward *w, Block *b)
{
	Rewrite r;
	int k = 0;
	for (const Ins *i = edit_rewrite(&r, &w->e, b); i; i = edit_next(&r), k++) {
		int x = memdep_find(w->p.mem, b->id, k);
		if (x >= 0 && w->goes[x]) {
			put_element_copies(w, &r, i, x);
			continue;
		}
		edit_put(&r, *i);
		if (x >= 0 && w->p.element[x] >= 0 && i->op == OP_ST)
			keep_values(w, &r, i, x);
	}
}

static bool forward_round(Analyses *an, uint8_t origin, const ForwardOptions *o, ForwardCounts *counts)
{
	Forward w = { .p = { .an = an, .f = an->f, .o = o, .c = analysis_cfg(an), .ssa = analysis_ssa(an) },
		.e = edit_open(an->m, an->f, origin), .counts = counts };
	static const MemFacts none = { 0 };
	bool known = memcmp(&o->launches, &none, sizeof none) != 0;
	w.p.mem = known ? memdep_build(&w.p.arena, w.p.c, w.p.ssa, analysis_effects(an), o->launches)
		: analysis_memdep(an);
	if (places_find(&w.p))
		find_loads(&w);
	if (o->asks)
		ask_loads(&w);
	if (w.found) {
		make_spot_registers(&w);
		for (int k = 0; k < w.p.c->nreach; k++)
			rewrite_loads(&w, w.p.c->rpo[k]);
		for (int k = 0; k < MEM_ASSUMPTIONS; k++)
			counts->assumed[k] += w.p.ask.count[k];
	}
	counts->loads += w.found;
	places_free(&w.p);
	edit_close(&w.e);
	return w.found > 0;
}

/* Rounds are made until nothing changes, since what one load has read may be part of another one's
   address. */
bool forward_stores(Analyses *an, uint8_t origin, const ForwardOptions *o, ForwardCounts *counts)
{
	bool any = false;
	while (forward_round(an, origin, o, counts))
		any = true;
	return any;
}

static bool run(PassRun *r)
{
	ForwardOptions o = { .allow = option_restrict(r->option[0].number), .asks = r };
	ForwardCounts n = { 0 };
	bool any = forward_stores(r->an, r->origin, &o, &n);
	pass_count(r, "loads forwarded", n.loads);
	pass_count(r, "copies inserted", n.copies);
	pass_assumptions(r, n.assumed);
	return any;
}

static const PassOption options[] = { OPTION_ROW_RESTRICT };

const Pass pass_forward_stores = {
	.name = "forward-stores",
	.idle = "no load reads what its thread has stored",
	.help = "take from a register what the thread has stored itself, instead of loading it again",
	.options = options, .noptions = 1,
	.function = run,
	.keeps_graph = true,
};
