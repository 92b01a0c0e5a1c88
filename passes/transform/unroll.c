/* unroll: copies loops turn by turn.
 *
 * requires  loops, dominators, post-dominators, SSA
 * keeps     what each thread executes, in its order, but for branches that are decided; the loop's blocks,
 *           with their labels, as its first turn
 * breaks    everything made from the graph
 *
 * A loop of which it is known in which turn all threads leave (unroll_count), and whose copies fit, is copied
 * in full: one copy for each turn, and no way back. Of other loops `factor` turns become one, each with all
 * of the loop's exits, so that nothing needs to be known of how often they turn, and no second loop is needed
 * for the turns that are left over. If it is known in which turn the threads leave, the branches of all
 * copies but one are decided in these loops, too.
 *
 * Operations that threads execute together stay legal: a copy depends on the same branches as what it is a
 * copy of, no branch is added, and threads that are in the same turn are in the same copy. Threads would part
 * in a loop in which some go back to the header before a block to which all have to come: as the loop is,
 * they wait there for each other, in different turns. Such a loop is a nest of loops that share a header; it
 * stays as it is, and so do loops with several ways in, and those in which a thread may wait for what others
 * do (passes/analysis/waits.h): threads of different turns of it would stand in different places. */
#include "isa/edit.h"
#include "passes/constants.h"
#include "passes/transform/transform.h"
#include "passes/transform/unroll.h"

enum { OPTION_FACTOR, OPTION_FULL, OPTION_MOST, OPTION_GROWTH, OPTION_LOOPS, OPTIONS };

typedef struct UnrollPlan {
	const Loop *l;
	int turns;                     /* how many turns the code has then: the loop itself and copies */
	bool full;
	CountedExit exit;
	const char *not_full;          /* why not all turns are copied; NULL: option full is off */
} UnrollPlan;

typedef struct Unroll {
	PassRun *r;
	Edit e;
	Arena arena;                   /* of one sweep, as are the next ones */
	const Cfg *c;
	const Loops *loops;
	const Waits *waits;
	const Dom *dom, *met;          /* met: says where threads that a branch parts meet again */
	int *size;                     /* by place in c->rpo: how many instructions are in blocks before it */
	/* by loop: it has loops in it; it, or a loop in it, is unrolled in this sweep */
	bool *inner, *taken;
	Block **map;                   /* by block: its copy, while a turn is being copied */
	StrMap done;                   /* headers of loops that have been unrolled */
	int64_t added;                 /* how many instructions all sweeps together have added */
	int full, partial, copies, decided;
} Unroll;

static int64_t unroll_option(const Unroll *w, int k) { return w->r->option[k].number; }

static const Block *loop_header(const Unroll *w, const Loop *l) { return w->r->f->block.v[l->header]; }

static int loop_size(const Unroll *w, const Loop *l) { return w->size[l->first + l->n] - w->size[l->first]; }

/* ---- which loops ---- */

static bool is_named_loop(const Unroll *w, const Loop *l)
{
	const PassValue *v = &w->r->option[OPTION_LOOPS];
	for (int k = 0; k < v->n; k++)
		if (!strcmp(v->list[k], loop_header(w, l)->label))
			return true;
	return false;
}

static int latch(const Unroll *w, const Loop *l)
{
	int b = l->latch.v[0];
	for (int k = 1; k < l->latch.n; k++)
		b = dom_common(w->dom, b, l->latch.v[k]);
	return b;
}

static bool threads_leave(const Unroll *w, const Loop *l)
{
	loop_each(w->c, l, b)
		for (int k = 0; k < b->nsucc; k++)
			if (!loop_has(w->c, l, b->succ[k]->id))
				return true;
	return false;
}

/* May threads go back to the header before a block of the loop to which all of them have to come? */
static bool gathers(const Unroll *w, const Loop *l)
{
	int last = latch(w, l);
	for (int b = w->met->idom[l->header]; b >= 0 && b < w->c->n && loop_has(w->c, l, b);
		b = w->met->idom[b])
		if (!dom_dominates(w->dom, b, last))
			return true;
	return false;
}

/* Returns why the loop can be unrolled neither in full nor in part; NULL: there is no
   such reason. */
static const char *refuse_unrolling(Unroll *w, const Loop *l)
{
	WaitPlace wait;
	if (w->r->option[OPTION_LOOPS].given && !is_named_loop(w, l))
		return "it is not among those wanted";
	if (!l->reducible)
		return "it has several ways in";
	if (loop_size(w, l) > unroll_option(w, OPTION_MOST))
		return arena_printf(&w->arena, "it has %d instructions, and most allows %lld",
			loop_size(w, l), (long long)unroll_option(w, OPTION_MOST));
	if (!threads_leave(w, l))
		return "it has no way out";
	if (waits_within(w->waits, (int)(l - w->loops->loop), &wait))
		return waits_text(&w->arena, &wait);
	if (gathers(w, l))
		return "threads go back before a block that all of them come to, and wait there for others";
	return NULL;
}

static bool fits_growth(const Unroll *w, int64_t instructions, const Loop *l)
{
	return instructions <= unroll_option(w, OPTION_MOST) &&
		w->added + instructions - loop_size(w, l) <= unroll_option(w, OPTION_GROWTH);
}

static const char *too_many_instructions(Unroll *w, int turns, int64_t instructions)
{
	return arena_printf(&w->arena, "its %d turns would have %lld instructions; most allows %lld, and "
		"growth %lld in all loops, of which %lld are used", turns, (long long)instructions,
		(long long)unroll_option(w, OPTION_MOST), (long long)unroll_option(w, OPTION_GROWTH),
		(long long)w->added);
}

/* Returns why the loop is not unrolled in full; NULL: it is, and the plan is filled. What follows in the last
   turn behind the branch by which threads leave is removed. */
static const char *plan_full(Unroll *w, const Loop *l, UnrollPlan *p)
{
	const char *why = refuse_unrolling(w, l);
	if (why)
		return why;
	*p = (UnrollPlan){ l, 0, true, unroll_count(w->r, l, latch(w, l)), NULL };
	if (p->exit.block < 0)
		return "how often it turns is not known";
	int64_t last = p->exit.block == l->header ? w->r->f->block.v[l->header]->ins.n : loop_size(w, l);
	p->turns = p->exit.turn + 1;
	int64_t all = (int64_t)p->exit.turn * loop_size(w, l) + last;
	return fits_growth(w, all, l) ? NULL : too_many_instructions(w, p->turns, all);
}

static const char *plan_part(Unroll *w, const Loop *l, UnrollPlan *p)
{
	const char *why = refuse_unrolling(w, l);
	if (why)
		return why;
	if (w->inner[l - w->loops->loop] && !is_named_loop(w, l))
		return "it has loops in it, and loops does not name it";
	const char *not_full = unroll_option(w, OPTION_FULL) ? plan_full(w, l, p) : NULL;
	*p = (UnrollPlan){ l, unroll_option(w, OPTION_FACTOR) ? (int)unroll_option(w, OPTION_FACTOR)
		: UNROLL_TURNS, false,
		unroll_count(w->r, l, latch(w, l)), not_full };
	if (!unroll_option(w, OPTION_FACTOR) && p->exit.block < 0)
		return "how often it turns is not known, so that each turn would have its test as before: "
			"factor=N copies it all the same";
	while (p->turns > 1 && !fits_growth(w, (int64_t)p->turns * loop_size(w, l), l))
		p->turns--;
	return p->turns > 1 ? NULL : too_many_instructions(w, 2, 2 * (int64_t)loop_size(w, l));
}

/* ---- doing it ---- */

/* Makes the way back from a turn lead to the next turn. A branch that names the loop's beginning as
   reconvergence point names the beginning of the next turn, too. */
static void chain(Unroll *w, Block *const *turn, int n, const Block *head, Block *next)
{
	for (int k = 0; k < n; k++) {
		if (turn[k]->reconverge == head)
			turn[k]->reconverge = next;
		for (int s = 0; s < turn[k]->nsucc; s++)
			if (turn[k]->succ[s] == head) {
				edit_retarget(&w->e, turn[k], head, next);
				break;
			}
	}
}

/* b is the copy, in turn t, of the block whose branch decides in which turn threads leave. If that copy
   always goes the same way, its branch becomes a jump. */
static void decide_turn(Unroll *w, const UnrollPlan *p, Block *b, int t)
{
	bool leaves = t == (p->full ? p->exit.turn : p->exit.turn % p->turns);
	if (leaves && !p->full) /* threads leave here in one execution of the copy, not in all */
		return;
	edit_fold(&w->e, b, b->succ[leaves ? !p->exit.stay : p->exit.stay]);
	w->decided++;
}

static int in_text(const void *a, const void *b)
{
	return (*(Block *const *)a)->id - (*(Block *const *)b)->id;
}

/* Makes the copies. Returns the loop's blocks and behind them those of its copies, each turn in the order of
   the text. */
static Block **copy_turns(Unroll *w, const UnrollPlan *p)
{
	int n = p->l->n;
	Block **turn = arena_array(&w->arena, Block *, (size_t)n * (size_t)p->turns);
	memcpy(turn, w->c->rpo + p->l->first, sizeof *turn * (size_t)n);
	qsort(turn, (size_t)n, sizeof *turn, in_text);
	for (int t = 1; t < p->turns; t++) {
		edit_clone(&w->e, spot_behind(turn[n - 1]), turn, n, w->map, NULL,
			arena_printf(&w->arena, "_%d", t + 1));
		for (int k = 0; k < n; k++) {
			turn[t * n + k] = w->map[turn[k]->id];
			w->map[turn[k]->id] = NULL;
		}
	}
	return turn;
}

static void tell_unrolled(Unroll *w, const UnrollPlan *p)
{
	const Block *h = loop_header(w, p->l);
	Loc loc = ins_loc(w->r->m, &h->ins.v[0]);
	if (p->full)
		pass_remark(w->r, loc, "the loop at %s is copied turn by turn: %d turn%s", h->label, p->turns,
			p->turns == 1 ? "" : "s");
	else
		pass_remark(w->r, loc, "the loop at %s does %d turns in one%s%s", h->label, p->turns,
			p->not_full ? ", not all of them: " : "", p->not_full ? p->not_full : "");
}

static void unroll(Unroll *w, const UnrollPlan *p)
{
	tell_unrolled(w, p);
	int head = 0, known = -1, n = p->l->n;
	Block **turn = copy_turns(w, p);
	for (int k = 0; k < n; k++) {
		head = turn[k]->id == p->l->header ? k : head;
		known = turn[k]->id == p->exit.block ? k : known;
	}
	for (int t = 0; t < p->turns - p->full; t++)
		chain(w, turn + t * n, n, turn[t * n + head], turn[(t + 1) % p->turns * n + head]);
	for (int t = 0; t < p->turns && known >= 0; t++)
		decide_turn(w, p, turn[t * n + known], t);
	w->copies += p->turns - 1;
	*(p->full ? &w->full : &w->partial) += 1;
}

/* ---- sweeps ---- */

static void open_unroll_sweep(Unroll *w)
{
	Function *f = w->r->f;
	arena_free(&w->arena);
	w->c = analysis_cfg(w->r->an);
	w->loops = analysis_loops(w->r->an);
	w->waits = analysis_waits(w->r->an);
	w->dom = analysis_dom(w->r->an);
	w->met = pdom_build(&w->arena, w->c, false);
	w->size = arena_array(&w->arena, int, w->c->nreach + 1);
	for (int k = 0; k < w->c->nreach; k++)
		w->size[k + 1] = w->size[k] + w->c->rpo[k]->ins.n;
	w->inner = arena_array(&w->arena, bool, w->loops->n + 1);
	w->taken = arena_array(&w->arena, bool, w->loops->n + 1);
	for (int i = 0; i < w->loops->n; i++)
		if (w->loops->loop[i].parent >= 0)
			w->inner[w->loops->loop[i].parent] = true;
	w->map = arena_array(&w->arena, Block *, f->block.n);
}

static bool may_unroll(Unroll *w, const Loop *l)
{
	const Block *h = loop_header(w, l);
	return pass_may_change(w->r, ins_loc(w->r->m, &h->ins.v[0]), "the loop at %s unrolled", h->label);
}

/* Unrolls loops, inner ones first; a loop around one that is unrolled has to wait for the next sweep. All is
   decided before anything changes. Returns whether a loop was unrolled. */
static bool sweep_loops(Unroll *w, bool full)
{
	open_unroll_sweep(w);
	UnrollPlan *plan = arena_array(&w->arena, UnrollPlan, w->loops->n + 1);
	int n = 0;
	for (int i = w->loops->n - 1; i >= 0; i--) {
		const Loop *l = &w->loops->loop[i];
		if (!w->taken[i] && strmap_get(&w->done, loop_header(w, l)->label) < 0 &&
			!(full ? plan_full : plan_part)(w, l, &plan[n])) {
			strmap_put(&w->done, loop_header(w, l)->label, 1);
			if (!may_unroll(w, l))
				continue;
			w->added += (int64_t)(plan[n++].turns - 1) * loop_size(w, l);
			w->taken[i] = true;
		}
		if (w->taken[i] && l->parent >= 0)
			w->taken[l->parent] = true;
	}
	for (int k = 0; k < n; k++)
		unroll(w, &plan[k]);
	if (n)
		edit_drop_dead(&w->e);
	return n > 0;
}

/* Writes for each loop that stays as it is why it does. */
static void explain(Unroll *w)
{
	open_unroll_sweep(w);
	for (int i = 0; i < w->loops->n; i++) {
		UnrollPlan p;
		const Loop *l = &w->loops->loop[i];
		const Block *h = loop_header(w, l);
		if (strmap_get(&w->done, h->label) >= 0)
			continue;
		const char *part = unroll_option(w, OPTION_FACTOR) != 1 ? plan_part(w, l, &p) : NULL,
			*full = unroll_option(w, OPTION_FULL) ? plan_full(w, l, &p) : part;
		bool both = part && strcmp(full, part) && !refuse_unrolling(w, l);
		pass_remark(w->r, ins_loc(w->r->m, &h->ins.v[0]), "the loop at %s stays: %s%s%s", h->label,
			full ? full : "full=0 and factor=1 leave nothing to do",
			both ? "; and several turns do not become one: " : "", both ? part : "");
	}
}

static bool run(PassRun *r)
{
	Unroll w = { .r = r, .e = edit_open(r->m, r->f, r->origin) };
	while (unroll_option(&w, OPTION_FULL) && sweep_loops(&w, true))
		;
	while (unroll_option(&w, OPTION_FACTOR) != 1 && sweep_loops(&w, false))
		;
	explain(&w);
	strmap_free(&w.done);
	edit_close(&w.e);
	arena_free(&w.arena);
	pass_count(r, "loops unrolled in full", w.full);
	pass_count(r, "loops unrolled in part", w.partial);
	pass_count(r, "turns copied", w.copies);
	pass_count(r, "branches decided", w.decided);
	return w.full + w.partial > 0;
}

static const PassOption options[OPTIONS] = {
	[OPTION_FACTOR] = { "factor", 0, 0, 64, "turns of a loop that become one, where not all do; 1: none; "
		"0: several where all but one then need no test, else none" },
	[OPTION_FULL] = { "full", 1, 0, 1, "1: loops of which it is known how often they turn are copied "
		"turn by turn, if that fits" },
	[OPTION_MOST] = { "most", UNROLL_LOOP, 0, 10000, "instructions that a loop may have afterwards" },
	[OPTION_GROWTH] = { "growth", UNROLL_GROWTH, 0, 20000, "instructions that may be added to a "
		"function" },
	[OPTION_LOOPS] = { "loops", .help = "labels of the first blocks of the loops that may be unrolled, "
		"those with loops in them included; all when not given",
		.kind = PASS_LIST, .labels = true, .loops = true },
};

const Pass pass_unroll = {
	.name = "unroll",
	.idle = "there is no loop",
	.help = "copy loops turn by turn: in full where it is known how often they turn, else several turns "
	"in one",
	.options = options, .noptions = OPTIONS,
	.function = run,
	.keeps_registers = true,
};
