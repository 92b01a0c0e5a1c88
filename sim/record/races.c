/* Races between blocks as JSON. */
#include "lib/json.h"
#include "sim/record/stats.h"

static void json_put_race_end(JsonSink *j, const char *key, const RaceEnd *e)
{
	j->key(j, key);
	j->begin(j, '{', true);
	json_put_text(j, "function", e->function);
	json_put_text(j, "label", e->label);
	json_put_text(j, "file", e->file);
	json_put_count(j, "line", (uint64_t)e->line);
	json_put_text(j, "access", e->access);
	json_put_count(j, "block", e->block);
	place_list_json(j, "inlined", e->inlined);
	j->end(j);
}

static void json_put_races(JsonSink *j, const RaceStats *t, int n, bool same)
{
	j->begin(j, '[', false);
	for (int k = 0; k < n; k++) {
		j->begin(j, '{', true);
		json_put_race_end(j, "first", &t[k].end[0]);
		json_put_race_end(j, "second", &t[k].end[1]);
		json_put_count(j, "bytes", t[k].bytes);
		if (same)
			json_put_count(j, "same_value", t[k].same);
		json_put_text(j, "buffer", t[k].buffer);
		json_put_count(j, "offset", t[k].offset);
		j->end(j);
	}
	j->end(j);
}

void stats_json_races(const LaunchStats *s, JsonSink *j)
{
	if (s->races_checked) {
		j->key(j, "races");
		json_put_races(j, s->tables.races.v, s->tables.races.n, true);
	}
	if (s->behind) {
		j->key(j, "behind");
		j->begin(j, '{', false);
		json_put_count(j, "launch", (uint64_t)s->behind);
		j->key(j, "dependent");
		j->boolean(j, s->nbetween > 0);
		j->key(j, "pairs");
		json_put_races(j, s->between_stats, s->nbetween, false);
		j->end(j);
	}
}
