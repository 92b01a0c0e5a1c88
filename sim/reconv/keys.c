/* What the configuration knows of each mechanism. */
#include "sim/config.h"

static const ConfigKey token_params[] = {
	{ .key = "unwind_cycles", .value = 8, .least = 1, .most = 10000, .unit = "cycles",
	  .help = "from the issue of an unwinding carrier to the warp's next issue" },
	{ .key = "spill_push", .value = 0, .least = 0, .most = 10000, .unit = "cycles",
	  .help = "constant costs: added to the push that spills" },
	{ .key = "reload_pop", .value = 0, .least = 0, .most = 10000, .unit = "cycles",
	  .help = "constant costs: added to the pop that reloads" },
	{ .key = "loop_codegen", .type = CT_ENUM, .value = 0, .most = 1, .choices = "ssy_div|pbk_brk",
	  .help = "loop exits leave a token for each exit time, or break to one token" },
};

static const ModelKeys keys[] = {
	{ "ipdom", "stack of reconvergence at the immediate post-dominator" },
	{ "token", "SSY/SYNC token stack", token_params, sizeof token_params / sizeof *token_params },
	{ "mimd", "every thread alone: the ideal" },
	{ "tf_stack", "thread frontiers with a sorted stack" },
};

const ModelKeys *model_keys(int model)
{
	return model >= 0 && model < (int)(sizeof keys / sizeof *keys) ? &keys[model] : NULL;
}
