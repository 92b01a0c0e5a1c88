/* Liveness of one register after the other: the search goes from the blocks that read the register before
 * they write it backward along the edges, up to the blocks that write it. Only registers that some block
 * reads in this way have a place in the sets: the others live within their blocks. The time is proportional
 * to the number of blocks in which each register lives.
 *
 * liveness_build knows one thing more than the paths of the graph: a thread that has taken the branch on %p
 * one way takes the next one on %p the same way, as long as nothing has written %p. Nor does a thread need a
 * register that it reads only under a guard %p that does not hold for it, or as the source that a choice by
 * %p does not choose. Melding leads threads into and out of side blocks by the same predicate time and again;
 * what one such block writes and another reads would live from the function's first instruction on if threads
 * could come to the second block without the first. */
#include "passes/analysis/analysis.h"

typedef struct Stepper { const Function *f; const Ins *i; BitSet set; } Stepper;
static void make_live(void *self, int reg) { bs_add(((Stepper *)self)->set, reg); }

static void make_dead(void *self, int reg)
{
	Stepper *s = self;
	if (ins_kills(s->f, s->i, reg))
		bs_del(s->set, reg);
}

void liveness_step(const Function *f, const Ins *i, BitSet set)
{
	Stepper s = { f, i, set };
	ins_defs(f, i, make_dead, &s);
	ins_uses(f, i, make_live, &s);
}

/* ---- what blocks read and write ---- */

typedef struct LiveScan {
	LiveRange *x;
	const Function *f;
	const Ins *ins;
	int block;
	/* by register: 1 + the number of the last block in which the scan has met a write for certain
	   (without a guard) */
	int *written;
	int *changed;              /* like `written`, but writes under a guard count, too */
	bool find;                 /* the scan only finds the registers that have a place in the sets */
} LiveScan;

/* For which threads a register lives: for none, for all, or for those in which a predicate holds, or does not
   hold. A register that lives by two different predicates counts as living for all. */
typedef int LiveLanes;
/* from SOME_LANES on: SOME_LANES + twice the predicate's number, and one more for threads in which it does
   not hold */
enum { NO_LANES, ALL_LANES, SOME_LANES };
static LiveLanes lanes_of(int predicate, bool neg) { return SOME_LANES + 2 * predicate + neg; }
static bool opposite(LiveLanes a, LiveLanes b)
{
	return a >= SOME_LANES && b >= SOME_LANES && ((a - SOME_LANES) ^ (b - SOME_LANES)) == 1;
}

static LiveLanes either(LiveLanes a, LiveLanes b)
{
	return a == b || b == NO_LANES ? a : a == NO_LANES ? b : ALL_LANES;
}

static LiveLanes both_lanes(LiveLanes a, LiveLanes edge)
{
	return opposite(a, edge) ? NO_LANES : a == ALL_LANES ? edge : a;
}

static bool is_reg_operand(const Opd *o, int reg) { return o->kind == OPD_REG && o->id == reg; }

/* The threads for which the instruction needs the register: not those for which its guard does not hold, nor
   those for which a choice takes the other source. */
static LiveLanes reading_lanes(const Ins *i, int reg)
{
	const Opd *by = i->op == OP_SELP ? ins_src(i, 2) : NULL;
	if (i->guard >= 0)
		return i->guard == reg ? ALL_LANES : lanes_of(i->guard, i->guard_neg);
	if (!by || by->kind != OPD_REG || by->id == reg ||
		is_reg_operand(ins_src(i, 0), reg) == is_reg_operand(ins_src(i, 1), reg))
		return ALL_LANES;
	return lanes_of(by->id, by->neg != is_reg_operand(ins_src(i, 1), reg));
}

static void put_live_place(LiveScan *s, int *list)
{
	LiveRange *x = s->x;
	if (*list >= 0 && x->place[*list].block == s->block)
		return;
	if (x->nplace == x->cap) {
		LivePlace *v = arena_array(x->arena, LivePlace, x->cap = 2 * x->cap + 64);
		if (x->nplace)
			memcpy(v, x->place, sizeof *v * (size_t)x->nplace);
		x->place = v;
	}
	x->place[x->nplace] = (LivePlace){ s->block, *list, NO_LANES };
	*list = x->nplace++;
}

static void scan_read(void *self, int reg)
{
	LiveScan *s = self;
	if (s->written[reg] == s->block + 1)
		return;
	if (s->find) {
		s->x->bit[reg] = 0;
		return;
	}
	int *list = &s->x->read[s->x->bit[reg]];
	LiveLanes l = reading_lanes(s->ins, reg);
	put_live_place(s, list);
	/* the block has written the predicate: its value at the block's start does not say who reads */
	if (l >= SOME_LANES && s->changed[(l - SOME_LANES) / 2] == s->block + 1)
		l = ALL_LANES;
	s->x->place[*list].lanes = either(s->x->place[*list].lanes, l);
}

static void scan_write(void *self, int reg)
{
	LiveScan *s = self;
	s->changed[reg] = s->block + 1;
	if (!ins_kills(s->f, s->ins, reg))
		return;
	s->written[reg] = s->block + 1;
	if (!s->find && s->x->bit[reg] >= 0)
		put_live_place(s, &s->x->kill[s->x->bit[reg]]);
}

static void scan_live_blocks(LiveScan *s, const Cfg *c)
{
	const Function *f = c->f;
	memset(s->written, 0, sizeof *s->written * (size_t)function_values(f));
	memset(s->changed, 0, sizeof *s->changed * (size_t)function_values(f));
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		s->block = b->id;
		for (int k = 0; k < b->ins.n; k++) {
			const Ins *ins = &b->ins.v[k];
			s->ins = ins;
			ins_uses(f, ins, scan_read, s);
			ins_defs(f, ins, scan_write, s);
		}
	}
}

LiveRange *live_range(Arena *a, const Cfg *c)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	int nreg = function_values(c->f);
	LiveRange *x = arena_new(a, LiveRange);
	x->arena = a;
	x->c = c;
	x->reg = arena_array(a, int, nreg + 1);
	x->bit = arena_array(a, int, nreg + 1);
	for (int r = 0; r < nreg; r++)
		x->bit[r] = -1;
	LiveScan s = { .x = x, .f = c->f, .find = true };
	s.written = arena_array(&tmp, int, nreg + 1);
	s.changed = arena_array(&tmp, int, nreg + 1);
	scan_live_blocks(&s, c);
	for (int r = 0; r < nreg; r++)
		if (x->bit[r] >= 0) {
			x->bit[r] = x->n;
			x->reg[x->n++] = r;
		}
	int **by_block[] = { &x->starts, &x->ends, &x->killed, &x->start, &x->end },
		**by_bit[] = { &x->read, &x->kill };
	for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++)
		*by_block[k] = arena_array(a, int, c->n + 1);
	for (size_t k = 0; k < sizeof by_bit / sizeof *by_bit; k++) {
		*by_bit[k] = arena_array(a, int, x->n + 1);
		for (int bit = 0; bit < x->n; bit++)
			(*by_bit[k])[bit] = -1;
	}
	s.find = false;
	scan_live_blocks(&s, c);
	arena_free(&tmp);
	return x;
}

/* ---- where they live ---- */

static void put_block_once(int *mark, int stamp, int *list, int *n, int block)
{
	if (mark[block] == stamp)
		return;
	mark[block] = stamp;
	list[(*n)++] = block;
}

void live_range_of(LiveRange *x, int bit)
{
	int stamp = ++x->stamp;
	x->nstart = x->nend = 0;
	for (int k = x->kill[bit]; k >= 0; k = x->place[k].next)
		x->killed[x->place[k].block] = stamp;
	for (int k = x->read[bit]; k >= 0; k = x->place[k].next)
		put_block_once(x->starts, stamp, x->start, &x->nstart, x->place[k].block);
	for (int i = 0; i < x->nstart; i++)
		for (int b = x->start[i], k = 0; k < x->c->npred[b]; k++) {
			int p = x->c->pred[b][k]->id;
			put_block_once(x->ends, stamp, x->end, &x->nend, p);
			if (x->killed[p] != stamp)
				put_block_once(x->starts, stamp, x->start, &x->nstart, p);
		}
}

/* Adds a bit to a set; bits come in ascending order. */
static void put_bit(Arena *a, LiveSet *s, int bit)
{
	if (!s->n || s->word[s->n - 1].at != bit / 64) {
		if (s->n == s->cap) {
			LiveWord *v = arena_array(a, LiveWord, s->cap = s->cap ? s->cap * 2 : 2);
			if (s->n)
				memcpy(v, s->word, sizeof *v * (size_t)s->n);
			s->word = v;
		}
		s->word[s->n++] = (LiveWord){ bit / 64, 0 };
	}
	s->word[s->n - 1].w |= (uint64_t)1 << (bit & 63);
}

/* ---- which threads can come to a read ---- */

/* an edge from a block, and for which threads it is taken */
typedef struct LiveEdge { int from; LiveLanes lanes; } LiveEdge;

typedef struct LaneLiveness {
	LiveRange *x;
	/* by block: the threads for which the register asked for lives at its start, at its end */
	LiveLanes *in, *out;
	/* by register p: the blocks that write it, ascending, are written[written_first[p]] up to, not
	   including, written[written_first[p + 1]] */
	int *written_first, *written;
	/* the edges to a block are edge[edge_first[block]] up to, not including,
	   edge[edge_first[block + 1]] */
	int *edge_first;
	LiveEdge *edge;
	int *queue, nqueue; bool *queued;
	int *touched, ntouched;                            /* blocks whose in or out is not NO_LANES */
} LaneLiveness;

/* For which threads the edge is taken. */
static LiveLanes edge_lanes(const Block *from, const Block *to)
{
	const Ins *t = block_term(from);
	bool own = from->side[0] != NULL, asks = t->op == OP_BRA && t->nsrc > 0 && t->guard < 0 &&
		from->nsucc == 2;
	Opd by = own ? from->by : asks ? *ins_src(t, 0) : (Opd){ 0 };
	Block *const *side = own ? from->side : from->succ;
	if (by.kind != OPD_REG || side[0] == side[1] || (to != side[0] && to != side[1]))
		return ALL_LANES;
	return lanes_of(by.id, by.neg != (to == side[1]));
}

static bool writes_predicate(const LaneLiveness *w, LiveLanes l, int block)
{
	int p = (l - SOME_LANES) / 2, low = w->written_first[p], high = w->written_first[p + 1];
	while (low < high) {
		int mid = low + (high - low) / 2;
		if (w->written[mid] < block)
			low = mid + 1;
		else
			high = mid;
	}
	return low < w->written_first[p + 1] && w->written[low] == block;
}

typedef struct LaneWriter { LaneLiveness *w; int block, *last; bool count; } LaneWriter;

static void written_by(void *self, int reg)
{
	LaneWriter *v = self;
	if (v->last[reg] == v->block)
		return;
	v->last[reg] = v->block;
	if (v->count)
		v->w->written_first[reg + 2]++;
	else
		v->w->written[v->w->written_first[reg + 1]++] = v->block;
}

/* Goes over the code twice: first it counts the blocks that write each register, then it lists them. */
static void find_writers(Arena *a, LaneLiveness *w, const Cfg *c)
{
	int nreg = function_values(c->f);
	LaneWriter v = { .w = w, .last = arena_array(a, int, nreg + 1), .count = true };
	w->written_first = arena_array(a, int, nreg + 3);
	for (int pass = 0; pass < 2; pass++, v.count = false) {
		for (int r = 0; r < nreg; r++)
			v.last[r] = -1;
		for (v.block = 0; v.block < c->f->block.n; v.block++)
			for (int k = 0; k < c->f->block.v[v.block]->ins.n; k++)
				ins_defs(c->f, &c->f->block.v[v.block]->ins.v[k], written_by, &v);
		for (int r = 0; v.count && r <= nreg; r++)
			w->written_first[r + 1] += w->written_first[r];
		if (v.count)
			w->written = arena_array(a, int, w->written_first[nreg + 1] + 1);
	}
}

static void raise_lanes(LaneLiveness *w, int block, LiveLanes *state, LiveLanes to)
{
	if (!w->in[block] && !w->out[block])
		w->touched[w->ntouched++] = block;
	*state = to;
}

static void raise_in(LaneLiveness *w, int block, LiveLanes to)
{
	to = either(w->in[block], to);
	if (to == w->in[block])
		return;
	raise_lanes(w, block, &w->in[block], to);
	if (!w->queued[block]) {
		w->queued[block] = true;
		w->queue[w->nqueue++] = block;
	}
}

static void send_lanes(LaneLiveness *w, int from, LiveLanes to, int stamp)
{
	LiveLanes l = either(w->out[from], to);
	if (l == w->out[from])
		return;
	raise_lanes(w, from, &w->out[from], l);
	if (w->x->killed[from] != stamp)
		raise_in(w, from, l >= SOME_LANES && writes_predicate(w, l, from) ? ALL_LANES : l);
}

/* Computes in and out for register reg[bit]: NO_LANES for all blocks that are not in `touched`. Each changes
   at most twice. */
static void who_lives(LaneLiveness *w, int bit)
{
	LiveRange *x = w->x;
	int stamp = ++x->stamp;
	for (int k = 0; k < w->ntouched; k++)
		w->in[w->touched[k]] = w->out[w->touched[k]] = NO_LANES;
	w->ntouched = 0;
	for (int k = x->kill[bit]; k >= 0; k = x->place[k].next)
		x->killed[x->place[k].block] = stamp;
	for (int k = x->read[bit]; k >= 0; k = x->place[k].next)
		raise_in(w, x->place[k].block, x->place[k].lanes);
	while (w->nqueue) {
		int b = w->queue[--w->nqueue];
		w->queued[b] = false;
		for (int k = w->edge_first[b]; k < w->edge_first[b + 1]; k++)
			send_lanes(w, w->edge[k].from, both_lanes(w->in[b], w->edge[k].lanes), stamp);
	}
}

static void list_live_edges(Arena *a, LaneLiveness *w, const Cfg *c)
{
	int n = 0;
	w->edge_first = arena_array(a, int, c->n + 1);
	for (int b = 0; b < c->n; b++)
		w->edge_first[b + 1] = w->edge_first[b] + c->npred[b];
	w->edge = arena_array(a, LiveEdge, w->edge_first[c->n] + 1);
	for (int b = 0; b < c->n; b++)
		for (int k = 0; k < c->npred[b]; k++)
			w->edge[n++] = (LiveEdge){ c->pred[b][k]->id, edge_lanes(c->pred[b][k],
				c->f->block.v[b]) };
}

static LaneLiveness *who_open(Arena *a, const Cfg *c)
{
	LaneLiveness *w = arena_new(a, LaneLiveness);
	w->x = live_range(a, c);
	w->in = arena_array(a, LiveLanes, c->n + 1);
	w->out = arena_array(a, LiveLanes, c->n + 1);
	w->queue = arena_array(a, int, c->n + 1);
	w->queued = arena_array(a, bool, c->n + 1);
	w->touched = arena_array(a, int, c->n + 1);
	find_writers(a, w, c);
	list_live_edges(a, w, c);
	return w;
}

Liveness *liveness_build(Arena *a, const Cfg *c)
{
	Arena tmp = { 0 };
	LaneLiveness *w = who_open(&tmp, c);
	Liveness *l = arena_new(a, Liveness);
	int nreg = function_values(c->f);
	l->n = w->x->n;
	l->reg = arena_array(a, int, nreg + 1);
	l->bit = arena_array(a, int, nreg + 1);
	memcpy(l->reg, w->x->reg, sizeof *l->reg * (size_t)nreg);
	memcpy(l->bit, w->x->bit, sizeof *l->bit * (size_t)nreg);
	l->in = arena_array(a, LiveSet, c->n + 1);
	l->out = arena_array(a, LiveSet, c->n + 1);
	for (int bit = 0; bit < l->n; bit++) {
		who_lives(w, bit);
		for (int k = 0; k < w->ntouched; k++) {
			int b = w->touched[k];
			if (w->in[b])
				put_bit(a, &l->in[b], bit);
			if (w->out[b])
				put_bit(a, &l->out[b], bit);
		}
	}
	arena_free(&tmp);
	return l;
}

LiveWord *live_word(LiveSet s, int bit)
{
	int low = 0, high = s.n;
	while (low < high) {
		int mid = low + (high - low) / 2;
		if (s.word[mid].at < bit / 64)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s.n && s.word[low].at == bit / 64 ? &s.word[low] : NULL;
}

bool live_has(const Liveness *l, LiveSet set, int reg)
{
	const LiveWord *w = l->bit[reg] < 0 ? NULL : live_word(set, l->bit[reg]);
	return w && w->w >> (l->bit[reg] & 63) & 1;
}

int live_count(LiveSet s)
{
	int n = 0;
	for (int k = 0; k < s.n; k++)
		n += __builtin_popcountll(s.word[k].w);
	return n;
}

void liveness_enter(const Liveness *l, int block, BitSet set)
{
	live_each(l, l->out[block], r)
		bs_add(set, r);
}

void liveness_leave(const Liveness *l, int block, BitSet set)
{
	live_each(l, l->in[block], r)
		bs_del(set, r);
}

void liveness_print(const Cfg *c, const Liveness *l, StrBuf *s)
{
	for (int i = 0; i < c->nreach; i++) {
		sb_printf(s, "  %s: in", c->rpo[i]->label);
		live_each(l, l->in[c->rpo[i]->id], r)
			sb_printf(s, " %s", function_value_name(c->f, r));
		sb_puts(s, "; out");
		live_each(l, l->out[c->rpo[i]->id], r)
			sb_printf(s, " %s", function_value_name(c->f, r));
		sb_putc(s, '\n');
	}
}
