/* The IPDOM reconvergence stack: entries (pc, mask, rpc), only the top runs. At a divergent branch the top
 * entry turns into the reconvergence entry and one entry for each path is pushed; a path that comes to its
 * rpc is popped. Rules R1 (a path that starts at the reconvergence point gets no entry) and R2 (a branch with
 * the top's own rpc needs no new reconvergence entry) keep divergent loops at constant depth. Indexed
 * branches push one entry for each target.
 *
 * Counted: depth = entries, the base included; pushes = path and call entries (neither base nor reconvergence
 * entries; a branch under R2 counts the pop of the top entry and the pushes of its paths); merges = path
 * entries popped at their rpc. Post-dominators come from the graph with exit edges; lanes that have ended are
 * masked out of an entry when it comes to the top. */
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/splits.h"

enum { P_ORDER, P_PUSH, P_POP, P_SPILL, P_FILL };
enum { TAKEN_TOP, FALL_TOP, LARGER_TOP, SMALLER_TOP };
static const ConfigKey params[] = {
	{ NULL, "push_order", CT_ENUM, 0, TAKEN_TOP, 0, 3, "taken_top|fall_top|larger_top|smaller_top", "",
		"which path of a divergent branch runs first" },
	{ NULL, "push_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles",
		"a divergent branch takes so much longer (assumption)" },
	{ NULL, "pop_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles",
		"from a pop to the next issue, beyond what is due (assumption)" },
	{ NULL, "spill_push", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"a push that spills (divergence.spill = constant; assumption)" },
	{ NULL, "reload_pop", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"a pop that fills (divergence.spill = constant; assumption)" },
};

/* kind: ROW_BASE, ROW_RECONVERGENCE, ROW_PATH, ROW_CALLER or ROW_CALLEE; counted: its push and pop are
   counted. */
typedef struct IpdomEntry { uint32_t pc, rpc; Mask mask; uint8_t kind; bool counted; } IpdomEntry;
/* e[n - 1] is the top entry, which runs: its pc and mask are those of the split */
typedef struct IpdomStack { StackSpill spill; int n, cap; IpdomEntry *e; } IpdomStack;

static size_t ipdom_state_size(const Config *c) { return sizeof(IpdomStack); }
static int ipdom_depth(const Warp *w) { return ((IpdomStack *)reconv_state((Warp *)w))->n; }

static void push_entry(Warp *w, Split *s, IpdomStack *k, IpdomEntry e)
{
	k->e = reconv_grow(w, k->e, k->n, &k->cap, sizeof *k->e);
	reconv_changed(w, k->n - 1);
	reconv_spill_push(w, s, &k->spill, (Cycle)reconv_param(w, P_SPILL));
	k->e[k->n++] = e;
	if (e.counted)
		reconv_count_push(w, s, e.pc, e.mask);
}

static void drop_ipdom_entry(Warp *w, Split *s, IpdomStack *k)
{
	reconv_spill_pop(w, s, &k->spill, (Cycle)reconv_param(w, P_FILL));
	IpdomEntry e = k->e[--k->n];
	reconv_changed(w, k->n - 1);
	if (e.counted)
		reconv_count_pop(w, s, e.pc, e.mask);
}

static void ipdom_launch(Warp *w, Mask lanes, uint32_t pc)
{
	IpdomStack *k = reconv_state(w);
	k->n = 0;
	k->spill = (StackSpill){ 0 };
	splits_launch(w, lanes, pc);
	push_entry(w, reconv_splits(w), k, (IpdomEntry){ pc, NO_PC, lanes, ROW_BASE, false });
}

/* Pops the top entry, and lets the entry below go on. Entries whose lanes have all ended, and entries that
   stand at their own rpc, are popped, too. */
static void resume_below(Warp *w, Split *s, IpdomStack *k)
{
	drop_ipdom_entry(w, s, k);
	while (k->n) {
		reconv_spill_top(w, s, &k->spill, (Cycle)reconv_param(w, P_FILL));
		IpdomEntry *e = &k->e[k->n - 1];
		Mask m = e->mask & reconv_live(w);
		if (m && (e->pc != e->rpc || k->n == 1)) {
			s->pc = e->pc;
			s->mask = m;
			reconv_delay(w, s, (Cycle)reconv_param(w, P_POP));
			return;
		}
		if (m)
			reconv_count_merge(w, s, e->pc, m);
		drop_ipdom_entry(w, s, k);
	}
	*reconv_nsplit(w) = 0;
}

static void ipdom_reach(Warp *w, Split *s)
{
	IpdomStack *k = reconv_state(w);
	if (k->n < 2 || s->pc != k->e[k->n - 1].rpc)
		return;
	reconv_count_merge(w, s, s->pc, s->mask);
	k->e[k->n - 1].pc = s->pc;
	resume_below(w, s, k);
}

static uint32_t ipdom_meets_at(const Warp *w)
{
	const IpdomStack *k = reconv_state((Warp *)w);
	return k->n < 2 ? NO_PC : k->e[k->n - 1].rpc;
}

static int larger_last(Mask m) { return (int)lane_count(m); }
static int smaller_last(Mask m) { return -(int)lane_count(m); }

/* paths[0] is the true side. Returns the order of pushing: the last one runs first. */
static void push_order(const Warp *w, const Path *p, int n, int *order)
{
	int64_t how = reconv_param(w, P_ORDER);
	for (int a = 0; a < n; a++)
		order[a] = how == FALL_TOP ? a : n - 1 - a;
	if (how == LARGER_TOP || how == SMALLER_TOP)
		paths_sort(p, n, order, how == LARGER_TOP ? larger_last : smaller_last);
}

static void ipdom_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	IpdomStack *k = reconv_state(w);
	IpdomEntry top = k->e[k->n - 1];
	uint32_t rpc = i->rpc, meet = rpc == NO_PC ? top.rpc : rpc;
	int order[64];
	push_order(w, p, n, order);
	if (rpc == NO_PC || rpc == top.rpc) {
		k->e[k->n - 1].pc = s->pc;
		drop_ipdom_entry(w, s, k);
	} else {
		k->e[k->n - 1].pc = rpc;
		k->e[k->n - 1].mask = s->mask;
		k->e[k->n - 1].kind = ROW_RECONVERGENCE;
	}
	reconv_delay(w, s, (Cycle)reconv_param(w, P_PUSH));
	for (int a = 0; a < n; a++) {
		const Path *q = &p[order[a]];
		if (q->pc != meet)
			push_entry(w, s, k, (IpdomEntry){ q->pc, meet, q->mask, ROW_PATH, true });
	}
	s->pc = k->e[k->n - 1].pc;
	s->mask = k->e[k->n - 1].mask & reconv_live(w);
}

static void ipdom_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	IpdomStack *k = reconv_state(w);
	k->e[k->n - 1].pc = return_pc;
	k->e[k->n - 1].mask = s->mask;
	k->e[k->n - 1].kind = ROW_CALLER;
	for (int a = n - 1; a >= 0; a--)
		push_entry(w, s, k, (IpdomEntry){ p[a].pc, NO_PC, p[a].mask, ROW_CALLEE, true });
	s->pc = p[0].pc;
	s->mask = p[0].mask;
}

static void ipdom_ret(Warp *w, Split *s, const Path *p, int n)
{
	IpdomStack *k = reconv_state(w);
	must(n == 1);
	k->e[k->n - 1].pc = s->pc;
	resume_below(w, s, k);
}

static void ipdom_exit(Warp *w, Split *s, Mask m)
{
	IpdomStack *k = reconv_state(w);
	s->mask = 0;
	k->e[k->n - 1].pc = s->pc;
	resume_below(w, s, k);
}

static void ipdom_show(const Warp *w, Rows *rows)
{
	const IpdomStack *k = reconv_state((Warp *)w);
	for (int i = reconv_show_from(rows, TABLE_STACK, k->n - 1); i < k->n; i++) {
		const Split *s = i == k->n - 1 ? reconv_splits((Warp *)w) : NULL;
		TraceRow r = trace_row(k->e[i].kind, k->e[i].pc, s ? s->mask : k->e[i].mask);
		r.rpc = k->e[i].rpc;
		r.flags = reconv_flag(i < k->spill.spilled, FLAG_IN_MEMORY);
		if (s)
			reconv_show_split(w, s, &r);
		reconv_show(rows, &r);
	}
}

/* The topmost entry that has the lane holds it until the entry above has come to its reconvergence point. */
static bool ipdom_held(const Warp *w, int lane, Held *h)
{
	const IpdomStack *k = reconv_state((Warp *)w);
	for (int i = k->n - 2; i >= 0; i--)
		if (k->e[i].mask >> lane & 1) {
			*h = (Held){ k->e[i].pc, "a stack entry", k->e[i + 1].rpc, k->e[i + 1].mask };
			return true;
		}
	return false;
}

/* The front end goes to the side that runs first, from there to the other one, and from that one on, over
   whichever side lies between. */
static PartingCost ipdom_parting(const Config *c)
{
	const int64_t *p = c->model_param[c->model];
	return (PartingCost){ 3 * c->fetch_redirect + p[P_PUSH] + 2 * p[P_POP], 0 };
}

const ReconvModel reconv_ipdom = {
	.name = "ipdom",
	.help = "reconvergence stack with immediate post-dominators",
	.spills = SPILLS_STACK,
	.source = "Fung et al., Dynamic Warp Formation and Scheduling, MICRO 2007, section 3; order of "
	"pushes as in GPGPU-Sim",
	.params = params, .nparams = sizeof params / sizeof *params,
	.parting = ipdom_parting,
	.lower = reconv_lower_ipdom, .state_size = ipdom_state_size, .launch = ipdom_launch,
	.branch = ipdom_branch, .reach = ipdom_reach, .meets_at = ipdom_meets_at,
	.call = ipdom_call, .ret = ipdom_ret,
	.exit = ipdom_exit, .depth = ipdom_depth, .show = ipdom_show,
	.stuck = { .held = ipdom_held,
		.holds = "runs the top entry of its stack only; one below waits until the lanes above have "
		"come to its reconvergence point or ended" },
};
