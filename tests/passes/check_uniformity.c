/* What the analysis says is uniform is so in executions: random kernels, as they are and behind passes, and a
 * few that once were judged wrongly.
 *
 * In a warp, of 4 to 64 lanes, under mechanisms that let lanes meet in different places: no branch said to be
 * uniform parts lanes, by the marks that `gsim-opt --print uniformity --profile` gives them, and a check in
 * front of each use of a register said to be uniform finds one value in all lanes that are there together.
 * Where lanes may meet anywhere, the analysis is asked for that.
 *
 * In a block and in the grid: all threads come to the checks of blocks in which they are not apart in one
 * order, as far as they come, and find equal values (tests/passes/scope_checks.h). Threads may end early in
 * all of them. SEED=n COUNT=n: other kernels; ALL=1: each under all mechanisms; VERBOSE=1: how many
 * verdicts. */
#include "lib/json.h"
#include "passes/analysis/measured.h"
#include "tests/passes/scope_checks.h"
#include "tests/passes/uniform_checks.h"
#include "tests/random.h"
#include "tests/random/differential.h"
#include "tests/check.h"

static const char *const mechanisms[] = {
	"ipdom", "its", "tf_stack", "token", "exec_mask", "tf_sandy", "min_pc", "min_sp_pc", "aware", "tbc",
	"swi", "dual_path", "multi_path", "spec_reconv", "serial",
	"token(loop_codegen=pbk_brk)", "ipdom(push_order=larger_top)", "dual_path(side=left)", "dwf",
	"dwf(policy=pc)", "dws", "sbi",
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms, EACH = 4 }; /* every EACHth runs a kernel */
static const char *const pipelines[] = { NULL, "flatten(rule=always,exits=direct)", "flatten(rule=always)",
	"linearize" };
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };

typedef struct Seen { long uniform, divergent, parted, tests, runs, judged; } Seen;

/* ---- one kernel ---- */

/* What gsim-opt reads: the report of the run, as far as a profile asks for it. */
static Profile *profile_of(Arena *a, const LaunchStats *stats, const char *model, const char *what)
{
	StrBuf s = { 0 };
	JsonText t;
	Diag d = { 0 };
	json_text(&t, &s);
	t.sink.begin(&t.sink, '{', false);
	json_put_text(&t.sink, "model", model);
	t.sink.key(&t.sink, "configuration");
	t.sink.begin(&t.sink, '{', false);
	t.sink.key(&t.sink, "values");
	t.sink.begin(&t.sink, '{', true);
	json_put_count(&t.sink, "warp_size", (uint64_t)stats->warp_size);
	t.sink.end(&t.sink);
	t.sink.end(&t.sink);
	t.sink.key(&t.sink, "total");
	stats_json(stats, &t.sink);
	t.sink.end(&t.sink);
	Profile *p = profile_read(a, s.s, s.n, "run.json", &d);
	ck_assert_msg(p != NULL, "%s, %s: the report is refused: %s", what, model, diag_first(&d));
	sb_free(&s);
	diag_free(&d);
	return p;
}

/* No branch is marked as a fault of the analysis, of a function with the verdicts that the mechanism needs;
   and the text says so. */
static void marks_hold(const Module *m, Cfg *const *c, Uniformity *const *u, const LaunchStats *stats,
	const char *model, bool anywhere, const char *what, Seen *seen)
{
	Arena a = { 0 };
	const Profile *p = profile_of(&a, stats, model, what);
	uint64_t executed = 0, told = 0;
	for (int f = 0; f < m->func.n; f++) {
		if (!u[f])
			continue;
		const Measured *r = measured_build(&a, m, c[f], u[f], p);
		ck_assert_msg(r->anywhere == anywhere, "%s, %s: not the verdicts that are needed", what,
			model);
		StrBuf s = { 0 };
		measured_print(c[f], r, p, &s);
		for (int k = 0; k < r->n; k++) {
			const MeasuredRow *x = &r->row[k];
			told += x->run ? x->run->executed : 0;
			seen->uniform += x->kind == MEASURED_AGREES && !x->divergent;
			seen->divergent += x->kind == MEASURED_NEVER || x->kind == MEASURED_ALONE;
			seen->parted += x->kind == MEASURED_AGREES && x->divergent;
			ck_assert_msg(x->kind != MEASURED_FAULT && x->kind != MEASURED_CLAIM,
				"%s, %s: the branch of %s in %s parts lanes:\n%s", what, model, x->label,
				c[f]->f->name, s.s);
			ck_assert_msg(x->block < 0 || !x->divergent == !r->u->divergent[x->block],
				"%s: the verdict on %s", what, x->label);
			ck_assert_msg(!x->divergent || x->copies > 1 || strstr(s.s, "; by "),
				"%s: no reason for %s:\n%s", what, x->label, s.s);
		}
		ck_assert_msg(!strstr(s.s, "DIVERGED"), "%s, %s:\n%s", what, model, s.s);
		sb_free(&s);
	}
	for (int k = 0; k < stats->tables.branches.n; k++)
		executed += stats->tables.branches.v[k].executed;
	ck_assert_msg(told == executed, "%s, %s: %llu executions of branches told, %llu counted", what, model,
		(unsigned long long)told, (unsigned long long)executed);
	arena_free(&a);
}

static void run_on(const Job *job, int k, int warp_size, Cfg *const *c, Uniformity *const *u, bool anywhere,
	const char *what, Seen *seen)
{
	Config machine;
	Probe probe = { 0 };
	Outcome o;
	Diag d = { 0 };
	differential_machine(&machine);
	ck_assert(config_set_model(&machine, mechanisms[k], &d));
	machine.warp_size = warp_size;
	seen->runs++;
	Way way = { .model = (int)machine.model, .functional = k % 2 };
	outcome_machine(job, &machine, &way, &probe, &o);
	/* barriers of these kernels count warps of 32 */
	bool unfit = machine.warp_size != 32 && o.fault == FAULT_OPERAND;
	ck_assert_msg(o.how != RAN_BADLY || unfit, "%s, %s: %s", what, mechanisms[k], o.text);
	if (u && o.how == RAN_WELL)
		marks_hold(job->module, c, u, &probe.stats, mechanisms[k], anywhere, what, seen);
	outcome_free(&o);
	arena_free(&probe.arena);
}

/* On all mechanisms for which such verdicts hold, or on some of them in turn. u: what is compared with them;
   NULL: nothing is. */
static void run(const Job *job, const bool *wanted, int warp_size, Cfg *const *c, Uniformity *const *u,
	bool anywhere, int turn, const char *what, Seen *seen)
{
	for (int k = 0; k < MECHANISMS; k++)
		if (wanted[k] && (turn < 0 || (k + turn) % EACH == 0))
			run_on(job, k, warp_size, c, u, anywhere, what, seen);
}

/* Joins from the frontier are all joins, and more: what is uniform with them is. So is what is uniform where
   lanes meet anywhere. */
static void coarser(Arena *a, const Cfg *c, const Uniformity *u, UniformityOptions options, const char *name)
{
	const Uniformity *v = uniformity_build_for(a, c, options);
	const Ssa *s = u->ssa;
	for (int k = 0; k < s->n; k++)
		ck_assert_msg(v->version[k] || !u->version[k], "%s, %s: version %d differs, but not %s", name,
			c->f->name, k, options.steps ? "by frontiers" : "anywhere");
	for (int b = 0; b < c->n; b++)
		ck_assert(v->divergent[b] || !u->divergent[b]);
}

static void judge(const RandomKernel *shape, const Module *module, bool anywhere, int turn, const char *name,
	Seen *seen)
{
	static const int sizes[] = { 32, 4, 64, 16 };
	const int warp_size = sizes[seen->judged++ % 4];
	Module *m = module_copy(module);
	Job job = { .shape = shape, .module = m };
	Arena a = { 0 };
	Uniformity **u = arena_array(&a, Uniformity *, m->func.n);
	Cfg **c = arena_array(&a, Cfg *, m->func.n);
	memcpy(job.grid, shape->grid, sizeof job.grid);
	for (int f = 0; f < m->func.n; f++)
		if (m->func.v[f]->kind != FN_HOST && m->func.v[f]->block.n) {
			c[f] = cfg_build(&a, m->func.v[f]);
			UniformityOptions o = { .warp_size = warp_size, .anywhere = anywhere };
			u[f] = uniformity_build_for(&a, c[f], o);
			o.steps = -1;
			coarser(&a, c[f], u[f], o, name);
			coarser(&a, c[f], u[f], (UniformityOptions){ .warp_size = warp_size,
				.anywhere = true }, name);
		}
	bool wanted[MECHANISMS], perhaps;
	for (int k = 0; k < MECHANISMS; k++)
		wanted[k] = measured_anywhere(m, mechanisms[k], &perhaps) == anywhere;
	run(&job, wanted, warp_size, c, u, anywhere, turn, name, seen);
	for (int f = 0; f < m->func.n; f++)
		if (u[f])
			seen->tests += add_uniform_checks(m, c[f], u[f]);
	run(&job, wanted, warp_size, c, NULL, anywhere, turn, arena_printf(&a, "%s with checks", name), seen);
	arena_free(&a);
	module_free(m);
}

/* Warp-level operations where lanes may be apart, whose results are read elsewhere. Not where threads do
   nothing but end: branches there become exits under guards, by which barriers behind them are for every
   mechanism. */
static void scatter_votes(Module *m, Function *f, uint64_t *rng)
{
	Edit e = edit_open(m, f, 0);
	int pred = -1, result[2] = { edit_reg(&e, "vote", T_B32), edit_reg(&e, "vote", T_B32) };
	for (int r = 0; r < f->reg.n; r++)
		if (f->reg.v[r].type == T_PRED && (pred < 0 || random_next(rng) % 3 == 0))
			pred = r;
	for (int b = 0; b < f->block.n && pred >= 0; b++) {
		int what = (int)(random_next(rng) % 4), at =
			(int)(random_next(rng) % (unsigned)f->block.v[b]->ins.n),
			to = (int)(random_next(rng) % 2);
		bool vote = what < 2;
		Ins i = edit_new(&e, NULL, vote ? OP_VOTE : OP_MOV, T_B32, 1, 1);
		i.mode = vote ? MODE_BALLOT : i.mode;
		i.opd[0] = opd_reg(result[to]);
		i.opd[1] = opd_reg(vote ? pred : result[1 - to]);
		if (what < 3 && !block_only_ends(f, f->block.v[b]))
			edit_insert(&e, f->block.v[b], at, i);
	}
	edit_close(&e);
}

/* Half of the kernels ask for the block that they get. */
static RandomKernel *kernel_for(int seed, bool ends)
{
	RandomParams p = RANDOM_DEFAULTS((uint64_t)seed);
	p.ends = ends;
	RandomKernel *k = random_kernel_new(&p);
	if (seed & 4)
		memcpy(k->kernel->reqntid, k->block, sizeof k->block);
	return k;
}

static void judge_random(int seed, Seen *seen)
{
	RandomKernel *k = kernel_for(seed, false);
	/* every branch is one of the source's, whatever passes make of it */
	for (int f = 0; f < k->module->func.n; f++) {
		for (int b = 0; b < k->module->func.v[f]->block.n; b++)
			k->module->func.v[f]->block.v[b]->user = true;
		function_mark_blocks(k->module, k->module->func.v[f]);
	}
	const char *passes = pipelines[seed % PIPELINES];
	char text[300], name[100];
	Module *m = transformed(k->module, passes, text, sizeof text);
	ck_assert_msg(m != NULL, "seed %d: %s", seed, text);
	snprintf(name, sizeof name, "seed %d behind %s", seed, passes ? passes : "no pass");
	uint64_t rng = (uint64_t)seed;
	for (int f = 0; f < m->func.n && seed % 3; f++)
		if (m->func.v[f]->kind != FN_HOST && m->func.v[f]->block.n)
			scatter_votes(m, m->func.v[f], &rng);
	for (int anywhere = 0; anywhere < 2; anywhere++)
		judge(k, m, anywhere, getenv("ALL") ? -1 : seed / PIPELINES, name, seen);
	module_free(m);
	random_kernel_free(k);
}

/* ---- blocks and grids ---- */

/* checks: how many stand in kernels; apart: blocks in which threads may be apart; blocks: all that can be
   reached */
typedef struct Scoped { long checks, apart, blocks; } Scoped;

static void judge_scope(const RandomKernel *k, const Module *module, UniScope scope, bool extents,
	const char *name, Scoped *seen)
{
	Arena a = { 0 };
	Module *m = module_copy(module);
	RandomKernel shape = *k;
	Job job = { .shape = &shape, .module = m };
	Function *f = module_find_function(m, k->kernel->name);
	const Cfg *c = cfg_build(&a, f);
	UniformityOptions o = { .scope = scope };
	if (extents) {
		memcpy(o.block, k->block, sizeof o.block);
		memcpy(o.grid, k->grid, sizeof o.grid);
	}
	const Uniformity *u = uniformity_build_for(&a, c, o);
	BitSet apart = uniformity_apart(&a, c, u);
	seen->apart += bs_count(apart);
	seen->blocks += c->nreach;
	seen->checks += add_scope_checks(m, c, u, apart, k->out_bytes);
	shape.out_bytes += scope_check_bytes(k->grid);
	memcpy(job.grid, k->grid, sizeof job.grid);
	Outcome got;
	outcome_reference(&job, 32, &got);
	ck_assert_msg(got.how == RAN_WELL, "%s, %s: %s", name, scope == UNI_GRID ? "grid" : "block",
		got.text);
	outcome_free(&got);
	module_free(m);
	arena_free(&a);
}

START_TEST(scopes_hold)
{
	Scoped seen[2] = { { 0 } };
	const char *count = getenv("COUNT"), *from = getenv("SEED");
	int n = count ? atoi(count) : 300;
	for (int i = 0; i < n; i++) {
		int seed = i + (from ? atoi(from) : 1);
		RandomKernel *k = kernel_for(seed, seed % 3 == 0);
		char text[300], name[100];
		const char *passes = pipelines[seed / 3 % PIPELINES];
		Module *m = transformed(k->module, passes, text, sizeof text);
		ck_assert_msg(m != NULL, "seed %d: %s", seed, text);
		snprintf(name, sizeof name, "seed %d behind %s", seed, passes ? passes : "no pass");
		for (UniScope s = UNI_BLOCK; s <= UNI_GRID; s++)
			judge_scope(k, m, s, seed & 8, name, &seen[s - UNI_BLOCK]);
		module_free(m);
		random_kernel_free(k);
	}
	for (int s = 0; s < 2 && getenv("VERBOSE"); s++)
		fprintf(stderr, "%s: %ld checks, %ld of %ld blocks apart\n", s ? "grid" : "block",
			seen[s].checks, seen[s].apart, seen[s].blocks);
	for (int s = 0; s < 2 && n >= 10; s++) {
		ck_assert_int_gt(seen[s].checks, 5 * n);
		ck_assert_int_gt(seen[s].apart, n);
		ck_assert_int_gt(seen[s].blocks, seen[s].apart + n);
	}
}
END_TEST

/* ---- where lanes meet ---- */

/* Kernels of one warp whose lanes meet in different places under different mechanisms. */
static const struct { const char *name, *text; } met[] = {
	/* a stack lets the first wait at F, EXEC masks at L */
	{ "a flattened nest: lanes leave the inner loop when others go round the outer cycle first",
		"	reg u32 %t, %i, %j, %k, %x\n	reg pred %again, %p, %q\n"
		"A:	%t = mov.u32 %tid.x\n	%t = and.b32 %t, 3\n	%i = mov.u32 0\n"
		"	%k = mov.u32 0\n	%again = mov.pred 0\n	bra N\n"
		"N:	%k = add.u32 %k, 1\n	bra %again, I, O\n"
		"O:	%j = mov.u32 0\n	bra I\n"
		"I:	%p = setp.ge.u32 %j, %t\n	%again = mov.pred 0\n	bra %p, F, B\n"
		"B:	%j = add.u32 %j, 1\n	%again = mov.pred 1\n	bra L\n"
		"F:	%x = add.u32 %k, 1\n	%i = add.u32 %i, 1\n	%q = setp.lt.u32 %i, 3\n"
		"	bra %q, L, E\n"
		"L:	bra N\n"
		"E:	exit\n" },
	/* under thread frontiers */
	{ "two ways back to a header: who is there first goes round before the others",
		"	reg u32 %t, %i, %x\n	reg pred %p, %q, %r\n"
		"A:	%t = mov.u32 %tid.x\n	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, 12\n	bra %p, B, E\n"
		"B:	%x = shr.u32 %t, %i\n	%x = and.b32 %x, 1\n	%q = setp.eq.u32 %x, 0\n"
		"	bra %q, H, D\n"
		"D:	%x = and.b32 %i, 2\n	%r = setp.eq.u32 %x, 0\n	bra %r, F, G\n"
		"F:	bra H\nG:	bra H\n"
		"E:	exit\n" },
	{ "the same with a way out of the loop behind the branch",
		"	reg u32 %t, %i, %x\n	reg pred %p, %q, %r, %s\n"
		"A:	%t = mov.u32 %tid.x\n	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, 12\n	bra %p, B, E\n"
		"B:	%x = shr.u32 %t, %i\n	%x = and.b32 %x, 1\n	%q = setp.eq.u32 %x, 0\n"
		"	bra %q, C, D\n"
		"C:	%s = setp.lt.u32 %i, 11\n	bra %s, H, E\n"
		"D:	%x = and.b32 %i, 2\n	%r = setp.eq.u32 %x, 0\n	bra %r, F, G\n"
		"F:	bra H\nG:	bra H\n"
		"E:	exit\n" },
	{ "a cycle with two entries: its first block post-dominates the branch in front of it",
		"	reg u32 %t, %n, %y\n	reg pred %p, %q, %r\n"
		"A:	%t = mov.u32 %tid.x\n	%n = mov.u32 0\n	%y = mov.u32 2\n"
		"	%p = setp.lt.u32 %t, 7\n	bra %p, X, Y\n"
		"X:	%y = mov.u32 1\n	%n = add.u32 %n, 1\n	%q = setp.lt.u32 %n, 4\n"
		"	bra %q, Y, E\n"
		"Y:	%r = setp.eq.u32 %y, 1\n	bra %r, F, G\n"
		"F:	bra X\nG:	bra X\n"
		"E:	exit\n" },
	{ "an inner loop that is left for the outer one's header, or for good",
		"	reg u32 %t, %i, %j, %x\n	reg pred %p, %q, %r, %s\n"
		"A:	%t = mov.u32 %tid.x\n	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%j = mov.u32 0\n	%p = setp.lt.u32 %i, 12\n"
		"	bra %p, I, E\n"
		"I:	%j = add.u32 %j, 1\n	%x = shr.u32 %t, %i\n	%x = and.b32 %x, 3\n"
		"	%q = setp.lt.u32 %x, %j\n	bra %q, H, J\n"
		"J:	%x = and.b32 %i, 1\n	%r = setp.eq.u32 %x, 0\n	bra %r, F, G\n"
		"F:	bra K\nG:	bra K\n"
		"K:	%s = setp.lt.u32 %i, 99\n	bra %s, I, E\n"
		"E:	exit\n" },
	{ "a cycle with two ways out that have nothing in common: one is an early exit to a stack that waits "
		"in front of the other",
		"	reg u32 %t, %i, %n, %x\n	reg pred %p, %q, %r, %s\n"
		"A:	%t = mov.u32 %tid.x\n	%n = and.b32 %t, 3\n	%n = add.u32 %n, 6\n"
		"	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, %n\n	bra %p, B, E\n"
		"B:	%x = add.u32 %t, %i\n	%x = and.b32 %x, 3\n	%q = setp.eq.u32 %x, 0\n"
		"	bra %q, D, C\n"
		"C:	bra L\n"
		"D:	%r = setp.gt.u32 %x, 7\n	bra %r, X, G\n"
		"G:	bra L\n"
		"L:	%x = and.b32 %i, 1\n	%s = setp.eq.u32 %x, 0\n	bra %s, F, K\n"
		"F:	bra H\nK:	bra H\n"
		"E:	exit\nX:	exit\n" },
	{ "a loop that lanes leave in different iterations for blocks of their own, at whose end they end",
		"	reg u32 %t, %i, %x, %y\n	reg pred %p, %q, %r, %s\n"
		"A:	%t = mov.u32 %tid.x\n	%i = mov.u32 0\n	bra H\n"
		"H:	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, 9\n	bra %p, B, E\n"
		"B:	%x = add.u32 %t, %t\n	%q = setp.eq.u32 %x, %i\n	bra %q, X, H\n"
		"X:	%x = and.b32 %i, 2\n	%r = setp.eq.u32 %x, 0\n	%y = mov.u32 0\n"
		"	bra %r, F, G\n"
		"F:	%y = add.u32 %y, 1\n	%s = setp.lt.u32 %y, %i\n	bra %s, F, G\n"
		"G:	exit\n"
		"E:	%x = and.b32 %i, 1\n	%s = setp.eq.u32 %x, 0\n	bra %s, M, N\n"
		"M:	bra N\nN:	exit\n" },
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
	int n = text ? atoi(text) : 200;
	for (int i = 0; i < n; i++)
		judge_random(i + (from ? atoi(from) : 1), &seen);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d kernels: branches %ld uniform, %ld divergent of which lanes never "
			"parted, %ld parted; %ld tests\n", n, seen.uniform, seen.divergent, seen.parted,
			seen.tests);
	if (n < 10)
		return;
	ck_assert_int_gt(seen.uniform, n);
	ck_assert_int_gt(seen.parted, n);
	ck_assert_int_gt(seen.tests, 10 * n);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("uniformity in executions");
	TCase *t = tcase_create("all");
	tcase_add_test(t, verdicts_hold);
	tcase_add_test(t, scopes_hold);
	tcase_add_loop_test(t, meeting_places, 0, (int)(sizeof met / sizeof *met));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
