/* meld: control-flow melding. C. Saumya, K. Sundararajah, M. Kulkarni, "DARM: Control-Flow Melding for SIMT
 * Thread Divergence Reduction", CGO 2022.
 *
 * requires  cfg, dom, pdom, loops, liveness, uniformity
 * keeps     what each thread executes, in its order, but for branches, choices and moves that it inserts;
 *           labels of blocks that are not melded
 * breaks    all analyses
 *
 * The arms of a divergent branch are rows of subgraphs with one entry and one exit (path.c). Those that go
 * together are found by walking both in step and aligned in order (match.c); the instructions of their blocks
 * are aligned (align.c, worth.c), their registers named (names.c), and code for both sides takes their place
 * (emit.c) when it costs less. Such rounds follow each other until nothing more can be melded: so chains of
 * branches are melded, one branch after the other. */
#include "passes/transform/meld/meld.h"
#include "passes/constants.h"
#include "lib/strbuf.h"
#include "passes/transform/transform.h"

enum { OPTION_THRESHOLD, OPTION_COSTS, OPTION_CHECK, OPTION_ORDER, OPTION_SWAP, OPTION_REPLICATE,
	OPTION_STRAIGHT, OPTION_BLOCKS, OPTION_CELLS, OPTION_WORK, OPTIONS };

static const char *const costs[] = { "machine", "paper", NULL };
static const char *const checks[] = { "time", "latency", NULL };
static const char *const orders[] = { "blocks", "profit", NULL };

static const PassOption options[OPTIONS] = {
	[OPTION_THRESHOLD] = { "threshold", MELD_THRESHOLD, 1, 50,
		"percent of their cycles that melding two subgraphs must save at best", PASS_NUMBER, NULL },
	[OPTION_COSTS] = { "costs", 0, .help = "what instructions cost: the machine's latencies, or the "
		"paper's numbers", .kind = PASS_NAME, .names = costs },
	[OPTION_CHECK] = { "check", 0, .help = "what has to fall: the sum of latencies and, with time, the "
		"estimated time as well; by the paper's numbers the sum alone",
		.kind = PASS_NAME, .names = checks },
	[OPTION_ORDER] = { "order", ORDER_BLOCKS, .help =
		"which branch comes first: that of the first block, as in the paper, or the one that saves "
		"most",
		.kind = PASS_NAME, .names = orders },
	[OPTION_SWAP] = { "swap", 0, 0, 1, "1: subgraphs may differ in which way around their branches are",
		PASS_NUMBER, NULL },
	[OPTION_REPLICATE] = { "replicate", 1, 0, 1, "1: a block against a region gets the region's form",
		PASS_NUMBER, NULL },
	[OPTION_STRAIGHT] = { "straight", 0, 0, 1000, "so many instructions in a row of one side are "
		"executed by all lanes where that changes nothing for the others; "
		"more stand in a block of their own", PASS_NUMBER, NULL },
	[OPTION_BLOCKS] = { "blocks", MELD_BLOCKS, 1, 4096, "blocks that an arm may have; what lies behind "
		"them is left alone", PASS_NUMBER, NULL },
	[OPTION_CELLS] = { "cells", MELD_CELLS, 1, 1 << 24,
		"size of an alignment's table, the product of the two lengths; longer blocks are aligned in "
		"pieces",
		PASS_NUMBER, NULL },
	[OPTION_WORK] = { "work", MELD_WORK, 1, 1 << 30,
		"blocks of all rounds together; when they are used up, no further round begins", PASS_NUMBER,
		NULL },
};

/* ---- one branch ---- */

static void region_free(MeldRegion *r)
{
	for (int k = 0; k < r->stretch.n; k++) {
		vec_free(&r->stretch.v[k].pair);
		vec_free(&r->stretch.v[k].shared);
		vec_free(&r->stretch.v[k].hoisted);
	}
	vec_free(&r->stretch);
}

/* Has this pass put the branch in? */
static bool made_branch(const Meld *w, const MeldRegion *r)
{
	return block_term(r->e)->origin == w->r->origin;
}

static void __attribute__((format(printf, 3, 4))) say_why_not(Meld *w, const MeldRegion *r, const char *fmt,
	...)
{
	StrBuf text = { 0 };
	va_list ap;
	va_start(ap, fmt);
	sb_vprintf(&text, fmt, ap);
	va_end(ap);
	vec_push(&w->said, ((MeldRemark){ ins_loc(w->r->m, block_term(r->e)),
		arena_printf(&w->a, "the branch of %s stays: %s", say_branch(w, r->e), text.s) }));
	sb_free(&text);
}

static bool writes_condition(const Meld *w, const MeldRegion *r)
{
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < r->arm[s].n; k++)
			for (int b = 0; b < r->arm[s].sub[k].n; b++) {
				const Block *x = r->arm[s].sub[k].block[b];
				for (int i = 0; i < x->ins.n; i++)
					if (ins_writes(w->f, &x->ins.v[i], r->condition))
						return true;
			}
	return false;
}

static bool stretch_pays(Meld *w, const MeldRegion *r, const Stretch *s)
{
	const char *a = s->entry[0]->label, *b = s->entry[1]->label;
	if (s->after >= s->before)
		say_why_not(w, r, "%s and %s would cost %lld cycles as one, and cost %lld as they are", a, b,
			(long long)s->after, (long long)s->before);
	else if (w->timed && s->turns[1] > s->turns[0])
		say_why_not(w, r, "%s and %s would cost %lld cycles as one, not %lld, but %d turns of the "
			"loop of %s take a warp alone %lld cycles, and would take %lld", a, b,
			(long long)s->after, (long long)s->before, LOOP_TURNS, s->around->label,
			(long long)s->turns[0], (long long)s->turns[1]);
	else if (w->timed && !time_falls(s))
		say_why_not(w, r, "%s and %s would cost %lld cycles as one, not %lld, but take longer: a "
			"warp alone takes %lld cycles, and would take %lld; each of many takes %.0f cycles "
			"of the unit that is asked for most, and would take %.0f", a, b, (long long)s->after,
			(long long)s->before, (long long)s->time[0].alone, (long long)s->time[1].alone,
			s->time[0].many, s->time[1].many);
	else
		return true;
	return false;
}

/* Computes what each stretch costs before and after melding, and drops those that do not pay. */
static void weigh_stretches(Meld *w, MeldRegion *r)
{
	int kept = 0;
	for (int k = 0; k < r->stretch.n; k++) {
		Stretch *s = &r->stretch.v[k];
		worth_choose(w, s);
		for (int p = 0; p < s->pair.n; p++)
			for (int side = 0; side < 2; side++) {
				const Block *b = s->pair.v[p].b[side];
				s->before += b ? meld_weight(w, b) * meld_block_cost(w, b) : 0;
			}
		s->after = emit_cost(w, r, s);
		if (s->pieces > 1)
			pass_count(w->r, "alignments cut", 1);
		if (stretch_pays(w, r, s)) {
			r->gain += s->before - s->after;
			Stretch x = r->stretch.v[kept];
			r->stretch.v[kept++] = *s;
			*s = x;
		} else if (s->pieces > 1) {
			say_why_not(w, r, "blocks of its arms are so long that they were aligned in %d "
				"pieces; cells=%d allows no larger table", s->pieces, w->cells);
		}
	}
	for (int k = r->stretch.n; k-- > kept; r->stretch.n--) {
		MeldRegion gone = { 0 };
		vec_push(&gone.stretch, r->stretch.v[k]);
		region_free(&gone);
	}
}

/* Are the arms one block each? Blocks that only jump do not count. */
static bool is_diamond(const MeldRegion *r)
{
	for (int s = 0; s < 2; s++) {
		const Arm *arm = &r->arm[s];
		int blocks = 0;
		for (int k = 0; k < arm->n; k++) {
			const Subgraph *x = &arm->sub[k];
			if (x->n != 1 || !block_jumps(x->block[0]))
				return false;
			blocks += x->block[0]->ins.n > 1;
		}
		if (blocks != 1 || arm->sub[arm->n - 1].exit != r->exit)
			return false;
	}
	return true;
}

/* Has nothing in the region changed in this round? touch: notes that it changes now. */
static bool untouched(Meld *w, const MeldRegion *r, bool touch)
{
	bool free = !bs_has(w->touched, r->e->id);
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < r->arm[s].n; k++)
			for (int b = 0; b < r->arm[s].sub[k].n; b++) {
				free &= !bs_has(w->touched, r->arm[s].sub[k].block[b]->id);
				if (touch)
					bs_add(w->touched, r->arm[s].sub[k].block[b]->id);
			}
	if (touch)
		bs_add(w->touched, r->e->id);
	return free;
}

static const char *arm_obstacle(const MeldRegion *r)
{
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < r->arm[s].n; k++)
			if (r->arm[s].sub[k].obstacle)
				return r->arm[s].sub[k].obstacle;
	return NULL;
}

/* Notes, for a remark, why no two subgraphs of the arms have the same form. */
static void why_unlike(Meld *w, const MeldRegion *r)
{
	if (arm_obstacle(r))
		say_why_not(w, r, "%s", arm_obstacle(r));
	else
		say_why_not(w, r, "nothing in its arms has the same form%s: %s",
			match_swapped(w, r) ? ", but would have with swap=1" : "", w->unlike);
}

static void why_no_arm(Meld *w, const MeldRegion *r)
{
	const char *stop = r->arm[0].n ? r->arm[1].stop : r->arm[0].stop;
	if (r->e->succ[0] != r->exit && r->e->succ[1] != r->exit)
		say_why_not(w, r, "%s", stop);
	/* a branch that this pass has made for instructions without a counterpart needs no remark: when the
	   rest was melded, a remark told how many stay on one side */
	else if (!made_branch(w, r))
		say_why_not(w, r, "one of its arms is empty");
}

/* Finds what can be melded in the arms of the branch. Returns true when melding something of them pays. */
static bool consider_melding(Meld *w, MeldRegion *r)
{
	int exit = w->pdom->idom[r->e->id];
	r->exit = exit >= 0 && exit < w->c->n ? w->f->block.v[exit] : NULL;
	path_find(w, r);
	if (!untouched(w, r, false))
		return false;
	r->copied = writes_condition(w, r);
	if (!r->arm[0].n || !r->arm[1].n) {
		why_no_arm(w, r);
		return false;
	}
	if (w->diamonds && !is_diamond(r)) {
		say_why_not(w, r, "its arms are not a block each");
		return false;
	}
	if ((int64_t)r->arm[0].n * r->arm[1].n > w->cells / MELD_SUBGRAPH_CELLS + 1) {
		say_why_not(w, r, "its arms have %d and %d subgraphs, and two of them that are compared "
			"count as 16 cells; to align all, cells has to be %lld", r->arm[0].n, r->arm[1].n,
			(long long)MELD_SUBGRAPH_CELLS * ((int64_t)r->arm[0].n * r->arm[1].n - 1));
		return false;
	}
	if (say_empty(r)) {
		if (!made_branch(w, r))
			say_why_not(w, r, "its arms are empty");
		return false;
	}
	match_stretches(w, r);
	weigh_stretches(w, r);
	if (r->late[0])
		say_why_not(w, r, "at %s and %s each arm would wait for the other, and %s may wait in front "
			"of it for what comes from the other arm", r->late[0]->block[0]->label,
			r->late[1]->block[0]->label, r->late[0]->waits_before ? "the first" : "the second");
	if (r->percent == NO_PAIR)
		why_unlike(w, r);
	else if (r->percent < w->threshold)
		say_why_not(w, r, "at best %d %% of the cycles of two subgraphs would be saved, and "
			"threshold asks for %d %%", r->percent, w->threshold);
	return r->stretch.n > 0;
}

/* ---- a round ---- */

static void apply_melding(Meld *w, MeldRegion *r)
{
	Loc loc = ins_loc(w->r->m, block_term(r->e));
	const char *branch = say_branch(w, r->e);
	untouched(w, r, true);
	if (w->r->show && !w->headed)
		sb_printf(w->r->show, "  round %d\n", w->rounds + 1);
	w->headed = true;
	for (int k = 0; k < r->stretch.n; k++) {
		const Stretch *s = &r->stretch.v[k];
		pass_remark(w->r, loc, "the branch of %s: %s and %s become one: %d %s, %d %s on one side; "
			"%lld cycles become %lld (profitability %d %%)", branch, s->entry[0]->label,
			s->entry[1]->label, s->pairs, s->pairs == 1 ? "pair of instructions becomes one"
			: "pairs of instructions become one each", s->alone, s->alone == 1 ? "stays" : "stay",
			(long long)s->before, (long long)s->after, s->percent);
		if (s->pieces > 1)
			pass_remark(w->r, loc, "the branch of %s: blocks of its arms are so long that they "
				"were aligned in %d pieces; cells=%d allows no larger table", branch,
				s->pieces, w->cells);
		say_forms(w, s, loc, branch);
		meld_show(w, r, s);
		pass_count(w->r, "stretches melded", 1);
		pass_count(w->r, "regions melded with regions", s->regions);
		pass_count(w->r, "blocks given a region's form", s->copies);
		pass_count(w->r, "instructions melded", s->pairs);
		for (int p = 0; p < s->pair.n; p++)
			for (int side = 0; side < 2; side++)
				if (s->pair.v[p].b[side])
					bs_add(w->gone, s->pair.v[p].b[side]->id);
	}
	emit_region(w, r);
}

static void open_round(Meld *w)
{
	Analyses *an = w->r->an;
	w->uniformity = analysis_uniformity(an);
	w->live = analysis_liveness(an);
	w->loops = analysis_loops(an);
	w->waits = analysis_waits(an);
	w->pdom = analysis_pdom(an);
	w->dom = analysis_dom(an);
	w->effects = analysis_effects(an);
	w->c = analysis_cfg(an);
	int n = w->c->n;
	w->named = edit_named(&w->a, w->f);
	w->touched = bs_new(&w->a, n);
	w->gone = bs_new(&w->a, n);
	w->seen = arena_array(&w->a, int, n);
	w->back = arena_array(&w->a, int, n);
	w->take = arena_array(&w->a, int, n);
	w->pair[0] = arena_array(&w->a, int, n);
	w->pair[1] = arena_array(&w->a, int, n);
	w->seeing = w->made.n = w->said.n = 0;
	for (int k = 0; k < n; k++) {
		const Block *b = w->f->block.v[k];
		for (int e = 0; e < b->nsucc && w->c->rpo_index[k] < 0; e++)
			bs_add(w->named, b->succ[e]->id);
	}
	names_open(w);
	if (w->timed)
		time_open(w);
}

static bool divergent(const Meld *w, const Block *b)
{
	const Ins *t = block_term(b);
	return w->uniformity->divergent[b->id] && t->op == OP_BRA && ins_src(t, 0)->kind == OPD_REG &&
		b->succ[0] != b->succ[1];
}

static int by_gain(const void *x, const void *y)
{
	const MeldRegion *a = x, *b = y;
	if (a->gain != b->gain)
		return a->gain < b->gain ? 1 : -1;
	return a->place - b->place;
}

/* Does the function have a conditional branch? Without one nothing has to be analysed. */
static bool has_condition(const Function *f)
{
	for (int k = 0; k < f->block.n; k++)
		if (f->block.v[k]->nsucc == 2 && block_term(f->block.v[k])->op == OP_BRA)
			return true;
	return false;
}

/* Does the function have a divergent branch? Without one no other analysis is made: liveness takes
   longest. */
static bool any_divergent(Meld *w)
{
	w->uniformity = analysis_uniformity(w->r->an);
	for (int k = 0; k < w->f->block.n; k++)
		if (divergent(w, w->f->block.v[k]))
			return true;
	return false;
}

static bool may_meld(Meld *w, const MeldRegion *r)
{
	return pass_may_change(w->r, ins_loc(w->r->m, block_term(r->e)), "the branch of %s: its arms melded",
		say_branch(w, r->e));
}

static bool meld_round(Meld *w)
{
	Vec(MeldRegion) list = { 0 };
	bool changed = w->headed = false;
	open_round(w);
	for (int k = 0; k < w->c->nreach; k++) {
		MeldRegion r = { .e = w->c->rpo[k], .place = k };
		if (!divergent(w, r.e) || bs_has(w->touched, r.e->id))
			continue;
		bool pays = consider_melding(w, &r);
		if (pays && w->order == ORDER_PROFIT) {
			vec_push(&list, r);
			continue;
		}
		pays = pays && may_meld(w, &r);
		if (pays)
			apply_melding(w, &r);
		changed |= pays;
		region_free(&r);
	}
	if (list.n)
		qsort(list.v, (size_t)list.n, sizeof *list.v, by_gain);
	for (int k = 0; k < list.n; k++) {
		bool may = may_meld(w, &list.v[k]);
		if (may && untouched(w, &list.v[k], false))
			apply_melding(w, &list.v[k]);
		changed |= may;
		region_free(&list.v[k]);
	}
	vec_free(&list);
	if (w->r->show && w->rounds && w->said.n && !changed)
		sb_puts(w->r->show, "  what stays\n");
	for (int k = 0; k < w->said.n && !changed; k++)
		pass_remark(w->r, w->said.v[k].loc, "%s", w->said.v[k].text);
	if (changed)
		meld_tidy(w, w->gone);
	names_close(w);
	time_close(w);
	arena_free(&w->a);
	return changed;
}

/* ---- the passes ---- */

static bool meld_function(Meld *w)
{
	PassRun *r = w->r;
	bool changed = false;
	int64_t work = w->f->block.n;
	if (!has_condition(w->f) || !any_divergent(w))
		return false;
	w->e = edit_open(r->m, r->f, r->origin);
	for (; meld_round(w); w->rounds++) {
		changed = true;
		work += w->f->block.n;
		if (work > w->work) {
			pass_remark(r, w->f->loc, "no further round after %d: work=%lld blocks are used up; "
				"a second run may meld more", w->rounds + 1, (long long)w->work);
			break;
		}
	}
	pass_count(r, "rounds", w->rounds);
	edit_close(&w->e);
	vec_free(&w->made);
	vec_free(&w->said);
	return changed;
}

/* Does option check ask for time? With the paper's numbers it never does: they say nothing about time. */
static bool checks_time(const PassValue *o)
{
	return o[OPTION_CHECK].number == 0 && o[OPTION_COSTS].number == 0;
}

static Meld meld_of(PassRun *r)
{
	const PassValue *o = r->option;
	return (Meld){ .r = r, .f = r->f, .threshold = (int)o[OPTION_THRESHOLD].number,
		.paper = o[OPTION_COSTS].number == 1,
		.timed = checks_time(o), .order = (MeldOrder)o[OPTION_ORDER].number,
		.swap = o[OPTION_SWAP].number, .copies = o[OPTION_REPLICATE].number,
		.straight = (int)o[OPTION_STRAIGHT].number, .most = (int)o[OPTION_BLOCKS].number,
		.cells = (int)o[OPTION_CELLS].number,
		.work = o[OPTION_WORK].number };
}

static bool run(PassRun *r)
{
	Meld w = meld_of(r);
	return meld_function(&w);
}

static bool run_fusion(PassRun *r)
{
	Meld w = { .r = r, .f = r->f, .threshold = (int)r->option[OPTION_THRESHOLD].number,
		.paper = r->option[OPTION_COSTS].number == 1, .timed = checks_time(r->option),
		.diamonds = true,
		.most = BRANCH_FUSION_BLOCKS, .cells = MELD_CELLS, .work = MELD_WORK };
	return meld_function(&w);
}

const Pass pass_meld = {
	.name = "meld",
	.idle = "no divergent branch has arms that do alike",
	.help = "make one subgraph of two in the arms of a divergent branch (DARM)",
	.options = options,
	.noptions = OPTIONS,
	.function = run,
	.shows = true,
};

const Pass pass_branch_fusion = {
	.name = "branch-fusion",
	.idle = "no divergent branch has arms of a block each that do alike",
	.help = "make one block of the two arms of a divergent branch, when they are a block each",
	.options = options,
	.noptions = OPTION_CHECK + 1,
	.function = run_fusion,
	.shows = true,
};
