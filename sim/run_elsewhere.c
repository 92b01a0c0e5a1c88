/* Under which mechanisms would it pass? Measured: the module and its host side run again, functionally, under every other
 * mechanism of the list, with every named choice of each mechanism's parameters and with those numbers under which it keeps no
 * lane for ever (ModelKeys.fair), within bounds of instructions. */
#include "lib/strbuf.h"
#include "sim/run.h"

enum { MOST_ISSUES = 5000000, PATIENCE = 20000 };  /* of one run; without progress */

const char *const elsewhere_name[ELSEWHERE_COUNT] = { "completes", "livelock", "deadlock", "fails", "refused", "undecided" };

/* ---- one run ---- */

typedef struct Bound { volatile sig_atomic_t stop; uint64_t before, last; const Run *origin; } Bound;

static bool interrupted(const Run *run)
{
	return run->options.gpu.interrupted && *run->options.gpu.interrupted;
}

/* Launches begin at 0 again. */
static void count(void *self, uint64_t now, uint64_t issues)
{
	Bound *b = self;
	if (now < b->last)
		b->before += b->last;
	b->last = now;
	if (b->before + now > MOST_ISSUES || interrupted(b->origin))
		b->stop = 1;
}

static Elsewhere outcome(const Run *r)
{
	switch (r->fault) {
	case FAULT_LIVELOCK: return ELSEWHERE_LIVELOCK;
	case FAULT_BARRIER: return ELSEWHERE_DEADLOCK;
	case FAULT_UNSUPPORTED: case FAULT_REFUSED: return ELSEWHERE_REFUSED;
	case FAULT_LIMIT: return ELSEWHERE_UNDECIDED;
	default: break;
	}
	switch (r->status) {
	case RUN_OK: return ELSEWHERE_COMPLETES;
	case RUN_BAD_INPUT: return ELSEWHERE_REFUSED;
	case RUN_INTERRUPTED: return ELSEWHERE_UNDECIDED;
	default: return ELSEWHERE_FAILS;
	}
}

static Elsewhere try(const Run *run, const Config *c)
{
	Diag d = { 0 };
	Bound b = { .origin = run };
	RunOptions o = run->options;
	o.gpu = (GpuOptions){ .functional = true, .threads = 1, .interrupted = &b.stop, .progress = count, .self = &b };
	o.laws = false;
	o.print = NULL;
	o.trial = true;
	Run *r = run_new(c, run->module, &o, &d);
	Elsewhere e = ELSEWHERE_REFUSED;
	if (r) {
		run_module(r);
		e = outcome(r);
		run_free(r);
	}
	diag_free(&d);
	return e;
}

/* ---- all of them ---- */

/* That is the run itself. */
static bool is_configured(const Run *run, const Config *c)
{
	return c->model == run->config->model && !memcmp(c->model_param, run->config->model_param, sizeof c->model_param);
}

static void add(Run *run, const char *spec)
{
	Diag d = { 0 };
	Config c = *run->config;
	if (interrupted(run))
		return;
	if (c.max_cycles == 0 || c.max_cycles > MOST_ISSUES)
		c.max_cycles = MOST_ISSUES;
	if (c.progress_cycles > PATIENCE)
		c.progress_cycles = PATIENCE;
	if (config_set_model(&c, spec, &d) && config_check(&c, &d) && !is_configured(run, &c))
		vec_push(&run->elsewhere, ((ElsewhereRun){ arena_strdup(&run->arena, spec), try(run, &c) }));
	diag_free(&d);
}

/* The choices of parameter p that are not the configured one. */
static void add_choices(Run *run, const ModelKeys *m, const ConfigKey *p, int64_t now)
{
	char spec[200];
	const char *name = p->type == CT_BOOL ? "false|true" : p->choices;
	for (int64_t v = 0; p->type != CT_INT && name; v++) {
		const char *end = strchr(name, '|');
		int n = end ? (int)(end - name) : (int)strlen(name);
		snprintf(spec, sizeof spec, "%s(%s=%.*s)", m->name, p->key, n, name);
		if (v != now)
			add(run, spec);
		name = end ? end + 1 : NULL;
	}
}

/* Whether a choice of a parameter fares as its mechanism does without it: then the text does not name it. */
static bool as_base(const Run *run, int k)
{
	const ElsewhereRun *x = &run->elsewhere.v[k];
	size_t n = strcspn(x->spec, "(");
	if (!x->spec[n])
		return false;
	for (int i = k; i >= 0; i--)
		if (!strncmp(run->elsewhere.v[i].spec, x->spec, n) && !run->elsewhere.v[i].spec[n])
			return run->elsewhere.v[i].how == x->how;
	return x->how == (run->fault == FAULT_LIVELOCK ? ELSEWHERE_LIVELOCK : ELSEWHERE_DEADLOCK);
}

static bool put_group(StrBuf *b, const Run *run, Elsewhere how, const char *verb)
{
	int n = 0;
	for (int k = 0; k < run->elsewhere.n; k++)
		if (run->elsewhere.v[k].how == how && !as_base(run, k))
			sb_printf(b, "%s%s", n++ ? ", " : verb, run->elsewhere.v[k].spec);
	return n > 0;
}

void run_elsewhere(Run *run)
{
	const ModelKeys *m;
	if ((run->fault != FAULT_LIVELOCK && run->fault != FAULT_BARRIER) || run->elsewhere.n || !run->diag->item.n)
		return;
	for (int i = 0; (m = model_keys(i)); i++) {
		if (i != run->config->model)
			add(run, m->name);
		for (int k = 0; k < m->nparams; k++)
			add_choices(run, m, &m->params[k], run->config->model_param[i][k]);
		char spec[200];
		snprintf(spec, sizeof spec, "%s(%s)", m->name, m->fair ? m->fair : "");
		if (m->fair)
			add(run, spec);
	}
	StrBuf b = { 0 };
	DiagItem *item = &vec_last(&run->diag->item);
	sb_puts(&b, item->text);
	sb_puts(&b, "\n  run again without timing under the other mechanisms, it");
	if (!put_group(&b, run, ELSEWHERE_COMPLETES, " completes under "))
		sb_puts(&b, " completes under none");
	put_group(&b, run, ELSEWHERE_LIVELOCK, "\n  livelock under ");
	put_group(&b, run, ELSEWHERE_DEADLOCK, "\n  part of a warp waits in vain under ");
	put_group(&b, run, ELSEWHERE_FAILS, "\n  it fails under ");
	put_group(&b, run, ELSEWHERE_REFUSED, "\n  it is refused by ");
	char bound[100];
	snprintf(bound, sizeof bound, "\n  not decided within %d instructions under ", MOST_ISSUES);
	put_group(&b, run, ELSEWHERE_UNDECIDED, bound);
	item->text = arena_strdup(&run->diag->arena, b.s);
	sb_free(&b);
}
