/* Plug-ins that gsim refuses, each with one fault: check_plugins.sh compiles this with -DFAULT=NAME, or with
   one of -DWITHOUT_DESCRIPTOR, -DEMPTY and -DUNDEFINED beside -DFAULT=NONE. */
#include "gsim-plugin.h"

enum { NONE, PASS_TAKEN, PASS_NAMELESS, PASS_TWO_KINDS, PASS_HELPLESS, PASS_IDLE, OPTION_RANGE, OPTION_TWICE,
	MODEL_TAKEN, MODEL_OF_MACHINE, MODEL_NAME_BAD, NO_HOOK, NO_SPECIAL, PARAM_RANGE, PARAM_UNITLESS,
	REGROUPS, NAMELESS, LOWER_SILENT };

static bool run(PassRun *r) { return false; }

static const PassOption options[] = {
	{ .name = "turns", .value = FAULT == OPTION_RANGE ? 9 : 1, .least = 0, .most = 8,
		.help = "a number" },
	{ .name = FAULT == OPTION_TWICE ? "turns" : "way",
		.names = (const char *const[]){ "up", "down", NULL },
		.kind = PASS_NAME, .help = "a name" },
};
const Pass pass_tame = {
	.name = FAULT == PASS_TAKEN ? "dce" : FAULT == PASS_NAMELESS ? "two words" : "tame",
	.help = FAULT == PASS_HELPLESS ? NULL : "nothing",
	.idle = FAULT == PASS_IDLE ? NULL : "it does nothing",
	.options = options, .noptions = 2,
	.function = run, .module = FAULT == PASS_TWO_KINDS ? run : NULL,
};

static const ConfigKey params[] = {
	{ NULL, "turns", CT_INT, 0, FAULT == PARAM_RANGE ? 9 : 1, 0, 8, NULL,
		FAULT == PARAM_UNITLESS ? NULL : "turns", "a number" },
};
static const OwnOp own[] = { { "tame.op", "-", UNIT_ALU, false, "nothing" } };
static bool lower(LowerFn *l, Diag *d) { return FAULT != LOWER_SILENT; }
static size_t state_size(const Config *c) { return 0; }
static void branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { }
static void reach(Warp *w, Split *s) { }
static void call(Warp *w, Split *s, const Path *p, int n, uint32_t back) { }
static void ret(Warp *w, Split *s, const Path *p, int n) { }
static void lanes_exit(Warp *w, Split *s, Mask m) { }

const ReconvModel reconv_tame = {
	.name = FAULT == MODEL_TAKEN ? "ipdom" : FAULT == MODEL_OF_MACHINE ? "l1"
		: FAULT == MODEL_NAME_BAD ? "Tame" : "tame",
	.help = "nothing",
	.params = params, .nparams = 1,
	.own = own, .nown = FAULT == NO_SPECIAL,
	.regroups = FAULT == REGROUPS,
	.lower = lower, .state_size = state_size, .launch = splits_launch, .branch = branch,
	.reach = FAULT == NO_HOOK ? NULL : reach, .call = call, .ret = ret, .exit = lanes_exit,
	.depth = splits_depth,
};

#if defined EMPTY
GSIM_PLUGIN("tame");
#elif !defined WITHOUT_DESCRIPTOR
GSIM_PLUGIN(FAULT == NAMELESS ? "two words" : "tame",
	.passes = { &pass_tame }, .mechanisms = { &reconv_tame });
#endif
#ifdef UNDEFINED
void nowhere_defined(void);
void (*const calls_nowhere)(void) = nowhere_defined;
#endif
