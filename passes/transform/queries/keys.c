/* Keys of queries: which instructions of a block give or may change a key's value, and what a key becomes
   along an edge. */
#include "passes/transform/queries/queries.h"
#include "passes/constants.h"

int query_key(Queries *q, int class, const int *forms, int n)
{
	const Ins *i = &q->pattern.v[class];
	int64_t v[1 + FORMS_MOST] = { class };
	bool both = n > 1 && ins_src(i, 0)->kind == OPD_REG && ins_src(i, 1)->kind == OPD_REG,
		turned = both && ins_turned(i, forms);
	for (int k = 0; k < n; k++)
		v[1 + k] = forms[turned && k < 2 ? 1 - k : k];
	return keys_number(&q->keys, v, 1 + n);
}

int key_forms(const Queries *q, int key, int *forms)
{
	const Ins *i = &q->pattern.v[key_class(q, key)];
	int n = 0;
	for (int k = 0; k < i->nsrc; k++)
		n += ins_src(i, k)->kind == OPD_REG;
	n = i->op == OP_LD ? 1 : n;
	for (int k = 0; k < n; k++)
		forms[k] = (int)keys_key(&q->keys, key)[1 + k];
	return n;
}

bool key_mentions(const Queries *q, int key, bool (*is)(void *, const MemAtom *), void *self)
{
	int forms[FORMS_MOST], n = key_forms(q, key, forms);
	bool any = false;
	for (int k = 0; k < n && !any; k++)
		any = memform_mentions(&q->forms, forms[k], is, self);
	return any;
}

/* What instructions other than copies compute is known for integers of 32 and 64 bits alone. */
int query_value(Queries *q, int version, int bits)
{
	for (int k = 0; k < QUERY_COPIES; k++) {
		const SsaVersion *v = &q->ssa->version[version];
		const Ins *i = ssa_writer(q->c, q->ssa, version);
		if (!i || i->guard >= 0 || !ins_copies(q->c->f, i))
			break;
		version = ssa_src(q->ssa, i, v->block, v->ins, 0);
	}
	return memdep_value(&q->mem, &q->forms, version, bits);
}

/* ---- within a block ---- */

static MemAccess as_access(Queries *q, int key)
{
	const Ins *i = &q->pattern.v[key_class(q, key)];
	Effects e = ins_effects(NULL, i);
	return (MemAccess){ .size = type_bytes(i->type), .reads = e.reads, .generic = i->space == SP_GENERIC,
		.form = { key_form(q, key), key_form(q, key) } };
}

static bool ends_key(Queries *q, int key, int access)
{
	MemAccess x = as_access(q, key);
	q->mem.form = q->forms.form.v;
	q->mem.atom = q->forms.atom.v;
	q->patience--;
	return memdep_orders_access(&q->mem, &q->ask, &x, access);
}

typedef struct MadeAt { const Queries *q; int block, ins; } MadeAt;

static bool made_here(void *self, const MemAtom *a)
{
	MadeAt *m = self;
	const SsaVersion *v = a->kind == ATOM_VERSION ? &m->q->ssa->version[a->id] : NULL;
	if (v && v->block == m->block && v->ins > m->ins)
		m->ins = v->ins;
	return false;
}

/* The last instruction of the block that writes a version of which the key's forms are made; -1: none. */
static int made_at(Queries *q, int key, int block)
{
	MadeAt m = { q, block, -1 };
	key_mentions(q, key, made_here, &m);
	return m.ins;
}

/* Of the accesses that have the key, the place in keyed of the first one whose number is `access` or more. */
static int first_keyed(const Queries *q, int key, int access)
{
	int low = q->keyed_first[key], high = q->keyed_first[key + 1];
	while (low < high) {
		int mid = low + (high - low) / 2;
		if (q->keyed[mid] < access)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The operation that has the key in the block: if `from` is not 0, the last one in front of instruction
   `from`; else the first one up to instruction `to`. -1: there is none. */
static int operation_in(const Queries *q, int key, int block, int from, int to)
{
	if (key >= q->first_of.n)
		return -1;
	int first = q->mem.first[block], end = first + q->mem.count[block];
	if (!from) {
		int k = first_keyed(q, key, first);
		bool is = k < q->keyed_first[key + 1] && q->keyed[k] < end;
		return is && q->mem.access[q->keyed[k]].ins <= to ? q->keyed[k] : -1;
	}
	for (int low = first; low < end;) {
		int mid = low + (end - low) / 2;
		if (q->mem.access[mid].ins < from)
			low = mid + 1;
		else
			end = mid;
	}
	int k = first_keyed(q, key, end) - 1;
	return k >= q->keyed_first[key] && q->keyed[k] >= first ? q->keyed[k] : -1;
}

LocalKind query_up(Queries *q, int key, int block, int from, int *access)
{
	int made = made_at(q, key, block), first = q->mem.first[block];
	if (!key_loads(q, key)) {
		*access = from ? operation_in(q, key, block, from, 0) : -1;
		if (*access >= 0 && q->mem.access[*access].ins > made)
			return LOCAL_FOUND;
		return made >= 0 ? LOCAL_KILLED : LOCAL_PASS;
	}
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

/* The first instruction of the block at which a thread may end, so that it does not come to the next one; if
   there is none, the block's last instruction. */
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
	if (!key_loads(q, key)) {
		*access = operation_in(q, key, block, 0, last);
		return *access >= 0 ? LOCAL_FOUND : last + 1 < b->ins.n ? LOCAL_KILLED : LOCAL_PASS;
	}
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

typedef struct KeyEdge { Queries *q; int block, pred, place; bool inside, ahead, dead; } KeyEdge;

static int along(void *self, int atom, int bits)
{
	KeyEdge *e = self;
	Queries *q = e->q;
	const MemAtom a = q->forms.atom.v[atom];
	if (a.kind == ATOM_TURN && q->c->nest->header[a.id] == e->block) {
		if (!e->inside)
			return e->ahead ? MEMFORM_NONE : memform_constant(&q->forms, 0, bits);
		return memform_add(&q->forms, memform_atom(&q->forms, atom, bits),
			memform_constant(&q->forms, 1, bits), e->ahead ? -1 : 1);
	}
	const SsaVersion *v = a.kind == ATOM_VERSION ? &q->ssa->version[a.id] : NULL;
	if (!v || v->block != e->block || v->ins != SSA_PHI)
		return MEMFORM_STAYS;
	if (e->ahead)
		return MEMFORM_NONE;
	int arg = q->ssa->phi[v->phi].arg[e->place], own = memdep_version_bits(&q->mem, a.id),
		f = query_value(q, arg, own < bits ? own : bits);
	if (f >= 0 && own < bits)
		f = memform_extend(&q->forms, f, bits, false);
	return f < 0 ? MEMFORM_NONE : f;
}

static bool changes_here(void *self, const MemAtom *a)
{
	const KeyEdge *e = self;
	const SsaVersion *v = a->kind == ATOM_VERSION ? &e->q->ssa->version[a->id] : NULL;
	return (v && v->block == e->block && v->ins == SSA_PHI) ||
		(a->kind == ATOM_TURN && e->q->c->nest->header[a->id] == e->block);
}

int query_over(Queries *q, int key, int pred, int block, int place, int *shifts)
{
	KeyEdge e = { .q = q, .block = block, .pred = pred, .place = place, .ahead = place < 0 };
	if (!key_mentions(q, key, changes_here, &e))
		return key;
	int loop = q->c->nest->of[block];
	e.inside = loop >= 0 && q->c->nest->header[loop] == block &&
		nest_within(q->c->nest, q->c->nest->of[pred], loop);
	int forms[FORMS_MOST], n = key_forms(q, key, forms);
	bool changed = false;
	for (int k = 0; k < n; k++) {
		int f = memform_substitute(&q->forms, forms[k], along, &e);
		changed |= f != forms[k];
		forms[k] = f;
		if (f < 0)
			return -1;
	}
	/* to carry an operation's result to the next turn costs as much as to compute it there */
	if (changed && e.inside && !key_loads(q, key))
		return -1;
	if (changed && (e.inside || loop < 0 || q->c->nest->header[loop] != block))
		++*shifts;
	return query_key(q, key_class(q, key), forms, n);
}
