/* Makes the remarks about a solution: what goes, where something new is put, and why the rest stays. */
#include "passes/transform/queries/queries.h"

static const char *block_label(const Queries *q, int block) { return q->c->f->block.v[block]->label; }

/* Returns why some way up from the QueryStart does not have the value, and in *block the end of which block
   that way comes from. NULL: no way has the value, or the reason is not known. */
static const char *missing_reason(Queries *q, int first, int *block)
{
	Vec(int) work = { 0 };
	const char *why = NULL;
	int stamp = ++q->stamp;
	vec_push(&work, first);
	while (work.n && !why) {
		QueryStart *s = &q->start.v[vec_pop(&work)];
		if (s->seen == stamp || s->avail || !s->hoped)
			continue;
		s->seen = stamp;
		for (int w = s->first; w < s->first + s->n && !why; w++) {
			const QueryWay *y = &q->way.v[w];
			const End *e = y->end >= 0 ? &q->end.v[y->end] : NULL;
			if (e && (e->kind == LOCAL_FOUND || (e->start >= 0 && q->start.v[e->start].avail)))
				continue;
			if (e && e->start >= 0)
				vec_push(&work, e->start);
			*block = y->pred;
			if (q->outside && q->outside[y->pred])
				why = "a divergent branch decides whether threads come there";
			else if (!s->safe)
				why = "not every way from there needs it";
			else if (!y->address)
				why = "no registers have what it reads there";
		}
	}
	vec_free(&work);
	return why;
}

static void remark_origin(Queries *q, const QueryOrigin *o)
{
	const Ins *i = query_load(q, o->access);
	int block = q->mem.access[o->access].block, at = -1;
	const char *why = !o->gone && o->start >= 0 ? missing_reason(q, o->start, &at) : NULL;
	if (o->gone)
		pass_remark(q->r, ins_loc(q->r->m, i), "%s of %s is read from a register",
			op_info[i->op].name, block_label(q, block));
	else if (why)
		pass_remark(q->r, ins_loc(q->r->m, i), "%s of %s stays: it is in a register on some way, and "
			"not at the end of %s: %s", op_info[i->op].name, block_label(q, block),
			block_label(q, at), why);
}

void queries_remark(Queries *q)
{
	if (!pass_explains(q->r))
		return;
	for (int o = 0; o < q->origin.n; o++)
		remark_origin(q, &q->origin.v[o]);
	for (int s = 0; s < q->start.n; s++)
		for (int w = q->start.v[s].first; q->start.v[s].needed &&
			w < q->start.v[s].first + q->start.v[s].n; w++) {
			const End *e = &q->end.v[q->way.v[w].end];
			const Ins *i = &q->pattern.v[key_class(q, q->start.v[s].key)];
			if (e->kind != LOCAL_FOUND && !(e->start >= 0 && q->start.v[e->start].avail))
				pass_remark(q->r, ins_loc(q->r->m, i), "%s: new at the end of %s, before %s",
					op_info[i->op].name, block_label(q, q->way.v[w].pred),
					block_label(q, q->start.v[s].block));
		}
}
