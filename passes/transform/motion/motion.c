/* Code motion: pre, lcm, spre, scm, sscm. An expression that is computed again on some way is computed into a
 * temporary, at places from which all its uses can read it.
 *
 * requires  uniformity, where threads may part; memory dependence, where loads move
 * keeps     the marks; what every thread computes; only threads that execute a load anyway execute it
 *           (unless nonfaulting=1)
 * breaks    everything made from the code; if something is put on a critical edge, also what is made from the
 *           graph
 *
 * Chapters 3 and 4 of J. Fukuhara's thesis. Occurrences that are read from a temporary become moves;
 * copy-prop takes these out of the way, so that expressions of what was moved can move in the next round. */
#include "passes/constants.h"
#include "passes/options.h"
#include "passes/transform/facts.h"
#include "passes/transform/motion/motion.h"
#include "passes/transform/transform.h"

/* ---- which expressions ---- */

/* May the expression move? Moves of registers and numbers are no computations, and stay. */
static bool worth_it(const Motion *w, int e)
{
	const Ins *i = w->x->pattern[e];
	uint8_t reads;
	return ins_repeats(i, &reads) && !ins_moves(i);
}

/* The expression is computed in several places, or in a cycle: only then can it be computed less often. */
static bool is_repeated(const Motion *w, int e)
{
	const Occurrence *o = &w->x->occurrence[w->x->occurrence_first[e]];
	return w->x->occurrence_next[w->x->occurrence_first[e]] >= 0 || w->c->nest->of[o->block] >= 0;
}

/* An earlier round has moved the expression. With speculation it could be moved in each round, into a cycle
   and around the cycle; so each expression is moved once. */
static bool is_done(const Motion *w, int e)
{
	for (int o = w->x->occurrence_first[e]; o >= 0 && w->how->speculation == SPECULATE_EVERYWHERE;
		o = w->x->occurrence_next[o]) {
		const Occurrence *at = &w->x->occurrence[o];
		if (ins_dst(&w->c->f->block.v[at->block]->ins.v[at->ins], 0)->id >= w->first_temp)
			return true;
	}
	return false;
}

/* ---- a slice's plan ---- */

static ActionKind action_at(const MotionSlice *s, int node, int bit)
{
	if (bs_has(s->set[GONE][node], bit))
		return REPLACED;
	if (!bs_has(s->set[PLACED][node], bit) || !bs_has(s->set[WANTED][node], bit))
		return STAYS;
	return bs_has(s->set[COMP][node], bit) ? SAVED : INSERTED;
}

static void plan_slice(Motion *w, const MotionSlice *s)
{
	Arena tmp = { 0 };
	BitSet gone = bs_new(&tmp, s->bits);
	for (int node = 0; node < 2 * s->n; node++)
		bs_union(gone, s->set[GONE][node]);
	BitSet acts = bs_new(&tmp, s->bits);
	for (int node = 0; node < 2 * s->n; node++) {
		for (int j = 0; j < acts.n; j++) {
			acts.w[j] = (s->set[GONE][node].w[j] | (s->set[PLACED][node].w[j] &
				s->set[WANTED][node].w[j])) & gone.w[j];
			for (uint64_t left = s->set[WANTED][node].w[j] & gone.w[j]; left; left &= left - 1)
				w->lives[s->expr[64 * j + __builtin_ctzll(left)]]++;
		}
		bs_each(acts, bit)
			vec_push(&w->plan.action, ((Action){ .block = s->block[node / 2],
				.expr = s->expr[bit], .exit = node & 1, .kind = action_at(s, node, bit) }));
	}
	arena_free(&tmp);
}

/* Makes the plan, slice by slice. Expressions that may not be speculated have slices of their own, since
   their equations are different. */
static void plan_all(Motion *w)
{
	Slicer slicer;
	int *list = arena_array(&w->arena, int, w->x->n + 1);
	slicer_open(&slicer, w->p, w->x, w->how->placement != PLACE_LATE);
	for (int speculates = 0; speculates < 2; speculates++) {
		int n = 0;
		for (int e = 0; e < w->x->n; e++)
			if (worth_it(w, e) && is_repeated(w, e) && motion_may_speculate(w, e) == speculates &&
				!is_done(w, e))
				list[n++] = e;
		for (int from = 0; from < n; from += SLICE_BITS) {
			Arena a = { 0 };
			MotionSlice *s = slice_open(&slicer, &a, list + from,
				n - from < SLICE_BITS ? n - from : SLICE_BITS, speculates);
			motion_solve(s, w->how);
			plan_slice(w, s);
			arena_free(&a);
		}
	}
	slicer_close(&slicer);
}

/* ---- rounds ---- */

/* The number of the option of this name; 0 if the pass has no such option. */
static int64_t option_number(const PassRun *r, const char *name)
{
	for (int k = 0; k < r->pass->noptions; k++)
		if (!strcmp(r->pass->options[k].name, name))
			return r->option[k].number;
	return 0;
}

static int occurrences(const Motion *w)
{
	int n = 0;
	for (int o = 0; o < w->x->noccurrence; o++)
		n += worth_it(w, w->x->occurrence[o].expression);
	return n;
}

static bool loads(const Cfg *c)
{
	for (int k = 0; k < c->nreach; k++)
		for (int i = 0; i < c->rpo[k]->ins.n; i++)
			if (c->rpo[k]->ins.v[i].op == OP_LD)
				return true;
	return false;
}

static void look_at_code(Motion *w)
{
	PassRun *r = w->r;
	int n = 0;
	w->c = analysis_cfg(r->an);
	for (int k = 0; k < w->c->nreach; k++)
		n += w->c->rpo[k]->ins.n;
	bool ask = loads(w->c);
	w->memory = (ExpressionMemory){ .dep = ask ? analysis_memdep(r->an) : NULL,
		.ask = { .allow = option_restrict(option_number(r, "assume-restrict")), .within = MEM_EVER },
		.patience = (int64_t)MEMORY_QUESTIONS * n };
	w->x = expressions_build_asking(&w->arena, w->c, analysis_effects(r->an), ask ? &w->memory : NULL);
}

/* Takes expressions out of the plan that may not move. */
static void ask_moves(Motion *w)
{
	BitSet seen = bs_new(&w->arena, w->x->n), stays = bs_new(&w->arena, w->x->n);
	int kept = 0;
	for (int k = 0; k < w->plan.action.n; k++) {
		int e = w->plan.action.v[k].expr;
		const Occurrence *at = &w->x->occurrence[w->x->occurrence_first[e]];
		const Ins *i = &w->c->f->block.v[at->block]->ins.v[at->ins];
		if (!bs_has(seen, e) && !pass_may_change(w->r, ins_loc(w->r->m, i), "%s of %s moved",
			op_info[i->op].name, w->c->f->block.v[at->block]->label))
			bs_add(stays, e);
		bs_add(seen, e);
		if (!bs_has(stays, e))
			w->plan.action.v[kept++] = w->plan.action.v[k];
	}
	w->plan.action.n = kept;
}

static void count_moves(Motion *w)
{
	BitSet seen = bs_new(&w->arena, w->x->n);
	for (int k = 0; k < w->plan.action.n; k++) {
		int e = w->plan.action.v[k].expr;
		if (bs_has(seen, e))
			continue;
		bs_add(seen, e);
		w->moved++;
		w->live += w->lives[e];
	}
}

static bool motion_round(Motion *w, bool first)
{
	PassRun *r = w->r;
	Diag none = { 0 };
	w->arena = (Arena){ 0 };
	look_at_code(w);
	w->after = occurrences(w);
	if (first)
		w->before = w->after;
	w->p = points_build(&w->arena, r->an);
	w->plan.action.n = 0;
	w->lives = arena_array(&w->arena, int64_t, w->x->n + 1);
	plan_all(w);
	motion_mark_loads(w);
	motion_fit(w);
	ask_moves(w);
	motion_remark(w);
	count_moves(w);
	bool moves = w->plan.action.n > 0;
	if (moves) {
		Applied a = motion_apply(r, w->p, w->x, &w->plan);
		w->done.inserted += a.inserted;
		w->done.replaced += a.replaced;
		w->done.saved += a.saved;
		w->done.split += a.split;
		pass_apply(&pass_copy_prop, r->m, r->f, NULL, &none);
	}
	if (moves)
		pass_assumptions(r, w->memory.ask.count);
	diag_free(&none);
	arena_free(&w->arena);
	return moves;
}

static bool run_motion(PassRun *r, const Method *how)
{
	Motion w = { .r = r, .how = how, .first_temp = r->f->reg.n,
		.nonfaulting = option_number(r, "nonfaulting"),
		.limit = (int)(option_number(r, "max-pressure") > 0 ? option_number(r, "max-pressure") : 0) };
	int n = 0;
	while (n < MOTION_ROUNDS && motion_round(&w, !n))
		n++;
	if (n == MOTION_ROUNDS)
		pass_remark(r, r->f->loc, "after %d rounds there may be more to move: a second run goes on",
			MOTION_ROUNDS);
	pass_count(r, "expressions moved", w.moved);
	pass_count(r, "occurrences before", w.before);
	pass_count(r, "occurrences after", w.after);
	pass_count(r, "computations inserted", w.done.inserted);
	pass_count(r, "occurrences replaced", w.done.replaced);
	pass_count(r, "edges split", w.done.split);
	pass_count(r, "points where temporaries live", w.live);
	pass_count(r, "expressions left for registers", w.refused);
	vec_free(&w.plan.action);
	return n > 0;
}

/* ---- the passes ---- */

static const PassOption options[] = { OPTION_ROW_RESTRICT, OPTION_ROW_PRESSURE };
static const PassOption options_spre[] = { OPTION_ROW_RESTRICT, OPTION_ROW_PRESSURE, OPTION_ROW_NONFAULTING };
static const PassOption options_pre[] = {
	OPTION_ROW_RESTRICT, OPTION_ROW_PRESSURE,
	{ .name = "partial", .value = 0, .least = 0, .most = 1,
		.help = "no further up than something has been computed on some way, as Morel and Renvoise "
		"have it" },
};

static const PassOption options_sscm[] = {
	OPTION_ROW_RESTRICT, OPTION_ROW_PRESSURE, OPTION_ROW_NONFAULTING,
	{ .name = "arms", .value = 0, .least = 0, .most = 1,
		.help = "as the thesis has it: something new may be computed in the arms of a divergent "
		"branch for what is read behind them" },
};

static const Method method_early = { .placement = PLACE_EARLY },
	method_renvoise = { .placement = PLACE_RENVOISE };
static const Method method_lcm = { .placement = PLACE_LATE };
static const Method method_spre = { .placement = PLACE_LATE, .speculation = SPECULATE_EVERYWHERE };
static const Method method_scm = { .placement = PLACE_LATE, .sparse = true };
static const Method method_sscm = { .placement = PLACE_LATE, .speculation = SPECULATE_DIVERGENT,
	.sparse = true, .arms = true };
static const Method method_thesis = { .placement = PLACE_LATE, .speculation = SPECULATE_DIVERGENT,
	.sparse = true };

static bool run_pre(PassRun *r)
{
	return run_motion(r, option_number(r, "partial") ? &method_renvoise : &method_early);
}

static bool run_lcm(PassRun *r) { return run_motion(r, &method_lcm); }
static bool run_spre(PassRun *r) { return run_motion(r, &method_spre); }
static bool run_scm(PassRun *r) { return run_motion(r, &method_scm); }

static bool run_sscm(PassRun *r)
{
	return run_motion(r, option_number(r, "arms") ? &method_thesis : &method_sscm);
}

const Pass pass_pre = {
	.name = "pre",
	.idle = "nothing would be computed less often elsewhere",
	.help = "partial redundancy elimination, which computes what is redundant on some way as early as "
	"possible",
	.options = options_pre, .noptions = 3,
	.function = run_pre,
	.keeps_registers = true,
};

const Pass pass_lcm = {
	.name = "lcm",
	.idle = "nothing would be computed less often elsewhere",
	.help = "lazy code motion: each expression is computed as seldom as can be without speculation, and "
	"as late as possible",
	.options = options, .noptions = 2,
	.function = run_lcm,
	.keeps_registers = true,
};

const Pass pass_spre = {
	.name = "spre",
	.idle = "nothing would be computed less often elsewhere",
	.help = "lazy code motion that takes it at every branch that what one side computes may be computed "
	"for both",
	.options = options_spre, .noptions = 3,
	.function = run_spre,
	.keeps_registers = true,
};

const Pass pass_scm = {
	.name = "scm",
	.idle = "nothing would be computed less often elsewhere",
	.help = "sparse code motion: lazy code motion, then at as few places as do",
	.options = options, .noptions = 2,
	.function = run_scm,
	.keeps_registers = true,
};

const Pass pass_sscm = {
	.name = "sscm",
	.idle = "nothing would be computed less often elsewhere",
	.help = "sparse code motion that takes it at divergent branches that what one side computes may be "
	"computed for both",
	.options = options_sscm, .noptions = 4,
	.function = run_sscm,
	.keeps_registers = true,
};
