/* What suites of passes share: a module, graphs as text, what every pass must leave. */
#ifndef GSIM_TESTS_PASSES_RIG_H
#define GSIM_TESTS_PASSES_RIG_H
#include "passes/analysis/limits.h"
#include "passes/analysis/uniformity.h"
#include "passes/transform/transform.h"
#include "tests/passes/warp_model.h"
#include "lib/strbuf.h"
#include "tests/check.h"

static Module *m;
static Arena arena;
static Diag diag;
static inline void setup(void) { m = module_new("test"); }
static inline void teardown(void)
{
	module_free(m);
	arena_free(&arena);
	diag_free(&diag);
}

static inline bool apply(const Pass *p, Function *f)
{
	return pass_apply(p, m, f, NULL, &diag);
}

/* the options of linearize, in their order */
enum { OPT, WHOLE, DIVERGENT, RELAXED, MERGE, DEPTH, ORDER, INTERLEAVE, SPLIT, LIN_OPTIONS };

static inline bool linearize(Function *f, int level)
{
	PassValue args[PASS_OPTIONS];
	pass_defaults(&pass_linearize, args);
	args[0].number = level;
	return pass_apply(&pass_linearize, m, f, args, &diag);
}

/* ---- what every pass must leave ---- */

static inline char *text_of(const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++) {
		const Block *p = f->block.v[b];
		s = arena_printf(&arena, "%s%s%s%s", s, b ? " " : "", p->label, p->nsucc ? ":" : "");
		for (int k = 0; k < p->nsucc; k++)
			s = arena_printf(&arena, "%s%s%s", s, k ? "," : "", p->succ[k]->label);
	}
	return s;
}

static inline void check_form(const Function *f)
{
	for (int b = 0; b < f->block.n; b++) {
		const Block *p = f->block.v[b];
		ck_assert_msg(p->ins.n > 0 && ins_ends(block_term(p)),
			"%s: no terminator: %d instructions, %s: %s", p->label, p->ins.n,
			p->ins.n ? op_info[block_term(p)->op].name : "", text_of(f));
		for (int k = 0; k < p->ins.n - 1; k++)
			ck_assert_msg(!ins_ends(&p->ins.v[k]), "%s: terminator inside", p->label);
		for (int k = 0; k < p->nsucc; k++) {
			bool in = false;
			for (int o = 0; o < f->block.n; o++)
				in |= f->block.v[o] == p->succ[k];
			ck_assert_msg(in, "%s: successor is not in the function", p->label);
		}
		for (int o = 0; o < b; o++)
			ck_assert_msg(strcmp(f->block.v[o]->label, p->label), "%s: twice", p->label);
		ck_assert_msg(p->user != (p->origin != 0), "%s: %s", p->label,
			p->user ? "user's with an origin" : "inserted without one");
	}
}

/* ---- graphs ---- */

#define FIG1 "B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6"

static uint64_t rng;
static inline int pick(int n)
{
	rng = wm_hash(rng, 77);
	return (int)((rng >> 11) % (uint64_t)n);
}

/* n blocks, each with no, one or two successors (now and then three), most of them forward. traps: half of
   those with none */
static inline char *random_graph(int n, bool acyclic, bool traps)
{
	char *s = "";
	for (int b = 0; b < n; b++) {
		int ns = b == n - 1 ? (acyclic || pick(2) ? 0 : 1) : pick(100) < 4 ? 0 : pick(100) < 30 ? 1
			: pick(100) < 92 ? 2 : 3;
		s = arena_printf(&arena, "%s%sb%d%s", s, b ? " " : "", b,
			traps && !ns && pick(2) ? ":trap" : "");
		for (int k = 0; k < ns; k++) {
			bool forward = acyclic || pick(10) < 7;
			int to = forward && b < n - 1 ? b + 1 + pick(n - 1 - b < 4 ? n - 1 - b : 4) : pick(n);
			s = arena_printf(&arena, "%s%sb%d", s, k ? "," : ":", to);
		}
	}
	return s;
}
#endif
