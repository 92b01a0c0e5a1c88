/* Where convergence barriers go.
 *
 * The regions are those of tokens (place.c): SSY J and SYNC in front of J become BSSY and BSYNC of one
 * barrier, PBK and PCNT with BRK and CONT likewise become BSSY and BSYNC of one barrier for each frame. Lanes
 * that leave a frame or the function from inside a region execute a BREAK, on the edge, for each barrier that
 * is open there. Barriers that are open together get different numbers, the outer ones the lower; a barrier
 * whose number is beyond the registers shares a register with a barrier that is open around it, which BMOV
 * keeps in a general register (in a recursive function, in the call frame) as long as the inner one is open.
 * A device function saves the barrier registers that it uses when it is entered, and restores them before it
 * returns.
 *
 * With late_points, barriers of lanes that may leave a loop in which others wait move behind what these wait
 * for, or are left out: late.c. */
#include "sim/reconv/its/place.h"
#include "sim/reconv/common/place.h"

/* ---- from tokens ---- */

/* The object number of the frame whose frame block is b (frame), or of the barrier whose lanes meet in front
   of b (not frame; b may be a frame block, too). An object that is not there yet is made. */
static int object_of(Barriers *p, const Block *b, bool frame)
{
	int *object = &p->object[2 * b->id + frame];
	if (!*object)
		*object = ++p->n;
	return *object - 1;
}

static void name_barrier(Barriers *p, Ins *i, int own, const Block *b, bool frame)
{
	*i = lower_own(p->l, own, 0, 1);
	i->opd[0] = opd_imm(object_of(p, b, frame));
}

static void translate(PlaceLoops *t, void *self)
{
	Barriers *p = self;
	int n = 0;
	for (int b = 0; b < p->f->block.n; b++)
		if (p->f->block.v[b]->id >= n)
			n = p->f->block.v[b]->id + 1;
	p->object = arena_array(&p->arena, int, 2 * n);
	/* by id of a leaf: the frame block of the frame that lanes leave there */
	const Block **frame = arena_array(&p->arena, const Block *, n);
	for (int k = 0; k < t->leaf.n; k++)
		frame[t->leaf.v[k].block->id] = t->leaf.v[k].frame;
	for (int b = 0; b < p->f->block.n; b++) {
		Block *blk = p->f->block.v[b];
		for (int k = 0; k < blk->ins.n; k++) {
			Ins *i = &blk->ins.v[k];
			if (i->op != OP_OWN)
				continue;
			switch (i->mode) {
			case OWN_SSY:
				name_barrier(p, i, OWN_BSSY, (const Block *)(intptr_t)i->opd[0].imm, false);
				break;
			case OWN_SYNC: name_barrier(p, i, OWN_BSYNC, blk->succ[0], false); break;
			case OWN_PBK: case OWN_PCNT: name_barrier(p, i, OWN_BSSY, blk, true); break;
			case OWN_BRK: case OWN_CONT:
				name_barrier(p, i, OWN_BSYNC, frame[blk->id], true);
				break;
			default: break;
			}
		}
	}
	for (int b = 0; b < p->f->block.n; b++)
		for (int k = 0; k < p->f->block.v[b]->nsucc; k++)
			if (frame[p->f->block.v[b]->succ[k]->id])
				vec_push(&p->leave, ((LeaveEdge){ .from = p->f->block.v[b], .k = k }));
}

/* ---- all steps ---- */

static void find_idle(Barriers *p)
{
	for (int b = 0; b < p->f->block.n; b++) {
		const Block *blk = p->f->block.v[b];
		int o = its_object(&blk->ins.v[0], OWN_BSYNC);
		int next = o >= 0 && blk->ins.n == 2 ? its_object(&blk->succ[0]->ins.v[0], OWN_BSYNC) : -1;
		if (next >= 0 && !p->r[next].idle)
			p->r[o].idle = true;
	}
}

/* Marks the blocks at which the mechanism's reach is to be called. */
static void mark_places(Barriers *p)
{
	LowerFn *l = p->l;
	bool all = its_lower_knob(l, ITS_SWITCH_BRANCH) || its_lower_knob(l, ITS_MERGE);
	bool heads = its_lower_knob(l, ITS_TIMER) || its_lower_knob(l, ITS_TIMEOUT);
	Cfg *cfg = cfg_build(&p->arena, p->f);
	Loops *loops = loops_build(&p->arena, cfg);
	for (int b = 0; b < p->f->block.n; b++)
		l->reach[b] = all;
	for (int k = 0; k < loops->n && heads; k++)
		l->reach[loops->loop[k].header] = true;
}

static bool lower_barriers(LowerFn *l, Diag *diag, bool predicted)
{
	Barriers p = { .l = l, .f = l->f, .registers = (int)reconv_lower_param(l, ITS_REGISTERS) };
	Spins spins = { 0 };
	if (its_lower_knob(l, ITS_YIELD) == ITS_YIELD_SPIN || its_lower_knob(l, ITS_LATE_POINTS))
		its_find_spins(l, &spins);
	if (predicted)
		its_find_predicted(&p);
	bool ok = place_tokens(l, &(PlaceStyle){ .frames = true, .translate = translate, .self = &p }, diag);
	for (int x = 0; ok && x < p.predicted.n; x++)
		its_predict(&p, &p.predicted.v[x]);
	if (ok) {
		its_solve(&p);
		if (its_lower_knob(l, ITS_LATE_POINTS))
			its_late_points(&p, &spins);
		find_idle(&p);
		its_give_way(&p);
		its_number(&p);
		its_code(&p);
		its_place_yields(l, &spins);
		mark_places(&p);
	}
	its_spins_free(&spins);
	vec_free(&p.leave);
	vec_free(&p.predicted);
	arena_free(&p.arena);
	return ok;
}

bool its_lower(LowerFn *l, Diag *diag) { return lower_barriers(l, diag, false); }
bool its_lower_predicted(LowerFn *l, Diag *diag) { return lower_barriers(l, diag, true); }
