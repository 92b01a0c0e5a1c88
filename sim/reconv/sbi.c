/* Two instructions at once on lanes that do not overlap (Brunie, Collange, Diamos, Simultaneous Branch and
 * Warp Interweaving for Sustained GPU Performance, ISCA 2012). A warp's groups of lanes are sorted as for
 * thread frontiers: the group with the deepest call, of several the one with the lowest address, is primary,
 * the next one secondary. sbi: the secondary issues with the primary. swi: another warp's primary issues
 * with it, if their lanes do not overlap; for that a fixed permutation for each warp moves lanes to other
 * places.
 *
 * The first groups of the order are in the hot context table, the others in memory. With constraints, a
 * secondary waits at a block that several others lead to while a group is between that block's immediate
 * dominator and the block, so that they meet.
 *
 * Counted: depth = groups; pushes and pops = groups that came to be and are gone; merges = groups that
 * joined. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/frontier.h"
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/splits.h"

enum { P_PRIORITY, P_CONSTRAINTS, P_HOT, P_SPILL, P_FILL, P_SHUFFLE, P_WAYS, P_SAME_WARP };
enum { SHUFFLE_NONE, SHUFFLE_MIRROR_ODD, SHUFFLE_MIRROR_HALF, SHUFFLE_XOR, SHUFFLE_XOR_REV };
#define SBI_PARAMS PRIORITY_PARAM, \
	{ NULL, "constraints", CT_BOOL, 0, 1, 0, 1, NULL, "", \
		"a group waits where others join it while one in front of it is still on its way from that " \
			"block's dominator" }, \
	{ NULL, "hot", CT_INT, 0, 3, 0, 64, NULL, "groups", \
		"of a warp on chip, at least the two that issue (ISCA 2012: hot context table); 0 = all" }, \
	{ NULL, "spill_cycles", CT_INT, 0, 40, 0, 10000, NULL, "cycles", \
		"a group goes to memory (divergence.spill = constant; assumption)" }, \
	{ NULL, "fill_cycles", CT_INT, 0, 40, 0, 10000, NULL, "cycles", \
	"a group comes back (divergence.spill = constant; assumption)" }
static const ConfigKey sbi_params[] = { SBI_PARAMS };
static const ConfigKey swi_params[] = { SBI_PARAMS,
	{ NULL, "shuffle", CT_ENUM, 0, SHUFFLE_XOR, 0, 4, "none|mirror_odd|mirror_half|xor|xor_rev", "",
		"where a warp's lanes stand: lane l at l, at W-1-l for odd warps or for the upper half of "
		"them, at l xor warp, or at l xor the reversed bits of it" },
	{ NULL, "ways", CT_INT, 0, 0, 0, 256, NULL, "warps",
		"of the scheduler among which one finds a partner: a set's; 0 = all (ISCA 2012: "
		"set-associative lookup)" },
	{ NULL, "same_warp", CT_BOOL, 0, 0, 0, 1, NULL, "",
		"the warp's own secondary issues too, and is asked first: sbi and swi together" },
};

typedef struct Contexts {
	bool two;                      /* the secondary runs, too */
	bool constraints;
	int hot;
	bool cold[65];                 /* by split: the split is in memory */
	int run[2]; /* the primary and the secondary, as settle_contexts has found them last; -1: none */
	uint64_t next;                 /* the least order_of the other groups that wait for no threads */
	/* for each of the two: it changes nothing about which constraints hold until it comes to this pc */
	uint32_t limit[2];
	Mask pair;                     /* lanes of the groups that might issue when the cycle began */
	unsigned shuffle;              /* swi: lane l stands at place l xor this number */
	int set;                       /* swi: the warp's set */
} Contexts;

/* of an SM: warps that may issue with the warp that has just issued */
typedef struct Partners { int n; Warp *warp[MOST_WARPS]; } Partners;

/* ---- compile time ---- */

/* Do several blocks in front of b lead to it? Back edges do not count: a group that comes back to a loop's
 * head overtakes no group that is on the way there. */
static bool joins(const ThreadFrontier *f, const Cfg *cfg, int b)
{
	int n = 0;
	for (int k = 0; k < cfg->npred[b]; k++)
		n += f->position[cfg->pred[b][k]->id] < f->position[b];
	return n > 1;
}

static bool sbi_lower(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	ThreadFrontier f = frontier_build(&tmp, l, reconv_lower_param(l, P_PRIORITY));
	reconv_lower_reach(l, true, true);
	Cfg *cfg = cfg_build(&tmp, l->f);
	Dom *dom = dom_build(&tmp, cfg);
	for (int i = 0; i < f.n; i++) {
		int b = f.order[i]->id;
		if (l->reach[b] && joins(&f, cfg, b))
			l->reach_from[b] = dom->idom[b];
	}
	arena_free(&tmp);
	return true;
}

/* ---- the groups of a warp ---- */

static size_t sbi_state_size(const Config *c) { return sizeof(Contexts); }
static size_t sbi_sm_state_size(const Config *c) { return sizeof(Partners); }

/* The group with the lowest number is the first of the order: the deepest call, and then the lowest pc. */
static uint64_t order_of(const Warp *w, const Split *s)
{
	return (uint64_t)~(uint32_t)reconv_call_depth(w, s->mask) << 32 | s->pc;
}

/* Another group that stands where s stands, at the same call depth; NULL: none. */
static Split *group_met(Warp *w, const Split *s)
{
	if (!split_meets(s, s->pc))
		return NULL;
	each_split(w, t)
		if (t->pc == s->pc && t != s && split_meets(t, s->pc) &&
			reconv_call_depth(w, t->mask) == reconv_call_depth(w, s->mask))
			return t;
	return NULL;
}

/* If another group stands where s stands, s becomes part of it and leaves the list. */
static void merge_group(Warp *w, Contexts *k, Split *s)
{
	Split *t = group_met(w, s);
	if (!t)
		return;
	split_merge(w, t, s, s->mask);
	Path gone = { s->pc, s->mask };
	splits_take_out(w, s, k->cold, sizeof *k->cold);
	reconv_count_pop(w, s, gone.pc, gone.mask);
}

/* Must s wait for a group that is on its way to the place where s stands? */
static bool constrained(Warp *w, const Contexts *k, const Split *s)
{
	const MIns *i = reconv_ins(w, s->pc);
	if (!k->constraints || !(i->flags & MI_REACH) || i->rpc == NO_PC)
		return false;
	each_split(w, t)
		if (!split_waits(t) && t->pc >= i->rpc && t->pc < s->pc &&
			reconv_call_depth(w, t->mask) == reconv_call_depth(w, s->mask))
			return true;
	return false;
}

/* The last group of the order on chip, other than x and y. */
static int farthest(Warp *w, const Contexts *k, int x, int y)
{
	const Split *all = reconv_splits(w);
	int last = -1;
	for (int i = 0; i < *reconv_nsplit(w); i++)
		if (!k->cold[i] && i != x && i != y && (last < 0 ||
			order_of(w, &all[last]) < order_of(w, &all[i])))
			last = i;
	return last;
}

/* Brings group x on chip. If the table is full, the last groups of the order go to memory, but never y. */
static void bring_on_chip(Warp *w, Contexts *k, int x, int y)
{
	Split *all = reconv_splits(w);
	int here = k->cold[x], last;
	if (!k->hot || (!k->cold[x] && *reconv_nsplit(w) <= k->hot))
		return;
	for (int i = 0; i < *reconv_nsplit(w); i++)
		here += !k->cold[i];
	for (; here > k->hot && (last = farthest(w, k, x, y)) >= 0; here--) {
		k->cold[last] = true;
		reconv_spill_entry(w, &all[x], last, (Cycle)reconv_param(w, P_SPILL));
	}
	if (!k->cold[x])
		return;
	k->cold[x] = false;
	split_not_before(w, &all[x], reconv_now(w) + 1, all[x].wait.why);
	reconv_fill_entry(w, &all[x], x, (Cycle)reconv_param(w, P_FILL));
}

static uint32_t nearer_limit(uint32_t limit, uint32_t pc, uint32_t bound)
{
	return bound > pc && bound < limit ? bound : limit;
}

/* Which constraints hold depends on where the two stand: from a block's dominator on, and up to the block. */
static void find_limits(Warp *w, Contexts *k)
{
	k->limit[0] = k->limit[1] = NO_PC;
	if (!k->constraints || !k->two)
		return;
	each_split(w, s) {
		const MIns *i = reconv_ins(w, s->pc);
		for (int x = 0; x < 2 && i->flags & MI_REACH && i->rpc != NO_PC; x++) {
			uint32_t pc = k->run[x] < 0 ? NO_PC : reconv_splits(w)[k->run[x]].pc;
			k->limit[x] = nearer_limit(nearer_limit(k->limit[x], pc, i->rpc), pc, s->pc);
		}
	}
}

/* Finds the primary, of the groups that wait for no other threads the first of the order, and the secondary,
   the next one that no constraint holds back, and parks all these groups. */
static void find_contexts(Warp *w, Contexts *k)
{
	Split *all = reconv_splits(w);
	uint64_t order[64], least = ~(uint64_t)0;
	int n = *reconv_nsplit(w), first = -1, second = -1;
	for (int x = 0; x < n; x++) {
		order[x] = ~(uint64_t)0;
		if (split_waits(&all[x]))
			continue;
		all[x].state = SPLIT_PARKED;
		order[x] = order_of(w, &all[x]);
		if (order[x] < least) {
			least = order[x];
			first = x;
		}
	}
	least = ~(uint64_t)0;
	for (int x = 0; x < n && k->two && first >= 0; x++)
		if (order[x] < least && x != first && !constrained(w, k, &all[x])) {
			least = order[x];
			second = x;
		}
	k->run[0] = first;
	k->run[1] = second;
	k->next = ~(uint64_t)0;
	for (int x = 0; x < n; x++)
		k->next = x != first && x != second && order[x] < k->next ? order[x] : k->next;
	find_limits(w, k);
}

/* After issues that lanes have left straight on: are the primary and the secondary still the first groups of
   the order, without a group that they meet? */
static bool still_first(Warp *w, const Contexts *k)
{
	const Split *all = reconv_splits(w), *second = k->run[1] < 0 ? NULL : &all[k->run[1]];
	uint64_t order;
	if (k->run[0] < 0 || all[k->run[0]].pc >= k->limit[0])
		return false;
	order = order_of(w, &all[k->run[0]]);
	return second ? second->pc < k->limit[1] && order < order_of(w, second) &&
		order_of(w, second) < k->next : order < k->next;
}

/* Primary and secondary run, the others are parked. */
static void settle_contexts(Warp *w, Contexts *k)
{
	Split *all = reconv_splits(w);
	if (*reconv_nsplit(w) == 1) {
		if (all->state == SPLIT_PARKED)
			all->state = SPLIT_RUN;
		if (k->cold[0])
			bring_on_chip(w, k, 0, -1);
		return;
	}
	find_contexts(w, k);
	for (int x = 0; x < 2; x++)
		if (k->run[x] >= 0)
			all[k->run[x]].state = SPLIT_RUN;
	for (int x = 0; x < 2; x++)
		if (k->run[x] >= 0)
			bring_on_chip(w, k, k->run[x], k->run[!x]);
}

static void settle_event(Warp *w, Split *s) { settle_contexts(w, reconv_state(w)); }

/* ---- events ---- */

static void launch_two(Warp *w, Mask lanes, uint32_t pc, bool two)
{
	Contexts *k = reconv_state(w);
	*k = (Contexts){ .two = two, .constraints = reconv_param(w, P_CONSTRAINTS),
		.hot = (int)reconv_param(w, P_HOT) };
	if (k->hot == 1)
		k->hot = 2;
	splits_launch(w, lanes, pc);
}

static void sbi_launch(Warp *w, Mask lanes, uint32_t pc) { launch_two(w, lanes, pc, true); }

static unsigned reversed(unsigned x, int bits)
{
	unsigned r = 0;
	for (int b = 0; b < bits; b++)
		r |= (x >> b & 1) << (bits - 1 - b);
	return r;
}

/* Lane l of the warp stands at place l xor the result. Warps of a size that is no power of two are not
   shuffled. */
static unsigned shuffle_of(const Warp *w)
{
	const Config *c = reconv_config(w);
	unsigned W = (unsigned)c->warp_size, slot = (unsigned)reconv_slot(w);
	if (W & (W - 1))
		return 0;
	switch (reconv_param(w, P_SHUFFLE)) {
	case SHUFFLE_MIRROR_ODD: return slot & 1 ? W - 1 : 0;
	case SHUFFLE_MIRROR_HALF: return slot >= (unsigned)c->sm_max_warps / 2 ? W - 1 : 0;
	case SHUFFLE_XOR: return slot & (W - 1);
	case SHUFFLE_XOR_REV: return reversed(slot & (W - 1), __builtin_ctz(W));
	default: return 0;
	}
}

static int set_of_warp(const Warp *w)
{
	const Config *c = reconv_config(w);
	int64_t ways = reconv_param(w, P_WAYS);
	int64_t each = (c->sm_max_warps + c->sched_count - 1) / c->sched_count;
	int64_t sets = ways ? (each + ways - 1) / ways : 1;
	return (int)(reconv_slot(w) / c->sched_count % sets);
}

static void swi_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Contexts *k = reconv_state(w);
	launch_two(w, lanes, pc, reconv_param(w, P_SAME_WARP));
	k->shuffle = shuffle_of(w);
	k->set = set_of_warp(w);
}

static void add_group(Warp *w, Contexts *k, Path p, const Split *from, uint32_t fall)
{
	Split *t = splits_add(w, p, from);
	split_redirect(w, t, fall);
	k->cold[t - reconv_splits(w)] = false;
	reconv_count_push(w, t, p.pc, p.mask);
	merge_group(w, k, t);
}

/* The split s keeps a path on which it meets no other group, if there is one: then it stays in the list where
   the core looks for it. */
static void part_context(Warp *w, Split *s, const Path *p, int n)
{
	Contexts *k = reconv_state(w);
	uint32_t fall = s->pc + 1;
	int own = 0;
	for (int a = n - 1; a >= 0; a--) {
		s->pc = p[a].pc;
		s->mask = p[a].mask;
		if (!group_met(w, s))
			own = a;
	}
	s->pc = p[own].pc;
	s->mask = p[own].mask;
	for (int a = 0; a < n; a++)
		if (a != own)
			add_group(w, k, p[a], s, fall);
	merge_group(w, k, s);
	settle_contexts(w, k);
}

static void sbi_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { part_context(w, s, p, n); }

static void sbi_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	part_context(w, s, p, n);
}

static void sbi_ret(Warp *w, Split *s, const Path *p, int n) { part_context(w, s, p, n); }

static void sbi_reach(Warp *w, Split *s)
{
	Contexts *k = reconv_state(w);
	merge_group(w, k, s);
	settle_contexts(w, k);
}

static void sbi_exit(Warp *w, Split *s, Mask m)
{
	Contexts *k = reconv_state(w);
	uint32_t pc = s->pc;
	splits_take_out(w, s, k->cold, sizeof *k->cold);
	if (!*reconv_nsplit(w))
		return;
	reconv_count_pop(w, s, pc, m);
	settle_contexts(w, k);
}

/* ---- issue ---- */

/* Might a group stand where another one does? */
static bool some_may_meet(Warp *w)
{
	Mask seen = 0; /* a bit for each pc, which several pcs share */
	each_split(w, s) {
		Mask at = (Mask)1 << (s->pc & 63);
		if (!split_meets(s, s->pc))
			continue;
		if (seen & at)
			return true;
		seen |= at;
	}
	return false;
}

/* The n-th split to be tried: the primary, then the secondary. When n is 0, groups that stand at one place
   become one before, whether the place is marked or not. */
static Split *candidate(Warp *w, int n)
{
	Contexts *k = reconv_state(w);
	Split *all = reconv_splits(w);
	if (n > 1 || (n && *reconv_nsplit(w) == 1))
		return NULL;
	if (n)
		return k->run[1] < 0 ? NULL : &all[k->run[1]];
	unsigned changes = reconv_changes(w);
	if (!changes || (changes == CHANGED_PCS && *reconv_nsplit(w) > 1 && still_first(w, k)))
		return k->run[0] < 0 ? NULL : &all[k->run[0]];
	if (*reconv_nsplit(w) > 1) {
		for (int x = some_may_meet(w) ? *reconv_nsplit(w) - 1 : -1; x >= 0; x--)
			merge_group(w, k, &all[x]);
		settle_contexts(w, k);
	}
	if (*reconv_nsplit(w) == 1) {
		k->run[0] = all->state == SPLIT_RUN ? 0 : -1;
		k->run[1] = -1;
	}
	k->pair = 0;
	for (int x = 0; x < 2; x++)
		k->pair |= k->run[x] < 0 ? 0 : all[k->run[x]].mask;
	return k->run[0] < 0 ? NULL : &all[k->run[0]];
}

static Split *primary_split(Warp *w)
{
	Split *first = NULL;
	each_split(w, s)
		if (s->state == SPLIT_RUN && (!first || order_of(w, s) < order_of(w, first)))
			first = s;
	return first;
}

static bool is_ready(const Warp *w, const Split *s)
{
	return s && wait_over(&s->wait, reconv_now(w)) && !s->released && s->state == SPLIT_RUN;
}

/* The other one of the warp's two groups that might issue when the cycle began; NULL: it cannot issue now. If
   the first group's issue has changed the order, that counts from the next cycle on. */
static Split *own_secondary(Warp *w, Mask lanes, int n, Warp **of)
{
	const Contexts *k = reconv_state(w);
	*of = w;
	each_split(w, s) {
		if (n || !(s->mask & k->pair) || s->mask & lanes || split_waits(s) ||
			k->cold[s - reconv_splits(w)] || !wait_over(&s->wait, reconv_now(w)) || s->released)
			continue;
		s->state = SPLIT_RUN;
		return s;
	}
	return NULL;
}

/* Bit l of the mask becomes bit l xor x: blocks of 1, 2, 4, ... bits change places. */
static Mask moved_lanes(Mask m, unsigned x)
{
	static const Mask low[6] = { 0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
		0x00ff00ff00ff00ffu,
		0x0000ffff0000ffffu, 0x00000000ffffffffu };
	for (; x; x &= x - 1) {
		int b = lowest_lane(x);
		m = (m & low[b]) << (1 << b) | (m >> (1 << b) & low[b]);
	}
	return m;
}

/* Lists the warp itself if its other group may issue, then other warps of its set whose lanes fit: warps with
   more lanes first, of equal ones the oldest. */
static void find_partners(Warp *w, Mask lanes, Partners *p)
{
	Warp *warps[MOST_WARPS], *of;
	const Contexts *k = reconv_state(w);
	int own = 0, n = lanes == lanes_below((int)reconv_config(w)->warp_size) ? 0
		: reconv_scheduler_warps(w, warps);
	Mask used = moved_lanes(lanes, k->shuffle);
	if (k->two && own_secondary(w, lanes, 0, &of))
		p->warp[own++] = w;
	p->n = own;
	for (int x = 0; x < n; x++) {
		const Contexts *other = reconv_state(warps[x]);
		if (warps[x] == w || other->set != k->set || reconv_asleep(warps[x]))
			continue;
		const Split *s = primary_split(warps[x]);
		if (!is_ready(w, s) || moved_lanes(s->mask, other->shuffle) & used)
			continue;
		int at = p->n++;
		while (at > own && lane_count(primary_split(p->warp[at - 1])->mask) < lane_count(s->mask)) {
			p->warp[at] = p->warp[at - 1];
			at--;
		}
		p->warp[at] = warps[x];
	}
}

static Split *swi_partner(Warp *w, Mask lanes, int n, Warp **of)
{
	Partners *p = reconv_sm_state(w);
	if (n == 0)
		find_partners(w, lanes, p);
	if (n >= p->n)
		return NULL;
	*of = p->warp[n];
	return *of == w ? own_secondary(w, lanes, 0, of) : primary_split(*of);
}

static void sbi_show(const Warp *w, Rows *rows)
{
	const Contexts *k = reconv_state((Warp *)w);
	each_split((Warp *)w, s) {
		TraceRow r = trace_row(ROW_CONTEXT, NO_PC, s->mask);
		r.split = (uint16_t)(s - reconv_splits((Warp *)w));
		r.n = reconv_call_depth(w, s->mask);
		r.flags = reconv_flag(k->cold[r.split], FLAG_IN_MEMORY);
		reconv_show(rows, &r);
	}
}

static bool sbi_held(const Warp *w, int lane, Held *h)
{
	bool found = false;
	each_split((Warp *)w, s)
		if (s->state == SPLIT_PARKED && s->mask >> lane & 1) {
			h->pc = h->until = s->pc;
			h->in = "the sorted table of contexts";
			found = true;
		}
	each_split((Warp *)w, s)
		if (found && s->state == SPLIT_RUN)
			h->others |= s->mask;
	return found;
}

#define TABLE(NAME, HELP, OWN, OF_WARPS) const ReconvModel reconv_##NAME = { .name = #NAME, .help = HELP, \
	.spills = SPILLS_TABLE, \
	.source = "Brunie, Collange, Diamos, Simultaneous Branch and Warp Interweaving for Sustained GPU " \
		"Performance, ISCA 2012", \
	.params = NAME##_params, .nparams = sizeof NAME##_params / sizeof *NAME##_params, \
		.sync_waits = true, .lane_scoreboard = true, \
	.lower = sbi_lower, .state_size = sbi_state_size, .launch = NAME##_launch, .branch = sbi_branch, \
	.reach = sbi_reach, .call = sbi_call, .ret = sbi_ret, .exit = sbi_exit, .depth = splits_depth, \
	.show = sbi_show, \
	.sync = { .wait = settle_event, .resume = settle_event }, \
		.pairs = { .candidate = candidate, .partner = OWN }, .pairs_need_choice = true, \
		.pairs_of_warps = OF_WARPS, \
		.blocks = { .sm_state_size = sbi_sm_state_size }, \
	.stuck = { .held = sbi_held, .holds = "runs the first groups in the order of addresses only; one " \
	"behind them waits until those in front have come there or ended" } }
TABLE(sbi, "two groups of a warp issue at once: lowest pc and next", own_secondary, false);
TABLE(swi, "a group of another warp issues on lanes left idle", swi_partner, true);
