/* Reports: what a run has measured, as texts and by the names of figures. A report is made whole, so that it
   needs its run no more. */
#include "sim/api/api.h"
#include "lib/file.h"
#include "lib/output.h"

/* The figures of all launches of one kernel. */
typedef struct KernelFigures { const char *name; const JsonValue *sum; } KernelFigures;

struct GsimReport {
	Handle handle;
	Messages messages;
	Arena arena;                   /* of the values */
	StrBuf json, brief, full, csv, svg;
	const JsonValue *root;
	Vec(KernelFigures) kernel;
};

bool report_enter(const GsimReport *report, const char *function)
{
	return handle_is(report, HANDLE_REPORT, function) && messages_quiet(&report->messages, function);
}

Title run_title(const GsimRun *run)
{
	const Run *r = run->run;
	return (Title){ .module = run->module->name, .config = run->machine, .module_hash = run->hash,
		.passes = run->passes, .log = &run->log, .profiled = run->profiled, .model = run->mechanism,
		.workload = run->workload, .nargs = r ? r->options.nargs : run->arguments.n,
		.args = r ? r->options.args : run->arguments.v,
		.sums = run->options.sums, .effective = &run->config, .file = &run->file,
		.marks = &run->marks };
}

/* ---- making ---- */

static const JsonValue *read_json(GsimReport *r, const StrBuf *text)
{
	Diag d = { 0 };
	const JsonValue *v = json_read(&r->arena, text->s, text->n, "report", &d);
	diag_free(&d);
	must(v);
	return v;
}

static void add_kernel(GsimReport *r, const LaunchStats *sum)
{
	StrBuf text = { 0 };
	JsonText t;
	json_text(&t, &text);
	stats_json(sum, &t.sink);
	vec_push(&r->kernel, ((KernelFigures){ arena_strdup(&r->arena, sum->kernel), read_json(r, &text) }));
	sb_free(&text);
}

static void add_texts(GsimReport *r, Run *run, const Title *title)
{
	StrBuf text = { 0 };
	Timed timed = { NULL, run, title };
	report_text(run, title, false, &text);
	output_clean(&r->brief, text.s, text.n);
	text.n = 0;
	report_text(run, title, true, &text);
	output_clean(&r->full, text.s, text.n);
	sb_free(&text);
	if (run->intervals) {
		report_intervals_csv(&timed, 1, &r->csv);
		report_intervals_svg(&timed, 1, &r->svg);
	}
}

static GsimReport *make(GsimRun *run)
{
	GsimReport *r = xcalloc(1, sizeof *r);
	Title title = run_title(run);
	JsonText t;
	handle_open(&r->handle, HANDLE_REPORT);
	messages_open(&r->messages, run->messages.call, run->messages.self);
	json_text(&t, &r->json);
	if (run->run) {
		report_json(run->run, &title, &t.sink);
		add_texts(r, run->run, &title);
	} else {
		report_refused(&title, diag_first(&run->messages.diag), &t.sink);
	}
	r->root = read_json(r, &r->json);
	for (int i = 0; run->run && i < run_kernels(run->run); i++)
		add_kernel(r, run_kernel(run->run, i));
	return r;
}

GsimReport *gsim_run_report(GsimRun *run)
{
	GsimReport *r = NULL;
	if (!run_enter(run, __func__))
		return NULL;
	run_settle(run);
	if (run->stage == STAGE_OPTIONS)
		misuse(&run->messages, "%s: the run has not begun", __func__);
	else if (!run->run && !run->refused)
		misuse(&run->messages, "%s: the run has ended before it began", __func__);
	else
		r = make(run);
	run_leave(run, GSIM_OK);
	return r;
}

void gsim_report_free(GsimReport *report)
{
	if (!report || !report_enter(report, __func__))
		return;
	handle_close(&report->handle);
	StrBuf *texts[] = { &report->json, &report->brief, &report->full, &report->csv, &report->svg };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		sb_free(texts[i]);
	vec_free(&report->kernel);
	arena_free(&report->arena);
	diag_free(&report->messages.diag);
	free(report);
}

/* ---- texts ---- */

const char *gsim_report_json(const GsimReport *report)
{
	return report_enter(report, __func__) ? report->json.s : NULL;
}

const char *gsim_report_text(const GsimReport *report, int all)
{
	if (!report_enter(report, __func__))
		return NULL;
	const char *text = all ? report->full.s : report->brief.s;
	if (!text)
		misuse(&report->messages, "%s: the run could not begin", __func__);
	return text;
}

/* What goes into a file of that name. */
static const StrBuf *text_for(const GsimReport *r, const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	return !dot ? &r->json : !strcmp(dot, ".txt") ? &r->brief : !strcmp(dot, ".csv") ? &r->csv
		: !strcmp(dot, ".svg") ? &r->svg : &r->json;
}

GsimStatus gsim_report_write(const GsimReport *report, const char *path)
{
	IN_C_LOCALE;
	const char *why;
	char text[300];
	if (!report_enter(report, __func__))
		return GSIM_MISUSE;
	if (!path)
		return misuse(&report->messages, "%s: the path is NULL", __func__);
	const StrBuf *b = text_for(report, path);
	if (!b->s)
		return misuse(&report->messages, b == &report->brief ? "%s: %s: the run could not begin"
			: "%s: %s: tables and pictures are of runs with the option interval", __func__, path);
	if (file_write(path, b->s, b->n, &why))
		return GSIM_OK;
	snprintf(text, sizeof text, "cannot write %.200s: %s", path, why);
	messages_say(&report->messages, GSIM_ERROR, text);
	return GSIM_BAD_INPUT;
}

char *gsim_report_compare(const GsimReport *before, const GsimReport *after)
{
	IN_C_LOCALE;
	StrBuf text = { 0 };
	if (!report_enter(before, __func__) || !report_enter(after, __func__))
		return NULL;
	if (!json_get(before->root, "total") || !json_get(after->root, "total")) {
		misuse(&before->messages, "%s: a run could not begin", __func__);
		return NULL;
	}
	Arena a = { 0 };
	report_compare(before->root, after->root, report_both(&a, before->root, after->root),
		(ReportForm){ 0 }, &text);
	arena_free(&a);
	return text.s ? text.s : xstrdup("");
}

const char *gsim_report_value(const GsimReport *report, const char *path)
{
	IN_C_LOCALE;
	if (!report_enter(report, __func__))
		return NULL;
	const JsonValue *v = path ? json_path(report->root, path) : NULL;
	if (v && v->kind != JSON_NULL && v->kind != JSON_ARRAY && v->kind != JSON_OBJECT)
		return json_shown(v);
	misuse(&report->messages, "%s: there is no text or number '%.200s'", __func__, path ? path : "NULL");
	return NULL;
}

/* ---- figures ---- */

static bool is_statistic(const char *name)
{
	const char *known;
	for (int i = 0; (known = gsim_statistic(i, NULL, NULL)); i++)
		if (!strcmp(known, name))
			return true;
	return false;
}

static GsimStatus refuse_unknown_figure(const GsimReport *r, const char *name)
{
	Vec(const char *) names = { 0 };
	const char *known;
	for (int i = 0; (known = gsim_statistic(i, NULL, NULL)); i++)
		vec_push(&names, known);
	const char *near = nearest_name(name, names.v, names.n);
	vec_free(&names);
	return misuse(&r->messages, "there is no figure '%.80s'%s%s%s", name, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
}

/* The figure of that name in a launch or sum. Reports leave groups out that are all 0. */
static GsimStatus figure(const GsimReport *r, const JsonValue *of, const char *name, double *value)
{
	IN_C_LOCALE;
	if (!name || !value)
		return misuse(&r->messages, "the %s is NULL", name ? "place for the value" : "name");
	const JsonValue *v = json_path(of, name);
	bool measured = strcmp(json_string(r->root, "mode"), "reference") != 0;
	if (json_is_number(v))
		*value = v->number;
	else if (v && v->kind == JSON_NULL)
		return GSIM_NOT_MEASURED;
	else if (!is_statistic(name))
		return refuse_unknown_figure(r, name);
	else if (!measured)
		return GSIM_NOT_MEASURED;
	else
		*value = 0;
	return GSIM_OK;
}

int gsim_report_launches(const GsimReport *report)
{
	const JsonValue *launches;
	if (!report_enter(report, __func__))
		return -1;
	launches = json_get(report->root, "launches");
	return launches ? launches->n : 0;
}

GsimStatus gsim_report_total(const GsimReport *report, const char *name, double *value)
{
	if (!report_enter(report, __func__))
		return GSIM_MISUSE;
	const JsonValue *total = json_get(report->root, "total");
	return total ? figure(report, total, name, value)
		: misuse(&report->messages, "%s: the run could not begin", __func__);
}

GsimStatus gsim_report_launch(const GsimReport *report, int i, const char *name, double *value)
{
	int n = gsim_report_launches(report);
	if (n < 0)
		return GSIM_MISUSE;
	if (i < 0 || i >= n)
		return misuse(&report->messages, "%s: number %d of %d launches", __func__, i, n);
	return figure(report, &json_get(report->root, "launches")->item[i], name, value);
}

GsimStatus gsim_report_kernel(const GsimReport *report, const char *kernel, const char *name, double *value)
{
	if (!report_enter(report, __func__))
		return GSIM_MISUSE;
	for (int i = 0; kernel && i < report->kernel.n; i++)
		if (!strcmp(report->kernel.v[i].name, kernel))
			return figure(report, report->kernel.v[i].sum, name, value);
	return misuse(&report->messages, "%s: no launch of kernel '%.200s'", __func__,
		kernel ? kernel : "NULL");
}
