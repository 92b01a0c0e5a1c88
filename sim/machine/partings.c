#include "sim/machine/machine.h"

/* FEW_NODES: nodes of the tree for which there is room from the first parting on */
enum { NO_GROUP = 255, MOST_LANES = 64, FEW_NODES = 6 };

struct Partings {
	Mask threads;                  /* lanes in which a thread was started */
	/* cap: nodes with memory; those at n and beyond have not been used yet; `unused` lists those below n
	   that are free again */
	int cap, n;
	uint8_t unused, root;
	Group *node;
	Group nobody;                  /* counts issues for no lane */
	uint8_t of_lane[MOST_LANES];   /* a lane's group, while it has not ended */
};

static Group *node_at(const Partings *p, int k) { return &p->node[k]; }
static Mask live(const Partings *p) { return p->root == NO_GROUP ? 0 : node_at(p, p->root)->lanes; }
static bool counted(const Group *g) { return g->issues[0] | g->issues[1]; }
#define each_branch(P, N, B) for (int B = node_at((P), (N))->below; B != NO_GROUP; B = node_at((P), B)->next)

/* ---- what issues cost ---- */

static inline void charge(Share *x, uint32_t pc, const uint64_t issues[2], unsigned slots)
{
	x->parted[pc].lost[0] += issues[0] * slots;
	x->parted[pc].lost[1] += issues[1] * slots;
}

/* Counts issues of a group of n lanes by the number of their lanes. */
static inline void count_active_lanes(Share *x, const uint64_t issues[2], unsigned n)
{
	x->active_lanes[0][n] += issues[0];
	x->active_lanes[1][n] += issues[1];
}

static inline void uncount_lanes(Share *x, const uint64_t issues[2], unsigned n)
{
	x->active_lanes[0][n] -= issues[0];
	x->active_lanes[1][n] -= issues[1];
}

static void charge_nobody(Warp *w, const uint64_t issues[2], Mask taken)
{
	const Partings *p = w->partings;
	Mask all = lanes_below(w->lanes.width) & ~taken;
	unsigned none = lane_count(all & ~p->threads), ended = lane_count(all & p->threads & ~live(p));
	for (int k = 0; k < 2; k++) {
		w->share->nobody[k].no_thread += issues[k] * none;
		w->share->nobody[k].ended += issues[k] * ended;
	}
}

/* Charges the branch's issues to the node above it and adds them to that node's issues. To be called before
   the lanes of the branch or of the node change. */
static void settle_branch(Warp *w, int branch)
{
	Group *b = node_at(w->partings, branch);
	if (!counted(b))
		return;
	if (b->below == NO_GROUP)
		count_active_lanes(w->share, b->issues, b->n);
	if (b->above == NO_GROUP) {
		charge_nobody(w, b->issues, b->lanes);
	} else {
		Group *node = node_at(w->partings, b->above);
		charge(w->share, node->pc, b->issues, node->n - b->n);
		node->issues[0] += b->issues[0];
		node->issues[1] += b->issues[1];
	}
	b->issues[0] = b->issues[1] = 0;
}

/* Charges and hands on all issues below the node, up to the node. Later they would be charged for other
   lanes, because groups would have changed. */
static void settle_below(Warp *w, int node)
{
	each_branch(w->partings, node, b) {
		settle_below(w, b);
		settle_branch(w, b);
	}
}

static void settle_nobody(Warp *w)
{
	Partings *p = w->partings;
	if (!counted(&p->nobody))
		return;
	for (Mask m = live(p); m;) {
		const Group *g = node_at(p, p->of_lane[lowest_lane(m)]);
		charge(w->share, g->pc, p->nobody.issues, g->n);
		m &= ~g->lanes;
	}
	count_active_lanes(w->share, p->nobody.issues, 0);
	charge_nobody(w, p->nobody.issues, 0);
	p->nobody.issues[0] = p->nobody.issues[1] = 0;
}

/* Charges issues that group g makes together with lanes of other warps. taken: the lanes of each issue, of
   all these warps. */
static void charge_mixed(Warp *w, int g, Mask taken, const uint64_t issues[2])
{
	const Partings *p = w->partings;
	for (const Group *b = node_at(p, g); b->above != NO_GROUP; b = node_at(p, b->above))
		charge(w->share, node_at(p, b->above)->pc, issues,
			lane_count(node_at(p, b->above)->lanes & ~b->lanes & ~taken));
	count_active_lanes(w->share, issues, lane_count(taken));
	charge_nobody(w, issues, taken);
}

/* ---- the tree ---- */

static int node_new(Warp *w)
{
	Partings *p = w->partings;
	int k = p->unused;
	if (k != NO_GROUP) {
		p->unused = node_at(p, k)->next;
		return k;
	}
	if (p->n == p->cap) { /* few lanes part most often: there can be two nodes for each lane */
		int cap = p->cap == 1 ? FEW_NODES : 4 * p->cap, most = 2 * w->lanes.width;
		p->cap = cap < most ? cap : most;
		Group *node = arena_array(&w->sm->slots, Group, p->cap);
		memcpy(node, p->node, sizeof *node * (size_t)p->n);
		p->node = node;
	}
	return p->n++;
}

static void node_free(Partings *p, int k)
{
	node_at(p, k)->next = p->unused;
	p->unused = (uint8_t)k;
}

static void own(Partings *p, int g, Mask m)
{
	int l;
	each_lane(m, l)
		p->of_lane[l] = (uint8_t)g;
}

/* Returns where the number of the branch is stored: in the node above, in a branch beside it, or as the
   root. */
static uint8_t *link_to_branch(Partings *p, int branch)
{
	if (node_at(p, branch)->above == NO_GROUP)
		return &p->root;
	uint8_t *k = &node_at(p, node_at(p, branch)->above)->below;
	while (*k != branch)
		k = &node_at(p, *k)->next;
	return k;
}

static void add_parting_branch(Partings *p, int node, int branch)
{
	node_at(p, branch)->above = (uint8_t)node;
	node_at(p, branch)->next = node_at(p, node)->below;
	node_at(p, node)->below = (uint8_t)branch;
}

/* A new node, for the parting of group g at pc, takes the group's place; the group becomes a branch of the
   node. */
static void put_above(Warp *w, int g, uint32_t pc)
{
	Partings *p = w->partings;
	int node = node_new(w);
	uint8_t *link = link_to_branch(p, g);
	*node_at(p, node) = *node_at(p, g); /* copies the issues that have not been handed on, too */
	node_at(p, node)->pc = pc;
	count_active_lanes(w->share, node_at(p, g)->issues, node_at(p, g)->n);
	*link = (uint8_t)node;
	node_at(p, node)->below = NO_GROUP;
	node_at(p, g)->issues[0] = node_at(p, g)->issues[1] = 0;
	add_parting_branch(p, node, g);
	w->share->parted[pc].partings++;
}

/* True for an instruction that may send lanes to different places. Lanes part at such a one only if it did
   send them to different places. */
static bool sends(const MIns *i)
{
	return (i->kind == K_BRA && i->flags & MI_COND) || i->kind == K_BRX || i->kind == K_CALL ||
		i->kind == K_RET;
}

/* Lanes m of group g, which issue at pc, become a group apart from the other lanes of g. Returns the group of
   m. Lanes that issued together may leave their group one part after the other. */
static int part_from_group(Warp *w, int g, Mask m, uint32_t pc)
{
	Partings *p = w->partings;
	int other = node_new(w);
	const Group *node = node_at(p, g)->above == NO_GROUP ? NULL : node_at(p, node_at(p, g)->above);
	if (node_at(p, g)->ways == node_at(p, g)->cycle || !sends(&w->ins[node_at(p, g)->pc]))
		pc = node_at(p, g)->pc;
	if (!node || node->pc != pc || node->cycle != node_at(p, g)->cycle)
		put_above(w, g, pc);
	Group *x = node_at(p, g);
	unsigned n = lane_count(m);
	/* m is not more than half of the group: the new node gets m, else it gets the other lanes */
	bool few = 2 * n <= x->n;
	Mask lanes = few ? m : x->lanes & ~m;
	*node_at(p, other) = (Group){ .lanes = lanes, .n = few ? n : x->n - n, .pc = x->pc, .cycle = x->cycle,
		.ways = x->ways, .below = NO_GROUP };
	x->lanes &= ~lanes;
	x->n -= node_at(p, other)->n;
	add_parting_branch(p, x->above, other);
	own(p, other, lanes);
	return few ? other : g;
}

/* Counts that a parting at pc `parted` has ended with an issue at pc `met`, or with NO_PC because lanes
   ended. */
static void count_met(Share *x, uint32_t parted, uint32_t met)
{
	int k = x->met_at[parted];
	while (k && x->met.v[k - 1].pc != met)
		k = x->met.v[k - 1].next;
	if (!k) {
		vec_push(&x->met, ((MeetCount){ .pc = met, .next = x->met_at[parted] }));
		k = x->met_at[parted] = x->met.n;
	}
	x->met.v[k - 1].times++;
}

/* Takes the branch out of the tree, because of an issue at pc or, with NO_PC, because its lanes end. The node
   above goes, too, if one branch is left of it. The caller has handed on all issues of the branch. */
static void leave_tree(Warp *w, int branch, uint32_t pc)
{
	Partings *p = w->partings;
	int node = node_at(p, branch)->above;
	*link_to_branch(p, branch) = node_at(p, branch)->next;
	node_free(p, branch);
	if (node == NO_GROUP)
		return;
	int last = node_at(p, node)->below;
	if (node_at(p, last)->next != NO_GROUP)
		return;
	settle_branch(w, last);
	w->share->parted[node_at(p, node)->pc].cycles += w->sm->now - node_at(p, node)->cycle;
	count_met(w->share, node_at(p, node)->pc, pc);
	*link_to_branch(p, node) = (uint8_t)last;
	node_at(p, last)->above = node_at(p, node)->above;
	node_at(p, last)->next = node_at(p, node)->next;
	memcpy(node_at(p, last)->issues, node_at(p, node)->issues, sizeof node_at(p, last)->issues);
	/* the node's issues have been counted by number of lanes; they will be again as issues of the group
	   that now has them */
	if (node_at(p, last)->below == NO_GROUP)
		uncount_lanes(w->share, node_at(p, last)->issues, node_at(p, last)->n);
	node_free(p, node);
}

/* The group, and the nodes above it up to but without `top`, get these lanes (n > 0) or lose them (n < 0). n:
   the number of lanes, with this sign. */
static void change_lanes(Warp *w, int group, int top, Mask lanes, int n)
{
	Partings *p = w->partings;
	settle_branch(w, group);
	for (int k = node_at(p, group)->above; k != top; k = node_at(p, k)->above) {
		settle_below(w, k);
		settle_branch(w, k);
	}
	for (int k = group; k != top; k = node_at(p, k)->above) {
		/* before this, the group or node has all of these lanes or none of them */
		node_at(p, k)->lanes ^= lanes;
		node_at(p, k)->n += (unsigned)n;
	}
}

/* Group a and the group of other lanes of m that is nearest to it in the tree become one, in the place of a,
   with the issue at pc. */
static int meet_nearest(Warp *w, int a, Mask m, uint32_t pc)
{
	Partings *p = w->partings;
	int top = node_at(p, a)->above;
	m &= ~node_at(p, a)->lanes;
	while (!(m & node_at(p, top)->lanes))
		top = node_at(p, top)->above;
	int b = p->of_lane[lowest_lane(m & node_at(p, top)->lanes)];
	if (node_at(p, a)->above == node_at(p, b)->above && node_at(p, b)->n > node_at(p, a)->n) {
		/* both are branches of one node, so either place will do: the group with more lanes stays */
		int c = a;
		a = b;
		b = c;
	}
	Mask lanes = node_at(p, b)->lanes;
	int n = (int)node_at(p, b)->n;
	change_lanes(w, b, top, lanes, -n);
	change_lanes(w, a, top, lanes, n);
	own(p, a, lanes);
	leave_tree(w, b, pc);
	return a;
}

/* True if group a has parted from other lanes later than group b. */
static bool parted_later(const Partings *p, int a, int b)
{
	Cycle x = node_at(p, node_at(p, a)->above)->cycle, y = node_at(p, node_at(p, b)->above)->cycle;
	return x > y;
}

/* Makes one group of exactly the lanes m: the groups that have lanes of m come together; one that has other
   lanes, too, is parted first. Returns the group. */
static int join_lanes(Warp *w, Mask m, uint32_t pc)
{
	Partings *p = w->partings;
	int g, last = NO_GROUP;
	for (Mask left = m; left; left &= ~node_at(p, g)->lanes) {
		g = p->of_lane[lowest_lane(left)];
		if (node_at(p, g)->lanes & ~m)
			g = part_from_group(w, g, node_at(p, g)->lanes & m, pc);
		if (last == NO_GROUP || parted_later(p, g, last))
			last = g;
	}
	w->share->totals.reconvergences++;
	while (node_at(p, last)->lanes != m)
		last = meet_nearest(w, last, m, pc);
	return last;
}

/* Returns the group of exactly the lanes m, which issue together at pc; makes it if it does not exist yet. */
static inline Group *together(Warp *w, Mask m, uint32_t pc)
{
	Partings *p = w->partings;
	int g = p->of_lane[lowest_lane(m)];
	Mask lanes = node_at(p, g)->lanes;
	if (lanes == m)
		return node_at(p, g);
	if (m & ~lanes)
		g = join_lanes(w, m, pc);
	else
		g = part_from_group(w, g, m, pc);
	return node_at(p, g);
}

/* ---- issues ---- */

static inline Group *issue_of(Warp *w, Mask m, uint32_t pc)
{
	if (w->group == &w->partings->nobody)
		settle_nobody(w);
	Group *g = together(w, m, pc);
	g->pc = pc;
	g->cycle = w->sm->now;
	return g;
}

void partings_run(Warp *w, const Split *s, uint32_t pc, const uint64_t n[2], uint32_t last)
{
	Cycle end = w->sm->now + n[0] + n[1] - 1;
	if (!w->partings) {
		count_active_lanes(w->share, n, lane_count(s->mask));
		return;
	}
	if (!s->parts) {
		w->group = s->mask ? issue_of(w, s->mask, pc) : &w->partings->nobody;
		group_issues(w->group, last, end, n);
		return;
	}
	const Part *most = NULL; /* the home with most lanes, and its group */
	const Group *largest = NULL;
	each_part(s, q) {
		Group *g = issue_of(q->home, q->mask, pc);
		g->pc = last;
		g->cycle = end;
		if (!most || g->n > largest->n ||
			(g->n == largest->n && q->home->index < most->home->index)) {
			most = q;
			largest = g;
		}
		/* so that the warp's next issue looks its group up */
		q->home->group = &q->home->partings->nobody;
	}
	if (most)
		charge_mixed(most->home, (int)(largest - most->home->partings->node), s->mask, n);
}

void partings_issue(Warp *w, const Split *s, uint32_t pc, bool added)
{
	partings_run(w, s, pc, (uint64_t[]){ !added, added }, pc);
}

void partings_ways(Warp *w, const Split *s, const Path *path, int n)
{
	Part part[64];
	int parts = reconv_parts(w, s, part);
	for (int k = 0; k < parts && w->partings; k++)
		for (int i = 0; i < n; i++)
			if (part[k].mask & path[i].mask && part[k].mask & ~path[i].mask) {
				Partings *p = part[k].home->partings;
				node_at(p, p->of_lane[lowest_lane(part[k].mask)])->ways = w->sm->now;
			}
}

/* ---- the life of a warp ---- */

void partings_equip(Warp *w)
{
	if (w->sm->gpu->model->own_slots) {
		/* a group without lanes, which matches no split */
		w->group = arena_new(&w->sm->slots, Group);
		return;
	}
	Partings *p = w->partings = arena_new(&w->sm->slots, Partings);
	p->cap = 1;
	p->node = arena_new(&w->sm->slots, Group);
}

void partings_start(Warp *w, Mask lanes, uint32_t pc)
{
	Partings *p = w->partings;
	if (!p)
		return;
	p->threads = lanes;
	p->n = 1;
	p->unused = NO_GROUP;
	p->root = 0;
	p->node[0] = (Group){ .lanes = lanes, .n = lane_count(lanes), .pc = pc, .cycle = w->sm->now,
		.ways = NEVER, .above = NO_GROUP, .below = NO_GROUP,
		.next = NO_GROUP };
	own(p, 0, lanes);
	p->nobody = (Group){ 0 };
	w->group = &p->node[0];
}

static void end_group(Warp *w, int g)
{
	Partings *p = w->partings;
	change_lanes(w, g, NO_GROUP, node_at(p, g)->lanes, -(int)node_at(p, g)->n);
	leave_tree(w, g, NO_PC);
}

void partings_end_lanes(Warp *w, Mask m)
{
	Partings *p = w->partings;
	if (!p)
		return;
	settle_nobody(w);
	for (Mask here; m; m &= ~here) {
		int g = p->of_lane[lowest_lane(m)];
		here = node_at(p, g)->lanes & m;
		if (here == node_at(p, g)->lanes)
			end_group(w, g);
		else                   /* at a guarded exit: lanes that end go nowhere, so no lanes part */
			change_lanes(w, g, NO_GROUP, here, -(int)lane_count(here));
	}
	w->group = &p->nobody;
}

void partings_settle(Warp *w)
{
	Partings *p = w->partings;
	if (!p)
		return;
	settle_nobody(w);
	if (p->root == NO_GROUP)
		return;
	settle_below(w, p->root);
	settle_branch(w, p->root);
}

void partings_close(Warp *w)
{
	if (w->partings)
		partings_end_lanes(w, live(w->partings));
}
