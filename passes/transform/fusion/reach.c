#include "passes/analysis/flow.h"
#include "passes/transform/fusion/launches.h"

/* Does the launch stop at the statement? It does if it may not pass the statement; a launch that sinks also
   stops at parts from which the function never ends, or it might be sunk for ever. */
static bool stops(const Host *h, int launch, int stmt, bool sinks)
{
	return (sinks && h->part.v[h->stmt.v[stmt].part].endless) || !host_passes(h, launch, stmt);
}

/* Makes nodes of all statements that the launch at `start` comes to when it goes on over all that it may
   pass, with those at which it stops. *passed: the nodes that it may pass. */
static void spread_nodes(Host *h, LaunchReach *r, int start, bool sinks, BitSet *passed)
{
	Vec(int) list = { 0 };
	Vec(int) over = { 0 };     /* by node: may the launch pass its statement? */
	vec_push(&list, -1);
	vec_push(&over, 0);
	vec_push(&list, start);
	vec_push(&over, 1);
	h->stmt.v[start].local = 1;
	for (int k = 1; k < list.n; k++) {
		int s = list.v[k], n = sinks ? host_nsucc(h, s) : host_npred(h, s);
		for (int i = 0; over.v[k] && i < n; i++) {
			int t = sinks ? host_succ(h, s, i) : host_pred(h, s, i);
			if (h->stmt.v[t].local)
				continue;
			h->stmt.v[t].local = list.n;
			vec_push(&list, t);
			vec_push(&over, !stops(h, h->stmt.v[start].launch, t, sinks));
		}
	}
	r->n = list.n;
	r->stmt = arena_array(&r->arena, int, r->n);
	memcpy(r->stmt, list.v, sizeof *r->stmt * (size_t)r->n);
	*passed = bs_new(&r->arena, r->n);
	/* the launch (node 1) does not pass itself: if it is executed twice, it has to stay so */
	for (int k = 2; k < r->n; k++)
		if (over.v[k])
			bs_add(*passed, k);
	vec_free(&list);
	vec_free(&over);
}

/* Adds the edges between nodes; statements that have no node count as node 0. A statement without successors
   has no edge out, one without predecessors has one from node 0. */
static void connect_statements(Host *h, LaunchReach *r)
{
	r->g = graph_new(&r->arena, r->n);
	for (int k = 1; k < r->n; k++) {
		int s = r->stmt[k];
		for (int i = 0; i < host_nsucc(h, s); i++)
			graph_edge(r->g, k, h->stmt.v[host_succ(h, s, i)].local);
		for (int i = 0; i < host_npred(h, s); i++)
			if (!h->stmt.v[host_pred(h, s, i)].local)
				graph_edge(r->g, 0, k);
		if (!host_npred(h, s))
			graph_edge(r->g, 0, k);
	}
	r->order = arena_array(&r->arena, int, r->n + 1);
	must(graph_rpo(r->g, false, 0, r->order) == r->n);
}

static BitSet *bit_of(LaunchReach *r) { return flow_sets(&r->arena, r->n, 1); }
static bool *flags(LaunchReach *r) { return arena_array(&r->arena, bool, r->n); }
static void set_node(BitSet *s, int node, bool on) { if (on) bs_add(s[node], 0); }

static bool *read(LaunchReach *r, const BitSet *s)
{
	bool *f = flags(r);
	for (int k = 1; k < r->n; k++)
		f[k] = bs_has(s[k], 0);
	return f;
}

static bool node_launches(const Host *h, const LaunchReach *r, int node)
{
	return node > 1 && h->stmt.v[r->stmt[node]].kind == STMT_LAUNCH;
}

/* ---- hoisting: figures 5.4, 5.6 to 5.9 ---- */

static void find_safe(LaunchReach *r, BitSet passed)
{
	Flow w = { .g = r->g, .order = r->order, .norder = r->n, .bits = 1, .backward = true, .all = true,
		.greatest = true, .gen = bit_of(r), .kill = bit_of(r) };
	set_node(w.gen, 1, true);
	for (int k = 0; k < r->n; k++)
		set_node(w.kill, k, !bs_has(passed, k));
	flow_solve(&r->arena, &w);
	r->n_safe = read(r, w.after);
	r->x_safe = read(r, w.before);
}

static bool all(const IntList *l, const bool *f)
{
	for (int k = 0; k < l->n; k++)
		if (!f[l->v[k]])
			return false;
	return true;
}

static void find_delayed(LaunchReach *r, BitSet passed)
{
	Flow w = { .g = r->g, .order = r->order, .norder = r->n, .bits = 1, .all = true, .greatest = true,
		.gen = bit_of(r), .kill = bit_of(r), .skill = bit_of(r) };
	bool *earliest = flags(r);
	set_node(w.kill, 0, true);
	set_node(w.kill, 1, true);
	for (int k = 1; k < r->n; k++) {
		earliest[k] = r->n_safe[k] && !all(&r->g->pred[k], r->x_safe);
		set_node(w.gen, k, (r->x_safe[k] && !bs_has(passed, k)) || (earliest[k] && k != 1));
		set_node(w.skill, k, r->x_fusible[k]);
	}
	flow_solve(&r->arena, &w);
	r->n_delayed = read(r, w.before);
	for (int k = 1; k < r->n; k++)
		r->n_delayed[k] |= earliest[k];
	r->x_delayed = read(r, w.after);
	r->n_latest = flags(r);
	r->x_latest = flags(r);
	r->n_latest[1] = r->n_delayed[1];
	for (int k = 1; k < r->n; k++)
		r->x_latest[k] = r->x_delayed[k] && !all(&r->g->succ[k], r->n_delayed);
}

void reach_hoist(Host *h, int stmt, LaunchReach *r)
{
	BitSet passed;
	*r = (LaunchReach){ 0 };
	spread_nodes(h, r, stmt, false, &passed);
	connect_statements(h, r);
	find_safe(r, passed);
	r->x_fusible = flags(r);
	r->verdict = arena_array(&r->arena, FusionVerdict, r->n);
	for (int k = 2; k < r->n; k++)
		if (r->x_safe[k] && node_launches(h, r, k)) {
			r->x_fusible[k] = host_may_join(h, r->stmt[k], h->stmt.v[r->stmt[k]].launch,
				h->stmt.v[stmt].launch, &r->verdict[k]);
			r->fusible += r->x_fusible[k];
		}
	find_delayed(r, passed);
}

/* ---- sinking: figures 5.11 to 5.13; a launch that is sunk to the function's end stays there ---- */

void reach_sink(Host *h, int stmt, bool fuse, LaunchReach *r)
{
	BitSet passed;
	*r = (LaunchReach){ 0 };
	spread_nodes(h, r, stmt, true, &passed);
	connect_statements(h, r);
	Flow w = { .g = r->g, .order = r->order, .norder = r->n, .bits = 1, .all = true, .greatest = true,
		.gen = bit_of(r), .kill = bit_of(r) };
	set_node(w.gen, 1, true);
	for (int k = 0; k < r->n; k++)
		set_node(w.kill, k, !bs_has(passed, k));
	flow_solve(&r->arena, &w);
	r->n_sinkable = read(r, w.before);
	r->x_sinkable = read(r, w.after);
	r->n_fusible = flags(r);
	r->n_insert = flags(r);
	r->x_insert = flags(r);
	r->verdict = arena_array(&r->arena, FusionVerdict, r->n);
	for (int k = 1; k < r->n; k++) {
		r->n_insert[k] = r->n_sinkable[k] && !bs_has(passed, k);
		r->x_insert[k] = r->x_sinkable[k] && (!r->g->succ[k].n ||
			!all(&r->g->succ[k], r->n_sinkable));
		if (fuse && r->n_sinkable[k] && node_launches(h, r, k)) {
			r->n_fusible[k] = host_may_join(h, r->stmt[k], h->stmt.v[stmt].launch,
				h->stmt.v[r->stmt[k]].launch, &r->verdict[k]);
			r->fusible += r->n_fusible[k];
		}
	}
}

void reach_close(Host *h, LaunchReach *r)
{
	for (int k = 1; k < r->n; k++)
		h->stmt.v[r->stmt[k]].local = 0;
	arena_free(&r->arena);
}
