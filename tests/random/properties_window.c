/* Windows are the host's affair: what a launch is measured to be does not depend on them. */
#include "tests/random/properties_case.h"
#include "lib/json.h"

static void machine(Config *c, uint64_t seed)
{
	Diag d = { 0 };
	differential_machine(c);
	must(config_set(c, "sm.count", seed % 4 ? "1" : "2", &d) && config_set(c, "sm.max_blocks", seed / 4 % 4 ? "1" : "4", &d) &&
		config_set(c, "sm.block_launch_cycles", "20", &d));
	diag_free(&d);
}

/* What is measured with such windows, as text; empty: the mechanism refuses the kernel. */
static void measure(Case *c, const Way *way, StrBuf *text)
{
	Job job = { c->k, c->k->module, { c->k->grid[0], c->k->grid[1], c->k->grid[2] } };
	Probe probe = { 0 };
	Outcome outcome;
	JsonText json;
	outcome_machine(&job, NULL, way, &probe, &outcome);
	if (outcome.how == RAN_BADLY)
		FAIL(c, "%s, windows of %llu: %s", model_keys(way->model)->name, ll(way->window), outcome.text);
	if (outcome.how == RAN_WELL) {
		probe.stats.seconds = 0;
		json_text(&json, text);
		stats_json(&probe.stats, &json.sink);
	}
	c->extra++;
	outcome_free(&outcome);
	arena_free(&probe.arena);
}

void windows(Case *c)
{
	static const uint64_t length[] = { 1, 3, 0 };
	Config config;
	int models = 0;
	machine(&config, c->seed);
	while (model_keys(models))
		models++;
	for (int m = 0; m < 2; m++) {
		StrBuf text[3] = { { 0 }, { 0 }, { 0 } };
		Way way = { .model = (int)((c->seed + (uint64_t)m * 7) % (uint64_t)models), .config = &config };
		config.model = way.model;
		for (int i = 0; i < 3; i++) {
			way.window = length[i];
			measure(c, &way, &text[i]);
			if (text[i].n != text[0].n || (text[0].n && memcmp(text[i].s, text[0].s, text[0].n)))
				FAIL(c, "%s: another launch with windows of %llu cycles than with 1", model_keys(way.model)->name, ll(length[i]));
		}
		for (int i = 0; i < 3; i++)
			sb_free(&text[i]);
	}
}
