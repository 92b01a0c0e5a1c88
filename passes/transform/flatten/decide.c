/* Does it pay to take an inner loop B into the outer loop A? Formula (1) of the paper says that it does when,
 * with n of N lanes idle in a turn of B on average,
 *
 *   n / N  >  Ta / (Ta + Tb)
 *
 * where Ta is the time of what a turn of A executes besides B, and Tb that of a turn of B. The formula errs
 * twice. The flattened loop executes some instructions more in each turn: a turn of B costs 1 + x times as
 * much. And what A has besides B is executed only in those turns in which some lane needs it: with t turns of
 * B for one of A, and lanes in different turns, that is a share of 1 - (1 - 1/t)^N. Corrected:
 *
 *   n / N  >  max(x / (1 + x), Ta' / (Ta' + Tb)),   Ta' = Ta * (1 - (1 - 1/t)^N)
 *
 * N counts only the lanes that come to A: lanes that have left A do not wait in B. Times are sums of
 * latencies, in cycles. n, t and how often blocks are executed come from a profile, or are assumed.
 *
 * n does not tell how many turns are left when lanes no longer wait: when it is always the same lane that
 * makes the most turns, there are as many as before. A profile with a trial has counted turns in both forms
 * of the nest. Then B is taken in if the blocks of the flattened nest, as often as they were executed, take
 * less time than those of the nest as it is, with the added instructions counted. In a nest of more than two
 * levels, all of which the trial has flattened, the formula has to say so, too. */
#include "passes/analysis/cost.h"
#include "passes/transform/flatten/flatten.h"
#include <math.h>

double decide_cost(const Nests *w, const Block *b)
{
	return (double)cost_block(w->r->cost, b);
}

/* Computes what a turn of the loop costs: its own blocks count once, those of an inner loop as often as that
   makes turns, or once when it has been taken in. */
void decide_turns(Nests *w, int loop)
{
	FlatLoop *x = &w->loop[loop];
	double taken = 0;
	x->turn = x->body;
	for (int k = loop + 1; k < x->end; k = w->loop[k].end) {
		x->turn += w->loop[k].turn * (w->loop[k].chosen ? 1 : w->loop[k].trips);
		taken += w->loop[k].chosen ? w->loop[k].turns : 0;
	}
	if (taken > 0) /* a thread makes as many turns of the flattened loop as it made of the inner ones */
		x->turns = taken;
}

/* How often a block was executed by warps (fetches), and by threads. The profile tells that only of the
   source's blocks; another block is taken to be executed as often as the nearest one that dominates it and
   lies in the same loop. */
typedef struct BlockCount { double fetches, threads; } BlockCount;

static int dominator_beside(const Nests *w, const Dom *dom, int b)
{
	int d = dom->idom[b], l = w->of.v[b];
	while (d >= 0 && w->of.v[d] != l && (l < 0 || nest_has(w, l, w->cfg->f->block.v[d])))
		d = dom->idom[w->loop[w->of.v[d]].source->id];
	return d;
}

static void count_flat_block(const Nests *w, const Profile *profile, const Dom *dom, const Block *b,
	BlockCount *count)
{
	const ProfileBlock *p = b->user ? profile_find(profile, w->r->f->name, b->label) : NULL;
	int d = p || b->user ? -1 : dominator_beside(w, dom, b->id);
	if (p)
		count[b->id] = (BlockCount){ (double)p->fetches, (double)p->threads };
	else if (d >= 0)
		count[b->id] = count[d];
}

static void take_profile(Nests *w)
{
	const Dom *dom = analysis_dom(w->r->an);
	BlockCount *count = arena_array(&w->arena, BlockCount, w->cfg->n);
	for (int i = 0; i < w->cfg->nreach; i++) {
		const Block *b = w->cfg->rpo[i];
		count_flat_block(w, w->r->profile, dom, b, count);
		if (w->of.v[b->id] < 0)
			continue;
		w->loop[w->of.v[b->id]].cycles += decide_cost(w, b) * count[b->id].fetches;
		w->loop[w->of.v[b->id]].issues += b->ins.n * count[b->id].fetches;
	}
	for (int l = w->n; l-- > 0;) {
		FlatLoop *x = &w->loop[l], *p = x->parent < 0 ? NULL : &w->loop[x->parent];
		x->fetches = count[x->source->id].fetches;
		x->threads = x->turns = count[x->source->id].threads;
		if (!p)
			continue;
		p->cycles += x->cycles;
		p->issues += x->issues;
		x->trips = count[p->source->id].threads > 0 ? x->threads / count[p->source->id].threads : 1;
	}
}

static void take_trial(Nests *w)
{
	const Dom *dom = analysis_dom(w->r->an);
	BlockCount *count = arena_array(&w->arena, BlockCount, w->cfg->n);
	for (int i = 0; i < w->cfg->nreach; i++) {
		const Block *b = w->cfg->rpo[i];
		count_flat_block(w, w->r->profile->trial, dom, b, count);
		if (w->of.v[b->id] < 0)
			continue;
		w->loop[w->of.v[b->id]].tried += decide_cost(w, b) * count[b->id].fetches;
		w->loop[w->of.v[b->id]].tried_issues += b->ins.n * count[b->id].fetches;
	}
	for (int l = w->n; l-- > 0;) {
		FlatLoop *x = &w->loop[l];
		x->tried_turns = count[x->source->id].fetches;
		if (x->parent < 0)
			continue;
		w->loop[x->parent].tried += x->tried;
		w->loop[x->parent].tried_issues += x->tried_issues;
	}
}

void decide_prepare(Nests *w)
{
	for (int i = 0; i < w->cfg->nreach; i++) {
		const Block *b = w->cfg->rpo[i];
		if (w->of.v[b->id] >= 0)
			w->loop[w->of.v[b->id]].body += decide_cost(w, b);
	}
	for (int l = 0; l < w->n; l++)
		w->loop[l].trips = w->trips;
	if (w->r->profile)
		take_profile(w);
	if (w->r->profile && w->r->profile->trial)
		take_trial(w);
	if (!w->r->profile && w->idle > 0)
		w->uniformity = analysis_uniformity(w->r->an);
}

/* May lanes of a warp leave loop k in different turns? */
static bool diverges(const Nests *w, int k)
{
	const FlatLoop *x = &w->loop[k];
	const Uniformity *u = w->uniformity;
	if (x->flattened)
		return true;
	for (int i = 0; i < x->own.n; i++)
		if (x->own.v[i]->id < w->cfg->n && u->divergent[x->own.v[i]->id] &&
			nest_leaves(w, k, x->own.v[i]))
			return true;
	for (int c = k + 1; c < x->end; c = w->loop[c].end)
		for (int i = 0; i < w->loop[c].leave.n; i++)
			if (nest_leaves(w, k, w->loop[c].leave.v[i]))
				return true;
	return false;
}

/* ta, tb: as in the formula; added, more: cycles and instructions that a turn of the flattened loop has more;
   lanes: those that come to A; idle: the share of them that waits; limit: the share above which it pays */
typedef struct Numbers { double ta, tb, added, more, lanes, idle, limit; } Numbers;

static double added(const Nests *w, Op op)
{
	return cost_latency(w->r->cost, &(Ins){ .op = (uint8_t)op, .type = op == OP_MOV ? T_PRED : T_NONE,
		.guard = -1 });
}

static void set_limit(const Nests *w, Numbers *n, double trips)
{
	double needed = w->rule == RULE_PAPER || trips < 1 ? 1 : 1 - pow(1 - 1 / trips, n->lanes),
		overhead = n->added / (n->added + n->tb);
	n->limit = n->ta * needed / (n->ta * needed + n->tb);
	if (w->rule == RULE_CORRECTED && overhead > n->limit)
		n->limit = overhead;
}

static Numbers flatten_numbers(const Nests *w, int a, int k)
{
	const FlatLoop *x = &w->loop[a], *y = &w->loop[k];
	Numbers n = { .ta = x->body, .tb = y->turn, .lanes = w->lanes, .idle = w->idle / w->lanes,
		.added = added(w, OP_BRA) + added(w, OP_MOV), .more = 2 };
	for (int j = a + 1; j < x->end; j = w->loop[j].end) {
		n.added += added(w, OP_BRA); /* one more test in A_next */
		n.more++;
		if (j != k)
			n.ta += w->loop[j].turn * w->loop[j].trips;
	}
	if (w->r->profile) {
		n.lanes = x->threads / x->fetches;
		n.idle = 1 - y->threads / (y->fetches * n.lanes);
		n.ta = (x->cycles - y->cycles) / x->fetches;
		n.tb = y->flattened ? y->turn : y->cycles / y->fetches;
	}
	set_limit(w, &n, w->r->profile ? y->turns / x->threads : y->trips);
	return n;
}

static bool flattening_pays(const Nests *w, const char *inner, const char *outer, Loc at, const Numbers *n)
{
	pass_remark(w->r, at, "loop %s is %s %s: %.1f of %.*f lanes idle, %.2f, and it pays above %.2f: a "
		"turn of %s costs %.0f, one of %s %.0f, and %.0f are added", inner,
		n->idle > n->limit ? "taken into" : "left alone within", outer, n->idle * n->lanes,
		n->lanes == floor(n->lanes) ? 0 : 1, n->lanes, n->idle, n->limit, outer, n->ta, inner, n->tb,
		n->added);
	return n->idle > n->limit;
}

/* Is it known how many lanes wait in turns of loop k? If not, a remark says so. */
static bool idle_known(const Nests *w, int k, const char *outer, Loc at)
{
	const char *inner = w->loop[k].source->label;
	int a = w->loop[k].parent;
	if (w->r->profile && w->loop[k].fetches > 0 && (a < 0 || w->loop[a].fetches > 0))
		return true;
	if (w->r->profile)
		pass_remark(w->r, at, "loop %s is left alone within %s: the profile has no execution of it",
			inner, outer);
	else if (w->idle <= 0)
		pass_remark(w->r, at, "loop %s is left alone within %s: how many lanes wait for others there "
			"is not known: give a profile, flatten(assume-idle=N), or flatten(rule=always)",
			inner, outer);
	return !w->r->profile && w->idle > 0;
}

/* Does the trial say that it pays to take loop k into loop a? The trial has counted the turns of the nest in
   both forms; the flattened loop makes as many as k. A warp that is alone takes the sum of latencies; for one
   among many, the number of issued instructions counts: the geometric mean of both has to fall. */
static bool tried(const Nests *w, int a, int k, const Numbers *n)
{
	const FlatLoop *x = &w->loop[a], *y = &w->loop[k];
	double cycles = x->tried + n->added * y->tried_turns,
		issues = x->tried_issues + n->more * y->tried_turns;
	bool pays = cycles * issues < x->cycles * x->issues;
	pass_remark(w->r, ins_loc(w->r->m, &y->source->ins.v[0]),
		"loop %s is %s %s: tried, the nest makes %.0f turns in place of %.0f, in %.0f instructions "
		"in place of %.0f, whose latencies are %.0f in place of %.0f", y->source->label,
		pays ? "taken into" : "left alone within", x->source->label, y->tried_turns, y->fetches,
		issues, x->issues, cycles, x->cycles);
	return pays;
}

/* Has the trial flattened loop a alone? It has, unless there is a loop around a: that was flattened, too. */
static bool tried_alone(const Nests *w, int a) { return w->loop[a].parent < 0; }

bool decide(Nests *w, int a, int k)
{
	const char *inner = w->loop[k].source->label, *outer = w->loop[a].source->label;
	Loc at = ins_loc(w->r->m, &w->loop[k].source->ins.v[0]);
	if (w->rule == RULE_ALWAYS)
		return true;
	if (!idle_known(w, k, outer, at))
		return false;
	if (!w->r->profile && !diverges(w, k)) {
		pass_remark(w->r, at, "loop %s is left alone within %s: all threads of a warp leave it "
			"together", inner, outer);
		return false;
	}
	Numbers n = flatten_numbers(w, a, k);
	if (w->r->profile && w->r->profile->trial) {
		bool better = tried(w, a, k, &n);
		if (!better || tried_alone(w, a))
			return better;
	}
	return flattening_pays(w, inner, outer, at, &n);
}

bool decide_shared(Nests *w, int a, double inner)
{
	const FlatLoop *x = &w->loop[a];
	Loc at = ins_loc(w->r->m, &x->source->ins.v[0]);
	if (w->rule == RULE_ALWAYS)
		return true;
	if (!idle_known(w, a, x->source->label, at))
		return false;
	decide_turns(w, a);
	Numbers n = { .ta = x->turn > inner ? x->turn - inner : 0, .tb = inner,
		.added = added(w, OP_MOV) + added(w, OP_BRA), .more = 2, .lanes = w->lanes,
		.idle = w->idle / w->lanes };
	if (w->r->profile && w->r->profile->trial)
		return tried(w, a, a, &n);
	if (w->r->profile)
		n.idle = 1 - x->threads / (x->fetches * w->lanes);
	set_limit(w, &n, w->trips);
	return flattening_pays(w, x->source->label, x->source->label, at, &n);
}
