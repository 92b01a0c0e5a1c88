/* Puts a launch back that was sunk and of which no copy was fused, unless something stands in its way now:
   then other launches could be fused only because this one had moved. */
#include "passes/transform/fusion/launches.h"

typedef Vec(int) LaunchCopies;

static bool reached(const Host *h, const LaunchReach *r, const LaunchCopies *c)
{
	for (int k = 0; k < c->n; k++) {
		int node = h->stmt.v[c->v[k]].local;
		if (!node || !r->n_sinkable[node])
			return false;
	}
	return c->n > 0;
}

/* Puts a launch back at its home if from there it could be sunk to all places where its copies stand now:
   then it may as well stand at home. True: it is back. */
static bool put_back_home(Host *h, int home, const LaunchCopies *c)
{
	LaunchReach r;
	h->stmt.v[home].kind = STMT_LAUNCH;
	h->stmt.v[home].launch = h->stmt.v[c->v[0]].launch;
	for (int k = 0; k < c->n; k++)
		h->stmt.v[c->v[k]].kind = STMT_GONE;
	reach_sink(h, home, false, &r);
	bool back = reached(h, &r, c);
	reach_close(h, &r);
	if (back)
		return true;
	h->stmt.v[home].kind = STMT_HOME;
	for (int k = 0; k < c->n; k++)
		h->stmt.v[c->v[k]].kind = STMT_LAUNCH;
	return false;
}

void host_undo(Host *h)
{
	LaunchCopies *of = xcalloc((size_t)h->stmt.n + 1, sizeof *of);
	for (int s = 0; s < h->stmt.n; s++)
		if (h->stmt.v[s].kind == STMT_LAUNCH && h->stmt.v[s].home != s &&
			!h->stmt.v[h->stmt.v[s].home].lost)
			vec_push(&of[h->stmt.v[s].home], s);
	for (bool changed = true; changed;) {
		changed = false;
		for (int s = 0; s < h->stmt.n; s++)
			if (of[s].n && h->stmt.v[s].kind == STMT_HOME && put_back_home(h, s, &of[s]))
				changed = true;
	}
	for (int s = 0; s < h->stmt.n; s++) {
		if (of[s].n && h->stmt.v[s].kind == STMT_HOME)
			pass_remark(h->r, host_loc(h, h->stmt.v[of[s].v[0]].launch),
				"%s is sunk out of the way of a fusion",
				host_kernel(h, h->stmt.v[of[s].v[0]].launch));
		vec_free(&of[s]);
	}
	free(of);
}
