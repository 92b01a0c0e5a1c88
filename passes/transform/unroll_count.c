/* Counts how often a loop turns: the condition of a branch is computed turn by turn from constants, as lanes
 * compute it, with all values on which it depends. So inductions need not be affine: a step that multiplies
 * or shifts is counted as well.
 *
 * The versions that the condition depends on within a turn (SSA) form a list in which each one stands behind
 * its operands; in the first turn the header's phis have what comes from outside, in later turns what comes
 * along the edges back. Anything else that would have to be known (other phis, definitions under guards,
 * loads, indices of threads) ends the search: then the loop is not counted. */
#include "passes/constants.h"
#include "passes/transform/facts.h"
#include "passes/transform/unroll.h"

enum { ABSENT = -1 };

typedef struct Counter {
	PassRun *r;
	const Cfg *c;
	const Ssa *s;
	const Loop *l;
	/* the slice: n versions, operands before what reads them. depth: of the search */
	int n, depth, version[COUNT_VERSIONS];
	/* by place in the slice: the places of its sources; of a phi, [0] is the place of what comes along
	   the edges back */
	int from[COUNT_VERSIONS][FOLD_SOURCES];
	uint64_t value[COUNT_VERSIONS], next[COUNT_VERSIONS];
} Counter;

static int slice_place(const Counter *w, int version)
{
	for (int k = 0; k < w->n; k++)
		if (w->version[k] == version)
			return k;
	return ABSENT;
}

static bool is_header_phi(const Counter *w, int version)
{
	const SsaVersion *v = &w->s->version[version];
	return v->ins == SSA_PHI && v->block == w->l->header;
}

static int source_version(const Counter *w, int version, int k)
{
	const SsaVersion *v = &w->s->version[version];
	return ssa_src(w->s, ssa_writer(w->c, w->s, version), v->block, v->ins, k);
}

static bool add_to_slice(Counter *, int version);

static bool add_slice_sources(Counter *w, int version)
{
	const SsaVersion *v = &w->s->version[version];
	const Ins *i = ssa_writer(w->c, w->s, version);
	if (!i || v->old >= 0 || op_info[i->op].kind != K_ALU || i->nsrc > FOLD_SOURCES)
		return false;
	for (int k = 0; k < i->nsrc; k++) {
		const Opd *o = ins_src(i, k);
		if (o->kind != OPD_IMM && (o->kind != OPD_REG ||
			!add_to_slice(w, source_version(w, version, k))))
			return false;
	}
	return true;
}

/* Adds the version to the slice, behind the versions on which it depends within a turn. No version depends on
   itself but through a phi. Returns false when one of them cannot be known. */
static bool add_to_slice(Counter *w, int version)
{
	if (slice_place(w, version) != ABSENT)
		return true;
	if (w->depth == COUNT_VERSIONS)
		return false;
	w->depth++;
	bool ok = is_header_phi(w, version) || add_slice_sources(w, version);
	w->depth--;
	if (!ok || w->n == COUNT_VERSIONS)
		return false;
	w->version[w->n++] = version;
	return true;
}

/* Does argument k of the header's phis come along an edge back? */
static bool phi_comes_back(const Counter *w, int k)
{
	const IntList *pred = &w->c->graph->pred[w->l->header];
	return k < pred->n && loop_has(w->c, w->l, pred->v[k]);
}

/* Returns the version that comes to the phi along all edges back; -1: there are several. */
static int back(const Counter *w, int version)
{
	const SsaPhi *p = &w->s->phi[w->s->version[version].phi];
	int v = -1;
	for (int k = 0; k < p->narg; k++) {
		if (!phi_comes_back(w, k))
			continue;
		if (v >= 0 && v != p->arg[k])
			return -1;
		v = p->arg[k];
	}
	return v;
}

static bool make_count_slice(Counter *w, int condition)
{
	w->n = w->depth = 0;
	if (!add_to_slice(w, condition))
		return false;
	for (int k = 0; k < w->n; k++) { /* the list grows by what phis depend on in the next turn */
		int v = is_header_phi(w, w->version[k]) ? back(w, w->version[k]) : condition;
		if (v < 0 || !add_to_slice(w, v))
			return false;
	}
	for (int k = 0; k < w->n; k++) {
		int v = w->version[k];
		if (is_header_phi(w, v)) {
			w->from[k][0] = slice_place(w, back(w, v));
			continue;
		}
		for (int s = 0; s < ssa_writer(w->c, w->s, v)->nsrc; s++)
			w->from[k][s] = slice_place(w, source_version(w, v, s));
	}
	return true;
}

/* ---- values ---- */

static bool compute_version(Counter *w, int k)
{
	const Ins *i = ssa_writer(w->c, w->s, w->version[k]);
	uint64_t src[FOLD_SOURCES];
	for (int s = 0; s < i->nsrc; s++)
		src[s] = ins_src(i, s)->kind == OPD_IMM ? (uint64_t)ins_src(i, s)->imm
			: w->value[w->from[k][s]];
	return ins_fold(w->r->m, w->r->f, i, src, &w->value[k]);
}

/* Computes the bits of a version that comes from outside the loop: by a slice of its own, which may not have
   phis of the header. Returns false when they cannot be computed from constants. */
static bool value_from_outside(const Counter *w, int version, uint64_t *bits)
{
	Counter x = { .r = w->r, .c = w->c, .s = w->s, .l = w->l };
	if (!make_count_slice(&x, version))
		return false;
	for (int k = 0; k < x.n; k++)
		if (is_header_phi(&x, x.version[k]) || !compute_version(&x, k))
			return false;
	*bits = x.value[slice_place(&x, version)];
	return true;
}

/* Computes the value that the phi has in the first turn; false: it has several, or is not known. */
static bool first_turn_value(const Counter *w, int version, uint64_t *bits)
{
	const SsaPhi *p = &w->s->phi[w->s->version[version].phi];
	bool any = false;
	for (int k = 0; k < p->narg; k++) {
		uint64_t v;
		if (phi_comes_back(w, k))
			continue;
		if (!value_from_outside(w, p->arg[k], &v) || (any && v != *bits))
			return false;
		*bits = v;
		any = true;
	}
	return any;
}

static bool first_turn(Counter *w)
{
	for (int k = 0; k < w->n; k++)
		if (is_header_phi(w, w->version[k]) && !first_turn_value(w, w->version[k], &w->value[k]))
			return false;
	return true;
}

static void next_turn(Counter *w)
{
	for (int k = 0; k < w->n; k++)
		w->next[k] = is_header_phi(w, w->version[k]) ? w->value[w->from[k][0]] : 0;
	memcpy(w->value, w->next, sizeof w->value);
}

/* Returns the turn, from 0, in which the branch of the block leaves the loop; -1: that is not known. */
static int leaving_turn(Counter *w, const Block *b)
{
	const Ins *t = block_term(b);
	bool out = !loop_has(w->c, w->l, b->succ[0]->id); /* threads leave when the condition holds */
	int condition = ssa_src(w->s, t, b->id, b->ins.n - 1, 0);
	if (!make_count_slice(w, condition) || !first_turn(w))
		return -1;
	int at = slice_place(w, condition);
	for (int turn = 0; turn * w->n < COUNT_STEPS; turn++) {
		for (int k = 0; k < w->n; k++)
			if (!is_header_phi(w, w->version[k]) && !compute_version(w, k))
				return -1;
		bool yes = (w->value[at] & 1) != ins_src(t, 0)->neg;
		if (yes == out)
			return turn;
		next_turn(w);
	}
	return -1;
}

CountedExit unroll_count(PassRun *r, const Loop *l, int latch)
{
	const Dom *dom = analysis_dom(r->an);
	const Loops *loops = analysis_loops(r->an);
	Counter w = { .r = r, .c = analysis_cfg(r->an), .s = analysis_ssa(r->an), .l = l };
	CountedExit found = { -1, 0, 0 };
	for (int b = latch; b >= 0; b = b == l->header ? -1 : dom->idom[b]) {
		const Block *x = r->f->block.v[b];
		if (loops->of[b] != l - loops->loop || block_term(x)->op != OP_BRA || x->nsucc != 2 ||
			ins_src(block_term(x), 0)->kind != OPD_REG ||
			loop_has(w.c, l, x->succ[0]->id) == loop_has(w.c, l, x->succ[1]->id))
			continue;
		int turn = leaving_turn(&w, x);
		/* of two branches that leave in the same turn, take the one that comes first in the turn */
		if (turn >= 0 && (found.block < 0 || turn <= found.turn))
			found = (CountedExit){ b, turn, !loop_has(w.c, l, x->succ[0]->id) };
	}
	return found;
}
