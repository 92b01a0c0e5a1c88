/* Finds which blocks end alike: how much of each may be merged, and the tree of runs of equal instructions at
   their ends. */
#include "passes/transform/tail_merge.h"

/* ---- what may be merged ---- */

static int note_reg(void *self, int reg)
{
	Merge *w = self;
	vec_push(&w->regs, reg);
	return reg;
}

static void note_marks(Merge *w, const Ins *i) { function_rename_marks(w->r->f, i->mark, note_reg, w); }

static bool writes_noted(const Merge *w, const Ins *i)
{
	for (int k = 0; k < w->regs.n; k++)
		if (ins_writes(w->r->f, i, w->regs.v[k]))
			return true;
	return false;
}

const char *tail_obstacle(const Merge *w, const Ins *i, bool marked)
{
	Effects e = ins_effects(analysis_effects(w->r->an), i);
	if (e.convergent)
		return "depends on which threads execute it together";
	if (w->waiting && waits_for(&e))
		return w->waiting;
	if (e.ends && w->meeting && op_info[i->op].kind == K_CALL)
		return "may end threads, for which others may wait at a barrier";
	return e.ends && marked ? "may end threads, and behind it others are counted" : NULL;
}

/* Returns how many instructions at the end of the block may be merged. falls: the block stands right in front
   of the block to which it jumps. Then the instruction that writes a predicate of a mark must not come to
   stand right before the jump, which would have to stay an instruction: one instruction in between stays,
   too. */
static int length(Merge *w, const Block *b, bool falls)
{
	bool marked = block_term(b)->mark != 0;
	int n = 0;
	w->regs.n = 0;
	note_marks(w, block_term(b));
	for (int k = b->ins.n - 2; k >= 0; k--, n++) {
		const Ins *i = &b->ins.v[k];
		if (tail_obstacle(w, i, marked))
			break;
		if (writes_noted(w, i)) {
			n -= falls && n;
			break;
		}
		note_marks(w, i);
		marked |= i->mark != 0;
	}
	return n;
}

Block *tail_before(Merge *w, const Block *s)
{
	Block *b = edit_before(&w->e, s);
	while (b && merge_place(w, b)->gone)
		b = edit_before(&w->e, b);
	return b;
}

/* ---- runs ---- */

bool tail_same(Merge *w, const Ins *a, const Ins *b)
{
	return deed_number(&w->ins, a) == deed_number(&w->ins, b);
}

/* Returns the number of the run that has one more instruction before those of `parent`; parent below 0: of an
   empty run. */
static int run_number(Merge *w, int parent, int64_t what)
{
	int64_t key[] = { parent, what };
	int v = keys_number(&w->run, key, 2);
	if (v == w->node.n)
		vec_push(&w->node, ((Node){ parent, parent < 0 ? 0 : w->node.v[parent].length + 1, -1, -1,
			0 }));
	return v;
}

void tail_append(Merge *w, Node *v, int first, int last, int n)
{
	if (v->n)
		w->next.v[v->last] = first;
	else
		v->first = first;
	v->last = last;
	v->n += n;
}

/* Adds the last n instructions of the block, in front of its jump, to the tree. */
static void enter_tail(Merge *w, int root, Block *b, int n)
{
	int v = root;
	for (int k = 0; k < n; k++)
		v = run_number(w, v, deed_number(&w->ins, &b->ins.v[b->ins.n - 2 - k]));
	vec_push(&w->tail, ((Tail){ b, n }));
	vec_push(&w->next, -1);
	tail_append(w, &w->node.v[v], w->tail.n - 1, w->tail.n - 1, 1);
}

int tail_runs(Merge *w, Block *s)
{
	BlockList *from = &merge_place(w, s)->from;
	const Block *last = tail_before(w, s);
	int n = 0, first = w->node.n;
	for (int k = 0; k < from->n; k++)
		if (jumps_to(from->v[k], s) && !merge_place(w, from->v[k])->gone)
			from->v[n++] = from->v[k];
	from->n = n;
	w->tail.n = w->next.n = 0;
	w->visits++;
	for (int k = 0; k < n && n > 1; k++) {
		Block *b = from->v[k];
		int root = run_number(w, -2 - merge_place(w, b)->loop, w->visits);
		enter_tail(w, root, b, length(w, b, b == last));
	}
	return first;
}
