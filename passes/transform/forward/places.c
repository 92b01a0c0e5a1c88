/* Finds which bytes hold on every way what was stored there last. A fact ends where another write may touch
 * its bytes. Writes of the same thread: where memory dependence does not say that the two addresses differ at
 * that moment. Writes of other threads: at a barrier, fence or ordered access, unless no other thread writes
 * these bytes at all. A fact also ends where a register of which its address is made, or its guard, is
 * written again: so, as long as the fact is known, its address and guard mean the same. */
#include "passes/transform/forward/places.h"
#include "passes/analysis/flow.h"
#include "passes/constants.h"

/* ---- spots ---- */

int ins_elements(const Ins *i) { return i->vec ? i->vec : 1; }

static const Ins *ins_of_access(const ForwardPlaces *w, int access)
{
	const MemAccess *a = &w->mem->access[access];
	return &w->f->block.v[a->block]->ins.v[a->ins];
}

static bool is_plain_access(const Ins *i, const MemAccess *a)
{
	return (i->op == OP_ST || (i->op == OP_LD && i->cop != COP_CV)) && !a->ordered && a->form[0] >= 0 &&
		a->size;
}

static int spot_of(ForwardPlaces *w, const Ins *i, const MemAccess *a, int element)
{
	const MemForm *f = &w->mem->form[a->form[0]];
	int64_t key[4 + 2 * MEMORY_TERMS];
	int n = 0, width = type_bits[i->type];
	key[n++] = a->generic;
	key[n++] = a->reads | a->writes;
	key[n++] = width;
	key[n++] = (int64_t)((uint64_t)f->constant + (uint64_t)(element * width / 8));
	for (int k = 0; k < f->n; k++) {
		key[n++] = f->term[k].atom;
		key[n++] = f->term[k].k;
	}
	int s = keys_number(&w->keys, key, n);
	if (s == w->spot.n)
		vec_push(&w->spot, ((Spot){ .first = -1, .width = width, .reg = -1 }));
	return s;
}

static void find_spots(ForwardPlaces *w)
{
	w->element = arena_array(&w->arena, int, w->mem->naccess + 1);
	for (int x = 0; x < w->mem->naccess; x++) {
		const MemAccess *a = &w->mem->access[x];
		const Ins *i = ins_of_access(w, x);
		w->element[x] = -1;
		if (!is_plain_access(i, a))
			continue;
		w->element[x] = w->of.n;
		for (int k = 0; k < ins_elements(i); k++) {
			int s = spot_of(w, i, a, k);
			w->spot.v[s].stores += i->op == OP_ST;
			w->spot.v[s].loads += i->op == OP_LD;
			vec_push(&w->of, s);
		}
	}
}

static bool is_wanted_spot(const ForwardPlaces *w, int spot)
{
	return w->spot.v[spot].stores && w->spot.v[spot].loads;
}

/* ---- facts ---- */

static void end_with_form(ForwardPlaces *w, int held, int form);

static void end_with(ForwardPlaces *w, int held, int atom)
{
	const MemAtom *x = &w->mem->atom[atom];
	switch (x->kind) {
	case ATOM_VERSION: list_add(&w->arena, &w->ends[x->id], held); break;
	case ATOM_TURN: list_add(&w->arena, &w->turns[x->id], held); break;
	case ATOM_PRODUCT:
		end_with(w, held, x->id);
		end_with(w, held, x->sub);
		break;
	case ATOM_SIGNED: case ATOM_ZERO: end_with_form(w, held, x->id); break;
	default: break;
	}
}

static void end_with_form(ForwardPlaces *w, int held, int form)
{
	for (int k = 0; k < w->mem->form[form].n; k++)
		end_with(w, held, w->mem->form[form].term[k].atom);
}

static int guard_of_access(const ForwardPlaces *w, int access)
{
	const MemAccess *a = &w->mem->access[access];
	return ssa_guard(w->ssa, ins_of_access(w, access), a->block, a->ins);
}

static int find_held(const ForwardPlaces *w, int spot, int guard, bool neg)
{
	int h = w->spot.v[spot].first;
	while (h >= 0 && (w->held.v[h].guard != guard || (guard >= 0 && w->held.v[h].guard_neg != neg)))
		h = w->held.v[h].next;
	return h;
}

static Opd value_of(const Ins *i, int element)
{
	Opd o = *ins_element(i, element);
	int width = type_bits[i->type];
	if (o.kind == OPD_IMM && width < 64)
		o.imm &= ((int64_t)1 << width) - 1;
	return o;
}

static int find_stored(const ForwardPlaces *w, int held, const Opd *o)
{
	int v = w->held.v[held].value;
	while (v >= 0 && !opd_same(&w->stored.v[v].value, o))
		v = w->stored.v[v].next;
	return v;
}

static bool is_storable(const Opd *o) { return (o->kind == OPD_REG && !o->neg) || o->kind == OPD_IMM; }

/* Finds or adds the fact about the spot in the threads of the guard, -1: in all. access: a store to the
   spot. */
static int held_fact(ForwardPlaces *w, int spot, int guard, bool neg, int access)
{
	int h = find_held(w, spot, guard, neg);
	if (h >= 0)
		return h;
	h = w->held.n;
	vec_push(&w->held, ((HeldFact){ spot, guard, access, guard >= 0 && neg, w->spot.v[spot].first, -1,
		-1 }));
	w->spot.v[spot].first = h;
	end_with_form(w, h, w->mem->access[access].form[0]);
	if (guard >= 0) {
		list_add(&w->arena, &w->ends[guard], h);
		list_add(&w->arena, &w->guarded[guard], h);
	}
	return h;
}

static void add_fact(ForwardPlaces *w, int access, int element)
{
	const Ins *i = ins_of_access(w, access);
	int spot = w->of.v[w->element[access] + element];
	Opd o = value_of(i, element);
	if (!is_wanted_spot(w, spot) || !is_storable(&o))
		return;
	int h = held_fact(w, spot, guard_of_access(w, access), i->guard_neg, access);
	if (find_stored(w, h, &o) >= 0)
		return;
	int *of_reg = o.kind == OPD_REG ? &w->reg[o.id] : NULL;
	vec_push(&w->stored, ((Stored){ h, w->held.v[h].value, of_reg ? *of_reg : -1, o }));
	w->held.v[h].value = w->stored.n - 1;
	if (of_reg)
		*of_reg = w->stored.n - 1;
}

static int branch_version(const ForwardPlaces *w, const Block *b)
{
	const Ins *t = block_term(b);
	return t->op == OP_BRA && b->nsucc == 2 && b->succ[0] != b->succ[1]
		? ssa_src(w->ssa, t, b->id, b->ins.n - 1, 0) : -1;
}

/* Where several branches decide by the same version, adds facts about the threads that go to one side and
   about those that go to the other: the same threads go to this side at each of the branches, so what one
   side does is known on the same side of the next branch. */
static void add_sides(ForwardPlaces *w)
{
	int *branches = arena_array(&w->arena, int, w->ssa->n + 1), n = 0, spots = w->spot.n;
	for (int k = 0; k < w->c->nreach; k++) {
		int v = w->decides[w->c->rpo[k]->id] = branch_version(w, w->c->rpo[k]);
		n += v >= 0 && ++branches[v] == 2;
	}
	if ((int64_t)n * spots > FORWARD_SIDES)
		return;
	for (int v = 0; v < w->ssa->n && n; v++)
		for (int s = 0; s < spots && branches[v] > 1; s++)
			for (int neg = 0; neg < 2 && w->spot.v[s].first >= 0; neg++)
				held_fact(w, s, v, neg, w->held.v[w->spot.v[s].first].access);
	/* the facts about all threads that these become on one side of a branch (over_edge) */
	for (int h = w->held.n; h-- > 0;)
		held_fact(w, w->held.v[h].spot, -1, false, w->held.v[h].access);
}

static void find_held_facts(ForwardPlaces *w)
{
	int nreg = function_values(w->f);
	w->ends = arena_array(&w->arena, IntList, w->ssa->n + 1);
	w->guarded = arena_array(&w->arena, IntList, w->ssa->n + 1);
	w->decides = arena_array(&w->arena, int, w->c->n + 1);
	w->turns = arena_array(&w->arena, IntList, w->c->nest->nloop + 1);
	w->reg = arena_array(&w->arena, int, nreg + 1);
	memset(w->reg, 0xff, sizeof *w->reg * (size_t)nreg);
	for (int x = 0; x < w->mem->naccess; x++)
		if (w->element[x] >= 0 && ins_of_access(w, x)->op == OP_ST)
			for (int k = 0; k < ins_elements(ins_of_access(w, x)); k++)
				add_fact(w, x, k);
	add_sides(w);
}

/* ---- where they end ---- */

typedef struct PlaceStep { ForwardPlaces *w; BitSet set, lost; } PlaceStep;

static void lose_bit(const PlaceStep *s, int bit)
{
	bs_del(s->set, bit);
	if (s->lost.w)
		bs_add(s->lost, bit);
}

static void lose_values(const PlaceStep *s, int held)
{
	for (int v = s->w->held.v[held].value; v >= 0; v = s->w->stored.v[v].next)
		lose_bit(s, s->w->held.n + v);
}

static void lose_fact(const PlaceStep *s, int held)
{
	lose_bit(s, held);
	lose_values(s, held);
}

static void lose_written(void *self, int reg)
{
	const PlaceStep *s = self;
	for (int v = s->w->reg[reg]; v >= 0; v = s->w->stored.v[v].next_of_reg)
		lose_bit(s, s->w->held.n + v);
}

/* Is it certain that no other thread of the grid writes the bytes of this fact? */
static bool mine(ForwardPlaces *w, int held)
{
	int a = w->held.v[held].access;
	if (w->held.v[held].mine >= 0)
		return w->held.v[held].mine;
	bool is = true;
	for (int b = 0; b < w->mem->naccess && is; b++)
		if (w->mem->access[b].writes)
			is = w->patience-- > 0 && memdep_same_thread(w->mem, &w->ask, a, b);
	w->held.v[held].mine = is;
	return is;
}

static bool survives(ForwardPlaces *w, int held, int access)
{
	const MemAccess *x = &w->mem->access[access];
	if (x->ordered && !mine(w, held))
		return false;
	if (!x->writes)
		return true;
	return w->patience-- > 0 && !memdep_may_alias(w->mem, &w->ask, w->held.v[held].access, access);
}

/* Which element of the access stores to the spot; -1: none. */
static int element_at(const ForwardPlaces *w, int access, int spot)
{
	if (w->element[access] < 0 || ins_of_access(w, access)->op != OP_ST)
		return -1;
	for (int k = 0; k < ins_elements(ins_of_access(w, access)); k++)
		if (w->of.v[w->element[access] + k] == spot)
			return k;
	return -1;
}

/* The access stores to the very bytes of the fact. So the old values are known no longer, but a fact about
   all threads still holds, also if the store has a guard: each thread's bytes hold what was stored there
   last. It ends only if what is stored now cannot be copied. */
static void store_again(const PlaceStep *s, int held, int access, int element)
{
	const HeldFact *h = &s->w->held.v[held];
	Opd o = value_of(ins_of_access(s->w, access), element);
	lose_values(s, held);
	if (!is_storable(&o) || h->guard >= 0)
		lose_bit(s, held);
}

static void gain(const PlaceStep *s, int access, int element)
{
	const ForwardPlaces *w = s->w;
	const Ins *i = ins_of_access(w, access);
	int spot = w->of.v[w->element[access] + element];
	Opd o = value_of(i, element);
	int h = is_wanted_spot(w, spot) && is_storable(&o)
		? find_held(w, spot, guard_of_access(w, access), i->guard_neg) : -1;
	if (h < 0)
		return;
	bs_add(s->set, w->held.n + find_stored(w, h, &o));
	bs_add(s->set, h);
	for (int other = w->spot.v[spot].first; other >= 0 && i->guard < 0; other = w->held.v[other].next)
		bs_add(s->set, other);
}

static void touch_places(const PlaceStep *s, int access)
{
	ForwardPlaces *w = s->w;
	const MemAccess *x = &w->mem->access[access];
	for (int h = 0; h < w->held.n && (x->writes || x->ordered); h++) {
		if (!bs_has(s->set, h) && (!s->lost.w || bs_has(s->lost, h)))
			continue;
		int k = element_at(w, access, w->held.v[h].spot);
		if (k >= 0)
			store_again(s, h, access, k);
		else if (!survives(w, h, access))
			lose_fact(s, h);
	}
	for (int k = 0; w->element[access] >= 0 && ins_of_access(w, access)->op == OP_ST &&
		k < ins_elements(ins_of_access(w, access)); k++)
		gain(s, access, k);
}

static void lose_all(const PlaceStep *s, const IntList *l)
{
	for (int k = 0; k < l->n; k++)
		lose_fact(s, l->v[k]);
}

void places_begin(ForwardPlaces *w, int block, BitSet set, BitSet lost)
{
	PlaceStep s = { w, set, lost };
	const Nest *n = w->c->nest;
	for (int phi = w->ssa->phi_first[block]; phi < w->ssa->phi_first[block + 1]; phi++)
		lose_all(&s, &w->ends[w->ssa->phi[phi].version]);
	for (int l = n->of[block]; l >= 0; l = n->parent[l])
		if (n->header[l] == block)
			lose_all(&s, &w->turns[l]);
}

void places_step(ForwardPlaces *w, int block, int ins, BitSet set, BitSet lost)
{
	PlaceStep s = { w, set, lost };
	int access = memdep_find(w->mem, block, ins), at = w->ssa->ins_first[block] + ins;
	if (access >= 0)
		touch_places(&s, access);
	for (int k = w->ssa->def_first[at]; k < w->ssa->def_first[at + 1]; k++)
		lose_all(&s, &w->ends[w->ssa->def[k]]);
	ins_defs(w->f, &w->f->block.v[block]->ins.v[ins], lose_written, &s);
}

/* ---- on every way ---- */

/* On either side of a branch its predicate is known. So a fact about the threads that go this way becomes one
   about all threads, and any fact about the others holds, since none of these comes here. */
static void over_edge(void *self, int from, int to, BitSet set)
{
	const ForwardPlaces *w = self;
	const Block *b = w->f->block.v[from];
	int v = w->decides[from];
	if (v < 0)
		return;
	bool holds = (b->succ[0]->id == to) != ins_src(block_term(b), 0)->neg;
	for (int k = 0; k < w->guarded[v].n; k++) {
		int h = w->guarded[v].v[k];
		if (holds == w->held.v[h].guard_neg)
			bs_add(set, h);
		else if (bs_has(set, h))
			bs_add(set, find_held(w, w->held.v[h].spot, -1, false));
	}
}

static void solve_held(ForwardPlaces *w)
{
	const Cfg *c = w->c;
	int bits = places_bits(w), *order = arena_array(&w->arena, int, c->nreach + 1);
	Flow x = { .g = c->graph, .order = order, .norder = c->nreach, .bits = bits, .all = true,
		.greatest = true, .gen = flow_sets(&w->arena, c->n, bits),
		.kill = flow_sets(&w->arena, c->n, bits), .edge = over_edge, .self = w };
	for (int k = 0; k < c->nreach; k++) {
		int b = order[k] = c->rpo[k]->id;
		places_begin(w, b, x.gen[b], x.kill[b]);
		for (int i = 0; i < c->rpo[k]->ins.n; i++)
			places_step(w, b, i, x.gen[b], x.kill[b]);
	}
	flow_solve(&w->arena, &x);
	w->before = x.before;
}

bool places_find(ForwardPlaces *w)
{
	bool any = false;
	w->keys = (Keys){ .a = &w->arena };
	w->ask = (MemAsk){ .allow = w->o->allow, .within = MEM_MOMENT };
	find_spots(w);
	for (int s = 0; s < w->spot.n; s++)
		any |= is_wanted_spot(w, s);
	if (!any)
		return false;
	for (int k = 0; k < w->c->nreach; k++)
		w->patience += MEMORY_QUESTIONS * w->c->rpo[k]->ins.n;
	find_held_facts(w);
	if (!w->held.n)
		return false;
	solve_held(w);
	return true;
}

void places_free(ForwardPlaces *w)
{
	vec_free(&w->spot);
	vec_free(&w->of);
	vec_free(&w->held);
	vec_free(&w->stored);
	arena_free(&w->arena);
}
