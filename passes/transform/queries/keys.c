/* Keys of array references: what ends them within a block, and what they become along an edge. */
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

LocalKind query_down(Queries *q, int key, int block, int *access)
{
	int first = q->mem.first[block];
	const Block *b = q->c->f->block.v[block];
	int last = way_ends(q, b);
	if (made_at(q, key, block) >= 0)
		return LOCAL_KILLED;
	for (int a = first; a < first + q->mem.count[block] && q->mem.access[a].ins <= last; a++) {
		const MemAccess *x = &q->mem.access[a];
		*access = a;
		if (q->key_of[a] == key)
			return LOCAL_FOUND;
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

int query_over(Queries *q, int key, int pred, int block, int place, int *shifts)
{
	Edge e = { .q = q, .block = block, .pred = pred, .place = place, .ahead = place < 0 };
	int loop = q->c->nest->of[block];
	e.inside = loop >= 0 && q->c->nest->header[loop] == block && nest_within(q->c->nest, q->c->nest->of[pred], loop);
	int f = memform_substitute(&q->forms, key_form(q, key), along, &e);
	if (f != key_form(q, key) && (e.inside || loop < 0 || q->c->nest->header[loop] != block))
		++*shifts;
	return f < 0 ? -1 : query_key(q, key_class(q, key), f);
}
