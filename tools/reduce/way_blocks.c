#include "tools/reduce/edits.h"
#include "tools/reduce/ways.h"
#include "isa/edit.h"

/* The module's blocks have numbers in a row; so have the ways out of them, two for each block, or as many as
   it has if these are more. */
typedef bool BlockChange(Module *, Function *, Block *, int way);
typedef int BlockWays(const Block *);

static int count_ways(const Module *m, BlockWays *ways)
{
	int n = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			n += ways(m->func.v[f]->block.v[b]);
	return n;
}

/* No block may go while this runs: what cannot be reached goes afterwards. */
static bool change_ways(Module *m, int from, int to, BlockWays *ways, BlockChange *change)
{
	bool any = false;
	int n = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0, count = m->func.v[f]->block.n; b < count; b++) {
			int first = n;
			n += ways(m->func.v[f]->block.v[b]);
			for (int p = first > from ? first : from; p < n && p < to; p++)
				if (change(m, m->func.v[f], m->func.v[f]->block.v[b], p - first)) {
					any = true;
					break;
				}
		}
	return any;
}

/* The block's last instruction, its successors and what it asks for go; the caller appends another end. */
static Ins take_end(Block *b)
{
	Ins old = b->ins.v[--b->ins.n];
	b->nsucc = 0;
	b->reconverge = NULL;
	return old;
}

static void go_to(Module *m, Block *b, Block *to)
{
	Ins old = take_end(b);
	block_jump(m, b, to);
	ins_place(block_term(b), &old);
}

/* ---- threads end ---- */

static int may_end(const Block *b) { return b->nsucc > 0; }

static bool end_block(Module *m, Function *f, Block *b, int way)
{
	Edit e = edit_open(m, f, 0);
	take_end(b);
	vec_push(&b->ins, f->kind == FN_HOST ? ins_make(m, OP_EXIT, T_NONE, 0, 0) : edit_ret(&e, NULL));
	edit_close(&e);
	return true;
}

int ends_places(const Module *m) { return count_ways(m, may_end); }
bool ends_cut(Module *m, int from, int to) { return change_ways(m, from, to, may_end, end_block); }

/* ---- branches ---- */

static int ways_to_fold(const Block *b) { return ins_decides(block_term(b)) ? b->nsucc : 0; }

static bool fold_branch(Module *m, Function *f, Block *b, int way)
{
	go_to(m, b, b->succ[way]);
	return true;
}

int branches_places(const Module *m) { return count_ways(m, ways_to_fold); }
bool branches_fold(Module *m, int from, int to)
{
	return change_ways(m, from, to, ways_to_fold, fold_branch);
}

/* ---- blocks that are bypassed ---- */

static int ways_to_bypass(const Block *b) { return b->nsucc; }

static bool bypass_block(Module *m, Function *f, Block *b, int way)
{
	Block *to = b->succ[way];
	if (to == b)
		return false;
	for (int k = 0; k < f->block.n; k++) {
		Block *x = f->block.v[k];
		for (int e = 0; e < x->nsucc; e++)
			if (x != b && x->succ[e] == b)
				x->succ[e] = to;
	}
	if (b != f->block.v[0])
		return true;
	/* the entry: the next block takes its place, and it may go on being there if something leads to it */
	for (int k = 1; k < f->block.n; k++)
		if (f->block.v[k] == to) {
			f->block.v[0] = to;
			f->block.v[k] = b;
			return true;
		}
	return false;
}

int bypass_places(const Module *m) { return count_ways(m, ways_to_bypass); }
bool bypass_change(Module *m, int from, int to)
{
	return change_ways(m, from, to, ways_to_bypass, bypass_block);
}

/* ---- edges that go further ---- */

/* An edge may go to where each of the first two ways out of its target goes. */
enum { EDGE_WAYS = 2 };
static int ways_of_edges(const Block *b) { return EDGE_WAYS * b->nsucc; }

static bool skip_target(Module *m, Function *f, Block *b, int way)
{
	int edge = way / EDGE_WAYS, out = way % EDGE_WAYS;
	const Block *over = b->succ[edge];
	if (out >= over->nsucc || over->succ[out] == over)
		return false;
	b->succ[edge] = over->succ[out];
	return true;
}

int edges_places(const Module *m) { return count_ways(m, ways_of_edges); }
bool edges_change(Module *m, int from, int to)
{
	return change_ways(m, from, to, ways_of_edges, skip_target);
}

/* ---- blocks that join ---- */

static int count_entries(const Function *f, const Block *to)
{
	int n = to == f->block.v[0];
	for (int k = 0; k < f->block.n; k++)
		for (int e = 0; e < f->block.v[k]->nsucc; e++)
			n += f->block.v[k]->succ[e] == to;
	return n;
}

static int may_join(const Block *b) { return b->nsucc > 0 && block_jumps(b); }

static bool join_block(Module *m, Function *f, Block *b, int way)
{
	bool any = false;
	while (b->nsucc > 0 && block_jumps(b)) {
		Block *next = b->succ[0];
		if (next == b || count_entries(f, next) != 1)
			return any;
		take_end(b);
		for (int k = 0; k < next->ins.n; k++)
			vec_push(&b->ins, next->ins.v[k]);
		b->nsucc = next->nsucc;
		b->succ = next->succ;
		b->reconverge = next->reconverge == next ? NULL : next->reconverge;
		/* it cannot be reached any more, and goes as a block that does nothing */
		next->ins.n = 0;
		vec_push(&next->ins, ins_make(m, OP_EXIT, T_NONE, 0, 0));
		next->nsucc = 0;
		next->reconverge = NULL;
		any = true;
	}
	return any;
}

int join_places(const Module *m) { return count_ways(m, may_join); }
bool join_change(Module *m, int from, int to) { return change_ways(m, from, to, may_join, join_block); }
