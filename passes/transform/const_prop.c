/* const-prop: finds values that are the same in every execution, and follows only branches that these leave
 * possible.
 *
 * requires  SSA, reaching definitions
 * keeps     labels; what cannot be reached any more stays in the list of blocks
 * breaks    the graph where a branch is decided
 *
 * M. N. Wegman and F. K. Zadeck, Constant Propagation with Conditional Branches, TOPLAS 1991: optimistic, so
 * that a loop whose branch never leaves the constant's way does not spoil it. The code is rewritten by that:
 * instructions with a known result become moves, operands become immediates where the operation takes them, a
 * guard that always holds is removed, an instruction whose guard never holds is deleted, branches become
 * jumps. Operations on the carry flag compute no constants. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/facts.h"
#include "passes/transform/transform.h"

typedef struct Value { bool varies; uint64_t bits; } Value;   /* bits: as the register holds them */
static const Value unknown = { true, 0 };

typedef struct Prop {
	PassRun *r;
	Edit e;
	Arena arena;
	const Cfg *c;
	const Ssa *s;
	const Reaching *uses;
	Value *value;                  /* by version: its value, if the version is in `known` */
	BitSet known;                  /* versions that have a value so far */
	/* edges that threads may take, numbered as in Ssa.edge; blocks to which threads may come; blocks
	   whose instructions have been evaluated once */
	BitSet taken, reached, visited;
	/* arguments of all phis have numbers: by phi, that of its first argument; by number, the version that
	   the phi defines */
	int *slot_first, *slot_of;
	/* by version: the first argument that reads it; by argument: the next one that reads the same
	   version; -1 = none */
	int *slots, *next;
	BitSet counts;                 /* arguments whose edges threads may take */
	Vec(int) todo;                 /* versions whose value has changed: what reads them is evaluated */
	Vec(int) waits;                /* blocks that are still to be evaluated for the first time */
	int block, at;                 /* place of the instruction that is evaluated */
	int operands, results, branches, guards;
} Prop;

/* ---- values ---- */

static Value met(Value a, Value b) { return a.varies || b.varies || a.bits != b.bits ? unknown : a; }

static Value source_value(const Prop *w, const Ins *i, int k)
{
	const Opd *o = ins_src(i, k);
	Value v = unknown;
	if (o->kind == OPD_IMM)
		return (Value){ false, (uint64_t)o->imm };
	if (o->kind == OPD_REG)
		v = w->value[ssa_src(w->s, i, w->block, w->at, k)];
	return v;
}

/* Returns the number of the source that a selp gives, 0 or 1; -1: that is not known, or it is no selp. */
static int chosen_source(const Prop *w, const Ins *i)
{
	Value v = i->op == OP_SELP ? source_value(w, i, 2) : unknown;
	return v.varies ? -1 : (v.bits & 1) == ins_src(i, 2)->neg;
}

/* Returns the value that the instruction writes to its one register when it is executed, or `unknown`. */
static Value result_value(const Prop *w, const Ins *i)
{
	uint64_t src[FOLD_SOURCES], bits;
	if (op_info[i->op].kind != K_ALU || i->nsrc > FOLD_SOURCES)
		return unknown;
	for (int k = 0; k < i->nsrc; k++) {
		Value v = source_value(w, i, k);
		if (v.varies && !(k < 2 && chosen_source(w, i) == 1 - k))
			return unknown;
		src[k] = v.bits;
	}
	return ins_fold(w->r->m, w->r->f, i, src, &bits) ? (Value){ false, bits } : unknown;
}

typedef enum { NEVER, ALWAYS, SOMETIMES } GuardVerdict;

static GuardVerdict guard_verdict(const Prop *w, const Ins *i)
{
	if (i->guard < 0)
		return ALWAYS;
	Value v = w->value[ssa_guard(w->s, i, w->block, w->at)];
	return v.varies ? SOMETIMES : (v.bits & 1) != i->guard_neg ? ALWAYS : NEVER;
}

/* ---- where they go ---- */

static void lower_value(Prop *w, int version, Value v)
{
	Value now = bs_has(w->known, version) ? met(w->value[version], v) : v;
	if (bs_has(w->known, version) && now.varies == w->value[version].varies)
		return;
	bs_add(w->known, version);
	w->value[version] = now;
	vec_push(&w->todo, version);
}

/* Gives all that the instruction defines a value. Where its guard may not hold, the register keeps the old
   one. */
static void define_values(Prop *w, const Ins *i)
{
	const Ssa *s = w->s;
	int at = s->ins_first[w->block] + w->at;
	GuardVerdict g = guard_verdict(w, i);
	Value v = g == NEVER || i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG ? unknown : result_value(w, i);
	for (int k = s->def_first[at]; k < s->def_first[at + 1]; k++) {
		int old = s->version[s->def[k]].old;
		/* a second definition is that of the carry flag, which is never known */
		Value now = k == s->def_first[at] ? v : unknown;
		if (g == NEVER)
			now = w->value[old];
		else if (g == SOMETIMES)
			now = met(now, w->value[old]);
		lower_value(w, s->def[k], now);
	}
}

/* Returns the only block to which threads can go on from the block; NULL: there are several, or none. */
static Block *known_target(Prop *w, const Block *b)
{
	const Ins *t = block_term(b);
	if (!b->nsucc || !t->nsrc)
		return b->nsucc == 1 ? b->succ[0] : NULL;
	w->block = b->id;
	w->at = b->ins.n - 1;
	Value v = source_value(w, t, 0);
	if (v.varies)
		return NULL;
	if (t->op == OP_BRX)
		return (uint32_t)v.bits < (uint32_t)b->nsucc ? b->succ[(uint32_t)v.bits] : NULL;
	return b->succ[(v.bits & 1) == ins_src(t, 0)->neg];
}

/* Counts argument k of the phi from now on: threads may come along its edge. */
static void take_argument(Prop *w, int phi, int k)
{
	const SsaPhi *p = &w->s->phi[phi];
	bs_add(w->counts, w->slot_first[phi] + k);
	lower_value(w, p->version, w->value[p->arg[k]]);
}

static void take_edge(Prop *w, int b, int k)
{
	const Ssa *s = w->s;
	int e = s->edge_first[b] + k, to = w->c->graph->succ[b].v[k];
	if (bs_has(w->taken, e))
		return;
	bs_add(w->taken, e);
	for (int phi = s->phi_first[to]; phi < s->phi_first[to + 1]; phi++)
		take_argument(w, phi, s->edge[e]);
	if (!bs_has(w->reached, to))
		vec_push(&w->waits, to);
	bs_add(w->reached, to);
}

static void evaluate_ins(Prop *w, int block, int at)
{
	const Block *b = w->r->f->block.v[block];
	const IntList *to = &w->c->graph->succ[block];
	w->block = block;
	w->at = at;
	define_values(w, &b->ins.v[at]);
	if (at < b->ins.n - 1)
		return;
	Block *only = known_target(w, b);
	for (int k = 0; k < to->n; k++)
		if (!only || only->id == to->v[k])
			take_edge(w, block, k);
}

/* Version v has a new value: instructions and phis that read it, in blocks to which threads may come, are
   evaluated again. */
static void tell_readers(Prop *w, int v)
{
	const Reaching *u = w->uses;
	for (int k = u->read_first[v]; k < u->read_first[v + 1]; k++)
		if (bs_has(w->visited, u->read[k].block))
			evaluate_ins(w, u->read[k].block, u->read[k].ins);
	for (int k = u->into_first[v]; k < u->into_first[v + 1]; k++) {
		const SsaVersion *x = &w->s->version[u->into[k]];
		if (x->ins >= 0 && bs_has(w->visited, x->block))
			evaluate_ins(w, x->block, x->ins);
	}
	for (int k = w->slots[v]; k >= 0; k = w->next[k])
		if (bs_has(w->counts, k))
			lower_value(w, w->slot_of[k], w->value[v]);
}

static void list_slots(Prop *w)
{
	const Ssa *s = w->s;
	int n = 0, nphi = s->phi_first[w->c->n];
	w->slot_first = arena_array(&w->arena, int, nphi + 1);
	w->slots = arena_array(&w->arena, int, s->n + 1);
	for (int phi = 0; phi < nphi; n += s->phi[phi++].narg)
		w->slot_first[phi] = n;
	w->next = arena_array(&w->arena, int, n + 1);
	w->slot_of = arena_array(&w->arena, int, n + 1);
	w->counts = bs_new(&w->arena, n);
	for (int v = 0; v < s->n; v++)
		w->slots[v] = -1;
	for (int phi = 0; phi < nphi; phi++)
		for (int k = 0; k < s->phi[phi].narg; k++) {
			int slot = w->slot_first[phi] + k, *list = &w->slots[s->phi[phi].arg[k]];
			w->slot_of[slot] = s->phi[phi].version;
			w->next[slot] = *list;
			*list = slot;
		}
}

static void propagate(Prop *w)
{
	const Ssa *s = w->s;
	Arena *a = &w->arena;
	w->value = arena_array(a, Value, s->n + 1);
	w->known = bs_new(a, s->n);
	w->taken = bs_new(a, s->edge_first[w->c->n]);
	w->reached = bs_new(a, w->c->n);
	w->visited = bs_new(a, w->c->n);
	list_slots(w);
	for (int v = 0; v < s->n; v++)
		if (s->version[v].ins == SSA_ENTRY) /* nothing is known of a register's value at the entry */
			lower_value(w, v, unknown);
	for (int phi = s->phi_first[0]; phi < s->phi_first[1]; phi++)
		take_argument(w, phi, s->phi[phi].narg - 1);
	bs_add(w->reached, 0);
	vec_push(&w->waits, 0);
	while (w->todo.n || w->waits.n) {
		if (w->todo.n) {
			tell_readers(w, vec_pop(&w->todo));
			continue;
		}
		int b = vec_pop(&w->waits);
		bs_add(w->visited, b);
		for (int k = 0; k < w->r->f->block.v[b]->ins.n; k++)
			evaluate_ins(w, b, k);
	}
}

/* ---- what becomes of it ---- */

static Ins constant_move(Prop *w, const Ins *i, Value v)
{
	Type t = (Type)w->r->f->reg.v[ins_dst(i, 0)->id].type;
	Ins x = ins_move(w->r->m, w->r->f, i, ins_dst(i, 0)->id, ins_dst(i, 0)->id);
	*ins_src(&x, 0) = opd_imm(fold_immediate(t, v.bits));
	return x;
}

static bool is_plain_constant(const Ins *i) { return i->op == OP_MOV && ins_src(i, 0)->kind == OPD_IMM; }

static bool is_address_source(const Ins *i, int k)
{
	return k == 0 && (strchr(op_info[i->op].operands, ':')[1] == 'a' || i->op == OP_CALL);
}

static Ins fold_operands(Prop *w, const Ins *old)
{
	Ins i = *old;
	for (int k = 0; k < old->nsrc; k++) {
		Value v = source_value(w, old, k);
		Type t = fold_source_type(w->r->m, old, k);
		if (ins_src(old, k)->kind != OPD_REG || v.varies || !t || is_address_source(old, k))
			continue;
		if (i.opd == old->opd)
			i = edit_copy(&w->e, old);
		*ins_src(&i, k) = opd_imm(fold_immediate(t,
			t == T_PRED ? v.bits ^ ins_src(old, k)->neg : v.bits));
		if (ins_allowed(w->r->m, w->r->f, &i))
			w->operands++;
		else
			*ins_src(&i, k) = *ins_src(old, k);
	}
	return i;
}

/* Returns the move that takes the place of a selp with a known condition; `which`: the source that it
   gives. */
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

/* What takes the place of an instruction whose guard may hold. */
static Ins rewritten_ins(Prop *w, const Ins *old, GuardVerdict g)
{
	Ins i = *old;
	Value v = result_value(w, old);
	if (!(op_info[i.op].flags & OPF_TERM))
		i = fold_operands(w, old);
	if (!v.varies && !is_plain_constant(old)) {
		i = constant_move(w, old, v);
		w->results++;
	} else if (chosen_source(w, old) >= 0) {
		i = selected(w, &i, chosen_source(w, old));
	}
	if (g == ALWAYS && i.guard >= 0 && !(op_info[i.op].flags & OPF_FATAL)) {
		i.guard = -1;
		i.guard_neg = 0;
		w->guards++;
	}
	return i;
}

static bool may_rewrite(Prop *w, const Ins *old, const char *what)
{
	return pass_may_change(w->r, ins_loc(w->r->m, old), "%s %s", op_info[old->op].name, what);
}

static void rewrite_constants(Prop *w, Block *b)
{
	Rewrite r;
	w->block = b->id;
	w->at = 0;
	for (const Ins *old = edit_rewrite(&r, &w->e, b); old; old = edit_next(&r), w->at++) {
		GuardVerdict g = guard_verdict(w, old);
		int operands = w->operands, results = w->results, guards = w->guards;
		if (g == NEVER && may_rewrite(w, old, "deleted, since its guard never holds")) {
			w->guards++;
			continue;
		}
		Ins i = g == NEVER ? *old : rewritten_ins(w, old, g);
		bool same = operands == w->operands && results == w->results && guards == w->guards;
		if (!same && !may_rewrite(w, old, "folded")) {
			i = *old;
			w->operands = operands;
			w->results = results;
			w->guards = guards;
		}
		edit_put_instead(&r, i);
	}
}

static void decide_branch(Prop *w, Block *b, Block *to)
{
	if (!to || !block_term(b)->nsrc || !may_rewrite(w, block_term(b), "decided"))
		return;
	edit_fold(&w->e, b, to);
	w->branches++;
}

static bool run(PassRun *r)
{
	Prop w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .c = analysis_cfg(r->an),
		.s = analysis_ssa(r->an), .uses = analysis_reaching(r->an) };
	propagate(&w);
	for (int i = 0; i < w.c->nreach; i++) {
		Block *b = w.c->rpo[i];
		if (!bs_has(w.visited, b->id))
			continue;
		Block *to = known_target(&w, b);
		rewrite_constants(&w, b);
		decide_branch(&w, b, to);
	}
	edit_close(&w.e);
	vec_free(&w.todo);
	vec_free(&w.waits);
	arena_free(&w.arena);
	pass_count(r, "results folded", w.results);
	pass_count(r, "operands made immediate", w.operands);
	pass_count(r, "guards decided", w.guards);
	pass_count(r, "branches decided", w.branches);
	return w.results + w.operands + w.guards + w.branches > 0;
}

const Pass pass_const_prop = {
	.name = "const-prop",
	.idle = "no operation has constant operands alone",
	.help = "fold constants, propagate them along the branches that they leave possible",
	.function = run,
};
