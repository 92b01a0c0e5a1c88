/* Why a branch is said to be divergent: the places where the value that it decides by begins to differ. They
 * are found by a walk from the branch's condition back through versions that differ. A load counts as such a
 * place however its address is made: the value that it loads comes from memory, not from the code. */
#include "isa/ir.h"
#include "passes/analysis/uniformity_own.h"

/* WHY_STEPS: most versions looked at for a branch; WHY_SHOWN: most reasons told of one. Both keep the text of
   large functions short and quick to make */
enum { WHY_STEPS = 4096, WHY_SHOWN = 4 };

typedef enum { ROOT_SREG, ROOT_ARGUMENT, ROOT_LOCAL, ROOT_INS, ROOT_ONE_ADDRESS, ROOT_JOIN, ROOT_LEFT,
	ROOT_MIXED, ROOT_TURNS } RootKind;
typedef struct Root { RootKind kind; int at; const Ins *ins; } Root;

struct UniWhy {
	const Cfg *c;
	const Uniformity *u;
	int *seen, now;                /* by version: is `now` if it has been walked for the present branch */
	Ints todo;
	Vec(Root) root;
	bool cut;                      /* WHY_STEPS was reached: not all versions were walked */
};

UniWhy *uniformity_why_open(const Cfg *c, const Uniformity *u)
{
	UniWhy *w = xcalloc(1, sizeof *w);
	*w = (UniWhy){ .c = c, .u = u, .seen = xcalloc((size_t)u->ssa->n + 1, sizeof *w->seen) };
	return w;
}

void uniformity_why_close(UniWhy *w)
{
	vec_free(&w->todo);
	vec_free(&w->root);
	free(w->seen);
	free(w);
}

/* Do both stand for one reason? Instructions of one line with the same text do. */
static bool same_root_ins(const Ins *a, const Ins *b)
{
	return a == b || (a && b && a->op == b->op && a->space == b->space && a->file == b->file &&
		a->line == b->line && a->line);
}

static void add_root(UniWhy *w, RootKind kind, int at, const Ins *ins)
{
	for (int k = 0; k < w->root.n; k++)
		if (w->root.v[k].kind == kind && w->root.v[k].at == at &&
			same_root_ins(w->root.v[k].ins, ins))
			return;
	vec_push(&w->root, ((Root){ kind, at, ins }));
}

static void reach_version(UniWhy *w, int version)
{
	if (version < 0 || !w->u->version[version] || w->seen[version] == w->now)
		return;
	w->seen[version] = w->now;
	vec_push(&w->todo, version);
}

/* Does the value at this place in ssa->use differ? If its version does, that one is walked later; else that
   lanes have left a cycle is noted as a reason. */
static bool follow_use(UniWhy *w, int use)
{
	int version = w->u->ssa->use[use];
	if (w->u->version[version])
		reach_version(w, version);
	else if (w->u->use[use])
		add_root(w, ROOT_LEFT, w->u->left[use], NULL);
	return w->u->use[use];
}

/* Does a source of the instruction differ: a use from number `from` of it on, or an operand that is no
   register? deeper: the sources that differ are walked, too. */
static bool sources_differ(UniWhy *w, const Ins *i, int number, int from, bool deeper)
{
	const Ssa *s = w->u->ssa;
	bool any = false;
	for (int k = s->use_first[number] + from; k < s->use_first[number + 1]; k++)
		any |= deeper ? follow_use(w, k) : w->u->use[k];
	for (int k = 0; k < i->nsrc; k++) {
		const Opd *o = ins_src(i, k);
		if (o->kind != OPD_SREG || !w->u->sreg[o->id])
			continue;
		any = true;
		if (deeper)
			add_root(w, ROOT_SREG, o->id, NULL);
	}
	return any;
}

static void walk_instruction(UniWhy *w, const SsaVersion *v, UniCause cause)
{
	const Ins *i = &w->c->f->block.v[v->block]->ins.v[v->ins];
	int number = w->u->ssa->ins_first[v->block] + v->ins, first = i->guard >= 0;
	reach_version(w, v->old);
	if (first)
		follow_use(w, w->u->ssa->use_first[number]);
	if (cause.kind == UNI_TURNS) {
		add_root(w, ROOT_TURNS, cause.branch, i);
	} else if (op_info[i->op].kind == K_ALU) {
		if (!sources_differ(w, i, number, first, true) && !first)
			add_root(w, ROOT_LOCAL, -1, i);
	} else {
		add_root(w, op_info[i->op].kind == K_LD && !sources_differ(w, i, number, first, false)
			? ROOT_ONE_ADDRESS : ROOT_INS, -1, i);
	}
}

static void walk_version(UniWhy *w, int version)
{
	static const RootKind root[] = { [UNI_JOIN] = ROOT_JOIN, [UNI_LEFT] = ROOT_LEFT,
		[UNI_MIXED] = ROOT_MIXED };
	const Ssa *s = w->u->ssa;
	const SsaVersion *v = &s->version[version];
	UniCause cause = w->u->cause[version];
	if (v->ins == SSA_ENTRY) {
		add_root(w, ROOT_ARGUMENT, v->reg, NULL);
	} else if (v->ins != SSA_PHI) {
		walk_instruction(w, v, cause);
	} else {
		if (cause.kind != UNI_VALUE)
			add_root(w, root[cause.kind], cause.branch, NULL);
		for (int k = 0; k < s->phi[v->phi].narg; k++)
			reach_version(w, s->phi[v->phi].arg[k]);
	}
}

/* ---- as text ---- */

static void put_at(const UniWhy *w, const char *before, int branch, const char *else_, StrBuf *s)
{
	sb_printf(s, "%s%s", before, branch >= 0 ? w->c->f->block.v[branch]->label : else_);
}

static void put_ins(const Ins *i, StrBuf *s)
{
	sb_puts(s, op_info[i->op].name);
	if (op_info[i->op].flags & (OPF_LOAD | OPF_STORE) && i->space < SP_COUNT)
		sb_printf(s, ".%s", space_name[i->space]);
	if (i->line > 0)
		sb_printf(s, ":%d", i->line);
}

static void put_root(const UniWhy *w, const Root *r, StrBuf *s)
{
	switch (r->kind) {
	case ROOT_SREG: sb_puts(s, sreg_name[r->at]); break;
	case ROOT_ARGUMENT: sb_printf(s, "the caller's %s", function_value_name(w->c->f, r->at)); break;
	case ROOT_LOCAL: sb_puts(s, "an address of a local variable"); break;
	case ROOT_INS: put_ins(r->ins, s); break;
	case ROOT_ONE_ADDRESS: put_ins(r->ins, s); sb_puts(s, " from one address"); break;
	case ROOT_JOIN: put_at(w, "ways from ", r->at, "several branches", s); break;
	case ROOT_LEFT: put_at(w, "turns of the cycle left at ", r->at, "any time", s); break;
	case ROOT_MIXED:
		put_at(w, r->at >= 0 ? "turns that meet because of " : "turns that meet", r->at, "", s);
		break;
	case ROOT_TURNS:
		put_ins(r->ins, s);
		put_at(w, " by turns because of ", r->at, "several branches", s);
		break;
	}
}

void uniformity_why(UniWhy *w, int block, StrBuf *s)
{
	const Ins *term = block_term(w->c->f->block.v[block]);
	int number = w->u->ssa->ins_first[block] + w->c->f->block.v[block]->ins.n - 1;
	w->now++;
	w->cut = false;
	vec_clear(&w->root);
	vec_clear(&w->todo);
	sources_differ(w, term, number, 0, true);
	/* the list has the versions nearest to the branch first */
	for (int k = 0; k < w->todo.n && !w->cut && w->root.n <= WHY_SHOWN; k++) {
		w->cut = k == WHY_STEPS;
		walk_version(w, w->todo.v[k]);
	}
	for (int k = 0; k < w->root.n && k < WHY_SHOWN; k++) {
		sb_puts(s, k ? ", " : "");
		put_root(w, &w->root.v[k], s);
	}
	if (w->cut || w->root.n > WHY_SHOWN)
		sb_puts(s, w->root.n ? ", ..." : "...");
}
