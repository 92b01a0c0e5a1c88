/* Dynamic warp formation (Fung, Sham, Yuan, Aamodt, MICRO 2007).
 *
 * The pool of a thread block is all its splits. Lanes that come to the start of a basic block join the entry
 * that was formed last for that pc and has not issued there yet, if none of their columns is taken: a thread
 * keeps its lane (lane-aware). Else they form an entry of their own. There is no reconvergence point; the
 * policy decides which entry issues next, and thereby which lanes meet.
 *
 * Counted: depth = splits that a warp holds; no pushes; merges = joins; warps_formed = entries made where
 * lanes come; lane_conflicts = of those, the ones that found an entry with their pc and a taken column. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/splits.h"

enum { P_POLICY, P_PATIENCE };
enum { DMAJ, DMIN, DTIME, DPDPRI, DPC };
static const ConfigKey params[] = {
	{ NULL, "policy", CT_ENUM, 0, DMAJ, 0, 4, "majority|minority|time|pdom|pc", "",
		"which entry of the pool goes first: most or fewest lanes with its pc, oldest, fewest "
		"post-dominators passed, lowest pc" },
	{ NULL, "patience", CT_INT, 0, 10000, 1, 1000000000, NULL, "cycles",
		"an entry that could issue for so long goes before the policy's choice, to the end of its "
		"block (assumption: the paper's "
		"policies may starve it)" },
};

typedef struct DwfPool {                  /* of an SM */
	uint32_t stamp;                /* Split.tag of the entry formed last: tags count up from 1 */
	uint32_t turn;           /* tag of the entry that last went first because of patience, 0 = none */
	uint32_t chosen;               /* majority, minority: the pc whose entries go on until none is left */
	uint8_t *point;                /* by pc: is it a reconvergence point? */
	uint32_t *pc, *lanes;          /* n pcs of ready entries, and the number of lanes at each */
	int cap_pc, cap_lanes, n;
} DwfPool;

typedef struct DwfCount { uint32_t passed[64]; } DwfCount; /* by lane: post-dominators passed */

static size_t dwf_state_size(const Config *c) { return sizeof(DwfCount); }
static size_t dwf_sm_state_size(const Config *c) { return sizeof(DwfPool); }

/* Lanes may meet at the start of every block. */
static bool dwf_lower(LowerFn *l, Diag *diag)
{
	if (!reconv_lower_ipdom(l, diag))
		return false;
	for (int b = 0; b < l->f->block.n; b++)
		l->reach[b] = true;
	l->reach_behind_sync = true;
	return true;
}

static void dwf_launch(Warp *w, Mask lanes, uint32_t pc)
{
	DwfPool *pool = reconv_sm_state(w);
	const Code *c = reconv_code(w);
	memset(reconv_state(w), 0, sizeof(DwfCount));
	if (!pool->point) {
		pool->point = reconv_alloc(w, (size_t)c->n);
		for (int k = 0; k < c->n; k++)
			if (c->ins[k].flags & MI_COND && c->ins[k].rpc != NO_PC)
				pool->point[c->ins[k].rpc] = 1;
	}
	splits_launch(w, lanes, pc);
	reconv_splits(w)->tag = ++pool->stamp;
}

/* ---- forming ---- */

static Mask lanes_of_parts(const Part *part, int n)
{
	Mask m = 0;
	for (int k = 0; k < n; k++)
		m |= part[k].mask;
	return m;
}

/* The entry, other than s, that was formed last for the pc, and in *holder the warp in whose list it stands;
   NULL: none. The paper finds it in a table of pcs. Lanes may also join an entry of whose arrival the core
   has yet to tell the mechanism (Split.arriving). */
static Split *entry_at(Warp *near, uint32_t pc, const Split *s, Warp **holder)
{
	Warp *list[MOST_WARPS];
	Split *last = NULL;
	int n = reconv_block_warps(near, list);
	for (int k = 0; k < n; k++) {
		each_split(list[k], e)
			if (e != s && split_stands(e, pc) && (!last || e->tag > last->tag)) {
				last = e;
				*holder = list[k];
			}
	}
	return last;
}

/* If pc is a reconvergence point, the lanes of the parts have passed one more post-dominator. They have
   passed it together, so all get the highest of their new counts. */
static void level_counts(Warp *w, const Part *part, int n, uint32_t pc)
{
	DwfPool *pool = reconv_sm_state(w);
	uint32_t most = 0;
	int l;
	if (!pool->point[pc])
		return;
	for (int k = 0; k < n; k++)
		each_lane(part[k].mask, l) {
			uint32_t p = ((DwfCount *)reconv_state(part[k].home))->passed[l] + 1;
			most = p > most ? p : most;
		}
	for (int k = 0; k < n; k++)
		each_lane(part[k].mask, l)
			((DwfCount *)reconv_state(part[k].home))->passed[l] = most;
}

/* The entry at pc that lanes m may join, and in *holder the warp in whose list it stands; NULL: none. s: the
   split in which the lanes are now, which does not count; NULL: they are in none. */
static Split *entry_to_join(Warp *w, uint32_t pc, const Split *s, Mask m, Warp **holder)
{
	if (m == lanes_below((int)reconv_config(w)->warp_size))
		return NULL;
	Split *e = entry_at(w, pc, s, holder);
	if (e && e->mask & m) {
		reconv_count_own(w, "lane_conflicts");
		return NULL;
	}
	return e;
}

static void join_entry(Warp *holder, Split *e, const Part *part, int n, const SplitWait *wait)
{
	reconv_join(holder, e, part, n);
	split_not_before(holder, e, wait->known, wait->why);
	reconv_count_merge(holder, e, e->pc, e->mask);
}

/* The split stands at a block's start: its lanes join another entry, or it is an entry itself from now on. */
static void dwf_reach(Warp *w, Split *s)
{
	Part part[64];
	Warp *holder;
	DwfPool *pool = reconv_sm_state(w);
	int n = reconv_parts(w, s, part);
	SplitWait wait = s->wait;
	level_counts(w, part, n, s->pc);
	Split *e = entry_to_join(w, s->pc, s, s->mask, &holder);
	if (!e) {
		s->tag = ++pool->stamp;
		reconv_count_own(w, "warps_formed");
		return;
	}
	join_entry(holder, e, part, n, &wait);
	reconv_remove(w, s);
}

/* Lanes of s go to several places: s is taken out, and the lanes of each path join an entry or form one. */
static void part_entry(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Part all[64], part[64];
	Warp *holder;
	DwfPool *pool = reconv_sm_state(w);
	Split like = *s;
	int nall = reconv_parts(w, s, all);
	reconv_remove(w, s);
	for (int a = 0; a < n; a++) {
		int np = 0;
		for (int k = 0; k < nall; k++)
			if (all[k].mask & p[a].mask)
				part[np++] = (Part){ all[k].home, all[k].mask & p[a].mask };
		like.pc = p[a].pc;
		like.wait = wait_until(reconv_redirect(w, i, p[a].pc), STALL_BRANCH);
		level_counts(w, part, np, like.pc);
		Split *e = entry_to_join(w, like.pc, NULL, lanes_of_parts(part, np), &holder);
		if (e) {
			join_entry(holder, e, part, np, &like.wait);
			continue;
		}
		like.tag = ++pool->stamp;
		reconv_form(w, &like, part, np);
		reconv_count_own(w, "warps_formed");
	}
}

static void dwf_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { part_entry(w, s, i, p, n); }

static void go_on_at(Warp *w, Split *s, const Path *p, int n)
{
	if (n > 1) {
		part_entry(w, s, reconv_ins(w, s->pc), p, n);
		return;
	}
	s->pc = p[0].pc;
	dwf_reach(w, s);
}

static void dwf_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { go_on_at(w, s, p, n); }
static void dwf_ret(Warp *w, Split *s, const Path *p, int n) { go_on_at(w, s, p, n); }
static void dwf_exit(Warp *w, Split *s, Mask m) { reconv_remove(w, s); }

/* ---- which entry issues ---- */

static void count_pc_lanes(Warp *w, DwfPool *pool, uint32_t pc, uint32_t lanes)
{
	int k = 0;
	while (k < pool->n && pool->pc[k] != pc)
		k++;
	if (k == pool->n) {
		pool->pc = reconv_grow(w, pool->pc, pool->n, &pool->cap_pc, sizeof *pool->pc);
		pool->lanes = reconv_grow(w, pool->lanes, pool->n, &pool->cap_lanes, sizeof *pool->lanes);
		pool->pc[pool->n] = pc;
		pool->lanes[pool->n++] = 0;
	}
	pool->lanes[k] += lanes;
}

/* Chooses the pc whose entries go on: the one chosen before while it has ready entries, else the pc with
   most, or fewest, lanes. */
static void choose_pc(DwfPool *pool, Warp **list, int n, bool most)
{
	int best = -1;
	pool->n = 0;
	for (int k = 0; k < n; k++) {
		each_split(list[k], s)
			if (s->state == SPLIT_RUN && wait_over(&s->wait, reconv_now(list[k])))
				count_pc_lanes(list[k], pool, s->pc, lane_count(s->mask));
	}
	for (int k = 0; k < pool->n; k++) {
		if (pool->pc[k] == pool->chosen)
			return;
		if (best < 0 || (most ? pool->lanes[k] > pool->lanes[best]
			: pool->lanes[k] < pool->lanes[best]) ||
			(pool->lanes[k] == pool->lanes[best] && pool->pc[k] < pool->pc[best]))
			best = k;
	}
	if (best >= 0)
		pool->chosen = pool->pc[best];
}

static uint32_t lanes_at(const DwfPool *pool, uint32_t pc)
{
	for (int k = 0; k < pool->n; k++)
		if (pool->pc[k] == pc)
			return pool->lanes[k];
	return 0;
}

#define NOT_READY ((uint64_t)1 << 63)

/* The rank of an entry: the lowest goes first. 0: the entry had waited for longer than `patience` and goes
   first to the end of its block; there is one such entry at a time. 1: another entry that has waited for so
   long. From 2 on: the policy's order. From NOT_READY on: the entry cannot issue. */
static uint64_t rank_split(Warp *w, const Split *s)
{
	const DwfPool *pool = reconv_sm_state(w);
	Cycle now = reconv_now(w);
	if (s->state != SPLIT_RUN)
		return ~(uint64_t)0;
	if (!wait_over(&s->wait, now))
		return NOT_READY;
	if (s->tag == pool->turn)
		return 0;
	if (now - s->wait.known > (Cycle)reconv_param(w, P_PATIENCE))
		return 1;
	switch (reconv_param(w, P_POLICY)) {
	case DMAJ: return s->pc == pool->chosen ? 2 : ~(uint32_t)0 - lanes_at(pool, s->pc);
	case DMIN: return s->pc == pool->chosen ? 2 : 3 + lanes_at(pool, s->pc);
	case DPDPRI: {
		Part part[64];
		reconv_parts(w, s, part);
		return 2 +
			(uint64_t)((DwfCount *)reconv_state(part[0].home))->passed[lowest_lane(part[0].mask)];
	}
	case DPC: return 2 + (uint64_t)s->pc;
	default: return 2;
	}
}

/* The first entry of a warp. since: the cycle from which on the entry could issue; 0 if it cannot. */
typedef struct Ranked { uint64_t rank; Cycle since; Warp *w; } Ranked;

static bool rank_goes_before(const Ranked *a, const Ranked *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->since < b->since;
}

/* The best split of the warp comes to the front of its list. */
static Ranked best_to_front(Warp *w)
{
	Split *s = reconv_splits(w);
	Ranked best = { ~(uint64_t)0, 0, w };
	int at = 0;
	for (int k = 0; k < *reconv_nsplit(w); k++) {
		Ranked r = { rank_split(w, &s[k]), 0, w };
		r.since = r.rank < NOT_READY ? s[k].wait.known : 0;
		if (k == 0 || rank_goes_before(&r, &best)) {
			best = r;
			at = k;
		}
	}
	if (at) {
		Split t = s[at];
		memmove(s + 1, s, sizeof *s * (size_t)at);
		s[0] = t;
	}
	return best;
}

static void dwf_order(Warp **list, int n)
{
	Ranked r[MOST_WARPS];
	DwfPool *pool = reconv_sm_state(list[0]);
	int64_t policy = reconv_param(list[0], P_POLICY);
	if (policy == DMAJ || policy == DMIN)
		choose_pc(pool, list, n, policy == DMAJ);
	for (int k = 0; k < n; k++) {
		int at = k;
		Ranked x = best_to_front(list[k]);
		for (; at > 0 && rank_goes_before(&x, &r[at - 1]); at--)
			r[at] = r[at - 1];
		r[at] = x;
	}
	for (int k = 0; k < n; k++)
		list[k] = r[k].w;
	if (r[0].rank == 1)
		pool->turn = reconv_splits(list[0])->tag;
}

const ReconvModel reconv_dwf = {
	.name = "dwf",
	.help = "dynamic warp formation",
	.source = "Fung et al., MICRO 2007",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true, .regroups = true,
	.lower = dwf_lower, .state_size = dwf_state_size, .launch = dwf_launch, .branch = dwf_branch,
	.reach = dwf_reach, .call = dwf_call, .ret = dwf_ret, .exit = dwf_exit, .depth = splits_depth,
	.blocks = { .sm_state_size = dwf_sm_state_size, .order = dwf_order },
};
