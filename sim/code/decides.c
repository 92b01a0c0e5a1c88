/* For livelock detection: the registers that decide where a thread goes, and what it does to memory, as
 * long as it stays in a loop. A thread that comes back to a branch with the same values in them, and with
 * memory as it was, goes the same way again, and so for ever, whatever its other registers hold: a counter
 * of turns may go on counting, even one that is read behind the loop.
 *
 * The loop is a whole strongly connected component of the graph, as a thread that comes back to a branch
 * has been nowhere else. All that an instruction reads decides, unless the instruction only computes:
 * conditions, guards of ends, addresses, stored values, what calls get. If a register decides, so does all
 * that instructions of the loop read which compute it. What a load brings need not decide, nor does how
 * long a thread sleeps. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower.h"

/* An instruction that computes a register. next: 1 + the place of another one for that register, 0: none */
typedef struct Writer { const Ins *ins; int next; } Writer;

typedef struct Decides {
	const Function *f;
	const Ins *ins;                /* the one that is looked at */
	Vec(Writer) writer;            /* of the loop */
	int *writers;                  /* by register: 1 + the place of one of its writers, 0: none */
	BitSet decides;
	Vec(int) found, written;       /* registers in `decides`; registers that have writers */
} Decides;

static void note_deciding(void *self, int reg)
{
	Decides *x = self;
	if (bs_has(x->decides, reg))
		return;
	bs_add(x->decides, reg);
	vec_push(&x->found, reg);
}

static void note_writer(void *self, int reg)
{
	Decides *x = self;
	if (!x->writers[reg])
		vec_push(&x->written, reg);
	vec_push(&x->writer, ((Writer){ x->ins, x->writers[reg] }));
	x->writers[reg] = x->writer.n;
}

static void look_at_block(Decides *x, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++) {
		x->ins = &b->ins.v[k];
		OpKind kind = op_info[x->ins->op].kind;
		if (kind == K_ALU)
			ins_defs(x->f, x->ins, note_writer, x);
		else if (kind != K_SLEEP)
			ins_uses(x->f, x->ins, note_deciding, x);
	}
}

static void forget_loop(Decides *x)
{
	for (int k = 0; k < x->found.n; k++)
		bs_del(x->decides, x->found.v[k]);
	for (int k = 0; k < x->written.n; k++)
		x->writers[x->written.v[k]] = 0;
	vec_clear(&x->found);
	vec_clear(&x->written);
	vec_clear(&x->writer);
}

static IntList living(Arena *a, const Decides *x, const Liveness *live, int block)
{
	IntList some = { arena_array(a, int, live_count(live->out[block]) + 1), 0 };
	live_each(live, live->out[block], v)
		if (!x || bs_has(x->decides, v))
			some.v[some.n++] = v;
	return some;
}

/* The loop is the blocks from place `from` of the order to before place `to`. */
static void list_loop(Arena *a, Decides *x, const Cfg *c, const Liveness *live, int from, int to,
	IntList *list)
{
	for (int k = from; k < to; k++)
		look_at_block(x, c->rpo[k]);
	for (int k = 0; k < x->found.n; k++)
		for (int w = x->writers[x->found.v[k]]; w; w = x->writer.v[w - 1].next)
			ins_uses(x->f, x->writer.v[w - 1].ins, note_deciding, x);
	for (int k = from; k < to; k++)
		list[c->rpo[k]->id] = living(a, x, live, c->rpo[k]->id);
	forget_loop(x);
}

/* By loop of the nest of cycles: the outermost loop around it. */
static int *outermost_loops(Arena *a, const Nest *n)
{
	int *outermost = arena_array(a, int, n->nloop + 1);
	for (int k = 0; k < n->nloop; k++)
		outermost[k] = n->parent[k] < 0 ? k : outermost[n->parent[k]];
	return outermost;
}

/* The place in the order behind the blocks of the outermost loop to which the block at place `at` belongs;
   `at`: it is in none. */
static int end_of_loop(const Cfg *c, const int *outermost, int at)
{
	const int *of = c->nest->of;
	int first = of[c->rpo[at]->id], to = at;
	while (first >= 0 && to < c->nreach && of[c->rpo[to]->id] >= 0 &&
		outermost[of[c->rpo[to]->id]] == outermost[first])
		to++;
	return to;
}

IntList *lower_deciding(Arena *a, const Function *f, const Cfg *c, const Liveness *live)
{
	IntList *list = arena_array(a, IntList, c->n + 1);
	Arena tmp = { 0 };
	Decides x = { .f = f, .writers = arena_array(&tmp, int, function_values(f) + 1),
		.decides = bs_new(&tmp, function_values(f) + 1) };
	const int *outermost = outermost_loops(&tmp, c->nest);
	for (int k = 0, to; k < c->nreach; k = to) {
		to = end_of_loop(c, outermost, k);
		if (to > k) {
			list_loop(a, &x, c, live, k, to, list);
		} else {
			list[c->rpo[k]->id] = living(a, NULL, live, c->rpo[k]->id);
			to++;
		}
	}
	vec_free(&x.writer);
	vec_free(&x.found);
	vec_free(&x.written);
	arena_free(&tmp);
	return list;
}
