#include "passes/analysis/limits.h"
#include "passes/analysis/uniformity.h"
#include "passes/transform/transform.h"
#include "tests/passes/warp_model.h"
#include "lib/strbuf.h"
#include "tests/check.h"

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

static bool apply(const Pass *p, Function *f)
{
	return pass_apply(p, m, f, NULL, &diag);
}

static bool linearize(Function *f, int level)
{
	PassValue args[PASS_OPTIONS];
	pass_defaults(&pass_linearize, args);
	args[0].number = level;
	return pass_apply(&pass_linearize, m, f, args, &diag);
}

/* ---- what every pass must leave ---- */

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

static void check_form(const Function *f)
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

/* ---- linearization ---- */

/* blocks: added; arms: edges of brx */
typedef struct Outcome { int fetches, after, guards, blocks, arms; } Outcome;

/* Linearizes the graph and compares runs before and after on several warps. */
static Outcome compare(const char *text, int warps, bool acyclic, int level)
{
	static WmSource s;
	static WmRun before[8], after;
	Function *f = graph_kernel(m, text);
	Outcome o = { .blocks = f->block.n };
	wm_source(f, &s);
	for (int k = 0; k < s.n; k++)
		o.arms += s.nsucc[k] > 2 ? s.nsucc[k] : 0;
	for (int w = 0; w < warps; w++)
		wm_run(&s, f, WM_LANES, (uint64_t)w, &before[w]);
	linearize(f, level);
	check_form(f);
	Cfg *c = cfg_build(&arena, f);
	ck_assert_msg(structured(&arena, c, NULL), "%s: not structured: %s", text, text_of(f));
	for (int w = 0; w < warps; w++) {
		wm_run(&s, f, WM_LANES, (uint64_t)w, &after);
		ck_assert_msg(after.ended || !before[w].ended, "%s: warp %d does not end: %s", text, w,
			text_of(f));
		for (int l = 0; l < WM_LANES; l++) {
			const WmLane *x = &before[w].lane[l], *y = &after.lane[l];
			int n = before[w].ended && after.ended ? x->n > y->n ? x->n : y->n
				: x->n < y->n ? x->n : y->n;
			ck_assert_msg(!memcmp(x->trace, y->trace, sizeof(int) * (size_t)n),
				"%s: warp %d lane %d: another trace: %s", text, w, l, text_of(f));
		}
		for (int k = 0; k < s.n; k++) {
			if (before[w].ended && after.ended) {
				o.fetches += before[w].fetches[k];
				o.after += after.fetches[k];
			}
			if (acyclic)
				ck_assert_msg(after.fetches[k] == (before[w].fetches[k] != 0),
					"%s: warp %d fetches %s %d times: %s", text, w, s.label[k],
					after.fetches[k], text_of(f));
		}
		o.guards += before[w].ended && after.ended ? after.guards : 0;
	}
	char *once = text_of(f);
	ck_assert(!linearize(f, level));
	ck_assert_str_eq(text_of(f), once);
	o.blocks = f->block.n - o.blocks;
	return o;
}

#define FIG1 "B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6"

START_TEST(figure_1)
{
	static WmSource s;
	static WmRun r;
	Function *f = graph_kernel(m, FIG1);
	int total = 0;
	wm_source(f, &s);
	s.fixed_mask = 7;
	s.fixed[0] = 3;  /* c1: T1 T2 */
	s.fixed[1] = 4;  /* c2: T3 */
	s.fixed[2] = 1;  /* c3: T1 */
	wm_run(&s, f, 4, 0, &r);
	for (int k = 0; k < 6; k++)
		total += r.fetches[k];
	ck_assert_int_eq(total, 9);
	ck_assert_int_eq(r.max_depth, 4);
	ck_assert(linearize(f, 0));
	ck_assert_str_eq(text_of(f), "B1:B2_guard B2_guard:B2,B3_guard B2:B3_guard B3_guard:B3,B4_guard "
		"B3:B4_guard B4_guard:B4,B5_guard B4:B5_guard B5_guard:B5,B6 B5:B6 B6");
	wm_run(&s, f, 4, 0, &r);
	for (int k = 0; k < 6; k++)
		ck_assert_int_eq(r.fetches[k], 1);
	ck_assert_int_eq(r.guards, 4);
	ck_assert_int_eq(r.max_depth, 2);
}
END_TEST

START_TEST(examples)
{
	static const struct { const char *text; bool acyclic; } list[] = {
		{ FIG1, true },
		{ "A:T,F T:E,J F:J E J", true },                             /* exit inside: one exit */
		{ "B1:B2 B2:B3,B5 B3:B4,B6 B4:B2 B5:B6 B6", false },       /* figure 5: jumps out of a loop */
		{ "B1:B2 B2:B3,B5 B3:B4,B6 B4:B2 B5:B3,B6 B6", false }, /* with an edge back: widened range */
		{ "B1:B5,B2 B2:B3 B3:B4 B4:B5 B5:B3,B6 B6", false },         /* figure 6: jump into a loop */
		{ "B1:B2,B3 B2:B3 B3:B2,B4 B4", false },                     /* irreducible */
		{ "P:H H:L,B B:X,W W:L L:H,X X", false },                    /* continue and break */
		{ "0:7,3 7:8,1 1:3 3 8", true },                    /* hidden by a block with one successor */
		{ "0:7,3 3:3,4 4:0 7:x,3 x", false },               /* an exit that post-dominates the loop */
		{ "A:A,B,C B:A,C C", false },                          /* the entry is a loop's first block */
		{ "S:A,B,C,D A:J B:C C:D,J D:E J:E E", true },           /* brx into an unstructured region */
		{ "A:B,C B:C,D C:D,B D:A,E E", false },
		{ "A:B,C B:B,C C:C,B", false },                              /* never ends */
		{ "A:T,F T:E,J F:E,J E:ret J:ret", true },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (int level = 0; level <= 4; level++)
			compare(list[i].text, 8, list[i].acyclic, level);
}
END_TEST

START_TEST(small_regions)
{
	Function *f = graph_kernel(m, "S:L L:C,D C:M D:M M:A,B A:K,B K:N B:N N:L,X X:Y,Z Y:Z Z");
	ck_assert(linearize(f, 0)); /* the region (M, N) alone: loop, diamond and if-then stay */
	ck_assert_str_eq(text_of(f), "S:L L:C,D C:M D:M M:A_guard A_guard:A,K_guard A:K_guard "
		"K_guard:K,B_guard K:B_guard B_guard:B,N B:N N:L,X X:Y,Z Y:Z Z");
	f = graph_kernel(m, "A:B,C B:C,D C:U U:V,W V:W W:D D"); /* the part U V W is one unit */
	ck_assert(linearize(f, 0));
	ck_assert_ptr_nonnull(graph_block(f, "C_guard"));
	for (int b = 0; b < f->block.n; b++)
		ck_assert(strcmp(f->block.v[b]->label, "V_guard") && strcmp(f->block.v[b]->label, "W_guard"));
}
END_TEST

static uint64_t rng;
static int pick(int n)
{
	rng = wm_hash(rng, 77);
	return (int)((rng >> 11) % (uint64_t)n);
}

/* n blocks, each with no, one or two successors (now and then three), most of them forward. traps: half of
   those with none */
static char *random_graph(int n, bool acyclic, bool traps)
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

/* Fetches of inserted blocks; *user: of the source's, after. */
static long random_graphs(bool acyclic, int count, int level, long *user)
{
	int over = 0, original = 0, added = 0;
	long before = 0, after = 0, guards = 0;
	for (int i = 0; i < count; i++) {
		rng = (uint64_t)i * 2 + acyclic;
		int n = 3 + pick(acyclic ? 20 : 12);
		char *text = random_graph(n, acyclic, false);
		Outcome o = compare(text, 3, acyclic, level);
		/* 2: an entry, an exit */
		ck_assert_msg(o.blocks <= 2 * (n + o.arms) + 2, "%s: %d blocks added", text, o.blocks);
		over += o.blocks > 2 * n + o.arms;
		original += n;
		added += o.blocks;
		before += o.fetches;
		after += o.after;
		guards += o.guards;
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%s, opt=%d: %d graphs, %d blocks + %d, over twice %d, fetches %ld -> %ld + "
			"%ld of guards\n", acyclic ? "acyclic" : "cyclic", level, count, original, added,
			over, before, after, guards);
	*user = after;
	return guards;
}

/* Saving guards changes nothing else. */
static void all_levels(bool acyclic)
{
	long user, same, guards = random_graphs(acyclic, 1200, 0, &user);
	for (int level = 1; level < 4; level++)
		random_graphs(acyclic, 300, level, &same);
	long fewer = random_graphs(acyclic, 1200, 4, &same);
	ck_assert_int_eq(same, user);
	ck_assert_int_le(fewer, guards * 3 / 4);
}

/* Ways that end in a trap are no part of the structure; what they do stays. */
START_TEST(aborting)
{
	Function *f = graph_kernel(m, "P:H H:B,X B:T,C C:T,L T:trap L:H X");
	/* a loop with assertions is structured; with exits in their place it is not */
	ck_assert(!linearize(f, 4));
	f = graph_kernel(m, "P:H H:B,X B:T,C C:T,L T L:H X");
	ck_assert(linearize(f, 4));
	for (int i = 0; i < 1000; i++) {
		rng = 5000 + (uint64_t)i;
		char *text = random_graph(3 + pick(14), i % 2, true);
		compare(text, 2, false, i % 5);
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
}
END_TEST

START_TEST(random_acyclic) { all_levels(true); } END_TEST
START_TEST(random_cyclic) { all_levels(false); } END_TEST

/* ---- linearization with every option ---- */

enum { OPT, WHOLE, DIVERGENT, RELAXED, MERGE, DEPTH, ORDER, INTERLEAVE, SPLIT, LIN_OPTIONS };

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

/* ---- uniformity, dce, simplify-cfg: kernels as text ---- */

static Function *read_kernel(const char *body)
{
	char *text = arena_printf(&arena, "kernel k(u64 out, u32 n)\n{\n%s}\n", body);
	module_free(m);
	m = ir_read(text, strlen(text), "test.ir", &diag);
	if (!m)
		diag_print(&diag, stderr);
	ck_assert_ptr_nonnull(m);
	return m->func.v[0];
}

static char *printed(const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			StrBuf line = { 0 };
			ir_print_ins(m, f, f->block.v[b], &f->block.v[b]->ins.v[k], &line);
			char *at = line.s, *loc = strstr(line.s, " !loc");
			while (*at == '\t' || *at == ' ')
				at++;
			if (loc)
				*loc = 0;
			s = arena_printf(&arena, "%s%s%s%s\n", s, k ? "" : f->block.v[b]->label,
				k ? "" : ": ", at);
			sb_free(&line);
		}
	return s;
}

START_TEST(uniform_and_divergent)
{
	Function *f = read_kernel(
		"	reg u32 %tid, %n, %i, %j, %k, %x, %y\n	reg u64 %o\n	reg pred %p, %q, %r, %s\n"
		"A:	%tid = mov.u32 %tid.x\n	%n = ld.param.u32 [n]\n	%o = ld.param.u64 [out]\n"
		"	%i = mov.u32 0\n"
		"	%x = mov.u32 1\n	%y = mov.u32 1\n	%q = setp.lt.u32 %n, 3\n"
		"	%p = setp.lt.u32 %tid, 3\n	bra %q, B, C\n"
		"B:	%x = add.u32 %x, 1\n	bra C\n"                 /* uniform branch: x stays uniform */
		"C:	bra %p, D, L\n"
		"D:	%y = add.u32 %y, 1\n	bra L\n"                /* sync dependence: y diverges at L */
		"L:	%i = add.u32 %i, 1\n	%j = add.u32 %i, 7\n	%r = setp.lt.u32 %i, %tid\n"
			"	bra %r, L, M\n"
		/* temporal: j inside is uniform, k outside is not */
		"M:	%k = add.u32 %j, 1\n	%s = setp.eq.u32 %k, %x\n"
		"	st.global.u32 [%o], %y\n	bra %s, B, E\n"
		"E:	exit\n");
	Uniformity *u = uniformity_build(&arena, cfg_build(&arena, f), 32);
#define DIV(R) bs_has(u->regs, function_find_reg(f, R))
	ck_assert(DIV("%tid") && DIV("%p") && DIV("%r") && DIV("%y") && DIV("%k") && DIV("%s"));
	ck_assert(!DIV("%n") && !DIV("%q") && !DIV("%o"));
	ck_assert(u->divergent[2] && u->divergent[4] && u->divergent[5] && !u->divergent[0] &&
		!u->divergent[1]);
	ck_assert(!DIV("%x"));                                        /* M: those that go on do so together */
	f = read_kernel("	reg u32 %n, %i, %v\n	reg pred %p, %q\n	reg u64 %o\n"
		"A:	%n = ld.param.u32 [n]\n	%o = ld.param.u64 [out]\n	%i = mov.u32 0\n"
		"	bra L\n"
		"L:	%i = add.u32 %i, 1\n	%v = ld.global.u32 [%o]\n	%q = setp.eq.u32 %v, 0\n"
		"	@%q %i = add.u32 %i, 1\n"
		"	%p = setp.lt.u32 %i, %n\n	bra %p, L, E\nE:	exit\n");
	u = uniformity_build(&arena, cfg_build(&arena, f), 32);
	ck_assert(!DIV("%i") && !DIV("%v") && !u->divergent[1]);  /* nothing stores: one address, one value */
	f = read_kernel("	reg u32 %t, %n, %a, %b, %c\n	reg pred %q\n"
		"A:	%t = mov.u32 %tid.x\n	%n = ld.param.u32 [n]\n	%q = setp.lt.u32 %n, 3\n"
		"	%a = add.cc.u32 %n, %n\n"
		"	%b = addc.u32 %n, 0\n	%a = add.cc.u32 %t, -2\n	@%q %a = add.cc.u32 %n, %n\n"
		"	%c = addc.u32 %n, 0\n	exit\n");
	u = uniformity_build(&arena, cfg_build(&arena, f), 32);
	ck_assert(!DIV("%b") && DIV("%c"));                      /* the guard may have left the carry of %t */
#undef DIV
}
END_TEST

/* Lanes that leave a loop for blocks of their own, and end there, do not make differ what the others find
   behind it. Where they come back, they do. */
START_TEST(ends_part_nobody)
{
	static const char *const last[] = { "exit", "bra E" };
	for (int k = 0; k < 2; k++) {
		Function *f = read_kernel(arena_printf(&arena,
			"	reg u32 %%t, %%i, %%x\n	reg pred %%p, %%q, %%r, %%s\n"
			"A:	%%t = mov.u32 %%tid.x\n	%%i = mov.u32 0\n	bra H\n"
			"H:	%%i = add.u32 %%i, 1\n	%%p = setp.lt.u32 %%i, 9\n	bra %%p, B, E\n"
			"B:	%%q = setp.eq.u32 %%t, %%i\n	bra %%q, X, H\n"
			"X:	%%r = setp.eq.u32 %%i, 3\n	bra %%r, F, G\n"
			"F:	bra G\nG:	%s\n"
			"E:	%%s = setp.eq.u32 %%i, 4\n	bra %%s, M, N\n"
			"M:	bra N\nN:	exit\n", last[k]));
		Uniformity *u = uniformity_build(&arena, cfg_build(&arena, f), 32);
		ck_assert(!u->divergent[1] && u->divergent[2] && u->divergent[3]);
		ck_assert_int_eq(u->divergent[6], k);
		ck_assert(u->parts[2] && (u->parts[3] || !k));
	}
	Function *f = read_kernel("	reg u32 %t\n	reg pred %p\nA:	%t = mov.u32 %tid.x\n"
		"	%p = setp.eq.u32 %t, 0\n	bra %p, B, E\nB:	%t = mov.u32 0\n"
		"	bra E\nE:	exit\n");
	Uniformity *u = uniformity_build(&arena, cfg_build(&arena, f), 32);
	ck_assert(u->divergent[0] && !u->parts[0]);
}
END_TEST

/* What is the same in a warp, in a block and in the grid. row: threads in x that the kernel asks for; 0: it
   asks for nothing. */
static void same_in(uint32_t row, int64_t warp_size, UniScope scope, bool y, bool warp, bool block)
{
	char *text = arena_printf(&arena, "kernel k(u32 n) %s\n{\n	reg u32 %%x, %%y, %%w, %%b, %%n\n"
		"	reg pred %%p\n"
		"A:	%%x = mov.u32 %%tid.x\n	%%y = mov.u32 %%tid.y\n	%%w = mov.u32 %%warpid\n"
		"	%%b = mov.u32 %%ctaid.x\n	%%n = ld.param.u32 [n]\n	exit\n}\n",
		row ? arena_printf(&arena, "reqntid(%u, 2)", row) : "");
	module_free(m);
	m = ir_read(text, strlen(text), "test.ir", &diag);
	ck_assert_ptr_nonnull(m);
	Function *f = m->func.v[0];
	Uniformity *u = uniformity_build_for(&arena, cfg_build(&arena, f),
		(UniformityOptions){ .scope = scope, .warp_size = warp_size });
	ck_assert_int_eq(bs_has(u->regs, function_find_reg(f, "%x")), row != 1);
	ck_assert_int_eq(!bs_has(u->regs, function_find_reg(f, "%y")), y);
	ck_assert_int_eq(!bs_has(u->regs, function_find_reg(f, "%w")), warp);
	ck_assert_int_eq(!bs_has(u->regs, function_find_reg(f, "%b")), block);
	ck_assert(!bs_has(u->regs, function_find_reg(f, "%n")));
}

START_TEST(scopes)
{
	same_in(0, 32, UNI_WARP, false, true, true);
	same_in(0, 64, UNI_WARP, false, false, true);
	same_in(16, 32, UNI_WARP, false, true, true);
	same_in(16, 4, UNI_WARP, true, true, true);
	same_in(32, 32, UNI_WARP, true, true, true);
	same_in(32, 64, UNI_WARP, false, false, true);
	same_in(1, 32, UNI_WARP, false, true, true);
	same_in(32, 32, UNI_BLOCK, false, false, true);
	same_in(32, 32, UNI_GRID, false, false, false);
}
END_TEST

/* What a vote finds out in one half of a machine's warp of 64 the other half does not know: a branch on it
   parts them there, and nowhere else. */
START_TEST(halves_of_a_warp)
{
	static const char text[] = "kernel k(u64 out)\n{\n	reg u32 %t, %v\n	reg pred %p\n"
		"	reg u64 %o\nA:	%t = mov.u32 %tid.x\n	%o = ld.param.u64 [out]\n"
		"	%p = setp.eq.u32 %t, 3\n	%p = vote.sync.any.pred %p, -1\n"
		"	%v = mov.u32 1\n	bra %p, B, C\nB:	%v = add.u32 %v, 1\n	bra D\n"
		"C:	%v = add.u32 %v, 2\n	bra D\nD:	st.global.u32 [%o], %v\n	exit\n}\n";
	for (int wide = 0; wide < 2; wide++) {
		MachineLimits limits = limits_default;
		Diag d = { 0 };
		Module *m = ir_read(text, sizeof text - 1, "k.ir", &d);
		limits.warp_size = wide ? 64 : 32;
		/* which converts divergent branches alone */
		ck_assert(m && pipeline_run(m, "if-convert", &(PassHost){ .limits = &limits }, &d));
		ck_assert_int_eq(m->func.v[0]->block.v[0]->nsucc, wide ? 1 : 2);
		module_free(m);
		diag_free(&d);
	}
}
END_TEST

START_TEST(rule_b)
{
	const char *text = "	reg u32 %%t\n	reg pred %%p, %%q, %%r\n"
		"B1:	%%t = %s\n	%%p = setp.lt.u32 %%t, 2\n	%%q = setp.eq.u32 %%t, 2\n"
		"	%%r = setp.eq.u32 %%t, 0\n	bra %%p, B3, B2\n"
		"B2:	bra %%q, B3, B5\nB3:	bar.sync 0\n	bra %%r, B4, B5\nB4:	bra B6\n"
		"B5:	bra B6\nB6:	exit\n";
	Function *f = read_kernel(arena_printf(&arena, text, "mov.u32 %tid.x"));
	ck_assert(!apply(&pass_linearize, f));
	ck_assert_int_eq(diag.errors, 0);
	ck_assert_int_eq(diag.item.n, 1);
	ck_assert_msg(strstr(diag.item.v[0].text, "bar.sync in block B3 depends on the branch of block B1, "
		"which may diverge") != NULL, "%s", diag.item.v[0].text);
	ck_assert_int_eq(diag.item.v[0].loc.line, 11);
	f = read_kernel(arena_printf(&arena, text, "ld.param.u32 [n]"));
	ck_assert(linearize(f, 0));
	ck_assert_int_eq(diag.item.n, 1);
}
END_TEST

/* What linearize says, with its place, when it leaves the kernel as it is. */
static const char *refusal(const char *options, const char *body)
{
	PassLog log = { .remarks = true };
	Diag d = { 0 };
	Function *f = read_kernel(body);
	ck_assert(pipeline_run(m, arena_printf(&arena, "linearize(%s)", options), &(PassHost){ .log = &log },
		&d));
	for (int b = 0; b < f->block.n; b++)
		ck_assert_int_eq(f->block.v[b]->origin, 0);
	const char *text = d.item.n == 1 ? arena_printf(&arena, "%d: %s", d.item.v[0].loc.line,
		d.item.v[0].text) : "";
	pass_log_free(&log);
	diag_free(&d);
	return text;
}

START_TEST(refusals)
{
	ck_assert_str_eq(refusal("order=[C,B]", "	reg u32 %t\n	reg pred %p\n"
		"A:	%t = ld.param.u32 [n]\n	%p = setp.lt.u32 %t, 2\n	bra %p, B, C\n"
		"B:	bra D\nC:	bar.sync 0\n	bra D\nD:	exit\n"),
		"9: linearize: k: left alone: a region of 2 units: order mixes blocks, but bar.sync in block "
		"C needs the threads "
		"that come to it together");
	ck_assert_str_eq(refusal("merge=1", "	reg u32 %t\n	reg pred %p\nA:	%t = ld.param.u32 [n]\n"
		"	%p = setp.lt.u32 %t, 2\n	bra L\n"
		"L:	bra M\nM:	bar.sync 0\n	bra %p, M, N\nN:	bra %p, L, D\n"
		"D:	exit\n"), "9: linearize: k: left alone: a region of 3 units: merge mixes turns of "
		"loops, but bar.sync in block M needs the "
		"threads that come to it together");
	ck_assert_str_eq(refusal("interleave=1", "	reg u32 %t, %v\n	reg u64 %o\n	reg pred %p\n"
		"A:	%t = mov.u32 %tid.x\n	%o = ld.param.u64 [out]\n	%p = setp.lt.u32 %t, 2\n"
		"	bra %p, B, C\nB:	%v = ld.global.u32 [%o]\n	bra D\nC:	bar.sync 0\n"
		"	bra D\nD:	exit\n"), "12: linearize: k: left alone: a region of 2 units: "
		"interleave "
		"mixes blocks, but bar.sync in block C needs the threads that come to it together");
	ck_assert_str_eq(refusal("interleave=1", "	reg u32 %t, %v\n	reg u64 %o\n	reg pred %p\n"
		"A:	%t = mov.u32 %tid.x\n	%o = ld.param.u64 [out]\n	%p = setp.lt.u32 %t, 2\n"
		"	bra %p, B, C\nB:	%v = ld.global.u32 [%o]\n	bra D\nC:	bra D\n"
		"D:	exit\n"), "9: linearize: k: left alone: a region of 2 units takes 3 cycles, in "
		"another "
		"order 3, and guards 0");
	ck_assert_str_eq(refusal("divergent=1", "	reg u32 %t\n	reg pred %p\n"
		"A:	%t = ld.param.u32 [n]\n	%p = setp.lt.u32 %t, 2\n	bra %p, B, C\n"
		"B:	bra %p, C, D\nC:	bra %p, D, E\nD:	bra E\nE:	exit\n"),
		"1: linearize: k: left alone: a region of 3 units: no branch of it parts threads");
}
END_TEST

/* The ways of an indexed branch set the variable each, which needs more entries than asked for; a further run
   does not try again. */
START_TEST(depth_of_indexed_branches)
{
	PassLog log = { .remarks = true };
	PassValue v[PASS_OPTIONS];
	Function *f = read_kernel("	reg u32 %t, %i\n	reg pred %p\nA:	%t = ld.param.u32 [n]\n"
		"	%i = and.b32 %t, 1\n	%p = setp.lt.u32 %t, 2\n	bra %p, B, C\n"
		"B:	brx %i, [D, E, F]\nC:	bra G\nD:	bra F\nE:	bra F\nF:	bra G\n"
		"G:	exit\n");
	ck_assert(pipeline_run(m, "linearize(depth=3)", &(PassHost){ .log = &log }, &diag));
	ck_assert_int_eq(diag.item.n, 1);
	ck_assert_str_eq(diag.item.v[0].text, "linearize: k: depth: a stack may need 5 entries at block "
		"B_to2, not 3");
	pass_defaults(&pass_linearize, v);
	v[DEPTH].number = 3;
	ck_assert(!pass_apply(&pass_linearize, m, f, v, &diag));
	pass_log_free(&log);
}
END_TEST

START_TEST(dead_code)
{
	Function *f = read_kernel(
		"	reg u32 %a, %b, %c, %d, %e\n	reg u64 %o\n	reg pred %p\n"
		/* c dead, then b */
		"A:	%o = ld.param.u64 [out]\n	%a = mov.u32 1\n	%b = add.u32 %a, 1\n"
			"	%c = add.u32 %b, 1\n"
		/* d lives on: guarded */
		"	%d = mov.u32 4\n	%p = setp.eq.u32 %a, 1\n	@%p %d = mov.u32 5\n"
		"	st.global.u32 [%o], %d\n	%c = ld.global.u32 [%o]\n"
		"	%c = ld.volatile.global.u32 [%o]\n"
		/* the first carry is read */
		"	%e = atom.global.add.u32 [%o], 1\n	%e = add.cc.u32 %a, 1\n"
			"	%e = addc.cc.u32 0, 0\n"
		"	st.global.u32 [%o], %e\n	%e = add.cc.u32 %a, 1\n	%d = mov.u32 7\n"
			"	exit\n");
	ck_assert(apply(&pass_dce, f));
	ck_assert_str_eq(printed(f), "A: %o = ld.param.u64 [out]\n%a = mov.u32 1\n%d = mov.u32 4\n"
		"%p = setp.eq.u32 %a, 1\n"
		"@%p %d = mov.u32 5\nst.global.u32 [%o], %d\n%c = ld.volatile.global.u32 [%o]\n"
		"%e = atom.global.add.u32 [%o], 1\n"
		"%e = add.cc.u32 %a, 1\n%e = addc.cc.u32 0, 0\nst.global.u32 [%o], %e\nexit\n");
	ck_assert(!apply(&pass_dce, f));
}
END_TEST

static const char *marks_of(const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++)
		for (int i = 0; i < f->block.v[b]->ins.n; i++)
			for (int k = f->block.v[b]->ins.v[i].mark; k; k = f->mark.v[k].next)
				s = arena_printf(&arena, "%s%s%s %s", s, *s ? ", " : "",
					f->mark.v[k].kind == MARK_BEGINS ? "begins" : "decides",
					f->source.v[f->mark.v[k].source]);
	return s;
}

START_TEST(simplify)
{
	Function *f = read_kernel(
		"	reg u32 %a\n	reg u64 %o\n	reg pred %p, %q\n"
		"A:	%o = ld.param.u64 [out]\n	%p = setp.lt.u32 1, 2\n	bra %p, x1, x2\n"
		"x1: !auto\n	bra x3\nx3: !auto\n	bra B\n"
		"x2: !auto\n	st.global.u32 [%o], 1\n	bra B\n"
		"B:	%a = mov.u32 %tid.x\n	%q = setp.eq.u32 %a, 1\n	bra %q, y1, y2\ny1: !auto\n"
		"	bra C\ny2: !auto\n	bra C\n"
		"C:	bra z\nz: !auto\n	st.global.u32 [%o], 2\n	bra D\nD:	exit\n"
		"U:	st.global.u32 [%o], 3\n	bra D\n");
	ck_assert(apply(&pass_simplify_cfg, f));
	ck_assert_str_eq(text_of(f), "A"); /* blocks of the source merge, and their marks stay */
	ck_assert_str_eq(printed(f), "A: %o = ld.param.u64 [out]\n%p = setp.lt.u32 1, 2\n"
		"%a = mov.u32 %tid.x\n"
		"%q = setp.eq.u32 %a, 1\nst.global.u32 [%o], 2\nexit\n");
	ck_assert_str_eq(marks_of(f), "begins A, decides A, begins B, decides B, begins C, begins D");
	ck_assert(!apply(&pass_simplify_cfg, f));
	f = read_kernel("	reg u32 %a\n	reg pred %p\ne: !auto\n	%a = mov.u32 0\n	bra L\n"
		"L:	%a = add.u32 %a, 1\n	bra m\n"
		"m: !auto\n	%p = setp.lt.u32 %a, 9\n	bra %p, n, E\nn: !auto\n"
		"	%a = add.u32 %a, 1\n	bra L\nE:	exit\n");
	ck_assert(apply(&pass_simplify_cfg, f));
	ck_assert_str_eq(text_of(f), "e:L L:n,E n:L E"); /* L has two ways in: e stays */
	f = read_kernel("	reg u32 %a\ne: !auto\n	%a = mov.u32 0\n	bra L\nL:	exit\n");
	ck_assert(apply(&pass_simplify_cfg, f));
	/* the user's label takes the inserted entry in */
	ck_assert_str_eq(printed(f), "L: %a = mov.u32 0\nexit\n");
}
END_TEST

/* Simplification after linearization keeps what lanes do and structure. */
START_TEST(simplify_random)
{
	static WmSource s;
	static WmRun before, after;
	for (int i = 0; i < 500; i++) {
		rng = (uint64_t)i + 90000;
		char *text = random_graph(3 + pick(12), i % 2, i % 3 == 0);
		Function *f = graph_kernel(m, text);
		wm_source(f, &s);
		wm_run(&s, f, WM_LANES, 1, &before);
		apply(&pass_linearize, f);
		apply(&pass_simplify_cfg, f);
		check_form(f);
		ck_assert_msg(structured(&arena, cfg_build(&arena, f), NULL), "%s: %s", text, text_of(f));
		wm_run(&s, f, WM_LANES, 1, &after);
		for (int l = 0; l < WM_LANES; l++) {
			const WmLane *x = &before.lane[l], *y = &after.lane[l];
			int n = x->n < y->n ? x->n : y->n;
			ck_assert_msg((!before.ended || !after.ended || x->n == y->n) &&
				!memcmp(x->trace, y->trace, sizeof(int) * (size_t)n), "%s: lane %d: %s", text,
				l, text_of(f));
		}
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
}
END_TEST

/* ---- pipelines ---- */

static char *complaint(const char *text)
{
	Diag d = { 0 };
	char *s = "";
	if (!pipeline_check(text, &d)) {
		ck_assert_int_eq(d.errors, 1);
		const DiagItem *i = &d.item.v[0];
		s = arena_printf(&arena, "%s:%d:%d: %s", i->loc.file, i->loc.line, i->loc.col, i->text);
	}
	diag_free(&d);
	return s;
}

START_TEST(pipeline_text)
{
	ck_assert_str_eq(complaint(""), "");
	ck_assert_str_eq(complaint(" linearize , dce( ) "), "");
	ck_assert_str_eq(complaint(" none "), "");
	char *all = "--passes:1:1: no pass `none`; there are ";
	for (int k = 0; pass_at(k); k++)
		all = arena_printf(&arena, "%s%s%s", all, k ? ", " : "", pass_at(k)->name);
	ck_assert_str_eq(complaint("none,dce"), all);
	ck_assert_str_eq(complaint("dce,linearise"), "--passes:1:5: no pass `linearise`; the nearest is "
		"`linearize`");
	ck_assert_str_eq(complaint("dce,"), "--passes:1:5: expected the name of a pass, found the end of the "
		"list");
	ck_assert_str_eq(complaint("dce dce"), "--passes:1:5: expected `,` and another pass, found `d`");
	ck_assert_str_eq(complaint("dce(x=1)"), "--passes:1:5: no option of dce `x`; there are none");
	ck_assert_str_eq(complaint("(dce)"), "--passes:1:1: expected the name of a pass, found `(`");
}
END_TEST

static void count_dump(void *self, const Module *mod, const char *pass, bool changed)
{
	char **s = self;
	ck_assert_ptr_eq(mod, m);
	*s = arena_printf(&arena, "%s%s;", *s, pass);
}

START_TEST(pipeline_runs_in_order)
{
	char *order = "";
	Function *f = graph_kernel(m, FIG1);
	ck_assert(pipeline_run(m, "linearize,simplify-cfg,dce",
		&(PassHost){ .after = count_dump, .self = &order }, &diag));
	ck_assert_str_eq(order, "linearize;simplify-cfg;dce;");
	ck_assert_int_eq(f->block.n, 6); /* no guard is left: the guarded blocks are empty */
	ck_assert(!pipeline_run(m, "nothing", NULL, &diag));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("passes");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, figure_1);
	tcase_add_test(t, examples);
	tcase_add_test(t, small_regions);
	tcase_add_test(t, aborting);
	tcase_add_test(t, random_acyclic);
	tcase_add_test(t, random_cyclic);
	tcase_add_test(t, relaxed_exits);
	tcase_add_test(t, found);
	tcase_add_test(t, random_options);
	tcase_add_test(t, interleaved);
	tcase_add_test(t, uniform_and_divergent);
	tcase_add_test(t, ends_part_nobody);
	tcase_add_test(t, scopes);
	tcase_add_test(t, rule_b);
	tcase_add_test(t, halves_of_a_warp);
	tcase_add_test(t, refusals);
	tcase_add_test(t, depth_of_indexed_branches);
	tcase_add_test(t, dead_code);
	tcase_add_test(t, simplify);
	tcase_add_test(t, simplify_random);
	tcase_add_test(t, pipeline_text);
	tcase_add_test(t, pipeline_runs_in_order);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
