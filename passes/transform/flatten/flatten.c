/* flatten: nested loops whose inner ones make different numbers of turns become one loop. V. Bulavintsev,
 * "Flattening of data-dependent nested loops for compile-time optimization of GPU programs" (2019), section
 * III.
 *
 * requires  reducible loops
 * keeps     what each thread executes, in its order, but for branches and the assignments it inserts; labels
 *           of the user's blocks
 * breaks    dominators, loops, uniformity: branches that a warp decided alike are decided by threads in
 *           different turns
 *
 * Nests are flattened from inside out: the innermost loop with inner loops takes these in first; then that
 * loop, which is one now, may become part of the loop around it. Operations that depend on which threads
 * execute them together forbid flattening, and so do loops in which a thread may wait for others
 * (passes/analysis/waits.h): in the flattened loop these others would wait for that thread. */
#include "passes/analysis/cost.h"
#include "passes/analysis/limits.h"
#include "passes/transform/flatten/flatten.h"
#include "passes/transform/transform.h"

enum { OPTION_RULE, OPTION_IDLE, OPTION_TRIPS, OPTION_LEVEL, OPTION_EXITS, OPTION_ENTER, OPTION_LOOPS,
	OPTIONS };

static const char *const rules[] = { "always", "paper", "corrected", NULL };
static const char *const exits[] = { "latch", "direct", NULL };
static const char *const enters[] = { "auto", "now", "next", NULL };

static const PassOption options[OPTIONS] = {
	[OPTION_RULE] = { "rule", RULE_CORRECTED, .help =
		"which inner loops are taken in: all; where formula (1) of the paper says that it pays; "
		"where that formula, "
		"corrected, does", .kind = PASS_NAME, .names = rules },
	[OPTION_IDLE] = { "assume-idle", 0, 0, 64, "without a profile: so many lanes of a warp wait in a "
		"turn of an inner loop; 0: not known, nothing pays" },
	[OPTION_TRIPS] = { "assume-turns", 1, 1, 1000000,
		"without a profile: turns of an inner loop for one of the outer loop" },
	[OPTION_LEVEL] = { "level", 1, 1, 1000000, "loops stay nested to this depth: 1 leaves no nest" },
	[OPTION_EXITS] = { "exits", EXITS_LATCH, .help =
		"threads leave the loop at its end, together, or where they did, as in the paper",
		.kind = PASS_NAME,
		.names = exits },
	[OPTION_ENTER] = { "enter", ENTER_AUTO, .help =
		"a thread that comes to an inner loop takes its first turn there and then, or with the next "
		"turn "
		"of the outer one; auto: now where every way leads there", .kind = PASS_NAME,
		.names = enters },
	[OPTION_LOOPS] = { "loops", .help = "labels of the first blocks of the outer loops that may be "
		"flattened; all when not given", .kind = PASS_LIST, .labels = true },
};

static Loc loop_place(const Nests *w, const Block *b) { return ins_loc(w->r->m, &b->ins.v[0]); }

static bool is_listed_loop(const PassValue *v, const Block *b)
{
	for (int i = 0; i < v->n; i++)
		if (!strcmp(v->list[i], b->label))
			return true;
	return !v->given;
}

/* May loop a take inner loops in: is that wanted, and does it keep what each thread does? */
static bool may_take(const Nests *w, int a)
{
	const FlatLoop *x = &w->loop[a];
	const PassValue *option = w->r->option;
	if (!nest_may(w, a) || !is_listed_loop(&option[OPTION_LOOPS], x->source))
		return false;
	if (x->convergent) {
		pass_remark(w->r, ins_loc(w->r->m, x->convergent),
			"the nest in loop %s is left alone: %s depends on which threads execute it together",
			x->source->label, op_info[x->convergent->op].name);
		return false;
	}
	if (!x->reducible) {
		pass_remark(w->r, loop_place(w, x->source), "the nest in loop %s is left alone: the loop has "
			"several entries", x->source->label);
		return false;
	}
	if (x->waits) {
		pass_remark(w->r, loop_place(w, x->source), "the nest in loop %s is left alone: %s",
			x->source->label, x->waits);
		return false;
	}
	return true;
}

/* Chooses the inner loops that loop a takes in. Returns how many; an inner loop that shares a's header
   counts. */
static int choose_inner_loops(Nests *w, int a)
{
	int n = 0;
	double inner = 0;
	if (!may_take(w, a))
		return 0;
	for (int k = a + 1; k < w->loop[a].end; k = w->loop[k].end) {
		FlatLoop *x = &w->loop[k];
		if (!x->reducible) {
			pass_remark(w->r, loop_place(w, x->source), "loop %s is left alone: it has several "
				"entries", x->source->label);
			continue;
		}
		x->chosen = decide(w, a, k);
		n += x->chosen;
	}
	if (!n && nest_shares_header(w, a, &inner))
		n += decide_shared(w, a, inner);
	return n;
}

/* May the loops that have been chosen become part of loop a? If not, they are chosen no more. */
static bool may_flatten(Nests *w, int a)
{
	const Block *b = w->loop[a].source;
	if (pass_may_change(w->r, loop_place(w, b), "the nest of loops at %s flattened", b->label))
		return true;
	for (int k = a + 1; k < w->loop[a].end; k = w->loop[k].end)
		w->loop[k].chosen = false;
	return false;
}

/* Takes the flag that says "uniform" from branches in flattened loops: threads that a warp executes together
   there may be in different turns, and so go different ways. */
static void forget_uniform(Nests *w)
{
	for (int b = 0; b < w->cfg->n; b++) {
		Block *x = w->cfg->f->block.v[b];
		int l = w->of.v[b];
		if (l >= 0 && x->nsucc > 1 && block_term(x)->flags & INSF_UNI && w->loop[l].within) {
			block_term(x)->flags &= (uint8_t)~INSF_UNI;
			edit_touch_code(w->r->f);
		}
	}
}

/* Writes a remark for each label of option loops at which no nest of loops begins. */
static void remark_unlisted(const Nests *w)
{
	const PassValue *v = &w->r->option[OPTION_LOOPS];
	for (int i = 0; i < v->n; i++) {
		const Block *named = NULL;
		bool nest = false;
		for (int b = 0; b < w->cfg->n; b++)
			if (!strcmp(w->cfg->f->block.v[b]->label, v->list[i]))
				named = w->cfg->f->block.v[b];
		for (int a = 0; a < w->n; a++)
			nest |= w->loop[a].source == named && nest_may(w, a);
		if (named && !nest)
			pass_remark(w->r, loop_place(w, named), "loops: no nest of loops begins with %s",
				named->label);
	}
}

static double warp_lanes(const PassRun *r)
{
	return r->profile && r->profile->warp_size ? r->profile->warp_size
		: (double)limits_of(r->limits)->warp_size;
}

/* Returns how many lanes are assumed to be idle (assume-idle), and a warp's lanes at most. */
static double idle(const Nests *w)
{
	double n = (double)w->r->option[OPTION_IDLE].number;
	if (n <= w->lanes)
		return n;
	pass_remark(w->r, w->r->f->loc, "assume-idle: a warp has %.0f lanes: all of them are taken to wait",
		w->lanes);
	return w->lanes;
}

static bool run(PassRun *r)
{
	Nests w;
	int nests = 0, loops = 0, before = r->f->block.n;
	nests_open(&w, r);
	w.exits = (FlattenExits)r->option[OPTION_EXITS].number;
	w.enter = (FlattenEnter)r->option[OPTION_ENTER].number;
	w.rule = (FlattenRule)r->option[OPTION_RULE].number;
	w.lanes = warp_lanes(r);
	w.idle = idle(&w);
	w.trips = (double)r->option[OPTION_TRIPS].number;
	remark_unlisted(&w);
	if (w.rule != RULE_ALWAYS)
		decide_prepare(&w);
	for (int a = w.n; a-- > 0;) {
		int n = w.loop[a].depth >= r->option[OPTION_LEVEL].number ? choose_inner_loops(&w, a) : 0;
		n = n && may_flatten(&w, a) ? n : 0;
		if (n)
			nest_rewrite(&w, a);
		else
			nest_pass_on(&w, a);
		decide_turns(&w, a);
		nests += n > 0;
		loops += n;
	}
	for (int l = 0; l < w.n; l++)
		w.loop[l].within = w.loop[l].flattened || (w.loop[l].parent >= 0 &&
			w.loop[w.loop[l].parent].within);
	forget_uniform(&w);
	nests_close(&w);
	pass_count(r, "nests flattened", nests);
	pass_count(r, "inner loops taken in", loops);
	pass_count(r, "blocks added", r->f->block.n - before);
	return nests > 0;
}

static const char *asks_profile(const PassValue *option)
{
	return option[OPTION_RULE].number != RULE_ALWAYS && !option[OPTION_IDLE].number
		? "flatten(rule=always)" : NULL;
}

const Pass pass_flatten = {
	.name = "flatten",
	.idle = "no loop has another one in it",
	.help = "make nested loops one, so that threads need not wait for each other behind inner loops",
	.options = options,
	.noptions = OPTIONS,
	.function = run,
	.asks_profile = asks_profile,
};
