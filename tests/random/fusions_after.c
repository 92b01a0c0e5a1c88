/* A random host program after passes of fusion. Which launches have become one is read off the names of fused
   kernels. */
#include "tests/random/fusions_own.h"
#include "tests/random/random_pipeline.h"
#include "passes/pipeline.h"
#include <ctype.h>

static const char *const passes_of_fusion[] = { "kf-trad", "bkf", "fkf", "kfcm" };

/* ---- pipelines ---- */

typedef struct Variant {
	FusionVariant kind;
	StrBuf passes;
	bool no_grid_sync, alone;      /* alone: one pass and nothing else */
} Variant;

static bool chance(uint64_t *rng, int percent) { return (int)fusion_random(rng, 100) < percent; }

static void add_option(Variant *v, const char *text)
{
	if (v->passes.s[v->passes.n - 1] == ')')
		v->passes.s[v->passes.n - 1] = ',';
	else
		sb_puts(&v->passes, "(");
	sb_puts(&v->passes, text);
	sb_puts(&v->passes, ")");
}

/* Random passes. What they are not to assume: programs pass one buffer twice, and launches depend on each
   other. */
static void others(StrBuf *to, uint64_t *rng)
{
	StrBuf s = { 0 };
	do {
		sb_free(&s);
		s = (StrBuf){ 0 };
		random_pipeline(fusion_random(rng, 1u << 30), NULL, NULL, &s);
	} while (strstr(s.s, "assume-restrict=1") || strstr(s.s, "assume-no-grid-sync=1"));
	sb_puts(to, s.s);
	sb_free(&s);
}

static Variant variant(FusionVariant kind, uint64_t *rng)
{
	Variant v = { .kind = kind, .alone = true };
	bool among = kind == FUSION_AMONG;
	if (among && chance(rng, 50)) {
		others(&v.passes, rng);
		sb_puts(&v.passes, ",");
	}
	sb_puts(&v.passes, passes_of_fusion[kind < FUSION_OPTIONS ? (int)kind : (int)fusion_random(rng, 4)]);
	if (kind == FUSION_NO_GRID_SYNC) {
		v.no_grid_sync = true;
		add_option(&v, "assume-no-grid-sync=1");
	}
	if (kind >= FUSION_OPTIONS && chance(rng, 50))
		add_option(&v, "assume-no-wrap=1");
	if (kind >= FUSION_OPTIONS && chance(rng, 50))
		add_option(&v, "same-kernel=1");
	if (kind != FUSION_NO_GRID_SYNC && kind >= FUSION_OPTIONS && chance(rng, 50))
		add_option(&v, "grid-barrier=1");
	if (among) {
		v.alone = false;
		sb_puts(&v.passes, ",");
		others(&v.passes, rng);
	}
	return v;
}

/* ---- what has become of the launches ---- */

/* launches of the program as it is that one launch stands for */
typedef struct Group { int first, n; } Group;

/* The next k0, k1, ... of a name that consists of these and other words with `_` between them; NULL. */
static const char *next_kernel(const char *name, const char *at, size_t *n)
{
	for (; *at; at++) {
		if (at[0] != 'k' || !isdigit((unsigned char)at[1]) || (at > name && at[-1] != '_'))
			continue;
		*n = 1 + strspn(at + 1, "0123456789");
		return at;
	}
	return NULL;
}

/* Launch l stands for the noted launches from first on, in their order. */
static Group group_of(Trial *t, const LaunchStats *l, int first, const char *after)
{
	Group g = { first, 0 };
	size_t n;
	for (const char *at = next_kernel(l->kernel, l->kernel, &n); at;
		at = next_kernel(l->kernel, at + n, &n), g.n++) {
		const NotedLaunch *x = first + g.n < t->noted.launch.n ? &t->noted.launch.v[first + g.n]
			: NULL;
		if (!x || strncmp(x->kernel, at, n) || x->kernel[n])
			FAIL(t, "%s: %s is launched where launch %d was of %s", after, l->kernel, first + g.n,
				x ? x->kernel : "nothing");
		else if (!fusion_same_configuration(l, x))
			FAIL(t, "%s: %s has another configuration than launch %d of %s", after, l->kernel,
				first + g.n, x->kernel);
		if (t->failed)
			return g;
	}
	if (!g.n)
		FAIL(t, "%s: %s is launched, which the program does not have", after, l->kernel);
	return g;
}

static bool has(const Module *m, const char *kernel, const char *op)
{
	const Function *f = module_find_function(m, kernel);
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (!strncmp(op_info[f->block.v[b]->ins.v[k].op].name, op, strlen(op)))
				return true;
	return false;
}

static int accesses(const Module *m, const char *kernel)
{
	const Function *f = module_find_function(m, kernel);
	int n = 0;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			int kind = op_info[i->op].kind;
			n += (kind == K_LD || kind == K_ST || kind == K_ATOM) && i->space == SP_GLOBAL;
		}
	return n;
}

/* Has the fused kernel every access that its bodies had? Else one that is for nobody has gone, and then a
   kernel may be fused where its launches, as they were, conflict. */
static bool is_whole(const Trial *t, const Module *m, const LaunchStats *l, Group g)
{
	int n = 0;
	for (int i = g.first; i < g.first + g.n; i++)
		n += accesses(t->plain, t->noted.launch.v[i].kernel);
	return accesses(m, l->kernel) == n;
}

/* Of two of the launches that one launch stands for. raced: one before it conflicts, so what memory holds is
   not what the notes have, and kernels store by what they read. */
static void check_group(Trial *t, const Module *m, const LaunchStats *l, Group g, const Variant *v,
	bool raced)
{
	struct FusionWayTally *y = &t->tally->by[v->kind];
	bool grid = false, race = false, own = false, whole = v->alone && is_whole(t, m, l, g),
		barrier = has(m, l->kernel, "barrier.grid");
	y->fused++;
	y->barriers += barrier;
	for (int i = g.first; i < g.first + g.n; i++)
		for (int j = i + 1; j < g.first + g.n; j++) {
			FusionConflict c = fusion_conflict(&t->noted, i, j);
			grid |= c.grid;
			race |= c.race;
			if (c.grid && !v->no_grid_sync && !barrier && (whole || (v->alone && g.n == 2)))
				FAIL(t, "%s: %s does what launches %d of %s and %d of %s did, which conflict "
					"between blocks at 0x%llx", v->passes.s, l->kernel, i,
					t->noted.launch.v[i].kernel, j, t->noted.launch.v[j].kernel,
					(unsigned long long)c.addr);
			if (c.block && whole && !barrier && !has(m, l->kernel, "bar"))
				FAIL(t, "%s: %s has no barrier, though launches %d and %d conflict between "
					"threads of a block", v->passes.s, l->kernel, i, j);
		}
	y->conflicts += grid;
	for (int i = g.first; i < g.first + g.n; i++)
		own |= t->noted.launch.v[i].race;
	y->races += l->tables.races.n > 0 && !own;
	bool inexact = whole && !barrier && !raced && (l->tables.races.n > 0) != (race || own);
	/* other passes may load what nobody needs */
	if (inexact || (v->alone && l->tables.races.n > 0 && !own && !barrier && !v->no_grid_sync))
		FAIL(t, "%s: --race-check finds %d races in %s, the notes of launches %d to %d %s",
			v->passes.s, l->tables.races.n, l->kernel, g.first, g.first + g.n - 1,
			race || own ? "some" : "none");
	y->whole += whole;
	y->missed += v->no_grid_sync && race && !l->tables.races.n;
}

static void check_launches(Trial *t, const Module *m, const Run *r, const Variant *v)
{
	struct FusionWayTally *y = &t->tally->by[v->kind];
	uint64_t conflicts = y->conflicts;
	int at = 0;
	for (int k = 0; k < r->launch.n && !t->failed; k++) {
		Group g = group_of(t, r->launch.v[k], at, v->passes.s);
		if (t->failed && (t->noted.racy || (y->conflicts > conflicts && v->no_grid_sync))) {
			t->failed = false; /* the host has read what is not the only result, or none */
			return;
		}
		if (!t->failed && g.n > 1)
			check_group(t, m, r->launch.v[k], g, v, v->no_grid_sync && y->conflicts > conflicts);
		at += g.n;
	}
	if (!t->failed && at != t->noted.launch.n && !t->noted.racy &&
		(!v->no_grid_sync || y->conflicts == conflicts))
		FAIL(t, "%s: the launches stand for %d, expected %d", v->passes.s, at, t->noted.launch.n);
	y->executed += (uint64_t)r->launch.n;
	y->before += (uint64_t)t->noted.launch.n;
}

/* ---- what passes say ---- */

static void count_log(Trial *t, const PassLog *log, const Diag *d, const Variant *v)
{
	char text[200];
	for (int k = 0; k < log->count.n; k++) {
		const PassCount *c = &log->count.v[k];
		snprintf(text, sizeof text, "%s: %s%s", c->pass, c->assumed ? "assumed: " : "", c->what);
		if (v->kind != FUSION_AMONG)
			fusion_count(t->tally, text, (uint64_t)c->n);
	}
	for (int k = 0; k < d->item.n && v->alone; k++)
		if (d->item.v[k].remark)
			fusion_count_remark(t->tally, v->no_grid_sync ? "no-grid-sync"
				: v->kind < FUSION_OPTIONS ? passes_of_fusion[v->kind] : "options",
				d->item.v[k].text);
}

/* ---- one pipeline ---- */

/* A copy of the module after it, and its text. NULL: it fails. */
static Module *transform(Trial *t, const Module *m, const Variant *v, bool counted, StrBuf *text)
{
	Module *copy = module_copy(m);
	Diag d = { 0 };
	PassLog log = { .remarks = counted };
	PassHost host = { .log = &log };
	bool ok = pipeline_run(copy, v->passes.s, &host, &d);
	if (!ok)
		FAIL(t, "%s: %s", v->passes.s, diag_first(&d) ? diag_first(&d) : "the pipeline fails");
	if (ok && counted)
		count_log(t, &log, &d, v);
	if (ok)
		ir_print(copy, text);
	else
		module_free(copy);
	pass_log_free(&log);
	diag_free(&d);
	return ok ? copy : NULL;
}

/* The same again, from the same module and from what came of it. */
static void check_again(Trial *t, const Module *m, const Module *made, const Variant *v, const StrBuf *text)
{
	StrBuf again = { 0 };
	Diag d = { 0 };
	Module *x = transform(t, m, v, false, &again);
	if (x && strcmp(text->s, again.s))
		FAIL(t, "%s: a second run on the same module makes another text", v->passes.s);
	if (x)
		module_free(x);
	sb_free(&again);
	x = v->alone ? transform(t, made, v, false, &again) : NULL;
	if (x && strcmp(text->s, again.s))
		FAIL(t, "%s: a run on what it has made changes it", v->passes.s);
	if (x)
		module_free(x);
	x = ir_read(text->s, text->n, "random.ir", &d);
	if (!x || !ir_verify(x, &d))
		FAIL(t, "%s: the text does not read back: line %d: %s", v->passes.s, d.item.v[0].loc.line,
			d.item.v[0].text);
	if (x)
		module_free(x);
	diag_free(&d);
	sb_free(&again);
}

static void check_runs(Trial *t, const Module *m, const Variant *v)
{
	uint64_t conflicts = t->tally->by[v->kind].conflicts;
	for (int way = 0; way < FUSION_WAYS && !t->failed; way++) {
		Run *r = fusion_execute(t, m, way, !way, v->passes.s);
		if (!t->failed && !way)
			check_launches(t, m, r, v);
		if (!t->failed && !t->noted.racy && (!v->no_grid_sync ||
			conflicts == t->tally->by[v->kind].conflicts))
			fusion_same_memory(t, r, way, v->passes.s);
		run_free(r);
	}
}

static bool has_fused(const Module *m)
{
	for (int k = 0; k < m->func.n; k++)
		if (!strncmp(m->func.v[k]->name, "fused_", 6))
			return true;
	return false;
}

static void try(Trial *t, const Module *m, const Variant *v)
{
	StrBuf text = { 0 };
	struct FusionWayTally *y = &t->tally->by[v->kind];
	Module *made = transform(t, m, v, true, &text);
	y->programs++;
	if (made) {
		bool fused = has_fused(made);
		y->changed += fused;
		check_again(t, m, made, v, &text);
		if (fused || v->kind == FUSION_AMONG)
			check_runs(t, made, v);
		else
			y->executed += (uint64_t)t->noted.launch.n, y->before += (uint64_t)t->noted.launch.n;
		module_free(made);
	}
	sb_free(&text);
}

void fusions_after(Trial *t, const Module *m)
{
	uint64_t rng = t->p.seed * 0xd1342543de82ef95u + 1;
	for (int k = 0; k < FUSION_VARIANTS && !t->failed; k++) {
		Variant v = variant((FusionVariant)k, &rng);
		try(t, m, &v);
		sb_free(&v.passes);
	}
}
