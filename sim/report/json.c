/* The report as JSON. The counters' keys are the paths of STATS; figures that a kind of run does not measure
   are null. */
#include "sim/report/by_place.h"
#include "sim/report/filled.h"
#include "sim/report/kernels.h"
#include "passes/pass.h"
#include "sim/config/sources.h"

static void put_total(Run *run, JsonSink *j)
{
	const LaunchStats *t = run_total(run);
	j->key(j, "total");
	j->begin(j, '{', false);
	json_put_count(j, "launches", t->totals.launches);
	stats_json_measured(t, j);
	stats_json_tables(t, j);
	stats_json_races(t, j);
	j->end(j);
	j->key(j, "host");
	j->begin(j, '{', true);
	json_put_real(j, "seconds", true, t->totals.seconds);
	json_put_real(j, "warp_instructions_per_second", !t->reference && t->totals.seconds > 0,
		(double)t->totals.warp_instructions / (t->totals.seconds > 0 ? t->totals.seconds : 1));
	j->end(j);
}

/* ---- what was run ---- */

const char *title_model(const Title *t)
{
	return t->model ? t->model : model_keys((int)t->effective->model)->name;
}

static void json_put_config(JsonSink *j, const ConfigKey *key, int64_t v)
{
	StrBuf text = { 0 };
	char name[CONFIG_NAME];
	j->key(j, config_key_name(key, name));
	config_print_value(key, v, &text);
	if (key->type == CT_ENUM)
		j->text(j, text.s);
	else if (key->type == CT_BOOL)
		j->boolean(j, v);
	else
		j->integer(j, v);
	sb_free(&text);
}

/* Puts what each figure stands on that the machine file or the command line gives. */
static void json_put_marks(JsonSink *j, const Title *t)
{
	ConfigKey key;
	char name[CONFIG_NAME];
	j->key(j, "figures");
	j->begin(j, '[', false);
	for (int i = 0; config_key(i, &key); i++) {
		bool changed = config_get(t->effective, &key) != config_get(t->file, &key);
		FigureMark m = changed ? (FigureMark){ SEEN_GIVEN, "" } : i < t->marks->figure.n
			? t->marks->figure.v[i] : (FigureMark){ SEEN_DEFAULT, "" };
		if (m.seen == SEEN_DEFAULT)
			continue;
		j->begin(j, '{', true);
		json_put_text(j, "key", config_key_name(&key, name));
		json_put_text(j, "mark", seen_word[m.seen]);
		json_put_text(j, "source", *m.source ? m.source : NULL);
		j->end(j);
	}
	j->end(j);
}

static void json_put_configuration(JsonSink *j, const Title *t)
{
	ConfigKey key;
	char hash[CONFIG_HASH];
	j->key(j, "configuration");
	j->begin(j, '{', false);
	json_put_text(j, "hash", config_hash_text(t->effective, hash));
	j->key(j, "changed");
	j->begin(j, '{', true);
	for (int i = 0; config_change(t->file, t->effective, &i, &key);)
		json_put_config(j, &key, config_get(t->effective, &key));
	j->end(j);
	j->key(j, "values");
	j->begin(j, '{', true);
	for (int i = 0; config_key(i, &key); i++)
		json_put_config(j, &key, config_get(t->effective, &key));
	j->end(j);
	if (t->marks)
		json_put_marks(j, t);
	j->end(j);
}

/* Puts what the passes did, and what they took for granted. */
static void put_passes(JsonSink *j, const PassLog *l)
{
	j->key(j, "pass_stats");
	j->begin(j, '[', false);
	for (int k = 0; l && k < l->count.n; k++) {
		const PassCount *c = &l->count.v[k];
		j->begin(j, '{', true);
		json_put_count(j, "step", (uint64_t)c->step + 1);
		json_put_text(j, "pass", c->pass);
		json_put_text(j, "function", c->function[0] ? c->function : NULL);
		json_put_text(j, c->assumed ? "assumed" : "what", c->what);
		json_put_count(j, "count", (uint64_t)c->n);
		j->end(j);
	}
	j->end(j);
}

/* Puts the steps that changed nothing, and why they did not. */
static void json_put_idle(JsonSink *j, const PassLog *l)
{
	j->key(j, "idle_passes");
	j->begin(j, '[', false);
	for (int k = 0; l && k < l->idle.n; k++) {
		j->begin(j, '{', true);
		json_put_count(j, "step", (uint64_t)l->idle.v[k].step + 1);
		json_put_text(j, "pass", l->idle.v[k].pass);
		json_put_text(j, "why", l->idle.v[k].why);
		j->end(j);
	}
	j->end(j);
}

static void put_names(JsonSink *j, const char *key, const char *const *names, int n)
{
	j->key(j, key);
	j->begin(j, '[', true);
	for (int i = 0; i < n; i++)
		j->text(j, names[i]);
	j->end(j);
}

/* Puts the plug-ins that were loaded; nothing where there are none. */
static void json_put_plugins(JsonSink *j, const Title *t)
{
	if (!t->nplugins)
		return;
	j->key(j, "plug_ins");
	j->begin(j, '[', false);
	for (int i = 0; i < t->nplugins; i++) {
		const ReportPlugin *p = &t->plugin[i];
		j->begin(j, '{', true);
		json_put_text(j, "name", p->name);
		json_put_text(j, "file", p->file);
		json_put_text(j, "hash", p->hash);
		put_names(j, "passes", p->passes.v, p->passes.n);
		put_names(j, "mechanisms", p->mechanisms.v, p->mechanisms.n);
		j->end(j);
	}
	j->end(j);
}

static void json_put_title(JsonSink *j, const Title *t)
{
	json_put_count(j, "schema_version", REPORT_SCHEMA);
	json_put_text(j, "gsim", GSIM_RELEASE);
	json_put_text(j, "module", t->module);
	json_put_text(j, "module_hash", t->module_hash);
	json_put_text(j, "config", t->config);
	if (t->config_by)
		json_put_text(j, "config_by", t->config_by);
	json_put_text(j, "model", title_model(t));
	json_put_text(j, "passes", t->passes);
	if (t->log && t->log->limit)
		json_put_count(j, "bisect", (uint64_t)t->log->limit->most);
	json_put_text(j, "profile", t->profile);
	j->key(j, "profiled");
	j->boolean(j, t->profiled);
	put_passes(j, t->log);
	json_put_idle(j, t->log);
	json_put_plugins(j, t);
	json_put_text(j, "workload", t->workload);
	put_names(j, "arguments", (const char *const *)t->args, t->nargs);
	json_put_configuration(j, t);
}

/* Puts the size that was asked for, if one was; its arguments are among `arguments`. */
static void json_put_size(JsonSink *j, const Run *run)
{
	RunSize size = run->options.size;
	if (!size)
		return;
	j->key(j, "size");
	j->begin(j, '{', true);
	json_put_text(j, "name", run_size_name[size]);
	if (run->sized.threads)
		json_put_count(j, "threads", run->sized.threads);
	if (run->sized.overridden)
		json_put_count(j, "overridden", (uint64_t)run->sized.overridden);
	json_put_text(j, "reason", run->sized.reason);
	j->end(j);
}

/* Puts which workload has run, and a hash of it: with another one results and figures mean something else.
   workload_hash null: nothing but a program that uses the library has called for launches. */
static void json_put_workload(JsonSink *j, const Title *t, const Run *run)
{
	char text[17];
	uint64_t hash;
	bool known = run_hash_workload(run, t->source ? t->source : run->module, &hash);
	snprintf(text, sizeof text, "%016llx", known ? (unsigned long long)hash : 0);
	json_put_text(j, "workload_file", run->workload_file);
	json_put_text(j, "workload_hash", known ? text : NULL);
}

/* Puts how often each block of the host function ran. */
static void json_put_host_blocks(JsonSink *j, const Run *run)
{
	j->key(j, "host_blocks");
	j->begin(j, '[', false);
	for (int k = 0; k < run->host->block.n; k++) {
		j->begin(j, '{', true);
		json_put_text(j, "function", run->host->name);
		json_put_text(j, "label", run->host->block.v[k]->label);
		json_put_count(j, "executed", run->host_ran[k]);
		j->end(j);
	}
	j->end(j);
}

void report_refused(const Title *title, const char *error, JsonSink *j)
{
	j->begin(j, '{', false);
	json_put_title(j, title);
	json_put_text(j, "status", "bad_input");
	json_put_text(j, "error", error);
	j->end(j);
}

/* Puts how the program ended under the other mechanisms. */
static void put_elsewhere(JsonSink *j, const Run *run)
{
	j->key(j, "elsewhere");
	j->begin(j, '[', false);
	for (int k = 0; k < run->elsewhere.n; k++) {
		j->begin(j, '{', true);
		json_put_text(j, "model", run->elsewhere.v[k].spec);
		json_put_text(j, "result", elsewhere_name[run->elsewhere.v[k].how]);
		j->end(j);
	}
	j->end(j);
}

void report_compared(const RunCompared *c, JsonSink *j)
{
	j->key(j, "compared");
	j->begin(j, '{', true);
	json_put_count(j, "identical", (uint64_t)c->identical);
	json_put_count(j, "bytes", c->bytes);
	json_put_count(j, "alike", (uint64_t)c->alike);
	json_put_count(j, "different", (uint64_t)c->different);
	json_put_count(j, "freed", (uint64_t)c->freed);
	json_put_count(j, "ignored", (uint64_t)c->ignored);
	json_put_count(j, "alone", (uint64_t)c->alone);
	j->end(j);
}

/* Puts each buffer and variable with a hash of what it holds, so that reports can be compared by results.
   hash null: it was freed, or is not to be compared. */
static void put_buffers(JsonSink *j, const Run *run)
{
	j->key(j, "buffers");
	j->begin(j, '[', false);
	for (int i = 0; i < run->buffer.n; i++) {
		const RunBuffer *b = &run->buffer.v[i];
		char text[17];
		uint64_t hash;
		bool known = run_hash_buffer(run, b, &hash);
		snprintf(text, sizeof text, "%016llx", known ? (unsigned long long)hash : 0);
		j->begin(j, '{', true);
		json_put_text(j, b->symbol ? "variable" : "buffer", b->name);
		json_put_text(j, "type", type_name[b->type]);
		json_put_count(j, "count", b->n);
		json_put_text(j, "compare", compare_how_name[b->how]);
		json_put_text(j, "hash", known ? text : NULL);
		j->end(j);
	}
	j->end(j);
}

void report_json(Run *run, const Title *title, JsonSink *j)
{
	static const char *const status[] = { "ok", "failed", "bad_input", "interrupted" };
	j->begin(j, '{', false);
	json_put_title(j, title);
	json_put_workload(j, title, run);
	json_put_size(j, run);
	json_put_text(j, "mode", run->options.reference ? "reference"
		: run->options.gpu.functional ? "functional" : "timed");
	json_put_text(j, "status", status[run->status]);
	if (run->elsewhere.n)
		put_elsewhere(j, run);
	if (run->status != RUN_OK)
		json_put_text(j, "error", diag_first(run->diag));
	if (!title->sums) {
		j->key(j, "launches");
		j->begin(j, '[', false);
		for (int i = 0; i < run->launch.n; i++)
			stats_json(run->launch.v[i], j);
		j->end(j);
	}
	kernels_json(run, j);
	put_buffers(j, run);
	filled_json(run, j);
	put_total(run, j);
	if (run->intervals)
		report_intervals(run, j);
	nearest_json(run->module, j);
	if (run->host)
		json_put_host_blocks(j, run);
	j->end(j);
}
