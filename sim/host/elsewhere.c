/* Finds out under which mechanisms a run that failed would complete. The module and its host side run again,
 * functionally, under every other mechanism of the list, with every named choice of each mechanism's
 * parameters and with the parameters under which the mechanism keeps no lane waiting for ever
 * (ModelKeys.fair).
 *
 * The work of these runs is bounded, in proportion to the work of the run that failed, so that the answer
 * takes about as long as the failing run did and is the same on every host. */
#include "lib/interrupt.h"
#include "lib/strbuf.h"
#include "sim/host/run.h"

/* Work is counted in issued instructions; STEPS steps of the workload's Lua count as one. A run may take
   RUN_LEAST and RUN_TIMES times the work of the failing run, all runs together ALL_LEAST and ALL_TIMES times
   that work. */
enum { RUN_LEAST = 750 * 1000, RUN_TIMES = 2, ALL_LEAST = 10 * 1000 * 1000, ALL_TIMES = 4, STEPS = 16 };
/* the most that limits.max_cycles and limits.progress_cycles may be in these runs */
enum { MOST_CYCLES = 5000000, PATIENCE = 5000 };
/* instructions that a warp issues in its turn: few, so that a spinning warp is noticed soon, however many
   warps there are */
enum { TURN = 100 };

const char *const elsewhere_name[ELSEWHERE_COUNT] =
	{ "completes", "livelock", "deadlock", "fails", "refused", "undecided" };

/* lua, run: most steps of Lua, and most work, of one run; all: work that is left for all runs to come */
typedef struct Budget { uint64_t lua, run, all; } Budget;

static Budget budget_of(const Run *run)
{
	Totals all = run_counted(run);
	uint64_t n = run->lua_steps / STEPS + all.warp_instructions + all.overhead_warp;
	return (Budget){ 2 * run->lua_steps + RUN_LEAST * STEPS, RUN_LEAST + RUN_TIMES * n,
		ALL_LEAST + ALL_TIMES * n };
}

/* ---- one run ---- */

static Elsewhere outcome(const Run *r)
{
	switch (r->fault) {
	case FAULT_LIVELOCK: return ELSEWHERE_LIVELOCK;
	case FAULT_BARRIER: return ELSEWHERE_DEADLOCK;
	case FAULT_UNSUPPORTED: case FAULT_REFUSED: return ELSEWHERE_REFUSED;
	case FAULT_LIMIT: return ELSEWHERE_UNDECIDED;
	default: break;
	}
	if (r->gave_up)
		return ELSEWHERE_UNDECIDED;
	switch (r->status) {
	case RUN_OK: return ELSEWHERE_COMPLETES;
	case RUN_BAD_INPUT: return ELSEWHERE_REFUSED;
	case RUN_INTERRUPTED: return ELSEWHERE_UNDECIDED;
	default: return ELSEWHERE_FAILS;
	}
}

static Elsewhere try_mechanism(const Run *run, const Config *c, Budget *b)
{
	Diag d = { 0 };
	uint64_t most = b->run < b->all ? b->run : b->all, left = most;
	RunOptions o = run->options;
	o.gpu = (GpuOptions){ .functional = true, .threads = 1, .turn = TURN,
		.interrupted = run->options.gpu.interrupted, .issues_left = &left };
	o.laws = o.races = o.race_launches = false;
	o.print = NULL;
	o.trial = true;
	o.lua_steps = b->lua;
	Run *r = run_new(c, run->module, &o, &d);
	Elsewhere e = ELSEWHERE_REFUSED;
	if (r) {
		run_module(r);
		e = outcome(r);
		uint64_t used = most - left + r->lua_steps / STEPS;
		b->all -= used < b->all ? used : b->all;
		run_free(r);
	}
	diag_free(&d);
	return e;
}

/* ---- all of them ---- */

/* Is c the configuration of the run itself? */
static bool is_configured(const Run *run, const Config *c)
{
	return c->model == run->config->model && !memcmp(c->model_param, run->config->model_param,
		sizeof c->model_param);
}

static void add_elsewhere(Run *run, const char *spec, Budget *b)
{
	Diag d = { 0 };
	Config c = *run->config;
	if (run_interrupted(run))
		return;
	if (c.max_cycles == 0 || c.max_cycles > MOST_CYCLES)
		c.max_cycles = MOST_CYCLES;
	if (c.progress_cycles > PATIENCE)
		c.progress_cycles = PATIENCE;
	if (config_set_model(&c, spec, &d) && config_check(&c, &d) && !is_configured(run, &c)) {
		if (b->all)
			vec_push(&run->elsewhere, ((ElsewhereRun){ arena_strdup(&run->arena, spec),
				try_mechanism(run, &c, b) }));
		else
			run->untried++;
	}
	diag_free(&d);
}

/* Tries the choices of parameter p that are not the configured one. */
static void add_choices(Run *run, const ModelKeys *m, const ConfigKey *p, int64_t now, Budget *b)
{
	char spec[200];
	const char *name = p->type == CT_BOOL ? "false|true" : p->choices;
	for (int64_t v = 0; p->type != CT_INT && name; v++) {
		const char *end = strchr(name, '|');
		int n = end ? (int)(end - name) : (int)strlen(name);
		snprintf(spec, sizeof spec, "%s(%s=%.*s)", m->name, p->key, n, name);
		if (v != now)
			add_elsewhere(run, spec, b);
		name = end ? end + 1 : NULL;
	}
}

/* Did run k set a parameter, and end as the run of its mechanism without that setting did? Then the text does
   not name run k. */
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

static bool put_spec_group(StrBuf *b, const Run *run, Elsewhere how, const char *verb)
{
	int n = 0;
	for (int k = 0; k < run->elsewhere.n; k++)
		if (run->elsewhere.v[k].how == how && !as_base(run, k))
			sb_printf(b, "%s%s", n++ ? ", " : verb, run->elsewhere.v[k].spec);
	return n > 0;
}

/* Tries the mechanisms first, then choices of their parameters. */
static void try_all(Run *run)
{
	const ModelKeys *m;
	Budget b = budget_of(run);
	for (int i = 0; (m = model_keys(i)); i++) {
		char spec[200];
		snprintf(spec, sizeof spec, "%s(%s)", m->name, m->fair ? m->fair : "");
		if (i != run->config->model)
			add_elsewhere(run, m->name, &b);
		if (m->fair)
			add_elsewhere(run, spec, &b);
	}
	for (int i = 0; (m = model_keys(i)); i++)
		for (int k = 0; k < m->nparams; k++)
			add_choices(run, m, &m->params[k], run->config->model_param[i][k], &b);
}

bool run_elsewhere(Run *run, StrBuf *text)
{
	if ((run->fault != FAULT_LIVELOCK && run->fault != FAULT_BARRIER) || run->elsewhere.n)
		return false;
	try_all(run);
	if (run_interrupted(run))
		return false;
	sb_puts(text, "  run again without timing under the other mechanisms, it");
	if (!put_spec_group(text, run, ELSEWHERE_COMPLETES, " completes under "))
		sb_puts(text, " completes under none");
	put_spec_group(text, run, ELSEWHERE_LIVELOCK, "\n  livelock under ");
	put_spec_group(text, run, ELSEWHERE_DEADLOCK, "\n  part of a warp waits in vain under ");
	put_spec_group(text, run, ELSEWHERE_FAILS, "\n  it fails under ");
	put_spec_group(text, run, ELSEWHERE_REFUSED, "\n  it is refused by ");
	put_spec_group(text, run, ELSEWHERE_UNDECIDED, "\n  not decided within the bounds of work under ");
	if (run->untried)
		sb_printf(text, "\n  the bounds of work left %d choices of mechanisms and parameters untried",
			run->untried);
	sb_putc(text, '\n');
	return true;
}
