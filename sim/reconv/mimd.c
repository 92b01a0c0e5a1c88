/* The bound: every lane is a core of its own (sim/sm/lanes.c). Each lane is a split; nothing diverges and
 * nothing reconverges. Warp-level operations wait for the lanes of their mask. This is not a machine: it has
 * no SIMD utilisation. */
#include "sim/reconv/common/splits.h"

static bool mimd_lower(LowerFn *l, Diag *diag) { return true; }
static size_t mimd_state_size(const Config *c) { return 8; }

static void mimd_launch(Warp *w, Mask lanes, uint32_t pc)
{
	int n = 0, l;
	each_lane(lanes, l)
		reconv_splits(w)[n++] = (Split){ .pc = pc, .mask = (Mask)1 << l, .line = NO_PC };
	*reconv_nsplit(w) = n;
}

static void mimd_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	bug("one lane goes one way");
}

static void mimd_reach(Warp *w, Split *s) { }
static void mimd_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { s->pc = p[0].pc; }
static void mimd_ret(Warp *w, Split *s, const Path *p, int n) { s->pc = p[0].pc; }

static void mimd_exit(Warp *w, Split *s, Mask m) { reconv_close_gap(w, s); }

const ReconvModel reconv_mimd = {
	.name = "mimd",
	.help = "the bound: every lane runs on its own",
	.spills = SPILLS_NOTHING,
	.source = "none: a bound",
	.own_slots = true, .sync_waits = true, .lane_scoreboard = true,
	.lower = mimd_lower, .state_size = mimd_state_size, .launch = mimd_launch, .branch = mimd_branch,
	.reach = mimd_reach, .call = mimd_call, .ret = mimd_ret, .exit = mimd_exit, .depth = splits_depth,
};
