/* Where convergence barriers go.
 *
 * The regions are those of tokens (place.c): SSY J and SYNC in front of J become BSSY and BSYNC of one barrier, PBK and
 * PCNT with BRK and CONT likewise one for each frame. Lanes that leave a frame or the function from inside a region BREAK
 * from the barriers that are open there, on the edge. Barriers that are open together get different numbers, the outer
 * ones the lower; one beyond the registers shares one with a barrier that is open around it, which BMOV keeps in a
 * register (in a recursive function, in the frame) as long as the inner one is open. A device function saves the
 * registers it uses when it is entered and restores them before it returns. */
#include "passes/analysis/analysis.h"
#include "sim/reconv/its.h"
#include "sim/reconv/place.h"

typedef struct Region {                /* a barrier of the function, by its object number: BSSY n, BSYNC n */
	BitSet outer;                  /* barriers open where it is opened */
	bool numbered;
	bool idle;                     /* BSYNC of another barrier follows its own: it has nothing to add */
	int number;                    /* before it is mapped to registers */
	int saved;                     /* what holds the barrier register of an inner one: a register, or a symbol */
} Region;

typedef struct Edge { Block *from; int k; } Edge;

/* A predicted point: what is reached from the branch and still leads to the point, and the barrier of that region. */
typedef struct Prediction { Block *branch, *point, *wait; BitSet region; int object; } Prediction;

typedef struct Barriers {
	LowerFn *l;
	Function *f;
	Arena arena;
	int n;                         /* objects */
	int *object;                   /* by id of the block that stands for it, while translating: + 1 */
	Region *r;
	Cfg *cfg;
	BitSet *in, *out;
	int registers, most;           /* available; used */
	Vec(Edge) leave;               /* edges to the BSYNC of a frame */
	Vec(Prediction) predicted;
} Barriers;

/* ---- from tokens ---- */

static int object_of(Barriers *p, const Block *b)
{
	if (!p->object[b->id])
		p->object[b->id] = ++p->n;
	return p->object[b->id] - 1;
}

static void name(Barriers *p, Ins *i, Op op, const Block *b)
{
	*i = lower_ins(p->l, op, T_NONE, 0, 1);
	i->opd[0] = opd_imm(object_of(p, b));
}

static const Block *frame_of(const PlaceLoops *t, const Block *leaf)
{
	for (int k = 0; k < t->leaf.n; k++)
		if (t->leaf.v[k].block == leaf)
			return t->leaf.v[k].frame;
	bug("a leaf without a frame");
}

static void translate(PlaceLoops *t, void *self)
{
	Barriers *p = self;
	int n = 0;
	for (int b = 0; b < p->f->block.n; b++)
		if (p->f->block.v[b]->id >= n)
			n = p->f->block.v[b]->id + 1;
	p->object = arena_array(&p->arena, int, n);
	for (int b = 0; b < p->f->block.n; b++) {
		Block *blk = p->f->block.v[b];
		for (int k = 0; k < blk->ins.n; k++) {
			Ins *i = &blk->ins.v[k];
			switch (i->op) {
			case OP_SSY: name(p, i, OP_BSSY, (const Block *)(intptr_t)i->opd[0].imm); break;
			case OP_SYNC: name(p, i, OP_BSYNC, blk->succ[0]); break;
			case OP_PBK: case OP_PCNT: name(p, i, OP_BSSY, blk); break;
			case OP_BRK: case OP_CONT: name(p, i, OP_BSYNC, frame_of(t, blk)); break;
			default: break;
			}
		}
	}
	for (int b = 0; b < p->f->block.n; b++)
		for (int k = 0; k < p->f->block.v[b]->nsucc; k++)
			for (int x = 0; x < t->leaf.n; x++)
				if (p->f->block.v[b]->succ[k] == t->leaf.v[x].block)
					vec_push(&p->leave, ((Edge){ p->f->block.v[b], k }));
}

/* ---- which barriers are open ---- */

static int object(const Ins *i, Op op) { return i->op == op ? (int)ins_src(i, 0)->imm : -1; }

/* Behind block b, given what is open before it. Lanes that come to a frame's BSYNC have left what is open inside only. */
static void flow_block(Barriers *p, const Block *b, BitSet s)
{
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		int o = object(i, OP_BSSY);
		if (o >= 0) {
			bs_union(p->r[o].outer, s);
			bs_del(p->r[o].outer, o);
			bs_add(s, o);
		}
		o = object(i, OP_BSYNC);
		if (o < 0)
			o = object(i, OP_BREAK);
		if (o >= 0)
			bs_del(s, o);
	}
}

static bool is_leave(const Barriers *p, const Block *b, int k)
{
	for (int x = 0; x < p->leave.n; x++)
		if (p->leave.v[x].from == b && p->leave.v[x].k == k)
			return true;
	return false;
}

/* What is to be left on the edge to a frame's BSYNC: what is open and was not when the frame was entered. */
static void left(Barriers *p, const Block *b, int k, BitSet s)
{
	int frame = object(&b->succ[k]->ins.v[0], OP_BSYNC);
	must(frame >= 0);
	bs_copy(s, p->out[b->id]);
	bs_del(s, frame);
	bs_each(p->r[frame].outer, o)
		bs_del(s, o);
}

static void solve(Barriers *p)
{
	p->cfg = cfg_build(&p->arena, p->f);
	p->r = arena_array(&p->arena, Region, p->n);
	for (int o = 0; o < p->n; o++)
		p->r[o].outer = bs_new(&p->arena, p->n);
	p->in = arena_array(&p->arena, BitSet, p->cfg->n);
	p->out = arena_array(&p->arena, BitSet, p->cfg->n);
	for (int b = 0; b < p->cfg->n; b++) {
		p->in[b] = bs_new(&p->arena, p->n);
		p->out[b] = bs_new(&p->arena, p->n);
	}
	BitSet s = bs_new(&p->arena, p->n);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < p->cfg->nreach; i++) {
			Block *b = p->cfg->rpo[i];
			bs_copy(s, p->in[b->id]);
			flow_block(p, b, s);
			bs_copy(p->out[b->id], s);
			for (int k = 0; k < b->nsucc; k++) {
				bs_copy(s, p->out[b->id]);
				if (is_leave(p, b, k)) {
					BitSet gone = bs_new(&p->arena, p->n);
					left(p, b, k, gone);
					bs_each(gone, o)
						bs_del(s, o);
				}
				changed |= bs_union(p->in[b->succ[k]->id], s);
			}
		}
	}
}

/* ---- numbers ---- */

static void number(Barriers *p)
{
	bool *taken = arena_array(&p->arena, bool, p->n + 1);
	for (int i = 0; i < p->cfg->nreach; i++) {
		const Block *b = p->cfg->rpo[i];
		for (int k = 0; k < b->ins.n; k++) {
			int o = object(&b->ins.v[k], OP_BSSY);
			if (o < 0 || p->r[o].numbered || p->r[o].idle)
				continue;
			memset(taken, 0, sizeof *taken * (size_t)(p->n + 1));
			for (int x = 0; x < p->n; x++) /* open together: one is open where the other is opened */
				if (p->r[x].numbered && (bs_has(p->r[o].outer, x) || bs_has(p->r[x].outer, o)))
					taken[p->r[x].number] = true;
			int least = 0;
			bs_each(p->r[o].outer, x) /* the outer ones have the lower numbers */
				if (p->r[x].numbered && p->r[x].number >= least)
					least = p->r[x].number + 1;
			while (taken[least])
				least++;
			p->r[o].number = least;
			p->r[o].numbered = true;
			if (least >= p->most)
				p->most = least + 1;
		}
	}
}

static int reg_of(const Barriers *p, int o) { return p->r[o].number % p->registers; }
static bool shares(const Barriers *p, int o) { return p->r[o].number >= p->registers; }

/* ---- BMOV ---- */

static Ins barrier_ins(Barriers *p, Op op, int reg)
{
	Ins i = lower_ins(p->l, op, T_NONE, op == OP_BMOVCLEAR, op == OP_BMOV ? 2 : 1);
	*ins_src(&i, 0) = opd_imm(reg);
	return i;
}

static void put(Block *b, int *at, Ins i)
{
	vec_insert(&b->ins, *at, i);
	++*at;
}

/* A place that keeps a barrier register: a register, or in recursive functions a slot of the frame, since activations
   share registers. */
static int new_place(Barriers *p)
{
	return p->l->recursive ? lower_slot(p->l, T_B32) : function_reg(p->l->module, p->f, NULL, T_B32);
}

static void save(Barriers *p, Block *b, int *at, int reg, int place)
{
	int r = p->l->recursive ? function_reg(p->l->module, p->f, NULL, T_B32) : place;
	Ins i = barrier_ins(p, OP_BMOVCLEAR, reg);
	*ins_dst(&i, 0) = opd_reg(r);
	put(b, at, i);
	if (!p->l->recursive)
		return;
	i = lower_ins(p->l, OP_ST, T_B32, 0, 2);
	i.space = SP_LOCAL;
	i.opd[0] = (Opd){ OPD_SYM, 0, place, 0 };
	i.opd[1] = opd_reg(r);
	put(b, at, i);
}

static void restore(Barriers *p, Block *b, int *at, int reg, int place)
{
	int r = p->l->recursive ? function_reg(p->l->module, p->f, NULL, T_B32) : place;
	if (p->l->recursive) {
		Ins i = lower_ins(p->l, OP_LD, T_B32, 1, 1);
		i.space = SP_LOCAL;
		i.opd[0] = opd_reg(r);
		i.opd[1] = (Opd){ OPD_SYM, 0, place, 0 };
		put(b, at, i);
	}
	Ins i = barrier_ins(p, OP_BMOV, reg);
	*ins_src(&i, 1) = opd_reg(r);
	put(b, at, i);
}

/* ---- into the code ---- */

/* The operation on object o, with what its register holds besides. */
static void emit(Barriers *p, Block *b, int *at, Op op, int o)
{
	if (p->r[o].idle)
		return;
	if (op == OP_BSSY && shares(p, o))
		save(p, b, at, reg_of(p, o), p->r[o].saved);
	put(b, at, barrier_ins(p, op, reg_of(p, o)));
	if (op != OP_BSSY && op != OP_BSYNCR && shares(p, o))
		restore(p, b, at, reg_of(p, o), p->r[o].saved);
}

/* BREAK from the barriers of s, the inner ones first. */
static void leave(Barriers *p, Block *b, int *at, BitSet s)
{
	for (int n = p->most - 1; n >= 0; n--)
		bs_each(s, o)
			if (p->r[o].numbered && p->r[o].number == n)
				emit(p, b, at, OP_BREAK, o);
}

static void rewrite(Barriers *p, Block *b)
{
	for (int k = 0; k < b->ins.n;) {
		Op op = b->ins.v[k].op;
		if (op != OP_BSSY && op != OP_BSYNC && op != OP_BSYNCR && op != OP_BREAK) {
			k++;
			continue;
		}
		int o = object(&b->ins.v[k], op), at = k + 1;
		emit(p, b, &at, op, o);
		memmove(&b->ins.v[k], &b->ins.v[k + 1], sizeof(Ins) * (size_t)(b->ins.n - k - 1));
		b->ins.n--;
		k = at - 1; /* what replaces it begins there */
	}
}

static Block *insert_block(Barriers *p, int at)
{
	Function *f = p->f;
	Block *b = function_block(p->l->module, f, NULL);
	b->origin = ORIGIN_LOWER;
	f->block.n--;
	vec_insert(&f->block, at, b);
	return b;
}

static int position(const Barriers *p, const Block *b)
{
	int at = 0;
	while (p->f->block.v[at] != b)
		at++;
	return at;
}

static void jump(Barriers *p, Block *b, Block *to)
{
	block_jump(p->l->module, b, to);
	block_term(b)->origin = ORIGIN_LOWER;
}

static void leave_frames(Barriers *p)
{
	BitSet s = bs_new(&p->arena, p->n);
	for (int x = 0; x < p->leave.n; x++) {
		Edge e = p->leave.v[x];
		Block *to = e.from->succ[e.k];
		if (p->cfg->rpo_index[e.from->id] < 0)
			continue;
		left(p, e.from, e.k, s);
		if (bs_next(s, 0) < 0)
			continue;
		int at = 0;
		Block *b = insert_block(p, position(p, to));
		leave(p, b, &at, s);
		jump(p, b, to);
		e.from->succ[e.k] = b;
	}
}

/* What the function does to registers that its callers may use. */
static void keep_callers(Barriers *p)
{
	int used = p->most < p->registers ? p->most : p->registers, at = 0;
	if (p->f->kind != FN_DEVICE || !used)
		return;
	int *place = arena_array(&p->arena, int, used);
	Block *entry = p->f->block.v[0], *first = insert_block(p, 0);
	for (int r = 0; r < used; r++) {
		place[r] = new_place(p);
		save(p, first, &at, r, place[r]);
	}
	jump(p, first, entry);
	for (int b = 0; b < p->f->block.n; b++) {
		Block *blk = p->f->block.v[b];
		at = blk->ins.n - 1;
		for (int r = 0; block_term(blk)->op == OP_RET && r < used; r++)
			restore(p, blk, &at, r, place[r]);
	}
}

/* ---- predicted points ---- */

/* !reconverge on a branch that names a block which does not post-dominate it: lanes are predicted to come there. */
static void find_predicted(Barriers *p)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, p->f);
	Dom *pdom = pdom_build(&tmp, cfg, false);
	for (int i = 0; i < cfg->nreach; i++) {
		Block *b = cfg->rpo[i], *r = b->reconverge;
		if (r && r != b && b->nsucc > 1 && cfg->rpo_index[r->id] > 0 && !dom_dominates(pdom, r->id, b->id))
			vec_push(&p->predicted, ((Prediction){ .branch = b, .point = r }));
	}
	arena_free(&tmp);
}

static void spread(const Cfg *cfg, BitSet s, int b, bool back)
{
	const IntList *next = back ? &cfg->graph->pred[b] : &cfg->graph->succ[b];
	if (bs_has(s, b))
		return;
	bs_add(s, b);
	for (int k = 0; k < next->n; k++)
		spread(cfg, s, next->v[k], back);
}

/* The operation on each edge into the region, or out of it. */
static void on_edges(Barriers *p, const Prediction *x, Op op, Block **all, int n)
{
	for (int b = 0; b < n; b++)
		for (int k = 0; k < all[b]->nsucc; k++) {
			bool from = bs_has(x->region, b), to = bs_has(x->region, all[b]->succ[k]->id);
			if (op == OP_BSSY ? from || !to : !from || to)
				continue;
			Ins i = barrier_ins(p, op, x->object);
			int at = all[b]->ins.n - 1;
			if (all[b]->nsucc == 1) {
				put(all[b], &at, i);
				continue;
			}
			Block *e = insert_block(p, position(p, all[b]) + 1), *target = all[b]->succ[k];
			at = 0;
			put(e, &at, i);
			jump(p, e, target);
			e->id = n; /* in no region */
			all[b]->succ[k] = e;
			for (int y = 0; y < p->leave.n; y++)
				if (p->leave.v[y].from == all[b] && p->leave.v[y].k == k)
					p->leave.v[y] = (Edge){ e, 0 };
		}
}

static void predict(Barriers *p, Prediction *x)
{
	/* in front of the point, whoever comes there */
	x->wait = insert_block(p, position(p, x->point));
	int at = 0, n = p->f->block.n;
	x->object = p->n++;
	put(x->wait, &at, barrier_ins(p, OP_BSYNCR, x->object));
	jump(p, x->wait, x->point);
	for (int b = 0; b < n; b++)
		for (int k = 0; k < p->f->block.v[b]->nsucc; k++)
			if (p->f->block.v[b]->succ[k] == x->point && p->f->block.v[b] != x->wait)
				p->f->block.v[b]->succ[k] = x->wait;
	Cfg *cfg = cfg_build(&p->arena, p->f);
	x->region = bs_new(&p->arena, n + 1);
	BitSet behind = bs_new(&p->arena, n);
	spread(cfg, x->region, x->wait->id, true);
	spread(cfg, behind, x->branch->id, false);
	for (int b = 0; b < n; b++)
		if (!bs_has(behind, b))
			bs_del(x->region, b);
	Block **all = arena_array(&p->arena, Block *, n);
	memcpy(all, p->f->block.v, sizeof *all * (size_t)n);
	on_edges(p, x, OP_BSSY, all, n);
	on_edges(p, x, OP_BREAK, all, n);
	if (bs_has(x->region, all[0]->id)) { /* the function begins in the region */
		Block *e = insert_block(p, 0);
		at = 0;
		put(e, &at, barrier_ins(p, OP_BSSY, x->object));
		jump(p, e, all[0]);
	}
}

/* Barriers that are open at a predicted point and are waited for in its region would wait for lanes that wait there. */
static void give_way(Barriers *p)
{
	for (int y = 0; y < p->predicted.n; y++) {
		const Prediction *x = &p->predicted.v[y];
		BitSet region = bs_new(&p->arena, p->cfg->n), behind = bs_new(&p->arena, p->cfg->n);
		spread(p->cfg, region, x->wait->id, true);
		spread(p->cfg, behind, x->branch->id, false);
		for (int b = 0; b < p->cfg->n; b++) {
			const Block *blk = p->f->block.v[b];
			int o = object(&blk->ins.v[0], OP_BSYNC);
			if (o < 0)
				o = object(&blk->ins.v[0], OP_BSYNCR);
			if (o >= 0 && o != x->object && bs_has(region, b) && bs_has(behind, b) && bs_has(p->in[x->wait->id], o))
				p->r[o].idle = true;
		}
	}
}

static void find_idle(Barriers *p)
{
	for (int b = 0; b < p->f->block.n; b++) {
		const Block *blk = p->f->block.v[b];
		int o = object(&blk->ins.v[0], OP_BSYNC);
		if (o >= 0 && blk->ins.n == 2 && blk->nsucc == 1 && object(&blk->succ[0]->ins.v[0], OP_BSYNC) >= 0)
			p->r[o].idle = true;
	}
}

static void place_barriers(Barriers *p)
{
	solve(p);
	find_idle(p);
	give_way(p);
	number(p);
	for (int o = 0; o < p->n; o++)
		if (p->r[o].numbered && shares(p, o))
			p->r[o].saved = new_place(p);
	int n = p->f->block.n;
	Block **all = arena_array(&p->arena, Block *, n);
	memcpy(all, p->f->block.v, sizeof *all * (size_t)n);
	leave_frames(p);
	for (int b = 0; b < n; b++) {
		int at = all[b]->ins.n - 1;
		BitSet open = p->out[all[b]->id];
		rewrite(p, all[b]);
		at = all[b]->ins.n - 1;
		if (block_term(all[b])->op == OP_RET && p->f->kind == FN_DEVICE)
			leave(p, all[b], &at, open);
	}
	keep_callers(p);
}

/* ---- YIELD, and places where the mechanism wants to be asked ---- */

/* On the edges from b to the head of a loop. */
static void yield(Barriers *p, Block *b, Block *header)
{
	int at = b->ins.n - 1;
	if (b->nsucc == 1) {
		put(b, &at, lower_ins(p->l, OP_YIELD, T_NONE, 0, 0));
		return;
	}
	Block *e = insert_block(p, position(p, b) + 1);
	at = 0;
	put(e, &at, lower_ins(p->l, OP_YIELD, T_NONE, 0, 0));
	jump(p, e, header);
	for (int k = 0; k < b->nsucc; k++)
		if (b->succ[k] == header)
			b->succ[k] = e;
}

static void place_yields(Barriers *p)
{
	int64_t where = its_lower_knob(p->l, ITS_YIELD);
	Cfg *cfg = cfg_build(&p->arena, p->f);
	Loops *loops = loops_build(&p->arena, cfg);
	bool *spin = where == ITS_YIELD_SPIN ? its_spin_loops(&p->arena, p->l, cfg, loops) : NULL;
	for (int k = 0; k < loops->n && where != ITS_YIELD_NONE; k++) {
		const Loop *loop = &loops->loop[k];
		Block *header = cfg->rpo[cfg->rpo_index[loop->header]];
		for (int x = 0; x < loop->latch.n && (!spin || spin[k]); x++)
			yield(p, cfg->rpo[cfg->rpo_index[loop->latch.v[x]]], header);
	}
}

static void mark(Barriers *p)
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

static bool lower(LowerFn *l, Diag *diag, bool predicted)
{
	Barriers p = { .l = l, .f = l->f, .registers = (int)reconv_lower_param(l, ITS_REGISTERS) };
	if (predicted)
		find_predicted(&p);
	bool ok = place_tokens(l, &(PlaceStyle){ .frames = true, .translate = translate, .self = &p }, diag);
	for (int x = 0; ok && x < p.predicted.n; x++)
		predict(&p, &p.predicted.v[x]);
	if (ok) {
		place_barriers(&p);
		place_yields(&p);
		mark(&p);
	}
	vec_free(&p.leave);
	vec_free(&p.predicted);
	arena_free(&p.arena);
	return ok;
}

bool its_lower(LowerFn *l, Diag *diag) { return lower(l, diag, false); }
bool its_lower_predicted(LowerFn *l, Diag *diag) { return lower(l, diag, true); }
