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
	u->parted = arena_array(a, bool, n->nloop + 1);
	u->loop_end = arena_array(a, int, n->nloop + 1);
	u->unmixed = arena_array(a, int, u->c->nreach + 1);
	for (int k = 0; k <= u->c->nreach; k++) {
		u->unmixed[k] = k;
		if (k < u->c->nreach && n->of[u->c->rpo[k]->id] >= 0)
			u->loop_end[n->of[u->c->rpo[k]->id]] = k + 1;
	}
	for (int l = n->nloop; l-- > 0;)
		if (size[l]++, n->parent[l] >= 0) {
			int *end = &u->loop_end[n->parent[l]];
			size[n->parent[l]] += size[l];
			*end = u->loop_end[l] > *end ? u->loop_end[l] : *end;
		}
	for (int l = 0; l < n->nloop; l++) { /* outer loops have smaller numbers */
		int *at = n->parent[l] >= 0 ? &free_at[n->parent[l]] : &top;
		u->loop_first[l] = *at;
		*at += size[l];
		u->loop_last[l] = *at - 1;
		free_at[l] = u->loop_first[l] + 1;
	}
	u->tree = tree_new(a, n->nloop + 1);
	tree_root(&u->tree, 0);
	for (int l = 0; l < n->nloop; l++)
		tree_add(&u->tree, l + 1, n->parent[l] + 1, 0);
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

/* The first place in reverse post-order, from this one on, whose block has not been mixed. */
static int next_unmixed(Uni *u, int at)
{
	while (u->unmixed[at] != at)
		at = u->unmixed[at] = u->unmixed[u->unmixed[at]];
	return at;
}

/* Lanes of different iterations meet in the cycle: marks all that may change from one iteration to the next
   (phis), and results that depend on which lanes execute an instruction together. Blocks of cycles that have
   been mixed before are passed over: they are marked. */
void uni_mix(Uni *u, int loop, int branch)
{
	const Ssa *s = u->ssa;
	if (u->mixed[loop])
		return;
	u->mixed[loop] = true;
	for (int at = u->c->rpo_index[u->c->nest->header[loop]];;) {
		at = next_unmixed(u, at);
		if (at >= u->loop_end[loop])
			break;
		const Block *b = u->c->rpo[at];
		u->unmixed[at] = at + 1;
		for (int k = s->phi_first[b->id]; k < s->phi_first[b->id + 1]; k++)
			uni_mark(u, s->phi[k].version, UNI_MIXED, branch);
		uni_mark_varying(u, b, branch);
	}
}
