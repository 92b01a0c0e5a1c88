/* Which version of a register stands at a place, against random walks through random functions: what the walk
   has written to the register last is what the version says. */
#include "passes/analysis/versions.h"
#include "tests/passes/random_function.h"
#include "tests/check.h"

enum { FUNCTIONS = 1500, WALKS = 12, LONGEST = 60 };

static Module *m;
static Arena arena;
static void setup(void) { m = module_new("test"); }
static void teardown(void)
{
	module_free(m);
	arena_free(&arena);
}

/* Where the walk wrote a register last, and since when it has been in each block that it has come to; times
   count instructions from 1 on, 0: never. */
typedef struct Walk {
	const Versions *v;
	int now;
	int *wrote, *block, *ins;      /* by register: when it was written last, and where */
	int *came;                     /* by block: when the walk came there last */
	int told, dead;                /* places at which version_at told a version; at which only ways did */
} Walk;

/* Has the walk written the version last of all that the register had? */
static bool is_what_stands(const Walk *w, int version)
{
	const SsaVersion *x = &w->v->ssa->version[version];
	if (x->ins == SSA_ENTRY)
		return !w->wrote[x->reg];
	if (x->ins == SSA_PHI)
		return w->came[x->block] && w->wrote[x->reg] < w->came[x->block];
	return w->wrote[x->reg] && w->block[x->reg] == x->block && w->ins[x->reg] == x->ins;
}

static void look_at_place(Walk *w, int block, int ins)
{
	const Versions *v = w->v;
	for (int r = 0; r < function_values(v->c->f); r++) {
		int at = version_at(v, r, block, ins), ways = version_on_ways(v->c, v->ssa, r, block, ins);
		const char *label = v->c->f->block.v[block]->label;
		ck_assert_msg(at < 0 || is_what_stands(w, at), "register %d in front of %s:%d: not version "
			"%d", r, label, ins, at);
		ck_assert_msg(ways < 0 || is_what_stands(w, ways), "register %d in front of %s:%d: not "
			"version %d, though all ways have it", r, label, ins, ways);
		if (at >= 0 && v->ssa->version[at].ins != SSA_ENTRY)
			ck_assert_int_eq(at, ways);
		w->told += at >= 0;
		w->dead += at < 0 && ways >= 0;
	}
}

static void walk(Walk *w, uint64_t *rng)
{
	const Function *f = w->v->c->f;
	const Block *b = f->block.v[0];
	for (int steps = 0; b && steps < LONGEST; steps++) {
		w->came[b->id] = ++w->now;
		for (int k = 0; k < b->ins.n; k++) {
			look_at_place(w, b->id, k);
			w->now++;
			for (int r = 0; r < function_values(f); r++)
				if (judge_writes(f, &b->ins.v[k], r)) {
					w->wrote[r] = w->now;
					w->block[r] = b->id;
					w->ins[r] = k;
				}
		}
		look_at_place(w, b->id, b->ins.n);
		b = b->nsucc ? b->succ[pick(rng, b->nsucc)] : NULL;
	}
}

/* What instructions read by the overlay, they find at their place. Returns how often an instruction finds,
   too, what stays where its guard does not hold. */
static int check_sources(const Versions *v)
{
	int stays = 0;
	for (int b = 0; b < v->c->nreach; b++)
		for (int k = 0; k < v->c->rpo[b]->ins.n; k++) {
			const Ins *i = &v->c->rpo[b]->ins.v[k];
			int id = v->c->rpo[b]->id;
			for (int s = 0; s < i->nsrc; s++)
				if (ins_src(i, s)->kind == OPD_REG)
					ck_assert_int_eq(version_at(v, ins_src(i, s)->id, id, k),
						ssa_src(v->ssa, i, id, k, s));
			int d = i->guard >= 0 && i->ndst == 1 ? ssa_dst(v->ssa, i, id, k, 0) : -1,
				at = d >= 0 ? version_at(v, ins_dst(i, 0)->id, id, k) : -1;
			ck_assert(at < 0 || at == v->ssa->version[d].old);
			stays += at >= 0 && !judge_reads(v->c->f, i, ins_dst(i, 0)->id);
		}
	return stays;
}

START_TEST(by_walks)
{
	int told = 0, dead = 0, stays = 0;
	for (uint64_t seed = 1; seed <= FUNCTIONS; seed++) {
		uint64_t rng = seed;
		RandomShape shape = random_shape(&rng, 12);
		Function *f = random_function(m, &rng, &shape);
		Cfg *c = cfg_build(&arena, f);
		Dom *dom = dom_build(&arena, c);
		Versions *v = versions_build(&arena, c, dom, ssa_build(&arena, c, dom),
			liveness_build(&arena, c));
		int n = function_values(f);
		stays += check_sources(v);
		for (int k = 0; k < WALKS; k++) {
			Walk w = { .v = v, .wrote = arena_array(&arena, int, n),
				.block = arena_array(&arena, int, n), .ins = arena_array(&arena, int, n),
				.came = arena_array(&arena, int, c->n) };
			walk(&w, &rng);
			told += w.told;
			dead += w.dead;
		}
		arena_free(&arena);
	}
	ck_assert_int_gt(told, 10 * FUNCTIONS);
	ck_assert_int_gt(dead, FUNCTIONS);
	ck_assert_int_gt(stays, FUNCTIONS / 4);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("versions");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, by_walks);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
