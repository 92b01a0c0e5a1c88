/* What the analysis says is uniform is so in executions: random kernels under mechanisms that let lanes meet in different places. No branch said to be
 * uniform parts lanes, and a test in front of each use of a register said to be uniform finds one value in all lanes that are there together. */
#include "isa/edit.h"
#include "passes/analysis/reaching.h"
#include "passes/analysis/uniformity.h"
#include "tests/random/differential.h"
#include <check.h>

static const char *const mechanisms[] = { "ipdom", "its", "tf_stack", "token" };
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

typedef struct Seen { long uniform, divergent, parted, tests; } Seen;

static int model_index(const char *name)
{
	for (int k = 0; model_keys(k); k++)
		if (!strcmp(model_keys(k)->name, name))
			return k;
	return -1;
}

/* ---- tests of registers ---- */

typedef struct Checker { Edit e; Uniformity *u; const Ssa *s; int mask, seen, all; Seen *seen_all; } Checker;

static void put(Checker *x, Rewrite *w, Op op, Type type, int ndst, int nsrc, const Opd *opd, int guard)
{
	Ins i = edit_new(&x->e, NULL, op, type, ndst, nsrc);
	for (int k = 0; k < ndst + nsrc; k++)
		i.opd[k] = opd[k];
	i.guard = guard;
	i.guard_neg = guard >= 0;
	if (op == OP_MATCH) {
		i.mode = MODE_ALL;
		i.flags = INSF_SYNC;
	}
	edit_put(w, i);
}

static bool testable(const Checker *x, const Ins *i, int use, int k)
{
	const Opd *o = ins_src(i, k);
	if (o->kind != OPD_REG || x->u->use[use] || type_bits[x->e.f->reg.v[o->id].type] != 32)
		return false;
	return type_kind[x->e.f->reg.v[o->id].type] != 'F';
}

static void test_uses(Checker *x, Rewrite *w, const Ins *i, int number)
{
	int use = x->s->use_first[number] + (i->guard >= 0);
	for (int k = 0; k < i->nsrc; k++) {
		if (testable(x, i, use, k)) {
			Opd reg = { OPD_REG, 0, ins_src(i, k)->id, 0 };
			put(x, w, OP_ACTIVEMASK, T_B32, 1, 0, (Opd[]){ opd_reg(x->mask) }, -1);
			put(x, w, OP_MATCH, T_B32, 2, 2, (Opd[]){ opd_reg(x->seen), opd_reg(x->all), reg, opd_reg(x->mask) }, -1);
			put(x, w, OP_TRAP, T_NONE, 0, 0, NULL, x->all);
			x->seen_all->tests++;
		}
		use += ins_src(i, k)->kind == OPD_REG;
	}
}

static void add_tests(Module *m, Function *f, const Cfg *c, Uniformity *u, Seen *seen)
{
	Checker x = { edit_open(m, f, 0), u, u->ssa, 0, 0, 0, seen };
	x.mask = edit_reg(&x.e, "mask", T_B32);
	x.seen = edit_reg(&x.e, "seen", T_B32);
	x.all = edit_reg(&x.e, "all", T_PRED);
	for (int b = 0; b < c->nreach; b++) {
		Rewrite w;
		int number = u->ssa->ins_first[c->rpo[b]->id];
		for (const Ins *i = edit_rewrite(&w, &x.e, c->rpo[b]); i; i = edit_next(&w)) {
			test_uses(&x, &w, i, number++);
			edit_put(&w, *i);
		}
	}
	edit_close(&x.e);
}

/* ---- one kernel ---- */

/* A guarded call is a branch of the machine's in its block. */
static bool branches_by_itself(const Block *b)
{
	for (int k = 0; k < b->ins.n; k++)
		if (b->ins.v[k].op == OP_CALL && b->ins.v[k].guard >= 0)
			return true;
	return false;
}

static const Uniformity *verdict_of(const Module *m, Uniformity *const *u, const BranchStats *b, int *block)
{
	Function *f = module_find_function(m, b->function);
	for (int k = 0; k < f->block.n; k++)
		if (b->label && !strcmp(f->block.v[k]->label, b->label) && !branches_by_itself(f->block.v[k])) {
			*block = k;
			return u[f->id];
		}
	return NULL;
}

static void run(const Job *job, Uniformity *const *u, const char *what, bool branches, Seen *seen)
{
	Config machine;
	differential_machine(&machine);
	for (int k = 0; k < MECHANISMS; k++) {
		Way way = { .model = model_index(mechanisms[k]), .functional = k % 2 };
		Probe probe = { 0 };
		Outcome o;
		outcome_machine(job, &machine, &way, &probe, &o);
		ck_assert_msg(o.how != RAN_BADLY, "%s, %s: %s", what, mechanisms[k], o.text);
		for (int i = 0; branches && o.how == RAN_WELL && i < probe.stats.nbranches; i++) {
			const BranchStats *b = &probe.stats.branch_stats[i];
			int block = 0;
			const Uniformity *v = b->executed && b->function ? verdict_of(job->module, u, b, &block) : NULL;
			if (!v)
				continue;
			*(v->divergent[block] ? b->divergent ? &seen->parted : &seen->divergent : &seen->uniform) += 1;
			ck_assert_msg(v->divergent[block] || !b->divergent, "%s, %s: the branch of %s in %s parts lanes", what, mechanisms[k], b->label, b->function);
		}
		outcome_free(&o);
		arena_free(&probe.arena);
	}
}

/* Joins from the frontier are all joins, and more: what is uniform with them is. */
static void coarser(Arena *a, const Cfg *c, const Uniformity *u)
{
	Dom *dom = dom_build(a, c);
	Ssa *s = ssa_build(a, c, dom, liveness_build(a, c));
	Uniformity *v = uniformity_solve(a, c, dom, pdom_build(a, c, true), s, reaching_build(a, c, s), (UniformityOptions){ .steps = -1 });
	for (int k = 0; k < s->n; k++)
		ck_assert(v->version[k] || !u->version[k]);
	for (int b = 0; b < c->n; b++)
		ck_assert(v->divergent[b] || !u->divergent[b]);
}

static void judge(uint64_t seed, Seen *seen)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	RandomKernel *k = random_kernel_new(&p);
	Module *m = module_copy(k->module);
	Job job = { .shape = k, .module = m };
	Arena a = { 0 };
	Uniformity **u = arena_array(&a, Uniformity *, m->func.n);
	Cfg **c = arena_array(&a, Cfg *, m->func.n);
	char what[40];
	snprintf(what, sizeof what, "seed %d", (int)seed);
	memcpy(job.grid, k->grid, sizeof job.grid);
	for (int f = 0; f < m->func.n; f++)
		if (m->func.v[f]->kind != FN_HOST && m->func.v[f]->block.n) {
			c[f] = cfg_build(&a, m->func.v[f]);
			u[f] = uniformity_build(&a, c[f]);
		}
	for (int f = 0; f < m->func.n; f++)
		if (u[f])
			coarser(&a, c[f], u[f]);
	run(&job, u, what, true, seen);
	for (int f = 0; f < m->func.n; f++)
		if (u[f])
			add_tests(m, m->func.v[f], c[f], u[f], seen);
	snprintf(what, sizeof what, "seed %d with tests", (int)seed);
	run(&job, u, what, false, seen);
	arena_free(&a);
	module_free(m);
	random_kernel_free(k);
}

START_TEST(verdicts_hold)
{
	Seen seen = { 0 };
	const char *text = getenv("COUNT");
	int n = text ? atoi(text) : 40;
	for (int i = 0; i < n; i++)
		judge((uint64_t)i + 1, &seen);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d kernels: branches %ld uniform, %ld divergent of which lanes never parted, %ld parted; %ld tests\n", n, seen.uniform, seen.divergent,
			seen.parted, seen.tests);
	ck_assert_int_gt(seen.uniform, n);
	ck_assert_int_gt(seen.parted, n);
	ck_assert_int_gt(seen.tests, n);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("uniformity in executions");
	TCase *t = tcase_create("all");
	tcase_set_timeout(t, 600);
	tcase_add_test(t, verdicts_hold);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
