/* Random control flow: structured statements, and jumps out of them. */
#include "tests/random/random_gen.h"

enum { DEPTH_MOST = 4, HEAVY = 16 * 8 };

/* The branch just made is on a constant, sometimes: both its ways are possible, but always the same is
   taken. */
static void decide(Gen *g)
{
	if (has(g, RF_CONSTANT) && chance(g, 6))
		vec_last(&g->b->ins).opd[0] = constant_predicate(g);
}

static void place(Gen *g)
{
	Ins *t = &vec_last(&g->b->ins);
	t->file = (uint16_t)g->file;
	t->line = ++g->line;
	g->cost += g->weight;
}

void open_block(Gen *g, Block *b) { g->b = b; }

void jump(Gen *g, Block *to)
{
	bool branch = has(g, RF_CONSTANT) && chance(g, 4); /* to the same place both ways */
	if (branch)
		block_branch(g->m, g->b, pick(g, POOL_PRED), false, to, to);
	else
		block_jump(g->m, g->b, to);
	if (branch && rnd(g, 2))
		vec_last(&g->b->ins).opd[0] = constant_predicate(g);
	place(g);
}

void branch_if(Gen *g, int pred, Block *yes, Block *no)
{
	block_branch(g->m, g->b, pred, false, yes, no);
	place(g);
}

void branch(Gen *g, int pred, Block *yes, Block *no)
{
	block_branch(g->m, g->b, pred, rnd(g, 4) == 0, yes, no);
	decide(g);
	place(g);
}

void inside(Gen *g, int depth, int num, int den)
{
	int weight = g->weight;
	g->weight = weight * num / den;
	if (!g->weight)
		g->weight = 1;
	sequence(g, depth + 1);
	g->weight = weight;
}

static void push_target(Gen *g, Block *leave, Block *again)
{
	g->nest[g->nnest++] = (Target){ leave, again };
}

/* ---- conditionals ---- */

/* Of a conditional. late: see random_gen.h. */
static void side(Gen *g, int depth, int late, Block *end)
{
	if (late >= 0 && chance(g, 50))
		straight(g, (int)rnd(g, 4)); /* the others come before it goes on */
	else
		inside(g, depth, 1, 2);
	give_late(g, late);
	jump(g, end);
}

/* if, if-else; `level` of the code inside */
static void conditional(Gen *g, int depth, int pred, int level)
{
	int outer = g->level, late = late_result(g);
	bool both = rnd(g, 2) || late >= 0;
	Block *yes = block(g), *no = both ? block(g) : NULL, *end = block(g);
	branch(g, pred, yes, no ? no : end);
	g->level = level;
	open_block(g, yes);
	side(g, depth, late, end);
	if (no) {
		open_block(g, no);
		side(g, depth, late, end);
	}
	open_block(g, end);
	take_late(g, late);
	g->level = outer;
}

/* if (a && b) or (a || b): two branches that share a target. */
static void short_circuit(Gen *g, int depth)
{
	bool and = rnd(g, 2);
	int outer = g->level;
	Block *second = block(g), *yes = block(g), *no = block(g), *end = block(g);
	branch(g, condition(g), and ? second : yes, and ? no : second);
	g->level = 0;
	open_block(g, second);
	straight(g, 1);
	branch(g, condition(g), yes, no);
	open_block(g, yes);
	inside(g, depth, 1, 2);
	jump(g, end);
	open_block(g, no);
	inside(g, depth, 1, 2);
	jump(g, end);
	open_block(g, end);
	g->level = outer;
	used(g, RF_GOTO);
}

/* A number below n. */
static Opd index_below(Gen *g, int n)
{
	if (has(g, RF_CONSTANT) && chance(g, 10)) {
		used(g, RF_CONSTANT);
		return opd_imm(rnd(g, (uint32_t)n));
	}
	if (!(n & (n - 1)))
		return opd_reg(small(g, (uint32_t)n - 1));
	return opd_reg(emit2(g, "rem.u32", T_U32, opd_reg(pick(g, POOL_32)), opd_imm(n)));
}

void indexed(Gen *g, int n, Block **to)
{
	Opd index = index_below(g, n);
	Ins i = op(g, "brx", 0, 1);
	i.opd[0] = index;
	emit(g, i);
	used(g, RF_SWITCH);
	g->b->nsucc = n;
	g->b->succ = arena_array(&g->m->arena, Block *, n);
	memcpy(g->b->succ, to, sizeof *to * (size_t)n);
}

static void switch_statement(Gen *g, int depth)
{
	enum { MOST = 6 };
	int ncase = 2 + (int)rnd(g, MOST - 1), outer = g->level;
	Block *body[MOST], *to[8], *end = block(g);
	for (int k = 0; k < ncase; k++)
		body[k] = block(g);
	int n = chance(g, 15) ? 1 + (int)rnd(g, 2) : ncase + (int)rnd(g, 9 - (uint32_t)ncase);
	for (int k = 0; k < n; k++) {
		uint32_t r = rnd(g, (uint32_t)ncase + 1);
		to[k] = k < ncase ? body[k] : r < (uint32_t)ncase ? body[r] : end;
	}
	indexed(g, n, to);
	g->level = 0;
	for (int k = 0; k < ncase; k++) {
		open_block(g, body[k]);
		inside(g, depth, 1, ncase);
		jump(g, k + 1 < ncase && chance(g, 25) ? body[k + 1] : end);
	}
	open_block(g, end);
	g->level = outer;
}

/* Ifs in each other, deeper than a warp's barrier registers and on-chip stacks reach; few lanes go around
   each. */
void deep_statement(Gen *g)
{
	enum { LEAST = 17, MOST = 22 };
	Block *end[MOST];
	int n = LEAST + (int)rnd(g, MOST - LEAST + 1), outer = g->level, cost = g->cost;
	int x = rnd(g, 2) ? small(g, 31) : emit2(g, "and.b32", T_U32, opd_reg(g->tid), opd_imm(31));
	g->level = 0;
	for (int k = 0; k < n; k++) {
		Block *yes = block(g);
		end[k] = block(g);
		branch_if(g, emit2(g, "setp.ne.u32", T_PRED, opd_reg(x), opd_imm(k)), yes, end[k]);
		open_block(g, yes);
		straight(g, rnd(g, 4) == 0);
	}
	straight(g, 1);
	for (int k = n; k-- > 0;) {
		jump(g, end[k]);
		open_block(g, end[k]);
		straight(g, rnd(g, 4) == 0);
	}
	g->level = outer;
	g->cost = cost + 16 * n; /* it comes once: the rest of the kernel is made all the same */
	used(g, RF_DEEP);
}

/* ---- loops ---- */

/* trips: a register; the loop's shape is a for, with the test above or below. */
static void loop(Gen *g, int depth, int trips, bool uniform)
{
	bool above = rnd(g, 2);
	Block *head = block(g), *body = above ? block(g) : head, *latch = block(g), *end = block(g);
	int outer = g->level, i = emit1(g, "mov.u32", T_U32, opd_imm(0));
	jump(g, head);
	open_block(g, head);
	if (above)
		branch_if(g, emit2(g, "setp.ge.u32", T_PRED, opd_reg(i), opd_reg(trips)), end, body);
	open_block(g, body);
	if (!uniform) {
		g->level = 0;
		push_target(g, end, latch);
	}
	inside(g, depth, 5, 2);
	g->nnest -= !uniform;
	jump(g, latch);
	open_block(g, latch);
	Ins step = op(g, "add.u32", 1, 2);
	step.opd[0] = step.opd[1] = opd_reg(i);
	step.opd[2] = opd_imm(1);
	emit(g, step);
	if (above) {
		jump(g, head);
	} else {
		branch_if(g, emit2(g, "setp.lt.u32", T_PRED, opd_reg(i), opd_reg(trips)), head, end);
	}
	open_block(g, end);
	if (chance(g, 30)) { /* how often this thread has gone round */
		Ins count = op(g, "add.u32", 1, 2);
		count.opd[0] = count.opd[1] = opd_reg(pick(g, POOL_32));
		count.opd[2] = opd_reg(i);
		emit(g, count);
	}
	g->level = outer;
	used(g, RF_LOOP);
}

static void loop_statement(Gen *g, int depth)
{
	bool uniform = g->level > 0 && chance(g, 60);
	int x = uniform ? emit2(g, "and.b32", T_U32, opd_reg(pick(g, POOL_UNIFORM)), opd_imm(3))
		: small(g, 3);
	int trips = emit2(g, "add.u32", T_U32, opd_reg(x), opd_imm(1));
	loop(g, depth, trips, uniform);
}

/* Code with a common place to leave for, from any depth. */
static void region(Gen *g, int depth)
{
	int outer = g->level;
	Block *end = block(g);
	g->level = 0;
	push_target(g, end, NULL);
	inside(g, depth, 1, 1);
	g->nnest--;
	jump(g, end);
	open_block(g, end);
	g->level = outer;
}

/* break, continue, or goto the end of a region: on a condition. */
static void leave(Gen *g)
{
	Target t = g->nest[rnd(g, (uint32_t)g->nnest)];
	Block *next = block(g), *to = t.again && rnd(g, 3) == 0 ? t.again : t.leave;
	branch(g, condition(g), to, next);
	open_block(g, next);
	used(g, RF_GOTO);
}

/* ---- the end of a thread or function ---- */

static void finish(Gen *g)
{
	Block *last = block(g), *next = block(g);
	branch(g, condition(g), last, next);
	open_block(g, last);
	if (g->device && (!g->may_exit || rnd(g, 2))) {
		straight(g, 1);
		return_here(g);
	} else {
		Ins i = op(g, "st.global.u32", 0, 2);
		i.opd[0] = opd_reg(g->slot);
		i.opd[1] = value(g, T_U32);
		emit(g, i);
		if (rnd(g, 4))
			emit(g, op(g, "exit", 0, 0));
		else
			return_here(g);
		used(g, RF_EXIT);
	}
	open_block(g, next);
}

/* ---- calls ---- */

/* Arguments: u32 x, f32 y, predicates, u64 in, u64 slot, u64 acc, u32 depth; results: u32, predicates,
   f32. */
static void call(Gen *g, Opd f, int depth, int cost)
{
	Ins i = op(g, "call", 2 + g->pred_results, 7 + g->pred_args);
	Opd *o = i.opd;
	int first = (int)rnd(g, (uint32_t)g->npool[POOL_PRED]);
	*o++ = opd_reg(pick(g, POOL_32));
	for (int k = 0; k < g->pred_results; k++)
		*o++ = opd_reg(g->pool[POOL_PRED][(first + k) % g->npool[POOL_PRED]]);
	*o++ = opd_reg(has(g, RF_FLOAT) ? pick(g, POOL_F32) : fresh(g, T_F32));
	*o++ = f;
	*o++ = value(g, T_U32);
	*o++ = has(g, RF_FLOAT) ? value(g, T_F32) : opd_imm(0x3f800000);
	for (int k = 0; k < g->pred_args; k++)
		*o++ = predicate(g);
	*o++ = opd_reg(g->in);
	*o++ = opd_reg(g->slot);
	*o++ = opd_reg(g->acc);
	*o++ = opd_reg(depth);
	if (g->pred_args + g->pred_results)
		used(g, RF_PREDICATE);
	guard(g, &i);
	emit(g, i);
	g->cost += g->weight * (cost / 16);
	used(g, RF_CALL);
}

static Opd function(const Function *f) { return (Opd){ OPD_FUNC, 0, f->id, 0 }; }

void recursive_call(Gen *g)
{
	int less = emit2(g, "sub.u32", T_U32, opd_reg(g->depth), opd_imm(1));
	call(g, function(g->f), less, 0);
	used(g, RF_RECURSION);
}

static bool may_call(const Gen *g, int k)
{
	return g->weight * (g->func_cost[k] / 16) <= g->limit && (!g->func_exits[k] || g->may_exit);
}

/* The address of function a for some lanes, of b for the others. */
static int one_of_two(Gen *g, int a, int b)
{
	Ins i = op(g, "selp.b64", 1, 3);
	int r = fresh(g, T_U64);
	i.opd[0] = opd_reg(r);
	i.opd[1] = opd_reg(emit1(g, "mov.u64", T_U64, function(g->func[a])));
	i.opd[2] = opd_reg(emit1(g, "mov.u64", T_U64, function(g->func[b])));
	i.opd[3] = opd_reg(condition(g));
	emit(g, i);
	return r;
}

/* The address of one of the first n functions, from a table. */
static int one_of_table(Gen *g, int n)
{
	return load_function(g, emit2(g, "rem.u32", T_U32, opd_reg(pick(g, POOL_32)), opd_imm(n)));
}

void call_statement(Gen *g)
{
	if (!g->nfunc)
		return;
	int which = (int)rnd(g, (uint32_t)g->nfunc), other = (int)rnd(g, (uint32_t)g->nfunc), all = 0;
	if (!may_call(g, which))
		return;
	int depth = g->device ? g->depth : small(g, RECURSION_MOST);
	if (!has(g, RF_INDIRECT) || !chance(g, 70)) {
		call(g, function(g->func[which]), depth, g->func_cost[which]);
		return;
	}
	while (all < g->nfunc && may_call(g, all))
		all++;
	used(g, RF_INDIRECT);
	if (all > 1 && rnd(g, 2)) {
		int cost = 0;
		for (int k = 0; k < all; k++)
			cost += g->func_cost[k];
		call(g, opd_reg(one_of_table(g, all)), depth, cost / all);
		return;
	}
	if (!may_call(g, other))
		other = which;
	call(g, opd_reg(one_of_two(g, which, other)), depth, (g->func_cost[which] + g->func_cost[other]) / 2);
}

/* ---- statements ---- */

/* The lanes of a condition, and sometimes the others, each together with the others of theirs. */
static void group_statement(Gen *g, int depth)
{
	int outer = g->level, p = condition(g), mask[2] = { ballot(g, p, false), ballot(g, p, true) },
		n = 1 + (int)rnd(g, 2);
	Block *side[2], *end = block(g);
	side[0] = block(g);
	side[1] = n == 2 ? block(g) : end;
	branch_if(g, p, side[0], side[1]);
	g->level = 0;
	for (int k = 0; k < n; k++) {
		open_block(g, side[k]);
		if (rnd(g, 2))
			inside(g, depth, 1, 2);
		group_operation(g, mask[k]);
		jump(g, end);
	}
	open_block(g, end);
	g->level = outer;
}

/* Statements that threads make together where they still are together; false: there was none to make. */
static bool together(Gen *g, int depth)
{
	if (g->level == 0 || g->may_exit)
		return false;
	if (apart_statement(g, depth))
		return true;
	uint32_t r = rnd(g, 10);
	uint32_t group = has(g, RF_GROUP) && has(g, RF_WARP) ? rnd(g, 10) : 9;
	if (group < 2 && depth < DEPTH_MOST)
		group_statement(g, depth);
	else if (group < 4)
		guarded_group(g);
	else if (g->level == 2 && has(g, RF_SHARED) && r < 3)
		exchange_statement(g);
	else if (has(g, RF_WARP) && r < 6)
		warp_statement(g);
	else if (g->level == 2 && r < 8 && depth < DEPTH_MOST)
		conditional(g, depth, uniform_condition(g), 2);
	else if (has(g, RF_WARP) && depth < DEPTH_MOST) { /* a condition that lanes of a warp agree on */
		int p = fresh(g, T_PRED);
		Ins i = op(g, "vote.sync.any.pred", 1, 2);
		i.opd[0] = opd_reg(p);
		i.opd[1] = opd_reg(condition(g));
		i.opd[2] = all_lanes(g);
		emit(g, i);
		conditional(g, depth, p, 1);
		used(g, RF_WARP);
	} else
		return false;
	return true;
}

static bool nested(Gen *g, int depth)
{
	bool deep = depth >= DEPTH_MOST || g->nnest >= NEST_MOST - 1 || g->cost >= g->limit;
	uint32_t r = rnd(g, 100);
	if (!deep && has(g, RF_ARMS) && chance(g, g->p->arms && depth < 2 ? 50 : 12)) {
		arms_statement(g, depth);
		return true;
	}
	if (deep || r >= 60)
		return false;
	if (r < 14)
		conditional(g, depth, condition(g), 0);
	else if (r < 19 && has(g, RF_GOTO))
		short_circuit(g, depth);
	else if (r < 31 && has(g, RF_LOOP) && g->weight < HEAVY)
		loop_statement(g, depth);
	else if (r < 37 && has(g, RF_SWITCH))
		switch_statement(g, depth);
	else if (r < 44 && has(g, RF_GRAPH) && g->weight < HEAVY)
		graph_statement(g);
	else if (r < 48 && has(g, RF_GOTO))
		region(g, depth);
	else if (has(g, RF_CALL) && g->weight < HEAVY)
		call_statement(g);
	else
		return false;
	return true;
}

static void statement(Gen *g, int depth)
{
	if (chance(g, 25) && together(g, depth))
		return;
	if (nested(g, depth))
		return;
	uint32_t r = rnd(g, 20);
	if (g->nnest && r < 5)
		leave(g);
	else if ((g->device && r == 5) || (g->may_exit && r >= 5 && r < 9))
		finish(g);
	else if (has(g, RF_ATOMIC) && r == 6)
		atomic_statement(g);
	else if (r < 11)
		memory_statement(g);
	else
		straight(g, 1 + (int)rnd(g, 4));
}

void sequence(Gen *g, int depth)
{
	int n = 1 + (int)rnd(g, 3);
	straight(g, (int)rnd(g, 2));
	Steps s = { 0 };
	for (int k = 0; k < n && (k == 0 || g->cost < g->limit); k++) {
		step_begin(g, &s);
		statement(g, depth);
		idle_statement(g);
		nan_statement(g);
		spaces_statement(g);
		chase_statement(g);
		step_end(g, &s);
	}
}
