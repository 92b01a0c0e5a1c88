/* `.alias name, function;` makes `name`, which is declared without a body, a second name of `function`. When
 * the whole module has been read, uses of the second name become uses of the function, and the declaration of
 * the second name is removed. */
#include "isa/ptx/ptx.h"
#include <stdlib.h>

/* Reads a name. Returns the device function of that name, or -1 after reporting an error. */
static int read_alias_name(Ptx *p)
{
	Loc loc = tok_here(p);
	const char *name = tok_name(p);
	int id = name ? strmap_get(&p->funcs, name) : -1;
	if (name && id < 0)
		ptx_error(p, loc, strmap_get(&p->symbols, name) >= 0
			? "'%s' is a variable: .alias is for functions" : "'%s' is not declared", name);
	else if (name && p->m->func.v[id]->kind != FN_DEVICE) {
		ptx_error(p, loc, "'%s' is a kernel: .alias is for functions", name);
		id = -1;
	}
	return id;
}

bool ptx_alias(Ptx *p)
{
	tok_next(p);
	Loc loc = tok_here(p);
	int id = read_alias_name(p);
	if (id < 0 || !tok_expect(p, ',', "behind the name of a function"))
		return false;
	int to = read_alias_name(p);
	if (to < 0)
		return false;
	const Function *f = p->m->func.v[id];
	if (!f->declared_only)
		return ptx_error(p, loc, "'%s' has a body: it cannot be a second name", f->name);
	for (int k = 0; k < p->alias.n; k++)
		if (p->alias.v[k].func == id)
			return ptx_error(p, loc, "'%s' is a second name already", f->name);
	if (!ptx_same_prototype(f, p->m->func.v[to]))
		return ptx_error(p, loc, "'%s' was declared with other parameters than '%s'", f->name,
			p->m->func.v[to]->name);
	vec_push(&p->alias, ((Alias){ id, to, loc }));
	return tok_expect(p, ';', "behind .alias");
}

/* Returns the function for which function `id` stands, through second names of second names; `id` itself if
   its name is no second name. -1 (reported): the second names go in a circle. */
static int meant(Ptx *p, const int *next, int id, Loc loc)
{
	int at = id;
	for (int steps = 0; next[at] >= 0; at = next[at])
		if (steps++ == p->alias.n) {
			ptx_error(p, loc, "'%s' is a second name of itself", p->m->func.v[id]->name);
			return -1;
		}
	return at;
}

static void rename_func_operands(Function *f, const int *id)
{
	for (int b = 0; b < f->block.n; b++)
		for (int j = 0; j < f->block.v[b]->ins.n; j++) {
			Ins *i = &f->block.v[b]->ins.v[j];
			for (int k = 0; k < i->nsrc; k++)
				if (ins_src(i, k)->kind == OPD_FUNC)
					ins_src(i, k)->id = id[ins_src(i, k)->id];
		}
}

/* Gives the functions the numbers in `id`, and removes those that are declared with a second name. */
static void renumber_functions(Ptx *p, const int *id, const int *next)
{
	Module *m = p->m;
	int n = 0;
	for (int k = 0; k < m->func.n; k++) {
		Function *f = m->func.v[k];
		strmap_put(&p->funcs, f->name, id[k]);
		rename_func_operands(f, id);
		if (next[k] >= 0) {
			vec_free(&f->reg);
			vec_free(&f->arg);
			vec_free(&f->ret);
			continue;
		}
		f->id = n;
		m->func.v[n++] = f;
	}
	m->func.n = n;
	for (int k = 0; k < m->symbol.n; k++)
		if (m->symbol.v[k]->owner >= 0)
			m->symbol.v[k]->owner = id[m->symbol.v[k]->owner];
	for (int k = 0; k < p->reg_use.n; k++)
		p->reg_use.v[k].func = id[p->reg_use.v[k].func];
}

void ptx_resolve_aliases(Ptx *p)
{
	const Module *m = p->m;
	int *next = xcalloc((size_t)m->func.n + 1, sizeof *next),
		*id = xcalloc((size_t)m->func.n + 1, sizeof *id), n = 0;
	bool ok = !p->diag->errors; /* after errors functions may lack blocks: change nothing then */
	for (int k = 0; k < m->func.n; k++)
		next[k] = -1;
	for (int k = 0; k < p->alias.n; k++) {
		const Alias *a = &p->alias.v[k];
		next[a->func] = a->to;
		if (!m->func.v[a->func]->declared_only)
			ok = ptx_error(p, a->loc, "'%s' has a body: it cannot be a second name",
				m->func.v[a->func]->name);
	}
	for (int k = 0; k < m->func.n; k++)
		id[k] = next[k] < 0 ? n++ : -1;
	for (int k = 0; k < p->alias.n; k++) {
		const Alias *a = &p->alias.v[k];
		int f = meant(p, next, a->func, a->loc);
		ok = ok && f >= 0;
		id[a->func] = f < 0 ? -1 : id[f];
	}
	if (ok && p->alias.n)
		renumber_functions(p, id, next);
	free(next);
	free(id);
}
