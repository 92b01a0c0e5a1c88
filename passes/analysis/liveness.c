/* Liveness: from the blocks that read a register before they write it, backward along the edges up to those that write it. Only registers that
 * some block reads so have a place in the sets: the others live within their blocks. It takes as long as the blocks in which each register lives
 * are many. */
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

typedef struct Place { int block, next; } Place;

typedef struct Scan {
	Liveness *l;
	const Function *f;
	const Ins *ins;
	int block;
	int *written;              /* by register: one more than the last block that writes it without a guard, as far as it has been read */
	bool find;                 /* registers are only looked for */
	int *read, *kill;          /* by place of a register: its list of blocks that read it first, that write it */
	Vec(Place) place;
} Scan;

static void put_place(Scan *s, int *list)
{
	if (*list >= 0 && s->place.v[*list].block == s->block)
		return;
	vec_push(&s->place, ((Place){ s->block, *list }));
	*list = s->place.n - 1;
}

static void reads(void *self, int reg)
{
	Scan *s = self;
	if (s->written[reg] == s->block + 1)
		return;
	if (s->find)
		s->l->bit[reg] = 0;
	else
		put_place(s, &s->read[s->l->bit[reg]]);
}

static void writes(void *self, int reg)
{
	Scan *s = self;
	if (!ins_kills(s->f, s->ins, reg))
		return;
	s->written[reg] = s->block + 1;
	if (!s->find && s->l->bit[reg] >= 0)
		put_place(s, &s->kill[s->l->bit[reg]]);
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

/* ---- where they live ---- */

typedef struct Spread { Arena *arena; const Cfg *c; Liveness *l; int *in, *out, *killed, *stack, top; } Spread; /* by block: one more than the last place */

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

static void live_in(Spread *x, int block, int bit)
{
	if (x->in[block] == bit + 1)
		return;
	x->in[block] = bit + 1;
	put_bit(x->arena, &x->l->in[block], bit);
	x->stack[x->top++] = block;
}

static void spread(Spread *x, const Scan *s, int bit)
{
	for (int k = s->kill[bit]; k >= 0; k = s->place.v[k].next)
		x->killed[s->place.v[k].block] = bit + 1;
	for (int k = s->read[bit]; k >= 0; k = s->place.v[k].next)
		live_in(x, s->place.v[k].block, bit);
	while (x->top) {
		int b = x->stack[--x->top];
		for (int k = 0; k < x->c->npred[b]; k++) {
			int p = x->c->pred[b][k]->id;
			if (x->out[p] == bit + 1)
				continue;
			x->out[p] = bit + 1;
			put_bit(x->arena, &x->l->out[p], bit);
			if (x->killed[p] != bit + 1)
				live_in(x, p, bit);
		}
	}
}

Liveness *liveness_build(Arena *a, const Cfg *c)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	int nreg = function_values(c->f);
	Liveness *l = arena_new(a, Liveness);
	l->reg = arena_array(a, int, nreg + 1);
	l->bit = arena_array(a, int, nreg + 1);
	l->in = arena_array(a, LiveSet, c->n + 1);
	l->out = arena_array(a, LiveSet, c->n + 1);
	for (int r = 0; r < nreg; r++)
		l->bit[r] = -1;
	Scan s = { .l = l, .f = c->f, .find = true, .written = arena_array(&tmp, int, nreg + 1) };
	scan(&s, c);
	for (int r = 0; r < nreg; r++)
		if (l->bit[r] >= 0) {
			l->bit[r] = l->n;
			l->reg[l->n++] = r;
		}
	s.find = false;
	s.read = arena_array(&tmp, int, l->n + 1);
	s.kill = arena_array(&tmp, int, l->n + 1);
	for (int k = 0; k < l->n; k++)
		s.read[k] = s.kill[k] = -1;
	scan(&s, c);
	Spread x = { a, c, l, arena_array(&tmp, int, c->n + 1), arena_array(&tmp, int, c->n + 1), arena_array(&tmp, int, c->n + 1), arena_array(&tmp, int, c->n + 1), 0 };
	for (int k = 0; k < l->n; k++)
		spread(&x, &s, k);
	vec_free(&s.place);
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
