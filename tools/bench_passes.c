/* How the time of every analysis and pass grows with the size of a function: kernels of known shapes with
 * 1,000 blocks and more. Each case runs in a process of its own, which ends at the time limit. The exponent
 * is the slope between the last two sizes that took long enough to measure. */
#include "lib/strbuf.h"
#include "passes/analyses.h"
#include "passes/pass.h"
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZES = 5, ENOUGH_US = 20000 /* a shorter time says nothing about growth */ };
static const int sizes[SIZES] = { 1000, 3162, 10000, 31623, 100000 };
static double limit = 60;
static int most = 100000;

/* ---- shapes ---- */

typedef struct Shape { Module *m; Function *f; int v, p, n; uint64_t seed; } Shape; /* n: blocks wanted */

static uint32_t rnd(Shape *s, uint32_t below)
{
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((s->seed >> 33) % below);
}

static void function(Shape *s, int k)
{
	char name[32];
	snprintf(name, sizeof name, "f%d", k);
	s->f = function_new(s->m, FN_KERNEL, name);
	s->v = function_reg(s->m, s->f, "%v", T_U32);
	s->p = function_reg(s->m, s->f, "%p", T_PRED);
}

/* A block that counts and compares; where it goes is said later. */
static Block *block(Shape *s)
{
	char name[32];
	snprintf(name, sizeof name, "B%d", s->f->block.n);
	Block *b = function_block(s->m, s->f, name);
	b->user = true;
	Ins i = ins_make(s->m, OP_ADD, T_U32, 1, 2), c = ins_make(s->m, OP_SETP, T_U32, 1, 2);
	i.opd[0] = i.opd[1] = c.opd[1] = opd_reg(s->v);
	i.opd[2] = opd_imm(b->id);
	c.cmp = CMP_LT;
	c.opd[0] = opd_reg(s->p);
	c.opd[2] = opd_imm(7);
	vec_push(&b->ins, i);
	vec_push(&b->ins, c);
	return b;
}

static void blocks(Shape *s, int n)
{
	function(s, 0);
	while (n-- > 0)
		block(s);
}

static Block *at(Shape *s, int k) { return s->f->block.v[k]; }
static void jump(Shape *s, int b, int to) { block_jump(s->m, at(s, b), at(s, to)); }
static void branch(Shape *s, int b, int yes, int no)
{
	block_branch(s->m, at(s, b), s->p, false, at(s, yes), at(s, no));
}
static void end(Shape *s, int b) { vec_push(&at(s, b)->ins, ins_make(s->m, OP_EXIT, T_NONE, 0, 0)); }

static void indexed(Shape *s, int b, const int *to, int n)
{
	Ins i = ins_make(s->m, OP_BRX, T_NONE, 0, 1);
	i.opd[0] = opd_reg(s->v);
	vec_push(&at(s, b)->ins, i);
	at(s, b)->nsucc = n;
	at(s, b)->succ = arena_array(&s->m->arena, Block *, n);
	for (int k = 0; k < n; k++)
		at(s, b)->succ[k] = at(s, to[k]);
}

/* if (c0 && c1 && ...) yes; else no; */
static void ladder(Shape *s)
{
	int n = s->n;
	blocks(s, n);
	for (int b = 0; b < n - 3; b++)
		branch(s, b, b + 1, n - 2);
	jump(s, n - 3, n - 1);
	jump(s, n - 2, n - 1);
	end(s, n - 1);
}

/* One loop with a way out after each block, to two places by turns. */
static void exits(Shape *s)
{
	int n = s->n;
	blocks(s, n);
	for (int b = 0; b < n - 4; b++)
		branch(s, b, b + 1, n - 3 + b % 2);
	jump(s, n - 4, 0);
	jump(s, n - 3, n - 1);
	jump(s, n - 2, n - 1);
	end(s, n - 1);
}

/* The linearization paper's figure 1, one behind the other. */
static void regions(Shape *s)
{
	int n = s->n / 6 * 6 + 1;
	blocks(s, n);
	for (int b = 0; b + 6 < n; b += 6) {
		branch(s, b, b + 2, b + 1);
		branch(s, b + 1, b + 2, b + 4);
		branch(s, b + 2, b + 3, b + 4);
		jump(s, b + 3, b + 5);
		jump(s, b + 4, b + 5);
		jump(s, b + 5, b + 6);
	}
	end(s, n - 1);
}

/* The same, each inside the one before: where block 4 of one is, another begins. */
static void nested(Shape *s)
{
	int k = s->n / 5, n = k * 5 + 1;
	/* B1 B2 B3 B4 of region i at 4 i; the joins, inner ones first, behind them; the last one ends */
	blocks(s, n);
	for (int i = 0; i < k; i++) {
		int b = i * 4, join = k * 5 - 1 - i, inner = i + 1 < k ? b + 4 : join;
		branch(s, b, b + 2, b + 1);
		branch(s, b + 1, b + 2, b + 3);
		branch(s, b + 2, inner, b + 3);
		jump(s, b + 3, join);
		jump(s, join, join + 1);
	}
	end(s, n - 1);
}

static void forward_to(Shape *s, uint32_t reach)
{
	int n = s->n;
	blocks(s, n);
	for (int b = 0; b < n - 1; b++) {
		uint32_t left = (uint32_t)(n - 1 - b);
		branch(s, b, b + 1 + (int)rnd(s, left < reach ? left : reach), b + 1);
	}
	end(s, n - 1);
}
static void forward(Shape *s) { forward_to(s, 1u << 30); }
static void forward_near(Shape *s) { forward_to(s, 8); }

/* Also backward, so that loops are entered everywhere. */
static void tangle_to(Shape *s, int reach)
{
	int n = s->n;
	blocks(s, n);
	for (int b = 0; b < n - 1; b++) {
		int to = b - reach + (int)rnd(s, 2 * (uint32_t)reach + 1);
		branch(s, b, to < 1 ? 1 : to > n - 1 ? n - 1 : to, b + 1);
	}
	end(s, n - 1);
}
static void tangle(Shape *s) { tangle_to(s, s->n); }
static void tangle_near(Shape *s) { tangle_to(s, 8); }

/* Two edges to anywhere, none to the next block. */
static void web(Shape *s)
{
	int n = s->n;
	blocks(s, n);
	for (int b = 0; b < n - 1; b++)
		branch(s, b, 1 + (int)rnd(s, (uint32_t)n - 1), 1 + (int)rnd(s, (uint32_t)n - 1));
	end(s, n - 1);
}

static void brx(Shape *s)
{
	int n = s->n, to[8];
	blocks(s, n);
	for (int b = 0; b < n - 1; b++) {
		uint32_t left = (uint32_t)(n - 1 - b);
		for (int k = 0; k < 8; k++)
			to[k] = b + 1 + (int)rnd(s, left < 64 ? left : 64);
		to[0] = b + 1;
		if (b % 4)
			jump(s, b, to[1]);
		else
			indexed(s, b, to, 8);
	}
	end(s, n - 1);
}

/* One indexed branch to all; each of these goes on to the next or to the end. */
static void brx_wide(Shape *s)
{
	int n = s->n, *to = xmalloc(sizeof *to * (size_t)n);
	blocks(s, n);
	for (int b = 1; b < n; b++)
		to[b - 1] = b;
	indexed(s, 0, to, n - 1);
	for (int b = 1; b < n - 2; b++)
		branch(s, b, b + 1, n - 1);
	jump(s, n - 2, n - 1);
	end(s, n - 1);
	free(to);
}

/* Loops inside loops, depth deep, each block of it with a header and a latch. leave: the innermost can leave
   them all. */
static void nests_of(Shape *s, int depth, bool leave)
{
	int each = 2 * depth + 1, k = s->n / each < 1 ? 1 : s->n / each;
	blocks(s, k * each + 1);
	for (int i = 0; i < k; i++) {
		int b = i * each, out = b + each;
		for (int d = 0; d < depth; d++) {
			jump(s, b + d, b + d + 1);                                /* header */
			int latch = b + 2 * depth - d;
			branch(s, latch, b + d, d ? latch + 1 : out);
		}
		if (leave)
			branch(s, b + depth, b + depth + 1, out);
		else
			jump(s, b + depth, b + depth + 1);
	}
	end(s, k * each);
}
static void nests(Shape *s) { nests_of(s, 8, false); }
static void nests_left(Shape *s) { nests_of(s, 8, true); }
static void nest(Shape *s) { nests_of(s, (s->n - 2) / 2, false); }
static void nest_left(Shape *s) { nests_of(s, (s->n - 2) / 2, true); }

/* Each loop of the nest has a second way in, past its header, which half of the branches name first. */
static void nest_entered(Shape *s)
{
	int depth = (s->n - 2) / 2, n = 2 * depth + 2;
	blocks(s, n);
	for (int d = 0; d < depth; d++) {
		branch(s, d, d + 1 + d % 2, d + 2 - d % 2);
		branch(s, 2 * depth - d, d, 2 * depth - d + 1);
	}
	jump(s, depth, depth + 1);
	end(s, n - 1);
}

/* Straight on; each block writes a register of its own, which the block `later` behind reads. */
static void carried_over(Shape *s, int later)
{
	int n = s->n, *reg = xmalloc(sizeof *reg * (size_t)n);
	blocks(s, n);
	for (int b = 0; b < n; b++) {
		char name[16];
		snprintf(name, sizeof name, "%%w%d", b);
		reg[b] = function_reg(s->m, s->f, name, T_U32);
		at(s, b)->ins.v[0].opd[0] = opd_reg(reg[b]);
		if (b >= later)
			at(s, b)->ins.v[0].opd[1] = opd_reg(reg[b - later]);
	}
	for (int b = 0; b < n - 1; b++)
		branch(s, b, b + 1, n - 1);
	end(s, n - 1);
	free(reg);
}
static void carried(Shape *s) { carried_over(s, 2); }
static void carried_far(Shape *s) { carried_over(s, s->n / 2); }

/* What the first block does with %v differs from thread to thread. */
static void diverge(Shape *s)
{
	Ins i = ins_make(s->m, OP_MOV, T_U32, 1, 1);
	i.opd[0] = opd_reg(s->v);
	i.opd[1] = (Opd){ OPD_SREG, 0, SREG_TID_X, 0 };
	vec_insert(&at(s, 0)->ins, 0, i);
}

static void tangle_parted(Shape *s)
{
	tangle(s);
	diverge(s);
}
static void web_parted(Shape *s)
{
	web(s);
	diverge(s);
}

static void diamonds(Shape *s)
{
	int n = s->n / 3 * 3 + 1;
	blocks(s, n);
	for (int b = 0; b + 3 < n; b += 3) {
		branch(s, b, b + 1, b + 2);
		jump(s, b + 1, b + 3);
		jump(s, b + 2, b + 3);
		at(s, b + 2)->ins.v[0].opd[2] = opd_imm(b + 1);
	}
	end(s, n - 1);
	diverge(s);
}

/* Diamonds in the arms of diamonds; where arm 1 is, the next one begins, and arm 2 has one of its own beside
   it. */
static void diamonds_nested(Shape *s)
{
	int k = s->n / 4, n = 4 * k + 1;
	/* B1 B2 of diamond i at 2 i, joins behind them, inner ones first, and behind these what the second
	   arms go on to */
	blocks(s, n);
	for (int i = 0; i < k; i++) {
		int join = 3 * k - 1 - i, second = 3 * k + i;
		branch(s, 2 * i, i + 1 < k ? 2 * i + 2 : join, 2 * i + 1);
		branch(s, 2 * i + 1, second, join);
		jump(s, second, join);
		jump(s, join, i ? join + 1 : n - 1);
	}
	end(s, n - 1);
	diverge(s);
}

/* if (c0) way; else if (c1) way; ... else way */
static void ways(Shape *s)
{
	int k = s->n / 2, n = 2 * k + 2;
	blocks(s, n);
	for (int i = 0; i <= k; i++) {
		int way = i < k ? 2 * i + 1 : 2 * k;
		if (i < k)
			branch(s, 2 * i, way, 2 * i + 2);
		jump(s, way, n - 1);
		Ins load = ins_make(s->m, OP_LD, T_U32, 1, 1);
		load.space = SP_SHARED;
		load.opd[0] = load.opd[1] = opd_reg(s->v);
		vec_insert(&at(s, way)->ins, 0, load);
		at(s, way)->ins.v[1].opd[2] = opd_imm(1);
	}
	end(s, n - 1);
	diverge(s);
}

/* One diamond whose arms have n instructions each. */
static void long_arms(Shape *s)
{
	int n = s->n;
	blocks(s, 4);
	for (int b = 1; b < 3; b++) {
		Ins add = at(s, b)->ins.v[0], compare = vec_pop(&at(s, b)->ins);
		for (int k = n - 1; k >= 0; k--) {
			add.op = k % (7 + b) ? OP_ADD : OP_SUB;
			vec_push(&at(s, b)->ins, add);
		}
		vec_push(&at(s, b)->ins, compare);
	}
	branch(s, 0, 1, 2);
	jump(s, 1, 3);
	jump(s, 2, 3);
	end(s, 3);
	diverge(s);
}

/* Groups one behind the other: a branch whose arms have so many if-thens each, in a row; of an arm with none
   there is a block in their place. */
static void rows_of(Shape *s, int first, int second)
{
	int arm[2] = { first ? 2 * first : 1, second ? 2 * second : 1 }, each = 1 + arm[0] + arm[1],
		k = s->n / each < 1 ? 1 : s->n / each;
	blocks(s, k * each + 1);
	for (int i = 0; i < k; i++) {
		int b = i * each, out = b + each;
		branch(s, b, b + 1, b + 1 + arm[0]);
		for (int a = 0, at = b + 1; a < 2; at += arm[a++])
			for (int j = 0; j < arm[a]; j++) {
				int next = j + 1 < arm[a] ? at + j + 1 : out;
				if (j % 2 || arm[a] == 1)
					jump(s, at + j, next);
				else
					branch(s, at + j, next, j + 2 < arm[a] ? next + 1 : out);
			}
	}
	end(s, k * each);
	diverge(s);
}
static void rows(Shape *s) { rows_of(s, 8, 8); }
static void rows_long(Shape *s) { rows_of(s, s->n / 4, s->n / 4); }
static void rows_uneven(Shape *s) { rows_of(s, s->n / 2, 0); }

/* Branches one behind the other, each with three ways: two conditions. */
static void three_ways(Shape *s)
{
	int n = s->n / 6 * 6 + 1;
	blocks(s, n);
	for (int b = 0; b + 6 < n; b += 6) {
		branch(s, b, b + 1, b + 2);
		branch(s, b + 2, b + 3, b + 4);
		for (int way = 1; way < 6; way += way == 1 ? 2 : 1)
			jump(s, b + way, way < 5 ? b + 5 : b + 6);
	}
	end(s, n - 1);
	diverge(s);
}

/* The arms of each branch hold a branch whose arms do so, too, down to single blocks. */
static void tree(Shape *s)
{
	int depth = 1, n;
	while ((3 << depth) - 2 <= s->n)
		depth++;
	/* 2^(depth - 1) - 1 branches, as many places where their arms meet, 2^(depth - 1) blocks */
	n = (3 << (depth - 1)) - 2;
	blocks(s, n + 1);
	int inner = (1 << (depth - 1)) - 1, leaves = 1 << (depth - 1);
	for (int b = 0; b < inner; b++) {
		int meet = inner + leaves + b, up = b ? inner + leaves + (b - 1) / 2 : n;
		branch(s, b, 2 * b + 1, 2 * b + 2);
		jump(s, meet, up);
	}
	for (int k = 0; k < leaves; k++)
		jump(s, inner + k, inner + leaves + (inner + k - 1) / 2);
	end(s, n);
	diverge(s);
}

/* Arms of n/2 branches that end alike, in 16 lengths, and go to one block. */
static void tails(Shape *s)
{
	int n = s->n / 2 * 2 + 2;
	blocks(s, n);
	for (int b = 0; b < n - 2; b += 2) {
		Ins i = at(s, b + 1)->ins.v[0];
		for (int k = b / 2 % 16; k > 0; k--) {
			i.opd = arena_array(&s->m->arena, Opd, 3);
			i.opd[0] = i.opd[1] = opd_reg(s->v);
			i.opd[2] = opd_imm(k);
			vec_push(&at(s, b + 1)->ins, i);
		}
		branch(s, b, b + 1, b + 2);
		jump(s, b + 1, n - 1);
	}
	jump(s, n - 2, n - 1);
	end(s, n - 1);
}

/* Loops that turn four times, one behind the other; the counter is set in front of each. */
static void counted(Shape *s)
{
	int n = s->n / 2 * 2 + 1;
	blocks(s, n);
	for (int b = 0; b < n - 1; b += 2) {
		Ins set = ins_make(s->m, OP_MOV, T_U32, 1, 1);
		set.opd[0] = opd_reg(s->v);
		set.opd[1] = opd_imm(0);
		vec_push(&at(s, b)->ins, set);
		*ins_src(&at(s, b + 1)->ins.v[0], 1) = opd_imm(2);
		jump(s, b, b + 1);
		branch(s, b + 1, b + 1, b + 2);
	}
	end(s, n - 1);
}

/* Divergent diamonds whose blocks compute n/5 expressions of two registers that nothing writes, each in five
   blocks: side by side, or anywhere. */
static void motion_over(Shape *s, int near)
{
	int n = s->n / 3 * 3 + 1, all = s->n / 5 ? s->n / 5 : 1;
	diamonds(s);
	int w = function_reg(s->m, s->f, "%w", T_U32), d = function_reg(s->m, s->f, "%d", T_U32);
	for (int b = 1; b < n; b++) {
		Ins i = ins_make(s->m, OP_MUL, T_U32, 1, 2);
		i.hilo = HILO_LO;
		i.opd[0] = opd_reg(d);
		i.opd[1] = opd_reg(w);
		i.opd[2] = opd_imm(near ? b / near + (int)rnd(s, 2) : (int)rnd(s, (uint32_t)all));
		vec_insert(&at(s, b)->ins, 0, i);
	}
}
static void motion(Shape *s) { motion_over(s, 5); }
static void motion_far(Shape *s) { motion_over(s, 0); }

static void functions(Shape *s)
{
	for (int k = 0; k < s->n; k++) {
		function(s, k);
		block(s);
		end(s, 0);
	}
}

static const struct { const char *name; void (*make)(Shape *); const char *help; } shapes[] = {
	{ "ladder", ladder, "one short circuit of n conditions" },
	{ "exits", exits, "a loop with n ways out to two places" },
	{ "regions", regions, "small unstructured regions, one behind the other" },
	{ "nested", nested, "small unstructured regions, one inside the other" },
	{ "forward", forward, "random forward edges" },
	{ "forward-near", forward_near, "random forward edges over at most 8 blocks" },
	{ "tangle", tangle, "random edges forward and backward: one irreducible loop, whose nest is deep" },
	{ "web", web, "two random edges from each block" },
	{ "tangle-parted", tangle_parted, "tangle, whose branches are divergent" },
	{ "web-parted", web_parted, "web, whose branches are divergent" },
	{ "tangle-near", tangle_near, "random edges forward and backward over at most 8 blocks" },
	{ "brx", brx, "indexed branches to 8 of the next 64 blocks" },
	{ "brx-wide", brx_wide, "one indexed branch to n blocks" },
	{ "nests", nests, "nests of 8 loops, one behind the other" },
	{ "nests-left", nests_left, "the same; the innermost loop can leave all 8" },
	{ "nest", nest, "one nest of n/2 loops" },
	{ "nest-left", nest_left, "the same; the innermost loop can leave all" },
	{ "nest-entered", nest_entered, "one nest of n/2 loops with two ways into each" },
	{ "carried", carried, "a register for each block, read two blocks later" },
	{ "carried-far", carried_far, "the same, read n/2 blocks later: n/2 registers live at once" },
	{ "diamonds", diamonds, "divergent diamonds, one behind the other" },
	{ "diamonds-nested", diamonds_nested, "divergent diamonds, one inside the other, beside an if-then" },
	{ "ways", ways, "one chain of n/2 divergent conditions" },
	{ "long-arms", long_arms, "a divergent diamond whose arms have n instructions" },
	{ "rows", rows, "divergent branches whose arms are eight if-thens in a row, one behind the other" },
	{ "rows-long", rows_long, "a divergent branch whose arms are n/4 if-thens in a row" },
	{ "rows-uneven", rows_uneven, "a divergent branch with n/2 if-thens in one arm and a block in the "
		"other" },
	{ "three-ways", three_ways, "divergent chains of two conditions, one behind the other" },
	{ "tree", tree, "divergent branches in both arms of divergent branches" },
	{ "tails", tails, "n/2 arms that end alike in 16 lengths and go to one block" },
	{ "counted", counted, "n/2 loops of four turns, one behind the other" },
	{ "motion", motion, "divergent diamonds, and n/5 expressions in five blocks each, side by side" },
	{ "motion-far", motion_far, "the same, anywhere" },
	{ "functions", functions, "n functions of one block" },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- what is measured ---- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double time_text(const Module *m, bool read)
{
	StrBuf s = { 0 };
	Diag d = { 0 };
	double start = now();
	ir_print(m, &s);
	if (!read)
		return now() - start;
	start = now();
	Module *again = ir_read(s.s, s.n, "bench.ir", &d);
	must(again);
	return now() - start;
}

static double time_verify(const Module *m)
{
	Diag d = { 0 };
	double start = now();
	must(ir_verify(m, &d));
	return now() - start;
}

static double time_analysis(Module *m, int id)
{
	double t = 0;
	EffectCache effects = { 0 };
	for (int i = 0; i < m->func.n; i++) {
		Analyses *an = analyses_open(m, m->func.v[i], &effects, NULL, NULL);
		if (id != AN_cfg)
			analysis_cfg(an);
		double start = now();
		analysis_get(an, (AnalysisId)id);
		t += now() - start;
		analyses_close(an);
	}
	effect_cache_clear(&effects);
	return t;
}

static double time_pass(Module *m, const char *text)
{
	Diag d = { 0 };
	double start = now();
	must(pipeline_run(m, text, NULL, &d));
	return now() - start;
}

enum { PRINT, READ, VERIFY, NOTHING, FIRST_ANALYSIS };

static int things(void)
{
	int n = FIRST_ANALYSIS + AN_COUNT;
	for (int i = 0; pass_at(i); i++)
		n++;
	return n;
}

static const char *name_of(int thing)
{
	static const char *const fixed[] = { "print", "read", "verify", "no pass" };
	return thing < FIRST_ANALYSIS ? fixed[thing] : thing < FIRST_ANALYSIS + AN_COUNT
		? analysis_info[thing - FIRST_ANALYSIS].name :
		pass_at(thing - FIRST_ANALYSIS - AN_COUNT)->name;
}

typedef struct Sample { double us, blocks; } Sample; /* microseconds; blocks that the shape really has */

static Sample measure(int shape, int thing, int n)
{
	Shape s = { .m = module_new("bench.ir"), .n = n, .seed = 1 };
	Sample x = { 0 };
	shapes[shape].make(&s);
	for (int k = 0; k < s.m->func.n; k++)
		x.blocks += s.m->func.v[k]->block.n;
	switch (thing) {
	case PRINT: case READ: x.us = time_text(s.m, thing == READ); break;
	case VERIFY: x.us = time_verify(s.m); break;
	case NOTHING: x.us = time_pass(s.m, ""); break;
	default:
		x.us = thing < FIRST_ANALYSIS + AN_COUNT ? time_analysis(s.m, thing - FIRST_ANALYSIS)
			: time_pass(s.m, name_of(thing));
	}
	return x;
}

/* In a process of its own; us -1: the limit ended it. */
static Sample apart(int shape, int thing, int n)
{
	int end[2];
	Sample x = { .us = -1 };
	must(!pipe(end));
	fflush(stdout);
	pid_t child = fork();
	must(child >= 0);
	if (!child) {
		struct rlimit processor;
		must(!getrlimit(RLIMIT_CPU, &processor));
		processor.rlim_cur = (rlim_t)ceil(limit);
		must(!setrlimit(RLIMIT_CPU, &processor));
		x = measure(shape, thing, n);
		_exit(write(end[1], &x, sizeof x) != sizeof x);
	}
	close(end[1]);
	if (read(end[0], &x, sizeof x) != sizeof x)
		x.us = -1;
	close(end[0]);
	int status;
	waitpid(child, &status, 0);
	if (x.us < 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
		fprintf(stderr, "bench-passes: %s on %s with %d blocks failed\n", name_of(thing),
			shapes[shape].name, n);
		exit(1);
	}
	return x;
}

static void row(int shape, int thing)
{
	Sample x[SIZES];
	double slope = NAN;
	int last = -1;
	printf("%-14s%-16s", shapes[shape].name, name_of(thing));
	for (int i = 0; i < SIZES && sizes[i] <= most; i++) {
		x[i] = apart(shape, thing, sizes[i]);
		if (x[i].us < 0) {
			printf("%11s", "over");
			break;
		}
		printf("%9.1fms", x[i].us / 1000);
		if (x[i].us < ENOUGH_US)
			continue;
		if (last >= 0)
			slope = log(x[i].us / x[last].us) / log(x[i].blocks / x[last].blocks);
		last = i;
	}
	if (isnan(slope))
		printf("      -\n");
	else
		printf("  n^%.2f\n", slope);
}

static bool wanted(const char *given, const char *name)
{
	if (!given)
		return true;
	for (size_t n = strlen(name); *given; given += strcspn(given, ","), given += *given == ',')
		if (!strncmp(given, name, n) && (!given[n] || given[n] == ','))
			return true;
	return false;
}

static const char usage[] =
	"usage: bench-passes [options]     the time of analyses and passes on functions of 1,000 to 100,000 "
	"blocks, and its exponent\n"
	"  -s, --shapes LIST   only these shapes, separated by commas\n"
	"  -t, --things LIST   only these analyses and passes; also print, read, verify, 'no pass' (a "
	"pipeline without passes)\n"
	"  -n, --most N        up to so many blocks (100000)\n"
	"  -l, --limit S       seconds of processor time for one case (60); `over' stands for one that took "
	"longer\n"
	"      --list          the shapes\n";

int main(int argc, char **argv)
{
	static const struct option long_options[] = { { "shapes", 1, NULL, 's' }, { "things", 1, NULL, 't' },
		{ "most", 1, NULL, 'n' },
		{ "limit", 1, NULL, 'l' }, { "list", 0, NULL, 'L' }, { "help", 0, NULL, 'h' }, { 0 } };
	const char *shape = NULL, *thing = NULL;
	for (int o; (o = getopt_long(argc, argv, "s:t:n:l:", long_options, NULL)) >= 0;)
		switch (o) {
		case 's': shape = optarg; break;
		case 't': thing = optarg; break;
		case 'n': most = atoi(optarg); break;
		case 'l': limit = atof(optarg); break;
		case 'L':
			for (int i = 0; i < SHAPES; i++)
				printf("%-14s%s\n", shapes[i].name, shapes[i].help);
			return 0;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs(usage, stderr); return 2;
		}
	printf("%-14s%-16s", "shape", "");
	for (int i = 0; i < SIZES && sizes[i] <= most; i++)
		printf("%11d", sizes[i]);
	printf("  growth\n");
	for (int i = 0; i < SHAPES; i++)
		for (int k = 0; k < things() && wanted(shape, shapes[i].name); k++)
			if (wanted(thing, name_of(k)))
				row(i, k);
	return 0;
}
