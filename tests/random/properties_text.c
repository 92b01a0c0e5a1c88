/* Where blocks stand in the text, and blocks that nothing leads to, are no part of a program: with
 * code.layout = canonical a launch is the same, to the cycle, whatever they are. */
#include "tests/random/properties_case.h"
#include "isa/edit.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "sim/reconv/seam.h"
#include "tests/random.h"

/* Puts the blocks behind the entry in a random order, and between them one that nothing leads to. */
static void shuffle_text(Module *m, Function *f, uint64_t *rng)
{
	Edit e = edit_open(m, f, 0);
	if (f->block.n) {
		Block *dead = edit_block(&e, spot_last(), "dead", "");
		edit_ins(&e, dead, NULL, f->kind == FN_DEVICE ? OP_TRAP : OP_EXIT, T_NONE, 0, 0);
		edit_settle(&e);
	}
	Vec(Block *) list = { 0 };
	for (int b = 0; b < f->block.n; b++) {
		vec_push(&list, f->block.v[b]);
		int other = b ? 1 + (int)(random_next(rng) % (uint64_t)b) : 0;
		Block *was = list.v[other];
		list.v[other] = list.v[b];
		list.v[b] = was;
	}
	if (list.n)
		edit_order(&e, list.v, list.n);
	vec_free(&list);
	edit_close(&e);
}

/* Runs the module, timed; the text gets the sums of its statistics, or why it cannot run. */
static void measure_text(Case *c, const Module *m, int model, StrBuf *text)
{
	Job job = { c->k, m, { c->k->grid[0], c->k->grid[1], c->k->grid[2] } };
	Config config;
	Probe probe = { 0 };
	Outcome got;
	JsonText json;
	differential_machine(&config);
	config.code_layout = LAYOUT_CANONICAL;
	Way way = { .model = model, .config = &config };
	outcome_machine(&job, NULL, &way, &probe, &got);
	c->extra++;
	if (got.how == RAN_WELL && !outcome_agrees(c->k, &c->want, &got, c->text, c->room))
		c->failed = true;
	probe.stats.totals.seconds = 0;
	probe.stats.tables = (Tables){ 0 };    /* these name places of the text */
	json_text(&json, text);
	if (got.how == RAN_WELL)
		stats_json(&probe.stats, &json.sink);
	outcome_free(&got);
	arena_free(&probe.arena);
}

void text_order(Case *c)
{
	uint64_t rng = c->seed * 31 + 7;
	Module *shuffled = module_copy(c->k->module);
	int models = 0;
	for (int f = 0; f < shuffled->func.n; f++)
		if (shuffled->func.v[f]->kind != FN_HOST)
			shuffle_text(shuffled, shuffled->func.v[f], &rng);
	while (model_keys(models))
		models++;
	for (int m = 0; m < 3 && !c->failed; m++) {
		StrBuf said[2] = { { 0 } };
		int model = (int)((c->seed + (uint64_t)m * 11) % (uint64_t)models);
		measure_text(c, c->k->module, model, &said[0]);
		measure_text(c, shuffled, model, &said[1]);
		size_t at = 0, line = 0;
		for (; at < said[0].n && said[0].s[at] == said[1].s[at]; at++)
			line = said[0].s[at] == '\n' ? at + 1 : line;
		if (at < said[0].n || at < said[1].n)
			FAIL(c, "%s: %.*s; with blocks in another order: %.*s", model_keys(model)->name,
				(int)strcspn(said[0].s + line, "\n"), said[0].s + line,
				(int)strcspn(said[1].s + line, "\n"), said[1].s + line);
		sb_free(&said[0]);
		sb_free(&said[1]);
	}
	module_free(shuffled);
}
