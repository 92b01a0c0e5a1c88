/* A plug-in with a mechanism. arm_by_arm: lanes that part run one group after the other, each as far as the
 * place where they are to meet, and there wait until no other group is on its way.
 *
 * The places are the immediate post-dominators of branches. One group runs at a time; as it comes to such a
 * place, it becomes one with a group that waits there, and gives its turn away. With the parameter `first`
 * the group runs next that has parted last (newest: innermost branches first) or longest ago. When all groups
 * wait at such places, the one that is farthest behind goes on: blocks lie in reverse post-order, so that
 * this is the one with the lowest pc.
 *
 * Counted: depth = groups; pushes = groups that parted from another; pops = groups that met another or ended,
 * the last one to end not counted.
 *
 *	cc $(pkg-config --cflags gsim-internal) -shared -o arm_by_arm.so arm_by_arm.c
 *	gsim --load ./arm_by_arm.so --grid -m ipdom -m arm_by_arm kernel.ptx */
#include "gsim-plugin.h"

enum { FIRST_NEWEST, FIRST_OLDEST };
enum { P_FIRST };
static const ConfigKey params[] = {
	{ NULL, "first", CT_ENUM, 0, FIRST_NEWEST, 0, 1, "newest|oldest", "",
		"which of the groups on their way runs: the one that parted last, or longest ago" },
};

static bool lower(LowerFn *l, Diag *d)
{
	l->priority_layout = true;
	return reconv_lower_ipdom(l, d);
}

static size_t state_size(const Config *c) { return 0; }

/* Split.tag is the mechanism's: 1 for a group that waits where lanes meet. */
static bool arrived(const Split *s) { return s->tag; }

/* Does s run before t? The list has groups in the order in which they parted. */
static bool before(const Warp *w, const Split *s, const Split *t)
{
	if (arrived(s) != arrived(t))
		return !arrived(s);
	if (arrived(s))
		return s->pc < t->pc;
	return reconv_param(w, P_FIRST) == FIRST_OLDEST ? s < t : s > t;
}

/* Lets one group run; those that wait for other threads are the core's affair. */
static void choose(Warp *w)
{
	Split *first = NULL;
	each_split(w, s)
		if (!split_waits(s) && (!first || before(w, s, first)))
			first = s;
	each_split(w, s)
		split_permit(w, s, s == first);
	if (first)
		first->tag = 0;
}

/* Groups that wait in one place become one: the later one of the list goes. */
static void meet(Warp *w)
{
	for (int a = 0; a < *reconv_nsplit(w); a++)
		for (int b = a + 1; b < *reconv_nsplit(w);) {
			Split *s = reconv_splits(w) + a, *t = reconv_splits(w) + b;
			Mask lanes = t->mask;
			if (!arrived(s) || !arrived(t) || !split_meets(s, t->pc) || !split_meets(t, s->pc)) {
				b++;
				continue;
			}
			split_merge(w, s, t, lanes);
			reconv_close_gap(w, t);
			reconv_count_pop(w, s, s->pc, lanes);
		}
}

/* The group goes on at pc. The core does not say of a path that begins where lanes meet that it has come
   there. */
static void send(Warp *w, Split *s, uint32_t pc)
{
	s->pc = pc;
	s->tag = (reconv_ins(w, pc)->flags & MI_REACH) != 0;
}

/* The first path goes on as s, the others become groups of their own. */
static void part(Warp *w, Split *s, const Path *p, int n)
{
	for (int k = 1; k < n; k++) {
		Split *t = splits_part(w, s, p[k].mask);
		send(w, t, p[k].pc);
		reconv_count_push(w, s, t->pc, t->mask);
	}
	send(w, s, p[0].pc);
	meet(w);
	choose(w);
}

static void branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { part(w, s, p, n); }
static void call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { part(w, s, p, n); }
static void ret(Warp *w, Split *s, const Path *p, int n) { part(w, s, p, n); }

static void reach(Warp *w, Split *s)
{
	s->tag = 1;
	meet(w);
	choose(w);
}

static void lanes_exit(Warp *w, Split *s, Mask lanes)
{
	uint32_t pc = s->pc;
	reconv_close_gap(w, s);
	if (*reconv_nsplit(w))
		reconv_count_pop(w, s, pc, lanes);
	choose(w);
}

static void wait(Warp *w, Split *s) { choose(w); }
static void resume(Warp *w, Split *s) { choose(w); }

static const ReconvModel reconv_arm_by_arm = {
	.name = "arm_by_arm",
	.help = "groups run one after the other, each to the post-dominator, where they meet",
	.source = "none: an example",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true,
	.lower = lower, .state_size = state_size, .launch = splits_launch, .branch = branch, .reach = reach,
	.call = call, .ret = ret, .exit = lanes_exit, .depth = splits_depth,
	.sync = { .wait = wait, .resume = resume },
	.stuck = { .holds = "runs one group until it comes to where lanes meet; the others stand by" },
};

GSIM_PLUGIN("arm-by-arm", .mechanisms = { &reconv_arm_by_arm });
