/* Loop flattening: the paper's figure as a graph, and nests of loops that do the same before and after. */
#include "passes/analysis/limits.h"
#include "passes/analysis/cost.h"
#include "passes/transform/transform.h"
#include "tests/passes/graphs.h"
#include "tests/passes/random_nest.h"
#include "tests/random/differential.h"
#include "tests/check.h"
#include <math.h>

static Module *m;
static Arena arena;
static Diag diag;
static void setup(void) { m = module_new("test"); }
static void teardown(void)
{
	module_free(m);
	arena_free(&arena);
	diag_free(&diag);
}

static char *text_of(const Function *f)
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

static const char *flattened(const char *graph, const char *pipeline)
{
	module_free(m);
	m = module_new("test");
	Function *f = graph_kernel(m, graph);
	ck_assert(pipeline_run(m, pipeline, NULL, &diag));
	char *once = text_of(f);
	ck_assert(pipeline_run(m, pipeline, NULL, &diag));
	ck_assert_str_eq(text_of(f), once); /* again: nothing to do */
	return once;
}

#define FIG5 "P:A A:B B:B,E E:A,X X"

START_TEST(figure_5)
{
	ck_assert_str_eq(flattened(FIG5, "flatten(rule=always,exits=direct)"),
		"P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,E E:A_latch,X A_latch:A_next X");
	ck_assert_str_eq(flattened(FIG5, "flatten(rule=always)"),
		"P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,E E:A_latch A_latch:X,A_next X");
}
END_TEST

/* One back edge for each nest that is flattened. */
START_TEST(shapes)
{
	static const struct { const char *graph, *want; } list[] = {
		/* the entry is the outer loop's first block */
		{ "A:B B:B,E E:A,X X", "A_enter:A_next A_next:B,A A:B B:A_latch,E E:A_latch A_latch:X,A_next "
			"X" },
		/* a test before the inner loop: threads begin it in the next turn */
		{ "P:A A:B,E B:B,E E:A,X X", "P:A_enter A_enter:A_next A_next:B,A A:A_latch,E B:A_latch,E "
			"E:A_latch A_latch:X,A_next X" },
		/* the inner loop's test at its top; it has two blocks */
		{ "P:A A:H H:B,E B:H E:A,X X", "P:A_enter A_enter:A_next A_next:H,A A:H H:B,E B:A_latch "
			"E:A_latch A_latch:X,A_next X" },
		/* continue and break of the outer loop within the inner one */
		{ "P:A A:B B:C,D C:A,X D:B,E E:A,X X", "P:A_enter A_enter:A_next A_next:B,A A:B B:C,D "
			"C:A_latch D:A_latch,E E:A_latch A_latch:X,A_next X" },
		/* two exits */
		{ "P:A A:B B:B,C C:E,Y E:A,X X Y", "P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,C "
			"C:E,A_latch E:A_latch A_latch:A_leave,A_next "
			"A_leave:Y,X X Y" },
		/* two inner loops */
		{ "P:A A:B B:B,C C:C,E E:A,X X", "P:A_enter A_enter:A_next A_next:C,A_next2 A_next2:B,A A:B "
			"B:A_latch C:A_latch,E E:A_latch "
			"A_latch:X,A_next X" },
		/* three deep */
		{ "P:A A:B B:C C:C,D D:B,E E:A,X X", "P:A_enter A_enter:A_next A_next:B_next,A A:B_enter "
			"B_enter:B_next B_next:C,B B:C C:B_latch,D "
			"D:B_latch B_latch:E,A_latch E:A_latch A_latch:X,A_next X" },
		/* an abort stays where it is; a return leaves with the others */
		{ "P:A A:B B:B,C C:T,D D:R,E E:A,X X T:trap R:ret",
			"P:A_enter A_enter:A_next A_next:B,A A:B B:A_latch,C C:T,D D:A_latch,E E:A_latch "
			"A_latch:A_leave,A_next A_leave:R,X X T R" },
		/* inner and outer loop share the header; so do a loop with a continue before a block that all
		   come to, and the loop that it makes */
		{ "P:B B:B,E E:B,X X", "P:B_enter B_enter:B_next B_next:B B:B_latch,E E:B_latch "
			"B_latch:X,B_next X" },
		{ "P:H H:A,C A:H C:H,X X", "P:H_enter H_enter:H_next H_next:H H:A,C A:H_latch C:H_latch "
			"H_latch:X,H_next X" },
		/* two back edges, but threads meet at the header whichever they take */
		{ "P:H H:S,X S:A,C A:H C:H X", "P:H H:S,X S:A,C A:H C:H X" },
		/* nothing to do */
		{ "P:A A:A,B B:B,X X", "P:A A:A,B B:B,X X" },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		ck_assert_str_eq(flattened(list[i].graph, "flatten(rule=always)"), list[i].want);
}
END_TEST

/* ---- random kernels ---- */

static void same_results(uint64_t seed, const char *pipeline, int *changed)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	RandomKernel *k = random_kernel_new(&p);
	Job job = { .shape = k, .module = k->module };
	char text[600] = "";
	memcpy(job.grid, k->grid, sizeof job.grid);
	Outcome want, got;
	outcome_reference(&job, p.warp_size, &want);
	ck_assert(want.how == RAN_WELL);
	Module *after = transformed(k->module, pipeline, text, sizeof text);
	ck_assert_msg(after != NULL, "seed %d: %s: %s", (int)seed, pipeline, text);
	*changed += !module_equal(after, k->module);
	job.module = after;
	outcome_reference(&job, p.warp_size, &got);
	ck_assert_msg(got.how == RAN_WELL, "seed %d: %s: %s", (int)seed, pipeline, got.text);
	ck_assert_msg(outcome_agrees(k, &want, &got, text, sizeof text), "seed %d: %s: %s", (int)seed,
		pipeline, text);
	outcome_free(&got);
	outcome_free(&want);
	module_free(after);
	random_kernel_free(k);
}

START_TEST(random_kernels)
{
	static const char *const pipeline[] = { "flatten(rule=always)", "flatten(rule=always,enter=now)",
		"flatten(rule=always,enter=next)", "flatten(rule=always,exits=direct)" };
	int n = getenv("COUNT") ? atoi(getenv("COUNT")) : 120, changed = 0;
	for (int i = 0; i < n; i++)
		same_results((uint64_t)i + 1, pipeline[i % 4], &changed);
	ck_assert_int_gt(changed, n / 20);
}
END_TEST

/* ---- random nests ---- */

static int model_named(const char *name)
{
	for (int k = 0; model_keys(k); k++)
		if (!strcmp(model_keys(k)->name, name))
			return k;
	ck_abort_msg("no mechanism %s", name);
}

static Module *read_text(const char *text)
{
	Diag d = { 0 };
	Module *x = ir_read(text, strlen(text), "nest.ir", &d);
	ck_assert_msg(x != NULL, "%s: %s", d.item.n ? d.item.v[0].text : "", text);
	diag_free(&d);
	return x;
}

/* What there is of loops after flattening: no nest; where one was, one back edge. */
static void check_loops(uint64_t seed, const Module *x)
{
	Arena a = { 0 };
	const Loops *l = loops_build(&a, cfg_build(&a, x->func.v[0]));
	for (int i = 0; i < l->n; i++) {
		ck_assert_msg(l->loop[i].depth == 1, "seed %d: a nest is left at %s", (int)seed,
			x->func.v[0]->block.v[l->loop[i].header]->label);
		if (!x->func.v[0]->block.v[l->loop[i].header]->user)
			ck_assert_msg(l->loop[i].latch.n == 1, "seed %d: %d back edges to %s", (int)seed,
				l->loop[i].latch.n, x->func.v[0]->block.v[l->loop[i].header]->label);
	}
	arena_free(&a);
}

static const char *const nest_pipeline[] = { "flatten(rule=always)", "flatten(rule=always,enter=now)",
	"flatten(rule=always,enter=next)", "flatten(rule=always,exits=direct)",
	"flatten(rule=always,level=2)",
	"flatten(rule=always,enter=now),linearize,simplify-cfg,dce", "flatten(rule=always),simplify-cfg",
	"flatten(rule=always,exits=direct,enter=next,level=3),linearize" };
enum { NEST_PIPELINES = sizeof nest_pipeline / sizeof *nest_pipeline, NEST_THREADS = 80 };

static const char *const mechanism[] = { "ipdom", "its", "tf_stack", "token" };

/* Same memory, and with it the same hash of the blocks visited, in the reference interpreter and under a
   mechanism. */
static void try_nest(uint64_t seed)
{
	char *text = random_nest(seed), why[1700] = "";
	RandomKernel shape = { .module = read_text(text), .grid = { 1, 1, 1 },
		.block = { NEST_THREADS, 1, 1 }, .threads = NEST_THREADS,
		.out_bytes = NEST_THREADS * NEST_WORDS * 4 };
	shape.kernel = shape.module->func.v[0];
	Job job = { .shape = &shape, .module = shape.module, .grid = { 1, 1, 1 } };
	Config config;
	Outcome want, got;
	differential_machine(&config);
	outcome_reference(&job, 32, &want);
	ck_assert_msg(want.how == RAN_WELL, "seed %d: %s", (int)seed, want.text);
	for (int i = 0; i < NEST_PIPELINES; i++) {
		Way way = { .model = model_named(mechanism[(seed + (uint64_t)i) % 4]), .functional = i % 2 };
		Module *after = transformed(shape.module, nest_pipeline[i], why, sizeof why), *twice;
		ck_assert_msg(after && (strstr(nest_pipeline[i], "level") ||
			!module_equal(after, shape.module)), "seed %d: %s: %s", (int)seed, nest_pipeline[i],
			why);
		if (i < 4)
			check_loops(seed, after);
		job.module = after;
		outcome_reference(&job, 32, &got);
		ck_assert_msg(outcome_agrees(&shape, &want, &got, why, sizeof why), "seed %d: %s: %s",
			(int)seed, nest_pipeline[i], why);
		ck_assert_msg(way_agrees(&job, &config, &way, &want, NULL, NULL, why, sizeof why),
			"seed %d: %s: %s", (int)seed, nest_pipeline[i], why);
		outcome_free(&got);
		twice = transformed(after, nest_pipeline[i], why, sizeof why);
		if (i < 5)
			ck_assert_msg(module_equal(after, twice), "seed %d: %s changes more the second time",
				(int)seed, nest_pipeline[i]);
		module_free(twice);
		module_free(after);
	}
	outcome_free(&want);
	module_free(shape.module);
	free(text);
}

START_TEST(random_nests)
{
	int n = getenv("COUNT") ? atoi(getenv("COUNT")) : 60,
		first = getenv("FIRST") ? atoi(getenv("FIRST")) : 1;
	for (int i = 0; i < n; i++)
		try_nest((uint64_t)(first + i));
}
END_TEST

/* ---- how often a warp executes blocks: the closed form ---- */

enum { LANES = 32, STEPS = 4000 };

/* Turns of an inner loop, by lane and numbers of turns of the loops around it; the kernels compute the
   same. */
static int turns(uint32_t seed, int lane, int o, int i)
{
	return (int)((((uint32_t)lane * 2654435761u + (uint32_t)o * 40503u + (uint32_t)i * 977u + seed) *
		2246822519u) >> 29);
}

#define TURNS(TO, OUTER, INNER) "	%s = mul.lo.u32 %lane, 2654435761\n	%s = mad.lo.u32 " \
	OUTER ", 40503, %s\n	%s = mad.lo.u32 " INNER ", 977, %s\n" \
	"	%s = add.u32 %s, %seed\n	%s = mul.lo.u32 %s, 2246822519\n	" \
	TO " = shr.u32 %s, 29\n"
#define HEAD "kernel k(u64 in, u64 out, u64 acc, u32 n)\n{\n" \
	"	reg u32 %lane, %seed, %s, %o, %i, %j, %t, %u, %x, %z\n	reg pred %p, %zero\n" \
	"	reg u64 %a, %b\n" \
	"start:\n	%lane = mov.u32 %tid.x\n	%seed = ld.param.u32 [n]\n	%o = mov.u32 0\n" \
	"	%x = mov.u32 0\n	%z = mov.u32 0\n	bra A\n"
#define TAIL "E:	%o = add.u32 %o, 1\n	%p = setp.lt.u32 %o, 6\n	bra %p, A, X\n" END
#define END "X:	%b = mul.wide.u32 %lane, 16\n	%a = ld.param.u64 [out]\n" \
	"	%a = add.u64 %a, %b\n	st.global.u32 [%a], %x\n	exit\n}\n"
#define LOOP(LABEL, COUNTER, TO, ON) LABEL ":	%x = mad.lo.u32 %x, 3, " COUNTER "\n	" \
	COUNTER " = sub.u32 " COUNTER ", 1\n" \
	"	%p = setp.gt.s32 " COUNTER ", 0\n	bra %p, " TO ", " ON "\n"

/* What a lane executes in each turn of the one loop: bits of the blocks A, B, C, D, E. */
enum { A = 1, B = 2, C = 4, D = 8, E = 16 };
typedef struct Plan { uint8_t turn[STEPS]; int n; } Plan;
static void add(Plan *p, int blocks, int times)
{
	for (int i = 0; i < times; i++)
		p->turn[p->n++] = (uint8_t)blocks;
}

static void plan_simple(Plan *p, uint32_t seed, int lane, int o)
{
	int first = p->n;
	add(p, B, turns(seed, lane, o, 0) + 1);
	p->turn[first] |= A;
	p->turn[p->n - 1] |= E;
}

static void plan_tested(Plan *p, uint32_t seed, int lane, int o)
{
	add(p, A, 1);
	add(p, B, turns(seed, lane, o, 0));
	p->turn[p->n - 1] |= E;
}

static void plan_two(Plan *p, uint32_t seed, int lane, int o)
{
	int first = p->n;
	add(p, B, turns(seed, lane, o, 0) + 1);
	p->turn[first] |= A;
	p->turn[p->n - 1] |= D;
	add(p, C, turns(seed, lane, o, 1) + 1);
	p->turn[p->n - 1] |= E;
}

static void plan_deep(Plan *p, uint32_t seed, int lane, int o)
{
	int first = p->n;
	for (int i = 0; i <= turns(seed, lane, o, 0); i++) {
		int at = p->n;
		add(p, C, turns(seed, lane, o, i + 1) + 1);
		p->turn[at] |= B;
		p->turn[p->n - 1] |= D;
	}
	p->turn[first] |= A;
	p->turn[p->n - 1] |= E;
}

static void plan_shared(Plan *p, uint32_t seed, int lane, int o)
{
	int first = p->n;
	plan_simple(p, seed, lane, o);
	if (o)
		p->turn[first] &= (uint8_t)~A;
}

static const struct { const char *name, *text; void (*plan)(Plan *, uint32_t, int, int); } closed[] = {
	{ "simple", HEAD "A:\n" TURNS("%t", "%o", "%z") "	%t = add.u32 %t, 1\n	bra B\n"
		LOOP("B", "%t", "B", "E") TAIL, plan_simple },
	{ "tested", HEAD "A:\n" TURNS("%t", "%o", "%z")
		"	%p = setp.gt.u32 %t, 0\n	bra %p, B, E\n" LOOP("B", "%t", "B", "E") TAIL,
		plan_tested },
	{ "two", HEAD "A:\n" TURNS("%t", "%o", "%z") "	%t = add.u32 %t, 1\n	bra B\n"
		LOOP("B", "%t", "B", "D") "D:\n" TURNS("%t", "%o", "1")
		"	%t = add.u32 %t, 1\n	bra C\n" LOOP("C", "%t", "C", "E") TAIL, plan_two },
	{ "deep", HEAD "A:\n" TURNS("%u", "%o", "%z") "	%u = add.u32 %u, 1\n	%i = mov.u32 0\n"
		"	bra B\nB:	%i = add.u32 %i, 1\n" TURNS("%t", "%o", "%i")
		"	%t = add.u32 %t, 1\n	bra C\n" LOOP("C", "%t", "C", "D")
		"D:	%p = setp.lt.u32 %i, %u\n	bra %p, B, E\n" TAIL, plan_deep },
	{ "shared", HEAD "A:\n" TURNS("%t", "%o", "%z") "	%t = add.u32 %t, 1\n	bra B\n"
		LOOP("B", "%t", "B", "E") "E:	%o = add.u32 %o, 1\n"
		TURNS("%t", "%o", "%z") "	%t = add.u32 %t, 1\n	%p = setp.lt.u32 %o, 6\n"
		"	bra %p, B, X\n" END, plan_shared },
};

static uint64_t fetches(const LaunchStats *s, const char *label)
{
	for (int k = 0; k < s->tables.blocks.n; k++)
		if (!strcmp(s->tables.blocks.v[k].label, label))
			return s->tables.blocks.v[k].fetches;
	return 0;
}

/* Of the first kernel: turns are as many as the lane with most of them makes, and A is executed in as many as
   there are sums of the first turns of lanes. */
static void formula(uint32_t seed, int *s, int *a)
{
	static bool sum[STEPS];
	memset(sum, 0, sizeof sum);
	*s = *a = 0;
	for (int l = 0; l < LANES; l++) {
		int all = 0;
		for (int o = 0; o < 6; o++) {
			sum[all] = true;
			all += turns(seed, l, o, 0) + 1;
		}
		*s = all > *s ? all : *s;
	}
	for (int t = 0; t < STEPS; t++)
		*a += sum[t];
}

/* Each block is executed in as many turns as some lane executes it in. */
static void check_closed(int which, uint32_t seed, const char *model, const char *pipeline, int blocks)
{
	static Plan plan[LANES];
	static const char *const label[] = { "A", "B", "C", "D", "E" };
	RandomKernel shape = { .module = read_text(closed[which].text), .grid = { 1, 1, 1 },
		.block = { LANES, 1, 1 }, .threads = LANES,
		.out_bytes = LANES * 16, .n = seed };
	shape.kernel = shape.module->func.v[0];
	char why[1700] = "";
	Job job = { .shape = &shape, .module = transformed(shape.module, pipeline, why, sizeof why),
		.grid = { 1, 1, 1 } };
	Config config;
	Outcome got;
	Probe probe = { 0 };
	int count[5] = { 0 };
	differential_machine(&config);
	outcome_machine(&job, &config, &(Way){ .model = model_named(model) }, &probe, &got);
	ck_assert_msg(got.how == RAN_WELL, "%s", got.text);
	for (int l = 0; l < LANES; l++) {
		plan[l].n = 0;
		memset(plan[l].turn, 0, sizeof plan[l].turn);
		for (int o = 0; o < 6; o++)
			closed[which].plan(&plan[l], seed, l, o);
	}
	for (int t = 0; t < STEPS; t++) {
		int all = 0;
		for (int l = 0; l < LANES; l++)
			all |= plan[l].turn[t];
		for (int b = 0; b < 5; b++)
			count[b] += all >> b & 1;
	}
	if (which == 0) {
		int steps, outer;
		formula(seed, &steps, &outer);
		ck_assert_int_eq(count[1], steps);
		ck_assert_int_eq(count[0], outer);
	}
	for (int b = 0; b < blocks; b++)
		ck_assert_msg(fetches(&probe.stats, label[b]) == (uint64_t)count[b],
			"%s, seed %u, %s: block %s is fetched %d times, not %d", closed[which].name, seed,
			model, label[b], (int)fetches(&probe.stats, label[b]), count[b]);
	outcome_free(&got);
	arena_free(&probe.arena);
	module_free((Module *)job.module);
	module_free(shape.module);
}

START_TEST(closed_form)
{
	for (uint32_t seed = 1; seed <= 10; seed++)
		for (int which = 0; which < 5; which++) {
			/* threads come to E from A and from B: without linearization apart */
			bool tested = which == 1;
			check_closed(which, seed * 7919, mechanism[seed % 4], "flatten(rule=always)",
				tested ? 2 : 5);
			check_closed(which, seed * 7919, mechanism[seed % 4],
				"flatten(rule=always),linearize", 5);
		}
}
END_TEST

/* ---- what pays ---- */

static const Profile *profile; /* NULL: none */
static const MachineLimits *limits; /* likewise */

/* Runs the pass on the kernel; true: it has flattened. *why gets its last remark. */
static bool decided(const char *text, const char *options, const char **why)
{
	PassLog log = { .remarks = true };
	Diag d = { 0 };
	Module *x = read_text(text), *before = module_copy(x);
	ck_assert(pipeline_run(x, arena_printf(&arena, "flatten(%s)", options),
		&(PassHost){ .log = &log, .profile = profile, .limits = limits }, &d));
	bool changed = !module_equal(x, before), counted = false;
	for (int i = 0; i < log.count.n; i++)
		counted |= !strcmp(log.count.v[i].what, "nests flattened") && log.count.v[i].n == 1;
	ck_assert(changed == counted);
	*why = d.item.n ? arena_strdup(&arena, d.item.v[d.item.n - 1].text) : "";
	pass_log_free(&log);
	diag_free(&d);
	module_free(before);
	module_free(x);
	return changed;
}

/* The kernel with outer and inner turns of so many operations. */
static const char *weights(int outer, int inner, bool uniform)
{
	char *a = "", *b = "";
	for (int i = 0; i < outer; i++)
		a = arena_printf(&arena, "%s\t%%y = add.u32 %%y, %%x\n", a);
	for (int i = 0; i < inner; i++)
		b = arena_printf(&arena, "%s\t%%x = add.u32 %%x, %%y\n", b);
	return arena_printf(&arena, "kernel k(u64 out, u32 n)\n{\n	reg u32 %%o, %%t, %%x, %%y\n"
		"	reg pred %%p\nstart:\n	%%o = mov.u32 0\n	%%x = mov.u32 0\n"
		"	%%y = mov.u32 1\n	bra A\nA:	%%t = mov.u32 %s\n%s	bra B\n"
		"B:	%%t = sub.u32 %%t, 1\n%s	%%p = setp.gt.s32 %%t, 0\n	bra %%p, B, E\n"
		"E:	%%o = add.u32 %%o, 1\n	%%p = setp.lt.u32 %%o, 9\n	bra %%p, A, X\n"
		"X:	exit\n}\n", uniform ? "7" : "%tid.x", a, b);
}

/* The least number of idle lanes, 33: none, from which it is flattened, is what the formula says for the
   costs that the remark tells of. */
static int threshold(const char *text, const char *rule, int turns)
{
	const char *why;
	int least = 33;
	double ta = 0, tb = 0, added = 0;
	for (int idle = 32; idle >= 1; idle--) {
		if (decided(text, arena_printf(&arena, "rule=%s,assume-idle=%d,assume-turns=%d", rule, idle,
			turns), &why)) {
			ck_assert_int_eq(least, idle + 1);
			least = idle;
		}
		ck_assert_msg(sscanf(strstr(why, "a turn of"),
			"a turn of A costs %lf, one of B %lf, and %lf are added", &ta, &tb, &added) == 3,
			"%s", why);
	}
	bool corrected = !strcmp(rule, "corrected");
	double some = corrected ? ta * (1 - pow(1 - 1.0 / turns, 32)) : ta, limit = some / (some + tb),
		x = added / tb;
	if (corrected && x / (1 + x) > limit)
		limit = x / (1 + x);
	ck_assert_msg(least == (int)(limit * 32) + 1, "%s: from %d idle lanes on; the limit is %.3f: %s",
		rule, least, limit, why);
	return least;
}

START_TEST(decisions)
{
	const char *why, *even = weights(4, 20, false);
	ck_assert(!decided(even, "", &why)); /* the default is the corrected rule, which wants to know */
	ck_assert_msg(strstr(why, "is not known: give a profile") != NULL, "%s", why);
	ck_assert(!decided(weights(4, 20, true), "rule=corrected,assume-idle=32", &why));
	ck_assert_msg(strstr(why, "all threads of a warp leave it together") != NULL, "%s", why);
	ck_assert(decided(weights(4, 20, true), "rule=always", &why));
	ck_assert_int_lt(threshold(weights(4, 60, false), "paper", 1),
		threshold(weights(60, 4, false), "paper", 1));
	/* what is added counts */
	ck_assert_int_gt(threshold(weights(1, 0, false), "corrected", 1000),
		threshold(weights(1, 40, false), "corrected", 1000));
	/* where A is executed rarely, its weight does not count: the paper's case of A/B = 10/1 */
	ck_assert_int_gt(threshold(weights(200, 10, false), "paper", 1000), 29);
	ck_assert_int_lt(threshold(weights(200, 10, false), "corrected", 1000), 16);
	ck_assert_int_ge(threshold(even, "corrected", 1), threshold(even, "paper", 1));
}
END_TEST

START_TEST(profiles)
{
	ProfileBlock block[] = { { "k", "A", 10, 320 }, { "k", "B", 1000, 4000 }, { "k", "E", 10, 320 },
		{ "k", "X", 1, 32 }, { "k", "start", 1, 32 } };
	const char *why, *text = weights(20, 20, false);
	double ta, tb;
	profile = &(Profile){ 5, block };
	ck_assert_msg(decided(text, "rule=corrected", &why), "%s", why);
	ck_assert_msg(strstr(why, "B is taken into A: 28.0 of 32 lanes idle") != NULL, "%s", why);
	block[1].threads = 31000;
	ck_assert_msg(!decided(text, "rule=corrected", &why), "%s", why);
	ck_assert_msg(strstr(why, "B is left alone within A: 1.0 of 32 lanes idle") != NULL, "%s", why);
	/* turns that both loops make, in parts of the warps: the measured times count, not the lengths */
	ck_assert(sscanf(strstr(why, "a turn of"), "a turn of A costs %lf, one of B %lf", &ta, &tb) == 2);
	block[0].fetches = 5;
	block[0].threads = 160;
	ck_assert(!decided(text, "rule=paper", &why));
	double more = 0;
	ck_assert(sscanf(strstr(why, "a turn of"), "a turn of A costs %lf, one of B", &more) == 1);
	ck_assert_double_gt(more, ta); /* E is executed twice for each A now */
	block[1].fetches = block[1].threads = 0;
	ck_assert(!decided(text, "rule=corrected", &why));
	ck_assert_msg(strstr(why, "the profile has no execution of it") != NULL, "%s", why);
	profile = NULL;
}
END_TEST

/* How many lanes a warp has, the profile says, else the machine; the rule counts all of them. */
START_TEST(lanes_of_a_warp)
{
	ProfileBlock block[] = { { "k", "A", 10, 640 }, { "k", "B", 1000, 34000 }, { "k", "E", 10, 640 },
		{ "k", "X", 1, 64 }, { "k", "start", 1, 64 } };
	const char *why, *text = weights(20, 20, false);
	MachineLimits wide = limits_default;
	wide.warp_size = 64;
	profile = &(Profile){ 5, block, .warp_size = 64 };
	ck_assert_msg(decided(text, "rule=corrected", &why) && strstr(why, "30.0 of 64 lanes idle"), "%s",
		why);
	profile = &(Profile){ 5, block };
	limits = &wide;
	ck_assert_msg(decided(text, "rule=corrected", &why) && strstr(why, "30.0 of 64 lanes idle"), "%s",
		why);
	profile = NULL;
	ck_assert_msg(decided(text, "rule=corrected,assume-idle=40,assume-turns=100", &why) &&
		strstr(why, "40.0 of 64 lanes idle"), "%s", why);
	limits = NULL;
	ck_assert_msg(decided(text, "rule=corrected,assume-idle=40,assume-turns=100", &why) &&
		strstr(why, "32.0 of 32 lanes idle"), "%s", why);
}
END_TEST

static const char *reason(const char *body, const char *options)
{
	const char *why;
	ck_assert(!decided(arena_printf(&arena, "kernel k(u64 out, u32 n)\n{\n	reg u32 %%t\n"
		"	reg pred %%p, %%q\n	reg u64 %%o\nS:	%%t = mov.u32 %%tid.x\n"
		"	%%o = ld.param.u64 [out]\n	%%p = setp.eq.u32 %%t, 3\n"
		"	%%q = setp.eq.u32 %%t, 4\n%s}\n", body), options, &why));
	return why;
}

START_TEST(left_alone)
{
	const char *barrier = "	bra A\nA:	bra B\nB:	bar.warp.sync -1\n	bra %p, B, E\n"
		"E:	bra %q, A, X\nX:	exit\n";
	const char *spins = "	bra A\nA:	red.global.add.u32 [%o], 1\n	bra B\n"
		"B:	%t = ld.volatile.global.u32 [%o]\n	%p = setp.eq.u32 %t, 0\n"
		"	bra %p, B, E\n"
		"E:	bra %q, A, X\nX:	exit\n";
	const char *entries = "	bra %p, A, B\nA:	bra C\nC:	bra %p, C, B\n"
		"B:	bra %q, A, X\nX:	exit\n";
	const char *why = reason(barrier, "");
	ck_assert_msg(strstr(why, "the nest in loop A is left alone: bar.warp.sync depends on which threads "
		"execute it together") != NULL, "%s", why);
	why = reason(spins, "rule=always");
	ck_assert_msg(strstr(why, "the nest in loop A is left alone: the loop at B, by its ld in line 13, "
		"may wait for what other threads do") != NULL, "%s", why);
	why = reason(entries, "");
	ck_assert_msg(strstr(why, "has several entries") != NULL, "%s", why);
	ck_assert(!decided(weights(1, 1, false), "rule=always,loops=[B]", &why)); /* B is no outer loop */
	ck_assert(decided(weights(1, 1, false), "rule=always,loops=[A]", &why));
	ck_assert(!decided(weights(1, 1, false), "rule=always,level=2", &why));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("flatten");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, figure_5);
	tcase_add_test(t, shapes);
	tcase_add_test(t, random_kernels);
	tcase_add_test(t, random_nests);
	tcase_add_test(t, closed_form);
	tcase_add_test(t, decisions);
	tcase_add_test(t, profiles);
	tcase_add_test(t, lanes_of_a_warp);
	tcase_add_test(t, left_alone);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
