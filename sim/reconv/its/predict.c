/* Predicted points (speculative reconvergence, spec_reconv.c): each gets a barrier of the lanes that may
   still come there. */
#include "sim/reconv/its/place.h"

static bool block_leads_to(Arena *a, const Cfg *cfg, const Block *from, const Block *to)
{
	BitSet none = bs_new(a, cfg->n + 1), behind = bs_new(a, cfg->n + 1);
	graph_reach(cfg->graph, false, from->id, none, behind);
	return bs_has(behind, to->id);
}

/* Finds the branches with a !reconverge that names a block which lies behind the branch and does not
   post-dominate it: lanes are predicted to come to that block. */
void its_find_predicted(Barriers *p)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, p->f);
	Dom *pdom = pdom_build(&tmp, cfg, false);
	for (int i = 0; i < cfg->nreach; i++) {
		Block *b = cfg->rpo[i], *r = b->reconverge;
		if (r && r != b && b->nsucc > 1 && cfg->rpo_index[r->id] > 0 &&
			!dom_dominates(pdom, r->id, b->id) && block_leads_to(&tmp, cfg, b, r))
			vec_push(&p->predicted, ((Prediction){ .branch = b, .point = r }));
	}
	arena_free(&tmp);
}

/* Blocks behind the branch from which the point, where lanes wait, can be reached. */
static BitSet predicted_region(Barriers *p, const Prediction *x, const Cfg *cfg)
{
	BitSet region = bs_new(&p->arena, cfg->n + 1), behind = bs_new(&p->arena, cfg->n + 1),
		none = bs_new(&p->arena, cfg->n + 1);
	graph_reach(cfg->graph, true, x->wait->id, none, region);
	graph_reach(cfg->graph, false, x->branch->id, none, behind);
	bs_each(region, b)
		if (!bs_has(behind, b))
			bs_del(region, b);
	return region;
}

/* Puts BSSY on each edge into the region, or BREAK on each edge out of it. */
static void on_edges(Barriers *p, const Prediction *x, int own, Block **all, int n)
{
	for (int b = 0; b < n; b++)
		for (int k = 0; k < all[b]->nsucc; k++) {
			bool from = bs_has(x->region, b), to = bs_has(x->region, all[b]->succ[k]->id);
			if (own == OWN_BSSY ? from || !to : !from || to)
				continue;
			Ins i = its_ins(p, own, x->object);
			if (all[b]->nsucc == 1) {
				edit_insert(&p->l->edit, all[b], all[b]->ins.n - 1, i);
				continue;
			}
			Block *e = lower_block(p->l, lower_position(p->l, all[b]) + 1);
			edit_append(&p->l->edit, e, i);
			edit_jump(&p->l->edit, e, NULL, all[b]->succ[k]);
			e->id = n; /* an id that is in no region */
			edit_target(&p->l->edit, all[b], k, e);
			for (int y = 0; y < p->leave.n; y++)
				if (p->leave.v[y].from == all[b] && p->leave.v[y].k == k)
					p->leave.v[y] = (LeaveEdge){ .from = e };
		}
}

void its_predict(Barriers *p, Prediction *x)
{
	/* all lanes that come to the point wait in front of it */
	x->wait = lower_block(p->l, lower_position(p->l, x->point));
	int n = p->f->block.n;
	x->object = p->n++;
	for (int b = 0; b < n; b++)
		edit_retarget(&p->l->edit, p->f->block.v[b], x->point, x->wait);
	edit_append(&p->l->edit, x->wait, its_ins(p, OWN_BSYNCR, x->object));
	edit_jump(&p->l->edit, x->wait, NULL, x->point);
	Cfg *cfg = cfg_build(&p->arena, p->f);
	x->region = predicted_region(p, x, cfg);
	Block **all = arena_array(&p->arena, Block *, n);
	memcpy(all, p->f->block.v, sizeof *all * (size_t)n);
	on_edges(p, x, OWN_BSSY, all, n);
	on_edges(p, x, OWN_BREAK, all, n);
	if (bs_has(x->region, all[0]->id)) { /* the function begins in the region */
		Block *e = lower_block(p->l, 0);
		edit_append(&p->l->edit, e, its_ins(p, OWN_BSSY, x->object));
		edit_jump(&p->l->edit, e, NULL, all[0]);
	}
}

/* Makes a barrier idle if it is open at a predicted point and its BSYNC lies in the point's region: such a
   barrier would wait for lanes that wait at the point. */
void its_give_way(Barriers *p)
{
	for (int y = 0; y < p->predicted.n; y++) {
		const Prediction *x = &p->predicted.v[y];
		BitSet region = predicted_region(p, x, p->cfg);
		for (int b = 0; b < p->cfg->n; b++) {
			const Block *blk = p->f->block.v[b];
			int o = its_object(&blk->ins.v[0], OWN_BSYNC);
			if (o < 0)
				o = its_object(&blk->ins.v[0], OWN_BSYNCR);
			if (o >= 0 && o != x->object && bs_has(region, b) &&
				chain_has(p->in[x->wait->id], its_rank(p, o)))
				p->r[o].idle = true;
		}
	}
}

/* Makes barriers of predicted points idle that share their register with another barrier. BMOV keeps the
   outer barrier while the inner one has the register, which works for nested regions only. Regions of
   predicted points may overlap others: lanes may leave the outer region while the inner one's barrier is
   open. */
bool its_drop_sharing(Barriers *p)
{
	bool any = false;
	for (int y = 0; y < p->predicted.n; y++) {
		int x = p->predicted.v[y].object;
		for (int o = 0; o < p->n && p->r[x].numbered && !p->r[x].idle; o++)
			if (o != x && p->r[o].numbered && !p->r[o].idle && its_together(p, x, o) &&
				(p->r[o].number - p->r[x].number) % p->registers == 0)
				any = p->r[x].idle = true;
	}
	return any;
}
