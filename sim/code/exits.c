/* Ends of threads. Compilers for GPUs of every generation turn a branch to a block that does nothing but end
 * the thread into an exit under a guard, and a jump to such a block into an exit. Threads that end do so at
 * once: they wait for no other thread, and none waits for them. The others go on with the next instruction.
 *
 * An exit under a guard counts as the source's branch (MIns.branch). Each issue of it in which lanes end also
 * counts, for these lanes, as an issue of the source's block to which the branch led. A branch stays a branch
 * if its other way leads back to the head of a loop, because compilers put the end behind such a branch; so
 * does one of which both ways end. If a branch asks its threads to meet at a block that only ends threads,
 * the blocks that can be reached from this branch still lead to it. A jump by which a thread comes to its end
 * only after MOST_JUMPS more of them stays a jump, since each end counts as all the blocks on the way. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower.h"

/* So many jumps in a row become ends. In a nest of n branches that is left by jumps alone, n ends that count
   as up to n blocks each would take the square of n. */
enum { MOST_JUMPS = 16 };

/* Does b do nothing but end threads, so that what leads to it from block `from` may become an end? meets: by
   block, if branches ask their threads to meet at it: the blocks that can be reached from these branches. */
static bool only_ends(const LowerFn *l, const BitSet *meets, const Block *from, const Block *b)
{
	return block_only_ends(l->f, b) && b->id && !(meets[b->id].w && bs_has(meets[b->id], from->id));
}

static BitSet *meeting_places(Arena *a, const Function *f, const Cfg *c)
{
	BitSet *meets = arena_array(a, BitSet, c->n), none = bs_new(a, c->n);
	for (int k = 0; k < c->n; k++) {
		const Block *point = f->block.v[k]->reconverge;
		if (!point)
			continue;
		if (!meets[point->id].w)
			meets[point->id] = bs_new(a, c->n);
		graph_reach(c->graph, false, k, none, meets[point->id]);
	}
	return meets;
}

/* Block b jumps to a block that only ends threads: replaces the jump by a copy of that end. */
static void end_here(LowerFn *l, Block *b)
{
	Ins end = *block_term(b->succ[0]);
	edit_mark_also(&l->edit, &end, block_term(b));
	edit_targets(&l->edit, b, NULL, 0);
	*block_term(b) = end;
}

/* All ways of block b's branch lead to one block that only ends threads: directs them to a copy of that
   block. */
static void end_alone(LowerFn *l, Block *b)
{
	Block *end = b->succ[0], *own = lower_block(l, lower_position(l, b) + 1);
	own->loc = end->loc;
	own->id = end->id;             /* until blocks are numbered again */
	edit_append(&l->edit, own, *block_term(end));
	for (int k = 0; k < b->nsucc; k++)
		edit_target(&l->edit, b, k, own);
}

static bool leads_to_end(const LowerFn *l, const BitSet *meets, const Block *b)
{
	for (int k = 0; k < b->nsucc; k++)
		if (b->succ[k] != b->succ[0])
			return false;
	return b->nsucc && only_ends(l, meets, b, b->succ[0]);
}

/* Way `side` of block b's branch leads to a block that only ends threads: turns the branch into an exit under
   a guard and a jump to the other way. The exit keeps the operands of the source's branch, because the
   instruction is found by them (Code.source). */
static void guard_end(LowerFn *l, Block *b, int side)
{
	Ins end = *block_term(b->succ[side]), branch = *block_term(b);
	Block *rest = b->succ[!side];
	Opd who = *ins_src(&branch, 0);
	who.neg ^= (uint8_t)side;
	if (who.kind == OPD_REG)
		edit_mark_lanes(&l->edit, &end, who);
	else if ((who.imm & 1) == (who.neg != 0)) /* the condition is constant: no lane ends there */
		end.mark = 0;
	branch.op = OP_EXITIF;
	branch.mode = (uint8_t)(side ? EXIT_OTHER : EXIT_TAKEN);
	branch.flags = 0;
	edit_mark_also(&l->edit, &branch, &end);
	b->reconverge = NULL;
	*block_term(b) = branch;
	edit_jump(&l->edit, b, NULL, rest);
}

/* Which way of block b's branch, 0 or 1, is to become an exit under a guard; -1: none. */
static int ending_side(const LowerFn *l, const Cfg *c, const BitSet *meets, const Block *b)
{
	const Ins *t = block_term(b);
	if (t->op != OP_BRA || t->nsrc != 1 || c->rpo_index[b->id] < 0)
		return -1;
	bool ends[2] = { only_ends(l, meets, b, b->succ[0]), only_ends(l, meets, b, b->succ[1]) };
	if (ends[0] == ends[1] || c->rpo_index[b->succ[ends[0]]->id] <= c->rpo_index[b->id])
		return -1;
	return ends[1];
}

/* If threads leave a loop only by exits under guards, the graph has no way out of that loop. Analyses of
 * post-dominators then assume a way out at the head of the loop, behind its instructions (cfg_exit_graph). If
 * the head ends with a branch, whose ways may meet inside the loop, this branch is moved to a block of its
 * own. */
static void part_heads(LowerFn *l)
{
	Arena tmp = { 0 };
	Function *f = l->f;
	const Cfg *c = cfg_build(&tmp, f);
	BitSet none = bs_new(&tmp, c->n), ends = bs_new(&tmp, c->n);
	Vec(Block *) head = { 0 };
	for (int b = 0; b < c->n; b++)
		if (!f->block.v[b]->nsucc)
			graph_reach(c->graph, true, b, none, ends);
	for (int i = c->nreach; i-- > 0;) {
		int n = c->nest->of[c->rpo[i]->id];
		if (bs_has(ends, c->rpo[i]->id))
			continue;
		while (c->nest->parent[n] >= 0)
			n = c->nest->parent[n];
		vec_push(&head, f->block.v[c->nest->header[n]]);
		graph_reach(c->graph, true, c->nest->header[n], none, ends);
	}
	for (int k = 0; k < head.n; k++) {
		Block *h = head.v[k];
		if (h->nsucc < 2)
			continue;
		Block *rest = lower_block(l, lower_position(l, h) + 1);
		rest->loc = h->loc;
		edit_move_rest(&l->edit, h, h->ins.n - 1, rest);
		edit_jump(&l->edit, h, NULL, rest);
	}
	vec_free(&head);
	function_number(f);
	arena_free(&tmp);
}

void lower_exits(LowerFn *l)
{
	if (!l->config->guarded_exits)
		return;
	Function *f = l->f;
	Arena tmp = { 0 };
	const Cfg *c = cfg_build(&tmp, f);
	const BitSet *meets = meeting_places(&tmp, f, c);
	BitSet roots = bs_new(&tmp, f->block.n);
	/* by block id: how many jumps lead from a block that is an end now to what was an end before */
	int *jumps = arena_array(&tmp, int, f->block.n);
	uint64_t stamp = f->graph_stamp;
	/* from the last block to the first: once such a jump has become an end, its block only ends threads,
	   too */
	for (int k = f->block.n; k-- > 0;) {
		Block *b = f->block.v[k];
		if (!leads_to_end(l, meets, b))
			continue;
		int least = jumps[b->succ[0]->id] + 1;
		if (!block_jumps(b)) {
			end_alone(l, b);
		} else if (least <= MOST_JUMPS) {
			jumps[b->id] = least;
			end_here(l, b);
		}
	}
	for (int k = 0, side; k < f->block.n; k++)
		if ((side = ending_side(l, c, meets, f->block.v[k])) >= 0)
			guard_end(l, f->block.v[k], side);
	bs_add(roots, 0);
	if (f->graph_stamp != stamp) {
		edit_drop_unreached(f, roots);
		part_heads(l);
	}
	arena_free(&tmp);
}
