/* What the analysis says is uniform is so in executions: random kernels, as they are and behind passes, and a few that once were judged wrongly, under
 * mechanisms that let lanes meet in different places. No branch said to be uniform parts lanes, and a test in front of each use of a register said to
 * be uniform finds one value in all lanes that are there together. Where lanes may meet anywhere, the analysis is asked for that. */
#include "isa/edit.h"
#include "passes/analysis/reaching.h"
#include "passes/analysis/uniformity.h"
#include "tests/random/differential.h"
#include <check.h>

typedef struct Mechanism { const char *name; bool anywhere; } Mechanism;
static const Mechanism mechanisms[] = {
	{ "ipdom", false }, { "its", false }, { "tf_stack", false }, { "token", false }, { "exec_mask", false }, { "tf_sandy", false }, { "min_pc", false },
	{ "min_sp_pc", false }, { "aware", false }, { "tbc", false }, { "swi", false }, { "dual_path", false }, { "multi_path", false },
	{ "spec_reconv", false }, { "serial", false }, { "dwf", true }, { "dws", true }, { "sbi", true },
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms, EACH = 4 }; /* a kernel runs under so many */
static const char *const pipelines[] = { NULL, "flatten(exits=direct)", "flatten", "linearize" };
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };

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

static void run_on(const Job *job, int k, Uniformity *const *u, const char *what, bool branches, Seen *seen)
{
	Config machine;
	Way way = { .model = model_index(mechanisms[k].name), .functional = k % 2 };
	Probe probe = { 0 };
	Outcome o;
	differential_machine(&machine);
	outcome_machine(job, &machine, &way, &probe, &o);
	ck_assert_msg(o.how != RAN_BADLY, "%s, %s: %s", what, mechanisms[k].name, o.text);
	for (int i = 0; branches && o.how == RAN_WELL && i < probe.stats.nbranches; i++) {
		const BranchStats *b = &probe.stats.branch_stats[i];
		int block = 0;
		const Uniformity *v = b->executed && b->function ? verdict_of(job->module, u, b, &block) : NULL;
		if (!v)
			continue;
		*(v->divergent[block] ? b->divergent ? &seen->parted : &seen->divergent : &seen->uniform) += 1;
		ck_assert_msg(v->divergent[block] || !b->divergent, "%s, %s: the branch of %s in %s parts lanes", what, mechanisms[k].name, b->label, b->function);
	}
	outcome_free(&o);
	arena_free(&probe.arena);
}

/* On all mechanisms, or on some of them in turn. */
static void run(const Job *job, Uniformity *const *u, bool anywhere, int turn, const char *what, bool branches, Seen *seen)
{
	for (int k = 0; k < MECHANISMS; k++)
		if (mechanisms[k].anywhere == anywhere && (anywhere || turn < 0 || (k + turn) % EACH == 0))
			run_on(job, k, u, what, branches, seen);
}

static Uniformity *solve(Arena *a, const Cfg *c, UniformityOptions options)
{
	Dom *dom = dom_build(a, c);
	Ssa *s = ssa_build(a, c, dom);
	return uniformity_solve(a, c, dom, pdom_build(a, c, true), s, reaching_build(a, c, s), options);
}

/* Joins from the frontier are all joins, and more: what is uniform with them is. So is what is uniform where lanes meet anywhere. */
static void coarser(Arena *a, const Cfg *c, const Uniformity *u, UniformityOptions options)
{
	const Uniformity *v = solve(a, c, options);
	const Ssa *s = u->ssa;
	for (int k = 0; k < s->n; k++)
		ck_assert(v->version[k] || !u->version[k]);
	for (int b = 0; b < c->n; b++)
		ck_assert(v->divergent[b] || !u->divergent[b]);
}

static void judge(const RandomKernel *shape, const Module *module, bool anywhere, int turn, const char *name, Seen *seen)
{
	Module *m = module_copy(module);
	Job job = { .shape = shape, .module = m };
	Arena a = { 0 };
	Uniformity **u = arena_array(&a, Uniformity *, m->func.n);
	Cfg **c = arena_array(&a, Cfg *, m->func.n);
	memcpy(job.grid, shape->grid, sizeof job.grid);
	for (int f = 0; f < m->func.n; f++)
		if (m->func.v[f]->kind != FN_HOST && m->func.v[f]->block.n) {
			c[f] = cfg_build(&a, m->func.v[f]);
			u[f] = solve(&a, c[f], (UniformityOptions){ .anywhere = anywhere });
			coarser(&a, c[f], u[f], (UniformityOptions){ .anywhere = anywhere, .steps = -1 });
			coarser(&a, c[f], u[f], (UniformityOptions){ .anywhere = true });
		}
	run(&job, u, anywhere, turn, name, true, seen);
	for (int f = 0; f < m->func.n; f++)
		if (u[f])
			add_tests(m, m->func.v[f], c[f], u[f], seen);
	run(&job, u, anywhere, turn, arena_printf(&a, "%s with tests", name), false, seen);
	arena_free(&a);
	module_free(m);
}

static void judge_random(int seed, Seen *seen)
{
	RandomParams p = RANDOM_DEFAULTS((uint64_t)seed);
	RandomKernel *k = random_kernel_new(&p);
	const char *passes = pipelines[seed % PIPELINES];
	char text[300], name[100];
	Module *m = transformed(k->module, passes, text, sizeof text);
	ck_assert_msg(m != NULL, "seed %d: %s", seed, text);
	snprintf(name, sizeof name, "seed %d behind %s", seed, passes ? passes : "no pass");
	for (int anywhere = 0; anywhere < 2; anywhere++)
		judge(k, m, anywhere, seed / PIPELINES, name, seen);
	module_free(m);
	random_kernel_free(k);
}

/* Kernels of one warp whose lanes meet in different places under different mechanisms. */
static const struct { const char *name, *text; } met[] = {
	{ "a flattened nest: lanes leave the inner loop when others go round the outer cycle first", /* a stack lets the first wait at F, EXEC masks at L */
		"	reg u32 %t, %i, %j, %k, %x\n	reg pred %again, %p, %q\n"
		"A:	%t = mov.u32 %tid.x\n	%t = and.b32 %t, 3\n	%i = mov.u32 0\n	%k = mov.u32 0\n	%again = mov.pred 0\n	bra N\n"
		"N:	%k = add.u32 %k, 1\n	bra %again, I, O\n"
		"O:	%j = mov.u32 0\n	bra I\n"
		"I:	%p = setp.ge.u32 %j, %t\n	%again = mov.pred 0\n	bra %p, F, B\n"
		"B:	%j = add.u32 %j, 1\n	%again = mov.pred 1\n	bra L\n"
		"F:	%x = add.u32 %k, 1\n	%i = add.u32 %i, 1\n	%q = setp.lt.u32 %i, 3\n	bra %q, L, E\n"
		"L:	bra N\n"
		"E:	exit\n" },
	{ "two ways back to a header: who is there first goes round before the others", /* under thread frontiers */
		"	reg u32 %t, %i, %x\n	reg pred %p, %q, %r\n"
		"A:	%t = mov.u32 %tid.x\n	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, 12\n	bra %p, B, E\n"
		"B:	%x = shr.u32 %t, %i\n	%x = and.b32 %x, 1\n	%q = setp.eq.u32 %x, 0\n	bra %q, H, D\n"
		"D:	%x = and.b32 %i, 2\n	%r = setp.eq.u32 %x, 0\n	bra %r, F, G\n"
		"F:	bra H\nG:	bra H\n"
		"E:	exit\n" },
	{ "the same with a way out of the loop behind the branch",
		"	reg u32 %t, %i, %x\n	reg pred %p, %q, %r, %s\n"
		"A:	%t = mov.u32 %tid.x\n	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, 12\n	bra %p, B, E\n"
		"B:	%x = shr.u32 %t, %i\n	%x = and.b32 %x, 1\n	%q = setp.eq.u32 %x, 0\n	bra %q, C, D\n"
		"C:	%s = setp.lt.u32 %i, 11\n	bra %s, H, E\n"
		"D:	%x = and.b32 %i, 2\n	%r = setp.eq.u32 %x, 0\n	bra %r, F, G\n"
		"F:	bra H\nG:	bra H\n"
		"E:	exit\n" },
	{ "a cycle with two entries: its first block post-dominates the branch in front of it",
		"	reg u32 %t, %n, %y\n	reg pred %p, %q, %r\n"
		"A:	%t = mov.u32 %tid.x\n	%n = mov.u32 0\n	%y = mov.u32 2\n	%p = setp.lt.u32 %t, 7\n	bra %p, X, Y\n"
		"X:	%y = mov.u32 1\n	%n = add.u32 %n, 1\n	%q = setp.lt.u32 %n, 4\n	bra %q, Y, E\n"
		"Y:	%r = setp.eq.u32 %y, 1\n	bra %r, F, G\n"
		"F:	bra X\nG:	bra X\n"
		"E:	exit\n" },
	{ "an inner loop that is left for the outer one's header, or for good",
		"	reg u32 %t, %i, %j, %x\n	reg pred %p, %q, %r, %s\n"
		"A:	%t = mov.u32 %tid.x\n	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%j = mov.u32 0\n	%p = setp.lt.u32 %i, 12\n	bra %p, I, E\n"
		"I:	%j = add.u32 %j, 1\n	%x = shr.u32 %t, %i\n	%x = and.b32 %x, 3\n	%q = setp.lt.u32 %x, %j\n	bra %q, H, J\n"
		"J:	%x = and.b32 %i, 1\n	%r = setp.eq.u32 %x, 0\n	bra %r, F, G\n"
		"F:	bra K\nG:	bra K\n"
		"K:	%s = setp.lt.u32 %i, 99\n	bra %s, I, E\n"
		"E:	exit\n" },
	{ "a loop that lanes leave in different iterations",
		"	reg u32 %t, %i, %x\n	reg pred %p, %q\n"
		"A:	%t = mov.u32 %tid.x\n	%t = and.b32 %t, 3\n	%i = mov.u32 0\n	bra L\n"
		"L:	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, %t\n	bra %p, L, M\n"
		"M:	%x = and.b32 %i, 1\n	%q = setp.eq.u32 %x, 0\n	bra %q, F, E\n"
		"F:	bra E\nE:	exit\n" },
};

START_TEST(meeting_places)
{
	Seen seen = { 0 };
	Diag d = { 0 };
	Arena a = { 0 };
	RandomKernel *shape = random_graph_kernel(1, 0);
	char *text = arena_printf(&a, "kernel k(u64 in, u64 out, u64 acc, u32 n)\n{\n%s}\n", met[_i].text);
	Module *m = ir_read(text, strlen(text), "met.ir", &d);
	diag_print(&d, stderr);
	ck_assert(m && ir_verify(m, &d));
	for (int anywhere = 0; anywhere < 2; anywhere++)
		judge(shape, m, anywhere, -1, met[_i].name, &seen);
	ck_assert_int_gt(seen.parted, 0);
	module_free(m);
	random_kernel_free(shape);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

START_TEST(verdicts_hold)
{
	Seen seen = { 0 };
	const char *text = getenv("COUNT"), *from = getenv("SEED");
	int n = text ? atoi(text) : 40;
	for (int i = 0; i < n; i++)
		judge_random(i + (from ? atoi(from) : 1), &seen);
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
	tcase_add_loop_test(t, meeting_places, 0, (int)(sizeof met / sizeof *met));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
