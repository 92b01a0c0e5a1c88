#include "tests/random/random_windows.h"
#include "lib/json.h"
#include "tests/random.h"
#include <stdio.h>

static uint64_t below(uint64_t *rng, uint64_t n) { return random_next(rng) % n; }

/* The ends of the range and small numbers are likely. */
static int64_t number(const ConfigKey *k, uint64_t *rng)
{
	uint64_t room = (uint64_t)(k->most - k->least);
	switch (below(rng, 4)) {
	case 0: return below(rng, 2) ? k->least : k->most;
	case 1: return k->least + (int64_t)below(rng, room + 1);
	default: return k->least + (int64_t)below(rng, (room < 40 ? room : 40) + 1);
	}
}

static void value(const ConfigKey *k, uint64_t *rng, char *text, size_t n)
{
	int64_t v = number(k, rng);
	const char *names = k->type == CT_BOOL ? "false|true" : k->choices;
	if (k->type == CT_INT) {
		snprintf(text, n, "%lld", (long long)v);
		return;
	}
	for (; v > 0 && strchr(names, '|'); v--)
		names = strchr(names, '|') + 1;
	snprintf(text, n, "%.*s", (int)strcspn(names, "|"), names);
}

/* Gives the key a random value; where the machine cannot be built with it, it keeps its own. */
static void change(Config *c, const ConfigKey *k, uint64_t *rng, StrBuf *said)
{
	char name[CONFIG_NAME], text[64];
	Config with = *c;
	Diag d = { 0 };
	value(k, rng, text, sizeof text);
	if (config_set(&with, config_key_name(k, name), text, &d) && config_check(&with, &d)) {
		*c = with;
		sb_printf(said, " -D %s=%s", name, text);
	}
	diag_free(&d);
}

void random_machine(Config *c, int model, uint64_t seed, StrBuf *said)
{
	static const char *const others[] = { "divergence.depth", "divergence.chunk", "divergence.spill",
		"divergence.entry_bytes", "scheduler.policy" };
	const char *name = model_keys(model)->name;
	ConfigKey key;
	c->model = model;
	sb_printf(said, " -m %s", name);
	for (int i = 0; config_key(i, &key); i++)
		if (key.model && !strcmp(key.model, name) && below(&seed, 3))
			change(c, &key, &seed, said);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (config_find(others[i], &key) && below(&seed, 2))
			change(c, &key, &seed, said);
}

/* What is measured with such windows, as text, or how the program fails: with some options a mechanism cannot
   run all kernels to their end. */
static Ran measure(const Job *j, const Way *way, StrBuf *text, char *why, size_t n)
{
	Probe probe = { 0 };
	Outcome outcome;
	JsonText json;
	outcome_machine(j, NULL, way, &probe, &outcome);
	Ran how = outcome.how;
	if (how == RAN_BADLY && outcome.fault != FAULT_NONE) {
		sb_puts(text, outcome.text);
		how = RAN_WELL;
	} else if (how == RAN_WELL) {
		probe.stats.totals.seconds = 0;
		json_text(&json, text);
		stats_json(&probe.stats, &json.sink);
	} else {
		snprintf(why, n, "windows of %llu: %s", (unsigned long long)way->window, outcome.text);
	}
	outcome_free(&outcome);
	arena_free(&probe.arena);
	return how;
}

/* The lines in which the texts differ first. */
static void say_difference(const StrBuf *a, const StrBuf *b, const Way *way, char *text, size_t n)
{
	size_t at = 0, line = 0;
	for (; at < a->n && at < b->n && a->s[at] == b->s[at]; at++)
		line = a->s[at] == '\n' ? at + 1 : line;
	snprintf(text, n, "windows of 1 cycle: %.*s; of %llu%s: %.*s", (int)strcspn(a->s + line, "\n"),
		a->s + line, (unsigned long long)way->window, way->try_all ? ", every warp tried" : "",
		(int)strcspn(b->s + line, "\n"), b->s + line);
}

Ran windows_agree(const Job *j, const Config *c, int model, char *text, size_t n)
{
	static const uint64_t length[WINDOW_RUNS] = { 1, 3, 0, 0 };
	StrBuf said[WINDOW_RUNS] = { { 0 } };
	Ran how = RAN_WELL;
	for (int i = 0; i < WINDOW_RUNS && how == RAN_WELL; i++) {
		Way way = { .model = model, .config = c, .window = length[i],
			.try_all = i == WINDOW_RUNS - 1 };
		how = measure(j, &way, &said[i], text, n);
		if (how == RAN_WELL && strcmp(said[i].s, said[0].s)) {
			say_difference(&said[0], &said[i], &way, text, n);
			how = RAN_BADLY;
		}
	}
	for (int i = 0; i < WINDOW_RUNS; i++)
		sb_free(&said[i]);
	return how;
}
