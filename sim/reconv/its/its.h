/* Convergence barriers: the parameters and hooks of its, and of mechanisms built on it.

   sim/reconv/its/: place.h joins the files of compile time, run.h those of run time. Another mechanism may
   include its.h alone. */
#ifndef GSIM_ITS_H
#define GSIM_ITS_H
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/place.h"
#include "sim/reconv/core.h"

/* The parameters of mechanism its; a mechanism built on its has the same parameters first. Those from
   ITS_FIRST to ITS_MERGE are knobs: by default they have the value that the policy says (its_knob). */
typedef enum {
	ITS_POLICY, ITS_FIRST, ITS_ORDER, ITS_YIELD, ITS_YIELD_RELEASE, ITS_YIELD_AFTER, ITS_YIELD_TO,
		ITS_YIELD_PATIENCE, ITS_LATE_POINTS, ITS_SWITCH_BRANCH, ITS_SWITCH_SLEEP, ITS_SWITCH_STALL,
	 ITS_TIMER, ITS_TIMEOUT, ITS_MERGE, ITS_REGISTERS, ITS_RELEASE, ITS_SWITCH, ITS_BMOV,
		ITS_THRESHOLD
} ItsParam;
enum { ITS_FAIR, ITS_VOLTA_LIFO, ITS_HANOI, ITS_POLICIES };
enum { ITS_OFF, ITS_ON };
enum { ITS_FALLTHROUGH, ITS_TAKEN, ITS_LARGER, ITS_LANE0 };
enum { ITS_LIFO, ITS_FIFO, ITS_OLDEST, ITS_MIN_PC, ITS_MAX_LANES };
enum { ITS_YIELD_NONE, ITS_YIELD_SPIN, ITS_YIELD_LOOPS };
enum { ITS_TO_ANY, ITS_TO_SIBLING };
/* The value of a knob, given the policy and the value to which the parameter is set. */
int64_t its_knob(ItsParam, int64_t policy, int64_t set);
static inline int64_t its_lower_knob(const LowerFn *l, ItsParam p)
{
	return its_knob(p, reconv_lower_param(l, ITS_POLICY), reconv_lower_param(l, p));
}

#define ITS_REGS 16                    /* barrier registers of a thread: B0 to B15 */

/* The operations of mechanism its: their first operand is the number of a barrier register. */
enum { OWN_BSSY = TOKEN_OPS, OWN_BSYNC, OWN_BSYNCR, OWN_BREAK, OWN_BMOVCLEAR, OWN_BMOV, OWN_YIELD, ITS_OPS };
extern const OwnOp its_own[ITS_OPS];

/* The rows of the parameter table. */
#define ITS_KEYS \
	{ NULL, "policy", CT_ENUM, 0, 0, 0, 1, "its_fair|volta_lifo|hanoi", "", \
		"preset of the parameters up to opportunistic_merge" }, \
	{ NULL, "first", CT_ENUM, 0, 0, 0, 4, "policy|fallthrough|taken|larger|lane0", "", \
		"which side of a divergent branch runs first; of more than two: by address, larger or " \
			"lane0" }, \
	{ NULL, "order", CT_ENUM, 0, 0, 0, 5, "policy|lifo|fifo|oldest|min_pc|max_lanes", "", \
		"which group that is ready runs next" }, \
	{ NULL, "yield", CT_ENUM, 0, 0, 0, 3, "policy|none|spin|loops", "", \
		"where lowering puts YIELD: nowhere, on back edges of loops that may spin, of all loops" }, \
	{ NULL, "yield_release", CT_ENUM, 0, 0, 0, 2, "policy|off|on", "", \
		"a barrier opens when each of its lanes waits there or has yielded (patent US10067768, " \
			"claim 1)" }, \
	{ NULL, "yield_after", CT_INT, 0, -1, -1, 1000000, NULL, "times", \
		"the same lanes have to come to a YIELD so often in a row before it takes effect; -1: as " \
			"the policy says (assumption)" }, \
	{ NULL, "yield_to", CT_ENUM, 0, 0, 0, 2, "policy|any|sibling", "", \
		"to whom YIELD gives the turn: to any group that is ready, or to the next one if both are " \
			"of the barrier that was made last (arXiv 2407.02944)" }, \
	{ NULL, "yield_patience", CT_INT, 0, -1, -1, 1000000, NULL, "times", \
		"with yield_to=sibling, a YIELD to which the same lanes come the so-manieth time in a row " \
			"gives the turn to any group, and barriers open as with yield_release; 0 = never, " \
			"-1: as the policy says (assumption)" }, \
	{ NULL, "late_points", CT_ENUM, 0, 0, 0, 2, "policy|off|on", "", \
		"lanes that leave a loop in which others wait meet them behind what these wait for, not in " \
			"front of it" }, \
	{ NULL, "switch_branch", CT_ENUM, 0, 0, 0, 2, "policy|off|on", "", \
		"the turn passes on at the end of every block" }, \
	{ NULL, "switch_sleep", CT_ENUM, 0, 0, 0, 2, "policy|off|on", "", \
		"the turn passes on while a group sleeps (nanosleep)" }, \
	{ NULL, "switch_stall", CT_INT, 0, -1, -1, 1000000, NULL, "cycles", \
		"the turn passes on when a group has to wait so long for an operand; always when it is " \
			"loaded or an instruction fetched, for how long is not known then; " \
		"0 = never, -1: as the policy says (assumption)" }, \
	{ NULL, "timer", CT_INT, 0, -1, -1, 1000000000, NULL, "cycles", \
		"at a loop's head, the turn passes on when it has lasted so long; 0 = never, -1: as the " \
			"policy says (assumption)" }, \
	{ NULL, "barrier_timeout", CT_INT, 0, -1, -1, 1000000000, NULL, "cycles", \
		"a barrier opens for lanes that have waited so long (looked at where lanes come to a " \
			"loop's head); 0 = never, -1: as the policy says (assumption)" }, \
	{ NULL, "opportunistic_merge", CT_ENUM, 0, 0, 0, 2, "policy|off|on", "", \
		"groups that meet at the start of a block become one" }, \
	{ NULL, "registers", CT_INT, 0, ITS_REGS, 1, ITS_REGS, NULL, "registers", \
		"barrier registers; barriers nested deeper move them to and from general registers (16: " \
			"CUDA debugger API, B0 to B15)" }, \
	{ NULL, "release_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles", \
		"from the last arrival at a barrier to the next issue, beyond one (assumption)" }, \
	{ NULL, "split_switch_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles", \
		"when another group gets the turn, beyond the redirection of the front end (assumption)" }, \
	{ NULL, "bmov_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles", "added to a BMOV (assumption)" }

/* Compile time: puts BSSY, BSYNC, BREAK, BMOV and YIELD into the function; place.c. */
bool its_lower(LowerFn *, Diag *);
/* As its_lower, with predicted points besides: those of branches with !reconverge L where L does not
   post-dominate the branch; place.c. */
bool its_lower_predicted(LowerFn *, Diag *);

/* Run time, for mechanisms built on it. */
size_t its_sm_state_size(const Config *);
size_t its_state_size(const Config *);
int its_depth(const Warp *);
void its_launch(Warp *, Mask, uint32_t pc);
void its_branch(Warp *, Split *, const MIns *, const Path *, int n);
void its_reach(Warp *, Split *);
void its_call(Warp *, Split *, const Path *, int n, uint32_t return_pc);
void its_ret(Warp *, Split *, const Path *, int n);
void its_exit(Warp *, Split *, Mask);
void its_some_exit(Warp *, Split *, Mask);
void its_special(Warp *, Split *, const MIns *, Mask);
void its_wait(Warp *, Split *);
void its_resume(Warp *, Split *);
void its_met(Warp *, uint32_t pc, Mask);
bool its_passes_on_sleep_only(const Config *);
bool its_stall(Warp *, Split *, Stall, Cycle until);
Patience its_patience(const Config *, const Code *);
void its_show(const Warp *, Rows *);
bool its_held(const Warp *, int lane, Held *);
PartingCost its_parting(const Config *);
#define ITS_HOOKS \
	.own = its_own, .nown = ITS_OPS, .parting = its_parting, \
	.sync_waits = true, .lane_scoreboard = true, .parts_at_branches = true, \
	.state_size = its_state_size, .launch = its_launch, .branch = its_branch, .reach = its_reach, \
	.call = its_call, .ret = its_ret, .exit = its_exit, .some_exit = its_some_exit, \
		.special = its_special, .depth = its_depth, .show = its_show, \
	.sync = { .wait = its_wait, .resume = its_resume, .met = its_met }, .stall_needs_choice = true, \
	.stall_of_sleep_only = its_passes_on_sleep_only, .times = { .stall = its_stall }, \
	.blocks = { .sm_state_size = its_sm_state_size }, \
	.stuck = { .patience = its_patience, .held = its_held, \
		.holds = "runs one group at a time, and opens a convergence barrier when all of its lanes " \
		"are there: a group that spins keeps those from " \
		"running that it waits for" }
#endif
