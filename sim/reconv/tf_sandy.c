/* Thread frontiers on hardware with a pc for each lane and one for the warp (Diamos et al., SIMD
 * Re-Convergence at Thread Frontiers, MICRO 2011, for Intel's Sandybridge GPU). A lane is enabled while its
 * pc is the warp's.
 *
 * The hardware does not find the lowest pc: the compiler gives each terminator a conservative target, the
 * first block in which a lane may be after it. The warp goes there unless all lanes have gone the same way
 * together; when no lane is there, the block is fetched for nothing, and its terminator goes on to the next
 * block of the layout. So the warp never passes a waiting lane. rule = static: the conservative target is the
 * first of the block's frontier and successors. rule = refined: a back edge counts only when a lane takes it.
 *
 * Calls: lanes that call together get a frame, and the warp runs the lanes of the top frame alone; frames of
 * an indirect call run one after the other. Lanes wait at starts of blocks only, or behind a call until its
 * frame has ended. Counted: depth, pushes and pops = frames besides the kernel's. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/frontier.h"
#include "sim/reconv/common/splits.h"

enum { P_PRIORITY, P_RULE, P_CONSERVATIVE };
enum { RULE_STATIC, RULE_REFINED };
static const ConfigKey params[] = {
	PRIORITY_PARAM,
	{ NULL, "rule", CT_ENUM, 0, RULE_STATIC, 0, 1, "static|refined", "",
		"conservative targets: all successors count (the paper's), or back edges only when a lane "
		"takes them" },
	{ NULL, "conservative_cycles", CT_INT, 0, 0, 0, 100, NULL, "cycles",
		"more for a terminator that goes to its conservative target (assumption)" },
};

/* pc: where the frame begins or goes on when it comes to the top */
typedef struct SandyFrame { Mask lanes; uint32_t pc; } SandyFrame;
typedef struct Sandy {
	int n, cap;
	/* frame[0]: the kernel's; SandyFrame.lanes: all lanes that are in it or in frames called from it */
	SandyFrame *frame;
	uint32_t pc[64];               /* by lane: where the lane waits, when it is not enabled */
} Sandy;

/* ---- compile time ---- */

static int conservative(const ThreadFrontier *f, int at, bool refined)
{
	int least = f->tf[at] ? f->tf[at]->v : -1;
	for (int k = 0; k < f->order[at]->nsucc; k++) {
		int t = f->position[f->order[at]->succ[k]->id];
		if ((least < 0 || t < least) && !(refined && t <= at))
			least = t;
	}
	return least;
}

/* May the warp come from block `at` to the next one of the layout without a branch that sends it there, while
   lanes that have come from elsewhere wait there? If so, the warp has to look for them: it may have walked
   through block `at` for nothing. npred: by block id, its number of predecessors. */
static bool falls_unseen(const ThreadFrontier *f, int at, const int *npred)
{
	const Block *b = f->order[at];
	if (at + 1 == f->n)
		return false;
	return op_info[block_term(b)->op].flags & OPF_FATAL ||
		(block_jumps(b) && b->succ[0] == f->order[at + 1] && npred[b->succ[0]->id] > 1);
}

static bool tf_sandy_lower(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	ThreadFrontier f = frontier_build(&tmp, l, reconv_lower_param(l, P_PRIORITY));
	int *npred = arena_array(&tmp, int, l->f->block.n);
	for (int i = 0; i < f.n; i++)
		for (int k = 0; k < f.order[i]->nsucc; k++)
			npred[f.order[i]->succ[k]->id]++;
	for (int i = 0; i < f.n; i++) {
		int to = conservative(&f, i, reconv_lower_param(l, P_RULE) == RULE_REFINED);
		if (to >= 0)
			l->rpc_block[f.order[i]->id] = f.order[to]->id;
		/* lanes may fall into a block where others wait */
		for (int k = 0; k < f.order[i]->nsucc; k++)
			if (chain_has(f.tf[i], f.position[f.order[i]->succ[k]->id]))
				l->reach[f.order[i]->succ[k]->id] = true;
		if (falls_unseen(&f, i, npred))
			l->reach[f.order[i + 1]->id] = true;
	}
	arena_free(&tmp);
	return true;
}

/* ---- run time ---- */

static size_t tf_sandy_state_size(const Config *c) { return sizeof(Sandy); }
static int tf_sandy_depth(const Warp *w) { return ((Sandy *)reconv_state((Warp *)w))->n - 1; }
static SandyFrame *top_frame(Sandy *x) { return &x->frame[x->n - 1]; }

static void set_pcs(Sandy *x, Mask m, uint32_t pc)
{
	int l;
	each_lane(m, l)
		x->pc[l] = pc;
}

static void push_frame(Warp *w, Sandy *x, Mask lanes, uint32_t pc)
{
	x->frame = reconv_grow(w, x->frame, x->n, &x->cap, sizeof *x->frame);
	reconv_changed(w, x->n - 1);
	x->frame[x->n++] = (SandyFrame){ lanes, pc };
}

/* The warp's pc becomes pc: those lanes of the top frame that stand there are enabled, the others are not. */
static void go_to_pc(Warp *w, Split *s, Sandy *x, uint32_t pc)
{
	int l;
	s->pc = pc;
	s->mask = 0;
	each_lane(top_frame(x)->lanes, l)
		s->mask |= (Mask)(x->pc[l] == pc) << l;
}

/* The warp has executed the terminator at pc, and x->pc says where its lanes go. The warp goes on at `first`
   or at the terminator's conservative target, whichever is lower: no lane is in front of that. If no lane was
   enabled, it goes on behind the terminator. */
static void go_conservatively(Warp *w, Split *s, Sandy *x, uint32_t pc, uint32_t first)
{
	uint32_t to = reconv_ins(w, pc)->rpc; /* NO_PC is higher than every pc */
	if (!s->mask)
		to = pc + 1;
	else if (first < to)
		to = first;
	must(to != NO_PC);
	if (s->mask)
		reconv_delay(w, s, (Cycle)reconv_param(w, P_CONSERVATIVE));
	go_to_pc(w, s, x, to);
}

static void tf_sandy_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Sandy *x = reconv_state(w);
	x->n = 0;
	push_frame(w, x, lanes, pc);
	set_pcs(x, lanes, pc);
	splits_launch(w, lanes, pc);
}

static void tf_sandy_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Sandy *x = reconv_state(w);
	uint32_t first = NO_PC;
	for (int a = 0; a < n; a++) {
		set_pcs(x, p[a].mask, p[a].pc);
		if (p[a].pc < first)
			first = p[a].pc;
	}
	if (n == 1 && s->mask == top_frame(x)->lanes)
		s->pc = p[0].pc;
	else
		go_conservatively(w, s, x, s->pc, first);
}

/* The warp has fallen through to the next block of the layout: no lane waits in front of it. */
static void tf_sandy_reach(Warp *w, Split *s)
{
	Sandy *x = reconv_state(w);
	set_pcs(x, s->mask, s->pc);
	go_to_pc(w, s, x, s->pc);
}

/* The first callee's frame is on top; each of the others begins when the one above it has ended. */
static void tf_sandy_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	Sandy *x = reconv_state(w);
	top_frame(x)->pc = return_pc;
	for (int a = n - 1; a >= 0; a--) {
		set_pcs(x, p[a].mask, p[a].pc);
		push_frame(w, x, p[a].mask, p[a].pc);
		reconv_count_push(w, s, p[a].pc, p[a].mask);
	}
	go_to_pc(w, s, x, p[0].pc);
}

/* Lanes have left the frame, by a terminator at pc. */
static void leave_frame(Warp *w, Split *s, Sandy *x, uint32_t pc)
{
	if (top_frame(x)->lanes) {
		go_conservatively(w, s, x, pc, NO_PC);
		return;
	}
	while (x->n > 1 && !top_frame(x)->lanes) {
		reconv_changed(w, --x->n);
		reconv_count_pop(w, s, pc, s->mask);
	}
	if (top_frame(x)->lanes)
		go_to_pc(w, s, x, top_frame(x)->pc);
	else
		*reconv_nsplit(w) = 0;
}

static void tf_sandy_ret(Warp *w, Split *s, const Path *p, int n)
{
	Sandy *x = reconv_state(w);
	for (int a = 0; a < n; a++)
		set_pcs(x, p[a].mask, p[a].pc);
	top_frame(x)->lanes &= ~s->mask;
	leave_frame(w, s, x, s->pc);
}

static void leave_all_frames(Warp *w, Sandy *x, Mask m)
{
	for (int k = 0; k < x->n; k++)
		x->frame[k].lanes &= ~m;
	reconv_changed(w, 0);
}

static void tf_sandy_some_exit(Warp *w, Split *s, Mask m)
{
	leave_all_frames(w, reconv_state(w), m);
	reconv_shed(w, s, m);
}

/* Behind a guarded exit the warp goes on in the block, for nothing if no lane is left there: only the block's
   terminator has a conservative target, in front of which no other lane waits. */
static void tf_sandy_exit(Warp *w, Split *s, Mask m)
{
	Sandy *x = reconv_state(w);
	leave_all_frames(w, x, m);
	if (reconv_ins(w, s->pc)->op == OP_EXITIF && top_frame(x)->lanes)
		go_to_pc(w, s, x, s->pc + 1);
	else
		leave_frame(w, s, x, s->pc);
}

/* Rows: the frames, and the lanes that are not enabled, by the place where they wait. */
static void tf_sandy_show(const Warp *w, Rows *rows)
{
	const Sandy *x = reconv_state((Warp *)w);
	const Split *s = reconv_splits((Warp *)w);
	for (int i = reconv_show_from(rows, TABLE_STACK, x->n - 1); i < x->n; i++) {
		TraceRow r = trace_row(ROW_FRAME, x->frame[i].pc, x->frame[i].lanes);
		if (i == x->n - 1)
			reconv_show_split(w, s, &r);
		reconv_show(rows, &r);
	}
	for (Mask left = x->frame[0].lanes & ~s->mask; left;) {
		int l;
		TraceRow r = trace_row(ROW_WAITING, x->pc[lowest_lane(left)], 0);
		each_lane(left, l)
			r.mask |= (Mask)(x->pc[l] == r.pc) << l;
		left &= ~r.mask;
		reconv_show(rows, &r);
	}
}

/* A lane of the top frame waits at a pc that the warp has not come to; a lane of another frame waits behind
   the call. */
static bool tf_sandy_held(const Warp *w, int lane, Held *h)
{
	const Sandy *x = reconv_state((Warp *)w);
	int k = x->n - 1, l;
	Mask front = 0;
	while (k > 0 && !(x->frame[k].lanes >> lane & 1))
		k--;
	each_lane(x->frame[k].lanes, l)
		front |= (Mask)(x->pc[l] < x->pc[lane]) << l;
	*h = k == x->n - 1 ? (Held){ x->pc[lane], "the frontier", x->pc[lane], front }
		: (Held){ x->pc[lane], "the frontier", NO_PC, x->frame[k + 1].lanes };
	return true;
}

const ReconvModel reconv_tf_sandy = {
	.name = "tf_sandy",
	.help = "thread frontiers with a pc for each lane, one for the warp, and conservative branches",
	.spills = SPILLS_NOTHING,
	.source = "Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011, section 5",
	.params = params, .nparams = sizeof params / sizeof *params,
	.all_branches = true, .runs_empty = true,
	.lower = tf_sandy_lower, .state_size = tf_sandy_state_size, .launch = tf_sandy_launch,
	.branch = tf_sandy_branch, .reach = tf_sandy_reach, .call = tf_sandy_call, .ret = tf_sandy_ret,
	.exit = tf_sandy_exit, .some_exit = tf_sandy_some_exit, .depth = tf_sandy_depth,
	.show = tf_sandy_show,
	.stuck = { .held = tf_sandy_held,
		.holds = "goes on from the first block in which a lane may be; lanes behind it wait until "
		"those in front have come there or ended" },
};
