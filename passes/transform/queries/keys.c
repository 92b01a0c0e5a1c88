/* Keys of array references: what ends them within a block, what they become along an edge, and which register has the address. */
#include "passes/transform/queries/queries.h"

int query_key(Queries *q, int class, int form) { return keys_number(&q->keys, (int64_t[]){ class, form }, 2); }

/* ---- within a block ---- */

static MemAccess as_access(Queries *q, int key)
{
	const Ins *i = &q->pattern.v[key_class(q, key)];
	Effects e = ins_effects(NULL, i);
	return (MemAccess){ .size = type_bytes(i->type), .reads = e.reads, .generic = i->space == SP_GENERIC, .form = { key_form(q, key), key_form(q, key) } };
}

static bool ends_key(Queries *q, int key, int access)
{
	MemAccess x = as_access(q, key);
	q->mem.form = q->forms.form.v;
	q->mem.atom = q->forms.atom.v;
	q->patience--;
	return memdep_orders_access(&q->mem, &q->ask, &x, access);
}

typedef struct Made { const Queries *q; int block, ins; } Made;

static bool made_here(void *self, const MemAtom *a)
{
	Made *m = self;
	const SsaVersion *v = a->kind == ATOM_VERSION ? &m->q->ssa->version[a->id] : NULL;
	if (v && v->block == m->block && v->ins > m->ins)
		m->ins = v->ins;
	return false;
}

/* The last instruction of the block that gives something anew that the key speaks of; -1: none. */
static int made_at(Queries *q, int key, int block)
{
	Made m = { q, block, -1 };
	memform_mentions(&q->forms, key_form(q, key), made_here, &m);
	return m.ins;
}

LocalKind query_up(Queries *q, int key, int block, int from, int *access)
{
	int made = made_at(q, key, block), first = q->mem.first[block];
	for (int a = first + q->mem.count[block]; a-- > first;) {
		const MemAccess *x = &q->mem.access[a];
		if (x->ins >= from)
			continue;
		if (x->ins <= made)
			return LOCAL_KILLED;
		*access = a;
		if (q->key_of[a] == key)
			return LOCAL_FOUND;
		if ((x->writes || x->ordered) && ends_key(q, key, a))
			return LOCAL_KILLED;
	}
	return made >= 0 ? LOCAL_KILLED : LOCAL_PASS;
}

/* The first instruction of the block, before its last one, behind which a thread may not come. */
static int way_ends(Queries *q, const Block *b)
{
	int k = 0;
	while (k + 1 < b->ins.n && !ins_effects(analysis_effects(q->r->an), &b->ins.v[k]).ends)
		k++;
	return k;
}

static LocalKind down(Queries *q, int key, int block)
{
	int first = q->mem.first[block];
	const Block *b = q->c->f->block.v[block];
	int last = way_ends(q, b);
	if (made_at(q, key, block) >= 0)
		return LOCAL_KILLED;
	for (int a = first; a < first + q->mem.count[block] && q->mem.access[a].ins <= last; a++) {
		const MemAccess *x = &q->mem.access[a];
		if (q->key_of[a] == key) {
			vec_push(&q->found, a);
			return LOCAL_FOUND;
		}
		if ((x->writes || x->ordered) && ends_key(q, key, a))
			return LOCAL_KILLED;
	}
	return last + 1 < b->ins.n ? LOCAL_KILLED : LOCAL_PASS;
}

/* ---- along an edge ---- */

typedef struct Edge { Queries *q; int block, pred, place; bool inside, ahead, dead; } Edge;

static int along(void *self, int atom, int bits)
{
	Edge *e = self;
	Queries *q = e->q;
	const MemAtom a = q->forms.atom.v[atom];
	if (a.kind == ATOM_TURN && q->c->nest->header[a.id] == e->block) {
		if (!e->inside)
			return e->ahead ? MEMFORM_NONE : memform_constant(&q->forms, 0, bits);
		return memform_add(&q->forms, memform_atom(&q->forms, atom, bits), memform_constant(&q->forms, 1, bits), e->ahead ? -1 : 1);
	}
	const SsaVersion *v = a.kind == ATOM_VERSION ? &q->ssa->version[a.id] : NULL;
	if (!v || v->block != e->block || v->ins != SSA_PHI)
		return MEMFORM_STAYS;
	if (e->ahead)
		return MEMFORM_NONE;
	int arg = q->ssa->phi[v->phi].arg[e->place], own = memdep_version_bits(&q->mem, a.id), f = memdep_value(&q->mem, &q->forms, arg, own < bits ? own : bits);
	if (f >= 0 && own < bits)
		f = memform_extend(&q->forms, f, bits, false);
	return f < 0 ? MEMFORM_NONE : f;
}

static int over_edge(Queries *q, int key, int pred, int block, bool ahead, int *shifts)
{
	const IntList *from = &q->c->graph->pred[block];
	Edge e = { .q = q, .block = block, .pred = pred, .ahead = ahead };
	while (from->v[e.place] != pred)
		e.place++;
	int loop = q->c->nest->of[block];
	e.inside = loop >= 0 && q->c->nest->header[loop] == block && nest_within(q->c->nest, q->c->nest->of[pred], loop);
	int f = memform_substitute(&q->forms, key_form(q, key), along, &e);
	if (f != key_form(q, key) && (e.inside || loop < 0 || q->c->nest->header[loop] != block))
		++*shifts;
	return f < 0 ? -1 : query_key(q, key_class(q, key), f);
}

int query_back(Queries *q, int key, int block, int pred, int *shifts) { return over_edge(q, key, pred, block, false, shifts); }

/* ---- anticipation ---- */

/* A key where a block starts. Behind one edge several keys may be the same one before it: one of them that is loaded is enough. */
typedef struct Ahead { int block, key, shifts; bool holds; Vec(int) next, user; } Ahead; /* next: for each edge its candidates, then -1 */
typedef Vec(Ahead) Aheads;

static int ahead_node(Keys *known, Aheads *all, int block, int key, int shifts)
{
	int n = keys_number(known, (int64_t[]){ block, key }, 2);
	if (n == all->n)
		vec_push(all, ((Ahead){ .block = block, .key = key, .shifts = shifts, .holds = true }));
	return n;
}

static void candidates(Queries *q, Keys *known, Aheads *all, int x, int s)
{
	int block = all->v[x].block, key = all->v[x].key, shifts = all->v[x].shifts;
	int same = over_edge(q, key, block, s, true, &shifts);
	if (same >= 0 && shifts <= q->most_shifts) {
		int n = ahead_node(known, all, s, same, shifts);
		vec_push(&all->v[x].next, n);
	}
	int end = keys_find(&q->ends, (int64_t[]){ block, key }, 2);
	for (int w = end >= 0 ? q->end.v[end].user : -1; w >= 0; w = q->way.v[w].next) {
		const Start *t = &q->start.v[q->way.v[w].start];
		if (t->block == s && t->key != same) {
			int n = ahead_node(known, all, s, t->key, all->v[x].shifts);
			vec_push(&all->v[x].next, n);
		}
	}
	vec_push(&all->v[x].next, -1);
}

static bool still_holds(const Aheads *all, const Ahead *x)
{
	bool any = false;
	for (int k = 0; k < x->next.n; k++) {
		if (x->next.v[k] >= 0) {
			any |= all->v[x->next.v[k]].holds;
			continue;
		}
		if (!any)
			return false;
		any = false;
	}
	return true;
}

bool query_ahead(Queries *q, int key, int block)
{
	Arena tmp = { 0 };
	Keys known = { .a = &tmp };
	Aheads all = { 0 };
	Vec(int) lost = { 0 };
	ahead_node(&known, &all, block, key, 0);
	for (int x = 0; x < all.n && q->patience > 0; x++) {
		q->patience--;
		LocalKind kind = down(q, all.v[x].key, all.v[x].block);
		const IntList *succ = &q->c->graph->succ[all.v[x].block];
		all.v[x].holds = kind == LOCAL_FOUND || (kind == LOCAL_PASS && succ->n);
		for (int k = 0; kind == LOCAL_PASS && k < succ->n; k++)
			candidates(q, &known, &all, x, succ->v[k]);
		for (int k = 0; k < all.v[x].next.n; k++)
			if (all.v[x].next.v[k] >= 0)
				vec_push(&all.v[all.v[x].next.v[k]].user, x);
		if (!all.v[x].holds)
			vec_push(&lost, x);
		else if (!still_holds(&all, &all.v[x]))
			all.v[x].holds = false, vec_push(&lost, x);
	}
	/* what was found lost before its users were known tells them now */
	for (int x = 0; x < all.n; x++)
		if (all.v[x].holds && !still_holds(&all, &all.v[x]))
			all.v[x].holds = false, vec_push(&lost, x);
	while (lost.n) {
		int x = vec_pop(&lost);
		for (int k = 0; k < all.v[x].user.n; k++) {
			int u = all.v[x].user.v[k];
			if (all.v[u].holds && !still_holds(&all, &all.v[u]))
				all.v[u].holds = false, vec_push(&lost, u);
		}
	}
	bool holds = all.v[0].holds && q->patience > 0;
	for (int x = 0; x < all.n; x++) {
		vec_free(&all.v[x].next);
		vec_free(&all.v[x].user);
	}
	vec_free(&all);
	vec_free(&lost);
	arena_free(&tmp);
	return holds;
}

/* ---- the address ---- */

static void last_def(void *self, int reg) { ((int *)self)[1] += ((int *)self)[0] == reg; }

/* What a register that lives at the block's end holds there. */
static int version_at_end(Queries *q, int reg, int block)
{
	for (int b = block; b >= 0 && q->patience > 0; b = q->dom->idom[b], q->patience--) {
		const Block *x = q->c->f->block.v[b];
		for (int k = x->ins.n; k-- > 0;) {
			int seen[2] = { reg, 0 }, at = q->ssa->ins_first[b] + k;
			ins_defs(q->c->f, &x->ins.v[k], last_def, seen);
			for (int d = q->ssa->def_first[at]; seen[1] && d < q->ssa->def_first[at + 1]; d++)
				if (q->ssa->version[q->ssa->def[d]].reg == reg)
					return q->ssa->def[d];
		}
		for (int p = q->ssa->phi_first[b]; p < q->ssa->phi_first[b + 1]; p++)
			if (q->ssa->version[q->ssa->phi[p].version].reg == reg)
				return q->ssa->phi[p].version;
	}
	return q->patience > 0 ? q->ssa->entry[reg] : -1;
}

static bool has_address(Queries *q, int reg, int block, int form, Opd *o)
{
	int bits = type_bits[q->c->f->reg.v[reg].type];
	int v = (bits == 64 || bits == 32) && type_kind[q->c->f->reg.v[reg].type] != 'F' ? version_at_end(q, reg, block) : -1;
	int have = v < 0 ? -1 : memdep_value(&q->mem, &q->forms, v, bits), want = form;
	if (have < 0)
		return false;
	const MemForm *f = &q->forms.form.v[form];
	if (bits == 32 && f->n == 1 && !f->constant && f->term[0].k == 1 && q->forms.atom.v[f->term[0].atom].kind == ATOM_ZERO)
		want = q->forms.atom.v[f->term[0].atom].id;
	else if (bits == 32)
		want = memform_resize(&q->forms, form, 32);
	int rest = memform_add(&q->forms, want, have, -1);
	if (rest < 0 || q->forms.form.v[rest].n || q->forms.form.v[want].bits != bits)
		return false;
	int64_t offset = q->forms.form.v[rest].constant;
	int there = memform_add(&q->forms, have, memform_constant(&q->forms, offset, bits), 1);
	if (bits == 32)
		there = memform_extend(&q->forms, there, 64, false);
	*o = opd_reg(reg);
	o->imm = offset;
	return there == form && offset == (int32_t)offset;
}

bool query_address(Queries *q, int key, int block, Opd *o)
{
	int form = key_form(q, key);
	live_each(q->live, q->live->out[block], reg)
		if (reg < q->c->f->reg.n && has_address(q, reg, block, form, o))
			return true;
	return false;
}
