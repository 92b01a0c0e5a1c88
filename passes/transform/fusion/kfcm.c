/* Hoists, sinks and fuses launches until nothing changes. This comes to an end: each fusion takes a launch
   away from some way through the function, and nothing adds one to a way; of ways that go around no cycle
   twice there are finitely many. Between two fusions launches are only sunk, each to places that its former
   place dominates. */
#include "passes/transform/fusion/launches.h"

static const char *place_text(Host *h, int stmt)
{
	const HostPart *p = &h->part.v[h->stmt.v[stmt].part];
	const char *b = host_label(h, stmt);
	if (p->kind == PART_EDGE)
		return arena_printf(&h->arena, "on the way from %s to %s", b, h->r->f->block.v[p->to]->label);
	return arena_printf(&h->arena, "%s %s", p->kind == PART_START ? "before"
		: p->kind == PART_ELSE ? "beside the guarded launch in" : "in", b);
}

static void say_copy(Host *h, int stmt, const char *why)
{
	if (pass_explains(h->r))
		pass_remark(h->r, host_loc(h, h->stmt.v[stmt].launch),
			"%s is launched %s, too: it was %s to be fused elsewhere",
			host_kernel(h, h->stmt.v[stmt].launch), place_text(h, stmt), why);
}

/* Backward kernel fusion of one launch; true: it was fused. */
static bool hoist_launch(Host *h, int stmt)
{
	LaunchReach r;
	int launch = h->stmt.v[stmt].launch;
	reach_hoist(h, stmt, &r);
	if (r.fusible)
		host_take(h, stmt);
	for (int k = 1; r.fusible && k < r.n; k++) {
		must(!r.n_latest[k] && (!r.x_fusible[k] || r.x_latest[k]));
		if (r.x_fusible[k])
			host_join(h, r.stmt[k], h->stmt.v[r.stmt[k]].launch, launch, &r.verdict[k]);
		else if (r.x_latest[k])
			say_copy(h, host_put_behind(h, r.stmt[k], launch), "hoisted");
	}
	reach_close(h, &r);
	return r.fusible > 0;
}

/* Does the launch, when it sinks, pass any code or the begin of another part? */
static bool passes_something(const Host *h, const LaunchReach *r)
{
	for (int k = 2; k < r->n; k++)
		if (r->x_sinkable[k] && (h->stmt.v[r->stmt[k]].kind == STMT_CODE ||
			h->stmt.v[r->stmt[k]].kind == STMT_BEGIN))
			return true;
	return false;
}

/* Forward kernel fusion of one launch. A launch that cannot be fused is sunk all the same, as far as it can
   be, since other launches may then come to stand side by side (figure 5.14 of the thesis). True: the launch
   has left its place. */
static bool sink(Host *h, int stmt)
{
	LaunchReach r;
	int launch = h->stmt.v[stmt].launch, home = h->stmt.v[stmt].home;
	reach_sink(h, stmt, true, &r);
	bool moves = r.fusible || passes_something(h, &r);
	if (r.fusible)
		host_take(h, stmt);
	else if (moves)
		host_leave(h, stmt);
	for (int k = 1; moves && k < r.n; k++) {
		int s = r.stmt[k];
		if (r.n_fusible[k]) {
			host_join(h, s, launch, h->stmt.v[s].launch, &r.verdict[k]);
			continue;
		}
		if (!r.n_insert[k] && !r.x_insert[k])
			continue;
		int copy = r.n_insert[k] ? host_put_before(h, s, launch) : host_put_behind(h, s, launch);
		if (r.fusible)
			say_copy(h, copy, "sunk");
		else
			h->stmt.v[copy].home = home;
	}
	reach_close(h, &r);
	return moves;
}

void host_kfcm(Host *h, KfPhases phases)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (int p = 0; p < h->part.n; p++)
			for (int s = h->part.v[p].first, next; s >= 0; s = next) {
				next = h->stmt.v[s].next;
				if (h->stmt.v[s].kind != STMT_LAUNCH)
					continue;
				if (phases & KF_HOIST && hoist_launch(h, s))
					changed = true;
				else if (phases & KF_SINK && sink(h, s))
					changed = true;
			}
	}
	if (h->fusions)
		host_undo(h);
}
