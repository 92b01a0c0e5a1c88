/* Runs passes, each over every function or over the whole module. After each pass that has changed something
   the verifier checks the module. */
#include "passes/pass.h"
#include "lib/strbuf.h"
#include "passes/analyses.h"
#include "passes/analysis/limits.h"
#include "passes/fingerprint.h"
#include "passes/pipeline.h"
#include "passes/registers.h"
#include <stdarg.h>

void pass_defaults(const Pass *p, PassValue *v)
{
	must(p->noptions <= PASS_OPTIONS);
	for (int k = 0; k < p->noptions; k++)
		v[k] = (PassValue){ .number = p->options[k].value };
}

static void list_option(StrBuf *out, const PassOption *o)
{
	sb_printf(out, "    %s = ", o->name);
	switch (o->kind) {
	case PASS_NUMBER:
		sb_printf(out, "%lld (%lld to %lld)", (long long)o->value, (long long)o->least,
			(long long)o->most);
		break;
	case PASS_NAME:
		for (int k = 0; o->names[k]; k++)
			sb_printf(out, k == o->value ? "%s[%s]" : "%s%s", k ? "|" : "", o->names[k]);
		break;
	case PASS_STRING: sb_puts(out, "TEXT"); break;
	case PASS_LIST: sb_puts(out, "[A,B,...]"); break;
	}
	sb_printf(out, ": %s\n", o->help);
}

void pass_list(StrBuf *out)
{
	for (int i = 0; pass_at(i); i++) {
		const Pass *p = pass_at(i);
		sb_printf(out, "%-20s %s\n", p->name, p->help);
		for (int k = 0; k < p->noptions; k++)
			list_option(out, &p->options[k]);
	}
}

/* ---- what passes say ---- */

void pass_log_free(PassLog *l)
{
	vec_free(&l->idle);
	vec_free(&l->count);
	arena_free(&l->arena);
}

static void add_count(PassRun *r, const char *what, bool assumed, int64_t n)
{
	PassLog *l = r->log;
	const char *function = r->f ? r->f->name : "";
	if (!l || !n)
		return;
	for (int k = l->count.n; k-- > 0 && l->count.v[k].step == l->step &&
		!strcmp(l->count.v[k].function, function);)
		if (l->count.v[k].assumed == assumed && !strcmp(l->count.v[k].what, what)) {
			l->count.v[k].n += n;
			return;
		}
	vec_push(&l->count, ((PassCount){ l->step, r->pass->name, arena_strdup(&l->arena, function),
		arena_strdup(&l->arena, what), assumed, n }));
}

void pass_count(PassRun *r, const char *what, int64_t n) { add_count(r, what, false, n); }
void pass_assumption(PassRun *r, const char *what, int64_t n) { add_count(r, what, true, n); }

void pass_log_print(const PassLog *l, StrBuf *s)
{
	for (int k = 0; k < l->count.n; k++) {
		const PassCount *c = &l->count.v[k];
		sb_printf(s, "%3d %-20s %-32s %s%-*s %10lld\n", c->step + 1, c->pass,
			c->function[0] ? c->function : "(module)", c->assumed ? "assumed: " : "",
			c->assumed ? 23 : 32, c->what, (long long)c->n);
	}
}

/* ---- changes, counted ---- */

static PassLimit *limit_of_run(const PassRun *r) { return r->log ? r->log->limit : NULL; }

/* Have all changes been made that may be made? */
static bool is_used_up(const PassLog *l) { return l && l->limit && l->limit->change.n >= l->limit->most; }

static void note_change(const PassRun *r, Loc loc, const char *what)
{
	PassLog *l = r->log;
	const char *file = loc.file && loc.line ? arena_strdup(&l->arena, loc.file) : NULL;
	vec_push(&l->limit->change, ((PassChange){ l->step, r->pass->name,
		arena_strdup(&l->arena, r->f ? r->f->name : ""), what, { file, loc.line, loc.col } }));
}

bool pass_may_change(PassRun *r, Loc loc, const char *fmt, ...)
{
	PassLimit *l = limit_of_run(r);
	if (!l || is_used_up(r->log))
		return !l;
	va_list ap;
	va_start(ap, fmt);
	StrBuf text = { 0 };
	sb_vprintf(&text, fmt, ap);
	va_end(ap);
	note_change(r, loc, arena_strdup(&r->log->arena, text.s ? text.s : ""));
	sb_free(&text);
	return true;
}

/* The pass has run, on a function or on the module, and there were `before` changes before. */
static void note_whole(const PassRun *r, bool changed, int before)
{
	PassLimit *l = limit_of_run(r);
	if (l && changed && l->change.n == before)
		note_change(r, r->f ? r->f->loc : (Loc){ 0 }, r->f ? "the function as a whole"
			: "the module as a whole");
}

static int count_changes(const PassRun *r) { return limit_of_run(r) ? limit_of_run(r)->change.n : 0; }

void pass_change_print(const PassChange *c, StrBuf *s)
{
	sb_printf(s, "%s: ", c->pass);
	if (*c->function)
		sb_printf(s, "%s: ", c->function);
	if (c->place.file)
		sb_printf(s, "%s:%d: ", c->place.file, c->place.line);
	sb_puts(s, c->what);
}

void pass_log_changes(const PassLog *l, StrBuf *s)
{
	const PassLimit *x = l->limit;
	for (int k = 0; k < x->change.n && l->remarks; k++) {
		sb_printf(s, "change %d: ", k + 1);
		pass_change_print(&x->change.v[k], s);
		sb_putc(s, '\n');
	}
	sb_printf(s, "bisect: %d change%s of passes, ", x->change.n, x->change.n == 1 ? "" : "s");
	sb_puts(s, x->change.n < x->most ? "all that there are" : "and no more");
	if (x->change.n)
		sb_puts(s, "; the last: ");
	if (x->change.n)
		pass_change_print(&vec_last(&x->change), s);
	sb_putc(s, '\n');
}

bool pass_explains(const PassRun *r) { return r->show || (r->log && r->log->remarks); }

void pass_remark(PassRun *r, Loc loc, const char *fmt, ...)
{
	bool first = r->log && !r->log->first;
	if (!pass_explains(r) && !first)
		return;
	va_list ap;
	va_start(ap, fmt);
	StrBuf text = { 0 };
	sb_vprintf(&text, fmt, ap);
	va_end(ap);
	if (first)
		r->log->first = arena_printf(&r->log->arena, "%s%s%s", r->f ? r->f->name : "",
			r->f ? ": " : "", text.s);
	if (r->show)
		sb_printf(r->show, "  %s\n", text.s);
	if (r->log && r->log->remarks)
		diag_remark(r->diag, loc, "%s%s%s: %s", r->pass->name, r->f ? ": " : "",
			r->f ? r->f->name : "", text.s);
	sb_free(&text);
}

/* ---- running ---- */

/* Runs the pass on one function and returns whether it changed anything. Stops gsim when the pass has changed
   something and says that it has not, or has changed the graph without a new graph stamp: analyses would be
   stale, and nobody would know. */
static bool run_function(const PassRun *given)
{
	PassValue values[PASS_OPTIONS];
	PassRun run = *given, *r = &run;
	const Function *f = r->f;
	if (r->pass->keeps_registers && !registers_allow(r, values))
		return false;
	bool tells = pass_explains(r) && !r->pass->keeps_registers;
	int64_t words = tells ? limits_words(r->f) : 0;
	Fingerprint before = fingerprint(f);
	uint64_t code = f->code_stamp, graph = f->graph_stamp;
	bool changed = r->pass->function(r);
	Fingerprint after = fingerprint(f);
	bool moved = before.code != after.code || before.graph != after.graph;
	if (moved && !changed)
		bug(arena_printf(&r->m->arena, "the pass %s has changed something and says that it has not",
			r->pass->name));
	if (moved && code == f->code_stamp)
		bug(arena_printf(&r->m->arena, "the pass %s has changed code behind the back of isa/edit",
			r->pass->name));
	if (before.graph != after.graph && (graph == f->graph_stamp || r->pass->keeps_graph))
		bug(arena_printf(&r->m->arena, "the pass %s has changed blocks or edges, and says that it "
			"keeps them (.keeps_graph), or has not done so by isa/edit", r->pass->name));
	if (moved && tells)
		registers_tell(r, words);
	return moved;              /* a pass that reports a change may have undone it */
}

static bool apply_pass(PassRun *r)
{
	if (r->pass->module)
		return r->pass->module(r);
	Analyses *an = r->an = analyses_open(r->m, r->f, NULL, r->cost, r->limits);
	bool changed = run_function(r);
	analyses_close(an);
	return changed;
}

bool pass_apply(const Pass *p, Module *m, Function *f, const PassValue *option, Diag *d)
{
	PassValue values[PASS_OPTIONS];
	pass_defaults(p, values);
	return apply_pass(&(PassRun){ .m = m, .f = f, .option = option ? option : values,
		.origin = (uint8_t)module_origin(m, p->name), .diag = d, .pass = p });
}

static bool wanted_function(const Function *f, const char *only)
{
	return f->kind != FN_HOST && !f->declared_only && f->block.n && (!only || !strcmp(only, f->name));
}

/* A run of a pipeline. of[i]: the analyses of function i, which live from pass to pass; NULL: not opened
   yet. */
typedef struct Runner {
	Module *m;
	const PassHost *host;
	Diag *diag;
	Analyses **of;
	int n;
	EffectCache effects;
} Runner;

/* Is `label` the label `has`, or one that a pass makes of `has`, as B6_use of B6? */
static bool label_comes_from(const char *has, const char *label)
{
	size_t n = strlen(has);
	return !strncmp(has, label, n) && (!label[n] || label[n] == '_');
}

bool pass_knows_label(const Function *f, const char *label)
{
	for (int b = 0; b < f->block.n; b++)
		if (label_comes_from(f->block.v[b]->label, label))
			return true;
	for (int k = 0; k < f->source.n; k++)
		if (label_comes_from(f->source.v[k], label))
			return true;
	return false;
}

/* Does a loop begin at the block with this label, in one function at least? True, too, when no function has
   such a block any more. */
static bool begins_loop(const Module *m, const char *label)
{
	Arena a = { 0 };
	bool found = false, begins = false;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; wanted_function(m->func.v[f], NULL) && b < m->func.v[f]->block.n && !begins;
			b++) {
			if (strcmp(m->func.v[f]->block.v[b]->label, label))
				continue;
			function_number(m->func.v[f]);
			const Loops *loops = loops_build(&a, cfg_build(&a, m->func.v[f]));
			found = true;
			for (int k = 0; k < loops->n; k++)
				begins |= loops->loop[k].header == b;
		}
	arena_free(&a);
	return begins || !found;
}

/* Reports an error and returns false when an option of the step names a label that no function has, or a
   block at which no loop begins although the option asks for one. A pipeline cannot say which function a
   label belongs to, so any will do. */
static bool check_labels(const Module *m, const Step *s, const char *option, Diag *d)
{
	for (int k = 0; k < s->pass->noptions; k++)
		for (int i = 0; s->pass->options[k].labels && i < s->option[k].n; i++) {
			bool found = false;
			for (int f = 0; f < m->func.n && !found; f++)
				found = wanted_function(m->func.v[f], NULL) &&
					pass_knows_label(m->func.v[f], s->option[k].list[i]);
			bool loop = !found || !s->pass->options[k].loops ||
				begins_loop(m, s->option[k].list[i]);
			if (found && loop)
				continue;
			diag_error(d, (Loc){ option ? option : "--passes", 1, s->option[k].col },
				"%s: %s: %s `%s`", s->pass->name, s->pass->options[k].name,
				found ? "no loop begins at the block"
				: "no kernel or device function has a block", s->option[k].list[i]);
			return false;
		}
	return true;
}

static bool run_step(Runner *w, const Step *s, bool *changed)
{
	Module *m = w->m;
	Diag *d = w->diag;
	int before = d->errors;
	PassRun r = { .m = m, .option = s->option, .cost = w->host->cost, .limits = w->host->limits,
		.profile = w->host->profile, .origin = (uint8_t)module_origin(m, s->pass->name),
		.diag = d, .log = w->host->log, .pass = s->pass };
	*changed = false;
	if (!check_labels(m, s, NULL, d))
		return false;
	effect_cache_clear(&w->effects);
	if (s->pass->module && w->host->only)
		diag_warning(d, (Loc){ 0 }, "%s looks at the whole module: it does not run, since passes are "
			"to take %s alone", s->pass->name, w->host->only);
	else if (s->pass->module && !is_used_up(r.log)) {
		int known = count_changes(&r);
		*changed = s->pass->module(&r);
		note_whole(&r, *changed, known);
	}
	for (int i = 0; i < w->n && s->pass->function; i++) {
		if (!wanted_function(m->func.v[i], w->host->only) || is_used_up(r.log))
			continue;
		if (!w->of[i])
			w->of[i] = analyses_open(m, m->func.v[i], &w->effects, w->host->cost,
				w->host->limits);
		r.f = m->func.v[i];
		r.an = w->of[i];
		int known = count_changes(&r);
		bool moved = run_function(&r);
		note_whole(&r, moved, known);
		*changed |= moved;
	}
	if (d->errors > before)
		return false;
	if (!*changed || ir_verify(m, d))
		return true;
	diag_error(d, (Loc){ 0 }, "the module breaks the rules above after the pass %s, which is a bug in it",
		s->pass->name);
	return false;
}

/* Drops the analyses of all functions and makes room for those of the functions that there are now: a module
   pass may have added and removed some. */
static void open_functions(Runner *w)
{
	for (int i = 0; i < w->n; i++)
		if (w->of[i])
			analyses_close(w->of[i]);
	free(w->of);
	w->n = w->m->func.n;
	w->of = xcalloc((size_t)w->n + 1, sizeof *w->of);
}

bool pipeline_run(Module *m, const char *text, const PassHost *host, Diag *d)
{
	static const PassHost none;
	Pipeline p = { 0 };
	Runner w = { .m = m, .host = host ? host : &none, .diag = d };
	bool ok = pipeline_parse(&p, text, d);
	open_functions(&w);
	for (int i = 0; i < p.step.n && ok; i++) {
		bool changed;
		const Pass *pass = p.step.v[i].pass;
		if (w.host->log) {
			w.host->log->step = i;
			w.host->log->first = NULL;
		}
		const char *idle = is_used_up(w.host->log) ? "changes are limited, and all are made"
			: pass->idle;
		ok = run_step(&w, &p.step.v[i], &changed);
		if (w.host->log && !changed)
			vec_push(&w.host->log->idle, ((PassIdle){ i, pass->name,
				w.host->log->first ? w.host->log->first : idle }));
		if (pass->module && changed)
			open_functions(&w);
		if (w.host->after)
			w.host->after(w.host->self, m, pass->name, changed);
	}
	w.m = &(Module){ 0 };
	open_functions(&w);
	free(w.of);
	effect_cache_clear(&w.effects);
	pipeline_free(&p);
	return ok;
}

/* ---- showing ---- */

static bool one_that_shows(Pipeline *p, const char *text, const char *option, Diag *d)
{
	p->option = option;
	if (!pipeline_parse(p, text, d))
		return false;
	if (p->step.n == 1 && p->step.v[0].pass->shows)
		return true;
	if (p->step.n == 1)
		diag_error(d, (Loc){ option, 1, 1 }, "%s does not show what it does; those that do are in "
			"the list of gsim-opt --list", p->step.v[0].pass->name);
	else
		diag_error(d, (Loc){ option, 1, 1 }, "expected one pass; those that go before it are for "
			"--passes");
	return false;
}

bool pass_show_check(const char *text, const char *option, Diag *d)
{
	Pipeline p = { 0 };
	bool ok = one_that_shows(&p, text, option, d);
	pipeline_free(&p);
	return ok;
}

bool pass_show(Module *m, const char *text, const char *option, const PassHost *host, StrBuf *out, Diag *d)
{
	Pipeline p = { 0 };
	bool ok = one_that_shows(&p, text, option, d) && check_labels(m, &p.step.v[0], option, d);
	for (int k = 0; ok && k < m->func.n; k++) {
		const Step *s = &p.step.v[0];
		Function *f = m->func.v[k];
		if (!wanted_function(f, host->only))
			continue;
		PassRun r = { .m = m, .f = f, .option = s->option, .cost = host->cost, .limits = host->limits,
			.profile = host->profile, .diag = d, .log = host->log, .show = out,
			.origin = (uint8_t)module_origin(m, s->pass->name), .pass = s->pass };
		sb_printf(out, "%s of %s:\n", s->pass->name, f->name);
		r.an = analyses_open(m, f, NULL, r.cost, r.limits);
		if (!run_function(&r))
			sb_puts(out, "  nothing changes\n");
		analyses_close(r.an);
	}
	pipeline_free(&p);
	return ok && (d->errors || ir_verify(m, d));
}
