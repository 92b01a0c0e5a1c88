/* Ends of threads. Compilers for GPUs of every generation make a branch to a block that does nothing but end
 * the thread an exit under a guard, and give each block that jumps to one an end of its own: who ends does so
 * at once, and nobody waits for it or keeps it waiting. Who goes on falls through.
 *
 * The exit counts as the source's branch (MIns.branch), and as the source's block for the lanes that end
 * there, as often as some do. A branch back to the head of a loop stays a branch: compilers put the end
 * behind it. So does one where both ways end at once, and a block stays at which a branch asks its threads to
 * meet, for those that come from there. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower.h"

/* meets: by block, if branches ask for it as their point, the blocks that these lead to. */
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

/* The block jumps to one that only ends: it gets an end of its own. */
static void end_here(LowerFn *l, Block *b)
{
	Ins end = *block_term(b->succ[0]);
	edit_mark_also(&l->edit, &end, block_term(b));
	edit_targets(&l->edit, b, NULL, 0);
	*block_term(b) = end;
}

/* All ways of the block's branch lead to one block that only ends: a copy of it takes its place. */
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

/* The way `side` of the block's branch ends. The operands stay those of the source, by which the instruction
   is known. */
static void guard_end(LowerFn *l, Block *b, int side)
{
	Ins end = *block_term(b->succ[side]), branch = *block_term(b);
	Block *rest = b->succ[!side];
	Opd who = *ins_src(&branch, 0);
	who.neg ^= (uint8_t)side;
	if (who.kind == OPD_REG)
		edit_mark_lanes(&l->edit, &end, who);
	else if ((who.imm & 1) == (who.neg != 0)) /* nobody ends there */
		end.mark = 0;
	branch.op = OP_EXITIF;
	branch.mode = (uint8_t)(side ? EXIT_OTHER : EXIT_TAKEN);
	branch.flags = 0;
	edit_mark_also(&l->edit, &branch, &end);
	b->reconverge = NULL;
	*block_term(b) = branch;
	edit_jump(&l->edit, b, NULL, rest);
}

/* The way of the block's branch that is to end under a guard; -1: none. */
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

/* A loop that threads leave by exits under guards alone has no way out in the graph: analyses of
 * post-dominators take it that there is one at its head (cfg_exit_graph), behind the head's instructions. So
 * the branch at the head's end, whose sides may meet in the loop, gets a block of its own. */
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
	uint64_t stamp = f->graph_stamp;
	for (int k = f->block.n; k-- > 0;) { /* a block that only jumps there only ends from now on */
		Block *b = f->block.v[k];
		while (block_jumps(b) && leads_to_end(l, meets, b))
			end_here(l, b);
		if (leads_to_end(l, meets, b))
			end_alone(l, b);
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
