/* Writes the code of a solution. Each key has a register. A load whose answer is yes becomes a move from its
 * key's register; behind a load that was found a move puts the value into that register; where a way has no
 * value, a load is inserted; and on an edge on which a key is rewritten, a move copies the register of one
 * key to that of the other. */
#include "passes/transform/queries/queries.h"

typedef struct EdgeCopy { int to, from; } EdgeCopy; /* from the register of one key to that of another */
/* What is put on the edge from pred to block: copies, and the ways that get a load. */
typedef struct EdgeTail { int pred, block; Vec(EdgeCopy) copy; Vec(int) way; } EdgeTail;

typedef struct QueryEmit {
	Queries *q;
	Edit e;
	Vec(int) reg;                  /* by key: its register, or -1 */
	bool *keep;                    /* by access: its value has to go into its key's register */
	Vec(EdgeTail) tail;
	Keys edges;
} QueryEmit;

/* ---- instructions ---- */

int query_reg(Queries *q, Edit *e, int key)
{
	return edit_reg(e, "kept", (Type)e->f->reg.v[ins_dst(&q->pattern.v[key_class(q, key)], 0)->id].type);
}

void query_put(Queries *q, Edit *e, Block *b, int key, int reg, const Address *address, bool marked)
{
	Ins load = edit_copy(e, &q->pattern.v[key_class(q, key)]);
	load.origin = e->origin;
	load.melded = load.mark = 0;
	*ins_dst(&load, 0) = opd_reg(reg);
	if (load.op == OP_LD) {
		load.flags = (uint8_t)(marked ? load.flags | INSF_NONFAULTING
			: load.flags & ~INSF_NONFAULTING);
		*ins_src(&load, 0) = query_make(q, e, b, address);
	}
	for (int k = 0, j = 0; load.op != OP_LD && k < load.nsrc; k++)
		if (ins_src(&load, k)->kind == OPD_REG)
			*ins_src(&load, k) = address->source[j++];
	edit_insert(e, b, b->ins.n - 1, load);
}

/* Inserts a test that sets predicate p if registers a and b differ. */
static void put_differ(Edit *e, Rewrite *rw, const Ins *i, int p, int a, int b, Type t)
{
	Ins test = edit_new(e, i, t == T_PRED ? OP_XOR : OP_SETP, t, 1, 2);
	test.cmp = t == T_PRED ? 0 : CMP_NE;
	test.opd[0] = opd_reg(p);
	test.opd[1] = opd_reg(a);
	test.opd[2] = opd_reg(b);
	edit_put(rw, test);
}

/* Option check: the load stays, and a thread in which it gives something else than register `from` aborts the
   launch. */
static void put_check(Queries *q, Edit *e, Rewrite *rw, const Ins *i, int from)
{
	int d = ins_dst(i, 0)->id, bits = type_bits[e->f->reg.v[d].type],
		loaded = edit_reg(e, "loaded", (Type)e->f->reg.v[d].type);
	Type t = e->f->reg.v[d].type == T_PRED ? T_PRED : bits == 64 ? T_U64 : bits == 32 ? T_U32 : T_U16;
	int a = edit_reg(e, "have", t), b = edit_reg(e, "want", t), p = edit_reg(e, "differ", T_PRED);
	Ins place = edit_new(e, i, OP_MOV, T_B32, 1, 1), load = edit_copy(e, i);
	*ins_dst(&load, 0) = opd_reg(loaded);
	vec_push(&q->done.check, loaded);
	edit_put(rw, load);
	edit_put(rw, ins_move(e->m, e->f, &place, d, from));
	edit_put(rw, ins_move(e->m, e->f, &place, a, from));
	edit_put(rw, ins_move(e->m, e->f, &place, b, loaded));
	put_differ(e, rw, i, p, a, b, t);
	Ins trap = edit_new(e, i, OP_TRAP, T_NONE, 0, 0);
	trap.guard = p;
	edit_put(rw, trap);
}

void query_take(Queries *q, Edit *e, Rewrite *rw, const Ins *i, int from)
{
	if (q->check)
		put_check(q, e, rw, i, from);
	else
		edit_put_instead(rw, ins_move(e->m, e->f, i, ins_dst(i, 0)->id, from));
	q->done.removed++;
}

static int key_reg(QueryEmit *x, int key)
{
	while (x->reg.n <= key)
		vec_push(&x->reg, -1);
	if (x->reg.v[key] < 0)
		x->reg.v[key] = query_reg(x->q, &x->e, key);
	return x->reg.v[key];
}

static EdgeTail *tail_of_edge(QueryEmit *x, int pred, int block)
{
	int n = keys_number(&x->edges, (int64_t[]){ pred, block }, 2);
	if (n == x->tail.n)
		vec_push(&x->tail, ((EdgeTail){ .pred = pred, .block = block }));
	return &x->tail.v[n];
}

/* ---- what is wanted ---- */

static void want_start(QueryEmit *x, int first)
{
	Queries *q = x->q;
	Vec(int) work = { 0 };
	vec_push(&work, first);
	while (work.n) {
		QueryStart *s = &q->start.v[vec_pop(&work)];
		if (s->needed)
			continue;
		s->needed = true;
		for (int w = s->first; w < s->first + s->n; w++) {
			const QueryWay *y = &q->way.v[w];
			const End *e = &q->end.v[y->end];
			bool found = e->kind == LOCAL_FOUND, passed = e->start >= 0 &&
				q->start.v[e->start].avail;
			if (!found && !passed) {
				vec_push(&tail_of_edge(x, y->pred, s->block)->way, w);
				continue;
			}
			if (e->key != s->key)
				vec_push(&tail_of_edge(x, y->pred, s->block)->copy,
					((EdgeCopy){ s->key, e->key }));
			if (found)
				x->keep[e->access] = true;
			else
				vec_push(&work, e->start);
		}
	}
	vec_free(&work);
}

/* ---- on edges ---- */

static void put_move(QueryEmit *x, Block *b, const Ins *like, int to, int from)
{
	Ins place = edit_new(&x->e, like, OP_MOV, T_B32, 1, 1);
	edit_insert(&x->e, b, b->ins.n - 1, ins_move(x->e.m, x->e.f, &place, to, from));
	x->q->done.copied++;
}

/* Puts the edge's copies into the block so that they act as if all were made at once: a copy comes first if
   no other one still has to read the register that it writes. If there is no such copy, some form a ring;
   then a new register takes one of their values. */
static void put_edge_copies(QueryEmit *x, Block *b, const Ins *like, EdgeTail *t)
{
	while (t->copy.n) {
		int k = 0, j = 0;
		for (; k < t->copy.n; k++) {
			for (j = 0; j < t->copy.n && (j == k || t->copy.v[j].from != t->copy.v[k].to); j++)
				;
			if (j == t->copy.n)
				break;
		}
		if (k == t->copy.n) {      /* all copies that are left form rings */
			int old = t->copy.v[0].from, none = -2 - x->reg.n,
				fresh = query_key(x->q, key_class(x->q, old), &none, 1);
			put_move(x, b, like, key_reg(x, fresh), key_reg(x, old));
			for (k = 0; k < t->copy.n; k++)
				t->copy.v[k].from = t->copy.v[k].from == old ? fresh : t->copy.v[k].from;
			continue;
		}
		put_move(x, b, like, key_reg(x, t->copy.v[k].to), key_reg(x, t->copy.v[k].from));
		vec_remove(&t->copy, k);
	}
}

static void put_load(QueryEmit *x, Block *b, int way)
{
	const QueryWay *w = &x->q->way.v[way];
	const QueryStart *s = &x->q->start.v[w->start];
	query_put(x->q, &x->e, b, s->key, key_reg(x, s->key), &w->at, s->marked);
	x->q->done.inserted++;
}

static void put_tail(QueryEmit *x, EdgeTail *t)
{
	Block *p = x->e.f->block.v[t->pred], *s = x->e.f->block.v[t->block], *b = p;
	const Ins *like = &x->q->pattern.v[0];
	if (p->nsucc > 1)
		b = edit_split_edge(&x->e, p, s, "_edge");
	put_edge_copies(x, b, like, t);
	for (int k = 0; k < t->way.n; k++)
		put_load(x, b, t->way.v[k]);
}

static void rewrite_queries(QueryEmit *x, Block *b)
{
	Queries *q = x->q;
	Rewrite rw;
	int k = 0;
	for (const Ins *i = edit_rewrite(&rw, &x->e, b); i; i = edit_next(&rw), k++) {
		int a = memdep_find(&q->mem, b->id, k), o = a >= 0 ? q->origin_of[a] : -1;
		bool gone = o >= 0 && q->origin.v[o].gone;
		if (gone)
			query_take(q, &x->e, &rw, i, key_reg(x, q->origin.v[o].key));
		else
			edit_put(&rw, *i);
		if (!gone && a >= 0 && x->keep[a]) {
			Ins place = edit_new(&x->e, i, OP_MOV, T_B32, 1, 1);
			edit_put(&rw, ins_move(x->e.m, x->e.f, &place, key_reg(x, q->key_of[a]),
				ins_dst(i, 0)->id));
		}
	}
}

bool queries_emit(Queries *q)
{
	QueryEmit x = { .q = q, .e = edit_open(q->r->m, q->r->f, q->r->origin),
		.keep = arena_array(&q->arena, bool, q->mem.naccess + 1), .edges = { .a = &q->arena } };
	bool any = false;
	for (int s = 0; s < q->start.n; s++)
		q->start.v[s].needed = false;
	for (int o = 0; o < q->origin.n; o++) {
		const QueryOrigin *y = &q->origin.v[o];
		any |= y->gone;
		if (y->gone && y->local >= 0)
			x.keep[y->local] = true;
		else if (y->gone)
			want_start(&x, y->start);
	}
	queries_remark(q);
	for (int k = 0; any && k < q->c->nreach; k++)
		rewrite_queries(&x, x.e.f->block.v[q->c->rpo[k]->id]);
	for (int k = 0; k < x.tail.n; k++) {
		put_tail(&x, &x.tail.v[k]);
		vec_free(&x.tail.v[k].copy);
		vec_free(&x.tail.v[k].way);
	}
	vec_free(&x.reg);
	vec_free(&x.tail);
	edit_close(&x.e);
	return any;
}
