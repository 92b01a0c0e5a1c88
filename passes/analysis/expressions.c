#include "passes/analysis/expressions.h"
#include "lib/diag.h"
#include "passes/analysis/values.h"

/* Numbers expressions in the order in which they first occur in the code. */
static void find_expressions(Arena *a, const Cfg *c, Expressions *x)
{
	Arena tmp = { 0 };
	Keys keys = { .a = &tmp };
	Vec(Occurrence) all = { 0 };
	Vec(const Ins *) pattern = { 0 };
	uint8_t reads;
	for (int k = 0; k < c->nreach; k++)
		for (int i = 0; i < c->rpo[k]->ins.n; i++) {
			const Ins *at = &c->rpo[k]->ins.v[i];
			if (at->guard >= 0 || !ins_repeats(at, &reads))
				continue;
			int e = value_number(&keys, c->f, at, NULL);
			if (e == pattern.n)
				vec_push(&pattern, at);
			vec_push(&all, ((Occurrence){ .block = c->rpo[k]->id, .ins = i, .expression = e }));
		}
	x->n = pattern.n;
	x->pattern = arena_array(a, const Ins *, pattern.n + 1);
	x->noccurrence = all.n;
	x->occurrence = arena_array(a, Occurrence, all.n + 1);
	if (all.n) {
		memcpy(x->pattern, pattern.v, sizeof *pattern.v * (size_t)pattern.n);
		memcpy(x->occurrence, all.v, sizeof *all.v * (size_t)all.n);
	}
	vec_free(&pattern);
	vec_free(&all);
	arena_free(&tmp);
}

static void index_readers(Arena *a, const Cfg *c, Expressions *x)
{
	int nreg = function_values(c->f), n = 0;
	x->reader_first = arena_array(a, int, nreg + 2);
	for (int pass = 0; pass < 2; pass++) {
		for (int e = 0; e < x->n; e++)
			for (int k = 0; k < x->pattern[e]->nsrc; k++) {
				const Opd *o = ins_src(x->pattern[e], k);
				if (o->kind == OPD_REG && pass)
					x->reader[x->reader_first[o->id + 1]++] = e;
				else if (o->kind == OPD_REG)
					x->reader_first[o->id + 2]++, n++;
			}
		for (int r = 0; !pass && r < nreg; r++)
			x->reader_first[r + 1] += x->reader_first[r];
		if (!pass)
			x->reader = arena_array(a, int, n + 1);
	}
}

/* ---- what blocks compute and modify ---- */

/* A write to memory. time: number of the instruction, counted as in ExpressionScan; access: the write's
   number in memory dependence, -1: none */
typedef struct Write { int time, access; } Write;

/* Do all loads of the expression give the same value when the access `write` takes place in between? False,
   too, when memory dependence cannot tell or patience has run out. */
static bool loads_stay(const Expressions *x, int e, int write)
{
	ExpressionMemory *m = x->memory;
	if (!m || write < 0 || !x->reads[e])
		return false;
	for (int o = x->occurrence_first[e]; o >= 0; o = x->occurrence_next[o]) {
		int load = memdep_find(m->dep, x->occurrence[o].block, x->occurrence[o].ins);
		if (m->patience-- <= 0 || load < 0 || memdep_orders(m->dep, &m->ask, load, write))
			return false;
	}
	return true;
}

typedef struct ExpressionScan {
	const Function *f;
	const EffectTable *effects;
	Expressions *x;
	/* by register, by space: time of the last write to it; time counts instructions */
	int *written, memory[SP_COUNT];
	Vec(Write) write;               /* writes to memory in this block */
	int start, now;                 /* times: when the block began, and of the current instruction */
	int *seen;               /* by expression: 1 + the last block in whose list it has been put */
	int block, nfirst, nlast, nwritten;
} ExpressionScan;

static void write_register(void *self, int reg)
{
	ExpressionScan *s = self;
	if (s->written[reg] <= s->start)
		s->x->written[s->nwritten++] = reg;
	s->written[reg] = s->now;
}

static bool written_since(const ExpressionScan *s, int e, int time)
{
	for (int k = s->write.n; k-- > 0 && s->write.v[k].time >= time;)
		if (!loads_stay(s->x, e, s->write.v[k].access))
			return true;
	return false;
}

/* Has a register that the expression reads, or memory that it loads, been written at that time or later? */
static bool modified_since(const ExpressionScan *s, int e, int time)
{
	const Ins *i = s->x->pattern[e];
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG && s->written[ins_src(i, k)->id] >= time)
			return true;
	for (int k = 0; k < SP_COUNT; k++)
		if (s->x->reads[e] & SPACE_BIT(k) && s->memory[k] >= time)
			return written_since(s, e, time);
	return false;
}

static bool list_once(ExpressionScan *s, int e)
{
	bool was = s->seen[e] == s->block + 1;
	s->seen[e] = s->block + 1;
	return was;
}

static void step_scan(ExpressionScan *s, const Ins *i, int at)
{
	Effects e = ins_effects(s->effects, i);
	bool stops = e.ends && !(op_info[i->op].flags & OPF_TERM);
	uint8_t spaces = e.ordered || stops ? (uint8_t)~0u : e.writes;
	ins_defs(s->f, i, write_register, s);
	s->x->stops[s->block] |= stops;
	if (spaces)
		vec_push(&s->write, ((Write){ s->now, s->x->memory && !stops
			? memdep_find(s->x->memory->dep, s->block, at) : -1 }));
	s->x->clobbers[s->block] |= spaces;
	for (int k = 0; k < SP_COUNT; k++)
		if (spaces & SPACE_BIT(k))
			s->memory[k] = s->now;
}

static int ascending(const void *x, const void *y)
{
	int a = *(const int *)x, b = *(const int *)y;
	return a < b ? -1 : a > b;
}

static void sort_range(int *v, int from, int to)
{
	if (to - from > 1)
		qsort(v + from, (size_t)(to - from), sizeof *v, ascending);
}

/* Fills in what the block computes first and last, and which registers it writes. o: the block's first
   occurrence; returns the next block's. */
static Occurrence *scan_block(ExpressionScan *s, const Block *b, Occurrence *o, const Occurrence *end)
{
	Expressions *x = s->x;
	Occurrence *begin = o;
	int nfirst = s->nfirst, nlast = s->nlast, nwritten = s->nwritten;
	s->block = b->id;
	s->start = s->now;
	vec_clear(&s->write);
	for (int i = 0; i < b->ins.n; i++) {
		s->now++;
		if (o < end && o->block == b->id && o->ins == i) {
			o->first = !modified_since(s, o->expression, s->start + 1);
			if (o->first && !list_once(s, o->expression))
				x->first[s->nfirst++] = o->expression;
			o++;
		}
		step_scan(s, &b->ins.v[i], i);
	}
	for (const Occurrence *p = begin; p < o; p++)
		s->seen[p->expression] = 0;
	for (Occurrence *p = o; p-- > begin;) {
		p->last = !modified_since(s, p->expression, s->start + 1 + p->ins);
		if (p->last && !list_once(s, p->expression))
			x->last[s->nlast++] = p->expression;
	}
	sort_range(x->first, nfirst, s->nfirst);
	sort_range(x->last, nlast, s->nlast);
	sort_range(x->written, nwritten, s->nwritten);
	x->of[b->id] = (BlockExpressions){ x->first + nfirst, s->nfirst - nfirst, x->last + nlast,
		s->nlast - nlast, x->written + nwritten, s->nwritten - nwritten };
	return o;
}

static void count_register(void *self, int reg) { ++*(int *)self; }

static void scan_blocks(Arena *a, const Cfg *c, const EffectTable *t, Expressions *x)
{
	int writes = 0;
	for (int k = 0; k < c->nreach; k++)
		for (int i = 0; i < c->rpo[k]->ins.n; i++)
			ins_defs(c->f, &c->rpo[k]->ins.v[i], count_register, &writes);
	x->first = arena_array(a, int, x->noccurrence + 1);
	x->last = arena_array(a, int, x->noccurrence + 1);
	x->written = arena_array(a, int, writes + 1);
	x->of = arena_array(a, BlockExpressions, c->n + 1);
	x->clobbers = arena_array(a, uint8_t, c->n + 1);
	x->stops = arena_array(a, bool, c->n + 1);
	Arena tmp = { 0 };
	ExpressionScan s = { .f = c->f, .effects = t, .x = x, .written = arena_array(&tmp, int,
		function_values(c->f) + 1), .seen = arena_array(&tmp, int, x->n + 1) };
	Occurrence *o = x->occurrence;
	for (int k = 0; k < c->nreach; k++)
		o = scan_block(&s, c->rpo[k], o, x->occurrence + x->noccurrence);
	vec_free(&s.write);
	arena_free(&tmp);
}

static void list_occurrences(Arena *a, Expressions *x)
{
	x->occurrence_first = arena_array(a, int, x->n + 1);
	x->occurrence_next = arena_array(a, int, x->noccurrence + 1);
	for (int e = 0; e < x->n; e++)
		x->occurrence_first[e] = -1;
	for (int o = x->noccurrence; o-- > 0;) {
		int e = x->occurrence[o].expression;
		x->occurrence_next[o] = x->occurrence_first[e];
		x->occurrence_first[e] = o;
	}
}

Expressions *expressions_build(Arena *a, const Cfg *c, const EffectTable *t)
{
	return expressions_build_asking(a, c, t, NULL);
}

Expressions *expressions_build_asking(Arena *a, const Cfg *c, const EffectTable *t, ExpressionMemory *memory)
{
	must(cfg_fresh(c));
	Expressions *x = arena_new(a, Expressions);
	find_expressions(a, c, x);
	index_readers(a, c, x);
	x->reads = arena_array(a, uint8_t, x->n + 1);
	for (int e = 0; e < x->n; e++)
		ins_repeats(x->pattern[e], &x->reads[e]);
	x->memory = memory;
	list_occurrences(a, x);
	scan_blocks(a, c, t, x);
	return x;
}

/* The index of the first number in an ascending list that is at least `least`; n: there is none. */
static int lower_bound(const int *v, int n, int least)
{
	int low = 0;
	while (low < n) {
		int mid = low + (n - low) / 2;
		if (v[mid] < least)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* May the block write memory that the expression loads? */
static bool clobbered(const Expressions *x, int block, int e)
{
	if (!(x->clobbers[block] & x->reads[e]))
		return false;
	const MemDep *d = x->memory ? x->memory->dep : NULL;
	if (!d || x->stops[block])
		return true;
	for (int k = d->first[block]; k < d->first[block] + d->count[block]; k++)
		if ((d->access[k].writes || d->access[k].ordered) && !loads_stay(x, e, k))
			return true;
	return false;
}

bool expressions_modified(const Expressions *x, int block, int e)
{
	const BlockExpressions *b = &x->of[block];
	if (clobbered(x, block, e))
		return true;
	for (int k = 0; k < x->pattern[e]->nsrc; k++) {
		const Opd *o = ins_src(x->pattern[e], k);
		int at = o->kind == OPD_REG ? lower_bound(b->written, b->nwritten, o->id) : b->nwritten;
		if (at < b->nwritten && b->written[at] == o->id)
			return true;
	}
	return false;
}

static void put_in_set(BitSet set, const int *v, int n, const int *bit, int from, int to)
{
	for (int k = lower_bound(v, n, from); k < n && v[k] < to; k++)
		if (bit[v[k]] >= 0)
			bs_add(set, bit[v[k]]);
}

void expressions_of_block(const Expressions *x, int block, const int *bit, int from, int to, BitSet first,
	BitSet last, BitSet modified)
{
	const BlockExpressions *b = &x->of[block];
	put_in_set(first, b->first, b->nfirst, bit, from, to);
	put_in_set(last, b->last, b->nlast, bit, from, to);
	for (int i = 0; i < b->nwritten; i++) {
		const int *r = x->reader_first + b->written[i];
		put_in_set(modified, x->reader + r[0], r[1] - r[0], bit, from, to);
	}
	for (int e = from; x->clobbers[block] && e < to; e++)
		if (bit[e] >= 0 && !bs_has(modified, bit[e]) && clobbered(x, block, e))
			bs_add(modified, bit[e]);
}

ExpressionSets *expressions_sets(Arena *a, const Cfg *c, const Expressions *x, int from, int to)
{
	ExpressionSets *s = arena_new(a, ExpressionSets);
	Arena tmp = { 0 };
	int *bit = arena_array(&tmp, int, x->n + 1);
	s->first = flow_sets(a, c->n, to - from);
	s->last = flow_sets(a, c->n, to - from);
	s->modified = flow_sets(a, c->n, to - from);
	for (int e = from; e < to; e++)
		bit[e] = e - from;
	for (int k = 0; k < c->nreach; k++) {
		int id = c->rpo[k]->id;
		expressions_of_block(x, id, bit, from, to, s->first[id], s->last[id], s->modified[id]);
	}
	arena_free(&tmp);
	return s;
}

static void print_list(const int *v, int n, const char *name, StrBuf *s)
{
	sb_printf(s, " %s", name);
	for (int k = 0; k < n; k++)
		sb_printf(s, " %d", v[k]);
}

void expressions_print(const Cfg *c, const Expressions *x, StrBuf *s)
{
	for (int e = 0; e < x->n; e++) {
		const Ins *i = x->pattern[e];
		sb_printf(s, "  %d: %s.%s", e, op_info[i->op].name, type_name[i->type]);
		for (int k = 0; k < i->nsrc; k++)
			if (ins_src(i, k)->kind == OPD_REG)
				sb_printf(s, " %s", function_value_name(c->f, ins_src(i, k)->id));
			else
				sb_printf(s, " #%lld", (long long)ins_src(i, k)->imm);
		sb_putc(s, '\n');
	}
	for (int b = 0; b < c->nreach; b++) {
		sb_printf(s, "  %s:", c->rpo[b]->label);
		const BlockExpressions *of = &x->of[c->rpo[b]->id];
		print_list(of->first, of->nfirst, "first", s);
		print_list(of->last, of->nlast, "; last", s);
		sb_puts(s, "; modified");
		for (int e = 0; e < x->n; e++)
			if (expressions_modified(x, c->rpo[b]->id, e))
				sb_printf(s, " %d", e);
		sb_putc(s, '\n');
	}
}
