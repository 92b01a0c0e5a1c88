#include "passes/transform/fusion/clean.h"
#include "passes/constants.h"
#include "passes/options.h"
#include "passes/transform/forward/forward.h"
#include "passes/transform/fusion/values.h"
#include "passes/transform/transform.h"

/* What all launches of a kernel by the module's host functions say. */
typedef struct Launches {
	const Function *kernel;
	MemFacts facts;                /* what the launches have in common */
	/* number of launches; the sum, over the launches, of their host functions' numbers of buffers: in the
	   sets below each launch has bits of its own for these buffers, one launch behind the other */
	int n, bits;
	BitSet *leads, *symbols;       /* by parameter, by symbol: the buffers to which it may lead */
	/* by parameter: behind none of the launches may a buffer be read to which the parameter leads
	   there */
	bool *dead;
	Arena arena;
} Launches;

typedef struct Clean {
	PassRun *r;
	Function *f;
	Launches l;
	const MemDep *mem;
	MemAsk ask;
	int stores;
	ForwardCounts forwarded;
} Clean;

/* ---- what launches say ---- */

typedef void Each(Launches *, Analyses *host, int block, int ins, const Ins *launch);

static bool launches_it(const Launches *l, const Ins *i)
{
	return i->op == OP_LAUNCH && ins_src(i, 0)->id == l->kernel->id;
}

static void each_launch(Launches *l, Analyses *host, Each *each)
{
	const Cfg *c = analysis_cfg(host);
	for (int k = 0; k < c->nreach; k++)
		for (int i = 0; i < c->rpo[k]->ins.n; i++)
			if (launches_it(l, &c->rpo[k]->ins.v[i]))
				each(l, host, c->rpo[k]->id, i, &c->rpo[k]->ins.v[i]);
}

static void count_launch(Launches *l, Analyses *host, int block, int ins, const Ins *launch)
{
	(void)block, (void)ins, (void)launch;
	l->n++;
	l->bits += analysis_buffers(host)->n;
}

/* The set of the host function's buffers that may be read behind the instruction. */
static BitSet buffers_live_behind(Arena *a, const Buffers *b, int block, int ins)
{
	BitSet live = bs_new(a, b->n);
	bs_copy(live, b->out[block]);
	for (int k = b->first[block] + b->count[block]; k-- > b->first[block] && b->use[k].ins > ins;)
		buffers_step(&b->use[k], live);
	return live;
}

static void note_extents(Launches *l, const HostPlace *p, const Ins *launch)
{
	for (int k = 0; k < 6; k++) {
		HostValue v = host_value(p, ins_src(launch, 1 + k), T_U32);
		uint32_t *to = k < 3 ? &l->facts.grid[k] : &l->facts.block[k - 3],
			n = v.kind == VALUE_NUMBER ? (uint32_t)v.number : 0;
		*to = !l->n || *to == n ? n : 0;
	}
}

static void note_launch(Launches *l, Analyses *host, int block, int ins, const Ins *launch)
{
	const Buffers *b = analysis_buffers(host);
	HostPlace p = host_place(host, block, ins);
	Arena tmp = { 0 };
	BitSet live = buffers_live_behind(&tmp, b, block, ins),
		*lead = arena_array(&tmp, BitSet, l->kernel->param.n + 1);
	const Opd **given = arena_array(&tmp, const Opd *, l->kernel->param.n + 1);
	note_extents(l, &p, launch);
	for (int k = 0; k < l->kernel->param.n; k++) {
		lead[k] = bs_new(&tmp, b->n);
		given[k] = l->kernel->param.v[k].size == 8 ? ins_src(launch, LAUNCH_ARGS + k) : NULL;
	}
	buffers_lead(b, p.c, p.m, block, ins, given, l->kernel->param.n, lead);
	for (int k = 0; k < l->kernel->param.n; k++)
		bs_each(lead[k], x) {
			bs_add(l->leads[k], l->bits + x);
			l->dead[k] &= !bs_has(live, x);
		}
	arena_free(&tmp);
	for (int k = 0; k < b->n; k++)
		if (b->buffer[k].symbol >= 0)
			bs_add(l->symbols[b->buffer[k].symbol], l->bits + k);
	l->bits += b->n;
	l->n++;
}

static void over_hosts(Launches *l, Module *m, Each *each)
{
	l->n = l->bits = 0;
	for (int k = 0; k < m->func.n; k++) {
		if (m->func.v[k]->kind != FN_HOST || !m->func.v[k]->block.n)
			continue;
		Analyses *host = analyses_open(m, m->func.v[k], NULL, NULL, NULL);
		each_launch(l, host, each);
		analyses_close(host);
	}
}

/* Finds all launches of f by the module's host functions. False: there are none. */
static bool find_launches(Launches *l, Module *m, const Function *f)
{
	*l = (Launches){ .kernel = f };
	over_hosts(l, m, count_launch);
	l->leads = arena_array(&l->arena, BitSet, f->param.n + 1);
	l->dead = arena_array(&l->arena, bool, f->param.n + 1);
	l->symbols = arena_array(&l->arena, BitSet, m->symbol.n + 1);
	for (int k = 0; k < m->symbol.n; k++)
		if (m->symbol.v[k]->owner < 0 && (m->symbol.v[k]->space == SP_GLOBAL ||
			m->symbol.v[k]->space == SP_CONST))
			l->symbols[k] = bs_new(&l->arena, l->bits);
	for (int k = 0; k < f->param.n; k++) {
		l->leads[k] = f->param.v[k].size == 8 ? bs_new(&l->arena, l->bits) : (BitSet){ 0 };
		l->dead[k] = f->param.v[k].size == 8;
	}
	over_hosts(l, m, note_launch);
	l->facts.param_leads = l->leads;
	l->facts.symbol_leads = l->symbols;
	return l->n > 0;
}

/* ---- stores that nobody reads ---- */

static const Ins *ins_of_clean(const Clean *w, int access)
{
	return &w->f->block.v[w->mem->access[access].block]->ins.v[w->mem->access[access].ins];
}

/* The access is a plain store, or a reduction that orders nothing: it writes, and its thread gets no
   value. */
static bool writes_only(const Ins *i, const MemAccess *a)
{
	if (i->op == OP_ST)
		return !a->ordered;
	return (i->op == OP_RED || (i->op == OP_ATOM && ins_dst(i, 0)->kind == OPD_NONE)) &&
		(i->sem == SEM_NONE || i->sem == SEM_RELAXED);
}

static bool may_go(const Clean *w, int access)
{
	const MemAccess *a = &w->mem->access[access];
	int base = memdep_base(w->mem, a->form[0]);
	const MemAtom *x = base < 0 ? NULL : &w->mem->atom[base];
	return x && x->kind == ATOM_PARAM && !x->sub && !(a->writes & ~SPACE_BIT(SP_GLOBAL)) &&
		writes_only(ins_of_clean(w, access), a) && w->l.dead[x->id];
}

static bool read_by(Clean *w, int store, int other)
{
	return w->mem->access[other].reads & w->mem->access[store].writes &&
		(memdep_may_alias(w->mem, &w->ask, store, other) ||
		memdep_block_may_alias(w->mem, &w->ask, store, other) ||
		memdep_grid_may_alias(w->mem, &w->ask, store, other));
}

/* Finds the stores and reductions that can go because nothing that stays may read what they write: sets
   goes[] by access, and returns their number. A reduction that stays reads, too; so the search goes on until
   nothing changes. */
static int find_unread(Clean *w, bool *goes)
{
	int n = 0;
	for (int x = 0; x < w->mem->naccess; x++)
		n += goes[x] = may_go(w, x);
	for (bool changed = n > 0; changed;) {
		changed = false;
		for (int x = 0; x < w->mem->naccess; x++)
			for (int y = 0; goes[x] && y < w->mem->naccess; y++)
				if (!goes[y] && read_by(w, x, y)) {
					goes[x] = false;
					changed = true;
					n--;
				}
	}
	return n;
}

static bool remove_unread(Clean *w)
{
	Arena tmp = { 0 };
	Analyses *an = analyses_open(w->r->m, w->f, NULL, NULL, NULL);
	const Cfg *c = analysis_cfg(an);
	w->mem = memdep_build(&tmp, c, analysis_ssa(an), analysis_effects(an), w->l.facts);
	bool *goes = arena_array(&tmp, bool, w->mem->naccess + 1);
	int n = find_unread(w, goes);
	Edit e = edit_open(w->r->m, w->f, w->r->origin);
	for (int k = 0; k < c->nreach && n; k++) {
		Rewrite rw;
		int at = 0;
		for (const Ins *i = edit_rewrite(&rw, &e, c->rpo[k]); i; i = edit_next(&rw), at++) {
			int x = memdep_find(w->mem, c->rpo[k]->id, at);
			if (x < 0 || !goes[x])
				edit_put(&rw, *i);
		}
	}
	edit_close(&e);
	analyses_close(an);
	arena_free(&tmp);
	w->stores += n;
	/* each store rests on assumption 0, MEM_IN_BOUNDS: what it writes lies in the parameter's buffer */
	w->ask.count[0] += n;
	return n > 0;
}

/* ---- one kernel ---- */

static bool forward_fused(Clean *w, unsigned allow)
{
	Analyses *an = analyses_open(w->r->m, w->f, NULL, NULL, NULL);
	ForwardOptions o = { .allow = allow, .launches = w->l.facts };
	bool any = forward_stores(an, w->r->origin, &o, &w->forwarded);
	analyses_close(an);
	return any;
}

static bool tidy_once(Clean *w)
{
	static const Pass *const list[] = { &pass_const_prop, &pass_gcse, &pass_copy_prop, &pass_cse,
		&pass_copy_prop, &pass_dce, &pass_simplify_cfg };
	bool any = false;
	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		any |= pass_apply(list[k], w->r->m, w->f, NULL, w->r->diag);
	return any;
}

/* Runs the usual clean-ups until they change nothing, at most FUSION_CLEANUPS times. What the second body
   computes again is found level by level: an index first, then the condition that is computed from the
   index. */
static bool tidy_levels(Clean *w)
{
	int k = 0;
	while (k < FUSION_CLEANUPS && tidy_once(w))
		k++;
	return k > 0;
}

static bool clean_round(Clean *w, unsigned allow)
{
	bool any = false;
	if (find_launches(&w->l, w->r->m, w->f)) {
		any = forward_fused(w, allow);
		any |= remove_unread(w);
	}
	arena_free(&w->l.arena);
	return any && tidy_levels(w);
}

static bool clean(PassRun *r, Function *f, unsigned allow)
{
	Clean w = { .r = r, .f = f, .ask = { .allow = allow, .within = MEM_EVER } };
	bool any = tidy_levels(&w);
	for (int k = 0; k < FUSION_ROUNDS && clean_round(&w, allow); k++)
		any = true;
	pass_count(r, "loads forwarded", w.forwarded.loads);
	pass_count(r, "stores removed", w.stores);
	for (int k = 0; k < MEM_ASSUMPTIONS; k++)
		w.forwarded.assumed[k] += w.ask.count[k];
	pass_assumptions(r, w.forwarded.assumed);
	if (w.forwarded.loads || w.stores)
		pass_remark(r, f->loc, "%s: %d load%s of what the thread has stored itself became a copy of "
			"a register, %d store%s that nobody reads went", f->name, w.forwarded.loads,
			w.forwarded.loads == 1 ? "" : "s", w.stores, w.stores == 1 ? "" : "s");
	return any;
}

bool fusion_clean(PassRun *r, int first, const FusionOptions *o)
{
	unsigned allow = MEM_IN_BOUNDS | (o->assume_no_wrap ? MEM_NO_WRAP : 0);
	bool any = false;
	for (int k = first; k < r->m->func.n; k++)
		if (r->m->func.v[k]->kind == FN_KERNEL && r->m->func.v[k]->block.n)
			any |= clean(r, r->m->func.v[k], allow);
	return any;
}
