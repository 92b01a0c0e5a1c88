/* const-prop: values that are the same in every execution, along the branches that they leave possible.
 *
 * requires  liveness
 * keeps     labels; what cannot be reached any more stays in the list of blocks
 * breaks    the graph where a branch is decided
 *
 * M. N. Wegman and F. K. Zadeck, Constant Propagation with Conditional Branches, TOPLAS 1991, over the registers that live into each block instead of
 * SSA names: optimistic, so that a loop whose branch never leaves the constant's way does not spoil it. What becomes of it: results become moves,
 * operands become immediates where the operation takes them, guards go with or without their instruction, branches become jumps. Operations on the
 * carry flag compute no constants. */
#include "isa/edit.h"
#include "isa/lane.h"
#include "passes/analyses.h"
#include "passes/transform/facts.h"
#include "passes/transform/transform.h"

enum { MOST_SOURCES = 8 };

typedef struct Value { bool varies; uint64_t bits; } Value;   /* bits: as the register holds them */
static const Value unknown = { true, 0 };

typedef struct Prop {
	PassRun *r;
	Edit e;
	Arena arena;
	const Cfg *c;
	BitSet may;                    /* registers that some definition may make constant */
	int **live;                    /* by block: those of them that live in, ending with -1 */
	Value **in;                    /* by block: their values; NULL: not reached yet */
	Value *now;                    /* by register: value at the point looked at */
	int *block;                    /* by register: one more than the block that now was written for */
	int id;
	BitSet waits;                  /* blocks to visit, by place in the order */
	int operands, results, branches, guards;
} Prop;

/* ---- values ---- */

static Value read(const Prop *w, int reg) { return w->block[reg] == w->id + 1 ? w->now[reg] : unknown; }

static void write(Prop *w, int reg, Value v)
{
	w->block[reg] = w->id + 1;
	w->now[reg] = v;
}

static void lose(void *self, int reg) { write(self, reg, unknown); }

static Value met(Value a, Value b) { return a.varies || b.varies || a.bits != b.bits ? unknown : a; }

/* The bits of a constant of the type as an operand has them. */
static int64_t immediate(Type t, uint64_t bits)
{
	int n = type_bits[t];
	if (n == 64)
		return (int64_t)bits;
	bits &= ((uint64_t)1 << n) - 1;
	return type_kind[t] == 'F' || t == T_PRED ? (int64_t)bits : (int64_t)(bits << (64 - n)) >> (64 - n);
}

static Type source_type(const Prop *w, const Ins *i, int k)
{
	static const Type parts[65] = { [8] = T_B8, [16] = T_B16, [32] = T_B32 };
	return i->op == OP_PACK ? parts[type_bits[i->type] / i->nsrc] : ins_value_type(w->r->m, i, k);
}

static Value source(const Prop *w, const Ins *i, int k)
{
	const Opd *o = ins_src(i, k);
	Value v = unknown;
	if (o->kind == OPD_IMM)
		return (Value){ false, (uint64_t)o->imm };
	if (o->kind == OPD_REG)
		v = read(w, o->id);
	return v;
}

/* As a register of the function holds what an instruction gives. */
static uint64_t held(const Function *f, const Ins *i, uint64_t bits)
{
	Type reg = (Type)f->reg.v[ins_dst(i, 0)->id].type, t = ins_dst_type(i, 0);
	if (reg == T_PRED)
		return bits & 1;
	if (type_bits[reg] == 64)
		return type_bits[t] == 64 ? bits : lane_extend(t, bits);
	return (uint32_t)bits;
}

/* The source that a selp gives, when that is known; -1 else. */
static int chosen(const Prop *w, const Ins *i)
{
	Value v = i->op == OP_SELP ? source(w, i, 2) : unknown;
	return v.varies ? -1 : (v.bits & 1) == ins_src(i, 2)->neg;
}

/* What it writes to its one register when it is executed. */
static Value result(const Prop *w, const Ins *i)
{
	uint64_t src[MOST_SOURCES], dst[MOST_SOURCES];
	if (op_info[i->op].kind != K_ALU || i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG || i->nsrc > MOST_SOURCES)
		return unknown;
	if (i->op == OP_UNPACK)
		return unknown;
	for (int k = 0; k < i->nsrc; k++) {
		Value v = source(w, i, k);
		Type t = source_type(w, i, k);
		if (v.varies && !(k < 2 && chosen(w, i) == 1 - k))
			return unknown;
		src[k] = t ? (uint64_t)immediate(t, v.bits) : v.bits;
	}
	return lane_fold(i, src, dst) ? (Value){ false, held(w->r->f, i, dst[0]) } : unknown;
}

typedef enum { NEVER, ALWAYS, SOMETIMES } Guard;

static Guard guard(const Prop *w, const Ins *i)
{
	if (i->guard < 0)
		return ALWAYS;
	Value v = read(w, i->guard);
	return v.varies ? SOMETIMES : (v.bits & 1) != i->guard_neg ? ALWAYS : NEVER;
}

static void step(Prop *w, const Ins *i)
{
	Guard g = guard(w, i);
	if (g == NEVER)
		return;
	Value v = result(w, i);
	if (v.varies && g == ALWAYS) {
		ins_defs(w->r->f, i, lose, w);
		return;
	}
	if (i->ndst == 1 && ins_dst(i, 0)->kind == OPD_REG) {
		int d = ins_dst(i, 0)->id;
		write(w, d, g == ALWAYS ? v : met(v, read(w, d)));
	} else {
		ins_defs(w->r->f, i, lose, w);
	}
}

/* ---- where they go ---- */

static void enter(Prop *w, const Block *b)
{
	w->id = b->id;
	const int *r = w->live[b->id];
	for (int k = 0; r[k] >= 0; k++)
		write(w, r[k], w->in[b->id][k]);
}

static void reach(Prop *w, const Block *to)
{
	const int *r = w->live[to->id];
	bool first = !w->in[to->id], changed = first;
	int n = 0;
	while (r[n] >= 0)
		n++;
	if (first)
		w->in[to->id] = arena_array(&w->arena, Value, n + 1);
	for (int k = 0; k < n; k++) {
		Value *v = &w->in[to->id][k], now = read(w, r[k]), next = first ? now : met(*v, now);
		changed |= next.varies != v->varies;
		*v = next;
	}
	if (changed)
		bs_add(w->waits, w->c->rpo_index[to->id]);
}

/* The one target that is left, or NULL; at the end of b. */
static Block *target(const Prop *w, const Block *b)
{
	const Ins *t = block_term(b);
	if (!b->nsucc || !t->nsrc)
		return b->nsucc == 1 ? b->succ[0] : NULL;
	Value v = source(w, t, 0);
	if (v.varies)
		return NULL;
	if (t->op == OP_BRX)
		return (uint32_t)v.bits < (uint32_t)b->nsucc ? b->succ[(uint32_t)v.bits] : NULL;
	return b->succ[(v.bits & 1) == ins_src(t, 0)->neg];
}

static void visit(Prop *w, const Block *b)
{
	enter(w, b);
	for (int k = 0; k < b->ins.n; k++)
		step(w, &b->ins.v[k]);
	Block *only = target(w, b);
	for (int k = 0; k < b->nsucc; k++)
		if (!only || b->succ[k] == only)
			reach(w, b->succ[k]);
}

/* ---- registers worth looking at ---- */

static bool hopeful(const Prop *w, const Ins *i)
{
	if (op_info[i->op].kind != K_ALU || i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG)
		return false;
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind != OPD_IMM && (ins_src(i, k)->kind != OPD_REG || !bs_has(w->may, ins_src(i, k)->id)) && (i->op != OP_SELP || k == 2))
			return false;
	return true;
}

static void candidates(Prop *w)
{
	for (bool more = true; more;) {
		more = false;
		for (int i = 0; i < w->c->nreach; i++)
			for (int k = 0; k < w->c->rpo[i]->ins.n; k++) {
				const Ins *x = &w->c->rpo[i]->ins.v[k];
				if (!hopeful(w, x) || bs_has(w->may, ins_dst(x, 0)->id))
					continue;
				bs_add(w->may, ins_dst(x, 0)->id);
				more = true;
			}
	}
}

static void entering(Prop *w, const Liveness *l)
{
	for (int i = 0; i < w->c->nreach; i++) {
		int b = w->c->rpo[i]->id, n = 0;
		live_each(l, l->in[b], r)
			n += bs_has(w->may, r);
		int *list = w->live[b] = arena_array(&w->arena, int, n + 1);
		live_each(l, l->in[b], r)
			if (bs_has(w->may, r))
				*list++ = r;
		*list = -1;
	}
}

/* ---- what becomes of it ---- */

static Ins constant(Prop *w, const Ins *i, Value v)
{
	Type t = (Type)w->r->f->reg.v[ins_dst(i, 0)->id].type;
	Ins x = ins_move(w->r->m, w->r->f, i, ins_dst(i, 0)->id, ins_dst(i, 0)->id);
	*ins_src(&x, 0) = opd_imm(immediate(t, v.bits));
	return x;
}

static bool plain(const Ins *i) { return i->op == OP_MOV && ins_src(i, 0)->kind == OPD_IMM; }

static bool address(const Ins *i, int k) { return k == 0 && (strchr(op_info[i->op].operands, ':')[1] == 'a' || i->op == OP_CALL); }

static Ins operands(Prop *w, const Ins *old)
{
	Ins i = *old;
	for (int k = 0; k < old->nsrc; k++) {
		Value v = source(w, old, k);
		Type t = source_type(w, old, k);
		if (ins_src(old, k)->kind != OPD_REG || v.varies || !t || address(old, k))
			continue;
		if (i.opd == old->opd)
			i = edit_copy(&w->e, old);
		*ins_src(&i, k) = opd_imm(immediate(t, t == T_PRED ? v.bits ^ ins_src(old, k)->neg : v.bits));
		if (ins_allowed(w->r->m, w->r->f, &i))
			w->operands++;
		else
			*ins_src(&i, k) = *ins_src(old, k);
	}
	return i;
}

/* selp with a known condition becomes a move. */
static Ins selected(Prop *w, const Ins *i, int which)
{
	Ins x = edit_copy(&w->e, i);
	x.op = OP_MOV;
	x.nsrc = 1;
	*ins_src(&x, 0) = *ins_src(i, which);
	if (!ins_allowed(w->r->m, w->r->f, &x))
		return *i;
	w->results++;
	return x;
}

static void rewrite(Prop *w, Block *b)
{
	Rewrite r;
	enter(w, b);
	for (const Ins *old = edit_rewrite(&r, &w->e, b); old; old = edit_next(&r)) {
		Ins i = *old;
		Guard g = guard(w, old);
		Value v = result(w, old);
		if (g == NEVER) {
			w->guards++;
			continue;
		}
		if (!(op_info[i.op].flags & OPF_TERM))
			i = operands(w, old);
		if (!v.varies && !plain(old)) {
			i = constant(w, old, v);
			w->results++;
		} else if (chosen(w, old) >= 0) {
			i = selected(w, &i, chosen(w, old));
		}
		if (g == ALWAYS && i.guard >= 0 && !(op_info[i.op].flags & OPF_FATAL)) {
			i.guard = -1;
			i.guard_neg = 0;
			w->guards++;
		}
		edit_put(&r, i);
		step(w, old);
	}
}

static void decide(Prop *w, Block *b)
{
	Block *to = target(w, b);
	if (!to || !block_term(b)->nsrc)
		return;
	Ins term = edit_cut_term(&w->e, b);
	edit_jump(&w->e, b, &term, to);
	block_term(b)->origin = term.origin;
	w->branches++;
}

static void propagate(Prop *w, const Liveness *l)
{
	int n = function_values(w->r->f);
	w->may = bs_new(&w->arena, n + 1);
	w->now = arena_array(&w->arena, Value, n + 1);
	w->block = arena_array(&w->arena, int, n + 1);
	w->live = arena_array(&w->arena, int *, w->c->n);
	w->in = arena_array(&w->arena, Value *, w->c->n);
	w->waits = bs_new(&w->arena, w->c->nreach);
	candidates(w);
	entering(w, l);
	w->id = w->c->n;               /* in front of the entry nothing is known */
	reach(w, w->c->rpo[0]);
	for (int at = 0; (at = bs_next(w->waits, at)) >= 0 || (at = bs_next(w->waits, 0)) >= 0;) {
		bs_del(w->waits, at);
		visit(w, w->c->rpo[at]);
	}
}

static bool run(PassRun *r)
{
	Prop w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .c = analysis_cfg(r->an) };
	propagate(&w, analysis_liveness(r->an));
	for (int i = 0; i < w.c->nreach; i++)
		if (w.in[w.c->rpo[i]->id]) {
			rewrite(&w, w.c->rpo[i]);
			decide(&w, w.c->rpo[i]);
		}
	edit_close(&w.e);
	arena_free(&w.arena);
	pass_count(r, "results folded", w.results);
	pass_count(r, "operands made immediate", w.operands);
	pass_count(r, "guards decided", w.guards);
	pass_count(r, "branches decided", w.branches);
	return w.results + w.operands + w.guards + w.branches > 0;
}

const Pass pass_const_prop = {
	.name = "const-prop",
	.help = "fold constants, propagate them along the branches that they leave possible",
	.function = run,
};
