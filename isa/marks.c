/* Marks say where the source's blocks begin and its branches decide, whatever passes have made of them
   (isa/ins.h). */
#include "isa/ir.h"

int function_source(Module *m, Function *f, const char *label)
{
	for (int k = 0; k < f->source.n; k++)
		if (!strcmp(f->source.v[k], label))
			return k;
	vec_push(&f->source, arena_strdup(&m->arena, label));
	return f->source.n - 1;
}

/* ---- lanes ---- */

int function_lanes(Function *f, int lanes, int reg, bool neg)
{
	for (int k = lanes; k; k = f->lanes.v[k].next)
		if (f->lanes.v[k].reg == reg)
			return f->lanes.v[k].neg == neg ? lanes : -1;
	if (!f->lanes.n)
		vec_push(&f->lanes, (SomeLanes){ 0 });
	vec_push(&f->lanes, ((SomeLanes){ reg, neg, lanes }));
	return f->lanes.n - 1;
}

int function_lanes_known(Function *f, int lanes, int reg, bool value)
{
	Vec(int) before = { 0 };
	int k = lanes;
	for (; k && f->lanes.v[k].reg != reg; k = f->lanes.v[k].next)
		vec_push(&before, k);
	/* reg stands in no other place of the list */
	int out = !k ? lanes : f->lanes.v[k].neg != value ? f->lanes.v[k].next : -1;
	while (k && out >= 0 && before.n) {
		SomeLanes l = f->lanes.v[vec_pop(&before)];
		out = function_lanes(f, out, l.reg, l.neg);
	}
	vec_free(&before);
	return out;
}

/* ---- lists of marks ---- */

int function_mark(Function *f, Mark mark)
{
	if (!f->mark.n)
		vec_push(&f->mark, (Mark){ 0 });
	vec_push(&f->mark, mark);
	return f->mark.n - 1;
}

static bool same_mark(const Mark *a, const Mark *b)
{
	return a->kind == b->kind && a->source == b->source && a->lanes == b->lanes &&
		a->value.kind == b->value.kind && a->value.neg == b->value.neg &&
		a->value.id == b->value.id && a->value.imm == b->value.imm;
}

int function_change_marks(Function *f, int mark, bool (*change)(void *, Mark *), void *self)
{
	Vec(Mark) kept = { 0 };
	bool changed = false;
	for (int k = mark; k; k = f->mark.v[k].next) {
		Mark old = f->mark.v[k], x = old;
		bool stays = change(self, &x);
		changed |= !stays || !same_mark(&x, &old);
		if (stays)
			vec_push(&kept, x);
	}
	int out = changed ? 0 : mark;
	for (int k = kept.n; changed && k-- > 0;) {
		kept.v[k].next = out;
		out = function_mark(f, kept.v[k]);
	}
	vec_free(&kept);
	return out;
}

typedef struct Renaming { Function *f; int (*rename)(void *, int reg); void *self; } Renaming;

static bool rename_mark_lanes(void *self, Mark *x)
{
	Renaming *r = self;
	Vec(SomeLanes) all = { 0 };
	bool changed = false;
	for (int k = x->lanes; k; k = r->f->lanes.v[k].next) {
		SomeLanes l = r->f->lanes.v[k];
		int reg = r->rename(r->self, l.reg);
		changed |= reg != l.reg;
		l.reg = reg;
		vec_push(&all, l);
	}
	int lanes = changed ? 0 : x->lanes;
	for (int k = all.n; changed && k-- > 0 && lanes >= 0;)
		lanes = function_lanes(r->f, lanes, all.v[k].reg, all.v[k].neg);
	vec_free(&all);
	x->lanes = lanes;
	if (x->value.kind == OPD_REG)
		x->value.id = r->rename(r->self, x->value.id);
	return lanes >= 0;
}

int function_rename_marks(Function *f, int mark, int (*rename)(void *, int reg), void *self)
{
	return function_change_marks(f, mark, rename_mark_lanes, &(Renaming){ f, rename, self });
}

int function_marks(Function *f, int a, int b)
{
	enum { SHORT = 8 };
	int n = 0, i = a, k = b;
	if (!a || !b)
		return a ? a : b;
	for (; i && (k || n <= SHORT); i = f->mark.v[i].next, k = k ? f->mark.v[k].next : 0)
		n++;
	/* a is long, and longer than b: the shorter one is copied, so that many unions into one list stay
	   cheap */
	if (i) {
		int t = a;
		a = b;
		b = t;
	}
	Vec(int) list = { 0 };
	for (i = a; i; i = f->mark.v[i].next)
		vec_push(&list, i);
	while (list.n) {
		Mark x = f->mark.v[vec_pop(&list)];
		x.next = b;
		b = function_mark(f, x);
	}
	vec_free(&list);
	return b;
}

/* ---- marks that labels imply ---- */

void block_mark(Function *f, Block *b, int source)
{
	if (ins_decides(block_term(b)))
		block_term(b)->mark = function_mark(f, (Mark){ .kind = MARK_DECIDES, .source = source,
			.next = block_term(b)->mark });
	b->ins.v[0].mark = function_mark(f, (Mark){ .kind = MARK_BEGINS, .source = source,
		.next = b->ins.v[0].mark });
}

void function_mark_blocks(Module *m, Function *f)
{
	f->source.n = f->mark.n = f->lanes.n = 0;
	for (int k = 0; k < f->block.n; k++)
		for (int j = 0; j < f->block.v[k]->ins.n; j++)
			f->block.v[k]->ins.v[j].mark = 0;
	for (int k = 0; k < f->block.n; k++) {
		Block *b = f->block.v[k];
		if (!b->user || !b->ins.n)
			continue;
		vec_push(&f->source, b->label); /* labels are unique */
		block_mark(f, b, f->source.n - 1);
	}
}

static bool is_mark(const Function *f, int mark, MarkKind kind, int source)
{
	const Mark *x = &f->mark.v[mark];
	return mark && x->kind == kind && !x->lanes && x->value.kind == OPD_NONE &&
		(source < 0 || x->source == source);
}

int block_plain_marks(const Function *f, const Block *b, int *first, int *last)
{
	if (!b->user || !b->ins.n || !is_mark(f, *first = b->ins.v[0].mark, MARK_BEGINS, -1))
		return -1;
	int source = f->mark.v[*first].source;
	*first = f->mark.v[*first].next;
	*last = b->ins.n > 1 ? block_term(b)->mark : *first;
	if (strcmp(f->source.v[source], b->label))
		return -1;
	if (ins_decides(block_term(b))) {
		if (!is_mark(f, *last, MARK_DECIDES, source))
			return -1;
		*last = f->mark.v[*last].next;
	}
	if (b->ins.n == 1)
		*first = *last;
	return source;
}
