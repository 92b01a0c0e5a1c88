/* Liveness: from the blocks that read a register before they write it, backward along the edges up to those that write it, one register after the
 * other. Only registers that some block reads so have a place in the sets: the others live within their blocks. It takes as long as the blocks in which
 * each register lives are many. */
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

typedef struct Scan {
	LiveRange *x;
	const Function *f;
	const Ins *ins;
	int block;
	int *written;              /* by register: one more than the last block that writes it without a guard, as far as it has been read */
	bool find;                 /* registers are only looked for */
} Scan;

static void put_place(Scan *s, int *list)
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
	x->place[x->nplace] = (LivePlace){ s->block, *list };
	*list = x->nplace++;
}

static void reads(void *self, int reg)
{
	Scan *s = self;
	if (s->written[reg] == s->block + 1)
		return;
	if (s->find)
		s->x->bit[reg] = 0;
	else
		put_place(s, &s->x->read[s->x->bit[reg]]);
}

static void writes(void *self, int reg)
{
	Scan *s = self;
	if (!ins_kills(s->f, s->ins, reg))
		return;
	s->written[reg] = s->block + 1;
	if (!s->find && s->x->bit[reg] >= 0)
		put_place(s, &s->x->kill[s->x->bit[reg]]);
}

static void scan(Scan *s, const Cfg *c)
{
	const Function *f = c->f;
	memset(s->written, 0, sizeof *s->written * (size_t)function_values(f));
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		s->block = b->id;
		for (int k = 0; k < b->ins.n; k++) {
			const Ins *ins = &b->ins.v[k];
			s->ins = ins;
			ins_uses(f, ins, reads, s);
			ins_defs(f, ins, writes, s);
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
	Scan s = { .x = x, .f = c->f, .find = true, .written = arena_array(&tmp, int, nreg + 1) };
	scan(&s, c);
	for (int r = 0; r < nreg; r++)
		if (x->bit[r] >= 0) {
			x->bit[r] = x->n;
			x->reg[x->n++] = r;
		}
	int **by_block[] = { &x->starts, &x->ends, &x->killed, &x->start, &x->end }, **by_bit[] = { &x->read, &x->kill };
	for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++)
		*by_block[k] = arena_array(a, int, c->n + 1);
	for (size_t k = 0; k < sizeof by_bit / sizeof *by_bit; k++) {
		*by_bit[k] = arena_array(a, int, x->n + 1);
		for (int bit = 0; bit < x->n; bit++)
			(*by_bit[k])[bit] = -1;
	}
	s.find = false;
	scan(&s, c);
	arena_free(&tmp);
	return x;
}

/* ---- where they live ---- */

static void put(int *mark, int stamp, int *list, int *n, int block)
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
		put(x->starts, stamp, x->start, &x->nstart, x->place[k].block);
	for (int i = 0; i < x->nstart; i++)
		for (int b = x->start[i], k = 0; k < x->c->npred[b]; k++) {
			int p = x->c->pred[b][k]->id;
			put(x->ends, stamp, x->end, &x->nend, p);
			if (x->killed[p] != stamp)
				put(x->starts, stamp, x->start, &x->nstart, p);
		}
}

/* Places come in ascending order. */
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

Liveness *liveness_build(Arena *a, const Cfg *c)
{
	Arena tmp = { 0 };
	LiveRange *x = live_range(&tmp, c);
	Liveness *l = arena_new(a, Liveness);
	int nreg = function_values(c->f);
	l->n = x->n;
	l->reg = arena_array(a, int, nreg + 1);
	l->bit = arena_array(a, int, nreg + 1);
	memcpy(l->reg, x->reg, sizeof *l->reg * (size_t)nreg);
	memcpy(l->bit, x->bit, sizeof *l->bit * (size_t)nreg);
	l->in = arena_array(a, LiveSet, c->n + 1);
	l->out = arena_array(a, LiveSet, c->n + 1);
	for (int bit = 0; bit < x->n; bit++) {
		live_range_of(x, bit);
		for (int k = 0; k < x->nstart; k++)
			put_bit(a, &l->in[x->start[k]], bit);
		for (int k = 0; k < x->nend; k++)
			put_bit(a, &l->out[x->end[k]], bit);
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
