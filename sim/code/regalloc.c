/* Register allocation: linear scan over live intervals (Poletto and Sarkar, 1999), intervals from liveness
 * over the layout. There is one file of 32-bit registers: a value of up to 32 bits takes one, a 64-bit value
 * an aligned pair; both may lie anywhere in the file. A predicate takes one predicate; values of the uniform
 * datapath (uniform.c) take registers of a file of their own. Lanes have registers of their own, so values of
 * different paths may share one. Beyond the limit, the value whose interval ends last lives in local memory
 * (spill.c). Values that a scan finds no register for go there; their temporaries need registers, so scans
 * are repeated until all values have one. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower.h"

/* Sets of values, by the file in which they have registers: threads' registers, predicates, registers of the
   uniform datapath. */
enum { FILE_THREAD = 1, FILE_PRED = 2, FILE_UNIFORM = 4 };
typedef struct LiveInterval { int v, start, end, file; bool wide, pinned; } LiveInterval;

typedef struct RegAlloc {
	LowerFn *l;
	Arena arena;
	LiveInterval *iv;              /* by virtual register: its live interval */
	/* true: 64-bit values take pairs from the low end, others take registers from the high end, so that
	   no single register in use splits a pair */
	bool ends;
	int at;                    /* position of the instruction at hand, for the callbacks */

	LiveInterval **holder;         /* by register: the value that has it now */
	int limit, used;           /* number of registers; one more than the highest register taken so far */
	Vec(LiveInterval *) active;    /* values that have registers now */
	Vec(int) victims;
	int next_call;
} RegAlloc;

/* ---- intervals ---- */

static void touch_value(RegAlloc *a, int v, int pos)
{
	if (v == function_carry(a->l->f)) /* the carry flag takes no register */
		return;
	LiveInterval *i = &a->iv[v];
	if (i->start < 0 || pos < i->start)
		i->start = pos;
	if (pos > i->end)
		i->end = pos;
}

static void use_value(void *self, int v) { touch_value(self, v, ((RegAlloc *)self)->at); }
static void def(void *self, int v) { touch_value(self, v, ((RegAlloc *)self)->at + 1); }
static void def_early(void *self, int v)
{
	touch_value(self, v, ((RegAlloc *)self)->at);
	touch_value(self, v, ((RegAlloc *)self)->at + 1);
}

/* May destinations of the operation be written before all its sources are read, so that they must not share
   registers with sources? */
static bool early_clobber(const Ins *i)
{
	return i->ndst > 1 || op_info[i->op].kind != K_ALU || i->op == OP_PACK;
}

static int build_block(RegAlloc *a, const Block *b, int pos)
{
	LowerFn *l = a->l;
	Function *f = l->f;
	for (int k = 0; k < b->ins.n; k++, pos += 2) {
		const Ins *i = &b->ins.v[k];
		a->at = pos;
		ins_uses(f, i, use_value, a);
		ins_defs(f, i, early_clobber(i) ? def_early : def, a);
		if (i->op == OP_CALL)
			l->call[l->ncalls++].pos = pos;
	}
	return pos;
}

/* Results live to the end of the function, since callers read them after the return; arguments live from its
   beginning, since callers write them before its first instruction. None of them may be spilled. */
static void build_interface(RegAlloc *a, int end)
{
	Function *f = a->l->f;
	for (int r = 0; r < f->ret.n; r++) {
		touch_value(a, f->ret.v[r], end);
		a->iv[f->ret.v[r]].pinned = true;
	}
	for (int i = 0; i < f->arg.n; i++) {
		touch_value(a, f->arg.v[i], 0);
		a->iv[f->arg.v[i]].pinned = true;
	}
}

static int file_of(const LowerFn *l, int v)
{
	return lower_is_pred(l, v) ? FILE_PRED : lower_is_uniform(l, v) ? FILE_UNIFORM : FILE_THREAD;
}

static void build_intervals(RegAlloc *a, int first_temp)
{
	LowerFn *l = a->l;
	Function *f = l->f;
	a->iv = arena_array(&a->arena, LiveInterval, f->reg.n + 1);
	for (int v = 0; v < f->reg.n; v++)
		a->iv[v] = (LiveInterval){ v, -1, -1, file_of(l, v), lower_is_wide(l, v), v >= first_temp };
	Cfg *cfg = cfg_build(&a->arena, f);
	Liveness *live = liveness_build(&a->arena, cfg);
	int pos = 2;
	l->ncalls = 0;
	for (int b = 0; b < l->nlayout; b++) {
		const Block *blk = l->layout[b];
		live_each(live, live->in[blk->id], v)
			touch_value(a, v, pos);
		pos = build_block(a, blk, pos);
		live_each(live, live->out[blk->id], v)
			touch_value(a, v, pos);
		pos += 2;
	}
	live_each(live, live->in[f->block.v[0]->id], v)
		touch_value(a, v, 0);
	build_interface(a, pos);
}

/* ---- the scan ---- */

static int by_interval_start(const void *x, const void *y)
{
	const LiveInterval *a = *(LiveInterval *const *)x, *b = *(LiveInterval *const *)y;
	return a->start != b->start ? (a->start > b->start) - (a->start < b->start)
		: (a->v > b->v) - (a->v < b->v);
}

static void hold(RegAlloc *a, LiveInterval *i, int r)
{
	a->l->reg[i->v] = r;
	vec_push(&a->active, i);
	for (int k = r; k <= r + i->wide; k++)
		a->holder[k] = i;
	if (r + 1 + i->wide > a->used)
		a->used = r + 1 + i->wide;
}

static void give_back(RegAlloc *a, int at) /* frees the registers of active[at] */
{
	const LiveInterval *i = a->active.v[at];
	int r = a->l->reg[i->v];
	for (int k = r; k <= r + i->wide; k++)
		a->holder[k] = NULL;
	a->active.v[at] = vec_last(&a->active);
	a->active.n--;
}

static void expire_intervals(RegAlloc *a, int pos)
{
	for (int i = a->active.n - 1; i >= 0; i--)
		if (a->active.v[i]->end < pos)
			give_back(a, i);
}

/* Finds a free register, for a wide value the first of a free pair; -1: there is none. For a single register
   the free half of a pair in use is better than half of a free pair, and a register used before is better
   than a new one. */
static int find_register(const RegAlloc *a, bool wide)
{
	int half = -1, pair = -1;
	for (int r = a->limit - 1; r >= 0 && a->ends && !wide; r--)
		if (!a->holder[r])
			return r;
	for (int r = 0; r < a->limit && (pair < 0 || (!wide && half < 0)); r += 2) {
		bool low = !a->holder[r], high = r + 1 < a->limit && !a->holder[r + 1];
		if (half < 0 && low != high)
			half = low ? r : r + 1;
		if (pair < 0 && low && high)
			pair = r;
	}
	return wide ? pair : half >= 0 && (half < a->used || pair < 0 || half < pair) ? half : pair;
}

/* The first of the registers whose values should go to memory to make room: those whose intervals end last.
   -1: each register has a value that must stay. *end: the nearest end of the intervals that would go. */
static int find_victims(const RegAlloc *a, bool wide, int *end)
{
	int best = -1;
	for (int r = 0; r + wide < a->limit; r += 1 + wide) {
		int least = 0x7fffffff;
		for (int k = r; k <= r + wide; k++)
			if (a->holder[k] && a->holder[k]->pinned)
				least = -1;
			else if (a->holder[k] && a->holder[k]->end < least)
				least = a->holder[k]->end;
		if (least >= 0 && (best < 0 || least > *end)) {
			best = r;
			*end = least;
		}
	}
	return best;
}

static void evict(RegAlloc *a, int r)
{
	int at = 0;
	if (!a->holder[r])
		return;
	while (a->active.v[at] != a->holder[r])
		at++;
	vec_push(&a->victims, a->holder[r]->v);
	give_back(a, at);
}

/* Gives a value a register, or chooses values to be spilled. False: this value must have a register, and no
   value that has one may go to memory. */
static bool place_interval(RegAlloc *a, LiveInterval *now)
{
	int r = find_register(a, now->wide), end = 0;
	if (r < 0) {
		r = find_victims(a, now->wide, &end);
		if (!now->pinned && (r < 0 || end <= now->end)) {
			vec_push(&a->victims, now->v);
			return true;
		}
		if (r < 0)
			return false;
		for (int k = r; k <= r + now->wide; k++)
			evict(a, k);
	}
	hold(a, now, r);
	return true;
}

/* Sets the level of each call in front of the position: one above the highest register with a value that
   lives at the call. */
static void note_calls(RegAlloc *a, int before)
{
	for (LowerFn *l = a->l; a->next_call < l->ncalls && l->call[a->next_call].pos < before;
		a->next_call++) {
		CallSite *c = &l->call[a->next_call];
		expire_intervals(a, c->pos);
		c->level = a->used;
		while (c->level > 0 && !a->holder[c->level - 1])
			c->level--;
	}
}

/* Allocates the values of these files, a sum of FILE_..., as if they were one. False: there are too few
   registers, whatever goes to memory. */
static bool scan_intervals(RegAlloc *a, int files, int limit)
{
	bool calls = files & FILE_THREAD;
	Vec(LiveInterval *) order = { 0 };
	for (int v = 0; v < a->l->f->reg.n; v++)
		if (a->iv[v].file & files && a->iv[v].start >= 0)
			vec_push(&order, &a->iv[v]);
	if (order.n)
		qsort(order.v, (size_t)order.n, sizeof *order.v, by_interval_start);
	limit = limit ? limit : order.n;
	a->limit = limit;
	a->holder = arena_array(&a->arena, LiveInterval *, limit + 1);
	a->used = a->active.n = 0;
	bool fits = true;
	for (int k = 0; k < order.n && fits; k++) {
		if (calls)
			note_calls(a, order.v[k]->start);
		expire_intervals(a, order.v[k]->start);
		fits = place_interval(a, order.v[k]);
	}
	if (calls)
		note_calls(a, 0x7fffffff);
	vec_free(&order);
	return fits;
}

static void free_scan(RegAlloc *a)
{
	vec_free(&a->active);
	vec_free(&a->victims);
	arena_free(&a->arena);
}

static int count_layout_calls(const LowerFn *l)
{
	int n = 0;
	for (int b = 0; b < l->nlayout; b++)
		for (int k = 0; k < l->layout[b]->ins.n; k++)
			n += l->layout[b]->ins.v[k].op == OP_CALL;
	return n;
}

/* Values of the uniform datapath for which the warp has no registers become values of the threads. */
static void fit_uniform(RegAlloc *a)
{
	LowerFn *l = a->l;
	while (l->uniform) {
		must(scan_intervals(a, FILE_UNIFORM, (int)l->config->uniform_registers));
		if (!a->victims.n)
			return;
		lower_keep_from_datapath(l, a->victims.v, a->victims.n);
		a->victims.n = 0;
		for (int v = 0; v < l->f->reg.n; v++)
			a->iv[v].file = file_of(l, v);
	}
}

/* Values of threads have registers. With gaps between pairs, fewer values may take more registers: where they
   take fewer when those of the uniform datapath are there, too, they get the registers that they have then.
   So the datapath costs no registers. */
static void close_gaps(RegAlloc *a, int limit)
{
	LowerFn *l = a->l;
	int *alone = l->reg, used = a->used, most = 0;
	if (!l->uniform)
		return;
	l->reg = arena_array(l->arena, int, l->f->reg.n + 1);
	bool fits = scan_intervals(a, FILE_THREAD | FILE_UNIFORM, limit) && !a->victims.n;
	for (int v = 0; v < l->f->reg.n; v++)
		if (a->iv[v].file == FILE_THREAD && a->iv[v].start >= 0)
			raise_to(&most, l->reg[v] + 1 + a->iv[v].wide);
	l->reg = fits && most < used ? l->reg : alone;
	a->used = fits && most < used ? most : used;
	a->victims.n = 0;
}

/* Numbers the registers of the uniform datapath behind those of the threads, which are allocated. */
static void allocate_uniform(RegAlloc *a)
{
	LowerFn *l = a->l;
	must(scan_intervals(a, FILE_UNIFORM, (int)l->config->uniform_registers) && !a->victims.n);
	l->nureg = a->used;
	for (int v = 0; v < l->f->reg.n; v++)
		if (a->iv[v].file == FILE_UNIFORM && a->iv[v].start >= 0)
			l->reg[v] += l->nreg;
}

bool regalloc(LowerFn *l, int limit, Diag *diag)
{
	Function *f = l->f;
	int first_temp = f->reg.n;
	l->call = arena_array(l->arena, CallSite, count_layout_calls(l) + 1);
	for (bool ends = false;;) {
		RegAlloc a = { .l = l, .ends = ends };
		l->reg = arena_array(l->arena, int, f->reg.n + 1);
		build_intervals(&a, first_temp);
		fit_uniform(&a);
		bool fits = scan_intervals(&a, FILE_THREAD, limit);
		if (fits && !a.victims.n) {
			close_gaps(&a, limit);
			l->nreg = a.used;
			allocate_uniform(&a);
			must(scan_intervals(&a, FILE_PRED, 0));
			l->npred = a.used;
			free_scan(&a);
			return true;
		}
		bool stuck = !a.victims.n;
		lower_spill(l, a.victims.v, a.victims.n);
		free_scan(&a);
		if (stuck && ends) {
			diag_error(diag, f->loc, "function %s needs more than %d registers at once; raise "
				"sm.max_registers_per_thread", f->name, limit);
			return false;
		}
		ends |= stuck;
	}
}

void regalloc_more(LowerFn *l, int first)
{
	Function *f = l->f;
	RegAlloc a = { .l = l };
	int *old = l->reg, nreg = l->nreg, wide = 0;
	l->reg = arena_array(l->arena, int, f->reg.n + 1);
	l->call = arena_array(l->arena, CallSite, count_layout_calls(l) + 1);
	build_intervals(&a, f->reg.n);
	for (int v = 0; v < first; v++) {
		a.iv[v].start = -1;
		l->reg[v] = old ? old[v] : -1;
	}
	for (int v = first; v < f->reg.n; v++)
		wide |= a.iv[v].wide;
	nreg += wide & nreg & 1;
	must(scan_intervals(&a, FILE_THREAD, 0));
	l->nreg = a.used ? nreg + a.used : l->nreg;
	int used = l->npred;
	must(scan_intervals(&a, FILE_PRED, 0));
	for (int v = first; v < f->reg.n; v++)
		l->reg[v] += a.iv[v].file == FILE_PRED ? used : nreg;
	l->npred += a.used;
	free_scan(&a);
}
