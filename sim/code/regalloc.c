/* Register allocation: linear scan over live intervals (Poletto and Sarkar, 1999), intervals from liveness over the
 * layout. A 32-bit value takes one register, a 64-bit value an aligned pair, a predicate one predicate. Lanes have
 * registers of their own, so values of different paths may share one. Beyond the limit, the value whose interval ends
 * last lives in local memory: stored after each definition, loaded before each use, by instructions counted as overhead.
 * That holds for values of one width: rows of different widths hold lanes at different places, so a pair never takes the
 * place of two narrow values. */
#include "passes/analysis/analysis.h"
#include "sim/code/code.h"

typedef struct Interval { int v, start, end; bool wide, pred, pinned; } Interval;

typedef struct Alloc {
	LowerFn *l;
	Arena arena;
	Interval *iv;              /* by virtual register */
	int limit;
	int at;                    /* position, for the callbacks */
	uint8_t *busy;             /* units in use */
	int used, pused;           /* high-water marks */
} RegAlloc;

static void touch(RegAlloc *a, int v, int pos)
{
	Interval *i = &a->iv[v];
	if (i->start < 0 || pos < i->start)
		i->start = pos;
	if (pos > i->end)
		i->end = pos;
}

static void use(void *self, int v) { touch(self, v, ((RegAlloc *)self)->at); }
static void def(void *self, int v) { touch(self, v, ((RegAlloc *)self)->at + 1); }
/* A destination of another width than a source must not share its place: rows would partly overlap. */
static void def_early(void *self, int v)
{
	touch(self, v, ((RegAlloc *)self)->at);
	touch(self, v, ((RegAlloc *)self)->at + 1);
}

static bool is_wide(const Function *f, int v) { return type_bits[f->reg.v[v].type] == 64; }

static bool mixes_widths(const Function *f, const Ins *i)
{
	int width = -1;
	for (int k = 0; k < i->ndst + i->nsrc; k++) {
		if (i->opd[k].kind != OPD_REG || f->reg.v[i->opd[k].id].type == T_PRED)
			continue;
		int w = is_wide(f, i->opd[k].id);
		if (width >= 0 && w != width)
			return true;
		width = w;
	}
	return false;
}

/* Operations whose destinations are written before all sources are read must not share either. */
static bool early_clobber(const Function *f, const Ins *i)
{
	return i->ndst > 1 || op_info[i->op].kind != K_ALU || i->op == OP_PACK || mixes_widths(f, i);
}

static void build(RegAlloc *a)
{
	LowerFn *l = a->l;
	Function *f = l->f;
	a->iv = arena_array(&a->arena, Interval, f->reg.n);
	for (int v = 0; v < f->reg.n; v++)
		a->iv[v] = (Interval){ v, -1, -1, is_wide(f, v), f->reg.v[v].type == T_PRED, false };
	Cfg *cfg = cfg_build(&a->arena, f);
	Liveness *live = liveness_build(&a->arena, cfg);
	int pos = 2;
	for (int i = 0; i < f->arg.n; i++)
		touch(a, f->arg.v[i], 0);
	for (int b = 0; b < l->nlayout; b++) {
		Block *blk = l->layout[b];
		bs_each(live->in[blk->id], v)
			touch(a, v, pos);
		for (int k = 0; k < blk->ins.n; k++, pos += 2) {
			const Ins *i = &blk->ins.v[k];
			a->at = pos;
			ins_uses(i, use, a);
			ins_defs(i, early_clobber(f, i) ? def_early : def, a);
			if (i->op == OP_RET)
				for (int r = 0; r < f->ret.n; r++)
					touch(a, f->ret.v[r], pos);
		}
		bs_each(live->out[blk->id], v)
			touch(a, v, pos);
		pos += 2;
	}
	bs_each(live->in[f->block.v[0]->id], v)
		touch(a, v, 0);
	/* Callers read results after the return, and write arguments before the first instruction. */
	for (int r = 0; r < f->ret.n; r++)
		touch(a, f->ret.v[r], pos);
	if (f->kind == FN_DEVICE)
		for (int i = 0; i < f->arg.n; i++)
			touch(a, f->arg.v[i], 0);
}

static int by_start(const void *x, const void *y)
{
	const Interval *a = *(Interval *const *)x, *b = *(Interval *const *)y;
	return a->start != b->start ? (a->start > b->start) - (a->start < b->start) : (a->v > b->v) - (a->v < b->v);
}

static int take(RegAlloc *a, bool wide, int limit)
{
	for (int r = 0; r + wide < limit; r += 1 + wide)
		if (!a->busy[r] && !(wide && a->busy[r + 1])) {
			a->busy[r] = 1;
			if (wide)
				a->busy[r + 1] = 1;
			if (r + 1 + wide > a->used)
				a->used = r + 1 + wide;
			return r;
		}
	return -1;
}

enum { NARROW, WIDE, PRED };
static int class_of(const Interval *i) { return i->pred ? PRED : i->wide ? WIDE : NARROW; }

/* One scan over the intervals of one class. Returns a value to spill, -1 when all have a place, -2 when none may be
   spilled. */
static int scan(RegAlloc *a, int class, int limit)
{
	Function *f = a->l->f;
	Vec(Interval *) order = { 0 }, active = { 0 };
	int victim = -1;
	for (int v = 0; v < f->reg.n; v++)
		if (class_of(&a->iv[v]) == class && a->iv[v].start >= 0)
			vec_push(&order, &a->iv[v]);
	if (order.n)
		qsort(order.v, (size_t)order.n, sizeof *order.v, by_start);
	a->busy = xcalloc((size_t)limit + 2, 1);
	a->used = 0;
	for (int k = 0; k < order.n && victim < 0; k++) {
		Interval *now = order.v[k];
		for (int i = 0; i < active.n;) {
			Interval *old = active.v[i];
			if (old->end >= now->start) {
				i++;
				continue;
			}
			a->busy[a->l->reg[old->v]] = 0;
			if (old->wide)
				a->busy[a->l->reg[old->v] + 1] = 0;
			active.v[i] = vec_pop(&active);
		}
		int r = take(a, now->wide, limit);
		if (r >= 0) {
			a->l->reg[now->v] = r;
			vec_push(&active, now);
			continue;
		}
		vec_push(&active, now);
		for (int i = 0; i < active.n; i++)
			if (!active.v[i]->pinned && (victim < 0 || active.v[i]->end > a->iv[victim].end))
				victim = active.v[i]->v;
		if (victim < 0)
			victim = -2;
	}
	free(a->busy);
	vec_free(&order);
	vec_free(&active);
	return victim;
}

/* Both widths. Pairs come first; where narrow values that must stay find no room behind them, a pair goes. */
static int scan_values(RegAlloc *a, int limit)
{
	int victim = scan(a, WIDE, limit);
	a->l->nwide = (a->used + 1) / 2 * 2;
	if (victim != -1)
		return victim;
	victim = scan(a, NARROW, limit - a->l->nwide);
	a->l->nreg = a->used;
	for (int v = 0; victim == -2 && v < a->l->f->reg.n; v++)
		if (class_of(&a->iv[v]) == WIDE && a->iv[v].start >= 0 && !a->iv[v].pinned)
			victim = v;
	return victim;
}

typedef struct Spill { LowerFn *l; int victim, symbol; Block *b; int at; Vec(int) temps; } Spill;

static Ins spill_access(Spill *s, bool store, int reg)
{
	Function *f = s->l->f;
	Type t = is_wide(f, s->victim) ? T_B64 : T_B32;
	Ins i = lower_ins(s->l, store ? OP_ST : OP_LD, t, store ? 0 : 1, store ? 2 : 1);
	i.space = SP_LOCAL;
	i.opd[store ? 0 : 1] = (Opd){ OPD_SYM, 0, s->symbol, 0 };
	i.opd[store ? 1 : 0] = opd_reg(reg);
	return i;
}

static int spill_slot(LowerFn *l, Type t)
{
	Module *m = l->module;
	Symbol *s = arena_new(&m->arena, Symbol);
	s->name = "spill";
	s->space = SP_LOCAL;
	s->type = (uint8_t)t;
	s->count = 1;
	s->align = (uint32_t)type_bytes(t);
	s->size = s->align;
	s->owner = l->f->id;
	vec_push(&m->symbol, s);
	return m->symbol.n - 1;
}

int lower_slot(LowerFn *l, Type t) { return spill_slot(l, t); }

static bool writes_register(const Ins *i, int reg)
{
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG && ins_dst(i, k)->id == reg)
			return true;
	return false;
}

/* Rewrites one block: each instruction that touches the victim gets a temporary of its own. */
static void spill_block(Spill *s)
{
	LowerFn *l = s->l;
	Function *f = l->f;
	for (int k = 0; k < s->b->ins.n; k++) {
		Ins *i = &s->b->ins.v[k];
		bool reads = false, writes = false;
		for (int o = 0; o < i->ndst + i->nsrc; o++)
			if (i->opd[o].kind == OPD_REG && i->opd[o].id == s->victim)
				*(o < i->ndst ? &writes : &reads) = true;
		if (!reads && !writes)
			continue;
		int t = function_reg(l->module, f, NULL, f->reg.v[s->victim].type);
		vec_push(&s->temps, t);
		for (int o = 0; o < i->ndst + i->nsrc; o++)
			if (i->opd[o].kind == OPD_REG && i->opd[o].id == s->victim)
				i->opd[o].id = t;
		int32_t guard = i->guard;
		uint8_t neg = i->guard_neg;
		bool own_guard = writes && guard >= 0 && writes_register(i, guard);
		if (reads || (writes && guard >= 0)) {
			Ins load = spill_access(s, false, t);
			vec_insert(&s->b->ins, k, load);
			k++;
		}
		if (writes) {
			Ins store = spill_access(s, true, t);
			if (!own_guard) { /* else it is no more; the temporary has what was loaded where it did not hold */
				store.guard = guard;
				store.guard_neg = neg;
			}
			vec_insert(&s->b->ins, k + 1, store);
			k++;
		}
	}
}

static void pin(RegAlloc *a, const int *temps, int n)
{
	for (int i = 0; i < n; i++)
		a->iv[temps[i]].pinned = true;
}

static bool is_interface(const Function *f, int v)
{
	for (int i = 0; i < f->arg.n; i++)
		if (f->arg.v[i] == v)
			return true;
	for (int i = 0; i < f->ret.n; i++)
		if (f->ret.v[i] == v)
			return true;
	return false;
}

bool regalloc(LowerFn *l, int limit, Diag *diag)
{
	Spill s = { .l = l };
	for (int round = 0;; round++) {
		RegAlloc a = { .l = l, .limit = limit };
		Function *f = l->f;
		l->reg = arena_array(l->arena, int, f->reg.n ? f->reg.n : 1);
		build(&a);
		pin(&a, s.temps.v, s.temps.n);
		for (int v = 0; v < f->reg.n; v++)
			if (is_interface(f, v))
				a.iv[v].pinned = true;
		int victim = scan_values(&a, limit);
		if (victim == -1) {
			if (scan(&a, PRED, 32000) != -1)
				bug("no limit on predicates, yet none is free");
			l->npred = a.used;
			arena_free(&a.arena);
			vec_free(&s.temps);
			return true;
		}
		arena_free(&a.arena);
		if (victim == -2 || round > 100000) {
			diag_error(diag, f->loc, "function %s needs more than %d registers at once; raise sm.max_registers_per_thread",
				f->name, limit);
			vec_free(&s.temps);
			return false;
		}
		s.victim = victim;
		s.symbol = spill_slot(l, is_wide(f, victim) ? T_B64 : T_B32);
		for (int b = 0; b < l->nlayout; b++) {
			s.b = l->layout[b];
			spill_block(&s);
		}
	}
}
