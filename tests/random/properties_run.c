#include "isa/ir.h"
#include "sim/code/lower.h"
#include "sim/reconv/common/frontier.h"
#include "tests/random/properties_case.h"
#include "tests/random/random_text.h"

/* ---- kernels ---- */

const char *const property_classes[PROPERTY_CLASSES] =
	{ "any", "no_calls", "acyclic", "graph", "graph_dag", "arms" };

static RandomKernel *kernel_of(uint64_t seed, int class)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	switch (class) {
	case NO_CALLS: p.features = RF_ALL & ~(RF_CALL | RF_RECURSION | RF_INDIRECT); break;
	case ACYCLIC:
		p.features = RF_FLOAT | RF_WIDE | RF_GUARD | RF_SWITCH | RF_GOTO | RF_VECTOR | RF_EXIT |
			RF_CONSTANT | RF_CARRY |
		RF_OVERWRITE; break;
	case GRAPH: return random_graph_kernel(seed, seed / PROPERTY_CLASSES % 2 ? GRAPH_INDEXED : 0);
	case GRAPH_DAG:
		return random_graph_kernel(seed, GRAPH_ACYCLIC |
			(seed / PROPERTY_CLASSES % 2 ? GRAPH_INDEXED : 0));
	case ARMS:
		p.arms = true;
		p.size = 100;
		break;
	default: break;
	}
	RandomKernel *k = random_kernel_new(&p);
	/* those that no label of a source names are counted as well */
	for (int f = 0; f < k->module->func.n; f++) {
		for (int b = 0; b < k->module->func.v[f]->block.n; b++)
			k->module->func.v[f]->block.v[b]->user = true;
		function_mark_blocks(k->module, k->module->func.v[f]);
	}
	return k;
}

static uint64_t warps_of(const RandomKernel *k)
{
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	return (uint64_t)k->grid[0] * k->grid[1] * k->grid[2] * ((threads + 31) / 32);
}

/* ---- runs ---- */

int model_index(const char *name)
{
	for (int i = 0; model_keys(i); i++)
		if (!strcmp(model_keys(i)->name, name))
			return i;
	bug("no such mechanism");
}

static void sum(Run *r)
{
	for (int b = 0; b < r->probe.stats.tables.blocks.n; b++) {
		const BlockStats *s = &r->probe.stats.tables.blocks.v[b];
		r->fetches += s->fetches;
		r->threads += s->threads;
		if (s->fetches > r->most)
			r->most = s->fetches;
	}
}

/* Under the mechanism with the setting, once; NULL: it refuses the kernel, or a run has failed. */
const Run *case_run(Case *c, const char *model, const char *set)
{
	Run *r = c->run;
	while (r < c->run + c->n && (strcmp(r->model, model) || strcmp(r->set, set)))
		r++;
	if (r == c->run + c->n) {
		must(c->n < RUNS_MOST);
		c->n++;
		*r = (Run){ .model = model, .set = set };
		Job job = { c->k, c->k->module, { c->k->grid[0], c->k->grid[1], c->k->grid[2] } };
		Way way = { model_index(model), NULL, true };
		Config config;
		Diag d = { 0 };
		char key[64];
		config_defaults(&config);
		snprintf(key, sizeof key, "%.*s", (int)strcspn(set, "="), set);
		must(!*set || config_set(&config, key, set + strlen(key) + 1, &d));
		outcome_machine(&job, &config, &way, &r->probe, &r->outcome);
		sum(r);
		if (r->outcome.how == RAN_BADLY)
			FAIL(c, "%s %s: %s", model, set, r->outcome.text);
		diag_free(&d);
	}
	return r->outcome.how == RAN_WELL ? r : NULL;
}

static void same_fetches(Case *c, const Run *a, const Run *b)
{
	if (a && b && a->fetches != b->fetches)
		FAIL(c, "%llu fetches under %s %s, %llu under %s %s", ll(a->fetches), a->model, a->set,
			ll(b->fetches), b->model, b->set);
}

static void no_more_fetches(Case *c, const Run *a, const Run *b)
{
	if (a && b && a->fetches > b->fetches)
		FAIL(c, "%llu fetches under %s %s, %llu under %s %s", ll(a->fetches), a->model, a->set,
			ll(b->fetches), b->model, b->set);
}

/* ---- the properties ---- */

static void memory(Case *c)
{
	char why[1700];
	for (int m = 0; model_keys(m); m++) {
		const Run *r = case_run(c, model_keys(m)->name, "");
		if (r && !outcome_agrees(c->k, &c->want, &r->outcome, why, sizeof why))
			FAIL(c, "%s: %s", r->model, why);
	}
}

static void lanes(Case *c)
{
	const Run *first = case_run(c, model_keys(0)->name, "");
	for (int m = 1; model_keys(m); m++) {
		const Run *r = case_run(c, model_keys(m)->name, "");
		if (first && r && r->threads != first->threads)
			FAIL(c, "%llu lanes in blocks under %s, %llu under %s", ll(r->threads), r->model,
				ll(first->threads), first->model);
		if (first && r &&
			r->probe.stats.totals.thread_instructions !=
				first->probe.stats.totals.thread_instructions)
			FAIL(c, "%llu thread instructions under %s, %llu under %s",
				ll(r->probe.stats.totals.thread_instructions), r->model,
				ll(first->probe.stats.totals.thread_instructions), first->model);
	}
}

static void order(Case *c)
{
	static const char *const orders[] = { "ipdom.push_order=fall_top", "ipdom.push_order=larger_top",
		"ipdom.push_order=smaller_top" };
	for (int i = 0; i < 3; i++)
		same_fetches(c, case_run(c, "ipdom", orders[i]), case_run(c, "ipdom", ""));
}

static void paths(Case *c)
{
	same_fetches(c, case_run(c, "multi_path", "multi_path.merge=false"), case_run(c, "ipdom", ""));
	same_fetches(c, case_run(c, "dual_path", ""), case_run(c, "ipdom", ""));
	no_more_fetches(c, case_run(c, "multi_path", "multi_path.merge=true"), case_run(c, "ipdom", ""));
}

/* Where a loop has several ways back to its header, or is part of another, lanes that take the first way back
   run ahead of those that wait for the rest of its body, and ipdom, which collects them, may fetch less: `H:
   exit or B; B: C or H; C: H`. Random graphs are like that, kernels with structured loops are not. */
static bool plain_loops(const RandomKernel *k)
{
	Arena a = { 0 };
	Loops *l = loops_build(&a, cfg_build(&a, k->kernel));
	bool plain = true;
	for (int i = 0; i < l->n; i++)
		plain &= l->loop[i].depth == 1 && l->loop[i].reducible && l->loop[i].latch.n == 1;
	arena_free(&a);
	return plain;
}

static void frontier(Case *c)
{
	if (!(c->k->features & RF_GRAPH) || plain_loops(c->k))
		no_more_fetches(c, case_run(c, "tf_stack", ""), case_run(c, "ipdom", ""));
}

static void once(Case *c)
{
	const Run *r = case_run(c, "tf_stack", "");
	if (r && r->most > warps_of(c->k))
		FAIL(c, "a block is fetched %llu times by %llu warps", ll(r->most), ll(warps_of(c->k)));
}

static void lowest(Case *c)
{
	same_fetches(c, case_run(c, "min_pc", ""), case_run(c, "tf_stack", ""));
	same_fetches(c, case_run(c, "min_sp_pc", ""), case_run(c, "tf_stack", ""));
}

static void deepest(Case *c) { same_fetches(c, case_run(c, "min_sp_pc", ""), case_run(c, "tf_stack", "")); }

static void sandy(Case *c)
{
	static const char *const rules[] = { "tf_sandy.rule=static", "tf_sandy.rule=refined" };
	const Run *stack = case_run(c, "tf_stack", "");
	for (int i = 0; i < 2; i++) {
		const Run *r = case_run(c, "tf_sandy", rules[i]);
		if (r && stack && r->fetches - r->probe.stats.totals.noop_fetches != stack->fetches)
			FAIL(c, "%llu fetches for lanes under tf_sandy %s, %llu under tf_stack",
				ll(r->fetches - r->probe.stats.totals.noop_fetches), r->set,
				ll(stack->fetches));
	}
	no_more_fetches(c, case_run(c, "tf_sandy", rules[1]), case_run(c, "tf_sandy", rules[0]));
}

/* The entries that the frontier of the kernel's blocks allows; of the blocks as lowering orders them, or as
   the text has them. */
static uint64_t count_allowed(const Case *c, bool canonical)
{
	Arena a = { 0 };
	Config config;
	Module *m = module_copy(c->k->module);
	Function *f = m->func.v[c->k->kernel->id];
	LowerFn l = { .f = f, .arena = &a, .config = &config, .edit = edit_open(m, f, ORIGIN_LOWER) };
	config_defaults(&config);
	function_number(f);
	if (canonical)
		lower_canonical(&l);
	ThreadFrontier frontier = frontier_build(&a, &l, PRIORITY_RPO);
	int most = frontier_most(&frontier) + 1;
	edit_close(&l.edit);
	arena_free(&a);
	module_free(m);
	return (uint64_t)most;
}

static void entries(Case *c)
{
	/* by whether the order is canonical */
	static const char *const layouts[] = { "code.layout=source", "" };
	for (int canonical = 0; canonical < 2; canonical++) {
		const Run *r = case_run(c, "tf_stack", layouts[canonical]);
		uint64_t allowed = count_allowed(c, canonical);
		if (r && r->probe.stats.totals.max_depth > allowed)
			FAIL(c, "%llu entries under tf_stack %s, the frontier allows %llu",
				ll(r->probe.stats.totals.max_depth), layouts[canonical], ll(allowed));
	}
}

static void spills(Case *c)
{
	static const char *const models[] = { "ipdom", "token", "tf_stack" };
	for (int m = 0; m < 3; m++) {
		const Run *all = case_run(c, models[m], ""),
			*one = case_run(c, models[m], "divergence.depth=1");
		if (!all || !one)
			continue;
		const LaunchStats *a = &all->probe.stats, *o = &one->probe.stats;
		same_fetches(c, one, all);
		if (a->totals.pushes != o->totals.pushes || a->totals.max_depth != o->totals.max_depth ||
			a->totals.spills)
			FAIL(c, "%s: a chip of one entry changes what is pushed", models[m]);
		if (o->totals.spills != o->totals.fills || (a->totals.max_depth > 1 && !o->totals.spills))
			FAIL(c, "%s, depth %llu: %llu spills and %llu fills", models[m],
				ll(a->totals.max_depth), ll(o->totals.spills), ll(o->totals.fills));
	}
}

static const struct Property { PropertyInfo info; unsigned classes; void (*check)(Case *); } properties[] = {
	{ { "memory", "every mechanism leaves the reference interpreter's memory" }, ALL, memory },
	{ { "sources", "after any pipeline as many lanes come to each block of the source, and take its "
		"branch" }, ALL, sources },
	{ { "melding", "melding, fusion, tails and unrolling, in pipelines of every order: the memory under "
		"four mechanisms, the source's blocks" }, 1 << ARMS, melding },
	{ { "places", "after melding, fusion and tails each thread executes what it did, in that order, at "
		"instructions that keep the place in the source" }, ALL, places },
	{ { "again", "a second run of one of these passes changes nothing" }, ALL, again },
	{ { "cost", "melding and fusion never raise the cost that they count" }, ALL, cost },
	{ { "accesses", "after these passes each thread has as many accesses to memory as before" }, ALL,
		accesses },
	{ { "lanes", "lanes in blocks and thread instructions do not depend on the mechanism" }, ALL, lanes },
	{ { "windows", "timed, with blocks that replace others: a launch is the same whatever the window, "
		"under two mechanisms with random options" }, ALL, windows },
	{ { "text", "timed: a launch is the same in whatever order the text has the blocks, under three "
		"mechanisms" }, ALL, text_order },
	{ { "order", "the order of pushes changes no fetch under ipdom" }, ALL, order },
	{ { "paths", "multi_path without merging and dual_path fetch what ipdom does; with merging no more" },
		ALL, paths },
	{ { "frontier", "tf_stack fetches no more than ipdom (without calls; structured code or plain "
		"loops)" }, FLOW, frontier },
	{ { "once", "tf_stack fetches a block once for a warp where there is no cycle" }, DAG, once },
	{ { "lowest", "min_pc and min_sp_pc fetch what tf_stack does (without calls)" }, FLOW, lowest },
	{ { "deepest", "min_sp_pc fetches what tf_stack does, with calls too" }, HAS_CALLS, deepest },
	{ { "sandy", "tf_sandy fetches for lanes what tf_stack does; refined never more in all than static" },
		FLOW, sandy },
	{ { "entries", "tf_stack has no more entries than the largest frontier and one (without calls)" },
		FLOW, entries },
	{ { "spills", "a stack that spills fetches and pushes the same; what has been spilled comes back" },
		ALL, spills },
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

int property_list(const PropertyInfo **list)
{
	static PropertyInfo info[PROPERTIES]; /* the same values whenever they are written */
	for (int i = 0; i < PROPERTIES; i++)
		info[i] = properties[i].info;
	*list = info;
	return PROPERTIES;
}

bool properties_hold(uint64_t seed, int class, const char *only, char *text, size_t n, uint64_t *runs)
{
	Case *c = xcalloc(1, sizeof *c);
	char why[2000] = "";
	class = class < 0 ? (int)(seed % PROPERTY_CLASSES) : class;
	c->k = kernel_of(seed, class);
	c->seed = seed;
	c->text = why;
	c->room = sizeof why;
	Job job = { c->k, c->k->module, { c->k->grid[0], c->k->grid[1], c->k->grid[2] } };
	outcome_reference(&job, 32, &c->want);
	if (c->want.how != RAN_WELL)
		FAIL(c, "%s", c->want.text);
	for (int i = 0; i < PROPERTIES && !c->failed; i++) {
		if (!(properties[i].classes >> class & 1) || (only && strcmp(only, properties[i].info.name)))
			continue;
		properties[i].check(c);
		if (c->failed)
			snprintf(text, n, "seed %llu: %s: %s", ll(seed), properties[i].info.name, why);
	}
	bool ok = !c->failed;
	if (c->want.how != RAN_WELL)
		snprintf(text, n, "seed %llu: %s", ll(seed), why);
	*runs += (uint64_t)c->n + c->extra;
	for (int i = 0; i < c->n; i++) {
		outcome_free(&c->run[i].outcome);
		arena_free(&c->run[i].probe.arena);
	}
	outcome_free(&c->want);
	random_kernel_free(c->k);
	free(c);
	return ok;
}
