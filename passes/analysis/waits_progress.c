/* Exits of a loop that a thread comes to take by its own doing, turn by turn. */
#include "passes/analysis/waits_own.h"
#include "passes/constants.h"
#include <stdlib.h>

/* ---- what changes from turn to turn ---- */

static void go_back_to(WaitSearch *x, int version)
{
	if (x->been[version] == x->search)
		return;
	x->been[version] = x->search;
	vec_push(&x->back, version);
}

static bool pred_comes_back(const WaitSearch *x, int k)
{
	const IntList *pred = &x->c->graph->pred[x->l->header];
	return k < pred->n && loop_has(x->c, x->l, pred->v[k]);
}

/* If the version is only moved or chosen from others, puts these on the list. Returns false when it is
   computed or loaded. */
static bool copied(WaitSearch *x, int version)
{
	const SsaVersion *v = &x->ssa->version[version];
	const Ins *i = waits_writer(x, version);
	if (i && i->op != OP_MOV && i->op != OP_SELP)
		return false;
	if (v->old >= 0)
		go_back_to(x, v->old);
	for (int k = 0; v->phi >= 0 && k < x->ssa->phi[v->phi].narg; k++)
		go_back_to(x, x->ssa->phi[v->phi].arg[k]);
	for (int k = 0; i && k < 1 + (i->op == OP_SELP); k++)
		if (ins_src(i, k)->kind == OPD_REG)
			go_back_to(x, ssa_src(x->ssa, i, v->block, v->ins, k));
	return true;
}

/* Does some turn compute or load the value with which the next turn begins? */
bool waits_goes_on(WaitSearch *x, int phi)
{
	const SsaPhi *p = &x->ssa->phi[phi];
	bool is = false;
	x->search++;
	for (int k = 0; k < p->narg; k++)
		if (pred_comes_back(x, k))
			go_back_to(x, p->arg[k]);
	while (x->back.n && !is) {
		int version = vec_pop(&x->back);
		is = waits_inside(x, version) && !waits_turns(x, version) && !copied(x, version);
	}
	vec_clear(&x->back);
	return is;
}

/* ---- counters in registers ---- */

enum { UP = 1, DOWN = 2 };

typedef struct Steps {
	int way;                       /* UP: to greater numbers only, DOWN: to lesser ones only */
	int64_t sum; /* what a turn adds in all; of several ways through a turn, on the one that adds least */
	bool odd;                      /* the sum is odd, and the same on all ways */
	int phi;         /* number of the version with which turns begin; -1: the counter is in no register */
} Steps;

/* Writes to *n the number that the operand is, or that was moved to its register. Returns false when it is
   neither. */
static bool number_operand(const WaitSearch *x, int version, const Opd *o, int64_t *n)
{
	const Ins *i = version >= 0 ? waits_writer(x, version) : NULL;
	if (i && i->op == OP_MOV && i->guard < 0)
		o = ins_src(i, 0);
	*n = o->imm;
	return o->kind == OPD_IMM;
}

/* If the version is a source plus or minus a number, or that source moved, adds the number to *s and makes
   *from the version of the source. Else returns false. */
static bool step_back(const WaitSearch *x, int version, int *from, Steps *s)
{
	const SsaVersion *v = &x->ssa->version[version];
	const Ins *i = waits_writer(x, version);
	bool steps = i && (i->op == OP_MOV || i->op == OP_ADD || i->op == OP_SUB);
	if (!steps || i->guard >= 0 || type_kind[i->type] == 'F')
		return false;
	*from = ssa_src(x->ssa, i, v->block, v->ins, 0);
	if (i->op == OP_MOV)
		return *from >= 0;
	int by = ssa_src(x->ssa, i, v->block, v->ins, 1), k = 1;
	/* the number may be the first source */
	if (i->op == OP_ADD && (*from < 0 || !waits_inside(x, *from))) {
		int other = *from;
		*from = by;
		by = other;
		k = 0;
	}
	int64_t n;
	/* a step must be a number other than 0: a register might hold 0 */
	if (*from < 0 || !waits_inside(x, *from) || !number_operand(x, by, ins_src(i, k), &n) || !n ||
		n != (int32_t)n)
		return false;
	n = i->op == OP_ADD ? n : -n;
	s->way &= n > 0 ? UP : DOWN;
	s->sum += n;
	s->odd ^= n & 1;
	return true;
}

/* Goes back by steps from the version to the phi with which turns begin, and returns that; -1: the version is
   not made of one by steps alone. */
static int walk_to_phi(const WaitSearch *x, int version, Steps *s)
{
	while (!waits_turns(x, version))
		if (!step_back(x, version, &version, s))
			return -1;
	return version;
}

/* Is the version a counter, to which every turn adds steps in the same direction? Writes to *all what a turn
   adds. */
static bool counts_turns(const WaitSearch *x, int version, Steps *all)
{
	Steps none = { .way = UP | DOWN };
	int phi = waits_inside(x, version) ? walk_to_phi(x, version, &none) : -1;
	*all = (Steps){ .way = UP | DOWN, .odd = true, .phi = phi };
	if (phi < 0)
		return false;
	const SsaPhi *p = &x->ssa->phi[x->ssa->version[phi].phi];
	for (int k = 0; k < p->narg; k++) {
		Steps s = { .way = UP | DOWN };
		if (!pred_comes_back(x, k))
			continue;
		if (!waits_inside(x, p->arg[k]) || p->arg[k] == phi || walk_to_phi(x, p->arg[k], &s) != phi)
			return false;
		all->way &= s.way;
		all->odd &= s.odd && (!all->sum || s.sum == all->sum);
		all->sum = !all->sum || llabs(s.sum) < llabs(all->sum) ? s.sum : all->sum;
	}
	return all->way;
}

static int inverse(int cmp)
{
	switch (cmp) {
	case CMP_EQ: return CMP_NE;
	case CMP_NE: return CMP_EQ;
	case CMP_LT: return CMP_GE;
	case CMP_LE: return CMP_GT;
	case CMP_GT: return CMP_LE;
	case CMP_GE: return CMP_LT;
	case CMP_LO: return CMP_HS;
	case CMP_LS: return CMP_HI;
	case CMP_HI: return CMP_LS;
	case CMP_HS: return CMP_LO;
	default: return CMP_NONE;
	}
}

static int mirrored(int cmp)
{
	switch (cmp) {
	case CMP_LT: return CMP_GT;
	case CMP_LE: return CMP_GE;
	case CMP_GT: return CMP_LT;
	case CMP_GE: return CMP_LE;
	case CMP_LO: return CMP_HI;
	case CMP_LS: return CMP_HS;
	case CMP_HI: return CMP_LO;
	case CMP_HS: return CMP_LS;
	default: return cmp;
	}
}

/* Does a counter with such steps come, in some turn, to where this comparison of it with its bound holds? */
static bool comes_to(int cmp, const Steps *s)
{
	switch (cmp) {
	case CMP_GT: case CMP_GE: case CMP_HI: case CMP_HS: return s->way & UP;
	case CMP_LT: case CMP_LE: case CMP_LO: case CMP_LS: return s->way & DOWN;
	case CMP_EQ: return s->odd;
	case CMP_NE: return true;
	default: return false;
	}
}

/* Writes to *n the number with which the counter comes into the loop. Returns false when it is not one
   number. */
static bool begins_with(const WaitSearch *x, int phi, int64_t *n)
{
	const SsaPhi *p = &x->ssa->phi[x->ssa->version[phi].phi];
	static const Opd none;
	bool any = false;
	for (int k = 0; k < p->narg; k++) {
		int64_t other;
		if (pred_comes_back(x, k))
			continue;
		if (!number_operand(x, p->arg[k], &none, &other) || (any && other != *n))
			return false;
		*n = other;
		any = true;
	}
	return any;
}

typedef __int128 Wide;
typedef struct Range { Wide least, most; } Range;

static Range type_range(Type t)
{
	Wide all = (Wide)1 << type_bits[t];
	return type_kind[t] == 'S' ? (Range){ -all / 2, all / 2 - 1 } : (Range){ 0, all - 1 };
}

static Wide value_in(Range r, int64_t n)
{
	Wide all = r.most - r.least + 1, v = n % all;
	return v < r.least ? v + all : v > r.most ? v - all : v;
}

/* Does the counter come to where the comparison holds, within WAIT_TURNS turns and without going round the
   type's numbers? True, too, where the bound or the number at the start is not known. cmp: of the counter
   with the bound, which is operand `o`, version `other`. */
static bool comes_soon(const WaitSearch *x, Type t, int cmp, const Steps *s, int other, const Opd *o)
{
	int64_t n;
	if (s->phi < 0 || cmp == CMP_NE || !number_operand(x, other, o, &n))
		return true;
	const Range r = type_range(t);
	bool up = s->sum > 0, behind = cmp == CMP_GT || cmp == CMP_HI || cmp == CMP_LT || cmp == CMP_LO;
	Wide by = s->sum, to = value_in(r, n) + (behind ? up ? 1 : -1 : 0);
	if (to < r.least || to > r.most)
		return false;
	if (!begins_with(x, s->phi, &n))
		return true;
	Wide from = value_in(r, n), way = up ? to - from : from - to, step = up ? by : -by;
	if (way <= 0 && cmp != CMP_EQ)
		return true;           /* the comparison holds at once */
	Wide turns = (way + step - 1) / step, end = from + turns * by;
	return way >= 0 && turns <= WAIT_TURNS && end >= r.least && end <= r.most &&
		(cmp != CMP_EQ || end == to);
}

static bool is_loop_invariant(const WaitSearch *x, int version)
{
	return version < 0 || !waits_inside(x, version);
}

/* Is the version a bound that every turn loads anew? A counter comes to such a bound unless another thread
   moves the bound on and on. */
static bool is_loaded_bound(const WaitSearch *x, int version)
{
	const Ins *i = waits_inside(x, version) ? waits_writer(x, version) : NULL;
	return i && op_info[i->op].kind == K_LD && i->guard < 0;
}

/* ---- counters and places in memory ---- */

static int uncopied(const WaitSearch *x, int version)
{
	const Ins *i = version >= 0 && waits_inside(x, version) ? waits_writer(x, version) : NULL;
	while (i && i->op == OP_MOV && i->guard < 0 && ins_src(i, 0)->kind == OPD_REG) {
		const SsaVersion *v = &x->ssa->version[version];
		version = ssa_src(x->ssa, i, v->block, v->ins, 0);
		i = waits_inside(x, version) ? waits_writer(x, version) : NULL;
	}
	return version;
}

/* Is instruction `at` the only ordered access of the loop that writes? Then no other takes back what it
   does. */
static bool writes_alone(const WaitSearch *x, const Ins *at)
{
	loop_each(x->c, x->l, b)
		for (int k = 0; k < b->ins.n; k++) {
			const Ins *i = &b->ins.v[k];
			Effects e = ins_effects(x->effects, i);
			if (i != at && e.ordered && e.writes)
				return false;
		}
	return true;
}

/* Does the version come from an atomic addition of a number: from a counter in memory from which threads take
   their work? */
static bool takes(const WaitSearch *x, int version, Steps *s)
{
	version = uncopied(x, version);
	const Ins *i = version >= 0 && waits_inside(x, version) ? waits_writer(x, version) : NULL;
	if (!i || i->op != OP_ATOM || i->aop != AOP_ADD || i->guard >= 0)
		return false;
	if (ins_src(i, 1)->kind != OPD_IMM || !ins_src(i, 1)->imm || !writes_alone(x, i))
		return false;
	*s = (Steps){ .way = ins_src(i, 1)->imm > 0 ? UP : DOWN, .phi = -1 };
	return true;
}

/* Do the two versions come from the same bytes of memory? */
static bool reads_same_bytes(const WaitSearch *x, int a, int b)
{
	const SsaVersion *v = &x->ssa->version[a], *w = &x->ssa->version[b];
	const Ins *i = waits_writer(x, a), *j = waits_writer(x, b);
	Opd p = *ins_src(i, 0), q = *ins_src(j, 0);
	if (p.kind == OPD_REG && q.kind == OPD_REG) {
		p.id = ssa_src(x->ssa, i, v->block, v->ins, 0);
		q.id = ssa_src(x->ssa, j, w->block, w->ins, 0);
	}
	return i->space == j->space && type_bits[i->type] == type_bits[j->type] && opd_same(&p, &q);
}

/* Is version `got` what a compare-and-swap found, `expected` what it was to find, and is that the value that
   this thread has read there last: found in the turn before, or loaded in this turn? Then the loop goes on
   only if another thread has been faster. */
static bool retries(const WaitSearch *x, int got, int expected)
{
	got = uncopied(x, got);
	const Ins *i = got >= 0 && waits_inside(x, got) ? waits_writer(x, got) : NULL;
	if (!i || i->op != OP_ATOM || i->aop != AOP_CAS || i->guard >= 0)
		return false;
	const SsaVersion *v = &x->ssa->version[got];
	expected = uncopied(x, expected);
	int wanted = uncopied(x, ssa_src(x->ssa, i, v->block, v->ins, 1));
	if (expected < 0 || expected != wanted || !waits_inside(x, expected))
		return false;
	if (!waits_turns(x, expected)) {
		const Ins *load = waits_writer(x, expected);
		return load && load->op == OP_LD && load->guard < 0 && !load->vec &&
			reads_same_bytes(x, got, expected);
	}
	const SsaPhi *p = &x->ssa->phi[x->ssa->version[expected].phi];
	for (int k = 0; k < p->narg; k++)
		if (pred_comes_back(x, k) && uncopied(x, p->arg[k]) != got)
			return false;
	return true;
}

/* ---- exits ---- */

/* Does the comparison that writes the version have the result `want` in some turn, whatever others do? */
static bool compared(const WaitSearch *x, int version, bool want)
{
	const SsaVersion *v = &x->ssa->version[version];
	const Ins *i = waits_writer(x, version);
	bool second = ssa_dst(x->ssa, i, v->block, v->ins, 0) != version;
	int cmp = want != second ? i->cmp : inverse(i->cmp);
	if ((i->boolop != BOOL_NONE && i->boolop != (want ? BOOL_OR : BOOL_AND)) || type_kind[i->type] == 'F')
		return false;
	for (int k = 0; k < 2; k++) {
		int side = ssa_src(x->ssa, i, v->block, v->ins, k);
		int other = ssa_src(x->ssa, i, v->block, v->ins, 1 - k);
		bool ordered = cmp != CMP_EQ && cmp != CMP_NE, counted;
		Steps s;
		if (cmp == CMP_EQ && retries(x, side, other))
			return true;
		if (side < 0 || !(is_loop_invariant(x, other) || (ordered && is_loaded_bound(x, other))))
			continue;
		counted = counts_turns(x, side, &s) || (ordered && takes(x, side, &s));
		int its = k ? mirrored(cmp) : cmp; /* k = 1: the bound is the first source */
		if (counted && comes_to(its, &s) && comes_soon(x, (Type)i->type, its, &s, other,
			ins_src(i, 1 - k)))
			return true;
	}
	return false;
}

/* Does the predicate become `want` in some turn, whatever others do? */
static bool comes_about(WaitSearch *x, int version, bool want)
{
	bool is = false;
	x->search++;
	go_back_to(x, version);
	while (x->back.n && !is) {
		version = vec_pop(&x->back);
		const SsaVersion *v = &x->ssa->version[version];
		const Ins *i = waits_inside(x, version) ? waits_writer(x, version) : NULL;
		if (!i || i->guard >= 0)
			continue;
		is = i->op == OP_SETP && compared(x, version, want);
		for (int k = 0; k < i->nsrc && i->op == (want ? OP_OR : OP_AND); k++)
			if (ins_src(i, k)->kind == OPD_REG && !ins_src(i, k)->neg)
				go_back_to(x, ssa_src(x->ssa, i, v->block, v->ins, k));
	}
	vec_clear(&x->back);
	return is;
}

/* Does the block end with a branch out of the loop which is taken in some turn, whatever others do? */
static bool exit_comes_about(WaitSearch *x, int block)
{
	const Block *b = x->c->f->block.v[block];
	const Ins *t = block_term(b);
	if (t->op != OP_BRA || b->nsucc != 2 || ins_src(t, 0)->kind != OPD_REG)
		return false;
	bool goes_on[2] = { loop_has(x->c, x->l, b->succ[0]->id), loop_has(x->c, x->l, b->succ[1]->id) };
	if (goes_on[0] == goes_on[1] || x->w->loops->of[block] != x->l - x->w->loops->loop)
		return false;
	return comes_about(x, ssa_src(x->ssa, t, block, b->ins.n - 1, 0), goes_on[1] != ins_src(t, 0)->neg);
}

bool waits_bounded(WaitSearch *x)
{
	const Loop *l = x->l;
	if (!l->reducible)
		return false;
	int b = l->latch.v[0];
	for (int k = 1; k < l->latch.n; k++)
		b = dom_common(x->dom, b, l->latch.v[k]);
	while (!exit_comes_about(x, b)) {
		x->work++;
		if (b == l->header)
			return false;
		b = x->dom->idom[b];
	}
	return true;
}
