/* Convergence barriers in the code: operations on an object (a barrier of the function: place.h) become
   operations on the barrier register that the object has. */
#include "sim/reconv/its/place.h"

static int reg_of(const Barriers *p, int o) { return p->r[o].number % p->registers; }
static bool shares(const Barriers *p, int o) { return p->r[o].number >= p->registers; }

/* ---- BMOV ---- */

Ins its_ins(Barriers *p, int own, int reg)
{
	Ins i = lower_own(p->l, own, own == OWN_BMOVCLEAR, own == OWN_BMOV ? 2 : 1);
	*ins_src(&i, 0) = opd_imm(reg);
	return i;
}

/* Makes a place that keeps the contents of a barrier register: a general register, or in a recursive function
   a slot of the call frame, since its activations share registers. */
static int new_place(Barriers *p)
{
	return p->l->recursive ? lower_slot(p->l, T_B32) : edit_temp(&p->l->edit, T_B32);
}

static void save_register(Barriers *p, Block *b, int *at, int reg, int place)
{
	int r = p->l->recursive ? edit_temp(&p->l->edit, T_B32) : place;
	Ins i = its_ins(p, OWN_BMOVCLEAR, reg);
	*ins_dst(&i, 0) = opd_reg(r);
	edit_insert(&p->l->edit, b, (*at)++, i);
	if (p->l->recursive)
		lower_store(p->l, b, at, opd_reg(r), T_B32, place);
}

static void restore_register(Barriers *p, Block *b, int *at, int reg, int place)
{
	int r = p->l->recursive ? edit_temp(&p->l->edit, T_B32) : place;
	if (p->l->recursive)
		lower_load(p->l, b, at, r, place);
	Ins i = its_ins(p, OWN_BMOV, reg);
	*ins_src(&i, 1) = opd_reg(r);
	edit_insert(&p->l->edit, b, (*at)++, i);
}

/* ---- operations ---- */

/* Inserts operation `own` on object o at *at, and moves *at behind it. If an outer barrier has the same
   register, that is saved before BSSY, and restored behind BSYNC and BREAK. */
static void emit_operation(Barriers *p, Block *b, int *at, int own, int o)
{
	if (p->r[o].idle)
		return;
	if (own == OWN_BSSY && shares(p, o))
		save_register(p, b, at, reg_of(p, o), p->r[o].saved);
	edit_insert(&p->l->edit, b, (*at)++, its_ins(p, own, reg_of(p, o)));
	if (own != OWN_BSSY && own != OWN_BSYNCR && shares(p, o))
		restore_register(p, b, at, reg_of(p, o), p->r[o].saved);
}

/* Puts a BREAK for each barrier of s, the inner ones first. */
static void break_barriers(Barriers *p, Block *b, int *at, Chain s)
{
	for (int n = s ? p->most - 1 : -1; n >= 0; n--)
		chain_each(s, c) {
			int o = its_at_rank(p, c->v);
			if (p->r[o].numbered && p->r[o].number == n)
				emit_operation(p, b, at, OWN_BREAK, o);
		}
}

/* Replaces the block's operations on objects with operations on registers. */
static void rewrite_block(Barriers *p, Block *b)
{
	for (int k = 0; k < b->ins.n;) {
		if (b->ins.v[k].op != OP_OWN) {
			k++;
			continue;
		}
		int own = b->ins.v[k].mode, o = its_object(&b->ins.v[k], own), at = k + 1;
		emit_operation(p, b, &at, own, o);
		edit_remove(&p->l->edit, b, k);
		k = at - 1; /* behind the operations that were put in its place */
	}
}

/* Puts the BREAKs of lanes that leave a frame on the edges to the frame's BSYNC. */
static void put_frame_breaks(Barriers *p)
{
	for (int x = 0; x < p->leave.n; x++) {
		LeaveEdge e = p->leave.v[x];
		Block *to = e.from->succ[e.k];
		if (p->cfg->rpo_index[e.from->id] < 0)
			continue;
		Chain s = its_left(p, e.from, e.k);
		if (!s)
			continue;
		int at = 0;
		Block *b = lower_block(p->l, lower_position(p->l, to));
		break_barriers(p, b, &at, s);
		edit_jump(&p->l->edit, b, NULL, to);
		edit_target(&p->l->edit, e.from, e.k, b);
	}
}

/* Saves the registers that the function uses at its entry, and restores them where it returns: callers may
   use them. */
static void keep_callers(Barriers *p)
{
	int used = p->most < p->registers ? p->most : p->registers, at = 0;
	if (p->f->kind != FN_DEVICE || !used)
		return;
	int *place = arena_array(&p->arena, int, used);
	Block *entry = p->f->block.v[0], *first = lower_block(p->l, 0);
	for (int r = 0; r < used; r++) {
		place[r] = new_place(p);
		save_register(p, first, &at, r, place[r]);
	}
	edit_jump(&p->l->edit, first, NULL, entry);
	for (int b = 0; b < p->f->block.n; b++) {
		Block *blk = p->f->block.v[b];
		at = blk->ins.n - 1;
		for (int r = 0; block_term(blk)->op == OP_RET && r < used; r++)
			restore_register(p, blk, &at, r, place[r]);
	}
}

/* ---- the function ---- */

void its_code(Barriers *p)
{
	for (int o = 0; o < p->n; o++)
		if (p->r[o].numbered && shares(p, o))
			p->r[o].saved = new_place(p);
	int n = p->f->block.n;
	Block **all = arena_array(&p->arena, Block *, n);
	memcpy(all, p->f->block.v, sizeof *all * (size_t)n);
	put_frame_breaks(p);
	for (int b = 0; b < n; b++) {
		Chain open = p->out[all[b]->id];
		rewrite_block(p, all[b]);
		int at = all[b]->ins.n - 1;
		if (block_term(all[b])->op == OP_RET && p->f->kind == FN_DEVICE)
			break_barriers(p, all[b], &at, open);
	}
	keep_callers(p);
}
