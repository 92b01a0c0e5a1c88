/* Uniformity: cycles. Lanes that leave a cycle in different iterations bring different values out of it
 * (temporal divergence); and where lanes of different iterations meet inside, a value that changes from one
 * iteration to the next differs. */
#include "passes/analysis/uniformity_own.h"

bool uni_contains(const Uni *u, int loop, int block)
{
	int l = block < u->c->n ? u->c->nest->of[block] : -1;
	return l >= 0 && u->loop_first[loop] <= u->loop_first[l] && u->loop_first[l] <= u->loop_last[loop];
}

void uni_number_cycles(Uni *u, Arena *a)
{
	const Nest *n = u->c->nest;
	int *size = arena_array(a, int, n->nloop + 1), *free_at = arena_array(a, int, n->nloop + 1), top = 0;
	u->loop_first = arena_array(a, int, n->nloop + 1);
	u->loop_last = arena_array(a, int, n->nloop + 1);
	u->left = arena_array(a, bool, n->nloop + 1);
	u->ended = arena_array(a, bool, n->nloop + 1);
	u->mixed = arena_array(a, bool, n->nloop + 1);
	for (int l = n->nloop; l-- > 0;)
		if (size[l]++, n->parent[l] >= 0)
			size[n->parent[l]] += size[l];
	for (int l = 0; l < n->nloop; l++) { /* outer loops have smaller numbers */
		int *at = n->parent[l] >= 0 ? &free_at[n->parent[l]] : &top;
		u->loop_first[l] = *at;
		*at += size[l];
		u->loop_last[l] = *at - 1;
		free_at[l] = u->loop_first[l] + 1;
	}
}

static void note_escape(Uni *u, int version, int to, int *last)
{
	const Nest *n = u->c->nest;
	for (int l = n->of[u->ssa->version[version].block]; l >= 0 && !uni_contains(u, l, to);
		l = n->parent[l]) {
		if (last[l] == version + 1)
			continue;
		last[l] = version + 1;
		vec_push(&u->escapes[l], version);
	}
}

/* Lists, by cycle, the versions that are defined in it and used outside. A version may be in as many lists as
   cycles nest, so the lists are made when lanes first leave a cycle at different times. */
static void find_escapes(Uni *u)
{
	const Reaching *r = u->reads;
	int *last = arena_array(u->arena, int, u->c->nest->nloop + 1);
	u->escapes = arena_array(u->arena, Ints, u->c->nest->nloop + 1);
	for (int v = 0; v < u->ssa->n; v++) {
		if (u->ssa->version[v].ins == SSA_ENTRY)
			continue;
		for (int k = r->read_first[v]; k < r->read_first[v + 1]; k++)
			note_escape(u, v, r->read[k].block, last);
		for (int k = r->into_first[v]; k < r->into_first[v + 1]; k++)
			note_escape(u, v, u->ssa->version[r->into[k]].block, last);
	}
}

/* Is the block one in which lanes that have left the cycle at different times may be? */
static bool comes_later(const Uni *u, int loop, bool ended, int block)
{
	return !uni_contains(u, loop, block) && (!ended || bs_has(u->tail, block));
}

/* Lanes leave the cycle at different times: marks all uses outside it of versions defined inside as
   divergent; ended: only uses in blocks where lanes are that end apart. */
void uni_leave(Uni *u, int loop, bool ended, int branch)
{
	const Reaching *r = u->reads;
	if (!u->escapes)
		find_escapes(u);
	for (int e = 0; e < u->escapes[loop].n; e++) {
		int v = u->escapes[loop].v[e];
		u->steps += r->read_first[v + 1] - r->read_first[v];
		for (int k = r->read_first[v]; k < r->read_first[v + 1]; k++) {
			Reading x = r->read[k];
			if (!comes_later(u, loop, ended, x.block))
				continue;
			int use = u->ssa->use_first[u->ssa->ins_first[x.block] + x.ins] + x.use;
			if (!u->use[use])
				u->r->left[use] = branch;
			u->use[use] = true;
			uni_evaluate(u, x.block, x.ins);
		}
		for (int k = r->into_first[v]; k < r->into_first[v + 1]; k++) {
			int to = u->ssa->version[r->into[k]].block;
			if (comes_later(u, loop, ended, to))
				uni_mark(u, r->into[k], UNI_LEFT, branch);
		}
	}
}

/* Marks the results in the block that depend on which lanes execute an instruction together, or when. */
void uni_mark_varying(Uni *u, const Block *b, int branch)
{
	const Ssa *s = u->ssa;
	for (int k = 0, n = s->ins_first[b->id]; k < b->ins.n; k++, n++) {
		OpKind kind = op_info[b->ins.v[k].op].kind;
		for (int d = s->def_first[n]; d < s->def_first[n + 1] && kind != K_ALU && kind != K_LD; d++)
			uni_mark(u, s->def[d], UNI_TURNS, branch);
	}
}

/* Lanes of different iterations meet in the cycle: marks all that may change from one iteration to the next
   (phis), and results that depend on which lanes execute an instruction together. */
void uni_mix(Uni *u, int loop, int branch)
{
	const Ssa *s = u->ssa;
	if (u->mixed[loop])
		return;
	u->mixed[loop] = true;
	for (int at = u->c->rpo_index[u->c->nest->header[loop]];
		at < u->c->nreach && uni_contains(u, loop, u->c->rpo[at]->id); at++) {
		const Block *b = u->c->rpo[at];
		for (int k = s->phi_first[b->id]; k < s->phi_first[b->id + 1]; k++)
			uni_mark(u, s->phi[k].version, UNI_MIXED, branch);
		uni_mark_varying(u, b, branch);
	}
}
