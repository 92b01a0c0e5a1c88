/* Where in the source the instructions stand that passes make one of: nothing of the source is lost, and
   threads execute what they did. */
#include "tests/random/properties_case.h"
#include "isa/launch.h"
#include "lib/strbuf.h"
#include "passes/analyses.h"
#include "tests/random.h"
#include "tests/random/random_pipeline.h"

/* ---- places ---- */

/* An instruction may have been executed at the place: it stands there itself, or one that has been melded
   with it. Jumps and branches are the layout's affair. */
static bool at_place(const Module *m, const Ins *i, const Ins *old)
{
	bool here = i->file == old->file && i->line == old->line && i->col == old->col;
	for (int k = i->melded; k && !here; k = m->place.v[k].next)
		here = m->place.v[k].file == old->file && m->place.v[k].line == old->line &&
			m->place.v[k].col == old->col;
	return here;
}

typedef struct Stand { char key[24]; int n; } Stand;
/* by place: how many instructions stand there */
typedef struct Stands { StrMap index; Vec(Stand) list; } Stands;

static void stands_free(Stands *s)
{
	strmap_free(&s->index);
	vec_free(&s->list);
}

static void count_place(Stands *s, Arena *a, int file, int line, int col)
{
	Stand x = { .n = 1 };
	snprintf(x.key, sizeof x.key, "%d:%d:%d", file, line, col);
	int k = strmap_get(&s->index, x.key);
	if (k >= 0) {
		s->list.v[k].n++;
		return;
	}
	strmap_put(&s->index, arena_strdup(a, x.key), s->list.n);
	vec_push(&s->list, x);
}

/* Of what the source has, and of what threads may come to; branches: instead of all else. */
static void count_places(const Module *m, Function *f, bool branches, Stands *s, Arena *a)
{
	function_number(f);
	const Cfg *c = f->block.n ? cfg_build(a, f) : NULL;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n && bs_has(c->reach, b); k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i->origin || (i->op == OP_BRA) != branches || (branches && !i->nsrc))
				continue;
			count_place(s, a, i->file, i->line, i->col);
			for (int p = i->melded; p; p = m->place.v[p].next)
				count_place(s, a, m->place.v[p].file, m->place.v[p].line, m->place.v[p].col);
		}
}

static int standing(const Stands *s, const char *key)
{
	int k = strmap_get(&s->index, key);
	return k < 0 ? 0 : s->list.v[k].n;
}

/* These passes copy nothing: where one instruction stood, one stands, be it melded. Of several at a place,
   one may stand for two. */
static void same_places(Case *c, Module *m, const char *pipeline)
{
	for (int f = 0; f < c->k->module->func.n; f++) {
		Arena a = { 0 };
		Stands before = { 0 }, after = { 0 };
		count_places(c->k->module, c->k->module->func.v[f], false, &before, &a);
		count_places(m, m->func.v[f], false, &after, &a);
		for (int k = 0; k < before.list.n; k++) {
			const Stand *x = &before.list.v[k];
			int n = standing(&after, x->key);
			if (x->n == 1 ? n != 1 : n < 1 || n > x->n)
				FAIL(c, "%s: %d instructions of %s stand at %s, %d before", pipeline, n,
					m->func.v[f]->name, x->key, x->n);
		}
		for (int k = 0; k < after.list.n; k++)
			if (!standing(&before, after.list.v[k].key))
				FAIL(c, "%s: an instruction of %s stands at %s, where none stood", pipeline,
					m->func.v[f]->name, after.list.v[k].key);
		stands_free(&before);
		stands_free(&after);
		arena_free(&a);
	}
}

/* ---- branches ---- */

/* The source's block decides somewhere by a value, or as another branch does. */
static bool decides(const Function *f, const char *label)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			for (int x = f->block.v[b]->ins.v[k].mark; x; x = f->mark.v[x].next)
				if (f->mark.v[x].kind == MARK_DECIDES &&
					f->mark.v[x].value.kind != OPD_NONE &&
					!strcmp(f->source.v[f->mark.v[x].source], label))
					return true;
	return false;
}

/* A branch that is no more has become a jump, since both its arms are one now: its block decides by its
   condition. */
static void same_branches(Case *c, Module *m, const char *pipeline)
{
	for (int f = 0; f < c->k->module->func.n; f++) {
		Function *old = c->k->module->func.v[f], *new = m->func.v[f];
		Arena a = { 0 };
		Stands after = { 0 };
		function_number(old);
		const Cfg *g = old->block.n ? cfg_build(&a, old) : NULL;
		count_places(m, new, true, &after, &a);
		for (int b = 0; b < old->block.n; b++) {
			const Ins *i = block_term(old->block.v[b]);
			char key[24];
			snprintf(key, sizeof key, "%d:%d:%d", i->file, i->line, i->col);
			if (i->op == OP_BRA && i->nsrc && bs_has(g->reach, b) && !standing(&after, key) &&
				!decides(new, old->block.v[b]->label))
				FAIL(c, "%s: the branch of %s at %s is gone, and nothing decides what it did",
					pipeline, old->block.v[b]->label, key);
		}
		stands_free(&after);
		arena_free(&a);
	}
}

/* ---- threads ---- */

/* of a thread: what it executed; at: as far as it has been found again */
typedef struct Steps { const Ins **v; int n, cap, at; } Steps;
typedef struct Threads { const Module *m; Vec(Steps) list; } Threads;

static Steps *steps_of(Threads *t, uint32_t thread)
{
	while ((uint32_t)t->list.n <= thread)
		vec_push(&t->list, (Steps){ 0 });
	return &t->list.v[thread];
}

static void note(void *self, uint32_t thread, const Function *f, const Ins *i)
{
	Steps *s = steps_of(self, thread);
	(void)f;
	if (i->op != OP_BRA)
		vec_push(s, i);
}

static void follow(void *self, uint32_t thread, const Function *f, const Ins *i)
{
	Threads *t = self;
	Steps *s = steps_of(t, thread);
	(void)f;
	if (i->op != OP_BRA && !i->origin && s->at < s->n && at_place(t->m, i, s->v[s->at]))
		s->at++;
}

static bool watched(const Case *c, const Module *m,
	void (*watch)(void *, uint32_t, const Function *, const Ins *), Threads *t)
{
	Outcome o = { 0 };
	Job job = { c->k, m, { c->k->grid[0], c->k->grid[1], c->k->grid[2] } };
	outcome_watched(&job, 32, watch, t, &o);
	bool ok = o.how == RAN_WELL;
	outcome_free(&o);
	return ok;
}

/* What a thread executed it executes now, in that order, at instructions that stand there; besides, what is
   inserted and what all threads may execute. */
static void same_steps(Case *c, const Module *m, const char *pipeline)
{
	Threads t = { .m = m };
	if (!watched(c, c->k->module, note, &t) || !watched(c, m, follow, &t))
		FAIL(c, "%s: the interpreter cannot run it", pipeline);
	for (int k = 0; k < t.list.n; k++) {
		Steps *s = &t.list.v[k];
		if (s->at < s->n)
			FAIL(c, "%s: thread %d does not execute step %d, %s at %d:%d:%d, where it did",
				pipeline, k, s->at, op_info[s->v[s->at]->op].name, s->v[s->at]->file,
				s->v[s->at]->line, s->v[s->at]->col);
		vec_free(s);
	}
	vec_free(&t.list);
	c->extra += 2;
}

/* ---- the property ---- */

static void same_text(Case *c, const Module *m, const char *pipeline)
{
	StrBuf s = { 0 };
	Diag d = { 0 };
	ir_print(m, &s);
	Module *again = ir_read(s.s, s.n, "printed.ir", &d);
	if (!again || !module_equal(m, again) || !module_equal(again, m))
		FAIL(c, "%s: the text reads as another module", pipeline);
	module_free(again);
	diag_free(&d);
	sb_free(&s);
}

void places(Case *c)
{
	static const char *const merging[] = { "meld", "meld", "branch-fusion", "tail-merge", NULL };
	enum { PIPELINES = 3 };
	uint64_t rng = c->seed * 8191 + 7;
	for (int k = 0; k < PIPELINES; k++) {
		char why[1700];
		StrBuf s = { 0 };
		for (int p = 0; p <= k; p++) {
			sb_puts(&s, p ? "," : "");
			random_pass(merging, &rng, &s);
		}
		Module *m = transformed(c->k->module, s.s, why, sizeof why);
		if (m) {
			same_places(c, m, s.s);
			same_branches(c, m, s.s);
			same_steps(c, m, s.s);
			same_text(c, m, s.s);
			module_free(m);
		} else {
			FAIL(c, "%s", why);
		}
		sb_free(&s);
	}
}
