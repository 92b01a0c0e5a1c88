#include "tools/sensitivity.h"
#include "lib/output.h"
#include "sim/config/sources.h"
#include "sim/report/filled.h"
#include "tools/before_after.h"
#include "tools/sensitivity_own.h"
#include "tools/settings.h"
#include "tools/shares.h"

enum { MOST_CHOICES = 64 };

/* ---- what is varied ---- */

static void try_value(Sensitivity *s, const ConfigKey *key, const char *name, int64_t from, int64_t to)
{
	Variation v = { .key = *key, .from = from, .to = to };
	Config c = s->session->config;
	Diag none = { 0 };
	if (key->type == CT_INT)
		v.to = to < key->least ? key->least : to > key->most ? key->most : to;
	if (v.to == from)
		return;
	snprintf(v.name, sizeof v.name, "%s", name);
	if (!config_put(&c, key, v.to, (Loc){ 0 }, &none) || !config_check(&c, &none))
		v.how = VARIED_REFUSED;
	vec_push(&s->v, v);
	diag_free(&none);
}

static int count_choices(const ConfigKey *key)
{
	int n = 1;
	for (const char *p = key->choices; *p; p++)
		n += *p == '|';
	return n;
}

static void vary_key(Sensitivity *s, const ConfigKey *key, const char *name)
{
	int64_t from = config_get(&s->session->config, key);
	switch (key->type) {
	case CT_BOOL:
		try_value(s, key, name, from, !from);
		break;
	case CT_ENUM:
		for (int k = 0; k < count_choices(key) && k < MOST_CHOICES; k++)
			try_value(s, key, name, from, k);
		break;
	case CT_INT:
		s->zeros += from == 0;
		if (from) {
			try_value(s, key, name, from, from / 2);
			try_value(s, key, name, from, from * 2);
		}
	}
}

/* Is the parameter one of the list of names and groups ("l1", "dram.latency")? */
static bool is_named(const char *list, const char *name)
{
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (!strncmp(list, name, n) && (!name[n] || name[n] == '.'))
			return true;
	}
	return false;
}

/* What no mechanism that runs reads changes nothing; the choice of the mechanism is the question itself. */
static bool is_idle(const Sensitivity *s, const ConfigKey *key, const char *name)
{
	return !strcmp(name, "divergence.model") || !settings_matter(s->session, key, NULL);
}

/* Names of the list that no parameter has. */
static bool check_names(Session *s, const char *list)
{
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		const char *one = arena_strndup(&s->diag.arena, list, n);
		char whole[CONFIG_NAME], near[CONFIG_NAME];
		ConfigKey key;
		bool known = false;
		for (int i = 0; config_key(i, &key) && !known; i++)
			known = is_named(one, config_key_name(&key, whole));
		if (known)
			continue;
		config_nearest(one, near);
		diag_error(&s->diag, (Loc){ 0 }, "--sensitivity: there is no parameter or group '%s'%s%s%s",
			one, *near ? "; did you mean '" : "", near, *near ? "'?" : "");
		return false;
	}
	return true;
}

static bool choose_variations(Sensitivity *s)
{
	const char *list = s->session->opt.sensitivity;
	MachineTexts texts = { 0 };
	Config c;
	ConfigKey key;
	char name[CONFIG_NAME];
	bool ok = *list ? check_names(s->session, list)
		: config_load_texts(&c, s->session->opt.config, &texts, &s->session->diag);
	for (int i = 0; ok && config_key(i, &key); i++) {
		config_key_name(&key, name);
		bool wanted = *list ? is_named(list, name) : config_source(&texts, name).seen == SEEN_ASSUMED;
		if (wanted && !is_idle(s, &key, name))
			vary_key(s, &key, name);
	}
	config_free_texts(&texts);
	if (ok && !s->v.n)
		diag_error(&s->session->diag, (Loc){ s->session->opt.config, 0, 0 },
			"nothing can be varied: %s", *list ? "the parameters are 0 or have no effect "
			"here" : "the machine file has no assumption that matters here; "
			"--sensitivity=KEYS names parameters");
	return ok && s->v.n;
}

/* ---- runs ---- */

/* A side is prepared, and runs on the machine. tell: says why it did not end well, and notes what only the
   machine as it is tells. */
static void run_side(Sensitivity *s, int side, const Config *c, bool tell, Job *j)
{
	const Options *o = &s->session->opt;
	*j = (Job){ .config = *c, .second = o->second && side, .passes = before_after_passes(o, side),
		.status = RUN_BAD_INPUT };
	j->model = o->model.n ? o->model.v[o->model.n > 1 ? side : 0] : NULL;
	if (!j->model || config_set_model(&j->config, j->model, &j->diag))
		job_run(s->session, j);
	if (j->status != RUN_OK && tell) {
		output_printf(stderr, "%s:\n", s->name[side]);
		diag_print(&j->diag, stderr);
	}
	Filled filled;
	if (j->status == RUN_OK && tell)
		s->empty |= run_filled(j->run, &filled) && filled.why != FILLED_WELL;
}

/* Compares the results of two sides that have ended well. */
static const char *compare_sides(Sensitivity *s, const Job job[2], bool tell)
{
	Arena a = { 0 };
	RunCompared seen = { 0 };
	Diag d = { 0 };
	run_same(job[0].run, job[1].run, arena_printf(&a, "by %s", s->name[0]), arena_printf(&a, "by %s",
		s->name[1]), &seen, &d);
	if (tell) {
		diag_print(&d, stderr);
		s->compared = seen;
	}
	diag_free(&d);
	arena_free(&a);
	return run_results(&seen);
}

static bool second_fits(const Sensitivity *s, const Job *first)
{
	Diag d = { 0 };
	bool ok = two_modules_fit(s->session, first, &d);
	diag_print(&d, stderr);
	diag_free(&d);
	return ok;
}

/* Runs all sides on the machine, and compares their results; the worst of their statuses. */
static RunStatus measure(Sensitivity *s, const Config *c, uint64_t cycles[2], const char **results, bool tell)
{
	Job job[2] = { { .status = RUN_OK }, { .status = RUN_OK } };
	RunStatus status = RUN_OK;
	for (int i = 0; i < s->sides && status == RUN_OK; i++) {
		if (i && tell && s->session->second && !second_fits(s, &job[0]))
			status = RUN_BAD_INPUT;
		else
			run_side(s, i, c, tell, &job[i]);
		status = status == RUN_OK ? job[i].status : status;
		cycles[i] = status == RUN_OK ? run_counted(job[i].run).cycles : 0;
	}
	if (status == RUN_OK && s->sides > 1)
		*results = compare_sides(s, job, tell);
	for (int i = 0; i < 2; i++) {
		if (job[i].module)
			job_free(s->session, &job[i]);
		else
			diag_free(&job[i].diag);
	}
	return status;
}

static void measure_variation(Sensitivity *s, Variation *v)
{
	Config c = s->session->config;
	Diag none = { 0 };
	RunStatus status = config_put(&c, &v->key, v->to, (Loc){ 0 }, &none)
		? measure(s, &c, v->cycles, &v->results, false) : RUN_FAILED;
	bool interrupted = is_interrupted(s->session->interrupted);
	v->how = status == RUN_OK ? VARIED_OK : interrupted ? VARIED_NOT_RUN : VARIED_FAILED;
	diag_free(&none);
}

/* results: a constant text, which the process that takes it has at the same address */
typedef struct Measured { Varied how; uint64_t cycles[2]; const char *results; } Measured;

static void make_variation(void *context, int i, void *result)
{
	Sensitivity *s = context;
	Variation *v = &s->v.v[i];
	if (v->how != VARIED_REFUSED)
		measure_variation(s, v);
	*(Measured *)result = (Measured){ v->how, { v->cycles[0], v->cycles[1] }, v->results };
}

static void take_variation(void *context, int i, const void *result)
{
	Sensitivity *s = context;
	Variation *v = &s->v.v[i];
	const Measured *m = result;
	v->how = m->how;
	v->results = m->results;
	memcpy(v->cycles, m->cycles, sizeof m->cycles);
}

/* All variations, in as many processes as --threads says. False: there is no process. */
static bool measure_all(Sensitivity *s)
{
	Shares work = { .context = s, .pieces = s->v.n, .bytes = sizeof(Measured), .make = make_variation,
		.take = take_variation, .interrupted = s->session->interrupted };
	int processes = s->session->opt.threads;
	s->session->opt.threads = 1;
	return shares_make(&work, processes, &s->session->diag);
}

/* ---- both ---- */

static void name_sides(Sensitivity *s)
{
	const Options *o = &s->session->opt;
	s->sides = o->before_after || o->model.n > 1 ? 2 : 1;
	s->name[0] = o->second ? o->module : o->before_after ? "before" : o->model.n ? o->model.v[0]
		: model_keys((int)s->session->config.model)->name;
	s->name[1] = o->second ? o->second : o->before_after ? "after" : o->model.n > 1 ? o->model.v[1] : "";
}

/* Results that differ fail the program, and so does a variation whose process ended before it was done. */
static int status_of(const Sensitivity *s)
{
	bool bad = s->results && !strcmp(s->results, "differ");
	for (int i = 0; i < s->v.n && !bad; i++) {
		const Variation *v = &s->v.v[i];
		bad = v->how == VARIED_NOT_RUN || (v->results && !strcmp(v->results, "differ"));
	}
	return bad ? RUN_FAILED : RUN_OK;
}

int sensitivity_run(Session *session)
{
	Sensitivity s = { .session = session };
	StrBuf text = { 0 };
	int status = RUN_BAD_INPUT;
	session->opt.trial = session->opt.sums = true;
	name_sides(&s);
	if (choose_variations(&s))
		status = (int)measure(&s, &session->config, s.base, &s.results, true);
	bool differ = s.results && !strcmp(s.results, "differ");
	if (status == RUN_OK && (differ || measure_all(&s))) {
		status = status_of(&s);
		sensitivity_text(&s, &text);
		if (!session->opt.quiet && !job_stats_to_output(session))
			output_puts(stdout, text.s);
		if (!sensitivity_files(&s, &text))
			status = RUN_BAD_INPUT;
	} else if (status == RUN_OK) {
		status = RUN_BAD_INPUT;
	}
	sb_free(&text);
	vec_free(&s.v);
	return status;
}
