/* Names the registers of melded code. Lanes of a side execute what they executed before, so each side's
 * registers may be renamed as if the other side were not there, if registers that live at once stay apart.
 * When two instructions become one, the two registers that they write are given one name, so that
 * instructions that read the result need not choose between them: the name of one of the two, if that does
 * not live on the other side, else that of a new register. At the entry and at the exit of the stretch values
 * move between the sides' own registers and these. */
#include "passes/transform/meld/meld.h"

typedef struct MeldNames {
	/* by side and register: its name in melded code; what is known of it, NAME_* */
	int *to[2], *state[2];
	/* by side and register: one more than the register of the other side with which it shares its name, 0
	   = none; by register of side 0: one more than the first of its list in Stretch.shared */
	int *mate[2], *shared;
	/* how many registers there were when the round began, the carry flag included as the last one: new
	   registers have taken its number since */
	int n;
	Vec(int) touched;              /* registers for which something is noted above */
} MeldNames;

static void touch_name(MeldNames *n, int reg)
{
	if (!n->state[0][reg] && !n->state[1][reg])
		vec_push(&n->touched, reg);
}

static void add_state(MeldNames *n, int side, int reg, int state)
{
	if (reg >= n->n)               /* the carry flag: its number has grown with new registers */
		reg = n->n - 1;
	touch_name(n, reg);
	n->state[side][reg] |= state;
}

void names_open(Meld *w)
{
	MeldNames *n = w->names = arena_new(&w->a, MeldNames);
	int count = n->n = function_values(w->f);
	for (int s = 0; s < 2; s++) {
		n->to[s] = arena_array(&w->a, int, count);
		n->state[s] = arena_array(&w->a, int, count);
		n->mate[s] = arena_array(&w->a, int, count);
		for (int k = 0; k < count; k++)
			n->to[s][k] = k;
	}
	n->shared = arena_array(&w->a, int, count);
}

void names_close(Meld *w) { vec_free(&w->names->touched); }

/* ---- where registers live ---- */

typedef struct Visit { MeldNames *n; int side; } Visit;

static void note_name_read(void *self, int reg)
{
	Visit *v = self;
	add_state(v->n, v->side, reg, NAME_LIVES);
}

static void note_name_write(void *self, int reg)
{
	Visit *v = self;
	add_state(v->n, v->side, reg, NAME_LIVES | NAME_WRITTEN);
}

static void look_at_names(const Meld *w, int side, const Block *b)
{
	Visit v = { w->names, side };
	for (int k = 0; k < b->ins.n; k++) {
		ins_uses(w->f, &b->ins.v[k], note_name_read, &v);
		ins_defs(w->f, &b->ins.v[k], note_name_write, &v);
	}
	live_each(w->live, w->live->in[b->id], r)
		add_state(w->names, side, r, NAME_LIVES);
	live_each(w->live, w->live->out[b->id], r)
		add_state(w->names, side, r, NAME_LIVES);
}

void names_load(Meld *w, const Stretch *s)
{
	MeldNames *n = w->names;
	for (int k = 0; k < n->touched.n; k++)
		for (int side = 0, r = n->touched.v[k]; side < 2; side++) {
			n->to[side][r] = r;
			n->state[side][r] = n->mate[side][r] = n->shared[r] = 0;
		}
	n->touched.n = 0;
	for (int side = 0; side < 2; side++) {
		for (int p = 0; p < s->pair.n; p++)
			if (s->pair.v[p].b[side])
				look_at_names(w, side, s->pair.v[p].b[side]);
		live_each(w->live, w->live->in[s->entry[side]->id], r)
			add_state(n, side, r, NAME_LIVES | NAME_IN);
		if (!s->exit[side])
			continue;
		live_each(w->live, w->live->in[s->exit[side]->id], r)
			add_state(n, side, r, NAME_LIVES | NAME_OUT);
	}
	for (int k = 0; k < s->shared.n; k++) {
		const SharedName *x = &s->shared.v[k];
		n->shared[x->reg[0]] = k + 1;
		for (int side = 0; side < 2; side++) {
			n->to[side][x->reg[side]] = x->home;
			n->mate[side][x->reg[side]] = x->reg[1 - side] + 1;
		}
	}
}

int names_reg(const Meld *w, int side, int reg) { return w->names->to[side][reg]; }
bool names_is_shared(const Meld *w, int side, int reg) { return w->names->mate[side][reg] > 0; }
int names_state(const Meld *w, int side, int reg) { return w->names->state[side][reg]; }

Opd names_of(const Meld *w, int side, Opd o)
{
	if (o.kind == OPD_REG)
		o.id = names_reg(w, side, o.id);
	return o;
}

/* ---- which share a name ---- */

SharedName *names_shared(const Meld *w, Stretch *s, int a, int b)
{
	int k = w->names->shared[a];
	while (k && s->shared.v[k - 1].reg[1] != b)
		k = s->shared.v[k - 1].next;
	return k ? &s->shared.v[k - 1] : NULL;
}

static void vote_for_pair(Meld *w, Stretch *s, int a, int b, int64_t votes)
{
	SharedName *x = names_shared(w, s, a, b);
	if (!x) {
		vec_push(&s->shared, ((SharedName){ .reg = { a, b }, .home = NO_REG,
			.next = w->names->shared[a] }));
		w->names->shared[a] = s->shared.n;
		x = &vec_last(&s->shared);
	}
	x->votes += votes;
	x->writers++;
}

static int by_votes(const void *x, const void *y)
{
	const SharedName *a = x, *b = y;
	if (a->votes != b->votes)
		return a->votes < b->votes ? 1 : -1;
	return a->reg[0] != b->reg[0] ? a->reg[0] - b->reg[0] : a->reg[1] - b->reg[1];
}

/* How many values have to be moved if the shared register is `home`. */
int names_moves(const Meld *w, const SharedName *x, int home)
{
	int in = 0, out = 0;
	for (int s = 0; s < 2; s++) {
		int state = names_state(w, s, x->reg[s]);
		in |= x->reg[s] != home && state & NAME_IN;
		out += x->reg[s] != home && state & NAME_OUT;
	}
	return in + out;
}

/* Chooses the shared register: that of one side if it does not live on the other side; the one of the two for
   which fewer values have to be moved. NO_REG: a new register. */
static int choose_home(const Meld *w, const SharedName *x)
{
	int home = NO_REG;
	if (x->reg[0] == x->reg[1])
		return x->reg[0];
	for (int s = 0; s < 2; s++)
		if (!(names_state(w, 1 - s, x->reg[s]) & NAME_LIVES) &&
			(home == NO_REG || names_moves(w, x, x->reg[s]) < names_moves(w, x, home)))
			home = x->reg[s];
	return home;
}

/* Gives registers their names, first those with which most is saved. New registers are made later; until then
   they have numbers below NO_REG. */
void names_share(Meld *w, Stretch *s)
{
	MeldNames *n = w->names;
	int kept = 0;
	vec_clear(&s->shared);
	names_load(w, s);
	pairs_each(s, p, i, a, b)
		for (int k = 0; k < a->ndst; k++)
			if (ins_dst(a, k)->kind == OPD_REG)
				vote_for_pair(w, s, ins_dst(a, k)->id, ins_dst(b, k)->id,
					p->weight * meld_cost(w, a));
	if (s->shared.n)
		qsort(s->shared.v, (size_t)s->shared.n, sizeof *s->shared.v, by_votes);
	for (int k = 0; k < s->shared.n; k++)
		n->shared[s->shared.v[k].reg[0]] = 0;
	for (int k = 0; k < s->shared.n; k++) {
		SharedName x = s->shared.v[k];
		if (n->mate[0][x.reg[0]] || n->mate[1][x.reg[1]])
			continue;
		n->mate[0][x.reg[0]] = x.reg[1] + 1;
		n->mate[1][x.reg[1]] = x.reg[0] + 1;
		x.home = choose_home(w, &x);
		if (x.home == NO_REG)
			x.home = -2 - kept;
		x.next = 0;
		n->shared[x.reg[0]] = kept + 1;
		for (int side = 0; side < 2; side++)
			n->to[side][x.reg[side]] = x.home;
		s->shared.v[kept++] = x;
	}
	s->shared.n = kept;
}

/* ---- choices ---- */

static Type choice_type(const Meld *w, const Ins *i, int source, const Opd *x)
{
	static const Type bits[] = { [1] = T_PRED, [8] = T_B8, [16] = T_B16, [32] = T_B32, [64] = T_B64 };
	for (int s = 0; s < 2; s++)
		if (x[s].kind == OPD_REG)
			return bits[type_bits[w->f->reg.v[x[s].id].type]];
	return meld_address(i, source) ? meld_address_type(i)
		: bits[type_bits[ins_value_type(w->r->m, i, source)]];
}

static bool is_kept_operand(const Meld *w, int side, const Opd *o)
{
	if (o->kind != OPD_REG)
		return o->kind == OPD_IMM || o->kind == OPD_SYM;
	return !(names_state(w, side, o->id) & NAME_WRITTEN) && names_reg(w, side, o->id) == o->id;
}

static Choice make_choice(const Meld *w, Opd a, Opd b, Type type)
{
	Choice c = { .x = { names_of(w, 0, a), names_of(w, 1, b) }, .type = type,
		.kept = is_kept_operand(w, 0, &a) && is_kept_operand(w, 1, &b) };
	c.differ = !opd_same(&c.x[0], &c.x[1]);
	return c;
}

/* Leaves an offset to the melded instruction, so that several accesses whose addresses differ only by
   offsets, with the same difference between the sides, share one choice. Where the sides' offsets differ, the
   instruction keeps one of the two, and the rest is added to the other side's address before the choice. A
   32-bit address must not wrap around by that: so the instruction keeps the smaller offset, and none at all
   when one of the two is negative. The address of a variable has to be read first, and its offset with it. */
static void settle_offsets(Choice *c)
{
	bool wide = c->type == T_B64, variable = c->x[0].kind == OPD_SYM || c->x[1].kind == OPD_SYM;
	int64_t a = c->x[0].imm, b = c->x[1].imm;
	c->offset = variable ? 0 : wide || a == b ? a : a < 0 || b < 0 ? 0 : a < b ? a : b;
	for (int s = 0; s < 2; s++) {
		c->x[s].imm -= c->offset;
		c->adds += c->x[s].imm != 0 || c->x[s].kind == OPD_SYM;
	}
}

static Choice source_choice(const Meld *w, const Ins *a, int k, const Opd *x, const Opd *y)
{
	Choice c = make_choice(w, *x, *y, T_NONE);
	if (!c.differ)
		return c;
	c.type = choice_type(w, a, k, (Opd[]){ *x, *y });
	if (meld_address(a, k))
		settle_offsets(&c);
	return c;
}

static int differing(const Meld *w, const Ins *a, const Ins *b, bool swapped)
{
	int n = 0;
	for (int k = 0; k < 2; k++) {
		Choice c = make_choice(w, *ins_src(a, k), *ins_src(b, swapped ? 1 - k : k), T_NONE);
		n += c.differ;
	}
	return n;
}

bool choice_swaps(const Meld *w, const Ins *a, const Ins *b)
{
	if (!ins_commutes(b))
		return false;
	for (int k = 0; k < 2; k++)
		if (ins_src(b, k)->kind != OPD_REG && ins_src(b, k)->kind != OPD_IMM)
			return false;
	return differing(w, a, b, true) < differing(w, a, b, false);
}

Choice choice_of(const Meld *w, const Ins *a, const Ins *b, int k)
{
	bool swapped = k < 2 && choice_swaps(w, a, b);
	return source_choice(w, a, k, ins_src(a, k), ins_src(b, swapped ? 1 - k : k));
}

/* The guard as an operand; an instruction without a guard has one that always holds. */
static Opd guard_operand(const Ins *i)
{
	return i->guard < 0 ? opd_imm(1) : (Opd){ OPD_REG, i->guard_neg, i->guard, 0 };
}

Choice choice_of_guards(const Meld *w, const Ins *a, const Ins *b)
{
	return make_choice(w, guard_operand(a), guard_operand(b), T_PRED);
}

/* Returns by what a side's lanes decide at the end of the pair's blocks: if it holds, they go to the first
   successor. */
static Opd decision(const BlockPair *p, int side)
{
	if (p->takes[side] != OWN_BRANCH || !p->b[side])
		return opd_imm(p->takes[side] != 1);
	Opd o = *ins_src(block_term(p->b[side]), 0);
	if (o.kind == OPD_IMM)
		return opd_imm((o.imm & 1) != (o.neg != (side && p->swapped)));
	o.neg = o.neg != (side && p->swapped);
	return o;
}

Choice choice_of_branches(const Meld *w, const BlockPair *p)
{
	return make_choice(w, decision(p, 0), decision(p, 1), T_PRED);
}

/* ---- choices made once ---- */

Hoisted *hoisted_find(Stretch *s, const Choice *c)
{
	for (int k = 0; k < s->hoisted.n; k++) {
		Hoisted *h = &s->hoisted.v[k];
		if (opd_same(&h->x[0], &c->x[0]) && opd_same(&h->x[1], &c->x[1]) && h->type == c->type)
			return h;
	}
	return NULL;
}

static void hoist_choice(Stretch *s, const BlockPair *p, Choice c)
{
	if (!c.differ || !c.kept)
		return;
	Hoisted *h = hoisted_find(s, &c);
	if (!h) {
		vec_push(&s->hoisted, ((Hoisted){ .x = { c.x[0], c.x[1] }, .type = c.type, .adds = c.adds,
			.reg = NO_REG }));
		h = &vec_last(&s->hoisted);
	}
	h->uses++;
	h->inner |= p->weight > s->weight;
}

void names_hoist(Meld *w, Stretch *s)
{
	int kept = 0;
	vec_clear(&s->hoisted);
	pairs_each(s, p, i, a, b) {
		for (int k = 0; k < a->nsrc; k++)
			hoist_choice(s, p, choice_of(w, a, b, k));
		if (meld_guarded(a, b))
			hoist_choice(s, p, choice_of_guards(w, a, b));
	}
	for (int k = 0; k < s->pair.n; k++)
		if (s->pair.v[k].nsucc > 1 && s->pair.v[k].comes[0] && s->pair.v[k].comes[1])
			hoist_choice(s, &s->pair.v[k], choice_of_branches(w, &s->pair.v[k]));
	for (int k = 0; k < s->hoisted.n; k++)
		if (s->hoisted.v[k].uses > 1 || s->hoisted.v[k].inner)
			s->hoisted.v[kept++] = s->hoisted.v[k];
	s->hoisted.n = kept;
}
