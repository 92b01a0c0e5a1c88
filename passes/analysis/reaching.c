#include "passes/analysis/reaching.h"
#include "passes/analysis/print.h"
#include "lib/diag.h"

/* Calls visit for each version whose value another version may take over: an argument of a phi, or the
   version that a guarded definition leaves in place. */
static void each_step(const Ssa *s, void (*visit)(Reaching *, int from, int to), Reaching *r)
{
	for (int v = 0; v < s->n; v++) {
		if (s->version[v].old >= 0)
			visit(r, s->version[v].old, v);
		for (int k = 0; s->version[v].phi >= 0 && k < s->phi[s->version[v].phi].narg; k++)
			visit(r, s->phi[s->version[v].phi].arg[k], v);
	}
}

static void count_step(Reaching *r, int from, int to) { r->into_first[from + 2]++; }
static void put_step(Reaching *r, int from, int to) { r->into[r->into_first[from + 1]++] = to; }

static void sum_counts(int *first, int n)
{
	for (int k = 0; k < n; k++)
		first[k + 1] += first[k];
}

Reaching *reaching_build(Arena *a, const Cfg *c, const Ssa *s)
{
	must(cfg_fresh(c));
	Reaching *r = arena_new(a, Reaching);
	r->walk = arena_new(a, struct ReachingWalk);
	int **all[] = { &r->read_first, &r->into_first, &r->walk->seen, &r->walk->stack };
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		*all[k] = arena_array(a, int, s->n + 3);
	r->ssa = s;
	each_step(s, count_step, r);
	sum_counts(r->into_first, s->n + 1);
	r->into = arena_array(a, int, r->into_first[s->n + 1] + 1);
	each_step(s, put_step, r);
	int nuse = s->use_first[s->nins];
	for (int u = 0; u < nuse; u++)
		r->read_first[s->use[u] + 2]++;
	sum_counts(r->read_first, s->n + 1);
	r->read = arena_array(a, Reading, nuse + 1);
	for (int i = 0; i < c->nreach; i++)
		for (int b = c->rpo[i]->id, k = 0; k < c->rpo[i]->ins.n; k++)
			for (int at = s->ins_first[b] + k, u = s->use_first[at]; u < s->use_first[at + 1];
				u++)
				r->read[r->read_first[s->use[u] + 1]++] =
					(Reading){ b, k, u - s->use_first[at] };
	return r;
}

static void push_version(const Reaching *r, int *n, int version)
{
	if (r->walk->seen[version] == r->walk->stamp)
		return;
	r->walk->seen[version] = r->walk->stamp;
	r->walk->stack[(*n)++] = version;
}

int reaching_defs(const Reaching *r, int version, int *def)
{
	const Ssa *s = r->ssa;
	int n = 0, found = 0;
	r->walk->stamp++;
	push_version(r, &n, version);
	while (n) {
		int v = r->walk->stack[--n];
		const SsaVersion *x = &s->version[v];
		if (x->phi < 0)
			def[found++] = v;
		if (x->old >= 0)
			push_version(r, &n, x->old);
		for (int k = 0; x->phi >= 0 && k < s->phi[x->phi].narg; k++)
			push_version(r, &n, s->phi[x->phi].arg[k]);
	}
	return found;
}

int reaching_uses(const Reaching *r, int version, Reading *read)
{
	int n = 0, found = 0;
	r->walk->stamp++;
	push_version(r, &n, version);
	while (n) {
		int v = r->walk->stack[--n];
		for (int k = r->read_first[v]; k < r->read_first[v + 1]; k++)
			read[found++] = r->read[k];
		for (int k = r->into_first[v]; k < r->into_first[v + 1]; k++)
			push_version(r, &n, r->into[k]);
	}
	return found;
}

static void print_version(const Cfg *c, const Ssa *s, int v, StrBuf *out)
{
	const SsaVersion *x = &s->version[v];
	sb_printf(out, " %s", function_value_name(c->f, x->reg));
	if (x->ins == SSA_ENTRY)
		sb_puts(out, "@entry");
	else
		sb_printf(out, "@%s:%d", print_label(c, x->block), x->ins);
}

void reaching_print(const Cfg *c, const Reaching *r, StrBuf *out)
{
	Arena tmp = { 0 };
	const Ssa *s = r->ssa;
	int *def = arena_array(&tmp, int, s->n + 1);
	for (int i = 0; i < c->nreach; i++)
		for (int b = c->rpo[i]->id, k = 0; k < c->rpo[i]->ins.n; k++)
			for (int at = s->ins_first[b] + k, u = s->use_first[at]; u < s->use_first[at + 1];
				u++) {
				int n = reaching_defs(r, s->use[u], def);
				sb_printf(out, "  %s:%d %s reads", c->rpo[i]->label, k,
					op_info[c->rpo[i]->ins.v[k].op].name);
				while (n)
					print_version(c, s, def[--n], out);
				sb_putc(out, '\n');
			}
	arena_free(&tmp);
}
