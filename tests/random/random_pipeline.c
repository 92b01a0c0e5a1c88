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

void random_pipeline(uint64_t seed, StrBuf *out)
{
	uint64_t rng = seed;
	int n = 0;
	while (passes[n])
		n++;
	for (int left = 1 + (int)below(&rng, RANDOM_PASSES); left; left--) {
		const Pass *p = passes[below(&rng, (uint64_t)n)];
		const char *before = "(";
		sb_puts(out, p->name);
		for (int k = 0; k < p->noptions; k++) {
			if (p->options[k].kind == PASS_STRING || p->options[k].kind == PASS_LIST || below(&rng, 2))
				continue;
			sb_puts(out, before);
			option(&p->options[k], &rng, out);
			before = ",";
		}
		sb_puts(out, *before == ',' ? ")" : "");
		sb_puts(out, left > 1 ? "," : "");
	}
}
