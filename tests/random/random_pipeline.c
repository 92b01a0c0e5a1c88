/* Lists name blocks, so they are drawn for a module, as it is where their pass begins: the passes before it
   are run first. No pass has an option that is a text. */
#include "tests/random/random_pipeline.h"
#include "passes/analysis/analysis.h"
#include "passes/pass.h"
#include "tests/random.h"
#include "tests/random/differential.h"

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

/* ---- lists of labels ---- */

/* LIST_MOST: most labels of a list; LIST_NEAR: they stand among so many blocks that follow each other */
enum { LIST_MOST = 4, LIST_NEAR = 7 };

typedef Vec(const char *) Labels;

/* The labels of the blocks that can be reached, in reverse post-order, or of those at which loops begin. */
static void labels_of(Arena *a, Function *f, bool heads, Labels *out)
{
	function_number(f);
	const Cfg *c = cfg_build(a, f);
	const Loops *loops = loops_build(a, c);
	for (int k = 0; k < c->nreach && !heads; k++)
		vec_push(out, c->rpo[k]->label);
	for (int k = 0; k < loops->n && heads; k++)
		vec_push(out, f->block.v[loops->loop[k].header]->label);
}

/* Leaves some of the labels, which stand near each other, in any order. */
static void choose(Labels *x, uint64_t *rng)
{
	int near = x->n < LIST_NEAR ? x->n : LIST_NEAR,
		from = (int)below(rng, (uint64_t)(x->n - near) + 1), n = 1 + (int)below(rng, LIST_MOST);
	n = n < near ? n : near;
	for (int k = 0; k < n; k++) {
		int other = from + k + (int)below(rng, (uint64_t)(near - k));
		const char *label = x->v[other];
		x->v[other] = x->v[from + k];
		x->v[from + k] = label;
	}
	for (int k = 0; k < n; k++)
		x->v[k] = x->v[from + k];
	x->n = n;
}

/* For which module lists are drawn, and on which machine the passes go by its figures (NULL: on none). Lists
   have random numbers of their own, so that what else is drawn does not depend on the module. */
typedef struct For { const Module *m; const Config *machine; uint64_t rng; } For;

/* The labels for an option, of one function of the module as it is behind the pipeline `before`; none, where
   no function has any that would do, or the pipeline fails. */
static void draw_labels(For *d, const PassOption *o, const char *before, Arena *a, Labels *x)
{
	char text[200];
	Module *m = transformed_for(d->machine, d->m, before, text, sizeof text);
	bool heads = o->loops || below(&d->rng, 2);
	int n = m ? m->func.n : 0, first = n ? (int)below(&d->rng, (uint64_t)n) : 0;
	for (int k = 0; k < n && !x->n; k++) {
		Function *f = m->func.v[(first + k) % n];
		if (f->kind != FN_HOST && f->block.n)
			labels_of(a, f, heads, x);
	}
	if (x->n)
		choose(x, &d->rng);
	for (int k = 0; k < x->n; k++)
		x->v[k] = arena_printf(a, "%s", x->v[k]);
	if (m)
		module_free(m);
}

/* Writes the option with a list behind `before`. Returns false, and writes nothing, where there is nothing to
   list. steps: so many bytes of `out` are the pipeline of the passes before. */
static bool put_list(For *d, const PassOption *o, const char *before, size_t steps, StrBuf *out)
{
	Arena a = { 0 };
	Labels x = { 0 };
	draw_labels(d, o, steps ? arena_printf(&a, "%.*s", (int)steps, out->s) : NULL, &a, &x);
	for (int k = 0; k < x.n; k++)
		sb_printf(out, "%s%s%s\"%s\"", k ? "," : before, k ? "" : o->name, k ? "" : "=[", x.v[k]);
	sb_puts(out, x.n ? "]" : "");
	bool any = x.n > 0;
	vec_free(&x);
	arena_free(&a);
	return any;
}

/* ---- passes ---- */

/* lists: for which lists are drawn; NULL: none are */
static void put_pass(const Pass *p, For *lists, uint64_t *rng, StrBuf *out)
{
	const char *before = "(";
	size_t steps = out->n && out->s[out->n - 1] == ',' ? out->n - 1 : 0;
	sb_puts(out, p->name);
	for (int k = 0; k < p->noptions; k++) {
		const PassOption *o = &p->options[k];
		if (o->kind == PASS_STRING || (o->kind == PASS_LIST && !o->labels))
			continue;
		if (o->kind == PASS_LIST) {
			if (lists && below(&lists->rng, 2) && put_list(lists, o, before, steps, out))
				before = ",";
		} else if (!below(rng, 2)) {
			sb_puts(out, before);
			option(o, rng, out);
			before = ",";
		}
	}
	sb_puts(out, *before == ',' ? ")" : "");
}

void random_pipeline(uint64_t seed, const Module *m, const Config *machine, StrBuf *out)
{
	uint64_t rng = seed;
	For lists = { m, machine, seed * 0x9e3779b97f4a7c15u + 7 };
	int n = 0;
	while (pass_at(n))
		n++;
	for (int left = 1 + (int)below(&rng, RANDOM_PASSES); left; left--) {
		put_pass(pass_at((int)below(&rng, (uint64_t)n)), m ? &lists : NULL, &rng, out);
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
	put_pass(pass_named(list[below(rng, (uint64_t)n)]), NULL, rng, out);
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
