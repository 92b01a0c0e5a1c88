/* Options that are texts or lists name blocks of a function: they keep their defaults. */
#include "tests/random/random_pipeline.h"
#include "passes/pass.h"
#include "tests/random.h"

static uint64_t below(uint64_t *rng, uint64_t n) { return random_next(rng) % n; }

/* The ends of the range and small numbers are likely. */
static int64_t number(const PassOption *o, uint64_t *rng)
{
	uint64_t room = (uint64_t)(o->most - o->least);
	switch (below(rng, 4)) {
	case 0: return below(rng, 2) ? o->least : o->most;
	case 1: return o->least + (int64_t)below(rng, room + 1);
	default: return o->least + (int64_t)below(rng, (room < 16 ? room : 16) + 1);
	}
}

static void option(const PassOption *o, uint64_t *rng, StrBuf *out)
{
	int n = 0;
	while (o->kind == PASS_NAME && o->names[n])
		n++;
	if (n)
		sb_printf(out, "%s=%s", o->name, o->names[below(rng, (uint64_t)n)]);
	else
		sb_printf(out, "%s=%lld", o->name, (long long)number(o, rng));
}

static void put_pass(const Pass *p, uint64_t *rng, StrBuf *out)
{
	const char *before = "(";
	sb_puts(out, p->name);
	for (int k = 0; k < p->noptions; k++) {
		if (p->options[k].kind == PASS_STRING || p->options[k].kind == PASS_LIST || below(rng, 2))
			continue;
		sb_puts(out, before);
		option(&p->options[k], rng, out);
		before = ",";
	}
	sb_puts(out, *before == ',' ? ")" : "");
}

void random_pipeline(uint64_t seed, StrBuf *out)
{
	uint64_t rng = seed;
	int n = 0;
	while (pass_at(n))
		n++;
	for (int left = 1 + (int)below(&rng, RANDOM_PASSES); left; left--) {
		put_pass(pass_at((int)below(&rng, (uint64_t)n)), &rng, out);
		sb_puts(out, left > 1 ? "," : "");
	}
}

/* ---- passes at their defaults ---- */

static const char *const shaping[] = { "tail-merge", "linearize", "flatten(rule=always)", "structurize",
	"unroll", "if-convert", "meld", "branch-fusion", "loop-rotate",
	"simplify-cfg", NULL };

void random_defaults(uint64_t seed, StrBuf *out)
{
	uint64_t rng = seed * 0x9e3779b97f4a7c15u + 5;
	int n = 0, all = 0;
	while (shaping[n])
		n++;
	while (pass_at(all))
		all++;
	for (int left = 1 + (int)below(&rng, 3); left; left--) {
		bool shapes = below(&rng, 4);
		sb_puts(out, shapes ? shaping[below(&rng, (uint64_t)n)]
			: pass_at((int)below(&rng, (uint64_t)all))->name);
		sb_puts(out, left > 1 ? "," : "");
	}
}

/* ---- passes that make one code of two ---- */

static const Pass *pass_named(const char *name)
{
	int k = 0;
	while (pass_at(k) && strcmp(pass_at(k)->name, name))
		k++;
	must(pass_at(k));
	return pass_at(k);
}

void random_pass(const char *const *list, uint64_t *rng, StrBuf *out)
{
	int n = 0;
	while (list[n])
		n++;
	put_pass(pass_named(list[below(rng, (uint64_t)n)]), rng, out);
}

static const char *const first[] = { "unroll", "webs", "simplify-cfg", "loop-rotate", "const-prop", NULL };
static const char *const merging[] = { "meld", "meld", "meld", "branch-fusion", "tail-merge", NULL };
static const char *const motion[] = { "sscm", "preqp", "srqp", "ssrqp", "ssrqp", "ssrqp-s", NULL };
static const char *const between[] = { "const-prop", "copy-prop", "cse", "gcse", "dce", "simplify-cfg",
	"webs", "if-convert", "unroll", NULL };
static const char *const flow[] = { "flatten", "linearize", "linearize", "structurize", "split-edges", NULL };
static const char *const clean_ups[] = { "const-prop", "copy-prop", "cse", "gcse", "dce", "simplify-cfg",
	"tail-merge", "global-dce", NULL };
static const struct Stage { const char *const *list; int percent; } stages[] = {
	{ first, 30 }, { motion, 25 }, { first, 15 }, { merging, 70 }, { between, 25 }, { merging, 100 },
	{ between, 25 }, { merging, 30 }, { motion, 25 }, { flow, 30 }, { flow, 50 },
	{ clean_ups, 40 }, { clean_ups, 25 }, { merging, 10 } };
enum { STAGES = sizeof stages / sizeof *stages };

void random_melding(uint64_t seed, StrBuf *out)
{
	uint64_t rng = seed * 0x9e3779b97f4a7c15u + 3;
	bool any = below(&rng, 4) == 0;
	const char *before = "";
	for (int k = 0; k < STAGES; k++) {
		const struct Stage *s = &stages[any ? below(&rng, STAGES) : (uint64_t)k];
		if (below(&rng, 100) >= (uint64_t)s->percent)
			continue;
		sb_puts(out, before);
		random_pass(s->list, &rng, out);
		before = ",";
	}
	if (!*before)
		random_pass(merging, &rng, out);
}
