/* Dynamic warp formation (Fung, Sham, Yuan, Aamodt, MICRO 2007; ACM TACO 6(2), 2009).
 *
 * The warp pool of a thread block is all its splits. A table, the paper's PC-warp LUT, says for a pc which
 * entry of the pool came there last. Lanes that come to an instruction, any one as in the paper, are looked
 * up in it: if that entry has not issued there yet, those lanes join it whose columns are free in it, since a
 * thread keeps its lane (lane-aware); the others are an entry of their own, which takes the old one's place
 * in the table. There is no reconvergence point; the policy decides which entry issues next, and thereby
 * which lanes meet.
 *
 * Counted: depth = splits that a warp holds; no pushes; merges = joins; warps_formed = entries made at
 * branches; lane_conflicts = look-ups that found columns taken. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/splits.h"

enum { P_POLICY, P_PATIENCE, P_LUT, P_FORM };
enum { DMAJ, DMIN, DTIME, DPDPRI, DPC };
static const ConfigKey params[] = {
	{ NULL, "policy", CT_ENUM, 0, DPDPRI, 0, 4, "majority|minority|time|pdom|pc", "",
		"which entry of the pool goes first: most or fewest lanes with its pc, oldest, fewest "
		"post-dominators passed, lowest pc" },
	{ NULL, "patience", CT_INT, 0, 10000, 1, 1000000000, NULL, "cycles",
		"an entry that could issue for so long goes before the policy's choice, to the end of its "
		"block (assumption: the paper's "
		"policies may starve it)" },
	{ NULL, "lut", CT_INT, 0, 64, 0, 4096, NULL, "entries",
		"pcs that the table of a block has, in sets of four; 0 = no lanes join (assumption)" },
	{ NULL, "form_cycles", CT_INT, 0, 0, 0, 10000, NULL, "cycles",
		"so long it takes until lanes that a branch has parted are in the pool (assumption: the "
		"look-up is hidden behind the branch, as in the paper)" },
};

/* A row of the table: the entry with that tag, in the list of warp `holder`, was the last to come to pc. It
   may have issued since. tag 0: the row is empty. */
typedef struct DwfRow { uint32_t pc, tag; Warp *holder; } DwfRow;
enum { WAYS = 4 };

typedef struct DwfBlock {
	/* majority, minority: the pc whose entries go on until none is left, and the cycle in which it was
	   looked at last */
	uint32_t chosen;
	Cycle looked;
	DwfRow row[];
} DwfBlock;

typedef struct DwfPool {                  /* of an SM */
	uint32_t stamp;                /* Split.tag of the entry that came last: tags count up from 1 */
	uint32_t turn;           /* tag of the entry that last went first because of patience, 0 = none */
	uint8_t *point;                /* by pc: is it a reconvergence point? */
	uint32_t *pc, *lanes;          /* n pcs of a block's ready entries, and the number of lanes at each */
	int cap_pc, cap_lanes, n;
} DwfPool;

typedef struct DwfCount { uint32_t passed[64]; } DwfCount; /* by lane: post-dominators passed */

static size_t dwf_state_size(const Config *c) { return sizeof(DwfCount); }
static size_t dwf_sm_state_size(const Config *c) { return sizeof(DwfPool); }

static int lut_sets(const Config *c) { return ((int)c->model_param[c->model][P_LUT] + WAYS - 1) / WAYS; }
static size_t dwf_block_state_size(const Config *c)
{
	return sizeof(DwfBlock) + sizeof(DwfRow) * WAYS * (size_t)lut_sets(c);
}

/* Lanes may meet everywhere. */
static bool dwf_lower(LowerFn *l, Diag *diag)
{
	if (!reconv_lower_ipdom(l, diag))
		return false;
	l->reach_all = true;
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

/* The first row of the set to which the pc belongs; NULL: the table has no rows, or nobody joins there:
   barriers and warp-level operations take lanes of several warps apart. */
static DwfRow *lut_set(Warp *w, uint32_t pc)
{
	int sets = lut_sets(reconv_config(w));
	DwfBlock *b = reconv_block_state(w);
	uint8_t kind = reconv_ins(w, pc)->kind;
	return sets && (kind < K_BAR || kind > K_ELECT) ? b->row + WAYS * (pc % (uint32_t)sets) : NULL;
}

/* The entry that came to the pc last, if it has not issued since, and in *holder the warp in whose list it
   stands; else NULL. */
static Split *entry_at(Warp *w, uint32_t pc, Warp **holder)
{
	DwfRow *r = lut_set(w, pc);
	for (int k = 0; r && k < WAYS; k++)
		if (r[k].tag && r[k].pc == pc) {
			*holder = r[k].holder;
			each_split(r[k].holder, e)
				if (e->tag == r[k].tag && split_stands(e, pc))
					return e;
			return NULL;
		}
	return NULL;
}

/* Notes the split, which stands in the list of `holder`, as the entry that came last to its pc. If the set is
   full, the entry that came before all others leaves the table. */
static void note_entry(Warp *holder, Split *s)
{
	DwfRow *r = lut_set(holder, s->pc), *to = r;
	s->tag = ++((DwfPool *)reconv_sm_state(holder))->stamp;
	for (int k = 0; r && k < WAYS; k++) {
		if (r[k].tag && r[k].pc == s->pc) {
			to = &r[k];
			break;
		}
		to = r[k].tag < to->tag ? &r[k] : to;
	}
	if (r)
		*to = (DwfRow){ s->pc, s->tag, holder };
}

static bool fills_warp(const Warp *w, Mask m) { return m == lanes_below((int)reconv_config(w)->warp_size); }

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

/* The entry at pc that some of the lanes m may join, and in *holder the warp in whose list it stands; NULL:
   none. Lanes that fill a warp stay as they are: they would leave as many behind as they bring. */
static Split *entry_to_join(Warp *w, uint32_t pc, Mask m, Warp **holder)
{
	if (fills_warp(w, m))
		return NULL;
	Split *e = entry_at(w, pc, holder);
	if (e && e->mask & m)
		reconv_count_own(w, "lane_conflicts");
	return e && m & ~e->mask ? e : NULL;
}

/* Those of the lanes join the entry whose columns are free in it. The entry waits for what they wait
   for. part: the others remain; returns the number of parts that are left. */
static int join_entry(Warp *holder, Split *e, Part *part, int n, const SplitWait *wait)
{
	Part join[64];
	Mask taken = e->mask;
	int joined = 0, left = 0;
	for (int k = 0; k < n; k++) {
		Part p = part[k];
		if (p.mask & ~taken)
			join[joined++] = (Part){ p.home, p.mask & ~taken };
		if (p.mask & taken)
			part[left++] = (Part){ p.home, p.mask & taken };
	}
	reconv_join(holder, e, join, joined);
	if (wait_awaits(wait, reconv_now(holder)))
		wait_join(reconv_events(holder), &e->wait, wait, reconv_now(holder));
	else
		split_not_before(holder, e, wait->known, STALL_DIVERGENCE);
	reconv_count_merge(holder, e, e->pc, e->mask);
	return left;
}

/* Does the entry go first because of patience, and still does where it has come to? It does up to the end of
   its block. */
static bool keeps_turn(Warp *w, const Split *s)
{
	DwfPool *pool = reconv_sm_state(w);
	if (s->tag != pool->turn)
		return false;
	if (reconv_ins(w, s->pc)->flags & MI_BLOCK_START)
		pool->turn = 0;
	return pool->turn != 0;
}

/* The split has come to an instruction: its lanes join another entry there, and what is left of it is an
   entry itself. */
static void dwf_reach(Warp *w, Split *s)
{
	Part part[64];
	Warp *holder;
	DwfPool *pool = reconv_sm_state(w);
	Mask all = s->mask;
	bool first = keeps_turn(w, s);
	if (fills_warp(w, all) && !pool->point[s->pc])
		return;
	int n = reconv_parts(w, s, part);
	level_counts(w, part, n, s->pc);
	if (fills_warp(w, all))
		return;
	s->tag = 0;                    /* the table does not name it any more */
	Split *e = entry_to_join(w, s->pc, all, &holder);
	if (e) {
		SplitWait wait = s->wait;
		n = join_entry(holder, e, part, n, &wait);
		pool->turn = first ? e->tag : pool->turn;
		if (!n) {
			reconv_remove(w, s);
			return;
		}
		reconv_shed(w, s, all & ~lanes_of_parts(part, n));
	}
	note_entry(w, s);
	pool->turn = first && !e ? s->tag : pool->turn;
}

/* Lanes of s go to several places: s is taken out, and the lanes of each path join an entry or form one. */
static void part_entry(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Part all[64], part[64];
	Warp *holder;
	Split like = *s;
	Cycle form = (Cycle)reconv_param(w, P_FORM);
	SplitWait joins = wait_until(reconv_redirect(w, i, s->pc + 1) + form, STALL_DIVERGENCE);
	int nall = reconv_parts(w, s, all);
	reconv_remove(w, s);
	for (int a = 0; a < n; a++) {
		int np = 0;
		for (int k = 0; k < nall; k++)
			if (all[k].mask & p[a].mask)
				part[np++] = (Part){ all[k].home, all[k].mask & p[a].mask };
		like.pc = p[a].pc;
		like.wait = wait_until(reconv_redirect(w, i, p[a].pc) + form, STALL_BRANCH);
		level_counts(w, part, np, like.pc);
		Split *e = entry_to_join(w, like.pc, lanes_of_parts(part, np), &holder);
		np = e ? join_entry(holder, e, part, np, &joins) : np;
		if (np) {
			holder = reconv_form(w, &like, part, np);
			note_entry(holder, &reconv_splits(holder)[*reconv_nsplit(holder) - 1]);
			reconv_count_own(w, "warps_formed");
		}
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

/* Chooses the pc whose entries of the block go on: the one chosen before while it has ready entries, else the
   pc with most, or fewest, lanes. */
static void choose_pc(Warp *w, DwfBlock *b, bool most)
{
	Warp *list[MOST_WARPS];
	DwfPool *pool = reconv_sm_state(w);
	int best = -1, n = reconv_block_warps(w, list);
	b->looked = reconv_now(w);
	pool->n = 0;
	for (int k = 0; k < n; k++) {
		each_split(list[k], s)
			if (s->state == SPLIT_RUN && wait_over(&s->wait, b->looked)) {
				if (s->pc == b->chosen)
					return;
				count_pc_lanes(w, pool, s->pc, lane_count(s->mask));
			}
	}
	for (int k = 0; k < pool->n; k++)
		if (best < 0 || (most ? pool->lanes[k] > pool->lanes[best]
			: pool->lanes[k] < pool->lanes[best]) ||
			(pool->lanes[k] == pool->lanes[best] && pool->pc[k] < pool->pc[best]))
			best = k;
	if (best >= 0)
		b->chosen = pool->pc[best];
}

#define NOT_READY ((uint64_t)1 << 63)

/* What ranks depend on besides the entry and its block; read once for all entries of an SM in a cycle. */
typedef struct RankBy { Cycle now, patience; int64_t policy; uint32_t turn; } RankBy;

/* The rank of an entry: the lowest goes first. 0: the entry had waited for longer than `patience` and goes
   first to the end of its block; there is one such entry at a time. 1: another entry that has waited for so
   long. From 2 on: the policy's order. From NOT_READY on: the entry cannot issue. */
static inline uint64_t rank_split(Warp *w, const Split *s, const RankBy *by)
{
	if (s->state != SPLIT_RUN)
		return ~(uint64_t)0;
	if (!wait_over(&s->wait, by->now))
		return NOT_READY;
	if (s->tag == by->turn)
		return 0;
	if (by->now - s->wait.known > by->patience)
		return 1;
	if (by->policy == DPDPRI) {
		const Part *p = s->parts ? s->parts->part : NULL;
		const DwfCount *c = reconv_state(p ? p->home : w);
		return 2 + (uint64_t)c->passed[lowest_lane(p ? p->mask : s->mask)];
	}
	if (by->policy == DMAJ || by->policy == DMIN)
		return s->pc == ((DwfBlock *)reconv_block_state(w))->chosen ? 2 : 3;
	return by->policy == DPC ? 2 + (uint64_t)s->pc : 2;
}

/* The first entry of a warp. since: the cycle from which on the entry could issue; 0 if it cannot. */
typedef struct Ranked { uint64_t rank; Cycle since; Warp *w; } Ranked;

static inline bool rank_goes_before(const Ranked *a, const Ranked *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->since < b->since;
}

/* The best split of the warp comes to the front of its list. */
static inline Ranked best_to_front(Warp *w, const RankBy *by)
{
	Split *s = reconv_splits(w);
	Ranked best = { ~(uint64_t)0, 0, w };
	int at = 0, n = *reconv_nsplit(w);
	for (int k = 0; k < n; k++) {
		uint64_t rank = rank_split(w, &s[k], by);
		Cycle since = rank < NOT_READY ? s[k].wait.known : 0;
		if (rank < best.rank || (rank == best.rank && since < best.since) || k == 0) {
			best.rank = rank;
			best.since = since;
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
	for (int k = 0; k < n && (policy == DMAJ || policy == DMIN); k++) {
		DwfBlock *b = reconv_block_state(list[k]);
		if (b->looked != reconv_now(list[k]))
			choose_pc(list[k], b, policy == DMAJ);
	}
	RankBy by = { reconv_now(list[0]), (Cycle)reconv_param(list[0], P_PATIENCE), policy, pool->turn };
	for (int k = 0; k < n; k++) {
		int at = k;
		Ranked x = best_to_front(list[k], &by);
		for (; at > 0 && rank_goes_before(&x, &r[at - 1]); at--)
			r[at] = r[at - 1];
		r[at] = x;
	}
	for (int k = 0; k < n && n > 1; k++)
		list[k] = r[k].w;
	if (r[0].rank == 1)
		pool->turn = reconv_splits(list[0])->tag;
}

const ReconvModel reconv_dwf = {
	.name = "dwf",
	.help = "dynamic warp formation",
	.spills = SPILLS_NOTHING,
	.source = "Fung et al., MICRO 2007",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true, .regroups = true,
	.lower = dwf_lower, .state_size = dwf_state_size, .launch = dwf_launch, .branch = dwf_branch,
	.reach = dwf_reach, .call = dwf_call, .ret = dwf_ret, .exit = dwf_exit, .depth = splits_depth,
	.blocks = { .sm_state_size = dwf_sm_state_size, .block_state_size = dwf_block_state_size,
		.order = dwf_order },
};
