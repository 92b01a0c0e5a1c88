/* srqp, esrqp, ssrqp-s, ssrqp: scalar replacement by question propagation: a load goes if a register has its
 * value already, from this turn of a loop or an earlier one. Before that, ssrqp moves loads in arms of
 * divergent branches to the branch (hoist.c), and ssrqp-s those in arms of uniform branches, too. preqp asks
 * about operations as well as loads.
 *
 * requires  nothing
 * keeps     on every way a thread loads no more than before (srqp); no load is inserted where a divergent
 *           branch decides (esrqp); a warp loads no more often where threads part at each divergent branch
 *           that it executes (ssrqp)
 * breaks    everything made from the code; edges on which something is inserted are split
 *
 * J. Fukuhara, Compiler Optimization for GPU Based on Code Motion (2023), chapter 4.3 and algorithms 1.1 to
 * 2.2, as a greatest fixed point over (block, query). Anticipation is exact here: a load of A[i] does not
 * make A[i + 1] down-safe, as it does in the thesis, so the last turn of a loop loads nothing that it did not
 * load before. */
#include "passes/transform/queries/queries.h"
#include "passes/constants.h"
#include "passes/options.h"
#include "passes/transform/transform.h"

enum { OPTION_CHECK, OPTION_SHIFTS, OPTION_RESTRICT, OPTION_NO_WRAP, OPTION_PRESSURE, OPTION_STRICT,
	OPTION_NONFAULTING };

typedef enum { PREQP, SRQP, ESRQP, SSRQP, SSRQP_S } SrqpKind;

static void exchange_numbers(int *a, int *b)
{
	int was = *a;
	*a = *b;
	*b = was;
}

/* The instruction with its sources in the order of identities, as far as registers do not matter. */
static Ins in_order(Queries *q, const Ins *i)
{
	Ins x = *i;
	if (!ins_turned(i, (int[2]){ 0 }))
		return x;
	x.opd = arena_array(&q->arena, Opd, i->ndst + i->nsrc);
	memcpy(x.opd, i->opd, sizeof *i->opd * (size_t)(i->ndst + i->nsrc));
	*ins_src(&x, 0) = *ins_src(i, 1);
	*ins_src(&x, 1) = *ins_src(i, 0);
	return x;
}

/* The class is the value number that the instruction has if what its registers hold does not count, nor the
   address of a load, nor, where loads may be speculated, whether it is nonfaulting. */
static int class_of(Queries *q, const Ins *i)
{
	Ins x = *i;
	Opd load[2] = { *ins_dst(i, 0) };
	if (i->op == OP_LD)
		x.opd = load;
	if (q->nonfaulting)
		x.flags &= (uint8_t)~INSF_NONFAULTING;
	int n = value_number(&q->classes, q->c->f, &x, q->none);
	if (n == q->pattern.n)
		vec_push(&q->pattern, in_order(q, i));
	return n;
}

/* The key of a load that takes part: a plain one, of one register, without guard, with a known address, that
   could fault. -1: the load does not take part. */
static int load_key(Queries *q, const MemAccess *a)
{
	const Ins *i = query_ins(q, a);
	Ins plain = *i;
	uint8_t reads;
	if (q->nonfaulting)
		plain.flags &= (uint8_t)~INSF_NONFAULTING;
	for (int k = 0; k < q->done.check.n; k++)
		if (i->op == OP_LD && ins_dst(i, 0)->id == q->done.check.v[k])
			return -1;
	int form = a->form[q->forms.mode];
	if (i->op != OP_LD || i->guard >= 0 || i->vec || a->ordered || form < 0 || !ins_repeats(i, &reads) ||
		!ins_effects(NULL, &plain).faults)
		return -1;
	return query_key(q, class_of(q, i), &form, 1);
}

/* ---- operations ---- */

static bool is_operation(const Ins *i)
{
	uint8_t reads;
	int regs = 0;
	for (int k = 0; k < i->nsrc; k++)
		regs += ins_src(i, k)->kind == OPD_REG;
	return i->op != OP_LD && !ins_moves(i) && i->guard < 0 && regs && regs <= FORMS_MOST &&
		ins_repeats(i, &reads);
}

static int operation_key(Queries *q, const MemAccess *a)
{
	const Ins *i = query_ins(q, a);
	int forms[FORMS_MOST], n = 0;
	if (!is_operation(i))
		return -1;
	int class = class_of(q, i);
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG) {
			forms[n++] = query_value(q, ssa_src(q->ssa, i, a->block, a->ins, k),
				type_bits[q->c->f->reg.v[ins_src(i, k)->id].type]);
			if (forms[n - 1] < 0)
				return -1;
		}
	if (ins_turned(i, (int[2]){ 0 }) && ins_src(i, 0)->kind == ins_src(i, 1)->kind)
		exchange_numbers(&forms[0], &forms[1]);
	return query_key(q, class, forms, n);
}

/* Adds operations to the list of accesses, so that all are in the order of the code. */
static void add_operations(Queries *q)
{
	Vec(MemAccess) all = { 0 };
	int *first = arena_array(&q->arena, int, q->c->n + 1),
		*count = arena_array(&q->arena, int, q->c->n + 1);
	for (int b = 0; b < q->c->nreach; b++) {
		const Block *x = q->c->rpo[b];
		int a = q->mem.first[x->id], end = a + q->mem.count[x->id];
		first[x->id] = all.n;
		for (int k = 0; k < x->ins.n; k++)
			if (a < end && q->mem.access[a].ins == k)
				vec_push(&all, q->mem.access[a++]);
			else if (is_operation(&x->ins.v[k]))
				vec_push(&all, ((MemAccess){ .block = x->id, .ins = k, .form = { -1, -1 } }));
		count[x->id] = all.n - first[x->id];
	}
	q->mem.access = arena_array(&q->arena, MemAccess, all.n + 1);
	if (all.n)
		memcpy(q->mem.access, all.v, sizeof *all.v * (size_t)all.n);
	q->mem.naccess = all.n;
	q->mem.first = first;
	q->mem.count = count;
	vec_free(&all);
}

/* Sets the flag at p[0] if the branch is marked in the array at p[1]. */
static void marked_branch(void *self, int branch, int to)
{
	(void)to;
	void **p = self;
	if (branch >= 0 && ((const bool *)p[1])[branch])
		*(bool *)p[0] = true;
}

/* Marks the blocks outside the thesis' control dependence region of non-divergence: those that depend on a
 * divergent branch (strict: or on a branch that itself depends on one). Blocks that end with a divergent
 * branch are marked, too, since what would be inserted on an edge out of them depends on that branch. */
static void mark_outside(Queries *q, bool strict)
{
	const Control *control = analysis_control(q->r->an);
	const bool *parts = analysis_uniformity(q->r->an)->parts;
	q->outside = arena_array(&q->arena, bool, q->c->n + 1);
	for (int k = 0; k < q->c->nreach; k++) {
		int b = q->c->rpo[k]->id;
		control_branches(control, b, marked_branch, (void *[]){ &q->outside[b], (void *)parts });
	}
	for (bool again = strict; again;) {
		again = false;
		for (int k = 0; k < q->c->nreach; k++) {
			int b = q->c->rpo[k]->id;
			bool now = q->outside[b];
			control_branches(control, b, marked_branch, (void *[]){ &now, q->outside });
			again |= now && !q->outside[b];
			q->outside[b] |= now;
		}
	}
	for (int b = 0; b < q->c->n; b++) /* because of what may be put on an edge out of the block */
		q->outside[b] |= parts[b] && q->c->graph->succ[b].n > 1;
}

static bool function_has_loads(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == OP_LD && f->block.v[b]->ins.v[k].space != SP_PARAM)
				return true;
	return false;
}

/* Lists the accesses of each key in the order of the code, which is that of their numbers. */
static void list_keyed(Queries *q)
{
	int n = q->mem.naccess, *at = arena_array(&q->arena, int, q->first_of.n + 1);
	q->keyed_first = arena_array(&q->arena, int, q->first_of.n + 2);
	q->keyed = arena_array(&q->arena, int, n + 1);
	for (int a = 0; a < n; a++)
		if (q->key_of[a] >= 0)
			q->keyed_first[q->key_of[a] + 1]++;
	for (int k = 0; k < q->first_of.n; k++)
		at[k + 1] = q->keyed_first[k + 1] += q->keyed_first[k];
	for (int a = 0; a < n; a++)
		if (q->key_of[a] >= 0)
			q->keyed[at[q->key_of[a]]++] = a;
}

/* ---- a round ---- */

static void open_queries(Queries *q, SrqpKind kind)
{
	PassRun *r = q->r;
	const MemDep *d = analysis_memdep(r->an);
	q->c = analysis_cfg(r->an);
	q->mem = *d;
	q->dom = analysis_dom(r->an);
	q->ssa = analysis_ssa(r->an);
	q->an = r->an;
	q->keys.a = q->classes.a = q->starts.a = q->ends.a = &q->arena;
	memforms_copy(&q->forms, d->form, d->nform, d->atom, d->natom);
	q->forms.mode = r->option[OPTION_NO_WRAP].number ? 1 : 0;
	q->held = arena_array(&q->arena, const HeldReg *, q->c->n + 1);
	q->slices = kind != PREQP; /* preqp would compute more if it made addresses anew */
	if (kind == PREQP)
		add_operations(q);
	int n = q->mem.naccess + 1;
	q->none = arena_array(&q->arena, int, q->c->f->reg.n + 1);
	q->key_of = arena_array(&q->arena, int, n);
	q->origin_of = arena_array(&q->arena, int, n);
	q->next_of = arena_array(&q->arena, int, n);
	for (int k = 0; k < q->c->nreach; k++)
		q->patience += QUERY_STEPS * (q->c->rpo[k]->ins.n + 1);
	for (int a = 0; a < q->mem.naccess; a++) {
		const MemAccess *x = &q->mem.access[a];
		int key = query_ins(q, x)->op == OP_LD ? load_key(q, x)
			: kind == PREQP ? operation_key(q, x) : -1;
		q->key_of[a] = key;
		q->origin_of[a] = key >= 0 ? q->origin.n : -1;
		if (key >= 0)
			vec_push(&q->origin, ((QueryOrigin){ .access = a, .key = key, .start = -1,
				.local = -1 }));
		while (q->first_of.n < q->keys.n)
			vec_push(&q->first_of, -1);
		if (key >= 0) {
			q->next_of[a] = q->first_of.v[key];
			q->first_of.v[key] = a;
		}
	}
	list_keyed(q);
	if (kind > SRQP)
		mark_outside(q, r->option[OPTION_STRICT].number);
	if (kind == SSRQP)
		q->parts = analysis_uniformity(r->an)->parts;
	if (kind == SSRQP_S) {
		bool *all = arena_array(&q->arena, bool, q->c->n + 1);
		for (int b = 0; b < q->c->n; b++)
			all[b] = true;
		q->parts = all;
	}
}

/* Frees everything but what the rounds have in common. */
static void close_queries(Queries *q)
{
	Queries kept = { .r = q->r, .done = q->done, .ask = q->ask, .check = q->check,
		.nonfaulting = q->nonfaulting, .most_shifts = q->most_shifts, .limit = q->limit };
	vec_free(&q->pattern);
	vec_free(&q->start);
	vec_free(&q->end);
	vec_free(&q->way);
	vec_free(&q->origin);
	vec_free(&q->found);
	vec_free(&q->hoist);
	vec_free(&q->first_of);
	memforms_free(&q->forms);
	arena_free(&q->arena);
	*q = kept;
}

/* ---- a run ---- */

static void report_queries(Queries *q, SrqpKind kind, bool changed, bool no_wrap)
{
	PassRun *r = q->r;
	pass_count(r, "queries asked", q->done.asked);
	pass_count(r, kind == PREQP ? "expressions removed" : "loads removed", q->done.removed);
	pass_count(r, kind == PREQP ? "expressions inserted" : "loads inserted", q->done.inserted);
	if (kind > ESRQP)
		pass_count(r, "loads moved to branches", q->done.raised);
	pass_count(r, "copies between turns", q->done.copied);
	pass_count(r, "left for registers", q->done.refused);
	if (changed)
		pass_assumptions(r, q->ask.count);
	if (changed && no_wrap)
		pass_assumption(r, "no-wrap", q->done.removed);
}

static bool run_queries(PassRun *r, SrqpKind kind)
{
	if (kind != PREQP && !function_has_loads(r->f))
		return false;
	bool speculates = kind > ESRQP, changed = false, no_wrap = r->option[OPTION_NO_WRAP].number;
	Queries q = { .r = r, .ask = { .allow = option_restrict(r->option[OPTION_RESTRICT].number),
		.within = MEM_MOMENT }, .check = r->option[OPTION_CHECK].number,
		.nonfaulting = speculates && r->option[OPTION_NONFAULTING].number,
		.most_shifts = (int)r->option[OPTION_SHIFTS].number };
	int now = r->option[OPTION_PRESSURE].number > 0 ? pressure_max(r->f) : 0;
	q.limit = now > r->option[OPTION_PRESSURE].number ? now : (int)r->option[OPTION_PRESSURE].number;
	for (int round = 0; round <= MOTION_ROUNDS; round++) {
		open_queries(&q, kind);
		queries_build(&q);
		queries_solve(&q);
		bool again = speculates && round < MOTION_ROUNDS && queries_hoist(&q);
		if (!again) {
			queries_fit(&q);
			queries_ask(&q);
		}
		changed |= again || queries_emit(&q);
		if (q.patience <= 0)
			pass_remark(r, r->f->loc, "queries went further than patience allows: some "
				"expressions stay");
		close_queries(&q);
		if (!again)
			break;
	}
	Diag none = { 0 };
	if (changed && q.limit) /* so was the code made whose registers were counted (fit.c) */
		pass_apply(&pass_copy_prop, r->m, r->f, NULL, &none);
	diag_free(&none);
	report_queries(&q, kind, changed, no_wrap);
	vec_free(&q.done.check);
	return changed;
}

static bool run_preqp(PassRun *r) { return run_queries(r, PREQP); }
static bool run_srqp(PassRun *r) { return run_queries(r, SRQP); }
static bool run_esrqp(PassRun *r) { return run_queries(r, ESRQP); }
static bool run_ssrqp(PassRun *r) { return run_queries(r, SSRQP); }
static bool run_ssrqp_s(PassRun *r) { return run_queries(r, SSRQP_S); }

#define COMMON \
	{ .name = "check", .value = 0, .least = 0, .most = 1, \
		.help = "loads that go stay, and a thread that loads something else than the register has " \
		"aborts the launch" }, \
	{ .name = "shifts", .value = QUERY_SHIFTS, .least = 0, .most = 16, \
		.help = "how many turns back a query may go" }, \
	OPTION_ROW_RESTRICT, \
	{ .name = "assume-no-wrap", .value = 0, .least = 0, .most = 1, \
		.help = "take it that narrow integers extended to make an address have not wrapped; " \
		"reports say so" }, \
	OPTION_ROW_PRESSURE
#define STRICT(VALUE) \
	{ .name = "cdrnd-strict", .value = VALUE, .least = 0, .most = 1, \
	.help = "insert nothing either where a branch decides that itself depends on a divergent one" }

static const PassOption options[] = { COMMON, STRICT(0) };
static const PassOption options_speculating[] = { COMMON, STRICT(1), OPTION_ROW_NONFAULTING };

const Pass pass_preqp = {
	.name = "preqp",
	.idle = "no value is in a register already",
	.help = "partial redundancy elimination by questions, which go through copies and sums",
	.options = options, .noptions = OPTION_STRICT,
	.function = run_preqp,
	.keeps_registers = true,
};

const Pass pass_srqp = {
	.name = "srqp",
	.idle = "no load's value is in a register already",
	.help = "take what a register has from this turn of a loop or an earlier one instead of loading it "
	"again",
	.options = options, .noptions = OPTION_STRICT,
	.function = run_srqp,
	.keeps_registers = true,
};

const Pass pass_esrqp = {
	.name = "esrqp",
	.idle = "no load's value is in a register already",
	.help = "srqp that inserts no load where a divergent branch decides",
	.options = options, .noptions = OPTION_STRICT + 1,
	.function = run_esrqp,
	.keeps_registers = true,
};

const Pass pass_ssrqp = {
	.name = "ssrqp",
	.idle = "no load's value is in a register already",
	.help = "esrqp that first moves loads in arms of divergent branches to the branch",
	.options = options_speculating, .noptions = OPTION_NONFAULTING + 1,
	.function = run_ssrqp,
	.keeps_registers = true,
};

const Pass pass_ssrqp_s = {
	.name = "ssrqp-s",
	.idle = "no load's value is in a register already",
	.help = "ssrqp that moves loads to uniform branches, too",
	.options = options_speculating, .noptions = OPTION_NONFAULTING + 1,
	.function = run_ssrqp_s,
	.keeps_registers = true,
};
