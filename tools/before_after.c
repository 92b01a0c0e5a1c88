#include "tools/before_after.h"
#include "lib/output.h"
#include "sim/report/many.h"
#include "tools/inputs.h"
#include <unistd.h>

/* The two runs under one mechanism. */
typedef struct Both {
	Job job[2];
	RunCompared seen;
	const char *results;           /* NULL: they were not compared */
} Both;

/* ---- two modules ---- */

/* Both run the workload that the first one has by default, else that of the second; where neither has one,
   each runs its own host function. */
static void settle_workload(Session *s)
{
	Options *o = &s->opt;
	Arena *a = &s->diag.arena;
	const char *of[2] = { run_default_workload(a, o->module), run_default_workload(a, o->second) };
	bool there[2] = { !access(of[0], R_OK), !access(of[1], R_OK) };
	if (o->workload || !(there[0] || there[1]))
		return;
	o->workload = of[!there[0]];
	const char *hash[2] = { hash_of_file(a, of[0]), hash_of_file(a, of[1]) };
	if (there[0] && there[1] && !o->quiet && !(hash[0] && hash[1] && !strcmp(hash[0], hash[1])))
		diag_warning(&s->diag, (Loc){ of[1], 1, 1 }, "is not the workload of this comparison: both "
			"modules run %s; --workload names one", of[0]);
}

bool before_after_read_second(Session *s)
{
	const Options *o = &s->opt;
	s->second = module_read_below(o->second, o->source, &s->diag);
	if (!s->second)
		return false;
	s->second_hash = hash_of_file(&s->diag.arena, o->second);
	settle_workload(s);
	return true;
}

const char *before_after_passes(const Options *o, int side)
{
	if (o->second)
		return !o->passes.n ? "" : o->passes.v[side && o->passes.n > 1];
	return o->passes.n && (side || !o->before_after) ? o->passes.v[0] : "";
}

/* ---- the runs ---- */

static int verify_both(Session *s, Both *b)
{
	Job reference[2] = { { .second = false } };
	int status = RUN_OK, n = s->second ? 2 : 1;
	for (int i = 0; i < n; i++) {
		reference[i] = (Job){ .config = b->job[i].config, .passes = "", .reference = true,
			.second = b->job[i].second };
		job_run(s, &reference[i]);
	}
	for (int i = 0; i < 2; i++)
		status = worse(status, job_verify(&b->job[i], &reference[n > 1 ? i : 0]));
	if (s->opt.verify_each)
		status = worse(status, job_verify_each(s, b->job[1].passes, &reference[0]));
	for (int i = 0; i < n; i++)
		job_free(s, &reference[i]);
	return status;
}

/* Compares the results of both. */
static int compare_both(Session *s, Both *b)
{
	Arena a = { 0 };
	const char *name[2] = { "before", "after" };
	for (int i = 0; i < 2 && s->second; i++)
		name[i] = arena_printf(&a, s->opt.model.n > 1 ? "by %s under %s" : "by %s",
			job_file(s, &b->job[i]), job_model(&b->job[i]));
	int status = job_compare(&b->job[0], &b->job[1], name[0], name[1], &b->seen);
	b->results = run_results(&b->seen);
	arena_free(&a);
	return status;
}

/* Does the second module fit what the first one's run has launched? */
static bool second_fits(const Session *s, const Job *first)
{
	Diag d = { 0 };
	bool ok = two_modules_fit(s, first, &d);
	diag_print(&d, stderr);
	diag_free(&d);
	return ok;
}

/* Runs both under the machine's mechanism. model: as it was asked for; NULL: it was not. */
static int run_both(Session *s, const Config *config, const char *model, Both *b)
{
	int status = RUN_OK;
	*b = (Both){ 0 };
	for (int i = 0; i < 2 && !is_interrupted(s->interrupted); i++) {
		if (i && s->second && (status == RUN_BAD_INPUT || (status == RUN_OK &&
			!second_fits(s, &b->job[0]))))
			return RUN_BAD_INPUT;
		b->job[i] = (Job){ .config = *config, .passes = before_after_passes(&s->opt, i),
			.model = model, .reference = s->opt.reference, .second = i && s->second };
		job_run(s, &b->job[i]);
		status = worse(status, b->job[i].status);
	}
	if (status == RUN_OK)
		status = compare_both(s, b);
	if (s->opt.verify && b->results && (status == RUN_OK || s->opt.verify_each || s->second))
		status = worse(status, verify_both(s, b));
	return status;
}

static void free_both(const Session *s, Both *b)
{
	for (int i = 0; i < 2; i++)
		if (b->job[i].module)
			job_free(s, &b->job[i]);
}

static const JsonValue *read_report(const Session *s, Job *job, Arena *a)
{
	StrBuf text = { 0 };
	JsonText t;
	Diag d = { 0 };
	json_text(&t, &text);
	job_put_report(s, job, &t.sink);
	const JsonValue *v = json_read(a, text.s, text.n, "report", &d);
	must(v);
	diag_free(&d);
	sb_free(&text);
	return v;
}

/* Of two modules: branches and lines of both by their places in the source. */
static void put_places(const Session *s, Both *b, JsonSink *j)
{
	Arena a = { 0 };
	report_places_json(read_report(s, &b->job[0], &a), read_report(s, &b->job[1], &a), j);
	arena_free(&a);
}

static void put_both(const Session *s, Both *b, JsonSink *j)
{
	j->begin(j, '{', false);
	json_put_count(j, "schema_version", REPORT_SCHEMA);
	for (int i = 0; i < 2; i++) {
		j->key(j, i ? "after" : "before");
		job_put_report(s, &b->job[i], j);
	}
	j->key(j, "results");
	j->text(j, b->results);
	if (b->results)
		report_compared(&b->seen, j);
	if (s->second && s->opt.stats.n)
		put_places(s, b, j);
	j->end(j);
}

static int run_one_pair(Session *s)
{
	Both b;
	StrBuf json = { 0 };
	JsonText t;
	int status = run_both(s, &s->config, s->opt.model.n ? s->opt.model.v[0] : NULL, &b);
	if (b.job[0].run && !b.job[1].run && is_interrupted(s->interrupted)) {
		status = worse(status, job_show(s, &b.job[0]));
	} else if (b.job[0].run && b.job[1].run && status != RUN_BAD_INPUT) {
		json_text(&t, &json);
		put_both(s, &b, &t.sink);
		status = worse(status, job_show_many(s, b.job, 2, &json, false));
	}
	sb_free(&json);
	free_both(s, &b);
	return status;
}

/* The machine with each mechanism of the command line. False: it cannot be had. */
static bool all_mechanisms(Session *s, Config *config)
{
	for (int i = 0; i < s->opt.model.n; i++) {
		config[i] = s->config;
		if (!config_set_model(&config[i], s->opt.model.v[i], &s->diag) ||
			!config_check(&config[i], &s->diag))
			return false;
	}
	return true;
}

/* Two modules under several mechanisms. */
static int run_pairs(Session *s)
{
	const Options *o = &s->opt;
	StrBuf json = { 0 };
	JsonText t;
	int status = RUN_OK, told = 0;
	Config *config = arena_array(&s->diag.arena, Config, o->model.n);
	if (!all_mechanisms(s, config))
		return RUN_BAD_INPUT;
	json_text(&t, &json);
	t.sink.begin(&t.sink, '{', false);
	json_put_count(&t.sink, "schema_version", REPORT_SCHEMA);
	t.sink.key(&t.sink, "comparisons");
	t.sink.begin(&t.sink, '[', false);
	for (int i = 0; i < o->model.n && !is_interrupted(s->interrupted); i++) {
		Both b;
		status = worse(status, run_both(s, &config[i], o->model.v[i], &b));
		if (b.job[0].run && b.job[1].run) {
			put_both(s, &b, &t.sink);
			told++;
		} else if (!told && b.job[0].run && is_interrupted(s->interrupted)) {
			status = worse(status, job_show(s, &b.job[0]));
		}
		free_both(s, &b);
	}
	t.sink.end(&t.sink);
	t.sink.end(&t.sink);
	if (told)
		status = worse(status, job_show_many(s, NULL, 0, &json, false));
	sb_free(&json);
	return status;
}

int before_after_run(Session *s)
{
	int pairs = s->second && s->opt.model.n > 1 ? s->opt.model.n : 1;
	s->njobs = pairs * (2 + s->opt.verify * (s->second ? 2 : 1));
	return pairs > 1 ? run_pairs(s) : run_one_pair(s);
}
