/* Windows are the host's affair, and so is what schedulers leave out: what a launch is measured to be depends
   on neither. */
#include "tests/random/properties_case.h"
#include "tests/random/random_windows.h"

static void machine(Config *c, uint64_t seed)
{
	Diag d = { 0 };
	differential_machine(c);
	must(config_set(c, "sm.count", seed % 4 ? "1" : "2", &d) &&
		config_set(c, "sm.max_blocks", seed / 4 % 4 ? "1" : "4", &d) &&
		config_set(c, "sm.block_launch_cycles", "20", &d));
	diag_free(&d);
}

void windows(Case *c)
{
	Job job = { c->k, c->k->module, { c->k->grid[0], c->k->grid[1], c->k->grid[2] } };
	int models = 0;
	while (model_keys(models))
		models++;
	for (int m = 0; m < 2; m++) {
		Config config;
		StrBuf said = { 0 };
		char text[1800];
		int model = (int)((c->seed + (uint64_t)m * 7) % (uint64_t)models);
		machine(&config, c->seed);
		random_machine(&config, model, c->seed + (uint64_t)m, &said);
		if (windows_agree(&job, &config, model, text, sizeof text) == RAN_BADLY)
			FAIL(c, "%s: %s", said.s, text);
		c->extra += WINDOW_RUNS;
		sb_free(&said);
	}
}
