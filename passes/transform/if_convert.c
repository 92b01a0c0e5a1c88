/* if-convert: executes small arms of a branch under a guard instead of branching around them.
 *
 * requires  uniformity
 * keeps     the blocks, each with its code: the arms stand one behind the other on the only way
 * breaks    the graph, liveness, uniformity
 *
 * An arm is a chain of blocks to which only the branch leads, and which leads to the same block as the other
 * arm. Its instructions get the branch's condition as their guard; one that has a guard already gets both
 * guards. A condition that an arm writes is copied first. Operations that threads execute together, calls,
 * and instructions that end threads are never guarded: a branch around one of them stays. Inner branches come
 * before outer ones. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/analysis/cost.h"
#include "passes/constants.h"
#include "passes/transform/facts.h"
#include "passes/transform/transform.h"

typedef struct ConvertArm { Vec(Block *) block; int size; } ConvertArm;

typedef struct Convert {
	PassRun *r;
	Edit e;
	int *npred;                    /* by block: how many edges lead to it now */
	BitSet named;                  /* reconvergence points that the source asks for */
	const bool *divergent;         /* by block: its branch diverges; NULL: all branches are converted */
	ConvertArm arm[2];
	int converted, instructions;
} Convert;

/* ---- may it be done? ---- */

static bool guardable(const Convert *w, const Ins *i, int pred)
{
	Effects e = ins_effects(analysis_effects(w->r->an), i);
	Ins x = *i;
	x.guard = pred;
	return !e.convergent && !e.ends && op_info[i->op].kind != K_CALL && ins_allowed(w->r->m, w->r->f, &x);
}

/* Fills in the arm that begins with s. Returns the block to which the arm leads; NULL: it leads to several,
   or threads end in it. */
static Block *follow_arm(const Convert *w, ConvertArm *arm, Block *s)
{
	arm->size = arm->block.n = 0;
	while (w->npred[s->id] == 1 && s->id != 0 && !bs_has(w->named, s->id)) {
		vec_push(&arm->block, s);
		arm->size += s->ins.n - 1;
		if (!block_jumps(s))
			return NULL;
		s = s->succ[0];
	}
	return s;
}

/* Returns the first instruction of the arms that cannot be guarded, or NULL. */
static const Ins *find_unguardable(const Convert *w, int pred)
{
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < w->arm[a].block.n; b++) {
			const Block *x = w->arm[a].block.v[b];
			for (int k = 0; k < x->ins.n - 1; k++)
				if (!guardable(w, &x->ins.v[k], pred))
					return &x->ins.v[k];
		}
	return NULL;
}

static bool fits_limits(Convert *w, const Block *b)
{
	const Ins *t = block_term(b);
	int64_t most = w->r->option[0].number;
	Loc loc = ins_loc(w->r->m, t);
	if (w->arm[0].size > most || w->arm[1].size > most) {
		pass_remark(w->r, loc, "the branch of %s stays: its arms have %d and %d instructions, size "
			"allows %d", b->label, w->arm[0].size, w->arm[1].size, (int)most);
		return false;
	}
	const Ins *no = find_unguardable(w, ins_src(t, 0)->id);
	if (no)
		pass_remark(w->r, loc, "the branch of %s stays: %s cannot be guarded", b->label,
			op_info[no->op].name);
	return !no;
}

/* Returns how many instructions have a guard already: each of them will need one more, which makes one guard
   of two. */
static int guarded(const Block *b)
{
	int n = 0;
	for (int k = 0; k < b->ins.n - 1; k++)
		n += b->ins.v[k].guard >= 0;
	return n;
}

/* Would warps issue no more instructions than before? The profile tells how often the branch and each of its
   arms were executed, but only of blocks of the source; without it the answer is yes. */
static bool guarding_pays(const Convert *w, const Block *b)
{
	const Profile *p = w->r->profile;
	const ProfileBlock *at = p && b->user ? profile_find(p, w->r->f->name, b->label) : NULL;
	double before = at ? (double)at->fetches : 0, after = 0;
	for (int a = 0; a < 2 && at; a++)
		for (int k = 0; k < w->arm[a].block.n; k++) {
			const Block *x = w->arm[a].block.v[k];
			const ProfileBlock *arm = profile_find(p, w->r->f->name, x->label);
			if (!x->user)
				return true;
			/* one jump of the arm counts: the one around the other arm, or back */
			before += arm ? (double)arm->fetches * (x->ins.n - (k > 0)) : 0;
			after += (double)at->fetches * (x->ins.n - 1 + guarded(x));
		}
	if (at && after > before)
		pass_remark(w->r, ins_loc(w->r->m, block_term(b)),
			"the branch of %s stays: by the profile warps would issue %.0f instructions for it "
			"in place of %.0f", b->label, after, before);
	return !at || after <= before;
}

/* ---- doing it ---- */

static bool arms_write(const Convert *w, int pred)
{
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < w->arm[a].block.n; b++)
			for (int k = 0; k < w->arm[a].block.v[b]->ins.n; k++)
				if (ins_writes(w->r->f, &w->arm[a].block.v[b]->ins.v[k], pred))
					return true;
	return false;
}

/* Puts an instruction that makes a new predicate of the condition and the guard of i; returns that
   predicate. */
static int put_both_guards(Convert *w, Rewrite *rw, const Ins *i, Opd cond)
{
	int t = edit_reg(&w->e, "both", T_PRED);
	Ins and = edit_new(&w->e, i, OP_AND, T_PRED, 1, 2);
	and.opd[0] = opd_reg(t);
	and.opd[1] = cond;
	and.opd[2] = (Opd){ OPD_REG, i->guard_neg, i->guard, 0 };
	edit_put(rw, and);
	return t;
}

static void guard_arm(Convert *w, const ConvertArm *arm, Opd cond)
{
	for (int b = 0; b < arm->block.n; b++) {
		Rewrite rw;
		for (const Ins *old = edit_rewrite(&rw, &w->e, arm->block.v[b]); old; old = edit_next(&rw)) {
			Ins i = *old;
			if (!(op_info[i.op].flags & OPF_TERM)) {
				i.guard = i.guard < 0 ? cond.id : put_both_guards(w, &rw, old, cond);
				i.guard_neg = old->guard < 0 ? cond.neg : 0;
				w->instructions++;
			}
			edit_mark_lanes(&w->e, &i, cond);
			edit_put_marked(&rw, i);
		}
	}
}

static void convert_branch(Convert *w, Block *b, Block *join)
{
	Ins term = edit_cut_term(&w->e, b);
	Opd cond = *ins_src(&term, 0);
	if (arms_write(w, cond.id)) {
		Ins *copy = edit_ins(&w->e, b, &term, OP_MOV, T_PRED, 1, 1);
		copy->opd[1] = (Opd){ OPD_REG, 0, cond.id, 0 };
		cond.id = edit_reg(&w->e, "was", T_PRED);
		copy->opd[0] = opd_reg(cond.id);
	}
	Block *last = b, *to = join;
	for (int a = 1; a >= 0; a--) {     /* the last arm first: each one leads to what comes behind it */
		const ConvertArm *x = &w->arm[a];
		Opd own = { OPD_REG, cond.neg ^ (a == 1), cond.id, 0 };
		if (!x->block.n)
			continue;
		guard_arm(w, x, own);
		last = x->block.v[x->block.n - 1];
		if (to != join)
			edit_retarget(&w->e, last, join, to);
		to = x->block.v[0];
	}
	edit_jump(&w->e, b, &term, to);
	ins_instead(block_term(b), &term);
	w->npred[join->id]--;
	w->converted++;
}

static void consider_branch(Convert *w, Block *b)
{
	const Ins *t = block_term(b);
	if (t->op != OP_BRA || !t->nsrc || ins_src(t, 0)->kind != OPD_REG || b->succ[0] == b->succ[1])
		return;
	if (w->divergent && !w->divergent[b->id])
		return;
	Block *join = follow_arm(w, &w->arm[0], b->succ[0]);
	if (join && follow_arm(w, &w->arm[1], b->succ[1]) == join && fits_limits(w, b) &&
		guarding_pays(w, b) &&
		pass_may_change(w->r, ins_loc(w->r->m, t), "the branch of %s converted", b->label))
		convert_branch(w, b, join);
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	const Cfg *c = analysis_cfg(r->an);
	Convert w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .npred = arena_array(&a, int, c->n),
		.named = edit_named(&a, r->f) };
	w.divergent = r->option[1].number == 0 ? analysis_uniformity(r->an)->divergent : NULL;
	memcpy(w.npred, c->npred, sizeof *w.npred * (size_t)c->n);
	for (int i = c->nreach; i-- > 0;)
		consider_branch(&w, c->rpo[i]);
	edit_close(&w.e);
	vec_free(&w.arm[0].block);
	vec_free(&w.arm[1].block);
	arena_free(&a);
	pass_count(r, "branches converted", w.converted);
	pass_count(r, "instructions guarded", w.instructions);
	return w.converted > 0;
}

static const char *const branches[] = { "divergent", "all", NULL };

static const PassOption options[] = {
	{ "size", GUARD_SIZE, 0, 1000, "instructions that an arm may have", PASS_NUMBER, NULL },
	{ "branches", 0, 0, 0, "which branches: those at which the threads of a warp may part, or all",
		PASS_NAME, branches },
};

/* The pass asks for a profile: only a run tells how often warps execute both arms anyway. */
static const char *asks_profile(const PassValue *option)
{
	(void)option;
	return "";
}

const Pass pass_if_convert = {
	.name = "if-convert",
	.idle = "no divergent branch has arms that lead to one place",
	.help = "execute small arms of branches under guards",
	.options = options, .noptions = 2,
	.function = run,
	.keeps_registers = true,
	.asks_profile = asks_profile,
};
