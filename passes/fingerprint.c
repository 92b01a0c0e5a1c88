#include "passes/fingerprint.h"

static unsigned long long hash_data(unsigned long long h, const void *p, size_t n)
{
	return hash_bytes(p, n, h);
}

static unsigned long long hash_text(unsigned long long h, const char *s)
{
	return hash_data(h, s, strlen(s) + 1);
}

/* Hashes field by field: a struct may have padding, whose bytes are undefined. */
static unsigned long long hash_operand(unsigned long long h, const Opd *o)
{
#define X(TYPE, NAME) o->NAME,
	int64_t v[] = { OPD_FIELDS(X) };
#undef X
	return hash_data(h, v, sizeof v);
}

static unsigned long long hash_marks(unsigned long long h, const Function *f, int mark)
{
	for (; mark; mark = f->mark.v[mark].next) {
		const Mark *x = &f->mark.v[mark];
		int v[] = { x->kind, x->source };
		h = hash_operand(hash_data(h, v, sizeof v), &x->value);
		for (int k = x->lanes; k; k = f->lanes.v[k].next)
			h = hash_data(h, (int[]){ f->lanes.v[k].reg, f->lanes.v[k].neg }, 2 * sizeof(int));
	}
	return h;
}

static unsigned long long hash_ins(unsigned long long h, const Function *f, const Ins *i)
{
#define FIELD(TYPE, NAME) i->NAME,
#define OTHERWISE(TYPE, NAME)      /* hash_marks has what the marks say */
	int64_t v[] = { INS_FIELDS(FIELD, FIELD, FIELD, OTHERWISE) };
#undef FIELD
#undef OTHERWISE
	h = hash_data(h, v, sizeof v);
	for (int k = 0; k < i->ndst + i->nsrc; k++)
		h = hash_operand(h, &i->opd[k]);
	return hash_marks(h, f, i->mark);
}

Fingerprint fingerprint(const Function *f)
{
	Fingerprint p = { 1, 2 };
	for (int b = 0; b < f->block.n; b++) {
		const Block *x = f->block.v[b];
		int v[] = { x->user, x->origin, x->nsucc, x->ins.n ? block_term(x)->op : -1 };
		p.graph = hash_text(hash_data(p.graph, v, sizeof v), x->label);
		for (int k = 0; k < x->nsucc; k++)
			p.graph = hash_text(p.graph, x->succ[k]->label);
		p.graph = hash_text(p.graph, x->reconverge ? x->reconverge->label : "");
		for (int k = 0; k < x->ins.n; k++)
			p.code = hash_ins(p.code, f, &x->ins.v[k]);
		p.code = hash_data(p.code, &x->ins.n, sizeof x->ins.n);
	}
	p.code = hash_data(p.code, &f->reg.n, sizeof f->reg.n);
	return p;
}
