/* Speculation: a load in an arm of a divergent branch goes to the branch, since a warp that parts there
 * executes both arms anyway. J. Fukuhara's thesis, chapter 4.3.3 and algorithm 2.
 *
 * That is done if from the end of the branch's block every way loads the value before the point where the
 * arms meet again; at a divergent branch with two arms it is enough that one of them does. All these loads
 * go, and one at the branch replaces them: a warp whose lanes part at each of these branches loads no more
 * often. A branch to which threads can come back before its arms have met (the exit of a loop) is no such
 * branch, all its arms have to load: it is executed several times for one load. */
#include "passes/transform/queries/queries.h"

enum { NOT_ASKED, EITHER_ARM, ALL_ARMS };

/* ---- which branches ---- */

/* Does a way lead from the block back to itself that does not pass the point where threads that part there
   meet again? */
static bool way_comes_back(Queries *q, int block)
{
	Arena tmp = { 0 };
	BitSet seen = bs_new(&tmp, q->c->n);
	Vec(int) work = { 0 };
	bool back = false;
	vec_push(&work, block);
	while (work.n && !back) {
		const IntList *succ = &q->c->graph->succ[vec_pop(&work)];
		for (int k = 0; k < succ->n; k++) {
			int s = succ->v[k];
			back |= s == block;
			if (s != q->point[block] && !bs_has(seen, s)) {
				bs_add(seen, s);
				vec_push(&work, s);
				q->patience--;
			}
		}
	}
	vec_free(&work);
	arena_free(&tmp);
	return back || q->patience <= 0;
}

bool hoist_either(Queries *q, int block)
{
	if (!q->arms[block])
		q->arms[block] = q->parts[block] && q->c->graph->succ[block].n == 2 &&
			!way_comes_back(q, block)
			? EITHER_ARM : ALL_ARMS;
	return q->arms[block] == EITHER_ARM;
}

/* ---- ways up ---- */

/* The key that the load's question has when it comes up to the end of the block, which dominates the load.
   -1: it comes there with different keys, or not on all ways, or another load in between has the value. */
static int key_at(Queries *q, int access, int block)
{
	const QueryOrigin *o = q->origin_of[access] >= 0 ? &q->origin.v[q->origin_of[access]] : NULL;
	Vec(int) work = { 0 };
	int key = -1, stamp = ++q->stamp;
	bool ok = o && o->start >= 0 && dom_dominates(q->dom, block, q->mem.access[access].block);
	if (ok)
		vec_push(&work, o->start);
	while (ok && work.n) {
		QueryStart *s = &q->start.v[vec_pop(&work)];
		if (s->seen == stamp)
			continue;
		s->seen = stamp;
		ok = s->expanded && s->n && s->block != q->c->rpo[0]->id && q->patience > 0;
		for (int w = s->first; ok && w < s->first + s->n; w++) {
			const End *e = q->way.v[w].end >= 0 ? &q->end.v[q->way.v[w].end] : NULL;
			q->patience--;
			if (e && e->block == block) {
				ok = key < 0 || key == e->key;
				key = e->key;
			} else if (e && e->kind == LOCAL_PASS) {
				vec_push(&work, e->start);
			} else {
				ok = false;
			}
		}
	}
	vec_free(&work);
	return ok ? key : -1;
}

bool hoist_takes(Queries *q, const Branch *from, int access)
{
	return q->taken[access] < 0 && key_at(q, access, from->block) == from->key;
}

/* ---- one load ---- */

/* Why a load cannot stand at the branch of a block: of the branches tried, the one furthest up. */
typedef struct HoistLimit { const char *why; int block; } HoistLimit;

/* May the load stand at the end of the branch's block? Fills *h; if it may not, *r says why. */
static bool may_stand(Queries *q, int access, const Branch *b, Hoist *h, HoistLimit *r)
{
	Ins marked = *query_load(q, access);
	*h = (Hoist){ .block = b->block, .key = b->key };
	r->block = b->block;
	if (!query_address(q, b->key, b->block, &h->at)) {
		r->why = "its address cannot be made";
		return false;
	}
	bool safe = !q->forms.mode && safe_form(q->safe, (Space)marked.space,
		&q->forms.form.v[key_form(q, b->key)], type_bytes(marked.type), b->block,
		q->c->f->block.v[b->block]->ins.n - 1) != SAFE_NOT;
	h->marked = marked.flags & INSF_NONFAULTING || !safe;
	marked.flags |= INSF_NONFAULTING;
	if (h->marked && !(q->nonfaulting && ins_allowed(q->r->m, q->r->f, &marked))) {
		r->why = "it may fault";
		return false;
	}
	return true;
}

static bool among(const Queries *q, int from, int to, int access)
{
	for (int k = from; k < to; k++)
		if (q->found.v[k] == access)
			return true;
	return false;
}

/* Moves the load to the branch furthest up at which it may stand: adds a Hoist. If there is none, a remark
   may say why. */
static void raise_load(Queries *q, int access)
{
	const MemAccess *a = &q->mem.access[access];
	const Ins *load = query_load(q, access);
	Hoist best = { .block = -1 }, h;
	HoistLimit r = { 0 };
	int mark = q->found.n;
	for (int n = q->dom->idom[a->block]; n >= 0 && q->patience > 0; n = q->dom->idom[n]) {
		if (!hoist_either(q, n))
			continue;
		Branch b = { n, key_at(q, access, n), q->point[n] };
		int from = q->found.n;
		if (b.key < 0)
			break;
		if (!query_arms(q, b.key, &b) || !among(q, from, q->found.n, access) ||
			!may_stand(q, access, &b, &h, &r))
			continue;
		h.first = from;
		h.n = q->found.n - from;
		best = h;
	}
	if (best.block < 0) {
		if (r.why)
			pass_remark(q->r, ins_loc(q->r->m, load),
				"%s of %s stays: at the divergent branch of %s %s", op_info[load->op].name,
				q->c->f->block.v[a->block]->label, q->c->f->block.v[r.block]->label, r.why);
		q->found.n = mark;
		return;
	}
	for (int k = best.first; k < best.first + best.n; k++)
		q->taken[q->found.v[k]] = q->hoist.n;
	vec_push(&q->hoist, best);
}

static void remark_moved(Queries *q, const Hoist *h)
{
	for (int k = h->first; k < h->first + h->n; k++) {
		const Ins *load = query_load(q, q->found.v[k]);
		if (!among(q, k + 1, h->first + h->n, q->found.v[k]))
			pass_remark(q->r, ins_loc(q->r->m, load),
				"%s of %s moves to the divergent branch of %s%s", op_info[load->op].name,
				q->c->f->block.v[q->mem.access[q->found.v[k]].block]->label,
				q->c->f->block.v[h->block]->label, h->marked ? ", and does not fault there"
				: "");
	}
}

/* ---- all ---- */

static void replace_hoisted(Queries *q, Edit *e, Block *b)
{
	Rewrite rw;
	int k = 0;
	for (const Ins *i = edit_rewrite(&rw, e, b); i; i = edit_next(&rw), k++) {
		int a = memdep_find(&q->mem, b->id, k);
		if (a >= 0 && q->taken[a] >= 0 && q->taken[a] < q->hoists)
			query_take(q, e, &rw, i, q->hoist.v[q->taken[a]].reg);
		else
			edit_put(&rw, *i);
	}
}

void hoists_emit(Queries *q)
{
	Arena tmp = { 0 };
	int n = q->c->n;
	bool *touched = arena_array(&tmp, bool, n + 1);
	Edit e = edit_open(q->r->m, q->r->f, q->r->origin);
	for (int k = 0; k < q->hoists; k++)
		q->hoist.v[k].reg = query_reg(q, &e, q->hoist.v[k].key);
	for (int a = 0; a < q->mem.naccess; a++)
		touched[q->mem.access[a].block] |= q->taken[a] >= 0 && q->taken[a] < q->hoists;
	for (int b = 0; b < n; b++)
		if (touched[b])
			replace_hoisted(q, &e, e.f->block.v[b]);
	for (int k = 0; k < q->hoists; k++) {
		const Hoist *h = &q->hoist.v[k];
		query_put(q, &e, e.f->block.v[h->block], h->key, h->reg, &h->at, h->marked);
		q->done.raised++;
	}
	edit_close(&e);
	arena_free(&tmp);
}

bool queries_hoist(Queries *q)
{
	const Cfg *c = q->c;
	q->taken = arena_array(&q->arena, int, q->mem.naccess + 1);
	q->arms = arena_array(&q->arena, int8_t, c->n + 1);
	q->point = pdom_points(&q->arena, c, analysis_pdom(q->r->an));
	q->safe = analysis_safe(q->r->an);
	for (int a = 0; a < q->mem.naccess; a++)
		q->taken[a] = -1;
	for (int o = 0; o < q->origin.n && q->patience > 0; o++)
		if (!q->origin.v[o].gone && q->taken[q->origin.v[o].access] < 0)
			raise_load(q, q->origin.v[o].access);
	queries_fit_hoists(q);
	for (int k = 0; k < q->hoists; k++)
		remark_moved(q, &q->hoist.v[k]);
	if (q->hoists)
		hoists_emit(q);
	return q->hoists > 0;
}
