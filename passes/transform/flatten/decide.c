/* Does it pay to take an inner loop in? Formula (1) of the paper: with n of N lanes idle in a turn of B, on average,
 *
 *   n / N  >  Ta / (Ta + Tb)
 *
 * where Ta is the time of what a turn of A executes besides B, and Tb that of a turn of B. It errs twice: the flattened loop executes some instructions more
 * in each turn (that of B costs 1 + x times as much), and A is executed only in the turns in which some lane needs it: with t turns of B for one of A,
 * and lanes that have come apart, in 1 - (1 - 1/t)^N of them. Corrected:
 *
 *   n / N  >  max(x / (1 + x), Ta' / (Ta' + Tb)),   Ta' = Ta * (1 - (1 - 1/t)^N)
 *
 * Times are sums of latencies. n, t and how often blocks are executed come from a profile, or are assumed. */
#include "passes/transform/flatten/flatten.h"
#include <math.h>

enum { LANES = 32 };

double decide_cost(const Nests *w, const Block *b)
{
	return b->ins.n;
}

/* What a turn of the loop costs: its own blocks once, those of inner loops as often as these make turns, or once when they have been taken in. */
void decide_turns(Nests *w, int loop)
{
	FlatLoop *x = &w->loop[loop];
	x->turn = x->body;
	for (int k = loop + 1; k < x->end; k = w->loop[k].end)
		x->turn += w->loop[k].turn * (w->loop[k].chosen ? 1 : w->loop[k].trips);
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
	if (w->idle > 0)
		w->uniformity = analysis_uniformity(w->r->an);
}

/* The block that ends turns of k decides otherwise for some lanes of a warp than for others. */
static bool diverges(const Nests *w, int k)
{
	const FlatLoop *x = &w->loop[k];
	const Uniformity *u = w->uniformity;
	if (x->flattened)
		return true;
	for (int i = 0; i < x->own.n; i++)
		if (x->own.v[i]->id < w->cfg->n && u->divergent[x->own.v[i]->id] && nest_leaves(w, k, x->own.v[i]))
			return true;
	for (int c = k + 1; c < x->end; c = w->loop[c].end)
		for (int i = 0; i < w->loop[c].leave.n; i++)
			if (nest_leaves(w, k, w->loop[c].leave.v[i]))
				return true;
	return false;
}

typedef struct Numbers { double ta, tb, added, idle, limit; } Numbers;

static void set_limit(const Nests *w, Numbers *n, double trips)
{
	double needed = w->rule == RULE_PAPER ? 1 : 1 - pow(1 - 1 / trips, LANES), overhead = n->added / (n->added + n->tb);
	n->limit = n->ta * needed / (n->ta * needed + n->tb);
	if (w->rule == RULE_CORRECTED && overhead > n->limit)
		n->limit = overhead;
}

static Numbers numbers(const Nests *w, int a, int k)
{
	const FlatLoop *x = &w->loop[a];
	Numbers n = { .ta = x->body, .tb = w->loop[k].turn, .idle = w->idle / LANES, .added = 2 };
	for (int j = a + 1; j < x->end; j = w->loop[j].end) {
		n.added++; /* one test more of what to do next */
		if (j != k)
			n.ta += w->loop[j].turn * w->loop[j].trips;
	}
	set_limit(w, &n, w->loop[k].trips);
	return n;
}

static bool pays(const Nests *w, const char *inner, const char *outer, Loc at, const Numbers *n)
{
	pass_remark(w->r, at, "loop %s is %s %s: %.1f of %d lanes idle, %.2f, and it pays above %.2f: a turn of %s costs %.0f, one of %s %.0f, and %.0f are added",
		inner, n->idle > n->limit ? "taken into" : "left alone within", outer, n->idle * LANES, LANES, n->idle, n->limit, outer, n->ta, inner, n->tb, n->added);
	return n->idle > n->limit;
}

/* Is it known how many lanes wait behind loop k? */
static bool idle_known(const Nests *w, const char *inner, const char *outer, Loc at)
{
	if (w->idle <= 0)
		pass_remark(w->r, at, "loop %s is left alone within %s: how many lanes wait for others there is not known: give a profile, "
			"flatten(assume-idle=N), or flatten(rule=always)", inner, outer);
	return w->idle > 0;
}

bool decide(Nests *w, int a, int k)
{
	const char *inner = w->loop[k].source->label, *outer = w->loop[a].source->label;
	Loc at = ins_loc(w->r->m, &w->loop[k].source->ins.v[0]);
	if (w->rule == RULE_ALWAYS)
		return true;
	if (!idle_known(w, inner, outer, at))
		return false;
	if (!diverges(w, k)) {
		pass_remark(w->r, at, "loop %s is left alone within %s: all threads of a warp leave it together", inner, outer);
		return false;
	}
	Numbers n = numbers(w, a, k);
	return pays(w, inner, outer, at, &n);
}

bool decide_shared(Nests *w, int a, double inner)
{
	const FlatLoop *x = &w->loop[a];
	Loc at = ins_loc(w->r->m, &x->source->ins.v[0]);
	if (w->rule == RULE_ALWAYS)
		return true;
	if (!idle_known(w, x->source->label, x->source->label, at))
		return false;
	decide_turns(w, a);
	Numbers n = { .ta = x->turn > inner ? x->turn - inner : 0, .tb = inner, .added = 2, .idle = w->idle / LANES };
	set_limit(w, &n, w->trips);
	return pays(w, x->source->label, x->source->label, at, &n);
}
