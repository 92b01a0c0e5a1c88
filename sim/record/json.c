/* Writes a launch's statistics as JSON. The keys of counters are their paths in STATS; figures that this kind
   of run does not measure are null. */
#include "lib/json.h"
#include "sim/record/diagnosis.h"
#include "sim/record/put.h"

static void put_stat(JsonSink *j, const LaunchStats *s, int i, const char *key)
{
	j->key(j, key);
	if (stat_known(s, i))
		j->count(j, stat_get(&s->totals, i));
	else
		j->text(j, NULL);
}

static bool in_group(const char *path, const char *group)
{
	size_t n = strlen(group);
	return !strncmp(path, group, n) && path[n] == '.';
}

/* Writes the counters with a path group.key, and each group inside the group (group.sub.key) as an object. */
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
			continue; /* the group's first counter has put it already */
		if (!strcmp(sub, "memory.nonfaulting") && !s->totals.nonfaulting_loads)
			continue;
		j->key(j, sub + n + 1);
		j->begin(j, '{', true);
		counters(j, s, sub);
		j->end(j);
	}
}

static void put_counter_group(JsonSink *j, const LaunchStats *s, const char *group)
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
	json_put_real(j, "mean_depth", !s->reference, stats_mean_depth(s));
	for (int i = 0; i < s->totals.nmodel; i++)
		json_put_count(j, s->totals.model[i].key, s->totals.model[i].value);
	j->end(j);
}

/* Puts the key with n counts that timed runs have. */
static void put_measured(JsonSink *j, const char *key, const LaunchStats *s, const char *const *name,
	const uint64_t *count, int n)
{
	j->key(j, key);
	j->begin(j, '{', true);
	for (int i = 0; i < n; i++) {
		j->key(j, name[i]);
		if (s->timed)
			j->count(j, count[i]);
		else
			j->text(j, NULL);
	}
	j->end(j);
}

static void put_issue(JsonSink *j, const LaunchStats *s)
{
	j->key(j, "issue");
	j->begin(j, '{', false);
	counters(j, s, "issue");
	put_measured(j, "stalls", s, stall_name, s->totals.stalls, STALL_COUNT);
	put_measured(j, "memory_stalls", s, level_name, s->totals.stalls + STALL_COUNT, LEVEL_COUNT);
	j->end(j);
}

void put_part_count(JsonSink *j, const PartCount *p, bool timed)
{
	json_put_count(j, "partings", p->partings);
	json_put_count(j, "lost", p->lost[0]);
	json_put_count(j, "overhead_lost", p->lost[1]);
	j->key(j, "cycles");
	if (timed)
		j->count(j, p->cycles);
	else
		j->text(j, NULL);
}

/* Writes where partings ended. A row without a label stands for partings that ended because lanes ended,
   until one group was left. */
static void put_met(JsonSink *j, const Meets *met)
{
	if (!met->n)
		return;
	j->key(j, "met");
	j->begin(j, '[', true);
	for (int i = 0; i < met->n; i++) {
		const MeetStats *m = &met->v[i];
		j->begin(j, '{', true);
		json_put_text(j, "function", m->function);
		json_put_text(j, "label", m->label);
		json_put_text(j, "file", m->file);
		json_put_count(j, "line", (uint64_t)m->line);
		json_put_count(j, "times", m->times);
		j->end(j);
	}
	j->end(j);
}

static void put_branch_place(JsonSink *j, const BranchStats *b)
{
	json_put_text(j, "kind", part_name[b->kind]);
	json_put_text(j, "function", b->function);
	json_put_text(j, "label", b->label);
	json_put_text(j, "file", b->file);
	json_put_count(j, "line", b->line > 0 ? (uint64_t)b->line : 0);
	place_list_json(j, "inlined", b->inlined);
}

static void put_branches(const LaunchStats *s, JsonSink *j)
{
	j->key(j, "branches");
	j->begin(j, '[', false);
	for (int i = 0; i < s->tables.branches.n; i++) {
		const BranchStats *b = &s->tables.branches.v[i];
		j->begin(j, '{', true);
		put_branch_place(j, b);
		if (!b->source) {
			j->key(j, "inserted");
			j->boolean(j, true);
		}
		json_put_count(j, "executed", b->executed);
		json_put_count(j, "divergent", b->divergent);
		json_put_count(j, "lanes", b->lanes);
		json_put_count(j, "lanes_taken", b->lanes_taken);
		put_part_count(j, &b->parted, s->timed);
		put_met(j, &b->met);
		j->end(j);
	}
	j->end(j);
	j->key(j, "partings");
	j->begin(j, '[', false);
	for (int i = 0; i < s->tables.partings.n; i++) {
		j->begin(j, '{', true);
		put_branch_place(j, &s->tables.partings.v[i]);
		put_part_count(j, &s->tables.partings.v[i].parted, s->timed);
		put_met(j, &s->tables.partings.v[i].met);
		j->end(j);
	}
	j->end(j);
}

void put_ins_count(JsonSink *j, const InsCount *c, const LaunchStats *of)
{
	json_put_count(j, "warp_instructions", c->issues);
	json_put_count(j, "thread_instructions", c->useful);
	json_put_count(j, "predicated_off", c->off);
	if (!of->own_slots)
		json_put_count(j, "inactive", c->issues * (uint64_t)of->warp_size - c->useful - c->off);
}

static void put_counts(JsonSink *j, const char *group, const InsCount *c)
{
	j->key(j, group);
	j->begin(j, '{', true);
	json_put_count(j, "warp_instructions", c->issues);
	json_put_count(j, "thread_instructions", c->useful);
	j->end(j);
}

/* Puts the key with those of n counts that are not 0; nothing if all are. */
static void put_counted(JsonSink *j, const char *key, const char *const *name, const uint64_t *count, int n)
{
	bool open = false;
	for (int i = 0; i < n; i++) {
		if (!count[i])
			continue;
		if (!open) {
			j->key(j, key);
			j->begin(j, '{', true);
		}
		open = true;
		json_put_count(j, name[i], count[i]);
	}
	if (open)
		j->end(j);
}

void put_some_stalls(JsonSink *j, const uint64_t stalls[STALL_FIGURES])
{
	put_counted(j, "stalls", stall_name, stalls, STALL_COUNT);
	put_counted(j, "memory_stalls", level_name, stalls + STALL_COUNT, LEVEL_COUNT);
}

/* Writes the lines of the source. A group of figures that are all 0 is left out. */
static void put_source_lines(const LaunchStats *s, JsonSink *j)
{
	j->key(j, "lines");
	j->begin(j, '[', false);
	for (int i = 0; i < s->tables.lines.n; i++) {
		const LineStats *l = &s->tables.lines.v[i];
		j->begin(j, '{', true);
		json_put_text(j, "function", l->function);
		json_put_text(j, "file", l->file);
		json_put_count(j, "line", (uint64_t)l->line);
		place_list_json(j, "inlined", l->inlined);
		put_ins_count(j, &l->count[0], s);
		if (l->inserted.issues)
			put_counts(j, "inserted", &l->inserted);
		if (l->count[1].issues)
			put_counts(j, "overhead", &l->count[1]);
		if (parted_any(&l->parted))
			put_part_count(j, &l->parted, s->timed);
		put_some_stalls(j, l->stalls);
		j->end(j);
	}
	j->end(j);
}

void stats_json_tables(const LaunchStats *s, JsonSink *j)
{
	j->key(j, "blocks");
	j->begin(j, '[', false);
	for (int i = 0; i < s->tables.blocks.n; i++) {
		const BlockStats *b = &s->tables.blocks.v[i];
		j->begin(j, '{', true);
		json_put_text(j, "function", b->function);
		json_put_text(j, "label", b->label);
		json_put_count(j, "fetches", b->fetches);
		json_put_count(j, "threads", b->threads);
		json_put_text(j, "file", b->file);
		json_put_count(j, "line", (uint64_t)b->line);
		j->end(j);
	}
	j->end(j);
	put_branches(s, j);
	put_source_lines(s, j);
}

/* Puts what is known of figures that are estimated, and why launches were not sampled; nothing where nobody
   asked for sampling. */
static void put_sampled(JsonSink *j, const LaunchStats *s)
{
	const Totals *t = &s->totals;
	if (!t->sampled && !s->whole)
		return;
	double within = stats_within(t);
	j->key(j, "sampled");
	j->begin(j, '{', true);
	json_put_count(j, "launches", t->sampled);
	json_put_count(j, "blocks", t->sampled_blocks);
	json_put_count(j, "timed_blocks", t->timed_blocks);
	json_put_real(j, "confidence", true, 0.95);
	json_put_real(j, "within", t->cycles, t->cycles ? within / (double)t->cycles : 0);
	json_put_count(j, "cycles_low", stats_low(t));
	json_put_count(j, "cycles_high", (uint64_t)((double)t->cycles + within));
	if (s->whole)
		json_put_text(j, "whole", s->whole);
	j->end(j);
}

void stats_json_measured(const LaunchStats *s, JsonSink *j)
{
	bool lanes = !s->reference && !s->own_slots;
	for (int i = 0; i < stat_count; i++)
		if (!strchr(stat_info[i].path, '.'))
			put_stat(j, s, i, stat_info[i].path);
	json_put_real(j, "simd_utilization", lanes, stats_utilization(s));
	put_counter_group(j, s, "lanes");
	j->key(j, "active_lanes");
	j->begin(j, '[', true);
	for (int i = 0; !s->reference && i <= s->warp_size && i <= 64; i++)
		j->count(j, s->totals.active_lanes[i]);
	j->end(j);
	if (s->totals.uniform_warp)
		put_counter_group(j, s, "uniform");
	put_counter_group(j, s, "inserted");
	put_counter_group(j, s, "overhead");
	put_divergence(j, s);
	put_issue(j, s);
	j->key(j, "memory");
	j->begin(j, '{', false);
	counters(j, s, "memory");
	j->end(j);
	put_sampled(j, s);
}

static void put_size(JsonSink *j, const char *key, const uint32_t d[3])
{
	j->key(j, key);
	j->begin(j, '[', true);
	for (int i = 0; i < 3; i++)
		j->count(j, d[i]);
	j->end(j);
}

static void put_time(JsonSink *j, const char *key, const LaunchStats *s, uint64_t cycle)
{
	j->key(j, key);
	if (s->timed)
		j->count(j, cycle);
	else
		j->text(j, NULL);
}

void stats_json_static(const LaunchStats *s, JsonSink *j)
{
	j->key(j, "static");
	j->begin(j, '{', true);
	json_put_count(j, "instructions", s->static_instructions);
	json_put_count(j, "blocks", s->static_blocks);
	json_put_count(j, "registers", s->registers);
	if (s->uniform_registers)
		json_put_count(j, "uniform_registers", s->uniform_registers);
	json_put_count(j, "spilled", s->spilled);
	json_put_real(j, "occupancy", !s->reference, s->occupancy);
	json_put_text(j, "occupancy_limit", s->occupancy_limit);
	j->end(j);
}

void stats_json(const LaunchStats *s, JsonSink *j)
{
	j->begin(j, '{', false);
	json_put_text(j, "kernel", s->kernel);
	put_size(j, "grid", s->grid);
	put_size(j, "block", s->block);
	j->key(j, "completed");
	j->boolean(j, s->completed);
	json_put_count(j, "stream", (uint64_t)s->stream);
	put_time(j, "called", s, s->called);
	put_time(j, "started", s, s->started);
	if (s->diagnosis) {
		j->key(j, "diagnosis");
		diagnosis_json(s->diagnosis, j);
	}
	stats_json_measured(s, j);
	stats_json_static(s, j);
	stats_json_tables(s, j);
	stats_json_races(s, j);
	j->end(j);
}
