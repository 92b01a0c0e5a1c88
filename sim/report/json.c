/* The report as JSON. The counters' keys are the paths of STATS; figures that a kind of run does not measure are null. */
#include "sim/report/report.h"

static void put_count(JsonSink *j, const char *key, uint64_t v)
{
	j->key(j, key);
	j->count(j, v);
}

static void put_real(JsonSink *j, const char *key, bool known, double v)
{
	j->key(j, key);
	if (known)
		j->real(j, v);
	else
		j->text(j, NULL);
}

static void put_text(JsonSink *j, const char *key, const char *v)
{
	j->key(j, key);
	j->text(j, v);
}

static void put_stat(JsonSink *j, const LaunchStats *s, int i, const char *key)
{
	j->key(j, key);
	if (stat_known(s, i))
		j->count(j, stat_get(s, i));
	else
		j->text(j, NULL);
}

static bool in_group(const char *path, const char *group)
{
	size_t n = strlen(group);
	return !strncmp(path, group, n) && path[n] == '.';
}

/* The counters whose path is group.key, and below group.sub. those of the groups inside it. */
static void counters(JsonSink *j, const LaunchStats *s, const char *group)
{
	size_t n = strlen(group);
	for (int i = 0; i < stat_count; i++) {
		const char *path = stat_info[i].path;
		if (!in_group(path, group))
			continue;
		const char *dot = strchr(path + n + 1, '.');
		if (!dot) {
			put_stat(j, s, i, path + n + 1);
			continue;
		}
		char sub[64];
		snprintf(sub, sizeof sub, "%.*s", (int)(dot - path), path);
		if (i && in_group(stat_info[i - 1].path, sub))
			continue; /* its group is open since its first counter */
		j->key(j, sub + n + 1);
		j->begin(j, '{', true);
		counters(j, s, sub);
		j->end(j);
	}
}

static void put_group(JsonSink *j, const LaunchStats *s, const char *group)
{
	j->key(j, group);
	j->begin(j, '{', true);
	counters(j, s, group);
	j->end(j);
}

static void put_divergence(JsonSink *j, const LaunchStats *s)
{
	j->key(j, "divergence");
	j->begin(j, '{', true);
	counters(j, s, "divergence");
	put_real(j, "mean_depth", !s->reference, stats_mean_depth(s));
	for (int i = 0; i < s->nmodel; i++)
		put_count(j, s->model[i].key, s->model[i].value);
	j->end(j);
}

static void put_issue(JsonSink *j, const LaunchStats *s)
{
	j->key(j, "issue");
	j->begin(j, '{', false);
	counters(j, s, "issue");
	j->key(j, "stalls");
	j->begin(j, '{', true);
	for (int i = 0; i < STALL_COUNT; i++) {
		j->key(j, stall_name[i]);
		if (s->timed)
			j->count(j, s->stalls[i]);
		else
			j->text(j, NULL);
	}
	j->end(j);
	j->end(j);
}

static void put_tables(JsonSink *j, const LaunchStats *s)
{
	j->key(j, "blocks");
	j->begin(j, '[', false);
	for (int i = 0; i < s->nblocks; i++) {
		const BlockStats *b = &s->block_stats[i];
		j->begin(j, '{', true);
		put_text(j, "function", b->function);
		put_text(j, "label", b->label);
		put_count(j, "fetches", b->fetches);
		put_count(j, "threads", b->threads);
		j->end(j);
	}
	j->end(j);
	j->key(j, "branches");
	j->begin(j, '[', false);
	for (int i = 0; i < s->nbranches; i++) {
		const BranchStats *b = &s->branch_stats[i];
		j->begin(j, '{', true);
		put_text(j, "function", b->function);
		put_text(j, "label", b->label);
		put_text(j, "file", b->file);
		put_count(j, "line", b->line > 0 ? (uint64_t)b->line : 0);
		put_count(j, "executed", b->executed);
		put_count(j, "divergent", b->divergent);
		put_count(j, "lanes", b->lanes);
		put_count(j, "lanes_taken", b->lanes_taken);
		j->end(j);
	}
	j->end(j);
}

static void put_measured(JsonSink *j, const LaunchStats *s)
{
	bool lanes = !s->reference && !s->mimd;
	for (int i = 0; i < stat_count; i++)
		if (!strchr(stat_info[i].path, '.'))
			put_stat(j, s, i, stat_info[i].path);
	put_real(j, "simd_utilization", lanes, stats_utilization(s));
	put_group(j, s, "lanes");
	j->key(j, "active_lanes");
	j->begin(j, '[', true);
	for (int i = 0; !s->reference && i <= s->warp_size && i <= 64; i++)
		j->count(j, s->active_lanes[i]);
	j->end(j);
	put_group(j, s, "inserted");
	put_group(j, s, "overhead");
	put_divergence(j, s);
	put_issue(j, s);
	j->key(j, "memory");
	j->begin(j, '{', false);
	counters(j, s, "memory");
	j->end(j);
}

static void put_dimensions(JsonSink *j, const char *key, const uint32_t d[3])
{
	j->key(j, key);
	j->begin(j, '[', true);
	for (int i = 0; i < 3; i++)
		j->count(j, d[i]);
	j->end(j);
}

void report_launch(const LaunchStats *s, JsonSink *j)
{
	j->begin(j, '{', false);
	put_text(j, "kernel", s->kernel);
	put_dimensions(j, "grid", s->grid);
	put_dimensions(j, "block", s->block);
	j->key(j, "completed");
	j->boolean(j, s->completed);
	if (s->diagnosis) {
		j->key(j, "diagnosis");
		report_diagnosis(s->diagnosis, j);
	}
	put_measured(j, s);
	j->key(j, "static");
	j->begin(j, '{', true);
	put_count(j, "instructions", s->static_instructions);
	put_count(j, "blocks", s->static_blocks);
	put_count(j, "registers", s->registers);
	put_real(j, "occupancy", !s->reference, s->occupancy);
	put_text(j, "occupancy_limit", s->occupancy_limit);
	j->end(j);
	put_tables(j, s);
	j->end(j);
}

static void put_total(Run *run, JsonSink *j)
{
	const LaunchStats *t = run_total(run);
	j->key(j, "total");
	j->begin(j, '{', false);
	put_count(j, "launches", (uint64_t)run->launch.n);
	put_measured(j, t);
	put_tables(j, t);
	j->end(j);
	j->key(j, "host");
	j->begin(j, '{', true);
	put_real(j, "seconds", true, t->seconds);
	put_real(j, "warp_instructions_per_second", !t->reference && t->seconds > 0,
		(double)t->warp_instructions / (t->seconds > 0 ? t->seconds : 1));
	j->end(j);
}

/* ---- what was run ---- */

const char *title_model(const Title *t) { return t->model ? t->model : model_keys((int)t->effective->model)->name; }

static void put_value(JsonSink *j, const ConfigKey *key, int64_t v)
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
		j->count(j, (uint64_t)v);
	sb_free(&text);
}

static void put_configuration(JsonSink *j, const Title *t)
{
	ConfigKey key;
	char hash[CONFIG_HASH];
	j->key(j, "configuration");
	j->begin(j, '{', false);
	put_text(j, "hash", config_hash_text(t->effective, hash));
	j->key(j, "changed");
	j->begin(j, '{', true);
	for (int i = 0; config_change(t->file, t->effective, &i, &key);)
		put_value(j, &key, config_get(t->effective, &key));
	j->end(j);
	j->key(j, "values");
	j->begin(j, '{', true);
	for (int i = 0; config_key(i, &key); i++)
		put_value(j, &key, config_get(t->effective, &key));
	j->end(j);
	j->end(j);
}

static void put_title(JsonSink *j, const Title *t)
{
	put_text(j, "gsim", GSIM_VERSION);
	put_text(j, "module", t->module);
	put_text(j, "module_hash", t->module_hash);
	put_text(j, "config", t->config);
	put_text(j, "model", title_model(t));
	put_text(j, "passes", t->passes);
	put_text(j, "workload", t->workload);
	j->key(j, "arguments");
	j->begin(j, '[', true);
	for (int i = 0; i < t->nargs; i++)
		j->text(j, t->args[i]);
	j->end(j);
	put_configuration(j, t);
}

void report_refused(const Title *title, const char *error, JsonSink *j)
{
	j->begin(j, '{', false);
	put_title(j, title);
	put_text(j, "status", "bad_input");
	put_text(j, "error", error);
	j->end(j);
}

void report_json(Run *run, const Title *title, JsonSink *j)
{
	static const char *const status[] = { "ok", "failed", "bad_input", "interrupted" };
	j->begin(j, '{', false);
	put_title(j, title);
	put_text(j, "mode", run->options.reference ? "reference" : run->options.gpu.functional ? "functional" : "timed");
	put_text(j, "status", status[run->status]);
	if (run->elsewhere.n)
		report_elsewhere(run, j);
	if (run->status != RUN_OK)
		put_text(j, "error", diag_first(run->diag));
	j->key(j, "launches");
	j->begin(j, '[', false);
	for (int i = 0; i < run->launch.n; i++)
		report_launch(run->launch.v[i], j);
	j->end(j);
	put_total(run, j);
	j->end(j);
}
