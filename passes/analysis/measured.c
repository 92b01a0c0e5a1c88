#include "passes/analysis/measured.h"
#include "isa/lane.h"

/* ---- for which mechanisms the verdicts hold ---- */

static bool has_kind(const Module *m, OpKind first, OpKind last)
{
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			for (int k = 0; k < m->func.v[f]->block.v[b]->ins.n; k++) {
				OpKind kind = op_info[m->func.v[f]->block.v[b]->ins.v[k].op].kind;
				if (kind >= first && kind <= last && m->func.v[f]->kind != FN_HOST)
					return true;
			}
	return false;
}

/* Does a branch of the module name a reconvergence point that does not post-dominate it? */
static bool predicts(const Module *m)
{
	bool found = false;
	for (int f = 0; f < m->func.n; f++) {
		Arena tmp = { 0 };
		if (m->func.v[f]->kind == FN_HOST || !m->func.v[f]->block.n)
			continue;
		const Cfg *c = cfg_build(&tmp, m->func.v[f]);
		const Dom *d = pdom_build(&tmp, c, false);
		for (int k = 0; k < c->nreach; k++)
			found |= c->rpo[k]->reconverge && !dom_dominates(d, c->rpo[k]->reconverge->id,
				c->rpo[k]->id);
		arena_free(&tmp);
	}
	return found;
}

/* Does the module read what is the same in a warp, and not in a warp of threads from several warps? */
static bool reads_place(const Module *m)
{
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			for (int k = 0; k < m->func.v[f]->block.v[b]->ins.n; k++) {
				const Ins *i = &m->func.v[f]->block.v[b]->ins.v[k];
				for (int s = 0; s < i->nsrc; s++) {
					const Opd *o = ins_src(i, s);
					bool row = o->id == SREG_TID_Y || o->id == SREG_TID_Z;
					if (o->kind == OPD_SREG && (o->id == SREG_WARPID ||
						(row && m->func.v[f]->reqntid[0])))
						return true;
				}
			}
	return false;
}

bool measured_anywhere(const Module *m, const char *model, bool *perhaps)
{
	static const char *const always[] = { "dwf", "dws", "sbi" },
		*const by_parameters[] = { "its", "aware", "multi_path" };
	size_t n = strcspn(model, "( ");
#define IS(NAME) (strlen(NAME) == n && !strncmp(model, NAME, n))
	*perhaps = false;
	for (int k = 0; k < 3; k++) {
		if (IS(always[k]))
			return true;
		*perhaps |= IS(by_parameters[k]);
	}
	return (IS("min_pc") && has_kind(m, K_CALL, K_CALL)) ||
		(IS("tbc") && (has_kind(m, K_SHFL, K_ELECT) || reads_place(m))) ||
		(IS("spec_reconv") && predicts(m));
#undef IS
}

/* ---- rows ---- */

typedef struct MeasuredBuild {
	const Module *m;
	const Cfg *c;
	const Profile *p;
	Measured *r;
	int *row;                      /* by source's block: 1 + number of its row; 0: none */
	int first, end; /* branches of the profile that are the function's: first up to, not including, end */
	BitSet told;         /* set of these branches, by number from `first` on: the module has the branch */
} MeasuredBuild;

/* The number of the source's block whose branch this terminator decides; -1: it decides none of the
   source's. */
static int decided_source(const Function *f, const Ins *term)
{
	for (int k = term->mark; k; k = f->mark.v[k].next)
		if (f->mark.v[k].kind == MARK_DECIDES && !f->mark.v[k].lanes &&
			f->mark.v[k].value.kind == OPD_NONE)
			return f->mark.v[k].source;
	return -1;
}

static bool conditions_differ(const Uniformity *u, const Block *b)
{
	int number = u->ssa->ins_first[b->id] + b->ins.n - 1;
	for (int k = u->ssa->use_first[number]; k < u->ssa->use_first[number + 1]; k++)
		if (u->use[k])
			return true;
	return false;
}

/* Has the block a guarded call? In machine code that is a branch, which the report counts under the label of
   its block. */
static bool has_guarded_call(const Block *b)
{
	for (int k = 0; k < b->ins.n; k++)
		if (b->ins.v[k].op == OP_CALL && b->ins.v[k].guard >= 0)
			return true;
	return false;
}

static const ProfileBranch *find_profile_branch(MeasuredBuild *w, const Block *b, const char *label,
	bool inserted)
{
	const char *f = w->c->f->name;
	if (inserted && has_guarded_call(b))
		return NULL;
	const ProfileBranch *p = profile_branch(w->p, f, label, inserted ? PROFILE_INSERTED : PROFILE_BRANCH);
	if (!p && !inserted)
		p = profile_branch(w->p, f, label, PROFILE_DECISION);
	if (p)
		bs_add(w->told, (int)(p - w->p->branch) - w->first);
	return p;
}

static void add_measured_branch(MeasuredBuild *w, const Block *b)
{
	const Uniformity *u = w->r->u;
	const Ins *term = block_term(b);
	int source = decided_source(w->c->f, term);
	bool claimed = !u->divergent[b->id] && term->flags & INSF_UNI && conditions_differ(u, b);
	MeasuredRow *x = source >= 0 && w->row[source] ? &w->r->row[w->row[source] - 1] : NULL;
	if (x) {
		x->copies++;
		x->claimed |= claimed;
		if (u->divergent[b->id] && !x->divergent)
			x->block = b->id;
		x->divergent |= u->divergent[b->id];
		return;
	}
	x = &w->r->row[w->r->n++];
	*x = (MeasuredRow){ .label = source >= 0 ? w->c->f->source.v[source] : b->label,
		.loc = ins_loc(w->m, term), .block = b->id, .copies = 1,
		.divergent = u->divergent[b->id], .claimed = claimed, .inserted = source < 0 };
	x->run = find_profile_branch(w, b, x->label, x->inserted);
	if (source >= 0)
		w->row[source] = w->r->n;
}

/* Finds the function's branches in the report, whose branches are in order of functions. */
static void find_function_range(MeasuredBuild *w)
{
	const ProfileBranch *p = w->p->branch;
	int first = 0;
	for (int end = w->p->nbranch; first < end;) {
		int middle = first + (end - first) / 2;
		if (strcmp(p[middle].function, w->c->f->name) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	w->first = w->end = first;
	while (w->end < w->p->nbranch && !strcmp(p[w->end].function, w->c->f->name))
		w->end++;
}

/* Adds rows for the branches that the report alone has. */
static void add_removed(MeasuredBuild *w)
{
	for (int k = w->first; k < w->end; k++) {
		const ProfileBranch *p = &w->p->branch[k];
		if (!bs_has(w->told, k - w->first))
			w->r->row[w->r->n++] = (MeasuredRow){ .label = p->label,
				.loc = { *p->file ? p->file : NULL, p->line, 0 }, .block = -1,
				.inserted = p->kind == PROFILE_INSERTED, .run = p };
	}
}

static MeasuredKind measured_kind(const MeasuredRow *x, const Profile *p)
{
	if (x->block < 0)
		return x->inserted ? MEASURED_INSERTED : MEASURED_REMOVED;
	if (!x->run)
		return MEASURED_NONE;
	if (!x->run->executed)
		return MEASURED_UNEXECUTED;
	if (x->divergent)
		return x->run->divergent ? MEASURED_AGREES : x->run->lanes <= x->run->executed
			? MEASURED_ALONE : MEASURED_NEVER;
	if (!x->run->divergent)
		return MEASURED_AGREES;
	return p->other_code ? MEASURED_ELSEWHERE : x->claimed ? MEASURED_CLAIM : MEASURED_FAULT;
}

Measured *measured_build(Arena *a, const Module *m, const Cfg *c, const Uniformity *u, const Profile *p)
{
	Measured *r = arena_new(a, Measured);
	Arena tmp = { 0 };
	MeasuredBuild w = { .m = m, .c = c, .p = p, .r = r,
		.row = arena_array(&tmp, int, c->f->source.n + 1) };
	find_function_range(&w);
	w.told = bs_new(&tmp, w.end - w.first + 1);
	r->anywhere = measured_anywhere(m, p->model, &r->perhaps);
	r->wide = p->warp_size > PTX_WARP && has_kind(m, K_SHFL, K_ELECT);
	UniformityOptions o = { .warp_size = p->warp_size, .anywhere = r->anywhere };
	bool same = u->options.warp_size == o.warp_size && u->options.anywhere == o.anywhere;
	r->u = same ? u : uniformity_build_for(a, c, o);
	r->row = arena_array(a, MeasuredRow, c->n + w.end - w.first + 1);
	for (int b = 0; b < c->n; b++)
		if (bs_has(c->reach, b) && c->f->block.v[b]->nsucc > 1)
			add_measured_branch(&w, c->f->block.v[b]);
	add_removed(&w);
	for (int k = 0; k < r->n; k++) {
		MeasuredRow *x = &r->row[k];
		x->kind = measured_kind(x, p);
		r->tally.rows[x->kind]++;
		r->tally.executed[x->kind] += x->run ? x->run->executed : 0;
	}
	arena_free(&tmp);
	return r;
}

/* ---- as text ---- */

static const struct { const char *mark, *one, *many; } words[MEASURED_KINDS] = {
	[MEASURED_AGREES] = { "agree", "agrees", "agree" },
	[MEASURED_NEVER] = { "divergent by analysis, never was", "divergent by analysis never was",
		"divergent by analysis never were" },
	[MEASURED_ALONE] = { "divergent by analysis, but met single lanes only",
		"divergent by analysis met single lanes only",
		"divergent by analysis met single lanes only" },
	[MEASURED_FAULT] = { "uniform by analysis, DIVERGED: a fault of the analysis",
		"UNIFORM BY ANALYSIS DIVERGED", "UNIFORM BY ANALYSIS DIVERGED" },
	[MEASURED_CLAIM] = { "uniform by .uni, DIVERGED: the source is wrong", "UNIFORM BY .uni DIVERGED",
		"UNIFORM BY .uni DIVERGED" },
	[MEASURED_ELSEWHERE] = { "uniform by analysis, diverged in other code",
		"uniform by analysis diverged in other code", "uniform by analysis diverged in other code" },
	[MEASURED_UNEXECUTED] = { "not executed", "was not executed", "were not executed" },
	[MEASURED_NONE] = { "not in the report", "is not in the report", "are not in the report" },
	[MEASURED_REMOVED] = { "no branch of this module", "in the report is no branch of this module",
		"in the report are no branches of this module" },
	[MEASURED_INSERTED] = { "made by a pass or in lowering", "was made by a pass or in lowering",
		"were made by passes or in lowering" },
};

void measured_add(MeasuredTally *to, const MeasuredTally *from)
{
	for (int k = 0; k < MEASURED_KINDS; k++) {
		to->rows[k] += from->rows[k];
		to->executed[k] += from->executed[k];
	}
}

void measured_sum(const MeasuredTally *t, StrBuf *s)
{
	static const MeasuredKind order[MEASURED_KINDS] =
		{ MEASURED_FAULT, MEASURED_CLAIM, MEASURED_ELSEWHERE, MEASURED_NEVER, MEASURED_ALONE,
		MEASURED_AGREES, MEASURED_UNEXECUTED,
		MEASURED_NONE, MEASURED_REMOVED, MEASURED_INSERTED };
	uint64_t rows = 0, executed = 0;
	for (int k = 0; k < MEASURED_KINDS; k++) {
		rows += t->rows[k];
		executed += t->executed[k];
	}
	sb_printf(s, "%llu branch%s, executed %llu time%s", (unsigned long long)rows, rows == 1 ? "" : "es",
		(unsigned long long)executed, executed == 1 ? "" : "s");
	for (int i = 0, n = 0; i < MEASURED_KINDS; i++) {
		MeasuredKind k = order[i];
		if (!t->rows[k])
			continue;
		sb_printf(s, "%s%llu %s", n++ ? ", " : ": ", (unsigned long long)t->rows[k],
			t->rows[k] == 1 ? words[k].one : words[k].many);
		if (t->executed[k])
			sb_printf(s, " (%llu time%s, %.1f %%)", (unsigned long long)t->executed[k],
				t->executed[k] == 1 ? "" : "s", 100.0 *
				(double)t->executed[k] / (double)executed);
	}
	sb_putc(s, '\n');
}

/* Writes the place as file and line, without folders. */
static void put_short_place(const Loc *loc, char *text, size_t n)
{
	const char *name = loc->file ? strrchr(loc->file, '/') : NULL;
	if (loc->line > 0)
		snprintf(text, n, "%.40s:%d", name ? name + 1 : loc->file ? loc->file : "?", loc->line);
	else
		snprintf(text, n, "-");
}

static void put_label(const MeasuredRow *x, char *text, size_t n)
{
	if (x->copies > 1)
		snprintf(text, n, "%.40s (%d copies)", x->label, x->copies);
	else
		snprintf(text, n, "%.40s%s", x->label, x->inserted ? " (inserted)"
			: x->run && x->run->kind == PROFILE_DECISION ? " (decision)" : "");
}

static void put_branch_figures(const ProfileBranch *p, StrBuf *s)
{
	if (!p) {
		sb_printf(s, " %10s %10s %6s %8s", "-", "-", "-", "-");
		return;
	}
	sb_printf(s, " %10llu %10llu", (unsigned long long)p->executed, (unsigned long long)p->divergent);
	if (p->executed && p->lanes)
		sb_printf(s, " %6.1f %6.1f %%", (double)p->lanes / (double)p->executed,
			100.0 * (double)p->taken / (double)p->lanes);
	else
		sb_printf(s, " %6s %8s", "-", "-");
}

static void put_measured_row(const Measured *r, const MeasuredRow *x, int wide[2], UniWhy *why, StrBuf *s)
{
	char label[64], place[64];
	put_label(x, label, sizeof label);
	put_short_place(&x->loc, place, sizeof place);
	sb_printf(s, "  %-*s  %-*s  %-9s", wide[0], label, wide[1], place,
		x->block < 0 ? "-" : x->divergent ? "divergent" : "uniform");
	put_branch_figures(x->run, s);
	sb_printf(s, "  %s", x->kind == MEASURED_REMOVED && x->run->kind == PROFILE_DECISION
		? "a pass took the branch away" : words[x->kind].mark);
	if (x->kind == MEASURED_NEVER && x->run->executed == 1)
		sb_puts(s, " (executed once)");
	if (x->kind == MEASURED_FAULT && r->perhaps)
		sb_puts(s, ", unless the mechanism's parameters let lanes meet that had parted");
	if (x->divergent) {
		sb_puts(s, "; by ");
		uniformity_why(why, x->block, s);
	}
	sb_putc(s, '\n');
}

static void put_measured_head(const Measured *r, const Profile *p, int wide[2], StrBuf *s)
{
	char text[64];
	wide[0] = (int)strlen("branch");
	wide[1] = (int)strlen("place");
	for (int k = 0; k < r->n; k++)
		for (int i = 0; i < 2; i++) {
			i ? put_short_place(&r->row[k].loc, text, sizeof text)
				: put_label(&r->row[k], text, sizeof text);
			wide[i] = (int)strlen(text) > wide[i] ? (int)strlen(text) : wide[i];
		}
	if (r->anywhere)
		sb_printf(s, "  verdicts for lanes that meet wherever they are at one instruction, as under "
			"%s\n", p->model);
	if (r->wide)
		sb_printf(s, "  verdicts for warps of %d lanes, of which warp-level operations see %d at a "
			"time\n", p->warp_size, PTX_WARP);
	sb_printf(s, "  %-*s  %-*s  %-9s %10s %10s %6s %8s\n", wide[0], "branch", wide[1], "place",
		"analysis", "executed", "divergent", "lanes", "taken");
}

void measured_print(const Cfg *c, const Measured *r, const Profile *p, StrBuf *s)
{
	int wide[2];
	if (r->n)
		put_measured_head(r, p, wide, s);
	UniWhy *why = uniformity_why_open(c, r->u);
	for (int k = 0; k < r->n; k++)
		put_measured_row(r, &r->row[k], wide, why, s);
	uniformity_why_close(why);
	sb_puts(s, "  ");
	measured_sum(&r->tally, s);
}
