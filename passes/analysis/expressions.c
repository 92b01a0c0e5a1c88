#include "passes/analysis/expressions.h"
#include "lib/diag.h"
#include <stddef.h>

typedef struct Candidate { const Ins *i; int block, ins, at; } Candidate; /* at: its place among the candidates */

static bool is_candidate(const EffectTable *t, const Ins *i, uint8_t *reads)
{
	Effects e = ins_effects(t, i);
	bool load = i->op == OP_LD && i->sem <= SEM_WEAK && !e.ordered;
	*reads = e.reads & SPACES_WRITTEN;
	return i->guard < 0 && i->ndst == 1 && ins_dst(i, 0)->kind == OPD_REG && !e.convergent && (effects_pure(&e) || load);
}

static int compare_operands(const Opd *a, const Opd *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->neg != b->neg)
		return a->neg < b->neg ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->imm < b->imm ? -1 : a->imm > b->imm;
}

/* Source k, where sources that commute stand in order. */
static const Opd *source(const Ins *i, int k)
{
	bool swap = op_info[i->op].flags & OPF_COMM && i->nsrc >= 2 && compare_operands(ins_src(i, 0), ins_src(i, 1)) > 0;
	return ins_src(i, swap && k < 2 ? 1 - k : k);
}

/* Operation, types and modifiers lie side by side in Ins, in front of the guard. */
static int compare_patterns(const Ins *a, const Ins *b)
{
	int c = memcmp(a, b, offsetof(Ins, guard_neg));
	if (!c && a->nsrc != b->nsrc)
		return a->nsrc < b->nsrc ? -1 : 1;
	for (int k = 0; !c && k < a->nsrc; k++)
		c = compare_operands(source(a, k), source(b, k));
	return c;
}

static int by_pattern(const void *x, const void *y)
{
	const Candidate *a = x, *b = y;
	int c = compare_patterns(a->i, b->i);
	return c ? c : a->at < b->at ? -1 : a->at > b->at;
}

static void find(Arena *a, const Cfg *c, const EffectTable *t, Expressions *x)
{
	Vec(Candidate) all = { 0 };
	uint8_t reads;
	for (int k = 0; k < c->nreach; k++)
		for (int i = 0; i < c->rpo[k]->ins.n; i++)
			if (is_candidate(t, &c->rpo[k]->ins.v[i], &reads)) {
				Candidate y = { &c->rpo[k]->ins.v[i], c->rpo[k]->id, i, all.n };
				vec_push(&all, y);
			}
	int n = x->noccurrence = all.n, *first = xcalloc((size_t)n + 1, sizeof *first);
	x->occurrence = arena_array(a, Occurrence, n + 1);
	x->pattern = arena_array(a, const Ins *, n + 1);
	for (int k = 0; k < n; k++)
		x->occurrence[k] = (Occurrence){ all.v[k].block, all.v[k].ins, -1 };
	if (n)
		qsort(all.v, (size_t)n, sizeof *all.v, by_pattern);
	for (int k = 0, group = 0; k < n; k++) { /* first: of each candidate's pattern, its first one */
		if (compare_patterns(all.v[group].i, all.v[k].i))
			group = k;
		first[all.v[k].at] = all.v[group].at;
	}
	for (int k = 0; k < n; k++) { /* numbers in the order in which patterns first stand in the code */
		Occurrence *o = &x->occurrence[k];
		if (first[k] == k)
			x->pattern[x->n] = &c->f->block.v[o->block]->ins.v[o->ins];
		o->expression = first[k] == k ? x->n++ : x->occurrence[first[k]].expression;
	}
	free(first);
	vec_free(&all);
}

static void index_readers(Arena *a, const Cfg *c, Expressions *x)
{
	int nreg = function_values(c->f), n = 0;
	x->reader_first = arena_array(a, int, nreg + 2);
	for (int pass = 0; pass < 2; pass++) {
		for (int e = 0; e < x->n; e++)
			for (int k = 0; k < x->pattern[e]->nsrc; k++) {
				const Opd *o = ins_src(x->pattern[e], k);
				if (o->kind == OPD_REG && pass)
					x->reader[x->reader_first[o->id + 1]++] = e;
				else if (o->kind == OPD_REG)
					x->reader_first[o->id + 2]++, n++;
			}
		for (int r = 0; !pass && r < nreg; r++)
			x->reader_first[r + 1] += x->reader_first[r];
		if (!pass)
			x->reader = arena_array(a, int, n + 1);
	}
}

typedef struct Kill { Expressions *x; int block; } Kill;

static void kill_one(Kill *k, int e)
{
	bs_add(k->x->modified[k->block], e);
	bs_del(k->x->last[k->block], e);
}

static void kill_readers(void *self, int reg)
{
	Kill *k = self;
	for (int i = k->x->reader_first[reg]; i < k->x->reader_first[reg + 1]; i++)
		kill_one(k, k->x->reader[i]);
}

static void scan_blocks(const Cfg *c, const EffectTable *t, Expressions *x, const uint8_t *reads)
{
	const Occurrence *o = x->occurrence;
	for (int b = 0; b < c->nreach; b++)
		for (int i = 0, id = c->rpo[b]->id; i < c->rpo[b]->ins.n; i++) {
			const Ins *ins = &c->rpo[b]->ins.v[i];
			Kill k = { x, id };
			if (o < x->occurrence + x->noccurrence && o->block == id && o->ins == i) {
				if (!bs_has(x->modified[id], o->expression))
					bs_add(x->first[id], o->expression);
				bs_add(x->last[id], o->expression);
				o++;
			}
			ins_defs(c->f, ins, kill_readers, &k);
			Effects e = ins_effects(t, ins);
			for (int y = 0; (e.writes || e.ordered) && y < x->n; y++)
				if (reads[y] && (e.ordered || e.writes & reads[y]))
					kill_one(&k, y);
		}
}

Expressions *expressions_build(Arena *a, const Cfg *c, const EffectTable *t)
{
	must(cfg_fresh(c));
	Expressions *x = arena_new(a, Expressions);
	find(a, c, t, x);
	index_readers(a, c, x);
	uint8_t *reads = xcalloc((size_t)x->n + 1, 1);
	for (int e = 0; e < x->n; e++)
		is_candidate(t, x->pattern[e], &reads[e]);
	x->first = flow_sets(a, c->n, x->n);
	x->last = flow_sets(a, c->n, x->n);
	x->modified = flow_sets(a, c->n, x->n);
	scan_blocks(c, t, x, reads);
	free(reads);
	return x;
}

static void print_set(const Cfg *c, BitSet set, const char *name, StrBuf *s)
{
	sb_printf(s, " %s", name);
	bs_each(set, e)
		sb_printf(s, " %d", e);
}

void expressions_print(const Cfg *c, const Expressions *x, StrBuf *s)
{
	for (int e = 0; e < x->n; e++) {
		const Ins *i = x->pattern[e];
		sb_printf(s, "  %d: %s.%s", e, op_info[i->op].name, type_name[i->type]);
		for (int k = 0; k < i->nsrc; k++)
			if (ins_src(i, k)->kind == OPD_REG)
				sb_printf(s, " %s", function_value_name(c->f, ins_src(i, k)->id));
			else
				sb_printf(s, " #%lld", (long long)ins_src(i, k)->imm);
		sb_putc(s, '\n');
	}
	for (int b = 0; b < c->nreach; b++) {
		sb_printf(s, "  %s:", c->rpo[b]->label);
		print_set(c, x->first[c->rpo[b]->id], "first", s);
		print_set(c, x->last[c->rpo[b]->id], "; last", s);
		print_set(c, x->modified[c->rpo[b]->id], "; modified", s);
		sb_putc(s, '\n');
	}
}
