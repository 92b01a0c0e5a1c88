/* Warp-level operations of one mask at which the lanes of a warp arrive in several places: in the two arms of
 * a branch, in two loops one behind the other, or in different turns of one loop. All lanes execute the same
 * row of operations, with the same qualifiers and the mask of all lanes; where each stands, and the registers
 * that it names, differ. */
#include "tests/random/random_gen.h"

static const char *const mnemonics[] = {
	"shfl.sync.up.b32", "shfl.sync.down.b32", "shfl.sync.bfly.b32", "shfl.sync.idx.b32",
	"vote.sync.all.pred",
	"vote.sync.any.pred", "vote.sync.uni.pred", "vote.sync.ballot.b32", "match.any.sync.b32",
	"match.all.sync.b32", "match.any.sync.b64", "redux.sync.add.u32", "redux.sync.max.s32",
	"redux.sync.xor.b32", "elect.sync", "bar.warp.sync"
};
enum { MNEMONICS = sizeof mnemonics / sizeof *mnemonics, IN_A_ROW = 3, TURNS = 4 };

typedef struct Row { int n, op[IN_A_ROW]; } Row; /* operations one behind the other */

static Row choose_row(Gen *g)
{
	Row r = { .n = 1 + (int)rnd(g, IN_A_ROW) };
	for (int k = 0; k < r.n; k++)
		r.op[k] = (int)rnd(g, MNEMONICS);
	return r;
}

static void sources(Gen *g, Ins *i)
{
	int ws = ptx_warp(g->p->warp_size);
	switch (op_info[i->op].kind) {
	case K_SHFL:
		*ins_src(i, 0) = opd_reg(pick(g, POOL_32));
		*ins_src(i, 1) = chance(g, 50) ? opd_imm(rnd(g, (uint32_t)ws))
			: opd_reg(small(g, (uint32_t)ws - 1));
		*ins_src(i, 2) = opd_imm((32 - ws) << 8 | (i->mode == MODE_UP ? 0 : ws - 1));
		break;
	case K_VOTE: *ins_src(i, 0) = predicate(g); break;
	case K_MATCH:
		if (type_bits[i->type] == 64)
			*ins_src(i, 0) = opd_reg(emit1(g, "cvt.u64.u32", T_U64, opd_reg(small(g, 3))));
		else
			*ins_src(i, 0) = opd_reg(small(g, 3));
		break;
	case K_REDUX: *ins_src(i, 0) = opd_reg(pick(g, POOL_32)); break;
	default: break;
	}
	*ins_src(i, i->nsrc - 1) = all_lanes(g);
}

/* What memory of other lanes holds is read behind a bar.warp.sync, and not written again before the next. */
static void exchange(Gen *g)
{
	uint32_t ws = (uint32_t)ptx_warp(g->p->warp_size);
	int other = emit2(g, "xor.b32", T_U32, opd_reg(g->tid), opd_imm(rnd(g, ws)));
	Ins put = op(g, "st.shared.u32", 0, 2), take = op(g, "ld.shared.u32", 1, 1);
	Ins sync = op(g, "bar.warp.sync", 0, 1);
	int own = thread_address(g, g->shared_out, g->tid), its = thread_address(g, g->shared_out, other);
	put.opd[0] = opd_reg(own);
	put.opd[1] = opd_reg(pick(g, POOL_32));
	emit(g, put);
	sync.opd[0] = all_lanes(g);
	emit(g, sync);
	take.opd[0] = opd_reg(pick(g, POOL_32));
	take.opd[1] = opd_reg(its);
	emit(g, take);
	sync.opd[0] = all_lanes(g);
	emit(g, sync);
}

static void operation(Gen *g, const char *mnemonic)
{
	static const uint8_t source_count[] = { [K_SHFL] = 4, [K_VOTE] = 2, [K_MATCH] = 2, [K_REDUX] = 2,
		[K_ELECT] = 1,
		[K_WARPSYNC] = 1 };
	Ins kind = op(g, mnemonic, 0, 0);
	int k = op_info[kind.op].kind;
	bool second = k == K_ELECT || (k == K_MATCH && kind.mode == MODE_ALL) ||
		(k == K_SHFL && chance(g, 40));
	if (k == K_WARPSYNC && g->shared_out >= 0) {
		exchange(g);
		return;
	}
	Ins i = op(g, mnemonic, (k != K_WARPSYNC) + second, source_count[k]);
	if (i.ndst)
		i.opd[0] = opd_reg(pick(g, kind.type == T_PRED ? POOL_PRED : POOL_32));
	if (second)
		i.opd[1] = opd_reg(pick(g, POOL_PRED));
	sources(g, &i);
	emit(g, i);
}

/* The row, with other code between its operations. */
static void operations(Gen *g, const Row *r)
{
	for (int k = 0; k < r->n; k++) {
		straight(g, (int)rnd(g, 3));
		operation(g, mnemonics[r->op[k]]);
	}
}

static void in_arms(Gen *g, int depth)
{
	Row r = choose_row(g);
	Block *side[2], *end = block(g);
	int p = condition(g);
	side[0] = block(g);
	side[1] = block(g);
	branch_if(g, p, side[0], side[1]);
	for (int k = 0; k < 2; k++) {
		open_block(g, side[k]);
		if (rnd(g, 2))
			inside(g, depth, 1, 2);
		operations(g, &r);
		jump(g, end);
	}
	open_block(g, end);
}

static void count_down(Gen *g, int n)
{
	Ins i = op(g, "sub.u32", 1, 2);
	i.opd[0] = i.opd[1] = opd_reg(n);
	i.opd[2] = opd_imm(1);
	emit(g, i);
}

/* So many turns of the row as the register says, which may be none. */
static void turns(Gen *g, const Row *r, int n)
{
	Block *head = block(g), *body = block(g), *end = block(g);
	int weight = g->weight;
	jump(g, head);
	open_block(g, head);
	branch_if(g, emit2(g, "setp.ne.u32", T_PRED, opd_reg(n), opd_imm(0)), body, end);
	g->weight *= TURNS / 2;
	open_block(g, body);
	operations(g, r);
	count_down(g, n);
	jump(g, head);
	open_block(g, end);
	g->weight = weight;
}

/* Each lane leaves the first loop after another number of turns and takes the rest of them in the second. */
static void in_two_loops(Gen *g)
{
	Row r = choose_row(g);
	int first = small(g, TURNS - 1), rest = emit2(g, "sub.u32", T_U32, opd_imm(TURNS), opd_reg(first));
	turns(g, &r, first);
	straight(g, (int)rnd(g, 3));
	turns(g, &r, rest);
}

/* Some lanes take one turn before the loop: from then on they are a turn ahead of the others. */
static void a_turn_ahead(Gen *g)
{
	Row r = choose_row(g);
	int p = condition(g), n = fresh(g, T_U32);
	Block *ahead = block(g), *loop = block(g);
	Ins set = op(g, "mov.u32", 1, 1);
	set.opd[0] = opd_reg(n);
	set.opd[1] = opd_imm(TURNS);
	emit(g, set);
	branch_if(g, p, ahead, loop);
	open_block(g, ahead);
	operations(g, &r);
	count_down(g, n);
	jump(g, loop);
	open_block(g, loop);
	turns(g, &r, n);
}

bool apart_statement(Gen *g, int depth)
{
	if (!g->p->apart || !has(g, RF_WARP) || !chance(g, 60))
		return false;
	int outer = g->level;
	uint32_t which = rnd(g, 4);
	g->level = 0;
	if (which < 2)
		in_arms(g, depth);
	else if (which == 2)
		in_two_loops(g);
	else
		a_turn_ahead(g);
	g->level = outer;
	used(g, RF_WARP);
	return true;
}
