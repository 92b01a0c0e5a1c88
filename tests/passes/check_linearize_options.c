/* Linearization with every option, of graphs with awkward instructions. */
#include "tests/passes/passes_rig.h"

static Ins value_ins(int dst, Opd src)
{
	Ins i = ins_make(m, OP_MOV, T_U32, 1, 1);
	*ins_dst(&i, 0) = opd_reg(dst);
	*ins_src(&i, 0) = src;
	return i;
}

/* In front of the branch: values that are written and not read, and an instruction that overwrites its own
   guard, now and then what the branch asks for. */
static void fill(Function *f, Block *b)
{
	const Ins *t = block_term(b);
	int q = function_reg(m, f, "%q", T_PRED), own = b->nsucc == 2 && pick(3) == 0 ? ins_src(t, 0)->id : q;
	Ins i = value_ins(own, opd_imm(pick(2)));
	i.guard = own;
	i.guard_neg = (uint8_t)pick(2);
	vec_insert(&b->ins, 0, i);
	if (own == q)
		vec_insert(&b->ins, 0, value_ins(q, opd_imm(pick(2))));
	if (pick(2))
		vec_insert(&b->ins, 0, value_ins(function_reg(m, f, "%x", T_U32), opd_imm(b->id)));
}

/* In front of some blocks: loads, and stores of what has been loaded, there or in another block; few
   registers, so that both sides of branches have the same ones. */
static void add_memory(Function *f)
{
	int address = function_reg(m, f, "%a", T_U64),
		value[] = { function_reg(m, f, "%l0", T_U32), function_reg(m, f, "%l1", T_U32) };
	for (int b = 0; b < f->block.n; b++)
		for (int k = pick(5); k > 0; k--) {
			bool load = pick(2);
			Ins i = load ? ins_make(m, OP_LD, T_U32, 1, 1) : ins_make(m, OP_ST, T_U32, 0, 2);
			i.space = SP_GLOBAL;
			i.opd[!!load] = opd_reg(address);
			i.opd[!load] = opd_reg(value[pick(2)]);
			vec_insert(&f->block.v[b]->ins, 0, i);
		}
}

/* Branches that the analysis takes for divergent: none (part 0), some (1), all (2). The model knows no thread
   that does it: %never does not hold. */
static void part_threads(Function *f, int part)
{
	for (int b = 0; b < f->block.n; b++) {
		const Block *p = f->block.v[b];
		if (p->nsucc < 2 || ins_src(block_term(p), 0)->kind != OPD_REG ||
			!(part == 2 || (part == 1 && pick(2))))
			continue;
		Ins i = value_ins(ins_src(block_term(p), 0)->id, (Opd){ .kind = OPD_SREG, .id = SREG_TID_X });
		i.guard = function_reg(m, f, "%never", T_PRED);
		vec_insert(&f->block.v[0]->ins, 0, i);
	}
}

/* What the graph brings: equal targets, a condition that is a constant, three ways, entries of cycles,
   returns in the middle. */
static Function *awkward(Function *f)
{
	for (int b = 0; b < f->block.n; b++) {
		Ins *t = block_term(f->block.v[b]);
		if (t->op == OP_BRA && t->nsrc && pick(12) == 0)
			*ins_src(t, 0) = opd_imm(pick(2));
		else if (t->op == OP_BRA && t->nsrc && pick(4) == 0)
			ins_src(t, 0)->neg = true;
		if (pick(4) == 0)
			fill(f, f->block.v[b]);
	}
	return f;
}

static bool has_trap(const char *text) { return strstr(text, ":trap") != NULL; }

static char *choose_options(PassValue *v, Function *f, bool traps)
{
	pass_defaults(&pass_linearize, v);
	v[OPT].number = pick(5);
	v[WHOLE].number = pick(4) == 0;
	v[DIVERGENT].number = pick(4) == 0;
	v[MERGE].number = pick(3) == 0 ? 1 + pick(3) : 0;
	v[DEPTH].number = pick(4) == 0 ? 3 + 2 * pick(3) : 0;
	v[RELAXED].number = pick(4) == 0;
	v[INTERLEAVE].number = pick(3) == 0;
	v[SPLIT].number = pick(3) == 0;
	if (pick(4) == 0 && !traps) { /* with traps, an order may make a loop that only aborts leave */
		const Cfg *c = cfg_build(&arena, f);
		v[ORDER].n = 1 + pick(c->nreach);
		v[ORDER].list = (const char **)arena_array(&arena, char *, v[ORDER].n);
		int start = pick(c->nreach);
		for (int i = 0; i < v[ORDER].n; i++)
			v[ORDER].list[i] = c->rpo[(start + i) % c->nreach]->label;
		for (int i = v[ORDER].n - 1; i > 0; i--) {
			int k = pick(i + 1);
			const char *x = v[ORDER].list[i];
			v[ORDER].list[i] = v[ORDER].list[k];
			v[ORDER].list[k] = x;
		}
	}
	char *text = arena_printf(&arena, "opt=%d,whole=%d,divergent=%d,merge=%d,depth=%d,relaxed-exits=%d,"
		"interleave=%d,split-loads=%d,order=[", (int)v[OPT].number, (int)v[WHOLE].number,
		(int)v[DIVERGENT].number, (int)v[MERGE].number, (int)v[DEPTH].number, (int)v[RELAXED].number,
		(int)v[INTERLEAVE].number, (int)v[SPLIT].number);
	for (int i = 0; i < v[ORDER].n; i++)
		text = arena_printf(&arena, "%s%s%s", text, i ? "," : "", v[ORDER].list[i]);
	return arena_printf(&arena, "%s]", text);
}

/* Every guard's immediate post-dominator is where it goes on when it fails; but for guards of loops without
   end, from which nobody comes there. */
static void check_guards(Function *f, const char *what)
{
	const Cfg *c = cfg_build(&arena, f);
	const Dom *p = pdom_build(&arena, c, true);
	for (int b = 0; b < f->block.n; b++) {
		const Block *g = f->block.v[b];
		const char *tail = strrchr(g->label, '_');
		if (!g->origin || g->nsucc != 2 || !tail || (strcmp(tail, "_guard") && strcmp(tail, "_back")))
			continue;
		BitSet behind = bs_new(&arena, c->n + 1);
		graph_reach(c->graph, false, g->succ[0]->id, bs_new(&arena, c->n + 1), behind);
		if (bs_has(behind, g->succ[1]->id))
			ck_assert_msg(p->idom[b] == g->succ[1]->id, "%s: %s meets again elsewhere", what,
				g->label);
	}
}

typedef struct Campaign { int graphs, changed, blocks, added, whole, brx, interleaved, split; } Campaign;

static void same_traces(const WmRun *before, const WmRun *after, const char *what)
{
	ck_assert_msg(after->ended || !before->ended, "%s: does not end", what);
	for (int l = 0; l < WM_LANES; l++) {
		const WmLane *x = &before->lane[l], *y = &after->lane[l];
		int n = before->ended ? x->n > y->n ? x->n : y->n : x->n < y->n ? x->n : y->n;
		ck_assert_msg(!memcmp(x->trace, y->trace, sizeof(int) * (size_t)n),
			"%s: lane %d: another trace", what, l);
	}
}

static int own_instructions(const Function *f)
{
	int n = 0;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n - 1; k++)
			n += f->block.v[b]->ins.v[k].origin == 0;
	return n;
}

static void try_graph(Function *f, const PassValue *v, uint64_t seed, int part, const char *name, Campaign *c)
{
	static WmSource s;
	static WmRun before, after;
	int blocks = f->block.n, ins = own_instructions(f), brx = 0, user = 0, split = 0;
	bool traps = has_trap(name), acyclic = cfg_build(&arena, f)->nest->nloop == 0,
		was = function_structured(f);
	for (int b = 0; b < blocks; b++) {
		const Ins *t = block_term(f->block.v[b]);
		brx += t->op == OP_BRX;
		/* such a branch parts nobody */
		part -= part == 2 && t->nsrc && ins_src(t, 0)->kind == OPD_IMM;
	}
	wm_source(f, &s);
	wm_run(&s, f, WM_LANES, seed, &before);
	bool changed = pass_apply(&pass_linearize, m, f, v, &diag);
	ck_assert_int_eq(diag.errors, 0);
	const char *what = arena_printf(&arena, "%s -> %s", name, text_of(f));
	check_form(f);
	bool structured = v[RELAXED].number ? structured_but_breaks(cfg_build(&arena, f))
		: function_structured(f);
	ck_assert_msg(structured || (v[DIVERGENT].number && part < 2), "%s: not structured", what);
	if (v[DIVERGENT].number && part == 0)
		ck_assert_msg(!changed, "%s: no branch parts threads", what);
	if (was && !v[ORDER].n && !v[DEPTH].number && !v[MERGE].number && !v[INTERLEAVE].number)
		ck_assert_msg(!changed, "%s: was structured", what);
	wm_run(&s, f, WM_LANES, seed, &after);
	same_traces(&before, &after, what);
	for (int b = 0; b < f->block.n; b++) {
		const char *tail = strrchr(f->block.v[b]->label, '_');
		user += f->block.v[b]->user;
		split += tail && !strcmp(tail, "_use");
	}
	ck_assert_msg(user == blocks && own_instructions(f) == ins,
		"%s: something of the source is there twice, or gone", what);
	/* the region of an order, and one that is interleaved, is one more unit, and has an entry and an exit
	   of its own */
	if (!brx)
		ck_assert_msg(f->block.n - blocks <= 2 * blocks + 3 * split + 2 + (v[ORDER].n ? 4 : 0) +
			(v[INTERLEAVE].number ? 4 : 0), "%s: %d blocks added", what, f->block.n - blocks);
	if (v[OPT].number == 0 && !traps && before.ended)
		check_guards(f, what);
	if (v[OPT].number == 0 && v[WHOLE].number && acyclic && changed && !v[ORDER].n && !v[DEPTH].number &&
		!brx)
		ck_assert_msg(after.max_depth <= 3, "%s: depth %d", what, after.max_depth);
	c->graphs++;
	c->changed += changed;
	c->blocks += blocks;
	c->added += f->block.n - blocks;
	c->whole += v[WHOLE].number != 0;
	c->brx += brx != 0;
	c->interleaved += changed && was && !v[ORDER].n && !v[DEPTH].number && !v[MERGE].number;
	c->split += split > 0;
	/* an order names the source's graph; each run merges so many levels more */
	if (v[ORDER].n || v[MERGE].number)
		return;
	bool again = pass_apply(&pass_linearize, m, f, v, &diag);
	/* a depth that is missed may be met then */
	ck_assert_msg(!again || v[DEPTH].number, "%s: not the same the second time: %s", what, text_of(f));
	ck_assert_msg(!again || !pass_apply(&pass_linearize, m, f, v, &diag),
		"%s: not the same the third time: %s", what, text_of(f));
}

static void try_options(uint64_t seed, Campaign *c)
{
	PassValue v[PASS_OPTIONS];
	rng = seed * 2654435761u + 17;
	bool acyclic = pick(3) == 0;
	int n = 3 + pick(14);
	char *text = random_graph(n, acyclic, pick(3) == 0);
	Function *f = awkward(graph_kernel(m, text));
	char *options = choose_options(v, f, has_trap(text));
	int part = pick(3);
	if (v[DIVERGENT].number || v[INTERLEAVE].number)
		part_threads(f, part);
	if (pick(2))
		add_memory(f);
	function_mark_blocks(m, f); /* at what is the first instruction now */
	try_graph(f, v, seed, part, arena_printf(&arena, "seed %d: linearize(%s): %s", (int)seed, options,
		text), c);
}

/* With relaxed exits the source's blocks are fetched as often as without, by fewer guards: no loop is left as
   it is in which one would be fetched more. */
START_TEST(relaxed_exits)
{
	static WmSource s;
	static WmRun run[2];
	int n = getenv("COUNT") ? atoi(getenv("COUNT")) : 2000, other = 0, fewer = 0;
	for (int i = 0; i < n; i++) {
		char *text = NULL;
		for (int relaxed = 0; relaxed < 2; relaxed++) {
			PassValue v[PASS_OPTIONS];
			pass_defaults(&pass_linearize, v);
			v[RELAXED].number = relaxed;
			rng = (uint64_t)i + 700000;
			text = random_graph(3 + pick(8), false, false);
			Function *f = graph_kernel(m, text);
			wm_source(f, &s);
			pass_apply(&pass_linearize, m, f, v, &diag);
			wm_run(&s, f, WM_LANES, (uint64_t)i, &run[relaxed]);
			char *once = text_of(f);
			ck_assert_msg(!pass_apply(&pass_linearize, m, f, v, &diag),
				"%s: relaxed %d: not the same the second time: %s -> %s", text, relaxed, once,
				text_of(f));
			ck_assert_msg(relaxed || function_structured(f), "%s", text);
			other += !function_structured(f);
		}
		same_traces(&run[0], &run[1], text);
		for (int k = 0; k < s.n && run[0].ended; k++)
			ck_assert_msg(run[1].fetches[k] == run[0].fetches[k],
				"%s: %s is fetched %d times, not %d", text, s.label[k], run[1].fetches[k],
				run[0].fetches[k]);
		fewer += run[0].ended && run[1].guards < run[0].guards;
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
	ck_assert_int_gt(other, n / 100);
	ck_assert_int_gt(fewer, n / 200);
	if (getenv("VERBOSE"))
		fprintf(stderr, "relaxed exits: %d graphs, %d not structured strictly, %d with fewer guards "
			"fetched\n", n, other, fewer);
}
END_TEST

/* Loops without end beside other ways out, once in a unit inside; a guard among the ways out of a unit. */
START_TEST(found)
{
	static const struct { const char *text; int opt, merge, depth; } list[] = {
		{ "b0:b7,b6,b3 b1:b4 b2:b5,b8 b3:b0 b4:b8,b5 b5:b1,b2 b6:b6 b7:b9,b1 b8:b1,b8 b9", 3, 0, 0 },
		{ "b0:b1 b1:b5,b3 b2:b6,b6 b3:b5,b5 b4:b5 b5:b8,b8 b6:b8 b7:b2,b4 b8:b10,b7 b9:b11 "
			"b10:b12,b11,b1 b11:b12,b12 b12:b11", 0, 0, 0 },
		{ "b0:b5,b2 b1:b4 b2:b5,b4 b3:b6 b4 b5:b9,b10 b6:b8,b10 b7:b9,b5 b8:b10,b10 b9 b10:b3", 3, 1,
			0 },
		{ "b0:b1 b1:b4 b2:b3,b6 b3:b9,b4 b4:b13,b4 b5:b9,b7 b6:b9,b10 b7:b14 b8:b12,b14 b9:b12,b14 "
			"b10:b11,b14 b11:b14,b13 b12 b13:b11,b15 "
			"b14:b3 b15:b14", 0, 0, 3 },
	};
	Campaign c = { 0 };
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		PassValue v[PASS_OPTIONS];
		pass_defaults(&pass_linearize, v);
		v[OPT].number = list[i].opt;
		v[MERGE].number = list[i].merge;
		v[DEPTH].number = list[i].depth;
		try_graph(graph_kernel(m, list[i].text), v, i, 0, list[i].text, &c);
	}
	ck_assert_int_eq(c.changed, 4);
}
END_TEST

/* COUNT: how many graphs. */
START_TEST(random_options)
{
	Campaign c = { 0 };
	const char *text = getenv("COUNT");
	int n = text ? atoi(text) : 2500;
	for (int i = 0; i < n; i++) {
		try_options((uint64_t)i + 1, &c);
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d graphs, %d with brx, %d whole: %d changed, %d blocks + %d; %d structured "
			"ones interleaved, %d with blocks split\n", c.graphs, c.brx, c.whole, c.changed,
			c.blocks, c.added, c.interleaved, c.split);
	ck_assert_int_gt(c.changed, n / 3);
	ck_assert_int_gt(c.split, n / 50);
}
END_TEST

/* A structured part of at most so many blocks that goes on to block `to`: its first block. */
static int nest_of(char **line, int *n, int depth, int to)
{
	int kind = depth ? pick(4) : 0, b;
	if (kind == 1)
		return nest_of(line, n, depth - 1, nest_of(line, n, depth - 1, to));
	b = (*n)++;
	if (kind == 2) {
		int latch = (*n)++;
		line[latch] = arena_printf(&arena, "b%d:b%d,b%d", latch, b, to);
		line[b] = arena_printf(&arena, "b%d:b%d", b, nest_of(line, n, depth - 1, latch));
	} else if (kind == 3) {
		int yes = nest_of(line, n, depth - 1, to);
		line[b] = arena_printf(&arena, "b%d:b%d,b%d", b, yes,
			pick(4) ? nest_of(line, n, depth - 1, to) : to);
	} else {
		line[b] = arena_printf(&arena, "b%d:b%d", b, to);
	}
	return b;
}

/* Both sides of a branch, structured, with loads. */
START_TEST(interleaved)
{
	Campaign c = { 0 };
	int count = getenv("COUNT") ? atoi(getenv("COUNT")) : 1000;
	for (int i = 0; i < count; i++) {
		PassValue v[PASS_OPTIONS];
		char *line[64] = { 0 };
		int n = 2;
		rng = (uint64_t)i * 2654435761u + 900017;
		int yes = nest_of(line, &n, 2, 1), no = nest_of(line, &n, 2, 1);
		char *text = arena_printf(&arena, "b0:b%d,b%d b1", yes, no);
		for (int b = 2; b < n; b++)
			text = arena_printf(&arena, "%s %s", text, line[b]);
		Function *f = graph_kernel(m, text);
		pass_defaults(&pass_linearize, v);
		v[OPT].number = pick(5);
		v[INTERLEAVE].number = 1;
		v[SPLIT].number = pick(2);
		v[DIVERGENT].number = pick(2);
		part_threads(f, 2);
		add_memory(f);
		function_mark_blocks(m, f);
		try_graph(f, v, (uint64_t)i, 2, arena_printf(&arena, "seed %d: opt=%d split-loads=%d: %s", i,
			(int)v[OPT].number, (int)v[SPLIT].number, text), &c);
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d structured graphs, %d interleaved, %d with blocks split\n", c.graphs,
			c.interleaved, c.split);
	ck_assert_int_gt(c.interleaved, count / 5);
	ck_assert_int_gt(c.split, count / 20);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("linearize options");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, relaxed_exits);
	tcase_add_test(t, found);
	tcase_add_test(t, random_options);
	tcase_add_test(t, interleaved);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
